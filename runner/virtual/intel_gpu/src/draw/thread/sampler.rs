//! Sampler messages: requests in terms of raster's texture lookups.

use std::cell::RefCell;

use eu_simulator::host::{Param, SamplerOp, SamplerRequest, Texels};
use gpu_service::{CommandError, Outcome, not_modeled};
use raster::format::FormatClass;
use raster::shader_io::{Lod, TextureOp};
use raster::texture::sample::look_up;
use raster::texture::texels;
use raster::texture::{SamplerParameters, SwizzleSource, TextureTarget};
use surfaces::{SurfaceFormat, SurfaceKind};
use vocabulary::half;

use super::bindings::{Bound, Resources};

/// Pixels whose differences give the level of detail.
const QUAD: usize = 4;

/// A surface as lookups see it.
struct View<'a> {
    resources: &'a Resources<'a>,
    bound: &'a Bound,
    format: &'static SurfaceFormat,
    target: TextureTarget,
    border: [u32; 4],
    is_normalized: bool,
    compares: bool,
    /// The error of a fetch.
    failure: RefCell<Option<CommandError>>,
}

impl texels::Texels for View<'_> {
    fn target(&self) -> TextureTarget {
        self.target
    }

    fn is_normalized(&self) -> bool {
        self.is_normalized
    }

    fn level_size(&self, level: usize) -> Option<(u32, u32, u32)> {
        let surface = &self.bound.surface;
        let level = u32::try_from(level).ok()?;
        let known = surface.first_level..=surface.first_level + surface.level;
        known.contains(&level).then(|| {
            let (width, height) = surface.size(level);
            (width, height, surface.layers_of(level))
        })
    }

    fn layers(&self) -> usize {
        self.bound.surface.depth as usize
    }

    fn fixed_levels(&self) -> Option<usize> {
        let surface = &self.bound.surface;
        Some((surface.first_level + surface.level) as usize + 1)
    }

    fn texel(&self, level: usize, layer: usize, x: i32, y: i32) -> Option<[u32; 4]> {
        let surface = &self.bound.surface;
        let (width, height, layers) = texels::Texels::level_size(self, level)?;
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        let (level, layer) = (u32::try_from(level).ok()?, u32::try_from(layer).ok()?);
        if x >= width || y >= height || layer >= layers {
            return None;
        }
        let layer = layer + surface.first_layer;
        let (across, down) = self.format.block_size();
        let address = surface.address(x / across, y / down, layer, level, self.format.bytes);
        match self.resources.element(self.format, address) {
            Ok(bytes) => Some(self.format.decode_in_block(&bytes, x % across, y % down)),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    fn class(&self) -> FormatClass {
        if self.format.is_integer { FormatClass::Uint } else { FormatClass::Float }
    }

    fn is_depth(&self) -> bool {
        self.compares
    }

    fn is_fixed_depth(&self) -> bool {
        self.format.normalized().is_some()
    }

    fn border(&self, _: &SamplerParameters) -> [u32; 4] {
        self.format.present(self.border)
    }
}

/// Executes a sampler message.
pub(crate) fn execute(resources: &Resources<'_>, request: &SamplerRequest) -> Outcome<Texels> {
    let bound = resources.surface(request.surface)?;
    let lookup = Lookup::of(resources, &bound, request)?;
    let mut texels: Texels = [[0; 16]; 4];
    let channels = (0..usize::from(request.count)).filter(|c| request.mask >> c & 1 != 0);
    for channel in channels {
        let texel = match &lookup {
            Some(lookup) => lookup.texel(request, channel)?,
            None => direct(resources, &bound, request, channel)?,
        };
        let texel = if request.has_half_return { words(&bound, request.op, texel) } else { texel };
        for (row, value) in texels.iter_mut().zip(texel) {
            row[channel] = value;
        }
    }
    Ok(texels)
}

/// Returns a result in 16 bits: floats as half floats, the low bits of integers.
fn words(bound: &Bound, op: SamplerOp, texel: [u32; 4]) -> [u32; 4] {
    let has_integers = match op {
        SamplerOp::ResInfo | SamplerOp::SampleInfo | SamplerOp::LoadMcs => true,
        SamplerOp::Lod => false,
        _ => bound.format.is_some_and(|format| format.is_integer),
    };
    texel.map(|value| match has_integers {
        true => value & 0xffff,
        false => u32::from(half::from_f32(f32::from_bits(value))),
    })
}

/// A message that looks texels up, with the state that its channels share.
struct Lookup<'a> {
    view: View<'a>,
    parameters: SamplerParameters,
}

