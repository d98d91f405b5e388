//! Instructions to bytes.

use super::EncodeError;
use super::compact::compact;
use super::fields::{Field, Fields, Gen7Fields, Gen8Fields, Gen9Fields};
use super::operands::{IMMEDIATE_FILE, Src0, Src1, log2_code, put_dst, put_source};
use super::writer::Writer;
use crate::build;
use crate::devinfo::{DevInfo, GfxVersion};
use crate::inst::{AccessMode, Desc, Inst, Send};
use crate::opcode::{Form, Opcode};
use crate::operand::{Arf, Operand, RegFile, Region, Swizzle};
use crate::types::Type;

/// Encodes one instruction in its 16-byte form (whether or not it is marked compacted).
///
/// # Errors
/// If the generation lacks the opcode or a type, or a value does not fit its field.
pub fn encode(devinfo: &DevInfo, inst: &Inst) -> Result<[u8; 16], EncodeError> {
    let word = encode_word(devinfo.version, inst)?;
    let residue = if inst.compacted { 0 } else { inst.residue };
    Ok((word ^ residue).to_le_bytes())
}

/// Appends one instruction in the form it is marked to have: 16 bytes, or 8 if `compacted`.
///
/// # Errors
/// As [`encode`]; also if the compacted form of `inst` does not exist.
pub fn encode_into(devinfo: &DevInfo, inst: &Inst, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
    if inst.compacted {
        let short = compacted_word(devinfo, inst);
        if short.is_none() && inst.residue == 0 {
            return Err(EncodeError::NotCompactable);
        }
        bytes.extend_from_slice(&(short.unwrap_or(0) ^ inst.residue as u64).to_le_bytes());
    } else {
        bytes.extend_from_slice(&encode(devinfo, inst)?);
    }
    Ok(())
}

/// Encodes a program.
///
/// # Errors
/// As [`encode_into`].
pub fn encode_program(devinfo: &DevInfo, insts: &[Inst]) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(insts.len() * 16);
    for inst in insts {
        encode_into(devinfo, inst, &mut bytes)?;
    }
    Ok(bytes)
}

/// The compacted form of the instruction's fields (not of its residue), if there is one.
pub(super) fn compacted_word(devinfo: &DevInfo, inst: &Inst) -> Option<u64> {
    let word = encode_word(devinfo.version, inst).ok()?;
    compact(devinfo, inst, word)
}

/// Encodes the fields of an instruction, without its residue.
pub(super) fn encode_word(version: GfxVersion, inst: &Inst) -> Result<u128, EncodeError> {
    if !inst.opcode.exists_on(version) {
        return Err(EncodeError::NoSuchOpcode { opcode: inst.opcode });
    }
    match version {
        GfxVersion::Gfx7 | GfxVersion::Gfx75 => encode_fields::<Gen7Fields>(version, inst),
        GfxVersion::Gfx8 => encode_fields::<Gen8Fields>(version, inst),
        GfxVersion::Gfx9 => encode_fields::<Gen9Fields>(version, inst),
    }
}

fn encode_fields<F: Fields>(version: GfxVersion, inst: &Inst) -> Result<u128, EncodeError> {
    let mut w = Writer::<F>::new();
    w.set(Field::Opcode, u64::from(inst.opcode.info().code));
    let outcome = put_fields(&mut w, version, inst);
    // An error of a field came first.
    let word = w.finish()?;
    outcome.map(|()| word)
}

/// Writes everything but the opcode.
fn put_fields<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
) -> Result<(), EncodeError> {
    let form = inst.opcode.form();
    if form == Form::Bare {
        return Ok(());
    }
    put_controls(w, inst)?;
    put_predicate(w, inst, form)?;
    match form {
        Form::Bare => Ok(()),
        Form::Basic | Form::Math => put_basic(w, version, inst),
        Form::ThreeSource => put_three_source(w, version, inst),
        Form::Send => put_send(w, version, inst),
        Form::SplitSend => put_split_send(w, inst),
        Form::Jmpi => put_jmpi(w, version, inst),
        Form::Branch | Form::Call => put_branch(w, version, inst),
        Form::Wait => put_wait(w, version, inst),
    }
}

