//! SPIR-V modules: assembler, reader, validator, and translation to a typed [`program::Shader`].
//!
//! The typed shader is what GLSL becomes, too, so that linking and both executors take it as it is.
//! [`compile`] is the whole path from words; [`assemble`] makes words of text:
//!
//! ```
//! use program::{Stage, TypeTable};
//! use spirv_front::{EntryPoint, assemble, compile};
//!
//! let text = r#"
//!     OpCapability Shader
//!     OpMemoryModel Logical GLSL450
//!     OpEntryPoint Fragment %main "main"
//!     OpExecutionMode %main OriginLowerLeft
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %main = OpFunction %void None %function
//!     %begin = OpLabel
//!     OpKill
//!     OpFunctionEnd
//! "#;
//! let assembled = assemble(text.as_bytes())?;
//! let mut types = TypeTable::default();
//! let entry = EntryPoint { stage: Stage::Fragment, name: "main" };
//! let shader = compile(&assembled.words, entry, &[], &mut types)?;
//! assert!(shader.nameless && shader.entry.is_some());
//!
//! let wrong = assemble(b"OpCapability Shadder").unwrap_err();
//! assert_eq!(wrong.to_string(), "line 1, column 14: no Capability is called `Shadder`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod assemble;
mod binary;
mod dominance;
mod entry;
mod error;
mod grammar;
mod lexer;
mod module;
mod number;
mod places;
mod translate;
mod validate;

pub use assemble::{Assembled, assemble};
pub use entry::{EntryPoint, Specialization};
pub use error::{AssemblyError, Error};
pub use module::Module;
pub use places::{InterfaceClass, InterfaceVariable, Place, with_places};

use entry::Api;
use program::{Shader, TypeTable};

/// The version of SPIR-V 1 that modules of scripts have at least.
const SCRIPT_VERSION: u32 = 3;

impl Module {
    /// Reads a module's words and checks the rules of the specification.
    ///
    /// # Errors
    /// The first word that is malformed, or the first instruction that breaks a rule.
    pub fn checked(words: &[u32]) -> Result<Module, Error> {
        let module = Module::read(words)?;
        validate::check(&module, 0)?;
        Ok(module)
    }

    /// Reads and checks a module of a script. Vulkan scripts do not say which version of SPIR-V
    /// their texts are for, and drivers of OpenGL do not look at it (piglit's tests of
    /// `SPV_KHR_storage_buffer_storage_class`): modules may have what came up to version 1.3.
    ///
    /// # Errors
    /// Those of [`Module::checked`].
    pub fn checked_of_script(words: &[u32]) -> Result<Module, Error> {
        let module = Module::read(words)?;
        validate::check(&module, SCRIPT_VERSION)?;
        Ok(module)
    }

    /// The entry points of stages that a typed shader has, in the order of the module.
    pub fn entry_points(&self) -> Vec<EntryPoint<'_>> {
        translate::entry_points(self)
    }

    /// True if the module has what Vulkan alone has: samplers apart from textures, push constants,
    /// several descriptor sets, or Vulkan's numbers of vertices and instances.
    pub fn is_for_vulkan(&self) -> bool {
        translate::is_for_vulkan(self)
    }

    /// Translates an entry point.
    ///
    /// # Errors
    /// The entry point is missing, a specialization has no constant, or an instruction is beyond
    /// what the typed program can say.
    pub fn shader(
        &self,
        entry: EntryPoint<'_>,
        specializations: &[Specialization],
        types: &mut TypeTable,
    ) -> Result<Shader, Error> {
        translate::translate(self, Api::OpenGl, entry, specializations, types)
    }

    /// Translates an entry point of a module that a compiler made from GLSL, and that has the names
    /// of the GLSL as debug information. Its interfaces match by name.
    ///
    /// # Errors
    /// Those of [`Module::shader`].
    pub fn named_shader(
        &self,
        entry: EntryPoint<'_>,
        types: &mut TypeTable,
    ) -> Result<Shader, Error> {
        translate::translate(self, Api::OpenGlWithNames, entry, &[], types)
    }

    /// Translates an entry point of a module for Vulkan. Resources have the sets and bindings of
    /// their layout qualifiers, rows of the framebuffer are counted from the upper one, and
    /// `InstanceIndex` is `gl_InstanceID`.
    ///
    /// # Errors
    /// Those of [`Module::shader`].
    pub fn vulkan_shader(
        &self,
        entry: EntryPoint<'_>,
        specializations: &[Specialization],
        types: &mut TypeTable,
    ) -> Result<Shader, Error> {
        translate::translate(self, Api::Vulkan, entry, specializations, types)
    }
}

/// Reads, checks and translates one entry point of a module.
///
/// # Errors
/// Those of [`Module::checked`] and [`Module::shader`].
pub fn compile(
    words: &[u32],
    entry: EntryPoint<'_>,
    specializations: &[Specialization],
    types: &mut TypeTable,
) -> Result<Shader, Error> {
    Module::checked(words)?.shader(entry, specializations, types)
}
