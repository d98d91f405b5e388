//! Liveness of virtual registers, dword by dword: scalar ones along linear edges, vector ones along
//! logical edges.

use crate::machine::{File, Inst, Program, Reg, Use, VCC};
use amd_isa::access::{reads_scc, writes_scc};
use amd_isa::slot::Role;
use amd_isa::{Format, Opcode};
use cranelift_entity::SecondaryMap;
use smallvec::{SmallVec, smallvec};

/// A set of dwords of registers.
type Set = Vec<u64>;

fn insert(set: &mut Set, unit: usize) {
    set[unit / 64] |= 1 << (unit % 64);
}

fn remove(set: &mut Set, unit: usize) {
    set[unit / 64] &= !(1 << (unit % 64));
}

fn contains(set: &Set, unit: usize) -> bool {
    set[unit / 64] >> (unit % 64) & 1 != 0
}

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

#[derive(Clone, Debug)]
struct Units {
    first: SecondaryMap<Reg, usize>,
    owners: Vec<Reg>,
}

impl Units {
    fn new(program: &Program) -> Units {
        let mut units = Units { first: SecondaryMap::new(), owners: Vec::new() };
        for (reg, data) in program.regs.iter() {
            units.first[reg] = units.owners.len();
            units.owners.extend(std::iter::repeat_n(reg, data.dwords.into()));
        }
        units
    }

    fn of(&self, program: &Program, used: &Use) -> std::ops::Range<usize> {
        let data = &program.regs[used.part.reg];
        let first = self.first[used.part.reg] + usize::from(used.part.dword);
        let left = data.dwords.saturating_sub(used.part.dword);
        first..first + usize::from(used.dwords.min(left))
    }
}

/// Returns the uses of an instruction as the allocator sees them: `v_interp_p1_f32` must not write
/// its source, so that it reads after it writes.
fn reads_late(inst: &Inst) -> bool {
    inst.opcode == Opcode::VInterpP1F32
}

impl Liveness {
    /// Computes the liveness of a program.
    pub fn new(program: &Program) -> Liveness {
        let units = Units::new(program);
        let live_out = solve(program, &units);
        let mut scan = Scan {
            end: vec![0; units.owners.len()],
            live: vec![0; units.owners.len().div_ceil(64)],
            segments: vec![Segments::new(); units.owners.len()],
        };
        let mut start = 0;
        for (index, &label) in program.order.iter().enumerate() {
            let insts = &program.blocks[label].insts;
            scan.block(program, &units, insts, start, &live_out[index]);
            start += 2 * insts.len() as u32 + 2;
        }
        let mut segments = scan.segments;
        segments.iter_mut().for_each(|segments| segments.sort_unstable());
        for (unit, &reg) in units.owners.iter().enumerate() {
            if program.regs[reg].whole {
                segments[unit] = smallvec![(0, start)];
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

/// Backward scan of a block.
struct Scan {
    /// End of the open segment of each live dword.
    end: Vec<u32>,
    live: Set,
    segments: Vec<Segments>,
}

impl Scan {
    fn block(&mut self, program: &Program, units: &Units, insts: &[Inst], start: u32, out: &Set) {
        let end = start + 2 * insts.len() as u32 + 2;
        self.live.clone_from(out);
        members(out).for_each(|unit| self.end[unit] = end);
        for (index, inst) in insts.iter().enumerate().rev() {
            let read = start + 2 * index as u32;
            let uses = program.uses(inst);
            for used in uses.iter().filter(|used| used.role != Role::Read) {
                units.of(program, used).for_each(|unit| self.define(unit, read + 1));
            }
            let at = if reads_late(inst) { read + 2 } else { read + 1 };
            for used in uses.iter().filter(|used| used.role != Role::Write) {
                units.of(program, used).for_each(|unit| self.read(unit, at));
            }
        }
        for unit in members(&self.live) {
            self.segments[unit].push((start, self.end[unit]));
        }
    }

    /// Ends the scan of a value at its definition. A value without reads takes its place, too.
    fn define(&mut self, unit: usize, place: u32) {
        let end = if contains(&self.live, unit) { self.end[unit] } else { place + 1 };
        remove(&mut self.live, unit);
        self.segments[unit].push((place, end));
    }

    fn read(&mut self, unit: usize, place: u32) {
        if !contains(&self.live, unit) {
            insert(&mut self.live, unit);
            self.end[unit] = place;
        }
    }
}

fn members(set: &Set) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| word * 64 + bit)
    })
}

