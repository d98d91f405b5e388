//! Products of linear algebra, the matrix functions (GLSL 4.60 section 8.6) and constructors of matrices.
//!
//! Components are in column-major order, as everywhere in GLSL.

use super::geometric::dot;
use super::{exact, of_two};
use crate::bounded::{Bounded, around};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::value::{Accept, Component, DOUBLE, MATRICES, Type, dvec};

const GROUP: &str = "matrix";

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
        list.push(from_scalar(left));
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

fn component_product(ty: Type) -> Signature {
    let evaluate = of_two(|a, b| Some(Accept::double(ieee::mul(a, b))));
    let arguments = [(ty, Pool::Any), (ty, Pool::Any)];
    Signature::elementwise(GROUP, "matrixCompMult", &arguments, ty, "matrixCompMult(a, b)", evaluate)
}

/// The column vector a times the row vector b: single products.
fn outer_product(ty: Type) -> Signature {
    let arguments = [(dvec(ty.rows), Pool::Any), (dvec(ty.columns), Pool::Any)];
    Signature::whole(GROUP, "outerProduct", &arguments, ty, "outerProduct(a, b)", |x| {
        let column = |b: &Component| {
            x[0].iter().map(|a| Accept::double(ieee::mul(a.double(), b.double()))).collect::<Vec<_>>()
        };
        Some(x[1].iter().flat_map(column).collect())
    })
}

fn transpose(ty: Type) -> Signature {
    let result = Type::matrix(ty.rows, ty.columns);
    Signature::whole(GROUP, "transpose", &[(ty, Pool::Any)], result, "transpose(a)", move |x| {
        let place = |i: usize| (i % ty.columns) * ty.rows + i / ty.columns;
        Some((0..ty.components()).map(|i| exact(x[0][place(i)])).collect())
    })
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

/// The scalar on the diagonal, zeros elsewhere.
fn from_scalar(ty: Type) -> Signature {
    Signature::whole(GROUP, "diagonal", &[(DOUBLE, Pool::Any)], ty, format!("{}(a)", ty.glsl()), move |x| {
        let component =
            |i: usize| if i % ty.rows == i / ty.rows { exact(x[0][0]) } else { Accept::double(0.0) };
        Some((0..ty.components()).map(component).collect())
    })
    .types(ty.glsl())
}

fn from_columns(ty: Type) -> Signature {
    let arguments = vec![(dvec(ty.rows), Pool::Any); ty.columns];
    let names = ["a", "b", "c", "d"][..ty.columns].join(", ");
    Signature::whole(GROUP, "from_columns", &arguments, ty, format!("{}({names})", ty.glsl()), |x| {
        Some(x.iter().flatten().map(|&x| exact(x)).collect())
    })
    .types(ty.glsl())
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

/// A matrix from another: what is missing comes from the identity.
fn resized(from: Type, to: Type) -> Signature {
    Signature::whole(GROUP, "resize", &[(from, Pool::Any)], to, format!("{}(a)", to.glsl()), move |x| {
        let component = |i: usize| {
            let (column, row) = (i / to.rows, i % to.rows);
            match () {
                () if column < from.columns && row < from.rows => exact(x[0][column * from.rows + row]),
                () if column == row => Accept::double(1.0),
                () => Accept::double(0.0),
            }
        };
        Some((0..to.components()).map(component).collect())
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// A square matrix of bounded values, `[column][row]`.
type Square = Vec<Vec<Bounded>>;

/// The determinant by expansion along the first column, with its running error.
fn expanded(matrix: &Square) -> Bounded {
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

fn square(n: usize, x: &[Component]) -> Square {
    x.chunks(n).map(|column| column.iter().map(|x| Bounded::exact(x.double())).collect()).collect()
}

/// GLSL leaves the precision of `determinant` and `inverse` open. This suite asks for what cofactor expansion in any order of
/// evaluation keeps, and uses matrices that are far from singular only.
fn well_conditioned(determinant: &Bounded) -> bool {
    let limit = determinant.value().clone().abs().scaled(-40);
    determinant.error().less(&limit)
}

fn determinant(n: usize) -> Signature {
    let arguments = [(Type::matrix(n, n), Pool::Moderate)];
    Signature::whole(GROUP, "determinant", &arguments, DOUBLE, "determinant(a)", move |x| {
        let value = expanded(&square(n, &x[0]));
        well_conditioned(&value).then(|| vec![value.accept()])
    })
}

/// Cofactors over the determinant. The quotient may also be a product with the determinant's inverse, one more rounding, which the
/// factor of two of [`Bounded::accept`] holds.
fn inverse(n: usize) -> Signature {
    let ty = Type::matrix(n, n);
    Signature::whole(GROUP, "inverse", &[(ty, Pool::Moderate)], ty, "inverse(a)", move |x| {
        let matrix = square(n, &x[0]);
        let determinant = expanded(&matrix);
        if !well_conditioned(&determinant) {
            return None;
        }
        let component = |i: usize| {
            let (column, row) = (i / n, i % n);
            let cofactor = expanded(&minor(&matrix, row, column));
            let quotient = cofactor.div(&determinant)?;
            Some(if (row + column) % 2 == 0 { quotient } else { quotient.neg() }.accept())
        };
        (0..n * n).map(component).collect()
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
