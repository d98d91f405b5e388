//! Floating-point expressions whose values are exact whatever a compiler fuses or reorders.

use program::types::Scalar;

/// What is known of an expression's values: at most 2^`whole` in magnitude, and multiples of 2^-`fraction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    /// Upper bound of the magnitude, as a power of two.
    pub whole: u32,
    /// Binary digits behind the point.
    pub fraction: u32,
}

/// A floating-point expression.
#[derive(Clone, Debug)]
pub(super) struct Real {
    /// GLSL.
    pub text: String,
    /// Its values.
    pub bits: Bits,
}

impl Bits {
    /// The values that variables hold: small enough for products and sums of a few of them to be exact.
    pub fn stored(scalar: Scalar) -> Bits {
        if scalar == Scalar::Double { Bits::new(11, 14) } else { Bits::new(7, 3) }
    }

    pub fn new(whole: u32, fraction: u32) -> Bits {
        Bits { whole, fraction }
    }

    /// Whether every such value is one of the type.
    pub fn fit(self, scalar: Scalar) -> bool {
        self.whole + self.fraction <= if scalar == Scalar::Double { 53 } else { 24 }
    }

    /// Whether every such value is one of `other`'s.
    pub fn within(self, other: Bits) -> bool {
        self.whole <= other.whole && self.fraction <= other.fraction
    }

    /// Either of two.
    pub fn or(self, other: Bits) -> Bits {
        Bits::new(self.whole.max(other.whole), self.fraction.max(other.fraction))
    }

    /// The sum of up to 2^`doublings` values.
    pub fn sum(self, doublings: u32) -> Bits {
        Bits { whole: self.whole + doublings, ..self }
    }

    /// A product.
    pub fn times(self, other: Bits) -> Bits {
        Bits::new(self.whole + other.whole, self.fraction + other.fraction)
    }
}

/// A floating-point literal; the value has a short decimal form.
pub(super) fn literal(scalar: Scalar, value: f64) -> String {
    let suffix = if scalar == Scalar::Double { "LF" } else { "" };
    let text = format!("{value:?}{suffix}");
    if value < 0.0 { format!("({text})") } else { text }
}
