//! Constant values of functions on the components of integers: GLSL 4.60 section 8.8 and
//! INTEL_shader_integer_functions2.

use program::{BuiltinFunction, Scalar};

/// The value of a function of one integer.
pub(crate) fn of_one(function: BuiltinFunction, x: i128, source: Scalar) -> Option<i128> {
    use BuiltinFunction as F;
    let bits = x as u32;
    let found = |i: u32| if i >= 32 { -1 } else { i128::from(i) };
    Some(match function {
        F::BitCount => bits.count_ones().into(),
        F::FindLsb => found(bits.trailing_zeros()),
        F::FindMsb => {
            let bits = if source == Scalar::Int && (bits as i32) < 0 { !bits } else { bits };
            found(31u32.wrapping_sub(bits.leading_zeros()))
        }
        F::BitfieldReverse => bits.reverse_bits().into(),
        F::CountLeadingZeros => bits.leading_zeros().into(),
        F::CountTrailingZeros => bits.trailing_zeros().into(),
        F::Abs => x.wrapping_abs(),
        F::Sign => x.signum(),
        _ => return None,
    })
}

/// The value of a function of two integers.
pub(crate) fn of_two(function: BuiltinFunction, x: i128, y: i128, source: Scalar) -> Option<i128> {
    use BuiltinFunction as F;
    Some(match function {
        F::Min => x.min(y),
        F::Max => x.max(y),
        F::AbsoluteDifference => (x - y).abs(),
        F::AddSaturate => saturate(x + y, source),
        F::SubtractSaturate => saturate(x - y, source),
        // A shift rounds toward negative infinity.
        F::Average => (x + y) >> 1,
        F::AverageRounded => (x + y + 1) >> 1,
        F::Multiply32x16 if source == Scalar::Int => x * i128::from(y as i16),
        F::Multiply32x16 => x * i128::from(y as u16),
        _ => return None,
    })
}

/// The nearest value of a type.
fn saturate(value: i128, scalar: Scalar) -> i128 {
    let bits = scalar.bits();
    let (least, most) = match scalar {
        Scalar::Uint | Scalar::Uint16 | Scalar::Uint64 => (0, (1 << bits) - 1),
        _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    };
    value.clamp(least, most)
}
