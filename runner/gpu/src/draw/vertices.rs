//! Vertex fetch: vertex buffers to the vertex data that the first stage reads.

use surfaces::SurfaceFormat;

use super::command::Draw;
use crate::error::{Outcome, not_modeled};

pub(super) use super::window::Slots;

/// The bits of 1.0.
const ONE: u32 = 0x3f80_0000;

impl Draw<'_> {
    /// Fetches a vertex. `instance` counts from 0 and selects instanced data, `instance_id` has the
    /// first instance added.
    pub(super) fn fetch(&self, vertex: u32, instance: u32, instance_id: u32) -> Outcome<Slots> {
        let fields = self.fields.vertex_element;
        let elements = self.context.packet("3DSTATE_VERTEX_ELEMENTS");
        let mut slots = Slots::new();
        for element in elements.get(1..).unwrap_or(&[]).chunks_exact(2) {
            if !fields.is_valid.flag(element) {
                break;
            }
            if fields.is_edge_flag.flag(element) {
                return not_modeled("edge flags as vertex data");
            }
            let source = self.element(element, vertex, instance_id)?;
            let controls =
                [fields.component_0, fields.component_1, fields.component_2, fields.component_3];
            let mut slot = [0; 4];
            for (i, control) in controls.into_iter().enumerate() {
                slot[i] = match control.get(element) {
                    0 | 2 => 0,
                    1 => source[i],
                    3 => ONE,
                    4 => 1,
                    5 => vertex,
                    6 => instance,
                    _ => return not_modeled("primitive numbers as vertex data"),
                };
            }
            slots.push(slot);
        }
        self.set_system_values(&mut slots, vertex, instance);
        Ok(slots)
    }

    /// Stores the numbers of the vertex and the instance where a separate command says so.
    fn set_system_values(&self, slots: &mut Slots, vertex: u32, instance: u32) {
        let fields = self.fields.system_values;
        let words = self.context.packet("3DSTATE_VF_SGVS");
        let values = [
            (fields.has_vertex_id, fields.vertex_id_element, fields.vertex_id_component, vertex),
            (
                fields.has_instance_id,
                fields.instance_id_element,
                fields.instance_id_component,
                instance,
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

    /// Reads an element from its buffer. Data outside the buffer are 0.
    fn element(&self, element: &[u32], vertex: u32, instance: u32) -> Outcome<[u32; 4]> {
        let fields = self.fields.vertex_buffer;
        let number = self.fields.vertex_element.format.get(element);
        let name = packets::format_name(number).unwrap_or("?");
        let doubles = doubles(name);
        let bytes = match (doubles, SurfaceFormat::of(number)) {
            (0, Some(format)) => format.bytes,
            (0, None) => return not_modeled(format!("vertex format {number} ({name})")),
            (count, _) => 8 * count as u64,
        };
        let index = self.fields.vertex_element.buffer.get(element);
        let Some(buffer) = self.context.vertex_buffers.get(&index) else {
            return Ok([0; 4]);
        };
        let is_instanced = fields.is_instanced.flag(buffer);
        let item = match fields.step.get_u32(buffer) {
            0 if is_instanced => 0,
            step if is_instanced => instance / step,
            _ => vertex,
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
    fn doubles_become_floats() {
        assert_eq!((doubles("R64G64B64_FLOAT"), doubles("R32G32_FLOAT")), (3, 0));
        let mut data = [0; 32];
        data[..8].copy_from_slice(&0.5_f64.to_le_bytes());
        data[8..16].copy_from_slice(&(-2.0_f64).to_le_bytes());
        assert_eq!(from_doubles(&data, 2), [0.5, -2.0, 0.0, 1.0_f32].map(f32::to_bits));
    }
}
