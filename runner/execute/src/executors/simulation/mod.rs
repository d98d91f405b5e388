//! The executor of hardware generations and of the reference: machine and interpreter, and a
//! simulator with this project's compiler.

pub(super) mod check;
mod compile_only;
mod factory;
mod request;
mod run;
pub(crate) mod vulkan;

pub use factory::{Devices, Traced, TracedWaves, seed};
pub(super) use run::{run, session};

use std::sync::OnceLock;

use parser_test::{AssemblyTest, Outcome, ParserTest};

use crate::capabilities::{ContextSet, TableError, load, union};
use crate::case::TestCase;
use crate::executor::Executor;
use crate::machines::Explanation;
use crate::shared::{TestScript, VkTest};
use crate::vk_explanation::VkExplanation;
use results::verdict::Verdict;
use vocabulary::Target;

/// The executor.
pub(super) struct Simulation;

impl Executor for Simulation {
    fn serves(&self, target: Target) -> bool {
        !target.has_system_driver()
    }

    fn contexts(&self, target: Target) -> Result<&'static ContextSet, &'static TableError> {
        static SETS: [OnceLock<Result<ContextSet, TableError>>; Target::ALL.len()] =
            [const { OnceLock::new() }; Target::ALL.len()];
        let contexts = || target.generation().map_or_else(union, load);
        SETS[target.index()].get_or_init(contexts).as_ref()
    }

    fn runs_our_code(&self) -> bool {
        true
    }

    fn run_script(
        &self,
        case: &TestCase<'_>,
        test: TestScript<'_>,
        explanation: Option<&mut Explanation>,
    ) -> Verdict {
        run(case, test, self, explanation)
    }

    fn run_vk_script(
        &self,
        case: &TestCase<'_>,
        test: &VkTest,
        explanation: Option<&mut VkExplanation>,
    ) -> Verdict {
        vulkan::run(case, test, explanation)
    }

    fn check_shader(&self, case: &TestCase<'_>, test: &ParserTest<'_>) -> Result<Outcome, Verdict> {
        check::shader(case, test, self)
    }

    fn check_assembly(
        &self,
        case: &TestCase<'_>,
        test: &AssemblyTest<'_>,
    ) -> Result<Outcome, Verdict> {
        check::assembly(case, test, self)
    }
}
