//! Functions with parameters of 16-bit types: `in`, `out`, `inout`, results, arrays, structures, overloads.

use super::{HALF, VECTORS, halves, matrix_of, vectors};
use crate::half::ieee;
use crate::half::pool::wrapped;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, Scalar, Type};

const GROUP: &str = "function";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for scalar in [Scalar::Half, Scalar::Int16, Scalar::Uint16] {
        for ty in vectors(scalar) {
            list.push(by_value(ty));
            list.push(out_parameter(ty));
            list.push(inout_parameter(ty));
            list.push(exchange(ty));
        }
    }
    for ty in VECTORS {
        list.push(early_return(ty));
        list.push(array_parameter(ty));
        list.push(structure_result(ty));
        list.push(overloaded(ty));
    }
    list.push(exchange(matrix_of(3, 2)));
    list.push(by_value(matrix_of(2, 4)));
    list.push(swizzled_out());
    list.push(column_inout());
    list.push(promoted_argument());
    list
}

/// a + b or a − b, of halves or of integers that wrap.
fn sum(a: Component, b: Component) -> Component {
    match (a, b) {
        (Component::Half(a), Component::Half(b)) => Component::Half(ieee::add(a, b)),
        _ => wrapped(a.scalar(), (a.integer() + b.integer()) as u64),
    }
}

fn difference(a: Component, b: Component) -> Component {
    match (a, b) {
        (Component::Half(a), Component::Half(b)) => Component::Half(ieee::sub(a, b)),
        _ => wrapped(a.scalar(), (a.integer() - b.integer()) as u64),
    }
}

/// A signature over a and b of one type whose types are named once.
fn over_two(
    name: &str,
    ty: Type,
    expression: &str,
    f: impl Fn(Component, Component) -> Component + Copy + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(GROUP, name, &arguments, ty, expression, move |x| {
        Some(Accept::exactly(f(x[0], x[1])))
    })
    .types(ty.glsl())
}

/// (v + w) − v, with v changed inside only.
fn by_value(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("in", ty, "f(y, b) - y", |a, b| difference(sum(a, b), a))
        .globals(format!("{t} f({t} v, const in {t} w)\n{{\n\tv += w;\n\treturn v;\n}}\n\n"))
        .statements(format!("{t} y = a;"))
        .precise()
}

fn out_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("out", ty, "y", difference)
        .globals(format!("void f(in {t} v, in {t} w, out {t} r)\n{{\n\tr = v;\n\tr -= w;\n}}\n\n"))
        .statements(format!("{t} y;\nf(a, b, y);"))
}

/// Twice y = y + b.
fn inout_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("inout", ty, "y", |a, b| sum(sum(a, b), b))
        .globals(format!("void f(inout {t} v, {t} w)\n{{\n\tprecise {t} sum = v + w;\n\tv = sum;\n}}\n\n"))
        .statements(format!("{t} y = a;\nf(y, b);\nf(y, b);"))
}

/// Two variables exchanged, then b − a.
fn exchange(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("exchange", ty, "y - z", |a, b| difference(b, a))
        .globals(format!(
            "void f(inout {t} v, inout {t} w)\n{{\n\t{t} kept = v;\n\tv = w;\n\tw = kept;\n}}\n\n"
        ))
        .statements(format!("{t} y = a;\n{t} z = b;\nf(y, z);"))
}

/// The larger by its first component, by an early return.
fn early_return(ty: Type) -> Signature {
    let t = ty.glsl();
    let first = if ty == HALF { "v > w" } else { "v.x > w.x" };
    Signature::whole(GROUP, "early_return", &[(ty, Pool::Any), (ty, Pool::Related)], ty, "f(a, b)", |x| {
        let greater = ieee::less(x[1][0].half(), x[0][0].half());
        let value = |(&a, &b): (&Component, &Component)| if greater { a } else { difference(b, a) };
        Some(x[0].iter().zip(&x[1]).map(|pair| Accept::exactly(value(pair))).collect())
    })
    .types(t.clone())
    .globals(format!("{t} f({t} v, {t} w)\n{{\n\tif ({first})\n\t\treturn v;\n\treturn w - v;\n}}\n\n"))
}

