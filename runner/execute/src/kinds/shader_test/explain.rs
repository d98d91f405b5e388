//! Explanation of a result: a second execution that records all probes, the images, the IR and the
//! assembly.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use amd_isa::Chip;
use compiler::PassLog;
use program::{Program, Stage, StageKey};
use script::Script;

use crate::case::TestCase;
use crate::device::DeviceKind;
use crate::executors::{context_for, executor};
use crate::front::{Linked, build};
use crate::hardware::{chip, devinfo};
use crate::keys::StageKeys;
use crate::machines::{Explanation, Image, difference};
use crate::options::RunOptions;
use crate::shared::{Reading, TestScript};
use results::bundle::Bundle;
use results::verdict::TestResult;
use shader_device::ExecutedKernel;
use vocabulary::{CodegenOptions, Target, Width};

/// Creates the bundle of a result by executing and compiling the test again; a panic is caught.
pub(in crate::kinds) fn explain(result: &TestResult, text: &[u8], case: &TestCase<'_>) -> Bundle {
    let case = &TestCase { test: &result.test, ..*case };
    let mut bundle = Bundle::plain(result, text);
    let reading = Reading { is_bare: false, is_translated: case.options.is_translated };
    if let Ok(script) = reading.parse(text) {
        let mut explanation = Explanation::default();
        // The records made before a panic are kept.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let test = TestScript::alone(&script);
            executor(case.target).run_script(case, test, Some(&mut explanation));
        }));
        bundle.images = images(&explanation);
        explanation.name_probes(text);
        bundle.probes = explanation.probes;
        if case.options.execution.is_our_code() {
            let texts = catch_unwind(AssertUnwindSafe(|| code(&script, case)));
            bundle.texts = texts.unwrap_or_default();
        }
        bundle.texts.extend(listings(&explanation.kernels, case.target));
    }
    bundle.cut();
    bundle
}

fn images(explanation: &Explanation) -> BTreeMap<&'static str, Vec<u8>> {
    let Explanation { snapshots, areas, .. } = explanation;
    let find = |kind| snapshots.iter().find(|(k, _)| *k == kind).map(|(_, snapshot)| snapshot);
    let (simulator, reference) = (find(DeviceKind::Simulator), find(DeviceKind::Interpreter));
    let expected = simulator.or(reference).and_then(|seen| Image::expected(seen.rect, areas));
    let driver = explanation.driver.as_ref().and_then(Image::of_driver);
    let reference_image = reference.and_then(Image::of);
    let different = match (simulator, reference, &driver, &reference_image) {
        (Some(a), Some(b), ..) => difference(a, b),
        (_, _, Some(a), Some(b)) => a.difference(b),
        _ => None,
    };
    let images = [
        ("expected", expected),
        ("simulator", simulator.and_then(Image::of)),
        ("driver", driver),
        ("reference", reference_image),
        ("difference", different),
    ];
    images.into_iter().filter_map(|(name, image)| Some((name, image?.png().ok()?))).collect()
}

/// Returns IR and assembly of every stage, as far as available.
fn code(script: &Script<'_>, case: &TestCase<'_>) -> BTreeMap<String, String> {
    let (target, options) = (case.target, case.options);
    let mut texts = BTreeMap::new();
    let built = context_for(script, target).and_then(|capabilities| build(script, capabilities));
    let Ok(Linked::Program(program) | Linked::Pipeline(program, _)) = built else { return texts };
    let keys = StageKeys::of_case(&program, script, case);
    for stage in program.stages.iter().map(|stage| stage.shader.stage) {
        let key = keys.get(stage);
        if let Some(devinfo) = devinfo(target) {
            texts.extend(stage_code(&program, stage, key, devinfo, options));
        } else if let Some(chip) = chip(target) {
            texts.extend(amd_code(&program, stage, key, chip, options));
        }
    }
    texts
}

fn amd_code(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    chip: Chip,
    options: &RunOptions,
) -> Vec<(String, String)> {
    let options = &options.execution.codegen;
    let mut texts = Vec::new();
    let log = &mut PassLog::default();
    if let Ok(shader) = compiler::ir_for_amd(program, stage, key, options, &mut |_, _| {}, log) {
        texts.push((format!("{}.ir", file_name(stage)), format!("{shader}\n")));
    }
    if let Ok(output) = compiler::compile_amd(program, stage, key, chip, options) {
        texts.extend(amd_listing(stage, chip, &output.words));
    }
    texts
}

fn amd_listing(stage: Stage, chip: Chip, words: &[u32]) -> Option<(String, String)> {
    let name = format!("{}.{}.gcn", file_name(stage), Width::Wave64.name());
    let program = amd_isa::decode_program(chip, words).ok()?;
    Some((name, format!("{}\n", amd_isa::print_program(chip, &program).trim_end())))
}

fn stage_code(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static intel_isa::DevInfo,
    options: &RunOptions,
) -> Vec<(String, String)> {
    // Code that the validator refuses is listed, too.
    let options = &CodegenOptions { no_validate: true, ..options.execution.codegen.clone() };
    let mut texts = Vec::new();
    if let Ok(shader) = compiler::ir_after(program, stage, key, devinfo, options, &mut |_, _| {}) {
        texts.push((format!("{}.ir", file_name(stage)), format!("{shader}\n")));
    }
    let Ok(binary) = compiler::compile(program, stage, key, devinfo, options) else {
        return texts;
    };
    let kernels = binary.compiled.kernels.into_iter();
    let kernels: Vec<ExecutedKernel> =
        kernels.map(|k| ExecutedKernel { stage, width: k.width, code: k.code }).collect();
    texts.extend(kernels.iter().filter_map(|kernel| listing(kernel, devinfo)));
    texts
}

/// Returns the assembly of executed kernels, which another compiler may have made.
fn listings(kernels: &[ExecutedKernel], target: Target) -> Vec<(String, String)> {
    let listing = |kernel: &ExecutedKernel| match (devinfo(target), chip(target)) {
        (Some(devinfo), _) => listing(kernel, devinfo),
        (None, Some(chip)) => {
            amd_listing(kernel.stage, chip, &amd_isa::words_of_bytes(&kernel.code).ok()?)
        }
        (None, None) => None,
    };
    kernels.iter().filter_map(listing).collect()
}

fn listing(
    kernel: &ExecutedKernel,
    devinfo: &'static intel_isa::DevInfo,
) -> Option<(String, String)> {
    let name = format!("{}.{}.eu", file_name(kernel.stage), kernel.width.name());
    Some((name, intel_isa::marked_listing(devinfo, &kernel.code).ok()?))
}

/// Returns a stage's name in file names.
fn file_name(stage: Stage) -> String {
    stage.name().replace(' ', "_")
}
