//! Structured control flow of large functions, and of modules that no text says.

use std::fmt::Write;

use crate::{assembled, refusal};

/// The words of a module whose function `main` has a text.
fn module(body: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Shader
        OpCapability Int16
        OpMemoryModel Logical GLSL450
        OpEntryPoint Vertex %main \"main\"
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %bool = OpTypeBool
        %true = OpConstantTrue %bool
        %short = OpTypeInt 16 1
        %zero = OpConstant %short 0
        %main = OpFunction %void None %function
        {body}
        OpFunctionEnd"
    );
    assembled(&text)
}

/// Selections behind each other.
fn sequence(count: usize) -> String {
    let mut text = "%s0 = OpLabel\n".to_owned();
    for n in 0..count {
        let next = n + 1;
        writeln!(
            text,
            "OpSelectionMerge %s{next} None
            OpBranchConditional %true %a{n} %s{next}
            %a{n} = OpLabel
            OpBranch %s{next}
            %s{next} = OpLabel"
        )
        .expect("a string takes all");
    }
    text + "OpReturn"
}

/// A loop with many ways out of it.
fn breaks(count: usize) -> String {
    let mut text = "%first = OpLabel
        OpBranch %loop
        %loop = OpLabel
        OpLoopMerge %end %next None
        OpBranch %s0
        %s0 = OpLabel\n"
        .to_owned();
    for n in 0..count {
        let next = n + 1;
        writeln!(
            text,
            "OpSelectionMerge %s{next} None
            OpBranchConditional %true %a{n} %s{next}
            %a{n} = OpLabel
            OpBranch %end
            %s{next} = OpLabel"
        )
        .expect("a string takes all");
    }
    text + "OpBranch %next
        %next = OpLabel
        OpBranch %loop
        %end = OpLabel
        OpReturn"
}

/// Selections inside each other.
fn nest(count: usize) -> String {
    let mut text = "%s0 = OpLabel\n".to_owned();
    for n in 0..count {
        let next = n + 1;
        writeln!(
            text,
            "OpSelectionMerge %m{n} None
            OpBranchConditional %true %s{next} %m{n}
            %s{next} = OpLabel"
        )
        .expect("a string takes all");
    }
    for n in (0..count).rev() {
        writeln!(text, "OpBranch %m{n}\n%m{n} = OpLabel").expect("a string takes all");
    }
    text + "OpReturn"
}

#[test]
fn large_functions_are_checked() {
    assert_eq!(refusal(&module(&sequence(20_000))), None);
    assert_eq!(refusal(&module(&breaks(20_000))), None);
    let inside = sequence(20_000).replace("OpBranch %s7\n", "OpBranch %s9\n");
    let error = refusal(&module(&inside)).expect("a branch over a selection");
    assert!(error.contains("does not dominate the merge block"), "{error}");
}

#[test]
fn constructs_are_inside_of_each_other_to_a_depth() {
    assert_eq!(refusal(&module(&nest(1023))), None);
    let error = refusal(&module(&nest(1024))).expect("a deep module");
    assert!(error.contains("too many constructs inside each other"), "{error}");
}

#[test]
fn cases_extend_their_sign() {
    let body = "%header = OpLabel
        OpSelectionMerge %end None
        OpSwitch %zero %end -42 %case
        %case = OpLabel
        OpBranch %end
        %end = OpLabel
        OpReturn";
    let mut words = module(body);
    assert_eq!(refusal(&words), None);
    let case = words.iter().position(|&word| word == -42_i32 as u32).expect("the case");
    words[case] = 0xffd6;
    let error = refusal(&words).expect("a case without sign");
    assert!(error.contains("high bits"), "{error}");
}
