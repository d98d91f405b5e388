//! Arithmetic on rows: plain loops, compiled for the baseline of the target and for AVX2.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Level, Simd};

use super::code::{RowOp, Step};
use crate::scalar::{self, flush};

/// Lanes of a row.
pub(crate) const LANES: usize = 64;
/// One component in all lanes.
pub(crate) type Cells = [u32; LANES];

/// Executes steps of type [`Step::Row`] and [`Step::Dot`]; returns the number executed, up to the
/// first other one. Operations mark undefined results in the lanes of `active` alone.
pub(crate) fn run(steps: &[Step], cells: &mut [Cells], marks: &mut [u64], active: u64) -> usize {
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = avx2() {
        return token.vectorize(
            #[inline(always)]
            || run_steps(steps, cells, marks, active),
        );
    }
    run_steps(steps, cells, marks, active)
}

/// The lanes of a row that are not zero.
pub(crate) fn truths(cells: &Cells) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = avx2() {
        return token.vectorize(
            #[inline(always)]
            || nonzero(cells),
        );
    }
    nonzero(cells)
}

#[inline(always)]
fn nonzero(cells: &Cells) -> u64 {
    cells.iter().enumerate().fold(0, |mask, (lane, &x)| mask | u64::from(x != 0) << lane)
}

#[cfg(target_arch = "x86_64")]
fn avx2() -> Option<Avx2> {
    static DETECTED: OnceLock<Option<Avx2>> = OnceLock::new();
    *DETECTED.get_or_init(|| Level::new().as_avx2())
}

#[inline(always)]
fn run_steps(steps: &[Step], cells: &mut [Cells], marks: &mut [u64], active: u64) -> usize {
    for (done, step) in steps.iter().enumerate() {
        match step {
            Step::Row { op, to, operands, open } => {
                let [a, b, c] = operands.map(usize::from);
                let to = usize::from(*to);
                let (from, rest) = cells.split_at_mut(to);
                let Some(result) = rest.first_mut() else { return done };
                if let RowOp::Constant(bits) = op {
                    *result = [*bits; LANES];
                    marks[to] = 0;
                    continue;
                }
                let marked = [marks[a], marks[b], marks[c]];
                marks[to] = row(*op, &from[a], &from[b], &from[c], marked, active, result);
                if *open {
                    marks[to] |= nans(result) & active;
                }
            }
            Step::Dot { to, a, b, open } => {
                let to = usize::from(*to);
                let (from, rest) = cells.split_at_mut(to);
                let Some(result) = rest.first_mut() else { return done };
                let cell = |row: &u16| &from[usize::from(*row)];
                let mut sum = [std::iter::empty::<f64>().sum::<f64>(); LANES];
                for (a, b) in a.iter().map(cell).zip(b.iter().map(cell)) {
                    for ((sum, &a), &b) in sum.iter_mut().zip(a).zip(b) {
                        *sum += f64::from(float(a)) * f64::from(float(b));
                    }
                }
                for (result, sum) in result.iter_mut().zip(sum) {
                    *result = bits(sum as f32);
                }
                let open = if *open { nans(result) & active } else { 0 };
                let all = a.iter().chain(b);
                marks[to] = all.fold(open, |mask, &row| mask | marks[usize::from(row)]);
            }
            _ => return done,
        }
    }
    steps.len()
}

#[inline(always)]
fn float(bits: u32) -> f32 {
    flush(f32::from_bits(bits))
}

#[inline(always)]
fn bits(x: f32) -> u32 {
    flush(x).to_bits()
}

#[inline(always)]
fn map1(a: &Cells, result: &mut Cells, f: impl Fn(u32) -> u32) {
    for (result, &a) in result.iter_mut().zip(a) {
        *result = f(a);
    }
}

#[inline(always)]
fn map2(a: &Cells, b: &Cells, result: &mut Cells, f: impl Fn(u32, u32) -> u32) {
    for ((result, &a), &b) in result.iter_mut().zip(a).zip(b) {
        *result = f(a, b);
    }
}

