//! Selection of tests: files under the given paths, then filters.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use regex::Regex;
use walkdir::WalkDir;

use crate::console::message::message;
use crate::locate::{NotLocated, locate};
use crate::profiles::{ListError, Listed, is_profile, listed};
use execute::{Kind, Mode, kind_by_extension};
use results::RunFolder;
use results::names::{EXTENSION, Namer, piglit_name, printable_line, test_name};
use results::{OPTION_BYTES, RESULTS_FILE, TEST_BYTES, read_regular};
use script::bare;
use tools::Case;
use vocabulary::Target;

/// Files that a selection accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKinds {
    /// Scripts of OpenGL.
    Scripts,
    /// Scripts of OpenGL and of Vulkan.
    AllScripts,
    /// Everything that can be executed.
    Tests,
    /// Everything that can be compiled: scripts, and files with the shader of one stage.
    Shaders,
}

impl FileKinds {
    /// Returns the mode of a run that takes these files.
    fn mode(self) -> Mode {
        match self {
            FileKinds::Scripts | FileKinds::AllScripts | FileKinds::Tests => Mode::Execute,
            FileKinds::Shaders => Mode::Compile,
        }
    }

    /// Returns the kind of a file by its name, if it is accepted.
    fn kind(self, path: &Path) -> Option<&'static dyn Kind> {
        let kind = kind_by_extension(path, self.mode()).filter(|kind| !kind.is_list())?;
        let is_script = kind.extensions().contains(&EXTENSION);
        let is_accepted = match self {
            FileKinds::Scripts => is_script,
            FileKinds::AllScripts => is_script || kind.driver() == Target::VK,
            FileKinds::Tests | FileKinds::Shaders => true,
        };
        is_accepted.then_some(kind)
    }

    /// Returns true if a file is accepted: its name says it, and its text, if that has to. Files
    /// that cannot be read are accepted, so that their results report it.
    fn accepts(self, path: &Path) -> bool {
        let Some(kind) = self.kind(path).filter(|kind| kind.takes_name(path)) else { return false };
        !kind.is_told_by_text()
            || read_regular(path, TEST_BYTES).map_or(true, |text| kind.recognizes(path, &text))
    }
}

/// One test file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFile {
    /// Name of the test.
    pub name: String,
    /// Path, as reached from the argument.
    pub path: PathBuf,
    /// True if no other such test may run at the same time.
    pub is_serial: bool,
}

impl TestFile {
    /// Returns a test that may run beside others.
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>) -> TestFile {
        TestFile { name: name.into(), path: path.into(), is_serial: false }
    }

    /// Returns a test that is named somewhere but has no file (any more).
    pub fn missing(name: &str) -> TestFile {
        TestFile::new(name, "")
    }

    /// Returns the test on a generation.
    pub fn on(&self, generation: Target) -> Case {
        Case { name: self.name.clone(), path: self.path.clone(), generation }
    }

    /// Returns true if the test has no file.
    pub fn is_missing(&self) -> bool {
        self.path.as_os_str().is_empty()
    }
}

/// Errors of a selection.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// A path does not exist or cannot be read.
    #[error("{path}: {source}")]
    Path {
        /// The argument.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// A path does not exist, and no test has this name.
    #[error("{path}: No such file or directory{also}{hint}")]
    NotFound {
        /// The argument.
        path: String,
        /// Where else it was searched for, if it has the form of a name.
        also: &'static str,
        /// A similar path, or nothing.
        hint: String,
    },
    /// A named file is no test.
    #[error("{path}: not a test: {reason}")]
    NotATest {
        /// The argument.
        path: String,
        /// The reason.
        reason: &'static str,
    },
    /// A directory is the folder of a run.
    #[error("{path}: holds the results of a run, not tests")]
    Run {
        /// The argument.
        path: String,
    },
    /// Two files have the same name.
    #[error("two files are called `{name}`: {first} and {second}")]
    Duplicate {
        /// The name.
        name: String,
        /// One file.
        first: String,
        /// The other file.
        second: String,
    },
    /// A pattern is not a regular expression.
    #[error("`{pattern}` is not a regular expression: {source}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Error of the parser.
        source: regex::Error,
    },
    /// A profile cannot be read.
    #[error(transparent)]
    Profile(#[from] ListError),
    /// A list of names is not text.
    #[error("{path}:{line}:{column}: invalid UTF-8: byte 0x{byte:02X} outside comments")]
    Encoding {
        /// The list.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// The offending byte.
        byte: u8,
    },
}

