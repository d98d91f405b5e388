//! Sources of operands: lists of values that matter for an operation, and random ones around them.

mod half;
mod kind;

pub use kind::{Pool, power};

use crate::format::Format;
use crate::random::Random;
use crate::real::Real;
use crate::value::{Component, Scalar};

const ANY: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -3.0,
    0.5,
    -0.1,
    1.0 / 3.0,
    1e300,
    -1e300,
    1e-300,
    -1e-300,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -2.5e-310,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.0 + power(-40),
    -1.0 - power(-52),
    9007199254740991.0,
    9007199254740994.0,
    16777217.0,
    3.4028234663852886e38,
    -1e39,
    1e-46,
];

const MODERATE: &[f64] =
    &[0.0, 1.0, -1.0, 2.0, -2.5, 0.5, 3.0, -0.125, 1.0 + power(-40), 10.0, -7.0, 0.1];

const UNIT: &[f64] = &[0.0, 1.0, 0.5, 0.25, 0.1, 0.75, 1.5, -0.5, 1.0 - power(-53), power(-40)];

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
    0.5 - power(-54),
    -0.5 + power(-54),
    0.5 + power(-53),
    1.0 - power(-53),
    -1.0 - power(-52),
    4503599627370495.5,
    -4503599627370495.5,
    4503599627370494.5,
    2251799813685248.5,
    2251799813685248.0 - 0.25,
    4503599627370496.0,
    4503599627370497.0,
    9007199254740991.0,
    -9007199254740994.0,
    2147483647.5,
    -2147483648.5,
    2147483648.5,
    4294967295.5,
    4294967296.5,
    8388607.5,
    16777216.5,
    9223372036854775808.0,
    1e300,
    -1e300,
    1e-300,
    -1e-300,
    5e-324,
    -2.5e-310,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    7.0,
    -8.0,
];

const TO_INT: &[f64] = &[
    0.0,
    -0.0,
    0.5,
    -0.5,
    0.999999999999,
    -0.999999999999,
    1.0,
    -1.0,
    1.5,
    -2.5,
    1e-300,
    -5e-324,
    2147483647.0,
    2147483646.5,
    2147483647.999,
    -2147483648.0,
    -2147483648.999,
    -2147483647.5,
    16777217.0,
    -16777217.75,
    1073741824.5,
];

const TO_UINT: &[f64] = &[
    0.0,
    0.5,
    0.999999999999,
    1.0,
    1.5,
    2.5,
    1e-300,
    5e-324,
    2147483647.0,
    2147483648.0,
    2147483648.5,
    4294967295.0,
    4294967295.999,
    4294967294.5,
    16777217.75,
    3000000000.25,
];

const TO_FLOAT: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -2.0,
    0.1,
    1.0 + power(-24),
    1.0 + 3.0 * power(-24),
    -1.0 - power(-24),
    1.0 + power(-24) + power(-50),
    1.0 + power(-24) - power(-50),
    16777217.0,
    16777219.0,
    -16777217.5,
    3.4028234663852886e38,
    -3.4028234663852886e38,
    3.4028235677973366e38,
    3.4028235677973362e38,
    -3.4028235677973366e38,
    1e300,
    -1e300,
    f64::MAX,
    1e-300,
    -1e-300,
    power(-126),
    power(-126) - power(-151),
    power(-149),
    power(-150),
    1.5 * power(-150),
    -1e-40,
    3.0 * power(-150),
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

const COMPOSITE: &[f64] = &[10.0, -10.0, 10.6, 9.0, 0.75, 3.3, -21.0, 1e15, 7.5, 1.0];

const EXPONENTS: &[i32] = &[0, 1, -1, 2, 10, -10, 100, -100, 1000, -1000, 1023, -1022, 52, -52];

const LIMITS: &[f64] =
    &[0.0, -0.0, 5e-324, -5e-324, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, -2.5e-310];

const EDGE: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    f64::MIN_POSITIVE * (1.0 + f64::EPSILON),
    1.0 - power(-53),
    -1.0 - power(-52),
    power(1023),
    -power(-1021),
];

const EDGE_EXPONENTS: &[i32] = &[
    0,
    1,
    -1,
    1023,
    1024,
    -1021,
    -1022,
    -1023,
    -1024,
    -1073,
    -1074,
    -1075,
    -2045,
    -2046,
    -2098,
    -2099,
    -5000,
    i32::MIN,
    i32::MIN + 1,
    -65536,
];

/// Exponents around which `Limits` draws: significand of a float, `int`, `uint`, significand of a
/// double, 64-bit integers.
const LIMIT_EXPONENTS: &[i32] = &[0, 23, 24, 30, 31, 32, 51, 52, 53, 54, 63];

const INTS: &[i32] =
    &[0, 1, -1, 2, -7, i32::MAX, i32::MIN, i32::MAX - 1, 16777217, -16777217, 123456789];

const UINTS: &[u32] = &[
    0,
    1,
    2,
    7,
    u32::MAX,
    u32::MAX - 1,
    1 << 31,
    (1 << 31) - 1,
    16777217,
    4000000001,
    0xdead_beef,
];

