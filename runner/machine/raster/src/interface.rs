//! Facts about the interfaces of a linked program, gathered once.

use program::builtin_function::InterpolationFunction;
use program::link::draw_buffer;
use program::resource::{Placement, Varying};
use program::types::{ArrayLength, Type};
use program::variable::{InterpolationMode, SampleLocation};
use program::{
    BuiltinFamily, BuiltinVariable, ExprKind, FragmentOutput, LinkedStage, Program, Shader, Slot,
    Stage, StageKey, Storage,
};

/// Facts about a fragment stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentInterface {
    /// Color locations with a static output; for `gl_FragColor` only the first.
    pub locations: Vec<bool>,
    /// `gl_FragColor`: location 0 goes to every attachment.
    pub broadcast: bool,
    /// Writes `gl_FragDepth`.
    pub writes_depth: bool,
    /// Reads its position, sample or lane: fragments of a primitive with equal inputs can differ.
    pub reads_position: bool,
    /// Reads its position only to fetch from the framebuffer: fragments of a primitive with equal
    /// inputs are equal where the framebuffer is.
    pub position_only_fetches: bool,
    /// Writes `gl_SampleMask`.
    pub writes_sample_mask: bool,
    /// Reads `gl_PrimitiveID`.
    pub reads_primitive_id: bool,
    /// Reads `gl_FrontFacing`.
    pub reads_facing: bool,
    /// Reads `gl_Layer` or `gl_ViewportIndex`.
    pub reads_layer: bool,
    /// Depth and stencil are tested before the shader runs: it does not run where a test fails, and
    /// its discard comes too late.
    pub early_tests: bool,
    /// Writes memory.
    pub side_effects: bool,
    /// Reads a clock.
    pub reads_clock: bool,
    /// See [`program::LinkedStage::has_critical_section`].
    pub critical_section: bool,
    /// See [`program::LinkedStage::sees_inputs_only`].
    pub sees_inputs_only: bool,
    /// The fragments of a pixel's samples are equal where coverage, depth and framebuffer are.
    pub equal_samples: bool,
}

impl FragmentInterface {
    /// Gathers the facts. Returns `None` without a fragment stage.
    pub fn new(program: &Program) -> Option<FragmentInterface> {
        let stage = program.stage(Stage::Fragment)?;
        let mut info = FragmentInterface {
            early_tests: stage.shader.layout.early_fragment_tests,
            side_effects: stage.side_effects,
            reads_clock: stage.reads_clock(),
            critical_section: stage.has_critical_section(),
            sees_inputs_only: stage.sees_inputs_only(),
            ..Default::default()
        };
        info.position_only_fetches = position_only_fetches(program, &stage.shader);
        info.equal_samples = !stage.side_effects && !info.critical_section && !sees_samples(stage);
        for global in stage.shader.globals.values().filter(|g| g.active) {
            match global.storage {
                Storage::Input => info.add_input(global.builtin),
                Storage::Output => info.add_output(global.placement, elements(program, global.ty)),
                _ => {}
            }
        }
        // Depths of the shader come too late (GLSL 4.60 section 4.4.1.3).
        info.writes_depth &= !info.early_tests;
        if stage.inputs.iter().any(|v| v.slot == Slot::PointCoord) {
            info.add_input(Some(BuiltinVariable::PointCoord));
        }
        Some(info)
    }

    fn add_input(&mut self, builtin: Option<BuiltinVariable>) {
        use BuiltinVariable::*;
        match builtin {
            Some(FragCoord) => self.reads_position = true,
            Some(
                PointCoord | SampleId | SamplePosition | SampleMaskIn | HelperInvocation
                | SubGroupInvocation | SubGroupEqMask | SubGroupGeMask | SubGroupGtMask
                | SubGroupLeMask | SubGroupLtMask | LastFragData,
            ) => {
                self.reads_position = true;
                self.position_only_fetches = false;
                self.equal_samples = false;
            }
            Some(PrimitiveId) => self.reads_primitive_id = true,
            Some(FrontFacing) => self.reads_facing = true,
            Some(Layer | ViewportIndex) => self.reads_layer = true,
            _ => {}
        }
    }

    fn add_output(&mut self, placement: Placement, elements: u32) {
        let Placement::FragmentOutput { output, .. } = placement else { return };
        match output {
            FragmentOutput::AllColors => {
                self.broadcast = true;
                self.add_location(0);
            }
            FragmentOutput::Color { location, index: 0 } => {
                (0..elements).for_each(|i| self.add_location(usize::from(location) + i as usize));
            }
            FragmentOutput::Depth => self.writes_depth = true,
            FragmentOutput::SampleMask => {
                self.writes_sample_mask = true;
                self.equal_samples = false;
            }
            _ => {}
        }
    }

    fn add_location(&mut self, location: usize) {
        // No implementation has more locations, and linking rejects higher ones.
        if location < 32 {
            let len = self.locations.len().max(location + 1);
            self.locations.resize(len, false);
            self.locations[location] = true;
        }
    }

    /// True if the stage writes a color.
    pub fn writes_colors(&self) -> bool {
        self.locations.contains(&true)
    }

    /// Returns the location that is written to an attachment, if any.
    pub fn source(&self, attachment: usize) -> Option<usize> {
        let location = if self.broadcast { 0 } else { attachment };
        self.locations.get(location).copied().unwrap_or(false).then_some(location)
    }
}

/// Returns true if the fragment stage's window coordinates count from the upper left corner.
pub fn counts_from_upper_left(program: &Program) -> bool {
    let coord = |g: &program::Global| g.builtin == Some(BuiltinVariable::FragCoord);
    let shader = program.stage(Stage::Fragment).map(|stage| &stage.shader);
    shader.is_some_and(|s| s.globals.values().any(|g| coord(g) && g.layout.origin_upper_left))
}

