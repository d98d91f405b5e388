//! Bytes to instructions.

use std::marker::PhantomData;

use super::DecodeError;
use super::compact::uncompact;
use super::encode::{THREE_SOURCES, compacted_word, encode_word, flag_fields};
use super::fields::{Field, FieldLayout, Fields, Gen7Fields, Gen8Fields, Gen9Fields};
use super::operands::{IMMEDIATE_FILE, Src0, Src1, get_dst, get_source};
use crate::bits::sign_extend;
use crate::devinfo::{DevInfo, GfxVersion};
use crate::inst::{
    AccessMode, CondMod, Desc, FlagReg, Inst, MathFn, PredMode, Predicate, Send, Sfid,
    ThreadControl,
};
use crate::opcode::{Form, Opcode};
use crate::operand::{Arf, Operand, RegFile, Region, Swizzle, WriteMask};
use crate::types::Type;

/// An instruction and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// Byte offset from the start of the program.
    pub offset: usize,
    /// The instruction.
    pub inst: Inst,
}

/// Decodes the instruction at the start of `bytes`; returns it and its length, 16 or 8 (compacted).
///
/// # Errors
/// If `bytes` is too short or the bits mean no instruction of this generation.
pub fn decode(devinfo: &DevInfo, bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
    let word = raw_encoding(devinfo, bytes)?;
    if is_compacted(devinfo, word) {
        return Ok((decode_compacted(devinfo, word as u64)?, 8));
    }
    let mut inst = decode_word(devinfo.version, word)?;
    inst.residue = word ^ reencode(devinfo.version, &inst)?;
    Ok((inst, 16))
}

/// The bytes of the instruction at the start of `bytes`, and nothing after it: what decoding
/// depends on.
///
/// # Errors
/// If there are too few.
pub fn raw_encoding(devinfo: &DevInfo, bytes: &[u8]) -> Result<u128, DecodeError> {
    let truncated = |need| DecodeError::Truncated { have: bytes.len(), need };
    let short = u64::from_le_bytes(*bytes.first_chunk::<8>().ok_or_else(|| truncated(8))?);
    if is_compacted(devinfo, short.into()) {
        return Ok(short.into());
    }
    bytes.first_chunk::<16>().map(|word| u128::from_le_bytes(*word)).ok_or_else(|| truncated(16))
}

fn is_compacted(devinfo: &DevInfo, word: u128) -> bool {
    FieldLayout::of(devinfo.version).get(word, Field::CmptControl) != 0
}

/// Decodes a whole program.
///
/// # Errors
/// The first instruction that does not decode, with its offset.
pub fn decode_program(devinfo: &DevInfo, bytes: &[u8]) -> Result<Vec<Located>, DecodeError> {
    let mut program = Vec::with_capacity(bytes.len() / 16);
    let mut offset = 0;
    while let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) {
        let at = |error| DecodeError::At { offset, error: Box::new(error) };
        let (inst, len) = decode(devinfo, rest).map_err(at)?;
        program.push(Located { offset, inst });
        offset += len;
    }
    Ok(program)
}

/// Encodes a decoded instruction again, to find the bits its fields do not cover.
fn reencode(version: GfxVersion, inst: &Inst) -> Result<u128, DecodeError> {
    encode_word(version, inst)
        .map_err(|_| DecodeError::Unsupported { what: "a combination of overlapping fields" })
}

fn decode_compacted(devinfo: &DevInfo, short: u64) -> Result<Inst, DecodeError> {
    let word = uncompact(devinfo, short)?;
    let mut inst = decode_word(devinfo.version, word)?;
    inst.compacted = true;
    inst.residue = u128::from(short ^ compacted_word(devinfo, &inst).unwrap_or(0));
    Ok(inst)
}

/// A word being decoded.
#[derive(Clone, Copy)]
struct Reader<F: Fields> {
    word: u128,
    version: GfxVersion,
    fields: PhantomData<F>,
}

impl<F: Fields> Reader<F> {
    fn get(&self, field: Field) -> u64 {
        F::LAYOUT.get(self.word, field)
    }

    fn flag(&self, field: Field) -> bool {
        self.get(field) != 0
    }

    fn signed(&self, field: Field) -> i32 {
        sign_extend(self.get(field), F::LAYOUT.width(field)) as i32
    }

    /// The meaning of `field`'s code, or the error that it has none.
    fn code<T>(
        &self,
        field: Field,
        meaning: impl FnOnce(u64) -> Option<T>,
    ) -> Result<T, DecodeError> {
        let code = self.get(field);
        meaning(code).ok_or(DecodeError::Reserved { field, code })
    }
}

/// Decodes the fields of a 16-byte instruction; bits they do not cover are lost.
fn decode_word(version: GfxVersion, word: u128) -> Result<Inst, DecodeError> {
    match version {
        GfxVersion::Gfx7 | GfxVersion::Gfx75 => decode_fields::<Gen7Fields>(version, word),
        GfxVersion::Gfx8 => decode_fields::<Gen8Fields>(version, word),
        GfxVersion::Gfx9 => decode_fields::<Gen9Fields>(version, word),
    }
}

