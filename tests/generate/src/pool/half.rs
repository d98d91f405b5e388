//! Operands of the 16-bit suite: values that matter for 16-bit types and for conversions into them,
//! and random ones around them.

use super::kind::{Pool, power};
use crate::format::Format;
use crate::half::Half;
use crate::random::Random;
use crate::value::{Component, Scalar, integer, wrapped};

const ANY: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -3.0,
    0.5,
    -0.0999755859375,
    0.333251953125,
    65504.0,
    -65504.0,
    power(-14),
    -power(-14),
    power(-14) - power(-24),
    power(-24),
    -3.0 * power(-24),
    -513.0 * power(-24),
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.0 + power(-10),
    -1.0 - power(-10),
    1.0 - power(-11),
    2047.0,
    -2050.0,
    1024.0,
    32736.0,
    240.0,
    -255.875,
    0.0078125,
];

const MODERATE: &[f64] =
    &[0.0, 1.0, -1.0, 2.0, -2.5, 0.5, 3.0, -0.125, 1.0 + power(-10), 10.0, -7.0, 0.75];

const UNIT: &[f64] = &[0.0, 1.0, 0.5, 0.25, 0.75, 1.5, -0.5, 1.0 - power(-11), power(-10)];

const ROUNDING: &[f64] = &[
    0.0,
    -0.0,
    0.25,
    -0.25,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    3.5,
    -3.5,
    0.5 - power(-12),
    -0.5 + power(-12),
    0.5 + power(-11),
    1.0 - power(-11),
    -1.0 - power(-10),
    1023.5,
    -1023.5,
    1022.5,
    512.5,
    511.75,
    1025.0,
    2047.0,
    -2050.0,
    65504.0,
    power(-24),
    -power(-24),
    -513.0 * power(-24),
    power(-14),
    f64::INFINITY,
    f64::NEG_INFINITY,
    7.0,
    -8.0,
];

const TO_INTEGER: &[f64] = &[
    0.0,
    -0.0,
    0.5,
    -0.5,
    0.9995117,
    -0.9995117,
    1.0,
    -1.0,
    1.5,
    -2.5,
    power(-24),
    -power(-15),
    2047.0,
    -2047.0,
    1023.5,
    -1023.5,
    32752.0,
    -32768.0,
    127.9375,
    255.875,
    32768.0,
    65504.0,
    -65504.0,
];

const COMPOSITE: &[f64] = &[10.0, -10.0, 9.0, 0.75, -21.0, 7.5, 1.0, 1536.0, 45.0, 105.0];

/// Ties and neighbors of ties, of normal, subnormal and overflowing halves; those 2⁻⁴⁰ off a tie
/// round wrong by way of float.
const TO_HALF: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -2.0,
    0.1,
    1.0 + power(-11),
    1.0 + 3.0 * power(-11),
    -1.0 - power(-11),
    1.0 + power(-11) + power(-40),
    1.0 + 3.0 * power(-11) - power(-40),
    -1.0 - power(-11) - power(-40),
    1.0 + power(-11) + power(-23),
    1.0 + 3.0 * power(-11) - power(-23),
    3.0 + power(-10) + power(-45),
    65504.0,
    -65504.0,
    65519.99,
    65520.0,
    -65520.0,
    65520.0 - power(-30),
    65536.0,
    1e10,
    -1e300,
    f64::MAX,
    power(-14),
    power(-14) - power(-25),
    power(-14) - power(-25) - power(-50),
    power(-24),
    power(-25),
    power(-25) + power(-60),
    -power(-25) - power(-60),
    3.0 * power(-25),
    3.0 * power(-25) - power(-60),
    -1.5 * power(-25),
    11.0 * power(-25) + power(-58),
    1e-30,
    -1e-40,
    1e-300,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

const TO_HALF_INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    -7,
    2047,
    2048,
    2049,
    2050,
    2051,
    -2049,
    -2051,
    4098,
    4099,
    4102,
    8196,
    8204,
    16392,
    16393,
    32767,
    -32768,
    32752,
    32760,
    65503,
    65504,
    65519,
    65520,
    65535,
    65536,
    -65519,
    -65520,
    100_000,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    1 << 40,
    -(1 << 52) - 1,
    i64::MAX,
    i64::MIN,
    123,
    -1234,
];

const INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    -7,
    127,
    128,
    -128,
    -129,
    255,
    256,
    32767,
    32766,
    -32768,
    -32767,
    32768,
    65535,
    65534,
    65536,
    65537,
    -32769,
    -65536,
    0x1234_5678,
    -0x1234_8765,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    0x1_0000_7fff,
    -0x1_0000_8001,
    0x7654_3210_89ab_cdef,
    i64::MAX,
    i64::MIN,
];

