//! Random expressions of `int`, `uint` and their vectors.

use program::types::{Scalar, TypeId};

use super::defects::Defect;
use super::generator::{Generator, Helper};
use super::names::vector_of;

impl Generator {
    /// Returns an operator or built-in function with a result of type `int`, `uint` or a vector of
    /// one.
    pub(super) fn integer(&mut self, ty: TypeId, depth: usize) -> String {
        let Some((scalar, rows)) = vector_of(&self.types, ty) else { return self.literal(ty) };
        let inner = depth - 1;
        let suffix = if scalar == Scalar::Uint { "u" } else { "" };
        match self.random.below(24) {
            0..=2 => self.binary(ty, scalar, "+", inner),
            3..=4 => self.binary(ty, scalar, "-", inner),
            5..=7 => self.binary(ty, scalar, "*", inner),
            8..=9 => {
                let operator = self.random.pick(&["&", "|", "^"]);
                self.binary(ty, scalar, operator, inner)
            }
            10 => {
                let operator = self.random.pick(&["<<", ">>"]);
                let (a, b) = (self.operand(ty, inner), self.operand(ty, inner));
                format!("({a} {operator} ({b} & 31{suffix}))")
            }
            11 => {
                let (operator, count) = (self.random.pick(&["<<", ">>"]), self.random.below(32));
                format!("({} {operator} {count})", self.operand(ty, inner))
            }
            12 => {
                let operator = self.random.pick(&["~", "-"]);
                format!("({operator}{})", self.operand(ty, inner))
            }
            13..=14 if rows == 1 => self.guarded_division(ty, scalar, inner),
            13..=15 => self.known_division(ty, scalar, inner),
            16 => {
                let function = self.random.pick(&["min", "max"]);
                let (a, b) = (self.operand(ty, inner), self.operand_or_scalar(ty, scalar, inner));
                format!("{function}({a}, {b})")
            }
            17 => format!(
                "clamp({}, {}{suffix}, {}{suffix})",
                self.operand(ty, inner),
                self.random.pick(&[0, 5]),
                self.random.pick(&[7, 1000, 0x7fff_ffff])
            ),
            18 => self.bit_function(ty, scalar, rows, inner),
            19 => self.bit_field(ty, rows, inner),
            20 => self.packed(ty, scalar, rows, inner),
            21 => self.real_bits(scalar, rows, inner),
            _ => self.converted(ty, inner),
        }
    }

    fn operand_or_scalar(&mut self, ty: TypeId, scalar: Scalar, depth: usize) -> String {
        let ty = if self.random.chance(20) { self.scalar(scalar) } else { ty };
        self.operand(ty, depth)
    }

    fn binary(&mut self, ty: TypeId, scalar: Scalar, operator: &str, depth: usize) -> String {
        let (a, b) = (self.operand(ty, depth), self.operand_or_scalar(ty, scalar, depth));
        match operator {
            "*" => format!("({} * {})", self.factor(scalar, a), self.factor(scalar, b)),
            _ => format!("({a} {operator} {b})"),
        }
    }

    /// Returns a factor, without its sign if negative ones are left out.
    pub(super) fn factor(&self, scalar: Scalar, text: String) -> String {
        if !self.avoids(Defect::NegativeFactor) {
            return text;
        }
        let suffix = if scalar == Scalar::Uint { "u" } else { "" };
        format!("({text} & 0x7fffffff{suffix})")
    }

    fn guarded_division(&mut self, ty: TypeId, scalar: Scalar, depth: usize) -> String {
        let (name, helper) = if self.random.chance(50) {
            ("quotient", Helper::Quotient(scalar))
        } else {
            ("remainder", Helper::Remainder(scalar))
        };
        self.helpers.insert(helper);
        let (a, b) = (self.operand(ty, depth), self.operand(ty, depth));
        format!("{name}({a}, {b})")
    }

