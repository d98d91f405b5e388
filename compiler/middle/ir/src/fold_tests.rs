//! Folding against Rust's own arithmetic, which is IEEE for the basic operations.

use crate::fold::*;
use crate::ops::AluOp;
use crate::testing::numbers::Rng;

fn eval(op: AluOp, bits: u8, result_bits: u8, args: &[u64]) -> u64 {
    let ctx = FoldCtx { bits, flush_f32: false };
    let sources: Vec<[u64; 4]> = args.iter().map(|&a| [a; 4]).collect();
    op.evaluate(ctx, &sources, result_bits, 1).unwrap()[0]
}

fn same_f32(got: u64, want: f32, what: &str) {
    let got = f32::from_bits(got as u32);
    assert!(
        got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
        "{what}: {got:e} for {want:e}"
    );
}

fn same_f64(got: u64, want: f64, what: &str) {
    let got = f64::from_bits(got);
    assert!(
        got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
        "{what}: {got:e} for {want:e}"
    );
}

#[test]
fn floats_like_rust() {
    let mut rng = Rng::new(1);
    for _ in 0..20_000 {
        let [a, b, c] = [rng.float(32), rng.float(32), rng.float(32)];
        let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
        let what = format!("{x:e} {y:e} {z:e}");
        same_f32(eval(AluOp::Fadd, 32, 32, &[a, b]), x + y, &what);
        same_f32(eval(AluOp::Fsub, 32, 32, &[a, b]), x - y, &what);
        same_f32(eval(AluOp::Fmul, 32, 32, &[a, b]), x * y, &what);
        same_f32(eval(AluOp::Fdiv, 32, 32, &[a, b]), x / y, &what);
        same_f32(eval(AluOp::Fsqrt, 32, 32, &[a]), x.sqrt(), &what);
        same_f32(eval(AluOp::Ffma, 32, 32, &[a, b, c]), x.mul_add(y, z), &what);
        same_f32(eval(AluOp::Ffloor, 32, 32, &[a]), x.floor(), &what);
        same_f32(eval(AluOp::FroundEven, 32, 32, &[a]), x.round_ties_even(), &what);
        assert_eq!(eval(AluOp::F2i32, 32, 32, &[a]) as u32, x as i32 as u32, "{what}");
        assert_eq!(eval(AluOp::F2u32, 32, 32, &[a]) as u32, x as u32, "{what}");
        assert_eq!(eval(AluOp::Flt, 32, 1, &[a, b]), u64::from(x < y), "{what}");
        assert_eq!(eval(AluOp::Fneu, 32, 1, &[a, b]), u64::from(x != y), "{what}");
        same_f64(eval(AluOp::F2f64, 32, 64, &[a]), x.into(), &what);
    }
    for _ in 0..20_000 {
        let [a, b, c] = [rng.float(64), rng.float(64), rng.float(64)];
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let what = format!("{x:e} {y:e} {z:e}");
        same_f64(eval(AluOp::Fadd, 64, 64, &[a, b]), x + y, &what);
        same_f64(eval(AluOp::Fmul, 64, 64, &[a, b]), x * y, &what);
        same_f64(eval(AluOp::Fdiv, 64, 64, &[a, b]), x / y, &what);
        same_f64(eval(AluOp::Fsqrt, 64, 64, &[a]), x.sqrt(), &what);
        same_f64(eval(AluOp::Ffma, 64, 64, &[a, b, c]), x.mul_add(y, z), &what);
        same_f64(eval(AluOp::FroundEven, 64, 64, &[a]), x.round_ties_even(), &what);
        same_f32(eval(AluOp::F2f32, 64, 32, &[a]), x as f32, &what);
        assert_eq!(eval(AluOp::F2i64, 64, 64, &[a]), x as i64 as u64, "{what}");
        assert_eq!(eval(AluOp::F2u32, 64, 32, &[a]) as u32, x as u32, "{what}");
    }
}

