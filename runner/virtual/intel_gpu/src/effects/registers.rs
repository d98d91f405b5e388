//! Registers that a batch may write and read.
//!
//! The kernel lets a batch of these generations write registers that belong to its context, which
//! it saves and restores, and those in its lists (`i915_cmd_parser.c` on gen7,
//! `intel_workarounds.c` on gen8 and gen9). Each version of a driver writes some of them.

use std::ops::RangeInclusive;

use vocabulary::Generation;

use crate::facts::Facts;

/// Effect of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Commands and draws read or count it.
    Modeled,
    /// As above; the upper half of a written value selects the bits of the lower half that change.
    ModeledMasked,
    /// It cannot change a result. It keeps its value, for commands that read it.
    None,
    /// As above, with a mask as its upper half.
    NoneMasked,
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    /// Offsets in bytes.
    offsets: RangeInclusive<u32>,
    /// Generations, one letter each: ivb, hsw, bdw and chv (`b`), skl.
    generations: &'static str,
    /// Effect.
    effect: Effect,
    /// Name, then what it is for, or why it has no effect.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers and the test of the table"))]
    reason: &'static str,
}

use Effect::{Modeled, ModeledMasked, None as Without, NoneMasked as WithoutMasked};

const fn row(
    offsets: RangeInclusive<u32>,
    generations: &'static str,
    effect: Effect,
    reason: &'static str,
) -> Row {
    Row { offsets, generations, effect, reason }
}

/// The table, in ascending order of offsets.
pub(crate) const ROWS: [Row; 29] = [
    row(0x20c0..=0x20c3, "ihb", ModeledMasked, "INSTPM: base of the first push constants"),
    row(0x20d8..=0x20db, "s", ModeledMasked, "CS_DEBUG_MODE2: base of the first push constants"),
    row(
        0x20e4..=0x20e7,
        "s",
        WithoutMasked,
        "FF_SLICE_CS_CHICKEN2: when pooled units and barriers are acknowledged; threads of a group \
         reach a barrier in any order",
    ),
    row(
        0x2248..=0x224b,
        "s",
        Without,
        "CTX_PREEMPT_REG: where a batch may be interrupted; none is",
    ),
    row(0x2290..=0x2297, "ihbs", Modeled, "CS_INVOCATION_COUNT"),
    row(0x2300..=0x234f, "ihbs", Modeled, "counters of pipeline statistics"),
    row(0x2350..=0x2357, "ihbs", Modeled, "PS_DEPTH_COUNT"),
    row(0x2358..=0x235f, "ihbs", Modeled, "TIMESTAMP"),
    row(0x2400..=0x241f, "ihbs", Modeled, "MI_PREDICATE: sources, data, result"),
    row(0x2420..=0x2443, "ihbs", Modeled, "3DPRIM: parameters of indirect draws"),
    row(0x2500..=0x250b, "ihbs", Modeled, "GPGPU_DISPATCHDIM: work groups of a dispatch"),
    row(
        0x2580..=0x2583,
        "s",
        WithoutMasked,
        "CS_CHICKEN1: within which commands a batch may be interrupted; it never is",
    ),
    row(0x2600..=0x267f, "hbs", Modeled, "CS_GPR: general registers of MI_MATH"),
    row(0x5200..=0x521f, "ihbs", Modeled, "SO_NUM_PRIMS_WRITTEN"),
    row(0x5240..=0x525f, "ihbs", Modeled, "SO_PRIM_STORAGE_NEEDED"),
    row(0x5280..=0x528f, "ihbs", Modeled, "SO_WRITE_OFFSET"),
    row(
        0x7000..=0x7003,
        "bs",
        WithoutMasked,
        "CACHE_MODE_0: policies of the caches of depth, stencil and color; memory is accessed \
         without caches",
    ),
    row(
        0x7004..=0x7007,
        "bs",
        WithoutMasked,
        "CACHE_MODE_1: the same, when depth is tested early if that cannot be seen, and partial \
         resolves of surfaces, which are never compressed",
    ),
    row(
        0x7008..=0x700b,
        "bs",
        WithoutMasked,
        "GT_MODE: which subslice shades which tile of pixels",
    ),
    row(
        0x7034..=0x7037,
        "bs",
        Without,
        "L3CNTLREG: parts of the cache; shared memory and URB entries have room of their own",
    ),
    row(
        0x7300..=0x7303,
        "bs",
        WithoutMasked,
        "HDC_CHICKEN0: order and speed of accesses of the data port",
    ),
    row(
        0x7304..=0x7307,
        "s",
        WithoutMasked,
        "HDC_CHICKEN1: order and speed of accesses of the data port",
    ),
    row(
        0x731c..=0x731f,
        "s",
        WithoutMasked,
        "SLICE_COMMON_ECO_CHICKEN1: whether barriers serve groups or hull shaders; they serve both",
    ),
    row(0xb010..=0xb013, "ih", Without, "L3SQCREG1: credits of the parts of the cache"),
    row(0xb020..=0xb023, "ih", Without, "L3CNTLREG2: parts of the cache, as L3CNTLREG"),
    row(0xb024..=0xb027, "ih", Without, "L3CNTLREG3: parts of the cache, as L3CNTLREG"),
    row(
        0xb038..=0xb03b,
        "h",
        Without,
        "SCRATCH1: whether atomics are made in the cache or in memory; they are atomic in both",
    ),
    row(0xb118..=0xb11b, "s", Without, "L3SQCREG4: order of requests to the cache"),
    row(0xe49c..=0xe49f, "h", WithoutMasked, "CHICKEN3: the other switch of SCRATCH1"),
];

