//! Commands of the command streamer: registers, memory, arithmetic, predicates.

use gpu_service::{Clock, Outcome, not_modeled};
use packets::{Command, Field, Memory, Table};
use vocabulary::Generation;

use crate::context::{HardwareContext, Registers};
use crate::effects::registers::{Effect, effect};

/// Offsets of registers.
pub(crate) mod register {
    /// Samples that passed the depth and stencil tests.
    pub(crate) const PS_DEPTH_COUNT: u32 = 0x2350;
    /// Time stamp.
    pub(crate) const TIMESTAMP: u32 = 0x2358;
    /// First source of a predicate.
    pub(crate) const PREDICATE_SOURCE_0: u32 = 0x2400;
    /// Second source of a predicate.
    pub(crate) const PREDICATE_SOURCE_1: u32 = 0x2408;
    /// Sources of the last comparison, subtracted.
    pub(crate) const PREDICATE_DATA: u32 = 0x2410;
    /// Result of the predicate.
    pub(crate) const PREDICATE_RESULT: u32 = 0x2418;
    /// First general purpose register of the command streamer.
    pub(crate) const GENERAL: u32 = 0x2600;
}

packets::fields! {
    struct LoadMemory of "MI_LOAD_REGISTER_MEM" {
        register: "Register Address",
        memory: "Memory Address",
    }
}
packets::fields! {
    struct StoreMemory of "MI_STORE_REGISTER_MEM" {
        is_predicated: "Predicate Enable",
        register: "Register Address",
        memory: "Memory Address",
    }
}
packets::fields! {
    struct LoadRegister of "MI_LOAD_REGISTER_REG" {
        source: "Source Register Address",
        destination: "Destination Register Address",
    }
}
packets::fields! {
    struct StoreData of "MI_STORE_DATA_IMM" {
        is_quad: "Store Qword",
        address: "Address",
    }
}
packets::fields! {
    struct CopyMemory of "MI_COPY_MEM_MEM" {
        destination: "Destination Memory Address",
        source: "Source Memory Address",
    }
}
packets::fields! {
    struct Predicate of "MI_PREDICATE" {
        compare: "Compare Operation",
        combine: "Combine Operation",
        load: "Load Operation",
    }
}
packets::fields! {
    struct PipeControl of "PIPE_CONTROL" {
        post_sync: "Post Sync Operation",
        store_index: "Store Data Index",
        to_register: "LRI Post Sync Operation",
        address: "Address",
        data: "Immediate Data",
    }
}

/// Fields of the commands of this module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    generation: Generation,
    load_memory: LoadMemory,
    store_memory: StoreMemory,
    load_register: LoadRegister,
    store_data: StoreData,
    copy_memory: CopyMemory,
    predicate: Predicate,
    pipe_control: PipeControl,
}

impl Fields {
    /// Resolves the fields for a generation.
    pub(crate) fn resolve(generation: Generation) -> Fields {
        let table = Table::of(generation);
        Fields {
            generation,
            load_memory: LoadMemory::resolve(table),
            store_memory: StoreMemory::resolve(table),
            load_register: LoadRegister::resolve(table),
            store_data: StoreData::resolve(table),
            copy_memory: CopyMemory::resolve(table),
            predicate: Predicate::resolve(table),
            pipe_control: PipeControl::resolve(table),
        }
    }
}

/// True if the last predicate holds.
pub(crate) fn predicate_holds(context: &HardwareContext) -> bool {
    context.registers.get(register::PREDICATE_RESULT) & 1 != 0
}

