//! Choice of the implementation of an instruction.

use intel_isa::{CondMod, MathFn, Opcode, Type};

use super::access::{Access, LaneLayout, Steps};
use super::machine::{Machine, Runner};
use super::plan::Plan;
use super::step::{Job, Operands};
use super::whole::{Integers, Singles};
use super::{double, float, integer, plane};
use crate::op::{Exec, Op, Place, Unit};
use crate::regs::{GRF_BYTES, REG_SIZE};

/// Picks the implementation of `op` on `machine`, or none.
pub fn select(op: &Op, machine: Machine) -> Option<Plan> {
    if op.unit != Unit::Alu || op.garbage != 0 || op.acc_write || op.dst.odd_garbage {
        return None;
    }
    if op.exec == Exec::Mixed || op.writes_flag && sees_exact_result(op) {
        return None;
    }
    let facts = Facts::of(op)?;
    let halves = steps(op, facts.wide)?;
    let operands = laid_out(op, halves)?;
    let operands = merged(op, &operands, facts.wide).unwrap_or(operands);
    let chooser = Chooser { op, machine, operands: &operands, steps: operands.steps, facts };
    let (runner, floating) = chooser.choose()?;
    Some(Plan { runner, floating, operands })
}

fn steps(op: &Op, wide: bool) -> Option<Steps> {
    let lanes = match (wide, op.shape.half) {
        (true, 1..=4) => 4,
        (true, 5..=8) | (false, 1..=8) => 8,
        (false, 9..=16) => 16,
        _ => return None,
    };
    Some(Steps { count: op.shape.halves, channels: op.shape.half, lanes })
}

fn laid_out(op: &Op, steps: Steps) -> Option<Operands> {
    let mut src = [Access::NOWHERE; 3];
    for (index, access) in src.iter_mut().enumerate().take(op.sources.into()) {
        *access = Access::source(op, index, steps)?;
    }
    Some(Operands { steps, src, dst: Access::destination(op, steps)? })
}

/// Returns true if the condition sees more of the result than the destination gets.
fn sees_exact_result(op: &Op) -> bool {
    let compares = matches!(op.opcode, Opcode::Cmp | Opcode::Cmpn);
    op.cond == Some(CondMod::O) || op.negates_unsigned() && !compares
}

/// Both halves as one step, if the second does not read what the first writes.
fn merged(op: &Op, operands: &Operands, wide: bool) -> Option<Operands> {
    let &Operands { steps, ref src, ref dst } = operands;
    let most = if wide { 4 } else { 8 };
    if steps.count != 2 || steps.channels != steps.lanes || steps.lanes > most {
        return None;
    }
    // Halves that share flag bits write them one after the other.
    if op.writes_flag && op.second_enables < steps.channels {
        return None;
    }
    let both = Steps { count: 1, channels: 2 * steps.channels, lanes: 2 * steps.lanes };
    let mut merged = [Access::NOWHERE; 3];
    let is_plane = matches!(op.opcode, Opcode::Pln | Opcode::Line);
    for (index, access) in src.iter().enumerate().take(op.sources.into()) {
        let special = is_plane && (index == 0 || op.opcode == Opcode::Pln);
        if access.sees_first_step_of(dst, steps) {
            return None;
        }
        merged[index] = if special { *access } else { access.merged(steps)? };
    }
    if is_plane && plane_sees_result(op, dst) {
        return None;
    }
    Some(Operands { steps: both, src: merged, dst: dst.merged(steps)? })
}

/// Returns whether the plane equation of the second half reads what the first half writes.
fn plane_sees_result(op: &Op, dst: &Access) -> bool {
    let written = usize::from(dst.base[0])..usize::from(dst.base[0]) + REG_SIZE;
    let reads = |source: usize, offset: usize, length: usize| match &op.src[source].place {
        Place::Grf(lanes) => {
            let start = usize::from(lanes.low(0)) + offset;
            start < written.end && written.start < start + length
        }
        _ => true,
    };
    reads(0, 0, 16) || op.opcode == Opcode::Pln && reads(1, 2 * REG_SIZE, 2 * REG_SIZE)
}

/// Properties that most choices depend on.
#[derive(Clone, Copy)]
struct Facts {
    /// An operand has 64 bits.
    wide: bool,
    /// All sources and the destination have one type.
    same: bool,
    /// A source has a modifier.
    modified: bool,
    /// All sources are integers, of at most 32 bits.
    integers: bool,
}

impl Facts {
    fn of(op: &Op) -> Option<Facts> {
        let sources = op.src.get(..op.sources.into())?;
        Some(Facts {
            wide: op.dst.ty.size() == 8 || sources.iter().any(|source| source.ty.size() == 8),
            same: sources.iter().all(|source| source.ty == op.dst.ty),
            modified: sources.iter().any(|source| source.negate || source.abs),
            integers: sources.iter().all(|source| source.ty.is_integer() && source.ty.size() <= 4),
        })
    }
}

