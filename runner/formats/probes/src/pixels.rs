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

    #[test]
    fn expectations_of_probes() {
        let tolerance = [0.1, 0.2, 0.3, 0.4];
        let of = |expected| Expectation::of(&expected, tolerance);
        let rgb = of(Expected::Rgb([0.1, 0.2, 0.3]));
        assert_eq!((rgb.channels, rgb.tolerance), (3, tolerance));
        assert!(rgb.accepts(ProbeValues::Floats([0.2, 0.4, 0.6, 9.0])));
        assert!(!rgb.accepts(ProbeValues::Floats([0.1, 0.2, 0.7, 0.0])));
        let rgba = of(Expected::Rgba([0.0, 0.0, 0.0, 1.0]));
        assert!(rgba.accepts(ProbeValues::Floats([f32::NAN, 0.0, 0.0, 0.6])));
        assert!(!rgba.accepts(ProbeValues::Floats([0.0, 0.0, 0.0, 0.5])));
        let whole = of(Expected::RgbaInt([1, -2, 3, 4]));
        assert_eq!((whole.channels, whole.tolerance), (4, [0.0; 4]));
        assert!(whole.accepts(ProbeValues::Integers([1, -2, 3, 4])));
        assert!(!whole.accepts(ProbeValues::Integers([1, -2, 3, 5])));
        let depth = of(Expected::Depth(0.5));
        assert!(depth.accepts(ProbeValues::Floats([0.5078125, 9.0, 9.0, 9.0])));
        // The distance is below a hundredth, not equal to it.
        assert!(!of(Expected::Depth(0.0)).accepts(ProbeValues::Floats([0.01, 0.0, 0.0, 0.0])));
    }

    #[test]
    fn bytes_have_a_tolerance_of_whole_steps() {
        let half = Expectation { channels: 1, values: [0.5; 4], tolerance: [0.01; 4] };
        let accepts = |byte| half.accepts(ProbeValues::Bytes([byte, 0, 0, 0]));
        // 127, and at most three steps away.
        assert_eq!([123, 124, 130, 131].map(accepts), [false, true, true, false]);
    }

    #[test]
    fn failures_in_words() {
        let tolerance = [0.0; 4];
        let rgb = Expectation::of(&Expected::Rgb([1.0, 0.5, 0.0]), tolerance);
        let failure = rgb.failure((3, 4), ProbeValues::Floats([1.0, f32::NAN, 0.25, 9.0]));
        assert_eq!(
            describe(&failure),
            "Probe color at (3,4)\n  Expected: 1.000000 0.500000 0.000000\n  \
             Observed: 1.000000 NaN 0.250000\n  In bits: 0x3f800000/0x3f800000 (0 ULP) \
             0x3f000000/0x7fc00000 0x00000000/0x3e800000 (1048576000 ULP)"
        );
        let bytes = rgb.failure((0, 0), ProbeValues::Bytes([255, 128, 7, 0]));
        let text = "Probe color at (0,0)\n  Expected: 255 127 0\n  Observed: 255 128 7";
        assert_eq!(describe(&bytes), text);
        let whole = Expectation::of(&Expected::RgbaInt([1, -2, 3, 4]), tolerance);
        let whole = whole.failure((0, 0), ProbeValues::Integers([5, 6, 7, -8]));
        let text = "Probe color at (0,0)\n  Expected: 1 -2 3 4\n  Observed: 5 6 7 -8";
        assert_eq!(describe(&whole), text);
    }

    #[test]
    fn tolerances_of_single_channels() {
        let mut tolerance = [0.1, 0.2, 0.3, 0.4];
        override_each(&mut tolerance, [None, Some(0.0), None, Some(1.0)]);
        assert_eq!(tolerance, [0.1, 0.0, 0.3, 1.0]);
        assert_eq!(tolerance_byte(0.0), 0);
    }
}
