//! Vertex stage: payload, system values, outputs and URB writes.
//!
//! Outputs are written straight into the payloads of the URB writes: every slot of the VUE has its register there.

use super::select::Selector;
use crate::error::CompileError;
use crate::lir::{CondMod, MessageKind, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::options::StageKey;
use crate::output::{Varying, VertexInput, VueMap};
use crate::{sends, vue};
use eu::desc::{self, Lengths, UrbMessage, UrbOp};
use ir::{Intrinsic, IntrinsicOp, Slot, Value};

/// Slots one URB write carries: 15 registers less the header, an even number.
pub(super) const SLOTS_PER_WRITE: usize = 14;
/// Channel masks of a URB write's header: all components of both vertices.
const URB_CHANNEL_MASKS: u32 = 0xff00;

/// State of the vertex stage.
#[derive(Clone, Debug, Default)]
pub(super) struct VertexState {
    /// First register of the inputs.
    pub input_start: u32,
    /// Number of attribute slots.
    pub attributes: u32,
    /// Inputs in payload order.
    pub inputs: Vec<VertexInput>,
    /// Layout of the outputs.
    pub outputs: VueMap,
    /// Message payloads, each a header and up to [`SLOTS_PER_WRITE`] slots.
    pub payloads: Vec<Operand>,
    /// Components of the header slot that the shader writes.
    header_written: u8,
}

impl Selector<'_> {
    /// Assigns registers to the payload: g0, push constants, inputs.
    pub(super) fn lay_out_vertex(&mut self, key: &StageKey) -> Result<(), CompileError> {
        let (attributes, inputs) = vue::vertex_inputs(self.shader);
        let pushed: u32 = self.push.iter().map(|r| r.length).sum();
        self.push_start = 1;
        self.vertex.input_start = self.push_start + pushed;
        self.vertex.attributes = attributes;
        let end = self.vertex.input_start + inputs.len() as u32;
        if end > 100 {
            return Err(CompileError::lower("vertex inputs do not fit the register file"));
        }
        self.program.payload_regs = end as u8;
        self.vertex.inputs = inputs;
        let outputs = vue::output_map(self.shader, key)?;
        self.lay_out_outputs(outputs);
        Ok(())
    }

    /// Makes the payloads of the messages that write a vertex.
    pub(super) fn lay_out_outputs(&mut self, outputs: VueMap) {
        self.vertex.outputs = outputs;
        for chunk in self.vertex.outputs.slots.clone().chunks(SLOTS_PER_WRITE) {
            let regs = 1 + chunk.len().next_multiple_of(2) as u32;
            let payload = Operand::vgrf(self.program.vreg(regs), Type::UD);
            self.vertex.payloads.push(payload);
        }
    }

    /// Register of an attribute slot.
    pub(super) fn attribute(&self, slot: u32) -> Result<Operand, CompileError> {
        if slot >= self.vertex.attributes {
            return Err(CompileError::lower(format!("attribute slot {slot} does not exist")));
        }
        Ok(Operand::grf((self.vertex.input_start + slot) as u8, Type::UD))
    }

    fn input(&self, input: VertexInput) -> Result<Operand, CompileError> {
        let index = self.vertex.inputs.iter().position(|i| *i == input);
        let index = index.ok_or_else(|| CompileError::lower("a system value is missing from the payload"))?;
        Ok(Operand::grf((self.vertex.input_start + index as u32) as u8, Type::UD))
    }

    pub(super) fn emit_system_value(&mut self, op: IntrinsicOp, result: Value) -> Result<(), CompileError> {
        let at = |register: Operand, c: u8| register.swizzled(Swizzle::new([c; 4]));
        let system = self.input(VertexInput::SystemValues);
        let value = match op {
            IntrinsicOp::BaseInstance => at(system?, 1),
            IntrinsicOp::VertexIdZeroBase => at(system?, 2),
            IntrinsicOp::InstanceId => at(system?, 3),
            IntrinsicOp::DrawId => at(self.input(VertexInput::DrawParameters)?, 0),
            IntrinsicOp::BaseVertex => {
                // Zero in draws without indices.
                let (base, indexed) = (at(system?, 0), at(self.input(VertexInput::DrawParameters)?, 1));
                let dst = self.define(result);
                self.emit(Op::And, dst, &[base, indexed]);
                return Ok(());
            }
            IntrinsicOp::VertexId => {
                let system = system?.retype(Type::D);
                let dst = self.define(result).retype(Type::D);
                self.emit(Op::Add, dst, &[at(system, 0), at(system, 2)]);
                return Ok(());
            }
            _ => return Err(self.unsupported(op)),
        };
        self.set(result, value);
        Ok(())
    }

    /// Register of a VUE slot.
    pub(super) fn output(&self, varying: Varying) -> Option<Operand> {
        let slot = self.vertex.outputs.slot(varying)?;
        let payload = self.vertex.payloads.get(slot / SLOTS_PER_WRITE)?;
        Some(payload.byte_offset((1 + slot % SLOTS_PER_WRITE) as u32 * REG_SIZE))
    }

    pub(super) fn emit_store_output(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let [value, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::lower("store_output needs two sources"));
        };
        let n = self.shader.components(value);
        let mask = intrinsic.fields.write_mask & super::select::first(n);
        match self.constant_source(offset) {
            Some(offset) => {
                let slot = u8::try_from(offset).ok().and_then(|o| intrinsic.fields.slot.advance(o));
                let slot = slot.ok_or_else(|| CompileError::lower("output slot out of range"))?;
                self.store_slot(slot, intrinsic, value, mask, false)
            }
            None => {
                // A variable slot: every candidate in turn, each for the vertices that mean it.
                let mut candidate = 0;
                while let Some(slot) = intrinsic.fields.slot.advance(candidate) {
                    let exists = vue::place(slot)?.is_some_and(|(v, _)| self.output(v).is_some());
                    if !exists {
                        break;
                    }
                    let index = self.get(offset, &[0], Type::UD);
                    self.cmp(Operand::null(Type::UD), index, Operand::ud(candidate.into()), CondMod::Z);
                    self.store_slot(slot, intrinsic, value, mask, true)?;
                    let Some(next) = candidate.checked_add(1) else { break };
                    candidate = next;
                }
                Ok(())
            }
        }
    }

    fn store_slot(
        &mut self,
        slot: Slot,
        intrinsic: &Intrinsic,
        value: Value,
        mask: u8,
        predicated: bool,
    ) -> Result<(), CompileError> {
        let Some((varying, start)) = vue::place(slot)? else { return Ok(()) };
        let Some(register) = self.output(varying) else { return Ok(()) };
        let start = start + intrinsic.fields.component;
        let mask = (mask << start) & 0xf;
        if mask == 0 {
            return Ok(());
        }
        if varying == Varying::Header {
            self.vertex.header_written |= mask;
        }
        let pick = [0, 1, 2, 3].map(|c: u8| c.saturating_sub(start).min(self.shader.components(value) - 1));
        let from = self.get(value, &pick, Type::UD);
        let dst = register.masked(mask);
        let vector_constant = self.shader.as_const(value).copied().filter(|_| !from.is_imm());
        match vector_constant {
            Some(bits) if !predicated => {
                let values = pick.map(|c| bits[usize::from(c)] & 0xffff_ffff);
                self.load_constants(dst, &values);
            }
            _ => {
                let inst = self.mov(dst, from);
                if predicated {
                    inst.predicate(false);
                }
            }
        }
        Ok(())
    }

    /// Writes the outputs and ends the thread.
    pub(super) fn emit_urb_writes(&mut self) -> Result<(), CompileError> {
        let missing = !self.vertex.header_written & 0xf;
        if let Some(header) = self.output(Varying::Header).filter(|_| missing != 0) {
            self.mov(header.masked(missing), Operand::ud(0));
        }
        let total = self.vertex.payloads.len();
        for (index, payload) in self.vertex.payloads.clone().into_iter().enumerate() {
            let g0 = Operand::grf(0, Type::UD);
            self.emit_align1(Op::Mov, (8, 0), payload, &[g0]).no_mask = true;
            let (masks, from) = (payload.byte_offset(20), g0.byte_offset(20).scalar());
            let src = [from, Operand::ud(URB_CHANNEL_MASKS)];
            self.emit_align1(Op::Or, (1, 0), masks, &src).no_mask = true;
            let slots = self.vertex.outputs.slots.len() - index * SLOTS_PER_WRITE;
            let slots = slots.min(SLOTS_PER_WRITE).next_multiple_of(2);
            let last = index + 1 == total;
            let message = desc::Message::Urb(UrbMessage {
                op: UrbOp::WriteHword,
                offset: (index * SLOTS_PER_WRITE / 2) as u16,
                interleave: true,
                per_slot_offset: false,
                complete: last && self.model.devinfo().urb_write_complete,
                channel_mask: false,
            });
            let lengths = Lengths::new(1 + slots as u8, 0).with_header();
            let mut message = sends::typed(self.model, &message, lengths, MessageKind::UrbWrite)?;
            message.eot = last;
            let send = self.emit_align1(Op::Send, (8, 0), Operand::null(Type::UD), &[payload]);
            send.message = Some(message);
            send.no_mask = true;
        }
        Ok(())
    }
}
