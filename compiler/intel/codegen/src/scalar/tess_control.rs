//! Tessellation control stage on eight channels, one output vertex of the same patch per channel.
//!
//! Payload: g0 (dword 0 the patch handle, dword 1 the primitive id, dword 2 the thread's number),
//! g1–g4 the handles of up to 32 input vertices, push constants. Inputs are pulled; each assignment
//! writes an output to the patch entry, each read reads it back. Channels past the last output
//! vertex are dispatched too.

use super::target::{Components, PAYLOAD_BUDGET, Scalar, ScalarSelection};
use super::urb::UrbWrite;
use crate::barrier::patch_barrier;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageLowering;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::output::{Compiled, Interface, TessControlInterface, Width};
use crate::patch::{self, Level, Place};
use crate::stage_key::StageKey;
use crate::vue;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the input handles.
const HANDLES: u32 = 1;
/// First register of the push constants.
const PUSH_START: u32 = 5;
/// Invocations of a thread.
const PER_THREAD: u32 = 8;

/// Handle of the patch entry.
fn patch_handle() -> Operand {
    Operand::grf_scalar(0, Type::UD)
}

/// State of the tessellation control stage.
struct TessControlStage {
    interface: TessControlInterface,
    /// `gl_InvocationID` (UD), once the prologue is selected.
    invocation: Operand,
}

/// Compiles a tessellation control shader for eight invocations per thread.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Compiled, CompileError> {
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let interface = patch::control_interface(shader, key, PER_THREAD)?;
    let push = choose_push_ranges(shader, (PAYLOAD_BUDGET - PUSH_START).min(max_push));
    let stage = TessControlStage { interface, invocation: Operand::none() };
    codegen.compile_single(shader, Width::Simd8, push, stage, |stage| {
        Interface::TessControl(stage.interface)
    })
}

impl StageLowering<Scalar> for TessControlStage {
    fn lay_out_payload(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        isel.program.payload_regs = (PUSH_START + isel.pushed_registers()) as u8;
        Ok(())
    }

    fn emit_prologue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        self.invocation = self.emit_invocation_id(isel);
        if self.has_surplus() {
            // Invocations past the last output vertex skip the body.
            let count = Operand::ud(self.interface.vertices_out);
            let mut b = isel.builder();
            b.cmp(Operand::null(Type::UD), self.invocation, count, CondMod::L);
            b.control(Op::If).predicate(false);
        }
        Ok(())
    }

    fn emit_intrinsic(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadPerVertexInput, Some(result)) => self.emit_control_input(isel, intrinsic, result),
            (StoreOutput | StorePerVertexOutput, _) => self.emit_control_store(isel, intrinsic),
            (LoadOutput | LoadPerVertexOutput, Some(result)) => {
                self.emit_control_read(isel, intrinsic, result)
            }
            (InvocationId, Some(result)) => {
                isel.set_scalar(result, self.invocation);
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                isel.set_scalar(result, Operand::grf_scalar(4, Type::UD));
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let count = Operand::ud(self.interface.vertices_in);
                isel.set_scalar(result, count);
                Ok(())
            }
            (Barrier, _) if self.interface.threads == 1 => Ok(()),
            (Barrier, _) => patch_barrier(&mut isel.program, isel.model, self.interface.threads),
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    /// Ends the thread with the last write, or else with one that writes nothing.
    fn emit_epilogue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        if self.has_surplus() {
            isel.builder().control(Op::Endif);
        }
        if isel.end_with_last_write() {
            return Ok(());
        }
        let zero = Operand::ud(0);
        isel.emit_urb_write(UrbWrite {
            handles: patch_handle(),
            offset: 0,
            per_slot: None,
            masks: Some(zero),
            data: &[Some(zero)],
            eot: true,
        })
    }
}

impl TessControlStage {
    /// Returns whether the last thread has more invocations than the shader asks for.
    fn has_surplus(&self) -> bool {
        !self.interface.vertices_out.is_multiple_of(PER_THREAD)
    }

    /// Computes `gl_InvocationID`: eight per thread of the patch.
    fn emit_invocation_id(&self, isel: &mut ScalarSelection<'_>) -> Operand {
        let channels = isel.emit_channel_numbers();
        if self.interface.threads == 1 {
            return channels;
        }
        let low = u32::from(isel.model.devinfo().tcs_thread_number_bit);
        let mask = 0x7f << low;
        let mut b = isel.builder();
        let (thread, first, id) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
        b.emit(Op::And, thread, &[Operand::grf_scalar(8, Type::UD), Operand::ud(mask)]);
        b.emit(Op::Shr, first, &[thread, Operand::ud(low - PER_THREAD.ilog2())]);
        b.emit(Op::Add, id, &[first, channels]);
        id
    }

