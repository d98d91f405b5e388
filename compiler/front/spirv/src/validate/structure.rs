//! Structured control flow (SPIR-V 1.6 section 2.11.2).

use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dominance::Dominance;
use crate::error::Error;
use crate::module::{Function, Instruction, Module};

/// A header with its merge block.
struct Header<'m> {
    label: u32,
    merge: u32,
    /// Continue target of a loop.
    next: Option<u32>,
    instruction: &'m Instruction,
}

/// Most pairs of headers and blocks of a function.
const MAX_PAIRS: usize = 1 << 24;

pub(crate) fn check(module: &Module, function: &Function, order: &Dominance) -> Result<(), Error> {
    let headers = headers(module, function);
    let mut merges: FxHashSet<u32> = FxHashSet::default();
    for header in &headers {
        let i = header.instruction;
        module.demand(
            i,
            merges.insert(header.merge),
            "the merge block is that of another header",
        )?;
        module.demand(i, header.merge != header.label, "the merge block is the header")?;
        let reaches = |label| order.is_reached(label);
        let is_dominated = |label| {
            !reaches(label) || !reaches(header.label) || order.dominates(header.label, label)
        };
        module.demand(
            i,
            is_dominated(header.merge),
            "the header does not dominate the merge block",
        )?;
        if let Some(next) = header.next {
            module.demand(
                i,
                is_dominated(next),
                "the header does not dominate the continue target",
            )?;
            module.demand(i, next != header.merge, "the continue target is the merge block")?;
        }
    }
    back_edges(module, function, order, &headers)?;
    exits(module, function, order, &headers)
}

fn headers<'m>(module: &'m Module, function: &Function) -> Vec<Header<'m>> {
    let mut list = Vec::new();
    for block in &function.blocks {
        for i in &module.instructions[block.body.clone()] {
            if !matches!(i.op, Op::SelectionMerge | Op::LoopMerge) {
                continue;
            }
            let next = if i.op == Op::LoopMerge { i.id_at(1) } else { None };
            let merge = i.id_at(0).unwrap_or(0);
            list.push(Header { label: block.label, merge, next, instruction: i });
        }
    }
    list
}