    /// Returns a division by a constant; the remainder only of non-negative operands.
    fn known_division(&mut self, ty: TypeId, scalar: Scalar, depth: usize) -> String {
        let a = self.operand(ty, depth);
        let all = ["2u", "3u", "7u", "16u", "1000u", "0x80000001u", "0xffffffffu"];
        let unsigned = if self.avoids(Defect::SignOfUnsigned) { &all[..5] } else { &all };
        match scalar {
            Scalar::Uint => {
                format!("({a} {} {})", self.random.pick(&["/", "%"]), self.random.pick(unsigned))
            }
            _ if self.random.chance(50) => {
                format!(
                    "({a} / {})",
                    self.random.pick(&["2", "3", "7", "(-5)", "16", "1000", "(-8)", "0x7fffffff"])
                )
            }
            _ => format!(
                "(({a} & 0x7fffffff) % {})",
                self.random.pick(&["3", "7", "16", "1000", "65537"])
            ),
        }
    }

    fn bit_function(&mut self, ty: TypeId, scalar: Scalar, rows: u8, depth: usize) -> String {
        if scalar == Scalar::Int && self.random.chance(35) {
            return format!("{}({})", self.random.pick(&["abs", "sign"]), self.operand(ty, depth));
        }
        let function = self.random.pick(&["bitCount", "findLSB", "findMSB", "bitfieldReverse"]);
        if function == "bitfieldReverse" {
            return format!("{function}({})", self.operand(ty, depth));
        }
        // These functions return an int for both types.
        let picked = self.random.pick(&[Scalar::Int, Scalar::Uint]);
        let is_defect = function == "findMSB" && self.avoids(Defect::FindMsbOfFloat);
        let from = self.vector(if is_defect { Scalar::Uint } else { picked }, rows);
        let operand = self.operand(from, depth);
        match scalar {
            Scalar::Int => format!("{function}({operand})"),
            _ => format!("{}({function}({operand}))", self.types.name(ty)),
        }
    }

    /// Returns `bitfieldExtract` or `bitfieldInsert` of fields inside the word.
    fn bit_field(&mut self, ty: TypeId, rows: u8, depth: usize) -> String {
        let int = self.scalar(Scalar::Int);
        let (offset, bits) = if rows == 1 && self.random.chance(50) {
            (format!("{} & 15", self.operand(int, 0)), format!("{} & 15", self.operand(int, 0)))
        } else {
            let offset = self.random.between(0, 32);
            (offset.to_string(), self.random.between(0, 32 - offset).to_string())
        };
        let base = self.operand(ty, depth);
        if self.random.chance(50) {
            return format!("bitfieldExtract({base}, {offset}, {bits})");
        }
        format!("bitfieldInsert({base}, {}, {offset}, {bits})", self.operand(ty, depth))
    }

    /// Returns an exact packing of a vector into one word.
    fn packed(&mut self, ty: TypeId, scalar: Scalar, rows: u8, depth: usize) -> String {
        if scalar != Scalar::Uint || rows != 1 {
            return self.converted(ty, depth);
        }
        match self.random.below(3) {
            0 => {
                let pair = self.vector(Scalar::Float, 2);
                let operand = self.operand(pair, depth);
                format!("packHalf2x16({})", self.wrapped(pair, &operand))
            }
            1 => {
                let kind = self.random.pick(&["Unorm4x8", "Unorm2x16"]);
                format!("pack{kind}(unpack{kind}({}))", self.operand(ty, depth))
            }
            _ if self.doubles => {
                let double = self.scalar(Scalar::Double);
                let operand = self.operand(double, depth);
                let operand = self.wrapped(double, &operand);
                format!("unpackDouble2x32({operand}).{}", self.random.pick(&["x", "y"]))
            }
            _ => format!("packSnorm4x8(unpackSnorm4x8({} & 0x7f7f7f7fu))", self.operand(ty, depth)),
        }
    }

    /// Returns the bits of a float.
    fn real_bits(&mut self, scalar: Scalar, rows: u8, depth: usize) -> String {
        let function = if scalar == Scalar::Int { "floatBitsToInt" } else { "floatBitsToUint" };
        let float = self.vector(Scalar::Float, rows);
        let operand = self.operand(float, depth);
        format!("{function}({})", self.wrapped(float, &operand))
    }
}
