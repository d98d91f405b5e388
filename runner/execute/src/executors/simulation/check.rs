//! Programs that the front end checks alone: no code is generated.

use parser_test::{AssemblyTest, Outcome, ParserTest};

use crate::case::TestCase;
use crate::executor::{Executor, context_of_check};
use crate::front::check;
use crate::shared::SharedTests;
use results::verdict::Verdict;

/// Checks a shader in the contexts of an executor, which may be another one than this.
///
/// # Errors
/// Returns the skip if there is no context, or none that meets the requirements.
pub(crate) fn shader(
    case: &TestCase<'_>,
    test: &ParserTest<'_>,
    offers: &dyn Executor,
) -> Result<Outcome, Verdict> {
    let context = context_of_check(offers, case.target, test.context(), |facts| {
        test.check_requirements(facts)
    })?;
    let none = SharedTests::default();
    let tests = case.devices.shared_tests().unwrap_or(&none);
    Ok(tests.check(test, context, |context| check::shader(test, context)))
}

/// Checks an assembly program in the contexts of an executor, which may be another one than this.
///
/// # Errors
/// Returns the skip if there is no context, or none that meets the requirements.
pub(crate) fn assembly(
    case: &TestCase<'_>,
    test: &AssemblyTest<'_>,
    offers: &dyn Executor,
) -> Result<Outcome, Verdict> {
    let context = context_of_check(offers, case.target, test.context(), |facts| {
        test.check_requirements(facts)
    })?;
    Ok(check::assembly(test, context))
}
