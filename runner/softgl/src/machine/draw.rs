//! Draws: vertex shading, assembly, setup, and handing primitives to the render target.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use program::{Api, BuiltinVariable, Program, Slot, Stage, StageKey, Storage};

use super::framebuffers::Framebuffer;
use super::geometry::{InputPrimitive, input_vertices};
use super::state::{State, VIEWPORTS};
use super::tessellation::{DefaultLevels, GeneratedPrimitive};
use super::vertex_cache::VertexCache;
use super::vertex_data::{AttributeSlot, VertexData, VertexFetch};
use super::{GlError, Machine, MachineError, ProgramObject};
use crate::assemble::{Primitive, PrimitiveMode, assemble};
use crate::deferred::{DrawContext, DrawRecorder, ShadeMode};
use crate::device::{
    Batch, Device, DeviceError, DrawState, MAX_LANES, PrimitiveKind, PrimitiveSetup, ProgramId, SoaTable,
    Steps, VertexBatch, first_lanes,
};
use crate::interface::{FragmentInput, VertexInterface, component, fragment_inputs};
use crate::multisample::Multisample;
use crate::raster::{Rect, samples};
use crate::resources::Bindings;
use crate::setup::{RasterState, RasterizedPrimitive, SetupCache, SetupInput, Viewport, rasterize};

/// A draw of consecutive vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawCall {
    /// Primitive type.
    pub mode: PrimitiveMode,
    /// First vertex.
    pub first: u32,
    /// Number of vertices.
    pub count: u32,
    /// Number of instances.
    pub instances: u32,
}

/// What commands beyond `glDrawArrays` give a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawParameters<'a> {
    /// The element array: the draw's vertices are these elements plus the base vertex, 0 beyond its end.
    pub elements: Option<&'a [u16]>,
    /// `gl_BaseVertex`.
    pub base_vertex: u32,
    /// `gl_BaseInstance`.
    pub base_instance: u32,
    /// `gl_DrawID`.
    pub draw_id: u32,
}

impl DrawParameters<'_> {
    /// The vertex at an index of the draw, which is its `gl_VertexID`.
    fn vertex(&self, index: u32) -> u32 {
        let Some(elements) = self.elements else { return index };
        let element = elements.get(index as usize).copied().unwrap_or(0);
        u32::from(element).wrapping_add(self.base_vertex)
    }
}

/// The most vertices, all instances together, one draw may have: what a test may cost, not what GL allows.
const MAX_VERTICES: u64 = 1 << 22;

/// The `draw rect` family.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RectangleDraw {
    /// Left, bottom, width, height.
    pub rectangle: [f32; 4],
    /// The rectangle is in window pixels.
    pub ortho: bool,
    /// One patch of four vertices instead of a triangle strip.
    pub patch: bool,
    /// Texture coordinates: left, bottom, width, height.
    pub texture: Option<[f32; 4]>,
    /// Number of instances; 0 counts as 1.
    pub instances: u32,
    /// The position goes to `gl_Vertex` whatever the program declares.
    pub fixed_function: bool,
}

/// Vertices that went through the vertex stages: `slots * 4` words each.
#[derive(Clone, Debug, Default)]
pub(super) struct ShadedVertices {
    pub stride: usize,
    pub words: Vec<u32>,
}

impl ShadedVertices {
    pub(super) fn get(&self, index: u32) -> &[u32] {
        self.words.get(index as usize * self.stride..).and_then(|w| w.get(..self.stride)).unwrap_or(&[])
    }
}

/// Inputs of a vertex: four words for each attribute slot.
type VertexWords = SmallVec<[u32; 16]>;

/// Runs the stages of one draw.
pub(super) struct Pipeline<'a> {
    pub device: &'a mut dyn Device,
    pub program: &'a Arc<Program>,
    pub id: ProgramId,
    pub key: &'a StageKey,
    pub parameters: DrawParameters<'a>,
    pub bindings: Bindings,
    pub steps: Steps,
}

