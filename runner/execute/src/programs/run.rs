//! Execution of a program.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use external_program::{Call, Limits};
use piglit_profile::Program;

use super::explanation::ProgramExplanation;
use super::options::ProgramOptions;
use super::transcript::Transcript;
use super::verdict::{Ended, verdict};
use results::names::quoted;
use results::verdict::{Phase, Verdict};

/// Variable of the platform of windows.
const PLATFORM: &str = "PIGLIT_PLATFORM";
/// Variable of the folder with data of the tests.
const SOURCE: &str = "PIGLIT_SOURCE_DIR";

/// A program, and where its piglit is.
#[derive(Clone, Debug)]
pub struct ProgramTest {
    /// The program.
    pub program: Program,
    /// Folder of the piglit.
    pub piglit: PathBuf,
}

impl ProgramTest {
    fn call(&self, options: &ProgramOptions) -> Call {
        let ProgramTest { program, piglit } = self;
        let mut line = program.line(piglit).into_iter();
        let source = std::env::var_os(SOURCE).unwrap_or_else(|| piglit.clone().into());
        let mut environment: Vec<(OsString, OsString)> =
            vec![(PLATFORM.into(), (&options.platform).into()), (SOURCE.into(), source)];
        let own = program.environment.iter().map(|(name, value)| (name.into(), value.into()));
        environment.extend(own);
        let directory = program.directory.as_ref().map(|directory| piglit.join(directory));
        Call {
            executable: line.next().unwrap_or_default().into(),
            arguments: line.collect(),
            environment,
            directory: directory.unwrap_or_else(|| piglit.clone()),
        }
    }
}

/// Returns the commands of a shell that run a program.
pub(crate) fn commands(test: &ProgramTest, options: &ProgramOptions) -> String {
    let Call { executable, arguments, environment, directory } = test.call(options);
    let word = |word: &OsString| quoted(&word.to_string_lossy());
    let variable = |(name, value): &(OsString, OsString)| {
        format!("{}={}", name.to_string_lossy(), word(value))
    };
    let words = environment.iter().map(variable);
    let words = words.chain([word(&executable.into())]).chain(arguments.iter().map(word));
    let line = words.collect::<Vec<_>>().join(" ");
    format!("cd {}\n{line}\n", quoted(&directory.display().to_string()))
}

/// Executes a program, and records what it wrote if requested.
pub(crate) fn run(
    options: &ProgramOptions,
    test: &ProgramTest,
    mut explanation: Option<&mut ProgramExplanation>,
) -> Verdict {
    if let Some(reason) = test.program.lacks_platform(&options.platform) {
        return Verdict::skip(reason);
    }
    let call = test.call(options);
    let limits = Limits { time: options.time_limit, memory: options.memory };
    let outcome = match external_program::run(&call, limits, Transcript::take) {
        Ok(outcome) => outcome,
        Err(error) => return not_started(&call, &error),
    };
    let (report, output) = outcome.output.finish();
    let errors = outcome.errors.text();
    if let Some(explanation) = &mut explanation {
        explanation.texts.insert("stdout.log".to_owned(), output.clone());
        explanation.texts.insert("stderr.log".to_owned(), errors.clone());
    }
    let ended = Ended { end: outcome.end, limits, output: &output, errors: &errors };
    let (verdict, images) = verdict(&ended, report);
    if let (Some(explanation), Some(image)) = (explanation, images.first()) {
        let read = |file: &Option<String>| read_image(&call.directory, file.as_deref()?);
        let found = [("reference", read(&image.reference)), ("driver", read(&image.drawn))];
        explanation.images =
            found.into_iter().filter_map(|(name, png)| Some((name, png?))).collect();
    }
    verdict
}

/// Returns the verdict on a program that the system did not start. A piglit may lack programs that
/// its profile lists.
fn not_started(call: &Call, error: &std::io::Error) -> Verdict {
    let executable = call.executable.display();
    match error.kind() {
        ErrorKind::NotFound if !call.directory.is_dir() => {
            Verdict::fail(Phase::Script, format!("no directory {}", call.directory.display()))
        }
        ErrorKind::NotFound => Verdict::skip(format!("no program {executable}")),
        _ => Verdict::fail(Phase::Script, format!("cannot start {executable}: {error}")),
    }
}

/// Reads an image that a program names, if it is one.
fn read_image(directory: &Path, file: &str) -> Option<Vec<u8>> {
    const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
    let path = directory.join(file);
    fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let bytes = results::read_regular(&path, results::TEST_BYTES).ok()?;
    bytes.starts_with(SIGNATURE).then_some(bytes)
}
