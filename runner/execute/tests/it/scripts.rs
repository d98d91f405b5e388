//! Shader tests of our own, in `scripts/`: rules of language, linker and GL machine that are easily
//! got wrong.
//!
//! `scripts/pass` passes on both executors, `scripts/calls` also with no call inlined;
//! `scripts/language` holds rules of the language that pass on every target that offers them;
//! `scripts/amd` needs extensions that only AMD's chips have; `scripts/compile` must be refused by
//! the front end.
//! Expected values come from the specifications; every file was compared with what llvmpipe makes
//! of it.

use std::path::{Path, PathBuf};

use execute::{Devices, ExecutorSelection, RunOptions, TestCase, run_file, run_text};
use results::verdict::{Phase, Status, Verdict};
use vocabulary::{Backend, Target};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn run(file: &Path, generation: Target) -> Verdict {
    run_with(file, generation, &RunOptions::default())
}

fn run_with(file: &Path, generation: Target, options: &RunOptions) -> Verdict {
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    run_file(file, &TestCase::new(&name, generation, options, &Devices::default()))
}

#[test]
fn scripts_pass_on_both_executors() {
    // Only Skylake offers all that the scripts ask for.
    let most: &[Status] = &[Status::Pass, Status::Skip];
    let permitted = [(Target::IVB, most), (Target::SKL, &[Status::Pass]), (Target::SI, most)];
    for file in files("pass") {
        for (generation, permitted) in permitted {
            let verdict = run(&file, generation);
            let place = format!("{} on {generation}", file.display());
            assert!(permitted.contains(&verdict.status), "{place}: {:?}", verdict.cause);
        }
    }
}

#[test]
fn rules_of_the_language_hold_on_every_target() {
    for file in files("language") {
        for (target, options) in every_target() {
            let verdict = run_with(&file, target, &options);
            let place = format!("{} on {target}", file.display());
            // Ivybridge's GLSL ends at 4.20.
            let may_skip = target == Target::IVB;
            let ends = verdict.status == Status::Pass || may_skip && verdict.status == Status::Skip;
            assert!(ends, "{place}: {:?}", verdict.cause);
        }
    }
}

/// Every generation, and the interpreter alone.
fn every_target() -> impl Iterator<Item = (Target, RunOptions)> {
    let alone = RunOptions { executors: ExecutorSelection::ReferenceOnly, ..RunOptions::default() };
    Target::hardware()
        .map(|target| (target, RunOptions::default()))
        .chain([(Target::REFERENCE, alone)])
}

/// Runs a text on every target and returns the causes of failures.
fn causes(text: &str) -> Vec<Option<(Phase, String)>> {
    let run = |(target, options): (Target, RunOptions)| {
        run_text(text.as_bytes(), &TestCase::new("text", target, &options, &Devices::default()))
            .cause
    };
    every_target().map(run).collect()
}

/// The mode of a capture is that of the primitives that the geometry shader makes (OpenGL 4.6
/// section 13.3.3).
#[test]
fn captures_need_the_primitives_of_the_last_stage() {
    let text = |output: &str, emitted: u32| {
        format!(
            "[require]\nGLSL >= 4.20\nGL_ARB_enhanced_layouts\n\
             [vertex shader]\n#version 420\nin vec4 piglit_vertex;\n\
             void main() {{ gl_Position = piglit_vertex; }}\n\
             [geometry shader]\n#version 420\n#extension GL_ARB_enhanced_layouts : require\n\
             layout(points) in;\nlayout({output}, max_vertices = 3) out;\n\
             layout(xfb_buffer = 0, xfb_offset = 0) out float v;\nvoid main() {{\n\
             for (int i = 1; i < 4; i++) {{ v = float(i); gl_Position = vec4(0.0); EmitVertex(); }}\n\
             }}\n[fragment shader]\n#version 420\nout vec4 color;\n\
             void main() {{ color = vec4(1.0); }}\n[vertex data]\npiglit_vertex/float/vec4\n\
             0 0 0 1\n[test]\nxfb buffer object 0 64\nxfb draw arrays GL_POINTS 0 1\n\
             probe xfb buffer float 0 2 {emitted}.0\n"
        )
    };
    assert!(causes(&text("points", 3)).iter().all(Option::is_none));
    for output in ["line_strip", "triangle_strip"] {
        for cause in causes(&text(output, 0)) {
            let (phase, reason) = cause.expect("an error");
            assert_eq!(phase, Phase::Script, "{output}: {reason}");
            assert!(reason.contains("GL error InvalidOperation"), "{output}: {reason}");
        }
    }
}

/// NaN need not be generated (GLSL 4.60 section 4.7.1): what becomes of one that an operation
/// would generate decides nothing between executors, unless the value is precise.
#[test]
fn generated_nans_are_open() {
    let text = |declaration: &str, value: &str| {
        format!(
            "[require]\nGLSL >= 4.00\n[vertex shader passthrough]\n[fragment shader]\n\
             #version 400\nuniform float z;\nout vec4 color;\nvoid main() {{\n\
             float inf = 1.0 / z;\n{declaration} = {value};\n\
             color = x != x || isnan(x) ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1); }}\n\
             [test]\nuniform float z 0.0\ndraw rect -1 -1 2 2\nprobe all rgba 0 1 0 1\n"
        )
    };
    for value in ["inf - inf", "inf * 0.0", "mix(inf, 1.0, 1.0)", "inf / inf", "fract(inf)"] {
        for (phase, reason) in causes(&text("float x", value)).into_iter().flatten() {
            assert_eq!(phase, Phase::Probe, "{value}: {reason}");
        }
        let precise = causes(&text("precise float x", value));
        assert!(precise.iter().all(Option::is_none), "{value}: {precise:?}");
    }
}

