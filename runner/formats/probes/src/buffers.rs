//! Conditions of probes on values in buffers.

use script::{Comparison, SsboValue};

use crate::ulps::{f32_ulps, f64_ulps};

/// A required value; with `near`, floating-point values must be closer than that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Comparison of the value in the buffer with the expected one.
    pub comparison: Comparison,
    /// The expected value, which decides the type.
    pub value: SsboValue,
    /// Distance below which floating-point values count as equal.
    pub near: Option<f64>,
}

impl Condition {
    /// Returns true if a value in the buffer, given by its bits, meets the condition.
    pub fn holds(&self, bits: u64) -> bool {
        let close = |observed: f64, value: f64| {
            self.near.map_or_else(
                || self.comparison.holds(observed, value),
                |near| (observed - value).abs() < near,
            )
        };
        match self.value {
            SsboValue::Uint(v) => self.comparison.holds(bits as u32, v),
            SsboValue::Uint64(v) => self.comparison.holds(bits, v),
            SsboValue::Int(v) => self.comparison.holds(bits as i32, v),
            SsboValue::Int64(v) => self.comparison.holds(bits as i64, v),
            SsboValue::Float(v) => close(f64::from(f32::from_bits(bits as u32)), f64::from(v)),
            SsboValue::Double(v) => close(f64::from_bits(bits), v),
        }
    }

    /// Formats a value in the buffer.
    pub fn show(&self, bits: u64) -> String {
        match self.value {
            SsboValue::Uint(_) => (bits as u32).to_string(),
            SsboValue::Uint64(_) => bits.to_string(),
            SsboValue::Int(_) => (bits as i32).to_string(),
            SsboValue::Int64(_) => (bits as i64).to_string(),
            SsboValue::Float(_) => {
                format!("{:?} ({:#010x})", f32::from_bits(bits as u32), bits as u32)
            }
            SsboValue::Double(_) => format!("{:?} ({bits:#018x})", f64::from_bits(bits)),
        }
    }

    /// Returns `, 3 ULP apart` for floating-point values.
    fn distance(&self, bits: u64) -> String {
        let ulps = match self.value {
            SsboValue::Float(v) => f32_ulps(f32::from_bits(bits as u32), v),
            SsboValue::Double(v) => f64_ulps(f64::from_bits(bits), v),
            SsboValue::Uint(_) | SsboValue::Uint64(_) | SsboValue::Int(_) | SsboValue::Int64(_) => {
                None
            }
        };
        ulps.map(|ulps| format!(", {ulps} ULP apart")).unwrap_or_default()
    }

    /// Formats the condition: `== 3`.
    pub fn wanted(&self) -> String {
        format!("{} {}", self.comparison.text(), self.show(bits_of(&self.value.bytes())))
    }

    /// Describes a value of `what` that does not meet the condition.
    pub fn failure(&self, what: &str, bits: u64) -> String {
        let (shown, wanted) = (self.show(bits), self.wanted());
        format!("{what} test failed: {shown} {wanted}{}", self.distance(bits))
    }
}

/// Returns the bits of up to eight little-endian bytes.
pub fn bits_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(comparison: Comparison, value: SsboValue, near: Option<f64>) -> Condition {
        Condition { comparison, value, near }
    }

    #[test]
    fn comparisons() {
        use Comparison as C;
        assert!(condition(C::Equal, SsboValue::Uint(7), None).holds(7));
        assert!(condition(C::Less, SsboValue::Int(-1), None).holds(u64::from(-2i32 as u32)));
        assert!(!condition(C::Less, SsboValue::Uint(1), None).holds(u64::from(u32::MAX)));
        let near = condition(C::Equal, SsboValue::Float(1.0), Some(0.01));
        assert!(near.holds(u64::from(1.005f32.to_bits())));
        assert!(
            !near.holds(u64::from(1.02f32.to_bits())) && !near.holds(u64::from(f32::NAN.to_bits()))
        );
        assert_eq!(near.wanted(), "== 1.0 (0x3f800000)");
        assert_eq!(condition(C::NotEqual, SsboValue::Int(-5), None).wanted(), "!= -5");
    }

    #[test]
    fn failures() {
        let text = condition(Comparison::Equal, SsboValue::Float(1.0), None)
            .failure("SSBO 4", u64::from(1.0f32.next_up().to_bits()));
        let shown = "1.0000001 (0x3f800001) == 1.0 (0x3f800000), 1 ULP apart";
        assert_eq!(text, format!("SSBO 4 test failed: {shown}"));
    }

    #[test]
    fn wide_values() {
        use Comparison as C;
        let high = 1_u64 << 32;
        assert!(condition(C::Greater, SsboValue::Uint64(7), None).holds(high));
        assert!(condition(C::Less, SsboValue::Int64(0), None).holds(u64::MAX));
        assert!(!condition(C::Equal, SsboValue::Int64(0), None).holds(high));
        let double = condition(C::Equal, SsboValue::Double(1.0), Some(0.5));
        assert!(double.holds(0.75_f64.to_bits()) && !double.holds(1.5_f64.to_bits()));
        assert_eq!(double.show(2.0_f64.to_bits()), "2.0 (0x4000000000000000)");
        assert_eq!(condition(C::Equal, SsboValue::Uint64(high), None).wanted(), "== 4294967296");
        assert_eq!(condition(C::Equal, SsboValue::Int64(-2), None).wanted(), "== -2");
        assert_eq!(bits_of(&[1, 2, 3]), 0x03_0201);
    }

    #[test]
    fn failures_of_each_type() {
        let of = |value, bits| condition(Comparison::Equal, value, None).failure("it", bits);
        assert_eq!(of(SsboValue::Uint(3), high_and(4)), "it test failed: 4 == 3");
        assert_eq!(of(SsboValue::Int(3), high_and(u32::MAX)), "it test failed: -1 == 3");
        let shown = "2.0 (0x4000000000000000) == 2.0000000000000004 (0x4000000000000001)";
        assert_eq!(
            of(SsboValue::Double(2.0_f64.next_up()), 2.0_f64.to_bits()),
            format!("it test failed: {shown}, 1 ULP apart")
        );
    }

    /// A value of 32 bits below others, which are not its own.
    fn high_and(low: u32) -> u64 {
        0xdead_beef << 32 | u64::from(low)
    }
}
