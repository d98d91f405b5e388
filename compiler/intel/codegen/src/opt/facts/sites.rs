//! Instructions that write and read each virtual register.

use crate::lir::{Operand, Program, VReg};
use cranelift_entity::EntityRef;
use std::ops::Index;

/// Indices of the instructions that name each virtual register, in their order; twice where two
/// sources do.
pub(in crate::opt) struct Sites {
    pub(in crate::opt) writes: SiteLists,
    pub(in crate::opt) reads: SiteLists,
}

impl Sites {
    pub(in crate::opt) fn new(program: &Program) -> Sites {
        let insts = program.insts.iter().enumerate();
        let writes = insts.clone().filter_map(|(at, inst)| Some((inst.dst.vreg()?, at)));
        let reads = insts
            .flat_map(|(at, inst)| inst.src.iter().filter_map(Operand::vreg).map(move |v| (v, at)));
        let registers = program.vregs.len();
        Sites { writes: SiteLists::new(registers, writes), reads: SiteLists::new(registers, reads) }
    }

    /// The first and the last instruction that names the register.
    pub(in crate::opt) fn range(&self, v: VReg) -> Option<(usize, usize)> {
        let (writes, reads) = (&self.writes[v], &self.reads[v]);
        let first = writes.first().into_iter().chain(reads.first()).min()?;
        let last = writes.last().into_iter().chain(reads.last()).max()?;
        Some((*first, *last))
    }
}

/// A list for each virtual register, one after the other. Registers that are made later have empty
/// lists.
pub(in crate::opt) struct SiteLists {
    all: Vec<usize>,
    /// Start of each register's list in `all`. It is also the end of the list before.
    starts: Vec<usize>,
}

impl SiteLists {
    fn new(registers: usize, sites: impl Iterator<Item = (VReg, usize)> + Clone) -> SiteLists {
        // Counts, moved by two places: the ends of the lists before become starts while filling.
        let mut starts = vec![0; registers + 2];
        let mut count = 0;
        for (v, _) in sites.clone() {
            starts[v.index() + 2] += 1;
            count += 1;
        }
        for v in 0..registers {
            starts[v + 2] += starts[v + 1];
        }
        let mut all = vec![0; count];
        for (v, at) in sites {
            let next = &mut starts[v.index() + 1];
            all[*next] = at;
            *next += 1;
        }
        SiteLists { all, starts }
    }
}

impl Index<VReg> for SiteLists {
    type Output = [usize];

    fn index(&self, v: VReg) -> &[usize] {
        match self.starts.get(v.index()..v.index() + 2) {
            Some(&[start, end]) => &self.all[start..end],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir;

    #[test]
    fn lists_are_in_order() {
        let text = "program width=8 payload=20
vgrf v0-v2
  mov(8) v0<1>:F, g2<1>:F
  add(8) v1<1>:F, v0<1>:F, v0<1>:F
  mov(8) v0<1>:F, v1<1>:F
";
        let program = lir::parse(text).expect("a program");
        let registers = [0, 1, 2].map(VReg::new);
        let sites = Sites::new(&program);
        let writes = registers.map(|v| sites.writes[v].to_vec());
        assert_eq!(writes, [vec![0, 2], vec![1], vec![]]);
        let reads = registers.map(|v| sites.reads[v].to_vec());
        assert_eq!(reads, [vec![1, 1], vec![2], vec![]]);
        let ranges = registers.map(|v| sites.range(v));
        assert_eq!(ranges, [Some((0, 2)), Some((1, 2)), None]);
        let later = [3, 4, 9].map(VReg::new);
        assert!(later.iter().all(|&v| sites.writes[v].is_empty() && sites.range(v).is_none()));
    }
}
