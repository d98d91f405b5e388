//! Products of linear algebra, the matrix functions (GLSL 4.60 section 8.6) and constructors of
//! matrices.
//!
//! Components are in column-major order, as everywhere in GLSL.

use super::geometric::{Dot, exact_operands};
use crate::accept::Accept;
use crate::bounded::Bounded;
use crate::format::Format;
use crate::half::Half;
use crate::number;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{exact, half_matrix, matrices};
use crate::value::{Component, DOUBLE, MATRICES, Type, dvec};

const GROUP: &str = "matrix";

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    let mut list = Vec::new();
    for left in MATRICES {
        list.extend(common::<f64>(left));
        for right in MATRICES.into_iter().filter(|right| right.rows == left.columns) {
            list.push(product::<f64>(left, right, Type::matrix(right.columns, left.rows)));
        }
        list.push(from_components(left));
        for other in [Type::matrix(2, 3), Type::matrix(4, 4)] {
            list.push(resized(other, left));
        }
    }
    list.extend(square_functions::<f64>());
    list
}

/// The 16-bit suite.
pub fn half() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in matrices::<Half>() {
        list.extend(common::<Half>(ty));
        for columns in [2, 4] {
            list.push(product::<Half>(
                ty,
                half_matrix(columns, ty.columns),
                half_matrix(columns, ty.rows),
            ));
        }
        list.push(from_scalars(ty));
        list.push(resized(half_matrix(2, 3), ty));
    }
    list.extend(square_functions::<Half>());
    list
}

/// Operations on each of the nine matrices.
fn common<F: Dot>(ty: Type) -> [Signature; 7] {
    let vector = |rows| Type::vector(F::SCALAR, rows);
    [
        component_product(ty),
        outer_product(ty),
        transpose(ty),
        product::<F>(ty, vector(ty.columns), vector(ty.rows)),
        product::<F>(vector(ty.rows), ty, vector(ty.columns)),
        diagonal(ty),
        from_columns(ty),
    ]
}

/// Operations on square matrices.
fn square_functions<F: Dot>() -> Vec<Signature> {
    let functions = |n| {
        let ty = Type::matrix(n, n).with_scalar(F::SCALAR);
        let vector = Type::vector(F::SCALAR, n);
        [
            assigned_product::<F>(ty, ty),
            assigned_product::<F>(vector, ty),
            determinant::<F>(n),
            inverse::<F>(n),
        ]
    };
    (2..=4).flat_map(functions).collect()
}

/// Matrix or vector times matrix or vector: dot products of rows with columns.
fn multiplied<F: Dot>(left: Type, right: Type, x: &[Vec<Component>]) -> Option<Vec<Accept>> {
    let a = &x[0];
    // A vector on the left is a row: its components are the columns.
    let rows: Vec<Vec<Component>> = if left.is_matrix() {
        (0..left.rows).map(|row| a.iter().skip(row).step_by(left.rows).copied().collect()).collect()
    } else {
        vec![a.clone()]
    };
    x[1].chunks(right.rows).flat_map(|column| rows.iter().map(|row| F::dot(row, column))).collect()
}

fn product<F: Dot>(left: Type, right: Type, result: Type) -> Signature {
    let arguments = [(left, Pool::Moderate), (right, Pool::Moderate)];
    Signature::whole(GROUP, "mul", &arguments, result, "a * b", move |x| {
        multiplied::<F>(left, right, x)
    })
}

fn assigned_product<F: Dot>(left: Type, right: Type) -> Signature {
    let arguments = [(left, Pool::Moderate), (right, Pool::Moderate)];
    Signature::whole(GROUP, "mul_assign", &arguments, left, "y", move |x| {
        multiplied::<F>(left, right, x)
    })
    .statements(format!("{} y = a;\ny *= b;", left.glsl()))
}

/// `matrixCompMult`.
fn component_product(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any)];
    Signature::elementwise(GROUP, "matrixCompMult", &arguments, ty, "matrixCompMult(a, b)", |x| {
        Some(exact(number::mul(x[0], x[1])))
    })
}

/// The column vector a times the row vector b: single products.
fn outer_product(ty: Type) -> Signature {
    let [column, row] = [ty.rows, ty.columns].map(|n| Type::vector(ty.scalar, n));
    let arguments = [(column, Pool::Any), (row, Pool::Any)];
    Signature::whole(GROUP, "outerProduct", &arguments, ty, "outerProduct(a, b)", |x| {
        let column = |&b: &Component| x[0].iter().map(move |&a| exact(number::mul(a, b)));
        Some(x[1].iter().flat_map(column).collect())
    })
}

