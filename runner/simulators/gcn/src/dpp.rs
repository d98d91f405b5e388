//! Data-parallel primitives (vi).

use amd_isa::{Dpp, Lanes};

use crate::register::LANES;
use crate::run::Step;

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
