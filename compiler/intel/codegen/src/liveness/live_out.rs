//! Live bytes at the ends of blocks, for passes that walk backwards.

use super::ByteAccesses;
use super::data_flow::for_each_crossing;
use crate::lir::cfg::Cfg;
use crate::lir::{Analysis, Program};
use std::rc::Rc;
use vocabulary::LivenessGranularity;

/// Bytes of virtual registers that are live at the end of each block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveOut {
    accesses: Rc<ByteAccesses>,
    /// GRFs that are live into some block.
    crossing: Vec<usize>,
    /// GRFs that are live at the end of some block and their masks, block by block.
    live: Vec<(usize, u32)>,
    /// Index of each block's first entry in `live`; one more at the end.
    starts: Vec<usize>,
}

impl Analysis for LiveOut {
    fn of(program: &Program) -> LiveOut {
        LiveOut::of_accesses(&program.analysis::<Cfg>(), program.analysis::<ByteAccesses>())
    }
}

impl LiveOut {
    /// Computes the sets of `program`.
    #[must_use]
    pub fn new(program: &Program, cfg: &Cfg) -> LiveOut {
        LiveOut::of_accesses(cfg, Rc::new(ByteAccesses::new(program, LivenessGranularity::Byte)))
    }

    fn of_accesses(cfg: &Cfg, accesses: Rc<ByteAccesses>) -> LiveOut {
        let mut crossing = Vec::new();
        // Block, GRF and mask, by ascending GRF.
        let mut found: Vec<(usize, usize, u32)> = Vec::new();
        // Blocks may be touched more than once.
        let mut last_found = vec![usize::MAX; cfg.blocks.len()];
        for_each_crossing(&accesses, cfg, |grf, _, blocks| {
            crossing.push(grf);
            for &block in blocks.touched() {
                let mask = blocks.out_of(block);
                if mask != 0 && last_found[block] != grf {
                    last_found[block] = grf;
                    found.push((block, grf, mask));
                }
            }
        });
        let (live, starts) = by_block(&found, cfg.blocks.len());
        LiveOut { accesses, crossing, live, starts }
    }

    /// Accesses of the program's instructions.
    #[must_use]
    pub fn accesses(&self) -> &ByteAccesses {
        &self.accesses
    }

    /// Masks at the start of a walk: nothing is live.
    #[must_use]
    pub fn nothing(&self) -> Vec<u32> {
        vec![0; self.accesses.grf_count()]
    }

    /// GRFs that are live at the end of a block, by dense number, and their masks.
    #[must_use]
    pub fn at_end(&self, block: usize) -> &[(usize, u32)] {
        &self.live[self.starts[block]..self.starts[block + 1]]
    }

    /// Takes masks by dense GRF number from the start of some block, or from [`LiveOut::nothing`],
    /// to the end of `block`. Values that live inside of one block only are dead at its start.
    pub fn load(&self, block: usize, live: &mut [u32]) {
        for &grf in &self.crossing {
            live[grf] = 0;
        }
        for &(grf, mask) in self.at_end(block) {
            live[grf] = mask;
        }
    }
}

/// Entries sorted by block and otherwise in their order, and the index of each block's first one.
fn by_block(found: &[(usize, usize, u32)], blocks: usize) -> (Vec<(usize, u32)>, Vec<usize>) {
    let mut starts = vec![0; blocks + 1];
    for &(block, ..) in found {
        starts[block + 1] += 1;
    }
    for block in 0..blocks {
        starts[block + 1] += starts[block];
    }
    let mut next = starts.clone();
    let mut sorted = vec![(0, 0); found.len()];
    for &(block, grf, mask) in found {
        sorted[next[block]] = (grf, mask);
        next[block] += 1;
    }
    (sorted, starts)
}
