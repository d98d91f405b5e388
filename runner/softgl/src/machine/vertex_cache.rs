//! The vertices that were shaded last, for draws that would shade the same ones again.

use program::{LinkedStage, StageKey};

use crate::device::{ProgramId, SoaTable, VertexBatch};

/// The last batch of a vertex stage that sees nothing but its inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct VertexCache(Option<(ProgramId, StageKey, VertexBatch)>);

impl VertexCache {
    /// Outputs of a batch that equals the last one.
    pub(super) fn find(&self, id: ProgramId, key: &StageKey, batch: &VertexBatch) -> Option<&SoaTable> {
        let (last_id, last_key, last) = self.0.as_ref()?;
        ((last_id, last_key) == (&id, key) && last.has_inputs_of(batch)).then_some(&last.outputs)
    }

    /// Keeps a shaded batch if it decides its outputs alone.
    pub(super) fn keep(&mut self, id: ProgramId, key: &StageKey, stage: &LinkedStage, batch: &VertexBatch) {
        if stage.sees_inputs_only() {
            self.0 = Some((id, key.clone(), batch.clone()));
        }
    }
}
