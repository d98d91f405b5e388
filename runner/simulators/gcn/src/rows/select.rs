//! Choice of the implementation of an instruction.

use amd_isa::{Instruction, Kind, Lanes, Opcode, Operand, Row as TableRow, Scalar};

use super::call::{Operands, Place, RowSource};
use super::machine::Runner;
use super::plan::{Effect, Input, Plan};
use super::{compare, each, sum};
use crate::arithmetic::comparison::{Comparison, Condition};
use crate::arithmetic::float::FloatMode;
use crate::arithmetic::operations::family;
use crate::class::Class;
use crate::constant::constant;
use crate::quirks::Quirks;

/// Value of a source that is a vector register, or that an operation does not have.
const NOTHING: Input = Input::Constant(0);

impl Plan {
    /// The implementation of an instruction on rows; `None` if it stays with single lanes.
    pub(crate) fn of(class: Class, row: &TableRow, instruction: &Instruction) -> Option<Plan> {
        let is_integer = row.slots.first().is_some_and(|result| !result.kind.is_float());
        let saturates = instruction.modifiers.clamp && is_integer;
        if instruction.modifiers.lanes != Lanes::Own || saturates {
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
        let mut sources = [Some((RowSource::ABSENT, NOTHING)); 3];
        for (source, operand) in sources.iter_mut().zip(1..self.row.slots.len()) {
            *source = self.signed_source(operand);
        }
        if matches!(opcode, Opcode::VMacF32 | Opcode::VMacLegacyF32) {
            sources[2] = self.source(0);
        }
        self.plan(runner, sources, Some(0), Effect::Rows)
    }

    fn compare(&self, comparison: Comparison) -> Option<Plan> {
        let Condition::Order(orders) = comparison.condition else { return None };
        let absent = Some((RowSource::ABSENT, NOTHING));
        let sources = [self.signed_source(1), self.signed_source(2), absent];
        let effect = self.mask(0, comparison.sets_exec)?;
        let mut plan = self.plan(compare::runner(comparison.ty)?, sources, None, effect)?;
        plan.operands.orders =
            [orders.less, orders.equal, orders.greater, orders.unordered].map(u32::from);
        Some(plan)
    }

    fn sum(&self) -> Option<Plan> {
        let runner = sum::runner(self.row.opcode)?;
        let has_carry = self.row.slots.len() > 4;
        let third = if has_carry { self.source(4) } else { Some((RowSource::ABSENT, NOTHING)) };
        let sources = [self.source(2), self.source(3), third];
        self.plan(runner, sources, Some(0), self.mask(1, false)?)
    }

    /// The effect on an operand that is a mask of lanes.
    fn mask(&self, operand: usize, sets_exec: bool) -> Option<Effect> {
        match (self.instruction.operands[operand], self.row.slots[operand].kind) {
            (Operand::Scalar(Scalar(register)), Kind::Mask) => {
                Some(Effect::Mask { register, sets_exec })
            }
            _ => None,
        }
    }

    fn plan(
        &self,
        runner: Runner,
        sources: [Option<(RowSource, Input)>; 3],
        result: Option<usize>,
        effect: Effect,
    ) -> Option<Plan> {
        let [first, second, third] = sources;
        let sources = [first?, second?, third?];
        let operands = self.operands(sources.map(|(source, _)| source), result)?;
        Some(Plan { runner, operands, inputs: sources.map(|(_, input)| input), effect })
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

    /// The source in an operand, without signs, and its value if it is not a vector register.
    fn source(&self, operand: usize) -> Option<(RowSource, Input)> {
        let kind = self.row.slots.get(operand)?.kind;
        let wide = match kind.dwords() {
            1 => false,
            2 => true,
            _ => return None,
        };
        let (place, input) = match self.instruction.operands[operand] {
            Operand::Vector(255) if wide => return None,
            Operand::Vector(number) => (Place::Register(number), NOTHING),
            Operand::Scalar(Scalar(code)) if wide => (Place::Same, Input::Pair(code)),
            Operand::Scalar(Scalar(code)) => (Place::Same, Input::Scalar(code)),
            operand => (Place::Same, Input::Constant(constant(operand, kind)?)),
        };
        if kind == Kind::Mask {
            let is_mask = place == Place::Same;
            return is_mask
                .then_some((RowSource { place: Place::Mask, ..RowSource::ABSENT }, input));
        }
        Some((RowSource { place, wide, ..RowSource::ABSENT }, input))
    }

    /// The source in an operand with absolute value and negation.
    fn signed_source(&self, operand: usize) -> Option<(RowSource, Input)> {
        let (source, input) = self.source(operand)?;
        let slot = &self.row.slots[operand];
        let Some(index) = slot.source_index().filter(|_| slot.kind != Kind::Mask) else {
            return Some((source, input));
        };
        let sign = match slot.kind {
            Kind::F64 => 1 << 63,
            Kind::F16 => 1 << 15,
            _ => 1 << 31,
        };
        let modifiers = &self.instruction.modifiers;
        let keep = if modifiers.abs >> index & 1 != 0 { !sign } else { u64::MAX };
        let flip = if modifiers.neg >> index & 1 != 0 { sign } else { 0 };
        Some((RowSource { keep, flip, ..source }, input))
    }
}
