//! An instruction laid out for execution on rows.

use super::call::{Call, Operands};
use super::machine::Runner;
use crate::quirks::Quirks;
use crate::register::LANES;

/// Value of a source that is not a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A constant; 0 for sources that are vector registers.
    Constant(u64),
    /// A scalar register.
    Scalar(u8),
    /// Two scalar registers.
    Pair(u8),
}

/// Effect of an instruction beside the rows it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// None.
    Rows,
    /// The mask of lanes is written to two scalar registers.
    Mask {
        /// First of the registers.
        register: u8,
        /// True if EXEC gets the mask, too.
        sets_exec: bool,
    },
}

/// An instruction laid out for execution on rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(super) runner: Runner,
    pub(super) operands: Operands,
    pub inputs: [Input; 3],
    pub effect: Effect,
}

impl Plan {
    /// Executes the instruction; returns the mask of lanes that is its other result. The mode is
    /// [`FloatMode::DEFAULT`](crate::arithmetic::float::FloatMode::DEFAULT).
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
