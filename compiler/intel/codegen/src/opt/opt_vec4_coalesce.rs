//! Register coalescing of Align16 programs: results are written directly to the destination of a
//! move.
//!
//! ```text
//! before:
//!   dp4(8) v0<1>.x:F, v2<1>:F, v3<1>:F align16
//!   mov(8) v1<1>.yw:F, v0<1>.xxxx:F align16
//! after:
//!   dp4(8) v1<1>.yw:F, v2<1>:F, v3<1>:F align16
//! ```

use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Op, Operand, Program, Swizzle, VReg};
use crate::model::Model;
use crate::pattern::{regs_read, regs_written};
use cranelift_entity::EntityRef;

/// Removes moves `B.mask = A.swizzle` where A is made in the same basic block, nothing else reads
/// A, and nothing touches B in between: the instructions that make A write B's components instead.
/// Vectors are so built in place, and outputs in the message that carries them.
pub(crate) fn opt_vec4_coalesce(program: &mut Program, _model: &Model) -> bool {
    let cfg = program.analysis::<Cfg>();
    let mut readers = count_readers(program);
    let mut changed = false;
    for block in &cfg.blocks {
        for i in block.start..block.end {
            let Some(plan) = Plan::new(program, i) else { continue };
            if plan.check(program, block.start, readers[plan.a.index()]).is_some_and(|first| {
                plan.apply(program, first);
                true
            }) {
                readers[plan.a.index()] = 0;
                changed = true;
            }
        }
    }
    // B's reads are unchanged, and A is gone: the counts stay right for the other moves of this
    // round.
    program.compact();
    changed
}

/// Instructions that read each virtual register.
fn count_readers(program: &Program) -> Vec<u32> {
    let mut readers = vec![0; program.vregs.len()];
    for inst in &program.insts {
        for (index, src) in inst.src.iter().enumerate() {
            let Some(v) = src.vreg() else { continue };
            if !inst.src[..index].iter().any(|s| s.vreg() == Some(v)) {
                readers[v.index()] += 1;
            }
        }
    }
    readers
}

fn reads(inst: &Inst, v: VReg) -> bool {
    inst.src.iter().any(|s| s.vreg() == Some(v))
}

/// A move to be removed.
struct Plan {
    /// Index of the move.
    at: usize,
    /// The register moved, and its vector's offset.
    a: VReg,
    a_offset: u32,
    /// Destination of the move.
    b: Operand,
    b_reg: VReg,
    /// Component of A that each component of B gets.
    swizzle: Swizzle,
    size: u32,
}

impl Plan {
    fn new(program: &Program, at: usize) -> Option<Plan> {
        let inst = &program.insts[at];
        let plain = inst.align16 && inst.exec_size == 8 && !inst.no_mask && inst.is_plain_copy();
        let src = inst.src.first()?;
        let (a, b_reg) = (src.vreg()?, inst.dst.vreg()?);
        if !plain || a == b_reg || src.is_scalar() {
            return None;
        }
        Some(Plan {
            at,
            a,
            a_offset: src.offset,
            b: inst.dst,
            b_reg,
            swizzle: src.swizzle,
            size: inst.dst.ty.size(),
        })
    }

    /// Components of A that the move reads.
    fn needed(&self) -> u8 {
        self.components_of_b().fold(0, |m, c| m | 1 << self.swizzle.get(c))
    }

