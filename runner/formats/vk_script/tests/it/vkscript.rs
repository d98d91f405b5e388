//! Meaning of VkScript.

use vk_script::{
    Area, BlendFactor, BlendOp, ClearValue, CommandKind, CompareOp, Comparison, CullMode,
    DescriptorKind, DrawVertices, Expected, FrontFace, Literal, LogicOp, PipelineKind, Place,
    Rules, Script, ShaderLanguage, StencilOp, Tolerance, Topology,
};
use vocabulary::Stage;

use crate::common::{SECTIONS, parse, vkscript};

fn sections() -> Script {
    vkscript(SECTIONS)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// A script whose `[test]` has these lines.
fn test(lines: &str) -> Script {
    vkscript(&format!(
        "[vertex shader passthrough]\n[compute shader]\nvoid main() {{}}\n[test]\n{lines}\n"
    ))
}

#[test]
fn requirements() {
    let requirements = sections().requirements;
    assert_eq!(requirements.version, Some([1, 1, 0]));
    let features: Vec<_> = requirements.features.iter().map(|f| (f.structure, f.member)).collect();
    assert_eq!(features, [("", "independentBlend"), ("Float16Int8Features", "shaderFloat16")]);
    // A feature of an extension implies the extension.
    let extensions = ["VK_KHR_shader_float16_int8", "VK_KHR_storage_buffer_storage_class"];
    assert_eq!(requirements.device_extensions, extensions);
    assert_eq!(requirements.fence_timeout_ms, Some(3000));
}

#[test]
fn attachments() {
    let script = sections();
    let draw = script.pipelines.iter().find(|p| p.kind == PipelineKind::Graphics).expect("a draw");
    assert_eq!(draw.framebuffer, [40, 20]);
    let color = script.buffer(draw.colors[0].buffer);
    assert_eq!((color.format.name.as_str(), color.elements), ("R8G8B8A8_UNORM", 800));
    let depth = draw.depth_stencil.map(|id| script.buffer(id).format.name.as_str());
    assert_eq!(depth, Some("D24_UNORM_S8_UINT"));
}

#[test]
fn shaders_of_a_stage_are_linked() {
    let script = sections();
    let [vertex, fragment, compute] = script.shaders.as_slice() else {
        panic!("{} shaders", script.shaders.len());
    };
    assert_eq!(vertex.target_env.as_deref(), Some("vulkan1.1"));
    assert_eq!(&SECTIONS[vertex.source_span.range()], &*vertex.source);
    assert_eq!(fragment.more_sources.len(), 1);
    assert!(fragment.more_sources[0].contains("vec4 other()"));
    assert_eq!(compute.language, ShaderLanguage::SpirvAssembly);
}

#[test]
fn binary_shaders_are_words() {
    let script = vkscript("[compute shader binary]\n07230203 10000 # version\n0 5 0\n[test]\n");
    assert_eq!(script.shaders[0].words, [0x0723_0203, 0x10000, 0, 5, 0]);
}

#[test]
fn vertex_data_and_indices() {
    let script = sections();
    let draws = script.pipelines.iter().find(|p| !p.vertex_buffers.is_empty()).expect("a draw");
    let [position, color, packed] = draws.vertex_buffers.as_slice() else {
        panic!("{} attributes", draws.vertex_buffers.len());
    };
    let bytes = |id| script.buffer(id).initial_bytes();
    // A hexadecimal number is a bit pattern.
    assert_eq!(floats(&bytes(position.buffer)), [-1.0, -1.0, 0.25, 1.0, -1.0, 0.25, 1.0, 1.0, 0.1]);
    assert_eq!((color.location, color.format.name.as_str()), (1, "R8G8B8A8_UINT"));
    assert_eq!(bytes(color.buffer)[4..8], [0, 255, 0, 255]);
    assert_eq!(bytes(packed.buffer)[..8], [255, 0, 0, 255, 255, 0, 0, 255]);
    let indices = draws.indices.map(|id| script.buffer(id)).expect("indices");
    assert_eq!(indices.format.name, "R16_UINT");
    assert_eq!(indices.initial_bytes(), [0, 0, 1, 0, 2, 0, 2, 0, 1, 0, 0, 0]);
}

#[test]
fn draws() {
    let script = test("draw rect 0 0 1 2\ndraw rect ortho patch 0 0 125 250");
    let [
        CommandKind::Draw { draw: plain, pipeline: first },
        CommandKind::Draw { draw: patch, pipeline: second },
    ] = [&script.commands[0].kind, &script.commands[1].kind]
    else {
        panic!("no draws");
    };
    let DrawVertices::Rectangle(rectangle) = plain.vertices else {
        panic!("no rectangle");
    };
    assert_eq!(rectangle.positions(), [[0.0, 2.0], [0.0, 0.0], [1.0, 2.0], [1.0, 0.0]]);
    let DrawVertices::Rectangle(rectangle) = patch.vertices else {
        panic!("no rectangle");
    };
    // Pixels of the framebuffer of 250 × 250.
    assert_eq!(rectangle.positions()[2], [0.0, 1.0]);
    assert_eq!((plain.topology, patch.topology), (Topology::TriangleStrip, Topology::PatchList));
    assert_eq!(first, second);
    assert_eq!(script.pipeline(*first).state.patch_control_points, 4);
}

#[test]
fn each_state_has_a_pipeline() {
    let script = test(
        "draw rect 0 0 1 1\ndepthTestEnable true\ndraw rect 0 0 1 1\ndepthTestEnable false\n\
         draw rect 0 0 1 1\nvertex entrypoint other\ndraw rect 0 0 1 1\ncompute 1 1 1\nlineWidth 2\n\
         compute 2 2 2",
    );
    let ids: Vec<u32> = script
        .commands
        .iter()
        .filter_map(|command| match command.kind {
            CommandKind::Draw { pipeline, .. } | CommandKind::Dispatch { pipeline, .. } => {
                Some(pipeline.0)
            }
            _ => None,
        })
        .collect();
    assert_eq!(ids, [0, 1, 0, 2, 3, 3]);
    assert_eq!(script.pipelines[2].stages[0].entry_point, "other");
    assert_eq!(script.pipelines[3].stages[0].stage, Stage::Compute);
}

#[test]
fn state() {
    let script = sections();
    let state = &script.pipelines.last().expect("a pipeline").state;
    assert_eq!((state.cull_mode, state.front_face), (CullMode::FrontAndBack, FrontFace::Clockwise));
    assert!(state.primitive_restart && state.depth.test && state.depth.write && state.stencil_test);
    assert_eq!(state.logic_op, Some(LogicOp::Xor));
    assert_eq!(state.color_write_mask, 0b1001);
    assert_eq!(state.depth.compare, CompareOp::Greater);
    assert_eq!(state.depth.bounds, Some([0.1, 0.9]));
    assert_eq!(state.depth.bias.map(|b| (b.constant, b.clamp, b.slope)), Some((1.5, 0.5, 2.0)));
    let blend = state.blend;
    assert_eq!((blend.enable, blend.src_color), (true, BlendFactor::SrcAlpha));
    assert_eq!((blend.color_op, blend.alpha_op), (BlendOp::ReverseSubtract, BlendOp::Min));
    assert_eq!((state.front.pass, state.front.depth_fail), (StencilOp::Replace, StencilOp::Invert));
    assert_eq!((state.front.compare, state.front.compare_mask), (CompareOp::NotEqual, 255));
    assert_eq!((state.front.write_mask, state.front.reference), (15, 2));
    assert_eq!((state.back.fail, state.back.compare), (StencilOp::Zero, CompareOp::Never));
    assert_eq!((state.back.compare_mask, state.back.write_mask), (u32::MAX, 0));
}

fn written(script: &Script, index: usize) -> (u32, &[u8]) {
    match &script.commands[index].kind {
        CommandKind::Write { offset, bytes, .. } => (*offset, bytes),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arrays_and_matrices_follow_the_layout() {
    let script = test("ssbo 0 subdata float 12 42");
    assert_eq!(written(&script, 0), (12, 42.0_f32.to_le_bytes().as_slice()));
    let script = test("ssbo layout std140\nssbo 0 subdata float 32 1 2 3");
    let (offset, bytes) = written(&script, 0);
    assert_eq!(offset, 32);
    assert_eq!(floats(bytes), [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
    let script = test("ssbo layout std430\nssbo 0 subdata mat3 12 1 2 3 4 5 6 7 8 9");
    let columns = [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0, 7.0, 8.0, 9.0];
    assert_eq!(floats(written(&script, 0).1), columns);
    let script = test("ssbo layout std430 row_major\nssbo 0 subdata mat3 12 1 2 3 4 5 6 7 8 9");
    let rows = [1.0, 4.0, 7.0, 0.0, 2.0, 5.0, 8.0, 0.0, 3.0, 6.0, 9.0];
    assert_eq!(floats(written(&script, 0).1), rows);
    // Uniform buffers are std140 by default.
    let script = test("ubo 0 subdata float 0 1 2");
    assert_eq!(floats(written(&script, 0).1), [1.0, 0.0, 0.0, 0.0, 2.0]);
    let script = test("ubo layout std430\nuniform ubo 0 float 0 1 2");
    assert_eq!(floats(written(&script, 0).1), [1.0, 2.0]);
    // By Amber's rules numbers are contiguous.
    let text =
        "[compute shader]\nvoid main() {}\n[test]\nuniform ubo 0 float 0 1 2\ncompute 1 1 1\n";
    let script = parse(text, Rules::Amber).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(floats(written(&script, 0).1), [1.0, 2.0]);
}

#[test]
fn buffers_are_as_large_as_their_use() {
    let script =
        test("ssbo 1:2 8\nssbo 1:2 subdata int 12 7\nubo 5 subdata vec3 0 1 2 3\ncompute 1 1 1");
    let bindings = &script.pipelines[0].bindings;
    assert_eq!(bindings[0].place, Place::Slot { set: 1, binding: 2 });
    assert_eq!(bindings[0].kind, DescriptorKind::Storage);
    assert_eq!(bindings[1].kind, DescriptorKind::Uniform);
    let size =
        |index: usize| script.buffer(bindings[index].resources[0].buffer.expect("a buffer")).size();
    assert_eq!((size(0), size(1)), (16, 12));
    // By Amber's rules the size is a number of elements of the last type.
    let text = "[compute shader]\nvoid main() {}\n[test]\nssbo 0 8\nssbo 0 subdata int 0 7\ncompute 1 1 1\n";
    let script = parse(text, Rules::Amber).unwrap_or_else(|error| panic!("{error}"));
    let buffer = script.pipelines[0].bindings[0].resources[0].buffer.expect("a buffer");
    assert_eq!(script.buffer(buffer).size(), 32);
}

#[test]
fn push_constants() {
    let script = test("push int 4 -1\nuniform vec2 8 0.5 1\ncompute 1 1 1");
    assert_eq!(written(&script, 0), (4, [0xff; 4].as_slice()));
    let buffer = script.pipelines[0].push_constants.expect("push constants");
    assert_eq!(script.buffer(buffer).size(), 16);
}

#[test]
fn clears_have_the_values_set_before() {
    let script = test(
        "clear color 0.5 0 0 1\nclear\nclear depth 0.25\nclear stencil 2\nclear\ndraw rect 0 0 1 1",
    );
    let values: Vec<ClearValue> = script
        .commands
        .iter()
        .filter_map(|command| match command.kind {
            CommandKind::SetClear { value, .. } => Some(value),
            _ => None,
        })
        .collect();
    assert_eq!(values[..2], [ClearValue::Color([0.5, 0.0, 0.0, 1.0]), ClearValue::Depth(1.0)]);
    assert_eq!(values[4..], [ClearValue::Depth(0.25), ClearValue::Stencil(2)]);
    let clears = script.commands.iter().filter(|c| matches!(c.kind, CommandKind::Clear { .. }));
    assert_eq!(clears.count(), 2);
    // A script that only clears has a pipeline without shaders.
    let script = vkscript("[test]\nclear\nprobe all rgb 0 0 0\n");
    assert!(script.pipelines[0].stages.is_empty() && !script.pipelines[0].colors.is_empty());
}

fn expected(lines: &str) -> Expected {
    let script = test(lines);
    match &script.commands.last().expect("a command").kind {
        CommandKind::Expect(expectation) => expectation.expected.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn probes() {
    let Expected::Texels { area, color, alpha, tolerances } =
        expected("probe rect rgba (1, 2, 3, 4) (0, 0.5, 1, 1)")
    else {
        panic!("no texels");
    };
    assert_eq!((area, color, alpha), (Area::Texels([1, 2, 3, 4]), [0.0, 0.5, 1.0, 1.0], true));
    assert_eq!(tolerances, [Tolerance::Absolute(0.01)]);
    let Expected::Texels { area, .. } =
        expected("relative probe rect rgb (0.5, 0, 0.5, 1) (0, 0, 0)")
    else {
        panic!("no texels");
    };
    assert_eq!(area, Area::Texels([125, 0, 125, 250]));
    let Expected::Texels { area, .. } = expected("probe all rgb 1 1 1") else {
        panic!("no texels");
    };
    assert_eq!(area, Area::Whole);
    let Expected::Texels { area, tolerances, .. } =
        expected("tolerance 1% 2% 3% 4%\nprobe rgb (7, 8) (0, 0, 0)")
    else {
        panic!("no texels");
    };
    assert_eq!(area, Area::Texels([7, 8, 1, 1]));
    assert_eq!(tolerances[3], Tolerance::Percent(4.0));
}

#[test]
fn probes_of_storage_buffers() {
    let Expected::Values { offset, comparison, values, tolerances, format } =
        expected("ssbo 3 64\nprobe ssbo vec2 3 8 ==1.5 2")
    else {
        panic!("no values");
    };
    assert_eq!((offset, comparison, format.size), (8, Comparison::Equal, 8));
    assert_eq!(values, [Literal::Real(1.5), Literal::Real(2.0)]);
    assert_eq!(tolerances, []);
    let Expected::Values { comparison, tolerances, .. } =
        expected("ssbo 3 64\ntolerance 1 2 3 4\nprobe ssbo mat2x3 3 0 ~= 1 2 3 4 5 6")
    else {
        panic!("no values");
    };
    assert_eq!(comparison, Comparison::FuzzyEqual);
    // The rows of each column have the first three.
    let wanted: Vec<Tolerance> = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0].map(Tolerance::Absolute).to_vec();
    assert_eq!(tolerances, wanted);
    let Expected::Values { comparison, .. } = expected("ssbo 3 64\nprobe ssbo int 3 0 ~= 1") else {
        panic!("no values");
    };
    assert_eq!(comparison, Comparison::Equal);
}

#[test]
fn scripts_for_vulkan_are_told_from_tests_of_opengl() {
    let is_one = |text: &str| vk_script::is_vk_script(text.as_bytes());
    let shader = "[compute shader]\n#version 450\nvoid main() {}\n";
    let test = "[test]\ncompute 1 1 1\n";
    assert!(is_one(&format!("{shader}{test}")));
    assert!(is_one(&format!("[require]\ndepthstencil D24_UNORM_S8_UINT\n{shader}{test}")));
    assert!(is_one(&format!("[fragment shader spirv]\nOpCapability Shader\n{test}")));
    assert!(is_one(&format!("[vertex shader passthrough]\n{test}")));
    assert!(!is_one(&format!("[require]\nGLSL >= 4.50\n{shader}{test}")));
    assert!(!is_one(&format!("[require]\n GL >= 4.5\n{shader}{test}")));
    assert!(!is_one(&format!("[compute shader]\nvoid main() {{}}\n{test}")), "no version");
    assert!(!is_one(&format!("[vertex shader]\n#version 130\nvoid main() {{}}\n{test}")));
    assert!(!is_one(shader), "no commands");
    assert!(!is_one(test), "no shaders");
    assert!(!is_one(&format!("[vertex program]\n!!ARBvp1.0\nEND\n{shader}{test}")));
}