impl From<NotLocated> for SelectError {
    fn from(error: NotLocated) -> SelectError {
        let also = match error.is_name {
            true => {
                ", nor a test of this name below the working directory, the paths of the latest run and piglit"
            }
            false => "",
        };
        let hint =
            error.similar.map(|similar| format!("; did you mean `{}`?", printable_line(&similar)));
        let path = printable_line(&error.argument.display().to_string());
        SelectError::NotFound { path, also, hint: hint.unwrap_or_default() }
    }
}

/// Returns the paths that arguments mean ([`locate`]), and prints a note about every name.
///
/// # Errors
/// Fails if a path does not exist and is no name either.
pub fn located(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, SelectError> {
    let mut paths = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let found = locate(argument)?;
        if found.iter().any(|path| path != argument) {
            let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
            let (argument, found) = (argument.display().to_string(), found.join(", "));
            message!("note: {}: {}", printable_line(&argument), printable_line(&found));
        }
        paths.extend(found);
    }
    Ok(paths)
}

/// Returns the one test that an argument means.
///
/// # Errors
/// Fails like [`located`], and if it means several tests.
pub fn located_test(argument: &Path) -> Result<PathBuf, SelectError> {
    let paths = located(&[argument.to_owned()])?;
    let reason = match <[PathBuf; 1]>::try_from(paths) {
        Ok([path]) if is_profile(&path) => "it is a list of tests; give the file of one",
        Ok([path]) => return Ok(path),
        Err(_) => "several have this name; give the path of one",
    };
    Err(SelectError::NotATest { path: argument.display().to_string(), reason })
}

/// Returns the reason why a named file cannot be a test, unless its name or a line says that it is
/// one.
fn not_a_test(path: &Path, kinds: FileKinds) -> Option<&'static str> {
    let bytes =
        if kinds.accepts(path) { return None } else { read_regular(path, TEST_BYTES).ok()? };
    if bytes.split(|&b| b == b'\n').any(|line| line.starts_with(b"[require]")) {
        return None;
    }
    Some(match path.file_name().and_then(|name| name.to_str()) {
        Some(RESULTS_FILE) => "these are the results of a run; `runner rerun RUN` repeats failures",
        _ if matches!(kinds, FileKinds::Scripts | FileKinds::AllScripts) => {
            "it is no script: its name does not end in .shader_test"
        }
        _ if bare::stage_of(path).is_some() => {
            "a shader of one stage can only be compiled, unless it has a [config] block: use --compile-only"
        }
        _ => match kind_by_extension(path, Mode::Compile) {
            Some(kind) if !kind.takes_name(path) => {
                "the name of a file with HLSL has its stage before the end, as in shader.vert.hlsl"
            }
            Some(kind) if !kind.takes(Mode::Execute) => {
                "a module can only be compiled: use --compile-only"
            }
            _ => "its name does not end in .shader_test, and it has no [require] section",
        },
    })
}

