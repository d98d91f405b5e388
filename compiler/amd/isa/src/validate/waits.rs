//! Waits: results of memory are used after a wait for them, on every path.
//!
//! The state of a path is, per register, how many events of a counter have been issued since the
//! one that is still to deliver into the register or to read it. `s_waitcnt` with a count of n
//! covers events that are n or more old, where the counter counts down in order.

use super::facts::Violation;
use super::program::Program;
use crate::access::{Access, REGISTERS, Register, accesses};
use crate::chip::Chip;
use crate::format::Format;
use crate::opcode::{Kind, Opcode, Property};
use crate::operand::{Operand, Scalar};
use crate::slot::Row;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const RULES: &[&str] = &["wait-load", "wait-store-data", "wait-vccz", "wait-gs-done"];

/// Age of an event that is not pending.
const DONE: u8 = u8::MAX;
/// Largest age that counts.
const OLDEST: u8 = 64;

/// Events that a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// Load or returning atomic of vector memory.
    VectorLoad,
    /// Store of vector memory.
    VectorStore,
    /// Load of scalar memory: out of order.
    ScalarLoad,
    /// Local or global data share.
    Share,
    /// Message.
    Message,
}

/// Kinds of events of EXPCNT, which are out of order among each other.
const EXPORT_KINDS: usize = 5;

/// Pending events at a place of the program.
#[derive(Clone, PartialEq, Eq)]
struct State {
    /// Age of the vector load that writes a register.
    vector: Vec<u8>,
    /// Age of the access to the data share that writes a register.
    share: Vec<u8>,
    /// 0 where a scalar load writes a register.
    scalar: Vec<u8>,
    /// Age of the store or export that reads a register.
    held: Vec<u8>,
    /// Age of the youngest store of vector memory.
    stores: u8,
    /// 0 while a scalar load or a message may be pending.
    unordered: u8,
    /// Ages of the youngest event of each kind of EXPCNT.
    exports: [u8; EXPORT_KINDS],
    /// 0 while VCCZ may not be that of VCC.
    stale_vccz: u8,
}

impl State {
    fn new() -> State {
        let none = vec![DONE; REGISTERS];
        State {
            vector: none.clone(),
            share: none.clone(),
            scalar: none.clone(),
            held: none,
            stores: DONE,
            unordered: DONE,
            exports: [DONE; EXPORT_KINDS],
            stale_vccz: DONE,
        }
    }

    /// Combines with the state of another path: the younger event counts.
    fn join(&mut self, other: &State) {
        let pairs = [
            (&mut self.vector, &other.vector),
            (&mut self.share, &other.share),
            (&mut self.scalar, &other.scalar),
            (&mut self.held, &other.held),
        ];
        for (mine, theirs) in pairs {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a = (*a).min(*b);
            }
        }
        self.stores = self.stores.min(other.stores);
        self.unordered = self.unordered.min(other.unordered);
        self.stale_vccz = self.stale_vccz.min(other.stale_vccz);
        for (a, b) in self.exports.iter_mut().zip(&other.exports) {
            *a = (*a).min(*b);
        }
    }

    fn age_vector(&mut self) {
        self.vector.iter_mut().for_each(age);
        age(&mut self.stores);
    }

    /// A full EXPCNT stalls the next event: of one kind, the eighth youngest has been read.
    fn age_exports(&mut self) {
        self.held.iter_mut().for_each(age);
        self.exports.iter_mut().for_each(age);
        if self.exports.iter().filter(|age| **age != DONE).count() <= 1 {
            self.held.iter_mut().filter(|age| **age >= 7).for_each(|age| *age = DONE);
        }
    }

    fn wait(&mut self, vector: u8, export: u8, lgkm: u8) {
        let cover = |ages: &mut [u8], count: u8| {
            ages.iter_mut().filter(|age| **age >= count).for_each(|age| *age = DONE);
        };
        if vector < 15 {
            cover(&mut self.vector, vector);
            cover(std::slice::from_mut(&mut self.stores), vector);
        }
        let kinds = self.exports.iter().filter(|age| **age != DONE).count();
        if export < 7 && (export == 0 || kinds <= 1) {
            cover(&mut self.held, export);
            cover(&mut self.exports, export);
        }
        if lgkm < 15 && (lgkm == 0 || self.unordered == DONE) {
            cover(&mut self.share, lgkm);
        }
        if lgkm == 0 {
            cover(&mut self.scalar, 0);
            self.unordered = DONE;
        }
    }
}

