//! GLSL's bit-field functions: the sequences that the machine is made for, and every offset and
//! width against GLSL's definition.

use crate::harness::*;
use crate::operations::shader;
use amd_isa::Chip;
use ir::{AluOp, Builder, Shader, Slot, Value};

/// Values of the fields' sources.
const PATTERNS: [u32; 6] = [0, 0xffff_ffff, 0xdead_beef, 0x8000_0001, 0x5555_5555, 0x7fff_fffe];

fn with(op: AluOp, sources: impl Fn(&mut Builder<'_>, &[Value]) -> Vec<Value>) -> Shader {
    let mut shader = shader();
    let mut b = Builder::new(&mut shader);
    let loaded = b.load_input(Slot::Var(0), 0, 4);
    let inputs = b.channels(loaded);
    let sources = sources(&mut b, &inputs);
    let value = b.alu(op, &sources);
    b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, value);
    b.finish();
    lower(&mut shader);
    shader
}

/// Mnemonics of the instructions between interpolation and export.
fn sequence(shader: &Shader, chip: Chip) -> Vec<String> {
    let text = text(&compiled(shader, chip));
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    let names =
        names.map(|name| name.trim_end_matches("_e32").trim_end_matches("_e64").to_string());
    let other = |name: &String| {
        !["s_mov_b32", "v_interp_mov_f32", "exp", "s_endpgm"].contains(&name.as_str())
    };
    names.filter(other).collect()
}

#[test]
fn insertion_is_mask_shift_and_selection() {
    for chip in Chip::ALL {
        // A width that is known to be below 32 needs no comparison.
        let known = with(AluOp::BitfieldInsert, |b, v| vec![v[0], v[1], v[2], b.imm(7)]);
        assert_eq!(sequence(&known, chip), ["v_bfm_b32", "v_lshlrev_b32", "v_bfi_b32"], "{chip}");
        let open = with(AluOp::BitfieldInsert, |_, v| v.to_vec());
        let five = ["v_bfm_b32", "v_lshlrev_b32", "v_bfi_b32", "v_cmp_ge_u32", "v_cndmask_b32"];
        assert_eq!(sequence(&open, chip), five, "{chip}");
    }
}

#[test]
fn other_functions_are_an_instruction_or_three() {
    let one = [
        (AluOp::BitfieldReverse, "v_bfrev_b32"),
        (AluOp::BitCount, "v_bcnt_u32_b32"),
        (AluOp::FindLsb, "v_ffbl_b32"),
    ];
    for chip in Chip::ALL {
        for (op, name) in one {
            let shader = with(op, |_, v| vec![v[0]]);
            assert_eq!(sequence(&shader, chip), [name], "{chip}");
        }
        for (op, name) in
            [(AluOp::UbitfieldExtract, "v_bfe_u32"), (AluOp::IbitfieldExtract, "v_bfe_i32")]
        {
            let shader = with(op, |b, v| vec![v[0], v[1], b.imm(31)]);
            assert_eq!(sequence(&shader, chip), [name], "{chip}");
        }
        for (op, name) in [(AluOp::UfindMsb, "v_ffbh_u32"), (AluOp::IfindMsb, "v_ffbh_i32")] {
            let shader = with(op, |_, v| vec![v[0]]);
            assert_eq!(sequence(&shader, chip), [name, "v_xor_b32", "v_max_i32"], "{chip}");
        }
    }
}

#[test]
fn open_coded_selections_and_sums_of_bits_are_recognized() {
    for chip in Chip::ALL {
        let selection = with(AluOp::Ior, |b, v| {
            let rest = b.inot(v[0]);
            vec![b.iand(v[1], v[0]), b.iand(v[2], rest)]
        });
        let names = sequence(&selection, chip);
        assert_eq!(names, ["v_bfi_b32"], "{chip}");
        let sum = with(AluOp::Iadd, |b, v| {
            let count = b.bit_count(v[0]);
            vec![v[1], count]
        });
        assert_eq!(sequence(&sum, chip), ["v_bcnt_u32_b32"], "{chip}");
    }
}

/// Every pair of offset and width whose sum is at most 32, with its values in lanes.
fn all_fields(pattern: u32) -> Vec<[u32; 4]> {
    let pairs = (0..=32u32).flat_map(|offset| (0..=32 - offset).map(move |width| (offset, width)));
    pairs.map(|(offset, width)| [pattern, !pattern.rotate_left(7), offset, width]).collect()
}

fn check(op: AluOp, order: &[usize], expected: impl Fn([u32; 4]) -> u32) {
    for chip in Chip::ALL {
        let shader = with(op, |_, v| order.iter().map(|&index| v[index]).collect());
        let output = compiled(&shader, chip);
        for pattern in PATTERNS {
            for fields in all_fields(pattern).chunks(LANES) {
                let inputs: Inputs = (0..LANES)
                    .map(|lane| [*fields.get(lane).unwrap_or(&fields[0]), [0; 4], [0; 4], [0; 4]])
                    .collect();
                let (got, _) = on_wave(&output, &inputs, &[], LANES);
                for (lane, lanes) in inputs.iter().enumerate() {
                    assert_eq!(got[&(lane, 0, 0)], expected(lanes[0]), "{chip} {op:?} {lanes:x?}");
                }
            }
        }
    }
}

/// Ones in the field.
fn ones(width: u32) -> u64 {
    (1 << width) - 1
}

#[test]
fn insertion_of_every_field() {
    check(AluOp::BitfieldInsert, &[0, 1, 2, 3], |[base, insert, offset, width]| {
        let mask = (ones(width) << offset) as u32;
        base & !mask | (u64::from(insert) << offset) as u32 & mask
    });
}

#[test]
fn extraction_of_every_field() {
    let field = |[value, _, offset, width]: [u32; 4]| u64::from(value) >> offset & ones(width);
    check(AluOp::UbitfieldExtract, &[0, 2, 3], |lane| field(lane) as u32);
    check(AluOp::IbitfieldExtract, &[0, 2, 3], |lane| {
        let width = lane[3];
        if width == 0 { 0 } else { ((field(lane) << (64 - width)) as i64 >> (64 - width)) as u32 }
    });
}
