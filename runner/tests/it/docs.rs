//! The commands in README and `docs/`, executed.
//!
//! A block of language `console` is a transcript: lines that begin with `$ ` are executed by a
//! shell, the others are their output. `…` is any text; on a line of its own, any lines. Times are
//! masked. In other blocks, each line that begins with `runner` must be a command that can be
//! executed: its exit code is not 2 (usage or set-up error). Names in capitals are placeholders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;

use crate::support::{Ran, Sandbox, ran};

/// Placeholders of the documents, and places and numbers that the sandbox has smaller.
const PLACEHOLDERS: [(&str, &str); 13] = [
    ("/usr/lib/*/piglit", "piglit"),
    ("--count 20000", "--count 20"),
    ("--gen NEW", "--gen skl"),
    ("--gen OLD", "--gen ivb"),
    ("ir=PASS", "ir=opt_dce"),
    ("PASS", "opt_dce"),
    ("TEST", "suite/red.shader_test"),
    ("OLD", "runs/old"),
    ("NEW", "runs/new"),
    ("RUN", "runs/new"),
    ("GEN", "ivb"),
    ("DIR", "binaries"),
    (" N ", " 5 "),
];

/// Commands whose subject is not in the sandbox: an external compiler that the reader writes, the
/// OpenGL driver of the reader's machine. A page is served until the reader stops it.
const READERS_OWN: [&str; 6] =
    ["my-compiler", "--gen gl", "--gen vk", "gens gl", "--driver mesa", "runner serve"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The user's documents. Those for developers of the project describe builds instead.
fn documents() -> Vec<PathBuf> {
    let mut documents = vec![repository().join("README.md")];
    let entries = fs::read_dir(repository().join("docs")).expect("docs");
    documents.extend(entries.map(|entry| entry.expect("an entry").path()));
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    documents.sort();
    documents
}

/// A fenced block: its language, its first line's number, its lines.
struct FencedBlock<'a> {
    language: &'a str,
    first_line: usize,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<FencedBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<FencedBlock<'_>> = None;
    for (i, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => {
                open = Some(FencedBlock { language, first_line: i + 2, lines: Vec::new() });
            }
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// A profile of piglit, not compressed.
const PROFILE: &str = "<PiglitTestList><Test type=\"cl\" name=\"a@b\">\
    <option name=\"command\" value=\"['c']\"/></Test></PiglitTestList>";

/// A sandbox with what the documents speak of: parts of the suites, lists, runs, a small `piglit`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for (suite, prefix) in [
        ("fp64", "arithmetic/fs-add-d"),
        ("half", "arithmetic/fs-add-"),
        ("quirks", ""),
        ("fp64", "hand/fs-p"),
    ] {
        copy_tests(&sandbox, suite, prefix);
    }
    let (green, red) = examples();
    sandbox.file("suite/green.shader_test", &green).file("suite/red.shader_test", &red);
    for copy in ["green", "tests/own/green", "piglit/tests/spec/own/green"] {
        sandbox.file(&format!("{copy}.shader_test"), &green);
    }
    let doubles = "piglit/generated_tests/spec/arb_gpu_shader_fp64/green.shader_test";
    sandbox
        .file(doubles, &green)
        .file("piglit/tests/spec/arb_gpu_shader_fp64/red.shader_test", &red)
        .file("piglit/tests/opengl.xml.gz", PROFILE)
        .file("piglit/tests/shader.xml.gz", PROFILE);
    sandbox.file("tests.txt", "suite/green\n").file("fails.csv", "suite/red,Fail\n");
    sandbox.file("ivb-fails.csv", "own/red,Fail\n").file("skips.txt", "").file("flakes.txt", "");
    sandbox
        .file("runner.yaml", "expectations: []\n")
        .file("names.txt", "tests/spec/own/green\n")
        .file("theirs.csv", OTHER_COMPILER)
        .file("results.json.bz2", PIGLIT_RESULTS);
    sandbox
        .file("example.toml", example_settings())
        .file("misspelled.toml", "out = 'a'\njob = 2\n");
    let names = ["fade.vert", "fade.frag"];
    for (name, text) in names.into_iter().zip(example_shaders()) {
        sandbox.file(&format!("shaders/{name}"), text);
    }
    for run in ["old", "new"] {
        sandbox.run(&["suite", "--gen", "ivb", "--out", &format!("runs/{run}")]).expect(1, &[]);
    }
    sandbox
}

