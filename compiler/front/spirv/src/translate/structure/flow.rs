//! Constructs around a block, and jumps out of them.

use program::{LocalId, Scalar, Statement};
use rustc_hash::FxHashMap;

use crate::dominance::Dominance;

/// Kind of a construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConstructKind {
    Selection,
    Switch,
    Loop,
}

/// A construct that is being translated.
#[derive(Clone, Debug)]
pub(crate) struct Construct {
    pub(crate) kind: ConstructKind,
    pub(crate) header: u32,
    pub(crate) merge: u32,
    /// Of a loop.
    pub(crate) continue_target: Option<u32>,
    /// Targets of jumps that leave outer constructs, too, each with the flag that tells that it was
    /// taken.
    pub(crate) escapes: Vec<(u32, LocalId)>,
}

impl Construct {
    /// A construct from which no jump has been translated.
    pub(crate) fn new(kind: ConstructKind, header: u32, merge: u32) -> Construct {
        Construct { kind, header, merge, continue_target: None, escapes: Vec::new() }
    }

    /// True if `break` leaves it.
    pub(crate) fn is_breakable(&self) -> bool {
        self.kind != ConstructKind::Selection
    }
}

/// Position in a function: blocks by label, and the constructs around.
pub(crate) struct Position<'f> {
    pub(crate) blocks: FxHashMap<u32, &'f crate::module::LabeledBlock>,
    pub(crate) order: Dominance,
    pub(crate) constructs: Vec<Construct>,
    /// Arms inside each other.
    pub(crate) depth: usize,
    /// Blocks that have been translated.
    pub(crate) done: rustc_hash::FxHashSet<u32>,
}

/// A way to a target.
pub(crate) enum Way {
    /// Control gets there by itself.
    Falls,
    Break,
    Continue,
    /// A flag is set, and the innermost construct that `break` leaves is left.
    Escape(usize),
    /// It is no target of a structured jump.
    None,
}

impl Position<'_> {
    /// The way from here to a block; `follow` is the one that control reaches by itself.
    pub(crate) fn way(&self, target: u32, follow: Option<u32>) -> Way {
        if follow == Some(target) {
            return Way::Falls;
        }
        let innermost = self.constructs.iter().rposition(|c| c.is_breakable());
        for (index, construct) in self.constructs.iter().enumerate().rev() {
            if construct.merge == target {
                return match innermost {
                    // Only its last block leaves a selection for its merge block.
                    _ if !construct.is_breakable() => Way::None,
                    Some(innermost) if innermost == index => Way::Break,
                    Some(innermost) => Way::Escape(innermost),
                    None => Way::None,
                };
            }
            if construct.continue_target == Some(target)
                || construct.kind == ConstructKind::Loop && construct.header == target
            {
                let is_loop = |c: &Construct| c.kind == ConstructKind::Loop;
                return match (self.constructs.iter().rposition(is_loop), innermost) {
                    (Some(inner), _) if inner == index => Way::Continue,
                    (_, Some(innermost)) => Way::Escape(innermost),
                    _ => Way::None,
                };
            }
        }
        Way::None
    }

    /// The block in which the ways of the selection of a header meet: the merge block, or one that
    /// both ways have in common before it.
    pub(crate) fn meeting(&self, header: u32, merge: u32, follow: Option<u32>) -> u32 {
        let has_ways = |label: u32| {
            let is_way = |before| before != header && !self.order.dominates(label, before);
            self.order.before(label).any(is_way)
        };
        let is_inside = |label: &u32| *label != merge && !self.is_exit(*label, follow);
        let mut blocks = self.order.children(header).filter(is_inside);
        blocks.find(|&label| has_ways(label)).unwrap_or(merge)
    }

    /// True if a block is outside of the constructs around, or where control goes on.
    pub(crate) fn is_exit(&self, target: u32, follow: Option<u32>) -> bool {
        !matches!(self.way(target, follow), Way::None)
    }
}

impl crate::translate::state::ShaderBuilder<'_> {
    /// Appends the jump to a block; values of its `OpPhi`s are assigned already.
    pub(crate) fn jump(
        &mut self,
        target: u32,
        follow: Option<u32>,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> bool {
        match position.way(target, follow) {
            Way::Falls => {}
            Way::Break => out.push(Statement::Break),
            Way::Continue => out.push(Statement::Continue),
            Way::Escape(innermost) => {
                let flag = self.escape(&mut position.constructs[innermost], target);
                let (place, value) = (self.local(flag), self.bool(true));
                let assign = self.assign(place, value);
                out.extend([Statement::Expression(assign), Statement::Break]);
            }
            Way::None => return false,
        }
        true
    }

    fn escape(&mut self, construct: &mut Construct, target: u32) -> LocalId {
        let known = construct.escapes.iter().find(|(to, _)| *to == target);
        if let Some(&(_, flag)) = known {
            return flag;
        }
        let bool = self.types.scalar(Scalar::Bool);
        let flag = self.new_local("leaves", bool);
        construct.escapes.push((target, flag));
        flag
    }

    /// Appends a construct's statement with what follows the jumps that leave outer constructs.
    pub(crate) fn close(
        &mut self,
        construct: Construct,
        statement: Statement,
        follow: Option<u32>,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) {
        for &(_, local) in &construct.escapes {
            let value = Some(self.bool(false));
            out.push(Statement::Declare { local, value });
        }
        out.push(statement);
        for (target, flag) in construct.escapes {
            let mut then = Vec::new();
            self.jump(target, follow, position, &mut then);
            let condition = self.local(flag);
            out.push(Statement::If { condition, then, otherwise: Vec::new() });
        }
    }
}
