//! Transform feedback.

use program::resource::FeedbackVarying;
use program::shader::LayoutPrimitive;
use program::{Program, Scalar, Slot, Stage, Type};

use super::geometry::output_mode;
use super::primitives::{STREAMS, VertexStream, VertexStreams};
use vocabulary::half;

use crate::assemble::PrimitiveMode;
use crate::interface::component;
use crate::primitive::PrimitiveKind;
use crate::resources::{BufferId, Objects};

/// Capture state of one `xfb draw`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Kind of the captured primitives.
    mode: PrimitiveKind,
    /// Buffers at the feedback binding points.
    buffers: [Option<BufferId>; 4],
    /// Vertices of each stream written so far.
    written_vertices: [usize; STREAMS],
    /// Primitives generated in stream 0.
    pub generated: u32,
    /// Primitives of stream 0 written.
    pub written: u32,
}

/// Captured component: buffer, byte offset in the vertex's record, output slot, component, captured
/// type.
struct CapturedComponent {
    buffer: usize,
    offset: usize,
    slot: Option<usize>,
    component: usize,
    scalar: Scalar,
}

impl CapturedComponent {
    /// Writes the component's bytes: 16-bit types are wider in their slot.
    fn write(&self, id: BufferId, base: usize, value: u32, objects: &mut Objects) {
        let short = match self.scalar {
            Scalar::Float16 => half::from_f32(f32::from_bits(value)),
            Scalar::Int16 | Scalar::Uint16 => value as u16,
            _ => return objects.write(id, base + self.offset, &value.to_le_bytes()),
        };
        objects.write(id, base + self.offset, &short.to_le_bytes());
    }
}

impl Feedback {
    /// Starts a capture of one kind of primitives into buffers.
    pub fn new(mode: PrimitiveKind, buffers: [Option<BufferId>; 4]) -> Feedback {
        Feedback { mode, buffers, written_vertices: [0; STREAMS], generated: 0, written: 0 }
    }

    /// True if a draw makes primitives of the kind that is captured (OpenGL 4.6 section 13.3.3 and
    /// table 13.1): of the mode that the last vertex stage declares, or else of the draw's own.
    pub fn accepts(&self, program: &Program, draw: PrimitiveMode) -> bool {
        captured_kind(last_mode(program).unwrap_or(draw)) == Some(self.mode)
    }

    /// Appends whole primitives of each stream as long as every buffer of the stream has room.
    pub fn capture(&mut self, program: &Program, streams: &VertexStreams, objects: &mut Objects) {
        for (number, stream) in streams.iter().enumerate() {
            let written = self.capture_stream(program, number, stream, objects);
            if number == 0 {
                self.generated += stream.primitives.len() as u32;
                self.written += written;
            }
        }
    }

    /// Captures a stream; returns the number of primitives written.
    fn capture_stream(
        &mut self,
        program: &Program,
        number: usize,
        stream: &VertexStream,
        objects: &mut Objects,
    ) -> u32 {
        let words = captured_words(program, number);
        let used = |buffer: usize| words.iter().any(|w| w.buffer == buffer);
        let mut written = 0;
        for primitive in &stream.primitives {
            let count = match primitive.kind {
                PrimitiveKind::Point => 1,
                PrimitiveKind::Line => 2,
                PrimitiveKind::Triangle => 3,
            };
            let vertices = self.written_vertices[number] + count;
            let fits = (0..4).filter(|&b| used(b)).all(|b| {
                let size = self.buffers[b].map_or(0, |id| objects.buffer(id).len());
                vertices * program.feedback_strides[b] as usize <= size
            });
            if !fits {
                continue;
            }
            for &vertex in &primitive.vertices[..count] {
                let place = self.written_vertices[number];
                self.write(program, &words, stream.vertices.get(vertex), place, objects);
                self.written_vertices[number] += 1;
            }
            written += 1;
        }
        written
    }

    /// Writes a vertex as record `place` of its buffers.
    fn write(
        &self,
        program: &Program,
        words: &[CapturedComponent],
        vertex: &[u32],
        place: usize,
        objects: &mut Objects,
    ) {
        for word in words {
            let base = place * program.feedback_strides[word.buffer] as usize;
            if let Some(id) = self.buffers[word.buffer] {
                word.write(id, base, component(vertex, word.slot, word.component), objects);
            }
        }
    }
}

