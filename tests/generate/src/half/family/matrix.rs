//! Matrices of halves: products of linear algebra, the matrix functions (GLSL 4.60 section 8.6) and constructors.
//!
//! Components are in column-major order, as everywhere in GLSL.

use super::geometric::{dot, exact};
use super::{HALF, halves, matrices, matrix_of};
use crate::bounded::Bounded;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::matrix::{
    Square, component_product, diagonal, expanded, from_columns, inverted, outer_product, resized, transpose,
    well_conditioned,
};
use crate::value::{Accept, Component, Type};

const GROUP: &str = "matrix";
/// Bits to which the determinants in use are known.
const DETERMINANT_BITS: i32 = 3;

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in matrices() {
        list.push(component_product(ty));
        list.push(outer_product(ty));
        list.push(transpose(ty));
        list.push(product(ty, halves(ty.columns), halves(ty.rows)));
        list.push(product(halves(ty.rows), ty, halves(ty.columns)));
        for columns in [2, 4] {
            list.push(product(ty, matrix_of(columns, ty.columns), matrix_of(columns, ty.rows)));
        }
        list.push(diagonal(ty));
        list.push(from_columns(ty));
        list.push(from_scalars(ty));
        list.push(resized(matrix_of(2, 3), ty));
    }
    for n in 2..=4 {
        let ty = matrix_of(n, n);
        list.push(assigned_product(ty, ty));
        list.push(assigned_product(halves(n), ty));
        list.push(determinant(n));
        list.push(inverse(n));
    }
    list
}

/// Matrix or vector times matrix or vector: dot products of rows with columns.
fn multiplied(left: Type, right: Type, x: &[Vec<Component>]) -> Option<Vec<Accept>> {
    let (a, b) = (exact(&x[0])?, exact(&x[1])?);
    // A vector on the left is a row.
    let rows: Vec<Vec<Bounded>> = if left.is_matrix() {
        (0..left.rows).map(|row| a.iter().skip(row).step_by(left.rows).cloned().collect()).collect()
    } else {
        vec![a]
    };
    let products =
        b.chunks(right.rows).flat_map(|column| rows.iter().map(|row| dot(row, column)?.accept_half()));
    products.collect()
}

fn product(left: Type, right: Type, result: Type) -> Signature {
    let arguments = [(left, Pool::Moderate), (right, Pool::Moderate)];
    Signature::whole(GROUP, "mul", &arguments, result, "a * b", move |x| multiplied(left, right, x))
}

fn assigned_product(left: Type, right: Type) -> Signature {
    let arguments = [(left, Pool::Moderate), (right, Pool::Moderate)];
    Signature::whole(GROUP, "mul_assign", &arguments, left, "y", move |x| multiplied(left, right, x))
        .statements(format!("{} y = a;\ny *= b;", left.glsl()))
}

/// From single components of another matrix, in reverse.
fn from_scalars(ty: Type) -> Signature {
    let parts: Vec<String> = (0..ty.components()).rev().map(|i| ty.component("a", i)).collect();
    let expression = format!("{}({})", ty.glsl(), parts.join(", "));
    Signature::whole(GROUP, "from_scalars", &[(ty, Pool::Any)], ty, expression, |x| {
        Some(x[0].iter().rev().map(|&x| Accept::exactly(x)).collect())
    })
}

fn square(n: usize, x: &[Component]) -> Option<Square> {
    Some(exact(x)?.chunks(n).map(<[Bounded]>::to_vec).collect())
}

fn determinant(n: usize) -> Signature {
    let arguments = [(matrix_of(n, n), Pool::Moderate)];
    Signature::whole(GROUP, "determinant", &arguments, HALF, "determinant(a)", move |x| {
        let value = expanded(&square(n, &x[0])?);
        if well_conditioned(&value, DETERMINANT_BITS) { Some(vec![value.accept_half()?]) } else { None }
    })
}

fn inverse(n: usize) -> Signature {
    let ty = matrix_of(n, n);
    Signature::whole(GROUP, "inverse", &[(ty, Pool::Moderate)], ty, "inverse(a)", move |x| {
        let matrix = square(n, &x[0])?;
        let determinant = expanded(&matrix);
        if !well_conditioned(&determinant, DETERMINANT_BITS) {
            return None;
        }
        inverted(&matrix, &determinant)?.iter().map(Bounded::accept_half).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::half::float16::Half;

    fn components(list: &[f64]) -> Vec<Component> {
        list.iter().map(|&x| Component::Half(Half::from_double(x))).collect()
    }

    fn check(signature: Signature, arguments: &[Vec<Component>], expected: &[f64]) {
        let accept = signature.accept(arguments).expect("defined");
        assert_eq!(accept.len(), expected.len());
        for (accept, &value) in accept.iter().zip(expected) {
            let [value, off] = [value, value + 0.3].map(|x| Component::Half(Half::from_double(x)));
            assert!(accept.accepts(value) && !accept.accepts(off), "{}: {accept:?}", signature.name);
        }
    }

    /// Worked by hand.
    #[test]
    fn small_examples() {
        let m = components(&[1.0, 3.0, 2.0, 4.0]);
        let v = components(&[5.0, 6.0]);
        let ty = matrix_of(2, 2);
        check(product(ty, halves(2), halves(2)), &[m.clone(), v.clone()], &[17.0, 39.0]);
        check(product(halves(2), ty, halves(2)), &[v, m.clone()], &[23.0, 34.0]);
        check(product(ty, ty, ty), &[m.clone(), m.clone()], &[7.0, 15.0, 10.0, 22.0]);
        check(determinant(2), std::slice::from_ref(&m), &[-2.0]);
        check(inverse(2), &[m], &[-2.0, 1.5, 1.0, -0.5]);
        let wide = components(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        check(transpose(matrix_of(2, 3)), std::slice::from_ref(&wide), &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let grown = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 1.0];
        check(resized(matrix_of(2, 3), matrix_of(3, 3)), &[wide], &grown);
    }
}