/// Reads the names in a list; comments may hold any bytes.
fn names_of_list(path: &Path) -> Result<BTreeSet<String>, SelectError> {
    let shown = || path.display().to_string();
    let error = |source| SelectError::Path { path: shown(), source };
    let bytes = read_regular(path, OPTION_BYTES).map_err(error)?;
    let mut names = BTreeSet::new();
    for (index, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let name = line.split(|&b| b == b'#').next().unwrap_or_default();
        let name = std::str::from_utf8(name).map_err(|error| {
            let (at, byte) = (error.valid_up_to(), name.get(error.valid_up_to()).copied());
            let (line, column, byte) = (index + 1, at + 1, byte.unwrap_or_default());
            SelectError::Encoding { path: shown(), line, column, byte }
        })?;
        let name = name.trim();
        if !name.is_empty() {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// A filter of tests.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    include: Vec<Regex>,
    exclude: Vec<Regex>,
    names: Option<BTreeSet<String>>,
}

impl Filter {
    /// Compiles the patterns and reads the list of names (one per line, in either form; `#` starts
    /// a comment).
    ///
    /// # Errors
    /// Fails on a malformed pattern and on an unreadable list.
    pub fn new(
        include: &[String],
        exclude: &[String],
        list: Option<&Path>,
    ) -> Result<Filter, SelectError> {
        let compile = |patterns: &[String]| {
            let regex = |pattern: &String| {
                let error = |source| SelectError::Pattern { pattern: pattern.clone(), source };
                Regex::new(pattern).map_err(error)
            };
            patterns.iter().map(regex).collect::<Result<Vec<_>, _>>()
        };
        let names = list.map(names_of_list).transpose()?;
        Ok(Filter { include: compile(include)?, exclude: compile(exclude)?, names })
    }

    /// Returns true if a test with this name is selected. Patterns match anywhere in the name or in
    /// its piglit form.
    pub fn accepts(&self, name: &str) -> bool {
        let piglit = piglit_name(name);
        let matches = |regex: &Regex| regex.is_match(name) || regex.is_match(&piglit);
        (self.include.is_empty() || self.include.iter().any(matches))
            && !self.exclude.iter().any(matches)
            && self
                .names
                .as_ref()
                .is_none_or(|names| names.contains(name) || names.contains(&piglit))
    }

    /// Returns true if every test is selected.
    pub fn accepts_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty() && self.names.is_none()
    }

    /// Returns the names in the list, as written there, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().flatten().map(String::as_str)
    }

    /// Returns the names in the list that no test has.
    pub fn unknown_names<'a>(&'a self, tests: &[TestFile]) -> Vec<&'a str> {
        let known: BTreeSet<String> =
            tests.iter().flat_map(|test| [test.name.clone(), piglit_name(&test.name)]).collect();
        self.names().filter(|&name| !known.contains(name)).collect()
    }
}

/// Returns all tests under the paths, sorted by name. A file that is reached twice counts once.
/// Bare shaders of one folder with one stem are one test, which has the path of its first stage; a
/// script of the same name takes their place.
///
/// # Errors
/// Fails on a missing path, on a named file that cannot be opened, on a directory that cannot be
/// read, and on two files with one name.
pub fn find_tests(paths: &[PathBuf], kinds: FileKinds) -> Result<Vec<TestFile>, SelectError> {
    // Keyed by the path's bytes: a comparison by components takes a quarter of the search.
    let mut found: BTreeMap<OsString, TestFile> = BTreeMap::new();
    let (mut namer, mut directories) = (Namer::default(), Directories::default());
    for path in paths {
        let error = |source| SelectError::Path { path: path.display().to_string(), source };
        let real = path.canonicalize().map_err(error)?;
        if real.is_dir() {
            if RunFolder::holds_run(&real) {
                return Err(SelectError::Run { path: path.display().to_string() });
            }
            for (file, link) in files_below(path, kinds)? {
                let absolute = if link { absolute(&file) } else { directories.absolute(&file) };
                let name = namer.name(&absolute, &real);
                found.entry(absolute.into_os_string()).or_insert_with(|| TestFile::new(name, file));
            }
        } else {
            if !real.metadata().map_err(error)?.is_file() {
                return Err(error(io::Error::other("not a regular file")));
            }
            fs::File::open(&real).map_err(error)?;
            if is_profile(&real) {
                for (key, test) in tests_of_profile(path, kinds, &mut namer)? {
                    found.entry(key).or_insert(test);
                }
                continue;
            }
            if let Some(reason) = not_a_test(&real, kinds) {
                return Err(SelectError::NotATest { path: path.display().to_string(), reason });
            }
            let name = namer.name(&real, real.parent().unwrap_or(Path::new("/")));
            found.entry(real.into_os_string()).or_insert_with(|| TestFile::new(name, path));
        }
    }
    let found = found.into_values().collect();
    by_name(match kinds {
        FileKinds::Shaders => programs(found),
        FileKinds::Scripts | FileKinds::AllScripts | FileKinds::Tests => found,
    })
}

/// Returns the accepted tests of a profile with their keys: the path of a file, or the name of an
/// entry, which several profiles may list.
fn tests_of_profile(
    path: &Path,
    kinds: FileKinds,
    namer: &mut Namer,
) -> Result<Vec<(OsString, TestFile)>, SelectError> {
    let test = |listed: Listed| match listed {
        Listed::File { path, piglit } => {
            kinds.kind(&path)?;
            let absolute = absolute(&path);
            let name = namer.name(&absolute, &piglit);
            Some((absolute.into_os_string(), TestFile::new(name, path)))
        }
        Listed::Entry { name, profile, is_serial } => {
            let key = OsString::from(&name);
            let test = TestFile { is_serial, ..TestFile::new(name, profile) };
            (kinds == FileKinds::Tests).then_some((key, test))
        }
    };
    Ok(listed(path)?.into_iter().filter_map(test).collect())
}

