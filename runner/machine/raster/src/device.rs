//! Interface between the GL machine and the devices that execute shaders.
//!
//! A device executes one stage of a program for a [`Batch`]: structure-of-arrays inputs, an
//! execution mask, and outputs that the device fills in. All values are raw 32-bit patterns; a
//! 64-bit value is two components, low dword first. The machine interprets results of a stage only
//! where OpenGL does: positions, clip distances, fragment colors and the like.
//!
//! Fragments always come in whole 2×2 quads. The machine provides plane equations and the values of
//! the three vertices; the device interpolates.

use program::{Program, Stage, StageKey};
use vocabulary::Phase;

pub use crate::primitive::{PlaneEquation, PrimitiveKind, PrimitiveSetup};
use crate::resources::Bindings;
use crate::shader_io::ShaderIo;

/// Largest number of lanes in a batch of vertices, fragments, primitives, patches or tessellation
/// points: an execution mask fits one word. Work groups may be larger.
pub const MAX_LANES: usize = 64;

/// One bit per lane of a batch; lane 0 is the lowest bit.
pub type LaneMask = u64;

/// Returns the mask that enables the first `lanes` lanes.
pub fn first_lanes(lanes: usize) -> LaneMask {
    if lanes >= MAX_LANES { !0 } else { (1 << lanes) - 1 }
}

/// Executed instructions (simulator) or evaluated statements (interpreter): the unit of test
/// timeouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Steps(pub u64);

impl std::ops::AddAssign for Steps {
    fn add_assign(&mut self, other: Steps) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// Error of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A batch or a test executed more steps than permitted: probably an endless loop.
    #[error("{stage} shader: the limit of {limit} {unit} is reached")]
    StepLimit {
        /// The stage that was executing.
        stage: Stage,
        /// The limit.
        limit: u64,
        /// Unit of the limit, in the plural, and to what it applies: `instructions for a batch`.
        unit: &'static str,
    },
    /// Feature that is not implemented.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A phase before execution rejected the stage: compiling, validating, loading a binary.
    /// `phase` is one of the phases of results (`lower`, `allocate`, `encode`, `validate`, …).
    #[error("{phase}: {message}")]
    Rejected {
        /// Phase that rejected the stage.
        phase: Phase,
        /// Its message.
        message: String,
    },
    /// A phase crashed, for example a compiler in another process.
    #[error("{phase}: {message}")]
    Crashed {
        /// Phase that crashed.
        phase: Phase,
        /// Cause of the crash.
        message: String,
    },
    /// A phase exceeded its time limit.
    #[error("{phase}: {message}")]
    TimedOut {
        /// Phase that timed out.
        phase: Phase,
        /// The time limit.
        message: String,
    },
    /// Execution failed: illegal instruction, bad message, hang.
    #[error("{0}")]
    Execution(String),
}

/// State that all stages of a draw or dispatch share.
///
/// `program` holds the interface: dense vertex-input slots, varying slots, fragment outputs.
/// Buffers, textures and images come through [`ShaderIo`].
#[derive(Clone, Copy, Debug)]
pub struct DrawState<'a> {
    /// The linked program.
    pub program: &'a Program,
    /// Identifies the program within its machine; a device may cache by it together with the key.
    pub program_id: ProgramId,
    /// Draw-time state that compiled code may depend on.
    pub key: &'a StageKey,
}

/// A program object of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProgramId(pub u32);

