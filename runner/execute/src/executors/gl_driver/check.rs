//! Programs that the driver's front end checks alone.

use gl_driver::{ContextId, Driver};
use parser_test::{AssemblyTest, Outcome, ParserTest};
use script::{ContextFacts, ContextRequest};

use super::connection::with_driver;
use results::verdict::{Phase, Verdict};

/// Has the driver compile a shader, and link it if the test asks for it.
///
/// # Errors
/// Returns the skip if there is no context, or none that meets the requirements; a failure if there
/// is no driver.
pub(super) fn shader(test: &ParserTest<'_>) -> Result<Outcome, Verdict> {
    let request = match test.context() {
        // OpenGL 3.1 has no profiles. piglit asks for the version alone, and Mesa's drivers give a
        // context without the deprecated features.
        ContextRequest::Compatibility(31) => ContextRequest::CoreThenCompatibility(31),
        request => request,
    };
    check(
        request,
        |facts| test.check_requirements(facts),
        |driver, context| driver.check_shader(test, context),
    )
}

/// Has the driver load an assembly program.
///
/// # Errors
/// As for a shader.
pub(super) fn assembly(test: &AssemblyTest<'_>) -> Result<Outcome, Verdict> {
    check(
        test.context(),
        |facts| test.check_requirements(facts),
        |driver, context| driver.check_assembly(test, context),
    )
}

fn check(
    request: ContextRequest,
    requirements: impl FnOnce(&ContextFacts<'_>) -> Result<(), String>,
    action: impl FnOnce(&mut Driver, ContextId) -> Outcome,
) -> Result<Outcome, Verdict> {
    let checked = with_driver(|driver| {
        let id = driver.context(request).map_err(Verdict::skip)?;
        requirements(&driver.capabilities(id).facts()).map_err(Verdict::skip)?;
        Ok(action(driver, id))
    });
    checked.unwrap_or_else(|error| Err(Verdict::fail(Phase::Require, error.to_string())))
}
