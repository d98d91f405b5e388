//! `lower_doubles` against IEEE arithmetic of the host, which is the correctly rounded oracle for
//! division and square root.

use super::lower_doubles;
use crate::eval::{EvalOptions, TestServices, run};
use crate::fold::FoldCtx;
use crate::testing::numbers::Rng;
use crate::*;

const LANES: usize = 512;

/// A shader with one operation on up to two 64-bit inputs (var0.xy, var0.zw; 32-bit ones from
/// var0.z).
fn single_op(op: AluOp, source_bits: u8) -> Shader {
    let mut shader = Shader::new(Stage::Fragment);
    let mut b = Builder::new(&mut shader);
    let input = b.load_input(Slot::Var(0), 0, 4);
    let words = b.channels(input);
    let wide = [b.pack_64_2x32_split(words[0], words[1]), b.pack_64_2x32_split(words[2], words[3])];
    let narrow = |b: &mut Builder<'_>, i: usize, bits| match bits {
        64 => wide[i],
        32 => words[2 * i],
        1 => b.i2b(words[2 * i]),
        16 => b.u2u16(words[2 * i]),
        _ => b.u2u8(words[2 * i]),
    };
    let inputs = op.info().inputs;
    let srcs: Vec<Value> = (0..inputs.len())
        .map(|i| {
            narrow(&mut b, i.min(1), if inputs[i].bits == 0 { source_bits } else { inputs[i].bits })
        })
        .collect();
    let result = b.alu(op, &srcs);
    let parts = match b.shader.bits(result) {
        64 => vec![b.unpack_64_2x32_split_x(result), b.unpack_64_2x32_split_y(result)],
        1 => vec![b.b2i32(result)],
        32 => vec![result],
        _ => vec![b.u2u32(result)],
    };
    let out = b.vec(&parts);
    b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, out);
    b.finish();
    shader
}

fn run_on(shader: &Shader, pairs: &[[u64; 2]]) -> Vec<u64> {
    let mut services = TestServices::default();
    for (lane, pair) in pairs.iter().enumerate() {
        let words: Vec<u32> = pair.iter().flat_map(|v| [*v as u32, (*v >> 32) as u32]).collect();
        services.set_input(lane, Slot::Var(0), &words);
    }
    run(shader, pairs.len(), &mut services, EvalOptions::default()).unwrap();
    let color = Slot::FragColor { location: 0, index: 0 };
    let word = |lane, c| u64::from(services.output(lane, color, c).unwrap_or(0));
    (0..pairs.len()).map(|lane| word(lane, 0) | word(lane, 1) << 32).collect()
}

/// Makes every 32-bit estimate wrong by `factor`, as the math unit may.
fn perturb_estimates(shader: &mut Shader, factor: f32) {
    super::rewrite::rewrite_alu(shader, |b, alu, result| {
        let estimate = matches!(alu.op, AluOp::Frcp | AluOp::Frsq) && b.shader.bits(result) == 32;
        estimate.then(|| {
            let factor = b.fconst(32, factor.into());
            let value = b.alu_src(alu.op, &alu.srcs, 1);
            b.fmul(value, factor)
        })
    });
}

fn random_pairs(rng: &mut Rng) -> Vec<[u64; 2]> {
    let mut pairs = Vec::new();
    for _ in 0..LANES {
        let a = rng.float(64);
        let b = match rng.below(4) {
            // Mantissa of all ones, the hard case of Newton's division.
            0 => rng.float(64) | 0x000f_ffff_ffff_ffff,
            _ => rng.float(64),
        };
        let canonical = |v: u64| if f64::from_bits(v).is_nan() { 0x7ff8_0000_0000_0000 } else { v };
        pairs.push([canonical(a), canonical(b)]);
    }
    pairs
}

/// Two neighboring numbers in the range where halves of quotients are subnormal.
fn neighboring_subnormals(a: u64, b: u64) -> bool {
    let magnitude = |v: u64| v & 0x7fff_ffff_ffff_ffff;
    a.abs_diff(b) == 1 && magnitude(a).max(magnitude(b)) <= 0x0020_0000_0000_0000
}

