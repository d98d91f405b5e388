//! Color and depth probes: pixels read and their comparison.
//!
//! The rules are those of piglit's probe functions; see [`ProbePath`].

pub use probes::{Expectation, ProbeFailure, ProbeValues};

use raster::format::{Format, FormatClass, Texel};
use raster::rasterize::Rect;
use raster::surface::Pixels;

/// Method of reading and comparing pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbePath {
    /// As floats, each channel within its tolerance: single pixels, and areas of deeper buffers.
    Float,
    /// As bytes, the expectation truncated: areas of buffers with at most 8 bits per channel.
    Bytes,
    /// As signed integers, exactly.
    Integer,
}

/// Pixels that were read, in stored form, so that those of two machines can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readback {
    /// The pixels read.
    pub rect: Rect,
    /// Format of the texels.
    pub format: Format,
    /// Their values.
    pub pixels: Pixels,
    /// Indices of texels of which GLSL is known to leave components undefined, ascending, with
    /// these components (bit n: component n).
    pub undefined: Vec<(u32, u8)>,
}

/// Outcome of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeResult {
    /// The first bad pixel, row by row from the bottom, undefined ones after all others; `None`
    /// when the probe passes.
    pub failure: Option<ProbeFailure>,
    /// Pixels that were read.
    pub readback: Readback,
}

impl ProbeResult {
    /// True if every pixel was as expected.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

impl Readback {
    /// Returns texel `index`, row by row from the bottom.
    pub fn texel(&self, index: usize) -> Texel {
        match &self.pixels {
            Pixels::Constant(texel) => *texel,
            Pixels::Varying(texels) => texels.get(index).copied().unwrap_or([0; 4]),
        }
    }

    /// Returns all texels, row by row from the bottom.
    pub fn texels(&self) -> impl Iterator<Item = Texel> {
        (0..self.count()).map(|index| self.texel(index))
    }

    /// Returns all texels as numbers, row by row from the bottom.
    pub fn colors(&self) -> impl Iterator<Item = [f32; 4]> {
        self.texels().map(|texel| self.format.to_f32(texel))
    }

    /// True if one of the first `channels` components of a pixel is known to be undefined.
    pub fn is_undefined(&self, x: i32, y: i32, channels: usize) -> bool {
        first_components(channels) & self.undefined_at(x, y) != 0
    }

    /// Returns the components of a pixel that are known to be undefined (bit n: component n).
    pub fn undefined_at(&self, x: i32, y: i32) -> u8 {
        let Rect { x0, y0, x1, y1 } = self.rect;
        let inside = (x0..x1).contains(&x) && (y0..y1).contains(&y);
        if inside { self.undefined_of(((y - y0) * (x1 - x0) + (x - x0)) as usize) } else { 0 }
    }

    fn undefined_of(&self, index: usize) -> u8 {
        let found = self.undefined.binary_search_by_key(&(index as u32), |(index, _)| *index);
        found.map_or(0, |at| self.undefined[at].1)
    }

    fn count(&self) -> usize {
        if self.rect.is_empty() {
            return 0;
        }
        (self.rect.x1 - self.rect.x0) as usize * (self.rect.y1 - self.rect.y0) as usize
    }

    fn position(&self, index: usize) -> (i32, i32) {
        let width = (self.rect.x1 - self.rect.x0).max(1) as usize;
        (self.rect.x0 + (index % width) as i32, self.rect.y0 + (index / width) as i32)
    }

    /// Returns the first texel, in reading order, that satisfies a predicate; one whose first
    /// `channels` components are defined, if there is any.
    fn find(&self, channels: usize, wanted: impl Fn(Texel) -> bool) -> Option<(usize, Texel)> {
        let found = |index: usize| (index, self.texel(index));
        let bad = |&index: &usize| wanted(self.texel(index));
        let defined = |index: &usize| self.undefined_of(*index) & first_components(channels) == 0;
        let count = match self.pixels {
            Pixels::Constant(_) if self.undefined.is_empty() => self.count().min(1),
            _ => self.count(),
        };
        let first = (0..count).find(bad)?;
        let second = if defined(&first) { None } else { (first..count).filter(defined).find(bad) };
        Some(found(second.unwrap_or(first)))
    }

    /// Returns the first pixel at which the readings of two machines differ by more than the
    /// mismatch rule allows: integers and exact values bit for bit, normalized values within one
    /// step, other floats within 16 units in the last place. NaN equals NaN, and undefined values
    /// equal all values.
    pub fn mismatch(&self, other: &Readback, agreement: Agreement) -> Option<(i32, i32)> {
        if self.rect != other.rect || self.format != other.format {
            return Some((self.rect.x0, self.rect.y0));
        }
        if self.pixels == other.pixels {
            return None;
        }
        let class = self.format.class();
        let differs = |&i: &usize| {
            let (a, b) = (self.texel(i), other.texel(i));
            let undefined = self.undefined_of(i) | other.undefined_of(i);
            let is_defined = |c: usize| undefined >> c & 1 == 0;
            (0..4).any(|c| is_defined(c) && !channel_matches(class, a[c], b[c], agreement))
        };
        (0..self.count()).find(differs).map(|i| self.position(i))
    }
}

/// The first components (bit n: component n).
fn first_components(count: usize) -> u8 {
    ((1u32 << count) - 1) as u8
}

/// Required agreement of two machines that run the same program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// Bit for bit: only exact and correctly rounded operations contribute.
    Exact,
    /// Within 16 units in the last place of a `float`.
    Single,
    /// Within 16 units in the last place of a `float16_t`.
    Half,
}