/// Controls that stand at the same place in every form.
fn put_controls<F: Fields>(w: &mut Writer<F>, inst: &Inst) -> Result<(), EncodeError> {
    w.flag(Field::AccessMode, inst.access_mode == AccessMode::Align16);
    w.set(Field::ExecSize, log2_code(inst.exec_size, 32)?);
    w.flag(Field::MaskControl, inst.no_mask);
    w.flag(Field::NoDdClear, inst.no_dd_clear);
    w.flag(Field::NoDdCheck, inst.no_dd_check);
    w.set(Field::QtrControl, u64::from(inst.qtr_control));
    if inst.nib_control {
        w.flag(Field::NibControl, true);
    }
    w.set(Field::ThreadControl, u64::from(inst.thread_control.code()));
    w.flag(Field::AccWrControl, inst.acc_wr_en || inst.branch_control);
    w.flag(Field::DebugControl, inst.debug_control);
    w.flag(Field::Saturate, inst.saturate);
    Ok(())
}

/// Predicate, conditional modifier and the flag register they share.
fn put_predicate<F: Fields>(w: &mut Writer<F>, inst: &Inst, form: Form) -> Result<(), EncodeError> {
    if let Some(predicate) = inst.predicate {
        let code = predicate
            .mode
            .code(inst.access_mode)
            .ok_or(EncodeError::NoCode { what: "the predicate's mode" })?;
        w.set(Field::PredControl, u64::from(code));
        w.flag(Field::PredInverse, predicate.inverse);
    }
    if let Some(cond_mod) = inst.cond_mod {
        w.set(Field::CondMod, u64::from(cond_mod.code()));
    }
    if inst.flag.nr == 0 && inst.flag.sub == 0 {
        return Ok(());
    }
    let (nr, sub) = flag_fields(form);
    w.set(nr, u64::from(inst.flag.nr));
    w.set(sub, u64::from(inst.flag.sub));
    Ok(())
}

/// Fields of the flag register.
pub(super) fn flag_fields(form: Form) -> (Field, Field) {
    match form {
        Form::ThreeSource => (Field::TsFlagNr, Field::TsFlagSub),
        _ => (Field::FlagNr, Field::FlagSub),
    }
}

/// A missing part of an instruction.
#[cold]
fn missing(inst: &Inst, what: &'static str) -> EncodeError {
    EncodeError::Missing { opcode: inst.opcode, what }
}

fn put_basic<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
) -> Result<(), EncodeError> {
    if inst.opcode.form() == Form::Math {
        let function = inst.math.ok_or_else(|| missing(inst, "function"))?;
        w.set(Field::CondMod, u64::from(function.code()));
    }
    put_dst(w, version, inst.access_mode, &inst.dst)?;
    let sources = inst.opcode.info().sources;
    let wide = (sources == 1, inst.opcode == Opcode::Dim);
    let [src0, src1, _] = &inst.src;
    put_source::<_, Src0>(w, version, inst.access_mode, src0, wide)?;
    if sources == 2 && !inst.has_one_immediate() {
        if src0.is_imm() {
            return Err(EncodeError::NoCode { what: "an immediate as src0 of two sources" });
        }
        return put_source::<_, Src1>(w, version, inst.access_mode, src1, wide);
    }
    if sources == 1 && src0.is_imm() && src0.ty.size() < 8 {
        put_absent_src1(w, version, src0.ty)?;
    }
    Ok(())
}

/// A narrow immediate src0 wants the absent src1 to be the null register's file with the same type
/// code.
fn put_absent_src1<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    ty: Type,
) -> Result<(), EncodeError> {
    w.set(Field::Src1File, 0);
    w.set(Field::Src1Type, immediate_code(ty, version)?);
    Ok(())
}

/// Returns the hardware code of an immediate's type.
fn immediate_code(ty: Type, version: GfxVersion) -> Result<u64, EncodeError> {
    let code = ty.immediate_code(version).map(u64::from);
    code.ok_or(EncodeError::NoCode { what: "the immediate's type" })
}

