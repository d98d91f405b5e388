//! Memory as radeonsi lays it out: tables of descriptors at 32-bit addresses, uniforms packed dword
//! by dword.

use compiler::amd::output::Resource;
use program::resource::Uniform;
use program::types::{Scalar, Type};
use program::{Program, Stage};
use softgl::shader_io::{BufferRef, ShaderIo};
use wave::ImageAccess;

use super::super::images::Images;

/// Addresses of the tables.
pub(super) const BUFFER_TABLE: u32 = 0x1000_0000;
pub(super) const IMAGE_TABLE: u32 = 0x1100_0000;
pub(super) const VERTEX_TABLE: u32 = 0x1200_0000;
/// Address of the uniforms of the default block.
pub(super) const UNIFORMS: u32 = 0x2000_0000;
/// Addresses of the first uniform block, storage block and attribute, and distance of the next.
const UNIFORM_BLOCKS: u32 = 0x4000_0000;
const STORAGE_BLOCKS: u32 = 0x6000_0000;
pub(super) const ATTRIBUTES: u32 = 0x8000_0000;
pub(super) const STEP: u32 = 0x0100_0000;

/// Dword and byte formats of descriptors of buffers.
const DWORDS: u32 = 0x27fac;
pub(super) const FOUR_DWORDS: u32 = 0x77fac;
/// Bytes of a record of an attribute.
pub(super) const RECORD: u32 = 16;

/// Entries of the table of buffers: storage blocks downwards from 31, uniform blocks from 32 on.
const BUFFER_ENTRIES: usize = 64;
const FIRST_UNIFORM: usize = 32;
/// Samplers begin at this byte of the table of images, 64 bytes each.
const FIRST_SAMPLER: usize = 0x400;

/// Memory of a wave.
pub(super) struct ForeignMemory<'a> {
    io: &'a mut dyn ShaderIo,
    /// Tables and uniforms: address and bytes.
    constant: Vec<(u32, Vec<u8>)>,
    blocks: Vec<BufferRef>,
    storage: Vec<BufferRef>,
    images: Images,
    /// Records of the attributes: attribute, record, component.
    attributes: &'a dyn Fn(u32, usize, usize) -> u32,
}

/// A word of a descriptor of a buffer of bytes.
fn words(base: u32, bytes: usize) -> [u32; 4] {
    [base, 0, bytes as u32, DWORDS]
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl<'a> ForeignMemory<'a> {
    pub(super) fn new(
        io: &'a mut dyn ShaderIo,
        program: &Program,
        stage: Stage,
        attributes: &'a dyn Fn(u32, usize, usize) -> u32,
    ) -> ForeignMemory<'a> {
        let uniforms = packed(program, stage, io.buffer(BufferRef::Default));
        let used = |blocks: &[program::resource::ActiveBlock], of: fn(u32) -> BufferRef| {
            let of_stage = blocks.iter().enumerate().filter(|(_, b)| b.stages.contains(stage));
            of_stage.map(|(index, _)| of(index as u32)).collect::<Vec<BufferRef>>()
        };
        let blocks = used(&program.uniform_blocks, BufferRef::Uniform);
        let storage = used(&program.storage_blocks, BufferRef::Storage);
        let mut table = vec![[0; 4]; BUFFER_ENTRIES];
        table[FIRST_UNIFORM] = words(UNIFORMS, uniforms.len());
        for (index, &block) in blocks.iter().enumerate() {
            let base = UNIFORM_BLOCKS + STEP * index as u32;
            if let Some(entry) = table.get_mut(FIRST_UNIFORM + 1 + index) {
                *entry = words(base, io.buffer(block).len());
            }
        }
        for (index, &block) in storage.iter().enumerate() {
            let base = STORAGE_BLOCKS + STEP * index as u32;
            if let Some(place) = FIRST_UNIFORM.checked_sub(1 + index) {
                table[place] = words(base, io.buffer(block).len());
            }
        }
        let mut images = Images::default();
        let mut image_table = vec![0; FIRST_SAMPLER];
        for slot in 0..program.samplers.len() as u32 {
            // The texture's eight dwords, four that are not used, the sampler's four.
            let Some(found) = images.add(io, program, Resource::Texture(slot)) else { break };
            let (texture, sampler) = found.split_at(8);
            let entry = [texture, &[0; 4], sampler].concat();
            image_table.extend(to_bytes(&entry));
        }
        let constant = vec![
            (BUFFER_TABLE, to_bytes(&table.concat())),
            (IMAGE_TABLE, image_table),
            (UNIFORMS, uniforms),
            (VERTEX_TABLE, to_bytes(&vertex_table(program.attributes.len()))),
        ];
        ForeignMemory { io, constant, blocks, storage, images, attributes }
    }

    /// The buffer at an address and the offset in it.
    fn buffer(&self, address: u64) -> Option<(BufferRef, u32)> {
        let address = u32::try_from(address).ok()?;
        let (of, first) = match address {
            STORAGE_BLOCKS..ATTRIBUTES => (&self.storage, STORAGE_BLOCKS),
            UNIFORM_BLOCKS..STORAGE_BLOCKS => (&self.blocks, UNIFORM_BLOCKS),
            _ => return None,
        };
        let index = (address - first) / STEP;
        Some((*of.get(index as usize)?, (address - first) % STEP))
    }
}

