//! Those of the common functions (GLSL 4.60 section 8.3) that compare and select: nothing is rounded.

use super::exact;
use crate::number;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, Scalar, Type};

const GROUP: &str = "common";

/// Signatures with vector operands and, for vectors, with scalar ones in the places that are marked.
pub fn with_scalars(
    name: &str,
    ty: Type,
    operands: &[(Pool, bool)],
    expression: &str,
    f: impl Fn(&[Component]) -> Option<Accept> + Copy + 'static,
) -> Vec<Signature> {
    let one = Type::vector(ty.scalar, 1);
    let signature = |mixed: bool| {
        let arguments: Vec<(Type, Pool)> =
            operands.iter().map(|&(pool, scalar)| (if mixed && scalar { one } else { ty }, pool)).collect();
        Signature::elementwise(GROUP, name, &arguments, ty, expression, f)
    };
    if ty == one || operands.iter().all(|o| !o.1) {
        vec![signature(false)]
    } else {
        vec![signature(false), signature(true)]
    }
}

/// `min`, `max` and `clamp`. Of both zeros either may be the smaller; `clamp` is undefined for low > high.
pub fn extremes(ty: Type) -> Vec<Signature> {
    let defined = |x: &[Component]| !x.iter().any(|&x| number::is_nan(x));
    let minimum = |a, b| if number::less(b, a) { b } else { a };
    let maximum = |a, b| if number::less(a, b) { b } else { a };
    let pair = [(Pool::Any, false), (Pool::Related, true)];
    let limits = [(Pool::Any, false), (Pool::Related, true), (Pool::Related, true)];
    let mut list = with_scalars("min", ty, &pair, "min(a, b)", move |x| {
        defined(x).then(|| number::accept(minimum(x[0], x[1])))
    });
    list.extend(with_scalars("max", ty, &pair, "max(a, b)", move |x| {
        defined(x).then(|| number::accept(maximum(x[0], x[1])))
    }));
    list.extend(with_scalars("clamp", ty, &limits, "clamp(a, b, c)", move |x| {
        let defined = defined(x) && !number::less(x[2], x[1]);
        defined.then(|| number::accept(minimum(maximum(x[0], x[1]), x[2])))
    }));
    list
}

/// `step`.
pub fn step(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Any, true), (Pool::Related, false)];
    let [zero, one] = [0.0, 1.0].map(|n| number::constant(ty.scalar, n));
    with_scalars("step", ty, &operands, "step(a, b)", move |x| {
        let defined = !number::is_nan(x[0]) && !number::is_nan(x[1]);
        defined.then(|| number::accept(if number::less(x[1], x[0]) { zero } else { one }))
    })
}

/// `mix` by a boolean. No arithmetic: a NaN that is not selected does not matter.
pub fn selection(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty.with_scalar(Scalar::Bool), Pool::Plain)];
    Signature::elementwise(GROUP, "mix", &arguments, ty, "mix(a, b, c)", |x| {
        Some(exact(if x[2].boolean() { x[1] } else { x[0] }))
    })
}

/// `isnan` and `isinf`.
pub fn classes(ty: Type) -> [Signature; 2] {
    let class = |name: &str, f: fn(Component) -> bool| {
        let bools = ty.with_scalar(Scalar::Bool);
        Signature::elementwise(GROUP, name, &[(ty, Pool::Any)], bools, format!("{name}(a)"), move |x| {
            super::boolean(f(x[0]))
        })
    };
    [class("isnan", number::is_nan), class("isinf", number::is_infinite)]
}
