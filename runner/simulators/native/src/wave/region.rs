//! Parts of programs of waves as a simulator describes them.

use super::registers::RegisterSet;
use crate::region::BranchTarget;

/// Number of scalar registers, by their codes: the last two are the mask of active lanes.
pub const SCALARS: usize = 128;
/// Code of the first scalar register of the mask of active lanes.
pub(crate) const EXEC: u8 = 126;
/// Code of the first scalar register of the mask of conditions.
pub(crate) const CONDITIONS: u8 = 106;

/// Place of a source's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePlace {
    /// A vector register; the first of two for 64 bits.
    Register(u8),
    /// A scalar register in all lanes; the first of two for 64 bits.
    Scalar(u8),
    /// A bit per lane, in two scalar registers.
    Mask(u8),
    /// A constant in all lanes.
    Constant(u64),
}

/// A source of a vector instruction, with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSource {
    /// Place of the values.
    pub place: LanePlace,
    /// True for 64 bits.
    pub wide: bool,
    /// Bits that stay.
    pub keep: u64,
    /// Bits that change.
    pub flip: u64,
}

impl LaneSource {
    /// A source that an operation does not have.
    pub const NONE: LaneSource =
        LaneSource { place: LanePlace::Constant(0), wide: false, keep: u64::MAX, flip: 0 };
}

/// Type of the operands of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneType {
    /// Singles.
    Single,
    /// Doubles.
    Double,
    /// Signed dwords.
    Signed,
    /// Unsigned dwords.
    Unsigned,
}

/// Results of a comparison for each order of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOrders {
    /// The first operand is less.
    pub less: bool,
    /// They are equal.
    pub equal: bool,
    /// The first operand is greater.
    pub greater: bool,
    /// One is not a number.
    pub unordered: bool,
}

/// An operation of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum LaneOperation {
    // Singles: sources and results are flushed. Of operands that are not numbers the first gives a
    // sum or product its bits.
    Add,
    Subtract,
    Multiply,
    /// The product, or zero if a source is zero.
    MultiplyLegacy,
    /// The rounded product of two sources plus the third.
    MultiplyAdd,
    MultiplyAddLegacy,
    /// The product of two sources plus the third, rounded once.
    Fuse,
    /// The lesser; a number rather than a NaN; -0 is below +0.
    Minimum,
    Maximum,
    /// The first source if it is less, else the second.
    MinimumLegacy,
    /// The first source if it is greater or equal, else the second.
    MaximumLegacy,
    Minimum3,
    Maximum3,
    Median,
    Fraction,
    Truncate,
    RoundUp,
    RoundDown,
    RoundEven,
    Inverse,
    SquareRoot,
    InverseRoot,
    // Conversions.
    ToSigned,
    ToUnsigned,
    FloorToSigned,
    FromSigned,
    FromUnsigned,
    /// From a byte of a dword.
    FromByte(u8),
    ToDouble,
    DoubleFromSigned,
    DoubleFromUnsigned,
    FromDouble,
    // Dwords.
    Move,
    /// The second source where the mask that is the third is set, else the first.
    Pick,
    Not,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    MinimumSigned,
    MaximumSigned,
    MinimumUnsigned,
    MaximumUnsigned,
    MultiplyLow,
    /// The high dword of the product.
    MultiplyHigh,
    MultiplyHighSigned,
    /// Product of the low 24 bits, and its sum with the third source.
    Multiply24,
    MultiplySigned24,
    MultiplyAdd24,
    MultiplyAddSigned24,
    /// Bits of the second source where the first is set, else of the third.
    BitInsert,
    /// Bits from the second source on, as many as the third: both are constants.
    BitField,
    BitFieldSigned,
    /// The low dword of the first two, shifted right by the third, a constant.
    AlignBits,
    // Sums with a mask of carries, which the third source may be, too.
    AddCarry,
    SubtractBorrow,
    // Doubles: subnormal ones are kept.
    AddDouble,
    MultiplyDouble,
    FuseDouble,
    MinimumDouble,
    MaximumDouble,
    TruncateDouble,
    RoundUpDouble,
    RoundDownDouble,
    RoundEvenDouble,
    InverseDouble,
    SquareRootDouble,
    InverseRootDouble,
    // Masks of comparisons.
    Compare(LaneType, LaneOrders),
}

impl LaneOperation {
    /// Number of sources.
    pub(crate) fn sources(self) -> usize {
        use LaneOperation::*;
        match self {
            MultiplyAdd | MultiplyAddLegacy | Minimum3 | Maximum3 | Median | Pick
            | MultiplyAdd24 | MultiplyAddSigned24 | BitInsert | BitField | BitFieldSigned
            | AlignBits | AddCarry | SubtractBorrow | Fuse | FuseDouble => 3,
            Add | Subtract | Multiply | MultiplyLegacy | Minimum | Maximum | MinimumLegacy
            | MaximumLegacy | And | Or | Xor | ShiftLeft | ShiftRight | ShiftRightSigned
            | MinimumSigned | MaximumSigned | MinimumUnsigned | MaximumUnsigned | MultiplyLow
            | MultiplyHigh | MultiplyHighSigned | Multiply24 | MultiplySigned24 | AddDouble
            | MultiplyDouble | MinimumDouble | MaximumDouble | Compare(..) => 2,
            _ => 1,
        }
    }

