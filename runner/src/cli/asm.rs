//! `runner asm` and `runner disasm`.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, anyhow};
use eu::DevInfo;

use super::{EXPECTED, ToolArgs, print};
use vocabulary::Generation;

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
