//! Arithmetic on registers: expected values come from the host's IEEE arithmetic or are worked out
//! by hand.

use crate::common::{COUNT, doubles, floats, run, set_doubles, set_floats};

const ALL: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];

#[test]
fn float_arithmetic_and_modifiers() {
    let x = [1.5, -2.25, 0.1, 1e30, -1e30, 3.0, 0.0, -0.0];
    let y = [0.1, 7.0, 0.2, 1e30, 1e10, -3.0, -0.0, -0.0];
    for name in ALL {
        let thread = run(
            name,
            "add(8) g10<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
             mul(8) g11<1>F -g2<8,8,1>F (abs)g3<8,8,1>F { align1 1Q };
             mul.sat(8) g12<1>F g2<8,8,1>F g3<0,1,0>F { align1 1Q };
             mad(8) g13<1>F g2<4,4,1>F g3<4,4,1>F g2<4,4,1>F { align16 1Q };
             mov(8) g14<1>D g2<8,8,1>F { align1 1Q };
             mov(8) g15<1>UD g2<8,8,1>F { align1 1Q };",
            |thread| {
                set_floats(thread, 2, x);
                set_floats(thread, 3, y);
            },
        );
        for lane in 0..8 {
            let (a, b) = (x[lane], y[lane]);
            assert_eq!(floats(&thread, 10)[lane].to_bits(), (a + b).to_bits(), "{name} add");
            assert_eq!(floats(&thread, 11)[lane].to_bits(), (-a * b.abs()).to_bits(), "{name} mul");
            assert_eq!(floats(&thread, 12)[lane], (a * y[0]).clamp(0.0, 1.0), "{name} sat");
            assert_eq!(
                floats(&thread, 13)[lane].to_bits(),
                b.mul_add(a, a).to_bits(),
                "{name} mad"
            );
            assert_eq!(thread.register(14)[lane], a as i32 as u32, "{name} f2i");
            assert_eq!(thread.register(15)[lane], a as u32, "{name} f2u");
        }
    }
}

#[test]
fn denormals_follow_cr0() {
    let tiny = f32::from_bits(0x0000_1234);
    let text = "mul(8) g10<1>F g2<8,8,1>F 0x3f800000F { align1 1Q };
                or(1) cr0<1>UD cr0<0,1,0>UD 0x80UD { align1 1Q WE_all };
                mul(8) g11<1>F g2<8,8,1>F 0x3f800000F { align1 1Q };
                mov(8) g12<1>F g2<8,8,1>F { align1 1Q };";
    let thread = run("bdw", text, |thread| set_floats(thread, 2, [tiny; 8]));
    assert_eq!(thread.register(10), [0; 8], "F flushes by default");
    assert_eq!(thread.register(11), [tiny.to_bits(); 8]);
    assert_eq!(thread.register(12), [tiny.to_bits(); 8], "a raw move keeps everything");
    let text = "add(4) g10<1>DF g2<4,4,1>DF g2<4,4,1>DF { align1 1N };
                or(1) cr0<1>UD cr0<0,1,0>UD 0x40UD { align1 1Q WE_all };
                add(4) g12<1>DF g2<4,4,1>DF g2<4,4,1>DF { align1 1N };";
    let thread = run("hsw", text, |thread| set_doubles(thread, 2, &[f64::from_bits(3); 4]));
    assert_eq!(doubles::<4>(&thread, 10), [0.0; 4]);
    assert_eq!(doubles::<4>(&thread, 12), [f64::from_bits(6); 4]);
}

/// Subnormal halves survive conversions in both directions, but not arithmetic.
#[test]
fn conversions_keep_subnormal_halves() {
    let text = "mov(8) g10<1>F g2<8,8,1>HF { align1 1Q };
                mov(8) g11<2>HF g10<8,8,1>F { align1 1Q };
                add(8) g12<1>HF g2<8,8,1>HF g2<8,8,1>HF { align1 1Q };";
    let thread = run("skl", text, |thread| thread.set_register(2, &[0x8003_0003; 8]));
    let half = 3.0 / f32::powi(2.0, 24);
    assert_eq!(floats(&thread, 10)[..2], [half, -half]);
    assert_eq!(thread.register(11).map(|dword| dword & 0xffff)[..2], [0x0003, 0x8003]);
    assert_eq!(thread.register(12)[0], 0x8000_0000);
}

