//! Random floating-point expressions, exact by construction: their values have so few digits that
//! no operation rounds, and where GLSL allows an error, rounding restores the exact result.

use program::types::{Scalar, TypeId};

use super::defects::Defect;
use super::generator::Generator;
use super::names::vector_of;
use super::real::{Bits, Real, literal};

impl Generator {
    /// Returns an operator or built-in function with a floating-point result.
    pub(super) fn real(&mut self, ty: TypeId, depth: usize) -> Real {
        match vector_of(&self.types, ty) {
            Some((scalar, rows)) => self.real_vector(ty, scalar, rows, depth),
            None => self.matrix(ty, depth),
        }
    }

    /// Returns an operand that may exceed the range of variables, for sums and products of long
    /// values.
    fn loose(&mut self, ty: TypeId, depth: usize) -> Real {
        if depth > 0 && self.operators > 0 && self.random.chance(60) {
            self.operators -= 1;
            return self.real(ty, depth);
        }
        self.tight(ty, depth)
    }

    /// Returns an operand within the range of variables.
    fn tight(&mut self, ty: TypeId, depth: usize) -> Real {
        let scalar = self.types.scalar_of(ty).unwrap_or(Scalar::Float);
        Real { text: self.operand(ty, depth), bits: Bits::stored(scalar) }
    }

    /// Returns an operation on two operands, which are shortened if the result would be inexact.
    fn combined(
        &mut self,
        types: [TypeId; 2],
        depth: usize,
        bits: impl Fn(Bits, Bits) -> Bits,
        text: impl Fn(&str, &str) -> String,
    ) -> Real {
        let scalar = self.types.scalar_of(types[0]).unwrap_or(Scalar::Float);
        let (mut a, mut b) = (self.loose(types[0], depth), self.loose(types[1], depth));
        if !bits(a.bits, b.bits).fit(scalar) {
            let stored = Bits::stored(scalar);
            a = Real { text: self.stored(types[0], a), bits: stored };
            b = Real { text: self.stored(types[1], b), bits: stored };
        }
        Real { text: text(&a.text, &b.text), bits: bits(a.bits, b.bits) }
    }

    fn sum(&mut self, types: [TypeId; 2], depth: usize) -> Real {
        let operator = self.random.pick(&["+", "-"]);
        self.combined(types, depth, |a, b| a.or(b).sum(1), |a, b| format!("({a} {operator} {b})"))
    }

    fn product(
        &mut self,
        types: [TypeId; 2],
        depth: usize,
        doublings: u32,
        format: impl Fn(&str, &str) -> String,
    ) -> Real {
        self.combined(types, depth, |a, b| a.times(b).sum(doublings), format)
    }

    fn real_vector(&mut self, ty: TypeId, scalar: Scalar, rows: u8, depth: usize) -> Real {
        let inner = depth - 1;
        let stored = Bits::stored(scalar);
        let other = if rows > 1 && self.random.chance(20) { self.scalar(scalar) } else { ty };
        match self.random.below(30) {
            0..=4 => self.sum([ty, other], inner),
            5..=8 => self.product([ty, other], inner, 0, |a, b| format!("({a} * {b})")),
            9..=10 => self.multiply_add(ty, other, inner),
            11 => {
                let a = self.loose(ty, inner);
                Real { text: format!("(-{})", a.text), ..a }
            }
            12..=13 => self.rounding(ty, scalar, inner),
            14 => {
                let function = self.random.pick(&["min", "max", "step"]);
                let (a, b) = (self.operand(ty, inner), self.operand(ty, inner));
                Real { text: format!("{function}({a}, {b})"), bits: stored }
            }
            15 => self.mixture(ty, scalar, rows, inner),
            16 => {
                let (low, high) = (literal(scalar, -3.0), literal(scalar, 5.5));
                Real {
                    text: format!("clamp({}, {low}, {high})", self.operand(ty, inner)),
                    bits: stored,
                }
            }
            17 => {
                let range = literal(scalar, self.random.pick(&[2.0, 8.0, 0.5]));
                Real { text: format!("mod({}, {range})", self.operand(ty, inner)), bits: stored }
            }
            18..=19 if rows == 1 => self.dot(scalar, inner),
            18 if rows == 3 => {
                let cross = |a: &str, b: &str| format!("cross({a}, {b})");
                self.product([ty, ty], inner, 1, cross)
            }
            18..=20 if rows > 1 => self.matrix_product(scalar, rows, inner),
            21 => self.scaled(ty, scalar, inner),
            22..=23 if rows == 1 => self.rounded_function(scalar, inner),
            24 if rows == 1 && scalar == Scalar::Float => self.of_bits(inner),
            25 => self.reflection(ty, scalar, rows, inner),
            _ => self.converted_real(ty, scalar, rows, inner),
        }
    }

