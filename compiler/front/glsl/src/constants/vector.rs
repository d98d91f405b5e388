//! Constant values of functions and operators on whole vectors and matrices.

use crate::constants::value::Number;
use program::{BinaryOp, BuiltinFunction};

/// A vector or matrix: its components column by column. A vector is one column.
#[derive(Clone, Copy)]
pub(crate) struct Shaped<'a> {
    pub numbers: &'a [Number],
    pub columns: usize,
    pub rows: usize,
}

impl Shaped<'_> {
    fn floats(&self) -> Vec<f64> {
        self.numbers.iter().map(|n| n.float()).collect()
    }

    fn at(&self, column: usize, row: usize) -> f64 {
        self.numbers.get(column * self.rows + row).map_or(0.0, |n| n.float())
    }
}

/// The components of `function`'s result; `None` for functions that work component by component.
pub(crate) fn function(function: BuiltinFunction, arguments: &[Shaped<'_>]) -> Option<Vec<Number>> {
    use BuiltinFunction as F;
    let one = |f: f64| Some(vec![Number::Float(f)]);
    let (&a, rest) = arguments.split_first()?;
    let b = rest.first();
    match function {
        F::Any => Some(vec![Number::Bool(a.numbers.iter().any(|n| n.bool()))]),
        F::All => Some(vec![Number::Bool(a.numbers.iter().all(|n| n.bool()))]),
        F::Not => Some(a.numbers.iter().map(|n| Number::Bool(!n.bool())).collect()),
        F::LessThan
        | F::LessThanEqual
        | F::GreaterThan
        | F::GreaterThanEqual
        | F::Equal
        | F::NotEqual => {
            let holds = |(x, y): (&Number, &Number)| Number::Bool(compare(function, x, y));
            Some(a.numbers.iter().zip(b?.numbers).map(holds).collect())
        }
        F::Length => one(dot(&a.floats(), &a.floats()).sqrt()),
        F::Dot => one(dot(&a.floats(), &b?.floats())),
        F::Distance => {
            let difference = add(&a.floats(), &b?.floats(), -1.0);
            one(dot(&difference, &difference).sqrt())
        }
        F::Normalize => {
            Some(floats(&scale(&a.floats(), 1.0 / dot(&a.floats(), &a.floats()).sqrt())))
        }
        F::Cross => {
            let (x, y) = (a.floats(), b?.floats());
            let (&[x0, x1, x2], &[y0, y1, y2]) = (x.as_slice(), y.as_slice()) else { return None };
            Some(floats(&[x1 * y2 - y1 * x2, x2 * y0 - y2 * x0, x0 * y1 - y0 * x1]))
        }
        F::Faceforward => {
            let toward = dot(&b?.floats(), &rest.get(1)?.floats()) < 0.0;
            Some(floats(&scale(&a.floats(), if toward { 1.0 } else { -1.0 })))
        }
        F::Reflect => {
            let (i, n) = (a.floats(), b?.floats());
            Some(floats(&add(&i, &n, -2.0 * dot(&n, &i))))
        }
        F::Refract => Some(floats(&refract(&a.floats(), &b?.floats(), rest.get(1)?.at(0, 0)))),
        F::OuterProduct => {
            let (column, row) = (a.floats(), b?.floats());
            Some(row.iter().flat_map(|&r| floats(&scale(&column, r))).collect())
        }
        F::Transpose => {
            let places =
                (0..a.rows).flat_map(|row| (0..a.columns).map(move |column| (column, row)));
            Some(places.map(|(column, row)| Number::Float(a.at(column, row))).collect())
        }
        F::Determinant => one(determinant(&rows(a))),
        F::Inverse => Some(inverse(&rows(a))),
        _ => None,
    }
}

/// A product of linear algebra; `None` for other operators.
pub(crate) fn product(op: BinaryOp, a: Shaped<'_>, b: Shaped<'_>) -> Option<Vec<Number>> {
    // A vector on the left is a row.
    let a = match op {
        BinaryOp::VectorTimesMatrix => Shaped { columns: a.rows, rows: 1, ..a },
        BinaryOp::MatrixTimesMatrix | BinaryOp::MatrixTimesVector => a,
        _ => return None,
    };
    let places = (0..b.columns).flat_map(|column| (0..a.rows).map(move |row| (column, row)));
    let cell = |(column, row)| (0..a.columns).map(|k| a.at(k, row) * b.at(column, k)).sum();
    Some(places.map(cell).map(Number::Float).collect())
}

fn compare(function: BuiltinFunction, x: &Number, y: &Number) -> bool {
    use BuiltinFunction as F;
    let order = match (x, y) {
        (Number::Int(x), Number::Int(y)) => Some(x.cmp(y)),
        _ => x.float().partial_cmp(&y.float()),
    };
    match function {
        F::LessThan => order.is_some_and(|o| o.is_lt()),
        F::LessThanEqual => order.is_some_and(|o| o.is_le()),
        F::GreaterThan => order.is_some_and(|o| o.is_gt()),
        F::GreaterThanEqual => order.is_some_and(|o| o.is_ge()),
        F::Equal => order.is_some_and(|o| o.is_eq()),
        _ => !order.is_some_and(|o| o.is_eq()),
    }
}

fn floats(values: &[f64]) -> Vec<Number> {
    values.iter().map(|&v| Number::Float(v)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn scale(a: &[f64], factor: f64) -> Vec<f64> {
    a.iter().map(|x| x * factor).collect()
}

/// a + factor·b.
fn add(a: &[f64], b: &[f64], factor: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x + factor * y).collect()
}

/// GLSL 4.60 section 8.5.
fn refract(i: &[f64], n: &[f64], eta: f64) -> Vec<f64> {
    let along = dot(n, i);
    let k = 1.0 - eta * eta * (1.0 - along * along);
    if k < 0.0 { vec![0.0; i.len()] } else { add(&scale(i, eta), n, -(eta * along + k.sqrt())) }
}

/// A square matrix as rows.
fn rows(m: Shaped<'_>) -> Vec<Vec<f64>> {
    (0..m.rows).map(|row| (0..m.columns).map(|column| m.at(column, row)).collect()).collect()
}

/// A matrix without one row and one column.
fn minor(m: &[Vec<f64>], row: usize, column: usize) -> Vec<Vec<f64>> {
    let without =
        |r: &Vec<f64>| r.iter().enumerate().filter(|c| c.0 != column).map(|c| *c.1).collect();
    m.iter().enumerate().filter(|r| r.0 != row).map(|r| without(r.1)).collect()
}

fn cofactor(m: &[Vec<f64>], row: usize, column: usize) -> f64 {
    let sign = if (row + column).is_multiple_of(2) { 1.0 } else { -1.0 };
    sign * determinant(&minor(m, row, column))
}

fn determinant(m: &[Vec<f64>]) -> f64 {
    match m.first() {
        None => 1.0,
        Some(first) => first.iter().enumerate().map(|(column, v)| v * cofactor(m, 0, column)).sum(),
    }
}

/// The inverse, column by column.
fn inverse(m: &[Vec<f64>]) -> Vec<Number> {
    let determinant = determinant(m);
    let places = (0..m.len()).flat_map(|column| (0..m.len()).map(move |row| (column, row)));
    places.map(|(column, row)| Number::Float(cofactor(m, column, row) / determinant)).collect()
}
