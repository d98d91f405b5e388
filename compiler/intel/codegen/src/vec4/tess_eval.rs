//! Tessellation evaluation stage on gen7: two points of a patch per thread.
//!
//! Payload: g0 (output handles), g1 (coordinates in dwords 0–2 and 4–6, the patch handle in dword
//! 3, the primitive id in dword 7), push constants, then the first slots of the patch entry, two to
//! a register, read like uniforms. Further slots and those with a computed number are pulled.
//! Facts: Mesa's `brw_vec4_tes.cpp`.

use super::patch_access::{Handles, SlotOffset};
use super::target::{PAYLOAD_BUDGET, Vec4, Vec4Selection};
use super::urb::VertexOutputs;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageLowering;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{Operand, REG_SIZE, Swizzle, Type};
use crate::output::{Compiled, Interface, PatchMap, TessDomain, TessEvalInterface, Width};
use crate::patch::{self, Level, Place};
use crate::stage_key::StageKey;
use crate::vue;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the push constants.
const PUSH_START: u32 = 2;
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

/// Compiles a tessellation evaluation shader for two points per thread.
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
    let push = choose_push_ranges(shader, (PAYLOAD_BUDGET - pushed_slots / 2).min(max_push));
    let outputs = VertexOutputs::new(vue::output_map(shader, key)?);
    let (domain, vertices) = (key.tess_domain, key.patch_vertices);
    let stage = TessEvalStage { inputs, outputs, domain, start: 0, pushed_slots, vertices };
    codegen.compile_single(shader, Width::Vec4, push, stage, |stage| {
        let (inputs, outputs) = (stage.inputs, stage.outputs.map);
        Interface::TessEval(TessEvalInterface { inputs, pushed_slots, domain, outputs })
    })
}

impl StageLowering<Vec4> for TessEvalStage {
    fn lay_out_payload(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        self.start = PUSH_START + isel.pushed_registers();
        isel.program.payload_regs = (self.start + self.pushed_slots / 2) as u8;
        self.outputs.allocate(isel);
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
            (StoreOutput, _) => self.outputs.store(isel, intrinsic),
            (LoadInput, Some(result)) => self.emit_patch_input(isel, intrinsic, None, result),
            (LoadPerVertexInput, Some(result)) => {
                self.emit_patch_input(isel, intrinsic, intrinsic.srcs.first().copied(), result)
            }
            (TessCoord, Some(result)) => {
                isel.set(result, Operand::grf(1, Type::UD));
                Ok(())
            }
            (TessLevelOuter, Some(result)) => {
                self.emit_levels(isel, Level::Outer, 0, result);
                Ok(())
            }
            (TessLevelInner, Some(result)) => {
                self.emit_levels(isel, Level::Inner, 0, result);
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                let id =
                    Operand::grf_scalar(REG_SIZE + 16, Type::UD).swizzled(Swizzle::new([3; 4]));
                isel.set(result, id);
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let dst = isel.define(result);
                isel.mov(dst, Operand::ud(self.vertices));
                Ok(())
            }
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    fn emit_epilogue(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        self.outputs.write(isel)
    }
}

impl TessEvalStage {
    /// A pushed slot of the patch entry, the same for both halves.
    fn pushed_slot(&self, slot: u32) -> Operand {
        Operand::grf_scalar(self.start * REG_SIZE + slot * SLOT_SIZE, Type::UD)
    }

    fn emit_levels(&self, isel: &mut Vec4Selection<'_>, level: Level, start: u8, result: Value) {
        let header = [self.pushed_slot(0), self.pushed_slot(1)];
        isel.define_levels(level, self.domain, header, start, result);
    }

    fn emit_patch_input(
        &self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        result: Value,
    ) -> Result<(), CompileError> {
        let component = intrinsic.fields.component;
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            self.emit_levels(isel, level, component, result);
            return Ok(());
        }
        let offset = intrinsic.srcs.last().copied();
        let offset = offset.ok_or_else(|| CompileError::internal("input without an offset"))?;
        let mut place = isel.slot_offset(offset);
        let start = match (patch::place(&self.inputs, intrinsic.fields.slot)?, vertex) {
            (Place::Patch { slot, dword }, _) => {
                place.constant = place.constant.saturating_add(slot);
                dword as u8 + component
            }
            (Place::Vertex { slot, dword }, Some(vertex)) => {
                place.constant = place.constant.saturating_add(slot);
                let slots = self.inputs.per_vertex.len() as u32;
                place = isel.add_vertex(place, vertex, slots);
                dword as u8 + component
            }
            (Place::Vertex { .. }, None) => {
                return Err(CompileError::internal("input of no vertex"));
            }
        };
        self.define_patch_input(isel, place, start, result)
    }

    fn define_patch_input(
        &self,
        isel: &mut Vec4Selection<'_>,
        place: SlotOffset,
        start: u8,
        result: Value,
    ) -> Result<(), CompileError> {
        if place.per_lane.is_none() && place.constant < self.pushed_slots {
            let pick = Swizzle::new([0, 1, 2, 3].map(|c: u8| (start + c).min(3)));
            isel.set(result, self.pushed_slot(place.constant).swizzled(pick));
            return Ok(());
        }
        let patch = Operand::grf_scalar(REG_SIZE + 12, Type::UD);
        let data = isel.emit_patch_read(Handles::Shared(patch), place)?;
        isel.define_from_slot(result, data, start);
        Ok(())
    }
}
