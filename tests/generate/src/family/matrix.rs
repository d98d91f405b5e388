//! Products of linear algebra, the matrix functions (GLSL 4.60 section 8.6) and constructors of matrices.
//!
//! Components are in column-major order, as everywhere in GLSL.

use super::geometric::dot;
use crate::bounded::{Bounded, around};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::shared::exact;
use crate::shared::matrix::{
    Square, component_product, diagonal, expanded, from_columns, inverted, outer_product, resized, transpose,
    well_conditioned,
};
use crate::value::{Accept, Component, DOUBLE, MATRICES, Type, dvec};

const GROUP: &str = "matrix";
/// Bits to which the determinants in use are known.
const DETERMINANT_BITS: i32 = 40;

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for left in MATRICES {
        list.push(component_product(left));
        list.push(outer_product(left));
        list.push(transpose(left));
        list.push(product(left, dvec(left.columns), dvec(left.rows)));
        list.push(product(dvec(left.rows), left, dvec(left.columns)));
        for right in MATRICES.into_iter().filter(|right| right.rows == left.columns) {
            list.push(product(left, right, Type::matrix(right.columns, left.rows)));
        }
        list.push(diagonal(left));
        list.push(from_columns(left));
        list.push(from_components(left));
        for other in [Type::matrix(2, 3), Type::matrix(4, 4)] {
            list.push(resized(other, left));
        }
    }
    for n in 2..=4 {
        let ty = Type::matrix(n, n);
        list.push(assigned_product(ty, ty));
        list.push(assigned_product(dvec(n), ty));
        list.push(determinant(n));
        list.push(inverse(n));
    }
    list
}

/// Component of a matrix as `[column][row]`.
fn columns(ty: Type, x: &[Component]) -> Vec<Vec<Real>> {
    x.chunks(ty.rows).map(|column| column.iter().map(|x| Real::from_f64(x.double())).collect()).collect()
}

/// Matrix or vector times matrix or vector: dot products of rows with columns.
fn multiplied(left: Type, right: Type, x: &[Vec<Component>]) -> Vec<Accept> {
    let (a, b) = (columns(left, &x[0]), columns(right, &x[1]));
    // A vector on the left is a row: its components are the columns.
    let rows: Vec<Vec<Real>> = if left.is_matrix() {
        (0..left.rows).map(|row| a.iter().map(|column| column[row].clone()).collect()).collect()
    } else {
        a
    };
    let component = |row: &Vec<Real>, column: &Vec<Real>| {
        let (sum, error) = dot(row, column);
        around(&sum, &error)
    };
    b.iter().flat_map(|column| rows.iter().map(move |row| component(row, column))).collect()
}

fn product(left: Type, right: Type, result: Type) -> Signature {
    let arguments = [(left, Pool::Moderate), (right, Pool::Moderate)];
    Signature::whole(GROUP, "mul", &arguments, result, "a * b", move |x| Some(multiplied(left, right, x)))
}

fn assigned_product(left: Type, right: Type) -> Signature {
    let arguments = [(left, Pool::Moderate), (right, Pool::Moderate)];
    Signature::whole(GROUP, "mul_assign", &arguments, left, "y", move |x| Some(multiplied(left, right, x)))
        .statements(format!("{} y = a;\ny *= b;", left.glsl()))
}

/// From a column's first components as scalars, the rest as vectors that cross columns.
fn from_components(ty: Type) -> Signature {
    let rest = ty.components() - 1;
    let sizes: Vec<usize> = match rest {
        3 => vec![3],
        5 => vec![4, 1],
        7 => vec![4, 3],
        8 => vec![4, 4],
        11 => vec![4, 4, 3],
        _ => return from_all_scalars(ty),
    };
    let mut arguments = vec![(DOUBLE, Pool::Any)];
    arguments.extend(sizes.iter().map(|&n| (dvec(n), Pool::Any)));
    let names = ["a", "b", "c", "d"][..arguments.len()].join(", ");
    Signature::whole(GROUP, "from_parts", &arguments, ty, format!("{}({names})", ty.glsl()), |x| {
        Some(x.iter().flatten().map(|&x| exact(x)).collect())
    })
    .types(ty.glsl())
}

/// From sixteen scalars.
fn from_all_scalars(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any)];
    let parts: Vec<String> = (0..ty.components()).map(|i| ty.component("a", i)).collect();
    Signature::whole(
        GROUP,
        "from_parts",
        &arguments,
        ty,
        format!("{}({})", ty.glsl(), parts.join(", ")),
        |x| Some(x[0].iter().map(|&x| exact(x)).collect()),
    )
}

fn square(n: usize, x: &[Component]) -> Square {
    x.chunks(n).map(|column| column.iter().map(|x| Bounded::exact(x.double())).collect()).collect()
}

fn determinant(n: usize) -> Signature {
    let arguments = [(Type::matrix(n, n), Pool::Moderate)];
    Signature::whole(GROUP, "determinant", &arguments, DOUBLE, "determinant(a)", move |x| {
        let value = expanded(&square(n, &x[0]));
        well_conditioned(&value, DETERMINANT_BITS).then(|| vec![value.accept()])
    })
}

fn inverse(n: usize) -> Signature {
    let ty = Type::matrix(n, n);
    Signature::whole(GROUP, "inverse", &[(ty, Pool::Moderate)], ty, "inverse(a)", move |x| {
        let matrix = square(n, &x[0]);
        let determinant = expanded(&matrix);
        if !well_conditioned(&determinant, DETERMINANT_BITS) {
            return None;
        }
        Some(inverted(&matrix, &determinant)?.iter().map(Bounded::accept).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubles(list: &[f64]) -> Vec<Component> {
        list.iter().map(|&x| Component::Double(x)).collect()
    }

    fn check(signature: Signature, arguments: &[Vec<Component>], expected: &[f64]) {
        let accept = signature.accept(arguments).expect("defined");
        assert_eq!(accept.len(), expected.len());
        for (accept, &value) in accept.iter().zip(expected) {
            assert!(accept.accepts(Component::Double(value)), "{}: {accept:?} {value}", signature.name);
            assert!(
                !accept.accepts(Component::Double(value + 1e-9)),
                "{}: {accept:?} is wide",
                signature.name
            );
        }
    }

    /// Worked by hand.
    #[test]
    fn small_examples() {
        let m = doubles(&[1.0, 3.0, 2.0, 4.0]);
        let v = doubles(&[5.0, 6.0]);
        let ty = Type::matrix(2, 2);
        check(product(ty, dvec(2), dvec(2)), &[m.clone(), v.clone()], &[17.0, 39.0]);
        check(product(dvec(2), ty, dvec(2)), &[v, m.clone()], &[23.0, 34.0]);
        check(product(ty, ty, ty), &[m.clone(), m.clone()], &[7.0, 15.0, 10.0, 22.0]);
        check(determinant(2), std::slice::from_ref(&m), &[-2.0]);
        check(inverse(2), &[m], &[-2.0, 1.5, 1.0, -0.5]);
        let wide = doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        check(transpose(Type::matrix(2, 3)), std::slice::from_ref(&wide), &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let grown = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 1.0];
        check(resized(Type::matrix(2, 3), Type::matrix(3, 3)), &[wide], &grown);
        let four = doubles(&[2.0, 0.0, 0.0, 1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 5.0, 0.0, 0.0, 6.0]);
        check(determinant(4), &[four], &[84.0]);
    }
}
