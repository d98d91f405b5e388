//! Barycentric coordinates at samples and offsets, from the pixel interpolator.

use super::target::ScalarSelection;
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::sends::{self, InterpolatorMode};
use ir::{Intrinsic, IntrinsicOp, Value};

impl ScalarSelection<'_> {
    /// Emits `load_barycentric_at_sample` of a multisampled framebuffer, or
    /// `load_barycentric_at_offset`.
    pub(super) fn emit_pixel_interpolator(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let argument = *intrinsic
            .srcs
            .first()
            .ok_or_else(|| CompileError::internal("interpolation without a place"))?;
        let per = u32::from(self.program.width / 8);
        let (mode, data, payload) = match (intrinsic.op, self.shader.as_const(argument)) {
            (IntrinsicOp::LoadBarycentricAtSample, Some(sample)) => {
                (InterpolatorMode::Sample, (sample[0] as u32 & 0xf) << 4, None)
            }
            (IntrinsicOp::LoadBarycentricAtSample, None) => {
                return Err(CompileError::internal(
                    "interpolation at a variable sample must be lowered",
                ));
            }
            (_, Some(offset)) => {
                let [x, y] = [0, 1].map(|c| sixteenths(f32::from_bits(offset[c] as u32)));
                (InterpolatorMode::SharedOffset, x | y << 4, None)
            }
            (_, None) => {
                (InterpolatorMode::PerSlotOffset, 0, Some(self.offset_payload(argument, per)))
            }
        };
        // Modes without per-pixel arguments still need a register of payload, with any contents.
        let mlen = if payload.is_some() { 2 * per } else { 1 };
        let payload = payload.unwrap_or(Operand::grf(0, Type::UD));
        let mut b = self.builder();
        let response = Operand::vgrf(b.program.vreg(2 * per), Type::F);
        let send = b.emit(Op::Send, response, &[payload]);
        send.message =
            Some(sends::pixel_interpolator(mode, intrinsic.fields.linear, per == 2, data, mlen));
        // PLN reads the response as it is: x and y of eight channels each.
        self.set(result, [response, response].into_iter().collect());
        Ok(())
    }

    /// Payload of offsets in sixteenths of a pixel, −8 … 7: x of all channels, then y.
    fn offset_payload(&mut self, offset: Value, per: u32) -> Operand {
        let payload = Operand::vgrf(self.program.vreg(2 * per), Type::D);
        for axis in 0..2u8 {
            let source = self.get(offset, axis, Type::F);
            let mut b = self.builder();
            let (scaled, whole) = (b.temp(Type::F), b.temp(Type::D));
            b.emit(Op::Mul, scaled, &[source, Operand::f(16.0)]);
            b.mov(whole, scaled);
            let place = payload.byte_offset(u32::from(axis) * per * REG_SIZE);
            b.minmax(place, whole, Operand::d(7), CondMod::L);
        }
        payload
    }
}

/// An offset in pixels as a nibble of sixteenths.
fn sixteenths(offset: f32) -> u32 {
    ((offset * 16.0) as i32).clamp(-8, 7) as u32 & 0xf
}
