//! Results and where they may be named: kinds of ids, and definitions before uses.

use rspirv::spirv::Op;

use super::view::{is_decoration, is_type};
use crate::error::Error;
use crate::module::{Instruction, Module, Operand};

/// True for names and decorations of results.
fn is_annotation(op: Op) -> bool {
    is_decoration(op) || matches!(op, Op::Name | Op::MemberName)
}

/// True for instructions that name results before these are defined.
fn looks_ahead(op: Op) -> bool {
    is_annotation(op)
        || matches!(
            op,
            Op::EntryPoint
                | Op::ExecutionMode
                | Op::ExecutionModeId
                | Op::TypeForwardPointer
                | Op::TypeStruct
        )
}

/// True for operands of instructions that are labels or functions, which may be defined later.
fn may_be_later(i: &Instruction, definition: &Instruction) -> bool {
    match definition.op {
        Op::Label => true,
        Op::DecorationGroup => !matches!(i.op, Op::GroupDecorate | Op::GroupMemberDecorate),
        Op::Function => i.op == Op::FunctionCall || looks_ahead(i.op),
        _ => i.op == Op::Phi || looks_ahead(i.op),
    }
}

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    for (index, i) in module.instructions.iter().enumerate() {
        if i.ty != 0 {
            result_type(module, index, i)?;
        }
        for operand in &i.operands {
            let Operand::Id(id) = *operand else { continue };
            let Some(at) = module.index_of(id) else {
                return Err(module.error(i, format!("{} has no definition", module.name(id))));
            };
            let definition = &module.instructions[at];
            if at >= index && !may_be_later(i, definition) {
                return Err(module.error(i, format!("{} is defined later", module.name(id))));
            }
            use_of(module, i, definition)?;
        }
    }
    Ok(())
}

fn result_type(module: &Module, index: usize, i: &Instruction) -> Result<(), Error> {
    match module.index_of(i.ty) {
        Some(at) if at < index && is_type(module.instructions[at].op) => Ok(()),
        _ => Err(module.error(i, format!("{} is no type", module.name(i.ty)))),
    }
}

/// Labels, types, functions and strings are named by the instructions that take them alone.
fn use_of(module: &Module, i: &Instruction, definition: &Instruction) -> Result<(), Error> {
    let is_of_values = matches!(i.op, Op::DecorateId | Op::DecorateString);
    let is_function = definition.op == Op::Function;
    let takes_any = is_annotation(i.op) && !(is_of_values && is_function) || i.op == Op::ExtInst;
    let is_group = matches!(i.op, Op::GroupDecorate | Op::GroupMemberDecorate)
        && i.id_at(0) == Some(definition.id);
    let fits = match definition.op {
        op if is_group => op == Op::DecorationGroup,
        op if i.op == Op::Line => op == Op::String,
        Op::Label => matches!(
            i.op,
            Op::Branch
                | Op::BranchConditional
                | Op::Switch
                | Op::Phi
                | Op::SelectionMerge
                | Op::LoopMerge
        ),
        Op::Function => matches!(
            i.op,
            Op::FunctionCall | Op::EntryPoint | Op::ExecutionMode | Op::ExecutionModeId
        ),
        Op::String => matches!(i.op, Op::Line | Op::Source),
        Op::ExtInstImport => i.op == Op::ExtInst,
        Op::DecorationGroup => {
            matches!(i.op, Op::GroupDecorate | Op::GroupMemberDecorate | Op::Decorate)
        }
        Op::TypeFunction => i.op == Op::Function,
        op if is_type(op) => is_type(i.op) || matches!(i.op, Op::Function | Op::TypeForwardPointer),
        _ => !matches!(i.op, Op::TypeVector | Op::TypeMatrix | Op::TypeStruct | Op::TypePointer),
    };
    if fits || takes_any && !is_group {
        return Ok(());
    }
    Err(module.error(i, format!("{} cannot be named here", module.name(definition.id))))
}
