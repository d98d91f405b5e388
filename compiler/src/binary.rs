//! Binaries on disk: `meta.json` with everything a device must know, and the raw bytes of each
//! kernel beside it.
//!
//! Layout of a folder: `<stage>/meta.json` and `<stage>/<width>.bin`, the stage named as in results
//! with underscores. Kernels in `meta.json` carry no code; the bytes are the machine's own, so that
//! other tools can read and write them.

use crate::plausible;
use intel_codegen::output::{Output, Stage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// Version of the folder's layout and of `meta.json`.
pub(crate) const FORMAT: u32 = 1;
/// Largest kernel or metadata file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// One stage's code with its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// Generation the code is for.
    pub generation: String,
    /// Kernels and metadata.
    pub compiled: Output,
}

/// A binary that cannot be read or written.
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

#[derive(Serialize)]
struct Meta {
    format: u32,
    generation: String,
    #[serde(flatten)]
    compiled: Output,
}

/// The part of the metadata that is not the compiler's output.
#[derive(Deserialize)]
struct Header {
    format: u32,
    generation: String,
}

impl Meta {
    /// Converts metadata. Files and answers of other compilers both come as values: code for one
    /// source of data is generated, instead of one for each.
    fn from_value(value: Value) -> serde_json::Result<Meta> {
        let Header { format, generation } = Header::deserialize(&value)?;
        Ok(Meta { format, generation, compiled: Output::deserialize(value)? })
    }
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
        return Err(bad(
            path,
            format!("{size} bytes are more than the {MAX_FILE} that a binary may have"),
        ));
    }
    fs::read(path).map_err(io_error(path))
}

/// The folder of a stage: metadata and programs.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes the stage's folder below `folder`.
    pub(crate) fn create(folder: &Path, stage: Stage) -> Result<Folder, BinaryError> {
        let folder = folder.join(stage_folder(stage));
        fs::create_dir_all(&folder).map_err(io_error(&folder))?;
        Ok(Folder(folder))
    }

    fn metadata_path(&self) -> PathBuf {
        self.0.join("meta.json")
    }

    /// Writes metadata and the bytes of each program by its name.
    pub(crate) fn write(
        &self,
        metadata: &impl Serialize,
        programs: impl IntoIterator<Item = (&'static str, Vec<u8>)>,
    ) -> Result<(), BinaryError> {
        for (name, code) in programs {
            let path = self.0.join(format!("{name}.bin"));
            fs::write(&path, code).map_err(io_error(&path))?;
        }
        let text = serde_json::to_string_pretty(metadata);
        let text = text.map_err(|error| self.refuse(error.to_string()))?;
        let path = self.metadata_path();
        fs::write(&path, text + "\n").map_err(io_error(&path))
    }

    /// Reads the metadata in the stage's folder below `folder`, if there is any.
    pub(crate) fn read(
        folder: &Path,
        stage: Stage,
    ) -> Result<Option<(Folder, Value)>, BinaryError> {
        let folder = Folder(folder.join(stage_folder(stage)));
        let path = folder.metadata_path();
        if !path.exists() {
            return Ok(None);
        }
        let text = read_limited(&path)?;
        let metadata =
            serde_json::from_slice(&text).map_err(|error| folder.refuse(error.to_string()))?;
        Ok(Some((folder, metadata)))
    }

    /// Reads the bytes of a program.
    pub(crate) fn program(&self, name: &str) -> Result<Vec<u8>, BinaryError> {
        read_limited(&self.0.join(format!("{name}.bin")))
    }

    /// Returns the error of wrong metadata.
    pub(crate) fn refuse(&self, message: impl Into<String>) -> BinaryError {
        bad(&self.metadata_path(), message)
    }
}

impl Binary {
    /// Writes the stage's folder below `folder`.
    ///
    /// # Errors
    /// A file or folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), BinaryError> {
        let kernels = self.compiled.kernels.iter();
        let programs = kernels.map(|kernel| (kernel.width.name(), kernel.code.clone()));
        Folder::create(folder, self.compiled.stage)?.write(&self.meta(), programs)
    }

    /// Returns the contents of `meta.json`: everything but the kernels' bytes.
    pub fn metadata(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self.meta())
    }

    fn meta(&self) -> Meta {
        let mut compiled = self.compiled.clone();
        compiled.kernels.iter_mut().for_each(|kernel| kernel.code.clear());
        Meta { format: FORMAT, generation: self.generation.clone(), compiled }
    }

    /// Puts a stage's binary together from its metadata and the bytes of each kernel by width
    /// (`vec4`, `SIMD8`, …). The error says what is wrong.
    pub fn from_metadata(
        metadata: Value,
        stage: Stage,
        code: impl Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Binary, String> {
        let meta = Meta::from_value(metadata).map_err(|error| error.to_string())?;
        Binary::complete(meta, stage, code, |message| message)
    }

    fn complete<E>(
        mut meta: Meta,
        stage: Stage,
        code: impl Fn(&str) -> Result<Vec<u8>, E>,
        wrong: impl Fn(String) -> E,
    ) -> Result<Binary, E> {
        if meta.format != FORMAT {
            return Err(wrong(format!("format {} is not format {FORMAT}", meta.format)));
        }
        if meta.compiled.stage != stage {
            return Err(wrong("describes another stage".to_owned()));
        }
        if meta.compiled.kernels.is_empty() {
            return Err(wrong("lists no kernels".to_owned()));
        }
        plausible::check(&meta.compiled).map_err(&wrong)?;
        for kernel in &mut meta.compiled.kernels {
            kernel.code = code(kernel.width.name())?;
        }
        Ok(Binary { generation: meta.generation, compiled: meta.compiled })
    }

    /// Reads a stage's folder below `folder`; `None` when there is none.
    ///
    /// # Errors
    /// A file cannot be read, is too large, or `meta.json` describes something else: another stage
    /// or format, no kernels, sizes that no thread can have.
    pub fn read(folder: &Path, stage: Stage) -> Result<Option<Binary>, BinaryError> {
        let Some((folder, metadata)) = Folder::read(folder, stage)? else { return Ok(None) };
        let meta = Meta::from_value(metadata).map_err(|error| folder.refuse(error.to_string()))?;
        let code = |width: &str| folder.program(width);
        Binary::complete(meta, stage, code, |message| folder.refuse(message)).map(Some)
    }
}
