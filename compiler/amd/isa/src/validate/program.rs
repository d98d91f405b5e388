//! A program under validation.

use super::facts::{ProgramFacts, Violation};
use super::flow::Flow;
use crate::chip::Chip;
use crate::encoding::Located;

/// A program with what the rules want to know about it.
pub(super) struct Program<'a> {
    pub chip: Chip,
    pub facts: &'a ProgramFacts,
    pub instructions: &'a [Located],
    pub flow: Flow,
}

impl Program<'_> {
    pub(super) fn violation(&self, index: usize, rule: &'static str, message: String) -> Violation {
        let offset = self.instructions.get(index).map_or(0, |located| located.offset * 4);
        Violation { offset, rule, message }
    }
}
