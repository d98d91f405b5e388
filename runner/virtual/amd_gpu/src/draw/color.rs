//! Render targets: exports of colors, blending, stores.

use fixed_function::{Equation, Factor, Function, Term, clamp_and_blend, join_stored};
use gcn_simulator::Export;
use gpu_service::{Outcome, not_modeled};
use raster::format::Channel;
use surfaces::SurfaceFormat;

use super::call::Draw;
use super::color_metadata::Metadata;
use super::depth::Copied;
use crate::registers::RegisterField;
use crate::texels::{Encoder, Numbers, format};
use crate::tiling::{ADDRESS_MASK, Level, TileMode};

/// Render targets of a draw.
const TARGETS: u32 = 8;
/// Truth table of the logic operation that stores the source.
const COPY: u32 = 0xcc;

/// Formats of color exports in pairs: halves, and numbers of 16 bits.
const HALVES: u32 = 4;
const UNORM: u32 = 5;
const SNORM: u32 = 6;
const UINT: u32 = 7;
const SINT: u32 = 8;

/// Effect of a draw on its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Colors are blended and stored.
    Store,
    /// Tiles and blocks that the draw covers become expanded.
    Expand,
    /// The second target gets the mean of the samples of the first.
    Resolve,
}

impl Mode {
    fn of(number: u32) -> Outcome<Option<Mode>> {
        Ok(match number {
            0 => None,
            1 => Some(Mode::Store),
            // Cleared colors, masks of fragments, keys.
            2 | 5 | 6 => Some(Mode::Expand),
            3 => Some(Mode::Resolve),
            mode => return not_modeled(format!("render targets of mode {mode}")),
        })
    }
}

/// A render target with its blend state.
pub(super) struct ColorTarget {
    /// Number of its export, and the format of it.
    pub(super) export: u8,
    export_format: u32,
    /// Number of the format.
    data: u32,
    pub(super) format: &'static SurfaceFormat,
    pub(super) level: Level,
    pub(super) metadata: Option<Metadata>,
    first_layer: u32,
    last_layer: u32,
    /// Bits of a texel that are written; `None` if all are.
    mask: Option<Vec<u8>>,
    /// Equations of color and alpha.
    equations: Option<[Equation; 2]>,
    logic: Option<u64>,
    /// Limits of colors before blending.
    clamp: Option<[f32; 2]>,
    /// The stored alpha counts as 1.
    is_opaque: bool,
    pub(super) encoder: Encoder,
}

/// Output of colors of a draw.
pub(super) struct Colors<'a> {
    pub(super) draw: &'a Draw<'a>,
    mode: Mode,
    pub(super) targets: Vec<ColorTarget>,
    constant: [f32; 4],
    /// Number of samples of which alpha covers a part.
    to_coverage: Option<u32>,
}

