//! Environment of an invocation group: inputs, system values, memory, textures, images.

use program::expression::{ImageOp, TextureOp};
use program::{AtomicOp, BuiltinVariable};
use thiserror::Error;

/// Error of an execution.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// More statements were executed than allowed.
    #[error("step limit of {0} statements reached")]
    StepLimit(u64),
    /// Calls, statements and expressions are nested too deeply.
    #[error("calls, statements and expressions nest deeper than {0} levels")]
    Nesting(usize),
    /// The program is not well formed: a defect of the front end.
    #[error("malformed program: {0}")]
    Malformed(&'static str),
    /// Built-in without a reference implementation.
    #[error("`{0}` has no reference implementation")]
    Unsupported(&'static str),
    /// The environment could not serve a request.
    #[error("{0}")]
    Environment(String),
}

/// Region of memory that shaders address by byte offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressSpace {
    /// The default uniform block.
    DefaultBlock,
    /// Uniform block by index in [`program::Program::uniform_blocks`].
    UniformBlock(u32),
    /// Storage block by index in [`program::Program::storage_blocks`].
    StorageBlock(u32),
    /// Atomic counter buffer by binding.
    AtomicCounters(u32),
    /// Shared memory of the work group.
    Shared,
}

/// Position in the pixel at which an input is interpolated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InterpolateAt {
    /// As the variable's qualifiers require.
    Default,
    /// At the centroid.
    Centroid,
    /// At a sample.
    Sample(u32),
    /// At an offset from the pixel's center, in pixels.
    Offset(f32, f32),
}

/// One lane's texture request. Numbers are as the shader computed them, without any rounding by the
/// unit.
#[derive(Clone, PartialEq, Debug)]
pub struct TextureRequest {
    /// Operation.
    pub op: TextureOp,
    /// Sampler slot in [`program::Program::samplers`].
    pub sampler: u32,
    /// Coordinates after projection, layer last; integers (as raw bits) for fetches.
    pub coordinate: [u32; 4],
    /// Comparison value, after projection.
    pub compare: Option<f32>,
    /// Bias, or level of detail (raw bits: an integer for fetches and size queries).
    pub lod: LodRequest,
    /// Texel offset.
    pub offset: [i32; 3],
    /// Gather component.
    pub component: u32,
    /// Sample index.
    pub sample: u32,
}

/// Selection of the level of detail.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LodRequest {
    /// By the derivatives of the coordinate, plus a bias.
    Implicit {
        /// Change of the coordinate per pixel in x.
        dx: [f32; 3],
        /// Change of the coordinate per pixel in y.
        dy: [f32; 3],
        /// Bias.
        bias: f32,
    },
    /// Given as a float (sampling).
    Float(f32),
    /// Given as an integer (fetches and size queries).
    Int(i32),
}

/// One lane's image request.
#[derive(Clone, PartialEq, Debug)]
pub struct ImageRequest {
    /// Operation.
    pub op: ImageOp,
    /// Image slot in [`program::Program::images`].
    pub image: u32,
    /// Texel coordinates, layer last.
    pub coordinate: [i32; 4],
    /// Sample index.
    pub sample: u32,
    /// Component type of the built-in's result: the type of an atomic's operands.
    pub scalar: program::Scalar,
    /// Stored texel (raw bits), or atomic operands.
    pub data: [u32; 4],
}

/// Environment of a group of invocations. Lanes count from 0.
pub trait Environment {
    /// Returns a component (raw 32 bits) of vertex input slot `slot`
    /// ([`program::Program::attributes`]).
    fn attribute(&mut self, slot: usize, component: usize, lane: usize) -> u32;

    /// Returns a component (raw 32 bits) of input slot `slot` ([`program::LinkedStage::inputs`]):
    /// of vertex `vertex` in arrayed stages, of the provoking vertex in the fragment stage.
    fn varying(&mut self, slot: usize, component: usize, vertex: u32, lane: usize) -> u32;

    /// Returns an interpolated component of a fragment input.
    fn interpolate(&mut self, slot: usize, component: usize, lane: usize, at: InterpolateAt)
    -> f64;

