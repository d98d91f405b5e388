//! The kinds, and the registry of them: a line for each.

mod assembly_test;
mod bare_shader;
mod parser_test;
mod program;
mod shader_test;
mod spirv_module;
mod vulkan_script;

use std::ffi::OsStr;
use std::io;
use std::path::Path;

pub use spirv_module::module_programs;
pub use vulkan_script::{validate_vk_modules, vk_modules, vk_programs, vk_rules};

use crate::kind::Kind;
use crate::mode::Mode;

/// The kind of files whose name says nothing.
pub(crate) const DEFAULT: &dyn Kind = &shader_test::ShaderTest;

/// Every kind.
pub static KINDS: [&dyn Kind; 7] = [
    DEFAULT,
    &bare_shader::BareShader,
    &parser_test::ParserTest,
    &assembly_test::AssemblyTest,
    &vulkan_script::VulkanScript,
    &spirv_module::SpirvModule,
    &program::ProgramKind,
];

/// Returns the kind that files of this name have in a mode, if their text does not say otherwise.
#[must_use]
pub fn kind_by_extension(path: &Path, mode: Mode) -> Option<&'static dyn Kind> {
    let extension = path.extension()?.to_str()?;
    KINDS.into_iter().find(|kind| kind.extensions().contains(&extension) && kind.takes(mode))
}

/// Returns true if a file is a module, which can only be compiled.
#[must_use]
pub fn is_module(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| spirv_module::SpirvModule.extensions().contains(&extension))
}

/// Returns the kind of a file where it is executed, or the default; one that cannot be read has the
/// kind of its name.
#[must_use]
pub fn kind_of(path: &Path) -> &'static dyn Kind {
    let kind = kind_by_extension(path, Mode::Execute).unwrap_or(DEFAULT);
    match kind.is_list() {
        true => kind,
        false => kind.read(path).map_or(kind, |text| told(kind, path, &text)),
    }
}

/// Returns the kind of a text that takes the place of a file's in a mode.
pub(crate) fn of_text(path: &Path, text: &[u8], mode: Mode) -> &'static dyn Kind {
    told(kind_by_extension(path, mode).unwrap_or(DEFAULT), path, text)
}

/// Returns the kind of a file in a mode, and its text.
///
/// # Errors
/// Fails if the file cannot be read, is not a regular file or too large.
pub(crate) fn read(path: &Path, mode: Mode) -> io::Result<(&'static dyn Kind, Vec<u8>)> {
    let kind = kind_by_extension(path, mode).unwrap_or(DEFAULT);
    let text = kind.read(path)?;
    Ok((told(kind, path, &text), text))
}

/// Returns the kind of a text whose name says `kind`: one that this kind does not recognize has the
/// default, which other kinds may claim.
fn told(kind: &'static dyn Kind, path: &Path, text: &[u8]) -> &'static dyn Kind {
    let is_default = kind.extensions() == DEFAULT.extensions();
    match is_default {
        true => KINDS.into_iter().find(|other| other.claims(text)).unwrap_or(DEFAULT),
        false if kind.recognizes(path, text) => kind,
        false => DEFAULT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_belong_to_one_kind_of_a_mode() {
        for mode in [Mode::Execute, Mode::Compile] {
            let taking = KINDS.into_iter().filter(|kind| kind.takes(mode));
            let mut all: Vec<&str> = taking.flat_map(|kind| kind.extensions()).copied().collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
            for extension in all {
                let path = format!("a/b.{extension}");
                let found = kind_by_extension(Path::new(&path), mode).expect("a kind");
                assert!(found.extensions().contains(&extension) && found.takes(mode));
            }
        }
        assert!(kind_by_extension(Path::new("a/b.md"), Mode::Execute).is_none());
        assert!(kind_by_extension(Path::new("a/b"), Mode::Compile).is_none());
    }

    #[test]
    fn texts_decide() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let (kind, _) = read(&path, Mode::Execute).unwrap();
            kind.extensions()
        };
        let script = "[require]\nGLSL >= 1.10\n";
        assert_eq!(read("a.txt", script), DEFAULT.extensions());
        assert_eq!(read("a.txt", "!!ARBvp1.0\nEND"), ["txt"]);
        assert_eq!(read("a.frag", script), DEFAULT.extensions());
        assert_eq!(read("a.frag", "// [config]\n"), script::bare::EXTENSIONS);
        let vulkan = "[compute shader]\n#version 450\nvoid main() {}\n[test]\ncompute 1 1 1\n";
        assert_eq!(read("a.shader_test", script), DEFAULT.extensions());
        assert!(read("a.shader_test", vulkan).contains(&"vk_shader_test"));
        assert!(kind_of(&folder.path().join("a.shader_test")).driver() == vocabulary::Target::VK);
        assert_eq!(read("a.frag", vulkan), DEFAULT.extensions());
    }
}
