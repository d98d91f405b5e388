//! Programs with more values than registers.

use super::harness::{LANES, Rng, compiled, lower, on_evaluator, on_wave, text};
use super::operations::{input, shader, store};
use amd_isa::Chip;
use ir::eval::Space;
use ir::{Builder, Fields, IntrinsicOp, Shader, Value};

/// Adds two sums over the values, in both directions, so that all of them are live at once.
fn sums(b: &mut Builder<'_>, values: &[Value]) {
    let mut sum = b.imm(0);
    for &value in values {
        sum = b.iadd(sum, value);
    }
    for &value in values.iter().rev() {
        let three = b.imm(3);
        let scaled = b.imul(sum, three);
        sum = b.ixor(scaled, value);
    }
    store(b, sum);
}

/// Values that differ between lanes.
fn vectors(count: u32) -> Shader {
    let mut shader = shader();
    let mut b = Builder::new(&mut shader);
    let first = input(&mut b, 0, 32);
    let values: Vec<Value> = (0..count)
        .map(|k| {
            let factor = b.imm(2 * k + 1);
            b.imul(first, factor)
        })
        .collect();
    sums(&mut b, &values);
    b.finish();
    shader
}

/// Values that all lanes share.
fn scalars(count: u32) -> Shader {
    let mut shader = shader();
    shader.info.ubos = 2;
    let mut b = Builder::new(&mut shader);
    let block = b.imm(1);
    let values: Vec<Value> = (0..count)
        .map(|k| {
            let offset = b.imm(4 * k);
            let fields = Fields::default();
            let operands = [block, offset];
            b.intrinsic(IntrinsicOp::LoadUbo, &operands, fields, Some((32, 1))).unwrap()
        })
        .collect();
    let own = input(&mut b, 0, 32);
    let mut all = values;
    all.push(own);
    sums(&mut b, &all);
    b.finish();
    shader
}

fn check(shader: &Shader, chip: Chip, wanted: &str) {
    let mut lowered = shader.clone();
    lower(&mut lowered);
    let output = compiled(&lowered, chip);
    assert!(text(&output).contains(wanted), "no {wanted}");
    let mut rng = Rng(17);
    let block: Vec<u8> = (0..4096).map(|_| rng.next() as u8).collect();
    let memory = [(Space::Ubo(1), block)];
    let inputs = rng.inputs();
    for lanes in [LANES, 5] {
        let (expected, _) = on_evaluator(shader, &inputs, &memory, lanes);
        let (got, _) = on_wave(&output, &inputs, &memory, lanes);
        assert_eq!(got, expected, "{chip}");
    }
}

#[test]
fn vectors_go_to_scratch_memory() {
    for chip in [Chip::Si, Chip::Vi] {
        check(&vectors(300), chip, "buffer_store_dword");
        // More than the constant offset of an access reaches.
        check(&vectors(1500), chip, "buffer_load_dword");
    }
}

/// Passes may remove all accesses to scratch space that the shader declares.
#[test]
fn spilling_needs_no_access_to_declared_scratch_space() {
    let mut shader = vectors(300);
    shader.info.scratch_size = 64;
    for chip in [Chip::Si, Chip::Vi] {
        check(&shader, chip, "buffer_store_dword");
    }
}

#[test]
fn scalars_go_to_lanes() {
    for chip in [Chip::Si, Chip::Vi] {
        check(&scalars(90), chip, "v_add");
        check(&scalars(250), chip, "v_writelane_b32");
    }
}

#[test]
fn programs_that_suffice_spill_nothing() {
    for chip in [Chip::Si, Chip::Vi] {
        let mut lowered = vectors(200);
        lower(&mut lowered);
        let output = compiled(&lowered, chip);
        assert_eq!(output.scratch_bytes, 0);
        assert!(!text(&output).contains("buffer_"));
    }
}
