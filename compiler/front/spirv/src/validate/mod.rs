//! Rules of the specification (SPIR-V 1.6 chapter 2), a function or table row each.
//!
//! The order of work: the sequence of a module's sections, capabilities, types and constants,
//! where results may be used, then each instruction of each function by its class.

mod blocks;
mod built_ins;
mod calls;
mod capabilities;
mod cases;
mod composites;
mod constants;
mod constructs;
mod decorations;
mod definitions;
mod groups;
mod ids;
mod images;
mod interface;
mod memory;
mod models;
mod sections;
mod signatures;
mod small_types;
mod structure;
mod type_rules;
mod versions;
mod view;

pub(crate) use sections::is_before_types;

use versions::Versions;

use crate::dominance::Dominance;
use crate::error::Error;
use crate::module::Module;

/// Checks all rules. `least` is the version of SPIR-V 1 that the module may count as having.
///
/// # Errors
/// The first instruction that breaks a rule.
pub(crate) fn check(module: &Module, least: u32) -> Result<(), Error> {
    sections::check(module)?;
    ids::check(module)?;
    capabilities::check(module, &Versions::new(module, least))?;
    type_rules::check(module)?;
    constants::check(module)?;
    decorations::check(module)?;
    interface::check(module)?;
    small_types::check(module)?;
    for function in &module.functions {
        calls::check_function(module, function)?;
        blocks::check(module, function)?;
        let order = Dominance::new(module, function);
        definitions::check(module, function, &order)?;
        let order = Dominance::structural(module, function);
        structure::check(module, function, &order)?;
        cases::check(module, function, &order)?;
        for block in &function.blocks {
            for instruction in &module.instructions[block.body.clone()] {
                signatures::check(module, instruction)?;
                composites::check(module, instruction)?;
                memory::check(module, instruction)?;
                images::check(module, instruction)?;
                groups::check(module, instruction)?;
                calls::check(module, function, instruction)?;
            }
        }
    }
    models::check(module)
}
