//! Random bit flips in the binaries of tests/fp64: at least 40 % are refused or change the verdict,
//! and none crashes.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use execute::{self, Devices, ExecutionOptions, ExecutorSelection, Linked, RunOptions, TestCase};
use results::verdict::Status;
use vocabulary::Target;

/// Every so manieth test of the suite is damaged.
const STEP: usize = 16;
/// Flips per test.
const FLIPS: usize = 4;

fn suite() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fp64");
    let files =
        walkdir::WalkDir::new(root).into_iter().map(|entry| entry.expect("the suite is there"));
    let mut tests: Vec<PathBuf> = files
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|e| e == "shader_test"))
        .collect();
    tests.sort();
    tests.into_iter().step_by(STEP).collect()
}

/// Compiles a test for ivb and writes its binaries below `folder`; gives the kernels.
fn compile(script: &script::Script<'_>, folder: &Path) -> Option<Vec<PathBuf>> {
    let generation = Target::IVB;
    let capabilities = execute::context_for(script, generation).ok()?;
    let Ok(Linked::Program(program)) = execute::build(script, capabilities) else { return None };
    let keys = execute::stage_keys(script, "t", generation);
    let mut kernels = Vec::new();
    for stage in &program.stages {
        let stage = stage.shader.stage;
        let key = keys.get(&stage)?;
        let options = compiler::CodegenOptions::default();
        let binary =
            compiler::compile(&program, stage, key, execute::devinfo(generation)?, &options)
                .ok()?;
        binary.write(folder).ok()?;
        let stage_folder = folder.join(compiler::binary::stage_folder(binary.compiled.stage));
        kernels.extend(
            binary
                .compiled
                .kernels
                .iter()
                .map(|k| stage_folder.join(format!("{}.bin", k.width.name()))),
        );
    }
    Some(kernels)
}

/// The status with the binaries in `folder`; `None` is a panic.
fn run(script: &script::Script<'_>, folder: &Path) -> Option<Status> {
    let execution =
        ExecutionOptions { binaries: Some(folder.to_owned()), ..ExecutionOptions::default() };
    let options = RunOptions {
        executors: ExecutorSelection::SimulatorOnly,
        execution,
        ..RunOptions::default()
    };
    let run = || {
        execute::run_script(script, &TestCase::new("t", Target::IVB, &options, &Devices::default()))
            .status
    };
    catch_unwind(AssertUnwindSafe(run)).ok()
}

#[test]
fn flips_are_noticed_and_never_crash() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut flips, mut noticed, mut tests) = (0, 0, 0);
    for path in suite() {
        let bytes = fs::read(&path).expect("a test");
        let script = script::parse(&bytes).expect("a well-formed test");
        let folder = tempfile::tempdir().expect("a folder");
        let Some(kernels) = compile(&script, folder.path()) else { continue };
        if run(&script, folder.path()) != Some(Status::Pass) {
            continue;
        }
        tests += 1;
        for _ in 0..FLIPS {
            let kernel = &kernels[random(kernels.len())];
            let bytes = fs::read(kernel).expect("a kernel");
            let mut damaged = bytes.clone();
            let bit = random(bytes.len() * 8);
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(kernel, damaged).expect("a kernel");
            let status = run(&script, folder.path());
            assert!(
                status.is_some(),
                "bit {bit} of {} of {} crashes",
                kernel.display(),
                path.display()
            );
            flips += 1;
            noticed += usize::from(status != Some(Status::Pass));
            fs::write(kernel, bytes).expect("a kernel");
        }
    }
    println!("{noticed} of {flips} flips over {tests} tests were noticed");
    assert!(tests >= 40, "only {tests} tests pass undamaged");
    assert!(noticed * 100 >= flips * 40, "{noticed} of {flips} flips were noticed");
}
