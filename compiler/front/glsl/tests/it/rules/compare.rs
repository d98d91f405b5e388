//! A table of the rules with the verdicts of this front end, of `glslangValidator` and of the
//! system's OpenGL driver, which `runner --gen gl` asks.
//!
//! ```text
//! cargo test -p glsl --test it rules::compare -- --ignored --nocapture
//! ```
//!
//! `RULES_FILTER` takes the rules whose section or name contains a text, `RUNNER` is the path of
//! `runner`. A compiler that is not there has an empty column. The test fails if both others
//! refuse a program that the front end accepts.

use super::check::accept;
use super::sections::{Program, Rule, all};
use program::Stage;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Verdicts of a compiler on the legal and on the illegal program; `None` if it was not asked.
type Verdicts = (Option<bool>, Option<bool>);

/// True if a verdict is that of the list.
fn agrees(verdicts: Verdicts) -> bool {
    verdicts.0 != Some(false) && verdicts.1 != Some(true)
}

/// The verdicts in words.
fn word(verdicts: Verdicts) -> &'static str {
    match verdicts {
        (None, _) | (_, None) => "-",
        (Some(true), Some(false)) => "as listed",
        (Some(true), Some(true)) => "accepts both",
        (Some(false), Some(false)) => "refuses both",
        (Some(false), Some(true)) => "reversed",
    }
}

/// A program and where its verdicts go.
struct Case<'a> {
    rule: &'a Rule<'a>,
    /// File name of the programs, without extension.
    stem: String,
    legal: Program,
    illegal: Program,
}

/// Folder of the programs, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("glsl-rules-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Extension of a shader's file.
fn extension(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vert",
        Stage::TessControl => "tesc",
        Stage::TessEval => "tese",
        Stage::Geometry => "geom",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
    }
}

/// Verdicts of `glslangValidator` by the names of the files; empty if it is not installed.
/// Shaders that are compiled alone share one process, which is much faster.
fn glslang(cases: &[Case<'_>], folder: &Path) -> BTreeMap<String, bool> {
    let mut verdicts = BTreeMap::new();
    let mut alone = Command::new("glslangValidator");
    for (name, program) in named_programs(cases) {
        let files = program.shaders.iter().enumerate().map(|(index, shader)| {
            let path = folder.join(format!("{name}-{index}.{}", extension(shader.stage)));
            std::fs::write(&path, &shader.text).expect("a file of the temporary folder");
            path
        });
        let files: Vec<PathBuf> = files.collect();
        if program.links {
            let output = Command::new("glslangValidator").arg("-l").args(files).output();
            verdicts.extend(output.ok().map(|output| (name, output.status.success())));
        } else {
            alone.args(files);
        }
    }
    let output = alone.output().map(|output| output.stdout).unwrap_or_default();
    let mut current = None;
    for line in String::from_utf8_lossy(&output).lines() {
        if let Some(name) = line.strip_prefix(&*folder.to_string_lossy()) {
            let name = name.trim_start_matches('/').rsplit_once('-').map_or(name, |(stem, _)| stem);
            verdicts.insert(name.to_owned(), true);
            current = Some(name.to_owned());
        } else if let Some(name) = current.as_ref().filter(|_| line.starts_with("ERROR")) {
            verdicts.insert(name.clone(), false);
        }
    }
    verdicts
}

/// Every program of some cases with the name of its files.
fn named_programs<'a>(cases: &'a [Case<'_>]) -> impl Iterator<Item = (String, &'a Program)> {
    cases.iter().flat_map(|case| {
        let legal = (format!("{}-legal", case.stem), &case.legal);
        [legal, (format!("{}-illegal", case.stem), &case.illegal)]
    })
}

/// A program as the text of a `.shader_test` file.
fn shader_test(program: &Program) -> String {
    let first = program.shaders[0].text.lines().find(|line| line.starts_with("#version"));
    let mut words = first.unwrap_or("#version 110").split_whitespace().skip(1);
    let number: u32 = words.next().and_then(|word| word.parse().ok()).unwrap_or(110);
    let es = number == 100 || words.next() == Some("es");
    let mut text = String::from("[require]\n");
    if es {
        let gl = if number == 100 { 20 } else { number / 10 };
        _ = writeln!(text, "GL ES >= {}.{}", gl / 10, gl % 10);
    }
    let language = if es { "GLSL ES" } else { "GLSL" };
    // A number that is no version at all asks for what every context has.
    let number = if number > 460 || (!es && number == 335) { 330 } else { number };
    _ = writeln!(text, "{language} >= {}.{:02}", number / 100, number % 100);
    if program.shaders.len() == 1 && program.shaders[0].stage != Stage::Compute {
        text += "SEPARABLE PROGRAM ENABLED\n";
    }
    for shader in &program.shaders {
        _ = writeln!(text, "\n[{} shader]", shader.stage.name());
        for line in shader.text.lines() {
            // A line that begins with a bracket would be the header of a section.
            let space = if line.starts_with('[') { " " } else { "" };
            _ = writeln!(text, "{space}{line}");
        }
    }
    text
}

/// Outcome of a program with the system's driver.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Links,
    Compiles,
    Fails,
}

