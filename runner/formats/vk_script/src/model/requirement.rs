//! Requirements on a device.

use std::collections::HashSet;

use crate::error::Span;

/// Everything that a script requires.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// Features of the device.
    pub features: Vec<Feature>,
    /// Properties of the device.
    pub properties: Vec<Property>,
    /// Extensions of the device, each once, with those that features imply.
    pub device_extensions: Vec<String>,
    /// Extensions of the instance, each once.
    pub instance_extensions: Vec<String>,
    /// The version of Vulkan: major, minor, patch.
    pub version: Option<[u32; 3]>,
    /// The time limit of one submission in milliseconds.
    pub fence_timeout_ms: Option<u32>,
}

impl Requirements {
    /// Removes extensions that are listed twice; the order of the first stays.
    pub(crate) fn deduplicate(&mut self) {
        for list in [&mut self.device_extensions, &mut self.instance_extensions] {
            let mut seen = HashSet::new();
            list.retain(|name| seen.insert(name.clone()));
        }
    }
}

/// A feature of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Position.
    pub span: Span,
    /// The structure without `VkPhysicalDevice` and vendor suffix (`Float16Int8Features`); empty
    /// for members of `VkPhysicalDeviceFeatures`. Amber's names: `VariablePointerFeatures`,
    /// `SubgroupSupportedOperations`, ….
    pub structure: &'static str,
    /// The member (`shaderFloat16`).
    pub member: &'static str,
}

/// A property of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Position.
    pub span: Span,
    /// The structure, without `VkPhysicalDevice` (`FloatControlsProperties`).
    pub structure: &'static str,
    /// The member (`shaderDenormPreserveFloat16`).
    pub member: &'static str,
}
