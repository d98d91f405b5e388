//! Sampler states.

use gpu_service::{Outcome, not_modeled};
use raster::texture::{CompareFunction, DepthMode, Filter, SamplerParameters, Wrap};

use crate::draw::command::Draw;

/// Address mode that continues on the neighboring face of a cube.
const CUBE: u64 = 3;
/// A sampler state.
#[derive(Debug)]
pub(crate) struct Sampler {
    pub(crate) parameters: SamplerParameters,
    /// Raw components of the border.
    pub(crate) border: [u32; 4],
    /// Coordinates count texels.
    pub(crate) is_unnormalized: bool,
}

impl Sampler {
    /// Reads the sampler state at an address.
    pub(crate) fn load(draw: &Draw<'_>, address: u64) -> Outcome<Sampler> {
        let fields = draw.fields.sampler;
        let words = draw.memory.read_words(address, 4)?;
        let get = |field: packets::Field| field.get(&words);
        let filter = |field: packets::Field| match get(field) {
            0 => Ok(Filter::Nearest),
            // Anisotropic filters are at least as good as linear ones.
            1 | 2 => Ok(Filter::Linear),
            mode => not_modeled(format!("filter {mode} of samplers")),
        };
        let mip = match get(fields.mip) {
            0 => None,
            1 => Some(Filter::Nearest),
            _ => Some(Filter::Linear),
        };
        let wrap = |field| match get(field) {
            0 => Ok(Wrap::Repeat),
            1 => Ok(Wrap::MirroredRepeat),
            2 | CUBE => Ok(Wrap::ClampToEdge),
            4 => Ok(Wrap::ClampToBorder),
            5 => Ok(Wrap::MirrorOnce),
            6 => Ok(Wrap::HalfBorder),
            mode => not_modeled(format!("address mode {mode} of samplers")),
        };
        if fields.has_key.flag(&words) || fields.base_level.flag(&words) {
            return not_modeled("chroma keys and base levels of samplers");
        }
        let compare = compare_function(get(fields.shadow));
        let parameters = SamplerParameters {
            wrap: [wrap(fields.wrap_x)?, wrap(fields.wrap_y)?, wrap(fields.wrap_z)?],
            min: filter(fields.min)?,
            mag: filter(fields.mag)?,
            mip,
            lod_bias: fields.bias.number(&words),
            min_lod: fields.min_lod.number(&words),
            max_lod: fields.max_lod.number(&words),
            compare: Some(compare),
            compare_function: compare,
            depth_mode: DepthMode::Red,
            // Other modes are clamped at the edges of faces, unless they are overridden.
            is_seamless: get(fields.wrap_x) == CUBE || fields.overrides_cubes.flag(&words),
            ..SamplerParameters::default()
        };
        let has_border = parameters
            .wrap
            .iter()
            .any(|wrap| matches!(wrap, Wrap::ClampToBorder | Wrap::HalfBorder));
        let mut border = [0; 4];
        if has_border {
            let address = draw.context.dynamic_base + get(fields.border);
            let colors = draw.memory.read_words(address, 4)?;
            border.copy_from_slice(&colors);
        }
        let is_unnormalized = fields.is_unnormalized.flag(&words);
        Ok(Sampler { parameters, border, is_unnormalized })
    }
}

/// Function that a lookup passes. The hardware compares the texel with the reference and returns 0
/// if the state's function holds.
fn compare_function(number: u64) -> CompareFunction {
    match number {
        0 => CompareFunction::Never,
        1 => CompareFunction::Always,
        2 => CompareFunction::LessEqual,
        3 => CompareFunction::NotEqual,
        4 => CompareFunction::Less,
        5 => CompareFunction::GreaterEqual,
        6 => CompareFunction::Equal,
        _ => CompareFunction::Greater,
    }
}
