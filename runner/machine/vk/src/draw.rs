//! Draws.

use std::sync::Arc;

use program::{Program, Stage, StageKey, TargetKind};
use raster::assemble::ProvokingVertex;
use raster::deferred::{DrawContext, DrawRecorder, RenderTarget, ShadeMode};
use raster::device::{Device, Steps};
use raster::format::{Channel, Format, FormatClass};
use raster::interface::{FragmentInput, fragment_inputs};
use raster::multisample::Multisample;
use raster::pipeline::assembly::Assembly;
use raster::pipeline::draw_call::{DrawCall, DrawParameters};
use raster::pipeline::primitive_setup::{PrimitiveAssembler, VIEWPORTS, ViewportSwizzle};
use raster::pipeline::primitives::{FinalPrimitive, ShadedVertices, VertexStream};
use raster::pipeline::tessellation::DefaultLevels;
use raster::pipeline::vertex_stage::Pipeline as Stages;
use raster::rasterize::{Rect, samples};
use raster::setup::{DepthUnit, RasterState, RasterizedPrimitive};
use raster::setup_cache::SetupCache;
use vk_script::{CullMode, Draw, FrontFace, Pipeline, PipelineId};

use crate::attachments::Attachments;
use crate::bindings::bind;
use crate::error::{Flow, invalid};
use crate::machine::{MAX_VERTICES, Machine, Object};
use crate::state::{compare, depth_bias, mode, output, polygon_mode, viewport};
use crate::vertices::Fetch;

