//! Checker of GLSL: a syntax tree to a typed [`program::Shader`].
//!
//! The typed shader makes explicit all that GLSL leaves implicit: types, overloads, implicit
//! conversions, built-in variables, array sizes. Values are computed only where the language needs
//! a number (module `expressions::constant`).
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
//! The syntax tree is that of [`glsl_syntax`].

#![forbid(unsafe_code)]

mod builtins;
mod calls;
mod checker;
mod constants;
mod consulted;
mod declarations;
mod expressions;
mod language;
mod qualifiers;
mod rules;
mod scope;
mod state;
#[cfg(test)]
mod tests;
mod type_names;

pub use builtins::signature::{Overload, overloads};
use checker::Checker;
pub use consulted::mentions;
use glsl_syntax::ast::{TranslationUnit, Version};
pub use glsl_syntax::diagnostic::{Diagnostic, Diagnostics, Severity};
use glsl_syntax::environment::Environment;
pub use glsl_syntax::environment::ExtensionNames;
pub use glsl_syntax::include::{IncludeResolver, Included, NamedStrings};
pub use language::known_extensions;
use program::{Capabilities, Shader, Stage, TypeTable};
use std::sync::Arc;

/// Options of the compilation of one shader.
#[derive(Default)]
pub struct CompileOptions<'a> {
    /// Capabilities of the context; `None` allows every version and extension.
    pub capabilities: Option<&'a Capabilities>,
    /// Language of shaders without `#version`.
    pub default_version: Version,
    /// Resolver of `#include`.
    pub includes: Option<Box<dyn IncludeResolver + Send + Sync>>,
    /// The names of the capabilities' extensions, if already collected.
    pub extensions: Option<Arc<ExtensionNames>>,
}

impl<'a> CompileOptions<'a> {
    /// Options for one context.
    pub fn new(capabilities: &'a Capabilities) -> CompileOptions<'a> {
        CompileOptions { capabilities: Some(capabilities), ..CompileOptions::default() }
    }

    /// The names of the extensions that can be enabled.
    fn extension_names(&self) -> Arc<ExtensionNames> {
        match (&self.extensions, self.capabilities) {
            (Some(names), _) => names.clone(),
            (None, Some(capabilities)) => {
                ExtensionNames::remembered(&capabilities.table().extensions)
            }
            (None, None) => ExtensionNames::remembered(&known_extensions().into_iter().collect()),
        }
    }
}

/// Parses and checks one shader object given as one or more source strings.
///
/// # Errors
/// All errors of the first phase with an error: preprocessing and parsing, or checking.
pub fn compile<Text: AsRef<[u8]>>(
    sources: &[Text],
    stage: Stage,
    options: CompileOptions<'_>,
    types: &mut TypeTable,
) -> Result<Shader, Diagnostics> {
    let mut env = Environment::all_versions();
    env.extensions = options.extension_names();
    env.default_version = options.default_version;
    env.includes = options.includes;
    if let Some(capabilities) = options.capabilities {
        (env.newest_version, env.newest_es_version) = consulted::newest_versions(capabilities);
    }
    let unit = glsl_syntax::parse(sources, &env).map_err(Diagnostics);
    if let Some(capabilities) = options.capabilities.filter(|c| c.is_recorded()) {
        consulted::record(capabilities, sources, unit.as_ref().ok());
    }
    check(&unit?, stage, options.capabilities, types)
}

/// Checks a parsed shader.
///
/// # Errors
/// Every semantic error, in source order.
pub fn check(
    unit: &TranslationUnit,
    stage: Stage,
    capabilities: Option<&Capabilities>,
    types: &mut TypeTable,
) -> Result<Shader, Diagnostics> {
    let mut checker = Checker::new(unit, stage, capabilities, types);
    checker.translation_unit();
    let mut shader = checker.finish()?;
    rules::precise::mark(&mut shader);
    Ok(shader)
}
