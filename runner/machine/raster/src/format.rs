//! Pixel formats: conversion between shader values and stored texels.
//!
//! A stored [`Texel`] is four words, already quantized: integer codes for normalized and integer
//! channels (sign extended), f32 bit patterns of representable values for floating-point channels.

use vocabulary::half;

/// A quantized pixel.
pub type Texel = [u32; 4];

/// One channel of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Absent: reads as 0, or 1 for alpha.
    None,
    /// Unsigned normalized, with the number of bits.
    Unorm(u8),
    /// Signed normalized.
    Snorm(u8),
    /// Floating point: 32, 16, or the unsigned 11 and 10 bit formats.
    Float(u8),
    /// Signed integer.
    Int(u8),
    /// Unsigned integer.
    Uint(u8),
}

/// Numbers of the codes of normalized bytes.
static UNORM8: [f32; 256] = {
    let mut numbers = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        numbers[code] = (code as f64 / 255.0) as f32;
        code += 1;
    }
    numbers
};

impl Channel {
    /// Returns the number of bits of storage.
    pub const fn bits(self) -> u8 {
        match self {
            Channel::None => 0,
            Channel::Unorm(n)
            | Channel::Snorm(n)
            | Channel::Float(n)
            | Channel::Int(n)
            | Channel::Uint(n) => n,
        }
    }

    /// Quantizes a value written by a shader or a clear: f32 bits, or an integer for integer
    /// channels.
    pub fn quantize(self, raw: u32) -> u32 {
        let value = f32::from_bits(raw);
        match self {
            Channel::None => 0,
            Channel::Unorm(n) => float_to_unorm(f64::from(value), n),
            Channel::Snorm(n) => float_to_snorm(f64::from(value), n) as u32,
            Channel::Float(32) => raw,
            Channel::Float(16) => half::to_f32(half::from_f32(value)).to_bits(),
            Channel::Float(n) => small_float(value, n).to_bits(),
            Channel::Int(n) => {
                (raw as i32).clamp(-1 << (n - 1), ((1i64 << (n - 1)) - 1) as i32) as u32
            }
            Channel::Uint(n) => raw.min(((1u64 << n) - 1) as u32),
        }
    }

    /// Quantizes a number of a clear or a texture upload.
    pub fn quantize_number(self, value: f64) -> u32 {
        match self {
            Channel::Int(_) => self.quantize(value as i32 as u32),
            Channel::Uint(_) => self.quantize(value as u32),
            Channel::Unorm(n) => float_to_unorm(value, n),
            Channel::Snorm(n) => float_to_snorm(value, n) as u32,
            _ => self.quantize((value as f32).to_bits()),
        }
    }

    /// Returns the stored value as a number; `absent` for a missing channel.
    pub fn to_f32(self, stored: u32, absent: f32) -> f32 {
        match self {
            Channel::None => absent,
            Channel::Unorm(8) if stored <= 255 => UNORM8[stored as usize],
            Channel::Unorm(n) => (f64::from(stored) / ((1u64 << n) - 1) as f64) as f32,
            Channel::Snorm(n) => {
                let code = f64::from(stored as i32) / ((1u64 << (n - 1)) - 1) as f64;
                code.max(-1.0) as f32
            }
            Channel::Float(_) => f32::from_bits(stored),
            Channel::Int(_) => stored as i32 as f32,
            Channel::Uint(_) => stored as f32,
        }
    }

    /// Returns the bits in memory of a stored value.
    pub fn encode(self, stored: u32) -> u32 {
        match self {
            Channel::Float(16) => u32::from(half::from_f32(f32::from_bits(stored))),
            Channel::Float(n @ (10 | 11)) => {
                round_to_format(f32::from_bits(stored), u32::from(n) - 5)
            }
            _ => stored,
        }
    }

    /// Returns the stored value of bits in memory.
    pub fn decode(self, code: u32) -> u32 {
        match self {
            Channel::Float(16) => half::to_f32(code as u16).to_bits(),
            Channel::Float(n @ (10 | 11)) => unpack_format(code, u32::from(n) - 5).to_bits(),
            Channel::Snorm(n) | Channel::Int(n) if n < 32 => {
                let unused = 32 - u32::from(n);
                ((code << unused) as i32 >> unused) as u32
            }
            _ => code,
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Channel::Int(_) | Channel::Uint(_))
    }

