//! Recorded draws, kept until their pixels are read.

use std::collections::HashMap;
use std::sync::Arc;

use program::{Program, StageKey};
use smallvec::SmallVec;

use crate::device::{ProgramId, Quad};
use crate::format::Texel;
use crate::interface::{FragmentInput, FragmentInterface};
use crate::multisample::Multisample;
use crate::output::OutputState;
use crate::primitive::PrimitiveSetup;
use crate::rasterize::Spans;
use crate::rasterize::coverage::{Coverage, CoverageParts, UnionCache};
use crate::resources::Bindings;
use crate::texture::CompareFunction;

/// Amount of shading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShadeMode {
    /// Pixels that are read.
    #[default]
    Deferred,
    /// Every fragment of every draw, at once, without shared results.
    Immediate,
}

/// Context of the fragment stage of one draw.
#[derive(Clone, Debug)]
pub struct DrawContext {
    /// The program.
    pub program: Arc<Program>,
    /// Its id.
    pub id: ProgramId,
    /// Draw-time state.
    pub key: StageKey,
    /// Facts about the fragment stage.
    pub fragment: Arc<FragmentInterface>,
    /// Mapping of the fragment stage's inputs.
    pub inputs: Arc<Vec<FragmentInput>>,
    /// Objects as they were when the draw was issued.
    pub bindings: Bindings,
    /// Depth test, when enabled.
    pub depth_test: Option<CompareFunction>,
    /// Sample that is drawn.
    pub multisample: Multisample,
    /// Tests and blending beyond the depth test.
    pub output: OutputState,
}

impl DrawContext {
    /// True if a fragment must be complete before the next one of its pixel starts.
    pub(super) fn is_ordered(&self) -> bool {
        self.fragment.critical_section || self.reads_framebuffer()
    }

    /// True if the order of fragments has no effect on the results of the fragment stage.
    pub(super) fn is_any_order(&self) -> bool {
        !self.fragment.side_effects && !self.fragment.reads_clock && !self.is_ordered()
    }

    /// True if fragments are tested against depth or stencil values.
    pub(super) fn tests_depth(&self) -> bool {
        self.depth_test.is_some() || self.output.tests()
    }

    /// True if fragments are tested before they are shaded (GLSL 4.60, section 4.4.1.3).
    pub(super) fn tests_early(&self) -> bool {
        self.fragment.early_tests && self.tests_depth()
    }

    /// True if the fragment stage reads the framebuffer.
    pub(super) fn reads_framebuffer(&self) -> bool {
        self.bindings.draw_buffers.iter().any(Option::is_some)
    }
}

/// One primitive's coverage in a recorded draw.
#[derive(Clone, Debug)]
pub(super) struct DrawItem {
    pub(super) setup: usize,
    pub(super) coverage: Arc<Coverage>,
    /// Index of the shared result, for primitives with the same inputs at every pixel.
    pub(super) constant: Option<usize>,
    /// Number of the inputs, for primitives with the same inputs at every pixel whose results
    /// depend on the framebuffer beside them.
    pub(super) fetching: Option<usize>,
}

/// A fragment shader's results for one pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShadedFragment {
    /// Texel for each attachment, quantized unless it is blended; `None` where nothing is written.
    pub(super) texels: SmallVec<[Option<Texel>; 1]>,
    pub(super) depth: Option<u32>,
    /// Values that GLSL leaves undefined: the mark of the pixel.
    pub(super) undefined: u8,
}

/// Result shared by all pixels of one or more items, shaded on first use.
#[derive(Clone, Debug)]
pub(super) struct SharedResult {
    pub(super) setup: usize,
    pub(super) quad: Quad,
    /// All values that decide the result, inputs among them.
    pub(super) key: Vec<u32>,
    /// The inner `None` is a discarded fragment.
    pub(super) result: Option<Option<ShadedFragment>>,
}

/// A recorded draw.
#[derive(Clone, Debug)]
pub struct RecordedDraw {
    pub(super) context: DrawContext,
    pub(super) setups: Vec<PrimitiveSetup>,
    pub(super) items: Vec<DrawItem>,
    pub(super) shared: Vec<SharedResult>,
}

