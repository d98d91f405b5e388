//! The system's OpenGL driver as an executor: one for the process, used by one test case at a time.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gl_driver::{Driver, Profile};
use program::{Api, Capabilities, CapabilityTable};
use script::ContextRequest;

use crate::capabilities::ContextSet;
use vocabulary::Target;

pub use gl_driver::{DeviceChoice, Identity, OpenError, Options, Platform};

/// The target of the system's driver. Mesa's drivers of virtual GPUs are used as this target, too.
pub const TARGET: Target = Target::GL;

static OPTIONS: OnceLock<Options> = OnceLock::new();
static DRIVER: OnceLock<Result<Mutex<Driver>, OpenError>> = OnceLock::new();

/// Selects the driver that this process opens when it needs one. Only the first call counts.
pub fn configure(options: Options) {
    // A process has the options of its command line, so that later calls say the same.
    let _ = OPTIONS.set(options);
}

/// Opens the driver and returns its names.
///
/// # Errors
/// Fails if the machine has no EGL, or no OpenGL.
pub fn identity() -> Result<Identity, OpenError> {
    with_driver(|driver| driver.identity().clone())
}

/// Returns the contexts of the driver: the highest version of each kind.
pub(crate) fn context_set() -> Result<ContextSet, OpenError> {
    with_driver(|driver| {
        let mut highest = |requests: &[ContextRequest]| {
            let id = requests.iter().find_map(|&request| driver.context(request).ok())?;
            Some(Arc::new(capabilities(driver.capabilities(id))))
        };
        let cores = [46, 45, 44, 43, 42, 41, 40, 33, 32, 31].map(ContextRequest::Core);
        ContextSet {
            core: highest(&cores).filter(|c| c.api() == Api::Core),
            compat: highest(&[ContextRequest::AnyCompatibility]),
            es: highest(&[32, 31, 30, 20].map(ContextRequest::Es)),
        }
    })
}

pub(crate) fn with_driver<T>(action: impl FnOnce(&mut Driver) -> T) -> Result<T, OpenError> {
    let open = || Driver::open(OPTIONS.get().unwrap_or(&Options::default())).map(Mutex::new);
    match DRIVER.get_or_init(open) {
        // After a panic the driver itself replaces the context that it happened in.
        Ok(driver) => Ok(action(&mut driver.lock().unwrap_or_else(PoisonError::into_inner))),
        Err(error) => Err(error.clone()),
    }
}

/// Converts the capabilities of a context.
pub(crate) fn capabilities(context: &gl_driver::Capabilities) -> Capabilities {
    let table = CapabilityTable {
        generation: TARGET.name().to_owned(),
        api: match context.profile {
            Profile::Core => Api::Core,
            Profile::Compatibility => Api::Compatibility,
            Profile::Es => Api::Es,
        },
        gl_version: context.gl_version,
        glsl_version: context.glsl_version,
        extensions: context.extensions.clone(),
        limits: context.limits.clone(),
    };
    table.into()
}