/// `transpose`.
fn transpose(ty: Type) -> Signature {
    let result = Type { columns: ty.rows, rows: ty.columns, ..ty };
    Signature::whole(GROUP, "transpose", &[(ty, Pool::Any)], result, "transpose(a)", move |x| {
        let place = |i: usize| (i % ty.columns) * ty.rows + i / ty.columns;
        Some((0..ty.components()).map(|i| exact(x[0][place(i)])).collect())
    })
}

/// From a scalar: on the diagonal, zeros elsewhere.
fn diagonal(ty: Type) -> Signature {
    let one = Type::vector(ty.scalar, 1);
    let zero = number::constant(ty.scalar, 0.0);
    Signature::whole(
        GROUP,
        "diagonal",
        &[(one, Pool::Any)],
        ty,
        format!("{}(a)", ty.glsl()),
        move |x| {
            let component =
                |i: usize| exact(if i % ty.rows == i / ty.rows { x[0][0] } else { zero });
            Some((0..ty.components()).map(component).collect())
        },
    )
    .types(ty.glsl())
}

/// From vectors, a column each.
fn from_columns(ty: Type) -> Signature {
    let arguments = vec![(Type::vector(ty.scalar, ty.rows), Pool::Any); ty.columns];
    let names = ["a", "b", "c", "d"][..ty.columns].join(", ");
    Signature::whole(
        GROUP,
        "from_columns",
        &arguments,
        ty,
        format!("{}({names})", ty.glsl()),
        |x| Some(x.iter().flatten().map(|&x| exact(x)).collect()),
    )
    .types(ty.glsl())
}

/// A matrix from another; missing components come from the identity.
fn resized(from: Type, to: Type) -> Signature {
    let [zero, one] = [0.0, 1.0].map(|x| number::constant(to.scalar, x));
    Signature::whole(
        GROUP,
        "resize",
        &[(from, Pool::Any)],
        to,
        format!("{}(a)", to.glsl()),
        move |x| {
            let component = |i: usize| {
                let (column, row) = (i / to.rows, i % to.rows);
                exact(match () {
                    () if column < from.columns && row < from.rows => {
                        x[0][column * from.rows + row]
                    }
                    () if column == row => one,
                    () => zero,
                })
            };
            Some((0..to.components()).map(component).collect())
        },
    )
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// A square matrix of bounded values, `[column][row]`.
type Square<F> = Vec<Vec<Bounded<F>>>;

/// The determinant by expansion along the first column, with its running error.
fn expanded<F: Format>(matrix: &Square<F>) -> Bounded<F> {
    if matrix.len() == 1 {
        return matrix[0][0].clone();
    }
    let terms = (0..matrix.len()).map(|row| {
        let term = matrix[0][row].mul(&expanded(&minor(matrix, 0, row)));
        if row % 2 == 0 { term } else { term.neg() }
    });
    terms.reduce(|sum, term| sum.add(&term)).unwrap_or_else(|| Bounded::exact(F::one()))
}

/// The matrix without a column and a row.
fn minor<F: Format>(matrix: &Square<F>, column: usize, row: usize) -> Square<F> {
    let keep = |entries: &Vec<Bounded<F>>| {
        entries.iter().enumerate().filter(|(i, _)| *i != row).map(|(_, x)| x.clone()).collect()
    };
    matrix
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != column)
        .map(|(_, entries)| keep(entries))
        .collect()
}

/// The inverse's components in column-major order, by cofactors over the determinant. The quotient
/// may also be a product with the determinant's inverse, one more rounding, which the factor of two
/// of [`Bounded::accept`] holds.
fn inverted<F: Format>(matrix: &Square<F>, determinant: &Bounded<F>) -> Option<Vec<Bounded<F>>> {
    let n = matrix.len();
    let component = |i: usize| {
        let (column, row) = (i / n, i % n);
        let quotient = expanded(&minor(matrix, row, column)).div(determinant)?;
        Some(if (row + column) % 2 == 0 { quotient } else { quotient.neg() })
    };
    (0..n * n).map(component).collect()
}

