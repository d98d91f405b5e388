//! Hardware codes of operand types.

use crate::devinfo::GfxVersion;
use crate::types::Type::{self, *};

/// Register types by hardware code; gen7 has the first eight.
const REGISTER_TYPES: [Type; 11] = [UD, D, UW, W, UB, B, DF, F, UQ, Q, HF];
/// Immediate types by hardware code; gen7 has the first eight.
const IMMEDIATE_TYPES: [Type; 12] = [UD, D, UW, W, UV, VF, V, F, UQ, Q, DF, HF];
/// Types of three-source instructions by hardware code; gen7 has the first four.
const THREE_SOURCE_TYPES: [Type; 5] = [F, D, UD, DF, HF];
/// Number of codes of the first two tables before gen8.
const GEN7_TYPES: usize = 8;
/// Number of codes of the three-source table before gen8.
const GEN7_THREE_SOURCE_TYPES: usize = 4;

impl Type {
    /// Hardware code of this type for a register operand; `None` if the version has no such
    /// register type.
    pub(crate) fn register_code(self, version: GfxVersion) -> Option<u8> {
        code_in(&REGISTER_TYPES, GEN7_TYPES, version, self)
    }

    /// Hardware code of this type for an immediate operand.
    pub(crate) fn immediate_code(self, version: GfxVersion) -> Option<u8> {
        code_in(&IMMEDIATE_TYPES, GEN7_TYPES, version, self)
    }

    /// Hardware code of this type in a three-source instruction.
    pub(crate) fn three_source_code(self, version: GfxVersion) -> Option<u8> {
        code_in(&THREE_SOURCE_TYPES, GEN7_THREE_SOURCE_TYPES, version, self)
    }

    /// Register type with hardware code `code`.
    pub(crate) fn from_register_code(code: u64, version: GfxVersion) -> Option<Type> {
        type_at(&REGISTER_TYPES, GEN7_TYPES, version, code)
    }

    /// Immediate type with hardware code `code`.
    pub(crate) fn from_immediate_code(code: u64, version: GfxVersion) -> Option<Type> {
        type_at(&IMMEDIATE_TYPES, GEN7_TYPES, version, code)
    }

    /// Three-source type with hardware code `code`.
    pub(crate) fn from_three_source_code(code: u64, version: GfxVersion) -> Option<Type> {
        type_at(&THREE_SOURCE_TYPES, GEN7_THREE_SOURCE_TYPES, version, code)
    }
}

/// The part of a code table that `generation` has.
fn available(table: &[Type], gen7_count: usize, version: GfxVersion) -> &[Type] {
    let count = if version < GfxVersion::Gfx8 { gen7_count } else { table.len() };
    table.get(..count).unwrap_or(table)
}

fn code_in(table: &[Type], gen7_count: usize, version: GfxVersion, ty: Type) -> Option<u8> {
    let position = available(table, gen7_count, version).iter().position(|&entry| entry == ty)?;
    u8::try_from(position).ok()
}

fn type_at(table: &[Type], gen7_count: usize, version: GfxVersion, code: u64) -> Option<Type> {
    available(table, gen7_count, version).get(usize::try_from(code).ok()?).copied()
}
