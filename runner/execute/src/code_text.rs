//! Texts of generated code, as `runner show` prints them and CHECK lines describe them.

use std::fmt::Display;

use compiler::amd_codegen;
use compiler::listing::{self, Listing};
use compiler::output::Kernel;
use program::Stage;
use vocabulary::Width;

use crate::front::source_lines::SourceTexts;

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
pub fn gcn(stage: Stage, output: &amd_codegen::Output) -> Result<String, amd_isa::DecodeError> {
    let folder = compiler::binary::stage_folder(stage);
    let program = amd_isa::decode_program(output.chip, &output.words)?;
    let listing = amd_isa::print_program(output.chip, &program);
    Ok(format!("// {folder} {}\n{}\n", Width::Wave64.name(), listing.trim_end()))
}

/// As [`eu`], with the source lines of the instructions in comments.
///
/// # Errors
/// Fails if the code cannot be decoded.
pub fn eu_with_lines(
    devinfo: &'static intel_isa::DevInfo,
    stage: Stage,
    kernel: &Kernel,
    sources: &SourceTexts<'_>,
) -> Result<String, intel_isa::DecodeError> {
    let folder = compiler::binary::stage_folder(stage);
    let listing = with_lines(&listing::intel(devinfo, kernel)?, "//", stage, sources);
    Ok(format!("// {folder} {}\n{listing}", kernel.width.name()))
}

/// As [`gcn`], with the source lines of the instructions in comments.
///
/// # Errors
/// Fails if the code cannot be decoded.
pub fn gcn_with_lines(
    stage: Stage,
    output: &amd_codegen::Output,
    sources: &SourceTexts<'_>,
) -> Result<String, amd_isa::DecodeError> {
    let folder = compiler::binary::stage_folder(stage);
    let listing = with_lines(&listing::amd(output)?, "//", stage, sources);
    Ok(format!("// {folder} {}\n{listing}", Width::Wave64.name()))
}

/// Returns the text of a listing. A comment with number and text of a line, as the file counts,
/// precedes each run of instructions that came from it.
pub fn with_lines(
    listing: &Listing,
    comment: &str,
    stage: Stage,
    sources: &SourceTexts<'_>,
) -> String {
    let mut text = String::new();
    let mut last = None;
    for row in &listing.rows {
        let place = row.line.map(|line| (row.unit, line));
        // Declarations and braces of IR belong to no line.
        if (place.is_some() || row.offset.is_some()) && last != Some(place) {
            let line = place.and_then(|(unit, line)| sources.line(stage, unit, line));
            text += &match line {
                Some((number, line)) => format!("{comment} line {number}: {line}\n"),
                None => format!("{comment} no line\n"),
            };
            last = Some(place);
        }
        text += &row.text;
        text.push('\n');
    }
    text
}
