//! Programs that are tests: entries of a profile of piglit. The programs are scripts of the shell.

#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{GREEN, Ran, Sandbox};

/// A piglit of programs: names and texts, and further options of their entries.
fn piglit(programs: &[(&str, &str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    let mut entries = String::new();
    for (name, text, options) in programs {
        let file = format!("p/bin/{name}");
        sandbox.file(&file, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(sandbox.path(&file), Permissions::from_mode(0o755)).expect("a file");
        entries += &format!(
            "<Test type=\"cl\" name=\"spec@{name}\"><option name=\"command\" \
             value=\"['{name}', 'one two']\"/>{options}</Test>\n"
        );
    }
    sandbox.file("p/tests/mine.xml", format!("<PiglitTestList>{entries}</PiglitTestList>"));
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.run(&[&["p/tests/mine.xml", "--gen", "gl", "--out", "out"], arguments].concat())
}

/// Status and reason of the result of a program.
fn result(sandbox: &Sandbox, name: &str) -> [String; 2] {
    let results = sandbox.results("out");
    let test = format!("programs/spec/{name}");
    let found = results[1..].iter().find(|result| result["test"] == test).expect("a result");
    ["status", "reason"].map(|key| found[key].as_str().unwrap_or_default().to_owned())
}

const PASS: &str = "echo 'PIGLIT: {\"result\": \"pass\" }'";

#[test]
fn results_of_programs() {
    let sandbox = piglit(&[
        ("pass", PASS, ""),
        ("fail", "echo no; echo why >&2; echo 'PIGLIT: {\"result\": \"fail\" }'; exit 1", ""),
        ("skip", "echo needs a thing; echo 'PIGLIT: {\"result\": \"skip\" }'", ""),
        ("silent", "exit 0", ""),
        ("crash", "kill -SEGV $$", ""),
        ("arguments", &format!("test \"$1\" = 'one two' -a $# = 1 && {PASS}"), ""),
        ("place", &format!("test -f tests/mine.xml -a -d \"$PIGLIT_SOURCE_DIR\" && {PASS}"), ""),
        (
            "environment",
            &format!("test \"$thing\" = 7 && {PASS}"),
            "<environment><env name=\"thing\" value=\"7\"/></environment>",
        ),
    ]);
    run(&sandbox, &[]).expect(1, &["skip: 1, pass: 4, fail: 2, crash: 1"]);
    for (name, status, reason) in [
        ("fail", "fail", "exit code 1\n  no\non standard error:\n  why"),
        ("skip", "skip", "needs a thing"),
        ("silent", "fail", "exit code 0, without a result"),
        ("crash", "crash", "signal 11 (SIGSEGV)"),
    ] {
        assert_eq!(result(&sandbox, name), [status, reason], "{name}");
    }
}

/// A program costs its own test case alone.
#[test]
fn bad_programs() {
    let sandbox = piglit(&[
        ("a-hang", "echo begun; sleep 1000", ""),
        ("b-forks", &format!("(sleep 1000; echo late) & {PASS}"), ""),
        ("c-leaves", &format!("setsid sleep 8 & {PASS}"), ""),
        ("d-prints", &format!("head -c 100000000 /dev/zero | tr '\\0' x; echo; {PASS}"), ""),
        ("e-rubbish", &format!("echo 'PIGLIT: {{\"result\": '; printf '\\377\\n\\0'; {PASS}"), ""),
        ("f-closes", &format!("{PASS}; exec >&- 2>&- <&-; sleep 0.2"), ""),
        ("g-long", "printf 'PIGLIT: '; head -c 100000000 /dev/zero; exit 0", ""),
        ("h-abort", "echo 'PIGLIT: {\"subtest\": {\"x\": \"pass\"}}'; kill -ABRT $$", ""),
        ("i-last", PASS, ""),
    ]);
    let start = Instant::now();
    run(&sandbox, &["--timeout", "2", "-j", "2"])
        .expect(1, &["pass: 5, fail: 2, crash: 1, timeout: 1"]);
    // The time of the slow machines of a CI is in it.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let [status, reason] = result(&sandbox, "a-hang");
    assert_eq!(status, "timeout");
    assert!(reason.contains("not finished after") && reason.ends_with("  begun"), "{reason}");
    for name in ["b-forks", "c-leaves", "d-prints", "f-closes", "i-last"] {
        assert_eq!(result(&sandbox, name)[0], "pass", "{name}");
    }
    for name in ["e-rubbish", "g-long"] {
        let [status, reason] = result(&sandbox, name);
        assert_eq!(status, "fail", "{name}");
        assert!(reason.contains("a line that says nothing"), "{name}: {reason}");
    }
    assert_eq!(result(&sandbox, "h-abort"), ["crash", "signal 6 (SIGABRT)"]);
}

#[test]
fn a_program_ends_with_the_run() {
    let sandbox = piglit(&[("hang", "echo $$ >pid; sleep 1000", "")]);
    let mut runner = sandbox
        .command(&["p/tests/mine.xml", "--gen", "gl", "--out", "out"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the runner starts");
    let file = sandbox.path("p/pid");
    let until = |what: &str, done: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let pid = || fs::read_to_string(&file).ok()?.trim().parse::<i32>().ok();
    until("the program starts", &|| pid().is_some());
    runner.kill().expect("the runner runs");
    runner.wait().expect("the runner ends");
    let process = format!("/proc/{}", pid().expect("a number"));
    if cfg!(target_os = "linux") {
        until("the program ends", &|| !fs::exists(&process).unwrap_or(false));
    }
}

#[test]
fn subtests() {
    let lines = "echo 'PIGLIT: {\"enumerate subtests\": [\"A\", \"b\", \"c\"]}'\n\
        echo 'PIGLIT: {\"subtest\": {\"a\": \"pass\"}}'\n\
        echo 'PIGLIT: {\"subtest\": {\"b\": \"fail\"}}'\n\
        echo 'PIGLIT: {\"result\": \"pass\"}'";
    let sandbox = piglit(&[("parts", lines, "")]);
    run(&sandbox, &[]).expect(1, &["fail: 1", "1 of 2 subtests:", "b: fail"]);
    let parts =
        serde_json::json!([{"name": "a", "status": "pass"}, {"name": "b", "status": "fail"}]);
    assert_eq!(sandbox.results("out")[1]["subtests"], parts);
    let junit = fs::read_to_string(sandbox.path("out/junit.xml")).expect("a report");
    assert!(junit.contains("b: fail"), "{junit}");
    sandbox.run(&["report", "out", "--out", "html"]).expect(0, &[]);
    let pages = fs::read_dir(sandbox.path("html/pages")).expect("pages");
    let pages = pages.map(|page| fs::read_to_string(page.expect("a page").path()));
    let page = pages.filter_map(Result::ok).find(|page| page.contains("<h2>Subtests</h2>"));
    let page = page.expect("a page with subtests");
    assert!(page.contains("<td>a</td><td><span class=\"badge pass\">"), "{page}");
    assert!(page.contains("<td>b</td><td><span class=\"badge fail\">"), "{page}");
    assert!(page.contains("<h2>Output</h2>") && !page.contains("Nothing was drawn"), "{page}");
}

#[test]
fn bundles_have_output_and_images() {
    let image = "printf '\\211PNG\\r\\n\\032\\n' >$PWD/drawn.png\n\
        echo words; echo noise >&2\n\
        echo 'PIGLIT: {\"result\": \"fail\", \"images\": [{\"image_desc\": \"frame\", \
        \"image_ref\": \"none.png\", \"image_render\": \"drawn.png\"}]}'; exit 1";
    let sandbox = piglit(&[("draws", image, "")]);
    run(&sandbox, &[]).expect(1, &[]);
    let bundle = sandbox.path("out/failures/programs/spec/draws/@gl");
    let read = |name: &str| fs::read(bundle.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(read("stdout.log"), b"words\n");
    assert_eq!(read("stderr.log"), b"noise\n");
    assert!(read("driver.png").starts_with(b"\x89PNG"));
    let script = String::from_utf8(read("script.shader_test")).expect("text");
    assert!(script.contains("/bin/draws 'one two'\n") && script.starts_with("cd "), "{script}");
    sandbox.run(&["report", "out", "--out", "html"]).expect(0, &[]);
}

#[test]
fn runs_of_programs_are_like_others() {
    let flip = "if test -f seen; then echo 'PIGLIT: {\"result\": \"pass\"}'; \
        else touch seen; exit 1; fi";
    let sandbox = piglit(&[("a", PASS, ""), ("b", "exit 1", ""), ("c", flip, "")]);
    // Expectations, in either form of names.
    sandbox.file("known.csv", "spec@b,Fail\nprograms/spec/c,Fail\n");
    run(&sandbox, &["--baseline", "known.csv"]).expect(0, &["expected: 3"]);
    sandbox.run(&["rerun", "out", "--out", "again"]).expect(0, &["nothing to run again"]);
    // Shards.
    for shard in ["1/2", "2/2"] {
        let out = &shard[..1];
        let arguments = ["p/tests/mine.xml", "--gen", "gl", "--shard", shard, "--out", out];
        sandbox.run(&arguments);
    }
    sandbox.run(&["merge", "1", "2", "--out", "whole"]).expect(1, &["[3/3] pass: 2, fail: 1"]);
    // The command of a failure runs it alone.
    let ran = run(&sandbox, &[]);
    ran.expect(1, &["runner p/tests/mine.xml --gen gl -t '^programs/spec/b$'"]);
    let again = ["p/tests/mine.xml", "--gen", "gl", "-t", "^programs/spec/b$", "--out", "one"];
    sandbox.run(&again).expect(1, &["[1/1] fail: 1"]);
    // A run that was cut short goes on.
    let file = sandbox.path("out/results.jsonl");
    let text = fs::read_to_string(&file).expect("results");
    let cut: String = text.split_inclusive('\n').take(2).collect();
    fs::write(&file, cut).expect("results");
    sandbox.run(&["resume", "out"]).expect(1, &["[3/3] pass: 2, fail: 1"]);
    sandbox.run(&["diff", "whole", "out"]).expect(0, &[]);
    let history = sandbox.run(&["history", "programs/spec/b"]);
    history.expect(0, &["programs/spec/b"]);
}

/// Of the programs that must run alone, one runs at a time.
#[test]
fn programs_that_run_alone() {
    let text = format!("mkdir lock || exit 1; sleep 0.2; rmdir lock; {PASS}");
    let serial = "<option name=\"run_concurrent\" value=\"False\"/>";
    let names = ["a", "b", "c", "d"];
    let sandbox = piglit(&names.map(|name| (name, &*text, serial)));
    run(&sandbox, &["-j", "4"]).expect(0, &["pass: 4"]);
}

#[test]
fn profiles_list_files_and_unknown_classes() {
    let sandbox = piglit(&[("a", PASS, "")]);
    let text = "<PiglitTestList>\
        <Test type=\"shader\" name=\"spec@s\"><option name=\"command\" \
        value=\"['shader_runner', 'tests/spec/s.shader_test']\"/></Test>\
        <Test type=\"xts\" name=\"x\"/>\
        <Test type=\"gl\" name=\"g\"><option name=\"command\" value=\"['g']\"/>\
        <option name=\"require_platforms\" value=\"['glx']\"/></Test>\
        <Test type=\"gl\" name=\"none\"><option name=\"command\" value=\"['none']\"/></Test>\
        </PiglitTestList>";
    sandbox.file("p/tests/other.xml", text);
    sandbox.file("p/tests/spec/s.shader_test", GREEN);
    fs::create_dir(sandbox.path("p/generated_tests")).expect("a folder");
    let both = "<PiglitMetaProfile><Profile>mine</Profile><Profile>other</Profile>\
        </PiglitMetaProfile>";
    sandbox.file("p/tests/both.meta.xml", both);
    let names = "g\nnone\nspec@a\nspec@s\nx\n";
    let listed = sandbox.run(&["list", "p/tests/both.meta.xml", "--piglit-names"]);
    listed.expect(0, &[]);
    let mut lines: Vec<&str> = listed.out.split_inclusive('\n').collect();
    lines.sort_unstable();
    assert_eq!(lines.concat(), names);
    // Folders do not give the profiles in them.
    sandbox.run(&["list", "p"]).expect(0, &["tests/spec/s\n"]);
    let run = sandbox.run(&["p/tests/both.meta.xml", "--gen", "ivb", "--out", "out"]);
    run.expect(0, &["skip: 4, pass: 1"]);
    let run =
        sandbox.run(&["p/tests/both.meta.xml", "--gen", "gl", "-x", "spec@s", "--out", "out"]);
    run.expect(0, &["skip: 3, pass: 1"]);
    let results = sandbox.results("out");
    let reasons: Vec<&str> =
        results[1..].iter().filter_map(|result| result["reason"].as_str()).collect();
    assert_eq!(reasons[0], "needs the platform glx, has surfaceless_egl");
    assert!(reasons[1].starts_with("no program /") && reasons[1].ends_with("/bin/none"));
    assert_eq!(reasons[2], "tests of the class `xts` are not supported");
}

#[test]
fn the_command_takes_names_of_profiles() {
    let sandbox = piglit(&[("a", PASS, "")]);
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        let output = command.env("PIGLIT_BUILD_DIR", sandbox.path("p")).output();
        crate::support::ran(&output.expect("the runner starts"))
    };
    run(&["piglit", "mine", "--gen", "gl", "--out", "out"]).expect(0, &["[1/1] pass: 1"]);
    run(&["piglit", "p/tests/mine.xml", "--gen", "gl"]).expect(0, &["[1/1] pass: 1"]);
    sandbox.run(&["rerun", "out"]).expect(0, &["nothing to run again"]);
    fs::write(sandbox.path("p/tests/deqp_x.py"), "profile = 3\n").expect("a file");
    run(&["piglit", "deqp_x"]).expect(2, &["deqp_x.py: a profile in Python"]);
    run(&["piglit", "mime"]).expect(2, &["no profile is called `mime`; did you mean `mine`?"]);
    sandbox.file("p/tests/broken.xml", "<PiglitTestList>\n<Test name=\"a\"/></PiglitTestList>");
    let message = "p/tests/mine.xml: not a test: it is a list of tests";
    run(&["show", "p/tests/mine.xml", "--gen", "skl", "ir"]).expect(2, &[message]);
    run(&["reduce", "p/tests/mine.xml", "--gen", "skl"]).expect(2, &[message]);
    let message = "broken.xml: line 2: `<Test>` has no attribute `type`";
    run(&["piglit", "broken"]).expect(2, &[message]);
}
