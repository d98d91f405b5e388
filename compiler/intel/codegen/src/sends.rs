//! Messages: descriptors of the shared functions' messages. Numbers are those of Mesa's
//! `brw_eu_defines.h` and `brw_eu.h`.

use crate::error::CompileError;
use crate::lir::{Message, MessageKind};
use crate::model::Model;
use intel_isa::Sfid;
use intel_isa::desc::{self, Lengths};
use vocabulary::{InternalError, Phase};

/// Binding table index that means stateless scratch space.
pub const BTI_STATELESS: u32 = 255;

/// Function control of an oword block message of `owords` (1, 2, 4 or 8) owords.
#[must_use]
pub fn oword_block_control(bti: u32, owords: u32, write: bool) -> u32 {
    let size = match owords {
        1 => 0,
        2 => 2,
        4 => 3,
        8 => 4,
        _ => InternalError::new(Phase::Lower, format!("a block of {owords} owords")).raise(),
    };
    let kind = if write { 8 } else { 0 };
    bti & 0xff | size << 8 | kind << 14
}

/// Bit of the control that marks scratch block messages of the data cache.
pub const SCRATCH_BLOCK: u32 = 1 << 18;

/// Registers at the start of the scratch space that a scratch block message can name.
pub const SCRATCH_BLOCK_REGS: u32 = 1 << 12;

/// Scratch block read of `regs` (1, 2 or 4) registers at register `offset` of the thread's scratch
/// space, all of them among the first [`SCRATCH_BLOCK_REGS`]; the payload is g0.
#[must_use]
pub fn scratch_block_read(model: &Model, offset: u32, regs: u32) -> Message {
    let size = if model.devinfo().scratch_block_size_log2 { regs.ilog2() } else { regs - 1 };
    Message {
        sfid: Sfid::DataCache,
        control: SCRATCH_BLOCK | size << 12 | offset,
        mlen: 1,
        ex_mlen: 0,
        rlen: regs as u8,
        header: true,
        eot: false,
        kind: MessageKind::ScratchRead,
    }
}

/// Scattered dword access to the thread's scratch space, `per` registers per operand: a header
/// (dword 2: byte offset), dword addresses, for writes the data.
#[must_use]
pub fn scratch_scattered(write: bool, per: u32) -> Message {
    let kind = if write { 11 } else { 3 };
    Message {
        sfid: Sfid::DataCache,
        control: BTI_STATELESS | u32::from(per == 2) << 8 | 1 << 9 | kind << 14,
        mlen: (1 + per * if write { 2 } else { 1 }) as u8,
        ex_mlen: 0,
        rlen: if write { 0 } else { per as u8 },
        header: true,
        eot: false,
        kind: if write { MessageKind::ScratchWrite } else { MessageKind::ScratchRead },
    }
}

/// Uniform pull: 16 dwords (four owords) at the oword offset in dword 2 of the header, two
/// registers.
#[must_use]
pub fn constant_block_read(bti: u32) -> Message {
    Message {
        sfid: Sfid::ConstantCache,
        control: oword_block_control(bti, 4, false),
        mlen: 1,
        ex_mlen: 0,
        rlen: 2,
        header: true,
        eot: false,
        kind: MessageKind::ConstantLoad,
    }
}

/// Layout of a render-target write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderTargetLayout {
    /// Sixteen pixels, one source.
    Simd16,
    /// Eight pixels, one source.
    Simd8,
    /// Eight pixels 0–7, two sources.
    Simd8DualLow,
    /// Eight pixels 8–15, two sources.
    Simd8DualHigh,
}

/// Render-target write to binding table index `bti`.
#[must_use]
pub fn render_target_write(
    bti: u32,
    layout: RenderTargetLayout,
    last: bool,
    header: bool,
    mlen: u32,
    eot: bool,
) -> Message {
    let control = match layout {
        RenderTargetLayout::Simd16 => 0,
        RenderTargetLayout::Simd8DualLow => 2,
        RenderTargetLayout::Simd8DualHigh => 3,
        RenderTargetLayout::Simd8 => 4,
    };
    Message {
        sfid: Sfid::RenderCache,
        control: bti & 0xff | control << 8 | u32::from(last) << 12 | 12 << 14,
        mlen: mlen as u8,
        ex_mlen: 0,
        rlen: 0,
        header,
        eot,
        kind: MessageKind::RenderTargetWrite,
    }
}

/// Sampler message types (gen7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum SamplerOp {
    /// `sample`
    Sample = 0,
    /// `sample_b`
    SampleBias = 1,
    /// `sample_l`
    SampleLod = 2,
    /// `sample_c`
    SampleCompare = 3,
    /// `sample_d`
    SampleDerivatives = 4,
    /// `sample_b_c`
    SampleBiasCompare = 5,
    /// `sample_l_c`
    SampleLodCompare = 6,
    /// `ld`
    Load = 7,
    /// `gather4`
    Gather4 = 8,
    /// `lod`
    Lod = 9,
    /// `resinfo`
    ResInfo = 10,
    /// `sampleinfo`
    SampleInfo = 11,
    /// `gather4_c`
    Gather4Compare = 16,
    /// `gather4_po`
    Gather4Offset = 17,
    /// `gather4_po_c`
    Gather4OffsetCompare = 18,
    /// `sample_d_c` (hsw+)
    SampleDerivativesCompare = 20,
    /// `ld2dms_w` (skl)
    Load2dmsWide = 28,
    /// `ld_mcs`
    LoadMcs = 29,
    /// `ld2dms`
    Load2dms = 30,
    /// `ld2dss`
    Load2dss = 31,
}

