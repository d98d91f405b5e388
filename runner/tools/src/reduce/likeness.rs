//! Likeness of failures: the properties that two failures must share to count as the same.

use std::sync::LazyLock;

use regex::Regex;

use crate::bisect::Ending;
use results::verdict::{Phase, Status, Verdict};

/// Requirements beyond the ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Compare the first line of the message, without lines and columns.
    pub message: bool,
    /// The interpreter must end a smaller test before it is executed otherwise: drivers count no
    /// steps.
    pub to_end: bool,
}

/// The properties that a failure shares with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// Status and phase.
    pub ending: Ending,
    /// For probes and disagreements, the message without numbers; for crashes, their location; with
    /// [`Wanted::message`], the message of any failure.
    pub kind: Option<String>,
    /// For probes that both executors fail, the observed values: a test that draws nothing fails
    /// such a probe, too.
    pub observed: Option<String>,
    /// The value that failed a probe is undefined.
    pub undefined: bool,
}

impl Likeness {
    /// Returns the likeness of a verdict.
    pub fn of(verdict: &Verdict, wanted: Wanted) -> Likeness {
        let ending = Ending::of(verdict);
        let reason = verdict.cause.as_ref().map_or("", |(_, reason)| reason);
        let line = message(reason);
        let kind = match (ending.status, ending.phase) {
            _ if wanted.message => Some(line),
            (Status::Crash, _) => Some(place(&line).to_owned()),
            (_, Some(Phase::Probe | Phase::Mismatch)) => Some(without_numbers(without_rule(&line))),
            _ => None,
        };
        let observed = (ending.phase == Some(Phase::Probe)).then(|| observed(reason)).flatten();
        Likeness { ending, kind, observed, undefined: verdict.is_undefined() }
    }

    /// Returns true if a smaller test that ends in another way counts as the same failure. Its
    /// values must be defined where those of the whole test are.
    pub fn accepts(&self, smaller: &Likeness) -> bool {
        let same = Likeness { undefined: self.undefined, ..smaller.clone() } == *self;
        same && (self.undefined || !smaller.undefined)
    }
}

/// Returns the values that a probe observed, without comments on them.
fn observed(reason: &str) -> Option<String> {
    let of_vulkan = || {
        // `value 4 at byte 16 is 99, expected == 4; 4 of 8 values differ`
        let (_, rest) = reason.lines().next()?.split_once(" is ")?;
        Some(rest.split(';').next().unwrap_or(rest))
    };
    let of_buffer = || {
        // `SSBO 4 test failed: 1.0000001 (0x3f800001) == 1.0 (0x3f800000), 1 ULP apart`
        let (_, rest) = reason.lines().next()?.split_once(" test failed: ")?;
        rest.split_whitespace().next()
    };
    let line = reason.lines().find_map(|line| line.trim().strip_prefix("Observed: "));
    let line = line.or_else(of_buffer).or_else(of_vulkan)?;
    Some(line.split(" (").next().unwrap_or(line).trim().to_owned())
}

/// Returns the first line without its position in the file.
fn message(reason: &str) -> String {
    static PLACE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\bline [0-9]+(, column [0-9]+)?: ").ok());
    let line = reason.lines().next().unwrap_or_default();
    PLACE.as_ref().map_or_else(|| line.to_owned(), |place| place.replace(line, "").into_owned())
}

/// Returns `panic at FILE:LINE` for a panic, and the whole text otherwise.
fn place(line: &str) -> &str {
    line.starts_with("panic at ").then(|| line.split(": ").next()).flatten().unwrap_or(line)
}

/// Returns a disagreement without the rule by which executors must agree: that follows from the
/// operations of the program, of which a smaller one has fewer.
fn without_rule(line: &str) -> &str {
    line.split(", which must agree").next().unwrap_or(line)
}

