//! GL machine: objects, state and commands.
//!
//! A machine owns all state that a test can change. Two machines with different devices execute the
//! same commands independently. Commands that may shade take the device.

mod builtin_uniforms;
mod compute;
pub mod draw;
mod feedback;
mod framebuffer_commands;
pub mod framebuffers;
mod probes;
pub mod state;
mod texture_commands;
pub mod textures;
mod uniform_commands;
pub mod uniforms;

use std::collections::BTreeMap;
use std::sync::Arc;

use program::link::draw_buffer;
use program::{Api, Capabilities, ExprKind, Program, Stage, StageKey, TargetKind};

use framebuffers::Framebuffer;
use raster::deferred::{RenderTarget, ShadeMode};
use raster::device::{Device, DeviceError, ProgramId, Steps};
use raster::format::{Format, FormatClass};
use raster::interface::{FragmentInterface, VertexInterface, counts_from_upper_left};
use raster::pipeline::feedback::Feedback;
use raster::pipeline::vertex_cache::VertexCache;
use raster::pipeline::vertex_data::VertexData;
use raster::rasterize::coverage::UnionCache;
use raster::resources::{Bindings, BufferId, Objects};
use raster::setup_cache::SetupCache;
use raster::surface::Surface;
use state::State;
use textures::TextureUnits;
use uniforms::{UniformError, UniformStorage};

/// Options of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineOptions {
    /// Window width in pixels.
    pub width: u32,
    /// Window height in pixels.
    pub height: u32,
    /// True if the window has a depth buffer.
    pub depth: bool,
    /// Amount of shading.
    pub shade: ShadeMode,
    /// Distance in 256ths of a pixel by which all primitives are moved in both directions.
    pub nudge: i64,
}

impl Default for MachineOptions {
    fn default() -> Self {
        MachineOptions {
            width: 250,
            height: 250,
            depth: false,
            shade: ShadeMode::Deferred,
            nudge: 0,
        }
    }
}

/// Error of a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A uniform could not be found.
    #[error(transparent)]
    Uniform(#[from] UniformError),
    /// No program is in use.
    #[error("no program is in use")]
    NoProgram,
    /// The framebuffer has nothing to read there.
    #[error("nothing to read: {0}")]
    NothingToRead(&'static str),
    /// `resident …` made no handle of the slot.
    #[error("the texture of slot {0} is not resident")]
    NotResident(u32),
    /// The feature is not implemented.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
}

/// Values of `glGetError` that commands can raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum GlError {
    InvalidEnum,
    InvalidValue,
    InvalidOperation,
    InvalidFramebufferOperation,
}

/// A linked program and its uniforms.
#[derive(Clone, Debug)]
struct ProgramObject {
    program: Arc<Program>,
    uniforms: UniformStorage,
    /// Buffer of each uniform block.
    block_buffers: Vec<BufferId>,
    /// Binding point of each storage block.
    storage_bindings: Vec<u32>,
    vertex: VertexInterface,
    fragment: Option<Arc<FragmentInterface>>,
    /// See [`Bindings::scalar_shadows`].
    scalar_shadows: bool,
    /// See [`Bindings::draw_buffers`].
    draw_buffers: Vec<Option<u32>>,
}

/// The largest window width and height, in pixels: the hardware's largest viewport.
pub const MAX_WINDOW: u32 = 16384;

/// The GL machine.
#[derive(Clone, Debug)]
pub struct Machine {
    capabilities: Arc<Capabilities>,
    options: MachineOptions,
    /// Context state; scripts' simple state commands write it directly.
    pub state: State,
    objects: Objects,
    programs: Vec<ProgramObject>,
    current: Option<ProgramId>,
    vertex_data: VertexData,
    window: RenderTarget,
    undefined_texels: bool,
    vertex_cache: VertexCache,
    setup_cache: SetupCache,
    union_cache: UnionCache,
    draw_framebuffer: Framebuffer,
    read_framebuffer: Framebuffer,
    textures: TextureUnits,
    feedback: Option<Feedback>,
    storage_bindings: BTreeMap<u32, BufferId>,
    atomic_bindings: BTreeMap<u32, BufferId>,
    error: Option<GlError>,
    steps: Steps,
    /// Compute invocations so far.
    invocations: u64,
}

impl Machine {
    /// Creates a machine in initial state; the window's contents are zero. Sizes above
    /// [`MAX_WINDOW`] are reduced to it.
    pub fn new(capabilities: Arc<Capabilities>, options: MachineOptions) -> Machine {
        let (width, height) = (options.width.min(MAX_WINDOW), options.height.min(MAX_WINDOW));
        let options = MachineOptions { width, height, ..options };
        let surface = |format| Surface::new(options.width, options.height, format);
        let depth = options.depth.then(|| surface(Format::Depth24Stencil8));
        let color = vec![Some(surface(Format::Rgba8))];
        Machine {
            capabilities,
            options,
            state: State::new(options.width, options.height),
            objects: Objects::default(),
            programs: Vec::new(),
            current: None,
            vertex_data: VertexData::default(),
            window: RenderTarget::new(options.width, options.height, color, depth),
            undefined_texels: false,
            vertex_cache: VertexCache::default(),
            setup_cache: SetupCache::default(),
            union_cache: UnionCache::default(),
            draw_framebuffer: Framebuffer::Window,
            read_framebuffer: Framebuffer::Window,
            textures: TextureUnits::default(),
            feedback: None,
            storage_bindings: BTreeMap::new(),
            atomic_bindings: BTreeMap::new(),
            error: None,
            steps: Steps(0),
            invocations: 0,
        }
    }

