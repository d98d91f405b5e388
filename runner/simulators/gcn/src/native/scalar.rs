//! Scalar instructions as the translator takes them.

use amd_isa::{Format, Instruction, Lanes, Opcode, Operand, Row, Scalar};
use native::{LaneType, SaveOperation, ScalarOperation, ScalarSource, ScalarStep};

use crate::arithmetic::comparison::{Comparison, Type};
use crate::class::Class;
use crate::constant::constant;

/// An instruction with its row.
struct Chooser<'a> {
    row: &'a Row,
    instruction: &'a Instruction,
}

/// A source that an operation does not have.
const NOTHING: ScalarSource = ScalarSource::Constant(0);

/// A scalar instruction as the translator takes it; `None` if it has no translation.
pub(super) fn step(class: Class, row: &Row, instruction: &Instruction) -> Option<ScalarStep> {
    let chooser = Chooser { row, instruction };
    match class {
        Class::Scalar => chooser.arithmetic(),
        Class::ScalarCompare(comparison) => chooser.compare(comparison),
        Class::BitCompare => chooser.test_bit(),
        Class::SaveExec => chooser.save_exec(),
        Class::Lanes => chooser.lanes(),
        Class::Control => chooser.nothing(),
        _ => None,
    }
}

fn operation(opcode: Opcode) -> Option<ScalarOperation> {
    use Opcode::*;
    use ScalarOperation::*;
    Some(match opcode {
        SMovB32 | SMovB64 => Move,
        SNotB32 | SNotB64 => Not,
        SAndB32 | SAndB64 => And,
        SOrB32 | SOrB64 => Or,
        SXorB32 | SXorB64 => Xor,
        SAndn2B32 | SAndn2B64 => AndNot,
        SOrn2B32 | SOrn2B64 => OrNot,
        SNandB32 | SNandB64 => Nand,
        SNorB32 | SNorB64 => Nor,
        SXnorB32 | SXnorB64 => Xnor,
        SLshlB32 | SLshlB64 => ShiftLeft,
        SLshrB32 | SLshrB64 => ShiftRight,
        SAshrI32 | SAshrI64 => ShiftRightSigned,
        SBfeU32 | SBfeU64 => BitField,
        SBfeI32 | SBfeI64 => BitFieldSigned,
        SAddU32 => AddUnsigned,
        SSubU32 => SubtractUnsigned,
        SAddI32 => AddSigned,
        SSubI32 => SubtractSigned,
        SAddcU32 => AddCarry,
        SSubbU32 => SubtractBorrow,
        SMinI32 => MinimumSigned,
        SMinU32 => MinimumUnsigned,
        SMaxI32 => MaximumSigned,
        SMaxU32 => MaximumUnsigned,
        SMulI32 => Multiply,
        SCselectB32 | SCselectB64 => Select,
        _ => return None,
    })
}