/// Live dwords at the end of each block.
fn solve(program: &Program, units: &Units) -> Vec<Set> {
    let words = units.owners.len().div_ceil(64);
    let mut vector: Set = vec![0; words];
    for (unit, &reg) in units.owners.iter().enumerate() {
        if program.regs[reg].file == File::Vector {
            insert(&mut vector, unit);
        }
    }
    let (linear, logical) = (program.linear_successors(), program.logical_successors());
    let blocks: Vec<(Set, Set)> = program
        .order
        .iter()
        .map(|&label| summary(program, units, &program.blocks[label].insts, words))
        .collect();
    let count = blocks.len();
    let mut live_in = vec![vec![0; words]; count];
    let mut live_out = vec![vec![0; words]; count];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for index in (0..count).rev() {
            let mut out: Set = vec![0; words];
            let edges: [(&SmallVec<[usize; 2]>, bool); 2] =
                [(&linear[index], false), (&logical[index], true)];
            for (successors, is_vector) in edges {
                for &succ in successors {
                    for word in 0..words {
                        let file = if is_vector { vector[word] } else { !vector[word] };
                        out[word] |= live_in[succ][word] & file;
                    }
                }
            }
            let (read, written) = &blocks[index];
            let into: Set =
                (0..words).map(|word| read[word] | out[word] & !written[word]).collect();
            changed |= into != live_in[index];
            live_in[index] = into;
            live_out[index] = out;
        }
    }
    live_out
}

/// Dwords read before they are written in a block, and dwords written.
fn summary(program: &Program, units: &Units, insts: &[Inst], words: usize) -> (Set, Set) {
    let (mut read, mut written) = (vec![0; words], vec![0; words]);
    for inst in insts {
        let uses = program.uses(inst);
        for used in uses.iter().filter(|used| used.role != Role::Write) {
            for unit in units.of(program, used) {
                if !contains(&written, unit) {
                    insert(&mut read, unit);
                }
            }
        }
        for used in uses.iter().filter(|used| used.role != Role::Read) {
            units.of(program, used).for_each(|unit| insert(&mut written, unit));
        }
    }
    (read, written)
}

/// Removes instructions whose results nothing needs and that have no other effect. Spilling will
/// read `kept`.
///
/// An instruction is needed if it has an effect, or if it writes a register or a condition code
/// that a needed instruction reads: elements of an array that only their own selections read go.
pub fn remove_dead(program: &mut Program, kept: Option<Reg>) {
    let items = items(program);
    let mut writers: SecondaryMap<Reg, SmallVec<[u32; 2]>> = SecondaryMap::new();
    for (index, item) in items.iter().enumerate() {
        for used in item.uses.iter().filter(|used| used.role != Role::Read) {
            writers[used.part.reg].push(index as u32);
        }
    }
    let mut needed = vec![false; items.len()];
    let mut open: Vec<u32> = Vec::new();
    let mut need = |index: u32, open: &mut Vec<u32>| {
        if !std::mem::replace(&mut needed[index as usize], true) {
            open.push(index);
        }
    };
    for (index, item) in items.iter().enumerate() {
        if item.acts {
            need(index as u32, &mut open);
        }
    }
    // The writers of a register are needed together, once.
    let mut seen: SecondaryMap<Reg, bool> = SecondaryMap::new();
    let mut registers: SmallVec<[Reg; 8]> = kept.into_iter().collect();
    loop {
        for reg in registers.drain(..) {
            if !std::mem::replace(&mut seen[reg], true) {
                writers[reg].iter().for_each(|&index| need(index, &mut open));
            }
        }
        let Some(index) = open.pop() else { break };
        let item = &items[index as usize];
        item.codes.iter().flatten().for_each(|&index| need(index, &mut open));
        let reads = item.uses.iter().filter(|used| used.role != Role::Write);
        registers.extend(reads.map(|used| used.part.reg));
    }
    let mut needed = needed.into_iter();
    for &label in &program.order {
        program.blocks[label].insts.retain(|_| needed.next().unwrap_or(true));
    }
}

