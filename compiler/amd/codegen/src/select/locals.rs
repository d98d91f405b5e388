//! Arrays of an invocation: short ones in registers, chosen element by element; long ones in
//! scratch memory.

use super::memory::{BufferAddress, runs};
use super::{Held, Selection, Step};
use crate::machine::{Arg, File, Part, int};
use crate::output::{Resource, SPILL_AREA};
use amd_isa::Opcode;
use ir::{Intrinsic, IntrinsicOp, Local, Value};

impl Selection<'_> {
    /// An access to a local variable or to scratch memory; false if the intrinsic is none.
    pub(crate) fn local_access(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        use IntrinsicOp::*;
        let (srcs, fields) = (&intrinsic.srcs, &intrinsic.fields);
        match (intrinsic.op, result, fields.local) {
            (LoadLocal, Some(result), Some(local)) => self.load_local(local, srcs[0], result)?,
            (StoreLocal, _, Some(local)) => {
                self.store_local(local, srcs[0], srcs[1], fields.write_mask)?;
            }
            (LoadScratch, Some(result), _) => {
                let address = self.scratch_address(srcs[0], fields.base)?;
                if self.interleaved {
                    self.load_each_dword(&address, result);
                } else {
                    self.load_buffer(&address, result, false);
                }
            }
            (StoreScratch, ..) => {
                let address = self.scratch_address(srcs[1], fields.base)?;
                for (first, count) in runs(fields.write_mask, self.shader.components(srcs[0])) {
                    if self.interleaved {
                        self.store_each_dword(&address, srcs[0], first, count)?;
                    } else {
                        self.store_run(&address, srcs[0], first, count)?;
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The place of an array's bytes in scratch memory.
    fn scratch_address(&mut self, offset: Value, base: u32) -> Step<BufferAddress> {
        let descriptor = self.descriptor(Resource::Scratch)?;
        let first = if self.interleaved { SPILL_AREA } else { 0 };
        self.address(descriptor, offset, base.wrapping_add(first))
    }

    /// Dwords of an element.
    fn element_dwords(&self, local: Local) -> u8 {
        let data = &self.shader.locals[local];
        data.components * if data.bits == 64 { 2 } else { 1 }
    }

    /// Registers of the elements of a variable, each a group.
    fn elements(&mut self, local: Local) -> Vec<Part> {
        if let Some(elements) = self.locals.get(&local) {
            return elements.clone();
        }
        let dwords = self.element_dwords(local);
        let length = self.shader.locals[local].length;
        let elements: Vec<Part> = (0..length).map(|_| self.e.reg(File::Vector, dwords)).collect();
        self.locals.insert(local, elements.clone());
        elements
    }

    /// The lanes whose index is that of an element; none for a constant index.
    fn chosen(&mut self, index: Arg, element: usize) -> Part {
        self.e.compare(Opcode::VCmpEqU32, int(element as i32), index)
    }

    fn load_local(&mut self, local: Local, index: Value, result: Value) -> Step {
        let elements = self.elements(local);
        let dwords = self.element_dwords(local);
        let constant = self.constant(index);
        let index = self.dword(index, 0)?;
        let to = self.e.reg(File::Vector, dwords);
        for (number, &element) in elements.iter().enumerate() {
            if constant.is_some_and(|constant| constant as usize != number) {
                continue;
            }
            let all = number == 0 || constant.is_some();
            let mask = if all { None } else { Some(self.chosen(index, number)) };
            for dword in 0..dwords {
                let (to, from) = (to.at(dword), element.at(dword));
                match mask {
                    Some(mask) => self.e.select(to, mask.into(), from, to),
                    None => self.e.copy(to, from),
                }
            }
        }
        if self.shader.bits(result) != 1 {
            self.set_parts(result, to);
            return Ok(());
        }
        let mut masks = Held::new();
        for dword in 0..dwords {
            masks.push(self.nonzero(to.at(dword).into()).into());
        }
        self.set_masks(result, masks)
    }

    fn store_local(&mut self, local: Local, value: Value, index: Value, write_mask: u8) -> Step {
        let elements = self.elements(local);
        let mut stored: Vec<(u8, Arg)> = Vec::new();
        for c in (0..self.shader.components(value)).filter(|c| write_mask >> c & 1 != 0) {
            match self.shader.bits(value) {
                64 => {
                    let (low, high) = self.halves(value, c)?;
                    stored.extend([(2 * c, low), (2 * c + 1, high)]);
                }
                1 => {
                    let (mask, dword) = (self.mask_of(value, c)?, self.e.vector());
                    self.mask_to_vector(dword, mask);
                    stored.push((c, dword.into()));
                }
                _ => stored.push((c, self.dword(value, c)?)),
            }
        }
        let constant = self.constant(index);
        let index = self.dword(index, 0)?;
        for (number, &element) in elements.iter().enumerate() {
            if constant.is_some_and(|constant| constant as usize != number) {
                continue;
            }
            let mask = if constant.is_some() { None } else { Some(self.chosen(index, number)) };
            for &(dword, from) in &stored {
                let to = element.at(dword);
                match mask {
                    Some(mask) => self.e.select(to, mask.into(), from, to),
                    None => self.e.copy(to, from),
                }
            }
        }
        Ok(())
    }
}
