//! `runner asm` and `runner disasm`.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use eu::DevInfo;

use super::exit::EXPECTED;
use super::output::print;
use super::values::one_generation;
use vocabulary::Generation;

#[derive(Debug, Args)]
pub(super) struct ToolArgs {
    /// The generation.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation)]
    generation: Generation,
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Assembles text to raw bytes.
pub(super) fn assemble(args: &ToolArgs) -> anyhow::Result<u8> {
    let name = args.file.display();
    let text =
        String::from_utf8(read(&args.file)?).map_err(|_| anyhow!("{name}: invalid UTF-8"))?;
    let bytes = eu::assemble(devinfo(args.generation)?, &text).with_context(|| name.to_string())?;
    print(&bytes)?;
    Ok(EXPECTED)
}

/// Disassembles raw bytes, one line per instruction.
pub(super) fn disassemble(args: &ToolArgs) -> anyhow::Result<u8> {
    let devinfo = devinfo(args.generation)?;
    let bytes = read(&args.file)?;
    let program =
        eu::decode_program(devinfo, &bytes).with_context(|| args.file.display().to_string())?;
    print(eu::print_program(devinfo, &program).as_bytes())?;
    Ok(EXPECTED)
}

fn devinfo(generation: Generation) -> anyhow::Result<&'static DevInfo> {
    execute::devinfo(generation).ok_or_else(|| anyhow!("{generation} has no instruction set"))
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
        return Ok(bytes);
    }
    std::fs::read(path).with_context(|| path.display().to_string())
}