/// The fields of one source of a three-source instruction.
pub(super) struct ThreeSourceFields {
    pub abs: Field,
    pub negate: Field,
    pub rep: Field,
    pub swizzle: Field,
    pub subreg: Field,
    pub nr: Field,
}

/// Sources of three-source instructions.
pub(super) const THREE_SOURCES: [ThreeSourceFields; 3] = [
    ThreeSourceFields {
        abs: Field::TsSrc0Abs,
        negate: Field::TsSrc0Negate,
        rep: Field::TsSrc0Rep,
        swizzle: Field::TsSrc0Swizzle,
        subreg: Field::TsSrc0Subreg,
        nr: Field::TsSrc0Nr,
    },
    ThreeSourceFields {
        abs: Field::TsSrc1Abs,
        negate: Field::TsSrc1Negate,
        rep: Field::TsSrc1Rep,
        swizzle: Field::TsSrc1Swizzle,
        subreg: Field::TsSrc1Subreg,
        nr: Field::TsSrc1Nr,
    },
    ThreeSourceFields {
        abs: Field::TsSrc2Abs,
        negate: Field::TsSrc2Negate,
        rep: Field::TsSrc2Rep,
        swizzle: Field::TsSrc2Swizzle,
        subreg: Field::TsSrc2Subreg,
        nr: Field::TsSrc2Nr,
    },
];

/// The subregister of a three-source operand counts dwords.
fn dword_subreg(operand: &Operand) -> Result<u64, EncodeError> {
    if !operand.subnr.is_multiple_of(4) {
        return Err(EncodeError::NoCode { what: "a three-source subregister off the dword grid" });
    }
    Ok(u64::from(operand.subnr / 4))
}

const NO_TYPE: EncodeError = EncodeError::NoCode { what: "a three-source operand's type" };

fn put_three_source<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
) -> Result<(), EncodeError> {
    if inst.access_mode != AccessMode::Align16 {
        return Err(EncodeError::NoCode { what: "a three-source instruction in Align1" });
    }
    let grf = |operand: &Operand| {
        if operand.file == RegFile::Grf && !operand.is_indirect() {
            return Ok(());
        }
        Err(EncodeError::NoCode { what: "a three-source operand outside the general registers" })
    };
    let dst = &inst.dst;
    grf(dst)?;
    let dst_type = dst.ty.three_source_code(version).ok_or(NO_TYPE)?;
    w.set(Field::TsDstType, u64::from(dst_type));
    w.set(Field::TsDstNr, u64::from(dst.nr));
    w.set(Field::TsDstSubreg, dword_subreg(dst)?);
    w.set(Field::TsDstWritemask, u64::from(dst.writemask.0));
    for (src, fields) in inst.src.iter().zip(&THREE_SOURCES) {
        grf(src)?;
        w.flag(fields.abs, src.abs);
        w.flag(fields.negate, src.negate);
        w.flag(fields.rep, src.rep_ctrl);
        // The swizzle of a replicated source is ignored; zero is what compilers write.
        w.set(fields.swizzle, if src.rep_ctrl { 0 } else { u64::from(src.swizzle.0) });
        w.set(fields.subreg, dword_subreg(src)?);
        w.set(fields.nr, u64::from(src.nr));
    }
    put_three_source_types(w, version, &inst.src)
}

/// One type for all sources, except that src1 and src2 may each be HF beside F.
fn put_three_source_types<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    src: &[Operand; 3],
) -> Result<(), EncodeError> {
    let no_type = || EncodeError::NoCode { what: "the combination of three-source types" };
    let [src0, src1, src2] = src;
    w.set(Field::TsSrcType, u64::from(src0.ty.three_source_code(version).ok_or_else(no_type)?));
    for (operand, field) in [(src1, Field::TsSrc1IsHf), (src2, Field::TsSrc2IsHf)] {
        let is_half = match (src0.ty, operand.ty) {
            (Type::F | Type::HF, Type::F) => false,
            (Type::F | Type::HF, Type::HF) => true,
            (a, b) if a == b => false,
            _ => return Err(no_type()),
        };
        if is_half && !w.has(field) {
            return Err(NO_TYPE);
        }
        if is_half {
            w.flag(field, true);
        }
    }
    Ok(())
}