/// An instruction in the search for those that nothing needs.
struct Item {
    uses: SmallVec<[Use; 6]>,
    /// It has an effect beside its results.
    acts: bool,
    /// Instructions that write the condition codes that it reads.
    codes: [Option<u32>; 2],
}

/// The instructions of all blocks in their order.
fn items(program: &Program) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for &label in &program.order {
        // Nothing reads the condition codes of another block.
        let (mut condition, mut carries) = (None, None);
        for inst in &program.blocks[label].insts {
            let index = items.len() as u32;
            let uses = program.uses(inst);
            let codes = [
                condition.filter(|_| reads_scc(inst.opcode)),
                carries.filter(|_| reads_carries(inst)),
            ];
            if writes_scc(inst.format, inst.opcode) {
                condition = Some(index);
            }
            if writes_carries(inst) {
                carries = Some(index);
            }
            items.push(Item { acts: !is_removable(inst, &uses), uses, codes });
        }
    }
    items
}

/// True if the second result is the vector condition code.
pub(crate) fn writes_carries(inst: &Inst) -> bool {
    inst.opcode.info().destinations.len() == 2 && inst.args.get(1) == Some(&VCC)
}

/// True if the vector condition code is a source.
pub(crate) fn reads_carries(inst: &Inst) -> bool {
    let results = inst.opcode.info().destinations.len();
    let implicit = matches!(
        inst.opcode,
        Opcode::VDivFmasF32 | Opcode::VDivFmasF64 | Opcode::SCbranchVccz | Opcode::SCbranchVccnz
    );
    implicit || inst.args.iter().skip(results).any(|arg| *arg == VCC)
}

/// True for an instruction without an effect beside its results.
fn is_removable(inst: &Inst, uses: &[Use]) -> bool {
    use crate::machine::Arg;
    if inst.format == Format::Sopc {
        return true;
    }
    let vector = inst.format.is_vector_alu();
    if !(vector || is_plain_scalar(inst) || is_load(inst)) {
        return false;
    }
    let results = inst.opcode.info().destinations.len().max(1);
    let carries = writes_carries(inst);
    let mut written = inst.args.iter().take(results).enumerate();
    let virtual_results =
        written.all(|(index, arg)| matches!(arg, Arg::Part(_)) || index == 1 && carries);
    virtual_results && (vector || uses.iter().all(|u| u.role != Role::Both))
}

/// True for an operation of the scalar ALU that always writes its results, and nothing else.
fn is_plain_scalar(inst: &Inst) -> bool {
    let name = inst.opcode.mnemonic();
    match inst.format {
        Format::Sop2 => true,
        Format::Sop1 => !name.contains("saveexec") && !name.contains("cmov"),
        _ => false,
    }
}

/// True for a load, and for an exchange of values between lanes.
fn is_load(inst: &Inst) -> bool {
    let name = inst.opcode.mnemonic();
    match inst.format {
        Format::Mimg => !name.contains("store") && !inst.opcode.is_atomic(),
        Format::Ds => name.starts_with("ds_read") || inst.opcode == Opcode::DsSwizzleB32,
        Format::Smem | Format::Mubuf | Format::Mtbuf => name.contains("_load_"),
        _ => false,
    }
}
