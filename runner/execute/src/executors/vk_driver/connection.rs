//! The system's Vulkan driver as an executor: one for the process, used by one test case at a time.

use std::sync::{Mutex, OnceLock, PoisonError};

use vk_driver::Driver;

use vocabulary::Target;

pub use vk_driver::{DeviceChoice, Identity, OpenError, VkOptions};

/// The target of the system's driver. Mesa's drivers of virtual GPUs are used as this target, too.
pub const TARGET: Target = Target::VK;

static OPTIONS: OnceLock<VkOptions> = OnceLock::new();
static DRIVER: OnceLock<Result<Mutex<Driver>, OpenError>> = OnceLock::new();

/// Selects the driver that this process opens when it needs one. Only the first call counts.
pub fn configure(options: VkOptions) {
    // A process has the options of its command line, so that later calls say the same.
    let _ = OPTIONS.set(options);
}

/// Opens the driver and returns its names.
///
/// # Errors
/// Fails if the machine has no Vulkan driver.
pub fn identity() -> Result<Identity, OpenError> {
    with_driver(|driver| driver.identity().clone())
}

pub(crate) fn with_driver<T>(action: impl FnOnce(&mut Driver) -> T) -> Result<T, OpenError> {
    let open = || Driver::open(OPTIONS.get().unwrap_or(&VkOptions::default())).map(Mutex::new);
    match DRIVER.get_or_init(open) {
        Ok(driver) => Ok(action(&mut driver.lock().unwrap_or_else(PoisonError::into_inner))),
        Err(error) => Err(error.clone()),
    }
}
