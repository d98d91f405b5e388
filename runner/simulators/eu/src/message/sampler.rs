//! Sampler messages.
//!
//! Parameter orders are those of Mesa's `brw_lower_logical_sends.cpp` and `brw_vec4_visitor.cpp`:
//! reference, then level or bias, then coordinates; LD is u, lod, v, r before gen9 and u, v, lod, r
//! from then on.

use intel_isa::desc::{SamplerMessage, SamplerOp as Code, SamplerSimd};

use super::payload::{Message, Response, respond_plane, respond_words, words_of};
use crate::error::Reason;
use crate::host::{Host, Param, SamplerOp, SamplerRequest, Texels};
use Param::*;

/// Parameters with their meaning, in message order.
type Params = Vec<(Param, [u32; 16])>;

/// How many channels a message has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Simd4x2,
    Simd8,
    Simd16,
}

fn mode(message: &Message, simd: SamplerSimd, header: Option<&[u32; 8]>) -> Result<Mode, Reason> {
    // Gen9 gave the SIMD4x2 code to another mode; a header bit restores the old meaning.
    let restored = header.is_some_and(|header| header[2] >> 22 & 1 != 0);
    match simd {
        SamplerSimd::Simd4x2 if message.quirks.ld_lod_second || restored => Ok(Mode::Simd4x2),
        SamplerSimd::Simd8 => Ok(Mode::Simd8),
        SamplerSimd::Simd16 => Ok(Mode::Simd16),
        other => Err(Reason::NotModeled(format!("sampler mode {}", other.text()))),
    }
}

fn operation(code: Code) -> SamplerOp {
    match code {
        Code::Sample => SamplerOp::Sample,
        Code::SampleB => SamplerOp::SampleBias,
        Code::SampleL => SamplerOp::SampleLod,
        Code::SampleC => SamplerOp::SampleCompare,
        Code::SampleD => SamplerOp::SampleGradient,
        Code::SampleBC => SamplerOp::SampleBiasCompare,
        Code::SampleLC => SamplerOp::SampleLodCompare,
        Code::Ld => SamplerOp::Load,
        Code::Gather4 => SamplerOp::Gather4,
        Code::Lod => SamplerOp::Lod,
        Code::Resinfo => SamplerOp::ResInfo,
        Code::SampleInfo => SamplerOp::SampleInfo,
        Code::Gather4C => SamplerOp::Gather4Compare,
        Code::Gather4Po => SamplerOp::Gather4Offset,
        Code::Gather4PoC => SamplerOp::Gather4OffsetCompare,
        Code::SampleDC => SamplerOp::SampleGradientCompare,
        Code::SampleLz => SamplerOp::SampleLz,
        Code::SampleCLz => SamplerOp::SampleCompareLz,
        Code::LdLz => SamplerOp::LoadLz,
        Code::Ld2dmsW => SamplerOp::Load2dmsWide,
        Code::LdMcs => SamplerOp::LoadMcs,
        Code::Ld2dms => SamplerOp::Load2dms,
        Code::Ld2dss => SamplerOp::Load2dss,
    }
}

/// The meaning of the parameters of SIMD8 and SIMD16 messages, in order.
fn order(op: SamplerOp, lod_second: bool) -> &'static [Param] {
    match op {
        SamplerOp::Sample | SamplerOp::Lod | SamplerOp::Gather4 | SamplerOp::SampleLz => {
            &[U, V, R, Ai]
        }
        SamplerOp::SampleBias => &[Bias, U, V, R, Ai],
        SamplerOp::SampleLod => &[Lod, U, V, R, Ai],
        SamplerOp::SampleCompare | SamplerOp::Gather4Compare | SamplerOp::SampleCompareLz => {
            &[Ref, U, V, R, Ai]
        }
        SamplerOp::SampleGradient => &[U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai],
        SamplerOp::SampleGradientCompare => &[Ref, U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai],
        SamplerOp::SampleBiasCompare => &[Ref, Bias, U, V, R, Ai],
        SamplerOp::SampleLodCompare => &[Ref, Lod, U, V, R, Ai],
        SamplerOp::Load if lod_second => &[U, Lod, V, R],
        SamplerOp::Load => &[U, V, Lod, R],
        SamplerOp::LoadLz => &[U, V, R],
        SamplerOp::ResInfo => &[Lod],
        SamplerOp::SampleInfo => &[],
        SamplerOp::Gather4Offset => &[U, V, OffsetU, OffsetV, R],
        SamplerOp::Gather4OffsetCompare => &[Ref, U, V, OffsetU, OffsetV, R],
        SamplerOp::LoadMcs => &[U, V, R, Lod],
        SamplerOp::Load2dms => &[Si, McsLow, U, V, R, Lod],
        SamplerOp::Load2dmsWide => &[Si, McsLow, McsHigh, U, V, R, Lod],
        SamplerOp::Load2dss => &[Si, U, V, R, Lod],
    }
}