/// True if the shader reads the framebuffer, and its position nowhere else: linking adds one
/// expression of the position, which all fetches share.
fn position_only_fetches(program: &Program, shader: &Shader) -> bool {
    let is_position = |kind: &ExprKind| match kind {
        ExprKind::Global(id) => shader.globals[*id].builtin == Some(BuiltinVariable::FragCoord),
        _ => false,
    };
    (0..program.samplers.len()).any(|slot| draw_buffer(program, slot).is_some())
        && shader.exprs.values().filter(|expr| is_position(&expr.kind)).count() == 1
}

/// True if the sample, or another invocation that runs at the same time, can decide results.
fn sees_samples(stage: &LinkedStage) -> bool {
    let at_center = |input: &Varying| input.interpolation.location == SampleLocation::Center;
    let sees = |kind: &ExprKind| match kind {
        ExprKind::Builtin { function, .. } => matches!(
            function.family(),
            BuiltinFamily::Invocation(_)
                | BuiltinFamily::Interpolation(InterpolationFunction::InterpolateAtCentroid)
        ),
        _ => false,
    };
    stage.shades_samples()
        || !stage.inputs.iter().all(at_center)
        || stage.shader.exprs.values().any(|expr| sees(&expr.kind))
}

/// Returns the number of elements of an array type; 1 for anything else.
fn elements(program: &Program, ty: program::TypeId) -> u32 {
    match *program.types.get(ty) {
        Type::Array { length: ArrayLength::Fixed(n), .. } => n,
        _ => 1,
    }
}

/// Variation of one input slot of the fragment stage over a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentInput {
    /// Slot of the last vertex stage that provides the value.
    pub source: Option<usize>,
    /// The source of back faces with two-sided colors.
    pub back_source: Option<usize>,
    /// Slot.
    pub slot: Slot,
    /// Constant over the primitive: from the provoking vertex.
    pub flat: bool,
}

/// Maps the fragment stage's inputs to the outputs of the stage before it.
pub fn fragment_inputs(program: &Program, key: &StageKey) -> Vec<FragmentInput> {
    let outputs = program.last_vertex_stage().map_or(&[][..], |s| &s.outputs);
    let find = |slot: Slot| outputs.iter().position(|v| v.slot == slot);
    let inputs = program.stage(Stage::Fragment).map_or(&[][..], |s| &s.inputs);
    inputs
        .iter()
        .map(|input| {
            let mode = input.interpolation.mode;
            let color = matches!(input.slot, Slot::Color(_) | Slot::BackColor(_));
            let back_source = match input.slot {
                Slot::Color(n) if key.two_sided_color => find(Slot::BackColor(n)),
                _ => None,
            };
            FragmentInput {
                source: find(input.slot),
                back_source,
                slot: input.slot,
                flat: input.integer
                    || mode == InterpolationMode::Flat
                    || (mode == InterpolationMode::Default && color && key.flat_shade),
            }
        })
        .collect()
}

/// Output slots of the last stage before rasterization that fixed-function stages read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VertexInterface {
    /// Number of output slots.
    pub slots: usize,
    /// `gl_Position`.
    pub position: Option<usize>,
    /// `gl_PointSize`.
    pub point_size: Option<usize>,
    /// `gl_ClipVertex`.
    pub clip_vertex: Option<usize>,
    /// Clip and cull distances 0–3 and 4–7.
    pub distances: [Option<usize>; 2],
    /// Number of clip distances.
    pub clip_distances: u8,
    /// Number of cull distances, which follow the clip distances.
    pub cull_distances: u8,
    /// `gl_Layer`.
    pub layer: Option<usize>,
    /// `gl_ViewportIndex`.
    pub viewport_index: Option<usize>,
    /// `gl_ViewportMask[0]`.
    pub viewport_mask: Option<usize>,
    /// `gl_PrimitiveID` of a geometry stage.
    pub primitive_id: Option<usize>,
}

impl VertexInterface {
    /// Finds the slots.
    pub fn new(program: &Program) -> VertexInterface {
        let Some(stage) = program.last_vertex_stage() else { return VertexInterface::default() };
        let find = |slot: Slot| stage.outputs.iter().position(|v| v.slot == slot);
        VertexInterface {
            slots: stage.outputs.len(),
            position: find(Slot::Position),
            point_size: find(Slot::PointSize),
            clip_vertex: find(Slot::ClipVertex),
            distances: [find(Slot::ClipDistance(0)), find(Slot::ClipDistance(1))],
            clip_distances: stage.clip_distances,
            cull_distances: stage.cull_distances,
            layer: find(Slot::Layer),
            viewport_index: find(Slot::ViewportIndex),
            viewport_mask: find(Slot::ViewportMask),
            primitive_id: find(Slot::PrimitiveId),
        }
    }

    /// Returns distance `index` (clip first, then cull) of a vertex.
    pub fn distance(&self, vertex: &[u32], index: usize) -> f64 {
        let slot = self.distances.get(index / 4).copied().flatten();
        let bits = slot.and_then(|slot| vertex.get(slot * 4 + index % 4)).copied().unwrap_or(0);
        f64::from(f32::from_bits(bits))
    }
}

/// Returns component `component` of a slot of a vertex; zero when the stage does not write the
/// slot.
pub fn component(vertex: &[u32], slot: Option<usize>, component: usize) -> u32 {
    slot.and_then(|slot| vertex.get(slot * 4 + component)).copied().unwrap_or(0)
}
