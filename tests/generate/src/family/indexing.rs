//! Arrays of doubles at run-time indices: inside structures, of structures, as arguments, in loops.

use crate::accept::Accept;
use crate::format::Format;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{INT, exact, index};
use crate::value::{Component, MATRICES, Type, VECTORS};

const GROUP: &str = "indexing";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS.into_iter().chain([MATRICES[0], MATRICES[1], MATRICES[3], MATRICES[8]]) {
        list.push(member_array(ty));
        list.push(uniform_structures(ty));
        list.push(written_structures(ty));
        list.push(alternating_sum(ty));
        list.push(inout_element(ty));
        list.push(rotated(ty));
        list.push(table(ty));
    }
    list
}

/// Each component of a and b through f.
fn zipped(a: &[Component], b: &[Component], f: impl Fn(f64, f64) -> f64) -> Option<Vec<Accept>> {
    Some(a.iter().zip(b).map(|(a, b)| Accept::of(f(a.double(), b.double()))).collect())
}

/// An array inside a local structure.
fn member_array(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    Signature::whole(GROUP, "member_array", &arguments, ty, "s.v[d]", |x| {
        Some(x[index(&x[3])].iter().map(|&x| exact(x)).collect())
    })
    .types(name.clone())
    .globals(format!("struct S {{\n\tfloat w;\n\t{name} v[3];\n}};\n\n"))
    .statements("S s;\ns.w = 1.0;\ns.v[0] = a;\ns.v[1] = b;\ns.v[2] = c;")
}

/// Arrays inside an array of uniform structures, both at an index.
fn uniform_structures(ty: Type) -> Signature {
    let name = ty.glsl();
    let mut arguments = vec![(ty, Pool::Any); 4];
    arguments.extend([(INT, Pool::Below(2)); 2]);
    Signature::whole(GROUP, "uniform_structures", &arguments, ty, "s[e].v[f]", |x| {
        Some(x[2 * index(&x[4]) + index(&x[5])].iter().map(|&x| exact(x)).collect())
    })
    .types(name.clone())
    .uniform_names(&["s[0].v[0]", "s[0].v[1]", "s[1].v[0]", "s[1].v[1]", "e", "f"])
    .globals(format!(
        "struct S {{\n\t{name} v[2];\n\tint n;\n}};\n\nuniform S s[2];\nuniform int e;\nuniform int f;\n\n"
    ))
}

/// One element of an array in an array of structures written: y₀₁ − y₁₀.
fn written_structures(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Related), (INT, Pool::Below(2)), (INT, Pool::Below(2))];
    Signature::whole(GROUP, "written_structures", &arguments, ty, "s[0].v[1] - s[1].v[0]", |x| {
        let place = (index(&x[2]), index(&x[3]));
        zipped(&x[0], &x[1], |a, b| {
            let at = |here| if place == here { a } else { b };
            ieee::sub(at((0, 1)), at((1, 0)))
        })
    })
    .types(name.clone())
    .globals(format!("struct S {{\n\tint n;\n\t{name} v[2];\n}};\n\n"))
    .statements(format!(
        "S s[2] = S[2](S(0, {name}[2](b, b)), S(1, {name}[2](b, b)));\ns[c].v[d] = a;"
    ))
}

/// vₙ₋₁ − (vₙ₋₂ − (… − v₀)) whose number of elements is an integer operand.
fn alternating_sum(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Related), (INT, Pool::Below(5))];
    Signature::whole(GROUP, "loop", &arguments, ty, "y", |x| {
        zipped(&x[0], &x[1], |a, b| [b, a, a, b].iter().take(index(&x[2])).fold(a, |y, &v| ieee::sub(v, y)))
    })
    .types(name.clone())
    .statements(format!(
        "{name} v[4] = {name}[4](b, a, a, b);\nprecise {name} y = a;\nfor (int i = 0; i < c; i++)\n\ty = v[i] - y;"
    ))
}

/// A function changes the element at an index: v₀ + v₁.
fn inout_element(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Related), (INT, Pool::Below(2))];
    Signature::whole(GROUP, "inout_element", &arguments, ty, "v[0] + v[1]", |x| {
        zipped(&x[0], &x[1], |a, b| match index(&x[2]) {
            0 => ieee::add(a.negated(), b),
            _ => ieee::add(a, b.negated()),
        })
    })
    .types(name.clone())
    .globals(format!("void f(inout {name} v)\n{{\n\tv = -v;\n}}\n\n"))
    .statements(format!("{name} v[2] = {name}[2](a, b);\nf(v[c]);"))
}

/// An array copied element by element with an offset.
fn rotated(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    Signature::whole(GROUP, "rotate", &arguments, ty, "w[1]", |x| {
        Some(x[(index(&x[3]) + 1) % 3].iter().map(|&x| exact(x)).collect())
    })
    .types(name.clone())
    .statements(format!(
        "{name} v[3] = {name}[3](a, b, c);\n{name} w[3];\nfor (int i = 0; i < 3; i++)\n\tw[i] = v[(i + d) % 3];"
    ))
}

/// A constant table times a.
fn table(ty: Type) -> Signature {
    const TABLE: [f64; 5] = [1.0, -2.0, 0.5, 3.0, 0.0];
    let arguments = [(ty, Pool::Any), (INT, Pool::Below(5))];
    Signature::whole(GROUP, "table", &arguments, ty, "a * table[b]", |x| {
        let factor = TABLE[index(&x[1])];
        Some(x[0].iter().map(|a| Accept::of(ieee::mul(a.double(), factor))).collect())
    })
    .types(ty.glsl())
    .globals("const double table[5] = double[5](1.0lf, -2.0lf, 0.5lf, 3.0lf, 0.0lf);\n\n")
}
