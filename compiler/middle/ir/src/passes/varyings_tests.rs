//! Constants and unread components between two stages.

use super::{opt_constant_inputs, opt_dce, opt_unread_outputs};
use crate::varyings::{DrawConstant, InputReads, OutputConstants};
use crate::{Shader, parse, validate};

const PRODUCER: &str = r#"shader vertex "producer"
block b0 {
  32x1 v0 = const 0x0
  32x1 v1 = const 0x3f800000
  32x4 v2 = load_input v0 slot=attribute0 component=0
  32x4 v3 = vec4 v1, v2.x, v1, v0
  store_output v3, v0 slot=var0 component=0 mask=15 stream=0
  store_output v1, v0 slot=var1 component=2 mask=1 stream=0
  store_output v3, v0 slot=position component=0 mask=15 stream=0
  1x1 v4 = flt v2.x, v0
}
if v4 {
block b1 {
  store_output v1, v0 slot=var0 component=0 mask=1 stream=0
  store_output v0, v0 slot=var1 component=2 mask=1 stream=0
}
} else {
block b2 {
}
}
block b3 {
}
"#;

fn shader(text: &str) -> Shader {
    let shader = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    validate(&shader).unwrap();
    shader
}

fn consumer(offset: u32) -> Shader {
    shader(&format!(
        r#"shader fragment "consumer"
block b0 {{
  32x1 v0 = const 0x0
  32x1 v1 = const {offset:#x}
  32x2 v2 = load_barycentric location=pixel linear=0
  32x4 v3 = load_interpolated_input v2, v1 slot=var0 component=0
  store_output v3, v0 slot=frag_color0 component=0 mask=15 stream=0
}}
"#
    ))
}

fn constant(bits: Option<u32>) -> Option<DrawConstant> {
    bits.map(DrawConstant::Constant)
}

#[test]
fn constants_are_those_of_every_store() {
    let constants = OutputConstants::of(&shader(PRODUCER));
    let found: Vec<Option<DrawConstant>> = (0..4).map(|c| constants.get(0, c)).collect();
    assert_eq!(found, [Some(0x3f80_0000), None, Some(0x3f80_0000), Some(0)].map(constant));
    assert_eq!(constants.get(1, 2), None, "two stores disagree");
}

#[test]
fn an_output_at_a_variable_index_may_be_any() {
    let text = PRODUCER.replace("32x4 v3 = vec4", "32x1 v9 = mov v2.x\n  32x4 v3 = vec4");
    let text = text.replace("v1, v0 slot=var1", "v1, v9 slot=var1");
    assert!(OutputConstants::of(&shader(&text)).is_empty());
}

#[test]
fn known_components_are_not_read_any_more() {
    let producer = shader(PRODUCER);
    let mut fragment = consumer(0);
    assert!(opt_constant_inputs(&mut fragment, &OutputConstants::of(&producer)));
    validate(&fragment).unwrap();
    let reads = InputReads::of(&fragment);
    let read: Vec<bool> = (0..4).map(|c| reads.contains(0, c)).collect();
    assert_eq!(read, [false, true, false, false]);

    let mut vertex = producer.clone();
    assert!(opt_unread_outputs(&mut vertex, &reads));
    opt_dce(&mut vertex);
    validate(&vertex).unwrap();
    let text = vertex.to_string();
    assert!(text.contains("slot=var0 component=0 mask=2 "), "{text}");
    assert!(!text.contains("slot=var1"), "{text}");
    assert!(text.contains("slot=position component=0 mask=15"), "{text}");
}

#[test]
fn other_slots_and_variable_indices_stay() {
    let producer = shader(PRODUCER);
    let constants = OutputConstants::of(&producer);
    let mut elsewhere = consumer(5);
    assert!(!opt_constant_inputs(&mut elsewhere, &constants));
    let mut indexed = shader(
        r#"shader fragment "indexed"
block b0 {
  32x1 v0 = const 0x0
  32x1 v1 = load_input v0 slot=var3 component=0
  32x4 v3 = load_input v1 slot=var0 component=0
  store_output v3, v0 slot=frag_color0 component=0 mask=15 stream=0
}
"#,
    );
    assert!(!opt_constant_inputs(&mut indexed, &constants));
    let mut vertex = producer.clone();
    assert!(
        !opt_unread_outputs(&mut vertex, &InputReads::of(&indexed)),
        "any component may be read"
    );
}

#[test]
fn components_that_nothing_uses_are_not_read() {
    let fragment = shader(
        r#"shader fragment "used"
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=var0 component=0
  32x2 v2 = load_input v0 slot=var1 component=1
  32x2 v3 = fadd v1.zx, v2.yy
  store_output v3, v0 slot=frag_color0 component=0 mask=3 stream=0
}
"#,
    );
    let reads = InputReads::of(&fragment);
    let read = |varying| (0..4).map(|c| reads.contains(varying, c)).collect::<Vec<bool>>();
    assert_eq!(read(0), [true, false, true, false]);
    assert_eq!(read(1), [false, false, true, false]);
}
