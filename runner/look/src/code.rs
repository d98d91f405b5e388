//! Machine code as rows.

use compiler::listing::{self, Listing};
use program::{Program, StageKey};
use serde::Serialize;

use crate::program::linked_or_reason;
use execute::{SourceTexts, StageKeys, TestCase};
use shader_device::ExecutedKernel;
use vocabulary::{CodegenOptions, Stage, Target, Width};

/// A line of a listing.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// The text.
    text: String,
    /// Line of the test file that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Byte offset of the instruction in the kernel; `None` for other lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
}

/// The machine code of a stage at one width.
#[derive(Debug, Serialize)]
pub(crate) struct KernelListing {
    stage: &'static str,
    width: &'static str,
    rows: Vec<Row>,
}

/// Machine code with source lines.
#[derive(Debug, Serialize)]
pub(crate) struct CodeLook {
    kernels: Vec<KernelListing>,
}

/// Returns the rows of a listing with the lines of the file.
pub(crate) fn rows(listing: Listing, stage: Stage, sources: &SourceTexts<'_>) -> Vec<Row> {
    let row = |row: listing::Row| {
        let line = row.line.and_then(|line| sources.line(stage, row.unit, line));
        let offset = row.offset.map(|offset| offset as usize);
        Row { text: row.text, line: line.map(|(number, _)| number), offset }
    };
    listing.rows.into_iter().map(row).collect()
}

/// Returns the listings of executed kernels, without source lines: caches do not keep them.
pub(crate) fn executed(kernels: &[ExecutedKernel], target: Target) -> Vec<KernelListing> {
    let listing = |kernel: &ExecutedKernel| KernelListing {
        stage: kernel.stage.name(),
        width: kernel.width.name(),
        // Code of an external compiler need not decode.
        rows: executed_rows(kernel, target)
            .unwrap_or_else(|text| vec![Row { text, line: None, offset: None }]),
    };
    kernels.iter().map(listing).collect()
}

fn executed_rows(kernel: &ExecutedKernel, target: Target) -> Result<Vec<Row>, String> {
    let row = |(offset, text)| Row { text, line: None, offset: Some(offset) };
    if let Some(devinfo) = execute::devinfo(target) {
        let rows = intel_isa::marked_rows(devinfo, &kernel.code);
        return Ok(rows.map_err(|error| error.to_string())?.into_iter().map(row).collect());
    }
    let Some(chip) = execute::chip(target) else { return Ok(Vec::new()) };
    let words = amd_isa::words_of_bytes(&kernel.code).map_err(|error| error.to_string())?;
    let program = amd_isa::decode_program(chip, &words).map_err(|error| error.to_string())?;
    let rows = amd_isa::program_rows(chip, &program).into_iter();
    Ok(rows.map(|(dword, text)| row((4 * dword, text))).collect())
}

/// Compiles every stage of a text and lists the code with the lines of the file.
pub(crate) fn code(text: &[u8], case: &TestCase<'_>) -> anyhow::Result<CodeLook> {
    anyhow::ensure!(
        case.options.execution.is_our_code(),
        "only this project's compiler knows source lines"
    );
    let script = script::parse(text)?;
    let program = linked_or_reason(&script, case.target)?;
    let keys = StageKeys::new(&program, &script, case.test, case.target, false);
    let sources = SourceTexts::new(&script);
    // Code that the validator refuses is listed, too.
    let codegen = &case.options.execution.codegen;
    let options = CodegenOptions { no_validate: true, ..codegen.clone() };
    let mut kernels = Vec::new();
    for stage in program.stages.iter().map(|stage| stage.shader.stage) {
        for (width, listing) in compiled(&program, (stage, keys.get(stage)), case.target, &options)?
        {
            let rows = rows(listing, stage, &sources);
            kernels.push(KernelListing { stage: stage.name(), width: width.name(), rows });
        }
    }
    Ok(CodeLook { kernels })
}

/// Compiles a stage of a program to listings of its kernels.
fn compiled(
    program: &Program,
    (stage, key): (Stage, &StageKey),
    target: Target,
    options: &CodegenOptions,
) -> anyhow::Result<Vec<(Width, Listing)>> {
    if let Some(chip) = execute::chip(target) {
        let output = compiler::compile_amd(program, stage, key, chip, options)?;
        return Ok(vec![(Width::Wave64, listing::amd(&output)?)]);
    }
    let Some(devinfo) = execute::devinfo(target) else { return Ok(Vec::new()) };
    let binary = compiler::compile(program, stage, key, devinfo, options)?;
    let kernels = binary.compiled.kernels.iter();
    kernels.map(|kernel| Ok((kernel.width, listing::intel(devinfo, kernel)?))).collect()
}
