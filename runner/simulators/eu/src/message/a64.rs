//! Data-port messages with 64-bit addresses (gen8+).
//!
//! Addresses are qwords: two registers for eight channels, four for sixteen; blocks have theirs in
//! the first two dwords of the header. Data follows as in messages with surfaces, qwords filling
//! two registers per eight channels. Layouts are those of Mesa's `brw_lower_logical_sends.cpp`.

use intel_isa::desc::{A64Element, A64Scattered, BlockSize};

use super::atomics::Change;
use super::payload::{Message, Response, respond_plane};
use super::surface::{block_data, block_response, components};
use crate::error::Reason;
use crate::host::Host;

/// One qword of each channel from register `index` on.
fn qwords(message: &Message, index: usize, count: usize) -> Result<[u64; 16], Reason> {
    let mut values = [0; 16];
    for (channel, value) in values.iter_mut().enumerate().take(count) {
        let register = message.register(index + channel / 4)?;
        let at = channel % 4 * 2;
        *value = u64::from(register[at]) | u64::from(register[at + 1]) << 32;
    }
    Ok(values)
}

/// Appends one qword of each channel.
fn respond_qwords(response: &mut Response, values: &[u64; 16], count: usize, mask: u32) {
    for first in (0..count).step_by(4) {
        let dword = |lane: usize| (values[first + lane / 2] >> (lane % 2 * 32)) as u32;
        let written = (0..4).filter(|channel| mask >> (first + channel) & 1 != 0);
        let words = written.fold(0, |words, channel| words | 0xf << (channel * 4));
        response.push((std::array::from_fn(dword), words));
    }
}

/// Channels of a message.
fn count_of(simd16: bool) -> usize {
    if simd16 { 16 } else { 8 }
}

/// The channels' addresses, and the register after them.
fn addresses(message: &Message, count: usize) -> Result<([u64; 16], usize), Reason> {
    let first = usize::from(message.header);
    Ok((qwords(message, first, count)?, first + count / 4))
}

fn enabled(message: &Message, count: usize) -> impl Iterator<Item = usize> + use<> {
    let mask = message.enabled;
    (0..count).filter(move |channel| mask >> channel & 1 != 0)
}

/// Up to four dwords per channel.
pub(super) fn read(
    message: &Message,
    simd16: bool,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = count_of(simd16);
    let (addresses, _) = addresses(message, count)?;
    let mut response = Vec::new();
    for component in components(absent) {
        let mut plane = [0; 16];
        for channel in enabled(message, count) {
            let mut bytes = [0; 4];
            host.global_read(addresses[channel].wrapping_add(component as u64 * 4), &mut bytes)?;
            plane[channel] = u32::from_le_bytes(bytes);
        }
        respond_plane(&mut response, &plane, count, message.enabled);
    }
    Ok(response)
}

/// Up to four dwords per channel.
pub(super) fn write(
    message: &Message,
    simd16: bool,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = count_of(simd16);
    let (addresses, mut next) = addresses(message, count)?;
    for component in components(absent) {
        let data = message.plane(next, count)?;
        next += count / 8;
        for channel in enabled(message, count) {
            let address = addresses[channel].wrapping_add(component as u64 * 4);
            host.global_write(address, &data[channel].to_le_bytes())?;
        }
    }
    Ok(Vec::new())
}

/// Neighboring elements per channel.
pub(super) fn scattered_read(
    message: &Message,
    request: &A64Scattered,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = count_of(request.simd16);
    let (addresses, _) = addresses(message, count)?;
    let (size, planes) = planes(request)?;
    let mut response = Vec::new();
    for index in 0..planes {
        let mut values = [0; 16];
        for channel in enabled(message, count) {
            let mut bytes = [0; 8];
            let part = &mut bytes[..size];
            host.global_read(addresses[channel].wrapping_add((index * size) as u64), part)?;
            values[channel] = u64::from_le_bytes(bytes);
        }
        match request.element {
            A64Element::Qword => respond_qwords(&mut response, &values, count, message.enabled),
            _ => respond_plane(
                &mut response,
                &values.map(|value| value as u32),
                count,
                message.enabled,
            ),
        }
    }
    Ok(response)
}

/// Neighboring elements per channel.
pub(super) fn scattered_write(
    message: &Message,
    request: &A64Scattered,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = count_of(request.simd16);
    let (addresses, mut next) = addresses(message, count)?;
    let (size, planes) = planes(request)?;
    for index in 0..planes {
        let values = operand(message, &mut next, count, request.element == A64Element::Qword)?;
        for channel in enabled(message, count) {
            let address = addresses[channel].wrapping_add((index * size) as u64);
            host.global_write(address, &values[channel].to_le_bytes()[..size])?;
        }
    }
    Ok(Vec::new())
}

/// Bytes that one plane of data moves per channel, and planes. Bytes share their channel's dword.
fn planes(request: &A64Scattered) -> Result<(usize, usize), Reason> {
    let count = usize::from(request.count);
    match request.element {
        A64Element::Byte if count > 4 => {
            Err(Reason::Message("more bytes per channel than a dword has".into()))
        }
        A64Element::Byte => Ok((count, 1)),
        A64Element::Dword => Ok((4, count)),
        A64Element::Qword => Ok((8, count)),
    }
}

/// One value per channel at register `next`, which moves on.
fn operand(
    message: &Message,
    next: &mut usize,
    count: usize,
    qword: bool,
) -> Result<[u64; 16], Reason> {
    let first = *next;
    *next += count / if qword { 4 } else { 8 };
    if qword {
        qwords(message, first, count)
    } else {
        Ok(message.plane(first, count)?.map(u64::from))
    }
}

/// An atomic of eight channels on values of `size` bytes. The host serves one message at a time, so
/// reading and writing is atomic.
pub(super) fn atomic(
    message: &Message,
    change: Change,
    (size, returns): (usize, bool),
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let qword = size == 8;
    let (addresses, mut next) = addresses(message, 8)?;
    let mut data = [[0; 16]; 2];
    for values in data.iter_mut().take(change.operands()) {
        *values = operand(message, &mut next, 8, qword)?;
    }
    let mut returned = [0; 16];
    for channel in enabled(message, 8) {
        let mut bytes = [0; 8];
        host.global_read(addresses[channel], &mut bytes[..size])?;
        let operands = [data[0][channel], data[1][channel]];
        let (new, result) = change.apply(u64::from_le_bytes(bytes), operands, size);
        host.global_write(addresses[channel], &new.to_le_bytes()[..size])?;
        returned[channel] = result;
    }
    let mut response = Vec::new();
    match (returns, qword) {
        (false, _) => {}
        (true, true) => respond_qwords(&mut response, &returned, 8, message.enabled),
        (true, false) => {
            respond_plane(&mut response, &returned.map(|value| value as u32), 8, message.enabled);
        }
    }
    Ok(response)
}

/// The address of a block.
fn block_address(message: &Message) -> Result<u64, Reason> {
    let header = message.register(0)?;
    Ok(u64::from(header[0]) | u64::from(header[1]) << 32)
}

/// One block; the lowest bits of the address do not count.
pub(super) fn block_read(
    message: &Message,
    (size, aligned): (BlockSize, bool),
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let mut data = vec![0; usize::from(size.owords()) * 16];
    let unit = if aligned { 16 } else { 4 };
    host.global_read(block_address(message)? & !(unit - 1), &mut data)?;
    Ok(block_response(&data, size))
}

/// One block.
pub(super) fn block_write(
    message: &Message,
    size: BlockSize,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let data = block_data(message, size)?;
    host.global_write(block_address(message)?, &data)?;
    Ok(Vec::new())
}
