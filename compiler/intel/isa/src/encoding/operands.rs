//! Operands of one- and two-source instructions, both directions.

use super::fields::{Field, FieldLayout, Fields};
use super::writer::Writer;
use super::{DecodeError, EncodeError};
use crate::bits::sign_extend;
use crate::devinfo::GfxVersion;
use crate::inst::AccessMode;
use crate::operand::{Addressing, Operand, RegFile, Region, Swizzle, WriteMask};
use crate::types::Type;

/// The fields of one source.
pub(super) struct SourceFields {
    pub file: Field,
    pub ty: Field,
    subreg: Field,
    subreg16: Field,
    nr: Field,
    abs: Field,
    negate: Field,
    addr_mode: Field,
    hstride: Field,
    width: Field,
    vstride: Field,
    swizzle: Field,
    ia_subreg: Field,
    ia_offset: Field,
    ia_offset16: Field,
}

/// A source's fields, as a type (see [`Fields`]).
pub(super) trait SourceOperand {
    const FIELDS: SourceFields;
}

/// Source 0.
pub(super) struct Src0;

impl SourceOperand for Src0 {
    const FIELDS: SourceFields = SourceFields {
        file: Field::Src0File,
        ty: Field::Src0Type,
        subreg: Field::Src0Subreg,
        subreg16: Field::Src0Subreg16,
        nr: Field::Src0Nr,
        abs: Field::Src0Abs,
        negate: Field::Src0Negate,
        addr_mode: Field::Src0AddrMode,
        hstride: Field::Src0Hstride,
        width: Field::Src0Width,
        vstride: Field::Src0Vstride,
        swizzle: Field::Src0Swizzle,
        ia_subreg: Field::Src0IaSubreg,
        ia_offset: Field::Src0IaOffset,
        ia_offset16: Field::Src0IaOffset16,
    };
}

/// Source 1.
pub(super) struct Src1;

impl SourceOperand for Src1 {
    const FIELDS: SourceFields = SourceFields {
        file: Field::Src1File,
        ty: Field::Src1Type,
        subreg: Field::Src1Subreg,
        subreg16: Field::Src1Subreg16,
        nr: Field::Src1Nr,
        abs: Field::Src1Abs,
        negate: Field::Src1Negate,
        addr_mode: Field::Src1AddrMode,
        hstride: Field::Src1Hstride,
        width: Field::Src1Width,
        vstride: Field::Src1Vstride,
        swizzle: Field::Src1Swizzle,
        ia_subreg: Field::Src1IaSubreg,
        ia_offset: Field::Src1IaOffset,
        ia_offset16: Field::Src1IaOffset16,
    };
}

/// Hardware code of an immediate in the register-file field.
pub(super) const IMMEDIATE_FILE: u64 = 3;
/// Vertical stride code of Vx1 and VxH regions.
const VXH_CODE: u64 = 15;
/// Bytes an Align16 subregister or indirect offset counts in.
const ALIGN16_UNIT: u8 = 16;

fn file_code(file: RegFile) -> u64 {
    match file {
        RegFile::Arf => 0,
        RegFile::Grf => 1,
        RegFile::Imm => IMMEDIATE_FILE,
    }
}

/// Code of a stride: 0, or one more than its logarithm (strides up to 32).
fn stride_code(stride: u8) -> Result<u64, EncodeError> {
    match stride {
        0 => Ok(0),
        s if s.is_power_of_two() && s <= 32 => Ok(u64::from(s.trailing_zeros()) + 1),
        _ => Err(EncodeError::NoCode { what: "a stride that is not a power of two" }),
    }
}

/// Code of a width or execution size of at most `limit`: its logarithm.
pub(super) fn log2_code(value: u8, limit: u8) -> Result<u64, EncodeError> {
    if value.is_power_of_two() && value <= limit {
        Ok(u64::from(value.trailing_zeros()))
    } else {
        Err(EncodeError::NoCode { what: "a width that is too large or no power of two" })
    }
}

/// The subregister in Align16's unit.
fn align16_subreg(subnr: u8) -> Result<u64, EncodeError> {
    if !subnr.is_multiple_of(ALIGN16_UNIT) {
        return Err(EncodeError::NoCode { what: "an Align16 subregister off the 16-byte grid" });
    }
    Ok(u64::from(subnr / ALIGN16_UNIT))
}

