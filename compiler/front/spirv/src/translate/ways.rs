//! Ways of pointers: the places that they may be to.

use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

use crate::module::Instruction;

/// Most ways of a type of pointers.
pub(crate) const MOST_WAYS: usize = 64;

/// A variable and the steps to a part of it: members, and `None` for indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) variable: u32,
    pub(crate) steps: Vec<Option<u32>>,
}

/// The ways of pointers.
#[derive(Default)]
pub(crate) struct Ways {
    /// Of instructions whose operands tell them.
    of_result: FxHashMap<u32, Vec<Way>>,
    /// Of all pointers of a type.
    pub(crate) of_type: FxHashMap<u32, Vec<Way>>,
}

impl Ways {
    /// The ways of an operand.
    pub(crate) fn of(&self, definition: &Instruction) -> Vec<Way> {
        let known = match is_told(definition.op) {
            true => self.of_result.get(&definition.id),
            false => self.of_type.get(&definition.ty),
        };
        known.cloned().unwrap_or_default()
    }

    /// Adds a way of a result, of which there is one more than can be at most; returns true if it
    /// is new.
    pub(crate) fn note(&mut self, i: &Instruction, way: &Way) -> bool {
        let mut is_new = false;
        for known in [self.of_result.entry(i.id), self.of_type.entry(i.ty)] {
            let known = known.or_default();
            if known.len() <= MOST_WAYS && !known.contains(way) {
                known.push(way.clone());
                is_new = true;
            }
        }
        is_new
    }
}

/// True for instructions whose operands tell the places that their result may be to.
fn is_told(op: Op) -> bool {
    matches!(
        op,
        Op::Variable
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::CopyObject
            | Op::Select
            | Op::Phi
    )
}
