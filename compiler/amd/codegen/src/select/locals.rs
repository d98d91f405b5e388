//! Arrays of an invocation: short ones in registers, whose elements have constant indices; others
//! in scratch memory.

use super::memory::{BufferAddress, runs};
use super::{Held, Selection, Step};
use crate::machine::{Arg, File, Part};
use crate::output::{Resource, SPILL_AREA};
use ir::{CompileError, Intrinsic, IntrinsicOp, Local, Value};

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

    /// Registers of the element at an index; `None` past the end.
    ///
    /// # Errors
    /// The index is computed. IR passes replace such accesses to arrays of this size by selections.
    fn element(&mut self, local: Local, index: Value) -> Step<Option<Part>> {
        let Some(index) = self.constant(index) else {
            return Err(CompileError::internal("an array in registers has a computed index"));
        };
        Ok(self.elements(local).get(index as usize).copied())
    }

    fn load_local(&mut self, local: Local, index: Value, result: Value) -> Step {
        let dwords = self.element_dwords(local);
        let to = self.e.reg(File::Vector, dwords);
        if let Some(element) = self.element(local, index)? {
            (0..dwords).for_each(|dword| self.e.copy(to.at(dword), element.at(dword)));
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
        if let Some(element) = self.element(local, index)? {
            stored.iter().for_each(|&(dword, from)| self.e.copy(element.at(dword), from));
        }
        Ok(())
    }
}
