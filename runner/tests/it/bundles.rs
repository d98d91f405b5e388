//! Failure bundles and the differences of texts that `runner diff` makes of them.

use std::fs;

use crate::support::{GREEN, Sandbox, red};

/// `red` paints the color it is given plus `extra`.
fn shader(extra: &str, probe: &str) -> String {
    GREEN
        .replace("gl_FragColor = c;", &format!("gl_FragColor = c{extra};"))
        .replace("probe all rgba 0 1 0 1\n", &format!("probe all rgba {probe}"))
}

#[test]
fn what_explains_a_failure_is_kept() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/good.shader_test", GREEN).file("suite/sub/bad.shader_test", red());
    let skip = GREEN.replace("GLSL >= 1.10", "GLSL >= 1.10\nGL_NO_such_extension");
    sandbox.file("suite/skip.shader_test", skip).file("suite/broken.shader_test", "nothing");
    let ran = sandbox.run(&["suite", "--gen", "ivb,skl,si", "--out", "out"]);
    ran.expect(1, &["pass: 3, fail: 6"]);
    for (target, listing, instruction) in [
        ("ivb", "fragment.SIMD8.eu", "send"),
        ("skl", "fragment.SIMD8.eu", "send"),
        ("si", "fragment.wave64.gcn", "exp mrt0"),
    ] {
        let folder = sandbox.path(&format!("out/failures/suite/sub/bad/@{target}"));
        let read = |name: &str| {
            fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        assert_eq!(read("script.shader_test"), red());
        assert!(read(listing).contains(instruction), "assembly");
        assert!(read("fragment.ir").lines().count() > 2, "IR");
        assert!(folder.join("vertex.ir").exists());
        let bundle: serde_json::Value = serde_json::from_str(&read("bundle.json")).unwrap();
        assert_eq!(bundle["result"]["gen"], target);
        assert_eq!(bundle["result"]["layer"], "probe");
        let command = format!("runner suite/sub/bad.shader_test --gen {target}");
        assert_eq!(bundle["command"], command.as_str());
        assert!(bundle["result"]["stages"].as_array().unwrap().len() >= 2);
        let probe = &bundle["probes"][0];
        assert_eq!(probe["line"], 12);
        assert_eq!(probe["what"], "probe all rgba 1 0 0 1");
        assert_eq!(probe["expected"], "1.0 0.0 0.0 1.0");
        let observed = "(0,0): 0.000000 1.000000 0.000000 1.000000";
        assert_eq!(
            (&probe["simulator"], &probe["reference"]),
            (&observed.into(), &observed.into())
        );
        for image in ["expected.png", "simulator.png", "reference.png", "difference.png"] {
            assert!(fs::read(folder.join(image)).unwrap().starts_with(b"\x89PNG"), "{image}");
        }
    }
    assert!(sandbox.path("out/failures/suite/broken/@ivb/bundle.json").exists());
    for name in ["good", "skip"] {
        assert!(!sandbox.path(&format!("out/failures/suite/{name}")).exists(), "{name}");
    }
    // Results with and without bundles are the same.
    sandbox
        .run(&["suite", "--gen", "ivb,skl,si", "--out", "without", "--keep", "none"])
        .expect(1, &[]);
    assert!(!sandbox.path("without/failures").exists());
    assert_eq!(sandbox.results("out").len(), sandbox.results("without").len());
}

#[test]
fn passing_results_are_kept_when_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("suite/b.shader_test", red());
    sandbox.run(&["suite", "--gen", "ivb", "--out", "all", "--keep", "all"]).expect(1, &[]);
    assert!(sandbox.path("all/failures/suite/a/@ivb/fragment.SIMD8.eu").exists());
    // Changed against an earlier run: fixed, and compiled to other code.
    sandbox.file("suite/b.shader_test", GREEN);
    sandbox.file("suite/c.shader_test", GREEN);
    sandbox.run(&["suite", "--gen", "ivb", "--out", "new", "--previous", "all"]).expect(0, &[]);
    assert!(!sandbox.path("new/failures/suite/a").exists(), "unchanged");
    assert!(sandbox.path("new/failures/suite/b/@ivb/bundle.json").exists(), "fixed");
    assert!(sandbox.path("new/failures/suite/c/@ivb/bundle.json").exists(), "new");
    sandbox.run(&["suite", "--previous", "nowhere"]).expect(2, &["cannot read nowhere"]);
}

