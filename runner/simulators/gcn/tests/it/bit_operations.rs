//! Bit operations, against models that go bit by bit.

use amd_isa::Chip;
use gcn_simulator::Wave;

use crate::{VALUES, done};

/// Executes a vector operation on many operands; `model` gives the expected result.
fn vector(text: &str, cases: &[[u32; 3]], model: impl Fn([u32; 3]) -> u32) {
    for chip in Chip::ALL {
        for chunk in cases.chunks(64) {
            let mut wave = Wave::new();
            for (lane, case) in chunk.iter().enumerate() {
                for (register, value) in case.iter().enumerate() {
                    wave.vector[register][lane] = *value;
                }
            }
            done(chip, text, &mut wave);
            for (lane, case) in chunk.iter().enumerate() {
                let got = wave.vector[9][lane];
                assert_eq!(got, model(*case), "{chip} {text} {case:x?}: {got:#x}");
            }
        }
    }
}

/// Executes a scalar operation on 64-bit operands in s[0:1] and s[2:3]; the result is in s[4:5].
fn scalar(text: &str, a: u64, b: u64) -> (u64, bool) {
    let mut results = Vec::new();
    for chip in Chip::ALL {
        let mut wave = Wave::new();
        wave.set_pair(amd_isa::Scalar(0), a);
        wave.set_pair(amd_isa::Scalar(2), b);
        done(chip, text, &mut wave);
        results.push((wave.pair(amd_isa::Scalar(4)), wave.scc));
    }
    assert_eq!(results[0], results[1], "{text} {a:#x} {b:#x}");
    results[0]
}

/// Every width and offset from 0 to 40, with every value.
fn fields() -> Vec<[u32; 3]> {
    let mut cases = Vec::new();
    for &value in VALUES {
        for offset in 0..=40 {
            cases.extend((0..=40).map(|width| [value, offset, width]));
        }
    }
    cases
}

fn bit(value: u64, index: u32) -> u64 {
    if index < 64 { value >> index & 1 } else { 0 }
}

/// Bits `offset` to `offset + width - 1` of a value of `bits` bits; above the field and above the
/// value the sign or zero.
fn field(value: u64, offset: u32, width: u32, bits: u32, signed: bool) -> u64 {
    if width == 0 {
        return 0;
    }
    let top = (offset + width).min(bits) - 1;
    let fill = if signed { bit(value, top) } else { 0 };
    (0..bits).fold(0, |result, index| {
        let from = offset + index;
        let inside = index < width && from < bits;
        result | (if inside { bit(value, from) } else { fill }) << index
    })
}

#[test]
fn bfe() {
    let model = |signed| {
        move |[value, offset, width]: [u32; 3]| {
            field(value.into(), offset & 31, width & 31, 32, signed) as u32
        }
    };
    vector("v_bfe_u32 v9, v0, v1, v2", &fields(), model(false));
    vector("v_bfe_i32 v9, v0, v1, v2", &fields(), model(true));
}

#[test]
fn scalar_bfe_has_a_field_of_the_whole_width() {
    for &value in VALUES {
        for offset in 0..32 {
            for width in 0..=64 {
                let selector = u64::from(offset | width << 16);
                for (name, signed) in [("u32", false), ("i32", true)] {
                    let text = format!("s_mov_b32 s5, 0\ns_bfe_{name} s4, s0, s2");
                    let expected = field(value.into(), offset, width, 32, signed);
                    let got = scalar(&text, value.into(), selector);
                    assert_eq!(got, (expected, expected != 0), "{name} {value:x} {offset} {width}");
                }
            }
        }
    }
}

#[test]
fn scalar_bfe_of_64_bits() {
    for value in [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210] {
        for offset in 0..64 {
            for width in [0, 1, 7, 31, 32, 33, 63, 64] {
                let selector = u64::from(offset | width << 16);
                for (name, signed) in [("u64", false), ("i64", true)] {
                    let text = format!("s_bfe_{name} s[4:5], s[0:1], s2");
                    let expected = field(value, offset, width, 64, signed);
                    let got = scalar(&text, value, selector);
                    assert_eq!(got, (expected, expected != 0), "{name} {value:x} {offset} {width}");
                }
            }
        }
    }
}

#[test]
fn bfm() {
    let model = |[_, offset, width]: [u32; 3]| {
        let bits = (0..width & 31).map(|index| index + (offset & 31)).filter(|index| *index < 32);
        bits.fold(0, |mask, index| mask | 1_u32 << index)
    };
    vector("v_bfm_b32 v9, v2, v1", &fields(), model);
    for offset in 0..=64_u64 {
        for width in 0..=64_u64 {
            let bits = (0..width & 63).map(|index| index + (offset & 63)).filter(|i| *i < 64);
            let expected = bits.fold(0, |mask, index| mask | 1_u64 << index);
            assert_eq!(scalar("s_bfm_b64 s[4:5], s0, s2", width, offset).0, expected);
            let narrow = model([0, offset as u32, width as u32]);
            let text = "s_mov_b32 s5, 0\ns_bfm_b32 s4, s0, s2";
            assert_eq!(scalar(text, width, offset).0, u64::from(narrow));
        }
    }
}

