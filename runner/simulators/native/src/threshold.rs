//! Number of instructions after which kernels are translated, from the environment.

use std::sync::OnceLock;

/// Environment variable with a number of instructions after which kernels of any length are
/// translated.
const VARIABLE: &str = "RUNNER_NATIVE_AFTER";

/// The number of the environment variable, if it is set: 0 translates each kernel at once, the
/// largest number of 64 bits none.
pub fn threshold() -> Option<u64> {
    static NUMBER: OnceLock<Option<u64>> = OnceLock::new();
    *NUMBER.get_or_init(|| std::env::var(VARIABLE).ok()?.parse().ok())
}
