//! Data flow of liveness, solved for one GRF after the other: time and memory grow with the number
//! of blocks in which a GRF is live, not with the product of blocks and GRFs. A shader with
//! thousands of small blocks has thousands of values that live across two or three of them.

use super::ByteAccesses;
use crate::lir::cfg::Cfg;

/// Effect of one block on one GRF.
#[derive(Clone, Copy, Default)]
pub(super) struct Effect {
    pub(super) block: usize,
    grf: usize,
    /// Bytes read before they are defined in the block.
    exposed: u32,
    /// Bytes defined for all channels.
    defined: u32,
    /// Some byte may be written.
    pub(super) written: bool,
}

impl Effect {
    /// Both are the same but for the GRF.
    fn is_alike(&self, other: &Effect) -> bool {
        (self.block, self.exposed, self.defined, self.written)
            == (other.block, other.exposed, other.defined, other.written)
    }
}

/// Effects, block by block.
struct Effects {
    list: Vec<Effect>,
    /// Index of the last effect on each GRF.
    last: Vec<usize>,
    /// Index of the current block's first effect.
    start: usize,
}

impl Effects {
    /// Effect of `block`, the current one, on a GRF.
    fn on(&mut self, block: usize, grf: usize) -> &mut Effect {
        let last = &mut self.last[grf];
        if *last == usize::MAX || *last < self.start {
            *last = self.list.len();
            self.list.push(Effect { block, grf, exposed: 0, defined: 0, written: false });
        }
        &mut self.list[*last]
    }
}

/// Blocks that one GRF is live into or out of, with the masks of its live bytes.
pub(super) struct LiveBlocks {
    live_in: Vec<u32>,
    live_out: Vec<u32>,
    defined: Vec<u32>,
    /// Blocks with an entry in one of the lists above.
    touched: Vec<usize>,
    /// Blocks whose predecessors have not seen their `live_in`.
    pending: Vec<usize>,
}

impl LiveBlocks {
    fn new(blocks: usize) -> LiveBlocks {
        let none = vec![0; blocks];
        LiveBlocks {
            live_in: none.clone(),
            live_out: none.clone(),
            defined: none,
            touched: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Bytes live at the start of a block.
    pub(super) fn into(&self, block: usize) -> u32 {
        self.live_in[block]
    }

    /// Bytes live at the end of a block.
    pub(super) fn out_of(&self, block: usize) -> u32 {
        self.live_out[block]
    }

    /// Blocks with live bytes at their start or end, and others; some more than once.
    pub(super) fn touched(&self) -> &[usize] {
        &self.touched
    }

    /// Solves the equations for the GRF with these effects, in place of the GRF before.
    fn solve(&mut self, cfg: &Cfg, effects: &[Effect]) {
        for block in self.touched.drain(..) {
            self.live_in[block] = 0;
            self.live_out[block] = 0;
            self.defined[block] = 0;
        }
        for effect in effects {
            self.defined[effect.block] = effect.defined;
            self.live_in[effect.block] = effect.exposed;
            self.touched.push(effect.block);
            if effect.exposed != 0 {
                self.pending.push(effect.block);
            }
        }
        while let Some(block) = self.pending.pop() {
            let needed = self.live_in[block];
            for &pred in &cfg.blocks[block].preds {
                let out = &mut self.live_out[pred];
                if *out == 0 {
                    self.touched.push(pred);
                }
                *out |= needed;
                let through = *out & !self.defined[pred];
                if through & !self.live_in[pred] != 0 {
                    self.live_in[pred] |= through;
                    self.pending.push(pred);
                }
            }
        }
    }
}

/// Calls `visit` for each GRF that is live into some block, in ascending order, with the effects of
/// the blocks on it, in their order, and the blocks where it is live.
pub(super) fn for_each_crossing(
    accesses: &ByteAccesses,
    cfg: &Cfg,
    mut visit: impl FnMut(usize, &[Effect], &LiveBlocks),
) {
    if cfg.blocks.len() < 2 {
        return;
    }
    let effects = by_grf(&effects(accesses, cfg), accesses.grf_count());
    let mut live = LiveBlocks::new(cfg.blocks.len());
    let mut solved: &[Effect] = &[];
    for effects in effects.chunk_by(|a, b| a.grf == b.grf) {
        // The GRFs of a register are often accessed together.
        let is_solved =
            solved.len() == effects.len() && solved.iter().zip(effects).all(|(a, b)| a.is_alike(b));
        if !is_solved {
            live.solve(cfg, effects);
            solved = effects;
        }
        visit(effects[0].grf, effects, &live);
    }
}

/// Returns the effects on GRFs that some block may read before it defines them, GRF by GRF; those
/// on one GRF keep their order.
fn by_grf(effects: &[Effect], grfs: usize) -> Vec<Effect> {
    let mut exposed = vec![false; grfs];
    for effect in effects {
        exposed[effect.grf] |= effect.exposed != 0;
    }
    // Index of the next effect on each GRF in `sorted`.
    let mut next = vec![0; grfs + 1];
    for effect in effects.iter().filter(|effect| exposed[effect.grf]) {
        next[effect.grf + 1] += 1;
    }
    for grf in 0..grfs {
        next[grf + 1] += next[grf];
    }
    let mut sorted = vec![Effect::default(); next[grfs]];
    for effect in effects.iter().filter(|effect| exposed[effect.grf]) {
        sorted[next[effect.grf]] = *effect;
        next[effect.grf] += 1;
    }
    sorted
}

/// Returns the effects of each block on the GRFs that it accesses.
fn effects(accesses: &ByteAccesses, cfg: &Cfg) -> Vec<Effect> {
    let last = vec![usize::MAX; accesses.grf_count()];
    // Most instructions are the first of their blocks to access some GRF.
    let list = Vec::with_capacity(2 * cfg.block_of.len());
    let mut effects = Effects { list, last, start: 0 };
    for (block, range) in cfg.blocks.iter().enumerate() {
        effects.start = effects.list.len();
        for ip in range.start..range.end {
            for read in accesses.reads(ip) {
                let effect = effects.on(block, read.grf);
                effect.exposed |= read.bytes & !effect.defined;
            }
            for write in accesses.writes(ip) {
                let effect = effects.on(block, write.grf);
                effect.defined |= write.bytes;
                effect.written = true;
            }
        }
    }
    effects.list
}

/// The outermost loop around each block.
pub(super) struct OutermostLoops {
    /// Last block of the loop, for blocks in a loop.
    end: Vec<Option<usize>>,
}

impl OutermostLoops {
    pub(super) fn new(cfg: &Cfg) -> OutermostLoops {
        let mut end = vec![None; cfg.blocks.len()];
        // Outer loops come first.
        for l in &cfg.loops {
            let (first, last) = (cfg.block_of[l.start], cfg.block_of[l.end]);
            if end[first].is_none() {
                end[first..=last].fill(Some(last));
            }
        }
        OutermostLoops { end }
    }

    /// The thread may get from the end of block `from` to the start of block `to`: it walks through
    /// the blocks in order, and back in loops.
    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        from < to || self.end.get(to).copied().flatten().is_some_and(|end| from <= end)
    }
}
