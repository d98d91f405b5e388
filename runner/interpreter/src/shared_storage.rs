//! Cells of what the invocations of a stage share.

use cranelift_entity::SecondaryMap;
use program::{Global, GlobalId, LinkedStage, Scalar, Shader, Stage, Storage, TypeTable};

use crate::lanes::Mask;
use crate::scalar_layout::{ScalarLayout, scalars};
use crate::shared_cells::{Hazards, SharedCells};

/// Cells of what the invocations of a stage share, and their places among all cells.
#[derive(Debug)]
pub(crate) struct SharedStorage {
    pub(crate) cells: SharedCells,
    /// Components of outputs before those of a global.
    firsts: SecondaryMap<GlobalId, usize>,
    /// Bytes of memory.
    size: u32,
    /// Bytes of a cell of memory.
    granule: u32,
}

impl SharedStorage {
    /// Creates the storage of a stage whose invocations share some.
    pub(crate) fn new(
        types: &TypeTable,
        layout: &ScalarLayout,
        stage: &LinkedStage,
        lanes: usize,
        known: Hazards,
    ) -> SharedStorage {
        let shader = &stage.shader;
        let is_control = shader.stage == Stage::TessControl;
        let sharers = if is_control { control_invocations(shader) } else { lanes };
        let (mut firsts, mut next) = (SecondaryMap::new(), 0);
        for (id, global) in outputs(shader) {
            firsts[id] = next;
            next += layout.component_count(global.ty);
        }
        let mut found = Vec::new();
        for global in shader.globals.values().filter(|global| global.storage == Storage::Shared) {
            scalars(types, global.ty, &mut found);
        }
        let smallest = found.into_iter().map(Scalar::bytes).min();
        SharedStorage {
            // Marks of outputs without a value are in the values.
            cells: SharedCells::new(lanes, sharers, !is_control, known),
            firsts,
            size: stage.shared_size,
            granule: smallest.unwrap_or(4).max(1),
        }
    }

    /// The hazards of this run that were not known before.
    pub(crate) fn into_hazards(self) -> Hazards {
        self.cells.into_hazards()
    }

    /// Executes a barrier.
    pub(crate) fn synchronize(&mut self, lanes: &Mask) {
        self.cells.synchronize(lanes);
    }

    /// The cell of a component of an output in the patch of a lane.
    pub(crate) fn output(&self, global: GlobalId, component: usize, lane: usize) -> usize {
        (self.firsts[global] + component) * self.cells.rows() + self.cells.row(lane)
    }

    /// The cells of some bytes of memory; none outside of it.
    pub(crate) fn memory(&self, offset: u32, bytes: u32) -> std::ops::Range<usize> {
        let end = offset.saturating_add(bytes).min(self.size).div_ceil(self.granule);
        (offset / self.granule) as usize..end as usize
    }
}

/// True if invocations of a stage share outputs or memory.
pub(crate) fn shares_storage(stage: &LinkedStage) -> bool {
    match stage.shader.stage {
        Stage::TessControl => control_invocations(&stage.shader) > 1,
        Stage::Compute => stage.shared_size > 0,
        _ => false,
    }
}

/// True if the invocations of a patch share a global: an output of a tessellation control stage.
pub(crate) fn is_shared_output(shader: &Shader, id: GlobalId) -> bool {
    shader.stage == Stage::TessControl && shader.globals[id].storage == Storage::Output
}

/// The outputs of a stage.
pub(crate) fn outputs(shader: &Shader) -> impl Iterator<Item = (GlobalId, &Global)> {
    shader.globals.iter().filter(|(_, global)| global.storage == Storage::Output)
}

/// The number of invocations of a patch in the tessellation control stage.
pub(crate) fn control_invocations(shader: &Shader) -> usize {
    shader.layout.vertices.unwrap_or(1).max(1) as usize
}