    /// True if the result has 64 bits.
    pub(crate) fn is_wide(self) -> bool {
        use LaneOperation::*;
        matches!(
            self,
            ToDouble
                | DoubleFromSigned
                | DoubleFromUnsigned
                | AddDouble
                | MultiplyDouble
                | FuseDouble
                | MinimumDouble
                | MaximumDouble
                | TruncateDouble
                | RoundUpDouble
                | RoundDownDouble
                | RoundEvenDouble
                | InverseDouble
                | SquareRootDouble
                | InverseRootDouble
        )
    }

    /// True if a source is a double.
    pub(crate) fn reads_doubles(self) -> bool {
        use LaneOperation::*;
        match self {
            ToDouble | DoubleFromSigned | DoubleFromUnsigned => false,
            FromDouble | Compare(LaneType::Double, _) => true,
            _ => self.is_wide(),
        }
    }
}

/// A vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorStep {
    /// The operation.
    pub operation: LaneOperation,
    /// The sources.
    pub sources: [LaneSource; 3],
    /// Vector register of the result, if there is one; the first of two for 64 bits.
    pub destination: Option<u8>,
    /// First of the two scalar registers that get a mask: a bit per lane, none for inactive ones.
    pub mask: Option<u8>,
    /// True if the mask is that of the active lanes afterwards, too.
    pub sets_exec: bool,
    /// Bits of the factor of a result that is a single, if it has one.
    pub factor: Option<u32>,
    /// True if a single is limited to the range from zero to one.
    pub clamp: bool,
}

/// A source of a scalar instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarSource {
    /// A register; the first of two for 64 bits.
    Register(u8),
    /// A register, with zeros above if there are 64 bits.
    Dword(u8),
    /// A constant.
    Constant(u64),
}

/// An operation of two scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ScalarOperation {
    Move,
    // The condition code tells if the result is not zero.
    Not,
    And,
    Or,
    Xor,
    AndNot,
    OrNot,
    Nand,
    Nor,
    Xnor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    /// A field of bits: the second source is a constant.
    BitField,
    BitFieldSigned,
    // The condition code is the carry or overflow.
    AddUnsigned,
    SubtractUnsigned,
    AddSigned,
    SubtractSigned,
    AddCarry,
    SubtractBorrow,
    // The condition code tells if the first source is the result and they differ.
    MinimumSigned,
    MinimumUnsigned,
    MaximumSigned,
    MaximumUnsigned,
    // It stays.
    Multiply,
    /// The first source if the condition code is set, else the second.
    Select,
    /// The condition code tells if two values compare.
    Compare(LaneType, LaneOrders),
    /// The condition code tells if a bit of the first source has a value.
    TestBit(bool),
    /// The mask of active lanes, which an operation with the source changes afterwards.
    SaveExec(SaveOperation),
    /// The first source in the first active lane, or in lane 0: the source is a vector register.
    FirstLane,
    /// The first source in the lane that is the second: the source is a vector register.
    ReadLane,
    /// Writes the first source to a vector register, in the lane that is the second.
    WriteLane(u8),
    /// Nothing.
    Nothing,
    /// Nothing, where no register is awaited.
    Wait,
}

impl ScalarOperation {
    /// True if the first source is a vector register.
    pub(crate) fn reads_lane(self) -> bool {
        matches!(self, ScalarOperation::FirstLane | ScalarOperation::ReadLane)
    }
}

/// Operation of the source and the mask of active lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum SaveOperation {
    And,
    Or,
    Xor,
    /// The source without active lanes.
    AndNot,
}

/// A scalar instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarStep {
    /// The operation.
    pub operation: ScalarOperation,
    /// True for 64 bits.
    pub wide: bool,
    /// Register of the result, if there is one; the first of two for 64 bits.
    pub destination: Option<u8>,
    /// The sources.
    pub sources: [ScalarSource; 2],
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveStep {
    /// Each lane alone.
    Vector(VectorStep),
    /// The wave.
    Scalar(ScalarStep),
}

impl WaveStep {
    /// Scalar registers that are written: numbers of the first, and how many.
    pub(crate) fn written(&self) -> Option<(u8, u8)> {
        match self {
            WaveStep::Vector(step) => step.mask.map(|first| (first, 2)),
            WaveStep::Scalar(step) => step.destination.map(|first| (first, 1 + step.wide as u8)),
        }
    }

    /// True if the mask of active lanes can change.
    pub fn writes_exec(&self) -> bool {
        let saves = |step: &ScalarStep| matches!(step.operation, ScalarOperation::SaveExec(_));
        match self {
            WaveStep::Vector(step) if step.sets_exec => true,
            WaveStep::Scalar(step) if saves(step) => true,
            _ => self.written().is_some_and(|written| overlap(written, (EXEC, 2))),
        }
    }
}