/// Returns the common prefixes of the names of all tests below the given directories.
pub fn name_prefixes(paths: &[PathBuf]) -> Vec<String> {
    let prefix = |path: &PathBuf| {
        let real = path.canonicalize().ok().filter(|real| real.is_dir())?;
        let name = test_name(&real.join("x"), &real);
        name.strip_suffix('x').map(str::to_owned)
    };
    paths.iter().filter_map(prefix).collect()
}

/// Returns a path without symbolic links; for a dangling link the link's own path.
fn absolute(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| {
        let parent = file.parent().and_then(|parent| parent.canonicalize().ok());
        match (parent, file.file_name()) {
            (Some(parent), Some(name)) => parent.join(name),
            _ => file.to_owned(),
        }
    })
}

/// Directories without symbolic links, each resolved once.
#[derive(Default)]
struct Directories {
    real: HashMap<PathBuf, Option<PathBuf>>,
}

impl Directories {
    /// Resolves a file that is not a link itself, like [`absolute`].
    fn absolute(&mut self, file: &Path) -> PathBuf {
        let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else {
            return absolute(file);
        };
        if !self.real.contains_key(parent) {
            self.real.insert(parent.to_owned(), parent.canonicalize().ok());
        }
        match self.real.get(parent) {
            Some(Some(real)) => real.join(name),
            _ => absolute(file),
        }
    }
}

/// Returns the test files below a directory with links followed, and true for links. Each directory
/// is visited once, however many links lead to it, and folders that hold a run are left out: the
/// scripts of its failure bundles are no tests. Unreadable files are listed, too: their results
/// report the error.
///
/// # Errors
/// Fails on a directory that cannot be read: its tests would be missed silently.
fn files_below(directory: &Path, kinds: FileKinds) -> Result<Vec<(PathBuf, bool)>, SelectError> {
    let test_of = |entry: walkdir::Result<walkdir::DirEntry>| match entry {
        Ok(entry) if entry.file_type().is_dir() => None,
        Ok(entry) => {
            let link = entry.path_is_symlink();
            Some(Ok((entry.into_path(), link)))
        }
        Err(error) => {
            let path = error.path()?.to_owned();
            match error.into_io_error() {
                Some(source) if path.is_dir() => {
                    Some(Err(SelectError::Path { path: path.display().to_string(), source }))
                }
                _ => Some(Ok((path, true))),
            }
        }
    };
    let is_accepted = |file: &Result<(PathBuf, bool), SelectError>| {
        file.as_ref().map_or(true, |(path, _)| kinds.accepts(path))
    };
    let mut visited = HashSet::new();
    WalkDir::new(directory)
        .follow_links(true)
        .into_iter()
        .filter_entry(|entry| {
            !entry.file_type().is_dir()
                || (visited.insert(identity(entry)) && !RunFolder::holds_run(entry.path()))
        })
        .filter_map(test_of)
        .filter(is_accepted)
        .collect()
}

/// Identity of a directory, the same for all paths that lead to it.
#[cfg(unix)]
fn identity(directory: &walkdir::DirEntry) -> (u64, u64, PathBuf) {
    use std::os::unix::fs::MetadataExt;
    match directory.metadata() {
        Ok(metadata) => (metadata.dev(), metadata.ino(), PathBuf::new()),
        Err(_) => (0, 0, directory.path().to_owned()),
    }
}

/// Identity of a directory, the same for all paths that lead to it.
#[cfg(not(unix))]
fn identity(directory: &walkdir::DirEntry) -> PathBuf {
    absolute(directory.path())
}