/// Executor of shader stages.
pub trait Device {
    /// Prepares a stage, for example compiles it. Called once for each active stage of a draw or
    /// dispatch, before its batches and even if no batch follows. An error ends the draw.
    fn prepare(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<(), DeviceError> {
        let _ = (stage, state);
        Ok(())
    }

    /// Executes `stage` for all lanes of `batch` and fills in its outputs. The kind of the batch
    /// follows from the stage. Outputs of lanes outside the mask are ignored.
    fn shade(
        &mut self,
        stage: Stage,
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError>;

    /// Returns how many full batches of fragments the device prefers to get at once. More than one
    /// helps when shading takes long and other cores are idle.
    fn fragment_batches_at_once(&self) -> usize {
        1
    }

    /// Executes batches of fragments that neither write memory nor read the framebuffer or a clock,
    /// so that their order has no effect. Results are those of [`Device::shade`] for one batch
    /// after the other, with an error being the first batch's.
    fn shade_fragments(
        &mut self,
        state: &DrawState<'_>,
        batches: &mut [Batch],
        bindings: &Bindings,
    ) -> Result<Steps, DeviceError> {
        let mut io = bindings.clone();
        let mut steps = Steps(0);
        for batch in batches {
            steps += self.shade(Stage::Fragment, state, batch, &mut io)?;
        }
        Ok(steps)
    }
}

/// Table of 32-bit values in structure-of-arrays order: one row per component (`slot * 4 +
/// component`), one column per lane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SoaTable {
    lanes: usize,
    data: Vec<u32>,
}

impl SoaTable {
    /// Creates a table of `rows` × `lanes` zeros.
    pub fn new(rows: usize, lanes: usize) -> SoaTable {
        SoaTable { lanes, data: vec![0; rows * lanes] }
    }

    /// Returns the number of lanes in a row.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns the number of rows: four per slot.
    pub fn rows(&self) -> usize {
        self.data.len().checked_div(self.lanes).unwrap_or(0)
    }

    /// Returns the values of one component for all lanes.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.data[row * self.lanes..][..self.lanes]
    }

    /// Returns the values of one component for all lanes, for writing.
    pub fn row_mut(&mut self, row: usize) -> &mut [u32] {
        &mut self.data[row * self.lanes..][..self.lanes]
    }

    /// Returns one value.
    pub fn get(&self, row: usize, lane: usize) -> u32 {
        self.row(row)[lane]
    }

    /// Returns one value; `None` past the last row.
    pub fn find(&self, row: usize, lane: usize) -> Option<u32> {
        (row < self.rows()).then(|| self.get(row, lane))
    }

    /// Sets one value.
    pub fn set(&mut self, row: usize, lane: usize, value: u32) {
        self.row_mut(row)[lane] = value;
    }

    /// Returns all components of one lane, row by row.
    pub fn lane(&self, lane: usize) -> impl Iterator<Item = u32> + '_ {
        self.data.iter().skip(lane).step_by(self.lanes.max(1)).copied()
    }
}

/// Work for one stage.
#[derive(Clone, Debug)]
pub enum Batch {
    /// Vertices.
    Vertex(VertexBatch),
    /// Whole patches, one per lane.
    TessControl(TessControlBatch),
    /// Points of one tessellated patch.
    TessEval(TessEvaluationBatch),
    /// Primitives, one (or one invocation of one) per lane.
    Geometry(GeometryBatch),
    /// Quads of pixels.
    Fragment(FragmentBatch),
    /// One work group.
    Compute(ComputeBatch),
}

impl Batch {
    /// Returns the number of lanes; of a work group the number of invocations.
    pub fn lanes(&self) -> usize {
        match self {
            Batch::Vertex(b) => b.lanes,
            Batch::TessControl(b) => b.lanes,
            Batch::TessEval(b) => b.lanes,
            Batch::Geometry(b) => b.lanes,
            Batch::Fragment(b) => b.quads.len() * 4,
            Batch::Compute(b) => b.local_size.iter().map(|&n| n as usize).product(),
        }
    }
}

