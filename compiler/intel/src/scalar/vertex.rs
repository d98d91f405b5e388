//! Vertex stage on eight channels: payload, attributes, system values.
//!
//! Payload: g0, g1 URB handles, push constants, then four registers (x y z w) per input slot.

use super::translate::{Components, Translator};
use super::uniforms::choose_push_ranges;
use super::urb::VueState;
use crate::codegen;
use crate::error::CompileError;
use crate::lir::{Op, Operand, Type};
use crate::model::model_for;
use crate::options::{Options, StageKey};
use crate::output::{Compiled, Interface, VertexInput, VertexInterface, Width};
use crate::vue;
use eu::DevInfo;
use ir::{Intrinsic, IntrinsicOp, Shader, Slot, Value};

/// First register of the push constants.
const PUSH_START: u32 = 2;
/// Registers that push constants and inputs may take together; the rest is for the program.
pub(super) const PAYLOAD_BUDGET: u32 = 88;
/// Last register that the payload may take at all: messages and temporaries need some.
const PAYLOAD_END: u32 = 124;

/// Vertex part of instruction selection's state.
#[derive(Clone, Debug, Default)]
pub(super) struct VertexState {
    /// First register of the inputs.
    start: u32,
    /// Number of attribute slots.
    attributes: u32,
    /// Inputs in payload order.
    inputs: Vec<VertexInput>,
}

/// Compiles a vertex shader for eight vertices per thread.
///
/// # Errors
/// Something in the shader that this back end does not support, or a failure of allocation or encoding.
pub fn compile_vertex(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    let (attributes, inputs) = vue::vertex_inputs(shader);
    let left = PAYLOAD_BUDGET.saturating_sub(4 * inputs.len() as u32);
    let push = choose_push_ranges(shader, left.min(u32::from(devinfo.max_push_registers)));
    let mut t = Translator::new(shader, &model, key, 8, &push);
    t.push_start = PUSH_START;
    let pushed: u32 = push.iter().map(|r| r.length).sum();
    let start = PUSH_START + pushed;
    let end = start + 4 * inputs.len() as u32;
    if end > PAYLOAD_END {
        return Err(CompileError::lower("vertex inputs do not fit the register file"));
    }
    t.program.payload_regs = end as u8;
    t.vertex = VertexState { start, attributes, inputs: inputs.clone() };
    t.vue = VueState::new(vue::output_map(shader, key)?);
    t.emit_prologue();
    t.translate_body()?;
    t.emit_vertex_writes(0, None, true)?;
    let outputs = t.vue.map.clone();
    let code = t.finish(options, true)?;
    Ok(codegen::compiled(
        shader,
        vec![code.kernel(Width::Simd8, PUSH_START)],
        push,
        Interface::Vertex(VertexInterface { inputs, outputs }),
    ))
}

impl Translator<'_> {
    /// Emits an intrinsic of a vertex shader.
    pub(super) fn emit_vertex_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (StoreOutput, _) => self.emit_store_vue(intrinsic),
            (LoadInput, Some(result)) => self.emit_attribute(intrinsic, result),
            (VertexId | VertexIdZeroBase | InstanceId | BaseInstance | BaseVertex | DrawId, Some(result)) => {
                self.emit_vertex_system_value(intrinsic.op, result)
            }
            _ => self.emit_memory(intrinsic, result),
        }
    }

    fn emit_attribute(&mut self, intrinsic: &Intrinsic, result: Value) -> Result<(), CompileError> {
        let offset = intrinsic.srcs.first().and_then(|&o| self.constant(o));
        let offset =
            offset.ok_or_else(|| CompileError::lower("attributes with a variable index must be lowered"))?;
        let Slot::Attribute(first) = intrinsic.fields.slot else {
            return Err(CompileError::lower("vertex input is no attribute"));
        };
        let slot = u32::from(first).saturating_add(offset);
        if slot >= self.vertex.attributes {
            return Err(CompileError::lower(format!("attribute slot {slot} does not exist")));
        }
        let register = self.vertex.start + 4 * slot + u32::from(intrinsic.fields.component);
        let components: Components = (0..u32::from(self.shader.components(result)))
            .map(|c| Operand::grf((register + c) as u8, Type::UD))
            .collect();
        self.set(result, components);
        Ok(())
    }

    /// Component of an input slot that is no attribute.
    fn special_input(&self, input: VertexInput, component: u32) -> Result<Operand, CompileError> {
        let index = self.vertex.inputs.iter().position(|i| *i == input);
        let index = index.ok_or_else(|| CompileError::lower("a system value is missing from the payload"))?;
        Ok(Operand::grf((self.vertex.start + 4 * index as u32 + component) as u8, Type::UD))
    }

    fn emit_vertex_system_value(&mut self, op: IntrinsicOp, result: Value) -> Result<(), CompileError> {
        let system = |t: &Self, c| t.special_input(VertexInput::SystemValues, c);
        let value = match op {
            IntrinsicOp::BaseInstance => system(self, 1)?,
            IntrinsicOp::VertexIdZeroBase => system(self, 2)?,
            IntrinsicOp::InstanceId => system(self, 3)?,
            IntrinsicOp::DrawId => self.special_input(VertexInput::DrawParameters, 0)?,
            IntrinsicOp::BaseVertex => {
                // Zero in draws without indices.
                let parts = [system(self, 0)?, self.special_input(VertexInput::DrawParameters, 1)?];
                let dst = self.define(result, Type::UD)[0];
                self.builder().emit(Op::And, dst, &parts);
                return Ok(());
            }
            _ => {
                let parts = [system(self, 0)?.retype(Type::D), system(self, 2)?.retype(Type::D)];
                let dst = self.define(result, Type::D)[0];
                self.builder().emit(Op::Add, dst, &parts);
                return Ok(());
            }
        };
        self.set(result, [value].into_iter().collect());
        Ok(())
    }
}
