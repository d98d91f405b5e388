//! Basic blocks of a flat program.

use super::{Analysis, Inst, Op, Program};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use vocabulary::{InternalError, Phase};

/// A basic block: instructions `start..end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasicBlock {
    /// First instruction.
    pub start: usize,
    /// One past the last instruction.
    pub end: usize,
    /// Blocks that channels of this block may continue in (per channel).
    pub succs: SmallVec<[usize; 2]>,
    /// Blocks that the thread may execute next (a superset: the other arm runs after this one, a
    /// BREAK that some channels do not take falls through).
    pub physical_succs: SmallVec<[usize; 3]>,
    /// Inverse of `succs`.
    pub preds: SmallVec<[usize; 2]>,
    /// Number of enclosing loops.
    pub loop_depth: u32,
}

/// A loop: instruction indices of its `Do` and `While`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Index of the `Do`.
    pub start: usize,
    /// Index of the `While`.
    pub end: usize,
}

/// Control-flow graph of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cfg {
    /// Blocks in program order.
    pub blocks: Vec<BasicBlock>,
    /// Block of each instruction.
    pub block_of: Vec<usize>,
    /// All loops, inner ones after the loop that encloses them.
    pub loops: Vec<Loop>,
}

/// Returns the instructions of each basic block, in program order: for passes that look at one
/// block after the other and at no edges between them. The last range may be empty.
#[must_use]
pub fn block_ranges(program: &Program) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for (i, inst) in program.insts.iter().enumerate() {
        if i > start && inst.op.starts_block() {
            ranges.push(start..i);
            start = i;
        }
        if inst.op.ends_block() {
            ranges.push(start..i + 1);
            start = i + 1;
        }
    }
    // The last block also exists when the program is empty or ends in a jump: targets need a home.
    ranges.push(start..program.insts.len());
    ranges
}

/// Indices of the markers that belong to one construct.
#[derive(Clone, Copy, Default)]
struct Construct {
    other: Option<usize>,
    end: usize,
}

impl Analysis for Cfg {
    fn of(program: &Program) -> Cfg {
        Cfg::new(program)
    }
}

impl Cfg {
    /// Builds the graph. Unbalanced markers raise an internal compiler error.
    #[must_use]
    pub fn new(program: &Program) -> Cfg {
        let insts = &program.insts;
        let n = insts.len();
        let ranges = block_ranges(program);
        let mut block_of = vec![0; n];
        let block = |range: &Range<usize>| BasicBlock {
            start: range.start,
            end: range.end,
            ..BasicBlock::default()
        };
        let mut blocks: Vec<BasicBlock> = ranges.iter().map(block).collect();
        // A marker may be all that a single block has.
        let is_marker = |inst: &Inst| inst.op.starts_block() || inst.op.ends_block();
        if blocks.len() == 1 && !insts.first().is_some_and(is_marker) {
            return Cfg { blocks, block_of, loops: Vec::new() };
        }
        let (constructs, enclosing_loop, loops, depth) = match_markers(program);
        for (b, range) in ranges.into_iter().enumerate() {
            block_of[range].fill(b);
        }
        let last_block = blocks.len() - 1;
        let at = |i: usize| if i < n { block_of[i] } else { last_block };

        let halt_targets: Vec<usize> = (0..n).filter(|&i| insts[i].op == Op::HaltTarget).collect();
        for b in 0..last_block {
            let last = blocks[b].end - 1;
            let inst = &insts[last];
            // An unpredicated jump leaves no channel for the next block, but arms of other channels
            // follow.
            let falls = inst.predicate.is_some();
            // Targets, and whether channels continue there.
            let edges: SmallVec<[(usize, bool); 2]> = match inst.op {
                Op::If => {
                    let skip = constructs[last].other.map_or(constructs[last].end, |e| e + 1);
                    smallvec![(b + 1, true), (at(skip), true)]
                }
                Op::Else => smallvec![(at(constructs[last].end), true), (b + 1, false)],
                Op::While => {
                    let own = loops.iter().find(|l| l.end == last);
                    let own = own.unwrap_or_else(|| raise_missing(inst, "DO"));
                    smallvec![(at(own.start), true), (b + 1, falls)]
                }
                Op::Break | Op::Continue => {
                    let around = enclosing_loop[last].map(|l| loops[l]);
                    let around = around.unwrap_or_else(|| raise_missing(inst, "loop"));
                    let target = if inst.op == Op::Break { around.end + 1 } else { around.end };
                    smallvec![(at(target), true), (b + 1, falls)]
                }
                Op::Halt => {
                    let next = halt_targets.partition_point(|&target| target < last);
                    let target = halt_targets.get(next).copied();
                    let target = target.unwrap_or_else(|| raise_missing(inst, "HALT target"));
                    smallvec![(at(target), true), (b + 1, falls)]
                }
                _ => smallvec![(b + 1, true)],
            };
            for (to, logical) in edges {
                if !blocks[b].physical_succs.contains(&to) {
                    blocks[b].physical_succs.push(to);
                }
                if logical && !blocks[b].succs.contains(&to) {
                    blocks[b].succs.push(to);
                    blocks[to].preds.push(b);
                }
            }
        }
        for block in &mut blocks {
            block.loop_depth = depth.get(block.start).copied().unwrap_or(0);
        }
        Cfg { blocks, block_of, loops }
    }

