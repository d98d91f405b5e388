//! Tests of a compiler's front end, as piglit has them: a file is a program, and says whether a
//! compiler must accept it.
//!
//! * [`ParserTest`]: the GLSL of one stage, with a `[config]` block in a comment (piglit's
//!   `glslparsertest`).
//! * [`AssemblyTest`]: an assembly program of OpenGL's past, which must load unless it has the
//!   comment `# FAIL` (piglit's `asmparsertest`).
//!
//! ```
//! use parser_test::{ParserTest, Verdict};
//! use vocabulary::Stage;
//!
//! let text = b"// [config]\n// expect_result: fail\n// glsl_version: 1.30\n// [end config]\n\
//!     // GLSL 1.30, 4.3.4: inputs are read-only.\n#version 130\n\
//!     in float x;\nvoid main() { x = 1.0; gl_FragColor = vec4(x); }\n";
//! let test = ParserTest::parse(text, Stage::Fragment)?;
//! assert_eq!(test.expected, Verdict::Refuse);
//! assert_eq!(test.rule().as_deref(), Some("GLSL 1.30, 4.3.4: inputs are read-only."));
//! # Ok::<(), parser_test::ParseError>(())
//! ```
//!
//! The rules of the block are those of piglit's reader: unknown keys, keys that occur twice and
//! other lines are errors.

mod assembly;
mod comments;
mod config;
mod error;
mod outcome;
mod shader;
mod version;

pub use assembly::{AssemblyTarget, AssemblyTest};
pub use error::ParseError;
pub use outcome::Outcome;
pub use shader::{Companion, Extension, ParserTest, Verdict};
pub use version::GlslVersion;