    fn components_of_b(&self) -> impl Iterator<Item = u8> + '_ {
        (0..4u8).filter(|c| self.b.writemask >> c & 1 != 0)
    }

    /// Components of B that a write of A's components `mask` becomes.
    fn renamed(&self, mask: u8) -> u8 {
        self.components_of_b()
            .filter(|&c| mask >> self.swizzle.get(c) & 1 != 0)
            .fold(0, |m, c| m | 1 << c)
    }

    /// Index of the first instruction that makes A, if the move can go.
    fn check(&self, program: &Program, block_start: usize, readers: u32) -> Option<usize> {
        let mut seen = 1;
        let mut missing = self.needed();
        for i in (block_start..self.at).rev() {
            let inst = &program.insts[i];
            let writes_a = inst.dst.vreg() == Some(self.a);
            let reads_a = reads(inst, self.a);
            if writes_a && !self.can_retarget(inst) {
                return None;
            }
            if reads_a {
                // Only what also helps to make A may read it.
                if !writes_a || !self.can_rename_reads(inst) {
                    return None;
                }
                seen += 1;
            }
            if writes_a && inst.predicate.is_none_or(|_| inst.op == Op::Sel) {
                missing &= !inst.dst.writemask;
            }
            if reads_a {
                // Instructions that make the components it reads have to move, too.
                missing |= self.components_of_a(inst);
            }
            if missing == 0 {
                // The instruction that completes A may still read B's old value.
                let clash = self.writes_b(inst) || (self.reads_b(inst) && self.size == 8);
                return (!clash && seen == readers).then_some(i);
            }
            if self.writes_b(inst) || self.reads_b(inst) {
                return None;
            }
        }
        None
    }

    fn writes_b(&self, inst: &Inst) -> bool {
        if inst.dst.vreg() != Some(self.b_reg) {
            return false;
        }
        let vector = inst.align16 && inst.message.is_none() && inst.dst.ty.size() == self.size;
        if vector {
            return inst.dst.offset == self.b.offset && inst.dst.writemask & self.b.writemask != 0;
        }
        overlaps(inst.dst.offset, regs_written(inst), self.b.offset, self.size / 4)
    }

    fn reads_b(&self, inst: &Inst) -> bool {
        let mask = inst.components_read();
        inst.src.iter().enumerate().any(|(index, src)| {
            if src.vreg() != Some(self.b_reg) {
                return false;
            }
            if inst.align16
                && inst.message.is_none()
                && src.ty.size() == self.size
                && !src.is_scalar()
            {
                let picked = (0..4u8)
                    .filter(|c| mask >> c & 1 != 0)
                    .fold(0u8, |m, c| m | 1 << src.swizzle.get(c));
                return src.offset == self.b.offset && picked & self.b.writemask != 0;
            }
            overlaps(src.offset, regs_read(inst, index), self.b.offset, self.size / 4)
        })
    }

    /// The components that `inst` writes keep their places in B.
    fn in_place(&self, inst: &Inst) -> bool {
        let renamed = self.renamed(inst.dst.writemask);
        self.components_of_b().all(|c| renamed >> c & 1 == 0 || self.swizzle.get(c) == c)
    }

    /// `inst`, which writes A, can write B's components instead.
    fn can_retarget(&self, inst: &Inst) -> bool {
        let vector = inst.align16
            && inst.exec_size == 8
            && inst.group == 0
            && !inst.no_mask
            && inst.message.is_none()
            && inst.dst.ty.size() == self.size
            && inst.dst.offset == self.a_offset;
        // Results of messages and of Align1 moves over both vertices fill the register.
        if !inst.align16 {
            let fills =
                inst.exec_size == 8 && inst.group == 0 && !inst.no_mask && inst.predicate.is_none();
            let size = inst.message.map_or(inst.dst.ty.size(), |m| 4 * u32::from(m.rlen));
            return fills
                && (size, self.size, inst.dst.stride()) == (4, 4, Some(1))
                && inst.dst.offset == self.a_offset
                && (self.b.writemask, self.swizzle) == (crate::lir::WRITEMASK_XYZW, Swizzle::XYZW);
        }
        let complete = inst.dst.writemask & !self.needed() == 0;
        if !vector || !complete || inst.op == Op::Undef {
            return false;
        }
        if self.in_place(inst) {
            return true;
        }
        let dot = matches!(inst.op, Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph);
        let lanes = inst.writes_flag()
            || (inst.predicate.is_some_and(|p| p.mode == crate::lir::PredMode::Normal))
            || inst.touches_accumulator()
            || inst.src.iter().any(|s| s.ty == crate::lir::Type::VF);
        dot || !lanes
    }

    /// Every component of A that `inst` reads has a place in B.
    fn can_rename_reads(&self, inst: &Inst) -> bool {
        let plain = inst.src.iter().filter(|s| s.vreg() == Some(self.a)).all(|src| {
            inst.align16
                && src.offset == self.a_offset
                && src.ty.size() == self.size
                && !src.is_scalar()
        });
        plain && self.components_of_a(inst) & !self.needed() == 0
    }

    /// Components of A that `inst` reads.
    fn components_of_a(&self, inst: &Inst) -> u8 {
        let mask = inst.components_read();
        let sources = inst.src.iter().filter(|s| s.vreg() == Some(self.a));
        sources
            .flat_map(|src| {
                (0..4u8).filter(move |c| mask >> c & 1 != 0).map(|c| src.swizzle.get(c))
            })
            .fold(0, |m, c| m | 1 << c)
    }

    fn apply(&self, program: &mut Program, first: usize) {
        for inst in &mut program.insts[first..self.at] {
            if inst.dst.vreg() != Some(self.a) {
                continue;
            }
            if !inst.align16 {
                inst.dst.file = File::Vgrf(self.b_reg);
                inst.dst.offset = self.b.offset;
                continue;
            }
            let mask = self.renamed(inst.dst.writemask);
            // Component c of B comes from where component swizzle[c] of A came.
            let dot = matches!(inst.op, Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph);
            let spare = self.components_of_b().find(|c| mask >> c & 1 != 0).unwrap_or(0);
            let order = Swizzle::new([0, 1, 2, 3].map(|c: u8| {
                let c = if mask >> c & 1 != 0 { c } else { spare };
                self.swizzle.get(c)
            }));
            for src in &mut inst.src {
                if !dot && src.is_reg() {
                    src.swizzle = src.swizzle.then(order);
                }
                if src.vreg() == Some(self.a) {
                    src.file = File::Vgrf(self.b_reg);
                    src.offset = self.b.offset;
                    src.swizzle =
                        Swizzle::new([0, 1, 2, 3].map(|c| self.place_of(src.swizzle.get(c))));
                }
            }
            inst.dst.file = File::Vgrf(self.b_reg);
            inst.dst.offset = self.b.offset;
            inst.dst.writemask = mask;
        }
        program.insts[self.at].op = Op::Nop;
        program.insts[self.at].dst = Operand::none();
        program.insts[self.at].src.clear();
    }

    /// The component of B that holds component `component` of A.
    fn place_of(&self, component: u8) -> u8 {
        self.components_of_b().find(|&c| self.swizzle.get(c) == component).unwrap_or(component)
    }
}

fn overlaps(offset: u32, regs: u32, other: u32, other_regs: u32) -> bool {
    let (first, other_first) = (offset / 32, other / 32);
    first < other_first + other_regs && other_first < first + regs
}
