//! Every operation by itself, on many values: the result is that of its folding function.

use crate::harness::*;
use amd_isa::Chip;
use ir::{AluOp, Builder, Class, Fields, IntrinsicOp, Shader, Slot, Stage, Value, Varying};

/// An empty fragment shader with four flat inputs of four dwords.
pub(crate) fn shader() -> Shader {
    let mut shader = Shader::new(Stage::Fragment);
    shader.info.float_controls.flush_f32 = true;
    shader.info.inputs = (0..4)
        .map(|slot| Varying {
            interpolation: ir::Interpolation::Flat,
            ..Varying::new(Slot::Var(slot))
        })
        .collect();
    shader
}

/// Loads the first components of the inputs as a value of a width.
pub(crate) fn input(b: &mut Builder<'_>, slot: u8, bits: u8) -> Value {
    let fields = Fields { slot: Slot::Var(slot), ..Fields::default() };
    let zero = b.imm(0);
    let loaded = b.intrinsic(IntrinsicOp::LoadInput, &[zero], fields, Some((32, 4))).unwrap();
    let (low, high) = (b.channel(loaded, 0), b.channel(loaded, 1));
    match bits {
        64 => b.pack_64_2x32_split(low, high),
        1 => {
            let one = b.imm(1);
            let bit = b.iand(low, one);
            b.i2b(bit)
        }
        _ => low,
    }
}

pub(crate) fn store(b: &mut Builder<'_>, value: Value) {
    let parts = match b.shader.bits(value) {
        64 => vec![b.unpack_64_2x32_split_x(value), b.unpack_64_2x32_split_y(value)],
        1 => vec![b.b2i32(value)],
        _ => vec![value],
    };
    let color = b.vec(&parts);
    b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, color);
}

/// True if the model of the hardware has an error there.
fn is_inexact(op: AluOp) -> bool {
    use AluOp::*;
    matches!(op, Fsin | Fcos | Fpow | Fexp2 | Flog2 | Fdiv | Frcp | Frsq | Fsqrt | Fmod | Frem)
}

fn is_close(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    a == b || x.is_nan() && y.is_nan() || (x - y).abs() <= 2e-5 * x.abs().max(y.abs()).max(1.0)
}

/// The widths of the operands that an operation takes. GLSL has no functions of doubles beyond
/// square roots, and no conversion of a width to itself.
fn widths(op: AluOp) -> Vec<u8> {
    use AluOp::*;
    match op {
        Fexp2 | Flog2 | Fsin | Fcos | Fpow | F2f64 => vec![32],
        F2f32 => vec![64],
        _ if op.info().is_unsized() => vec![32, 64],
        _ => vec![32],
    }
}

/// True for operands where GLSL or the lowering says nothing about the result, or where its error
/// grows with them: bits beyond a value, powers of negative numbers, many turns, quotients that
/// singles do not hold, quotients and roots near the smallest doubles, the bits of a NaN.
fn is_undefined(op: AluOp, width: u8, lane: &[[u32; 4]; 4]) -> bool {
    use AluOp::*;
    let single = |slot: usize| f32::from_bits(lane[slot][0]);
    let double = |slot: usize| {
        let [low, high, ..] = lane[slot];
        f64::from_bits(u64::from(low) | u64::from(high) << 32)
    };
    let beyond = |offset: usize| {
        let (offset, bits) = (u64::from(lane[offset][0]), u64::from(lane[offset + 1][0]));
        offset + bits > 32
    };
    let moderate = |x: f64| x == 0.0 || (1e-150..1e150).contains(&x.abs());
    match op {
        BitfieldInsert => beyond(2),
        IbitfieldExtract | UbitfieldExtract => beyond(1),
        Fpow => single(0) < 0.0,
        Fsin | Fcos => single(0).abs() > 100.0,
        Fmod | Frem if width == 32 => true,
        Fmod | Frem | Fdiv if width == 64 => !moderate(double(0)) || !moderate(double(1)),
        Frcp | Frsq if width == 64 => !moderate(double(0)),
        PackHalf => single(0).is_nan() || single(1).is_nan(),
        _ => false,
    }
}

fn check_operation(op: AluOp, width: u8, chip: Chip) {
    let info = op.info();
    let mut shader = shader();
    let mut b = Builder::new(&mut shader);
    let bits = |operand: &ir::Operand| if operand.bits == 0 { width } else { operand.bits };
    let sources: Vec<Value> = info
        .inputs
        .iter()
        .enumerate()
        .map(|(index, operand)| input(&mut b, index as u8, bits(operand)))
        .collect();
    b.exact = true;
    let value = b.alu(op, &sources);
    store(&mut b, value);
    b.finish();
    let output_bits = bits(&info.output);
    let float = info.output.class == Class::Float;
    let mut lowered = shader.clone();
    lower(&mut lowered);
    let output = compiled(&lowered, chip);
    let mut rng = Rng(op as u64 * 7 + u64::from(width));
    for _ in 0..12 {
        let inputs = rng.inputs();
        let (expected, _) = on_evaluator(&shader, &inputs, &[], LANES);
        let (got, _) = on_wave(&output, &inputs, &[], LANES);
        for (&(lane, color, channel), &value) in &expected {
            if is_undefined(op, width, &inputs[lane]) {
                continue;
            }
            let found = got.get(&(lane, color, channel)).copied();
            let same = found == Some(value);
            let close = output_bits == 32 && float && is_inexact(op);
            let nan = float && output_bits == 32 && f32::from_bits(value).is_nan();
            let wide_nan = float && output_bits == 64 && {
                let word = |c| u64::from(expected[&(lane, color, c)]);
                f64::from_bits(word(0) | word(1) << 32).is_nan()
            };
            let fine = same
                || (close && is_close(value, found.unwrap_or(0)))
                || (nan && f32::from_bits(found.unwrap_or(0)).is_nan())
                || wide_nan;
            assert!(
                fine,
                "{chip} {} of {width} bits, lane {lane}, component {channel}: {:x?} gives {:x?}, not {value:x}\n{}",
                op.name(),
                inputs[lane].map(|slot| [slot[0], slot[1]]),
                found,
                text(&output)
            );
        }
    }
}

/// Operations with other widths than 1, 32 and 64, vectors, and those of quads are not here.
fn is_tested(op: AluOp) -> bool {
    let info = op.info();
    let all = || info.inputs.iter().chain([&info.output]);
    let plain = all().all(|o| matches!(o.bits, 0 | 1 | 32 | 64) && o.components == 0);
    plain && !info.is_derivative() && !op.is_vec()
}

fn check_all(chip: Chip) {
    let mut failures = Vec::new();
    let mut count = 0;
    for &op in AluOp::ALL.iter().filter(|op| is_tested(**op)) {
        for width in widths(op) {
            count += 1;
            let result = std::panic::catch_unwind(|| check_operation(op, width, chip));
            if let Err(error) = result {
                let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
                failures.push(format!("{} {width}: {text}", op.name()));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn si_computes_what_the_evaluator_does() {
    check_all(Chip::Si);
}

#[test]
fn vi_computes_what_the_evaluator_does() {
    check_all(Chip::Vi);
}
