//! State of a wave that translated code changes.

use super::region::SCALARS;
use super::registers::{RegisterSet, WORDS};

/// Number of blocks that are remembered.
pub(super) const TRAIL: usize = 8;

/// State of a wave besides its registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaveState {
    /// Condition code.
    pub scc: bool,
    /// True if the mask of conditions is zero, as far as branches know.
    pub conditions_zero: bool,
    /// Instructions that may still be executed.
    pub left: u64,
    /// Registers that wait for memory, or that memory has still to read; `None` if memory owes the
    /// wave nothing.
    pub awaited: Option<RegisterSet>,
    /// Number of blocks that the last run executed, and their numbers, the last eight in a ring.
    pub(super) count: u64,
    pub(super) trail: [u32; TRAIL],
}

impl WaveState {
    /// The state of a wave that may execute `left` instructions.
    #[inline]
    pub fn new(
        scc: bool,
        conditions_zero: bool,
        left: u64,
        awaited: Option<RegisterSet>,
    ) -> WaveState {
        WaveState { scc, conditions_zero, left, awaited, ..WaveState::default() }
    }

    /// Blocks that the last run executed, the oldest first: the last eight.
    #[inline]
    pub fn trail(&self) -> impl Iterator<Item = usize> + '_ {
        let first = self.count.saturating_sub(TRAIL as u64);
        (first..self.count).map(|number| self.trail[number as usize % TRAIL] as usize)
    }
}

/// The second argument of translated code.
#[repr(C)]
pub(super) struct Frame {
    pub(super) scalars: *mut [u32; SCALARS],
    pub(super) left: u64,
    pub(super) count: u64,
    pub(super) scc: u32,
    pub(super) conditions_zero: u32,
    pub(super) trail: [u32; TRAIL],
    pub(super) is_idle: u32,
    pub(super) awaited: [u64; WORDS],
}

impl Frame {
    #[inline]
    pub(super) fn new(scalars: &mut [u32; SCALARS], state: &WaveState) -> Frame {
        Frame {
            scalars,
            left: state.left,
            count: 0,
            scc: state.scc.into(),
            conditions_zero: state.conditions_zero.into(),
            trail: [0; TRAIL],
            is_idle: state.awaited.is_none().into(),
            awaited: state.awaited.unwrap_or_default().0,
        }
    }

    /// Writes what translated code has changed.
    #[inline]
    pub(super) fn save(&self, state: &mut WaveState) {
        state.scc = self.scc != 0;
        state.conditions_zero = self.conditions_zero != 0;
        (state.left, state.count, state.trail) = (self.left, self.count, self.trail);
    }
}

/// Offsets of the fields of [`Frame`].
pub(super) mod offsets {
    use super::Frame;
    use std::mem::offset_of;

    pub(crate) const SCALARS: usize = offset_of!(Frame, scalars);
    pub(crate) const LEFT: usize = offset_of!(Frame, left);
    pub(crate) const COUNT: usize = offset_of!(Frame, count);
    pub(crate) const SCC: usize = offset_of!(Frame, scc);
    pub(crate) const CONDITIONS_ZERO: usize = offset_of!(Frame, conditions_zero);
    pub(crate) const TRAIL: usize = offset_of!(Frame, trail);
    pub(crate) const IS_IDLE: usize = offset_of!(Frame, is_idle);
    pub(crate) const AWAITED: usize = offset_of!(Frame, awaited);
}
