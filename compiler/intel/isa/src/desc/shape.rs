//! How long messages are: what their payload and response must hold.
//!
//! Layouts are those of Mesa's `brw_lower_logical_sends.cpp`, `brw_eu_emit.c` and
//! `brw_vec4_generator.cpp`; the messages that its assembler tests list all have these lengths.

use super::message::{
    A64Element, A64Scattered, AtomicOp, BlockSize, DataOp, FloatAtomicOp, GatewayFn,
    InterpolatorMode, Message, PixelInterpolatorMessage, RenderTargetKind, RenderTargetMessage,
    SamplerMessage, SamplerOp, SamplerSimd, SlotGroup, SurfaceSimd, UrbMessage, UrbOp,
};
use super::{Lengths, MAX_MLEN};
use crate::devinfo::DevInfo;

/// Numbers of registers: from `least` in steps of `step` to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The fewest.
    pub least: u8,
    /// The most.
    pub most: u8,
    /// Difference between successive numbers.
    pub step: u8,
}

impl Registers {
    const NONE: Registers = Registers::exactly(0);

    const fn exactly(count: u8) -> Registers {
        Registers { least: count, most: count, step: 1 }
    }

    const fn between(least: u8, most: u8) -> Registers {
        Registers { least, most, step: 1 }
    }

    /// Up to `most`, in steps of `step`.
    const fn steps(least: u8, most: u8, step: u8) -> Registers {
        Registers { least, most, step }
    }

    /// Returns whether `count` is one of them.
    pub fn contains(self, count: u8) -> bool {
        (self.least..=self.most).contains(&count) && (count - self.least).is_multiple_of(self.step)
    }
}

/// Lengths that the parts of a message may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageShape {
    /// True if it has a header; `None` if it may or may not.
    pub header: Option<bool>,
    /// Registers after the header.
    pub payload: Registers,
    /// Registers of the response.
    pub response: Registers,
}

const fn headed(payload: Registers, response: Registers) -> MessageShape {
    MessageShape { header: Some(true), payload, response }
}

const fn headless(payload: Registers, response: Registers) -> MessageShape {
    MessageShape { header: Some(false), payload, response }
}

const fn optional(payload: Registers, response: Registers) -> MessageShape {
    MessageShape { header: None, payload, response }
}

/// Registers that the header of `message` takes.
pub fn header_registers(message: &Message) -> u8 {
    if matches!(message, Message::RenderTarget(_)) { 2 } else { 1 }
}

/// The shape of `message`; `None` where it is not known. `lengths` are those of its descriptor.
pub fn shape(devinfo: &DevInfo, message: &Message, lengths: Lengths) -> Option<MessageShape> {
    match message {
        Message::Sampler(m) => sampler(devinfo, m, lengths),
        Message::Urb(m) => urb(m),
        Message::RenderTarget(m) => Some(render_target(m)),
        Message::DataPort(m) => data_port(&m.op),
        Message::Scratch(m) if m.write => {
            Some(headed(Registers::exactly(m.registers), Registers::NONE))
        }
        Message::Scratch(m) => Some(headed(Registers::NONE, Registers::exactly(m.registers))),
        Message::Gateway(m) => match m.function {
            GatewayFn::Barrier => Some(headless(Registers::exactly(1), Registers::NONE)),
            _ => None,
        },
        Message::Spawner(m) => {
            (!m.spawn).then_some(headless(Registers::exactly(1), Registers::NONE))
        }
        Message::PixelInterpolator(m) => Some(pixel_interpolator(m)),
        Message::Media(_) => {
            Some(headed(Registers::between(1, MAX_MLEN - 1), Registers::between(0, 16)))
        }
    }
}

/// Longest sampler message, header included.
const MAX_SAMPLER: u8 = 11;

/// Parameters are planes of the message's width. The header can leave out components of the
/// response; gen9 can add a register that tells which texels are resident.
fn sampler(devinfo: &DevInfo, m: &SamplerMessage, lengths: Lengths) -> Option<MessageShape> {
    let per = match m.simd {
        SamplerSimd::Simd16 => 2,
        SamplerSimd::Simd8 => 1,
        // Gen9 reuses the code of SIMD4x2; SIMD32 messages are of other types.
        SamplerSimd::Simd4x2 if devinfo.has_split_send => return None,
        SamplerSimd::Simd4x2 => {
            return Some(optional(Registers::between(0, 3), Registers::between(0, 1)));
        }
        SamplerSimd::Simd32 => return None,
    };
    let least = if m.op == SamplerOp::SampleInfo { 0 } else { per };
    let most = MAX_SAMPLER - u8::from(lengths.header);
    let resident = u8::from(devinfo.has_split_send && lengths.header);
    let step = if m.half_return || resident > 0 { 1 } else { per };
    Some(optional(
        Registers::steps(least, most, per),
        Registers::steps(0, 4 * per + resident, step),
    ))
}