fn check(op: AluOp, source_bits: u8, rounds: u64) {
    let original = single_op(op, source_bits);
    let mut exact = original.clone();
    assert!(lower_doubles(&mut exact), "{op:?}");
    validate(&exact).unwrap();
    for factor in [1.0, 1.0 + f32::EPSILON * 4.0, 1.0 - f32::EPSILON * 4.0] {
        let mut shader = exact.clone();
        if factor != 1.0 {
            perturb_estimates(&mut shader, factor);
        }
        for seed in 0..rounds {
            let mut rng = Rng::new(seed);
            let pairs = random_pairs(&mut rng);
            let want = run_on(&original, &pairs);
            let got = run_on(&shader, &pairs);
            for ((pair, want), got) in pairs.iter().zip(want).zip(got) {
                let [a, b] = pair.map(f64::from_bits);
                let right = match op {
                    AluOp::Fdiv | AluOp::Frcp => want == got || neighboring_subnormals(want, got),
                    // The quotient may be a step off, and then its floor another one.
                    AluOp::Fmod | AluOp::Frem => want == got || (a / b).is_subnormal(),
                    _ => want == got,
                };
                assert!(
                    right,
                    "{op:?}({a:e}, {b:e}) = {got:#x}, {want:#x} expected; estimates × {factor}"
                );
            }
        }
    }
}

/// The folding functions the results are compared with, themselves against the host.
#[test]
fn oracle_is_the_host() {
    let mut rng = Rng::new(9);
    for _ in 0..10_000 {
        let (a, b) = (rng.float(64), rng.float(64));
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let ctx = FoldCtx { bits: 64, flush_f32: false };
        let fold =
            |op: AluOp| op.evaluate(ctx, &[[a; 4], [b; 4]][..op_inputs(op)], 64, 1).unwrap()[0];
        let same =
            |got: u64, want: f64| f64::from_bits(got).to_bits() == want.to_bits() || want.is_nan();
        assert!(same(fold(AluOp::Fdiv), x / y));
        assert!(same(fold(AluOp::Frcp), 1.0 / x));
        assert!(same(fold(AluOp::Fsqrt), x.sqrt()));
        assert!(same(fold(AluOp::Ftrunc), x.trunc()));
        assert!(same(fold(AluOp::Ffloor), x.floor()));
        assert!(same(fold(AluOp::Fceil), x.ceil()));
    }
}

fn op_inputs(op: AluOp) -> usize {
    op.info().inputs.len()
}

#[test]
fn division_is_correctly_rounded() {
    check(AluOp::Fdiv, 64, 40);
    check(AluOp::Frcp, 64, 20);
}

/// Quotients in the subnormal range, with the halfway cases made on purpose: within one step.
#[test]
fn subnormal_quotients_are_one_step_off_at_most() {
    let original = single_op(AluOp::Fdiv, 64);
    let mut shader = original.clone();
    lower_doubles(&mut shader);
    let mut rng = Rng::new(77);
    let mut inexact_ties = 0;
    for _ in 0..60 {
        let mut pairs = Vec::new();
        for _ in 0..LANES {
            // q = (2k + 1) / 2 subnormal steps, times d, off by one unit in the last place or
            // exact.
            let d = 1.0 + (rng.next() >> 12) as f64 * 2f64.powi(-52);
            let width = rng.below(52).max(1);
            let half_steps = (2 * rng.below(1 << width) + 1) as f64;
            let product = half_steps * d;
            let nudged =
                f64::from_bits(product.to_bits().wrapping_add(rng.next() % 3).wrapping_sub(1));
            inexact_ties += usize::from(product != nudged);
            // Scaled by 2^-1075 in total, both operands normal.
            pairs.push([(nudged * 2f64.powi(-500)).to_bits(), (d * 2f64.powi(575)).to_bits()]);
        }
        let got = run_on(&shader, &pairs);
        for (pair, got) in pairs.iter().zip(got) {
            let [a, b] = pair.map(f64::from_bits);
            let want = (a / b).to_bits();
            assert!(
                got == want || neighboring_subnormals(got, want),
                "{a:e} / {b:e} = {got:#x}, {want:#x} expected"
            );
        }
    }
    assert!(inexact_ties > 1000);
}