/// Vertices of one draw.
#[derive(Clone, Debug)]
pub struct VertexBatch {
    /// Number of lanes, at most [`MAX_LANES`].
    pub lanes: usize,
    /// Lanes to run.
    pub mask: LaneMask,
    /// Attribute values: row `slot * 4 + component`, `slot` being the index in
    /// [`Program::attributes`]. A dvec3 or dvec4 (column) takes two slots: x and y in the first, z
    /// and w in the second.
    pub inputs: SoaTable,
    /// `gl_VertexID`.
    pub vertex_id: Vec<u32>,
    /// `gl_InstanceID`.
    pub instance_id: Vec<u32>,
    /// `gl_BaseVertex`.
    pub base_vertex: u32,
    /// `gl_BaseInstance`.
    pub base_instance: u32,
    /// `gl_DrawID`.
    pub draw_id: u32,
    /// To fill: row `slot * 4 + component`, `slot` being the index in the stage's
    /// [`program::LinkedStage::outputs`], built-in outputs included.
    pub outputs: SoaTable,
}

impl VertexBatch {
    /// True if everything but the outputs is equal.
    pub fn has_inputs_of(&self, other: &VertexBatch) -> bool {
        self.lanes == other.lanes
            && self.mask == other.mask
            && self.inputs == other.inputs
            && self.vertex_id == other.vertex_id
            && self.instance_id == other.instance_id
            && (self.base_vertex, self.base_instance, self.draw_id)
                == (other.base_vertex, other.base_instance, other.draw_id)
    }
}

/// Patches for the tessellation control stage: every lane is one patch and runs all its output
/// invocations.
#[derive(Clone, Debug)]
pub struct TessControlBatch {
    /// Number of patches, at most [`MAX_LANES`].
    pub lanes: usize,
    /// Patches to run.
    pub mask: LaneMask,
    /// `gl_PrimitiveID`.
    pub primitive_id: Vec<u32>,
    /// For each input control point (as many as `gl_PatchVerticesIn`) the stage's own input slots.
    pub inputs: Vec<SoaTable>,
    /// To fill: for each output control point the stage's output slots.
    pub outputs: Vec<SoaTable>,
    /// To fill: `patch out` slots, under the same slot numbers (the stage's outputs list both
    /// kinds).
    pub patch_outputs: SoaTable,
    /// To fill: `gl_TessLevelOuter`, four rows of f32. The levels are taken from here, not from
    /// `patch_outputs`.
    pub outer: SoaTable,
    /// To fill: `gl_TessLevelInner`, two rows of f32.
    pub inner: SoaTable,
}

/// Points of one patch for the tessellation evaluation stage.
#[derive(Clone, Debug)]
pub struct TessEvaluationBatch {
    /// Number of points, at most [`MAX_LANES`].
    pub lanes: usize,
    /// Points to run.
    pub mask: LaneMask,
    /// `gl_PrimitiveID` of the patch.
    pub primitive_id: u32,
    /// `gl_TessCoord`: three rows of f32.
    pub tess_coord: SoaTable,
    /// Control points: `inputs[vertex][slot * 4 + component]`, the stage's own per-vertex input
    /// slots.
    pub inputs: Vec<Vec<u32>>,
    /// Values of the `patch in` slots, under the same slot numbers (the stage's inputs list both
    /// kinds).
    pub patch_inputs: Vec<u32>,
    /// `gl_TessLevelOuter`.
    pub outer: [f32; 4],
    /// `gl_TessLevelInner`.
    pub inner: [f32; 2],
    /// To fill: the stage's output slots.
    pub outputs: SoaTable,
}

/// Primitives for the geometry stage.
#[derive(Clone, Debug)]
pub struct GeometryBatch {
    /// Number of lanes (primitives × invocations), at most [`MAX_LANES`].
    pub lanes: usize,
    /// Lanes to run.
    pub mask: LaneMask,
    /// `gl_PrimitiveIDIn`.
    pub primitive_id: Vec<u32>,
    /// `gl_InvocationID`.
    pub invocation_id: Vec<u32>,
    /// For each vertex of the input primitive (1, 2, 3, 4 or 6) the stage's own input slots, in the
    /// order of [`program::LinkedStage::inputs`].
    pub inputs: Vec<SoaTable>,
    /// To fill: vertices emitted by each lane.
    pub outputs: Vec<EmittedVertices>,
}

