//! Giving back the numbers of what optimization removed.

use crate::ids::{Inst, Value};
use crate::shader::{NodeData, Shader};
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use std::mem;

/// At least one of this many instructions must be gone, or nothing is renumbered.
const WORTHWHILE: usize = 8;

impl Shader {
    /// Drops the instructions that stand in no reachable block, and their results, and numbers the
    /// others anew, in the order of their old numbers, so that comparisons of numbers have the same
    /// results. Passes leave many of them behind, and every table by number, every copy and every
    /// digest of the shader would go on paying for those.
    pub fn compact(&mut self) {
        let order = self.block_order();
        let standing: usize = order.iter().map(|&block| self.blocks[block].insts.len()).sum();
        if (self.insts.len() - standing.min(self.insts.len())) * WORTHWHILE < self.insts.len() {
            return;
        }
        let mut kept = EntitySet::with_capacity(self.insts.len());
        let mut reachable = EntitySet::with_capacity(self.blocks.len());
        for block in order {
            reachable.insert(block);
            kept.extend(self.blocks[block].insts.iter().copied());
        }
        for (_, data) in self.blocks.iter_mut().filter(|(block, _)| !reachable.contains(*block)) {
            data.insts.clear();
        }
        let (insts, values) = self.renumber(&kept, standing);
        for inst in self.blocks.values_mut().flat_map(|block| &mut block.insts) {
            *inst = insts[*inst];
        }
        for node in self.nodes.values_mut() {
            if let NodeData::If { cond, .. } = node {
                *cond = values[*cond];
            }
        }
    }

    /// Keeps these instructions, of which there are `count`, and their results; gives the new
    /// numbers.
    fn renumber(
        &mut self,
        kept: &EntitySet<Inst>,
        count: usize,
    ) -> (SecondaryMap<Inst, Inst>, SecondaryMap<Value, Value>) {
        let old_insts = mem::replace(&mut self.insts, PrimaryMap::with_capacity(count));
        let old_values = mem::replace(&mut self.values, PrimaryMap::with_capacity(count));
        let mut insts = SecondaryMap::with_default(Inst::from_u32(0));
        let mut values = SecondaryMap::with_default(Value::from_u32(0));
        insts.resize(old_insts.len());
        values.resize(old_values.len());
        for (value, data) in old_values.iter().filter(|(_, data)| kept.contains(data.def)) {
            values[value] = self.values.push(*data);
        }
        for (inst, mut data) in old_insts.into_iter().filter(|&(inst, _)| kept.contains(inst)) {
            data.kind.for_each_src_mut(|value| *value = values[*value]);
            data.result = data.result.map(|value| values[value]);
            insts[inst] = self.insts.push(data);
        }
        for data in self.values.values_mut() {
            data.def = insts[data.def];
        }
        (insts, values)
    }
}