const FLOATS: &[f32] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    -2.5,
    16777216.0,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-40,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1.0 + f32::EPSILON,
    1e-30,
    -1e30,
];

const UNIT_FLOATS: &[f32] = &[0.5, 1.0, 0.75, 1.5, 0.25, 0.1, 1.0 - f32::EPSILON, 0.0];

/// Source of the operands of one argument of one test: the listed values in random order, with
/// random ones in between.
pub struct OperandSource {
    pool: Pool,
    scalar: Scalar,
    specials: Vec<Component>,
    next: usize,
    /// Band of exponents, for `Wide`.
    band: i32,
}

impl OperandSource {
    /// The source for an argument of this component type.
    pub fn new(pool: Pool, scalar: Scalar) -> OperandSource {
        OperandSource { pool, scalar, specials: specials(pool, scalar), next: usize::MAX, band: 0 }
    }

    /// Starts the next vector.
    pub fn start(&mut self, random: &mut Random) {
        self.band = random.between(-250, 250);
    }

    /// An operand; `first` is the same component of the first argument, where there is one.
    pub fn draw(&mut self, random: &mut Random, first: Option<Component>) -> Component {
        if let (Pool::Related, Some(Component::Double(x))) = (self.pool, first)
            && random.chance(30)
        {
            return Component::Double(related(random, x));
        }
        if let (Pool::Related, Some(first)) = (self.pool, first)
            && first.scalar() == self.scalar
            && half::has_related(self.scalar)
            && random.chance(30)
        {
            return half::related(random, first);
        }
        if let (Pool::Multiple, Some(Component::Double(x))) = (self.pool, first) {
            return Component::Double(multiple(random, x));
        }
        if let (Pool::Divisor, Some(Component::Double(x))) = (self.pool, first) {
            return Component::Double(divisor(random, x));
        }
        if let (Pool::Divisor, Some(Component::Half(x))) = (self.pool, first) {
            return Component::Half(half::divisor(random, x));
        }
        if !self.specials.is_empty() && random.chance(60) {
            return self.special(random);
        }
        self.random(random)
    }

    fn special(&mut self, random: &mut Random) -> Component {
        if self.next >= self.specials.len() {
            random.shuffle(&mut self.specials);
            self.next = 0;
        }
        self.next += 1;
        self.specials[self.next - 1]
    }

    fn random(&self, random: &mut Random) -> Component {
        if let Some(operand) = half::random(self.pool, self.scalar, random) {
            return operand;
        }
        match self.scalar {
            Scalar::Double => Component::Double(self.random_double(random)),
            Scalar::Float => Component::Float(match self.pool {
                Pool::Unit => random_float(random, (121, 126)).abs(),
                Pool::Small => random.between(-8, 8) as f32,
                _ if random.chance(50) => random_float(random, (107, 147)),
                _ => random_float(random, (1, 254)),
            }),
            Scalar::Int => Component::Int(match self.pool {
                Pool::Below(n) => random.below(n.into()) as i32,
                Pool::Exponent => random.between(-1021, 1023),
                Pool::Edge => random.between(-2200, 1024),
                _ => random.bits() as i32 >> random.below(31),
            }),
            Scalar::Uint => Component::Uint(match self.pool {
                Pool::Below(n) => random.below(n.into()) as u32,
                _ => random.bits() as u32 >> random.below(31),
            }),
            Scalar::Bool => Component::Bool(random.chance(50)),
            other => panic!("{other:?} has operands of its own"),
        }
    }

    fn random_double(&self, random: &mut Random) -> f64 {
        match self.pool {
            Pool::Moderate => random.double((-8, 8)),
            Pool::Wide => random.double((self.band - 3, self.band + 3)),
            Pool::Unit => random.double((-6, -1)).magnitude(),
            Pool::Small => f64::from(random.between(-8, 8)),
            Pool::Rounding => random.double((-3, 54)),
            Pool::ToInt => random.double((-2, 30)),
            Pool::ToUint => random.double((-2, 31)).magnitude(),
            Pool::ToFloat if random.chance(50) => random.double((-128, 126)),
            Pool::Composite => composite(random),
            Pool::Short => short(random),
            Pool::Coarse => random.double((60, 300)),
            Pool::Limits => limit(random),
            Pool::Edge => edge(random),
            _ if random.chance(50) => random.double((-20, 20)),
            _ => random.double((-1022, 1023)),
        }
    }
}

