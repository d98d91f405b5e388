//! Storage blocks, shared memory, atomic counters, barriers: messages to the data port and the
//! gateway.
//!
//! Dwords move by untyped surface messages, up to four at a time; bytes and words by byte-scattered
//! messages, one element per dword of the payload; 64-bit values as pairs of dwords. The surface's
//! bound makes reads past its end return zero and drops writes there.

use super::target::{LIVE_FLAG, ScalarSelection};
use crate::access::{Access, Memory, buffer_atomic};
use crate::barrier::group_barrier;
use crate::error::CompileError;
use crate::lir::{CondMod, Inst, Message, MessageKind, Op, Operand, REG_SIZE, Type};
use crate::sends::{self, SamplerOp, SamplerWidth};
use intel_isa::desc::{self, DataOp, DataPortMessage, Lengths, SurfaceSimd};
use ir::{Intrinsic, IntrinsicOp, Value};
use smallvec::SmallVec;

/// Binding table index of shared local memory.
const SHARED_MEMORY: u32 = 254;
/// Dwords of one untyped surface message.
const MAX_DWORDS: u32 = 4;

/// The surface of an access.
#[derive(Clone, Copy, Debug)]
pub(super) enum SurfaceIndex {
    /// This one.
    Known(u32),
    /// One of `count` surfaces from `first` on.
    Choice {
        /// Number of the surface, counted from `first`.
        index: Value,
        first: u32,
        count: u32,
    },
}

