//! Initial values of uniforms.

use program::Program;

use results::verdict::{Phase, Verdict};

/// Returns the default block with the values of uniform initializers.
///
/// # Errors
/// Fails if an initializer cannot be evaluated.
pub(crate) fn default_block(program: &Program) -> Result<Vec<u8>, Verdict> {
    interpreter_device::default_block(program)
        .map_err(|error| Verdict::fail(Phase::Frontend, error.to_string()))
}
