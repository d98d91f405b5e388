//! Agreement of simulator and interpreter on the values that an expectation is about.

use program::Program;
use vk_script::{Area, Buffer, Expectation, Expected, Numeric};

/// Largest difference of inexact floats in units in the last place.
const UNITS: u64 = 16;

/// Required closeness, by the programs that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closeness {
    /// Results are the same bit for bit.
    pub(super) exact: bool,
    /// Values of 16 bits took part in inexact computations.
    half: bool,
    /// Results may depend on the order of invocations or the size of subgroups.
    pub(super) any_order: bool,
}

impl Default for Closeness {
    fn default() -> Closeness {
        Closeness { exact: true, half: false, any_order: false }
    }
}

impl Closeness {
    /// Adds a program that runs.
    pub(super) fn add(&mut self, program: &Program, is_device_exact: bool) {
        for stage in &program.stages {
            self.exact &= stage.exact && is_device_exact;
            self.half |= stage.half_precision;
            self.any_order |= stage.order_dependent || stage.sees_subgroups();
        }
    }
}

/// A value in a buffer: its first bit, its size in bits, its encoding.
type Value = (u64, u32, Numeric);

/// Returns the first difference of the values that an expectation is about.
pub(super) fn difference(
    expectation: &Expectation,
    buffer: &Buffer,
    closeness: Closeness,
    [simulated, reference]: [&[u8]; 2],
) -> Option<String> {
    if simulated == reference {
        return None;
    }
    values(expectation, buffer).find_map(|(bit, bits, numeric)| {
        let [a, b] = [simulated, reference].map(|bytes| read(bytes, bit, bits));
        if agree(a, b, bits, numeric, closeness) {
            return None;
        }
        let rule = if closeness.exact { "bit for bit" } else { "within the rule" };
        let [a, b] = [a, b].map(|value| show(value, bits, numeric));
        Some(format!(
            "simulator and reference interpreter differ at byte {}, and must agree {rule}\n  \
             Simulator: {a}\n  Reference: {b}",
            bit / 8
        ))
    })
}

/// Returns the values that an expectation is about.
fn values<'a>(
    expectation: &'a Expectation,
    buffer: &'a Buffer,
) -> Box<dyn Iterator<Item = Value> + 'a> {
    match &expectation.expected {
        Expected::Values { offset, format, values, .. } => {
            let size = u64::from(format.size);
            let parts = (0u64..).flat_map(move |element| {
                let first = u64::from(*offset) + element * size;
                format.parts.iter().map(move |part| {
                    ((first + u64::from(part.offset)) * 8, part.bits, part.numeric)
                })
            });
            Box::new(parts.take(if format.parts.is_empty() { 0 } else { values.len() }))
        }
        Expected::Texels { area, .. } => {
            let [x, y, width, height] = match *area {
                Area::Whole => [0, 0, buffer.width, buffer.height],
                Area::Texels(texels) => texels,
            };
            let texels = (y..y.saturating_add(height))
                .flat_map(move |y| (x..x.saturating_add(width)).map(move |x| (x, y)));
            Box::new(texels.flat_map(|(x, y)| {
                let index = u64::from(y) * u64::from(buffer.width) + u64::from(x);
                channels(buffer, index)
            }))
        }
        Expected::EqualBuffer { .. }
        | Expected::RmseBuffer { .. }
        | Expected::HistogramEmdBuffer { .. } => {
            Box::new((0..u64::from(buffer.elements)).flat_map(|index| channels(buffer, index)))
        }
    }
}

/// Returns the values of an element: channels of a texel, or parts.
fn channels(buffer: &Buffer, index: u64) -> impl Iterator<Item = Value> + '_ {
    let first = index * u64::from(buffer.format.size) * 8;
    let format = &buffer.format;
    let channels = format
        .channels
        .iter()
        .map(move |channel| (first + u64::from(channel.offset), channel.bits, channel.numeric));
    let parts = format.parts.iter().filter(|_| format.channels.is_empty());
    let parts =
        parts.map(move |part| (first + u64::from(part.offset) * 8, part.bits, part.numeric));
    channels.chain(parts)
}

