//! Orders the instructions of blocks for few live registers: from the end of a block on, the
//! instruction comes next that ends more values than it begins, and of several one that the last
//! one reads from. The instructions of one result come together:
//!
//! ```text
//! before:
//!   v_mul_f32 r1, r0, r0
//!   v_mul_f32 r2, r9, r9
//!   v_add_f32 r3, r1, r0
//!   v_add_f32 r4, r2, r9
//!   exp mrt0 r3, …
//!   exp mrt1 r4, …
//! after:
//!   v_mul_f32 r1, r0, r0
//!   v_add_f32 r3, r1, r0
//!   exp mrt0 r3, …
//!   v_mul_f32 r2, r9, r9
//!   v_add_f32 r4, r2, r9
//!   exp mrt1 r4, …
//! ```
//!
//! Loads are next to their readers then, which have to wait for them: this is only for programs
//! whose registers limit the waves.

use super::motion::{Entry, Memory, registers_of_several_blocks, take_entries};
use crate::machine::{File, Program, Reg};
use amd_isa::Property;
use amd_isa::slot::Role;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A dword of a register.
type Dword = (Reg, u8);

/// Maximum number of units of a segment: longer ones stay as they are.
const MOST_UNITS: usize = 3000;
/// Weights of live dwords: there are more scalar registers than vector registers for a wave.
const VECTOR: i32 = 4;
const SCALAR: i32 = 1;

/// Orders the instructions of all blocks.
pub(crate) fn opt_schedule(program: &mut Program) -> bool {
    let mut changed = false;
    let elsewhere = registers_of_several_blocks(program);
    for label in program.order.clone() {
        let entries = take_entries(program, label);
        let order = order(program, &entries, &elsewhere);
        changed |= !order.is_sorted();
        let mut insts: Vec<_> = entries.into_iter().map(|entry| Some(entry.inst)).collect();
        let moved = order.into_iter().filter_map(|index| insts[index].take()).collect();
        program.blocks[label].insts = moved;
    }
    changed
}

/// The places of the instructions of a block in their new order.
fn order(program: &Program, entries: &[Entry], elsewhere: &SecondaryMap<Reg, bool>) -> Vec<usize> {
    let Some(segments) = segments(entries, program.kept) else {
        return (0..entries.len()).collect();
    };
    let mut live: FxHashSet<Dword> = FxHashSet::default();
    for used in entries.iter().flat_map(|entry| &entry.uses) {
        if elsewhere[used.part.reg] {
            let dwords = program.regs[used.part.reg].dwords;
            live.extend((0..dwords).map(|dword| (used.part.reg, dword)));
        }
    }
    let mut reversed: Vec<usize> = Vec::with_capacity(entries.len());
    for segment in segments.into_iter().rev() {
        let mut graph = Graph::new(entries, &segment.units);
        for number in graph.order(program, &mut live, segment.pinned) {
            reversed.extend(segment.units[number].clone().rev());
        }
        if let Some(barrier) = segment.start.checked_sub(1) {
            Unit::new(entries, barrier..barrier + 1).apply(&mut live);
            reversed.push(barrier);
        }
    }
    reversed.reverse();
    reversed
}

/// Instructions between two that others do not pass.
struct Segment {
    start: usize,
    /// Instructions that stay together: from the writer of a condition code to its last reader.
    units: Vec<Range<usize>>,
    /// The last unit stays the last: what follows reads its condition code.
    pinned: bool,
}

/// The segments of a block; nothing if a condition code is read in another one than the next.
/// Spilling reads the kept register anywhere after its definition.
fn segments(entries: &[Entry], kept: Option<Reg>) -> Option<Vec<Segment>> {
    let defines_kept = |entry: &Entry| {
        entry.uses.iter().any(|used| used.role != Role::Read && Some(used.part.reg) == kept)
    };
    let is_barrier =
        |entry: &Entry| entry.effect.acts || entry.effect.switches || defines_kept(entry);
    let barriers = (0..entries.len()).filter(|&at| is_barrier(&entries[at]));
    let mut segments = Vec::new();
    let mut start = 0;
    for end in barriers.chain([entries.len()]) {
        segments.push(Segment::new(entries, start..end)?);
        start = end + 1;
    }
    Some(segments)
}

