//! A virtual GPU for programs that the command starts: service, environment, failed batches.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, bail};
use gpu_service::{Event, KernelUse, Model, Server, Settings, Summary};
use results::verdict::{Phase, Verdict};
use vocabulary::Generation;

use crate::console::message::message;
use crate::device_library;
use crate::temporary_folder::TemporaryFolder;
use supervise::Environment;

/// Environment variable with the file of failed batches.
const FAILURES_VARIABLE: &str = "RUNNER_GPU_FAILURES";
/// Longest time for which processes may outlive the command.
const CLOSING_TIME: Duration = Duration::from_secs(5);
/// Variables that would make a process use another driver.
const OTHER_DRIVERS: [&str; 3] =
    ["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER", "MESA_LOADER_DRIVER_OVERRIDE"];

/// Variables that choose Vulkan drivers by their files.
const VULKAN_VARIABLES: [&str; 2] = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"];
/// Folders in which the files of Vulkan drivers are installed.
const VULKAN_FOLDERS: [&str; 3] =
    ["/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d"];

/// Variable that chooses OpenCL drivers by their files.
const OPEN_CL_VARIABLE: &str = "OCL_ICD_VENDORS";
/// File of Mesa's OpenCL driver that uses the virtual GPU; an older one beside it does not.
const OPEN_CL_DRIVER: &str = "/etc/OpenCL/vendors/rusticl.icd";

/// A running virtual GPU.
pub struct VirtualGpu {
    generation: Generation,
    library: PathBuf,
    folder: TemporaryFolder,
    server: Option<Server>,
}

impl VirtualGpu {
    /// Starts a virtual GPU. `show` receives lines for the user; failed batches also go to a file
    /// that processes can read.
    ///
    /// # Errors
    /// Fails without the device library, and if files cannot be created.
    pub fn start(
        generation: Generation,
        record: Option<PathBuf>,
        show: impl Fn(&str) + Send + Sync + 'static,
    ) -> anyhow::Result<VirtualGpu> {
        let library = device_library::path()?;
        let folder = TemporaryFolder::create("gpu")?;
        let failures = Mutex::new(File::create(folder.path().join("failures"))?);
        let observer = move |event| match event {
            Event::Log { pid, text } => show(&format!("gpu: process {pid}: {text}")),
            Event::Failed { pid, batch, text } => {
                // The reply to the process follows, so that it finds the line.
                if let Ok(mut file) = failures.lock() {
                    let line = format!("{} {text}\n", lineage(pid).join(","));
                    let _ = file.write_all(line.as_bytes());
                }
                show(&format!("gpu: process {pid}: batch {batch} failed: {text}"));
            }
        };
        // Recordings are for a look at single tests.
        let counts_kernels = record.is_none();
        let observer = Box::new(observer);
        let model = Vendor::of(generation).model(generation);
        let settings = Settings { generation, model, record, counts_kernels, observer };
        let socket = folder.path().join("socket");
        let server = Server::start(&socket, settings).context("the service of the virtual GPU")?;
        Ok(VirtualGpu { generation, library, folder, server: Some(server) })
    }

    /// Changes of the environment of a process that shall see the GPU.
    #[must_use]
    pub fn environment(&self) -> Environment {
        let vendor = Vendor::of(self.generation);
        let unset = defaults().into_iter().chain(vendor.defaults().iter().copied());
        let unset = unset.filter(|(name, _)| std::env::var_os(name).is_none());
        let unset = unset.map(|(name, value)| (name.into(), Some(value.into())));
        let vulkan = vulkan_driver(self.generation)
            .map(|file| (VULKAN_VARIABLES[0].into(), Some(file.into())));
        let open_cl = open_cl_driver()
            .map(|file| (OPEN_CL_VARIABLE.into(), Some(file.as_os_str().to_owned())));
        let removed = OTHER_DRIVERS.into_iter().map(|name| (name.into(), None));
        let own: [(OsString, OsString); 4] = [
            ("LD_PRELOAD".into(), preload(&self.library)),
            (submission::SOCKET_VARIABLE.into(), self.folder.path().join("socket").into()),
            (submission::GENERATION_VARIABLE.into(), self.generation.name().into()),
            (FAILURES_VARIABLE.into(), self.folder.path().join("failures").into()),
        ];
        let own = own.into_iter().map(|(name, value)| (name, Some(value)));
        unset.chain(vulkan).chain(open_cl).chain(removed).chain(own).collect()
    }

