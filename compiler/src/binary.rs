//! Binaries on disk: `meta.json` with everything a device must know, and the raw bytes of each kernel beside it.
//!
//! Layout of a folder: `<stage>/meta.json` and `<stage>/<width>.bin`, the stage named as in results with underscores. Kernels in
//! `meta.json` carry no code; the bytes are the machine's own, so that other tools can read and write them.

use intel::output::{Compiled, Stage};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// Version of the folder's layout and of `meta.json`.
const FORMAT: u32 = 1;
/// Largest kernel or metadata file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// One stage's code with its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// Generation the code is for.
    pub generation: String,
    /// Kernels and metadata.
    pub compiled: Compiled,
}

/// Why a binary could not be read or written.
#[derive(Debug, Error)]
pub enum BinaryError {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// `meta.json` is not what it should be.
    #[error("{path}: {message}")]
    Metadata {
        /// File.
        path: PathBuf,
        /// Reason, with line and column where there is one.
        message: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Meta {
    format: u32,
    generation: String,
    #[serde(flatten)]
    compiled: Compiled,
}

/// Name of a stage's folder.
pub fn stage_folder(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::TessControl => "tessellation_control",
        Stage::TessEval => "tessellation_evaluation",
        Stage::Geometry => "geometry",
        Stage::Fragment => "fragment",
        Stage::Compute => "compute",
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> BinaryError + '_ {
    move |source| BinaryError::Io { path: path.to_path_buf(), source }
}

fn bad(path: &Path, message: impl Into<String>) -> BinaryError {
    BinaryError::Metadata { path: path.to_path_buf(), message: message.into() }
}

fn read_limited(path: &Path) -> Result<Vec<u8>, BinaryError> {
    let size = fs::metadata(path).map_err(io_error(path))?.len();
    if size > MAX_FILE {
        return Err(bad(path, format!("{size} bytes are more than the {MAX_FILE} that a binary may have")));
    }
    fs::read(path).map_err(io_error(path))
}

impl Binary {
    /// Writes the stage's folder below `folder`.
    pub fn write(&self, folder: &Path) -> Result<(), BinaryError> {
        let folder = folder.join(stage_folder(self.compiled.stage));
        fs::create_dir_all(&folder).map_err(io_error(&folder))?;
        let mut compiled = self.compiled.clone();
        for kernel in &mut compiled.kernels {
            let path = folder.join(format!("{}.bin", kernel.width.name()));
            fs::write(&path, std::mem::take(&mut kernel.code)).map_err(io_error(&path))?;
        }
        let meta = Meta { format: FORMAT, generation: self.generation.clone(), compiled };
        let path = folder.join("meta.json");
        let text = serde_json::to_string_pretty(&meta).map_err(|e| bad(&path, e.to_string()))?;
        fs::write(&path, text + "\n").map_err(io_error(&path))
    }

    /// Reads a stage's folder below `folder`; `None` when there is none.
    pub fn read(folder: &Path, stage: Stage) -> Result<Option<Binary>, BinaryError> {
        let folder = folder.join(stage_folder(stage));
        let path = folder.join("meta.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = read_limited(&path)?;
        let mut meta: Meta = serde_json::from_slice(&text).map_err(|e| bad(&path, e.to_string()))?;
        if meta.format != FORMAT {
            return Err(bad(&path, format!("format {} is not format {FORMAT}", meta.format)));
        }
        if meta.compiled.stage != stage {
            return Err(bad(&path, "describes another stage"));
        }
        if meta.compiled.kernels.is_empty() {
            return Err(bad(&path, "lists no kernels"));
        }
        for kernel in &mut meta.compiled.kernels {
            kernel.code = read_limited(&folder.join(format!("{}.bin", kernel.width.name())))?;
        }
        Ok(Some(Binary { generation: meta.generation, compiled: meta.compiled }))
    }
}