/// An implementation, and whether it depends on the floating-point modes.
type Choice = Option<(Runner, bool)>;

struct Chooser<'a> {
    op: &'a Op,
    machine: Machine,
    operands: &'a Operands,
    steps: Steps,
    facts: Facts,
}

impl Chooser<'_> {
    /// An implementation on 8 or 16 lanes.
    fn runner<J: Job>(&self, machine: Machine) -> Runner {
        if self.steps.lanes == 16 {
            Runner::of::<J, 16>(machine)
        } else {
            Runner::of::<J, 8>(machine)
        }
    }

    /// An implementation on 4 or 8 lanes of 64 bits.
    fn wide_runner<J: Job>(&self, machine: Machine) -> Runner {
        if self.steps.lanes == 8 {
            Runner::of::<J, 8>(machine)
        } else {
            Runner::of::<J, 4>(machine)
        }
    }

    /// An implementation that the floating-point modes do not affect.
    fn exactly<J: Job>(&self) -> Choice {
        Some((self.runner::<J>(self.machine), false))
    }

    fn floating<J: Job>(&self) -> Choice {
        Some((self.runner::<J>(self.machine), true))
    }

    /// True if whole registers or single elements become a whole register, all of dwords.
    fn is_whole(&self) -> bool {
        let Operands { src, dst, .. } = self.operands;
        dst.layout == LaneLayout::Packed
            && dst.ty.size() == 4
            && src[..self.op.sources.into()].iter().all(Access::is_whole)
    }

    /// An operation on floats.
    fn float<O: float::FloatOp>(&self) -> Choice {
        if self.op.exec == Exec::F
            && self.facts.same
            && self.op.dst.ty == Type::F
            && self.is_whole()
        {
            self.floating::<Singles<O>>()
        } else {
            self.floating::<float::Float<O>>()
        }
    }

    /// An operation on low dwords.
    fn narrow<O: integer::NarrowOp>(&self) -> Choice {
        if !self.facts.modified && self.is_whole() {
            self.exactly::<Integers<O>>()
        } else {
            self.exactly::<integer::Narrow<O>>()
        }
    }

    fn double<J: Job>(&self) -> Choice {
        Some((self.wide_runner::<J>(self.machine), true))
    }

    /// Rare implementations are compiled for the baseline only.
    fn rare<J: Job>(&self) -> Choice {
        Some((self.runner::<J>(Machine::Baseline), false))
    }

    fn rare_floating<J: Job>(&self) -> Choice {
        Some((self.runner::<J>(Machine::Baseline), true))
    }

    fn rare_double<J: Job>(&self) -> Choice {
        Some((self.wide_runner::<J>(Machine::Baseline), true))
    }

    fn copy_wide(&self) -> Choice {
        Some((self.wide_runner::<double::CopyWide>(Machine::Baseline), false))
    }

    fn choose(&self) -> Choice {
        let op = self.op;
        let bits = !self.facts.modified && !op.saturate && self.facts.same;
        match op.opcode {
            Opcode::Mov if bits => self.copy(),
            Opcode::Sel if bits && op.cond.is_none() => {
                if self.facts.wide {
                    self.copy_wide()
                } else {
                    self.exactly::<integer::Pick>()
                }
            }
            _ if self.facts.wide => self.choose_wide(),
            _ if self.facts.integers => self.choose_integer(),
            _ => self.choose_float(),
        }
    }

    /// MOV that copies bits.
    fn copy(&self) -> Choice {
        let op = self.op;
        match op.dst.ty {
            _ if self.facts.wide && op.writes_flag => None,
            _ if self.facts.wide => self.copy_wide(),
            Type::HF if op.writes_flag => None,
            ty if op.writes_flag && ty.is_integer() => self.narrow::<integer::Mov>(),
            _ => self.exactly::<integer::Copy>(),
        }
    }

    fn choose_wide(&self) -> Choice {
        let op = self.op;
        let types = op.src.get(..op.sources.into())?;
        let all_double = types.iter().all(|source| source.ty == Type::DF);
        let result = op.dst.ty;
        match op.opcode {
            Opcode::Cmp | Opcode::Cmpn if all_double => self.rare_double::<double::Compare>(),
            Opcode::Mov if all_double && matches!(result, Type::F | Type::D | Type::UD) => {
                if op.writes_flag {
                    return None;
                }
                self.rare_double::<double::FromDouble>()
            }
            _ if result != Type::DF => None,
            Opcode::Mov if self.facts.integers || op.exec == Exec::F && types[0].ty == Type::F => {
                self.rare_double::<double::ToDouble>()
            }
            _ if !all_double => None,
            Opcode::Mov => self.rare_double::<double::Double<double::Mov>>(),
            Opcode::Add => self.double::<double::Double<double::Add>>(),
            Opcode::Mul => self.double::<double::Double<double::Mul>>(),
            Opcode::Mad => self.double::<double::Double<double::Mad>>(),
            Opcode::Sel if op.cond.is_some() => self.rare_double::<double::Select>(),
            _ => None,
        }
    }

    fn choose_float(&self) -> Choice {
        use float::{Add, Float, Frc, Lrp, Mad, Mul, Rndd, Rnde, Rndu, Rndz};
        let op = self.op;
        let half = op.exec == Exec::Hf;
        let singles = op.src[..op.sources.into()].iter().all(|source| source.ty == Type::F);
        let to_single = op.dst.ty == Type::F;
        match op.opcode {
            Opcode::Cmp | Opcode::Cmpn => self.floating::<float::Compare>(),
            Opcode::Mov if half && op.dst.ty == Type::HF => None,
            Opcode::Mov => self.float::<float::Mov>(),
            Opcode::Add => self.float::<Add>(),
            Opcode::Mul => self.float::<Mul>(),
            Opcode::Mad => self.float::<Mad>(),
            Opcode::Lrp if !half => self.rare_floating::<Float<Lrp>>(),
            Opcode::Frc => self.float::<Frc>(),
            Opcode::Rndd => self.float::<Rndd>(),
            Opcode::Rndu => self.float::<Rndu>(),
            Opcode::Rnde => self.float::<Rnde>(),
            Opcode::Rndz => self.float::<Rndz>(),
            Opcode::Sel if singles && to_single && op.cond.is_some() => {
                self.floating::<float::Select>()
            }
            Opcode::Sel if singles && to_single => self.rare_floating::<float::PredicatedSelect>(),
            Opcode::Csel if singles && to_single => {
                self.rare_floating::<float::ConditionalSelect>()
            }
            Opcode::Math if is_float_function(op.math) => self.rare_floating::<float::Math>(),
            Opcode::F32To16 if singles && !op.writes_flag => self.rare_floating::<float::ToHalf>(),
            Opcode::Pln if singles && to_single && self.plane_fits(2) => {
                self.floating::<plane::Plane>()
            }
            Opcode::Line if singles && to_single && self.plane_fits(0) => {
                self.rare_floating::<plane::Line>()
            }
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph
                if singles && to_single && self.steps.channels.is_multiple_of(4) =>
            {
                self.rare_floating::<plane::Dot>()
            }
            _ => None,
        }
    }

    /// Returns whether the register file holds everything that a plane equation reads, with
    /// `registers` of the second source for every eight channels.
    fn plane_fits(&self, registers: usize) -> bool {
        let (Place::Grf(plane), Place::Grf(values)) =
            (&self.op.src[0].place, &self.op.src[1].place)
        else {
            return false;
        };
        let whole = self.steps.count == 1 || self.steps.channels.is_multiple_of(8);
        let registers = usize::from(self.op.shape.channels).div_ceil(8) * registers;
        whole
            && usize::from(plane.low(0)) + 16 <= GRF_BYTES
            && usize::from(values.low(0)) + registers * REG_SIZE <= GRF_BYTES
    }

    fn choose_integer(&self) -> Choice {
        use integer::{Add, Exact, Mad, Mov, Narrow, Shl, ToFloat};
        let op = self.op;
        match op.opcode {
            Opcode::Cmp | Opcode::Cmpn => return self.ordered::<false>(),
            Opcode::Math => return self.division(),
            Opcode::F16To32 if op.dst.ty == Type::F => {
                return self.rare_floating::<float::FromHalf>();
            }
            Opcode::Mov if op.dst.ty.is_float() && !self.facts.modified => {
                return if op.src[0].ty.is_signed_integer() {
                    self.floating::<ToFloat<true>>()
                } else {
                    self.floating::<ToFloat<false>>()
                };
            }
            _ => {}
        }
        if op.dst.ty.is_float() {
            return if self.is_exact() { self.rare_floating::<Exact>() } else { None };
        }
        // Low dwords suffice unless saturation sees more.
        let plain = !op.saturate;
        let dwords = matches!(op.exec, Exec::Int { bytes: 4, .. });
        match op.opcode {
            Opcode::Mov if plain => self.narrow::<Mov>(),
            Opcode::Add if plain => self.narrow::<Add>(),
            Opcode::Shl if plain => self.narrow::<Shl>(),
            Opcode::Mad if plain => self.rare::<Narrow<Mad>>(),
            Opcode::Mul if plain && self.multiplies_low_word() => {
                self.narrow::<integer::MulLowWord>()
            }
            Opcode::Mul if plain => self.narrow::<integer::Mul>(),
            Opcode::Sel if op.cond.is_some() => self.ordered::<true>(),
            Opcode::Sel if plain => self.exactly::<integer::Pick>(),
            Opcode::And if dwords && plain => self.narrow::<integer::And>(),
            Opcode::Or if dwords && plain => self.narrow::<integer::Or>(),
            Opcode::Xor if dwords && plain => self.narrow::<integer::Xor>(),
            Opcode::Not if dwords && plain => self.narrow::<integer::Not>(),
            Opcode::Shr if dwords && plain => self.narrow::<integer::Shr>(),
            Opcode::Asr if plain && !op.src[0].negate && !op.src[0].abs => {
                if op.src[0].ty.is_signed_integer() {
                    self.narrow::<integer::Asr>()
                } else {
                    self.narrow::<integer::Shr>()
                }
            }
            _ if self.is_exact() => self.rare::<Exact>(),
            _ if plain => self.bit_operation(),
            _ => None,
        }
    }

    fn multiplies_low_word(&self) -> bool {
        self.op.shape.quirks.gen7_dword_mul
            && self.op.src[..2].iter().all(|source| source.ty.size() == 4)
    }

    /// Returns whether [`integer::Exact`] has the operation and its results have at most 64 bits.
    fn is_exact(&self) -> bool {
        match self.op.opcode {
            Opcode::Mov
            | Opcode::Sel
            | Opcode::Not
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::Shl
            | Opcode::Shr
            | Opcode::Asr
            | Opcode::Add
            | Opcode::Avg => true,
            Opcode::Mul => {
                self.multiplies_low_word()
                    || self.op.src[..2].iter().any(|source| source.ty.size() < 4)
            }
            _ => false,
        }
    }

    /// CMP and SEL with a condition.
    fn ordered<const SELECT: bool>(&self) -> Choice {
        use integer::Order;
        let op = self.op;
        let all = |fits: fn(Type) -> bool| op.src[..2].iter().all(|source| fits(source.ty));
        if self.facts.modified || op.saturate {
            self.rare::<integer::Exact>()
        } else if all(|ty| ty != Type::UD) {
            self.exactly::<Order<true, SELECT>>()
        } else if all(|ty| !ty.is_signed_integer()) {
            self.exactly::<Order<false, SELECT>>()
        } else {
            self.rare::<integer::Exact>()
        }
    }

    /// Integer division. It ignores modifiers.
    fn division(&self) -> Choice {
        use integer::Narrow;
        let op = self.op;
        let dwords = op.src[..2].iter().all(|source| source.ty.size() == 4);
        let signed = op.src[0].ty.is_signed_integer();
        if self.facts.modified || op.saturate || op.writes_flag || op.sources != 2 || !dwords {
            return None;
        }
        if op.dst.ty.is_float() {
            return None;
        }
        match (op.math?, signed) {
            (MathFn::IntDiv, true) => self.rare::<Narrow<integer::QuotientSigned>>(),
            (MathFn::IntDiv, false) => self.rare::<Narrow<integer::QuotientUnsigned>>(),
            (MathFn::IntMod, true) => self.rare::<Narrow<integer::RemainderSigned>>(),
            (MathFn::IntMod, false) => self.rare::<Narrow<integer::RemainderUnsigned>>(),
            _ => None,
        }
    }

    fn bit_operation(&self) -> Choice {
        use integer::{
            BfeSigned, BfeUnsigned, Bfi1, Bfi2, Bfrev, Cbit, FbhSigned, FbhUnsigned, Fbl, Lzd,
            Narrow,
        };
        let signed = matches!(self.op.exec, Exec::Int { signed: true, .. });
        match self.op.opcode {
            Opcode::Lzd => self.rare::<Narrow<Lzd>>(),
            Opcode::Fbh if signed => self.rare::<Narrow<FbhSigned>>(),
            Opcode::Fbh => self.rare::<Narrow<FbhUnsigned>>(),
            Opcode::Fbl => self.rare::<Narrow<Fbl>>(),
            Opcode::Cbit => self.rare::<Narrow<Cbit>>(),
            Opcode::Bfrev => self.rare::<Narrow<Bfrev>>(),
            Opcode::Bfi1 => self.rare::<Narrow<Bfi1>>(),
            Opcode::Bfi2 => self.rare::<Narrow<Bfi2>>(),
            Opcode::Bfe if signed => self.rare::<Narrow<BfeSigned>>(),
            Opcode::Bfe => self.rare::<Narrow<BfeUnsigned>>(),
            _ => None,
        }
    }
}

fn is_float_function(function: Option<MathFn>) -> bool {
    matches!(
        function,
        Some(
            MathFn::Inv
                | MathFn::Log
                | MathFn::Exp
                | MathFn::Sqrt
                | MathFn::Rsq
                | MathFn::Sin
                | MathFn::Cos
                | MathFn::Fdiv
                | MathFn::Pow
        )
    )
}