impl<'a> Lookup<'a> {
    /// Reads the state of a message; `None` if it reads no texels by coordinates.
    fn of(
        resources: &'a Resources<'a>,
        bound: &'a Bound,
        request: &SamplerRequest,
    ) -> Outcome<Option<Lookup<'a>>> {
        let surface = &bound.surface;
        match (request.op, surface.kind) {
            (
                SamplerOp::LoadMcs
                | SamplerOp::ResInfo
                | SamplerOp::SampleInfo
                | SamplerOp::Load2dms
                | SamplerOp::Load2dmsWide
                | SamplerOp::Load2dss,
                _,
            )
            | (_, SurfaceKind::Null)
            | (SamplerOp::Load | SamplerOp::LoadLz, SurfaceKind::Buffer) => return Ok(None),
            _ => {}
        }
        if surface.has_minimum {
            return not_modeled("minimum levels of detail of surfaces");
        }
        let sampler = match request.op {
            SamplerOp::Load | SamplerOp::LoadLz => None,
            _ => Some(resources.sampler(request.sampler, request.header.map(|h| h[3]))?),
        };
        let target = match (surface.kind, surface.is_array) {
            (SurfaceKind::OneD, false) => TextureTarget::D1,
            (SurfaceKind::OneD, true) => TextureTarget::D1Array,
            (SurfaceKind::TwoD, false) => TextureTarget::D2,
            (SurfaceKind::TwoD, true) => TextureTarget::D2Array,
            (SurfaceKind::ThreeD, _) => TextureTarget::D3,
            (SurfaceKind::Cube, false) => TextureTarget::Cube,
            (SurfaceKind::Cube, true) => TextureTarget::CubeArray,
            (kind, _) => {
                return not_modeled(format!("{:?} of surfaces of kind {kind:?}", request.op));
            }
        };
        let mut parameters = sampler.as_ref().map(|sampler| sampler.parameters).unwrap_or_default();
        parameters.base_level = surface.first_level;
        parameters.max_level = surface.first_level + surface.level;
        parameters.swizzle = surface.channels.map(source);
        let view = View {
            resources,
            bound,
            format: bound.sampled_format()?,
            target,
            border: sampler.as_ref().map_or([0; 4], |sampler| sampler.border),
            is_normalized: !sampler.as_ref().is_some_and(|sampler| sampler.is_unnormalized),
            compares: request.param(Param::Ref).is_some(),
            failure: RefCell::default(),
        };
        Ok(Some(Lookup { view, parameters }))
    }

    /// Result for one channel.
    fn texel(&self, request: &SamplerRequest, channel: usize) -> Outcome<[u32; 4]> {
        let operation = operation(request, channel, self.view.target)?;
        let texel = look_up(&self.view, &self.parameters, &operation);
        match self.view.failure.take() {
            Some(error) => Err(error),
            None => Ok(texel),
        }
    }
}

/// Result for one channel of a message that looks nothing up.
fn direct(
    resources: &Resources<'_>,
    bound: &Bound,
    request: &SamplerRequest,
    channel: usize,
) -> Outcome<[u32; 4]> {
    let surface = &bound.surface;
    match (request.op, surface.kind) {
        (SamplerOp::LoadMcs, _) => Ok(identity(surface.samples)),
        (SamplerOp::ResInfo, _) => Ok(bound.surface.information(raw(request, Param::Lod, channel))),
        (SamplerOp::SampleInfo, _) => Ok([surface.samples, 0, 0, 0]),
        (_, SurfaceKind::Null) => Ok([0; 4]),
        (SamplerOp::Load | SamplerOp::LoadLz, _) => {
            let index = raw(request, Param::U, channel);
            if index >= surface.elements {
                return Ok([0; 4]);
            }
            let address = surface.base + u64::from(index) * surface.pitch;
            let texel = resources.decode(bound.texel_format()?, address)?;
            Ok(select(bound, texel))
        }
        _ => load_sample(resources, bound, request, channel),
    }
}