/// Outcomes of the system's driver by the names of the files; empty without `runner` or a driver.
fn driver(cases: &[Case<'_>], folder: &Path) -> BTreeMap<String, Outcome> {
    let tests = folder.join("programs");
    std::fs::create_dir_all(&tests).expect("a temporary folder");
    for (name, program) in named_programs(cases) {
        let path = tests.join(format!("{name}.shader_test"));
        std::fs::write(path, shader_test(program)).expect("a file of the temporary folder");
    }
    let out = folder.join("out");
    let runner = std::env::var_os("RUNNER").map_or_else(|| "runner".into(), PathBuf::from);
    let mut command = Command::new(runner.canonicalize().unwrap_or(runner));
    // `runner` writes its history below the current folder.
    command.current_dir(folder);
    command.arg(&tests).args(["--gen", "gl", "--compile-only", "--out"]).arg(&out);
    command.env("MESA_GL_VERSION_OVERRIDE", "4.6COMPAT").env("MESA_GLSL_VERSION_OVERRIDE", "460");
    if command.output().is_err() {
        return BTreeMap::new();
    }
    let text = std::fs::read_to_string(out.join("results.jsonl")).unwrap_or_default();
    text.lines().filter_map(outcome).collect()
}

/// Name and outcome of a line of `results.jsonl`.
fn outcome(line: &str) -> Option<(String, Outcome)> {
    let value = |key: &str| {
        let start = line.find(&format!("\"{key}\":\""))? + key.len() + 4;
        line[start..].split('"').next()
    };
    let name = value("test")?.rsplit('/').next()?.to_owned();
    let outcome = match value("status")? {
        "pass" | "warn" => Outcome::Links,
        "fail" if value("reason")?.contains("compile") => Outcome::Fails,
        "fail" => Outcome::Compiles,
        _ => return None,
    };
    Some((name, outcome))
}

/// Verdicts from outcomes. The driver links every program; that counts if the legal one links.
fn verdicts_of(case: &Case<'_>, outcomes: &BTreeMap<String, Outcome>) -> Verdicts {
    let told = |kind: &str| outcomes.get(&format!("{}-{kind}", case.stem)).copied();
    let (legal, illegal) = (told("legal"), told("illegal"));
    let needed = match legal {
        Some(Outcome::Compiles) if !case.legal.links => Outcome::Compiles,
        _ => Outcome::Links,
    };
    let accepted = |outcome: Outcome| outcome == Outcome::Links || outcome == needed;
    (legal.map(accepted), illegal.map(accepted))
}

#[test]
#[ignore = "asks other compilers; prints a table"]
fn compare() {
    let filter = std::env::var("RULES_FILTER").unwrap_or_default();
    let files = all();
    let rules = files.iter().flat_map(|(_, rules)| rules);
    let mut cases = Vec::new();
    for rule in rules.filter(|rule| rule.title().contains(&filter)) {
        for (legal, illegal) in rule.programs(true).into_iter().zip(rule.programs(false)) {
            let stem = format!("{:05}", cases.len());
            cases.push(Case { rule, stem, legal, illegal });
        }
    }
    let folder = Folder::new();
    let told_by_glslang = glslang(&cases, &folder.0);
    let outcomes = driver(&cases, &folder.0);
    let mut looser = Vec::new();
    let mut unexplained = Vec::new();
    let mut counts: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    println!("{:44} {:10} {:14} {:14} {:14}", "rule", "version", "ours", "glslang", "llvmpipe");
    for case in &cases {
        let ours = (Some(accept(&case.legal).is_ok()), Some(accept(&case.illegal).is_ok()));
        let told = |kind: &str| told_by_glslang.get(&format!("{}-{kind}", case.stem)).copied();
        let glslang = (told("legal"), told("illegal"));
        let llvmpipe = verdicts_of(case, &outcomes);
        let columns = [("ours", ours), ("glslang", glslang), ("llvmpipe", llvmpipe)];
        let [a, b, c] = columns.map(|(_, verdicts)| word(verdicts));
        let (title, version) = (case.rule.title(), &case.legal.version);
        println!("{title:44} {version:10} {a:14} {b:14} {c:14}");
        for (name, verdicts) in columns {
            *counts.entry(name).or_default().entry(word(verdicts)).or_default() += 1;
            if name != "ours" && !agrees(verdicts) && case.rule.reason(name).is_none() {
                unexplained.push(format!("{title} ({version}): {name} {}", word(verdicts)));
            }
        }
        if ours.1 == Some(true) && glslang.1 == Some(false) && llvmpipe.1 == Some(false) {
            looser.push(format!("{title} ({version})"));
        }
    }
    println!("\n{} rules, {} programs of each kind", count_of(&cases), cases.len());
    for (name, words) in counts {
        let words: Vec<String> = words.iter().map(|(word, n)| format!("{word}: {n}")).collect();
        println!("{name:10} {}", words.join(", "));
    }
    println!("differences without a reason: {}\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(looser.is_empty(), "looser than both others:\n{}", looser.join("\n"));
}

/// The number of rules among cases.
fn count_of(cases: &[Case<'_>]) -> usize {
    cases.iter().map(|case| case.rule.title()).collect::<std::collections::BTreeSet<_>>().len()
}
