//! Matrices of halves: products of linear algebra, the matrix functions (GLSL 4.60 section 8.6) and constructors.
//!
//! Components are in column-major order, as everywhere in GLSL.

use super::geometric::{dot, exact};
use super::{HALF, halves, matrices, matrix_of, of_two};
use crate::bounded::Bounded;
use crate::half::float16::Half;
use crate::half::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, Type};

const GROUP: &str = "matrix";

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

fn component_product(ty: Type) -> Signature {
    let evaluate = of_two(|a, b| Some(Accept::half(ieee::mul(a, b))));
    let arguments = [(ty, Pool::Any), (ty, Pool::Any)];
    Signature::elementwise(GROUP, "matrixCompMult", &arguments, ty, "matrixCompMult(a, b)", evaluate)
}

/// The column vector a times the row vector b: single products.
fn outer_product(ty: Type) -> Signature {
    let arguments = [(halves(ty.rows), Pool::Any), (halves(ty.columns), Pool::Any)];
    Signature::whole(GROUP, "outerProduct", &arguments, ty, "outerProduct(a, b)", |x| {
        let column = |b: &Component| {
            x[0].iter().map(|a| Accept::half(ieee::mul(a.half(), b.half()))).collect::<Vec<_>>()
        };
        Some(x[1].iter().flat_map(column).collect())
    })
}

fn transpose(ty: Type) -> Signature {
    let result = matrix_of(ty.rows, ty.columns);
    Signature::whole(GROUP, "transpose", &[(ty, Pool::Any)], result, "transpose(a)", move |x| {
        let place = |i: usize| (i % ty.columns) * ty.rows + i / ty.columns;
        Some((0..ty.components()).map(|i| Accept::exactly(x[0][place(i)])).collect())
    })
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

/// The scalar on the diagonal, zeros elsewhere.
fn diagonal(ty: Type) -> Signature {
    Signature::whole(GROUP, "diagonal", &[(HALF, Pool::Any)], ty, format!("{}(a)", ty.glsl()), move |x| {
        let component = |i: usize| {
            if i % ty.rows == i / ty.rows { Accept::exactly(x[0][0]) } else { Accept::half(Half::ZERO) }
        };
        Some((0..ty.components()).map(component).collect())
    })
    .types(ty.glsl())
}

fn from_columns(ty: Type) -> Signature {
    let arguments = vec![(halves(ty.rows), Pool::Any); ty.columns];
    let names = ["a", "b", "c", "d"][..ty.columns].join(", ");
    Signature::whole(GROUP, "from_columns", &arguments, ty, format!("{}({names})", ty.glsl()), |x| {
        Some(x.iter().flatten().map(|&x| Accept::exactly(x)).collect())
    })
    .types(ty.glsl())
}

/// From single components of another matrix, in reverse.
fn from_scalars(ty: Type) -> Signature {
    let parts: Vec<String> = (0..ty.components()).rev().map(|i| ty.component("a", i)).collect();
    let expression = format!("{}({})", ty.glsl(), parts.join(", "));
    Signature::whole(GROUP, "from_scalars", &[(ty, Pool::Any)], ty, expression, |x| {
        Some(x[0].iter().rev().map(|&x| Accept::exactly(x)).collect())
    })
}

/// A matrix from another: what is missing comes from the identity.
fn resized(from: Type, to: Type) -> Signature {
    Signature::whole(GROUP, "resize", &[(from, Pool::Any)], to, format!("{}(a)", to.glsl()), move |x| {
        let component = |i: usize| {
            let (column, row) = (i / to.rows, i % to.rows);
            match () {
                () if column < from.columns && row < from.rows => {
                    Accept::exactly(x[0][column * from.rows + row])
                }
                () if column == row => Accept::half(Half::ONE),
                () => Accept::half(Half::ZERO),
            }
        };
        Some((0..to.components()).map(component).collect())
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// A square matrix of bounded values, `[column][row]`.
type Square = Vec<Vec<Bounded>>;

/// The determinant by expansion along the first column, with its running error.
fn expanded(matrix: &Square) -> Option<Bounded> {
    if matrix.len() == 1 {
        return Some(matrix[0][0].clone());
    }
    let mut sum: Option<Bounded> = None;
    for row in 0..matrix.len() {
        let term = matrix[0][row].mul(&expanded(&minor(matrix, 0, row))?);
        let term = if row % 2 == 0 { term } else { term.neg() };
        sum = Some(sum.map_or(term.clone(), |sum| sum.add(&term)));
    }
    sum
}

/// The matrix without a column and a row.
fn minor(matrix: &Square, column: usize, row: usize) -> Square {
    let keep = |entries: &Vec<Bounded>| {
        entries.iter().enumerate().filter(|(i, _)| *i != row).map(|(_, x)| x.clone()).collect()
    };
    matrix.iter().enumerate().filter(|(i, _)| *i != column).map(|(_, entries)| keep(entries)).collect()
}

fn square(n: usize, x: &[Component]) -> Option<Square> {
    Some(exact(x)?.chunks(n).map(<[Bounded]>::to_vec).collect())
}

/// GLSL leaves the precision of `determinant` and `inverse` open. This suite asks for what cofactor expansion in any order of
/// evaluation keeps, and uses matrices that are far from singular only.
fn well_conditioned(determinant: &Bounded) -> bool {
    determinant.error().less(&determinant.value().clone().abs().scaled(-3))
}

fn determinant(n: usize) -> Signature {
    let arguments = [(matrix_of(n, n), Pool::Moderate)];
    Signature::whole(GROUP, "determinant", &arguments, HALF, "determinant(a)", move |x| {
        let value = expanded(&square(n, &x[0])?)?;
        if well_conditioned(&value) { Some(vec![value.accept_half()?]) } else { None }
    })
}

/// Cofactors over the determinant. The quotient may also be a product with the determinant's inverse, one more rounding, which the
/// factor of two of [`Bounded::accept_half`] holds.
fn inverse(n: usize) -> Signature {
    let ty = matrix_of(n, n);
    Signature::whole(GROUP, "inverse", &[(ty, Pool::Moderate)], ty, "inverse(a)", move |x| {
        let matrix = square(n, &x[0])?;
        let determinant = expanded(&matrix)?;
        if !well_conditioned(&determinant) {
            return None;
        }
        let component = |i: usize| {
            let (column, row) = (i / n, i % n);
            let cofactor = expanded(&minor(&matrix, row, column))?;
            let quotient = cofactor.div(&determinant)?;
            if (row + column) % 2 == 0 { quotient } else { quotient.neg() }.accept_half()
        };
        (0..n * n).map(component).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
