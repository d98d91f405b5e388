//! Expectations.

use std::sync::Arc;

use super::format::Format;
use super::ids::BufferId;

/// An expectation about a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The buffer.
    pub buffer: BufferId,
    /// The expected contents.
    pub expected: Expected,
}

/// Expected contents.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// Values, part by part of the format.
    Values {
        /// Byte offset of the first element.
        offset: u32,
        /// The format in which the bytes are read.
        format: Arc<Format>,
        /// The comparison: actual value, comparison, expected value.
        comparison: Comparison,
        /// The expected values, part by part. The last element may be incomplete.
        values: Vec<Literal>,
        /// Tolerances of the parts of an element, or one for all, or none. Integers are compared
        /// exactly except by `FuzzyEqual`; floats are compared exactly without a tolerance.
        tolerances: Vec<Tolerance>,
    },
    /// The color of texels.
    Texels {
        /// The texels.
        area: Area,
        /// Red, green, blue, alpha.
        color: [f64; 4],
        /// Alpha is compared, too.
        alpha: bool,
        /// Tolerances of the channels, red first, or one for all.
        tolerances: Vec<Tolerance>,
    },
    /// The same bytes as another buffer of the same format and size.
    EqualBuffer {
        /// The other buffer.
        other: BufferId,
    },
    /// Root of the mean square of differences to another buffer of the same format and size.
    RmseBuffer {
        /// The other buffer.
        other: BufferId,
        /// The largest accepted value.
        tolerance: f32,
    },
    /// Earth mover's distance of the histograms of both buffers.
    HistogramEmdBuffer {
        /// The other buffer.
        other: BufferId,
        /// The largest accepted value.
        tolerance: f32,
    },
}

/// A part of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Area {
    /// Everything.
    Whole,
    /// Texels: x, y, width, height.
    Texels([u32; 4]),
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Equal within the tolerances.
    FuzzyEqual,
    /// Not equal.
    NotEqual,
    /// Less.
    Less,
    /// Less or equal.
    LessOrEqual,
    /// Greater.
    Greater,
    /// Greater or equal.
    GreaterOrEqual,
}

/// An expected value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// The bits of an integer; the part has as many as it has.
    Integer(u64),
    /// A number for a floating-point part, rounded to the part's precision.
    Real(f64),
}

/// An accepted difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// A difference.
    Absolute(f64),
    /// A percentage of the expected value.
    Percent(f64),
}
