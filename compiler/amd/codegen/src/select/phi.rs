//! Phis: registers of their own, and parallel copies at the ends of the predecessors.

use super::{Held, Selection, Step};
use crate::homes::Home;
use crate::machine::{Arg, File, Part};
use amd_isa::Opcode;
use ir::{Block, InstKind, Value};
use vocabulary::SourceLine;

/// A copy of a dword, or of a mask.
#[derive(Clone, Copy, Debug)]
struct Copy {
    to: Part,
    from: Arg,
    mask: bool,
    line: SourceLine,
}

impl Selection<'_> {
    /// Makes the registers of all phis.
    pub(crate) fn make_phis(&mut self) {
        for block in self.shader.block_order() {
            for &inst in &self.shader.blocks[block].insts {
                let data = &self.shader.insts[inst];
                let (InstKind::Phi(_), Some(result)) = (&data.kind, data.result) else { break };
                let components = self.shader.components(result);
                match self.homes[result] {
                    Home::Mask => {
                        let held: Held = (0..components).map(|_| self.e.mask().into()).collect();
                        self.set(result, held);
                    }
                    Home::VectorBool => {
                        let held: Held = (0..components).map(|_| self.e.vector().into()).collect();
                        self.set(result, held);
                    }
                    home => {
                        let file = if home == Home::Scalar { File::Scalar } else { File::Vector };
                        let dwords = self.dwords_of(result) * components;
                        let part = self.e.reg(file, dwords);
                        self.set_parts(result, part);
                    }
                }
            }
        }
    }

    /// Copies the values of this block's edges to the phis of its successors.
    pub(crate) fn copy_to_phis(&mut self, block: Block) -> Step {
        let mut copies = Vec::new();
        for succ in self.cfg.succs[block].clone() {
            for &inst in &self.shader.blocks[succ].insts {
                let data = &self.shader.insts[inst];
                let (InstKind::Phi(srcs), Some(result)) = (&data.kind, data.result) else { break };
                if let Some(src) = srcs.iter().find(|src| src.pred == block) {
                    self.copies_of(result, src.value, &mut copies)?;
                }
            }
        }
        self.copy_in_parallel(copies);
        Ok(())
    }

    fn copies_of(&mut self, result: Value, value: Value, copies: &mut Vec<Copy>) -> Step {
        if matches!(self.shader.def(value).kind, InstKind::Undef) {
            return Ok(());
        }
        let line = self.shader.line_of(value);
        self.e.line = line;
        for component in 0..self.shader.components(result) {
            let Arg::Part(to) = self.held(result, component)? else { continue };
            match self.homes[result] {
                Home::Mask => {
                    let from = self.mask_of(value, component)?;
                    copies.push(Copy { to, from, mask: true, line });
                }
                Home::VectorBool => {
                    let held = self.values[value].as_ref();
                    let vector = held.and_then(|h| h.get(usize::from(component)).copied());
                    let from = match vector.filter(|arg| self.e.is_vector(*arg)) {
                        Some(from) => from,
                        None => {
                            let mask = self.mask_of(value, component)?;
                            let made = self.e.vector();
                            self.mask_to_vector(made, mask);
                            made.into()
                        }
                    };
                    copies.push(Copy { to, from, mask: false, line });
                }
                _ if self.dwords_of(result) == 2 => {
                    let (low, high) = self.halves(value, component)?;
                    copies.push(Copy { to, from: low, mask: false, line });
                    copies.push(Copy { to: to.at(1), from: high, mask: false, line });
                }
                _ => {
                    let from = self.dword(value, component)?;
                    copies.push(Copy { to, from, mask: false, line });
                }
            }
        }
        Ok(())
    }

    /// Copies as if at once: those whose destination no other one reads come first; a cycle is
    /// broken by a further register.
    fn copy_in_parallel(&mut self, mut copies: Vec<Copy>) {
        copies.retain(|copy| copy.from != copy.to.into());
        while !copies.is_empty() {
            let is_read = |to: Part| copies.iter().any(|copy| copy.from == to.into());
            let free = copies.iter().position(|copy| !is_read(copy.to));
            let index = free.unwrap_or(0);
            self.e.line = copies[index].line;
            if free.is_none() {
                let to = copies[index].to;
                let saved = self.save(to, copies[index].mask);
                for copy in copies.iter_mut().filter(|copy| copy.from == to.into()) {
                    copy.from = saved.into();
                }
            }
            let copy = copies.remove(index);
            if copy.mask {
                self.e.sop1(Opcode::SMovB64, copy.to, copy.from);
            } else {
                self.e.copy(copy.to, copy.from);
            }
        }
    }

    fn save(&mut self, from: Part, mask: bool) -> Part {
        if mask {
            let saved = self.e.mask();
            self.e.sop1(Opcode::SMovB64, saved, from);
            return saved;
        }
        let file = self.e.program.regs[from.reg].file;
        let saved = self.e.reg(file, 1);
        self.e.copy(saved, from);
        saved
    }
}
