//! Rules about one instruction.

use super::context::{Context, Rule};
use super::{
    accumulators, bits, branches, conversions, fp64, general, half, instructions, math, messages,
    regions, sends, spans, three_source,
};
use crate::devinfo::DevInfo;
use crate::inst::Inst;

/// The rules of one file.
pub(super) struct RuleSet {
    pub rules: &'static [Rule],
    /// Returns whether an instruction can break any of them: most rule sets concern few
    /// instructions.
    pub concern: fn(&Context) -> bool,
}

const fn of_all(rules: &'static [Rule]) -> RuleSet {
    RuleSet { rules, concern: |_| true }
}

const fn of_some(rules: &'static [Rule], concern: fn(&Context) -> bool) -> RuleSet {
    RuleSet { rules, concern }
}

/// All rules about one instruction, by file.
pub(super) static RULES: &[RuleSet] = &[
    of_all(general::RULES),
    of_all(instructions::RULES),
    of_all(bits::RULES),
    of_some(branches::RULES, branches::concern),
    of_some(math::RULES, math::concern),
    of_all(accumulators::RULES),
    of_some(regions::RULES, |c| c.is_align1()),
    of_some(spans::RULES, spans::concern),
    of_all(conversions::RULES),
    of_some(half::RULES, half::concern),
    of_all(fp64::RULES),
    of_some(three_source::RULES, three_source::concern),
    of_some(sends::RULES, sends::concern),
    of_some(messages::RULES, messages::concern),
];

/// Validates one instruction; returns names and messages of the broken rules.
pub fn validate_inst(devinfo: &DevInfo, inst: &Inst) -> Vec<(&'static str, &'static str)> {
    let context = Context::new(devinfo, inst);
    RULES
        .iter()
        .filter(|set| (set.concern)(&context))
        .flat_map(|set| set.rules)
        .filter(|rule| (rule.broken)(&context))
        .map(|rule| (rule.name, rule.message))
        .collect()
}
