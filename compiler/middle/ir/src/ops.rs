//! The one list of ALU operations. Enum, names, builder methods, printer, parser, validator rules,
//! folding and evaluation all derive from the table below.
//!
//! Each row declares the operation's name, its sources and result as operand classes, its algebraic
//! properties and its folding function. Classes come unsized (`F`, `I`, `U`: any width, and all
//! unsized operands of one instruction have the same width) or sized (`F32`, `U64`, …; `B` is the
//! 1-bit boolean). An operand is per-component (as many components as the result) unless `.x(n)`
//! fixes the number.

use crate::fold::{self, Fold, FoldCtx};

/// Interpretation of the bits of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// IEEE floating point: 16, 32 or 64 bits.
    Float,
    /// Two's complement.
    Int,
    /// Unsigned, or raw bits where the meaning does not matter.
    Uint,
    /// 1-bit boolean.
    Bool,
}

/// Type rule of one source or of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Interpretation of the bits.
    pub class: Class,
    /// Width in bits; 0 means unsized.
    pub bits: u8,
    /// Number of components; 0 means per-component.
    pub components: u8,
}

impl Operand {
    const fn new(class: Class, bits: u8) -> Self {
        Operand { class, bits, components: 0 }
    }

    /// The same operand with a fixed number of components.
    const fn x(self, components: u8) -> Self {
        Operand { components, ..self }
    }
}

const F: Operand = Operand::new(Class::Float, 0);
const F16: Operand = Operand::new(Class::Float, 16);
const F32: Operand = Operand::new(Class::Float, 32);
const F64: Operand = Operand::new(Class::Float, 64);
const I: Operand = Operand::new(Class::Int, 0);
const I8: Operand = Operand::new(Class::Int, 8);
const I16: Operand = Operand::new(Class::Int, 16);
const I32: Operand = Operand::new(Class::Int, 32);
const I64: Operand = Operand::new(Class::Int, 64);
const U: Operand = Operand::new(Class::Uint, 0);
const U8: Operand = Operand::new(Class::Uint, 8);
const U16: Operand = Operand::new(Class::Uint, 16);
const U32: Operand = Operand::new(Class::Uint, 32);
const U64: Operand = Operand::new(Class::Uint, 64);
const B: Operand = Operand::new(Class::Bool, 1);

/// The first two sources may be exchanged.
const COMM: u8 = 1;
/// Associative over real numbers (floats: only when the instruction is not exact).
const ASSOC: u8 = 2;
/// Unsized operands may be 1-bit booleans.
const BOOL: u8 = 4;
/// Reads neighboring invocations of the 2×2 quad.
const QUAD: u8 = 8;

/// Everything the table says about one operation.
#[derive(Debug)]
pub struct OpInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// Type rules of the sources.
    pub inputs: &'static [Operand],
    /// Type rule of the result.
    pub output: Operand,
    props: u8,
    /// How constants fold.
    pub fold: Fold,
}

impl OpInfo {
    /// The first two sources may be exchanged.
    pub fn commutative(&self) -> bool {
        self.props & COMM != 0
    }

    /// `(a op b) op c = a op (b op c)`, for floats only up to rounding.
    pub fn associative(&self) -> bool {
        self.props & ASSOC != 0
    }

    /// Unsized operands may be 1-bit booleans.
    pub fn allows_bool(&self) -> bool {
        self.props & BOOL != 0
    }

    /// The result depends on other invocations of the quad.
    pub fn is_derivative(&self) -> bool {
        self.props & QUAD != 0
    }

    /// Components source `index` reads when the result has `result` components.
    pub fn source_components(&self, index: usize, result: u8) -> u8 {
        match self.inputs.get(index) {
            Some(operand) if operand.components != 0 => operand.components,
            _ => result,
        }
    }

    /// The operation works on each component alone, so a vector can be split.
    pub fn is_per_component(&self) -> bool {
        self.output.components == 0 && self.inputs.iter().all(|i| i.components == 0)
    }

    /// Some operand's width is free.
    pub fn is_unsized(&self) -> bool {
        self.output.bits == 0 || self.inputs.iter().any(|i| i.bits == 0)
    }
}

/// Declares [`AluOp`] and its information table.
macro_rules! alu_ops {
    ($($(#[$meta:meta])* $variant:ident $name:ident ( $($arg:ident : $input:expr),* ) -> $output:expr,
       $props:expr, $fold:expr;)*) => {
        /// ALU operation; see [`OpInfo`] for what each takes and gives.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum AluOp { $($(#[$meta])* $variant,)* }

        static INFOS: &[OpInfo] = &[$(OpInfo {
            name: stringify!($name),
            inputs: const { &[$($input),*] },
            output: $output,
            props: $props,
            fold: $fold,
        },)*];

        impl AluOp {
            /// Every operation in table order.
            pub const ALL: &'static [AluOp] = &[$(AluOp::$variant,)*];

            /// The operation with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $(stringify!($name) => Some(AluOp::$variant),)* _ => None }
            }
        }
    };
}

