//! From shaded vertices to the primitives that are rasterized: assembly, tessellation, geometry.

use program::Stage;

use super::draw_call::DrawCall;
use super::primitives::{
    FinalPrimitive, InputPrimitive, ShadedVertices, VertexStream, VertexStreams,
};
use super::tessellation::DefaultLevels;
use super::vertex_stage::Pipeline;
use crate::assemble::{ProvokingVertex, assemble};
use crate::device::DeviceError;

/// State of primitive assembly.
#[derive(Clone, Copy, Debug)]
pub struct Assembly {
    /// Vertex of flat outputs.
    pub provoking: ProvokingVertex,
    /// Triangles begin with it, as in Vulkan.
    pub from_provoking: bool,
    /// Vertices of a patch.
    pub patch_vertices: u32,
    /// Levels of tessellation without a control stage.
    pub defaults: DefaultLevels,
}

impl Pipeline<'_> {
    /// Assembles primitives and runs the tessellation and geometry stages. `order` maps vertices of
    /// the draw, instance by instance, to shaded ones.
    ///
    /// # Errors
    /// Fails if the device fails.
    pub fn primitives(
        &mut self,
        state: &Assembly,
        call: &DrawCall,
        mut vertices: ShadedVertices,
        order: &[u32],
    ) -> Result<VertexStreams, DeviceError> {
        let mut assembled = assemble(call.mode, call.count, state.provoking, state.patch_vertices);
        if state.from_provoking {
            let reordered = assembled.into_iter().map(|p| p.from_provoking(call.mode));
            assembled = reordered.collect();
        }
        let instances = order.chunks(call.count.max(1) as usize);
        let has_geometry = self.program.stage(Stage::Geometry).is_some();
        let tessellates = self.program.stage(Stage::TessEval).is_some();
        if !has_geometry && !tessellates {
            let of_instance = |order| {
                assembled
                    .iter()
                    .map(move |p| FinalPrimitive::new(&p.without_adjacency(call.mode), order))
            };
            let primitives = instances.flat_map(of_instance).collect();
            return Ok(only_stream(vertices, primitives));
        }
        let mut input: Vec<InputPrimitive> = instances
            .flat_map(|order| {
                let vertex = |&v: &u32| order.get(v as usize).copied().unwrap_or(0);
                assembled.iter().map(move |p| InputPrimitive {
                    vertices: p.vertices.iter().map(vertex).collect(),
                    id: p.id,
                })
            })
            .collect();
        if tessellates {
            let generated =
                self.tessellation(&vertices, &input, state.defaults, state.provoking)?;
            vertices = generated.0;
            if !has_geometry {
                let primitives = generated.1.iter().map(FinalPrimitive::generated).collect();
                return Ok(only_stream(vertices, primitives));
            }
            input = generated.1.into_iter().map(|p| p.input).collect();
        }
        self.geometry(&vertices, &input, state.provoking)
    }
}

/// Returns the streams of a draw without geometry stage.
fn only_stream(vertices: ShadedVertices, primitives: Vec<FinalPrimitive>) -> VertexStreams {
    let mut streams = VertexStreams::default();
    streams[0] = VertexStream { vertices, primitives };
    streams
}
