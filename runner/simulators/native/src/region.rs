//! Parts of kernels as a simulator describes them.

use crate::FILE;

/// Place of a source's dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Consecutive dwords from a byte offset on.
    Row(u16),
    /// The dword at a byte offset in all lanes.
    Element(u16),
    /// A constant in all lanes.
    Constant(u32),
}

/// A source, with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSource {
    /// Place of the dwords.
    pub place: Place,
    /// Bits that stay.
    pub keep: u32,
    /// Bits that change.
    pub flip: u32,
    /// A term that is added to an integer.
    pub add: u32,
}

impl StepSource {
    /// A source that an operation does not have.
    pub const NONE: StepSource =
        StepSource { place: Place::Constant(0), keep: u32::MAX, flip: 0, add: 0 };
}

/// An order of two operands, or of singles whether they are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Equal.
    Equal,
    /// Not equal, or unordered.
    NotEqual,
    /// Greater.
    Greater,
    /// Greater or equal.
    GreaterEqual,
    /// Less.
    Less,
    /// Less or equal.
    LessEqual,
    /// Unordered.
    Unordered,
    /// Never.
    Never,
}

/// An operation of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operation {
    // Singles to singles: sources and results are flushed, results are one NaN.
    Add,
    Multiply,
    /// The first source plus the product of the others.
    MultiplyAdd,
    /// The first source times the second, plus the rest of one times the third.
    Interpolate,
    Fraction,
    RoundDown,
    RoundUp,
    RoundEven,
    RoundZero,
    Inverse,
    SquareRoot,
    InverseRoot,
    // Singles whose bits are kept, but flushed.
    Copy,
    /// The lesser; a number rather than a NaN.
    Smaller,
    /// The first source if it is greater or equal; a number rather than a NaN.
    Larger,
    // Conversions.
    FromSigned,
    FromUnsigned,
    ToSigned,
    ToUnsigned,
    // Dwords.
    Move,
    Not,
    And,
    Or,
    Xor,
    DivideSigned,
    DivideUnsigned,
    RemainderSigned,
    RemainderUnsigned,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    AddDwords,
    MultiplyDwords,
    /// Multiplication by the low word of the second source.
    MultiplyLowWord,
    MultiplyAddDwords,
    /// The first source where the predicate holds, else the second.
    Pick,
    // Masks of comparisons.
    CompareSingles,
    CompareSigned,
    CompareUnsigned,
}

impl Operation {
    /// Number of sources.
    pub(crate) fn sources(self) -> usize {
        use Operation::*;
        match self {
            Fraction | RoundDown | RoundUp | RoundEven | RoundZero | Inverse | SquareRoot
            | InverseRoot | Copy | FromSigned | FromUnsigned | ToSigned | ToUnsigned | Move
            | Not => 1,
            Add | Multiply | Smaller | Larger | And | Or | Xor | ShiftLeft | ShiftRight
            | ShiftRightSigned | AddDwords | MultiplyDwords | MultiplyLowWord | Pick
            | DivideSigned | DivideUnsigned | RemainderSigned | RemainderUnsigned
            | CompareSingles | CompareSigned | CompareUnsigned => 2,
            MultiplyAdd | Interpolate | MultiplyAddDwords => 3,
        }
    }

    /// True if the sources are singles.
    pub(crate) fn reads_singles(self) -> bool {
        use Operation::*;
        match self {
            Add | Multiply | MultiplyAdd | Interpolate | Fraction | RoundDown | RoundUp
            | RoundEven | RoundZero | Inverse | SquareRoot | InverseRoot | Copy | Smaller
            | Larger | ToSigned | ToUnsigned | CompareSingles => true,
            FromSigned | FromUnsigned | Move | Not | And | Or | Xor | ShiftLeft | ShiftRight
            | ShiftRightSigned | AddDwords | MultiplyDwords | MultiplyLowWord
            | MultiplyAddDwords | DivideSigned | DivideUnsigned | RemainderSigned
            | RemainderUnsigned | Pick | CompareSigned | CompareUnsigned => false,
        }
    }

    /// True for comparisons, which write flags.
    pub(crate) fn compares(self) -> bool {
        use Operation::*;
        matches!(self, CompareSingles | CompareSigned | CompareUnsigned)
    }
}

