//! Memory as radeonsi lays it out: tables of descriptors at 32-bit addresses, uniforms packed dword
//! by dword.

use compiler::amd_codegen::output::Resource;
use gcn_simulator::ImageAccess;
use program::resource::{OpaqueSlot, SubroutineUniform, Uniform};
use program::types::{Scalar, Type};
use program::{ExprId, ExprKind, Global, Literal, Program, Stage, Storage};
use raster::shader_io::{BufferRef, ShaderIo};

use super::interface::Draw;
use crate::images::Images;

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
        draw: &Draw<'_>,
        stage: Stage,
        attributes: &'a dyn Fn(u32, usize, usize) -> u32,
    ) -> ForeignMemory<'a> {
        let program = draw.program;
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
        let of_stage =
            |slot: &OpaqueSlot| program.uniforms[slot.uniform as usize].stages.contains(stage);
        for slot in sampler_order(program, of_stage) {
            // The texture's eight dwords, four that are not used, the sampler's four.
            let Some(mut found) = images.add(io, program, Resource::Texture(slot)) else { break };
            // The last dword masks the sampler's first: without anisotropy for a single level.
            found[7] = !0;
            let (texture, sampler) = found.split_at(8);
            let entry = [texture, &[0; 4], sampler].concat();
            image_table.extend(to_bytes(&entry));
        }
        let constant = vec![
            (BUFFER_TABLE, to_bytes(&table.concat())),
            (IMAGE_TABLE, image_table),
            (UNIFORMS, uniforms),
            (VERTEX_TABLE, to_bytes(&vertex_table(&draw.known.attributes))),
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

/// Sampler slots in the order of radeonsi's table: the elements of a member of an array of
/// structures follow each other.
fn sampler_order(program: &Program, is_used: impl Fn(&OpaqueSlot) -> bool) -> Vec<u32> {
    let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
    for (number, slot) in (0..).zip(&program.samplers).filter(|(_, slot)| is_used(slot)) {
        let mut depth = 0;
        let mut name = program.uniforms[slot.uniform as usize].name.clone();
        name.retain(|c| {
            depth += i32::from(c == '[');
            let outside = depth == 0;
            depth -= i32::from(c == ']');
            outside
        });
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slots)) => slots.push(number),
            None => groups.push((name, vec![number])),
        }
    }
    groups.into_iter().flat_map(|(_, slots)| slots).collect()
}

/// Descriptor of an attribute.
pub(super) fn attribute_words(index: u32) -> [u32; 4] {
    [ATTRIBUTES + STEP * index, RECORD << 16, STEP / RECORD, FOUR_DWORDS]
}

/// Descriptors of the attributes behind the first, which is in registers.
fn vertex_table(attributes: &[u32]) -> Vec<u32> {
    attributes.iter().skip(1).flat_map(|&number| attribute_words(number)).collect()
}

/// True if the stage reads no buffer but the uniforms: their address is in a register then.
pub(super) fn has_only_uniforms(program: &Program, stage: Stage) -> bool {
    let blocks = program.uniform_blocks.iter().chain(&program.storage_blocks);
    !blocks.into_iter().any(|block| block.stages.contains(stage))
}

/// The stage's uniforms of the default block, one behind the other, in dwords: in the order of the
/// stage's declarations, then those of built-in state.
fn packed(program: &Program, stage: Stage, block: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let Some(linked) = program.stage(stage) else { return bytes };
    let globals = linked.shader.globals.values().filter(|g| g.storage == Storage::Uniform);
    let (own, state): (Vec<_>, Vec<_>) = globals.partition(|global| global.builtin.is_none());
    for global in own.into_iter().chain(state) {
        let root = |uniform: &&Uniform| {
            let end = uniform.name.find(['.', '[']).unwrap_or(uniform.name.len());
            uniform.name[..end] == *global.name
        };
        let used = |u: &&Uniform| u.block == Some(0) && u.stages.contains(stage);
        program.uniforms.iter().filter(used).filter(root).for_each(|uniform| {
            let used = used_elements(program, global);
            let length = uniform.array.map(|length| used.map_or(length, |used| used.min(length)));
            let cut = Uniform { array: length, ..uniform.clone() };
            append_uniform(&mut bytes, program, &cut, block);
        });
        let of_global = |uniform: &&SubroutineUniform| {
            let end = uniform.name.find('[').unwrap_or(uniform.name.len());
            uniform.stage == stage && uniform.name[..end] == *global.name
        };
        for uniform in program.subroutine_uniforms.iter().filter(of_global) {
            let length = 4 * uniform.array.unwrap_or(1);
            append(&mut bytes, block, uniform.offset, length as usize);
        }
    }
    if stage == Stage::Fragment {
        // Scale and offset of window y, as it is and turned over.
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        bytes.extend([1.0f32, 0.0, -1.0, 0.0].iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes.resize(bytes.len().next_multiple_of(16).max(16), 0);
    bytes
}

/// Number of elements of an array that the stages use, if all their indices are constant: linking
/// cuts such arrays.
fn used_elements(program: &Program, global: &Global) -> Option<u32> {
    let mut count = 0;
    for shader in program.stages.iter().map(|stage| &stage.shader) {
        let is_whole = |id: ExprId| match shader.exprs[id].kind {
            ExprKind::Global(of) => shader.globals[of].name == global.name,
            _ => false,
        };
        let mut open = shader.exprs.keys().filter(|&id| is_whole(id)).count();
        for expr in shader.exprs.values() {
            let ExprKind::Index { base, index } = expr.kind else { continue };
            let index = match shader.exprs[index].kind {
                ExprKind::Literal(Literal::Int(value)) => u32::try_from(value).ok(),
                ExprKind::Literal(Literal::Uint(value)) => u32::try_from(value).ok(),
                _ => None,
            };
            if let (true, Some(index)) = (is_whole(base), index) {
                open = open.saturating_sub(1);
                count = count.max(index.saturating_add(1));
            }
        }
        if open > 0 {
            return None;
        }
    }
    (count > 0).then_some(count)
}

fn append_uniform(bytes: &mut Vec<u8>, program: &Program, uniform: &Uniform, block: &[u8]) {
    let (scalar, columns, rows) = match *program.types.get(uniform.ty) {
        Type::Scalar(scalar) => (scalar, 1, 1),
        Type::Vector { scalar, size } => (scalar, 1, size),
        Type::Matrix { scalar, columns, rows } => (scalar, columns, rows),
        _ => return,
    };
    let wide = matches!(scalar, Scalar::Double | Scalar::Int64 | Scalar::Uint64);
    let size = if wide { 8 } else { 4 };
    bytes.resize(bytes.len().next_multiple_of(size), 0);
    for element in 0..uniform.array.unwrap_or(1) {
        for column in 0..u32::from(columns) {
            let at =
                uniform.offset + element * uniform.array_stride + column * uniform.matrix_stride;
            append(bytes, block, at, usize::from(rows) * size);
        }
    }
}

/// Appends bytes of the block at an offset.
fn append(bytes: &mut Vec<u8>, block: &[u8], at: u32, length: usize) {
    match block.get(at as usize..at as usize + length) {
        Some(found) => bytes.extend(found),
        None => bytes.resize(bytes.len() + length, 0),
    }
}

impl gcn_simulator::Memory for ForeignMemory<'_> {
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
