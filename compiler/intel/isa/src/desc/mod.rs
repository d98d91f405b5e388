//! Message descriptors: what a SEND asks of its receiver.
//!
//! [`encode`] and [`decode`] convert between the typed [`Message`] and the descriptor's bits.
//! Decoding is strict: a descriptor with bits that the typed form does not cover is an error.

mod data_port;
mod fields;
mod message;
mod shape;

#[cfg(test)]
mod tests;

pub use data_port::default_port;
pub use fields::{DescError, DescField};
pub use message::{
    A64Element, A64Scattered, AtomicOp, BlockSize, DataOp, DataPortMessage, FloatAtomicOp,
    GatewayFn, GatewayMessage, InterpolatorMode, Lengths, MediaMessage, Message,
    PixelInterpolatorMessage, RenderTargetKind, RenderTargetMessage, SamplerMessage, SamplerOp,
    SamplerSimd, ScratchMessage, SlotGroup, SpawnerMessage, SurfaceSimd, UrbMessage, UrbOp,
};

use crate::devinfo::DevInfo;
use crate::inst::Sfid;
use fields::{Builder, View};

pub use shape::{MessageShape, Registers, header_registers, shape};

/// Longest message, or first part of a split one.
pub(crate) const MAX_MLEN: u8 = 15;
/// Message type of a render-target write.
const RENDER_TARGET_WRITE: u32 = 12;
/// Message type of a render-target read (skl).
const RENDER_TARGET_READ: u32 = 13;

impl Lengths {
    /// Lengths of a message with `mlen` and `rlen` registers and no header.
    pub const fn new(mlen: u8, rlen: u8) -> Lengths {
        Lengths { mlen, rlen, header: false }
    }

    /// The same with a header.
    #[must_use]
    pub const fn with_header(self) -> Lengths {
        Lengths { header: true, ..self }
    }

    /// The lengths in descriptor `desc`.
    pub fn of(devinfo: &DevInfo, desc: u32) -> Lengths {
        let get = |field| fields::get(devinfo.version, desc, field);
        Lengths {
            mlen: get(DescField::MessageLength) as u8,
            rlen: get(DescField::ResponseLength) as u8,
            header: get(DescField::Header) != 0,
        }
    }
}

/// The extended descriptor of a split send whose second part has `ex_mlen` registers (up to 15).
pub const fn ex_desc(ex_mlen: u8) -> u32 {
    (ex_mlen as u32 & 0xf) << 6
}

/// Registers of a split send's second part.
pub const fn ex_mlen(ex_desc: u32) -> u8 {
    (ex_desc >> 6 & 0xf) as u8
}

/// The receiver of a message.
pub fn sfid(message: &Message) -> Sfid {
    match message {
        Message::Sampler(_) => Sfid::Sampler,
        Message::Urb(_) => Sfid::Urb,
        Message::RenderTarget(_) => Sfid::RenderCache,
        Message::DataPort(message) => message.port,
        Message::Scratch(_) => Sfid::DataCache,
        Message::Gateway(_) => Sfid::Gateway,
        Message::Spawner(_) => Sfid::ThreadSpawner,
        Message::PixelInterpolator(_) => Sfid::PixelInterpolator,
        Message::Media(message) => message.receiver,
    }
}

/// The descriptor of `message`.
///
/// # Errors
/// If the generation lacks the message or a value does not fit.
pub fn encode(devinfo: &DevInfo, message: &Message, lengths: Lengths) -> Result<u32, DescError> {
    let mut b = Builder { devinfo, desc: 0 };
    b.set(DescField::MessageLength, u32::from(lengths.mlen))?;
    b.set(DescField::ResponseLength, u32::from(lengths.rlen))?;
    b.flag(DescField::Header, lengths.header)?;
    match message {
        Message::Sampler(m) => put_sampler(&mut b, m)?,
        Message::Urb(m) => put_urb(&mut b, m)?,
        Message::RenderTarget(m) => put_render_target(&mut b, m)?,
        Message::DataPort(m) => data_port::put(&mut b, m)?,
        Message::Scratch(m) => put_scratch(&mut b, m)?,
        Message::Gateway(m) => {
            b.set(DescField::GatewayFunction, u32::from(m.function.code()))?;
            b.set(DescField::GatewayNotify, u32::from(m.notify))?;
        }
        Message::Spawner(m) => {
            b.flag(DescField::SpawnerOpcode, m.spawn)?;
            b.flag(DescField::SpawnerRequest, m.root)?;
            b.flag(DescField::SpawnerNoUrb, m.no_urb)?;
        }
        Message::PixelInterpolator(m) => {
            b.set(DescField::InterpolatorMode, u32::from(m.mode.code()))?;
            b.flag(DescField::InterpolatorLinear, m.linear)?;
            b.flag(DescField::InterpolatorSimd16, m.simd16)?;
            b.flag(DescField::InterpolatorHighSlots, m.high_slots)?;
            b.set(DescField::InterpolatorData, u32::from(m.data))?;
        }
        Message::Media(m) => {
            if m.receiver == Sfid::Cre && !devinfo.has_cre {
                return Err(DescError::NoSuchMessage { what: "any to cre" });
            }
            b.set(DescField::BindingTable, u32::from(m.surface))?;
            b.set(DescField::MediaTables, u32::from(m.tables))?;
            b.set(DescField::MediaKind, u32::from(m.kind))?;
            b.set(DescField::MediaStreams, u32::from(m.streams))?;
        }
    }
    Ok(b.desc)
}

