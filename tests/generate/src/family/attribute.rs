//! Vertex attributes of doubles (GL_ARB_vertex_attrib_64bit), alone and beside attributes of 32
//! bits, which take one slot where a `dvec3` or `dvec4` takes two.

use super::conversion::widened;
use super::interface::{layouts_64, parts};
use crate::format::Format;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::exact;
use crate::shared::{all_types, of_one, of_two};
use crate::stage::TestStage;

use crate::accept::Accept;
use crate::value::{BOOL, MATRICES, Scalar, Type, VECTORS};

const GROUP: &str = "attribute";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in all_types::<f64>() {
        list.push(copied(ty));
        list.push(negated(ty));
    }
    list.extend(VECTORS.into_iter().chain([MATRICES[0], MATRICES[3], MATRICES[1]]).map(sum));
    list.extend(VECTORS.into_iter().chain([MATRICES[0], MATRICES[1]]).map(array));
    for layout in layouts_64().iter().filter(|layout| !layout.contains(&BOOL)) {
        list.push(parts(GROUP, "first", layout, false, widened).attributes());
        list.push(parts(GROUP, "last", layout, true, widened).attributes());
    }
    list
}

fn copied(ty: Type) -> Signature {
    Signature::elementwise(GROUP, "copy", &[(ty, Pool::Any)], ty, "a", |x| Some(exact(x[0])))
        .attributes()
}

fn negated(ty: Type) -> Signature {
    let evaluate = of_one(|a: f64| Some(Accept::of(a.negated())));
    Signature::elementwise(GROUP, "neg", &[(ty, Pool::Any)], ty, "-a", evaluate).attributes()
}

fn sum(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let evaluate = of_two(|a: f64, b| Some(Accept::of(ieee::add(a, b))));
    Signature::elementwise(GROUP, "add", &arguments, ty, "a + b", evaluate).attributes()
}

/// An array of attributes at an index, which is another attribute.
fn array(ty: Type) -> Signature {
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Any), (Type::vector(Scalar::Int, 1), Pool::Below(2))];
    Signature::whole(GROUP, "array", &arguments, ty, "a[b]", |x| {
        Some(x[x[2][0].integer() as usize].iter().map(|&x| exact(x)).collect())
    })
    .types(ty.glsl())
    .attributes()
    .uniform_names(&["a[0]", "a[1]", "b"])
    .globals(format!("in {} a[2];\nin int b;\n\n", ty.glsl()))
    .stages(&[TestStage::Vertex])
}
