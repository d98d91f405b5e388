//! The syntactic front end: source strings to a [`TranslationUnit`].

use crate::ast::{TranslationUnit, Version};
use crate::diagnostic::Diagnostic;
use crate::environment::Environment;
use crate::include::IncludeResolver;
use crate::parser;
use crate::preprocessor;
use crate::token::flags;

/// Parses one shader of any bytes; anything but GLSL is an error. For many shaders, keep a
/// [`FrontEnd`].
///
/// # Errors
/// Every diagnostic of the preprocessor, or the first of the parser.
pub fn parse<Text: AsRef<[u8]>>(
    sources: &[Text],
    env: &Environment,
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let sources: Vec<&[u8]> = sources.iter().map(AsRef::as_ref).collect();
    let mut buffers = Buffers::default();
    run(env, env.extensions.unit(), &mut buffers, &sources)
}

/// Preprocesses only. Returns the tokens, with a space for white space and a line for each line
/// that begins with a token. For people and tests.
///
/// # Errors
/// Every diagnostic of the preprocessor.
pub fn preprocess(sources: &[&str], env: &Environment) -> Result<String, Vec<Diagnostic>> {
    let sources: Vec<&[u8]> = sources.iter().map(|s| s.as_bytes()).collect();
    let mut unit = env.extensions.unit();
    let mut buffers = preprocessor::Buffers::default();
    buffers.macros.reset(&env.extensions.symbols);
    let errors = preprocessor::run(env, &mut unit, &mut buffers, &sources);
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
    preprocess: preprocessor::Buffers,
    parse: parser::Buffers,
}

/// Front end that reuses its memory from shader to shader.
pub struct FrontEnd {
    env: Environment,
    buffers: Buffers,
    spare: Option<TranslationUnit>,
}

impl FrontEnd {
    /// A front end for one environment.
    pub fn new(env: Environment) -> Self {
        Self { env, buffers: Buffers::default(), spare: None }
    }

    /// Returns the environment. Default version and includes may change between shaders.
    pub fn environment(&self) -> &Environment {
        &self.env
    }

    /// Sets the language of shaders without `#version`.
    pub fn set_default_version(&mut self, version: Version) {
        self.env.default_version = version;
    }

    /// Sets the resolver of `#include`.
    pub fn set_includes(&mut self, includes: Option<Box<dyn IncludeResolver + Send + Sync>>) {
        self.env.includes = includes;
    }

    /// Parses a shader given as one or more source strings of any bytes; anything but GLSL is an
    /// error.
    pub fn parse(&mut self, sources: &[&[u8]]) -> Result<TranslationUnit, Vec<Diagnostic>> {
        let unit = self.spare.take().unwrap_or_else(|| self.env.extensions.unit());
        run(&self.env, unit, &mut self.buffers, sources)
    }

    /// Takes the memory of a unit that this front end made.
    pub fn recycle(&mut self, mut unit: TranslationUnit) {
        unit.clear();
        // A unit of another front end may have other known words.
        if unit.interner.len() == self.env.extensions.interner.len() {
            self.spare = Some(unit);
        }
    }
}

fn run(
    env: &Environment,
    mut unit: TranslationUnit,
    buffers: &mut Buffers,
    sources: &[&[u8]],
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    buffers.preprocess.macros.reset(&env.extensions.symbols);
    let errors = preprocessor::run(env, &mut unit, &mut buffers.preprocess, sources);
    if !errors.is_empty() {
        return Err(errors);
    }
    parser::run(&mut unit, &buffers.preprocess.tokens, &mut buffers.parse)
        .map_err(|error| vec![error])?;
    Ok(unit)
}
