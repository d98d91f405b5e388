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

mod calls;
mod capture;
mod compute;
mod defects;
mod expected;
mod expression;
mod floating;
mod function;
mod generator;
mod helpers;
mod integer;
mod maker;
mod mutate;
mod names;
mod opaque;
mod pipeline;
mod real;
mod resources;
mod script;
mod stage;
mod statement;
mod stored;
mod vulkan;
mod wide;

pub use defects::Defect;
pub use expected::expected_test;
pub use mutate::mutate;
pub(crate) use script::begin_test;
pub use vulkan::{VULKAN_KINDS, vulkan_test};

use maker::{Maker, Size};

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

/// Returns test `number` of a seed: the text of a `.shader_test` file.
pub fn generate(seed: u64, number: u64, kind: Kind) -> String {
    generate_without(seed, number, kind, &[])
}

/// Returns test `number` of a seed, without the constructs that show known defects.
pub fn generate_without(seed: u64, number: u64, kind: Kind, defects: &[Defect]) -> String {
    let text = made(&mut Maker::new(seed, number, defects), kind);
    format!("# {}\n\n{text}", command("", seed, number, kind, defects))
}

/// Makes the random test of a kind.
fn made(maker: &mut Maker, kind: Kind) -> String {
    let size = Size(maker.plan.random.pick(&[2, 4, 6, 8, 10, 14]));
    match kind {
        Kind::Vertex => pipeline::vertex(maker, size),
        Kind::Tessellation => pipeline::tessellation(maker, size),
        Kind::Geometry => pipeline::geometry(maker, size),
        Kind::Fragment => pipeline::fragment(maker, size),
        Kind::Compute => compute::compute(maker, size),
    }
}

/// Returns the command that prints a test.
fn command(option: &str, seed: u64, number: u64, kind: Kind, defects: &[Defect]) -> String {
    let names: Vec<&str> = defects.iter().map(|defect| defect.name()).collect();
    let avoid =
        if names.is_empty() { String::new() } else { format!("--avoid {} ", names.join(",")) };
    let stage = kind.name();
    format!("runner fuzz {option}--stage {stage} --seed {seed} --only {number} {avoid}--print")
}

#[cfg(test)]
mod tests;