use Fold::{Scalar as S, Vector as V};

/// Passes the table of ALU operations to a macro: a row has documentation, variant, method name,
/// operands, result, properties and folding function.
macro_rules! alu_table {
    ($callback:ident) => {
        $callback! {
            /// Copy.
            Mov mov(a: U) -> U, BOOL, S(|_, s| s[0]);
            /// Two scalars to a vector.
            Vec2 vec2(x: U.x(1), y: U.x(1)) -> U.x(2), BOOL, V(fold::vector);
            /// Three scalars to a vector.
            Vec3 vec3(x: U.x(1), y: U.x(1), z: U.x(1)) -> U.x(3), BOOL, V(fold::vector);
            /// Four scalars to a vector.
            Vec4 vec4(x: U.x(1), y: U.x(1), z: U.x(1), w: U.x(1)) -> U.x(4), BOOL, V(fold::vector);
            /// `cond ? a : b`.
            Bcsel bcsel(cond: B, a: U, b: U) -> U, BOOL, S(|_, s| if s[0] & 1 != 0 { s[1] } else { s[2] });

            // Float arithmetic.
            /// `a + b`.
            Fadd fadd(a: F, b: F) -> F, COMM | ASSOC, S(|c, s| fold::float2(c, s, |a, b| a + b));
            /// `a - b`.
            Fsub fsub(a: F, b: F) -> F, 0, S(|c, s| fold::float2(c, s, |a, b| a - b));
            /// `a * b`.
            Fmul fmul(a: F, b: F) -> F, COMM | ASSOC, S(|c, s| fold::float2(c, s, |a, b| a * b));
            /// `a / b`.
            Fdiv fdiv(a: F, b: F) -> F, 0, S(|c, s| fold::float2(c, s, |a, b| a / b));
            /// `a * b + c` with one rounding.
            Ffma ffma(a: F, b: F, c: F) -> F, COMM, S(fold::ffma);
            /// Sign flipped; a bit operation, NaN and denormals included.
            Fneg fneg(a: F) -> F, 0, S(|c, s| s[0] ^ fold::sign_bit(c.bits));
            /// Sign cleared; a bit operation.
            Fabs fabs(a: F) -> F, 0, S(|c, s| s[0] & !fold::sign_bit(c.bits));
            /// -1, 0 (keeping its sign) or 1; 0 for NaN.
            Fsign fsign(a: F) -> F, 0, S(|c, s| fold::float1(c, s, fold::sign));
            /// Clamped to [0, 1]; NaN gives 0.
            Fsat fsat(a: F) -> F, 0, S(|c, s| fold::float1(c, s, fold::saturate));
            /// Minimum; the other operand if one is NaN; -0 is below +0.
            Fmin fmin(a: F, b: F) -> F, COMM | ASSOC, S(|c, s| fold::float2(c, s, fold::min));
            /// Maximum; the other operand if one is NaN; -0 is below +0.
            Fmax fmax(a: F, b: F) -> F, COMM | ASSOC, S(|c, s| fold::float2(c, s, fold::max));
            /// `1 / a`.
            Frcp frcp(a: F) -> F, 0, S(|c, s| fold::float1(c, s, |a| 1.0 / a));
            /// `1 / sqrt(a)`.
            Frsq frsq(a: F) -> F, 0, S(|c, s| fold::float1(c, s, fold::rsq));
            /// Square root.
            Fsqrt fsqrt(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::sqrt));
            /// `2^a`.
            Fexp2 fexp2(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::exp2));
            /// Binary logarithm.
            Flog2 flog2(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::log2));
            /// Sine of radians.
            Fsin fsin(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::sin));
            /// Cosine of radians.
            Fcos fcos(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::cos));
            /// `a^b` for non-negative `a`.
            Fpow fpow(a: F, b: F) -> F, 0, S(|c, s| fold::float2(c, s, libm::pow));
            /// Largest integer not above `a`.
            Ffloor ffloor(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::floor));
            /// Smallest integer not below `a`.
            Fceil fceil(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::ceil));
            /// Rounded towards zero.
            Ftrunc ftrunc(a: F) -> F, 0, S(|c, s| fold::float1(c, s, libm::trunc));
            /// `a - floor(a)`.
            Ffract ffract(a: F) -> F, 0, S(|c, s| fold::float1(c, s, |a| a - libm::floor(a)));
            /// Rounded to nearest, ties to even.
            FroundEven fround_even(a: F) -> F, 0, S(|c, s| fold::float1(c, s, f64::round_ties_even));
            /// `a - b * floor(a / b)`, each step rounded, 0 where that gives `b`; for halves
            /// without rounding before the end. Lowered by `lower_float_ops` and `lower_doubles`.
            Fmod fmod(a: F, b: F) -> F, 0, S(fold::fmod);
            /// `a - b * trunc(a / b)`, each step rounded, 0 where that gives `b`.
            Frem frem(a: F, b: F) -> F, 0, S(fold::frem);
            /// `a * (1 - t) + b * t`.
            Flrp flrp(a: F, b: F, t: F) -> F, 0, S(fold::flrp);
            /// `a * 2^exp`.
            Fldexp fldexp(a: F, exp: I32) -> F, 0, S(fold::fldexp);
            /// Significand in [0.5, 1) with the sign of `a`; zero, infinity and NaN unchanged.
            FrexpSig frexp_sig(a: F) -> F, 0, S(|c, s| fold::float1(c, s, |a| libm::frexp(a).0));
            /// Exponent belonging to `frexp_sig`; 0 for zero, infinity and NaN.
            FrexpExp frexp_exp(a: F) -> I32, 0, S(fold::frexp_exp);

            // Comparisons. Ordered except `fneu`.
            /// `a == b`, false for NaN.
            Feq feq(a: F, b: F) -> B, COMM, S(|c, s| fold::compare(c, s, |a, b| a == b));
            /// `a != b`, true for NaN.
            Fneu fneu(a: F, b: F) -> B, COMM, S(|c, s| fold::compare(c, s, |a, b| a != b));
            /// `a < b`, false for NaN.
            Flt flt(a: F, b: F) -> B, 0, S(|c, s| fold::compare(c, s, |a, b| a < b));
            /// `a >= b`, false for NaN.
            Fge fge(a: F, b: F) -> B, 0, S(|c, s| fold::compare(c, s, |a, b| a >= b));
            /// `a == b`.
            Ieq ieq(a: I, b: I) -> B, COMM | BOOL, S(|_, s| u64::from(s[0] == s[1]));
            /// `a != b`.
            Ine ine(a: I, b: I) -> B, COMM | BOOL, S(|_, s| u64::from(s[0] != s[1]));
            /// Signed `a < b`.
            Ilt ilt(a: I, b: I) -> B, 0, S(|c, s| u64::from(fold::sext(c.bits, s[0]) < fold::sext(c.bits, s[1])));
            /// Signed `a >= b`.
            Ige ige(a: I, b: I) -> B, 0, S(|c, s| u64::from(fold::sext(c.bits, s[0]) >= fold::sext(c.bits, s[1])));
            /// Unsigned `a < b`.
            Ult ult(a: U, b: U) -> B, 0, S(|_, s| u64::from(s[0] < s[1]));
            /// Unsigned `a >= b`.
            Uge uge(a: U, b: U) -> B, 0, S(|_, s| u64::from(s[0] >= s[1]));

            // Integer arithmetic, modulo 2^width.
            /// `a + b`.
            Iadd iadd(a: I, b: I) -> I, COMM | ASSOC, S(|_, s| s[0].wrapping_add(s[1]));
            /// `a - b`.
            Isub isub(a: I, b: I) -> I, 0, S(|_, s| s[0].wrapping_sub(s[1]));
            /// Low half of `a * b`.
            Imul imul(a: I, b: I) -> I, COMM | ASSOC, S(|_, s| s[0].wrapping_mul(s[1]));
            /// `-a`.
            Ineg ineg(a: I) -> I, 0, S(|_, s| s[0].wrapping_neg());
            /// `|a|`; the most negative value is unchanged.
            Iabs iabs(a: I) -> I, 0, S(|c, s| fold::sext(c.bits, s[0]).unsigned_abs());
            /// -1, 0 or 1.
            Isign isign(a: I) -> I, 0, S(|c, s| fold::sext(c.bits, s[0]).signum() as u64);
            /// Signed minimum.
            Imin imin(a: I, b: I) -> I, COMM | ASSOC, S(|c, s| fold::int2(c, s, i64::min));
            /// Signed maximum.
            Imax imax(a: I, b: I) -> I, COMM | ASSOC, S(|c, s| fold::int2(c, s, i64::max));
            /// Unsigned minimum.
            Umin umin(a: U, b: U) -> U, COMM | ASSOC, S(|_, s| s[0].min(s[1]));
            /// Unsigned maximum.
            Umax umax(a: U, b: U) -> U, COMM | ASSOC, S(|_, s| s[0].max(s[1]));
            /// Signed quotient rounded to zero; 0 when dividing by 0.
            Idiv idiv(a: I, b: I) -> I, 0, S(|c, s| fold::int2(c, s, |a, b| a.checked_div(b).unwrap_or(if b == 0 { 0 } else { a })));
            /// Unsigned quotient; 0 when dividing by 0.
            Udiv udiv(a: U, b: U) -> U, 0, S(|_, s| s[0].checked_div(s[1]).unwrap_or(0));
            /// Remainder with the sign of `b`; 0 when dividing by 0.
            Imod imod(a: I, b: I) -> I, 0, S(|c, s| fold::int2(c, s, fold::imod));
            /// Unsigned remainder; 0 when dividing by 0.
            Umod umod(a: U, b: U) -> U, 0, S(|_, s| s[0].checked_rem(s[1]).unwrap_or(0));
            /// Remainder with the sign of `a`; 0 when dividing by 0.
            Irem irem(a: I, b: I) -> I, 0, S(|c, s| fold::int2(c, s, |a, b| a.checked_rem(b).unwrap_or(0)));
            /// High half of the signed product.
            ImulHigh imul_high(a: I, b: I) -> I, COMM, S(|c, s| fold::imul_high(c, s[0], s[1]));
            /// High half of the unsigned product.
            UmulHigh umul_high(a: U, b: U) -> U, COMM, S(|c, s| fold::umul_high(c, s[0], s[1]));
            /// Signed 32 × 32 → 64.
            Imul2x32To64 imul_2x32_64(a: I32, b: I32) -> I64, COMM,
                S(|_, s| fold::sext(32, s[0]).wrapping_mul(fold::sext(32, s[1])) as u64);
            /// Unsigned 32 × 32 → 64.
            Umul2x32To64 umul_2x32_64(a: U32, b: U32) -> U64, COMM, S(|_, s| s[0].wrapping_mul(s[1]));
            /// Carry out of `a + b`: 0 or 1.
            UaddCarry uadd_carry(a: U, b: U) -> U, COMM, S(|c, s| u64::from(fold::mask(c.bits) - s[0] < s[1]));
            /// Borrow of `a - b`: 0 or 1.
            UsubBorrow usub_borrow(a: U, b: U) -> U, 0, S(|_, s| u64::from(s[0] < s[1]));

            // Bits. Shift counts are taken modulo the width.
            /// Shift left.
            Ishl ishl(a: I, count: U32) -> I, 0, S(|c, s| s[0] << fold::count(c, s[1]));
            /// Arithmetic shift right.
            Ishr ishr(a: I, count: U32) -> I, 0, S(|c, s| (fold::sext(c.bits, s[0]) >> fold::count(c, s[1])) as u64);
            /// Logical shift right.
            Ushr ushr(a: U, count: U32) -> U, 0, S(|c, s| s[0] >> fold::count(c, s[1]));
            /// Bitwise and; conjunction of booleans.
            Iand iand(a: U, b: U) -> U, COMM | ASSOC | BOOL, S(|_, s| s[0] & s[1]);
            /// Bitwise or; disjunction of booleans.
            Ior ior(a: U, b: U) -> U, COMM | ASSOC | BOOL, S(|_, s| s[0] | s[1]);
            /// Bitwise exclusive or.
            Ixor ixor(a: U, b: U) -> U, COMM | ASSOC | BOOL, S(|_, s| s[0] ^ s[1]);
            /// Bitwise complement; negation of booleans.
            Inot inot(a: U) -> U, BOOL, S(|_, s| !s[0]);
            /// Bit-field mask: `bits` ones from bit `offset`, both modulo 32 (hardware BFI1).
            Bfm bfm(bits: U32, offset: U32) -> U32, 0, S(|_, s| fold::bfm(s[0], s[1]));
            /// Replaces the bits of `base` under `mask` with `insert` shifted to the mask's lowest
            /// bit; `base` if the mask is 0 (hardware BFI2).
            Bfi bfi(mask: U32, insert: U32, base: U32) -> U32, 0, S(|_, s| fold::bfi(s[0], s[1], s[2]));
            /// Signed bit-field extract, offset and bits modulo 32, 0 for no bits (hardware BFE).
            Ibfe ibfe(value: I32, offset: U32, bits: U32) -> I32, 0, S(|_, s| fold::ibfe(s[0], s[1] & 31, s[2] & 31));
            /// Unsigned bit-field extract, offset and bits modulo 32, 0 for no bits.
            Ubfe ubfe(value: U32, offset: U32, bits: U32) -> U32, 0, S(|_, s| fold::ubfe(s[0], s[1] & 31, s[2] & 31));
            /// GLSL `bitfieldInsert`: unlike `bfi`, 32 bits are the whole value; `lower_bitfield`
            /// makes `bfi`.
            BitfieldInsert bitfield_insert(base: U32, insert: U32, offset: U32, bits: U32) -> U32, 0,
                S(|_, s| fold::bitfield_insert(s[0], s[1], s[2], s[3]));
            /// GLSL signed `bitfieldExtract`: 32 bits are the whole value.
            IbitfieldExtract ibitfield_extract(value: I32, offset: U32, bits: U32) -> I32, 0,
                S(|_, s| fold::ibfe(s[0], s[1], s[2]));
            /// GLSL unsigned `bitfieldExtract`: 32 bits are the whole value.
            UbitfieldExtract ubitfield_extract(value: U32, offset: U32, bits: U32) -> U32, 0,
                S(|_, s| fold::ubfe(s[0], s[1], s[2]));
            /// Bits in reverse order.
            BitfieldReverse bitfield_reverse(a: U32) -> U32, 0, S(|_, s| u64::from((s[0] as u32).reverse_bits()));
            /// Number of ones.
            BitCount bit_count(a: U) -> U32, 0, S(|_, s| u64::from(s[0].count_ones()));
            /// Lowest one's number, -1 for 0.
            FindLsb find_lsb(a: U) -> I32, 0, S(|_, s| if s[0] == 0 { u64::MAX } else { u64::from(s[0].trailing_zeros()) });
            /// Highest one's number, -1 for 0.
            UfindMsb ufind_msb(a: U) -> I32, 0, S(|_, s| 63u64.wrapping_sub(u64::from(s[0].leading_zeros())));
            /// Number of the highest bit unlike the sign bit, -1 for 0 and -1.
            IfindMsb ifind_msb(a: I32) -> I32, 0, S(|_, s| fold::ifind_msb(s[0]));

            // Conversions.
            /// Float to half, rounding to nearest even.
            F2f16 f2f16(a: F) -> F16, 0, S(|c, s| fold::float_to(c, s, 16));
            /// Float to half, explicitly to nearest even.
            F2f16Rtne f2f16_rtne(a: F) -> F16, 0, S(|c, s| fold::float_to(c, s, 16));
            /// Float to half, towards zero.
            F2f16Rtz f2f16_rtz(a: F) -> F16, 0, S(|c, s| u64::from(fold::f64_to_f16(fold::decode(c, s[0]), true)));
            /// Float to single.
            F2f32 f2f32(a: F) -> F32, 0, S(|c, s| fold::float_to(c, s, 32));
            /// Float to double.
            F2f64 f2f64(a: F) -> F64, 0, S(|c, s| fold::float_to(c, s, 64));
            /// Float to signed, to zero, saturating; NaN gives 0.
            F2i8 f2i8(a: F) -> I8, 0, S(|c, s| fold::float_to_int(c, s, 8));
            /// Float to signed, to zero, saturating; NaN gives 0.
            F2i16 f2i16(a: F) -> I16, 0, S(|c, s| fold::float_to_int(c, s, 16));
            /// Float to signed, to zero, saturating; NaN gives 0.
            F2i32 f2i32(a: F) -> I32, 0, S(|c, s| fold::float_to_int(c, s, 32));
            /// Float to signed, to zero, saturating; NaN gives 0.
            F2i64 f2i64(a: F) -> I64, 0, S(|c, s| fold::float_to_int(c, s, 64));
            /// Float to unsigned, to zero, saturating; NaN gives 0.
            F2u8 f2u8(a: F) -> U8, 0, S(|c, s| fold::float_to_uint(c, s, 8));
            /// Float to unsigned, to zero, saturating; NaN gives 0.
            F2u16 f2u16(a: F) -> U16, 0, S(|c, s| fold::float_to_uint(c, s, 16));
            /// Float to unsigned, to zero, saturating; NaN gives 0.
            F2u32 f2u32(a: F) -> U32, 0, S(|c, s| fold::float_to_uint(c, s, 32));
            /// Float to unsigned, to zero, saturating; NaN gives 0.
            F2u64 f2u64(a: F) -> U64, 0, S(|c, s| fold::float_to_uint(c, s, 64));
            /// Signed to half.
            I2f16 i2f16(a: I) -> F16, 0, S(|c, s| fold::int_to_float(fold::sext(c.bits, s[0]).into(), 16));
            /// Signed to single.
            I2f32 i2f32(a: I) -> F32, 0, S(|c, s| fold::int_to_float(fold::sext(c.bits, s[0]).into(), 32));
            /// Signed to double.
            I2f64 i2f64(a: I) -> F64, 0, S(|c, s| fold::int_to_float(fold::sext(c.bits, s[0]).into(), 64));
            /// Unsigned to half.
            U2f16 u2f16(a: U) -> F16, 0, S(|_, s| fold::int_to_float(s[0].into(), 16));
            /// Unsigned to single.
            U2f32 u2f32(a: U) -> F32, 0, S(|_, s| fold::int_to_float(s[0].into(), 32));
            /// Unsigned to double.
            U2f64 u2f64(a: U) -> F64, 0, S(|_, s| fold::int_to_float(s[0].into(), 64));
            /// Truncated or sign-extended.
            I2i8 i2i8(a: I) -> I8, 0, S(|_, s| s[0]);
            /// Truncated or sign-extended.
            I2i16 i2i16(a: I) -> I16, 0, S(|c, s| fold::sext(c.bits, s[0]) as u64);
            /// Truncated or sign-extended.
            I2i32 i2i32(a: I) -> I32, 0, S(|c, s| fold::sext(c.bits, s[0]) as u64);
            /// Truncated or sign-extended.
            I2i64 i2i64(a: I) -> I64, 0, S(|c, s| fold::sext(c.bits, s[0]) as u64);
            /// Truncated or zero-extended.
            U2u8 u2u8(a: U) -> U8, 0, S(|_, s| s[0]);
            /// Truncated or zero-extended.
            U2u16 u2u16(a: U) -> U16, 0, S(|_, s| s[0]);
            /// Truncated or zero-extended.
            U2u32 u2u32(a: U) -> U32, 0, S(|_, s| s[0]);
            /// Truncated or zero-extended.
            U2u64 u2u64(a: U) -> U64, 0, S(|_, s| s[0]);
            /// 0.0 or 1.0.
            B2f16 b2f16(a: B) -> F16, 0, S(|_, s| fold::int_to_float(s[0].into(), 16));
            /// 0.0 or 1.0.
            B2f32 b2f32(a: B) -> F32, 0, S(|_, s| fold::int_to_float(s[0].into(), 32));
            /// 0.0 or 1.0.
            B2f64 b2f64(a: B) -> F64, 0, S(|_, s| fold::int_to_float(s[0].into(), 64));
            /// 0 or 1.
            B2i8 b2i8(a: B) -> I8, 0, S(|_, s| s[0]);
            /// 0 or 1.
            B2i16 b2i16(a: B) -> I16, 0, S(|_, s| s[0]);
            /// 0 or 1.
            B2i32 b2i32(a: B) -> I32, 0, S(|_, s| s[0]);
            /// 0 or 1.
            B2i64 b2i64(a: B) -> I64, 0, S(|_, s| s[0]);
            /// `a != 0.0`, true for NaN.
            F2b f2b(a: F) -> B, 0, S(|c, s| u64::from(fold::decode(c, s[0]) != 0.0));
            /// `a != 0`.
            I2b i2b(a: I) -> B, 0, S(|_, s| u64::from(s[0] != 0));

            // Packing.
            /// Low and high dword to a qword.
            Pack64 pack_64_2x32_split(lo: U32, hi: U32) -> U64, 0, S(|_, s| s[0] | s[1] << 32);
            /// Low dword of a qword.
            Unpack64X unpack_64_2x32_split_x(a: U64) -> U32, 0, S(|_, s| s[0] & 0xffff_ffff);
            /// High dword of a qword.
            Unpack64Y unpack_64_2x32_split_y(a: U64) -> U32, 0, S(|_, s| s[0] >> 32);
            /// Low and high word to a dword.
            Pack32 pack_32_2x16_split(lo: U16, hi: U16) -> U32, 0, S(|_, s| s[0] | s[1] << 16);
            /// Low word of a dword.
            Unpack32X unpack_32_2x16_split_x(a: U32) -> U16, 0, S(|_, s| s[0] & 0xffff);
            /// High word of a dword.
            Unpack32Y unpack_32_2x16_split_y(a: U32) -> U16, 0, S(|_, s| s[0] >> 16);
            /// Two singles to two halves in a dword.
            PackHalf pack_half_2x16_split(lo: F32, hi: F32) -> U32, 0, S(|c, s| fold::pack_half(c, s[0], s[1]));
            /// Low half of a dword as a single.
            UnpackHalfX unpack_half_2x16_split_x(a: U32) -> F32, 0, S(|_, s| fold::half_to_single(s[0]));
            /// High half of a dword as a single.
            UnpackHalfY unpack_half_2x16_split_y(a: U32) -> F32, 0, S(|_, s| fold::half_to_single(s[0] >> 16));
            /// Vector form of `pack_64_2x32_split`.
            PackVec64 pack_64_2x32(a: U32.x(2)) -> U64.x(1), 0, V(|_, s| [s[0][0] | s[0][1] << 32, 0, 0, 0]);
            /// Vector form of `unpack_64_2x32_split_*`.
            UnpackVec64 unpack_64_2x32(a: U64.x(1)) -> U32.x(2), 0, V(|_, s| [s[0][0] & 0xffff_ffff, s[0][0] >> 32, 0, 0]);
            /// Vector form of `pack_32_2x16_split`.
            PackVec32 pack_32_2x16(a: U16.x(2)) -> U32.x(1), 0, V(|_, s| [s[0][0] | s[0][1] << 16, 0, 0, 0]);
            /// Vector form of `unpack_32_2x16_split_*`.
            UnpackVec32 unpack_32_2x16(a: U32.x(1)) -> U16.x(2), 0, V(|_, s| [s[0][0] & 0xffff, s[0][0] >> 16, 0, 0]);
            /// GLSL `packHalf2x16`.
            PackHalf2x16 pack_half_2x16(a: F32.x(2)) -> U32.x(1), 0, V(|c, s| [fold::pack_half(c, s[0][0], s[0][1]), 0, 0, 0]);
            /// GLSL `unpackHalf2x16`.
            UnpackHalf2x16 unpack_half_2x16(a: U32.x(1)) -> F32.x(2), 0,
                V(|_, s| [fold::half_to_single(s[0][0]), fold::half_to_single(s[0][0] >> 16), 0, 0]);
            /// GLSL `packUnorm2x16`.
            PackUnorm2x16 pack_unorm_2x16(a: F32.x(2)) -> U32.x(1), 0, V(|_, s| fold::pack_norm(&s[0], 2, false));
            /// GLSL `packSnorm2x16`.
            PackSnorm2x16 pack_snorm_2x16(a: F32.x(2)) -> U32.x(1), 0, V(|_, s| fold::pack_norm(&s[0], 2, true));
            /// GLSL `packUnorm4x8`.
            PackUnorm4x8 pack_unorm_4x8(a: F32.x(4)) -> U32.x(1), 0, V(|_, s| fold::pack_norm(&s[0], 4, false));
            /// GLSL `packSnorm4x8`.
            PackSnorm4x8 pack_snorm_4x8(a: F32.x(4)) -> U32.x(1), 0, V(|_, s| fold::pack_norm(&s[0], 4, true));
            /// GLSL `unpackUnorm2x16`.
            UnpackUnorm2x16 unpack_unorm_2x16(a: U32.x(1)) -> F32.x(2), 0, V(|_, s| fold::unpack_norm(s[0][0], 2, false));
            /// GLSL `unpackSnorm2x16`.
            UnpackSnorm2x16 unpack_snorm_2x16(a: U32.x(1)) -> F32.x(2), 0, V(|_, s| fold::unpack_norm(s[0][0], 2, true));
            /// GLSL `unpackUnorm4x8`.
            UnpackUnorm4x8 unpack_unorm_4x8(a: U32.x(1)) -> F32.x(4), 0, V(|_, s| fold::unpack_norm(s[0][0], 4, false));
            /// GLSL `unpackSnorm4x8`.
            UnpackSnorm4x8 unpack_snorm_4x8(a: U32.x(1)) -> F32.x(4), 0, V(|_, s| fold::unpack_norm(s[0][0], 4, true));

            // Reductions.
            /// Dot product, summed from x up, each step rounded.
            Fdot2 fdot2(a: F.x(2), b: F.x(2)) -> F.x(1), COMM, V(|c, s| fold::dot(c, s, 2));
            /// Dot product, summed from x up, each step rounded.
            Fdot3 fdot3(a: F.x(3), b: F.x(3)) -> F.x(1), COMM, V(|c, s| fold::dot(c, s, 3));
            /// Dot product, summed from x up, each step rounded.
            Fdot4 fdot4(a: F.x(4), b: F.x(4)) -> F.x(1), COMM, V(|c, s| fold::dot(c, s, 4));
            /// All components equal.
            BallFeq2 ball_feq2(a: F.x(2), b: F.x(2)) -> B.x(1), COMM, V(|c, s| fold::all_feq(c, s, 2));
            /// All components equal.
            BallFeq3 ball_feq3(a: F.x(3), b: F.x(3)) -> B.x(1), COMM, V(|c, s| fold::all_feq(c, s, 3));
            /// All components equal.
            BallFeq4 ball_feq4(a: F.x(4), b: F.x(4)) -> B.x(1), COMM, V(|c, s| fold::all_feq(c, s, 4));
            /// Some component differs or is NaN.
            BanyFneu2 bany_fneu2(a: F.x(2), b: F.x(2)) -> B.x(1), COMM, V(|c, s| fold::not(fold::all_feq(c, s, 2)));
            /// Some component differs or is NaN.
            BanyFneu3 bany_fneu3(a: F.x(3), b: F.x(3)) -> B.x(1), COMM, V(|c, s| fold::not(fold::all_feq(c, s, 3)));
            /// Some component differs or is NaN.
            BanyFneu4 bany_fneu4(a: F.x(4), b: F.x(4)) -> B.x(1), COMM, V(|c, s| fold::not(fold::all_feq(c, s, 4)));
            /// All components equal; booleans too, so `all(b)` is `ball_ieq(b, true)`.
            BallIeq2 ball_ieq2(a: I.x(2), b: I.x(2)) -> B.x(1), COMM | BOOL, V(|_, s| fold::all_ieq(s, 2));
            /// All components equal.
            BallIeq3 ball_ieq3(a: I.x(3), b: I.x(3)) -> B.x(1), COMM | BOOL, V(|_, s| fold::all_ieq(s, 3));
            /// All components equal.
            BallIeq4 ball_ieq4(a: I.x(4), b: I.x(4)) -> B.x(1), COMM | BOOL, V(|_, s| fold::all_ieq(s, 4));
            /// Some component differs; `any(b)` is `bany_ine(b, false)`.
            BanyIne2 bany_ine2(a: I.x(2), b: I.x(2)) -> B.x(1), COMM | BOOL, V(|_, s| fold::not(fold::all_ieq(s, 2)));
            /// Some component differs.
            BanyIne3 bany_ine3(a: I.x(3), b: I.x(3)) -> B.x(1), COMM | BOOL, V(|_, s| fold::not(fold::all_ieq(s, 3)));
            /// Some component differs.
            BanyIne4 bany_ine4(a: I.x(4), b: I.x(4)) -> B.x(1), COMM | BOOL, V(|_, s| fold::not(fold::all_ieq(s, 4)));

            // Derivatives: differences within the 2×2 quad.
            /// Screen-space x derivative, precision of the implementation's choice.
            Fddx fddx(a: F) -> F, QUAD, Fold::Quad;
            /// Screen-space y derivative.
            Fddy fddy(a: F) -> F, QUAD, Fold::Quad;
            /// x derivative, one per row of the quad.
            FddxFine fddx_fine(a: F) -> F, QUAD, Fold::Quad;
            /// y derivative, one per column of the quad.
            FddyFine fddy_fine(a: F) -> F, QUAD, Fold::Quad;
            /// x derivative, one per quad.
            FddxCoarse fddx_coarse(a: F) -> F, QUAD, Fold::Quad;
            /// y derivative, one per quad.
            FddyCoarse fddy_coarse(a: F) -> F, QUAD, Fold::Quad;
        }
    };
}
pub(crate) use alu_table;

