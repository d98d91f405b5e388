//! Parts of 16-bit values: swizzles as operands and as l-values, constant and dynamic indices into
//! vectors, matrices and arrays, members of structures.

use crate::accept::Accept;
use crate::family::access;
use crate::format::Format;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{HALF_VECTORS, SCALARS_16, half_matrix, halves, vectors};
use crate::shared::{INT, exact, index};
use crate::value::{Component, Scalar, Type};

const GROUP: &str = "access";

/// Pairs of swizzles of operands of these sizes: every component in every place, repeated ones, odd
/// and even ones exchanged.
const SWIZZLES: &[(usize, &str, &str)] = &[
    (2, "yx", "xy"),
    (2, "yyxx", "xyxy"),
    (3, "zyx", "yzx"),
    (3, "zx", "yz"),
    (3, "zzzy", "xxyz"),
    (4, "wzyx", "yxwz"),
    (4, "zwxy", "xyzw"),
    (4, "xxyy", "zzww"),
    (4, "xzxz", "ywyw"),
    (4, "wzx", "xyw"),
    (4, "yw", "xz"),
];

/// L-values: size and components.
const MASKS: &[(usize, &str)] = &[
    (2, "y"),
    (3, "z"),
    (3, "xz"),
    (3, "zy"),
    (4, "y"),
    (4, "xz"),
    (4, "yw"),
    (4, "wx"),
    (4, "yzw"),
    (4, "zxw"),
];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    list.extend(
        SWIZZLES
            .iter()
            .map(|&(size, left, right)| access::swizzled_sum(Scalar::Half, size, left, right)),
    );
    for &(size, mask) in MASKS {
        list.push(access::masked_write(Type::vector(Scalar::Half, size), mask));
        list.push(access::masked_write(Type::vector(Scalar::Int16, size), mask));
        list.push(access::masked_product(halves(size), mask));
    }
    for scalar in SCALARS_16 {
        for ty in &vectors(scalar)[1..] {
            list.push(access::dynamic_component(*ty));
            list.push(access::dynamic_component_write(*ty));
        }
        for ty in vectors(scalar) {
            list.push(uniform_array(ty));
            list.push(local_array(ty));
            list.push(local_array_write(ty));
            list.push(structure(ty));
            list.push(uniform_structure(ty));
            list.push(structure_array(ty));
        }
        list.push(long_array(Type::vector(scalar, 1)));
        list.push(constant_array(scalar));
    }
    for ty in [half_matrix(2, 3), half_matrix(3, 4), half_matrix(4, 2)] {
        list.push(access::dynamic_column(ty));
        list.push(access::dynamic_column_write(ty));
        list.push(access::dynamic_entry_write(ty));
        list.push(access::row(ty));
    }
    list.extend(HALF_VECTORS[1..].iter().map(|&ty| component_by_component(ty)));
    list
}

/// An array of three uniforms, indexed by a uniform.
fn uniform_array(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    let t = ty.glsl();
    Signature::whole(GROUP, "uniform_array", &arguments, ty, "list[which]", |x| {
        Some(x[index(&x[3])].iter().map(|&x| exact(x)).collect())
    })
    .types(t.clone())
    .globals(format!("uniform {t} list[3];\nuniform int which;\n\n"))
    .uniform_names(&["list[0]", "list[1]", "list[2]", "which"])
}

/// A local array read at a dynamic index.
fn local_array(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(5))];
    let t = ty.glsl();
    Signature::whole(GROUP, "array", &arguments, ty, "list[c]", |x| {
        Some(x[index(&x[2]) % 2].iter().map(|&x| exact(x)).collect())
    })
    .types(t.clone())
    .statements(format!("{t} list[5] = {t}[5](a, b, a, b, a);"))
}

/// A local array written at a dynamic index.
fn local_array_write(ty: Type) -> Signature {
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(4)), (INT, Pool::Below(4))];
    let t = ty.glsl();
    Signature::whole(GROUP, "array_write", &arguments, ty, "list[d]", |x| {
        let chosen = if index(&x[2]) == index(&x[3]) { &x[1] } else { &x[0] };
        Some(chosen.iter().map(|&x| exact(x)).collect())
    })
    .types(t.clone())
    .statements(format!("{t} list[4] = {t}[4](a, a, a, a);\nlist[c] = b;"))
}