/// Largest difference of inexact results in units in the last place.
const UNITS: u32 = 16;

/// True if two stored channel values count as equal.
pub fn channel_matches(class: FormatClass, a: u32, b: u32, agreement: Agreement) -> bool {
    match class {
        _ if a == b => true,
        FormatClass::Int | FormatClass::Uint => false,
        FormatClass::Normalized => {
            // A half-precision error is less than one step of eight bits or fewer.
            agreement != Agreement::Exact && (i64::from(a as i32) - i64::from(b as i32)).abs() <= 1
        }
        FormatClass::Float => {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            (x.is_nan() && y.is_nan())
                || match agreement {
                    Agreement::Exact => false,
                    Agreement::Single => ulps_apart(x, y) <= UNITS,
                    Agreement::Half => within_half_units(x, y),
                }
        }
    }
}

/// True if two floats are at most 16 units in the last place of half precision apart; below its
/// normal range the smallest unit counts.
fn within_half_units(x: f32, y: f32) -> bool {
    // Half precision has 13 bits less and 2^-24 as its smallest unit.
    let smallest = 2f32.powi(-24) * UNITS as f32;
    ulps_apart(x, y) <= UNITS << 13 || (x - y).abs() <= smallest
}

/// Returns the number of representable values from one float to the other; `u32::MAX` when one is
/// NaN.
fn ulps_apart(x: f32, y: f32) -> u32 {
    if x.is_nan() || y.is_nan() {
        return u32::MAX;
    }
    let ordered = |v: f32| {
        let bits = v.to_bits() as i32;
        i64::from(if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits })
    };
    (ordered(x) - ordered(y)).unsigned_abs() as u32
}