#[test]
fn integers_like_rust() {
    let mut rng = Rng::new(2);
    for _ in 0..20_000 {
        let (a, b) = (rng.int(32) as u32, rng.int(32) as u32);
        let (x, y) = (a as i32, b as i32);
        let args = [u64::from(a), u64::from(b)];
        let op = |op| eval(op, 32, 32, &args) as u32;
        assert_eq!(op(AluOp::Iadd), a.wrapping_add(b));
        assert_eq!(op(AluOp::Isub), a.wrapping_sub(b));
        assert_eq!(op(AluOp::Imul), a.wrapping_mul(b));
        assert_eq!(op(AluOp::ImulHigh), ((i64::from(x) * i64::from(y)) >> 32) as u32);
        assert_eq!(op(AluOp::UmulHigh), ((u64::from(a) * u64::from(b)) >> 32) as u32);
        assert_eq!(op(AluOp::UaddCarry), u32::from(a.overflowing_add(b).1));
        assert_eq!(op(AluOp::UsubBorrow), u32::from(a.overflowing_sub(b).1));
        assert_eq!(op(AluOp::Ishr), (x >> (b & 31)) as u32);
        assert_eq!(op(AluOp::Ushr), a >> (b & 31));
        assert_eq!(op(AluOp::Ishl), a << (b & 31));
        assert_eq!(op(AluOp::Imin), x.min(y) as u32);
        assert_eq!(eval(AluOp::BitfieldReverse, 32, 32, &args[..1]) as u32, reverse(a));
        assert_eq!(eval(AluOp::BitCount, 32, 32, &args[..1]) as u32, a.count_ones());
        assert_eq!(eval(AluOp::Ilt, 32, 1, &args), u64::from(x < y));
        assert_eq!(eval(AluOp::Iabs, 32, 32, &args[..1]) as u32, x.wrapping_abs() as u32);
        assert_eq!(op(AluOp::Udiv), a.checked_div(b).unwrap_or(0));
        assert_eq!(op(AluOp::Umod), a.checked_rem(b).unwrap_or(0));
        if b != 0 {
            assert_eq!(op(AluOp::Idiv), x.wrapping_div(y) as u32);
            assert_eq!(op(AluOp::Irem), x.wrapping_rem(y) as u32);
            let m = i64::from(x).rem_euclid(i64::from(y).abs());
            let floored = if m != 0 && y < 0 { m + i64::from(y) } else { m };
            assert_eq!(op(AluOp::Imod), floored as u32, "{x} mod {y}");
        }
    }
}

fn reverse(a: u32) -> u32 {
    (0..32).fold(0, |r, i| r | (a >> i & 1) << (31 - i))
}

/// Nearest half by search over all halves, with f64 distances.
fn nearest_half(value: f64) -> u16 {
    let mut best = (f64::INFINITY, 0u16);
    for bits in 0..=0x7c00u16 {
        // Infinity takes the place of the next finite half.
        let half = if bits == 0x7c00 { 65536.0 } else { f16_to_f64(bits) };
        let distance = (value.abs() - half).abs();
        if distance < best.0 || (distance == best.0 && bits & 1 == 0) {
            best = (distance, bits);
        }
    }
    best.1 | if value.is_sign_negative() { 0x8000 } else { 0 }
}

#[test]
fn halves() {
    for bits in 0..=u16::MAX {
        let value = f16_to_f64(bits);
        if !value.is_nan() {
            assert_eq!(f64_to_f16(value, false), bits);
            assert_eq!(f64_to_f16(value, true), bits);
        }
    }
    assert_eq!(f16_to_f64(0x3c00), 1.0);
    assert_eq!(f16_to_f64(0x0001), 2f64.powi(-24));
    assert_eq!(f16_to_f64(0x7bff), 65504.0);
    let mut rng = Rng::new(3);
    for i in 0..300 {
        let value = match i {
            0 => 65520.0,
            1 => 65519.99,
            2 => 2f64.powi(-25),
            3 => 2f64.powi(-25) * 1.0001,
            4 => 5e-324,
            5 => 6.1e-5,
            _ => (rng.int(32) as i32 as f64) * 2f64.powi(-(rng.below(60) as i32)),
        };
        let value = value.clamp(-65535.0, 65535.0);
        assert_eq!(f64_to_f16(value, false), nearest_half(value), "{value:e}");
        let zero = f64_to_f16(value, true);
        assert!(
            f16_to_f64(zero).abs() <= value.abs() && f16_to_f64(zero + 1).abs() > value.abs(),
            "{value:e}"
        );
    }
    assert_eq!(f64_to_f16(1e6, true), 0x7bff);
    assert_eq!(f64_to_f16(-1e6, false), 0xfc00);
}

