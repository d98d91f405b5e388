//! The kinds, and the registry of them: a line for each.

mod bare_shader;
mod shader_test;
mod vulkan_script;

use std::path::Path;

pub use vulkan_script::vk_modules;

use crate::kind::Kind;

/// The kind of files whose name says nothing.
pub(crate) const DEFAULT: &dyn Kind = &shader_test::ShaderTest;

/// Every kind.
pub static KINDS: [&dyn Kind; 3] =
    [DEFAULT, &bare_shader::BareShader, &vulkan_script::VulkanScript];

/// Returns the kind of a file by its extension.
#[must_use]
pub fn kind_by_extension(path: &Path) -> Option<&'static dyn Kind> {
    let extension = path.extension()?.to_str()?;
    KINDS.into_iter().find(|kind| kind.extensions().contains(&extension))
}

/// Returns the kind of a file: by its extension, or the default.
#[must_use]
pub fn kind_of(path: &Path) -> &'static dyn Kind {
    kind_by_extension(path).unwrap_or(DEFAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_belong_to_one_kind() {
        let mut all: Vec<&str> = KINDS.iter().flat_map(|kind| kind.extensions()).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        for kind in KINDS {
            for extension in kind.extensions() {
                let found = kind_of(Path::new(&format!("a/b.{extension}")));
                assert_eq!(found.extensions(), kind.extensions());
            }
        }
        assert_eq!(kind_of(Path::new("a/b.txt")).extensions(), DEFAULT.extensions());
        assert!(kind_by_extension(Path::new("a/b.txt")).is_none());
    }
}
