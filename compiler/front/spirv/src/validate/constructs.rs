//! Constructs of structured control flow (SPIR-V 1.6 section 2.11.2): the blocks in each, and the
//! branches into them and out of them.
//!
//! The blocks of a construct are those that its header dominates structurally, without those that
//! its merge block dominates; a loop ends before its continue construct. As a header is the
//! immediate dominator of its merge block and of its continue target, constructs are inside each
//! other or apart, and a branch is checked against the innermost ones of its two ends alone: what
//! may leave or enter these may do so for those around.

use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

use crate::dominance::Dominance;
use crate::error::Error;
use crate::module::{Function, Instruction, LabeledBlock, Module};

/// Most constructs inside each other (SPIR-V 1.6 section 2.17).
const MAX_DEPTH: u32 = 1023;

/// A header with its merge block.
pub(crate) struct Header<'m> {
    pub(crate) label: u32,
    pub(crate) merge: u32,
    /// Continue target of a loop.
    pub(crate) next: Option<u32>,
    pub(crate) instruction: &'m Instruction,
    /// The branch at the end of the block.
    pub(crate) branch: &'m Instruction,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Selection,
    Switch,
    Loop,
    Continue,
}

struct Construct {
    kind: Kind,
    /// The block that leads into it: a header, or the continue target.
    first: u32,
    merge: u32,
    /// Of a loop and its continue construct: header, continue target, and block that branches back.
    ends: Option<(u32, u32, u32)>,
    depth: u32,
    /// The innermost of its kind around, itself included. A switch is inside of the loop.
    in_loop: Option<usize>,
    in_switch: Option<usize>,
    in_continue: Option<usize>,
}

impl Construct {
    fn contains(&self, order: &Dominance, label: u32) -> bool {
        let has_continue = match (self.kind, self.ends) {
            // A loop that continues with its header is one block.
            (Kind::Loop, Some((header, next, _))) if next == header => return label == header,
            (Kind::Loop, Some((_, next, _))) => order.dominates(next, label),
            _ => false,
        };
        order.dominates(self.first, label) && !order.dominates(self.merge, label) && !has_continue
    }
}

pub(crate) struct Constructs {
    list: Vec<Construct>,
    /// The innermost constructs of the blocks; of a header, its own.
    of: FxHashMap<u32, usize>,
    /// The innermost constructs that begin at another block, or at a continue target.
    around: FxHashMap<u32, usize>,
}

impl Constructs {
    /// Finds the constructs. `back` has the blocks that branch back to headers.
    pub(crate) fn new(
        module: &Module,
        order: &Dominance,
        headers: &FxHashMap<u32, &Header<'_>>,
        back: &FxHashMap<u32, u32>,
    ) -> Result<Constructs, Error> {
        let mut all =
            Constructs { list: Vec::new(), of: FxHashMap::default(), around: FxHashMap::default() };
        for &label in order.labels() {
            let around = all.around_of(order, headers, label);
            all.around.extend(around.map(|around| (label, around)));
            all.of.extend(around.map(|around| (label, around)));
            let Some(header) = headers.get(&label) else { continue };
            let kind = match (header.next, header.branch.op) {
                (Some(_), _) => Kind::Loop,
                (None, Op::Switch) => Kind::Switch,
                (None, _) => Kind::Selection,
            };
            let ends = header.next.zip(back.get(&label)).map(|(next, &back)| (label, next, back));
            if let Some((_, next, _)) = ends.filter(|&(header, next, _)| next != header) {
                let construct = all.add(Kind::Continue, next, header.merge, ends, around);
                all.around.insert(next, construct);
            }
            let own = all.add(kind, label, header.merge, ends, around);
            all.of.insert(label, own);
            let fits = all.list[own].depth <= MAX_DEPTH;
            module.demand(header.instruction, fits, "too many constructs inside each other")?;
        }
        Ok(all)
    }

    /// The construct that a block is in: that of its immediate dominator, or the one around.
    fn around_of(
        &self,
        order: &Dominance,
        headers: &FxHashMap<u32, &Header<'_>>,
        label: u32,
    ) -> Option<usize> {
        // The header of a loop has said so of its continue target.
        if let Some(&construct) = self.around.get(&label) {
            return Some(construct);
        }
        let parent = order.parent(label)?;
        let is_behind = headers.get(&parent).is_some_and(|header| header.merge == label);
        let known = if is_behind { &self.around } else { &self.of };
        known.get(&parent).copied()
    }

