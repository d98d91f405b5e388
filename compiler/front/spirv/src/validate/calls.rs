//! Functions: types, parameters, calls, returns; extended instructions; barriers.

use rspirv::spirv::{Capability, Decoration, GlslStd450Op as G, Op, StorageClass as C};

use super::memory::scope_or_semantics;
use super::view::{Kind, NumericShape};
use crate::error::Error;
use crate::module::{Function, Instruction, Module};

/// The types of a function: result, then parameters.
fn types(module: &Module, definition: &Instruction) -> Result<Vec<u32>, Error> {
    let ty =
        definition.id_at(1).and_then(|ty| module.get(ty)).filter(|ty| ty.op == Op::TypeFunction);
    let ty = ty.ok_or_else(|| module.error(definition, "the operand is no function type"))?;
    Ok(ty.ids_from(0).collect())
}

pub(crate) fn check_function(module: &Module, function: &Function) -> Result<(), Error> {
    let definition = &module.instructions[function.definition];
    let types = types(module, definition)?;
    module.demand(
        definition,
        types.first() == Some(&definition.ty),
        "the result is not that of the type",
    )?;
    let parameters = &module.instructions[function.parameters.clone()];
    let is_same = types[1..].iter().copied().eq(parameters.iter().map(|p| p.ty));
    module.demand(definition, is_same, "the parameters are not those of the type")?;
    let is_imported = module.has(definition.id, Decoration::LinkageAttributes);
    let has_body = !function.blocks.is_empty();
    module.demand(definition, has_body || is_imported, "the function has no blocks")
}

pub(crate) fn check(module: &Module, function: &Function, i: &Instruction) -> Result<(), Error> {
    let result = module.instructions[function.definition].ty;
    match i.op {
        Op::FunctionCall => call(module, i),
        Op::Return => {
            module.demand(i, module.kind(result) == Kind::Void, "the function has a result")
        }
        Op::ReturnValue => {
            let ty = module.operand_type(i, 0)?;
            module.demand(i, ty == result, "the value has not the function's type")?;
            module.demand(i, module.kind(ty) != Kind::Void, "the value has no type")?;
            super::memory::pointer_value(module, i, ty)
        }
        Op::ExtInst => extended(module, i),
        Op::ControlBarrier => (0..3).try_for_each(|index| scope_or_semantics(module, i, index)),
        Op::ReadClockKHR => clock(module, i),
        Op::IsHelperInvocationEXT => {
            module.demand(i, module.kind(i.ty) == Kind::Bool, "the result is not bool")
        }
        Op::MemoryBarrier => (0..2).try_for_each(|index| scope_or_semantics(module, i, index)),
        Op::EmitStreamVertex | Op::EndStreamPrimitive => {
            let shape = module.operand_shape(i, 0)?;
            let is_constant = i.id_at(0).is_some_and(|id| module.is_constant_id(id));
            module.demand(
                i,
                shape.is_int() && shape.count == 1 && is_constant,
                "the stream is no constant integer",
            )
        }
        _ => Ok(()),
    }
}

/// A clock's value has 64 bits without sign, or two words.
fn clock(module: &Module, i: &Instruction) -> Result<(), Error> {
    scope_or_semantics(module, i, 0)?;
    let shape = module.shape(i.ty).filter(|shape| shape.is_unsigned());
    let fits = shape.is_some_and(|shape| matches!((shape.bits(), shape.count), (64, 1) | (32, 2)));
    module.demand(i, fits, "the result has another type")
}

fn call(module: &Module, i: &Instruction) -> Result<(), Error> {
    let callee =
        i.id_at(0).and_then(|id| module.get(id)).filter(|callee| callee.op == Op::Function);
    let callee = callee.ok_or_else(|| module.error(i, "operand 0 is no function"))?;
    module.demand(i, callee.ty == i.ty, "the result is not the function's")?;
    let types = types(module, callee)?;
    module.demand(i, types.len() == i.operands.len(), "the number of arguments is another")?;
    for (index, ty) in types.into_iter().enumerate().skip(1) {
        module.demand(i, module.operand_type(i, index)? == ty, "an argument has another type")?;
        pointer_argument(module, i, index, ty)?;
    }
    Ok(())
}