fn put_sampler(b: &mut Builder, m: &SamplerMessage) -> Result<(), DescError> {
    if !sampler_op_exists(b.devinfo, m.op) {
        return Err(DescError::NoSuchMessage { what: m.op.text() });
    }
    b.set(DescField::BindingTable, u32::from(m.surface))?;
    b.set(DescField::SamplerIndex, u32::from(m.sampler))?;
    b.set(DescField::SamplerType, u32::from(m.op.code()))?;
    b.set(DescField::SamplerSimd, u32::from(m.simd.code()))?;
    b.flag(DescField::SamplerHalfReturn, m.half_return)
}

/// Returns whether the device's sampler has the operation.
fn sampler_op_exists(devinfo: &DevInfo, op: SamplerOp) -> bool {
    match op {
        SamplerOp::SampleDC => devinfo.has_shadow_gradients,
        SamplerOp::SampleLz | SamplerOp::SampleCLz | SamplerOp::LdLz | SamplerOp::Ld2dmsW => {
            devinfo.has_level_zero_sampling
        }
        _ => true,
    }
}

fn put_urb(b: &mut Builder, m: &UrbMessage) -> Result<(), DescError> {
    b.set(DescField::UrbOpcode, u32::from(m.op.code()))?;
    let exists = match m.op {
        UrbOp::AtomicAdd => b.devinfo.has_urb_atomic_add,
        UrbOp::Simd8Write | UrbOp::Simd8Read => b.devinfo.has_simd8_urb,
        _ => true,
    };
    if !exists {
        return Err(DescError::NoSuchMessage { what: m.op.text() });
    }
    b.set(DescField::UrbOffset, u32::from(m.offset))?;
    b.flag(DescField::UrbPerSlotOffset, m.per_slot_offset)?;
    if m.complete {
        if !b.devinfo.urb_write_complete {
            return Err(DescError::NoSuchField { field: DescField::UrbComplete });
        }
        b.set(DescField::UrbComplete, 1)?;
    }
    // The two share a bit on gen8.
    let swizzle = (DescField::UrbSwizzle, m.interleave);
    let mask = (DescField::UrbChannelMask, m.channel_mask);
    let (present, absent) = if m.op.is_simd8() { (mask, swizzle) } else { (swizzle, mask) };
    if absent.1 {
        return Err(DescError::NoSuchField { field: absent.0 });
    }
    b.flag(present.0, present.1)
}

fn put_render_target(b: &mut Builder, m: &RenderTargetMessage) -> Result<(), DescError> {
    if m.read && !b.devinfo.has_render_target_read {
        return Err(DescError::NoSuchMessage { what: "RT read" });
    }
    b.set(DescField::BindingTable, u32::from(m.surface))?;
    b.set(DescField::DataPortType, if m.read { RENDER_TARGET_READ } else { RENDER_TARGET_WRITE })?;
    b.set(DescField::RenderTargetSubtype, u32::from(m.kind.code()))?;
    b.flag(DescField::RenderTargetHighSlots, m.high_slots)?;
    b.flag(DescField::RenderTargetPerSample, m.per_sample)?;
    b.flag(DescField::RenderTargetLast, m.last)
}

/// Code of a scratch block size: registers less one, or their logarithm.
fn scratch_size_code(devinfo: &DevInfo, registers: u8) -> Option<u32> {
    match (registers, devinfo.scratch_block_size_log2) {
        (1 | 2 | 4, false) => Some(u32::from(registers) - 1),
        (1 | 2 | 4 | 8, true) => Some(registers.trailing_zeros()),
        _ => None,
    }
}

