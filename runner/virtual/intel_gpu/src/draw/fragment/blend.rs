//! Blending, logic operations, comparisons and stencil operations, as pure functions.

/// Factors and function of one equation, by the numbers of the hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Equation {
    pub(crate) source: u64,
    pub(crate) destination: u64,
    pub(crate) function: u64,
}

/// Colors that blending reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colors {
    pub(crate) source: [f32; 4],
    pub(crate) second: [f32; 4],
    pub(crate) destination: [f32; 4],
    pub(crate) constant: [f32; 4],
}

/// Blends: `color` for red, green and blue, `alpha` for alpha. `None` for reserved numbers.
pub(crate) fn blend(color: Equation, alpha: Equation, colors: &Colors) -> Option<[f32; 4]> {
    let mut result = [0.0; 4];
    for (i, value) in result.iter_mut().enumerate() {
        let equation = if i == 3 { alpha } else { color };
        let (source, destination) = (colors.source[i], colors.destination[i]);
        let weighted = |value: f32, number| Some(value * factor(number, i, colors)?);
        *value = match equation.function {
            0 => weighted(source, equation.source)? + weighted(destination, equation.destination)?,
            1 => weighted(source, equation.source)? - weighted(destination, equation.destination)?,
            2 => weighted(destination, equation.destination)? - weighted(source, equation.source)?,
            3 => source.min(destination),
            4 => source.max(destination),
            _ => return None,
        };
    }
    Some(result)
}

/// A blend factor for component `i`.
fn factor(number: u64, i: usize, colors: &Colors) -> Option<f32> {
    let Colors { source, second, destination, constant } = colors;
    let positive = match number & 0xf {
        1 => 1.0,
        2 => source[i],
        3 => source[3],
        4 => destination[3],
        5 => destination[i],
        6 if i == 3 => 1.0,
        6 => source[3].min(1.0 - destination[3]),
        7 => constant[i],
        8 => constant[3],
        9 => second[i],
        10 => second[3],
        _ => return None,
    };
    match number {
        1..=10 => Some(positive),
        17..=21 | 23..=26 => Some(1.0 - positive),
        _ => None,
    }
}

/// A logic operation on bits, by its number.
pub(crate) fn logic(operation: u64, source: u8, destination: u8) -> u8 {
    let (s, d) = (source, destination);
    match operation & 0xf {
        0 => 0,
        1 => !(s | d),
        2 => !s & d,
        3 => !s,
        4 => s & !d,
        5 => !d,
        6 => s ^ d,
        7 => !(s & d),
        8 => s & d,
        9 => !(s ^ d),
        10 => d,
        11 => !s | d,
        12 => s,
        13 => s | !d,
        14 => s | d,
        _ => u8::MAX,
    }
}

/// True if `new` passes a comparison with `stored`.
pub(crate) fn passes<T: PartialOrd>(function: u64, new: T, stored: T) -> bool {
    match function {
        0 => true,
        1 => false,
        2 => new < stored,
        3 => new == stored,
        4 => new <= stored,
        5 => new > stored,
        6 => new != stored,
        _ => new >= stored,
    }
}

/// A stencil operation.
pub(crate) fn stencil(operation: u64, stored: u8, reference: u8) -> u8 {
    match operation {
        0 => stored,
        1 => 0,
        2 => reference,
        3 => stored.saturating_add(1),
        4 => stored.saturating_sub(1),
        5 => stored.wrapping_add(1),
        6 => stored.wrapping_sub(1),
        _ => !stored,
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

    #[test]
    fn transparency() {
        let over = Equation { source: 3, destination: 19, function: 0 };
        assert_eq!(blend(over, over, &COLORS), Some([0.75, 0.375, 0.5, 0.375]));
        let keep = Equation { source: 17, destination: 1, function: 0 };
        assert_eq!(blend(keep, keep, &COLORS), Some(COLORS.destination));
    }

    #[test]
    fn functions_and_factors() {
        let equation = |source, destination, function| Equation { source, destination, function };
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
        let all = |stored| [0, 1, 2, 3, 4, 5, 6, 7].map(|operation| stencil(operation, stored, 9));
        assert_eq!(all(255), [255, 0, 9, 255, 254, 0, 254, 0]);
        assert_eq!(all(0), [0, 0, 9, 1, 0, 1, 255, 255]);
    }

    #[test]
    fn comparisons() {
        let all = |new, stored| (0..8).map(move |function| u8::from(passes(function, new, stored)));
        assert!(all(1, 2).eq([1, 0, 1, 0, 1, 0, 1, 0]));
        assert!(all(2, 2).eq([1, 0, 0, 1, 1, 0, 0, 1]));
        assert!(all(3, 2).eq([1, 0, 0, 0, 0, 1, 1, 1]));
    }
}
