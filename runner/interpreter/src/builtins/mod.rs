//! Built-in functions, from their definitions in GLSL 4.60 chapter 8.

mod arguments;
mod common;
mod geometric;
mod integer;
mod invocation;
mod matrix;
mod packing;
mod sampling;
#[cfg(test)]
mod tests;

use program::builtin_function::OutParameterFunction;
use program::{BuiltinFamily, BuiltinFunction, Expr, ExprId, Scalar, TypeId};

use self::arguments::{Arguments, real1};
use crate::environment::Error;
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::scalar;

impl InvocationGroup<'_> {
    /// Calls a built-in function.
    pub(crate) fn builtin(
        &mut self,
        function: BuiltinFunction,
        arguments: &[ExprId],
        expr: &Expr,
    ) -> Result<Value, Error> {
        use BuiltinFamily as B;
        let ty = expr.ty;
        match function.family() {
            B::OutParameter(f) => self.out_parameter_function(f, arguments),
            B::Interpolation(f) => self.interpolate_at(f, arguments),
            B::AtomicCounter(f) => self.atomic_counter(f, arguments),
            B::Angle(_)
            | B::Exponential(_)
            | B::Common(_)
            | B::BitCast(_)
            | B::Relational(_)
            | B::Integer(_)
            | B::Packing(_)
            | B::Repacking(_)
            | B::Geometric(_)
            | B::Noise(_)
            | B::Matrix(_) => {
                let values = self.eval_all(arguments)?;
                let types: Vec<TypeId> =
                    arguments.iter().map(|&a| self.shader.exprs[a].ty).collect();
                let value = self.builtin_of_values(function, &types, values, ty)?;
                Ok(self.open_result(function, ty, expr.precise, value))
            }
            B::Derivative(f) => {
                let arguments = self.evaluated(arguments)?;
                self.derivative_function(f, &arguments)
            }
            B::Emission(f) => {
                let arguments = self.evaluated(arguments)?;
                self.emission(f, &arguments)
            }
            B::Synchronization(f) => {
                self.evaluated(arguments)?;
                Ok(self.synchronization(f))
            }
            B::Invocation(f) => {
                let arguments = self.evaluated(arguments)?;
                self.invocation(f, &arguments)
            }
        }
    }

    /// Calls a built-in function whose result follows from the values of its arguments.
    pub(crate) fn builtin_of_values(
        &self,
        function: BuiltinFunction,
        types: &[TypeId],
        values: Vec<Value>,
        ty: TypeId,
    ) -> Result<Value, Error> {
        use BuiltinFamily as B;
        let result = self.types.scalar_of(ty);
        let components = self.layout.component_count(ty);
        let scalars = types.iter().map(|&ty| self.types.scalar_of(ty)).collect();
        let args = Arguments { values, scalars };
        match function.family() {
            B::Angle(f) => common::angle(f, &args),
            B::Exponential(f) => common::exponential(f, &args, components),
            B::Common(f) => common::common(f, &args, result, components),
            B::BitCast(_) => common::bit_cast(&args, result),
            B::Relational(f) => common::relational(f, &args),
            B::Integer(f) => integer::integer(f, &args, components),
            B::Packing(f) => packing::packing(f, &args, components),
            B::Repacking(f) => packing::repacking(f, &args, result, components),
            B::Geometric(f) => geometric::geometric(f, &args, result, components),
            B::Noise(f) => geometric::noise(f, args.value(0)?),
            B::Matrix(f) => {
                let shape = types.first().and_then(|&ty| self.types.shape(ty));
                matrix::matrix(f, &args, shape)
            }
            _ => Err(Error::Malformed("built-in function of more than values")),
        }
    }

    /// Marks NaN in the result of a function that computes numbers as undefined.
    pub(crate) fn open_result(
        &self,
        function: BuiltinFunction,
        ty: TypeId,
        precise: bool,
        value: Value,
    ) -> Value {
        use BuiltinFamily as B;
        match function.family() {
            B::Angle(_) | B::Exponential(_) | B::Common(_) | B::Geometric(_) | B::Matrix(_) => {
                self.mark_open_nans(ty, precise, value)
            }
            _ => value,
        }
    }

    /// Evaluates the arguments of a built-in function.
    fn evaluated(&mut self, arguments: &[ExprId]) -> Result<Arguments, Error> {
        let values = self.eval_all(arguments)?;
        let scalars =
            arguments.iter().map(|&a| self.types.scalar_of(self.shader.exprs[a].ty)).collect();
        Ok(Arguments { values, scalars })
    }

    /// Calls a function that writes arguments.
    fn out_parameter_function(
        &mut self,
        f: OutParameterFunction,
        arguments: &[ExprId],
    ) -> Result<Value, Error> {
        use OutParameterFunction as F;
        match f {
            F::Modf => self.modf(arguments),
            F::Frexp => self.frexp(arguments),
            F::UaddCarry => self.add_with_carry(arguments),
            F::UsubBorrow => self.subtract_with_borrow(arguments),
            F::UmulExtended => self.wide_product(Scalar::Uint, arguments),
            F::ImulExtended => self.wide_product(Scalar::Int, arguments),
        }
    }

    /// Writes the `out` arguments of parameters of type `from`, converted to their own type (GLSL
    /// 4.60 section 6.1.1). Places are found before the first of them is written.
    fn store_arguments(&mut self, from: Scalar, outs: &[(ExprId, Value)]) -> Result<(), Error> {
        let mut places = Vec::with_capacity(outs.len());
        for (argument, _) in outs {
            let place = self.place(*argument)?;
            places.push(place.ok_or(Error::Malformed("out argument is a value"))?);
        }
        for (place, (argument, value)) in places.iter().zip(outs) {
            let to = self.scalar_of(self.shader.exprs[*argument].ty)?;
            self.store(place, &self.convert(from, to, value))?;
        }
        Ok(())
    }

    fn modf(&mut self, arguments: &[ExprId]) -> Result<Value, Error> {
        let [x, out] = arguments else { return Err(Error::Malformed("wrong number of arguments")) };
        let ty = self.scalar_of(self.shader.exprs[*x].ty)?;
        let value = self.eval(*x)?;
        self.store_arguments(ty, &[(*out, real1(&value, ty, libm::trunc))])?;
        Ok(real1(&value, ty, |x| {
            if x.is_infinite() { 0.0f64.copysign(x) } else { (x - libm::trunc(x)).copysign(x) }
        }))
    }

    fn frexp(&mut self, arguments: &[ExprId]) -> Result<Value, Error> {
        let [x, out] = arguments else { return Err(Error::Malformed("wrong number of arguments")) };
        let ty = self.scalar_of(self.shader.exprs[*x].ty)?;
        let value = self.eval(*x)?;
        let exponents = value.map(|bits| libm::frexp(scalar::to_f64(ty, bits)).1 as i64 as u64);
        let narrow = self.types.scalar_of(self.shader.exprs[*out].ty) == Some(Scalar::Int16);
        let whole = if narrow { Scalar::Int16 } else { Scalar::Int };
        self.store_arguments(whole, &[(*out, exponents)])?;
        Ok(real1(&value, ty, |x| if x.is_finite() { libm::frexp(x).0 } else { x }))
    }
}
