//! Tessellation evaluation stage on eight channels, one point of a patch per channel.
//!
//! Payload: g0 (dword 0 the patch handle, dword 1 the primitive id), g1–g3 the coordinates, g4 output handles, push
//! constants, then the first slots of the patch entry, two to a register, the same for all channels. Further slots
//! and those at computed places are pulled.

use super::translate::{Components, Translator};
use super::uniforms::choose_push_ranges;
use super::urb::VueState;
use super::vertex::PAYLOAD_BUDGET;
use crate::codegen;
use crate::error::CompileError;
use crate::lir::{Operand, REG_SIZE, Type};
use crate::model::model_for;
use crate::options::{Options, StageKey};
use crate::output::{Compiled, Interface, PatchMap, TessDomain, TessEvalInterface, Width};
use crate::patch::{self, Level, Place};
use crate::vue;
use eu::DevInfo;
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the coordinates.
const COORDINATES: u8 = 1;
/// Register of the output handles.
const OUTPUT_HANDLES: u8 = 4;
/// First register of the push constants.
const PUSH_START: u32 = 5;
/// Bytes of a slot.
const SLOT_SIZE: u32 = 16;

/// Tessellation evaluation part of instruction selection's state.
#[derive(Clone, Debug, Default)]
pub(super) struct TessEvalState {
    inputs: PatchMap,
    domain: TessDomain,
    /// First register of the pushed slots.
    start: u32,
    pushed_slots: u32,
    vertices: u32,
}

/// Compiles a tessellation evaluation shader for eight points per thread.
///
/// # Errors
/// Something in the shader that this back end does not support, or a failure of allocation or encoding.
pub fn compile_tess_eval(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    let inputs = patch::input_map(shader)?;
    let pushed_slots = patch::pushed_slots(&inputs, key);
    let input_registers = pushed_slots / 2;
    let budget = (PAYLOAD_BUDGET - PUSH_START - input_registers).min(u32::from(devinfo.max_push_registers));
    let push = choose_push_ranges(shader, budget);
    let pushed: u32 = push.iter().map(|r| r.length).sum();
    let start = PUSH_START + pushed;
    let mut t = Translator::new(shader, &model, key, 8, &push);
    t.push_start = PUSH_START;
    t.program.payload_regs = (start + input_registers) as u8;
    t.output_handles = Operand::grf(OUTPUT_HANDLES, Type::UD);
    t.vue = VueState::new(vue::output_map(shader, key)?);
    t.tess_eval =
        TessEvalState { inputs, domain: key.tess_domain, start, pushed_slots, vertices: key.patch_vertices };
    t.emit_prologue();
    t.translate_body()?;
    t.emit_vertex_writes(0, None, true)?;
    let interface = TessEvalInterface {
        inputs: t.tess_eval.inputs.clone(),
        pushed_slots,
        domain: key.tess_domain,
        outputs: t.vue.map.clone(),
    };
    let code = t.finish(options, true)?;
    Ok(codegen::compiled(
        shader,
        vec![code.kernel(Width::Simd8, PUSH_START)],
        push,
        Interface::TessEval(interface),
    ))
}

impl Translator<'_> {
    /// Emits an intrinsic of a tessellation evaluation shader.
    pub(super) fn emit_tess_eval_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (StoreOutput, _) => self.emit_store_vue(intrinsic),
            (LoadInput, Some(result)) => self.emit_patch_input(intrinsic, None, result),
            (LoadPerVertexInput, Some(result)) => {
                self.emit_patch_input(intrinsic, intrinsic.srcs.first().copied(), result)
            }
            (TessCoord, Some(result)) => {
                let coordinates = (0..3).map(|c| Operand::grf(COORDINATES + c, Type::UD)).collect();
                self.set(result, coordinates);
                Ok(())
            }
            (TessLevelOuter, Some(result)) => self.emit_levels(Level::Outer, 0, result),
            (TessLevelInner, Some(result)) => self.emit_levels(Level::Inner, 0, result),
            (PrimitiveId, Some(result)) => {
                self.set(result, [Operand::grf_scalar(4, Type::UD)].into_iter().collect());
                Ok(())
            }
            (PatchVerticesIn, Some(result)) => {
                let count = Operand::ud(self.tess_eval.vertices);
                self.set(result, [count].into_iter().collect());
                Ok(())
            }
            _ => self.emit_memory(intrinsic, result),
        }
    }

    fn emit_patch_input(
        &mut self,
        intrinsic: &Intrinsic,
        vertex: Option<Value>,
        result: Value,
    ) -> Result<(), CompileError> {
        let offset = intrinsic.srcs.last().copied();
        let offset = offset.ok_or_else(|| CompileError::lower("input without an offset"))?;
        let component = u32::from(intrinsic.fields.component);
        if let Some(level) = Level::of(intrinsic.fields.slot) {
            return self.emit_levels(level, component, result);
        }
        let (constant, dynamic) = self.slot_offset(offset);
        let (slot, dword, per_slot) =
            match (patch::place(&self.tess_eval.inputs, intrinsic.fields.slot)?, vertex) {
                (Place::Patch { slot, dword }, _) => (slot + constant, dword, dynamic),
                (Place::Vertex { slot, dword }, Some(vertex)) => {
                    let slots = self.tess_eval.inputs.per_vertex.len();
                    let (base, per_slot) = self.vertex_offset(vertex, slots);
                    (slot + base + constant, dword, self.add_offsets(per_slot, dynamic))
                }
                (Place::Vertex { .. }, None) => return Err(CompileError::lower("input of no vertex")),
            };
        let count = u32::from(self.shader.components(result));
        let components = self.patch_dwords(slot, dword + component, count, per_slot)?;
        self.set(result, components);
        Ok(())
    }

    fn emit_levels(&mut self, level: Level, first: u32, result: Value) -> Result<(), CompileError> {
        let mut components = Components::new();
        for n in first..first + u32::from(self.shader.components(result)) {
            match level.place(self.tess_eval.domain, n) {
                Some((slot, dword)) => components.extend(self.patch_dwords(slot, dword, 1, None)?),
                None => components.push(Operand::ud(0)),
            }
        }
        self.set(result, components);
        Ok(())
    }

    /// `count` dwords of the patch entry from dword `first` of a slot on.
    fn patch_dwords(
        &mut self,
        slot: u32,
        first: u32,
        count: u32,
        per_slot: Option<Operand>,
    ) -> Result<Components, CompileError> {
        if per_slot.is_none() && slot < self.tess_eval.pushed_slots {
            let base = self.tess_eval.start * REG_SIZE + slot * SLOT_SIZE;
            return Ok((first..first + count).map(|c| Operand::grf_scalar(base + 4 * c, Type::UD)).collect());
        }
        let patch = Operand::grf_scalar(0, Type::UD);
        let data = self.emit_urb_read(patch, slot, per_slot, first + count)?;
        Ok(data.into_iter().skip(first as usize).collect())
    }
}
