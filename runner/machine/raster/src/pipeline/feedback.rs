//! Transform feedback.

use program::{Program, Scalar, Slot, Type};

use super::primitives::{FinalPrimitive, ShadedVertices};
use vocabulary::half;

use crate::interface::component;
use crate::primitive::PrimitiveKind;
use crate::resources::{BufferId, Objects};

/// Capture state of one `xfb draw`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// Buffers at the feedback binding points.
    pub buffers: [Option<BufferId>; 4],
    /// Vertices written so far.
    written_vertices: usize,
    /// Primitives generated.
    pub generated: u32,
    /// Primitives written.
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
    /// Starts a capture into buffers.
    pub fn new(buffers: [Option<BufferId>; 4]) -> Feedback {
        Feedback { buffers, ..Feedback::default() }
    }

    /// Appends whole primitives as long as every buffer has room.
    pub fn capture(
        &mut self,
        program: &Program,
        vertices: &ShadedVertices,
        primitives: &[FinalPrimitive],
        objects: &mut Objects,
    ) {
        let words = captured_words(program);
        let used = |buffer: usize| words.iter().any(|w| w.buffer == buffer);
        for primitive in primitives {
            self.generated += 1;
            let count = match primitive.kind {
                PrimitiveKind::Point => 1,
                PrimitiveKind::Line => 2,
                PrimitiveKind::Triangle => 3,
            };
            let fits = (0..4).filter(|&b| used(b)).all(|b| {
                let size = self.buffers[b].map_or(0, |id| objects.buffer(id).len());
                (self.written_vertices + count) * program.feedback_strides[b] as usize <= size
            });
            if !fits {
                continue;
            }
            for &vertex in &primitive.vertices[..count] {
                self.write(program, &words, vertices.get(vertex), objects);
            }
            self.written += 1;
        }
    }

    fn write(
        &mut self,
        program: &Program,
        words: &[CapturedComponent],
        vertex: &[u32],
        objects: &mut Objects,
    ) {
        for word in words {
            let base = self.written_vertices * program.feedback_strides[word.buffer] as usize;
            if let Some(id) = self.buffers[word.buffer] {
                word.write(id, base, component(vertex, word.slot, word.component), objects);
            }
        }
        self.written_vertices += 1;
    }
}

/// Returns the components of the varyings of stream 0.
fn captured_words(program: &Program) -> Vec<CapturedComponent> {
    let outputs = program.last_vertex_stage().map_or(&[][..], |s| &s.outputs);
    let find = |slot: Slot| outputs.iter().position(|v| v.slot == slot);
    let mut words = Vec::new();
    for varying in program.feedback.iter().filter(|v| v.stream == 0 && v.buffer < 4) {
        let (scalar, columns, rows) = match *program.types.get(varying.ty) {
            Type::Scalar(scalar) => (scalar, 1, 1),
            Type::Vector { scalar, size } => (scalar, 1, size),
            Type::Matrix { scalar, columns, rows } => (scalar, columns, rows),
            _ => (Scalar::Float, 1, 1),
        };
        let per_column = usize::from(rows) * scalar.bits().div_ceil(32) as usize;
        let mut offset = varying.offset as usize;
        let mut slot = Some(varying.slot);
        for _ in 0..u32::from(columns) * varying.array.unwrap_or(1) {
            for word in 0..per_column {
                let at = usize::from(varying.component) + word;
                let place = slot.and_then(|s| advance(s, at / 4));
                words.push(CapturedComponent {
                    buffer: usize::from(varying.buffer),
                    offset,
                    slot: place.and_then(find),
                    component: at % 4,
                    scalar,
                });
                offset += scalar.bytes().min(4) as usize;
            }
            let slots = (usize::from(varying.component) + per_column).div_ceil(4).max(1);
            slot = slot.and_then(|s| advance(s, slots));
        }
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