/// Zeros, subnormals, normal limits, infinities and NaN in either half of a word.
const HALF_PAIRS: &[u32] = &[
    0x0000_0000,
    0x8000_8000,
    0x3c00_0001,
    0x0001_3c00,
    0x8001_03ff,
    0x03ff_8001,
    0x0400_83ff,
    0x83ff_0400,
    0x7bff_fbff,
    0x7c00_3555,
    0x3555_fc00,
    0xfc00_7c00,
    0x7e00_3c00,
    0x3c00_fe00,
    0x0002_8200,
    0x0155_02aa,
    0xc000_3c01,
    0x3bff_6400,
];

/// The values that matter, for the component types and pools that this suite adds.
pub(super) fn specials(pool: Pool, scalar: Scalar) -> Option<Vec<Component>> {
    let list = match (scalar, pool) {
        (_, Pool::Below(_) | Pool::Scaling) => Vec::new(),
        (Scalar::Int16 | Scalar::Uint16, Pool::Halves) => {
            ANY.iter().map(|&x| wrapped(scalar, Half::from_double(x).word().into())).collect()
        }
        (Scalar::Uint, Pool::Halves) => {
            HALF_PAIRS.iter().map(|&bits| Component::Uint(bits)).collect()
        }
        (Scalar::Half, Pool::Moderate) => halves(MODERATE),
        (Scalar::Half, Pool::Unit) => halves(UNIT),
        (Scalar::Half, Pool::Rounding) => halves(ROUNDING),
        (Scalar::Half, Pool::ToInt | Pool::ToUint | Pool::ToInt16 | Pool::ToUint16) => {
            halves(TO_INTEGER)
        }
        (Scalar::Half, Pool::Composite) => halves(COMPOSITE),
        (Scalar::Half, Pool::Wide | Pool::Small | Pool::Divisor) => Vec::new(),
        (Scalar::Half, _) => halves(ANY),
        (Scalar::Double, Pool::ToHalf) => TO_HALF.iter().map(|&x| Component::Double(x)).collect(),
        (Scalar::Float, Pool::ToHalf) => {
            TO_HALF.iter().map(|&x| Component::Float(x as f32)).collect()
        }
        (Scalar::Double, Pool::ToInt16 | Pool::ToUint16) => {
            TO_INTEGER.iter().map(|&x| Component::Double(x)).collect()
        }
        (Scalar::Float, Pool::ToInt16 | Pool::ToUint16) => {
            TO_INTEGER.iter().map(|&x| Component::Float(x as f32)).collect()
        }
        (_, Pool::ToHalf) => integers(scalar, TO_HALF_INTEGERS),
        (Scalar::Int16 | Scalar::Uint16 | Scalar::Int64 | Scalar::Uint64, _) => {
            integers(scalar, INTEGERS)
        }
        (Scalar::Int | Scalar::Uint, Pool::Narrow) => integers(scalar, INTEGERS),
        _ => return None,
    };
    Some(list)
}

fn halves(list: &[f64]) -> Vec<Component> {
    list.iter().map(|&x| Component::Half(Half::from_double(x))).collect()
}

/// The numbers that fit the type.
fn integers(scalar: Scalar, list: &[i64]) -> Vec<Component> {
    list.iter().filter_map(|&n| integer(scalar, n)).collect()
}

/// A random operand, for the component types and pools that this suite adds.
pub(super) fn random(pool: Pool, scalar: Scalar, random: &mut Random) -> Option<Component> {
    let bits = |random: &mut Random, width: usize| random.bits() >> random.below(width);
    Some(match (scalar, pool) {
        (Scalar::Half, _) => Component::Half(half(pool, random)),
        (Scalar::Double, Pool::ToHalf) => Component::Double(near_half(random)),
        (Scalar::Float, Pool::ToHalf) => Component::Float(near_half(random) as f32),
        (Scalar::Double, Pool::ToInt16 | Pool::ToUint16) => {
            Component::Double(random.double((-2, 15)))
        }
        (Scalar::Float, Pool::ToInt16 | Pool::ToUint16) => {
            Component::Float(random.double((-2, 15)) as f32)
        }
        (Scalar::Int | Scalar::Int16, Pool::Scaling) => {
            integer(scalar, random.between(-45, 40).into())?
        }
        (Scalar::Int16 | Scalar::Uint16 | Scalar::Int64 | Scalar::Uint64, Pool::Below(n)) => {
            wrapped(scalar, random.below(n.into()) as u64)
        }
        (Scalar::Uint, Pool::Halves) => Component::Uint(random.bits() as u32),
        (Scalar::Int | Scalar::Uint, Pool::ToHalf | Pool::Narrow) => {
            let bits = bits(random, 64);
            wrapped(scalar, if random.chance(50) { bits } else { bits & 0x1_ffff })
        }
        (Scalar::Int16 | Scalar::Uint16, Pool::Small) => {
            wrapped(scalar, 1 + random.below(8) as u64)
        }
        (Scalar::Int16 | Scalar::Uint16, _) => {
            let width = 1 + random.below(16);
            let value = random.bits() & ((1 << width) - 1);
            wrapped(scalar, if random.chance(50) { value } else { value.wrapping_neg() })
        }
        (Scalar::Int64 | Scalar::Uint64, _) => {
            let value = bits(random, 63);
            wrapped(scalar, if random.chance(50) { value } else { value.wrapping_neg() })
        }
        _ => return None,
    })
}

