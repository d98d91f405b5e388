//! Programs that turn text into modules: input through a pipe, a time limit, all of their output.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time for one text.
const LIMIT: Duration = Duration::from_secs(60);
/// Time between two looks at a running program; it grows up to the last one.
const LOOKS: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(10)];

/// Reasons why there is no module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The program is not installed.
    #[error("the program {0} is not installed")]
    Missing(String),
    /// The program refused the text, with its message.
    #[error("{0}")]
    Refused(String),
    /// The module cannot be rewritten, with the reason.
    #[error("the module cannot be rewritten: {0}")]
    Unread(String),
}

/// Runs a program, and returns what it writes to its standard output.
pub(crate) fn run(
    program: &str,
    arguments: &[&OsStr],
    folder: Option<&Path>,
    input: &[u8],
) -> Result<Vec<u8>, ToolError> {
    let refused = |error: std::io::Error| ToolError::Refused(format!("{program}: {error}"));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The library of a virtual GPU is for this process.
    command.env_remove("LD_PRELOAD");
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => ToolError::Missing(program.to_owned()),
        _ => refused(error),
    })?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that stops early says why.
                let _ = stdin.write_all(input);
            }
        });
        let output = scope.spawn(move || all_of(stdout));
        let errors = scope.spawn(move || all_of(stderr));
        let status = wait(&mut child).map_err(refused)?;
        let output = output.join().unwrap_or_default();
        let errors = errors.join().unwrap_or_default();
        match status {
            Some(status) if status.success() => Ok(output),
            Some(status) => Err(ToolError::Refused(message(program, status, &output, &errors))),
            None => {
                let seconds = LIMIT.as_secs();
                Err(ToolError::Refused(format!("{program}: no answer within {seconds} s")))
            }
        }
    })
}

/// Waits for the end of a program; one that takes too long is ended.
fn wait(child: &mut Child) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = LOOKS[0];
    while start.elapsed() < LIMIT {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(LOOKS[1]);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn all_of(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // The exit status decides; an incomplete output is refused by its reader.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

/// Returns the message of a program that failed: what it wrote, else its exit status.
fn message(program: &str, status: ExitStatus, output: &[u8], errors: &[u8]) -> String {
    let text =
        [errors, output].map(|bytes| plain(&String::from_utf8_lossy(bytes)).trim().to_owned());
    let text = text.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    match (text.is_empty(), status.code()) {
        (true, _) => format!("{program}: {status}"),
        // A signal ended it.
        (false, None) => format!("{program}: {status}\n{text}"),
        (false, Some(_)) => format!("{program}: {text}"),
    }
}

/// Returns a text without the colors of terminals, which some programs write in any case.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |end| end + 1);
        plain += &part[end..];
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_and_errors() {
        let echo = run("cat", &[], None, b"text");
        assert_eq!(echo, Ok(b"text".to_vec()));
        let missing = run("no-such-program-here", &[], None, b"");
        assert_eq!(missing, Err(ToolError::Missing("no-such-program-here".into())));
        let arguments = ["-c", "echo wrong >&2; exit 3"].map(OsStr::new);
        let refused = run("sh", &arguments, None, &[b'x'; 1 << 20]);
        assert_eq!(refused, Err(ToolError::Refused("sh: wrong".into())));
        let arguments = ["-c", r"printf '\033[0m\033[1;38;5;9mred\033[0m: no' >&2; exit 1"];
        let colored = run("sh", &arguments.map(OsStr::new), None, b"");
        assert_eq!(colored, Err(ToolError::Refused("sh: red: no".into())));
        let ended = run("sh", &["-c", "echo half; kill -9 $$"].map(OsStr::new), None, b"");
        let text = "sh: signal: 9 (SIGKILL)\nhalf";
        assert_eq!(ended, Err(ToolError::Refused(text.into())));
    }
}
