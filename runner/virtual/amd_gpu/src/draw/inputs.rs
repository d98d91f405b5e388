//! Registers of fragments at their start, and the parameters of their primitives.

use fixed_function::{QuadSlot, Samples};
use gcn_simulator::Wave;

use super::call::Draw;
use super::shaded::Primitive;
use super::uniform::{Channel, InputRegisters};
use super::vertices::MOST_PARAMETERS;

/// Bit of the place of a parameter: a constant instead.
const IS_CONSTANT: u32 = 0x20;

/// Source of a parameter.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Export of the vertices.
    Parameter(usize),
    /// Constant by its number.
    Constant(u32),
    /// Place in the square of a point.
    Sprite,
}

/// An attribute of fragments.
#[derive(Clone, Copy, Debug)]
struct Attribute {
    source: Source,
    /// The place in the square of a point replaces the source.
    is_sprite: bool,
    is_flat: bool,
}

/// Inputs of a draw's fragments.
pub(super) struct Inputs {
    /// Values that are present, a bit each.
    present: u32,
    attributes: Vec<Attribute>,
    /// The position is that of the pixel's corner, not of its center.
    has_corners: bool,
    /// Place of the position: center, centroid, sample.
    position_place: u32,
    sprite_is_flipped: bool,
    /// The facing is a mask, not a number with a sign.
    face_is_mask: bool,
}

/// Place at which a value is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Sample,
    Center,
    Centroid,
}

impl Inputs {
    /// Loads the state of a draw.
    pub(super) fn load(draw: &Draw<'_>) -> Inputs {
        let fields = &draw.hardware.fields.fragment;
        let registers = draw.registers;
        let flats = fields.flat_enabled.flag(registers);
        let sprites = fields.sprites_enabled.flag(registers);
        let attribute = |i: u32| {
            let place = fields.parameter.at(i, registers);
            let source = match place & IS_CONSTANT {
                0 => Source::Parameter(place as usize),
                _ => Source::Constant(fields.default.at(i, registers)),
            };
            Attribute {
                source,
                is_sprite: sprites && fields.is_sprite.at(i, registers) != 0,
                is_flat: flats && fields.is_flat.at(i, registers) != 0,
            }
        };
        Inputs {
            present: fields.present.word(registers),
            attributes: (0..MOST_PARAMETERS as u32).map(attribute).collect(),
            has_corners: fields.position_corner.flag(registers),
            position_place: fields.position_place.get(registers),
            sprite_is_flipped: fields.sprite_is_flipped.flag(registers),
            face_is_mask: fields.face_is_mask.flag(registers),
        }
    }

    /// Vector registers of the inputs.
    pub(super) fn registers(&self) -> InputRegisters {
        let mut registers = InputRegisters { all: 0, weights: 0 };
        let mut next = 0;
        for bit in (0..16).filter(|bit| self.present >> bit & 1 != 0) {
            let count = match bit {
                3 => 3,
                0..=6 => 2,
                _ => 1,
            };
            let own = ((1_u128 << count) - 1) << next;
            next += count;
            registers.all |= own;
            registers.weights |= if matches!(bit, 0..=2 | 4..=6) { own } else { 0 };
        }
        registers
    }

    /// True if a channel is the same at all corners, so that its interpolated value is that of the
    /// first one.
    pub(super) fn is_same(&self, primitive: &Primitive<'_>, (attribute, channel): Channel) -> bool {
        let [value, second, third] = self.parameter(primitive, attribute, channel);
        let is_zero = |bits: u32| f32::from_bits(bits) == 0.0;
        // The sum of -0 and a product that is 0 has the sign of one of the two.
        is_zero(second) && is_zero(third) && value != (-0.0_f32).to_bits()
    }

    /// Parameter of a primitive: P0, P10 and P20.
    pub(super) fn parameter(
        &self,
        primitive: &Primitive<'_>,
        attribute: u8,
        channel: u8,
    ) -> [u32; 3] {
        let Some(attribute) = self.attributes.get(usize::from(attribute)) else { return [0; 3] };
        let channel = usize::from(channel & 3);
        let source = match attribute.is_sprite && primitive.is_point {
            true => Source::Sprite,
            false => attribute.source,
        };
        match source {
            Source::Constant(number) => {
                let one = 1.0_f32.to_bits();
                let has_one = if channel == 3 { number & 1 != 0 } else { number & 2 != 0 };
                [if has_one { one } else { 0 }, 0, 0]
            }
            // The second corner of the square is to the right of the first, the third below it.
            Source::Sprite => match channel {
                0 => [0.0, 1.0, 0.0].map(f32::to_bits),
                1 if self.sprite_is_flipped => [1.0, 0.0, -1.0].map(f32::to_bits),
                1 => [0.0, 0.0, 1.0].map(f32::to_bits),
                2 => [0; 3],
                _ => [1.0, 0.0, 0.0].map(f32::to_bits),
            },
            Source::Parameter(place) if attribute.is_flat => {
                [primitive.flat.parameter(place)[channel], 0, 0]
            }
            Source::Parameter(place) => {
                let values = primitive.corners.map(|vertex| vertex.parameter(place)[channel]);
                let [a, b, c] = values.map(f32::from_bits);
                [values[0], (b - a).to_bits(), (c - a).to_bits()]
            }
        }
    }

