//! An instruction laid out for execution on rows.

use super::call::{Call, Operands, Place};
use super::machine::Runner;
use crate::quirks::Quirks;
use crate::register::LANES;

/// Effect of an instruction beside the rows it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// None.
    Rows,
    /// The mask of lanes becomes an operand's value, and perhaps EXEC.
    Mask {
        /// Number of the operand.
        operand: usize,
        /// True for EXEC, too.
        sets_exec: bool,
    },
}

/// An instruction laid out for execution on rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(super) runner: Runner,
    pub(super) operands: Operands,
    pub effect: Effect,
}

impl Plan {
    /// Numbers of the operands whose values are the same for all lanes, or masks of lanes.
    #[inline]
    pub(crate) fn scalars(&self) -> [Option<usize>; 3] {
        self.operands.sources.map(|source| {
            matches!(source.place, Place::Same | Place::Mask).then_some(source.operand)
        })
    }

    /// Executes the instruction; returns the mask of lanes that is its other result. The mode is
    /// [`FloatMode::DEFAULT`].
    #[inline]
    pub(crate) fn run(
        &self,
        scalars: [u64; 3],
        lanes: u64,
        quirks: &Quirks,
        vectors: &mut [[u32; LANES]],
    ) -> u64 {
        self.runner.run(&Call { operands: &self.operands, scalars, lanes, quirks }, vectors)
    }
}
