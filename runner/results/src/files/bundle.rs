//! Failure bundles: files in a run's folder that explain a result.
//!
//! `failures/<test name>/@<gen>/` holds `bundle.json` (the result, the command that repeats it, the
//! OpenGL driver, and every probe with the values of both executors), `script.shader_test`,
//! `expected.png` (the probed areas), `simulator.png`, `reference.png` and `difference.png` (the
//! framebuffer at the first failed probe), `<stage>.ir` (the input of the back end) and
//! `<stage>.<width>.eu` (the executed code). Only `bundle.json` is always present. A bundle is
//! written beside its final place and renamed, so that it is complete or absent.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::jsonl::DriverHeader;
use crate::verdict::{Phase, TestResult};

/// Folder of the bundles in a run's folder.
const FOLDER: &str = "failures";
/// File of the result and its probes.
const BUNDLE_FILE: &str = "bundle.json";
/// File of the test's text.
const SCRIPT_FILE: &str = "script.shader_test";
/// Version of the format.
const FORMAT: u32 = 1;
/// Maximum size of one text in bytes.
const TEXT_BYTES: usize = 256 << 10;
/// Maximum number of probes: failed ones first, then the first others.
const PROBES: usize = 200;
/// Maximum length of a folder name.
const NAME_BYTES: usize = 200;

/// Images of a bundle, by file name without `.png`.
pub const IMAGES: [&str; 5] = ["expected", "simulator", "driver", "reference", "difference"];

/// The explanation of one result.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The explained result.
    pub result: TestResult,
    /// The command that executes the test case again, if known.
    pub command: Option<String>,
    /// The OpenGL driver that executed the test, if one did.
    pub driver: Option<DriverHeader>,
    /// Executed probes in order.
    pub probes: Vec<ProbeRecord>,
    /// Text of the test.
    pub script: String,
    /// `<stage>.ir` and `<stage>.<width>.eu`, or the output of a program, by name.
    pub texts: BTreeMap<String, String>,
    /// PNG files by name, those of [`IMAGES`].
    pub images: BTreeMap<&'static str, Vec<u8>>,
}

/// One probe, with the values of both executors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// Line of the test file.
    pub line: u32,
    /// The probe as the file writes it.
    pub what: String,
    /// Expected value.
    pub expected: String,
    /// Value on the simulator; `None` if it did not run.
    pub simulator: Option<String>,
    /// Value on the reference interpreter; `None` if it did not run.
    pub reference: Option<String>,
    /// The phase that broke; `None` if the probe passed.
    #[serde(rename = "layer")]
    pub phase: Option<Phase>,
}

/// Contents of `bundle.json`.
#[derive(Serialize, Deserialize)]
struct Record {
    format: u32,
    result: TestResult,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    driver: Option<DriverHeader>,
    probes: Vec<ProbeRecord>,
    texts: Vec<String>,
}

/// A bundle that exists but cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct BundleError {
    /// Path of the file.
    pub path: String,
    /// Description of the problem.
    pub message: String,
}

impl Bundle {
    /// Returns a bundle of a result and the text of its test, without an explanation.
    pub fn plain(result: &TestResult, text: &[u8]) -> Bundle {
        let mut bundle = Bundle {
            result: result.clone(),
            command: None,
            driver: None,
            probes: Vec::new(),
            script: String::from_utf8_lossy(text).into_owned(),
            texts: BTreeMap::new(),
            images: BTreeMap::new(),
        };
        bundle.cut();
        bundle
    }

    /// Truncates texts and the list of probes to their maximum sizes.
    pub fn cut(&mut self) {
        cut(&mut self.script);
        self.texts.values_mut().for_each(cut);
        if self.probes.len() > PROBES {
            let mut order: Vec<usize> = (0..self.probes.len()).collect();
            order.sort_by_key(|&index| self.probes[index].phase.is_none());
            order.truncate(PROBES);
            order.sort_unstable();
            self.probes = order.into_iter().map(|index| self.probes[index].clone()).collect();
        }
    }

