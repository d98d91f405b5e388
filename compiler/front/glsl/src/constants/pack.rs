//! Constant values of the packing functions (GLSL 4.60 section 8.4) that convert their components.

use crate::constants::value::Number;
use program::BuiltinFunction;
use vocabulary::half;

/// Format of the components of a packed value.
#[derive(Clone, Copy)]
enum Format {
    /// 0 … 1 as an unsigned integer of so many bits.
    Unorm(u32),
    /// −1 … 1 as a signed integer of so many bits.
    Snorm(u32),
    Half,
}

impl Format {
    fn of(function: BuiltinFunction) -> Option<Format> {
        use BuiltinFunction as F;
        Some(match function {
            F::PackUnorm2x16 | F::UnpackUnorm2x16 => Format::Unorm(16),
            F::PackSnorm2x16 | F::UnpackSnorm2x16 => Format::Snorm(16),
            F::PackUnorm4x8 | F::UnpackUnorm4x8 => Format::Unorm(8),
            F::PackSnorm4x8 | F::UnpackSnorm4x8 => Format::Snorm(8),
            F::PackHalf2x16 | F::UnpackHalf2x16 => Format::Half,
            _ => return None,
        })
    }

    /// Bits of a component.
    fn bits(self) -> u32 {
        match self {
            Format::Unorm(bits) | Format::Snorm(bits) => bits,
            Format::Half => 16,
        }
    }

    /// The integer of the value 1.
    fn one(self) -> f64 {
        match self {
            Format::Unorm(bits) => f64::from((1 << bits) - 1),
            Format::Snorm(bits) => f64::from((1 << (bits - 1)) - 1),
            Format::Half => 1.0,
        }
    }

    fn pack(self, value: f64) -> u32 {
        let integer = |least: f64| (value.clamp(least, 1.0) * self.one()).round_ties_even() as i32;
        let bits = match self {
            Format::Unorm(_) => integer(0.0) as u32,
            Format::Snorm(_) => integer(-1.0) as u32,
            Format::Half => half::from_f64(value).into(),
        };
        bits & (u32::MAX >> (32 - self.bits()))
    }

    fn unpack(self, bits: u32) -> f64 {
        let above = 32 - self.bits();
        match self {
            Format::Unorm(_) => f64::from(bits << above >> above) / self.one(),
            // The least integer is below −1.
            Format::Snorm(_) => (f64::from((bits << above) as i32 >> above) / self.one()).max(-1.0),
            Format::Half => half::to_f64(bits as u16),
        }
    }
}

/// The components of a packing or unpacking function's result; `None` for other functions. The
/// first component has the least significant bits.
pub(crate) fn function(function: BuiltinFunction, argument: &[Number]) -> Option<Vec<Number>> {
    let format = Format::of(function)?;
    let &[Number::Int(whole)] = argument else {
        let pack = |whole: u32, n: &Number| whole << format.bits() | format.pack(n.float());
        return Some(vec![Number::Int(argument.iter().rev().fold(0, pack).into())]);
    };
    let shifts = (0..32).step_by(format.bits() as usize);
    Some(shifts.map(|shift| Number::Float(format.unpack(whole as u32 >> shift))).collect())
}
