//! Tests and directories of tests by name: the names in reports lead back to files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use execute::{Mode, kind_by_extension};
use results::RunRecord;
use results::names::EXTENSION;
use vocabulary::nearest;

/// The run whose paths are searched for names.
const LATEST: &str = "results/latest";
/// Variables that name a checkout and a build of piglit, as for piglit itself.
const PIGLIT_VARIABLES: [&str; 2] = ["PIGLIT_SOURCE_DIR", "PIGLIT_BUILD_DIR"];
/// Folders with installed libraries, or with one folder of them for each architecture.
const LIBRARIES: [&str; 2] = ["/usr/local/lib", "/usr/lib"];

/// An argument that is neither a path nor a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLocated {
    /// The argument.
    pub argument: PathBuf,
    /// A similar path or name that exists.
    pub similar: Option<String>,
    /// True if the argument has the form of a name, so that it was searched for.
    pub is_name: bool,
}

/// Returns the paths that an argument means: itself if it exists, else the tests or directories of
/// this name below the first of the usual roots that has any. Names have the form of results
/// (`fp64/arithmetic/fs-add`) or piglit's (`spec@glsl-1.10@…`, in any case).
///
/// The roots are the working directory and its `tests`, those of the latest run, and piglit's.
///
/// # Errors
/// Fails if nothing has the name, with a suggestion.
pub fn locate(argument: &Path) -> Result<Vec<PathBuf>, NotLocated> {
    // A dangling link is an argument that exists; reading it reports the error.
    if argument.symlink_metadata().is_ok() {
        return Ok(vec![argument.to_owned()]);
    }
    let Some(name) = Name::parse(argument) else {
        return Err(NotLocated {
            argument: argument.to_owned(),
            similar: similar_path(argument),
            is_name: false,
        });
    };
    let roots = roots();
    let found = roots.iter().map(|root| name.below(root)).find(|found| !found.is_empty());
    found.ok_or_else(|| {
        let in_root = |root: &PathBuf| name.similar_below(root);
        NotLocated {
            argument: argument.to_owned(),
            similar: similar_path(argument).or_else(|| roots.iter().find_map(in_root)),
            is_name: true,
        }
    })
}

/// A name of a test or a directory.
struct Name<'a> {
    parts: Vec<&'a str>,
    /// True for piglit's form, which leaves the first part out.
    is_piglit: bool,
}

impl Name<'_> {
    /// Parses a name; `None` if the argument cannot be one.
    fn parse(argument: &Path) -> Option<Name<'_>> {
        let text = argument.to_str()?;
        let plain = |component: Component<'_>| matches!(component, Component::Normal(_));
        let is_file = argument.extension().is_some_and(|extension| extension == EXTENSION);
        if is_file || !argument.components().all(plain) {
            return None;
        }
        let parts: Vec<&str> = text.split(['/', '@']).filter(|part| !part.is_empty()).collect();
        (parts.len() > 1).then_some(Name { parts, is_piglit: text.contains('@') })
    }

    /// Returns the tests or directories of the name: in the root itself, or in its directories for
    /// piglit's form.
    fn below(&self, root: &Path) -> Vec<PathBuf> {
        match descend(root, &self.parts) {
            Some(found) => vec![found],
            None => self.starts(root).filter_map(|start| descend(&start, &self.parts)).collect(),
        }
    }

    /// Returns a similar name that a test or directory below the root has.
    fn similar_below(&self, root: &Path) -> Option<String> {
        similar_part(root, &self.parts).or_else(|| {
            self.starts(root).find_map(|start| {
                let first = start.file_name()?.to_str()?;
                Some(format!("{first}/{}", similar_part(&start, &self.parts)?))
            })
        })
    }

    /// Returns the directories in which names of piglit's form start.
    fn starts(&self, root: &Path) -> impl Iterator<Item = PathBuf> {
        let directories = if self.is_piglit { directories(root) } else { Vec::new() };
        directories.into_iter()
    }
}

