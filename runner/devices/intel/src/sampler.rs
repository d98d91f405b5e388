//! Sampler messages on textures: each channel's request in terms of the machine's texture
//! operations.

use eu_simulator::host::{HostError, Param, Reply, SamplerOp, SamplerRequest, Texels};
use raster::shader_io::{Lod as Level, ShaderIo, ShaderIoError, TextureOp, TextureRef};

/// Number of pixels whose differences give the level of detail.
const QUAD: usize = 4;

/// A texture of a binding table entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureSurface {
    /// The program's sampler slot.
    pub slot: u32,
    /// True if size queries count each cube as six layers.
    pub cube_array: bool,
}

/// Executes a sampler message on a texture.
pub(crate) fn sample(
    io: &mut dyn ShaderIo,
    surface: TextureSurface,
    request: &SamplerRequest,
) -> Reply<Texels> {
    let mut texels: Texels = [[0; 16]; 4];
    for channel in (0..usize::from(request.count)).filter(|c| request.mask >> c & 1 != 0) {
        let texel = match request.op {
            SamplerOp::ResInfo => information(io, surface, int(request, Param::Lod, channel))?,
            SamplerOp::SampleInfo => texture(io, surface, &TextureOp::Samples)?,
            // Surfaces have no control data: sample n is in plane n.
            SamplerOp::LoadMcs => [0; 4],
            _ => texture(io, surface, &operation(request, channel)?)?,
        };
        for (row, value) in texels.iter_mut().zip(texel) {
            row[channel] = value;
        }
    }
    Ok(texels)
}

fn texture(io: &mut dyn ShaderIo, surface: TextureSurface, op: &TextureOp) -> Reply<[u32; 4]> {
    io.texture(TextureRef::Slot(surface.slot), op)
        .map_err(|error: ShaderIoError| HostError(error.to_string()))
}

/// Returns width, height, depth or layers, and levels.
fn information(io: &mut dyn ShaderIo, surface: TextureSurface, lod: i32) -> Reply<[u32; 4]> {
    let mut size = texture(io, surface, &TextureOp::Size { lod })?;
    if surface.cube_array {
        size[2] = size[2].wrapping_mul(6);
    }
    let [levels, ..] = texture(io, surface, &TextureOp::Levels)?;
    Ok([size[0], size[1], size[2], levels])
}

fn raw(request: &SamplerRequest, param: Param, channel: usize) -> u32 {
    request.param(param).and_then(|values| values.get(channel)).copied().unwrap_or(0)
}

fn int(request: &SamplerRequest, param: Param, channel: usize) -> i32 {
    raw(request, param, channel) as i32
}

fn float(request: &SamplerRequest, param: Param, channel: usize) -> f32 {
    f32::from_bits(raw(request, param, channel))
}

fn floats<const N: usize>(
    request: &SamplerRequest,
    params: [Param; N],
    channel: usize,
) -> [f32; N] {
    params.map(|param| float(request, param, channel))
}

const AXES: [Param; 3] = [Param::U, Param::V, Param::R];

/// Returns one channel's operation.
fn operation(request: &SamplerRequest, channel: usize) -> Reply<TextureOp> {
    use SamplerOp::*;
    let coordinates = floats(request, [Param::U, Param::V, Param::R, Param::Ai], channel);
    let reference = request.param(Param::Ref).map(|values| f32::from_bits(values[channel]));
    let offset = header_offset(request);
    let lod = match request.op {
        Sample | SampleCompare | SampleBias | SampleBiasCompare => {
            let (dx, dy) = quad_gradients(request, channel);
            Level::Gradients { dx, dy, bias: float(request, Param::Bias, channel) }
        }
        SampleGradient | SampleGradientCompare => Level::Gradients {
            dx: floats(request, [Param::DuDx, Param::DvDx, Param::DrDx], channel),
            dy: floats(request, [Param::DuDy, Param::DvDy, Param::DrDy], channel),
            bias: 0.0,
        },
        SampleLod | SampleLodCompare => Level::Explicit(float(request, Param::Lod, channel)),
        SampleLz | SampleCompareLz => Level::Explicit(0.0),
        Load | LoadLz => {
            let place = AXES.map(|axis| int(request, axis, channel));
            return Ok(TextureOp::Fetch {
                coordinates: std::array::from_fn(|i| place[i].wrapping_add(offset[i])),
                lod: int(request, Param::Lod, channel),
                sample: 0,
            });
        }
        Load2dms | Load2dmsWide | Load2dss => {
            return Ok(TextureOp::Fetch {
                coordinates: AXES.map(|axis| int(request, axis, channel)),
                lod: 0,
                sample: raw(request, Param::Si, channel),
            });
        }
        SamplerOp::Lod => {
            let (dx, dy) = quad_gradients(request, channel);
            return Ok(TextureOp::QueryLod { coordinates: floats(request, AXES, channel), dx, dy });
        }
        Gather4 | Gather4Compare | Gather4Offset | Gather4OffsetCompare => {
            let own = [Param::OffsetU, Param::OffsetV]
                .map(|p| request.param(p).map(|v| low_six(v[channel])));
            let pair = [own[0].unwrap_or(offset[0]), own[1].unwrap_or(offset[1])];
            return Ok(TextureOp::Gather {
                coordinates,
                reference,
                component: request.header.map_or(0, |header| header[2] >> 16 & 3),
                offsets: [pair; 4],
            });
        }
        other => return Err(HostError(format!("{other:?} on a texture is not supported"))),
    };
    Ok(TextureOp::Sample { coordinates, reference, lod, offset, min_lod: 0.0 })
}

/// Returns the texel offsets in dword 2 of the header: signed nibbles, u highest.
fn header_offset(request: &SamplerRequest) -> [i32; 3] {
    let dword = request.header.map_or(0, |header| header[2]);
    [8, 4, 0].map(|shift| (dword << (28 - shift)) as i32 >> 28)
}

/// Returns an offset of the gather messages with offsets per channel: six bits, signed.
fn low_six(raw: u32) -> i32 {
    (raw << 26) as i32 >> 26
}

/// Returns the differences within the channel's quad, from its upper left pixel to the right and
/// down. Vertices have no neighbors.
fn quad_gradients(request: &SamplerRequest, channel: usize) -> ([f32; 3], [f32; 3]) {
    if request.simd4x2 {
        return ([0.0; 3], [0.0; 3]);
    }
    let first = channel / QUAD * QUAD;
    let corner = floats(request, AXES, first);
    let difference = |other: usize| {
        let value = floats(request, AXES, other);
        std::array::from_fn(|i| value[i] - corner[i])
    };
    (difference(first + 1), difference(first + 2))
}
