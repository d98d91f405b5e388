//! Functions with parameters: `in`, `out`, `inout`, results, arrays, structures.

use crate::number::{add, less, mul, neg, sub};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{
    HALF, HALF_VECTORS, SCALARS_16, all_types, exact, first, half_matrix, vectors,
};
use crate::value::{Component, DOUBLE, Scalar, Type, VECTORS, dvec};

const GROUP: &str = "function";

/// A signature over a and b of one type whose types are named once.
fn over_two(
    name: &str,
    ty: Type,
    expression: &str,
    f: impl Fn(Component, Component) -> Component + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(GROUP, name, &arguments, ty, expression, move |x| {
        Some(exact(f(x[0], x[1])))
    })
    .types(ty.glsl())
}

/// a − b by way of an `out` parameter.
fn out_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("out", ty, "y", sub)
        .globals(format!("void f(in {t} v, in {t} w, out {t} r)\n{{\n\tr = v;\n\tr -= w;\n}}\n\n"))
        .statements(format!("{t} y;\nf(a, b, y);"))
}

/// Twice y = y + b.
fn inout_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("inout", ty, "y", |a, b| add(add(a, b), b))
        .globals(format!(
            "void f(inout {t} v, {t} w)\n{{\n\tprecise {t} sum = v + w;\n\tv = sum;\n}}\n\n"
        ))
        .statements(format!("{t} y = a;\nf(y, b);\nf(y, b);"))
}

/// Two variables exchanged, then b − a.
fn exchange(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("exchange", ty, "y - z", |a, b| sub(b, a))
        .globals(format!(
            "void f(inout {t} v, inout {t} w)\n{{\n\t{t} kept = v;\n\tv = w;\n\tw = kept;\n}}\n\n"
        ))
        .statements(format!("{t} y = a;\n{t} z = b;\nf(y, z);"))
}

/// The larger by its first component, by an early return.
fn early_return(ty: Type) -> Signature {
    let t = ty.glsl();
    let condition = format!("{} > {}", first(ty, "v"), first(ty, "w"));
    Signature::whole(
        GROUP,
        "early_return",
        &[(ty, Pool::Any), (ty, Pool::Related)],
        ty,
        "f(a, b)",
        |x| {
            let greater = less(x[1][0], x[0][0]);
            let value =
                |(&a, &b): (&Component, &Component)| exact(if greater { a } else { sub(b, a) });
            Some(x[0].iter().zip(&x[1]).map(value).collect())
        },
    )
    .types(t.clone())
    .globals(format!(
        "{t} f({t} v, {t} w)\n{{\n\tif ({condition})\n\t\treturn v;\n\treturn w - v;\n}}\n\n"
    ))
}

/// (v₀ + v₁) + v₂ of an array.
fn array_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("array", ty, &format!("f({t}[3](a, b, a))"), |a, b| add(add(a, b), a)).globals(format!(
        "{t} f({t} v[3])\n{{\n\tprecise {t} sum = v[0];\n\tfor (int i = 1; i < 3; i++)\n\t\tsum += v[i];\n\treturn sum;\n}}\n\n"
    ))
}

/// Sum and difference as members of the result.
fn structure_result(ty: Type) -> Signature {
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
fn swizzled_inout(scalar: Scalar) -> Signature {
    let [two, four] = [2, 4].map(|n| Type::vector(scalar, n));
    Signature::whole(GROUP, "out_swizzle", &[(four, Pool::Any), (two, Pool::Any)], four, "y", |x| {
        let changed = |i: usize, j: usize| exact(add(x[0][i], x[1][j]));
        Some(vec![changed(0, 1), exact(x[0][1]), exact(x[0][2]), changed(3, 0)])
    })
    .globals(format!("void f(inout {0} v, {0} w)\n{{\n\tv += w;\n}}\n\n", two.glsl()))
    .statements(format!("{} y = a;\nf(y.wx, b);", four.glsl()))
}

/// A column as an `inout` argument.
fn column_inout(scalar: Scalar) -> Signature {
    let (ty, column) = (Type::matrix(3, 2).with_scalar(scalar), Type::vector(scalar, 2));
    Signature::whole(GROUP, "inout_column", &[(ty, Pool::Any), (column, Pool::Any)], ty, "y", |x| {
        let component =
            |i: usize| if (2..4).contains(&i) { add(x[0][i], x[1][i - 2]) } else { x[0][i] };
        Some((0..6).map(|i| exact(component(i))).collect())
    })
    .globals(format!("void f(inout {0} v, {0} w)\n{{\n\tv += w;\n}}\n\n", column.glsl()))
    .statements(format!("{} y = a;\nf(y[1], b);", ty.glsl()))
}

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in all_types::<f64>() {
        list.push(by_value_negated(ty));
        list.push(out_parameter(ty));
        list.push(inout_parameter(ty));
        list.push(exchange(ty));
    }
    for ty in VECTORS {
        list.push(early_return(ty));
        list.push(array_parameter(ty));
        list.push(structure_result(ty));
        list.push(nested(ty));
        list.push(overloaded_double(ty));
    }
    list.push(swizzled_inout(Scalar::Double));
    list.push(component_inout());
    list.push(column_inout(Scalar::Double));
    list.push(global_variable());
    list
}