/// The example of "Writing a test", and the same with a probe that must fail.
fn examples() -> (String, String) {
    let text = fs::read_to_string(repository().join("docs/writing-a-test.md")).expect("a document");
    let block = blocks(&text).into_iter().find(|block| block.lines[0] == "[require]");
    let green = block.expect("an example").lines.join("\n") + "\n";
    let red = green.replace("probe all rgba 0 1 0 1", "probe all rgba 1 0 0 1");
    (green, red)
}

/// The shaders of "Shaders of real applications".
fn example_shaders() -> Vec<String> {
    let text = fs::read_to_string(repository().join("docs/real-shaders.md")).expect("a document");
    let shaders = blocks(&text).into_iter().filter(|block| block.language == "glsl");
    shaders.map(|block| block.lines.join("\n") + "\n").collect()
}

/// The settings file of "Configuration".
fn example_settings() -> String {
    let text = fs::read_to_string(repository().join("docs/configuration.md")).expect("a document");
    let block = blocks(&text).into_iter().find(|block| block.language == "toml");
    block.expect("an example").lines.join("\n") + "\n"
}

/// Instruction counts of another compiler.
const OTHER_COMPILER: &str = "test,gen,stage,width,instructions,spills
fp64/arithmetic/fs-add-double-double,ivb,fragment,SIMD8,30,0
";

/// A result file of piglit, not compressed.
const PIGLIT_RESULTS: &str = r#"{"__type__":"TestrunResult","results_version":10,"name":"gpu",
"tests":{"spec@own@green":{"__type__":"TestResult","result":"pass","time":{"__type__":"TimeAttribute","start":0.0,"end":1.0}}}}"#;

/// Copies the tests of a suite whose paths begin with `prefix`.
fn copy_tests(sandbox: &Sandbox, suite: &str, prefix: &str) {
    let root = repository().join("tests").join(suite);
    let folder = root.join(prefix.rsplit_once('/').map_or("", |(folder, _)| folder));
    for entry in fs::read_dir(folder).expect("a folder of tests") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(&root).expect("a path below the suite").to_string_lossy();
        if path.is_file() && name.starts_with(prefix) {
            let text = fs::read(&path).expect("a test");
            sandbox.file(&format!("tests/{suite}/{name}"), text);
        }
    }
}

/// Executes a line in the sandbox; the output has standard error's lines in their places.
fn shell(sandbox: &Sandbox, line: &str) -> Ran {
    let binary = Path::new(env!("CARGO_BIN_EXE_runner"));
    let folder = binary.parent().expect("the folder of the binary");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("exec 2>&1; {line}")).current_dir(sandbox.root());
    command.env("PATH", path).env("P", sandbox.path("piglit")).stdin(Stdio::null());
    ran(&command.output().expect("a shell"))
}

/// Replaces times, and removes progress and the list of slow tests, which slow machines add.
fn mask(text: &str) -> String {
    let progress =
        Regex::new(r"(?m)^\[\d+/\d+\] .* tests/s(, about|; at work:) .*\n").expect("an expression");
    let slow = Regex::new(r"(?m)^(\n)?slowest:\n(    .*\n)*").expect("an expression");
    let times = Regex::new(r"\d+\.\d+ s, \d+ tests/s").expect("an expression");
    let text = slow.replace_all(text, "").into_owned();
    let text = progress.replace_all(&text, "").into_owned();
    // The summary follows an empty line where progress or slow tests were printed.
    times.replace_all(text.trim_matches('\n'), "T s, T tests/s").into_owned()
}

/// True if `line` is `pattern`, where `…` is any text.
fn line_matches(pattern: &str, line: &str) -> bool {
    let parts: Vec<String> = pattern.split('…').map(regex::escape).collect();
    Regex::new(&format!("^{}$", parts.join(".*"))).expect("an expression").is_match(line)
}

/// True if `lines` are the lines of a transcript, where a line `…` is any lines.
fn transcript_matches(transcript: &[&str], lines: &[&str]) -> bool {
    match transcript.split_first() {
        None => lines.is_empty(),
        Some((&"…", rest)) => (0..=lines.len()).any(|n| transcript_matches(rest, &lines[n..])),
        Some((pattern, rest)) => lines.split_first().is_some_and(|(line, others)| {
            line_matches(pattern, line) && transcript_matches(rest, others)
        }),
    }
}

