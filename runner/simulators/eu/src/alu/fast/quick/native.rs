//! Resolved instructions as the translator to the host's code takes them.

use intel_isa::{CondMod, MathFn, Opcode, Type};
use native::{Operation, Order};

use super::call::{LaneSource, Place};
use super::instruction::{Predicate, Quick};
use crate::op::Op;

impl LaneSource {
    fn native(self) -> native::StepSource {
        let place = match self.place {
            Place::Row(offset) => native::Place::Row(offset),
            Place::Element(offset) => native::Place::Element(offset),
            Place::Constant(dword) => native::Place::Constant(dword),
        };
        native::StepSource { place, keep: self.keep, flip: self.flip, add: self.add }
    }
}

impl Quick {
    /// The instruction as the translator takes it; `None` if it has no translation.
    pub(crate) fn native(&self, op: &Op) -> Option<native::Step> {
        let condition = self.operands.condition.map(|condition| native::Condition {
            order: order(condition.cond),
            flag: Some(condition.flag & 1),
            base: condition.base,
        });
        let order = native::Condition { order: order(op.cond), flag: None, base: 0 };
        let compares = op.opcode == Opcode::Cmp;
        let step = native::Step {
            operation: operation(op)?,
            sources: self.operands.sources.map(LaneSource::native),
            destination: self.operands.destination,
            lanes: op.shape.channels,
            enables: self.channels,
            group: self.group,
            predicate: self.predicate.map(Predicate::native),
            condition: condition.or(compares.then_some(order)),
            saturate: self.operands.saturate,
        };
        step.is_known().then_some(step)
    }
}

fn order(cond: Option<CondMod>) -> Order {
    match cond {
        Some(CondMod::Z) => Order::Equal,
        Some(CondMod::Nz) => Order::NotEqual,
        Some(CondMod::G) => Order::Greater,
        Some(CondMod::Ge) => Order::GreaterEqual,
        Some(CondMod::L) => Order::Less,
        Some(CondMod::Le) => Order::LessEqual,
        Some(CondMod::U) => Order::Unordered,
        None | Some(CondMod::O) => Order::Never,
    }
}

/// The operation of an instruction that is resolved.
fn operation(op: &Op) -> Option<Operation> {
    let (source, result) = (op.src[0].ty, op.dst.ty);
    let sources = &op.src[..op.sources.into()];
    let modified = sources.iter().any(|source| source.negate || source.abs);
    let same = sources.iter().all(|source| source.ty == result);
    match op.opcode {
        Opcode::Mov if same && !modified && !op.saturate => Some(Operation::Move),
        Opcode::Sel if op.cond.is_none() => Some(Operation::Pick),
        Opcode::Cmp if source == Type::F => Some(Operation::CompareSingles),
        Opcode::Cmp if source == Type::D => Some(Operation::CompareSigned),
        Opcode::Cmp => Some(Operation::CompareUnsigned),
        _ if source == Type::F => single(op),
        _ => dword(op),
    }
}

fn single(op: &Op) -> Option<Operation> {
    Some(match (op.opcode, op.dst.ty) {
        (Opcode::Mov, Type::D) => Operation::ToSigned,
        (Opcode::Mov, Type::UD) => Operation::ToUnsigned,
        (Opcode::Mov, _) => Operation::Copy,
        (Opcode::Add, _) => Operation::Add,
        (Opcode::Mul, _) => Operation::Multiply,
        (Opcode::Mad, _) => Operation::MultiplyAdd,
        (Opcode::Lrp, _) => Operation::Interpolate,
        (Opcode::Frc, _) => Operation::Fraction,
        (Opcode::Rndd, _) => Operation::RoundDown,
        (Opcode::Rndu, _) => Operation::RoundUp,
        (Opcode::Rnde, _) => Operation::RoundEven,
        (Opcode::Rndz, _) => Operation::RoundZero,
        (Opcode::Sel, _) if op.cond == Some(CondMod::L) => Operation::Smaller,
        (Opcode::Sel, _) if op.cond == Some(CondMod::Ge) => Operation::Larger,
        (Opcode::Math, _) => match op.math? {
            MathFn::Inv => Operation::Inverse,
            MathFn::Sqrt => Operation::SquareRoot,
            MathFn::Rsq => Operation::InverseRoot,
            _ => return None,
        },
        _ => return None,
    })
}

fn dword(op: &Op) -> Option<Operation> {
    let is_signed = op.src[0].ty == Type::D;
    Some(match (op.opcode, op.dst.ty) {
        (Opcode::Mov, Type::F) if is_signed => Operation::FromSigned,
        (Opcode::Mov, Type::F) => Operation::FromUnsigned,
        (Opcode::Mov, _) => Operation::Move,
        (Opcode::Add, _) => Operation::AddDwords,
        (Opcode::And, _) => Operation::And,
        (Opcode::Or, _) => Operation::Or,
        (Opcode::Xor, _) => Operation::Xor,
        (Opcode::Not, _) => Operation::Not,
        (Opcode::Shl, _) => Operation::ShiftLeft,
        (Opcode::Asr, _) if is_signed => Operation::ShiftRightSigned,
        (Opcode::Shr | Opcode::Asr, _) => Operation::ShiftRight,
        (Opcode::Mul, _) if op.shape.quirks.gen7_dword_mul => Operation::MultiplyLowWord,
        (Opcode::Mul, _) => Operation::MultiplyDwords,
        (Opcode::Mad, _) => Operation::MultiplyAddDwords,
        (Opcode::Math, _) => match (op.math?, is_signed) {
            (MathFn::IntDiv, true) => Operation::DivideSigned,
            (MathFn::IntDiv, false) => Operation::DivideUnsigned,
            (MathFn::IntMod, true) => Operation::RemainderSigned,
            (MathFn::IntMod, false) => Operation::RemainderUnsigned,
            _ => return None,
        },
        _ => return None,
    })
}
