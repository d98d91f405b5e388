//! Tests of scripts on mock devices: verdicts from commands, failures and two executors.

use std::collections::BTreeMap;
use std::path::Path;

use program::Stage;
use raster::device::{Batch, Device, DeviceError, DrawState, Steps};
use raster::shader_io::ShaderIo;

use super::*;
use results::verdict::{Phase, StageStatistics, Status, Verdict};
use shader_device::{Disagreement, ShaderDevice, Undefined};
use vocabulary::{Target, Width};

/// Color of a mock executor, or its error.
pub(crate) type Paint = Result<[f32; 4], DeviceError>;

/// Replicas that pass positions through and paint one color.
pub(crate) struct Mocks {
    pub(crate) paint: BTreeMap<&'static str, Paint>,
    /// Lanes of fragments that the interpreter marks as undefined.
    pub(crate) undefined: u64,
    /// A lane of fragments about which the simulator's widths disagree.
    pub(crate) disagreement: Option<usize>,
}

impl Mocks {
    pub(crate) fn both(simulator: Paint, interpreter: Paint) -> Mocks {
        let paint = [(DeviceKind::Simulator, simulator), (DeviceKind::Interpreter, interpreter)];
        Mocks {
            paint: paint.map(|(kind, paint)| (kind.name(), paint)).into(),
            undefined: 0,
            disagreement: None,
        }
    }

    pub(crate) fn agree(color: [f32; 4]) -> Mocks {
        Mocks::both(Ok(color), Ok(color))
    }
}

struct Mock {
    paint: Paint,
    undefined: u64,
    disagreement: Option<usize>,
    shaded: u64,
    found: Undefined,
    disagreements: Vec<Disagreement>,
}

impl DeviceFactory for Mocks {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        let paint = self.paint.get(request.kind.name()).cloned().expect("both kinds are given");
        let interprets = request.kind == DeviceKind::Interpreter;
        Ok(Box::new(Mock {
            paint,
            undefined: if interprets { self.undefined } else { 0 },
            disagreement: self.disagreement.filter(|_| !interprets),
            shaded: 0,
            found: Undefined::default(),
            disagreements: Vec::new(),
        }))
    }
}

impl Device for Mock {
    fn shade(
        &mut self,
        _: Stage,
        _: &DrawState<'_>,
        batch: &mut Batch,
        _: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        self.shaded += 1;
        match batch {
            Batch::Vertex(batch) => {
                for row in 0..batch.inputs.rows().min(batch.outputs.rows()) {
                    for lane in 0..batch.lanes {
                        batch.outputs.set(row, lane, batch.inputs.get(row, lane));
                    }
                }
            }
            Batch::Fragment(batch) => {
                let color = self.paint.clone()?;
                for lane in 0..batch.quads.len() * 4 {
                    (0..4).for_each(|c| batch.outputs.color.set(c, lane, color[c].to_bits()));
                }
                batch.outputs.undefined = self.undefined;
                self.found.batches.insert(self.shaded, self.undefined);
                let disagreement = |lane| Disagreement {
                    batch: self.shaded,
                    lane: Some(lane),
                    text: format!("lane {lane} differs"),
                };
                self.disagreements.extend(self.disagreement.map(disagreement));
            }
            _ => return Err(DeviceError::Unsupported("this stage".into())),
        }
        Ok(Steps(1))
    }
}

impl ShaderDevice for Mock {
    fn take_undefined(&mut self) -> Undefined {
        std::mem::take(&mut self.found)
    }

    fn take_disagreements(&mut self) -> Vec<Disagreement> {
        std::mem::take(&mut self.disagreements)
    }

    fn shaded(&self) -> u64 {
        self.shaded
    }

    fn statistics(&self) -> Vec<StageStatistics> {
        vec![
            StageStatistics::new(Stage::Fragment, Width::Simd8),
            StageStatistics::new(Stage::Vertex, Width::Vec4),
            StageStatistics::new(Stage::Fragment, Width::Simd16),
        ]
    }
}

const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Returns a script with these `[test]` lines, the first of which is line 10 of the file.
pub(crate) fn script(test: &str) -> String {
    format!(
        "[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\nuniform vec4 c;\n\
         void main()\n{{ gl_FragColor = c; }}\n\n[test]\n{test}\n"
    )
}

