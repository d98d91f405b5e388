//! Shader stages of a pipeline in the form in which it is created.

use std::ffi::CString;

use ash::vk;
use shader_tools::{ShaderUse, ToolError, Tools};
use vk_script::{Pipeline, PipelineStage, RequiredSubgroupSize, Script};
use vocabulary::{Phase, Stage};

use crate::arena::{Arena, Object};
use crate::device::{Device, failed};
use crate::features::Facts;
use crate::outcome::{Flow, fail, skip};
use crate::spirv::unmet;

/// A stage with its module.
pub(super) struct ReadyStage {
    stage: vk::ShaderStageFlags,
    module: vk::ShaderModule,
    name: CString,
    flags: vk::PipelineShaderStageCreateFlags,
    required_size: Option<u32>,
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

/// Descriptions that the description of a stage points to.
pub(super) struct Parts<'a> {
    specialization: vk::SpecializationInfo<'a>,
    size: Option<vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'a>>,
}

impl ReadyStage {
    /// Returns what the description of the stage points to.
    pub(super) fn parts(&self) -> Parts<'_> {
        let specialization =
            vk::SpecializationInfo::default().map_entries(&self.entries).data(&self.data);
        let size = self.required_size.map(|size| {
            vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
                .required_subgroup_size(size)
        });
        Parts { specialization, size }
    }

    /// Returns the description of the stage.
    pub(super) fn info<'a>(
        &'a self,
        parts: &'a mut Parts<'_>,
    ) -> vk::PipelineShaderStageCreateInfo<'a> {
        let mut info = vk::PipelineShaderStageCreateInfo::default()
            .stage(self.stage)
            .module(self.module)
            .name(&self.name)
            .flags(self.flags);
        if !self.entries.is_empty() {
            info = info.specialization_info(&parts.specialization);
        }
        if let Some(size) = &mut parts.size {
            info.p_next = std::ptr::from_mut(size).cast();
        }
        info
    }
}

/// Returns the bit of a stage.
pub(super) fn bit(stage: Stage) -> vk::ShaderStageFlags {
    match stage {
        Stage::Vertex => vk::ShaderStageFlags::VERTEX,
        Stage::TessControl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        Stage::TessEval => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        Stage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
        Stage::Compute => vk::ShaderStageFlags::COMPUTE,
    }
}

/// Makes the modules of a pipeline's stages.
pub(super) fn ready(
    device: &Device,
    facts: &Facts,
    tools: &Tools,
    arena: &mut Arena,
    script: &Script,
    pipeline: &Pipeline,
) -> Flow<Vec<ReadyStage>> {
    let mut stages = Vec::new();
    for stage in &pipeline.stages {
        let shader = script.shader(stage.shader);
        let words = tools.module(&ShaderUse::of(script, stage)).map_err(|error| match error {
            ToolError::Refused(text) => {
                fail(Phase::Frontend, format!("shader `{}`: {text}", shader.name))
            }
            error => skip(error.to_string()),
        })?;
        if let Some((name, extension)) = unmet(&words, facts.version, &facts.extensions) {
            let shader = &shader.name;
            return Err(skip(format!(
                "the driver lacks extension {extension}: shader `{shader}` has {name}"
            )));
        }
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are a whole module; the driver may refuse it.
        let module = unsafe { device.raw.create_shader_module(&info, None) };
        let module = module.map_err(|error| failed("vkCreateShaderModule", error))?;
        arena.add(Object::Module(module));
        stages.push(ready_stage(facts, stage, module)?);
    }
    Ok(stages)
}

fn ready_stage(facts: &Facts, stage: &PipelineStage, module: vk::ShaderModule) -> Flow<ReadyStage> {
    use vk::PipelineShaderStageCreateFlags as Flags;
    let mut flags = Flags::empty();
    if stage.subgroup.varying {
        flags |= Flags::ALLOW_VARYING_SUBGROUP_SIZE;
    }
    if stage.subgroup.full {
        flags |= Flags::REQUIRE_FULL_SUBGROUPS;
    }
    if !flags.is_empty() && facts.subgroup_sizes.is_none() {
        return Err(skip("the driver lacks control of the size of subgroups"));
    }
    let name = CString::new(stage.entry_point.as_bytes());
    let name = name.map_err(|_| fail(Phase::Link, "the entry point's name has a zero byte"))?;
    let mut entries = Vec::new();
    let mut data = Vec::new();
    for constant in &stage.specializations {
        let offset = u32::try_from(data.len()).unwrap_or(u32::MAX);
        entries.push(
            vk::SpecializationMapEntry::default().constant_id(constant.id).offset(offset).size(4),
        );
        data.extend_from_slice(&constant.bits.to_le_bytes());
    }
    let required_size = required_size(facts, stage)?;
    let stage = bit(stage.stage);
    Ok(ReadyStage { stage, module, name, flags, required_size, entries, data })
}

/// Returns the size of subgroups that a stage requires.
fn required_size(facts: &Facts, stage: &PipelineStage) -> Flow<Option<u32>> {
    let Some(required) = stage.subgroup.required else { return Ok(None) };
    let lacks = || skip("the driver lacks required sizes of subgroups");
    let sizes = facts.subgroup_sizes.ok_or_else(lacks)?;
    if !sizes.stages.contains(bit(stage.stage)) {
        let name = stage.stage.abbreviation();
        return Err(skip(format!("the driver lacks required sizes of subgroups in stage {name}")));
    }
    let size = match required {
        RequiredSubgroupSize::Minimum => sizes.smallest,
        RequiredSubgroupSize::Maximum => sizes.largest,
        RequiredSubgroupSize::Exactly(size) => size,
    };
    if !(sizes.smallest..=sizes.largest).contains(&size) {
        let (low, high) = (sizes.smallest, sizes.largest);
        return Err(skip(format!(
            "the driver has subgroups of {low} to {high} invocations, not of {size}"
        )));
    }
    Ok(Some(size))
}
