//! Machine code as rows.

use amd_isa::Chip;
use intel_isa::DevInfo;
use serde::Serialize;

use shader_device::ExecutedKernel;
use vocabulary::Target;

/// A line of a listing.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// The text.
    pub(super) text: String,
    /// Line of the test file that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    /// Byte offset of the instruction in the kernel; `None` for other lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offset: Option<usize>,
}

/// The machine code of a stage at one width.
#[derive(Debug, Serialize)]
pub(super) struct KernelListing {
    stage: &'static str,
    width: &'static str,
    rows: Vec<Row>,
}

/// Returns the listings of executed kernels.
pub(super) fn listings(kernels: &[ExecutedKernel], target: Target) -> Vec<KernelListing> {
    let listing = |kernel: &ExecutedKernel| KernelListing {
        stage: kernel.stage.name(),
        width: kernel.width.name(),
        rows: rows(kernel, target),
    };
    kernels.iter().map(listing).collect()
}

fn rows(kernel: &ExecutedKernel, target: Target) -> Vec<Row> {
    let rows = match (execute::devinfo(target), execute::chip(target)) {
        (Some(devinfo), _) => intel_rows(devinfo, &kernel.code),
        (None, Some(chip)) => amd_rows(chip, &kernel.code),
        (None, None) => Ok(Vec::new()),
    };
    // Code of an external compiler need not decode.
    rows.unwrap_or_else(|text| vec![Row { text, line: None, offset: None }])
}

fn intel_rows(devinfo: &'static DevInfo, code: &[u8]) -> Result<Vec<Row>, String> {
    let program = intel_isa::decode_program(devinfo, code).map_err(|error| error.to_string())?;
    let row = |located: &intel_isa::Located| Row {
        text: intel_isa::print_inst(devinfo, &located.inst),
        line: None,
        offset: Some(located.offset),
    };
    Ok(program.iter().map(row).collect())
}

fn amd_rows(chip: Chip, code: &[u8]) -> Result<Vec<Row>, String> {
    let words = amd_isa::words_of_bytes(code).map_err(|error| error.to_string())?;
    let program = amd_isa::decode_program(chip, &words).map_err(|error| error.to_string())?;
    let mut offsets = program.iter().map(|located| located.offset * 4);
    let listing = amd_isa::print_program(chip, &program);
    let row = |text: &str| {
        // Labels are not indented.
        let offset = if text.starts_with(' ') { offsets.next() } else { None };
        Row { text: text.to_owned(), line: None, offset }
    };
    Ok(listing.lines().map(row).collect())
}