#[test]
fn scripts_for_amd_pass_on_its_chips() {
    for file in files("amd") {
        for generation in [Target::SI, Target::VI] {
            let verdict = run(&file, generation);
            let place = format!("{} on {generation}", file.display());
            assert_eq!(verdict.status, Status::Pass, "{place}: {:?}", verdict.cause);
        }
    }
}

#[test]
fn either_back_end_compiles_vertex_shaders() {
    let name = |file: &PathBuf| {
        file.file_name().is_some_and(|n| n.to_string_lossy().starts_with("vertex-"))
    };
    for file in files("pass").into_iter().filter(name) {
        let backends = [Backend::Vec4, Backend::Scalar];
        for (backend, generation) in
            backends.into_iter().flat_map(|b| Target::INTEL.map(|t| (b, t)))
        {
            let mut options = RunOptions::default();
            options.execution.codegen.backend = Some(backend);
            let verdict = run_with(&file, generation, &options);
            let place = format!("{} by {backend:?} on {generation}", file.display());
            assert_eq!(verdict.status, Status::Pass, "{place}: {:?}", verdict.cause);
        }
    }
}

/// Returns the options that compile with a limit on inlining and a back end.
fn calling(limit: Option<u32>, backend: Option<Backend>) -> RunOptions {
    let mut options = RunOptions::default();
    options.execution.codegen.inline_limit = limit;
    options.execution.codegen.backend = backend;
    options
}

#[test]
fn calls_are_inlined_or_executed() {
    let generations = Target::INTEL.into_iter().chain([Target::SI, Target::VI]);
    for (file, generation) in
        files("calls").iter().flat_map(|f| generations.clone().map(move |g| (f, g)))
    {
        for limit in [None, Some(0)] {
            let verdict = run_with(file, generation, &calling(limit, None));
            let ends = matches!(verdict.status, Status::Pass | Status::Skip);
            let place = format!("{} on {generation}, limit {limit:?}", file.display());
            assert!(ends, "{place}: {:?}", verdict.cause);
            let skips = generation != Target::SKL;
            assert!(skips || verdict.status == Status::Pass, "{place} is skipped");
        }
    }
}

#[test]
fn either_back_end_executes_calls() {
    for file in files("calls") {
        for (backend, generation) in [
            (Backend::Scalar, Target::IVB),
            (Backend::Scalar, Target::HSW),
            (Backend::Vec4, Target::BDW),
            (Backend::Vec4, Target::SKL),
        ] {
            let verdict = run_with(&file, generation, &calling(Some(0), Some(backend)));
            // Not every generation has compute shaders.
            let ends = matches!(verdict.status, Status::Pass | Status::Skip);
            let place = format!("{} by {backend:?} on {generation}", file.display());
            assert!(ends, "{place}: {:?}", verdict.cause);
        }
    }
}

#[test]
fn large_dispatches_reach_a_limit() {
    let text = |groups: u32| {
        format!(
            "[require]\nGLSL >= 4.30\n[compute shader]\n#version 430\n\
             layout(local_size_x = 256) in;\nlayout(std430) buffer B {{ uint x; }};\n\
             void main() {{ atomicAdd(x, 1u); }}\n[test]\nssbo 0 4\ncompute {groups} 1 1\n"
        )
    };
    let run = |groups: u32| {
        let (options, devices) = (RunOptions::default(), Devices::default());
        run_text(
            text(groups).as_bytes(),
            &TestCase::new("dispatch", Target::SKL, &options, &devices),
        )
    };
    assert_eq!(run(100).status, Status::Pass);
    let verdict = run(65535);
    let reason = verdict.cause.map(|(_, reason)| reason).unwrap_or_default();
    assert_eq!(verdict.status, Status::Timeout, "{reason}");
    assert!(reason.contains("the limit of 4194304 invocations for a test is reached"), "{reason}");
}

/// piglit looks names of attributes up in the program of the pipeline's last stage.
#[test]
fn separate_programs_take_attributes_by_location() {
    let text = |column: &str| {
        format!(
            "[require]\nGLSL >= 1.50\nSSO ENABLED\n[vertex shader]\n#version 150\n\
             #extension GL_ARB_explicit_attrib_location : require\n\
             #extension GL_ARB_separate_shader_objects : require\n\
             out gl_PerVertex {{ vec4 gl_Position; }};\n\
             layout(location = 0) in vec4 place;\nvoid main() {{ gl_Position = place; }}\n\
             [fragment shader]\n#version 150\nout vec4 color;\n\
             void main() {{ color = vec4(0, 1, 0, 1); }}\n[vertex data]\n{column}/float/vec2\n\
             -1 -1\n1 -1\n1 1\n-1 1\n[test]\ndraw arrays GL_TRIANGLE_FAN 0 4\n\
             probe all rgba 0 1 0 1\n"
        )
    };
    let run = |column: &str| {
        let (options, devices) = (RunOptions::default(), Devices::default());
        run_text(
            text(column).as_bytes(),
            &TestCase::new("attributes", Target::SKL, &options, &devices),
        )
    };
    assert_eq!(run("0").status, Status::Pass, "{:?}", run("0").cause);
    let (phase, reason) = run("place").cause.expect("a failure");
    assert_eq!(phase, Phase::Link);
    assert!(reason.contains("Unexpected vbo column name.  Got: place"), "{reason}");
}

#[test]
fn the_front_end_refuses() {
    for file in files("compile") {
        let verdict = run(&file, Target::SKL);
        let (phase, reason) = verdict.cause.expect("a reason");
        assert_eq!(
            (verdict.status, phase),
            (Status::Fail, Phase::Frontend),
            "{}: {reason}",
            file.display()
        );
        assert!(reason.contains("line "), "{}: {reason}", file.display());
    }
}
