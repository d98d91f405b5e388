//! Explanation of a Vulkan script's verdict.

use std::collections::BTreeMap;

/// Images and texts that an execution records to explain its verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VkExplanation {
    /// PNG files of color attachments at the end, by the names of the script's buffers, in the
    /// order of declaration.
    pub images: Vec<(String, Vec<u8>)>,
    /// Assembly texts of the modules, by pipeline and stage.
    pub modules: BTreeMap<String, String>,
}
