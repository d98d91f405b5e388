//! Types, values and comparisons of the operations under test.

use super::operations::Domain;
use super::random::Rng;
use vocabulary::half;

/// A scalar, vector or matrix type; `columns` is 1 for the former two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ty {
    /// `F`, `D`, `H` (half), `I`, `U`, `L` and `M` (64-bit integers), `S` and `T` (16-bit ones),
    /// `B` or `V` (nothing).
    pub scalar: char,
    /// Columns of a matrix.
    pub columns: usize,
    /// Components of a column.
    pub rows: usize,
}

impl Ty {
    /// Number of components.
    pub(crate) fn components(self) -> usize {
        if self.scalar == 'V' { 0 } else { self.columns * self.rows }
    }

    /// Returns true if components have 64 bits.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self.scalar, 'D' | 'L' | 'M')
    }

    /// Bytes of a component in memory.
    pub(crate) fn bytes(self) -> usize {
        match self.scalar {
            'H' | 'S' | 'T' => 2,
            _ if self.is_wide() => 8,
            _ => 4,
        }
    }

    /// Dwords of a value.
    pub(crate) fn dwords(self) -> usize {
        self.components() * if self.is_wide() { 2 } else { 1 }
    }

    /// The GLSL name.
    pub(crate) fn name(self) -> String {
        let (scalar, prefix) = match self.scalar {
            'F' => ("float", ""),
            'D' => ("double", "d"),
            'I' => ("int", "i"),
            'U' => ("uint", "u"),
            'B' => ("bool", "b"),
            'H' => ("float16_t", "f16"),
            'S' => ("int16_t", "i16"),
            'T' => ("uint16_t", "u16"),
            'L' => ("int64_t", "i64"),
            'M' => ("uint64_t", "u64"),
            _ => ("void", ""),
        };
        match (self.columns, self.rows) {
            (1, 1) => scalar.to_string(),
            (1, n) => format!("{prefix}vec{n}"),
            (c, r) => format!("{prefix}mat{c}x{r}"),
        }
    }

    /// GLSL for a component of a variable.
    pub(crate) fn component(self, variable: &str, index: usize) -> String {
        match (self.columns, self.rows) {
            (1, 1) => variable.to_string(),
            (1, _) => format!("{variable}[{index}]"),
            (_, r) => format!("{variable}[{}][{}]", index / r, index % r),
        }
    }

    /// GLSL for the `uint`s that hold a value's bits.
    pub(crate) fn raw(self, variable: &str) -> Vec<String> {
        let dwords = (0..self.components()).map(|i| {
            let x = self.component(variable, i);
            match self.scalar {
                'F' => vec![format!("floatBitsToUint({x})")],
                'D' => vec![format!("unpackDouble2x32({x}).x"), format!("unpackDouble2x32({x}).y")],
                'H' => vec![format!("uint(float16BitsToUint16({x}))")],
                'L' | 'M' => {
                    ["x", "y"].map(|half| format!("unpackUint2x32(uint64_t({x})).{half}")).to_vec()
                }
                _ => vec![format!("uint({x})")],
            }
        });
        dwords.flatten().collect()
    }

    /// A random value, one pattern per component.
    pub(crate) fn random(self, rng: &mut Rng, domain: Domain) -> Vec<u64> {
        (0..self.components())
            .map(|i| {
                let diagonal = i / self.rows == i % self.rows;
                component(self.scalar, rng, domain, diagonal)
            })
            .collect()
    }
}

/// A random component.
fn component(scalar: char, rng: &mut Rng, domain: Domain, diagonal: bool) -> u64 {
    let any = domain == Domain::Any;
    match scalar {
        'F' if any => rng.float().into(),
        'D' if any => rng.double(),
        'F' => ((real(rng, domain, diagonal) as f32).to_bits()).into(),
        'D' => real(rng, domain, diagonal).to_bits(),
        'H' if any => rng.half().into(),
        'H' => half::from_f32(real(rng, domain, diagonal) as f32).into(),
        'S' | 'T' => short(rng, domain).into(),
        'L' | 'M' => rng.integer(64),
        'B' => (rng.bits() & 1).into(),
        _ => integer(rng, domain).into(),
    }
}

fn integer(rng: &mut Rng, domain: Domain) -> u32 {
    match domain {
        Domain::Small => rng.bits() % 17,
        Domain::Shift => rng.bits() % 32,
        Domain::Natural => rng.int() & 0x7fff_ffff,
        Domain::Exponent => {
            (rng.pick(&[10, 30, 140, 300, 1100, 2200]) as f64 * rng.moderate() / 64.0) as i32 as u32
        }
        Domain::Divisor => match rng.int() {
            0 | u32::MAX => 3,
            n => n,
        },
        _ => rng.int(),
    }
}

fn short(rng: &mut Rng, domain: Domain) -> u16 {
    match domain {
        Domain::Shift => rng.bits() as u16 % 16,
        Domain::Natural => rng.integer(16) as u16 & 0x7fff,
        Domain::Divisor => match rng.integer(16) as u16 {
            0 | u16::MAX => 3,
            n => n,
        },
        Domain::Small | Domain::Exponent => integer(rng, domain) as u16,
        _ => rng.integer(16) as u16,
    }
}

fn real(rng: &mut Rng, domain: Domain, diagonal: bool) -> f64 {
    let unit = f64::from(rng.bits()) / f64::from(u32::MAX) * 2.0 - 1.0;
    match domain {
        Domain::Unit => unit,
        Domain::Positive => rng.moderate().abs() + 1.0,
        Domain::Dominant if diagonal => (6.0 + unit).copysign(rng.moderate()),
        Domain::Dominant => unit,
        Domain::IntRange => match rng.below(3) {
            0 => unit * 2_147_483_500.0,
            _ => rng.moderate() * 8.0,
        },
        Domain::UintRange => match rng.below(3) {
            0 => unit.abs() * 4_294_967_000.0,
            _ => rng.moderate().abs() * 8.0,
        },
        Domain::Eighty => unit * 80.0,
        _ => rng.moderate(),
    }
}