    /// Returns the capabilities of the context.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Returns the window width and height.
    pub fn window_size(&self) -> (u32, u32) {
        (self.options.width, self.options.height)
    }

    /// Returns the steps of all devices so far.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// Returns the oldest GL error since the last call.
    pub fn take_error(&mut self) -> Option<GlError> {
        self.error.take()
    }

    /// Returns true if a GL error occurred since the last call of [`take_error`](Self::take_error).
    #[must_use]
    pub fn has_error(&self) -> bool {
        self.error.is_some()
    }

    fn raise(&mut self, error: GlError) {
        self.error.get_or_insert(error);
    }

    /// Adds a program. `default_block` holds the evaluated uniform initializers (empty: all zero).
    /// Every uniform block gets a zeroed buffer of its size.
    pub fn create_program(&mut self, program: Arc<Program>, default_block: Vec<u8>) -> ProgramId {
        let block_buffers = program
            .uniform_blocks
            .iter()
            .map(|b| self.objects.create_buffer(b.size as usize))
            .collect();
        self.programs.push(ProgramObject {
            uniforms: UniformStorage::new(&program, default_block),
            block_buffers,
            storage_bindings: program.storage_blocks.iter().map(|b| b.binding).collect(),
            vertex: VertexInterface::new(&program),
            fragment: FragmentInterface::new(&program).map(Arc::new),
            scalar_shadows: has_scalar_shadows(&program),
            draw_buffers: (0..program.samplers.len())
                .map(|slot| draw_buffer(&program, slot))
                .collect(),
            program,
        });
        ProgramId(self.programs.len() as u32 - 1)
    }

    /// Makes a program current.
    pub fn use_program(&mut self, program: Option<ProgramId>) {
        self.current = program;
    }

    /// Returns the current program.
    pub fn program(&self) -> Option<&Arc<Program>> {
        Some(&self.programs.get(self.current?.0 as usize)?.program)
    }

    fn object(&self) -> Result<(ProgramId, &ProgramObject), MachineError> {
        let id = self.current.ok_or(MachineError::NoProgram)?;
        Ok((id, self.programs.get(id.0 as usize).ok_or(MachineError::NoProgram)?))
    }

    fn object_mut(&mut self) -> Result<&mut ProgramObject, MachineError> {
        let id = self.current.ok_or(MachineError::NoProgram)?;
        self.programs.get_mut(id.0 as usize).ok_or(MachineError::NoProgram)
    }

    /// Returns true if the current program has uniform blocks.
    pub fn has_uniform_blocks(&self) -> bool {
        self.program().is_some_and(|program| !program.uniform_blocks.is_empty())
    }

    /// Returns the location of a vertex attribute of the current program, `None` when it has no
    /// active one of that name.
    pub fn attribute_location(&self, name: &str) -> Option<u32> {
        let program = self.program()?;
        let shader = &program.stage(Stage::Vertex)?.shader;
        let named = |a: &&program::resource::Attribute| {
            a.conventional.is_none()
                && shader.globals.get(a.global).is_some_and(|g| &*g.name == name)
        };
        program.attributes.iter().find(named).map(|a| a.location)
    }

    /// Replaces the vertex arrays that `draw arrays` reads.
    pub fn set_vertex_data(&mut self, data: VertexData) {
        self.vertex_data = data;
    }

    /// Clears the given buffers of the draw framebuffer to the current clear values.
    ///
    /// # Errors
    /// The device failed in a recorded operation.
    pub fn clear(
        &mut self,
        color: bool,
        depth: bool,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        let color = color.then_some(self.state.clear_color);
        let depth = depth.then_some(f64::from(self.state.clear_depth));
        if self.draw_framebuffer == Framebuffer::Window {
            if self.options.shade == ShadeMode::Immediate {
                self.finish(device)?;
            }
            self.window.clear(color, depth);
            return Ok(());
        }
        let framebuffer = self.draw_framebuffer.clone();
        let mut targets = self.layer_targets(&framebuffer);
        targets.iter_mut().for_each(|target| target.clear(color, depth));
        self.store_targets(&framebuffer, targets);
        Ok(())
    }

    /// Executes all recorded operations.
    ///
    /// # Errors
    /// The device failed.
    pub fn finish(&mut self, device: &mut dyn Device) -> Result<(), MachineError> {
        let rect = self.window.rect();
        self.steps += self.window.resolve(&rect, device)?;
        Ok(())
    }

