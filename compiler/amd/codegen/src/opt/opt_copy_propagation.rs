//! Copies between virtual registers: those that nothing needs go.
//!
//! ```text
//! before:
//!   v_add_f32 r1, r2, r3
//!   v_mov_b32 r4, r1
//!   exp pos0 r4, …
//! after:
//!   v_add_f32 r4, r2, r3
//!   exp pos0 r4, …
//! ```
//!
//! A register that one instruction writes has one value per lane wherever a lane reads it, so that
//! its copies can stand for it and it for its copies. A lane that an inner mask switches off keeps
//! its value.

use crate::machine::{Arg, EXEC, File, Inst, Label, Part, Program, Reg};
use amd_isa::slot::Role;
use amd_isa::{Format, Modifiers, Opcode, Operand, Property};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// Removes copies.
pub(crate) fn opt_copy_propagation(program: &mut Program) -> bool {
    let unified = unify_constants(program);
    let propagated = propagate(program);
    write_to_groups(program) || unified || propagated
}

/// Occurrences of a register.
#[derive(Clone, Copy, Debug, Default)]
struct Occurrences {
    writes: u32,
    reads: u32,
    /// Reads and writes of more than one dword, or at another dword than the first.
    group: bool,
    /// Block of all occurrences; `several` if they are in different ones.
    block: Option<Label>,
    several: bool,
}

fn occurrences(program: &Program) -> SecondaryMap<Reg, Occurrences> {
    let mut all: SecondaryMap<Reg, Occurrences> = SecondaryMap::new();
    for (reg, data) in program.regs.iter() {
        all[reg].writes = u32::from(data.fixed.is_some());
    }
    for &label in &program.order {
        for inst in &program.blocks[label].insts {
            for used in program.uses(inst) {
                let occurrences = &mut all[used.part.reg];
                occurrences.writes += u32::from(used.role != Role::Read);
                occurrences.reads += u32::from(used.role != Role::Write);
                occurrences.group |= used.dwords > 1 || used.part.dword > 0;
                occurrences.several |= occurrences.block.is_some_and(|block| block != label);
                occurrences.block = Some(label);
            }
        }
    }
    all
}

/// The two sides of a copy of a dword within a file.
fn copy(program: &Program, inst: &Inst) -> Option<(Part, Part)> {
    let moves = matches!(inst.opcode, Opcode::VMovB32 | Opcode::SMovB32);
    let [Arg::Part(to), Arg::Part(from)] = inst.args[..] else { return None };
    let same = program.regs[to.reg].file == program.regs[from.reg].file;
    (moves && same && inst.modifiers == Modifiers::default()).then_some((to, from))
}

fn is_single(program: &Program, reg: Reg) -> bool {
    let data = &program.regs[reg];
    data.dwords == 1 && data.fixed.is_none() && !data.whole
}

/// Lets reads of a copy read its source, if one instruction writes each.
fn propagate(program: &mut Program) -> bool {
    let kept = program.kept;
    let mut changed = false;
    let writes = unit_writes(program);
    let mut sources: FxHashMap<Reg, Part> = FxHashMap::default();
    for &label in &program.order {
        for inst in &program.blocks[label].insts {
            let Some((to, from)) = copy(program, inst) else { continue };
            let once = |part: Part| writes.get(&(part.reg, part.dword)) == Some(&1);
            if is_single(program, to.reg) && once(to) && once(from) && Some(to.reg) != kept {
                sources.insert(to.reg, from);
            }
        }
    }
    let origin = |mut part: Part| {
        while let Some(&from) = sources.get(&part.reg) {
            part = from;
        }
        part
    };
    for label in program.order.clone() {
        let mut insts = std::mem::take(&mut program.blocks[label].insts);
        for inst in &mut insts {
            let reads: Vec<Part> = program
                .uses(inst)
                .iter()
                .filter(|used| used.role == Role::Read && used.dwords == 1)
                .map(|used| used.part)
                .collect();
            let written = program.uses(inst);
            let written = |reg: Reg| {
                written.iter().any(|used| used.role != Role::Read && used.part.reg == reg)
            };
            for arg in &mut inst.args {
                if let Arg::Part(part) = arg
                    && reads.contains(part)
                    && !written(part.reg)
                {
                    let from = origin(*part);
                    changed |= from != *part;
                    *part = from;
                }
            }
        }
        program.blocks[label].insts = insts;
    }
    changed
}