    fn add(
        &mut self,
        kind: Kind,
        first: u32,
        merge: u32,
        ends: Option<(u32, u32, u32)>,
        outer: Option<usize>,
    ) -> usize {
        let number = self.list.len();
        let around = outer.map(|outer| &self.list[outer]);
        let is_loop = matches!(kind, Kind::Loop | Kind::Continue);
        let own = |is_own: bool, of: fn(&Construct) -> Option<usize>| {
            if is_own { Some(number) } else { around.and_then(of) }
        };
        let in_switch = own(kind == Kind::Switch, |c| c.in_switch).filter(|_| !is_loop);
        let construct = Construct {
            kind,
            first,
            merge,
            ends,
            depth: around.map_or(0, |around| around.depth) + 1,
            in_loop: own(is_loop, |c| c.in_loop),
            in_switch,
            in_continue: own(kind == Kind::Continue, |c| c.in_continue),
        };
        self.list.push(construct);
        number
    }

    /// Checks the branches of a function.
    pub(crate) fn check(
        &self,
        module: &Module,
        function: &Function,
        order: &Dominance,
    ) -> Result<(), Error> {
        for block in function.blocks.iter().filter(|block| order.is_reached(block.label)) {
            let Some(last) = module.instructions[block.body.clone()].last() else { continue };
            self.continues(module, order, block, last)?;
            for target in last.targets() {
                self.leaves(module, order, block.label, target)
                    .and_then(|()| self.enters(module, order, block.label, target))
                    .map_err(|message| module.error(last, message))?;
            }
        }
        Ok(())
    }

    /// A branch out of a construct goes to its end, or to what the loop or switch around offers.
    fn leaves(&self, module: &Module, order: &Dominance, from: u32, to: u32) -> Result<(), String> {
        let Some(own) = self.of.get(&from).map(|&own| &self.list[own]) else { return Ok(()) };
        if own.contains(order, to) || to == own.merge {
            return Ok(());
        }
        let is_end = |construct: Option<usize>| {
            let Some(construct) = construct.map(|construct| &self.list[construct]) else {
                return false;
            };
            to == construct.merge || construct.ends.is_some_and(|(_, next, _)| to == next)
        };
        let fits = match own.kind {
            Kind::Loop => own.ends.is_some_and(|(_, next, _)| to == next),
            Kind::Continue => own.ends.is_some_and(|(header, ..)| to == header),
            Kind::Switch => is_end(own.in_loop),
            Kind::Selection => is_end(own.in_loop) || is_end(own.in_switch),
        };
        let (first, to) = (module.name(own.first), module.name(to));
        if fits { Ok(()) } else { Err(format!("leaves the construct of {first} for {to}")) }
    }

    /// Only its first block leads into a construct.
    fn enters(&self, module: &Module, order: &Dominance, from: u32, to: u32) -> Result<(), String> {
        let Some(&around) = self.around.get(&to) else { return Ok(()) };
        let construct = &self.list[around];
        if construct.contains(order, from) {
            return Ok(());
        }
        // The continue target is reached from the loop.
        let header = construct.ends.map(|(header, ..)| header).filter(|_| construct.first == to);
        let of_header = header.and_then(|header| self.of.get(&header));
        if of_header.is_some_and(|&own| self.list[own].contains(order, from)) {
            return Ok(());
        }
        let first = header.unwrap_or(construct.first);
        let (first, to) = (module.name(first), module.name(to));
        Err(format!("enters the construct of {first} at {to}"))
    }

    /// Every way through a continue construct leads to the block that branches back.
    fn continues(
        &self,
        module: &Module,
        order: &Dominance,
        block: &LabeledBlock,
        last: &Instruction,
    ) -> Result<(), Error> {
        let own = self.of.get(&block.label).and_then(|&own| self.list[own].in_continue);
        let Some(own) = own.map(|own| &self.list[own]) else { return Ok(()) };
        if own.ends.is_some_and(|(.., back)| back == block.label) {
            return Ok(());
        }
        let targets = last.targets();
        let stays =
            !targets.is_empty() && targets.into_iter().all(|target| own.contains(order, target));
        let message = "leaves the continue construct, which ends with the branch back";
        module.demand(last, stays, message)
    }
}
