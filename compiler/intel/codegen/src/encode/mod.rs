//! Allocated back-end programs to machine code: regions, physical swizzles, doubled DF sizes,
//! jumps.

mod jumps;
mod region;

use crate::error::CompileError;
use crate::lir::{Arf, File, Inst, Op, Operand, Program};
use crate::model::{Model, Quirk};
use intel_isa::encoding::Field;
use intel_isa::{AccessMode, Opcode};

/// Machine code, all of it in native instructions of 16 bytes.
pub struct Encoded {
    /// The bytes.
    pub code: Vec<u8>,
    /// For each machine instruction the index of the back-end instruction it came from.
    pub origin: Vec<usize>,
}

/// Encodes `program`.
///
/// # Errors
/// An operand, region or jump without an encoding.
pub fn encode(program: &Program, model: &Model) -> Result<Encoded, CompileError> {
    let mut code = Vec::with_capacity(program.insts.len() * 16);
    let mut origin = Vec::with_capacity(program.insts.len());
    let mut branches = Vec::new();
    let mut has_halt = false;
    let bytes = |i: usize, inst: &intel_isa::Inst| {
        let name = || format!("instruction {i} ({})", program.insts[i]);
        intel_isa::encode(model.devinfo(), inst)
            .map_err(|error| encode_error(model.devinfo(), name(), &error))
    };
    for (i, inst) in program.insts.iter().enumerate() {
        has_halt |= inst.op == Op::Halt;
        if inst.op.is_virtual() || inst.op == Op::Nop || (inst.op == Op::HaltTarget && !has_halt) {
            continue;
        }
        let encoded = encode_inst(inst, model).map_err(|e| {
            CompileError::encode(format!("instruction {i} ({inst}): {}", e.message))
        })?;
        if inst.op.info().control_flow {
            branches.push((origin.len(), encoded));
            code.extend_from_slice(&[0; 16]);
        } else {
            code.extend_from_slice(&bytes(i, &encoded)?);
        }
        origin.push(i);
    }
    jumps::resolve(program, &mut branches, &origin, model.devinfo())?;
    for (place, inst) in branches {
        code[16 * place..][..16].copy_from_slice(&bytes(origin[place], &inst)?);
    }
    Ok(Encoded { code, origin })
}

fn encode_inst(inst: &Inst, model: &Model) -> Result<intel_isa::Inst, CompileError> {
    let mut e = intel_isa::Inst::new(opcode(inst.op));
    let wide = is_64bit(inst);
    let doubled = wide && model.handles(Quirk::IvbDfExecSize);
    e.exec_size = if doubled { inst.exec_size * 2 } else { inst.exec_size };
    e.access_mode = if inst.align16 || inst.op.info().three_source {
        AccessMode::Align16
    } else {
        AccessMode::Align1
    };
    e.no_mask = inst.no_mask;
    e.saturate = inst.saturate;
    e.acc_wr_en = inst.acc_write;
    e.qtr_control = inst.group / 8;
    e.nib_control = inst.group % 8 >= 4;
    e.flag = intel_isa::FlagReg { nr: inst.flag / 2, sub: inst.flag % 2 };
    e.cond_mod = inst.cond;
    if let Some(p) = inst.predicate {
        if p.mode.code(e.access_mode).is_none() {
            return Err(CompileError::encode("predicate mode does not exist in this access mode"));
        }
        e.predicate = Some(p);
    }
    e.math = math_function(inst.op);
    if inst.op.info().control_flow {
        if inst.is_jump_back() {
            e.opcode = Opcode::Jmpi;
        }
        e.dst = intel_isa::Operand::NULL;
        return Ok(e);
    }
    if let Some(message) = &inst.message {
        encode_send(&mut e, inst, message)?;
        return Ok(e);
    }
    let context = region::Context { inst, model, doubled };
    e.dst = region::destination(&context)?;
    if inst.dst.file == File::Arf(Arf::Control(0)) {
        // Later instructions must not issue before the new mode holds.
        e.thread_control = intel_isa::ThreadControl::Switch;
    }
    if matches!(inst.op, Op::Cmp | Op::Cmpn) && inst.dst.is_null() {
        if model.handles(Quirk::Gen7CmpSwitch) {
            e.thread_control = intel_isa::ThreadControl::Switch;
        }
        if inst.exec_size == 16 && model.handles(Quirk::IvbCmp16) {
            e.dst.ty = intel_isa::Type::D;
        }
    }
    for (index, slot) in e.src.iter_mut().enumerate() {
        let Some(src) = inst.src.get(index) else { break };
        *slot = region::source(&context, src, index)?;
    }
    Ok(e)
}

/// The instruction encodes twice its channels on ivb.
fn is_64bit(inst: &Inst) -> bool {
    let has_operands = !inst.op.info().control_flow && inst.message.is_none();
    has_operands
        && (inst.exec_type().size() == 8 || (!inst.dst.is_none() && inst.dst.ty.size() == 8))
}

fn encode_send(
    e: &mut intel_isa::Inst,
    inst: &Inst,
    message: &crate::lir::Message,
) -> Result<(), CompileError> {
    let desc = message.control & 0x7_ffff
        | u32::from(message.header) << 19
        | u32::from(message.rlen) << 20
        | u32::from(message.mlen) << 25;
    e.send = Some(intel_isa::Send {
        sfid: message.sfid,
        desc: intel_isa::Desc::Imm(desc),
        ex_desc: intel_isa::Desc::Imm(intel_isa::desc::ex_desc(message.ex_mlen)),
        eot: message.eot,
    });
    let align16 = e.access_mode == AccessMode::Align16;
    let whole = |operand: &Operand| -> Result<intel_isa::Operand, CompileError> {
        let mut o = region::file(operand)?;
        o.ty = operand.ty;
        o.region = if align16 { intel_isa::Region::ALIGN16 } else { intel_isa::Region::PACKED8 };
        Ok(o)
    };
    e.dst = whole(&inst.dst)?;
    e.dst.region = intel_isa::Region::dst(1);
    if inst.src.is_empty() {
        return Err(CompileError::encode("send without payload"));
    }
    if inst.src.iter().chain([&inst.dst]).any(|o| o.is_reg() && o.offset % 32 != 0) {
        return Err(CompileError::encode("message operand off the register grid"));
    }
    for (slot, part) in e.src.iter_mut().zip(&inst.src) {
        *slot = whole(part)?;
    }
    Ok(())
}

