//! Ways of values into a stage and out of it: uniforms of mixed sizes beside each other, vertex
//! attributes, flat and smooth varyings, interpolation at other places.

use super::conversion::{converted, widened};
use crate::accept::Accept;
use crate::format::Format;
use crate::half::Half;
use crate::number;
use crate::operation::{Interface, Signature};
use crate::pool::Pool;
use crate::shared::{
    FLOAT, HALF, HALF_VECTORS, INT, SCALARS_16, all_types, half_matrix, halves, matrices, of_one,
    vectors,
};
use crate::stage::TestStage;
use crate::value::{BOOL, Component, DOUBLE, MATRICES, Scalar, Type, VECTORS, dvec};

const GROUP: &str = "interface";

const VEC3: Type = Type::vector(Scalar::Float, 3);
const INT16: Type = Type::vector(Scalar::Int16, 1);
const UINT16: Type = Type::vector(Scalar::Uint16, 1);

/// Types of up to four uniforms, declared in this order. 64-bit ones follow 32-bit ones: a compiler
/// that packs without care misaligns them.
pub fn layouts_64() -> Vec<Vec<Type>> {
    vec![
        vec![DOUBLE, BOOL, DOUBLE],
        vec![BOOL, DOUBLE, BOOL, DOUBLE],
        vec![FLOAT, DOUBLE, FLOAT, DOUBLE],
        vec![DOUBLE, FLOAT, dvec(3), FLOAT],
        vec![dvec(3), FLOAT, dvec(3)],
        vec![FLOAT, dvec(3), FLOAT, dvec(4)],
        vec![dvec(2), INT, dvec(2), DOUBLE],
        vec![VEC3, DOUBLE, VEC3, dvec(2)],
        vec![INT, MATRICES[4], INT, DOUBLE],
        vec![MATRICES[1], FLOAT, MATRICES[3]],
        vec![BOOL, MATRICES[8], FLOAT, MATRICES[8]],
        vec![FLOAT, MATRICES[7], DOUBLE],
    ]
}

/// Types of up to four uniforms, declared in this order: 16-bit ones between larger ones, odd
/// numbers of them.
fn layouts_16() -> Vec<Vec<Type>> {
    vec![
        vec![HALF, BOOL, HALF],
        vec![HALF, INT16, UINT16, HALF],
        vec![FLOAT, HALF, FLOAT, HALF],
        vec![HALF, DOUBLE, HALF, DOUBLE],
        vec![halves(3), HALF, halves(3)],
        vec![FLOAT, halves(3), INT16, halves(4)],
        vec![halves(2), INT, halves(2), DOUBLE],
        vec![VEC3, HALF, VEC3, halves(2)],
        vec![INT16, half_matrix(3, 3), UINT16, DOUBLE],
        vec![half_matrix(2, 3), HALF, half_matrix(3, 2)],
        vec![HALF, half_matrix(4, 3), HALF],
    ]
}

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    let mut list = Vec::new();
    for layout in layouts_64() {
        list.push(parts(GROUP, "uniforms_last", &layout, true, widened));
        list.push(parts(GROUP, "uniforms_first", &layout, false, widened));
    }
    for ty in all_types::<f64>() {
        list.push(varying(ty));
        list.push(negated_varying(ty));
    }
    list.extend(VECTORS.map(varying_sum));
    list
}

/// The first or the last component of each operand, as doubles; `widened` is the conversion.
pub fn parts(
    group: &'static str,
    name: &str,
    layout: &[Type],
    last: bool,
    widened: fn(Component) -> Option<Accept>,
) -> Signature {
    let arguments: Vec<(Type, Pool)> = layout.iter().map(|&ty| (ty, Pool::Plain)).collect();
    let place = move |ty: Type| if last { ty.components() - 1 } else { 0 };
    let parts: Vec<String> = layout
        .iter()
        .zip(["a", "b", "c", "d"])
        .map(|(ty, name)| format!("double({})", ty.component(name, place(*ty))))
        .collect();
    let result = Type::vector(Scalar::Double, layout.len());
    let expression = format!("{}({})", result.glsl(), parts.join(", "));
    Signature::whole(group, name, &arguments, result, expression, move |x| {
        x.iter().map(|x| widened(if last { *x.last()? } else { *x.first()? })).collect()
    })
}

