//! `runner diff` and `runner summary` from outside.

use crate::support::{GREEN, Sandbox, red};

#[test]
fn what_changed_between_two_runs() {
    let sandbox = Sandbox::new();
    sandbox
        .file("suite/a.shader_test", GREEN)
        .file("suite/b.shader_test", red())
        .file("suite/d.shader_test", GREEN);
    let run = |out: &str| sandbox.run(&["suite", "--gen", "ivb", "--out", out]).code;
    assert_eq!(run("old"), 1);
    sandbox
        .run(&["diff", "old", "old"])
        .expect(0, &["3 -> 3 results, 3 the same\n", "same binary: "]);
    sandbox
        .file("suite/a.shader_test", red())
        .file("suite/b.shader_test", GREEN)
        .file("suite/c.shader_test", red());
    std::fs::remove_file(sandbox.path("suite/d.shader_test")).unwrap();
    assert_eq!(run("new"), 1);
    let diff = sandbox.run(&["diff", "old", "new/results.jsonl"]);
    diff.expect(
        1,
        &["  suite/a [ivb]: pass -> fail  probe: line 12", "  suite/d [ivb]: pass -> missing\n"],
    );
    assert_eq!(
        diff.summary(),
        "3 -> 3 results, 0 the same, regressions: 2, new tests that fail: 1, fixes: 1"
    );
    sandbox
        .run(&["diff", "old", "new", "--format", "markdown"])
        .expect(1, &["| suite/a | ivb | pass | fail | probe"]);
    let json = sandbox.run(&["diff", "old", "new", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((json.code, &value["changes"][0]["test"]), (1, &"suite/a".into()));
    let summary = sandbox.run(&["summary", "old", "new", "old"]);
    summary
        .expect(0, &["suite/a [ivb]: pass fail pass\n", "suite/c [ivb]: missing fail missing\n"]);
    assert_eq!(summary.summary(), "total           3        3        3");
    sandbox.run(&["diff", "old", "nowhere"]).expect(2, &["cannot read nowhere"]);
}

/// Turning an optimization off hurts, and the comparison says how much.
#[test]
fn what_became_of_the_code() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox.run(&["suite", "--gen", "ivb", "--out", "old"]).expect(0, &[]);
    sandbox.run(&["suite", "--gen", "ivb", "--out", "narrow", "--width", "SIMD8"]).expect(0, &[]);
    sandbox
        .run(&["diff", "old", "narrow"])
        .expect(0, &["LOST: 1\n  LOST: suite/a [ivb] fragment SIMD16"]);
    sandbox.run(&["diff", "narrow", "old"]).expect(0, &["GAINED: 1\n"]);
    sandbox.run(&["suite", "--gen", "ivb", "--out", "plain", "--pass-limit", "0"]).expect(0, &[]);
    sandbox.run(&["diff", "plain", "old"]).expect(0, &["same binary: "]);
}

/// A run of one shader on one generation, with given numbers.
fn coded_run(sandbox: &Sandbox, folder: &str, shaders: &[(&str, &str, &str, [u32; 2])]) {
    let mut text =
        "{\"format\":1,\"version\":\"0\",\"gens\":[\"ivb\"],\"options\":{},\"revision\":null}\n"
            .to_owned();
    for (test, stage, width, [instructions, spills]) in shaders {
        text += &format!(
            "{{\"test\":\"{test}\",\"gen\":\"ivb\",\"variant\":\"\",\"status\":\"pass\",\"layer\":null,\
             \"reason\":null,\"outcome\":\"expected\",\"duration_us\":1,\"stages\":[{{\"stage\":\"{stage}\",\
             \"width\":\"{width}\",\"instructions\":{instructions},\"loops\":0,\"cycles\":{},\
             \"spills\":{spills},\"fills\":0,\"sends\":1,\"registers\":9,\"sha\":\"{instructions}\"}}],\
             \"subtests\":[]}}\n",
            instructions * 2
        );
    }
    sandbox.file(&format!("{folder}/results.jsonl"), text);
}

/// Two runs of four shaders, of which `new` does not have the last.
fn coded_runs() -> Sandbox {
    let sandbox = Sandbox::new();
    let old = [
        ("a", "fragment", "SIMD8", [100, 0]),
        ("b", "fragment", "SIMD8", [100, 0]),
        ("c", "vertex", "vec4", [50, 1]),
        ("d", "vertex", "vec4", [5, 0]),
    ];
    let new = [
        ("a", "fragment", "SIMD8", [103, 0]),
        ("b", "fragment", "SIMD8", [99, 0]),
        ("c", "vertex", "vec4", [40, 1]),
    ];
    coded_run(&sandbox, "old", &old);
    coded_run(&sandbox, "new", &new);
    sandbox
}

/// Selected numbers, and the exit code when they grow.
#[test]
fn selected_code() {
    let sandbox = coded_runs();
    let diff = |more: &[&str]| sandbox.run(&[&["diff", "old", "new"], more].concat());
    // A result is missing: exit code 1 in any case. Without it:
    sandbox
        .run(&["diff", "new", "old"])
        .expect(0, &["total instructions in shared shaders: 242 -> 250"]);
    let back = |more: &[&str]| sandbox.run(&[&["diff", "new", "old"], more].concat());
    back(&["--fail-above", "3.4"]).expect(0, &[]);
    back(&["--fail-above", "3.3"])
        .expect(1, &["instructions grew by more than 3.3%: 242 -> 250 (+3.31%)", "cycles grew"]);
    back(&["--fail-above", "0", "--stage", "fragment"]).expect(0, &[]);
    back(&["--fail-above", "-1", "--stage", "fragment"])
        .expect(1, &["instructions grew by more than -1%: 202 -> 200 (-0.99%)"]);
    let ran = back(&["--fail-above", "0", "--metric", "instructions,spills"]);
    ran.expect(1, &["instructions grew", "  ivb vertex vec4, 1 shaders: 40 -> 50 (+25.00%)\n"]);
    assert!(!ran.out.contains("cycles") && !ran.err.contains("cycles"), "{ran:#?}");
    let ran = diff(&["--metric", "instructions", "--limit", "1"]);
    ran.expect(1, &["helped: 2\nHURT: 1\n", "  helped: c [ivb] vertex vec4: 50 -> 40"]);
    assert!(!ran.out.contains("helped: b [ivb]"), "{ran:#?}");
    assert_eq!(
        diff(&["--metric", "instructions", "--csv"]).out,
        "metric,test,gen,stage,width,old,new\ninstructions,c,ivb,vertex,vec4,50,40\n\
         instructions,a,ivb,fragment,SIMD8,100,103\ninstructions,b,ivb,fragment,SIMD8,100,99\n"
    );
    // The keys of JSON stay, with the totals of groups added.
    let json = diff(&["--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let metrics = value["code"]["metrics"].as_array().expect("metrics");
    assert_eq!(metrics.len(), 7);
    assert_eq!(metrics[0]["groups"][0]["new"], 40);
    assert_eq!(metrics[0]["hurt"][0]["shader"], "a [ivb] fragment SIMD8");
    for (bad, message) in [
        (&["--metric", "size"][..], "size"),
        (&["--stage", "pixel"], "pixel"),
        (&["--fail-above", "much"], "no number"),
        (&["--fail-above", "inf"], "not finite"),
        (&["--csv", "--format", "json"], "cannot be used with"),
    ] {
        diff(bad).expect(2, &[message]);
    }
}

#[test]
fn totals_of_code() {
    let sandbox = coded_runs();
    let summary = |more: &[&str]| sandbox.run(&[&["summary"], more].concat());
    let ran = summary(&["old", "--code"]);
    ran.expect(
        0,
        &[
            "gen    stage     width  shaders  instructions  loops  cycles  executed  spills  fills  sends  registers\n",
            "ivb    vertex    vec4         2            55      0     110         0       1      0      2         18\n",
            "ivb    fragment  SIMD8        2           200      0     400         0       0      0      2         18\n",
            "total                         4           255      0     510         0       1      0      4         36\n",
        ],
    );
    let ran = summary(&["old", "new", "--metric", "instructions", "--limit", "1"]);
    ran.expect(
        0,
        &[
            "gen    stage     width  shaders  old  new   change\n",
            "ivb    vertex    vec4         1   50   40  -20.00%\n",
            "ivb    fragment  SIMD8        2  200  202   +1.00%\n",
            "total                         3  250  242   -3.20%\n",
            "most instructions\n      103  a [ivb] fragment SIMD8\n",
            "1 shaders are not in every run\n",
        ],
    );
    let csv = "metric,gen,stage,width,shaders,old,new\ninstructions,ivb,vertex,vec4,1,50,40\n\
               spills,ivb,vertex,vec4,1,1,1\n";
    let line = ["old", "new", "--metric", "instructions,spills", "--stage", "VS", "--csv"];
    assert_eq!(summary(&line).out, csv);
    summary(&["old", "--stage", "compute"]).expect(3, &["no such code"]);
    summary(&["old", "--csv"]).expect(2, &["--code"]);
    summary(&["old", "--code", "--all"]).expect(2, &["cannot be used with"]);
}

#[test]
fn hostile_results() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).run(&["suite", "--reference-only", "--out", "good"]);
    for (text, message) in [
        (&b""[..], "no header"),
        (&b"\x00\xff\xfe\n"[..], "not the header of a run"),
        (&b"{\"format\":99}\n"[..], "format 99 is newer"),
    ] {
        sandbox.file("bad/results.jsonl", text);
        sandbox.run(&["diff", "good", "bad"]).expect(2, &[message]);
        sandbox.run(&["summary", "good", "bad"]).expect(2, &[message]);
        sandbox.run(&["merge", "bad"]).expect(2, &[message]);
    }
}

#[test]
fn results_of_other_runners() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("suite/b.shader_test", red());
    sandbox.run(&["suite", "--gen", "ivb", "--out", "ours"]).expect(1, &[]);
    // Files written for deqp-runner can be imported.
    let import = ["import", "ours/results.ivb.csv", "--gen", "ivb", "--out", "again"];
    sandbox.run(&import).expect(0, &["[2/2] pass: 1, fail: 1"]);
    sandbox.run(&["diff", "again", "ours"]).expect(0, &["2 -> 2 results, 2 the same"]);
    sandbox.run(&["suite", "--gen", "ivb", "--baseline", "ours/results.ivb.csv"]).expect(0, &[]);
    // A GPU's run in piglit's words: what passes there and fails here is a regression.
    sandbox.file("piglit.json", r#"{"tests": {"a": {"result": "pass"}, "b": {"result": "pass"}}}"#);
    let import = ["import", "piglit.json", "--gen", "ivb", "--tests", "suite", "--out", "gpu"];
    sandbox.run(&import).expect(0, &["[2/2] pass: 2"]);
    sandbox.run(&["diff", "gpu", "ours"]).expect(1, &["suite/b [ivb]: pass -> fail"]);
    sandbox.file("bad.csv", "nonsense\n");
    sandbox
        .run(&["import", "bad.csv", "--gen", "ivb"])
        .expect(2, &["bad.csv: line 1: not name,Status,seconds"]);
}

/// Malformed lines: each is an error that names file and line, or is reported and left out.
#[test]
fn hostile_rows() {
    let sandbox = Sandbox::new();
    let header =
        "{\"format\":1,\"version\":\"0\",\"gens\":[\"ivb\"],\"options\":{},\"revision\":null}\n";
    let result = |test: &str, status: &str| {
        format!(
            "{{\"test\":{test},\"gen\":\"ivb\",\"variant\":\"\",\"status\":\"{status}\",\"layer\":null,\"reason\":null,\
             \"outcome\":\"expected\",\"duration_us\":1,\"stages\":[],\"subtests\":[]}}\n"
        )
    };
    let good = result("\"a\"", "pass");
    sandbox.file("good/results.jsonl", format!("{header}{good}"));
    let cases: [(Vec<u8>, &str); 8] = [
        ([header.as_bytes(), b"\"caf\xe9\"\n"].concat(), ":2: not a result"),
        ([header, &good, &result("\"\u{e9}", "pass")].concat().into_bytes(), ":3: not a result"),
        (
            [header, &good, &result("\"a\"", "fail")].concat().into_bytes(),
            ":3: a second, different result of a [ivb]",
        ),
        ([header, &result("\"a\"", "sunny")].concat().into_bytes(), ":2: not a result"),
        ([header, &good.replace(":1,", ":-1,")].concat().into_bytes(), ":2: not a result"),
        (
            [header, &good.replace(":1,", ":99999999999999999999,")].concat().into_bytes(),
            ":2: not a result",
        ),
        ([header, &"[".repeat(200_000), "\n"].concat().into_bytes(), ":2: not a result"),
        (good.clone().into_bytes(), ":1: not the header of a run"),
    ];
    for (text, message) in cases {
        sandbox.file("bad/results.jsonl", &text);
        let message = format!("bad/results.jsonl{message}");
        for command in
            [&["diff", "good", "bad"][..], &["summary", "bad"], &["report", "bad", "--out", "html"]]
        {
            sandbox.run(command).expect(2, &[&message]);
        }
        sandbox.run(&["history", "--import", "bad"]).expect(2, &[&message]);
    }
    // Cut short or repeated: told, and the rest is used.
    let cut = [header, &good, &result("\"b\"", "pass")[..40]].concat();
    sandbox.file("bad/results.jsonl", cut);
    sandbox
        .run(&["diff", "good", "bad"])
        .expect(0, &["was cut short and left out", "1 -> 1 results, 1 the same"]);
    sandbox.file("bad/results.jsonl", [header, &good, &good].concat());
    sandbox.run(&["diff", "good", "bad"]).expect(0, &["1 -> 1 results, 1 the same"]);
    // Names are escaped.
    let name = "\"../../<b>&\\\"'|`*\\u001b[2J\\n\\u202e\"";
    sandbox.file("bad/results.jsonl", [header, &result(name, "fail")].concat());
    for command in [&["diff", "good", "bad"][..], &["diff", "good", "bad", "--format", "markdown"]]
    {
        let out = sandbox.run(command).out;
        assert!(!out.contains('\u{1b}'), "{out}");
    }
    sandbox.run(&["report", "bad", "--out", "html"]).expect(0, &["1 results, 1 pages"]);
}

/// Lines are parsed in parts on all cores: what is wrong is found in every part, at its line.
#[test]
fn errors_in_large_files() {
    let sandbox = Sandbox::new();
    let csv: String = (0..20_000).map(|n| format!("spec@t{n:05},Pass,0.1\n")).collect();
    sandbox.file("gpu.csv", csv);
    sandbox
        .run(&["import", "gpu.csv", "--gen", "skl", "--out", "run"])
        .expect(0, &["[20000/20000]"]);
    let path = sandbox.path("run/results.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.len() > 1 << 20, "large enough to be split");
    sandbox.run(&["diff", "run", "run"]).expect(0, &["20000 -> 20000 results, 20000 the same"]);
    let lines: Vec<&str> = text.lines().collect();
    for number in [2, 9_999, 20_001] {
        let mut lines = lines.clone();
        lines[number - 1] = "{}";
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        sandbox
            .run(&["summary", "run"])
            .expect(2, &[&format!("run/results.jsonl:{number}: not a result")]);
    }
    // In any order the results are the same.
    let mut shuffled = lines.clone();
    shuffled[1..].reverse();
    sandbox.file("again/results.jsonl", shuffled.join("\n") + "\n");
    std::fs::write(&path, &text).unwrap();
    sandbox.run(&["diff", "run", "again"]).expect(0, &["20000 -> 20000 results, 20000 the same"]);
}

/// Results that a stopped run did not reach are no regressions: every reader says that the run is
/// unfinished and counts them apart.
#[test]
fn unfinished_runs() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..6).map(|n| format!("t{n}")).collect();
    let tests: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "pass")).collect();
    sandbox.mocks(&tests);
    let run = |out: &str, more: &[&str]| {
        let all = ["suite", "--mock", "--reference-only", "-j", "1", "--out", out];
        sandbox.run(&[&all, more].concat())
    };
    run("old", &[]).expect(0, &["[6/6]"]);
    assert_eq!(sandbox.results("old")[0]["planned"], serde_json::Value::Null);
    sandbox.mocks(&[("t2", "fail")]);
    run("stopped", &["--max-fails", "1"]).expect(1, &["stopped before the end"]);
    assert_eq!(sandbox.results("stopped")[0]["planned"], 6);
    // A killed run leaves the header and some lines.
    let text = std::fs::read_to_string(sandbox.path("stopped/results.jsonl")).unwrap();
    let cut: Vec<&str> = text.lines().take(3).collect();
    sandbox.file("killed/results.jsonl", cut.join("\n") + "\n");
    for (folder, found, changes) in [
        ("stopped", 3, ", regressions: 1, not in the unfinished run: 3"),
        ("killed", 2, ", not in the unfinished run: 4"),
    ] {
        let lacking = 6 - found;
        let warning = format!(
            "warning: {folder}/results.jsonl: the run is unfinished: {found} of 6 results; `runner resume`"
        );
        let diff = sandbox.run(&["diff", "old", folder]);
        diff.expect(1, &[&warning]);
        assert!(!diff.out.contains("missing"), "{diff:#?}");
        let expected = format!("the new run is unfinished: {lacking} results to go{changes}");
        assert!(diff.summary().ends_with(&expected), "{diff:#?}");
        let markdown = sandbox.run(&["diff", "old", folder, "--format", "markdown"]);
        assert!(markdown.out.lines().next().unwrap().ends_with(&format!("{changes}**")));
        // The other way round, the results are not new.
        let diff = sandbox.run(&["diff", folder, "old"]);
        diff.expect(0, &[&warning, &format!("not in the unfinished run: {lacking}\n")]);
        assert!(!diff.out.contains("new tests"), "{diff:#?}");
        let summary = sandbox.run(&["summary", "old", folder]);
        summary.expect(0, &[&warning, "suite/t5 [reference]: pass not-run\n"]);
        summary.expect(0, &[&format!("not run         0 {lacking:>8}\n")]);
        let html = format!("html-{folder}");
        let report = ["report", folder, "--previous", "old", "--out", &html];
        sandbox.run(&report).expect(0, &[&warning]);
        let page = std::fs::read_to_string(sandbox.path(&html).join("index.html")).unwrap();
        for text in [
            format!("unfinished: {found} of 6 results"),
            format!("The run is unfinished: {lacking} results are missing."),
            format!("not in the unfinished run: {lacking}"),
        ] {
            assert!(page.contains(&text), "{text} in {page}");
        }
        sandbox
            .run(&["history", "--import", folder, "--file", "history.sqlite"])
            .expect(0, &["left out: a run that did not finish"]);
    }
    let shard = |index: &str, more: &[&str]| {
        run(&format!("s{index}"), &[&["--shard", &format!("{index}/2")], more].concat())
    };
    shard("1", &["--max-fails", "1"]).expect(1, &["stopped before the end"]);
    shard("2", &[]).expect(0, &["[3/3]"]);
    let merge = ["merge", "s1", "s2", "--out", "merged"];
    sandbox
        .run(&merge)
        .expect(2, &["s1/results.jsonl is unfinished: 2 of 3 results; `runner resume`"]);
}

