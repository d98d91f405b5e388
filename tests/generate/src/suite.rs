//! The suite as files: names and contents, and the variants that have to fail.

use crate::cases::cases;
use crate::family;
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

    /// One file per case, with what it accepts of one component moved just outside; the component advances with the case.
    fn perturbed(&self) -> impl Iterator<Item = File> + '_ {
        self.cases.iter().enumerate().map(|(i, case)| {
            let changed = case.perturbed(i % case.accept.len());
            let cases = match self.signature.interface {
                // A row of attributes has its place among the others.
                Interface::Attributes => {
                    let mut cases = self.cases.clone();
                    cases[i] = changed;
                    cases
                }
                _ => vec![changed],
            };
            File {
                path: format!("{}-{i:02}.shader_test", self.name),
                text: test_file(self.stage, &self.signature, &cases),
            }
        })
    }
}

fn tests() -> impl Iterator<Item = Test> {
    Stage::ALL.into_iter().flat_map(|stage| {
        let computed = family::signatures().into_iter().filter(move |s| s.stages.contains(&stage));
        computed.map(move |signature| Test::new(stage, signature))
    })
}

/// Every test of the double-precision suite.
pub fn fp64() -> impl Iterator<Item = File> {
    tests().map(|test| test.file())
}

/// Every perturbed variant of its tests.
pub fn perturbed_fp64() -> impl Iterator<Item = File> {
    tests().flat_map(|test| test.perturbed().collect::<Vec<_>>())
}
