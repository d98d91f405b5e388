//! Events: fences, time stamps, counts of samples, predication, stream output.

use gpu_service::{Outcome, not_modeled};
use packets::{Memory, Table};

use super::packet::Packet;
use crate::context::Context;
use crate::hardware::Hardware;

/// Numbers of events that write.
const SAMPLES_DONE: u64 = 21;
const SAMPLE_STATISTICS: u64 = 30;
/// First number of the events that sample the counts of a stream: stream 1, 2, 3, 0.
const STREAM_STATISTICS: [u64; 4] = [1, 2, 3, 32];
/// Back ends that write counts of samples.
const BACK_ENDS: u64 = 8;
/// Bit of a count that is valid.
const VALID: u64 = 1 << 63;
/// Operations of predication: no condition, samples, primitives, a value.
const CLEAR_PREDICATE: u64 = 0;
const SAMPLES_PASSED: u64 = 1;
const PRIMITIVE_COUNT: u64 = 2;
const VALUE: u64 = 3;

/// Registers that events and stream output change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Events {
    /// Set when stream output has finished.
    control: u32,
}

impl Events {
    pub(super) fn resolve(table: &Table) -> Events {
        let address = |name| table.register_named(name).map_or(0, |layout| layout.offset);
        Events { control: address("CP_STRMOUT_CNTL") }
    }

    pub(super) fn execute(
        &self,
        hardware: &Hardware,
        memory: &dyn Memory,
        context: &mut Context,
        packet: &Packet<'_>,
    ) -> Outcome<()> {
        match packet.0.layout.name {
            "EVENT_WRITE" => self.event(memory, context, packet),
            "EVENT_WRITE_EOP" => end_of_pipe(hardware, memory, packet),
            "STRMOUT_BUFFER_UPDATE" => update_buffer(memory, context, packet),
            name => not_modeled(name),
        }
    }

    fn event(
        &self,
        memory: &dyn Memory,
        context: &mut Context,
        packet: &Packet<'_>,
    ) -> Outcome<()> {
        let address = packet.get("Address");
        let event = packet.get("Event");
        match event {
            SAMPLES_DONE => {
                // Each back end has a place of 16 bytes; the first one has counted all.
                for end in 0..BACK_ENDS {
                    let count = if end == 0 { context.passed_samples } else { 0 };
                    memory.write(address + 16 * end, &(count | VALID).to_le_bytes())?;
                }
                Ok(())
            }
            SAMPLE_STATISTICS => {
                memory.write(address, &context.statistics.bytes())?;
                Ok(())
            }
            // The end of stream output.
            31 => {
                context.registers.set(self.control, 1);
                Ok(())
            }
            _ if STREAM_STATISTICS.contains(&event) && packet.0.words.len() > 2 => {
                let place = STREAM_STATISTICS.iter().position(|known| *known == event);
                let stream = place.map_or(0, |place| (place + 1) % STREAM_STATISTICS.len());
                let [written, needed] = context.primitives[stream];
                memory.write(address, &(needed | VALID).to_le_bytes())?;
                memory.write(address + 8, &(written | VALID).to_le_bytes())?;
                Ok(())
            }
            // Flushes and invalidations of caches; waits; starts and ends of statistics.
            4..=8 | 11..=19 | 25..=28 | 34..=38 | 40..=47 | 49..=53 => Ok(()),
            event => not_modeled(format!("event {event}")),
        }
    }

    /// Decides if draws under predication are executed.
    pub(super) fn predicate(
        &self,
        memory: &dyn Memory,
        context: &mut Context,
        packet: &Packet<'_>,
    ) -> Outcome<()> {
        let address = packet.get("Address Over 16") << 4;
        let operation = packet.get("Operation");
        let seen = match operation {
            CLEAR_PREDICATE => {
                context.predicate = true;
                return Ok(());
            }
            SAMPLES_PASSED => {
                let mut sum = 0_u64;
                for end in 0..BACK_ENDS {
                    let [start, stop] =
                        [0, 8].map(|offset| memory.read_u64(address + 16 * end + offset));
                    let (start, stop) = (start?, stop?);
                    if start & stop & VALID != 0 {
                        sum = sum.wrapping_add(stop.wrapping_sub(start));
                    }
                }
                sum != 0
            }
            PRIMITIVE_COUNT => {
                let read = |place: u64| memory.read_u64(address + 8 * place);
                let [written, needed] =
                    [read(2)?.wrapping_sub(read(0)?), read(3)?.wrapping_sub(read(1)?)];
                written != needed
            }
            VALUE => memory.read_u64(address)? != 0,
            _ => return not_modeled(format!("predication {operation}")),
        };
        context.seen = seen || packet.flag("Continue") && context.seen;
        // For primitives the bit means: if none was without room.
        let wanted = packet.flag("Draw If Visible") != (operation == PRIMITIVE_COUNT);
        context.predicate = context.seen == wanted;
        Ok(())
    }
}

/// Writes a value after everything before is done: it is.
fn end_of_pipe(hardware: &Hardware, memory: &dyn Memory, packet: &Packet<'_>) -> Outcome<()> {
    let (address, data) = (packet.get("Address"), packet.get("Data"));
    match packet.get("Data Select") {
        0 => {}
        1 => memory.write(address, &data.to_le_bytes()[..4])?,
        2 => memory.write(address, &data.to_le_bytes())?,
        3 => memory.write(address, &hardware.clock.ticks().to_le_bytes())?,
        select => return not_modeled(format!("data {select} at the end of the pipe")),
    }
    Ok(())
}

/// Stores how much of a buffer of stream output is filled, and sets it.
fn update_buffer(memory: &dyn Memory, context: &mut Context, packet: &Packet<'_>) -> Outcome<()> {
    let buffer = packet.get("Buffer") as usize & 3;
    // Packets count bytes or double words.
    let unit = if packet.flag("Data Type") { 4 } else { 1 };
    if packet.flag("Store Filled Size") {
        let filled = context.filled[buffer].wrapping_mul(unit);
        memory.write(packet.get("Destination"), &filled.to_le_bytes())?;
    }
    match packet.get("Offset Source") {
        0 => context.filled[buffer] = packet.word("Source") / unit,
        2 => context.filled[buffer] = memory.read_u32(packet.address("Source"))? / unit,
        // It stays as it is.
        _ => {}
    }
    Ok(())
}
