//! Parts of values: swizzles as operands and as l-values, constant and dynamic indices into
//! vectors, matrices and arrays, members of structures.

use crate::accept::Accept;
use crate::family::access;
use crate::format::Format;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{INT, exact, index};
use crate::value::{Component, DOUBLE, MATRICES, Scalar, Type, VECTORS, dvec};

const GROUP: &str = "access";

/// Pairs of swizzles of operands of these sizes: every component in every place, repeated ones,
/// halves exchanged.
const SWIZZLES: &[(usize, &str, &str)] = &[
    (2, "yx", "xy"),
    (2, "xx", "yx"),
    (2, "yyxx", "xyxy"),
    (2, "yxy", "xxy"),
    (3, "zyx", "yzx"),
    (3, "zx", "yz"),
    (3, "zzzy", "xxyz"),
    (3, "yyx", "zxz"),
    (4, "wzyx", "yxwz"),
    (4, "zwxy", "xyzw"),
    (4, "xyzw", "wwww"),
    (4, "xxyy", "zzww"),
    (4, "xzxz", "ywyw"),
    (4, "wxyz", "yzwx"),
    (4, "xwxw", "zyzy"),
    (4, "yyyz", "xxwx"),
    (4, "wzx", "xyw"),
    (4, "yzw", "zyx"),
    (4, "zw", "yx"),
    (4, "xw", "wy"),
];

/// L-values: size and components.
const MASKS: &[(usize, &str)] = &[
    (2, "x"),
    (2, "y"),
    (2, "yx"),
    (3, "z"),
    (3, "xy"),
    (3, "xz"),
    (3, "yz"),
    (3, "zxy"),
    (4, "x"),
    (4, "y"),
    (4, "z"),
    (4, "w"),
    (4, "xy"),
    (4, "xz"),
    (4, "xw"),
    (4, "yz"),
    (4, "yw"),
    (4, "zw"),
    (4, "wy"),
    (4, "xyz"),
    (4, "xyw"),
    (4, "xzw"),
    (4, "yzw"),
    (4, "wzyx"),
];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    list.extend(
        SWIZZLES
            .iter()
            .map(|&(size, left, right)| access::swizzled_sum(Scalar::Double, size, left, right)),
    );
    for &(size, mask) in MASKS {
        // A mask of all components replaces the whole value.
        if mask.len() < size {
            list.push(access::masked_write(dvec(size), mask));
        }
        if mask.len() != 1 {
            list.push(access::masked_product(dvec(size), mask));
        }
    }
    for ty in &VECTORS[1..] {
        list.push(access::dynamic_component(*ty));
        list.push(access::dynamic_component_write(*ty));
    }
    for ty in MATRICES {
        list.push(access::dynamic_column(ty));
        list.push(access::dynamic_column_write(ty));
    }
    for ty in [MATRICES[0], MATRICES[4], MATRICES[5], MATRICES[8]] {
        list.push(dynamic_entry(ty));
        list.push(access::dynamic_entry_write(ty));
        list.push(access::row(ty));
    }
    for ty in VECTORS.into_iter().chain([MATRICES[0], MATRICES[3]]) {
        list.push(uniform_array(ty));
        list.push(local_array(ty));
        list.push(local_array_write(ty));
    }
    for ty in VECTORS.into_iter().chain([MATRICES[0], MATRICES[1], MATRICES[6]]) {
        list.push(structure(ty));
        list.push(uniform_structure(ty));
        list.push(structure_array(ty));
    }
    list.push(structure_equality());
    list
}

/// `a[b][c]`.
fn dynamic_entry(ty: Type) -> Signature {
    let arguments =
        [(ty, Pool::Any), (INT, Pool::Below(ty.columns as u8)), (INT, Pool::Below(ty.rows as u8))];
    Signature::whole(GROUP, "entry", &arguments, DOUBLE, "a[b][c]", move |x| {
        Some(vec![exact(x[0][index(&x[1]) * ty.rows + index(&x[2])])])
    })
    .types(ty.glsl())
}

/// `a[b]` of a uniform array of three.
fn uniform_array(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    Signature::whole(GROUP, "uniform_array", &arguments, ty, "a[b]", |x| {
        Some(x[index(&x[3])].iter().map(|&x| exact(x)).collect())
    })
    .uniform_names(&["a[0]", "a[1]", "a[2]", "b"])
    .globals(format!("uniform {} a[3];\nuniform int b;\n\n", ty.glsl()))
    .types(ty.glsl())
}

/// A local array, read at an index.
fn local_array(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    let name = ty.glsl();
    Signature::whole(GROUP, "array", &arguments, ty, "y[d]", |x| {
        Some(x[index(&x[3])].iter().map(|&x| exact(x)).collect())
    })
    .types(name.clone())
    .statements(format!("{name} y[3] = {name}[3](a, b, c);"))
}