    /// Returns `a * b + c` in one of its forms.
    fn multiply_add(&mut self, ty: TypeId, other: TypeId, depth: usize) -> Real {
        let form = self.random.below(4);
        let c = self.tight(ty, depth);
        self.combined(
            [ty, other],
            depth,
            |a, b| a.times(b).or(c.bits).sum(1),
            |a, b| match form {
                0 => format!("({a} * {b} + {})", c.text),
                1 if ty == other => format!("fma({a}, {b}, {})", c.text),
                2 => format!("({} - {a} * {b})", c.text),
                _ => format!("({a} * {b} - {})", c.text),
            },
        )
    }

    fn rounding(&mut self, ty: TypeId, scalar: Scalar, depth: usize) -> Real {
        let a = self.loose(ty, depth);
        let mut function = self.random.pick(&[
            "floor",
            "ceil",
            "trunc",
            "roundEven",
            "fract",
            "sign",
            "abs",
            "round",
        ]);
        let is_double = scalar == Scalar::Double;
        if function == "sign" && is_double && self.avoids(Defect::SignOfDouble) {
            function = "trunc";
        }
        let bits = match function {
            "fract" => Bits { whole: 0, ..a.bits },
            "abs" => a.bits,
            "sign" => Bits::new(0, 0),
            _ => Bits { fraction: 0, ..a.bits.sum(1) },
        };
        if function == "round" {
            // Ties may round either way: the values contain none.
            let (fraction, text) = (Bits::stored(scalar).fraction as i32, self.stored(ty, a));
            let shift = literal(scalar, 2f64.powi(-fraction - 1));
            return Real {
                text: format!("round({text} + {shift})"),
                bits: Bits { fraction: 0, ..Bits::stored(scalar) }.sum(1),
            };
        }
        Real { text: format!("{function}({})", a.text), bits }
    }

    fn mixture(&mut self, ty: TypeId, scalar: Scalar, rows: u8, depth: usize) -> Real {
        let (a, b) = (self.operand(ty, depth), self.operand(ty, depth));
        let stored = Bits::stored(scalar);
        if self.random.chance(50) {
            let bools = self.vector(Scalar::Bool, rows);
            return Real {
                text: format!("mix({a}, {b}, {})", self.operand(bools, depth)),
                bits: stored,
            };
        }
        let weight = literal(scalar, self.random.pick(&[0.0, 0.25, 0.5, 1.0]));
        let bits = Bits::new(stored.whole + 2, stored.fraction + 2);
        Real { text: format!("mix({a}, {b}, {weight})"), bits }
    }

    fn dot(&mut self, scalar: Scalar, depth: usize) -> Real {
        let rows = self.random.between(2, 4) as u8;
        let ty = self.vector(scalar, rows);
        self.product([ty, ty], depth, 2, |a, b| format!("dot({a}, {b})"))
    }

