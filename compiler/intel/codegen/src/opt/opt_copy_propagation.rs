//! Propagation of copies and constants.
//!
//! ```text
//! before:
//!   mov(8) v0<1>:F, -v1<1>:F
//!   add(8) v2<1>:F, v0<1>:F, v3<1>:F
//! after:
//!   mov(8) v0<1>:F, -v1<1>:F
//!   add(8) v2<1>:F, -v1<1>:F, v3<1>:F
//! ```

use super::facts::modifiers::{is_logic, wraps};
use super::facts::structured_regions::StructuredRegions;
use super::facts::use_counts::UseCounts;
use crate::lir::cfg::block_ranges;
use crate::lir::{File, Inst, Op, Operand, Program, Region, VReg};
use crate::model::Model;
use cranelift_entity::SecondaryMap;

/// A copy whose destination holds the same elements as its source.
#[derive(Clone, Copy)]
struct Copy {
    index: usize,
    dst: Operand,
    /// Bytes of the destination, from its offset.
    bytes: u32,
    src: Operand,
    no_mask: bool,
}

/// Replaces reads of copies by reads of what was copied: in straight line as long as neither side
/// is written, and over the whole program where destination and source have one definition each and
/// the copy dominates the read. Source modifiers, regions and immediates move into instructions
/// that take them; a read stays if the change would make its instruction need more pieces.
pub(crate) fn opt_copy_propagation(program: &mut Program, model: &Model) -> bool {
    let regions = StructuredRegions::new(program);
    let globals = global_copies(program);
    let mut changed = false;
    let mut local = LocalCopies { list: Vec::new(), uses: UseCounts::new(program) };
    for block in block_ranges(program) {
        local.clear();
        for i in block.start..block.end {
            let inst = &mut program.insts[i];
            if !inst.align16 && inst.message.is_none() {
                for index in 0..inst.src.len() {
                    // Each replacement may expose another copy; chains are as long as the program.
                    while let Some(new) =
                        replacement(inst, index, i, &local, &globals, &regions, model)
                    {
                        inst.src[index] = new;
                        changed = true;
                    }
                }
            }
            local.forget_overwritten(inst);
            if let Some(copy) = candidate(inst, i) {
                local.add(copy);
            }
        }
    }
    changed
}

/// Copies of the current block that still hold.
struct LocalCopies {
    list: Vec<Copy>,
    /// The registers of their operands.
    uses: UseCounts,
}

impl LocalCopies {
    fn clear(&mut self) {
        self.list.drain(..).for_each(|copy| self.uses.remove([&copy.dst, &copy.src]));
    }

    fn add(&mut self, copy: Copy) {
        self.uses.add([&copy.dst, &copy.src]);
        self.list.push(copy);
    }

    /// Forgets the copies of which `inst` writes one side.
    fn forget_overwritten(&mut self, inst: &Inst) {
        if !inst.dst.is_reg() || !self.uses.may_use(&inst.dst) {
            return;
        }
        let (bytes, uses) = (inst.bytes_written(), &mut self.uses);
        self.list.retain(|c| {
            let stays = !overlap(&inst.dst, bytes, &c.dst, c.bytes)
                && !overlap(&inst.dst, bytes, &c.src, extent(c));
            if !stays {
                uses.remove([&c.dst, &c.src]);
            }
            stays
        });
    }

    /// The latest copy to the operand's register that `fits`.
    fn find(&self, operand: &Operand, fits: impl Fn(&Copy) -> bool) -> Option<Copy> {
        let mut latest = self.list.iter().rev();
        if self.uses.may_use(operand) { latest.find(|copy| fits(copy)).copied() } else { None }
    }
}

fn extent(copy: &Copy) -> u32 {
    copy.src.extent(copy.bytes / copy.dst.ty.size())
}

