//! Operands that are constants.

use amd_isa::{Kind, Operand};

/// The value of a constant of a kind; `None` for other operands.
pub(crate) fn constant(operand: Operand, kind: Kind) -> Option<u64> {
    let wide = kind.dwords() == 2;
    Some(match operand {
        Operand::Integer(value) if wide => i64::from(value) as u64,
        Operand::Integer(value) => u64::from(i32::from(value) as u32),
        Operand::Float(constant) if wide => constant.double_bits(),
        Operand::Float(constant) if kind == Kind::F16 => u64::from(constant.half_bits()),
        Operand::Float(constant) => u64::from(constant.single_bits()),
        Operand::Literal(value) if kind == Kind::F64 => u64::from(value) << 32,
        Operand::Literal(value) | Operand::Immediate(value) => u64::from(value),
        _ => return None,
    })
}
