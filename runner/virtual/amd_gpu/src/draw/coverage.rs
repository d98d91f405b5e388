//! Samples of a draw.

use fixed_function::Samples;

use super::call::Draw;

impl Draw<'_> {
    /// Positions and mask of the samples.
    pub(super) fn samples(&self) -> Samples {
        let fields = &self.fields().raster;
        let mask = fields.sample_mask.word(self.registers) & 0xffff;
        let log = fields.samples.get(self.registers).min(4);
        if log == 0 {
            return Samples { positions: vec![[0.5; 2]], mask: (mask & 1) as u16 };
        }
        let position = |sample: u32| {
            let word = fields.sample_x.word_at(sample / 4, self.registers) >> (8 * (sample % 4));
            let axis = |bits: u32| {
                let sixteenths = f64::from((bits << 28).cast_signed() >> 28);
                // Without multisampling all samples are in the middle of the pixel.
                let is_spread = fields.has_samples.flag(self.registers);
                if is_spread { 0.5 + sixteenths / 16.0 } else { 0.5 }
            };
            [axis(word), axis(word >> 4)]
        };
        Samples { positions: (0..1 << log).map(position).collect(), mask: mask as u16 }
    }
}

/// Samples of the buffers that a mask of the samples of a draw reaches: all, if the draw has one,
/// as without `GL_MULTISAMPLE`.
pub(super) fn stored(mask: u16, drawn: u32) -> u16 {
    match drawn {
        1 if mask & 1 != 0 => u16::MAX,
        1 => 0,
        _ => mask,
    }
}

/// Samples of a draw that share one of the stored samples of depth and stencil, which are fewer
/// where coverage is only for smooth edges.
pub(super) fn sharing(sample: u32, stored: u32, drawn: u32) -> u16 {
    if stored == 1 {
        return u16::MAX;
    }
    let stored_of = |i: u32| i * stored / drawn.max(stored);
    (0..16).filter(|i| stored_of(*i) == sample).fold(0, |mask, i| mask | 1 << i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sample_is_all_that_are_stored() {
        assert_eq!((stored(1, 1), stored(2, 1), stored(0b1010, 4)), (u16::MAX, 0, 0b1010));
    }

    #[test]
    fn stored_samples_are_shared() {
        let masks = |stored: u32, drawn: u32| -> Vec<u16> {
            (0..stored).map(|sample| sharing(sample, stored, drawn) & 0xff).collect()
        };
        assert_eq!(masks(1, 4), [0xff]);
        assert_eq!(masks(4, 4), [1, 2, 4, 8]);
        assert_eq!(masks(4, 1), [1, 2, 4, 8]);
        assert_eq!(masks(2, 8), [0x0f, 0xf0]);
    }
}