/// A branch back goes to a loop's header, from one block only, in the continue construct.
fn back_edges(
    module: &Module,
    function: &Function,
    order: &Dominance,
    headers: &[Header<'_>],
) -> Result<(), Error> {
    let mut back: FxHashMap<u32, u32> = FxHashMap::default();
    for block in &function.blocks {
        let Some(last) = module.instructions[block.body.clone()].last() else { continue };
        for target in last.targets() {
            let is_back = order.is_reached(block.label) && order.dominates(target, block.label);
            if !is_back {
                continue;
            }
            let header =
                headers.iter().find(|header| header.label == target && header.next.is_some());
            let Some(header) = header else {
                return Err(module.error(last, "a branch back to a block that is no loop's header"));
            };
            *back.entry(target).or_default() += 1;
            let next = header.next.unwrap_or(0);
            let is_continued = order.dominates(next, block.label);
            module.demand(
                last,
                is_continued,
                "a branch back from outside of the continue construct",
            )?;
            continues(module, function, order, header, block.label)?;
        }
    }
    for header in
        headers.iter().filter(|header| header.next.is_some() && order.is_reached(header.label))
    {
        let count = back.get(&header.label).copied().unwrap_or(0);
        let is_continue_reached = header.next.is_some_and(|next| order.is_reached(next));
        let fits = count == 1 || count == 0 && !is_continue_reached;
        module.demand(header.instruction, fits, "the loop has not one branch back")?;
    }
    Ok(())
}

/// Every way through a continue construct leads to the block that branches back.
fn continues(
    module: &Module,
    function: &Function,
    order: &Dominance,
    header: &Header<'_>,
    back: u32,
) -> Result<(), Error> {
    let next = header.next.unwrap_or(0);
    if !order.is_reached(next) || next == header.label {
        return Ok(());
    }
    let is_inside = |label| {
        order.is_reached(label)
            && order.dominates(next, label)
            && !(order.is_reached(header.merge) && order.dominates(header.merge, label))
    };
    for block in function.blocks.iter().filter(|block| block.label != back) {
        let Some(last) = module.instructions[block.body.clone()].last() else { continue };
        let targets = last.targets();
        let stays = !targets.is_empty() && targets.into_iter().all(is_inside);
        let message = "leaves the continue construct, which ends with the branch back";
        module.demand(last, !is_inside(block.label) || stays, message)?;
    }
    Ok(())
}

/// Blocks of a selection or loop leave it only for its merge block, or for what an outer loop or
/// switch offers.
fn exits(
    module: &Module,
    function: &Function,
    order: &Dominance,
    headers: &[Header<'_>],
) -> Result<(), Error> {
    let is_switch = |header: &Header<'_>| {
        let index = module.index_of(header.label).unwrap_or(0);
        let block = function.blocks.iter().find(|block| block.label == header.label);
        block.is_some_and(|block| index < block.body.end)
            && block.is_some_and(|block| module.instructions[block.body.end - 1].op == Op::Switch)
    };
    if headers.len().saturating_mul(function.blocks.len()) > MAX_PAIRS {
        let definition = &module.instructions[function.definition];
        return Err(module.error(definition, "the function has too many constructs"));
    }
    let mut ends: FxHashMap<u32, Vec<&Header<'_>>> = FxHashMap::default();
    for header in headers {
        for end in std::iter::once(header.merge).chain(header.next) {
            ends.entry(end).or_default().push(header);
        }
    }
    for header in headers.iter().filter(|header| order.is_reached(header.label)) {
        for block in &function.blocks {
            let is_inside = order.is_reached(block.label)
                && order.dominates(header.label, block.label)
                && !(order.is_reached(header.merge) && order.dominates(header.merge, block.label))
                && !is_in_continue(header, block.label, order);
            if !is_inside {
                continue;
            }
            let Some(last) = module.instructions[block.body.clone()].last() else { continue };
            for target in last.targets() {
                let own = [Some(header.merge), header.next];
                let outer = ends.get(&target).into_iter().flatten().find(|outer| {
                    !own.contains(&Some(target))
                        && outer.label != header.label
                        && order.dominates(outer.label, header.label)
                        && !(order.is_reached(outer.merge)
                            && order.dominates(outer.merge, header.label))
                });
                // Loops are left by their own ends, and switches for the loop around.
                let may_leave = outer.is_none_or(|outer| match header.next {
                    Some(_) => false,
                    None if is_switch(header) => outer.next.is_some(),
                    None => outer.next.is_some() || is_switch(outer),
                });
                if !may_leave && !is_behind_outer(headers, header, block.label, order) {
                    return Err(module.error(last, leaving(module, header, target)));
                }
                let stays = order.dominates(header.label, target)
                    && target != header.label
                    && !(order.is_reached(header.merge)
                        && target != header.merge
                        && order.dominates(header.merge, target));
                if stays {
                    continue;
                }
                let is_offered = headers.iter().any(|outer| {
                    let is_loop = outer.next.is_some();
                    let contains = order.dominates(outer.label, header.label);
                    contains
                        && (target == outer.merge
                            && (is_loop || is_switch(outer) || outer.label == header.label)
                            || outer.next == Some(target)
                            || is_loop && target == outer.label && outer.label == header.label)
                });
                let is_case = headers.iter().any(|outer| {
                    is_switch(outer)
                        && order.dominates(outer.label, header.label)
                        && is_case_of(module, function, outer.label, target)
                });
                let is_back =
                    headers.iter().any(|outer| outer.next.is_some() && outer.label == target);
                let is_outside = || is_behind_outer(headers, header, block.label, order);
                if !(is_offered || is_case || is_back || is_outside()) {
                    return Err(module.error(last, leaving(module, header, target)));
                }
            }
        }
    }
    entries(module, function, order, headers)?;
    nesting(module, order, headers)?;
    selections(module, function, order, headers)
}

/// Only the header leads into a selection or loop: no block behind its merge block does.
fn entries(
    module: &Module,
    function: &Function,
    order: &Dominance,
    headers: &[Header<'_>],
) -> Result<(), Error> {
    for header in headers.iter().filter(|header| order.is_reached(header.label)) {
        let is_behind =
            |label| order.is_reached(header.merge) && order.dominates(header.merge, label);
        for block in function.blocks.iter().filter(|block| order.is_reached(block.label)) {
            let Some(last) = module.instructions[block.body.clone()].last() else { continue };
            if !is_behind(block.label) {
                continue;
            }
            let enters = |target: &u32| {
                let target = *target;
                target != header.label
                    && order.dominates(header.label, target)
                    && !is_behind(target)
                    && !is_behind_outer(headers, header, target, order)
            };
            if let Some(target) = last.targets().into_iter().find(enters) {
                let (header, target) = (module.name(header.label), module.name(target));
                let message = format!("enters the construct of {header} at {target}");
                return Err(module.error(last, message));
            }
        }
    }
    Ok(())
}

/// A header in the body of a loop has its merge block there, too.
fn nesting(module: &Module, order: &Dominance, headers: &[Header<'_>]) -> Result<(), Error> {
    for outer in headers.iter().filter(|header| order.is_reached(header.label)) {
        let Some(next) = outer.next.filter(|&next| order.is_reached(next)) else { continue };
        let is_in_body = |label| {
            order.is_reached(label)
                && order.dominates(outer.label, label)
                && !order.dominates(next, label)
                && !(order.is_reached(outer.merge) && order.dominates(outer.merge, label))
        };
        for inner in headers.iter().filter(|inner| inner.label != outer.label) {
            let is_outside = order.is_reached(inner.merge) && !is_in_body(inner.merge);
            let fits = !(is_outside && is_in_body(inner.label));
            module.demand(
                inner.instruction,
                fits,
                "the merge block is not in the loop around the header",
            )?;
        }
    }
    Ok(())
}

fn leaving(module: &Module, header: &Header<'_>, target: u32) -> String {
    let (header, target) = (module.name(header.label), module.name(target));
    format!("leaves the construct of {header} for {target}")
}

fn is_in_continue(header: &Header<'_>, label: u32, order: &Dominance) -> bool {
    header.next.is_some_and(|next| {
        order.is_reached(next) && next != header.label && order.dominates(next, label)
    })
}

/// True for blocks behind an exit of a construct around: a header dominates them if the exit is
/// reached through it alone.
fn is_behind_outer(
    headers: &[Header<'_>],
    header: &Header<'_>,
    label: u32,
    order: &Dominance,
) -> bool {
    let is_behind = |exit: u32| {
        order.is_reached(exit)
            && order.dominates(exit, label)
            && !order.dominates(exit, header.label)
    };
    headers.iter().any(|outer| {
        outer.label != header.label
            && order.dominates(outer.label, header.label)
            && (is_behind(outer.merge) || outer.next.is_some_and(is_behind))
    })
}

fn is_case_of(module: &Module, function: &Function, label: u32, target: u32) -> bool {
    let block = function.blocks.iter().find(|block| block.label == label);
    let last = block.and_then(|block| module.instructions[block.body.clone()].last());
    last.is_some_and(|last| last.targets().contains(&target))
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
    known.extend(headers.iter().filter(|header| header.next.is_some()).map(|header| header.label));
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
