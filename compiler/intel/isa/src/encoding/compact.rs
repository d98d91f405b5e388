//! Compacted (8-byte) instructions: the mapping between them and the 16-byte form.
//!
//! A compacted instruction holds a few fields as they are and, for groups of other bits, indices
//! into tables of common values. The bits that a table entry covers are data here, as in Mesa's
//! `brw_eu_compact.c`.

use super::DecodeError;
use super::compact_tables as tables;
use super::fields::{Field, FieldLayout};
use super::operands::IMMEDIATE_FILE;
use crate::bits::{bits, mask};
use crate::devinfo::{DevInfo, GfxVersion};
use crate::inst::Inst;
use crate::opcode::{Form, Opcode};

/// A run of bits, high and low.
type Run = (u8, u8);

/// Bits copied between the two forms: (compacted, full).
type Copied = (Run, Run);

/// Bits replaced by a table index.
struct Indexed {
    /// Position of the index in the compacted instruction.
    index: Run,
    /// Bits of the full instruction by index.
    table: &'static [u64],
    /// The full instruction's bits that an entry covers, lowest first.
    covers: &'static [Run],
}

/// One compacted format.
struct Format {
    copied: &'static [Copied],
    indexed: &'static [Indexed],
    /// Full bits that no compacted field reaches: they must be zero.
    unmapped: &'static [Run],
}

/// Opcode and debug control; the compaction bit itself is set apart.
const OPCODE: Copied = ((6, 0), (6, 0));
/// Bit 29 says that an instruction is compacted.
const CMPT_BIT: u64 = 1 << 29;

/// Copied fields of one- and two-source instructions: debug, condition, accumulator write, register
/// numbers.
const BASIC_COPIED: &[Copied] = &[
    OPCODE,
    ((7, 7), (30, 30)),
    ((27, 24), (27, 24)),
    ((23, 23), (28, 28)),
    ((47, 40), (60, 53)),
    ((55, 48), (76, 69)),
];
/// Register number of src1, where that is not an immediate.
const SRC1_NR: Copied = ((63, 56), (108, 101));

const SUBREG_INDEX: Run = (22, 18);
const SUBREG_COVERS: &[Run] = &[(52, 48), (68, 64), (100, 96)];
/// With an immediate src1 the last subregister is part of the immediate.
const SUBREG_COVERS_IMM: &[Run] = &[(52, 48), (68, 64)];

const SRC0_INDEX: Indexed =
    Indexed { index: (34, 30), table: &tables::SOURCE, covers: &[(88, 77)] };
const SRC1_INDEX: Indexed =
    Indexed { index: (39, 35), table: &tables::SOURCE, covers: &[(120, 109)] };

const GEN7: Format = Format {
    copied: BASIC_COPIED,
    indexed: &[
        Indexed { index: (12, 8), table: &tables::CONTROL, covers: &[(23, 8), (31, 31), (90, 89)] },
        Indexed { index: (17, 13), table: &tables::DATATYPE_GEN7, covers: &[(46, 32), (63, 61)] },
        SRC0_INDEX,
    ],
    unmapped: &[(95, 91), (47, 47)],
};

const GEN8: Format = Format {
    copied: BASIC_COPIED,
    indexed: &[
        Indexed {
            index: (12, 8),
            table: &tables::CONTROL,
            covers: &[(8, 8), (34, 34), (10, 9), (23, 12), (33, 31)],
        },
        Indexed {
            index: (17, 13),
            table: &tables::DATATYPE_GEN8,
            covers: &[(46, 35), (94, 89), (63, 61)],
        },
        SRC0_INDEX,
    ],
    unmapped: &[(95, 95), (47, 47), (11, 11)],
};

/// Copied fields of three-source instructions.
const THREE_COPIED: &[Copied] = &[
    OPCODE,
    ((18, 12), (62, 56)),
    ((28, 28), (64, 64)),
    ((30, 30), (30, 30)),
    ((31, 31), (31, 31)),
    ((32, 32), (85, 85)),
    ((33, 33), (106, 106)),
    ((36, 34), (75, 73)),
    ((39, 37), (96, 94)),
    ((42, 40), (117, 115)),
    ((49, 43), (82, 76)),
    ((56, 50), (103, 97)),
    ((63, 57), (124, 118)),
];
const THREE_CONTROL: Run = (9, 8);
const THREE_SOURCE: Run = (11, 10);

/// Three-source format of Broadwell.
const THREE_BDW: Format = Format {
    copied: THREE_COPIED,
    indexed: &[
        Indexed {
            index: THREE_CONTROL,
            table: &tables::CONTROL_THREE_SOURCE,
            covers: &[(28, 8), (34, 32)],
        },
        Indexed {
            index: THREE_SOURCE,
            table: &tables::SOURCE_THREE_SOURCE,
            covers: &[(55, 37), (72, 65), (93, 86), (114, 107), (83, 83), (104, 104), (125, 125)],
        },
    ],
    unmapped: &[(127, 126), (105, 105), (84, 84), (36, 35), (7, 7)],
};

/// Three-source format of Cherryview and Skylake, which also covers the mixed-precision bits.
const THREE_CHV: Format = Format {
    copied: THREE_COPIED,
    indexed: &[
        Indexed {
            index: THREE_CONTROL,
            table: &tables::CONTROL_THREE_SOURCE,
            covers: &[(28, 8), (34, 32), (36, 35)],
        },
        Indexed {
            index: THREE_SOURCE,
            table: &tables::SOURCE_THREE_SOURCE,
            covers: &[
                (55, 37),
                (72, 65),
                (93, 86),
                (114, 107),
                (83, 83),
                (84, 84),
                (105, 104),
                (126, 125),
            ],
        },
    ],
    unmapped: &[(127, 127), (7, 7)],
};

