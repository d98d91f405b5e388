//! Executors: what runs a test.

use std::sync::Arc;

use parser_test::{AssemblyTest, Outcome, ParserTest};
use program::Capabilities;
use script::{ContextFacts, ContextRequest, Script};

use crate::capabilities::{ContextSet, TableError, check_requirements, facts};
use crate::case::TestCase;
use crate::machines::Explanation;
use crate::programs::{ProgramExplanation, ProgramTest};
use crate::shared::{TestScript, VkTest};
use crate::vk_explanation::VkExplanation;
use results::verdict::{Phase, Verdict};
use vocabulary::Target;

/// An executor runs the tests of some targets: with this project's compiler and a simulator, with
/// the interpreter, or with a driver.
///
/// A kind of test asks for the form of work that it needs, such as [`run_script`]. An executor has
/// a method for each form that it takes; the others keep their default, which is a skip.
///
/// [`run_script`]: Executor::run_script
pub trait Executor: Sync {
    /// Returns true if this executor runs the tests of a target.
    fn serves(&self, target: Target) -> bool;

    /// Returns the OpenGL contexts that a target offers.
    ///
    /// # Errors
    /// Fails if there is no driver, or if an embedded table is malformed.
    fn contexts(&self, target: Target) -> Result<&'static ContextSet, &'static TableError>;

    /// Returns true if this project's compiler makes the code that a target executes.
    fn runs_our_code(&self) -> bool {
        false
    }

    /// Returns true if the code that executes a test is foreign to this process, which it may take
    /// along when it crashes.
    fn may_take_process_along(&self) -> bool {
        false
    }

    /// Executes a script of OpenGL, and records the explanation of its verdict if requested.
    fn run_script(
        &self,
        case: &TestCase<'_>,
        _script: TestScript<'_>,
        _explanation: Option<&mut Explanation>,
    ) -> Verdict {
        Verdict::skip(format!("{} does not execute scripts of OpenGL", case.target))
    }

    /// Executes a script of Vulkan, and records the explanation of its verdict if requested.
    fn run_vk_script(
        &self,
        case: &TestCase<'_>,
        _test: &VkTest,
        _explanation: Option<&mut VkExplanation>,
    ) -> Verdict {
        Verdict::skip(format!("{} does not execute scripts of Vulkan", case.target))
    }

    /// Executes a program, and records the explanation of its verdict if requested.
    fn run_program(
        &self,
        case: &TestCase<'_>,
        _program: &ProgramTest,
        _explanation: Option<&mut ProgramExplanation>,
    ) -> Verdict {
        Verdict::skip(format!("{} does not execute programs", case.target))
    }

    /// Has the front end check a shader, and link it if the test asks for it.
    ///
    /// # Errors
    /// Returns the verdict if there is no answer: a skip, or a failure to ask.
    fn check_shader(
        &self,
        case: &TestCase<'_>,
        _test: &ParserTest<'_>,
    ) -> Result<Outcome, Verdict> {
        Err(Verdict::skip(format!("{} does not check shaders alone", case.target)))
    }

    /// Has the front end check an assembly program.
    ///
    /// # Errors
    /// Returns the verdict if there is no answer: a skip, or a failure to ask.
    fn check_assembly(
        &self,
        case: &TestCase<'_>,
        _test: &AssemblyTest<'_>,
    ) -> Result<Outcome, Verdict> {
        Err(Verdict::skip(format!("{} does not check assembly programs", case.target)))
    }
}

/// Returns the context of a script on a target of an executor, if it exists and meets the
/// requirements.
///
/// # Errors
/// Returns the skip.
pub(crate) fn context_on(
    executor: &dyn Executor,
    target: Target,
    script: &Script<'_>,
) -> Result<&'static Arc<Capabilities>, Verdict> {
    let capabilities = context(executor, target, script.require.context)?;
    check_requirements(&script.require, capabilities)
        .map_err(|unmet| Verdict::skip(format!("line {}: {}", unmet.line, unmet.reason)))?;
    Ok(capabilities)
}

/// Returns the context of a test on a target of an executor, if it exists and passes a check of
/// the test's requirements.
///
/// # Errors
/// Returns the skip.
pub(crate) fn context_of_check(
    executor: &dyn Executor,
    target: Target,
    request: ContextRequest,
    check: impl FnOnce(&ContextFacts<'_>) -> Result<(), String>,
) -> Result<&'static Arc<Capabilities>, Verdict> {
    let capabilities = context(executor, target, request)?;
    check(&facts(capabilities)).map_err(Verdict::skip)?;
    Ok(capabilities)
}

fn context(
    executor: &dyn Executor,
    target: Target,
    request: ContextRequest,
) -> Result<&'static Arc<Capabilities>, Verdict> {
    let set = executor
        .contexts(target)
        .map_err(|error| Verdict::fail(Phase::Require, error.to_string()))?;
    set.choose(request).map_err(Verdict::skip)
}