#[test]
fn rounding_modes_follow_cr0() {
    let text = "add(8) g10<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
                or(1) cr0<1>UD cr0<0,1,0>UD 0x10UD { align1 1Q WE_all };
                add(8) g11<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
                or(1) cr0<1>UD cr0<0,1,0>UD 0x30UD { align1 1Q WE_all };
                add(8) g12<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };";
    let thread = run("skl", text, |thread| {
        set_floats(thread, 2, [1.0; 8]);
        set_floats(thread, 3, [1e-10; 8]);
    });
    assert_eq!(floats(&thread, 10)[0], 1.0);
    assert_eq!(floats(&thread, 11)[0], 1.0 + f32::EPSILON, "up");
    assert_eq!(floats(&thread, 12)[0], 1.0, "to zero");
}

#[test]
fn double_arithmetic_on_every_device() {
    let x = [1.1, -2.7e100, f64::INFINITY, 5e-324];
    let y = [2.2, 3.3e-10, 1.0, 0.5];
    // ivb encodes twice the channels and regions in dwords.
    let hsw = "or(1) cr0<1>UD cr0<0,1,0>UD 0x40UD { align1 1Q WE_all };
               mul(4) g10<1>DF g2<4,4,1>DF g4<4,4,1>DF { align1 1N };
               add(4) g12<1>DF g2<4,4,1>DF -g4<0,1,0>DF { align1 1N };
               mad(4) g14<1>DF g2<4,4,1>DF g4<4,4,1>DF g2<4,4,1>DF { align16 1N };";
    let ivb = "or(1) cr0<1>UD cr0<0,1,0>UD 0x40UD { align1 1Q WE_all };
               mul(8) g10<1>DF g2<8,8,1>DF g4<8,8,1>DF { align1 1N };
               add(8) g12<1>DF g2<8,8,1>DF -g4<0,2,1>DF { align1 1N };
               mad(8) g14<1>DF g2<4,4,1>DF g4<4,4,1>DF g2<4,4,1>DF { align16 1N };";
    for name in ALL {
        let thread = run(name, if name == "ivb" { ivb } else { hsw }, |thread| {
            set_doubles(thread, 2, &x);
            set_doubles(thread, 4, &y);
        });
        for lane in 0..4 {
            assert_eq!(
                doubles::<4>(&thread, 10)[lane].to_bits(),
                (x[lane] * y[lane]).to_bits(),
                "{name} mul"
            );
            assert_eq!(
                doubles::<4>(&thread, 12)[lane].to_bits(),
                (x[lane] - y[0]).to_bits(),
                "{name} add"
            );
            let fused = y[lane].mul_add(x[lane], x[lane]);
            assert_eq!(doubles::<4>(&thread, 14)[lane].to_bits(), fused.to_bits(), "{name} mad");
        }
    }
}

/// Conditions other than overflow see the saturated value.
#[test]
fn conditions_of_saturated_results() {
    let text = "add.sat.nz.f0.0(8) g10<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
                (+f0.0) mov(8) g11<1>D 1D { align1 1Q };
                add.sat.z.f0.0(8) g12<1>UD g4<8,8,1>D g5<8,8,1>D { align1 1Q };
                (+f0.0) mov(8) g13<1>D 1D { align1 1Q };";
    for name in ALL {
        let thread = run(name, text, |thread| {
            set_floats(thread, 2, [0.0, 1.0, 2.0, -4.0, 1.5, 0.5, 1.0, 3.0]);
            set_floats(thread, 3, [-1.0; 8]);
            thread.set_register(4, &[0, 1, 2, 3, 4, 5, 6, 7]);
            thread.set_register(5, &[-2_i32 as u32; 8]);
            thread.set_register(11, &[0; 8]);
            thread.set_register(13, &[0; 8]);
        });
        assert_eq!(thread.register(11), [0, 0, 1, 0, 1, 0, 0, 1], "{name} F");
        assert_eq!(thread.register(13), [1, 1, 1, 0, 0, 0, 0, 0], "{name} UD");
    }
}

