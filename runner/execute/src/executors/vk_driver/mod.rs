//! The executor of Vulkan drivers: that of the system, one in a folder, or Mesa's on a virtual GPU.

pub mod connection;
pub(super) mod images;
mod run;
mod stages;

use crate::capabilities::{ContextSet, TableError};
use crate::case::TestCase;
use crate::executor::Executor;
use crate::shared::VkTest;
use crate::vk_explanation::VkExplanation;
use results::verdict::Verdict;
use vocabulary::Target;

/// The executor.
pub(super) struct VkDriver;

impl Executor for VkDriver {
    fn serves(&self, target: Target) -> bool {
        target == connection::TARGET
    }

    /// Returns no contexts: they are OpenGL's.
    fn contexts(&self, _: Target) -> Result<&'static ContextSet, &'static TableError> {
        static NONE: ContextSet = ContextSet { core: None, compat: None, es: None };
        Ok(&NONE)
    }

    fn may_take_process_along(&self) -> bool {
        true
    }

    fn run_vk_script(
        &self,
        case: &TestCase<'_>,
        test: &VkTest,
        explanation: Option<&mut VkExplanation>,
    ) -> Verdict {
        run::run(case, &test.script, explanation)
    }
}
