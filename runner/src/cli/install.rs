//! `--driver DIR`: the libraries of a driver that is installed in a folder of its own.
//!
//! The loader reads `LD_LIBRARY_PATH` when a process starts. The command therefore sets the
//! variables and executes itself again; its workers inherit them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A variable of the environment with its value.
type Variable = (&'static str, OsString);

/// Makes sure that this process loads the driver of a folder, if there is one. Starts the process
/// again if it does not.
///
/// # Errors
/// Fails if the folder holds no driver.
pub(super) fn enter(folder: Option<&Path>) -> anyhow::Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let variables = variables(folder, std::env::var_os(LIBRARIES))?;
    match variables.iter().all(|(name, value)| std::env::var_os(name).as_ref() == Some(value)) {
        true => Ok(()),
        false => start_again(&variables),
    }
}

const LIBRARIES: &str = "LD_LIBRARY_PATH";
const DRIVERS: &str = "LIBGL_DRIVERS_PATH";
const VENDORS: &str = "__EGL_VENDOR_LIBRARY_FILENAMES";
const VULKAN: &str = "VK_ICD_FILENAMES";

/// Returns the files of the Vulkan drivers of a folder: an installation's prefix, the folder of
/// these files, or a folder in which Mesa was built.
fn vulkan_drivers(folder: &Path) -> Vec<PathBuf> {
    let names_a_driver = |name: &OsStr| is_json(name) && name.to_string_lossy().contains("icd");
    let installed = [folder.join("share/vulkan/icd.d"), folder.to_owned()];
    let of = |folder: &PathBuf| files(folder, names_a_driver);
    if let Some(found) = installed.iter().map(of).find(|found| !found.is_empty()) {
        return found;
    }
    let any = |_: &OsStr| true;
    let built = ["src/intel", "src/amd", "src/gallium/targets"].map(|part| folder.join(part));
    built.iter().flat_map(|part| files(part, any)).flat_map(|part| of(&part)).collect()
}

/// Returns the variables for the driver of a folder; `before` are the library folders so far.
fn variables(folder: &Path, before: Option<OsString>) -> anyhow::Result<Vec<Variable>> {
    let folder = std::path::absolute(folder)?;
    let libraries = library_folders(&folder);
    let vulkan = vulkan_drivers(&folder);
    anyhow::ensure!(
        !libraries.is_empty() || !vulkan.is_empty(),
        "--driver: {} holds no libEGL, no folder `dri` and no Vulkan driver",
        folder.display()
    );
    let before = before.unwrap_or_default();
    let further = std::env::split_paths(&before)
        .filter(|path| !path.as_os_str().is_empty() && !libraries.contains(path));
    let all = std::env::join_paths(libraries.iter().cloned().chain(further))?;
    let mut variables = if libraries.is_empty() { vec![] } else { vec![(LIBRARIES, all)] };
    if !vulkan.is_empty() {
        variables.push((VULKAN, std::env::join_paths(vulkan)?));
    }
    let modules: Vec<PathBuf> =
        libraries.iter().map(|path| path.join("dri")).filter(|path| path.is_dir()).collect();
    if !modules.is_empty() {
        variables.push((DRIVERS, std::env::join_paths(modules)?));
    }
    // A Mesa for the vendor-neutral libEGL tells it its own library in a file.
    let vendor = files(&folder.join("share/glvnd/egl_vendor.d"), is_json);
    if !vendor.is_empty() {
        variables.push((VENDORS, std::env::join_paths(vendor)?));
    }
    Ok(variables)
}

/// Returns the folders with libraries of a driver: of an installation's prefix, or the folder
/// itself.
fn library_folders(folder: &Path) -> Vec<PathBuf> {
    let mut places = vec![folder.to_owned()];
    for name in ["lib", "lib64"] {
        let place = folder.join(name);
        // Debian's installations have a folder for each architecture.
        let architectures = files(&place, |name| name.to_string_lossy().contains("-linux-"));
        places.push(place);
        places.extend(architectures);
    }
    places.retain(|place| place.join("dri").is_dir() || !files(place, is_egl).is_empty());
    places
}

fn is_egl(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("libEGL")
}

fn is_json(name: &OsStr) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "json")
}

/// Returns the entries of a folder with some names, sorted; none if it cannot be read.
fn files(folder: &Path, wanted: impl Fn(&OsStr) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        entries.filter(|entry| wanted(&entry.file_name())).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(unix)]
fn start_again(variables: &[Variable]) -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt;
    let mut words = std::env::args_os();
    let mut command = std::process::Command::new(super::workers::program()?);
    command.arg0(words.next().unwrap_or_else(|| "runner".into()));
    let values = variables.iter().map(|(name, value)| (name, value));
    // Returns only if the system cannot start the program.
    Err(command.args(words).envs(values).exec().into())
}

#[cfg(not(unix))]
fn start_again(_: &[Variable]) -> anyhow::Result<()> {
    anyhow::bail!("--driver needs a system with LD_LIBRARY_PATH")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    #[test]
    fn installations_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        assert!(variables(root, None).is_err());
        let libraries = root.join("lib/x86_64-linux-gnu");
        create_dir_all(libraries.join("dri")).expect("a folder");
        let of = |before: Option<&str>| variables(root, before.map(Into::into)).expect("variables");
        let drivers = (DRIVERS, libraries.join("dri").into_os_string());
        assert_eq!(of(None), [(LIBRARIES, libraries.clone().into_os_string()), drivers.clone()]);
        let joined = std::env::join_paths([&libraries, Path::new("/old")]).expect("paths");
        let after = of(Some("/old"));
        assert_eq!(after, [(LIBRARIES, joined.clone()), drivers.clone()]);
        // The process that was started again has nothing to change.
        assert_eq!(of(joined.to_str()), after);
        let vendor = root.join("share/glvnd/egl_vendor.d");
        create_dir_all(&vendor).expect("a folder");
        write(vendor.join("50_mesa.json"), "{}").expect("a file");
        assert_eq!(of(None)[2], (VENDORS, vendor.join("50_mesa.json").into_os_string()));
        // A build of Vulkan drivers alone.
        let built = tempfile::tempdir().expect("a folder");
        let place = built.path().join("src/intel/vulkan");
        create_dir_all(&place).expect("a folder");
        let file = place.join("intel_devenv_icd.x86_64.json");
        write(&file, "{}").expect("a file");
        let found = variables(built.path(), None).expect("variables");
        assert_eq!(found, [(VULKAN, file.into_os_string())]);
        // The folder of the libraries itself.
        write(libraries.join("libEGL.so.1"), "").expect("a file");
        assert_eq!(
            variables(&libraries, None).expect("variables")[0].1,
            libraries.into_os_string()
        );
    }
}