impl<'a> Colors<'a> {
    /// Loads the state of a draw.
    pub(super) fn load(draw: &'a Draw<'a>) -> Outcome<Colors<'a>> {
        let (fields, registers) = (&draw.hardware.fields.color, draw.registers);
        let mode = Mode::of(fields.mode.get(registers))?;
        let formats = draw.hardware.fields.fragment.colors.word(registers);
        let exported = exported_targets(fields.shader_mask.word(registers), formats);
        let masks = fields.target_mask.word(registers) & fields.shader_mask.word(registers);
        let mut targets = Vec::new();
        for (index, (number, export_format)) in (0..TARGETS).zip(exported) {
            let mask = masks >> (4 * index) & 15;
            let data = fields.format.at(index, registers);
            let is_used = match mode {
                None => false,
                Some(Mode::Store) => export_format != 0 && mask != 0,
                Some(Mode::Expand) => index == 0,
                Some(Mode::Resolve) => index < 2,
            };
            if !is_used || data == 0 {
                continue;
            }
            targets.push(ColorTarget::load(draw, index, mask, (number, export_format))?);
        }
        let fields = &draw.hardware.fields;
        let samples = draw.samples().count();
        let to_coverage = fields.fragment.alpha_to_mask.flag(registers) && samples > 1;
        let constant =
            [fields.color.red, fields.color.green, fields.color.blue, fields.color.alpha]
                .map(|field| f32::from_bits(field.word(registers)));
        Ok(Colors {
            draw,
            mode: mode.unwrap_or(Mode::Store),
            targets,
            constant,
            to_coverage: to_coverage.then_some(samples),
        })
    }

    /// Samples that the alpha of a lane covers: as many as its share, the first ones.
    pub(super) fn alpha_coverage(&self, exports: &[Export], lane: usize) -> Outcome<u16> {
        let Some(samples) = self.to_coverage else { return Ok(u16::MAX) };
        let formats = self.draw.hardware.fields.fragment.colors.word(self.draw.registers);
        let is_first = |export: &&Export| export.target == 0;
        let Some(export) = exports.iter().find(is_first) else { return Ok(u16::MAX) };
        let alpha = f32::from_bits(color(export, formats & 15, lane)[3]).clamp(0.0, 1.0);
        let count = (alpha * samples as f32).round() as u32;
        Ok(((1_u32 << count) - 1) as u16)
    }

    /// True if colors are stored as they are.
    pub(super) fn are_plain(&self) -> bool {
        let is_plain = self.targets.iter().all(ColorTarget::is_plain);
        self.mode == Mode::Store && self.to_coverage.is_none() && is_plain
    }

    /// Blends and stores the colors of a lane.
    pub(super) fn store(
        &self,
        exports: &[Export],
        lane: usize,
        place: (u32, u32),
        layer: u32,
        samples: u16,
    ) -> Outcome<()> {
        match self.mode {
            Mode::Store => {}
            Mode::Expand => return self.expand(place, layer),
            Mode::Resolve => return self.resolve(place, layer),
        }
        for target in &self.targets {
            let own = |number: u8| target.exported(exports, number, lane);
            let Some(source) = own(target.export) else { continue };
            let layer = target.slice(layer);
            if let Some(metadata) = &target.metadata {
                metadata.expand(self.draw.memory, &target.level, place, layer)?;
            }
            // With two sources the second one is the next export.
            let second = own(target.export + 1).unwrap_or_default();
            // Targets without samples of a draw with several, for smooth edges.
            let samples = if target.level.samples == 1 { u16::from(samples != 0) } else { samples };
            let stored = 0..target.level.samples.min(16);
            for sample in stored.filter(|sample| samples >> sample & 1 != 0) {
                let address = target.level.address(place.0, place.1, layer, sample) & ADDRESS_MASK;
                self.store_sample(target, address, source, second)?;
            }
        }
        Ok(())
    }

    /// Stores depth and stencil in the first target, as they are in their buffers.
    pub(super) fn store_copied(
        &self,
        copied: &Copied,
        (x, y): (u32, u32),
        layer: u32,
        samples: u16,
    ) -> Outcome<()> {
        self.expand((x, y), layer)?;
        let Some(target) = self.targets.first() else { return Ok(()) };
        // Bits of depth and stencil in a texel.
        let (depth, stencil) = match target.data {
            1 => (None, Some(0)),
            2 | 4 => (Some((0, 32)), None),
            20 => (Some((0, 24)), Some(24)),
            21 => (Some((8, 24)), Some(0)),
            22 => (Some((0, 32)), Some(32)),
            data => return not_modeled(format!("copies of depth to format {data}")),
        };
        let (mut texel, mut mask) = (0_u64, 0_u64);
        if let (Some(value), Some((shift, bits))) = (copied.depth, depth) {
            let all = (1_u64 << bits) - 1;
            texel |= (u64::from(value) & all) << shift;
            mask |= all << shift;
        }
        if let (Some(value), Some(shift)) = (copied.stencil, stencil) {
            texel |= u64::from(value) << shift;
            mask |= 0xff << shift;
        }
        let count = (target.level.bytes as usize).min(8);
        for sample in (0..target.level.samples.min(16)).filter(|sample| samples >> sample & 1 != 0)
        {
            let slice = target.slice(layer);
            let address = target.level.address(x, y, slice, sample) & ADDRESS_MASK;
            let mut old = [0; 8];
            self.draw.memory.read(address, &mut old[..count])?;
            let new = u64::from_le_bytes(old) & !mask | texel;
            self.draw.memory.write(address, &new.to_le_bytes()[..count])?;
        }
        Ok(())
    }

    /// Expands what holds a pixel of the targets.
    fn expand(&self, place: (u32, u32), layer: u32) -> Outcome<()> {
        for target in &self.targets {
            let layer = target.slice(layer);
            if let Some(metadata) = &target.metadata {
                metadata.expand(self.draw.memory, &target.level, place, layer)?;
            }
        }
        Ok(())
    }

    /// Stores the mean of the samples of a pixel of the first target in the second one; of integers
    /// the first sample.
    fn resolve(&self, (x, y): (u32, u32), layer: u32) -> Outcome<()> {
        self.expand((x, y), layer)?;
        let [from, to] = self.targets.as_slice() else { return Ok(()) };
        let memory = self.draw.memory;
        let count = if from.format.is_integer { 1 } else { from.level.samples.max(1) };
        let mut sum = [0.0_f64; 4];
        let mut first = [0; 4];
        for sample in 0..count {
            let mut texel = [0; 16];
            let address = from.level.address(x, y, from.slice(layer), sample);
            let bytes = from.format.bytes.min(16) as usize;
            memory.read(address & ADDRESS_MASK, &mut texel[..bytes])?;
            let color = from.format.decode(&texel);
            first = if sample == 0 { color } else { first };
            for (sum, bits) in sum.iter_mut().zip(color) {
                *sum += f64::from(f32::from_bits(bits));
            }
        }
        let mean = match from.format.is_integer {
            true => first,
            false => sum.map(|sum| ((sum / f64::from(count)) as f32).to_bits()),
        };
        let address = to.level.address(x, y, to.slice(layer), 0) & ADDRESS_MASK;
        let bytes = to.format.bytes.min(16) as usize;
        Ok(memory.write(address, &to.encoder.encode(mean)[..bytes])?)
    }

    fn store_sample(
        &self,
        target: &ColorTarget,
        address: u64,
        source: [u32; 4],
        second: [u32; 4],
    ) -> Outcome<()> {
        let memory = self.draw.memory;
        let mut old = [0; 16];
        let count = (target.format.bytes as usize).min(16);
        if target.reads() {
            memory.read(address, &mut old[..count])?;
        }
        let mut color = source;
        if let Some(equations) = target.equations {
            let mut destination = target.format.decode(&old).map(f32::from_bits);
            if target.is_opaque {
                destination[3] = 1.0;
            }
            let colors = fixed_function::Colors {
                source: source.map(f32::from_bits),
                second: second.map(f32::from_bits),
                destination,
                constant: self.constant,
            };
            let Some(result) = clamp_and_blend(equations, target.clamp, colors) else {
                return not_modeled("a reserved number of blend state");
            };
            color = result;
        }
        let mut texel = target.encoder.encode(color);
        join_stored(&mut texel, old, target.logic, target.mask.as_deref());
        Ok(memory.write(address, &texel[..count])?)
    }
}

