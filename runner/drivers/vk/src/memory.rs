//! Memory, and buffers whose bytes this process sees.

use ash::vk;

use crate::arena::{Arena, Object};
use crate::device::{Device, failed};
use crate::outcome::{Flow, simulate};

/// A buffer whose memory is mapped as long as its arena has it.
pub(crate) struct Mapped {
    pub(crate) handle: vk::Buffer,
    bytes: *mut u8,
    length: usize,
}

impl Mapped {
    /// Creates a buffer; its bytes are undefined.
    pub(crate) fn create(
        device: &Device,
        arena: &mut Arena,
        length: usize,
        usage: vk::BufferUsageFlags,
    ) -> Flow<Mapped> {
        // Buffers of Vulkan have at least a byte.
        let info = vk::BufferCreateInfo::default()
            .size(length.max(1) as u64)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device lives; `info` is complete.
        let handle = unsafe { device.raw.create_buffer(&info, None) };
        let handle = handle.map_err(|error| failed("vkCreateBuffer", error))?;
        arena.add(Object::Buffer(handle));
        // SAFETY: the buffer is of this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(handle) };
        use vk::MemoryPropertyFlags as Flags;
        let visible = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let memory = allocate(device, arena, needs, visible, Flags::HOST_CACHED)?;
        // SAFETY: the memory is new, large enough, and of a type that can be mapped.
        let mapped = unsafe {
            device.raw.bind_buffer_memory(handle, memory, 0).and_then(|()| {
                device.raw.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
            })
        };
        let bytes = mapped.map_err(|error| failed("vkMapMemory", error))?.cast();
        Ok(Mapped { handle, bytes, length })
    }

    /// Returns the bytes. The device must be idle.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping has at least `length` bytes and lives as long as the arena, which the
        // session keeps longer than its buffers; the device writes only between two waits, while no
        // caller holds the slice.
        unsafe { std::slice::from_raw_parts(self.bytes, self.length) }
    }

    /// Returns the bytes for writing. The device must be idle.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`; the exclusive borrow excludes other slices.
        unsafe { std::slice::from_raw_parts_mut(self.bytes, self.length) }
    }
}

/// Allocates memory of a type that has some flags, preferably further ones.
pub(crate) fn allocate(
    device: &Device,
    arena: &mut Arena,
    needs: vk::MemoryRequirements,
    needed: vk::MemoryPropertyFlags,
    preferred: vk::MemoryPropertyFlags,
) -> Flow<vk::DeviceMemory> {
    let index = device
        .memory_type(needs.memory_type_bits, needed, preferred)
        .ok_or_else(|| simulate("the device has no fitting type of memory"))?;
    let info =
        vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
    // SAFETY: the type is one of the device.
    let memory = unsafe { device.raw.allocate_memory(&info, None) };
    let memory = memory.map_err(|error| failed("vkAllocateMemory", error))?;
    arena.add(Object::Memory(memory));
    Ok(memory)
}
