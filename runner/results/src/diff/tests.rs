//! Comparisons of runs.

use super::*;
use crate::passes::parse_width;
use crate::verdict::{Outcome, StageStatistics, TestResult};
use vocabulary::{Stage, Width};

#[test]
fn the_table_of_pairs() {
    use Change::{Fix, New, NewFailure, Other, Regression, Same};
    let statuses = [
        Some(Status::Pass),
        Some(Status::Warn),
        Some(Status::Skip),
        Some(Status::Fail),
        Some(Status::Timeout),
        Some(Status::Crash),
        None,
    ];
    // Lines: old status; columns: new status; both in the order above.
    let table = [
        [Same, Regression, Regression, Regression, Regression, Regression, Regression],
        [Fix, Same, Regression, Regression, Regression, Regression, Regression],
        [Fix, Fix, Same, Regression, Regression, Regression, Regression],
        [Fix, Fix, Other, Same, Regression, Regression, Regression],
        [Fix, Fix, Other, Other, Same, Regression, Regression],
        [Fix, Fix, Other, Other, Other, Same, Regression],
        [New, New, New, NewFailure, NewFailure, NewFailure, Same],
    ];
    for (old, result) in statuses.into_iter().zip(table) {
        for (new, expected) in statuses.into_iter().zip(result) {
            assert_eq!(change(old, new), expected, "{old:?} -> {new:?}");
        }
    }
}

fn stage(width: &str, instructions: u32, spills: u32, sha: &str) -> StageStatistics {
    let width = parse_width(width).unwrap();
    let plain = StageStatistics::new(Stage::Fragment, width);
    StageStatistics { instructions, spills, sha: sha.into(), ..plain }
}

fn result(test: &str, status: Status, stages: Vec<StageStatistics>) -> TestResult {
    let bad = status == Status::Fail;
    TestResult {
        phase: bad.then_some(Phase::Probe),
        reason: bad.then(|| "a|<b>\u{1b}\nmore".into()),
        stages,
        ..TestResult::plain(test, "ivb", status)
    }
}

fn results(results: &[TestResult]) -> Vec<ResultRef<'_>> {
    results.iter().map(ResultRef::from).collect()
}

fn compare(old: &[TestResult], new: &[TestResult]) -> Diff {
    Diff::new(&pairs(&results(old), &results(new)), &CodeSelection::default())
}

fn diff() -> Diff {
    let old = [
        result("a", Status::Pass, vec![stage("SIMD8", 10, 0, "1"), stage("SIMD16", 12, 0, "2")]),
        result("b", Status::Pass, vec![stage("SIMD8", 100, 0, "3")]),
        result("c", Status::Fail, Vec::new()),
        result("gone", Status::Pass, Vec::new()),
        result("same", Status::Pass, vec![stage("SIMD8", 5, 0, "5")]),
    ];
    let new = [
        result("a", Status::Pass, vec![stage("SIMD8", 8, 0, "1b")]),
        result("b", Status::Fail, vec![stage("SIMD8", 130, 2, "3b"), stage("SIMD16", 9, 0, "9")]),
        result("c", Status::Pass, vec![stage("SIMD8", 7, 0, "7")]),
        result("new", Status::Fail, Vec::new()),
        result("same", Status::Pass, vec![stage("SIMD8", 5, 0, "5")]),
    ];
    compare(&old, &new)
}

#[test]
fn rows_and_code() {
    let diff = diff();
    let seen: Vec<(&str, Change)> = diff.changes.iter().map(|c| (&*c.test, c.change)).collect();
    assert_eq!(
        seen,
        [
            ("b", Change::Regression),
            ("gone", Change::Regression),
            ("new", Change::NewFailure),
            ("c", Change::Fix)
        ]
    );
    assert!(diff.is_bad() && diff.same == 2);
    let code = &diff.code;
    assert_eq!((code.shared, code.same_binary), (3, 1));
    let instructions = &code.metrics[0];
    assert_eq!(
        (instructions.total_old, instructions.total_new, instructions.affected()),
        (115, 143, (110, 138))
    );
    assert_eq!(
        (&*instructions.helped[0].shader, instructions.hurt[0].new),
        ("a [ivb] fragment SIMD8", 130)
    );
    assert_eq!((&*code.lost[0].shader, code.gained[0].width), ("a [ivb] fragment", Width::Simd16));
}

