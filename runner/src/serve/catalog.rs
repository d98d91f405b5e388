//! The tests that the page lists: names are the only way to files.

use std::collections::HashMap;
use std::io;
use std::time::UNIX_EPOCH;

use serde::Serialize;

use crate::select::TestFile;

/// Tests by name.
pub struct Catalog {
    tests: Vec<TestFile>,
    by_name: HashMap<String, usize>,
}

/// The text of a test, and its version.
#[derive(Debug, Serialize)]
pub(super) struct TestText {
    text: String,
    path: String,
    version: String,
}

impl Catalog {
    /// Returns the catalog of some tests.
    pub fn new(tests: Vec<TestFile>) -> Catalog {
        let by_name = tests.iter().map(|test| test.name.clone()).zip(0..).collect();
        Catalog { tests, by_name }
    }

    /// Returns all names, one per line.
    pub(super) fn names(&self) -> String {
        self.tests.iter().flat_map(|test| [&test.name, "\n"]).collect()
    }

    /// Returns a test by its name.
    pub(super) fn find(&self, name: &str) -> Option<&TestFile> {
        self.by_name.get(name).map(|&index| &self.tests[index])
    }
}

/// Reads the text of a test. Bytes that are not UTF-8 become replacement characters.
pub(super) fn read(test: &TestFile, mode: execute::Mode) -> io::Result<TestText> {
    let version = version(test);
    let bytes = execute::read_test(&test.path, mode)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(TestText { text, path: test.path.display().to_string(), version })
}

/// Returns a text that changes when the file does: its time and size.
pub(super) fn version(test: &TestFile) -> String {
    let facts = || {
        let metadata = std::fs::metadata(&test.path)?;
        let time = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        io::Result::Ok(format!("{}-{}", time.as_nanos(), metadata.len()))
    };
    facts().unwrap_or_default()
}