fn message(inst: &Inst) -> Result<Send, EncodeError> {
    inst.send.ok_or_else(|| missing(inst, "message"))
}

fn put_send<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
) -> Result<(), EncodeError> {
    let send = message(inst)?;
    w.set(Field::CondMod, u64::from(send.sfid.code()));
    put_dst(w, version, inst.access_mode, &inst.dst)?;
    put_source::<_, Src0>(w, version, inst.access_mode, &inst.src[0], (false, false))?;
    w.flag(Field::SendEot, send.eot);
    match send.desc {
        Desc::Imm(desc) => {
            w.set(Field::Src1File, IMMEDIATE_FILE);
            w.set(Field::Src1Type, immediate_code(Type::UD, version)?);
            w.set(Field::SendDesc, u64::from(desc));
            Ok(())
        }
        Desc::Indirect { subreg } => {
            let a0 = build::arf(Arf::Address(0)).subreg(subreg).scalar();
            put_source::<_, Src1>(w, version, AccessMode::Align1, &a0, (false, false))
        }
    }
}

fn put_split_send<F: Fields>(w: &mut Writer<F>, inst: &Inst) -> Result<(), EncodeError> {
    let send = message(inst)?;
    let file = |operand: &Operand| match operand.file {
        RegFile::Arf => Ok(false),
        RegFile::Grf => Ok(true),
        RegFile::Imm => Err(EncodeError::NoCode { what: "an immediate operand of a split send" }),
    };
    let direct = |operand: &Operand, unit: u8| {
        if operand.is_indirect() || !operand.subnr.is_multiple_of(unit) {
            let what = "an indirect or misaligned operand of a split send";
            return Err(EncodeError::NoCode { what });
        }
        Ok(u64::from(operand.subnr / unit))
    };
    let (dst, src0, src1) = (&inst.dst, &inst.src[0], &inst.src[1]);
    w.set(Field::CondMod, u64::from(send.sfid.code()));
    w.flag(Field::SsDstFile, file(dst)?);
    w.set(Field::DstNr, u64::from(dst.nr));
    w.set(Field::DstSubreg16, direct(dst, 16)?);
    if !file(src0)? {
        return Err(EncodeError::NoCode {
            what: "a split send's first payload outside the general registers",
        });
    }
    w.set(Field::Src0Nr, u64::from(src0.nr));
    w.set(Field::Src0Subreg16, direct(src0, 16)?);
    w.flag(Field::SsSrc1File, file(src1)?);
    w.set(Field::SsSrc1Nr, u64::from(src1.nr));
    direct(src1, 32)?;
    w.flag(Field::SendEot, send.eot);
    match send.desc {
        Desc::Imm(desc) => w.set(Field::SendDesc, u64::from(desc)),
        Desc::Indirect { subreg: 0 } => w.flag(Field::SsIndirectDesc, true),
        Desc::Indirect { .. } => {
            return Err(EncodeError::NoCode { what: "a split send's descriptor outside a0.0" });
        }
    }
    match send.ex_desc {
        Desc::Imm(desc) => put_ex_desc(w, desc),
        Desc::Indirect { subreg } => {
            w.flag(Field::SsIndirectExDesc, true);
            w.set(Field::SsExDescSubreg, u64::from(subreg));
            Ok(())
        }
    }
}

/// The extended descriptor has bits 9:6 and 31:16 only.
fn put_ex_desc<F: Fields>(w: &mut Writer<F>, desc: u32) -> Result<(), EncodeError> {
    if desc & !EX_DESC_BITS != 0 {
        return Err(EncodeError::DoesNotFit {
            field: Field::SsExDescLow,
            value: i64::from(desc),
            bits: 4,
        });
    }
    w.set(Field::SsExDescLow, u64::from(desc >> 6 & 0xf));
    if desc >> 16 != 0 {
        w.set(Field::SsExDescHigh, u64::from(desc >> 16));
    }
    Ok(())
}

