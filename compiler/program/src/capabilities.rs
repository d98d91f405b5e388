//! Capabilities of a context.

use std::collections::{BTreeMap, BTreeSet};

/// The API that a context implements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Api {
    /// OpenGL, core profile.
    Core,
    /// OpenGL, compatibility profile.
    Compatibility,
    /// OpenGL ES.
    Es,
}

/// One kind of context of one generation, read from its table.
#[derive(Clone, PartialEq, Debug)]
pub struct Capabilities {
    /// Generation name (`ivb`), or `reference`.
    pub generation: String,
    /// API.
    pub api: Api,
    /// GL or ES version as 10 × major + minor.
    pub gl_version: u32,
    /// Highest GLSL or GLSL ES version as 100 × major + minor.
    pub glsl_version: u32,
    /// Exported extensions, `GL_` included.
    pub extensions: BTreeSet<String>,
    /// Integer limits by enum name.
    pub limits: BTreeMap<String, f64>,
}

impl Capabilities {
    /// Returns true if the extension is exported.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.contains(extension)
    }

    /// A limit as an integer, `default` when the table does not name it.
    pub fn limit(&self, name: &str, default: u32) -> u32 {
        self.limits.get(name).map_or(default, |&v| v as u32)
    }
}
