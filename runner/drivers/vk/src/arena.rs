//! Objects of a script: an arena owns them and destroys them in the reverse order of creation.

use ash::vk;

/// An object of a device.
pub(crate) enum Object {
    /// A buffer.
    Buffer(vk::Buffer),
    /// A view of a buffer.
    BufferView(vk::BufferView),
    /// An image.
    Image(vk::Image),
    /// A view of an image.
    ImageView(vk::ImageView),
    /// Memory.
    Memory(vk::DeviceMemory),
    /// A sampler.
    Sampler(vk::Sampler),
    /// A shader module.
    Module(vk::ShaderModule),
    /// A layout of a descriptor set.
    SetLayout(vk::DescriptorSetLayout),
    /// A pool of descriptors, with its sets.
    DescriptorPool(vk::DescriptorPool),
    /// A layout of a pipeline.
    PipelineLayout(vk::PipelineLayout),
    /// A pipeline.
    Pipeline(vk::Pipeline),
    /// A render pass.
    RenderPass(vk::RenderPass),
    /// A framebuffer.
    Framebuffer(vk::Framebuffer),
}

/// The objects of one script. Nothing that a script creates outlives it, so that the next one finds
/// the device as it was.
#[derive(Default)]
pub(crate) struct Arena(Vec<Object>);

impl Arena {
    /// Takes over an object.
    pub(crate) fn add(&mut self, object: Object) {
        self.0.push(object);
    }

    /// Destroys the objects. The device must be idle.
    pub(crate) fn clear(&mut self, device: &ash::Device) {
        while let Some(object) = self.0.pop() {
            // SAFETY: the arena alone owns the object, which was created on this device; nothing
            // that uses it is pending, since the device is idle.
            unsafe { destroy(device, &object) };
        }
    }

    /// Forgets the objects of a device that was lost, which they go with.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

/// Destroys an object.
///
/// # Safety
/// The object is one of this device, and nothing uses it.
unsafe fn destroy(device: &ash::Device, object: &Object) {
    // SAFETY: the caller's promise.
    unsafe {
        match *object {
            Object::Buffer(handle) => device.destroy_buffer(handle, None),
            Object::BufferView(handle) => device.destroy_buffer_view(handle, None),
            Object::Image(handle) => device.destroy_image(handle, None),
            Object::ImageView(handle) => device.destroy_image_view(handle, None),
            Object::Memory(handle) => device.free_memory(handle, None),
            Object::Sampler(handle) => device.destroy_sampler(handle, None),
            Object::Module(handle) => device.destroy_shader_module(handle, None),
            Object::SetLayout(handle) => device.destroy_descriptor_set_layout(handle, None),
            Object::DescriptorPool(handle) => device.destroy_descriptor_pool(handle, None),
            Object::PipelineLayout(handle) => device.destroy_pipeline_layout(handle, None),
            Object::Pipeline(handle) => device.destroy_pipeline(handle, None),
            Object::RenderPass(handle) => device.destroy_render_pass(handle, None),
            Object::Framebuffer(handle) => device.destroy_framebuffer(handle, None),
        }
    }
}
