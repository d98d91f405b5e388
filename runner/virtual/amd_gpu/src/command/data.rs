//! Packets that move data: copies, fills, waits.

use gpu_service::{Outcome, not_modeled};
use packets::Memory;

use super::packet::Packet;
use crate::context::Context;
use crate::hardware::Hardware;

/// Bytes of a piece of a copy.
const PIECE: usize = 1 << 16;

/// Sources and destinations of data.
const REGISTER: u64 = 0;
const IMMEDIATE: u64 = 5;
const TIMESTAMP: u64 = 9;

/// Executes a packet.
pub(super) fn execute(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &mut Context,
    packet: &Packet<'_>,
) -> Outcome<()> {
    match packet.0.layout.name {
        "CP_DMA" | "DMA_DATA" => transfer(memory, packet),
        "WRITE_DATA" => write_data(memory, packet),
        "COPY_DATA" => copy_data(hardware, memory, context, packet),
        "WAIT_REG_MEM" => wait(memory, context, packet),
        _ => not_modeled("the packet"),
    }
}

/// Copies or fills a range of memory.
fn transfer(memory: &dyn Memory, packet: &Packet<'_>) -> Outcome<()> {
    const GDS: u64 = 1;
    const DATA: u64 = 2;
    let (from, to) = (packet.get("Source Select"), packet.get("Destination Select"));
    let registers = packet.flag("Source Is Register") || packet.flag("Destination Is Register");
    let constant = packet.flag("Source Is Constant") || packet.flag("Destination Is Constant");
    if from == GDS || to == GDS || registers || constant {
        return not_modeled("transfers from or to other places than memory");
    }
    let bytes = packet.get("Bytes") as usize;
    let (source, destination) = (packet.address("Source"), packet.address("Destination"));
    // A transfer to its own place reads only, to fill the cache.
    if from != DATA && source == destination {
        return Ok(());
    }
    let mut buffer = vec![0; bytes.min(PIECE)];
    if from == DATA {
        let value = packet.word("Source").to_le_bytes();
        for (byte, value) in buffer.iter_mut().zip(value.iter().cycle()) {
            *byte = *value;
        }
    }
    let mut done = 0;
    while done < bytes {
        let count = (bytes - done).min(PIECE);
        if from != DATA {
            memory.read(source + done as u64, &mut buffer[..count])?;
        }
        memory.write(destination + done as u64, &buffer[..count])?;
        done += count;
    }
    Ok(())
}

fn write_data(memory: &dyn Memory, packet: &Packet<'_>) -> Outcome<()> {
    let select = packet.get("Destination Select");
    if select == REGISTER || select == 3 || packet.flag("One Address") {
        return not_modeled(format!("data written to place {select}"));
    }
    let data = packet.0.words.get(4..).unwrap_or(&[]);
    let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(packet.address("Destination"), &bytes)?;
    Ok(())
}

fn copy_data(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &mut Context,
    packet: &Packet<'_>,
) -> Outcome<()> {
    let is_wide = packet.flag("Two Words");
    let address = packet.address("Source");
    let register = |address: u64| u32::try_from(4 * (address & 0xffff_ffff)).unwrap_or(0);
    let value = match packet.get("Source Select") {
        REGISTER => u64::from(context.registers.get(register(address))),
        1 | 2 if is_wide => memory.read_u64(address)?,
        1 | 2 => u64::from(memory.read_u32(address)?),
        IMMEDIATE => u64::from(packet.word("Source")) | packet.get("Source High") << 32,
        TIMESTAMP => hardware.clock.ticks(),
        select => return not_modeled(format!("data copied from place {select}")),
    };
    let address = packet.address("Destination");
    match packet.get("Destination Select") {
        REGISTER => {
            context.registers.set(register(address), value as u32);
            if is_wide {
                context.registers.set(register(address + 1), (value >> 32) as u32);
            }
        }
        1 | 2 | 5 => {
            let bytes = value.to_le_bytes();
            memory.write(address, if is_wide { &bytes } else { &bytes[..4] })?;
        }
        select => return not_modeled(format!("data copied to place {select}")),
    }
    Ok(())
}

/// Waits for a value, which must be there: nothing else runs.
fn wait(memory: &dyn Memory, context: &Context, packet: &Packet<'_>) -> Outcome<()> {
    let address = packet.address("Address");
    let value = match packet.get("Memory Space") {
        0 => context.registers.get(u32::try_from(4 * (address & 0xffff)).unwrap_or(0)),
        _ => memory.read_u32(address & !3)?,
    };
    let (value, reference) = (value & packet.word("Mask"), packet.word("Reference"));
    let holds = match packet.get("Function") {
        1 => value < reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        6 => value > reference,
        _ => true,
    };
    if holds { Ok(()) } else { not_modeled(format!("waits for {reference:#x}: it is {value:#x}")) }
}
