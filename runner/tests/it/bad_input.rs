//! Bad input: every kind gives a clear error and the right exit code, and never stops a run.

use std::fs;

use crate::support::{GREEN, Sandbox};

/// Runs one bad file beside a good one, on the interpreter; the good one must pass.
#[track_caller]
fn beside_a_good_one(contents: impl AsRef<[u8]>, texts: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.file("suite/bad.shader_test", contents).file("suite/good.shader_test", GREEN);
    let ran = sandbox.run(&["suite", "--reference-only"]);
    ran.expect(1, texts);
    ran.expect(1, &["[reference] suite/bad script: "]);
    assert_eq!(ran.summary(), "[2/2] pass: 1, fail: 1; expected: 1, unexpected: 1");
    assert!(ran.out.len() < 8192, "the report stays short: {} bytes", ran.out.len());
}

#[test]
fn missing_path() {
    Sandbox::new().run(&["nowhere"]).expect(2, &["error: nowhere: No such file or directory"]);
}

#[test]
fn directory_without_tests() {
    let sandbox = Sandbox::new();
    sandbox.file("empty/readme.txt", "nothing here");
    sandbox.run(&["empty"]).expect(3, &["error: no tests are selected"]);
    assert!(!sandbox.path("results").exists(), "no results folder without a run");
}

#[test]
fn nothing_left_by_the_filters() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox.run(&["suite", "-t", "zzz"]).expect(3, &["no tests are selected"]);
    sandbox.run(&["suite", "-t", "("]).expect(2, &["`(` is not a regular expression"]);
}

#[cfg(unix)]
#[test]
fn unreadable_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new();
    sandbox.file("suite/good.shader_test", GREEN);
    symlink("nowhere", sandbox.path("suite/bad.shader_test")).expect("a link");
    let ran = sandbox.run(&["suite", "--reference-only"]);
    ran.expect(1, &["[reference] suite/bad script: cannot read the file: No such file"]);
    assert_eq!(ran.summary(), "[2/2] pass: 1, fail: 1; expected: 1, unexpected: 1");
    // Named on the command line it is an error of usage.
    sandbox
        .run(&["suite/bad.shader_test"])
        .expect(2, &["error: suite/bad.shader_test: No such file"]);

    sandbox.file("locked/a.shader_test", GREEN);
    let path = sandbox.path("locked/a.shader_test");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("permissions");
    if fs::File::open(&path).is_err() {
        sandbox
            .run(&["locked", "--reference-only"])
            .expect(1, &["cannot read the file: Permission denied"]);
        sandbox.run(&["locked/a.shader_test"]).expect(2, &["Permission denied"]);
    }

    // A folder that cannot be read would hide its tests.
    sandbox.file("suites/locked/a.shader_test", GREEN).file("suites/b.shader_test", GREEN);
    let path = sandbox.path("suites/locked");
    let mode = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    mode(0o000);
    if fs::read_dir(&path).is_err() {
        sandbox.run(&["suites"]).expect(2, &["error: suites/locked: Permission denied"]);
    }
    mode(0o700);
}

#[test]
fn invalid_utf8() {
    let mut bytes = GREEN.as_bytes().to_vec();
    bytes.extend(b"# \xff\xfe\nclear \xe9\n");
    beside_a_good_one(bytes, &["line 14, column 7: invalid UTF-8: byte 0xE9"]);
}

/// GREEN with a comment in Latin-1 in every section.
fn latin() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut mark = "#";
    for line in GREEN.split_inclusive('\n') {
        if line.starts_with('[') {
            mark = if line.contains("fragment") { "//" } else { "#" };
        }
        bytes.extend([line.as_bytes(), mark.as_bytes(), b" caf\xe9\n"].concat());
    }
    bytes
}

