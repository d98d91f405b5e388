//! Shared variables with an explicit layout.

use crate::{assembled, refusal};

/// The error of a module with two shared variables: a block, and another of a type.
fn message(capability: bool, decorations: &str, other: &str) -> Option<String> {
    let capability = match capability {
        true => {
            "OpCapability WorkgroupMemoryExplicitLayoutKHR
            OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\""
        }
        false => "",
    };
    let text = format!(
        "; Version: 1.4
        OpCapability Shader
        {capability}
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %a %b
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %Block Block
        {decorations}
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %Block = OpTypeStruct %uint
        %blocks = OpTypePointer Workgroup %Block
        %others = OpTypePointer {other}
        %a = OpVariable %blocks Workgroup
        %b = OpVariable {}
        %main = OpFunction %void None %function
        %begin = OpLabel
        OpReturn
        OpFunctionEnd",
        if other == "Workgroup %Block" {
            "%blocks Workgroup".to_owned()
        } else {
            format!("%others {}", other.split(' ').next().unwrap_or_default())
        }
    );
    refusal(&assembled(&text))
}

#[test]
fn shared_blocks_have_a_layout_and_share_memory() {
    let offset = "OpMemberDecorate %Block 0 Offset 0";
    let private = "Private %uint";
    assert_eq!(message(true, offset, private), None);
    let error = |capability, decorations: &str, other| {
        message(capability, decorations, other).expect("an illegal module")
    };
    assert!(error(false, offset, private).contains("no capability offers shared blocks"));
    assert!(error(true, "", private).contains("has no Offset"));
    assert!(error(true, offset, "Workgroup %uint").contains("blocks, others are not"));
    assert!(error(true, offset, "Workgroup %Block").contains("not aliased"));
    let aliased = format!("{offset}\nOpDecorate %a Aliased\nOpDecorate %b Aliased");
    assert_eq!(message(true, &aliased, "Workgroup %Block"), None);
}