impl Pipeline<'_> {
    /// Announces every stage of a draw to the device.
    pub(super) fn prepare(&mut self) -> Result<(), DeviceError> {
        let state = DrawState { program: self.program, program_id: self.id, key: self.key };
        self.program.stages.iter().try_for_each(|stage| self.device.prepare(stage.shader.stage, &state))
    }

    pub(super) fn shade(&mut self, stage: Stage, batch: &mut Batch) -> Result<(), DeviceError> {
        let state = DrawState { program: self.program, program_id: self.id, key: self.key };
        self.steps += self.device.shade(stage, &state, batch, &mut self.bindings)?;
        Ok(())
    }

    /// Runs the vertex stage for all instances. The second result maps (instance, vertex) in draw order to a shaded
    /// vertex: vertices with equal inputs are shaded once, and known ones not again, if there is a memo.
    fn vertices(
        &mut self,
        fetch: &VertexFetch<'_>,
        call: &DrawCall,
        mut cache: Option<&mut VertexCache>,
    ) -> Result<(ShadedVertices, Vec<u32>), MachineError> {
        let stage = self
            .program
            .stage(Stage::Vertex)
            .ok_or(MachineError::Unsupported("a draw without vertex stage"))?;
        let reads = VertexReads::new(self.program);
        let stride = stage.outputs.len() * 4;
        let mut shaded = ShadedVertices { stride, words: Vec::new() };
        let mut order = Vec::new();
        let mut known: HashMap<VertexWords, u32> = HashMap::new();
        let mut pending: Vec<(VertexWords, u32, u32)> = Vec::new();
        let mut next = 0u32;
        for instance in 0..call.instances {
            for index in call.first..call.first.saturating_add(call.count) {
                let vertex = self.parameters.vertex(index);
                let inputs: VertexWords =
                    (0..fetch.slots()).flat_map(|slot| fetch.slot(slot, vertex)).collect();
                let mut key = inputs.clone();
                key.extend([
                    if reads.vertex { vertex } else { 0 },
                    if reads.instance { instance } else { 0 },
                ]);
                if cache.is_some()
                    && let Some(&index) = known.get(&key)
                {
                    order.push(index);
                    continue;
                }
                known.insert(key, next);
                order.push(next);
                next += 1;
                pending.push((inputs, vertex, instance));
                if pending.len() == MAX_LANES {
                    self.vertex_batch(&mut pending, &mut shaded, cache.as_deref_mut())?;
                }
            }
        }
        self.vertex_batch(&mut pending, &mut shaded, cache)?;
        Ok((shaded, order))
    }

    fn vertex_batch(
        &mut self,
        pending: &mut Vec<(VertexWords, u32, u32)>,
        shaded: &mut ShadedVertices,
        cache: Option<&mut VertexCache>,
    ) -> Result<(), DeviceError> {
        if pending.is_empty() {
            return Ok(());
        }
        let lanes = pending.len();
        let mut inputs = SoaTable::new(pending[0].0.len(), lanes);
        for (lane, (values, ..)) in pending.iter().enumerate() {
            values.iter().enumerate().for_each(|(row, &value)| inputs.set(row, lane, value));
        }
        let batch = VertexBatch {
            lanes,
            mask: first_lanes(lanes),
            inputs,
            vertex_id: pending.iter().map(|p| p.1).collect(),
            instance_id: pending.iter().map(|p| p.2).collect(),
            base_vertex: self.parameters.base_vertex,
            base_instance: self.parameters.base_instance,
            draw_id: self.parameters.draw_id,
            outputs: SoaTable::new(shaded.stride, lanes),
        };
        pending.clear();
        let outputs = self.vertex_outputs(batch, cache)?;
        (0..lanes).for_each(|lane| shaded.words.extend(outputs.lane(lane)));
        Ok(())
    }

    /// Shades a batch, or knows its outputs from the last one.
    fn vertex_outputs(
        &mut self,
        batch: VertexBatch,
        cache: Option<&mut VertexCache>,
    ) -> Result<SoaTable, DeviceError> {
        if let Some(outputs) = cache.as_ref().and_then(|cache| cache.find(self.id, self.key, &batch)) {
            return Ok(outputs.clone());
        }
        let mut batch = Batch::Vertex(batch);
        self.shade(Stage::Vertex, &mut batch)?;
        let Batch::Vertex(batch) = batch else {
            return Err(DeviceError::Execution("the device changed the kind of a vertex batch".into()));
        };
        if let (Some(cache), Some(stage)) = (cache, self.program.stage(Stage::Vertex)) {
            cache.keep(self.id, self.key, stage, &batch);
        }
        Ok(batch.outputs)
    }
}