fn run_text(text: &str, mocks: &Mocks, executors: ExecutorSelection) -> Verdict {
    let script = script::parse(text.as_bytes()).expect("a well-formed script");
    let options = RunOptions { executors, ..RunOptions::default() };
    run_script(&script, &TestCase::new("t", Target::IVB, &options, mocks))
}

fn run(test: &str, mocks: &Mocks) -> Verdict {
    run_text(&script(test), mocks, ExecutorSelection::Both)
}

/// Returns status, phase and first line of the reason.
fn ended(verdict: Verdict) -> (Status, Option<Phase>, String) {
    let (phase, reason) = verdict.cause.unzip();
    (verdict.status, phase, reason.unwrap_or_default().lines().next().unwrap_or("").to_owned())
}

#[track_caller]
fn expect(verdict: Verdict, status: Status, phase: Phase, reason: &str) {
    let found = ended(verdict);
    assert_eq!((found.0, found.1), (status, Some(phase)), "{}", found.2);
    assert!(found.2.contains(reason), "`{reason}` in `{}`", found.2);
}

const DRAW: &str = "clear color 0 0 1 0\nclear\ndraw rect -1 -1 2 2\n";

#[test]
fn a_pass_has_statistics_in_pipeline_order() {
    let verdict = run(&format!("{DRAW}probe all rgba 0 1 0 1"), &Mocks::agree(GREEN));
    assert_eq!((verdict.status, &verdict.cause), (Status::Pass, &None));
    let stages: Vec<(&str, &str)> =
        verdict.stages.iter().map(|s| (s.stage.name(), s.width.name())).collect();
    assert_eq!(stages, [("vertex", "vec4"), ("fragment", "SIMD16"), ("fragment", "SIMD8")]);
}

#[test]
fn probes_and_executors() {
    let probe = format!("{DRAW}probe all rgba 0 1 0 1");
    let verdict = |a, b| run(&probe, &Mocks::both(Ok(a), Ok(b)));
    expect(verdict(RED, RED), Status::Fail, Phase::Probe, "line 13: Probe color at (0,0)");
    expect(verdict(RED, GREEN), Status::Fail, Phase::Mismatch, "line 13: Probe color at (0,0)");
    expect(verdict(GREEN, RED), Status::Fail, Phase::Mismatch, "line 13: reference interpreter: ");
    // Within the probe's tolerance, but further apart than the agreement rule allows.
    let near = [0.0, 1.0 - 2.0 / 255.0, 0.0, 1.0];
    expect(verdict(GREEN, near), Status::Fail, Phase::Mismatch, "differ at (0,0)");
    assert_eq!(verdict(GREEN, [0.0, 1.0 - 0.2 / 255.0, 0.0, 1.0]).status, Status::Pass);
}

#[test]
fn undefined_values_suppress_mismatches() {
    let mut mocks = Mocks::both(Ok(GREEN), Ok(RED));
    mocks.undefined = !0;
    assert_eq!(run(&format!("{DRAW}probe all rgba 0 1 0 1"), &mocks).status, Status::Pass);
    let verdict = run(&format!("{DRAW}probe all rgba 1 0 0 1"), &mocks);
    expect(verdict, Status::Fail, Phase::Probe, "Probe color");
}

/// The shader sees positions, so that each pixel has a separate lane; lane 0 of every quad is
/// undefined.
#[test]
fn a_mismatch_beside_an_undefined_pixel_counts() {
    let mut mocks = Mocks::both(Ok(GREEN), Ok(RED));
    mocks.undefined = 1;
    let run = |test: &str| {
        let text = script(&format!("{DRAW}{test}"));
        let text = text.replace("gl_FragColor = c", "gl_FragColor = c * gl_FragCoord");
        run_text(&text, &mocks, ExecutorSelection::Both)
    };
    assert_eq!(run("probe rgba 4 6 0 1 0 1").status, Status::Pass);
    expect(run("probe rgba 5 6 0 1 0 1"), Status::Fail, Phase::Mismatch, "reference interpreter: ");
    expect(
        run("probe rect rgba (4, 6, 2, 1) (0, 1, 0, 1)"),
        Status::Fail,
        Phase::Mismatch,
        "reference interpreter: Probe color at (5,6)",
    );
    // A later defined draw replaces the undefined pixels.
    let again = "clear\nprobe rgba 5 6 0 0 1 0";
    assert_eq!(run(&format!("probe rgba 4 6 0 1 0 1\n{again}")).status, Status::Pass);
}

