//! Uniform blocks; dispatch of the intrinsics that every stage may have.

use super::target::{NO_NARROW_TYPES, Vec4Selection, first};
use crate::error::CompileError;
use crate::isel::push_constants::push_offset;
use crate::lir::{Arf, CondMod, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::sends::{self, SamplerOp};
use ir::{Intrinsic, IntrinsicOp, Value};

impl Vec4Selection<'_> {
    /// Emits an intrinsic that every stage may have.
    pub(super) fn emit_memory(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadUbo, Some(result)) => self.emit_load_ubo(intrinsic, result),
            (LoadLocal, Some(result)) => self.emit_load_local(intrinsic, result),
            (StoreLocal, _) => self.emit_store_local(intrinsic),
            (MemoryBarrier, _) => Ok(()),
            (VoteAny | VoteAll | VoteEq | Clock, Some(result)) => {
                self.emit_vote(intrinsic, result);
                Ok(())
            }
            _ => self.emit_storage(intrinsic, result),
        }
    }

    /// Emits a vote, whose group is one invocation, or reads the clock.
    fn emit_vote(&mut self, intrinsic: &Intrinsic, result: Value) {
        let dst = self.define(result);
        let value = match (intrinsic.op, intrinsic.srcs.first()) {
            (IntrinsicOp::Clock, _) => {
                let time = Operand::vgrf(self.program.vreg(1), Type::UD);
                let stamp = Operand::arf(Arf::Timestamp(0), Type::UD);
                self.emit_align1(Op::Mov, (4, 0), time, &[stamp]).no_mask = true;
                time.scalar().swizzled(Swizzle::new([0, 1, 1, 1]))
            }
            (IntrinsicOp::VoteAny | IntrinsicOp::VoteAll, Some(&value)) => {
                self.get(value, &[0], Type::UD)
            }
            _ => Operand::ud(u32::MAX),
        };
        self.mov(dst.retype(Type::UD), value);
    }

    fn emit_load_ubo(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let [block, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("load_ubo needs two sources"));
        };
        if !matches!(self.shader.bits(result), 32 | 64) {
            return Err(CompileError::lower(format!("{NO_NARROW_TYPES} (load_ubo)")));
        }
        let base = intrinsic.fields.base;
        match (self.constant(block), self.constant(offset)) {
            (Some(block), Some(offset)) => {
                self.load_constant_offset(block, offset.wrapping_add(base), result);
            }
            (Some(block), None) => {
                let dst = self.define(result);
                self.load_varying_offset(block, offset, base, dst, None);
            }
            (None, _) => {
                // A variable block: one load per block, for the vertices that select it.
                let dst = self.define(result);
                for candidate in 0..self.shader.info.ubos {
                    self.load_varying_offset(
                        candidate,
                        offset,
                        base,
                        dst,
                        Some((block, candidate)),
                    );
                }
            }
        }
        Ok(())
    }

    fn load_constant_offset(&mut self, block: u32, offset: u32, result: Value) {
        let ty = self.raw_type(result);
        let n = self.shader.components(result);
        let size = ty.size();
        let row = offset % 16;
        // Components that are in order in one row (or two, for doubles) need no instruction.
        let in_row = row.is_multiple_of(size) && row / size + u32::from(n) <= 4;
        if in_row {
            let bytes = row + u32::from(n) * size;
            if let Some(data) = self.uniform_row(block, offset - row, bytes) {
                let start = (row / size) as u8;
                let pick = [0, 1, 2, 3].map(|c: u8| (start + c.min(n - 1)).min(3));
                self.set(result, data.retype(ty).swizzled(Swizzle::new(pick)));
                return;
            }
        }
        // Otherwise dword by dword, which works at any offset.
        let dst = self.define(result);
        let words = if size == 8 { 2 } else { 1 };
        for part in 0..words {
            let target = if words == 2 { self.temp(Type::UD) } else { dst };
            for c in 0..n {
                let at = offset + u32::from(c) * size + 4 * part;
                let Some(row) = self.uniform_row(block, at / 16 * 16, 16) else {
                    self.internal_error("a row of 16 bytes is in two pulled units").raise()
                };
                let from = row.retype(Type::UD).swizzled(Swizzle::new([(at / 4 % 4) as u8; 4]));
                self.mov(target.masked(1 << c), from);
            }
            if words == 2 {
                self.put_dwords(
                    dst,
                    Operand { writemask: crate::lir::WRITEMASK_XYZW, ..target },
                    part,
                    n,
                );
            }
        }
    }

    /// Returns `bytes` bytes from the 16-byte row at `offset` of a block on, pushed or pulled 64
    /// bytes at a time; `None` if they are not pushed and cross such a unit.
    fn uniform_row(&mut self, block: u32, offset: u32, bytes: u32) -> Option<Operand> {
        if let Some(at) = push_offset(self.push, block, offset, bytes.next_multiple_of(16)) {
            let at = self.push_start * REG_SIZE + at;
            let mut row = Operand::grf((at / REG_SIZE) as u8, Type::UD).scalar();
            row.offset = at % REG_SIZE;
            return Some(row);
        }
        let unit = offset / 64;
        if (offset + bytes).div_ceil(64) > unit + 1 {
            return None;
        }
        let data = match self.pulled.get(&(block, unit)) {
            Some(&data) => data,
            None => {
                let data = self.pull_unit(block, unit);
                self.pulled.insert((block, unit), data);
                data
            }
        };
        Some(data.byte_offset(offset % 64).scalar())
    }

    /// Pulls 64 bytes of a uniform block for all channels.
    fn pull_unit(&mut self, block: u32, unit: u32) -> Operand {
        let header = self.temp(Type::UD);
        let data = Operand::vgrf(self.program.vreg(2), Type::UD);
        self.emit_align1(Op::Mov, (8, 0), header, &[Operand::grf(0, Type::UD)]).no_mask = true;
        self.set_dword(header.byte_offset(8), unit * 4);
        let message = sends::constant_block_read(self.bindings.uniform + block);
        let send = self.emit_align1(Op::Send, (8, 0), data, &[header]);
        send.no_mask = true;
        send.message = Some(message);
        data
    }

    /// Loads at an offset per vertex: the sampler's `ld` gives the four dwords at a byte offset.
    /// With `only`, for the vertices whose block number (a value) is the given one.
    fn load_varying_offset(
        &mut self,
        block: u32,
        offset: Value,
        base: u32,
        dst: Operand,
        only: Option<(Value, u32)>,
    ) {
        let is_fp64 = dst.ty.size() == 8;
        let n = dst.writemask.count_ones() as u8;
        let dwords = if is_fp64 { 2 * n } else { n };
        let offset = self.get(offset, &[0], Type::UD);
        let mut rows = Vec::new();
        for fetch in 0..u32::from(dwords.div_ceil(4)) {
            let mut address = offset;
            let add = base.wrapping_add(fetch * 16);
            if add != 0 {
                address = self.temp(Type::UD);
                self.emit(Op::Add, address, &[offset, Operand::ud(add)]);
            }
            rows.push(self.sampler_row(SamplerOp::Load, self.bindings.uniform + block, address));
        }
        if let Some((number, candidate)) = only {
            let number = self.get(number, &[0], Type::UD);
            self.cmp(Operand::null(Type::UD), number, Operand::ud(candidate), CondMod::Z);
        }
        let predicated = only.is_some();
        if !is_fp64 {
            let inst = self.mov(dst.retype(Type::UD), rows[0]);
            if predicated {
                inst.predicate(false);
            }
            return;
        }
        let joined = if predicated { self.temp(Type::DF).masked(dst.writemask) } else { dst };
        for part in 0..2 {
            let half = self.temp(Type::UD);
            for (index, row) in rows.iter().enumerate() {
                let c = 2 * index as u8;
                let count = (n - c).min(2);
                let pick = [part as u8, 2 + part as u8, part as u8, 2 + part as u8];
                self.mov(half.masked(first(count) << c), row.swizzled(Swizzle::new(pick)));
            }
            self.put_dwords(joined, half, part, n);
        }
        if predicated {
            self.mov(dst, Operand { writemask: crate::lir::WRITEMASK_XYZW, ..joined })
                .predicate(false);
        }
    }
}
