//! Running a test again to see what its results file cannot say: every probe, the images, IR and assembly.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use program::{Program, Stage, StageKey};
use script::Script;
use softgl::probe::Readback;

use crate::image::{Image, difference};
use crate::{DeviceFactory, DeviceKind, ExecutedKernel, Linked, RunOptions};
use results::bundle::{Bundle, ProbeRecord};
use results::verdict::TestResult;
use vocabulary::Generation;

/// What a run of a test left behind for explaining it.
#[derive(Debug, Default)]
pub struct Explanation {
    /// Every probe in order.
    pub probes: Vec<ProbeRecord>,
    /// The framebuffers at the first probe that failed, or at the end, by executor.
    pub snapshots: Vec<(DeviceKind, Readback)>,
    /// The machine code that the simulator executed.
    pub kernels: Vec<ExecutedKernel>,
}

/// Makes the bundle of a row whose test has this text. `again`: whether the test may be executed and compiled, which
/// it may not if that took the process down before; a panic is survived.
pub fn explain(
    result: &TestResult,
    text: &[u8],
    target: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
    again: bool,
) -> Bundle {
    let mut bundle = Bundle {
        result: result.clone(),
        probes: Vec::new(),
        script: String::from_utf8_lossy(text).into_owned(),
        texts: BTreeMap::new(),
        images: BTreeMap::new(),
    };
    if let (true, Ok(script)) = (again, script::parse(text)) {
        let mut explanation = Explanation::default();
        // What was noted before a panic is kept.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            crate::run_explained(&script, &result.test, target, options, devices, &mut explanation);
        }));
        bundle.images = images(&explanation.snapshots);
        bundle.probes = explanation.probes;
        name_probes(&mut bundle.probes, &bundle.script);
        if options.device.is_our_code() {
            let texts = catch_unwind(AssertUnwindSafe(|| code(&script, &result.test, target, options)));
            bundle.texts = texts.unwrap_or_default();
        }
        bundle.texts.extend(listings(&explanation.kernels, target));
    }
    bundle.cut();
    bundle
}

/// Each probe is called what its line says.
fn name_probes(probes: &mut [ProbeRecord], script: &str) {
    let lines: Vec<&str> = script.lines().collect();
    for probe in probes {
        let line = (probe.line as usize).checked_sub(1).and_then(|index| lines.get(index));
        probe.what = line.map(|line| line.trim().to_owned()).unwrap_or_default();
    }
}

fn images(snapshots: &[(DeviceKind, Readback)]) -> BTreeMap<&'static str, Vec<u8>> {
    let find = |kind| snapshots.iter().find(|(k, _)| *k == kind).map(|(_, snapshot)| snapshot);
    let (simulator, reference) = (find(DeviceKind::Simulator), find(DeviceKind::Interpreter));
    let different = simulator.zip(reference).and_then(|(a, b)| difference(a, b));
    let images = [
        ("simulator", simulator.and_then(Image::of)),
        ("reference", reference.and_then(Image::of)),
        ("difference", different),
    ];
    images.into_iter().filter_map(|(name, image)| Some((name, image?.png().ok()?))).collect()
}

/// IR and assembly of every stage, as far as they can be had.
fn code(
    script: &Script<'_>,
    test: &str,
    target: Generation,
    options: &RunOptions,
) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let Some(devinfo) = crate::devinfo(target) else { return texts };
    let built =
        crate::context_for(script, target).and_then(|capabilities| crate::build(script, capabilities));
    let Ok(Linked::Program(program) | Linked::Pipeline(program, _)) = built else { return texts };
    let keys = crate::stage_keys(script, test, target);
    for stage in program.stages.iter().map(|stage| stage.shader.stage) {
        let key = keys.get(&stage).cloned().unwrap_or_else(crate::plain_key);
        let compiled = stage_code(&program, stage, &key, devinfo, options);
        texts.extend(compiled);
    }
    texts
}

fn stage_code(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static eu::DevInfo,
    options: &RunOptions,
) -> Vec<(String, String)> {
    let options = crate::compiler_options(&options.device);
    let mut texts = Vec::new();
    if let Ok(shader) = compiler::ir_after(program, stage, key, devinfo, &options, &mut |_, _| {}) {
        texts.push((format!("{}.ir", file_name(stage)), format!("{shader}\n")));
    }
    let Ok(binary) = compiler::compile(program, stage, key, devinfo, &options) else { return texts };
    let kernels = binary.compiled.kernels.into_iter();
    let kernels: Vec<ExecutedKernel> =
        kernels.map(|k| ExecutedKernel { stage, width: k.width.name(), code: k.code }).collect();
    texts.extend(kernels.iter().filter_map(|kernel| listing(kernel, devinfo)));
    texts
}

/// Assembly of what was executed: the binaries may be another compiler's.
fn listings(kernels: &[ExecutedKernel], target: Generation) -> Vec<(String, String)> {
    let Some(devinfo) = crate::devinfo(target) else { return Vec::new() };
    kernels.iter().filter_map(|kernel| listing(kernel, devinfo)).collect()
}

fn listing(kernel: &ExecutedKernel, devinfo: &'static eu::DevInfo) -> Option<(String, String)> {
    let program = eu::decode_program(devinfo, &kernel.code).ok()?;
    let name = format!("{}.{}.eu", file_name(kernel.stage), kernel.width);
    Some((name, eu::print_program(devinfo, &program)))
}

/// A stage's name in names of files.
fn file_name(stage: Stage) -> String {
    stage.name().replace(' ', "_")
}
