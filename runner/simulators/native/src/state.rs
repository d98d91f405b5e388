//! State of a thread that translated code changes.

/// State of a thread besides its register file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Flag registers.
    pub flags: [u32; 2],
    /// Active channels, at least one.
    pub active: u32,
    /// Places where channels may wait, a bit each.
    pub awaited: u64,
    /// Instructions that may still be executed.
    pub left: u64,
    /// Registers, a bit each, that are known to hold no subnormal single.
    pub normal: [u64; 2],
}

/// Offsets of the fields of [`State`].
pub(crate) mod offsets {
    use super::State;
    use std::mem::offset_of;

    pub(crate) const FLAGS: usize = offset_of!(State, flags);
    pub(crate) const ACTIVE: usize = offset_of!(State, active);
    pub(crate) const AWAITED: usize = offset_of!(State, awaited);
    pub(crate) const LEFT: usize = offset_of!(State, left);
    pub(crate) const NORMAL: usize = offset_of!(State, normal);
}

/// A function of the file, the state and the number of the first block.
pub(crate) type Entry<S> = unsafe extern "C" fn(*mut u8, *mut S, u32) -> u32;
