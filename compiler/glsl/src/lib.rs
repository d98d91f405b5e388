//! GLSL front end: preprocess, lex, parse and check into the typed program.
//!
//! The way from bytes to syntax tree is [`syntax::parse`]: the preprocessor pulls tokens from [`lex`], executes the
//! directives, expands macros and leaves one vector of 16-byte tokens; the parser turns it into the arenas of
//! [`ast::TranslationUnit`]. Names are [`intern::Symbol`]s, positions are [`source::Span`]s that a
//! [`source::SourceMap`] resolves to string, line and column.

pub mod ast;
pub mod ast_print;
pub mod check;
pub mod diagnostic;
mod extension;
pub mod intern;
pub mod lex;
mod parse;
mod preprocess;
pub mod source;
pub mod syntax;
pub mod token;

pub use check::{CompileOptions, Diagnostics, compile};