/// Loads a sample of a multisampled texel.
fn load_sample(
    resources: &Resources<'_>,
    bound: &Bound,
    request: &SamplerRequest,
    channel: usize,
) -> Outcome<[u32; 4]> {
    let surface = &bound.surface;
    let format = bound.texel_format()?;
    let get = |param| raw(request, param, channel);
    let (x, y, layer) = (get(Param::U), get(Param::V), get(Param::R));
    let (width, height) = surface.size(0);
    let sample = get(Param::Si);
    if x >= width || y >= height || layer >= surface.depth || sample >= surface.samples {
        return Ok([0; 4]);
    }
    let layer = layer + surface.first_layer;
    let address = surface.sample_address((x, y), layer, sample, format.bytes);
    Ok(select(bound, resources.decode(format, address)?))
}

/// Multisample control data of uncompressed pixels: sample n is in plane n.
fn identity(samples: u32) -> [u32; 4] {
    match samples {
        0 | 1 => [0; 4],
        2 => [0x2, 0, 0, 0],
        4 => [0xe4, 0, 0, 0],
        8 => [0x7654_3210, 0, 0, 0],
        _ => [0x7654_3210, 0xfedc_ba98, 0, 0],
    }
}

/// Applies the channel selects of a surface.
fn select(bound: &Bound, texel: [u32; 4]) -> [u32; 4] {
    let one = match bound.format {
        Some(format) if format.is_integer => 1,
        _ => 1.0_f32.to_bits(),
    };
    bound.surface.channels.map(|channel| match channel {
        4..=7 => texel[channel as usize - 4],
        1 => one,
        _ => 0,
    })
}

fn source(channel: u32) -> SwizzleSource {
    match channel {
        4 => SwizzleSource::Red,
        5 => SwizzleSource::Green,
        6 => SwizzleSource::Blue,
        7 => SwizzleSource::Alpha,
        1 => SwizzleSource::One,
        _ => SwizzleSource::Zero,
    }
}

fn raw(request: &SamplerRequest, param: Param, channel: usize) -> u32 {
    request.param(param).and_then(|values| values.get(channel)).copied().unwrap_or(0)
}

fn floats<const N: usize>(
    request: &SamplerRequest,
    params: [Param; N],
    channel: usize,
) -> [f32; N] {
    params.map(|param| f32::from_bits(raw(request, param, channel)))
}

const AXES: [Param; 3] = [Param::U, Param::V, Param::R];

