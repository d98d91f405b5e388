//! Shaders that radeonsi made, executed in place of ours in the tests they come from, against the
//! interpreter: `../shared/anchors` beside the workspace, or the folder that `RADEONSI_ANCHORS`
//! names, and piglit's folder. Skipped with a warning where files are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use execute::devices::{ForeignDevice, ForeignShader};
use execute::{
    DeviceFactory, DeviceKind, DeviceRequest, Devices, RunOptions, ShaderDevice, run_script,
};
use program::Stage;
use softgl::device::DeviceError;
use vocabulary::Generation;

/// Shaders that more tests have are the driver's own.
const MOST_TESTS: u32 = 8;
/// Shaders that have to run.
const LEAST: usize = 150;

fn anchors() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/anchors");
    std::env::var_os("RADEONSI_ANCHORS").map_or_else(beside, PathBuf::from)
}

/// Headings and numbers of instructions of each test's own shaders.
fn own_shaders(csv: &str) -> BTreeMap<String, Vec<(String, u32)>> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).expect("a column");
    let [test, chip, stage, count, shared] =
        ["test", "chip", "stage", "instructions", "shared_by_tests"].map(column);
    let mut own: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok());
        if let (Some(count), Some(shared), "tahiti") = (number(count), number(shared), fields[chip])
            && shared <= MOST_TESTS
        {
            own.entry(fields[test].to_owned()).or_default().push((fields[stage].to_owned(), count));
        }
    }
    own
}

/// The files of the archive: the test's name and its listing.
fn listings(archive: &Path) -> Option<Vec<(String, String)>> {
    let folder = std::env::temp_dir().join(format!("radeonsi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let mut tar = Command::new("tar");
    let done = tar.arg("--zstd").arg("-xf").arg(archive).arg("-C").arg(&folder).status().ok()?;
    let mut all = Vec::new();
    if done.success() {
        for entry in std::fs::read_dir(&folder).ok()?.flatten() {
            let name = entry.file_name().to_string_lossy().replace('@', "/");
            let test = name.trim_end_matches(".shader_test.s").to_owned();
            all.push((test, std::fs::read_to_string(entry.path()).ok()?));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    all.sort();
    (!all.is_empty()).then_some(all)
}

/// The first shader of each stage that is the test's own: later ones have uniforms built in.
fn chosen(listing: &str, own: &[(String, u32)]) -> BTreeMap<Stage, ForeignShader> {
    let shaders = ForeignShader::parse(listing);
    let mut chosen = BTreeMap::new();
    for (heading, stage) in
        [("Vertex Shader as VS", Stage::Vertex), ("Pixel Shader", Stage::Fragment)]
    {
        let is_own = |shader: &&ForeignShader| {
            shader.heading == heading
                && own.iter().any(|(h, count)| h == heading && *count == shader.instructions)
        };
        if let Some(shader) = shaders.iter().find(is_own) {
            chosen.insert(stage, shader.clone());
        }
    }
    chosen
}

struct Factory {
    devices: Devices,
    shaders: BTreeMap<Stage, ForeignShader>,
    executed: Arc<Mutex<BTreeSet<Stage>>>,
}

impl DeviceFactory for Factory {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        if request.kind == DeviceKind::Interpreter {
            return self.devices.create(request);
        }
        let executed = self.executed.clone();
        let report = move |stage| {
            executed.lock().expect("no panic").insert(stage);
        };
        let budget = request.step_limit;
        let device = ForeignDevice::new(&self.shaders, budget, Arc::default(), Box::new(report))?;
        Ok(Box::new(device))
    }
}

// The documentation of the crates for GCN lists the disagreements that are left.
#[test]
#[ignore = "vertex shaders leave constants of varyings to radeonsi's own fragment shaders"]
fn radeonsis_shaders_agree_with_the_interpreter() {
    let piglit = Path::new("/usr/lib/x86_64-linux-gnu/piglit");
    let csv = std::fs::read_to_string(anchors().join("radeonsi-22.3.6.csv"));
    let listings = listings(&anchors().join("radeonsi-shaders-tahiti.tar.zst"));
    let (Ok(csv), Some(listings), true) = (csv, listings, piglit.is_dir()) else {
        eprintln!("WARNING: radeonsi's shaders or piglit are missing: foreign shaders did not run");
        return;
    };
    let own = own_shaders(&csv);
    let mut executed: BTreeMap<Stage, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for (test, listing) in &listings {
        let shaders = chosen(listing, own.get(test).map_or(&[][..], Vec::as_slice));
        let path = piglit.join(format!("{test}.shader_test"));
        let Ok(text) = std::fs::read(&path) else { continue };
        let Ok(script) = script::parse(&text) else { continue };
        let stages = Arc::new(Mutex::new(BTreeSet::new()));
        let factory = Factory { devices: Devices::default(), shaders, executed: stages.clone() };
        let options = RunOptions::default();
        let verdict = run_script(&script, test, Generation::Si, &options, &factory);
        let stages = stages.lock().expect("no panic");
        for &stage in stages.iter() {
            *executed.entry(stage).or_default() += 1;
        }
        if let (Some((phase, reason)), false) = (&verdict.cause, stages.is_empty()) {
            failures.push(format!("{test} {stages:?}: {phase:?}: {reason}"));
        }
    }
    let total: usize = executed.values().sum();
    println!("{total} shaders of radeonsi executed: {executed:?}");
    println!("{} disagreements", failures.len());
    failures.iter().for_each(|failure| println!("{failure}"));
    assert!(total >= LEAST, "{total} ran");
    assert!(failures.is_empty(), "{} disagreements", failures.len());
}
