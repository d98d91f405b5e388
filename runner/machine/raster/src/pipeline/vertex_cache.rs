//! Cache of the vertices shaded last, for draws of the same vertices.

use program::{LinkedStage, StageKey};

use crate::device::{ProgramId, SoaTable, VertexBatch};

/// Last batch of a vertex stage that depends on its inputs only.
#[derive(Clone, Debug, Default)]
pub struct VertexCache(Option<(ProgramId, StageKey, VertexBatch)>);

impl VertexCache {
    /// Returns the outputs of a batch that equals the last one.
    pub fn find(&self, id: ProgramId, key: &StageKey, batch: &VertexBatch) -> Option<&SoaTable> {
        let (last_id, last_key, last) = self.0.as_ref()?;
        ((last_id, last_key) == (&id, key) && last.has_inputs_of(batch)).then_some(&last.outputs)
    }

    /// Caches a shaded batch if its outputs depend on its inputs only.
    pub fn store(
        &mut self,
        id: ProgramId,
        key: &StageKey,
        stage: &LinkedStage,
        batch: &VertexBatch,
    ) {
        if stage.sees_inputs_only() {
            self.0 = Some((id, key.clone(), batch.clone()));
        }
    }
}