/// Do two register ranges share a byte?
fn overlap(a: &Operand, a_bytes: u32, b: &Operand, b_bytes: u32) -> bool {
    match (a.file, b.file) {
        (File::Vgrf(x), File::Vgrf(y)) => {
            x == y && a.offset < b.offset + b_bytes && b.offset < a.offset + a_bytes
        }
        (File::Grf(_), File::Grf(_)) => {
            let (Some(x), Some(y)) = (a.grf_byte(), b.grf_byte()) else { return true };
            x < y + b_bytes && y < x + a_bytes
        }
        _ => false,
    }
}

/// The copy that `inst` makes, if it is one.
fn candidate(inst: &Inst, index: usize) -> Option<Copy> {
    if inst.op != Op::Mov
        || inst.predicate.is_some()
        || inst.cond.is_some()
        || inst.saturate
        || inst.align16
        || inst.dst.region != Region::Stride(1)
    {
        return None;
    }
    let src = inst.src[0].fold_modifiers();
    let same_kind = inst.dst.ty == src.ty
        || (!src.is_modified()
            && inst.dst.ty.size() == src.ty.size()
            && inst.dst.ty.is_integer()
            && src.ty.is_integer()
            && !matches!(src.ty, crate::lir::Type::V | crate::lir::Type::UV));
    let plain_region = matches!(src.region, Region::Stride(_));
    let usable = src.is_imm() || (src.is_reg() && plain_region);
    let dst = inst.dst.vreg()?;
    if !same_kind || !usable || src.vreg() == Some(dst) {
        return None;
    }
    Some(Copy { index, dst: inst.dst, bytes: inst.bytes_written(), src, no_mask: inst.no_mask })
}

/// Copies to registers with one definition, of values that never change after it.
fn global_copies(program: &Program) -> SecondaryMap<VReg, Option<Copy>> {
    let mut writers: SecondaryMap<VReg, (u32, usize)> = program.vreg_table();
    let mut writes_fixed = false;
    for (i, inst) in program.insts.iter().enumerate() {
        match inst.dst.file {
            File::Vgrf(v) => {
                writers[v].0 += 1;
                writers[v].1 = i;
            }
            File::Grf(_) => writes_fixed = true,
            _ => {}
        }
    }
    let mut globals: SecondaryMap<VReg, Option<Copy>> = program.vreg_table();
    for (i, inst) in program.insts.iter().enumerate() {
        let Some(copy) = candidate(inst, i) else { continue };
        let Some(dst) = copy.dst.vreg() else { continue };
        let stable = match copy.src.file {
            File::Imm(_) => true,
            File::Grf(_) => !writes_fixed,
            File::Vgrf(v) => writers[v].0 == 1 && writers[v].1 < i,
            _ => false,
        };
        if stable && writers[dst].0 == 1 {
            globals[dst] = Some(copy);
        }
    }
    globals
}

/// The operand that source `index` of `inst` could read instead.
fn replacement(
    inst: &Inst,
    index: usize,
    at: usize,
    local: &LocalCopies,
    globals: &SecondaryMap<VReg, Option<Copy>>,
    regions: &StructuredRegions,
    model: &Model,
) -> Option<Operand> {
    let src = &inst.src[index];
    let v = src.vreg()?;
    let bytes = inst.bytes_read(index);
    let covers = |c: &Copy| {
        c.dst.vreg() == Some(v)
            && src.offset >= c.dst.offset
            && src.offset + bytes <= c.dst.offset + c.bytes
    };
    let copy = local.find(src, covers).or_else(|| {
        let copy = globals[v]?;
        (covers(&copy) && regions.dominates(copy.index, at)).then_some(copy)
    })?;
    // Channels outside the copy's mask hold something else; a value that is the same for all does
    // no harm.
    if inst.no_mask && !copy.no_mask && !copy.src.is_scalar() {
        return None;
    }
    let new = compose(inst, src, &copy, model)?;
    acceptable(inst, index, &new, model).then_some(new)
}

