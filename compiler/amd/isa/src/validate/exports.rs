//! Rules of exports along the paths of a program.

use std::collections::HashSet;

use super::facts::{HardwareStage, Violation};
use super::flow::ends;
use super::program::Program;
use crate::operand::Operand;

pub(super) const RULES: &[&str] = &["ps-done", "vs-position", "vs-done"];

pub(super) fn check(program: &Program<'_>, violations: &mut Vec<Violation>) {
    match program.facts.stage {
        Some(HardwareStage::Ps) => fragment(program, violations),
        Some(HardwareStage::Vs) => vertex(program, violations),
        _ => {}
    }
}

/// Target of an export.
fn target(program: &Program<'_>, index: usize) -> Option<u8> {
    match program.instructions[index].instruction.operands[0] {
        Operand::Target(target) => Some(target),
        _ => None,
    }
}

/// The ends of the program that it can reach.
fn reachable_ends<'a>(program: &'a Program<'_>) -> impl Iterator<Item = usize> + 'a {
    (0..program.instructions.len()).filter(|index| {
        program.flow.reachable[*index] && ends(program.instructions[*index].instruction.opcode)
    })
}

/// The last exports with one of the targets on all paths to `end`; `None` among them for a path
/// without.
fn last_exports(
    program: &Program<'_>,
    end: usize,
    is_wanted: impl Fn(u8) -> bool,
) -> HashSet<Option<usize>> {
    let mut last = HashSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![end];
    while let Some(index) = open.pop() {
        if !seen.insert(index) {
            continue;
        }
        if index == 0 {
            last.insert(None);
        }
        for &before in &program.flow.predecessors[index] {
            if target(program, before).is_some_and(&is_wanted) {
                last.insert(Some(before));
            } else if program.flow.reachable[before] {
                open.push(before);
            }
        }
    }
    last
}

/// The last export of a fragment shader has DONE and VM, on every path; there is one.
fn fragment(program: &Program<'_>, violations: &mut Vec<Violation>) {
    for end in reachable_ends(program) {
        for last in last_exports(program, end, |_| true) {
            let message = match last {
                None => "a path has no export".to_string(),
                Some(index) => {
                    let modifiers = &program.instructions[index].instruction.modifiers;
                    if modifiers.done && modifiers.vm {
                        continue;
                    }
                    "the last export lacks done or vm".to_string()
                }
            };
            violations.push(program.violation(last.unwrap_or(end), "ps-done", message));
        }
    }
}

/// A vertex shader exports POS0 on every path and once; the last export of a position has DONE and
/// no other has it.
fn vertex(program: &Program<'_>, violations: &mut Vec<Violation>) {
    let is_position = |target: u8| (12..16).contains(&target);
    let mut last = HashSet::new();
    for end in reachable_ends(program) {
        for position in last_exports(program, end, |target| target == 12) {
            match position {
                None => {
                    let message = "a path has no export to pos0".to_string();
                    violations.push(program.violation(end, "vs-position", message));
                }
                Some(index) => {
                    let before = last_exports(program, index, |target| target == 12);
                    if before.iter().any(|other| other.is_some()) {
                        let message = "pos0 is exported twice".to_string();
                        violations.push(program.violation(index, "vs-position", message));
                    }
                }
            }
        }
        last.extend(last_exports(program, end, is_position).into_iter().flatten());
    }
    for index in 0..program.instructions.len() {
        if !target(program, index).is_some_and(is_position) || !program.flow.reachable[index] {
            continue;
        }
        let done = program.instructions[index].instruction.modifiers.done;
        if done != last.contains(&index) {
            let which = if done { "an earlier" } else { "the last" };
            let has = if done { "has" } else { "lacks" };
            let message = format!("{which} export of a position {has} done");
            violations.push(program.violation(index, "vs-done", message));
        }
    }
}
