//! How 16-bit values get into a stage and out of it: uniforms of mixed sizes beside each other, vertex attributes, flat and smooth
//! varyings, interpolation at other places.

use super::conversion::converted;
use super::{HALF, VECTORS, halves, matrices, matrix_of, of_one, vectors};
use crate::half::float16::Half;
use crate::half::ieee;
use crate::number;
use crate::operation::{Interface, Signature};
use crate::pool::Pool;
use crate::shader::Stage;
use crate::shared::INT;
use crate::shared::interface::parts;
use crate::value::{Accept, BOOL, Component, DOUBLE, Scalar, Type};

const GROUP: &str = "interface";

const FLOAT: Type = Type::vector(Scalar::Float, 1);
const VEC3: Type = Type::vector(Scalar::Float, 3);
const INT16: Type = Type::vector(Scalar::Int16, 1);
const UINT16: Type = Type::vector(Scalar::Uint16, 1);

/// Types of up to four uniforms, declared in this order: 16-bit ones between larger ones, odd numbers of them.
fn layouts() -> Vec<Vec<Type>> {
    vec![
        vec![HALF, BOOL, HALF],
        vec![HALF, INT16, UINT16, HALF],
        vec![FLOAT, HALF, FLOAT, HALF],
        vec![HALF, DOUBLE, HALF, DOUBLE],
        vec![halves(3), HALF, halves(3)],
        vec![FLOAT, halves(3), INT16, halves(4)],
        vec![halves(2), INT, halves(2), DOUBLE],
        vec![VEC3, HALF, VEC3, halves(2)],
        vec![INT16, matrix_of(3, 3), UINT16, DOUBLE],
        vec![matrix_of(2, 3), HALF, matrix_of(3, 2)],
        vec![HALF, matrix_of(4, 3), HALF],
    ]
}

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for layout in layouts() {
        list.push(parts(GROUP, "uniforms_last", &layout, true, widened));
        list.push(parts(GROUP, "uniforms_first", &layout, false, widened));
    }
    for scalar in [Scalar::Half, Scalar::Int16, Scalar::Uint16] {
        list.extend(vectors(scalar).map(varying));
        list.extend(vectors(scalar).map(varying_sum));
    }
    list.extend(matrices().map(varying));
    for ty in VECTORS {
        list.push(smooth(ty));
        list.push(smooth_negated(ty));
        list.push(at_place("at_centroid", ty, "interpolateAtCentroid(a_varying)"));
        list.push(at_place("at_sample", ty, "interpolateAtSample(a_varying, 0)"));
        list.push(at_place("at_offset", ty, "interpolateAtOffset(a_varying, f16vec2(0.25, -0.5))"));
        list.push(attribute(ty));
        list.push(attribute_sum(ty));
    }
    list.extend([matrix_of(2, 3), matrix_of(4, 4)].map(attribute));
    list.push(mixed_varyings());
    list
}

/// A component as double; a subnormal float may be flushed.
fn widened(x: Component) -> Option<Accept> {
    let flushed = matches!(x, Component::Float(x) if x.is_subnormal());
    if flushed { None } else { converted(x, Scalar::Double) }
}

/// `a + b` of halves or of integers.
fn sum(name: &str, ty: Type) -> Signature {
    Signature::elementwise(GROUP, name, &[(ty, Pool::Any), (ty, Pool::Related)], ty, "a + b", |x| {
        Some(Accept::exactly(number::add(x[0], x[1])))
    })
}

fn varying(ty: Type) -> Signature {
    Signature::elementwise(GROUP, "varying", &[(ty, Pool::Any)], ty, "a", |x| Some(Accept::exactly(x[0])))
        .varyings()
}

fn varying_sum(ty: Type) -> Signature {
    sum("varying_add", ty).varyings()
}

/// Attributes are fetched as floats and converted.
fn attribute(ty: Type) -> Signature {
    Signature::elementwise(GROUP, "attribute", &[(ty, Pool::Any)], ty, "a", |x| Some(Accept::exactly(x[0])))
        .interface(Interface::Attributes)
}

fn attribute_sum(ty: Type) -> Signature {
    sum("attribute_add", ty).interface(Interface::Attributes)
}

/// A function that interpolates anew what is the same at each vertex. Zeros may lose their sign.
fn at_place(name: &str, ty: Type, expression: &str) -> Signature {
    let evaluate = of_one(|a: Half| a.is_finite().then(|| ieee::number(a)));
    Signature::elementwise(GROUP, name, &[(ty, Pool::Any)], ty, expression, evaluate)
        .interface(Interface::Smooth)
        .stages(&[Stage::Fragment])
}

/// Across interpolation of a value that is the same at each vertex. Zeros may lose their sign.
fn smooth(ty: Type) -> Signature {
    let evaluate = of_one(|a: Half| a.is_finite().then(|| ieee::number(a)));
    Signature::elementwise(GROUP, "smooth", &[(ty, Pool::Any)], ty, "a", evaluate)
        .interface(Interface::Smooth)
}

fn smooth_negated(ty: Type) -> Signature {
    let evaluate = of_one(|a: Half| a.is_finite().then(|| ieee::number(a.negated())));
    Signature::elementwise(GROUP, "smooth_neg", &[(ty, Pool::Any)], ty, "-a", evaluate)
        .interface(Interface::Smooth)
}

/// Varyings of 16, 32 and 64 bits beside each other.
fn mixed_varyings() -> Signature {
    let arguments = [(halves(3), Pool::Any), (FLOAT, Pool::Small), (INT16, Pool::Any), (DOUBLE, Pool::Small)];
    let ty = halves(4);
    let expression = "f16vec4(a.z, float16_t(b), float16_t(c), float16_t(d))";
    Signature::whole(GROUP, "varyings_mixed", &arguments, ty, expression, |x| {
        let operands = [x[0][2], x[1][0], x[2][0], x[3][0]];
        operands.into_iter().map(|x| converted(x, Scalar::Half)).collect()
    })
    .varyings()
}
