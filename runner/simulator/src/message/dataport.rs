//! Data-port messages: block, scattered and surface accesses of memory.
//!
//! Message types and controls are those of Mesa's `brw_eu_defines.h` and `brw_eu.h`. Before hsw the surface messages go
//! to the data cache (untyped) and the render cache (typed); from hsw to the second data-cache port, with other numbers.

use super::{Message, Response, respond_plane};
use crate::error::Reason;
use crate::host::{AtomicOp, Host, Surface};

/// Entry 254 is shared local memory, 255 and 253 are stateless: for block messages the thread's scratch space.
fn surface(message: &Message) -> Surface {
    match message.bits(7, 0) as u8 {
        254 => Surface::Slm,
        255 | 253 => Surface::Scratch,
        entry => Surface::Bti(entry),
    }
}

fn unknown<T>(port: &str, kind: u32) -> Result<T, Reason> {
    Err(Reason::NotModelled(format!("{port} message {kind}")))
}

/// Messages to the constant cache and the sampler cache: reads only.
pub fn constant(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    let surface = Surface::Constant(message.bits(7, 0) as u8);
    match message.bits(17, 14) {
        0 => block_read(message, surface, 16, host),
        1 => block_read(message, surface, 1, host),
        2 => dual_block_read(message, surface, host),
        3 => scattered_read(message, surface, 4, 4, host),
        kind => unknown("constant-cache", kind),
    }
}

/// Messages to the data cache (from hsw: its port 0).
pub fn data_cache(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    if message.bit(18) {
        return scratch(message, host);
    }
    let surface = surface(message);
    match message.bits(17, 14) {
        0 => block_read(message, surface, 16, host),
        1 => block_read(message, surface, 1, host),
        2 => dual_block_read(message, surface, host),
        3 => scattered_read(message, surface, 4, 4, host),
        4 => scattered_read(message, surface, 1, 1 << message.bits(11, 10), host),
        5 if !message.has_port_1 => untyped_read(message, host),
        6 if !message.has_port_1 => untyped_atomic(message, false, host),
        7 => fence(message, host),
        8 => block_write(message, surface, host),
        10 => dual_block_write(message, surface, host),
        11 => scattered_write(message, surface, 4, 4, host),
        12 => scattered_write(message, surface, 1, 1 << message.bits(11, 10), host),
        13 if !message.has_port_1 => untyped_write(message, host),
        kind => unknown("data-cache", kind),
    }
}

/// Messages to the second data-cache port.
pub fn data_cache_1(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    let kind = if message.gen8_layout { message.bits(18, 14) } else { message.bits(17, 14) };
    match kind {
        1 => untyped_read(message, host),
        2 => untyped_atomic(message, false, host),
        3 => untyped_atomic(message, true, host),
        5 => typed_read(message, typed_group_hsw(message)?, host),
        6 => typed_atomic(message, if message.bit(12) { 8 } else { 0 }, host),
        9 => untyped_write(message, host),
        13 => typed_write(message, typed_group_hsw(message)?, host),
        kind => unknown("data-cache port 1", kind),
    }
}

/// Typed surface messages of the render cache (ivb).
pub fn render_cache_typed(message: &Message, kind: u32, host: &mut dyn Host) -> Result<Response, Reason> {
    let group = if message.bit(13) { 8 } else { 0 };
    match kind {
        5 => typed_read(message, group, host),
        6 => typed_atomic(message, if message.bit(12) { 8 } else { 0 }, host),
        7 => fence(message, host),
        13 => typed_write(message, group, host),
        kind => unknown("render-cache", kind),
    }
}

/// First channel of a typed message from hsw on.
fn typed_group_hsw(message: &Message) -> Result<u32, Reason> {
    match message.bits(13, 12) {
        1 => Ok(0),
        2 => Ok(8),
        _ => Err(Reason::NotModelled("SIMD4x2 typed surface messages".into())),
    }
}

