//! A draw: parameters, state and memory.

use std::cell::Cell;

use packets::Memory;

use crate::hardware::Hardware;
use crate::registers::Registers;
use crate::state::Fields;

/// Indices of a draw in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices {
    /// Address of the first.
    pub(crate) start: u64,
    /// Number of indices in the buffer.
    pub(crate) most: u32,
    /// Bytes of each.
    pub(crate) bytes: u32,
}

/// Parameters of a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawCall {
    pub(crate) vertices: u32,
    pub(crate) first_vertex: u32,
    pub(crate) instances: u32,
    pub(crate) indices: Option<Indices>,
}

/// State and memory of a draw.
pub(crate) struct Draw<'a> {
    pub(super) hardware: &'a Hardware,
    pub(super) memory: &'a dyn Memory,
    pub(super) registers: &'a Registers,
    /// Samples that passed all tests.
    pub(super) passed: Cell<u64>,
}

impl Draw<'_> {
    /// Fields of registers.
    pub(super) fn fields(&self) -> &Fields {
        &self.hardware.fields
    }
}
