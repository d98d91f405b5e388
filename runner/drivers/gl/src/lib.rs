//! Executes `.shader_test` scripts and parser tests on the system's OpenGL driver through EGL,
//! without a window system.
//!
//! ```no_run
//! use gl_driver::{Driver, Observe, Options};
//!
//! let text = b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
//!     void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
//!     [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
//! let script = script::parse(text)?;
//! let mut driver = Driver::open(&Options::default())?;
//! println!("{}", driver.identity().renderer);
//! let context = driver.context(script.require.context)?;
//! let outcome = driver.run(&script, context, Observe::default());
//! assert!(outcome.end.is_none() && outcome.failures.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate has unsafe code, since it calls foreign functions.

mod address_space;
mod api;
mod assembler;
mod bindings;
mod capabilities;
mod check;
mod driver;
mod egl;
mod enums;
mod gbm;
mod messages;
mod outcome;
mod reset;
mod run;
mod snapshot;
mod window;

pub use capabilities::{Capabilities, Profile};
pub use driver::{ContextId, Driver, Identity};
pub use egl::{DeviceChoice, OpenError, Options, Platform};
pub use outcome::{
    End, EndKind, Failure, Observe, Outcome, PixelValues, Pixels, ReadValues, Reading,
};
