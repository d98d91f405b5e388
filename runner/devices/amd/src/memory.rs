//! Memory of a wave: the descriptor table and the buffers that it describes, each in an address
//! range of its own.

use amd_isa::Chip;
use compiler::amd_codegen::output::{Descriptor, MAX_PLAIN_SCRATCH, Resource, UserValue};
use gcn_simulator::{ImageAccess, Wave};
use program::Program;
use program::types::Dim;
use raster::shader_io::{BufferRef, ShaderIo};

use crate::image_descriptors::Shape;
use crate::images::Images;
use crate::launch::{Launch, TABLE};

/// Distance between the address ranges of buffers.
const RANGE: u64 = 1 << 37;
/// Lanes of a wave.
const LANES: u32 = 64;
/// The lane's number is added to the index.
const ADD_LANE: u32 = 1 << 23;
/// Dwords of the entry of a texture and its sampler in the table.
const TEXTURE_DWORDS: usize = 12;
/// Bytes of a record of an attribute.
const RECORD: u32 = 16;
/// Format of buffers: dwords x, y, z, w as floats, which changes no bit.
const DWORDS: u32 = 0x27fac;
/// Format of attributes: four dwords.
const FOUR_DWORDS: u32 = 0x77fac;

/// Addresses are swizzled.
const SWIZZLE: u32 = 1 << 31;
/// Swizzled elements of a dword.
const DWORD_ELEMENTS: u32 = 1 << 19;
/// Groups of 16 and of 64 lanes.
const GROUPS_OF_16: u32 = 1 << 21;
const GROUPS_OF_64: u32 = 3 << 21;

/// Content of a buffer or ring between two stages.
pub(crate) struct StageBuffer {
    pub resource: Resource,
    /// Bytes of a lane's vertices in a ring of outputs.
    pub stride: u32,
    pub bytes: Vec<u8>,
}

impl StageBuffer {
    /// A buffer of raw bytes.
    pub(crate) fn new(resource: Resource, bytes: Vec<u8>) -> StageBuffer {
        StageBuffer { resource, stride: 0, bytes }
    }

    /// Words 1 to 3 of the descriptor, without the address.
    fn words(&self, chip: Chip) -> [u32; 3] {
        // With the lane added, vi has bits of the stride in place of the format.
        let added = if chip == Chip::Vi { DWORDS & 0x7fff } else { DWORDS } | ADD_LANE;
        let bytes = self.bytes.len() as u32;
        match self.resource {
            Resource::VertexRing => [SWIZZLE, bytes, added | DWORD_ELEMENTS | GROUPS_OF_64],
            Resource::OutputRing(_) => {
                [SWIZZLE | self.stride << 16, LANES, added | DWORD_ELEMENTS | GROUPS_OF_16]
            }
            _ => [0, bytes, DWORDS],
        }
    }

    /// The dword at an offset; 0 past the end.
    pub(crate) fn dword(&self, offset: usize) -> u32 {
        dword(&self.bytes, offset)
    }
}

/// The dword at an offset; 0 past the end.
pub(crate) fn dword(bytes: &[u8], offset: usize) -> u32 {
    let bytes = bytes.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}

/// Sets the dword at an offset, if it exists.
pub(crate) fn set_dword(bytes: &mut [u8], offset: usize, value: u32) {
    if let Some(place) = bytes.get_mut(offset..offset + 4) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// Memory of a wave.
pub(crate) struct Memory<'a> {
    pub io: &'a mut dyn ShaderIo,
    descriptors: &'a [Descriptor],
    table: Vec<u8>,
    /// Scratch memory of the wave's lanes.
    pub scratch: Vec<u8>,
    images: Images,
    pub buffers: Vec<StageBuffer>,
    /// Records of the attributes: attribute, record, component.
    pub attributes: &'a dyn Fn(u32, usize, usize) -> u32,
}

