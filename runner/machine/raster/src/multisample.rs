//! Multisample state of a draw and its effect on fragments.

use crate::format::Format;
use crate::rasterize::samples;

/// State of a draw to one sample of each pixel. By default there is one sample, in the center.
#[derive(Clone, Debug, PartialEq)]
pub struct Multisample {
    /// Positions of the samples in a pixel, from its lower left corner.
    pub positions: Vec<[f32; 2]>,
    /// Sample that is drawn.
    pub sample: u32,
    /// `GL_SAMPLE_ALPHA_TO_COVERAGE`.
    pub alpha_to_coverage: bool,
    /// `GL_SAMPLE_ALPHA_TO_ONE`.
    pub alpha_to_one: bool,
    /// The state has an effect with one sample, too, as in Vulkan.
    pub is_vulkan: bool,
}

impl Default for Multisample {
    fn default() -> Multisample {
        let positions = samples::positions(1);
        Multisample {
            positions,
            sample: 0,
            alpha_to_coverage: false,
            alpha_to_one: false,
            is_vulkan: false,
        }
    }
}

impl Multisample {
    /// True if the state has an effect.
    pub fn is_enabled(&self) -> bool {
        self.is_vulkan || self.has_several()
    }

    /// True if a pixel has more than one sample.
    fn has_several(&self) -> bool {
        self.positions.len() > 1
    }

    /// Returns the sample of the invocations when there are several.
    pub fn sample_id(&self) -> Option<u32> {
        self.has_several().then_some(self.sample)
    }

    /// True if a fragment with a sample mask and the alpha of the first attachment covers the
    /// sample. Alpha is `None` for integers, whose alpha has no coverage. In OpenGL the number of
    /// covered samples follows alpha, in any selection; here the first samples are covered.
    pub fn covers(&self, mask: u32, alpha: Option<f32>) -> bool {
        if !self.is_enabled() {
            return true;
        }
        let alpha = alpha.filter(|_| self.alpha_to_coverage);
        let covered = alpha
            .map_or(u32::MAX, |a| (a.clamp(0.0, 1.0) * self.positions.len() as f32).round() as u32);
        mask >> self.sample & 1 == 1 && self.sample < covered
    }

    /// Returns the color to write for a shader's color, both raw.
    pub fn color(&self, format: Format, mut raw: [u32; 4]) -> [u32; 4] {
        if self.alpha_to_one && self.is_enabled() && !format.is_integer() {
            raw[3] = 1.0f32.to_bits();
        }
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_sample(sample: u32) -> Multisample {
        Multisample {
            positions: samples::positions(4),
            sample,
            alpha_to_coverage: true,
            alpha_to_one: true,
            is_vulkan: false,
        }
    }

    #[test]
    fn alpha_decides_how_many_samples_are_covered() {
        let covered = |alpha| (0..4).filter(|&s| of_sample(s).covers(!0, Some(alpha))).count();
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0, 9.0, -1.0, f32::NAN].map(covered),
            [0, 1, 2, 3, 4, 4, 0, 0]
        );
        assert!(of_sample(3).covers(!0, None));
        assert!(Multisample { alpha_to_coverage: false, ..of_sample(3) }.covers(!0, Some(0.0)));
    }

    #[test]
    fn masks_select_samples() {
        let covered =
            (0..4).filter(|&s| of_sample(s).covers(0b1010, Some(1.0))).collect::<Vec<_>>();
        assert_eq!(covered, [1, 3]);
    }

    #[test]
    fn nothing_happens_with_one_sample() {
        let single =
            Multisample { alpha_to_coverage: true, alpha_to_one: true, ..Multisample::default() };
        assert!(single.covers(0, Some(0.0)) && single.sample_id().is_none());
        assert_eq!(single.color(Format::Rgba8, [0; 4]), [0; 4]);
    }

    #[test]
    fn integers_keep_their_alpha() {
        let one = 1.0f32.to_bits();
        assert_eq!(of_sample(0).color(Format::Rgba8, [0; 4]), [0, 0, 0, one]);
        assert_eq!(of_sample(0).color(Format::Rgba32i, [0; 4]), [0; 4]);
    }
}
