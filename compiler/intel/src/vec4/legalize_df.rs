//! Fits 64-bit Align16 instructions to the hardware.
//!
//! Before this pass a 64-bit instruction covers a whole dvec4 of both vertices, with any swizzle and writemask.
//! A row of an encoded operand is one oword of two doubles, and the encoded swizzle selects dwords, the same ones
//! in both rows (`align16-df-swizzle`). So what stays in Align16 are instructions all of whose sources read the
//! same two parities in both rows, whole (both vertices) or a vertex at a time. The rest is done in Align1, as
//! many components at a time as form regions. Instructions that read or write flags, and three-source ones, need
//! Align16; their sources are first brought into order.

use super::pieces;
use crate::bir::{File, Inst, Op, Operand, Program, Swizzle, WRITEMASK_XYZW};
use crate::model::{Model, Quirk};
use cranelift_entity::EntityRef;

/// Splits 64-bit Align16 instructions until each can be encoded: logical swizzles and writemasks become those of
/// the hardware's rows, widths what it processes.
pub fn legalize_df(program: &mut Program, model: &dyn Model) -> bool {
    let written = written_components(program);
    let old = std::mem::take(&mut program.insts);
    let mut legalizer = Legalizer { program, model, written, changed: false };
    for inst in old {
        if inst.align16 && is_wide(&inst) {
            legalizer.legalize(inst);
        } else {
            legalizer.program.insts.push(inst);
        }
    }
    legalizer.changed
}

fn is_wide(inst: &Inst) -> bool {
    inst.message.is_none()
        && !inst.op.info().control_flow
        && inst.op != Op::Undef
        && (inst.dst.ty.size() == 8 || inst.exec_type().size() == 8)
}

/// Components of each virtual register that any Align16 instruction writes as 64-bit data; everything for
/// registers written otherwise.
fn written_components(program: &Program) -> Vec<u8> {
    let mut written = vec![0; program.vregs.len()];
    for inst in &program.insts {
        let Some(v) = inst.dst.vreg().filter(|_| inst.op != Op::Undef) else { continue };
        written[v.index()] |= if inst.align16 && inst.dst.ty.size() == 8 && inst.dst.offset == 0 {
            inst.dst.writemask
        } else {
            WRITEMASK_XYZW
        };
    }
    written
}

struct Legalizer<'a> {
    program: &'a mut Program,
    model: &'a dyn Model,
    /// Components ever written, by virtual register.
    written: Vec<u8>,
    changed: bool,
}

