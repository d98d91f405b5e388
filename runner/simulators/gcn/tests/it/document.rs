//! Sequences of instructions for the bit-field functions of GLSL, executed.

use amd_isa::Chip;
use gcn_simulator::Wave;

use crate::{VALUES, done};

/// `bitfieldInsert` of GLSL, bit by bit; `offset + bits` is at most 32.
fn bitfield_insert(base: u32, insert: u32, offset: u32, bits: u32) -> u32 {
    (0..32).fold(0, |result, index| {
        let inside = index >= offset && index < offset + bits;
        let bit = if inside { insert >> (index - offset) & 1 } else { base >> index & 1 };
        result | bit << index
    })
}

/// `bitfieldExtract` of GLSL, bit by bit.
fn bitfield_extract(value: u32, offset: u32, bits: u32, signed: bool) -> u32 {
    if bits == 0 {
        return 0;
    }
    let sign = if signed { value >> (offset + bits - 1) & 1 } else { 0 };
    (0..32).fold(0, |result, index| {
        let bit = if index < bits { value >> (offset + index) & 1 } else { sign };
        result | bit << index
    })
}

/// Offsets and widths that GLSL defines.
fn fields() -> Vec<(u32, u32)> {
    (0..=32).flat_map(|offset| (0..=32 - offset).map(move |bits| (offset, bits))).collect()
}

/// Executes the text for every field: base in v0, inserted value in v1, offset in v2, width in v3.
fn every_field(text: &str, base: u32, insert: u32, check: impl Fn(u32, u32, u32)) {
    for chip in Chip::ALL {
        for chunk in fields().chunks(64) {
            let mut wave = Wave::new();
            for (lane, (offset, bits)) in chunk.iter().enumerate() {
                for (register, value) in [base, insert, *offset, *bits].into_iter().enumerate() {
                    wave.vector[register][lane] = value;
                }
            }
            done(chip, text, &mut wave);
            for (lane, (offset, bits)) in chunk.iter().enumerate() {
                check(wave.vector[9][lane], *offset, *bits);
            }
        }
    }
}

/// Three instructions, as long as the width is below 32.
const INSERT: &str = "v_bfm_b32 v4, v3, v2
v_lshlrev_b32 v5, v2, v1
v_bfi_b32 v9, v4, v5, v0";

#[test]
fn insert_takes_three_instructions() {
    for &base in VALUES {
        for &insert in &[0, 1, 0xffff_ffff, 0x1234_5678] {
            every_field(INSERT, base, insert, |got, offset, bits| {
                if bits < 32 {
                    let expected = bitfield_insert(base, insert, offset, bits);
                    assert_eq!(got, expected, "{base:#x} {insert:#x} {offset} {bits}");
                } else {
                    // The mask of a field of 32 bits is empty: this is why there is a selection.
                    assert_eq!(got, base);
                }
            });
        }
    }
}

#[test]
fn insert_of_every_width() {
    let text = format!("{INSERT}\nv_cmp_lt_u32 vcc, 31, v3\nv_cndmask_b32 v9, v9, v1, vcc");
    for &base in VALUES {
        every_field(&text, base, 0xcafe_f00d, |got, offset, bits| {
            assert_eq!(got, bitfield_insert(base, 0xcafe_f00d, offset, bits), "{offset} {bits}");
        });
    }
}

/// The masks of the scalar ALU have 64 bits: no selection is needed.
#[test]
fn insert_of_uniform_values() {
    let text = "s_bfm_b64 s[4:5], s3, s2
s_lshl_b32 s6, s1, s2
s_and_b32 s6, s6, s4
s_andn2_b32 s7, s0, s4
s_or_b32 s9, s6, s7";
    for chip in Chip::ALL {
        for (offset, bits) in fields() {
            let mut wave = Wave::new();
            wave.scalar[..4].copy_from_slice(&[0xdead_beef, 0x1234_5678, offset, bits]);
            done(chip, text, &mut wave);
            // Shifts count modulo 32: an offset of 32 comes with no bits only.
            let expected = bitfield_insert(0xdead_beef, 0x1234_5678, offset, bits);
            assert_eq!(wave.scalar[9], expected, "{offset} {bits}");
        }
    }
}

/// The mixed sequence of 2015: mask and shift on the scalar ALU, selection on the vector ALU.
#[test]
fn insert_with_both_units() {
    let text = "s_lshl_b32 s1, s4, s6
s_bfm_b32 s0, s0, s6
v_mov_b32_e32 v0, s5
v_mov_b32_e32 v1, s1
v_bfi_b32 v0, s0, v1, v0";
    for chip in Chip::ALL {
        for (offset, bits) in fields().into_iter().filter(|(_, bits)| *bits < 32) {
            let mut wave = Wave::new();
            wave.scalar[0] = bits;
            wave.scalar[4..7].copy_from_slice(&[0x1234_5678, 0xdead_beef, offset]);
            done(chip, text, &mut wave);
            let expected = bitfield_insert(0xdead_beef, 0x1234_5678, offset, bits);
            assert_eq!(wave.vector[0], [expected; 64], "{offset} {bits}");
        }
    }
}

/// The expansion without a mask instruction: more instructions, the same value.
#[test]
fn insert_expanded() {
    let text = "s_lshl_b32 s1, 1, s0
s_bfm_b32 s0, s0, s6
s_add_i32 s1, s1, -1
s_not_b32 s0, s0
s_and_b32 s1, s1, s4
s_and_b32 s0, s0, s5
s_lshl_b32 s1, s1, s6
s_or_b32 s0, s1, s0";
    for chip in Chip::ALL {
        for (offset, bits) in fields().into_iter().filter(|(_, bits)| *bits < 32) {
            let mut wave = Wave::new();
            wave.scalar[0] = bits;
            wave.scalar[4..7].copy_from_slice(&[0x1234_5678, 0xdead_beef, offset]);
            done(chip, text, &mut wave);
            let expected = bitfield_insert(0xdead_beef, 0x1234_5678, offset, bits);
            assert_eq!(wave.scalar[0], expected, "{offset} {bits}");
        }
    }
}

#[test]
fn extract() {
    for (name, signed) in [("u32", false), ("i32", true)] {
        let text = format!(
            "v_bfe_{name} v9, v0, v2, v3\nv_cmp_lt_u32 vcc, 31, v3\nv_cndmask_b32 v9, v9, v0, vcc"
        );
        for &value in VALUES {
            every_field(&text, value, 0, |got, offset, bits| {
                let expected = bitfield_extract(value, offset, bits, signed);
                assert_eq!(got, expected, "{name} {value:#x} {offset} {bits}");
            });
        }
    }
}

#[test]
fn most_significant_bits() {
    let signed = "v_ffbh_i32 v1, v0
v_sub_f32 v2, v2, v2
v_cmp_ne_u32 vcc, -1, v1
v_xor_b32 v3, 31, v1
v_cndmask_b32 v9, -1, v3, vcc";
    for chip in Chip::ALL {
        for &value in VALUES {
            let mut wave = Wave::new();
            wave.vector[0] = [value; 64];
            done(chip, signed, &mut wave);
            let searched = if value as i32 >= 0 { value } else { !value };
            let expected = (0..32).rev().find(|bit| searched >> bit & 1 == 1);
            assert_eq!(wave.vector[9][5] as i32, expected.unwrap_or(-1), "{value:#x}");
        }
    }
}
