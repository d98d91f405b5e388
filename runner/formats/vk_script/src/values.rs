//! Numbers to bytes and bytes to numbers, by the encoding of a part.

use crate::model::{Numeric, Part};
use crate::tokens::Number;

/// True if numbers of an encoding are written with a fraction.
pub(crate) fn is_float(numeric: Numeric) -> bool {
    matches!(numeric, Numeric::Float | Numeric::Ufloat)
}

/// The bits of a number in an encoding; integers keep their low bits. `None`: a fraction where an
/// integer belongs.
pub(crate) fn encode(number: Number, numeric: Numeric, bits: u32) -> Option<u64> {
    match (numeric, bits) {
        (Numeric::Float | Numeric::Ufloat, 16) => {
            Some(u64::from(vocabulary::half::from_f64(number.real())))
        }
        (Numeric::Float | Numeric::Ufloat, 64) => Some(number.real().to_bits()),
        (Numeric::Float | Numeric::Ufloat, _) => Some(u64::from((number.real() as f32).to_bits())),
        _ => match number {
            Number::Integer { bits, .. } => Some(bits),
            Number::Real(_) => None,
        },
    }
}

/// Like [`encode`], but numbers of 16 bits are cut, not rounded, as Amber does.
pub(crate) fn encode_cut(number: Number, numeric: Numeric, bits: u32) -> Option<u64> {
    if is_float(numeric) && bits == 16 {
        return Some(u64::from(cut_to_half(number.real())));
    }
    encode(number, numeric, bits)
}

/// The half float that is nearest to a number and not larger in magnitude.
fn cut_to_half(number: f64) -> u16 {
    // Amber rounds to single precision first.
    let number = f64::from(number as f32);
    let nearest = vocabulary::half::from_f64(number);
    let larger = vocabulary::half::to_f64(nearest).abs() > number.abs();
    // The next smaller magnitude is the pattern before; infinities stay.
    if larger && number.is_finite() && nearest & 0x7fff != 0x7c00 { nearest - 1 } else { nearest }
}

/// Writes bits into the bytes of an element that begins at `start`. Bytes outside are dropped.
pub(crate) fn write(bits: u64, part: &Part, start: usize, bytes: &mut [u8]) {
    let begin = start + part.offset as usize;
    let length = (part.bits / 8) as usize;
    if let Some(target) = bytes.get_mut(begin..begin + length) {
        let source = bits.to_le_bytes();
        target.copy_from_slice(&source[..length.min(8)]);
    }
}

/// Reads the bits of a part, without sign extension; `None` outside of the bytes.
pub(crate) fn read(part: &Part, start: usize, bytes: &[u8]) -> Option<u64> {
    let begin = start + part.offset as usize;
    let length = (part.bits / 8) as usize;
    let mut word = [0; 8];
    word.get_mut(..length)?.copy_from_slice(bytes.get(begin..begin + length)?);
    Some(u64::from_le_bytes(word))
}