/// The meaning of the dwords of SIMD4x2 messages: coordinates fill the first register; reference,
/// level, derivatives and sample index follow in the next ones (Mesa's `brw_vec4_nir.cpp`).
fn order4x2(op: SamplerOp) -> &'static [Param] {
    match op {
        SamplerOp::Sample | SamplerOp::SampleLz | SamplerOp::Gather4 | SamplerOp::Lod => {
            &[U, V, R, Ai]
        }
        SamplerOp::SampleBias => &[U, V, R, Ai, Bias],
        SamplerOp::SampleLod => &[U, V, R, Ai, Lod],
        SamplerOp::SampleCompare | SamplerOp::SampleCompareLz | SamplerOp::Gather4Compare => {
            &[U, V, R, Ai, Ref]
        }
        SamplerOp::SampleBiasCompare => &[U, V, R, Ai, Ref, Bias],
        SamplerOp::SampleLodCompare => &[U, V, R, Ai, Ref, Lod],
        SamplerOp::SampleGradient => &[U, V, R, Ai, DuDx, DuDy, DvDx, DvDy, DrDx, DrDy],
        SamplerOp::SampleGradientCompare => &[U, V, R, Ai, DuDx, DuDy, DvDx, DvDy, DrDx, DrDy, Ref],
        SamplerOp::Load | SamplerOp::LoadLz | SamplerOp::LoadMcs => &[U, V, R, Lod],
        SamplerOp::ResInfo => &[Lod],
        SamplerOp::SampleInfo => &[],
        SamplerOp::Gather4Offset => &[U, V, R, Unused, OffsetU, OffsetV],
        SamplerOp::Gather4OffsetCompare => &[U, V, R, Ref, OffsetU, OffsetV],
        SamplerOp::Load2dms => &[U, V, R, Lod, Si, McsLow],
        SamplerOp::Load2dmsWide => &[U, V, R, Lod, Si, McsLow, McsHigh],
        SamplerOp::Load2dss => &[U, V, R, Lod, Si],
    }
}

/// Executes a sampler message.
pub(super) fn execute(
    message: &Message,
    request: &SamplerMessage,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let header = message.header()?;
    let mode = mode(message, request.simd, header.as_ref())?;
    let op = operation(request.op);
    let (params, count) = parameters(message, op, mode)?;
    let mask = match mode {
        Mode::Simd4x2 => {
            u16::from(message.enabled & 0xf != 0) | u16::from(message.enabled >> 4 & 0xf != 0) << 1
        }
        Mode::Simd8 => message.enabled as u16 & 0xff,
        Mode::Simd16 => message.enabled as u16,
    };
    if request.half_return && mode == Mode::Simd4x2 {
        return Err(Reason::NotModeled("16-bit sampler return format of SIMD4x2".into()));
    }
    let request = SamplerRequest {
        op,
        surface: request.surface,
        sampler: request.sampler,
        header,
        simd4x2: mode == Mode::Simd4x2,
        count,
        mask,
        has_half_return: request.half_return,
        params,
    };
    let texels = host.sample(&request)?;
    let absent = header.map_or(0, |header| header[2] >> 12 & 0xf);
    Ok(respond(message, mode, request.has_half_return, &texels, absent))
}

fn parameters(message: &Message, op: SamplerOp, mode: Mode) -> Result<(Params, u8), Reason> {
    let first = usize::from(message.header);
    let sent = message.payload.len() - first;
    let mut params = Params::new();
    if mode == Mode::Simd4x2 {
        for index in 0..sent * 4 {
            let register = message.register(first + index / 4)?;
            let mut values = [0; 16];
            values[0] = register[index % 4];
            values[1] = register[4 + index % 4];
            params.push((order4x2(op).get(index).copied().unwrap_or(Unused), values));
        }
        return Ok((params, 2));
    }
    let (count, per) = if mode == Mode::Simd16 { (16, 2) } else { (8, 1) };
    let order = order(op, message.quirks.ld_lod_second);
    for index in 0..sent / per {
        let values = message.plane(first + index * per, count)?;
        params.push((order.get(index).copied().unwrap_or(Unused), values));
    }
    Ok((params, count as u8))
}

/// The response holds the components the header's write mask (set bits: not written) leaves, each
/// in registers of its own. Words of 8 channels leave the upper half of theirs as it is.
fn respond(
    message: &Message,
    mode: Mode,
    has_words: bool,
    texels: &Texels,
    absent: u32,
) -> Response {
    let mut response = Vec::new();
    if mode == Mode::Simd4x2 {
        let register = std::array::from_fn(|index| texels[index % 4][index / 4]);
        // SIMD4x2 results go by channel enables like any vec4 destination.
        return vec![(register, words_of(message.enabled))];
    }
    let count = if mode == Mode::Simd16 { 16 } else { 8 };
    for (component, plane) in texels.iter().enumerate() {
        if absent >> component & 1 == 0 {
            let respond = if has_words { respond_words } else { respond_plane };
            respond(&mut response, plane, count, message.enabled);
        }
    }
    response.truncate(message.response);
    response
}