fn age(age: &mut u8) {
    if *age < OLDEST {
        *age += 1;
    }
}

/// Adds the violations of all rules of waits.
pub(super) fn check(program: &Program<'_>, violations: &mut Vec<Violation>) {
    if program.instructions.is_empty() {
        return;
    }
    // States at the starts of runs; a state has some thousand bytes.
    let mut states = BTreeMap::from([(0, State::new())]);
    let mut open = BTreeSet::from([0]);
    while let Some(start) = open.pop_first() {
        let mut state = states[&start].clone();
        for index in run(program, start) {
            execute(program, index, &mut state);
            for &next in program.flow.successors[index].iter().filter(|&&i| starts_run(program, i))
            {
                let changed = match states.get_mut(&next) {
                    Some(known) => {
                        let before = known.clone();
                        known.join(&state);
                        *known != before
                    }
                    None => {
                        states.insert(next, state.clone());
                        true
                    }
                };
                if changed {
                    open.insert(next);
                }
            }
        }
    }
    for (start, mut state) in states {
        for index in run(program, start) {
            judge(program, index, &state, violations);
            execute(program, index, &mut state);
        }
    }
}

/// True if an instruction can follow others than the one before it.
fn starts_run(program: &Program<'_>, index: usize) -> bool {
    match program.flow.predecessors[index][..] {
        [before] => index == 0 || before != index - 1,
        _ => true,
    }
}

/// The instructions from one on that follow only each other.
fn run<'a>(program: &'a Program<'_>, start: usize) -> impl Iterator<Item = usize> + use<'a> {
    std::iter::successors(Some(start), |index| {
        let next = index + 1;
        (next < program.instructions.len() && !starts_run(program, next)).then_some(next)
    })
}

/// Events that an instruction issues, of the counters VMCNT and LGKMCNT.
fn event(row: &Row, opcode: Opcode, returns: bool) -> Option<Event> {
    match row.format {
        Format::Smem if row.slots.is_empty() => None,
        Format::Smem => Some(Event::ScalarLoad),
        Format::Ds if opcode != Opcode::DsNop => Some(Event::Share),
        Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Flat => {
            let stores = opcode.has(Property::Stores) || opcode.is_atomic() && !returns;
            Some(if stores { Event::VectorStore } else { Event::VectorLoad })
        }
        _ if matches!(opcode, Opcode::SSendmsg | Opcode::SSendmsghalt) => Some(Event::Message),
        _ => None,
    }
}

/// Number of the kind of an event of EXPCNT.
fn export_kind(chip: Chip, row: &Row, first: Operand, event: Option<Event>) -> Option<usize> {
    match (row.format, first) {
        (Format::Exp, Operand::Target(0..=8)) => Some(0),
        (Format::Exp, Operand::Target(12..=15)) => Some(1),
        (Format::Exp, _) => Some(2),
        (Format::Mubuf | Format::Mtbuf | Format::Mimg, _) if chip == Chip::Si => {
            let stores = event == Some(Event::VectorStore) || row.opcode.is_atomic();
            stores.then_some(3)
        }
        _ => None,
    }
}