/// Returns the test, or else the directory, with this relative name, in any case.
fn descend(directory: &Path, parts: &[&str]) -> Option<PathBuf> {
    let (last, before) = parts.split_last()?;
    let mut here = directory.to_owned();
    for part in before {
        here = entry(&here, part)?;
    }
    let script = entry(&here, &format!("{last}.{EXTENSION}"));
    // Other tests than scripts keep the extension in their names.
    let is_test = |path: &Path| kind_by_extension(path, Mode::Execute).is_some();
    script.or_else(|| entry(&here, last).filter(|path| path.is_dir() || is_test(path)))
}

/// Returns an entry of a directory: with exactly this name, or else with this name in another case.
fn entry(directory: &Path, name: &str) -> Option<PathBuf> {
    let exact = join(directory, name);
    if exact.exists() {
        return Some(exact);
    }
    let same = |other: &String| other.to_lowercase() == name.to_lowercase();
    names(directory).into_iter().find(same).map(|name| join(directory, &name))
}

/// Joins without a leading `./`.
fn join(directory: &Path, name: &str) -> PathBuf {
    if directory == Path::new(".") { PathBuf::from(name) } else { directory.join(name) }
}

/// Returns the sorted names of a directory's entries.
fn names(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Returns the directories in a directory, except hidden ones.
fn directories(root: &Path) -> Vec<PathBuf> {
    let names = names(root).into_iter().filter(|name| !name.starts_with('.'));
    names.map(|name| join(root, &name)).filter(|path| path.is_dir()).collect()
}

/// Returns the directories from which names may start, the nearest first.
fn roots() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from("."), PathBuf::from("tests")];
    if let Ok(record) = RunRecord::read(Path::new(LATEST)) {
        roots.extend(record.paths.iter().flat_map(|path| roots_of(&record.directory.join(path))));
    }
    roots.extend(piglits());
    roots.retain(|root| root.is_dir());
    let mut seen = BTreeSet::new();
    roots.retain(|root| seen.insert(root.clone()));
    roots
}

/// Returns the folders of piglits: those that the environment names, then installed ones.
pub(crate) fn piglits() -> Vec<PathBuf> {
    let variables = PIGLIT_VARIABLES.iter().filter_map(std::env::var_os);
    let mut found: Vec<PathBuf> = variables.map(PathBuf::from).collect();
    for libraries in LIBRARIES.map(Path::new) {
        found.push(libraries.join("piglit"));
        found.extend(directories(libraries).iter().map(|folder| folder.join("piglit")));
    }
    found.retain(|folder| folder.is_dir());
    found
}

/// Returns the directories from which names of the tests below a path may start (see
/// [`results::names::test_name`]).
fn roots_of(path: &Path) -> Vec<PathBuf> {
    let Ok(real) = path.canonicalize() else { return Vec::new() };
    let given = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
    let is_root = |directory: &&Path| {
        directory.file_name().is_some_and(|name| name == "tests")
            || (directory.join("tests").is_dir() && directory.join("generated_tests").is_dir())
    };
    let roots = given.ancestors().filter(is_root).chain(given.parent());
    roots.map(Path::to_owned).collect()
}

/// Returns a path that exists and differs from this one in the spelling of its first missing part.
fn similar_path(path: &Path) -> Option<String> {
    let missing = path.ancestors().filter(|part| !part.as_os_str().is_empty());
    let missing = missing.take_while(|part| !part.exists()).last()?;
    let parent = missing.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = parent.unwrap_or(Path::new("."));
    let name = similar_entry(directory, missing.file_name()?.to_str()?)?;
    Some(join(directory, &name).display().to_string())
}

/// Returns the name with its first part that nothing in the root has replaced by a similar one.
fn similar_part(root: &Path, parts: &[&str]) -> Option<String> {
    let mut here = root.to_owned();
    for (index, part) in parts.iter().enumerate() {
        match entry(&here, part) {
            Some(next) if index + 1 < parts.len() => here = next,
            // Without a single common part, any name is similar to something.
            _ if index == 0 => return None,
            _ => {
                let name = similar_entry(&here, part)?;
                let name = name.strip_suffix(&format!(".{EXTENSION}")).unwrap_or(&name);
                let parts = [&parts[..index], &[name], &parts[index + 1..]].concat();
                return Some(parts.join("/"));
            }
        }
    }
    None
}

