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
