//! Compute stage: payload, invocation numbers, the end of the thread.
//!
//! Payload: g0 (dwords 1, 6, 7 the work group's number, dword 2 the barrier's), push constants, then a register of
//! the thread's own: dwords 0 to 2 the work group's size where that varies, then the thread's number in the group.

use super::translate::{Components, Translator};
use super::uniforms::choose_push_ranges;
use crate::codegen;
use crate::error::CompileError;
use crate::lir::{Arf, MessageKind, Op, Operand, REG_SIZE, Type};
use crate::model::{Model, model_for};
use crate::options::{Options, StageKey};
use crate::output::{Compiled, ComputeInterface, Interface, Kernel, PushRange, Width};
use crate::sends;
use eu::DevInfo;
use eu::desc::{self, Lengths, SpawnerMessage};
use ir::{Intrinsic, IntrinsicOp, Shader, Value};

/// First register of the push constants.
const PUSH_START: u32 = 1;

/// Compute part of instruction selection's state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ComputeState {
    /// Register of the thread's own data.
    own: u32,
}

/// Compiles a compute shader for every width wanted and possible: SIMD8 always, SIMD16 unless it would spill.
///
/// # Errors
/// Something in the shader that this back end does not support, or a failure of allocation or encoding.
pub fn compile_compute(
    shader: &Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    let model = model_for(devinfo, options.disabled_quirks);
    let push = choose_push_ranges(shader, u32::from(devinfo.max_push_registers));
    let wanted = |w: Width| options.widths.is_empty() || options.widths.contains(&w);
    let compile = |width| compile_width(shader, key, &model, options, &push, width);
    let mut kernels = Vec::new();
    if wanted(Width::Simd8) || !wanted(Width::Simd16) {
        kernels.push(compile(Width::Simd8)?);
    }
    if wanted(Width::Simd16) {
        match compile(Width::Simd16) {
            Ok(kernel) => kernels.push(kernel),
            // The narrow kernel does the work; wide ones are an optimisation.
            Err(_) if !kernels.is_empty() => {}
            Err(_) => kernels.push(compile(Width::Simd8)?),
        }
    }
    let size = shader.info.local_size;
    let interface = ComputeInterface {
        local_size: (!varies(shader)).then_some(size),
        shared_size: shader.info.shared_size,
        order_dependent: super::memory::is_order_dependent(shader),
    };
    Ok(codegen::compiled(shader, kernels, push, Interface::Compute(interface)))
}

/// The work group's size is known at dispatch only.
fn varies(shader: &Shader) -> bool {
    shader.info.local_size.contains(&0)
}

fn compile_width(
    shader: &Shader,
    key: &StageKey,
    model: &Model,
    options: &Options,
    push: &[PushRange],
    width: Width,
) -> Result<Kernel, CompileError> {
    let mut t = Translator::new(shader, model, key, width.channels(), push);
    t.push_start = PUSH_START;
    t.compute.own = PUSH_START + push.iter().map(|r| r.length).sum::<u32>();
    t.program.payload_regs = t.compute.own as u8 + 1;
    t.emit_prologue();
    t.emit_shared_memory_index();
    t.translate_body()?;
    t.end_compute_thread()?;
    let code = t.finish(options, width == Width::Simd8)?;
    Ok(code.kernel(width, PUSH_START))
}

