//! Cache of fragment results by the inputs that decide them.

use program::StageKey;

use super::recorded_draw::{DrawContext, ShadedFragment};
use crate::device::ProgramId;
use crate::multisample::Multisample;

/// Results of a fragment stage that depends on its inputs only, by these.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultCache {
    /// Program, state and sample of the results.
    of: Option<(ProgramId, StageKey, Multisample)>,
    results: Vec<(Vec<u32>, Option<ShadedFragment>)>,
}

/// Capacity of the cache.
const MAX_CACHED_RESULTS: usize = 16;

impl ResultCache {
    /// Binds the program of a draw. Returns whether its results may be cached.
    pub(super) fn bind(&mut self, context: &DrawContext) -> bool {
        let DrawContext { id, key, multisample, .. } = context;
        let same = self.of.as_ref().is_some_and(|(i, k, m)| (i, k, m) == (id, key, multisample));
        if !same {
            self.results.clear();
            self.of = Some((*id, key.clone(), multisample.clone()));
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