/// Returns the effect of a register of a generation; `None` if batches must not access it.
pub(crate) fn effect(generation: Generation, offset: u32) -> Option<Effect> {
    let letter = Facts::of(generation).letter;
    let has = |row: &&Row| row.offsets.contains(&offset) && row.generations.contains(letter);
    ROWS.iter().find(has).map(|row| row.effect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Generation::{Bdw, Chv, Hsw, Ivb, Skl};

    #[test]
    fn rows_ascend_and_have_reasons() {
        for pair in ROWS.windows(2) {
            assert!(pair[0].offsets.end() < pair[1].offsets.start(), "{pair:?}");
        }
        for row in &ROWS {
            assert!(row.offsets.start() % 4 == 0 && row.offsets.end() % 4 == 3, "{row:?}");
            assert!(!row.generations.is_empty() && !row.reason.is_empty());
            let has_reason = row.reason.contains(": ");
            assert!(has_reason || matches!(row.effect, Modeled | ModeledMasked), "{row:?}");
        }
    }

    /// A register that the driver's description has by name is in the table for its generations,
    /// or no program may write it.
    #[test]
    fn registers_of_the_description() {
        // Rings, faults, errors and other state of the kernel; counters of performance; bits that
        // say which units are idle.
        const KERNEL: [&str; 10] = [
            "_RING_BUFFER_CTL",
            "FAULT_REG",
            "ACTHD_UDW",
            "INSTDONE",
            "ERR_INT",
            "GFX_ARB_ERROR_RPT",
            "PERFCNT",
            "RPSTAT",
            "ROW_INSTDONE",
            "SC_INSTDONE",
        ];
        for generation in Generation::INTEL {
            let table = packets::Table::of(generation);
            for offset in (0..0x20000).step_by(4) {
                let Some(layout) = table.register(offset) else { continue };
                let is_kernels = KERNEL.iter().any(|part| layout.name.contains(part));
                let known = effect(generation, offset).is_some();
                assert_eq!(known, !is_kernels, "{generation}: {} {offset:#x}", layout.name);
            }
        }
    }

    #[test]
    fn registers_belong_to_generations() {
        assert_eq!(effect(Hsw, 0xb038), Some(Without));
        assert_eq!(effect(Ivb, 0xb038), None);
        assert_eq!(effect(Chv, 0x20c0), Some(ModeledMasked));
        assert_eq!(effect(Skl, 0x20c0), None);
        assert_eq!(effect(Ivb, 0x2600), None);
        assert_eq!(effect(Bdw, 0x2678), Some(Modeled));
    }
}
