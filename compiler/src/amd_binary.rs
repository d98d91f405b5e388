//! Binaries of AMD's chips on disk, in the layout of [`crate::binary`]: `<stage>/meta.json`, the
//! dwords of the program in `wave64.bin`, and in `copy.bin` those of the program that exports the
//! vertices of a geometry stage.

use std::path::Path;

use amd_codegen::Output;
use amd_codegen::output::Interface;
use amd_isa::words_of_bytes;
use serde::{Deserialize, Serialize};
use vocabulary::Stage;

use crate::amd_plausible;
use crate::binary::{BinaryError, FORMAT, Folder};

/// The instruction set's family in `meta.json`; Intel's binaries name none.
const FAMILY: &str = "amd";
/// Name of the program that exports the vertices of a geometry stage.
const COPY: &str = "copy";

#[derive(Serialize, Deserialize)]
struct Meta {
    format: u32,
    family: String,
    generation: String,
    stage: Stage,
    program: Output,
}

impl Meta {
    fn of(output: &Output, stage: Stage) -> Meta {
        Meta {
            format: FORMAT,
            family: FAMILY.to_owned(),
            generation: output.chip.name().to_owned(),
            stage,
            program: output.clone(),
        }
    }
}

/// Returns the contents of `meta.json`: everything but the programs.
///
/// # Errors
/// Numbers that JSON does not have; there are none.
pub fn metadata(output: &Output, stage: Stage) -> serde_json::Result<serde_json::Value> {
    serde_json::to_value(Meta::of(output, stage))
}

/// Returns the bytes of each program by its name.
pub fn programs(output: &Output) -> Vec<(&'static str, Vec<u8>)> {
    let bytes = |output: &Output| output.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut programs = vec![(vocabulary::Width::Wave64.name(), bytes(output))];
    if let Interface::Geometry(geometry) = &output.interface {
        programs.push((COPY, bytes(&geometry.copy)));
    }
    programs
}

/// Puts a binary together from its metadata and the bytes of its programs by name. The error says
/// what is wrong.
///
/// # Errors
/// The metadata describes something else: another stage or format, sizes that no wave can have.
pub fn from_metadata(
    metadata: serde_json::Value,
    stage: Stage,
    code: impl Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Output, String> {
    let meta: Meta = serde_json::from_value(metadata).map_err(|error| error.to_string())?;
    if meta.format != FORMAT {
        return Err(format!("format {} is not format {FORMAT}", meta.format));
    }
    if meta.family != FAMILY {
        return Err(format!("`{}` is not the family `{FAMILY}`", meta.family));
    }
    let mut output = meta.program;
    if meta.stage != stage || !has_interface(stage, &output.interface) {
        return Err("describes another stage".to_owned());
    }
    if meta.generation != output.chip.name() {
        return Err(format!("names both {} and {}", meta.generation, output.chip));
    }
    amd_plausible::check(&output)?;
    let words = |name: &str| words_of_bytes(&code(name)?).map_err(|error| error.to_string());
    output.words = words(vocabulary::Width::Wave64.name())?;
    if let Interface::Geometry(geometry) = &mut output.interface {
        geometry.copy.words = words(COPY)?;
    }
    Ok(output)
}

fn has_interface(stage: Stage, interface: &Interface) -> bool {
    matches!(
        (stage, interface),
        (Stage::Vertex, Interface::Vertex(_))
            | (Stage::TessControl, Interface::TessControl(_))
            | (Stage::TessEval, Interface::TessEvaluation(_))
            | (Stage::Geometry, Interface::Geometry(_))
            | (Stage::Fragment, Interface::Fragment(_))
            | (Stage::Compute, Interface::Compute(_))
    )
}

/// Writes the stage's folder below `folder`.
///
/// # Errors
/// A file or folder cannot be written.
pub fn write(output: &Output, stage: Stage, folder: &Path) -> Result<(), BinaryError> {
    Folder::create(folder, stage)?.write(&Meta::of(output, stage), programs(output))
}

/// Reads a stage's folder below `folder`; `None` when there is none.
///
/// # Errors
/// A file cannot be read, is too large, or `meta.json` is refused by [`from_metadata`].
pub fn read(folder: &Path, stage: Stage) -> Result<Option<Output>, BinaryError> {
    let Some((folder, metadata)) = Folder::read(folder, stage)? else { return Ok(None) };
    let code = |name: &str| folder.program(name).map_err(|error| error.to_string());
    from_metadata(metadata, stage, code).map(Some).map_err(|message| folder.refuse(message))
}

/// Checks the programs of a binary against the rules of the instruction set.
///
/// # Errors
/// The first broken rule.
pub fn validate(output: &Output) -> Result<(), String> {
    let check = |output: &Output| {
        let violations = amd_isa::validate(output.chip, &output.facts(), &output.words);
        violations.first().map_or(Ok(()), |first| Err(first.to_string()))
    };
    check(output)?;
    match &output.interface {
        Interface::Geometry(geometry) => check(&geometry.copy),
        _ => Ok(()),
    }
}