/// Writes the indirect address of an operand.
fn put_indirect<F: Fields>(
    w: &mut Writer<F>,
    mode: AccessMode,
    (subreg, offset): (u8, i16),
    (ia_subreg, ia_offset, ia_offset16): (Field, Field, Field),
) -> Result<(), EncodeError> {
    w.set(ia_subreg, u64::from(subreg));
    match mode {
        AccessMode::Align1 => w.set_signed(ia_offset, i64::from(offset)),
        AccessMode::Align16 if offset % i16::from(ALIGN16_UNIT) == 0 => {
            w.set_signed(ia_offset16, i64::from(offset / i16::from(ALIGN16_UNIT)));
        }
        AccessMode::Align16 => {
            return Err(EncodeError::NoCode {
                what: "an Align16 indirect offset off the 16-byte grid",
            });
        }
    }
    Ok(())
}

/// Writes the destination of a one- or two-source instruction.
pub(super) fn put_dst<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    mode: AccessMode,
    dst: &Operand,
) -> Result<(), EncodeError> {
    if dst.file == RegFile::Imm {
        return Err(EncodeError::NoCode { what: "an immediate destination" });
    }
    let ty = dst
        .ty
        .register_code(version)
        .ok_or(EncodeError::NoCode { what: "the destination's type" })?;
    w.set(Field::DstFile, file_code(dst.file));
    w.set(Field::DstType, u64::from(ty));
    w.set(Field::DstHstride, stride_code(dst.region.hstride)?);
    w.flag(Field::DstAddrMode, dst.is_indirect());
    if mode == AccessMode::Align16 {
        w.set(Field::DstWritemask, u64::from(dst.writemask.0));
    }
    match dst.addressing {
        Addressing::Indirect { subreg, offset } => put_indirect(
            w,
            mode,
            (subreg, offset),
            (Field::DstIaSubreg, Field::DstIaOffset, Field::DstIaOffset16),
        ),
        Addressing::Direct => {
            w.set(Field::DstNr, u64::from(dst.nr));
            match mode {
                AccessMode::Align1 => w.set(Field::DstSubreg, u64::from(dst.subnr)),
                AccessMode::Align16 => w.set(Field::DstSubreg16, align16_subreg(dst.subnr)?),
            }
            Ok(())
        }
    }
}

/// Reads the destination of a one- or two-source instruction.
pub(super) fn get_dst<F: Fields>(
    word: u128,
    version: GfxVersion,
    mode: AccessMode,
) -> Result<Operand, DecodeError> {
    let l = F::LAYOUT;
    let get = |field| l.get(word, field);
    let reserved = |field| DecodeError::Reserved { field, code: l.get(word, field) };
    let file = match get(Field::DstFile) {
        0 => RegFile::Arf,
        1 => RegFile::Grf,
        _ => return Err(reserved(Field::DstFile)),
    };
    let ty = Type::from_register_code(get(Field::DstType), version)
        .ok_or_else(|| reserved(Field::DstType))?;
    let region = Region::dst(stride_of(get(Field::DstHstride)));
    let mut dst = Operand { file, ty, region, ..Operand::NULL };
    if mode == AccessMode::Align16 {
        dst.writemask = WriteMask(get(Field::DstWritemask) as u8);
    }
    if get(Field::DstAddrMode) != 0 {
        let fields = (Field::DstIaSubreg, Field::DstIaOffset, Field::DstIaOffset16);
        dst.addressing = get_indirect(l, word, mode, fields);
    } else {
        dst.nr = get(Field::DstNr) as u8;
        dst.subnr = match mode {
            AccessMode::Align1 => get(Field::DstSubreg) as u8,
            AccessMode::Align16 => get(Field::DstSubreg16) as u8 * ALIGN16_UNIT,
        };
    }
    Ok(dst)
}

/// Reads an indirect address.
fn get_indirect(
    l: &FieldLayout,
    word: u128,
    mode: AccessMode,
    (ia_subreg, ia_offset, ia_offset16): (Field, Field, Field),
) -> Addressing {
    let signed = |field| sign_extend(l.get(word, field), l.width(field)) as i16;
    let offset = match mode {
        AccessMode::Align1 => signed(ia_offset),
        AccessMode::Align16 => signed(ia_offset16) * i16::from(ALIGN16_UNIT),
    };
    Addressing::Indirect { subreg: l.get(word, ia_subreg) as u8, offset }
}

/// The stride with code `code` (at most 6).
fn stride_of(code: u64) -> u8 {
    if code == 0 { 0 } else { 1 << (code - 1).min(5) }
}

/// Returns whether an immediate takes 64 bits of the instruction: 64-bit types, and DIM, which
/// calls its DF immediate F.
fn is_wide_immediate(ty: Type, wide_f: bool) -> bool {
    ty.size() == 8 || wide_f && ty == Type::F
}

