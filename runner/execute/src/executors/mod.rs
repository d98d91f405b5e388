//! The executors, and the registry of them: a line for each.

pub(crate) mod gl_driver;
pub(crate) mod simulation;
pub(crate) mod vk_driver;

use std::sync::Arc;

use program::Capabilities;
use script::Script;

use crate::executor::{Executor, context_on};
use results::verdict::Verdict;
use vocabulary::Target;

static EXECUTORS: [&dyn Executor; 3] =
    [&simulation::Simulation, &gl_driver::GlDriver, &vk_driver::VkDriver];

/// Returns the executor of a target. The tests prove that every target has exactly one.
pub fn executor(target: Target) -> &'static dyn Executor {
    let serving = EXECUTORS.into_iter().find(|executor| executor.serves(target));
    serving.unwrap_or(EXECUTORS[0])
}

/// Returns the context of a script on a target, if it exists and meets the requirements.
///
/// # Errors
/// Returns the skip.
pub fn context_for(
    script: &Script<'_>,
    target: Target,
) -> Result<&'static Arc<Capabilities>, Verdict> {
    context_on(executor(target), target, script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_one_executor() {
        for target in Target::ALL {
            let serving = EXECUTORS.iter().filter(|executor| executor.serves(target));
            assert_eq!(serving.count(), 1, "{target}");
        }
    }
}
