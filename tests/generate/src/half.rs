//! Bits of IEEE 754 binary16 numbers.

/// A half, by its bits. Its arithmetic is that of [`crate::format::Format`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Half(u16);

impl Half {
    /// The half with these bits.
    pub const fn new(bits: u16) -> Half {
        Half(bits)
    }

    /// The bits.
    pub const fn word(self) -> u16 {
        self.0
    }

    /// The value as a double, exactly; infinities and NaN included.
    pub fn value(self) -> f64 {
        let (biased, fraction) = ((self.0 >> 10) & 0x1f, self.0 & 0x3ff);
        let magnitude = match (biased, fraction) {
            (0x1f, 0) => f64::INFINITY,
            (0x1f, _) => return f64::NAN,
            // Products with powers of two are exact, and so quicker than through fractions.
            _ => {
                let significand = f64::from(if biased == 0 { fraction } else { fraction | 0x400 });
                significand * f64::from_bits((u64::from(biased.max(1)) + 1023 - 25) << 52)
            }
        };
        magnitude.copysign(if self.0 >> 15 == 0 { 1.0 } else { -1.0 })
    }
}