fn specials(pool: Pool, scalar: Scalar) -> Vec<Component> {
    if let Some(list) = half::specials(pool, scalar) {
        return list;
    }
    let doubles = |list: &[f64]| list.iter().map(|&x| Component::Double(x)).collect();
    let integers = |list: &[i32]| list.iter().map(|&x| Component::Int(x)).collect();
    match (scalar, pool) {
        (Scalar::Double, Pool::Moderate) => doubles(MODERATE),
        (Scalar::Double, Pool::Unit) => doubles(UNIT),
        (Scalar::Double, Pool::Rounding) => doubles(ROUNDING),
        (Scalar::Double, Pool::ToInt) => doubles(TO_INT),
        (Scalar::Double, Pool::ToUint) => doubles(TO_UINT),
        (Scalar::Double, Pool::ToFloat) => doubles(TO_FLOAT),
        (Scalar::Double, Pool::Composite) => doubles(COMPOSITE),
        (Scalar::Double, Pool::Wide | Pool::Small | Pool::Divisor | Pool::Short | Pool::Coarse) => {
            Vec::new()
        }
        (Scalar::Double, Pool::Multiple) => Vec::new(),
        (Scalar::Double, Pool::Limits) => doubles(LIMITS),
        (Scalar::Double, Pool::Edge) => doubles(EDGE),
        (Scalar::Double, _) => doubles(ANY),
        (Scalar::Int, Pool::Exponent) => integers(EXPONENTS),
        (Scalar::Int, Pool::Edge) => integers(EDGE_EXPONENTS),
        (Scalar::Int | Scalar::Uint, Pool::Below(_)) => Vec::new(),
        (Scalar::Int, _) => integers(INTS),
        (Scalar::Uint, _) => UINTS.iter().map(|&x| Component::Uint(x)).collect(),
        (Scalar::Float, Pool::Unit) => UNIT_FLOATS.iter().map(|&x| Component::Float(x)).collect(),
        (Scalar::Float, Pool::Small) => Vec::new(),
        (Scalar::Float, _) => FLOATS.iter().map(|&x| Component::Float(x)).collect(),
        _ => Vec::new(),
    }
}

/// The value itself, its negative or one of its neighbors.
fn related(random: &mut Random, x: f64) -> f64 {
    match random.below(5) {
        0 | 1 => x,
        2 => x.negated(),
        3 => x.next_up(),
        _ => x.next_down(),
    }
}

/// ± k · m · 2ᵉ, k odd and small.
fn composite(random: &mut Random) -> f64 {
    let odd = i64::from(2 * random.between(1, 499) + 1) * i64::from(2 * random.between(1, 499) + 1);
    let significand = odd * (1 + random.below(1 << 20) as i64);
    let value = f64::nearest(&Real::integer(significand).scaled(random.between(-60, 20)), false);
    sign(random, value)
}

/// m · 2ᵉ, m odd and below 2³⁰.
fn short(random: &mut Random) -> f64 {
    let significand = (random.bits() >> 34) as i64 | 1;
    let value = Real::integer(significand).scaled(random.between(-500, 500));
    sign(random, f64::nearest(&value, false))
}

/// k · x, k from 1 to 2²²; exact for an x of up to 31 significant bits.
fn multiple(random: &mut Random, x: f64) -> f64 {
    let bits = random.between(4, 22);
    let factor = Real::integer(1 + random.below(1 << bits) as i64);
    sign(random, f64::nearest(&x.real().mul(&factor), false))
}

/// ±2ⁿ and numbers up to six quarters, or one representable number, away from it.
fn limit(random: &mut Random) -> f64 {
    let exponent = LIMIT_EXPONENTS[random.below(LIMIT_EXPONENTS.len())];
    let center = power(exponent);
    let value = match random.below(4) {
        0 => center.next_down(),
        1 => center.next_up(),
        _ => {
            let quarters = Real::integer(random.between(-6, 6).into()).scaled(-2);
            f64::nearest(&center.real().add(&quarters), false)
        }
    };
    sign(random, value)
}

/// A power of two, or a neighbor of one.
fn edge(random: &mut Random) -> f64 {
    let center = power(random.between(-1021, 1023));
    let value = match random.below(3) {
        0 => center,
        1 => center.next_down(),
        _ => center.next_up(),
    };
    sign(random, value)
}

/// x or −x.
fn sign(random: &mut Random, x: f64) -> f64 {
    if random.chance(30) { x.negated() } else { x }
}

/// x / k for an odd k that leaves no remainder, with either sign; when no k is found, x scaled down
/// with other fraction bits.
fn divisor(random: &mut Random, x: f64) -> f64 {
    if !x.is_normal() {
        return random.double((-8, 8));
    }
    let start = random.below(500);
    let exact =
        (0..500).map(|i| 2 * ((start + i) % 500) as i64 + 1).filter(|&k| k > 1).find_map(|k| {
            let quotient = Real::from_f64(x).div(&Real::integer(k));
            let rounded = f64::nearest(&quotient, false);
            Real::from_f64(rounded).sub(&quotient).is_zero().then_some(rounded)
        });
    let magnitude = match exact {
        Some(value) if random.chance(60) => value,
        _ => {
            let exponent = Real::from_f64(x).exponent();
            random.double(((exponent - 20).max(-1000), (exponent + 3).max(-997)))
        }
    };
    sign(random, magnitude)
}

/// A normal float with a biased exponent in the range.
fn random_float(random: &mut Random, exponents: (i32, i32)) -> f32 {
    let bits = random.bits() as u32;
    let exponent = random.between(exponents.0, exponents.1);
    f32::from_bits(bits & 0x807f_ffff | (exponent as u32) << 23)
}
