//! Eight shards against the run in one piece.

use std::fs;

use crate::support::Sandbox;

/// A hundred tests of uneven length and fate.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..100 {
        let what = match number % 17 {
            3 => "fail".to_owned(),
            5 => "skip".to_owned(),
            9 => "panic".to_owned(),
            13 => "abort".to_owned(),
            rest => format!("sleep {}", rest % 5),
        };
        sandbox.mocks(&[(&format!("d{}/t{number:02}", number % 3), &what)]);
    }
    sandbox
}

/// All files of a run as they are, durations blanked.
fn files(sandbox: &Sandbox, folder: &str) -> Vec<(String, String)> {
    let time = regex::Regex::new(r#""duration_us":\d+|,\d+\.\d+\n| time(stamp)?="[^"]*""#)
        .expect("a pattern");
    let mut files: Vec<(String, String)> = fs::read_dir(sandbox.path(folder))
        .expect("a run")
        .map(|entry| entry.expect("an entry").path())
        // How the run was started is not a result of it.
        .filter(|path| path.is_file() && !path.ends_with("run.json"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("text");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, time.replace_all(&text, "T").into_owned())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn eight_shards_are_the_whole_run() {
    let sandbox = sandbox();
    let arguments = ["suite", "--mock", "--gen", "ivb,skl", "-j", "4", "--out"];
    sandbox.run(&[&arguments[..], &["whole"]].concat()).expect(1, &["[200/200]"]);
    for durations in [&[][..], &["--durations", "whole"], &["--durations", "whole/results.ivb.csv"]]
    {
        let folders: Vec<String> = (1..=8).map(|k| format!("shard{k}")).collect();
        for (k, folder) in (1..).zip(&folders) {
            let shard = format!("{k}/8");
            let ran =
                sandbox.run(&[&arguments[..], &[folder, "--shard", &shard], durations].concat());
            assert!(ran.code <= 1, "{ran:#?}");
        }
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        // In any order.
        let merge = [&["merge", "--out", "merged"], &folders[4..], &folders[..4]].concat();
        sandbox.run(&merge).expect(1, &["[200/200]"]);
        assert_eq!(files(&sandbox, "whole"), files(&sandbox, "merged"), "{durations:?}");
        let hash = &sandbox.results("shard1")[0]["shard"]["durations"];
        assert_eq!(hash.is_string(), !durations.is_empty());
    }
    // Another file of durations may have split the tests differently.
    sandbox.run(&[&arguments[..], &["shard3", "--shard", "3/8", "--durations", "whole"]].concat());
    let folders: Vec<String> = (1..=8).map(|k| format!("shard{k}")).collect();
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    sandbox.run(&[&["merge"], &folders[..]].concat()).expect(2, &["files of durations differ"]);
}

/// Every test is long or short as the file says, and the shards' sums of that are within a tenth of
/// each other.
#[test]
fn durations_balance_the_shards() {
    let sandbox = Sandbox::new();
    let mut durations = String::new();
    let mut seconds = std::collections::BTreeMap::new();
    for number in 0u32..400 {
        let name = format!("t{number:03}");
        sandbox.mocks(&[(&name, "pass")]);
        // A few very long ones among many short ones, as in a conformance suite.
        let time = if number % 50 == 7 { 9.5 } else { f64::from(number * number % 97 + 1) / 100.0 };
        durations += &format!("suite/{name},Pass,{time:.6}\n");
        seconds.insert(format!("suite/{name}"), time);
    }
    sandbox.file("durations.csv", durations);
    let sums: Vec<f64> = (1..=8)
        .map(|k| {
            sandbox
                .mock_run(&["--shard", &format!("{k}/8"), "--durations", "durations.csv"])
                .expect(0, &[]);
            sandbox.results("out")[1..]
                .iter()
                .map(|result| seconds[result["test"].as_str().expect("a name")])
                .sum()
        })
        .collect();
    let (least, most) = sums.iter().fold((f64::MAX, 0.0f64), |(l, m), &s| (l.min(s), m.max(s)));
    assert!(most <= least * 1.1, "{sums:?}");
}

#[test]
fn the_slowest_runs_first() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "fail"), ("b", "fail"), ("c", "fail")]);
    sandbox.file("durations.csv", "suite/a,Pass,0.5\nsuite/b,Pass,2.5\nsuite/c,Pass,1.0\n");
    let first = |order: &[&str]| {
        sandbox
            .mock_run(&[&["-j", "1", "--max-fails", "1"], order].concat())
            .expect(1, &["[1/3] fail: 1"]);
        sandbox.results("out")[1]["test"].as_str().expect("a name").to_owned()
    };
    assert_eq!(first(&["--order", "slowest-first", "--durations", "durations.csv"]), "suite/b");
    assert_eq!(first(&["--order", "name"]), "suite/a");
    assert_eq!(first(&[]), "suite/a");
}
