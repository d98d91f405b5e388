//! Random tests: legal programs with exact results, so that any disagreement is an error.
//!
//! [`generate`] creates test `number` of a seed, a pure function of its arguments. Programs consist
//! of typed expressions within a budget; undefined operations of GLSL do not occur in them:
//!
//! * loops are bounded, indices, shifts and bit fields are in range, integer division is guarded,
//!   every variable is initialized before it is read, barriers and derivatives are outside of
//!   divergent control flow;
//! * floating-point values have so few digits that no operation rounds ([`real`]), so that fusing a
//!   product and a sum changes nothing; where GLSL allows errors, rounding restores the exact
//!   result.
//!
//! Results become hashes, which the tests output as colors or in buffers. No probe expects a value:
//! the executors must agree. [`mutate`] creates another kind of test: damaged ones, on which
//! nothing may crash.

mod compute;
mod expression;
mod floating;
mod function;
mod generator;
mod helpers;
mod integer;
mod mutate;
mod names;
mod pipeline;
mod random;
mod real;
mod resources;
mod script;
mod stage;
mod statement;

pub use mutate::mutate;

use program::types::{TypeId, TypeTable};

use generator::Generator;
use random::Random;
use resources::Resources;
use stage::StageShader;

/// The part of the pipeline that a test covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// The vertex shader.
    Vertex,
    /// Both tessellation shaders.
    Tessellation,
    /// The geometry shader.
    Geometry,
    /// The fragment shader.
    Fragment,
    /// The compute shader.
    Compute,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 5] =
        [Kind::Vertex, Kind::Tessellation, Kind::Geometry, Kind::Fragment, Kind::Compute];

    /// Returns the name on the command line and in tests' names.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Vertex => "vertex",
            Kind::Tessellation => "tessellation",
            Kind::Geometry => "geometry",
            Kind::Fragment => "fragment",
            Kind::Compute => "compute",
        }
    }
}

/// Amount of code of the tested stage.
#[derive(Clone, Copy, Debug)]
struct Size(usize);

impl Size {
    /// Returns the number of statements of `body`, without nested ones.
    fn statements(self) -> usize {
        self.0
    }
}

/// Returns test `number` of a seed: the text of a `.shader_test` file.
pub fn generate(seed: u64, number: u64, kind: Kind) -> String {
    let mut maker = Maker::new(seed, number);
    let size = Size(maker.plan.random.pick(&[2, 4, 6, 8, 10, 14]));
    let text = match kind {
        Kind::Vertex => pipeline::vertex(&mut maker, size),
        Kind::Tessellation => pipeline::tessellation(&mut maker, size),
        Kind::Geometry => pipeline::geometry(&mut maker, size),
        Kind::Fragment => pipeline::fragment(&mut maker, size),
        Kind::Compute => compute::compute(&mut maker, size),
    };
    format!("# runner fuzz --stage {} --seed {seed} --only {number} --print\n\n{text}", kind.name())
}

/// Data shared by the stages of one test.
struct Maker {
    seed: u64,
    number: u64,
    /// Generator of types and of everything outside of a single stage.
    plan: Generator,
    structures: Vec<TypeId>,
    resources: Resources,
}

impl Maker {
    fn new(seed: u64, number: u64) -> Maker {
        let mut random = Random::new(seed, number, 0);
        let doubles = random.chance(50);
        let mut plan = Generator::new(random, TypeTable::default(), Vec::new(), doubles);
        for k in 0..plan.random.between(0, 2) {
            let members: Vec<TypeId> = (0..plan.random.between(2, 4)).map(|_| plan.any_type(1)).collect();
            let name = format!("S{k}");
            let structure = names::structure(&mut plan.types, &name, &members);
            plan.structures.push(structure);
        }
        let structures = plan.structures.clone();
        Maker { seed, number, plan, structures, resources: Resources::default() }
    }

    /// Creates resources for a number of stages.
    fn make_resources(&mut self, stages: usize) {
        self.resources = Resources::random(&mut self.plan, stages);
    }

    /// Returns the n-th stage.
    fn stage(&self, number: usize) -> StageShader {
        let random = Random::new(self.seed, self.number, 1 + number as u64);
        let (types, structures) = (self.plan.types.clone(), self.structures.clone());
        let generator = Generator::new(random, types, structures, self.plan.doubles);
        StageShader::new(generator, self.resources.all.iter().filter(|resource| resource.is_of(number)))
    }
}

#[cfg(test)]
mod tests;