fn put_scratch(b: &mut Builder, m: &ScratchMessage) -> Result<(), DescError> {
    let field = DescField::ScratchBlockSize;
    let size = scratch_size_code(b.devinfo, m.registers)
        .ok_or(DescError::DoesNotFit { field, value: u32::from(m.registers) })?;
    // Bit 18 is the category, which gen8 counts as part of the message type.
    b.set(DescField::DataPortCategory, 1)?;
    b.flag(DescField::ScratchWrite, m.write)?;
    b.flag(DescField::ScratchDword, m.dword)?;
    b.flag(DescField::ScratchInvalidate, m.invalidate_after_read)?;
    b.set(field, size)?;
    b.set(DescField::ScratchOffset, u32::from(m.offset))
}

/// The message that descriptor `desc` (without end-of-thread) is to `sfid`.
///
/// # Errors
/// If the bits are not a message of this generation, or more than the typed form covers.
pub fn decode(devinfo: &DevInfo, sfid: Sfid, desc: u32) -> Result<(Message, Lengths), DescError> {
    let v = View { devinfo, desc };
    let unknown = DescError::Unknown { sfid, desc };
    let message = match sfid {
        Sfid::Sampler => Message::Sampler(SamplerMessage {
            surface: v.get(DescField::BindingTable) as u8,
            sampler: v.get(DescField::SamplerIndex) as u8,
            op: v.code(DescField::SamplerType, SamplerOp::from_code)?,
            simd: v.code(DescField::SamplerSimd, SamplerSimd::from_code)?,
            half_return: v.flag(DescField::SamplerHalfReturn),
        }),
        Sfid::Urb => get_urb(&v)?,
        Sfid::RenderCache if is_render_target(&v) => Message::RenderTarget(RenderTargetMessage {
            surface: v.get(DescField::BindingTable) as u8,
            kind: v.code(DescField::RenderTargetSubtype, RenderTargetKind::from_code)?,
            high_slots: v.flag(DescField::RenderTargetHighSlots),
            last: v.flag(DescField::RenderTargetLast),
            per_sample: v.flag(DescField::RenderTargetPerSample),
            read: v.get(DescField::DataPortType) == RENDER_TARGET_READ,
        }),
        Sfid::DataCache if v.flag(DescField::DataPortCategory) => get_scratch(&v)?,
        Sfid::DpSampler
        | Sfid::RenderCache
        | Sfid::ConstantCache
        | Sfid::DataCache
        | Sfid::DataCache1 => data_port::get(&v, sfid)?,
        Sfid::Gateway => Message::Gateway(GatewayMessage {
            function: v.code(DescField::GatewayFunction, GatewayFn::from_code)?,
            notify: v.get(DescField::GatewayNotify) as u8,
        }),
        Sfid::ThreadSpawner => Message::Spawner(SpawnerMessage {
            spawn: v.flag(DescField::SpawnerOpcode),
            root: v.flag(DescField::SpawnerRequest),
            no_urb: v.flag(DescField::SpawnerNoUrb),
        }),
        Sfid::PixelInterpolator => Message::PixelInterpolator(PixelInterpolatorMessage {
            mode: v.code(DescField::InterpolatorMode, InterpolatorMode::from_code)?,
            linear: v.flag(DescField::InterpolatorLinear),
            simd16: v.flag(DescField::InterpolatorSimd16),
            high_slots: v.flag(DescField::InterpolatorHighSlots),
            data: v.get(DescField::InterpolatorData) as u8,
        }),
        Sfid::Vme | Sfid::Cre => Message::Media(MediaMessage {
            receiver: sfid,
            surface: v.get(DescField::BindingTable) as u8,
            tables: v.get(DescField::MediaTables) as u8,
            kind: v.get(DescField::MediaKind) as u8,
            streams: v.get(DescField::MediaStreams) as u8,
        }),
        Sfid::Null => return Err(unknown),
    };
    let lengths = Lengths::of(devinfo, desc);
    if encode(devinfo, &message, lengths)? == desc { Ok((message, lengths)) } else { Err(unknown) }
}

/// Render-target writes, and reads on skl (where other generations have typed writes).
fn is_render_target(v: &View) -> bool {
    let code = v.get(DescField::DataPortType);
    code == RENDER_TARGET_WRITE || code == RENDER_TARGET_READ && v.devinfo.has_render_target_read
}

