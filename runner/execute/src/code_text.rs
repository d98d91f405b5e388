//! Texts of generated code, as `runner show` prints them and CHECK lines describe them.

use std::fmt::Display;

use program::Stage;
use vocabulary::Width;

/// Returns the IR of a stage behind a line that names it.
pub fn ir(stage: Stage, shader: &impl Display) -> String {
    format!("; {stage}\n{shader}\n")
}

/// Returns the assembly of a kernel behind a line that names it.
///
/// # Errors
/// Fails if the code cannot be decoded.
pub fn eu(
    devinfo: &'static intel_isa::DevInfo,
    stage: Stage,
    width: Width,
    code: &[u8],
) -> Result<String, intel_isa::DecodeError> {
    let folder = compiler::binary::stage_folder(stage);
    let listing = intel_isa::marked_listing(devinfo, code)?;
    Ok(format!("// {folder} {}\n{listing}", width.name()))
}

/// Returns the assembly of a program for AMD's chips, as `runner show` prints it.
///
/// # Errors
/// Fails if the code cannot be decoded.
pub fn gcn(
    stage: Stage,
    output: &compiler::amd_codegen::Output,
) -> Result<String, amd_isa::DecodeError> {
    let folder = compiler::binary::stage_folder(stage);
    let program = amd_isa::decode_program(output.chip, &output.words)?;
    let listing = amd_isa::print_program(output.chip, &program);
    Ok(format!("// {folder} {}\n{}\n", Width::Wave64.name(), listing.trim_end()))
}
