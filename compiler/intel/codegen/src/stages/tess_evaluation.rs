//! Tessellation evaluation stage: each lane runs one point of a patch.
//!
//! The payload has coordinates, output handles and the patch handle, push constants, then the first
//! slots of the patch entry, two to a register, the same for all lanes. Further slots and those
//! with a computed number are pulled.

use super::patch::{self, Level};
use super::slot_access::{Handles, Outputs, SlotAccess};
use super::{patch_access, vue};
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::push_constants::choose_push_ranges;
use crate::isel::{Selection, StageSelection};
use crate::lir::{Operand, REG_SIZE};
use crate::output::{Interface, Output, PatchMap, TessDomain, TessEvaluationInterface, VueMap};
use crate::stage_key::StageKey;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// Bytes of a slot.
const SLOT_SIZE: u32 = 16;

/// Payload of a back end's evaluation threads.
pub trait EvaluationTarget: SlotAccess {
    /// First register of the push constants.
    const PUSH_START: u32;
    /// Registers that push constants and slots of the patch may take together.
    const PUSH_BUDGET: u32;
    /// Register and dword of the primitive id.
    const PRIMITIVE_ID: (u32, u32);

    /// The handle of the patch entry: a scalar.
    fn patch_handle() -> Operand;

    /// Registers of `gl_TessCoord`.
    fn coordinates() -> Self::Location;

    /// Output vertices of which nothing is written yet.
    fn outputs(map: VueMap) -> Self::Outputs;
}

/// State of the tessellation evaluation stage.
struct EvaluationStage<T: SlotAccess> {
    inputs: PatchMap,
    outputs: T::Outputs,
    domain: TessDomain,
    /// First register of the pushed slots.
    start: u32,
    pushed_slots: u32,
    vertices: u32,
}

/// Compiles a tessellation evaluation shader.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile<T: EvaluationTarget>(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Output, CompileError> {
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let inputs = patch::input_map(shader)?;
    let pushed_slots = patch::pushed_slots(&inputs, key);
    let push = choose_push_ranges(shader, (T::PUSH_BUDGET - pushed_slots / 2).min(max_push));
    let outputs = T::outputs(vue::output_map(shader, key)?);
    let (domain, vertices) = (key.tess_domain, key.patch_vertices);
    let stage = EvaluationStage::<T> { inputs, outputs, domain, start: 0, pushed_slots, vertices };
    codegen.compile_single(shader, T::WIDTH, push, stage, |stage| {
        let (inputs, outputs) = (stage.inputs, stage.outputs.into_map());
        Interface::TessEvaluation(TessEvaluationInterface { inputs, pushed_slots, domain, outputs })
    })
}

impl<T: EvaluationTarget> StageSelection<T> for EvaluationStage<T> {
    fn lay_out_payload(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        isel.push_start = T::PUSH_START;
        self.start = T::PUSH_START + isel.pushed_registers();
        isel.program.payload_regs = (self.start + self.pushed_slots / 2) as u8;
        self.outputs.allocate(isel);
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
            (StoreOutput, _) => return self.outputs.store(isel, intrinsic),
            (LoadInput, Some(result)) => return self.emit_input(isel, intrinsic, None, result),
            (LoadPerVertexInput, Some(result)) => {
                return self.emit_input(isel, intrinsic, intrinsic.srcs.first().copied(), result);
            }
            (TessCoord, Some(result)) => isel.values[result] = T::coordinates(),
            (TessLevelOuter, Some(result)) => self.define_levels(isel, Level::Outer, 0, result),
            (TessLevelInner, Some(result)) => self.define_levels(isel, Level::Inner, 0, result),
            (PrimitiveId, Some(result)) => {
                let (register, dword) = T::PRIMITIVE_ID;
                T::set_operand(isel, result, T::payload_dword(register, dword));
            }
            (PatchVerticesIn, Some(result)) => T::define_constant(isel, result, self.vertices),
            _ => return T::emit_memory(isel, intrinsic, result),
        }
        Ok(())
    }

    fn emit_epilogue(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        self.outputs.end_thread(isel)
    }
}

impl<T: EvaluationTarget> EvaluationStage<T> {
    /// A pushed slot of the patch entry.
    fn pushed_slot(&self, slot: u32) -> T::Slot {
        T::payload_slot(self.start * REG_SIZE + slot * SLOT_SIZE)
    }

    /// The header is always pushed.
    fn define_levels(&self, isel: &mut Selection<'_, T>, level: Level, first: u8, result: Value) {
        let header = [self.pushed_slot(0), self.pushed_slot(1)];
        patch_access::define_levels(isel, level, self.domain, header, first, result);
    }

    fn emit_input(
        &self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        result: Value,
    ) -> Result<(), CompileError> {
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            self.define_levels(isel, level, intrinsic.fields.component, result);
            return Ok(());
        }
        let offset = intrinsic.srcs.last().copied();
        let offset = offset.ok_or_else(|| CompileError::internal("input without an offset"))?;
        let (offset, first) = patch_access::place(isel, &self.inputs, intrinsic, vertex, offset)?;
        if offset.per_lane.is_none() && offset.constant < self.pushed_slots {
            T::set_slot(isel, result, self.pushed_slot(offset.constant), first);
            return Ok(());
        }
        T::read_slot(isel, Handles::Shared(T::patch_handle()), offset, first, result)
    }
}
