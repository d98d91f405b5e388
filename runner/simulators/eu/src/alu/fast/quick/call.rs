//! Operands of a resolved instruction, and the access to them.

use intel_isa::CondMod;

use super::super::access::full;
use super::super::formats::flush32;
use crate::regs::{GRF_BYTES, Registers};

/// Place of a source's dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Consecutive dwords from a byte offset on.
    Row(u16),
    /// The dword at a byte offset in all lanes.
    Element(u16),
    /// A constant in all lanes.
    Constant(u32),
}

impl Place {
    /// The dword that is in all lanes, if it is one.
    #[inline(always)]
    pub(super) fn same(self, registers: &Registers) -> Option<u32> {
        match self {
            Place::Row(_) => None,
            Place::Constant(dword) => Some(dword),
            Place::Element(offset) => Some(registers.dword(offset.into())),
        }
    }
}

/// A source, with its modifiers: bits that stay, bits that change, and what is added to an integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneSource {
    pub(super) place: Place,
    pub(super) keep: u32,
    pub(super) flip: u32,
    pub(super) add: u32,
}

impl LaneSource {
    /// A source that an operation does not have.
    pub(super) const NONE: LaneSource =
        LaneSource { place: Place::Row(0), keep: u32::MAX, flip: 0, add: 0 };

    /// A dword with the modifiers.
    #[inline(always)]
    pub(super) fn modified(&self, is_single: bool, dword: u32) -> u32 {
        let bits = (dword & self.keep) ^ self.flip;
        if is_single { bits } else { bits.wrapping_add(self.add) }
    }

    /// True for rows and for constants that are no subnormal single.
    pub(super) fn is_known(&self) -> bool {
        match self.place {
            Place::Row(_) => true,
            Place::Element(_) => false,
            Place::Constant(dword) => flush32(dword) == dword,
        }
    }

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
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) operands: &'a Operands,
    /// Lanes that are written.
    pub(super) enabled: u32,
    /// Value of the predicate per lane.
    pub(super) selected: u32,
}

impl Call<'_> {
    /// The dwords of a source; `None` outside of the register file. `FULL`: the source is a row.
    #[inline(always)]
    pub(super) fn row<const N: usize, const FULL: bool>(
        &self,
        registers: &Registers,
        index: usize,
    ) -> Option<[u32; N]> {
        let row = |offset: u16| {
            // The limit is never reached: without it, the compiler would check each register.
            let start = usize::from(offset).min(GRF_BYTES - 4 * N);
            let bytes = registers.grf.get(start..start + 4 * N)?;
            let dwords: &[[u8; 4]; N] = bytes.as_chunks::<4>().0.first_chunk()?;
            Some(dwords.map(u32::from_le_bytes))
        };
        match self.operands.sources[index].place {
            _ if FULL => row(self.operands.rows[index]),
            Place::Row(offset) => row(offset),
            place => Some([place.same(registers)?; N]),
        }
    }

    /// Writes the destination's enabled lanes. `FULL`: all are.
    #[inline(always)]
    pub(super) fn store<const N: usize, const FULL: bool>(
        &self,
        registers: &mut Registers,
        values: &[u32; N],
    ) {
        let Some(offset) = self.operands.destination else { return };
        let start = usize::from(offset).min(GRF_BYTES - 4 * N);
        let Some(bytes) = registers.grf.silent_mut(start..start + 4 * N) else { return };
        let slots = bytes.as_chunks_mut::<4>().0;
        if FULL || self.enabled == full::<N>() {
            for (slot, value) in slots.iter_mut().zip(values) {
                *slot = value.to_le_bytes();
            }
            return;
        }
        for (lane, (slot, value)) in slots.iter_mut().zip(values).enumerate() {
            let keep = u32::from(self.enabled & 1 << lane != 0).wrapping_sub(1);
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