#[inline(always)]
fn map3(a: &Cells, b: &Cells, c: &Cells, result: &mut Cells, f: impl Fn(u32, u32, u32) -> u32) {
    for (((result, &a), &b), &c) in result.iter_mut().zip(a).zip(b).zip(c) {
        *result = f(a, b, c);
    }
}

#[inline(always)]
fn floats(a: &Cells, b: &Cells, result: &mut Cells, f: impl Fn(f32, f32) -> f32) {
    map2(a, b, result, |a, b| bits(f(float(a), float(b))));
}

/// The lanes of a row that hold NaN.
#[inline(always)]
fn nans(cells: &Cells) -> u64 {
    let is_nan = |bits: u32| bits & 0x7fff_ffff > 0x7f80_0000;
    if !cells.iter().fold(false, |any, &bits| any | is_nan(bits)) {
        return 0;
    }
    cells.iter().enumerate().fold(0, |mask, (lane, &x)| mask | u64::from(is_nan(x)) << lane)
}

/// The lanes of `active` for which a test holds.
#[inline(always)]
fn lanes(active: u64, a: &Cells, b: &Cells, test: impl Fn(u32, u32) -> bool) -> u64 {
    let any = a.iter().zip(b).fold(false, |any, (&a, &b)| any | test(a, b));
    if !any {
        return 0;
    }
    let bit = |(lane, (&a, &b)): (usize, (&u32, &u32))| u64::from(test(a, b)) << lane;
    a.iter().zip(b).enumerate().map(bit).fold(0, |mask, bit| mask | bit) & active
}

#[inline(always)]
fn float_min(a: u32, b: u32) -> u32 {
    if (float(b) < float(a)) | float(a).is_nan() { b } else { a }
}

#[inline(always)]
fn float_max(a: u32, b: u32) -> u32 {
    if (float(a) < float(b)) | float(a).is_nan() { b } else { a }
}

/// True if [`floored_modulo`] holds for two numbers: with a quotient below 2²⁹, its product with
/// the divisor is exact.
#[inline(always)]
fn has_small_quotient(x: f32, y: f32) -> bool {
    let (x, y) = (f64::from(x.abs()), f64::from(y.abs()));
    (x < y * 536_870_912.0) & (y < f64::INFINITY)
}

/// As [`scalar::floored_modulo`], for numbers with a small quotient.
#[inline(always)]
fn floored_modulo(x: f32, y: f32) -> f64 {
    let (x, y) = (f64::from(x), f64::from(y));
    let rest = x - (x / y).trunc() * y;
    // A quotient just below an integer may have been rounded to it.
    let beyond = if x < 0.0 { rest > 0.0 } else { rest < 0.0 };
    let rest = if beyond { rest + y.abs().copysign(x) } else { rest };
    let floored = if (rest < 0.0) == (y < 0.0) { rest } else { rest + y };
    if rest == 0.0 { 0.0 } else { floored }
}

/// The quotient, which `double` holds without rounding up; −1 where there is none.
#[inline(always)]
fn quotient(a: i32, b: i32) -> i32 {
    let quotient = (f64::from(a) / f64::from(b)) as i32;
    if (b == 0) | ((a == i32::MIN) & (b == -1)) { -1 } else { quotient }
}

/// The remainder; −1 where there is no quotient.
#[inline(always)]
fn remainder(a: i32, b: i32) -> i32 {
    let remainder = a.wrapping_sub(quotient(a, b).wrapping_mul(b));
    if (b == 0) | ((a == i32::MIN) & (b == -1)) { -1 } else { remainder }
}

/// True if GLSL leaves `min` and `max` of two numbers open: a NaN, or zeros of both signs.
#[inline(always)]
fn open_choice(a: u32, b: u32) -> bool {
    let (x, y) = (float(a), float(b));
    let zeros = x == 0.0 && y == 0.0 && x.to_bits() != y.to_bits();
    x.is_nan() | y.is_nan() | zeros
}

