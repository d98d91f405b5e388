//! Every named quirk of the hardware: with the compiler's handling of it switched off its witness
//! fails on exactly the generations that have the quirk, and with it on everywhere it passes.
//! `docs/quirks.md` shows the same table; `BLESS=1` rewrites it. CHECK lines of the witnesses in
//! `tests/quirks` describe the handled code: without the handling they do not hold, either.

use crate::support::Sandbox;
use compiler::Quirk;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const GENERATIONS: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];
/// Generations that compute in half precision.
const HALF_GENERATIONS: [&str; 3] = ["bdw", "chv", "skl"];

/// A quirk, the test that needs it handled, and where.
struct Row {
    quirk: Quirk,
    /// Below `tests/`, without extension.
    witness: &'static str,
    /// Compiled by the vec4 back end.
    vec4: bool,
    /// Generations that have what the witness requires.
    generations: &'static [&'static str],
    /// Generations on which the witness fails without the handling.
    fails: &'static [&'static str],
}

const ALL: &[&str] = &GENERATIONS;
const GEN7: &[&str] = &["ivb", "hsw"];

fn rows() -> Vec<Row> {
    let scalar = |quirk, witness, fails| Row {
        quirk,
        witness,
        vec4: false,
        generations: &GENERATIONS,
        fails,
    };
    let vec4 = |quirk, witness, fails| Row {
        quirk,
        witness,
        vec4: true,
        generations: &GENERATIONS,
        fails,
    };
    let half = |quirk, witness, fails| Row {
        quirk,
        witness,
        vec4: false,
        generations: &HALF_GENERATIONS,
        fails,
    };
    vec![
        scalar(Quirk::IvbDfExecSize, "quirks/fs-three-red-one-green", &["ivb"]),
        vec4(Quirk::IvbDfExecSize, "quirks/vs-three-red-one-green", &["ivb"]),
        scalar(Quirk::IvbDfRegions, "quirks/fs-three-red-one-green", &["ivb"]),
        vec4(Quirk::IvbAlign16DfWidth, "quirks/vs-whole-vectors", &["ivb"]),
        vec4(Quirk::DfExecMask, "quirks/vs-three-red-one-green", ALL),
        scalar(Quirk::DfExecMask, "quirks/gs-three-red-one-green", GEN7),
        vec4(Quirk::Align16DfSwizzle, "quirks/vs-swizzle", ALL),
        vec4(Quirk::Align16DfWritemask, "quirks/vs-writemask", ALL),
        scalar(Quirk::Gen7SecondHalfControls, "fp64/conversion/fs-convert-bool-double", GEN7),
        scalar(Quirk::IvbDfSecondHalf, "quirks/fs-three-red-one-green", &["ivb"]),
        vec4(Quirk::Gen7TwoGrfSource, "quirks/vs-widening", GEN7),
        vec4(Quirk::Gen7Align16Vstride0, "quirks/vs-uniform-vectors", &["hsw"]),
        vec4(Quirk::Gen7Align16DfSel, "quirks/vs-selection", &["hsw"]),
        vec4(Quirk::Align16QwordDst, "quirks/vs-widening", &["bdw", "chv", "skl"]),
        half(Quirk::HfMath, "half/elementary/fs-sqrt-f16vec2", &["skl"]),
        scalar(Quirk::ThreeSourceNoDfRep, "fp64/hand/fs-mod-multiples", ALL),
        scalar(Quirk::Ivb3srcSimd8, "quirks/fs-multiply-add", &["ivb"]),
        scalar(Quirk::HswBfiSimd8, "quirks/fs-bitfield-insert", &["hsw"]),
        scalar(Quirk::Chv64bitRegions, "fp64/hand/fs-discard", &["chv"]),
        scalar(Quirk::Gen7DwordMul, "quirks/fs-product-low-words", &["ivb", "hsw", "chv"]),
        scalar(Quirk::IvbAcc1, "quirks/fs-product-high-halves", &["ivb"]),
        scalar(Quirk::Gen7CmpSwitch, "quirks/fs-comparison-flags", GEN7),
        scalar(Quirk::IvbCmp16, "quirks/fs-comparison-results", &["ivb"]),
        scalar(Quirk::Gen8LogicNot, "quirks/fs-logic-of-negation", &["bdw", "chv", "skl"]),
    ]
}

