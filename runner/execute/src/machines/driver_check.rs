//! Comparison of the values that a driver's probes read with those of the interpreter.
//!
//! The specification leaves drivers some freedom, so that the rule is wider than that between
//! simulator and interpreter:
//!
//! * Floats may differ by 16 units in the last place: division may be off by 2.5, and a driver may
//!   contract `a * b + c` (GLSL 4.60 section 4.7.1). Other operations are inexact, some without a
//!   bound; floats of programs with such operations may differ by 0.02 and one percent, normalized
//!   values by six steps of 8 bits: as much as two values that pass a probe.
//! * Subnormal values may be zero, and NaN need not be generated (the same section).
//! * Normalized values may differ by one step of their format, floats of fewer bits by one step.
//!
//! Integers must be equal.

use std::fmt::Debug;

use gl_driver::{PixelValues, Pixels, ReadValues, Reading};
use gl_machine::probe::{ProbeResult, Readback};
use probes::{Condition, Expectation, ProbeValues};
use raster::format::{Channel, Format, FormatClass};
use script::SsboValue;

/// Largest difference of floats in units in the last place.
const UNITS: u64 = 16;

/// Required closeness of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closeness {
    /// The specification determines the value, up to the freedom of exact operations.
    Exact,
    /// The value depends on inexact operations.
    Inexact,
    /// The value may be undefined.
    Undefined,
}

/// The driver's readings, to be compared in the order of the probes.
#[derive(Debug)]
pub(crate) struct DriverCheck {
    readings: std::vec::IntoIter<Reading>,
    found: Findings,
}

/// Findings of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// The first difference.
    pub(crate) difference: Option<String>,
    /// A probe failed on the driver at a defined value, or may have.
    pub(crate) driver_fails: bool,
    /// The same on the reference interpreter.
    pub(crate) reference_fails: bool,
}

impl Findings {
    /// Findings without a comparison: any probe may have failed at a defined value.
    pub(crate) fn unread() -> Findings {
        Findings { difference: None, driver_fails: true, reference_fails: true }
    }
}

impl DriverCheck {
    pub(crate) fn new(readings: Vec<Reading>) -> DriverCheck {
        DriverCheck { readings: readings.into_iter(), found: Findings::default() }
    }

    /// Returns the findings. Values that only one of the two read are beyond judgment.
    pub(crate) fn findings(mut self) -> Findings {
        if self.readings.next().is_some() {
            self.stop();
        }
        self.found
    }

    /// Returns the driver's reading of the next probe. Without one of the same line there is
    /// nothing more to compare.
    fn next(&mut self, line: u32) -> Option<ReadValues> {
        match self.readings.next() {
            Some(reading) if reading.line == line => Some(reading.values),
            _ => {
                self.stop();
                None
            }
        }
    }

    fn stop(&mut self) {
        self.readings = Vec::new().into_iter();
        (self.found.driver_fails, self.found.reference_fails) = (true, true);
    }

    /// Compares the pixels of a probe with those of the reference interpreter.
    pub(crate) fn pixels(
        &mut self,
        line: u32,
        expectation: &Expectation,
        reference: &ProbeResult,
        closeness: Closeness,
    ) {
        let Some(ReadValues::Pixels(pixels)) = self.next(line) else { return };
        if closeness == Closeness::Undefined {
            return;
        }
        let readback = &reference.readback;
        self.found.driver_fails |= fails(&pixels, readback, expectation);
        let is_defined = |failure: &probes::ProbeFailure| {
            !readback.is_undefined(failure.x, failure.y, failure.channels)
        };
        self.found.reference_fails |= reference.failure.as_ref().is_some_and(is_defined);
        if self.found.difference.is_none() {
            self.found.difference = difference(&pixels, readback, closeness)
                .map(|text| format!("line {line}: driver and reference differ at {text}"));
        }
    }