    /// Waits for the end of all processes and returns the counts, with a reason if they prove
    /// nothing about the driver.
    #[must_use]
    pub fn finish(mut self) -> (Summary, Option<String>) {
        let summary = self.server.take().map(|server| server.finish(CLOSING_TIME));
        let summary = summary.unwrap_or_default();
        if summary.open > 0 {
            let seconds = CLOSING_TIME.as_secs();
            message!("gpu: {} connections are open after {seconds} s", summary.open);
        }
        let problem = problem(&summary, self.generation);
        (summary, problem)
    }
}

impl Drop for VirtualGpu {
    /// Ends the service before its folder goes.
    fn drop(&mut self) {
        self.server = None;
    }
}

/// Returns a process and those that it descends from.
fn lineage(pid: u32) -> Vec<String> {
    /// Longest list, should processes change while they are looked at.
    const MOST: usize = 32;
    let parent = |pid: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        line.trim().parse().ok().filter(|&parent| parent > 0)
    };
    let all = std::iter::successors(Some(pid), parent).take(MOST);
    all.map(|pid| pid.to_string()).collect()
}

/// Variables that are set unless the user has set them.
fn defaults() -> [(&'static str, &'static str); 4] {
    [
        ("PIGLIT_PLATFORM", "surfaceless_egl"),
        ("EGL_PLATFORM", "surfaceless"),
        ("MESA_SHADER_CACHE_DISABLE", "true"),
        // Mesa's threaded contexts drop the messages of the compiler.
        ("GALLIUM_THREAD", "0"),
    ]
}

/// A vendor of GPUs, with the names of its drivers in Mesa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vendor {
    Intel,
    Amd,
}

impl Vendor {
    fn of(generation: Generation) -> Vendor {
        if Generation::AMD.contains(&generation) { Vendor::Amd } else { Vendor::Intel }
    }

    /// The virtual GPU.
    fn model(self, generation: Generation) -> Model {
        match self {
            Vendor::Intel => intel_gpu::model(generation),
            Vendor::Amd => amd_gpu::model(generation),
        }
    }

    /// Variables that are set unless the user has set them: drivers of OpenCL, and what would cost
    /// time without a difference.
    fn defaults(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Vendor::Intel => &[("RUSTICL_ENABLE", "iris"), ("INTEL_DEBUG", "nohiz,noccs,nofc")],
            Vendor::Amd => &[("RUSTICL_ENABLE", "radeonsi")],
        }
    }

    /// File name of the driver in Mesa.
    fn driver(self, generation: Generation) -> &'static str {
        match self {
            Vendor::Intel => intel_gpu::Facts::of(generation).driver,
            Vendor::Amd => "radeonsi",
        }
    }

    /// Name of the Vulkan driver in Mesa, as its files have it.
    fn vulkan_driver(self, generation: Generation) -> &'static str {
        match self {
            Vendor::Intel => intel_gpu::Facts::of(generation).vulkan_driver,
            Vendor::Amd => "radeon",
        }
    }
}

/// Finds the file of Mesa's Vulkan driver for a generation, unless the user has chosen drivers.
fn vulkan_driver(generation: Generation) -> Option<PathBuf> {
    if VULKAN_VARIABLES.iter().any(|name| std::env::var_os(name).is_some()) {
        return None;
    }
    let stem = format!("{}_icd", Vendor::of(generation).vulkan_driver(generation));
    let is_driver = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.strip_prefix(&*stem)
            .is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".json"))
    };
    VULKAN_FOLDERS.iter().find_map(|folder| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_driver).collect();
        found.sort();
        // The library of this machine's architecture is the last one by name: x86_64.
        found.pop()
    })
}

/// Finds the file of Mesa's OpenCL driver, unless the user has chosen drivers.
fn open_cl_driver() -> Option<&'static Path> {
    let is_open = std::env::var_os(OPEN_CL_VARIABLE).is_none();
    Some(Path::new(OPEN_CL_DRIVER)).filter(|file| is_open && file.is_file())
}

/// The device library, then the libraries that the user preloads.
fn preload(library: &Path) -> OsString {
    let mut list = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}

/// Says why a run proves nothing about the driver.
fn problem(summary: &Summary, generation: Generation) -> Option<String> {
    let driver = Vendor::of(generation).driver(generation);
    if summary.processes == 0 {
        return Some(format!("no process opened the device; was {driver} loaded?"));
    }
    if summary.batches == 0 {
        return Some(
            "no batch arrived: the GPU's driver was not used, or failed at once".to_owned(),
        );
    }
    if summary.fallbacks > 0 {
        let count = summary.fallbacks;
        return Some(format!("{count} processes fell back to Mesa's software renderer"));
    }
    None
}

