//! The suite as files: names and contents, and the variants that have to fail.

use crate::cases::cases;
use crate::family;
use crate::half;
use crate::operation::{Case, Interface, Signature};
use crate::shader::{Stage, test_file};

/// One file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Path below the suite's directory, `/` between parts.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// One test before it is written.
struct Test {
    stage: Stage,
    signature: Signature,
    /// Path without the extension.
    name: String,
    cases: Vec<Case>,
}

impl Test {
    fn new(stage: Stage, signature: Signature) -> Test {
        let Signature { group, name, types, .. } = &signature;
        let name = format!("{group}/{}-{name}-{types}", stage.prefix());
        let cases = cases(&signature, &name);
        Test { stage, signature, name, cases }
    }

    fn file(&self) -> File {
        File {
            path: format!("{}.shader_test", self.name),
            text: test_file(self.stage, &self.signature, &self.cases),
        }
    }

    /// One file per case, with what it accepts of one component moved just outside; the component advances with the case. Cases that
    /// share its draw stay as they are.
    fn perturbed(&self) -> impl Iterator<Item = File> + '_ {
        let together = match self.signature.interface {
            // A row of attributes has its place among the others.
            Interface::Attributes => self.cases.len(),
            _ => self.signature.cases_per_draw(),
        };
        self.cases.iter().enumerate().map(move |(i, case)| {
            let first = i - i % together;
            let mut cases = self.cases[first..self.cases.len().min(first + together)].to_vec();
            cases[i - first] = case.perturbed(i % case.accept.len());
            File {
                path: format!("{}-{i:02}.shader_test", self.name),
                text: test_file(self.stage, &self.signature, &cases),
            }
        })
    }
}

/// The tests of the operations that a stage has.
fn tests(signatures: fn(Stage) -> Vec<Signature>) -> impl Iterator<Item = Test> {
    Stage::ALL.into_iter().flat_map(move |stage| {
        let computed = signatures(stage).into_iter().filter(move |s| s.stages.contains(&stage));
        computed.map(move |signature| Test::new(stage, signature))
    })
}

/// Every test of the double-precision suite.
pub fn fp64() -> impl Iterator<Item = File> {
    tests(|_| family::signatures()).map(|test| test.file())
}

/// Every perturbed variant of its tests.
pub fn perturbed_fp64() -> impl Iterator<Item = File> {
    tests(|_| family::signatures()).flat_map(|test| test.perturbed().collect::<Vec<_>>())
}

/// Every test of the 16-bit suite.
pub fn half() -> impl Iterator<Item = File> {
    tests(half::signatures).map(|test| test.file())
}

/// Every perturbed variant of its tests.
pub fn perturbed_half() -> impl Iterator<Item = File> {
    tests(half::signatures).flat_map(|test| test.perturbed().collect::<Vec<_>>())
}