fn get_urb(v: &View) -> Result<Message, DescError> {
    let op: UrbOp = v.code(DescField::UrbOpcode, UrbOp::from_code)?;
    Ok(Message::Urb(UrbMessage {
        op,
        offset: v.get(DescField::UrbOffset) as u16,
        interleave: !op.is_simd8() && v.flag(DescField::UrbSwizzle),
        per_slot_offset: v.flag(DescField::UrbPerSlotOffset),
        complete: v.devinfo.urb_write_complete && v.flag(DescField::UrbComplete),
        channel_mask: op.is_simd8() && v.flag(DescField::UrbChannelMask),
    }))
}

fn get_scratch(v: &View) -> Result<Message, DescError> {
    let field = DescField::ScratchBlockSize;
    let code = v.get(field);
    let registers = [1, 2, 4, 8]
        .into_iter()
        .find(|&registers| scratch_size_code(v.devinfo, registers) == Some(code));
    Ok(Message::Scratch(ScratchMessage {
        write: v.flag(DescField::ScratchWrite),
        dword: v.flag(DescField::ScratchDword),
        invalidate_after_read: v.flag(DescField::ScratchInvalidate),
        registers: registers.ok_or(DescError::Reserved { field, code })?,
        offset: v.get(DescField::ScratchOffset) as u16,
    }))
}

/// The descriptor in words, as in Mesa's listings (without lengths); an unknown one says so.
pub fn describe(devinfo: &DevInfo, sfid: Sfid, desc: u32) -> String {
    let Ok((message, _)) = decode(devinfo, sfid, desc) else { return "unknown".to_owned() };
    let mut words: Vec<String> = Vec::new();
    match message {
        Message::Sampler(m) => {
            match m.simd {
                // Types of their own: unfiltered sampling, de-interlacing and the like.
                SamplerSimd::Simd32 => words.push(format!("media {}", m.op.code())),
                _ => words.push(m.op.text().to_owned()),
            }
            words.push(m.simd.text().to_owned());
            push_if(&mut words, m.half_return, "HP");
            words.push(format!("Surface = {} Sampler = {}", m.surface, m.sampler));
        }
        Message::Urb(m) => {
            words.push(format!("offset {} {}", m.offset, m.op.text()));
            push_if(&mut words, m.per_slot_offset, "per-slot");
            push_if(&mut words, m.channel_mask, "masked");
            push_if(&mut words, m.interleave, "interleave");
            push_if(&mut words, m.complete, "complete");
        }
        Message::RenderTarget(m) => {
            words.push(if m.read { "RT read" } else { "RT write" }.to_owned());
            words.push(match (m.read, m.kind) {
                (true, RenderTargetKind::Simd16Replicated) => "SIMD8".to_owned(),
                (_, kind) => kind.text().to_owned(),
            });
            push_if(&mut words, m.high_slots, "Hi");
            push_if(&mut words, m.last, "LastRT");
            push_if(&mut words, m.per_sample, "PerSample");
            words.push(format!("Surface = {}", m.surface));
        }
        Message::DataPort(m) => words.push(data_port::describe(&m)),
        Message::Scratch(m) => {
            words.push(if m.write { "scratch write" } else { "scratch read" }.to_owned());
            push_if(&mut words, m.dword, "dword");
            push_if(&mut words, m.invalidate_after_read, "invalidate");
            words.push(format!("offset {} registers {}", m.offset, m.registers));
        }
        Message::Gateway(m) => words.push(format!("({})", m.function.text())),
        Message::Spawner(m) => {
            words.push(if m.spawn { "spawn" } else { "dereference" }.to_owned());
            push_if(&mut words, m.root, "root");
            push_if(&mut words, m.no_urb, "no URB");
        }
        Message::PixelInterpolator(m) => {
            let linear = if m.linear { "linear" } else { "persp" };
            words.push(format!("({linear}, {}, {:#04x})", m.mode.text(), m.data));
            push_if(&mut words, m.simd16, "SIMD16");
            push_if(&mut words, m.high_slots, "Hi");
        }
        Message::Media(m) => {
            words
                .push(format!("(Surface = {}, type {}, tables {:#x}", m.surface, m.kind, m.tables));
            words.push(format!("streams {})", m.streams));
        }
    }
    words.join(" ")
}

fn push_if(words: &mut Vec<String>, condition: bool, word: &str) {
    if condition {
        words.push(word.to_owned());
    }
}
