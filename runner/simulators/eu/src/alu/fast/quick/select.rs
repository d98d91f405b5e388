//! Choice of the instructions that are resolved.

use intel_isa::{CondMod, MathFn, Opcode, Type};
use native::Operation;

use super::super::access::{Access, LaneLayout};
use super::super::plan::Plan;
use super::super::{float, integer};
use super::call::{Condition, LaneSource, Operands, Place, is_inside};
use super::instruction::{Predicate, Quick, Subnormals};
use super::jobs::{
    Compare, Each, FromSigned, FromUnsigned, Integers, Inverse, InverseRoot, LaneOp, Larger,
    Ordered, Pick, Singles, Smaller, SquareRoot, ToSigned, ToUnsigned,
};
use super::runner::{Job, Runner};
use crate::alu::math::MathMode;
use crate::op::{Exec, Op, low_bits};
use crate::regs::{Effect, REG_SIZE, registers_of};

impl Quick {
    /// The resolved form of an instruction with a plan; `None` for all but the most frequent.
    pub(crate) fn of(op: &Op, plan: &Plan, math: MathMode) -> Option<Quick> {
        let steps = plan.operands.steps;
        let lanes = usize::from(steps.lanes);
        let predicate = Predicate::of(op)?;
        let is_whole = steps.count == 1 && steps.channels == steps.lanes && matches!(lanes, 8 | 16);
        if !is_whole {
            return None;
        }
        let sources = &plan.operands.src[..op.sources.into()];
        let destination = &plan.operands.dst;
        if !sources.iter().all(|source| source.ty.size() == 4)
            || destination.ty.size() != 4
            || !matches!(destination.layout, LaneLayout::Packed | LaneLayout::Nowhere)
        {
            return None;
        }
        let chooser = Chooser { op, lanes, math, sources };
        let chosen = chooser.choose()?;
        let mut resolved = [LaneSource::NONE; 3];
        for (to, from) in resolved.iter_mut().zip(sources) {
            *to = source(from, lanes)?;
        }
        let destination = match destination.layout {
            LaneLayout::Nowhere => None,
            _ if is_inside(destination.base[0], lanes) => Some(destination.base[0]),
            _ => return None,
        };
        let (flag, base) = (op.flag_nr, op.flag_base);
        let condition = op.writes_flag.then_some(Condition { cond: op.cond, flag, base });
        let subnormals = chooser.subnormals(&resolved, destination, &chosen);
        let Chosen { operation, runner, full, normal, floating, .. } = chosen;
        Some(Quick {
            operation,
            runner,
            full,
            normal,
            subnormals,
            operands: Operands {
                sources: resolved,
                rows: resolved.map(|source| source.row().unwrap_or(0)),
                destination,
                condition,
                saturate: op.saturate,
            },
            channels: low_bits(op.shape.channels) & op.dst.enables,
            group: (!op.no_mask).then_some(op.group),
            predicate,
            floating,
        })
    }
}

/// A source of dwords.
fn source(access: &Access, lanes: usize) -> Option<LaneSource> {
    let offset = access.base[0];
    let place = match access.layout {
        LaneLayout::Packed if is_inside(offset, lanes) => Place::Row(offset),
        LaneLayout::Scalar if is_inside(offset, 1) => Place::Element(offset),
        LaneLayout::Constant => Place::Constant(access.constant as u32),
        _ => return None,
    };
    let keep = if access.abs { 0x7fff_ffff } else { u32::MAX };
    let (flip, add) = match (access.negate, access.ty.is_float()) {
        (false, _) => (0, 0),
        (true, true) => (0x8000_0000, 0),
        (true, false) => (u32::MAX, 1),
    };
    Some(LaneSource { place, keep, flip, add })
}

/// Implementations.
struct Chosen {
    /// The operation for the translator to the host's code.
    operation: Operation,
    /// For some lanes, for all, and for all where no row holds subnormal singles.
    runner: Runner,
    full: Runner,
    normal: Runner,
    /// True if they depend on the floating-point modes.
    floating: bool,
    /// True if subnormal singles are special as sources.
    minds_subnormals: bool,
    result: ResultKind,
}

/// Knowledge about subnormal singles in a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResultKind {
    /// There are none where they are flushed.
    Normal,
    /// There are none if there are none in the sources.
    Copy,
    /// There may be some.
    Any,
}

type Choice = Option<Chosen>;

struct Chooser<'a> {
    op: &'a Op,
    lanes: usize,
    math: MathMode,
    sources: &'a [Access],
}