#[test]
fn comments_in_latin_1() {
    let sandbox = Sandbox::new();
    sandbox.file("s/latin.shader_test", latin()).file("names", b"# caf\xe9\ns/latin # \xe9\n");
    let ran = sandbox.run(&["s", "--gen", "bdw", "--test-list", "names"]);
    ran.expect(0, &[]);
    assert_eq!(ran.summary(), "[1/1] pass: 1");
    sandbox
        .run(&["show", "s/latin.shader_test", "glsl", "--gen", "bdw"])
        .expect(0, &["// caf\u{fffd}"]);
    let red = String::from_utf8_lossy(&latin()).replace("probe all rgba 0 1", "probe all rgba 1 1");
    let red: Vec<u8> = red.chars().map(|c| if c == '\u{fffd}' { 0xe9 } else { c as u8 }).collect();
    sandbox.file("r/red.shader_test", red);
    sandbox.run(&["r", "--gen", "bdw", "--out", "out"]).expect(1, &["probe"]);
    sandbox.run(&["report", "out", "--out", "html"]).expect(0, &[]);
    sandbox.run(&["reduce", "r/red.shader_test", "--gen", "bdw"]).expect(0, &["probe all rgba"]);
    sandbox.file("names", b"s/latin\ncaf\xe9\n");
    sandbox.run(&["s", "--test-list", "names"]).expect(2, &["names:2:4: invalid UTF-8: byte 0xE9"]);
}

#[test]
fn bytes_in_shaders_that_are_no_text() {
    let text = GREEN.replace("uniform vec4 c;\n", "uniform vec4 c; @\n");
    let bytes: Vec<u8> = text.bytes().map(|b| if b == b'@' { 0xe9 } else { b }).collect();
    let sandbox = Sandbox::new();
    sandbox.file("s/bad.shader_test", bytes);
    sandbox
        .run(&["s", "--reference-only"])
        .expect(1, &["frontend: ", "line 5, column 17: ", "byte 0xE9 is not UTF-8"]);
}

#[test]
fn nul_byte() {
    beside_a_good_one(GREEN.replace("clear color", "clear\0color"), &["NUL byte"]);
}

#[test]
fn truncated_files() {
    // Cut in a header: the section is unknown.
    let cut = GREEN.find("[fragment sh").expect("a section") + "[fragment sh".len();
    beside_a_good_one(&GREEN[..cut], &["line 4, column 1: "]);
    // Cut in `[require]`.
    beside_a_good_one("[require]\nGLSL >= 1.", &["line 2, column 1: "]);
    beside_a_good_one("", &["[require] section missing"]);
}

#[test]
fn a_file_cut_inside_a_shader_fails_in_the_front_end() {
    let sandbox = Sandbox::new();
    let cut = GREEN.find("gl_FragColor").expect("a shader");
    sandbox.file("suite/cut.shader_test", &GREEN[..cut]);
    let ran = sandbox.run(&["suite", "--reference-only"]);
    ran.expect(1, &["[reference] suite/cut frontend: Failed to compile FS: line "]);
}

#[test]
fn unknown_command() {
    let text = GREEN.replace("clear color", "paint color");
    beside_a_good_one(text, &["line 8, column 1: unknown command", "fail"]);
}

#[test]
fn unknown_section() {
    beside_a_good_one(
        GREEN.replace("[fragment shader]", "[pixel shader]"),
        &["line 4, column 1: "],
    );
}

#[test]
fn number_out_of_range() {
    let text = GREEN.replace("draw rect -1 -1 2 2", "ssbo 99 4");
    beside_a_good_one(text, &["line 11, column "]);
    let text = GREEN.replace("GLSL >= 1.10", "GLSL >= 1.10\nSIZE 0 70000");
    beside_a_good_one(text, &["line 3, column 1: SIZE takes two numbers"]);
}

