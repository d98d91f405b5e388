//! Syntax of GLSL: source strings to a syntax tree.
//!
//! The preprocessor reads tokens from [`lex`], executes the directives, expands macros and leaves
//! one vector of 16-byte tokens; the parser builds the tables of [`ast::TranslationUnit`]. Names
//! are [`intern::Symbol`]s, positions are [`source::Span`]s, which a [`source::SourceMap`] resolves
//! to string, line and column.
//!
//! ```
//! use glsl_syntax::{Environment, ast_print, parse};
//!
//! let text = "#version 330\n#define SIZE 2\nfloat values[SIZE];\n";
//! let unit = parse(&[text], &Environment::all_versions()).map_err(|errors| errors[0].to_string())?;
//! assert_eq!(ast_print::print(&unit), "var float values[2]\n");
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod ast;
pub mod ast_print;
pub mod diagnostic;
pub mod environment;
pub mod extension;
pub mod include;
pub mod intern;
pub mod lex;
mod parser;
mod preprocessor;
pub mod source;
mod syntax;
pub mod token;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use environment::{Environment, ExtensionNames};
pub use include::{IncludeResolver, Included, NamedStrings};
pub use syntax::{FrontEnd, parse, preprocess};