/// The buffer of a resource of the draw; none for other resources.
fn buffer(resource: Resource) -> Option<BufferRef> {
    Some(match resource {
        Resource::UniformBlock(0) => BufferRef::Default,
        Resource::UniformBlock(n) => BufferRef::Uniform(n - 1),
        Resource::StorageBlock(n) => BufferRef::Storage(n),
        Resource::AtomicBuffer(n) => BufferRef::AtomicCounter(n),
        _ => return None,
    })
}

/// Number of records of a descriptor whose addresses are not swizzled: vi counts bytes.
fn records(chip: Chip, count: u32, stride: u32) -> u32 {
    if chip == Chip::Vi { count * stride } else { count }
}

/// The texels of a buffer texture as records of four dwords; none for other resources.
fn buffer_texels(io: &dyn ShaderIo, program: &Program, resource: Resource) -> Option<Vec<u8>> {
    let Resource::Texture(slot) = resource else { return None };
    if Shape::of_sampler(program, slot)?.dim != Dim::Buffer {
        return None;
    }
    let Some(surface) = io.bound_texture(slot).and_then(|texture| texture.image(0, 0)) else {
        return Some(Vec::new());
    };
    let texel = |x: u32| surface.format().to_raw(surface.get(x as i32, 0));
    Some((0..surface.width()).flat_map(texel).flat_map(u32::to_le_bytes).collect())
}

impl<'a> Memory<'a> {
    pub(crate) fn new(
        io: &'a mut dyn ShaderIo,
        launch: &Launch<'a>,
        attributes: &'a dyn Fn(u32, usize, usize) -> u32,
        mut buffers: Vec<StageBuffer>,
    ) -> Memory<'a> {
        let (output, program) = (&launch.prepared.output, launch.state.program);
        let descriptors = &output.descriptors;
        let mut table = Vec::new();
        let mut images = Images::default();
        for (index, descriptor) in descriptors.iter().enumerate() {
            let base = RANGE * (index as u64 + 1);
            let high = (base >> 32) as u32 & 0xffff;
            table.resize(descriptor.offset as usize, 0);
            if let Some(texels) = buffer_texels(io, program, descriptor.resource) {
                let records = records(output.chip, texels.len() as u32 / RECORD, RECORD);
                // Code loads the rest of a texture's entry, too.
                let mut words = [0; TEXTURE_DWORDS];
                words[..4].copy_from_slice(&[
                    base as u32,
                    high | RECORD << 16,
                    records,
                    FOUR_DWORDS,
                ]);
                table.extend(words.into_iter().flat_map(u32::to_le_bytes));
                buffers.push(StageBuffer::new(descriptor.resource, texels));
                continue;
            }
            if let Some(words) = images.add(io, program, descriptor.resource) {
                table.extend(words.into_iter().flat_map(u32::to_le_bytes));
                continue;
            }
            let words = match (buffer(descriptor.resource), descriptor.resource) {
                (Some(buffer), _) => [base as u32, high, io.buffer(buffer).len() as u32, DWORDS],
                (None, Resource::Scratch) => {
                    // With the lane added, vi has bits of the stride in place of the format.
                    let format = if output.chip == Chip::Vi { DWORDS & 0x7fff } else { DWORDS };
                    let bytes = output.scratch_bytes;
                    if bytes > MAX_PLAIN_SCRATCH {
                        let format = format | ADD_LANE | DWORD_ELEMENTS | GROUPS_OF_64;
                        [base as u32, high | SWIZZLE, bytes, format]
                    } else {
                        let records = records(output.chip, LANES, bytes);
                        [base as u32, high | bytes << 16, records, format | ADD_LANE]
                    }
                }
                (None, Resource::Attribute(_)) => {
                    [base as u32, high | RECORD << 16, u32::MAX, FOUR_DWORDS]
                }
                (None, resource) => {
                    let buffer = buffers.iter().find(|buffer| buffer.resource == resource);
                    let [stride, records, format] =
                        buffer.map_or([0; 3], |buffer| buffer.words(output.chip));
                    [base as u32, high | stride, records, format]
                }
            };
            table.extend(words.into_iter().flat_map(u32::to_le_bytes));
        }
        let scratch = vec![0; (output.scratch_bytes * LANES) as usize];
        Memory { io, descriptors, table, scratch, images, buffers, attributes }
    }

    /// Sets the registers of a wave that are to hold descriptors.
    pub(crate) fn set_descriptors(&self, launch: &Launch<'_>, wave: &mut Wave) {
        for data in &launch.prepared.output.user_data {
            let UserValue::Descriptor(resource) = data.value else { continue };
            let entry = self.descriptors.iter().find(|entry| entry.resource == resource);
            let Some(offset) = entry.map(|entry| entry.offset as usize) else { continue };
            for index in 0..usize::from(data.value.dwords()) {
                let word = dword(&self.table, offset + 4 * index);
                wave.scalar[usize::from(data.register) + index] = word;
            }
        }
    }

    /// The buffer or ring between two stages.
    pub(crate) fn stage_buffer(&self, resource: Resource) -> Option<&StageBuffer> {
        self.buffers.iter().find(|buffer| buffer.resource == resource)
    }

    /// The resource at an address and the offset in it.
    fn find(&self, address: u64) -> Option<(Resource, u64)> {
        let index = usize::try_from(address / RANGE).ok()?.checked_sub(1)?;
        Some((self.descriptors.get(index)?.resource, address % RANGE))
    }
}