/// The last writers of the condition codes, VCC and SCC, in a segment.
type Writers = [Option<usize>; 2];

impl Segment {
    /// The segment of these instructions; nothing if one of them, or the barrier after them, reads
    /// a condition code of an earlier segment.
    fn new(entries: &[Entry], range: Range<usize>) -> Option<Segment> {
        let mut writers = Writers::default();
        let mut units = Vec::new();
        for at in range.clone() {
            add_unit(&mut units, first_needed(entries, at, &writers)?..at + 1);
            let Entry { effect, inst, .. } = &entries[at];
            let writes = [effect.writes_vcc, inst.opcode.has(Property::SetsScc)];
            for (writer, _) in writers.iter_mut().zip(writes).filter(|(_, writes)| *writes) {
                *writer = Some(at);
            }
        }
        let Range { start, end } = range;
        let first = if end < entries.len() { first_needed(entries, end, &writers)? } else { end };
        let pinned = first < end;
        if pinned {
            add_unit(&mut units, first..end);
        }
        Some(Segment { start, units, pinned })
    }
}

/// The first of an instruction and the writers of the condition codes that it reads; nothing if one
/// of them is unknown.
fn first_needed(entries: &[Entry], at: usize, writers: &Writers) -> Option<usize> {
    let Entry { effect, inst, .. } = &entries[at];
    let reads = [effect.reads_vcc, inst.opcode.has(Property::ReadsScc)];
    let read = writers.iter().zip(reads).filter(|(_, reads)| *reads);
    read.map(|(writer, _)| *writer).try_fold(at, |first, writer| Some(first.min(writer?)))
}

/// Adds a unit after the others; those that it overlaps become parts of it.
fn add_unit(units: &mut Vec<Range<usize>>, mut unit: Range<usize>) {
    while let Some(last) = units.pop_if(|last| last.end > unit.start) {
        unit.start = unit.start.min(last.start);
    }
    units.push(unit);
}

/// Instructions that stay together.
struct Unit {
    reads: Vec<Dword>,
    writes: Vec<Dword>,
    loads: Vec<Memory>,
    stores: Vec<Memory>,
}

impl Unit {
    fn new(entries: &[Entry], range: Range<usize>) -> Unit {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let entries = &entries[range];
        for used in entries.iter().flat_map(|entry| &entry.uses) {
            for dword in used.part.dword..used.part.dword + used.dwords {
                let dword = (used.part.reg, dword);
                // A result of another instruction of the unit is not a source.
                if used.role != Role::Write && !writes.contains(&dword) {
                    reads.push(dword);
                }
            }
            for dword in used.part.dword..used.part.dword + used.dwords {
                if used.role != Role::Read {
                    writes.push((used.part.reg, dword));
                }
            }
        }
        for list in [&mut reads, &mut writes] {
            list.sort_unstable();
            list.dedup();
        }
        let loads = entries.iter().filter_map(|entry| entry.effect.loads).collect();
        let stores = entries.iter().filter_map(|entry| entry.effect.stores).collect();
        Unit { reads, writes, loads, stores }
    }

    /// Changes the live dwords after the unit to those before it.
    fn apply(&self, live: &mut FxHashSet<Dword>) {
        self.writes.iter().for_each(|dword| {
            live.remove(dword);
        });
        live.extend(&self.reads);
    }

    /// Growth of what is live when the unit comes before the others.
    fn growth(&self, program: &Program, live: &FxHashSet<Dword>) -> i32 {
        let weight = |dword: &Dword| match program.regs[dword.0].file {
            File::Vector => VECTOR,
            File::Scalar => SCALAR,
        };
        let begins = self.reads.iter().filter(|dword| !live.contains(*dword));
        let ends = self.writes.iter().filter(|dword| live.contains(*dword));
        let again = self.reads.iter().filter(|d| live.contains(*d) && self.writes.contains(d));
        begins.chain(again).map(weight).sum::<i32>() - ends.map(weight).sum::<i32>()
    }
}

