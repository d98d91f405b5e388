//! Vulkan scripts on all generations: simulator and interpreter agree, and expectations hold.

use std::path::{Path, PathBuf};

use std::sync::Mutex;

use execute::{
    DeviceFactory, DeviceKind, DeviceRequest, Devices, RunOptions, SharedTests, TestCase,
    disable_quirks, run_file,
};
use raster::device::DeviceError;
use results::verdict::{Phase, Status, Verdict};
use shader_device::ShaderDevice;
use vocabulary::Target;

/// Prefix and suffix of the reason of a script that needs a program of Khronos.
const MISSING: [&str; 2] = ["the program ", " is not installed"];

/// Scripts that need what some generations lack, the ends of the reasons why those skip them, and
/// the number of these generations: ivb and hsw, or all.
const LACKING: [(&str, &str, usize); 5] = [
    ("bytes.amber", "lacks extension VK_KHR_8bit_storage", 2),
    ("depth_unrestricted.amber", "lacks extension VK_EXT_depth_range_unrestricted", 7),
    ("half_storage.amber", "lacks extension VK_KHR_16bit_storage", 2),
    ("wide.amber", "lacks feature shaderInt64", 2),
    ("wide_switch.amber", "lacks feature shaderInt64", 2),
];

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vulkan");
    let entries = std::fs::read_dir(folder).expect("the folder of scripts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn scripts_pass_on_every_generation() {
    let (options, devices) = (RunOptions::default(), Devices::default());
    let mut passed = Vec::new();
    for path in scripts() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        for target in Target::hardware() {
            let case = TestCase::new(&name, target, &options, &devices);
            let verdict = run_file(&path, &TestCase { path: Some(&path), ..case });
            let reason = verdict.cause.as_ref().map_or("", |(_, reason)| reason);
            let is_missing = reason.starts_with(MISSING[0]) && reason.ends_with(MISSING[1]);
            match verdict.status {
                Status::Pass => passed.push((name.clone(), target)),
                Status::Skip if is_missing => {}
                Status::Skip
                    if LACKING.iter().any(|(of, end, _)| name == *of && reason.ends_with(end)) => {}
                _ => panic!("{name} on {target}: {verdict:?}"),
            }
        }
    }
    // Assembly needs no program.
    for target in Target::hardware() {
        assert!(passed.contains(&("spirv.amber".to_owned(), target)), "{target}");
    }
    for (lacking, _, generations) in LACKING {
        let others = passed.iter().filter(|(name, _)| name == lacking);
        assert_eq!(others.count(), Target::hardware().count() - generations, "{lacking}");
    }
}

/// Both ways of a selection may lead to one block before its merge block (SPIR-V 1.6, 2.11). Mesa
/// 22.3 refuses that, so this is no file of tests/vulkan.
#[test]
fn ways_of_a_selection_may_meet_before_its_merge_block() {
    for target in Target::hardware() {
        let verdict = run(include_str!("ways_meet.amber"), target);
        assert_eq!(verdict.status, Status::Pass, "{target}: {verdict:?}");
    }
}

/// Geometry shaders see vertices in the order of Vulkan 1.3, section 21.1. Mesa's drivers do not
/// all keep it, so this is no file of tests/vulkan.
#[test]
fn triangles_begin_with_the_provoking_vertex() {
    let text = "#!amber
DEVICE_FEATURE geometryShader
DEVICE_FEATURE vertexPipelineStoresAndAtomics
SHADER vertex vertices GLSL
#version 450
layout(location = 0) out int number;
void main() { gl_Position = vec4(0.0); number = gl_VertexIndex; }
END
SHADER geometry triangles GLSL
#version 450
layout(triangles) in;
layout(points, max_vertices = 1) out;
layout(location = 0) in int number[];
layout(set = 0, binding = 0) buffer Orders { int orders[]; };
void main() { for (int i = 0; i < 3; i++) orders[gl_PrimitiveIDIn * 3 + i] = number[i]; }
END
SHADER fragment white GLSL
#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }
END
BUFFER positions DATA_TYPE vec4<float> SIZE 5 FILL 0
BUFFER orders DATA_TYPE int32 SIZE 9 FILL -1
BUFFER colors FORMAT R8G8B8A8_UNORM
PIPELINE graphics pipeline
  ATTACH vertices
  ATTACH triangles
  ATTACH white
  FRAMEBUFFER_SIZE 8 8
  VERTEX_DATA positions LOCATION 0
  BIND BUFFER orders AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER colors AS color LOCATION 0
END
RUN pipeline DRAW_ARRAY AS TRIANGLE_STRIP
EXPECT orders IDX 0 EQ 0 1 2 1 3 2 2 3 4
RUN pipeline DRAW_ARRAY AS TRIANGLE_FAN
EXPECT orders IDX 0 EQ 1 2 0 2 3 0 3 4 0
";
    for target in Target::hardware() {
        let verdict = run(text, target);
        let is_fine = matches!(verdict.status, Status::Pass | Status::Skip);
        assert!(is_fine, "{target}: {verdict:?}");
    }
}

