//! The sources.

/// A source of operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pool {
    /// All values of the type.
    Any,
    /// As `Any`; often the first operand, a neighbor or the negative of it.
    Related,
    /// Exponents −8 to 8, small integers and simple fractions.
    Moderate,
    /// Exponents −300 to 300, within a narrow band in each vector.
    Wide,
    /// 0 to 1, the ends included, and a little beyond.
    Unit,
    /// Integers from −8 to 8.
    Small,
    /// Around the halves and integers where rounding decides.
    Rounding,
    /// Around the limits of `int`.
    ToInt,
    /// Around the limits of `uint`.
    ToUint,
    /// Around the values of `float`, its ties and its limits.
    ToFloat,
    /// Products of small odd numbers.
    Composite,
    /// A number that divides the first operand exactly, or else any of a near magnitude.
    Divisor,
    /// At most 30 significant bits, exponents −500 to 500.
    Short,
    /// The first operand times an integer of up to 22 bits, exactly.
    Multiple,
    /// Exponents 60 to 300.
    Coarse,
    /// Around ±2ⁿ for the n at which floats, integers and doubles change; zeros and the smallest
    /// numbers.
    Limits,
    /// The largest, the smallest and powers of two; as integers, exponents up to where any double
    /// becomes 0 or infinite.
    Edge,
    /// Integers for exponents.
    Exponent,
    /// For integer operands: a count from 0 to n − 1.
    Below(u8),
    /// All components of the first operand, or all but one.
    CopyOfFirst,
    /// Integers, floats or booleans of all sizes.
    Plain,
    /// Around the values of `float16_t`, its ties and its limits.
    ToHalf,
    /// Around the limits of `int16_t`.
    ToInt16,
    /// Around the limits of `uint16_t`.
    ToUint16,
    /// Integers around the limits of narrower types.
    Narrow,
    /// Exponents by which a half is scaled.
    Scaling,
    /// Integers that are bits of one half or of two.
    Halves,
}

/// 2ⁿ for normal doubles.
pub const fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}
