//! Output vertices in the URB. Shared by the stages of the geometry pipeline.
//!
//! The shader writes outputs straight into the payloads of the URB writes: every slot of the VUE
//! has its register there.

use super::target::{Vec4, Vec4Selection, first};
use crate::error::CompileError;
use crate::lir::{CondMod, MessageKind, Op, Operand, REG_SIZE, Type};
use crate::output::{Varying, VueMap};
use crate::sends;
use crate::stages::slot_access::Outputs;
use crate::stages::vue;
use intel_isa::desc::{self, Lengths, UrbMessage, UrbOp};
use ir::{Intrinsic, Slot, Value};

/// Slots that one URB write carries: 15 registers less the header, an even number.
pub(super) const SLOTS_PER_WRITE: usize = 14;
/// Channel masks of a URB write's header: all components of both vertices.
pub(super) const ALL_CHANNELS: u32 = 0xff00;

/// Output vertices of a stage: their layout, and the registers that hold the current ones.
pub(crate) struct VertexOutputs {
    /// Layout of an output vertex.
    pub map: VueMap,
    /// Message payloads, each a header and up to [`SLOTS_PER_WRITE`] slots.
    pub payloads: Vec<Operand>,
    /// Components of the header slot that the shader writes.
    header_written: u8,
}

impl VertexOutputs {
    /// Vertices without payloads yet.
    pub(super) fn new(map: VueMap) -> VertexOutputs {
        VertexOutputs { map, payloads: Vec::new(), header_written: 0 }
    }

    fn store_slot(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        slot: Slot,
        intrinsic: &Intrinsic,
        value: Value,
        mask: u8,
        predicated: bool,
    ) -> Result<(), CompileError> {
        let Some((varying, start)) = vue::place(slot)? else { return Ok(()) };
        let Some(register) = self.register(varying) else { return Ok(()) };
        let start = start + intrinsic.fields.component;
        let mask = (mask << start) & 0xf;
        if mask == 0 {
            return Ok(());
        }
        if varying == Varying::Header {
            self.header_written |= mask;
        }
        let pick = [0, 1, 2, 3]
            .map(|c: u8| c.saturating_sub(start).min(isel.shader.components(value) - 1));
        let from = isel.get(value, &pick, Type::UD);
        let dst = register.masked(mask);
        let vector_constant = isel.shader.as_const(value).copied().filter(|_| !from.is_imm());
        match vector_constant {
            Some(bits) if !predicated => {
                let values = pick.map(|c| bits[usize::from(c)] & 0xffff_ffff);
                isel.load_constants(dst, &values);
            }
            _ => {
                let inst = isel.mov(dst, from);
                if predicated {
                    inst.predicate(false);
                }
            }
        }
        Ok(())
    }

    /// Register of a VUE slot.
    pub(super) fn register(&self, varying: Varying) -> Option<Operand> {
        let slot = self.map.slot(varying)?;
        let payload = self.payloads.get(slot / SLOTS_PER_WRITE)?;
        Some(payload.byte_offset((1 + slot % SLOTS_PER_WRITE) as u32 * REG_SIZE))
    }
}

impl Outputs<Vec4> for VertexOutputs {
    /// Allocates the payloads of the messages that write a vertex.
    fn allocate(&mut self, isel: &mut Vec4Selection<'_>) {
        for chunk in self.map.slots.chunks(SLOTS_PER_WRITE) {
            let regs = 1 + chunk.len().next_multiple_of(2) as u32;
            self.payloads.push(Operand::vgrf(isel.program.vreg(regs), Type::UD));
        }
    }

    /// Stores a value to output registers.
    fn store(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
    ) -> Result<(), CompileError> {
        let [value, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("store_output needs two sources"));
        };
        let n = isel.shader.components(value);
        let mask = intrinsic.fields.write_mask & first(n);
        match isel.constant(offset) {
            Some(offset) => {
                let slot = u8::try_from(offset).ok().and_then(|o| intrinsic.fields.slot.advance(o));
                let slot = slot.ok_or_else(|| CompileError::lower("output slot out of range"))?;
                self.store_slot(isel, slot, intrinsic, value, mask, false)
            }
            None => {
                // A variable slot: one predicated move per candidate, for the vertices that select
                // it.
                let mut candidate = 0;
                while let Some(slot) = intrinsic.fields.slot.advance(candidate) {
                    let exists = vue::place(slot)?.is_some_and(|(v, _)| self.register(v).is_some());
                    if !exists {
                        break;
                    }
                    let index = isel.get(offset, &[0], Type::UD);
                    isel.cmp(
                        Operand::null(Type::UD),
                        index,
                        Operand::ud(candidate.into()),
                        CondMod::Z,
                    );
                    self.store_slot(isel, slot, intrinsic, value, mask, true)?;
                    let Some(next) = candidate.checked_add(1) else { break };
                    candidate = next;
                }
                Ok(())
            }
        }
    }

    /// Writes the outputs and ends the thread.
    fn end_thread(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        let missing = !self.header_written & 0xf;
        if let Some(header) = self.register(Varying::Header).filter(|_| missing != 0) {
            isel.mov(header.masked(missing), Operand::ud(0));
        }
        let total = self.payloads.len();
        for (index, payload) in self.payloads.clone().into_iter().enumerate() {
            let g0 = Operand::grf(0, Type::UD);
            isel.emit_align1(Op::Mov, (8, 0), payload, &[g0]).no_mask = true;
            let (masks, from) = (payload.byte_offset(20), g0.byte_offset(20).scalar());
            let src = [from, Operand::ud(ALL_CHANNELS)];
            isel.emit_align1(Op::Or, (1, 0), masks, &src).no_mask = true;
            let slots = self.map.slots.len() - index * SLOTS_PER_WRITE;
            let slots = slots.min(SLOTS_PER_WRITE).next_multiple_of(2);
            let last = index + 1 == total;
            let message = desc::Message::Urb(UrbMessage {
                op: UrbOp::WriteHword,
                offset: (index * SLOTS_PER_WRITE / 2) as u16,
                interleave: true,
                per_slot_offset: false,
                complete: last && isel.model.devinfo().urb_write_complete,
                channel_mask: false,
            });
            let lengths = Lengths::new(1 + slots as u8, 0).with_header();
            let mut message = sends::typed(isel.model, &message, lengths, MessageKind::UrbWrite)?;
            message.eot = last;
            let send = isel.emit_align1(Op::Send, (8, 0), Operand::null(Type::UD), &[payload]);
            send.message = Some(message);
            send.no_mask = true;
        }
        Ok(())
    }

    fn into_map(self) -> VueMap {
        self.map
    }
}

impl Vec4Selection<'_> {
    /// Emits a URB write.
    pub(super) fn emit_urb(
        &mut self,
        payload: Operand,
        urb: UrbMessage,
        mlen: u8,
        eot: bool,
    ) -> Result<(), CompileError> {
        let lengths = Lengths::new(mlen, 0).with_header();
        let mut message =
            sends::typed(self.model, &desc::Message::Urb(urb), lengths, MessageKind::UrbWrite)?;
        message.eot = eot;
        let send = self.emit_align1(Op::Send, (8, 0), Operand::null(Type::UD), &[payload]);
        send.message = Some(message);
        send.no_mask = eot;
        Ok(())
    }
}