fn urb(m: &UrbMessage) -> Option<MessageShape> {
    let slots = u8::from(m.per_slot_offset);
    let all = MAX_MLEN - 1;
    match m.op {
        UrbOp::WriteHword | UrbOp::WriteOword => {
            Some(headed(Registers::between(0, all), Registers::NONE))
        }
        UrbOp::ReadHword | UrbOp::ReadOword => {
            Some(headed(Registers::NONE, Registers::between(0, 16)))
        }
        UrbOp::Simd8Write => {
            let before = slots + u8::from(m.channel_mask);
            Some(headed(Registers::between(before, before + 8), Registers::NONE))
        }
        UrbOp::Simd8Read => Some(headed(Registers::exactly(slots), Registers::between(1, 8))),
        UrbOp::AtomicMov | UrbOp::AtomicInc | UrbOp::AtomicAdd => None,
    }
}

/// Colors, and before and after them source 0 alpha, coverage, depth and stencil.
fn render_target(m: &RenderTargetMessage) -> MessageShape {
    if m.read {
        let planes = if m.kind == RenderTargetKind::Simd16 { 8 } else { 4 };
        return headed(Registers::NONE, Registers::exactly(planes));
    }
    let (colors, others) = match m.kind {
        RenderTargetKind::Simd16Replicated => (1, 0),
        RenderTargetKind::Simd16 => (8, 5),
        RenderTargetKind::Simd8DualLow | RenderTargetKind::Simd8DualHigh => (8, 4),
        RenderTargetKind::Simd8 | RenderTargetKind::Simd8Image => (4, 4),
    };
    optional(Registers::between(colors, colors + others), Registers::NONE)
}

fn pixel_interpolator(m: &PixelInterpolatorMessage) -> MessageShape {
    let halves = if m.simd16 { 2 } else { 1 };
    let payload = if m.mode == InterpolatorMode::PerSlotOffset { 2 * halves } else { 1 };
    headless(Registers::exactly(payload), Registers::exactly(2 * halves))
}

/// Registers of one plane.
fn plane(simd16: bool) -> u8 {
    if simd16 { 2 } else { 1 }
}

/// Registers of one value per channel: SIMD4x2 has all components of its two in one.
fn surface_plane(simd: SurfaceSimd) -> u8 {
    plane(simd == SurfaceSimd::Simd16)
}

/// Components that an inverted mask leaves.
fn components(mask: u8) -> u8 {
    4 - (mask & 0xf).count_ones() as u8
}

fn atomic_operands(op: AtomicOp) -> u8 {
    match op {
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::PreDec => 0,
        AtomicOp::CmpWr => 2,
        _ => 1,
    }
}

fn float_atomic_operands(op: FloatAtomicOp) -> u8 {
    if op == FloatAtomicOp::FcmpWr { 2 } else { 1 }
}

fn when(returns: bool, registers: u8) -> Registers {
    Registers::exactly(if returns { registers } else { 0 })
}

fn block_registers(size: BlockSize) -> Registers {
    Registers::exactly(size.owords().div_ceil(2))
}

