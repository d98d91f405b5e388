//! Copy propagation with swizzles, within blocks.
//!
//! ```text
//! before:
//!   mov(8) v0<1>:F, v1<1>.yxwz:F align16
//!   add(8) v2<1>:F, v0<1>.wwyy:F, v3<1>:F align16
//! after:
//!   mov(8) v0<1>:F, v1<1>.yxwz:F align16
//!   add(8) v2<1>:F, v1<1>.zzxx:F, v3<1>:F align16
//! ```

use super::facts::modifiers::wraps;
use crate::lir::{File, Inst, Op, Operand, Program, Swizzle, Type, VReg};
use crate::model::Model;
use rustc_hash::FxHashMap;

/// Replaces reads of copies by reads of what was copied, component by component: registers with
/// their swizzles, uniform rows, source modifiers where the reader takes them, and immediates where
/// they can stand.
pub(crate) fn opt_vec4_copy_propagation(program: &mut Program, model: &Model) -> bool {
    let mut copies = Copies::default();
    let mut changed = false;
    for inst in &mut program.insts {
        if inst.op.starts_block() {
            copies.clear();
        }
        if inst.align16 && inst.message.is_none() && !inst.op.info().control_flow {
            for index in 0..inst.src.len() {
                changed |= copies.propagate(inst, index, model);
            }
        }
        copies.write(inst);
        copies.record(inst);
        if inst.op.ends_block() {
            copies.clear();
        }
    }
    changed
}

/// One copied component.
#[derive(Clone, Copy, Debug)]
struct Copy {
    /// Offset of the copy's vector in its register, and the component.
    offset: u32,
    component: u8,
    /// The copied vector without swizzle, and its component.
    source: Operand,
    from: u8,
    /// Type under which the copy was made: modifiers mean something for it only.
    ty: Type,
}

/// The copies that hold at a point, by the register that holds the copy.
#[derive(Default)]
struct Copies {
    held: FxHashMap<VReg, Vec<Copy>>,
    /// Registers whose copies read a register.
    readers: FxHashMap<VReg, Vec<VReg>>,
}

impl Copies {
    fn clear(&mut self) {
        self.held.clear();
        self.readers.clear();
    }

    /// Forgets what a write invalidates.
    fn write(&mut self, inst: &Inst) {
        let Some(v) = inst.dst.vreg() else { return };
        let vector = inst.align16 && inst.message.is_none();
        let (size, offset, mask) = (inst.dst.ty.size(), inst.dst.offset, inst.dst.writemask);
        let hits = |at: u32, width: u32, component: u8| {
            !vector || width != size || (at == offset && mask >> component & 1 != 0)
        };
        if let Some(list) = self.held.get_mut(&v) {
            list.retain(|c| !hits(c.offset, c.ty.size(), c.component));
        }
        for reader in self.readers.get(&v).cloned().unwrap_or_default() {
            if let Some(list) = self.held.get_mut(&reader) {
                list.retain(|c| {
                    c.source.file != File::Vgrf(v) || !hits(c.source.offset, c.ty.size(), c.from)
                });
            }
        }
    }

    /// Notes a copy.
    fn record(&mut self, inst: &Inst) {
        let Some(v) = inst.dst.vreg() else { return };
        if !is_copy(inst) {
            return;
        }
        let src = inst.src[0];
        for component in (0..4).filter(|c| inst.dst.writemask >> c & 1 != 0) {
            let from = src.swizzle.get(component);
            if src.file == File::Vgrf(v) && inst.dst.writemask >> from & 1 != 0 {
                // The component read is gone.
                continue;
            }
            let source = Operand { swizzle: Swizzle::XYZW, ..src };
            let copy = Copy { offset: inst.dst.offset, component, source, from, ty: inst.dst.ty };
            self.held.entry(v).or_default().push(copy);
            if let Some(read) = src.vreg() {
                let readers = self.readers.entry(read).or_default();
                if !readers.contains(&v) {
                    readers.push(v);
                }
            }
        }
    }

