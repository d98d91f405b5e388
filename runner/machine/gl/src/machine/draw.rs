//! Draw commands: vertex stages, assembly, setup, recording in the render target.

use std::sync::Arc;

use program::{Api, BuiltinVariable, Program, Stage};

use super::framebuffers::Framebuffer;
use super::{GlError, Machine, MachineError, ProgramObject};
use raster::assemble::PrimitiveMode;
use raster::deferred::{DrawContext, DrawRecorder, ShadeMode};
use raster::device::{Device, Steps};
use raster::interface::{FragmentInput, fragment_inputs};
use raster::multisample::Multisample;
use raster::output::OutputState;
use raster::pipeline::assembly::Assembly;
use raster::pipeline::draw_call::{DrawCall, DrawParameters};
use raster::pipeline::geometry::input_vertices;
use raster::pipeline::primitive_setup::PrimitiveAssembler;
use raster::pipeline::primitives::{FinalPrimitive, ShadedVertices, VertexStream};
use raster::pipeline::tessellation::DefaultLevels;
use raster::pipeline::vertex_data::{AttributeSlot, VertexData, VertexFetch};
use raster::pipeline::vertex_stage::Pipeline;
use raster::rasterize::{Rect, samples};
use raster::setup::{RasterState, RasterizedPrimitive};
use raster::setup_cache::SetupCache;

/// Largest number of vertices of a draw, all instances together: a limit on the cost of a test, not
/// of GL.
const MAX_VERTICES: u64 = 1 << 22;

/// The `draw rect` family.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RectangleDraw {
    /// Left, bottom, width, height.
    pub rectangle: [f32; 4],
    /// True if the rectangle is in window pixels.
    pub ortho: bool,
    /// One patch of four vertices instead of a triangle strip.
    pub patch: bool,
    /// Texture coordinates: left, bottom, width, height.
    pub texture: Option<[f32; 4]>,
    /// Number of instances; 0 counts as 1.
    pub instances: u32,
    /// The position goes to `gl_Vertex` even if the program declares a generic attribute for it.
    pub fixed_function: bool,
}

impl Machine {
    /// Executes `draw arrays` with the vertex data, or without attributes when there is none.
    ///
    /// # Errors
    /// No program is in use, or the device failed.
    pub fn draw_arrays(
        &mut self,
        call: &DrawCall,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        self.draw_with(call, DrawParameters::default(), device)
    }

    /// Draws like [`Machine::draw_arrays`], with parameters.
    ///
    /// # Errors
    /// No program is in use, or the device failed.
    pub fn draw_with(
        &mut self,
        call: &DrawCall,
        parameters: DrawParameters<'_>,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        let data = std::mem::take(&mut self.vertex_data);
        let result = self.draw(call, parameters, &data, device);
        self.vertex_data = data;
        result
    }

    /// Executes the `draw rect` commands.
    ///
    /// # Errors
    /// No program is in use, or the device failed.
    pub fn draw_rect(
        &mut self,
        draw: &RectangleDraw,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        let data = self.rectangle_data(draw);
        let mode = if draw.patch { PrimitiveMode::Patches } else { PrimitiveMode::TriangleStrip };
        let call = DrawCall { mode, first: 0, count: 4, instances: draw.instances.max(1) };
        let patch_vertices = self.state.patch_vertices;
        if draw.patch {
            self.state.patch_vertices = 4;
        }
        let result = self.draw(&call, DrawParameters::default(), &data, device);
        self.state.patch_vertices = patch_vertices;
        result
    }

