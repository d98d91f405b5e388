//! Tessellation evaluation stage on gen7: two points of a patch per thread.
//!
//! Payload: g0 (output handles), g1 (coordinates in dwords 0–2 and 4–6, the patch handle in dword 3, the primitive id
//! in dword 7), push constants, then the first slots of the patch entry, two to a register, read like uniforms.
//! Further slots and those at computed places are pulled. Facts: Mesa's `brw_vec4_tes.cpp`.

use super::PAYLOAD_BUDGET;
use super::patch_access::{Handles, SlotOffset};
use super::select::Selector;
use crate::codegen;
use crate::error::CompileError;
use crate::lir::{Operand, REG_SIZE, Swizzle, Type};
use crate::model::model_for;
use crate::options::{Options, StageKey};
use crate::output::{Compiled, Interface, PatchMap, TessDomain, TessEvalInterface};
use crate::patch::{self, Level, Place};
use crate::scalar::uniforms::choose_push_ranges;
use crate::vue;
use eu::DevInfo;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the push constants.
const PUSH_START: u32 = 2;
/// Bytes of a slot.
const SLOT_SIZE: u32 = 16;

/// State of the tessellation evaluation stage.
#[derive(Clone, Debug, Default)]
pub(super) struct TessEvalState {
    inputs: PatchMap,
    domain: TessDomain,
    /// First register of the pushed slots.
    start: u32,
    pushed_slots: u32,
    vertices: u32,
}

/// Compiles a tessellation evaluation shader.
///
/// # Errors
/// The layer that gave up and why.
pub fn compile_tess_eval(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    if model.scalar_geometry_stages() {
        return Err(CompileError::lower(format!("no vec4 tessellation shaders on {}", devinfo.name)));
    }
    let inputs = patch::input_map(shader)?;
    let pushed_slots = patch::pushed_slots(&inputs, key);
    let left = PAYLOAD_BUDGET - pushed_slots / 2;
    let push = choose_push_ranges(shader, left.min(u32::from(devinfo.max_push_registers)));
    let pushed: u32 = push.iter().map(|r| r.length).sum();
    let start = PUSH_START + pushed;
    let mut s = Selector::new(shader, &model, &push);
    s.push_start = PUSH_START;
    s.program.payload_regs = (start + pushed_slots / 2) as u8;
    s.tess_eval =
        TessEvalState { inputs, domain: key.tess_domain, start, pushed_slots, vertices: key.patch_vertices };
    let outputs = vue::output_map(shader, key)?;
    s.lay_out_outputs(outputs);
    s.emit_prologue();
    s.select_body()?;
    s.emit_urb_writes()?;
    let interface = TessEvalInterface {
        inputs: s.tess_eval.inputs.clone(),
        pushed_slots,
        domain: key.tess_domain,
        outputs: s.vertex.outputs.clone(),
    };
    let kernel = s.finish(options)?;
    Ok(codegen::compiled(shader, vec![kernel], push, Interface::TessEval(interface)))
}

impl Selector<'_> {
    /// Emits an intrinsic that only tessellation evaluation shaders have.
    pub(super) fn emit_tess_eval_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (LoadInput, Some(result)) => self.emit_patch_input(intrinsic, None, result),
            (LoadPerVertexInput, Some(result)) => {
                self.emit_patch_input(intrinsic, intrinsic.srcs.first().copied(), result)
            }
            (TessCoord, Some(result)) => {
                self.set(result, Operand::grf(1, Type::UD));
                Ok(())
            }
            (TessLevelOuter, Some(result)) => {
                self.emit_levels(Level::Outer, 0, result);
                Ok(())
            }
            (TessLevelInner, Some(result)) => {
                self.emit_levels(Level::Inner, 0, result);
                Ok(())
            }
            (PrimitiveId, Some(result)) => {
                let id = Operand::grf_scalar(REG_SIZE + 16, Type::UD).swizzled(Swizzle::new([3; 4]));
                self.set(result, id);
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let dst = self.define(result);
                self.mov(dst, Operand::ud(self.tess_eval.vertices));
                Ok(())
            }
            _ => Err(self.unsupported(intrinsic.op)),
        }
    }

    /// A pushed slot of the patch entry, the same for both halves.
    fn pushed_slot(&self, slot: u32) -> Operand {
        Operand::grf_scalar(self.tess_eval.start * REG_SIZE + slot * SLOT_SIZE, Type::UD)
    }

    fn emit_levels(&mut self, level: Level, start: u8, result: Value) {
        let header = [self.pushed_slot(0), self.pushed_slot(1)];
        self.define_levels(level, self.tess_eval.domain, header, start, result);
    }

    fn emit_patch_input(
        &mut self,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        result: Value,
    ) -> Result<(), CompileError> {
        let component = intrinsic.fields.component;
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            self.emit_levels(level, component, result);
            return Ok(());
        }
        let offset = intrinsic.srcs.last().copied();
        let offset = offset.ok_or_else(|| CompileError::lower("input without an offset"))?;
        let mut place = self.slot_offset(offset);
        let start = match (patch::place(&self.tess_eval.inputs, intrinsic.fields.slot)?, vertex) {
            (Place::Patch { slot, dword }, _) => {
                place.constant = place.constant.saturating_add(slot);
                dword as u8 + component
            }
            (Place::Vertex { slot, dword }, Some(vertex)) => {
                place.constant = place.constant.saturating_add(slot);
                let slots = self.tess_eval.inputs.per_vertex.len() as u32;
                place = self.add_vertex(place, vertex, slots);
                dword as u8 + component
            }
            (Place::Vertex { .. }, None) => return Err(CompileError::lower("input of no vertex")),
        };
        self.define_patch_input(place, start, result)
    }

    fn define_patch_input(
        &mut self,
        place: SlotOffset,
        start: u8,
        result: Value,
    ) -> Result<(), CompileError> {
        if place.per_half.is_none() && place.constant < self.tess_eval.pushed_slots {
            let pick = Swizzle::new([0, 1, 2, 3].map(|c: u8| (start + c).min(3)));
            self.set(result, self.pushed_slot(place.constant).swizzled(pick));
            return Ok(());
        }
        let patch = Operand::grf_scalar(REG_SIZE + 12, Type::UD);
        let data = self.emit_patch_read(Handles::Shared(patch), place)?;
        self.define_from_slot(result, data, start);
        Ok(())
    }
}