/// GLSL leaves the precision of `determinant` and `inverse` open. The suites require the precision
/// of cofactor expansion in any order of evaluation, and use only matrices that are far from
/// singular: those whose determinant is known to `bits` bits.
fn well_conditioned<F: Format>(determinant: &Bounded<F>, bits: i32) -> bool {
    determinant.error().less(&determinant.value().clone().abs().scaled(-bits))
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

/// From single components of another matrix, in reverse.
fn from_scalars(ty: Type) -> Signature {
    let parts: Vec<String> = (0..ty.components()).rev().map(|i| ty.component("a", i)).collect();
    let expression = format!("{}({})", ty.glsl(), parts.join(", "));
    Signature::whole(GROUP, "from_scalars", &[(ty, Pool::Any)], ty, expression, |x| {
        Some(x[0].iter().rev().map(|&x| Accept::exactly(x)).collect())
    })
}

fn square<F: Format>(n: usize, x: &[Component]) -> Option<Square<F>> {
    Some(exact_operands(x)?.chunks(n).map(<[Bounded<F>]>::to_vec).collect())
}

/// Bits to which the determinants in use are known.
fn determinant_bits<F: Format>() -> i32 {
    if F::BINARY.precision == 53 { 40 } else { 3 }
}

fn determinant<F: Format>(n: usize) -> Signature {
    let (ty, one) = (Type::matrix(n, n).with_scalar(F::SCALAR), Type::vector(F::SCALAR, 1));
    Signature::whole(
        GROUP,
        "determinant",
        &[(ty, Pool::Moderate)],
        one,
        "determinant(a)",
        move |x| {
            let value = expanded(&square::<F>(n, &x[0])?);
            if well_conditioned(&value, determinant_bits::<F>()) {
                Some(vec![value.accept()?])
            } else {
                None
            }
        },
    )
}

fn inverse<F: Format>(n: usize) -> Signature {
    let ty = Type::matrix(n, n).with_scalar(F::SCALAR);
    Signature::whole(GROUP, "inverse", &[(ty, Pool::Moderate)], ty, "inverse(a)", move |x| {
        let matrix = square::<F>(n, &x[0])?;
        let determinant = expanded(&matrix);
        if !well_conditioned(&determinant, determinant_bits::<F>()) {
            return None;
        }
        inverted(&matrix, &determinant)?.iter().map(Bounded::accept).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components<F: Format>(list: &[f64]) -> Vec<Component> {
        list.iter().map(|&x| F::from_double(x).component()).collect()
    }

    /// `off` is an error that is not accepted.
    fn check<F: Format>(signature: Signature, arguments: &[&[f64]], expected: &[f64], off: f64) {
        let arguments: Vec<_> = arguments.iter().map(|list| components::<F>(list)).collect();
        let accept = signature.accept(&arguments).expect("defined");
        assert_eq!(accept.len(), expected.len());
        for (accept, &value) in accept.iter().zip(expected) {
            let [value, off] = [value, value + off].map(|x| F::from_double(x).component());
            assert!(
                accept.accepts(value) && !accept.accepts(off),
                "{}: {accept:?}",
                signature.name
            );
        }
    }

    /// Worked by hand.
    fn small_examples<F: Dot>(off: f64) {
        let (m, v) = ([1.0, 3.0, 2.0, 4.0], [5.0, 6.0]);
        let matrix = |columns, rows| Type::matrix(columns, rows).with_scalar(F::SCALAR);
        let (ty, vector) = (matrix(2, 2), Type::vector(F::SCALAR, 2));
        check::<F>(product::<F>(ty, vector, vector), &[&m, &v], &[17.0, 39.0], off);
        check::<F>(product::<F>(vector, ty, vector), &[&v, &m], &[23.0, 34.0], off);
        check::<F>(product::<F>(ty, ty, ty), &[&m, &m], &[7.0, 15.0, 10.0, 22.0], off);
        check::<F>(determinant::<F>(2), &[&m], &[-2.0], off);
        check::<F>(inverse::<F>(2), &[&m], &[-2.0, 1.5, 1.0, -0.5], off);
        let wide = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        check::<F>(transpose(matrix(2, 3)), &[&wide], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0], off);
        let grown = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 1.0];
        check::<F>(resized(matrix(2, 3), matrix(3, 3)), &[&wide], &grown, off);
    }

    #[test]
    fn small_examples_of_doubles() {
        small_examples::<f64>(1e-9);
        let four = [2.0, 0.0, 0.0, 1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 5.0, 0.0, 0.0, 6.0];
        check::<f64>(determinant::<f64>(4), &[&four], &[84.0], 1e-9);
    }

    #[test]
    fn small_examples_of_halves() {
        small_examples::<Half>(0.3);
    }
}
