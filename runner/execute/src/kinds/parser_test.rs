//! Parser tests: shaders with a `[config]` block, which a compiler must accept or refuse.

use std::path::Path;

use parser_test::{Outcome, ParseError};
use script::bare;

use crate::case::TestCase;
use crate::diagnostics;
use crate::executors::executor;
use crate::kind::{Kind, TestFile};
use crate::mode::Mode;
use results::bundle::Bundle;
use results::verdict::{Phase, Status, TestResult, Verdict};

/// The kind.
pub(super) struct ParserTest;

impl Kind for ParserTest {
    fn extensions(&self) -> &'static [&'static str] {
        &bare::EXTENSIONS
    }

    fn takes(&self, mode: Mode) -> bool {
        mode == Mode::Execute
    }

    fn is_told_by_text(&self) -> bool {
        true
    }

    fn recognizes(&self, _path: &Path, text: &[u8]) -> bool {
        parser_test::ParserTest::is_one(text)
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        let Some(stage) = bare::stage_of(file.path) else {
            return Verdict::fail(Phase::Script, "the file name does not say the stage");
        };
        let test = match parser_test::ParserTest::parse(file.text, stage) {
            Ok(test) => test,
            Err(error) => return malformed(&file, &error),
        };
        match executor(case.target).check_shader(case, &test) {
            Ok(outcome) => judge(test.expected, outcome, || test.rule()),
            Err(verdict) => verdict,
        }
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, _: &TestCase<'_>) -> Bundle {
        Bundle::plain(result, file.text)
    }
}

/// Returns the verdict of a malformed file.
pub(super) fn malformed(file: &TestFile<'_>, error: &ParseError) -> Verdict {
    let path = file.path.display().to_string();
    let text = String::from_utf8_lossy(file.text);
    // Replacement characters are longer than the bytes that they replace.
    let span = if text.len() == file.text.len() { error.span.clone() } else { 0..0 };
    let excerpt = diagnostics::render(&path, &text, span, &error.message);
    Verdict::fail(Phase::Script, format!("{error}\n{excerpt}"))
}

/// Returns the verdict on the answer of a compiler. It names the phase that the program reached,
/// also for a pass, since nothing is executed. `rule` says what is wrong in a program that must be
/// refused.
pub(super) fn judge(
    expected: parser_test::Verdict,
    outcome: Outcome,
    rule: impl FnOnce() -> Option<String>,
) -> Verdict {
    let is_met = expected.is_met_by(&outcome);
    let as_expected = if is_met { ", as expected" } else { "" };
    let (phase, reason) = match outcome {
        Outcome::Accepted(phase) => {
            let what = match phase {
                Phase::Link => "compiles and links",
                _ => "compiles",
            };
            let broken = if is_met { None } else { Some(missed(rule())) };
            (phase, format!("{what}{as_expected}{}", broken.unwrap_or_default()))
        }
        Outcome::Refused(phase, log) => {
            let what = match phase {
                Phase::Link => "does not link",
                _ => "does not compile",
            };
            (phase, format!("{what}{as_expected}: {log}"))
        }
        Outcome::Broken(phase, log) => (phase, log),
    };
    Verdict::new(if is_met { Status::Pass } else { Status::Fail }, phase, reason)
}

/// Returns the end of the reason for a program that must be refused and is not.
fn missed(rule: Option<String>) -> String {
    match rule {
        Some(rule) => format!(", but must not; the test says: {rule}"),
        None => ", but must not; the test does not say why".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_name_phase_and_rule() {
        use parser_test::Verdict as Expected;
        let judged = |expected, outcome| {
            let verdict = judge(expected, outcome, || Some("No double x.".to_owned()));
            let (phase, reason) = verdict.cause.expect("a cause");
            (verdict.status, phase, reason)
        };
        let refused = || Outcome::Refused(Phase::Link, "no main".to_owned());
        for (expected, outcome, status, phase, reason) in [
            (
                Expected::Accept,
                Outcome::Accepted(Phase::Frontend),
                Status::Pass,
                Phase::Frontend,
                "compiles, as expected",
            ),
            (
                Expected::Refuse,
                Outcome::Accepted(Phase::Link),
                Status::Fail,
                Phase::Link,
                "compiles and links, but must not; the test says: No double x.",
            ),
            (
                Expected::Refuse,
                refused(),
                Status::Pass,
                Phase::Link,
                "does not link, as expected: no main",
            ),
            (Expected::Accept, refused(), Status::Fail, Phase::Link, "does not link: no main"),
            (
                Expected::Refuse,
                Outcome::Broken(Phase::Frontend, "odd".to_owned()),
                Status::Fail,
                Phase::Frontend,
                "odd",
            ),
        ] {
            assert_eq!(judged(expected, outcome), (status, phase, reason.to_owned()));
        }
    }
}
