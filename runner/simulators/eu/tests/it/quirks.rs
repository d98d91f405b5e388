//! One test per named quirk: what the device does that a reader of the instruction would not
//! expect.

use crate::common::{COUNT, doubles, floats, run, set_doubles, set_floats};
use eu_simulator::Thread;

const D: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

/// g2–g3 and g4–g5 hold eight doubles each, g10–g17 zeros.
fn setup(thread: &mut Thread) {
    set_doubles(thread, 2, &D);
    set_doubles(thread, 4, &D.map(|x| x * 10.0));
    for nr in 10..18 {
        thread.set_register(nr, &[0; 8]);
    }
}

#[test]
fn ivb_df_exec_size() {
    let text = "mov(8) g10<1>DF g2<8,8,1>DF { align1 WE_all 1N };";
    let thread = run("ivb", text, setup);
    assert_eq!(
        doubles::<8>(&thread, 10),
        [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0],
        "8 encoded are 4 channels"
    );
    let thread = run("hsw", "mov(8) g10<1>DF g2<4,4,1>DF { align1 WE_all 1Q };", setup);
    assert_eq!(doubles::<8>(&thread, 10), D);
}

#[test]
fn ivb_df_regions() {
    // A scalar is a pair of dwords; <0,1,0> would read the low dword twice.
    let thread = run("ivb", "mov(8) g10<1>DF g2<0,2,1>DF { align1 WE_all 1N };", setup);
    assert_eq!(doubles::<4>(&thread, 10), [1.0; 4]);
    let thread = run("ivb", "mov(8) g10<1>DF g2<0,1,0>DF { align1 WE_all 1N };", setup);
    assert_ne!(doubles::<4>(&thread, 10), [1.0; 4]);
    // DF → F: each channel writes its result and an odd garbage dword.
    let thread = run("ivb", "mov(8) g10<1>F g2<8,8,1>DF { align1 WE_all 1N };", setup);
    let result = floats(&thread, 10);
    assert_eq!([result[0], result[2], result[4], result[6]], [1.0, 2.0, 3.0, 4.0]);
    assert!(
        [1, 3, 5, 7].iter().all(|&odd| thread.register(10)[odd] != 0),
        "the odd dwords are overwritten"
    );
    // F → DF: odd source elements are ignored, so <1;2,0> reads consecutive floats.
    let thread = run("ivb", "mov(8) g10<1>DF g6<1,2,0>F { align1 WE_all 1N };", |thread| {
        set_floats(thread, 6, [1.5, 2.5, 3.5, 4.5, 0.0, 0.0, 0.0, 0.0]);
    });
    assert_eq!(doubles::<4>(&thread, 10), [1.5, 2.5, 3.5, 4.5]);
}

#[test]
fn ivb_align16_df_width() {
    let text = "mov(16) g10<1>DF g2<4>.xyzwDF { align16 WE_all 1H };";
    let thread = run("ivb", text, setup);
    assert_eq!(doubles::<4>(&thread, 10), [1.0, 2.0, 3.0, 4.0]);
    assert!(
        doubles::<8>(&thread, 10)[4..].iter().all(|&x| x != 5.0 && x != 0.0),
        "the rest is garbage"
    );
    let thread = run("hsw", "mov(8) g10<1>DF g2<4>.xyzwDF { align16 WE_all 1Q };", setup);
    assert_eq!(doubles::<8>(&thread, 10), D);
}

