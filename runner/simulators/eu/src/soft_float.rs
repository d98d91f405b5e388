//! Exact binary floating-point arithmetic on bit patterns, in every rounding mode.
//!
//! The execution unit rounds as `cr0` says; the host's arithmetic only rounds to nearest.
//! Everything here works on integers: unpack, compute exactly (or with a sticky bit far below the
//! precision), round once. It serves all half-float arithmetic, all directed rounding modes and the
//! generic path of the fast ones, and is checked against the host's arithmetic where that rounds
//! the same way.

/// Rounding mode, as numbered in `cr0.0` bits 5:4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    Even,
    /// Toward +infinity.
    Up,
    /// Toward −infinity.
    Down,
    /// Toward zero.
    Zero,
}

/// An IEEE 754 binary interchange format with at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Width of the exponent field.
    exp_bits: u32,
    /// Width of the stored significand.
    mant_bits: u32,
}

/// binary16.
pub const HF: Format = Format { exp_bits: 5, mant_bits: 10 };
/// binary32.
pub const F: Format = Format { exp_bits: 8, mant_bits: 23 };
/// binary64.
pub const DF: Format = Format { exp_bits: 11, mant_bits: 52 };

impl Format {
    /// The sign bit.
    pub const fn sign(self) -> u64 {
        1 << (self.exp_bits + self.mant_bits)
    }
    /// The bit pattern of +infinity, also the mask of the exponent field.
    pub const fn inf(self) -> u64 {
        ((1 << self.exp_bits) - 1) << self.mant_bits
    }
    /// The mask of the stored significand.
    pub const fn mant(self) -> u64 {
        (1 << self.mant_bits) - 1
    }
    /// The default quiet NaN: the result of every arithmetic operation that yields a NaN.
    pub const fn nan(self) -> u64 {
        self.inf() | 1 << (self.mant_bits - 1)
    }
    /// The bit pattern of 1.0.
    pub const fn one(self) -> u64 {
        ((1 << (self.exp_bits - 1)) - 1) << self.mant_bits
    }
    const fn bias(self) -> i32 {
        (1 << (self.exp_bits - 1)) - 1
    }
    /// Returns whether `bits` is a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.inf()
    }
    /// Returns whether `bits` is +0 or −0.
    pub const fn is_zero(self, bits: u64) -> bool {
        bits & (self.sign() - 1) == 0
    }
    /// Returns whether `bits` is a non-zero subnormal.
    pub const fn is_subnormal(self, bits: u64) -> bool {
        bits & self.inf() == 0 && bits & self.mant() != 0
    }
    /// A subnormal becomes a zero of the same sign.
    pub const fn flush(self, bits: u64) -> u64 {
        if bits & self.inf() == 0 { bits & self.sign() } else { bits }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Zero,
    Finite,
    Infinite,
    Nan,
}

/// `(−1)^sign · mant · 2^exp`.
#[derive(Clone, Copy)]
struct Unpacked {
    class: Class,
    sign: bool,
    mant: u128,
    exp: i32,
}

fn unpack(fmt: Format, bits: u64) -> Unpacked {
    let sign = bits & fmt.sign() != 0;
    let field = ((bits & fmt.inf()) >> fmt.mant_bits) as i32;
    let fraction = u128::from(bits & fmt.mant());
    let smallest = 1 - fmt.bias() - fmt.mant_bits as i32;
    let (class, mant, exp) = if fmt.is_nan(bits) {
        (Class::Nan, 0, 0)
    } else if bits & (fmt.sign() - 1) == fmt.inf() {
        (Class::Infinite, 0, 0)
    } else if fmt.is_zero(bits) {
        (Class::Zero, 0, 0)
    } else if field == 0 {
        (Class::Finite, fraction, smallest)
    } else {
        (Class::Finite, fraction | 1 << fmt.mant_bits, smallest + field - 1)
    };
    Unpacked { class, sign, mant, exp }
}

fn signed(fmt: Format, sign: bool, magnitude: u64) -> u64 {
    if sign { magnitude | fmt.sign() } else { magnitude }
}

/// Returns whether a value between two neighbors goes to the one larger in magnitude. `half`
/// compares the discarded part with half a unit.
fn rounds_away(round: Round, sign: bool, odd: bool, half: std::cmp::Ordering) -> bool {
    use std::cmp::Ordering::{Equal, Greater};
    match round {
        Round::Even => half == Greater || (half == Equal && odd),
        Round::Up => !sign,
        Round::Down => sign,
        Round::Zero => false,
    }
}