impl ColorTarget {
    /// Color that a lane exports under a number.
    pub(super) fn exported(&self, exports: &[Export], number: u8, lane: usize) -> Option<[u32; 4]> {
        let is_own = |export: &&Export| export.target == number && export.exec >> lane & 1 != 0;
        exports.iter().find(is_own).map(|export| color(export, self.export_format, lane))
    }

    /// True if stored texels depend on the old ones.
    fn reads(&self) -> bool {
        self.mask.is_some() || self.equations.is_some() || self.logic.is_some()
    }

    /// True if colors are stored as they are, in whole tiles or in rows.
    fn is_plain(&self) -> bool {
        let is_linear = self.level.is_linear();
        let has_tiles = || self.level.tile(0, 0, 0, 0).is_some();
        let is_stored = self.level.samples == 1 && !self.reads();
        is_stored && if is_linear { self.metadata.is_none() } else { has_tiles() }
    }

    /// The slice of a layer; layers beyond the last one are the last one.
    pub(super) fn slice(&self, layer: u32) -> u32 {
        (layer + self.first_layer).min(self.last_layer)
    }

    fn load(draw: &Draw<'_>, index: u32, mask: u32, export: (u8, u32)) -> Outcome<ColorTarget> {
        let (fields, registers) = (&draw.hardware.fields.color, draw.registers);
        let get = |field: RegisterField| field.at(index, registers);
        let (data, number) = (get(fields.format), get(fields.numbers));
        let found = Numbers::of_target(number)
            .and_then(|numbers| Some((numbers, format(data, numbers, get(fields.swap))?)));
        let Some((numbers, format)) = found else {
            return not_modeled(format!("render targets of format {data} with numbers {number}"));
        };
        let samples = 1 << get(fields.samples).min(4);
        let level = Level {
            base: u64::from(get(fields.base)) << 8,
            mode: TileMode::of(draw.hardware.chip, get(fields.tile_mode), format.bytes, samples)?,
            pitch: 8 * (u64::from(get(fields.pitch)) + 1),
            slice: 64 * (u64::from(get(fields.slice)) + 1),
            bytes: format.bytes,
            samples,
        };
        let written = [0, 1, 2, 3].map(|component| mask >> component & 1 != 0);
        let blends = get(fields.blends) != 0 && !format.is_integer;
        let color = equation(get(fields.source), get(fields.destination), get(fields.function));
        let alpha = equation(
            get(fields.source_alpha),
            get(fields.destination_alpha),
            get(fields.function_alpha),
        );
        let has_own = get(fields.has_own_alpha) != 0;
        let operation = fields.logic.get(registers);
        let has_logic = operation != COPY && !format.is_srgb && !format.is_float();
        Ok(ColorTarget {
            export: export.0,
            export_format: export.1,
            data,
            format,
            level,
            metadata: Metadata::load(draw, index, &level, (data, numbers))?,
            first_layer: get(fields.first_layer),
            last_layer: get(fields.last_layer),
            mask: (written != [true; 4]).then(|| format.component_mask(written)),
            equations: blends.then_some([color, if has_own { alpha } else { color }]),
            logic: has_logic.then_some(u64::from(operation & 15)),
            clamp: format.normalized().filter(|_| get(fields.blend_clamp) != 0),
            is_opaque: get(fields.opaque) != 0,
            encoder: Encoder::new(format),
        })
    }
}

