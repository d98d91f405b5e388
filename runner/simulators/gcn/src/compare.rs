//! Comparisons of the vector ALU.

use amd_isa::Kind;

use crate::arithmetic::comparison::{Comparison, Condition, Type};
use crate::arithmetic::float::{FloatMode, class16, class32, class64};
use crate::arithmetic::short;
use crate::error::Reason;
use crate::register::LANES;
use crate::run::Step;

impl Step<'_> {
    /// Executes `v_cmp…`: a bit per lane, 0 for inactive lanes; `v_cmpx` sets EXEC, too.
    pub(crate) fn vector_compare(&mut self, comparison: Option<Comparison>) -> Result<(), Reason> {
        let Comparison { condition, ty, sets_exec } =
            comparison.ok_or_else(|| self.not_modeled())?;
        let mode = FloatMode::of(self.wave.mode);
        let exec = self.written_lanes();
        let mut mask = 0_u64;
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let (a, b) = (self.signed_value(1, lane), self.signed_value(2, lane));
            let holds = match condition {
                Condition::Class => {
                    let class = match ty {
                        Type::F64 => class64(a),
                        Type::F16 => class16(a as u16),
                        _ => class32(a as u32),
                    };
                    class & b as u32 != 0
                }
                Condition::Order(orders) => orders.of(match ty {
                    Type::F16 => short::source(a, mode).partial_cmp(&short::source(b, mode)),
                    Type::I16 => Some((a as i16).cmp(&(b as i16))),
                    Type::U16 => Some((a as u16).cmp(&(b as u16))),
                    Type::F32 => mode.single(a).partial_cmp(&mode.single(b)),
                    Type::F64 => mode.double(a).partial_cmp(&mode.double(b)),
                    Type::I32 => Some((a as i32).cmp(&(b as i32))),
                    Type::U32 => Some((a as u32).cmp(&(b as u32))),
                    Type::I64 => Some((a as i64).cmp(&(b as i64))),
                    Type::U64 => Some(a.cmp(&b)),
                }),
            };
            mask |= u64::from(holds) << lane;
        }
        self.write_scalar(0, mask);
        if sets_exec {
            self.wave.set_pair(amd_isa::Scalar::EXEC, mask);
        }
        Ok(())
    }

    /// The value of an operand in a lane with absolute value and negation.
    pub(crate) fn signed_value(&self, index: usize, lane: usize) -> u64 {
        let value = self.lane_value(index, lane);
        let Some(source) = self.slot(index).source_index() else { return value };
        let modifiers = &self.instruction.modifiers;
        let sign = match self.slot(index).kind {
            Kind::F64 => 1 << 63,
            Kind::F16 => 1 << 15,
            _ => 1 << 31,
        };
        let value = if modifiers.abs >> source & 1 != 0 { value & !sign } else { value };
        if modifiers.neg >> source & 1 != 0 { value ^ sign } else { value }
    }
}
