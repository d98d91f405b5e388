//! Checks that instructions obey the hardware's restrictions.
//!
//! Each rule is a small named function beside the fact it enforces, listed in the table of its
//! file. The facts are those of the PRMs' "Register Region Restrictions" and instruction pages as
//! quoted in Mesa's `brw_eu_validate.c`, and of Mesa's code generators as stated at the rules.
//!
//! A rule sees one instruction at a time; [`validate_program`] adds the rules about the program as
//! a whole.

mod accumulators;
mod bits;
mod branches;
mod context;
mod conversions;
mod fp64;
mod general;
mod half;
mod instructions;
mod jumps;
mod math;
mod messages;
mod operand_spans;
mod program;
mod regions;
mod rule_sets;
mod sends;
mod spans;
mod three_source;

#[cfg(test)]
mod tests;

pub use program::{ProgramValidator, Violation, validate_program};
pub use rule_sets::validate_inst;

/// Names of all rules, in the order they are checked.
pub fn rule_names() -> impl Iterator<Item = &'static str> {
    rule_sets::RULES.iter().flat_map(|set| set.rules).map(|rule| rule.name).chain(jumps::NAMES)
}
