//! Data-port messages: block, scattered and surface accesses of memory.
//!
//! Payload layouts are those of Mesa's `brw_lower_logical_sends.cpp`, `brw_eu_emit.c` and
//! `brw_vec4_generator.cpp`.

use intel_isa::Sfid;
use intel_isa::desc::{BlockSize, DataOp, DataPortMessage, ScratchMessage, SlotGroup, SurfaceSimd};

use super::a64;
use super::atomics::{self, Change};
use super::payload::{Message, Response, WHOLE, respond_plane, words_of};
use super::surface::{Pixels, block_data, block_response, components, registers_of, surface_mask};
use crate::error::Reason;
use crate::host::{Host, Surface};

/// Surface that a message addresses. Entry 254 is shared local memory; 255 and 253 are stateless,
/// which for block messages is the thread's scratch space.
pub(super) fn surface(request: &DataPortMessage) -> Surface {
    match (request.port, request.surface) {
        (Sfid::ConstantCache | Sfid::DpSampler, entry) => Surface::Constant(entry),
        (_, 254) => Surface::Slm,
        (_, 255 | 253) => Surface::Scratch,
        (_, entry) => Surface::Bti(entry),
    }
}

/// Executes a data-port message.
pub(super) fn execute(
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
        DataOp::UntypedRead { simd, mask } => {
            untyped_read(message, surface, count_of(simd), mask, host)
        }
        DataOp::UntypedWrite { simd, mask } => {
            untyped_write(message, surface, count_of(simd), mask, host)
        }
        DataOp::UntypedAtomic { op, simd, returns } => {
            atomics::untyped(message, surface, Change::Integer(op), (count_of(simd), returns), host)
        }
        DataOp::UntypedFloatAtomic { op, simd8, returns } => {
            let count = if simd8 { 8 } else { 16 };
            atomics::untyped(message, surface, Change::Float(op), (count, returns), host)
        }
        DataOp::TypedRead { slots, mask } => typed_read(message, entry, slots, mask, host),
        DataOp::TypedWrite { slots, mask } => typed_write(message, entry, slots, mask, host),
        DataOp::TypedAtomic { op, slots, returns } => {
            atomics::typed(message, entry, Change::Integer(op), (slots, returns), host)
        }
        DataOp::MediaBlockRead { .. } | DataOp::MediaBlockWrite { .. } => {
            Err(Reason::NotModeled("media block accesses".into()))
        }
        DataOp::AtomicCounter { .. } => Err(Reason::NotModeled("append counters".into())),
        DataOp::Fence { .. } => {
            host.fence()?;
            Ok(vec![([0; 8], WHOLE); message.response])
        }
        DataOp::A64Read { simd16, mask } => a64::read(message, simd16, mask, host),
        DataOp::A64Write { simd16, mask } => a64::write(message, simd16, mask, host),
        DataOp::A64ScatteredRead(access) => a64::scattered_read(message, &access, host),
        DataOp::A64ScatteredWrite(access) => a64::scattered_write(message, &access, host),
        DataOp::A64Atomic { op, qword, returns } => {
            let size = if qword { 8 } else { 4 };
            a64::atomic(message, Change::Integer(op), (size, returns), host)
        }
        DataOp::A64FloatAtomic { op, returns } => {
            a64::atomic(message, Change::Float(op), (4, returns), host)
        }
        DataOp::A64BlockRead { size, aligned } => a64::block_read(message, (size, aligned), host),
        DataOp::A64BlockWrite { size } => a64::block_write(message, size, host),
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

/// Scratch block messages: whole registers at a 12-bit register offset, relative to the thread's
/// scratch space.
pub(super) fn scratch(
    message: &Message,
    request: &ScratchMessage,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = usize::from(request.registers);
    let offset = u32::from(request.offset) * 32;
    if !request.write {
        let mut data = vec![0; count * 32];
        host.read(Surface::Scratch, offset, &mut data)?;
        return Ok(registers_of(&data).into_iter().map(|register| (register, WHOLE)).collect());
    }
    for index in 0..count {
        let register = message.register(1 + index)?;
        // The dword form obeys channel enables, the oword form writes everything.
        let lanes = if request.dword { message.enabled >> (index % 2 * 8) } else { 0xff };
        let start = offset + index as u32 * 32;
        if let Some(place) = place(&mut host.scratch(), start, 32) {
            let dwords = place.as_chunks_mut::<4>().0;
            channels(lanes, 8).for_each(|lane| dwords[lane] = register[lane].to_le_bytes());
            continue;
        }
        for lane in channels(lanes, 8) {
            let dword = register[lane].to_le_bytes();
            host.write(Surface::Scratch, start + lane as u32 * 4, &dword)?;
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
    let offset = global_offset(message, scale)?;
    let mut data = vec![0; usize::from(size.owords()) * 16];
    host.read(surface, offset, &mut data)?;
    Ok(block_response(&data, size))
}

fn block_write(
    message: &Message,
    surface: Surface,
    size: BlockSize,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let offset = global_offset(message, 16)?;
    let data = block_data(message, size)?;
    // A double word of a register is written if its channel is enabled: drivers spill values in
    // divergent code without reading what other channels have there.
    let first = if size == BlockSize::OneHigh { 4 } else { 0 };
    let channels = message.channels.max(8) as usize;
    let is_written = |index: usize| message.enabled >> ((first + index) % channels) & 1 != 0;
    let count = data.len() / 4;
    if (0..count).all(is_written) {
        host.write(surface, offset, &data)?;
        return Ok(Vec::new());
    }
    for (index, dword) in data.chunks(4).enumerate().filter(|(index, _)| is_written(*index)) {
        host.write(surface, offset.wrapping_add(4 * index as u32), dword)?;
    }
    Ok(Vec::new())
}

/// Byte offsets of the two blocks of a dual-block message: in owords in dwords 0 and 4 of the
/// second register.
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
        // A half without channels reads nothing: its offset means nothing.
        let halves = data.chunks_exact_mut(16).zip(offsets).enumerate();
        for (_, (half, offset)) in halves.filter(|(i, _)| message.enabled >> (4 * i) & 0xf != 0) {
            host.read(surface, offset.wrapping_add(index * 16), half)?;
        }
        response.extend(
            registers_of(&data).into_iter().map(|register| (register, words_of(message.enabled))),
        );
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
        for (lane, dword) in
            register.iter().enumerate().filter(|(lane, _)| message.enabled >> lane & 1 != 0)
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
    Ok((
        offsets.map(|offset| base.wrapping_add(offset.wrapping_mul(access.unit))),
        first + access.count / 8,
    ))
}

/// The first `count` channels of a mask.
pub(super) fn channels(mask: u32, count: usize) -> impl Iterator<Item = usize> {
    (0..count).filter(move |channel| mask >> channel & 1 != 0)
}

/// Bytes of scratch space; `None` if there is none, or not as many.
fn place<'s>(scratch: &'s mut Option<&mut [u8]>, offset: u32, size: usize) -> Option<&'s mut [u8]> {
    let start = offset as usize;
    scratch.as_mut()?.get_mut(start..start.checked_add(size)?)
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
    let mut scratch = if surface == Surface::Scratch { host.scratch() } else { None };
    let mut outside = 0;
    for channel in channels(message.enabled, access.count) {
        let mut bytes = [0; 4];
        match place(&mut scratch, offsets[channel], access.size) {
            Some(place) => bytes[..access.size].copy_from_slice(place),
            None => outside |= 1 << channel,
        }
        plane[channel] = u32::from_le_bytes(bytes);
    }
    for channel in channels(outside, access.count) {
        let mut bytes = [0; 4];
        host.read(surface, offsets[channel], &mut bytes[..access.size])?;
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
    let mut scratch = if surface == Surface::Scratch { host.scratch() } else { None };
    let mut outside = 0;
    for channel in channels(message.enabled, access.count) {
        match place(&mut scratch, offsets[channel], access.size) {
            Some(place) => place.copy_from_slice(&data[channel].to_le_bytes()[..access.size]),
            None => outside |= 1 << channel,
        }
    }
    for channel in channels(outside, access.count) {
        host.write(surface, offsets[channel], &data[channel].to_le_bytes()[..access.size])?;
    }
    Ok(Vec::new())
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
        return Ok(vec![(register, words_of(message.enabled))]);
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

fn typed_read(
    message: &Message,
    entry: u8,
    slots: SlotGroup,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let pixels = Pixels::of(message, slots, 0)?;
    let mut texels = [[0; 4]; 16];
    for (index, coordinates) in pixels.enabled() {
        texels[index] = host.typed_read(entry, coordinates)?;
    }
    if slots == SlotGroup::Simd4x2 {
        return Ok(vec![(
            std::array::from_fn(|lane| texels[lane / 4][lane % 4]),
            words_of(message.enabled),
        )]);
    }
    let mut response = Vec::new();
    for component in components(absent) {
        respond_plane(
            &mut response,
            &texels.map(|texel| texel[component]),
            8,
            message.enabled & 0xff,
        );
    }
    Ok(response)
}

fn typed_write(
    message: &Message,
    entry: u8,
    slots: SlotGroup,
    absent: u8,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let written: Vec<usize> = components(absent).collect();
    let pixels = Pixels::of(message, slots, written.len())?;
    let mut texels = [[0; 4]; 8];
    for (index, &component) in written.iter().enumerate() {
        let at = |pixel: usize| match slots {
            SlotGroup::Simd4x2 => (pixels.first, pixel % 2 * 4 + component),
            _ => (pixels.first + index, pixel),
        };
        for (pixel, texel) in texels.iter_mut().enumerate() {
            let (register, lane) = at(pixel);
            texel[component] = message.register(register)?[lane];
        }
    }
    for (index, coordinates) in pixels.enabled() {
        host.typed_write(entry, coordinates, texels[index])?;
    }
    Ok(Vec::new())
}
