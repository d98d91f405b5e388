//! Samples of pixels: number, positions, mask.

use fixed_function::Samples;
use gpu_service::{Outcome, not_modeled};
use packets::Field;

use crate::draw::command::Draw;

impl Draw<'_> {
    /// Loads the samples of a draw.
    pub(crate) fn samples(&self) -> Outcome<Samples> {
        let multisample = self.context.packet("3DSTATE_MULTISAMPLE");
        let log = self.fields.multisample.samples.get(multisample);
        if log == 0 {
            return Ok(Samples { positions: vec![[0.5; 2]], mask: 1 });
        }
        let count = 1_usize << log.min(4);
        // Earlier generations have the positions beside the number of samples.
        let pattern = self.context.packet("3DSTATE_SAMPLE_PATTERN");
        let layout = match pattern.is_empty() {
            true => self.table.named("3DSTATE_MULTISAMPLE"),
            false => self.table.named("3DSTATE_SAMPLE_PATTERN"),
        };
        let words = if pattern.is_empty() { multisample } else { pattern };
        let prefix = if pattern.is_empty() { String::new() } else { format!("{count}x ") };
        let field = |sample: usize, axis: &str| {
            let name = format!("{prefix}Sample{sample} {axis} Offset");
            layout.map_or(Field::ABSENT, |layout| layout.field(&name))
        };
        if !field(count - 1, "X").exists() {
            return not_modeled(format!("positions of {count} samples"));
        }
        let at = |i, axis| f64::from(field(i, axis).number(words));
        // Without multisample rasterization all samples are in the middle of the pixel.
        let positions = match self.state.raster.has_sample_positions {
            true => (0..count).map(|i| [at(i, "X"), at(i, "Y")]).collect(),
            false => vec![[0.5; 2]; count],
        };
        let words = self.context.packet("3DSTATE_SAMPLE_MASK");
        let mask = self.fields.sample_mask.mask.get(words);
        Ok(Samples { positions, mask: u16::try_from(mask).unwrap_or(u16::MAX) })
    }
}