/// Conditions other than overflow see the bits that the destination gets, also if there is none.
#[test]
fn conditions_of_results_that_wrap() {
    let text = "add.l.f0.0(8) null<1>D g2<8,8,1>D g3<8,8,1>D { align1 1Q };
                (+f0.0) mov(8) g10<1>D 1D { align1 1Q };
                shl.g.f0.0(8) null<1>D g4<8,8,1>D 31D { align1 1Q };
                (+f0.0) mov(8) g11<1>D 1D { align1 1Q };
                add.nz.f0.0(8) g12<2>W g4<8,8,1>D 0xffffffD { align1 1Q };
                (+f0.0) mov(8) g14<1>D 1D { align1 1Q };";
    for name in ALL {
        let thread = run(name, text, |thread| {
            let (least, most) = (0x8000_0000, 0x7fff_ffff);
            thread.set_register(2, &[least, least, most, most, 0, 1, least, most]);
            let minus = |x: i32| -x as u32;
            thread.set_register(3, &[minus(4), 4, 1, minus(1), minus(1), minus(1), least, 5]);
            thread.set_register(4, &[0, 1, 2, 3, 4, 0x10001, 0x1969_bcd8, minus(1)]);
            for register in [10, 11, 14] {
                thread.set_register(register, &[0; 8]);
            }
        });
        assert_eq!(thread.register(10), [0, 1, 1, 0, 1, 0, 0, 1], "{name} ADD");
        assert_eq!(thread.register(11), [0; 8], "{name} SHL");
        assert_eq!(thread.register(14), [1, 0, 1, 1, 1, 0, 1, 1], "{name} W");
    }
}

/// The least integer is its own negation and magnitude, in the width of the source.
#[test]
fn negation_of_the_least_integer() {
    let text = "sel.l(8) g10<1>D g2<8,8,1>D -g3<8,8,1>D { align1 1Q };
                add(8) g11<1>D g2<8,8,1>D -g4<16,8,2>W { align1 1Q };
                cmp.l.f0.0(8) g12<1>D -g3<8,8,1>D g2<8,8,1>D { align1 1Q };
                mov(8) g13<1>F -g3<8,8,1>D { align1 1Q };
                mov(8) g14<1>F (abs)g3<8,8,1>D { align1 1Q };
                add.sat(8) g15<1>D g2<8,8,1>D -g3<8,8,1>D { align1 1Q };
                mov(8) g16<1>F -g3<8,8,1>UD { align1 1Q };";
    for name in ALL {
        let thread = run(name, text, |thread| {
            thread.set_register(2, &[0; 8]);
            thread.set_register(3, &[0x8000_0000; 8]);
            thread.set_register(4, &[0x8000; 8]);
        });
        let least = 0x8000_0000;
        assert_eq!(thread.register(10), [least; 8], "{name} SEL");
        assert_eq!(thread.register(11), [0xffff_8000; 8], "{name} ADD of words");
        assert_eq!(thread.register(12), [u32::MAX; 8], "{name} CMP");
        for register in [13, 14, 16] {
            assert_eq!(floats(&thread, register), [-2_147_483_648.0; 8], "{name} g{register}");
        }
        assert_eq!(thread.register(15), [least; 8], "{name} saturation");
    }
}

#[test]
fn masks_of_the_dispatch() {
    let text = "mov(8) g10<1>UD sr0.2<0,1,0>UD { align1 1Q WE_all };
                mov(8) g11<1>UD sr0.3<0,1,0>UD { align1 1Q WE_all };";
    for name in ALL {
        let thread = run(name, text, |thread| thread.set_dispatch_mask(0x0f));
        assert_eq!((thread.register(10), thread.register(11)), ([0x0f; 8], [0x0f; 8]), "{name}");
    }
}

