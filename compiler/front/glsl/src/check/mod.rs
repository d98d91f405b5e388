//! Semantic checks: a syntax tree to a typed [`program::Shader`].
//!
//! The typed shader makes explicit all that GLSL leaves implicit: types, overloads, implicit
//! conversions, built-in variables, array sizes. Values are computed only where the language needs
//! a number ([`constant`]).

mod access;
mod atomic;
mod block;
mod builtin_constants;
#[cfg(test)]
mod builtin_tests;
mod builtin_variables;
mod call;
mod checker;
mod constant;
mod constant_integer;
mod constant_pack;
mod constant_value;
mod constant_vector;
mod construct;
mod consulted;
mod convert;
mod declaration;
mod expression;
mod function;
mod half;
mod image;
mod interface_variable;
mod language;
mod layout_target;
mod operator;
mod per_vertex;
mod per_vertex_block;
mod place;
mod pragma;
mod precise;
mod precision;
mod qualifier;
mod recursion;
mod redeclaration;
mod scope;
mod signature;
mod signatures;
mod state;
mod statement;
mod structure;
#[cfg(test)]
mod tests;
mod texture;
mod texture_names;
mod type_names;

use crate::ast::{TranslationUnit, Version};
use crate::diagnostic::Diagnostics;
use crate::environment::{Environment, ExtensionNames};
use crate::include::IncludeResolver;
use checker::Checker;
pub use consulted::mentions;
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
    let unit = crate::syntax::parse(sources, &env).map_err(Diagnostics);
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
    checker.finish()
}