/// (v₀ + v₁) + v₂ of an array.
fn array_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("array", ty, &format!("f({t}[3](a, b, a))"), |a, b| sum(sum(a, b), a)).globals(format!(
        "{t} f({t} v[3])\n{{\n\tprecise {t} sum = v[0];\n\tfor (int i = 1; i < 3; i++)\n\t\tsum += v[i];\n\treturn sum;\n}}\n\n"
    ))
}

fn structure_result(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("structure", ty, "s.sum + s.difference", |a, b| sum(sum(a, b), difference(a, b)))
        .globals(format!(
            "struct S {{\n\t{t} sum;\n\tfloat between;\n\t{t} difference;\n}};\n\n\
             S f({t} v, {t} w)\n{{\n\treturn S(v + w, 1.0, v - w);\n}}\n\n"
        ))
        .statements("S s = f(a, b);")
        .precise()
}

/// The overload for halves, not those for floats and doubles.
fn overloaded(ty: Type) -> Signature {
    let [half, single, double] =
        [Scalar::Half, Scalar::Float, Scalar::Double].map(|s| ty.with_scalar(s).glsl());
    let evaluate = super::of_one(|a| Some(Accept::half(a.negated())));
    Signature::elementwise(GROUP, "overload", &[(ty, Pool::Any)], ty, "f(a)", evaluate).globals(format!(
        "{half} f({single} v)\n{{\n\treturn {half}(0.0);\n}}\n\n{half} f({half} v)\n{{\n\treturn -v;\n}}\n\n\
         {half} f({double} v)\n{{\n\treturn {half}(1.0);\n}}\n\n"
    ))
}

/// A swizzle as an `inout` argument.
fn swizzled_out() -> Signature {
    let ty = halves(4);
    Signature::whole(GROUP, "out_swizzle", &[(ty, Pool::Any), (halves(2), Pool::Any)], ty, "y", |x| {
        let changed = |i: usize, j: usize| Accept::exactly(sum(x[0][i], x[1][j]));
        let same = |i: usize| Accept::exactly(x[0][i]);
        Some(vec![changed(0, 1), same(1), same(2), changed(3, 0)])
    })
    .globals("void f(inout f16vec2 v, f16vec2 w)\n{\n\tv += w;\n}\n\n")
    .statements("f16vec4 y = a;\nf(y.wx, b);")
}

/// A column as an `inout` argument.
fn column_inout() -> Signature {
    let ty = matrix_of(3, 2);
    Signature::whole(GROUP, "inout_column", &[(ty, Pool::Any), (halves(2), Pool::Any)], ty, "y", |x| {
        let component = |i: usize| if (2..4).contains(&i) { sum(x[0][i], x[1][i - 2]) } else { x[0][i] };
        Some((0..6).map(|i| Accept::exactly(component(i))).collect())
    })
    .globals("void f(inout f16vec2 v, f16vec2 w)\n{\n\tv += w;\n}\n\n")
    .statements("f16mat3x2 y = a;\nf(y[1], b);")
}

/// An argument that is promoted to float, where the same sum rounds otherwise than of halves: float(a) + float(b).
fn promoted_argument() -> Signature {
    let arguments = [(HALF, Pool::Moderate), (HALF, Pool::Unit)];
    let float = HALF.with_scalar(Scalar::Float);
    Signature::elementwise(GROUP, "promoted", &arguments, float, "f(a, b)", |x| {
        // Sums of halves within 2¹³ of each other are exact as floats.
        let sum = x[0].half().value() + x[1].half().value();
        let exact = f64::from(sum as f32) == sum && sum != 0.0;
        exact.then(|| Accept::exactly(Component::Float(sum as f32)))
    })
    .globals("float f(float v, float w)\n{\n\treturn v + w;\n}\n\n")
}
