//! Failure bundles: what explains a result, kept in the run's folder.
//!
//! `failures/<test name>/@<gen>/` holds `bundle.json` (the row, and every probe with what both executors showed),
//! `script.shader_test`, `simulator.png`, `reference.png` and `difference.png` (the framebuffer at the first probe that
//! failed), `<stage>.ir` (what the back end gets) and `<stage>.<width>.eu` (what was executed). Only `bundle.json` is
//! always there. A bundle is written beside its place and renamed: it is there whole or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::verdict::{Phase, TestResult};

/// The folder of bundles in a run's folder.
const FOLDER: &str = "failures";
/// The row and its probes.
const BUNDLE_FILE: &str = "bundle.json";
/// The test's text.
const SCRIPT_FILE: &str = "script.shader_test";
/// Version of the format.
const FORMAT: u32 = 1;
/// Most bytes kept of one text.
const TEXT_BYTES: usize = 256 << 10;
/// Most probes kept: those that failed, then the first ones.
const PROBES: usize = 200;
/// Longest name of a folder.
const NAME_BYTES: usize = 200;

/// The images of a bundle, by file name without `.png`.
pub const IMAGES: [&str; 3] = ["simulator", "reference", "difference"];

/// What explains one result.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The row.
    pub result: TestResult,
    /// Every probe that ran, in order.
    pub probes: Vec<ProbeRecord>,
    /// The test's text.
    pub script: String,
    /// `<stage>.ir` and `<stage>.<width>.eu`, by name.
    pub texts: BTreeMap<String, String>,
    /// PNG files by name, those of [`IMAGES`].
    pub images: BTreeMap<&'static str, Vec<u8>>,
}

/// One probe, with what both executors showed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// The file's line.
    pub line: u32,
    /// What it probes.
    pub what: String,
    /// What was expected.
    pub expected: String,
    /// What the simulator showed; `None` if it did not run.
    pub simulator: Option<String>,
    /// What the reference interpreter showed; `None` if it did not run.
    pub reference: Option<String>,
    /// The layer that broke; `None` if the probe passed.
    pub layer: Option<Phase>,
}

/// `bundle.json`.
#[derive(Serialize, Deserialize)]
struct Record {
    format: u32,
    result: TestResult,
    probes: Vec<ProbeRecord>,
    texts: Vec<String>,
}

/// A bundle that is there and cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct BundleError {
    /// The file.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Bundle {
    /// The bundle's size in bytes, about.
    pub fn size(&self) -> usize {
        let texts = self.texts.values().map(String::len).sum::<usize>();
        let images = self.images.values().map(Vec::len).sum::<usize>();
        self.script.len() + texts + images + self.probes.len() * 200
    }

    /// Cuts what is too long.
    pub fn cut(&mut self) {
        cut(&mut self.script);
        self.texts.values_mut().for_each(cut);
        if self.probes.len() > PROBES {
            let mut order: Vec<usize> = (0..self.probes.len()).collect();
            order.sort_by_key(|&index| self.probes[index].layer.is_none());
            order.truncate(PROBES);
            order.sort_unstable();
            self.probes = order.into_iter().map(|index| self.probes[index].clone()).collect();
        }
    }

    /// Writes it into a run's folder, in place of an earlier one.
    ///
    /// # Errors
    /// When it cannot be written; then it is not there.
    pub fn write(&self, run: &Path) -> io::Result<()> {
        let place = folder(run, &self.result.test, &self.result.target);
        let parent = place.parent().unwrap_or(run);
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let temporary = parent.join(format!("{name}.new"));
        // What a killed run left there.
        remove(&temporary)?;
        fs::create_dir_all(&temporary)?;
        let written = self
            .write_files(&temporary)
            .and_then(|()| remove(&place))
            .and_then(|()| fs::rename(&temporary, &place));
        if written.is_err() {
            // What went wrong is told; that the remains cannot be removed either adds nothing.
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
            probes: self.probes.clone(),
            texts: self.texts.keys().cloned().collect(),
        };
        fs::write(folder.join(BUNDLE_FILE), serde_json::to_vec_pretty(&record)?)
    }

    /// Reads a row's bundle; `None` if there is none.
    ///
    /// # Errors
    /// When there is one that is damaged or of a later format.
    pub fn read(run: &Path, test: &str, target: &str) -> Result<Option<Bundle>, BundleError> {
        let folder = folder(run, test, target);
        let path = folder.join(BUNDLE_FILE);
        let error = |message: String| BundleError { path: path.display().to_string(), message };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
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
        let image = |name: &&'static str| Some((*name, fs::read(folder.join(format!("{name}.png"))).ok()?));
        Ok(Some(Bundle {
            script: text(SCRIPT_FILE),
            texts: texts.map(|name| (name.clone(), text(name))).collect(),
            images: IMAGES.iter().filter_map(image).collect(),
            result: record.result,
            probes: record.probes,
        }))
    }
}

/// Removes a folder that may be there.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a run's folder holds any bundles.
pub fn any(run: &Path) -> bool {
    run.join(FOLDER).is_dir()
}

/// Where a row's bundle is. Names come from results files, which may hold anything: each part of a name becomes the
/// name of one folder that is none of `.`, `..`, a bundle's or anything else's.
pub fn folder(run: &Path, test: &str, target: &str) -> PathBuf {
    let mut path = run.join(FOLDER);
    path.extend(test.split('/').map(folder_name));
    path.join(format!("@{}", folder_name(target)))
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
        // `//` in a name.
        name.push('%');
    }
    if name.len() > NAME_BYTES {
        let hash = blake3::hash(part.as_bytes()).to_hex();
        name.truncate(NAME_BYTES);
        name.push_str(&format!("%%{}", &hash[..16]));
    }
    name
}

/// `fragment.ir`, `fragment.SIMD8.eu`: no name that leads out of the folder.
fn is_text_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    name.chars().all(plain) && !name.starts_with('.') && (name.ends_with(".ir") || name.ends_with(".eu"))
}

/// Cuts a text after a whole line, and says so.
fn cut(text: &mut String) {
    if text.len() > TEXT_BYTES {
        let end = text.as_bytes()[..TEXT_BYTES].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
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
            layer: Some(Phase::Probe),
            reason: Some("line 3: <&\"'>".to_owned()),
            ..TestResult::plain(test, "ivb", Status::Fail)
        };
        Bundle {
            result,
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
        let odd =
            ["../../etc", "/abs", "a//b", "a/./b", "<&\"'>", "a\u{1b}\n\0", "@ivb", "caf\u{e9}", &long, ""];
        for name in odd {
            let bundle = bundle(name);
            bundle.write(run.path()).unwrap_or_else(|e| panic!("{name}: {e}"));
            bundle.write(run.path()).unwrap_or_else(|e| panic!("{name}, again: {e}"));
            assert_eq!(Bundle::read(run.path(), name, "ivb").unwrap().as_ref(), Some(&bundle), "{name}");
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
                layer: (line == 900).then_some(Phase::Probe),
                ..ProbeRecord::default()
            })
            .collect();
        big.cut();
        assert!(big.script.len() < TEXT_BYTES + 100 && big.script.ends_with("more bytes]\n"));
        assert_eq!((big.probes.len(), big.probes[199].line), (PROBES, 900));
    }
}