    /// Returns the value that a shader reads: f32 bits, or the integer itself.
    fn to_raw(self, stored: u32, alpha: bool, integer: bool) -> u32 {
        match (self, integer) {
            (Channel::None, true) => u32::from(alpha),
            (_, true) => stored,
            (_, false) => self.to_f32(stored, if alpha { 1.0 } else { 0.0 }).to_bits(),
        }
    }
}

macro_rules! formats {
    ($($name:ident = $gl:literal [$r:expr, $g:expr, $b:expr, $a:expr]),* $(,)?) => {
        /// An internal format.
        #[allow(missing_docs, reason = "the variants are the names of OpenGL")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format { $($name),* }

        impl Format {
            /// Every format.
            pub const ALL: &[Format] = &[$(Format::$name),*];

            /// Returns the format of a GL enum name. Unsized and compressed formats map to the
            /// stored format.
            pub fn from_gl(name: &str) -> Option<Format> {
                match name {
                    $($gl => Some(Format::$name),)*
                    "GL_RGBA" | "GL_COMPRESSED_RGBA" => Some(Format::Rgba8),
                    "GL_RGB" => Some(Format::Rgb8),
                    "GL_DEPTH_COMPONENT" => Some(Format::Depth24),
                    "GL_DEPTH_STENCIL" => Some(Format::Depth24Stencil8),
                    _ => None,
                }
            }

            /// Returns the GL enum's name.
            pub const fn gl_name(self) -> &'static str {
                match self { $(Format::$name => $gl),* }
            }

            /// Returns the channels red, green, blue, alpha. Depth formats have depth in the first
            /// channel, stencil in the second.
            pub const fn channels(self) -> [Channel; 4] {
use Channel::{Float as F, Int as I, None as O, Snorm as S, Uint as U, Unorm as N};
                // Not every use of the macro needs every abbreviation.
                let _ = (F(0), I(0), O, S(0), U(0), N(0));
                match self { $(Format::$name => [$r, $g, $b, $a]),* }
            }
        }
    };
}