#[test]
fn square_roots_are_correctly_rounded() {
    check(AluOp::Fsqrt, 64, 40);
    // Close to squares and to squares of halfway points.
    let original = single_op(AluOp::Fsqrt, 64);
    let mut shader = original.clone();
    lower_doubles(&mut shader);
    let mut rng = Rng::new(5);
    let mut pairs = Vec::new();
    for _ in 0..8 * LANES {
        let root = 1.0 + (rng.next() >> 12) as f64 * 2f64.powi(-52);
        let near = (root * root).to_bits().wrapping_add(rng.next() % 5).wrapping_sub(2);
        pairs.push([near, 0]);
        pairs.push([rng.next() >> 13, 0]);
    }
    for (pair, got) in pairs.iter().zip(run_on(&shader, &pairs)) {
        let x = f64::from_bits(pair[0]);
        assert_eq!(got, x.sqrt().to_bits(), "sqrt({x:e})");
    }
}

/// Against a quotient of double-doubles computed here: √x in two parts, then its reciprocal.
#[test]
fn reciprocal_square_root_is_accurate() {
    let mut shader = single_op(AluOp::Frsq, 64);
    lower_doubles(&mut shader);
    let mut rng = Rng::new(6);
    let pairs: Vec<[u64; 2]> = (0..8 * LANES).map(|_| [rng.float(64), 0]).collect();
    for (pair, got) in pairs.iter().zip(run_on(&shader, &pairs)) {
        let (x, got) = (f64::from_bits(pair[0]), f64::from_bits(got));
        if x == 0.0 || !x.is_finite() || x < 0.0 {
            let want = 1.0 / x.sqrt();
            assert!(
                got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
                "{x:e}: {got:e}"
            );
            continue;
        }
        // 1 - x·got² to twice the precision, on scaled operands; relative error is half of that.
        let half = libm::ilogb(x) / 2;
        let (m, y) = (libm::scalbn(x, -2 * half), libm::scalbn(got, half));
        let square = y * y;
        let square_low = y.mul_add(y, -square);
        let residual = (-m).mul_add(square, 1.0) - m * square_low;
        let ulp = 2f64.powi(libm::ilogb(y) - 52);
        assert!((residual / 2.0 * y).abs() < 0.51 * ulp, "{x:e}: {got:e}");
    }
}

#[test]
fn rounding_and_exponents() {
    use AluOp::*;
    for op in [Ftrunc, Ffloor, Fceil, Ffract, FroundEven, Fsign, Fsat, Fldexp, FrexpSig, FrexpExp] {
        check(op, 64, 12);
    }
    check(Fmod, 64, 12);
    check(Frem, 64, 12);
}

#[test]
fn conversions() {
    use AluOp::*;
    for op in [F2i64, F2u64, F2i8, F2i16, F2u8, F2u16, F2f16, F2f16Rtz, F2b] {
        check(op, 64, 12);
    }
    for op in [I2f64, U2f64] {
        check(op, 64, 12);
        check(op, 16, 2);
        check(op, 8, 2);
    }
    check(B2f64, 1, 1);
    check(F2f64, 16, 4);
}

/// Nothing the hardware lacks is left, on vectors too.
#[test]
fn everything_is_lowered() {
    let mut shader = Shader::new(Stage::Vertex);
    let mut b = Builder::new(&mut shader);
    for &op in AluOp::ALL {
        let info = op.info();
        let takes = |o: &Operand| o.class != Class::Float || o.bits == 0 || o.bits == 64;
        let transcendental =
            matches!(op, AluOp::Fexp2 | AluOp::Flog2 | AluOp::Fsin | AluOp::Fcos | AluOp::Fpow);
        if info.is_derivative() || transcendental || !info.inputs.iter().all(takes) {
            continue;
        }
        let srcs: Vec<Value> = info
            .inputs
            .iter()
            .map(|i| {
                b.zero(
                    if i.bits == 0 { 64 } else { i.bits },
                    if i.components == 0 { 4 } else { i.components },
                )
            })
            .collect();
        b.alu(op, &srcs);
    }
    b.finish();
    lower_doubles(&mut shader);
    validate(&shader).unwrap();
    assert!(!lower_doubles(&mut shader), "{shader}");
}
