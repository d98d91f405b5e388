//! Vertex stage: payload, attributes, system values.
//!
//! Payload: g0 (output handles), push constants, a register per input slot.

use super::target::{PAYLOAD_BUDGET, Vec4, Vec4Selection};
use super::urb::VertexOutputs;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::StageLowering;
use crate::isel::push_constants::choose_push_ranges;
use crate::lir::{CondMod, Op, Operand, Swizzle, Type};
use crate::output::{Compiled, Interface, VertexInput, VertexInterface, Width};
use crate::stage_key::StageKey;
use crate::vue;
use ir::{Intrinsic, IntrinsicOp, Shader, Slot, Value};

/// First register of the push constants.
const PUSH_START: u32 = 1;
/// Last register that the payload may take: messages and temporaries need some.
const PAYLOAD_END: u32 = 100;

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

/// Compiles a vertex shader for two vertices per thread.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Compiled, CompileError> {
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let (attributes, inputs) = vue::vertex_inputs(shader);
    let left = PAYLOAD_BUDGET.saturating_sub(inputs.len() as u32);
    let push = choose_push_ranges(shader, left.min(max_push));
    let outputs = VertexOutputs::new(vue::output_map(shader, key)?);
    let stage = VertexStage { start: 0, attributes, inputs, outputs };
    codegen.compile_single(shader, Width::Vec4, push, stage, |stage| {
        Interface::Vertex(VertexInterface { inputs: stage.inputs, outputs: stage.outputs.map })
    })
}

impl StageLowering<Vec4> for VertexStage {
    fn lay_out_payload(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        self.start = PUSH_START + isel.pushed_registers();
        let end = self.start + self.inputs.len() as u32;
        if end > PAYLOAD_END {
            return Err(CompileError::lower("vertex inputs do not fit the register file"));
        }
        isel.program.payload_regs = end as u8;
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
            (LoadInput, Some(result)) => self.emit_attribute(isel, intrinsic, result),
            (StoreOutput, _) => self.outputs.store(isel, intrinsic),
            (
                VertexId | VertexIdZeroBase | InstanceId | BaseVertex | BaseInstance | DrawId,
                Some(result),
            ) => self.emit_system_value(isel, intrinsic.op, result),
            _ => isel.emit_memory(intrinsic, result),
        }
    }

    fn emit_epilogue(&mut self, isel: &mut Vec4Selection<'_>) -> Result<(), CompileError> {
        self.outputs.write(isel)
    }
}

impl VertexStage {
    /// Register of an attribute slot.
    fn attribute(&self, slot: u32) -> Result<Operand, CompileError> {
        if slot >= self.attributes {
            return Err(CompileError::lower(format!("attribute slot {slot} does not exist")));
        }
        Ok(Operand::grf((self.start + slot) as u8, Type::UD))
    }

    fn input(&self, input: VertexInput) -> Result<Operand, CompileError> {
        let index = self.inputs.iter().position(|i| *i == input);
        let index = index
            .ok_or_else(|| CompileError::internal("a system value is missing from the payload"))?;
        Ok(Operand::grf((self.start + index as u32) as u8, Type::UD))
    }

    fn emit_system_value(
        &self,
        isel: &mut Vec4Selection<'_>,
        op: IntrinsicOp,
        result: Value,
    ) -> Result<(), CompileError> {
        let at = |register: Operand, c: u8| register.swizzled(Swizzle::new([c; 4]));
        let system = self.input(VertexInput::SystemValues);
        let value = match op {
            IntrinsicOp::BaseInstance => at(system?, 1),
            IntrinsicOp::VertexIdZeroBase => at(system?, 2),
            IntrinsicOp::InstanceId => at(system?, 3),
            IntrinsicOp::DrawId => at(self.input(VertexInput::DrawParameters)?, 0),
            IntrinsicOp::BaseVertex => {
                // Zero in draws without indices.
                let (base, indexed) =
                    (at(system?, 0), at(self.input(VertexInput::DrawParameters)?, 1));
                let dst = isel.define(result);
                isel.emit(Op::And, dst, &[base, indexed]);
                return Ok(());
            }
            IntrinsicOp::VertexId => {
                let system = system?.retype(Type::D);
                let dst = isel.define(result).retype(Type::D);
                isel.emit(Op::Add, dst, &[at(system, 0), at(system, 2)]);
                return Ok(());
            }
            _ => return Err(isel.unsupported(op)),
        };
        isel.set(result, value);
        Ok(())
    }

    fn emit_attribute(
        &self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let Slot::Attribute(slot) = intrinsic.fields.slot else {
            return Err(CompileError::lower(format!("vertex input {}", intrinsic.fields.slot)));
        };
        let Some(&offset) = intrinsic.srcs.first() else {
            return Err(CompileError::internal("load_input needs an offset"));
        };
        let n = isel.shader.components(result);
        let pick = [0, 1, 2, 3].map(|c: u8| (intrinsic.fields.component + c.min(n - 1)) & 3);
        let swizzle = Swizzle::new(pick);
        if let Some(constant) = isel.constant(offset) {
            let register = self.attribute(u32::from(slot) + constant)?;
            isel.set(result, register.swizzled(swizzle));
            return Ok(());
        }
        // A variable slot: one predicated move per candidate, for the vertices that select it.
        let dst = isel.define(result);
        let index = isel.get(offset, &[0], Type::UD);
        let candidates = self.attributes - u32::from(slot).min(self.attributes);
        for candidate in 0..candidates {
            let register = self.attribute(u32::from(slot) + candidate)?.swizzled(swizzle);
            if candidate == 0 {
                isel.mov(dst, register);
                continue;
            }
            isel.cmp(Operand::null(Type::UD), index, Operand::ud(candidate), CondMod::Z);
            isel.mov(dst, register).predicate(false);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::output::{Interface, Varying, VertexInput};
    use crate::{CodegenOptions, StageKey};

    #[test]
    fn interface_of_a_copied_position() {
        let text = "shader vertex
input attribute0 mask=15 smooth pixel stream=0
output position mask=15 smooth pixel stream=0
block b0 {
  32x1 v0 = const 0x0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  store_output v1, v0 slot=position component=0 mask=15 stream=0
}
";
        let shader = ir::parse(text).expect("a shader");
        let devinfo = intel_isa::DevInfo::get("ivb").expect("a device");
        let (key, options) = (StageKey::default(), CodegenOptions::default());
        let compiled = crate::compile(&shader, &key, devinfo, &options).expect("a binary");
        let Interface::Vertex(interface) = &compiled.interface else { panic!("a vertex shader") };
        assert_eq!(interface.inputs, [VertexInput::Attribute { location: 0 }]);
        assert_eq!(interface.outputs.slots, [Varying::Header, Varying::Position]);
        assert_eq!(compiled.kernels[0].dispatch_grf_start, 1);
        assert_eq!(compiled.kernels[0].statistics.sends, 1);
    }
}
