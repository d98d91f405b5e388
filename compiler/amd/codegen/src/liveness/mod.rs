//! Liveness of virtual registers, dword by dword: scalar ones along linear edges, vector ones along
//! logical edges.

mod data_flow;
mod units;

use crate::machine::{Inst, Program, Reg};
use amd_isa::Opcode;
use amd_isa::slot::Role;
use data_flow::live_out;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use units::{Unit, Units};

/// A half-open range of places. An instruction reads at an even place and writes at the next one.
pub type Segment = (u32, u32);

/// The live segments of a dword, in ascending order.
pub type Segments = SmallVec<[Segment; 2]>;

/// Live segments of each dword of each register.
#[derive(Clone, Debug)]
pub struct Liveness {
    units: Units,
    segments: Vec<Segments>,
}

/// True if the allocator takes the reads of an instruction to follow its writes: `v_interp_p1_f32`
/// must not write its source.
fn reads_late(inst: &Inst) -> bool {
    inst.opcode == Opcode::VInterpP1F32
}

impl Liveness {
    /// Computes the liveness of a program.
    pub fn new(program: &Program) -> Liveness {
        let units = Units::new(program);
        let mut live_out = live_out(program, &units);
        let mut end = 0;
        for &label in &program.order {
            end += places(&program.blocks[label].insts);
        }
        let all = end;
        let mut scan = Scan {
            end: vec![None; units.owners.len()],
            open: Vec::new(),
            segments: vec![Segments::new(); units.owners.len()],
        };
        for (index, &label) in program.order.iter().enumerate().rev() {
            let insts = &program.blocks[label].insts;
            let start = end - places(insts);
            scan.open.append(&mut live_out[index]);
            scan.block(program, &units, insts, start..end);
            end = start;
        }
        let mut segments = scan.segments;
        segments.iter_mut().for_each(|segments| segments.sort_unstable());
        for (unit, &reg) in units.owners.iter().enumerate() {
            if program.regs[reg].whole {
                segments[unit] = smallvec![(0, all)];
            }
        }
        Liveness { units, segments }
    }

    /// Returns the segments of each dword of a register; none for dwords without uses.
    pub fn of(&self, program: &Program, reg: Reg) -> &[Segments] {
        let first = self.units.first[reg];
        &self.segments[first..first + usize::from(program.regs[reg].dwords)]
    }
}

/// Number of places of a block.
fn places(insts: &[Inst]) -> u32 {
    2 * insts.len() as u32 + 2
}

/// Backward scan of the blocks, the last one first.
struct Scan {
    /// End of the open segment of each live dword.
    end: Vec<Option<u32>>,
    /// Dwords that are or were live in the block; some more than once.
    open: Vec<Unit>,
    /// The segments of each dword, the last one first.
    segments: Vec<Segments>,
}

impl Scan {
    /// Scans a block at whose end the dwords in `open` are live.
    fn block(&mut self, program: &Program, units: &Units, insts: &[Inst], places: Range<u32>) {
        self.open.iter().for_each(|&unit| self.end[unit as usize] = Some(places.end));
        for (index, inst) in insts.iter().enumerate().rev() {
            let read = places.start + 2 * index as u32;
            let uses = program.uses(inst);
            for used in uses.iter().filter(|used| used.role != Role::Read) {
                units.of(program, used).for_each(|unit| self.define(unit, read + 1));
            }
            let at = if reads_late(inst) { read + 2 } else { read + 1 };
            for used in uses.iter().filter(|used| used.role != Role::Write) {
                units.of(program, used).for_each(|unit| self.read(unit, at));
            }
        }
        while let Some(unit) = self.open.pop() {
            if let Some(end) = self.end[unit as usize].take() {
                self.push(unit, (places.start, end));
            }
        }
    }

    /// Ends the scan of a value at its definition. A value without reads takes its place, too.
    fn define(&mut self, unit: Unit, place: u32) {
        let end = self.end[unit as usize].take().unwrap_or(place + 1);
        self.push(unit, (place, end));
    }

    fn read(&mut self, unit: Unit, place: u32) {
        let end = &mut self.end[unit as usize];
        if end.is_none() {
            *end = Some(place);
            self.open.push(unit);
        }
    }

    /// Adds a segment, as a part of the next one if there is nothing between them.
    fn push(&mut self, unit: Unit, segment: Segment) {
        let segments = &mut self.segments[unit as usize];
        match segments.last_mut() {
            Some(next) if next.0 == segment.1 => next.0 = segment.0,
            _ => segments.push(segment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Emitter, Part, ZERO};
    use amd_isa::Chip;

    fn segments(program: &Program, part: Part) -> Vec<Segment> {
        Liveness::new(program).of(program, part.reg)[0].to_vec()
    }

    /// The machine goes through an arm without lanes, lanes go past it: there, a scalar register
    /// that is read after the arm is live, a vector register is not.
    #[test]
    fn files_have_edges_of_their_own() {
        let mut e = Emitter::new(Chip::Si);
        let [arm, end] = [(); 2].map(|()| e.new_label());
        let (scalar, vector, other) = (e.scalar(), e.vector(), e.vector());
        e.sop1(Opcode::SMovB32, scalar, ZERO);
        e.valu(Opcode::VMovB32, &[vector.into()], &[scalar.into()]);
        e.jump(Opcode::SCbranchExecz, end);
        e.program.blocks[e.label].logical.extend([arm, end]);
        e.place(arm);
        e.valu(Opcode::VMovB32, &[other.into()], &[scalar.into()]);
        e.place(end);
        e.valu(Opcode::VAddF32, &[other.into()], &[scalar.into(), vector.into()]);
        assert_eq!(segments(&e.program, scalar), [(1, 13)]);
        assert_eq!(segments(&e.program, vector), [(3, 8), (12, 13)]);
        assert_eq!(segments(&e.program, other), [(9, 10), (13, 14)]);
    }

    /// A register that a loop reads stays live until its end, one that it writes anew does not.
    #[test]
    fn values_of_before_a_loop_live_through_it() {
        let mut e = Emitter::new(Chip::Si);
        let [header, exit] = [(); 2].map(|()| e.new_label());
        let (outer, inner) = (e.scalar(), e.scalar());
        e.sop1(Opcode::SMovB32, outer, ZERO);
        e.place(header);
        e.sop1(Opcode::SMovB32, inner, outer);
        e.sopc(Opcode::SCmpEqU32, inner, ZERO);
        e.jump(Opcode::SCbranchScc0, header);
        e.place(exit);
        e.sopp(Opcode::SEndpgm, &[]);
        assert_eq!(segments(&e.program, outer), [(1, 12)]);
        assert_eq!(segments(&e.program, inner), [(5, 7)]);
    }
}
