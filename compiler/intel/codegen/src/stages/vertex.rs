//! Vertex stage: each lane runs one vertex.
//!
//! The payload has output handles, push constants, then the input slots: attributes, system values,
//! draw parameters.

use super::slot_access::{Outputs, SlotAccess};
use super::vue;
use crate::codegen::CodeGenerator;
use crate::error::CompileError;
use crate::isel::push_constants::choose_push_ranges;
use crate::isel::{Selection, StageSelection};
use crate::lir::{Op, Operand, Type};
use crate::output::{Interface, Output, VertexInput, VertexInterface, VueMap};
use crate::stage_key::StageKey;
use ir::{Intrinsic, IntrinsicOp, Shader, Slot, Value};
use std::ops::Range;

/// Payload of a back end's vertex threads.
pub trait VertexTarget: SlotAccess {
    /// First register of the push constants.
    const PUSH_START: u32;
    /// Registers of an input slot.
    const REGISTERS_PER_SLOT: u32;
    /// Last register that the payload may take: messages and temporaries need some.
    const PAYLOAD_END: u32;

    /// Output vertices of which nothing is written yet.
    fn outputs(map: VueMap) -> Self::Outputs;

    /// Component `component` of the input slot at register `register`.
    fn input_component(register: u32, component: u8) -> Operand;

    /// Lets `result` be the components of the input slot at register `register` from `first` on.
    fn set_attribute(isel: &mut Selection<'_, Self>, result: Value, register: u32, first: u8);

    /// Defines `result` as the components from `first` on of one of the input slots at `registers`,
    /// which `index` selects for each lane.
    ///
    /// # Errors
    /// The back end wants such accesses lowered.
    fn select_attribute(
        isel: &mut Selection<'_, Self>,
        result: Value,
        index: Value,
        registers: Range<u32>,
        first: u8,
    ) -> Result<(), CompileError>;

    /// Defines the scalar `result` as the result of an operation on `ty`.
    fn define_op(
        isel: &mut Selection<'_, Self>,
        result: Value,
        op: Op,
        ty: Type,
        operands: [Operand; 2],
    );
}

/// State of the vertex stage.
struct VertexStage<T: SlotAccess> {
    /// First register of the inputs.
    start: u32,
    /// Number of attribute slots.
    attributes: u32,
    /// Inputs in payload order.
    inputs: Vec<VertexInput>,
    outputs: T::Outputs,
}

/// Compiles a vertex shader.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile<T: VertexTarget>(
    shader: &Shader,
    key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Output, CompileError> {
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let (attributes, inputs) = vue::vertex_inputs(shader);
    let left = T::PAYLOAD_BUDGET.saturating_sub(T::REGISTERS_PER_SLOT * inputs.len() as u32);
    let push = choose_push_ranges(shader, left.min(max_push));
    let outputs = T::outputs(vue::output_map(shader, key)?);
    let stage = VertexStage::<T> { start: 0, attributes, inputs, outputs };
    codegen.compile_single(shader, T::WIDTH, push, stage, |stage| {
        let (inputs, outputs) = (stage.inputs, stage.outputs.into_map());
        Interface::Vertex(VertexInterface { inputs, outputs })
    })
}

impl<T: VertexTarget> StageSelection<T> for VertexStage<T> {
    fn lay_out_payload(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        isel.push_start = T::PUSH_START;
        self.start = T::PUSH_START + isel.pushed_registers();
        let end = self.register(self.inputs.len() as u32);
        if end > T::PAYLOAD_END {
            return Err(CompileError::lower("vertex inputs do not fit the register file"));
        }
        isel.program.payload_regs = end as u8;
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
            (StoreOutput, _) => self.outputs.store(isel, intrinsic),
            (LoadInput, Some(result)) => self.emit_attribute(isel, intrinsic, result),
            (
                VertexId | VertexIdZeroBase | InstanceId | BaseInstance | BaseVertex | DrawId,
                Some(result),
            ) => self.emit_system_value(isel, intrinsic.op, result),
            _ => T::emit_memory(isel, intrinsic, result),
        }
    }

    fn emit_epilogue(&mut self, isel: &mut Selection<'_, T>) -> Result<(), CompileError> {
        self.outputs.end_thread(isel)
    }
}

impl<T: VertexTarget> VertexStage<T> {
    /// Register of input slot `slot`.
    fn register(&self, slot: u32) -> u32 {
        self.start + T::REGISTERS_PER_SLOT * slot
    }

    fn emit_attribute(
        &self,
        isel: &mut Selection<'_, T>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let Slot::Attribute(slot) = intrinsic.fields.slot else {
            return Err(CompileError::internal("vertex input is not an attribute"));
        };
        let Some(&offset) = intrinsic.srcs.first() else {
            return Err(CompileError::internal("load_input needs an offset"));
        };
        let (slot, first) = (u32::from(slot), intrinsic.fields.component);
        let Some(constant) = isel.constant(offset) else {
            let registers = self.register(slot)..self.register(self.attributes);
            return T::select_attribute(isel, result, offset, registers, first);
        };
        let slot = slot.saturating_add(constant);
        if slot >= self.attributes {
            return Err(CompileError::lower(format!("attribute slot {slot} does not exist")));
        }
        T::set_attribute(isel, result, self.register(slot), first);
        Ok(())
    }

    /// Component of an input slot that is not an attribute.
    fn special_input(&self, input: VertexInput, component: u8) -> Result<Operand, CompileError> {
        let slot = self.inputs.iter().position(|i| *i == input);
        let slot = slot
            .ok_or_else(|| CompileError::internal("a system value is missing from the payload"))?;
        Ok(T::input_component(self.register(slot as u32), component))
    }

    fn emit_system_value(
        &self,
        isel: &mut Selection<'_, T>,
        op: IntrinsicOp,
        result: Value,
    ) -> Result<(), CompileError> {
        let system = |c| self.special_input(VertexInput::SystemValues, c);
        let draw = |c| self.special_input(VertexInput::DrawParameters, c);
        let value = match op {
            IntrinsicOp::BaseInstance => system(1)?,
            IntrinsicOp::VertexIdZeroBase => system(2)?,
            IntrinsicOp::InstanceId => system(3)?,
            IntrinsicOp::DrawId => draw(0)?,
            IntrinsicOp::BaseVertex => {
                // Zero in draws without indices.
                T::define_op(isel, result, Op::And, Type::UD, [system(0)?, draw(1)?]);
                return Ok(());
            }
            IntrinsicOp::VertexId => {
                let parts = [system(0)?.retype(Type::D), system(2)?.retype(Type::D)];
                T::define_op(isel, result, Op::Add, Type::D, parts);
                return Ok(());
            }
            _ => return Err(isel.unsupported(op)),
        };
        T::set_operand(isel, result, value);
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