fn math_function(op: Op) -> Option<intel_isa::MathFn> {
    Some(match op {
        Op::MathInv => intel_isa::MathFn::Inv,
        Op::MathLog => intel_isa::MathFn::Log,
        Op::MathExp => intel_isa::MathFn::Exp,
        Op::MathSqrt => intel_isa::MathFn::Sqrt,
        Op::MathRsq => intel_isa::MathFn::Rsq,
        Op::MathSin => intel_isa::MathFn::Sin,
        Op::MathCos => intel_isa::MathFn::Cos,
        Op::MathPow => intel_isa::MathFn::Pow,
        Op::MathIntDivQuotient => intel_isa::MathFn::IntDiv,
        Op::MathIntDivRemainder => intel_isa::MathFn::IntMod,
        _ => return None,
    })
}

fn opcode(op: Op) -> Opcode {
    match op {
        Op::Mov => Opcode::Mov,
        Op::Sel => Opcode::Sel,
        Op::Not => Opcode::Not,
        Op::And => Opcode::And,
        Op::Or => Opcode::Or,
        Op::Xor => Opcode::Xor,
        Op::Shr => Opcode::Shr,
        Op::Shl => Opcode::Shl,
        Op::Asr => Opcode::Asr,
        Op::Cmp => Opcode::Cmp,
        Op::Cmpn => Opcode::Cmpn,
        Op::Csel => Opcode::Csel,
        Op::F32to16 => Opcode::F32To16,
        Op::F16to32 => Opcode::F16To32,
        Op::Bfrev => Opcode::Bfrev,
        Op::Bfe => Opcode::Bfe,
        Op::Bfi1 => Opcode::Bfi1,
        Op::Bfi2 => Opcode::Bfi2,
        Op::Add => Opcode::Add,
        Op::Mul => Opcode::Mul,
        Op::Avg => Opcode::Avg,
        Op::Frc => Opcode::Frc,
        Op::Rndu => Opcode::Rndu,
        Op::Rndd => Opcode::Rndd,
        Op::Rnde => Opcode::Rnde,
        Op::Rndz => Opcode::Rndz,
        Op::Mac => Opcode::Mac,
        Op::Mach => Opcode::Mach,
        Op::Lzd => Opcode::Lzd,
        Op::Fbh => Opcode::Fbh,
        Op::Fbl => Opcode::Fbl,
        Op::Cbit => Opcode::Cbit,
        Op::Addc => Opcode::Addc,
        Op::Subb => Opcode::Subb,
        Op::Dp4 => Opcode::Dp4,
        Op::Dph => Opcode::Dph,
        Op::Dp3 => Opcode::Dp3,
        Op::Dp2 => Opcode::Dp2,
        Op::Line => Opcode::Line,
        Op::Pln => Opcode::Pln,
        Op::Mad => Opcode::Mad,
        Op::Lrp => Opcode::Lrp,
        Op::Send => Opcode::Send,
        Op::Sendc => Opcode::Sendc,
        Op::Sends => Opcode::Sends,
        Op::Sendsc => Opcode::Sendsc,
        Op::Dim => Opcode::Dim,
        Op::Await => Opcode::Mov,
        Op::If => Opcode::If,
        Op::Else => Opcode::Else,
        Op::Endif => Opcode::Endif,
        Op::While => Opcode::While,
        Op::Break => Opcode::Break,
        Op::Continue => Opcode::Cont,
        Op::Halt | Op::HaltTarget => Opcode::Halt,
        Op::Wait => Opcode::Wait,
        Op::Nop | Op::Do | Op::Undef => Opcode::Nop,
        _ => Opcode::Math,
    }
}

/// An instruction that has no encoding. Branches before gen8 have 16 bits for each distance: code
/// that is too long for them says so. `split_long_branches` prevents it.
fn encode_error(
    devinfo: &intel_isa::DevInfo,
    instruction: String,
    error: &intel_isa::EncodeError,
) -> CompileError {
    let unit = i64::from(devinfo.jump_unit_bytes);
    CompileError::encode(match *error {
        intel_isa::EncodeError::DoesNotFit { field: Field::Jip | Field::Uip, value, bits } => {
            let (far, reach) = (value.abs() * unit, ((1i64 << (bits - 1)) - 1) * unit);
            let name = devinfo.name;
            format!(
                "{instruction} jumps over {far} bytes of code, branches of {name} reach {reach} and have no longer form"
            )
        }
        ref other => format!("{instruction}: {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40,000 units of 8 bytes; the furthest are 32,767.
    #[test]
    fn far_jumps_are_explained() {
        let devinfo = intel_isa::DevInfo::get("hsw").unwrap();
        let far = intel_isa::build::inst(intel_isa::Opcode::If).jumps(40_000, 40_000);
        let error = intel_isa::encode(devinfo, &far).unwrap_err();
        let message = encode_error(devinfo, "instruction 7 (if(8))".into(), &error).message;
        let expected = "instruction 7 (if(8)) jumps over 320000 bytes of code, branches of hsw reach 262136 \
                        and have no longer form";
        assert_eq!(message, expected);
    }
}
