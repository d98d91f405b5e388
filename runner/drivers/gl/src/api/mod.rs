//! Safe functions for the OpenGL commands that scripts need.
//!
//! An [`Api`] exists only while a context is current ([`crate::egl::Current`]), so that its
//! commands always have one. A command that the driver does not have panics with its name; callers
//! check versions and extensions first.

mod memory;
mod numbers;
mod objects;
mod program;

use crate::bindings::gl::Gl;

pub(crate) use memory::{AttributeSource, Conversion, Texels};

/// The commands of the driver.
pub(crate) struct Api {
    raw: Gl,
}

impl Api {
    /// Loads the commands; `find` returns the address of a function by its name.
    pub(crate) fn load(find: impl Fn(&str) -> *const std::ffi::c_void) -> Api {
        Api { raw: Gl::load_with(find) }
    }
}
