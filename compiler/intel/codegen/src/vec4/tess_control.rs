//! Tessellation control stage on gen7: two output vertices of the same patch per thread.
//!
//! Payload: g0 (dword 0 the patch handle, dword 1 the primitive id, dword 2 the thread's number),
//! g1–g4 the handles of up to 32 input vertices, push constants. With an odd number of vertices the
//! last thread has one too many. Before the last thread may end, the input entries are released.
//! Facts: Mesa's `brw_vec4_tcs.cpp`.

use super::patch_access::{Handles, SlotOffset, dword};
use super::target::{Vec4, Vec4Selection, first};
use crate::barrier::patch_barrier;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageLowering;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::output::{Compiled, Interface, TessControlInterface, Width};
use crate::patch::{self, Level, Place};
use crate::stage_key::StageKey;
use crate::vue;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the input handles.
const HANDLES: u32 = 1;
/// First register of the push constants.
const PUSH_START: u32 = 5;
/// Registers that push constants may take.
const PUSH_BUDGET: u32 = 75;
/// Invocations of a thread.
const PER_THREAD: u32 = 2;

/// State of the tessellation control stage.
struct TessControlStage {
    interface: TessControlInterface,
    /// `gl_InvocationID`, component x of each half, once the prologue is selected.
    invocation: Operand,
}

/// Compiles a tessellation control shader for two invocations per thread.
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
    let push = choose_push_ranges(shader, PUSH_BUDGET.min(max_push));
    let stage = TessControlStage { interface, invocation: Operand::none() };
    codegen.compile_single(shader, Width::Vec4, push, stage, |stage| {
        Interface::TessControl(stage.interface)
    })
}

impl StageLowering<Vec4> for TessControlStage {
    fn lay_out_payload(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        isel.program.payload_regs = (PUSH_START + isel.pushed_registers()) as u8;
        Ok(())
    }

    fn emit_prologue(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        self.invocation = emit_invocation_id(isel);
        if self.has_surplus() {
            // The invocation past the last output vertex skips the body.
            let count = Operand::ud(self.interface.vertices_out);
            isel.begin_if(self.invocation, count, CondMod::L);
        }
        Ok(())
    }

    fn emit_intrinsic(
        &mut self,
        isel: &mut Vec4Selection<'_>,
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
                isel.set(result, self.invocation);
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                isel.set(result, dword(0, 1));
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let dst = isel.define(result);
                isel.mov(dst, Operand::ud(self.interface.vertices_in));
                Ok(())
            }
            (Barrier, _) if self.interface.threads == 1 => Ok(()),
            (Barrier, _) => patch_barrier(&mut isel.program, isel.model, self.interface.threads),
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    /// Releases the inputs after the last read; ends the thread.
    fn emit_epilogue(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        if self.has_surplus() {
            isel.control_flow(Op::Endif);
        }
        if self.interface.threads > 1 {
            patch_barrier(&mut isel.program, isel.model, self.interface.threads)?;
        }
        isel.begin_if(self.invocation, Operand::ud(0), CondMod::Z);
        let count = self.interface.vertices_in;
        for vertex in (0..count).step_by(2) {
            let handles = Operand::grf_scalar(HANDLES * REG_SIZE + 4 * vertex, Type::UD);
            isel.emit_release(handles, vertex + 1 < count)?;
        }
        isel.control_flow(Op::Endif);
        let (payload, data) = isel.patch_payload();
        isel.emit_align1(Op::Mov, (8, 0), data, &[Operand::ud(0)]).no_mask = true;
        isel.emit_patch_write(
            payload,
            Operand::grf_scalar(0, Type::UD),
            SlotOffset::default(),
            0,
            true,
        )
    }
}

impl TessControlStage {
    /// Returns whether the last thread has an invocation more than the shader asks for.
    fn has_surplus(&self) -> bool {
        !self.interface.vertices_out.is_multiple_of(PER_THREAD)
    }