    /// Tries to replace source `index`.
    fn propagate(&self, inst: &mut Inst, index: usize, model: &Model) -> bool {
        let src = inst.src[index];
        let Some(list) = src.vreg().and_then(|v| self.held.get(&v)) else { return false };
        if src.is_scalar() {
            return false;
        }
        let needed = inst.components_read();
        let mut pick = [0u8; 4];
        let mut found: Option<Copy> = None;
        for c in (0..4u8).filter(|c| needed >> c & 1 != 0) {
            let want = src.swizzle.get(c);
            let copy = list.iter().find(|e| {
                e.offset == src.offset && e.component == want && e.ty.size() == src.ty.size()
            });
            let Some(copy) = copy else { return false };
            if found.is_some_and(|f| f.source != copy.source || f.ty != copy.ty) {
                return false;
            }
            found.get_or_insert(*copy);
            pick[usize::from(c)] = copy.from;
        }
        let Some(copy) = found else { return false };
        // Components that nothing reads repeat one that is read.
        let spare = (0..4).find(|c| needed >> c & 1 != 0).map_or(0, |c| pick[c]);
        for (c, slot) in pick.iter_mut().enumerate() {
            if needed >> c & 1 == 0 {
                *slot = spare;
            }
        }
        replace(inst, index, &copy, Swizzle::new(pick), model)
    }
}

/// A move that makes its destination equal to its source, up to source modifiers.
fn is_copy(inst: &Inst) -> bool {
    let src = match inst.src.first() {
        Some(src) if inst.op == Op::Mov => src,
        _ => return false,
    };
    let types = inst.dst.ty == src.ty
        || (inst.dst.ty.size() == src.ty.size()
            && inst.dst.ty.is_integer()
            && src.ty.is_integer()
            && !src.is_modified());
    let place = src.is_imm() && src.ty != Type::VF || src.is_reg();
    inst.align16
        && inst.exec_size == 8
        && !inst.no_mask
        && inst.predicate.is_none()
        && inst.cond.is_none()
        && !inst.saturate
        && types
        && place
}

fn replace(inst: &mut Inst, index: usize, copy: &Copy, swizzle: Swizzle, model: &Model) -> bool {
    let old = inst.src[index];
    let info = inst.op.info();
    let three = info.three_source;
    if copy.source.is_imm() {
        return replace_by_immediate(inst, index, copy, model);
    }
    if three && copy.source.is_scalar() {
        return false;
    }
    let mut ty = old.ty;
    let mut retype = None;
    if copy.source.is_modified() {
        if copy.ty == Type::UD {
            return false;
        }
        let raw_move = is_copy(inst) && !old.is_modified() && copy.ty.size() == 4;
        if copy.ty != old.ty && raw_move {
            // The move becomes one of the copy's type.
            retype = Some(copy.ty);
            ty = copy.ty;
        } else if copy.ty != old.ty
            || !info.can_modify_sources
            || !(copy.ty.is_float() || wraps(inst))
        {
            return false;
        }
    }
    let mut new = copy.source.retype(ty).swizzled(swizzle);
    if old.abs {
        new.abs = true;
        new.negate = old.negate;
    } else {
        new.negate ^= old.negate;
    }
    inst.src[index] = new;
    if let Some(ty) = retype {
        inst.dst.ty = ty;
    }
    true
}

fn replace_by_immediate(inst: &mut Inst, index: usize, copy: &Copy, model: &Model) -> bool {
    let old = inst.src[index];
    let Some(bits) = copy.source.fold_modifiers().imm_bits() else { return false };
    if copy.ty.size() == 8 || inst.op.info().three_source || inst.op.is_math() {
        return false;
    }
    let exchangeable = inst.op.info().commutative && !(inst.op == Op::Mul && old.ty.is_integer())
        || inst.op == Op::Cmp
        || inst.op == Op::Sel;
    let last = index + 1 == inst.src.len();
    let movable = index == 0 && inst.src.len() == 2 && exchangeable && !inst.src[1].is_imm();
    if !(last || movable) || !model.accepts_immediate(inst, old.ty) {
        return false;
    }
    // Products of dwords read the low word of the second factor, which would sign-extend.
    if inst.op == Op::Mul && old.ty.is_integer() || matches!(inst.op, Op::F16to32 | Op::F32to16) {
        return false;
    }
    let other_is_imm = inst.src.iter().enumerate().any(|(i, s)| i != index && s.is_imm());
    if other_is_imm {
        return false;
    }
    let imm = Operand::imm(bits, old.ty);
    inst.src[index] = Operand { negate: old.negate, abs: old.abs, ..imm }.fold_modifiers();
    true
}
