//! GLSL front end: preprocess, lex, parse and check into the typed program.
//!
//! [`compile`] is the whole path from source strings to a [`program::Shader`]:
//!
//! ```
//! use glsl::CompileOptions;
//! use program::{Stage, TypeTable};
//!
//! let mut types = TypeTable::default();
//! let text = "#version 330\nout vec4 color;\nvoid main() { color = vec4(1); }\n";
//! let shader = glsl::compile(&[text], Stage::Fragment, CompileOptions::default(), &mut types)?;
//! assert!(shader.globals.values().any(|global| &*global.name == "color"));
//!
//! let wrong = "#version 330\nvoid main() { float x = true; }\n";
//! let errors = glsl::compile(&[wrong], Stage::Vertex, CompileOptions::default(), &mut types);
//! let message = errors.unwrap_err().to_string();
//! assert_eq!(message, "0:2:25: error: initializer: cannot convert from bool to float: `true`");
//! # Ok::<(), glsl::Diagnostics>(())
//! ```
//!
//! [`syntax::parse`] stops at the syntax tree: the preprocessor reads tokens from [`lex`], executes
//! the directives, expands macros and leaves one vector of 16-byte tokens; the parser builds the
//! tables of [`ast::TranslationUnit`]. Names are [`intern::Symbol`]s, positions are
//! [`source::Span`]s, which a [`source::SourceMap`] resolves to string, line and column.

#![forbid(unsafe_code)]

pub mod ast;
pub mod ast_print;
pub mod check;
pub mod diagnostic;
pub mod environment;
mod extension;
pub mod include;
pub mod intern;
pub mod lex;
mod parse;
mod preprocess;
pub mod source;
pub mod syntax;
pub mod token;

pub use check::{CompileOptions, compile, mentions};
pub use diagnostic::Diagnostics;