    /// Reads an input of one vertex of the input patch.
    fn emit_control_input(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let [vertex, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("load_per_vertex_input needs two sources"));
        };
        let (varying, first) = vue::place(intrinsic.fields.slot)?
            .ok_or_else(|| CompileError::lower("this input does not reach control shaders"))?;
        let slot = self.interface.inputs.slot(varying);
        let slot = slot
            .ok_or_else(|| CompileError::internal("input is missing from the vertices"))?
            as u32;
        let handles = self.control_input_handles(isel, vertex);
        let (constant, per_slot) = isel.slot_offset(offset);
        let first = u32::from(first + intrinsic.fields.component);
        let data = isel.emit_urb_read(
            handles,
            slot.saturating_add(constant),
            per_slot,
            first + u32::from(isel.shader.components(result)),
        )?;
        isel.set(result, data.into_iter().skip(first as usize).collect());
        Ok(())
    }

    /// Returns the handles of input vertex `vertex`, per channel.
    fn control_input_handles(&mut self, isel: &mut ScalarSelection<'_>, vertex: Value) -> Operand {
        let count = self.interface.vertices_in;
        let handle = |v: u32| Operand::grf_scalar(HANDLES * REG_SIZE + 4 * v, Type::UD);
        if let Some(vertex) = isel.constant(vertex) {
            return handle(vertex.min(count - 1));
        }
        let vertex = isel.get(vertex, 0, Type::UD);
        if self.interface.threads == 1 && vertex == self.invocation {
            return Operand::grf(HANDLES as u8, Type::UD);
        }
        let mut b = isel.builder();
        let chosen = b.temp(Type::UD);
        b.mov(chosen, handle(0));
        for v in 1..count {
            b.cmp(Operand::null(Type::UD), vertex, Operand::ud(v), CondMod::Z);
            b.mov(chosen, handle(v)).predicate(false);
        }
        chosen
    }

    /// Position of an output access in the patch: slot, first dword, offset per channel.
    fn control_place(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        offset: Value,
    ) -> Result<(u32, u32, Option<Operand>), CompileError> {
        let (constant, dynamic) = isel.slot_offset(offset);
        let component = u32::from(intrinsic.fields.component);
        match (patch::place(&self.interface.outputs, intrinsic.fields.slot)?, vertex) {
            (Place::Patch { slot, dword }, _) => Ok((slot + constant, dword + component, dynamic)),
            (Place::Vertex { slot, dword }, Some(vertex)) => {
                let slots = self.interface.outputs.per_vertex.len();
                let (base, per_slot) = isel.vertex_offset(vertex, slots);
                Ok((slot + base + constant, dword + component, isel.add_offsets(per_slot, dynamic)))
            }
            (Place::Vertex { .. }, None) => Err(CompileError::internal("output of no vertex")),
        }
    }

    fn emit_control_store(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
    ) -> Result<(), CompileError> {
        let (value, vertex, offset) = match intrinsic.srcs[..] {
            [value, offset] => (value, None, offset),
            [value, vertex, offset] => (value, Some(vertex), offset),
            _ => return Err(CompileError::internal("output store without a value")),
        };
        let written: Vec<u8> = (0..isel.shader.components(value))
            .filter(|c| intrinsic.fields.write_mask >> c & 1 != 0)
            .collect();
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            return self.emit_level_store(isel, level, intrinsic, value, &written);
        }
        let (slot, first, per_slot) = self.control_place(isel, intrinsic, vertex, offset)?;
        let mut dwords = [None; 4];
        for c in written {
            if let Some(place) = dwords.get_mut(first as usize + usize::from(c)) {
                *place = Some(isel.get(value, c, Type::UD));
            }
        }
        self.emit_slot_write(isel, slot, per_slot, &dwords)
    }

    fn emit_level_store(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        level: Level,
        intrinsic: &Intrinsic,
        value: Value,
        written: &[u8],
    ) -> Result<(), CompileError> {
        let mut slots = [[None; 4]; 2];
        for &c in written {
            let n = u32::from(intrinsic.fields.component + c);
            if let Some((slot, dword)) = level.place(self.interface.domain, n) {
                slots[slot as usize][dword as usize] = Some(isel.get(value, c, Type::UD));
            }
        }
        for (slot, dwords) in slots.iter().enumerate() {
            self.emit_slot_write(isel, slot as u32, None, dwords)?;
        }
        Ok(())
    }

    /// Writes the given dwords of one slot of the patch.
    fn emit_slot_write(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        slot: u32,
        per_slot: Option<Operand>,
        dwords: &[Option<Operand>; 4],
    ) -> Result<(), CompileError> {
        let Some(last) = dwords.iter().rposition(Option::is_some) else { return Ok(()) };
        let data = &dwords[..=last];
        let mask: u32 =
            data.iter().enumerate().filter(|(_, d)| d.is_some()).map(|(i, _)| 1 << i).sum();
        let all = mask == (1 << data.len()) - 1;
        let masks = (!all).then(|| Operand::ud(mask << 16));
        let handles = patch_handle();
        isel.emit_urb_write(UrbWrite { handles, offset: slot, per_slot, masks, data, eot: false })
    }

    /// Reads an output back.
    fn emit_control_read(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let (vertex, offset) = match intrinsic.srcs[..] {
            [offset] => (None, offset),
            [vertex, offset] => (Some(vertex), offset),
            _ => return Err(CompileError::internal("output read without an offset")),
        };
        let count = u32::from(isel.shader.components(result));
        let handles = patch_handle();
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            let header = isel.emit_urb_read(handles, 0, None, 8)?;
            let domain = self.interface.domain;
            let first = u32::from(intrinsic.fields.component);
            let components: Components = (first..first + count)
                .map(|n| match level.place(domain, n) {
                    Some((slot, dword)) => header[(slot * 4 + dword) as usize],
                    None => Operand::ud(0),
                })
                .collect();
            isel.set(result, components);
            return Ok(());
        }
        let (slot, first, per_slot) = self.control_place(isel, intrinsic, vertex, offset)?;
        let data = isel.emit_urb_read(handles, slot, per_slot, first + count)?;
        isel.set(result, data.into_iter().skip(first as usize).collect());
        Ok(())
    }
}