/// Puts the number of test cases in the sandbox into the transcript of a run of the whole suite,
/// which must state the number of files in the repository.
fn in_sandbox(sandbox: &Sandbox, command: &str, transcript: String) -> String {
    if !command.starts_with("runner tests/fp64 --gen ivb") {
        return transcript;
    }
    let [all, here] =
        [repository().as_path(), sandbox.root()].map(|root| tests_below(&root.join("tests/fp64")));
    transcript
        .replace(&format!("[{all}/{all}] pass: {all}"), &format!("[{here}/{here}] pass: {here}"))
}

fn tests_below(folder: &Path) -> usize {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let count = |path: PathBuf| match path.is_dir() {
        true => tests_below(&path),
        false => usize::from(path.extension().is_some_and(|extension| extension == "shader_test")),
    };
    entries.map(count).sum()
}

/// Compares the commands of a transcript with what they print; returns the differences.
fn check_transcript(sandbox: &Sandbox, place: &str, block: &FencedBlock<'_>) -> Vec<String> {
    let mut errors = Vec::new();
    let is_command = |line: &&str| line.starts_with("$ ");
    for (i, line) in block.lines.iter().enumerate().filter(|(_, line)| is_command(line)) {
        let command = line[2..].replace("cargo run --release --", "runner");
        if !command.starts_with("runner ") {
            continue;
        }
        let expected = block.lines[i + 1..].iter().take_while(|line| !is_command(line));
        let expected = mask(&expected.copied().collect::<Vec<_>>().join("\n"));
        let expected = in_sandbox(sandbox, &command, expected);
        let printed = mask(&shell(sandbox, &command).out);
        let (whole, part) =
            (expected.lines().collect::<Vec<_>>(), printed.lines().collect::<Vec<_>>());
        if !transcript_matches(&whole, &part) {
            let line = block.first_line + i;
            errors.push(format!("{place}:{line}: {command}\nprints\n{printed}\n"));
        }
    }
    errors
}

/// Executes the commands of a listing; returns those that end with a usage error.
fn check_listing(sandbox: &Sandbox, place: &str, block: &FencedBlock<'_>) -> Vec<String> {
    let mut errors = Vec::new();
    for (i, line) in block.lines.iter().enumerate() {
        let is_readers_own = READERS_OWN.iter().any(|name| line.contains(name));
        if !line.starts_with("runner ") || is_readers_own {
            continue;
        }
        let fill = |line: String, (name, value): &(&str, &str)| line.replace(name, value);
        let command = PLACEHOLDERS.iter().fold(format!("{line} "), fill);
        let ran = shell(sandbox, &command);
        if ran.code == 2 || ran.out.contains("panicked") {
            errors.push(format!(
                "{place}:{}: {command}\nprints\n{}\n",
                block.first_line + i,
                ran.out
            ));
        }
    }
    errors
}

/// Checks the blocks of the documents that `is_selected` selects.
fn check_documents(is_selected: impl Fn(&str) -> bool) {
    let mut errors = Vec::new();
    let mut commands = 0;
    for path in documents() {
        let place = path.file_name().expect("a file").to_string_lossy().into_owned();
        if !is_selected(&place) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a document");
        let sandbox = sandbox();
        for block in blocks(&text) {
            commands += block.lines.iter().filter(|line| line.contains("runner ")).count();
            errors.extend(match block.language {
                "console" => check_transcript(&sandbox, &place, &block),
                "" => check_listing(&sandbox, &place, &block),
                _ => Vec::new(),
            });
        }
    }
    assert!(commands > 3, "{commands} commands: the documents or their blocks are not found");
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// Documents whose commands search for a failure take longest.
const SEARCHES: [&str; 3] = ["bisecting.md", "fuzzing.md", "reducing.md"];

#[test]
fn commands_of_searches_work_as_documented() {
    check_documents(|name| SEARCHES.contains(&name));
}

#[test]
fn other_commands_work_as_documented() {
    check_documents(|name| !SEARCHES.contains(&name));
}

#[test]
fn a_transcript_matches_its_own_output_only() {
    assert!(transcript_matches(&["a", "…", "c"], &["a", "b", "b", "c"]));
    assert!(transcript_matches(&["a … c"], &["a b c"]));
    assert!(!transcript_matches(&["a", "…", "c"], &["a", "b"]));
    assert!(!transcript_matches(&["a"], &["a", "b"]));
    let slow = "[0/9] ; 0 tests/s; at work: a 1 s\n\
                [2/9] pass: 2; 0.4 tests/s, about 5 s left\n\nslowest:\n    9 s a\n8.4 s, 1 tests/s\n";
    assert_eq!(mask(slow), "T s, T tests/s");
}