/// Returns some bits of little-endian bytes; missing ones are zero.
fn read(bytes: &[u8], bit: u64, bits: u32) -> u64 {
    let first = usize::try_from(bit / 8).unwrap_or(usize::MAX);
    let rest = bytes.get(first..).unwrap_or_default();
    let word = rest.iter().take(9).rev().fold(0u128, |word, &byte| word << 8 | u128::from(byte));
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    (word >> (bit % 8)) as u64 & mask
}

fn agree(a: u64, b: u64, bits: u32, numeric: Numeric, closeness: Closeness) -> bool {
    if a == b {
        return true;
    }
    match numeric {
        Numeric::Float if is_nan(a, bits) && is_nan(b, bits) => true,
        _ if closeness.exact => false,
        Numeric::Float => {
            let units = if closeness.half && bits == 32 { UNITS << 13 } else { UNITS };
            let close = |a: f64, b: f64| closeness.half && (a - b).abs() <= 2f64.powi(-20);
            let order = |value: u64| ordered(value, bits);
            order(a).abs_diff(order(b)) <= units || close(float(a, bits), float(b, bits))
        }
        Numeric::Ufloat => a.abs_diff(b) <= 1,
        Numeric::Unorm | Numeric::Srgb => a.abs_diff(b) <= 1,
        Numeric::Snorm => {
            let unused = 64 - bits;
            let signed = |value: u64| (value << unused) as i64 >> unused;
            signed(a).abs_diff(signed(b)) <= 1
        }
        Numeric::Uint | Numeric::Sint | Numeric::Uscaled | Numeric::Sscaled => false,
    }
}

/// Bits of the mantissa of a float.
fn mantissa(bits: u32) -> u32 {
    match bits {
        16 => 10,
        32 => 23,
        _ => 52,
    }
}

fn is_nan(value: u64, bits: u32) -> bool {
    let magnitude = value & ((1 << (bits - 1)) - 1);
    let infinity = ((1u64 << (bits - 1 - mantissa(bits))) - 1) << mantissa(bits);
    magnitude > infinity
}

/// The place of a float in the order of all.
fn ordered(value: u64, bits: u32) -> i64 {
    let magnitude = (value & ((1 << (bits - 1)) - 1)) as i64;
    if value >> (bits - 1) & 1 == 1 { -magnitude } else { magnitude }
}

fn float(value: u64, bits: u32) -> f64 {
    match bits {
        16 => vocabulary::half::to_f32(value as u16).into(),
        32 => f32::from_bits(value as u32).into(),
        _ => f64::from_bits(value),
    }
}

fn show(value: u64, bits: u32, numeric: Numeric) -> String {
    let digits = bits.div_ceil(4) as usize;
    match numeric {
        Numeric::Float => {
            format!("{:?} ({value:#0width$x})", float(value, bits), width = digits + 2)
        }
        Numeric::Sint => {
            let unused = 64 - bits;
            ((value << unused) as i64 >> unused).to_string()
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(exact: bool, half: bool) -> Closeness {
        Closeness { exact, half, any_order: false }
    }

    #[test]
    fn floats() {
        let one = u64::from(1f32.to_bits());
        let agree = |a, b, closeness| agree(a, b, 32, Numeric::Float, closeness);
        assert!(agree(one, one + 16, close(false, false)));
        assert!(!agree(one, one + 17, close(false, false)));
        assert!(!agree(one, one + 1, close(true, false)));
        assert!(agree(one, one + (16 << 13), close(false, true)));
        let nan = |bits: u32| u64::from(bits);
        assert!(agree(nan(0x7fc0_0000), nan(0xffc0_0001), close(true, false)));
        assert!(!agree(nan(0x7fc0_0000), one, close(false, false)));
        assert!(agree(0, 1 << 31, close(false, false)) && !agree(0, 1 << 31, close(true, false)));
    }

    #[test]
    fn codes() {
        let agree = |a, b, numeric| agree(a, b, 8, numeric, close(false, false));
        assert!(agree(127, 128, Numeric::Unorm) && !agree(127, 129, Numeric::Unorm));
        assert!(agree(0, 255, Numeric::Snorm) && !agree(0, 254, Numeric::Snorm));
        assert!(!agree(1, 2, Numeric::Uint));
    }
}