#[test]
fn widths_may_disagree_about_undefined_lanes_only() {
    let run = |undefined, test: &str, executors| {
        let mocks = Mocks { undefined, disagreement: Some(2), ..Mocks::agree(GREEN) };
        run_text(&script(&format!("{DRAW}{test}")), &mocks, executors)
    };
    let probe = "probe all rgba 0 1 0 1";
    assert_eq!(run(0b100, probe, ExecutorSelection::Both).status, Status::Pass);
    expect(
        run(0b011, probe, ExecutorSelection::Both),
        Status::Fail,
        Phase::Mismatch,
        "line 13: lane 2 differs",
    );
    expect(
        run(0b100, probe, ExecutorSelection::SimulatorOnly),
        Status::Fail,
        Phase::Mismatch,
        "lane 2 differs",
    );
    // Without a clear, the mark of undefined pixels stays.
    let cleared = format!("{probe}\nclear\nprobe all rgba 0 0 1 0");
    expect(
        run(0, &cleared, ExecutorSelection::Both),
        Status::Fail,
        Phase::Mismatch,
        "line 13: lane 2 differs",
    );
}

#[test]
fn one_executor_alone() {
    let probe = script(&format!("{DRAW}probe all rgba 0 1 0 1"));
    let mocks = Mocks::both(Ok(GREEN), Ok(RED));
    assert_eq!(run_text(&probe, &mocks, ExecutorSelection::SimulatorOnly).status, Status::Pass);
    let verdict = run_text(&probe, &mocks, ExecutorSelection::ReferenceOnly);
    expect(verdict, Status::Fail, Phase::Probe, "line 13: Probe color at (0,0)");
}

#[test]
fn device_errors_have_layers() {
    let probe = format!("{DRAW}probe all rgba 0 1 0 1");
    let simulator = |error| run(&probe, &Mocks::both(Err(error), Ok(GREEN)));
    let rejected = |phase, message: &str| DeviceError::Rejected { phase, message: message.into() };
    let limit = DeviceError::StepLimit {
        stage: Stage::Geometry,
        limit: 7,
        unit: "instructions for a batch",
    };
    expect(
        simulator(rejected(Phase::Allocate, "no registers")),
        Status::Fail,
        Phase::Allocate,
        "line 13: no registers",
    );
    expect(
        simulator(rejected(Phase::Validate, "bad region")),
        Status::Fail,
        Phase::Validate,
        "bad region",
    );
    expect(
        simulator(rejected(Phase::Mismatch, "SIMD16 differs")),
        Status::Fail,
        Phase::Mismatch,
        "SIMD16 differs",
    );
    expect(simulator(DeviceError::Execution("hang".into())), Status::Fail, Phase::Simulate, "hang");
    expect(
        simulator(DeviceError::Unsupported("x".into())),
        Status::Fail,
        Phase::Simulate,
        "x: not supported yet",
    );
    expect(
        simulator(limit.clone()),
        Status::Timeout,
        Phase::Simulate,
        "line 13: geometry shader: the limit of 7 instructions for a batch is reached",
    );
    let interpreter = |error| run(&probe, &Mocks::both(Ok(GREEN), Err(error)));
    expect(
        interpreter(DeviceError::Unsupported("x".into())),
        Status::Fail,
        Phase::Mismatch,
        "line 13: reference interpreter: x",
    );
    expect(
        interpreter(limit),
        Status::Timeout,
        Phase::Simulate,
        "reference interpreter: geometry shader: the limit of 7 instructions",
    );
}

#[test]
fn failing_lines_go_on_and_the_first_is_reported() {
    let test = format!("{DRAW}probe rgba 1 1 1 0 0 1\nprobe rgba 2 2 0 1 0 1\nprobe rgb 3 3 0 0 1");
    let verdict = run(&test, &Mocks::agree(GREEN));
    let reason = verdict.cause.clone().expect("it fails").1;
    expect(verdict, Status::Fail, Phase::Probe, "line 13: Probe color at (1,1)");
    assert!(reason.ends_with("and 1 more failing lines"), "{reason}");
}

