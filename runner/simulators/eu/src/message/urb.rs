//! Unified return buffer messages.
//!
//! Before gen8 a header gives two handles (dwords 0, 1), two slot offsets (3, 4) and channel masks
//! (5, bits 15:8); the interleaved forms split every register between the two entries, an oword
//! each. From gen8 the SIMD8 forms take a handle per channel and store a register as one dword of
//! eight entries. Layout facts: Mesa's `brw_eu_emit.c`, `brw_vec4_generator.cpp`,
//! `brw_lower_logical_sends.cpp`.

use intel_isa::desc::{UrbMessage, UrbOp};

use super::payload::{Message, Response, WHOLE, words_of};
use crate::error::Reason;
use crate::host::{Host, UrbWrite};

/// Executes an URB message.
pub(super) fn execute(
    message: &Message,
    request: &UrbMessage,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    match request.op {
        UrbOp::WriteHword | UrbOp::WriteOword => write(message, request, host).map(|()| Vec::new()),
        UrbOp::ReadHword | UrbOp::ReadOword => read(message, request, host),
        UrbOp::Simd8Write => simd8_write(message, request, host).map(|()| Vec::new()),
        UrbOp::Simd8Read => simd8_read(message, request, host),
        other => Err(Reason::NotModeled(format!("URB {}", other.text()))),
    }
}

/// Returns whether an operation moves one oword where others move 32 bytes.
fn is_oword(op: UrbOp) -> bool {
    matches!(op, UrbOp::WriteOword | UrbOp::ReadOword)
}

/// The two entries of a header: handle, and offset in owords.
fn entries(request: &UrbMessage, header: &[u32; 8]) -> [(u16, u32); 2] {
    // Global and slot offsets of hword messages count 32 bytes.
    let scale = if is_oword(request.op) { 1 } else { 2 };
    [0, 1].map(|slot| {
        let extra = if request.per_slot_offset { header[3 + slot] } else { 0 };
        (header[slot] as u16, u32::from(request.offset).wrapping_add(extra).wrapping_mul(scale))
    })
}

fn write(message: &Message, request: &UrbMessage, host: &mut dyn Host) -> Result<(), Reason> {
    let header = message.register(0)?;
    // A component is written if its mask and its channel are on.
    let masks = header[5] >> 8 & 0xff & message.enabled;
    let entries = entries(request, &header);
    if message.eot {
        host.urb_end(&header);
    }
    if request.complete {
        let count = if request.interleave { 2 } else { 1 };
        entries.iter().take(count).for_each(|&(handle, _)| host.urb_complete(handle));
    }
    let data = &message.payload[1..];
    if request.interleave {
        for (slot, (handle, offset)) in entries.into_iter().enumerate() {
            for (index, register) in data.iter().enumerate() {
                let data = &register[slot * 4..slot * 4 + 4];
                let mask = u64::from(masks >> (slot * 4) & 0xf);
                host.urb_write(&UrbWrite {
                    handle,
                    offset: offset.wrapping_add(index as u32),
                    data,
                    mask,
                })?;
            }
        }
        return Ok(());
    }
    let (handle, offset) = entries[0];
    // Without interleaving an oword message carries one oword.
    let dwords = if is_oword(request.op) { 4 } else { 8 };
    for (index, register) in data.iter().enumerate() {
        let offset = offset.wrapping_add(2 * index as u32);
        host.urb_write(&UrbWrite {
            handle,
            offset,
            data: &register[..dwords],
            mask: u64::from(masks),
        })?;
    }
    Ok(())
}

fn read(message: &Message, request: &UrbMessage, host: &mut dyn Host) -> Result<Response, Reason> {
    let header = message.register(0)?;
    let entries = entries(request, &header);
    let mut response = Vec::with_capacity(message.response);
    for index in 0..message.response as u32 {
        let mut register = [0; 8];
        if request.interleave {
            let halves = entries.into_iter().zip(register.chunks_exact_mut(4)).enumerate();
            for (slot, ((handle, offset), half)) in halves {
                let result = host.urb_read(handle, offset.wrapping_add(index), half);
                // The handle of a slot whose channels are off may be anything: instructions that
                // ignore the mask computed it from registers that nothing has written.
                match result {
                    Err(_) if message.enabled >> (4 * slot) & 0xf == 0 => half.fill(0),
                    result => result?,
                }
            }
        } else {
            let (handle, offset) = entries[0];
            let dwords = if is_oword(request.op) { 4 } else { 8 };
            host.urb_read(handle, offset.wrapping_add(2 * index), &mut register[..dwords])?;
        }
        response.push((register, WHOLE));
    }
    Ok(response)
}

/// The per-channel part of a SIMD8 message: handles, offsets in owords, and where the next register
/// is.
fn slots(message: &Message, request: &UrbMessage) -> Result<([u32; 8], [u32; 8], usize), Reason> {
    let handles = message.register(0)?;
    let mut next = 1;
    let mut offsets = [u32::from(request.offset); 8];
    if request.per_slot_offset {
        for (offset, extra) in offsets.iter_mut().zip(message.register(next)?) {
            *offset = offset.wrapping_add(extra);
        }
        next += 1;
    }
    Ok((handles, offsets, next))
}

fn simd8_write(message: &Message, request: &UrbMessage, host: &mut dyn Host) -> Result<(), Reason> {
    let (handles, offsets, mut next) = slots(message, request)?;
    let mut masks = [0xff; 8];
    if request.channel_mask {
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

fn simd8_read(
    message: &Message,
    request: &UrbMessage,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (handles, offsets, _) = slots(message, request)?;
    let mut response: Response = vec![([0; 8], words_of(message.enabled)); message.response];
    let mut data = vec![0; message.response];
    for channel in (0..8).filter(|channel| message.enabled >> channel & 1 != 0) {
        host.urb_read(handles[channel] as u16, offsets[channel], &mut data)?;
        for ((register, _), &dword) in response.iter_mut().zip(&data) {
            register[channel] = dword;
        }
    }
    Ok(response)
}