/// Checks the name of a device.
///
/// # Errors
/// Fails if the driver is none for a virtual GPU: Mesa falls back to software without a word.
pub fn check_renderer(renderer: &str) -> anyhow::Result<()> {
    let is_of_vendor = ["Intel", "AMD"].iter().any(|vendor| renderer.contains(vendor));
    if is_of_vendor && !renderer.contains("llvmpipe") {
        return Ok(());
    }
    bail!("the renderer is {renderer}: the driver of the virtual GPU was not used")
}

/// Failed batches of this process and of programs that it runs, read as they appear.
#[derive(Debug)]
pub struct Failures {
    path: PathBuf,
    read: u64,
}

impl Failures {
    /// Finds the file that the environment names.
    #[must_use]
    pub fn of_environment() -> Option<Failures> {
        let path = std::env::var_os(FAILURES_VARIABLE)?.into();
        Some(Failures { path, read: 0 })
    }

    /// Replaces the verdict of a test case by the first batch that failed meanwhile.
    pub fn judge(&mut self, verdict: Verdict) -> Verdict {
        match self.first() {
            Some(text) => Verdict::fail(Phase::Simulate, format!("virtual GPU: {text}")),
            None => verdict,
        }
    }

    /// The first new line of this process or of one that descends from it.
    fn first(&mut self) -> Option<String> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = OpenOptions::new().read(true).open(&self.path).ok()?;
        file.seek(SeekFrom::Start(self.read)).ok()?;
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        self.read += u64::try_from(whole).unwrap_or(0);
        let own = std::process::id().to_string();
        let mut lines = text[..whole].lines().filter_map(|line| line.split_once(' '));
        let is_own = |pids: &str| pids.split(',').any(|pid| pid == own);
        lines.find(|(pids, _)| is_own(pids)).map(|(_, text)| text.to_owned())
    }
}

/// Use of kernels by this process, which the virtual GPU counts.
#[derive(Debug)]
pub struct UsedKernels(UnixStream);

impl UsedKernels {
    /// Connects to the virtual GPU that the environment names.
    ///
    /// # Errors
    /// Fails without a virtual GPU.
    pub fn of_environment() -> anyhow::Result<UsedKernels> {
        let path = std::env::var_os(submission::SOCKET_VARIABLE).context("no virtual GPU")?;
        Ok(UsedKernels(UnixStream::connect(path)?))
    }

    /// Returns the kernels that were used since the last call.
    ///
    /// # Errors
    /// Fails if the virtual GPU has ended.
    pub fn take(&mut self) -> anyhow::Result<Vec<KernelUse>> {
        let request = submission::Request::Kernels(std::process::id());
        submission::send(&mut self.0, &request.encode())?;
        let frame = submission::receive(&mut self.0)?.context("the virtual GPU has ended")?;
        Ok(String::from_utf8_lossy(&frame).lines().filter_map(KernelUse::of_line).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_without_batches_are_no_success() {
        let good = Summary { processes: 1, batches: 2, commands: 9, ..Summary::default() };
        assert_eq!(problem(&good, Generation::Ivb), None);
        let silent = Summary { batches: 0, ..good.clone() };
        let text = problem(&silent, Generation::Ivb).expect("a problem");
        assert_eq!(text, "no batch arrived: the GPU's driver was not used, or failed at once");
        assert!(problem(&Summary { fallbacks: 1, ..good.clone() }, Generation::Skl).is_some());
        assert!(problem(&Summary { processes: 0, ..good }, Generation::Skl).is_some());
    }

    #[test]
    fn lineages_begin_with_the_process() {
        let own = std::process::id();
        let found = lineage(own);
        assert_eq!(found[0], own.to_string());
        #[cfg(target_os = "linux")]
        assert_eq!(found[1], std::os::unix::process::parent_id().to_string());
    }

    #[test]
    fn renderers() {
        assert!(check_renderer("Mesa Intel(R) HD Graphics 4000 (IVB GT2)").is_ok());
        assert!(check_renderer("AMD Radeon Graphics (polaris10, LLVM 15.0.6, DRM 3.49)").is_ok());
        assert!(check_renderer("llvmpipe (LLVM 15.0.6, 256 bits)").is_err());
    }

    #[test]
    fn failures_belong_to_processes() {
        let folder = std::env::temp_dir().join(format!("failures-{}", std::process::id()));
        let own = std::process::id();
        std::fs::write(&folder, format!("1 other\n9,{own},1 mine\n{own} later\n{own} hal"))
            .expect("a file");
        let mut failures = Failures { path: folder.clone(), read: 0 };
        let cause = |verdict: Verdict| verdict.cause.map(|(_, text)| text);
        let first = failures.judge(Verdict::pass());
        assert_eq!(cause(first).as_deref(), Some("virtual GPU: mine"));
        assert_eq!(failures.judge(Verdict::pass()), Verdict::pass());
        std::fs::remove_file(folder).expect("the file");
    }
}
