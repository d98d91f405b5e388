//! Instructions on images: dimensions and image operands.

use crate::{assembled, refusal};

/// The error of a fragment shader with an instruction on an image of a type.
fn message(image: &str, instruction: &str) -> Option<String> {
    let sampled = image.ends_with("1 Unknown");
    let load = match sampled {
        true => "%image = OpLoad %Image %unit\n%joined = OpSampledImage %Joined %image %sampler",
        false => "%image = OpLoad %Image %unit",
    };
    let joined = if sampled { "%Joined = OpTypeSampledImage %Image" } else { "" };
    let text = format!(
        "OpCapability Shader
        OpCapability MinLod
        OpCapability Sampled1D
        OpCapability SampledRect
        OpCapability SampledBuffer
        OpCapability ImageQuery
        OpCapability ImageGatherExtended
        OpCapability StorageImageExtendedFormats
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\"
        OpExecutionMode %main OriginUpperLeft
        OpDecorate %unit DescriptorSet 0
        OpDecorate %unit Binding 0
        OpDecorate %samplers DescriptorSet 0
        OpDecorate %samplers Binding 1
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %int2 = OpTypeVector %int 2
        %int3 = OpTypeVector %int 3
        %float2 = OpTypeVector %float 2
        %float3 = OpTypeVector %float 3
        %float4 = OpTypeVector %float 4
        %zero = OpConstant %float 0
        %none = OpConstant %int 0
        %four = OpConstant %int 4
        %i2 = OpConstantComposite %int2 %none %none
        %i3 = OpConstantComposite %int3 %none %none %none
        %f2 = OpConstantComposite %float2 %zero %zero
        %f4 = OpConstantComposite %float4 %zero %zero %zero %zero
        %Offsets = OpTypeArray %int2 %four
        %offsets = OpConstantComposite %Offsets %i2 %i2 %i2 %i2
        %Image = OpTypeImage %float {image}
        {joined}
        %Sampler = OpTypeSampler
        %images = OpTypePointer UniformConstant %Image
        %places = OpTypePointer UniformConstant %Sampler
        %unit = OpVariable %images UniformConstant
        %samplers = OpVariable %places UniformConstant
        %main = OpFunction %void None %function
        %begin = OpLabel
        %sampler = OpLoad %Sampler %samplers
        {load}
        {instruction}
        OpReturn
        OpFunctionEnd"
    );
    refusal(&assembled(&text))
}

#[test]
fn instructions_are_for_dimensions() {
    let sampled = |dim: &str, layers: u32| format!("{dim} 0 {layers} 0 1 Unknown");
    let cases = [
        ("2D", 0, "%r = OpImageGather %float4 %joined %f4 %none", true),
        ("3D", 0, "%r = OpImageGather %float4 %joined %f4 %none", false),
        ("2D", 0, "%r = OpImageFetch %float4 %image %i2", true),
        ("Cube", 0, "%r = OpImageFetch %float4 %image %i3", false),
        ("2D", 0, "%r = OpImageSampleProjImplicitLod %float4 %joined %f4", true),
        ("2D", 1, "%r = OpImageSampleProjImplicitLod %float4 %joined %f4", false),
        ("Cube", 0, "%r = OpImageSampleProjImplicitLod %float4 %joined %f4", false),
        ("2D", 0, "%r = OpImageQueryLod %float2 %joined %f2", true),
        ("Rect", 0, "%r = OpImageQueryLod %float2 %joined %f2", false),
    ];
    for (dim, layers, instruction, is_legal) in cases {
        let error = message(&sampled(dim, layers), instruction);
        assert_eq!(error.is_none(), is_legal, "{dim} {layers} {instruction}: {error:?}");
    }
}

#[test]
fn image_operands_are_for_instructions() {
    let cases = [
        ("2D", "ImageSampleImplicitLod %float4 %joined %f4 Bias %zero", true),
        ("Rect", "ImageSampleImplicitLod %float4 %joined %f4 Bias %zero", false),
        ("2D", "ImageSampleExplicitLod %float4 %joined %f4 Lod %zero", true),
        ("Rect", "ImageSampleExplicitLod %float4 %joined %f4 Lod %zero", false),
        ("2D", "ImageSampleImplicitLod %float4 %joined %f4 MinLod %zero", true),
        ("2D", "ImageSampleExplicitLod %float4 %joined %f4 Lod|MinLod %zero %zero", false),
        ("2D", "ImageSampleExplicitLod %float4 %joined %f4 Grad|MinLod %f2 %f2 %zero", true),
        ("2D", "ImageSampleImplicitLod %float4 %joined %f4 ConstOffset %i2", true),
        ("Cube", "ImageSampleImplicitLod %float4 %joined %f4 ConstOffset %i3", false),
        ("2D", "ImageGather %float4 %joined %f4 %none ConstOffsets %offsets", true),
        ("2D", "ImageGather %float4 %joined %f4 %none ConstOffsets %i2", false),
        ("2D", "ImageSampleImplicitLod %float4 %joined %f4 ConstOffsets %offsets", false),
    ];
    for (dim, instruction, is_legal) in cases {
        let image = format!("{dim} 0 0 0 1 Unknown");
        let error = message(&image, &format!("%r = Op{instruction}"));
        assert_eq!(error.is_none(), is_legal, "{dim} {instruction}: {error:?}");
    }
}

#[test]
fn textures_with_samplers_stay_in_their_block() {
    let lookup = "%r = OpImageSampleImplicitLod %float4 %joined %f4";
    let image = "2D 0 0 0 1 Unknown";
    assert_eq!(message(image, lookup), None);
    let later = format!("OpBranch %next\n%next = OpLabel\n{lookup}");
    let error = message(image, &later).expect("a lookup in another block");
    assert!(error.contains("the sampled image is not for it"), "{error}");
}