formats! {
    Rgba8 = "GL_RGBA8" [N(8), N(8), N(8), N(8)],
    Rgb8 = "GL_RGB8" [N(8), N(8), N(8), O],
    Rg8 = "GL_RG8" [N(8), N(8), O, O],
    R8 = "GL_R8" [N(8), O, O, O],
    Rgba16 = "GL_RGBA16" [N(16), N(16), N(16), N(16)],
    Rg16 = "GL_RG16" [N(16), N(16), O, O],
    R16 = "GL_R16" [N(16), O, O, O],
    Rgb10A2 = "GL_RGB10_A2" [N(10), N(10), N(10), N(2)],
    Rgba8Snorm = "GL_RGBA8_SNORM" [S(8), S(8), S(8), S(8)],
    Rg8Snorm = "GL_RG8_SNORM" [S(8), S(8), O, O],
    R8Snorm = "GL_R8_SNORM" [S(8), O, O, O],
    Rgba16Snorm = "GL_RGBA16_SNORM" [S(16), S(16), S(16), S(16)],
    Rg16Snorm = "GL_RG16_SNORM" [S(16), S(16), O, O],
    R16Snorm = "GL_R16_SNORM" [S(16), O, O, O],
    Rgba32f = "GL_RGBA32F" [F(32), F(32), F(32), F(32)],
    Rgb32f = "GL_RGB32F" [F(32), F(32), F(32), O],
    Rg32f = "GL_RG32F" [F(32), F(32), O, O],
    R32f = "GL_R32F" [F(32), O, O, O],
    Rgba16f = "GL_RGBA16F" [F(16), F(16), F(16), F(16)],
    Rg16f = "GL_RG16F" [F(16), F(16), O, O],
    R16f = "GL_R16F" [F(16), O, O, O],
    R11fG11fB10f = "GL_R11F_G11F_B10F" [F(11), F(11), F(10), O],
    Rgba32i = "GL_RGBA32I" [I(32), I(32), I(32), I(32)],
    Rgb32i = "GL_RGB32I" [I(32), I(32), I(32), O],
    Rg32i = "GL_RG32I" [I(32), I(32), O, O],
    R32i = "GL_R32I" [I(32), O, O, O],
    Rgba16i = "GL_RGBA16I" [I(16), I(16), I(16), I(16)],
    Rg16i = "GL_RG16I" [I(16), I(16), O, O],
    R16i = "GL_R16I" [I(16), O, O, O],
    Rgba8i = "GL_RGBA8I" [I(8), I(8), I(8), I(8)],
    Rg8i = "GL_RG8I" [I(8), I(8), O, O],
    R8i = "GL_R8I" [I(8), O, O, O],
    Rgba32ui = "GL_RGBA32UI" [U(32), U(32), U(32), U(32)],
    Rgb32ui = "GL_RGB32UI" [U(32), U(32), U(32), O],
    Rg32ui = "GL_RG32UI" [U(32), U(32), O, O],
    R32ui = "GL_R32UI" [U(32), O, O, O],
    Rgba16ui = "GL_RGBA16UI" [U(16), U(16), U(16), U(16)],
    Rg16ui = "GL_RG16UI" [U(16), U(16), O, O],
    R16ui = "GL_R16UI" [U(16), O, O, O],
    Rgba8ui = "GL_RGBA8UI" [U(8), U(8), U(8), U(8)],
    Rg8ui = "GL_RG8UI" [U(8), U(8), O, O],
    R8ui = "GL_R8UI" [U(8), O, O, O],
    Rgb10A2ui = "GL_RGB10_A2UI" [U(10), U(10), U(10), U(2)],
    Depth16 = "GL_DEPTH_COMPONENT16" [N(16), O, O, O],
    Depth24 = "GL_DEPTH_COMPONENT24" [N(24), O, O, O],
    Depth32 = "GL_DEPTH_COMPONENT32" [N(32), O, O, O],
    Depth32f = "GL_DEPTH_COMPONENT32F" [F(32), O, O, O],
    Depth24Stencil8 = "GL_DEPTH24_STENCIL8" [N(24), U(8), O, O],
    Depth32fStencil8 = "GL_DEPTH32F_STENCIL8" [F(32), U(8), O, O],
    Stencil8 = "GL_STENCIL_INDEX8" [O, U(8), O, O],
}

/// Class of a format: comparison of its values, and the type that shaders read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatClass {
    /// Normalized integers.
    Normalized,
    /// Floating point.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
}

impl Format {
    /// Returns the class of the first channel.
    pub fn class(self) -> FormatClass {
        match self.channels()[0] {
            Channel::Int(_) => FormatClass::Int,
            Channel::Uint(_) => FormatClass::Uint,
            Channel::Float(_) => FormatClass::Float,
            _ => FormatClass::Normalized,
        }
    }

    /// True if it holds integers.
    pub fn is_integer(self) -> bool {
        matches!(self.class(), FormatClass::Int | FormatClass::Uint)
    }

    /// True if it has unsigned normalized channels alone, of at most 16 bits: a number of one of
    /// its codes becomes that code again.
    pub fn is_unorm(self) -> bool {
        let fits = |c: &Channel| matches!(c, Channel::None | Channel::Unorm(1..=16));
        self.channels().iter().all(fits)
    }

    /// True if it is a depth format.
    pub fn is_depth(self) -> bool {
        use Format::*;
        matches!(
            self,
            Depth16 | Depth24 | Depth32 | Depth32f | Depth24Stencil8 | Depth32fStencil8 | Stencil8
        )
    }

    /// True if no channel has more than 8 bits (and some channel has any).
    pub fn is_at_most_8_bit(self) -> bool {
        self.channels().iter().all(|c| c.bits() <= 8)
    }

    /// Quantizes a color written by a shader.
    pub fn quantize(self, raw: [u32; 4]) -> Texel {
        let channels = self.channels();
        std::array::from_fn(|i| channels[i].quantize(raw[i]))
    }