/// Runs the text of a script.
fn run(text: &str, target: Target) -> Verdict {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("script.amber");
    std::fs::write(&path, text).expect("a file");
    let (options, devices) = (RunOptions::default(), Devices::default());
    let case = TestCase::new("script.amber", target, &options, &devices);
    run_file(&path, &TestCase { path: Some(&path), ..case })
}

/// A script that changes the number at `%place` of a buffer from one to another.
fn script(instructions: &str, binding: &str, [before, after]: [u32; 2]) -> String {
    format!(
        "#!amber
SHADER compute change SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %all DescriptorSet 0
OpDecorate %all Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%block = OpTypeStruct %uint
%pointer = OpTypePointer Uniform %block
%part = OpTypePointer Uniform %uint
%zero = OpConstant %uint 0
%seven = OpConstant %uint 7
%all = OpVariable %pointer Uniform
%main = OpFunction %void None %function
%start = OpLabel
%place = OpAccessChain %part %all %zero
{instructions}
OpReturn
OpFunctionEnd
END
BUFFER values DATA_TYPE uint32 SIZE 1 FILL {before}
PIPELINE compute pipeline
  ATTACH change
  BIND BUFFER values AS {binding}
END
RUN pipeline 1 1 1
EXPECT values IDX 0 EQ {after}
"
    )
}

#[test]
fn descriptors_must_be_bound() {
    let script = |binding: &str| script("OpStore %place %seven", binding, [0, 7]);
    let reason = |binding: &str| {
        run(&script(binding), Target::SKL).cause.map(|(_, reason)| reason).unwrap_or_default()
    };
    assert_eq!(reason("storage DESCRIPTOR_SET 0 BINDING 0"), "");
    let text = reason("storage DESCRIPTOR_SET 0 BINDING 5");
    assert!(text.contains("descriptor set 0 binding 0 is not bound"), "{text}");
    let text = reason("uniform DESCRIPTOR_SET 0 BINDING 0");
    assert!(text.contains("is bound as Uniform, the shader has Storage"), "{text}");
}

/// Devices that share tests, or do not. The kinds of created devices are recorded.
struct Recorder {
    devices: Devices,
    created: Mutex<Vec<DeviceKind>>,
}

impl Recorder {
    fn of(devices: Devices) -> Recorder {
        Recorder { devices, created: Mutex::default() }
    }

    /// Runs a script and returns the kinds of its devices, too.
    fn run(&self, path: &Path, target: Target, options: &RunOptions) -> (Verdict, Vec<DeviceKind>) {
        let case = TestCase::new("script.amber", target, options, self);
        let verdict = run_file(path, &TestCase { path: Some(path), ..case });
        (verdict, std::mem::take(&mut self.created.lock().expect("no panic")))
    }
}

impl DeviceFactory for Recorder {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        self.created.lock().expect("no panic").push(request.kind);
        self.devices.create(request)
    }

    fn shared_tests(&self) -> Option<&SharedTests> {
        self.devices.shared_tests()
    }
}

const BOTH: [DeviceKind; 2] = [DeviceKind::Simulator, DeviceKind::Interpreter];

/// The interpreter executes a script that passes for one generation, and verdicts are those of
/// test cases alone.
#[test]
fn the_reference_executes_a_script_once() {
    let options = RunOptions::default();
    let mut replayed = 0;
    for path in scripts() {
        let shared = Recorder::of(Devices::default().sharing(1));
        let mut has_transcript = false;
        for target in Target::hardware() {
            let (verdict, created) = shared.run(&path, target, &options);
            let alone = Recorder::of(Devices::default()).run(&path, target, &options);
            assert_eq!(verdict, alone.0, "{} on {target}", path.display());
            if verdict.status == Status::Skip {
                continue;
            }
            let expected = if has_transcript { &BOTH[..1] } else { &BOTH[..] };
            assert_eq!(created, expected, "{} on {target}", path.display());
            replayed += usize::from(has_transcript);
            has_transcript = true;
        }
    }
    assert!(replayed > 5, "{replayed}");
}

/// A generation that differs from the reference's transcript fails as with the reference beside it.
#[test]
fn transcripts_show_mismatches() {
    let product = "%factor = OpLoad %uint %place
%square = OpIMul %uint %factor %factor
OpStore %place %square";
    let text = script(product, "storage DESCRIPTOR_SET 0 BINDING 0", [70_000, 605_032_704]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("script.amber");
    std::fs::write(&path, text).expect("a file");
    let mut broken = RunOptions::default();
    disable_quirks(&mut broken.execution.codegen, &["gen7-dword-mul".to_owned()]);
    let shared = Recorder::of(Devices::default().sharing(1));
    let (verdict, created) = shared.run(&path, Target::SKL, &RunOptions::default());
    assert_eq!((verdict.status, &created[..]), (Status::Pass, &BOTH[..]));
    let (verdict, created) = shared.run(&path, Target::IVB, &broken);
    assert_eq!(created, BOTH[..1]);
    assert_eq!(verdict.cause.as_ref().map(|(phase, _)| *phase), Some(Phase::Mismatch));
    let alone = Recorder::of(Devices::default()).run(&path, Target::IVB, &broken);
    assert_eq!(verdict, alone.0);
}
