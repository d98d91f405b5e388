//! The assembler of SPIR-V: the program `spirv-as` of Khronos's SPIRV-Tools.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Name of the program.
const PROGRAM: &str = "spirv-as";
/// Variable with another name or path of the program, as for piglit.
const VARIABLE: &str = "PIGLIT_SPIRV_AS_BINARY";

/// Returns true if the assembler can be started.
pub(crate) fn is_installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        let mut command = command();
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

fn command() -> Command {
    Command::new(std::env::var_os(VARIABLE).unwrap_or_else(|| PROGRAM.into()))
}

/// The first word of a module.
const MAGIC: [u8; 4] = 0x0723_0203_u32.to_le_bytes();

/// Returns the module of an assembly text, in which lines that start with `#` are comments; words
/// stay as they are.
///
/// # Errors
/// Returns the assembler's message, or that of the system.
pub(crate) fn assemble(text: &[u8]) -> Result<Vec<u8>, String> {
    if text.starts_with(&MAGIC) {
        return Ok(text.to_vec());
    }
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let text: Vec<u8> = lines.filter(|line| !line.starts_with(b"#")).flatten().copied().collect();
    let failed = |error: std::io::Error| format!("{PROGRAM}: {error}");
    let mut child = command()
        .args(["--target-env", "opengl4.5", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // The program reads all of its input before it writes.
    if let Some(mut input) = child.stdin.take() {
        // An assembler that stops early says why.
        let _ = input.write_all(&text);
    }
    let (mut module, mut message) = (Vec::new(), String::new());
    if let Some(mut output) = child.stdout.take() {
        output.read_to_end(&mut module).map_err(failed)?;
    }
    if let Some(mut errors) = child.stderr.take() {
        errors.read_to_string(&mut message).map_err(failed)?;
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(module) } else { Err(format!("{PROGRAM}: {}", message.trim_end())) }
}