#[test]
fn half_fma_rounds_once() {
    // 1 + 2^-11 is a tie that would round to even (1); the tiny product must break it upwards,
    // although it is far below f64's precision of the sum.
    let one = 0x3c00;
    let tie = eval(AluOp::Ffma, 16, 16, &[0x1000, one, one]);
    assert_eq!(tie, one, "2^-11 * 1 + 1 is a tie");
    let broken = eval(AluOp::Ffma, 16, 16, &[0x1001, one, one]);
    assert_eq!(broken, one + 1);
    // 32768 + (2^-24)^2: the sum needs 63 bits.
    assert_eq!(eval(AluOp::Ffma, 16, 16, &[0x0001, 0x0001, 0x7800]), 0x7800);
}

#[test]
fn bit_fields() {
    let op = |op, args: &[u64]| eval(op, 32, 32, args);
    assert_eq!(op(AluOp::Bfm, &[8, 4]), 0xff0);
    assert_eq!(op(AluOp::Bfm, &[32, 4]), 0, "32 counts as 0");
    assert_eq!(op(AluOp::Bfi, &[0xff0, 0xab, 0x1234_5678]), 0x1234_5ab8);
    assert_eq!(op(AluOp::Bfi, &[0, 0xab, 7]), 7, "empty mask gives the base");
    assert_eq!(op(AluOp::Ubfe, &[0x1234_5678, 8, 8]), 0x56);
    assert_eq!(op(AluOp::Ubfe, &[0x1234_5678, 8, 0]), 0);
    assert_eq!(op(AluOp::Ibfe, &[0x8000_0000, 28, 4]), 0xffff_fff8);
    assert_eq!(op(AluOp::Ibfe, &[0x0000_0f00, 8, 4]), 0xffff_ffff);
    assert_eq!(op(AluOp::UbitfieldExtract, &[0x1234_5678, 0, 32]), 0x1234_5678);
    assert_eq!(op(AluOp::IbitfieldExtract, &[0xffff_ff80, 0, 8]), 0xffff_ff80);
    assert_eq!(op(AluOp::BitfieldInsert, &[1, 0xffff_ffff, 0, 32]), 0xffff_ffff);
    assert_eq!(op(AluOp::BitfieldInsert, &[0, 3, 31, 1]), 0x8000_0000);
    assert_eq!(op(AluOp::FindLsb, &[0]), 0xffff_ffff);
    assert_eq!(op(AluOp::UfindMsb, &[0]), 0xffff_ffff);
    assert_eq!(op(AluOp::UfindMsb, &[0x8000_0000]), 31);
    assert_eq!(op(AluOp::IfindMsb, &[0xffff_ffff]), 0xffff_ffff);
    assert_eq!(op(AluOp::IfindMsb, &[0xffff_fffe]), 0);
    assert_eq!(op(AluOp::IfindMsb, &[0x4000_0000]), 30);
}

#[test]
fn special_floats() {
    let nan = 0x7fc0_0000;
    let one = 0x3f80_0000;
    let zero = 0u64;
    let minus_zero = 0x8000_0000;
    assert_eq!(eval(AluOp::Fmin, 32, 32, &[nan, one]), one);
    assert_eq!(eval(AluOp::Fmax, 32, 32, &[one, nan]), one);
    assert_eq!(eval(AluOp::Fmin, 32, 32, &[zero, minus_zero]), minus_zero);
    assert_eq!(eval(AluOp::Fmax, 32, 32, &[minus_zero, zero]), zero);
    assert_eq!(eval(AluOp::Fsat, 32, 32, &[nan]), zero);
    assert_eq!(eval(AluOp::Fsign, 32, 32, &[minus_zero]), minus_zero);
    assert_eq!(eval(AluOp::F2i32, 32, 32, &[nan]), 0);
    let ctx = FoldCtx { bits: 32, flush_f32: true };
    let sum = AluOp::Fadd.evaluate(ctx, &[[0x8000_0001; 4], [0x8000_0001; 4]], 32, 1).unwrap()[0];
    assert_eq!(sum, minus_zero, "denormals flush to zero of their sign");
    // mod of multiples whose quotient rounds down is 0, not the divisor.
    let m = eval(AluOp::Fmod, 64, 64, &[f64::to_bits(0.3 * 3.0), f64::to_bits(0.3)]);
    assert!(f64::from_bits(m).abs() < 0.3);
}
