//! Blending, logic operations, comparisons and stencil operations, as pure functions.

/// Factors and function of one equation. Numbers without a meaning are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equation {
    /// Factor of the new color.
    pub source: Option<Factor>,
    /// Factor of the stored color.
    pub destination: Option<Factor>,
    /// Function of both products.
    pub function: Option<Function>,
}

/// Function of an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum Function {
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// Factor of a color: a term, or 1 less the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// The term.
    Plain(Term),
    /// 1 less the term.
    Inverse(Term),
}

/// Value of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum Term {
    One,
    SourceColor,
    SourceAlpha,
    DestinationAlpha,
    DestinationColor,
    SaturatedSourceAlpha,
    ConstantColor,
    ConstantAlpha,
    SecondColor,
    SecondAlpha,
}

/// Comparison of a new value with the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum Comparison {
    Always,
    Never,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
}

/// Change of a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum StencilOperation {
    Keep,
    Zero,
    Replace,
    IncrementAndClamp,
    DecrementAndClamp,
    IncrementAndWrap,
    DecrementAndWrap,
    Invert,
}

/// Colors that blending reads.
#[derive(Clone, Copy, Debug)]
pub struct Colors {
    /// Color of the fragment.
    pub source: [f32; 4],
    /// Second color of the fragment.
    pub second: [f32; 4],
    /// Stored color.
    pub destination: [f32; 4],
    /// Color of the state.
    pub constant: [f32; 4],
}

/// Blends: `color` for red, green and blue, `alpha` for alpha. `None` if a number without a meaning
/// takes part.
#[must_use]
pub fn blend(color: Equation, alpha: Equation, colors: &Colors) -> Option<[f32; 4]> {
    let mut result = [0.0; 4];
    for (i, value) in result.iter_mut().enumerate() {
        let equation = if i == 3 { alpha } else { color };
        let (source, destination) = (colors.source[i], colors.destination[i]);
        let weighted = |value: f32, factor: Option<Factor>| Some(value * factor?.value(i, colors));
        *value = match equation.function? {
            Function::Add => {
                weighted(source, equation.source)? + weighted(destination, equation.destination)?
            }
            Function::Subtract => {
                weighted(source, equation.source)? - weighted(destination, equation.destination)?
            }
            Function::ReverseSubtract => {
                weighted(destination, equation.destination)? - weighted(source, equation.source)?
            }
            Function::Min => source.min(destination),
            Function::Max => source.max(destination),
        };
    }
    Some(result)
}

impl Function {
    /// Returns the function of a number of Intel's.
    #[must_use]
    pub fn of(number: u64) -> Option<Function> {
        Some(match number {
            0 => Function::Add,
            1 => Function::Subtract,
            2 => Function::ReverseSubtract,
            3 => Function::Min,
            4 => Function::Max,
            _ => return None,
        })
    }
}

impl Factor {
    /// Number of the first inverse factor: 1 less 1.
    const INVERSE: u64 = 0x10;

    /// Returns the factor of a number of Intel's.
    #[must_use]
    pub fn of(number: u64) -> Option<Factor> {
        let term = Term::of(number & !Factor::INVERSE)?;
        match number & Factor::INVERSE {
            0 => Some(Factor::Plain(term)),
            _ if term == Term::SaturatedSourceAlpha => None,
            _ => Some(Factor::Inverse(term)),
        }
    }

    /// Value for component `i`.
    fn value(self, i: usize, colors: &Colors) -> f32 {
        match self {
            Factor::Plain(term) => term.value(i, colors),
            Factor::Inverse(term) => 1.0 - term.value(i, colors),
        }
    }
}

impl Term {
    fn of(number: u64) -> Option<Term> {
        Some(match number {
            1 => Term::One,
            2 => Term::SourceColor,
            3 => Term::SourceAlpha,
            4 => Term::DestinationAlpha,
            5 => Term::DestinationColor,
            6 => Term::SaturatedSourceAlpha,
            7 => Term::ConstantColor,
            8 => Term::ConstantAlpha,
            9 => Term::SecondColor,
            10 => Term::SecondAlpha,
            _ => return None,
        })
    }

    fn value(self, i: usize, colors: &Colors) -> f32 {
        let Colors { source, second, destination, constant } = colors;
        match self {
            Term::One => 1.0,
            Term::SourceColor => source[i],
            Term::SourceAlpha => source[3],
            Term::DestinationAlpha => destination[3],
            Term::DestinationColor => destination[i],
            Term::SaturatedSourceAlpha if i == 3 => 1.0,
            Term::SaturatedSourceAlpha => source[3].min(1.0 - destination[3]),
            Term::ConstantColor => constant[i],
            Term::ConstantAlpha => constant[3],
            Term::SecondColor => second[i],
            Term::SecondAlpha => second[3],
        }
    }
}

/// A logic operation on bits. Its number is its truth table: bit 3 is the result for two set bits,
/// bit 2 that for a set bit of the source alone.
#[must_use]
pub fn logic(table: u64, source: u8, destination: u8) -> u8 {
    let (s, d) = (source, destination);
    let cases = [!s & !d, !s & d, s & !d, s & d];
    let set = cases.iter().enumerate().filter(|(bit, _)| table >> bit & 1 != 0);
    set.fold(0, |all, (_, case)| all | case)
}