fn negated_varying(ty: Type) -> Signature {
    let evaluate = of_one(|a: f64| Some(Accept::of(a.negated())));
    Signature::elementwise(GROUP, "varying_neg", &[(ty, Pool::Any)], ty, "-a", evaluate).varyings()
}

/// The 16-bit suite.
pub fn half() -> Vec<Signature> {
    let mut list = Vec::new();
    for layout in layouts_16() {
        list.push(parts(GROUP, "uniforms_last", &layout, true, converted_to_double));
        list.push(parts(GROUP, "uniforms_first", &layout, false, converted_to_double));
    }
    for scalar in SCALARS_16 {
        list.extend(vectors(scalar).map(varying));
        list.extend(vectors(scalar).map(varying_sum));
    }
    list.extend(matrices::<Half>().map(varying));
    for ty in HALF_VECTORS {
        list.push(smooth(ty));
        list.push(smooth_negated(ty));
        list.push(at_place("at_centroid", ty, "interpolateAtCentroid(a_varying)"));
        list.push(at_place("at_sample", ty, "interpolateAtSample(a_varying, 0)"));
        list.push(at_place("at_offset", ty, "interpolateAtOffset(a_varying, f16vec2(0.25, -0.5))"));
        list.push(attribute(ty));
        list.push(attribute_sum(ty));
    }
    list.extend([half_matrix(2, 3), half_matrix(4, 4)].map(attribute));
    list.push(mixed_varyings());
    list
}

/// A component as double; a subnormal float may be flushed.
fn converted_to_double(x: Component) -> Option<Accept> {
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
    Signature::elementwise(GROUP, "varying", &[(ty, Pool::Any)], ty, "a", |x| {
        Some(Accept::exactly(x[0]))
    })
    .varyings()
}

fn varying_sum(ty: Type) -> Signature {
    sum("varying_add", ty).varyings()
}

/// Attributes are fetched as floats and converted.
fn attribute(ty: Type) -> Signature {
    Signature::elementwise(GROUP, "attribute", &[(ty, Pool::Any)], ty, "a", |x| {
        Some(Accept::exactly(x[0]))
    })
    .interface(Interface::Attributes)
}

fn attribute_sum(ty: Type) -> Signature {
    sum("attribute_add", ty).interface(Interface::Attributes)
}

/// An interpolation function of a value that is the same at each vertex. Zeros may lose their sign.
fn at_place(name: &str, ty: Type, expression: &str) -> Signature {
    let evaluate = of_one(|a: Half| a.is_finite().then(|| Accept::number(a)));
    Signature::elementwise(GROUP, name, &[(ty, Pool::Any)], ty, expression, evaluate)
        .interface(Interface::Smooth)
        .stages(&[TestStage::Fragment])
}

/// Across interpolation of a value that is the same at each vertex. Zeros may lose their sign.
fn smooth(ty: Type) -> Signature {
    let evaluate = of_one(|a: Half| a.is_finite().then(|| Accept::number(a)));
    Signature::elementwise(GROUP, "smooth", &[(ty, Pool::Any)], ty, "a", evaluate)
        .interface(Interface::Smooth)
}

fn smooth_negated(ty: Type) -> Signature {
    let evaluate = of_one(|a: Half| a.is_finite().then(|| Accept::number(a.negated())));
    Signature::elementwise(GROUP, "smooth_neg", &[(ty, Pool::Any)], ty, "-a", evaluate)
        .interface(Interface::Smooth)
}

/// Varyings of 16, 32 and 64 bits beside each other.
fn mixed_varyings() -> Signature {
    let arguments =
        [(halves(3), Pool::Any), (FLOAT, Pool::Small), (INT16, Pool::Any), (DOUBLE, Pool::Small)];
    let ty = halves(4);
    let expression = "f16vec4(a.z, float16_t(b), float16_t(c), float16_t(d))";
    Signature::whole(GROUP, "varyings_mixed", &arguments, ty, expression, |x| {
        let operands = [x[0][2], x[1][0], x[2][0], x[3][0]];
        operands.into_iter().map(|x| converted(x, Scalar::Half)).collect()
    })
    .varyings()
}