/// Rounds `mant · 2^exp` (plus something in (0, 1) units of `mant` when `sticky`) to `fmt`.
/// Subnormals are produced. With `sticky`, `mant` must have at least two bits more than the
/// format's precision.
fn pack(fmt: Format, sign: bool, mant: u128, exp: i32, sticky: bool, round: Round) -> u64 {
    if mant == 0 {
        return signed(fmt, sign, 0);
    }
    let smallest = 1 - fmt.bias() - fmt.mant_bits as i32;
    let leading = 127 - mant.leading_zeros() as i32 + exp;
    let quantum = (leading - fmt.mant_bits as i32).max(smallest);
    let shift = quantum - exp;
    let (mut kept, half, inexact) = if shift <= 0 {
        (mant << -shift, std::cmp::Ordering::Less, false)
    } else if shift > 127 {
        (0, std::cmp::Ordering::Less, true)
    } else {
        let rest = mant & ((1u128 << shift) - 1);
        let tie = 1u128 << (shift - 1);
        let order = rest.cmp(&tie);
        let order = if order.is_eq() && sticky { std::cmp::Ordering::Greater } else { order };
        (mant >> shift, order, rest != 0 || sticky)
    };
    if inexact && rounds_away(round, sign, kept & 1 == 1, half) {
        kept += 1;
    }
    // A carry out of the significand increments the exponent field by itself.
    let kept = kept as u64;
    let magnitude = if kept >> fmt.mant_bits == 0 {
        kept
    } else {
        let field = (quantum - smallest + 1) as u64;
        (field << fmt.mant_bits).wrapping_add(kept - (1 << fmt.mant_bits))
    };
    let overflows = quantum - smallest + 1 >= 1 << fmt.exp_bits || magnitude >= fmt.inf();
    if overflows {
        let to_infinity = match round {
            Round::Even => true,
            Round::Up => !sign,
            Round::Down => sign,
            Round::Zero => false,
        };
        return signed(fmt, sign, if to_infinity { fmt.inf() } else { fmt.inf() - 1 });
    }
    signed(fmt, sign, magnitude)
}

/// Shifts the leading one to bit 126.
fn normalize(mant: u128, exp: i32) -> (u128, i32) {
    let shift = mant.leading_zeros() as i32 - 1;
    if shift >= 0 { (mant << shift, exp - shift) } else { (mant >> 1, exp + 1) }
}

fn zero_sum(fmt: Format, a: bool, b: bool, round: Round) -> u64 {
    signed(fmt, if a == b { a } else { round == Round::Down }, 0)
}

/// `a · b + c`, rounded once.
pub fn fma(fmt: Format, a: u64, b: u64, c: u64, round: Round) -> u64 {
    let (a, b, c) = (unpack(fmt, a), unpack(fmt, b), unpack(fmt, c));
    let sign = a.sign != b.sign;
    if a.class == Class::Nan || b.class == Class::Nan || c.class == Class::Nan {
        return fmt.nan();
    }
    let infinite = a.class == Class::Infinite || b.class == Class::Infinite;
    let zero = a.class == Class::Zero || b.class == Class::Zero;
    if infinite && zero || infinite && c.class == Class::Infinite && c.sign != sign {
        return fmt.nan();
    }
    if infinite {
        return signed(fmt, sign, fmt.inf());
    }
    if c.class == Class::Infinite {
        return signed(fmt, c.sign, fmt.inf());
    }
    match (zero, c.class == Class::Zero) {
        (true, true) => zero_sum(fmt, sign, c.sign, round),
        (true, false) => pack(fmt, c.sign, c.mant, c.exp, false, round),
        (false, true) => pack(fmt, sign, a.mant * b.mant, a.exp + b.exp, false, round),
        (false, false) => {
            let product = (sign, normalize(a.mant * b.mant, a.exp + b.exp));
            sum(fmt, product, (c.sign, normalize(c.mant, c.exp)), round)
        }
    }
}

type Term = (bool, (u128, i32));

