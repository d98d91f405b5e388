//! Live bytes at the ends of blocks, for passes that walk backwards.

use super::ByteAccesses;
use super::data_flow::for_each_crossing;
use crate::lir::Program;
use crate::lir::cfg::Cfg;
use vocabulary::LivenessGranularity;

/// Bytes of virtual registers that are live at the end of each block.
#[derive(Clone, Debug)]
pub struct LiveOut {
    accesses: ByteAccesses,
    /// GRFs that are live into some block.
    crossing: Vec<usize>,
    /// GRFs that are live at the end of some block and their masks, block by block.
    live: Vec<(usize, u32)>,
    /// Index of each block's first entry in `live`; one more at the end.
    starts: Vec<usize>,
}

impl LiveOut {
    /// Computes the sets of `program`.
    #[must_use]
    pub fn new(program: &Program, cfg: &Cfg) -> LiveOut {
        let accesses = ByteAccesses::new(program, LivenessGranularity::Byte);
        let mut crossing = Vec::new();
        let mut live = Vec::new();
        for_each_crossing(&accesses, cfg, |grf, _, blocks| {
            crossing.push(grf);
            let entries = blocks.touched().iter().map(|&b| (b, grf, blocks.out_of(b)));
            live.extend(entries.filter(|&(_, _, mask)| mask != 0));
        });
        // Blocks may be touched more than once.
        live.sort_unstable();
        live.dedup();
        let blocks = 0..=cfg.blocks.len();
        let starts = blocks.map(|b| live.partition_point(|&(block, ..)| block < b)).collect();
        let live = live.into_iter().map(|(_, grf, mask)| (grf, mask)).collect();
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

    /// Takes masks by dense GRF number from the start of some block, or from [`LiveOut::nothing`],
    /// to the end of `block`. Values that live inside of one block only are dead at its start.
    pub fn load(&self, block: usize, live: &mut [u32]) {
        for &grf in &self.crossing {
            live[grf] = 0;
        }
        for &(grf, mask) in &self.live[self.starts[block]..self.starts[block + 1]] {
            live[grf] = mask;
        }
    }
}
