//! Layout of a geometry shader's payload and output entries, as far as the back ends agree.

use super::vue;
use crate::error::CompileError;
use crate::lir::REG_SIZE;
use crate::output::{GeometryDispatch, GeometryInterface, VueMap};
use ir::info::{GeometryInfo, Primitive};
use ir::{InstKind, Intrinsic, IntrinsicOp, Shader, Step};

/// Maximum number of vertices that a geometry shader may emit.
const MAX_VERTICES: u32 = 1024;

/// Control data of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// Nothing: points of one stream, or strips that only end with the thread.
    #[default]
    None,
    /// A bit that ends the strip after the vertex.
    Cut,
    /// The stream of the vertex.
    Stream,
}

impl Control {
    /// Bits per vertex.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Control::None => 0,
            Control::Cut => 1,
            Control::Stream => 2,
        }
    }

    /// Vertices whose control data shares a dword, as a power of two.
    pub fn per_dword_log2(self) -> u32 {
        if self == Control::Stream { 4 } else { 5 }
    }
}

/// Layout of the entries of a geometry shader.
#[derive(Clone, Debug)]
pub struct GeometryLayout {
    info: GeometryInfo,
    /// Layout of the input vertices.
    pub inputs: VueMap,
    /// Vertices of the input primitive.
    pub vertices_in: u32,
    /// The shader reads the primitive id.
    pub primitive_id: bool,
    /// The shader emits vertices or ends primitives in control flow.
    pub emits_in_control_flow: bool,
    /// Maximum number of vertices.
    pub max_vertices: u32,
    /// Control data of a vertex.
    pub control: Control,
    /// Size of an output vertex in 32-byte units.
    pub vertex_hwords: u32,
}

impl GeometryLayout {
    /// Returns the layout of a shader with output vertices of `outputs`.
    ///
    /// # Errors
    /// The shader takes primitives that do not exist here or emits too many vertices.
    pub fn new(shader: &Shader, outputs: &VueMap) -> Result<GeometryLayout, CompileError> {
        let info = &shader.info.geometry;
        if info.max_vertices > MAX_VERTICES {
            let message = format!("{} output vertices are too many", info.max_vertices);
            return Err(CompileError::lower(message));
        }
        let uses = GeometryUses::of(shader);
        Ok(GeometryLayout {
            inputs: vue::input_map(shader)?,
            vertices_in: vertices_in(info.input)?,
            primitive_id: uses.primitive_id,
            emits_in_control_flow: uses.emits_in_control_flow,
            max_vertices: info.max_vertices,
            control: uses.control(info.output),
            vertex_hwords: outputs.slots.len().div_ceil(2) as u32,
            info: info.clone(),
        })
    }

    /// True if each primitive is run more than once.
    #[must_use]
    pub fn is_instanced(&self) -> bool {
        self.info.invocations > 1
    }

    /// Bits of the control data header.
    #[must_use]
    pub fn header_bits(&self) -> u32 {
        self.control.bits() * self.max_vertices
    }

    /// 32-byte units of the control data header.
    #[must_use]
    pub fn header_hwords(&self) -> u32 {
        self.header_bits().div_ceil(REG_SIZE * 8)
    }

    /// Returns the interface of a shader whose threads are dispatched as `dispatch`.
    #[must_use]
    pub fn interface(self, outputs: VueMap, dispatch: GeometryDispatch) -> GeometryInterface {
        GeometryInterface {
            control_header_size: self.header_hwords(),
            control_stream_ids: self.control == Control::Stream,
            static_vertex_count: None,
            inputs: self.inputs,
            vertices_in: self.vertices_in,
            primitive_id: self.primitive_id,
            input_handles: false,
            outputs,
            output_vertex_size: self.vertex_hwords,
            max_vertices: self.max_vertices,
            output_topology: topology(self.info.output),
            invocations: self.info.invocations.max(1),
            dispatch,
        }
    }
}

/// Vertices of an input primitive.
fn vertices_in(primitive: Primitive) -> Result<u32, CompileError> {
    Ok(match primitive {
        Primitive::Points => 1,
        Primitive::Lines => 2,
        Primitive::Triangles => 3,
        Primitive::LinesAdjacency => 4,
        Primitive::TrianglesAdjacency => 6,
        Primitive::Quads | Primitive::Isolines => {
            return Err(CompileError::lower("geometry shaders take no quads or isolines"));
        }
    })
}

/// Hardware code of an output topology.
fn topology(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => 1,
        Primitive::Lines => 3,
        _ => 5,
    }
}

/// The intrinsics of a shader that decide its layout.
struct GeometryUses {
    /// Reads the primitive id.
    primitive_id: bool,
    ends_primitives: bool,
    streams: bool,
    /// Emits vertices or ends primitives in control flow.
    emits_in_control_flow: bool,
}

impl GeometryUses {
    /// Scans a shader.
    fn of(shader: &Shader) -> GeometryUses {
        let mut uses = GeometryUses {
            primitive_id: false,
            ends_primitives: false,
            streams: false,
            emits_in_control_flow: false,
        };
        let mut depth = 0u32;
        for step in shader.walk() {
            match step {
                Step::If(_) | Step::Loop(_) => depth += 1,
                Step::EndIf(_) | Step::EndLoop(_) => depth = depth.saturating_sub(1),
                Step::Else(_) => {}
                Step::Block(block) => {
                    for &inst in &shader.blocks[block].insts {
                        if let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind {
                            uses.record(intrinsic, depth > 0);
                        }
                    }
                }
            }
        }
        uses
    }

    fn record(&mut self, intrinsic: &Intrinsic, nested: bool) {
        match intrinsic.op {
            IntrinsicOp::PrimitiveId => self.primitive_id = true,
            IntrinsicOp::EmitVertex => {
                self.emits_in_control_flow |= nested;
                self.streams |= intrinsic.fields.stream != 0;
            }
            IntrinsicOp::EndPrimitive => {
                self.emits_in_control_flow |= nested;
                self.ends_primitives = true;
            }
            _ => {}
        }
    }

    /// Control data of a shader with the output primitive `output`.
    fn control(&self, output: Primitive) -> Control {
        match output {
            // Every point is a primitive of its own.
            Primitive::Points if self.streams => Control::Stream,
            Primitive::Points => Control::None,
            _ if self.ends_primitives => Control::Cut,
            _ => Control::None,
        }
    }
}
