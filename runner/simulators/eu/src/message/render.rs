//! Render-target writes and, on skl, reads.
//!
//! Payload order of writes: header (two registers), source 0 alpha, coverage, color, second color,
//! depth, stencil. Parts that are present follows from the header's dword 0 (bit 11 source 0 alpha,
//! bit 14 stencil) and from pipeline state; the message length must agree. Facts: Mesa's
//! `brw_lower_logical_sends.cpp`, `brw_eu_defines.h`.

use intel_isa::desc::{RenderTargetKind, RenderTargetMessage};

use super::payload::{Message, Response, respond_plane};
use crate::error::Reason;
use crate::host::{Host, RenderKind, RenderRead, RenderWrite};

/// Executes a render-target message.
pub(super) fn execute(
    message: &Message,
    request: &RenderTargetMessage,
    dispatch: u32,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    if request.read {
        return read(message, request, host);
    }
    write(message, request, dispatch, host).map(|()| Vec::new())
}

fn kind(request: &RenderTargetMessage) -> Result<RenderKind, Reason> {
    Ok(match request.kind {
        RenderTargetKind::Simd16 => RenderKind::Simd16,
        RenderTargetKind::Simd16Replicated => RenderKind::Simd16Replicated,
        RenderTargetKind::Simd8DualLow => RenderKind::DualLow,
        RenderTargetKind::Simd8DualHigh => RenderKind::DualHigh,
        RenderTargetKind::Simd8 => RenderKind::Simd8,
        RenderTargetKind::Simd8Image => {
            return Err(Reason::NotModeled("image writes through render targets".into()));
        }
    })
}

/// Reads the colors of the thread's pixels. The header has their positions, which the host knows.
fn read(
    message: &Message,
    request: &RenderTargetMessage,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = if request.kind == RenderTargetKind::Simd16 { 16 } else { 8 };
    let half = if request.high_slots { 16 } else { 0 };
    let planes = host.render_read(&RenderRead {
        target: request.surface,
        first_slot: half,
        count,
        mask: message.enabled as u16,
        per_sample: request.per_sample,
    })?;
    let mut response = Vec::new();
    for plane in &planes {
        respond_plane(&mut response, plane, count.into(), message.enabled);
    }
    Ok(response)
}

/// Reads the payload from front to back.
struct Cursor<'a, 'b> {
    message: &'a Message<'b>,
    next: usize,
    count: usize,
}

impl Cursor<'_, '_> {
    fn plane(&mut self) -> Result<[u32; 16], Reason> {
        let plane = self.message.plane(self.next, self.count)?;
        self.next += self.count.div_ceil(8);
        Ok(plane)
    }

    fn register(&mut self) -> Result<[u32; 8], Reason> {
        let register = self.message.register(self.next)?;
        self.next += 1;
        Ok(register)
    }

    fn color(&mut self) -> Result<[[u32; 16]; 4], Reason> {
        Ok([self.plane()?, self.plane()?, self.plane()?, self.plane()?])
    }
}

/// Sixteen words of one register.
fn words(register: &[u32; 8]) -> [u16; 16] {
    std::array::from_fn(|index| (register[index / 2] >> (16 * (index % 2))) as u16)
}

fn write(
    message: &Message,
    request: &RenderTargetMessage,
    dispatch: u32,
    host: &mut dyn Host,
) -> Result<(), Reason> {
    let kind = kind(request)?;
    let wide = matches!(kind, RenderKind::Simd16 | RenderKind::Simd16Replicated);
    let count = if wide { 16 } else { 8 };
    let state = host.render_state();
    let header = message.header()?;
    let flags = header.map_or(0, |header| header[0]);
    let high = kind == RenderKind::DualHigh;
    let first_slot = if request.high_slots { 16 } else { 0 } + if high { 8 } else { 0 };
    let mut cursor = Cursor { message, next: if message.header { 2 } else { 0 }, count };
    let source0_alpha = if flags >> 11 & 1 != 0 { Some(cursor.plane()?) } else { None };
    let omask = if state.omask { Some(coverage(&cursor.register()?, high)) } else { None };
    let color = if kind == RenderKind::Simd16Replicated {
        let register = cursor.register()?;
        std::array::from_fn(|component| [register[component]; 16])
    } else {
        cursor.color()?
    };
    let dual = matches!(kind, RenderKind::DualLow | RenderKind::DualHigh);
    let color1 = if dual { Some(cursor.color()?) } else { None };
    let depth = if state.depth { Some(cursor.plane()?) } else { None };
    let stencil = if state.stencil || flags >> 14 & 1 != 0 {
        Some(stencil(&cursor.register()?))
    } else {
        None
    };
    if cursor.next != message.payload.len() {
        let (used, sent) = (cursor.next, message.payload.len());
        return Err(Reason::Message(format!("the pixels take {used} registers, {sent} were sent")));
    }
    let mask = pixel_mask(message, dispatch, first_slot, high)?;
    host.render_write(&RenderWrite {
        target: request.surface,
        kind,
        last: request.last,
        end_of_thread: message.eot,
        first_slot,
        count: count as u8,
        mask: (mask & if wide { 0xffff } else { 0xff }) as u16,
        color,
        color1,
        source0_alpha,
        omask,
        depth,
        stencil,
    })?;
    Ok(())
}

/// Coverage is a word per pixel of sixteen; the high dual-source message uses the upper eight.
fn coverage(register: &[u32; 8], high: bool) -> [u16; 16] {
    let words = words(register);
    if high { std::array::from_fn(|index| words[index % 8 + 8]) } else { words }
}

fn stencil(register: &[u32; 8]) -> [u8; 16] {
    std::array::from_fn(|index| (register[index / 4] >> (8 * (index % 4))) as u8)
}

/// The pixels that are written: those of the header's pixel mask, or without a header those of the
/// instruction's channel enables. On ivb the predicate does not take part, so a discard needs the
/// header.
fn pixel_mask(message: &Message, dispatch: u32, first_slot: u8, high: bool) -> Result<u32, Reason> {
    let enabled =
        if message.quirks.ivb_rt_write_predicate { message.unpredicated } else { message.enabled };
    // A SIMD8 instruction for the upper pixels starts at its own channels; a SIMD16 one has them in
    // its upper half.
    let enabled = if high && message.channels == 16 { enabled >> 8 } else { enabled };
    if !message.header {
        return Ok(enabled & (dispatch >> first_slot.min(31)));
    }
    // Dword 7 of the header's second register: the low word is the pixel mask.
    let pixels = message.register(1)?[7] & 0xffff;
    Ok(enabled & (pixels >> if high { 8 } else { 0 }))
}
