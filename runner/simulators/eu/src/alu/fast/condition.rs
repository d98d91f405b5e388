//! Conditions on all lanes, as bits.

use intel_isa::CondMod;

/// One bit per lane.
#[inline(always)]
pub(super) fn bits<const N: usize>(holds: impl Fn(usize) -> bool) -> u32 {
    let mut bits = 0;
    for lane in 0..N {
        bits |= u32::from(holds(lane)) << lane;
    }
    bits
}

/// Lanes in which `a` and `b` satisfy a condition. Only "not equal" and "unordered" hold for
/// unordered operands.
#[inline(always)]
pub(super) fn compare<T: PartialOrd + Copy, const N: usize>(
    cond: Option<CondMod>,
    a: &[T; N],
    b: &[T; N],
) -> u32 {
    match cond {
        Some(CondMod::Z) => bits::<N>(|lane| a[lane] == b[lane]),
        Some(CondMod::Nz) => bits::<N>(|lane| a[lane] != b[lane]),
        Some(CondMod::G) => bits::<N>(|lane| a[lane] > b[lane]),
        Some(CondMod::Ge) => bits::<N>(|lane| a[lane] >= b[lane]),
        Some(CondMod::L) => bits::<N>(|lane| a[lane] < b[lane]),
        Some(CondMod::Le) => bits::<N>(|lane| a[lane] <= b[lane]),
        Some(CondMod::U) => bits::<N>(|lane| a[lane].partial_cmp(&b[lane]).is_none()),
        None | Some(CondMod::O) => 0,
    }
}

/// All ones in the lanes that have a bit.
#[inline(always)]
pub(super) fn masks<const N: usize>(bits: u32) -> [u32; N] {
    std::array::from_fn(|lane| u32::from(bits & 1 << lane != 0).wrapping_neg())
}