#[test]
fn diff_shows_how_texts_changed() {
    let sandbox = Sandbox::new();
    let write = |extra: &str, probe: &str| {
        sandbox.file("suite/a.shader_test", shader(extra, probe));
    };
    write("", "1 0 0 1\n");
    sandbox.run(&["suite", "--gen", "ivb", "--out", "old"]).expect(1, &[]);
    write(" * c.yxzw + c.zzzz", "1 0 1 1\n");
    sandbox.run(&["suite", "--gen", "ivb", "--out", "new"]).expect(1, &[]);
    let ran = sandbox.run(&["diff", "old", "new"]);
    ran.expect(
        0,
        &[
            "the same status for another reason: 1",
            "suite/a [ivb] fragment.SIMD8.eu",
            "suite/a [ivb] fragment.ir",
        ],
    );
    assert!(ran.out.contains("\n  +mul(8)") || ran.out.contains("\n  +mad(8)"), "{}", ran.out);
    assert!(ran.out.contains("HURT: suite/a [ivb] fragment SIMD8"), "{}", ran.out);
    let ran = sandbox.run(&["diff", "old", "new", "--texts", "0"]);
    assert!(!ran.out.contains("fragment.ir"), "{}", ran.out);
    let ran = sandbox.run(&["diff", "old", "new", "--format", "markdown"]);
    ran.expect(0, &["<details><summary>suite/a [ivb] fragment.ir</summary>", "```diff\n"]);
    let ran = sandbox.run(&["diff", "old", "new", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let names: Vec<&str> = value["texts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text["text"].as_str().unwrap())
        .collect();
    assert!(names.starts_with(&["message", "fragment.SIMD16.eu"]), "{names:?}");
}

/// A run that is resumed completes its bundles; a bundle cut short by a kill is not taken for one.
#[test]
fn bundles_of_a_killed_run() {
    let sandbox = Sandbox::new();
    for number in 0..6 {
        sandbox.file(&format!("suite/t{number}.shader_test"), red());
    }
    sandbox.run(&["suite", "--reference-only", "--out", "out"]).expect(1, &[]);
    let file = sandbox.path("out/results.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let kept: String = text.lines().take(4).map(|line| format!("{line}\n")).collect();
    fs::write(&file, kept).unwrap();
    let bundle = |number: u32| sandbox.path(&format!("out/failures/suite/t{number}/@reference"));
    // As a kill leaves them: one not begun, one beside its place.
    fs::remove_dir_all(bundle(1)).unwrap();
    fs::remove_dir_all(bundle(4)).unwrap();
    fs::rename(bundle(5), bundle(5).with_file_name("@reference.new")).unwrap();
    sandbox.run(&["resume", "out"]).expect(1, &["[6/6] fail: 6"]);
    for number in [0, 1, 2, 3, 4, 5] {
        assert!(bundle(number).join("bundle.json").exists(), "{number}");
    }
    assert!(!bundle(5).with_file_name("@reference.new").exists(), "remains are removed");
}

/// Of binaries that are not our compiler's there is assembly, and no IR that has nothing to do with
/// it.
#[test]
fn bundles_of_foreign_binaries() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    let show = ["show", "suite/a.shader_test", "--gen", "ivb", "binary", "--out", "binaries"];
    sandbox.run(&show).expect(0, &[]);
    sandbox.file("suite/a.shader_test", shader(" + c", "1 0 0 1\n"));
    sandbox
        .run(&["suite", "--gen", "ivb", "--binaries", "binaries", "--out", "out"])
        .expect(1, &[]);
    let folder = sandbox.path("out/failures/suite/a/@ivb");
    let listing = fs::read_to_string(folder.join("fragment.SIMD8.eu")).unwrap();
    assert!(!listing.contains("add(8)"), "what was executed: {listing}");
    assert!(!folder.join("fragment.ir").exists());
}

/// A kernel that the validator refuses is shown everywhere, with the rule at its instruction.
#[test]
fn refused_kernels() {
    let sandbox = Sandbox::new();
    let test = include_str!("../../../tests/quirks/fs-multiply-add.shader_test");
    sandbox.file("suite/a.shader_test", test);
    let options = ["--gen", "ivb", "--disable-quirk", "ivb-3src-simd8"];
    let ran = sandbox.run(&[&["suite", "--out", "run"], &options[..]].concat());
    let message = "fragment shader: SIMD16 kernel, offset 0x30: three-source instructions are limited \
                   to SIMD8 on Ivy Bridge (ivb-3src-simd8; 1 violation in all)";
    ran.expect(1, &[message]);
    let reason = sandbox.results("run")[1]["reason"].as_str().expect("a reason").to_owned();
    // The test's CHECK lines follow.
    let instruction = reason.lines().nth(1).expect("an instruction").trim_start();
    assert!(instruction.starts_with("mad(16)"), "{reason}");
    let marked = format!(
        "{instruction}\n// ^ ivb-3src-simd8: three-source instructions are limited to SIMD8 on Ivy Bridge\n"
    );
    let bundle = sandbox.path("run/failures/suite/a/@ivb/fragment.SIMD16.eu");
    let listing = std::fs::read_to_string(bundle).expect("the assembly");
    assert!(listing.contains(&marked), "{listing}");
    sandbox.run(&["report", "run", "--out", "html"]).expect(0, &[]);
    let page = std::fs::read_to_string(sandbox.path("html/pages/1.html")).expect("a page");
    assert!(page.contains("// ^ ivb-3src-simd8: three-source"), "{page}");
    let show = ["show", "suite/a.shader_test", "--stage", "fragment", "eu"];
    sandbox.run(&[&show[..], &options].concat()).expect(1, &[&marked, message]);
    sandbox.run(&[&show[..], &options, &["--no-validate"]].concat()).expect(0, &[&marked]);
    // The same for a binary of another compiler.
    let write = ["show", "suite/a.shader_test", "--no-validate", "binary", "--out", "bin"];
    sandbox.run(&[&write[..], &options].concat()).expect(0, &[]);
    sandbox
        .run(&["suite", "--gen", "ivb", "--binaries", "bin", "--out", "given"])
        .expect(1, &[message]);
    let bundle = sandbox.path("given/failures/suite/a/@ivb/fragment.SIMD16.eu");
    assert!(std::fs::read_to_string(bundle).expect("the assembly").contains(&marked));
}