fn fence(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    host.fence()?;
    Ok(vec![([0; 8], 0xff); message.response])
}

fn bytes_of(registers: &[[u32; 8]]) -> Vec<u8> {
    registers.iter().flatten().flat_map(|dword| dword.to_le_bytes()).collect()
}

fn registers_of(bytes: &[u8]) -> Vec<[u32; 8]> {
    let dword = |bytes: &[u8], index: usize| {
        let at = |byte: usize| u32::from(bytes.get(index * 4 + byte).copied().unwrap_or(0));
        at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24
    };
    bytes.chunks(32).map(|chunk| std::array::from_fn(|index| dword(chunk, index))).collect()
}

/// Scratch block messages: whole registers at a 12-bit register offset, relative to the thread's scratch space.
fn scratch(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    let field = message.bits(13, 12);
    let count = if message.gen8_layout { 1 << field } else { field + 1 } as usize;
    let offset = message.bits(11, 0) * 32;
    if !message.bit(17) {
        let mut data = vec![0; count * 32];
        host.read(Surface::Scratch, offset, &mut data)?;
        return Ok(registers_of(&data).into_iter().map(|register| (register, 0xff)).collect());
    }
    for index in 0..count {
        let register = message.register(1 + index)?;
        // The dword form obeys channel enables, the oword form writes everything.
        let lanes = if message.bit(16) { message.enabled >> (index % 2 * 8) } else { 0xff };
        for (lane, dword) in register.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0) {
            host.write(Surface::Scratch, offset + index as u32 * 32 + lane as u32 * 4, &dword.to_le_bytes())?;
        }
    }
    Ok(Vec::new())
}

/// Owords of a block message, and whether a single one stands in a register's upper half.
fn block_owords(message: &Message) -> Result<(usize, bool), Reason> {
    match message.bits(10, 8) {
        0 => Ok((1, false)),
        1 => Ok((1, true)),
        2 => Ok((2, false)),
        3 => Ok((4, false)),
        4 => Ok((8, false)),
        other => Err(Reason::Message(format!("oword block of size code {other}"))),
    }
}

/// The header's global offset in bytes.
fn global_offset(message: &Message, scale: u32) -> Result<u32, Reason> {
    Ok(message.register(0)?[2].wrapping_mul(scale))
}

fn block_read(
    message: &Message,
    surface: Surface,
    scale: u32,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (owords, high) = block_owords(message)?;
    let offset = global_offset(message, scale)?;
    let mut data = vec![0; owords * 16];
    host.read(surface, offset, &mut data)?;
    if owords == 1 {
        let low = registers_of(&data).first().copied().unwrap_or_default();
        let mut register = low;
        if high {
            register = [0, 0, 0, 0, low[0], low[1], low[2], low[3]];
        }
        return Ok(vec![(register, if high { 0xf0 } else { 0x0f })]);
    }
    Ok(registers_of(&data).into_iter().map(|register| (register, 0xff)).collect())
}

fn block_write(message: &Message, surface: Surface, host: &mut dyn Host) -> Result<Response, Reason> {
    let (owords, high) = block_owords(message)?;
    let offset = global_offset(message, 16)?;
    message.register(owords.div_ceil(2))?;
    let data = bytes_of(&message.payload[1..]);
    let start = if high { 16 } else { 0 };
    host.write(surface, offset, data.get(start..start + owords * 16).unwrap_or(&[]))?;
    Ok(Vec::new())
}

/// Byte offsets of the two blocks of a dual-block message: in owords in dwords 0 and 4 of the second register.
fn dual_offsets(message: &Message) -> Result<[u32; 2], Reason> {
    let base = global_offset(message, 16)?;
    let offsets = message.register(1)?;
    Ok([offsets[0], offsets[4]].map(|offset| base.wrapping_add(offset.wrapping_mul(16))))
}

