//! State of the vertex and tessellation stages, and of those that a draw passes through.

use packets::Field;

use super::fields::Fields;
use crate::context::HardwareContext;

/// Stages before rasterization.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    /// The vertex shader, if there is one.
    pub(crate) vertex: Option<VertexStage>,
    /// The tessellator, if patches are tessellated.
    pub(crate) tessellation: Option<Tessellation>,
    /// Primitives pass through a geometry shader.
    pub(crate) has_geometry: bool,
    /// Masks of the clip distances that the last stage names: those that clip, and those that cull.
    pub(crate) distances: [u64; 2],
}

/// A program as the state of its stage names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    /// Offset of the kernel from the base of instructions.
    pub(crate) kernel: u64,
    /// First register of the constants.
    pub(crate) start: u32,
    /// Field with the scratch space of a thread.
    pub(crate) scratch: u64,
}

/// The vertex shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexStage {
    pub(crate) program: Program,
    /// Threads have eight vertices, with a register for each component; else two.
    pub(crate) is_wide: bool,
    /// Number of slots before the first one that threads get.
    pub(crate) skipped_slots: usize,
    pub(crate) slots: usize,
}

/// Tessellation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tessellation {
    /// The control shader, if there is one.
    pub(crate) control: Option<ControlStage>,
    pub(crate) evaluation: EvaluationStage,
    /// Numbers of the domain, of the primitives, and of the spacing.
    pub(crate) domain: u64,
    pub(crate) topology: u64,
    pub(crate) partitioning: u64,
}

/// The tessellation control shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlStage {
    pub(crate) program: Program,
    /// Threads of a patch.
    pub(crate) threads: u32,
    /// A thread has several patches.
    pub(crate) shares_threads: bool,
}

/// The tessellation evaluation shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvaluationStage {
    pub(crate) program: Program,
    /// Number of the dispatch mode.
    pub(crate) mode: u64,
    /// Number of double words of the patch before those that threads get.
    pub(crate) skipped_dwords: usize,
    pub(crate) registers: usize,
}

impl Stages {
    /// Decodes the state of a context.
    pub(crate) fn decode(fields: &Fields, context: &HardwareContext) -> Stages {
        let (vs, ds, gs) = (fields.vs, fields.ds, fields.gs);
        let tessellation = Tessellation::decode(fields, context);
        let gs_words = context.packet("3DSTATE_GS");
        let has_geometry = gs.is_enabled.flag(gs_words);
        let masks = |fields: [Field; 2], words: &[u32]| fields.map(|field| field.get(words));
        let distances = match (has_geometry, &tessellation) {
            (true, _) => masks([gs.distances, gs.culls], gs_words),
            (false, Some(_)) => masks([ds.distances, ds.culls], context.packet("3DSTATE_DS")),
            (false, None) => masks([vs.distances, vs.culls], context.packet("3DSTATE_VS")),
        };
        let vertex = VertexStage::decode(fields, context);
        Stages { vertex, tessellation, has_geometry, distances }
    }
}

impl VertexStage {
    fn decode(fields: &Fields, context: &HardwareContext) -> Option<VertexStage> {
        let vs = fields.vs;
        let words = context.packet("3DSTATE_VS");
        // Offset and length count pairs of slots.
        vs.is_enabled.flag(words).then(|| VertexStage {
            program: Program {
                kernel: vs.kernel.get(words),
                start: vs.inputs.get_u32(words),
                scratch: vs.scratch.get(words),
            },
            is_wide: vs.is_wide.flag(words),
            skipped_slots: 2 * vs.read_offset.get_u32(words) as usize,
            slots: 2 * vs.read_length.get_u32(words) as usize,
        })
    }
}

impl Tessellation {
    fn decode(fields: &Fields, context: &HardwareContext) -> Option<Tessellation> {
        let te = fields.te;
        let words = context.packet("3DSTATE_TE");
        te.is_enabled.flag(words).then(|| Tessellation {
            control: ControlStage::decode(fields, context),
            evaluation: EvaluationStage::decode(fields, context),
            domain: te.domain.get(words),
            topology: te.topology.get(words),
            partitioning: te.partitioning.get(words),
        })
    }
}

impl ControlStage {
    fn decode(fields: &Fields, context: &HardwareContext) -> Option<ControlStage> {
        let hs = fields.hs;
        let words = context.packet("3DSTATE_HS");
        hs.is_enabled.flag(words).then(|| ControlStage {
            program: Program {
                kernel: hs.kernel.get(words),
                start: hs.inputs.get_u32(words),
                scratch: hs.scratch.get(words),
            },
            threads: hs.instances.get_u32(words) + 1,
            shares_threads: hs.mode.flag(words),
        })
    }
}

impl EvaluationStage {
    fn decode(fields: &Fields, context: &HardwareContext) -> EvaluationStage {
        let ds = fields.ds;
        let words = context.packet("3DSTATE_DS");
        EvaluationStage {
            program: Program {
                kernel: ds.kernel.get(words),
                start: ds.inputs.get_u32(words),
                scratch: ds.scratch.get(words),
            },
            mode: ds.mode.get(words),
            skipped_dwords: 8 * ds.read_offset.get_u32(words) as usize,
            registers: ds.read_length.get_u32(words) as usize,
        }
    }
}
