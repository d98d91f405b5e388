//! Instructions that write and read each virtual register.

use crate::lir::{Operand, Program, VReg};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Indices of the instructions that name each virtual register, in their order; twice where two
/// sources do.
pub(super) struct Sites {
    pub(super) writes: SecondaryMap<VReg, SmallVec<[usize; 4]>>,
    pub(super) reads: SecondaryMap<VReg, SmallVec<[usize; 4]>>,
}

impl Sites {
    pub(super) fn new(program: &Program) -> Sites {
        let mut sites = Sites { writes: program.vreg_table(), reads: program.vreg_table() };
        for (at, inst) in program.insts.iter().enumerate() {
            if let Some(v) = inst.dst.vreg() {
                sites.writes[v].push(at);
            }
            for v in inst.src.iter().filter_map(Operand::vreg) {
                sites.reads[v].push(at);
            }
        }
        sites
    }
}
