//! Operands of a resolved instruction, and the access to them.

use intel_isa::CondMod;

use crate::regs::{GRF_BYTES, Registers};

/// A dword in every lane.
pub(super) type Dwords<const N: usize> = [[u8; 4]; N];

/// Constants in every lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool(Vec<Dwords<8>>);

impl Pool {
    /// Number of the constant, added if missing; `None` if there are too many.
    pub(super) fn number(&mut self, constant: u32) -> Option<u16> {
        let spread = [constant.to_le_bytes(); 8];
        let found = self.0.iter().position(|known| *known == spread);
        let number = found.unwrap_or_else(|| {
            self.0.push(spread);
            self.0.len() - 1
        });
        u16::try_from(number).ok()
    }
}

/// Place of a source's dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Consecutive dwords from a byte offset on.
    Row(u16),
    /// The dword at a byte offset in all lanes.
    Element(u16),
    /// A constant of the pool.
    Constant(u16),
}

/// A source, with masks that give a single its modifiers: bits that stay, and bits that change.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneSource {
    pub(super) place: Place,
    pub(super) keep: u32,
    pub(super) flip: u32,
}

impl LaneSource {
    /// A source that an operation does not have.
    pub(super) const NONE: LaneSource =
        LaneSource { place: Place::Row(0), keep: u32::MAX, flip: 0 };

    /// Byte offset of a row.
    pub(super) fn row(&self) -> Option<u16> {
        match self.place {
            Place::Row(offset) => Some(offset),
            _ => None,
        }
    }
}

/// A condition, and the flag register it writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    pub(super) cond: Option<CondMod>,
    pub(super) flag: u8,
    /// Bit of the first channel.
    pub(super) base: u8,
}

/// Operands of a resolved instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    pub(super) sources: [LaneSource; 3],
    /// Byte offsets of the sources that are rows.
    pub(super) rows: [u16; 3],
    /// Byte offset of the destination, if there is one.
    pub(super) destination: Option<u16>,
    pub(super) condition: Option<Condition>,
    pub(super) saturate: bool,
}

/// Operands of an instruction in execution.
pub(super) struct Call<'a> {
    pub(super) operands: &'a Operands,
    pub(super) pool: &'a Pool,
    /// Lanes that are written.
    pub(super) enabled: u32,
    /// Value of the predicate per lane.
    pub(super) selected: u32,
}

impl Call<'_> {
    /// The dwords of eight lanes of a source; `None` outside of the register file. `FULL`: the
    /// source is a row.
    #[inline(always)]
    pub(super) fn row<const FULL: bool>(
        &self,
        registers: &Registers,
        (index, first): (usize, usize),
    ) -> Option<[u32; 8]> {
        let row = |offset: u16| {
            let start = usize::from(offset) + 4 * first;
            let bytes = registers.grf.get(start..start + 32)?;
            bytes.as_chunks::<4>().0.first_chunk::<8>()
        };
        let dwords = match self.operands.sources[index].place {
            _ if FULL => row(self.operands.rows[index])?,
            Place::Row(offset) => row(offset)?,
            Place::Constant(number) => self.pool.0.get(usize::from(number))?,
            Place::Element(offset) => return Some([registers.dword(offset.into()); 8]),
        };
        Some(dwords.map(u32::from_le_bytes))
    }

    /// Writes eight lanes of the destination, if they are enabled. `FULL`: all are.
    #[inline(always)]
    pub(super) fn store<const FULL: bool>(
        &self,
        registers: &mut Registers,
        first: usize,
        values: &[u32; 8],
    ) {
        let Some(offset) = self.operands.destination else { return };
        let start = usize::from(offset) + 4 * first;
        let Some(bytes) = registers.grf.get_mut(start..start + 32) else { return };
        let slots = bytes.as_chunks_mut::<4>().0;
        let enabled = self.enabled >> first & 0xff;
        if FULL || enabled == 0xff {
            for (slot, value) in slots.iter_mut().zip(values) {
                *slot = value.to_le_bytes();
            }
            return;
        }
        for (lane, (slot, value)) in slots.iter_mut().zip(values).enumerate() {
            let keep = u32::from(enabled & 1 << lane != 0).wrapping_sub(1);
            let old = u32::from_le_bytes(*slot);
            *slot = (old & keep | value & !keep).to_le_bytes();
        }
    }

    /// Writes the flag bits of the enabled lanes.
    #[inline(always)]
    pub(super) fn store_flags(&self, registers: &mut Registers, truths: u32) {
        let Some(condition) = self.operands.condition else { return };
        let written = self.enabled.rotate_left(condition.base.into());
        let truths = (truths & self.enabled).rotate_left(condition.base.into());
        let flag = &mut registers.flags[usize::from(condition.flag & 1)];
        *flag = (*flag & !written) | truths;
    }
}

/// True if the register file holds `lanes` dwords from `offset` on.
pub(super) fn is_inside(offset: u16, lanes: usize) -> bool {
    usize::from(offset) + 4 * lanes <= GRF_BYTES
}
