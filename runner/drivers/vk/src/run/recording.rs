//! Recording of commands, submission, and the wait for their end.

use ash::vk;

use crate::device::{Device, failed};
use crate::outcome::{Flow, lost};

/// All accesses.
const ALL: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::MEMORY_READ.as_raw() | vk::AccessFlags::MEMORY_WRITE.as_raw(),
);

/// The command buffer of a device, while a script uses it.
pub(super) struct Recording<'a> {
    device: &'a Device,
    is_open: bool,
    /// Longest wait for a submission in nanoseconds.
    limit: u64,
}

impl<'a> Recording<'a> {
    /// Returns an empty recording. A limit of `None` waits as long as the worker lives.
    pub(super) fn new(device: &'a Device, limit_ms: Option<u32>) -> Recording<'a> {
        let limit = limit_ms.map_or(u64::MAX, |ms| u64::from(ms) * 1_000_000);
        Recording { device, is_open: false, limit }
    }

    /// Returns the command buffer, which sees all that was recorded or written before.
    pub(super) fn commands(&mut self) -> Flow<vk::CommandBuffer> {
        let (raw, commands) = (&self.device.raw, self.device.commands);
        if !self.is_open {
            let info = vk::CommandBufferBeginInfo::default()
                .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            // SAFETY: the command buffer is not pending: every submission is waited for.
            unsafe { raw.begin_command_buffer(commands, &info) }
                .map_err(|error| failed("vkBeginCommandBuffer", error))?;
            self.is_open = true;
        }
        self.barrier(vk::PipelineStageFlags::ALL_COMMANDS, ALL);
        Ok(commands)
    }

    /// Changes the layout of an image.
    pub(super) fn transition(
        &mut self,
        image: vk::Image,
        aspects: vk::ImageAspectFlags,
        (old, new): (vk::ImageLayout, vk::ImageLayout),
    ) -> Flow {
        let commands = self.commands()?;
        let range = vk::ImageSubresourceRange {
            aspect_mask: aspects,
            base_mip_level: 0,
            level_count: vk::REMAINING_MIP_LEVELS,
            base_array_layer: 0,
            layer_count: 1,
        };
        let barrier = vk::ImageMemoryBarrier::default()
            .old_layout(old)
            .new_layout(new)
            .src_access_mask(ALL)
            .dst_access_mask(ALL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(range);
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer records outside of a render pass; the image lives until the
        // end of the script.
        unsafe {
            let raw = &self.device.raw;
            raw.cmd_pipeline_barrier(commands, stages, stages, none, &[], &[], &[barrier]);
        }
        Ok(())
    }

    /// Submits what is recorded and waits for its end. Afterwards this process sees all writes.
    pub(super) fn finish(&mut self) -> Flow {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let host = vk::AccessFlags::HOST_READ | vk::AccessFlags::HOST_WRITE;
        self.barrier(vk::PipelineStageFlags::HOST, host);
        let (raw, commands, fence) = (&self.device.raw, self.device.commands, self.device.fence);
        let all = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&all)];
        // SAFETY: recording is complete; the fence is not pending; the queue is used by one thread.
        unsafe {
            raw.end_command_buffer(commands)
                .map_err(|error| failed("vkEndCommandBuffer", error))?;
            raw.reset_fences(&[fence]).map_err(|error| failed("vkResetFences", error))?;
            raw.queue_submit(self.device.queue, &submit, fence)
                .map_err(|error| failed("vkQueueSubmit", error))?;
            match raw.wait_for_fences(&[fence], true, self.limit) {
                // The work goes on, so that the device is of no use any more.
                Err(vk::Result::TIMEOUT) => {
                    let seconds = self.limit as f64 / 1e9;
                    Err(lost(format!("the submission did not end within {seconds} s")))
                }
                result => result.map_err(|error| failed("vkWaitForFences", error)),
            }
        }
    }

    fn barrier(&self, stage: vk::PipelineStageFlags, access: vk::AccessFlags) {
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(ALL | vk::AccessFlags::HOST_WRITE)
            .dst_access_mask(access);
        let before = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer records outside of a render pass.
        unsafe {
            let (raw, commands) = (&self.device.raw, self.device.commands);
            raw.cmd_pipeline_barrier(commands, before, stage, none, &[barrier], &[], &[]);
        }
    }
}
