//! The syntactic front end as a whole: from source strings to a [`TranslationUnit`].

use crate::ast::{TranslationUnit, Version};
use crate::diagnostic::Diagnostic;
use crate::intern::{Interner, Symbol};
use crate::parse;
use crate::preprocess;
pub use crate::preprocess::include::{IncludeResolver, Included, NamedStrings};
use crate::token::flags;

/// What a GL context offers to its shaders.
#[derive(Default)]
pub struct Environment {
    /// Supported extensions with their `GL_` prefix: each can be required and is a macro with value 1.
    pub extensions: Vec<String>,
    /// The language of shaders without `#version`. Piglit's shader runner makes it the version of `[require]`.
    pub default_version: Version,
    /// Newest desktop version that `#version` may ask for; 0 for none.
    pub newest_version: u16,
    /// Newest ES version that `#version` may ask for; 0 for none.
    pub newest_es_version: u16,
    /// Where `#include` looks.
    pub includes: Option<Box<dyn IncludeResolver + Send + Sync>>,
}

impl Environment {
    /// Every version of both languages, no extensions.
    pub fn all_versions() -> Self {
        Self { newest_version: 460, newest_es_version: 320, ..Self::default() }
    }

    /// Whether an extension is supported.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }
}

/// Parses one shader. For many shaders, keep a [`FrontEnd`].
///
/// # Errors
/// Every diagnostic of the preprocessor, or the first of the parser.
pub fn parse(sources: &[&str], env: &Environment) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let sources: Vec<&[u8]> = sources.iter().map(|s| s.as_bytes()).collect();
    let mut buffers = Buffers::default();
    let (interner, extensions) = prepare(env);
    let unit = TranslationUnit { interner, ..TranslationUnit::default() };
    run(env, &extensions, unit, &mut buffers, &sources)
}

/// Only preprocesses: the tokens with a space where there was white space, a line per line that begins with a token.
/// For people and tests.
///
/// # Errors
/// Every diagnostic of the preprocessor.
pub fn preprocess(sources: &[&str], env: &Environment) -> Result<String, Vec<Diagnostic>> {
    let sources: Vec<&[u8]> = sources.iter().map(|s| s.as_bytes()).collect();
    let (interner, extensions) = prepare(env);
    let mut unit = TranslationUnit { interner, ..TranslationUnit::default() };
    let mut buffers = preprocess::Buffers::default();
    buffers.macros.reset(&extensions);
    let errors = preprocess::run(env, &mut unit, &mut buffers, &sources);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut out = String::new();
    for token in &buffers.tokens {
        if token.has(flags::LINE_START) && !out.is_empty() {
            out.push('\n');
        } else if token.has(flags::SPACE) && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&String::from_utf8_lossy(token.spelling(unit.sources.bytes())));
    }
    Ok(out)
}

#[derive(Debug, Default)]
struct Buffers {
    preprocess: preprocess::Buffers,
    parse: parse::Buffers,
}

/// A front end that keeps its memory from shader to shader.
pub struct FrontEnd {
    env: Environment,
    interner: Interner,
    extensions: Vec<Symbol>,
    buffers: Buffers,
    spare: Option<TranslationUnit>,
}

impl FrontEnd {
    /// A front end for one environment.
    pub fn new(env: Environment) -> Self {
        let (interner, extensions) = prepare(&env);
        Self { env, interner, extensions, buffers: Buffers::default(), spare: None }
    }

    /// The environment. Default version and includes may change between shaders.
    pub fn environment(&self) -> &Environment {
        &self.env
    }

    /// Sets the language of shaders without `#version`.
    pub fn set_default_version(&mut self, version: Version) {
        self.env.default_version = version;
    }

    /// Sets where `#include` looks.
    pub fn set_includes(&mut self, includes: Option<Box<dyn IncludeResolver + Send + Sync>>) {
        self.env.includes = includes;
    }

    /// Parses a shader given as one or more source strings. Any bytes are fine: what is no GLSL is an error.
    pub fn parse(&mut self, sources: &[&[u8]]) -> Result<TranslationUnit, Vec<Diagnostic>> {
        let unit = self.spare.take().unwrap_or_else(|| TranslationUnit {
            interner: self.interner.clone(),
            ..TranslationUnit::default()
        });
        run(&self.env, &self.extensions, unit, &mut self.buffers, sources)
    }

    /// Takes the memory of a unit that this front end made.
    pub fn recycle(&mut self, mut unit: TranslationUnit) {
        unit.clear();
        // A unit of another front end may know other words.
        if unit.interner.len() == self.interner.len() {
            self.spare = Some(unit);
        }
    }
}

/// An interner that knows the extensions' names for good.
fn prepare(env: &Environment) -> (Interner, Vec<Symbol>) {
    let mut interner = Interner::new();
    let extensions = env.extensions.iter().map(|name| interner.intern(name)).collect();
    interner.seal();
    (interner, extensions)
}

fn run(
    env: &Environment,
    extensions: &[Symbol],
    mut unit: TranslationUnit,
    buffers: &mut Buffers,
    sources: &[&[u8]],
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    buffers.preprocess.macros.reset(extensions);
    let errors = preprocess::run(env, &mut unit, &mut buffers.preprocess, sources);
    if !errors.is_empty() {
        return Err(errors);
    }
    parse::run(&mut unit, &buffers.preprocess.tokens, &mut buffers.parse).map_err(|error| vec![error])?;
    Ok(unit)
}
