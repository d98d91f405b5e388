//! Values of the IR: types, constants, negated conditions; errors about them.

use super::{Selection, Target};
use crate::error::CompileError;
use crate::lir::Type;
use ir::{AluOp, IntrinsicOp, Value};
use vocabulary::{InternalError, Phase};

impl<T: Target> Selection<'_, T> {
    /// Type of the raw bits of a value. 64-bit data moves as DF, the only 64-bit type of every
    /// generation.
    pub fn raw_type(&self, value: Value) -> Type {
        raw_type(self.shader.bits(value))
    }

    /// Returns the low dword of a scalar constant.
    pub fn constant(&self, value: Value) -> Option<u32> {
        self.shader.as_const_u64(value).map(|bits| bits as u32)
    }

    /// Looks through boolean negations. Follows `components` through their swizzles; returns the
    /// value below and true if its opposite is meant.
    pub fn strip_not(&self, value: Value, components: &mut [u8]) -> (Value, bool) {
        let (mut value, mut inverse) = (value, false);
        // Source text makes chains of negations of any length: a loop, not recursion.
        while let Some(alu) = self.shader.as_alu(value) {
            let Some(src) = alu.srcs.first().filter(|_| alu.op == AluOp::Inot) else { break };
            inverse = !inverse;
            for component in components.iter_mut() {
                *component = src.swizzle[usize::from(*component & 3)];
            }
            value = src.value;
        }
        (value, inverse)
    }

    /// Reports a read of a value without registers: its definition does not dominate its use.
    #[cold]
    #[track_caller]
    pub fn undefined_value(&self, value: Value) -> ! {
        self.internal_error(format!("{value} has no registers")).raise()
    }

    /// Returns an internal error about the current instruction.
    #[cold]
    #[track_caller]
    pub fn internal_error(&self, message: impl Into<String>) -> InternalError {
        let error = InternalError::new(Phase::Lower, message);
        match self.current {
            Some(inst) => error.at(self.shader.inst_text(inst)),
            None => error,
        }
    }

    /// Adds the current instruction to an internal error.
    #[cold]
    pub(super) fn located(&self, error: CompileError) -> CompileError {
        match (error.internal, self.current) {
            (Some(internal), Some(inst)) => internal.at(self.shader.inst_text(inst)).into(),
            (internal, _) => CompileError { internal, ..error },
        }
    }

    /// Returns the error for an intrinsic that the stage or the generation lacks.
    #[cold]
    pub fn unsupported(&self, op: IntrinsicOp) -> CompileError {
        CompileError::lower(format!(
            "{} is not supported in {} shaders on {}",
            op.name(),
            self.shader.info.stage.identifier(),
            self.model.devinfo().name
        ))
    }
}

/// Type of the raw bits of values of `bits` bits.
#[must_use]
pub fn raw_type(bits: u8) -> Type {
    match bits {
        64 => Type::DF,
        1 | 32 => Type::UD,
        bits => Type::uint(u32::from(bits)),
    }
}

/// Returns the bits that a register holds for a constant of `bits` bits: true is −1.
#[must_use]
pub fn register_bits(bits: u8, constant: u64) -> u64 {
    match bits {
        1 => (constant & 1) * 0xffff_ffff,
        64 => constant,
        bits => constant & ((1 << bits) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_fill_their_registers() {
        assert_eq!([register_bits(1, 1), register_bits(1, 2)], [0xffff_ffff, 0]);
        assert_eq!(register_bits(16, 0xffff_8000), 0x8000);
        assert_eq!(register_bits(32, u64::MAX), 0xffff_ffff);
        assert_eq!(register_bits(64, u64::MAX), u64::MAX);
    }
}
