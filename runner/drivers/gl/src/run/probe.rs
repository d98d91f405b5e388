//! Probes of pixels.

use probes::{Expectation, PixelRect, ProbeValues, describe, leaves_framebuffer, pixels_of};
use script::{Area, Expected, Probe};
use vocabulary::Phase;

use super::session::Run;
use crate::bindings::gl;
use crate::capabilities::clear_errors;
use crate::outcome::{Flow, PixelValues, Pixels, ReadValues, Reading, fail};

/// Maximum number of pixels of a probe.
const MOST_PIXELS: i64 = 1 << 26;
/// Largest coordinate that a driver gets. Pixels outside of a framebuffer are undefined wherever
/// they are, and Mesa's sums of coordinates overflow.
const FARTHEST: i32 = 1 << 24;

impl Run<'_> {
    pub(super) fn probe(&mut self, probe: &Probe) -> Flow {
        let Probe::Pixels { area, expected, warn } = probe else {
            return self.probe_buffer(probe);
        };
        let rect = pixels_of(area, self.framebuffers.read_size);
        if i64::from(rect.width.max(0)) * i64::from(rect.height.max(0)) > MOST_PIXELS {
            return Err(fail(Phase::Probe, "the rectangle is too large"));
        }
        if leaves_framebuffer(rect, self.framebuffers.read_size) {
            return Err(fail(Phase::Probe, "nothing to read: the area leaves the framebuffer"));
        }
        let single = matches!(area, Area::Pixel { .. } | Area::RelativePixel(_));
        // Errors of earlier commands are none of the read.
        clear_errors(self.api);
        let (expectation, values) = self.read_pixels(rect, single, expected);
        self.check_gl_error()?;
        let values = compressed(values);
        if let Some(text) = first_failure(rect, &expectation, &values) {
            self.record(Some(self.line), *warn, Phase::Probe, text);
            self.record_image();
        }
        let values = ReadValues::Pixels(Pixels { rect, values });
        self.outcome.readings.push(Reading { line: self.line, values });
        Ok(())
    }

    /// Reads the pixels in the form in which they are compared.
    fn read_pixels(
        &self,
        rect: PixelRect,
        single: bool,
        expected: &Expected,
    ) -> (Expectation, PixelValues) {
        let PixelRect { width, height, .. } = rect;
        let [x, y] = [rect.x, rect.y].map(|place| place.clamp(-FARTHEST, FARTHEST));
        let place = [x, y, width.max(0), height.max(0)];
        let expectation = Expectation::of(expected, self.tolerance);
        match expected {
            Expected::RgbaInt(_) => {
                return (expectation, PixelValues::Integers(self.api.read_integers(place)));
            }
            Expected::Depth(_) => {
                let depth = self.api.read_depth(x, y);
                return (expectation, PixelValues::Floats(vec![[depth, 0.0, 0.0, 1.0]]));
            }
            Expected::Rgb(_) | Expected::Rgba(_) => {}
        }
        let values = if self.is_es() {
            // Bytes are all that every version of ES reads.
            let bytes = self.api.read_bytes(place);
            let float = |pixel: [u8; 4]| pixel.map(|v| f32::from(v) / 255.0);
            PixelValues::Floats(bytes.into_iter().map(float).collect())
        } else if !single && self.reads_bytes() {
            PixelValues::Bytes(self.api.read_bytes(place))
        } else {
            PixelValues::Floats(self.api.read_floats(place))
        };
        (expectation, values)
    }

    /// Records the read framebuffer once, for outcomes with an image.
    pub(super) fn record_image(&mut self) {
        let (width, height) = self.framebuffers.read_size;
        let rect = PixelRect { x: 0, y: 0, width: width as i32, height: height as i32 };
        let pixels = i64::from(width) * i64::from(height);
        if !self.observe.image || self.outcome.image.is_some() || pixels > MOST_PIXELS {
            return;
        }
        let place = [0, 0, rect.width, rect.height];
        clear_errors(self.api);
        let mut values = PixelValues::Bytes(self.api.read_bytes(place));
        if clear_errors(self.api) {
            // Integer pixels cannot be read as normalized ones.
            values = PixelValues::Integers(self.api.read_integers(place));
        }
        if !clear_errors(self.api) {
            self.outcome.image = Some(Pixels { rect, values });
        }
    }

    /// Returns true if areas of the read framebuffer are compared as bytes: no channel of its color
    /// attachment has more than 8 bits.
    fn reads_bytes(&self) -> bool {
        let sizes = [
            gl::FRAMEBUFFER_ATTACHMENT_RED_SIZE,
            gl::FRAMEBUFFER_ATTACHMENT_GREEN_SIZE,
            gl::FRAMEBUFFER_ATTACHMENT_BLUE_SIZE,
            gl::FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE,
        ];
        if !self.capabilities.has("GL_ARB_framebuffer_object") {
            return false;
        }
        let (target, attachment) = (gl::READ_FRAMEBUFFER, gl::COLOR_ATTACHMENT0);
        let sizes = sizes.map(|size| self.api.get_attachment(target, attachment, size));
        sizes.iter().all(|&size| size <= 8) && sizes.iter().any(|&size| size > 0)
    }
}

