//! Sources of modules: a shader of a script, in a stage, for a version of Vulkan.

use vk_script::{PipelineStage, Requirements, Script, Shader, ShaderLanguage, VirtualFile};
use vocabulary::Stage;

use crate::words::bytes_of;

/// A use of a shader that decides its module.
#[derive(Clone, Copy)]
pub struct ShaderUse<'a> {
    /// The shader.
    pub(crate) shader: &'a Shader,
    /// Its stage.
    pub(crate) stage: Stage,
    /// VkOptions of the optimizer.
    pub(crate) optimizations: &'a [String],
    /// Files for `#include`.
    pub(crate) files: &'a [VirtualFile],
    /// Target environment if the shader names none.
    environment: &'static str,
}

impl<'a> ShaderUse<'a> {
    /// Returns the source of a stage of a script.
    pub fn of(script: &'a Script, stage: &'a PipelineStage) -> ShaderUse<'a> {
        ShaderUse {
            shader: script.shader(stage.shader),
            stage: stage.stage,
            optimizations: &stage.optimizations,
            files: &script.files,
            environment: environment(&script.requirements),
        }
    }

    /// Returns everything that the module depends on but the programs.
    pub(crate) fn key(&self) -> Vec<u8> {
        let shader = self.shader;
        let environment = self.environment();
        let use_of_it = format!("{:?} {:?} {environment}", shader.language, self.stage);
        let optimizations = self.optimizations.join(" ");
        let sources = std::iter::once(&shader.source).chain(&shader.more_sources);
        let mut texts = vec![&*optimizations];
        texts.extend(sources.map(|text| &**text));
        if shader.language == ShaderLanguage::Hlsl {
            texts.extend(self.files.iter().flat_map(|file| [&*file.path, &*file.text]));
        }
        let mut key = key_of(&use_of_it, texts);
        key.extend(bytes_of(&shader.words));
        key
    }

    /// Returns the word of the version of SPIR-V in the header of the module (Vulkan 1.3, appendix
    /// "Vulkan Environment for SPIR-V").
    pub fn version(&self) -> u32 {
        let environment = self.environment();
        let told = environment.rsplit_once("spv").map(|(_, version)| version);
        let of_vulkan = || match environment {
            "vulkan1.1" => "1.3",
            "vulkan1.2" => "1.5",
            "vulkan1.3" | "vulkan1.4" => "1.6",
            _ => "1.0",
        };
        let version = told.unwrap_or_else(of_vulkan);
        let minor = version.rsplit_once('.').and_then(|(_, minor)| minor.parse::<u8>().ok());
        0x1_0000 | u32::from(minor.unwrap_or(0)) << 8
    }

    pub(crate) fn environment(&self) -> &'a str {
        self.shader.target_env.as_deref().unwrap_or(self.environment)
    }
}

/// Extensions of devices whose modules are of SPIR-V 1.4 at least.
const FROM_1_4: [&str; 2] = ["VK_KHR_spirv_1_4", "VK_KHR_workgroup_memory_explicit_layout"];

/// Returns the target environment of shaders that name none: the highest version of SPIR-V that
/// the requirements guarantee (Vulkan 1.3, appendix "Vulkan Environment for SPIR-V").
fn environment(requirements: &Requirements) -> &'static str {
    let version = requirements.version.unwrap_or([1, 0, 0]);
    let has_extension =
        requirements.device_extensions.iter().any(|name| FROM_1_4.contains(&name.as_str()));
    let versions = [([1, 3, 0], "spv1.6"), ([1, 2, 0], "spv1.5"), ([1, 1, 0], "spv1.3")];
    let of_version = versions.into_iter().find(|(first, _)| version >= *first);
    match of_version.map(|(_, name)| name) {
        Some("spv1.3") | None if has_extension => "spv1.4",
        Some(name) => name,
        None => "spv1.0",
    }
}

/// Joins what a module depends on.
pub(crate) fn key_of<'t>(use_of_it: &'t str, texts: impl IntoIterator<Item = &'t str>) -> Vec<u8> {
    let mut key = Vec::new();
    for text in std::iter::once(use_of_it).chain(texts) {
        // Lengths keep neighbors apart.
        key.extend_from_slice(&text.len().to_le_bytes());
        key.extend_from_slice(text.as_bytes());
    }
    key
}
