//! Instructions on ballots: four words with a bit for each invocation of a subgroup.
//!
//! Subgroups have 64 invocations at most, so that the last two words are zero.

use program::{
    BinaryOp as B, BuiltinFunction as F, BuiltinVariable, ExprId, LocalId, Scalar, Statement,
};
use rspirv::spirv::{GroupOperation, Op};

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::state::ShaderBuilder;

impl ShaderBuilder<'_> {
    /// The result of an instruction on a ballot; `None` for others.
    pub(crate) fn ballot_operation(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<Option<ExprId>, Error> {
        let of_ballot = |this: &mut Self, at: usize, out: &mut Vec<Statement>| {
            let ballot = this.operand(i, at)?;
            Ok(this.shared("ballot", ballot, out))
        };
        let value = match i.op {
            Op::GroupNonUniformInverseBallot => {
                let ballot = of_ballot(self, 1, out)?;
                let own = self.system_value(BuiltinVariable::SubGroupInvocation);
                let own = self.shared("number", own, out);
                self.ballot_bit(ballot, own)
            }
            Op::GroupNonUniformBallotBitExtract => {
                let ballot = of_ballot(self, 1, out)?;
                let number = self.operand(i, 2)?;
                let number = self.cast(number, Scalar::Uint);
                let number = self.shared("number", number, out);
                self.ballot_bit(ballot, number)
            }
            Op::GroupNonUniformBallotBitCount => {
                let ballot = of_ballot(self, 2, out)?;
                let limit = self.limit_of_count(i)?;
                let words = self.words_below(ballot, limit);
                self.count(words)
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let ballot = of_ballot(self, 1, out)?;
                let size = self.system_value(BuiltinVariable::SubGroupSize);
                let words = self.words_below(ballot, size);
                self.find_bit(words, i.op == Op::GroupNonUniformBallotFindLSB)
            }
            _ => return Ok(None),
        };
        let wanted = self.result_type(i)?;
        Ok(Some(self.cast_to(value, wanted)))
    }

    /// The number of the first invocation whose bit does not count.
    fn limit_of_count(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        Ok(match i.literal_at(1).and_then(GroupOperation::from_u32) {
            Some(GroupOperation::Reduce) => self.system_value(BuiltinVariable::SubGroupSize),
            Some(GroupOperation::InclusiveScan) => {
                let own = self.system_value(BuiltinVariable::SubGroupInvocation);
                let one = self.scalar(Scalar::Uint, 1);
                self.binary(B::Add, own, one)
            }
            Some(GroupOperation::ExclusiveScan) => {
                self.system_value(BuiltinVariable::SubGroupInvocation)
            }
            _ => return Err(self.unsupported(i, "the group operation is")),
        })
    }

    /// True if the bit with a number is set.
    pub(crate) fn ballot_bit(&mut self, words: LocalId, number: LocalId) -> ExprId {
        let [low, high] = [0, 1].map(|component| {
            let words = self.local(words);
            self.swizzle(words, &[component])
        });
        let (own, limit) = (self.local(number), self.scalar(Scalar::Uint, 32));
        let is_low = self.compared(B::Less, own, limit);
        let word = self.choose(is_low, low, high);
        let (own, mask) = (self.local(number), self.scalar(Scalar::Uint, 31));
        let shift = self.binary(B::BitAnd, own, mask);
        let shifted = self.binary(B::ShiftRight, word, shift);
        let one = self.scalar(Scalar::Uint, 1);
        let bit = self.binary(B::BitAnd, shifted, one);
        let zero = self.scalar(Scalar::Uint, 0);
        self.compared(B::NotEqual, bit, zero)
    }

    /// The low and the high word of a ballot, with the bits below a limit alone.
    fn words_below(&mut self, ballot: LocalId, limit: ExprId) -> [ExprId; 2] {
        let (int, uint) = (self.types.scalar(Scalar::Int), self.types.scalar(Scalar::Uint));
        [0, 1].map(|word| {
            let (ballot, limit) = (self.local(ballot), self.copy(limit));
            let bits = self.swizzle(ballot, &[word]);
            let limit = self.cast(limit, Scalar::Int);
            let before = self.int(32 * i32::from(word));
            let own = self.binary(B::Sub, limit, before);
            let (lowest, highest) = (self.int(0), self.int(32));
            let count = self.builtin(F::Clamp, vec![own, lowest, highest], int);
            let first = self.int(0);
            self.builtin(F::BitfieldExtract, vec![bits, first, count], uint)
        })
    }

    fn count(&mut self, words: [ExprId; 2]) -> ExprId {
        let int = self.types.scalar(Scalar::Int);
        let [low, high] = words.map(|word| self.builtin(F::BitCount, vec![word], int));
        self.binary(B::Add, low, high)
    }

    /// The number of the lowest or highest bit; undefined if there is none.
    fn find_bit(&mut self, [low, high]: [ExprId; 2], is_lowest: bool) -> ExprId {
        let int = self.types.scalar(Scalar::Int);
        let decides = self.copy(if is_lowest { low } else { high });
        let function = if is_lowest { F::FindLsb } else { F::FindMsb };
        let [in_low, in_high] = [low, high].map(|word| self.builtin(function, vec![word], int));
        let before = self.int(32);
        let in_high = self.binary(B::Add, in_high, before);
        let zero = self.scalar(Scalar::Uint, 0);
        let is_there = self.compared(B::NotEqual, decides, zero);
        let (if_there, otherwise) = if is_lowest { (in_low, in_high) } else { (in_high, in_low) };
        self.choose(is_there, if_there, otherwise)
    }
}