/// Which system values make vertices differ.
struct VertexReads {
    vertex: bool,
    instance: bool,
}

impl VertexReads {
    fn new(program: &Program) -> VertexReads {
        let globals = program.stage(Stage::Vertex).into_iter().flat_map(|s| s.shader.globals.values());
        let inputs = globals.filter(|g| g.active && g.storage == Storage::Input);
        let mut reads = VertexReads { vertex: false, instance: false };
        for builtin in inputs.filter_map(|g| g.builtin) {
            reads.vertex |= builtin == BuiltinVariable::VertexId;
            reads.instance |= builtin == BuiltinVariable::InstanceId;
        }
        reads
    }
}

/// A primitive after the last vertex stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinalPrimitive {
    pub kind: PrimitiveKind,
    /// Vertices; unused ones repeat the first.
    pub vertices: [u32; 3],
    pub provoking: usize,
    pub edges: u8,
    pub id: u32,
}

impl FinalPrimitive {
    fn generated(primitive: &GeneratedPrimitive) -> FinalPrimitive {
        let vertices = &primitive.input.vertices;
        let numbers: SmallVec<[u32; 6]> = (0..vertices.len() as u32).collect();
        let template = Primitive {
            vertices: numbers,
            provoking: primitive.provoking,
            edges: 0b111,
            id: primitive.input.id,
        };
        FinalPrimitive::new(&template, vertices)
    }

    pub(super) fn new(primitive: &Primitive, order: &[u32]) -> FinalPrimitive {
        let vertex = |i: usize| {
            let index = primitive.vertices.get(i).unwrap_or(&primitive.vertices[0]);
            order.get(*index as usize).copied().unwrap_or(0)
        };
        FinalPrimitive {
            kind: match primitive.vertices.len() {
                1 => PrimitiveKind::Point,
                2 => PrimitiveKind::Line,
                _ => PrimitiveKind::Triangle,
            },
            vertices: [vertex(0), vertex(1), vertex(2)],
            provoking: usize::from(primitive.provoking),
            edges: primitive.edges,
            id: primitive.id,
        }
    }
}

impl Machine {
    /// `draw arrays` with the vertex data, or without attributes when there is none.
    ///
    /// # Errors
    /// No program is in use, or the device failed.
    pub fn draw_arrays(&mut self, call: &DrawCall, device: &mut dyn Device) -> Result<(), MachineError> {
        self.draw_with(call, DrawParameters::default(), device)
    }

    /// A draw with the vertex data like [`Machine::draw_arrays`], with parameters.
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