fn data_port(op: &DataOp) -> Option<MessageShape> {
    let exactly = Registers::exactly;
    let dual = |four| if four { 4 } else { 1 };
    Some(match *op {
        DataOp::OwordBlockRead { size, .. } | DataOp::A64BlockRead { size, .. } => {
            headed(Registers::NONE, block_registers(size))
        }
        DataOp::OwordBlockWrite { size } | DataOp::A64BlockWrite { size } => {
            headed(block_registers(size), Registers::NONE)
        }
        DataOp::OwordDualBlockRead { four } => headed(exactly(1), exactly(dual(four))),
        DataOp::OwordDualBlockWrite { four } => headed(exactly(1 + dual(four)), Registers::NONE),
        DataOp::DwordScatteredRead { simd16 } | DataOp::ByteScatteredRead { simd16, .. } => {
            optional(exactly(plane(simd16)), exactly(plane(simd16)))
        }
        DataOp::DwordScatteredWrite { simd16 } | DataOp::ByteScatteredWrite { simd16, .. } => {
            optional(exactly(2 * plane(simd16)), Registers::NONE)
        }
        DataOp::UntypedRead { simd: SurfaceSimd::Simd4x2, .. } => optional(exactly(1), exactly(1)),
        DataOp::UntypedRead { simd, mask } => {
            optional(exactly(surface_plane(simd)), exactly(surface_plane(simd) * components(mask)))
        }
        DataOp::UntypedWrite { simd: SurfaceSimd::Simd4x2, .. } => {
            optional(exactly(2), Registers::NONE)
        }
        DataOp::UntypedWrite { simd, mask } => {
            optional(exactly(surface_plane(simd) * (1 + components(mask))), Registers::NONE)
        }
        DataOp::UntypedAtomic { op, simd: SurfaceSimd::Simd4x2, returns } => {
            optional(exactly(1 + atomic_operands(op).min(1)), when(returns, 1))
        }
        DataOp::UntypedAtomic { op, simd, returns } => {
            let plane = surface_plane(simd);
            optional(exactly(plane * (1 + atomic_operands(op))), when(returns, plane))
        }
        DataOp::UntypedFloatAtomic { op, simd8, returns } => {
            let plane = plane(!simd8);
            optional(exactly(plane * (1 + float_atomic_operands(op))), when(returns, plane))
        }
        DataOp::TypedRead { slots: SlotGroup::Simd4x2, .. } => optional(exactly(1), exactly(1)),
        DataOp::TypedRead { mask, .. } => {
            optional(Registers::between(1, 4), exactly(components(mask)))
        }
        DataOp::TypedWrite { slots: SlotGroup::Simd4x2, .. } => {
            optional(exactly(2), Registers::NONE)
        }
        DataOp::TypedWrite { mask, .. } => optional(
            Registers::between(1 + components(mask), 4 + components(mask)),
            Registers::NONE,
        ),
        DataOp::TypedAtomic { op, slots: SlotGroup::Simd4x2, returns } => {
            optional(exactly(1 + atomic_operands(op).min(1)), when(returns, 1))
        }
        DataOp::TypedAtomic { op, returns, .. } => {
            let operands = atomic_operands(op);
            optional(Registers::between(1 + operands, 4 + operands), when(returns, 1))
        }
        DataOp::MediaBlockRead { .. } => headed(Registers::NONE, Registers::between(1, 16)),
        DataOp::MediaBlockWrite { .. } => {
            headed(Registers::between(1, MAX_MLEN - 1), Registers::NONE)
        }
        DataOp::Fence { commit } => headed(Registers::NONE, when(commit, 1)),
        DataOp::A64Read { simd16, mask } => {
            optional(exactly(2 * plane(simd16)), exactly(plane(simd16) * components(mask)))
        }
        DataOp::A64Write { simd16, mask } => {
            optional(exactly(plane(simd16) * (2 + components(mask))), Registers::NONE)
        }
        DataOp::A64ScatteredRead(m) => {
            optional(exactly(2 * plane(m.simd16)), exactly(scattered(&m)?))
        }
        DataOp::A64ScatteredWrite(m) => {
            optional(exactly(2 * plane(m.simd16) + scattered(&m)?), Registers::NONE)
        }
        DataOp::A64Atomic { op, qword, returns } => {
            let value = if qword { 2 } else { 1 };
            optional(exactly(2 + value * atomic_operands(op)), when(returns, value))
        }
        DataOp::A64FloatAtomic { op, returns } => {
            optional(exactly(2 + float_atomic_operands(op)), when(returns, 1))
        }
        DataOp::AtomicCounter { .. } => return None,
    })
}

/// Registers of a scattered message's data. Bytes share their channel's dword, which holds four.
fn scattered(m: &A64Scattered) -> Option<u8> {
    match m.element {
        A64Element::Byte => (m.count <= 4).then_some(plane(m.simd16)),
        A64Element::Dword => Some(plane(m.simd16) * m.count),
        A64Element::Qword => Some(2 * plane(m.simd16) * m.count),
    }
}
