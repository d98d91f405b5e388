//! A logical device with its queue, for the scripts whose requirements it meets.

use std::ffi::CString;

use ash::vk;

use crate::features::{Enabled, Facts, Needs};
use crate::loader::Instance;
use crate::outcome::{Flow, lost, simulate};

/// Extension for statistics of compiled shaders.
const STATISTICS: &str = "VK_KHR_pipeline_executable_properties";
/// Its feature.
const STATISTICS_FEATURE: &str = "PipelineExecutablePropertiesFeatures.pipelineExecutableInfo";

/// A logical device. One thread uses it at a time.
pub(crate) struct Device {
    pub(crate) raw: ash::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) limits: vk::PhysicalDeviceLimits,
    /// Functions for statistics of compiled shaders, if the driver has them.
    pub(crate) statistics: Option<ash::khr::pipeline_executable_properties::Device>,
    pool: vk::CommandPool,
    pub(crate) commands: vk::CommandBuffer,
    pub(crate) fence: vk::Fence,
}

impl Device {
    /// Creates a device with the features and extensions of requirements that are met.
    pub(crate) fn create(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        facts: &Facts,
        needs: &Needs,
    ) -> Flow<Device> {
        let mut needs = needs.clone();
        let has_statistics =
            facts.extensions.contains(STATISTICS) && facts.has_feature(STATISTICS_FEATURE);
        if has_statistics {
            needs.features.insert(STATISTICS_FEATURE.to_owned());
        }
        let mut enabled = Enabled::of(&needs, facts);
        let names: Vec<CString> =
            enabled.extensions.iter().filter_map(|name| CString::new(&**name).ok()).collect();
        let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let family = queue_family(instance, physical)
            .ok_or_else(|| simulate("the device has no queue for graphics or compute"))?;
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let core = enabled.core();
        let mut features = enabled.chained();
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names);
        if facts.version >= vk::API_VERSION_1_1 {
            info = info.push_next(&mut features);
        } else {
            info = info.enabled_features(&core);
        }
        // SAFETY: all pointers of `info` are valid for the call; features and extensions are among
        // those that the device has.
        let raw = unsafe { instance.raw.create_device(physical, &info, None) };
        let raw = raw.map_err(|error| simulate(format!("vkCreateDevice: {error}")))?;
        Device::complete(instance, physical, raw, family, has_statistics)
    }

    fn complete(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        raw: ash::Device,
        family: u32,
        has_statistics: bool,
    ) -> Flow<Device> {
        let pool_info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the device is new, the family has a queue.
        let created = unsafe {
            raw.create_command_pool(&pool_info, None).and_then(|pool| {
                let info = vk::CommandBufferAllocateInfo::default()
                    .command_pool(pool)
                    .level(vk::CommandBufferLevel::PRIMARY)
                    .command_buffer_count(1);
                let commands = raw.allocate_command_buffers(&info)?;
                Ok((pool, commands[0], raw.create_fence(&vk::FenceCreateInfo::default(), None)?))
            })
        };
        let (pool, commands, fence) = created.map_err(|error| failed("a command buffer", error))?;
        // SAFETY: the handles are of this instance and device.
        let (queue, memory) = unsafe {
            let memory = instance.raw.get_physical_device_memory_properties(physical);
            (raw.get_device_queue(family, 0), memory)
        };
        let statistics = has_statistics
            .then(|| ash::khr::pipeline_executable_properties::Device::new(&instance.raw, &raw));
        let limits = instance.properties(physical).limits;
        Ok(Device { raw, queue, memory, limits, statistics, pool, commands, fence })
    }

    /// Waits until nothing is pending.
    pub(crate) fn wait(&self) -> Flow {
        // SAFETY: one thread uses the device.
        unsafe { self.raw.device_wait_idle() }.map_err(|error| failed("vkDeviceWaitIdle", error))
    }

    /// Returns the index of a type of memory that has some flags, preferably further ones.
    pub(crate) fn memory_type(
        &self,
        allowed: u32,
        needed: vk::MemoryPropertyFlags,
        preferred: vk::MemoryPropertyFlags,
    ) -> Option<u32> {
        let count = self.memory.memory_type_count;
        let has = |index: &u32, flags: vk::MemoryPropertyFlags| {
            let found = self.memory.memory_types[*index as usize].property_flags;
            allowed & (1 << index) != 0 && found.contains(flags)
        };
        let all = || 0..count;
        all().find(|i| has(i, needed | preferred)).or_else(|| all().find(|i| has(i, needed)))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: all other objects are destroyed before; the device is idle or lost.
        unsafe {
            self.raw.destroy_fence(self.fence, None);
            self.raw.destroy_command_pool(self.pool, None);
            self.raw.destroy_device(None);
        }
    }
}

/// Returns a family of queues for graphics and compute, else one for compute.
pub(crate) fn queue_family(instance: &Instance, physical: vk::PhysicalDevice) -> Option<u32> {
    // SAFETY: the handle is one of this instance.
    let families = unsafe { instance.raw.get_physical_device_queue_family_properties(physical) };
    let with = |flags: vk::QueueFlags| {
        families.iter().position(|f| f.queue_count > 0 && f.queue_flags.contains(flags))
    };
    let found = with(vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE)
        .or_else(|| with(vk::QueueFlags::COMPUTE));
    found.and_then(|index| u32::try_from(index).ok())
}

/// Returns the end of a script by an error that the driver returned.
pub(crate) fn failed(what: &str, error: vk::Result) -> crate::outcome::Stop {
    match error {
        vk::Result::ERROR_DEVICE_LOST => lost(format!("{what}: the device is lost")),
        error => simulate(format!("{what}: {error}")),
    }
}