/// A Vulkan script has several pipelines, whose shaders may have the same stage and width.
#[test]
fn shaders_of_one_stage_are_matched_in_order() {
    let with = |counts: &[u32]| {
        let stages = counts.iter().map(|&count| stage("SIMD8", count, 0, &count.to_string()));
        result("a", Status::Pass, stages.collect())
    };
    let code = |old: &[u32], new: &[u32]| compare(&[with(old)], &[with(new)]).code;
    let same = code(&[13, 11], &[13, 11]);
    assert_eq!((same.shared, same.same_binary), (2, 2));
    let changed = code(&[13, 11], &[13, 12, 5]);
    assert_eq!((changed.shared, changed.same_binary, changed.gained.len()), (2, 1, 1));
    assert_eq!((changed.metrics[0].total_old, changed.metrics[0].total_new), (24, 25));
}

#[test]
fn texts() {
    let diff = diff();
    let text = terminal(&diff, &[], Listing::default());
    for part in [
        "regressions: 2\n  b [ivb]: pass -> fail  probe: a|<b>\\u{1b}\n  gone [ivb]: pass -> missing\n",
        "new tests that fail: 1\n  new [ivb]: missing -> fail",
        "fixes: 1\n  c [ivb]: fail -> pass\n",
        "total instructions in shared shaders: 115 -> 143 (+24.35%)\n",
        "helped: 1\nHURT: 1\n  helped: a [ivb] fragment SIMD8: 10 -> 8 (-20.00%)\n  HURT: b [ivb] fragment SIMD8: 100 -> 130 (+30.00%)\n",
        "total spills in shared shaders: 0 -> 2 (new)",
        "LOST: 1\n  LOST: a [ivb] fragment SIMD16\nGAINED: 1\n  GAINED: b [ivb] fragment SIMD16\nsame binary: 1 of 3 shaders\n",
        "5 -> 5 results, 2 the same, regressions: 2, new tests that fail: 1, fixes: 1\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = markdown(&diff, &[], Listing::default());
    for part in [
        "### regressions: 2",
        "| b | ivb | pass | fail | probe: a\\|&lt;b&gt;\\\\u{1b} |",
        "| instructions | 115 | 143 |",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let value: serde_json::Value = serde_json::from_str(&json(&diff, &[]).unwrap()).unwrap();
    assert_eq!(value["changes"][0]["change"], "regression");
    assert_eq!(value["changes"][1]["new"], serde_json::Value::Null);
    assert_eq!(value["code"]["metrics"][0]["hurt"][0]["new"], 130);
}

#[test]
fn selected_code() {
    let shaders = |fragment: u32, vertex: u32| {
        let of = |stage, instructions, registers| StageStatistics {
            instructions,
            registers,
            ..StageStatistics::new(stage, Width::Simd8)
        };
        vec![of(Stage::Vertex, vertex, 1), of(Stage::Fragment, fragment, fragment)]
    };
    let old =
        [result("a,b", Status::Pass, shaders(10, 5)), result("c", Status::Pass, shaders(3, 0))];
    let new =
        [result("a,b", Status::Pass, shaders(12, 9)), result("c", Status::Pass, shaders(2, 1))];
    let selection = CodeSelection {
        metrics: vec![Metric::Registers, Metric::Instructions],
        stages: vec![Stage::Fragment],
    };
    let diff = Diff::new(&pairs(&results(&old), &results(&new)), &selection);
    assert_eq!(diff.code.shared, 2);
    let names: Vec<&str> = diff.code.metrics.iter().map(|metric| metric.name).collect();
    assert_eq!(names, ["registers", "instructions"]);
    let group = GroupChange {
        generation: "ivb".into(),
        stage: Stage::Fragment,
        width: Width::Simd8,
        shaders: 2,
        old: 13,
        new: 14,
    };
    assert_eq!(diff.code.metrics[0].groups, [group]);
    let text = terminal(&diff, &[], Listing { shaders: 0, groups: true });
    assert!(text.contains("  ivb fragment SIMD8, 2 shaders: 13 -> 14 (+7.69%)\n"), "{text}");
    assert!(!text.contains("HURT: a,b"), "{text}");
    let text = markdown(&diff, &[], Listing { shaders: 0, groups: true });
    assert!(text.contains("| registers | ivb fragment SIMD8 | 2 | 13 | 14 | +7.69% |\n"), "{text}");
    let expected = "metric,test,gen,stage,width,old,new\n\
                    registers,\"a,b\",ivb,fragment,SIMD8,10,12\n\
                    registers,c,ivb,fragment,SIMD8,3,2\n\
                    instructions,\"a,b\",ivb,fragment,SIMD8,10,12\n\
                    instructions,c,ivb,fragment,SIMD8,3,2\n";
    assert_eq!(csv(&diff, None), expected);
    assert_eq!(csv(&diff, Some(1)).lines().count(), 3);
    let value: serde_json::Value = serde_json::from_str(&json(&diff, &[]).unwrap()).unwrap();
    assert_eq!(value["code"]["metrics"][0]["groups"][0]["gen"], "ivb");
}

#[test]
fn growth() {
    let metric = |total_old, total_new| MetricChange { total_old, total_new, ..Default::default() };
    for (old, new, growth) in [(0, 0, 0.0), (200, 203, 1.5), (200, 100, -50.0)] {
        assert_eq!(metric(old, new).growth(), growth);
    }
    assert_eq!(metric(0, 1).growth(), f64::INFINITY);
}

#[test]
fn expected_new_failures_are_not_bad() {
    let excused =
        TestResult { outcome: Outcome::Expected, ..result("new", Status::Fail, Vec::new()) };
    assert!(!compare(&[], &[excused]).is_bad());
    assert!(compare(&[], &[result("new", Status::Fail, Vec::new())]).is_bad());
}

#[test]
fn variants_of_one_test() {
    let with = |variant: &str, status| TestResult {
        variant: variant.into(),
        ..result("a", status, Vec::new())
    };
    // One variant each: compared although the options differ.
    let diff = compare(&[with("", Status::Pass)], &[with("backend=vec4", Status::Fail)]);
    assert_eq!((diff.changes.len(), diff.changes[0].change), (1, Change::Regression));
    assert_eq!(diff.changes[0].variant, "");
    // Several variants: each is compared with its own.
    let old = [with("", Status::Pass), with("backend=vec4", Status::Fail)];
    let new = [with("backend=vec4", Status::Pass), with("width=SIMD8", Status::Fail)];
    let seen: Vec<(String, Change)> =
        compare(&old, &new).changes.into_iter().map(|c| (c.variant, c.change)).collect();
    let expected = [
        ("", Change::Regression),
        ("width=SIMD8", Change::NewFailure),
        ("backend=vec4", Change::Fix),
    ];
    assert_eq!(seen, expected.map(|(variant, change)| (variant.to_owned(), change)));
}

#[test]
fn other_reasons_are_told() {
    let other =
        TestResult { reason: Some("another".into()), ..result("a", Status::Fail, Vec::new()) };
    let diff = compare(&[result("a", Status::Fail, Vec::new())], &[other]);
    assert_eq!((diff.same, diff.changes.len(), diff.reworded.len()), (1, 0, 1));
    assert!(!diff.is_bad());
    let text = terminal(&diff, &[], Listing::default());
    assert!(
        text.contains("  a [ivb] fail:\n    probe: a|<b>\\u{1b}\n    probe: another\n"),
        "{text}"
    );
}

#[test]
fn spreads() {
    assert_eq!(Spread::of(std::iter::empty()), None);
    let spread = Spread::of([4.0, 1.0, 2.0, 3.0].into_iter()).unwrap();
    assert_eq!(spread, Spread { least: 1.0, most: 4.0, mean: 2.5, median: 2.5 });
    assert_eq!(Spread::of([5.0, 1.0, 3.0].into_iter()).unwrap().median, 3.0);
}

#[test]
fn texts_in_unified_form() {
    assert_eq!(unified("a\n", "a\n"), "");
    let diff = unified("a\nb\nc\n", "a\nx\nc\n");
    assert!(diff.ends_with(" a\n-b\n+x\n c\n"), "{diff}");
    let text = TextDiff {
        test: "a<b>".into(),
        generation: "ivb".into(),
        text: "fragment.ir".into(),
        diff: "```\u{1b}\n".into(),
    };
    let markdown = markdown(&compare(&[], &[]), &[text], Listing::default());
    for part in ["a&lt;b&gt; [ivb] fragment.ir", "````diff\n```\\u{1b}\n````\n"] {
        assert!(markdown.contains(part), "{part} in {markdown}");
    }
}

#[test]
fn a_change_on_several_generations_is_one_row() {
    let on = |generation: &str, status| TestResult {
        generation: generation.into(),
        reason: (status == Status::Fail).then(|| format!("line 2: red\non {generation}")),
        ..result("a", status, Vec::new())
    };
    let of = |status| ["ivb", "skl", "si"].map(|generation| on(generation, status));
    let text = markdown(&compare(&of(Status::Pass), &of(Status::Fail)), &[], Listing::default());
    assert!(text.contains("### regressions: 3\n"), "{text}");
    assert!(text.contains("| a | ivb, skl, si | pass | fail |"), "{text}");
}

#[test]
fn equal_code_has_no_table() {
    let shader = StageStatistics::new(Stage::Fragment, Width::Simd8);
    let runs = [
        [result("a", Status::Pass, vec![shader.clone()])],
        [result("a", Status::Pass, vec![shader])],
    ];
    let text = markdown(&compare(&runs[0], &runs[1]), &[], Listing::default());
    assert!(!text.contains("| instructions |"), "{text}");
    assert!(text.contains("same binary: "), "{text}");
}

#[test]
fn directories() {
    let on = |generation: &str, mut result: TestResult, reason: Option<&str>| {
        result.generation = generation.into();
        result.reason = reason.map(str::to_owned);
        result
    };
    let mut results: Vec<TestResult> = (0..1200)
        .map(|i| {
            on("ivb", result(&format!("tests/spec/a/deep/{i}"), Status::Pass, Vec::new()), None)
        })
        .collect();
    let skip = |generation: &str, test: &str, reason: &str| {
        on(generation, result(test, Status::Skip, Vec::new()), Some(reason))
    };
    results.push(on("skl", result("tests/spec/a/deep/0", Status::Fail, Vec::new()), Some("why")));
    results.push(skip("ivb", "tests/spec/b/x", "line 7: needs N >= 17, has 16"));
    results.push(skip("skl", "tests/spec/b/x", "line 7: needs N >= 17, has 16"));
    results.push(skip("ivb", "tests/spec/b/y", "line 9: needs N >= 32, has 16"));
    results.push(skip("ivb", "tests/spec/z", "needs a core context"));
    results.push(on("ivb", result("alone", Status::Pass, Vec::new()), None));
    let expected = "| directory | tests | ivb | skl |\n|---|---:|---:|---:|\n| `` | 1 | 1 | – |\n\
                    | `tests/spec` | 1 | 0 (skip 1) | – |\n\
                    | `tests/spec/a` | 1,200 | 1,200 | 0 (fail 1) |\n\
                    | `tests/spec/b` | 2 | 0 (skip 2) | 0 (skip 1) |\n\
                    \nSkipped, most on one generation:\n\n\
                    * 2 × needs N >= …, has 16, on 2 generations\n\
                    * 1 × needs a core context, on 1 generation\n\
                    \nNeither passed nor skipped:\n\n* `tests/spec/a/deep/0` skl: fail probe\n";
    assert_eq!(by_directory(&[("run".to_owned(), &results[..])], 3), expected);
}
