//! Random expressions of a given type, without side effects and undefined results.

use program::types::{Scalar, TypeId};

use super::defects::Defect;
use super::generator::{Generator, Helper};
use super::names::{self, elements, vector_of};
use super::real::{Bits, Real, literal};

/// Integer literals: ends of ranges, powers of two and their neighbors, small numbers.
const INTEGERS: [u32; 26] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    100,
    255,
    256,
    1000,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x4000_0000,
    123_456_789,
    0x7fff_fffe,
    0x7fff_ffff,
];

/// Floating-point literals.
const REALS: [f64; 16] =
    [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, -2.5, 4.0, 7.25, 10.0, -16.0, 100.0, 0.125, -0.375, -77.5];

impl Generator {
    /// Returns a new expression, at most `depth` operators deep.
    pub(super) fn expression(&mut self, ty: TypeId, depth: usize) -> String {
        self.operators = self.random.between(2, 24);
        self.operand(ty, depth)
    }

    /// Returns a part of an expression; floating-point values are within the range of variables.
    pub(super) fn operand(&mut self, ty: TypeId, depth: usize) -> String {
        if elements(&self.types, ty).is_some() || self.types.members(ty).is_some() {
            return self.aggregate(ty, depth);
        }
        if depth == 0 || self.operators == 0 || self.random.chance(12) {
            return self.leaf(ty);
        }
        self.operators -= 1;
        let scalar = self.types.scalar_of(ty).unwrap_or(Scalar::Int);
        match self.random.below(100) {
            0..=5 => return self.selection(ty, depth),
            6..=7 => return self.element_of_constructor(ty, depth),
            8..=17 if vector_of(&self.types, ty).is_some_and(|(_, rows)| rows > 1) => {
                return self.vector_constructor(ty, depth);
            }
            _ => {}
        }
        match (scalar, vector_of(&self.types, ty)) {
            (Scalar::Bool, Some((_, 1))) => self.condition(depth),
            (Scalar::Bool, _) => self.condition_vector(ty, depth),
            (Scalar::Int | Scalar::Uint, _) => self.integer(ty, depth),
            _ => {
                let real = self.real(ty, depth);
                self.stored(ty, real)
            }
        }
    }

    fn leaf(&mut self, ty: TypeId) -> String {
        let place = if self.random.chance(80) { self.place(ty, false, &[]) } else { None };
        place.unwrap_or_else(|| self.literal(ty))
    }

    /// Returns a constant expression.
    pub(super) fn literal(&mut self, ty: TypeId) -> String {
        if let Some(parts) = self.part_types(ty) {
            let parts: Vec<String> = parts.into_iter().map(|part| self.literal(part)).collect();
            return format!("{}({})", self.types.name(ty), parts.join(", "));
        }
        let scalar = self.types.scalar_of(ty).unwrap_or(Scalar::Int);
        let count = match self.types.components(ty) {
            1 => return self.scalar_literal(scalar),
            count if self.random.chance(30) => {
                let avoided =
                    self.types.shape(ty) == Some((4, 2)) && self.avoids(Defect::MatrixFromScalar);
                if avoided { count } else { 1 }
            }
            count => count,
        };
        let parts: Vec<String> = (0..count).map(|_| self.scalar_literal(scalar)).collect();
        format!("{}({})", self.types.name(ty), parts.join(", "))
    }

