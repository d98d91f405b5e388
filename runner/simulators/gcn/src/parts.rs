//! Sub-dword addressing (vi).

use amd_isa::Sdwa;

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
