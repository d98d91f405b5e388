//! The library that plays a GPU's device in other processes: its file.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// File name of the device library.
const LIBRARY: &str = "libpreload.so";
/// Environment variable with the path of the device library.
const LIBRARY_VARIABLE: &str = "RUNNER_GPU_LIBRARY";

/// The library, if this program contains it.
#[cfg(has_library)]
const CONTAINED: Option<&[u8]> = Some(include_bytes!(env!("RUNNER_LIBRARY")));
#[cfg(not(has_library))]
const CONTAINED: Option<&[u8]> = None;

/// Finds the device library: by the variable, else beside the program, else in this program, which
/// writes it to a folder of the user's caches.
///
/// # Errors
/// Fails if there is none, if it is not built from the sources of this program's, or if the file
/// cannot be written.
pub fn path() -> anyhow::Result<PathBuf> {
    let path = find()?;
    let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    check(&path, &bytes)?;
    Ok(path)
}

/// Fails if a library is not built from the sources of this program's.
fn check(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let own = format!("{:016x}", submission::BUILD);
    let build = match submission::build_of(bytes) {
        Some(build) if build == own => return Ok(()),
        Some(build) => format!("of build {build}"),
        None => "without a build".to_owned(),
    };
    bail!(
        "the device library {} is {build}, this program needs {own}: build both from the same \
         sources with `cargo build`, with one profile, or name a library in {LIBRARY_VARIABLE}",
        path.display()
    )
}

fn find() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os(LIBRARY_VARIABLE).map(PathBuf::from) {
        if !path.is_file() {
            bail!("{LIBRARY_VARIABLE}: no file {}", path.display());
        }
        return Ok(path.canonicalize()?);
    }
    let program = std::env::current_exe().context("the path of this program")?;
    let beside = program.with_file_name(LIBRARY);
    if beside.is_file() {
        return Ok(beside);
    }
    match CONTAINED {
        Some(bytes) => {
            let folder = cache::user_folder().with_context(|| {
                format!(
                    "the device library needs a folder: set HOME, XDG_CACHE_HOME or \
                     {LIBRARY_VARIABLE}"
                )
            })?;
            written(&folder, bytes)
        }
        None => bail!(
            "no device library {}: build it with `cargo build -p preload`, with the profile of \
             this program, or name it in {LIBRARY_VARIABLE}",
            beside.display()
        ),
    }
}

/// Writes the library unless it is there. Each version has a folder of its own, so that programs of
/// several versions run at a time.
fn written(caches: &Path, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let version = blake3::hash(bytes).to_hex();
    let folder = caches.join(&version[..16]);
    let path = folder.join(LIBRARY);
    // The name promises the content, but anyone may have changed the file since.
    if std::fs::read(&path).is_ok_and(|present| present == bytes) {
        return Ok(path);
    }
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    results::replace_file(&path, bytes)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_other_builds_are_refused() {
        let path = Path::new("libpreload.so");
        let check = |bytes: &[u8]| check(path, bytes).map_err(|error| error.to_string());
        assert_eq!(check(submission::STAMP.as_bytes()), Ok(()));
        let other = check(b"runner device library of build 0123456789abcdef;");
        assert!(other.is_err_and(|text| text.contains("is of build 0123456789abcdef,")));
        assert!(check(b"early").is_err_and(|text| text.contains("is without a build,")));
    }

    #[test]
    fn the_library_is_written_once_and_mended() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(folder.path(), b"library").expect("a file");
        assert_eq!(std::fs::read(&path).expect("the file"), b"library");
        let time = || std::fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
        let first = time();
        assert_eq!(written(folder.path(), b"library").expect("a file"), path);
        assert_eq!(time(), first, "it is there already");
        std::fs::write(&path, b"changed").expect("a change");
        written(folder.path(), b"library").expect("a file");
        assert_eq!(std::fs::read(&path).expect("the file"), b"library");
        assert_ne!(written(folder.path(), b"other").expect("a file"), path);
    }
}