/// Executes an operation; returns the lanes where the result is undefined.
#[inline(always)]
fn row(
    op: RowOp,
    a: &Cells,
    b: &Cells,
    c: &Cells,
    marked: [u64; 3],
    active: u64,
    to: &mut Cells,
) -> u64 {
    use RowOp as R;
    let mut undefined = marked[0] | marked[1] | marked[2];
    let truth = nonzero;
    match op {
        R::Constant(bits) => *to = [bits; LANES],
        R::FloatAdd => floats(a, b, to, |a, b| a + b),
        R::FloatSub => floats(a, b, to, |a, b| a - b),
        R::FloatMul => floats(a, b, to, |a, b| a * b),
        R::FloatDiv => {
            floats(a, b, to, |a, b| a / b);
            let huge = |_, b| {
                let divisor = float(b).abs();
                divisor.is_finite() & (divisor > 1.0 / f32::MIN_POSITIVE)
            };
            undefined |= lanes(active, a, b, huge);
        }
        R::FloatLess => map2(a, b, to, |a, b| u32::from(float(a) < float(b))),
        R::FloatLessEqual => map2(a, b, to, |a, b| u32::from(float(a) <= float(b))),
        R::FloatEqual => map2(a, b, to, |a, b| u32::from(float(a) == float(b))),
        R::FloatNegate => map1(a, to, |a| a ^ 0x8000_0000),
        R::FloatAbs => map1(a, to, |a| a & 0x7fff_ffff),
        R::FloatFloor => map1(a, to, |a| bits(float(a).floor())),
        R::FloatCeil => map1(a, to, |a| bits(float(a).ceil())),
        R::FloatTrunc => map1(a, to, |a| bits(float(a).trunc())),
        R::FloatFract => map1(a, to, |a| bits(float(a) - float(a).floor())),
        R::FloatRound => map1(a, to, |a| bits(float(a).round_ties_even())),
        R::FloatSign => {
            map1(a, to, |a| {
                let x = float(a);
                bits(if (x == 0.0) | x.is_nan() { x } else { 1.0_f32.copysign(x) })
            });
            undefined |= nans(a);
        }
        R::FloatSqrt => {
            map1(a, to, |a| bits(float(a).sqrt()));
            undefined |= lanes(u64::MAX, a, a, |a, _| float(a) < 0.0);
        }
        R::FloatInverseSqrt => {
            map1(a, to, |a| bits((1.0 / f64::from(float(a)).sqrt()) as f32));
            undefined |= lanes(u64::MAX, a, a, |a, _| float(a) <= 0.0);
        }
        R::FloatMin => {
            map2(a, b, to, float_min);
            undefined |= lanes(u64::MAX, a, b, open_choice);
        }
        R::FloatMax => {
            map2(a, b, to, float_max);
            undefined |= lanes(u64::MAX, a, b, open_choice);
        }
        R::FloatClamp => {
            map3(a, b, c, to, |x, low, high| float_min(float_max(x, low), high));
            undefined |= lanes(u64::MAX, c, b, |high, low| float(high) < float(low));
            undefined |= lanes(u64::MAX, a, b, open_choice);
            undefined |= lanes(u64::MAX, a, c, open_choice);
            undefined |= lanes(u64::MAX, b, c, open_choice);
        }
        R::FloatMod => {
            map2(a, b, to, |a, b| bits(floored_modulo(float(a), float(b)) as f32));
            let mut others = lanes(active, a, b, |a, b| !has_small_quotient(float(a), float(b)));
            while others != 0 {
                let lane = others.trailing_zeros() as usize;
                let real = |cells: &Cells| f64::from(float(cells[lane]));
                to[lane] = bits(scalar::floored_modulo(real(a), real(b)) as f32);
                others &= others - 1;
            }
        }
        R::FloatStep => {
            map2(a, b, to, |edge, x| if float(x) < float(edge) { 0 } else { 0x3f80_0000 });
            undefined |= lanes(u64::MAX, a, b, |a, b| float(a).is_nan() | float(b).is_nan());
        }
        R::FloatMix => {
            map3(a, b, c, to, |a, b, c| {
                let (x, y, a) = (float(a), float(b), f64::from(float(c)));
                bits((f64::from(x) * (1.0 - a) + f64::from(y) * a) as f32)
            });
        }
        R::Add => map2(a, b, to, u32::wrapping_add),
        R::Sub => map2(a, b, to, u32::wrapping_sub),
        R::Mul => map2(a, b, to, u32::wrapping_mul),
        R::Negate => map1(a, to, u32::wrapping_neg),
        R::SignedAbs => map1(a, to, |a| (a as i32).wrapping_abs() as u32),
        R::SignedSign => map1(a, to, |a| (a as i32).signum() as u32),
        R::SignedMin => map2(a, b, to, |a, b| (a as i32).min(b as i32) as u32),
        R::SignedMax => map2(a, b, to, |a, b| (a as i32).max(b as i32) as u32),
        R::SignedClamp => {
            map3(a, b, c, to, |x, low, high| (x as i32).max(low as i32).min(high as i32) as u32);
            undefined |= lanes(u64::MAX, c, b, |high, low| (high as i32) < low as i32);
        }
        R::UnsignedMin => map2(a, b, to, u32::min),
        R::UnsignedMax => map2(a, b, to, u32::max),
        R::UnsignedClamp => {
            map3(a, b, c, to, |x, low, high| x.max(low).min(high));
            undefined |= lanes(u64::MAX, c, b, |high, low| high < low);
        }
        R::BitNot => map1(a, to, |a| !a),
        R::BitAnd => map2(a, b, to, |a, b| a & b),
        R::BitOr => map2(a, b, to, |a, b| a | b),
        R::BitXor => map2(a, b, to, |a, b| a ^ b),
        R::SignedDiv | R::SignedMod => {
            match op {
                R::SignedDiv => map2(a, b, to, |a, b| quotient(a as i32, b as i32) as u32),
                _ => map2(a, b, to, |a, b| remainder(a as i32, b as i32) as u32),
            }
            let negative = |a, b| op == R::SignedMod && ((a as i32) < 0 || (b as i32) < 0);
            let overflows = |a, b| a == 0x8000_0000 && b == u32::MAX;
            undefined |= lanes(active, a, b, |a, b| b == 0 || negative(a, b) || overflows(a, b));
        }
        R::UnsignedDiv | R::UnsignedMod => {
            let f = if op == R::UnsignedDiv { u32::checked_div } else { u32::checked_rem };
            map2(a, b, to, |a, b| f(a, b).unwrap_or(u32::MAX));
            undefined |= lanes(active, a, b, |_, b| b == 0);
        }
        R::ShiftLeft | R::ShiftRightSigned | R::ShiftRightUnsigned => {
            match op {
                R::ShiftLeft => map2(a, b, to, |a, b| a << (b & 31)),
                R::ShiftRightSigned => map2(a, b, to, |a, b| (a as i32 >> (b & 31)) as u32),
                _ => map2(a, b, to, |a, b| a >> (b & 31)),
            }
            undefined |= lanes(active, a, b, |_, b| b >= 32);
        }
        R::SignedLess => map2(a, b, to, |a, b| u32::from((a as i32) < b as i32)),
        R::SignedLessEqual => map2(a, b, to, |a, b| u32::from(a as i32 <= b as i32)),
        R::UnsignedLess => map2(a, b, to, |a, b| u32::from(a < b)),
        R::UnsignedLessEqual => map2(a, b, to, |a, b| u32::from(a <= b)),
        R::Equal => map2(a, b, to, |a, b| u32::from(a == b)),
        R::Not => map1(a, to, |a| u32::from(a == 0)),
        R::Choose => {
            map3(a, b, c, to, |a, b, c| if a != 0 { b } else { c });
            if undefined != 0 {
                let chosen = truth(a);
                undefined = marked[0] | (chosen & marked[1]) | (!chosen & marked[2]);
            }
        }
        R::LogicalAnd => {
            map2(a, b, to, |a, b| a & b);
            undefined = marked[0] | if marked[1] == 0 { 0 } else { truth(a) & marked[1] };
        }
        R::LogicalOr => {
            map2(a, b, to, |a, b| a | b);
            undefined = marked[0] | if marked[1] == 0 { 0 } else { !truth(a) & marked[1] };
        }
        R::SignedToFloat => map1(a, to, |a| bits(a as i32 as f32)),
        R::UnsignedToFloat => map1(a, to, |a| bits(a as f32)),
        R::BoolToFloat => map1(a, to, |a| if a != 0 { 0x3f80_0000 } else { 0 }),
        R::FloatToSigned => {
            map1(a, to, |a| float(a) as i32 as u32);
            let fits = |a| (float(a) >= -2_147_483_648.0) & (float(a) < 2_147_483_648.0);
            undefined |= lanes(active, a, a, |a, _| !fits(a));
        }
        R::FloatToUnsigned => {
            map1(a, to, |a| float(a) as u32);
            // Truncation makes zero of what is above −1.
            let fits = |a| (float(a) > -1.0) & (float(a) < 4_294_967_296.0);
            undefined |= lanes(active, a, a, |a, _| !fits(a));
        }
        R::FloatToBool => map1(a, to, |a| u32::from(float(a) != 0.0)),
        R::IntegerToBool => map1(a, to, |a| u32::from(a != 0)),
        R::Mark => *to = *a,
    }
    undefined
}