/// The bits of an extended descriptor that an instruction has room for.
const EX_DESC_BITS: u32 = 0xffff_03c0;

/// The instruction pointer as JMPI and CONT name it in their unused operands.
fn ip() -> Operand {
    build::arf(Arf::Ip).region(4, 1, 0)
}

fn put_jmpi<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
) -> Result<(), EncodeError> {
    put_unused_dst(w, version, inst, &ip())?;
    put_unused_src(w, version, inst, &ip())?;
    put_source::<_, Src1>(w, version, inst.access_mode, &inst.src[0], (false, false))
}

/// Writes a fixed operand of an instruction that does not use its destination.
fn put_unused_dst<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
    dst: &Operand,
) -> Result<(), EncodeError> {
    let dst = Operand { region: Region::dst(1), ..*dst };
    put_dst(w, version, inst.access_mode, &dst)
}

/// Writes a fixed operand of an instruction that does not use src0: a region of width 1 becomes
/// scalar in SIMD1.
fn put_unused_src<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
    src: &Operand,
) -> Result<(), EncodeError> {
    let mut src = *src;
    match inst.access_mode {
        AccessMode::Align1 if src.region.width == 1 && inst.exec_size == 1 => {
            src.region = Region::SCALAR
        }
        AccessMode::Align16 if src.region.vstride == 8 => src.region.vstride = 4,
        _ => {}
    }
    put_source::<_, Src0>(w, version, inst.access_mode, &src, (false, false))
}

/// Branches use no register operands but compilers fill them in: gen7 with null or ip and an
/// immediate src1 whose 32 bits are JIP and UIP, gen8 with an immediate src0 and the jumps over
/// both sources.
fn put_branch<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
) -> Result<(), EncodeError> {
    let op = inst.opcode;
    let null_d = build::null().d();
    let unused = match op {
        Opcode::Cont => ip(),
        Opcode::If => null_d.scalar(),
        _ => null_d,
    };
    if op.form() == Form::Call {
        put_dst(w, version, inst.access_mode, &inst.dst)?;
    } else if !(op == Opcode::Endif && version >= GfxVersion::Gfx8) {
        put_unused_dst(w, version, inst, &unused)?;
    }
    let imm_d = immediate_code(Type::D, version)?;
    if version >= GfxVersion::Gfx8 {
        w.set(Field::Src0File, IMMEDIATE_FILE);
        w.set(Field::Src0Type, imm_d);
        if !op.has_uip(version) {
            w.set(Field::Src1Type, imm_d);
        }
    } else {
        put_unused_src(w, version, inst, &unused)?;
        let ty = match op {
            Opcode::If | Opcode::Else | Opcode::Endif | Opcode::While => Type::W,
            _ => Type::D,
        };
        w.set(Field::Src1File, IMMEDIATE_FILE);
        w.set(Field::Src1Type, immediate_code(ty, version)?);
    }
    w.set_signed(Field::Jip, i64::from(inst.jip));
    if op.has_uip(version) {
        w.set_signed(Field::Uip, i64::from(inst.uip));
    }
    Ok(())
}

/// WAIT reads the register it writes; src1 is null as F.
fn put_wait<F: Fields>(
    w: &mut Writer<F>,
    version: GfxVersion,
    inst: &Inst,
) -> Result<(), EncodeError> {
    put_dst(w, version, inst.access_mode, &inst.dst)?;
    let mut src0 = Operand { region: Region::SCALAR, ..inst.dst };
    let mut src1 = build::null().f();
    if inst.access_mode == AccessMode::Align16 {
        let component = inst.dst.writemask.0.trailing_zeros().min(3) as u8;
        src0.swizzle = Swizzle::new(component, component, component, component);
        src1.region.vstride = 4;
    }
    put_source::<_, Src0>(w, version, inst.access_mode, &src0, (false, false))?;
    put_source::<_, Src1>(w, version, inst.access_mode, &src1, (false, false))
}
