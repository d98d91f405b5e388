//! Tessellation control stage on eight channels, one output vertex per channel, all of one patch.
//!
//! Payload: g0 (dword 0 the patch handle, dword 1 the primitive id, dword 2 the thread's number), g1–g4 the handles
//! of up to 32 input vertices, push constants. Inputs are pulled; outputs are written to the patch entry where the
//! shader assigns them, and read back from there. Channels past the last output vertex are dispatched too.

use super::translate::{Components, Translator};
use super::uniforms::choose_push_ranges;
use super::urb::UrbWrite;
use super::vertex::PAYLOAD_BUDGET;
use crate::barrier::patch_barrier;
use crate::codegen;
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::model::model_for;
use crate::options::{Options, StageKey};
use crate::output::{Compiled, Interface, TessControlInterface, Width};
use crate::patch::{self, Level, Place};
use crate::vue;
use eu::DevInfo;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the input handles.
const HANDLES: u32 = 1;
/// First register of the push constants.
const PUSH_START: u32 = 5;
/// Invocations of a thread.
const PER_THREAD: u32 = 8;

/// Tessellation control part of instruction selection's state.
#[derive(Clone, Debug, Default)]
pub(super) struct TessControlState {
    interface: TessControlInterface,
    /// `gl_InvocationID` (UD).
    invocation: Option<Operand>,
}

/// Compiles a tessellation control shader for eight invocations per thread.
///
/// # Errors
/// Something in the shader that this back end does not support, or a failure of allocation or encoding.
pub fn compile_tess_control(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    let interface = patch::control_interface(shader, key, PER_THREAD)?;
    let vertices_out = interface.vertices_out;
    let budget = (PAYLOAD_BUDGET - PUSH_START).min(u32::from(devinfo.max_push_registers));
    let push = choose_push_ranges(shader, budget);
    let pushed: u32 = push.iter().map(|r| r.length).sum();
    let mut t = Translator::new(shader, &model, key, 8, &push);
    t.push_start = PUSH_START;
    t.program.payload_regs = (PUSH_START + pushed) as u8;
    t.output_handles = Operand::grf_scalar(0, Type::UD);
    t.tess_control.interface = interface;
    t.emit_prologue();
    t.emit_invocation_id();
    let surplus = !vertices_out.is_multiple_of(PER_THREAD);
    if surplus {
        t.begin_live_invocations(vertices_out);
    }
    t.translate_body()?;
    if surplus {
        t.builder().control(Op::Endif);
    }
    t.end_control_thread()?;
    let interface = t.tess_control.interface.clone();
    let code = t.finish(options, true)?;
    Ok(codegen::compiled(
        shader,
        vec![code.kernel(Width::Simd8, PUSH_START)],
        push,
        Interface::TessControl(interface),
    ))
}

