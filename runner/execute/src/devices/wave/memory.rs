//! Memory of a wave: the descriptor table and the buffers that it describes, each in an address
//! range of its own.

use compiler::amd::Output;
use compiler::amd::output::{Descriptor, Resource};
use gcn::Chip;
use program::Program;
use softgl::shader_io::{BufferRef, ShaderIo};
use wave::ImageAccess;

use super::images::Images;

/// Address of the descriptor table.
pub(super) const TABLE: u64 = 1 << 32;
/// Distance between the address ranges of buffers.
const RANGE: u64 = 1 << 37;
/// Lanes of a wave.
const LANES: u32 = 64;
/// The lane's number is added to the index.
const ADD_LANE: u32 = 1 << 23;
/// Bytes of a record of an attribute.
const RECORD: u32 = 16;
/// Format of buffers: dwords x, y, z, w as floats, which changes no bit.
const DWORDS: u32 = 0x27fac;
/// Format of attributes: four dwords.
const FOUR_DWORDS: u32 = 0x77fac;

/// Memory of a wave.
pub(super) struct Memory<'a> {
    pub io: &'a mut dyn ShaderIo,
    descriptors: &'a [Descriptor],
    table: Vec<u8>,
    scratch: Vec<u8>,
    images: Images,
    /// Records of the attributes: attribute, record, component.
    pub attributes: &'a dyn Fn(u32, usize, usize) -> u32,
}

/// The buffer of a resource; none for attributes and scratch memory.
fn buffer(resource: Resource) -> Option<BufferRef> {
    Some(match resource {
        Resource::UniformBlock(0) => BufferRef::Default,
        Resource::UniformBlock(n) => BufferRef::Uniform(n - 1),
        Resource::StorageBlock(n) => BufferRef::Storage(n),
        Resource::AtomicBuffer(n) => BufferRef::AtomicCounter(n),
        Resource::Texture(_) | Resource::Image(_) => return None,
        Resource::Attribute(_) | Resource::Scratch => return None,
    })
}

impl<'a> Memory<'a> {
    pub(super) fn new(
        io: &'a mut dyn ShaderIo,
        output: &'a Output,
        program: &Program,
        attributes: &'a dyn Fn(u32, usize, usize) -> u32,
    ) -> Memory<'a> {
        let descriptors = &output.descriptors;
        let mut table = Vec::new();
        let mut images = Images::default();
        for (index, descriptor) in descriptors.iter().enumerate() {
            let base = RANGE * (index as u64 + 1);
            let high = (base >> 32) as u32 & 0xffff;
            table.resize(descriptor.offset as usize, 0);
            if let Some(words) = images.add(io, program, descriptor.resource) {
                table.extend(words.into_iter().flat_map(u32::to_le_bytes));
                continue;
            }
            let words = match (buffer(descriptor.resource), descriptor.resource) {
                (Some(buffer), _) => [base as u32, high, io.buffer(buffer).len() as u32, DWORDS],
                (None, Resource::Scratch) => {
                    // With the lane added, vi has bits of the stride in place of the format.
                    let format = if output.chip == Chip::Vi { DWORDS & 0x7fff } else { DWORDS };
                    let stride = output.scratch_bytes;
                    [base as u32, high | stride << 16, LANES, format | ADD_LANE]
                }
                (None, _) => [base as u32, high | RECORD << 16, u32::MAX, FOUR_DWORDS],
            };
            table.extend(words.into_iter().flat_map(u32::to_le_bytes));
        }
        let scratch = vec![0; (output.scratch_bytes * LANES) as usize];
        Memory { io, descriptors, table, scratch, images, attributes }
    }

    /// Executes an access to a texture or an image.
    pub(super) fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        self.images.access(self.io, access)
    }

    /// The resource at an address and the offset in it.
    fn find(&self, address: u64) -> Option<(Resource, u64)> {
        let index = usize::try_from(address / RANGE).ok()?.checked_sub(1)?;
        Some((self.descriptors.get(index)?.resource, address % RANGE))
    }

    pub(super) fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
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
            _ => return copy(&self.scratch, offset, bytes),
        };
        for (index, byte) in bytes.iter_mut().enumerate() {
            let at = offset as usize + index;
            let dword = (self.attributes)(number, at / RECORD as usize, at / 4 % 4);
            *byte = dword.to_le_bytes()[at % 4];
        }
        true
    }

    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some((resource, offset)) = self.find(address) else { return false };
        if resource == Resource::Scratch {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let end = start.saturating_add(bytes.len());
            return match self.scratch.get_mut(start..end) {
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
}
