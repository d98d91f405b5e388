//! Programs that are tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An argument of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A word.
    Word(String),
    /// A file, relative to piglit's folder.
    File(PathBuf),
}

/// A program that is a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable, relative to piglit's folder `bin`.
    pub executable: PathBuf,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Additional variables of its environment.
    pub environment: Vec<(String, String)>,
    /// Working directory, relative to piglit's folder; that folder itself by default.
    pub directory: Option<PathBuf>,
    /// True if other tests may run at the same time.
    pub is_concurrent: bool,
    /// Platforms of windows of which one is needed; any if empty.
    pub required_platforms: Vec<String>,
    /// Platforms of windows on which the test has no meaning.
    pub excluded_platforms: Vec<String>,
}

impl Program {
    /// Returns the command line for a piglit in a folder.
    pub fn line(&self, piglit: &Path) -> Vec<OsString> {
        let executable = piglit.join("bin").join(&self.executable);
        let word = |argument: &Argument| match argument {
            Argument::Word(word) => word.into(),
            Argument::File(file) => piglit.join(file).into(),
        };
        std::iter::once(executable.into()).chain(self.arguments.iter().map(word)).collect()
    }

    /// Returns the reason why the program is left out on a platform of windows.
    pub fn lacks_platform(&self, platform: &str) -> Option<String> {
        let is_listed = |list: &[String]| list.iter().any(|name| name == platform);
        if !self.required_platforms.is_empty() && !is_listed(&self.required_platforms) {
            let needed = self.required_platforms.join(" or ");
            return Some(format!("needs the platform {needed}, has {platform}"));
        }
        is_listed(&self.excluded_platforms)
            .then(|| format!("has no meaning on the platform {platform}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        Program {
            executable: "a".into(),
            arguments: vec![Argument::Word("-x".to_owned()), Argument::File("tests/b".into())],
            environment: Vec::new(),
            directory: None,
            is_concurrent: true,
            required_platforms: Vec::new(),
            excluded_platforms: Vec::new(),
        }
    }

    #[test]
    fn lines() {
        assert_eq!(program().line(Path::new("/p")), ["/p/bin/a", "-x", "/p/tests/b"]);
        let absolute = Program { executable: "/q/a".into(), ..program() };
        assert_eq!(absolute.line(Path::new("/p"))[0], "/q/a");
    }

    #[test]
    fn platforms() {
        let needs = Program {
            required_platforms: vec!["glx".to_owned(), "mixed_glx_egl".to_owned()],
            ..program()
        };
        assert_eq!(needs.lacks_platform("glx"), None);
        let reason = "needs the platform glx or mixed_glx_egl, has gbm";
        assert_eq!(needs.lacks_platform("gbm").as_deref(), Some(reason));
        let excludes = Program { excluded_platforms: vec!["gbm".to_owned()], ..program() };
        assert!(excludes.lacks_platform("gbm").is_some());
        assert_eq!(excludes.lacks_platform("glx"), None);
        assert_eq!(program().lacks_platform("gbm"), None);
    }
}
