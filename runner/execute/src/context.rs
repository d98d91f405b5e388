//! The context that a script requests.

use std::sync::Arc;

use program::Capabilities;
use script::Script;

use crate::capabilities::{check_requirements, context_set};
use results::verdict::{Phase, Verdict};
use vocabulary::Generation;

/// Default size of the window.
pub(crate) const WINDOW: (u32, u32) = (250, 250);

/// Returns the context of a script on a generation, if it exists and meets the requirements.
///
/// # Errors
/// Returns the skip.
pub fn context_for(
    script: &Script<'_>,
    generation: Generation,
) -> Result<&'static Arc<Capabilities>, Verdict> {
    let set = context_set(generation)
        .map_err(|error| Verdict::fail(Phase::Require, error.to_string()))?;
    let capabilities = set.choose(script.require.context).map_err(Verdict::skip)?;
    check_requirements(&script.require, capabilities)
        .map_err(|unmet| Verdict::skip(format!("line {}: {}", unmet.line, unmet.reason)))?;
    Ok(capabilities)
}
