//! Matrix functions (GLSL 4.60 section 8.6). Components are column-major.

use program::BinaryOp;
use program::builtin_function::MatrixFunction;

use super::arguments::Arguments;
use crate::environment::Error;
use crate::lanes::Value;
use crate::scalar;

/// Calls a matrix function. The shape is (columns, rows) of the first argument.
pub(super) fn matrix(
    f: MatrixFunction,
    args: &Arguments,
    shape: Option<(u8, u8)>,
) -> Result<Value, Error> {
    use MatrixFunction as F;
    let ty = args.scalar(0)?;
    let mul = scalar::binary(BinaryOp::Mul, ty).ok_or(Error::Malformed("matrix is not numeric"))?;
    let shape = shape.ok_or(Error::Malformed("argument is not a matrix"))?;
    let (columns, rows) = (shape.0 as usize, shape.1 as usize);
    let real = |x: &u64| scalar::to_f64(ty, *x);
    Ok(match f {
        F::MatrixCompMult => args.value(0)?.zip(args.value(1)?, mul),
        F::OuterProduct => {
            let (c, r) = (args.value(0)?, args.value(1)?);
            let height = c.components();
            Value::reduce(&[c, r], height * r.components(), |v, out| {
                out.iter_mut()
                    .enumerate()
                    .for_each(|(i, o)| *o = mul(v[0][i % height], v[1][i / height]));
            })
        }
        F::Transpose => Value::reduce(&[args.value(0)?], columns * rows, |v, out| {
            out.iter_mut()
                .enumerate()
                .for_each(|(i, o)| *o = v[0][i % columns * rows + i / columns]);
        }),
        F::Determinant => Value::reduce(&[args.value(0)?], 1, |v, out| {
            let m: Vec<f64> = v[0].iter().map(real).collect();
            out[0] = scalar::from_f64(ty, determinant(&m, columns));
        }),
        F::Inverse => Value::reduce(&[args.value(0)?], columns * columns, |v, out| {
            let m: Vec<f64> = v[0].iter().map(real).collect();
            let inverse = inverse(&m, columns);
            out.iter_mut().zip(inverse).for_each(|(o, x)| *o = scalar::from_f64(ty, x));
        }),
    })
}

fn minor(m: &[f64], n: usize, column: usize, row: usize) -> Vec<f64> {
    let kept = (0..n * n).filter(|i| i / n != column && i % n != row);
    kept.map(|i| m[i]).collect()
}

/// Computes the determinant by Laplace expansion along the first row.
fn determinant(m: &[f64], n: usize) -> f64 {
    match n {
        0 => 1.0,
        1 => m[0],
        _ => (0..n).map(|c| sign(c) * m[c * n] * determinant(&minor(m, n, c, 0), n - 1)).sum(),
    }
}

/// Computes the inverse: adjugate over determinant.
fn inverse(m: &[f64], n: usize) -> Vec<f64> {
    let d = determinant(m, n);
    // Element (column c, row r) of the inverse is the cofactor of (column r, row c).
    (0..n * n)
        .map(|i| {
            let (c, r) = (i / n, i % n);
            sign(c + r) * determinant(&minor(m, n, r, c), n - 1) / d
        })
        .collect()
}

fn sign(i: usize) -> f64 {
    if i.is_multiple_of(2) { 1.0 } else { -1.0 }
}
