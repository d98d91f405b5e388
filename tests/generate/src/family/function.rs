//! Functions with parameters of doubles: `in`, `out`, `inout`, results, arrays, overloads.

use crate::number::{add, mul, neg, sub};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::exact;
use crate::shared::function::{
    array_parameter, column_inout, early_return, exchange, inout_parameter, out_parameter, over_two,
    structure_result, swizzled_inout,
};
use crate::value::{DOUBLE, Scalar, Type, VECTORS, all_types, dvec};

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
    list.push(swizzled_inout(Scalar::Double));
    list.push(component_inout());
    list.push(column_inout(Scalar::Double));
    list.push(global_variable());
    list
}

/// −(v + w), with v changed inside only.
fn by_value(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("in", ty, "f(y, b) + y", |a, b| add(neg(add(a, b)), a))
        .globals(format!("{t} f({t} v, const in {t} w)\n{{\n\tv += w;\n\treturn -v;\n}}\n\n"))
        .statements(format!("{t} y = a;"))
        .precise()
}

/// Calls of calls.
fn nested(ty: Type) -> Signature {
    let t = ty.glsl();
    over_two("nested", ty, "g(f(a, b), f(b, a))", |a, b| sub(neg(sub(a, b)), sub(b, a))).globals(format!(
        "{t} f({t} v, {t} w)\n{{\n\treturn v - w;\n}}\n\n{t} h({t} v)\n{{\n\treturn -v;\n}}\n\n\
         {t} g({t} v, {t} w)\n{{\n\tprecise {t} r = h(v) - w;\n\treturn r;\n}}\n\n"
    ))
}

/// The overload for doubles, not the one for floats.
fn overloaded(ty: Type) -> Signature {
    let t = ty.glsl();
    let single = if ty == DOUBLE { "float".to_string() } else { t[1..].to_string() };
    Signature::elementwise(GROUP, "overload", &[(ty, Pool::Any)], ty, "f(a)", |x| Some(exact(neg(x[0]))))
        .globals(format!(
            "{single} f({single} v)\n{{\n\treturn v;\n}}\n\n{t} f({t} v)\n{{\n\treturn -v;\n}}\n\n"
        ))
}

/// A component as an `inout` argument.
fn component_inout() -> Signature {
    let ty = dvec(3);
    Signature::whole(GROUP, "inout_component", &[(ty, Pool::Any), (DOUBLE, Pool::Any)], ty, "y", |x| {
        Some(vec![exact(x[0][0]), exact(mul(x[0][1], x[1][0])), exact(x[0][2])])
    })
    .globals("void f(inout double v, double w)\n{\n\tv *= w;\n}\n\n")
    .statements("dvec3 y = a;\nf(y[1], b);")
}

/// A global variable that a function changes.
fn global_variable() -> Signature {
    over_two("global", dvec(4), "total", |a, b| sub(add(a, b), a))
        .globals("precise dvec4 total;\n\nvoid f(dvec4 v)\n{\n\ttotal += v;\n}\n\n")
        .statements("total = a;\nf(b);\nf(-a);")
}
