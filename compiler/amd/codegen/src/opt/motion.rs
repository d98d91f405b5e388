//! Dependencies of an instruction that changes places within its block.

use crate::machine::{Arg, EXEC, File, Inst, Label, M0, Program, Reg, Use, VCC};
use amd_isa::slot::Role;
use amd_isa::{Format, Opcode, Property};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// An instruction with what moving it depends on.
pub(crate) struct Entry {
    pub inst: Inst,
    pub uses: SmallVec<[Use; 6]>,
    pub effect: Effect,
}

/// Part of the wave's state that an instruction changes or depends on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    /// It can move.
    pub moves: bool,
    /// Memory that it reads.
    pub loads: Option<Memory>,
    /// Memory that it writes.
    pub stores: Option<Memory>,
    /// It sends, waits or jumps, or writes M0 or a register of the hardware: no load moves over it.
    pub acts: bool,
    /// It changes the lanes that are active.
    pub switches: bool,
    /// It writes, or reads, the vector condition code.
    pub writes_vcc: bool,
    pub reads_vcc: bool,
}

/// Memory that loads and stores share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Attributes, uniforms: nothing writes them while a wave runs.
    Constant,
    /// Parameters of interpolation, which need M0 but no time.
    Parameters,
    /// Buffers and images.
    Buffers,
    /// The local data share.
    Share,
    /// Exports, whose order stays.
    Exports,
}

/// Takes the instructions out of a block.
pub(crate) fn take_entries(program: &mut Program, label: Label) -> Vec<Entry> {
    let insts = std::mem::take(&mut program.blocks[label].insts);
    let entry = |inst: Inst| {
        let uses = program.uses(&inst);
        let effect = effect(program, &inst, &uses);
        Entry { inst, uses, effect }
    };
    insts.into_iter().map(entry).collect()
}

/// Registers that occur in several blocks: at the end of any, they can be live.
pub(crate) fn registers_of_several_blocks(program: &Program) -> SecondaryMap<Reg, bool> {
    let mut block = SecondaryMap::with_default(None);
    let mut several = SecondaryMap::with_default(false);
    for &label in &program.order {
        for used in program.blocks[label].insts.iter().flat_map(|inst| program.uses(inst)) {
            let reg = used.part.reg;
            several[reg] |= block[reg].is_some_and(|known| known != label);
            block[reg] = Some(label);
        }
    }
    several
}

fn effect(program: &Program, inst: &Inst, uses: &[Use]) -> Effect {
    let name = inst.opcode.mnemonic();
    let results = inst.opcode.info().destinations.len();
    let writes = |special: Arg| inst.args.iter().take(results).any(|arg| *arg == special);
    let plain = inst.format.is_vector_alu();
    let (loads, stores) = memory(inst);
    let written = || uses.iter().filter(|used| used.role != Role::Read);
    let own = |used: &Use| {
        let data = &program.regs[used.part.reg];
        let file = if inst.format == Format::Smem { File::Scalar } else { File::Vector };
        data.file == file && !data.whole
    };
    let own_lane = !name.contains("movrel") && !inst.args.contains(&M0);
    let writes_vcc = inst.writes_carries() || inst.format == Format::Vopc || writes(VCC);
    Effect {
        moves: (plain || loads.is_some())
            && own_lane
            && !inst.reads_carries()
            && written().count() == 1
            && written().all(own)
            && inst.args.iter().take(results).skip(1).all(|arg| *arg == VCC)
            && !inst.args.contains(&EXEC),
        loads,
        stores,
        acts: inst.format == Format::Sopp || writes(M0) || name.contains("setreg"),
        switches: inst.opcode.has(Property::SavesExec)
            || inst.opcode.has(Property::SetsExec)
            || writes(EXEC),
        writes_vcc,
        reads_vcc: inst.reads_carries(),
    }
}

/// Memory that an instruction reads as a load that can move, and memory that it writes.
fn memory(inst: &Inst) -> (Option<Memory>, Option<Memory>) {
    let name = inst.opcode.mnemonic();
    let loads = inst.opcode.has(Property::Loads);
    match inst.format {
        Format::Vintrp => (Some(Memory::Parameters), None),
        Format::Smem if loads => (Some(Memory::Constant), None),
        Format::Mubuf if loads && !inst.modifiers.lds => {
            let constant = name.contains("_format_") && !inst.modifiers.glc;
            (Some(if constant { Memory::Constant } else { Memory::Buffers }), None)
        }
        Format::Ds if loads => (Some(Memory::Share), None),
        Format::Ds if inst.opcode == Opcode::DsSwizzleB32 => (None, None),
        Format::Ds => (None, Some(Memory::Share)),
        Format::Exp => (None, Some(Memory::Exports)),
        Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Flat | Format::Smem => {
            (None, Some(Memory::Buffers))
        }
        _ => (None, None),
    }
}

pub(crate) fn overlap(a: &Use, b: &Use) -> bool {
    a.part.reg == b.part.reg
        && a.part.dword < b.part.dword + b.dwords
        && b.part.dword < a.part.dword + a.dwords
}