    /// Quantizes numbers.
    pub fn quantize_numbers(self, values: [f64; 4]) -> Texel {
        let channels = self.channels();
        std::array::from_fn(|i| channels[i].quantize_number(values[i]))
    }

    /// Returns the texel's bits in memory, red lowest.
    pub fn pack(self, texel: Texel) -> u128 {
        let mut shift = 0;
        self.channels().iter().zip(texel).fold(0, |packed, (channel, value)| {
            let bits = u32::from(channel.bits());
            let mask = (1u128 << bits) - 1;
            let part = (u128::from(channel.encode(value)) & mask) << shift;
            shift += bits;
            packed | part
        })
    }

    /// Returns the texel of bits in memory.
    pub fn unpack(self, packed: u128) -> Texel {
        let mut shift = 0;
        self.channels().map(|channel| {
            let bits = u32::from(channel.bits());
            let code = (packed >> shift) & ((1u128 << bits) - 1);
            shift += bits;
            channel.decode(code as u32)
        })
    }

    /// Returns the texel as numbers; missing channels read 0, 0, 0, 1.
    pub fn to_f32(self, texel: Texel) -> [f32; 4] {
        let channels = self.channels();
        std::array::from_fn(|i| channels[i].to_f32(texel[i], if i == 3 { 1.0 } else { 0.0 }))
    }

    /// Returns the texel as a shader reads it: f32 bits or integers; missing channels read 0, 0, 0,
    /// 1.
    pub fn to_raw(self, texel: Texel) -> [u32; 4] {
        let channels = self.channels();
        let integer = channels[0].is_integer();
        std::array::from_fn(|i| channels[i].to_raw(texel[i], i == 3, integer))
    }
}

/// Rounds to nearest, halves up; NaN becomes 0.
fn float_to_unorm(value: f64, bits: u8) -> u32 {
    let max = ((1u64 << bits) - 1) as f64;
    // `clamp` keeps NaN, which the cast turns into 0. The cast rounds down.
    (value.clamp(0.0, 1.0) * max + 0.5) as u32
}

/// Rounds to nearest, halves away from zero; NaN becomes 0.
fn float_to_snorm(value: f64, bits: u8) -> i32 {
    let max = ((1u64 << (bits - 1)) - 1) as f64;
    (value.clamp(-1.0, 1.0) * max).round() as i32
}

/// Rounds to the unsigned 11 (6 mantissa bits) or 10 bit (5) format; negative values become 0.
fn small_float(value: f32, bits: u8) -> f32 {
    let mantissa = u32::from(bits) - 5;
    if value.is_nan() {
        return value;
    }
    if value <= 0.0 {
        return 0.0;
    }
    // EXT_packed_float: finite values past the range become the largest finite one.
    let code = round_to_format(value, mantissa);
    let infinity = 31 << mantissa;
    let code = if code == infinity && value.is_finite() { infinity - 1 } else { code };
    unpack_format(code, mantissa)
}

/// Rounds a non-negative number to a format with 5 exponent bits (bias 15) and `mantissa` bits, to
/// nearest even; overflow becomes infinity.
fn round_to_format(value: f32, mantissa: u32) -> u32 {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let infinity = 31 << mantissa;
    if exponent > 15 {
        return infinity;
    }
    // Bits below the target's last place: more of them for subnormal results.
    let extra = (-14 - exponent).max(0) as u32;
    let shift = 23 - mantissa + extra;
    if shift > 24 {
        return 0;
    }
    let significand = (bits & 0x7f_ffff) | 0x80_0000;
    let kept = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let rounded = kept + u32::from(rest > half || (rest == half && kept & 1 == 1));
    // The hidden bit is part of `kept`, so a carry moves into the exponent by itself.
    let base = if extra > 0 { 0 } else { ((exponent + 14) as u32) << mantissa };
    (base + rounded).min(infinity)
}

