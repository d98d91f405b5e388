//! Structured control flow (SPIR-V 1.6 section 2.11.2): merge instructions, branches back, and
//! selections. `order` is structural dominance.

use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use super::constructs::{Constructs, Header};
use crate::dominance::Dominance;
use crate::error::Error;
use crate::module::{Function, Instruction, Module};

pub(crate) fn check(module: &Module, function: &Function, order: &Dominance) -> Result<(), Error> {
    let headers = headers(module, function);
    merges(module, order, &headers)?;
    let by_label: FxHashMap<u32, &Header<'_>> = headers.iter().map(|h| (h.label, h)).collect();
    let back = back_edges(module, function, order, &by_label)?;
    unreached_cycles(module, function, order, &by_label)?;
    Constructs::new(module, order, &by_label, &back)?.check(module, function, order)?;
    selections(module, function, order, &headers)
}

fn headers<'m>(module: &'m Module, function: &Function) -> Vec<Header<'m>> {
    let mut list = Vec::new();
    for block in &function.blocks {
        let body = &module.instructions[block.body.clone()];
        let [.., instruction, branch] = body else { continue };
        let next = match instruction.op {
            Op::SelectionMerge => None,
            Op::LoopMerge => instruction.id_at(1),
            _ => continue,
        };
        let merge = instruction.id_at(0).unwrap_or(0);
        list.push(Header { label: block.label, merge, next, instruction, branch });
    }
    list
}

/// A header has a merge block of its own, and dominates it and the continue target.
fn merges(module: &Module, order: &Dominance, headers: &[Header<'_>]) -> Result<(), Error> {
    let mut merges: FxHashSet<u32> = FxHashSet::default();
    for header in headers {
        let i = header.instruction;
        let is_new = merges.insert(header.merge);
        module.demand(i, is_new, "the merge block is that of another header")?;
        module.demand(i, header.merge != header.label, "the merge block is the header")?;
        let is_dominated =
            |label| !order.is_reached(header.label) || order.dominates(header.label, label);
        let is_own = is_dominated(header.merge);
        module.demand(i, is_own, "the header does not dominate the merge block")?;
        let Some(next) = header.next else { continue };
        module.demand(i, is_dominated(next), "the header does not dominate the continue target")?;
        module.demand(i, next != header.merge, "the continue target is the merge block")?;
    }
    Ok(())
}

/// A branch back goes to a loop's header, from one block only, in the continue construct. Returns
/// these blocks by the headers.
fn back_edges(
    module: &Module,
    function: &Function,
    order: &Dominance,
    headers: &FxHashMap<u32, &Header<'_>>,
) -> Result<FxHashMap<u32, u32>, Error> {
    let mut back: FxHashMap<u32, u32> = FxHashMap::default();
    for block in function.blocks.iter().filter(|block| order.is_reached(block.label)) {
        let Some(last) = module.instructions[block.body.clone()].last() else { continue };
        for target in last.targets() {
            if !order.is_back(block.label, target) {
                continue;
            }
            let is_around = order.dominates(target, block.label);
            let next = headers.get(&target).filter(|_| is_around).and_then(|header| header.next);
            let Some(next) = next else {
                return Err(module.error(last, "a branch back to a block that is no loop's header"));
            };
            let is_continued = order.dominates(next, block.label);
            let message = "a branch back from outside of the continue construct";
            module.demand(last, is_continued, message)?;
            let is_whole = next != target || block.label == target;
            module.demand(last, is_whole, "the continue target is the header of other blocks")?;
            let is_single = back.insert(target, block.label).is_none_or(|b| b == block.label);
            module.demand(last, is_single, "the loop has not one branch back")?;
        }
    }
    for block in &function.blocks {
        let header = headers.get(&block.label).filter(|header| header.next.is_some());
        let is_used = |header: &&&Header<'_>| {
            order.is_reached(header.label) || header.next.is_some_and(|next| order.is_reached(next))
        };
        let Some(header) = header.filter(is_used) else { continue };
        let has_one = back.contains_key(&block.label);
        module.demand(header.instruction, has_one, "the loop has not one branch back")?;
    }
    Ok(back)
}

/// Among blocks that no way reaches, branches back go to headers of loops, too. Ways begin at
/// blocks without others before them; headers lead to merge blocks and continue targets first.
fn unreached_cycles(
    module: &Module,
    function: &Function,
    order: &Dominance,
    headers: &FxHashMap<u32, &Header<'_>>,
) -> Result<(), Error> {
    let unreached = || function.blocks.iter().filter(|block| !order.is_reached(block.label));
    let mut next: FxHashMap<u32, Vec<(u32, bool)>> = FxHashMap::default();
    for block in unreached() {
        let header = headers.get(&block.label);
        let ends = header.into_iter().flat_map(|header| [Some(header.merge), header.next]);
        let last = module.instructions[block.body.clone()].last();
        let targets = last.map_or(Vec::new(), Instruction::targets);
        let ends = ends.flatten().map(|end| (end, false));
        next.insert(block.label, ends.chain(targets.into_iter().map(|t| (t, true))).collect());
    }
    let entered: FxHashSet<u32> = next.values().flatten().map(|&(target, _)| target).collect();
    let (roots, others): (Vec<u32>, Vec<u32>) =
        unreached().map(|block| block.label).partition(|label| !entered.contains(label));
    // True for blocks on the way from the root.
    let mut is_open: FxHashMap<u32, bool> = FxHashMap::default();
    for root in roots.into_iter().chain(others) {
        if is_open.contains_key(&root) {
            continue;
        }
        is_open.insert(root, true);
        let mut way = vec![(root, 0)];
        while let Some((label, number)) = way.last_mut() {
            let label = *label;
            let target = next.get(&label).and_then(|list| list.get(*number).copied());
            *number += 1;
            let Some((target, is_branch)) = target else {
                is_open.insert(label, false);
                way.pop();
                continue;
            };
            let is_loop = || headers.get(&target).is_some_and(|header| header.next.is_some());
            match is_open.get(&target) {
                Some(true) if is_branch && !is_loop() => {
                    let place = module.get(label).unwrap_or(&module.instructions[0]);
                    let message = "branches back to a block that is no loop's header";
                    return Err(module.error(place, message));
                }
                None if next.contains_key(&target) => {
                    is_open.insert(target, true);
                    way.push((target, 0));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// A conditional branch without merge instruction has a target that leaves a construct.
fn selections(
    module: &Module,
    function: &Function,
    order: &Dominance,
    headers: &[Header<'_>],
) -> Result<(), Error> {
    let mut known: FxHashSet<u32> = headers.iter().map(|header| header.merge).collect();
    known.extend(headers.iter().filter_map(|header| header.next));
    let selections = headers.iter().filter(|header| header.next.is_none());
    let labels: FxHashSet<u32> = selections.map(|header| header.label).collect();
    for block in &function.blocks {
        let Some(last) = module.instructions[block.body.clone()].last() else { continue };
        if labels.contains(&block.label) || !order.is_reached(block.label) {
            continue;
        }
        let open: FxHashSet<u32> =
            last.targets().into_iter().filter(|target| !known.contains(target)).collect();
        let fits = last.op != Op::Switch && open.len() <= 1;
        module.demand(last, fits, "a selection without OpSelectionMerge")?;
    }
    Ok(())
}
