//! Floating-point expressions with values that stay exact under fusing and reordering.

use program::types::Scalar;

/// Bounds of an expression's values: at most 2^`whole` in magnitude, and multiples of
/// 2^-`fraction`.
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
    /// GLSL text.
    pub text: String,
    /// Bounds of the values.
    pub bits: Bits,
}

impl Bits {
    /// Returns the bounds of variables: small enough for exact products and sums of a few of them.
    pub(super) fn stored(scalar: Scalar) -> Bits {
        if scalar == Scalar::Double { Bits::new(11, 14) } else { Bits::new(7, 3) }
    }

    pub(super) fn new(whole: u32, fraction: u32) -> Bits {
        Bits { whole, fraction }
    }

    /// Returns true if the type represents all values within the bounds.
    pub(super) fn fit(self, scalar: Scalar) -> bool {
        self.whole + self.fraction <= if scalar == Scalar::Double { 53 } else { 24 }
    }

    /// Returns true if these bounds are within `other`.
    pub(super) fn within(self, other: Bits) -> bool {
        self.whole <= other.whole && self.fraction <= other.fraction
    }

    /// Returns the bounds of either of two values.
    pub(super) fn or(self, other: Bits) -> Bits {
        Bits::new(self.whole.max(other.whole), self.fraction.max(other.fraction))
    }

    /// Returns the bounds of a sum of up to 2^`doublings` values.
    pub(super) fn sum(self, doublings: u32) -> Bits {
        Bits { whole: self.whole + doublings, ..self }
    }

    /// Returns the bounds of a product.
    pub(super) fn times(self, other: Bits) -> Bits {
        Bits::new(self.whole + other.whole, self.fraction + other.fraction)
    }
}

/// Returns a floating-point literal; the value has a short decimal form.
pub(super) fn literal(scalar: Scalar, value: f64) -> String {
    let suffix = if scalar == Scalar::Double { "LF" } else { "" };
    let text = format!("{value:?}{suffix}");
    if value < 0.0 { format!("({text})") } else { text }
}
