//! Reports of programs.

use piglit_profile::{Conclusion, Ending, Report, State};

fn of(lines: &[&str], ending: Ending) -> Conclusion {
    let mut report = Report::default();
    lines.iter().for_each(|line| report.line(line));
    report.conclude(ending)
}

fn state(lines: &[&str], ending: Ending) -> State {
    of(lines, ending).state
}

#[test]
fn exit_codes() {
    let (good, bad) = (Ending::Exit(0), Ending::Exit(1));
    let (pass, fail, skip) =
        ([r#"{"result": "pass" }"#], [r#"{"result": "fail"}"#], [r#"{"result": "skip"}"#]);
    for (lines, ending, expected) in [
        (&pass[..], good, State::Pass),
        (&fail, good, State::Fail),
        (&skip, good, State::Skip),
        (&[], good, State::NotRun),
        (&pass, bad, State::Warn),
        (&fail, bad, State::Fail),
        (&skip, bad, State::Fail),
        (&[], bad, State::Fail),
        (&pass, Ending::Signal, State::Crash),
        (&[], Ending::Signal, State::Crash),
    ] {
        assert_eq!(state(lines, ending), expected, "{lines:?} {ending:?}");
    }
}

#[test]
fn the_last_result_counts() {
    let lines = [r#"{"result": "fail"}"#, r#"{"result": "pass"}"#];
    assert_eq!(state(&lines, Ending::Exit(0)), State::Pass);
}

#[test]
fn subtests_decide() {
    let announced = r#"{"enumerate subtests": ["A", "b", "c"]}"#;
    let one = r#"{"subtest": {"a": "pass"}}"#;
    let two = r#"{"subtest": {"B": "warn"}}"#;
    let passed = r#"{"result": "pass"}"#;
    let all = of(&[announced, one, two, passed], Ending::Exit(0));
    let names = |states: [State; 3]| -> Vec<(String, State)> {
        ["a", "b", "c"].map(str::to_owned).into_iter().zip(states).collect()
    };
    assert_eq!(all.state, State::Warn);
    assert_eq!(all.subtests, names([State::Pass, State::Warn, State::NotRun]));
    let crashed = of(&[announced, one], Ending::Signal);
    assert_eq!(crashed.state, State::Crash);
    assert_eq!(crashed.subtests, names([State::Pass, State::Crash, State::NotRun]));
    let skipped = of(&[announced, r#"{"result": "skip"}"#], Ending::Exit(0));
    assert_eq!(skipped.state, State::Skip);
    assert_eq!(skipped.subtests, names([State::Skip; 3]));
    // The exit code does not change what the subtests say.
    assert_eq!(state(&[one, r#"{"result": "fail"}"#], Ending::Exit(1)), State::Pass);
}

#[test]
fn images_are_named() {
    let line = r#"{"result": "fail", "images": [{"image_desc": "frame 1", "image_ref": "a.png",
        "image_render": "b.png"}, {"image_desc": 3}, 7]}"#;
    let images = of(&[line], Ending::Exit(1)).images;
    assert_eq!(images.len(), 1);
    assert_eq!(
        (images[0].reference.as_deref(), images[0].drawn.as_deref()),
        (Some("a.png"), Some("b.png"))
    );
}

#[test]
fn lines_that_say_nothing_are_failures() {
    for line in [
        "garbage",
        "",
        "[]",
        r#"{"result": "great"}"#,
        r#"{"result": 3}"#,
        r#"{"subtest": "a"}"#,
        r#"{"enumerate subtests": 3}"#,
    ] {
        let found = of(&[r#"{"result": "pass"}"#, line], Ending::Exit(0));
        assert_eq!(found.state, State::Fail, "{line}");
        assert!(found.problem.is_some(), "{line}");
    }
    // Lines with other keys are left out.
    assert_eq!(state(&[r#"{"time": 3}"#, r#"{"result": "pass"}"#], Ending::Exit(0)), State::Pass);
}
