//! A draw: parameters, state and memory.

use std::cell::Cell;

use packets::Memory;
use raster::assemble::{Primitive, PrimitiveMode};

use crate::hardware::Hardware;
use crate::registers::Registers;
use crate::state::Fields;
use crate::statistics::{Count, Statistics};

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
    /// Counts of the stages.
    pub(super) statistics: Cell<Statistics>,
    /// Double words in each buffer of stream output.
    pub(super) filled: Cell<[u32; 4]>,
    /// Primitives of each stream that were written, and that would have been with enough room.
    pub(super) primitives: Cell<[[u64; 2]; 4]>,
    /// Pixels of a stippled line that are drawn already.
    pub(super) stippled: Cell<u32>,
}

/// Primitives with the input registers of their vertices.
pub(super) struct Assembled {
    pub(super) mode: PrimitiveMode,
    pub(super) inputs: Vec<[u32; 4]>,
    pub(super) primitives: Vec<Primitive>,
    /// Primitives are rectangles of three corners.
    pub(super) is_rectangle: bool,
}

impl Draw<'_> {
    /// Adds to a count of the stages.
    pub(super) fn count(&self, count: Count, number: usize) {
        let mut statistics = self.statistics.get();
        statistics.add(count, number);
        self.statistics.set(statistics);
    }

    /// Fields of registers.
    pub(super) fn fields(&self) -> &Fields {
        &self.hardware.fields
    }
}