fn dual_block_owords(message: &Message) -> Result<usize, Reason> {
    match message.bits(9, 8) {
        0 => Ok(1),
        2 => Ok(4),
        other => Err(Reason::Message(format!("dual oword block of size code {other}"))),
    }
}

fn dual_block_read(message: &Message, surface: Surface, host: &mut dyn Host) -> Result<Response, Reason> {
    let offsets = dual_offsets(message)?;
    let mut response = Vec::new();
    for index in 0..dual_block_owords(message)? as u32 {
        let mut data = [0; 32];
        for (half, offset) in data.chunks_exact_mut(16).zip(offsets) {
            host.read(surface, offset.wrapping_add(index * 16), half)?;
        }
        response.extend(registers_of(&data).into_iter().map(|register| (register, message.enabled as u8)));
    }
    Ok(response)
}

fn dual_block_write(message: &Message, surface: Surface, host: &mut dyn Host) -> Result<Response, Reason> {
    let offsets = dual_offsets(message)?;
    for index in 0..dual_block_owords(message)? {
        let register = message.register(2 + index)?;
        for (lane, dword) in register.iter().enumerate().filter(|(lane, _)| message.enabled >> lane & 1 != 0)
        {
            let offset = offsets[lane / 4].wrapping_add((index * 16 + lane % 4 * 4) as u32);
            host.write(surface, offset, &dword.to_le_bytes())?;
        }
    }
    Ok(Vec::new())
}

/// Channels of a scattered message, its first payload register and the header's global offset.
fn scattered_shape(message: &Message) -> Result<(usize, usize, u32), Reason> {
    let count = if message.bit(8) { 16 } else { 8 };
    let first = usize::from(message.header);
    let base = if message.header { global_offset(message, 1)? } else { 0 };
    Ok((count, first, base))
}

/// Scattered reads: an element of `size` bytes per channel, offsets in units of `unit` bytes, one dword of response each.
fn scattered_read(
    message: &Message,
    surface: Surface,
    unit: u32,
    size: usize,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (count, first, base) = scattered_shape(message)?;
    let offsets = message.plane(first, count)?;
    let mut plane = [0; 16];
    for channel in (0..count).filter(|channel| message.enabled >> channel & 1 != 0) {
        let mut bytes = [0; 4];
        let offset = base.wrapping_add(offsets[channel].wrapping_mul(unit));
        host.read(surface, offset, bytes.get_mut(..size).unwrap_or_default())?;
        plane[channel] = u32::from_le_bytes(bytes);
    }
    let mut response = Vec::new();
    respond_plane(&mut response, &plane, count, message.enabled);
    Ok(response)
}

fn scattered_write(
    message: &Message,
    surface: Surface,
    unit: u32,
    size: usize,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (count, first, base) = scattered_shape(message)?;
    let offsets = message.plane(first, count)?;
    let data = message.plane(first + count / 8, count)?;
    for channel in (0..count).filter(|channel| message.enabled >> channel & 1 != 0) {
        let offset = base.wrapping_add(offsets[channel].wrapping_mul(unit));
        host.write(surface, offset, data[channel].to_le_bytes().get(..size).unwrap_or(&[]))?;
    }
    Ok(Vec::new())
}

/// The channels of a surface message: its instruction's, and of a header's sample mask.
fn surface_mask(message: &Message, group: u32) -> Result<u32, Reason> {
    Ok(match message.header()? {
        Some(header) => message.enabled & (header[7] & 0xffff) >> group,
        None => message.enabled,
    })
}

/// SIMD4x2 (2), SIMD16 (16) or SIMD8 (8) of an untyped surface message.
fn untyped_count(message: &Message) -> Result<usize, Reason> {
    match message.bits(13, 12) {
        0 => Ok(2),
        1 => Ok(16),
        2 => Ok(8),
        other => Err(Reason::Message(format!("untyped surface message of SIMD mode {other}"))),
    }
}