#[test]
fn a_line_of_ten_megabytes() {
    let mut text = GREEN.to_owned();
    text += "nonsense ";
    text.extend(std::iter::repeat_n('x', 10 << 20));
    text.push('\n');
    beside_a_good_one(text, &["line 13, column 1: unknown command"]);
    // A long comment is none.
    let sandbox = Sandbox::new();
    sandbox.file("suite/long.shader_test", format!("{GREEN}# {}\n", "x".repeat(10 << 20)));
    sandbox.run(&["suite", "--reference-only"]).expect(0, &["[1/1] pass: 1"]);
}

#[test]
fn the_source_is_shown_in_the_results() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/bad.shader_test", GREEN.replace("clear color", "paint color"));
    sandbox.run(&["suite", "--reference-only", "--out", "out"]);
    let results = sandbox.results("out");
    let reason = results[1]["reason"].as_str().expect("a reason");
    assert!(reason.contains("suite/bad.shader_test:8:1"), "{reason}");
    assert!(reason.contains("paint color 0 0 0 0") && reason.contains("^^^^"), "{reason}");
}

#[test]
fn unknown_generation() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox
        .run(&["suite", "--gen", "gen7"])
        .expect(2, &["unknown generation `gen7` (known: ivb, hsw, bdw, chv, skl, si, vi, intel"]);
}

#[test]
fn unknown_options() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox.run(&["suite", "--frobnicate"]).expect(2, &["--frobnicate"]);
    sandbox
        .run(&["suite", "--disable-quirk", "none"])
        .expect(2, &["unknown quirk `none` (known: ivb-"]);
    sandbox
        .run(&["suite", "--binaries", "nowhere"])
        .expect(2, &["nowhere: no such folder of binaries"]);
    sandbox.run(&["suite", "-j", "many"]).expect(2, &["many"]);
    sandbox.run(&[]).expect(2, &["Usage: runner"]);
}

#[test]
fn results_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("results", "a file in the way");
    sandbox.run(&["suite", "--reference-only"]).expect(2, &["error: cannot write results"]);
    sandbox
        .run(&["suite", "--reference-only", "--out", "results"])
        .expect(2, &["error: cannot write results"]);
}

#[test]
fn two_files_with_one_name() {
    let sandbox = Sandbox::new();
    sandbox.file("a/tests/same.shader_test", GREEN).file("b/tests/same.shader_test", GREEN);
    sandbox.run(&["a", "b"]).expect(2, &["two files are called `same`"]);
}

#[test]
fn corrupted_metadata() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    for (number, meta) in
        ["", "{", "[]", "{\"format\":99}", "{\"format\":1,\"generation\":\"ivb\"}", "\u{0}"]
            .iter()
            .enumerate()
    {
        let folder = format!("bin{number}");
        sandbox.file(&format!("{folder}/vertex/meta.json"), meta);
        let ran = sandbox.run(&["suite", "--gen", "ivb", "--binaries", &folder]);
        ran.expect(1, &["[ivb] suite/a ", "vertex/meta.json: ", "[1/1] fail: 1"]);
    }
}

#[test]
fn corrupted_instruction_bytes() {
    let sandbox = Sandbox::new();
    sandbox.file("odd", [0u8; 15]).file("text.eu", "mov(8) g1<1>F g2<8,8,1>X { align1 1Q };\n");
    sandbox.run(&["disasm", "--gen", "ivb", "odd"]).expect(2, &["error: odd: "]);
    sandbox.run(&["asm", "--gen", "ivb", "text.eu"]).expect(2, &["error: text.eu: "]);
    sandbox.run(&["asm", "--gen", "ivb", "nowhere"]).expect(2, &["error: nowhere: No such file"]);
}

#[test]
fn deeply_nested_source_is_an_error() {
    let sandbox = Sandbox::new();
    let nested = format!("gl_FragColor = {}c{};", "(".repeat(200_000), ")".repeat(200_000));
    sandbox.file("suite/deep.shader_test", GREEN.replace("gl_FragColor = c;", &nested));
    let ran = sandbox.run(&["suite", "--reference-only"]);
    ran.expect(1, &["[reference] suite/deep frontend: "]);
}