/// The sum of two normalized non-zero terms.
fn sum(fmt: Format, x: Term, y: Term, round: Round) -> u64 {
    let (big, small) = if (x.1.1, x.1.0) >= (y.1.1, y.1.0) { (x, y) } else { (y, x) };
    let ((big_sign, (big, exp)), (small_sign, (small, small_exp))) = (big, small);
    let distance = exp - small_exp;
    // Bits below the window cannot reach the result: with a distance above one at most one leading
    // bit cancels.
    let (small, lost) = if distance > 127 {
        (0, true)
    } else {
        (small >> distance, small & ((1u128 << distance) - 1) != 0)
    };
    if big_sign == small_sign {
        return pack(fmt, big_sign, big + small, exp, lost, round);
    }
    // big − (small + ε) = (big − small − 1) + (1 − ε).
    let difference = big - small - u128::from(lost);
    if difference == 0 && !lost {
        return zero_sum(fmt, big_sign, small_sign, round);
    }
    pack(fmt, big_sign, difference, exp, lost, round)
}

/// `a + b`.
pub fn add(fmt: Format, a: u64, b: u64, round: Round) -> u64 {
    fma(fmt, a, fmt.one(), b, round)
}

/// `a · b`.
pub fn mul(fmt: Format, a: u64, b: u64, round: Round) -> u64 {
    // Adding a zero of the product's own sign keeps the sign of a zero product.
    fma(fmt, a, b, (a ^ b) & fmt.sign(), round)
}

/// Converts between formats; a NaN becomes the target's default NaN with the source's sign.
pub fn convert(from: Format, to: Format, bits: u64, round: Round) -> u64 {
    let value = unpack(from, bits);
    match value.class {
        Class::Nan => signed(to, value.sign, to.nan()),
        Class::Infinite => signed(to, value.sign, to.inf()),
        Class::Zero => signed(to, value.sign, 0),
        Class::Finite => pack(to, value.sign, value.mant, value.exp, false, round),
    }
}

/// The nearest representable value of an integer.
pub fn from_int(fmt: Format, value: i128, round: Round) -> u64 {
    pack(fmt, value < 0, value.unsigned_abs(), 0, false, round)
}

/// Truncates toward zero and clamps to `[low, high]`; NaN gives 0 (the conversion table of MOV).
pub fn to_int(fmt: Format, bits: u64, low: i128, high: i128) -> i128 {
    let value = unpack(fmt, bits);
    let magnitude = match value.class {
        Class::Nan | Class::Zero => return 0i128.clamp(low, high),
        Class::Infinite => i128::MAX as u128,
        Class::Finite if value.exp >= 70 => i128::MAX as u128,
        Class::Finite if value.exp >= 0 => value.mant << value.exp,
        Class::Finite if value.exp <= -128 => 0,
        Class::Finite => value.mant >> -value.exp,
    };
    let magnitude = magnitude.min(i128::MAX as u128) as i128;
    (if value.sign { -magnitude } else { magnitude }).clamp(low, high)
}

