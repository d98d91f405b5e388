//! The executor of OpenGL drivers: that of the system, one in a folder, or Mesa's on a virtual GPU.

mod check;
pub mod connection;
mod run;
mod stages;

pub use stages::{RanKernel, add_kernels};

use std::sync::OnceLock;

use parser_test::{AssemblyTest, Outcome, ParserTest};

use crate::capabilities::{ContextSet, TableError};
use crate::case::TestCase;
use crate::executor::Executor;
use crate::executors::simulation;
use crate::machines::Explanation;
use crate::options::ExecutorSelection;
use crate::programs::{self, ProgramExplanation, ProgramTest};
use crate::shared::TestScript;
use results::verdict::Verdict;
use vocabulary::Target;

/// The executor.
pub(super) struct GlDriver;

impl Executor for GlDriver {
    fn serves(&self, target: Target) -> bool {
        target == connection::TARGET
    }

    fn contexts(&self, _: Target) -> Result<&'static ContextSet, &'static TableError> {
        static SET: OnceLock<Result<ContextSet, TableError>> = OnceLock::new();
        SET.get_or_init(|| connection::context_set().map_err(TableError::from)).as_ref()
    }

    fn may_take_process_along(&self) -> bool {
        true
    }

    fn run_script(
        &self,
        case: &TestCase<'_>,
        test: TestScript<'_>,
        explanation: Option<&mut Explanation>,
    ) -> Verdict {
        match case.options.executors {
            ExecutorSelection::ReferenceOnly => simulation::run(case, test, self, explanation),
            _ => run::run(case, test.script, explanation),
        }
    }

    fn run_program(
        &self,
        case: &TestCase<'_>,
        program: &ProgramTest,
        explanation: Option<&mut ProgramExplanation>,
    ) -> Verdict {
        match case.options.executors {
            ExecutorSelection::ReferenceOnly => {
                Verdict::skip("the reference interpreter does not execute programs")
            }
            _ => programs::run(&case.options.programs, program, explanation),
        }
    }

    fn check_shader(&self, case: &TestCase<'_>, test: &ParserTest<'_>) -> Result<Outcome, Verdict> {
        match case.options.executors {
            ExecutorSelection::ReferenceOnly => simulation::check::shader(case, test, self),
            _ => check::shader(test),
        }
    }

    fn check_assembly(
        &self,
        case: &TestCase<'_>,
        test: &AssemblyTest<'_>,
    ) -> Result<Outcome, Verdict> {
        match case.options.executors {
            ExecutorSelection::ReferenceOnly => simulation::check::assembly(case, test, self),
            _ => check::assembly(test),
        }
    }
}
