//! Unified return buffer messages.
//!
//! Before gen8 a header gives two handles (dwords 0, 1), two slot offsets (3, 4) and channel masks (5, bits 15:8); the
//! interleaved forms split every register between the two entries, an oword each. From gen8 the SIMD8 forms take a
//! handle per channel and store a register as one dword of eight entries. Layout facts: Mesa's `brw_eu_emit.c`,
//! `brw_vec4_generator.cpp`, `brw_lower_logical_sends.cpp`.

use super::{Message, Response};
use crate::error::Reason;
use crate::host::{Host, UrbWrite};

/// Descriptor fields, whose positions differ between gen7 and gen8.
struct Control {
    opcode: u32,
    /// Global offset, in owords or (hword messages) in 32 bytes.
    offset: u32,
    /// Slot offsets are in the payload.
    slot_offsets: bool,
    /// Two entries, an oword of every register each.
    interleaved: bool,
    /// A register of channel masks is in the payload (SIMD8 write).
    masks: bool,
}

fn control(message: &Message) -> Control {
    if message.gen8_layout {
        let opcode = message.bits(3, 0);
        let simd8 = matches!(opcode, 7 | 8);
        return Control {
            opcode,
            offset: message.bits(14, 4),
            slot_offsets: message.bit(17),
            interleaved: message.bit(15) && !simd8,
            masks: message.bit(15) && simd8,
        };
    }
    Control {
        opcode: message.bits(2, 0),
        offset: message.bits(13, 3),
        slot_offsets: message.bit(16),
        interleaved: message.bit(14),
        masks: false,
    }
}

/// Executes an URB message.
pub fn execute(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    let control = control(message);
    match control.opcode {
        0 | 1 => write(message, &control, host).map(|()| Vec::new()),
        2 | 3 => read(message, &control, host),
        7 => simd8_write(message, &control, host).map(|()| Vec::new()),
        8 => simd8_read(message, &control, host),
        other => Err(Reason::NotModelled(format!("URB operation {other}"))),
    }
}

/// The two entries of a header: handle, and offset in owords.
fn entries(control: &Control, header: &[u32; 8]) -> [(u16, u32); 2] {
    // Global and slot offsets of hword messages count 32 bytes.
    let scale = if control.opcode & 1 == 0 { 2 } else { 1 };
    [0, 1].map(|slot| {
        let extra = if control.slot_offsets { header[3 + slot] } else { 0 };
        (header[slot] as u16, control.offset.wrapping_add(extra).wrapping_mul(scale))
    })
}

fn write(message: &Message, control: &Control, host: &mut dyn Host) -> Result<(), Reason> {
    let header = message.register(0)?;
    let masks = header[5] >> 8 & 0xff;
    let entries = entries(control, &header);
    let data = &message.payload[1..];
    if control.interleaved {
        for (slot, (handle, offset)) in entries.into_iter().enumerate() {
            for (index, register) in data.iter().enumerate() {
                let data = &register[slot * 4..slot * 4 + 4];
                let mask = u64::from(masks >> (slot * 4) & 0xf);
                host.urb_write(&UrbWrite { handle, offset: offset.wrapping_add(index as u32), data, mask })?;
            }
        }
        return Ok(());
    }
    let (handle, offset) = entries[0];
    // Without interleaving an oword message carries one oword.
    let dwords = if control.opcode == 1 { 4 } else { 8 };
    for (index, register) in data.iter().enumerate() {
        let offset = offset.wrapping_add(2 * index as u32);
        host.urb_write(&UrbWrite { handle, offset, data: &register[..dwords], mask: u64::from(masks) })?;
    }
    Ok(())
}

fn read(message: &Message, control: &Control, host: &mut dyn Host) -> Result<Response, Reason> {
    let header = message.register(0)?;
    let entries = entries(control, &header);
    let mut response = Vec::with_capacity(message.response);
    for index in 0..message.response as u32 {
        let mut register = [0; 8];
        if control.interleaved {
            for ((handle, offset), half) in entries.into_iter().zip(register.chunks_exact_mut(4)) {
                host.urb_read(handle, offset.wrapping_add(index), half)?;
            }
        } else {
            let (handle, offset) = entries[0];
            let dwords = if control.opcode == 3 { 4 } else { 8 };
            host.urb_read(handle, offset.wrapping_add(2 * index), &mut register[..dwords])?;
        }
        response.push((register, 0xff));
    }
    Ok(response)
}

/// The per-channel part of a SIMD8 message: handles, offsets in owords, and where the next register is.
fn slots(message: &Message, control: &Control) -> Result<([u32; 8], [u32; 8], usize), Reason> {
    let handles = message.register(0)?;
    let mut next = 1;
    let mut offsets = [control.offset; 8];
    if control.slot_offsets {
        for (offset, extra) in offsets.iter_mut().zip(message.register(next)?) {
            *offset = offset.wrapping_add(extra);
        }
        next += 1;
    }
    Ok((handles, offsets, next))
}

fn simd8_write(message: &Message, control: &Control, host: &mut dyn Host) -> Result<(), Reason> {
    let (handles, offsets, mut next) = slots(message, control)?;
    let mut masks = [0xff; 8];
    if control.masks {
        masks = message.register(next)?.map(|mask| mask >> 16 & 0xff);
        next += 1;
    }
    let planes = message.payload.get(next..).unwrap_or(&[]);
    let mut data = Vec::with_capacity(planes.len());
    for channel in (0..8).filter(|channel| message.enabled >> channel & 1 != 0) {
        data.clear();
        data.extend(planes.iter().map(|plane| plane[channel]));
        let write = UrbWrite {
            handle: handles[channel] as u16,
            offset: offsets[channel],
            data: &data,
            mask: u64::from(masks[channel]),
        };
        host.urb_write(&write)?;
    }
    Ok(())
}

fn simd8_read(message: &Message, control: &Control, host: &mut dyn Host) -> Result<Response, Reason> {
    let (handles, offsets, _) = slots(message, control)?;
    let mut response: Response = vec![([0; 8], message.enabled as u8); message.response];
    let mut data = vec![0; message.response];
    for channel in (0..8).filter(|channel| message.enabled >> channel & 1 != 0) {
        host.urb_read(handles[channel] as u16, offsets[channel], &mut data)?;
        for ((register, _), &dword) in response.iter_mut().zip(&data) {
            register[channel] = dword;
        }
    }
    Ok(response)
}
