//! Lowerings whose results the random shaders reach too rarely, checked on values chosen to hurt.

use super::*;
use crate::eval::{EvalOptions, TestServices, run};
use crate::testing::numbers::Rng;
use crate::*;

const LANES: usize = 256;

/// One operation on up to four inputs of the width its operands need; 64-bit ones take two words.
fn single_op(op: AluOp, width: u8) -> Shader {
    let mut shader = Shader::new(Stage::Fragment);
    let mut b = Builder::new(&mut shader);
    let info = op.info();
    let mut srcs = Vec::new();
    for (i, input) in info.inputs.iter().enumerate() {
        let words = b.load_input(Slot::Var(i as u8), 0, 4);
        let bits = if input.bits == 0 { width } else { input.bits };
        let count = input.components.max(1);
        let parts: Vec<Value> = (0..count)
            .map(|c| {
                let word = b.channel(words, c);
                match bits {
                    64 => {
                        let high = b.channel(words, c + 1);
                        b.pack_64_2x32_split(word, high)
                    }
                    16 => b.u2u16(word),
                    8 => b.u2u8(word),
                    1 => b.i2b(word),
                    _ => word,
                }
            })
            .collect();
        srcs.push(b.vec(&parts));
    }
    let result = b.alu(op, &srcs);
    for c in 0..b.shader.components(result) {
        let part = b.channel(result, c);
        let words = match b.shader.bits(part) {
            64 => vec![b.unpack_64_2x32_split_x(part), b.unpack_64_2x32_split_y(part)],
            1 => vec![b.b2i32(part)],
            32 => vec![part],
            _ => vec![b.u2u32(part)],
        };
        let out = b.vec(&words);
        b.store_output(Slot::FragColor { location: c, index: 0 }, 0, out);
    }
    b.finish();
    shader
}

fn outputs(shader: &Shader, seed: u64) -> Vec<((usize, eval::Io), u32)> {
    let mut rng = Rng::new(seed);
    let mut services = TestServices::default();
    for lane in 0..LANES {
        for slot in 0..4 {
            let words: Vec<u32> = match rng.below(4) {
                0 => (0..2).flat_map(|_| [rng.int(32) as u32, 0]).collect(),
                1 => (0..2).flat_map(|_| [rng.int(32) as u32, (rng.next() >> 32) as u32]).collect(),
                2 => (0..4).map(|_| rng.float(32) as u32).collect(),
                _ => {
                    let wide = [rng.int(64), rng.int(64)];
                    wide.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect()
                }
            };
            services.set_input(lane, Slot::Var(slot), &words);
        }
    }
    run(shader, LANES, &mut services, EvalOptions::default()).unwrap();
    services.outputs.into_iter().collect()
}

/// The lowering changes the operation and nothing else.
fn check(op: AluOp, width: u8, flush: bool, lower: impl Fn(&mut Shader) -> bool) {
    let mut original = single_op(op, width);
    original.info.float_controls.flush_f32 = flush;
    let mut lowered = original.clone();
    assert!(lower(&mut lowered), "{op:?} of {width} bits stays");
    validate(&lowered).unwrap_or_else(|e| panic!("{op:?}: {e}\n{lowered}"));
    for seed in 0..8 {
        let (want, got) = (outputs(&original, seed), outputs(&lowered, seed));
        let nan = |v: u32| f32::from_bits(v).is_nan();
        for (w, g) in want.iter().zip(&got) {
            let float = op.info().output.class == Class::Float;
            assert!(
                w == g || (float && nan(w.1) && nan(g.1)),
                "{op:?} of {width} bits, seed {seed}: {w:x?} {g:x?}"
            );
        }
    }
}

#[test]
fn int64() {
    use AluOp::*;
    let full = |s: &mut Shader| lower_int64(s, false);
    for op in [
        Iadd, Isub, Ineg, Iabs, Isign, Imin, Imax, Umin, Umax, Ilt, Ige, Ult, Uge, Ieq, Ine, Iand,
        Ior, Ixor, Inot, Ishl, Ishr, Ushr, Imul, ImulHigh, UmulHigh, Udiv, Umod, Idiv, Irem, Imod,
        UaddCarry, UsubBorrow, BitCount, FindLsb, UfindMsb, I2b, I2i32, I2i16, I2i8, U2u32, I2f32,
        U2f32, I2f16, U2f16,
    ] {
        check(op, 64, false, full);
    }
    for width in [8, 16, 32] {
        check(I2i64, width, false, full);
        check(U2u64, width, false, full);
    }
    check(B2i64, 1, false, full);
    check(F2i64, 32, false, full);
    check(F2u64, 32, false, full);
    check(Imul2x32To64, 32, false, full);
    check(Umul2x32To64, 32, false, full);
    // Division with the doubles lowered as well.
    check(Udiv, 64, false, |s| lower_int64(s, true) && lower_doubles(s));
}

