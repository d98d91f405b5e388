//! Facts about a module of SPIR-V that decide whether a device may have it.

use std::collections::BTreeSet;

use ash::vk;

/// Words of the header.
const HEADER: usize = 5;
/// Number of `OpExtension`.
const EXTENSION: u32 = 10;
/// Number of `OpMemoryModel`, which follows all extensions.
const MEMORY_MODEL: u32 = 14;

/// Extensions of SPIR-V, the extension of a device that permits them, and the version of Vulkan
/// that does; 0: none (Vulkan 1.4, appendix "Vulkan Environment for SPIR-V", table 111).
const EXTENSIONS: &[(&str, &str, u32)] = &[
    (
        "SPV_AMD_shader_early_and_late_fragment_tests",
        "VK_AMD_shader_early_and_late_fragment_tests",
        0,
    ),
    (
        "SPV_EXT_demote_to_helper_invocation",
        "VK_EXT_shader_demote_to_helper_invocation",
        vk::API_VERSION_1_3,
    ),
    ("SPV_EXT_descriptor_indexing", "VK_EXT_descriptor_indexing", vk::API_VERSION_1_2),
    ("SPV_EXT_fragment_fully_covered", "VK_EXT_conservative_rasterization", 0),
    ("SPV_EXT_fragment_invocation_density", "VK_EXT_fragment_density_map", 0),
    ("SPV_EXT_fragment_shader_interlock", "VK_EXT_fragment_shader_interlock", 0),
    ("SPV_EXT_mesh_shader", "VK_EXT_mesh_shader", 0),
    ("SPV_EXT_shader_atomic_float_add", "VK_EXT_shader_atomic_float", 0),
    ("SPV_EXT_shader_atomic_float_min_max", "VK_EXT_shader_atomic_float2", 0),
    ("SPV_EXT_shader_image_int64", "VK_EXT_shader_image_atomic_int64", 0),
    ("SPV_EXT_shader_stencil_export", "VK_EXT_shader_stencil_export", 0),
    (
        "SPV_EXT_shader_viewport_index_layer",
        "VK_EXT_shader_viewport_index_layer",
        vk::API_VERSION_1_2,
    ),
    ("SPV_KHR_16bit_storage", "VK_KHR_16bit_storage", vk::API_VERSION_1_1),
    ("SPV_KHR_8bit_storage", "VK_KHR_8bit_storage", vk::API_VERSION_1_2),
    ("SPV_KHR_compute_shader_derivatives", "VK_KHR_compute_shader_derivatives", 0),
    ("SPV_KHR_cooperative_matrix", "VK_KHR_cooperative_matrix", 0),
    ("SPV_KHR_device_group", "VK_KHR_device_group", vk::API_VERSION_1_1),
    ("SPV_KHR_expect_assume", "VK_KHR_shader_expect_assume", VERSION_1_4),
    ("SPV_KHR_float_controls", "VK_KHR_shader_float_controls", vk::API_VERSION_1_2),
    ("SPV_KHR_float_controls2", "VK_KHR_shader_float_controls2", VERSION_1_4),
    ("SPV_KHR_fragment_shading_rate", "VK_KHR_fragment_shading_rate", 0),
    ("SPV_KHR_integer_dot_product", "VK_KHR_shader_integer_dot_product", vk::API_VERSION_1_3),
    ("SPV_KHR_maximal_reconvergence", "VK_KHR_shader_maximal_reconvergence", 0),
    ("SPV_KHR_multiview", "VK_KHR_multiview", vk::API_VERSION_1_1),
    ("SPV_KHR_physical_storage_buffer", "VK_KHR_buffer_device_address", vk::API_VERSION_1_2),
    ("SPV_KHR_post_depth_coverage", "VK_EXT_post_depth_coverage", 0),
    ("SPV_KHR_quad_control", "VK_KHR_shader_quad_control", 0),
    ("SPV_KHR_shader_clock", "VK_KHR_shader_clock", 0),
    ("SPV_KHR_shader_draw_parameters", "VK_KHR_shader_draw_parameters", vk::API_VERSION_1_1),
    (
        "SPV_KHR_storage_buffer_storage_class",
        "VK_KHR_storage_buffer_storage_class",
        vk::API_VERSION_1_1,
    ),
    ("SPV_KHR_subgroup_rotate", "VK_KHR_shader_subgroup_rotate", VERSION_1_4),
    ("SPV_KHR_subgroup_uniform_control_flow", "VK_KHR_shader_subgroup_uniform_control_flow", 0),
    ("SPV_KHR_terminate_invocation", "VK_KHR_shader_terminate_invocation", vk::API_VERSION_1_3),
    ("SPV_KHR_variable_pointers", "VK_KHR_variable_pointers", vk::API_VERSION_1_1),
    ("SPV_KHR_vulkan_memory_model", "VK_KHR_vulkan_memory_model", vk::API_VERSION_1_2),
    ("SPV_KHR_workgroup_memory_explicit_layout", "VK_KHR_workgroup_memory_explicit_layout", 0),
];

/// Version 1.4 of Vulkan.
const VERSION_1_4: u32 = vk::make_api_version(0, 1, 4, 0);

/// Returns the first extension of SPIR-V in a module that a device with a version of Vulkan and
/// some extensions does not permit, with the extension of the device that would. Drivers need not
/// survive such a module.
#[must_use]
pub fn unmet(
    words: &[u32],
    version: u32,
    offered: &BTreeSet<String>,
) -> Option<(&'static str, &'static str)> {
    let permits = |extension: &str, since: u32| {
        (since > 0 && version >= since) || offered.contains(extension)
    };
    extensions(words).into_iter().find_map(|name| {
        let (name, extension, since) = EXTENSIONS.iter().find(|(known, ..)| *known == name)?;
        (!permits(extension, *since)).then_some((*name, *extension))
    })
}

/// Returns the names of the extensions that a module declares.
fn extensions(words: &[u32]) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = words.get(HEADER..).unwrap_or_default();
    while let [first, ..] = rest {
        let (count, opcode) = ((first >> 16) as usize, first & 0xffff);
        if opcode == MEMORY_MODEL || count == 0 || count > rest.len() {
            break;
        }
        if opcode == EXTENSION {
            let bytes = rest[1..count].iter().flat_map(|word| word.to_le_bytes());
            let text: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
            names.push(String::from_utf8_lossy(&text).into_owned());
        }
        rest = &rest[count..];
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str) -> Vec<u32> {
        let mut bytes = name.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let (text, _) = bytes.as_chunks::<4>();
        let count = u32::try_from(text.len() + 1).unwrap();
        let mut words = vec![0; HEADER];
        // A capability before it, the memory model behind it.
        words.extend([2 << 16 | 17, 1, count << 16 | EXTENSION]);
        words.extend(text.iter().map(|word| u32::from_le_bytes(*word)));
        words.extend([3 << 16 | MEMORY_MODEL, 0, 1]);
        words
    }

    #[test]
    fn names_of_extensions() {
        let words = module("SPV_KHR_maximal_reconvergence");
        assert_eq!(extensions(&words), ["SPV_KHR_maximal_reconvergence"]);
        // Cut anywhere, a module ends without a panic.
        for length in 0..words.len() {
            assert!(extensions(&words[..length]).len() <= 1);
        }
        assert!(extensions(&[0, 0, 0, 0, 0, 0]).is_empty());
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(EXTENSIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