    fn scalar_literal(&mut self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Bool => self.random.pick(&["true", "false"]).to_owned(),
            Scalar::Int => {
                let value = self.random.pick(&INTEGERS);
                match self.random.below(4) {
                    0 => format!("(-{value})"),
                    1 => format!("{value:#x}"),
                    2 if value == 0 => "(-2147483647 - 1)".to_owned(),
                    _ => value.to_string(),
                }
            }
            Scalar::Uint => {
                let value = self.random.pick(&INTEGERS);
                match self.random.below(4) {
                    0 => format!("{:#x}u", !value),
                    1 => format!("{value:#x}u"),
                    _ => format!("{value}u"),
                }
            }
            _ => literal(scalar, self.random.pick(&REALS)),
        }
    }

    /// Returns the types of an array's elements or a structure's members.
    fn part_types(&self, ty: TypeId) -> Option<Vec<TypeId>> {
        if let Some((element, length)) = elements(&self.types, ty) {
            return Some(vec![element; length]);
        }
        Some(self.types.members(ty)?.iter().map(|member| member.ty).collect())
    }

    fn aggregate(&mut self, ty: TypeId, depth: usize) -> String {
        let place = if self.random.chance(75) { self.place(ty, false, &[]) } else { None };
        if let Some(place) = place {
            return place;
        }
        let is_struct = self.types.members(ty).is_some();
        if is_struct && depth > 0 && self.random.chance(15) {
            return self.selection(ty, 1);
        }
        let parts = self.part_types(ty).unwrap_or_default();
        let parts: Vec<String> =
            parts.into_iter().map(|part| self.operand(part, depth.saturating_sub(2))).collect();
        format!("{}({})", self.types.name(ty), parts.join(", "))
    }

    fn selection(&mut self, ty: TypeId, depth: usize) -> String {
        let bool = self.scalar(Scalar::Bool);
        let (condition, a, b) = (
            self.operand(bool, depth - 1),
            self.operand(ty, depth - 1),
            self.operand(ty, depth - 1),
        );
        format!("({condition} ? {a} : {b})")
    }

    /// Returns `int[3](a, b, c)[i]`.
    fn element_of_constructor(&mut self, ty: TypeId, depth: usize) -> String {
        let length = self.random.between(2, 4);
        let array = names::array(&mut self.types, ty, length);
        let parts: Vec<String> =
            (0..length).map(|_| self.operand(ty, depth.saturating_sub(2))).collect();
        let index = self.index_of(length, ty, false);
        format!("{}({})[{index}]", self.types.name(array), parts.join(", "))
    }

    /// Returns a vector constructed from parts, some of them converted.
    fn vector_constructor(&mut self, ty: TypeId, depth: usize) -> String {
        let Some((scalar, rows)) = vector_of(&self.types, ty) else { return self.leaf(ty) };
        let (mut left, mut parts) = (rows, Vec::new());
        while left > 0 {
            let rows = self.random.between(1, usize::from(left)) as u8;
            let part = self.vector(scalar, rows);
            let text = if self.random.chance(80) {
                self.operand(part, depth - 1)
            } else {
                self.converted(part, depth - 1)
            };
            parts.push(text);
            left -= rows;
        }
        format!("{}({})", self.types.name(ty), parts.join(", "))
    }

    /// Returns a scalar or vector converted from another type, with a defined result.
    pub(super) fn converted(&mut self, ty: TypeId, depth: usize) -> String {
        let Some((scalar, rows)) = vector_of(&self.types, ty) else { return self.leaf(ty) };
        match scalar {
            Scalar::Bool => {
                let from = self.number();
                let from = self.vector(from, rows);
                format!("{}({})", self.types.name(ty), self.operand(from, depth))
            }
            Scalar::Int | Scalar::Uint => self.converted_integer(ty, scalar, rows, depth),
            _ => {
                let real = self.converted_real(ty, scalar, rows, depth);
                self.stored(ty, real)
            }
        }
    }

    fn converted_integer(&mut self, ty: TypeId, scalar: Scalar, rows: u8, depth: usize) -> String {
        let name = self.types.name(ty);
        let other = if scalar == Scalar::Int { Scalar::Uint } else { Scalar::Int };
        let loses_sign = other == Scalar::Uint && self.avoids(Defect::SignOfUnsigned);
        let from = match self.random.below(10) {
            0..=3 if loses_sign => Scalar::Bool,
            0..=3 => other,
            4..=5 => Scalar::Bool,
            6..=7 if self.doubles => Scalar::Double,
            _ => Scalar::Float,
        };
        let from = self.vector(from, rows);
        let operand = self.operand(from, depth);
        let negative =
            self.types.scalar_of(from).is_some_and(Scalar::is_float) && scalar == Scalar::Uint;
        match negative {
            true if self.random.chance(50) => {
                let zero = literal(self.types.scalar_of(from).unwrap_or(Scalar::Float), 0.0);
                format!("{name}(max({operand}, {zero}))")
            }
            true => format!("{name}(abs({operand}))"),
            false => format!("{name}({operand})"),
        }
    }

    /// Returns a floating-point value from an integer, a `bool` or the other floating-point type.
    pub(super) fn converted_real(
        &mut self,
        ty: TypeId,
        scalar: Scalar,
        rows: u8,
        depth: usize,
    ) -> Real {
        let name = self.types.name(ty);
        let from = |scalar, this: &mut Self| {
            let ty = this.vector(scalar, rows);
            this.operand(ty, depth)
        };
        let (text, bits) = match self.random.below(10) {
            0..=2 => {
                let digits = self.random.pick(&[1, 3, 7, 10]);
                let mask = (1u32 << digits) - 1;
                (format!("{} & {mask}", from(Scalar::Int, self)), Bits::new(digits, 0))
            }
            3..=4 => (format!("{} >> 24", from(Scalar::Int, self)), Bits::new(7, 0)),
            5..=6 => (format!("{} >> 26u", from(Scalar::Uint, self)), Bits::new(6, 0)),
            7 => (from(Scalar::Bool, self), Bits::new(0, 0)),
            8 if scalar == Scalar::Double => (from(Scalar::Int, self), Bits::new(31, 0)),
            _ if scalar == Scalar::Double => {
                (from(Scalar::Float, self), Bits::stored(Scalar::Float))
            }
            _ if self.doubles => {
                let operand = from(Scalar::Double, self);
                (format!("floor({operand} * 8.0LF) * 0.125LF"), Bits::new(11, 3))
            }
            _ => (from(Scalar::Bool, self), Bits::new(0, 0)),
        };
        Real { text: format!("{name}({text})"), bits }
    }

    /// Returns a scalar type with arithmetic.
    pub(super) fn number(&mut self) -> Scalar {
        let all =
            [Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Float, Scalar::Float, Scalar::Double];
        let known = if self.doubles { &all[..] } else { &all[..5] };
        self.random.pick(known)
    }

    /// Reduces a value to the range of variables.
    pub(super) fn stored(&mut self, ty: TypeId, real: Real) -> String {
        let scalar = self.types.scalar_of(ty).unwrap_or(Scalar::Float);
        if real.bits.within(Bits::stored(scalar)) {
            return real.text;
        }
        self.wrapped(ty, &real.text)
    }

    /// Returns a call of `wrap`, whose result is never a negative zero.
    pub(super) fn wrapped(&mut self, ty: TypeId, text: &str) -> String {
        self.helpers.insert(Helper::Wrap(ty));
        if let (Some(scalar), Some((columns, rows))) =
            (self.types.scalar_of(ty), self.types.shape(ty))
            && columns > 1
        {
            let column = self.vector(scalar, rows);
            self.helpers.insert(Helper::Wrap(column));
        }
        format!("wrap({text})")
    }

    /// Returns a `bool`.
    fn condition(&mut self, depth: usize) -> String {
        let bool = self.scalar(Scalar::Bool);
        let inner = depth - 1;
        match self.random.below(14) {
            0 => format!("!({})", self.operand(bool, inner)),
            1..=3 => {
                let operator = self.random.pick(&["&&", "||", "^^"]);
                let (a, b) = (self.operand(bool, inner), self.operand(bool, inner));
                format!("({a} {operator} {b})")
            }
            4 => {
                let function = self.random.pick(&["any", "all"]);
                let rows = self.random.between(2, 4) as u8;
                let vector = self.vector(Scalar::Bool, rows);
                format!("{function}({})", self.operand(vector, inner))
            }
            5..=6 => {
                let ty = self.any_type(1);
                let operator = self.random.pick(&["==", "!="]);
                let (a, b) = (self.operand(ty, inner), self.operand(ty, inner));
                format!("({a} {operator} {b})")
            }
            7 => {
                let function = self.random.pick(&["isnan", "isinf"]);
                let real = if self.doubles && self.random.chance(50) {
                    Scalar::Double
                } else {
                    Scalar::Float
                };
                let real = self.scalar(real);
                format!("{function}({})", self.operand(real, inner))
            }
            _ => {
                let number = self.number();
                let ty = self.scalar(number);
                let operator = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                let (a, b) = (self.operand(ty, inner), self.operand(ty, inner));
                let (a, b) = (self.compared(number, a), self.compared(number, b));
                format!("({a} {operator} {b})")
            }
        }
    }

    /// Returns an operand of a comparison, which no difference has if the defect is avoided.
    fn compared(&self, scalar: Scalar, text: String) -> String {
        if !scalar.is_integer() || !self.avoids(Defect::ComparedDifference) {
            return text;
        }
        let suffix = if scalar == Scalar::Uint { "u" } else { "" };
        format!("({text} >> 1{suffix})")
    }

    /// Returns a `bvec`.
    fn condition_vector(&mut self, ty: TypeId, depth: usize) -> String {
        if self.random.chance(25) {
            return format!("not({})", self.operand(ty, depth - 1));
        }
        let number = self.number();
        let rows = self.types.components(ty);
        let operands = self.vector(number, rows);
        let function = self.random.pick(&[
            "lessThan",
            "lessThanEqual",
            "greaterThan",
            "greaterThanEqual",
            "equal",
            "notEqual",
        ]);
        let (a, b) = (self.operand(operands, depth - 1), self.operand(operands, depth - 1));
        let (a, b) = (self.compared(number, a), self.compared(number, b));
        format!("{function}({a}, {b})")
    }
}
