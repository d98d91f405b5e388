//! Tessellation evaluation stage on eight channels, one point of a patch per channel.
//!
//! Payload: g0 (dword 0 the patch handle, dword 1 the primitive id), g1–g3 the coordinates, g4
//! output handles, push constants, then the first slots of the patch entry, two to a register, the
//! same for all channels. Further slots and those with a computed number are pulled.

use super::target::{Components, PAYLOAD_BUDGET, Scalar, ScalarSelection};
use super::urb::VertexOutputs;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageLowering;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{Operand, REG_SIZE, Type};
use crate::output::{Compiled, Interface, PatchMap, TessDomain, TessEvalInterface, Width};
use crate::patch::{self, Level, Place};
use crate::stage_key::StageKey;
use crate::vue;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the coordinates.
const COORDINATES: u8 = 1;
/// Register of the output handles.
const OUTPUT_HANDLES: u8 = 4;
/// First register of the push constants.
const PUSH_START: u32 = 5;
/// Bytes of a slot.
const SLOT_SIZE: u32 = 16;

/// State of the tessellation evaluation stage.
struct TessEvalStage {
    inputs: PatchMap,
    outputs: VertexOutputs,
    domain: TessDomain,
    /// First register of the pushed slots.
    start: u32,
    pushed_slots: u32,
    vertices: u32,
}

/// Compiles a tessellation evaluation shader for eight points per thread.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Compiled, CompileError> {
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let inputs = patch::input_map(shader)?;
    let pushed_slots = patch::pushed_slots(&inputs, key);
    let budget = (PAYLOAD_BUDGET - PUSH_START - pushed_slots / 2).min(max_push);
    let push = choose_push_ranges(shader, budget);
    let outputs =
        VertexOutputs::new(vue::output_map(shader, key)?, Operand::grf(OUTPUT_HANDLES, Type::UD));
    let (domain, vertices) = (key.tess_domain, key.patch_vertices);
    let stage = TessEvalStage { inputs, outputs, domain, start: 0, pushed_slots, vertices };
    codegen.compile_single(shader, Width::Simd8, push, stage, |stage| {
        let (inputs, outputs) = (stage.inputs, stage.outputs.map);
        Interface::TessEval(TessEvalInterface { inputs, pushed_slots, domain, outputs })
    })
}

impl StageLowering<Scalar> for TessEvalStage {
    fn lay_out_payload(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        self.start = PUSH_START + isel.pushed_registers();
        isel.program.payload_regs = (self.start + self.pushed_slots / 2) as u8;
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
            (StoreOutput, _) => self.outputs.store(isel, intrinsic),
            (LoadInput, Some(result)) => self.emit_patch_input(isel, intrinsic, None, result),
            (LoadPerVertexInput, Some(result)) => {
                self.emit_patch_input(isel, intrinsic, intrinsic.srcs.first().copied(), result)
            }
            (TessCoord, Some(result)) => {
                let coordinates = (0..3).map(|c| Operand::grf(COORDINATES + c, Type::UD)).collect();
                isel.set(result, coordinates);
                Ok(())
            }
            (TessLevelOuter, Some(result)) => self.emit_levels(isel, Level::Outer, 0, result),
            (TessLevelInner, Some(result)) => self.emit_levels(isel, Level::Inner, 0, result),
            (PrimitiveId, Some(result)) => {
                isel.set_scalar(result, Operand::grf_scalar(4, Type::UD));
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let count = Operand::ud(self.vertices);
                isel.set_scalar(result, count);
                Ok(())
            }
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    fn emit_epilogue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        self.outputs.write(isel, 0, None, true)
    }
}

impl TessEvalStage {
    fn emit_patch_input(
        &self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        result: Value,
    ) -> Result<(), CompileError> {
        let offset = intrinsic.srcs.last().copied();
        let offset = offset.ok_or_else(|| CompileError::internal("input without an offset"))?;
        let component = u32::from(intrinsic.fields.component);
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            return self.emit_levels(isel, level, component, result);
        }
        let (constant, dynamic) = isel.slot_offset(offset);
        let (slot, dword, per_slot) =
            match (patch::place(&self.inputs, intrinsic.fields.slot)?, vertex) {
                (Place::Patch { slot, dword }, _) => (slot + constant, dword, dynamic),
                (Place::Vertex { slot, dword }, Some(vertex)) => {
                    let slots = self.inputs.per_vertex.len();
                    let (base, per_slot) = isel.vertex_offset(vertex, slots);
                    (slot + base + constant, dword, isel.add_offsets(per_slot, dynamic))
                }
                (Place::Vertex { .. }, None) => {
                    return Err(CompileError::internal("input of no vertex"));
                }
            };
        let count = u32::from(isel.shader.components(result));
        let components = self.patch_dwords(isel, slot, dword + component, count, per_slot)?;
        isel.set(result, components);
        Ok(())
    }

    fn emit_levels(
        &self,
        isel: &mut ScalarSelection<'_>,
        level: Level,
        first: u32,
        result: Value,
    ) -> Result<(), CompileError> {
        let mut components = Components::new();
        for n in first..first + u32::from(isel.shader.components(result)) {
            match level.place(self.domain, n) {
                Some((slot, dword)) => {
                    components.extend(self.patch_dwords(isel, slot, dword, 1, None)?)
                }
                None => components.push(Operand::ud(0)),
            }
        }
        isel.set(result, components);
        Ok(())
    }

    /// `count` dwords of the patch entry from dword `first` of a slot on.
    fn patch_dwords(
        &self,
        isel: &mut ScalarSelection<'_>,
        slot: u32,
        first: u32,
        count: u32,
        per_slot: Option<Operand>,
    ) -> Result<Components, CompileError> {
        if per_slot.is_none() && slot < self.pushed_slots {
            let base = self.start * REG_SIZE + slot * SLOT_SIZE;
            return Ok((first..first + count)
                .map(|c| Operand::grf_scalar(base + 4 * c, Type::UD))
                .collect());
        }
        let patch = Operand::grf_scalar(0, Type::UD);
        let data = isel.emit_urb_read(patch, slot, per_slot, first + count)?;
        Ok(data.into_iter().skip(first as usize).collect())
    }
}
