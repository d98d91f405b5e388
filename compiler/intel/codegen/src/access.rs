//! The sources of memory intrinsics, sorted by what they mean. Shared by both back ends.

use crate::error::CompileError;
use intel_isa::desc::{AtomicOp as Code, DataOp, FloatAtomicOp, SurfaceSimd};
use ir::{Intrinsic, IntrinsicOp, Value};
use smallvec::SmallVec;

/// The memory that an intrinsic accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The storage block with this number.
    StorageBlock(Value),
    /// Memory of the work group.
    Shared,
    /// The atomic counter buffer of this binding.
    Counters(u32),
}

/// An access taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The memory.
    pub memory: Memory,
    /// Byte offset: this value …
    pub offset: Value,
    /// … and this constant.
    pub base: u32,
    /// The values to write, or the operands of an atomic operation.
    pub data: SmallVec<[Value; 2]>,
}

impl Access {
    /// Takes a load, store or atomic intrinsic apart.
    ///
    /// # Errors
    /// It lacks sources.
    pub(crate) fn of(intrinsic: &Intrinsic) -> Result<Access, CompileError> {
        use IntrinsicOp::*;
        let malformed = || CompileError::internal(format!("{} lacks sources", intrinsic.op.name()));
        let mut sources = intrinsic.srcs.iter().copied();
        let mut next = || sources.next().ok_or_else(malformed);
        let mut data = SmallVec::new();
        if matches!(intrinsic.op, StoreSsbo | StoreShared) {
            data.push(next()?);
        }
        let mut base = intrinsic.fields.base;
        let memory = match intrinsic.op {
            LoadSsbo | StoreSsbo | SsboAtomic | SsboAtomicSwap => Memory::StorageBlock(next()?),
            LoadShared | StoreShared | SharedAtomic | SharedAtomicSwap => Memory::Shared,
            // Their base names the binding.
            _ => Memory::Counters(std::mem::take(&mut base)),
        };
        let offset = next()?;
        data.extend(sources);
        Ok(Access { memory, offset, base, data })
    }
}

/// The data port's message for an atomic intrinsic on a buffer.
#[must_use]
pub(crate) fn buffer_atomic(intrinsic: &Intrinsic, simd: SurfaceSimd, returns: bool) -> DataOp {
    use ir::AtomicOp as Op;
    let op = match intrinsic.fields.atomic {
        Op::Fmin => FloatAtomicOp::Fmin,
        Op::Fmax => FloatAtomicOp::Fmax,
        Op::FcompareExchange => FloatAtomicOp::FcmpWr,
        _ => return DataOp::UntypedAtomic { op: atomic_code(intrinsic), simd, returns },
    };
    DataOp::UntypedFloatAtomic { op, simd8: simd != SurfaceSimd::Simd16, returns }
}

/// The data port's code of an integer atomic intrinsic.
#[must_use]
pub(crate) fn atomic_code(intrinsic: &Intrinsic) -> Code {
    use IntrinsicOp::*;
    use ir::AtomicOp as Op;
    if matches!(
        intrinsic.op,
        SsboAtomicSwap | SharedAtomicSwap | CounterAtomicSwap | ImageAtomicSwap
    ) {
        return Code::CmpWr;
    }
    match intrinsic.fields.atomic {
        Op::Add => Code::Add,
        Op::Imin => Code::Imin,
        Op::Umin => Code::Umin,
        Op::Imax => Code::Imax,
        Op::Umax => Code::Umax,
        Op::And => Code::And,
        Op::Or => Code::Or,
        Op::Xor => Code::Xor,
        Op::Exchange => Code::Mov,
        // Images have no float atomics but the exchange.
        Op::CompareExchange | Op::Fmin | Op::Fmax | Op::FcompareExchange => Code::CmpWr,
    }
}
