//! The accumulator as an operand.

use super::context::{Context, Rule, rules};
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::quirks::Quirk;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "accumulator-src0": accumulator_src0, "an explicit accumulator source is src0";
    "gen7-mul-accumulator-source": gen7_mul_accumulator_source, "gen7 MUL takes no accumulator source";
    "gen8-mul-integer-accumulator": gen8_mul_integer_accumulator, "MUL takes no integer accumulator source";
    "gen8-logic-accumulator": gen8_logic_accumulator, "logic instructions have no modifiers on accumulators";
    "acc-write-implicit": acc_write_implicit, "AccWrEnable needs a destination other than the accumulator";
    "mach-accumulator": mach_accumulator, "MACH without AccWrEnable loses the accumulator it reads";
    "addc-accumulator": addc_accumulator, "ADDC and SUBB write the carry to the accumulator: AccWrEnable, UD";
    "integer-acc1": integer_acc1, "integers have no acc1";
    "accumulator-byte": accumulator_byte, "an accumulator has no byte format";
    "ud-accumulator-condition": ud_accumulator_condition, "no condition on a negated UD accumulator source";
};

fn accumulator_src0(c: &Context) -> bool {
    c.sources.iter().skip(1).any(Operand::is_accumulator)
}

fn gen7_mul_accumulator_source(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mul
        && c.devinfo.mul_dword_src1_low_word
        && c.sources.iter().any(Operand::is_accumulator)
}

fn gen8_mul_integer_accumulator(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mul
        && c.sources.iter().any(|src| src.is_accumulator() && src.ty.is_integer())
}

fn gen8_logic_accumulator(c: &Context) -> bool {
    c.inst.opcode.is_logic()
        && c.devinfo.has_quirk(Quirk::Gen8LogicNot)
        && c.sources.iter().any(|src| src.is_accumulator() && (src.negate || src.abs))
}

fn acc_write_implicit(c: &Context) -> bool {
    c.inst.acc_wr_en && c.inst.dst.is_accumulator()
}

fn mach_accumulator(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mach && !c.inst.acc_wr_en
}

fn addc_accumulator(c: &Context) -> bool {
    matches!(c.inst.opcode, Opcode::Addc | Opcode::Subb)
        && (!c.inst.acc_wr_en || c.sources.iter().any(|src| src.ty != Type::UD))
}

/// acc1 in the low nibble of the register number.
fn integer_acc1(c: &Context) -> bool {
    c.any_operand(|operand| {
        operand.is_accumulator() && operand.nr & 0xf != 0 && operand.ty.is_integer()
    })
}

fn accumulator_byte(c: &Context) -> bool {
    c.any_operand(|operand| operand.is_accumulator() && operand.ty.size() == 1)
}

fn ud_accumulator_condition(c: &Context) -> bool {
    c.inst.cond_mod.is_some()
        && c.sources.iter().any(|src| src.is_accumulator() && src.ty == Type::UD && src.negate)
}
