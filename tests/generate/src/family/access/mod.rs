//! Parts of values: swizzles as operands and as l-values, dynamic indices into vectors and
//! matrices.

pub mod fp64;
pub mod half;

use crate::number;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{INT, exact, index};
use crate::value::{Component, Scalar, Type};

const GROUP: &str = "access";

/// Places of a swizzle's components.
fn places(swizzle: &str) -> Vec<usize> {
    swizzle.chars().filter_map(|c| "xyzw".find(c)).collect()
}

/// `a.left + b.right` of vectors of a size.
pub fn swizzled_sum(
    scalar: Scalar,
    size: usize,
    left: &'static str,
    right: &'static str,
) -> Signature {
    let (ty, result) = (Type::vector(scalar, size), Type::vector(scalar, left.len()));
    let expression = format!("a.{left} + b.{right}");
    Signature::whole(
        GROUP,
        "swizzle",
        &[(ty, Pool::Any), (ty, Pool::Any)],
        result,
        expression,
        move |x| {
            let pairs = places(left).into_iter().zip(places(right));
            Some(pairs.map(|(i, j)| exact(number::add(x[0][i], x[1][j]))).collect())
        },
    )
    .types(format!("{}-{left}-{right}", ty.glsl()))
}

/// `y.mask = b`.
pub fn masked_write(ty: Type, mask: &'static str) -> Signature {
    masked("writemask", "=", ty, mask, |_, b| b)
}

/// `y.mask *= b`.
pub fn masked_product(ty: Type, mask: &'static str) -> Signature {
    masked("writemask_mul", "*=", ty, mask, number::mul)
}

fn masked(
    name: &str,
    operator: &str,
    ty: Type,
    mask: &'static str,
    f: fn(Component, Component) -> Component,
) -> Signature {
    let part = Type::vector(ty.scalar, mask.len());
    Signature::whole(GROUP, name, &[(ty, Pool::Any), (part, Pool::Any)], ty, "y", move |x| {
        let mut y = x[0].clone();
        for (place, &b) in places(mask).into_iter().zip(&x[1]) {
            y[place] = f(y[place], b);
        }
        Some(y.into_iter().map(exact).collect())
    })
    .types(format!("{}-{mask}", ty.glsl()))
    .statements(format!("{} y = a;\ny.{mask} {operator} b;", ty.glsl()))
}

/// `a[b]` of a vector.
pub fn dynamic_component(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (INT, Pool::Below(ty.rows as u8))];
    let one = Type::vector(ty.scalar, 1);
    Signature::whole(GROUP, "component", &arguments, one, "a[b]", |x| {
        Some(vec![exact(x[0][index(&x[1])])])
    })
}

/// `y[b] = c` of a vector.
pub fn dynamic_component_write(ty: Type) -> Signature {
    let one = Type::vector(ty.scalar, 1);
    let arguments = [(ty, Pool::Any), (INT, Pool::Below(ty.rows as u8)), (one, Pool::Any)];
    Signature::whole(GROUP, "component_write", &arguments, ty, "y", |x| {
        let mut y = x[0].clone();
        y[index(&x[1])] = x[2][0];
        Some(y.into_iter().map(exact).collect())
    })
    .statements(format!("{} y = a;\ny[b] = c;", ty.glsl()))
}

/// `a[b]` of a matrix.
pub fn dynamic_column(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (INT, Pool::Below(ty.columns as u8))];
    let column = Type::vector(ty.scalar, ty.rows);
    Signature::whole(GROUP, "column", &arguments, column, "a[b]", move |x| {
        let column = x[0].chunks(ty.rows).nth(index(&x[1]))?;
        Some(column.iter().map(|&x| exact(x)).collect())
    })
}

/// `y[b] = c` of a matrix.
pub fn dynamic_column_write(ty: Type) -> Signature {
    let column = Type::vector(ty.scalar, ty.rows);
    let arguments = [(ty, Pool::Any), (INT, Pool::Below(ty.columns as u8)), (column, Pool::Any)];
    Signature::whole(GROUP, "column_write", &arguments, ty, "y", move |x| {
        let mut y = x[0].clone();
        let start = index(&x[1]) * ty.rows;
        y[start..start + ty.rows].copy_from_slice(&x[2]);
        Some(y.into_iter().map(exact).collect())
    })
    .statements(format!("{} y = a;\ny[b] = c;", ty.glsl()))
}

/// `y[b][c] = d`.
pub fn dynamic_entry_write(ty: Type) -> Signature {
    let arguments = [
        (ty, Pool::Any),
        (INT, Pool::Below(ty.columns as u8)),
        (INT, Pool::Below(ty.rows as u8)),
        (Type::vector(ty.scalar, 1), Pool::Any),
    ];
    Signature::whole(GROUP, "entry_write", &arguments, ty, "y", move |x| {
        let mut y = x[0].clone();
        y[index(&x[1]) * ty.rows + index(&x[2])] = x[3][0];
        Some(y.into_iter().map(exact).collect())
    })
    .types(ty.glsl())
    .statements(format!("{} y = a;\ny[b][c] = d;", ty.glsl()))
}

/// The last component of every column.
pub fn row(ty: Type) -> Signature {
    let last = ty.rows - 1;
    let parts: Vec<String> = (0..ty.columns).map(|column| format!("a[{column}][{last}]")).collect();
    let result = Type::vector(ty.scalar, ty.columns);
    let expression = format!("{}({})", result.glsl(), parts.join(", "));
    Signature::whole(GROUP, "row", &[(ty, Pool::Any)], result, expression, move |x| {
        Some(x[0].chunks(ty.rows).map(|column| exact(column[last])).collect())
    })
}
