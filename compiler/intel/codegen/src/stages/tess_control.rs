//! Tessellation control stage: each lane runs one output vertex, all of a thread the same patch.
//!
//! Payload: g0 (dword 0 the patch handle, dword 1 the primitive id, dword 2 the thread's number),
//! g1–g4 the handles of up to 32 input vertices, push constants. Inputs are pulled; each assignment
//! writes an output to the patch entry, each read reads it back. Lanes past the last output vertex
//! are dispatched too.

use super::patch::{self, Level};
use super::patch_access;
use super::slot_access::{Handles, SlotAccess, SlotOffset};
use super::vue::PerVertexInput;
use crate::barrier::patch_barrier;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::push_constants::choose_push_ranges;
use crate::isel::{Selection, StageSelection};
use crate::lir::{CondMod, Op, Operand, Type};
use crate::output::{Interface, Output, TessControlInterface};
use crate::stage_key::StageKey;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the input handles.
pub const HANDLES: u32 = 1;
/// First register of the push constants.
const PUSH_START: u32 = 5;

/// The handle of the patch entry: a scalar.
#[must_use]
pub fn patch_handle() -> Operand {
    Operand::grf_scalar(0, Type::UD)
}

/// A back end's control threads.
pub trait ControlTarget: SlotAccess {
    /// Computes `gl_InvocationID` (UD) in a patch of `threads` threads.
    fn emit_invocation_id(isel: &mut Selection<'_, Self>, threads: u32) -> Operand;

    /// Returns the handles of input vertex `vertex`.
    fn input_handles(
        isel: &mut Selection<'_, Self>,
        interface: &TessControlInterface,
        invocation: Operand,
        vertex: Value,
    ) -> Handles;

    /// Ends the thread, after all accesses.
    ///
    /// # Errors
    /// The generation lacks a message.
    fn end_thread(
        isel: &mut Selection<'_, Self>,
        interface: &TessControlInterface,
        invocation: Operand,
    ) -> Result<(), CompileError>;
}

/// State of the tessellation control stage.
struct ControlStage {
    interface: TessControlInterface,
    /// `gl_InvocationID` (UD), once the prologue is selected.
    invocation: Operand,
    /// The last thread has more invocations than the shader asks for.
    has_surplus: bool,
}

/// Compiles a tessellation control shader.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile<T: ControlTarget>(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Output, CompileError> {
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let interface = patch::control_interface(shader, key, T::LANES)?;
    let push = choose_push_ranges(shader, (T::PAYLOAD_BUDGET - PUSH_START).min(max_push));
    let has_surplus = !interface.vertices_out.is_multiple_of(T::LANES);
    let stage = ControlStage { interface, invocation: Operand::none(), has_surplus };
    codegen.compile_single::<T, _>(shader, T::WIDTH, push, stage, |stage| {
        Interface::TessControl(stage.interface)
    })
}

impl<T: ControlTarget> StageSelection<T> for ControlStage {
    fn lay_out_payload(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        isel.program.payload_regs = (PUSH_START + isel.pushed_registers()) as u8;
        Ok(())
    }

    fn emit_prologue(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        self.invocation = T::emit_invocation_id(isel, self.interface.threads);
        if self.has_surplus {
            // Invocations past the last output vertex skip the body.
            let count = Operand::ud(self.interface.vertices_out);
            T::begin_if(isel, self.invocation, count, CondMod::L);
        }
        Ok(())
    }

    fn emit_intrinsic(
        &mut self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadPerVertexInput, Some(result)) => self.emit_input(isel, intrinsic, result),
            (StoreOutput | StorePerVertexOutput, _) => self.emit_store(isel, intrinsic),
            (LoadOutput | LoadPerVertexOutput, Some(result)) => {
                self.emit_read(isel, intrinsic, result)
            }
            (InvocationId, Some(result)) => {
                T::set_operand(isel, result, self.invocation);
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                T::set_operand(isel, result, T::payload_dword(0, 1));
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                T::define_constant(isel, result, self.interface.vertices_in);
                Ok(())
            }
            (Barrier, _) if self.interface.threads == 1 => Ok(()),
            (Barrier, _) => patch_barrier(&mut isel.program, isel.model, self.interface.threads),
            _ => T::emit_memory(isel, intrinsic, result),
        }
    }

    fn emit_epilogue(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        if self.has_surplus {
            T::emit_control(isel, Op::Endif);
        }
        T::end_thread(isel, &self.interface, self.invocation)
    }
}

impl ControlStage {
    /// Reads an input of one vertex of the input patch.
    fn emit_input<T: ControlTarget>(
        &self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let PerVertexInput { vertex, offset, slot, first } =
            PerVertexInput::of(intrinsic, &self.interface.inputs)?;
        let handles = T::input_handles(isel, &self.interface, self.invocation, vertex);
        let offset = T::slot_offset(isel, offset).advance(slot);
        T::read_slot(isel, handles, offset, first, result)
    }

    fn emit_store<T: ControlTarget>(
        &self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
    ) -> Result<(), CompileError> {
        let (value, vertex, offset) = match intrinsic.srcs[..] {
            [value, offset] => (value, None, offset),
            [value, vertex, offset] => (value, Some(vertex), offset),
            _ => return Err(CompileError::internal("output store without a value")),
        };
        let count = isel.shader.components(value);
        let written = intrinsic.fields.write_mask & ((1 << count) - 1);
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            return self.emit_level_store(isel, level, intrinsic, value, written);
        }
        let outputs = &self.interface.outputs;
        let (offset, first) = patch_access::place(isel, outputs, intrinsic, vertex, offset)?;
        let mask = (written << first) & 0xf;
        let pick = [0, 1, 2, 3].map(|c: u8| c.saturating_sub(first).min(count - 1));
        T::write_slot(isel, patch_handle(), offset, value, pick, mask)
    }

    fn emit_level_store<T: ControlTarget>(
        &self,
        isel: &mut Selection<'_, T>,
        level: Level,
        intrinsic: &Intrinsic,
        value: Value,
        written: u8,
    ) -> Result<(), CompileError> {
        for slot in 0..2 {
            let (mut mask, mut pick) = (0, [0; 4]);
            for c in (0..4).filter(|c| written >> c & 1 != 0) {
                let n = u32::from(intrinsic.fields.component + c);
                let place = level.place(self.interface.domain, n);
                if let Some((_, dword)) = place.filter(|place| place.0 == slot) {
                    mask |= 1 << dword;
                    pick[dword as usize] = c;
                }
            }
            if mask != 0 {
                let offset = SlotOffset { constant: slot, per_lane: None };
                T::write_slot(isel, patch_handle(), offset, value, pick, mask)?;
            }
        }
        Ok(())
    }

    /// Reads an output back.
    fn emit_read<T: ControlTarget>(
        &self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let (vertex, offset) = match intrinsic.srcs[..] {
            [offset] => (None, offset),
            [vertex, offset] => (Some(vertex), offset),
            _ => return Err(CompileError::internal("output read without an offset")),
        };
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            let header = T::read_header(isel, patch_handle())?;
            let (domain, first) = (self.interface.domain, intrinsic.fields.component);
            patch_access::define_levels(isel, level, domain, header, first, result);
            return Ok(());
        }
        let outputs = &self.interface.outputs;
        let (offset, first) = patch_access::place(isel, outputs, intrinsic, vertex, offset)?;
        T::read_slot(isel, Handles::Shared(patch_handle()), offset, first, result)
    }
}