    /// Writes the bundle into a run's folder and replaces an earlier one.
    ///
    /// # Errors
    /// Fails if a file cannot be written; no bundle is left behind then.
    pub fn write(&self, run: &Path) -> io::Result<()> {
        let place = folder(run, &self.result.test, &self.result.generation);
        let parent = place.parent().unwrap_or(run);
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let temporary = parent.join(format!("{name}.new"));
        // A killed run may have left a partial bundle.
        remove(&temporary)?;
        fs::create_dir_all(&temporary)?;
        let written = self
            .write_files(&temporary)
            .and_then(|()| remove(&place))
            .and_then(|()| fs::rename(&temporary, &place));
        if written.is_err() {
            // The write error is reported; a failed cleanup adds no information.
            let _ = fs::remove_dir_all(&temporary);
        }
        written
    }

    fn write_files(&self, folder: &Path) -> io::Result<()> {
        if !self.script.is_empty() {
            fs::write(folder.join(SCRIPT_FILE), &self.script)?;
        }
        for (name, text) in &self.texts {
            fs::write(folder.join(name), text)?;
        }
        for (name, png) in &self.images {
            fs::write(folder.join(format!("{name}.png")), png)?;
        }
        let record = Record {
            format: FORMAT,
            result: self.result.clone(),
            command: self.command.clone(),
            driver: self.driver.clone(),
            probes: self.probes.clone(),
            texts: self.texts.keys().cloned().collect(),
        };
        fs::write(folder.join(BUNDLE_FILE), serde_json::to_vec_pretty(&record)?)
    }

    /// Reads the bundle of a result; `None` if there is none.
    ///
    /// # Errors
    /// Fails if the bundle is damaged or has a newer format.
    pub fn read(run: &Path, test: &str, generation: &str) -> Result<Option<Bundle>, BundleError> {
        let folder = folder(run, test, generation);
        let path = folder.join(BUNDLE_FILE);
        let error = |message: String| BundleError { path: path.display().to_string(), message };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e)
                if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(e) => return Err(error(e.to_string())),
        };
        let record: Record =
            serde_json::from_slice(&bytes).map_err(|e| error(format!("not a bundle: {e}")))?;
        if record.format > FORMAT {
            return Err(error(format!("format {} is newer than this runner", record.format)));
        }
        let text = |name: &str| {
            let bytes = fs::read(folder.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let texts = record.texts.iter().filter(|name| is_text_name(name));
        let image =
            |name: &&'static str| Some((*name, fs::read(folder.join(format!("{name}.png"))).ok()?));
        Ok(Some(Bundle {
            script: text(SCRIPT_FILE),
            texts: texts.map(|name| (name.clone(), text(name))).collect(),
            images: IMAGES.iter().filter_map(image).collect(),
            result: record.result,
            command: record.command,
            driver: record.driver,
            probes: record.probes,
        }))
    }
}

