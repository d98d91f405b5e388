//! Executes Vulkan scripts on a Vulkan driver, without a window system.
//!
//! ```no_run
//! use vk_driver::{Driver, VkOptions};
//!
//! let text = std::fs::read("a.amber")?;
//! let no_files = |_: &str| Err("no files".to_owned());
//! let script = vk_script::parse(&text, vk_script::Rules::Amber, &no_files)?;
//! let mut driver = Driver::open(&VkOptions::default())?;
//! println!("{}", driver.identity().renderer);
//! let outcome = driver.run(&script, false);
//! assert!(outcome.end.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate has unsafe code, since it calls foreign functions.

mod arena;
mod device;
mod driver;
mod features;
mod format;
mod loader;
mod memory;
mod messages;
mod options;
mod outcome;
mod run;
mod spirv;

pub use driver::{Driver, ModuleText, modules, validate};
pub use options::{DeviceChoice, Identity, OpenError, VkOptions};
pub use outcome::{AttachmentImage, End, EndKind, Executable, Outcome};
pub use spirv::unmet as unmet_extension;