    /// Compares a value in a buffer with that of the reference interpreter.
    pub(crate) fn value(
        &mut self,
        line: u32,
        condition: &Condition,
        bits: u64,
        closeness: Closeness,
    ) {
        let Some(ReadValues::Bytes(bytes)) = self.next(line) else { return };
        if closeness == Closeness::Undefined {
            return;
        }
        let driver = probes::bits_of(&bytes);
        self.found.driver_fails |= !condition.holds(driver);
        self.found.reference_fails |= !condition.holds(bits);
        let same = same_value(condition.value, driver, bits, closeness);
        if self.found.difference.is_none() && !same {
            let text = format!("line {line}: driver {driver:#x} against reference {bits:#x}");
            self.found.difference = Some(text);
        }
    }
}

/// Returns true if a defined pixel of the driver does not meet the expectation.
fn fails(pixels: &Pixels, readback: &Readback, expectation: &Expectation) -> bool {
    let width = pixels.rect.width.max(0) as usize;
    let count = width * pixels.rect.height.max(0) as usize;
    let is_undefined = |index: usize| {
        let (x, y) = ((index % width) as i32, (index / width) as i32);
        readback.is_undefined(pixels.rect.x + x, pixels.rect.y + y, expectation.channels)
    };
    let bad = |index: usize| match &pixels.values {
        PixelValues::Bytes(values) => refuses(expectation, values, index, ProbeValues::Bytes),
        PixelValues::Floats(values) => refuses(expectation, values, index, ProbeValues::Floats),
        PixelValues::Integers(values) => refuses(expectation, values, index, ProbeValues::Integers),
    };
    (0..count).any(|index| bad(index) && !is_undefined(index))
}

/// Returns true if one pixel of many, or of many that are alike, does not meet the expectation.
fn refuses<T: Copy>(
    expectation: &Expectation,
    values: &[[T; 4]],
    index: usize,
    kind: impl Fn([T; 4]) -> ProbeValues,
) -> bool {
    let value = if values.len() == 1 { values.first() } else { values.get(index) };
    value.is_some_and(|&value| !expectation.accepts(kind(value)))
}

/// Describes the first pixel that differs.
fn difference(pixels: &Pixels, readback: &Readback, closeness: Closeness) -> Option<String> {
    let width = usize::try_from(pixels.rect.width.max(0)).ok()?;
    let height = usize::try_from(pixels.rect.height.max(0)).ok()?;
    let is_single = match &pixels.values {
        PixelValues::Bytes(values) => values.len() == 1,
        PixelValues::Floats(values) => values.len() == 1,
        PixelValues::Integers(values) => values.len() == 1,
    };
    let is_constant = is_single
        && readback.undefined.is_empty()
        && matches!(readback.pixels, raster::surface::Pixels::Constant(_));
    for index in 0..if is_constant { (width * height).min(1) } else { width * height } {
        let place =
            (pixels.rect.x + (index % width) as i32, pixels.rect.y + (index / width) as i32);
        let undefined = readback.undefined_at(place.0, place.1);
        let texel = readback.texel(index);
        let format = readback.format;
        let wanted = format.to_f32(texel);
        let at = |count: usize| if count == 1 { 0 } else { index };
        let (x, y) = place;
        let text = |driver: &dyn Debug, reference: &dyn Debug| {
            Some(format!("({x},{y})\n  Driver: {driver:?}\n  Reference: {reference:?}"))
        };
        match &pixels.values {
            PixelValues::Bytes(values) => {
                let driver = values.get(at(values.len()))?.map(|v| f32::from(v) / 255.0);
                let driver = or_reference(driver, wanted, undefined);
                if !same_colors(format, driver, wanted, closeness) {
                    return text(&driver, &wanted);
                }
            }
            PixelValues::Floats(values) => {
                let driver = or_reference(*values.get(at(values.len()))?, wanted, undefined);
                if !same_colors(format, driver, wanted, closeness) {
                    return text(&driver, &wanted);
                }
            }
            PixelValues::Integers(values) => {
                let wanted = format.to_raw(texel).map(|v| v as i32);
                let driver = or_reference(*values.get(at(values.len()))?, wanted, undefined);
                if driver != wanted {
                    return text(&driver, &wanted);
                }
            }
        }
    }
    None
}