#[cfg(test)]
pub(crate) mod tests {
    use program::{BinaryOp, Scalar};

    use super::*;

    /// Numbers of every kind: zeros, subnormals, infinities, NaNs, limits of integers, and others.
    pub(crate) fn numbers(seed: u32) -> Cells {
        const SPECIAL: [u32; 16] = [
            0,
            1,
            31,
            32,
            0x8000_0000,
            0x8000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x4f00_0000,
            0xcf00_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            u32::MAX,
        ];
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        std::array::from_fn(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            if state & 3 == 0 { SPECIAL[(state >> 8) as usize % 16] } else { state }
        })
    }

    fn cell(ty: Scalar, bits: u32) -> u64 {
        scalar::wrap(ty, u64::from(bits))
    }

    pub(crate) fn same(ty: Scalar, a: u32, b: u64) -> bool {
        let nan = |x: u32| ty == Scalar::Float && f32::from_bits(x).is_nan();
        a == b as u32 || nan(a) && nan(b as u32)
    }

    /// Executes an operation on three rows.
    pub(crate) fn execute(op: RowOp, operands: [Cells; 3]) -> (Cells, u64) {
        let [a, b, c] = operands;
        let mut cells = [a, b, c, [0; LANES]];
        let mut marks = [0; 4];
        let step = Step::Row { op, to: 3, operands: [0, 1, 2], open: false };
        assert_eq!(run(&[step], &mut cells, &mut marks, u64::MAX), 1);
        (cells[3], marks[3])
    }

    #[test]
    fn operators_are_those_of_single_components() {
        use BinaryOp as B;
        use Scalar::{Float, Int, Uint};
        let table = [
            (RowOp::FloatAdd, B::Add, Float),
            (RowOp::FloatSub, B::Sub, Float),
            (RowOp::FloatMul, B::Mul, Float),
            (RowOp::FloatDiv, B::Div, Float),
            (RowOp::FloatLess, B::Less, Float),
            (RowOp::FloatLessEqual, B::LessEqual, Float),
            (RowOp::FloatEqual, B::Equal, Float),
            (RowOp::Add, B::Add, Int),
            (RowOp::Sub, B::Sub, Int),
            (RowOp::Mul, B::Mul, Uint),
            (RowOp::SignedDiv, B::Div, Int),
            (RowOp::UnsignedDiv, B::Div, Uint),
            (RowOp::SignedMod, B::Mod, Int),
            (RowOp::UnsignedMod, B::Mod, Uint),
            (RowOp::BitAnd, B::BitAnd, Int),
            (RowOp::BitOr, B::BitOr, Uint),
            (RowOp::BitXor, B::BitXor, Int),
            (RowOp::ShiftLeft, B::ShiftLeft, Int),
            (RowOp::ShiftRightSigned, B::ShiftRight, Int),
            (RowOp::ShiftRightUnsigned, B::ShiftRight, Uint),
            (RowOp::SignedLess, B::Less, Int),
            (RowOp::SignedLessEqual, B::LessEqual, Int),
            (RowOp::UnsignedLess, B::Less, Uint),
            (RowOp::UnsignedLessEqual, B::LessEqual, Uint),
            (RowOp::Equal, B::Equal, Int),
        ];
        for (op, binary, ty) in table {
            let f = scalar::binary(binary, ty).expect("the operator exists");
            for seed in 0..64 {
                let (a, b) = (numbers(seed), numbers(seed + 1000));
                let (result, marks) = execute(op, [a, b, b]);
                for lane in 0..LANES {
                    let (x, y) = (cell(ty, a[lane]), cell(ty, b[lane]));
                    assert!(same(ty, result[lane], f(x, y)), "{op:?} {x:#x} {y:#x}");
                    let undefined = scalar::binary_is_undefined(binary, ty, x, y);
                    assert_eq!(marks >> lane & 1 != 0, undefined, "{op:?} {x:#x} {y:#x}");
                }
            }
        }
    }

    #[test]
    fn conversions_are_those_of_single_components() {
        use Scalar::{Bool, Float, Int, Uint};
        let table = [
            (RowOp::SignedToFloat, Int, Float),
            (RowOp::UnsignedToFloat, Uint, Float),
            (RowOp::FloatToSigned, Float, Int),
            (RowOp::FloatToUnsigned, Float, Uint),
            (RowOp::FloatToBool, Float, Bool),
            (RowOp::IntegerToBool, Int, Bool),
        ];
        for (op, from, to) in table {
            for seed in 0..64 {
                let a = numbers(seed);
                let (result, marks) = execute(op, [a; 3]);
                for lane in 0..LANES {
                    let (bits, undefined) = scalar::convert(from, to, cell(from, a[lane]));
                    assert!(same(to, result[lane], bits), "{op:?} {:#x}", a[lane]);
                    assert_eq!(marks >> lane & 1 != 0, undefined, "{op:?} {:#x}", a[lane]);
                }
            }
        }
    }

    #[test]
    fn selections_keep_the_marks_of_what_decides() {
        let mut cells = [[0; LANES]; 4];
        cells[0][..2].fill(1);
        let step = |op| Step::Row { op, to: 3, operands: [0, 1, 2], open: false };
        let mut marks = [0b1000, 0b0101, 0b0110, 0];
        run(&[step(RowOp::Choose)], &mut cells, &mut marks, u64::MAX);
        assert_eq!(marks[3], 0b1101, "of the chosen operand, and of the condition");
        run(&[step(RowOp::LogicalAnd)], &mut cells, &mut marks, u64::MAX);
        assert_eq!(marks[3], 0b1001, "the second operand counts where the first is true");
        run(&[step(RowOp::LogicalOr)], &mut cells, &mut marks, u64::MAX);
        assert_eq!(marks[3], 0b1100, "the second operand counts where the first is false");
    }
}
