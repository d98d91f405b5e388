//! Moves instructions down to where their results are read, so that fewer vector registers are live
//! at a time: more waves fit on a SIMD.
//!
//! ```text
//! before: v_mov_b32 r1, 1.0           after: v_mov_b32 r1, 1.0
//!         v_mov_b32 r2, 2.0                  buffer_store_dword r1, …
//!         buffer_store_dword r1, …           v_mov_b32 r2, 2.0
//!         buffer_store_dword r2, …           buffer_store_dword r2, …
//! ```
//!
//! Results wait less long for their readers then, so that this is only for programs whose registers
//! limit the waves.

use crate::liveness::{reads_carries, writes_carries};
use crate::machine::{Arg, EXEC, File, Inst, M0, Program, Reg, Use, VCC};
use cranelift_entity::SecondaryMap;
use gcn::Format;
use gcn::slot::Role;
use smallvec::SmallVec;

/// Instructions between a load and its first reader: some loads are under way together.
const LEAD: usize = 8;
/// Largest distance that an instruction moves.
const FARTHEST: usize = 2000;

/// An instruction with what moving it depends on.
struct Entry {
    inst: Inst,
    uses: SmallVec<[Use; 6]>,
    effect: Effect,
}

/// Part of the wave's state that an instruction changes or depends on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Effect {
    /// It can move.
    moves: bool,
    /// It reads memory that others write.
    loads: bool,
    /// It writes memory, sends, exports, waits or jumps.
    acts: bool,
    /// It changes the lanes that are active.
    switches: bool,
    /// It writes, or reads, the vector condition code.
    writes_vcc: bool,
    reads_vcc: bool,
}

/// Moves the instructions of all blocks.
pub fn sink(program: &mut Program) {
    let elsewhere = registers_of_several_blocks(program);
    for label in program.order.clone() {
        let insts = std::mem::take(&mut program.blocks[label].insts);
        let entry = |inst: Inst| {
            let uses = program.uses(&inst);
            let effect = effect(program, &inst, &uses);
            Entry { inst, uses, effect }
        };
        let mut entries: Vec<Entry> = insts.into_iter().map(entry).collect();
        for index in (0..entries.len()).rev() {
            if let Some(to) = destination(program, &entries, index, &elsewhere) {
                entries[index..to].rotate_left(1);
            }
        }
        program.blocks[label].insts = entries.into_iter().map(|entry| entry.inst).collect();
    }
}

/// Registers that occur in several blocks: at the end of any, they can be live.
fn registers_of_several_blocks(program: &Program) -> SecondaryMap<Reg, bool> {
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
    let plain = inst.format.is_short_vector() || inst.format == Format::Vop3;
    let loads = inst.format == Format::Mubuf && name.contains("_load_") && !inst.modifiers.lds;
    let written = || uses.iter().filter(|used| used.role != Role::Read);
    let vector = |used: &Use| {
        let data = &program.regs[used.part.reg];
        data.file == File::Vector && !data.whole && used.role == Role::Write
    };
    let own_lane = !name.contains("movrel") && !inst.args.contains(&M0);
    let writes_vcc = writes_carries(inst) || inst.format == Format::Vopc || writes(VCC);
    Effect {
        moves: (plain || loads)
            && own_lane
            && !reads_carries(inst)
            && written().count() == 1
            && written().all(vector)
            && inst.args.iter().take(results).skip(1).all(|arg| *arg == VCC)
            && !inst.args.contains(&EXEC),
        loads,
        acts: !(plain || loads || inst.format.is_scalar_alu() || inst.format == Format::Vintrp)
            || inst.format == Format::Sopp,
        switches: name.contains("saveexec") || name.contains("cmpx") || writes(EXEC),
        writes_vcc,
        reads_vcc: reads_carries(inst),
    }
}

fn overlap(a: &Use, b: &Use) -> bool {
    a.part.reg == b.part.reg
        && a.part.dword < b.part.dword + b.dwords
        && b.part.dword < a.part.dword + a.dwords
}

/// The place behind the last instruction that one can move down over, if moving it helps.
fn destination(
    program: &Program,
    entries: &[Entry],
    index: usize,
    elsewhere: &SecondaryMap<Reg, bool>,
) -> Option<usize> {
    let Entry { inst: _, uses, effect } = &entries[index];
    if !effect.moves {
        return None;
    }
    let result = uses.iter().find(|used| used.role == Role::Write)?;
    let behind = entries.iter().enumerate().skip(index + 1).take(FARTHEST);
    let mut reader = None;
    for (at, other) in behind {
        if other.uses.iter().any(|used| overlap(used, result)) {
            reader = Some(at);
            break;
        }
        let changes_source = |source: &Use| {
            other.uses.iter().any(|used| used.role != Role::Read && overlap(used, source))
        };
        let blocked = other.effect.switches
            || effect.loads && other.effect.acts
            || uses.iter().any(|used| used.role == Role::Read && changes_source(used));
        if blocked {
            return None;
        }
    }
    let lead = if effect.loads { LEAD } else { 0 };
    let to = reader?.saturating_sub(lead);
    if to <= index + 1 || effect.writes_vcc && needs_vcc(entries, to) {
        return None;
    }
    // Sources that nothing else needs behind the new place live longer now.
    let lives_on = |source: &Use| {
        let data = &program.regs[source.part.reg];
        data.file == File::Scalar
            || data.whole
            || elsewhere[source.part.reg]
            || entries[to..].iter().flat_map(|entry| &entry.uses).any(|used| overlap(used, source))
    };
    let sources = uses.iter().filter(|used| used.role == Role::Read && !lives_on(used));
    let cost: u8 = sources.map(|used| used.dwords).sum();
    (result.dwords >= cost).then_some(to)
}

/// True if the vector condition code is read before it is written from a place on. Nothing reads
/// that of another block.
fn needs_vcc(entries: &[Entry], from: usize) -> bool {
    let touches = |entry: &&Entry| entry.effect.reads_vcc || entry.effect.writes_vcc;
    entries[from..].iter().find(touches).is_some_and(|entry| entry.effect.reads_vcc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Emitter, ZERO};
    use gcn::{Chip, Modifiers, Opcode};

    /// Constants of a program, each of which a store reads.
    fn program() -> Program {
        let mut e = Emitter::new(Chip::Si);
        let block = e.new_label();
        e.place(block);
        let descriptor = e.fixed(File::Scalar, 0, 4);
        let one = Arg::Fixed(gcn::Operand::Float(gcn::InlineFloat::One));
        let constants = [one, ZERO].map(|value| e.valu1(Opcode::VMovB32, &[value.into()]));
        for part in constants {
            let args = [part.into(), Arg::Fixed(gcn::Operand::Off), descriptor.into(), ZERO];
            e.push(Format::Mubuf, Opcode::BufferStoreDword, &args, Modifiers::default());
        }
        e.program
    }

    fn opcodes(program: &Program) -> Vec<Opcode> {
        let insts = program.order.iter().flat_map(|&label| &program.blocks[label].insts);
        insts.map(|inst| inst.opcode).collect()
    }

    #[test]
    fn constants_move_to_their_stores() {
        let mut program = program();
        let (mov, store) = (Opcode::VMovB32, Opcode::BufferStoreDword);
        assert_eq!(opcodes(&program), [mov, mov, store, store]);
        sink(&mut program);
        assert_eq!(opcodes(&program), [mov, store, mov, store]);
    }
}