impl Comparison {
    /// Returns the comparison of a number of Intel's, of three bits.
    #[must_use]
    pub fn of(number: u64) -> Comparison {
        match number {
            0 => Comparison::Always,
            1 => Comparison::Never,
            2 => Comparison::Less,
            3 => Comparison::Equal,
            4 => Comparison::LessOrEqual,
            5 => Comparison::Greater,
            6 => Comparison::NotEqual,
            _ => Comparison::GreaterOrEqual,
        }
    }

    /// True if a new value passes.
    #[must_use]
    pub fn passes<T: PartialOrd>(self, new: T, stored: T) -> bool {
        match self {
            Comparison::Always => true,
            Comparison::Never => false,
            Comparison::Less => new < stored,
            Comparison::Equal => new == stored,
            Comparison::LessOrEqual => new <= stored,
            Comparison::Greater => new > stored,
            Comparison::NotEqual => new != stored,
            Comparison::GreaterOrEqual => new >= stored,
        }
    }
}

impl StencilOperation {
    /// Returns the operation of a number of Intel's, of three bits.
    #[must_use]
    pub fn of(number: u64) -> StencilOperation {
        match number {
            0 => StencilOperation::Keep,
            1 => StencilOperation::Zero,
            2 => StencilOperation::Replace,
            3 => StencilOperation::IncrementAndClamp,
            4 => StencilOperation::DecrementAndClamp,
            5 => StencilOperation::IncrementAndWrap,
            6 => StencilOperation::DecrementAndWrap,
            _ => StencilOperation::Invert,
        }
    }

    /// New value of a stencil.
    #[must_use]
    pub fn apply(self, stored: u8, reference: u8) -> u8 {
        match self {
            StencilOperation::Keep => stored,
            StencilOperation::Zero => 0,
            StencilOperation::Replace => reference,
            StencilOperation::IncrementAndClamp => stored.saturating_add(1),
            StencilOperation::DecrementAndClamp => stored.saturating_sub(1),
            StencilOperation::IncrementAndWrap => stored.wrapping_add(1),
            StencilOperation::DecrementAndWrap => stored.wrapping_sub(1),
            StencilOperation::Invert => !stored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORS: Colors = Colors {
        source: [0.5, 0.25, 1.0, 0.5],
        second: [0.25; 4],
        destination: [1.0, 0.5, 0.0, 0.25],
        constant: [0.75, 0.5, 0.25, 0.125],
    };

    /// The equation of three numbers.
    fn equation(source: u64, destination: u64, function: u64) -> Equation {
        Equation {
            source: Factor::of(source),
            destination: Factor::of(destination),
            function: Function::of(function),
        }
    }

    #[test]
    fn transparency() {
        let over = equation(3, 19, 0);
        assert_eq!(blend(over, over, &COLORS), Some([0.75, 0.375, 0.5, 0.375]));
        let keep = equation(17, 1, 0);
        assert_eq!(blend(keep, keep, &COLORS), Some(COLORS.destination));
    }

    #[test]
    fn functions_and_factors() {
        let one = |function| blend(equation(1, 1, function), equation(1, 1, function), &COLORS);
        assert_eq!(one(1), Some([-0.5, -0.25, 1.0, 0.25]));
        assert_eq!(one(2), Some([0.5, 0.25, -1.0, -0.25]));
        assert_eq!(one(3), Some([0.5, 0.25, 0.0, 0.25]));
        assert_eq!(one(4), Some([1.0, 0.5, 1.0, 0.5]));
        assert_eq!(one(5), None);
        // Saturated alpha, constant color, second color.
        let mixed = blend(equation(6, 17, 0), equation(7, 25, 0), &COLORS);
        assert_eq!(mixed, Some([0.25, 0.125, 0.5, 0.0625 + 0.1875]));
        assert_eq!(blend(equation(22, 1, 0), equation(1, 1, 0), &COLORS), None);
        let with_meaning: Vec<u64> = (0..32).filter(|n| Factor::of(*n).is_some()).collect();
        let expected: Vec<u64> = (1..=10).chain(17..=21).chain(23..=26).collect();
        assert_eq!(with_meaning, expected);
    }

    #[test]
    fn logic_operations_have_their_truth_tables() {
        // Source 0011, destination 0101.
        let table = |operation| logic(operation, 0b0011, 0b0101) & 0xf;
        let expected = [
            0b0000, 0b1000, 0b0100, 0b1100, 0b0010, 0b1010, 0b0110, 0b1110, 0b0001, 0b1001, 0b0101,
            0b1101, 0b0011, 0b1011, 0b0111, 0b1111,
        ];
        assert!((0..16).map(table).eq(expected));
    }

    #[test]
    fn stencil_operations() {
        let all =
            |stored| [0, 1, 2, 3, 4, 5, 6, 7].map(|n| StencilOperation::of(n).apply(stored, 9));
        assert_eq!(all(255), [255, 0, 9, 255, 254, 0, 254, 0]);
        assert_eq!(all(0), [0, 0, 9, 1, 0, 1, 255, 255]);
    }

    #[test]
    fn comparisons() {
        let all =
            |new, stored| (0..8).map(move |n| u8::from(Comparison::of(n).passes(new, stored)));
        assert!(all(1, 2).eq([1, 0, 1, 0, 1, 0, 1, 0]));
        assert!(all(2, 2).eq([1, 0, 0, 1, 1, 0, 0, 1]));
        assert!(all(3, 2).eq([1, 0, 0, 0, 0, 1, 1, 1]));
    }
}
