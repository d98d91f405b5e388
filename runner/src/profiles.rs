//! Tests that profiles of piglit list.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use execute::{Mode, ProfileError, kind_by_extension, read_profile};
use piglit_profile::{Test, Work};
use results::names::program_name;
use vocabulary::nearest;

use crate::locate::piglits;

/// Ends of the names of files with profiles, in the order in which piglit looks for them.
const ENDS: [&str; 3] = [".meta.xml", ".xml.gz", ".xml"];

/// A test that a profile lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// A file with a kind of its own.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Folder of the piglit.
        piglit: PathBuf,
    },
    /// An entry that is a test by itself.
    Entry {
        /// Name of the test.
        name: String,
        /// The file of the profile.
        profile: PathBuf,
        /// True if no other such test may run at the same time.
        is_serial: bool,
    },
}

/// A profile that cannot be found or read.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ProfileError),
    /// A profile lists one that does not exist.
    #[error("{path}: there is no profile `{name}` beside it")]
    NoneBeside {
        /// Path of the profile.
        path: String,
        /// Name of the other one.
        name: String,
    },
    /// No profile has a name.
    #[error("no profile is called `{name}`{hint}")]
    NotFound {
        /// The name.
        name: String,
        /// A similar name, or where to look.
        hint: String,
    },
    /// A profile is a program of its own.
    #[error("{path}: a profile in Python, which only piglit itself can read")]
    Python {
        /// Path of the profile.
        path: String,
    },
}

/// Returns true if a file is a profile by its name.
pub(crate) fn is_profile(path: &Path) -> bool {
    kind_by_extension(path, Mode::Execute).is_some_and(execute::Kind::is_list)
}

/// Returns the tests that a profile lists, and those of the profiles that it names.
///
/// # Errors
/// Fails if one of the files cannot be read.
pub(crate) fn listed(path: &Path) -> Result<Vec<Listed>, ListError> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    let mut rest = vec![path.to_owned()];
    while let Some(path) = rest.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let file = read_profile(&path)?;
        for test in file.profile.tests {
            add(&mut all, test, &file.piglit, &path);
        }
        for name in file.profile.profiles.iter().rev() {
            let folder = path.parent().unwrap_or(Path::new("."));
            let none = || {
                let path = path.display().to_string();
                ListError::NoneBeside { path, name: name.clone() }
            };
            rest.push(in_folder(folder, name).ok_or_else(none)?);
        }
    }
    Ok(all)
}

fn add(all: &mut Vec<Listed>, test: Test, piglit: &Path, profile: &Path) {
    let is_serial = match &test.work {
        Work::Files(files) => {
            let file = |file: &PathBuf| Listed::File {
                path: piglit.join(file),
                piglit: piglit.to_owned(),
            };
            all.extend(files.iter().map(file));
            return;
        }
        Work::Program(program) => !program.is_concurrent,
        Work::Unsupported(_) => false,
    };
    let name = program_name(&test.name);
    all.push(Listed::Entry { name, profile: profile.to_owned(), is_serial });
}

/// Returns the file of the profile that an argument means: a path, or a name of one of the
/// installed piglit, such as `quick_gl`.
///
/// # Errors
/// Fails if there is none.
pub fn find(argument: &Path) -> Result<PathBuf, ListError> {
    if argument.is_file() {
        return Ok(argument.to_owned());
    }
    let name = argument.to_string_lossy().into_owned();
    let folders: Vec<PathBuf> = piglits().iter().map(|piglit| piglit.join("tests")).collect();
    if let Some(found) = folders.iter().find_map(|folder| in_folder(folder, &name)) {
        return Ok(found);
    }
    let python = folders.iter().map(|folder| folder.join(format!("{name}.py")));
    if let Some(path) = python.into_iter().find(|path| path.is_file()) {
        return Err(ListError::Python { path: path.display().to_string() });
    }
    let known: BTreeSet<String> = folders.iter().flat_map(|folder| names(folder)).collect();
    let similar = nearest(&name, known.iter().map(String::as_str));
    let hint = match (similar, folders.is_empty()) {
        (Some(similar), _) => format!("; did you mean `{similar}`?"),
        (None, false) => format!("; there are {}", Vec::from_iter(known).join(", ")),
        (None, true) => {
            "; no piglit is installed: PIGLIT_BUILD_DIR names the folder of one".to_owned()
        }
    };
    Err(ListError::NotFound { name, hint })
}

fn in_folder(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = ENDS.map(|end| folder.join(format!("{name}{end}")));
    files.into_iter().find(|file| file.is_file())
}

/// Returns the names of the profiles in a folder.
fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |file: fs::DirEntry| {
        let name = file.file_name().into_string().ok()?;
        ENDS.iter().find_map(|end| name.strip_suffix(end)).map(str::to_owned)
    };
    files.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tests: &str) -> String {
        format!("<PiglitTestList>{tests}</PiglitTestList>")
    }

    #[test]
    fn meta_profiles_and_classes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let tests = root.join("tests");
        fs::create_dir(&tests).unwrap();
        let both = "<PiglitMetaProfile><Profile>one</Profile><Profile>two</Profile>\
            <Profile>both</Profile></PiglitMetaProfile>";
        let command = |words: &str| format!("<option name=\"command\" value=\"{words}\"/>");
        let serial = "<option name=\"run_concurrent\" value=\"False\"/>";
        let one = list(&format!(
            "<Test type=\"gl\" name=\"a@b/c\">{}{serial}</Test>\
             <Test type=\"xts\" name=\"x\"></Test>",
            command("['b']")
        ));
        let two = list(&format!(
            "<Test type=\"shader\" name=\"s\">{}</Test>",
            command("['shader_runner', 'tests/s.shader_test']")
        ));
        for (name, text) in [("both.meta.xml", both), ("one.xml", &one), ("two.xml", &two)] {
            fs::write(tests.join(name), text).unwrap();
        }
        let entry = |name: &str, is_serial| {
            let (name, profile) = (name.to_owned(), tests.join("one.xml"));
            Listed::Entry { name, profile, is_serial }
        };
        let expected = [
            entry("programs/a/b@c", true),
            entry("programs/x", false),
            Listed::File { path: tests.join("s.shader_test"), piglit: root.clone() },
        ];
        assert_eq!(listed(&tests.join("both.meta.xml")).unwrap(), expected);
        fs::remove_file(tests.join("two.xml")).unwrap();
        let error = listed(&tests.join("both.meta.xml")).unwrap_err().to_string();
        assert!(error.ends_with("both.meta.xml: there is no profile `two` beside it"), "{error}");
    }

    #[test]
    fn names_of_files() {
        for (name, is) in [("a.xml", true), ("a.xml.gz", true), ("a.shader_test", false)] {
            assert_eq!(is_profile(Path::new(name)), is, "{name}");
        }
    }
}
