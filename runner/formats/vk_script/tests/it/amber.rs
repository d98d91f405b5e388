//! Meaning of AmberScript.

use vk_script::{
    AddressMode, Area, BlendFactor, BlendOp, BorderColor, ClearValue, CommandKind, CompareOp,
    Comparison, DescriptorKind, Dimension, DrawVertices, Expected, Filter, Literal, PipelineKind,
    Place, PolygonMode, RequiredSubgroupSize, ShaderLanguage, ShaderStage, StencilOp, Tolerance,
    Topology, VertexRate,
};
use vocabulary::Stage;

use crate::common::{GRAPHICS, RAYS, amber, parse};

fn graphics() -> vk_script::Script {
    parse(GRAPHICS, vk_script::Rules::Amber).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn requirements() {
    let requirements = graphics().requirements;
    let features: Vec<_> = requirements.features.iter().map(|f| (f.structure, f.member)).collect();
    assert_eq!(features[..2], [("", "depthClamp"), ("SubgroupSizeControl", "subgroupSizeControl")]);
    assert_eq!(requirements.properties[0].member, "shaderDenormPreserveFloat16");
    assert_eq!(requirements.device_extensions, ["VK_KHR_shader_draw_parameters"]);
    assert_eq!(requirements.instance_extensions, ["VK_KHR_get_physical_device_properties2"]);
    assert_eq!(requirements.fence_timeout_ms, Some(5000));
}

#[test]
fn shaders() {
    let script = graphics();
    let [pass, moved, paint, both, bits] = script.shaders.as_slice() else {
        panic!("{} shaders", script.shaders.len());
    };
    assert_eq!(pass.language, ShaderLanguage::SpirvAssembly);
    assert!(pass.source.contains("OpEntryPoint Vertex"));
    assert_eq!(moved.target_env.as_deref(), Some("vulkan1.1"));
    assert!(moved.source.starts_with("#version 450\n"));
    assert_eq!(&GRAPHICS[moved.source_span.range()], &*moved.source);
    assert_eq!(GRAPHICS.lines().nth(moved.first_line as usize - 1), Some("#version 450"));
    assert_eq!(paint.path.as_deref(), Some("common.glsl"));
    assert!(paint.source.contains("vec4(1.0, 0.5, 0.25, 1.0)"));
    assert_eq!(both.stage, ShaderStage::Multi);
    assert_eq!(bits.words, [0x0723_0203, 0x0001_0000, 0, 1, 0]);
}

#[test]
fn buffers_and_their_contents() {
    let script = graphics();
    let buffer = |name: &str| script.buffers.iter().find(|b| b.name == name).expect("a buffer");
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    assert_eq!(buffer("corners").elements, 4);
    assert_eq!(floats(&buffer("corners").initial_bytes())[6..], [1.0, 1.5]);
    assert_eq!(buffer("order").initial_bytes(), [0, 0, 1, 0, 2, 0, 3, 0]);
    assert_eq!(buffer("filled").initial_bytes(), [7; 64]);
    assert_eq!(floats(&buffer("series").initial_bytes())[..3], [0.5, 0.75, 1.0]);
    assert_eq!((buffer("wide").width, buffer("wide").height), (4, 4));
    assert_eq!(buffer("wide").initial_bytes(), [255; 64]);
    let target = buffer("target");
    assert_eq!((target.width, target.height, target.elements), (32, 16, 512));
    assert_eq!(target.format.vk, Some(vk_script::VkFormat(44)));
    assert_eq!(buffer("many").image.map(|i| i.samples), Some(4));
    // Level 1 is as large as the framebuffer, so level 0 is twice that.
    assert_eq!((buffer("levels").width, buffer("levels").elements), (16, 256));
    assert_eq!((buffer("resolved").width, buffer("resolved").elements), (8, 64));
    // The copy's destination takes the size of its source.
    assert_eq!(buffer("reference").elements, 512);
    let cube = buffer("cube");
    let image = cube.image.expect("an image");
    assert_eq!((image.dimension, image.depth, image.mip_levels), (Dimension::Three, 4, 2));
    assert_eq!(cube.elements, 64);
    assert_eq!(cube.initial_bytes()[252..], [64, 0, 0, 0]);
    assert_eq!(buffer("plane").initial_bytes()[8..12], [3, 0, 0, 0]);
}

#[test]
fn half_floats_are_cut() {
    // 0.1 is nearest to 0x2e66, which is less; 0.3 is nearest to 0x34cd, which is more.
    let script = amber("BUFFER h DATA_TYPE float16 DATA 0.1 0.3 -0.3 1 65504 END");
    let bytes = script.buffers[0].initial_bytes();
    let halves: Vec<u16> =
        bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    assert_eq!(halves, [0x2e66, 0x34cc, 0xb4cc, 0x3c00, 0x7bff]);
}

#[test]
fn structures_by_std140() {
    let script = graphics();
    let blocks = script.buffers.iter().find(|b| b.name == "blocks").expect("a buffer");
    let offsets: Vec<u32> = blocks.format.parts.iter().map(|part| part.offset).collect();
    // The inner structure has 16 bytes, columns of the matrix begin every 16 bytes.
    assert_eq!(offsets, [0, 8, 12, 16, 20, 24, 32, 36, 40, 48]);
    assert_eq!(blocks.format.size, 64);
    assert_eq!(blocks.elements, 1);
}

/// Sizes and offsets that the rules of std140 and std430 give.
#[test]
fn layouts() {
    let layout = |ty: &str, rules: &str| {
        let script = amber(&format!("BUFFER b DATA_TYPE {ty} {rules} SIZE 1 FILL 0"));
        let format = &script.buffers[0].format;
        let offsets: Vec<u32> = format.parts.iter().map(|part| part.offset).collect();
        (offsets, format.size)
    };
    assert_eq!(layout("float", "STD140"), (vec![0], 4));
    assert_eq!(layout("float[]", "STD140"), (vec![0], 16));
    assert_eq!(layout("float[]", "STD430"), (vec![0], 4));
    assert_eq!(layout("int8[]", "STD140"), (vec![0], 16));
    assert_eq!(layout("vec3<float>", "STD430"), (vec![0, 4, 8], 16));
    assert_eq!(layout("vec3<int8>", "STD430"), (vec![0, 1, 2], 4));
    assert_eq!(layout("vec2<int16>[]", "STD140"), (vec![0, 2], 16));
    assert_eq!(layout("vec3<double>", "STD430"), (vec![0, 8, 16], 32));
    assert_eq!(layout("R8G8B8_SNORM", ""), (vec![0, 1, 2], 4));
    assert_eq!(layout("R8G8B8A8_SNORM", ""), (vec![0, 1, 2, 3], 4));
    assert_eq!(layout("mat2x2<float>", "STD140"), (vec![0, 4, 16, 20], 32));
    assert_eq!(layout("mat2x2<float>", "STD430"), (vec![0, 4, 8, 12], 16));
    assert_eq!(layout("mat2x3<float>", "STD430"), (vec![0, 4, 8, 16, 20, 24], 32));
    assert_eq!(layout("mat2x2<float16>", "STD140"), (vec![0, 2, 16, 18], 32));
    let member = |members: &str, rules: &str| {
        let script =
            amber(&format!("STRUCT s\n{members}\nEND\nBUFFER b DATA_TYPE s {rules} SIZE 1 FILL 0"));
        let format = &script.buffers[0].format;
        (format.parts.iter().map(|p| p.offset).collect::<Vec<u32>>(), format.size)
    };
    assert_eq!(member("int32 w\nfloat x", "STD140"), (vec![0, 4], 16));
    assert_eq!(member("int32 w\nfloat x", "STD430"), (vec![0, 4], 8));
    assert_eq!(member("int32 w\nvec2<float> x\nfloat y", "STD430"), (vec![0, 8, 12, 16], 24));
    // A number fills the padding of a vector of three.
    assert_eq!(member("int32 w\nvec3<float> x\nfloat y", "STD430"), (vec![0, 16, 20, 24, 28], 32));
    assert_eq!(member("float a OFFSET 8\nint32 b OFFSET 16", "STD430"), (vec![8, 16], 20));
    assert_eq!(member("vec2<float> b\nvec4<float> c", "STD430").1, 32);
}

#[test]
fn samplers() {
    let script = graphics();
    let smooth = &script.samplers[0];
    assert_eq!((smooth.mag_filter, smooth.min_filter), (Filter::Linear, Filter::Linear));
    let modes = [AddressMode::ClampToEdge, AddressMode::MirroredRepeat, AddressMode::ClampToBorder];
    assert_eq!(smooth.address, modes);
    assert_eq!(smooth.border, BorderColor::FloatOpaqueWhite);
    assert_eq!((smooth.min_lod, smooth.max_lod), (0.5, 2.5));
    assert_eq!(smooth.compare, Some(CompareOp::Less));
    let texels = &script.samplers[1];
    assert!(!texels.normalized);
    assert_eq!((texels.min_lod, texels.max_lod, texels.compare), (0.0, 0.0, None));
}

#[test]
fn pipeline_state() {
    let script = graphics();
    let full = &script.pipelines[0];
    assert_eq!((full.kind, full.framebuffer), (PipelineKind::Graphics, [32, 16]));
    let viewport = full.viewport.expect("a viewport");
    assert_eq!((viewport.x, viewport.height, viewport.max_depth), (1.0, 14.0, 0.75));
    let state = &full.state;
    assert_eq!((state.polygon_mode, state.patch_control_points), (PolygonMode::Line, 4));
    assert!(state.depth.test && state.depth.write && state.depth.clamp && state.stencil_test);
    assert_eq!(state.depth.compare, CompareOp::LessOrEqual);
    assert_eq!(state.depth.bounds, Some([0.25, 0.5]));
    assert_eq!(state.depth.bias.map(|b| (b.constant, b.clamp, b.slope)), Some((1.0, 0.5, 2.0)));
    for face in [state.front, state.back] {
        assert_eq!((face.fail, face.pass), (StencilOp::Keep, StencilOp::IncrementAndWrap));
        assert_eq!((face.depth_fail, face.compare), (StencilOp::Zero, CompareOp::Equal));
        assert_eq!((face.compare_mask, face.write_mask, face.reference), (255, 15, 3));
    }
    let blend = state.blend;
    assert!(blend.enable);
    assert_eq!(
        (blend.src_color, blend.dst_color),
        (BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha)
    );
    assert_eq!((blend.color_op, blend.alpha_op), (BlendOp::Add, BlendOp::Max));
    assert_eq!((blend.src_alpha, blend.dst_alpha), (BlendFactor::One, BlendFactor::Zero));
}

#[test]
fn pipeline_resources() {
    let script = graphics();
    let full = &script.pipelines[0];
    let vertex = &full.stages[0];
    assert_eq!((vertex.stage, vertex.entry_point.as_str()), (Stage::Vertex, "main"));
    let constants: Vec<_> = vertex.specializations.iter().map(|s| (s.id, s.bits)).collect();
    assert_eq!(constants, [(1, 4), (2, 0.5_f32.to_bits())]);
    assert_eq!(vertex.subgroup.required, Some(RequiredSubgroupSize::Exactly(16)));
    assert!(vertex.subgroup.varying && !vertex.subgroup.full);
    assert_eq!(full.stages[1].optimizations, ["--eliminate-dead-branches", "--merge-return"]);
    let kinds: Vec<DescriptorKind> = full.bindings.iter().map(|b| b.kind).collect();
    assert_eq!(
        kinds,
        [
            DescriptorKind::Uniform,
            DescriptorKind::StorageDynamic,
            DescriptorKind::StorageImage,
            DescriptorKind::SampledImage,
            DescriptorKind::CombinedImageSampler,
            DescriptorKind::Sampler,
            DescriptorKind::UniformTexelBuffer,
        ]
    );
    let uniform = &full.bindings[0];
    assert_eq!(uniform.place, Place::Slot { set: 0, binding: 0 });
    assert_eq!((uniform.resources[0].offset, uniform.resources[0].range), (16, Some(32)));
    let offsets: Vec<u32> = full.bindings[1].resources.iter().map(|r| r.dynamic_offset).collect();
    assert_eq!(offsets, [0, 16]);
    assert_eq!(full.bindings[3].resources[0].base_mip_level, 1);
    assert!(full.bindings[4].resources[0].sampler.is_some());
    assert_eq!(full.bindings[5].resources.len(), 2);
    assert_eq!(full.vertex_buffers[0].stride, 8);
    assert_eq!(full.vertex_buffers[1].rate, VertexRate::Instance);
    assert!(full.indices.is_some() && full.push_constants.is_some());
}

#[test]
fn derived_pipelines_replace_what_they_name() {
    let script = graphics();
    let (full, plain) = (&script.pipelines[0], &script.pipelines[1]);
    assert_eq!(plain.state.polygon_mode, PolygonMode::Fill);
    assert_eq!(plain.state.depth, full.state.depth);
    // The fragment shader is replaced, the vertex shader inherited.
    assert_eq!(plain.stages[0], full.stages[0]);
    assert_eq!(script.shader(plain.stages[1].shader).name, "bits");
    assert_eq!(plain.bindings.len(), full.bindings.len());
    assert_eq!(plain.bindings[6].kind, DescriptorKind::StorageTexelBuffer);
    // Push constants are not inherited.
    assert_eq!(plain.push_constants, None);
}

#[test]
fn pipelines_without_a_color_attachment_have_the_default_one() {
    let script = amber(
        "SHADER vertex v PASSTHROUGH\nPIPELINE graphics p\nATTACH v\nFRAMEBUFFER_SIZE 4 2\nEND\n",
    );
    let color = script.pipelines[0].colors[0];
    let buffer = script.buffer(color.buffer);
    assert_eq!((buffer.name.as_str(), buffer.elements), ("framebuffer", 8));
    assert_eq!(script.pipelines[0].depth_stencil, None);
}

#[test]
fn draws() {
    let script = graphics();
    let draws: Vec<_> = script
        .commands
        .iter()
        .filter_map(|command| match &command.kind {
            CommandKind::Draw { draw, .. } => Some(draw),
            _ => None,
        })
        .collect();
    let [array, indexed, rectangle, grid] = draws.as_slice() else {
        panic!("{} draws", draws.len());
    };
    assert_eq!((array.topology, array.count, array.instances), (Topology::TriangleStrip, 4, 2));
    assert!(indexed.indexed && indexed.count == 4);
    let DrawVertices::Rectangle(shape) = rectangle.vertices else {
        panic!("no rectangle");
    };
    // The left half of a framebuffer of 8 × 8: bottom left, top left, bottom right, top right.
    assert_eq!(shape.positions(), [[-1.0, 1.0], [-1.0, -1.0], [0.0, 1.0], [0.0, -1.0]]);
    assert_eq!((grid.topology, grid.count), (Topology::TriangleList, 2 * 3 * 6));
    let DrawVertices::Rectangle(cells) = grid.vertices else {
        panic!("no grid");
    };
    let positions = cells.positions();
    assert_eq!(positions.len(), 36);
    assert_eq!((positions[2], positions[33]), ([-1.0, -1.0], [1.0, 1.0]));
}

#[test]
fn clears_and_repeats() {
    let script = graphics();
    let kinds: Vec<&CommandKind> = script.commands.iter().map(|c| &c.kind).collect();
    let CommandKind::SetClear { value: ClearValue::Color(color), .. } = kinds[0] else {
        panic!("no color");
    };
    assert_eq!(*color, [1.0, 0.0, 0.2, 1.0]);
    assert!(matches!(kinds[1], CommandKind::SetClear { value: ClearValue::Depth(0.5), .. }));
    assert!(matches!(kinds[2], CommandKind::SetClear { value: ClearValue::Stencil(7), .. }));
    let repeat = kinds.iter().find_map(|kind| match kind {
        CommandKind::Repeat { count, commands } => Some((*count, commands.len())),
        _ => None,
    });
    assert_eq!(repeat, Some((3, 3)));
    let line = script.commands[3].line as usize;
    assert_eq!(GRAPHICS.lines().nth(line - 1), Some("CLEAR full"));
    assert_eq!(&GRAPHICS[script.commands[3].span.range()], "CLEAR full");
}

fn expected(line: &str) -> Expected {
    let script = amber(&format!(
        "BUFFER f DATA_TYPE vec4<float> SIZE 4 FILL 0\nBUFFER h DATA_TYPE float16 SIZE 4 FILL 0\n\
         BUFFER i DATA_TYPE int32 SIZE 4 FILL 0\n{line}\n"
    ));
    match &script.commands[0].kind {
        CommandKind::Expect(expectation) => expectation.expected.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn expectations() {
    let Expected::Values { offset, comparison, values, tolerances, .. } =
        expected("EXPECT f IDX 16 TOLERANCE 0.5 1% EQ 1 2 3 4")
    else {
        panic!("no values");
    };
    assert_eq!((offset, comparison), (16, Comparison::FuzzyEqual));
    assert_eq!(values[3], Literal::Real(4.0));
    assert_eq!(tolerances[..2], [Tolerance::Absolute(0.5), Tolerance::Percent(1.0)]);
    assert_eq!(tolerances.len(), 4);
    let Expected::Values { values, tolerances, .. } = expected("EXPECT i IDX 4 NE -1 0xff") else {
        panic!("no values");
    };
    assert_eq!(values, [Literal::Integer(u64::MAX), Literal::Integer(255)]);
    assert_eq!(tolerances, []);
    let Expected::Texels { area, color, alpha, tolerances } =
        expected("EXPECT f IDX 1 2 SIZE 3 4 EQ_RGB 255 0 51 TOLERANCE 5%")
    else {
        panic!("no texels");
    };
    assert_eq!((area, alpha), (Area::Texels([1, 2, 3, 4]), false));
    assert_eq!((color[0], color[1], color[2] as f32), (1.0, 0.0, 0.2));
    assert_eq!(tolerances, [Tolerance::Percent(5.0)]);
}

#[test]
fn ray_tracing_and_opencl_are_skips_with_a_reason() {
    let script = parse(RAYS, vk_script::Rules::Amber).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(script.unsupported[0].reason, "ray tracing is not supported");
    assert_eq!(script.unsupported[0].line, 2);
    assert!(script.unsupported.iter().any(|u| u.reason.contains("OpenCL C")));
    let [.., opencl] = script.pipelines.as_slice() else {
        panic!("no pipelines");
    };
    assert_eq!(opencl.kernel_arguments[0].bytes, [3, 0, 0, 0]);
}

#[test]
fn files_are_read_through_the_caller() {
    let text = "#!amber\nBUFFER a DATA_TYPE uint8 SIZE 4 FILE BINARY four.bin\n\
                BUFFER t DATA_TYPE vec2<float> SIZE 2 FILE TEXT two.txt\n\
                SHADER compute c SPIRV-BIN FILE module.spv\n";
    let module: Vec<u8> =
        [0x0723_0203_u32, 1, 2, 3, 4].iter().flat_map(|w| w.to_be_bytes()).collect();
    let read = |path: &str| match path {
        "four.bin" => Ok(vec![1, 2, 3, 4]),
        "two.txt" => Ok(b"1 2 # a comment\n3 4\n".to_vec()),
        "module.spv" => Ok(module.clone()),
        _ => Err("no such file".to_owned()),
    };
    let script = vk_script::parse(text.as_bytes(), vk_script::Rules::Amber, &read)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(script.buffers[0].initial_bytes(), [1, 2, 3, 4]);
    assert_eq!(script.buffers[1].elements, 2);
    assert_eq!(script.shaders[0].words, [0x0723_0203, 1, 2, 3, 4]);
}

#[test]
fn a_picture_has_the_size_of_its_file() {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&[1, 2, 3, 4, 5, 6]).expect("pixels");
    writer.finish().expect("an end");
    let text = b"#!amber\nBUFFER p FORMAT R8G8B8A8_UNORM FILE PNG p.png\n";
    let script = vk_script::parse(text, vk_script::Rules::Amber, &|_| Ok(file.clone()))
        .unwrap_or_else(|error| panic!("{error}"));
    let picture = &script.buffers[0];
    assert_eq!((picture.width, picture.height, picture.elements), (2, 1, 2));
    assert_eq!(picture.initial_bytes(), [1, 2, 3, 255, 4, 5, 6, 255]);
}
