//! Sources of machine code other than this project's compiler.

use compiler::{Binary, CodegenOptions, amd};
use program::{Stage, StageKey};
use softgl::device::DeviceError;

/// A replacement of this project's compiler.
pub trait BinarySource: Send {
    /// Compiles a stage for draws with the given key, for Intel's generations.
    ///
    /// # Errors
    /// Fails with the phase that rejected the shader, broke down or timed out.
    fn binary(&self, stage: Stage, key: &StageKey) -> Result<Binary, DeviceError>;

    /// Compiles a stage for draws with the given key, for AMD's chips.
    ///
    /// # Errors
    /// As [`BinarySource::binary`].
    fn amd_program(&self, stage: Stage, key: &StageKey) -> Result<amd::Output, DeviceError>;
}

/// Returns the options of this project's compiler. Binaries of other compilers (`others`) may read
/// outputs that ours do not: then every output is written.
pub(super) fn beside_others(own: &CodegenOptions, others: bool) -> CodegenOptions {
    let mut options = own.clone();
    if others {
        options.disabled_passes.push("opt_unread_outputs".to_owned());
    }
    options
}
