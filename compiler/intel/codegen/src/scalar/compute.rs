//! Compute stage: payload, invocation numbers, the end of the thread.
//!
//! Payload: g0 (dwords 1, 6, 7 the work group's number, dword 2 the barrier's), push constants,
//! then a register of the thread: dwords 0 to 2 the work group's size if it varies, then the
//! thread's number in the group.

use super::target::{Components, Scalar, ScalarSelection};
use crate::codegen::{self, CodeGenerator};
use crate::error::CompileError;
use crate::isel::memory_effects::is_order_dependent;
use crate::isel::push_constants::choose_push_ranges;
use crate::isel::{self, Selection, StageSelection, widths};
use crate::lir::{Arf, MessageKind, Op, Operand, REG_SIZE, Type};
use crate::output::{ComputeInterface, Interface, Output, Width};
use crate::sends;
use crate::stage_key::StageKey;
use intel_isa::desc::{self, Lengths, SpawnerMessage};
use ir::{Intrinsic, IntrinsicOp, Shader, Value};
use vocabulary::{InternalError, Phase};

/// First register of the push constants.
const PUSH_START: u32 = 1;

/// State of the compute stage.
#[derive(Default)]
struct ComputeStage {
    /// Register with the data of the thread.
    thread_data: u32,
}

/// Compiles a compute shader for every width wanted and possible: SIMD8 always, SIMD16 unless it
/// would spill.
///
/// # Errors
/// The back end lacks something that the shader uses, or allocation or encoding fails.
pub fn compile(
    shader: &Shader,
    _key: &StageKey,
    codegen: &CodeGenerator<'_>,
) -> Result<Output, CompileError> {
    let max_push = u32::from(codegen.model.devinfo().max_push_registers);
    let push = choose_push_ranges(shader, max_push);
    let kernels = widths::kernels(&codegen.options.widths, true, |width| {
        let selection = Selection::new(shader, codegen.model, width, &push);
        let selected = isel::select(selection, &mut ComputeStage::default())?;
        codegen.generate_kernel(selected, width == Width::Simd8)
    })?;
    let size = shader.info.local_size;
    let interface = ComputeInterface {
        local_size: (!has_variable_size(shader)).then_some(size),
        shared_size: shader.info.shared_size,
        order_dependent: is_order_dependent(shader),
    };
    Ok(codegen::output(shader, kernels, push, Interface::Compute(interface)))
}

/// Returns whether the work group's size is known at dispatch only.
fn has_variable_size(shader: &Shader) -> bool {
    shader.info.local_size.contains(&0)
}

impl StageSelection<Scalar> for ComputeStage {
    fn lay_out_payload(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        isel.push_start = PUSH_START;
        self.thread_data = PUSH_START + isel.pushed_registers();
        isel.program.payload_regs = self.thread_data as u8 + 1;
        Ok(())
    }

    fn emit_prologue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        emit_shared_memory_index(isel);
        Ok(())
    }

    fn emit_intrinsic(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        let Some(result) = result else { return isel.emit_memory(intrinsic, result) };
        let value: Components = match intrinsic.op {
            WorkgroupId => [1, 6, 7]
                .map(|dword| Operand::grf_scalar(4 * dword, Type::UD))
                .into_iter()
                .collect(),
            WorkgroupSize => (0..3).map(|c| self.group_size(isel, c)).collect(),
            NumWorkgroups => {
                let data = isel.pull(isel.bindings.groups, 0);
                (0..3).map(|c| data.byte_offset(4 * c).scalar()).collect()
            }
            LocalInvocationIndex if in_quads(isel.shader) => {
                std::iter::once(self.index_from_id(isel)).collect()
            }
            LocalInvocationIndex => std::iter::once(self.invocation_index(isel)).collect(),
            LocalInvocationId => self.invocation_id(isel),
            _ => return isel.emit_memory(intrinsic, Some(result)),
        };
        isel.set(result, value);
        Ok(())
    }

    /// Emits the message that ends the thread.
    fn emit_epilogue(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        let spawner = SpawnerMessage { spawn: false, root: false, no_urb: true };
        let message = desc::Message::Spawner(spawner);
        let mut message =
            sends::typed(isel.model, &message, Lengths::new(1, 0), MessageKind::Gateway)?;
        message.eot = true;
        let mut b = isel.builder();
        let payload = Operand::vgrf(b.program.vreg(1), Type::UD);
        let mut all = b.all_channels(8);
        all.mov(payload, Operand::grf(0, Type::UD));
        all.emit(Op::Send, Operand::null(Type::UD), &[payload]).message = Some(message);
        Ok(())
    }
}

impl ComputeStage {
    /// Component of the work group's size.
    fn group_size(&self, isel: &ScalarSelection<'_>, component: u32) -> Operand {
        if has_variable_size(isel.shader) {
            return Operand::grf_scalar(self.thread_data * REG_SIZE + 4 * component, Type::UD);
        }
        Operand::ud(isel.shader.info.local_size[component as usize])
    }

