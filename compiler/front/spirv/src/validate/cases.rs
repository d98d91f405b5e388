//! Cases of switches (SPIR-V 1.6 section 2.11.2): the switch dominates them, and they fall through
//! to one other case, which follows in the list of the switch. `order` is structural dominance.

use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dominance::Dominance;
use crate::error::Error;
use crate::module::{Function, Instruction, Module};

/// A switch with its merge block.
struct Switch<'m> {
    instruction: &'m Instruction,
    merge: u32,
    cases: FxHashSet<u32>,
    /// The other cases to which the blocks of a case branch.
    next: FxHashMap<u32, u32>,
}

pub(crate) fn check(module: &Module, function: &Function, order: &Dominance) -> Result<(), Error> {
    let mut switches: FxHashMap<u32, Switch<'_>> = FxHashMap::default();
    let bodies = || {
        let reached = function.blocks.iter().filter(|block| order.is_reached(block.label));
        reached.map(|block| (block.label, &module.instructions[block.body.clone()]))
    };
    for (label, body) in bodies() {
        let [.., before, instruction] = body else { continue };
        if instruction.op == Op::Switch && before.op == Op::SelectionMerge {
            let merge = before.id_at(0).unwrap_or(0);
            let cases: FxHashSet<u32> = instruction.ids_from(1).filter(|&c| c != merge).collect();
            let is_around = cases.iter().all(|&case| order.dominates(label, case));
            module.demand(instruction, is_around, "the switch does not dominate a case")?;
            let next = FxHashMap::default();
            switches.insert(label, Switch { instruction, merge, cases, next });
        }
    }
    if switches.is_empty() {
        return Ok(());
    }
    for (label, body) in bodies() {
        for target in body.last().map_or(Vec::new(), Instruction::targets) {
            // A case begins below its switch; other ways to it come from other cases.
            let Some(header) = order.parent(target).filter(|&header| header != label) else {
                continue;
            };
            if let Some(switch) = switches.get_mut(&header)
                && let Some(case) = order.child_towards(header, label)
            {
                switch.branch(module, case, target)?;
            }
        }
    }
    let mut in_order = bodies().filter_map(|(label, _)| switches.get(&label));
    in_order.try_for_each(|switch| switch.check(module))
}

impl Switch<'_> {
    /// Notes a branch from a case to a block that the switch dominates immediately.
    fn branch(&mut self, module: &Module, case: u32, target: u32) -> Result<(), Error> {
        if target == self.merge || target == case || !self.cases.contains(&case) {
            return Ok(());
        }
        let wrong = |reason: String| Err(module.error(self.instruction, reason));
        if !self.cases.contains(&target) {
            let (case, target) = (module.name(case), module.name(target));
            return wrong(format!("{case} leads to {target}, which is no case"));
        }
        match self.next.insert(case, target) {
            Some(other) if other != target => {
                wrong(format!("{} falls through to several cases", module.name(case)))
            }
            _ => Ok(()),
        }
    }

    fn check(&self, module: &Module) -> Result<(), Error> {
        let list: Vec<u32> = self.instruction.ids_from(1).collect();
        let Some((&default, cases)) = list.split_first() else { return Ok(()) };
        let wrong = |reason: String| Err(module.error(self.instruction, reason));
        let mut entered = FxHashSet::default();
        let mut seen = FxHashSet::default();
        for other in list.iter().filter(|&&c| seen.insert(c)).filter_map(|c| self.next.get(c)) {
            if !entered.insert(*other) {
                return wrong(format!("several cases fall through to {}", module.name(*other)));
            }
        }
        let is_case_too = cases.contains(&default);
        // The first other case behind each place of the list.
        let mut follows: Vec<Option<u32>> = vec![None; cases.len()];
        for at in (1..cases.len()).rev() {
            let is_same = cases[at] == cases[at - 1];
            follows[at - 1] = if is_same { follows[at] } else { Some(cases[at]) };
        }
        for (case, follows) in cases.iter().zip(follows) {
            let Some(&to) = self.next.get(case) else { continue };
            // The default block is at no place of the list, but may be on the way.
            let is_between = to == default && !is_case_too;
            let after = if is_between { self.next.get(&default).copied() } else { Some(to) };
            if after.is_some_and(|after| follows != Some(after)) {
                let (case, to) = (module.name(*case), module.name(to));
                return wrong(format!("{case} falls through to {to}, which does not follow it"));
            }
        }
        Ok(())
    }
}