/// Components that the inverted mask in bits 11:8 leaves.
fn components(message: &Message) -> impl Iterator<Item = usize> {
    let absent = message.bits(11, 8);
    (0..4).filter(move |component| absent >> component & 1 == 0)
}

fn untyped_read(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    let count = untyped_count(message)?;
    let first = usize::from(message.header);
    let surface = surface(message);
    let read = |host: &mut dyn Host, offset: u32| -> Result<u32, Reason> {
        let mut bytes = [0; 4];
        host.read(surface, offset, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    };
    if count == 2 {
        let address = message.register(first)?;
        let mut register = [0; 8];
        for slot in 0..2 {
            for component in components(message) {
                let offset = address[slot * 4].wrapping_add(component as u32 * 4);
                if message.enabled >> (slot * 4) & 0xf != 0 {
                    register[slot * 4 + component] = read(host, offset)?;
                }
            }
        }
        return Ok(vec![(register, message.enabled as u8)]);
    }
    let offsets = message.plane(first, count)?;
    let mut response = Vec::new();
    for component in components(message) {
        let mut plane = [0; 16];
        for channel in (0..count).filter(|channel| message.enabled >> channel & 1 != 0) {
            plane[channel] = read(host, offsets[channel].wrapping_add(component as u32 * 4))?;
        }
        respond_plane(&mut response, &plane, count, message.enabled);
    }
    Ok(response)
}

fn untyped_write(message: &Message, host: &mut dyn Host) -> Result<Response, Reason> {
    let count = untyped_count(message)?;
    let mut next = usize::from(message.header);
    let surface = surface(message);
    let mask = surface_mask(message, 0)?;
    if count == 2 {
        let (address, data) = (message.register(next)?, message.register(next + 1)?);
        for slot in (0..2).filter(|slot| mask >> (slot * 4) & 0xf != 0) {
            for component in components(message) {
                let offset = address[slot * 4].wrapping_add(component as u32 * 4);
                host.write(surface, offset, &data[slot * 4 + component].to_le_bytes())?;
            }
        }
        return Ok(Vec::new());
    }
    let offsets = message.plane(next, count)?;
    for component in components(message) {
        next += count / 8;
        let data = message.plane(next, count)?;
        for channel in (0..count).filter(|channel| mask >> channel & 1 != 0) {
            let offset = offsets[channel].wrapping_add(component as u32 * 4);
            host.write(surface, offset, &data[channel].to_le_bytes())?;
        }
    }
    Ok(Vec::new())
}

/// The operation of an atomic message and how many operands it takes.
fn atomic_op(message: &Message) -> Result<(AtomicOp, usize), Reason> {
    Ok(match message.bits(11, 8) {
        1 => (AtomicOp::And, 1),
        2 => (AtomicOp::Or, 1),
        3 => (AtomicOp::Xor, 1),
        4 => (AtomicOp::Mov, 1),
        5 => (AtomicOp::Inc, 0),
        6 => (AtomicOp::Dec, 0),
        7 => (AtomicOp::Add, 1),
        8 => (AtomicOp::Sub, 1),
        9 => (AtomicOp::RevSub, 1),
        10 => (AtomicOp::IMax, 1),
        11 => (AtomicOp::IMin, 1),
        12 => (AtomicOp::UMax, 1),
        13 => (AtomicOp::UMin, 1),
        14 => (AtomicOp::CmpWr, 2),
        15 => (AtomicOp::PreDec, 0),
        other => return Err(Reason::NotModelled(format!("atomic operation {other}"))),
    })
}

fn untyped_atomic(message: &Message, simd4x2: bool, host: &mut dyn Host) -> Result<Response, Reason> {
    if simd4x2 {
        return Err(Reason::NotModelled("SIMD4x2 untyped atomics".into()));
    }
    let count = if message.bit(12) { 8 } else { 16 };
    let (op, operands) = atomic_op(message)?;
    let first = usize::from(message.header);
    let offsets = message.plane(first, count)?;
    let mask = surface_mask(message, 0)?;
    let data = operand_planes(message, first + count / 8, count, operands)?;
    let mut plane = [0; 16];
    for channel in (0..count).filter(|channel| mask >> channel & 1 != 0) {
        let values = [data[0][channel], data[1][channel]];
        plane[channel] = host.atomic(surface(message), offsets[channel], op, values)?;
    }
    let mut response = Vec::new();
    if message.bit(13) {
        respond_plane(&mut response, &plane, count, mask);
    }
    Ok(response)
}

fn operand_planes(
    message: &Message,
    first: usize,
    count: usize,
    operands: usize,
) -> Result<[[u32; 16]; 2], Reason> {
    let mut planes = [[0; 16]; 2];
    for (index, plane) in planes.iter_mut().enumerate().take(operands) {
        *plane = message.plane(first + index * (count / 8), count)?;
    }
    Ok(planes)
}

/// Coordinates of a typed message: the registers between the header and `data` data registers.
fn coordinates(message: &Message, data: usize) -> Result<(Vec<[u32; 16]>, usize), Reason> {
    let first = usize::from(message.header);
    let count = message.payload.len().saturating_sub(first + data).min(4);
    if count == 0 {
        return Err(Reason::Message("a typed surface message without coordinates".into()));
    }
    let planes = (0..count).map(|index| message.plane(first + index, 8)).collect::<Result<_, _>>()?;
    Ok((planes, first + count))
}

fn coordinate(planes: &[[u32; 16]], channel: usize) -> [u32; 4] {
    std::array::from_fn(|index| planes.get(index).map_or(0, |plane| plane[channel]))
}

fn typed_read(message: &Message, group: u32, host: &mut dyn Host) -> Result<Response, Reason> {
    let (planes, _) = coordinates(message, 0)?;
    let mask = surface_mask(message, group)? & 0xff;
    let mut texels = [[0; 16]; 4];
    for channel in (0..8).filter(|channel| mask >> channel & 1 != 0) {
        let texel = host.typed_read(message.bits(7, 0) as u8, coordinate(&planes, channel))?;
        for (plane, value) in texels.iter_mut().zip(texel) {
            plane[channel] = value;
        }
    }
    let mut response = Vec::new();
    for component in components(message) {
        respond_plane(&mut response, &texels[component], 8, message.enabled & 0xff);
    }
    Ok(response)
}

fn typed_write(message: &Message, group: u32, host: &mut dyn Host) -> Result<Response, Reason> {
    let written: Vec<usize> = components(message).collect();
    let (planes, first) = coordinates(message, written.len())?;
    let mask = surface_mask(message, group)? & 0xff;
    let mut data = [[0; 16]; 4];
    for (index, &component) in written.iter().enumerate() {
        data[component] = message.plane(first + index, 8)?;
    }
    for channel in (0..8).filter(|channel| mask >> channel & 1 != 0) {
        let texel = std::array::from_fn(|component| data[component][channel]);
        host.typed_write(message.bits(7, 0) as u8, coordinate(&planes, channel), texel)?;
    }
    Ok(Vec::new())
}

fn typed_atomic(message: &Message, group: u32, host: &mut dyn Host) -> Result<Response, Reason> {
    let (op, operands) = atomic_op(message)?;
    let (planes, first) = coordinates(message, operands)?;
    let data = operand_planes(message, first, 8, operands)?;
    let mask = surface_mask(message, group)? & 0xff;
    let mut plane = [0; 16];
    for channel in (0..8).filter(|channel| mask >> channel & 1 != 0) {
        let values = [data[0][channel], data[1][channel]];
        plane[channel] =
            host.typed_atomic(message.bits(7, 0) as u8, coordinate(&planes, channel), op, values)?;
    }
    let mut response = Vec::new();
    if message.bit(13) {
        respond_plane(&mut response, &plane, 8, mask);
    }
    Ok(response)
}
