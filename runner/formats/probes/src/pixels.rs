//! Comparison of a pixel with its expectation, and the words for a failure.

use script::Expected;

use crate::ulps::f32_ulps;

/// Expected pixel of a probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// Channels compared: 1, 3 or 4.
    pub channels: usize,
    /// Expected values; for integer probes the bits of the numbers.
    pub values: [f32; 4],
    /// Tolerance per channel.
    pub tolerance: [f32; 4],
}

/// The values of a pixel, as they are read and compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeValues {
    /// Floats, each channel within its tolerance: single pixels, and areas of deeper buffers.
    Floats([f32; 4]),
    /// Bytes, the expectation truncated: areas of buffers with at most 8 bits per channel.
    Bytes([u8; 4]),
    /// Signed integers, exactly.
    Integers([i32; 4]),
}

/// The first bad pixel of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeFailure {
    /// Column.
    pub x: i32,
    /// Row, from the bottom.
    pub y: i32,
    /// Channels that were compared.
    pub channels: usize,
    /// Expected values.
    pub expected: ProbeValues,
    /// Values read.
    pub observed: ProbeValues,
}

impl Expectation {
    /// Returns what a probe expects of each of its pixels. Depth has a tolerance of its own.
    pub fn of(expected: &Expected, tolerance: [f32; 4]) -> Expectation {
        let (channels, values, tolerance) = match *expected {
            Expected::Rgb([r, g, b]) => (3, [r, g, b, 0.0], tolerance),
            Expected::Rgba(values) => (4, values, tolerance),
            Expected::RgbaInt(values) => (4, values.map(|v| f32::from_bits(v as u32)), [0.0; 4]),
            // Strictly below 0.01, while the comparison accepts equality.
            Expected::Depth(depth) => (1, [depth; 4], [0.01f32.next_down(); 4]),
        };
        Expectation { channels, values, tolerance }
    }

    /// Returns true if a pixel meets the expectation.
    pub fn accepts(&self, observed: ProbeValues) -> bool {
        match observed {
            ProbeValues::Floats(observed) => (0..self.channels).all(|c| {
                let difference = (observed[c] - self.values[c]).abs();
                // A NaN difference is never greater, so it passes.
                difference.is_nan() || difference <= self.tolerance[c]
            }),
            ProbeValues::Bytes(observed) => (0..self.channels).all(|c| {
                let difference = i32::from(observed[c]) - i32::from(expected_byte(self.values[c]));
                difference.abs() <= tolerance_byte(self.tolerance[c])
            }),
            ProbeValues::Integers(observed) => {
                (0..self.channels).all(|c| observed[c] as u32 == self.values[c].to_bits())
            }
        }
    }

    /// Returns the expected values in the form of observed ones.
    pub fn values_like(&self, observed: ProbeValues) -> ProbeValues {
        match observed {
            ProbeValues::Floats(_) => ProbeValues::Floats(self.values),
            ProbeValues::Bytes(_) => ProbeValues::Bytes(self.values.map(expected_byte)),
            ProbeValues::Integers(_) => {
                ProbeValues::Integers(self.values.map(|v| v.to_bits() as i32))
            }
        }
    }

    /// Returns the failure of a pixel that does not meet the expectation.
    pub fn failure(&self, (x, y): (i32, i32), observed: ProbeValues) -> ProbeFailure {
        let expected = self.values_like(observed);
        ProbeFailure { x, y, channels: self.channels, expected, observed }
    }
}

/// Converts `value × 255` to an unsigned char as C code does on x86-64: truncation to a 32-bit
/// integer, then its low byte. Out of range the integer is 0x80000000 and the byte 0.
pub fn expected_byte(value: f32) -> u8 {
    let scaled = value * 255.0;
    if (-2_147_483_648.0..2_147_483_648.0).contains(&scaled) { scaled as i32 as u8 } else { 0 }
}

/// Returns the tolerance in byte steps: rounded up.
pub fn tolerance_byte(tolerance: f32) -> i32 {
    (tolerance * 255.0).ceil() as i32
}

/// Describes a failed probe in piglit's words, with the bits of floats that those words round.
pub fn describe(failure: &ProbeFailure) -> String {
    format!(
        "Probe color at ({},{})\n  Expected: {}\n  Observed: {}{}",
        failure.x,
        failure.y,
        show(failure.expected, failure.channels),
        show(failure.observed, failure.channels),
        bits(failure)
    )
}

/// Returns floats in stored form and their distance.
fn bits(failure: &ProbeFailure) -> String {
    let (ProbeValues::Floats(expected), ProbeValues::Floats(observed)) =
        (failure.expected, failure.observed)
    else {
        return String::new();
    };
    let channel = |(&expected, &observed): (&f32, &f32)| {
        let apart =
            f32_ulps(expected, observed).map(|ulps| format!(" ({ulps} ULP)")).unwrap_or_default();
        format!("{:#010x}/{:#010x}{apart}", expected.to_bits(), observed.to_bits())
    };
    let channels: Vec<String> =
        expected.iter().zip(&observed).take(failure.channels).map(channel).collect();
    format!("\n  In bits: {}", channels.join(" "))
}

fn show(values: ProbeValues, channels: usize) -> String {
    let join = |texts: Vec<String>| texts.into_iter().take(channels).collect::<Vec<_>>().join(" ");
    match values {
        ProbeValues::Floats(values) => join(values.iter().map(|v| format!("{v:.6}")).collect()),
        ProbeValues::Bytes(values) => join(values.iter().map(u8::to_string).collect()),
        ProbeValues::Integers(values) => join(values.iter().map(i32::to_string).collect()),
    }
}

/// Replaces the tolerances of the channels that a command gives.
pub fn override_each(tolerance: &mut [f32; 4], given: [Option<f32>; 4]) {
    for (value, given) in tolerance.iter_mut().zip(given) {
        *value = given.unwrap_or(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format's documented arithmetic: truncation and wrap-around.
    #[test]
    fn expected_bytes() {
        assert_eq!(expected_byte(0.5), 127);
        assert_eq!(expected_byte(2.0), 254);
        assert_eq!(expected_byte(-1.0), 1);
        assert_eq!(expected_byte(-0.005), 255);
        assert_eq!(expected_byte(1.0), 255);
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
            assert_eq!(expected_byte(odd), 0);
        }
        assert_eq!(tolerance_byte(0.01), 3);
    }
}