fn without_numbers(line: &str) -> String {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"[-+]?\b(0x[0-9a-fA-F]+|[0-9][0-9.]*(e[-+]?[0-9]+)?|inf|nan|NaN)\b").ok()
    });
    NUMBER
        .as_ref()
        .map_or_else(|| line.to_owned(), |number| number.replace_all(line, "#").into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(status: Status, phase: Phase, reason: &str) -> Likeness {
        Likeness::of(&Verdict::new(status, phase, reason), Wanted::default())
    }

    #[test]
    fn kinds() {
        let probe = |reason: &str| likeness(Status::Fail, Phase::Probe, reason);
        assert_eq!(
            probe("line 15: Probe color at (0,0)\n  Expected: 1"),
            probe("line 2: Probe color at (249,1)")
        );
        assert_ne!(probe("line 15: Probe color at (0,0)"), probe("line 15: SSBO test failed"));
        let black = "line 3: Probe color at (0,0)\n  Expected: 1 2\n  Observed: 3 4";
        assert_eq!(probe(black), probe(&black.replace("1 2", "7 7")));
        assert_ne!(probe(black), probe(&black.replace("3 4", "0 0")));
        let value = "line 9: value 4 at byte 16 is 99, expected == 4; 4 of 8 values differ";
        let other = "line 3: value 0 at byte 0 is 99, expected == 4; 1 of 2 values differ";
        assert_eq!(probe(value), probe(other));
        assert_ne!(probe(value), probe(&value.replace("99", "98")));
        let buffer = "line 9: SSBO 4 test failed: 99 == 4";
        assert_eq!(probe(buffer), probe("line 3: SSBO 4 test failed: 99 == 7"));
        assert_ne!(probe(buffer), probe("line 9: SSBO 4 test failed: 0 == 4"));
        let float = "line 9: SSBO 4 test failed: 1.5 (0x3fc00000) == 1.0 (0x3f800000), 4 ULP apart";
        assert_eq!(
            probe(float),
            probe(&float.replace("1.0 (0x3f800000), 4", "9.0 (0x41100000), 5"))
        );
        assert_ne!(probe(float), probe(&float.replace("1.5 (0x3fc00000)", "0.0 (0x00000000)")));
        let differ = |rule: &str| {
            let reason = format!("line 7: both differ at (1,2), which must agree {rule}");
            likeness(Status::Fail, Phase::Mismatch, &reason)
        };
        assert_eq!(differ("bit for bit"), differ("within the rule"));
        let crash = |reason| likeness(Status::Crash, Phase::Simulate, reason);
        assert_eq!(crash("panic at a.rs:7: 3 of 4"), crash("panic at a.rs:7: 4 of 4"));
        assert_ne!(crash("panic at a.rs:7: 3 of 4"), crash("panic at a.rs:8: 3 of 4"));
        assert_ne!(
            crash("stack overflow"),
            crash("the worker process ended by signal 6 (SIGABRT)")
        );
        let rule = |reason| likeness(Status::Fail, Phase::Validate, reason);
        assert_eq!(
            rule("SIMD8 kernel, offset 0x50: a rule"),
            rule("SIMD16 kernel, offset 0x90: another")
        );
        assert_ne!(rule("a").ending, probe("a").ending);
    }

    #[test]
    fn smaller_tests_stay_defined() {
        let of = |verdict: Verdict| Likeness::of(&verdict, Wanted::default());
        let probe = || Verdict::fail(Phase::Probe, "Probe color at (0,0)\n  Observed: 3 4");
        let (defined, undefined) = (of(probe()), of(probe().with_undefined()));
        assert!(defined.accepts(&defined) && undefined.accepts(&undefined));
        assert!(undefined.accepts(&defined));
        assert!(!defined.accepts(&undefined));
        assert!(!undefined.accepts(&of(Verdict::fail(Phase::Probe, "other"))));
    }

    #[test]
    fn messages() {
        let with = |reason: &str| {
            Likeness::of(
                &Verdict::fail(Phase::Validate, reason),
                Wanted { message: true, to_end: false },
            )
        };
        assert_eq!(with("line 3: a rule\nmore"), with("line 33: a rule"));
        assert_ne!(with("line 3: a rule"), with("line 3: another rule"));
        assert_eq!(message("line of thought: x"), "line of thought: x");
    }

    #[test]
    fn numbers() {
        assert_eq!(without_numbers("at (0,-12), 0x3f, 1.5e-3 of vec4"), "at (#,#), #, # of vec4");
    }
}
