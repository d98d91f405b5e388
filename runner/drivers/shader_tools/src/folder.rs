//! Temporary folders for the texts that a program reads.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use vk_script::ShaderLanguage;
use vocabulary::Stage;

use crate::{ShaderUse, ToolError};

/// Name of a stage for the compiler.
pub(crate) fn suffix(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vert",
        Stage::TessControl => "tesc",
        Stage::TessEval => "tese",
        Stage::Geometry => "geom",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
    }
}

/// A temporary folder, which goes with this value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn create() -> std::io::Result<Folder> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("runner-shader-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Folder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the texts of a source, and returns the names of those to compile.
    pub(crate) fn write(&self, source: &ShaderUse<'_>) -> std::io::Result<Vec<OsString>> {
        if source.shader.language == ShaderLanguage::Hlsl {
            for file in source.files {
                // Names that lead out of the folder name no file of the script.
                let Some(place) = inside(&self.0, &file.path) else { continue };
                if let Some(parent) = place.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::write(place, &*file.text)?;
            }
        }
        let texts = std::iter::once(&source.shader.source).chain(&source.shader.more_sources);
        self.write_texts(source.stage, texts.map(|text| &**text))
    }

    /// Writes texts of a stage, and returns their names.
    pub(crate) fn write_texts<'t>(
        &self,
        stage: Stage,
        texts: impl Iterator<Item = &'t str>,
    ) -> std::io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for (index, text) in texts.enumerate() {
            let name = format!("source{index}.{}", suffix(stage));
            fs::write(self.0.join(&name), text)?;
            names.push(name.into());
        }
        Ok(names)
    }

    /// Names the shader rather than the temporary file in a message.
    pub(crate) fn named(&self, error: ToolError, source: &ShaderUse<'_>) -> ToolError {
        let ToolError::Refused(text) = error else { return error };
        let file = format!("source0.{}", suffix(source.stage));
        ToolError::Refused(text.replace(&file, &source.shader.name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is no failure of a test.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a path below a folder.
fn inside(folder: &Path, name: &str) -> Option<PathBuf> {
    use std::path::Component;
    let path = Path::new(name);
    let is_plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    is_plain.then(|| folder.join(path))
}