alu_table!(alu_ops);

impl AluOp {
    /// The table row.
    pub fn info(self) -> &'static OpInfo {
        &INFOS[self as usize]
    }

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Computes the operation on swizzled sources; `result_bits` and `components` describe the
    /// result. `None` for derivatives and for a wrong number of sources.
    pub fn evaluate(
        self,
        ctx: FoldCtx,
        sources: &[[u64; 4]],
        result_bits: u8,
        components: u8,
    ) -> Option<[u64; 4]> {
        if sources.len() != self.info().inputs.len() || sources.len() > 4 {
            return None;
        }
        let mut result = [0; 4];
        match self.info().fold {
            Fold::Scalar(f) => {
                for (i, out) in result.iter_mut().enumerate().take(components.into()) {
                    let mut operands = [0; 4];
                    for (operand, source) in operands.iter_mut().zip(sources) {
                        *operand = source[i];
                    }
                    *out = f(ctx, &operands);
                }
            }
            Fold::Vector(f) => result = f(ctx, sources),
            Fold::Quad => return None,
        }
        for (i, out) in result.iter_mut().enumerate() {
            *out = if i < components.into() { *out & fold::mask(result_bits) } else { 0 };
        }
        Some(result)
    }

    /// `vec2`, `vec3` or `vec4` for that many components, `mov` for one.
    pub fn vec(components: u8) -> AluOp {
        match components {
            2 => AluOp::Vec2,
            3 => AluOp::Vec3,
            4 => AluOp::Vec4,
            _ => AluOp::Mov,
        }
    }

    /// One of `vec2`, `vec3`, `vec4`.
    pub fn is_vec(self) -> bool {
        matches!(self, AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4)
    }

    /// The conversion from one class to a width of another; `None` where no single operation does
    /// it. Float ↔ integer, integer ↔ integer by the source's signedness, boolean to anything.
    pub fn conversion(from: Class, to: Class, bits: u8) -> Option<AluOp> {
        use Class::{Bool, Float, Int, Uint};
        let prefix = match (from, to) {
            (Float, Float) => "f2f",
            (Float, Int) => "f2i",
            (Float, Uint) => "f2u",
            (Int, Float) => "i2f",
            (Uint, Float) => "u2f",
            (Int, Int | Uint) => "i2i",
            (Uint, Int | Uint) => "u2u",
            (Bool, Float) => "b2f",
            (Bool, Int | Uint) => "b2i",
            (Float, Bool) => return Some(AluOp::F2b),
            (Int | Uint, Bool) => return Some(AluOp::I2b),
            (Bool, Bool) => return Some(AluOp::Mov),
        };
        AluOp::from_name(&format!("{prefix}{bits}"))
    }
}
