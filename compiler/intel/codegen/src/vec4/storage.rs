//! Storage blocks and atomic counters.
//!
//! Untyped surface messages of eight channels serve both vertices: of each vertex's four channels
//! the first one takes part, whose address and data are the x components; a predicate leaves the
//! others out. (Messages for two vertices came with hsw, and not for everything.)

use super::target::Vec4Selection;
use crate::access::{Access, Memory, buffer_atomic};
use crate::error::CompileError;
use crate::lir::{Arf, CondMod, Op, Operand, REG_SIZE, Swizzle, Type, WRITEMASK_XYZW};
use crate::sends::{self, SamplerOp};
use intel_isa::desc::{DataOp, Lengths, SurfaceSimd};
use ir::{Intrinsic, IntrinsicOp, Value};

/// The first channel of each vertex.
const FIRST_CHANNELS: u16 = 0x11;
/// Flag subregister with these channels: f0.1.
const FIRST_FLAG: u8 = 1;
/// Dwords of one message.
const MAX_DWORDS: u32 = 4;

impl Vec4Selection<'_> {
    /// Emits an access to writable memory.
    pub(super) fn emit_storage(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadSsbo | CounterRead, Some(result)) => self.emit_load_memory(intrinsic, result),
            (StoreSsbo, _) => self.emit_store_memory(intrinsic),
            (SsboAtomic | SsboAtomicSwap | CounterAtomic | CounterAtomicSwap, Some(result)) => {
                self.emit_atomic(intrinsic, result)
            }
            (SsboSize, Some(result)) => self.emit_block_size(intrinsic, result),
            _ => Err(self.unsupported(intrinsic.op)),
        }
    }

    /// Emits an access for the surface that each vertex selects, by its binding table index: once
    /// for each candidate. The access writes `result`.
    fn on_surface(
        &mut self,
        memory: Memory,
        result: Option<Operand>,
        emit: &mut dyn FnMut(&mut Self, u32) -> Result<(), CompileError>,
    ) -> Result<(), CompileError> {
        let table = self.bindings;
        let index = match memory {
            Memory::StorageBlock(index) => index,
            Memory::Counters(binding) => return emit(self, table.atomic + binding),
            Memory::Shared => return Err(CompileError::lower("vertices share no memory")),
        };
        if let Some(index) = self.constant(index) {
            return emit(self, table.storage + index);
        }
        let index = self.get(index, &[0], Type::UD);
        if let Some(result) = result {
            self.emit(Op::Undef, result, &[]);
        }
        for candidate in 0..self.shader.info.ssbos {
            self.begin_if(index, Operand::ud(candidate), CondMod::Z);
            emit(self, table.storage + candidate)?;
            self.control_flow(Op::Endif);
            self.invalidate();
        }
        Ok(())
    }

    /// Byte offsets in x.
    fn address(&mut self, offset: Value, base: u32) -> Operand {
        let offset = self.get(offset, &[0], Type::UD);
        let address = self.temp(Type::UD);
        if base == 0 {
            self.mov(address, offset);
        } else {
            self.emit(Op::Add, address, &[offset, Operand::ud(base)]);
        }
        address
    }

    /// Registers for a message: `address + bytes`, then data.
    fn payload(&mut self, address: Operand, bytes: u32, data: &[Operand]) -> Operand {
        let payload = Operand::vgrf(self.program.vreg(1 + data.len() as u32), Type::UD);
        if bytes == 0 {
            self.mov(payload, address);
        } else {
            self.emit(Op::Add, payload, &[address, Operand::ud(bytes)]);
        }
        for (i, &value) in data.iter().enumerate() {
            self.mov(payload.byte_offset((i as u32 + 1) * REG_SIZE), value);
        }
        payload
    }

    /// Sends a message for the first channel of each vertex. Returns its response, one register per
    /// dword.
    fn send_for_vertices(
        &mut self,
        payload: Operand,
        surface: u32,
        op: DataOp,
        lengths: Lengths,
    ) -> Result<Operand, CompileError> {
        let message = sends::data_port(self.model, surface, op, lengths)?;
        let mut flag = Operand::arf(Arf::Flag(0), Type::UW);
        flag.offset = 2 * u32::from(FIRST_FLAG);
        self.emit_align1(Op::Mov, (1, 0), flag, &[Operand::uw(FIRST_CHANNELS)]).no_mask = true;
        let response = match lengths.rlen {
            0 => Operand::null(Type::UD),
            n => Operand::vgrf(self.program.vreg(n.into()), Type::UD),
        };
        if response.is_reg() {
            self.emit(Op::Undef, response, &[]);
        }
        let send = self.emit_align1(Op::Send, (8, 0), response, &[payload]);
        send.message = Some(message);
        send.flag = FIRST_FLAG;
        send.predicate(false);
        Ok(response)
    }

    fn emit_load_memory(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let access = Access::of(intrinsic)?;
        let address = self.address(access.offset, access.base);
        let dst = self.define(result);
        let n = self.shader.components(result);
        self.on_surface(access.memory, Some(dst), &mut |s, surface| {
            s.read_memory(surface, address, dst, n)
        })
    }

    /// Reads `n` components to `dst`.
    fn read_memory(
        &mut self,
        surface: u32,
        address: Operand,
        dst: Operand,
        n: u8,
    ) -> Result<(), CompileError> {
        let words = match dst.ty.size() {
            4 => 1,
            8 => 2,
            _ => return Err(CompileError::lower("memory accesses of 8 and 16 bits in vec4 code")),
        };
        let count = u32::from(n) * words;
        // Low dwords, high dwords.
        let rows = if words == 2 { [self.temp(Type::UD), self.temp(Type::UD)] } else { [dst, dst] };
        for first in (0..count).step_by(MAX_DWORDS as usize) {
            let dwords = (count - first).min(MAX_DWORDS);
            let payload = self.payload(address, 4 * first, &[]);
            let op = DataOp::UntypedRead {
                simd: SurfaceSimd::Simd8,
                mask: 0xf & !((1u8 << dwords) - 1),
            };
            let data =
                self.send_for_vertices(payload, surface, op, Lengths::new(1, dwords as u8))?;
            for i in 0..dwords {
                let (component, part) = ((first + i) / words, (first + i) % words);
                let from = data.byte_offset(i * REG_SIZE).swizzled(Swizzle::XXXX);
                self.mov(rows[part as usize].masked(1 << component), from);
            }
        }
        for (part, row) in rows.iter().enumerate().take(if words == 2 { 2 } else { 0 }) {
            self.put_dwords(dst, Operand { writemask: WRITEMASK_XYZW, ..*row }, part as u32, n);
        }
        Ok(())
    }

    fn emit_store_memory(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let access = Access::of(intrinsic)?;
        let &[value] = &access.data[..] else {
            return Err(CompileError::internal("store without a value"));
        };
        let address = self.address(access.offset, access.base);
        let mask = intrinsic.fields.write_mask;
        self.on_surface(access.memory, None, &mut |s, surface| {
            s.write_memory(surface, address, value, mask)
        })
    }

    /// Writes those components of a value that `mask` names.
    fn write_memory(
        &mut self,
        surface: u32,
        address: Operand,
        value: Value,
        mask: u8,
    ) -> Result<(), CompileError> {
        let size = u32::from(self.shader.bits(value)) / 8;
        if size < 4 {
            return Err(CompileError::lower("memory accesses of 8 and 16 bits in vec4 code"));
        }
        for c in (0..self.shader.components(value)).filter(|c| mask >> c & 1 != 0) {
            let dwords: Vec<Operand> = if size == 8 {
                let double = self.get(value, &[c], Type::DF);
                [0, 1].map(|part| self.dwords_of(double, part, 1)).to_vec()
            } else {
                vec![self.get(value, &[c], Type::UD)]
            };
            let dwords: Vec<Operand> =
                dwords.into_iter().map(|d| d.swizzled(Swizzle::XXXX)).collect();
            let payload = self.payload(address, u32::from(c) * size, &dwords);
            let n = dwords.len() as u8;
            let op = DataOp::UntypedWrite { simd: SurfaceSimd::Simd8, mask: 0xf & !((1 << n) - 1) };
            self.send_for_vertices(payload, surface, op, Lengths::new(1 + n, 0))?;
        }
        Ok(())
    }

    fn emit_atomic(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        if self.shader.bits(result) != 32 {
            return Err(CompileError::lower("atomics of other than 32 bits do not exist"));
        }
        let access = Access::of(intrinsic)?;
        let address = self.address(access.offset, access.base);
        let operands: Vec<Operand> =
            access.data.iter().map(|&d| self.get(d, &[0], Type::UD)).collect();
        let payload = self.payload(address, 0, &operands);
        let returns = self.uses[result] > 0;
        let op = buffer_atomic(intrinsic, SurfaceSimd::Simd8, returns);
        let lengths = Lengths::new(1 + operands.len() as u8, returns.into());
        let dst = self.define(result);
        self.on_surface(access.memory, returns.then_some(dst), &mut |s, surface| {
            let old = s.send_for_vertices(payload, surface, op, lengths)?;
            if returns {
                s.mov(dst, old.swizzled(Swizzle::XXXX));
            }
            Ok(())
        })
    }

    /// Emits the size of a storage block in bytes: the width that a size query returns.
    fn emit_block_size(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let block =
            *intrinsic.srcs.first().ok_or_else(|| CompileError::internal("size of no block"))?;
        let dst = self.define(result);
        self.on_surface(Memory::StorageBlock(block), Some(dst), &mut |s, surface| {
            let size = s.sampler_row(SamplerOp::ResInfo, surface, Operand::ud(0));
            s.mov(dst, size.swizzled(Swizzle::XXXX));
            Ok(())
        })
    }
}
