//! How doubles get into a stage and out of it: uniforms of mixed sizes beside each other, `flat` varyings.

use super::conversion::widened;
use super::{of_one, of_two};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::interface::parts;
use crate::shared::{INT, exact};
use crate::value::{Accept, BOOL, DOUBLE, MATRICES, Scalar, Type, VECTORS, all_types, dvec};

const GROUP: &str = "interface";

const FLOAT: Type = Type::vector(Scalar::Float, 1);
const VEC3: Type = Type::vector(Scalar::Float, 3);

/// Types of up to four uniforms, declared in this order; 64-bit ones follow 32-bit ones, which leaves them misaligned if a compiler
/// packs without care.
pub(super) fn layouts() -> Vec<Vec<Type>> {
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

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for layout in layouts() {
        list.push(parts(GROUP, "uniforms_last", &layout, true, widened));
        list.push(parts(GROUP, "uniforms_first", &layout, false, widened));
    }
    for ty in all_types() {
        list.push(copied_varying(ty));
        list.push(negated_varying(ty));
    }
    list.extend(VECTORS.map(varying_sum));
    list
}

fn copied_varying(ty: Type) -> Signature {
    Signature::elementwise(GROUP, "varying", &[(ty, Pool::Any)], ty, "a", |x| Some(exact(x[0]))).varyings()
}

fn negated_varying(ty: Type) -> Signature {
    let evaluate = of_one(|a| Some(Accept::double(ieee::neg(a))));
    Signature::elementwise(GROUP, "varying_neg", &[(ty, Pool::Any)], ty, "-a", evaluate).varyings()
}

fn varying_sum(ty: Type) -> Signature {
    let evaluate = of_two(|a, b| Some(Accept::double(ieee::add(a, b))));
    Signature::elementwise(
        GROUP,
        "varying_add",
        &[(ty, Pool::Any), (ty, Pool::Related)],
        ty,
        "a + b",
        evaluate,
    )
    .varyings()
}