    /// Returns a product of a matrix and a vector, in either order.
    fn matrix_product(&mut self, scalar: Scalar, rows: u8, depth: usize) -> Real {
        let inner = self.random.between(2, 4) as u8;
        let vector = self.vector(scalar, inner);
        let times = |a: &str, b: &str| format!("({a} * {b})");
        if self.random.chance(50) {
            let matrix = self.types.matrix(scalar, inner, rows);
            return self.product([matrix, vector], depth, 2, times);
        }
        let matrix = self.types.matrix(scalar, rows, inner);
        self.product([vector, matrix], depth, 2, times)
    }

    /// Returns a product with a power of two.
    fn scaled(&mut self, ty: TypeId, scalar: Scalar, depth: usize) -> Real {
        let a = self.tight(ty, depth);
        let exponent = self.random.between(0, 4) as i32 - 2;
        let bits = Bits::new(
            a.bits.whole + exponent.max(0).unsigned_abs(),
            a.bits.fraction + exponent.min(0).unsigned_abs(),
        );
        let avoided = scalar == Scalar::Double && self.avoids(Defect::LdexpDoubleZero);
        let text = match self.types.components(ty) {
            1 if !avoided => format!("ldexp({}, {exponent})", a.text),
            _ => format!("({} * {})", a.text, literal(scalar, 2f64.powi(exponent))),
        };
        Real { text, bits }
    }

    /// Returns an inexact function whose exact result is known to be a multiple of some number,
    /// rounded to that number.
    fn rounded_function(&mut self, scalar: Scalar, depth: usize) -> Real {
        let (int, ty) = (self.scalar(Scalar::Int), self.scalar(scalar));
        let number = |value| literal(scalar, value);
        let name = self.types.name(ty);
        let half = &number(0.5);
        let stored = Bits::stored(scalar);
        let (up, down) = (
            number(2f64.powi(stored.fraction as i32)),
            number(2f64.powi(-(stored.fraction as i32))),
        );
        // None of the rounded values is negative.
        let avoided = scalar == Scalar::Double && self.avoids(Defect::DoubleFloorSum);
        let floor = if avoided { "trunc" } else { "floor" };
        let nearest = |text: String| format!("{floor}({text} + {half})");
        // The other functions take floats only.
        let choice =
            if scalar == Scalar::Float { self.random.below(7) } else { self.random.below(3) };
        if choice == 0 {
            let x = self.place(ty, false, &[]).unwrap_or_else(|| number(7.25));
            let text = self.random.pick(&[
                "sqrt({} * {})",
                "length({v}({}, 0.0))",
                "distance({v}(0.0, {}), {v}(0.0))",
            ]);
            let vector = if scalar == Scalar::Double { "dvec2" } else { "vec2" };
            let text = text.replace("{v}", vector).replace("{}", &x);
            return Real {
                text: format!("({} * {down})", nearest(format!("{text} * {up}"))),
                bits: stored,
            };
        }
        let i = self.operand(int, depth);
        let (text, whole) = match choice {
            1 => {
                let divisor = format!("{name}(({} & 15) + 1)", self.operand(int, depth));
                (format!("{floor}(({name}({i} & 255) + {half}) / {divisor})"), 8)
            }
            2 => {
                (nearest(format!("inversesqrt({name}(1 << (({i} & 3) * 2))) * {}", number(8.0))), 3)
            }
            3 => (nearest(format!("exp2(float({i} & 7))")), 7),
            4 => (nearest(format!("log2(float(1 << ({i} & 15)))")), 4),
            5 => (nearest(format!("pow(2.0, float({i} & 7))")), 7),
            _ => {
                let kind =
                    self.random.pick(&[("unpackUnorm4x8", "255.0"), ("unpackSnorm4x8", "127.0")]);
                (
                    nearest(format!(
                        "{}(uint({i})).{} * {}",
                        kind.0,
                        self.random.pick(&["x", "y", "z", "w"]),
                        kind.1
                    )),
                    8,
                )
            }
        };
        Real { text, bits: Bits::new(whole, 0) }
    }

