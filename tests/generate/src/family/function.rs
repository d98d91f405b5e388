//! Functions with parameters of doubles: `in`, `out`, `inout`, results, arrays, overloads.

use super::{of_one, of_two};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, DOUBLE, Type, VECTORS, all_types, dvec};

const GROUP: &str = "function";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in all_types() {
        list.push(by_value(ty));
        list.push(out_parameter(ty));
        list.push(inout_parameter(ty));
        list.push(exchange(ty));
    }
    for ty in VECTORS {
        list.push(early_return(ty));
        list.push(array_parameter(ty));
        list.push(structure_result(ty));
        list.push(nested(ty));
        list.push(overloaded(ty));
    }
    list.push(swizzled_out());
    list.push(component_inout());
    list.push(column_inout());
    list.push(global_variable());
    list
}

/// A signature over a and b of one type whose types are named once.
fn over_two(
    name: &str,
    ty: Type,
    expression: &str,
    f: impl Fn(f64, f64) -> f64 + Copy + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(
        GROUP,
        name,
        &arguments,
        ty,
        expression,
        of_two(move |a, b| Some(Accept::double(f(a, b)))),
    )
    .types(ty.glsl())
}

/// −(v + w), with v changed inside only.
fn by_value(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("in", ty, "f(y, b) + y", |a, b| ieee::add(ieee::neg(ieee::add(a, b)), a))
        .globals(format!("{t} f({t} v, const in {t} w)\n{{\n\tv += w;\n\treturn -v;\n}}\n\n"))
        .statements(format!("{t} y = a;"))
        .precise()
}

fn out_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("out", ty, "y", ieee::sub)
        .globals(format!("void f(in {t} v, in {t} w, out {t} r)\n{{\n\tr = v;\n\tr -= w;\n}}\n\n"))
        .statements(format!("{t} y;\nf(a, b, y);"))
}

/// Twice y = y + b.
fn inout_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("inout", ty, "y", |a, b| ieee::add(ieee::add(a, b), b))
        .globals(format!("void f(inout {t} v, {t} w)\n{{\n\tprecise {t} sum = v + w;\n\tv = sum;\n}}\n\n"))
        .statements(format!("{t} y = a;\nf(y, b);\nf(y, b);"))
}

/// Two variables exchanged, then b − a.
fn exchange(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("exchange", ty, "y - z", |a, b| ieee::sub(b, a))
        .globals(format!(
            "void f(inout {t} v, inout {t} w)\n{{\n\t{t} kept = v;\n\tv = w;\n\tw = kept;\n}}\n\n"
        ))
        .statements(format!("{t} y = a;\n{t} z = b;\nf(y, z);"))
}

fn first(ty: Type, name: &str) -> String {
    if ty == DOUBLE { name.to_string() } else { format!("{name}.x") }
}

/// The larger by its first component, by an early return.
fn early_return(ty: Type) -> Signature {
    let t = ty.glsl();
    let condition = format!("{} > {}", first(ty, "v"), first(ty, "w"));
    Signature::whole(GROUP, "early_return", &[(ty, Pool::Any), (ty, Pool::Related)], ty, "f(a, b)", |x| {
        let greater = ieee::less(x[1][0].double(), x[0][0].double());
        let value = |(a, b): (&Component, &Component)| {
            if greater { a.double() } else { ieee::sub(b.double(), a.double()) }
        };
        Some(x[0].iter().zip(&x[1]).map(|pair| Accept::double(value(pair))).collect())
    })
    .types(t.clone())
    .globals(format!("{t} f({t} v, {t} w)\n{{\n\tif ({condition})\n\t\treturn v;\n\treturn w - v;\n}}\n\n"))
}

/// (v₀ + v₁) + v₂ of an array.
fn array_parameter(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("array", ty, &format!("f({t}[3](a, b, a))"), |a, b| ieee::add(ieee::add(a, b), a)).globals(format!(
        "{t} f({t} v[3])\n{{\n\tprecise {t} sum = v[0];\n\tfor (int i = 1; i < 3; i++)\n\t\tsum += v[i];\n\treturn sum;\n}}\n\n"
    ))
}