/// Describes the first pixel, row by row from the bottom, that does not meet the expectation.
fn first_failure(
    rect: PixelRect,
    expectation: &Expectation,
    values: &PixelValues,
) -> Option<String> {
    fn find<T: Copy + PartialEq>(
        pixels: &[[T; 4]],
        expectation: &Expectation,
        read: impl Fn([T; 4]) -> ProbeValues,
    ) -> Option<(usize, ProbeValues)> {
        // Most pixels equal the one before.
        let mut index = 0;
        for run in pixels.chunk_by(|a, b| a == b) {
            let values = read(run[0]);
            if !expectation.accepts(values) {
                return Some((index, values));
            }
            index += run.len();
        }
        None
    }
    let (index, observed) = match values {
        PixelValues::Bytes(pixels) => find(pixels, expectation, ProbeValues::Bytes),
        PixelValues::Floats(pixels) => find(pixels, expectation, ProbeValues::Floats),
        PixelValues::Integers(pixels) => find(pixels, expectation, ProbeValues::Integers),
    }?;
    let width = rect.width.max(1) as usize;
    let place = (rect.x + (index % width) as i32, rect.y + (index / width) as i32);
    Some(describe(&expectation.failure(place, observed)))
}

/// Number of pixels that are compared at once.
const BLOCK: usize = 64;

/// Replaces equal pixels by a single one.
fn compressed(values: PixelValues) -> PixelValues {
    /// Returns true if all pixels have the same bits. The comparison of a block has no exit, so
    /// that it becomes vector instructions: windows have 62,500 pixels, and most are equal.
    fn are_equal<T: Copy, B: PartialEq>(pixels: &[T], bits: impl Fn(T) -> B) -> bool {
        let Some(first) = pixels.first().map(|&pixel| bits(pixel)) else { return false };
        let differs = |block: &[T]| block.iter().fold(false, |any, &p| any | (bits(p) != first));
        !pixels.chunks(BLOCK).any(differs)
    }
    fn single<T: Copy, B: PartialEq>(mut pixels: Vec<T>, bits: impl Fn(T) -> B) -> Vec<T> {
        if are_equal(&pixels, bits) {
            pixels.truncate(1);
            pixels.shrink_to_fit();
        }
        pixels
    }
    match values {
        PixelValues::Bytes(pixels) => PixelValues::Bytes(single(pixels, u32::from_ne_bytes)),
        PixelValues::Floats(pixels) => {
            PixelValues::Floats(single(pixels, |pixel| pixel.map(f32::to_bits)))
        }
        PixelValues::Integers(pixels) => PixelValues::Integers(single(pixels, |pixel| pixel)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_the_first_bad_pixel() {
        let rect = PixelRect { x: 3, y: 4, width: 2, height: 2 };
        let green = Expectation { channels: 4, values: [0.0, 1.0, 0.0, 1.0], tolerance: [0.01; 4] };
        let mut pixels = vec![[0, 255, 0, 255]; 4];
        assert_eq!(first_failure(rect, &green, &PixelValues::Bytes(pixels.clone())), None);
        pixels[2] = [9, 255, 0, 255];
        let text = first_failure(rect, &green, &PixelValues::Bytes(pixels)).unwrap();
        assert_eq!(text, "Probe color at (3,5)\n  Expected: 0 255 0 255\n  Observed: 9 255 0 255");
    }

    #[test]
    fn equal_pixels_take_the_place_of_one() {
        let values = compressed(PixelValues::Bytes(vec![[1; 4]; 9]));
        assert_eq!(values, PixelValues::Bytes(vec![[1; 4]]));
        let mixed = PixelValues::Integers(vec![[1; 4], [2; 4]]);
        assert_eq!(compressed(mixed.clone()), mixed);
        // The last pixel of an incomplete block counts, too.
        let mut pixels = vec![[0.5; 4]; 2 * BLOCK + 1];
        pixels[2 * BLOCK][3] = 1.0;
        let mixed = PixelValues::Floats(pixels);
        assert_eq!(compressed(mixed.clone()), mixed);
        let empty = PixelValues::Bytes(Vec::new());
        assert_eq!(compressed(empty.clone()), empty);
    }
}