impl Chooser<'_> {
    fn step(
        &self,
        operation: ScalarOperation,
        destination: Option<u8>,
        sources: [ScalarSource; 2],
    ) -> Option<ScalarStep> {
        let slot = self.row.slots.first();
        let wide = slot.is_some_and(|slot| slot.kind.dwords() == 2);
        Some(ScalarStep { operation, wide, destination, sources })
    }

    /// The source in an operand; nothing if there is no such operand.
    fn source(&self, index: usize) -> Option<ScalarSource> {
        let Some(slot) = self.row.slots.get(index) else { return Some(NOTHING) };
        Some(match self.instruction.operands[index] {
            Operand::Scalar(Scalar(code)) if slot.kind.dwords() == 2 => {
                ScalarSource::Register(code)
            }
            Operand::Scalar(Scalar(code)) => ScalarSource::Dword(code),
            operand => ScalarSource::Constant(constant(operand, slot.kind)?),
        })
    }

    fn destination(&self) -> Option<u8> {
        match self.instruction.operands[0] {
            Operand::Scalar(Scalar(code)) => Some(code),
            _ => None,
        }
    }

    fn arithmetic(&self) -> Option<ScalarStep> {
        use Opcode::*;
        let opcode = self.row.opcode;
        let to = self.destination()?;
        let (first, second) = (self.source(1)?, self.source(2)?);
        let own = ScalarSource::Dword(to);
        let immediate = || match first {
            ScalarSource::Constant(value) => {
                Some(ScalarSource::Constant(u64::from(value as u16 as i16 as i32 as u32)))
            }
            _ => None,
        };
        let (operation, sources) = match opcode {
            SMovkI32 => (ScalarOperation::Move, [immediate()?, NOTHING]),
            SAddkI32 => (ScalarOperation::AddSigned, [own, immediate()?]),
            SMulkI32 => (ScalarOperation::Multiply, [own, immediate()?]),
            SCmovkI32 => (ScalarOperation::Select, [immediate()?, own]),
            SCmovB32 => (ScalarOperation::Select, [first, own]),
            SCmovB64 => (ScalarOperation::Select, [first, ScalarSource::Register(to)]),
            _ => (operation(opcode)?, [first, second]),
        };
        self.step(operation, Some(to), sources)
    }

    fn compare(&self, comparison: Comparison) -> Option<ScalarStep> {
        let orders = comparison.condition.native()?;
        let ty = match comparison.ty {
            Type::I32 => LaneType::Signed,
            Type::U32 | Type::U64 => LaneType::Unsigned,
            _ => return None,
        };
        let mut second = self.source(1)?;
        if self.row.format == Format::Sopk
            && ty == LaneType::Signed
            && let ScalarSource::Constant(value) = &mut second
        {
            *value = u64::from(i32::from(*value as i16) as u32);
        }
        let operation = ScalarOperation::Compare(ty, orders);
        self.step(operation, None, [self.source(0)?, second])
    }

    fn test_bit(&self) -> Option<ScalarStep> {
        use Opcode::{SBitcmp0B32, SBitcmp0B64, SBitcmp1B32, SBitcmp1B64};
        let value = match self.row.opcode {
            SBitcmp0B32 | SBitcmp0B64 => false,
            SBitcmp1B32 | SBitcmp1B64 => true,
            _ => return None,
        };
        let sources = [self.source(0)?, self.source(1)?];
        self.step(ScalarOperation::TestBit(value), None, sources)
    }

    fn save_exec(&self) -> Option<ScalarStep> {
        use Opcode::{SAndSaveexecB64, SAndn2SaveexecB64, SOrSaveexecB64, SXorSaveexecB64};
        let operation = match self.row.opcode {
            SAndSaveexecB64 => SaveOperation::And,
            SOrSaveexecB64 => SaveOperation::Or,
            SXorSaveexecB64 => SaveOperation::Xor,
            SAndn2SaveexecB64 => SaveOperation::AndNot,
            _ => return None,
        };
        let sources = [self.source(1)?, NOTHING];
        self.step(ScalarOperation::SaveExec(operation), Some(self.destination()?), sources)
    }

    fn lanes(&self) -> Option<ScalarStep> {
        use Opcode::{VNop, VReadfirstlaneB32, VReadlaneB32, VWritelaneB32};
        use ScalarOperation::{FirstLane, Nothing, ReadLane, WriteLane};
        let Instruction { operands, modifiers, .. } = self.instruction;
        if modifiers.lanes != Lanes::Own {
            return None;
        }
        match (self.row.opcode, operands[0], operands[1]) {
            (VNop, ..) => self.step(Nothing, None, [NOTHING; 2]),
            (VReadfirstlaneB32, _, Operand::Vector(number)) => {
                let sources = [ScalarSource::Register(number), NOTHING];
                self.step(FirstLane, Some(self.destination()?), sources)
            }
            (VReadlaneB32, _, Operand::Vector(number)) => {
                let sources = [ScalarSource::Register(number), self.source(2)?];
                self.step(ReadLane, Some(self.destination()?), sources)
            }
            (VWritelaneB32, Operand::Vector(number), _) => {
                self.step(WriteLane(number), None, [self.source(1)?, self.source(2)?])
            }
            _ => None,
        }
    }

    /// Instructions that do nothing, at least if no register waits for memory.
    fn nothing(&self) -> Option<ScalarStep> {
        use Opcode::{SNop, SSetprio, SSleep, SWaitcnt};
        let operation = match self.row.opcode {
            SNop | SSetprio | SSleep => ScalarOperation::Nothing,
            SWaitcnt => ScalarOperation::Wait,
            _ => return None,
        };
        Some(ScalarStep { operation, wide: false, destination: None, sources: [NOTHING; 2] })
    }
}
