//! Data-port messages: block, scattered and surface accesses of memory.
//!
//! Payload layouts are those of Mesa's `brw_lower_logical_sends.cpp`, `brw_eu_emit.c` and `brw_vec4_generator.cpp`.

use eu::Sfid;
use eu::desc::{
    AtomicOp as Code, BlockSize, DataOp, DataPortMessage, ScratchMessage, SlotGroup, SurfaceSimd,
};

use super::{Message, Response, respond_plane};
use crate::error::Reason;
use crate::host::{AtomicOp, Host, Surface};

/// What a message addresses. Entry 254 is shared local memory; 255 and 253 are stateless, which for block messages is
/// the thread's scratch space.
fn surface(request: &DataPortMessage) -> Surface {
    match (request.port, request.surface) {
        (Sfid::ConstantCache | Sfid::DpSampler, entry) => Surface::Constant(entry),
        (_, 254) => Surface::Slm,
        (_, 255 | 253) => Surface::Scratch,
        (_, entry) => Surface::Bti(entry),
    }
}

/// Executes a data-port message.
pub fn execute(
    message: &Message,
    request: &DataPortMessage,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let surface = surface(request);
    let entry = request.surface;
    match request.op {
        DataOp::OwordBlockRead { size, aligned } => {
            block_read(message, surface, size, if aligned { 16 } else { 1 }, host)
        }
        DataOp::OwordBlockWrite { size } => block_write(message, surface, size, host),
        DataOp::OwordDualBlockRead { four } => dual_block_read(message, surface, four, host),
        DataOp::OwordDualBlockWrite { four } => dual_block_write(message, surface, four, host),
        DataOp::DwordScatteredRead { simd16 } => {
            scattered_read(message, surface, scattered(simd16, 4, 4), host)
        }
        DataOp::DwordScatteredWrite { simd16 } => {
            scattered_write(message, surface, scattered(simd16, 4, 4), host)
        }
        DataOp::ByteScatteredRead { simd16, bytes } => {
            scattered_read(message, surface, scattered(simd16, 1, bytes), host)
        }
        DataOp::ByteScatteredWrite { simd16, bytes } => {
            scattered_write(message, surface, scattered(simd16, 1, bytes), host)
        }
        DataOp::UntypedRead { simd, mask } => untyped_read(message, surface, count_of(simd), mask, host),
        DataOp::UntypedWrite { simd, mask } => untyped_write(message, surface, count_of(simd), mask, host),
        DataOp::UntypedAtomic { op, simd, returns } => {
            untyped_atomic(message, surface, atomic_op(op), (count_of(simd), returns), host)
        }
        DataOp::UntypedFloatAtomic { op, .. } => {
            Err(Reason::NotModelled(format!("float atomic {}", op.text())))
        }
        DataOp::TypedRead { slots, mask } => typed_read(message, entry, group_of(slots)?, mask, host),
        DataOp::TypedWrite { slots, mask } => typed_write(message, entry, group_of(slots)?, mask, host),
        DataOp::TypedAtomic { op, slots, returns } => {
            typed_atomic(message, entry, atomic_op(op), (group_of(slots)?, returns), host)
        }
        DataOp::Fence { .. } => {
            host.fence()?;
            Ok(vec![([0; 8], 0xff); message.response])
        }
    }
}

/// Channels of an untyped surface message; 2 for SIMD4x2.
fn count_of(simd: SurfaceSimd) -> usize {
    match simd {
        SurfaceSimd::Simd4x2 => 2,
        SurfaceSimd::Simd16 => 16,
        SurfaceSimd::Simd8 => 8,
    }
}

/// First of the sixteen channels that a typed message means.
fn group_of(slots: SlotGroup) -> Result<u32, Reason> {
    match slots {
        SlotGroup::Low => Ok(0),
        SlotGroup::High => Ok(8),
        SlotGroup::Simd4x2 => Err(Reason::NotModelled("SIMD4x2 typed surface messages".into())),
    }
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
pub fn scratch(message: &Message, request: &ScratchMessage, host: &mut dyn Host) -> Result<Response, Reason> {
    let count = usize::from(request.registers);
    let offset = u32::from(request.offset) * 32;
    if !request.write {
        let mut data = vec![0; count * 32];
        host.read(Surface::Scratch, offset, &mut data)?;
        return Ok(registers_of(&data).into_iter().map(|register| (register, 0xff)).collect());
    }
    for index in 0..count {
        let register = message.register(1 + index)?;
        // The dword form obeys channel enables, the oword form writes everything.
        let lanes = if request.dword { message.enabled >> (index % 2 * 8) } else { 0xff };
        for (lane, dword) in register.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0) {
            host.write(Surface::Scratch, offset + index as u32 * 32 + lane as u32 * 4, &dword.to_le_bytes())?;
        }
    }
    Ok(Vec::new())
}

