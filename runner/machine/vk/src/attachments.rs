//! Attachments of a graphics pipeline.

use raster::format::{Format, FormatClass};
use raster::surface::Surface;
use vk_script::{BufferId, ClearValue, Pipeline};

use crate::error::{Flow, invalid};
use crate::store::Store;

/// Values of clears. The color is that of all color attachments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClearValues {
    color: [f32; 4],
    depth: f32,
    stencil: u32,
}

impl Default for ClearValues {
    fn default() -> ClearValues {
        ClearValues { color: [0.0; 4], depth: 1.0, stencil: 0 }
    }
}

impl ClearValues {
    pub(crate) fn set(&mut self, value: ClearValue) {
        match value {
            ClearValue::Color(color) => self.color = color,
            ClearValue::Depth(depth) => self.depth = depth,
            ClearValue::Stencil(stencil) => self.stencil = stencil,
        }
    }
}

/// The attachments of a pipeline: of each the surfaces of its samples.
pub(crate) struct Attachments {
    pub(crate) size: [u32; 2],
    /// By location.
    pub(crate) colors: Vec<Vec<Surface>>,
    pub(crate) depth: Option<Vec<Surface>>,
    buffers: Vec<BufferId>,
    depth_buffer: Option<BufferId>,
    pub(crate) samples: u32,
}

impl Attachments {
    /// Takes the attachments of a pipeline.
    pub(crate) fn take(store: &mut Store<'_>, pipeline: &Pipeline) -> Flow<Attachments> {
        let size = pipeline.framebuffer;
        let mut colors: Vec<_> = pipeline.colors.iter().collect();
        colors.sort_by_key(|color| color.location);
        if !colors.iter().zip(0..).all(|(color, index)| color.location == index) {
            return Err(invalid("the locations of color attachments are not 0, 1, …"));
        }
        let buffers: Vec<BufferId> = colors.iter().map(|color| color.buffer).collect();
        let surfaces = buffers.iter().map(|&id| store.take(id, size)).collect::<Flow<Vec<_>>>()?;
        let depth = pipeline.depth_stencil.map(|id| store.take(id, size)).transpose()?;
        let samples = surfaces.iter().map(Vec::len).max().unwrap_or(1);
        if surfaces.iter().chain(&depth).any(|surfaces| surfaces.len() != samples) {
            return Err(invalid("the attachments have different numbers of samples"));
        }
        Ok(Attachments {
            size,
            colors: surfaces,
            depth,
            buffers,
            depth_buffer: pipeline.depth_stencil,
            samples: samples as u32,
        })
    }

    /// Puts the attachments back, and resolves those that are.
    pub(crate) fn put(self, store: &mut Store<'_>, pipeline: &Pipeline) {
        let several = self.colors.iter().filter(|samples| samples.len() > 1);
        for (&target, samples) in pipeline.resolves.iter().zip(several) {
            store.put(target, vec![resolved(samples)]);
        }
        for (&buffer, samples) in self.buffers.iter().zip(self.colors) {
            store.put(buffer, samples);
        }
        if let (Some(buffer), Some(samples)) = (self.depth_buffer, self.depth) {
            store.put(buffer, samples);
        }
    }

    /// Clears all attachments. Integers get the bits of the floats, as in Amber.
    pub(crate) fn clear(&mut self, values: &ClearValues) {
        for surface in self.colors.iter_mut().flatten() {
            surface.fill(surface.format().quantize(values.color.map(f32::to_bits)));
        }
        let depth = [f64::from(values.depth), f64::from(values.stencil & 0xff), 0.0, 0.0];
        for surface in self.depth.iter_mut().flatten() {
            surface.fill(surface.format().quantize_numbers(depth));
        }
    }

    pub(crate) fn color_formats(&self) -> impl Iterator<Item = Format> {
        self.colors.iter().filter_map(|samples| samples.first()).map(Surface::format)
    }

    pub(crate) fn depth_format(&self) -> Option<Format> {
        Some(self.depth.as_ref()?.first()?.format())
    }
}

/// Returns the mean of samples; the first one of integers.
fn resolved(samples: &[Surface]) -> Surface {
    let mut result = samples[0].clone();
    let format = result.format();
    if matches!(format.class(), FormatClass::Int | FormatClass::Uint) {
        return result;
    }
    let count = samples.len() as f32;
    for (x, y) in (0..result.height() as i32)
        .flat_map(|y| (0..result.width() as i32).map(move |x| (x, y)))
        .collect::<Vec<_>>()
    {
        let mut sum = [0.0; 4];
        for sample in samples {
            let color = format.to_f32(sample.get(x, y));
            sum.iter_mut().zip(color).for_each(|(sum, value)| *sum += value);
        }
        let mean = sum.map(|sum| (sum / count).to_bits());
        result.set(x, y, format.quantize(mean));
    }
    result
}
