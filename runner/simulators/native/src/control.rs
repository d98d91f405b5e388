//! Calls with the host's treatment of subnormal singles.

use crate::state::Entry;

/// True if the host can take subnormal singles for zero as sources without changing results.
pub(crate) const TAKES_FOR_ZERO: bool = cfg!(target_arch = "x86_64");

/// Calls a function; `takes_for_zero`: with subnormal singles taken for zero as sources.
///
/// # Safety
/// As that of the function. `takes_for_zero` only on hosts that [can](TAKES_FOR_ZERO).
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) unsafe fn call<S>(
    function: Entry<S>,
    takes_for_zero: bool,
    file: *mut u8,
    state: *mut S,
    block: u32,
) -> u32 {
    /// All exceptions masked, rounding to nearest; and DAZ.
    const USUAL: u32 = 0x1f80;
    const DAZ: u32 = 1 << 6;
    if !takes_for_zero {
        // SAFETY: The caller's.
        return unsafe { function(file, state, block) };
    }
    let mut saved = 0u32;
    let place: u32;
    // SAFETY: The control register has its former value again when the block ends, so that no other
    // code is executed with the changed one. The stack is aligned as the convention demands: the
    // block pushes nothing.
    unsafe {
        std::arch::asm!(
            "stmxcsr [r12]",
            "ldmxcsr [{changed}]",
            "call {function}",
            "ldmxcsr [r12]",
            // A register that the function keeps.
            in("r12") &mut saved,
            changed = in(reg) &(USUAL | DAZ),
            function = in(reg) function,
            in("rdi") file,
            in("rsi") state,
            in("edx") block,
            lateout("eax") place,
            clobber_abi("sysv64"),
        );
    }
    place
}

/// Calls a function.
///
/// # Safety
/// As that of the function.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn call<S>(
    function: Entry<S>,
    _takes_for_zero: bool,
    file: *mut u8,
    state: *mut S,
    block: u32,
) -> u32 {
    // SAFETY: The caller's.
    unsafe { function(file, state, block) }
}