fn unpack_format(code: u32, mantissa: u32) -> f32 {
    let (exponent, fraction) = (code >> mantissa, code & ((1 << mantissa) - 1));
    let scale = (1u32 << mantissa) as f32;
    match exponent {
        0 => fraction as f32 / scale * f32::from_bits((127 - 14) << 23),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction as f32 / scale) * f32::from_bits((exponent + 127 - 15) << 23),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_numbers_and_the_same_codes() {
        for &format in Format::ALL.iter().filter(|format| format.is_unorm()) {
            for code in 0..=0xffff_u32 {
                let texel = format.channels().map(|c| code & ((1 << c.bits()) - 1));
                let numbers = format.to_f32(texel).map(f64::from);
                assert_eq!(format.quantize_numbers(numbers), texel, "{format:?}");
            }
        }
    }

    #[test]
    fn unorm8_rounds_to_nearest() {
        let q = |v: f32| Format::Rgba8.quantize([v.to_bits(); 4])[0];
        assert_eq!([q(0.0), q(1.0), q(2.0), q(-1.0), q(f32::NAN)], [0, 255, 255, 0, 0]);
        assert_eq!([q(f32::INFINITY), q(f32::NEG_INFINITY)], [255, 0]);
        for code in 0..=255u32 {
            assert_eq!(q(code as f32 / 255.0), code);
            assert_eq!(q((code as f32 + 0.499) / 255.0), code);
            assert_eq!(Format::Rgba8.to_f32([code; 4])[0], code as f32 / 255.0);
        }
    }

    #[test]
    fn snorm_reaches_both_ends() {
        let q = |v: f32| Format::R8Snorm.quantize([v.to_bits(); 4])[0] as i32;
        assert_eq!([q(-1.0), q(1.0), q(-2.0), q(0.0)], [-127, 127, -127, 0]);
        assert_eq!(Format::R8Snorm.to_f32([-128i32 as u32, 0, 0, 0])[0], -1.0);
    }

    #[test]
    fn integers_clamp() {
        assert_eq!(Format::R8i.quantize([300, 0, 0, 0])[0], 127);
        assert_eq!(Format::R8i.quantize([-300i32 as u32, 0, 0, 0])[0], -128i32 as u32);
        assert_eq!(Format::R8ui.quantize([300, 0, 0, 0])[0], 255);
        assert_eq!(Format::R32ui.quantize([!0, 0, 0, 0])[0], !0);
        assert_eq!(Format::R32i.quantize([0x8000_0000, 0, 0, 0])[0], 0x8000_0000);
    }

    #[test]
    fn missing_channels_read_as_zero_and_one() {
        assert_eq!(Format::R32f.to_f32([2.5f32.to_bits(), 9, 9, 9]), [2.5, 0.0, 0.0, 1.0]);
        assert_eq!(Format::R32i.to_raw([7, 9, 9, 9]), [7, 0, 0, 1]);
    }

    /// Every half value survives; midpoints round to even.

    #[test]
    fn packing_round_trips() {
        for &format in Format::ALL {
            for numbers in
                [[0.0, 1.0, 0.25, 0.75], [-1.0, -0.5, 1.0, -0.25], [5.0, -7.0, 100.0, 3.0]]
            {
                let texel = format.quantize_numbers(numbers);
                assert_eq!(format.unpack(format.pack(texel)), texel, "{format:?}");
            }
        }
        assert_eq!(Format::Rgba8.pack([1, 2, 3, 4]), 0x04030201);
        assert_eq!(Format::Rgb10A2.pack([1, 0, 0, 3]), 0xc0000001);
    }

    #[test]
    fn packed_floats() {
        let q =
            |v: f32| Format::R11fG11fB10f.to_f32(Format::R11fG11fB10f.quantize([v.to_bits(); 4]));
        assert_eq!(q(1.0), [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(q(-3.0), [0.0, 0.0, 0.0, 1.0]);
        // The largest finite values: (2 − 2⁻⁶)·2¹⁵ and (2 − 2⁻⁵)·2¹⁵.
        assert_eq!(q(1e9)[0], 65024.0);
        assert_eq!(q(1e9)[2], 64512.0);
        assert_eq!(q(f32::INFINITY)[0], f32::INFINITY);
    }
}