/// Descriptor of an attribute.
pub(super) fn attribute_words(index: u32) -> [u32; 4] {
    [ATTRIBUTES + STEP * index, RECORD << 16, STEP / RECORD, FOUR_DWORDS]
}

/// Descriptors of the attributes behind the first, which is in registers.
fn vertex_table(attributes: usize) -> Vec<u32> {
    (1..attributes.max(1) as u32).flat_map(attribute_words).collect()
}

/// True if the stage reads no buffer but the uniforms: their address is in a register then.
pub(super) fn has_only_uniforms(program: &Program, stage: Stage) -> bool {
    let blocks = program.uniform_blocks.iter().chain(&program.storage_blocks);
    !blocks.into_iter().any(|block| block.stages.contains(stage))
}

/// The stage's uniforms of the default block, one behind the other, in dwords.
fn packed(program: &Program, stage: Stage, block: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let in_block = |u: &&Uniform| u.block == Some(0) && u.stages.contains(stage);
    for uniform in program.uniforms.iter().filter(in_block) {
        let (scalar, columns, rows) = match *program.types.get(uniform.ty) {
            Type::Scalar(scalar) => (scalar, 1, 1),
            Type::Vector { scalar, size } => (scalar, 1, size),
            Type::Matrix { scalar, columns, rows } => (scalar, columns, rows),
            _ => continue,
        };
        let wide = matches!(scalar, Scalar::Double | Scalar::Int64 | Scalar::Uint64);
        let size = if wide { 8 } else { 4 };
        bytes.resize(bytes.len().next_multiple_of(size), 0);
        for element in 0..uniform.array.unwrap_or(1) {
            for column in 0..u32::from(columns) {
                let at = uniform.offset
                    + element * uniform.array_stride
                    + column * uniform.matrix_stride;
                let range = at as usize..at as usize + usize::from(rows) * size;
                match block.get(range.clone()) {
                    Some(found) => bytes.extend(found),
                    None => bytes.resize(bytes.len() + range.len(), 0),
                }
            }
        }
    }
    bytes.resize(bytes.len().next_multiple_of(16).max(16), 0);
    bytes
}

impl wave::Memory for ForeignMemory<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let copy = |from: &[u8], offset: usize, bytes: &mut [u8]| {
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = from.get(offset + index).copied().unwrap_or(0);
            }
            true
        };
        if let Some((buffer, offset)) = self.buffer(address) {
            return copy(self.io.buffer(buffer), offset as usize, bytes);
        }
        if let Some(offset) = address.checked_sub(ATTRIBUTES.into()) {
            for (index, byte) in bytes.iter_mut().enumerate() {
                let at = offset as usize + index;
                let (number, at) = (at / STEP as usize, at % STEP as usize);
                let dword = (self.attributes)(number as u32, at / RECORD as usize, at / 4 % 4);
                *byte = dword.to_le_bytes()[at % 4];
            }
            return true;
        }
        let near = |start: u32| address.checked_sub(start.into()).filter(|at| *at < STEP.into());
        let found = self.constant.iter().find_map(|(start, table)| Some((near(*start)?, table)));
        found.is_some_and(|(offset, table)| copy(table, offset as usize, bytes))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some((buffer, offset)) = self.buffer(address) else { return false };
        self.io.store(buffer, offset, bytes);
        true
    }

    fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        self.images.access(self.io, access)
    }
}