#[test]
fn warnings() {
    let warn = format!("{DRAW}probe warn all rgba 1 0 0 1");
    expect(run(&warn, &Mocks::agree(GREEN)), Status::Warn, Phase::Probe, "line 13: ");
    assert_eq!(run(&warn, &Mocks::agree(RED)).status, Status::Pass);
    // A warning never hides a failure, in either order.
    for test in [
        format!("{warn}\nprobe all rgba 0 0 1 1"),
        format!("{DRAW}probe all rgba 0 0 1 1\nprobe warn all rgba 1 0 0 1"),
    ] {
        assert_eq!(run(&test, &Mocks::agree(GREEN)).status, Status::Fail);
    }
    expect(
        run(&warn, &Mocks::both(Ok(RED), Ok(GREEN))),
        Status::Fail,
        Phase::Mismatch,
        "reference",
    );
}

#[test]
fn link_expectations() {
    let unlinkable = script("link error").replace("uniform vec4 c;", "uniform vec4 c; void f();");
    let unlinkable = unlinkable.replace("gl_FragColor = c;", "f(); gl_FragColor = c;");
    let run = |text: &str| run_text(text, &Mocks::agree(GREEN), ExecutorSelection::Both);
    assert_eq!(run(&unlinkable).status, Status::Pass);
    expect(
        run(&unlinkable.replace("link error", "")),
        Status::Fail,
        Phase::Link,
        "Failed to link: ",
    );
    expect(
        run(&unlinkable.replace("link error", "link success\nlink error")),
        Status::Fail,
        Phase::Link,
        "line 10: Failed to link: ",
    );
    expect(
        run(&script("link error")),
        Status::Fail,
        Phase::Link,
        "line 10: shader link error expected, but it was successful!",
    );
    assert_eq!(run(&script("link success")).status, Status::Pass);
    // Without `[test]`, even a link failure is not reported.
    let (sections, _) = unlinkable.split_once("[test]").expect("a test section");
    assert_eq!(run(sections).status, Status::Pass);
    let nothing = "[require]\nGLSL >= 1.10\n[test]\nclear color 0 0 0 0\nclear\n";
    expect(run(nothing), Status::Fail, Phase::Link, "Failed to link: there are no shaders");
}

#[test]
fn what_ends_a_script_at_once() {
    let ends = |test: &str| run(&format!("{test}\nprobe all rgba 9 9 9 9"), &Mocks::agree(GREEN));
    expect(
        ends("uniform float missing 1"),
        Status::Fail,
        Phase::Link,
        "line 10: cannot get location of uniform \"missing\"",
    );
    expect(ends("uniform i64vec2 c 1 2"), Status::Skip, Phase::Require, "GL_ARB_gpu_shader_int64");
    expect(ends("image texture 3 GL_RGBA8"), Status::Fail, Phase::Script, "No texture bound at 3");
    expect(ends("fb tex 2d 4"), Status::Fail, Phase::Script, "no texture bound at 4");
    expect(
        ends("newlist GL_COMPILE\nlight 0 GL_POSITION float 1"),
        Status::Fail,
        Phase::Probe,
        "line 12: ",
    );
    expect(
        ends("vertex attrib handle c 0"),
        Status::Fail,
        Phase::Script,
        "line 10: cannot get location of the attribute",
    );
}

#[test]
fn compile_errors_name_the_line_in_the_file() {
    let text = script("link success").replace("= c;", "= d;");
    let verdict = run_text(&text, &Mocks::agree(GREEN), ExecutorSelection::Both);
    expect(verdict, Status::Fail, Phase::Frontend, "Failed to compile FS: line 7, column 18: ");
}

#[test]
fn unmet_requirements_skip() {
    let text = script("link success").replace("1.10", "1.10\nGL_NO_such");
    let verdict = run_text(&text, &Mocks::agree(GREEN), ExecutorSelection::Both);
    expect(verdict, Status::Skip, Phase::Require, "line 3: needs GL_NO_such");
}

#[test]
fn clear_clears_what_was_configured() {
    // Without an earlier `clear color`, nothing is cleared; the window starts as zeros.
    assert_eq!(run("clear\nprobe all rgba 0 0 0 0", &Mocks::agree(GREEN)).status, Status::Pass);
    let twice = "clear color 1 0 0 1\nclear\nclear color 0 1 0 1\nprobe all rgba 1 0 0 1\nclear\n\
                 probe all rgba 0 1 0 1";
    assert_eq!(run(twice, &Mocks::agree(GREEN)).status, Status::Pass);
}

