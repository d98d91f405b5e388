//! Descriptors: which resources a shader has, and their registers.

use super::{Selection, Step};
use crate::machine::{Arg, File, Part, int};
use crate::output::{Descriptor, Resource, UserValue};
use gcn::{Format, Opcode};
use ir::{InstKind, IntrinsicOp, Shader, Slot, Value};
use std::collections::BTreeMap;

/// Bytes of a buffer's descriptor.
const BUFFER_BYTES: u32 = 16;
/// Most descriptors that stay in registers for the whole program.
const MAX_RESIDENT: usize = 6;

/// The descriptor table and what is loaded of it.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub descriptors: Vec<Descriptor>,
    resident: BTreeMap<Resource, Part>,
}

impl Resources {
    /// Returns the table of a shader: all buffers of a kind that it uses, in order.
    pub(crate) fn new(shader: &Shader) -> Resources {
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
        if info.scratch_size > 0 {
            all.push(Resource::Scratch);
        }
        if info.stage == ir::Stage::Vertex {
            let number = |slot: Slot| if let Slot::Attribute(n) = slot { Some(n) } else { None };
            let last = info.inputs.iter().filter_map(|input| number(input.slot)).max();
            let count = last.map_or(0, |last| u32::from(last) + 1);
            all.extend((0..count).map(Resource::Attribute));
        }
        let entry =
            |(index, resource)| Descriptor { offset: index as u32 * BUFFER_BYTES, resource };
        Resources {
            descriptors: all.into_iter().enumerate().map(entry).collect(),
            resident: BTreeMap::new(),
        }
    }
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

impl Selection<'_> {
    /// Returns the descriptors of the table.
    pub(crate) fn descriptors(&self) -> &[Descriptor] {
        &self.resources.descriptors
    }

    /// Loads descriptors of buffers that the shader names by constants, at its start.
    pub(crate) fn load_resident_descriptors(&mut self) -> Step {
        for block in self.shader.block_order() {
            for &inst in &self.shader.blocks[block].insts {
                let InstKind::Intrinsic(intrinsic) = &self.shader.insts[inst].kind else {
                    continue;
                };
                let resource = match (intrinsic.op, intrinsic.srcs.first()) {
                    (IntrinsicOp::LoadUbo, Some(&block)) => {
                        self.constant(block).map(Resource::UniformBlock)
                    }
                    _ => None,
                };
                let Some(resource) = resource else { continue };
                let resident = &self.resources.resident;
                if resident.len() < MAX_RESIDENT && !resident.contains_key(&resource) {
                    let part = self.load_descriptor(resource)?;
                    self.resources.resident.insert(resource, part);
                }
            }
        }
        Ok(())
    }

    fn offset_of(&self, resource: Resource) -> Option<u32> {
        let entry = self.resources.descriptors.iter().find(|d| d.resource == resource);
        entry.map(|descriptor| descriptor.offset)
    }

    fn load_descriptor(&mut self, resource: Resource) -> Step<Part> {
        let Some(offset) = self.offset_of(resource) else {
            return self.unsupported(&format!("{resource:?}, which does not exist,"));
        };
        let table = self.user_value(UserValue::Table)?;
        let to = self.e.reg(File::Scalar, 4);
        self.e.scalar_load(Opcode::SLoadDwordx4, to, table, int(offset as i32));
        Ok(to)
    }

    /// Returns the descriptor of a resource.
    pub(crate) fn descriptor(&mut self, resource: Resource) -> Step<Part> {
        match self.resources.resident.get(&resource) {
            Some(&part) => Ok(part),
            None => self.load_descriptor(resource),
        }
    }

    /// Returns the descriptor of a buffer whose number is a value, the same in all lanes.
    pub(crate) fn buffer(&mut self, kind: fn(u32) -> Resource, number: Value) -> Step<Part> {
        if let Some(number) = self.constant(number) {
            return self.descriptor(kind(number));
        }
        let Some(first) = self.offset_of(kind(0)) else {
            return self.unsupported("a buffer that does not exist");
        };
        let number = self.dword(number, 0)?;
        let number = self.e.in_scalar(number);
        let (scaled, offset) = (self.e.scalar(), self.e.scalar());
        self.e.sop2(Opcode::SLshlB32, scaled, number, int(4));
        self.e.sop2(Opcode::SAddU32, offset, scaled, int(first as i32));
        let table = self.user_value(UserValue::Table)?;
        let to = self.e.reg(File::Scalar, 4);
        let args: [Arg; 3] = [to.into(), table.into(), offset.into()];
        self.e.push(Format::Smem, Opcode::SLoadDwordx4, &args, Default::default());
        Ok(to)
    }
}