/// Executes a command of this module. Returns false if it is none.
pub(crate) fn execute(
    fields: &Fields,
    context: &mut HardwareContext,
    memory: &dyn Memory,
    clock: &Clock,
    command: &Command<'_>,
) -> Outcome<bool> {
    let words = &command.words[..];
    let offset = |field: Field| field.get_u32(words);
    let generation = fields.generation;
    let registers = &mut context.registers;
    match command.layout.name {
        "MI_LOAD_REGISTER_IMM" => {
            for pair in words[1..].chunks_exact(2) {
                write_register(generation, registers, pair[0] & 0x7f_fffc, pair[1])?;
            }
        }
        "MI_LOAD_REGISTER_MEM" => {
            let value = memory.read_u32(address(fields.load_memory.memory, words))?;
            write_register(generation, registers, offset(fields.load_memory.register), value)?;
        }
        "MI_STORE_REGISTER_MEM" => {
            let skipped = fields.store_memory.is_predicated.flag(words)
                && registers.get(register::PREDICATE_RESULT) & 1 == 0;
            if !skipped {
                registers.set_u64(register::TIMESTAMP, clock.ticks());
                let from = offset(fields.store_memory.register);
                let value = read_register(generation, registers, from)?;
                memory.write(address(fields.store_memory.memory, words), &value.to_le_bytes())?;
            }
        }
        "MI_LOAD_REGISTER_REG" => {
            let value = read_register(generation, registers, offset(fields.load_register.source))?;
            write_register(generation, registers, offset(fields.load_register.destination), value)?;
        }
        "MI_STORE_DATA_IMM" => {
            let quad = fields.store_data.is_quad.flag(words) || words.len() == 5;
            let to = address(fields.store_data.address, words);
            memory.write(to, &words[3].to_le_bytes())?;
            if quad {
                memory.write(to + 4, &words.get(4).copied().unwrap_or(0).to_le_bytes())?;
            }
        }
        "MI_COPY_MEM_MEM" => {
            let value = memory.read_u32(address(fields.copy_memory.source, words))?;
            memory.write(address(fields.copy_memory.destination, words), &value.to_le_bytes())?;
        }
        "MI_MATH" => math(registers, &words[1..])?,
        "MI_PREDICATE" => predicate(&fields.predicate, registers, words)?,
        "PIPE_CONTROL" => pipe_control(&fields.pipe_control, registers, memory, clock, words)?,
        "MI_NOOP" | "MI_BATCH_BUFFER_END" | "MI_BATCH_BUFFER_START" => {}
        _ => return Ok(false),
    }
    Ok(true)
}

/// Writes a register.
fn write_register(
    generation: Generation,
    registers: &mut Registers,
    offset: u32,
    value: u32,
) -> Outcome<()> {
    match effect(generation, offset) {
        Some(Effect::Modeled | Effect::None) => registers.set(offset, value),
        Some(Effect::ModeledMasked | Effect::NoneMasked) => {
            let mask = value >> 16;
            registers.set(offset, registers.get(offset) & !mask | value & mask);
        }
        None => return not_modeled(format!("writes of register {offset:#x}")),
    }
    Ok(())
}

/// Reads a register.
fn read_register(generation: Generation, registers: &Registers, offset: u32) -> Outcome<u32> {
    match effect(generation, offset) {
        Some(_) => Ok(registers.get(offset)),
        None => not_modeled(format!("reads of register {offset:#x}")),
    }
}

/// Reads an address field.
fn address(field: Field, words: &[u32]) -> u64 {
    field.get(words) & 0xffff_ffff_ffff
}

/// Executes the instructions of `MI_MATH` on the general purpose registers.
fn math(registers: &mut Registers, instructions: &[u32]) -> Outcome<()> {
    const SOURCE_A: u32 = 0x20;
    const SOURCE_B: u32 = 0x21;
    const ACCUMULATOR: u32 = 0x31;
    const ZERO_FLAG: u32 = 0x32;
    const CARRY_FLAG: u32 = 0x33;
    let [mut a, mut b, mut accumulator] = [0_u64; 3];
    let [mut zero, mut carry] = [false; 2];
    for instruction in instructions {
        let (first, second) = (instruction >> 10 & 0x3ff, instruction & 0x3ff);
        let mask = |flag: bool| if flag { u64::MAX } else { 0 };
        match instruction >> 20 {
            // LOAD, LOAD0, LOAD1, LOADINV
            operation @ (0x080 | 0x081 | 0x481 | 0x480) => {
                let value = match operation {
                    0x081 => 0,
                    0x481 => u64::MAX,
                    0x480 => !registers.get_u64(register::GENERAL + 8 * second),
                    _ => registers.get_u64(register::GENERAL + 8 * second),
                };
                match first {
                    SOURCE_A => a = value,
                    SOURCE_B => b = value,
                    _ => return not_modeled(format!("MI_MATH load to {first:#x}")),
                }
            }
            operation @ 0x100..=0x104 => {
                (accumulator, carry) = match operation {
                    0x100 => a.overflowing_add(b),
                    0x101 => a.overflowing_sub(b),
                    0x102 => (a & b, false),
                    0x103 => (a | b, false),
                    _ => (a ^ b, false),
                };
                zero = accumulator == 0;
            }
            operation @ (0x180 | 0x580) => {
                let value = match second {
                    ACCUMULATOR => accumulator,
                    ZERO_FLAG => mask(zero),
                    CARRY_FLAG => mask(carry),
                    _ => return not_modeled(format!("MI_MATH store of {second:#x}")),
                };
                let value = if operation == 0x580 { !value } else { value };
                registers.set_u64(register::GENERAL + 8 * first, value);
            }
            0 => {}
            operation => return not_modeled(format!("MI_MATH operation {operation:#x}")),
        }
    }
    Ok(())
}