/// Units of a segment with their dependencies.
struct Graph {
    units: Vec<Unit>,
    /// Units that each unit has to follow.
    before: Vec<Vec<usize>>,
    /// Number of units that have to follow each unit.
    followers: Vec<usize>,
}

impl Graph {
    fn new(entries: &[Entry], ranges: &[Range<usize>]) -> Graph {
        let units: Vec<Unit> =
            ranges.iter().map(|range| Unit::new(entries, range.clone())).collect();
        let mut before: Vec<Vec<usize>> = Vec::with_capacity(units.len());
        let mut writer: FxHashMap<Dword, usize> = FxHashMap::default();
        let mut readers: FxHashMap<Dword, Vec<usize>> = FxHashMap::default();
        let mut accesses: Vec<(Memory, usize, bool)> = Vec::new();
        for (number, unit) in units.iter().enumerate() {
            let mut first: Vec<usize> = Vec::new();
            for dword in unit.reads.iter().chain(&unit.writes) {
                first.extend(writer.get(dword));
            }
            for dword in &unit.writes {
                first.extend(readers.get(dword).into_iter().flatten());
            }
            for &(memory, other, stores) in &accesses {
                let conflicts =
                    unit.stores.contains(&memory) || stores && unit.loads.contains(&memory);
                first.extend(conflicts.then_some(other));
            }
            for &dword in &unit.writes {
                writer.insert(dword, number);
                readers.remove(&dword);
            }
            for &dword in &unit.reads {
                readers.entry(dword).or_default().push(number);
            }
            accesses.extend(unit.loads.iter().map(|&memory| (memory, number, false)));
            accesses.extend(unit.stores.iter().map(|&memory| (memory, number, true)));
            first.sort_unstable();
            first.dedup();
            first.retain(|&other| other != number);
            before.push(first);
        }
        let mut followers = vec![0; units.len()];
        before.iter().flatten().for_each(|&unit| followers[unit] += 1);
        Graph { units, before, followers }
    }

