//! Subgroup instructions that look at each invocation in turn: reductions, scans and shuffles.
//!
//! ```text
//! accumulated = identity;
//! for (number = 0; number < gl_SubGroupSize; number++)
//!     if (number is active && number is meant)
//!         accumulated = accumulated + readInvocation(value, number);
//! ```

use program::{
    BinaryOp as B, BuiltinFunction as F, BuiltinVariable, ExprId, ExprKind, Literal, LocalId,
    Scalar, Statement,
};
use rspirv::spirv::{GroupOperation, Op};

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::arithmetic::{signed, unsigned};
use crate::translate::state::{ShaderBuilder, Value};

/// Joins two values of a reduction.
#[derive(Clone, Copy)]
enum Joining {
    Operator(B),
    Function(F),
}

/// A reduction: how two values are joined, as which type, and the value that changes nothing.
struct Reduction {
    joining: Joining,
    scalar: Scalar,
    identity: Literal,
}

impl ShaderBuilder<'_> {
    /// Appends a reduction, scan or shuffle; returns false for others.
    pub(crate) fn subgroup_loop(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<bool, Error> {
        match i.op {
            Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown => self.shuffle_of_subgroup(i, out)?,
            op if is_reduction(op) => self.reduction(i, out)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn own_number(&mut self) -> ExprId {
        self.system_value(BuiltinVariable::SubGroupInvocation)
    }

    pub(crate) fn compared(&mut self, op: B, a: ExprId, b: ExprId) -> ExprId {
        let bool_type = self.types.scalar(Scalar::Bool);
        self.push(ExprKind::Binary(op, a, b), bool_type)
    }

    /// The value of the invocation whose number is in a local, which need not be the same for all.
    fn shuffle_of_subgroup(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let (value, number) = (self.operand(i, 1)?, self.operand(i, 2)?);
        let number = self.cast(number, Scalar::Uint);
        let own = self.own_number();
        let source = match i.op {
            Op::GroupNonUniformShuffleXor => self.binary(B::BitXor, own, number),
            Op::GroupNonUniformShuffleUp => self.binary(B::Sub, own, number),
            Op::GroupNonUniformShuffleDown => self.binary(B::Add, own, number),
            _ => number,
        };
        let (ty, uint) = (self.ty(value), self.types.scalar(Scalar::Uint));
        let value = self.declared("value", ty, Some(value), out);
        let source = self.declared("source", uint, Some(source), out);
        let result = self.result_local(i.id, ty);
        out.push(Statement::Declare { local: result, value: None });
        self.values.insert(i.id, Value::Local(result));
        self.each_invocation(result, out, |this, number| {
            let (source, own) = (this.local(source), this.local(number));
            let is_meant = this.compared(B::Equal, source, own);
            (is_meant, this.read_of(value, number))
        });
        Ok(())
    }

    fn read_of(&mut self, value: LocalId, number: LocalId) -> ExprId {
        let (value, number) = (self.local(value), self.local(number));
        let ty = self.ty(value);
        self.builtin(F::ReadInvocation, vec![value, number], ty)
    }

    /// Appends a loop over the numbers of a subgroup's invocations; `body` gives for the number in
    /// a local the condition under which `result` gets a value, and this value. All reads are
    /// outside of the branch: they are of the invocations that are active here.
    fn each_invocation(
        &mut self,
        result: LocalId,
        out: &mut Vec<Statement>,
        body: impl FnOnce(&mut Self, LocalId) -> (ExprId, ExprId),
    ) {
        let uint = self.types.scalar(Scalar::Uint);
        let zero = self.scalar(Scalar::Uint, 0);
        let number = self.declared("number", uint, Some(zero), out);
        let (condition, value) = body(self, number);
        let (place, one) = (self.local(number), self.scalar(Scalar::Uint, 1));
        let next = self.binary(B::Add, place, one);
        let place = self.local(number);
        let step = Some(self.assign(place, next));
        let (own, size) = (self.local(number), self.system_value(BuiltinVariable::SubGroupSize));
        let goes_on = Some(self.compared(B::Less, own, size));
        let mut inner = Vec::new();
        let ty = self.ty(value);
        let kept = self.declared("joined", ty, Some(value), &mut inner);
        let (place, kept) = (self.local(result), self.local(kept));
        let then = vec![Statement::Expression(self.assign(place, kept))];
        inner.push(Statement::If { condition, then, otherwise: Vec::new() });
        out.push(Statement::Loop {
            init: Vec::new(),
            condition_declaration: Vec::new(),
            condition: goes_on,
            test_after: false,
            step,
            body: inner,
        });
    }

    fn reduction(&mut self, i: &Instruction, out: &mut Vec<Statement>) -> Result<(), Error> {
        let operation = i.literal_at(1).and_then(GroupOperation::from_u32);
        let value = self.operand(i, 2)?;
        let own = self.shape(self.ty(value)).0;
        let is_vector = self.types.components(self.ty(value)) > 1;
        if is_vector && own == Scalar::Bool {
            return Err(self.unsupported(i, "a vector of booleans is"));
        }
        let Some(reduction) = reduction_of(i.op, own) else {
            return Err(self.unsupported(i, "the instruction is"));
        };
        let cluster = match operation {
            Some(GroupOperation::ClusteredReduce) => {
                let size = self.id(i, 3)?;
                Some(self.integer_constant(i, size)?.max(1))
            }
            _ => None,
        };
        let value = self.cast(value, reduction.scalar);
        let ty = self.ty(value);
        let value = self.declared("value", ty, Some(value), out);
        let active = self.active_invocations(out);
        let scalar = self.types.scalar(reduction.scalar);
        let identity = self.push(ExprKind::Literal(reduction.identity), scalar);
        let identity = self.splat(identity, ty);
        let result = self.declared("reduced", ty, Some(identity), out);
        self.each_invocation(result, out, |this, number| {
            let mut is_meant = this.ballot_bit(active, number);
            if let Some(other) = this.is_of_operation(operation, cluster, number) {
                is_meant = this.binary(B::LogicalAnd, is_meant, other);
            }
            let (before, read) = (this.local(result), this.read_of(value, number));
            let joined = match reduction.joining {
                Joining::Operator(op) => this.binary(op, before, read),
                Joining::Function(function) => this.builtin(function, vec![before, read], ty),
            };
            (is_meant, joined)
        });
        let wanted = self.result_type(i)?;
        let value = self.local(result);
        let value = self.cast_to(value, wanted);
        self.define(i, value, false, out);
        Ok(())
    }

    /// A local with the bits of the active invocations, in two words.
    fn active_invocations(&mut self, out: &mut Vec<Statement>) -> LocalId {
        let (long, pair) = (self.types.scalar(Scalar::Uint64), self.types.vector(Scalar::Uint, 2));
        let all = self.bool(true);
        let ballot = self.builtin(F::Ballot, vec![all], long);
        let words = self.builtin(F::UnpackUint2x32, vec![ballot], pair);
        self.declared("active", pair, Some(words), out)
    }

    /// True for the invocations that a scan or a reduction of clusters takes; `None` if it takes
    /// all.
    fn is_of_operation(
        &mut self,
        operation: Option<GroupOperation>,
        cluster: Option<u64>,
        number: LocalId,
    ) -> Option<ExprId> {
        let (own, other) = (self.own_number(), self.local(number));
        match (operation, cluster) {
            (Some(GroupOperation::InclusiveScan), _) => {
                Some(self.compared(B::LessEqual, other, own))
            }
            (Some(GroupOperation::ExclusiveScan), _) => Some(self.compared(B::Less, other, own)),
            (_, Some(size)) => {
                let [a, b] = [own, other].map(|number| {
                    let size = self.scalar(Scalar::Uint, size);
                    self.binary(B::Div, number, size)
                });
                Some(self.compared(B::Equal, a, b))
            }
            _ => None,
        }
    }
}

/// True for instructions that join the values of a subgroup's invocations.
fn is_reduction(op: Op) -> bool {
    reduction_of(op, Scalar::Uint).is_some()
}

/// The reduction of an instruction on values of a component type.
fn reduction_of(op: Op, own: Scalar) -> Option<Reduction> {
    let bits = own.bits();
    let all = u64::MAX >> (64 - bits);
    let highest = (all >> 1) as i64;
    let number = |x: i64| match own {
        Scalar::Bool => Literal::Bool(x != 0),
        s if s.is_signed_integer() => Literal::Int(x),
        _ => Literal::Uint(x as u64 & all),
    };
    let float = |x: f64| match own {
        Scalar::Float16 => Literal::Float16(match x {
            0.0 => 0,
            1.0 => 0x3c00,
            x if x < 0.0 => 0xfc00,
            _ => 0x7c00,
        }),
        Scalar::Double => Literal::Double(x),
        _ => Literal::Float(x as f32),
    };
    let (joining, scalar, identity) = match op {
        Op::GroupNonUniformIAdd => (Joining::Operator(B::Add), own, number(0)),
        Op::GroupNonUniformIMul => (Joining::Operator(B::Mul), own, number(1)),
        Op::GroupNonUniformFAdd => (Joining::Operator(B::Add), own, float(0.0)),
        Op::GroupNonUniformFMul => (Joining::Operator(B::Mul), own, float(1.0)),
        Op::GroupNonUniformSMin => (Joining::Function(F::Min), signed(own), Literal::Int(highest)),
        Op::GroupNonUniformSMax => {
            (Joining::Function(F::Max), signed(own), Literal::Int(-highest - 1))
        }
        Op::GroupNonUniformUMin => (Joining::Function(F::Min), unsigned(own), Literal::Uint(all)),
        Op::GroupNonUniformUMax => (Joining::Function(F::Max), unsigned(own), Literal::Uint(0)),
        Op::GroupNonUniformFMin => (Joining::Function(F::Min), own, float(f64::INFINITY)),
        Op::GroupNonUniformFMax => (Joining::Function(F::Max), own, float(f64::NEG_INFINITY)),
        Op::GroupNonUniformBitwiseAnd => (Joining::Operator(B::BitAnd), own, number(-1)),
        Op::GroupNonUniformBitwiseOr => (Joining::Operator(B::BitOr), own, number(0)),
        Op::GroupNonUniformBitwiseXor => (Joining::Operator(B::BitXor), own, number(0)),
        Op::GroupNonUniformLogicalAnd => (Joining::Operator(B::LogicalAnd), own, number(1)),
        Op::GroupNonUniformLogicalOr => (Joining::Operator(B::LogicalOr), own, number(0)),
        Op::GroupNonUniformLogicalXor => (Joining::Operator(B::LogicalXor), own, number(0)),
        _ => return None,
    };
    Some(Reduction { joining, scalar, identity })
}