/// A pointer is that of a whole variable, unless pointers of its storage class are values.
fn pointer_argument(module: &Module, i: &Instruction, index: usize, ty: u32) -> Result<(), Error> {
    let Kind::Pointer { class, .. } = module.kind(ty) else { return Ok(()) };
    let has = |capability| module.capabilities.contains(&capability);
    let is_value = match class {
        C::StorageBuffer => {
            let is_value =
                has(Capability::VariablePointersStorageBuffer) || has(Capability::VariablePointers);
            module.demand(i, is_value, "an argument points to a buffer")?;
            true
        }
        C::UniformConstant => true,
        C::Workgroup => has(Capability::VariablePointers),
        C::Function | C::Private | C::AtomicCounter => false,
        _ => return Err(module.error(i, format!("an argument points to storage class {class:?}"))),
    };
    let argument = i.id_at(index).and_then(|id| module.get(id)).map(|argument| argument.op);
    let is_whole = matches!(argument, Some(Op::Variable | Op::FunctionParameter));
    module.demand(i, is_value || is_whole, "an argument points to a part of a variable")
}

/// Result and operands of an instruction of a set.
fn extended(module: &Module, i: &Instruction) -> Result<(), Error> {
    let set = i.id_at(0).and_then(|set| module.get(set)).filter(|set| set.op == Op::ExtInstImport);
    let set = set.ok_or_else(|| module.error(i, "operand 0 is no set of instructions"))?;
    match set.text_at(0) {
        Some("GLSL.std.450") => extended_of_glsl(module, i),
        Some("SPV_AMD_shader_trinary_minmax") => of_three(module, i),
        _ => Ok(()),
    }
}

/// Least, greatest and middle of three numbers: of floats, unsigned and signed integers in turn.
fn of_three(module: &Module, i: &Instruction) -> Result<(), Error> {
    let number = i.literal_at(1).filter(|number| (1..=9).contains(number));
    let number = number.ok_or_else(|| module.error(i, "the set has no such instruction"))?;
    module.demand(i, i.operands.len() == 5, "the number of operands is another")?;
    let result = module.shape(i.ty);
    let fits = result.is_some_and(|r| if number % 3 == 1 { r.is_float() } else { r.is_int() });
    module.demand(i, fits, "the result has another type")?;
    (2..5).try_for_each(|index| {
        let is_like = module.operand_type(i, index)? == i.ty;
        module.demand(i, is_like, "an operand has not the result's type")
    })
}