#[test]
fn no_integer_operation_on_64_bits_is_left() {
    for &op in AluOp::ALL {
        let info = op.info();
        let integer = |o: &Operand| {
            matches!(o.class, Class::Int | Class::Uint) && (o.bits == 0 || o.bits == 64)
        };
        let moves = matches!(
            op,
            AluOp::Mov | AluOp::Bcsel | AluOp::Pack64 | AluOp::Unpack64X | AluOp::Unpack64Y
        ) || op.is_vec()
            || op.name().starts_with("ball")
            || op.name().starts_with("bany")
            || matches!(op, AluOp::PackVec64 | AluOp::UnpackVec64);
        let floats = info
            .inputs
            .iter()
            .chain([&info.output])
            .any(|o| o.class == Class::Float && o.bits != 32);
        if !info.inputs.iter().all(integer) || moves || floats {
            continue;
        }
        let mut shader = single_op(op, 64);
        assert!(lower_int64(&mut shader, false), "{op:?}");
    }
}

#[test]
fn float_ops() {
    use AluOp::*;
    for op in [Fmod, Frem, Flrp, FrexpSig, FrexpExp] {
        check(op, 16, false, lower_float_ops);
        if op != Flrp {
            check(op, 32, false, lower_float_ops);
            check(op, 32, true, lower_float_ops);
        }
    }
    check(Fldexp, 32, true, lower_float_ops);
    // An interpolation is an instruction, unless it must not fuse.
    assert!(!lower_float_ops(&mut single_op(Flrp, 32)));
    for flush in [false, true] {
        check(Flrp, 32, flush, |shader| {
            for inst in shader.insts.values_mut() {
                if let InstKind::Alu(alu) = &mut inst.kind {
                    alu.exact = true;
                }
            }
            lower_float_ops(shader)
        });
    }
}

#[test]
fn bit_fields_and_packing() {
    use AluOp::*;
    for op in [BitfieldInsert, UbitfieldExtract, IbitfieldExtract] {
        let mut shader = single_op(op, 32);
        assert!(lower_bitfield(&mut shader));
        validate(&shader).unwrap();
        // Offsets and sizes that fit, the whole value among them.
        for (offset, bits) in
            [(0u32, 0u32), (0, 32), (31, 1), (5, 7), (16, 16), (1, 31), (0, 1), (31, 0)]
        {
            let inputs = [0xdead_beef, 0x1234_5678];
            let run_one = |shader: &Shader| {
                let mut services = TestServices::default();
                let args = if op == BitfieldInsert {
                    vec![inputs[0], inputs[1], offset, bits]
                } else {
                    vec![inputs[0], offset, bits]
                };
                for (i, &arg) in args.iter().enumerate() {
                    services.set_input(0, Slot::Var(i as u8), &[arg]);
                }
                run(shader, 1, &mut services, EvalOptions::default()).unwrap();
                services.output(0, Slot::FragColor { location: 0, index: 0 }, 0)
            };
            assert_eq!(run_one(&single_op(op, 32)), run_one(&shader), "{op:?} {offset} {bits}");
        }
    }
    for op in [
        PackUnorm2x16,
        PackSnorm2x16,
        PackUnorm4x8,
        PackSnorm4x8,
        UnpackUnorm2x16,
        UnpackSnorm2x16,
        UnpackUnorm4x8,
        UnpackSnorm4x8,
        PackHalf2x16,
        UnpackHalf2x16,
    ] {
        check(op, 32, false, lower_pack);
    }
}

#[test]
fn small_types() {
    use AluOp::*;
    for op in [
        ImulHigh, UmulHigh, Idiv, Udiv, Imod, Umod, Irem, UaddCarry, UsubBorrow, BitCount, FindLsb,
        UfindMsb,
    ] {
        check(op, 8, false, |s| lower_small_types(s, true));
        check(op, 16, false, |s| lower_small_types(s, true));
    }
    for op in [
        Iadd, Isub, Imul, Ineg, Iabs, Isign, Imin, Imax, Umin, Umax, Ishl, Ishr, Ushr, Iand, Ior,
        Ixor, Inot, Ieq, Ine, Ilt, Ige, Ult, Uge, I2b,
    ] {
        check(op, 8, false, |s| lower_small_types(s, true));
        check(op, 8, false, |s| lower_small_types(s, false));
        check(op, 16, false, |s| lower_small_types(s, false));
    }
    for op in [I2f16, I2f32, I2i64, U2f16, U2f32, U2u64] {
        check(op, 8, false, |s| lower_small_types(s, false));
    }
    for op in [F2i32, F2u32, F2f64] {
        check(op, 16, false, |s| lower_small_types(s, false));
    }
    for op in [Ffloor, Fceil, Ftrunc, Ffract, FroundEven, Fsign, Fddx, FddyFine] {
        check(op, 16, true, |s| lower_small_types(s, true));
    }
}