#[test]
fn integer_arithmetic_wraps_and_saturates() {
    let values = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1234_5678, 31, 32];
    let thread = run(
        "ivb",
        "add(8) g10<1>D g2<8,8,1>D 1D { align1 1Q };
         add.sat(8) g11<1>D g2<8,8,1>D 1D { align1 1Q };
         add.sat(8) g12<1>UD g2<8,8,1>UD 1UD { align1 1Q };
         shl(8) g13<1>D 1D g2<8,8,1>UD { align1 1Q };
         asr(8) g14<1>D g2<8,8,1>D 4UD { align1 1Q };
         shr(8) g15<1>UD g2<8,8,1>UD 4UD { align1 1Q };
         mov(8) g16<1>F g2<8,8,1>UD { align1 1Q };
         mov(8) g17<1>F g2<8,8,1>D { align1 1Q };
         mov(8) g18<2>W g2<8,8,1>D { align1 1Q };
         not(8) g19<1>UD g2<8,8,1>UD { align1 1Q };
         avg(8) g20<1>D g2<8,8,1>D 1D { align1 1Q };"
            .replace("shl(8) g13<1>D 1D g2<8,8,1>UD", "shl(8) g13<1>D g3<0,1,0>D g2<8,8,1>UD")
            .as_str(),
        |thread| {
            thread.set_register(2, &values);
            thread.set_register(3, &[1; 8]);
        },
    );
    for (lane, &x) in values.iter().enumerate() {
        let signed = x as i32;
        assert_eq!(thread.register(10)[lane], x.wrapping_add(1));
        assert_eq!(thread.register(11)[lane], signed.saturating_add(1) as u32);
        assert_eq!(thread.register(12)[lane], x.saturating_add(1));
        assert_eq!(thread.register(13)[lane], 1u32 << (x & 31));
        assert_eq!(thread.register(14)[lane], (signed >> 4) as u32);
        assert_eq!(thread.register(15)[lane], x >> 4);
        assert_eq!(floats(&thread, 16)[lane], x as f32);
        assert_eq!(floats(&thread, 17)[lane], signed as f32);
        assert_eq!(thread.register(18)[lane] & 0xffff, x & 0xffff, "a plain move wraps");
        assert_eq!(thread.register(19)[lane], !x);
        assert_eq!(thread.register(20)[lane], ((i64::from(signed) + 2) >> 1) as u32);
    }
}

/// Two sequences of Mesa that real hardware is known to execute right: one reads the accumulator as
/// a scalar region, the other shifts a signed number to the right by `shr`.
#[test]
fn saturating_subtraction() {
    let ys = [0, 1, 0xffff_ffff, 0x8000_0000, 0x8000_0001, 0x7fff_ffff, 0x1234_5678, 0xfffe_0000];
    for x in [0, 5, 0xffff_fffa, 0x8000_0000, 0x7fff_ffff] {
        let thread = run(
            "skl",
            "mov(8) acc0<1>UD g3<8,8,1>UD { align1 1Q };
             add.sat(8) g10<1>UD -acc0<0,1,0>UD g2<8,8,1>UD { align1 1Q };
             mov(8) acc0<1>D g3<8,8,1>D { align1 1Q };
             add.sat(8) g11<1>D -acc0<0,1,0>D g2<8,8,1>D { align1 1Q };
             shr(8) g4<1>D g3<8,8,1>D 1D { align1 1Q };
             add(8) g5<1>D g3<8,8,1>D -g4<8,8,1>D { align1 1Q };
             add.sat(8) g6<1>D g2<8,8,1>D -g4<8,8,1>D { align1 1Q };
             add.sat(8) g12<1>D g6<8,8,1>D -g5<8,8,1>D { align1 1Q };",
            |thread| {
                thread.set_register(2, &[x; 8]);
                thread.set_register(3, &ys);
            },
        );
        let signed = ys.map(|y| (x as i32).saturating_sub(y as i32) as u32);
        assert_eq!(thread.register(10), ys.map(|y| x.saturating_sub(y)), "{x:#x}");
        assert_eq!(thread.register(11), signed, "{x:#x}");
        assert_eq!(thread.register(12), signed, "{x:#x}");
    }
}

#[test]
fn long_multiplication_by_mul_and_mach() {
    let (x, y) = (0x8765_4321u32, 0xfedc_ba98u32);
    let setup = |thread: &mut eu_simulator::Thread| {
        thread.set_register(2, &[x; 8]);
        thread.set_register(3, &[y; 8]);
    };
    // Before gen8 MUL takes the low word of a dword src1 by itself, from gen8 it must be asked to.
    let ivb = "mul(8) acc0<1>UD g2<8,8,1>UD g3<8,8,1>UD { align1 1Q };
               mach(8) g10<1>UD g2<8,8,1>UD g3<8,8,1>UD { align1 1Q AccWrEnable };
               mov(8) g11<1>UD acc0<8,8,1>UD { align1 1Q };";
    let bdw = ivb.replacen("g3<8,8,1>UD", "g3<16,8,2>UW", 1);
    for (name, text) in [("ivb", ivb), ("hsw", ivb), ("bdw", bdw.as_str()), ("skl", bdw.as_str())] {
        let thread = run(name, text, setup);
        let product = u64::from(x) * u64::from(y);
        assert_eq!(thread.register(10), [(product >> 32) as u32; 8], "{name}");
        assert_eq!(thread.register(11), [product as u32; 8], "{name}");
        let thread = run(name, &text.replace("UD", "D"), setup);
        let product = i64::from(x as i32) * i64::from(y as i32);
        assert_eq!(thread.register(10), [(product >> 32) as u32; 8], "{name} signed");
        assert_eq!(thread.register(11), [product as u32; 8], "{name} signed");
    }
}