/// Result and operands of an instruction of `GLSL.std.450`.
fn extended_of_glsl(module: &Module, i: &Instruction) -> Result<(), Error> {
    let op = i.literal_at(1).and_then(G::from_u32);
    let op = op.ok_or_else(|| module.error(i, "the set has no such instruction"))?;
    let count = operands(op);
    module.demand(i, i.operands.len() == 2 + count, "the number of operands is another")?;
    let result = module.shape(i.ty);
    let is_float = result.is_some_and(|r| r.is_float());
    let is_int = result.is_some_and(|r| r.is_int());
    match op {
        _ if is_plain_float(op) => {
            module.demand(i, is_float, "the result is no float")?;
            let is_wide = result.is_some_and(|r| r.bits() == 64);
            module.demand(i, !(is_wide && is_narrow(op)), "the result has 64 bits")?;
            let is_space = op != G::Cross || result.is_some_and(|r| r.count == 3);
            module.demand(i, is_space, "the result has not three components")?;
            (2..2 + count).try_for_each(|index| {
                module.demand(
                    i,
                    module.operand_type(i, index)? == i.ty,
                    "an operand has not the result's type",
                )
            })
        }
        _ if is_plain_int(op) => {
            module.demand(i, is_int, "the result is no integer")?;
            let is_word = result.is_some_and(|r| r.bits() == 32);
            let needs_word = matches!(op, G::FindSMsb | G::FindUMsb);
            module.demand(i, is_word || !needs_word, "the result has not 32 bits")?;
            (2..2 + count).try_for_each(|index| {
                let own = module.operand_shape(i, index)?;
                let is_like =
                    result.is_some_and(|r| own.count == r.count && own.bits() == r.bits());
                module.demand(i, own.is_int() && is_like, "an operand has not the result's type")
            })
        }
        G::Length | G::Distance => {
            let own = module.operand_shape(i, 2)?;
            let fits = is_float && result.is_some_and(|r| r.count == 1 && r.scalar == own.scalar);
            module.demand(i, fits, "the result is no float of the operand")?;
            let is_other =
                op == G::Distance && module.operand_type(i, 3)? != module.operand_type(i, 2)?;
            module.demand(i, !is_other, "the points have other types")
        }
        G::Ldexp => {
            let exponent = module.operand_shape(i, 3)?;
            let fits = is_float
                && module.operand_type(i, 2)? == i.ty
                && exponent.is_int()
                && result.is_some_and(|r| r.count == exponent.count);
            module.demand(i, fits, "types of operands and result do not fit")
        }
        G::Modf | G::Frexp => {
            let (_, pointee) = module.operand_pointer(i, 3)?;
            let second = module.shape(pointee);
            let fits = is_float
                && module.operand_type(i, 2)? == i.ty
                && match op {
                    G::Modf => pointee == i.ty,
                    _ => second.zip(result).is_some_and(|(s, r)| is_exponent(module, s, r.count)),
                };
            module.demand(i, fits, "types of operands and result do not fit")
        }
        G::ModfStruct | G::FrexpStruct => two_results(module, i, op),
        G::PackSnorm4x8 | G::PackUnorm4x8 => packing(module, i, 4),
        G::PackSnorm2x16 | G::PackUnorm2x16 | G::PackHalf2x16 => packing(module, i, 2),
        G::UnpackSnorm4x8 | G::UnpackUnorm4x8 => unpacking(module, i, 4),
        G::UnpackSnorm2x16 | G::UnpackUnorm2x16 | G::UnpackHalf2x16 => unpacking(module, i, 2),
        G::PackDouble2x32 | G::UnpackDouble2x32 => {
            let own = module.operand_shape(i, 2)?;
            let (words, double) =
                if op == G::PackDouble2x32 { (Some(own), result) } else { (result, Some(own)) };
            let is_pair = words.is_some_and(|w| w.is_int() && w.bits() == 32 && w.count == 2);
            let is_double = double.is_some_and(|d| d.is_float() && d.bits() == 64 && d.count == 1);
            module.demand(i, is_pair && is_double, "the types do not fit")
        }
        G::Refract => {
            let eta = module.operand_shape(i, 4)?;
            let is_same = module.operand_type(i, 2)? == i.ty && module.operand_type(i, 3)? == i.ty;
            let fits = is_float && is_same && eta.is_float() && eta.count == 1;
            module.demand(i, fits, "types of operands and result do not fit")
        }
        G::Determinant | G::MatrixInverse => {
            let ty = module.operand_type(i, 2)?;
            let Kind::Matrix { column, count } = module.kind(ty) else {
                return Err(module.error(i, "the operand is no matrix"));
            };
            let column = module.shape(column);
            let is_square = column.is_some_and(|c| c.count == count);
            let fits = match op {
                G::MatrixInverse => i.ty == ty,
                _ => column.is_some_and(|c| module.kind(i.ty) == c.scalar),
            };
            module.demand(i, is_square && fits, "the types do not fit")
        }
        G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset => {
            let (class, pointee) = module.operand_pointer(i, 2)?;
            let is_input = class == C::Input;
            module.demand(
                i,
                is_float && is_input && pointee == i.ty,
                "the interpolant is no input of the type",
            )?;
            let has = module.capabilities.contains(&Capability::InterpolationFunction);
            module.demand(i, has, "needs the capability InterpolationFunction")?;
            if op == G::InterpolateAtCentroid {
                return Ok(());
            }
            let second = module.operand_shape(i, 3)?;
            let fits = match op {
                G::InterpolateAtSample => second.is_int() && second.count == 1,
                _ => second.is_float() && second.count == 2,
            };
            module.demand(i, fits && second.bits() == 32, "the place has another type")
        }
        _ => Ok(()),
    }
}