/// Channels a sampler message processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum SamplerWidth {
    /// Two vertices of an Align16 thread.
    Simd4x2 = 0,
    /// Eight channels.
    Simd8 = 1,
    /// Sixteen channels.
    Simd16 = 2,
}

/// Sampler message.
#[must_use]
pub fn sampler(
    op: SamplerOp,
    width: SamplerWidth,
    bti: u32,
    sampler: u32,
    header: bool,
    mlen: u32,
    rlen: u32,
) -> Message {
    Message {
        sfid: Sfid::Sampler,
        control: bti & 0xff | (sampler & 0xf) << 8 | (op as u32) << 12 | (width as u32) << 17,
        mlen: mlen as u8,
        ex_mlen: 0,
        rlen: rlen as u8,
        header,
        eot: false,
        kind: MessageKind::Sample,
    }
}

impl SamplerOp {
    /// Returns the fetch of a sample of a multisampled texel.
    pub fn load_sample(model: &Model) -> SamplerOp {
        let wide = model.devinfo().has_level_zero_sampling;
        if wide { SamplerOp::Load2dmsWide } else { SamplerOp::Load2dms }
    }

    /// Returns the number of dwords of multisample control data that a fetch takes.
    pub fn control_dwords(self) -> u32 {
        match self {
            SamplerOp::Load2dmsWide => 2,
            SamplerOp::Load2dms => 1,
            _ => 0,
        }
    }
}

/// Constant texel offsets in dword 2 of the header: four bits each, u highest; `None` if they do
/// not fit.
#[must_use]
pub fn texel_offset_nibbles(offsets: &[u64]) -> Option<u32> {
    offsets.iter().take(3).enumerate().try_fold(0, |bits, (i, &offset)| {
        let value = offset as u32 as i32;
        (-8..8).contains(&value).then_some(bits | (value as u32 & 0xf) << (8 - 4 * i))
    })
}

/// Position at which the pixel interpolator evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum InterpolatorMode {
    /// One offset for all pixels, in the descriptor: nibbles x, y in sixteenths of a pixel.
    SharedOffset = 0,
    /// A sample's position; its number is in bits 7:4.
    Sample = 1,
    /// The centroid.
    Centroid = 2,
    /// An offset per pixel, in the payload.
    PerSlotOffset = 3,
}

/// Pixel-interpolator message; the response is barycentric x and y per eight channels.
#[must_use]
pub fn pixel_interpolator(
    mode: InterpolatorMode,
    linear: bool,
    simd16: bool,
    data: u32,
    mlen: u32,
) -> Message {
    Message {
        sfid: Sfid::PixelInterpolator,
        control: data & 0xff
            | (mode as u32) << 12
            | u32::from(linear) << 14
            | u32::from(simd16) << 16,
        mlen: mlen as u8,
        ex_mlen: 0,
        rlen: if simd16 { 4 } else { 2 },
        header: false,
        eot: false,
        kind: MessageKind::Sample,
    }
}

/// Returns the message of LIR for a typed message.
///
/// # Errors
/// The generation has no such message.
pub fn typed(
    model: &Model,
    message: &desc::Message,
    lengths: Lengths,
    kind: MessageKind,
) -> Result<Message, CompileError> {
    let bits = desc::encode(model.devinfo(), message, lengths)
        .map_err(|e| CompileError::lower(format!("message: {e}")))?;
    Ok(Message {
        sfid: desc::sfid(message),
        control: bits & 0x7_ffff,
        mlen: lengths.mlen,
        ex_mlen: 0,
        rlen: lengths.rlen,
        header: lengths.header,
        eot: false,
        kind,
    })
}

/// Returns a message to the data port that serves `op`.
///
/// # Errors
/// The generation has no such message.
pub fn data_port(
    model: &Model,
    surface: u32,
    op: desc::DataOp,
    lengths: Lengths,
) -> Result<Message, CompileError> {
    let info = model.devinfo();
    let port = desc::default_port(info.version, &op).ok_or_else(|| {
        CompileError::lower(format!(
            "{} has no message for memory accesses of this size",
            info.name
        ))
    })?;
    let kind = match op {
        desc::DataOp::ByteScatteredWrite { bytes, .. } => {
            MessageKind::ByteScatteredWrite { element: bytes }
        }
        _ => MessageKind::Memory,
    };
    debug_assert!(surface <= BTI_STATELESS, "binding table index {surface}");
    let message = desc::DataPortMessage { port, surface: surface as u8, op };
    typed(model, &desc::Message::DataPort(message), lengths, kind)
}