    /// The `draw rect` commands.
    ///
    /// # Errors
    /// No program is in use, or the device failed.
    pub fn draw_rect(&mut self, draw: &RectangleDraw, device: &mut dyn Device) -> Result<(), MachineError> {
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
        let [x, y, w, h] = if draw.ortho { self.window_to_ndc(draw.rectangle) } else { draw.rectangle };
        let corners = [[x, y], [x + w, y], [x, y + h], [x + w, y + h]];
        let texture = draw.texture.map(|[s, t, w, h]| [[s, t], [s + w, t], [s, t + h], [s + w, t + h]]);
        let generic = !draw.fixed_function
            && (self.capabilities.api != Api::Compatibility
                || self.attribute_location("piglit_vertex").is_some());
        let slot = |location: u32, builtin| {
            if generic { AttributeSlot::Generic(location) } else { AttributeSlot::Conventional(builtin) }
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

    /// Window pixels to normalized device coordinates, rounded where piglit's code rounds: the quotient and the
    /// result are floats, the arithmetic between them is double.
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
        if !self.is_valid(&program, call) {
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
        let (vertices, primitives) = self.primitives(&mut pipeline, call, vertices, &order)?;
        let (mut bindings, steps) = (pipeline.bindings, pipeline.steps);
        self.steps += steps;
        if let Some(feedback) = &mut self.feedback {
            feedback.capture(&program, &vertices, &primitives, &mut bindings.objects);
        }
        // What the vertex stages wrote to memory.
        self.objects = bindings.objects.clone();
        let Some(fragment) = fragment.filter(|_| !self.state.rasterizer_discard) else { return Ok(()) };
        let inputs = Arc::new(fragment_inputs(&program, &key));
        let multisample = Multisample {
            positions: samples::positions(self.draw_framebuffer.samples()),
            sample: 0,
            alpha_to_coverage: self.state.alpha_to_coverage,
            alpha_to_one: self.state.alpha_to_one,
        };
        let depth_test = self.state.depth_test.then_some(self.state.depth_function);
        let context = DrawContext { program, id, key, fragment, inputs, bindings, depth_test, multisample };
        self.rasterize(context, &primitives, &vertices, device)
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
            let shapes = self.shapes(&context, primitives, vertices)?;
            return self.render(context, shapes, device);
        }
        // Samples are drawn one after the other, but pixels pass a critical section primitive by primitive.
        for primitive in primitives.chunks(1) {
            let shapes = self.shapes(&context, primitive, vertices)?;
            self.render(context.clone(), shapes, device)?;
            context.bindings.objects = self.objects.clone();
        }
        Ok(())
    }

    /// The shapes of primitives at each sample.
    fn shapes(
        &mut self,
        context: &DrawContext,
        primitives: &[FinalPrimitive],
        vertices: &ShadedVertices,
    ) -> Result<Vec<Vec<RasterizedPrimitive>>, MachineError> {
        let mut known = std::mem::take(&mut self.setup_cache);
        let set_up =
            |&sample: &[f32; 2]| self.set_up(primitives, vertices, &context.inputs, sample, &mut known);
        let shapes = context.multisample.positions.iter().map(set_up).collect();
        self.setup_cache = known;
        shapes
    }

    /// Assembles primitives and runs the tessellation and geometry stages.
    fn primitives(
        &self,
        pipeline: &mut Pipeline<'_>,
        call: &DrawCall,
        vertices: ShadedVertices,
        order: &[u32],
    ) -> Result<(ShadedVertices, Vec<FinalPrimitive>), MachineError> {
        let assembled = assemble(call.mode, call.count, self.state.provoking, self.state.patch_vertices);
        let instances = order.chunks(call.count.max(1) as usize);
        let has_geometry = pipeline.program.stage(Stage::Geometry).is_some();
        let tessellates = pipeline.program.stage(Stage::TessEval).is_some();
        if !has_geometry && !tessellates {
            let of_instance = |order| {
                assembled.iter().map(move |p| FinalPrimitive::new(&p.without_adjacency(call.mode), order))
            };
            let primitives = instances.flat_map(of_instance).collect();
            return Ok((vertices, primitives));
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
        let mut vertices = vertices;
        if tessellates {
            let defaults = DefaultLevels { outer: self.state.default_outer, inner: self.state.default_inner };
            let generated = pipeline.tessellation(&vertices, &input, defaults, self.state.provoking)?;
            vertices = generated.0;
            if !has_geometry {
                let primitives = generated.1.iter().map(FinalPrimitive::generated).collect();
                return Ok((vertices, primitives));
            }
            input = generated.1.into_iter().map(|p| p.input).collect();
        }
        Ok(pipeline.geometry(&vertices, &input, self.state.provoking)?)
    }

    /// Sets up every primitive for the draw framebuffer, as seen from a sample of each pixel: coverage and depth are moved
    /// so that the sample comes to lie where the pixel's center is, inputs are not.
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
            state: &self.state,
            shift: sample.map(|c| 0.5 - c),
            raster: RasterState {
                bounds: Rect::of_size(width, height),
                depth_clamp: self.state.depth_clamp,
                polygon_mode: self.state.polygon_mode,
                front_clockwise: self.state.front_clockwise,
                cull_back: self.state.cull_face,
            },
            interface: &object.vertex,
            inputs,
            clip_planes: self.clip_planes(object),
            point_size_from_shader: self.state.program_point_size || self.capabilities.api == Api::Es,
            clamp_colors: self.capabilities.api == Api::Compatibility,
        };
        let mut shapes = Vec::new();
        primitives.iter().for_each(|p| setup.add(p, vertices, cache, &mut shapes));
        Ok(shapes)
    }

