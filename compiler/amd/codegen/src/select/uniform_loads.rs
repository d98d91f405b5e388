//! Scalar loads of uniform blocks: loads of neighboring constants become one, and come first in
//! their block.
//!
//! ```text
//! before: v1 = load_ubo 0, 0       after: s_buffer_load_dwordx4 s[0:3], …, 0
//!         …                               v1 = s0, v2 = s[2:3]
//!         v2 = load_ubo 0, 8
//! ```

use super::uniform_groups::{Group, Member, UniformLoads};
use super::{Selection, Step};
use crate::homes::Home;
use crate::machine::{File, Part, int};
use crate::output::Resource;
use amd_isa::Opcode;
use ir::{Block, InstKind, IntrinsicOp, Value};

/// Maximum number of dwords that are loaded at the start of a block.
const MAX_EARLY: u32 = 32;
/// First offset past those that instructions of both chips have.
const MAX_OFFSET: u32 = 1 << 20;

impl Selection<'_> {
    /// Plans the loads of a block and emits the first of them.
    pub(super) fn plan_uniform_loads(&mut self, block: Block) -> Step {
        self.uniform_loads = UniformLoads::default();
        if !self.wide_loads {
            return Ok(());
        }
        let mut members: Vec<(u32, Member)> = Vec::new();
        for (place, &inst) in self.shader.blocks[block].insts.iter().enumerate() {
            let data = &self.shader.insts[inst];
            let (InstKind::Intrinsic(intrinsic), Some(value)) = (&data.kind, data.result) else {
                continue;
            };
            if intrinsic.op != IntrinsicOp::LoadUbo || self.homes[value] != Home::Scalar {
                continue;
            }
            let (number, offset) =
                (self.constant(intrinsic.srcs[0]), self.constant(intrinsic.srcs[1]));
            let (Some(number), Some(offset)) = (number, offset) else { continue };
            let offset = offset.wrapping_add(intrinsic.fields.base);
            if !offset.is_multiple_of(4) || offset >= MAX_OFFSET {
                continue;
            }
            let step = self.dwords_of(value);
            let start = offset / 4;
            let end = start + u32::from(step * self.shader.components(value));
            members.push((number, Member { value, start, end, wide: step == 2, place }));
        }
        members.sort_by_key(|(number, member)| (*number, member.start, member.end));
        let mut groups: Vec<Group> = Vec::new();
        for (number, member) in members {
            match groups.last_mut() {
                Some(group) if group.block == number && group.takes(&member) => group.add(member),
                _ => groups.push(Group::new(number, member)),
            }
        }
        groups.sort_by_key(|group| group.members.iter().map(|member| member.place).min());
        for (index, group) in groups.iter().enumerate() {
            let values = group.members.iter().map(|member| (member.value, index));
            self.uniform_loads.group_of.extend(values);
        }
        self.uniform_loads.groups = groups;
        let mut early = 0;
        for index in 0..self.uniform_loads.groups.len() {
            early += self.uniform_loads.groups[index].size();
            if early > MAX_EARLY {
                break;
            }
            self.load_group(index)?;
        }
        Ok(())
    }

    /// Loads a value with its group; false if it has none.
    pub(super) fn load_planned(&mut self, value: Value) -> Step<bool> {
        let Some(&index) = self.uniform_loads.group_of.get(&value) else { return Ok(false) };
        self.load_group(index)?;
        Ok(true)
    }

    fn load_group(&mut self, index: usize) -> Step {
        let group = &mut self.uniform_loads.groups[index];
        if std::mem::replace(&mut group.done, true) {
            return Ok(());
        }
        let group = group.clone();
        let first = group.members.iter().min_by_key(|member| member.place);
        let line = first.map_or(self.e.line, |first| self.shader.line_of(first.value));
        let outer = std::mem::replace(&mut self.e.line, line);
        let descriptor = self.descriptor(Resource::UniformBlock(group.block))?;
        let dwords = group.size();
        let opcode = match dwords {
            1 => Opcode::SBufferLoadDword,
            2 => Opcode::SBufferLoadDwordx2,
            4 => Opcode::SBufferLoadDwordx4,
            8 => Opcode::SBufferLoadDwordx8,
            _ => Opcode::SBufferLoadDwordx16,
        };
        let to: Part = self.e.reg(File::Scalar, dwords as u8);
        self.e.scalar_load(opcode, to, descriptor, int(4 * group.start as i32));
        for member in group.members {
            self.set_parts(member.value, to.at((member.start - group.start) as u8));
        }
        self.e.line = outer;
        Ok(())
    }
}