/// The header's global offset in bytes.
fn global_offset(message: &Message, scale: u32) -> Result<u32, Reason> {
    Ok(message.register(0)?[2].wrapping_mul(scale))
}

fn block_read(
    message: &Message,
    surface: Surface,
    size: BlockSize,
    scale: u32,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (owords, high) = (usize::from(size.owords()), size == BlockSize::OneHigh);
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

fn block_write(
    message: &Message,
    surface: Surface,
    size: BlockSize,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (owords, high) = (usize::from(size.owords()), size == BlockSize::OneHigh);
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

fn dual_block_read(
    message: &Message,
    surface: Surface,
    four: bool,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let offsets = dual_offsets(message)?;
    let mut response = Vec::new();
    for index in 0..if four { 4 } else { 1 } {
        let mut data = [0; 32];
        for (half, offset) in data.chunks_exact_mut(16).zip(offsets) {
            host.read(surface, offset.wrapping_add(index * 16), half)?;
        }
        response.extend(registers_of(&data).into_iter().map(|register| (register, message.enabled as u8)));
    }
    Ok(response)
}

fn dual_block_write(
    message: &Message,
    surface: Surface,
    four: bool,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let offsets = dual_offsets(message)?;
    for index in 0..if four { 4 } else { 1 } {
        let register = message.register(2 + index)?;
        for (lane, dword) in register.iter().enumerate().filter(|(lane, _)| message.enabled >> lane & 1 != 0)
        {
            let offset = offsets[lane / 4].wrapping_add((index * 16 + lane % 4 * 4) as u32);
            host.write(surface, offset, &dword.to_le_bytes())?;
        }
    }
    Ok(Vec::new())
}

/// A scattered access.
struct Scattered {
    /// Channels.
    count: usize,
    /// Bytes an offset counts.
    unit: u32,
    /// Bytes of an element.
    size: usize,
}

fn scattered(simd16: bool, unit: u32, size: u8) -> Scattered {
    Scattered { count: if simd16 { 16 } else { 8 }, unit, size: size.into() }
}

/// The byte offset of each channel, and the first data register.
fn scattered_offsets(message: &Message, access: &Scattered) -> Result<([u32; 16], usize), Reason> {
    let first = usize::from(message.header);
    let base = if message.header { global_offset(message, 1)? } else { 0 };
    let offsets = message.plane(first, access.count)?;
    Ok((offsets.map(|offset| base.wrapping_add(offset.wrapping_mul(access.unit))), first + access.count / 8))
}

/// Scattered reads: an element per channel, a dword of response each.
fn scattered_read(
    message: &Message,
    surface: Surface,
    access: Scattered,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (offsets, _) = scattered_offsets(message, &access)?;
    let mut plane = [0; 16];
    for channel in (0..access.count).filter(|channel| message.enabled >> channel & 1 != 0) {
        let mut bytes = [0; 4];
        host.read(surface, offsets[channel], bytes.get_mut(..access.size).unwrap_or_default())?;
        plane[channel] = u32::from_le_bytes(bytes);
    }
    let mut response = Vec::new();
    respond_plane(&mut response, &plane, access.count, message.enabled);
    Ok(response)
}

fn scattered_write(
    message: &Message,
    surface: Surface,
    access: Scattered,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (offsets, first) = scattered_offsets(message, &access)?;
    let data = message.plane(first, access.count)?;
    for channel in (0..access.count).filter(|channel| message.enabled >> channel & 1 != 0) {
        host.write(surface, offsets[channel], data[channel].to_le_bytes().get(..access.size).unwrap_or(&[]))?;
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

/// Components that an inverted mask leaves.
fn components(absent: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |component| absent >> component & 1 == 0)
}

fn untyped_read(
    message: &Message,
    surface: Surface,
    count: usize,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let first = usize::from(message.header);
    let read = |host: &mut dyn Host, offset: u32| -> Result<u32, Reason> {
        let mut bytes = [0; 4];
        host.read(surface, offset, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    };
    if count == 2 {
        let address = message.register(first)?;
        let mut register = [0; 8];
        for slot in 0..2 {
            for component in components(absent) {
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
    for component in components(absent) {
        let mut plane = [0; 16];
        for channel in (0..count).filter(|channel| message.enabled >> channel & 1 != 0) {
            plane[channel] = read(host, offsets[channel].wrapping_add(component as u32 * 4))?;
        }
        respond_plane(&mut response, &plane, count, message.enabled);
    }
    Ok(response)
}

fn untyped_write(
    message: &Message,
    surface: Surface,
    count: usize,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let mut next = usize::from(message.header);
    let mask = surface_mask(message, 0)?;
    if count == 2 {
        let (address, data) = (message.register(next)?, message.register(next + 1)?);
        for slot in (0..2).filter(|slot| mask >> (slot * 4) & 0xf != 0) {
            for component in components(absent) {
                let offset = address[slot * 4].wrapping_add(component as u32 * 4);
                host.write(surface, offset, &data[slot * 4 + component].to_le_bytes())?;
            }
        }
        return Ok(Vec::new());
    }
    let offsets = message.plane(next, count)?;
    for component in components(absent) {
        next += count / 8;
        let data = message.plane(next, count)?;
        for channel in (0..count).filter(|channel| mask >> channel & 1 != 0) {
            let offset = offsets[channel].wrapping_add(component as u32 * 4);
            host.write(surface, offset, &data[channel].to_le_bytes())?;
        }
    }
    Ok(Vec::new())
}

/// An atomic operation and how many operands it takes.
fn atomic_op(code: Code) -> (AtomicOp, usize) {
    match code {
        Code::And => (AtomicOp::And, 1),
        Code::Or => (AtomicOp::Or, 1),
        Code::Xor => (AtomicOp::Xor, 1),
        Code::Mov => (AtomicOp::Mov, 1),
        Code::Inc => (AtomicOp::Inc, 0),
        Code::Dec => (AtomicOp::Dec, 0),
        Code::Add => (AtomicOp::Add, 1),
        Code::Sub => (AtomicOp::Sub, 1),
        Code::RevSub => (AtomicOp::RevSub, 1),
        Code::Imax => (AtomicOp::IMax, 1),
        Code::Imin => (AtomicOp::IMin, 1),
        Code::Umax => (AtomicOp::UMax, 1),
        Code::Umin => (AtomicOp::UMin, 1),
        Code::CmpWr => (AtomicOp::CmpWr, 2),
        Code::PreDec => (AtomicOp::PreDec, 0),
    }
}

fn untyped_atomic(
    message: &Message,
    surface: Surface,
    (op, operands): (AtomicOp, usize),
    (count, returns): (usize, bool),
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    if count == 2 {
        return Err(Reason::NotModelled("SIMD4x2 untyped atomics".into()));
    }
    let first = usize::from(message.header);
    let offsets = message.plane(first, count)?;
    let mask = surface_mask(message, 0)?;
    let data = operand_planes(message, first + count / 8, count, operands)?;
    let mut plane = [0; 16];
    for channel in (0..count).filter(|channel| mask >> channel & 1 != 0) {
        let values = [data[0][channel], data[1][channel]];
        plane[channel] = host.atomic(surface, offsets[channel], op, values)?;
    }
    let mut response = Vec::new();
    if returns {
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

fn typed_read(
    message: &Message,
    entry: u8,
    group: u32,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (planes, _) = coordinates(message, 0)?;
    let mask = surface_mask(message, group)? & 0xff;
    let mut texels = [[0; 16]; 4];
    for channel in (0..8).filter(|channel| mask >> channel & 1 != 0) {
        let texel = host.typed_read(entry, coordinate(&planes, channel))?;
        for (plane, value) in texels.iter_mut().zip(texel) {
            plane[channel] = value;
        }
    }
    let mut response = Vec::new();
    for component in components(absent) {
        respond_plane(&mut response, &texels[component], 8, message.enabled & 0xff);
    }
    Ok(response)
}

fn typed_write(
    message: &Message,
    entry: u8,
    group: u32,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let written: Vec<usize> = components(absent).collect();
    let (planes, first) = coordinates(message, written.len())?;
    let mask = surface_mask(message, group)? & 0xff;
    let mut data = [[0; 16]; 4];
    for (index, &component) in written.iter().enumerate() {
        data[component] = message.plane(first + index, 8)?;
    }
    for channel in (0..8).filter(|channel| mask >> channel & 1 != 0) {
        let texel = std::array::from_fn(|component| data[component][channel]);
        host.typed_write(entry, coordinate(&planes, channel), texel)?;
    }
    Ok(Vec::new())
}

fn typed_atomic(
    message: &Message,
    entry: u8,
    (op, operands): (AtomicOp, usize),
    (group, returns): (u32, bool),
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let (planes, first) = coordinates(message, operands)?;
    let data = operand_planes(message, first, 8, operands)?;
    let mask = surface_mask(message, group)? & 0xff;
    let mut plane = [0; 16];
    for channel in (0..8).filter(|channel| mask >> channel & 1 != 0) {
        let values = [data[0][channel], data[1][channel]];
        plane[channel] = host.typed_atomic(entry, coordinate(&planes, channel), op, values)?;
    }
    let mut response = Vec::new();
    if returns {
        respond_plane(&mut response, &plane, 8, mask);
    }
    Ok(response)
}