/// A structure of the operand's type and of one more: the same, or exponents of its count.
fn two_results(module: &Module, i: &Instruction, op: G) -> Result<(), Error> {
    let own = module.operand_type(i, 2)?;
    let shape = module.operand_shape(i, 2)?;
    let members: Vec<u32> = match module.kind(i.ty) {
        Kind::Struct => module.get(i.ty).map_or(Vec::new(), |ty| ty.ids_from(0).collect()),
        _ => Vec::new(),
    };
    let fits = match *members.as_slice() {
        [first, second] if op == G::ModfStruct => first == own && second == own,
        [first, second] => {
            first == own
                && module.shape(second).is_some_and(|s| is_exponent(module, s, shape.count))
        }
        _ => false,
    };
    module.demand(i, shape.is_float() && fits, "types of operands and result do not fit")
}

/// True for exponents that `Frexp` finds: integers of 32 bits, or of 16 by
/// SPV_AMD_gpu_shader_int16.
fn is_exponent(module: &Module, shape: NumericShape, count: u32) -> bool {
    let may_be_short = || module.extensions().any(|name| name == "SPV_AMD_gpu_shader_int16");
    let has_size = shape.bits() == 32 || shape.bits() == 16 && may_be_short();
    shape.is_int() && shape.count == count && has_size
}

fn packing(module: &Module, i: &Instruction, count: u32) -> Result<(), Error> {
    let own = module.operand_shape(i, 2)?;
    let is_word = module.shape(i.ty).is_some_and(|r| r.is_int() && r.count == 1 && r.bits() == 32);
    let fits = own.is_float() && own.count == count && own.bits() == 32;
    module.demand(i, is_word && fits, "the types do not fit")
}

fn unpacking(module: &Module, i: &Instruction, count: u32) -> Result<(), Error> {
    let own = module.operand_shape(i, 2)?;
    let is_word = own.is_int() && own.count == 1 && own.bits() == 32;
    let fits =
        module.shape(i.ty).is_some_and(|r| r.is_float() && r.count == count && r.bits() == 32);
    module.demand(i, is_word && fits, "the types do not fit")
}

/// The number of operands of an instruction.
fn operands(op: G) -> usize {
    use rspirv::grammar::GLSL_STD_450_INSTRUCTION_TABLE as TABLE;
    TABLE.lookup_opcode(op as u32).map_or(0, |row| row.operands.len())
}

fn is_plain_float(op: G) -> bool {
    is_narrow(op)
        || matches!(
            op,
            G::Round
                | G::RoundEven
                | G::Trunc
                | G::FAbs
                | G::FSign
                | G::Floor
                | G::Ceil
                | G::Fract
                | G::Sqrt
                | G::InverseSqrt
                | G::FMin
                | G::FMax
                | G::FClamp
                | G::FMix
                | G::Step
                | G::SmoothStep
                | G::Fma
                | G::Cross
                | G::Normalize
                | G::FaceForward
                | G::Reflect
                | G::NMin
                | G::NMax
                | G::NClamp
        )
}

/// Functions of floats that have 64 bits nowhere.
fn is_narrow(op: G) -> bool {
    matches!(
        op,
        G::Radians
            | G::Degrees
            | G::Sin
            | G::Cos
            | G::Tan
            | G::Asin
            | G::Acos
            | G::Atan
            | G::Sinh
            | G::Cosh
            | G::Tanh
            | G::Asinh
            | G::Acosh
            | G::Atanh
            | G::Atan2
            | G::Pow
            | G::Exp
            | G::Log
            | G::Exp2
            | G::Log2
    )
}

fn is_plain_int(op: G) -> bool {
    matches!(
        op,
        G::SAbs
            | G::SSign
            | G::UMin
            | G::SMin
            | G::UMax
            | G::SMax
            | G::UClamp
            | G::SClamp
            | G::FindILsb
            | G::FindSMsb
            | G::FindUMsb
    )
}