    /// The numbers of the units, the last one first; `live` changes from the dwords after the
    /// segment to those before it.
    fn order(
        &mut self,
        program: &Program,
        live: &mut FxHashSet<Dword>,
        pinned: bool,
    ) -> Vec<usize> {
        let count = self.units.len();
        if count > MOST_UNITS {
            self.units.iter().rev().for_each(|unit| unit.apply(live));
            return (0..count).rev().collect();
        }
        // In the order in which they became ready.
        let mut ready: Vec<usize> = (0..count).filter(|&unit| self.followers[unit] == 0).collect();
        let mut order = Vec::with_capacity(count);
        while !ready.is_empty() {
            let choices = ready.iter().enumerate();
            let least = choices
                .min_by_key(|&(at, &unit)| {
                    let growth = self.units[unit].growth(program, live);
                    // Sources of the last ones come before units that only begin values.
                    (growth, self.units[unit].writes.is_empty(), std::cmp::Reverse(at))
                })
                .map_or(0, |(at, _)| at);
            let at = if pinned && order.is_empty() { ready.len() - 1 } else { least };
            let unit = ready.remove(at);
            self.units[unit].apply(live);
            order.push(unit);
            for &other in &self.before[unit] {
                self.followers[other] -= 1;
                if self.followers[other] == 0 {
                    ready.push(other);
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Arg, Emitter, VCC, int};
    use amd_isa::{Chip, Format, Modifiers, Opcode, Operand};

    fn opcodes(program: &Program) -> Vec<Opcode> {
        let insts = program.order.iter().flat_map(|&label| &program.blocks[label].insts);
        insts.map(|inst| inst.opcode).collect()
    }

    #[test]
    fn what_belongs_to_a_result_comes_together() {
        let mut e = Emitter::new(Chip::Si);
        let inputs = [0, 1].map(|number| e.fixed(File::Vector, number, 1));
        let products = inputs.map(|x| e.valu1(Opcode::VMulF32, &[x.into(), x.into()]));
        let sums =
            [0, 1].map(|i| e.valu1(Opcode::VAddF32, &[products[i].into(), inputs[i].into()]));
        for (target, sum) in (0..).zip(sums) {
            let off = Arg::Fixed(Operand::Off);
            let args = [Arg::Fixed(Operand::Target(target)), sum.into(), off, off, off];
            e.push(Format::Exp, Opcode::Exp, &args, Modifiers::default());
        }
        e.sopp(Opcode::SEndpgm, &[]);
        assert!(opt_schedule(&mut e.program));
        use Opcode::{Exp, SEndpgm, VAddF32, VMulF32};
        assert_eq!(opcodes(&e.program), [VMulF32, VAddF32, Exp, VMulF32, VAddF32, Exp, SEndpgm]);
    }

    /// Spilling reads the descriptor of scratch memory, which nothing reads before it.
    #[test]
    fn the_kept_register_is_defined_first() {
        let mut e = Emitter::new(Chip::Si);
        let table = e.fixed(File::Scalar, 0, 2);
        let kept = e.reg(File::Scalar, 4);
        e.scalar_load(Opcode::SLoadDwordx4, kept, table, int(16));
        let input = e.fixed(File::Vector, 0, 1);
        let product = e.valu1(Opcode::VMulF32, &[input.into(), input.into()]);
        let off = Arg::Fixed(Operand::Off);
        let args = [Arg::Fixed(Operand::Target(0)), product.into(), off, off, off];
        e.push(Format::Exp, Opcode::Exp, &args, Modifiers::default());
        e.sopp(Opcode::SEndpgm, &[]);
        e.program.kept = Some(kept.reg);
        opt_schedule(&mut e.program);
        assert_eq!(opcodes(&e.program)[0], Opcode::SLoadDwordx4);
    }

    #[test]
    fn carries_stay_with_their_readers() {
        let mut e = Emitter::new(Chip::Si);
        let inputs = [0, 1, 2, 3].map(|number| e.fixed(File::Vector, number, 1));
        let [low, other, to] = [(); 3].map(|()| e.vector());
        let [a, b, c, d] = inputs.map(Arg::from);
        e.valu(Opcode::VAddI32, &[low.into(), VCC], &[a.into(), b.into()]);
        e.valu(Opcode::VAddcU32, &[to.into(), VCC], &[c.into(), d.into(), VCC.into()]);
        e.valu(Opcode::VAddI32, &[other.into(), VCC], &[to.into(), low.into()]);
        let off = Arg::Fixed(Operand::Off);
        let args = [Arg::Fixed(Operand::Target(0)), other.into(), low.into(), to.into(), off];
        e.push(Format::Exp, Opcode::Exp, &args, Modifiers::default());
        let before = opcodes(&e.program);
        assert!(!opt_schedule(&mut e.program));
        assert_eq!(opcodes(&e.program), before);
    }

    /// A unit begins with the writer of the code that its last instruction reads, and takes in the
    /// units between.
    #[test]
    fn units_join_those_that_they_overlap() {
        let mut units = vec![0..1, 1..2, 2..4, 4..5];
        add_unit(&mut units, 3..6);
        assert_eq!(units, [0..1, 1..2, 2..6]);
        add_unit(&mut units, 6..7);
        assert_eq!(units, [0..1, 1..2, 2..6, 6..7]);
    }

    /// A jump reads the condition code of the instructions before it: they stay the last.
    #[test]
    fn the_code_that_a_jump_reads_is_the_last() {
        let mut e = Emitter::new(Chip::Si);
        let end = e.new_label();
        let [first, second] = [0, 1].map(|number| e.fixed(File::Scalar, number, 1));
        e.sopc(Opcode::SCmpEqU32, first, second);
        let copy = e.vector();
        e.valu(Opcode::VMovB32, &[copy.into()], &[first.into()]);
        e.jump(Opcode::SCbranchScc0, end);
        e.place(end);
        let label = e.program.order[0];
        let entries = take_entries(&mut e.program, label);
        let segments = segments(&entries, None).expect("no code of another segment");
        let [first, second] = &segments[..] else { panic!("{} segments", segments.len()) };
        let units: Vec<(usize, usize)> = first.units.iter().map(|u| (u.start, u.end)).collect();
        assert_eq!((first.start, units, first.pinned), (0, vec![(0, 2)], true));
        assert_eq!((second.start, second.units.len(), second.pinned), (3, 0, false));
    }
}
