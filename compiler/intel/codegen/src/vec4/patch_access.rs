//! URB reads and writes of the tessellation stages, and of geometry shaders that pull inputs: one
//! oword per lane, each with its own offset.

use super::target::Vec4Selection;
use crate::error::CompileError;
use crate::lir::{CondMod, MessageKind, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::sends;
use crate::stages::slot_access::{Handles, SlotOffset};
use intel_isa::desc::{self, Lengths, UrbMessage, UrbOp};
use ir::Value;

/// Byte of a header with the second slot's handle.
const SECOND_HANDLE: u32 = 4;
/// Byte of a header with the slot offsets.
const SLOT_OFFSETS: u32 = 12;
/// Byte of a header with the channel masks.
const CHANNEL_MASKS: u32 = 20;
/// Largest offset that fits the descriptor, in owords.
const MAX_OFFSET: u32 = 0x7ff;

/// The scalar dword `n` from register `register` on, for Align16 instructions.
pub(super) fn dword(register: u32, n: u32) -> Operand {
    Operand::grf_scalar(register * REG_SIZE + n / 4 * 16, Type::UD)
        .swizzled(Swizzle::new([(n % 4) as u8; 4]))
}

impl Vec4Selection<'_> {
    /// Emits a message header: handles, slot offsets, channel masks (four bits, the same for both
    /// lanes). Returns the offset that remains for the descriptor, and true if the header has
    /// offsets.
    pub(super) fn emit_patch_header(
        &mut self,
        header: Operand,
        handles: Handles,
        offset: SlotOffset,
        mask: u8,
    ) -> (u16, bool) {
        self.emit_align1(Op::Mov, (8, 0), header, &[Operand::ud(0)]).no_mask = true;
        match handles {
            Handles::Shared(handle) => {
                self.emit_align1(Op::Mov, (2, 0), header, &[handle]).no_mask = true;
            }
            Handles::PerLane(handles) => {
                let src = [self.materialized(handles).with_region(8, 2, 4)];
                self.emit_align1(Op::Mov, (2, 0), header, &src).no_mask = true;
            }
        }
        if mask != 0 {
            let mask = u32::from(mask);
            self.set_dword(header.byte_offset(CHANNEL_MASKS), mask << 8 | mask << 12);
        }
        let slots = header.byte_offset(SLOT_OFFSETS);
        match offset.per_lane {
            Some(per_lane) => {
                let src = [self.materialized(per_lane).with_region(8, 2, 4)];
                self.emit_align1(Op::Mov, (2, 0), slots, &src).no_mask = true;
                if offset.constant > MAX_OFFSET {
                    let src = [slots.with_region(2, 2, 1), Operand::ud(offset.constant)];
                    self.emit_align1(Op::Add, (2, 0), slots, &src).no_mask = true;
                    return (0, true);
                }
                (offset.constant as u16, true)
            }
            None if offset.constant > MAX_OFFSET => {
                let src = [Operand::ud(offset.constant)];
                self.emit_align1(Op::Mov, (2, 0), slots, &src).no_mask = true;
                (0, true)
            }
            None => (offset.constant as u16, false),
        }
    }

    /// Copies component x of each lane to dwords 0 and 4 of a register.
    fn materialized(&mut self, value: Operand) -> Operand {
        let copy = self.temp(Type::UD);
        self.mov(copy.masked(1), value).no_mask = true;
        copy
    }

    /// Returns the handles of input vertex `vertex` of `count`: the payload has a dword per vertex
    /// from `register` on. Inactive lanes get the handle of some vertex too, because messages read
    /// for them as well.
    pub(super) fn vertex_handles(&mut self, register: u32, count: u32, vertex: Value) -> Handles {
        let handle = |v: u32| Operand::grf_scalar(register * REG_SIZE + 4 * v, Type::UD);
        if let Some(vertex) = self.constant(vertex) {
            return Handles::Shared(handle(vertex.min(count.saturating_sub(1))));
        }
        let vertex = self.get(vertex, &[0], Type::UD);
        let chosen = self.temp(Type::UD);
        self.mov(chosen.masked(1), dword(register, 0)).no_mask = true;
        for v in 1..count {
            self.cmp(Operand::null(Type::UD), vertex, Operand::ud(v), CondMod::Z);
            self.mov(chosen.masked(1), dword(register, v)).predicate(false);
        }
        Handles::PerLane(chosen.swizzled(Swizzle::XXXX))
    }

    /// Reads one slot per lane.
    pub(super) fn emit_patch_read(
        &mut self,
        handles: Handles,
        offset: SlotOffset,
    ) -> Result<Operand, CompileError> {
        let header = Operand::vgrf(self.program.vreg(1), Type::UD);
        let (constant, per_slot) = self.emit_patch_header(header, handles, offset, 0);
        let urb = UrbMessage {
            op: UrbOp::ReadOword,
            offset: constant,
            interleave: true,
            per_slot_offset: per_slot,
            complete: false,
            channel_mask: false,
        };
        let lengths = Lengths::new(1, 1).with_header();
        let message =
            sends::typed(self.model, &desc::Message::Urb(urb), lengths, MessageKind::UrbRead)?;
        let data = self.temp(Type::UD);
        self.emit_align1(Op::Send, (8, 0), data, &[header]).message = Some(message);
        Ok(data)
    }

    /// Writes the components of `mask` of one slot per lane; `data` is the register of the message
    /// after the header, made by [`Self::patch_payload`].
    pub(super) fn emit_patch_write(
        &mut self,
        payload: Operand,
        handle: Operand,
        offset: SlotOffset,
        mask: u8,
        eot: bool,
    ) -> Result<(), CompileError> {
        let (constant, per_slot) =
            self.emit_patch_header(payload, Handles::Shared(handle), offset, mask);
        let urb = UrbMessage {
            op: UrbOp::WriteOword,
            offset: constant,
            interleave: true,
            per_slot_offset: per_slot,
            complete: eot,
            channel_mask: false,
        };
        self.emit_urb(payload, urb, 2, eot)
    }

    /// The payload of a write and its data register.
    pub(super) fn patch_payload(&mut self) -> (Operand, Operand) {
        let payload = Operand::vgrf(self.program.vreg(2), Type::UD);
        (payload, payload.byte_offset(REG_SIZE))
    }

    /// Releases an input entry: gen7's control threads must do that themselves.
    pub(super) fn emit_release(
        &mut self,
        handles: Operand,
        pair: bool,
    ) -> Result<(), CompileError> {
        let header = Operand::vgrf(self.program.vreg(1), Type::UD);
        self.emit_align1(Op::Mov, (8, 0), header, &[Operand::ud(0)]).no_mask = true;
        self.emit_align1(Op::Mov, (1, 0), header, &[handles]).no_mask = true;
        if pair {
            let second = [handles.byte_offset(SECOND_HANDLE)];
            self.emit_align1(Op::Mov, (1, 0), header.byte_offset(SECOND_HANDLE), &second).no_mask =
                true;
        }
        let urb = UrbMessage {
            op: UrbOp::WriteOword,
            offset: 0,
            interleave: pair,
            per_slot_offset: false,
            complete: true,
            channel_mask: false,
        };
        self.emit_urb(header, urb, 1, false)
    }
}
