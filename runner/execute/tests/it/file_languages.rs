//! Files in WGSL and HLSL, as far as the programs that translate them are installed.

use execute::{Devices, RunOptions, TestCase, run_file};
use results::verdict::{Phase, Status, Verdict};
use vocabulary::Target;

fn compile(name: &str, text: &str, target: Target) -> Verdict {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    let options = RunOptions { compile_only: true, ..RunOptions::default() };
    run_file(&path, &TestCase::new(name, target, &options, &Devices::default()))
}

/// Compiles a text on all generations, and a damaged one on one; returns false without the program.
fn compiles(name: &str, text: &str, stages: &[&str]) -> bool {
    for target in Target::hardware() {
        let verdict = compile(name, text, target);
        if verdict.status == Status::Skip {
            let reason = verdict.cause.map(|(_, reason)| reason).unwrap_or_default();
            assert!(reason.ends_with("is not installed"), "{reason}");
            println!("{name} was not compiled: {reason}");
            return false;
        }
        assert_eq!(verdict.status, Status::Pass, "{name} on {target}: {verdict:?}");
        let mut found: Vec<&str> = verdict.stages.iter().map(|stage| stage.stage.name()).collect();
        found.dedup();
        assert_eq!(found, stages, "{name} on {target}");
    }
    let verdict = compile(name, &text.replace("return", "retrun"), Target::SKL);
    let (phase, reason) = verdict.cause.expect("a cause");
    assert!(phase == Phase::Frontend && reason.contains("retrun"), "{reason}");
    true
}

#[test]
fn wgsl() {
    let text = "@vertex
fn place(@location(0) position: vec4<f32>) -> @builtin(position) vec4<f32> {
    return position * 0.5;
}
@fragment
fn color() -> @location(0) vec4<f32> {
    return vec4<f32>(0.0, 1.0, 0.0, 1.0);
}
";
    compiles("both.wgsl", text, &["vertex", "fragment"]);
    let text = "enable f16;
@fragment
fn color(@location(0) value: f32) -> @location(0) vec4<f32> {
    let half = f16(value);
    return vec4<f32>(f32(half * half));
}
";
    let verdict = compile("half.wgsl", text, Target::SKL);
    assert!(matches!(verdict.status, Status::Pass | Status::Skip), "{verdict:?}");
}

#[test]
fn hlsl() {
    let text = "float4 main(float4 color : COLOR) : SV_Target {
    return color * 0.5;
}
";
    if compiles("half.frag.hlsl", text, &["fragment"]) {
        let verdict = compile("half.hlsl", text, Target::SKL);
        let (phase, reason) = verdict.cause.expect("a cause");
        assert!(phase == Phase::Frontend && reason.contains("shader.vert.hlsl"), "{reason}");
    }
}
