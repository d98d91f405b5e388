//! Places of faults: the same test with another executor for one stage, in one width, and on other
//! generations. They tell more of a fault that no optional pass brings.
//!
//! Both vendors' code comes from the same IR, so that a fault on both is in what they share.

use std::fmt;

use serde::Serialize;

use super::ending::Ending;
use vocabulary::{Stage, Target, Width};

/// A difference from the run of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The interpreter executes a stage.
    Interpreted(Stage),
    /// Only kernels of this width.
    Width(Width),
    /// Another generation.
    Generation(Target),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Interpreted(stage) => write!(f, "{stage} shader interpreted"),
            Change::Width(width) => write!(f, "--width {}", width.name()),
            Change::Generation(target) => write!(f, "--gen {target}"),
        }
    }
}

impl Serialize for Change {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The ending of the test case with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    /// The change.
    pub change: Change,
    /// Its ending.
    #[serde(flatten)]
    pub ending: Ending,
}

/// Returns what the endings say about the place of a fault on a generation, one sentence each.
pub(super) fn places(generation: Target, tried: &[Elsewhere]) -> Vec<String> {
    let mut all = stages(tried);
    all.extend(component(generation, tried));
    all.extend(width(tried));
    all
}

/// The stages whose code is wrong.
fn stages(tried: &[Elsewhere]) -> Vec<String> {
    let right = tried.iter().filter(|tried| tried.ending.is_good());
    let stages = right.filter_map(|tried| match tried.change {
        Change::Interpreted(stage) => Some(format!("the code of the {stage} shader is wrong")),
        _ => None,
    });
    stages.collect()
}

/// The part of the compiler or of the executors that is wrong.
fn component(generation: Target, tried: &[Elsewhere]) -> Option<String> {
    let of = |vendor: &[Target]| -> Vec<bool> {
        let endings = tried.iter().filter(|tried| !tried.ending.is_skip());
        let of_vendor = endings.filter(|tried| match tried.change {
            Change::Generation(target) => vendor.contains(&target),
            _ => false,
        });
        of_vendor.map(|tried| tried.ending.is_good()).collect()
    };
    let (own, other, names) = if Target::AMD.contains(&generation) {
        (of(&Target::AMD), of(&Target::INTEL), ("AMD", "Intel"))
    } else {
        (of(&Target::INTEL), of(&Target::AMD), ("Intel", "AMD"))
    };
    if other.is_empty() {
        return None;
    }
    Some(if other.iter().all(|good| !good) {
        "both vendors' code is wrong: the fault is in what they share, lowering and the passes on \
         the IR, or in the front end"
            .to_owned()
    } else if other.iter().all(|good| *good) {
        let which = match own.iter().any(|good| *good) {
            true => "some of its generations",
            false => "all of its generations",
        };
        format!(
            "{} is right: the fault is in {}'s code generator or simulator, on {which}",
            names.1, names.0
        )
    } else {
        "some generations of both vendors are right".to_owned()
    })
}

/// The widths whose kernels are wrong, where others are right.
fn width(tried: &[Elsewhere]) -> Option<String> {
    let of = |good: bool| -> Vec<&str> {
        let alike = tried.iter().filter(|tried| tried.ending.is_good() == good);
        alike
            .filter_map(|tried| match tried.change {
                Change::Width(width) => Some(width.name()),
                _ => None,
            })
            .collect()
    };
    let (right, wrong) = (of(true), of(false));
    (!right.is_empty() && !wrong.is_empty())
        .then(|| format!("{} is wrong, {} is right", wrong.join(", "), right.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::{Phase, Status};

    const RIGHT: Ending = Ending { status: Status::Pass, phase: None };
    const WRONG: Ending = Ending { status: Status::Fail, phase: Some(Phase::Mismatch) };
    const SKIPPED: Ending = Ending { status: Status::Skip, phase: Some(Phase::Require) };

    fn on(endings: [Ending; 4]) -> Vec<Elsewhere> {
        let targets = [Target::IVB, Target::SKL, Target::SI, Target::VI];
        let tried = targets.into_iter().zip(endings);
        tried.map(|(t, ending)| Elsewhere { change: Change::Generation(t), ending }).collect()
    }

    #[test]
    fn a_fault_of_one_vendor_is_in_its_code_generator() {
        let said = |generation, endings| places(generation, &on(endings)).join("\n");
        let intel = said(Target::BDW, [WRONG, WRONG, RIGHT, RIGHT]);
        assert!(intel.contains("in Intel's code generator"), "{intel}");
        assert!(intel.ends_with("on all of its generations"), "{intel}");
        let one = said(Target::BDW, [RIGHT, WRONG, RIGHT, SKIPPED]);
        assert!(one.ends_with("on some of its generations"), "{one}");
        assert!(said(Target::SI, [RIGHT, RIGHT, WRONG, WRONG]).contains("in AMD's"));
        assert!(said(Target::SI, [WRONG, WRONG, WRONG, WRONG]).contains("what they share"));
        assert_eq!(said(Target::SI, [SKIPPED, SKIPPED, WRONG, WRONG]), "");
    }

    #[test]
    fn the_stage_and_the_width_are_named() {
        let tried = [
            (Change::Interpreted(Stage::Vertex), WRONG),
            (Change::Interpreted(Stage::Fragment), RIGHT),
            (Change::Width(Width::Simd8), RIGHT),
            (Change::Width(Width::Simd16), WRONG),
        ];
        let tried = tried.map(|(change, ending)| Elsewhere { change, ending });
        assert_eq!(
            places(Target::IVB, &tried),
            ["the code of the fragment shader is wrong", "SIMD16 is wrong, SIMD8 is right"]
        );
    }
}
