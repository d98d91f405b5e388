//! Comparisons of the vector ALU.

use std::cmp::Ordering;

use amd_isa::Kind;

use crate::error::Reason;
use crate::float::{FloatMode, class32, class64};
use crate::register::LANES;
use crate::run::Step;

impl Step<'_> {
    /// Executes `v_cmp…`: a bit per lane, 0 for inactive lanes; `v_cmpx` sets EXEC, too.
    pub(crate) fn vector_compare(&mut self) -> Result<(), Reason> {
        let name = self.opcode().mnemonic();
        let mut parts = name.split('_').skip(1);
        let prefix = parts.next().unwrap_or("");
        let condition = parts.next().unwrap_or("");
        let kind = parts.next().unwrap_or("");
        let mode = FloatMode::of(self.wave.mode);
        let exec = self.written_lanes();
        // The condition for each order.
        let orders = [None, Some(Ordering::Less), Some(Ordering::Equal), Some(Ordering::Greater)];
        let holding = orders.map(|order| satisfies(condition, order));
        let mut mask = 0_u64;
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let (a, b) = (self.signed_value(1, lane), self.signed_value(2, lane));
            let holds = if condition == "class" {
                let class = if kind == "f64" { class64(a) } else { class32(a as u32) };
                class & b as u32 != 0
            } else {
                let order = match kind {
                    "f32" => mode.single(a).partial_cmp(&mode.single(b)),
                    "f64" => mode.double(a).partial_cmp(&mode.double(b)),
                    "i32" => Some((a as i32).cmp(&(b as i32))),
                    "u32" => Some((a as u32).cmp(&(b as u32))),
                    "i64" => Some((a as i64).cmp(&(b as i64))),
                    "u64" => Some(a.cmp(&b)),
                    _ => return Err(self.not_modeled()),
                };
                let index = orders.iter().position(|known| *known == order).unwrap_or(0);
                holding[index].ok_or_else(|| self.not_modeled())?
            };
            mask |= u64::from(holds) << lane;
        }
        self.write_scalar(0, mask);
        if prefix.ends_with('x') {
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

/// True if operands in an order satisfy a condition; no order if one is not a number.
fn satisfies(condition: &str, order: Option<Ordering>) -> Option<bool> {
    let is = |accept: fn(Ordering) -> bool| order.is_some_and(accept);
    Some(match condition {
        "f" => false,
        "lt" => is(Ordering::is_lt),
        "eq" => is(Ordering::is_eq),
        "le" => is(Ordering::is_le),
        "gt" => is(Ordering::is_gt),
        "lg" | "ne" => is(Ordering::is_ne),
        "ge" => is(Ordering::is_ge),
        "o" => order.is_some(),
        "u" => order.is_none(),
        "nge" => !is(Ordering::is_ge),
        "nlg" => !is(Ordering::is_ne),
        "ngt" => !is(Ordering::is_gt),
        "nle" => !is(Ordering::is_le),
        "neq" => !is(Ordering::is_eq),
        "nlt" => !is(Ordering::is_lt),
        "tru" | "t" => true,
        _ => return None,
    })
}
