//! Operands of accesses, semantics of memory, and decorations of memory models.

use crate::{assembled, refusal};

/// The error of a compute shader with instructions and decorations.
fn message(is_vulkan: bool, decorations: &str, body: &str) -> Option<String> {
    let (capability, model) = match is_vulkan {
        true => ("OpCapability VulkanMemoryModel", "Vulkan"),
        false => ("", "GLSL450"),
    };
    let text = format!(
        "; Version: 1.5
        OpCapability Shader
        {capability}
        OpMemoryModel Logical {model}
        OpEntryPoint GLCompute %main \"main\" %data %shared
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %Data Block
        OpMemberDecorate %Data 0 Offset 0
        OpDecorate %data DescriptorSet 0
        OpDecorate %data Binding 0
        {decorations}
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %device = OpConstant %uint 1
        %group = OpConstant %uint 2
        %acquire = OpConstant %uint 0x102
        %release = OpConstant %uint 0x104
        %both = OpConstant %uint 0x108
        %sequential = OpConstant %uint 0x110
        %order = OpConstant %uint 8
        %visible = OpConstant %uint 0x4102
        %unordered = OpConstant %uint 0x4104
        %volatile = OpConstant %uint 0x8108
        %Data = OpTypeStruct %uint
        %block = OpTypePointer StorageBuffer %Data
        %part = OpTypePointer StorageBuffer %uint
        %place = OpTypePointer Workgroup %uint
        %local = OpTypePointer Function %uint
        %data = OpVariable %block StorageBuffer
        %shared = OpVariable %place Workgroup
        %main = OpFunction %void None %function
        %begin = OpLabel
        %own = OpVariable %local Function
        %p = OpAccessChain %part %data %zero
        {body}
        OpReturn
        OpFunctionEnd"
    );
    refusal(&assembled(&text))
}

fn check(cases: &[(bool, &str, bool)]) {
    for &(is_vulkan, instruction, is_legal) in cases {
        let error = message(is_vulkan, "", instruction);
        assert_eq!(error.is_none(), is_legal, "{is_vulkan} {instruction}: {error:?}");
    }
}

#[test]
fn accesses_have_a_direction() {
    check(&[
        (true, "%r = OpLoad %uint %p Aligned 4", true),
        (true, "%r = OpLoad %uint %p Aligned 3", false),
        (true, "%r = OpLoad %uint %p NonPrivatePointer|MakePointerVisible %group", true),
        (true, "%r = OpLoad %uint %p NonPrivatePointer|MakePointerAvailable %group", false),
        (true, "%r = OpLoad %uint %p MakePointerVisible %group", false),
        (true, "%r = OpLoad %uint %p NonPrivatePointer|MakePointerVisible %device", false),
        (true, "OpStore %p %zero NonPrivatePointer|MakePointerAvailable %group", true),
        (true, "OpStore %p %zero NonPrivatePointer|MakePointerVisible %group", false),
        (true, "OpStore %own %zero NonPrivatePointer", false),
        (true, "OpCopyMemory %shared %p Aligned 4 Volatile", true),
        (true, "OpCopyMemory %shared %p Aligned 4 Aligned 3", false),
        (true, "OpCopyMemory %shared %p NonPrivatePointer|MakePointerVisible %group None", false),
    ]);
}

#[test]
fn semantics_are_those_of_the_model() {
    check(&[
        (false, "OpMemoryBarrier %device %sequential", true),
        (true, "OpMemoryBarrier %group %sequential", false),
        (true, "OpMemoryBarrier %group %both", true),
        (true, "OpMemoryBarrier %group %order", false),
        (true, "OpMemoryBarrier %group %zero", false),
        (true, "OpMemoryBarrier %device %both", false),
        (true, "OpMemoryBarrier %group %visible", true),
        (false, "OpMemoryBarrier %group %visible", false),
        (true, "OpMemoryBarrier %group %unordered", false),
        (true, "OpMemoryBarrier %group %volatile", false),
        (true, "%r = OpAtomicIAdd %uint %p %group %volatile %zero", true),
    ]);
}

#[test]
fn what_is_not_written_is_not_released() {
    let exchange = |unequal: &str| {
        format!("%r = OpAtomicCompareExchange %uint %p %device %both {unequal} %zero %zero")
    };
    assert_eq!(message(false, "", &exchange("%acquire")), None);
    assert!(message(false, "", &exchange("%release")).is_some());
    let own = "%r = OpAtomicIAdd %uint %own %device %zero %zero";
    assert!(message(false, "", own).is_some_and(|error| error.contains("storage class")));
}

#[test]
fn coherent_is_of_the_old_model() {
    let decoration = "OpDecorate %data Coherent";
    assert_eq!(message(false, decoration, ""), None);
    assert!(message(true, decoration, "").is_some_and(|error| error.contains("memory model")));
    let member = "OpMemberDecorate %Data 0 Volatile";
    assert_eq!(message(false, member, ""), None);
    assert!(message(true, member, "").is_some());
}