/// The lookup of one channel.
fn operation(
    request: &SamplerRequest,
    channel: usize,
    target: TextureTarget,
) -> Outcome<TextureOp> {
    use SamplerOp::{
        Gather4, Gather4Compare, Gather4Offset, Gather4OffsetCompare, Load, LoadLz, Sample,
        SampleBias, SampleBiasCompare, SampleCompare, SampleCompareLz, SampleGradient,
        SampleGradientCompare, SampleLod, SampleLodCompare, SampleLz,
    };
    let mut coordinates = floats(request, [Param::U, Param::V, Param::R, Param::Ai], channel);
    // Array indices are rounded to the nearest integer, halves to the even one. The driver's blits
    // pass the middle of a texel as index of one-dimensional surfaces.
    let index = match target {
        TextureTarget::D1Array => Some(1),
        TextureTarget::D2Array => Some(2),
        TextureTarget::CubeArray => Some(3),
        _ => None,
    };
    if let Some(index) = index {
        coordinates[index] = coordinates[index].round_ties_even();
    }
    let reference = request.param(Param::Ref).map(|values| f32::from_bits(values[channel]));
    let offset = header_offset(request);
    let float = |param| f32::from_bits(raw(request, param, channel));
    let lod = match request.op {
        Sample | SampleCompare | SampleBias | SampleBiasCompare => {
            let [dx, dy] = differences(request, channel, target);
            Lod::Gradients { dx, dy, bias: float(Param::Bias) }
        }
        SampleGradient | SampleGradientCompare => Lod::Gradients {
            dx: floats(request, [Param::DuDx, Param::DvDx, Param::DrDx], channel),
            dy: floats(request, [Param::DuDy, Param::DvDy, Param::DrDy], channel),
            bias: 0.0,
        },
        SampleLod | SampleLodCompare => Lod::Explicit(float(Param::Lod)),
        SampleLz | SampleCompareLz => Lod::Explicit(0.0),
        Load | LoadLz => {
            let place = AXES.map(|axis| raw(request, axis, channel).cast_signed());
            return Ok(TextureOp::Fetch {
                coordinates: std::array::from_fn(|i| place[i].wrapping_add(offset[i])),
                lod: raw(request, Param::Lod, channel).cast_signed(),
                sample: 0,
            });
        }
        SamplerOp::Lod => {
            let [dx, dy] = differences(request, channel, target);
            return Ok(TextureOp::QueryLod { coordinates: floats(request, AXES, channel), dx, dy });
        }
        Gather4 | Gather4Compare | Gather4Offset | Gather4OffsetCompare => {
            // Offsets of single channels have six bits.
            let own = [Param::OffsetU, Param::OffsetV].map(|param| {
                request.param(param).map(|values| (values[channel] << 26).cast_signed() >> 26)
            });
            let pair = [own[0].unwrap_or(offset[0]), own[1].unwrap_or(offset[1])];
            return Ok(TextureOp::Gather {
                coordinates,
                reference,
                component: request.header.map_or(0, |header| header[2] >> 16 & 3),
                offsets: [pair; 4],
            });
        }
        other => return not_modeled(format!("sampler messages of kind {other:?}")),
    };
    let min_lod = f32::NEG_INFINITY;
    Ok(TextureOp::Sample { coordinates, reference, lod, offset, min_lod })
}

/// Texel offsets of the header: signed nibbles, u highest.
fn header_offset(request: &SamplerRequest) -> [i32; 3] {
    let word = request.header.map_or(0, |header| header[2]);
    [8, 4, 0].map(|shift| (word << (28 - shift)).cast_signed() >> 28)
}

/// Differences of the coordinates within the channel's quad to the right and down. Vertices have no
/// neighbors. Directions of a cube are those on the plane of the channel's face: drivers pass
/// directions whose largest component is one, and a neighbor can be on another face.
fn differences(request: &SamplerRequest, channel: usize, target: TextureTarget) -> [[f32; 3]; 2] {
    if request.simd4x2 {
        return [[0.0; 3]; 2];
    }
    let own = floats(request, AXES, channel);
    let is_cube = matches!(target, TextureTarget::Cube | TextureTarget::CubeArray);
    let of = |channel: usize| {
        let value = floats(request, AXES, channel);
        if is_cube { on_face(value, own) } else { value }
    };
    let first = channel / QUAD * QUAD;
    let corner = of(first);
    [1, 2].map(|other| {
        let value = of(first + other);
        std::array::from_fn(|i| value[i] - corner[i])
    })
}

/// A direction, long enough for the plane of a face of a cube: the one that contains `own`.
/// Directions that do not meet the plane are as they are.
fn on_face(direction: [f32; 3], own: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = own.map(f32::abs);
    let axis = match (x >= y && x >= z, y >= z) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let scale = own[axis] / direction[axis];
    if scale.is_finite() && scale > 0.0 { direction.map(|v| v * scale) } else { direction }
}

#[cfg(test)]
mod tests {
    use super::on_face;

    /// A neighbor beyond the edge of a face is where the plane of the face goes on.
    #[test]
    fn neighbors_on_other_faces_of_a_cube() {
        let own = [0.5, -1.0, 0.5];
        assert_eq!(on_face([1.0, -0.5, 0.25], own), [2.0, -1.0, 0.5]);
        assert_eq!(on_face([0.25, -1.0, 0.5], own), [0.25, -1.0, 0.5]);
        // Parallel to the plane, and on the other side of the cube.
        assert_eq!(on_face([1.0, 0.0, 0.5], own), [1.0, 0.0, 0.5]);
        assert_eq!(on_face([0.5, 1.0, 0.5], own), [0.5, 1.0, 0.5]);
    }
}