impl RecordedDraw {
    /// Creates an empty record.
    pub fn new(context: DrawContext) -> RecordedDraw {
        RecordedDraw { context, setups: Vec::new(), items: Vec::new(), shared: Vec::new() }
    }

    /// Returns the context, with memory as the shaders left it.
    pub fn into_context(self) -> DrawContext {
        self.context
    }

    /// True if no pixel is covered.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// Collects the primitives of a draw.
pub struct DrawRecorder {
    record: RecordedDraw,
    mode: ShadeMode,
    shared_by_key: HashMap<Vec<u32>, usize>,
    fetching_by_key: HashMap<Vec<u32>, usize>,
}

impl DrawRecorder {
    /// Starts a record.
    pub fn new(context: DrawContext, mode: ShadeMode) -> DrawRecorder {
        DrawRecorder {
            record: RecordedDraw::new(context),
            mode,
            shared_by_key: HashMap::new(),
            fetching_by_key: HashMap::new(),
        }
    }

    /// Adds a primitive, complete with values.
    pub fn add(&mut self, setup: PrimitiveSetup, coverage: CoverageParts, unions: &mut UnionCache) {
        let key = if self.mode == ShadeMode::Immediate { None } else { self.constant_key(&setup) };
        let info = &self.record.context.fragment;
        let fetches = info.reads_position && info.position_only_fetches;
        let fetching = key.as_ref().filter(|_| fetches).map(|key| {
            let next = self.fetching_by_key.len();
            *self.fetching_by_key.entry(key.clone()).or_insert(next)
        });
        let key = key.filter(|_| !fetches);
        let index = self.record.setups.len();
        self.record.setups.push(setup);
        for coverage in coverage {
            let constant = key.as_ref().map(|key| self.shared(key, index, coverage.spans()));
            self.push(DrawItem { setup: index, coverage, constant, fetching }, unions);
        }
    }

    /// Returns the finished record.
    pub fn finish(self) -> RecordedDraw {
        self.record
    }

    /// Returns the values that decide the result, beside the framebuffer, if no input varies over
    /// the primitive.
    fn constant_key(&self, setup: &PrimitiveSetup) -> Option<Vec<u32>> {
        let context = &self.record.context;
        let info = &context.fragment;
        if context.tests_early()
            || info.side_effects
            || info.reads_position && !info.position_only_fetches
        {
            return None;
        }
        let mut key = vec![
            if info.reads_primitive_id { setup.primitive_id } else { 0 },
            if info.reads_facing { u32::from(setup.front_facing) } else { 0 },
            if info.reads_layer { setup.layer } else { 0 },
            if info.reads_layer { setup.viewport_index } else { 0 },
        ];
        for (slot, input) in context.inputs.iter().enumerate() {
            // Compilers may move values to components that the program does not name.
            for c in 0..4 {
                let values = setup.values[slot * 4 + c];
                let same = values.iter().all(|&v| v == values[0]);
                if !input.flat && !same {
                    return None;
                }
                key.push(if input.flat { values[setup.provoking] } else { values[0] });
            }
        }
        Some(key)
    }

    fn shared(&mut self, key: &[u32], setup: usize, spans: &Spans) -> usize {
        if let Some(&index) = self.shared_by_key.get(key) {
            return index;
        }
        let index = self.record.shared.len();
        let first = (spans.y0..).zip(&spans.rows).find(|(_, (x0, x1))| x0 < x1);
        let (y, x) = first.map_or((0, 0), |(y, run)| (y, run.0));
        let quad = Quad { x: x & !1, y: y & !1, primitive: 0 };
        self.record.shared.push(SharedResult { setup, quad, key: key.to_vec(), result: None });
        self.shared_by_key.insert(key.to_vec(), index);
        index
    }

    /// Appends an item, united with the one before it if that has the same result and depth has no
    /// effect.
    fn push(&mut self, item: DrawItem, unions: &mut UnionCache) {
        let joinable = item.constant.is_some()
            && !self.record.context.tests_depth()
            && self.record.context.output.replaces();
        if let Some(last) = self.record.items.last_mut()
            && joinable
            && last.constant == item.constant
            && let Some(union) = unions.join(&last.coverage, &item.coverage)
        {
            last.coverage = union;
            return;
        }
        self.record.items.push(item);
    }
}