/// Rounds to an integral value in the same format.
pub fn round_integral(fmt: Format, bits: u64, round: Round) -> u64 {
    let value = unpack(fmt, bits);
    if value.class == Class::Nan {
        return fmt.nan();
    }
    if value.class != Class::Finite || value.exp >= 0 {
        return bits;
    }
    let shift = -value.exp;
    let (kept, half) = if shift > 127 {
        (0, std::cmp::Ordering::Less)
    } else {
        (value.mant >> shift, (value.mant & ((1u128 << shift) - 1)).cmp(&(1u128 << (shift - 1))))
    };
    let inexact = shift > 127 || value.mant & ((1u128 << shift) - 1) != 0;
    let kept = kept + u128::from(inexact && rounds_away(round, value.sign, kept & 1 == 1, half));
    pack(fmt, value.sign, kept, 0, false, Round::Zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::{Pcg64Mcg, rand_core::RngCore};

    fn random(rng: &mut Pcg64Mcg, fmt: Format) -> u64 {
        let raw = rng.next_u64();
        // Mostly values of similar magnitude, so that alignment and cancellation matter; sometimes
        // anything at all.
        match raw & 7 {
            0 => rng.next_u64() & (fmt.sign() | (fmt.sign() - 1)),
            1 => rng.next_u64() & fmt.mant(),
            2 => fmt.inf() & !(rng.next_u64() & 1 << fmt.mant_bits),
            _ => {
                let exponent =
                    (fmt.bias() as u64).wrapping_add(rng.next_u64() % 60).wrapping_sub(30);
                let exponent = exponent & ((1 << fmt.exp_bits) - 1);
                rng.next_u64() & (fmt.mant() | fmt.sign()) | exponent << fmt.mant_bits
            }
        }
    }

    fn same32(ours: u64, host: f32) {
        if host.is_nan() {
            assert!(F.is_nan(ours));
        } else {
            assert_eq!(ours as u32, host.to_bits());
        }
    }

    fn same64(ours: u64, host: f64) {
        if host.is_nan() {
            assert!(DF.is_nan(ours));
        } else {
            assert_eq!(ours, host.to_bits());
        }
    }

    #[test]
    fn agrees_with_the_host_in_nearest_even() {
        let mut rng = Pcg64Mcg::new(7);
        for _ in 0..200_000 {
            let [a, b, c] = [0; 3].map(|_| random(&mut rng, F));
            let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            same32(add(F, a, b, Round::Even), x + y);
            same32(mul(F, a, b, Round::Even), x * y);
            same32(fma(F, a, b, c, Round::Even), x.mul_add(y, z));
            same64(convert(F, DF, a, Round::Even), f64::from(x));
            assert_eq!(to_int(F, a, i32::MIN.into(), i32::MAX.into()), i128::from(x as i32));
            same32(round_integral(F, a, Round::Even), x.round_ties_even());
            same32(round_integral(F, a, Round::Down), x.floor());
            let [a, b, c] = [0; 3].map(|_| random(&mut rng, DF));
            let [x, y, z] = [a, b, c].map(f64::from_bits);
            same64(add(DF, a, b, Round::Even), x + y);
            same64(mul(DF, a, b, Round::Even), x * y);
            same64(fma(DF, a, b, c, Round::Even), x.mul_add(y, z));
            same32(convert(DF, F, a, Round::Even), x as f32);
            assert_eq!(to_int(DF, a, 0, u64::MAX.into()), i128::from(x as u64));
            let integer = rng.next_u64() as i64 >> (rng.next_u64() % 64);
            same32(from_int(F, integer.into(), Round::Even), integer as f32);
        }
    }

    #[test]
    fn directed_modes_bracket_the_exact_result() {
        let third =
            mul(F, u64::from(1.0f32.to_bits()), u64::from((1.0f32 / 3.0).to_bits()), Round::Even);
        for (x, y) in
            [(1.0f32, 1e-20f32), (-1.0, -1e-20), (3.0, f32::from_bits(third as u32)), (1.0, -1e-20)]
        {
            let (a, b) = (u64::from(x.to_bits()), u64::from(y.to_bits()));
            let exact = f64::from(x) + f64::from(y);
            let up = f32::from_bits(add(F, a, b, Round::Up) as u32);
            let down = f32::from_bits(add(F, a, b, Round::Down) as u32);
            let zero = f32::from_bits(add(F, a, b, Round::Zero) as u32);
            assert!(f64::from(down) <= exact && exact <= f64::from(up));
            assert!(up.to_bits().abs_diff(down.to_bits()) <= 1, "{x} + {y}");
            assert_eq!(zero, if exact < 0.0 { up } else { down });
        }
        assert_eq!(add(F, F.inf() - 1, F.inf() - 1, Round::Zero), F.inf() - 1);
        assert_eq!(add(F, F.inf() - 1, F.inf() - 1, Round::Up), F.inf());
        assert_eq!(add(DF, DF.one(), DF.one() | DF.sign(), Round::Down), DF.sign());
    }

    #[test]
    fn half_precision_halfway_cases() {
        // 2048 + 1 is halfway between 2048 and 2050; 65520 is halfway between the largest half and
        // the next power.
        let from = |x: f64| convert(DF, HF, x.to_bits(), Round::Even);
        assert_eq!(from(2049.0), from(2048.0));
        assert_eq!(from(2051.0), from(2052.0));
        assert_eq!(from(65519.999), 0x7bff);
        assert_eq!(from(65520.0), 0x7c00);
        assert_eq!(from(5.960464477539063e-8), 1);
        assert_eq!(from(2.9802322387695312e-8), 0);
        assert_eq!(from(2.980_232_238_769_532e-8), 1);
    }
}