fn decode_fields<F: Fields>(version: GfxVersion, word: u128) -> Result<Inst, DecodeError> {
    let r = Reader::<F> { word, version, fields: PhantomData };
    let code = r.get(Field::Opcode);
    let opcode = Opcode::from_code(code, version).ok_or(DecodeError::UnknownOpcode { code })?;
    let mut inst = Inst::new(opcode);
    if opcode.form() == Form::Bare {
        return Ok(inst);
    }
    get_controls(&r, &mut inst)?;
    match opcode.form() {
        Form::Bare => {}
        Form::Basic | Form::Math => get_basic(&r, &mut inst)?,
        Form::ThreeSource => get_three_source(&r, &mut inst)?,
        Form::Send => get_send(&r, &mut inst)?,
        Form::SplitSend => get_split_send(&r, &mut inst)?,
        Form::Jmpi => {
            inst.src[0] = get_source::<F, Src1>(word, version, inst.access_mode, (false, false))?;
        }
        Form::Branch | Form::Call => get_branch(&r, &mut inst)?,
        Form::Wait => inst.dst = get_dst::<F>(word, version, inst.access_mode)?,
    }
    get_predicate(&r, &mut inst)?;
    Ok(inst)
}

/// Returns whether the form has saturation, conditions and accumulator writes.
fn is_arithmetic(form: Form) -> bool {
    matches!(form, Form::Basic | Form::ThreeSource | Form::Math)
}

fn get_controls<F: Fields>(r: &Reader<F>, inst: &mut Inst) -> Result<(), DecodeError> {
    let form = inst.opcode.form();
    inst.access_mode =
        if r.flag(Field::AccessMode) { AccessMode::Align16 } else { AccessMode::Align1 };
    inst.exec_size = r.code(Field::ExecSize, |code| (code <= 5).then(|| 1 << code))?;
    inst.no_mask = r.flag(Field::MaskControl);
    inst.no_dd_clear = r.flag(Field::NoDdClear);
    inst.no_dd_check = r.flag(Field::NoDdCheck);
    inst.qtr_control = r.get(Field::QtrControl) as u8;
    // Gen7's split sends do not exist, so the nibble bit is never part of something else.
    inst.nib_control = r.flag(Field::NibControl);
    inst.thread_control = r.code(Field::ThreadControl, ThreadControl::from_code)?;
    inst.debug_control = r.flag(Field::DebugControl);
    if inst.opcode.has_branch_control(r.version) {
        inst.branch_control = r.flag(Field::AccWrControl);
    } else if is_arithmetic(form) {
        inst.acc_wr_en = r.flag(Field::AccWrControl);
    }
    if is_arithmetic(form) {
        inst.saturate = r.flag(Field::Saturate);
    }
    match form {
        Form::Basic | Form::ThreeSource if r.flag(Field::CondMod) => {
            inst.cond_mod = Some(r.code(Field::CondMod, CondMod::from_code)?);
        }
        Form::Math => inst.math = Some(r.code(Field::CondMod, MathFn::from_code)?),
        _ => {}
    }
    Ok(())
}

/// Reads the predicate, and the flag register if the predicate or the conditional modifier uses it.
fn get_predicate<F: Fields>(r: &Reader<F>, inst: &mut Inst) -> Result<(), DecodeError> {
    if r.flag(Field::PredControl) {
        let access = inst.access_mode;
        let mode = r.code(Field::PredControl, |code| PredMode::from_code(code, access))?;
        inst.predicate = Some(Predicate { mode, inverse: r.flag(Field::PredInverse) });
    }
    let writes_flag = inst.cond_mod.is_some() && inst.opcode.cond_mod_writes_flag();
    // DIM's immediate covers the flag's place.
    if (inst.predicate.is_some() || writes_flag) && inst.opcode != Opcode::Dim {
        let (nr, sub) = flag_fields(inst.opcode.form());
        inst.flag = FlagReg { nr: r.get(nr) as u8, sub: r.get(sub) as u8 };
    }
    Ok(())
}

fn get_basic<F: Fields>(r: &Reader<F>, inst: &mut Inst) -> Result<(), DecodeError> {
    inst.dst = get_dst::<F>(r.word, r.version, inst.access_mode)?;
    let sources = inst.opcode.info().sources;
    let wide = (sources == 1, inst.opcode == Opcode::Dim);
    inst.src[0] = get_source::<F, Src0>(r.word, r.version, inst.access_mode, wide)?;
    if sources == 2 && !inst.has_one_immediate() {
        if inst.src[0].is_imm() {
            return Err(DecodeError::Unsupported { what: "an immediate as src0 of two sources" });
        }
        inst.src[1] = get_source::<F, Src1>(r.word, r.version, inst.access_mode, wide)?;
    }
    Ok(())
}

