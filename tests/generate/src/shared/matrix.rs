//! Matrices (GLSL 4.60 sections 5.4.2 and 8.6): functions of single products, constructors, cofactors.
//!
//! Components are in column-major order, as everywhere in GLSL.

use super::exact;
use crate::bounded::Bounded;
use crate::number;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Component, Type};

const GROUP: &str = "matrix";

/// `matrixCompMult`.
pub fn component_product(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any)];
    Signature::elementwise(GROUP, "matrixCompMult", &arguments, ty, "matrixCompMult(a, b)", |x| {
        Some(exact(number::mul(x[0], x[1])))
    })
}

/// The column vector a times the row vector b: single products.
pub fn outer_product(ty: Type) -> Signature {
    let [column, row] = [ty.rows, ty.columns].map(|n| Type::vector(ty.scalar, n));
    let arguments = [(column, Pool::Any), (row, Pool::Any)];
    Signature::whole(GROUP, "outerProduct", &arguments, ty, "outerProduct(a, b)", |x| {
        let column = |&b: &Component| x[0].iter().map(move |&a| exact(number::mul(a, b)));
        Some(x[1].iter().flat_map(column).collect())
    })
}

/// `transpose`.
pub fn transpose(ty: Type) -> Signature {
    let result = Type { columns: ty.rows, rows: ty.columns, ..ty };
    Signature::whole(GROUP, "transpose", &[(ty, Pool::Any)], result, "transpose(a)", move |x| {
        let place = |i: usize| (i % ty.columns) * ty.rows + i / ty.columns;
        Some((0..ty.components()).map(|i| exact(x[0][place(i)])).collect())
    })
}

/// From a scalar: on the diagonal, zeros elsewhere.
pub fn diagonal(ty: Type) -> Signature {
    let one = Type::vector(ty.scalar, 1);
    let zero = number::constant(ty.scalar, 0.0);
    Signature::whole(GROUP, "diagonal", &[(one, Pool::Any)], ty, format!("{}(a)", ty.glsl()), move |x| {
        let component = |i: usize| exact(if i % ty.rows == i / ty.rows { x[0][0] } else { zero });
        Some((0..ty.components()).map(component).collect())
    })
    .types(ty.glsl())
}

/// From vectors, a column each.
pub fn from_columns(ty: Type) -> Signature {
    let arguments = vec![(Type::vector(ty.scalar, ty.rows), Pool::Any); ty.columns];
    let names = ["a", "b", "c", "d"][..ty.columns].join(", ");
    Signature::whole(GROUP, "from_columns", &arguments, ty, format!("{}({names})", ty.glsl()), |x| {
        Some(x.iter().flatten().map(|&x| exact(x)).collect())
    })
    .types(ty.glsl())
}

/// A matrix from another: what is missing comes from the identity.
pub fn resized(from: Type, to: Type) -> Signature {
    let [zero, one] = [0.0, 1.0].map(|x| number::constant(to.scalar, x));
    Signature::whole(GROUP, "resize", &[(from, Pool::Any)], to, format!("{}(a)", to.glsl()), move |x| {
        let component = |i: usize| {
            let (column, row) = (i / to.rows, i % to.rows);
            exact(match () {
                () if column < from.columns && row < from.rows => x[0][column * from.rows + row],
                () if column == row => one,
                () => zero,
            })
        };
        Some((0..to.components()).map(component).collect())
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// A square matrix of bounded values, `[column][row]`.
pub type Square = Vec<Vec<Bounded>>;

/// The determinant by expansion along the first column, with its running error.
pub fn expanded(matrix: &Square) -> Bounded {
    if matrix.len() == 1 {
        return matrix[0][0].clone();
    }
    let terms = (0..matrix.len()).map(|row| {
        let term = matrix[0][row].mul(&expanded(&minor(matrix, 0, row)));
        if row % 2 == 0 { term } else { term.neg() }
    });
    terms.reduce(|sum, term| sum.add(&term)).unwrap_or_else(|| Bounded::exact(1.0))
}

/// The matrix without a column and a row.
fn minor(matrix: &Square, column: usize, row: usize) -> Square {
    let keep = |entries: &Vec<Bounded>| {
        entries.iter().enumerate().filter(|(i, _)| *i != row).map(|(_, x)| x.clone()).collect()
    };
    matrix.iter().enumerate().filter(|(i, _)| *i != column).map(|(_, entries)| keep(entries)).collect()
}

/// The inverse's components in column-major order, by cofactors over the determinant. The quotient may also be a product with the
/// determinant's inverse, one more rounding, which the factor of two of [`Bounded::accept`] and [`Bounded::accept_half`] holds.
pub fn inverted(matrix: &Square, determinant: &Bounded) -> Option<Vec<Bounded>> {
    let n = matrix.len();
    let component = |i: usize| {
        let (column, row) = (i / n, i % n);
        let quotient = expanded(&minor(matrix, row, column)).div(determinant)?;
        Some(if (row + column) % 2 == 0 { quotient } else { quotient.neg() })
    };
    (0..n * n).map(component).collect()
}

/// GLSL leaves the precision of `determinant` and `inverse` open. The suites ask for what cofactor expansion in any order of
/// evaluation keeps, and use matrices that are far from singular only: whose determinant is known to `bits` bits.
pub fn well_conditioned(determinant: &Bounded, bits: i32) -> bool {
    determinant.error().less(&determinant.value().clone().abs().scaled(-bits))
}
