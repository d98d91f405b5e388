//! Verdicts on programs.

use external_program::{End, Limits, signal_name};
use piglit_profile::{Ending, Image, Report, State};

use results::verdict::{Phase, Status, Subtest, Verdict};

/// A program that has ended.
pub(super) struct Ended<'a> {
    /// Its end.
    pub(super) end: End,
    /// Its limits.
    pub(super) limits: Limits,
    /// Its standard output without the reported lines.
    pub(super) output: &'a str,
    /// Its standard error.
    pub(super) errors: &'a str,
}

/// Size of the output in a reason.
const SHOWN: usize = 2 << 10;
/// Number of subtests in a reason.
const SUBTESTS: usize = 20;

/// Returns the verdict on a program, and the images that it names.
pub(super) fn verdict(ended: &Ended<'_>, report: Report) -> (Verdict, Vec<Image>) {
    let ending = match ended.end {
        End::Exit(code) => Ending::Exit(code),
        End::Signal(_) | End::Memory => Ending::Signal,
        End::Time => Ending::Time,
    };
    let result = report.conclude(ending);
    // Subtests that were only announced have no status.
    let subtests: Box<[Subtest]> = result
        .subtests
        .into_iter()
        .filter(|(_, state)| *state != State::NotRun)
        .map(|(name, state)| Subtest { name, status: status(state) })
        .collect();
    let reason = || {
        let mut reason = how(ended, result.state, result.problem.as_deref());
        push_subtests(&mut reason, &subtests);
        push_end(&mut reason, "", ended.output);
        push_end(&mut reason, "on standard error:", ended.errors);
        reason
    };
    let verdict = match status(result.state) {
        Status::Pass => Verdict::pass(),
        Status::Skip => Verdict::skip(skipped(ended)),
        status @ (Status::Crash | Status::Timeout) => {
            Verdict::new(status, Phase::Simulate, reason())
        }
        status @ (Status::Fail | Status::Warn) => Verdict::new(status, Phase::Probe, reason()),
    };
    (Verdict { subtests, ..verdict }, result.images)
}

/// Returns the status of a state.
fn status(state: State) -> Status {
    match state {
        State::Pass => Status::Pass,
        State::Skip => Status::Skip,
        State::Warn | State::DmesgWarn => Status::Warn,
        // A program that ends without a result has not shown anything.
        State::NotRun | State::Fail | State::DmesgFail | State::Incomplete => Status::Fail,
        State::Timeout => Status::Timeout,
        State::Crash => Status::Crash,
    }
}

