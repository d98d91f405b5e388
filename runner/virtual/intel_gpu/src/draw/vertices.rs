//! Vertex fetch: vertex buffers to the vertex data that the first stage reads.

use surfaces::SurfaceFormat;

use super::command::Draw;
use super::window::Slots;
use crate::error::{Outcome, not_modeled};

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
        let fields = self.fields.vertex_element;
        let elements = self.context.packet("3DSTATE_VERTEX_ELEMENTS");
        let mut slots = Slots::new();
        let mut is_edge = true;
        let elements = elements.get(1..).unwrap_or(&[]).chunks_exact(2);
        for (number, element) in (0..).zip(elements) {
            if !fields.is_valid.flag(element) {
                break;
            }
            let controls =
                [fields.component_0, fields.component_1, fields.component_2, fields.component_3];
            // Elements of constants name buffers that need not exist.
            let reads = controls.iter().any(|control| control.get(element) == 1);
            let source = if reads { self.element(element, number, vertex)? } else { [0; 4] };
            if fields.is_edge_flag.flag(element) {
                is_edge = source[0] != 0;
                continue;
            }
            let mut slot = [0; 4];
            for (i, control) in controls.into_iter().enumerate() {
                slot[i] = match control.get(element) {
                    0 | 2 => 0,
                    1 => source[i],
                    3 => ONE,
                    4 => 1,
                    5 => vertex.id,
                    6 => vertex.instance,
                    _ => return not_modeled("primitive numbers as vertex data"),
                };
            }
            slots.push(slot);
        }
        self.set_system_values(&mut slots, vertex);
        Ok(Vertex { slots, is_edge })
    }

    /// Stores the numbers of the vertex and the instance where a separate command says so.
    fn set_system_values(&self, slots: &mut Slots, vertex: Fetched) {
        let fields = self.fields.system_values;
        let words = self.context.packet("3DSTATE_VF_SGVS");
        let values = [
            (fields.has_vertex_id, fields.vertex_id_element, fields.vertex_id_component, vertex.id),
            (
                fields.has_instance_id,
                fields.instance_id_element,
                fields.instance_id_component,
                vertex.instance,
            ),
        ];
        for (enable, element, component, value) in values {
            let (element, component) = (element.get_u32(words), component.get_u32(words));
            if enable.flag(words)
                && let Some(slot) = slots.get_mut(element as usize)
            {
                slot[component as usize & 3] = value;
            }
        }
    }

    /// Step of the instances that share data; `None` if each vertex has its own.
    fn step(&self, element: u64, buffer: &[u32]) -> Option<u32> {
        let (fields, own) = (self.fields.vertex_buffer, self.fields.instancing);
        // Later generations have a command for each element, earlier ones a state of the buffer.
        let (is_instanced, step, words) = match own.element.exists() {
            true => {
                let words = self.context.instancing.get(&element).map_or(&[][..], Vec::as_slice);
                (own.is_instanced, own.step, words)
            }
            false => (fields.is_instanced, fields.step, buffer),
        };
        is_instanced.flag(words).then(|| step.get_u32(words))
    }

    /// Reads an element from its buffer. Data outside the buffer are 0.
    fn element(&self, element: &[u32], place: u64, vertex: Fetched) -> Outcome<[u32; 4]> {
        let fields = self.fields.vertex_buffer;
        let number = self.fields.vertex_element.format.get(element);
        let name = packets::format_name(number).unwrap_or("?");
        let (doubles, fixed) = (doubles(name), fixed(name));
        let bytes = match (doubles, fixed, SurfaceFormat::of(number)) {
            (0, 0, Some(format)) => format.bytes,
            (0, 0, None) => return not_modeled(format!("vertex format {number} ({name})")),
            (doubles, fixed, _) => 8 * doubles as u64 + 4 * fixed as u64,
        };
        let index = self.fields.vertex_element.buffer.get(element);
        let Some(buffer) = self.context.vertex_buffers.get(&index) else {
            return Ok([0; 4]);
        };
        let item = match self.step(place, buffer) {
            None => vertex.index,
            Some(step) => {
                let group = vertex.instance.checked_div(step).unwrap_or(0);
                vertex.first_instance.wrapping_add(group)
            }
        };
        let start = fields.start.get(buffer) & 0xffff_ffff_ffff;
        let size = match fields.end.exists() {
            true => (fields.end.get(buffer) + 1).saturating_sub(start),
            false => fields.size.get(buffer),
        };
        let offset = fields.pitch.get(buffer) * u64::from(item)
            + self.fields.vertex_element.offset.get(element);
        if fields.is_null.flag(buffer) || offset + bytes > size {
            return Ok([0; 4]);
        }
        let mut data = [0; 32];
        let length = usize::try_from(bytes).unwrap_or(0).min(32);
        self.memory.read(start + offset, &mut data[..length])?;
        if doubles > 0 {
            return Ok(from_doubles(&data, doubles));
        }
        if fixed > 0 {
            return Ok(from_fixed(&data, fixed));
        }
        let mut texel = [0; 16];
        texel.copy_from_slice(&data[..16]);
        Ok(SurfaceFormat::of(number).map_or([0; 4], |format| format.decode(&texel)))
    }
}

/// Number of the components of a format of doubles that are converted to floats; else 0.
fn doubles(name: &str) -> usize {
    match name.strip_suffix("_FLOAT") {
        Some(layout) if layout.starts_with("R64") => layout.matches("64").count(),
        _ => 0,
    }
}

/// Number of the components of a format of fixed-point numbers with 16 bits of fraction; else 0.
fn fixed(name: &str) -> usize {
    name.strip_suffix("_SFIXED").map_or(0, |layout| layout.matches("32").count())
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
        assert_eq!((fixed("R32G32_SFIXED"), fixed("R32G32_FLOAT")), (2, 0));
        let mut data = [0; 32];
        data[..4].copy_from_slice(&0x8000_i32.to_le_bytes());
        data[4..8].copy_from_slice(&(-0x28000_i32).to_le_bytes());
        assert_eq!(from_fixed(&data, 2), [0.5, -2.5, 0.0, 1.0_f32].map(f32::to_bits));
    }

    #[test]
    fn doubles_become_floats() {
        assert_eq!((doubles("R64G64B64_FLOAT"), doubles("R32G32_FLOAT")), (3, 0));
        let mut data = [0; 32];
        data[..8].copy_from_slice(&0.5_f64.to_le_bytes());
        data[8..16].copy_from_slice(&(-2.0_f64).to_le_bytes());
        assert_eq!(from_doubles(&data, 2), [0.5, -2.0, 0.0, 1.0_f32].map(f32::to_bits));
    }
}