/// Number of instructions that write each dword.
fn unit_writes(program: &Program) -> FxHashMap<(Reg, u8), u32> {
    let mut writes: FxHashMap<(Reg, u8), u32> = FxHashMap::default();
    for (reg, data) in program.regs.iter().filter(|(_, data)| data.fixed.is_some()) {
        (0..data.dwords).for_each(|dword| *writes.entry((reg, dword)).or_default() += 1);
    }
    for &label in &program.order {
        for inst in &program.blocks[label].insts {
            for used in program.uses(inst).iter().filter(|used| used.role != Role::Read) {
                for dword in used.part.dword..used.part.dword + used.dwords {
                    *writes.entry((used.part.reg, dword)).or_default() += 1;
                }
            }
        }
    }
    writes
}

/// Lets instructions write to the copy of their result, if it is the only reader.
fn write_to_groups(program: &mut Program) -> bool {
    let kept = program.kept;
    let mut changed = false;
    let all = occurrences(program);
    let writes = unit_writes(program);
    let mut places: FxHashMap<Reg, Part> = FxHashMap::default();
    for &label in &program.order {
        for inst in &program.blocks[label].insts {
            let Some((to, from)) = copy(program, inst) else { continue };
            let source = all[from.reg];
            let once = writes.get(&(to.reg, to.dword)) == Some(&1);
            // Operations that read what they write do so in one block.
            let local = source.block == Some(label) && !source.several;
            let only_reader = source.reads == 1 && source.writes == 1
                || local
                    && source.reads == source.writes
                    && reads_of(program, label, from.reg) == 1;
            let free = is_single(program, from.reg) && !source.group && Some(from.reg) != kept;
            let fixed = program.regs[to.reg].fixed.is_some() || program.regs[to.reg].whole;
            if once && only_reader && free && !fixed && local && !places.contains_key(&to.reg) {
                places.insert(from.reg, to);
            }
        }
    }
    for label in program.order.clone() {
        let block = &mut program.blocks[label];
        for arg in block.insts.iter_mut().flat_map(|inst| &mut inst.args) {
            if let Arg::Part(part) = arg
                && let Some(&to) = places.get(&part.reg)
            {
                *part = to;
            }
        }
        block.insts.retain(|inst| {
            let moves = matches!(inst.opcode, Opcode::VMovB32 | Opcode::SMovB32);
            let stays = !(moves && inst.args[0] == inst.args[1]);
            changed |= !stays;
            stays
        });
    }
    changed || !places.is_empty()
}

/// Number of instructions of a block that read a register without writing it.
fn reads_of(program: &Program, label: Label, reg: Reg) -> usize {
    let of_reg = |inst: &&Inst| {
        program.uses(inst).iter().any(|used| used.part.reg == reg && used.role == Role::Read)
    };
    program.blocks[label].insts.iter().filter(of_reg).count()
}

/// Lets constants in vector registers of a block be there once.
fn unify_constants(program: &mut Program) -> bool {
    let mut changed = false;
    let writes = unit_writes(program);
    for label in program.order.clone() {
        let mut known: Vec<(Operand, Part)> = Vec::new();
        let mut insts = std::mem::take(&mut program.blocks[label].insts);
        for inst in &mut insts {
            if inst.args.contains(&EXEC) || inst.opcode.has(Property::SavesExec) {
                known.clear();
            }
            let [Arg::Part(to), Arg::Fixed(from)] = inst.args[..] else { continue };
            let constant =
                matches!(from, Operand::Integer(_) | Operand::Float(_) | Operand::Literal(_));
            let plain = inst.opcode == Opcode::VMovB32 && inst.format == Format::Vop1;
            let once = writes.get(&(to.reg, to.dword)) == Some(&1);
            let vector = program.regs[to.reg].file == File::Vector;
            if !(plain && constant && once && vector && is_single(program, to.reg)) {
                continue;
            }
            match known.iter().find(|(operand, _)| *operand == from) {
                Some((_, first)) => {
                    inst.args[1] = Arg::Part(*first);
                    changed = true;
                }
                None => known.push((from, to)),
            }
        }
        program.blocks[label].insts = insts;
    }
    changed
}