/// Returns the kind that a capture needs for primitives of a mode (OpenGL 4.6 compatibility
/// profile, table 13.1); none for modes that need a geometry stage.
pub fn captured_kind(mode: PrimitiveMode) -> Option<PrimitiveKind> {
    use PrimitiveMode as M;
    Some(match mode {
        M::Points => PrimitiveKind::Point,
        M::Lines | M::LineLoop | M::LineStrip => PrimitiveKind::Line,
        M::Triangles | M::TriangleStrip | M::TriangleFan | M::Quads | M::QuadStrip | M::Polygon => {
            PrimitiveKind::Triangle
        }
        M::LinesAdjacency
        | M::LineStripAdjacency
        | M::TrianglesAdjacency
        | M::TriangleStripAdjacency
        | M::Patches => return None,
    })
}

/// Returns the mode of the primitives that a geometry or tessellation evaluation stage makes.
fn last_mode(program: &Program) -> Option<PrimitiveMode> {
    if let Some(stage) = program.stage(Stage::Geometry) {
        return Some(output_mode(stage));
    }
    let layout = &program.stage(Stage::TessEval)?.shader.layout;
    Some(match layout.input_primitive {
        _ if layout.point_mode => PrimitiveMode::Points,
        Some(LayoutPrimitive::Isolines) => PrimitiveMode::Lines,
        _ => PrimitiveMode::Triangles,
    })
}

/// A component of a captured variable, in a slot or past the last one.
struct VaryingWord {
    offset: usize,
    slot: Option<Slot>,
    component: usize,
    scalar: Scalar,
}

/// Returns the slots that transform feedback captures, with components (bit n: component n).
pub fn captured_slots(program: &Program) -> Vec<(Slot, u8)> {
    let words = program.feedback.iter().flat_map(|varying| varying_words(program, varying));
    words.filter_map(|word| Some((word.slot?, 1 << word.component))).collect()
}

/// Returns the components of the varyings of a stream.
fn captured_words(program: &Program, stream: usize) -> Vec<CapturedComponent> {
    let outputs = program.last_vertex_stage().map_or(&[][..], |s| &s.outputs);
    let find = |slot: Slot| outputs.iter().position(|v| v.slot == slot);
    let of_stream = |v: &&FeedbackVarying| usize::from(v.stream) == stream && v.buffer < 4;
    let of_varying = |varying| {
        varying_words(program, varying).into_iter().map(|word| CapturedComponent {
            buffer: usize::from(varying.buffer),
            offset: word.offset,
            slot: word.slot.and_then(find),
            component: word.component,
            scalar: word.scalar,
        })
    };
    program.feedback.iter().filter(of_stream).flat_map(of_varying).collect()
}

fn varying_words(program: &Program, varying: &FeedbackVarying) -> Vec<VaryingWord> {
    let (scalar, columns, rows) = match *program.types.get(varying.ty) {
        Type::Scalar(scalar) => (scalar, 1, 1),
        Type::Vector { scalar, size } => (scalar, 1, size),
        Type::Matrix { scalar, columns, rows } => (scalar, columns, rows),
        _ => (Scalar::Float, 1, 1),
    };
    let per_column = usize::from(rows) * scalar.bits().div_ceil(32) as usize;
    let mut words = Vec::new();
    let mut offset = varying.offset as usize;
    let (mut slot, mut component) = (Some(varying.slot), usize::from(varying.component));
    for _ in 0..u32::from(columns) * varying.array.unwrap_or(1) {
        for at in component..component + per_column {
            let place = slot.and_then(|s| advance(s, at / 4));
            words.push(VaryingWord { offset, slot: place, component: at % 4, scalar });
            offset += scalar.bytes().min(4) as usize;
        }
        if varying.packed {
            component += 1;
            continue;
        }
        let slots = (component + per_column).div_ceil(4).max(1);
        slot = slot.and_then(|s| advance(s, slots));
    }
    words
}

/// Returns the slot `count` after a slot of a numbered kind.
fn advance(slot: Slot, count: usize) -> Option<Slot> {
    let step = |n: u8| u8::try_from(usize::from(n) + count).ok();
    Some(match slot {
        _ if count == 0 => slot,
        Slot::Var(n) => Slot::Var(step(n)?),
        Slot::ClipDistance(n) => Slot::ClipDistance(step(n)?),
        Slot::TexCoord(n) => Slot::TexCoord(step(n)?),
        Slot::Color(n) => Slot::Color(step(n)?),
        Slot::BackColor(n) => Slot::BackColor(step(n)?),
        _ => return None,
    })
}
