//! Translation of an entry point to a typed shader.
//!
//! Results of instructions are locals that are assigned at the instruction, or, if used
//! once in the same block and free of effects, expressions at their use. Pointers are places:
//! a variable and the steps of access chains. `OpPhi` is a local that the blocks before assign at
//! their ends. Structured control flow becomes statements (`structure`).

mod arithmetic;
mod atomic;
mod builder;
mod call;
mod comparison;
mod composite;
mod constant;
mod conversion;
mod extended;
mod function;
mod images;
mod instruction;
mod interface;
mod layout;
mod memory;
mod modes;
mod names;
mod operation;
mod place;
mod pointers;
mod product;
mod state;
mod structure;
mod subgroups;
mod types;
mod variable;
mod ways;

use program::{Shader, TypeTable};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

use crate::entry::{Api, EntryPoint, Specialization};
use crate::error::Error;
use crate::module::Module;
use state::ShaderBuilder;

/// The entry points of stages that a typed shader has.
pub(crate) fn entry_points(module: &Module) -> Vec<EntryPoint<'_>> {
    let globals = module.globals();
    let points = globals.iter().filter(|i| i.op == Op::EntryPoint);
    let point = |i: &'_ crate::module::Instruction| i.literal_at(0).and_then(interface::stage_of);
    points.filter_map(|i| Some(EntryPoint { stage: point(i)?, name: i.text_at(2)? })).collect()
}

/// True if a module has what Vulkan alone has.
pub(crate) fn is_for_vulkan(module: &Module) -> bool {
    let globals = module.globals();
    globals.iter().any(|i| match i.op {
        Op::TypeSampler => true,
        Op::Variable => i.literal_at(0) == Some(StorageClass::PushConstant as u32),
        Op::Decorate => match i.literal_at(1).and_then(Decoration::from_u32) {
            Some(Decoration::DescriptorSet) => i.literal_at(2) != Some(0),
            Some(Decoration::BuiltIn) => {
                let of_vulkan = [BuiltIn::VertexIndex, BuiltIn::InstanceIndex];
                of_vulkan.into_iter().any(|builtin| i.literal_at(2) == Some(builtin as u32))
            }
            _ => false,
        },
        _ => false,
    })
}

/// Translates an entry point.
pub(crate) fn translate(
    module: &Module,
    api: Api,
    entry: EntryPoint<'_>,
    specializations: &[Specialization],
    types: &mut TypeTable,
) -> Result<Shader, Error> {
    let mut builder = ShaderBuilder::new(module, api, entry.stage, types);
    builder.specialize(specializations)?;
    builder.compute_constants();
    let function = builder.find_entry(entry)?;
    builder.entry = function;
    builder.modes(function)?;
    builder.variables(function)?;
    let entry = builder.functions(function)?;
    builder.shader.entry = Some(entry);
    Ok(builder.shader)
}
