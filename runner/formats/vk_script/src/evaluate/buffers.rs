//! Two buffers: equal bytes, root mean square error, histograms.

use super::decode::part;
use super::mismatch::{Mismatch, mismatch};
use crate::model::{Buffer, Numeric};
use crate::values::read;

/// Demands the same format and size.
pub(super) fn comparable(left: &Buffer, right: &Buffer) -> Result<(), Mismatch> {
    let difference =
        if left.format.parts != right.format.parts || left.format.size != right.format.size {
            "format"
        } else if left.elements != right.elements {
            "number of elements"
        } else if left.width != right.width || left.height != right.height {
            "width or height"
        } else {
            return Ok(());
        };
    Err(mismatch(format!("the buffers differ in {difference}")))
}

/// Compares bytes.
pub(super) fn equal(left: &[u8], right: &[u8]) -> Result<(), Mismatch> {
    if left.len() != right.len() {
        return Err(sizes(left, right));
    }
    let mut different = left.iter().zip(right).enumerate().filter(|(_, (a, b))| a != b);
    let Some((at, (a, b))) = different.next() else {
        return Ok(());
    };
    let count = 1 + different.count();
    Err(mismatch(format!("byte {at} is {a}, expected {b}; {count} of {} bytes differ", left.len())))
}

fn sizes(left: &[u8], right: &[u8]) -> Mismatch {
    mismatch(format!("buffers of {} and {} bytes", left.len(), right.len()))
}

/// Demands that the root of the mean of squared differences is small.
pub(super) fn rmse(
    buffer: &Buffer,
    left: &[u8],
    right: &[u8],
    tolerance: f32,
) -> Result<(), Mismatch> {
    if left.len() != right.len() {
        return Err(sizes(left, right));
    }
    let (mut sum, mut count) = (0.0, 0_u64);
    for element in 0..buffer.elements as usize {
        let start = element * buffer.format.size as usize;
        for place in &buffer.format.parts {
            let (Some(a), Some(b)) = (read(place, start, left), read(place, start, right)) else {
                return Err(mismatch(format!("element {element} is missing")));
            };
            // Equal bits do not differ, even if they are no numbers.
            let difference = if a == b { 0.0 } else { part(a, place) - part(b, place) };
            sum += difference * difference;
            count += 1;
        }
    }
    let error = if count == 0 { 0.0 } else { (sum / count as f64).sqrt() };
    // An error that is no number is too large.
    if error <= f64::from(tolerance) {
        return Ok(());
    }
    Err(mismatch(format!("root mean square error is {error:.6}, more than {tolerance}")))
}

/// Number of bins of a histogram of bytes.
const BINS: usize = 256;

/// Demands that the earth mover's distance of the histograms of each channel is small: the sum of
/// the differences of the cumulated histograms, per bin, both scaled to one.
pub(super) fn histogram_emd(
    buffer: &Buffer,
    left: &[u8],
    right: &[u8],
    tolerance: f32,
) -> Result<(), Mismatch> {
    let parts = &buffer.format.parts;
    let unsigned =
        |n: Numeric| matches!(n, Numeric::Uint | Numeric::Unorm | Numeric::Uscaled | Numeric::Srgb);
    if parts.len() != 4 || !parts.iter().all(|p| p.bits == 8 && unsigned(p.numeric)) {
        return Err(mismatch("histograms need a format of four channels of 8 bits"));
    }
    if left.len() != right.len() {
        return Err(sizes(left, right));
    }
    let size = buffer.format.size as usize;
    let texels = (left.len() / size.max(1)).max(1) as f64;
    let mut largest = 0.0_f64;
    for place in parts {
        let histogram = |bytes: &[u8]| {
            let mut bins = [0_u64; BINS];
            for value in bytes.iter().skip(place.offset as usize).step_by(size.max(1)) {
                bins[usize::from(*value)] += 1;
            }
            bins
        };
        let (first, second) = (histogram(left), histogram(right));
        let (mut moved, mut total) = (0.0, 0.0);
        for (a, b) in first.iter().zip(&second) {
            moved += (*a as f64 - *b as f64) / texels;
            total += f64::abs(moved);
        }
        largest = largest.max(total / BINS as f64);
    }
    if largest <= f64::from(tolerance) {
        return Ok(());
    }
    Err(mismatch(format!("distance of the histograms is {largest:.6}, more than {tolerance}")))
}
