//! Shaders that radeonsi made, executed in place of ours in the tests they come from, against the
//! interpreter: `../shared/anchors` beside the workspace, or the folder that `RADEONSI_ANCHORS`
//! names, and piglit's folder. Skipped with a warning where files are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use amd_device::{ForeignDevice, ForeignShader};
use execute::{
    DeviceFactory, DeviceKind, DeviceRequest, Devices, RunOptions, TestCase, run_script,
};
use program::Stage;
use raster::device::DeviceError;
use shader_device::ShaderDevice;
use vocabulary::Target;

/// Shaders that more tests have are the driver's own.
const MOST_TESTS: u32 = 8;
/// Shaders that have to run.
const LEAST: usize = 150;

fn anchors() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/anchors");
    std::env::var_os("RADEONSI_ANCHORS").map_or_else(beside, PathBuf::from)
}

/// A shader in the list of counts: heading, number of instructions, true if it is the test's own.
struct Counted {
    heading: String,
    instructions: u32,
    is_own: bool,
}

/// The shaders of each test, in the order of the listing.
fn counted_shaders(csv: &str) -> BTreeMap<String, Vec<Counted>> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).expect("a column");
    let [test, chip, stage, count, shared] =
        ["test", "chip", "stage", "instructions", "shared_by_tests"].map(column);
    let mut tests: BTreeMap<String, Vec<Counted>> = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok());
        if let (Some(instructions), Some(shared), "tahiti") =
            (number(count), number(shared), fields[chip])
        {
            let (heading, is_own) = (fields[stage].to_owned(), shared <= MOST_TESTS);
            let shader = Counted { heading, instructions, is_own };
            tests.entry(fields[test].to_owned()).or_default().push(shader);
        }
    }
    tests
}

/// Says which shaders of a listing are the test's own. Each is the next in the list of counts with
/// its heading and size.
fn own_shaders(shaders: &[ForeignShader], counted: &[Counted]) -> Vec<bool> {
    let mut next = 0;
    let mut own = Vec::new();
    for shader in shaders {
        let is_it = |counted: &Counted| {
            (&counted.heading, counted.instructions) == (&shader.heading, shader.instructions)
        };
        let found = counted[next..].iter().position(is_it).map(|distance| next + distance);
        next = found.map_or(next, |at| at + 1);
        own.push(found.is_some_and(|at| counted[at].is_own));
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

/// The pairs of shaders that can be the test's, and which of them are its own: pairs with more of
/// its own come first, then earlier ones, since later ones have uniforms built in.
fn candidates<'a>(
    shaders: &'a [ForeignShader],
    counted: &[Counted],
) -> Vec<([&'a ForeignShader; 2], BTreeSet<Stage>)> {
    let own = own_shaders(shaders, counted);
    let mut found = Vec::new();
    for (first, pair) in ForeignShader::pairs(shaders) {
        let stages = [(Stage::Vertex, own[first]), (Stage::Fragment, own[first + 1])];
        let of_test = stages.into_iter().filter(|(_, is_own)| *is_own).map(|(stage, _)| stage);
        let of_test: BTreeSet<Stage> = of_test.collect();
        if !of_test.is_empty() && pair.iter().all(|shader| !shader.relocated) {
            found.push((pair, of_test));
        }
    }
    found.sort_by_key(|(_, stages)| std::cmp::Reverse(stages.len()));
    found
}

struct Factory<'a> {
    devices: Devices,
    pairs: Vec<[&'a ForeignShader; 2]>,
    executed: Arc<Mutex<BTreeSet<(usize, Stage)>>>,
}

impl DeviceFactory for Factory<'_> {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        if request.kind == DeviceKind::Interpreter {
            return self.devices.create(request);
        }
        let executed = self.executed.clone();
        let report = move |pair, stage| {
            executed.lock().expect("no panic").insert((pair, stage));
        };
        let limit = request.step_limit;
        let device = ForeignDevice::new(&self.pairs, limit, Arc::default(), Box::new(report))?;
        Ok(Box::new(device))
    }
}

/// Result of a test.
#[derive(Default)]
struct Outcome {
    /// Shaders of the test's own that radeonsi's code executed.
    executed: Vec<Stage>,
    /// Reason of a failure with that code.
    failure: Option<String>,
}

/// Runs a test with radeonsi's shaders, if a pair of them fits.
fn run(piglit: &Path, test: &str, listing: &str, counted: &[Counted]) -> Option<Outcome> {
    let shaders = ForeignShader::parse(listing);
    let (pairs, of_test): (Vec<_>, Vec<_>) = candidates(&shaders, counted).into_iter().unzip();
    if pairs.is_empty() {
        return None;
    }
    let text = std::fs::read(piglit.join(format!("{test}.shader_test"))).ok()?;
    let script = script::parse(&text).ok()?;
    let stages = Arc::new(Mutex::new(BTreeSet::new()));
    let factory = Factory { devices: Devices::default(), pairs, executed: stages.clone() };
    let options = RunOptions::default();
    let verdict = run_script(&script, &TestCase::new(test, Target::SI, &options, &factory));
    let stages = stages.lock().expect("no panic");
    let is_own = |(pair, stage): &&(usize, Stage)| of_test[*pair].contains(stage);
    let executed = stages.iter().filter(is_own).map(|(_, stage)| *stage).collect();
    let cause = verdict.cause.filter(|_| !stages.is_empty());
    let failure = cause.map(|(phase, reason)| format!("{test}: {phase:?}: {reason}"));
    Some(Outcome { executed, failure })
}

#[test]
fn radeonsis_shaders_agree_with_the_interpreter() {
    let piglit = Path::new("/usr/lib/x86_64-linux-gnu/piglit");
    let csv = std::fs::read_to_string(anchors().join("radeonsi-22.3.6.csv"));
    let listings = listings(&anchors().join("radeonsi-shaders-tahiti.tar.zst"));
    let (Ok(csv), Some(listings), true) = (csv, listings, piglit.is_dir()) else {
        eprintln!("WARNING: radeonsi's shaders or piglit are missing: foreign shaders did not run");
        return;
    };
    let counted = counted_shaders(&csv);
    let run_all = |all: &[(String, String)]| -> Vec<Outcome> {
        let run_one = |(test, listing): &(String, String)| {
            run(piglit, test, listing, counted.get(test).map_or(&[][..], Vec::as_slice))
        };
        all.iter().filter_map(run_one).collect()
    };
    let (first, second) = listings.split_at(listings.len() / 2);
    let outcomes = std::thread::scope(|scope| {
        let other = scope.spawn(|| run_all(second));
        let mut outcomes = run_all(first);
        outcomes.extend(other.join().expect("no panic"));
        outcomes
    });
    let count = |stage| outcomes.iter().flat_map(|o| &o.executed).filter(|s| **s == stage).count();
    let (vertex, fragment) = (count(Stage::Vertex), count(Stage::Fragment));
    println!("{vertex} vertex and {fragment} fragment shaders of radeonsi executed");
    let failures: Vec<&String> = outcomes.iter().filter_map(|o| o.failure.as_ref()).collect();
    failures.iter().for_each(|failure| println!("{failure}"));
    assert!(vertex + fragment >= LEAST, "{} ran", vertex + fragment);
    assert!(failures.is_empty(), "{} disagreements", failures.len());
}