/// Runs of the same tests are not added together; runs of different tests are.
#[test]
fn directories_of_several_runs() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("x/a", "pass"), ("x/b", "fail"), ("y/c", "skip")]);
    let run = |path: &str, out: &str| {
        sandbox.run(&[path, "--mock", "--gen", "ivb,skl", "--out", out]);
    };
    run("suite", "old");
    run("suite/y", "part");
    sandbox.mocks(&[("x/b", "pass")]);
    run("suite", "new");
    let both = sandbox.run(&["summary", "--by-directory", "old", "new"]);
    both.expect(
        0,
        &[
            "| directory | tests | old ivb | old skl | new ivb | new skl |\n",
            "| `suite/x` | 2 | 1 (fail 1) | 1 (fail 1) | 2 | 2 |\n",
            "Skipped in old, most on one generation:\n\n* 1 × pretended, on 2 generations\n",
            "Neither passed nor skipped in old:\n\n* `suite/x/b` ivb: fail probe\n",
        ],
    );
    assert!(!both.out.contains("skipped in new"), "{both:#?}");
    run("suite/x", "rest");
    sandbox.run(&["summary", "--by-directory", "rest", "part"]).expect(
        0,
        &[
            "| directory | tests | ivb | skl |\n",
            "| `x` | 2 | 2 | 2 |\n",
            "| `y` | 1 | 0 (skip 1) | 0 (skip 1) |\n",
        ],
    );
}