    /// Number of each invocation in the work group, in the order of channels.
    fn invocation_index(&self, isel: &mut ScalarSelection<'_>) -> Operand {
        let dword = if has_variable_size(isel.shader) { 3 } else { 0 };
        let thread = Operand::grf_scalar(self.thread_data * REG_SIZE + 4 * dword, Type::UD);
        let channels = isel.emit_channel_numbers();
        let shift = u32::from(isel.program.width).ilog2();
        let mut b = isel.builder();
        let (first, index) = (b.temp(Type::UD), b.temp(Type::UD));
        b.emit(Op::Shl, first, &[thread, Operand::ud(shift)]);
        b.emit(Op::Add, index, &[first, channels]);
        index
    }

    /// Position of each invocation in the work group: x varies fastest, or the position in the quad
    /// and then the quad's x.
    fn invocation_id(&self, isel: &mut ScalarSelection<'_>) -> Components {
        let index = self.invocation_index(isel);
        if !in_quads(isel.shader) {
            return split(isel, index, [self.group_size(isel, 0), self.group_size(isel, 1)])
                .into_iter()
                .collect();
        }
        let quad = divided(isel, Op::MathIntDivQuotient, index, Operand::ud(4));
        // Sizes in x and y are even then, and constant.
        let half = |size: Operand| Operand::ud((fixed_size(size) / 2).max(1));
        let sizes = [half(self.group_size(isel, 0)), half(self.group_size(isel, 1))];
        let [column, row, z] = split(isel, quad, sizes);
        let place = divided(isel, Op::MathIntDivQuotient, index, Operand::ud(2));
        let [x, y] = [(column, index), (row, place)].map(|(quad, part)| {
            let mut b = isel.builder();
            let (bit, first, sum) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
            b.emit(Op::And, bit, &[part, Operand::ud(1)]);
            b.emit(Op::Shl, first, &[quad, Operand::ud(1)]);
            b.emit(Op::Or, sum, &[first, bit]);
            sum
        });
        [x, y, z].into_iter().collect()
    }

    /// Number of each invocation from its position, if channels are in another order.
    fn index_from_id(&self, isel: &mut ScalarSelection<'_>) -> Operand {
        let id = self.invocation_id(isel);
        let sizes = [self.group_size(isel, 1), self.group_size(isel, 0)];
        let mut index = id[2];
        for (size, digit) in sizes.into_iter().zip([id[1], id[0]]) {
            let size = fixed_size(size) as u16;
            let mut b = isel.builder();
            let (product, sum, whole) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
            // A copy: the number may be a constant so far.
            b.mov(whole, index);
            b.emit(Op::Mul, product, &[whole, Operand::uw(size)]);
            b.emit(Op::Add, sum, &[product, digit]);
            index = sum;
        }
        index
    }
}

/// Passes the thread's share of shared memory to the data port, on generations where threads must
/// do that.
fn emit_shared_memory_index(isel: &mut ScalarSelection<'_>) {
    if isel.shader.info.shared_size == 0 || !isel.model.devinfo().moves_shared_memory_index {
        return;
    }
    let mut state = Operand::arf(Arf::State(0), Type::UW);
    state.offset = 4;
    isel.builder().all_channels(1).mov(state, Operand::grf_scalar(2, Type::UW));
}

/// Returns whether four consecutive channels are two by two neighbors in x and y.
fn in_quads(shader: &Shader) -> bool {
    shader.info.derivative_group == ir::DerivativeGroup::Quads
}

/// Splits a number into three digits to the given bases, the lowest first.
fn split(
    isel: &mut ScalarSelection<'_>,
    number: Operand,
    [width, height]: [Operand; 2],
) -> [Operand; 3] {
    let x = divided(isel, Op::MathIntDivRemainder, number, width);
    let row = divided(isel, Op::MathIntDivQuotient, number, width);
    let y = divided(isel, Op::MathIntDivRemainder, row, height);
    let z = divided(isel, Op::MathIntDivQuotient, row, height);
    [x, y, z]
}

/// Quotient or remainder by a positive number.
fn divided(isel: &mut ScalarSelection<'_>, op: Op, value: Operand, by: Operand) -> Operand {
    let quotient = op == Op::MathIntDivQuotient;
    let mut b = isel.builder();
    let result = b.temp(Type::UD);
    match by.imm_bits().map(|n| n as u32) {
        Some(1) if quotient => return value,
        Some(1) => return Operand::ud(0),
        Some(n) if n.is_power_of_two() && quotient => {
            b.emit(Op::Shr, result, &[value, Operand::ud(n.ilog2())]);
        }
        Some(n) if n.is_power_of_two() => {
            b.emit(Op::And, result, &[value, Operand::ud(n - 1)]);
        }
        _ => {
            let divisor = b.temp(Type::UD);
            b.mov(divisor, by);
            b.emit(op, result, &[value, divisor]);
        }
    }
    result
}

/// A size of the work group of a shader with derivatives, which must be constant.
fn fixed_size(size: Operand) -> u32 {
    match size.imm_bits() {
        Some(bits) => bits as u32,
        None => InternalError::new(Phase::Lower, "quads in a work group of variable size").raise(),
    }
}