    /// Returns a float from bits with few digits.
    fn of_bits(&mut self, depth: usize) -> Real {
        let (int, uint) = (self.scalar(Scalar::Int), self.scalar(Scalar::Uint));
        match self.random.below(3) {
            0 => {
                let text = format!(
                    "intBitsToFloat(({} & 127) << 16 | 0x3f800000)",
                    self.operand(int, depth)
                );
                Real { text, bits: Bits::new(1, 7) }
            }
            1 => {
                let text = format!(
                    "uintBitsToFloat(0x40000000u | ({} & 15u) << 19)",
                    self.operand(uint, depth)
                );
                Real { text, bits: Bits::new(2, 3) }
            }
            _ => {
                let pair = self.vector(Scalar::Float, 2);
                let operand = self.operand(pair, depth);
                let letter = self.random.pick(&["x", "y"]);
                let letter = if self.avoids(Defect::UnpackUpperHalf) { "x" } else { letter };
                Real {
                    text: format!("unpackHalf2x16(packHalf2x16({operand})).{letter}"),
                    bits: Bits::stored(Scalar::Float),
                }
            }
        }
    }

    /// Returns `reflect` at a plane between axes, or `faceforward`.
    fn reflection(&mut self, ty: TypeId, scalar: Scalar, rows: u8, depth: usize) -> Real {
        let stored = Bits::stored(scalar);
        let a = self.operand(ty, depth);
        if self.random.chance(50) {
            let (b, c) = (self.operand(ty, depth), self.operand(ty, depth));
            return Real { text: format!("faceforward({a}, {b}, {c})"), bits: stored };
        }
        let axis = self.random.below(usize::from(rows));
        let parts: Vec<String> = (0..usize::from(rows))
            .map(|row| literal(scalar, f64::from(u8::from(row == axis))))
            .collect();
        let normal = if rows == 1 {
            parts.join("")
        } else {
            format!("{}({})", self.types.name(ty), parts.join(", "))
        };
        Real { text: format!("reflect({a}, {normal})"), bits: stored.sum(2) }
    }

    fn matrix(&mut self, ty: TypeId, depth: usize) -> Real {
        let (Some(scalar), Some((columns, rows))) =
            (self.types.scalar_of(ty), self.types.shape(ty))
        else {
            return self.tight(ty, 0);
        };
        let inner = depth - 1;
        let stored = Bits::stored(scalar);
        let name = self.types.name(ty);
        match self.random.below(10) {
            0..=1 => self.sum([ty, ty], inner),
            2 => self.product([ty, ty], inner, 0, |a, b| format!("matrixCompMult({a}, {b})")),
            3 => {
                let other = self.types.matrix(scalar, rows, columns);
                let a = self.loose(other, inner);
                Real { text: format!("transpose({})", a.text), ..a }
            }
            4..=5 => {
                let between = self.random.between(2, 4) as u8;
                let (a, b) = (
                    self.types.matrix(scalar, between, rows),
                    self.types.matrix(scalar, columns, between),
                );
                self.product([a, b], inner, 2, |a, b| format!("({a} * {b})"))
            }
            6 => {
                let (a, b) = (self.vector(scalar, rows), self.vector(scalar, columns));
                self.product([a, b], inner, 0, |a, b| format!("outerProduct({a}, {b})"))
            }
            7 => {
                let other = self.scalar(scalar);
                self.product([ty, other], inner, 0, |a, b| format!("({a} * {b})"))
            }
            8 if !self.avoids(Defect::MatrixFromMatrix) => {
                let (columns, rows) =
                    (self.random.between(2, 4) as u8, self.random.between(2, 4) as u8);
                let other = self.types.matrix(scalar, columns, rows);
                Real { text: format!("{name}({})", self.operand(other, inner)), bits: stored }
            }
            _ => {
                let column = self.vector(scalar, rows);
                let parts: Vec<String> =
                    (0..columns).map(|_| self.operand(column, inner)).collect();
                Real { text: format!("{name}({})", parts.join(", ")), bits: stored }
            }
        }
    }
}
