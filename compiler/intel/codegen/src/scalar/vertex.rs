//! Vertex stage on eight channels: payload, attributes, system values.
//!
//! Payload: g0, g1 URB handles, push constants, then four registers (x y z w) per input slot.

use super::target::{Components, PAYLOAD_BUDGET, Scalar, ScalarSelection};
use super::urb::VertexOutputs;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageLowering;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{Op, Operand, Type};
use crate::output::{Compiled, Interface, VertexInput, VertexInterface, Width};
use crate::stage_key::StageKey;
use crate::vue;
use ir::{Intrinsic, IntrinsicOp, Shader, Slot, Value};

/// First register of the push constants.
const PUSH_START: u32 = 2;
/// Register of the output handles.
const OUTPUT_HANDLES: u8 = 1;
/// Last register that the payload may take: messages and temporaries need some.
const PAYLOAD_END: u32 = 124;

/// State of the vertex stage.
struct VertexStage {
    /// First register of the inputs.
    start: u32,
    /// Number of attribute slots.
    attributes: u32,
    /// Inputs in payload order.
    inputs: Vec<VertexInput>,
    outputs: VertexOutputs,
}

/// Compiles a vertex shader for eight vertices per thread.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Compiled, CompileError> {
    let devinfo = codegen.model.devinfo();
    let (attributes, inputs) = vue::vertex_inputs(shader);
    let left = PAYLOAD_BUDGET.saturating_sub(4 * inputs.len() as u32);
    let push = choose_push_ranges(shader, left.min(u32::from(devinfo.max_push_registers)));
    let outputs =
        VertexOutputs::new(vue::output_map(shader, key)?, Operand::grf(OUTPUT_HANDLES, Type::UD));
    let stage = VertexStage { start: 0, attributes, inputs, outputs };
    codegen.compile_single(shader, Width::Simd8, push, stage, |stage| {
        Interface::Vertex(VertexInterface { inputs: stage.inputs, outputs: stage.outputs.map })
    })
}

impl StageLowering<Scalar> for VertexStage {
    fn lay_out_payload(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        self.start = PUSH_START + isel.pushed_registers();
        let end = self.start + 4 * self.inputs.len() as u32;
        if end > PAYLOAD_END {
            return Err(CompileError::lower("vertex inputs do not fit the register file"));
        }
        isel.program.payload_regs = end as u8;
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
            (LoadInput, Some(result)) => self.emit_attribute(isel, intrinsic, result),
            (
                VertexId | VertexIdZeroBase | InstanceId | BaseInstance | BaseVertex | DrawId,
                Some(result),
            ) => self.emit_system_value(isel, intrinsic.op, result),
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    fn emit_epilogue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        self.outputs.write(isel, 0, None, true)
    }
}

impl VertexStage {
    fn emit_attribute(
        &self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let offset = intrinsic.srcs.first().and_then(|&o| isel.constant(o));
        let offset = offset.ok_or_else(|| {
            CompileError::internal("attributes with a variable index must be lowered")
        })?;
        let Slot::Attribute(first) = intrinsic.fields.slot else {
            return Err(CompileError::internal("vertex input is not an attribute"));
        };
        let slot = u32::from(first).saturating_add(offset);
        if slot >= self.attributes {
            return Err(CompileError::lower(format!("attribute slot {slot} does not exist")));
        }
        let register = self.start + 4 * slot + u32::from(intrinsic.fields.component);
        let components: Components = (0..u32::from(isel.shader.components(result)))
            .map(|c| Operand::grf((register + c) as u8, Type::UD))
            .collect();
        isel.set(result, components);
        Ok(())
    }

    /// Component of an input slot that is not an attribute.
    fn special_input(&self, input: VertexInput, component: u32) -> Result<Operand, CompileError> {
        let index = self.inputs.iter().position(|i| *i == input);
        let index = index
            .ok_or_else(|| CompileError::internal("a system value is missing from the payload"))?;
        Ok(Operand::grf((self.start + 4 * index as u32 + component) as u8, Type::UD))
    }

    fn emit_system_value(
        &self,
        isel: &mut ScalarSelection<'_>,
        op: IntrinsicOp,
        result: Value,
    ) -> Result<(), CompileError> {
        let system = |c| self.special_input(VertexInput::SystemValues, c);
        let value = match op {
            IntrinsicOp::BaseInstance => system(1)?,
            IntrinsicOp::VertexIdZeroBase => system(2)?,
            IntrinsicOp::InstanceId => system(3)?,
            IntrinsicOp::DrawId => self.special_input(VertexInput::DrawParameters, 0)?,
            IntrinsicOp::BaseVertex => {
                // Zero in draws without indices.
                let parts = [system(0)?, self.special_input(VertexInput::DrawParameters, 1)?];
                let dst = isel.define(result, Type::UD)[0];
                isel.builder().emit(Op::And, dst, &parts);
                return Ok(());
            }
            _ => {
                let parts = [system(0)?.retype(Type::D), system(2)?.retype(Type::D)];
                let dst = isel.define(result, Type::D)[0];
                isel.builder().emit(Op::Add, dst, &parts);
                return Ok(());
            }
        };
        isel.set_scalar(result, value);
        Ok(())
    }
}