#[test]
fn tolerance_stays() {
    let test = format!(
        "{DRAW}tolerance 0.5 0.5 0.5 0.5\nprobe rgba 1 1 0.4 0.6 0.4 1\nprobe rgba 1 1 0.6 1 0 1"
    );
    expect(run(&test, &Mocks::agree(GREEN)), Status::Fail, Phase::Probe, "line 15: ");
}

#[test]
fn vertex_data_names_are_looked_up() {
    let data = |name: &str| {
        script(&format!(
            "{}probe all rgba 0 1 0 1",
            DRAW.replace("rect -1 -1 2 2", "arrays GL_TRIANGLE_STRIP 0 4")
        ))
        .replace(
            "[test]",
            &format!("[vertex data]\n{name}/float/vec2\n-1 -1\n1 -1\n-1 1\n1 1\n[test]"),
        )
    };
    let run = |text: &str| run_text(text, &Mocks::agree(GREEN), ExecutorSelection::Both);
    assert_eq!(run(&data("piglit_vertex")).status, Status::Pass);
    assert_eq!(run(&data("0")).status, Status::Pass);
    expect(
        run(&data("nobody")),
        Status::Fail,
        Phase::Link,
        "Unexpected vbo column name.  Got: nobody",
    );
}

#[test]
fn buffers_are_probed() {
    let test = "ssbo 2 16\nssbo 2 subdata float 4 1.5\nssbo 2 subdata int 8 -1\nprobe ssbo float 2 4 == 1.5\n\
                probe ssbo int 2 8 < 0\nprobe ssbo uint 2 8 == 0xffffffff\natomic counters 2\n\
                atomic counter 0 1 7\nprobe atomic counter 1 == 7\nprobe atomic counter 0 >= 1";
    let verdict = run(test, &Mocks::agree(GREEN));
    expect(verdict, Status::Fail, Phase::Probe, "line 19: Atomic counter 0 test failed: 0 >= 1");
}

#[test]
fn display_lists_replay() {
    let test = "newlist GL_COMPILE\nclear color 0 1 0 1\nclear\nendlist\nprobe all rgba 0 0 0 0\ncalllist\n\
                probe all rgba 0 1 0 1\nclear color 1 0 0 1\nclear\ncalllist\nprobe all rgba 0 1 0 1\ndeletelist\n\
                clear color 1 0 0 1\nclear\ncalllist\nprobe all rgba 1 0 0 1";
    assert_eq!(ended(run(test, &Mocks::agree(GREEN))), (Status::Pass, None, String::new()));
    let both = "newlist GL_COMPILE_AND_EXECUTE\nclear color 0 1 0 1\nclear\nendlist\nprobe all rgba 0 1 0 1";
    assert_eq!(run(both, &Mocks::agree(GREEN)).status, Status::Pass);
}

#[test]
fn uniform_initializers_reach_every_stage() {
    let text = script("uniform vec4 c 0 1 0 1\nlink success")
        .replace(
            "uniform vec4 c;",
            "uniform vec4 c; uniform float a[2] = float[2](3.0, 4.0 + 1.0);",
        )
        .replace("= c;", "= c * a[1];")
        .replace("GLSL >= 1.10", "GLSL >= 1.20");
    let script = script::parse(text.as_bytes()).expect("a script");
    let capabilities = context_for(&script, Target::IVB).expect("a context");
    let Ok(Linked::Program(program)) = build(&script, capabilities) else { panic!("it links") };
    let bytes = front::initial::default_block(&program).expect("constant expressions");
    let uniform = program.uniforms.iter().find(|u| u.name == "a").expect("active");
    let at = |element: u32| {
        let start = (uniform.offset + element * uniform.array_stride) as usize;
        f32::from_le_bytes(bytes[start..start + 4].try_into().expect("four bytes"))
    };
    assert_eq!([at(0), at(1)], [3.0, 5.0]);
}

