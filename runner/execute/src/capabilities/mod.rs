//! Capabilities of contexts: the generations' tables (YAML, embedded), the choice of a context,
//! requirements.

mod table;

pub use script::Unmet;
pub use table::{ContextSet, TableError};
pub(crate) use table::{load, union, vulkan_text};

use std::sync::Arc;

use program::{Api, Capabilities, Stage};
use script::{ContextFacts, ContextRequest, Require, stage_requirement};

impl ContextSet {
    /// Returns the context of a test by its `[require]` section.
    ///
    /// A desktop context below 3.1 is a compatibility context of the highest available version.
    /// From 3.1 on, a core context is tried before a compatibility context, unless the request
    /// names one of them.
    ///
    /// # Errors
    /// Returns the reason of the skip if there is no such context.
    pub fn choose(&self, request: ContextRequest) -> Result<&Arc<Capabilities>, String> {
        let of = |context: &'_ Option<Arc<Capabilities>>, version: u32| -> bool {
            context.as_ref().is_some_and(|c| c.gl_at_least(version))
        };
        let found = match request {
            ContextRequest::AnyCompatibility => &self.compat,
            ContextRequest::CoreThenCompatibility(version) if of(&self.core, version) => &self.core,
            ContextRequest::Core(version) if of(&self.core, version) => &self.core,
            ContextRequest::CoreThenCompatibility(version)
            | ContextRequest::Compatibility(version)
                if of(&self.compat, version) =>
            {
                &self.compat
            }
            ContextRequest::Es(version) if of(&self.es, version) => &self.es,
            _ => &None,
        };
        found.as_ref().ok_or_else(|| format!("needs {}", request.describe()))
    }
}

/// Returns the properties of a context that requirements depend on. Leaves no record of what is
/// consulted.
pub(crate) fn facts(capabilities: &Capabilities) -> ContextFacts<'_> {
    let table = capabilities.table();
    ContextFacts {
        spirv: table.extensions.contains("GL_ARB_gl_spirv"),
        es: table.api == Api::Es,
        gl_version: table.gl_version,
        glsl_version: table.glsl_version,
        extensions: &table.extensions,
        limits: &table.limits,
    }
}

fn consult(capabilities: &Capabilities, version: u32, extensions: &[&str]) {
    capabilities.gl_at_least(version);
    for extension in extensions {
        capabilities.has(extension);
    }
}

/// Checks that a context has a version of desktop GL or one of some extensions.
///
/// # Errors
/// Describes the missing feature.
pub fn needs(capabilities: &Capabilities, version: u32, extensions: &[&str]) -> Result<(), String> {
    consult(capabilities, version, extensions);
    facts(capabilities).needs(version, extensions)
}

/// Checks the requirements in file order. Leaves no record of what is consulted.
///
/// # Errors
/// Returns the first unmet requirement.
pub fn check_requirements(require: &Require<'_>, capabilities: &Capabilities) -> Result<(), Unmet> {
    script::check_requirements(require, &facts(capabilities))
}

/// Checks that a context knows a stage; sections of an unknown stage make the test a skip.
///
/// # Errors
/// Describes the missing feature.
pub fn stage_available(stage: Stage, capabilities: &Capabilities) -> Result<(), String> {
    let (version, extensions) = stage_requirement(stage, capabilities.api() == Api::Es);
    consult(capabilities, version, extensions);
    script::stage_available(stage, &facts(capabilities))
}

#[cfg(test)]
mod tests;