/// Quirks that no test of the suite can show, and why.
const WITHOUT_WITNESS: &[(Quirk, &str)] = &[
    (
        Quirk::BdwHfMadOffset,
        "packed halves begin at a register, in SIMD8 too. Other offsets occur only for\n  \
         the upper half of a dword and for scalars, which MAD does not accept. A test of\n  \
         `legalize_three_source` shows it",
    ),
    (
        Quirk::BdwAlign16Hf,
        "the vec4 back end has no halves. Three-source instructions, the only Align16\n  \
         instructions of the scalar back end, select and write all components in order",
    ),
    (Quirk::Gen8R127, "a test of the register allocator shows it"),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Generations on which the row's witness does not pass, with or without the handling, and why.
fn failing(row: &Row, handled: bool) -> BTreeMap<String, String> {
    let sandbox = Sandbox::new();
    let file = repository().join("tests").join(row.witness).with_extension("shader_test");
    let file = file.to_str().expect("a path in UTF-8");
    let generations = row.generations.join(",");
    let mut arguments = vec![file, "--gen", &generations, "--out", "out"];
    if row.vec4 {
        arguments.extend(["--backend", "vec4"]);
    }
    if !handled {
        arguments.extend(["--disable-quirk", row.quirk.name()]);
    }
    sandbox.run(&arguments);
    let rows = sandbox.results("out");
    let run: Vec<_> = rows.iter().filter(|row| row["test"].is_string()).collect();
    assert_eq!(run.len(), row.generations.len(), "{}", row.witness);
    assert!(run.iter().all(|row| row["status"] != "skip"), "{} is skipped", row.witness);
    let failed = run.into_iter().filter(|row| row["status"] != "pass");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    failed.map(|row| (text(&row["gen"]), text(&row["reason"]))).collect()
}

/// Without a row, a test would never run without the handling.
#[test]
fn each_test_of_a_quirk_has_a_row() {
    let witnesses: BTreeSet<String> = rows().iter().map(|row| row.witness.to_owned()).collect();
    let folder = repository().join("tests/quirks");
    let mut without = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("tests/quirks") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "shader_test") {
            let name = path.file_stem().expect("a name").to_string_lossy();
            if !witnesses.contains(&format!("quirks/{name}")) {
                without.push(name.into_owned());
            }
        }
    }
    assert!(without.is_empty(), "no row in this file for {without:?}");
}

/// Returns names of generations in the order of results.
fn sorted(names: &[&str]) -> impl Iterator<Item = String> {
    let names: BTreeSet<String> = names.iter().map(|&name| name.to_owned()).collect();
    names.into_iter()
}

/// True for the line of a reason that begins with the place and the kind of a CHECK line.
fn is_check(line: &str) -> bool {
    line.strip_prefix("line ")
        .and_then(|rest| rest.split_once(": "))
        .is_some_and(|(_, message)| message.starts_with("CHECK"))
}

#[test]
fn each_handling_is_needed_where_the_quirk_is() {
    let mut wrong = Vec::new();
    for row in rows() {
        let with = failing(&row, true);
        if !with.is_empty() {
            wrong.push(format!(
                "{} fails on {with:#?} although {} is handled",
                row.witness,
                row.quirk.name()
            ));
        }
        let without = failing(&row, false);
        if without.keys().cloned().ne(sorted(row.fails)) {
            wrong.push(format!(
                "without {} {} fails on {without:#?}",
                row.quirk.name(),
                row.witness
            ));
        }
        let has_checks = row.witness.starts_with("quirks/");
        for (generation, reason) in without.iter().filter(|_| has_checks) {
            if !reason.lines().any(is_check) {
                wrong.push(format!(
                    "without {} the CHECK lines of {} hold on {generation}: {reason}",
                    row.quirk.name(),
                    row.witness
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_quirk_has_a_witness_or_a_reason() {
    for &quirk in Quirk::ALL {
        let shown = rows().iter().any(|row| row.quirk == quirk);
        let excused = WITHOUT_WITNESS.iter().any(|(other, _)| *other == quirk);
        assert!(shown != excused, "{}", quirk.name());
    }
}

/// The table as Markdown.
fn table() -> String {
    let mut text = String::from(
        "# Hardware quirks\n\n\
         Each row is a quirk, a test that shows it, and the result of the test on each generation when the\n\
         compiler does not handle the quirk (`--disable-quirk`). With every quirk handled all of these tests\n\
         pass. In vec4 rows the vec4 back end compiles the vertex shader: on ivb and hsw always, on bdw, chv\n\
         and skl with `--backend vec4`. ivb and hsw have no half precision. `runner/tests/it/quirks.rs` runs\n\
         the table and writes this page (`BLESS=1`).\n\n\
         | quirk | back end | ivb | hsw | bdw | chv | skl | test |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows() {
        let back_end = if row.vec4 { "vec4" } else { "default" };
        let cells = GENERATIONS.map(|generation| {
            let runs = row.generations.contains(&generation);
            if !runs {
                "–"
            } else if row.fails.contains(&generation) {
                "**fails**"
            } else {
                "passes"
            }
        });
        let _ = writeln!(
            text,
            "| `{}` | {back_end} | {} | `tests/{}` |",
            row.quirk.name(),
            cells.join(" | "),
            row.witness
        );
    }
    text.push_str("\nQuirks that no test of the suites shows:\n\n");
    for (quirk, reason) in WITHOUT_WITNESS {
        let _ = writeln!(text, "* `{}`: {reason}.", quirk.name());
    }
    text
}

#[test]
fn the_page_shows_the_table() {
    let path = repository().join("docs/quirks.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, table()).expect("docs/quirks.md");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("docs/quirks.md"), table());
}
