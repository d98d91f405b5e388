//! Basic blocks of a flat program.

use super::{Inst, Op, Program};
use smallvec::SmallVec;
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
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// Blocks in program order.
    pub blocks: Vec<BasicBlock>,
    /// Block of each instruction.
    pub block_of: Vec<usize>,
    /// All loops, inner ones after the loop that encloses them.
    pub loops: Vec<Loop>,
}

/// Indices of the markers that belong to one construct.
#[derive(Clone, Copy, Default)]
struct Construct {
    other: Option<usize>,
    end: usize,
}

impl Cfg {
    /// Builds the graph. Unbalanced markers raise an internal compiler error.
    #[must_use]
    pub fn new(program: &Program) -> Cfg {
        let insts = &program.insts;
        let n = insts.len();
        if !insts.iter().any(|inst| inst.op.starts_block() || inst.op.ends_block()) {
            let block = BasicBlock { start: 0, end: n, ..BasicBlock::default() };
            return Cfg { blocks: vec![block], block_of: vec![0; n], loops: Vec::new() };
        }
        let (constructs, enclosing_loop, loops, depth) = match_markers(program);

        let mut blocks: Vec<BasicBlock> = Vec::new();
        let mut block_of = vec![0; n];
        let mut start = 0;
        for (i, inst) in insts.iter().enumerate() {
            if i > start && inst.op.starts_block() {
                blocks.push(BasicBlock { start, end: i, ..BasicBlock::default() });
                start = i;
            }
            if inst.op.ends_block() {
                blocks.push(BasicBlock { start, end: i + 1, ..BasicBlock::default() });
                start = i + 1;
            }
        }
        // The last block also exists when the program is empty or ends in a jump: targets need a
        // home.
        blocks.push(BasicBlock { start, end: n, ..BasicBlock::default() });
        for (b, block) in blocks.iter().enumerate() {
            block_of[block.start..block.end].fill(b);
        }
        let at = |i: usize| if i < n { block_of[i] } else { blocks.len() - 1 };

        let halt_targets: Vec<usize> = (0..n).filter(|&i| insts[i].op == Op::HaltTarget).collect();
        let mut edges: Vec<(usize, usize, bool)> = Vec::new();
        for (b, block) in blocks.iter().enumerate() {
            if b + 1 == blocks.len() {
                continue;
            }
            let last = block.end - 1;
            let inst = &insts[last];
            // An unpredicated jump leaves no channel for the next block, but arms of other channels
            // follow.
            let falls = inst.predicate.is_some();
            match inst.op {
                Op::If => {
                    edges.push((b, b + 1, true));
                    let skip = constructs[last].other.map_or(constructs[last].end, |e| e + 1);
                    edges.push((b, at(skip), true));
                }
                Op::Else => {
                    edges.push((b, at(constructs[last].end), true));
                    edges.push((b, b + 1, false));
                }
                Op::While => {
                    let own = loops.iter().find(|l| l.end == last);
                    let own = own.unwrap_or_else(|| raise_missing(inst, "DO"));
                    edges.push((b, at(own.start), true));
                    edges.push((b, b + 1, falls));
                }
                Op::Break | Op::Continue => {
                    let around = enclosing_loop[last].map(|l| loops[l]);
                    let around = around.unwrap_or_else(|| raise_missing(inst, "loop"));
                    let target = if inst.op == Op::Break { around.end + 1 } else { around.end };
                    edges.push((b, at(target), true));
                    edges.push((b, b + 1, falls));
                }
                Op::Halt => {
                    let next = halt_targets.partition_point(|&target| target < last);
                    let target = halt_targets.get(next).copied();
                    let target = target.unwrap_or_else(|| raise_missing(inst, "HALT target"));
                    edges.push((b, at(target), true));
                    edges.push((b, b + 1, falls));
                }
                _ => edges.push((b, b + 1, true)),
            }
        }
        for (from, to, logical) in edges {
            if !blocks[from].physical_succs.contains(&to) {
                blocks[from].physical_succs.push(to);
            }
            if logical && !blocks[from].succs.contains(&to) {
                blocks[from].succs.push(to);
                blocks[to].preds.push(from);
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
