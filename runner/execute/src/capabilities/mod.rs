//! Capabilities of contexts: the generations' tables (YAML, embedded), the choice of a context,
//! requirements.

mod require;
mod table;

pub use require::{Unmet, check_requirements, stage_available};
pub use table::{ContextSet, TableError, context_set};

use std::sync::Arc;

use program::Capabilities;
use script::ContextRequest;

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
            context.as_ref().is_some_and(|c| c.gl_version >= version)
        };
        let (found, wanted) = match request {
            ContextRequest::AnyCompatibility => {
                (&self.compat, "a compatibility context".to_owned())
            }
            ContextRequest::CoreThenCompatibility(version) => {
                let found = if of(&self.core, version) { &self.core } else { &self.compat };
                (if of(found, version) { found } else { &None }, format!("GL {}", dotted(version)))
            }
            ContextRequest::Core(version) => {
                let found = if of(&self.core, version) { &self.core } else { &None };
                (found, format!("GL {} core", dotted(version)))
            }
            ContextRequest::Compatibility(version) => {
                let found = if of(&self.compat, version) { &self.compat } else { &None };
                (found, format!("GL {} compatibility", dotted(version)))
            }
            ContextRequest::Es(version) => {
                let found = if of(&self.es, version) { &self.es } else { &None };
                (found, format!("GL ES {}", dotted(version)))
            }
        };
        found.as_ref().ok_or_else(|| format!("needs {wanted}"))
    }
}

/// Formats a packed GL version.
fn dotted(version: u32) -> String {
    format!("{}.{}", version / 10, version % 10)
}

#[cfg(test)]
mod tests;