fn get_three_source<F: Fields>(r: &Reader<F>, inst: &mut Inst) -> Result<(), DecodeError> {
    if inst.access_mode != AccessMode::Align16 {
        return Err(DecodeError::Unsupported { what: "a three-source instruction in Align1" });
    }
    let three_source_type = |code| Type::from_three_source_code(code, r.version);
    inst.dst = Operand {
        file: RegFile::Grf,
        ty: r.code(Field::TsDstType, three_source_type)?,
        nr: r.get(Field::TsDstNr) as u8,
        subnr: r.get(Field::TsDstSubreg) as u8 * 4,
        writemask: WriteMask(r.get(Field::TsDstWritemask) as u8),
        region: Region::dst(1),
        ..Operand::NULL
    };
    let ty = r.code(Field::TsSrcType, three_source_type)?;
    let mixed = |field| match (ty, r.flag(field)) {
        (Type::F | Type::HF, true) => Type::HF,
        (Type::F | Type::HF, false) => Type::F,
        _ => ty,
    };
    let types = [ty, mixed(Field::TsSrc1IsHf), mixed(Field::TsSrc2IsHf)];
    for ((src, fields), ty) in inst.src.iter_mut().zip(&THREE_SOURCES).zip(types) {
        let rep_ctrl = r.flag(fields.rep);
        *src = Operand {
            file: RegFile::Grf,
            ty,
            nr: r.get(fields.nr) as u8,
            subnr: r.get(fields.subreg) as u8 * 4,
            region: if rep_ctrl { Region::SCALAR } else { Region::ALIGN16 },
            swizzle: if rep_ctrl { Swizzle::XYZW } else { Swizzle(r.get(fields.swizzle) as u8) },
            abs: r.flag(fields.abs),
            negate: r.flag(fields.negate),
            rep_ctrl,
            ..Operand::NULL
        };
    }
    Ok(())
}

fn get_send<F: Fields>(r: &Reader<F>, inst: &mut Inst) -> Result<(), DecodeError> {
    inst.dst = get_dst::<F>(r.word, r.version, inst.access_mode)?;
    inst.src[0] = get_source::<F, Src0>(r.word, r.version, inst.access_mode, (false, false))?;
    if inst.src[0].is_imm() {
        return Err(DecodeError::Unsupported { what: "a send with an immediate payload" });
    }
    let desc = if r.get(Field::Src1File) == IMMEDIATE_FILE {
        Desc::Imm(r.get(Field::SendDesc) as u32)
    } else {
        let src1 = get_source::<F, Src1>(r.word, r.version, AccessMode::Align1, (false, false))?;
        if !matches!(src1.arf(), Some(Arf::Address(_))) {
            return Err(DecodeError::Unsupported { what: "a send with a descriptor outside a0" });
        }
        Desc::Indirect { subreg: src1.subnr / 4 }
    };
    inst.send = Some(Send {
        sfid: r.code(Field::CondMod, Sfid::from_code)?,
        desc,
        ex_desc: Desc::Imm(0),
        eot: r.flag(Field::SendEot),
    });
    Ok(())
}

fn get_split_send<F: Fields>(r: &Reader<F>, inst: &mut Inst) -> Result<(), DecodeError> {
    if r.flag(Field::DstAddrMode) || r.flag(Field::Src0AddrMode) {
        return Err(DecodeError::Unsupported { what: "a split send with indirect operands" });
    }
    let file = |is_grf| if is_grf { RegFile::Grf } else { RegFile::Arf };
    let subnr = |field| r.get(field) as u8 * 16;
    inst.dst = Operand {
        file: file(r.flag(Field::SsDstFile)),
        nr: r.get(Field::DstNr) as u8,
        subnr: subnr(Field::DstSubreg16),
        region: Region::dst(1),
        ..Operand::NULL
    };
    inst.src[0] = Operand {
        file: RegFile::Grf,
        nr: r.get(Field::Src0Nr) as u8,
        subnr: subnr(Field::Src0Subreg16),
        region: Region::PACKED8,
        ..Operand::NULL
    };
    inst.src[1] = Operand {
        file: file(r.flag(Field::SsSrc1File)),
        nr: r.get(Field::SsSrc1Nr) as u8,
        region: Region::PACKED8,
        ..Operand::NULL
    };
    let desc = if r.flag(Field::SsIndirectDesc) {
        Desc::Indirect { subreg: 0 }
    } else {
        Desc::Imm(r.get(Field::SendDesc) as u32)
    };
    let ex_desc = if r.flag(Field::SsIndirectExDesc) {
        Desc::Indirect { subreg: r.get(Field::SsExDescSubreg) as u8 }
    } else {
        Desc::Imm((r.get(Field::SsExDescHigh) << 16 | r.get(Field::SsExDescLow) << 6) as u32)
    };
    inst.send = Some(Send {
        sfid: r.code(Field::CondMod, Sfid::from_code)?,
        desc,
        ex_desc,
        eot: r.flag(Field::SendEot),
    });
    Ok(())
}

fn get_branch<F: Fields>(r: &Reader<F>, inst: &mut Inst) -> Result<(), DecodeError> {
    if inst.opcode.form() == Form::Call {
        inst.dst = get_dst::<F>(r.word, r.version, inst.access_mode)?;
    }
    inst.jip = r.signed(Field::Jip);
    if inst.opcode.has_uip(r.version) {
        inst.uip = r.signed(Field::Uip);
    }
    Ok(())
}
