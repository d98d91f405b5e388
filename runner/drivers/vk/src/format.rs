//! Facts about formats of texels.

use ash::vk;
use vk_script::VkFormat;

/// Returns the format of a script as the driver's.
pub(crate) fn of_script(format: VkFormat) -> vk::Format {
    vk::Format::from_raw(i32::try_from(format.0).unwrap_or(0))
}

/// Returns the parts of images of a format.
pub(crate) fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    use vk::ImageAspectFlags as Aspect;
    match format {
        vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT => {
            Aspect::DEPTH
        }
        vk::Format::S8_UINT => Aspect::STENCIL,
        vk::Format::D16_UNORM_S8_UINT
        | vk::Format::D24_UNORM_S8_UINT
        | vk::Format::D32_SFLOAT_S8_UINT => Aspect::DEPTH | Aspect::STENCIL,
        _ => Aspect::COLOR,
    }
}

/// Returns the bytes of a texel's depth in a buffer (Vulkan 1.3, section 20.3); 0 without depth.
pub(crate) fn depth_bytes(format: vk::Format) -> u64 {
    match format {
        vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => 2,
        vk::Format::X8_D24_UNORM_PACK32
        | vk::Format::D32_SFLOAT
        | vk::Format::D24_UNORM_S8_UINT
        | vk::Format::D32_SFLOAT_S8_UINT => 4,
        _ => 0,
    }
}
