//! Resolved instructions as the translator to the host's code takes them.

use intel_isa::{CondMod, Opcode};
use native::Order;

use super::call::{LaneSource, Place};
use super::instruction::{Predicate, Quick};
use crate::op::Op;

impl LaneSource {
    fn native(self) -> native::StepSource {
        let place = match self.place {
            Place::Row(offset) => native::Place::Row(offset),
            Place::Element(offset) => native::Place::Element(offset),
            Place::Constant(dword) => native::Place::Constant(dword),
        };
        native::StepSource { place, keep: self.keep, flip: self.flip, add: self.add }
    }
}

impl Quick {
    /// The instruction as the translator takes it; `None` if it has no translation.
    pub(crate) fn native(&self, op: &Op) -> Option<native::Step> {
        let condition = self.operands.condition.map(|condition| native::Condition {
            order: order(condition.cond),
            flag: Some(condition.flag & 1),
            base: condition.base,
        });
        let order = native::Condition { order: order(op.cond), flag: None, base: 0 };
        let compares = op.opcode == Opcode::Cmp;
        let step = native::Step {
            operation: self.operation,
            sources: self.operands.sources.map(LaneSource::native),
            destination: self.operands.destination,
            lanes: op.shape.channels,
            enables: self.channels,
            group: self.group,
            predicate: self.predicate.map(Predicate::native),
            condition: condition.or(compares.then_some(order)),
            saturate: self.operands.saturate,
        };
        step.is_known().then_some(step)
    }
}

fn order(cond: Option<CondMod>) -> Order {
    match cond {
        Some(CondMod::Z) => Order::Equal,
        Some(CondMod::Nz) => Order::NotEqual,
        Some(CondMod::G) => Order::Greater,
        Some(CondMod::Ge) => Order::GreaterEqual,
        Some(CondMod::L) => Order::Less,
        Some(CondMod::Le) => Order::LessEqual,
        Some(CondMod::U) => Order::Unordered,
        None | Some(CondMod::O) => Order::Never,
    }
}