/// −(v + w), with v changed inside only.
fn by_value_negated(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("in", ty, "f(y, b) + y", |a, b| add(neg(add(a, b)), a))
        .globals(format!("{t} f({t} v, const in {t} w)\n{{\n\tv += w;\n\treturn -v;\n}}\n\n"))
        .statements(format!("{t} y = a;"))
        .precise()
}

/// Calls of calls.
fn nested(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("nested", ty, "g(f(a, b), f(b, a))", |a, b| sub(neg(sub(a, b)), sub(b, a))).globals(
        format!(
            "{t} f({t} v, {t} w)\n{{\n\treturn v - w;\n}}\n\n{t} h({t} v)\n{{\n\treturn -v;\n}}\n\n\
         {t} g({t} v, {t} w)\n{{\n\tprecise {t} r = h(v) - w;\n\treturn r;\n}}\n\n"
        ),
    )
}

/// The overload for doubles, not the one for floats.
fn overloaded_double(ty: Type) -> Signature {
    let t = ty.glsl();
    let single = if ty == DOUBLE { "float".to_string() } else { t[1..].to_string() };
    Signature::elementwise(GROUP, "overload", &[(ty, Pool::Any)], ty, "f(a)", |x| {
        Some(exact(neg(x[0])))
    })
    .globals(format!(
        "{single} f({single} v)\n{{\n\treturn v;\n}}\n\n{t} f({t} v)\n{{\n\treturn -v;\n}}\n\n"
    ))
}

/// A component as an `inout` argument.
fn component_inout() -> Signature {
    let ty = dvec(3);
    Signature::whole(
        GROUP,
        "inout_component",
        &[(ty, Pool::Any), (DOUBLE, Pool::Any)],
        ty,
        "y",
        |x| Some(vec![exact(x[0][0]), exact(mul(x[0][1], x[1][0])), exact(x[0][2])]),
    )
    .globals("void f(inout double v, double w)\n{\n\tv *= w;\n}\n\n")
    .statements("dvec3 y = a;\nf(y[1], b);")
}

/// A global variable that a function changes.
fn global_variable() -> Signature {
    over_two("global", dvec(4), "total", |a, b| sub(add(a, b), a))
        .globals("precise dvec4 total;\n\nvoid f(dvec4 v)\n{\n\ttotal += v;\n}\n\n")
        .statements("total = a;\nf(b);\nf(-a);")
}

/// The 16-bit suite.
pub fn half() -> Vec<Signature> {
    let mut list = Vec::new();
    for scalar in SCALARS_16 {
        for ty in vectors(scalar) {
            list.push(by_value(ty));
            list.push(out_parameter(ty));
            list.push(inout_parameter(ty));
            list.push(exchange(ty));
        }
    }
    for ty in HALF_VECTORS {
        list.push(early_return(ty));
        list.push(array_parameter(ty));
        list.push(structure_result(ty));
        list.push(overloaded_half(ty));
    }
    list.push(exchange(half_matrix(3, 2)));
    list.push(by_value(half_matrix(2, 4)));
    list.push(swizzled_inout(Scalar::Half));
    list.push(column_inout(Scalar::Half));
    list.push(promoted_argument());
    list
}

/// (v + w) − v, with v changed inside only.
fn by_value(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("in", ty, "f(y, b) - y", |a, b| sub(add(a, b), a))
        .globals(format!("{t} f({t} v, const in {t} w)\n{{\n\tv += w;\n\treturn v;\n}}\n\n"))
        .statements(format!("{t} y = a;"))
        .precise()
}

/// The overload for halves, not those for floats and doubles.
fn overloaded_half(ty: Type) -> Signature {
    let [half, single, double] =
        [Scalar::Half, Scalar::Float, Scalar::Double].map(|s| ty.with_scalar(s).glsl());
    let evaluate = |x: &[Component]| Some(exact(neg(x[0])));
    Signature::elementwise(GROUP, "overload", &[(ty, Pool::Any)], ty, "f(a)", evaluate).globals(format!(
        "{half} f({single} v)\n{{\n\treturn {half}(0.0);\n}}\n\n{half} f({half} v)\n{{\n\treturn -v;\n}}\n\n\
         {half} f({double} v)\n{{\n\treturn {half}(1.0);\n}}\n\n"
    ))
}

/// An argument that is promoted to float, where the same sum rounds otherwise than of halves:
/// float(a) + float(b).
fn promoted_argument() -> Signature {
    let arguments = [(HALF, Pool::Moderate), (HALF, Pool::Unit)];
    let float = HALF.with_scalar(Scalar::Float);
    Signature::elementwise(GROUP, "promoted", &arguments, float, "f(a, b)", |x| {
        // Sums of halves within 2¹³ of each other are exact as floats.
        let sum = x[0].half().value() + x[1].half().value();
        let is_exact = f64::from(sum as f32) == sum && sum != 0.0;
        is_exact.then(|| exact(Component::Float(sum as f32)))
    })
    .globals("float f(float v, float w)\n{\n\treturn v + w;\n}\n\n")
}
