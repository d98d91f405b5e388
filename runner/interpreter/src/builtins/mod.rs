//! Built-in functions, from their definitions in GLSL 4.60 chapter 8.

mod common;
mod geometric;
mod integer;
mod invocation;
mod matrix;
mod packing;
mod sampling;

use program::{BuiltinFunction, ExprId, Scalar, TypeId};

use crate::environment::{Environment, Error};
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::scalar;

/// Evaluated arguments with their component types.
pub(crate) struct Arguments {
    values: Vec<Value>,
    scalars: Vec<Option<Scalar>>,
}

impl Arguments {
    fn value(&self, index: usize) -> Result<&Value, Error> {
        self.values.get(index).ok_or(Error::Malformed("too few arguments of a built-in function"))
    }

    fn scalar(&self, index: usize) -> Result<Scalar, Error> {
        self.scalars.get(index).copied().flatten().ok_or(Error::Malformed("argument is not numeric"))
    }

    /// An argument with a scalar widened to `components`.
    fn widened(&self, index: usize, components: usize) -> Result<Value, Error> {
        let value = self.value(index)?;
        Ok(if value.components() == 1 && components > 1 { value.splat(components) } else { value.clone() })
    }

    fn all(&self) -> Vec<&Value> {
        self.values.iter().collect()
    }
}

impl<E: Environment> InvocationGroup<'_, E> {
    /// Calls a built-in function.
    pub(crate) fn builtin(
        &mut self,
        function: BuiltinFunction,
        arguments: &[ExprId],
        ty: TypeId,
    ) -> Result<Value, Error> {
        if let Some(value) = self.place_builtin(function, arguments, ty)? {
            return Ok(value);
        }
        let values = self.eval_all(arguments)?;
        let scalars = arguments.iter().map(|&a| self.types.scalar_of(self.shader.exprs[a].ty)).collect();
        let arguments_ = Arguments { values, scalars };
        let components = self.layout.component_count(ty);
        let result = self.types.scalar_of(ty);
        for family in [common::call, integer::call, packing::call] {
            if let Some(value) = family(function, &arguments_, result, components)? {
                return Ok(value);
            }
        }
        let shapes: Vec<_> = arguments.iter().map(|&a| self.types.shape(self.shader.exprs[a].ty)).collect();
        if let Some(value) = geometric::call(function, &arguments_, result, components)? {
            return Ok(value);
        }
        if let Some(value) = matrix::call(function, &arguments_, &shapes)? {
            return Ok(value);
        }
        if let Some(value) = self.invocation_builtin(function, &arguments_)? {
            return Ok(value);
        }
        Err(Error::Unsupported(function.name()))
    }

    /// Functions that write through or look behind an argument's place.
    fn place_builtin(
        &mut self,
        function: BuiltinFunction,
        arguments: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<Value>, Error> {
        use BuiltinFunction as F;
        match function {
            F::Modf | F::Frexp => self.split_float(function, arguments).map(Some),
            F::UaddCarry | F::UsubBorrow => self.carry(function, arguments).map(Some),
            F::UmulExtended | F::ImulExtended => self.wide_product(function, arguments).map(Some),
            F::InterpolateAtCentroid | F::InterpolateAtSample | F::InterpolateAtOffset => {
                self.interpolate_at(function, arguments).map(Some)
            }
            _ if function.name().starts_with("atomicCounter") => {
                self.atomic_counter(function, arguments, ty).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn store_argument(&mut self, argument: ExprId, value: &Value) -> Result<(), Error> {
        let place = self.place(argument)?.ok_or(Error::Malformed("out argument is a value"))?;
        self.store(&place, value)
    }

    fn split_float(&mut self, function: BuiltinFunction, arguments: &[ExprId]) -> Result<Value, Error> {
        let [x, out] = arguments else { return Err(Error::Malformed("wrong number of arguments")) };
        let ty = self.scalar_of(self.shader.exprs[*x].ty)?;
        let value = self.eval(*x)?;
        let part = |f: fn(f64) -> f64| value.map(|bits| scalar::from_f64(ty, f(scalar::to_f64(ty, bits))));
        if function == BuiltinFunction::Modf {
            self.store_argument(*out, &part(libm::trunc))?;
            return Ok(part(|x| {
                if x.is_infinite() { 0.0f64.copysign(x) } else { (x - libm::trunc(x)).copysign(x) }
            }));
        }
        let exponents = value.map(|bits| libm::frexp(scalar::to_f64(ty, bits)).1 as i64 as u64);
        self.store_argument(*out, &exponents)?;
        Ok(part(|x| if x.is_finite() { libm::frexp(x).0 } else { x }))
    }
}

/// Applies a function of real numbers to every component, rounding its result once.
fn real1(value: &Value, ty: Scalar, f: impl Fn(f64) -> f64) -> Value {
    value.map(|x| scalar::from_f64(ty, f(scalar::to_f64(ty, x))))
}

/// As [`real1`] with two operands.
fn real2(a: &Value, b: &Value, ty: Scalar, f: impl Fn(f64, f64) -> f64) -> Value {
    a.zip(b, |x, y| scalar::from_f64(ty, f(scalar::to_f64(ty, x), scalar::to_f64(ty, y))))
}

/// As [`real1`] with three operands.
fn real3(a: &Value, b: &Value, c: &Value, ty: Scalar, f: impl Fn(f64, f64, f64) -> f64) -> Value {
    let real = |x| scalar::to_f64(ty, x);
    a.zip3(b, c, |x, y, z| scalar::from_f64(ty, f(real(x), real(y), real(z))))
}

/// Marks the components whose operand the specification gives no meaning.
fn undefined_where(mut result: Value, operand: &Value, ty: Scalar, bad: impl Fn(f64) -> bool) -> Value {
    for c in 0..result.components() {
        for lane in 0..result.lanes() {
            if bad(scalar::to_f64(ty, operand.get(c, lane))) {
                result.mark_undefined(c, lane);
            }
        }
    }
    result
}
