//! Per-invocation scratch memory: arrays too long for registers.
//!
//! Dword d of channel c is dword d × width + c of the thread's scratch space, so that the channels
//! of one access are neighbors. Accesses are scattered dword messages.

use super::target::{Components, ScalarSelection};
use crate::error::CompileError;
use crate::lir::{Op, Operand, REG_SIZE, Type};
use crate::sends;
use ir::{Intrinsic, Value};

impl ScalarSelection<'_> {
    /// Bytes of scratch space that the shader's own arrays take per thread.
    pub(super) fn scratch_bytes(&self) -> u32 {
        self.shader.info.scratch_size.next_multiple_of(4) * u32::from(self.program.width)
    }

    /// A register with the number of each channel.
    pub(super) fn emit_channel_numbers(&mut self) -> Operand {
        let mut b = self.builder();
        let words = b.temp(Type::UW);
        b.all_channels(8).mov(words, Operand::imm(0x7654_3210, Type::V));
        if b.exec_size > 8 {
            let upper = words.byte_offset(16);
            b.all_channels(8).emit(Op::Add, upper, &[words, Operand::uw(8)]);
        }
        let numbers = b.temp(Type::UD);
        b.mov(numbers, words);
        numbers
    }

    /// Emits the channel numbers that scratch accesses share.
    pub(super) fn emit_scratch_prologue(&mut self) {
        if self.shader.info.scratch_size > 0 {
            self.target.channel_numbers = Some(self.emit_channel_numbers());
        }
    }

    /// Dword address of the first dword of an access, per channel.
    fn scratch_address(
        &mut self,
        intrinsic: &Intrinsic,
        offset: Value,
    ) -> Result<Operand, CompileError> {
        let channels = self
            .target
            .channel_numbers
            .ok_or_else(|| CompileError::internal("scratch access without scratch"))?;
        let width = u32::from(self.program.width);
        let base = intrinsic.fields.base / 4 * width;
        let constant = self.constant(offset);
        let offset = self.get(offset, 0, Type::UD);
        let mut b = self.builder();
        let address = b.temp(Type::UD);
        if let Some(bytes) = constant {
            b.emit(Op::Add, address, &[channels, Operand::ud(bytes / 4 * width + base)]);
            return Ok(address);
        }
        // Offsets are multiples of four: (offset / 4) × width is one shift.
        let scaled = b.temp(Type::UD);
        b.emit(Op::Shl, scaled, &[offset, Operand::ud(width.ilog2() - 2)]);
        if base == 0 {
            b.emit(Op::Add, address, &[scaled, channels]);
        } else {
            let sum = b.temp(Type::UD);
            b.emit(Op::Add, sum, &[scaled, channels]);
            b.emit(Op::Add, address, &[sum, Operand::ud(base)]);
        }
        Ok(address)
    }

    /// A payload of `regs` registers whose header addresses the thread's scratch space, with the
    /// address of dword `dword` of the access after it.
    fn scratch_payload(&mut self, address: Operand, dword: u32, regs: u32) -> Operand {
        let width = u32::from(self.program.width);
        let mut b = self.builder();
        let payload = Operand::vgrf(b.program.vreg(regs), Type::UD);
        let mut all = b.all_channels(8);
        all.mov(payload, Operand::grf(0, Type::UD));
        all.all_channels(1).mov(payload.byte_offset(8), Operand::ud(0));
        let place = payload.byte_offset(REG_SIZE);
        if dword == 0 {
            b.mov(place, address);
        } else {
            b.emit(Op::Add, place, &[address, Operand::ud(dword * width)]);
        }
        payload
    }

    pub(super) fn emit_load_scratch(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let offset = *intrinsic
            .srcs
            .first()
            .ok_or_else(|| CompileError::internal("load without an offset"))?;
        let ty = self.raw_type(result);
        let dwords_each = dwords(ty)?;
        let per = u32::from(self.program.width / 8);
        let address = self.scratch_address(intrinsic, offset)?;
        let dst = self.define(result, ty);
        for (c, &dst) in dst.iter().enumerate() {
            let mut parts = Components::new();
            for part in 0..dwords_each {
                let payload = self.scratch_payload(address, c as u32 * dwords_each + part, 1 + per);
                let mut b = self.builder();
                let data = b.temp(Type::UD);
                b.emit(Op::Send, data, &[payload]).message =
                    Some(sends::scratch_scattered(false, per));
                parts.push(data);
            }
            if let [low, high] = parts[..] {
                self.pack_dwords(dst, low, high);
            } else {
                self.builder().mov(dst.retype(Type::UD), parts[0]);
            }
        }
        Ok(())
    }

    pub(super) fn emit_store_scratch(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let [value, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("store needs a value and an offset"));
        };
        let ty = self.raw_type(value);
        let dwords_each = dwords(ty)?;
        let per = u32::from(self.program.width / 8);
        let address = self.scratch_address(intrinsic, offset)?;
        for c in 0..self.shader.components(value) {
            if intrinsic.fields.write_mask >> c & 1 == 0 {
                continue;
            }
            let source = self.get(value, c, ty);
            for part in 0..dwords_each {
                let dword = u32::from(c) * dwords_each + part;
                let payload = self.scratch_payload(address, dword, 1 + 2 * per);
                let mut b = self.builder();
                let place = payload.byte_offset((1 + per) * REG_SIZE);
                b.mov(
                    place,
                    if dwords_each == 2 { source.subscript(Type::UD, part) } else { source },
                );
                b.emit(Op::Send, Operand::null(Type::UD), &[payload]).message =
                    Some(sends::scratch_scattered(true, per));
            }
        }
        Ok(())
    }
}

/// Dwords of an element.
fn dwords(ty: Type) -> Result<u32, CompileError> {
    match ty.size() {
        4 => Ok(1),
        8 => Ok(2),
        _ => Err(CompileError::lower("16- and 8-bit scratch data is not supported")),
    }
}