impl Chooser<'_> {
    fn job<J: Job>(&self, operation: Operation, floating: bool, result: ResultKind) -> Choice {
        let lanes = self.lanes;
        let is_row =
            |source: &Access| source.layout == LaneLayout::Packed && !source.negate && !source.abs;
        let is_full = self.writes_all() && self.sources.iter().all(is_row);
        let runner = Runner::of::<J, false, false>(lanes);
        let full = if is_full { Runner::of::<J, true, false>(lanes) } else { runner };
        let normal = match J::MINDS_SUBNORMALS {
            false => full,
            true if is_full => Runner::of::<J, true, true>(lanes),
            true => Runner::of::<J, false, true>(lanes),
        };
        let minds_subnormals = J::MINDS_SUBNORMALS;
        Some(Chosen { operation, runner, full, normal, floating, minds_subnormals, result })
    }

    /// True if no lane of the destination is left out, but for channels that are not active.
    fn writes_all(&self) -> bool {
        low_bits(self.lanes as u8) & !self.op.dst.enables == 0
    }

    /// Demands and effect of the instruction if it is executed in all lanes.
    fn subnormals(
        &self,
        sources: &[LaneSource; 3],
        destination: Option<u16>,
        chosen: &Chosen,
    ) -> Subnormals {
        let used = &sources[..self.sources.len()];
        let rows = used.iter().filter_map(LaneSource::row);
        let registers = |offset: u16| registers_of(offset.into(), 4 * self.lanes);
        let reads = rows.fold(0, |all, offset| all | registers(offset));
        let written = destination.map_or(0, registers);
        let is_aligned = destination.is_some_and(|offset| usize::from(offset) % REG_SIZE == 0);
        let is_predicated = self.op.pred.is_some() && self.op.opcode != Opcode::Sel;
        let replaces = is_aligned && self.writes_all() && !is_predicated;
        let copies = chosen.result == ResultKind::Copy && used.iter().all(LaneSource::is_known);
        Subnormals {
            reads: if chosen.minds_subnormals || copies { reads } else { 0 },
            written,
            copies: copies && replaces,
            effect: match chosen.result {
                ResultKind::Normal if replaces => Effect { spoiled: 0, normal: written },
                ResultKind::Normal => Effect::default(),
                _ => Effect::unknown(written),
            },
        }
    }

    fn each<O: LaneOp>(&self, operation: Operation) -> Choice {
        let result = match (O::SINGLE, O::COPIES) {
            (true, _) => ResultKind::Normal,
            (false, true) => ResultKind::Copy,
            (false, false) => ResultKind::Any,
        };
        self.job::<Each<O>>(operation, O::SINGLES || O::SINGLE, result)
    }

    fn single<O: float::FloatOp>(&self, operation: Operation) -> Choice {
        self.each::<Singles<O>>(operation)
    }

    fn integer<O: integer::NarrowOp>(&self, operation: Operation) -> Choice {
        self.each::<Integers<O>>(operation)
    }

    fn compare<T: Ordered>(&self, operation: Operation, floating: bool) -> Choice {
        // Neither zeros nor ones are a subnormal single.
        self.job::<Compare<T>>(operation, floating, ResultKind::Normal)
    }

    fn choose(&self) -> Choice {
        let op = self.op;
        let all = |ty: Type| self.sources.iter().all(|source| source.ty == ty);
        let integers = self.sources.iter().all(|source| source.ty.is_integer());
        let modified = self.sources.iter().any(|source| source.negate || source.abs);
        let compares = op.opcode == Opcode::Cmp;
        if op.writes_flag && !compares {
            return None;
        }
        let same = all(op.dst.ty);
        match op.opcode {
            Opcode::Mov if same && !modified && !op.saturate => {
                self.integer::<integer::Mov>(Operation::Move)
            }
            Opcode::Sel if same && !modified && !op.saturate && op.cond.is_none() => {
                self.job::<Pick>(Operation::Pick, false, ResultKind::Copy)
            }
            Opcode::Cmp if op.exec == Exec::F && all(Type::F) => {
                self.compare::<f32>(Operation::CompareSingles, true)
            }
            Opcode::Cmp if modified || op.saturate => None,
            Opcode::Cmp if all(Type::D) => self.compare::<i32>(Operation::CompareSigned, false),
            Opcode::Cmp if all(Type::UD) => self.compare::<u32>(Operation::CompareUnsigned, false),
            _ if all(Type::F) && op.exec == Exec::F => self.choose_single(),
            _ if integers && !modified => self.choose_integer(),
            Opcode::Add if integers && !self.sources.iter().any(|source| source.abs) => {
                self.choose_integer()
            }
            _ => None,
        }
    }

    fn choose_single(&self) -> Choice {
        let op = self.op;
        let exact = self.math == MathMode::Exact;
        match (op.opcode, op.dst.ty) {
            (Opcode::Mov, Type::D) if !op.saturate => self.each::<ToSigned>(Operation::ToSigned),
            (Opcode::Mov, Type::UD) if !op.saturate => {
                self.each::<ToUnsigned>(Operation::ToUnsigned)
            }
            (_, ty) if ty != Type::F => None,
            (Opcode::Mov, _) => self.single::<float::Mov>(Operation::Copy),
            (Opcode::Add, _) => self.single::<float::Add>(Operation::Add),
            (Opcode::Mul, _) => self.single::<float::Mul>(Operation::Multiply),
            (Opcode::Mad, _) => self.single::<float::Mad>(Operation::MultiplyAdd),
            (Opcode::Lrp, _) => self.single::<float::Lrp>(Operation::Interpolate),
            (Opcode::Frc, _) => self.single::<float::Frc>(Operation::Fraction),
            (Opcode::Rndd, _) => self.single::<float::Rndd>(Operation::RoundDown),
            (Opcode::Rndu, _) => self.single::<float::Rndu>(Operation::RoundUp),
            (Opcode::Rnde, _) => self.single::<float::Rnde>(Operation::RoundEven),
            (Opcode::Rndz, _) => self.single::<float::Rndz>(Operation::RoundZero),
            (Opcode::Sel, _) => match op.cond {
                Some(CondMod::L) => self.each::<Smaller>(Operation::Smaller),
                Some(CondMod::Ge) => self.each::<Larger>(Operation::Larger),
                _ => None,
            },
            (Opcode::Math, _) if exact => match op.math {
                Some(MathFn::Inv) => self.each::<Inverse>(Operation::Inverse),
                Some(MathFn::Sqrt) => self.each::<SquareRoot>(Operation::SquareRoot),
                Some(MathFn::Rsq) => self.each::<InverseRoot>(Operation::InverseRoot),
                _ => None,
            },
            _ => None,
        }
    }

    fn choose_integer(&self) -> Choice {
        let op = self.op;
        if op.saturate && op.dst.ty != Type::F {
            return None;
        }
        match (op.opcode, op.dst.ty) {
            (Opcode::Mov, Type::F) if self.sources[0].ty == Type::D => {
                self.each::<FromSigned>(Operation::FromSigned)
            }
            (Opcode::Mov, Type::F) => self.each::<FromUnsigned>(Operation::FromUnsigned),
            (_, Type::F) => None,
            (Opcode::Mov, _) => self.integer::<integer::Mov>(Operation::Move),
            (Opcode::Add, _) => self.integer::<integer::Add>(Operation::AddDwords),
            (Opcode::And, _) => self.integer::<integer::And>(Operation::And),
            (Opcode::Or, _) => self.integer::<integer::Or>(Operation::Or),
            (Opcode::Xor, _) => self.integer::<integer::Xor>(Operation::Xor),
            (Opcode::Not, _) => self.integer::<integer::Not>(Operation::Not),
            (Opcode::Shl, _) => self.integer::<integer::Shl>(Operation::ShiftLeft),
            (Opcode::Shr, _) => self.integer::<integer::Shr>(Operation::ShiftRight),
            (Opcode::Asr, _) if self.sources[0].ty == Type::D => {
                self.integer::<integer::Asr>(Operation::ShiftRightSigned)
            }
            (Opcode::Asr, _) => self.integer::<integer::Shr>(Operation::ShiftRight),
            (Opcode::Mul, _) if op.shape.quirks.gen7_dword_mul => {
                self.integer::<integer::MulLowWord>(Operation::MultiplyLowWord)
            }
            (Opcode::Mul, _) => self.integer::<integer::Mul>(Operation::MultiplyDwords),
            (Opcode::Mad, _) => self.integer::<integer::Mad>(Operation::MultiplyAddDwords),
            (Opcode::Math, _) => self.choose_division(),
            _ => None,
        }
    }

    fn choose_division(&self) -> Choice {
        let signed = self.sources[0].ty == Type::D;
        match (self.op.math?, signed) {
            (MathFn::IntDiv, true) => {
                self.integer::<integer::QuotientSigned>(Operation::DivideSigned)
            }
            (MathFn::IntDiv, false) => {
                self.integer::<integer::QuotientUnsigned>(Operation::DivideUnsigned)
            }
            (MathFn::IntMod, true) => {
                self.integer::<integer::RemainderSigned>(Operation::RemainderSigned)
            }
            (MathFn::IntMod, false) => {
                self.integer::<integer::RemainderUnsigned>(Operation::RemainderUnsigned)
            }
            _ => None,
        }
    }
}