/// An array too long for selections, filled in a loop: element i is a for even i and b for odd i,
/// but one is read back changed.
fn long_array(ty: Type) -> Signature {
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(40)), (INT, Pool::Below(40))];
    let t = ty.glsl();
    Signature::whole(GROUP, "array_long", &arguments, ty, "list[d]", |x| {
        let (written, read) = (index(&x[2]), index(&x[3]));
        let source = if read == written { 1 - read % 2 } else { read % 2 };
        Some(vec![exact(x[source][0])])
    })
    .types(t.clone())
    .statements(format!(
        "{t} list[40];\nfor (int i = 0; i < 40; i++)\n\tlist[i] = (i & 1) == 0 ? a : b;\nlist[c] = (c & 1) == 0 ? b : a;"
    ))
}

/// A constant array of literals, indexed dynamically.
fn constant_array(scalar: Scalar) -> Signature {
    let ty = Type::vector(scalar, 1);
    let (literals, values): (Vec<String>, Vec<Component>) = (0..7i64)
        .map(|i| {
            let n = 1 + 3 * i;
            match scalar {
                Scalar::Half => (
                    format!("{n}.5hf"),
                    Component::Half(crate::half::Half::from_double(n as f64 + 0.5)),
                ),
                Scalar::Int16 => (format!("-{n}s"), Component::Int16(-n as i16)),
                _ => (format!("{}us", 60000 + n), Component::Uint16((60000 + n) as u16)),
            }
        })
        .unzip();
    let t = ty.glsl();
    Signature::whole(GROUP, "array_constant", &[(INT, Pool::Below(7))], ty, "list[a]", move |x| {
        Some(vec![exact(values[index(&x[0])])])
    })
    .types(t.clone())
    .statements(format!("const {t} list[7] = {t}[7]({});", literals.join(", ")))
}

/// Members of 16 bits around one of 32.
fn structure(ty: Type) -> Signature {
    let t = ty.glsl();
    Signature::whole(
        GROUP,
        "structure",
        &[(ty, Pool::Any), (ty, Pool::Any)],
        ty,
        "s.between > 0.5 ? s.last : s.first",
        |x| Some(x[1].iter().map(|&x| exact(x)).collect()),
    )
    .types(t.clone())
    .globals(format!("struct S {{\n\t{t} first;\n\tfloat between;\n\t{t} last;\n}};\n\n"))
    .statements("S s = S(a, 0.25, a);\ns.last = b;\ns.between = 1.0;")
}

fn uniform_structure(ty: Type) -> Signature {
    let t = ty.glsl();
    let int16 = Type::vector(Scalar::Int16, 1);
    let arguments = [(ty, Pool::Any), (int16, Pool::Any), (ty, Pool::Any)];
    Signature::whole(
        GROUP,
        "uniform_structure",
        &arguments,
        ty,
        "s.between < 0s ? s.first : s.last",
        |x| {
            let chosen = if x[1][0].integer() < 0 { &x[0] } else { &x[2] };
            Some(chosen.iter().map(|&x| exact(x)).collect())
        },
    )
    .types(t.clone())
    .globals(format!(
        "struct S {{\n\t{t} first;\n\tint16_t between;\n\t{t} last;\n}};\n\nuniform S s;\n\n"
    ))
    .uniform_names(&["s.first", "s.between", "s.last"])
}

/// An array of structures, written at one dynamic index and read at another.
fn structure_array(ty: Type) -> Signature {
    let t = ty.glsl();
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3)), (INT, Pool::Below(3))];
    Signature::whole(GROUP, "structure_array", &arguments, ty, "list[d].value", |x| {
        let chosen = if index(&x[2]) == index(&x[3]) { &x[1] } else { &x[0] };
        Some(chosen.iter().map(|&x| exact(x)).collect())
    })
    .types(t.clone())
    .globals(format!("struct S {{\n\t{t} value;\n\tint count;\n}};\n\n"))
    .statements("S list[3] = S[3](S(a, 1), S(a, 2), S(a, 3));\nlist[c].value = b;")
}

/// Each component written by itself, the last one first: partial writes that together are the whole
/// value.
fn component_by_component(ty: Type) -> Signature {
    let writes: Vec<String> =
        (0..ty.rows).rev().map(|i| format!("y[{i}] = a[{}] - b[{i}];", ty.rows - 1 - i)).collect();
    Signature::whole(
        GROUP,
        "component_by_component",
        &[(ty, Pool::Any), (ty, Pool::Any)],
        ty,
        "y",
        move |x| {
            let component = |i: usize| ieee::sub(x[0][ty.rows - 1 - i].half(), x[1][i].half());
            Some((0..ty.rows).map(|i| Accept::of(component(i))).collect())
        },
    )
    .statements(format!("{} y;\n{}", ty.glsl(), writes.join("\n")))
}