    /// Interpolates a component of a fragment input at its default place in all lanes, from the
    /// first on.
    fn interpolate_lanes(&mut self, slot: usize, component: usize, results: &mut [f64]) {
        for (lane, result) in results.iter_mut().enumerate() {
            *result = self.interpolate(slot, component, lane, InterpolateAt::Default);
        }
    }

    /// Returns a component of a system value (raw 32 bits).
    fn system_value(&mut self, variable: BuiltinVariable, component: usize, lane: usize) -> u32;

    /// Reads 2, 4 or 8 bytes; `None` when out of bounds or nothing is bound.
    fn load(&mut self, space: AddressSpace, offset: u32, bytes: u32) -> Option<u64>;

    /// Writes 2, 4 or 8 bytes; `false` when out of bounds or nothing is bound.
    fn store(&mut self, space: AddressSpace, offset: u32, bytes: u32, value: u64) -> bool;

    /// Returns the size of a region in bytes.
    fn size(&mut self, space: AddressSpace) -> u32;

    /// Returns the ticks of a clock, more at each call; always zero without a clock.
    fn clock(&mut self) -> u64 {
        0
    }

    /// Performs a texture request; returns the raw bits of the result.
    fn texture(&mut self, request: &TextureRequest) -> Result<[u32; 4], Error>;

    /// Returns true if a sampler slot has no texels: the texture is missing or incomplete.
    fn lacks_texels(&self, sampler: u32) -> bool {
        let _ = sampler;
        false
    }

    /// Performs an image request; returns the raw bits of the result.
    fn image(&mut self, request: &ImageRequest) -> Result<[u32; 4], Error>;

    /// Emits a vertex of a geometry lane: its outputs by slot and component as in
    /// [`crate::Outputs::varyings`].
    fn emit_vertex(&mut self, lane: usize, stream: u32, outputs: &[[u32; 4]]);

    /// Ends the primitive of a geometry lane.
    fn end_primitive(&mut self, lane: usize, stream: u32);
}

/// Returns the new value of a read-modify-write of a 32- or 64-bit integer or float.
pub(crate) fn atomic_result(
    op: AtomicOp,
    scalar: program::Scalar,
    old: u64,
    operands: &[u64],
) -> u64 {
    use program::{BinaryOp, Scalar};
    let operand = operands.first().copied().unwrap_or(0);
    let binary = |op| {
        crate::scalar::binary(op, scalar)
            .map_or(old, |f| crate::scalar::wrap(scalar, f(old, operand)))
    };
    let less = |a, b| crate::scalar::binary(BinaryOp::Less, scalar).is_some_and(|f| f(a, b) != 0);
    let is_nan = |bits| scalar.is_float() && crate::scalar::to_f64(scalar, bits).is_nan();
    let signaling = |bits: u64| scalar == Scalar::Float && is_nan(bits) && bits & 0x40_0000 == 0;
    match op {
        // INTEL_shader_atomic_float_minmax leaves the result to the hardware, which keeps signaling
        // NaNs.
        AtomicOp::Min | AtomicOp::Max if signaling(old) => old,
        AtomicOp::Min | AtomicOp::Max if signaling(operand) => operand,
        AtomicOp::Add => binary(BinaryOp::Add),
        AtomicOp::And => binary(BinaryOp::BitAnd),
        AtomicOp::Or => binary(BinaryOp::BitOr),
        AtomicOp::Xor => binary(BinaryOp::BitXor),
        AtomicOp::Min => {
            if less(operand, old) || is_nan(old) {
                operand
            } else {
                old
            }
        }
        AtomicOp::Max => {
            if less(old, operand) || is_nan(old) {
                operand
            } else {
                old
            }
        }
        AtomicOp::Exchange => operand,
        AtomicOp::CompareSwap => {
            let equal = if scalar == Scalar::Float {
                crate::scalar::f32_of(old) == crate::scalar::f32_of(operand)
            } else {
                old == operand
            };
            if equal { operands.get(1).copied().unwrap_or(0) } else { old }
        }
        AtomicOp::IncrementWrap => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::DecrementWrap => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
    }
}