/// Replaces undefined components of a driver by those of the reference.
fn or_reference<T: Copy>(driver: [T; 4], reference: [T; 4], undefined: u8) -> [T; 4] {
    std::array::from_fn(|c| if undefined >> c & 1 != 0 { reference[c] } else { driver[c] })
}

/// Compares the channels that a format has.
fn same_colors(
    format: Format,
    driver: [f32; 4],
    reference: [f32; 4],
    closeness: Closeness,
) -> bool {
    if format.class() == FormatClass::Int || format.class() == FormatClass::Uint {
        // Integer pixels that are read as floats are errors.
        return true;
    }
    let channels = format.channels();
    (0..4).all(|c| same_channel(channels[c], driver[c], reference[c], closeness))
}

fn same_channel(channel: Channel, driver: f32, reference: f32, closeness: Closeness) -> bool {
    if reference.is_nan() || driver == reference {
        return true;
    }
    if closeness == Closeness::Inexact {
        return roughly(f64::from(driver), f64::from(reference));
    }
    match channel {
        Channel::Unorm(bits) | Channel::Snorm(bits) => {
            // Depth of 24 bits is interpolated with less.
            let steps = (1u64 << bits.min(16)) - 1;
            f64::from((driver - reference).abs()) * steps as f64 <= 1.5
        }
        Channel::Float(32) => same_float(driver, reference),
        // The smallest mantissa has 5 bits.
        Channel::Float(_) => (driver - reference).abs() <= reference.abs() / 32.0 + 1e-4,
        Channel::Int(_) | Channel::Uint(_) | Channel::None => true,
    }
}

/// Compares values of inexact programs.
fn roughly(driver: f64, reference: f64) -> bool {
    // Six steps of 8 bits are less than this.
    (driver - reference).abs() <= 0.024 + reference.abs() / 100.0
}

fn same_float(driver: f32, reference: f32) -> bool {
    let tiny = |value: f32| value.abs() < f32::MIN_POSITIVE;
    let near = probes::f32_ulps(driver, reference).is_some_and(|ulps| ulps <= UNITS);
    reference.is_nan() || near || (tiny(driver) && tiny(reference))
}

fn same_double(driver: f64, reference: f64) -> bool {
    let tiny = |value: f64| value.abs() < f64::MIN_POSITIVE;
    let near = probes::f64_ulps(driver, reference).is_some_and(|ulps| ulps <= UNITS);
    reference.is_nan() || near || (tiny(driver) && tiny(reference))
}