fn execute(program: &Program<'_>, index: usize, state: &mut State) {
    let instruction = &program.instructions[index].instruction;
    let Some(row) = program.chip.row(instruction.format, instruction.opcode) else { return };
    if let (Opcode::SWaitcnt, Operand::Immediate(bits)) = (row.opcode, instruction.operands[0]) {
        state.wait(bits as u8 & 15, (bits >> 4) as u8 & 7, (bits >> 8) as u8 & 15);
        return;
    }
    let accesses = accesses(row, instruction);
    let event = event(row, row.opcode, instruction.modifiers.glc);
    let kind = export_kind(program.chip, row, instruction.operands[0], event);
    match event {
        Some(Event::VectorLoad | Event::VectorStore) => state.age_vector(),
        Some(Event::Share) => state.share.iter_mut().for_each(age),
        Some(Event::ScalarLoad | Event::Message) => state.unordered = 0,
        None => {}
    }
    if event == Some(Event::VectorStore) {
        state.stores = 0;
    }
    if let Some(kind) = kind {
        state.age_exports();
        state.exports[kind] = 0;
    }
    for access in &accesses {
        let register = access.register.index();
        if access.writes {
            state.vector[register] = DONE;
            state.share[register] = DONE;
            state.scalar[register] = DONE;
            match event {
                Some(Event::VectorLoad) => state.vector[register] = 0,
                Some(Event::Share) => state.share[register] = 0,
                Some(Event::ScalarLoad) => state.scalar[register] = 0,
                _ => {}
            }
        }
        if kind.is_some() && is_held(row, access) {
            state.held[register] = 0;
        }
    }
    if event == Some(Event::ScalarLoad) {
        state.stale_vccz = 0;
    } else if state.unordered == DONE && writes_vcc(&accesses) {
        state.stale_vccz = DONE;
    }
}

/// True for registers that an export or a store reads some time after it was issued.
fn is_held(row: &Row, access: &Access) -> bool {
    let vector = matches!(access.register, Register::Vector(_));
    vector && access.reads && (row.format == Format::Exp || access.kind != Kind::Address)
}

fn writes_vcc(accesses: &[Access]) -> bool {
    let vcc = Register::Scalar(Scalar::VCC.0);
    accesses.iter().any(|access| access.writes && access.register == vcc)
}

/// Adds the violations of one instruction, given the state before it.
fn judge(program: &Program<'_>, index: usize, state: &State, violations: &mut Vec<Violation>) {
    let instruction = &program.instructions[index].instruction;
    let Some(row) = program.chip.row(instruction.format, instruction.opcode) else { return };
    let mut add = |rule, message| violations.push(program.violation(index, rule, message));
    let event = event(row, row.opcode, instruction.modifiers.glc);
    for access in accesses(row, instruction) {
        let register = access.register.index();
        let use_ = if access.reads { "read" } else { "written" };
        let in_order = |own| event == Some(own) && !access.reads;
        let pending = [
            (state.vector[register] != DONE && !in_order(Event::VectorLoad), "vmcnt"),
            (state.share[register] != DONE && !in_order(Event::Share), "lgkmcnt"),
            (state.scalar[register] != DONE, "lgkmcnt"),
        ];
        if let Some((_, counter)) = pending.iter().find(|(pending, _)| *pending) {
            add("wait-load", format!("{} is {use_} before a wait on {counter}", access.register));
        } else if access.writes && state.held[register] != DONE {
            let register = access.register;
            add("wait-store-data", format!("{register} is written before a wait on expcnt"));
        }
    }
    let vccz = matches!(row.opcode, Opcode::SCbranchVccz | Opcode::SCbranchVccnz);
    if vccz && program.chip == Chip::Si && state.stale_vccz != DONE {
        let message = "VCCZ may be stale: VCC was not written since the last scalar load";
        add("wait-vccz", message.to_string());
    }
    let gs_done = row.opcode == Opcode::SSendmsg
        && matches!(instruction.operands[0], Operand::Immediate(bits) if bits & 15 == 3);
    if gs_done && state.stores != DONE {
        add("wait-gs-done", "stores are pending at GS_DONE".to_string());
    }
}
