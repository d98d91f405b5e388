//! Listings of the suite's machine code: the disassembly assembles to the same bytes, and
//! instructions have source lines.

use std::path::{Path, PathBuf};

use compiler::listing::{self, Listing};
use compiler::{Binary, CodegenOptions};
use execute::{Linked, SourceTexts, build, context_for, stage_keys};
use program::Stage;
use script::Script;
use vocabulary::Target;

const TARGET: Target = Target::IVB;

/// Every test of the suite.
fn suite() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fp64");
    let files = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(|e| e.expect("a readable folder"));
    let tests = files.filter(|e| e.path().extension().is_some_and(|x| x == "shader_test"));
    tests.map(walkdir::DirEntry::into_path).collect()
}

/// The binaries of every stage that a test draws with; none when it expects a link error.
fn binaries(path: &Path) -> Vec<Binary> {
    let bytes = std::fs::read(path).expect("a readable test");
    let script = script::parse(&bytes).expect("the suite parses");
    let capabilities =
        context_for(&script, TARGET).expect("the suite needs nothing Ivy Bridge lacks");
    let Ok(Linked::Program(program)) = build(&script, capabilities) else { return Vec::new() };
    let devinfo = execute::devinfo(TARGET).expect("a hardware generation");
    let compile = |(stage, key): (&Stage, &program::StageKey)| {
        compiler::compile(&program, *stage, key, devinfo, &CodegenOptions::default())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    stage_keys(&script, "test", TARGET).iter().map(compile).collect()
}

#[test]
fn disassembly_assembles_to_the_same_bytes() {
    let devinfo = execute::devinfo(TARGET).expect("a hardware generation");
    let mut kernels = 0;
    for path in suite() {
        for kernel in binaries(&path).iter().flat_map(|b| &b.compiled.kernels) {
            let program =
                intel_isa::decode_program(devinfo, &kernel.code).expect("our own code decodes");
            let text = intel_isa::print_program(devinfo, &program);
            let again = intel_isa::assemble(devinfo, &text)
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(again, kernel.code, "{} {}", path.display(), kernel.width.name());
            kernels += 1;
        }
    }
    // Three kernels a test: the vertex stage's one, and two widths of the fragment stage.
    assert!(kernels > 5000, "only {kernels} kernels were checked");
}

/// The listings of the kernels of every stage that a test draws with.
fn listings(script: &Script<'_>, target: Target) -> Vec<(Stage, Listing)> {
    let Ok(capabilities) = context_for(script, target) else { return Vec::new() };
    let Ok(Linked::Program(program)) = build(script, capabilities) else { return Vec::new() };
    let options = CodegenOptions::default();
    let mut listings = Vec::new();
    for (&stage, key) in stage_keys(script, "test", target).iter() {
        if let Some(devinfo) = execute::devinfo(target) {
            let binary = compiler::compile(&program, stage, key, devinfo, &options);
            for kernel in binary.expect("a binary").compiled.kernels {
                listings.push((stage, listing::intel(devinfo, &kernel).expect("code")));
            }
        }
        if let Some(chip) = execute::chip(target) {
            let output = compiler::compile_amd(&program, stage, key, chip, &options);
            listings.push((stage, listing::amd(&output.expect("a program")).expect("code")));
        }
    }
    listings
}

/// Instructions of listings.
#[derive(Debug, Default)]
struct Counts {
    /// From the first with a source line to the last: without most of prologue and epilogue.
    body: usize,
    /// Those of them that have a line.
    with_line: usize,
}

impl Counts {
    fn add(&mut self, listing: &Listing) {
        let rows = &listing.rows;
        let has_line = |row: &listing::Row| row.line.is_some();
        let first = rows.iter().position(has_line);
        let Some((first, last)) = first.zip(rows.iter().rposition(has_line)) else { return };
        self.body += last + 1 - first;
        self.with_line += rows[first..=last].iter().filter(|row| has_line(row)).count();
    }
}

#[test]
fn instructions_have_source_lines() {
    for target in [Target::IVB, Target::SKL, Target::SI] {
        let mut counts = Counts::default();
        for path in suite().iter().step_by(20) {
            let bytes = std::fs::read(path).expect("a readable test");
            let script = script::parse(&bytes).expect("the suite parses");
            let sources = SourceTexts::new(&script);
            for (stage, listing) in listings(&script, target) {
                counts.add(&listing);
                let lines = listing.rows.iter().filter_map(|row| Some((row.unit, row.line?)));
                for (unit, line) in lines {
                    let line = sources.line(stage, unit, line);
                    let (_, text) = line.unwrap_or_else(|| panic!("{}", path.display()));
                    let is_code = text.contains([';', '(', '=', '?']);
                    assert!(is_code, "{}: `{text}`", path.display());
                }
            }
        }
        let Counts { body, with_line } = counts;
        println!("{target}: {with_line} of {body}");
        assert!(body > 5000 && with_line * 100 >= body * 95, "{target}: {with_line} of {body}");
    }
}
