//! Cases of switches that fall through (SPIR-V 1.6 section 2.11.2): to one other case, which
//! follows in the list of the switch.

use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dominance::Dominance;
use crate::error::Error;
use crate::module::{Function, Instruction, Module};

/// A switch with its merge block.
struct Switch<'m> {
    instruction: &'m Instruction,
    merge: u32,
}

pub(crate) fn check(module: &Module, function: &Function, order: &Dominance) -> Result<(), Error> {
    let (mut targets, mut switches) = (FxHashMap::default(), Vec::new());
    for block in &function.blocks {
        let instructions = &module.instructions[block.body.clone()];
        let Some(last) = instructions.last() else { continue };
        targets.insert(block.label, last.targets());
        let merge = instructions.iter().rev().nth(1).filter(|i| i.op == Op::SelectionMerge);
        if let (Op::Switch, Some(merge)) = (last.op, merge.and_then(|i| i.id_at(0))) {
            switches.push(Switch { instruction: last, merge });
        }
    }
    switches.iter().try_for_each(|switch| switch.check(module, &targets, order))
}

impl Switch<'_> {
    fn check(
        &self,
        module: &Module,
        targets: &FxHashMap<u32, Vec<u32>>,
        order: &Dominance,
    ) -> Result<(), Error> {
        let list: Vec<u32> = self.instruction.ids_from(1).collect();
        let Some((&default, cases)) = list.split_first() else { return Ok(()) };
        let all: FxHashSet<u32> = list.iter().copied().filter(|&c| c != self.merge).collect();
        let wrong = |reason: String| Err(module.error(self.instruction, reason));
        let mut next: FxHashMap<u32, u32> = FxHashMap::default();
        let (mut seen, mut entered) = (FxHashSet::default(), FxHashSet::default());
        for &case in list.iter().filter(|&&case| all.contains(&case) && seen.insert(case)) {
            let reached = self.next_cases(case, &all, targets, order);
            if reached.len() > 1 {
                return wrong(format!("{} falls through to several cases", module.name(case)));
            }
            let Some(&other) = reached.first() else { continue };
            if !entered.insert(other) {
                return wrong(format!("several cases fall through to {}", module.name(other)));
            }
            next.insert(case, other);
        }
        let is_case_too = cases.contains(&default);
        for (at, case) in cases.iter().enumerate() {
            let Some(&to) = next.get(case) else { continue };
            // The default block is at no place of the list, but may be on the way.
            let is_between = to == default && !is_case_too;
            let after = if is_between { next.get(&default).copied() } else { Some(to) };
            let follows = cases[at..].iter().find(|other| *other != case);
            if after.is_some_and(|after| follows != Some(&after)) {
                let (case, to) = (module.name(*case), module.name(to));
                return wrong(format!("{case} falls through to {to}, which does not follow it"));
            }
        }
        Ok(())
    }

    /// The other cases to which the blocks of a case branch.
    fn next_cases(
        &self,
        case: u32,
        all: &FxHashSet<u32>,
        targets: &FxHashMap<u32, Vec<u32>>,
        order: &Dominance,
    ) -> Vec<u32> {
        let (mut seen, mut open) = (FxHashSet::default(), vec![case]);
        let mut reached = Vec::new();
        while let Some(label) = open.pop() {
            if label == self.merge || !seen.insert(label) {
                continue;
            }
            let is_inside =
                order.is_reached(case) && order.is_reached(label) && order.dominates(case, label);
            if is_inside {
                open.extend(targets.get(&label).into_iter().flatten());
            } else if label != case && all.contains(&label) {
                reached.push(label);
            }
        }
        reached
    }
}
