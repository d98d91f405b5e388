//! Stages between which memory is: their programs and layouts.

use amd_codegen::output::{Interface, Resource, TessControlInterface};
use amd_codegen::{CodegenOptions, NextStage, StageKey, TessDomain, compile};
use amd_isa::{Chip, HardwareStage};

use super::harness::text;

const VERTEX: &str = "shader vertex
input attribute0 mask=15 smooth pixel stream=0
output position mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  store_output v1, v0 slot=position component=0 mask=15 stream=0
}
";

#[test]
fn vertices_go_where_the_next_stage_reads_them() {
    let shader = ir::parse(VERTEX).expect("a shader");
    let expected = [
        (NextStage::Rasterization, HardwareStage::Vs, "exp pos0"),
        (NextStage::Geometry, HardwareStage::Es, "buffer_store_dword"),
        (NextStage::TessControl, HardwareStage::Ls, "ds_write2_b32"),
    ];
    for chip in [Chip::Si, Chip::Vi] {
        for (next, stage, instruction) in expected {
            let key = StageKey { next, ..StageKey::default() };
            let output =
                compile(&shader, &key, chip, &CodegenOptions::default()).expect("a program");
            assert_eq!(output.stage, stage);
            let text = text(&output);
            for (_, _, other) in expected {
                assert_eq!(text.contains(other), other == instruction, "{next:?}: {text}");
            }
        }
    }
}

const CONTROL: &str = "shader tess_control
input var0 mask=15 smooth pixel stream=0
output var0 mask=15 smooth pixel stream=0
output patch0 mask=15 smooth pixel stream=0
output tess_level_outer mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x1 v1 = invocation_id
  32x4 v2 = load_per_vertex_input v1, v0 slot=var0 component=0
  store_per_vertex_output v2, v1, v0 slot=var0 component=0 mask=15
  store_output v2, v0 slot=patch0 component=0 mask=15 stream=0
  store_output v2, v0 slot=tess_level_outer component=0 mask=15 stream=0
}
";

fn control(domain: TessDomain, chip: Chip) -> (String, TessControlInterface) {
    let mut shader = ir::parse(CONTROL).expect("a shader");
    shader.info.tess.vertices_out = 3;
    let key = StageKey { patch_vertices: 4, tess_domain: domain, ..StageKey::default() };
    let output = compile(&shader, &key, chip, &CodegenOptions::default()).expect("a program");
    assert_eq!(output.stage, HardwareStage::Hs);
    let resources: Vec<Resource> = output.descriptors.iter().map(|d| d.resource).collect();
    assert_eq!(resources, [Resource::Patches, Resource::Factors]);
    let text = text(&output);
    let Interface::TessControl(interface) = output.interface else { panic!("no control stage") };
    (text, interface)
}

#[test]
fn patches_have_their_own_slots_first() {
    for chip in [Chip::Si, Chip::Vi] {
        let (text, interface) = control(TessDomain::Triangles, chip);
        assert_eq!(interface.input_bytes(), 4 * 16);
        // Two slots of the patch, one for each of three vertices.
        assert_eq!(interface.outputs.patch_bytes(3), 2 * 16 + 3 * 16);
        // Only the levels are read again.
        assert_eq!(interface.shared.patch_bytes(3), 16);
        // The patch's invocations are in one wave.
        assert!(!text.contains("s_barrier"), "{text}");
    }
}

/// Factors in the order of the tessellator: isolines have theirs exchanged.
#[test]
fn domains_have_their_factors() {
    let count = |domain| {
        let (_, interface) = control(domain, Chip::Si);
        (interface.outer, interface.inner)
    };
    assert_eq!(count(TessDomain::Triangles), (vec![0, 1, 2], vec![0]));
    assert_eq!(count(TessDomain::Quads), (vec![0, 1, 2, 3], vec![0, 1]));
    assert_eq!(count(TessDomain::Isolines), (vec![1, 0], vec![]));
}