fn half(pool: Pool, random: &mut Random) -> Half {
    let within =
        |random: &mut Random, low: i32, high: i32| Half::from_double(random.double((low, high)));
    match pool {
        Pool::Moderate => within(random, -3, 3),
        Pool::Wide => within(random, -4, 2),
        Pool::Unit => within(random, -6, -1).magnitude(),
        Pool::Small => Half::from_double(random.between(-8, 8).into()),
        Pool::Rounding => within(random, -3, 11),
        Pool::ToInt => within(random, -2, 14),
        Pool::ToInt16 => within(random, -2, 13),
        Pool::ToUint | Pool::ToUint16 => within(random, -2, 14).magnitude(),
        Pool::Composite => {
            let odd = |random: &mut Random| f64::from(2 * random.between(0, 15) + 1);
            let product = odd(random) * odd(random) * power(random.between(-3, 4));
            Half::from_double(if random.chance(30) { -product } else { product })
        }
        Pool::Divisor => within(random, -2, 4),
        // Any bits but those of NaN and infinities, or near 1.
        _ if random.chance(50) => within(random, -5, 5),
        _ => Half::new((random.below(0x7c00) as u16) | (random.bits() as u16 & 0x8000)),
    }
}

/// A number near a half, a middle of two halves, or one of the doubles next to either.
fn near_half(random: &mut Random) -> f64 {
    let half = Half::new(random.below(0x7c00) as u16);
    let x = match random.below(3) {
        0 => half.value() + (half.successor().value() - half.value()) / 2.0,
        1 => half.value(),
        _ => random.double((-26, 17)),
    };
    let x = if x.is_finite() { x } else { 65520.0 };
    let x = match random.below(4) {
        0 => x.next_up(),
        1 => x.next_down(),
        2 => x + x * power(-30),
        _ => x,
    };
    if random.chance(50) { x } else { -x }
}

/// True if [`related`] supports the type.
pub(super) fn has_related(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Half | Scalar::Int16 | Scalar::Uint16)
}

/// The operand itself, its negative or a neighbor, for 16-bit types.
pub(super) fn related(random: &mut Random, x: Component) -> Component {
    let choice = random.below(5);
    let integer = |n: u64| match choice {
        0 | 1 => n,
        2 => n.wrapping_neg(),
        3 => n.wrapping_add(1),
        _ => n.wrapping_sub(1),
    };
    match x {
        Component::Half(x) => Component::Half(match choice {
            0 | 1 => x,
            2 => x.negated(),
            _ if !x.is_finite() => x,
            3 => x.successor(),
            _ => x.predecessor(),
        }),
        Component::Int16(n) => wrapped(Scalar::Int16, integer(n as u64)),
        Component::Uint16(n) => wrapped(Scalar::Uint16, integer(n.into())),
        other => panic!("{other:?} has more than 16 bits"),
    }
}

/// A divisor without remainder of the first operand, where there is one.
pub(super) fn divisor(random: &mut Random, x: Half) -> Half {
    let start = random.below(15);
    let exact = (0..15).map(|i| f64::from(2 * (((start + i) % 15) as u32) + 3)).find_map(|k| {
        let quotient = Half::from_double(x.value() / k);
        // A product of 11 and 5 bits is exact in a double.
        (quotient.is_finite() && !quotient.is_zero() && quotient.value() * k == x.value())
            .then_some(quotient)
    });
    match exact {
        Some(value) if random.chance(60) => value,
        _ => half(Pool::Divisor, random),
    }
}
