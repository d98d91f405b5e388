//! Insertion of `s_waitcnt`: forward dataflow of what memory still owes.

use super::{Physical, Placed};
use amd_isa::access::{Access, REGISTERS, Register, accesses};
use amd_isa::{Chip, Format, Instruction, Kind, Opcode, Operand, Row};
use std::collections::BTreeSet;

/// No event is pending.
const DONE: u8 = u8::MAX;
/// Largest count of VMCNT that waits for something.
const MAX_VECTOR: u8 = 14;
/// Number of instructions whose waits become one with that of the instruction before them.
const LOOK_AHEAD: usize = 6;
/// Fields of `s_waitcnt` that do not wait.
const NO_VECTOR: u32 = 15;
const NO_EXPORT: u32 = 7;
const NO_LGKM: u32 = 15;

/// Pending events at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// Accesses of vector memory since the load that writes a register.
    vector: Vec<u8>,
    /// Scalar memory or the data share writes the register.
    lgkm: Vec<bool>,
    /// An export or a store has yet to read the register.
    held: Vec<bool>,
}

impl State {
    fn new() -> State {
        State {
            vector: vec![DONE; REGISTERS],
            lgkm: vec![false; REGISTERS],
            held: vec![false; REGISTERS],
        }
    }

    fn join(&mut self, other: &State) {
        for (a, b) in self.vector.iter_mut().zip(&other.vector) {
            *a = (*a).min(*b);
        }
        for (a, b) in self.lgkm.iter_mut().zip(&other.lgkm) {
            *a |= b;
        }
        for (a, b) in self.held.iter_mut().zip(&other.held) {
            *a |= b;
        }
    }
}

/// Counts of an `s_waitcnt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    vector: u32,
    export: u32,
    lgkm: u32,
}

impl Wait {
    const NONE: Wait = Wait { vector: NO_VECTOR, export: NO_EXPORT, lgkm: NO_LGKM };

    fn bits(self) -> u32 {
        self.vector | self.export << 4 | self.lgkm << 8
    }

    fn of_bits(bits: u32) -> Wait {
        Wait { vector: bits & 15, export: bits >> 4 & 7, lgkm: bits >> 8 & 15 }
    }

    fn apply(self, state: &mut State) {
        for age in &mut state.vector {
            if self.vector < NO_VECTOR && *age != DONE && u32::from(*age) >= self.vector {
                *age = DONE;
            }
        }
        if self.lgkm == 0 {
            state.lgkm.fill(false);
        }
        if self.export == 0 {
            state.held.fill(false);
        }
    }
}

/// An instruction with what it does to registers.
struct Item {
    row: &'static Row,
    instruction: Instruction,
    accesses: Vec<Access>,
}

impl Item {
    fn of(chip: Chip, placed: &Placed) -> Option<Item> {
        let row = placed.row(chip)?;
        let instruction = placed.instruction;
        Some(Item { row, instruction, accesses: accesses(row, &instruction) })
    }
}

/// Inserts the waits that a program needs.
pub(crate) fn insert_waits(program: &mut Physical) -> bool {
    let mut changed = false;
    let chip = program.chip;
    let items = |block: &Vec<Placed>| block.iter().filter_map(|p| Item::of(chip, p)).collect();
    let items: Vec<Vec<Item>> = program.blocks.iter().map(items).collect();
    let states = solve(program, &items);
    for (index, state) in states.into_iter().enumerate() {
        let Some(mut state) = state else { continue };
        let block = std::mem::take(&mut program.blocks[index]);
        let items = &items[index];
        for (at, placed) in block.into_iter().enumerate() {
            let wait = step(chip, items.get(at..).unwrap_or_default(), &mut state);
            if wait != Wait::NONE {
                let bits = wait.bits();
                program.blocks[index].push(Placed::control(Opcode::SWaitcnt, bits));
                changed = true;
            }
            program.blocks[index].push(placed);
        }
    }
    changed
}

/// The wait with those that the next instructions need for what is pending already.
fn joined(mut wait: Wait, next: &[Item], state: &State) -> Wait {
    for item in next.iter().take(LOOK_AHEAD) {
        let more = needed(item, state);
        wait.vector = wait.vector.min(more.vector);
        wait.lgkm = wait.lgkm.min(more.lgkm);
    }
    wait
}

