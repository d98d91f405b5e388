//! Inputs of the fragment stage: routing of vertex data, setup data of a primitive.

use gpu_service::{Outcome, not_modeled};

use super::quad::Primitive;
use crate::draw::command::Draw;

/// Maximum number of attributes that the setup unit writes (PRM, `3DSTATE_SBE`).
const MAX_ATTRIBUTES: u32 = 32;
/// Number of the inputs that can be routed.
const ROUTED: u32 = 16;

/// Inputs of the fragment stage.
pub(crate) struct Attributes {
    inputs: Vec<Input>,
    /// The second coordinate of point sprites grows upwards.
    sprite_is_lower: bool,
}

/// An input.
struct Input {
    /// Slot of the vertex data.
    slot: usize,
    /// The back has the next slot.
    by_facing: bool,
    /// The provoking vertex has the value, except for sprites.
    is_constant: bool,
    /// Points have the coordinates of their square.
    is_sprite: bool,
    /// Components that are not the vertex's.
    overrides: [Option<Override>; 4],
}

/// Value of a component in place of the vertex's.
#[derive(Clone, Copy)]
enum Override {
    Bits(u32),
    PrimitiveId,
}

impl Attributes {
    /// Decodes the state of a draw.
    pub(crate) fn decode(draw: &Draw<'_>) -> Outcome<Attributes> {
        let sbe = draw.fields.sbe;
        let words = draw.context.packet("3DSTATE_SBE");
        let count = sbe.attributes.get_u32(words);
        if count > MAX_ATTRIBUTES {
            return not_modeled(format!("{count} attributes of fragments"));
        }
        let constant = sbe.is_constant.get_u32(words);
        let sprites = sbe.is_sprite.get_u32(words);
        // The read offset counts pairs of slots.
        let first = 2 * sbe.read_offset.get_u32(words);
        let number = [sbe.number_x, sbe.number_y, sbe.number_z, sbe.number_w];
        let input = |i: u32| {
            let (source, by_facing, mut overrides) = route(draw, words, i)?;
            if sbe.number_select.exists() && sbe.number_select.get_u32(words) == i {
                for (component, field) in overrides.iter_mut().zip(number) {
                    if field.flag(words) {
                        *component = Some(Override::PrimitiveId);
                    }
                }
            }
            Ok(Input {
                slot: (first + source) as usize,
                by_facing,
                is_constant: constant >> i & 1 != 0,
                is_sprite: sprites >> i & 1 != 0,
                overrides,
            })
        };
        Ok(Attributes {
            inputs: (0..count).map(input).collect::<Outcome<_>>()?,
            sprite_is_lower: sbe.sprite_is_lower.flag(words),
        })
    }

    /// Setup data of the inputs: per component two differences, 0, the value at the first corner.
    pub(crate) fn setup(&self, primitive: &Primitive<'_>, id: u32) -> Vec<[[u32; 8]; 2]> {
        self.inputs.iter().map(|input| self.setup_of(input, primitive, id)).collect()
    }

    fn setup_of(&self, input: &Input, primitive: &Primitive<'_>, id: u32) -> [[u32; 8]; 2] {
        let is_sprite = primitive.is_point && input.is_sprite;
        let is_constant = input.is_constant && !is_sprite;
        let slot = input.slot + usize::from(input.by_facing && !primitive.is_front);
        let values = [0, 1, 2].map(|corner: usize| {
            if is_sprite {
                return sprite(corner, self.sprite_is_lower).map(f32::to_bits);
            }
            let slots = if is_constant { primitive.flat } else { primitive.corners[corner] };
            let mut value = slots.get(slot).copied().unwrap_or_default();
            for (component, other) in value.iter_mut().zip(input.overrides) {
                match other {
                    Some(Override::Bits(bits)) => *component = bits,
                    Some(Override::PrimitiveId) => *component = id,
                    None => {}
                }
            }
            value
        });
        let mut registers = [[0; 8]; 2];
        for component in 0..4 {
            let [a, b, c] = values.map(|value| value[component]);
            let difference = |to: u32| match is_constant {
                true => 0,
                false => (f32::from_bits(to) - f32::from_bits(a)).to_bits(),
            };
            let register = &mut registers[component / 2][component % 2 * 4..][..4];
            register.copy_from_slice(&[difference(b), difference(c), 0, a]);
        }
        registers
    }
}

/// Routing of an input: source slot, whether the back has the next slot, and components that are
/// constants.
fn route(
    draw: &Draw<'_>,
    words: &[u32],
    input: u32,
) -> Outcome<(u32, bool, [Option<Override>; 4])> {
    if !draw.fields.sbe.is_swizzled.flag(words) || input >= ROUTED {
        return Ok((input, false, [None; 4]));
    }
    let swizzle = draw.context.packet("3DSTATE_SBE_SWIZ");
    let details = if swizzle.is_empty() { &words[2..] } else { &swizzle[1..] };
    let pair = details.get(input as usize / 2).copied().unwrap_or(0);
    let detail = [pair >> (16 * (input % 2)) & 0xffff];
    let fields = draw.fields.attribute;
    let by_facing = match fields.swizzle.get(&detail) {
        0 => false,
        1 => true,
        _ => return not_modeled("W as an input of fragment shaders"),
    };
    let bits = |values: [f32; 4]| values.map(|value| Override::Bits(value.to_bits()));
    let constants = match fields.constant.get(&detail) {
        0 => bits([0.0; 4]),
        1 => bits([0.0, 0.0, 0.0, 1.0]),
        2 => bits([1.0; 4]),
        _ => [Override::PrimitiveId; 4],
    };
    let overrides =
        [fields.overrides_x, fields.overrides_y, fields.overrides_z, fields.overrides_w]
            .map(|field| field.flag(&detail));
    let component = |i: usize| overrides[i].then_some(constants[i]);
    Ok((fields.source.get_u32(&detail), by_facing, [0, 1, 2, 3].map(component)))
}

/// Coordinates of a point's corner: upper left, upper right, lower left.
fn sprite(corner: usize, is_lower: bool) -> [f32; 4] {
    let down = if corner == 2 { 1.0 } else { 0.0 };
    let right = if corner == 1 { 1.0 } else { 0.0 };
    [right, if is_lower { 1.0 - down } else { down }, 0.0, 1.0]
}
