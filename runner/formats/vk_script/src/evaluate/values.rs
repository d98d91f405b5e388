//! Values of a buffer against numbers.

use super::decode::{low, part, sign_extend};
use super::mismatch::{Mismatch, mismatch};
use crate::model::{Comparison, Format, Literal, Numeric, Part, Tolerance};
use crate::values::{is_float, read};

/// Expected values.
pub(super) struct Wanted<'a> {
    pub(super) format: &'a Format,
    pub(super) comparison: Comparison,
    pub(super) values: &'a [Literal],
    pub(super) tolerances: &'a [Tolerance],
}

/// Compares values from a byte offset.
pub(super) fn check(wanted: &Wanted<'_>, offset: u32, bytes: &[u8]) -> Result<(), Mismatch> {
    let parts = &wanted.format.parts;
    let mut failures = Vec::new();
    for (index, expected) in wanted.values.iter().enumerate() {
        let (element, at) = (index / parts.len().max(1), index % parts.len().max(1));
        let Some(part) = parts.get(at) else {
            return Err(mismatch("the type has no values"));
        };
        let start = element * wanted.format.size as usize + offset as usize;
        let Some(bits) = read(part, start, bytes) else {
            let end = start + (part.offset + part.bits / 8) as usize;
            return Err(mismatch(format!(
                "value {index} ends at byte {end} of a buffer of {} bytes",
                bytes.len()
            )));
        };
        let tolerance = tolerance_of(wanted.tolerances, at);
        if !holds(bits, part, wanted.comparison, *expected, tolerance) {
            failures.push((index, start + part.offset as usize, bits, part));
        }
    }
    let Some((index, byte, bits, part)) = failures.first() else {
        return Ok(());
    };
    let expected = wanted.values[*index];
    let mut message = format!(
        "value {index} at byte {byte} is {}, expected {} {}",
        shown(*bits, part),
        symbol(wanted.comparison),
        shown_literal(expected, part)
    );
    if let Some(tolerance) = tolerance_of(wanted.tolerances, index % parts.len().max(1))
        && wanted.comparison == Comparison::FuzzyEqual
    {
        message.push_str(&match tolerance {
            Tolerance::Absolute(value) => format!(" ± {value}"),
            Tolerance::Percent(value) => format!(" ± {value} %"),
        });
    }
    if failures.len() > 1 {
        message.push_str(&format!("; {} of {} values differ", failures.len(), wanted.values.len()));
    }
    Err(mismatch(message))
}

/// The tolerance of a part or channel: its own, or the one for all.
pub(super) fn tolerance_of(list: &[Tolerance], index: usize) -> Option<Tolerance> {
    match list {
        [one] => Some(*one),
        _ => list.get(index).copied(),
    }
}

/// True if an actual value is near an expected one. Two values that are no numbers are near.
pub(super) fn near(actual: f64, expected: f64, tolerance: Tolerance) -> bool {
    if actual.is_nan() || expected.is_nan() {
        return actual.is_nan() == expected.is_nan();
    }
    if actual == expected {
        return true;
    }
    let difference = (actual - expected).abs();
    match tolerance {
        Tolerance::Absolute(value) => difference <= value,
        Tolerance::Percent(value) => difference <= value / 100.0 * expected.abs(),
    }
}

fn holds(
    bits: u64,
    place: &Part,
    comparison: Comparison,
    expected: Literal,
    tolerance: Option<Tolerance>,
) -> bool {
    match expected {
        Literal::Integer(wanted) if comparison != Comparison::FuzzyEqual => {
            let wanted = low(wanted, place.bits);
            if is_signed(place.numeric) {
                let (left, right) =
                    (sign_extend(bits, place.bits), sign_extend(wanted, place.bits));
                ordered(comparison, left.partial_cmp(&right))
            } else {
                ordered(comparison, bits.partial_cmp(&wanted))
            }
        }
        _ => floats(part(bits, place), comparison, number(expected, place), tolerance),
    }
}

fn floats(
    actual: f64,
    comparison: Comparison,
    expected: f64,
    tolerance: Option<Tolerance>,
) -> bool {
    let equal = match tolerance {
        Some(tolerance) => near(actual, expected, tolerance),
        None => actual == expected,
    };
    match comparison {
        Comparison::Equal | Comparison::FuzzyEqual => equal,
        Comparison::NotEqual => !equal,
        _ => ordered(comparison, actual.partial_cmp(&expected)),
    }
}

/// True if the order of actual and expected value is what a comparison demands. Values without an
/// order are only unequal.
fn ordered(comparison: Comparison, order: Option<std::cmp::Ordering>) -> bool {
    let Some(order) = order else {
        return comparison == Comparison::NotEqual;
    };
    match comparison {
        Comparison::Equal | Comparison::FuzzyEqual => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

fn is_signed(numeric: Numeric) -> bool {
    matches!(numeric, Numeric::Sint | Numeric::Snorm | Numeric::Sscaled)
}

/// An expected value in the precision of its part; half floats are compared in single precision.
fn number(expected: Literal, place: &Part) -> f64 {
    match expected {
        Literal::Integer(bits) => part(low(bits, place.bits), place),
        Literal::Real(real) if place.bits == 64 => real,
        Literal::Real(real) => f64::from(real as f32),
    }
}

fn shown(bits: u64, place: &Part) -> String {
    if is_float(place.numeric) {
        let digits = place.bits as usize / 4;
        format!("{:?} (0x{bits:0digits$x})", part(bits, place))
    } else if is_signed(place.numeric) {
        sign_extend(bits, place.bits).to_string()
    } else {
        bits.to_string()
    }
}

fn shown_literal(expected: Literal, place: &Part) -> String {
    match expected {
        Literal::Real(real) => format!("{real:?}"),
        Literal::Integer(bits) => shown(low(bits, place.bits), place),
    }
}

fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::FuzzyEqual => "≈",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}
