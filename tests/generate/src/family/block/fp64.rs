//! Doubles in uniform blocks: every type under each packing, between members of 32 bits, in arrays
//! and structures.

use crate::family::access::fp64::of_mixed_members;
use crate::family::conversion::widened;
use crate::family::interface::{layouts_64, parts};
use crate::operation::Signature;
use crate::pool::Pool;

use crate::accept::Accept;
use crate::shared::{INT, all_types, exact};
use crate::value::{BOOL, Component, DOUBLE, MATRICES, Scalar, Type};

const GROUP: &str = "block";

const FLOAT: Type = Type::vector(Scalar::Float, 1);
/// Operands `a`, `b`, …
const MEMBERS: [&str; 4] = ["a", "b", "c", "d"];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in all_types::<f64>() {
        list.push(members("std140", ty));
        list.push(members("shared", ty));
        list.push(array("std140", ty));
        list.push(structures(ty));
    }
    for ty in MATRICES {
        list.push(members("std140, row_major", ty));
        list.push(array("std140, row_major", ty));
    }
    for layout in layouts_64() {
        list.push(in_block(&layout, parts(GROUP, "first", &layout, false, widened)));
        list.push(in_block(&layout, parts(GROUP, "last", &layout, true, widened)));
    }
    list
}

/// File names have no commas.
fn suffix(packing: &str) -> &'static str {
    match packing {
        "std140" => "std140",
        "shared" => "shared",
        _ => "row_major",
    }
}

/// The value of an array's element at an index, both ends of which are tested.
fn element(x: &[Vec<Component>], count: usize) -> Option<Vec<Accept>> {
    let index = x[count][0].integer() as usize;
    Some(x[index].iter().map(|&x| exact(x)).collect())
}

/// A value between a float, a boolean and a double.
fn members(packing: &'static str, ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments =
        [(FLOAT, Pool::Small), (ty, Pool::Any), (BOOL, Pool::Plain), (DOUBLE, Pool::Any)];
    Signature::whole(GROUP, format!("members_{}", suffix(packing)), &arguments, ty, "y", of_mixed_members)
        .types(name.clone())
        .uniform_names(&MEMBERS)
        .globals(format!(
            "layout({packing}) uniform Block {{\n\tfloat a;\n\t{name} b;\n\tbool c;\n\tdouble d;\n}};\n\n"
        ))
        .statements(format!("{name} y = b + d;\nif (c) {{\n\ty = b;\n\tif (a > 0.0)\n\t\ty = -y;\n}}"))
}

/// An element of an array that a double precedes and the index follows.
fn array(packing: &'static str, ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    Signature::whole(GROUP, format!("array_{}", suffix(packing)), &arguments, ty, "a[b]", |x| {
        element(x, 3)
    })
    .types(name.clone())
    .uniform_names(&["a[0]", "a[1]", "a[2]", "b"])
    .globals(format!(
        "layout({packing}) uniform Block {{\n\tfloat z;\n\t{name} a[3];\n\tint b;\n}};\n\n"
    ))
}

/// A member of an array of structures.
fn structures(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(2))];
    Signature::whole(GROUP, "structures", &arguments, ty, "s[c].value", |x| element(x, 2))
        .types(name.clone())
        .uniform_names(&["s[0].value", "s[1].value", "c"])
        .globals(format!(
            "struct S {{\n\tfloat weight;\n\t{name} value;\n\tint tag;\n}};\n\n\
             layout(std140) uniform Block {{\n\tint c;\n\tS s[2];\n}};\n\n"
        ))
}

/// The operands as members of a block, in this order.
fn in_block(layout: &[Type], signature: Signature) -> Signature {
    let members = layout.iter().zip(MEMBERS).map(|(ty, name)| format!("\t{} {name};\n", ty.glsl()));
    signature
        .uniform_names(&MEMBERS)
        .globals(format!("layout(std140) uniform Block {{\n{}}};\n\n", members.collect::<String>()))
}
