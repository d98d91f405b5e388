//! The context of a compilation: versions, extensions and included strings.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ast::{TranslationUnit, Version};
use crate::include::IncludeResolver;
use crate::intern::{Interner, Symbol};

/// The extensions that a context supports, with an interner that contains their names. Keep it for
/// all shaders of a context.
#[derive(Debug)]
pub struct ExtensionNames {
    /// With their `GL_` prefix, in order.
    names: BTreeSet<String>,
    pub(crate) interner: Interner,
    pub(crate) symbols: Vec<Symbol>,
}

impl ExtensionNames {
    /// Creates the set of extensions with these names, which have a `GL_` prefix.
    pub fn new(names: BTreeSet<String>) -> ExtensionNames {
        let mut interner = Interner::new();
        let symbols = names.iter().map(|name| interner.intern(name)).collect();
        interner.seal();
        ExtensionNames { names, interner, symbols }
    }

    /// As [`ExtensionNames::new`], with a small cache: there are many shaders and few contexts.
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

    /// An empty unit whose interner contains the names.
    pub(crate) fn unit(&self) -> TranslationUnit {
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

/// Features of the GL context of a shader.
#[derive(Default)]
pub struct Environment {
    /// Supported extensions: each can be required and is a macro with value 1.
    pub extensions: Arc<ExtensionNames>,
    /// The language of shaders without `#version`. Piglit's shader runner makes it the version of
    /// `[require]`.
    pub default_version: Version,
    /// Newest desktop version that `#version` may request; 0 for none.
    pub newest_version: u16,
    /// Newest ES version that `#version` may request; 0 for none.
    pub newest_es_version: u16,
    /// Resolver of `#include`.
    pub includes: Option<Box<dyn IncludeResolver + Send + Sync>>,
}

impl Environment {
    /// Every version of both languages, no extensions.
    pub fn all_versions() -> Self {
        Self { newest_version: 460, newest_es_version: 320, ..Self::default() }
    }

    /// Returns whether an extension is supported.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.names.contains(name)
    }
}
