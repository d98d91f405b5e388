//! Rules that one word decides: `{legal|illegal}` in a text gives two modules.

use crate::{assembled, refusal};

/// A module: instructions before functions in any order, the body of `main`, other functions.
struct Case {
    version: u32,
    fragment: bool,
    globals: &'static str,
    body: &'static str,
    functions: &'static str,
    /// Part of the error of the illegal module.
    error: &'static str,
}

const COMPUTE: Case =
    Case { version: 0, fragment: false, globals: "", body: "", functions: "", error: "" };
const FRAGMENT: Case = Case { fragment: true, ..COMPUTE };

impl Case {
    fn text(&self, is_legal: bool) -> String {
        let (model, mode) = match self.fragment {
            true => ("Fragment", "OriginUpperLeft"),
            false => ("GLCompute", "LocalSize 1 1 1"),
        };
        let with = |prefixes: &[&str]| {
            let lines = self.globals.lines().map(str::trim);
            let of_section = lines.filter(|line| prefixes.iter().any(|p| line.starts_with(p)));
            of_section.collect::<Vec<_>>().join("\n")
        };
        let (capabilities, extensions) = (with(&["OpCapability"]), with(&["OpExtension"]));
        let (modes, decorations) = (with(&["OpExecutionMode"]), with(&["OpDec", "OpMemberDec"]));
        let types = with(&["%"]);
        let mode = match modes.contains("LocalSizeId") {
            true => String::new(),
            false => format!("OpExecutionMode %main {mode}"),
        };
        let text = format!(
            "; Version: 1.{}
            OpCapability Shader
            {capabilities}
            {extensions}
            %glsl = OpExtInstImport \"GLSL.std.450\"
            OpMemoryModel Logical GLSL450
            OpEntryPoint {model} %main \"main\"
            {mode}
            {modes}
            {decorations}
            %group = OpDecorationGroup
            %void = OpTypeVoid
            %function = OpTypeFunction %void
            %bool = OpTypeBool
            %true = OpConstantTrue %bool
            %uint = OpTypeInt 32 0
            %float = OpTypeFloat 32
            %zero = OpConstant %uint 0
            %one = OpConstant %uint 1
            %two = OpConstant %uint 2
            %three = OpConstant %uint 3
            %half = OpConstant %float 0.5
            {types}
            {}
            %main = OpFunction %void None %function
            %begin = OpLabel
            {}
            OpReturn
            OpFunctionEnd",
            self.version, self.functions, self.body
        );
        let mut chosen = String::new();
        for (number, part) in text.split(['{', '}']).enumerate() {
            let sides = part.split_once('|').filter(|_| number % 2 == 1);
            chosen += sides.map_or(part, |(legal, illegal)| if is_legal { legal } else { illegal });
        }
        chosen
    }
}