/// Writes a source of a one- or two-source instruction. `wide` says that immediates may take 64
/// bits; `dim` that F immediates do.
pub(super) fn put_source<F: Fields, S: SourceOperand>(
    w: &mut Writer<F>,
    version: GfxVersion,
    mode: AccessMode,
    src: &Operand,
    (wide, dim): (bool, bool),
) -> Result<(), EncodeError> {
    let fields = S::FIELDS;
    w.set(fields.file, file_code(src.file));
    if src.file == RegFile::Imm {
        let code = src
            .ty
            .immediate_code(version)
            .ok_or(EncodeError::NoCode { what: "the immediate's type" })?;
        w.set(fields.ty, u64::from(code));
        w.set(
            if wide && is_wide_immediate(src.ty, dim) { Field::Imm64 } else { Field::Imm32 },
            src.imm,
        );
        return Ok(());
    }
    let code =
        src.ty.register_code(version).ok_or(EncodeError::NoCode { what: "the source's type" })?;
    w.set(fields.ty, u64::from(code));
    w.flag(fields.abs, src.abs);
    w.flag(fields.negate, src.negate);
    w.flag(fields.addr_mode, src.is_indirect());
    let vstride =
        if src.region.vstride == Region::VXH { VXH_CODE } else { stride_code(src.region.vstride)? };
    w.set(fields.vstride, vstride);
    match mode {
        AccessMode::Align1 => {
            w.set(fields.width, log2_code(src.region.width, 16)?);
            w.set(fields.hstride, stride_code(src.region.hstride)?);
        }
        AccessMode::Align16 => w.set(fields.swizzle, u64::from(src.swizzle.0)),
    }
    match src.addressing {
        Addressing::Indirect { subreg, offset } => put_indirect(
            w,
            mode,
            (subreg, offset),
            (fields.ia_subreg, fields.ia_offset, fields.ia_offset16),
        ),
        Addressing::Direct => {
            w.set(fields.nr, u64::from(src.nr));
            match mode {
                AccessMode::Align1 => w.set(fields.subreg, u64::from(src.subnr)),
                AccessMode::Align16 => w.set(fields.subreg16, align16_subreg(src.subnr)?),
            }
            Ok(())
        }
    }
}

/// Reads a source of a one- or two-source instruction; the flags are those of [`put_source`].
pub(super) fn get_source<F: Fields, S: SourceOperand>(
    word: u128,
    version: GfxVersion,
    mode: AccessMode,
    (wide, dim): (bool, bool),
) -> Result<Operand, DecodeError> {
    let (l, fields) = (F::LAYOUT, S::FIELDS);
    let get = |field| l.get(word, field);
    let reserved = |field| DecodeError::Reserved { field, code: l.get(word, field) };
    let file = match get(fields.file) {
        0 => RegFile::Arf,
        1 => RegFile::Grf,
        IMMEDIATE_FILE => {
            let ty = Type::from_immediate_code(get(fields.ty), version)
                .ok_or_else(|| reserved(fields.ty))?;
            let field =
                if wide && is_wide_immediate(ty, dim) { Field::Imm64 } else { Field::Imm32 };
            return Ok(Operand { file: RegFile::Imm, ty, imm: get(field), ..Operand::NULL });
        }
        _ => return Err(reserved(fields.file)),
    };
    let ty =
        Type::from_register_code(get(fields.ty), version).ok_or_else(|| reserved(fields.ty))?;
    let vstride = match get(fields.vstride) {
        VXH_CODE => Region::VXH,
        code @ 0..=6 => stride_of(code),
        _ => return Err(reserved(fields.vstride)),
    };
    let mut src = Operand {
        file,
        ty,
        abs: get(fields.abs) != 0,
        negate: get(fields.negate) != 0,
        region: Region::new(vstride, 4, 1),
        ..Operand::NULL
    };
    match mode {
        AccessMode::Align16 => src.swizzle = Swizzle(get(fields.swizzle) as u8),
        AccessMode::Align1 => {
            let width = get(fields.width);
            if width > 4 {
                return Err(reserved(fields.width));
            }
            src.region = Region::new(vstride, 1 << width, stride_of(get(fields.hstride)));
        }
    }
    if get(fields.addr_mode) != 0 {
        src.addressing =
            get_indirect(l, word, mode, (fields.ia_subreg, fields.ia_offset, fields.ia_offset16));
    } else {
        src.nr = get(fields.nr) as u8;
        src.subnr = match mode {
            AccessMode::Align1 => get(fields.subreg) as u8,
            AccessMode::Align16 => get(fields.subreg16) as u8 * ALIGN16_UNIT,
        };
    }
    Ok(src)
}