    fn emit_control_input(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let [vertex, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("load_per_vertex_input needs two sources"));
        };
        let (varying, start) = vue::place(intrinsic.fields.slot)?
            .ok_or_else(|| CompileError::lower("this input does not reach control shaders"))?;
        let slot = self.interface.inputs.slot(varying);
        let slot = slot
            .ok_or_else(|| CompileError::internal("input is missing from the vertices"))?
            as u32;
        let handles = isel.vertex_handles(HANDLES, self.interface.vertices_in, vertex);
        let mut place = isel.slot_offset(offset);
        place.constant = place.constant.saturating_add(slot);
        let data = isel.emit_patch_read(handles, place)?;
        isel.define_from_slot(result, data, start + intrinsic.fields.component);
        Ok(())
    }

    /// Position of an output access in the patch, and the component of its slot that is the first.
    fn control_place(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        offset: Value,
    ) -> Result<(SlotOffset, u8), CompileError> {
        let mut place = isel.slot_offset(offset);
        let component = intrinsic.fields.component;
        match (patch::place(&self.interface.outputs, intrinsic.fields.slot)?, vertex) {
            (Place::Patch { slot, dword }, _) => {
                place.constant = place.constant.saturating_add(slot);
                Ok((place, dword as u8 + component))
            }
            (Place::Vertex { slot, dword }, Some(vertex)) => {
                place.constant = place.constant.saturating_add(slot);
                let slots = self.interface.outputs.per_vertex.len() as u32;
                Ok((isel.add_vertex(place, vertex, slots), dword as u8 + component))
            }
            (Place::Vertex { .. }, None) => Err(CompileError::internal("output of no vertex")),
        }
    }

    fn emit_control_store(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
    ) -> Result<(), CompileError> {
        let (value, vertex, offset) = match intrinsic.srcs[..] {
            [value, offset] => (value, None, offset),
            [value, vertex, offset] => (value, Some(vertex), offset),
            _ => return Err(CompileError::internal("output store without a value")),
        };
        let count = isel.shader.components(value);
        let written = intrinsic.fields.write_mask & first(count);
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            return self.emit_level_store(isel, level, intrinsic, value, written);
        }
        let (place, start) = self.control_place(isel, intrinsic, vertex, offset)?;
        let mask = (written << start) & 0xf;
        let pick = [0, 1, 2, 3].map(|c: u8| c.saturating_sub(start).min(count - 1));
        let (payload, data) = isel.patch_payload();
        let from = isel.get(value, &pick, Type::UD);
        isel.mov(data, from);
        isel.emit_patch_write(payload, Operand::grf_scalar(0, Type::UD), place, mask, false)
    }

    fn emit_level_store(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        level: Level,
        intrinsic: &Intrinsic,
        value: Value,
        written: u8,
    ) -> Result<(), CompileError> {
        for slot in 0..2 {
            let (mut mask, mut pick) = (0, [0; 4]);
            for c in (0..4).filter(|c| written >> c & 1 != 0) {
                let n = u32::from(intrinsic.fields.component + c);
                if let Some((_, dword)) =
                    level.place(self.interface.domain, n).filter(|place| place.0 == slot)
                {
                    mask |= 1 << dword;
                    pick[dword as usize] = c;
                }
            }
            if mask == 0 {
                continue;
            }
            let (payload, data) = isel.patch_payload();
            let from = isel.get(value, &pick, Type::UD);
            isel.mov(data, from);
            let place = SlotOffset { constant: slot, per_lane: None };
            isel.emit_patch_write(payload, Operand::grf_scalar(0, Type::UD), place, mask, false)?;
        }
        Ok(())
    }

    /// Reads an output back.
    fn emit_control_read(
        &mut self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let (vertex, offset) = match intrinsic.srcs[..] {
            [offset] => (None, offset),
            [vertex, offset] => (Some(vertex), offset),
            _ => return Err(CompileError::internal("output read without an offset")),
        };
        let patch = Handles::Shared(Operand::grf_scalar(0, Type::UD));
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            let domain = self.interface.domain;
            let header = [0, 1].map(|constant| SlotOffset { constant, per_lane: None });
            let slots =
                [isel.emit_patch_read(patch, header[0])?, isel.emit_patch_read(patch, header[1])?];
            isel.define_levels(level, domain, slots, intrinsic.fields.component, result);
            return Ok(());
        }
        let (place, start) = self.control_place(isel, intrinsic, vertex, offset)?;
        let data = isel.emit_patch_read(patch, place)?;
        isel.define_from_slot(result, data, start);
        Ok(())
    }
}

/// Computes `gl_InvocationID`: two per thread of the patch, in component x of each half.
fn emit_invocation_id(isel: &mut Vec4Selection<'_>) -> Operand {
    let low = u32::from(isel.model.devinfo().tcs_thread_number_bit);
    let id = isel.temp(Type::UD);
    let number = [Operand::grf_scalar(8, Type::UD), Operand::ud(0x7f << low)];
    isel.emit_align1(Op::And, (8, 0), id, &number).no_mask = true;
    // Twice the thread's number; one more in the second half.
    let src = [id.with_region(8, 8, 1), Operand::ud(low - 1)];
    isel.emit_align1(Op::Shr, (8, 0), id, &src).no_mask = true;
    let second = id.byte_offset(16);
    isel.emit_align1(Op::Add, (4, 4), second, &[second.with_region(4, 4, 1), Operand::ud(1)])
        .no_mask = true;
    id.swizzled(Swizzle::XXXX)
}
