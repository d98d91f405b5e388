//! The suites as files, and their perturbed variants, which have to fail.

use crate::case::Case;
use crate::cases::cases;
use crate::family;
use crate::operation::{Interface, Signature};
use crate::shader::test_file;
use crate::stage::TestStage;

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
    stage: TestStage,
    signature: Signature,
    /// Path without the extension.
    name: String,
    cases: Vec<Case>,
}

impl Test {
    fn new(stage: TestStage, signature: Signature) -> Test {
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

    /// One file per case. It accepts, for one component of the result, only a value just outside
    /// the accepted interval; the component advances with the case. Cases of the same draw stay as
    /// they are.
    fn perturbed(&self) -> impl Iterator<Item = File> + '_ {
        let together = match self.signature.interface {
            // Every draw has the rows of all cases.
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
fn tests(signatures: fn(TestStage) -> Vec<Signature>) -> impl Iterator<Item = Test> {
    TestStage::ALL.into_iter().flat_map(move |stage| {
        let computed = signatures(stage).into_iter().filter(move |s| s.stages.contains(&stage));
        computed.map(move |signature| Test::new(stage, signature))
    })
}

/// The files of the double-precision suite.
pub fn fp64() -> impl Iterator<Item = File> {
    tests(|_| family::fp64()).map(|test| test.file())
}

/// Perturbed variants of its files.
pub fn perturbed_fp64() -> impl Iterator<Item = File> {
    tests(|_| family::fp64()).flat_map(|test| test.perturbed().collect::<Vec<_>>())
}

/// The files of the 16-bit suite.
pub fn half() -> impl Iterator<Item = File> {
    tests(half_signatures).map(|test| test.file())
}

/// Perturbed variants of its files.
pub fn perturbed_half() -> impl Iterator<Item = File> {
    tests(half_signatures).flat_map(|test| test.perturbed().collect::<Vec<_>>())
}

/// The operations of the 16-bit suite in a stage, with the way of their operands: uniforms, which
/// every channel shares, or one set per vertex or pixel. Vertex shaders use one way for types with
/// an even and the other for types with an odd number of components; fragment shaders the reverse.
pub fn half_signatures(stage: TestStage) -> Vec<Signature> {
    family::half()
        .into_iter()
        .filter(|signature| stage != TestStage::Geometry || is_for_geometry(signature))
        .map(|signature| {
            let odd = signature.arguments[0].ty.components() % 2 == 1;
            let per_lane = odd == (stage == TestStage::Fragment);
            if per_lane && takes_lanes(&signature) {
                signature.interface(Interface::PerLane)
            } else {
                signature
            }
        })
        .collect()
}

/// True if the operands may also be per vertex or pixel.
fn takes_lanes(signature: &Signature) -> bool {
    signature.interface == Interface::Uniforms
        && !signature.lanes
        && signature.memory.is_none()
        && signature.arguments.iter().all(|a| a.declared)
}

/// Geometry shaders run on the same machinery as vertex shaders, except for their inputs and
/// outputs: they get one size of each type.
fn is_for_geometry(signature: &Signature) -> bool {
    signature.arguments.iter().all(|a| {
        a.ty.components() == 3 || a.ty.components() == 1 && signature.result.components() == 3
    })
}