    /// Records the draw for the window, or executes it when its target is a texture, the fragment stage writes
    /// memory, or everything is to be shaded. `shapes` are those of each sample. Every sample is shaded for itself: OpenGL 4.6
    /// section 14.3.1 leaves it to implementations which samples share a result.
    fn render(
        &mut self,
        mut context: DrawContext,
        shapes: Vec<Vec<RasterizedPrimitive>>,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        let mode = self.options.shade;
        let framebuffer = self.draw_framebuffer.clone();
        if framebuffer == Framebuffer::Window {
            let eager = context.fragment.side_effects || mode == ShadeMode::Immediate;
            let mut recorder = DrawRecorder::new(context, mode);
            shapes
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
        let multisampled = shapes.len() > 1;
        let layered = targets.len() > 1 && !multisampled;
        for (layer, target) in targets.iter_mut().enumerate() {
            if multisampled {
                context.multisample.sample = layer as u32;
            }
            let mut recorder = DrawRecorder::new(context, mode);
            let shapes = shapes.get(if multisampled { layer } else { 0 }).into_iter().flatten();
            for shape in shapes.filter(|s| !layered || s.setup.layer as usize == layer) {
                recorder.add(shape.setup.clone(), shape.coverage.clone(), &mut self.union_cache);
            }
            let steps;
            (context, steps) = target.execute(recorder.finish(), device)?;
            self.steps += steps;
            self.undefined_texels |= target.has_undefined(&target.rect());
        }
        self.objects = context.bindings.objects;
        self.store_targets(&framebuffer, targets);
        Ok(())
    }

    /// Whether the draw is allowed with the program's stages.
    fn is_valid(&self, program: &Program, call: &DrawCall) -> bool {
        let tessellates = program.stage(Stage::TessEval).is_some();
        let fits = match program.stage(Stage::Geometry) {
            Some(stage) if !tessellates => input_vertices(stage) == vertices_of(call.mode),
            _ => true,
        };
        (call.mode == PrimitiveMode::Patches) == tessellates && fits
    }

    /// Enabled clip planes, as `glClipPlane` stored them: GLSL 1.30 section 7.1 compares them with `gl_ClipVertex` or, when the
    /// program does not write it, with `gl_Position` as it is.
    fn clip_planes(&self, object: &ProgramObject) -> Option<[[f64; 4]; 8]> {
        self.uses_clip_planes(object).then_some(self.state.clip_planes)
    }
}

fn clamp_color(bits: u32, clamps: bool) -> u32 {
    if clamps { f32::from_bits(bits).clamp(0.0, 1.0).to_bits() } else { bits }
}

/// Vertices per primitive as a geometry stage would receive them.
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

/// Turns primitives of one draw into setups.
struct PrimitiveAssembler<'a> {
    state: &'a State,
    /// Movement of everything in the window, in pixels.
    shift: [f32; 2],
    raster: RasterState,
    interface: &'a VertexInterface,
    inputs: &'a [FragmentInput],
    /// Planes to compute distances from, when the shader writes none.
    clip_planes: Option<[[f64; 4]; 8]>,
    point_size_from_shader: bool,
    /// `GL_CLAMP_VERTEX_COLOR`, on in compatibility contexts: built-in colors are clamped to 0..1.
    clamp_colors: bool,
}

