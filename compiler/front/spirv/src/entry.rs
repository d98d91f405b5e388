//! Entry points and specialization.

use program::Stage;

/// An entry point of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPoint<'a> {
    /// Stage, which is the execution model.
    pub stage: Stage,
    /// Name.
    pub name: &'a str,
}

/// A specialization constant's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// `SpecId`.
    pub id: u32,
    /// Bits of the value; booleans are true unless zero.
    pub bits: u64,
}

/// The API whose rules a module follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// GL_ARB_gl_spirv: interfaces match by location and binding.
    OpenGl,
    /// OpenGL with the names of the GLSL that a module was made from: interfaces match by name.
    OpenGlWithNames,
    Vulkan,
}