    /// Creates or replaces a buffer of zeros at a shader storage binding point.
    pub fn create_storage_buffer(&mut self, binding: u32, size: usize) -> BufferId {
        let id = self.objects.create_buffer(size);
        self.storage_bindings.insert(binding, id);
        id
    }

    /// Binds a buffer to a shader storage binding point.
    pub fn bind_storage_buffer(&mut self, binding: u32, buffer: BufferId) {
        self.storage_bindings.insert(binding, buffer);
    }

    /// Creates or replaces a buffer of zeroed counters at an atomic counter binding point.
    pub fn create_atomic_buffer(&mut self, binding: u32, counters: usize) -> BufferId {
        let id = self.objects.create_buffer(counters * 4);
        self.atomic_bindings.insert(binding, id);
        id
    }

    /// Creates a buffer of `size` zero bytes, bound nowhere.
    pub fn create_buffer(&mut self, size: usize) -> BufferId {
        self.objects.create_buffer(size)
    }

    /// Returns the buffer at a shader storage binding point.
    pub fn storage_buffer(&self, binding: u32) -> Option<BufferId> {
        self.storage_bindings.get(&binding).copied()
    }

    /// Returns the buffer at an atomic counter binding point.
    pub fn atomic_buffer(&self, binding: u32) -> Option<BufferId> {
        self.atomic_bindings.get(&binding).copied()
    }

    /// Returns the bytes of a buffer.
    pub fn buffer(&self, buffer: BufferId) -> &[u8] {
        self.objects.buffer(buffer)
    }

    /// Writes into a buffer; bytes past its end are dropped.
    pub fn write_buffer(&mut self, buffer: BufferId, offset: usize, bytes: &[u8]) {
        self.objects.write(buffer, offset, bytes);
    }

    /// Returns the objects bound to the program now.
    fn bindings(&self, object: &ProgramObject) -> Bindings {
        let mut default_block = object.uniforms.default_block.clone();
        let samples = self.draw_framebuffer.samples();
        builtin_uniforms::fill(&object.program, &self.state, samples, &mut default_block);
        let atomics =
            object.program.atomic_buffers.iter().map(|&(binding, _)| u32::from(binding) + 1).max();
        Bindings {
            objects: self.objects.clone(),
            default_block,
            uniform: object.block_buffers.iter().map(|&id| Some(id.into())).collect(),
            storage: object
                .storage_bindings
                .iter()
                .map(|b| Some((*self.storage_bindings.get(b)?).into()))
                .collect(),
            atomic: (0..atomics.unwrap_or(0))
                .map(|b| Some((*self.atomic_bindings.get(&b)?).into()))
                .collect(),
            samplers: self.sampler_textures(object),
            draw_buffers: object.draw_buffers.clone(),
            framebuffer: Default::default(),
            scalar_shadows: object.scalar_shadows,
            images: self.image_units(object),
            saved: None,
        }
    }

    /// Returns the draw-time state that compiled code depends on.
    fn stage_key(&self, object: &ProgramObject) -> StageKey {
        let compatibility = self.capabilities.api() == Api::Compatibility;
        let tessellates = object.program.stage(Stage::TessEval).is_some();
        let kind = |format: Option<Format>| match format.map(Format::class) {
            Some(FormatClass::Int) => TargetKind::Int,
            Some(FormatClass::Uint) => TargetKind::Uint,
            Some(_) => TargetKind::Float,
            None => TargetKind::None,
        };
        let is_upper_left = counts_from_upper_left(&object.program);
        let height = if is_upper_left { self.render_size().1 } else { 0 };
        StageKey {
            flat_shade: compatibility && self.state.flat_shade,
            two_sided_color: compatibility && self.state.two_side,
            clip_planes: if self.uses_clip_planes(object) { self.state.clip_enabled } else { 0 },
            patch_vertices: if tessellates { self.state.patch_vertices as u8 } else { 0 },
            targets: self.draw_formats().into_iter().map(kind).collect(),
            samples: self.draw_framebuffer.samples() as u8,
            point_sprite: 0,
            upper_left_height: height,
        }
    }

    /// True if enabled clip planes apply to `gl_ClipVertex` or `gl_Position`.
    fn uses_clip_planes(&self, object: &ProgramObject) -> bool {
        self.capabilities.api() == Api::Compatibility && object.vertex.clip_distances == 0
    }
}

/// True if a shadow lookup returns a float, as in GLSL 1.30 and later; in earlier versions it
/// returns a vector (GLSL 1.20 section 8.7).
fn has_scalar_shadows(program: &Program) -> bool {
    let scalar = |expr: &program::Expr| {
        let compares = matches!(&expr.kind, ExprKind::Texture(call) if call.compare.is_some());
        compares && program.types.components(expr.ty) == 1
    };
    program.stages.iter().any(|stage| stage.shader.exprs.values().any(scalar))
}
