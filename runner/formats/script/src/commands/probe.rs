//! Probes: the observed values and the expected ones.

use super::arguments::Arguments;
use super::buffer::{ATOMIC_BUFFERS, MAX_BYTES, SSBO_BUFFERS, SsboValue, XFB_BUFFERS};
use crate::error::Fault;
use crate::patterns::Pattern;

/// A probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probe {
    /// Pixels of the current read framebuffer.
    Pixels {
        /// The pixels.
        area: Area,
        /// Expected value of each pixel.
        expected: Expected,
        /// A mismatch is a warning (`probe warn all rgba`).
        warn: bool,
    },
    /// A 32-bit word of an atomic counter buffer.
    AtomicCounter {
        /// Buffer, below 8.
        buffer: u32,
        /// The word.
        position: AtomicPosition,
        /// Comparison operator.
        comparison: Comparison,
        /// Right operand of the comparison.
        value: u32,
    },
    /// A value in a shader storage buffer.
    Ssbo {
        /// Buffer, below 32.
        buffer: u32,
        /// Offset in bytes.
        offset: u32,
        /// Comparison operator.
        comparison: Comparison,
        /// Right operand of the comparison; its variant is the type that is read.
        value: SsboValue,
    },
    /// An element of a feedback buffer; must be closer to the value than the first channel's
    /// tolerance.
    Feedback {
        /// Buffer, below 4.
        buffer: u32,
        /// Element, in units of the value's type.
        index: u32,
        /// `Float` or `Double`; its variant is the type that is read.
        value: SsboValue,
    },
}

/// Pixels of a probe; origin at the lower left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Area {
    /// One pixel.
    Pixel {
        /// Column.
        x: i32,
        /// Row.
        y: i32,
    },
    /// One pixel at a fraction of the read size.
    RelativePixel([f32; 2]),
    /// x, y, width, height in pixels.
    Rect([i32; 4]),
    /// x, y, width, height as fractions of the read size.
    RelativeRect([f32; 4]),
    /// The whole read size.
    All,
}

/// Expected value of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// Red, green, blue; alpha is not compared.
    Rgb([f32; 3]),
    /// All four channels.
    Rgba([f32; 4]),
    /// All four channels of an integer framebuffer, exactly.
    RgbaInt([i32; 4]),
    /// Depth, within 0.01.
    Depth(f32),
}

/// Word of an atomic counter buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicPosition {
    /// Counter number: 4 bytes each.
    Counter(u32),
    /// Offset in bytes.
    Offset(u32),
}

/// A comparison `observed OP value`.
///
/// Piglit reads `!=` as `>`. A greater value is also unequal, so a test that passes there also
/// passes with the plain meaning of [`Comparison::holds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// Every operator; an operator that is a prefix of another comes later.
    pub const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::LessEqual,
        Comparison::Less,
        Comparison::GreaterEqual,
        Comparison::Greater,
    ];

    /// The operator's spelling.
    pub fn text(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }

    /// Returns whether `observed OP value` is true. NaN is unequal to everything and not ordered.
    pub fn holds<T: PartialOrd>(self, observed: T, value: T) -> bool {
        match self {
            Comparison::Equal => observed == value,
            Comparison::NotEqual => observed != value,
            Comparison::Less => observed < value,
            Comparison::LessEqual => observed <= value,
            Comparison::Greater => observed > value,
            Comparison::GreaterEqual => observed >= value,
        }
    }

    fn from_word(word: &str) -> Option<Comparison> {
        Self::ALL.into_iter().find(|comparison| comparison.text() == word)
    }
}

