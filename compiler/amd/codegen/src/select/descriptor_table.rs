//! The descriptor table: the resources of a shader.

use crate::machine::{Label, Part};
use crate::output::{Descriptor, Resource};
use ir::{InstKind, IntrinsicOp, Shader, Slot};
use std::collections::BTreeMap;

/// The descriptor table and what is loaded of it.
#[derive(Debug, Default)]
pub(super) struct DescriptorTable {
    pub descriptors: Vec<Descriptor>,
    pub resident: BTreeMap<Resource, Part>,
    /// Descriptors of images and samplers that were loaded in a block: their offset and registers.
    pub loaded: BTreeMap<u32, Part>,
    /// The block.
    pub block: Option<Label>,
}

impl DescriptorTable {
    /// Returns the table of a shader: all buffers of a kind that it uses, in order, then those of
    /// its stage.
    pub(super) fn new(shader: &Shader, of_stage: &[Resource]) -> DescriptorTable {
        let info = &shader.info;
        let mut all: Vec<Resource> = Vec::new();
        let used = used_operations(shader);
        let buffer = |ops: &[IntrinsicOp]| used.iter().any(|op| ops.contains(op));
        use IntrinsicOp::*;
        if buffer(&[LoadUbo]) {
            all.extend((0..info.ubos.max(1)).map(Resource::UniformBlock));
        }
        if buffer(&[LoadSsbo, StoreSsbo, SsboAtomic, SsboAtomicSwap, SsboSize]) {
            all.extend((0..info.ssbos.max(1)).map(Resource::StorageBlock));
        }
        if buffer(&[CounterRead, CounterAtomic, CounterAtomicSwap]) {
            all.extend((0..info.atomic_buffers.max(1)).map(Resource::AtomicBuffer));
        }
        if accesses_scratch(&used) {
            all.push(Resource::Scratch);
        }
        if info.stage == ir::Stage::Vertex {
            let number = |slot: Slot| if let Slot::Attribute(n) = slot { Some(n) } else { None };
            let last = info.inputs.iter().filter_map(|input| number(input.slot)).max();
            let count = last.map_or(0, |last| u32::from(last) + 1);
            all.extend((0..count).map(Resource::Attribute));
        }
        if has_textures(shader) {
            all.extend((0..info.samplers.max(1)).map(Resource::Texture));
        }
        if buffer(&[ImageLoad, ImageStore, ImageAtomic, ImageAtomicSwap, ImageSize]) {
            all.extend((0..info.images.max(1)).map(Resource::Image));
        }
        all.extend_from_slice(of_stage);
        let mut offset = 0;
        let entry = |resource: Resource| {
            let descriptor = Descriptor { offset, resource };
            offset += resource.bytes();
            descriptor
        };
        let descriptors = all.into_iter().map(entry).collect();
        DescriptorTable { descriptors, ..DescriptorTable::default() }
    }
}

fn has_textures(shader: &Shader) -> bool {
    shader.block_order().into_iter().any(|block| {
        let insts = &shader.blocks[block].insts;
        insts.iter().any(|&inst| matches!(shader.insts[inst].kind, InstKind::Tex(_)))
    })
}

/// Returns true if the operations of a shader access scratch space. Optimization may have removed
/// all accesses to the space that the IR declares.
pub(crate) fn accesses_scratch(used: &[IntrinsicOp]) -> bool {
    used.iter().any(|op| matches!(op, IntrinsicOp::LoadScratch | IntrinsicOp::StoreScratch))
}

/// Intrinsics that occur, in the order of the code.
pub(crate) fn used_operations(shader: &Shader) -> Vec<IntrinsicOp> {
    let mut used = Vec::new();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            if let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind
                && !used.contains(&intrinsic.op)
            {
                used.push(intrinsic.op);
            }
        }
    }
    used
}
