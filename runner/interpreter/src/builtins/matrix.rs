//! Matrix functions (GLSL 4.60 section 8.6). Components are column-major.

use program::builtin_function::MatrixFunction;
use program::{BinaryOp, Scalar};
use smallvec::SmallVec;

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
        F::Determinant => {
            let m = args.value(0)?;
            let mut value = Value::zero(1, m.lanes());
            each_lane(m, ty, &mut value, |m| {
                let (x, units) = Sum::determinant(m, columns).rounded(columns);
                // Zero may be exact.
                vec![(x, if x == 0.0 { 0.0 } else { units })]
            });
            value
        }
        F::Inverse => {
            let m = args.value(0)?;
            let mut value = Value::zero(columns * columns, m.lanes());
            each_lane(m, ty, &mut value, |m| inverse(m, columns));
            value
        }
    })
}

fn minor(m: &[f64], n: usize, column: usize, row: usize) -> SmallVec<[f64; 9]> {
    let kept = (0..n * n).filter(|i| i / n != column && i % n != row);
    kept.map(|i| m[i]).collect()
}

/// Units in the last place that two computations of a value may differ by before the agreement
/// rule does not hold for it.
const MOST_UNITS: f64 = 16.0;

/// Computes the components of a function of a matrix, each with the units in the last place by
/// which steps that round may change it. The specification does not say which steps are taken;
/// where terms cancel, the results of two ways differ visibly, and none is to rely on.
fn each_lane(m: &Value, ty: Scalar, result: &mut Value, f: impl Fn(&[f64]) -> Vec<(f64, f64)>) {
    // Halves are computed as singles, which have 13 bits more.
    let scale = if ty == Scalar::Float16 { 1.0 / 8192.0 } else { 1.0 };
    for lane in 0..m.lanes() {
        let entries: Vec<f64> =
            (0..m.components()).map(|c| scalar::to_f64(ty, m.get(c, lane))).collect();
        let undefined = (0..m.components()).any(|c| m.is_undefined(c, lane));
        for (c, (x, units)) in f(&entries).into_iter().enumerate() {
            result.set(c, lane, scalar::from_f64(ty, x));
            if undefined || units * scale > MOST_UNITS {
                result.mark_undefined(c, lane);
            }
        }
    }
}

/// A sum of products with the error of its rounding, and the sum of the products' magnitudes.
#[derive(Clone, Copy)]
struct Sum {
    value: f64,
    error: f64,
    magnitude: f64,
}

impl Sum {
    fn new(value: f64) -> Sum {
        Sum { value, error: 0.0, magnitude: value.abs() }
    }

    /// Knuth's two-sum.
    fn plus(self, other: Sum) -> Sum {
        let value = self.value + other.value;
        let part = value - self.value;
        let error = (self.value - (value - part)) + (other.value - part);
        let magnitude = self.magnitude + other.magnitude;
        Sum { value, error: error + self.error + other.error, magnitude }
    }

    fn times(self, factor: f64) -> Sum {
        let value = self.value * factor;
        let error = libm::fma(self.value, factor, -value) + self.error * factor;
        Sum { value, error, magnitude: self.magnitude * factor.abs() }
    }

    /// The determinant by Laplace expansion along the first row.
    fn determinant(m: &[f64], n: usize) -> Sum {
        match n {
            0 => Sum::new(1.0),
            1 => Sum::new(m[0]),
            _ => (0..n)
                .map(|c| Sum::determinant(&minor(m, n, c, 0), n - 1).times(sign(c) * m[c * n]))
                .fold(Sum::new(0.0), Sum::plus),
        }
    }

    fn total(self) -> f64 {
        let total = self.value + self.error;
        // Infinity has no error.
        if total.is_nan() { self.value } else { total }
    }

    /// The value of a determinant of `n` rows, and the units in the last place by which its steps
    /// may change it: each product passes 2n − 1 of them, with half a unit of its own at most.
    fn rounded(self, n: usize) -> (f64, f64) {
        let total = self.total();
        let units = self.magnitude / total.abs() * (n as f64 - 0.5);
        (total, if self.magnitude == 0.0 { 0.0 } else { units })
    }
}

/// Computes the inverse: adjugate over determinant.
fn inverse(m: &[f64], n: usize) -> Vec<(f64, f64)> {
    let (d, of_d) = Sum::determinant(m, n).rounded(n);
    // Element (column c, row r) of the inverse is the cofactor of (column r, row c).
    (0..n * n)
        .map(|i| {
            let (c, r) = (i / n, i % n);
            let (x, units) = Sum::determinant(&minor(m, n, r, c), n - 1).rounded(n - 1);
            (sign(c + r) * x / d, units + of_d)
        })
        .collect()
}

fn sign(i: usize) -> f64 {
    if i.is_multiple_of(2) { 1.0 } else { -1.0 }
}