impl Machine<'_> {
    /// Executes a draw, and shades every pixel that it covers.
    pub(crate) fn draw(&mut self, id: PipelineId, draw: &Draw, device: &mut dyn Device) -> Flow {
        if u64::from(draw.count) * u64::from(draw.instances) > MAX_VERTICES {
            return Err(invalid("a draw of more than 2²² vertices"));
        }
        let pipeline = self.script().pipeline(id);
        let indices = self.indices(pipeline, draw)?;
        let attachments = Attachments::take(&mut self.store, pipeline)?;
        let mut target = Target { attachments, is_undefined: false };
        let all = indices.as_ref().map(|indices| &indices.all[..]);
        let drawn = parts(pipeline, draw, indices.as_ref())
            .into_iter()
            .try_for_each(|part| self.draw_part(id, draw, all, part, &mut target, device));
        self.has_undefined_texels |= target.is_undefined;
        target.attachments.put(&mut self.store, pipeline);
        drawn
    }

    /// Returns the indices of an indexed draw.
    fn indices(&mut self, pipeline: &Pipeline, draw: &Draw) -> Flow<Option<Indices>> {
        if !draw.indexed {
            return Ok(None);
        }
        let buffer = pipeline.indices.ok_or_else(|| invalid("the pipeline has no index buffer"))?;
        self.store.update(buffer);
        let format = &self.script().buffer(buffer).format;
        let bytes = self.store.bytes(buffer);
        let (all, restart) = match format.size {
            1 => (bytes.iter().map(|&index| index.into()).collect(), 0xff),
            2 => {
                let (words, _) = bytes.as_chunks::<2>();
                (words.iter().map(|&word| u16::from_le_bytes(word).into()).collect(), 0xffff)
            }
            4 => {
                let (words, _) = bytes.as_chunks::<4>();
                (words.iter().map(|&word| u32::from_le_bytes(word)).collect(), u32::MAX)
            }
            _ => return Err(invalid(format!("indices have format {}", format.name))),
        };
        Ok(Some(Indices { all, restart }))
    }

    /// Draws some of the vertices: those between two restarts of primitives.
    fn draw_part(
        &mut self,
        id: PipelineId,
        draw: &Draw,
        indices: Option<&[u32]>,
        (first, count): (u32, u32),
        target: &mut Target,
        device: &mut dyn Device,
    ) -> Flow {
        let pipeline = self.script().pipeline(id);
        let (program_id, object) = self.object(id)?;
        let object = object.clone();
        let program = object.program.clone();
        if program.stage(Stage::Vertex).is_none() {
            return Err(invalid("the pipeline has no vertex shader"));
        }
        pipeline.check_topology(draw.topology).map_err(invalid)?;
        let key = stage_key(pipeline, &program, &target.attachments);
        let fetch = Fetch::new(&mut self.store, &program, pipeline, draw)?;
        let mut bound = bind(&mut self.store, pipeline, &object.slots)?;
        let mut stages = Stages {
            device,
            program: &program,
            id: program_id,
            key: &key,
            parameters: DrawParameters {
                elements: indices,
                base_vertex: draw.first_vertex,
                base_instance: draw.first_instance,
                draw_id: 0,
                first_instance: draw.first_instance,
            },
            bindings: std::mem::take(&mut bound.bindings),
            steps: Steps(0),
        };
        stages.prepare()?;
        let call = DrawCall { mode: mode(draw.topology), first, count, instances: draw.instances };
        let share = program.stage(Stage::Vertex).is_some_and(|stage| !stage.side_effects);
        let cache = share.then_some(&mut self.vertex_cache);
        let (vertices, order) = stages.vertices(&fetch, &call, cache)?;
        let assembly = Assembly {
            provoking: ProvokingVertex::First,
            from_provoking: true,
            patch_vertices: pipeline.state.patch_control_points,
            defaults: DefaultLevels { outer: [1.0; 4], inner: [1.0; 2] },
        };
        let streams = stages.primitives(&assembly, &call, vertices, &order)?;
        let (bindings, steps) = (stages.bindings, stages.steps);
        self.steps += steps;
        let fragment = object.fragment.clone();
        let Some(fragment) = fragment.filter(|_| !pipeline.state.rasterizer_discard) else {
            bound.store(&bindings.objects, &mut self.store);
            return Ok(());
        };
        let state = &pipeline.state;
        let context = DrawContext {
            inputs: Arc::new(fragment_inputs(&program, &key)),
            program,
            id: program_id,
            key,
            fragment,
            bindings,
            depth_test: state.depth.test.then(|| compare(state.depth.compare)),
            multisample: Multisample {
                positions: samples::positions(target.attachments.samples),
                is_vulkan: true,
                ..Multisample::default()
            },
            output: output(pipeline)?,
        };
        let [VertexStream { vertices, primitives }, ..] = &streams;
        let context =
            self.render(pipeline, &object, context, (primitives, vertices), target, device)?;
        bound.store(&context.bindings.objects, &mut self.store);
        Ok(())
    }

    /// Rasterizes primitives and shades their fragments, sample by sample.
    fn render(
        &mut self,
        pipeline: &Pipeline,
        object: &Object,
        mut context: DrawContext,
        (primitives, vertices): (&[FinalPrimitive], &ShadedVertices),
        target: &mut Target,
        device: &mut dyn Device,
    ) -> Flow<DrawContext> {
        let attachments = &mut target.attachments;
        let [width, height] = attachments.size;
        let setup =
            Setup { pipeline, object, depth: attachments.depth_format(), size: [width, height] };
        for sample in 0..attachments.samples as usize {
            let position = context.multisample.positions[sample];
            let inputs = context.inputs.clone();
            let rasterized =
                setup.rasterize(primitives, vertices, &inputs, position, &mut self.setup_cache);
            context.multisample.sample = sample as u32;
            let mut recorder = DrawRecorder::new(context, ShadeMode::Deferred);
            for primitive in rasterized {
                recorder.add(primitive.setup, primitive.coverage, &mut self.union_cache);
            }
            let colors = attachments.colors.iter_mut().map(|samples| Some(samples[sample].clone()));
            let depth = attachments.depth.as_ref().map(|samples| samples[sample].clone());
            let mut surfaces = RenderTarget::new(width, height, colors.collect(), depth);
            let steps;
            (context, steps) = surfaces.execute(recorder.finish(), device)?;
            self.steps += steps;
            target.is_undefined |= surfaces.has_undefined(&surfaces.rect());
            let (colors, depth) = surfaces.into_surfaces();
            for (samples, color) in attachments.colors.iter_mut().zip(colors) {
                if let Some(color) = color {
                    samples[sample] = color;
                }
            }
            if let (Some(samples), Some(depth)) = (&mut attachments.depth, depth) {
                samples[sample] = depth;
            }
        }
        Ok(context)
    }
}