/// Returns a texel read as GL_UNSIGNED_BYTE.
fn bytes(format: Format, texel: Texel) -> [u8; 4] {
    format.to_f32(texel).map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

fn observed(path: ProbePath, format: Format, texel: Texel) -> ProbeValues {
    match path {
        ProbePath::Float => ProbeValues::Floats(format.to_f32(texel)),
        ProbePath::Bytes => ProbeValues::Bytes(bytes(format, texel)),
        ProbePath::Integer => ProbeValues::Integers(format.to_raw(texel).map(|v| v as i32)),
    }
}

/// Compares every pixel of a readback.
pub fn compare(path: ProbePath, expectation: &Expectation, readback: Readback) -> ProbeResult {
    let observed = |texel| observed(path, readback.format, texel);
    let bad = readback.find(expectation.channels, |texel| !expectation.accepts(observed(texel)));
    let failure =
        bad.map(|(index, texel)| expectation.failure(readback.position(index), observed(texel)));
    ProbeResult { failure, readback }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expectation(value: f32) -> Expectation {
        Expectation { channels: 4, values: [value; 4], tolerance: [0.01; 4] }
    }

    fn rgba8(code: u32) -> Readback {
        Readback {
            rect: Rect { x0: 3, y0: 4, x1: 5, y1: 6 },
            format: Format::Rgba8,
            pixels: Pixels::Constant([code; 4]),
            undefined: Vec::new(),
        }
    }

    #[test]
    fn undefined_pixels_agree_with_everything() {
        let pixels = |indices: &[u32]| indices.iter().map(|&index| (index, 0xf)).collect();
        let (a, b) = (rgba8(0), Readback { undefined: pixels(&[0, 2, 3]), ..rgba8(9) });
        assert_eq!(
            [(3, 4), (4, 4), (3, 5), (5, 4), (3, 3)].map(|(x, y)| b.is_undefined(x, y, 4)),
            [true, false, true, false, false]
        );
        assert_eq!(a.mismatch(&b, Agreement::Exact), Some((4, 4)));
        let all = Readback { undefined: pixels(&[0, 1, 2, 3]), ..rgba8(9) };
        assert_eq!(
            (a.mismatch(&all, Agreement::Exact), all.mismatch(&a, Agreement::Exact)),
            (None, None)
        );
    }

    #[test]
    fn components_are_undefined_alone() {
        let undefined = (0..4).map(|index| (index, 0b1000)).collect();
        let a = Readback { undefined, ..rgba8(0) };
        assert!(a.is_undefined(3, 4, 4) && !a.is_undefined(3, 4, 3));
        let with = |texel| Readback { pixels: Pixels::Constant(texel), ..rgba8(0) };
        assert_eq!(a.mismatch(&with([0, 0, 0, 9]), Agreement::Exact), None);
        assert_eq!(a.mismatch(&with([0, 0, 9, 0]), Agreement::Exact), Some((3, 4)));
    }

    fn passes(path: ProbePath, expected: f32, code: u32) -> bool {
        compare(path, &expectation(expected), rgba8(code)).passed()
    }

    /// Three steps of tolerance around the truncated expectation.
    #[test]
    fn areas_compare_truncated_bytes() {
        assert!(passes(ProbePath::Bytes, 2.0, 255));
        assert!(passes(ProbePath::Bytes, -1.0, 0));
        assert!(!passes(ProbePath::Bytes, -0.005, 0));
        assert!(passes(ProbePath::Bytes, 0.5, 124) && passes(ProbePath::Bytes, 0.5, 130));
        assert!(!passes(ProbePath::Bytes, 0.5, 123) && !passes(ProbePath::Bytes, 0.5, 131));
    }

    #[test]
    fn single_pixels_compare_floats() {
        // 0.01 is 2.55 steps.
        for (code, pass) in [
            (125, false),
            (126, true),
            (127, true),
            (128, true),
            (129, true),
            (130, true),
            (131, false),
        ] {
            assert_eq!(passes(ProbePath::Float, 128.0 / 255.0, code), pass, "{code}");
        }
        assert!(passes(ProbePath::Float, f32::NAN, 77));
        assert!(!passes(ProbePath::Float, 2.0, 255));
    }

    #[test]
    fn failures_name_the_first_bad_pixel() {
        let mut texels = vec![[255u32; 4]; 4];
        texels[2] = [255, 0, 255, 255];
        let readback = Readback { pixels: Pixels::Varying(texels), ..rgba8(0) };
        let failure = compare(ProbePath::Bytes, &expectation(1.0), readback)
            .failure
            .expect("one pixel is wrong");
        assert_eq!((failure.x, failure.y), (3, 5));
        assert_eq!(failure.observed, ProbeValues::Bytes([255, 0, 255, 255]));
        assert_eq!(failure.expected, ProbeValues::Bytes([255; 4]));
    }

    #[test]
    fn three_channels_ignore_alpha() {
        let readback = Readback { pixels: Pixels::Constant([255, 255, 255, 0]), ..rgba8(0) };
        let rgb = Expectation { channels: 3, ..expectation(1.0) };
        assert!(compare(ProbePath::Bytes, &rgb, readback.clone()).passed());
        assert!(!compare(ProbePath::Bytes, &expectation(1.0), readback).passed());
    }

    #[test]
    fn integers_compare_exactly() {
        let readback = Readback {
            format: Format::Rgba32i,
            pixels: Pixels::Constant([-5i32 as u32, 1, 2, 3]),
            ..rgba8(0)
        };
        let values = [-5i32 as u32, 1, 2, 3].map(f32::from_bits);
        let wanted = Expectation { values, ..expectation(0.0) };
        assert!(compare(ProbePath::Integer, &wanted, readback.clone()).passed());
        let wrong = Expectation { values: [-5i32 as u32, 1, 2, 4].map(f32::from_bits), ..wanted };
        assert!(!compare(ProbePath::Integer, &wrong, readback).passed());
    }

    #[test]
    fn mismatch_rule() {
        use FormatClass::*;
        let f = |v: f32| v.to_bits();
        use Agreement::{Exact, Half, Single};
        assert!(channel_matches(Normalized, 127, 128, Single));
        assert!(!channel_matches(Normalized, 127, 128, Exact));
        assert!(!channel_matches(Normalized, 127, 129, Single));
        assert!(!channel_matches(Int, 1, 2, Half));
        assert!(channel_matches(Float, f(f32::NAN), f(-f32::NAN), Exact));
        assert!(!channel_matches(Float, f(f32::NAN), f(1.0), Half));
        assert!(channel_matches(Float, f(1.0), f(1.0) + 16, Single));
        assert!(!channel_matches(Float, f(1.0), f(1.0) + 17, Single));
        assert!(channel_matches(Float, f(1.0), f(1.0) + (16 << 13), Half));
        assert!(!channel_matches(Float, f(1.0), f(1.0) + (16 << 13) + 1, Half));
        assert!(channel_matches(Float, f(0.0), f(9.5e-7), Half));
        assert!(!channel_matches(Float, f(0.0), f(9.6e-7), Half));
        assert!(channel_matches(Float, f(0.0), f(-0.0), Single));
        assert!(!channel_matches(Float, f(0.0), f(-0.0), Exact));
        let (a, b) = (rgba8(10), rgba8(12));
        assert_eq!(a.mismatch(&b, Single), Some((3, 4)));
        assert_eq!(a.mismatch(&rgba8(11), Single), None);
    }
}
