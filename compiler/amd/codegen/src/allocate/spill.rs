//! Spilling: scalar registers to lanes of vector registers, vector registers to scratch memory.
//!
//! ```text
//! before: s_mov_b32 r1, 5                  after: s_mov_b32 r8, 5
//!         …                                       v_writelane_b32 r9, r8, 0
//!                                                 …
//!         s_add_u32 r2, r1, r3                    v_readlane_b32 r10, r9, 0
//!                                                 s_add_u32 r2, r10, r3
//! ```
//!
//! `v_writelane_b32` writes lanes that are not active, too, so that a vector register with spilled
//! scalars has its physical register to itself.

use super::{Allocation, Full, allocate};
use crate::liveness::Liveness;
use crate::machine::{Arg, File, Inst, Label, Part, Program, Reg, RegData, bits};
use amd_isa::slot::Role;
use amd_isa::{Format, Modifiers, Opcode, Operand};
use cranelift_entity::SecondaryMap;
use ir::CompileError;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vocabulary::{InternalError, SourceLine};

/// Lanes of a vector register.
const LANES: u8 = 64;
/// Largest constant offset of a buffer access.
const MAX_OFFSET: u32 = 4095;
/// Maximum number of rounds: each leaves more registers free.
const MAX_ROUNDS: u16 = 12;
/// Registers that each round leaves free.
const STEP: u16 = 6;
/// Places that a value has to live to be worth spilling.
const MIN_LENGTH: u32 = 12;

/// Scratch memory for vector registers.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// Descriptor, in registers for the whole program.
    pub descriptor: Option<Part>,
    /// Bytes per lane in use.
    pub bytes: u32,
    /// Stores of spilled registers.
    pub spills: u32,
    /// Loads of spilled registers.
    pub fills: u32,
}

/// Reason why there is no allocation.
#[derive(Debug)]
pub enum Failure {
    /// Vector registers have to be spilled, and the program has no descriptor of scratch memory.
    NeedsScratch(CompileError),
    /// The registers do not suffice.
    Error(CompileError),
}

impl Failure {
    /// Returns the error of a program that cannot be allocated.
    pub fn error(self) -> CompileError {
        match self {
            Failure::NeedsScratch(error) | Failure::Error(error) => error,
        }
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        Failure::Error(error)
    }
}

impl From<InternalError> for Failure {
    fn from(error: InternalError) -> Failure {
        Failure::Error(error.into())
    }
}

/// Allocates the registers of a program, after spilling as many as necessary.
///
/// # Errors
/// The registers of a file do not suffice, although all that can be spilled is.
pub fn allocate_and_spill(
    program: &mut Program,
    scratch: &mut Scratch,
) -> Result<Allocation, Failure> {
    let mut kept: FxHashSet<Reg> = scratch.descriptor.iter().map(|part| part.reg).collect();
    let mut rounds = [0; 2];
    loop {
        let Full(file) = match allocate(program) {
            Ok(allocation) => return Ok(allocation),
            Err(full) => full,
        };
        if file == File::Vector && scratch.descriptor.is_none() {
            return Err(Failure::NeedsScratch(Full(file).error(program)));
        }
        let round = &mut rounds[file as usize];
        // Few registers are live where aligned groups have no place between others.
        let victims = loop {
            if *round == MAX_ROUNDS {
                return Err(Failure::Error(Full(file).error(program)));
            }
            let target = program.limit(file).saturating_sub(STEP * *round);
            *round += 1;
            let victims = choose(program, file, target, &kept);
            if !victims.is_empty() {
                break victims;
            }
        };
        let first_new = program.regs.len();
        match file {
            File::Scalar => spill_scalars(program, &victims),
            File::Vector => {
                let Some(descriptor) = scratch.descriptor else {
                    return Err(Failure::NeedsScratch(Full(file).error(program)));
                };
                spill_vectors(program, &victims, descriptor, scratch);
            }
        }
        kept.extend(program.regs.keys().skip(first_new));
    }
}