/// Compares the sources and combines the result with the last one.
fn predicate(fields: &Predicate, registers: &mut Registers, words: &[u32]) -> Outcome<()> {
    let first = registers.get_u64(register::PREDICATE_SOURCE_0);
    let second = registers.get_u64(register::PREDICATE_SOURCE_1);
    let difference = first.wrapping_sub(second);
    let compared = match fields.compare.get(words) {
        0 => true,
        1 => false,
        2 => first == second,
        _ => registers.get_u64(register::PREDICATE_DATA) == difference,
    };
    registers.set_u64(register::PREDICATE_DATA, difference);
    let last = registers.get(register::PREDICATE_RESULT) & 1 != 0;
    let combined = match fields.combine.get(words) {
        0 => compared,
        1 => last & compared,
        2 => last | compared,
        _ => last ^ compared,
    };
    let result = match fields.load.get(words) {
        0 => last,
        2 => combined,
        3 => !combined,
        _ => return not_modeled("reserved load operation of a predicate"),
    };
    registers.set(register::PREDICATE_RESULT, u32::from(result));
    Ok(())
}

/// Writes what a `PIPE_CONTROL` writes when all earlier work is done. Caches need no flush.
fn pipe_control(
    fields: &PipeControl,
    registers: &mut Registers,
    memory: &dyn Memory,
    clock: &Clock,
    words: &[u32],
) -> Outcome<()> {
    let value = match fields.post_sync.get(words) {
        0 => return Ok(()),
        1 => fields.data.get(words),
        2 => registers.get_u64(register::PS_DEPTH_COUNT),
        _ => clock.ticks(),
    };
    if fields.store_index.flag(words) || fields.to_register.flag(words) {
        return not_modeled("PIPE_CONTROL that writes to a status page or a register");
    }
    memory.write(address(fields.address, words), &value.to_le_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        let mut registers = Registers::default();
        registers.set_u64(register::GENERAL, u64::MAX);
        registers.set_u64(register::GENERAL + 8, 2);
        let load = |source: u32, index: u32| 0x080 << 20 | source << 10 | index;
        let store = |index: u32, source: u32| 0x180 << 20 | index << 10 | source;
        let sum = [load(0x20, 0), load(0x21, 1), 0x100 << 20, store(2, 0x31), store(3, 0x33)];
        math(&mut registers, &sum).expect("known operations");
        assert_eq!(registers.get_u64(register::GENERAL + 16), 1);
        assert_eq!(registers.get_u64(register::GENERAL + 24), u64::MAX);
        assert!(math(&mut registers, &[0x7ff << 20]).is_err());
    }

    #[test]
    fn registers() {
        let mut registers = Registers::default();
        let mut write = |offset, value| {
            write_register(Generation::Skl, &mut registers, offset, value)
                .map(|()| read_register(Generation::Skl, &registers, offset).expect("a register"))
        };
        assert_eq!(write(0x2400, 0x1234_5678), Ok(0x1234_5678));
        // Only the bits that the upper half selects change.
        assert_eq!(write(0x20d8, 0x0010_ffff), Ok(0x10));
        assert_eq!(write(0x20d8, 0x0001_0001), Ok(0x11));
        let error = write(0xb038, 0).expect_err("a register of another generation");
        assert_eq!(error.to_string(), "not modeled: writes of register 0xb038");
    }

    #[test]
    fn predicates() {
        let fields = Predicate::resolve(Table::of(Generation::Ivb));
        let mut registers = Registers::default();
        registers.set_u64(register::PREDICATE_SOURCE_0, 7);
        // Load the inverse of `sources are equal`.
        predicate(&fields, &mut registers, &[0x0600_00c2]).expect("a known operation");
        assert_eq!(registers.get(register::PREDICATE_RESULT), 1);
        registers.set_u64(register::PREDICATE_SOURCE_1, 7);
        predicate(&fields, &mut registers, &[0x0600_00c2]).expect("a known operation");
        assert_eq!(registers.get(register::PREDICATE_RESULT), 0);
    }
}