/// Bits of a flag register, in the order of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Number of the flag register, 0 or 1.
    pub flag: u8,
    /// Bit of the first channel.
    pub base: u8,
    /// True if the bits are inverted.
    pub inverse: bool,
}

/// A condition, and the flag register that its truth is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The order that holds.
    pub order: Order,
    /// Number of the flag register, 0 or 1; `None` if no flag is written.
    pub flag: Option<u8>,
    /// Bit of the first channel.
    pub base: u8,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// The sources.
    pub sources: [StepSource; 3],
    /// Byte offset of the first lane's result, if it is kept.
    pub destination: Option<u16>,
    /// Number of lanes: 8 or 16.
    pub lanes: u8,
    /// Lanes that can be written, a bit each.
    pub enables: u32,
    /// Bit of the first lane among the active channels; `None` if it does not matter which are.
    pub group: Option<u8>,
    /// Lanes that are written, or that [`Operation::Pick`] takes from the first source.
    pub predicate: Option<Predicate>,
    /// The condition of a comparison.
    pub condition: Option<Condition>,
    /// True if a single is limited to the range from zero to one.
    pub saturate: bool,
}

impl Step {
    /// True if the predicate says which lanes are written.
    pub(crate) fn is_predicated(&self) -> bool {
        self.predicate.is_some() && self.operation != Operation::Pick
    }

    /// True if a translation exists.
    pub fn is_known(&self) -> bool {
        let row = |offset: u16, align: usize| {
            usize::from(offset) % align == 0
                && usize::from(offset) + 4 * usize::from(self.lanes) <= FILE
        };
        let sources = &self.sources[..self.operation.sources()];
        matches!(self.lanes, 8 | 16)
            && self.group.is_none_or(|group| u32::from(group) + u32::from(self.lanes) <= 32)
            && self.destination.is_none_or(|offset| row(offset, crate::CHUNK))
            && sources.iter().all(|source| match source.place {
                Place::Row(offset) => row(offset, 4),
                Place::Element(offset) => offset % 4 == 0 && usize::from(offset) + 4 <= FILE,
                Place::Constant(_) => true,
            })
    }
}

/// Registers of 32 bytes, a bit each, that hold subnormal singles or none after a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Registers of which it is unknown.
    pub spoiled: u128,
    /// Registers that hold none.
    pub normal: u128,
}

/// Condition under which all active channels take a branch together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Each of the branch's channels takes it.
    All,
    /// Each active channel takes it.
    AllActive,
    /// No channel takes it.
    None,
    /// Always.
    Always,
    /// Never: the branch's predicate does not matter.
    Never,
}

/// A branch that all active channels take together, or that ends the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Place of the branch: the function ends there if its channels part.
    pub place: u32,
    /// Channels of the branch.
    pub channels: u32,
    /// Bit of the first channel among the active ones.
    pub group: u8,
    /// Channels that take the branch.
    pub predicate: Option<Predicate>,
    /// Condition under which execution goes on at `next`.
    pub test: Test,
    /// The place after it.
    pub next: BranchTarget,
    /// The place after it if the condition does not hold, all active channels are the branch's,
    /// none of them takes it, and none may wait at one of some places, a bit each.
    pub otherwise: Option<(BranchTarget, u64)>,
}

/// A place to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchTarget {
    /// A block of the region.
    RegionBlock(usize),
    /// A place outside: the function ends.
    Leave(u32),
}

/// End of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Execution goes on.
    Go(BranchTarget),
    /// A branch.
    Branch(Branch),
}

/// Instructions that are executed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionBlock {
    /// Place of the block.
    pub place: u32,
    /// The bit of the place if waiting channels may resume here: the function ends here if some may
    /// wait there.
    pub join: Option<u64>,
    /// The instructions, all [known](Step::is_known).
    pub steps: Vec<Step>,
    /// Knowledge about registers afterwards.
    pub effect: Effect,
    /// The end.
    pub end: End,
}

/// A part of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The blocks. Each can be the first.
    pub blocks: Vec<RegionBlock>,
    /// True if subnormal singles are flushed to zero.
    pub flushes: bool,
}
