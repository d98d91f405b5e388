//! `runner asm` and `runner disasm`.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use intel_isa::DevInfo;

use super::exit::EXPECTED;
use super::output::print;
use super::values::one_generation;

#[derive(Debug, Args)]
pub(super) struct ToolArgs {
    /// The generation, or a chip of AMD: si, vi.
    #[arg(long = "gen", value_name = "GEN", value_parser = instruction_set)]
    instruction_set: InstructionSet,
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Instruction set of a generation or chip.
#[derive(Clone, Copy, Debug)]
enum InstructionSet {
    Intel(&'static DevInfo),
    Amd(amd_isa::Chip),
}

fn instruction_set(text: &str) -> Result<InstructionSet, String> {
    if let Some(chip) = amd_isa::Chip::get(text) {
        return Ok(InstructionSet::Amd(chip));
    }
    let generation = one_generation(text)?;
    execute::devinfo(generation)
        .map(InstructionSet::Intel)
        .ok_or_else(|| format!("{generation} has no instruction set"))
}

/// Assembles text to raw bytes.
pub(super) fn assemble(args: &ToolArgs) -> anyhow::Result<u8> {
    let name = args.file.display();
    let text =
        String::from_utf8(read(&args.file)?).map_err(|_| anyhow!("{name}: invalid UTF-8"))?;
    let bytes = match args.instruction_set {
        InstructionSet::Intel(devinfo) => {
            intel_isa::assemble(devinfo, &text).with_context(|| name.to_string())?
        }
        InstructionSet::Amd(chip) => {
            let words = amd_isa::assemble(chip, &text).with_context(|| name.to_string())?;
            words.into_iter().flat_map(u32::to_le_bytes).collect()
        }
    };
    print(&bytes)?;
    Ok(EXPECTED)
}

/// Disassembles raw bytes, one line per instruction.
pub(super) fn disassemble(args: &ToolArgs) -> anyhow::Result<u8> {
    let bytes = read(&args.file)?;
    let name = || args.file.display().to_string();
    let text = match args.instruction_set {
        InstructionSet::Intel(devinfo) => {
            let program = intel_isa::decode_program(devinfo, &bytes).with_context(name)?;
            intel_isa::print_program(devinfo, &program)
        }
        InstructionSet::Amd(chip) => {
            let words = amd_isa::words_of_bytes(&bytes).with_context(name)?;
            let program = amd_isa::decode_program(chip, &words).with_context(name)?;
            amd_isa::print_program(chip, &program)
        }
    };
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
        return Ok(bytes);
    }
    std::fs::read(path).with_context(|| path.display().to_string())
}