    /// Returns for each block whether a channel may reach it.
    #[must_use]
    pub fn reachable(&self) -> Vec<bool> {
        let mut reachable = vec![false; self.blocks.len()];
        let mut stack = vec![0];
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut reachable[b], true) {
                stack.extend(&self.blocks[b].succs);
            }
        }
        reachable
    }

    /// Index of the `While` of the outermost loop around instruction `index`, if it is inside a
    /// loop.
    #[must_use]
    pub fn outermost_loop_end(&self, index: usize) -> Option<usize> {
        // Loops are sorted by their start, so the first that contains the instruction is the
        // outermost.
        self.loops.iter().find(|l| l.start <= index && index <= l.end).map(|l| l.end)
    }
}

type Matched = (Vec<Construct>, Vec<Option<usize>>, Vec<Loop>, Vec<u32>);

/// Raises the error of a marker or jump without its counterpart.
#[cold]
#[track_caller]
fn raise_missing(inst: &Inst, counterpart: &str) -> ! {
    InternalError::new(Phase::Lower, format!("{counterpart} is missing")).at(inst).raise()
}

/// Returns of each `If` and `Do` the end of its construct (of others their own index), and of each
/// `If` its `Else`. Unbalanced markers raise an internal compiler error.
pub(crate) fn constructs(program: &Program) -> (Vec<usize>, Vec<Option<usize>>) {
    let (constructs, _, loops, _) = match_markers(program);
    let mut ends: Vec<usize> = (0..program.insts.len()).collect();
    let mut elses = vec![None; program.insts.len()];
    for (i, inst) in program.insts.iter().enumerate() {
        if inst.op == Op::If {
            (ends[i], elses[i]) = (constructs[i].end, constructs[i].other);
        }
    }
    for l in loops {
        ends[l.start] = l.end;
    }
    (ends, elses)
}

