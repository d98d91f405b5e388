//! The source revision of this build.

/// The revision that `build.rs` found, if git knew it.
pub(super) const REVISION: Option<&str> = option_env!("RUNNER_REVISION");
