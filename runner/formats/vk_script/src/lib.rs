//! Scripts of Vulkan tests: text to one model, and the evaluation of what they expect.
//!
//! Two formats become the same [`Script`]:
//!
//! * *AmberScript*, whose first line is `#!amber`;
//! * *VkScript*, VkRunner's format with `[require]`, `[vertex shader]` and `[test]`.
//!
//! The model is plain data. Ids index its vectors and are always in range. An executor needs no
//! text of the script: values are bytes, names are resolved, defaults are filled in.
//!
//! ```
//! use vk_script::{CommandKind, Rules};
//!
//! let text = b"#!amber
//! SHADER compute double GLSL
//! #version 450
//! layout(set = 0, binding = 0) buffer Block { uint value[]; };
//! void main() { value[gl_WorkGroupID.x] *= 2u; }
//! END
//! BUFFER numbers DATA_TYPE uint32 DATA 1 2 3 END
//! PIPELINE compute pipeline
//!   ATTACH double
//!   BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 0
//! END
//! RUN pipeline 3 1 1
//! EXPECT numbers IDX 0 EQ 2 4 6
//! ";
//! let script = vk_script::parse(text, Rules::Amber, &|_| Err("no files".to_owned()))?;
//! assert_eq!(script.buffers[0].initial_bytes()[4..8], [2, 0, 0, 0]);
//! assert!(matches!(script.commands[0].kind, CommandKind::Dispatch { groups: [3, 1, 1], .. }));
//! # Ok::<(), vk_script::ParseError>(())
//! ```

mod amber;
mod blank;
mod budget;
mod check;
mod contents;
mod error;
mod evaluate;
mod features;
mod files;
mod formats;
pub mod model;
mod passthrough;
mod removals;
mod rules;
mod text;
mod tokens;
mod values;
mod vkscript;

pub use error::{ParseError, Span};
pub use evaluate::Mismatch;
pub use features::CORE_FEATURES;
pub use files::ReadFile;
pub use model::*;
pub use removals::{Removal, RemovalLevel, removals, without};
pub use rules::Rules;

/// Parses a script: AmberScript if its first line is `#!amber`, else VkScript by the rules of a
/// program.
///
/// # Errors
///
/// The first error of the text, with its position. Unmet requirements are no errors, and neither
/// are ray tracing and OpenCL C: see [`Script::unsupported`].
pub fn parse(bytes: &[u8], rules: Rules, read_file: ReadFile<'_>) -> Result<Script, ParseError> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(error::too_large());
    }
    let text = text::clean(bytes);
    let lines = text::Lines::new(&text);
    let parsed = if is_amber(&text) {
        amber::parse(&text, &lines, read_file)
    } else {
        vkscript::parse(&text, &lines, rules)
    };
    parsed.map_err(|fault| lines.locate(&text, fault))
}

/// Returns true if the text of a `.shader_test` file is VkScript, as VkRunner's examples are, and
/// not a test of OpenGL: it requires neither OpenGL nor GLSL, and its shaders are Vulkan's.
#[must_use]
pub fn is_vk_script(bytes: &[u8]) -> bool {
    vkscript::is_script(&text::clean(bytes))
}

fn is_amber(text: &str) -> bool {
    text.strip_prefix('\u{feff}').unwrap_or(text).starts_with("#!amber")
}