/// Contents of an index buffer.
struct Indices {
    all: Vec<u32>,
    /// The index that restarts primitives.
    restart: u32,
}

/// Target of a draw.
struct Target {
    attachments: Attachments,
    is_undefined: bool,
}

/// First vertex or index and number of each part of a draw between two restarts of primitives.
fn parts(pipeline: &Pipeline, draw: &Draw, indices: Option<&Indices>) -> Vec<(u32, u32)> {
    let first = if draw.indexed { draw.first_index } else { draw.first_vertex };
    let Some(indices) = indices.filter(|_| pipeline.state.primitive_restart) else {
        return vec![(first, draw.count)];
    };
    let mut parts = Vec::new();
    let (mut start, end) = (first, first.saturating_add(draw.count));
    for at in first..end {
        if indices.all.get(at as usize) == Some(&indices.restart) {
            parts.push((start, at - start));
            start = at + 1;
        }
    }
    parts.push((start, end.saturating_sub(start)));
    parts
}

fn stage_key(pipeline: &Pipeline, program: &Program, attachments: &Attachments) -> StageKey {
    let kind = |format: Format| match format.class() {
        FormatClass::Int => TargetKind::Int,
        FormatClass::Uint => TargetKind::Uint,
        FormatClass::Normalized | FormatClass::Float => TargetKind::Float,
    };
    let tessellates = program.stage(Stage::TessEval).is_some();
    StageKey {
        patch_vertices: if tessellates { pipeline.state.patch_control_points as u8 } else { 0 },
        targets: attachments.color_formats().map(kind).collect(),
        samples: attachments.samples as u8,
        ..StageKey::default()
    }
}

/// Setup of the primitives of a draw.
struct Setup<'a> {
    pipeline: &'a Pipeline,
    object: &'a Object,
    depth: Option<Format>,
    size: [u32; 2],
}

impl Setup<'_> {
    /// Sets up primitives at a sample of each pixel.
    fn rasterize(
        &self,
        primitives: &[FinalPrimitive],
        vertices: &ShadedVertices,
        inputs: &[FragmentInput],
        sample: [f32; 2],
        cache: &mut SetupCache,
    ) -> Vec<RasterizedPrimitive> {
        let state = &self.pipeline.state;
        let culls = |modes: [CullMode; 2]| modes.contains(&state.cull_mode);
        let [width, height] = self.size;
        let identity =
            std::array::from_fn(|c| ViewportSwizzle { component: c as u8, negative: false });
        let assembler = PrimitiveAssembler {
            viewports: &[viewport(self.pipeline); VIEWPORTS],
            viewport_swizzles: &[identity; VIEWPORTS],
            clip_enabled: 0xff,
            shift: sample.map(|c| 0.5 - c),
            raster: RasterState {
                bounds: Rect::of_size(width, height),
                depth_clamp: state.depth.clamp,
                polygon_mode: [polygon_mode(state.polygon_mode); 2],
                // Areas have the other sign where rows are counted from the upper one.
                front_clockwise: state.front_face == FrontFace::CounterClockwise,
                cull: [
                    culls([CullMode::Front, CullMode::FrontAndBack]),
                    culls([CullMode::Back, CullMode::FrontAndBack]),
                ],
                near_is_zero: true,
                from_upper: true,
                nudge: 0,
                depth_bias: depth_bias(state, self.depth_unit()),
                line_width: state.line_width.round().clamp(1.0, 8.0) as u32,
            },
            interface: &self.object.vertex,
            inputs,
            clip_planes: None,
            point_size_from_shader: true,
            clamp_colors: false,
        };
        let mut rasterized = Vec::new();
        primitives.iter().for_each(|p| assembler.add(p, vertices, cache, &mut rasterized));
        rasterized
    }

    fn depth_unit(&self) -> DepthUnit {
        match self.depth.map(|format| format.channels()[0]) {
            Some(Channel::Float(_)) => DepthUnit::Float,
            Some(Channel::Unorm(bits)) => DepthUnit::Fixed(0.5f64.powi(bits.into())),
            _ => DepthUnit::Fixed(0.0),
        }
    }
}
