//! Layout of a geometry shader's payload and output entries, as far as the back ends agree.

use crate::error::CompileError;
use ir::info::Primitive;
use ir::{InstKind, Intrinsic, IntrinsicOp, Shader, Step};

/// Most vertices that a geometry shader may emit.
pub const MAX_VERTICES: u32 = 1024;

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

/// Vertices of an input primitive.
pub fn vertices_in(primitive: Primitive) -> Result<u32, CompileError> {
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
pub fn topology(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => 1,
        Primitive::Lines => 3,
        _ => 5,
    }
}

/// The intrinsics of a shader that decide its layout.
pub struct GeometryUses {
    /// Reads the primitive id.
    pub primitive_id: bool,
    ends_primitives: bool,
    streams: bool,
    /// Emits vertices or ends primitives in control flow.
    pub emits_in_control_flow: bool,
}

impl GeometryUses {
    /// Scans a shader.
    #[must_use]
    pub fn of(shader: &Shader) -> GeometryUses {
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
    #[must_use]
    pub fn control(&self, output: Primitive) -> Control {
        match output {
            // Every point is a primitive of its own.
            Primitive::Points if self.streams => Control::Stream,
            Primitive::Points => Control::None,
            _ if self.ends_primitives => Control::Cut,
            _ => Control::None,
        }
    }
}
