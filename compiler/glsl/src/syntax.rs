//! The syntactic front end as a whole: from source strings to a [`TranslationUnit`].

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ast::{TranslationUnit, Version};
use crate::diagnostic::Diagnostic;
use crate::intern::{Interner, Symbol};
use crate::parse;
use crate::preprocess;
pub use crate::preprocess::include::{IncludeResolver, Included, NamedStrings};
use crate::token::flags;

/// The extensions that a context supports, with an interner that knows their names for good. For many shaders of a context,
/// keep it.
#[derive(Debug)]
pub struct ExtensionNames {
    /// With their `GL_` prefix, in order.
    names: BTreeSet<String>,
    interner: Interner,
    symbols: Vec<Symbol>,
}

impl ExtensionNames {
    /// Those with these names, which have a `GL_` prefix.
    pub fn new(names: BTreeSet<String>) -> ExtensionNames {
        let mut interner = Interner::new();
        let symbols = names.iter().map(|name| interner.intern(name)).collect();
        interner.seal();
        ExtensionNames { names, interner, symbols }
    }

    /// As [`ExtensionNames::new`], remembering what was asked for last: there are many shaders and few contexts.
    pub fn remembered(names: &BTreeSet<String>) -> Arc<ExtensionNames> {
        const CONTEXTS: usize = 16;
        static MADE: Mutex<Vec<Arc<ExtensionNames>>> = Mutex::new(Vec::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = made.iter().find(|made| made.names == *names) {
            return found.clone();
        }
        if made.len() == CONTEXTS {
            made.clear();
        }
        let new = Arc::new(ExtensionNames::new(names.clone()));
        made.push(new.clone());
        new
    }

    /// A unit whose interner knows the names.
    fn unit(&self) -> TranslationUnit {
        TranslationUnit { interner: self.interner.clone(), ..TranslationUnit::default() }
    }
}

impl Default for ExtensionNames {
    fn default() -> ExtensionNames {
        ExtensionNames::new(BTreeSet::new())
    }
}

impl FromIterator<String> for ExtensionNames {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> ExtensionNames {
        ExtensionNames::new(names.into_iter().collect())
    }
}

/// What a GL context offers to its shaders.
#[derive(Default)]
pub struct Environment {
    /// Supported extensions: each can be required and is a macro with value 1.
    pub extensions: Arc<ExtensionNames>,
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
        self.extensions.names.contains(name)
    }
}

/// Parses one shader, of any bytes: what is no GLSL is an error. For many shaders, keep a [`FrontEnd`].
///
/// # Errors
/// Every diagnostic of the preprocessor, or the first of the parser.
pub fn parse<Source: AsRef<[u8]>>(
    sources: &[Source],
    env: &Environment,
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let sources: Vec<&[u8]> = sources.iter().map(AsRef::as_ref).collect();
    let mut buffers = Buffers::default();
    run(env, env.extensions.unit(), &mut buffers, &sources)
}

/// Only preprocesses: the tokens with a space where there was white space, a line per line that begins with a token.
/// For people and tests.
///
/// # Errors
/// Every diagnostic of the preprocessor.
pub fn preprocess(sources: &[&str], env: &Environment) -> Result<String, Vec<Diagnostic>> {
    let sources: Vec<&[u8]> = sources.iter().map(|s| s.as_bytes()).collect();
    let mut unit = env.extensions.unit();
    let mut buffers = preprocess::Buffers::default();
    buffers.macros.reset(&env.extensions.symbols);
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
    buffers: Buffers,
    spare: Option<TranslationUnit>,
}

impl FrontEnd {
    /// A front end for one environment.
    pub fn new(env: Environment) -> Self {
        Self { env, buffers: Buffers::default(), spare: None }
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
        let unit = self.spare.take().unwrap_or_else(|| self.env.extensions.unit());
        run(&self.env, unit, &mut self.buffers, sources)
    }

    /// Takes the memory of a unit that this front end made.
    pub fn recycle(&mut self, mut unit: TranslationUnit) {
        unit.clear();
        // A unit of another front end may know other words.
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
    let errors = preprocess::run(env, &mut unit, &mut buffers.preprocess, sources);
    if !errors.is_empty() {
        return Err(errors);
    }
    parse::run(&mut unit, &buffers.preprocess.tokens, &mut buffers.parse).map_err(|error| vec![error])?;
    Ok(unit)
}
