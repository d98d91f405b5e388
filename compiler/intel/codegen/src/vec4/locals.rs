//! Local variables: in registers if every index is constant and the variable may be there, else in
//! scratch memory.
//!
//! In scratch an element takes two owords, one per vertex; a 64-bit element four, the low dwords
//! before the high ones.

use super::target::{LocalStorage, Vec4Selection, first};
use crate::error::CompileError;
use crate::lir::{CondMod, Message, MessageKind, Op, Operand, REG_SIZE, Type};
use crate::sends;
use cranelift_entity::EntityRef;
use intel_isa::desc::{self, DataOp, DataPortMessage, Lengths};
use ir::{InstKind, Intrinsic, IntrinsicOp, Local, Value};

/// Maximum number of elements of a variable kept in registers.
const MAX_REGISTERS: u32 = 64;

impl Vec4Selection<'_> {
    /// Allocates registers or scratch memory of local variables.
    pub(super) fn allocate_locals(&mut self) -> Result<(), CompileError> {
        let shader = self.shader;
        let mut indirect = vec![false; shader.locals.len()];
        for block in shader.block_order() {
            for &inst in &shader.blocks[block].insts {
                let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
                let index = match intrinsic.op {
                    IntrinsicOp::LoadLocal => intrinsic.srcs.first(),
                    IntrinsicOp::StoreLocal => intrinsic.srcs.get(1),
                    _ => continue,
                };
                if let (Some(local), Some(&index)) = (intrinsic.fields.local, index)
                    && let Some(flag) = indirect.get_mut(local.index())
                {
                    *flag |= shader.as_const(index).is_none();
                }
            }
        }
        for (local, data) in shader.locals.iter() {
            let is_fp64 = data.bits == 64;
            let in_memory =
                indirect[local.index()] || data.length > MAX_REGISTERS || data.in_memory;
            let storage = if in_memory {
                let byte = self.target.scratch_bytes;
                let size = data.length.checked_mul(if is_fp64 { 4 * 16 } else { 2 * 16 });
                let end = size.and_then(|s| s.checked_add(byte)).filter(|e| *e <= MAX_SCRATCH);
                self.target.scratch_bytes = end
                    .ok_or_else(|| CompileError::lower("local variables exceed scratch memory"))?;
                LocalStorage::Scratch { byte, length: data.length }
            } else {
                let ty = if is_fp64 { Type::DF } else { Type::UD };
                LocalStorage::Registers((0..data.length).map(|_| self.temp(ty)).collect())
            };
            self.target.locals.push(storage);
        }
        Ok(())
    }

    fn storage(&self, local: Option<Local>) -> Result<(LocalStorage, u8, bool), CompileError> {
        let missing = || CompileError::internal("access to an unknown local variable");
        let local = local.ok_or_else(missing)?;
        let data = self.shader.locals.get(local).ok_or_else(missing)?;
        let storage = self.target.locals.get(local.index()).cloned().ok_or_else(missing)?;
        Ok((storage, data.components, data.bits == 64))
    }

    pub(super) fn emit_load_local(
        &mut self,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let (storage, _, is_fp64) = self.storage(intrinsic.fields.local)?;
        let index = intrinsic
            .srcs
            .first()
            .copied()
            .ok_or_else(|| CompileError::internal("load without index"))?;
        let dst = self.define(result);
        match storage {
            LocalStorage::Registers(elements) => {
                // An index out of range may return any value: the register stays undefined.
                let element = self.constant(index).and_then(|i| elements.get(i as usize).copied());
                if let Some(element) = element {
                    self.mov(dst, element);
                }
            }
            LocalStorage::Scratch { byte, length } => {
                let address = self.element_address(index, byte, length, is_fp64, true);
                if !is_fp64 {
                    let row = self.scratch_read(address)?;
                    self.mov(dst.retype(Type::UD), row);
                } else {
                    self.read_fp64(address, dst)?;
                }
            }
        }
        Ok(())
    }

    fn read_fp64(&mut self, address: Operand, dst: Operand) -> Result<(), CompileError> {
        let n = dst.writemask.count_ones() as u8;
        for part in 0..2 {
            let at = self.part_address(address, part);
            let row = self.scratch_read(at)?;
            self.put_dwords(dst, row, part, n);
        }
        Ok(())
    }

    pub(super) fn emit_store_local(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let (storage, components, is_fp64) = self.storage(intrinsic.fields.local)?;
        let [value, index] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("store_local needs two sources"));
        };
        let ty = self.raw_type(value);
        let n = self.shader.components(value);
        let mask = intrinsic.fields.write_mask & first(n);
        if mask == 0 {
            return Ok(());
        }
        let from = self.get(value, &ir::inst::IDENTITY[..usize::from(n)], ty);
        match storage {
            LocalStorage::Registers(elements) => {
                let element = self.constant(index).and_then(|i| elements.get(i as usize).copied());
                if let Some(element) = element {
                    self.mov(element.masked(mask), from);
                }
                Ok(())
            }
            LocalStorage::Scratch { byte, length } => {
                let address = self.element_address(index, byte, length, is_fp64, false);
                let data = self.temp(ty);
                if mask != first(components) {
                    // The message writes whole rows: keep the other components.
                    if is_fp64 {
                        self.read_fp64(address, data.masked(first(components)))?;
                    } else {
                        let row = self.scratch_read(address)?;
                        self.mov(data, row);
                    }
                }
                self.mov(data.masked(mask), from);
                let rows = if is_fp64 {
                    vec![self.pick_dwords(data, 0), self.pick_dwords(data, 1)]
                } else {
                    vec![data]
                };
                for (part, row) in rows.into_iter().enumerate() {
                    let at = self.part_address(address, part as u32);
                    self.scratch_write(at, row, index, length)?;
                }
                Ok(())
            }
        }
    }

    /// Oword addresses of an element: x for each vertex. Loads clamp the index.
    fn element_address(
        &mut self,
        index: Value,
        byte: u32,
        length: u32,
        is_fp64: bool,
        clamp: bool,
    ) -> Operand {
        let ud = Type::UD;
        let mut index = self.get(index, &[0], ud);
        if clamp {
            let clamped = self.temp(ud);
            self.emit(Op::Sel, clamped, &[index, Operand::ud(length.saturating_sub(1))])
                .condition(CondMod::L);
            index = clamped;
        }
        let address = self.temp(ud);
        self.emit(Op::Shl, address, &[index, Operand::ud(if is_fp64 { 2 } else { 1 })]);
        if byte != 0 {
            self.emit(Op::Add, address, &[address, Operand::ud(byte / 16)]);
        }
        // Vertex 1's oword follows vertex 0's.
        let second = address.byte_offset(16).scalar();
        let inst = self.emit_align1(Op::Add, (1, 0), second.strided(1), &[second, Operand::ud(1)]);
        inst.no_mask = true;
        address
    }

    /// Addresses of the rows of high dwords, two owords on.
    fn part_address(&mut self, address: Operand, part: u32) -> Operand {
        if part == 0 {
            return address;
        }
        let next = self.temp(Type::UD);
        self.emit(Op::Add, next, &[address, Operand::ud(2)]);
        next
    }

    /// Header and addresses of a message to scratch memory, with room for `data` registers after
    /// them.
    fn scratch_payload(&mut self, address: Operand, data: u32) -> Operand {
        let payload = Operand::vgrf(self.program.vreg(2 + data), Type::UD);
        self.emit_align1(Op::Mov, (8, 0), payload, &[Operand::grf(0, Type::UD)]).no_mask = true;
        self.set_dword(payload.byte_offset(8), 0);
        self.mov(payload.byte_offset(REG_SIZE), address);
        payload
    }

    fn scratch_read(&mut self, address: Operand) -> Result<Operand, CompileError> {
        let payload = self.scratch_payload(address, 0);
        let row = self.temp(Type::UD);
        let op = DataOp::OwordDualBlockRead { four: false };
        let message = self.scratch_message(op, 2, 1, MessageKind::ScratchRead)?;
        self.emit_align1(Op::Send, (8, 0), row, &[payload]).message = Some(message);
        Ok(row)
    }

    /// Writes a row for the vertices whose index is in range.
    fn scratch_write(
        &mut self,
        address: Operand,
        data: Operand,
        index: Value,
        length: u32,
    ) -> Result<(), CompileError> {
        let payload = self.scratch_payload(address, 1);
        self.mov(payload.byte_offset(2 * REG_SIZE), data.retype(Type::UD));
        let op = DataOp::OwordDualBlockWrite { four: false };
        let message = self.scratch_message(op, 3, 0, MessageKind::ScratchWrite)?;
        let in_range = self.constant(index).is_some_and(|i| i < length);
        if !in_range {
            let index = self.get(index, &[0], Type::UD);
            self.cmp(Operand::null(Type::UD), index, Operand::ud(length), CondMod::L);
        }
        let send = self.emit_align1(Op::Send, (8, 0), Operand::null(Type::UD), &[payload]);
        send.message = Some(message);
        if !in_range {
            send.predicate(false);
        }
        Ok(())
    }

    fn scratch_message(
        &self,
        op: DataOp,
        mlen: u8,
        rlen: u8,
        kind: MessageKind,
    ) -> Result<Message, CompileError> {
        let surface = sends::BTI_STATELESS as u8;
        let message = desc::Message::DataPort(DataPortMessage {
            port: intel_isa::Sfid::DataCache,
            surface,
            op,
        });
        sends::typed(self.model, &message, Lengths::new(mlen, rlen).with_header(), kind)
    }
}

/// Bytes of scratch memory that local variables may take.
const MAX_SCRATCH: u32 = 1 << 20;
