//! Constants: their types and parts.

use rspirv::spirv::Op;

use super::view::Kind;
use crate::error::Error;
use crate::module::{Instruction, Module};

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    for i in module.globals() {
        match i.op {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                module.demand(i, module.kind(i.ty) == Kind::Bool, "the type is not bool")?;
            }
            Op::Constant | Op::SpecConstant => {
                let is_number = matches!(module.kind(i.ty), Kind::Int { .. } | Kind::Float { .. });
                module.demand(i, is_number, "the type is no number's")?;
                narrow(module, i)?;
            }
            Op::ConstantComposite | Op::SpecConstantComposite => composite(module, i)?,
            Op::ConstantNull => {
                let wrong = matches!(
                    module.kind(i.ty),
                    Kind::Void
                        | Kind::Function
                        | Kind::RuntimeArray { .. }
                        | Kind::Image
                        | Kind::SampledImage { .. }
                        | Kind::Sampler
                );
                module.demand(i, !wrong, "the type has no null")?;
            }
            Op::SpecConstantOp => operation(module, i)?,
            Op::Undef => {
                let is_void = matches!(module.kind(i.ty), Kind::Void | Kind::Function);
                module.demand(i, !is_void, "the type has no values")?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn narrow(module: &Module, i: &Instruction) -> Result<(), Error> {
    let fits = is_extended(module.kind(i.ty), i.literal_at(0).unwrap_or(0));
    module.demand(i, fits, "high bits do not extend the value")
}

/// True if the high bits of a narrow number are those of its sign, or zero.
pub(crate) fn is_extended(kind: Kind, word: u32) -> bool {
    match kind {
        Kind::Int { bits: bits @ (8 | 16), signed: true } => {
            let shift = 32 - bits;
            (word as i32) << shift >> shift == word as i32
        }
        Kind::Int { bits: bits @ (8 | 16), .. } | Kind::Float { bits: bits @ 16 } => {
            word >> bits == 0
        }
        _ => true,
    }
}

fn composite(module: &Module, i: &Instruction) -> Result<(), Error> {
    let parts: Vec<u32> = i.ids_from(0).collect();
    let wanted: Vec<u32> = match module.kind(i.ty) {
        Kind::Vector { component, count } => vec![component; count as usize],
        Kind::Matrix { column, count } => vec![column; count as usize],
        Kind::Array { element, length } => match module.fixed_integer(length) {
            Some(length) if length == parts.len() as u64 => vec![element; parts.len()],
            Some(_) => return Err(module.error(i, "the number of parts is not that of elements")),
            None => vec![element; parts.len()],
        },
        Kind::Struct => module.get(i.ty).map_or(Vec::new(), |ty| ty.ids_from(0).collect()),
        _ => return Err(module.error(i, "the type has no parts")),
    };
    module.demand(i, wanted.len() == parts.len(), "the number of parts is not that of the type")?;
    for (part, ty) in parts.into_iter().zip(wanted) {
        let definition = module.get(part);
        let is_constant =
            module.is_constant_id(part) || definition.is_some_and(|d| d.op == Op::Undef);
        module.demand(i, is_constant, "a part is no constant")?;
        let is_typed = definition.is_some_and(|d| d.ty == ty);
        module.demand(i, is_typed, "a part has another type")?;
    }
    Ok(())
}

fn operation(module: &Module, i: &Instruction) -> Result<(), Error> {
    for id in i.ids_from(0) {
        let definition = module.get(id);
        let is_constant =
            module.is_constant_id(id) || definition.is_some_and(|d| d.op == Op::Undef);
        module.demand(i, is_constant, "an operand is no constant")?;
    }
    let word = i.literal_at(0).unwrap_or(0);
    let is_allowed = Op::from_u32(word).is_some_and(|op| {
        matches!(
            op,
            Op::SConvert
                | Op::UConvert
                | Op::FConvert
                | Op::SNegate
                | Op::Not
                | Op::IAdd
                | Op::ISub
                | Op::IMul
                | Op::UDiv
                | Op::SDiv
                | Op::UMod
                | Op::SRem
                | Op::SMod
                | Op::ShiftRightLogical
                | Op::ShiftRightArithmetic
                | Op::ShiftLeftLogical
                | Op::BitwiseOr
                | Op::BitwiseXor
                | Op::BitwiseAnd
                | Op::VectorShuffle
                | Op::CompositeExtract
                | Op::CompositeInsert
                | Op::LogicalOr
                | Op::LogicalAnd
                | Op::LogicalNot
                | Op::LogicalEqual
                | Op::LogicalNotEqual
                | Op::Select
                | Op::IEqual
                | Op::INotEqual
                | Op::ULessThan
                | Op::SLessThan
                | Op::UGreaterThan
                | Op::SGreaterThan
                | Op::ULessThanEqual
                | Op::SLessThanEqual
                | Op::UGreaterThanEqual
                | Op::SGreaterThanEqual
                | Op::QuantizeToF16
        )
    });
    module.demand(i, is_allowed, "the operation makes no specialization constants")?;
    let applied = Instruction {
        op: Op::from_u32(word).unwrap_or(Op::Nop),
        operands: i.operands[1..].to_vec(),
        ..i.clone()
    };
    super::signatures::check(module, &applied)?;
    super::composites::check(module, &applied)
}
