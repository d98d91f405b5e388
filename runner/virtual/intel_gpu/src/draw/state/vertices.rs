//! State of vertex fetch.

use surfaces::SurfaceFormat;

use super::fields::Fields;
use crate::context::HardwareContext;

/// Bits of an address.
const ADDRESS: u64 = 0xffff_ffff_ffff;

/// Decoded state of vertex fetch.
#[derive(Clone, Debug)]
pub(crate) struct VertexState {
    pub(crate) elements: Vec<Element>,
    /// Element and component that get the number of the vertex.
    pub(crate) vertex_id: Option<(usize, usize)>,
    /// Element and component that get the number of the instance.
    pub(crate) instance_id: Option<(usize, usize)>,
    pub(crate) indices: IndexState,
}

/// An element of the data of a vertex.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// The element is the edge flag, not data.
    pub(crate) is_edge_flag: bool,
    pub(crate) components: [Component; 4],
    pub(crate) format: u64,
    pub(crate) storage: Option<Storage>,
    pub(crate) buffer: Option<VertexBuffer>,
    /// Offset in the data of a vertex.
    pub(crate) offset: u64,
    /// Number of instances that share data; `None` if each vertex has its own.
    pub(crate) step: Option<u32>,
}

/// Source of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    Zero,
    /// The component of the buffer.
    Buffer,
    FloatOne,
    IntegerOne,
    VertexId,
    InstanceId,
    PrimitiveId,
}

/// Storage of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage {
    /// This number of doubles, which become floats.
    Doubles(usize),
    /// This number of fixed-point numbers with 16 bits of fraction, which become floats.
    Fixed(usize),
    Texel(&'static SurfaceFormat),
}

/// A vertex buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexBuffer {
    pub(crate) is_null: bool,
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) pitch: u64,
}

/// State of the index buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexState {
    /// Bytes of an index.
    pub(crate) bytes: usize,
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// Index that cuts strips.
    pub(crate) cut: Option<u32>,
}

impl VertexState {
    /// Decodes the state of a context.
    pub(crate) fn decode(fields: &Fields, context: &HardwareContext) -> VertexState {
        let element = fields.vertex_element;
        let words = context.packet("3DSTATE_VERTEX_ELEMENTS").get(1..).unwrap_or(&[]);
        let valid = (0..).zip(words.chunks_exact(2)).take_while(|(_, w)| element.is_valid.flag(w));
        let values = fields.system_values;
        let words = context.packet("3DSTATE_VF_SGVS");
        let place = |element: packets::Field, component: packets::Field| {
            (element.get_u32(words) as usize, component.get_u32(words) as usize & 3)
        };
        VertexState {
            elements: valid.map(|(i, words)| Element::decode(fields, context, i, words)).collect(),
            vertex_id: (values.has_vertex_id.flag(words))
                .then(|| place(values.vertex_id_element, values.vertex_id_component)),
            instance_id: (values.has_instance_id.flag(words))
                .then(|| place(values.instance_id_element, values.instance_id_component)),
            indices: IndexState::decode(fields, context),
        }
    }
}

impl Element {
    fn decode(fields: &Fields, context: &HardwareContext, place: u64, words: &[u32]) -> Element {
        let element = fields.vertex_element;
        let controls =
            [element.component_0, element.component_1, element.component_2, element.component_3];
        let state = context.vertex_buffers.get(&element.buffer.get(words)).map(Vec::as_slice);
        let format = element.format.get(words);
        Element {
            is_edge_flag: element.is_edge_flag.flag(words),
            components: controls.map(|control| Component::of(control.get(words))),
            format,
            storage: Storage::of(format),
            buffer: state.map(|state| VertexBuffer::decode(fields, state)),
            offset: element.offset.get(words),
            step: step(fields, context, place, state.unwrap_or(&[])),
        }
    }

    /// True if a component comes from the buffer: elements of constants name buffers that need not
    /// exist.
    pub(crate) fn reads(&self) -> bool {
        self.components.contains(&Component::Buffer)
    }
}

/// Number of the instances that share data. Later generations have a command for each element,
/// earlier ones a state of the buffer.
fn step(fields: &Fields, context: &HardwareContext, place: u64, buffer: &[u32]) -> Option<u32> {
    let (old, new) = (fields.vertex_buffer, fields.instancing);
    let (is_instanced, step, words) = match new.element.exists() {
        true => {
            let words = context.instancing.get(&place).map_or(&[][..], Vec::as_slice);
            (new.is_instanced, new.step, words)
        }
        false => (old.is_instanced, old.step, buffer),
    };
    is_instanced.flag(words).then(|| step.get_u32(words))
}

impl Component {
    fn of(control: u64) -> Component {
        match control {
            0 | 2 => Component::Zero,
            1 => Component::Buffer,
            3 => Component::FloatOne,
            4 => Component::IntegerOne,
            5 => Component::VertexId,
            6 => Component::InstanceId,
            _ => Component::PrimitiveId,
        }
    }
}

impl Storage {
    /// Storage of a format; `None` for formats that are not known.
    fn of(format: u64) -> Option<Storage> {
        let name = packets::format_name(format).unwrap_or("?");
        match (doubles(name), fixed(name)) {
            (0, 0) => SurfaceFormat::of(format).map(Storage::Texel),
            (0, count) => Some(Storage::Fixed(count)),
            (count, _) => Some(Storage::Doubles(count)),
        }
    }

    /// Bytes of an element.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Storage::Doubles(count) => 8 * count as u64,
            Storage::Fixed(count) => 4 * count as u64,
            Storage::Texel(format) => format.bytes,
        }
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

impl VertexBuffer {
    fn decode(fields: &Fields, words: &[u32]) -> VertexBuffer {
        let fields = fields.vertex_buffer;
        let start = fields.start.get(words) & ADDRESS;
        VertexBuffer {
            is_null: fields.is_null.flag(words),
            start,
            size: match fields.end.exists() {
                true => (fields.end.get(words) + 1).saturating_sub(start),
                false => fields.size.get(words),
            },
            pitch: fields.pitch.get(words),
        }
    }
}

impl IndexState {
    fn decode(fields: &Fields, context: &HardwareContext) -> IndexState {
        let (buffer, vf) = (fields.index_buffer, fields.cut_index);
        let words = context.packet("3DSTATE_INDEX_BUFFER");
        let vf_words = context.packet("3DSTATE_VF");
        let bytes = 1_usize << buffer.format.get(words).min(2);
        let start = buffer.start.get(words) & ADDRESS;
        let largest = u32::MAX >> (32 - 8 * bytes);
        IndexState {
            bytes,
            start,
            size: match buffer.end.exists() {
                true => (buffer.end.get(words) + 1).saturating_sub(start),
                false => buffer.size.get(words),
            },
            cut: match vf.is_enabled.exists() {
                true => vf.is_enabled.flag(vf_words).then(|| vf.index.get_u32(vf_words)),
                false => buffer.cuts.flag(words).then_some(largest),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_become_floats() {
        assert_eq!((fixed("R32G32_SFIXED"), fixed("R32G32_FLOAT")), (2, 0));
        assert_eq!((doubles("R64G64B64_FLOAT"), doubles("R32G32_FLOAT")), (3, 0));
    }
}