fn structure_result(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("structure", ty, "s.sum + s.difference", |a, b| ieee::add(ieee::add(a, b), ieee::sub(a, b)))
        .globals(format!(
            "struct S {{\n\t{t} sum;\n\tfloat between;\n\t{t} difference;\n}};\n\n\
             S f({t} v, {t} w)\n{{\n\treturn S(v + w, 1.0, v - w);\n}}\n\n"
        ))
        .statements("S s = f(a, b);")
        .precise()
}

/// Calls of calls.
fn nested(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("nested", ty, "g(f(a, b), f(b, a))", |a, b| {
        ieee::sub(ieee::neg(ieee::sub(a, b)), ieee::sub(b, a))
    })
    .globals(format!(
        "{t} f({t} v, {t} w)\n{{\n\treturn v - w;\n}}\n\n{t} h({t} v)\n{{\n\treturn -v;\n}}\n\n\
         {t} g({t} v, {t} w)\n{{\n\tprecise {t} r = h(v) - w;\n\treturn r;\n}}\n\n"
    ))
}

/// The overload for doubles, not the one for floats.
fn overloaded(ty: Type) -> Signature {
    let t = ty.glsl();
    let single = if ty == DOUBLE { "float".to_string() } else { t[1..].to_string() };
    Signature::elementwise(
        GROUP,
        "overload",
        &[(ty, Pool::Any)],
        ty,
        "f(a)",
        of_one(|a| Some(Accept::double(ieee::neg(a)))),
    )
    .globals(format!("{single} f({single} v)\n{{\n\treturn v;\n}}\n\n{t} f({t} v)\n{{\n\treturn -v;\n}}\n\n"))
}

/// A swizzle as an `out` argument.
fn swizzled_out() -> Signature {
    let ty = dvec(4);
    Signature::whole(GROUP, "out_swizzle", &[(ty, Pool::Any), (dvec(2), Pool::Any)], ty, "y", |x| {
        let changed = |i: usize, j: usize| Accept::double(ieee::add(x[0][i].double(), x[1][j].double()));
        let same = |i: usize| Accept::exactly(x[0][i]);
        Some(vec![changed(0, 1), same(1), same(2), changed(3, 0)])
    })
    .globals("void f(inout dvec2 v, dvec2 w)\n{\n\tv += w;\n}\n\n")
    .statements("dvec4 y = a;\nf(y.wx, b);")
}

/// A component as an `inout` argument.
fn component_inout() -> Signature {
    let ty = dvec(3);
    Signature::whole(GROUP, "inout_component", &[(ty, Pool::Any), (DOUBLE, Pool::Any)], ty, "y", |x| {
        let product = ieee::mul(x[0][1].double(), x[1][0].double());
        Some(vec![Accept::exactly(x[0][0]), Accept::double(product), Accept::exactly(x[0][2])])
    })
    .globals("void f(inout double v, double w)\n{\n\tv *= w;\n}\n\n")
    .statements("dvec3 y = a;\nf(y[1], b);")
}

/// A column as an `inout` argument.
fn column_inout() -> Signature {
    let ty = Type::matrix(3, 2);
    Signature::whole(GROUP, "inout_column", &[(ty, Pool::Any), (dvec(2), Pool::Any)], ty, "y", |x| {
        let sum = |i: usize| Accept::double(ieee::add(x[0][i].double(), x[1][i - 2].double()));
        Some((0..6).map(|i| if (2..4).contains(&i) { sum(i) } else { Accept::exactly(x[0][i]) }).collect())
    })
    .globals("void f(inout dvec2 v, dvec2 w)\n{\n\tv += w;\n}\n\n")
    .statements("dmat3x2 y = a;\nf(y[1], b);")
}

/// A global variable that a function changes.
fn global_variable() -> Signature {
    over_two("global", dvec(4), "total", |a, b| ieee::sub(ieee::add(a, b), a))
        .globals("precise dvec4 total;\n\nvoid f(dvec4 v)\n{\n\ttotal += v;\n}\n\n")
        .statements("total = a;\nf(b);\nf(-a);")
}