/// How far a result may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// Not at all.
    Exact,
    /// Units in the last place.
    Ulps(u64),
    /// Precision left open.
    Open,
    /// GLSL 4.60 section 4.7.1, exp and exp2: (3 + 2·|x|) units, for the largest operand.
    Exp,
    /// GLSL 4.60 section 4.7.1, log and log2: 3 units, 2⁻²¹ near 1.
    Log,
    /// 16 units of the largest operand's power.
    Sum(i32),
    /// Normalized fields of so many bits, each within one step: the product before rounding is
    /// itself rounded.
    Fields(u32),
}

impl Rule {
    /// By name.
    pub(crate) fn parse(text: &str) -> Rule {
        match text {
            "exact" => Rule::Exact,
            "abs" => Rule::Open,
            "exp" => Rule::Exp,
            "log" => Rule::Log,
            "fields8" => Rule::Fields(8),
            "fields16" => Rule::Fields(16),
            _ => match text.strip_prefix("sum") {
                Some(n) => Rule::Sum(n.parse().expect("a degree")),
                None => Rule::Ulps(text.parse().expect("a rule")),
            },
        }
    }

    /// Returns true if `actual` is close enough to `expected`, both 64-bit patterns of `scalar`;
    /// `largest` is the largest magnitude among the operands.
    pub(crate) fn holds(self, scalar: char, expected: u64, actual: u64, largest: f64) -> bool {
        match scalar {
            'F' => {
                let (x, y) = (flushed(expected), flushed(actual));
                self.near(
                    x.into(),
                    y.into(),
                    ordered32(x).abs_diff(ordered32(y)),
                    f32::EPSILON.into(),
                    largest,
                ) && (self != Rule::Exact || x.is_nan() || x.to_bits() == y.to_bits())
            }
            'D' => {
                let (x, y) = (f64::from_bits(expected), f64::from_bits(actual));
                self.near(x, y, ordered64(x).abs_diff(ordered64(y)), f64::EPSILON, largest)
                    && (self != Rule::Exact || x.is_nan() || expected == actual)
            }
            'H' => self.near_half(expected as u16, actual as u16, largest),
            _ => match self {
                Rule::Fields(bits) => (0..32 / bits).all(|i| {
                    // Signed or not, neighbors differ by one modulo the field's range.
                    let field = |x: u64| (x >> (i * bits)) as i64;
                    let step = (field(expected) - field(actual)) & ((1 << bits) - 1);
                    step <= 1 || step == (1 << bits) - 1
                }),
                _ => expected == actual,
            },
        }
    }

    /// Halves: inexact functions compute in singles and round once more, so that they are one unit
    /// off at most, or what singles are.
    fn near_half(self, expected: u16, actual: u16, largest: f64) -> bool {
        let (x, y) = (half::to_f32(expected), half::to_f32(actual));
        if x.is_nan() || y.is_nan() {
            return x.is_nan() && y.is_nan();
        }
        let off = f64::from((x - y).abs());
        let single = match self {
            Rule::Open => 2f64.powi(-11),
            Rule::Log => 2f64.powi(-21),
            Rule::Sum(n) => 16.0 * f64::from(f32::EPSILON) * largest.max(1.0).powi(n),
            _ => 0.0,
        };
        expected == actual
            || self != Rule::Exact
                && (ordered16(expected).abs_diff(ordered16(actual)) <= 1 || off <= single)
    }

    fn near(self, x: f64, y: f64, ulps: u64, epsilon: f64, largest: f64) -> bool {
        if x.is_nan() || y.is_nan() {
            return x.is_nan() && y.is_nan();
        }
        let off = (x - y).abs();
        // Flushing may come before or after rounding.
        let tiny =
            epsilon == f64::from(f32::EPSILON) && x.abs().max(y.abs()) <= f32::MIN_POSITIVE.into();
        tiny || ulps
            <= match self {
                Rule::Exact | Rule::Fields(_) => 0,
                Rule::Ulps(n) => n.max(16),
                Rule::Open => 4096,
                // Beyond 104 the result is infinite or 0.
                Rule::Exp => 3 + 2 * largest.min(104.0) as u64,
                Rule::Log | Rule::Sum(_) => 16,
            }
            || match self {
                Rule::Open => off <= 2f64.powi(-11),
                Rule::Log => off <= 2f64.powi(-21),
                Rule::Sum(n) => off <= 16.0 * epsilon * largest.max(1.0).powi(n),
                _ => false,
            }
    }
}

/// A `float` whose subnormals count as zero.
fn flushed(bits: u64) -> f32 {
    let x = f32::from_bits(bits as u32);
    if x.is_subnormal() { 0.0f32.copysign(x) } else { x }
}

fn ordered16(bits: u16) -> i64 {
    let magnitude = i64::from(bits & 0x7fff);
    if bits >> 15 != 0 { -magnitude } else { magnitude }
}

fn ordered32(x: f32) -> i64 {
    let magnitude = i64::from(x.to_bits() & 0x7fff_ffff);
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

fn ordered64(x: f64) -> i64 {
    let magnitude = (x.to_bits() & i64::MAX as u64) as i64;
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// The same bits, apart from the payload of NaN and what a flushed subnormal leaves.
pub(crate) fn identical(scalar: char, a: u64, b: u64) -> bool {
    a == b || Rule::Exact.holds(scalar, a, b, 0.0)
}