fn solve(program: &Physical, items: &[Vec<Item>]) -> Vec<Option<State>> {
    let mut states: Vec<Option<State>> = vec![None; program.blocks.len()];
    states[0] = Some(State::new());
    let mut open = BTreeSet::from([0]);
    while let Some(index) = open.pop_first() {
        let Some(mut state) = states[index].clone() else { continue };
        for at in 0..items[index].len() {
            step(program.chip, &items[index][at..], &mut state);
        }
        for &succ in &program.successors[index] {
            let joined = match &states[succ] {
                Some(known) => {
                    let mut joined = known.clone();
                    joined.join(&state);
                    joined
                }
                None => state.clone(),
            };
            if states[succ].as_ref() != Some(&joined) {
                states[succ] = Some(joined);
                open.insert(succ);
            }
        }
    }
    states
}

/// The wait before an instruction.
fn needed(item: &Item, state: &State) -> Wait {
    let mut wait = Wait::NONE;
    for access in &item.accesses {
        let register = access.register.index();
        if state.vector[register] != DONE {
            wait.vector = wait.vector.min(u32::from(state.vector[register].min(MAX_VECTOR)));
        }
        if state.lgkm[register] {
            wait.lgkm = 0;
        }
        if access.writes && state.held[register] {
            wait.export = 0;
        }
    }
    wait
}

/// Returns the wait before the first of some instructions of a block, and moves the state behind
/// both.
fn step(chip: Chip, items: &[Item], state: &mut State) -> Wait {
    let [item, next @ ..] = items else { return Wait::NONE };
    let mut wait = needed(item, state);
    if wait != Wait::NONE {
        wait = joined(wait, next, state);
        wait.apply(state);
    }
    execute(chip, item, state);
    wait
}

/// The state after an instruction.
fn execute(chip: Chip, item: &Item, state: &mut State) {
    let Item { row, instruction, accesses } = item;
    if let (Opcode::SWaitcnt, Operand::Immediate(bits)) = (row.opcode, instruction.operands[0]) {
        return Wait::of_bits(bits).apply(state);
    }
    let vector = matches!(row.format, Format::Mubuf | Format::Mtbuf | Format::Mimg);
    let lgkm = matches!(row.format, Format::Smem | Format::Ds);
    if vector {
        for age in state.vector.iter_mut().filter(|age| **age != DONE) {
            *age = (*age + 1).min(MAX_VECTOR + 1);
        }
    }
    for access in accesses {
        let register = access.register.index();
        if access.writes && vector {
            state.vector[register] = 0;
        }
        if access.writes && lgkm {
            state.lgkm[register] = true;
        }
        if holds(chip, row, access) {
            state.held[register] = true;
        }
    }
}

/// True if the register is read some time after the instruction was issued.
fn holds(chip: Chip, row: &Row, access: &Access) -> bool {
    let data = access.reads && matches!(access.register, Register::Vector(_));
    match row.format {
        Format::Exp => data,
        Format::Mubuf | Format::Mtbuf | Format::Mimg => {
            chip == Chip::Si && data && access.kind != Kind::Address
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amd_isa::assemble_instructions;
    use vocabulary::SourceLine;

    fn block(text: &str) -> Vec<Placed> {
        let instructions = assemble_instructions(Chip::Si, text).expect("instructions");
        let placed = |instruction| Placed { instruction, target: None, line: SourceLine::UNKNOWN };
        instructions.into_iter().map(placed).collect()
    }

    /// The wait for `s[4:7]` is one for `v0`, too, and leaves the load of `v1` pending. Sixteen
    /// accesses later the counter could no longer tell the two apart.
    #[test]
    fn joined_waits_count_in_the_next_block() {
        let load = |n: u32| format!("buffer_load_format_x v{n}, v40, s[12:15], 0 idxen\n");
        let mut text: String = (0..14).map(load).collect();
        text += "s_load_dwordx4 s[4:7], s[0:1], 0x0\n\
                 buffer_load_format_x v14, v40, s[4:7], 0 idxen\n";
        text += &load(15);
        text += "v_mov_b32_e32 v20, v0\n";
        let next = "v_mov_b32_e32 v1, 0\ns_endpgm\n";
        let mut program = Physical::of_blocks(Chip::Si, vec![block(&text), block(next)]);
        assert!(insert_waits(&mut program));
        let first = &program.blocks[1][0].instruction;
        let wait = Operand::Immediate(Wait { vector: 14, ..Wait::NONE }.bits());
        assert_eq!((first.opcode, first.operands[0]), (Opcode::SWaitcnt, wait));
    }
}