const CASES: &[Case] = &[
    Case {
        version: 3,
        globals: "OpCapability {VariablePointers|Addresses}
            OpDecorate %data DescriptorSet 0
            OpDecorate %data Binding 0
            OpDecorate %Data Block
            OpMemberDecorate %Data 0 Offset 0
            OpMemberDecorate %Data 1 Offset 4
            %Data = OpTypeStruct %uint %uint
            %block = OpTypePointer StorageBuffer %Data
            %place = OpTypePointer StorageBuffer %uint
            %data = OpVariable %block StorageBuffer",
        body: "%a = OpAccessChain %place %data %zero
            %b = OpAccessChain %place %data %one
            %either = OpSelect %place %true %a %b",
        error: "pointers as values need",
        ..COMPUTE
    },
    Case {
        version: 4,
        globals: "OpDecorate %sum NoSignedWrap",
        body: "%sum = {OpIAdd|OpBitwiseAnd} %uint %one %two",
        error: "cannot have the decoration",
        ..COMPUTE
    },
    Case {
        globals: "OpDecorate %data Restrict
            OpDecorate %data {Coherent|Aliased}
            OpDecorate %Data BufferBlock
            OpMemberDecorate %Data 0 Offset 0
            %Data = OpTypeStruct %uint
            %blocks = OpTypePointer Uniform %Data
            %data = OpVariable %blocks Uniform",
        error: "exclude each other",
        ..COMPUTE
    },
    Case {
        globals: "OpDecorate %group Restrict
            OpDecorate %group {Coherent|Aliased}",
        error: "exclude each other",
        ..COMPUTE
    },
    Case {
        globals: "OpMemberDecorate %Data 0 RowMajor
            OpMemberDecorate %Data {1|0} ColMajor
            %pair = OpTypeVector %float 2
            %square = OpTypeMatrix %pair 2
            %Data = OpTypeStruct %square %square",
        error: "rows and columns",
        ..COMPUTE
    },
    Case {
        version: 3,
        globals: "OpCapability Float16
            OpCapability StorageInputOutput16
            OpDecorate %short FPRoundingMode RTE
            OpDecorate %other Location 1
            %Half = OpTypeFloat 16
            %places = OpTypePointer Output %Half
            %other = OpVariable %places Output",
        body: "%short = OpFConvert %Half %half
            {%long = OpFConvert %float %short|%long = OpFAdd %Half %short %short}",
        error: "cannot have the decoration",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Linkage
            OpDecorate %other LinkageAttributes \"other\" {Export|Import}",
        functions: "%other = OpFunction %void None %function
            %here = OpLabel
            OpReturn
            OpFunctionEnd",
        error: "cannot have the decoration",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Linkage
            OpDecorate {%other|%main} LinkageAttributes \"other\" Export",
        functions: "%other = OpFunction %void None %function
            %here = OpLabel
            OpReturn
            OpFunctionEnd",
        error: "cannot have the decoration",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Linkage
            OpDecorate %other LinkageAttributes \"other\" Import
            %places = OpTypePointer Private %uint
            %other = OpVariable %places Private {|%one}",
        error: "cannot have the decoration",
        ..COMPUTE
    },
    Case {
        functions: "%other = OpFunction %void None %function
            {%here = OpLabel|}
            {OpReturn|}
            OpFunctionEnd",
        error: "the function has no blocks",
        ..COMPUTE
    },
    Case {
        globals: "%places = OpTypePointer Function %uint
            %other = OpTypeFunction {%uint|%places} %places",
        functions: "%pick = OpFunction {%uint|%places} None %other
            %place = OpFunctionParameter %places
            %here = OpLabel
            %value = OpLoad %uint %place
            OpReturnValue {%value|%place}
            OpFunctionEnd",
        error: "VariablePointers",
        ..COMPUTE
    },
    Case {
        version: 6,
        body: "OpSelectionMerge %end None
            OpBranchConditional %true %end {%some|%end}
            %some = OpLabel
            OpBranch %end
            %end = OpLabel",
        error: "both targets are one block",
        ..COMPUTE
    },
    Case {
        version: 2,
        globals: "OpExecutionModeId %main LocalSizeId %one %two {%one|%zero}",
        error: "the work group has no invocations",
        ..COMPUTE
    },
    Case {
        version: 3,
        globals: "OpCapability GroupNonUniformBallot",
        body: "%later = OpIAdd %uint %one %one
            %all = OpGroupNonUniformBroadcast %uint %three %two {%one|%later}",
        error: "no constant before version 1.5",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability DemoteToHelperInvocation
            OpExtension \"SPV_EXT_demote_to_helper_invocation\"",
        body: "%is = OpIsHelperInvocationEXT {%bool|%uint}",
        error: "the result is not bool",
        ..FRAGMENT
    },
    Case {
        globals: "OpCapability ShaderClockKHR
            OpExtension \"SPV_KHR_shader_clock\"
            %clock_type = OpTypeVector %uint 2",
        body: "%clock = OpReadClockKHR %clock_type {%three|%two}",
        error: "there is no such scope",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability FragmentShaderPixelInterlockEXT
            OpCapability FragmentShaderSampleInterlockEXT
            OpExtension \"SPV_EXT_fragment_shader_interlock\"
            OpExecutionMode %main PixelInterlockOrderedEXT
            OpExecutionMode %main {EarlyFragmentTests|SampleInterlockOrderedEXT}",
        error: "several modes of interlocks",
        ..FRAGMENT
    },
    Case {
        globals: "OpDecorate %given Location 1
            %places = OpTypePointer {Output|Input} %uint
            %given = OpVariable %places {Output|Input} %one",
        error: "an input has no initializer",
        ..COMPUTE
    },
    Case {
        version: 3,
        globals: "OpCapability {Float16|StorageBuffer16BitAccess}
            %Half = OpTypeFloat 16
            %small = OpConstant %Half 1",
        error: "the type is stored alone",
        ..COMPUTE
    },
    Case {
        version: 3,
        globals: "OpCapability {Int16|StorageBuffer16BitAccess}
            %short = OpTypeInt 16 0",
        body: "%small = OpUndef %short",
        error: "the type is stored alone",
        ..COMPUTE
    },
    Case {
        version: 3,
        globals: "OpCapability StorageBuffer16BitAccess
            OpCapability {StoragePushConstant16|StorageInputOutput16}
            OpDecorate %Data Block
            OpMemberDecorate %Data 0 Offset 0
            %Half = OpTypeFloat 16
            %Data = OpTypeStruct %Half
            %places = OpTypePointer PushConstant %Data
            %data = OpVariable %places PushConstant",
        error: "no capability offers values of the width here",
        ..COMPUTE
    },
    Case {
        version: 5,
        globals: "OpCapability StorageBuffer8BitAccess
            OpDecorate %Data Block
            OpMemberDecorate %Data 0 Offset 0
            %byte = OpTypeInt 8 0
            %Data = OpTypeStruct %byte
            %places = OpTypePointer {StorageBuffer|Uniform} %Data
            %data = OpVariable %places {StorageBuffer|Uniform}",
        error: "no capability offers values of the width here",
        ..COMPUTE
    },
    Case {
        version: 3,
        globals: "OpCapability StorageBuffer16BitAccess
            OpDecorate %Data Block
            OpMemberDecorate %Data 0 Offset 0
            OpDecorate %List ArrayStride 2
            %Half = OpTypeFloat 16
            %List = OpTypeArray %Half %two
            %Data = OpTypeStruct %List
            %blocks = OpTypePointer StorageBuffer %Data
            %lists = OpTypePointer StorageBuffer %List
            %halves = OpTypePointer StorageBuffer %Half
            %data = OpVariable %blocks StorageBuffer",
        body: "%list = OpAccessChain %lists %data %zero
            %first = OpAccessChain %halves %data %zero %zero
            %value = OpLoad {%Half %first|%List %list}",
        error: "a composite has parts that are stored alone",
        ..COMPUTE
    },
    Case {
        globals: "%vector = OpTypeVector %float {3|4}
            %zeros = OpConstantNull %vector",
        body: "%normal = OpExtInst %vector %glsl Cross %zeros %zeros",
        error: "the result has not three components",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Int64
            %long = OpTypeInt 64 0
            %nothing = OpConstantNull %long",
        body: "%bit = OpExtInst {%uint|%long} %glsl FindUMsb {%one|%nothing}",
        error: "the result has not 32 bits",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Int64
            %int = OpTypeInt {32|64} 1
            %places = OpTypePointer Private %int
            %exponent = OpVariable %places Private",
        body: "%part = OpExtInst %float %glsl Frexp %half %exponent",
        error: "types of operands and result do not fit",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Int64
            %int = OpTypeInt {32|64} 1
            %parts = OpTypeStruct %float %int",
        body: "%both = OpExtInst %parts %glsl FrexpStruct %half",
        error: "types of operands and result do not fit",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Int16
            OpExtension \"SPV_AMD_{gpu_shader_int16|gcn_shader}\"
            %short = OpTypeInt 16 1
            %parts = OpTypeStruct %float %short",
        body: "%both = OpExtInst %parts %glsl FrexpStruct %half",
        error: "types of operands and result do not fit",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Int16
            OpExtension \"SPV_AMD_{gpu_shader_int16|gcn_shader}\"
            %short = OpTypeInt 16 1
            %places = OpTypePointer Private %short
            %exponent = OpVariable %places Private",
        body: "%part = OpExtInst %float %glsl Frexp %half %exponent",
        error: "types of operands and result do not fit",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Float64
            %double = OpTypeFloat 64
            %pair = OpTypeVector {%uint|%float} 2
            %words = OpConstantNull %pair",
        body: "%joined = OpExtInst %double %glsl PackDouble2x32 %words",
        error: "the types do not fit",
        ..COMPUTE
    },
    Case {
        globals: "OpCapability Float64
            %double = OpTypeFloat 64
            %pair = OpTypeVector {%uint|%float} 2
            %number = OpConstantNull %double",
        body: "%words = OpExtInst %pair %glsl UnpackDouble2x32 %number",
        error: "the types do not fit",
        ..COMPUTE
    },
    Case {
        globals: "%pair = OpTypeVector %float 2
            %zeros = OpConstantNull %pair",
        body: "%way = OpExtInst %pair %glsl Refract %zeros %zeros {%half|%one}",
        error: "types of operands and result do not fit",
        ..COMPUTE
    },
    Case {
        version: 4,
        globals: "OpCapability SampleMaskPostDepthCoverage
            OpCapability SignedZeroInfNanPreserve
            OpExtension \"SPV_KHR_post_depth_coverage\"
            OpExecutionMode %main {SignedZeroInfNanPreserve 32|PostDepthCoverage}",
        error: "none of the execution model",
        ..COMPUTE
    },
    Case {
        globals: "OpDecorate %size BuiltIn WorkgroupSize
            %three_of = OpTypeVector {%uint|%float} 3
            %size = OpConstantComposite %three_of {%one %one %one|%half %half %half}",
        error: "cannot have the decoration",
        ..COMPUTE
    },
    Case {
        globals: "OpDecorate %size BuiltIn WorkgroupSize
            %three_of = OpTypeVector %uint 3
            %many = OpConstant %uint {1024|65536}
            %size = OpConstantComposite %three_of %many %many %one",
        error: "cannot have the decoration",
        ..COMPUTE
    },
    Case {
        version: 6,
        globals: "OpCapability UniformDecoration
            OpDecorateId %sum UniformId {%three|%half}",
        body: "%sum = OpIAdd %uint %one %two",
        error: "integers of 32 bits",
        ..COMPUTE
    },
    Case {
        body: "OpBranch %loop
            %loop = OpLabel
            OpLoopMerge %end %loop None
            OpBranchConditional %true %loop {%end|%other}
            %other = OpLabel
            OpReturn
            %end = OpLabel",
        error: "leaves the construct of",
        ..COMPUTE
    },
    Case {
        body: "OpBranch {%end|%next}
            %loop = OpLabel
            OpLoopMerge %other %next None
            OpBranchConditional %true %next %other
            %next = OpLabel
            OpBranch {%loop|%end}
            %other = OpLabel
            OpReturn
            %end = OpLabel",
        error: "the loop has not one branch back",
        ..COMPUTE
    },
    Case {
        body: "OpReturn
            %nowhere = OpLabel
            {OpLoopMerge %end %nowhere None|}
            OpBranchConditional %true %nowhere %end
            %end = OpLabel",
        error: "no loop's header",
        ..COMPUTE
    },
];

#[test]
fn one_word_breaks_a_rule() {
    let error = |text: &str| refusal(&assembled(text));
    for case in CASES {
        let legal = case.text(true);
        assert_eq!(error(&legal), None, "{legal}");
        let illegal = case.text(false);
        let message = error(&illegal).unwrap_or_else(|| panic!("accepted:\n{illegal}"));
        assert!(message.contains(case.error), "{message}:\n{illegal}");
    }
}
