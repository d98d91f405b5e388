//! Sequence of a module's sections (SPIR-V 1.6 section 2.4).

use rspirv::spirv::Op;

use super::view::{is_constant, is_decoration, is_type};
use crate::error::Error;
use crate::module::{Function, Instruction, Module};

/// The section of types, constants and variables.
const TYPES: u32 = 10;

/// The section of an instruction outside of functions; `None` for one that belongs in a function.
fn section(op: Op) -> Option<u32> {
    Some(match op {
        Op::Capability => 0,
        Op::Extension => 1,
        Op::ExtInstImport => 2,
        Op::MemoryModel => 3,
        Op::EntryPoint => 4,
        Op::ExecutionMode | Op::ExecutionModeId => 5,
        Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => 6,
        Op::Name | Op::MemberName => 7,
        Op::ModuleProcessed => 8,
        Op::DecorationGroup => 9,
        op if is_decoration(op) => 9,
        Op::Undef | Op::Variable | Op::TypeForwardPointer => TYPES,
        op if is_type(op) || is_constant(op) => TYPES,
        _ => return None,
    })
}

/// True for the instructions of the sections before types and variables.
pub(crate) fn is_before_types(op: Op) -> bool {
    section(op).is_some_and(|section| section < TYPES)
}

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let globals = module.globals();
    let mut last = 0;
    for i in globals {
        if i.op == Op::Nop || is_debug_info(module, i, last) {
            continue;
        }
        if matches!(i.op, Op::Line | Op::NoLine) {
            // Places in the source are those of types and what follows them.
            last = TYPES;
            continue;
        }
        let Some(section) = section(i.op) else {
            return Err(module.error(i, "not supported outside of a function"));
        };
        module.demand(i, section >= last, "after a later section")?;
        last = section;
    }
    one_memory_model(module)?;
    let is_declaration = |function: &&Function| function.blocks.is_empty();
    let behind = module.functions.iter().skip_while(is_declaration).find(is_declaration);
    if let Some(function) = behind {
        let definition = &module.instructions[function.definition];
        return Err(module.error(definition, "a declaration behind definitions"));
    }
    for i in &module.instructions[module.first_function..] {
        let is_local = i.op == Op::Variable || i.op == Op::Undef || section(i.op).is_none();
        module.demand(i, is_local, "inside of a function")?;
    }
    Ok(())
}

/// True for instructions of sets without meaning among types and constants.
fn is_debug_info(module: &Module, i: &Instruction, last: u32) -> bool {
    let set = module.set_of(i);
    i.op == Op::ExtInst && last == TYPES && set.is_some_and(|name| name != "GLSL.std.450")
}

fn one_memory_model(module: &Module) -> Result<(), Error> {
    let mut models = module.instructions.iter().filter(|i| i.op == Op::MemoryModel);
    if models.next().is_none() {
        return Err(Error::new(0, "there is no OpMemoryModel"));
    }
    match models.next() {
        Some(second) => Err(module.error(second, "the module has one already")),
        None => Ok(()),
    }
}
