//! A linked program.

use crate::builtin_function::BuiltinFunction;
use crate::builtin_variable::BuiltinVariable;
use crate::expression::{Expr, ExprKind};
use crate::resource::{
    ActiveBlock, Attribute, BufferVariable, FeedbackVarying, OpaqueSlot, SubroutineUniform,
    Uniform, Varying,
};
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::TypeTable;
use crate::variable::{Global, SampleLocation, Storage};

/// A stage of a linked program.
#[derive(Clone, Debug)]
pub struct LinkedStage {
    /// The merged shader; every global that is an interface variable has its placement, unreachable
    /// functions are gone.
    pub shader: Shader,
    /// Input slots in dense order (empty for the vertex stage: see [`Program::attributes`]).
    pub inputs: Vec<Varying>,
    /// Output slots in dense order (empty for the fragment stage).
    pub outputs: Vec<Varying>,
    /// True if only correctly rounded or `precise` operations contribute to its results.
    pub exact: bool,
    /// True if `float16_t` values contribute to its results, so that a small error elsewhere can
    /// become one of that precision.
    pub half_precision: bool,
    /// True if its results may depend on the order of invocations.
    pub order_dependent: bool,
    /// Number of clip distances written (or read, in the fragment stage).
    pub clip_distances: u8,
    /// Number of cull distances.
    pub cull_distances: u8,
    /// Number of clip distances of the stage before: cull distances that are read follow them.
    pub input_clip_distances: u8,
    /// True if memory can be written (storage blocks, images, atomic counters): such shaders run
    /// for every invocation.
    pub side_effects: bool,
    /// Bytes of shared memory.
    pub shared_size: u32,
}

impl LinkedStage {
    /// Returns the number of components before the first cull distance in the slots of distances.
    pub fn first_cull_distance(&self, storage: Storage) -> u8 {
        if storage == Storage::Input { self.input_clip_distances } else { self.clip_distances }
    }

    /// Returns true if a fragment stage runs once per sample: it tells the samples apart (GLSL 4.60
    /// sections 4.5 and 7.1.5).
    pub fn shades_samples(&self) -> bool {
        let of_samples = |g: &Global| {
            g.active
                && matches!(
                    g.builtin,
                    Some(BuiltinVariable::SampleId | BuiltinVariable::SamplePosition)
                )
        };
        self.inputs.iter().any(|input| input.interpolation.location == SampleLocation::Sample)
            || self.shader.globals.values().any(of_samples)
    }

    /// Returns true if a fragment stage has a critical section, which fragments of one pixel pass
    /// one after the other in the order of their primitives. The stricter of the orders that
    /// ARB_fragment_shader_interlock knows serves for all of them.
    pub fn has_critical_section(&self) -> bool {
        self.calls(|f| f == BuiltinFunction::BeginInvocationInterlock)
    }

    /// Returns true if inputs and draw-time state alone decide the outputs: no uniforms, no memory,
    /// no clock.
    pub fn sees_inputs_only(&self) -> bool {
        let of_invocation = |g: &Global| {
            matches!(
                g.storage,
                Storage::Private | Storage::Const | Storage::Input | Storage::Output
            )
        };
        self.shader.globals.values().filter(|g| g.active).all(of_invocation) && !self.reads_clock()
    }

    /// Returns true if the stage reads a clock (ARB_shader_clock).
    pub fn reads_clock(&self) -> bool {
        self.calls(|f| matches!(f, BuiltinFunction::Clock | BuiltinFunction::Clock2x32))
    }

    /// Returns true if the size of subgroups, which executors and widths have of their own, may
    /// decide results.
    pub fn sees_subgroups(&self) -> bool {
        use BuiltinVariable as B;
        let of_subgroup = |global: &Global| {
            let of_subgroup = matches!(
                global.builtin,
                Some(
                    B::SubGroupSize
                        | B::SubGroupInvocation
                        | B::SubGroupEqMask
                        | B::SubGroupGeMask
                        | B::SubGroupGtMask
                        | B::SubGroupLeMask
                        | B::SubGroupLtMask
                )
            );
            global.active && of_subgroup
        };
        let is_vote = |function: BuiltinFunction| {
            use BuiltinFunction as F;
            matches!(
                function,
                F::AllInvocations
                    | F::AnyInvocation
                    | F::AllInvocationsEqual
                    | F::Ballot
                    | F::ReadFirstInvocation
                    | F::ReadInvocation
                    | F::QuadBroadcast
            )
        };
        self.shader.globals.values().any(of_subgroup) || self.calls(is_vote)
    }

    /// Returns true if a built-in function of some kind is called anywhere.
    fn calls(&self, is_meant: impl Fn(BuiltinFunction) -> bool) -> bool {
        let is_call =
            |e: &Expr| matches!(e.kind, ExprKind::Builtin { function, .. } if is_meant(function));
        self.shader.exprs.values().any(is_call)
    }
}

/// A linked program: what both executors run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Types of all stages.
    pub types: TypeTable,
    /// Stages in pipeline order; at most one of each.
    pub stages: Vec<LinkedStage>,
    /// Vertex input slots.
    pub attributes: Vec<Attribute>,
    /// Active uniforms, default block first.
    pub uniforms: Vec<Uniform>,
    /// Active uniform blocks.
    pub uniform_blocks: Vec<ActiveBlock>,
    /// Active storage blocks.
    pub storage_blocks: Vec<ActiveBlock>,
    /// Active members of storage blocks.
    pub buffer_variables: Vec<BufferVariable>,
    /// Subroutine uniforms of all stages.
    pub subroutine_uniforms: Vec<SubroutineUniform>,
    /// Bytes of the default uniform block.
    pub default_block_size: u32,
    /// Sampler slots; shaders refer to samplers by these indices.
    pub samplers: Vec<OpaqueSlot>,
    /// Image slots.
    pub images: Vec<OpaqueSlot>,
    /// Bytes of each atomic counter buffer in use, as (binding, bytes).
    pub atomic_buffers: Vec<(u16, u32)>,
    /// Transform feedback varyings.
    pub feedback: Vec<FeedbackVarying>,
    /// Bytes per vertex of each feedback buffer.
    pub feedback_strides: [u32; 4],
    /// Difference between the interfaces of separate programs, in OpenGL ES: their pipeline is
    /// invalid, and using it an error (OpenGL ES 3.2 section 11.1.3.11).
    pub mismatch: Option<String>,
}

impl Program {
    /// The stage, when the program has it.
    pub fn stage(&self, stage: Stage) -> Option<&LinkedStage> {
        self.stages.iter().find(|s| s.shader.stage == stage)
    }

    /// The last stage before rasterization.
    pub fn last_vertex_stage(&self) -> Option<&LinkedStage> {
        self.stages.iter().rev().find(|s| s.shader.stage < Stage::Fragment)
    }
}
