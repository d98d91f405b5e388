//! Select chains: resources chosen at run time. Every candidate is read, and each channel keeps the
//! one that its index selects.

use super::target::{Components, ScalarSelection};
use crate::error::CompileError;
use crate::lir::{CondMod, Operand, Type};
use ir::Value;

/// Maximum number of candidates; no stage has larger arrays of resources.
const MAX_CANDIDATES: u32 = 64;

impl ScalarSelection<'_> {
    /// Defines `result` as the data that `read` returns for the candidate with the number in
    /// `index`, per channel. Numbers past the last of `count` candidates select the first.
    pub(super) fn emit_select_chain(
        &mut self,
        index: Value,
        count: u32,
        result: Value,
        mut read: impl FnMut(&mut Self, u32) -> Result<Components, CompileError>,
    ) -> Result<(), CompileError> {
        if count == 0 || count > MAX_CANDIDATES {
            return Err(CompileError::lower(format!(
                "{count} resources to choose from at run time"
            )));
        }
        let ty = self.raw_type(result);
        let index = self.get(index, 0, Type::UD);
        let mut places = Components::new();
        for candidate in 0..count {
            let components = read(self, candidate)?;
            if candidate == 0 {
                places = self.define(result, ty);
            } else {
                self.builder().cmp(
                    Operand::null(Type::UD),
                    index,
                    Operand::ud(candidate),
                    CondMod::Z,
                );
            }
            for (&to, &from) in places.iter().zip(&components) {
                let mut b = self.builder();
                let inst = b.mov(to, from.retype(ty));
                if candidate > 0 {
                    inst.predicate(false);
                }
            }
        }
        Ok(())
    }
}