impl PrimitiveAssembler<'_> {
    fn add(
        &self,
        primitive: &FinalPrimitive,
        vertices: &ShadedVertices,
        cache: &mut SetupCache,
        shapes: &mut Vec<RasterizedPrimitive>,
    ) {
        let data = primitive.vertices.map(|v| vertices.get(v));
        let count = match primitive.kind {
            PrimitiveKind::Point => 1,
            PrimitiveKind::Line => 2,
            PrimitiveKind::Triangle => 3,
        };
        if self.is_culled(&data[..count]) {
            return;
        }
        let provoking = data[primitive.provoking.min(2)];
        let index = component(provoking, self.interface.viewport_index, 0) as usize;
        let viewport_index = if index < VIEWPORTS { index } else { 0 };
        let distances = self.clip_distances(&data);
        let viewport = self.state.viewports[viewport_index];
        let [dx, dy] = self.shift;
        let input = SetupInput {
            kind: primitive.kind,
            positions: data.map(|v| self.position(v, viewport_index)),
            clip_distances: &distances,
            point_size: data.map(|v| self.point_size(v)),
            edges: primitive.edges,
            viewport: &Viewport { x: viewport.x + dx, y: viewport.y + dy, ..viewport },
        };
        for RasterizedPrimitive { coverage, mut setup } in rasterize(&input, &self.raster, cache) {
            if [dx, dy] != [0.0; 2] {
                setup.shift_inputs(-f64::from(dx), -f64::from(dy));
            }
            let setup = self.complete(setup, primitive, &data, viewport_index as u32);
            shapes.push(RasterizedPrimitive { coverage, setup });
        }
    }

    /// Fills in what does not depend on geometry.
    fn complete(
        &self,
        mut setup: PrimitiveSetup,
        primitive: &FinalPrimitive,
        data: &[&[u32]; 3],
        viewport_index: u32,
    ) -> PrimitiveSetup {
        let provoking = data[primitive.provoking.min(2)];
        setup.provoking = primitive.provoking.min(2);
        setup.primitive_id = match self.interface.primitive_id {
            Some(slot) => component(provoking, Some(slot), 0),
            None => primitive.id,
        };
        setup.layer = component(provoking, self.interface.layer, 0);
        setup.viewport_index = viewport_index;
        setup.values = Vec::with_capacity(self.inputs.len() * 4);
        for input in self.inputs {
            let source = if setup.front_facing { input.source } else { input.back_source.or(input.source) };
            let built_in = match input.slot {
                Slot::PrimitiveId => Some(setup.primitive_id),
                Slot::Layer => Some(setup.layer),
                Slot::ViewportIndex => Some(viewport_index),
                _ => None,
            };
            if input.slot == Slot::PointCoord {
                let one = 1.0f32.to_bits();
                let point = setup.kind == PrimitiveKind::Point;
                let corners = if point { [[0, one, 0], [0, 0, one]] } else { [[0; 3]; 2] };
                setup.values.extend([corners[0], corners[1], [0; 3], [0; 3]]);
                continue;
            }
            for c in 0..4 {
                let clamps = self.clamp_colors && matches!(input.slot, Slot::Color(_) | Slot::BackColor(_));
                setup.values.push(match (source, built_in) {
                    (None, Some(value)) if c == 0 => [value; 3],
                    _ => data.map(|vertex| clamp_color(component(vertex, source, c), clamps)),
                });
            }
        }
        setup
    }

    /// Clip coordinates after the viewport's swizzle.
    fn position(&self, vertex: &[u32], viewport: usize) -> [f64; 4] {
        let clip: [f64; 4] =
            std::array::from_fn(|c| f64::from(f32::from_bits(component(vertex, self.interface.position, c))));
        self.state.viewport_swizzles[viewport].map(|s| {
            let value = clip[usize::from(s.component)];
            if s.negative { -value } else { value }
        })
    }

    fn point_size(&self, vertex: &[u32]) -> f64 {
        if !self.point_size_from_shader || self.interface.point_size.is_none() {
            return 1.0;
        }
        let size = f32::from_bits(component(vertex, self.interface.point_size, 0));
        // The range of the hardware; NaN becomes the minimum.
        f64::from(size.max(0.125)).min(255.875)
    }

    /// Values of the enabled clip distances at the three vertices.
    fn clip_distances(&self, data: &[&[u32]; 3]) -> Vec<[f64; 3]> {
        let enabled = (0..8usize).filter(|i| self.state.clip_enabled >> i & 1 == 1);
        enabled
            .filter_map(|i| match &self.clip_planes {
                Some(planes) => Some(data.map(|v| self.plane_distance(&planes[i], v))),
                None if i < usize::from(self.interface.clip_distances) => {
                    Some(data.map(|v| self.interface.distance(v, i)))
                }
                None => None,
            })
            .collect()
    }

    fn plane_distance(&self, plane: &[f64; 4], vertex: &[u32]) -> f64 {
        let slot = self.interface.clip_vertex.or(self.interface.position);
        (0..4).map(|c| plane[c] * f64::from(f32::from_bits(component(vertex, slot, c)))).sum()
    }

    /// Cull distances: a primitive goes when one of them is negative at all its vertices.
    fn is_culled(&self, data: &[&[u32]]) -> bool {
        let first = usize::from(self.interface.clip_distances);
        (first..first + usize::from(self.interface.cull_distances))
            .any(|i| data.iter().all(|v| self.interface.distance(v, i) < 0.0))
    }
}
