//! Barycentric coordinates at samples and offsets, from the pixel interpolator.

use super::target::ScalarSelection;
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::sends::{self, InterpolatorMode};
use ir::{Intrinsic, IntrinsicOp, Value};

impl ScalarSelection<'_> {
    /// Emits `load_barycentric_at_sample` of a framebuffer with `samples` samples, several, or
    /// `load_barycentric_at_offset`.
    pub(super) fn emit_pixel_interpolator(
        &mut self,
        intrinsic: &Intrinsic,
        samples: u32,
        result: Value,
    ) -> Result<(), CompileError> {
        let argument = *intrinsic
            .srcs
            .first()
            .ok_or_else(|| CompileError::internal("interpolation without a place"))?;
        let linear = intrinsic.fields.linear;
        let response = match (intrinsic.op, self.shader.as_const(argument)) {
            (IntrinsicOp::LoadBarycentricAtSample, Some(sample)) => {
                self.emit_at_sample(sample[0] as u32, linear)
            }
            (IntrinsicOp::LoadBarycentricAtSample, None) => {
                self.emit_at_variable_sample(argument, samples, linear)
            }
            (_, Some(offset)) => {
                let [x, y] = [0, 1].map(|c| sixteenths(f32::from_bits(offset[c] as u32)));
                self.emit_interpolator(InterpolatorMode::SharedOffset, linear, x | y << 4, None)
            }
            (_, None) => {
                let payload = self.offset_payload(argument);
                self.emit_interpolator(InterpolatorMode::PerSlotOffset, linear, 0, Some(payload))
            }
        };
        // PLN reads the response as it is: x and y of eight channels each.
        self.set(result, [response, response].into_iter().collect());
        Ok(())
    }

    /// Emits the message for one sample of all channels.
    fn emit_at_sample(&mut self, sample: u32, linear: bool) -> Operand {
        self.emit_interpolator(InterpolatorMode::Sample, linear, (sample & 0xf) << 4, None)
    }

    /// Emits the messages for every sample, of which each channel keeps the one that it names. A
    /// message is for one sample (PRM, Pixel Interpolator). Numbers of no sample select the first.
    fn emit_at_variable_sample(&mut self, sample: Value, samples: u32, linear: bool) -> Operand {
        let sample = self.get(sample, 0, Type::UD);
        let kept = self.emit_at_sample(0, linear);
        for number in 1..samples {
            let own = self.emit_at_sample(number, linear);
            let per = self.per_channel_registers();
            let mut b = self.builder();
            b.cmp(Operand::null(Type::UD), sample, Operand::ud(number), CondMod::Z);
            for row in 0..2 * per {
                let [to, from] = [kept, own].map(|all| all.byte_offset(row * REG_SIZE));
                b.sub_group(8, row as u8 / 2 * 8).mov(to, from).predicate(false);
            }
        }
        kept
    }

    /// Emits a message, which returns x and y of eight channels each.
    fn emit_interpolator(
        &mut self,
        mode: InterpolatorMode,
        linear: bool,
        data: u32,
        payload: Option<Operand>,
    ) -> Operand {
        let per = self.per_channel_registers();
        // Modes without per-pixel arguments still need a register of payload, with any contents.
        let mlen = if payload.is_some() { 2 * per } else { 1 };
        let payload = payload.unwrap_or(Operand::grf(0, Type::UD));
        let mut b = self.builder();
        let response = Operand::vgrf(b.program.vreg(2 * per), Type::F);
        let send = b.emit(Op::Send, response, &[payload]);
        send.message = Some(sends::pixel_interpolator(mode, linear, per == 2, data, mlen));
        response
    }

    /// Registers of 32 bits for each channel.
    fn per_channel_registers(&self) -> u32 {
        u32::from(self.program.width / 8)
    }

    /// Payload of offsets in sixteenths of a pixel, −8 … 7: x of all channels, then y.
    fn offset_payload(&mut self, offset: Value) -> Operand {
        let per = self.per_channel_registers();
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
