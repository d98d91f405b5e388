//! Stream output: vertices of primitives to buffers.

use gpu_service::Outcome;
use raster::assemble::PrimitiveMode;

use super::assembled::Assembled;
use crate::draw::command::Draw;
use crate::draw::counts::STREAMS;
use crate::draw::window::Slots;

/// A declaration: components of a slot that go to a buffer.
#[derive(Clone, Copy, Debug)]
struct Declaration {
    buffer: usize,
    slot: usize,
    mask: u32,
    is_hole: bool,
}

/// An output buffer.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    base: u64,
    size: u64,
    pitch: u32,
}

impl Draw<'_> {
    /// Writes primitives to the output buffers and returns the stream that is drawn.
    pub(crate) fn feedback(&self, streams: &[Assembled; 4]) -> Outcome<Option<usize>> {
        let fields = self.fields.stream_out;
        let words = self.context.packet("3DSTATE_STREAMOUT");
        if !fields.is_enabled.flag(words) {
            return Ok(Some(0));
        }
        let buffers = self.output_buffers();
        for (number, stream) in streams.iter().enumerate() {
            let declarations = self.declarations(number);
            let leads = stream.mode == PrimitiveMode::TriangleStrip && !fields.trails.flag(words);
            for primitive in &stream.primitives {
                let mut vertices = primitive.vertices.clone();
                if leads {
                    lead(&mut vertices);
                }
                self.write_primitive(number, stream, &vertices, &declarations, &buffers)?;
            }
        }
        let drawn = fields.stream.get(words) as usize & 3;
        let forced = fields.forces.get(words);
        Ok((!fields.draws_nothing.flag(words) && forced != 2).then_some(drawn))
    }

    /// Declarations of a stream.
    fn declarations(&self, stream: usize) -> Vec<Declaration> {
        let fields = self.fields.stream_out;
        let words = self.context.packet("3DSTATE_STREAMOUT");
        let offsets = [fields.offset_0, fields.offset_1, fields.offset_2, fields.offset_3];
        let first = 2 * offsets[stream].get(words) as usize;
        let list = self.context.packet("3DSTATE_SO_DECL_LIST");
        let count = list.get(2).map_or(0, |counts| counts >> (8 * stream) & 0xff) as usize;
        let entries = list.get(3..).unwrap_or(&[]).chunks_exact(2).take(count);
        let declaration = self.fields.declaration;
        entries
            .map(|entry| {
                let words = [entry[stream / 2] >> (16 * (stream % 2)) & 0xffff];
                Declaration {
                    buffer: declaration.buffer.get(&words) as usize & 3,
                    slot: first + declaration.register.get(&words) as usize,
                    mask: declaration.mask.get_u32(&words),
                    is_hole: declaration.is_hole.flag(&words),
                }
            })
            .collect()
    }

    /// Enabled buffers.
    fn output_buffers(&self) -> [Option<Buffer>; STREAMS] {
        let fields = self.fields.stream_out;
        let words = self.context.packet("3DSTATE_STREAMOUT");
        let enables = [fields.enables_0, fields.enables_1, fields.enables_2, fields.enables_3];
        let pitches = [fields.pitch_0, fields.pitch_1, fields.pitch_2, fields.pitch_3];
        let buffer = self.fields.output_buffer;
        std::array::from_fn(|i| {
            let state = self.context.output_buffers[i].as_slice();
            let is_enabled = match buffer.is_enabled.exists() {
                true => buffer.is_enabled.flag(state),
                false => enables[i].flag(words),
            };
            let base = buffer.base.get(state) & 0xffff_ffff_ffff;
            let (size, pitch) = match buffer.size.exists() {
                true => (4 * (buffer.size.get(state) + 1), pitches[i].get_u32(words)),
                false => (buffer.end.get(state).saturating_sub(base), buffer.pitch.get_u32(state)),
            };
            (is_enabled && !state.is_empty()).then_some(Buffer { base, size, pitch })
        })
    }

    /// Writes the vertices of a primitive in this order if all buffers of its declarations have
    /// room.
    fn write_primitive(
        &self,
        stream: usize,
        assembled: &Assembled,
        order: &[u32],
        declarations: &[Declaration],
        buffers: &[Option<Buffer>; STREAMS],
    ) -> Outcome<()> {
        let mut registers = self.streams.get();
        registers.needed[stream] += 1;
        let used = |i: usize| declarations.iter().any(|declaration| declaration.buffer == i);
        let vertices = u64::try_from(order.len()).unwrap_or(0);
        let has_room = (0..STREAMS).filter(|&i| used(i)).all(|i| match &buffers[i] {
            Some(buffer) => {
                u64::from(registers.offsets[i]) + vertices * u64::from(buffer.pitch) <= buffer.size
            }
            None => true,
        });
        if has_room && !declarations.is_empty() {
            for &vertex in order {
                let slots = &assembled.vertices[vertex as usize];
                self.write_vertex(slots, declarations, buffers, &registers.offsets)?;
                for i in (0..STREAMS).filter(|&i| used(i)) {
                    if let Some(buffer) = &buffers[i] {
                        registers.offsets[i] += buffer.pitch;
                    }
                }
            }
            registers.written[stream] += 1;
        }
        self.streams.set(registers);
        Ok(())
    }

    fn write_vertex(
        &self,
        slots: &Slots,
        declarations: &[Declaration],
        buffers: &[Option<Buffer>; STREAMS],
        offsets: &[u32; STREAMS],
    ) -> Outcome<()> {
        let mut places = *offsets;
        for declaration in declarations {
            let place = &mut places[declaration.buffer];
            let slot = slots.get(declaration.slot).copied().unwrap_or_default();
            for component in (0..4).filter(|c| declaration.mask >> c & 1 != 0) {
                if let (Some(buffer), false) = (&buffers[declaration.buffer], declaration.is_hole) {
                    let bytes = slot[component].to_le_bytes();
                    self.memory.write(buffer.base + u64::from(*place), &bytes)?;
                }
                *place += 4;
            }
        }
        Ok(())
    }
}

/// Has a triangle of a strip begin with the vertex that comes first in the strip. Odd triangles,
/// which swap their first two vertices, begin with the second otherwise (PRM, "3DSTATE_STREAMOUT",
/// Reorder Mode).
fn lead(triangle: &mut [u32]) {
    if triangle.first() > triangle.get(1) {
        triangle.rotate_left(1);
    }
}

#[cfg(test)]
mod tests {
    use super::lead;

    #[test]
    fn triangles_of_a_strip_begin_with_their_first_vertex() {
        let led = |mut triangle: [u32; 3]| {
            lead(&mut triangle);
            triangle
        };
        assert_eq!(led([2, 3, 4]), [2, 3, 4]);
        assert_eq!(led([4, 3, 5]), [3, 5, 4]);
    }
}
