//! Operands of an instruction laid out for execution on rows, and the access to them.

use amd_isa::{Kind, Modifiers, Opcode};

use crate::arithmetic::float::FloatMode;
use crate::arithmetic::nan;
use crate::arithmetic::operations::{Family, output};
use crate::quirks::Quirks;
use crate::register::LANES;

/// A vector register: a dword per lane.
pub(super) type Row = [u32; LANES];

/// Doubles or other 64 bits per lane.
pub(super) type WideRow = [u64; LANES];

/// A source that an operation does not have.
const ABSENT: Row = [0; LANES];

/// Place of a source's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// No such source.
    Absent,
    /// A vector register; the first of two for 64 bits.
    Register(u8),
    /// One value for all lanes.
    Same,
    /// A bit per lane.
    Mask,
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSource {
    pub place: Place,
    /// True for 64 bits.
    pub wide: bool,
    /// Bits that stay, and bits that change: absolute value and negation.
    pub keep: u64,
    pub flip: u64,
}

impl RowSource {
    /// A source that an operation does not have.
    pub(super) const ABSENT: RowSource =
        RowSource { place: Place::Absent, wide: false, keep: u64::MAX, flip: 0 };
}

/// Operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    pub opcode: Opcode,
    pub sources: [RowSource; 3],
    /// True if a source has its sign changed.
    pub signed: bool,
    /// First vector register of the result.
    pub destination: Option<u8>,
    /// Kind of the result.
    pub kind: Kind,
    /// Output modifier and clamp, if there are any.
    pub output: Option<Modifiers>,
    /// Masks of the results for less, equal, greater and unordered operands.
    pub orders: [u32; 4],
    /// The functions of single lanes.
    pub family: Option<Family>,
}

/// An instruction in execution.
pub(crate) struct Call<'a> {
    pub(super) operands: &'a Operands,
    /// Values of the sources that are not registers.
    pub(super) scalars: [u64; 3],
    /// Lanes that are written.
    pub(super) lanes: u64,
    pub(super) quirks: &'a Quirks,
}

/// An implementation of instructions.
pub(super) trait Job {
    /// Executes an instruction; returns a mask of lanes.
    fn run(call: &Call, vectors: &mut [Row]) -> u64;
}

impl Call<'_> {
    /// The dwords of a source, without its signs.
    #[inline(always)]
    pub(super) fn row<'a>(
        &self,
        vectors: &'a [Row],
        index: usize,
        space: &'a mut Option<Row>,
    ) -> &'a Row {
        let scalar = self.scalars[index];
        match self.operands.sources[index].place {
            Place::Absent => &ABSENT,
            Place::Register(number) => &vectors[usize::from(number)],
            Place::Same => space.insert([scalar as u32; LANES]),
            Place::Mask => space.insert(std::array::from_fn(|lane| (scalar >> lane) as u32 & 1)),
        }
    }

    /// The values of a source with its signs.
    #[inline(always)]
    pub(super) fn wide_row(&self, vectors: &[Row], index: usize) -> WideRow {
        let source = &self.operands.sources[index];
        let mut values = [0; LANES];
        match source.place {
            Place::Register(number) if source.wide => {
                let number = usize::from(number);
                let (low, high) = (&vectors[number], &vectors[number + 1]);
                for lane in 0..LANES {
                    values[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                }
            }
            Place::Same => values = [self.scalars[index]; LANES],
            _ => {
                let mut space = None;
                let row = self.row(vectors, index, &mut space);
                for lane in 0..LANES {
                    values[lane] = row[lane].into();
                }
            }
        }
        for value in &mut values {
            *value = (*value & source.keep) ^ source.flip;
        }
        values
    }

    /// The value of a source in a lane, with its signs.
    pub(super) fn value(&self, vectors: &[Row], index: usize, lane: usize) -> u64 {
        let source = &self.operands.sources[index];
        let value = match source.place {
            Place::Absent => 0,
            Place::Register(number) if source.wide => {
                let number = usize::from(number);
                u64::from(vectors[number][lane]) | u64::from(vectors[number + 1][lane]) << 32
            }
            Place::Register(number) => vectors[usize::from(number)][lane].into(),
            Place::Same => self.scalars[index],
            Place::Mask => self.scalars[index] >> lane & 1,
        };
        (value & source.keep) ^ source.flip
    }

    /// The result of a lane by the function of single lanes.
    #[inline(never)]
    pub(super) fn again(&self, vectors: &[Row], lane: usize, result: u64) -> u64 {
        let sources = std::array::from_fn(|index| self.value(vectors, index, lane));
        let Some(family) = self.operands.family else { return result };
        let (opcode, mode) = (self.operands.opcode, FloatMode::DEFAULT);
        let result = family(opcode, sources, mode, self.quirks).unwrap_or(result);
        nan::settled(opcode, sources, mode, result)
    }

    /// Writes the lanes of a result of 32 bits.
    #[inline(always)]
    pub(super) fn store(&self, vectors: &mut [Row], results: &Row) {
        let Some(number) = self.operands.destination else { return };
        let row = &mut vectors[usize::from(number)];
        if self.lanes == u64::MAX {
            *row = *results;
            return;
        }
        for lane in 0..LANES {
            let half = if lane < 32 { self.lanes as u32 } else { (self.lanes >> 32) as u32 };
            let keep = (half >> (lane & 31) & 1).wrapping_sub(1);
            row[lane] = (row[lane] & keep) | (results[lane] & !keep);
        }
    }

    /// Writes the lanes of a result of 64 bits.
    #[inline(always)]
    pub(super) fn store_wide(&self, vectors: &mut [Row], results: &WideRow) {
        let Some(number) = self.operands.destination.map(usize::from) else { return };
        for lane in 0..LANES {
            if self.lanes >> lane & 1 != 0 {
                vectors[number][lane] = results[lane] as u32;
                vectors[number + 1][lane] = (results[lane] >> 32) as u32;
            }
        }
    }

    /// Applies output modifier and clamp.
    #[inline(always)]
    pub(super) fn output(&self, result: u64) -> u64 {
        match &self.operands.output {
            Some(modifiers) => output(self.operands.kind, modifiers, result, FloatMode::DEFAULT),
            None => result,
        }
    }
}

/// One bit per lane, of dwords that are 0 or 1.
#[inline(always)]
pub(super) fn mask(truths: &Row) -> u64 {
    let (mut low, mut high) = (0, 0);
    for lane in 0..LANES / 2 {
        low |= truths[lane] << lane;
        high |= truths[lane + LANES / 2] << lane;
    }
    u64::from(low) | u64::from(high) << 32
}