/// A local array, written at an index and summed up: ((y₀ + y₁) + y₂), two of them b.
fn local_array_write(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(3))];
    let name = ty.glsl();
    Signature::whole(GROUP, "array_write", &arguments, ty, "z", |x| {
        let sum = |a: &Component, b: &Component| {
            let mut y = [b.double(); 3];
            y[index(&x[2])] = a.double();
            Accept::of(ieee::add(ieee::add(y[0], y[1]), y[2]))
        };
        Some(x[0].iter().zip(&x[1]).map(|(a, b)| sum(a, b)).collect())
    })
    .types(name.clone())
    .statements(format!(
        "{name} y[3] = {name}[3](b, b, b);\ny[c] = a;\nprecise {name} z = y[0] + y[1];\nz = z + y[2];"
    ))
}

/// A structure of a double, a value of the type and an integer: built, copied, a member changed.
fn structure(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(DOUBLE, Pool::Any), (ty, Pool::Any), (INT, Pool::Plain)];
    Signature::whole(GROUP, "structure", &arguments, ty, "t.value", |x| {
        // c / 2 is exact: every int is a double.
        let scale = x[2][0].integer() % 2 == 0;
        let pick = |b: &Component| {
            if scale { ieee::sub(b.double(), x[0][0].double()) } else { b.double() }
        };
        Some(x[1].iter().map(|b| Accept::of(pick(b))).collect())
    })
    .globals(format!("struct S {{\n\tdouble number;\n\t{name} value;\n\tint count;\n}};\n\n"))
    .statements(
        "S s = S(a, b, c);\nS t = s;\nif ((t.count & 1) == 0)\n\tt.value = s.value - t.number;",
    )
}

/// Of a float, a value, a boolean and a double: the value, negated for a positive float; the value
/// plus the double if not the boolean.
pub fn of_mixed_members(x: &[Vec<Component>]) -> Option<Vec<Accept>> {
    let (first, chosen, last) = (x[0][0].float(), x[2][0].boolean(), x[3][0].double());
    if first.is_subnormal() || first.is_nan() {
        return None;
    }
    let pick = |b: &Component| match chosen {
        false => ieee::add(b.double(), last),
        true if first > 0.0 => b.double().negated(),
        true => b.double(),
    };
    Some(x[1].iter().map(|b| Accept::of(pick(b))).collect())
}

/// A uniform structure with members of both sizes.
fn uniform_structure(ty: Type) -> Signature {
    let name = ty.glsl();
    let float = Type::vector(Scalar::Float, 1);
    let arguments = [
        (float, Pool::Small),
        (ty, Pool::Any),
        (Type::vector(Scalar::Bool, 1), Pool::Plain),
        (DOUBLE, Pool::Any),
    ];
    Signature::whole(GROUP, "uniform_structure", &arguments, ty, "y", of_mixed_members)
    .types(name.clone())
    .uniform_names(&["s.first", "s.value", "s.chosen", "s.last"])
    .globals(format!(
        "uniform struct S {{\n\tfloat first;\n\t{name} value;\n\tbool chosen;\n\tdouble last;\n}} s;\n\n"
    ))
    .statements(format!(
        "{name} y = s.value + s.last;\nif (s.chosen) {{\n\ty = s.value;\n\tif (s.first > 0.0)\n\t\ty = -y;\n}}"
    ))
}

/// Structures in an array at an index.
fn structure_array(ty: Type) -> Signature {
    let name = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (INT, Pool::Below(2))];
    Signature::whole(GROUP, "structure_array", &arguments, ty, "s[c].inner.value", |x| {
        Some(x[index(&x[2])].iter().map(|&x| exact(x)).collect())
    })
    .types(name.clone())
    .globals(format!(
        "struct Inner {{\n\tint tag;\n\t{name} value;\n}};\nstruct S {{\n\tfloat weight;\n\tInner inner;\n}};\n\n"
    ))
    .statements("S s[2];\ns[0] = S(1.0, Inner(0, a));\ns[1].weight = 2.0;\ns[1].inner.tag = 1;\ns[1].inner.value = b;")
}

/// `==` of structures with doubles inside.
fn structure_equality() -> Signature {
    let arguments = [(dvec(3), Pool::Any), (dvec(3), Pool::CopyOfFirst)];
    let result = Type::vector(Scalar::Bool, 1);
    Signature::whole(
        GROUP,
        "structure_equal",
        &arguments,
        result,
        "S(1, a, a.x) == S(1, b, b.x)",
        |x| {
            let equal = x[0].iter().zip(&x[1]).all(|(a, b)| ieee::equal(a.double(), b.double()));
            Some(vec![exact(Component::Bool(equal))])
        },
    )
    .globals("struct S {\n\tint tag;\n\tdvec3 value;\n\tdouble number;\n};\n\n")
}
