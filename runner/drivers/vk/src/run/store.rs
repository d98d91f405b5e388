//! Contents of a script's buffers: bytes of this process, or of an image that is newer.

use ash::vk;
use vk_script::{BufferId, DescriptorKind, Script};

use crate::arena::Arena;
use crate::device::Device;
use crate::memory::Mapped;
use crate::outcome::Flow;

/// Index of an image of the session.
pub(super) type ImageIndex = usize;

/// A buffer of the script.
pub(super) struct Stored {
    contents: Bytes,
    usage: vk::BufferUsageFlags,
    /// Number of the contents; a change increments it.
    pub(super) version: u64,
    /// The image that has the contents, if the bytes are older.
    pub(super) newest: Option<ImageIndex>,
}

enum Bytes {
    /// The driver does not know the buffer.
    Own(Vec<u8>),
    /// The driver's buffer.
    Mapped(Mapped),
}

/// The buffers of a script.
pub(super) struct Store(Vec<Stored>);

impl Store {
    /// Returns the buffers with their first contents.
    pub(super) fn new(script: &Script) -> Store {
        let usages = usages(script);
        let all = script.buffers.iter().zip(usages).map(|(buffer, usage)| Stored {
            contents: Bytes::Own(buffer.initial_bytes()),
            usage,
            version: 1,
            newest: None,
        });
        Store(all.collect())
    }

    pub(super) fn get(&self, id: BufferId) -> &Stored {
        &self.0[id.index()]
    }

    pub(super) fn get_mut(&mut self, id: BufferId) -> &mut Stored {
        &mut self.0[id.index()]
    }

    /// Returns the bytes, which must be the newest contents. The device must be idle.
    pub(super) fn bytes(&self, id: BufferId) -> &[u8] {
        match &self.get(id).contents {
            Bytes::Own(bytes) => bytes,
            Bytes::Mapped(mapped) => mapped.bytes(),
        }
    }

    /// Returns the bytes for writing. The device must be idle.
    pub(super) fn bytes_mut(&mut self, id: BufferId) -> &mut [u8] {
        let stored = self.get_mut(id);
        stored.version += 1;
        match &mut stored.contents {
            Bytes::Own(bytes) => bytes,
            Bytes::Mapped(mapped) => mapped.bytes_mut(),
        }
    }

    /// Returns the driver's buffer, which is created on the first call, when the device is idle.
    pub(super) fn mapped(
        &mut self,
        id: BufferId,
        device: &Device,
        arena: &mut Arena,
    ) -> Flow<vk::Buffer> {
        let stored = self.get_mut(id);
        if let Bytes::Mapped(mapped) = &stored.contents {
            return Ok(mapped.handle);
        }
        let Bytes::Own(bytes) = &stored.contents else { unreachable!("returned above") };
        let mut mapped = Mapped::create(device, arena, bytes.len(), stored.usage)?;
        mapped.bytes_mut().copy_from_slice(bytes);
        let handle = mapped.handle;
        stored.contents = Bytes::Mapped(mapped);
        Ok(handle)
    }
}

/// Returns the usages of each buffer in all pipelines.
fn usages(script: &Script) -> Vec<vk::BufferUsageFlags> {
    use vk::BufferUsageFlags as Usage;
    let mut usages = vec![Usage::TRANSFER_SRC | Usage::TRANSFER_DST; script.buffers.len()];
    for pipeline in &script.pipelines {
        for vertex in &pipeline.vertex_buffers {
            usages[vertex.buffer.index()] |= Usage::VERTEX_BUFFER;
        }
        if let Some(indices) = pipeline.indices {
            usages[indices.index()] |= Usage::INDEX_BUFFER;
        }
        for binding in &pipeline.bindings {
            let usage = match binding.kind {
                DescriptorKind::UniformTexelBuffer => Usage::UNIFORM_TEXEL_BUFFER,
                DescriptorKind::StorageTexelBuffer => Usage::STORAGE_TEXEL_BUFFER,
                DescriptorKind::Uniform | DescriptorKind::UniformDynamic => Usage::UNIFORM_BUFFER,
                DescriptorKind::Storage | DescriptorKind::StorageDynamic => Usage::STORAGE_BUFFER,
                DescriptorKind::Sampler
                | DescriptorKind::CombinedImageSampler
                | DescriptorKind::SampledImage
                | DescriptorKind::StorageImage
                | DescriptorKind::Kernel => Usage::empty(),
            };
            for buffer in binding.resources.iter().filter_map(|resource| resource.buffer) {
                usages[buffer.index()] |= usage;
            }
        }
    }
    usages
}