fn same_value(kind: SsboValue, driver: u64, reference: u64, closeness: Closeness) -> bool {
    let inexact = closeness == Closeness::Inexact;
    match kind {
        SsboValue::Float(_) => {
            let [a, b] = [driver, reference].map(|bits| f32::from_bits(bits as u32));
            same_float(a, b) || (inexact && roughly(a.into(), b.into()))
        }
        SsboValue::Double(_) => {
            let [a, b] = [driver, reference].map(f64::from_bits);
            same_double(a, b) || (inexact && roughly(a, b))
        }
        SsboValue::Uint(_) | SsboValue::Int(_) => driver as u32 == reference as u32,
        SsboValue::Uint64(_) | SsboValue::Int64(_) => driver == reference,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gl_machine::probe::{ProbePath, compare};
    use probes::PixelRect;
    use raster::rasterize::Rect;
    use raster::surface::Pixels as Stored;

    fn readback(code: u32) -> Readback {
        Readback {
            rect: Rect { x0: 1, y0: 2, x1: 3, y1: 3 },
            format: Format::Rgba8,
            pixels: Stored::Constant([code; 4]),
            undefined: Vec::new(),
        }
    }

    fn result(readback: Readback) -> ProbeResult {
        ProbeResult { failure: None, readback }
    }

    fn gray(code: u8) -> Expectation {
        let values = [f32::from(code) / 255.0; 4];
        Expectation { channels: 4, values, tolerance: [0.01; 4] }
    }

    fn driver(pixels: &[[u8; 4]]) -> DriverCheck {
        let rect = PixelRect { x: 1, y: 2, width: 2, height: 1 };
        let values = PixelValues::Bytes(pixels.to_vec());
        let values = ReadValues::Pixels(Pixels { rect, values });
        DriverCheck::new(vec![Reading { line: 7, values }])
    }

    #[test]
    fn normalized_values_may_differ_by_a_step() {
        use Closeness::{Exact, Inexact, Undefined};
        let differs = |pixels: &[[u8; 4]], line, closeness| {
            let mut check = driver(pixels);
            check.pixels(line, &gray(100), &result(readback(100)), closeness);
            check.findings().difference
        };
        assert_eq!(differs(&[[101; 4]], 7, Exact), None);
        assert_eq!(differs(&[[100; 4], [102; 4]], 7, Inexact), None);
        assert_eq!(differs(&[[100; 4], [202; 4]], 7, Undefined), None);
        assert_eq!(differs(&[[100; 4], [102; 4]], 8, Exact), None);
        assert!(differs(&[[100; 4], [109; 4]], 7, Inexact).is_some());
        let text = differs(&[[100; 4], [102; 4]], 7, Exact).expect("a difference");
        assert!(text.starts_with("line 7: driver and reference differ at (2,2)\n"), "{text}");
    }

    #[test]
    fn undefined_pixels_agree() {
        let mut check = driver(&[[100; 4], [102; 4]]);
        let reference = result(Readback { undefined: vec![(1, 0xf)], ..readback(100) });
        check.pixels(7, &gray(100), &reference, Closeness::Exact);
        assert_eq!(check.findings().difference, None);
    }

    #[test]
    fn only_defined_pixels_fail() {
        let fails = |undefined: &[u32], expected, line| {
            let mut check = driver(&[[100; 4], [200; 4]]);
            let undefined = undefined.iter().map(|&index| (index, 0xf)).collect();
            let readback = Readback { undefined, ..readback(100) };
            let reference = compare(ProbePath::Bytes, &gray(expected), readback);
            check.pixels(line, &gray(expected), &reference, Closeness::Exact);
            let Findings { driver_fails, reference_fails, .. } = check.findings();
            (driver_fails, reference_fails)
        };
        assert_eq!(fails(&[], 100, 7), (true, false));
        assert_eq!(fails(&[1], 100, 7), (false, false));
        assert_eq!(fails(&[0], 100, 7), (true, false));
        // The reference fails at both pixels.
        assert_eq!(fails(&[], 200, 7), (true, true));
        assert_eq!(fails(&[0], 200, 7), (false, true));
        assert_eq!(fails(&[0, 1], 200, 7), (false, false));
        // Another probe than the driver's.
        assert_eq!(fails(&[0, 1], 200, 8), (true, true));
    }

    #[test]
    fn freedom_of_floats() {
        assert!(same_float(1.0, f32::from_bits(1.0f32.to_bits() + 16)));
        assert!(!same_float(1.0, f32::from_bits(1.0f32.to_bits() + 17)));
        assert!(same_float(0.0, f32::from_bits(1)) && same_float(1.0, f32::NAN));
        assert!(!same_float(f32::NAN, 1.0) && !same_float(0.0, f32::MIN_POSITIVE));
        assert!(same_double(0.0, f64::from_bits(1)) && !same_double(0.0, 1.0));
    }
}
