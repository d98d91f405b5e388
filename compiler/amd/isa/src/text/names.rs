//! Names of registers, counters, messages and lane permutations, for printer and parser.

use crate::chip::Chip;
use crate::operand::Scalar;

/// Names of scalar registers: name, first code, number of dwords, first chip that has it.
const SPECIAL: &[(&str, Scalar, u8, Chip)] = &[
    ("vcc", Scalar::VCC, 2, Chip::Si),
    ("vcc_lo", Scalar::VCC, 1, Chip::Si),
    ("vcc_hi", Scalar(107), 1, Chip::Si),
    ("exec", Scalar::EXEC, 2, Chip::Si),
    ("exec_lo", Scalar::EXEC, 1, Chip::Si),
    ("exec_hi", Scalar(127), 1, Chip::Si),
    ("m0", Scalar::M0, 1, Chip::Si),
    ("tba", Scalar::TBA, 2, Chip::Si),
    ("tba_lo", Scalar::TBA, 1, Chip::Si),
    ("tba_hi", Scalar(109), 1, Chip::Si),
    ("tma", Scalar::TMA, 2, Chip::Si),
    ("tma_lo", Scalar::TMA, 1, Chip::Si),
    ("tma_hi", Scalar(111), 1, Chip::Si),
    ("flat_scratch", Scalar::FLAT_SCRATCH, 2, Chip::Vi),
    ("flat_scratch_lo", Scalar::FLAT_SCRATCH, 1, Chip::Vi),
    ("flat_scratch_hi", Scalar(103), 1, Chip::Vi),
    ("xnack_mask", Scalar::XNACK_MASK, 2, Chip::Vi),
    ("xnack_mask_lo", Scalar::XNACK_MASK, 1, Chip::Vi),
    ("xnack_mask_hi", Scalar(105), 1, Chip::Vi),
];

/// The register and number of dwords of a name.
pub(super) fn special_register(chip: Chip, name: &str) -> Option<(Scalar, u8)> {
    let found = SPECIAL.iter().find(|row| row.0 == name && chip >= row.3)?;
    Some((found.1, found.2))
}

/// The text of scalar registers.
pub(super) fn scalar_text(chip: Chip, register: Scalar, dwords: u8) -> String {
    let special = SPECIAL.iter().find(|row| row.1 == register && row.2 == dwords && chip >= row.3);
    if let Some(row) = special {
        return row.0.to_string();
    }
    let trap = (Scalar::TTMP0.0..Scalar::M0.0).contains(&register.0);
    let (prefix, first) =
        if trap { ("ttmp", register.0 - Scalar::TTMP0.0) } else { ("s", register.0) };
    tuple_text(prefix, first, dwords)
}

/// The text of `dwords` registers from `first` on.
pub(super) fn tuple_text(prefix: &str, first: u8, dwords: u8) -> String {
    if dwords <= 1 {
        format!("{prefix}{first}")
    } else {
        format!("{prefix}[{first}:{}]", u32::from(first) + u32::from(dwords) - 1)
    }
}

/// Hardware registers of `hwreg`, with their numbers.
pub(super) const HARDWARE_REGISTERS: &[(&str, u32)] = &[
    ("HW_REG_MODE", 1),
    ("HW_REG_STATUS", 2),
    ("HW_REG_TRAPSTS", 3),
    ("HW_REG_HW_ID", 4),
    ("HW_REG_GPR_ALLOC", 5),
    ("HW_REG_LDS_ALLOC", 6),
    ("HW_REG_IB_STS", 7),
];

/// Messages of `sendmsg`.
pub(super) const MESSAGES: &[(&str, u32)] =
    &[("MSG_INTERRUPT", 1), ("MSG_GS", 2), ("MSG_GS_DONE", 3), ("MSG_SYSMSG", 15)];

/// Operations of the messages of geometry shaders.
pub(super) const GS_OPERATIONS: &[(&str, u32)] =
    &[("GS_OP_NOP", 0), ("GS_OP_CUT", 1), ("GS_OP_EMIT", 2), ("GS_OP_EMIT_CUT", 3)];

/// Counters of `s_waitcnt`: name, lowest bit, number of bits.
pub(super) const COUNTERS: &[(&str, u32, u32)] =
    &[("vmcnt", 0, 4), ("expcnt", 4, 3), ("lgkmcnt", 8, 4)];

/// Sub-dword selections.
pub(super) const SELECTIONS: &[&str] =
    &["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];

/// Treatment of the unselected bits of a destination.
pub(super) const UNUSED: &[&str] = &["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];

/// Lane permutations with a number: name, first code, range of the number.
pub(super) const ROW_SHIFTS: &[(&str, u16, u16, u16)] =
    &[("row_shl", 0x100, 1, 15), ("row_shr", 0x110, 1, 15), ("row_ror", 0x120, 1, 15)];

/// Other lane permutations: text, code.
pub(super) const PERMUTATIONS: &[(&str, u16)] = &[
    ("wave_shl:1", 0x130),
    ("wave_rol:1", 0x134),
    ("wave_shr:1", 0x138),
    ("wave_ror:1", 0x13c),
    ("row_mirror", 0x140),
    ("row_half_mirror", 0x141),
    ("row_bcast:15", 0x142),
    ("row_bcast:31", 0x143),
];

/// Name and first operand of an export's target.
pub(super) fn target_text(target: u8) -> String {
    match target {
        0..=7 => format!("mrt{target}"),
        8 => "mrtz".to_string(),
        9 => "null".to_string(),
        12..=15 => format!("pos{}", target - 12),
        32..=63 => format!("param{}", target - 32),
        other => format!("invalid_target_{other}"),
    }
}

/// The number of an export's target.
pub(super) fn target_number(text: &str) -> Option<u8> {
    (0..64).find(|target| target_text(*target) == text)
}