/// The source read through the copy.
fn compose(inst: &Inst, src: &Operand, copy: &Copy, model: &Model) -> Option<Operand> {
    let (z, k) = (src.ty.size(), copy.dst.ty.size());
    let rel = src.offset - copy.dst.offset;
    let modified = copy.src.is_modified();
    // Logic operations do not care about signs.
    let same_type = src.ty == copy.dst.ty
        || is_logic(inst.op) && copy.dst.ty.is_integer() && src.ty.is_integer();
    if modified && (z != k || !same_type || !takes_modifiers(inst, model)) {
        return None;
    }
    if modified && !src.ty.is_float() && !wraps(inst) {
        return None;
    }
    let mut new = match (copy.src.region, src.region) {
        // One element for all channels: the read must pick the same part of every element.
        (Region::Stride(0), _) => {
            if z > k
                || (0..u32::from(inst.exec_size)).any(|c| !(src.element(c) * z).is_multiple_of(k))
            {
                return None;
            }
            let part = rel % k;
            if let Some(bits) = copy.src.imm_bits() {
                if z == 1 {
                    // There are no immediates of bytes.
                    return None;
                }
                let mask = if z == 8 { u64::MAX } else { (1u64 << (8 * z)) - 1 };
                Operand::imm(bits >> (8 * part) & mask, src.ty)
            } else {
                copy.src.byte_offset(part).retype(src.ty).scalar()
            }
        }
        (Region::Stride(1), region) => {
            let mut op = copy.src.byte_offset(rel).retype(src.ty);
            op.region = region;
            op
        }
        (Region::Stride(s), Region::Stride(t)) => {
            let step = u32::from(t) * z;
            if step % k != 0 || z > k {
                return None;
            }
            let byte_stride = step / k * u32::from(s) * k;
            let mut op = copy.src.byte_offset(rel / k * u32::from(s) * k + rel % k).retype(src.ty);
            op.region = Region::Stride(u8::try_from(byte_stride / z).ok()?);
            op
        }
        _ => return None,
    };
    if new.is_imm() {
        // The copy's own modifiers were folded into the bits.
        new.negate = src.negate;
        new.abs = src.abs;
        return Some(new.fold_modifiers());
    }
    new.abs = src.abs || copy.src.abs;
    new.negate = if src.abs { src.negate } else { src.negate ^ copy.src.negate };
    Some(new)
}

fn takes_modifiers(inst: &Inst, model: &Model) -> bool {
    inst.op.info().can_modify_sources || is_logic(inst.op) && model.logic_takes_modifiers()
}

/// True if the instruction can take the operand without getting worse.
fn acceptable(inst: &Inst, index: usize, new: &Operand, model: &Model) -> bool {
    let info = inst.op.info();
    let stride_ok = match new.region {
        Region::Stride(s) => matches!(s, 0 | 1 | 2 | 4 | 8 | 16 | 32),
        Region::Exact { .. } => new.is_reg(),
    };
    if !stride_ok || matches!(inst.op, Op::Pln | Op::Line) || inst.op.is_send() {
        return false;
    }
    if new.is_modified() && !takes_modifiers(inst, model) {
        return false;
    }
    if info.three_source {
        let packed = new.region == Region::Stride(1) && new.offset.is_multiple_of(16);
        if !(packed || (new.is_scalar() && new.ty.size() < 8)) {
            return false;
        }
    }
    if inst.op.is_math() && !matches!(new.region, Region::Stride(0 | 1)) {
        return false;
    }
    if new.is_imm() {
        // Both operands immediate: one would need a register anyway, unless both were.
        let others = inst.src.iter().enumerate().any(|(i, s)| i != index && s.is_imm());
        if others && inst.src.len() == 2 {
            return false;
        }
        return !matches!(inst.src[index].region, Region::Exact { .. });
    }
    let old_width = model.max_exec_size(inst).min(inst.exec_size);
    let mut candidate = inst.clone();
    candidate.src[index] = *new;
    model.max_exec_size(&candidate).min(inst.exec_size) >= old_width
}
