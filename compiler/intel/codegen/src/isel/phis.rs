//! Phis: their registers, and the copies at the ends of their predecessors.

use super::{Selection, Target};
use crate::lir::{Operand, WRITEMASK_XYZW};
use ir::{Block, InstKind};
use vocabulary::SourceLine;

impl<T: Target> Selection<'_, T> {
    /// Allocates the registers of all phis.
    pub(super) fn allocate_phis(&mut self) {
        let shader = self.shader;
        for block in shader.block_order() {
            for &inst in &shader.blocks[block].insts {
                let data = &shader.insts[inst];
                let (InstKind::Phi(srcs), Some(result)) = (&data.kind, data.result) else {
                    continue;
                };
                T::define_phi(self, result);
                for src in srcs {
                    self.phis_after[src.pred].push(inst);
                }
            }
        }
    }

    /// Emits the copies to the phis of the blocks that follow `block`. All sources are read before
    /// any phi is written.
    pub(super) fn emit_phi_copies(&mut self, block: Block) {
        let shader = self.shader;
        let mut copies: Vec<(Operand, Operand)> = Vec::new();
        let mut lines: Vec<SourceLine> = Vec::new();
        for inst in self.phis_after[block].clone() {
            self.current = Some(inst);
            let data = &shader.insts[inst];
            let (InstKind::Phi(srcs), Some(phi)) = (&data.kind, data.result) else { continue };
            let source = srcs.iter().find(|src| src.pred == block).map(|src| src.value);
            let Some(source) = source else {
                self.internal_error(format!("{phi} has no source for {block}")).raise()
            };
            if source == phi {
                continue;
            }
            if matches!(shader.def(source).kind, InstKind::Undef) {
                T::undefine_phi(self, phi);
            } else {
                T::push_phi_copies(self, phi, source, &mut copies);
                lines.resize(copies.len(), shader.line_of(source));
            }
        }
        self.current = None;
        // A copy whose destination a later copy still reads goes through a temporary.
        let mut delayed = Vec::new();
        for (i, (&(to, from), &line)) in copies.iter().zip(&lines).enumerate() {
            let first = self.program.insts.len();
            if copies[i + 1..].iter().any(|(_, later)| later.file == to.file) {
                let temp = T::new_register(self, to.ty).masked(to.writemask);
                T::emit_mov(self, temp, from);
                delayed.push((to, Operand { writemask: WRITEMASK_XYZW, ..temp }, line));
            } else {
                T::emit_mov(self, to, from);
            }
            self.program.set_lines(first, line);
        }
        for (to, temp, line) in delayed {
            let first = self.program.insts.len();
            T::emit_mov(self, to, temp);
            self.program.set_lines(first, line);
        }
    }
}