impl Translator<'_> {
    /// Computes `gl_InvocationID`: eight per thread of the patch.
    fn emit_invocation_id(&mut self) {
        let channels = self.emit_channel_numbers();
        if self.tess_control.interface.threads == 1 {
            self.tess_control.invocation = Some(channels);
            return;
        }
        let low = u32::from(self.model.devinfo().tcs_thread_number_bit);
        let mask = 0x7f << low;
        let mut b = self.builder();
        let (thread, first, id) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
        b.emit(Op::And, thread, &[Operand::grf_scalar(8, Type::UD), Operand::ud(mask)]);
        b.emit(Op::Shr, first, &[thread, Operand::ud(low - PER_THREAD.ilog2())]);
        b.emit(Op::Add, id, &[first, channels]);
        self.tess_control.invocation = Some(id);
    }

    /// Opens the branch of the invocations that the shader asked for.
    fn begin_live_invocations(&mut self, count: u32) {
        let Some(invocation) = self.tess_control.invocation else { return };
        let mut b = self.builder();
        b.cmp(Operand::null(Type::UD), invocation, Operand::ud(count), CondMod::L);
        b.control(Op::If).predicate(false);
    }

    /// The last write ends the thread, or else one that writes nothing.
    fn end_control_thread(&mut self) -> Result<(), CompileError> {
        if self.end_with_last_write() {
            return Ok(());
        }
        let data = [Some(Operand::ud(0))];
        let masks = Some(Operand::ud(0));
        self.emit_urb_write(UrbWrite { offset: 0, per_slot: None, masks, data: &data, eot: true })
    }

    /// Emits an intrinsic of a tessellation control shader.
    pub(super) fn emit_tess_control_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadPerVertexInput, Some(result)) => self.emit_control_input(intrinsic, result),
            (StoreOutput | StorePerVertexOutput, _) => self.emit_control_store(intrinsic),
            (LoadOutput | LoadPerVertexOutput, Some(result)) => self.emit_control_read(intrinsic, result),
            (InvocationId, Some(result)) => {
                let id = self.tess_control.invocation.unwrap_or_else(|| Operand::ud(0));
                self.set(result, [id].into_iter().collect());
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                self.set(result, [Operand::grf_scalar(4, Type::UD)].into_iter().collect());
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let count = Operand::ud(self.tess_control.interface.vertices_in);
                self.set(result, [count].into_iter().collect());
                Ok(())
            }
            (Barrier, _) if self.tess_control.interface.threads == 1 => Ok(()),
            (Barrier, _) => patch_barrier(&mut self.program, self.model, self.tess_control.interface.threads),
            _ => self.emit_memory(intrinsic, result),
        }
    }

    /// Reads an input of one vertex of the input patch.
    fn emit_control_input(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let [vertex, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::lower("load_per_vertex_input needs two sources"));
        };
        let (varying, first) = vue::place(intrinsic.fields.slot)?
            .ok_or_else(|| CompileError::lower("this input does not reach control shaders"))?;
        let slot = self.tess_control.interface.inputs.slot(varying);
        let slot = slot.ok_or_else(|| CompileError::lower("input is missing from the vertices"))? as u32;
        let handles = self.control_input_handles(vertex);
        let (constant, per_slot) = self.slot_offset(offset);
        let first = u32::from(first + intrinsic.fields.component);
        let data = self.emit_urb_read(
            handles,
            slot.saturating_add(constant),
            per_slot,
            first + u32::from(self.shader.components(result)),
        )?;
        self.set(result, data.into_iter().skip(first as usize).collect());
        Ok(())
    }

    /// Handles of input vertex `vertex`, per channel.
    fn control_input_handles(&mut self, vertex: Value) -> Operand {
        let count = self.tess_control.interface.vertices_in;
        let handle = |v: u32| Operand::grf_scalar(HANDLES * REG_SIZE + 4 * v, Type::UD);
        if let Some(vertex) = self.constant(vertex) {
            return handle(vertex.min(count - 1));
        }
        let vertex = self.get(vertex, 0, Type::UD);
        if self.tess_control.interface.threads == 1 && Some(vertex) == self.tess_control.invocation {
            return Operand::grf(HANDLES as u8, Type::UD);
        }
        let mut b = self.builder();
        let chosen = b.temp(Type::UD);
        b.mov(chosen, handle(0));
        for v in 1..count {
            b.cmp(Operand::null(Type::UD), vertex, Operand::ud(v), CondMod::Z);
            b.mov(chosen, handle(v)).predicate(false);
        }
        chosen
    }

    /// A slot offset as a constant, or as what is added per channel.
    pub(super) fn slot_offset(&self, offset: Value) -> (u32, Option<Operand>) {
        match self.constant(offset) {
            Some(constant) => (constant, None),
            None => (0, Some(self.get(offset, 0, Type::UD))),
        }
    }

    /// Slot offset of a vertex of the patch (constant part, part per channel).
    pub(super) fn vertex_offset(&mut self, vertex: Value, slots: usize) -> (u32, Option<Operand>) {
        if let Some(vertex) = self.constant(vertex) {
            return (vertex.min(patch::MAX_VERTICES) * slots as u32, None);
        }
        let vertex = self.get(vertex, 0, Type::UD);
        if slots == 1 {
            return (0, Some(vertex));
        }
        let mut b = self.builder();
        let at = b.temp(Type::UD);
        b.emit(Op::Mul, at, &[vertex, Operand::uw(slots as u16)]);
        (0, Some(at))
    }

    /// The sum of two parts per channel.
    pub(super) fn add_offsets(&mut self, a: Option<Operand>, b: Option<Operand>) -> Option<Operand> {
        let (Some(first), Some(second)) = (a, b) else { return a.or(b) };
        let mut builder = self.builder();
        let sum = builder.temp(Type::UD);
        builder.emit(Op::Add, sum, &[first, second]);
        Some(sum)
    }

    /// Where an output access lies in the patch: slot, first dword, part per channel.
    fn control_place(
        &mut self,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        offset: Value,
    ) -> Result<(u32, u32, Option<Operand>), CompileError> {
        let (constant, dynamic) = self.slot_offset(offset);
        let component = u32::from(intrinsic.fields.component);
        match (patch::place(&self.tess_control.interface.outputs, intrinsic.fields.slot)?, vertex) {
            (Place::Patch { slot, dword }, _) => Ok((slot + constant, dword + component, dynamic)),
            (Place::Vertex { slot, dword }, Some(vertex)) => {
                let slots = self.tess_control.interface.outputs.per_vertex.len();
                let (base, per_slot) = self.vertex_offset(vertex, slots);
                Ok((slot + base + constant, dword + component, self.add_offsets(per_slot, dynamic)))
            }
            (Place::Vertex { .. }, None) => Err(CompileError::lower("output of no vertex")),
        }
    }

    fn emit_control_store(&mut self, intrinsic: &Intrinsic) -> Result<(), CompileError> {
        let (value, vertex, offset) = match intrinsic.srcs[..] {
            [value, offset] => (value, None, offset),
            [value, vertex, offset] => (value, Some(vertex), offset),
            _ => return Err(CompileError::lower("output store without a value")),
        };
        let written: Vec<u8> = (0..self.shader.components(value))
            .filter(|c| intrinsic.fields.write_mask >> c & 1 != 0)
            .collect();
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            return self.emit_level_store(level, intrinsic, value, &written);
        }
        let (slot, first, per_slot) = self.control_place(intrinsic, vertex, offset)?;
        let mut dwords = [None; 4];
        for c in written {
            if let Some(place) = dwords.get_mut(first as usize + usize::from(c)) {
                *place = Some(self.get(value, c, Type::UD));
            }
        }
        self.emit_slot_write(slot, per_slot, &dwords)
    }

    fn emit_level_store(
        &mut self,
        level: Level,
        intrinsic: &Intrinsic,
        value: Value,
        written: &[u8],
    ) -> Result<(), CompileError> {
        let mut slots = [[None; 4]; 2];
        for &c in written {
            let n = u32::from(intrinsic.fields.component + c);
            if let Some((slot, dword)) = level.place(self.tess_control.interface.domain, n) {
                slots[slot as usize][dword as usize] = Some(self.get(value, c, Type::UD));
            }
        }
        for (slot, dwords) in slots.iter().enumerate() {
            self.emit_slot_write(slot as u32, None, dwords)?;
        }
        Ok(())
    }

    /// Writes the given dwords of one slot of the patch.
    fn emit_slot_write(
        &mut self,
        slot: u32,
        per_slot: Option<Operand>,
        dwords: &[Option<Operand>; 4],
    ) -> Result<(), CompileError> {
        let Some(last) = dwords.iter().rposition(Option::is_some) else { return Ok(()) };
        let data = &dwords[..=last];
        let mask: u32 = data.iter().enumerate().filter(|(_, d)| d.is_some()).map(|(i, _)| 1 << i).sum();
        let all = mask == (1 << data.len()) - 1;
        let masks = (!all).then(|| Operand::ud(mask << 16));
        self.emit_urb_write(UrbWrite { offset: slot, per_slot, masks, data, eot: false })
    }

    /// Reads an output back.
    fn emit_control_read(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let (vertex, offset) = match intrinsic.srcs[..] {
            [offset] => (None, offset),
            [vertex, offset] => (Some(vertex), offset),
            _ => return Err(CompileError::lower("output read without an offset")),
        };
        let count = u32::from(self.shader.components(result));
        let handles = self.output_handles;
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            let header = self.emit_urb_read(handles, 0, None, 8)?;
            let domain = self.tess_control.interface.domain;
            let first = u32::from(intrinsic.fields.component);
            let components: Components = (first..first + count)
                .map(|n| match level.place(domain, n) {
                    Some((slot, dword)) => header[(slot * 4 + dword) as usize],
                    None => Operand::ud(0),
                })
                .collect();
            self.set(result, components);
            return Ok(());
        }
        let (slot, first, per_slot) = self.control_place(intrinsic, vertex, offset)?;
        let data = self.emit_urb_read(handles, slot, per_slot, first + count)?;
        self.set(result, data.into_iter().skip(first as usize).collect());
        Ok(())
    }
}
