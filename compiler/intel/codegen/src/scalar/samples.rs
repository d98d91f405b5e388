//! Samples that the channels of a fragment thread run for (multisampled framebuffers).

use super::target::ScalarSelection;
use crate::lir::{Op, Operand, Type};
use ir::Value;

impl ScalarSelection<'_> {
    /// The number of each channel's sample. The payload has a nibble per quad in g1.0, or the
    /// number of the first pair of samples in bits 7:6 of g0.0, from which the quads count on.
    pub(super) fn emit_sample_id(&mut self) -> Operand {
        let dst = self.builder().temp(Type::UD);
        if self.model.devinfo().sample_id_per_quad {
            let nibbles = Operand::grf(1, Type::UB).with_region(1, 8, 0);
            let mut b = self.builder();
            let shifted = b.temp(Type::UW);
            b.emit(Op::Shr, shifted, &[nibbles, Operand::imm(0x4444_0000, Type::V)]);
            let id = b.temp(Type::UW);
            b.emit(Op::And, id, &[shifted, Operand::uw(0xf)]);
            b.mov(dst, id);
            return dst;
        }
        let channels = self.emit_channel_numbers();
        let mut b = self.builder();
        let first = b.temp(Type::UD);
        let mut scalar = b.all_channels(1);
        scalar.emit(Op::And, first, &[Operand::grf_scalar(0, Type::UD), Operand::ud(0xc0)]);
        scalar.emit(Op::Shr, first, &[first.scalar(), Operand::ud(5)]);
        let quad = b.temp(Type::UD);
        b.emit(Op::Shr, quad, &[channels, Operand::ud(2)]);
        b.emit(Op::Add, dst, &[quad, first.scalar()]);
        dst
    }

    /// Position of each channel's sample in its pixel: register `offsets` holds bytes in
    /// sixteenths, x and y of each channel in turn.
    pub(super) fn emit_sample_position(&mut self, offsets: u8, result: Value) {
        let dst = self.define(result, Type::F);
        let mut b = self.builder();
        for (axis, &dst) in (0..2).zip(&dst) {
            let mut bytes = Operand::grf(offsets, Type::UB).with_region(16, 8, 2);
            bytes.offset += axis;
            let whole = b.temp(Type::UD);
            b.mov(whole, bytes);
            let sixteenths = b.temp(Type::F);
            b.mov(sixteenths, whole);
            b.emit(Op::Mul, dst, &[sixteenths, Operand::f(1.0 / 16.0)]);
        }
    }

    /// The covered samples that each channel runs for: all of `coverage`, or its own sample with a
    /// thread per sample.
    pub(super) fn emit_sample_mask_in(
        &mut self,
        coverage: Operand,
        per_sample: bool,
        result: Value,
    ) {
        if !per_sample {
            self.set_scalar(result, coverage);
            return;
        }
        let id = self.emit_sample_id();
        let dst = self.define(result, Type::UD)[0];
        let mut b = self.builder();
        let one = b.temp(Type::UD);
        b.mov(one, Operand::ud(1));
        let own = b.temp(Type::UD);
        b.emit(Op::Shl, own, &[one, id]);
        b.emit(Op::And, dst, &[own, coverage]);
    }
}