/// The export of each target, and its format. The targets that the shader's mask names get the
/// exports one after the other; the formats are those of the exports.
fn exported_targets(shader_mask: u32, formats: u32) -> [(u8, u32); TARGETS as usize] {
    let mut next = 0_u8;
    std::array::from_fn(|index| {
        if shader_mask >> (4 * index) & 15 == 0 {
            return (next, 0);
        }
        next += 1;
        (next - 1, formats >> (4 * (next - 1)) & 15)
    })
}

/// Color that a lane exports: bits of floats, or integers.
fn color(export: &Export, format: u32, lane: usize) -> [u32; 4] {
    let value = |channel: usize| export.channels[channel].map_or(0, |values| values[lane]);
    if !export.compressed {
        return [0, 1, 2, 3].map(value);
    }
    [0, 1, 2, 3].map(|channel| {
        let bits = value(channel / 2) >> (16 * (channel % 2)) & 0xffff;
        let signed = i32::from(bits as u16 as i16);
        match format {
            HALVES => {
                let half = Channel::Float(16);
                half.to_f32(half.decode(bits), 0.0).to_bits()
            }
            UNORM => (bits as f32 / 65535.0).to_bits(),
            SNORM => (signed as f32 / 32767.0).max(-1.0).to_bits(),
            UINT => bits,
            SINT => signed.cast_unsigned(),
            _ => 0,
        }
    })
}

/// An equation by its numbers.
fn equation(source: u32, destination: u32, function: u32) -> Equation {
    let function = match function {
        0 => Some(Function::Add),
        1 => Some(Function::Subtract),
        2 => Some(Function::Min),
        3 => Some(Function::Max),
        4 => Some(Function::ReverseSubtract),
        _ => None,
    };
    Equation { source: factor(source), destination: factor(destination), function }
}

fn factor(number: u32) -> Option<Factor> {
    Some(match number {
        0 => Factor::Inverse(Term::One),
        1 => Factor::Plain(Term::One),
        2 => Factor::Plain(Term::SourceColor),
        3 => Factor::Inverse(Term::SourceColor),
        4 => Factor::Plain(Term::SourceAlpha),
        5 => Factor::Inverse(Term::SourceAlpha),
        6 => Factor::Plain(Term::DestinationAlpha),
        7 => Factor::Inverse(Term::DestinationAlpha),
        8 => Factor::Plain(Term::DestinationColor),
        9 => Factor::Inverse(Term::DestinationColor),
        10 => Factor::Plain(Term::SaturatedSourceAlpha),
        13 => Factor::Plain(Term::ConstantColor),
        14 => Factor::Inverse(Term::ConstantColor),
        15 => Factor::Plain(Term::SecondColor),
        16 => Factor::Inverse(Term::SecondColor),
        17 => Factor::Plain(Term::SecondAlpha),
        18 => Factor::Inverse(Term::SecondAlpha),
        19 => Factor::Plain(Term::ConstantAlpha),
        20 => Factor::Inverse(Term::ConstantAlpha),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::exported_targets;

    #[test]
    fn exports_follow_the_mask() {
        let first = |mask, formats| exported_targets(mask, formats)[..3].to_vec();
        assert_eq!(first(0xfff, 0x943), [(0, 3), (1, 4), (2, 9)]);
        // No first target: the first export is that of the second one.
        assert_eq!(first(0xff0, 0x94), [(0, 0), (0, 4), (1, 9)]);
        assert_eq!(first(0xf0f, 0x94), [(0, 4), (1, 0), (1, 9)]);
    }
}