impl Legalizer<'_> {
    fn legalize(&mut self, inst: Inst) {
        self.changed = true;
        let mask = inst.dst.writemask;
        let split = matches!(mask, 0b0011 | 0b1100) && self.model.handles(Quirk::Align16DfWritemask);
        if !split {
            self.legalize_mask(inst, mask);
        } else if self.others_are_dead(&inst) {
            // Nothing lives in the other components: write them too.
            let dst = inst.dst.masked(WRITEMASK_XYZW);
            self.legalize_mask(Inst { dst, ..inst }, mask);
        } else if needs_lanes(&inst) {
            let inst = self.separate(inst);
            for c in (0..4).filter(|c| mask >> c & 1 != 0) {
                let part = Inst { dst: inst.0.dst.masked(1 << c), ..inst.0.clone() };
                self.legalize_mask(part, 1 << c);
            }
            self.finish_separate(inst.1);
        } else {
            self.align1(&inst, mask);
        }
    }

    fn others_are_dead(&self, inst: &Inst) -> bool {
        match inst.dst.file {
            File::Vgrf(v) => self.written[v.index()] & !inst.dst.writemask == 0,
            // Flags of components that no reader looks at.
            File::Null => true,
            _ => false,
        }
    }

    /// Legalizes an instruction whose writemask can be encoded; the values of components outside `cared` do not
    /// matter.
    fn legalize_mask(&mut self, mut inst: Inst, cared: u8) {
        if self.align16(&inst, cared) {
            return;
        }
        if !needs_lanes(&inst) {
            self.align1(&inst, cared);
            return;
        }
        let three = inst.op.info().three_source;
        for index in 0..inst.src.len() {
            let src = inst.src[index];
            let fits = (0..2).all(|v| self.half(&src, v, cared, !three).is_some());
            if !fits {
                let copy = Operand::vgrf(self.program.vreg(2), src.ty);
                let mov = Inst::new(Op::Mov, 8, copy.masked(cared), &[src.unmodified()]);
                self.align1(&mov, cared);
                inst.src[index] = Operand { negate: src.negate, abs: src.abs, ..copy };
            }
        }
        let done = self.align16(&inst, cared);
        debug_assert!(done, "plain operands fit: {inst}");
    }

    /// Emits the instruction in Align16 if all of its sources can be encoded; false if not.
    fn align16(&mut self, inst: &Inst, cared: u8) -> bool {
        let too_wide = self.model.handles(Quirk::IvbAlign16DfWidth)
            || (inst.op == Op::Sel && self.model.handles(Quirk::Gen7Align16DfSel));
        if !too_wide {
            let whole: Option<Vec<Operand>> = inst.src.iter().map(|s| self.whole(s, cared)).collect();
            if let Some(src) = whole {
                self.program.insts.push(Inst { src: src.into_iter().collect(), ..inst.clone() });
                return true;
            }
        }
        let repeat = !inst.op.info().three_source;
        let halves: Option<Vec<Vec<Operand>>> =
            (0..2).map(|v| inst.src.iter().map(|s| self.half(s, v, cared, repeat)).collect()).collect();
        let Some(halves) = halves else { return false };
        for (vertex, src) in halves.into_iter().enumerate() {
            let mut half = Inst { src: src.into_iter().collect(), ..inst.clone() };
            half.exec_size = 4;
            half.group = self.group(vertex as u32);
            if half.dst.is_reg() {
                half.dst = half.dst.byte_offset(32 * vertex as u32);
            }
            self.program.insts.push(half);
        }
        true
    }

    /// First channel of a vertex: enables go one bit per double (`df-exec-mask`).
    fn group(&self, vertex: u32) -> u8 {
        if self.model.handles(Quirk::DfExecMask) { 4 * vertex as u8 } else { 0 }
    }

    /// A source of an instruction over both vertices.
    fn whole(&self, src: &Operand, cared: u8) -> Option<Operand> {
        if !src.is_reg() || !self.model.handles(Quirk::Align16DfSwizzle) {
            return Some(*src);
        }
        let (rows, parities) = shape(src, cared)?;
        if src.is_scalar() {
            // The second half would read the next register (`gen7-align16-vstride0`).
            let row = rows[0].or(rows[1])?;
            let same = rows[1].is_none_or(|r| r == row);
            return (same && !self.model.handles(Quirk::Gen7Align16Vstride0))
                .then(|| repeated(src, 0, row, parities));
        }
        let in_place = rows[0].is_none_or(|r| r == 0) && rows[1].is_none_or(|r| r == 1);
        in_place.then(|| Operand { swizzle: physical(parities), ..*src })
    }

    /// A source of an instruction over one vertex.
    fn half(&self, src: &Operand, vertex: u32, cared: u8, repeat: bool) -> Option<Operand> {
        if !src.is_reg() {
            return Some(*src);
        }
        if !self.model.handles(Quirk::Align16DfSwizzle) {
            let rows = if src.is_scalar() { 0 } else { 32 * vertex };
            return Some(src.strided(1).byte_offset(rows));
        }
        let (rows, parities) = shape(src, cared)?;
        match (rows[0], rows[1]) {
            (Some(0), Some(1)) | (Some(0), None) | (None, Some(1)) => {
                let row = if src.is_scalar() { 0 } else { 32 * vertex };
                Some(Operand { swizzle: physical(parities), ..src.strided(1).byte_offset(row) })
            }
            (Some(a), Some(b)) if repeat && a == b => Some(repeated(src, vertex, a, parities)),
            (Some(a), None) | (None, Some(a)) if repeat => Some(repeated(src, vertex, a, parities)),
            _ => None,
        }
    }

    /// Emits the components of `cared` in Align1, as many at a time as form regions.
    fn align1(&mut self, inst: &Inst, cared: u8) {
        let runs = pieces::runs(&inst.src, cared);
        let overlaps = runs.len() > 1 && inst.src.iter().any(|s| s.is_reg() && s.file == inst.dst.file);
        if overlaps {
            // A piece would overwrite what the next one reads.
            let temp = Operand::vgrf(self.program.vreg(2), inst.dst.ty);
            self.align1(&Inst { dst: temp.masked(inst.dst.writemask), ..inst.clone() }, cared);
            let back = Inst::new(Op::Mov, 8, inst.dst, &[temp]);
            self.align1(&back, cared);
            return;
        }
        for (c, count) in runs {
            for vertex in 0..2 {
                let src: Option<Vec<Operand>> =
                    inst.src.iter().map(|s| pieces::source(s, vertex, c, count)).collect();
                // Runs are made of what has a region.
                let Some(src) = src else { continue };
                let dst = pieces::destination(&inst.dst, vertex, c, 1);
                let mut piece = Inst { dst, src: src.into_iter().collect(), ..inst.clone() };
                piece.align16 = false;
                piece.exec_size = count;
                piece.group = self.group(vertex);
                self.program.insts.push(piece);
            }
        }
    }

    /// For an instruction that will be split by components while it reads what it writes: the instruction with a
    /// destination of its own, and the move that must follow.
    fn separate(&mut self, inst: Inst) -> (Inst, Option<Inst>) {
        let overlaps = inst.dst.is_reg() && inst.src.iter().any(|s| s.file == inst.dst.file);
        if !overlaps || inst.is_predicated_write() {
            return (inst, None);
        }
        let temp = Operand::vgrf(self.program.vreg(2), inst.dst.ty);
        let back = Inst::new(Op::Mov, 8, inst.dst, &[temp]);
        (Inst { dst: temp.masked(inst.dst.writemask), ..inst }, Some(back))
    }

    fn finish_separate(&mut self, back: Option<Inst>) {
        if let Some(back) = back {
            self.align1(&back, back.dst.writemask);
        }
    }
}

