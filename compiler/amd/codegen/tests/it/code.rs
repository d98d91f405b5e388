//! Instructions of small shaders: what selection and copies make of them.

use amd_codegen::{CodegenOptions, StageKey, compile};
use amd_isa::Chip;

use super::harness::text;

/// The assembly text of a shader in the IR's text form.
fn code(shader: &str, chip: Chip) -> String {
    let shader = ir::parse(shader).expect("a shader");
    text(
        &compile(&shader, &StageKey::default(), chip, &CodegenOptions::default())
            .expect("a program"),
    )
}

/// Number of instructions whose mnemonic begins so.
fn count(text: &str, mnemonic: &str) -> usize {
    text.lines().filter(|line| line.trim_start().starts_with(mnemonic)).count()
}

fn fragment(body: &str) -> String {
    format!(
        "shader fragment\ninput var0 mask=15 flat pixel stream=0\n\
         output frag_color0 mask=15 smooth pixel stream=0\ninfo ubos 1\ninfo flush_f32 1\n\
         block b0 {{\n  32x1 v0 = const 0x0\n\
         \x20 32x4 v1 = load_input v0 slot=var0 component=0\n{body}\
         \x20 store_output v9, v0 slot=frag_color0 component=0 mask=1 stream=0\n}}\n"
    )
}

#[test]
fn sums_of_products_are_one_instruction() {
    let text = code(&fragment("32x1 v2 = fmul v1.x, v1.y\n32x1 v9 = fadd v2, v1.z\n"), Chip::Si);
    assert_eq!((count(&text, "v_mad_f32"), count(&text, "v_mul")), (1, 0), "{text}");
    // A product with another user stays.
    let body = "32x1 v2 = fmul v1.x, v1.y\n32x1 v3 = fadd v2, v1.z\n32x1 v9 = fmul v3, v2\n";
    let text = code(&fragment(body), Chip::Si);
    assert_eq!(count(&text, "v_mad_f32"), 0, "{text}");
}

#[test]
fn negated_operands_of_sums_are_subtracted() {
    let text = code(&fragment("32x1 v2 = ineg v1.x\n32x1 v9 = iadd v2, v1.y\n"), Chip::Vi);
    assert_eq!(count(&text, "v_sub"), 1, "{text}");
    assert_eq!(count(&text, "v_add"), 0, "{text}");
}

#[test]
fn minima_nest() {
    let text = code(&fragment("32x1 v2 = imin v1.x, v1.y\n32x1 v9 = imin v1.z, v2\n"), Chip::Si);
    assert_eq!((count(&text, "v_min3_i32"), count(&text, "v_min_i32")), (1, 0), "{text}");
    // The median of a value and two constants in order.
    let body = "32x1 v2 = const 0x0\n32x1 v3 = const 0x3f800000\n\
        32x1 v4 = fmax v1.x, v2\n32x1 v9 = fmin v4, v3\n";
    let text = code(&fragment(body), Chip::Si);
    assert_eq!(count(&text, "v_med3_f32"), 1, "{text}");
}

#[test]
fn neighboring_uniforms_are_one_load() {
    let body = "32x1 v2 = const 0x8\n32x1 v3 = const 0x10\n\
        32x1 v4 = load_ubo v0, v0 base=0 align=0\n32x1 v5 = load_ubo v0, v2 base=0 align=0\n\
        32x1 v6 = load_ubo v0, v3 base=0 align=0\n\
        32x1 v7 = iadd v4, v5\n32x1 v8 = iadd v6, v7\n32x1 v9 = iadd v8, v1.x\n";
    for chip in Chip::ALL {
        let text = code(&fragment(body), chip);
        assert_eq!(count(&text, "s_buffer_load_dwordx8"), 1, "{text}");
        // The descriptor is in registers.
        assert_eq!(count(&text, "s_load"), 0, "{text}");
        assert_eq!(count(&text, "s_waitcnt"), 1, "{text}");
    }
}

#[test]
fn divisions_by_powers_of_two_are_shifts() {
    let text = code(&fragment("32x1 v2 = const 0x8\n32x1 v9 = udiv v1.x, v2\n"), Chip::Si);
    assert_eq!((count(&text, "v_lshrrev_b32"), count(&text, "v_rcp")), (1, 0), "{text}");
    let text = code(&fragment("32x1 v2 = const 0x8\n32x1 v9 = irem v1.x, v2\n"), Chip::Si);
    assert_eq!((count(&text, "v_and_b32"), count(&text, "v_rcp")), (1, 0), "{text}");
}

#[test]
fn lanes_are_read_and_compared() {
    let body = "1x1 v2 = i2b v1.x\n1x1 v3 = vote_eq v2\n32x1 v4 = b2i32 v3\n\
        32x1 v5 = const 0x5\n32x1 v10 = mov v1.y\n32x1 v6 = read_invocation v10, v5\n\
        32x1 v11 = mov v1.z\n32x1 v7 = read_first_invocation v11\n\
        32x1 v8 = iadd v4, v6\n32x1 v9 = iadd v7, v8\n";
    let text = code(&fragment(body), Chip::Si);
    for mnemonic in ["s_nand_b64", "v_readlane_b32", "v_readfirstlane_b32"] {
        assert_eq!(count(&text, mnemonic), 1, "{text}");
    }
}

#[test]
fn known_vertices_need_no_mask() {
    let shader = "shader geometry
input var0 mask=15 smooth pixel stream=0
output position mask=15 smooth pixel stream=0
geometry points points max_vertices=2 invocations=1 streams=1
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_per_vertex_input v0, v0 slot=var0 component=0
  store_output v1, v0 slot=position component=0 mask=15 stream=0
  emit_vertex stream=0
  emit_vertex stream=0
  emit_vertex stream=0
}
";
    let text = code(shader, Chip::Si);
    assert_eq!(count(&text, "s_and_saveexec"), 0, "{text}");
    // The third vertex is one too many.
    assert_eq!(text.matches("GS_OP_EMIT").count(), 2, "{text}");
    assert_eq!(count(&text, "buffer_store_dword"), 8, "{text}");
    assert_eq!(count(&text, "s_mov_b32 m0"), 1, "{text}");
}
