//! Functions with parameters: `in`, `out`, `inout`, results, arrays, structures.

use super::{exact, first};
use crate::number::{add, less, sub};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Component, Scalar, Type};

const GROUP: &str = "function";

/// A signature over a and b of one type whose types are named once.
pub fn over_two(
    name: &str,
    ty: Type,
    expression: &str,
    f: impl Fn(Component, Component) -> Component + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(GROUP, name, &arguments, ty, expression, move |x| Some(exact(f(x[0], x[1]))))
        .types(ty.glsl())
}

/// a − b by way of an `out` parameter.
pub fn out_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("out", ty, "y", sub)
        .globals(format!("void f(in {t} v, in {t} w, out {t} r)\n{{\n\tr = v;\n\tr -= w;\n}}\n\n"))
        .statements(format!("{t} y;\nf(a, b, y);"))
}

/// Twice y = y + b.
pub fn inout_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("inout", ty, "y", |a, b| add(add(a, b), b))
        .globals(format!("void f(inout {t} v, {t} w)\n{{\n\tprecise {t} sum = v + w;\n\tv = sum;\n}}\n\n"))
        .statements(format!("{t} y = a;\nf(y, b);\nf(y, b);"))
}

/// Two variables exchanged, then b − a.
pub fn exchange(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("exchange", ty, "y - z", |a, b| sub(b, a))
        .globals(format!(
            "void f(inout {t} v, inout {t} w)\n{{\n\t{t} kept = v;\n\tv = w;\n\tw = kept;\n}}\n\n"
        ))
        .statements(format!("{t} y = a;\n{t} z = b;\nf(y, z);"))
}

/// The larger by its first component, by an early return.
pub fn early_return(ty: Type) -> Signature {
    let t = ty.glsl();
    let condition = format!("{} > {}", first(ty, "v"), first(ty, "w"));
    Signature::whole(GROUP, "early_return", &[(ty, Pool::Any), (ty, Pool::Related)], ty, "f(a, b)", |x| {
        let greater = less(x[1][0], x[0][0]);
        let value = |(&a, &b): (&Component, &Component)| exact(if greater { a } else { sub(b, a) });
        Some(x[0].iter().zip(&x[1]).map(value).collect())
    })
    .types(t.clone())
    .globals(format!("{t} f({t} v, {t} w)\n{{\n\tif ({condition})\n\t\treturn v;\n\treturn w - v;\n}}\n\n"))
}

/// (v₀ + v₁) + v₂ of an array.
pub fn array_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("array", ty, &format!("f({t}[3](a, b, a))"), |a, b| add(add(a, b), a)).globals(format!(
        "{t} f({t} v[3])\n{{\n\tprecise {t} sum = v[0];\n\tfor (int i = 1; i < 3; i++)\n\t\tsum += v[i];\n\treturn sum;\n}}\n\n"
    ))
}

/// Sum and difference as members of the result.
pub fn structure_result(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("structure", ty, "s.sum + s.difference", |a, b| add(add(a, b), sub(a, b)))
        .globals(format!(
            "struct S {{\n\t{t} sum;\n\tfloat between;\n\t{t} difference;\n}};\n\n\
             S f({t} v, {t} w)\n{{\n\treturn S(v + w, 1.0, v - w);\n}}\n\n"
        ))
        .statements("S s = f(a, b);")
        .precise()
}

/// A swizzle as an `inout` argument.
pub fn swizzled_inout(scalar: Scalar) -> Signature {
    let [two, four] = [2, 4].map(|n| Type::vector(scalar, n));
    Signature::whole(GROUP, "out_swizzle", &[(four, Pool::Any), (two, Pool::Any)], four, "y", |x| {
        let changed = |i: usize, j: usize| exact(add(x[0][i], x[1][j]));
        Some(vec![changed(0, 1), exact(x[0][1]), exact(x[0][2]), changed(3, 0)])
    })
    .globals(format!("void f(inout {0} v, {0} w)\n{{\n\tv += w;\n}}\n\n", two.glsl()))
    .statements(format!("{} y = a;\nf(y.wx, b);", four.glsl()))
}

/// A column as an `inout` argument.
pub fn column_inout(scalar: Scalar) -> Signature {
    let (ty, column) = (Type::matrix(3, 2).with_scalar(scalar), Type::vector(scalar, 2));
    Signature::whole(GROUP, "inout_column", &[(ty, Pool::Any), (column, Pool::Any)], ty, "y", |x| {
        let component = |i: usize| if (2..4).contains(&i) { add(x[0][i], x[1][i - 2]) } else { x[0][i] };
        Some((0..6).map(|i| exact(component(i))).collect())
    })
    .globals(format!("void f(inout {0} v, {0} w)\n{{\n\tv += w;\n}}\n\n", column.glsl()))
    .statements(format!("{} y = a;\nf(y[1], b);", ty.glsl()))
}