/// Flags go channel by channel, and three-source instructions exist in Align16 only.
fn needs_lanes(inst: &Inst) -> bool {
    inst.predicate.is_some() || inst.writes_flag() || inst.op.info().three_source
}

/// Which oword each row of two components reads, and the parity that each column reads; `None` where components
/// of a row are in different owords, or rows disagree about the parities.
fn shape(src: &Operand, cared: u8) -> Option<([Option<u32>; 2], [u32; 2])> {
    let mut rows = [None; 2];
    let mut parities = [None; 2];
    for c in (0..4u8).filter(|c| cared >> c & 1 != 0) {
        let component = u32::from(src.swizzle.get(c));
        let (row, column) = (usize::from(c / 2), usize::from(c % 2));
        if *rows[row].get_or_insert(component / 2) != component / 2
            || *parities[column].get_or_insert(component % 2) != component % 2
        {
            return None;
        }
    }
    let known = parities[0].or(parities[1])?;
    Some((rows, parities.map(|p| p.unwrap_or(known))))
}

/// The logical swizzle that picks these parities in both rows.
fn physical(parities: [u32; 2]) -> Swizzle {
    let [a, b] = parities.map(|p| p as u8);
    Swizzle::new([a, b, 2 + a, 2 + b])
}

/// Both rows read oword `row` of the vertex.
fn repeated(src: &Operand, vertex: u32, row: u32, parities: [u32; 2]) -> Operand {
    let start = if src.is_scalar() { 0 } else { 32 * vertex };
    let [a, b] = parities.map(|p| p as u8);
    let moved = src.scalar().byte_offset(start + 16 * row);
    Operand { swizzle: Swizzle::new([a, b, a, b]), ..moved }
}
