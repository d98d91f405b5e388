//! Vertex input: attributes from the buffers of a script.

use std::sync::Arc;

use program::{Program, Scalar, Type};
use raster::pipeline::vertex_data::FetchAttributes;
use vk_script::{ChannelName, Draw, DrawVertices, Numeric, Pipeline, VertexRate};

use crate::error::{Flow, invalid};
use crate::store::Store;
use crate::texels::{bits, number, signed};

/// Vertex input of a draw.
pub(crate) struct Fetch {
    plan: Vec<Slot>,
}

/// Fetch of an input slot.
struct Slot {
    source: Option<Source>,
    scalar: Scalar,
    /// Components 2 and 3 of a column of 64 bits.
    upper: bool,
}

/// An attribute in memory.
#[derive(Clone)]
struct Source {
    bytes: Arc<Vec<u8>>,
    /// Offset in bits, size in bits and encoding of each component that there is.
    components: [Option<(u32, u32, Numeric)>; 4],
    offset: usize,
    stride: usize,
    rate: VertexRate,
}

impl Fetch {
    /// Matches the attributes of a program with the vertex input of a draw.
    pub(crate) fn new(
        store: &mut Store<'_>,
        program: &Program,
        pipeline: &Pipeline,
        draw: &Draw,
    ) -> Flow<Fetch> {
        let sources = match &draw.vertices {
            DrawVertices::Rectangle(rectangle) => {
                let positions = rectangle.positions().into_iter().flatten();
                let float = |index: u32| Some((index * 32, 32, Numeric::Float));
                let source = Source {
                    bytes: Arc::new(positions.flat_map(f32::to_le_bytes).collect()),
                    components: [float(0), float(1), None, None],
                    offset: 0,
                    stride: 8,
                    rate: VertexRate::Vertex,
                };
                vec![(0, source)]
            }
            DrawVertices::Buffers => of_buffers(store, pipeline)?,
        };
        let slot = |attribute: &program::resource::Attribute| {
            let source = sources.iter().find(|(location, _)| *location == attribute.location);
            let scalar = match *program.types.get(attribute.ty) {
                Type::Scalar(scalar) | Type::Vector { scalar, .. } => scalar,
                _ => Scalar::Float,
            };
            let source = source.map(|(_, source)| source.clone());
            Slot { source, scalar, upper: attribute.upper }
        };
        Ok(Fetch { plan: program.attributes.iter().map(slot).collect() })
    }
}

fn of_buffers(store: &mut Store<'_>, pipeline: &Pipeline) -> Flow<Vec<(u32, Source)>> {
    let mut sources = Vec::new();
    for vertex in &pipeline.vertex_buffers {
        let format = &vertex.format;
        if format.vk.is_none() {
            let name = &format.name;
            return Err(invalid(format!(
                "vertex data of format `{name}` has no format of attributes"
            )));
        }
        store.update(vertex.buffer);
        let mut components = [None; 4];
        for channel in &format.channels {
            let component = match channel.name {
                ChannelName::R => 0,
                ChannelName::G => 1,
                ChannelName::B => 2,
                ChannelName::A => 3,
                ChannelName::D | ChannelName::S | ChannelName::X => continue,
            };
            components[component] = Some((channel.offset, channel.bits, channel.numeric));
        }
        let source = Source {
            bytes: store.bytes(vertex.buffer).clone(),
            components,
            offset: vertex.offset as usize,
            stride: vertex.stride as usize,
            rate: vertex.rate,
        };
        sources.push((vertex.location, source));
    }
    Ok(sources)
}

impl Source {
    /// Returns the code of a component of a vertex, with its size and encoding.
    fn code(&self, component: usize, row: u32) -> Option<(u64, u32, Numeric)> {
        let (offset, size, numeric) = self.components[component]?;
        let first = self.offset.saturating_add(self.stride.saturating_mul(row as usize));
        let bytes = self.bytes.get(first..).unwrap_or_default();
        Some((bits(bytes, offset, size), size, numeric))
    }
}

impl FetchAttributes for Fetch {
    fn slots(&self) -> usize {
        self.plan.len()
    }

    fn slot(&self, slot: usize, vertex: u32, instance: u32) -> [u32; 4] {
        let Slot { source, scalar, upper } = &self.plan[slot];
        let is_float = matches!(scalar, Scalar::Float | Scalar::Float16 | Scalar::Double);
        let code = |component: usize| {
            let source = source.as_ref()?;
            let row = if source.rate == VertexRate::Instance { instance } else { vertex };
            source.code(component, row)
        };
        if scalar.bits() == 64 {
            let first = if *upper { 2 } else { 0 };
            let pair = [first, first + 1].map(|component| {
                let missing = match (component, is_float) {
                    (3, true) => 1f64.to_bits(),
                    (3, false) => 1,
                    _ => 0,
                };
                code(component).map_or(missing, |(code, ..)| code)
            });
            let low = |value: u64| [value as u32, (value >> 32) as u32];
            let [[a, b], [c, d]] = pair.map(low);
            return [a, b, c, d];
        }
        std::array::from_fn(|component| match code(component) {
            Some((code, bits, numeric)) if is_float => number(numeric, bits, code).to_bits(),
            Some((code, bits, Numeric::Sint)) => signed(code, bits) as u32,
            Some((code, ..)) => code as u32,
            None if component != 3 => 0,
            None if is_float => 1f32.to_bits(),
            None => 1,
        })
    }
}