/// True if two ranges of registers have one in common.
pub(crate) fn overlap((a, a_count): (u8, u8), (b, b_count): (u8, u8)) -> bool {
    a < b + b_count && b < a + a_count
}

/// Condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveTest {
    /// The condition code has a value.
    Scc(bool),
    /// The mask of conditions is zero, or is not.
    ConditionsZero(bool),
    /// The mask of active lanes is zero, or is not.
    ExecZero(bool),
}

/// End of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveEnd {
    /// Execution goes on.
    Go(BranchTarget),
    /// A jump.
    Jump(BranchTarget),
    /// A branch: the place if the test holds, and the other.
    Branch(WaveTest, BranchTarget, BranchTarget),
}

/// Instructions that are executed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveBlock {
    /// Place of the block.
    pub place: u32,
    /// The instructions. Only the last can [write the mask of active
    /// lanes](WaveStep::writes_exec).
    pub steps: Vec<WaveStep>,
    /// Registers that must not be awaited.
    pub registers: RegisterSet,
    /// The end.
    pub end: WaveEnd,
}

impl WaveBlock {
    /// True if no register at all may be awaited.
    pub(crate) fn waits(&self) -> bool {
        let waits = |step: &WaveStep| match step {
            WaveStep::Scalar(step) => step.operation == ScalarOperation::Wait,
            WaveStep::Vector(_) => false,
        };
        self.steps.iter().any(waits)
    }

    /// Number of instructions.
    #[inline]
    pub fn instructions(&self) -> usize {
        self.steps.len() + usize::from(!matches!(self.end, WaveEnd::Go(_)))
    }
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveRegion {
    /// The blocks. Each can be the first.
    pub blocks: Vec<WaveBlock>,
    /// True if branches look at the state that the last write of the mask of conditions left, false
    /// if they look at the mask.
    pub tracks_conditions: bool,
}

impl WaveRegion {
    /// Number of vector registers that a wave must have.
    pub(crate) fn vectors(&self) -> usize {
        let steps = self.blocks.iter().flat_map(|block| &block.steps);
        steps.map(WaveStep::vectors).max().unwrap_or(0)
    }
}

impl WaveStep {
    /// Number of vector registers that the instruction demands.
    fn vectors(&self) -> usize {
        match self {
            WaveStep::Vector(step) => {
                let count = |wide: bool| 1 + usize::from(wide);
                let sources = step.sources.iter().map(|source| match source.place {
                    LanePlace::Register(number) => usize::from(number) + count(source.wide),
                    _ => 0,
                });
                let wide = step.operation.is_wide();
                let result = step.destination.map(|number| usize::from(number) + count(wide));
                sources.chain(result).max().unwrap_or(0)
            }
            WaveStep::Scalar(step) => match (step.operation, step.sources[0]) {
                (ScalarOperation::WriteLane(number), _) => usize::from(number) + 1,
                (_, ScalarSource::Register(number)) if step.operation.reads_lane() => {
                    usize::from(number) + 1
                }
                _ => 0,
            },
        }
    }

    /// True if a translation exists.
    pub fn is_known(&self) -> bool {
        let is_even = |register: u8| register.is_multiple_of(2);
        let scalar = |register: u8, wide: bool| {
            usize::from(register) + usize::from(wide) < SCALARS && (!wide || is_even(register))
        };
        match self {
            WaveStep::Vector(step) => {
                let constants = match step.operation {
                    LaneOperation::BitField | LaneOperation::BitFieldSigned => 1..3,
                    LaneOperation::AlignBits => 2..3,
                    _ => 0..0,
                };
                let is_constant =
                    |source: &LaneSource| matches!(source.place, LanePlace::Constant(_));
                step.sources[constants].iter().all(is_constant)
                    && step.mask.is_none_or(|register| scalar(register, true))
                    && step.sources.iter().all(|source| match source.place {
                        LanePlace::Scalar(register) => scalar(register, source.wide),
                        LanePlace::Mask(register) => scalar(register, true),
                        LanePlace::Register(register) => !source.wide || register < 255,
                        LanePlace::Constant(_) => true,
                    })
            }
            WaveStep::Scalar(step) => {
                let is_lane = step.operation.reads_lane();
                let fields = [ScalarOperation::BitField, ScalarOperation::BitFieldSigned];
                let is_field = fields.contains(&step.operation);
                step.destination.is_none_or(|register| scalar(register, step.wide))
                    && (!is_field || matches!(step.sources[1], ScalarSource::Constant(_)))
                    && step.sources.iter().all(|source| match source {
                        ScalarSource::Register(register) => is_lane || scalar(*register, step.wide),
                        ScalarSource::Dword(register) => scalar(*register, false),
                        ScalarSource::Constant(_) => true,
                    })
            }
        }
    }
}
