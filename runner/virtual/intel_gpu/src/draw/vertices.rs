//! Vertex fetch: vertex buffers to the vertex data that the first stage reads.

use gpu_service::{Outcome, not_modeled};

use super::command::Draw;
use super::state::vertices::{Component, Element, Storage};
use super::window::Slots;

/// The bits of 1.0.
const ONE: u32 = 0x3f80_0000;

/// A vertex to fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetched {
    /// Place of its data in the vertex buffers.
    pub(super) index: u32,
    /// Number that shaders see: without first and base vertex.
    pub(super) id: u32,
    /// Number of the instance, from 0.
    pub(super) instance: u32,
    /// Added to the place of instanced data.
    pub(super) first_instance: u32,
}

/// Data of a vertex as the first stage reads them.
#[derive(Clone, Debug, Default)]
pub(super) struct Vertex {
    pub(super) slots: Slots,
    /// The edge that begins at the vertex is an edge of the polygon.
    pub(super) is_edge: bool,
}

impl Draw<'_> {
    /// Fetches a vertex.
    pub(super) fn fetch(&self, vertex: Fetched) -> Outcome<Vertex> {
        let state = &self.state.vertices;
        let mut slots = Slots::new();
        let mut is_edge = true;
        for element in &state.elements {
            let source = if element.reads() { self.element(element, vertex)? } else { [0; 4] };
            if element.is_edge_flag {
                is_edge = source[0] != 0;
                continue;
            }
            let mut slot = [0; 4];
            for (i, component) in element.components.into_iter().enumerate() {
                slot[i] = match component {
                    Component::Zero => 0,
                    Component::Buffer => source[i],
                    Component::FloatOne => ONE,
                    Component::IntegerOne => 1,
                    Component::VertexId => vertex.id,
                    Component::InstanceId => vertex.instance,
                    Component::PrimitiveId => {
                        return not_modeled("primitive numbers as vertex data");
                    }
                };
            }
            slots.push(slot);
        }
        for (place, value) in [(state.vertex_id, vertex.id), (state.instance_id, vertex.instance)] {
            if let Some((element, component)) = place
                && let Some(slot) = slots.get_mut(element)
            {
                slot[component] = value;
            }
        }
        Ok(Vertex { slots, is_edge })
    }

    /// Reads an element from its buffer. Data outside the buffer are 0.
    fn element(&self, element: &Element, vertex: Fetched) -> Outcome<[u32; 4]> {
        let Some(storage) = element.storage else {
            let name = packets::format_name(element.format).unwrap_or("?");
            return not_modeled(format!("vertex format {} ({name})", element.format));
        };
        let Some(buffer) = element.buffer else { return Ok([0; 4]) };
        let item = match element.step {
            None => vertex.index,
            Some(step) => {
                let group = vertex.instance.checked_div(step).unwrap_or(0);
                vertex.first_instance.wrapping_add(group)
            }
        };
        let offset = buffer.pitch * u64::from(item) + element.offset;
        let bytes = storage.bytes();
        if buffer.is_null || offset + bytes > buffer.size {
            return Ok([0; 4]);
        }
        let mut data = [0; 32];
        let length = usize::try_from(bytes).unwrap_or(0).min(32);
        self.memory.read(buffer.start + offset, &mut data[..length])?;
        Ok(match storage {
            Storage::Doubles(count) => from_doubles(&data, count),
            Storage::Fixed(count) => from_fixed(&data, count),
            Storage::Texel(format) => {
                let mut texel = [0; 16];
                texel.copy_from_slice(&data[..16]);
                format.decode(&texel)
            }
        })
    }
}

/// Converts fixed-point numbers to floats; missing components are 0, a missing alpha is 1.
fn from_fixed(data: &[u8; 32], count: usize) -> [u32; 4] {
    let mut values = [0, 0, 0, ONE];
    for (value, bytes) in values.iter_mut().take(count).zip(data.chunks_exact(4)) {
        let number = bytes.try_into().map_or(0, i32::from_le_bytes);
        *value = ((f64::from(number) / 65536.0) as f32).to_bits();
    }
    values
}

/// Converts doubles to floats; missing components are 0, a missing alpha is 1.
fn from_doubles(data: &[u8; 32], count: usize) -> [u32; 4] {
    let mut values = [0, 0, 0, ONE];
    for (value, bytes) in values.iter_mut().take(count).zip(data.chunks_exact(8)) {
        let mut double = [0; 8];
        double.copy_from_slice(bytes);
        *value = (f64::from_le_bytes(double) as f32).to_bits();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_point_numbers_become_floats() {
        let mut data = [0; 32];
        data[..4].copy_from_slice(&0x8000_i32.to_le_bytes());
        data[4..8].copy_from_slice(&(-0x28000_i32).to_le_bytes());
        assert_eq!(from_fixed(&data, 2), [0.5, -2.5, 0.0, 1.0_f32].map(f32::to_bits));
    }

    #[test]
    fn doubles_become_floats() {
        let mut data = [0; 32];
        data[..8].copy_from_slice(&0.5_f64.to_le_bytes());
        data[8..16].copy_from_slice(&(-2.0_f64).to_le_bytes());
        assert_eq!(from_doubles(&data, 2), [0.5, -2.0, 0.0, 1.0_f32].map(f32::to_bits));
    }
}