pub(super) fn probe<'a>(
    pattern: Pattern,
    arguments: &mut Arguments<'a, '_>,
) -> Result<Probe, Fault<'a>> {
    use Pattern as P;
    let captures = arguments.captures;
    Ok(match pattern {
        P::ProbeRgb => pixels(pixel(arguments), Expected::Rgb(arguments.floats())),
        P::ProbeRgba => pixels(pixel(arguments), Expected::Rgba(arguments.floats())),
        P::ProbeDepth => pixels(pixel(arguments), Expected::Depth(arguments.floats::<1>()[0])),
        P::RelativeProbeRgb => {
            pixels(Area::RelativePixel(captures.singles(0)), Expected::Rgb(captures.singles(2)))
        }
        P::RelativeProbeRgba => {
            pixels(Area::RelativePixel(captures.singles(0)), Expected::Rgba(captures.singles(2)))
        }
        P::ProbeRectRgba => {
            pixels(Area::Rect(captures.signeds(0)), Expected::Rgba(captures.singles(4)))
        }
        P::RelativeProbeRectRgb => {
            pixels(Area::RelativeRect(captures.singles(0)), Expected::Rgb(captures.singles(4)))
        }
        P::RelativeProbeRectRgba => {
            pixels(Area::RelativeRect(captures.singles(0)), Expected::Rgba(captures.singles(4)))
        }
        P::RelativeProbeRectRgbaInt => {
            pixels(Area::RelativeRect(captures.singles(0)), Expected::RgbaInt(captures.signeds(4)))
        }
        P::ProbeAllRgb => pixels(Area::All, Expected::Rgb(arguments.floats())),
        P::ProbeAllRgba => pixels(Area::All, Expected::Rgba(arguments.floats())),
        P::ProbeWarnAllRgba => Probe::Pixels {
            area: Area::All,
            expected: Expected::Rgba(arguments.floats()),
            warn: true,
        },
        P::ProbeAtomicCounter => Probe::AtomicCounter {
            buffer: 0,
            position: AtomicPosition::Counter(captures.unsigned(0)),
            comparison: comparison(arguments, 1)?,
            value: captures.unsigned(2),
        },
        P::ProbeAtomicCounterBuffer => Probe::AtomicCounter {
            buffer: arguments.bounded(captures.unsigned(0), ATOMIC_BUFFERS, "atomic buffer")?,
            position: AtomicPosition::Offset(captures.unsigned(1)),
            comparison: comparison(arguments, 2)?,
            value: captures.unsigned(3),
        },
        P::ProbeSsboUintHex => ssbo(arguments, SsboValue::Uint(captures.hex(3)))?,
        P::ProbeSsboUint => ssbo(arguments, SsboValue::Uint(captures.signed(3) as u32))?,
        P::ProbeSsboUint64 => ssbo(arguments, SsboValue::Uint64(captures.unsigned64(3)))?,
        P::ProbeSsboInt => ssbo(arguments, SsboValue::Int(captures.signed(3)))?,
        P::ProbeSsboInt64 => ssbo(arguments, SsboValue::Int64(captures.signed64(3)))?,
        P::ProbeSsboDouble => ssbo(arguments, SsboValue::Double(captures.double(3)))?,
        P::ProbeSsboFloat => ssbo(arguments, SsboValue::Float(captures.single(3)))?,
        P::ProbeXfbBufferFloat => feedback(arguments, SsboValue::Float(captures.single(2)))?,
        P::ProbeXfbBufferDouble => feedback(arguments, SsboValue::Double(captures.double(2)))?,
        _ => return Err(arguments.malformed("not a probe")),
    })
}

fn pixels(area: Area, expected: Expected) -> Probe {
    Probe::Pixels { area, expected, warn: false }
}

/// Absolute coordinates are read as floats and cut to integers.
fn pixel(arguments: &mut Arguments<'_, '_>) -> Area {
    let [x, y] = arguments.floats();
    Area::Pixel { x: x as i32, y: y as i32 }
}

fn comparison<'a>(arguments: &Arguments<'a, '_>, index: usize) -> Result<Comparison, Fault<'a>> {
    arguments.chosen(
        arguments.captures.word(index),
        "one of == != <= < >= >",
        Comparison::from_word,
    )
}

fn ssbo<'a>(arguments: &Arguments<'a, '_>, value: SsboValue) -> Result<Probe, Fault<'a>> {
    let captures = arguments.captures;
    Ok(Probe::Ssbo {
        buffer: arguments.bounded(captures.signed(0) as u32, SSBO_BUFFERS, "storage buffer")?,
        offset: arguments.size(captures.signed(1), MAX_BYTES, "offset")?,
        comparison: comparison(arguments, 2)?,
        value,
    })
}

fn feedback<'a>(arguments: &Arguments<'a, '_>, value: SsboValue) -> Result<Probe, Fault<'a>> {
    let captures = arguments.captures;
    Ok(Probe::Feedback {
        buffer: arguments.bounded(captures.unsigned(0), XFB_BUFFERS, "feedback buffer")?,
        index: captures.unsigned(1),
        value,
    })
}
