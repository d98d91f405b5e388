//! Registers of descriptors.

use super::{Selection, Step};
use crate::machine::{Arg, File, Part, int};
use crate::output::{Descriptor, Resource, UserValue};
use amd_isa::{Format, Opcode};
use ir::{InstKind, IntrinsicOp, Slot, Value};

/// Maximum number of descriptors that stay in registers for the whole program.
const MAX_RESIDENT: usize = 6;
/// Scalar registers that the driver can set.
const USER_REGISTERS: u8 = 16;

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

    /// Chooses descriptors that the driver puts into registers, beside `plain` dwords of other
    /// values. The flag is true if the table is needed, too. `of_stage` are resources of the stage.
    pub(crate) fn inline_descriptors(
        &self,
        plain: u8,
        of_stage: &[Resource],
    ) -> (Vec<Resource>, bool) {
        let (mut used, has_others) = self.constant_buffers();
        used.extend(of_stage);
        let room =
            |taken: u8| usize::from((USER_REGISTERS - taken.next_multiple_of(4).min(16)) / 4);
        if !has_others && used.len() <= room(plain) {
            return (used, false);
        }
        used.truncate(room(plain + UserValue::Table.dwords()));
        (used, true)
    }

    /// The buffers that the shader names by constants, in the order of the code; true if there are
    /// other resources.
    fn constant_buffers(&self) -> (Vec<Resource>, bool) {
        use IntrinsicOp::*;
        let mut used = Vec::new();
        let mut has_others = false;
        for block in self.shader.block_order() {
            for &inst in &self.shader.blocks[block].insts {
                let intrinsic = match &self.shader.insts[inst].kind {
                    InstKind::Intrinsic(intrinsic) => intrinsic,
                    InstKind::Tex(_) => {
                        has_others = true;
                        continue;
                    }
                    _ => continue,
                };
                let number =
                    |index: usize| intrinsic.srcs.get(index).and_then(|&n| self.constant(n));
                let resource = match intrinsic.op {
                    LoadUbo => number(0).map(Resource::UniformBlock),
                    LoadSsbo | SsboAtomic | SsboAtomicSwap | SsboSize => {
                        number(0).map(Resource::StorageBlock)
                    }
                    StoreSsbo => number(1).map(Resource::StorageBlock),
                    CounterRead | CounterAtomic | CounterAtomicSwap => {
                        Some(Resource::AtomicBuffer(intrinsic.fields.base))
                    }
                    LoadInput => match (intrinsic.fields.slot, number(0)) {
                        (Slot::Attribute(first), Some(offset)) => {
                            Some(Resource::Attribute(u32::from(first) + offset))
                        }
                        _ => continue,
                    },
                    LoadScratch | StoreScratch => Some(Resource::Scratch),
                    ImageLoad | ImageStore | ImageAtomic | ImageAtomicSwap | ImageSize
                    | ImageSamples => None,
                    _ => continue,
                };
                match resource.filter(|&resource| self.offset_of(resource).is_some()) {
                    Some(resource) if !used.contains(&resource) => used.push(resource),
                    Some(_) => {}
                    None => has_others = true,
                }
            }
        }
        (used, has_others)
    }

    /// Loads the descriptor of a resource for the whole program, at its start.
    pub(crate) fn resident_descriptor(&mut self, resource: Resource) -> Step<Part> {
        if let Some(&part) = self.resources.resident.get(&resource) {
            return Ok(part);
        }
        let part = self.load_descriptor(resource)?;
        self.resources.resident.insert(resource, part);
        Ok(part)
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

    /// Returns the descriptor of an image: the number of its resource is the sum of a constant and
    /// a value that is the same in all lanes.
    pub(crate) fn image_resource(
        &mut self,
        kind: fn(u32) -> Resource,
        number: u32,
        dynamic: Option<Value>,
    ) -> Step<Part> {
        self.table_entry(kind(number), dynamic, 0, (Opcode::SLoadDwordx8, 8))
    }

    /// Returns the descriptor of a sampler, which is after that of its texture.
    pub(crate) fn sampler_descriptor(&mut self, number: u32, dynamic: Option<Value>) -> Step<Part> {
        self.table_entry(Resource::Texture(number), dynamic, 32, (Opcode::SLoadDwordx4, 4))
    }

    fn table_entry(
        &mut self,
        resource: Resource,
        dynamic: Option<Value>,
        at: u32,
        (opcode, dwords): (Opcode, u8),
    ) -> Step<Part> {
        let Some(first) = self.offset_of(resource) else {
            return self.unsupported(&format!("{resource:?}, which does not exist,"));
        };
        let table = self.user_value(UserValue::Table)?;
        let first = first + at;
        if dynamic.is_none() {
            if self.resources.block != Some(self.e.label) {
                self.resources.loaded.clear();
                self.resources.block = Some(self.e.label);
            }
            if let Some(&part) = self.resources.loaded.get(&first) {
                return Ok(part);
            }
        }
        let to = self.e.reg(File::Scalar, dwords);
        let Some(dynamic) = dynamic else {
            self.e.scalar_load(opcode, to, table, int(first as i32));
            self.resources.loaded.insert(first, to);
            return Ok(to);
        };
        let number = self.dword(dynamic, 0)?;
        let number = self.e.in_scalar(number);
        let (scaled, offset) = (self.e.scalar(), self.e.scalar());
        let shift = resource.bytes().trailing_zeros();
        self.e.sop2(Opcode::SLshlB32, scaled, number, int(shift as i32));
        self.e.sop2(Opcode::SAddU32, offset, scaled, int(first as i32));
        let args: [Arg; 3] = [to.into(), table.into(), offset.into()];
        self.e.push(Format::Smem, opcode, &args, Default::default());
        Ok(to)
    }
}
