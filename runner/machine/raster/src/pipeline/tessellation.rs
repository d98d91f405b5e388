//! Tessellation stages: control, the fixed-function tessellator, evaluation.

use program::resource::Varying;
use program::shader::{LayoutPrimitive, Spacing, StageLayout};
use program::{LinkedStage, Slot, Stage};

use super::primitives::{GeneratedPrimitive, InputPrimitive, ShadedVertices};
use super::vertex_stage::Pipeline;
use crate::assemble::ProvokingVertex;
use crate::device::{
    Batch, DeviceError, MAX_LANES, SoaTable, TessControlBatch, TessEvaluationBatch, first_lanes,
};
use crate::interface::component;
use crate::tessellate::{Domain, EdgeSpacing, Mesh, TessellationParameters, tessellate};

/// A patch after the control stage.
struct Patch {
    id: u32,
    /// Output slots of each control point.
    points: Vec<Vec<u32>>,
    /// Per-patch output slots.
    patch: Vec<u32>,
    outer: [f32; 4],
    inner: [f32; 2],
}

/// Levels used without a control stage.
#[derive(Clone, Copy, Debug)]
pub struct DefaultLevels {
    /// Outer levels.
    pub outer: [f32; 4],
    /// Inner levels.
    pub inner: [f32; 2],
}

impl Pipeline<'_> {
    /// Runs the tessellation stages over patches.
    ///
    /// # Errors
    /// Fails if the device fails.
    pub fn tessellation(
        &mut self,
        input: &ShadedVertices,
        patches: &[InputPrimitive],
        defaults: DefaultLevels,
        provoking: ProvokingVertex,
    ) -> Result<(ShadedVertices, Vec<GeneratedPrimitive>), DeviceError> {
        let program = self.program.clone();
        let Some(evaluation) = program.stage(Stage::TessEval) else {
            return Ok((ShadedVertices::default(), Vec::new()));
        };
        let vertex_outputs = program.stage(Stage::Vertex).map_or(&[][..], |s| &s.outputs);
        let control = program.stage(Stage::TessControl);
        let mut controlled = Vec::with_capacity(patches.len());
        match control {
            Some(stage) => {
                for chunk in patches.chunks(MAX_LANES) {
                    self.control(stage, vertex_outputs, input, chunk, &mut controlled)?;
                }
            }
            None => controlled.extend(patches.iter().map(|patch| Patch {
                id: patch.id,
                points: patch.vertices.iter().map(|&v| input.get(v).to_vec()).collect(),
                patch: Vec::new(),
                outer: defaults.outer,
                inner: defaults.inner,
            })),
        }
        let sources = sources(&evaluation.inputs, control.map_or(vertex_outputs, |s| &s.outputs));
        let mut vertices =
            ShadedVertices { stride: evaluation.outputs.len() * 4, words: Vec::new() };
        let mut primitives = Vec::new();
        for patch in &controlled {
            let mesh = tessellate(&parameters(&evaluation.shader.layout, patch));
            let first = (vertices.words.len() / vertices.stride.max(1)) as u32;
            self.evaluate(evaluation, &sources, patch, &mesh, &mut vertices)?;
            let index =
                if provoking == ProvokingVertex::Last { mesh.size.saturating_sub(1) } else { 0 };
            for primitive in mesh.indices.chunks_exact(mesh.size.max(1)) {
                let vertices = primitive.iter().map(|&v| first + v).collect();
                let input = InputPrimitive { vertices, id: patch.id };
                primitives.push(GeneratedPrimitive { input, provoking: index as u8 });
            }
        }
        Ok((vertices, primitives))
    }

    fn control(
        &mut self,
        stage: &LinkedStage,
        before: &[Varying],
        input: &ShadedVertices,
        chunk: &[InputPrimitive],
        patches: &mut Vec<Patch>,
    ) -> Result<(), DeviceError> {
        let lanes = chunk.len();
        let sources = sources(&stage.inputs, before);
        let size = chunk.iter().map(|p| p.vertices.len()).max().unwrap_or(0);
        let inputs = (0..size)
            .map(|v| {
                let mut channels = SoaTable::new(sources.len() * 4, lanes);
                for (lane, patch) in chunk.iter().enumerate() {
                    let vertex = input.get(patch.vertices.get(v).copied().unwrap_or(0));
                    for (row, value) in gather(vertex, &sources).into_iter().enumerate() {
                        channels.set(row, lane, value);
                    }
                }
                channels
            })
            .collect();
        let rows = stage.outputs.len() * 4;
        let points = stage.shader.layout.vertices.unwrap_or(1) as usize;
        let mut batch = Batch::TessControl(TessControlBatch {
            lanes,
            mask: first_lanes(lanes),
            primitive_id: chunk.iter().map(|p| p.id).collect(),
            inputs,
            outputs: vec![SoaTable::new(rows, lanes); points],
            patch_outputs: SoaTable::new(rows, lanes),
            outer: SoaTable::new(4, lanes),
            inner: SoaTable::new(2, lanes),
        });
        self.shade(Stage::TessControl, &mut batch)?;
        let Batch::TessControl(batch) = batch else {
            return Err(DeviceError::Execution(
                "the device changed the kind of a control batch".into(),
            ));
        };
        patches.extend(chunk.iter().enumerate().map(|(lane, patch)| Patch {
            id: patch.id,
            points: batch.outputs.iter().map(|c| c.lane(lane).collect()).collect(),
            patch: batch.patch_outputs.lane(lane).collect(),
            outer: std::array::from_fn(|i| f32::from_bits(batch.outer.get(i, lane))),
            inner: std::array::from_fn(|i| f32::from_bits(batch.inner.get(i, lane))),
        }));
        Ok(())
    }

    fn evaluate(
        &mut self,
        stage: &LinkedStage,
        sources: &[Option<usize>],
        patch: &Patch,
        mesh: &Mesh,
        vertices: &mut ShadedVertices,
    ) -> Result<(), DeviceError> {
        let inputs: Vec<Vec<u32>> = patch.points.iter().map(|p| gather(p, sources)).collect();
        let mut patch_inputs = gather(&patch.patch, sources);
        fill_levels(&stage.inputs, patch, &mut patch_inputs);
        for points in mesh.points.chunks(MAX_LANES) {
            let lanes = points.len();
            let mut tess_coord = SoaTable::new(3, lanes);
            for (lane, point) in points.iter().enumerate() {
                (0..3).for_each(|c| tess_coord.set(c, lane, point[c].to_bits()));
            }
            let mut batch = Batch::TessEval(TessEvaluationBatch {
                lanes,
                mask: first_lanes(lanes),
                primitive_id: patch.id,
                tess_coord,
                inputs: inputs.clone(),
                patch_inputs: patch_inputs.clone(),
                outer: patch.outer,
                inner: patch.inner,
                outputs: SoaTable::new(vertices.stride, lanes),
            });
            self.shade(Stage::TessEval, &mut batch)?;
            let Batch::TessEval(batch) = batch else {
                return Err(DeviceError::Execution(
                    "the device changed the kind of an evaluation batch".into(),
                ));
            };
            (0..lanes).for_each(|lane| vertices.words.extend(batch.outputs.lane(lane)));
        }
        Ok(())
    }
}