/// Chooses registers without which no more than `target` are live anywhere.
fn choose(program: &Program, file: File, target: u16, kept: &FxHashSet<Reg>) -> Vec<Reg> {
    let liveness = Liveness::new(program);
    let weights = weights(program);
    let of_file = || program.regs.iter().filter(|(_, data)| data.file == file);
    let places = of_file()
        .flat_map(|(reg, _)| liveness.of(program, reg))
        .flatten()
        .map(|segment| segment.1 as usize)
        .max()
        .unwrap_or(0);
    let mut pressure = vec![0i32; places];
    let count = |reg: Reg, change: i32, pressure: &mut Vec<i32>| {
        for &(start, end) in liveness.of(program, reg).iter().flatten() {
            pressure[start as usize..end as usize].iter_mut().for_each(|p| *p += change);
        }
    };
    of_file().for_each(|(reg, _)| count(reg, 1, &mut pressure));
    let length = |reg: Reg| {
        let segments = liveness.of(program, reg).iter().flatten();
        segments.map(|(start, end)| end - start).sum::<u32>()
    };
    let is_candidate = |&(reg, data): &(Reg, &RegData)| {
        data.fixed.is_none() && !kept.contains(&reg) && length(reg) >= MIN_LENGTH
    };
    // The longest lives with the fewest uses first.
    let mut candidates: Vec<(f64, Reg)> = of_file()
        .filter(is_candidate)
        .map(|(reg, _)| (f64::from(weights[reg]) / f64::from(length(reg)), reg))
        .collect();
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut victims = Vec::new();
    for (_, reg) in candidates {
        let helps = liveness.of(program, reg).iter().flatten().any(|&(start, end)| {
            pressure[start as usize..end as usize].iter().any(|&p| p > i32::from(target))
        });
        if helps {
            count(reg, -1, &mut pressure);
            victims.push(reg);
        }
    }
    victims
}

/// Number of uses of each register.
fn weights(program: &Program) -> SecondaryMap<Reg, u32> {
    let mut weights = SecondaryMap::new();
    for &label in &program.order {
        for inst in &program.blocks[label].insts {
            program.uses(inst).iter().for_each(|used| weights[used.part.reg] += 1);
        }
    }
    weights
}

/// Moves of a dword of a spilled register, before an instruction or after it.
type Moves<'a> = &'a mut dyn FnMut(&mut Program, Reg, u8, Part, bool, &mut Vec<Inst>);

/// Replaces spilled registers by new ones at each use. `moves` adds the code that loads (true) or
/// stores a dword.
fn rewrite(program: &mut Program, victims: &FxHashSet<Reg>, moves: Moves<'_>) {
    for label in program.order.clone() {
        rewrite_block(program, label, victims, moves);
    }
}

fn rewrite_block(program: &mut Program, label: Label, victims: &FxHashSet<Reg>, moves: Moves<'_>) {
    let insts = std::mem::take(&mut program.blocks[label].insts);
    let mut rewritten = Vec::with_capacity(insts.len());
    for mut inst in insts {
        let uses: SmallVec<[_; 6]> = program.uses(&inst);
        let mut copies: FxHashMap<Reg, Part> = FxHashMap::default();
        let mut loaded: FxHashSet<(Reg, u8)> = FxHashSet::default();
        let mut after = Vec::new();
        for used in uses.iter().filter(|used| victims.contains(&used.part.reg)) {
            let reg = used.part.reg;
            let data = program.regs[reg];
            let copy = *copies
                .entry(reg)
                .or_insert_with(|| Part { reg: program.regs.push(data), dword: 0 });
            let last = (used.part.dword + used.dwords).min(data.dwords);
            for dword in used.part.dword..last {
                if used.role != Role::Write && loaded.insert((reg, dword)) {
                    moves(program, reg, dword, copy.at(dword), true, &mut rewritten);
                }
                if used.role != Role::Read {
                    moves(program, reg, dword, copy.at(dword), false, &mut after);
                }
            }
        }
        for arg in &mut inst.args {
            if let Arg::Part(part) = arg
                && let Some(copy) = copies.get(&part.reg)
            {
                part.reg = copy.reg;
            }
        }
        rewritten.push(inst);
        rewritten.append(&mut after);
    }
    program.blocks[label].insts = rewritten;
}

