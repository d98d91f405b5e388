//! 32-bit operands where the encoding of Align16 instructions can take them.
//!
//! ```text
//! before:
//!   mad(8) v0<1>:F, v1<1>:F, g2<0>.xyzz:F, v3<1>:F align16
//! after:
//!   mov(8) v4<1>:UD, g2<0>:UD align16
//!   mad(8) v0<1>:F, v1<1>:F, v4<1>.xyzz:F, v3<1>:F align16
//! ```

use crate::lir::{File, Inst, Op, Operand, Program, Swizzle, Type, VReg};
use crate::model::Model;
use std::collections::BTreeMap;

/// Moves immediates to the last source by exchanging operands, and those that still cannot be
/// encoded to registers; copies vectors that three-source instructions cannot read (rows shared by
/// both vertices) to registers of their own, once per basic block. Concerns Align16 instructions on
/// types of 32 bits or less.
pub(crate) fn legalize_vec4_operands(program: &mut Program, model: &Model) -> bool {
    let old = program.take_insts();
    let mut legalizer = Legalizer { program, model, copies: BTreeMap::new(), changed: false };
    for mut inst in old {
        if inst.op.starts_block() {
            legalizer.copies.clear();
        }
        if inst.align16 && inst.message.is_none() {
            legalizer.inst(&mut inst);
        }
        legalizer.forget(&inst);
        let ends = inst.op.ends_block();
        legalizer.program.insts.push(inst);
        if ends {
            legalizer.copies.clear();
        }
    }
    legalizer.changed
}

/// Contents of a copy: register file position, or an immediate's bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Row(File, u32),
    Bits(u64),
}

struct Legalizer<'a> {
    program: &'a mut Program,
    model: &'a Model,
    /// Copies made in the current basic block.
    copies: BTreeMap<Key, VReg>,
    changed: bool,
}

impl Legalizer<'_> {
    fn inst(&mut self, inst: &mut Inst) {
        for src in &mut inst.src {
            *src = src.fold_modifiers();
        }
        // The low word of the second factor is what integer products read.
        self.changed |= inst.exchange_immediate(|product| !product.src[0].ty.is_integer());
        let three = inst.op.info().three_source;
        for index in 0..inst.src.len() {
            let src = inst.src[index];
            if let Some(bits) = src.imm_bits() {
                let last = index + 1 == inst.src.len();
                if !(last && self.model.accepts_immediate(inst, src.ty)) {
                    inst.src[index] = self.copy(Key::Bits(bits), src, src.ty);
                }
            } else if three && src.is_scalar() && src.ty.size() == 4 && !is_splat(inst, &src) {
                let row = Operand { negate: false, abs: false, swizzle: Swizzle::XYZW, ..src };
                let copy = self.copy(Key::Row(src.file, src.offset), row, Type::UD);
                let copy = copy.retype(src.ty).swizzled(src.swizzle);
                inst.src[index] = Operand { negate: src.negate, abs: src.abs, ..copy };
            }
        }
    }

    fn copy(&mut self, key: Key, from: Operand, ty: Type) -> Operand {
        self.changed = true;
        if let Some(&known) = self.copies.get(&key) {
            return Operand::vgrf(known, ty);
        }
        let register = self.program.vreg(1);
        let dst = Operand::vgrf(register, ty);
        let mut inst = Inst::new(Op::Mov, 8, dst, &[from.retype(ty)]);
        inst.align16 = true;
        self.program.insts.push(inst);
        self.copies.insert(key, register);
        dst
    }

    /// Rows that `inst` overwrites are copies of the past.
    fn forget(&mut self, inst: &Inst) {
        if matches!(inst.dst.file, File::Vgrf(_)) {
            self.copies
                .retain(|key, _| !matches!(key, Key::Row(file, _) if *file == inst.dst.file));
        }
    }
}

/// All components that the instruction reads are the same one: replicated without a copy.
fn is_splat(inst: &Inst, src: &Operand) -> bool {
    let needed = inst.dst.writemask;
    let mut picked = (0..4).filter(|&c| needed >> c & 1 != 0).map(|c| src.swizzle.get(c));
    let one = picked.next();
    picked.all(|c| Some(c) == one)
}