/// Every triple of values.
fn triples() -> Vec<[u32; 3]> {
    let pairs = VALUES.iter().flat_map(|a| VALUES.iter().map(move |b| [*a, *b]));
    pairs.flat_map(|[a, b]| VALUES.iter().map(move |c| [a, b, *c])).collect()
}

#[test]
fn bfi_selects_and_does_not_shift() {
    let model = |[mask, a, b]: [u32; 3]| {
        (0..32).fold(0, |result, index| {
            let from = if mask >> index & 1 == 1 { a } else { b };
            result | (from >> index & 1) << index
        })
    };
    vector("v_bfi_b32 v9, v0, v1, v2", &triples(), model);
}

#[test]
fn counts_and_positions() {
    let mut cases: Vec<[u32; 3]> = triples();
    cases
        .extend((0..32).flat_map(|bit| [[1 << bit, 0, 0], [!(1 << bit), 3, 0], [!0 << bit, 0, 0]]));
    let from_top = |[value, ..]: [u32; 3], wanted: u32| {
        (0..32).find(|index| value >> (31 - index) & 1 == wanted).unwrap_or(u32::MAX)
    };
    vector("v_ffbh_u32 v9, v0", &cases, |case| from_top(case, 1));
    vector("v_ffbh_i32 v9, v0", &cases, |case| from_top(case, 1 - (case[0] >> 31)));
    vector("v_ffbl_b32 v9, v0", &cases, |[value, ..]| {
        (0..32).find(|index| value >> index & 1 == 1).unwrap_or(u32::MAX)
    });
    vector("v_bfrev_b32 v9, v0", &cases, |[value, ..]| {
        (0..32).fold(0, |result, index| result | (value >> index & 1) << (31 - index))
    });
    let ones = |value: u32| (0..32).filter(|index| value >> index & 1 == 1).count() as u32;
    vector("v_bcnt_u32_b32 v9, v0, v1", &cases, |[a, b, _]| ones(a).wrapping_add(b));
}

#[test]
fn scalar_counts_and_positions() {
    let mut values: Vec<u64> = (0..64).flat_map(|bit| [1 << bit, !(1 << bit), !0 << bit]).collect();
    values.extend([0, u64::MAX, 0x0123_4567_89ab_cdef]);
    for value in values {
        let find = |order: &mut dyn Iterator<Item = u32>, wanted| {
            let at = order.map(|index| bit(value, index)).position(|found| found == wanted);
            at.map_or(0xffff_ffff, |at| at as u64)
        };
        let ones = (0..64).filter(|index| bit(value, *index) == 1).count() as u64;
        let expected = [
            ("s_ff1_i32_b64", find(&mut (0..64), 1)),
            ("s_ff0_i32_b64", find(&mut (0..64), 0)),
            ("s_flbit_i32_b64", find(&mut (0..64).rev(), 1)),
            ("s_flbit_i32_i64", find(&mut (0..64).rev(), 1 - bit(value, 63))),
            ("s_bcnt1_i32_b64", ones),
            ("s_bcnt0_i32_b64", 64 - ones),
            ("s_ff1_i32_b32", find(&mut (0..32), 1)),
            ("s_ff0_i32_b32", find(&mut (0..32), 0)),
            ("s_flbit_i32_b32", find(&mut (0..32).rev(), 1)),
            ("s_flbit_i32", find(&mut (0..32).rev(), 1 - bit(value, 31))),
        ];
        for (name, expected) in expected {
            let source = if name.ends_with("64") { "s[0:1]" } else { "s0" };
            let text = format!("s_mov_b32 s5, 0\n{name} s4, {source}");
            assert_eq!(scalar(&text, value, 0).0, expected, "{name} {value:#x}");
        }
        let reversed = (0..64).fold(0, |result, index| result | bit(value, index) << (63 - index));
        assert_eq!(scalar("s_brev_b64 s[4:5], s[0:1]", value, 0).0, reversed);
        let quads = (0..64).fold(0, |result, index| {
            let any = (0..4).any(|lane| bit(value, index / 4 * 4 + lane) == 1);
            result | u64::from(any) << index
        });
        assert_eq!(scalar("s_wqm_b64 s[4:5], s[0:1]", value, 0).0, quads);
    }
}

#[test]
fn alignment() {
    let cases = triples();
    let long = |a: u32, b: u32| (u128::from(a) << 32) + u128::from(b);
    vector("v_alignbit_b32 v9, v0, v1, v2", &cases, |[a, b, c]| {
        (long(a, b) / (1 << (c % 32))) as u32
    });
    vector("v_alignbyte_b32 v9, v0, v1, v2", &cases, |[a, b, c]| {
        (long(a, b) / (1 << (8 * (c % 4)))) as u32
    });
}

#[test]
fn lanes_are_counted() {
    for chip in Chip::ALL {
        let mut wave = Wave::new();
        done(chip, "v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v0", &mut wave);
        for lane in 0..64 {
            assert_eq!(wave.vector[1][lane], lane as u32);
        }
    }
}