#[test]
fn df_exec_mask() {
    // One enable per component: the mask of one vertex is its own four channels.
    let text = "mov(8) g10<1>DF g2<4>.xyzwDF { align16 1Q };";
    let thread = run("hsw", text, |thread| {
        setup(thread);
        thread.set_dispatch_mask(0xf0);
    });
    assert_eq!(doubles::<8>(&thread, 10), [0.0, 0.0, 0.0, 0.0, 5.0, 6.0, 7.0, 8.0]);
    // A dvec2-split SIMD4x2 instruction takes the second vertex's enables from Z, W of the first.
    let text = "mov(4) g10<1>DF g2<4>.xyzwDF { align16 1N };";
    let thread = run("hsw", text, |thread| {
        setup(thread);
        thread.set_dispatch_mask(0x0f);
    });
    assert_eq!(doubles::<4>(&thread, 10), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn align16_df_swizzle() {
    // The selection of dwords is the same in both owords: .zwxy swaps within xy and within zw.
    for (name, size) in [("ivb", 8), ("hsw", 4), ("bdw", 4)] {
        let text = format!("mov({size}) g10<1>DF g2<4>.zwxyDF {{ align16 1N }};");
        let thread = run(name, &text, setup);
        assert_eq!(doubles::<4>(&thread, 10), [2.0, 1.0, 4.0, 3.0], "{name}");
        let text = format!("mov({size}) g10<1>DF g2<4>.xyxyDF {{ align16 1N }};");
        assert_eq!(doubles::<4>(&run(name, &text, setup), 10), [1.0, 1.0, 3.0, 3.0], "{name}");
    }
}

#[test]
fn align16_df_writemask() {
    let masked = |mask: &str| {
        let text = format!("mov(4) g10<1>.{mask}DF g2<4>.xyzwDF {{ align16 1N }};");
        doubles::<4>(&run("hsw", &text, setup), 10)
    };
    assert_eq!(masked("xy"), [1.0, 0.0, 3.0, 0.0], "XY lands on XZ");
    assert_eq!(masked("zw"), [0.0, 2.0, 0.0, 4.0], "ZW lands on YW");
    assert_eq!(masked("xz"), [1.0, 0.0, 3.0, 0.0]);
    assert_eq!(masked("yz"), [0.0, 2.0, 3.0, 0.0]);
    assert_eq!(masked("w"), [0.0, 0.0, 0.0, 4.0]);
}

#[test]
fn gen7_second_half_controls() {
    // A stride-2 dword destination has four channels per register, but the second half takes
    // enables 8–11.
    let text = "mov(8) g10<2>UD g6<4,4,1>UD { align1 1Q };";
    let run_on = |name, channels| {
        run(name, text, |thread| {
            setup(thread);
            thread.set_register(6, &COUNT.map(|x| x + 1));
            thread.set_register(7, &[11, 12, 13, 14, 15, 16, 17, 18]);
            thread.set_dispatch_mask(channels);
        })
    };
    for name in ["ivb", "hsw"] {
        assert_eq!(run_on(name, 0xff).register(11), [0; 8], "{name}: the second half is lost");
        assert_eq!(
            run_on(name, 0xf00).register(11)[0],
            11,
            "{name}: from the source's second register"
        );
    }
    assert_eq!(run_on("bdw", 0xff).register(11), [5, 0, 6, 0, 7, 0, 8, 0]);
    // The 64-bit halves of hsw are four channels apart.
    let text = "mov(8) g10<1>DF g2<4,4,1>DF { align1 1Q };";
    let thread = run("hsw", text, |thread| {
        setup(thread);
        thread.set_dispatch_mask(0x21);
    });
    assert_eq!(doubles::<8>(&thread, 10), [1.0, 0.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0]);
}

#[test]
fn ivb_df_second_half() {
    let text = "mov(16) g10<1>DF g2<8,8,1>DF { align1 1Q };";
    let thread = run("ivb", text, |thread| {
        setup(thread);
        thread.set_dispatch_mask(0x01);
    });
    assert_eq!(
        doubles::<8>(&thread, 10),
        [1.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0],
        "both halves by the first's enables"
    );
}

#[test]
fn gen7_two_grf_source() {
    // Eight floats of one register widened to doubles in two: the second half reads the next
    // register.
    let set = |thread: &mut Thread| {
        set_floats(thread, 6, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        set_floats(thread, 7, [11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0]);
    };
    let text = "mov(8) g10<1>DF g6<4,4,1>F { align1 WE_all 1Q };";
    assert_eq!(doubles::<8>(&run("hsw", text, set), 10)[4..], [11.0, 12.0, 13.0, 14.0]);
    assert_eq!(doubles::<8>(&run("bdw", text, set), 10)[4..], [5.0, 6.0, 7.0, 8.0]);
    // Exceptions: scalars, and packed words to packed dwords.
    let text = "mov(16) g10<1>F g6.1<0,1,0>F { align1 1H };";
    assert_eq!(floats(&run("hsw", text, set), 11), [2.0; 8]);
    let words = |thread: &mut Thread| thread.set_bytes(6 * 32, &(0..64).collect::<Vec<u8>>());
    let thread = run("ivb", "mov(16) g10<1>UD g6<8,8,1>UW { align1 1H };", words);
    assert_eq!(thread.register(11)[0], 0x1110, "the ninth word of the same register");
}

#[test]
fn gen7_align16_vstride0() {
    let text = "mov(8) g10<1>DF g2<0>.xyzwDF { align16 1Q };";
    let thread = run("hsw", text, setup);
    assert_eq!(
        doubles::<8>(&thread, 10),
        [1.0, 2.0, 1.0, 2.0, 5.0, 6.0, 5.0, 6.0],
        "the second half is a register on"
    );
    let thread = run("bdw", text, setup);
    assert_eq!(doubles::<8>(&thread, 10), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
}

#[test]
fn align16_df_vstride_2_and_4_advance_one_oword() {
    let thread = run("hsw", "mov(8) g10<1>DF g2<2>.xyzwDF { align16 1Q };", setup);
    assert_eq!(doubles::<8>(&thread, 10), D);
}

#[test]
fn gen7_align16_df_sel() {
    let eight = "(+f0.0) sel(8) g10<1>DF g2<4>.xyzwDF g4<4>.xyzwDF { align16 1Q };";
    let four = "(+f0.0) sel(4) g10<1>DF g2<4>.xyzwDF g4<4>.xyzwDF { align16 1N };";
    let set = |thread: &mut Thread| {
        setup(thread);
        thread.regs.flags = [0x5, 0];
    };
    assert_eq!(doubles::<4>(&run("hsw", four, set), 10), [1.0, 20.0, 3.0, 40.0]);
    let broken = doubles::<8>(&run("hsw", eight, set), 10);
    assert!(broken.iter().zip(D).all(|(&x, d)| x != d && x != d * 10.0));
    assert_eq!(doubles::<4>(&run("bdw", eight, set), 10), [1.0, 20.0, 3.0, 40.0]);
}

#[test]
fn gen7_dword_mul() {
    let text = "mul(8) g10<1>D g6<8,8,1>D g7<8,8,1>D { align1 1Q };";
    let set = |thread: &mut Thread| {
        thread.set_register(6, &[3; 8]);
        thread.set_register(7, &[0x0005_0007; 8]);
    };
    assert_eq!(run("ivb", text, set).register(10), [21; 8]);
    assert_eq!(run("bdw", text, set).register(10), [0x000f_0015; 8]);
    let chv = run("chv", text, set).register(10);
    assert!(chv.iter().all(|&x| x != 21 && x != 0x000f_0015), "chv has no dword multiplication");
    let wide = "mul(8) g10<1>UQ g6<0,1,0>UD g7<0,1,0>UD { align1 1Q };";
    for name in ["bdw", "chv", "skl"] {
        let product = run(name, wide, set);
        assert_eq!(
            product.register(11),
            [0x000f_0015, 0, 0x000f_0015, 0, 0x000f_0015, 0, 0x000f_0015, 0],
            "{name}"
        );
    }
}

#[test]
fn ivb_acc1() {
    let text = "mul(8) acc0<1>D g6<8,8,1>D g7<8,8,1>D { align1 2Q };
                mach(8) g10<1>D g6<8,8,1>D g7<8,8,1>D { align1 2Q AccWrEnable };";
    let set = |thread: &mut Thread| {
        thread.set_register(6, &[0x7000_0000; 8]);
        thread.set_register(7, &[0x1000; 8]);
    };
    assert_eq!(run("hsw", text, set).register(10), [0x700; 8]);
    assert_ne!(run("ivb", text, set).register(10), [0x700; 8], "the implicit access goes to acc1");
}

#[test]
fn ivb_cmp16() {
    let set = |thread: &mut Thread| {
        set_floats(thread, 6, [1.0; 8]);
        set_floats(thread, 7, [1.0; 8]);
        thread.regs.flags = [0, 0];
    };
    let text = "cmp.z.f0.0(16) g10<1>D g6<8,8,1>F 0x3f800000F { align1 1H switch };";
    assert_ne!(run("ivb", text, set).register(11), [u32::MAX; 8]);
    assert_eq!(run("hsw", text, set).register(11), [u32::MAX; 8]);
    let text = "cmp.z.f0.0(16) null<1>D g6<8,8,1>F 0x3f800000F { align1 1H switch };";
    assert_eq!(run("ivb", text, set).regs.flags[0], 0xffff, "to null, typed D, it works");
}

#[test]
fn ivb_3src_simd8() {
    let text = "mad(16) g10<1>F g6<4,4,1>F g6<4,4,1>F g6<4,4,1>F { align16 1H };";
    let set = |thread: &mut Thread| {
        set_floats(thread, 6, [2.0; 8]);
        set_floats(thread, 7, [3.0; 8]);
    };
    assert_eq!(floats(&run("ivb", text, set), 10), [6.0; 8]);
    assert_ne!(floats(&run("ivb", text, set), 11), [12.0; 8]);
    assert_eq!(floats(&run("hsw", text, set), 11), [12.0; 8]);
}

#[test]
fn hsw_bfi_simd8() {
    let text = "bfi1(16) g10<1>UD g6<8,8,1>UD 4UD { align1 1H };";
    let set = |thread: &mut Thread| {
        thread.set_register(6, &[8; 8]);
        thread.set_register(7, &[8; 8]);
    };
    assert_eq!(run("hsw", text, set).register(10), [0xff0; 8]);
    assert_ne!(run("hsw", text, set).register(11), [0xff0; 8]);
    assert_eq!(run("bdw", text, set).register(11), [0xff0; 8]);
}

#[test]
fn three_src_no_df_rep() {
    let rep = "mad(4) g10<1>DF g2<4,4,1>DF g4<0,1,0>DF g2<4,4,1>DF { align16 1N };";
    let plain = "mad(4) g10<1>DF g2<4,4,1>DF g4<4,4,1>DF g2<4,4,1>DF { align16 1N };";
    assert_eq!(doubles::<4>(&run("hsw", plain, setup), 10), [11.0, 42.0, 93.0, 164.0]);
    let broken = doubles::<4>(&run("hsw", rep, setup), 10);
    assert!(broken.iter().zip(D).all(|(&x, d)| x != d + 10.0 * d));
    // Replication of 32-bit operands is what it says.
    let text = "mad(8) g10<1>F g6<4,4,1>F g7.3<0,1,0>F g6<4,4,1>F { align16 1Q };";
    let thread = run("ivb", text, |thread| {
        set_floats(thread, 6, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        set_floats(thread, 7, [0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0]);
    });
    assert_eq!(floats(&thread, 10), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]);
}

#[test]
fn gen8_logic_not() {
    let text = "and(8) g10<1>UD g6<8,8,1>UD -g7<8,8,1>UD { align1 1Q };";
    let set = |thread: &mut Thread| {
        thread.set_register(6, &[0xff; 8]);
        thread.set_register(7, &[0x0f; 8]);
    };
    assert_eq!(run("ivb", text, set).register(10), [0xf1; 8], "a negation");
    assert_eq!(run("bdw", text, set).register(10), [0xf0; 8], "a complement");
}

#[test]
fn bdw_hf_mad_offset() {
    let at = |sub: u8| {
        format!("mad(4) g10<1>HF g6.{sub}<4,4,1>HF g6<4,4,1>HF g6<4,4,1>HF {{ align16 1N }};")
    };
    let set = |thread: &mut Thread| thread.set_register(6, &[0x4000_3c00; 8]);
    let good = [0x4600_4000, 0x4600_4000];
    assert_eq!(run("bdw", &at(0), set).register(10)[..2], good, "1·1+1 and 2·2+2");
    assert_ne!(run("bdw", &at(8), set).register(10)[..2], good);
    assert_eq!(run("skl", &at(8), set).register(10)[..2], good);
}

#[test]
fn bdw_align16_hf() {
    let text = "mov(8) g10<1>HF g6<4>.zwxyHF { align16 1Q };";
    let swapped = "mov(8) g10<1>HF g6<4>.yxwzHF { align16 1Q };";
    let set = |thread: &mut Thread| {
        thread.set_register(6, &[0x0002_0001, 0x0004_0003, 0x0012_0011, 0x0014_0013, 0, 0, 0, 0])
    };
    for name in ["bdw", "skl"] {
        assert_eq!(
            run(name, text, set).register(10)[..2],
            [0x0004_0003, 0x0002_0001],
            "{name}: whole pairs"
        );
    }
    assert_eq!(
        run("bdw", swapped, set).register(10)[0],
        0x0002_0001,
        "components of a pair cannot be selected"
    );
    assert_eq!(run("skl", swapped, set).register(10)[0], 0x0001_0002);
    assert_eq!(run("chv", swapped, set).register(10)[0], 0x0001_0002);
}

#[test]
fn chv_64bit_regions() {
    let packed = "mov(4) g10<1>DF g6<4,4,1>F { align1 1N };";
    let spread = "mov(4) g10<1>DF g6<8,4,2>F { align1 1N };";
    let set = |thread: &mut Thread| set_floats(thread, 6, [1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0, 9.0]);
    assert_eq!(doubles::<4>(&run("bdw", packed, set), 10), [1.0, 9.0, 2.0, 9.0]);
    let broken = doubles::<4>(&run("chv", packed, set), 10);
    assert!(broken.iter().zip([1.0, 9.0, 2.0, 9.0]).all(|(&x, good)| x != good));
    assert_eq!(doubles::<4>(&run("chv", spread, set), 10), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn indirect_addresses_lose_the_carry_before_gen8() {
    // a0.0 = g2.24, plus 16 bytes: 40 wraps to 8 within g2 on gen7, and reaches g3.8 from gen8.
    let text = "mov(1) a0<1>UW 88UW { align1 WE_all 1N };
                mov(1) g10<1>UD g[a0 16]<0,1,0>UD { align1 WE_all 1N };";
    let set = |thread: &mut Thread| {
        thread.set_register(2, &COUNT);
        thread.set_register(3, &COUNT.map(|x| x + 100));
    };
    assert_eq!(run("hsw", text, set).register(10)[0], 2);
    assert_eq!(run("bdw", text, set).register(10)[0], 102);
}

#[test]
fn simd32_uses_the_low_enables_twice_before_gen8() {
    let text = "mov(32) g10<1>UW 1UW { align1 };";
    let set = |thread: &mut Thread| {
        setup(thread);
        thread.set_dispatch_mask(0xffff_0001);
    };
    let gen7 = run("hsw", text, set);
    assert_eq!((gen7.register(10)[0], gen7.register(10)[1], gen7.register(11)[0]), (1, 0, 1));
    assert_eq!(run("bdw", text, set).register(11), [0x0001_0001; 8]);
}

#[test]
fn compressed_halves_run_in_order() {
    // The first half writes what the second half reads when source and destination are a register
    // apart.
    let text = "mov(16) g3<1>UD g2<8,8,1>UD { align1 1H };";
    let thread = run("ivb", text, |thread| {
        thread.set_register(2, &COUNT);
        thread.set_register(3, &[9; 8]);
    });
    assert_eq!((thread.register(3), thread.register(4)), (COUNT, COUNT));
}

#[test]
fn a_negated_ud_has_a_33rd_bit() {
    // −1 as UD is below zero because comparisons and conditions see the 33-bit value.
    for text in [
        "cmp.l.f0.0(8) null<1>D -g6<8,8,1>UD 0UD { align1 1Q switch };",
        "mov.l.f0.0(8) g7<1>UD -g6<8,8,1>UD { align1 1Q };",
    ] {
        let thread = run("hsw", text, |thread| {
            thread.set_register(6, &[1; 8]);
            thread.regs.flags = [0; 2];
        });
        assert_eq!(thread.regs.flags[0], 0xff, "{text}");
    }
}

#[test]
fn align16_qword_dst() {
    let text = "mov(4) g10<1>DF g6<4>.xyzwF { align16 1N };";
    let set = |thread: &mut Thread| set_floats(thread, 6, [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    let result = doubles::<4>(&run("bdw", text, set), 10);
    assert_eq!(result[..2], [1.0, 2.0]);
    assert!(result[2] != 3.0 && result[3] != 4.0);
}

#[test]
fn hf_math() {
    let text = "math inv(8) g10<1>HF g6<8,8,1>HF null<8,8,1>HF { align1 1Q };";
    let set = |thread: &mut Thread| thread.set_register(6, &[0x4000_4400; 8]);
    assert_eq!(run("skl", text, set).register(10)[..4], [0x3800_3400; 4]);
    assert_ne!(run("bdw", text, set).register(10)[0], 0x3800_3400);
}

#[test]
fn ivb_reads_two_addresses_per_64_bit_channel() {
    use intel_isa::build::{grf, indirect, inst};
    // Four channels on ivb (eight encoded): a0.0–a0.7 each name a dword.
    let source = indirect(0, 0).df().region(intel_isa::Region::VXH, 1, 0);
    for (name, size) in [("ivb", 8), ("hsw", 4)] {
        let device = crate::common::device(name);
        let program = vec![
            inst(intel_isa::Opcode::Mov).exec(size).no_mask().dst(grf(10).df()).srcs(&[source]),
        ];
        let kernel = eu_simulator::Kernel::from_insts(device, program).unwrap();
        let mut thread = Thread::new(device, 1);
        setup(&mut thread);
        for (index, word) in thread.regs.address.iter_mut().enumerate() {
            *word = 64 + 8 * index as u16;
        }
        kernel.run(&mut thread, &mut eu_simulator::NoHost, 1).unwrap_err();
        if name == "hsw" {
            assert_eq!(doubles::<4>(&thread, 10), [1.0, 2.0, 3.0, 4.0]);
        } else {
            // Low dwords of consecutive doubles: the second address's element is read from its own
            // low dword.
            let low = |x: f64| x.to_bits() as u32;
            assert_eq!(thread.register(10)[..4], [low(1.0), low(2.0), low(3.0), low(4.0)]);
        }
    }
}
