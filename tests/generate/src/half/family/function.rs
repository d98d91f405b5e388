//! Functions with parameters of 16-bit types: `in`, `out`, `inout`, results, arrays, structures, overloads.

use super::{HALF, VECTORS, matrix_of, vectors};
use crate::number::{add, neg, sub};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::exact;
use crate::shared::function::{
    array_parameter, column_inout, early_return, exchange, inout_parameter, out_parameter, over_two,
    structure_result, swizzled_inout,
};
use crate::value::{Component, Scalar, Type};

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
fn overloaded(ty: Type) -> Signature {
    let [half, single, double] =
        [Scalar::Half, Scalar::Float, Scalar::Double].map(|s| ty.with_scalar(s).glsl());
    let evaluate = |x: &[Component]| Some(exact(neg(x[0])));
    Signature::elementwise(GROUP, "overload", &[(ty, Pool::Any)], ty, "f(a)", evaluate).globals(format!(
        "{half} f({single} v)\n{{\n\treturn {half}(0.0);\n}}\n\n{half} f({half} v)\n{{\n\treturn -v;\n}}\n\n\
         {half} f({double} v)\n{{\n\treturn {half}(1.0);\n}}\n\n"
    ))
}

/// An argument that is promoted to float, where the same sum rounds otherwise than of halves: float(a) + float(b).
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
