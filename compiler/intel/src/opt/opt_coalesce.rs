//! Register coalescing: lets a value be computed where a copy would put it.

use crate::bir::cfg::Cfg;
use crate::bir::{File, Inst, Operand, Program, REG_SIZE, VReg};
use crate::liveness::Liveness;
use crate::model::Model;
use crate::pattern::{regs_read, regs_written};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// Merges the source of a copy of whole registers into the copy's destination, when the two are not live at once
/// or the source lives only between its definition and the copy, within one block in which nobody else uses the
/// destination.
pub fn opt_coalesce(program: &mut Program, model: &dyn Model) -> bool {
    let _ = model;
    let cfg = Cfg::new(program);
    let liveness = Liveness::new(program, &cfg);
    let mut touched: BTreeSet<(VReg, u32)> = BTreeSet::new();
    // Source register → destination register and byte offset.
    let mut merged: SecondaryMap<VReg, Option<(VReg, u32)>> = SecondaryMap::new();
    let sites = Sites::new(program);
    let mut changed = false;
    for at in 0..program.insts.len() {
        let inst = &program.insts[at];
        let Some((src, dst, offset)) = whole_copy(program, inst) else { continue };
        let regs = u32::from(program.vregs[src].regs);
        let place: Vec<(VReg, u32)> = (0..regs).map(|r| (dst, offset / REG_SIZE + r)).collect();
        if touched.contains(&(src, u32::MAX))
            || touched.contains(&(dst, u32::MAX))
            || place.iter().any(|p| touched.contains(p))
            || (0..regs).any(|r| touched.contains(&(src, r)))
        {
            continue;
        }
        let source = liveness.interval(src);
        let apart = source.end <= at
            && place.iter().all(|&(v, r)| !liveness.grf_interval(v, r as usize).overlaps(&source));
        if !apart && !in_block(program, &cfg, &sites, at, src, dst, offset) {
            continue;
        }
        merged[src] = Some((dst, offset));
        touched.insert((src, u32::MAX));
        touched.extend(place);
        changed = true;
    }
    if !changed {
        return false;
    }
    for inst in &mut program.insts {
        rename(&mut inst.dst, &merged);
        for src in &mut inst.src {
            rename(src, &merged);
        }
        if inst.is_plain_copy() && inst.dst.is_reg() && same_place(&inst.dst, &inst.src[0]) {
            inst.op = crate::bir::Op::Nop;
        }
    }
    program.compact();
    true
}

fn same_place(a: &Operand, b: &Operand) -> bool {
    a.file == b.file && a.offset == b.offset && a.region == b.region
}

fn rename(operand: &mut Operand, merged: &SecondaryMap<VReg, Option<(VReg, u32)>>) {
    if let Some((v, offset)) = operand.vreg().and_then(|v| merged[v]) {
        operand.file = File::Vgrf(v);
        operand.offset += offset;
    }
}

/// A copy of all of one virtual register to whole registers of another.
fn whole_copy(program: &Program, inst: &Inst) -> Option<(VReg, VReg, u32)> {
    if !inst.is_plain_copy() || inst.align16 {
        return None;
    }
    let (dst, src) = (inst.dst.vreg()?, inst.src[0].vreg()?);
    let bytes = inst.bytes_written();
    let packed = inst.dst.stride() == Some(1) && inst.src[0].stride() == Some(1);
    let whole = inst.src[0].offset == 0 && bytes == u32::from(program.vregs[src].regs) * REG_SIZE;
    (dst != src && packed && whole && inst.dst.offset % REG_SIZE == 0).then_some((src, dst, inst.dst.offset))
}

/// First and last instruction that mentions each register.
struct Sites {
    range: SecondaryMap<VReg, Option<(usize, usize)>>,
}

impl Sites {
    fn new(program: &Program) -> Sites {
        let mut range: SecondaryMap<VReg, Option<(usize, usize)>> = SecondaryMap::new();
        for (i, inst) in program.insts.iter().enumerate() {
            for v in inst.src.iter().chain([&inst.dst]).filter_map(Operand::vreg) {
                let first = range[v].map_or(i, |r| r.0);
                range[v] = Some((first, i));
            }
        }
        Sites { range }
    }
}

/// The source's whole life is in the copy's block and ends with the copy; meanwhile nobody touches the
/// destination, except that the source's first definition may read it.
fn in_block(
    program: &Program,
    cfg: &Cfg,
    sites: &Sites,
    at: usize,
    src: VReg,
    dst: VReg,
    offset: u32,
) -> bool {
    let Some((first, last)) = sites.range[src] else { return false };
    if last != at || cfg.block_of[first] != cfg.block_of[at] {
        return false;
    }
    let bytes = u32::from(program.vregs[src].regs) * REG_SIZE;
    let hits = |operand: &Operand, length: u32| {
        operand.vreg() == Some(dst) && operand.offset < offset + bytes && offset < operand.offset + length
    };
    let no_mask = program.insts[at].no_mask;
    for (i, inst) in program.insts.iter().enumerate().take(at).skip(first) {
        if inst.dst.vreg() == Some(src) && inst.no_mask != no_mask {
            return false;
        }
        if inst.dst.vreg() == Some(dst) && hits(&inst.dst, inst.bytes_written()) {
            return false;
        }
        for (index, operand) in inst.src.iter().enumerate() {
            if !hits(operand, inst.bytes_read(index)) {
                continue;
            }
            let one_register = regs_written(inst) <= 1 && regs_read(inst, index) <= 1;
            let same_layout = operand.offset == inst.dst.offset + offset
                && operand.stride() == inst.dst.stride()
                && operand.ty.size() == inst.dst.ty.size()
                && !operand.is_scalar();
            if i != first || !(one_register || same_layout || inst.op.is_send()) {
                return false;
            }
        }
    }
    true
}
