//! Forms of a test on Mesa's driver with a virtual GPU: `runner show --driver mesa` in a process of
//! its own, with limits.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Serialize;

use crate::temporary_folder::TemporaryFolder;
use external_program::{Call, End, Kept, Limits, Outcome, run};
use supervise::Program;

/// Maximum length of a shown text in bytes.
const LONGEST: usize = 1 << 20;
/// Forms that a driver has.
const FORMS: [&str; 6] = ["batch", "state", "eu", "gcn", "payload", "trace"];

/// The text of a form, cut where it is too long.
#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Text {
    fn push(&mut self, part: &[u8]) {
        let left = LONGEST.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&part[..part.len().min(left)]);
        self.is_cut |= part.len() > left;
    }
}

/// A form of a test on a driver.
pub(super) struct DriverForm {
    /// File of the test.
    pub path: std::path::PathBuf,
    /// Text in the place of the file's.
    pub text: Option<String>,
    /// The generation.
    pub generation: &'static str,
    /// The form, one of [`FORMS`].
    pub form: String,
}

/// A form of a driver.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    text: String,
    /// True if the end of the text is left out.
    cut: bool,
    /// Messages of the driver, and the end of its process if not by itself; empty without.
    message: String,
}

/// Returns a form.
///
/// # Errors
/// There is no such form, or the driver does not get to its end.
pub(super) fn show(
    request: &DriverForm,
    program: &Program,
    limits: Limits,
) -> anyhow::Result<Shown> {
    let DriverForm { path, text, generation, form } = request;
    if !FORMS.contains(&&**form) {
        bail!("a driver has these forms: {}", FORMS.join(", "));
    }
    let folder = TemporaryFolder::create("page")?;
    let path = match text {
        Some(text) => {
            let name = path.file_name().unwrap_or("edited.shader_test".as_ref());
            let edited = folder.path().join(name);
            fs::write(&edited, text).with_context(|| edited.display().to_string())?;
            edited
        }
        None => path.canonicalize().with_context(|| path.display().to_string())?,
    };
    let words = ["show".as_ref(), path.as_os_str()].into_iter();
    let options = ["--gen", generation, "--driver", "mesa", form].map(AsRef::as_ref);
    let call = Call {
        executable: program.path.clone(),
        arguments: words.chain(options).map(Into::into).collect(),
        environment: Vec::new(),
        directory: Path::new("/").to_owned(),
    };
    shown(run(&call, limits, Text::push)?, limits.time)
}

/// Returns what a process has shown at its end.
fn shown(outcome: Outcome<Text>, limit: Duration) -> anyhow::Result<Shown> {
    let Outcome { end, output, errors } = outcome;
    match end {
        End::Exit(0 | 1) if !output.bytes.is_empty() => {
            let text = String::from_utf8_lossy(&output.bytes).into_owned();
            Ok(Shown { text, cut: output.is_cut, message: message(&errors) })
        }
        End::Time => bail!("not finished after {}", seconds(limit)),
        End::Memory => bail!("more memory than the limit"),
        End::Signal(number) => {
            bail!("signal {number}{}", external_program::signal_name(number))
        }
        End::Exit(_) => bail!("{}", message(&errors)),
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

/// Returns the last lines of standard error.
fn message(errors: &Kept) -> String {
    let text = errors.text();
    let lines: Vec<&str> = text.trim().lines().collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_text_has_the_end_of_the_process_beside_it() {
        let ended = |output: &[u8]| {
            let mut outcome =
                Outcome { end: End::Exit(1), output: Text::default(), errors: Kept::default() };
            outcome.output.push(output);
            outcome.errors.push(b"error: signal 8\n");
            shown(outcome, Duration::ZERO)
        };
        let Shown { text, cut, message } = ended(b"// batch 1\n").unwrap();
        assert_eq!((&*text, cut, &*message), ("// batch 1\n", false, "error: signal 8"));
        assert_eq!(ended(b"").unwrap_err().to_string(), "error: signal 8");
    }

    #[test]
    fn long_texts_are_cut() {
        let mut text = Text::default();
        text.push(&vec![b'a'; LONGEST - 1]);
        assert!(!text.is_cut);
        text.push(b"bc");
        assert!(text.is_cut && text.bytes.len() == LONGEST && text.bytes.ends_with(b"b"));
    }
}