impl Translator<'_> {
    /// Hands the thread's share of shared memory on to the data port, where threads must do that themselves.
    fn emit_shared_memory_index(&mut self) {
        if self.shader.info.shared_size == 0 || !self.model.moves_shared_memory_index() {
            return;
        }
        let mut state = Operand::arf(Arf::State(0), Type::UW);
        state.offset = 4;
        self.builder().all_channels(1).mov(state, Operand::grf_scalar(2, Type::UW));
    }

    /// Emits an intrinsic of a compute shader.
    pub(super) fn emit_compute_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        use IntrinsicOp::*;
        let Some(result) = result else { return self.emit_memory(intrinsic, result) };
        let value: Components = match intrinsic.op {
            WorkgroupId => {
                [1, 6, 7].map(|dword| Operand::grf_scalar(4 * dword, Type::UD)).into_iter().collect()
            }
            WorkgroupSize => (0..3).map(|c| self.group_size(c)).collect(),
            NumWorkgroups => {
                let data = self.pull(self.bindings.groups, 0);
                (0..3).map(|c| data.byte_offset(4 * c).scalar()).collect()
            }
            LocalInvocationIndex if self.in_quads() => std::iter::once(self.index_from_id()).collect(),
            LocalInvocationIndex => std::iter::once(self.invocation_index()).collect(),
            LocalInvocationId => self.invocation_id(),
            _ => return self.emit_memory(intrinsic, Some(result)),
        };
        self.set(result, value);
        Ok(())
    }

    /// Component of the work group's size.
    fn group_size(&self, component: u32) -> Operand {
        if varies(self.shader) {
            return Operand::grf_scalar(self.compute.own * REG_SIZE + 4 * component, Type::UD);
        }
        Operand::ud(self.shader.info.local_size[component as usize])
    }

    /// Number of each invocation in the work group, in the order of channels.
    fn invocation_index(&mut self) -> Operand {
        let dword = if varies(self.shader) { 3 } else { 0 };
        let thread = Operand::grf_scalar(self.compute.own * REG_SIZE + 4 * dword, Type::UD);
        let channels = self.emit_channel_numbers();
        let shift = u32::from(self.program.width).ilog2();
        let mut b = self.builder();
        let (first, index) = (b.temp(Type::UD), b.temp(Type::UD));
        b.emit(Op::Shl, first, &[thread, Operand::ud(shift)]);
        b.emit(Op::Add, index, &[first, channels]);
        index
    }

    /// Four consecutive channels are two by two neighbours in x and y.
    fn in_quads(&self) -> bool {
        self.shader.info.derivative_group == ir::DerivativeGroup::Quads
    }

    /// The invocation's place in the work group: x runs fastest, or the place in the quad and then the quad's x.
    fn invocation_id(&mut self) -> Components {
        let index = self.invocation_index();
        if !self.in_quads() {
            return self.split(index, [self.group_size(0), self.group_size(1)]).into_iter().collect();
        }
        let quad = self.divided(Op::MathIntDivQuotient, index, Operand::ud(4));
        // Sizes in x and y are even then, and constant.
        let half = |size: Operand| Operand::ud(size.imm_bits().map_or(1, |n| (n as u32 / 2).max(1)));
        let sizes = [half(self.group_size(0)), half(self.group_size(1))];
        let [column, row, z] = self.split(quad, sizes);
        let place = self.divided(Op::MathIntDivQuotient, index, Operand::ud(2));
        let [x, y] = [(column, index), (row, place)].map(|(quad, part)| {
            let mut b = self.builder();
            let (bit, first, sum) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
            b.emit(Op::And, bit, &[part, Operand::ud(1)]);
            b.emit(Op::Shl, first, &[quad, Operand::ud(1)]);
            b.emit(Op::Or, sum, &[first, bit]);
            sum
        });
        [x, y, z].into_iter().collect()
    }

    /// A number's three digits to the bases `sizes`, the lowest first.
    fn split(&mut self, number: Operand, [width, height]: [Operand; 2]) -> [Operand; 3] {
        let x = self.divided(Op::MathIntDivRemainder, number, width);
        let row = self.divided(Op::MathIntDivQuotient, number, width);
        let y = self.divided(Op::MathIntDivRemainder, row, height);
        let z = self.divided(Op::MathIntDivQuotient, row, height);
        [x, y, z]
    }

    /// Number of each invocation from its place, where channels are in another order.
    fn index_from_id(&mut self) -> Operand {
        let id = self.invocation_id();
        let sizes = [self.group_size(1), self.group_size(0)];
        let mut index = id[2];
        for (size, digit) in sizes.into_iter().zip([id[1], id[0]]) {
            let size = size.imm_bits().map_or(1, |n| n as u16);
            let mut b = self.builder();
            let (product, sum, whole) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
            // A copy: the number may be a constant so far.
            b.mov(whole, index);
            b.emit(Op::Mul, product, &[whole, Operand::uw(size)]);
            b.emit(Op::Add, sum, &[product, digit]);
            index = sum;
        }
        index
    }

    /// Quotient or remainder by a positive number.
    fn divided(&mut self, op: Op, value: Operand, by: Operand) -> Operand {
        let quotient = op == Op::MathIntDivQuotient;
        let mut b = self.builder();
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

    /// The message that ends the thread.
    fn end_compute_thread(&mut self) -> Result<(), CompileError> {
        if self.halts {
            self.builder().control(Op::HaltTarget);
        }
        let spawner = SpawnerMessage { spawn: false, root: false, no_urb: true };
        let message = desc::Message::Spawner(spawner);
        let mut message = sends::typed(self.model, &message, Lengths::new(1, 0), MessageKind::Gateway)?;
        message.eot = true;
        let mut b = self.builder();
        let payload = Operand::vgrf(b.program.vreg(1), Type::UD);
        let mut all = b.all_channels(8);
        all.mov(payload, Operand::grf(0, Type::UD));
        all.emit(Op::Send, Operand::null(Type::UD), &[payload]).message = Some(message);
        Ok(())
    }
}
