//! Shader modules.

use std::sync::Arc;

use crate::error::Span;

/// A shader module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The name in the script; VkScript: the stage and a number.
    pub name: String,
    /// Position of the declaration, source included.
    pub span: Span,
    /// Position of the source. Empty if the source is in a file.
    pub source_span: Span,
    /// Line of the first line of the source, from 1.
    pub first_line: u32,
    /// The stage that the script declares.
    pub stage: ShaderStage,
    /// The language of the source.
    pub language: ShaderLanguage,
    /// The text. A pass-through vertex shader has SPIR-V assembly here. Several GLSL sections of
    /// one stage in VkScript are linked together: see `more_sources`.
    pub source: Arc<str>,
    /// Further GLSL texts of the same stage, which the compiler links to `source`.
    pub more_sources: Vec<Arc<str>>,
    /// Words of a binary module (`SPIRV-HEX`, `SPIRV-BIN`); empty for all other languages.
    pub words: Vec<u32>,
    /// The target environment as the script spells it (`spv1.3`, `vulkan1.1`); `None`: the default
    /// of the runner, `spv1.0`.
    pub target_env: Option<String>,
    /// The path of the source for messages and `#include`, if it came from a file.
    pub path: Option<String>,
}

/// A stage, or what takes its place in declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShaderStage {
    /// A stage that this project executes.
    Stage(vocabulary::Stage),
    /// A module with entry points of several stages; the pipeline's stage says which.
    Multi,
    /// A stage of ray tracing: unsupported.
    RayTracing,
}

/// The language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShaderLanguage {
    /// GLSL for Vulkan.
    Glsl,
    /// HLSL.
    Hlsl,
    /// SPIR-V assembly.
    SpirvAssembly,
    /// SPIR-V words as hexadecimal numbers; `words` has them.
    SpirvHex,
    /// SPIR-V from a file; `words` has them.
    SpirvBinary,
    /// OpenCL C: unsupported.
    OpenClC,
}

/// A file inside a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualFile {
    /// The path, unique in the script.
    pub path: String,
    /// The text.
    pub text: Arc<str>,
}
