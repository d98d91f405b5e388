//! Choice of the implementation of an instruction.

use amd_isa::{Instruction, Kind, Lanes, Opcode, Operand, Row as TableRow};

use super::call::{Operands, Place, RowSource};
use super::plan::{Effect, Plan};
use super::{compare, each, sum};
use crate::class::Class;
use crate::comparison::{Comparison, Condition};
use crate::float::FloatMode;
use crate::operations::family;
use crate::quirks::Quirks;

impl Plan {
    /// The implementation of an instruction on rows; `None` if it stays with single lanes.
    pub(crate) fn of(class: Class, row: &TableRow, instruction: &Instruction) -> Option<Plan> {
        if instruction.modifiers.lanes != Lanes::Own {
            return None;
        }
        let chooser = Chooser { row, instruction };
        match class {
            Class::Each => chooser.each(),
            Class::Compare(Some(comparison)) => chooser.compare(comparison),
            Class::Carry => chooser.sum(),
            _ => None,
        }
    }
}

struct Chooser<'a> {
    row: &'a TableRow,
    instruction: &'a Instruction,
}

impl Chooser<'_> {
    fn each(&self) -> Option<Plan> {
        let opcode = self.row.opcode;
        let runner = each::runner(opcode)?;
        let mut sources = [RowSource::ABSENT; 3];
        for (source, operand) in sources.iter_mut().zip(1..self.row.slots.len()) {
            *source = self.signed_source(operand)?;
        }
        if matches!(opcode, Opcode::VMacF32 | Opcode::VMacLegacyF32) {
            sources[2] = self.source(0)?;
        }
        let operands = self.operands(sources, Some(0))?;
        Some(Plan { runner, operands, effect: Effect::Rows })
    }

    fn compare(&self, comparison: Comparison) -> Option<Plan> {
        let Condition::Order(orders) = comparison.condition else { return None };
        let sources = [self.signed_source(1)?, self.signed_source(2)?, RowSource::ABSENT];
        let mut operands = self.operands(sources, None)?;
        operands.orders =
            [orders.less, orders.equal, orders.greater, orders.unordered].map(u32::from);
        let effect = Effect::Mask { operand: 0, sets_exec: comparison.sets_exec };
        Some(Plan { runner: compare::runner(comparison.ty), operands, effect })
    }

    fn sum(&self) -> Option<Plan> {
        let runner = sum::runner(self.row.opcode)?;
        let has_carry = self.row.slots.len() > 4;
        let third = if has_carry { self.source(4)? } else { RowSource::ABSENT };
        let operands = self.operands([self.source(2)?, self.source(3)?, third], Some(0))?;
        Some(Plan { runner, operands, effect: Effect::Mask { operand: 1, sets_exec: false } })
    }

    /// Operands with the result in an operand.
    fn operands(&self, sources: [RowSource; 3], result: Option<usize>) -> Option<Operands> {
        let destination = match result.map(|index| self.instruction.operands[index]) {
            None => None,
            Some(Operand::Vector(255)) if self.row.slots[0].kind.dwords() == 2 => return None,
            Some(Operand::Vector(number)) => Some(number),
            Some(_) => return None,
        };
        let kind = self.row.slots[0].kind;
        let modifiers = self.instruction.modifiers;
        let is_changed = kind.is_float() && (modifiers.clamp || modifiers.omod != 0);
        let opcode = self.row.opcode;
        Some(Operands {
            opcode,
            sources,
            signed: sources.iter().any(|source| source.keep != u64::MAX || source.flip != 0),
            destination,
            kind,
            output: is_changed.then_some(modifiers),
            orders: [0; 4],
            family: family(opcode, FloatMode::DEFAULT, &Quirks::of(amd_isa::Chip::Si)),
        })
    }

    /// The source in an operand, without signs.
    fn source(&self, operand: usize) -> Option<RowSource> {
        let kind = self.row.slots.get(operand)?.kind;
        let wide = match kind.dwords() {
            1 => false,
            2 => kind != Kind::Mask,
            _ => return None,
        };
        let place = match self.instruction.operands[operand] {
            _ if kind == Kind::Mask => Place::Mask,
            Operand::Vector(255) if wide => return None,
            Operand::Vector(number) => Place::Register(number),
            _ => Place::Same,
        };
        Some(RowSource { place, operand, wide, ..RowSource::ABSENT })
    }

    /// The source in an operand with absolute value and negation.
    fn signed_source(&self, operand: usize) -> Option<RowSource> {
        let source = self.source(operand)?;
        let slot = &self.row.slots[operand];
        let Some(index) = slot.source_index().filter(|_| slot.kind != Kind::Mask) else {
            return Some(source);
        };
        let sign = match slot.kind {
            Kind::F64 => 1 << 63,
            Kind::F16 => 1 << 15,
            _ => 1 << 31,
        };
        let modifiers = &self.instruction.modifiers;
        let keep = if modifiers.abs >> index & 1 != 0 { !sign } else { u64::MAX };
        let flip = if modifiers.neg >> index & 1 != 0 { sign } else { 0 };
        Some(RowSource { keep, flip, ..source })
    }
}
