//! Data-parallel primitives and sub-dword addressing (vi).

use amd_isa::{Dpp, Lanes, Sdwa};

use crate::run::Step;
use crate::state::LANES;

impl Step<'_> {
    /// Lanes that a vector operation writes.
    pub(crate) fn written_lanes(&self) -> u64 {
        let exec = self.wave.exec();
        let Lanes::Dpp(dpp) = self.instruction.modifiers.lanes else { return exec };
        let written = |lane: &usize| {
            let row = dpp.row_mask >> (lane / 16) & 1 != 0;
            let bank = dpp.bank_mask >> (lane / 4 % 4) & 1 != 0;
            row && bank && (dpp.bound_control || self.dpp_source(&dpp, *lane).is_some())
        };
        let lanes = (0..LANES).filter(|lane| exec >> lane & 1 != 0).filter(written);
        lanes.fold(0, |mask, lane| mask | 1 << lane)
    }

    /// Active lane that gives a lane its first source.
    pub(crate) fn dpp_source(&self, dpp: &Dpp, lane: usize) -> Option<usize> {
        let from = source_lane(dpp.control, lane)?;
        (self.wave.exec() >> from & 1 != 0).then_some(from)
    }
}

/// Lane that a permutation gives a lane; none at the end of a row or of the wave.
fn source_lane(control: u16, lane: usize) -> Option<usize> {
    let amount = usize::from(control & 15);
    let (row, place) = (lane & !15, lane & 15);
    match control {
        0..=0xff => Some(lane & !3 | usize::from(control >> (2 * (lane & 3)) & 3)),
        0x101..=0x10f => (place + amount < 16).then(|| lane + amount),
        0x111..=0x11f => (place >= amount).then(|| lane - amount),
        0x121..=0x12f => Some(row | ((place + 16 - amount) & 15)),
        0x130 => (lane < LANES - 1).then(|| lane + 1),
        0x134 => Some((lane + 1) % LANES),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + LANES - 1) % LANES),
        0x140 => Some(row | (15 - place)),
        0x141 => Some(lane & !7 | (7 - (lane & 7))),
        // The last lane of a row for the next row, of half a wave for the other half.
        0x142 => (lane >= 16).then(|| row - 1),
        0x143 => (lane >= 32).then_some(31),
        _ => None,
    }
}

/// Lowest bit and number of bits of a selection.
fn part(selection: u8) -> (u32, u32) {
    match selection {
        0..=3 => (8 * u32::from(selection), 8),
        4 | 5 => (16 * u32::from(selection - 4), 16),
        _ => (0, 32),
    }
}

/// The selected part of a source.
pub(crate) fn selected(sdwa: &Sdwa, source: usize, value: u32) -> u32 {
    let (low, bits) = part(sdwa.sources[source & 1]);
    let shift = 32 - bits;
    let top = value >> low << shift;
    if sdwa.sext[source & 1] { (top as i32 >> shift) as u32 } else { top >> shift }
}

/// A destination whose selected part is the result.
pub(crate) fn merged(sdwa: &Sdwa, old: u32, result: u32) -> u32 {
    let (low, bits) = part(sdwa.destination);
    if bits == 32 {
        return result;
    }
    let field = ((1 << bits) - 1) << low;
    let placed = result << low & field;
    match sdwa.unused {
        0 => placed,
        1 => {
            let shift = 32 - bits;
            let extended = (result << shift) as i32 >> shift;
            (extended << low) as u32
        }
        _ => old & !field | placed,
    }
}