/// Vertices emitted by one geometry invocation, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmittedVertices {
    /// The vertices, each all output slots (`slot * 4 + component`).
    pub vertices: Vec<EmittedVertex>,
}

/// One `EmitStreamVertex`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmittedVertex {
    /// The stream it was emitted to.
    pub stream: u8,
    /// `EndPrimitive` of that stream followed this vertex.
    pub ends_primitive: bool,
    /// Row `slot * 4 + component` of the stage's output slots.
    pub values: Vec<u32>,
}

/// Quads of one draw, from one or more primitives.
///
/// Lane `4 * quad + i` is the pixel at (`x + (i & 1)`, `y + (i >> 1)`) of that quad.
#[derive(Clone, Debug)]
pub struct FragmentBatch {
    /// The quads, at most [`MAX_LANES`] / 4.
    pub quads: Vec<Quad>,
    /// Lanes that are not helpers. All four lanes of every quad execute; stores, atomics and
    /// results of helpers have no effect.
    pub live: LaneMask,
    /// The primitives the quads refer to.
    pub primitives: Vec<PrimitiveSetup>,
    /// Samples per pixel of the framebuffer; 1 when it is not multisampled.
    pub samples: u32,
    /// Positions of the samples within a pixel, from its lower left corner; one entry, the center,
    /// without multisampling.
    pub sample_positions: Vec<[f64; 2]>,
    /// With per-sample shading the sample each quad runs for.
    pub sample_id: Option<u32>,
    /// `gl_SampleMaskIn`: covered samples of each lane.
    pub sample_mask_in: Vec<u32>,
    /// To fill.
    pub outputs: FragmentOutputs,
}

/// A 2×2 block of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quad {
    /// Window x of the left column; even.
    pub x: i32,
    /// Window y of the bottom row; even.
    pub y: i32,
    /// Index into [`FragmentBatch::primitives`].
    pub primitive: u32,
}

/// Outputs of the fragment stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentOutputs {
    /// Row `location * 4 + component`, index 0 of dual-source blending. For `gl_FragColor` only
    /// location 0 is written; the machine broadcasts it.
    pub color: SoaTable,
    /// Index 1 of dual-source blending, location 0: four rows.
    pub dual_source: SoaTable,
    /// `gl_FragDepth` as f32 bits, when the program writes it.
    pub depth: Vec<u32>,
    /// `gl_SampleMask[0]`, when the program writes it.
    pub sample_mask: Vec<u32>,
    /// `gl_FragStencilRef`, when the program writes it.
    pub stencil: Vec<u32>,
    /// Lanes that executed `discard` (or were demoted).
    pub killed: LaneMask,
    /// Covered lanes of which GLSL leaves everything undefined, as far as the device detects it.
    pub undefined: LaneMask,
    /// Lanes with an undefined component, by row of `color`; empty if there are none.
    pub undefined_colors: Vec<LaneMask>,
}

impl FragmentOutputs {
    /// Creates zeroed outputs for `locations` color locations and `lanes` lanes.
    pub fn new(locations: usize, lanes: usize) -> FragmentOutputs {
        FragmentOutputs {
            color: SoaTable::new(locations * 4, lanes),
            dual_source: SoaTable::new(4, lanes),
            depth: vec![0; lanes],
            sample_mask: vec![!0; lanes],
            stencil: vec![0; lanes],
            killed: 0,
            undefined: 0,
            undefined_colors: Vec::new(),
        }
    }

    /// Returns the lanes in which something is undefined.
    pub fn any_undefined(&self) -> LaneMask {
        self.undefined_colors.iter().fold(self.undefined, |all, lanes| all | lanes)
    }
}

/// One work group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputeBatch {
    /// `gl_NumWorkGroups`.
    pub num_groups: [u32; 3],
    /// `gl_WorkGroupID`.
    pub group_id: [u32; 3],
    /// `gl_WorkGroupSize`, or `gl_LocalGroupSizeARB` with variable group size.
    pub local_size: [u32; 3],
}