#[test]
fn draw_state_keys_are_found_without_shading() {
    let text = script(DRAW);
    let script = script::parse(text.as_bytes()).expect("a script");
    let keys = stage_keys(&script, "t", Target::IVB);
    assert_eq!(keys.keys().copied().collect::<Vec<_>>(), [Stage::Vertex, Stage::Fragment]);
    assert_eq!(keys[&Stage::Fragment], plain_key());
}

#[test]
fn program_interfaces_are_queried() {
    let program = "[require]\nGL >= 4.5\nGLSL >= 4.50\n[vertex shader]\n#version 450\n\
        layout(location = 1) in vec4 place;\nlayout(location = 2, component = 1) in vec2 shift;\n\
        void main() { gl_Position = place + shift.xyxy; }\n[fragment shader]\n#version 450\n\
        layout(binding = 5, std140) uniform Palette { vec4 a; vec4 b[2]; };\n\
        layout(location = 3) uniform float scale[4];\nlayout(binding = 1, offset = 4) uniform atomic_uint n;\n\
        layout(location = 2) out vec4 c;\n\
        void main() { c = (a + b[1]) * scale[2] + float(atomicCounter(n)); }\n[test]\n";
    let ask = |queries: &[&str]| {
        let lines: String =
            queries.iter().map(|q| format!("verify program_interface_query {q}\n")).collect();
        let text = format!("{program}{lines}");
        let script = script::parse(text.as_bytes()).expect("a well-formed script");
        run_script(
            &script,
            &TestCase::new("t", Target::SKL, &RunOptions::default(), &Mocks::agree(GREEN)),
        )
    };
    let right = [
        "interface GL_PROGRAM_INPUT GL_ACTIVE_RESOURCES 2",
        "interface GL_PROGRAM_INPUT GL_MAX_NAME_LENGTH 6",
        "interface GL_UNIFORM_BLOCK GL_MAX_NUM_ACTIVE_VARIABLES 2",
        "interface GL_SHADER_STORAGE_BLOCK GL_MAX_NAME_LENGTH 0",
        "resourceByData GL_PROGRAM_INPUT (2 1) GL_TYPE GL_FLOAT_VEC2",
        "resourceByData GL_UNIFORM (5 16) GL_ARRAY_SIZE 2",
        "resourceByData GL_UNIFORM (atomic 1 4) GL_TYPE GL_UNSIGNED_INT_ATOMIC_COUNTER",
        "resourceByData GL_ATOMIC_COUNTER_BUFFER (1) GL_NUM_ACTIVE_VARIABLES 1",
        "resourceName GL_UNIFORM (var 3) 8 scale[0]",
        "resourceName GL_UNIFORM_BLOCK (5) 7 Palette",
        "resourceIndex GL_UNIFORM_BLOCK Palette 0",
        "resourceIndex GL_UNIFORM nothing GL_INVALID_INDEX",
        "resourceLocation GL_UNIFORM scale 3",
        "resourceLocation GL_UNIFORM scale[2] 5",
        "resourceLocation GL_UNIFORM scale[4] -1",
        "resourceLocationIndex GL_PROGRAM_OUTPUT c 0",
    ];
    assert_eq!(ended(ask(&right)), (Status::Pass, None, String::new()));
    for (wrong, reason) in [
        ("interface GL_UNIFORM GL_ACTIVE_RESOURCES 3", "expected 3, got 4"),
        ("interface GL_ATOMIC_COUNTER_BUFFER GL_MAX_NAME_LENGTH 1", "has no property"),
        ("resourceByData GL_UNIFORM_BLOCK (6) GL_BUFFER_BINDING 6", "has no resource of binding 6"),
        ("resourceName GL_UNIFORM (var 3) 5 scale", "expected name `scale`, got `scale[0]`"),
        ("resourceIndex GL_UNIFORM_BLOCK Palette 1", "expected 1, got 0"),
        ("resourceLocation GL_PROGRAM_INPUT place 0", "expected 0, got 1"),
    ] {
        expect(ask(&[wrong]), Status::Fail, Phase::Probe, reason);
    }
}

#[test]
fn files_that_cannot_be_read() {
    let verdict = run_file(
        Path::new("/nowhere/t.shader_test"),
        &TestCase::new("t", Target::IVB, &RunOptions::default(), &Mocks::agree(GREEN)),
    );
    expect(verdict, Status::Fail, Phase::Script, "cannot read the file: No such file");
}
