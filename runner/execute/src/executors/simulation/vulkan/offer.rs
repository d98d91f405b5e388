//! Features, properties, extensions and limits of Vulkan that a target offers: the tables in
//! `generations/vulkan/*.yaml`.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::capabilities::vulkan_text;
use serde::Deserialize;
use vk_script::{Feature, Pipeline, PipelineStage, Property, RequiredSubgroupSize, Requirements};
use vocabulary::{Generation, Stage, Target};

/// Offer of a target.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offer {
    r#gen: String,
    version: String,
    limits: Limits,
    subgroups: Subgroups,
    features: BTreeSet<String>,
    properties: BTreeSet<String>,
    pub(super) extensions: BTreeSet<String>,
    instance_extensions: BTreeSet<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "the names are those of Vulkan")]
struct Limits {
    maxPushConstantsSize: u64,
    maxBoundDescriptorSets: u32,
    maxColorAttachments: usize,
    maxFramebufferSize: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subgroups {
    sizes: [u32; 2],
    required: BTreeSet<String>,
    stages: BTreeSet<String>,
    operations: BTreeSet<String>,
}

/// Returns what a target offers: a generation its own table, the reference those of all of Intel's
/// generations together.
///
/// # Errors
/// Fails if an embedded table is malformed, which the tests rule out.
pub(super) fn offer(target: Target) -> Result<&'static Offer, &'static str> {
    static OFFERS: [OnceLock<Result<Offer, String>>; Target::ALL.len()] =
        [const { OnceLock::new() }; Target::ALL.len()];
    let made = || match target.generation() {
        Some(generation) => load(generation),
        None => {
            let mut all = load(Generation::Skl)?;
            for generation in Generation::INTEL {
                let other = load(generation)?;
                all.features.extend(other.features);
                all.properties.extend(other.properties);
                all.extensions.extend(other.extensions);
            }
            Ok(all)
        }
    };
    OFFERS[target.index()].get_or_init(made).as_ref().map_err(String::as_str)
}

fn load(generation: Generation) -> Result<Offer, String> {
    let name = generation.name();
    let offer: Offer = serde_yaml::from_str(vulkan_text(generation))
        .map_err(|error| format!("table of Vulkan of {name}: {error}"))?;
    if offer.r#gen != name {
        return Err(format!("table of Vulkan of {name}: it describes {}", offer.r#gen));
    }
    Ok(offer)
}

impl Offer {
    /// The version in the form of `VK_MAKE_API_VERSION`, without a patch.
    pub(super) fn api_version(&self) -> u32 {
        let [major, minor] = self.version();
        major << 22 | minor << 12
    }

    fn version(&self) -> [u32; 2] {
        let (major, minor) = self.version.split_once('.').unwrap_or(("1", "0"));
        [major, minor].map(|number| number.parse().unwrap_or(0))
    }

    /// Returns the first requirement that is not met.
    pub(super) fn unmet(&self, requirements: &Requirements) -> Option<String> {
        if let Some([major, minor, _]) = requirements.version
            && [major, minor] > self.version()
        {
            return Some(format!(
                "needs Vulkan {major}.{minor}; {} has {}",
                self.r#gen, self.version
            ));
        }
        let lacks = |what: &str, name: &str| format!("{} lacks {what} {name}", self.r#gen);
        let has = |name: &&String| {
            self.extensions.contains(*name) || self.instance_extensions.contains(*name)
        };
        let mut extensions =
            requirements.device_extensions.iter().chain(&requirements.instance_extensions);
        if let Some(name) = extensions.find(|name| !has(name)) {
            return Some(lacks("extension", name));
        }
        if let Some(feature) = requirements.features.iter().find(|f| !self.has_feature(f)) {
            return Some(lacks("feature", &full_name(feature.structure, feature.member)));
        }
        let has = |property: &&Property| self.properties.contains(property.member);
        let property = requirements.properties.iter().find(|property| !has(property))?;
        Some(lacks("property", &full_name(property.structure, property.member)))
    }

    fn has_feature(&self, feature: &Feature) -> bool {
        let list = match feature.structure {
            "SubgroupSupportedOperations" => &self.subgroups.operations,
            "SubgroupSupportedStages" => &self.subgroups.stages,
            _ => &self.features,
        };
        list.contains(feature.member)
    }

    /// Returns the first limit that a pipeline exceeds.
    pub(super) fn exceeded(&self, pipeline: &Pipeline, push_constants: u64) -> Option<String> {
        let limits = &self.limits;
        let has = |what: String| Some(format!("{} has {what}", self.r#gen));
        let most = limits.maxPushConstantsSize;
        if push_constants > most {
            return has(format!("{most} bytes of push constants, not {push_constants}"));
        }
        let sets = pipeline.bindings.iter().filter_map(|binding| match binding.place {
            vk_script::Place::Slot { set, .. } => Some(set.saturating_add(1)),
            vk_script::Place::Kernel(_) => None,
        });
        let (sets, most) = (sets.max().unwrap_or(0), limits.maxBoundDescriptorSets);
        if sets > most {
            return has(format!("{most} descriptor sets, not {sets}"));
        }
        if pipeline.colors.len() > limits.maxColorAttachments {
            return has(format!("{} color attachments", limits.maxColorAttachments));
        }
        let most = limits.maxFramebufferSize;
        if pipeline.framebuffer.iter().any(|&size| size > most) {
            return has(format!("framebuffers of up to {most}x{most}"));
        }
        pipeline.stages.iter().find_map(|stage| self.exceeded_size(stage))
    }

    /// Returns why a stage cannot have the size of subgroups that it requires.
    fn exceeded_size(&self, stage: &PipelineStage) -> Option<String> {
        let [low, high] = self.subgroups.sizes;
        let size = match stage.subgroup.required? {
            RequiredSubgroupSize::Minimum => low,
            RequiredSubgroupSize::Maximum => high,
            RequiredSubgroupSize::Exactly(size) => size,
        };
        let name = stage_name(stage.stage);
        if !self.subgroups.required.contains(name) {
            return Some(format!(
                "{} lacks required sizes of subgroups in stage {name}",
                self.r#gen
            ));
        }
        let fits = (low..=high).contains(&size);
        (!fits).then(|| {
            format!("{} has subgroups of {low} to {high} invocations, not of {size}", self.r#gen)
        })
    }
}

fn full_name(structure: &str, member: &str) -> String {
    if structure.is_empty() { member.to_owned() } else { format!("{structure}.{member}") }
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::TessControl => "tessellationControl",
        Stage::TessEval => "tessellationEvaluation",
        Stage::Geometry => "geometry",
        Stage::Fragment => "fragment",
        Stage::Compute => "compute",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_well_formed() {
        for target in Target::ALL.into_iter().filter(|target| !target.has_system_driver()) {
            let offer = offer(target).expect("a table");
            assert!(offer.api_version() >= 1 << 22 | 2 << 12, "{target}");
            assert!(offer.features.contains("robustBufferAccess"), "{target}");
        }
    }

    #[test]
    fn unmet_requirements_are_named() {
        let unmet = |target: Target, text: &str| {
            let text = format!("#!amber\n{text}\n");
            let no_files = |_: &str| Err("no files".to_owned());
            let script = vk_script::parse(text.as_bytes(), vk_script::Rules::Amber, &no_files);
            offer(target).expect("a table").unmet(&script.expect("a script").requirements)
        };
        assert_eq!(unmet(Target::SKL, "DEVICE_FEATURE shaderFloat64"), None);
        let missing = unmet(Target::IVB, "DEVICE_FEATURE shaderFloat64");
        assert_eq!(missing.as_deref(), Some("ivb lacks feature shaderFloat64"));
        let missing = unmet(Target::SKL, "DEVICE_EXTENSION VK_EXT_teleport");
        assert_eq!(missing.as_deref(), Some("skl lacks extension VK_EXT_teleport"));
    }
}