    /// Writes the registers of a wave.
    pub(super) fn write(
        &self,
        wave: &mut Wave,
        primitive: &Primitive<'_>,
        slots: &[QuadSlot],
        samples: &Samples,
    ) {
        for lane in 0..4 * slots.len() {
            let slot = &slots[lane / 4];
            let pixel = Pixel { primitive, slot, number: lane % 4, samples };
            let mut register = 0;
            for bit in (0..16).filter(|bit| self.present >> bit & 1 != 0) {
                let (values, count) = self.values(&pixel, bit);
                for value in &values[..count] {
                    if let Some(to) = wave.vector.get_mut(register) {
                        to[lane] = *value;
                    }
                    register += 1;
                }
            }
        }
    }

    /// Value of a bit of the mask: registers, and how many they are.
    fn values(&self, pixel: &Pixel<'_>, bit: u32) -> ([u32; 3], usize) {
        let one = |value: u32| ([value, 0, 0], 1);
        let weights = |place: Place, perspective: bool| {
            let [x, y] = pixel.position(place);
            let [i, j] = pixel.primitive.interpolation.barycentric(x, y, perspective);
            ([i.to_bits(), j.to_bits(), 0], 2)
        };
        let position = || {
            let place = match self.position_place {
                0 => Place::Center,
                1 => Place::Centroid,
                _ => Place::Sample,
            };
            pixel.position(place)
        };
        let window = |axis: usize| {
            let corner = [0, 1].map(|axis| f64::from(pixel.corner()[axis]));
            let at = if self.has_corners { corner } else { position() };
            one((at[axis] as f32).to_bits())
        };
        match bit {
            0 => weights(Place::Sample, true),
            1 => weights(Place::Center, true),
            2 => weights(Place::Centroid, true),
            3 => {
                let [x, y] = pixel.position(Place::Center);
                let interpolation = &pixel.primitive.interpolation;
                let [i, j] = interpolation.barycentric(x, y, true);
                let one_over_w = 1.0 / interpolation.w(x, y);
                ([i * one_over_w, j * one_over_w, one_over_w].map(f32::to_bits), 3)
            }
            4 => weights(Place::Sample, false),
            5 => weights(Place::Center, false),
            6 => weights(Place::Centroid, false),
            8 => window(0),
            9 => window(1),
            10 => {
                let [x, y] = position();
                one(pixel.primitive.interpolation.depth(x, y).to_bits())
            }
            11 => {
                let [x, y] = position();
                one(pixel.primitive.interpolation.w(x, y).to_bits())
            }
            12 => one(face(pixel.primitive.is_front, self.face_is_mask)),
            13 => {
                let sample = pixel.slot.sample.unwrap_or(0);
                one(sample << 8 | pixel.primitive.layer << 16)
            }
            14 => one(u32::from(pixel.slot.covered(pixel.number))),
            15 => {
                let [x, y] = pixel.corner();
                one(x & 0xffff | y << 16)
            }
            // Coordinates of stipples.
            _ => one(0),
        }
    }
}

/// Facing of a primitive as programs get it: LLVM's a mask, ACO's a number with a sign.
fn face(is_front: bool, is_mask: bool) -> u32 {
    match (is_front, is_mask) {
        (true, true) => u32::MAX,
        (false, true) => 0,
        (true, false) => 1.0_f32.to_bits(),
        (false, false) => (-1.0_f32).to_bits(),
    }
}

/// A pixel of a wave.
struct Pixel<'a> {
    primitive: &'a Primitive<'a>,
    slot: &'a QuadSlot,
    /// Number in its quad.
    number: usize,
    samples: &'a Samples,
}

impl Pixel<'_> {
    /// Column and row.
    fn corner(&self) -> [u32; 2] {
        let (x, y) = self.slot.pixel(self.number);
        [x, y]
    }

    /// Position of interpolation.
    fn position(&self, place: Place) -> [f64; 2] {
        let positions = &self.samples.positions;
        let sample = match place {
            Place::Center => None,
            Place::Sample => Some(self.slot.sample.unwrap_or(0) as usize),
            // The center, unless it may be outside: then the first covered sample.
            Place::Centroid => {
                let covered = self.slot.quad.samples[self.number];
                let all = (1_u32 << positions.len()) - 1;
                let is_whole = u32::from(covered) & all == all || covered == 0;
                (!is_whole).then(|| covered.trailing_zeros() as usize)
            }
        };
        let offset = sample.and_then(|sample| positions.get(sample)).copied().unwrap_or([0.5; 2]);
        let corner = self.corner();
        [0, 1].map(|axis| f64::from(corner[axis]) + offset[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facings() {
        assert_eq!([true, false].map(|is_front| face(is_front, true)), [u32::MAX, 0]);
        let numbers = [true, false].map(|is_front| f32::from_bits(face(is_front, false)));
        assert_eq!(numbers, [1.0, -1.0]);
    }
}
