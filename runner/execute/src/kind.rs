//! Kinds: what a file of tests is.

use std::io;
use std::path::Path;

use crate::case::TestCase;
use crate::machines::Explanation;
use crate::mode::Mode;
use results::bundle::Bundle;
use results::verdict::{TestResult, Verdict};
use vocabulary::Target;

/// Kind of files with tests, such as scripts with shaders.
///
/// A kind turns the text of a file into a verdict with the help of the [executor] of the test
/// case's target.
///
/// [executor]: crate::Executor
pub trait Kind: Sync {
    /// Returns the extensions of file names, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Returns true if files with these extensions are of this kind in a run of a mode.
    fn takes(&self, _mode: Mode) -> bool {
        true
    }

    /// Returns true if the rest of a file's name, too, says that it is a test of this kind. Folders
    /// may hold other files with the extension.
    fn takes_name(&self, _path: &Path) -> bool {
        true
    }

    /// Returns true if the text of a file has to say that it is of this kind, too.
    fn is_told_by_text(&self) -> bool {
        false
    }

    /// Returns true if a file lists tests, which have its path and names of their own. Folders do
    /// not give such files.
    fn is_list(&self) -> bool {
        false
    }

    /// Returns the target of the drivers that execute such files.
    fn driver(&self) -> Target {
        Target::GL
    }

    /// Returns true if a file with such an extension is of this kind by its text.
    fn recognizes(&self, _path: &Path, _text: &[u8]) -> bool {
        true
    }

    /// Returns true if a text is of this kind although the name of its file says the default kind.
    fn claims(&self, _text: &[u8]) -> bool {
        false
    }

    /// Reads the text of a test.
    ///
    /// # Errors
    /// Fails if a file cannot be read, is not a regular file or too large.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_file(path)
    }

    /// Executes a test.
    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict;

    /// Executes a test and records the explanation of its verdict, as far as the kind has one.
    fn run_explained(
        &self,
        file: TestFile<'_>,
        case: &TestCase<'_>,
        _explanation: &mut Explanation,
    ) -> Verdict {
        self.run(file, case)
    }

    /// Creates the bundle of a result by executing the test again; a panic is caught.
    fn explain(&self, result: &TestResult, file: TestFile<'_>, case: &TestCase<'_>) -> Bundle;
}

/// A file of a test.
#[derive(Clone, Copy, Debug)]
pub struct TestFile<'a> {
    /// Path of the file.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a [u8],
}

/// Reads a file of a test.
///
/// # Errors
/// Fails if it cannot be read, is not a regular file or too large.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    results::read_regular(path, results::TEST_BYTES)
}
