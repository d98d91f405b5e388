//! Modules of files in other languages than GLSL.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use vocabulary::Stage;

use crate::folder::{Folder, suffix};
use crate::process::{ToolError, run};
use crate::source::key_of;
use crate::words::{bytes_of, words_of};
use crate::{COMPILER, kept, module_of, unwritten};

/// The translator of WGSL (wgpu).
const TRANSLATOR: &str = "naga";
/// Word of SPIR-V 1.3.
const LEAST_VERSION: u32 = 0x1_0300;

/// A language of files that another program turns into modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLanguage {
    /// WGSL: entry points of any stages.
    Wgsl,
    /// HLSL: `main` is the entry point of a stage.
    Hlsl(Stage),
}

impl FileLanguage {
    /// Returns the language of a file by its name: `NAME.wgsl` or `NAME.STAGE.hlsl`, with a stage
    /// such as `vert`. Without the stage it is an error in place of the language.
    pub fn of(path: &Path) -> Option<Result<FileLanguage, ToolError>> {
        match path.extension()?.to_str()? {
            "wgsl" => Some(Ok(FileLanguage::Wgsl)),
            "hlsl" => Some(hlsl(path)),
            _ => None,
        }
    }

    /// Returns the bytes of a text's module. Rewriting is left to those who run it.
    ///
    /// # Errors
    /// The program is missing, or refused the text.
    pub fn module(self, text: &[u8]) -> Result<Vec<u8>, ToolError> {
        let shown = String::from_utf8_lossy(text);
        let key = key_of(&format!("file {self:?}"), [&*shown]);
        let words = match self {
            FileLanguage::Wgsl => kept(&[TRANSLATOR], &key, || translate(text)),
            FileLanguage::Hlsl(stage) => kept(&[COMPILER], &key, || compile_hlsl(text, stage)),
        };
        Ok(bytes_of(&words?))
    }
}

fn hlsl(path: &Path) -> Result<FileLanguage, ToolError> {
    let name = Path::new(path.file_stem().unwrap_or_default());
    let told = name.extension().unwrap_or_default();
    let stage = Stage::ALL.into_iter().find(|&stage| told == suffix(stage));
    let unknown =
        || "the name of a file with HLSL has its stage before the end, as in shader.vert.hlsl";
    stage.map(FileLanguage::Hlsl).ok_or_else(|| ToolError::Refused(unknown().to_owned()))
}

fn translate(text: &[u8]) -> Result<Vec<u32>, ToolError> {
    const NAMES: [&str; 2] = ["shader.wgsl", "module.spv"];
    let refused = |error: io::Error| ToolError::Refused(format!("{TRANSLATOR}: {error}"));
    let folder = Folder::create().map_err(refused)?;
    fs::write(folder.path().join(NAMES[0]), text).map_err(refused)?;
    run(TRANSLATOR, &NAMES.map(OsStr::new), Some(folder.path()), b"")?;
    let mut words = words_of(&fs::read(folder.path().join(NAMES[1])).map_err(refused)?)?;
    // The translator says 1.0 also of modules with halves and subgroups, which need more.
    if let Some(version) = words.get_mut(1) {
        *version = LEAST_VERSION.max(*version);
    }
    Ok(words)
}

fn compile_hlsl(text: &[u8], stage: Stage) -> Result<Vec<u32>, ToolError> {
    const NAME: &str = "shader.hlsl";
    let folder = Folder::create().map_err(unwritten)?;
    fs::write(folder.path().join(NAME), text).map_err(unwritten)?;
    let arguments = ["-D", "-V", "--aml", "--amb", "-e", "main", "-S", suffix(stage)];
    module_of(&folder, arguments.map(OsString::from).to_vec(), vec![NAME.into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language() {
        let of = |name: &str| FileLanguage::of(Path::new(name));
        assert_eq!(of("a/b.wgsl"), Some(Ok(FileLanguage::Wgsl)));
        assert_eq!(of("a/b.frag.hlsl"), Some(Ok(FileLanguage::Hlsl(Stage::Fragment))));
        assert_eq!((of("b.spv"), of("hlsl")), (None, None));
        for name in ["b.hlsl", ".vert.hlsl/b.hlsl", "b.glsl.hlsl"] {
            let Some(Err(ToolError::Refused(text))) = of(name) else { panic!("{name}") };
            assert!(text.contains("shader.vert.hlsl"), "{text}");
        }
    }
}