/// The format for an opcode; `None` if it has no compacted form.
fn format(devinfo: &DevInfo, opcode: Opcode) -> Option<&'static Format> {
    if opcode.form() == Form::ThreeSource {
        let format = if devinfo.has_packed_mixed_float { &THREE_CHV } else { &THREE_BDW };
        return devinfo.has_three_source_compaction.then_some(format);
    }
    Some(if devinfo.version < GfxVersion::Gfx8 { &GEN7 } else { &GEN8 })
}

/// How the subregisters are covered.
fn subregisters(devinfo: &DevInfo, immediate: bool) -> Indexed {
    let table: &'static [u64] = if devinfo.version < GfxVersion::Gfx8 {
        &tables::SUBREG_GEN7
    } else {
        &tables::SUBREG_GEN8
    };
    Indexed {
        index: SUBREG_INDEX,
        table,
        covers: if immediate { SUBREG_COVERS_IMM } else { SUBREG_COVERS },
    }
}

fn width((hi, lo): Run) -> u8 {
    hi - lo + 1
}

/// Returns whether a full instruction has an immediate source.
fn has_immediate(l: &FieldLayout, word: u128) -> bool {
    l.get(word, Field::Src0File) == IMMEDIATE_FILE || l.get(word, Field::Src1File) == IMMEDIATE_FILE
}

impl Indexed {
    /// The covered bits of a full instruction.
    fn gather(&self, word: u128) -> u64 {
        let mut value = 0;
        let mut at = 0;
        for &run in self.covers {
            value |= bits(word, run) << at;
            at += width(run);
        }
        value
    }

    /// Expands the index in `short` into the covered bits.
    fn expand(&self, short: u64, word: &mut u128) {
        let index = bits(u128::from(short), self.index) as usize;
        let mut value = self.table.get(index).copied().unwrap_or(0);
        for &run in self.covers {
            *word |= u128::from(value & mask(width(run))) << run.1;
            value >>= width(run);
        }
    }

    /// Finds the index for the covered bits.
    fn find(&self, word: u128) -> Option<u64> {
        let value = self.gather(word);
        let index = self.table.iter().position(|&entry| entry == value)?;
        Some((index as u64) << self.index.1)
    }
}

/// The full form of a compacted instruction.
pub(super) fn uncompact(devinfo: &DevInfo, short: u64) -> Result<u128, DecodeError> {
    let code = bits(u128::from(short), OPCODE.0);
    let opcode =
        Opcode::from_code(code, devinfo.version).ok_or(DecodeError::UnknownOpcode { code })?;
    let format = format(devinfo, opcode).ok_or(DecodeError::Unsupported {
        what: "a compacted three-source instruction before gen8",
    })?;
    let mut word = 0;
    let copy = |word: &mut u128, (from, to): Copied| {
        *word |= u128::from(bits(u128::from(short), from)) << to.1
    };
    for &copied in format.copied {
        copy(&mut word, copied);
    }
    for indexed in format.indexed {
        indexed.expand(short, &mut word);
    }
    if opcode.form() == Form::ThreeSource {
        return Ok(word);
    }
    let immediate = has_immediate(FieldLayout::of(devinfo.version), word);
    subregisters(devinfo, immediate).expand(short, &mut word);
    if immediate {
        word |= u128::from(expand_immediate(short)) << 96;
    } else {
        copy(&mut word, SRC1_NR);
        SRC1_INDEX.expand(short, &mut word);
    }
    Ok(word)
}

/// An immediate has 13 bits: the low 12, and one that fills all others.
fn expand_immediate(short: u64) -> u32 {
    let short = u128::from(short);
    let value = bits(short, SRC1_NR.0) | bits(short, SRC1_INDEX.index) << 8;
    ((value as i32) << 19 >> 19) as u32
}

/// The compacted form of an instruction with the full form `word`; `None` if there is none.
pub(super) fn compact(devinfo: &DevInfo, inst: &Inst, word: u128) -> Option<u64> {
    let format = format(devinfo, inst.opcode)?;
    let l = FieldLayout::of(devinfo.version);
    let three_source = inst.opcode.form() == Form::ThreeSource;
    let mut word = word;
    if !three_source && l.get(word, Field::Src0File) == IMMEDIATE_FILE && inst.src[0].ty.size() < 8
    {
        // The tables have immediate src0 only with src1 as UD (code 0).
        let (hi, lo) = if devinfo.version < GfxVersion::Gfx8 { (46, 44) } else { (94, 91) };
        word &= !(u128::from(mask(hi - lo + 1)) << lo);
    }
    if format.unmapped.iter().any(|&run| bits(word, run) != 0) {
        return None;
    }
    let mut short = CMPT_BIT;
    for &(to, from) in format.copied {
        short |= bits(word, from) << to.1;
    }
    for indexed in format.indexed {
        short |= indexed.find(word)?;
    }
    if three_source {
        return Some(short);
    }
    let immediate = has_immediate(l, word);
    short |= subregisters(devinfo, immediate).find(word)?;
    if immediate {
        let value = l.get(word, Field::Imm32);
        short |= (value & 0xff) << SRC1_NR.0.1 | (value >> 8 & 0x1f) << SRC1_INDEX.index.1;
        return (u64::from(expand_immediate(short)) == value).then_some(short);
    }
    short |= bits(word, SRC1_NR.1) << SRC1_NR.0.1;
    Some(short | SRC1_INDEX.find(word)?)
}