/// Joins the shaders of one program, and leaves out those beside a script of their name.
fn programs(tests: Vec<TestFile>) -> Vec<TestFile> {
    if tests.iter().all(|test| bare::stage_of(&test.path).is_none()) {
        return tests;
    }
    let mut joined: BTreeMap<PathBuf, TestFile> = BTreeMap::new();
    for test in tests {
        // Scripts come before all stages.
        let rank = |test: &TestFile| bare::stage_of(&test.path);
        let stem = test.path.with_extension("");
        match joined.get(&stem) {
            Some(known) if rank(known) <= rank(&test) => {}
            _ => _ = joined.insert(stem, test),
        }
    }
    let mut tests: Vec<TestFile> = joined.into_values().collect();
    for test in tests.iter_mut().filter(|test| bare::stage_of(&test.path).is_some()) {
        let stem = test.name.rsplit_once('.').map(|(stem, _)| stem.to_owned());
        test.name = stem.unwrap_or_default();
    }
    tests
}

fn by_name(tests: impl IntoIterator<Item = TestFile>) -> Result<Vec<TestFile>, SelectError> {
    let mut named: BTreeMap<String, TestFile> = BTreeMap::new();
    for test in tests {
        if let Some(other) = named.get(&test.name) {
            return Err(SelectError::Duplicate {
                name: test.name,
                first: other.path.display().to_string(),
                second: test.path.display().to_string(),
            });
        }
        named.insert(test.name.clone(), test);
    }
    Ok(named.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(root: &Path, name: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn names(paths: &[PathBuf]) -> Vec<String> {
        find_tests(paths, FileKinds::Tests).unwrap().into_iter().map(|test| test.name).collect()
    }

    #[test]
    fn a_file_reached_twice_counts_once() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path().join("suite");
        touch(&root, "b/two.shader_test");
        touch(&root, "a/one.shader_test");
        touch(&root, "a/readme.txt");
        let file = root.join("a/one.shader_test");
        assert_eq!(
            names(&[root.clone(), file, root.join("a/../a")]),
            ["suite/a/one", "suite/b/two"]
        );
    }

    #[test]
    fn two_files_with_one_name_are_an_error() {
        let tree = tempfile::tempdir().unwrap();
        touch(tree.path(), "x/tests/same.shader_test");
        touch(tree.path(), "y/tests/same.shader_test");
        let error = find_tests(&[tree.path().to_owned()], FileKinds::Tests).unwrap_err();
        assert!(matches!(&error, SelectError::Duplicate { name, .. } if name == "same"), "{error}");
    }

    #[test]
    fn missing_paths_are_errors() {
        let error = find_tests(&[PathBuf::from("/no/such/place")], FileKinds::Tests).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/place: "));
    }

    #[test]
    fn filters() {
        let filter = |t: &[&str], x: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
            Filter::new(&owned(t), &owned(x), None)
        };
        let name = "tests/spec/glsl-1.10/Foo";
        assert!(filter(&[], &[]).unwrap().accepts(name));
        assert!(filter(&["bar", "spec@glsl"], &[]).unwrap().accepts(name));
        assert!(filter(&["^tests/spec"], &[]).unwrap().accepts(name));
        assert!(!filter(&["bar"], &[]).unwrap().accepts(name));
        assert!(!filter(&["spec"], &["Foo$"]).unwrap().accepts(name));
        assert!(matches!(filter(&["("], &[]), Err(SelectError::Pattern { .. })));
    }

    #[test]
    fn prefixes_of_directories() {
        let tree = tempfile::tempdir().unwrap();
        touch(tree.path(), "suite/a/one.shader_test");
        touch(tree.path(), "tests/two.shader_test");
        let paths = ["suite", "suite/a", "suite/a/one.shader_test", "tests", "none"]
            .map(|p| tree.path().join(p));
        assert_eq!(name_prefixes(&paths), ["suite/", "a/", ""]);
    }

    #[test]
    fn lists_of_names() {
        let tree = tempfile::tempdir().unwrap();
        let list = tree.path().join("list");
        fs::write(&list, "# mine\nspec@a # twice\ntests/spec/b\n\nspec@nothing\n").unwrap();
        let filter = Filter::new(&[], &[], Some(&list)).unwrap();
        assert!(filter.accepts("tests/spec/a") && filter.accepts("tests/spec/b"));
        assert!(!filter.accepts("tests/spec/c"));
        let test = |name: &str| TestFile::new(name, "");
        assert_eq!(
            filter.unknown_names(&[test("tests/spec/a"), test("tests/spec/b")]),
            ["spec@nothing"]
        );
    }
}