fn spill_scalars(program: &mut Program, victims: &[Reg]) {
    let mut places: FxHashMap<(Reg, u8), (Reg, u8)> = FxHashMap::default();
    let mut lanes: Option<(Reg, u8)> = None;
    for &reg in victims {
        for dword in 0..program.regs[reg].dwords {
            let (holder, lane) = match lanes {
                Some((holder, lane)) if lane < LANES => (holder, lane),
                _ => {
                    let data = RegData { file: File::Vector, dwords: 1, fixed: None, whole: true };
                    (program.regs.push(data), 0)
                }
            };
            places.insert((reg, dword), (holder, lane));
            lanes = Some((holder, lane + 1));
        }
    }
    let set: FxHashSet<Reg> = victims.iter().copied().collect();
    rewrite(program, &set, &mut |program, reg, dword, copy, load, out| {
        let Some(&(holder, lane)) = places.get(&(reg, dword)) else { return };
        let holder = Part { reg: holder, dword: 0 };
        let lane = Arg::Fixed(Operand::integer(lane.into()));
        let (opcode, args): (Opcode, [Arg; 3]) = match load {
            true => (Opcode::VReadlaneB32, [copy.into(), holder.into(), lane]),
            false => (Opcode::VWritelaneB32, [holder.into(), copy.into(), lane]),
        };
        let short = program.chip.row(Format::Vop2, opcode).is_some();
        let format = if short { Format::Vop2 } else { Format::Vop3 };
        let args = SmallVec::from_slice(&args);
        let modifiers = Modifiers::default();
        out.push(Inst { opcode, format, args, modifiers, line: SourceLine::UNKNOWN });
    });
}

fn spill_vectors(program: &mut Program, victims: &[Reg], descriptor: Part, scratch: &mut Scratch) {
    let mut places: FxHashMap<Reg, u32> = FxHashMap::default();
    for &reg in victims {
        places.insert(reg, scratch.bytes);
        scratch.bytes += 4 * u32::from(program.regs[reg].dwords);
    }
    let set: FxHashSet<Reg> = victims.iter().copied().collect();
    rewrite(program, &set, &mut |program, reg, dword, copy, load, out| {
        let Some(&place) = places.get(&reg) else { return };
        let place = place + 4 * u32::from(dword);
        let mut offset = Arg::Fixed(Operand::Integer(0));
        if place > MAX_OFFSET {
            let data = RegData { file: File::Scalar, dwords: 1, fixed: None, whole: false };
            let far = Part { reg: program.regs.push(data), dword: 0 };
            let literal = bits(program.chip, place & !MAX_OFFSET);
            out.push(Inst {
                opcode: Opcode::SMovB32,
                format: Format::Sop1,
                args: SmallVec::from_slice(&[far.into(), literal]),
                modifiers: Modifiers::default(),
                line: SourceLine::UNKNOWN,
            });
            offset = far.into();
        }
        let count = if load { &mut scratch.fills } else { &mut scratch.spills };
        *count += 1;
        let opcode = if load { Opcode::BufferLoadDword } else { Opcode::BufferStoreDword };
        let none = Arg::Fixed(Operand::Off);
        let args = SmallVec::from_slice(&[copy.into(), none, descriptor.into(), offset]);
        let modifiers = Modifiers { offset: place & MAX_OFFSET, ..Modifiers::default() };
        let line = SourceLine::UNKNOWN;
        out.push(Inst { opcode, format: Format::Mubuf, args, modifiers, line });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Emitter, ZERO};
    use amd_isa::Chip;

    /// Two of each four registers stay live, so that a group of four has no place although half of
    /// the registers are free.
    #[test]
    fn groups_get_a_place_between_others() {
        let mut e = Emitter::new(Chip::Vi);
        let singles: Vec<Part> = (0..96).map(|_| e.scalar()).collect();
        singles.iter().for_each(|&single| e.sop1(Opcode::SMovB32, single, ZERO));
        let (fours, _) = singles.as_chunks::<4>();
        let read = |e: &mut Emitter, part: Part| e.sopc(Opcode::SCmpEqU32, part, ZERO);
        fours.iter().flat_map(|four| &four[2..]).for_each(|&part| read(&mut e, part));
        let group = e.reg(File::Scalar, 4);
        (0..4).for_each(|dword| e.sop1(Opcode::SMovB32, group.at(dword), ZERO));
        (0..4).for_each(|dword| read(&mut e, group.at(dword)));
        fours.iter().flat_map(|four| &four[..2]).for_each(|&part| read(&mut e, part));
        e.sopp(Opcode::SEndpgm, &[]);
        let mut program = e.program;
        assert_eq!(allocate(&program).err(), Some(Full(File::Scalar)));
        let mut scratch = Scratch { descriptor: None, bytes: 0, spills: 0, fills: 0 };
        assert!(allocate_and_spill(&mut program, &mut scratch).is_ok());
    }
}