/// Matches `If`/`Else`/`Endif` and `Do`/`While`; gives per instruction its construct, innermost
/// loop and depth.
fn match_markers(program: &Program) -> Matched {
    let n = program.insts.len();
    let mut constructs = vec![Construct { other: None, end: n }; n];
    let mut enclosing = vec![None; n];
    let mut loops: Vec<Loop> = Vec::new();
    let mut depth = vec![0; n];
    let mut if_stack: Vec<(usize, Option<usize>)> = Vec::new();
    let mut loop_stack: Vec<usize> = Vec::new();
    for (i, inst) in program.insts.iter().enumerate() {
        if inst.op == Op::Do {
            loop_stack.push(loops.len());
            loops.push(Loop { start: i, end: n });
        }
        enclosing[i] = loop_stack.last().copied();
        depth[i] = loop_stack.len() as u32;
        match inst.op {
            Op::If => if_stack.push((i, None)),
            Op::Else => {
                let top = if_stack.last_mut().unwrap_or_else(|| raise_missing(inst, "IF"));
                top.1 = Some(i);
            }
            Op::Endif => {
                let top = if_stack.pop();
                let (start, other) = top.unwrap_or_else(|| raise_missing(inst, "IF"));
                constructs[start] = Construct { other, end: i };
                if let Some(other) = other {
                    constructs[other] = Construct { other: None, end: i };
                }
            }
            Op::While => {
                let own = loop_stack.pop().unwrap_or_else(|| raise_missing(inst, "DO"));
                loops[own].end = i;
            }
            _ => {}
        }
    }
    let open_ifs = if_stack.iter().map(|&(start, _)| start);
    if let Some(start) = open_ifs.chain(loop_stack.iter().map(|&l| loops[l].start)).next() {
        raise_missing(&program.insts[start], "end of the construct");
    }
    (constructs, enclosing, loops, depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir;

    /// A loop with a break in the first arm of an IF.
    const LOOP_IN_ARM: &str = "program width=8 payload=20
  mov(8) g10<1>:F, g2<1>:F
  (+f0.0) if(8)
    do(8)
      mov(8) g11<1>:F, g2<1>:F
      (+f0.0) break(8)
      mov(8) g12<1>:F, g2<1>:F
    (+f0.0) while(8)
  else(8)
    mov(8) g13<1>:F, g2<1>:F
  endif(8)
  mov(8) g14<1>:F, g2<1>:F
";

    fn graph(text: &str) -> Cfg {
        Cfg::new(&lir::parse(text).expect("a program"))
    }

    #[test]
    fn blocks_and_edges() {
        let cfg = graph(LOOP_IN_ARM);
        let spans: Vec<(usize, usize)> = cfg.blocks.iter().map(|b| (b.start, b.end)).collect();
        assert_eq!(spans, [(0, 2), (2, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 11)]);
        let succs: Vec<&[usize]> = cfg.blocks.iter().map(|b| &b.succs[..]).collect();
        assert_eq!(succs, [&[1, 5][..], &[4, 2], &[3], &[1, 4], &[6], &[6], &[]]);
        let physical: Vec<usize> = cfg.blocks[4].physical_succs.to_vec();
        assert_eq!(physical, [6, 5], "the second arm runs after the first");
        assert_eq!(cfg.blocks[6].preds[..], [4, 5]);
        assert_eq!(cfg.block_of, [0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 6]);
    }

    #[test]
    fn ranges_are_those_of_the_blocks() {
        for text in
            [LOOP_IN_ARM, "program width=8 payload=20\n", "program width=8 payload=20\n  nop(1)\n"]
        {
            let program = lir::parse(text).expect("a program");
            let blocks = Cfg::new(&program).blocks;
            let spans: Vec<Range<usize>> = blocks.iter().map(|b| b.start..b.end).collect();
            assert_eq!(block_ranges(&program), spans);
        }
    }

    #[test]
    fn loops_and_their_depth() {
        let cfg = graph(LOOP_IN_ARM);
        assert_eq!(cfg.loops, [Loop { start: 2, end: 6 }]);
        let depths: Vec<u32> = cfg.blocks.iter().map(|b| b.loop_depth).collect();
        assert_eq!(depths, [0, 1, 1, 1, 0, 0, 0]);
        let ends: Vec<Option<usize>> =
            [1, 2, 3, 6, 7].iter().map(|&i| cfg.outermost_loop_end(i)).collect();
        assert_eq!(ends, [None, Some(6), Some(6), Some(6), None]);
    }

    #[test]
    fn nothing_follows_a_break_of_all_channels() {
        assert_eq!(graph(LOOP_IN_ARM).reachable(), [true; 7]);
        let cfg = graph(&LOOP_IN_ARM.replace("(+f0.0) break", "break"));
        assert_eq!(cfg.reachable(), [true, true, false, false, true, true, true]);
        assert_eq!(cfg.blocks[1].physical_succs[..], [4, 2], "the thread walks on");
    }

    #[test]
    fn unbalanced_markers_are_internal_errors() {
        for (body, missing) in [
            ("else(8)\n", "IF is missing at `else(8)"),
            ("endif(8)\n", "IF is missing at `endif(8)"),
            ("while(8)\n", "DO is missing at `while(8)"),
            ("break(8)\n", "loop is missing at `break(8)"),
            ("halt(8)\n", "HALT target is missing at `halt(8)"),
            ("do(8)\n", "end of the construct is missing at `do(8)"),
            ("(+f0.0) if(8)\n", "end of the construct is missing at `(+f0.0) if(8)"),
        ] {
            let text = format!("program width=8 payload=20\n  {body}");
            let error = InternalError::catch(|| graph(&text)).expect_err(body).to_string();
            assert!(error.contains(missing), "{error}");
        }
    }
}