fn similar_entry(directory: &Path, name: &str) -> Option<String> {
    let names = names(directory);
    let stem = |name: &'_ str| -> String {
        name.strip_suffix(&format!(".{EXTENSION}")).unwrap_or(name).to_owned()
    };
    let stems: Vec<(String, &String)> =
        names.iter().filter(|name| !name.starts_with('.')).map(|name| (stem(name), name)).collect();
    let found = nearest(&stem(name), stems.iter().map(|(stem, _)| stem.as_str()))?;
    stems.iter().find(|(stem, _)| stem == found).map(|(_, name)| (*name).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for file in files {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        tree
    }

    #[test]
    fn both_forms_lead_to_files_and_directories() {
        let tree = tree(&[
            "tests/spec/GLSL-1.10/Foo.shader_test",
            "tests/spec/glsl-1.20/a.shader_test",
            "generated_tests/spec/glsl-1.20/b.shader_test",
        ]);
        let found = |name: &str| -> Vec<String> {
            let found = Name::parse(Path::new(name)).unwrap().below(tree.path());
            let relative = |path: &PathBuf| path.strip_prefix(tree.path()).unwrap().to_owned();
            found.iter().map(|path| relative(path).display().to_string()).collect()
        };
        for name in ["spec@glsl-1.10@foo", "tests/spec/GLSL-1.10/Foo", "tests/spec/glsl-1.10/foo"] {
            assert_eq!(found(name), ["tests/spec/GLSL-1.10/Foo.shader_test"], "{name}");
        }
        assert_eq!(
            found("spec@glsl-1.20"),
            ["generated_tests/spec/glsl-1.20", "tests/spec/glsl-1.20"]
        );
        assert_eq!(found("spec@glsl-1.20@c"), [""; 0]);
        assert_eq!(found("spec/glsl-1.20"), [""; 0]);
        for other in ["alone", "/a/b", "../a/b", "a/b.shader_test"] {
            assert!(Name::parse(Path::new(other)).is_none(), "{other}");
        }
    }

    #[test]
    fn roots_of_earlier_paths() {
        let tree = tree(&["tests/fp64/x/a.shader_test", "loose/b.shader_test"]);
        let root = tree.path().canonicalize().unwrap();
        let roots = |path: &str| roots_of(&root.join(path));
        assert!(roots("tests/fp64/x").contains(&root.join("tests")));
        assert!(roots("tests/fp64/x/a.shader_test").contains(&root.join("tests")));
        assert_eq!(roots("loose"), vec![root.clone()]);
        assert_eq!(roots("loose/b.shader_test"), vec![root.clone()]);
        assert!(roots("none").is_empty());
    }

    #[test]
    fn similar_names() {
        let tree = tree(&["tests/fp64/fs-add.shader_test", "tests/half/fs-mul.shader_test"]);
        let path = |path: &str| similar_path(&tree.path().join(path));
        let shown = |path: &str| Some(tree.path().join(path).display().to_string());
        assert_eq!(path("test/fp64"), shown("tests"));
        assert_eq!(path("tests/fp46"), shown("tests/fp64"));
        assert_eq!(path("tests/fp64/fs-ad.shader_test"), shown("tests/fp64/fs-add.shader_test"));
        assert_eq!(path("nothing"), None);
        let part =
            |name: &str| Name::parse(Path::new(name))?.similar_below(&tree.path().join("tests"));
        assert_eq!(part("fp64/fs-adb"), Some("fp64/fs-add".to_owned()));
        assert_eq!(part("nowhere/fs-add"), None);
        let name = Name::parse(Path::new("fp64@fs-ad")).unwrap();
        assert_eq!(name.similar_below(tree.path()), Some("tests/fp64/fs-add".to_owned()));
    }
}
