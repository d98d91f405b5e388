//! Geometry stage: from assembled primitives to emitted strips.

use program::shader::LayoutPrimitive;
use program::{LinkedStage, Stage};

use super::primitives::{
    FinalPrimitive, InputPrimitive, ShadedVertices, VertexStream, VertexStreams,
};
use super::vertex_stage::Pipeline;
use crate::assemble::{PrimitiveMode, ProvokingVertex, assemble};
use crate::device::{
    Batch, DeviceError, EmittedVertices, GeometryBatch, MAX_LANES, SoaTable, first_lanes,
};

/// Returns the number of vertices per input primitive of a geometry stage.
pub fn input_vertices(stage: &LinkedStage) -> usize {
    match stage.shader.layout.input_primitive {
        Some(LayoutPrimitive::Points) => 1,
        Some(LayoutPrimitive::Lines) => 2,
        Some(LayoutPrimitive::LinesAdjacency) => 4,
        Some(LayoutPrimitive::TrianglesAdjacency) => 6,
        _ => 3,
    }
}

/// Returns the mode in which the emitted vertices of a geometry stage make primitives.
pub fn output_mode(stage: &LinkedStage) -> PrimitiveMode {
    match stage.shader.layout.output_primitive {
        Some(LayoutPrimitive::Points) => PrimitiveMode::Points,
        Some(LayoutPrimitive::LineStrip) => PrimitiveMode::LineStrip,
        _ => PrimitiveMode::TriangleStrip,
    }
}

impl Pipeline<'_> {
    /// Runs the geometry stage over all primitives and assembles the vertices of each stream.
    ///
    /// # Errors
    /// Fails if the device fails.
    pub fn geometry(
        &mut self,
        input: &ShadedVertices,
        primitives: &[InputPrimitive],
        provoking: ProvokingVertex,
    ) -> Result<VertexStreams, DeviceError> {
        let program = self.program.clone();
        let Some(stage) = program.stage(Stage::Geometry) else {
            return Ok(VertexStreams::default());
        };
        let before = program.stages.iter().rev().find(|s| s.shader.stage < Stage::Geometry);
        let outputs = before.map_or(&[][..], |s| &s.outputs);
        let sources: Vec<Option<usize>> =
            stage.inputs.iter().map(|v| outputs.iter().position(|o| o.slot == v.slot)).collect();
        let mode = output_mode(stage);
        let invocations = stage.shader.layout.invocations.unwrap_or(1).max(1);
        let work: Vec<(&InputPrimitive, u32)> =
            primitives.iter().flat_map(|p| (0..invocations).map(move |i| (p, i))).collect();
        let stride = stage.outputs.len() * 4;
        let mut streams = VertexStreams::default().map(|_| Strips {
            stream: VertexStream {
                vertices: ShadedVertices { stride, words: Vec::new() },
                primitives: Vec::new(),
            },
            mode,
            provoking,
        });
        for chunk in work.chunks(MAX_LANES) {
            let mut batch = geometry_batch(chunk, input, &sources, input_vertices(stage));
            self.shade(Stage::Geometry, &mut batch)?;
            let Batch::Geometry(batch) = batch else {
                return Err(DeviceError::Execution(
                    "the device changed the kind of a geometry batch".into(),
                ));
            };
            for (emitted, (primitive, _)) in batch.outputs.iter().zip(chunk) {
                for (number, strips) in streams.iter_mut().enumerate() {
                    strips.add(emitted, number, primitive.id);
                }
            }
        }
        Ok(streams.map(|strips| strips.stream))
    }
}

fn geometry_batch(
    chunk: &[(&InputPrimitive, u32)],
    input: &ShadedVertices,
    sources: &[Option<usize>],
    vertices: usize,
) -> Batch {
    let lanes = chunk.len();
    let inputs = (0..vertices)
        .map(|v| {
            let mut channels = SoaTable::new(sources.len() * 4, lanes);
            for (lane, (primitive, _)) in chunk.iter().enumerate() {
                let vertex = input.get(primitive.vertices.get(v).copied().unwrap_or(0));
                for (slot, source) in sources.iter().enumerate() {
                    for c in 0..4 {
                        let value = crate::interface::component(vertex, *source, c);
                        channels.set(slot * 4 + c, lane, value);
                    }
                }
            }
            channels
        })
        .collect();
    Batch::Geometry(GeometryBatch {
        lanes,
        mask: first_lanes(lanes),
        primitive_id: chunk.iter().map(|(p, _)| p.id).collect(),
        invocation_id: chunk.iter().map(|&(_, i)| i).collect(),
        inputs,
        outputs: vec![EmittedVertices::default(); lanes],
    })
}

/// Collects vertices emitted to one stream into primitives.
struct Strips {
    stream: VertexStream,
    mode: PrimitiveMode,
    provoking: ProvokingVertex,
}

impl Strips {
    /// Adds the vertices of an invocation that belong to stream `number`.
    fn add(&mut self, emitted: &EmittedVertices, number: usize, id: u32) {
        let mut strip: Vec<u32> = Vec::new();
        for vertex in emitted.vertices.iter().filter(|v| usize::from(v.stream) == number) {
            let vertices = &mut self.stream.vertices;
            strip.push((vertices.words.len() / vertices.stride.max(1)) as u32);
            let mut values = vertex.values.clone();
            values.resize(vertices.stride, 0);
            vertices.words.extend(values);
            if vertex.ends_primitive {
                self.end(&mut strip, id);
            }
        }
        self.end(&mut strip, id);
    }

    fn end(&mut self, strip: &mut Vec<u32>, id: u32) {
        for primitive in assemble(self.mode, strip.len() as u32, self.provoking, 1) {
            let primitive = FinalPrimitive { id, ..FinalPrimitive::new(&primitive, strip) };
            self.stream.primitives.push(primitive);
        }
        strip.clear();
    }
}