/// Returns the total size of a result's bundle in bytes.
pub fn size(run: &Path, test: &str, generation: &str) -> u64 {
    let entries = fs::read_dir(folder(run, test, generation)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// Removes a folder if it exists.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns true if a run's folder holds any bundles.
pub fn any(run: &Path) -> bool {
    run.join(FOLDER).is_dir()
}

/// Returns the folder of a result's bundle. Names come from results files and may hold any bytes:
/// each part of a name becomes one folder name that is none of `.`, `..` or the name of another
/// file.
pub fn folder(run: &Path, test: &str, generation: &str) -> PathBuf {
    let mut path = run.join(FOLDER);
    path.extend(test.split('/').map(folder_name));
    path.join(format!("@{}", folder_name(generation)))
}

fn folder_name(part: &str) -> String {
    let mut name = String::new();
    for byte in part.bytes() {
        let first = name.is_empty();
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'+' | b'=' | b',' => {
                name.push(byte.into())
            }
            b'.' if !first => name.push('.'),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    if name.is_empty() {
        // An empty part, from `//` in a name.
        name.push('%');
    }
    if name.len() > NAME_BYTES {
        let hash = blake3::hash(part.as_bytes()).to_hex();
        name.truncate(NAME_BYTES);
        name.push_str(&format!("%%{}", &hash[..16]));
    }
    name
}

/// Ends of the names of a bundle's texts: code, and the output of programs.
const TEXTS: [&str; 4] = [".ir", ".eu", ".spvasm", ".log"];

/// Returns true for `fragment.ir`, `fragment.SIMD8.eu` and the like: names that stay inside the
/// folder.
fn is_text_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    name.chars().all(plain)
        && !name.starts_with('.')
        && TEXTS.iter().any(|extension| name.ends_with(extension))
}

/// Truncates a text after a whole line and appends a note.
fn cut(text: &mut String) {
    if text.len() > TEXT_BYTES {
        let end = text.as_bytes()[..TEXT_BYTES]
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |end| end + 1);
        let left = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("[cut: {left} more bytes]\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Status;

    fn bundle(test: &str) -> Bundle {
        let result = TestResult {
            phase: Some(Phase::Probe),
            reason: Some("line 3: <&\"'>".to_owned()),
            ..TestResult::plain(test, "ivb", Status::Fail)
        };
        Bundle {
            result,
            command: Some("runner a.shader_test --gen ivb".to_owned()),
            driver: Some(DriverHeader {
                renderer: "r".to_owned(),
                vendor: "v".to_owned(),
                version: "1".to_owned(),
            }),
            script: "[require]\n".to_owned(),
            texts: BTreeMap::from([("fragment.SIMD8.eu".to_owned(), "mov\n".to_owned())]),
            images: BTreeMap::from([("simulator", vec![1, 2])]),
            probes: vec![ProbeRecord { line: 3, ..ProbeRecord::default() }],
        }
    }

    #[test]
    fn names_that_would_lead_elsewhere() {
        let run = tempfile::tempdir().unwrap();
        let long = "x".repeat(300);
        let odd = [
            "../../etc",
            "/abs",
            "a//b",
            "a/./b",
            "<&\"'>",
            "a\u{1b}\n\0",
            "@ivb",
            "caf\u{e9}",
            &long,
            "",
        ];
        for name in odd {
            let bundle = bundle(name);
            bundle.write(run.path()).unwrap_or_else(|e| panic!("{name}: {e}"));
            bundle.write(run.path()).unwrap_or_else(|e| panic!("{name}, again: {e}"));
            assert_eq!(
                Bundle::read(run.path(), name, "ivb").unwrap().as_ref(),
                Some(&bundle),
                "{name}"
            );
            assert!(folder(run.path(), name, "ivb").starts_with(run.path().join(FOLDER)));
        }
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 1);
        assert_eq!(Bundle::read(run.path(), "a", "ivb").unwrap(), None);
    }

    #[test]
    fn a_test_below_a_test() {
        let run = tempfile::tempdir().unwrap();
        for name in ["a", "a/ivb", "a/@ivb"] {
            bundle(name).write(run.path()).unwrap();
        }
        for name in ["a", "a/ivb", "a/@ivb"] {
            assert_eq!(Bundle::read(run.path(), name, "ivb").unwrap().unwrap().result.test, name);
        }
    }

    #[test]
    fn damaged_bundles_are_errors() {
        let run = tempfile::tempdir().unwrap();
        bundle("a").write(run.path()).unwrap();
        let file = folder(run.path(), "a", "ivb").join(BUNDLE_FILE);
        let text = fs::read_to_string(&file).unwrap();
        for (damaged, message) in [
            (text[..text.len() / 2].to_owned(), "not a bundle"),
            (text.replace("\"format\": 1", "\"format\": 2"), "format 2 is newer"),
        ] {
            fs::write(&file, damaged).unwrap();
            let error = Bundle::read(run.path(), "a", "ivb").unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        fs::write(&file, text.replace("fragment.SIMD8.eu", "../../../secret.eu")).unwrap();
        assert!(Bundle::read(run.path(), "a", "ivb").unwrap().unwrap().texts.is_empty());
    }

    #[test]
    fn long_texts_and_many_probes_are_cut() {
        let mut big = bundle("a");
        big.script = "line\n".repeat(100_000);
        big.probes = (0..1000)
            .map(|line| ProbeRecord {
                line,
                phase: (line == 900).then_some(Phase::Probe),
                ..ProbeRecord::default()
            })
            .collect();
        big.cut();
        assert!(big.script.len() < TEXT_BYTES + 100 && big.script.ends_with("more bytes]\n"));
        assert_eq!((big.probes.len(), big.probes[199].line), (PROBES, 900));
    }
}
