//! Random expressions without side effects.

use super::super::operand::Ty;
use super::vocabulary::{is_real, literals, suffix, width};
use super::{Generator, Variable, is_matrix, scalar, vector};

impl Generator<'_> {
    /// An index below `length`.
    pub(super) fn index(&mut self, length: usize) -> String {
        match self.rng.below(4) {
            0 | 1 => self.rng.below(length).to_string(),
            2 if length.is_power_of_two() => {
                format!("({}) & {}", self.leaf(scalar('I')), length - 1)
            }
            _ => format!("uint({}) % {length}u", self.leaf(scalar('I'))),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(8) {
            0 => "(px & 1) != 0".into(),
            1 => "(py & 1) == 0".into(),
            2 => format!("px % 3 == {}", self.rng.below(3)),
            3 => "((px ^ py) & 1) == 0".into(),
            _ => self.expression(scalar('B'), depth),
        }
    }

    /// An expression without side effects.
    pub(super) fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.rng.one_in(4) {
            return self.leaf(ty);
        }
        let d = depth - 1;
        if self.rng.one_in(7) {
            let condition = self.condition(d);
            return format!(
                "({condition} ? {} : {})",
                self.expression(ty, d),
                self.expression(ty, d)
            );
        }
        if is_matrix(ty) {
            return match self.rng.below(3) {
                0 => format!("({} + {})", self.expression(ty, d), self.expression(ty, d)),
                1 => format!(
                    "matrixCompMult({}, {})",
                    self.expression(ty, d),
                    self.expression(ty, d)
                ),
                _ => format!(
                    "transpose({})",
                    self.leaf(Ty { columns: ty.rows, rows: ty.columns, ..ty })
                ),
            };
        }
        if ty.rows > 1 && self.rng.one_in(4) {
            let count = ty.rows;
            let parts: Vec<String> =
                (0..count).map(|_| self.expression(scalar(ty.scalar), d)).collect();
            return format!("{}({})", ty.name(), parts.join(", "));
        }
        match ty.scalar {
            letter if is_real(letter) => self.real(ty, d),
            'B' => self.truth(ty, d),
            _ => self.integer(ty, d),
        }
    }

    fn real(&mut self, ty: Ty, d: usize) -> String {
        let a = self.expression(ty, d);
        match self.rng.below(16) {
            0..=2 => format!("({a} + {})", self.expression(ty, d)),
            3..=4 => format!("({a} - {})", self.expression(ty, d)),
            5..=7 => format!("({a} * {})", self.expression(ty, d)),
            8 => format!("(- {a})"),
            9 => format!("abs({a})"),
            10 => {
                let function = self.rng.pick(&["floor", "ceil", "trunc", "roundEven"]);
                format!("{function}({a})")
            }
            11 => {
                let function = self.rng.pick(&["min", "max"]);
                format!("{function}({a}, {})", self.expression(ty, d))
            }
            12 => {
                let from = Ty { scalar: self.rng.pick(self.vocabulary.countable()), ..ty };
                format!("{}({})", ty.name(), self.expression(from, d))
            }
            13 => {
                let others = self.vocabulary.other_reals(ty.scalar);
                // A single one costs no random number.
                let letter = if let [only] = others { *only } else { self.rng.pick(others) };
                let from = Ty { scalar: letter, ..ty };
                format!("{}({})", ty.name(), self.expression(from, d))
            }
            14 => self.blend(&a, ty, d),
            _ => format!(
                "clamp({a}, {}, {})",
                self.typed_literal(ty, "-2.0"),
                self.typed_literal(ty, "3.5")
            ),
        }
    }

    /// Components of two values by a boolean vector.
    fn blend(&mut self, a: &str, ty: Ty, d: usize) -> String {
        let selector = self.expression(Ty { scalar: 'B', ..ty }, d);
        format!("mix({a}, {}, {selector})", self.expression(ty, d))
    }

    fn typed_literal(&mut self, ty: Ty, text: &str) -> String {
        format!("{}({text}{})", ty.name(), suffix(ty.scalar))
    }

    fn integer(&mut self, ty: Ty, d: usize) -> String {
        let a = self.expression(ty, d);
        let one = ty.rows == 1;
        // The bit-field functions have no 16-bit forms.
        let kinds = if width(ty.scalar) == 16 { 15 } else { 18 };
        match self.rng.below(kinds) {
            0..=1 => format!("({a} + {})", self.expression(ty, d)),
            2 => format!("({a} - {})", self.expression(ty, d)),
            3..=4 => format!("({a} * {})", self.expression(ty, d)),
            5 => format!("({a} & {})", self.expression(ty, d)),
            6 => format!("({a} | {})", self.expression(ty, d)),
            7 => format!("({a} ^ {})", self.expression(ty, d)),
            8 => format!(
                "({a} {} ({} & {}{}))",
                self.rng.pick(&["<<", ">>"]),
                self.expression(ty, d),
                width(ty.scalar) - 1,
                suffix(ty.scalar)
            ),
            9 => format!("({} {a})", self.rng.pick(&["~", "-"])),
            10 if one => {
                let function = self.rng.pick(&["quotient", "remainder"]);
                format!("{function}({a}, {})", self.expression(ty, d))
            }
            11 if one => {
                let function = match ty.scalar {
                    'I' => "whole",
                    'U' => "natural",
                    'S' => "short_whole",
                    _ => "short_natural",
                };
                let from = scalar(self.rng.pick(self.vocabulary.reals()));
                format!("{function}({})", self.leaf(from))
            }
            12 => {
                let from = Ty { scalar: self.rng.pick(self.vocabulary.countable()), ..ty };
                format!("{}({})", ty.name(), self.expression(from, d))
            }
            13 => {
                let function = self.rng.pick(&["min", "max"]);
                format!("{function}({a}, {})", self.expression(ty, d))
            }
            14 if ty.scalar == 'I' => {
                let function = self.rng.pick(&[
                    "abs",
                    "sign",
                    "bitCount",
                    "findMSB",
                    "findLSB",
                    "bitfieldReverse",
                ]);
                format!("{function}({a})")
            }
            14 if ty.scalar == 'S' => format!("{}({a})", self.rng.pick(&["abs", "sign"])),
            15 => format!("bitfieldExtract({a}, {}, {})", self.rng.below(16), self.rng.below(17)),
            16 => self.blend(&a, ty, d),
            _ if kinds == 15 => self.blend(&a, ty, d),
            _ => format!(
                "bitfieldInsert({a}, {}, {}, {})",
                self.expression(ty, d),
                self.rng.below(16),
                self.rng.below(17)
            ),
        }
    }

    fn truth(&mut self, ty: Ty, d: usize) -> String {
        if ty.rows > 1 {
            let of = Ty { scalar: self.rng.pick(self.vocabulary.compared()), ..ty };
            let function = self.rng.pick(&["lessThan", "greaterThanEqual", "equal", "notEqual"]);
            return match self.rng.below(3) {
                0 => format!("not({})", self.expression(ty, d)),
                // Operands of float comparisons are not part of a precise variable: nothing that
                // could be fused.
                _ => format!("{function}({}, {})", self.leaf(of), self.leaf(of)),
            };
        }
        let size = 2 + self.rng.below(3);
        match self.rng.below(8) {
            0 => format!("(!{})", self.expression(ty, d)),
            1 => format!("({} && {})", self.expression(ty, d), self.expression(ty, d)),
            2 => format!("({} || {})", self.expression(ty, d), self.expression(ty, d)),
            3 => format!("({} ^^ {})", self.expression(ty, d), self.expression(ty, d)),
            4 => {
                let function = self.rng.pick(&["any", "all"]);
                format!("{function}({})", self.expression(vector('B', size), d))
            }
            5 => {
                let of = self.any_type();
                let op = self.rng.pick(&["==", "!="]);
                format!("({} {op} {})", self.leaf(of), self.leaf(of))
            }
            _ => {
                let letter = self.rng.pick(self.vocabulary.compared());
                let op = self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
                format!("({} {op} {})", self.leaf(scalar(letter)), self.leaf(scalar(letter)))
            }
        }
    }

    /// A variable, a part of one, or a literal.
    fn leaf(&mut self, ty: Ty) -> String {
        if self.rng.one_in(5) {
            return self.literal(ty);
        }
        let candidates: Vec<Variable> = self
            .variables
            .iter()
            .filter(|v| v.ty.scalar == ty.scalar)
            .filter(|v| v.ty == ty || !is_matrix(ty) && v.ty.rows >= ty.rows.min(2))
            .cloned()
            .collect();
        if candidates.is_empty() {
            return self.literal(ty);
        }
        let v = &candidates[self.rng.below(candidates.len())];
        let mut name = v.name.clone();
        if let Some(length) = v.array {
            // Indices inside indices end here.
            let index = match self.rng.below(3) {
                0 => self.rng.below(length).to_string(),
                1 => format!("px % {length}"),
                _ => format!("uint({}) % {length}u", self.plain_int()),
            };
            name = format!("{name}[{index}]");
        }
        if v.ty == ty {
            return name;
        }
        if is_matrix(v.ty) {
            let column = if self.rng.one_in(2) {
                self.rng.below(v.ty.columns).to_string()
            } else {
                "px & 1".into()
            };
            name = format!("{name}[{column}]");
        }
        if v.ty.rows == ty.rows && v.ty.rows > 1 && is_matrix(v.ty) {
            return name;
        }
        if v.ty.rows == 1 {
            return format!("{}({name})", ty.name());
        }
        if ty.rows == 1 && self.rng.one_in(3) {
            return format!("{name}[uint({}) % {}u]", self.plain_int(), v.ty.rows);
        }
        let swizzle: String =
            (0..ty.rows).map(|_| ['x', 'y', 'z', 'w'][self.rng.below(v.ty.rows)]).collect();
        format!("{name}.{swizzle}")
    }

    /// A scalar integer variable.
    fn plain_int(&mut self) -> String {
        let ints: Vec<String> = self
            .variables
            .iter()
            .filter(|v| v.ty == scalar('I') && v.array.is_none())
            .map(|v| v.name.clone())
            .collect();
        if ints.is_empty() { "px".into() } else { ints[self.rng.below(ints.len())].clone() }
    }

    fn literal(&mut self, ty: Ty) -> String {
        let one = self.rng.pick(literals(ty.scalar));
        if ty.components() == 1 { one.to_string() } else { format!("{}({one})", ty.name()) }
    }
}