/// Returns for each input slot the output slot with its value.
fn sources(inputs: &[Varying], outputs: &[Varying]) -> Vec<Option<usize>> {
    inputs.iter().map(|v| outputs.iter().position(|o| o.slot == v.slot)).collect()
}

fn gather(values: &[u32], sources: &[Option<usize>]) -> Vec<u32> {
    sources.iter().flat_map(|&source| (0..4).map(move |c| component(values, source, c))).collect()
}

/// Writes tessellation levels that are read as inputs.
fn fill_levels(inputs: &[Varying], patch: &Patch, values: &mut [u32]) {
    for (slot, varying) in inputs.iter().enumerate() {
        let levels: &[f32] = match varying.slot {
            Slot::TessLevelOuter => &patch.outer,
            Slot::TessLevelInner => &patch.inner,
            _ => continue,
        };
        for (value, level) in values[slot * 4..].iter_mut().zip(levels) {
            *value = level.to_bits();
        }
    }
}

fn parameters(layout: &StageLayout, patch: &Patch) -> TessellationParameters {
    TessellationParameters {
        domain: match layout.input_primitive {
            Some(LayoutPrimitive::Quads) => Domain::Quads,
            Some(LayoutPrimitive::Isolines) => Domain::Isolines,
            _ => Domain::Triangles,
        },
        spacing: match layout.spacing {
            Some(Spacing::FractionalEven) => EdgeSpacing::FractionalEven,
            Some(Spacing::FractionalOdd) => EdgeSpacing::FractionalOdd,
            _ => EdgeSpacing::Equal,
        },
        clockwise: layout.clockwise.unwrap_or(false),
        point_mode: layout.point_mode,
        outer: patch.outer,
        inner: patch.inner,
    }
}
