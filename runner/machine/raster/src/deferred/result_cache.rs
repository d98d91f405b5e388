//! Cache of fragment results by the inputs that decide them.

use std::sync::Arc;

use program::StageKey;

use super::recorded_draw::{DrawContext, ShadedFragment};
use crate::device::ProgramId;
use crate::multisample::Multisample;
use crate::output::OutputState;

/// Results of a fragment stage that depends on its inputs only, by these.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultCache {
    of: Option<Source>,
    results: Vec<(Vec<u32>, Option<ShadedFragment>)>,
}

/// Everything but the inputs that results depend on.
#[derive(Clone, Debug)]
struct Source {
    program: ProgramId,
    key: StageKey,
    multisample: Multisample,
    output: OutputState,
    /// The default uniform block: a compiler may load a uniform that the previous stage passes on.
    uniforms: Arc<Vec<u8>>,
}

impl Source {
    fn is_of(&self, context: &DrawContext) -> bool {
        self.program == context.id
            && self.key == context.key
            && self.multisample == context.multisample
            && self.output == context.output
            && self.uniforms == context.bindings.default_block
    }
}

/// Capacity of the cache.
const MAX_CACHED_RESULTS: usize = 16;

impl ResultCache {
    /// Binds the program of a draw. Returns whether its results may be cached.
    pub(super) fn bind(&mut self, context: &DrawContext) -> bool {
        if !self.of.as_ref().is_some_and(|source| source.is_of(context)) {
            self.results.clear();
            self.of = Some(Source {
                program: context.id,
                key: context.key.clone(),
                multisample: context.multisample.clone(),
                output: context.output.clone(),
                uniforms: context.bindings.default_block.clone(),
            });
        }
        context.fragment.sees_inputs_only && !context.reads_framebuffer()
    }

    pub(super) fn find(&self, key: &[u32]) -> Option<Option<ShadedFragment>> {
        self.results.iter().find(|(k, _)| k == key).map(|(_, result)| result.clone())
    }

    pub(super) fn add(&mut self, key: &[u32], result: &Option<ShadedFragment>) {
        if self.results.len() < MAX_CACHED_RESULTS {
            self.results.push((key.to_vec(), result.clone()));
        }
    }
}