impl gcn_simulator::Memory for Memory<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let copy = |from: &[u8], offset: u64, bytes: &mut [u8]| {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            match start.checked_add(bytes.len()).and_then(|end| from.get(start..end)) {
                Some(found) => {
                    bytes.copy_from_slice(found);
                    true
                }
                None => false,
            }
        };
        if let Some(offset) = address.checked_sub(TABLE).filter(|_| address < RANGE) {
            return copy(&self.table, offset, bytes);
        }
        let Some((resource, offset)) = self.find(address) else { return false };
        if let Some(buffer) = buffer(resource) {
            return copy(self.io.buffer(buffer), offset, bytes);
        }
        let number = match resource {
            Resource::Attribute(number) => number,
            Resource::Scratch => return copy(&self.scratch, offset, bytes),
            resource => {
                let buffer = self.buffers.iter().find(|buffer| buffer.resource == resource);
                return buffer.is_some_and(|buffer| copy(&buffer.bytes, offset, bytes));
            }
        };
        for (index, byte) in bytes.iter_mut().enumerate() {
            let at = offset as usize + index;
            let dword = (self.attributes)(number, at / RECORD as usize, at / 4 % 4);
            *byte = dword.to_le_bytes()[at % 4];
        }
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some((resource, offset)) = self.find(address) else { return false };
        let buffers = &mut self.buffers;
        let own = match buffers.iter_mut().find(|buffer| buffer.resource == resource) {
            _ if resource == Resource::Scratch => Some(&mut self.scratch),
            found => found.map(|buffer| &mut buffer.bytes),
        };
        if let Some(own) = own {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let end = start.saturating_add(bytes.len());
            return match own.get_mut(start..end) {
                Some(place) => {
                    place.copy_from_slice(bytes);
                    true
                }
                None => false,
            };
        }
        let (Some(buffer), Ok(offset)) = (buffer(resource), u32::try_from(offset)) else {
            return false;
        };
        self.io.store(buffer, offset, bytes);
        true
    }

    fn plain(&mut self, address: u64) -> Option<(u64, &mut [u8])> {
        let (resource, offset) = self.find(address)?;
        (resource == Resource::Scratch).then_some((address - offset, &mut self.scratch))
    }

    fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        self.images.access(self.io, access)
    }

    fn clock(&mut self) -> u64 {
        self.io.clock()
    }
}

/// Stages without exports and messages have nothing else around them.
impl gcn_simulator::Host for Memory<'_> {
    fn memory(&mut self) -> &mut dyn gcn_simulator::Memory {
        self
    }
}
