//! Functions about other invocations and the stage: derivatives, interpolation, votes, barriers,
//! emission, atomic counters (GLSL 4.60 sections 8.10 to 8.19).

use program::builtin_function::{
    AtomicCounterFunction, DerivativeFunction, EmissionFunction, InterpolationFunction,
    InvocationFunction, SynchronizationFunction,
};
use program::{AtomicOp, BinaryOp, ExprId, Global, Scalar, Storage};

use super::arguments::{Arguments, real1};
use crate::environment::{Error, InterpolateAt};
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::place::PlaceRoot;
use crate::scalar;

/// Lanes of a quad: 0 and 1 in one row, 2 and 3 in the next row up.
const QUAD: usize = 4;
/// Lanes of a subgroup.
const SUBGROUP: usize = 64;

impl InvocationGroup<'_> {
    /// Calls a derivative function.
    pub(super) fn derivative_function(
        &self,
        f: DerivativeFunction,
        args: &Arguments,
    ) -> Result<Value, Error> {
        use DerivativeFunction as F;
        match f {
            F::DFdx | F::DFdxCoarse => self.derivative(args, |_| (1, 0)),
            F::DFdy | F::DFdyCoarse => self.derivative(args, |_| (2, 0)),
            F::DFdxFine => self.derivative(args, |lane| (lane | 1, lane & 2)),
            F::DFdyFine => self.derivative(args, |lane| (lane | 2, lane & 1)),
            F::Fwidth | F::FwidthCoarse => self.width(args, |_| (1, 0), |_| (2, 0)),
            F::FwidthFine => {
                self.width(args, |lane| (lane | 1, lane & 2), |lane| (lane | 2, lane & 1))
            }
        }
    }

    /// Calls a function of geometry shaders.
    pub(super) fn emission(
        &mut self,
        f: EmissionFunction,
        args: &Arguments,
    ) -> Result<Value, Error> {
        use EmissionFunction as F;
        match f {
            F::EmitVertex | F::EmitStreamVertex => self.emit(args)?,
            F::EndPrimitive | F::EndStreamPrimitive => {
                for lane in self.active.clone().iter() {
                    let stream = args.values.first().map_or(0, |v| v.get(0, lane) as u32);
                    self.environment.end_primitive(lane, stream);
                }
            }
        }
        Ok(Value::zero(0, self.lanes))
    }

    /// Calls a barrier. Barriers change marks alone: all lanes run in lockstep and memory is
    /// written at once. With a critical section, fragments of one pixel are in different batches.
    pub(super) fn synchronization(&mut self, f: SynchronizationFunction) -> Value {
        use SynchronizationFunction as F;
        match f {
            F::Barrier => {
                self.shared.iter_mut().for_each(|shared| shared.synchronize(&self.active));
                Value::zero(0, self.lanes)
            }
            F::MemoryBarrier
            | F::MemoryBarrierAtomicCounter
            | F::MemoryBarrierBuffer
            | F::MemoryBarrierImage
            | F::MemoryBarrierShared
            | F::GroupMemoryBarrier
            | F::BeginInvocationInterlock
            | F::EndInvocationInterlock => Value::zero(0, self.lanes),
        }
    }

    /// Calls a function of the invocation or its subgroup.
    pub(super) fn invocation(
        &mut self,
        f: InvocationFunction,
        args: &Arguments,
    ) -> Result<Value, Error> {
        use InvocationFunction as F;
        Ok(match f {
            F::HelperInvocation => {
                let mut value = Value::zero(1, self.lanes);
                for lane in 0..self.lanes {
                    let variable = program::BuiltinVariable::HelperInvocation;
                    let helper = self.environment.system_value(variable, 0, lane) != 0;
                    value.set(0, lane, scalar::of_bool(helper || self.killed.contains(lane)));
                }
                value
            }
            F::AnyInvocation => self.vote(args, |truth, _| truth > 0)?,
            F::AllInvocations => self.vote(args, |truth, all| truth == all)?,
            F::AllInvocationsEqual => self.vote(args, |truth, all| truth == 0 || truth == all)?,
            F::Ballot => {
                let truth = args.value(0)?.truth(&self.active);
                let bits = |subgroup| {
                    let lanes = truth.iter().filter(|lane| lane / SUBGROUP == subgroup);
                    lanes.fold(0u64, |bits, lane| bits | 1 << (lane % SUBGROUP))
                };
                self.of_subgroups(bits)
            }
            F::ReadFirstInvocation => {
                let value = args.value(0)?;
                let first: Vec<usize> = (0..self.lanes.div_ceil(SUBGROUP))
                    .map(|subgroup| {
                        let mut lanes = self.active.iter();
                        lanes.find(|lane| lane / SUBGROUP == subgroup).unwrap_or(0)
                    })
                    .collect();
                broadcast(value, |lane| first[lane / SUBGROUP])
            }
            F::ReadInvocation => {
                let which = args.value(1)?.clone();
                broadcast(args.value(0)?, |lane| {
                    (lane / SUBGROUP * SUBGROUP).saturating_add(which.get(0, lane) as usize)
                })
            }
            F::QuadBroadcast => {
                let which = args.value(1)?.clone();
                broadcast(args.value(0)?, |lane| lane / 4 * 4 + (which.get(0, lane) % 4) as usize)
            }
            F::Clock => self.clock(1),
            F::Clock2x32 => self.clock(2),
        })
    }

    /// Returns the difference of two lanes of each quad, selected by a function of the lane's
    /// number in the quad. Undefined where one of them is inactive: derivatives are defined in
    /// uniform control flow only, and not after one lane was discarded.
    fn derivative(
        &self,
        args: &Arguments,
        ends: impl Fn(usize) -> (usize, usize),
    ) -> Result<Value, Error> {
        let (value, ty) = (args.value(0)?, args.scalar(0)?);
        let subtract = scalar::binary(BinaryOp::Sub, ty)
            .ok_or(Error::Malformed("operand of a derivative is not numeric"))?;
        let mut result = Value::zero(value.components(), self.lanes);
        for c in 0..value.components() {
            for lane in 0..self.lanes {
                let (quad, place) = self.quad_of(lane);
                let (to, from) = ends(place);
                let (to, from) = (quad[to], quad[from]);
                result.set(c, lane, subtract(value.get(c, to), value.get(c, from)));
                let end_undefined = |end| value.is_undefined(c, end) || !self.active.contains(end);
                if end_undefined(to) || end_undefined(from) {
                    result.mark_undefined(c, lane);
                }
            }
        }
        Ok(result)
    }

    /// Returns the lanes of a lane's quad, and the lane's number in it: four neighbors in the order
    /// of lanes or, with `derivative_group_quadsNV`, two by two in the work group's x and y.
    pub(super) fn quad_of(&self, lane: usize) -> ([usize; QUAD], usize) {
        let layout = &self.shader.layout;
        match (layout.derivative_group_quads, layout.local_size) {
            (Some(true), Some([width, ..])) => {
                let width = width.max(1) as usize;
                let (x, y) = (lane % width, lane / width);
                let corner = lane - x % 2 - y % 2 * width;
                ([corner, corner + 1, corner + width, corner + width + 1], x % 2 + y % 2 * 2)
            }
            // Without grouping there are no neighbors, and all derivatives are zero.
            (None, _) if self.shader.stage != program::Stage::Fragment => ([lane; QUAD], 0),
            _ => {
                let first = lane / QUAD * QUAD;
                ([first, first + 1, first + 2, first + 3], lane % QUAD)
            }
        }
    }

    fn width(
        &self,
        args: &Arguments,
        x: impl Fn(usize) -> (usize, usize),
        y: impl Fn(usize) -> (usize, usize),
    ) -> Result<Value, Error> {
        let ty = args.scalar(0)?;
        let magnitude = |v: Value| real1(&v, ty, f64::abs);
        let (dx, dy) = (magnitude(self.derivative(args, x)?), magnitude(self.derivative(args, y)?));
        self.componentwise(BinaryOp::Add, ty, &dx, &dy)
    }

    /// Returns the clock in executed statements; it is unrelated to the clocks of other executors.
    fn clock(&mut self, components: usize) -> Value {
        let time = self.environment.clock();
        let mut value = Value::undefined(components, self.lanes);
        for lane in 0..self.lanes {
            value.set(0, lane, if components == 1 { time } else { time & u64::from(u32::MAX) });
            if components > 1 {
                value.set(1, lane, time >> 32);
            }
            (0..components).for_each(|c| value.mark_undefined(c, lane));
        }
        value
    }

    fn emit(&mut self, args: &Arguments) -> Result<(), Error> {
        let slots = self.collect_varyings(None);
        let active = self.active.clone();
        let stream = |lane| args.values.first().map_or(0, |v| v.get(0, lane) as u32);
        // A constant expression: the same in all lanes.
        let written = self.stream_components(active.iter().next().map_or(0, stream));
        self.undefined.emitted.resize(slots.len(), 0);
        for (all, (slot, mask)) in self.undefined.emitted.iter_mut().zip(slots.iter().zip(written))
        {
            *all |= slot.undefined_components(&active) & mask;
        }
        for lane in active.iter() {
            let stream = stream(lane);
            let vertex: Vec<[u32; 4]> = slots
                .iter()
                .map(|slot| std::array::from_fn(|c| slot.get(c, lane) as u32))
                .collect();
            self.environment.emit_vertex(lane, stream, &vertex);
        }
        self.forget_outputs();
        Ok(())
    }

    /// Outputs are undefined after a vertex is emitted (GLSL 4.60 section 8.13). They keep their
    /// values, as on hardware, and are marked.
    fn forget_outputs(&mut self) {
        let is_output = |(_, global): &(_, &Global)| global.storage == Storage::Output;
        for (id, _) in self.shader.globals.iter().filter(is_output) {
            let value = &mut self.globals[id];
            for lane in self.active.iter() {
                (0..value.components()).for_each(|c| value.mark_undefined(c, lane));
            }
        }
    }

    /// Applies a predicate to the number of lanes with a true argument and the number of active
    /// lanes.
    fn vote(&self, args: &Arguments, judge: fn(u32, u32) -> bool) -> Result<Value, Error> {
        let truth = args.value(0)?.truth(&self.active);
        Ok(self.of_subgroups(|subgroup| {
            let [truth, all] = [&truth, &self.active]
                .map(|set| set.iter().filter(|lane| lane / SUBGROUP == subgroup).count() as u32);
            scalar::of_bool(judge(truth, all))
        }))
    }

    /// Returns a value that is the same in all lanes of a subgroup, by the number of the subgroup.
    fn of_subgroups(&self, value: impl Fn(usize) -> u64) -> Value {
        if self.lanes <= SUBGROUP {
            return Value::uniform(value(0), self.lanes);
        }
        let mut result = Value::zero(1, self.lanes);
        for first in (0..self.lanes).step_by(SUBGROUP) {
            let bits = value(first / SUBGROUP);
            for lane in first..self.lanes.min(first + SUBGROUP) {
                result.set(0, lane, bits);
            }
        }
        result
    }

    pub(super) fn interpolate_at(
        &mut self,
        f: InterpolationFunction,
        arguments: &[ExprId],
    ) -> Result<Value, Error> {
        use InterpolationFunction as F;
        let interpolant = *arguments.first().ok_or(Error::Malformed("no interpolant"))?;
        let place =
            self.place(interpolant)?.ok_or(Error::Malformed("interpolant is not a variable"))?;
        let PlaceRoot::Global(id) = place.root else {
            return Err(Error::Malformed("interpolant is not an input"));
        };
        let global = &self.shader.globals[id];
        let varying_components = self.varying_components(global, global.ty);
        let at = arguments.get(1).map(|&a| self.eval(a)).transpose()?;
        let half = arguments.get(1).is_some_and(|&a| {
            self.types.scalar_of(self.shader.exprs[a].ty) == Some(Scalar::Float16)
        });
        let offset = |bits| if half { scalar::f16_of(bits) as f32 } else { scalar::f32_of(bits) };
        let count =
            place.swizzle.as_ref().map_or(self.layout.component_count(place.ty), |s| s.len());
        let mut value = Value::undefined(count, self.lanes);
        for lane in 0..self.lanes {
            let operand = |c| at.as_ref().map_or(0, |v: &Value| v.get(c, lane));
            let location = match f {
                F::InterpolateAtCentroid => InterpolateAt::Centroid,
                F::InterpolateAtSample => InterpolateAt::Sample(operand(0) as u32),
                F::InterpolateAtOffset => {
                    InterpolateAt::Offset(offset(operand(0)), offset(operand(1)))
                }
            };
            for c in 0..count {
                let component = place.swizzle.as_ref().map_or(c, |s| s[c] as usize);
                let cell = place.offsets[lane] as usize + component;
                if let Some(Some(source)) = varying_components.get(cell) {
                    let bits = self.read_varying_component(source, 0, lane, location);
                    value.set(c, lane, bits);
                }
            }
        }
        Ok(value)
    }

    pub(super) fn atomic_counter(
        &mut self,
        f: AtomicCounterFunction,
        arguments: &[ExprId],
    ) -> Result<Value, Error> {
        use AtomicCounterFunction as F;
        let (counter, data) = arguments.split_first().ok_or(Error::Malformed("no counter"))?;
        let place = self.place(*counter)?.ok_or(Error::Malformed("counter is not a variable"))?;
        let data = self.eval_all(data)?;
        let (op, operands) = match f {
            F::AtomicCounter => return self.load(&place),
            F::AtomicCounterIncrement => (AtomicOp::Add, vec![Value::uniform(1, self.lanes)]),
            F::AtomicCounterDecrement => {
                let old = self.atomic_on(
                    AtomicOp::Add,
                    &place,
                    &[Value::uniform(0xffff_ffff, self.lanes)],
                    Scalar::Uint,
                )?;
                // The result is the value after the decrement.
                return Ok(old.map(|x| x.wrapping_sub(1) & 0xffff_ffff));
            }
            F::AtomicCounterSubtract => (
                AtomicOp::Add,
                data.iter().map(|v| v.map(|x| x.wrapping_neg() & 0xffff_ffff)).collect(),
            ),
            F::AtomicCounterAdd => (AtomicOp::Add, data),
            F::AtomicCounterMin => (AtomicOp::Min, data),
            F::AtomicCounterMax => (AtomicOp::Max, data),
            F::AtomicCounterAnd => (AtomicOp::And, data),
            F::AtomicCounterOr => (AtomicOp::Or, data),
            F::AtomicCounterXor => (AtomicOp::Xor, data),
            F::AtomicCounterExchange => (AtomicOp::Exchange, data),
            F::AtomicCounterCompSwap => (AtomicOp::CompareSwap, data),
        };
        self.atomic_on(op, &place, &operands, Scalar::Uint)
    }
}

fn broadcast(value: &Value, from: impl Fn(usize) -> usize) -> Value {
    let mut result = Value::zero(value.components(), value.lanes());
    for c in 0..value.components() {
        for lane in 0..value.lanes() {
            let source = from(lane);
            result.set(c, lane, value.get(c, source));
            if source >= value.lanes() || value.is_undefined(c, source) {
                result.mark_undefined(c, lane);
            }
        }
    }
    result
}
