//! Built-in functions, from their definitions in GLSL 4.60 chapter 8.

mod arguments;
mod common;
mod geometric;
mod integer;
mod invocation;
mod matrix;
mod packing;
mod sampling;

use program::{BuiltinFunction, ExprId, TypeId};

use self::arguments::Arguments;
use crate::environment::{Environment, Error};
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::scalar;

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

    /// Calls a function that takes the place of an argument, not its value.
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