impl ScalarSelection<'_> {
    /// Emits an access to writable memory, or a barrier.
    pub(super) fn emit_storage(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadSsbo | LoadShared | CounterRead, Some(result)) => {
                self.emit_load_memory(intrinsic, result)
            }
            (StoreSsbo | StoreShared, _) => self.emit_store_memory(intrinsic),
            (
                SsboAtomic | SsboAtomicSwap | SharedAtomic | SharedAtomicSwap | CounterAtomic
                | CounterAtomicSwap,
                Some(result),
            ) => self.emit_atomic(intrinsic, result),
            (SsboSize, Some(result)) => self.emit_block_size(intrinsic, result),
            (MemoryBarrier, _) => self.emit_fence(Op::Send).map(drop),
            (BeginInterlock, _) => self.emit_fence(Op::Sendc).map(drop),
            (EndInterlock, _) => self.emit_interlock_end(),
            (Barrier, _) => self.emit_barrier(),
            _ => Err(self.unsupported(intrinsic.op)),
        }
    }

    /// The surface that an access goes to.
    fn surface_of(&self, memory: Memory) -> SurfaceIndex {
        match memory {
            Memory::StorageBlock(index) => self.storage_block(index),
            Memory::Shared => SurfaceIndex::Known(SHARED_MEMORY),
            Memory::Counters(binding) => SurfaceIndex::Known(self.bindings.atomic + binding),
        }
    }

    fn storage_block(&self, index: Value) -> SurfaceIndex {
        self.surface(index, self.bindings.storage, self.shader.info.ssbos)
    }

    /// Surface number `index` of the `count` ones from `first` on.
    pub(super) fn surface(&self, index: Value, first: u32, count: u32) -> SurfaceIndex {
        match self.constant(index) {
            Some(n) => SurfaceIndex::Known(first + n),
            None => SurfaceIndex::Choice { index, first, count },
        }
    }

    /// Emits an access for the surface that each channel selects: once for each candidate.
    pub(super) fn on_surface(
        &mut self,
        surface: SurfaceIndex,
        results: &[Operand],
        emit: &mut dyn FnMut(&mut Self, u32) -> Result<(), CompileError>,
    ) -> Result<(), CompileError> {
        let (index, first, count) = match surface {
            SurfaceIndex::Known(surface) => return emit(self, surface),
            SurfaceIndex::Choice { index, first, count } => (index, first, count),
        };
        let index = self.get(index, 0, Type::UD);
        for &result in results {
            self.builder().emit(Op::Undef, result, &[]);
        }
        for n in 0..count {
            let mut b = self.builder();
            b.cmp(Operand::null(Type::UD), index, Operand::ud(n), CondMod::Z);
            b.control(Op::If).predicate(false);
            emit(self, first + n)?;
            self.builder().control(Op::Endif);
        }
        Ok(())
    }

    /// A register of byte offsets.
    pub(super) fn address(&mut self, offset: Value, base: u32) -> Operand {
        let offset = self.get(offset, 0, Type::UD);
        let mut b = self.builder();
        let address = b.temp(Type::UD);
        match offset.imm_bits() {
            Some(bits) => b.mov(address, Operand::ud((bits as u32).wrapping_add(base))),
            None if base == 0 => b.mov(address, offset),
            None => b.emit(Op::Add, address, &[offset, Operand::ud(base)]),
        };
        address
    }

    /// Writes `address + bytes` to `place`.
    fn put_address(&mut self, place: Operand, address: Operand, bytes: u32) {
        let mut b = self.builder();
        if bytes == 0 {
            b.mov(place, address);
        } else {
            b.emit(Op::Add, place, &[address, Operand::ud(bytes)]);
        }
    }

    /// Registers per operand.
    fn per(&self) -> u32 {
        u32::from(self.program.width / 8)
    }

    fn simd(&self) -> SurfaceSimd {
        if self.program.width == 16 { SurfaceSimd::Simd16 } else { SurfaceSimd::Simd8 }
    }

    /// Predicates a write on the live pixels: helper and discarded pixels do not write.
    pub(super) fn guard(&self, send: &mut Inst) {
        if self.shader.info.stage == ir::Stage::Fragment {
            send.flag = LIVE_FLAG;
            send.predicate(false);
        }
    }

    fn emit_load_memory(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let access = Access::of(intrinsic)?;
        let surface = self.surface_of(access.memory);
        let address = self.address(access.offset, access.base);
        let ty = self.raw_type(result);
        let dst = self.define(result, ty);
        self.on_surface(surface, &dst, &mut |isel, surface| {
            for (dst, value) in
                dst.iter().zip(isel.read_memory(surface, address, ty, dst.len() as u32)?)
            {
                if let [low, high] = value[..] {
                    isel.pack_dwords(*dst, low, high);
                } else {
                    isel.builder().mov(*dst, value[0].subscript(ty, 0));
                }
            }
            Ok(())
        })
    }

    /// Reads `count` elements of type `ty` at `address`; returns the dwords of each.
    pub(super) fn read_memory(
        &mut self,
        surface: u32,
        address: Operand,
        ty: Type,
        count: u32,
    ) -> Result<Vec<SmallVec<[Operand; 2]>>, CompileError> {
        let size = ty.size();
        if size < 4 {
            let element = |isel: &mut Self, i| isel.read_element(surface, address, i * size, size);
            return (0..count).map(|i| Ok(std::iter::once(element(self, i)?).collect())).collect();
        }
        let dwords = self.read_dwords(surface, address, count * size / 4)?;
        Ok(dwords.chunks((size / 4) as usize).map(SmallVec::from_slice).collect())
    }

    fn read_dwords(
        &mut self,
        surface: u32,
        address: Operand,
        count: u32,
    ) -> Result<Vec<Operand>, CompileError> {
        let (per, simd) = (self.per(), self.simd());
        let mut dwords = Vec::new();
        for first in (0..count).step_by(MAX_DWORDS as usize) {
            let n = (count - first).min(MAX_DWORDS);
            let payload = self.builder().temp(Type::UD);
            self.put_address(payload, address, first * 4);
            let op = DataOp::UntypedRead { simd, mask: absent(n) };
            let message = sends::data_port(
                self.model,
                surface,
                op,
                Lengths::new(per as u8, (n * per) as u8),
            )?;
            let mut b = self.builder();
            let data = b.temp_array(Type::UD, n);
            b.emit(Op::Send, data, &[payload]).message = Some(message);
            dwords.extend((0..n).map(|i| data.byte_offset(i * per * REG_SIZE)));
        }
        Ok(dwords)
    }

    /// Reads one byte or word per channel, into the low bits of a dword.
    fn read_element(
        &mut self,
        surface: u32,
        address: Operand,
        offset: u32,
        bytes: u32,
    ) -> Result<Operand, CompileError> {
        let per = self.per() as u8;
        let payload = self.builder().temp(Type::UD);
        self.put_address(payload, address, offset);
        let op = DataOp::ByteScatteredRead { simd16: per == 2, bytes: bytes as u8 };
        let message = sends::data_port(self.model, surface, op, Lengths::new(per, per))?;
        let mut b = self.builder();
        let data = b.temp(Type::UD);
        b.emit(Op::Send, data, &[payload]).message = Some(message);
        Ok(data)
    }

    fn emit_store_memory(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let access = Access::of(intrinsic)?;
        let surface = self.surface_of(access.memory);
        let &[value] = &access.data[..] else {
            return Err(CompileError::internal("store without a value"));
        };
        let address = self.address(access.offset, access.base);
        let mask = intrinsic.fields.write_mask;
        self.on_surface(surface, &[], &mut |isel, surface| {
            let count = isel.shader.components(value);
            let mut c = 0;
            while c < count {
                let run = (c..count).take_while(|&i| mask >> i & 1 != 0).count() as u8;
                if run > 0 {
                    isel.write_memory(surface, address, value, c..c + run)?;
                }
                c += run.max(1);
            }
            Ok(())
        })
    }

    /// Writes neighboring components of a value, whose component 0 is at `address`.
    fn write_memory(
        &mut self,
        surface: u32,
        address: Operand,
        value: Value,
        components: std::ops::Range<u8>,
    ) -> Result<(), CompileError> {
        let ty = self.raw_type(value);
        let size = ty.size();
        let start = u32::from(components.start) * size;
        if size < 4 {
            for (i, c) in components.enumerate() {
                let element = self.get(value, c, ty);
                self.write_element(surface, address, start + i as u32 * size, element, size)?;
            }
            return Ok(());
        }
        let parts = size / 4;
        let dword = |isel: &Self, c: u8, part: u32| match parts {
            1 => isel.get(value, c, Type::UD),
            _ => isel.get(value, c, ty).subscript(Type::UD, part),
        };
        let dwords: Vec<Operand> = components
            .flat_map(|c| (0..parts).map(move |p| (c, p)))
            .map(|(c, p)| dword(self, c, p))
            .collect();
        for (i, chunk) in dwords.chunks(MAX_DWORDS as usize).enumerate() {
            self.write_dwords(surface, address, start + i as u32 * MAX_DWORDS * 4, chunk)?;
        }
        Ok(())
    }

    /// A payload of an address and further registers.
    fn payload(&mut self, address: Operand, offset: u32, data: &[Operand]) -> Operand {
        let step = self.per() * REG_SIZE;
        let payload = self.builder().temp_array(Type::UD, 1 + data.len() as u32);
        self.put_address(payload, address, offset);
        for (i, &value) in data.iter().enumerate() {
            self.builder().mov(payload.byte_offset((i as u32 + 1) * step), value);
        }
        payload
    }

    fn write_dwords(
        &mut self,
        surface: u32,
        address: Operand,
        offset: u32,
        data: &[Operand],
    ) -> Result<(), CompileError> {
        let n = data.len() as u32;
        let payload = self.payload(address, offset, data);
        let op = DataOp::UntypedWrite { simd: self.simd(), mask: absent(n) };
        let message = sends::data_port(
            self.model,
            surface,
            op,
            Lengths::new(((n + 1) * self.per()) as u8, 0),
        )?;
        self.send_write(payload, message);
        Ok(())
    }

    /// Writes one byte or word per channel, the low bits of `element`.
    fn write_element(
        &mut self,
        surface: u32,
        address: Operand,
        offset: u32,
        element: Operand,
        bytes: u32,
    ) -> Result<(), CompileError> {
        let per = self.per() as u8;
        let payload = self.payload(address, offset, &[element]);
        let op = DataOp::ByteScatteredWrite { simd16: per == 2, bytes: bytes as u8 };
        let message = sends::data_port(self.model, surface, op, Lengths::new(2 * per, 0))?;
        self.send_write(payload, message);
        Ok(())
    }

    fn send_write(&mut self, payload: Operand, message: Message) {
        let width = self.program.width;
        let mut send = Inst::new(Op::Send, width, Operand::null(Type::UD), &[payload]);
        send.message = Some(message);
        self.guard(&mut send);
        self.builder().push(send);
    }

    fn emit_atomic(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        if self.shader.bits(result) != 32 {
            return Err(CompileError::lower("atomics of other than 32 bits do not exist"));
        }
        let access = Access::of(intrinsic)?;
        let surface = self.surface_of(access.memory);
        let address = self.address(access.offset, access.base);
        let operands: Vec<Operand> =
            access.data.iter().map(|&d| self.get(d, 0, Type::UD)).collect();
        let payload = self.payload(address, 0, &operands);
        let returns = self.uses[result] > 0;
        let dst = self.define(result, Type::UD);
        let op = buffer_atomic(intrinsic, self.simd(), returns);
        let (per, n) = (self.per(), operands.len() as u32 + 1);
        let lengths = Lengths::new((n * per) as u8, if returns { per as u8 } else { 0 });
        let results: &[Operand] = if returns { &dst } else { &[] };
        self.on_surface(surface, results, &mut |isel, surface| {
            let message = sends::data_port(isel.model, surface, op, lengths)?;
            isel.send_atomic(payload, message, results.first().copied());
            Ok(())
        })
    }

    /// Emits an atomic operation whose old value goes to `dst`.
    fn send_atomic(&mut self, payload: Operand, message: Message, dst: Option<Operand>) {
        let old = match dst {
            Some(_) => self.builder().temp(Type::UD),
            None => Operand::null(Type::UD),
        };
        let mut send = Inst::new(Op::Send, self.program.width, old, &[payload]);
        send.message = Some(message);
        self.guard(&mut send);
        let mut b = self.builder();
        if dst.is_some() {
            b.emit(Op::Undef, old, &[]);
        }
        b.push(send);
        if let Some(dst) = dst {
            b.mov(dst, old);
        }
    }

    /// Emits the size of a storage block in bytes: the width that a size query returns for a
    /// surface of bytes.
    fn emit_block_size(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let block =
            *intrinsic.srcs.first().ok_or_else(|| CompileError::internal("size of no block"))?;
        let surface = self.storage_block(block);
        let dst = self.define(result, Type::UD);
        self.on_surface(surface, &dst, &mut |isel, surface| {
            let size = isel.surface_information(surface);
            isel.builder().mov(dst[0], size[0]);
            Ok(())
        })
    }

    /// Queries width, height, depth and levels of a surface.
    pub(super) fn surface_information(&mut self, surface: u32) -> [Operand; 4] {
        let per = self.per();
        let width = if per == 2 { SamplerWidth::Simd16 } else { SamplerWidth::Simd8 };
        let mut b = self.builder();
        let (level, data) = (b.temp(Type::UD), b.temp_array(Type::UD, 4));
        b.mov(level, Operand::ud(0));
        let message = sends::sampler(SamplerOp::ResInfo, width, surface, 0, false, per, 4 * per);
        b.emit(Op::Send, data, &[level]).message = Some(message);
        [0, 1, 2, 3].map(|i| data.byte_offset(i * per * REG_SIZE))
    }

    /// Orders memory accesses by fences of every cache that serves writes. Returns the registers
    /// that each fence writes at its end. As SENDC, they wait for the end of earlier threads that
    /// shade the same pixels.
    fn emit_fence(&mut self, op: Op) -> Result<SmallVec<[Operand; 2]>, CompileError> {
        let typed = DataOp::TypedWrite { slots: desc::SlotGroup::Low, mask: 0 };
        let images = desc::default_port(self.model.devinfo().version, &typed)
            .filter(|&port| self.shader.info.images > 0 && port == intel_isa::Sfid::RenderCache);
        let mut responses = SmallVec::new();
        for port in [Some(intel_isa::Sfid::DataCache), images].into_iter().flatten() {
            let fence = DataPortMessage { port, surface: 0, op: DataOp::Fence { commit: true } };
            let lengths = Lengths::new(1, 1).with_header();
            let message = desc::Message::DataPort(fence);
            let message = sends::typed(self.model, &message, lengths, MessageKind::Gateway)?;
            let mut b = self.builder();
            let mut all = b.all_channels(8);
            let done = all.temp(Type::UD);
            all.emit(op, done, &[Operand::grf(0, Type::UD)]).message = Some(message);
            responses.push(done);
        }
        Ok(responses)
    }

    /// Waits for the writes of the critical section: the next thread of the same pixels starts when
    /// this one ends.
    fn emit_interlock_end(&mut self) -> Result<(), CompileError> {
        for done in self.emit_fence(Op::Send)? {
            let mut b = self.builder();
            b.all_channels(8).emit(Op::Await, Operand::null(Type::UD), &[done]);
        }
        Ok(())
    }

    /// Emits a barrier of all threads of the work group.
    fn emit_barrier(&mut self) -> Result<(), CompileError> {
        if self.shader.info.stage != ir::Stage::Compute {
            return Err(self.unsupported(IntrinsicOp::Barrier));
        }
        self.emit_fence(Op::Send)?;
        group_barrier(&mut self.program, self.model)
    }
}

/// Mask of the components that a message of `n` leaves out.
fn absent(n: u32) -> u8 {
    0xf & !((1u8 << n) - 1)
}
