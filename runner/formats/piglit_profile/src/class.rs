//! Classes of tests: what a test of a class and its options is.

use std::path::PathBuf;

use crate::literal::Literal;
use crate::program::{Argument, Program};
use crate::work::Work;

/// ClassOptions of a test, in the order of the profile.
#[derive(Debug, Default)]
pub(crate) struct ClassOptions {
    /// Names and values.
    pub(crate) values: Vec<(String, String)>,
    /// Variables of the environment.
    pub(crate) environment: Vec<(String, String)>,
}

impl ClassOptions {
    fn value(&self, name: &str) -> Option<Literal> {
        let value = self.values.iter().find(|(option, _)| option == name);
        value.map(|(_, value)| Literal::of(value))
    }

    fn words(&self, name: &str) -> Vec<String> {
        self.value(name).map(Literal::words).unwrap_or_default()
    }

    fn word(&self, name: &str) -> Option<String> {
        self.value(name).and_then(Literal::word)
    }

    /// Returns true if other tests may run at the same time, which is the default of every class.
    fn is_concurrent(&self) -> bool {
        self.value("run_concurrent") != Some(Literal::Truth(false))
    }
}

/// Returns the work of a test.
///
/// # Errors
/// Names an option that is missing.
pub(crate) fn work(class: &str, options: &ClassOptions) -> Result<Work, String> {
    match class {
        "gl" => gl(options),
        "gl_builtin" => built_in_constants(options),
        "cl" => {
            let (executable, arguments) = command(options)?;
            Ok(program(options, executable, arguments.into_iter().map(Argument::Word)))
        }
        "cl_prog" => {
            let file = required(options, "filename")?;
            let executable = "cl-program-tester".to_owned();
            Ok(program(options, executable, [Argument::File(file.into())]))
        }
        "shader" => shader(options),
        "glsl_parser" => {
            let (_, arguments) = command(options)?;
            let file = arguments.into_iter().next().ok_or("`command` names no file")?;
            Ok(Work::Files(vec![file.into()]))
        }
        "asm_parser" | "vkrunner" => Ok(Work::Files(vec![required(options, "filename")?.into()])),
        "multi_shader" => {
            let files = options.words("files").into_iter().map(PathBuf::from).collect();
            Ok(Work::Files(files))
        }
        other => Ok(Work::Unsupported(other.to_owned())),
    }
}

fn required(options: &ClassOptions, name: &str) -> Result<String, String> {
    options.word(name).ok_or_else(|| format!("the option `{name}` is missing"))
}

/// Returns executable and arguments of a test.
fn command(options: &ClassOptions) -> Result<(String, Vec<String>), String> {
    let mut words = options.words("command").into_iter();
    let executable = words.next().ok_or("the option `command` is missing")?;
    Ok((executable, words.collect()))
}

/// Returns a program of OpenGL. One that runs beside others draws into a framebuffer object.
fn gl(options: &ClassOptions) -> Result<Work, String> {
    let (executable, arguments) = command(options)?;
    let last: &[&str] = if options.is_concurrent() { &["-auto", "-fbo"] } else { &["-auto"] };
    let arguments = arguments.into_iter().chain(last.iter().map(|&word| word.to_owned()));
    Ok(program(options, executable, arguments.map(Argument::Word)))
}

/// Returns a program that compares constants with those of a file.
fn built_in_constants(options: &ClassOptions) -> Result<Work, String> {
    let (executable, arguments) = command(options)?;
    let tests = PathBuf::from("tests");
    let arguments = arguments.into_iter().enumerate().map(|(index, word)| match index {
        0 => Argument::File(tests.join(word)),
        _ => Argument::Word(word),
    });
    Ok(program(options, executable, arguments))
}

/// Returns a script, or the program that piglit executes it with if that has further arguments.
fn shader(options: &ClassOptions) -> Result<Work, String> {
    let (executable, arguments) = command(options)?;
    let mut arguments = arguments.into_iter();
    let file = PathBuf::from(arguments.next().ok_or("`command` names no file")?);
    if arguments.next().is_none() && options.environment.is_empty() {
        return Ok(Work::Files(vec![file]));
    }
    // Piglit drops the further arguments, too.
    let fixed = ["-auto", "-fbo"].map(|word| Argument::Word(word.to_owned()));
    let arguments = std::iter::once(Argument::File(file)).chain(fixed);
    Ok(program(options, executable, arguments))
}

fn program(
    options: &ClassOptions,
    executable: String,
    arguments: impl IntoIterator<Item = Argument>,
) -> Work {
    Work::Program(Program {
        executable: executable.into(),
        arguments: arguments.into_iter().collect(),
        environment: options.environment.clone(),
        directory: options.word("cwd").map(PathBuf::from),
        is_concurrent: options.is_concurrent(),
        required_platforms: options.words("require_platforms"),
        excluded_platforms: options.words("exclude_platforms"),
    })
}