#[test]
fn carry_and_borrow_go_to_the_accumulator() {
    let thread = run(
        "ivb",
        "addc(8) g10<1>UD g2<8,8,1>UD g3<8,8,1>UD { align1 1Q AccWrEnable };
         mov(8) g11<1>UD acc0<8,8,1>UD { align1 1Q };
         subb(8) g12<1>UD g2<8,8,1>UD g3<8,8,1>UD { align1 1Q AccWrEnable };
         mov(8) g13<1>UD acc0<8,8,1>UD { align1 1Q };",
        |thread| {
            thread.set_register(2, &[u32::MAX, 1, 5, 0, 0x8000_0000, 7, 7, 0]);
            thread.set_register(3, &[1, 2, 5, 1, 0x8000_0000, 6, 8, 0]);
        },
    );
    assert_eq!(thread.register(10), [0, 3, 10, 1, 0, 13, 15, 0]);
    assert_eq!(thread.register(11), [1, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(thread.register(12), [u32::MAX - 1, u32::MAX, 0, u32::MAX, 0, 1, u32::MAX, 0]);
    assert_eq!(thread.register(13), [0, 1, 0, 1, 0, 0, 1, 0]);
}

#[test]
fn comparisons_write_masks_and_flags() {
    let nan = f32::NAN;
    for name in ALL {
        let thread = run(
            name,
            "cmp.l.f0.0(8) g10<1>D g2<8,8,1>F g3<8,8,1>F { align1 1Q switch };
             cmp.nz.f0.1(8) g11<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q switch };
             cmp.ge.f1.0(8) null<1>D g4<8,8,1>D 3D { align1 1Q switch };
             (+f0.0) sel(8) g12<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
             sel.l(8) g13<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
             sel.ge(8) g14<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
             (-f1.0) mov(8) g4<1>UD 99UD { align1 1Q };",
            |thread| {
                thread.regs.flags = [0, 0];
                set_floats(thread, 2, [1.0, 2.0, nan, 1.0, -1.0, -0.0, 5.0, nan]);
                set_floats(thread, 3, [2.0, 1.0, 1.0, nan, -2.0, 0.0, 5.0, nan]);
                thread.set_register(4, &COUNT);
            },
        );
        let t = u32::MAX;
        assert_eq!(thread.register(10), [t, 0, 0, 0, 0, 0, 0, 0], "{name}");
        assert_eq!(
            thread.register(11),
            [t, t, t, t, t, 0, 0, t],
            "{name}: only ≠ holds for NaN, zeros are equal"
        );
        assert_eq!(thread.regs.flags, [0x009f_0001, 0x0000_00f8], "{name}");
        assert_eq!(floats(&thread, 12)[..2], [1.0, 1.0], "{name}");
        assert_eq!(
            floats(&thread, 13)[..5],
            [1.0, 1.0, 1.0, 1.0, -2.0],
            "{name}: a number wins over NaN"
        );
        assert_eq!(floats(&thread, 14)[..5], [2.0, 2.0, 1.0, 1.0, -1.0], "{name}");
        assert!(floats(&thread, 13)[7].is_nan());
        assert_eq!(thread.register(4), [99, 99, 99, 3, 4, 5, 6, 7], "{name}");
    }
}

#[test]
fn bit_field_instructions() {
    let thread = run(
        "ivb",
        "bfi1(8) g10<1>UD g2<8,8,1>UD 4UD { align1 1Q };
         bfi2(8) g11<1>UD g10<4,4,1>UD g3<4,4,1>UD g4<4,4,1>UD { align16 1Q };
         bfe(8) g12<1>D g2<4,4,1>D g5<4,4,1>D g3<4,4,1>D { align16 1Q };
         bfe(8) g13<1>UD g2<4,4,1>UD g5<4,4,1>UD g3<4,4,1>UD { align16 1Q };
         fbh(8) g14<1>UD g6<8,8,1>UD { align1 1Q };
         fbh(8) g15<1>UD g6<8,8,1>D { align1 1Q };
         fbl(8) g16<1>UD g6<8,8,1>UD { align1 1Q };
         cbit(8) g17<1>UD g6<8,8,1>UD { align1 1Q };
         bfrev(8) g18<1>UD g6<8,8,1>UD { align1 1Q };
         lzd(8) g19<1>UD g6<8,8,1>UD { align1 1Q };",
        |thread| {
            thread.set_register(2, &[8; 8]);
            thread.set_register(3, &[0xabcd_8765; 8]);
            thread.set_register(4, &[0x1111_1111; 8]);
            thread.set_register(5, &[4; 8]);
            thread.set_register(6, &[0, 1, 0x10, 0x8000_0000, u32::MAX, 0xffff_fff0, 3, 2]);
        },
    );
    assert_eq!(thread.register(10)[0], 0xff0);
    assert_eq!(thread.register(11)[0], 0x1111_1651);
    assert_eq!(thread.register(12)[0], 0x76, "bits 11:4 of 0xabcd8765 are 0x76, positive");
    assert_eq!(thread.register(13)[0], 0x76);
    let none = u32::MAX;
    assert_eq!(thread.register(14), [none, 31, 27, 0, 0, 0, 30, 30]);
    assert_eq!(thread.register(15), [none, 31, 27, 1, none, 28, 30, 30]);
    assert_eq!(thread.register(16), [none, 0, 4, 31, 0, 4, 0, 1]);
    assert_eq!(thread.register(17), [0, 1, 1, 1, 32, 28, 2, 1]);
    assert_eq!(thread.register(18)[..3], [0, 0x8000_0000, 0x0800_0000]);
    assert_eq!(thread.register(19)[..3], [32, 31, 27]);
}

#[test]
fn rounding_instructions_and_fraction() {
    let values = [1.5, -1.5, 2.5, -0.25, 0.5, 3.0, -3.75, 1e20];
    let thread = run(
        "ivb",
        "rndd(8) g10<1>F g2<8,8,1>F { align1 1Q };
         rnde(8) g11<1>F g2<8,8,1>F { align1 1Q };
         rndz(8) g12<1>F g2<8,8,1>F { align1 1Q };
         rndu(8) g13<1>F g2<8,8,1>F { align1 1Q };
         frc(8) g14<1>F g2<8,8,1>F { align1 1Q };",
        |thread| set_floats(thread, 2, values),
    );
    for (lane, &x) in values.iter().enumerate() {
        assert_eq!(floats(&thread, 10)[lane], x.floor());
        assert_eq!(floats(&thread, 11)[lane], x.round_ties_even());
        assert_eq!(floats(&thread, 12)[lane], x.trunc());
        assert_eq!(floats(&thread, 13)[lane], x.ceil());
        assert_eq!(floats(&thread, 14)[lane], x - x.floor());
    }
}

#[test]
fn plane_equations_read_register_pairs() {
    for (name, width) in [("ivb", 8), ("ivb", 16), ("skl", 16)] {
        let text = format!(
            "pln({width}) g10<1>F g2<0,1,0>F g4<8,8,1>F {{ align1 1{} }};",
            if width == 8 { "Q" } else { "H" }
        );
        let thread = run(name, &text, |thread| {
            set_floats(thread, 2, [2.0, 3.0, 0.0, 100.0, 0.0, 0.0, 0.0, 0.0]);
            set_floats(thread, 4, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
            set_floats(thread, 5, [10.0; 8]);
            set_floats(thread, 6, [0.5; 8]);
            set_floats(thread, 7, [20.0; 8]);
        });
        assert_eq!(floats(&thread, 10)[..2], [132.0, 134.0], "2x + 3y + 100");
        if width == 16 {
            assert_eq!(floats(&thread, 11), [161.0; 8], "the second half's y follows its x");
        }
    }
}

#[test]
fn half_float_conversions() {
    let thread = run(
        "ivb",
        "f32to16(8) g10<2>W g2<8,8,1>F { align1 1Q };
         f16to32(8) g11<1>F g10<16,8,2>W { align1 1Q };
         f32to16(8) g12<1>UD g2<4>.xyzwF { align16 1Q };",
        |thread| set_floats(thread, 2, [1.0, -2.0, 65504.0, 1e9, 5.96e-8, 0.1, 0.0, -0.0]),
    );
    let halves = [0x3c00, 0xc000, 0x7bff, 0x7c00, 1, 0x2e66, 0, 0x8000];
    assert_eq!(thread.register(12), halves, "Align16 zeroes the upper half");
    assert_eq!(thread.register(10).map(|dword| dword & 0xffff), halves);
    assert_eq!(floats(&thread, 11)[..4], [1.0, -2.0, 65504.0, f32::INFINITY]);
    assert_eq!(floats(&thread, 11)[4], 2f32.powi(-24));
}

#[test]
fn half_float_arithmetic_rounds_to_half() {
    let thread = run(
        "bdw",
        "add(8) g10<1>HF g2<8,8,1>HF g3<8,8,1>HF { align1 1Q };
         add(8) g11<1>F g2<8,8,1>HF g4<8,8,1>F { align1 1Q };",
        |thread| {
            thread.set_register(2, &[0x3c00_6800; 8]);
            thread.set_register(3, &[0x3c00_3c00; 8]);
            set_floats(thread, 4, [0.25; 8]);
        },
    );
    // 2048 + 1 rounds to 2048 in half precision; 1 + 1 = 2.
    assert_eq!(thread.register(10)[0], 0x4000_6800);
    assert_eq!(floats(&thread, 11)[..2], [2048.25, 1.25]);
}

#[test]
fn math_functions() {
    for name in ALL {
        let thread = run(
            name,
            "math inv(8) g10<1>F g2<8,8,1>F null<8,8,1>F { align1 1Q };
             math sqrt(8) g11<1>F g2<8,8,1>F null<8,8,1>F { align1 1Q };
             math pow(8) g12<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };
             math intdiv(8) g13<1>D g4<8,8,1>D g5<8,8,1>D { align1 1Q };
             math intmod(8) g14<1>D g4<8,8,1>D g5<8,8,1>D { align1 1Q };",
            |thread| {
                set_floats(thread, 2, [4.0; 8]);
                set_floats(thread, 3, [0.5; 8]);
                thread.set_register(4, &[-7i32 as u32; 8]);
                thread.set_register(5, &[2; 8]);
            },
        );
        assert_eq!(floats(&thread, 10), [0.25; 8], "{name}");
        assert_eq!(floats(&thread, 11), [2.0; 8]);
        assert_eq!(floats(&thread, 12), [2.0; 8]);
        assert_eq!(thread.register(13), [-3i32 as u32; 8]);
        assert_eq!(thread.register(14), [-1i32 as u32; 8]);
    }
}

#[test]
fn vector_immediates_and_narrow_types() {
    let thread = run(
        "ivb",
        "mov(8) g10<1>UW 0x76543210UV { align1 1Q };
         mov(8) g11<1>W 0xfedcba98V { align1 1Q };
         mov(4) g12<1>F 0x20c00030VF { align1 1N };
         mov(8) g13<1>UD g2<8,8,1>UB { align1 1Q };
         mov(8) g14<1>D g2<8,8,1>B { align1 1Q };",
        |thread| thread.set_register(2, &[0x80ff_0102, 0x7f00_0304, 0, 0, 0, 0, 0, 0]),
    );
    assert_eq!(thread.register(10)[..4], [0x0001_0000, 0x0003_0002, 0x0005_0004, 0x0007_0006]);
    assert_eq!(thread.register(11)[..4], [0xfff9_fff8, 0xfffb_fffa, 0xfffd_fffc, 0xffff_fffe]);
    assert_eq!(floats(&thread, 12)[..4], [1.0, 0.0, -2.0, 0.5]);
    assert_eq!(thread.register(13), [2, 1, 0xff, 0x80, 4, 3, 0, 0x7f]);
    assert_eq!(thread.register(14), [2, 1, u32::MAX, 0xffff_ff80, 4, 3, 0, 0x7f]);
}

#[test]
fn sixty_four_bit_integers() {
    let thread = run(
        "bdw",
        "add(4) g10<1>Q g2<4,4,1>Q g4<4,4,1>Q { align1 1N };
         mul(4) g12<1>Q g6<4,4,1>D g7<4,4,1>D { align1 1N };
         shl(4) g14<1>Q g2<4,4,1>Q 40UD { align1 1N };
         mov(4) g16<1>DF g2<4,4,1>Q { align1 1N };",
        |thread| {
            thread.set_register(2, &[1, 0, u32::MAX, u32::MAX, 0, 0x8000_0000, 5, 0]);
            thread.set_register(4, &[u32::MAX, 0, 1, 0, 0, 0x8000_0000, 7, 1]);
            thread.set_register(6, &[u32::MAX, 100_000, 3, 0, 0, 0, 0, 0]);
            thread.set_register(7, &[100_000, 100_000, 4, 0, 0, 0, 0, 0]);
        },
    );
    assert_eq!(thread.register(10), [0, 1, 0, 0, 0, 0, 12, 1]);
    let product = |index: usize| thread.regs.read(12 * 32 + index * 8, 8) as i64;
    assert_eq!([product(0), product(1), product(2)], [-100_000, 10_000_000_000, 12]);
    assert_eq!(thread.register(14)[..4], [0, 256, 0, 0xffff_ff00]);
    assert_eq!(doubles::<4>(&thread, 16), [1.0, -1.0, -(2f64.powi(63)), 5.0]);
}

#[test]
fn line_and_mac_make_a_plane_through_the_accumulator() {
    let text = "line(8) null<1>F g2<0,1,0>F g4<8,8,1>F { align1 1Q AccWrEnable };
                mac(8) g10<1>F g2.1<0,1,0>F g5<8,8,1>F { align1 1Q };";
    let thread = run("ivb", text, |thread| {
        set_floats(thread, 2, [2.0, 3.0, 0.0, 100.0, 0.0, 0.0, 0.0, 0.0]);
        set_floats(thread, 4, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        set_floats(thread, 5, [10.0; 8]);
    });
    assert_eq!(floats(&thread, 10)[..3], [132.0, 134.0, 136.0]);
}

#[test]
fn dim_loads_a_double_immediate_on_hsw() {
    let device = crate::common::device("hsw");
    let dim = intel_isa::build::inst(intel_isa::Opcode::Dim).exec(1).no_mask();
    let dim =
        dim.dst(intel_isa::build::grf(10).df()).srcs(&[intel_isa::build::imm_dim(-1.0 / 3.0)]);
    let bytes = intel_isa::encode_program(device, &[dim]).unwrap();
    let kernel = eu_simulator::Kernel::decode(device, &bytes).unwrap();
    let mut thread = eu_simulator::Thread::new(device, 1);
    kernel.run(&mut thread, &mut eu_simulator::NoHost, 1).unwrap_err();
    assert_eq!(doubles::<1>(&thread, 10), [-1.0 / 3.0]);
}

#[test]
fn integer_division_gives_both_results_even_over_its_sources() {
    let text = "math intdivmod(8) g4<1>UD g4<8,8,1>UD g5<8,8,1>UD { align1 1Q };";
    let thread = run("ivb", text, |thread| {
        thread.set_register(4, &[100, 7, 8, 0, u32::MAX, 1, 2, 3]);
        thread.set_register(5, &[7, 7, 3, 5, 10, 2, 2, 0]);
    });
    assert_eq!(thread.register(4), [14, 1, 2, 0, 429_496_729, 0, 1, u32::MAX]);
    assert_eq!(thread.register(5), [2, 0, 2, 0, 5, 1, 0, u32::MAX]);
}

/// MATH of an immediate, from gen8 on: log2(8) and 1/8.
#[test]
fn math_of_immediates() {
    for name in ["bdw", "chv", "skl"] {
        let text = "math log(8) g10<1>F 0x41000000F { align1 1Q };
                    math inv(8) g11<1>F 0x41000000F { align1 1Q };";
        let thread = run(name, text, |_| {});
        assert_eq!((floats(&thread, 10), floats(&thread, 11)), ([3.0; 8], [0.125; 8]), "{name}");
    }
}
