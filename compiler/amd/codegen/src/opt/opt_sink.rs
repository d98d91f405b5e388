//! Moves instructions down to where their results are read, so that fewer registers are live at a
//! time: more waves fit on a SIMD.
//!
//! ```text
//! before:
//!   v_mov_b32 r1, 1.0
//!   v_mov_b32 r2, 2.0
//!   buffer_store_dword r1, …
//!   buffer_store_dword r2, …
//! after:
//!   v_mov_b32 r1, 1.0
//!   buffer_store_dword r1, …
//!   v_mov_b32 r2, 2.0
//!   buffer_store_dword r2, …
//! ```
//!
//! Results wait less long for their readers then, so that this is only for programs whose registers
//! limit the waves.

use super::motion::{Entry, Memory, overlap, registers_of_several_blocks, take_entries};
use crate::machine::{Program, Reg, Use};
use amd_isa::slot::Role;
use cranelift_entity::SecondaryMap;

/// Instructions between a load and its first reader: some loads are under way together.
const LEAD: usize = 8;
/// Largest distance that an instruction moves.
const FARTHEST: usize = 2000;

/// Moves the instructions of all blocks.
pub(crate) fn opt_sink(program: &mut Program) -> bool {
    let mut changed = false;
    let elsewhere = registers_of_several_blocks(program);
    for label in program.order.clone() {
        let mut entries = take_entries(program, label);
        for index in (0..entries.len()).rev() {
            if let Some(to) = destination(program, &entries, index, &elsewhere) {
                entries[index..to].rotate_left(1);
                changed = true;
            }
        }
        program.blocks[label].insts = entries.into_iter().map(|entry| entry.inst).collect();
    }
    changed
}

/// The place after the last instruction that one can move down over, if moving it helps.
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
    let result = uses.iter().find(|used| used.role != Role::Read)?;
    // Spilling reads the kept register anywhere after its definition.
    if program.kept == Some(result.part.reg) {
        return None;
    }
    let after = entries.iter().enumerate().skip(index + 1).take(FARTHEST);
    let mut reader = None;
    for (at, other) in after {
        if other.uses.iter().any(|used| overlap(used, result)) {
            reader = Some(at);
            break;
        }
        let changes_source = |source: &Use| {
            other.uses.iter().any(|used| used.role != Role::Read && overlap(used, source))
        };
        let blocked = other.effect.switches
            || effect.loads.is_some() && other.effect.acts
            || effect.loads.is_some_and(|memory| other.effect.stores == Some(memory))
            || uses.iter().any(|used| used.role == Role::Read && changes_source(used));
        if blocked {
            return None;
        }
    }
    let lead = match effect.loads {
        Some(Memory::Constant | Memory::Buffers | Memory::Share) => LEAD,
        _ => 0,
    };
    let to = reader?.saturating_sub(lead);
    if to <= index + 1 || effect.writes_vcc && needs_vcc(entries, to) {
        return None;
    }
    // Sources that nothing else needs after the new place live longer now.
    let file = program.regs[result.part.reg].file;
    let lives_on = |source: &Use| {
        let data = &program.regs[source.part.reg];
        data.file != file
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
    use crate::machine::{Arg, Emitter, File, VCC, ZERO};
    use amd_isa::{Chip, Format, Modifiers, Opcode};

    /// Constants of a program, each of which a store reads.
    fn program() -> Program {
        let mut e = Emitter::new(Chip::Si);
        let block = e.new_label();
        e.place(block);
        let descriptor = e.fixed(File::Scalar, 0, 4);
        let one = Arg::Fixed(amd_isa::Operand::Float(amd_isa::InlineFloat::One));
        let constants = [one, ZERO].map(|value| e.valu1(Opcode::VMovB32, &[value.into()]));
        for part in constants {
            let args = [part.into(), Arg::Fixed(amd_isa::Operand::Off), descriptor.into(), ZERO];
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
        assert!(opt_sink(&mut program));
        assert_eq!(opcodes(&program), [mov, store, mov, store]);
    }

    #[test]
    fn the_kept_register_stays_where_it_is_defined() {
        let mut program = program();
        program.kept = program.regs.keys().next_back();
        opt_sink(&mut program);
        let (mov, store) = (Opcode::VMovB32, Opcode::BufferStoreDword);
        assert_eq!(opcodes(&program), [mov, mov, store, store]);
    }

    /// A comparison that writes EXEC decides which lanes an instruction writes.
    #[test]
    fn nothing_moves_over_a_change_of_exec() {
        for opcode in [Opcode::VCmpxLtF32, Opcode::VCmpsxLtF32] {
            let mut program = program();
            let label = program.order[program.order.len() - 1];
            let mut e = Emitter::new(Chip::Si);
            e.push(Format::Vopc, opcode, &[VCC, ZERO, ZERO], Modifiers::default());
            let comparison = e.program.blocks[e.label].insts.remove(0);
            program.blocks[label].insts.insert(2, comparison);
            assert!(!opt_sink(&mut program), "{opcode:?}");
        }
    }
}