/// Says how the program ended.
fn how(ended: &Ended<'_>, state: State, problem: Option<&str>) -> String {
    let end = match ended.end {
        End::Exit(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("signal {signal}{}", signal_name(signal)),
        End::Time => {
            let seconds = ended.limits.time.as_secs_f64();
            format!("not finished after {seconds:.0} s of wall-clock time")
        }
        End::Memory => {
            let most = ended.limits.memory.unwrap_or_default() >> 20;
            format!("more than {most} MiB of memory")
        }
    };
    match (problem, state) {
        (Some(problem), _) => format!("{end}, and a line that says nothing: {problem}"),
        (None, State::NotRun) => format!("{end}, without a result"),
        (None, _) => end,
    }
}

/// Appends the subtests that are not as they should be.
fn push_subtests(reason: &mut String, subtests: &[Subtest]) {
    let is_good = |part: &&Subtest| matches!(part.status, Status::Pass | Status::Skip);
    let bad: Vec<&Subtest> = subtests.iter().filter(|part| !is_good(part)).collect();
    if bad.is_empty() {
        return;
    }
    reason.push_str(&format!("\n{} of {} subtests:", bad.len(), subtests.len()));
    for part in bad.iter().take(SUBTESTS) {
        reason.push_str(&format!("\n  {}: {}", part.name, part.status));
    }
    if bad.len() > SUBTESTS {
        reason.push_str(&format!("\n  and {} more", bad.len() - SUBTESTS));
    }
}

/// Appends the end of an output, indented, below a title.
fn push_end(reason: &mut String, title: &str, output: &str) {
    let lines = last_lines(output);
    if lines.is_empty() {
        return;
    }
    if !title.is_empty() {
        reason.push('\n');
        reason.push_str(title);
    }
    for line in lines {
        reason.push_str("\n  ");
        reason.push_str(line);
    }
}

/// Returns the last lines of an output that are not empty.
fn last_lines(output: &str) -> Vec<&str> {
    let mut room = SHOWN;
    let mut lines: Vec<&str> = Vec::new();
    for line in output.lines().rev().filter(|line| !line.trim().is_empty()) {
        if line.len() >= room {
            break;
        }
        room -= line.len() + 1;
        lines.push(line.trim_end());
    }
    lines.reverse();
    lines
}

/// Returns the last thing that a program said before it skipped itself. Headings end in a colon.
fn skipped(ended: &Ended<'_>) -> String {
    let is_said = |line: &&&str| !line.ends_with(':');
    let said = |text| {
        let lines = last_lines(text);
        let line = lines.iter().rev().find(is_said)?;
        Some(line.trim_start_matches(['#', ' ']).to_owned())
    };
    let nothing = || "the program says no reason".to_owned();
    said(ended.output).or_else(|| said(ended.errors)).unwrap_or_else(nothing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn of(end: End, lines: &[&str], output: &str, errors: &str) -> Verdict {
        let mut report = Report::default();
        lines.iter().for_each(|line| report.line(line));
        let limits = Limits { time: Duration::from_secs(7), memory: Some(64 << 20) };
        verdict(&Ended { end, limits, output, errors }, report).0
    }

    fn reason(end: End, lines: &[&str], output: &str, errors: &str) -> (Status, String) {
        let verdict = of(end, lines, output, errors);
        (verdict.status, verdict.cause.expect("a cause").1)
    }

    #[test]
    fn reasons() {
        let fail = r#"{"result": "fail"}"#;
        let expected = "exit code 1\n  a\n  b\non standard error:\n  c";
        assert_eq!(
            reason(End::Exit(1), &[fail], "a\n\nb\n", "c\n"),
            (Status::Fail, expected.to_owned())
        );
        for (end, lines, status, text) in [
            (End::Signal(11), &[][..], Status::Crash, "signal 11 (SIGSEGV)"),
            (End::Time, &[], Status::Timeout, "not finished after 7 s of wall-clock time"),
            (End::Memory, &[], Status::Crash, "more than 64 MiB of memory"),
            (End::Exit(0), &[], Status::Fail, "exit code 0, without a result"),
        ] {
            assert_eq!(reason(end, lines, "", ""), (status, text.to_owned()));
        }
        let (status, text) = reason(End::Exit(0), &["rubbish"], "", "");
        assert_eq!(status, Status::Fail);
        assert!(text.starts_with("exit code 0, and a line that says nothing: "), "{text}");
    }

    #[test]
    fn skips_have_the_last_line() {
        let skip = r#"{"result": "skip"}"#;
        let needs = reason(End::Exit(0), &[skip], "GL 4.5\nTest requires GL_X\n", "noise\n");
        assert_eq!(needs, (Status::Skip, "Test requires GL_X".to_owned()));
        let kernel = "# Skipping device X: no doubles\n\n# Result:\n";
        assert_eq!(reason(End::Exit(0), &[skip], kernel, "").1, "Skipping device X: no doubles");
        assert_eq!(reason(End::Exit(0), &[skip], "", "").1, "the program says no reason");
    }

    #[test]
    fn subtests_that_fail_are_named() {
        let lines = [r#"{"subtest": {"a": "pass"}}"#, r#"{"subtest": {"b": "fail"}}"#];
        let verdict = of(End::Exit(1), &lines, "", "");
        let states: Vec<_> =
            verdict.subtests.iter().map(|part| (part.name.as_str(), part.status)).collect();
        assert_eq!(states, [("a", Status::Pass), ("b", Status::Fail)]);
        let text = "exit code 1\n1 of 2 subtests:\n  b: fail";
        assert_eq!(verdict.cause, Some((Phase::Probe, text.to_owned())));
    }

    #[test]
    fn only_the_end_of_long_output_is_shown() {
        let output: String = (0..10_000).map(|line| format!("line {line}\n")).collect();
        let (_, text) = reason(End::Exit(1), &[], &output, "");
        assert!(text.len() < 2 * SHOWN && text.ends_with("\n  line 9999"), "{text}");
    }
}
