//! Parser for `.shader_test` files: text to [`Script`] with spans.
//!
//! ```
//! let text = b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n\
//!              [test]\nclear color 0.5 0 0 1\nclear\n  probe all rgba 0x3f000000 0 0 1 # bits of 0.5\n";
//! let script = script::parse(text)?;
//! let test = script.test.as_deref().unwrap_or_default();
//! assert_eq!(test[0].command, script::Command::ClearColor([0.5, 0.0, 0.0, 1.0]));
//! assert_eq!((test[2].number, test[2].pattern.text()), (9, "probe all rgba "));
//! # Ok::<(), script::ParseError>(())
//! ```
//!
//! The format is that of piglit's `shader_runner` of January 2022: files that it accepts are
//! accepted, with the same meaning, and the first error at which it stops reading is the
//! [`ParseError`]. Differences, all on inputs that none of piglit's own files contains:
//!
//! * The file must be UTF-8 without NUL bytes, but for comments, the text before the first section,
//!   and shaders, whose bytes the compiler checks. A carriage return is a blank, so CR LF line ends
//!   work; inside shaders it is passed on.
//! * `[vertex data]` is read line by line; piglit reads past the line's end in some malformed
//!   tables.
//! * Arguments that piglit would use as an array index or allocation size without a check are
//!   range-checked.
//! * `!=` means "not equal"; piglit reads it as `>`. See [`Comparison`].
//! * Comments of `[test]` that begin with `CHECK` and `-`, `(` or `:` are read: see [`CheckBlock`].
//! * Piglit looks up words among all enum names of the GL registry; this parser contains the names
//!   that a script can use. See [`GlEnum`].
//!
//! The executor checks the rules that depend on a context: active uniforms, empty texture slots,
//! and with [`check_requirements`] extensions, versions and limits.

pub mod bare;
mod checks;
mod commands;
mod encoding;
mod enums;
mod error;
mod geometry_layout;
mod numbers;
mod patterns;
mod require;
mod requirements;
mod scan;
mod script;
mod sections;
mod spirv;
mod text;
mod version_line;
mod vertex_data;

pub use checks::{
    Check, CheckBlock, CheckKind, CheckPattern, CheckScope, CodeForm, PatternPart, compile,
};
pub use commands::*;
pub use enums::GlEnum;
pub use error::{ErrorKind, ParseError, Span};
pub use geometry_layout::GeometryLayout;
pub use patterns::{MatchKind, Pattern};
pub use require::{ContextRequest, Limit, Require, RequireLine, Requirement, SpirvMode, Version};
pub use requirements::{
    ContextFacts, Unmet, check_requirements, stage_available, stage_requirement,
};
pub use script::{Content, ProgramTarget, Script, Section, Shader};
pub use spirv::{SPIRV_PASSTHROUGH, Specialization};
pub use version_line::VersionLine;
pub use vertex_data::{Attribute, AttributeFormat, Column, ComponentType, VertexData};
pub use vocabulary::Stage;

use error::Fault;

/// Parses the bytes of one file.
///
/// # Errors
///
/// The first error, in file order, at which piglit's interpreter stops (for a missing `[require]`
/// section and for contradictory context requirements: the end of the file). Unmet requirements,
/// compile errors and link errors are not parse errors.
pub fn parse(bytes: &[u8]) -> Result<Script<'_>, ParseError> {
    let locate = |fault: Fault<'_>| ParseError::locate(bytes, &fault);
    if u32::try_from(bytes.len()).is_err() {
        return Err(locate(Fault::new(
            ErrorKind::TooLarge,
            &[],
            "files of 4 GiB and more are not supported",
        )));
    }
    if let Some(nul) = memchr::memchr(0, bytes) {
        let at = bytes.get(nul..=nul).unwrap_or_default();
        return Err(locate(Fault::new(ErrorKind::Encoding, at, "NUL byte in the file")));
    }
    sections::parse(bytes).map_err(locate)
}