    fn rectangle_data(&self, draw: &RectangleDraw) -> VertexData {
        let [x, y, w, h] =
            if draw.ortho { self.window_to_ndc(draw.rectangle) } else { draw.rectangle };
        let corners = [[x, y], [x + w, y], [x, y + h], [x + w, y + h]];
        let texture =
            draw.texture.map(|[s, t, w, h]| [[s, t], [s + w, t], [s, t + h], [s + w, t + h]]);
        let generic = !draw.fixed_function
            && (self.capabilities.api() != Api::Compatibility
                || self.program().is_some_and(|p| p.stages.iter().any(|s| s.shader.nameless))
                || self.attribute_location("piglit_vertex").is_some());
        let slot = |location: u32, builtin| {
            if generic {
                AttributeSlot::Generic(location)
            } else {
                AttributeSlot::Conventional(builtin)
            }
        };
        let mut columns = vec![(slot(0, BuiltinVariable::Vertex), 4)];
        if texture.is_some() {
            columns.push((slot(1, BuiltinVariable::MultiTexCoord0), 2));
        }
        let rows: Vec<Vec<f32>> = (0..4)
            .map(|i| {
                let mut row = vec![corners[i][0], corners[i][1], 0.0, 1.0];
                row.extend(texture.iter().flat_map(|t| t[i]));
                row
            })
            .collect();
        VertexData::of_floats(&columns, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// Converts window pixels to normalized device coordinates, rounded where piglit's code rounds:
    /// the quotient and the result are floats, the arithmetic between them is double.
    fn window_to_ndc(&self, [x, y, w, h]: [f32; 4]) -> [f32; 4] {
        let (width, height) = (self.options.width as f32, self.options.height as f32);
        let place = |c: f32, size: f32| (-1.0 + 2.0 * f64::from(c / size)) as f32;
        let extent = |c: f32, size: f32| (2.0 * f64::from(c / size)) as f32;
        [place(x, width), place(y, height), extent(w, width), extent(h, height)]
    }

    fn draw(
        &mut self,
        call: &DrawCall,
        parameters: DrawParameters<'_>,
        data: &VertexData,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        if u64::from(call.count) * u64::from(call.instances) > MAX_VERTICES {
            return Err(MachineError::Unsupported("a draw of more than 2²² vertices"));
        }
        let (id, object) = self.object()?;
        let program = object.program.clone();
        if !self.is_valid(&program, call) || !Self::sampler_types_agree(object) {
            self.raise(GlError::InvalidOperation);
            return Ok(());
        }
        let key = self.stage_key(object);
        let fragment = object.fragment.clone();
        let mut pipeline = Pipeline {
            device,
            program: &program,
            id,
            key: &key,
            parameters,
            bindings: self.bindings(object),
            steps: Steps(0),
        };
        pipeline.prepare()?;
        let share = self.options.shade != ShadeMode::Immediate
            && program.stage(Stage::Vertex).is_some_and(|s| !s.side_effects);
        let fetch = VertexFetch::new(&program, data, &self.state.current);
        let mut cache = std::mem::take(&mut self.vertex_cache);
        let (vertices, order) = pipeline.vertices(&fetch, call, share.then_some(&mut cache))?;
        self.vertex_cache = cache;
        let assembly = Assembly {
            provoking: self.state.provoking,
            from_provoking: false,
            patch_vertices: self.state.patch_vertices,
            defaults: DefaultLevels {
                outer: self.state.default_outer,
                inner: self.state.default_inner,
            },
        };
        let streams = pipeline.primitives(&assembly, call, vertices, &order)?;
        let (mut bindings, steps) = (pipeline.bindings, pipeline.steps);
        self.steps += steps;
        if let Some(feedback) = &mut self.feedback {
            feedback.capture(&program, &streams, &mut bindings.objects);
        }
        // Memory written by the vertex stages.
        self.objects = bindings.objects.clone();
        let Some(fragment) = fragment.filter(|_| !self.state.rasterizer_discard) else {
            return Ok(());
        };
        let inputs = Arc::new(fragment_inputs(&program, &key));
        let multisample = Multisample {
            positions: samples::positions(self.draw_framebuffer.samples()),
            sample: 0,
            alpha_to_coverage: self.state.alpha_to_coverage,
            alpha_to_one: self.state.alpha_to_one,
            is_vulkan: false,
        };
        let depth_test = self.state.depth_test.then_some(self.state.depth_function);
        let context = DrawContext {
            program,
            id,
            key,
            fragment,
            inputs,
            bindings,
            depth_test,
            multisample,
            output: OutputState::default(),
        };
        let [VertexStream { vertices, primitives }, ..] = &streams;
        self.rasterize(context, primitives, vertices, device)
    }

    /// Sets up and renders the primitives of a draw.
    fn rasterize(
        &mut self,
        mut context: DrawContext,
        primitives: &[FinalPrimitive],
        vertices: &ShadedVertices,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        if !(context.fragment.critical_section && context.multisample.is_enabled()) {
            let rasterized = self.set_up_samples(&context, primitives, vertices)?;
            return self.render(context, rasterized, device);
        }
        // Samples are drawn one after the other, but critical sections order pixels by primitive.
        for primitive in primitives.chunks(1) {
            let rasterized = self.set_up_samples(&context, primitive, vertices)?;
            self.render(context.clone(), rasterized, device)?;
            context.bindings.objects = self.objects.clone();
        }
        Ok(())
    }

    /// Sets up primitives at each sample.
    fn set_up_samples(
        &mut self,
        context: &DrawContext,
        primitives: &[FinalPrimitive],
        vertices: &ShadedVertices,
    ) -> Result<Vec<Vec<RasterizedPrimitive>>, MachineError> {
        let mut cache = std::mem::take(&mut self.setup_cache);
        let set_up = |&sample: &[f32; 2]| {
            self.set_up(primitives, vertices, &context.inputs, sample, &mut cache)
        };
        let rasterized = context.multisample.positions.iter().map(set_up).collect();
        self.setup_cache = cache;
        rasterized
    }

    /// Sets up every primitive for the draw framebuffer at a sample of each pixel. Coverage and
    /// depth are moved so that the sample is at the pixel's center; inputs are not.
    fn set_up(
        &self,
        primitives: &[FinalPrimitive],
        vertices: &ShadedVertices,
        inputs: &[FragmentInput],
        sample: [f32; 2],
        cache: &mut SetupCache,
    ) -> Result<Vec<RasterizedPrimitive>, MachineError> {
        let object = self.object()?.1;
        let (width, height) = self.render_size();
        let setup = PrimitiveAssembler {
            viewports: &self.state.viewports,
            viewport_swizzles: &self.state.viewport_swizzles,
            clip_enabled: self.state.clip_enabled,
            shift: sample.map(|c| 0.5 - c),
            raster: RasterState {
                bounds: Rect::of_size(width, height),
                depth_clamp: self.state.depth_clamp,
                polygon_mode: self.state.polygon_mode,
                front_clockwise: self.state.front_clockwise,
                cull: [false, self.state.cull_face],
                near_is_zero: false,
                from_upper: false,
                nudge: self.options.nudge,
                depth_bias: None,
                line_width: 1,
            },
            interface: &object.vertex,
            inputs,
            clip_planes: self.clip_planes(object),
            point_size_from_shader: self.state.program_point_size
                || self.capabilities.api() == Api::Es,
            clamp_colors: self.capabilities.api() == Api::Compatibility,
        };
        let mut rasterized = Vec::new();
        primitives.iter().for_each(|p| setup.add(p, vertices, cache, &mut rasterized));
        Ok(rasterized)
    }

    /// Records the draw for the window. Executes it at once when its target is a texture, the
    /// fragment stage writes memory, or shading is immediate. `rasterized` holds those of each
    /// sample. Every sample is shaded by itself, as OpenGL 4.6 section 14.3.1 permits, but takes
    /// over equal results of the first one.
    fn render(
        &mut self,
        mut context: DrawContext,
        rasterized: Vec<Vec<RasterizedPrimitive>>,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        let mode = self.options.shade;
        let framebuffer = self.draw_framebuffer.clone();
        if framebuffer == Framebuffer::Window {
            let eager = context.fragment.side_effects || mode == ShadeMode::Immediate;
            let mut recorder = DrawRecorder::new(context, mode);
            rasterized
                .into_iter()
                .flatten()
                .for_each(|s| recorder.add(s.setup, s.coverage, &mut self.union_cache));
            if eager {
                let (context, steps) = self.window.execute(recorder.finish(), device)?;
                self.steps += steps;
                self.objects = context.bindings.objects;
            } else {
                self.window.record(recorder.finish());
            }
            return Ok(());
        }
        let mut targets = self.layer_targets(&framebuffer);
        let mut first_sample = None;
        let multisampled = rasterized.len() > 1;
        let layered = targets.len() > 1 && !multisampled;
        for (layer, target) in targets.iter_mut().enumerate() {
            if multisampled {
                context.multisample.sample = layer as u32;
            }
            let mut recorder = DrawRecorder::new(context, mode);
            let rasterized =
                rasterized.get(if multisampled { layer } else { 0 }).into_iter().flatten();
            for primitive in rasterized.filter(|s| !layered || s.setup.layer as usize == layer) {
                recorder.add(
                    primitive.setup.clone(),
                    primitive.coverage.clone(),
                    &mut self.union_cache,
                );
            }
            let steps;
            (context, steps) = if multisampled && mode != ShadeMode::Immediate {
                target.execute_sample(recorder.finish(), &mut first_sample, device)?
            } else {
                target.execute(recorder.finish(), device)?
            };
            self.steps += steps;
            self.undefined_texels |= target.has_undefined(&target.rect());
        }
        self.objects = context.bindings.objects;
        self.store_targets(&framebuffer, targets);
        Ok(())
    }

    /// True if the program's stages permit the draw.
    fn is_valid(&self, program: &Program, call: &DrawCall) -> bool {
        let tessellates = program.stage(Stage::TessEval).is_some();
        let fits = match program.stage(Stage::Geometry) {
            Some(stage) if !tessellates => input_vertices(stage) == vertices_of(call.mode),
            _ => true,
        };
        (call.mode == PrimitiveMode::Patches) == tessellates
            && fits
            && program.mismatch.is_none()
            && self.feedback_accepts(program, call)
    }

    /// Returns the enabled clip planes, as `glClipPlane` stored them: GLSL 1.30 section 7.1
    /// compares them with `gl_ClipVertex` or, when the program does not write it, with
    /// `gl_Position` as it is.
    fn clip_planes(&self, object: &ProgramObject) -> Option<[[f64; 4]; 8]> {
        self.uses_clip_planes(object).then_some(self.state.clip_planes)
    }
}

/// Returns the number of vertices per primitive that a geometry stage receives.
fn vertices_of(mode: PrimitiveMode) -> usize {
    use PrimitiveMode::*;
    match mode {
        Points => 1,
        Lines | LineLoop | LineStrip => 2,
        LinesAdjacency | LineStripAdjacency => 4,
        TrianglesAdjacency | TriangleStripAdjacency => 6,
        _ => 3,
    }
}
