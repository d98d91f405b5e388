//! Places of the levels of an image.

use amd_isa::Chip;
use gcn_simulator::{ImageKind, ImageResource};
use surfaces::SurfaceFormat;

use crate::tiling::{Level, TileMode};

/// Places of the levels of an image.
pub(super) struct Levels(Vec<Level>);

impl Levels {
    /// Places of all levels up to the last: each begins after all slices of the one before.
    pub(super) fn of(
        chip: Chip,
        resource: &ImageResource,
        format: &SurfaceFormat,
    ) -> Result<Levels, String> {
        let samples = if resource.kind.has_samples() { 1 << resource.last_level.min(4) } else { 1 };
        let last = if resource.kind.has_samples() { 0 } else { resource.last_level };
        let slices = match resource.kind {
            ImageKind::CUBE => 6 * resource.depth,
            ImageKind::D1 | ImageKind::D2 | ImageKind::D2_SAMPLES => resource.base_array + 1,
            _ => resource.depth,
        };
        let bytes = format.bytes;
        let (block_width, block_height) = format.block_size();
        let first_mode = TileMode::of(chip, resource.tiling.into(), bytes, samples)
            .map_err(|error| error.to_string())?;
        // Sizes of images that may have several levels are powers of two.
        let padded = |size: u32, level: u32| {
            let is_padded = resource.is_padded || level > 0;
            if is_padded { size.next_power_of_two() } else { size }
        };
        let mut offset = 0_u64;
        let mut levels = Vec::new();
        for level in 0..=u32::from(last) {
            let minified = |size: u32| (size >> level.min(31)).max(1);
            let count = match resource.kind {
                ImageKind::D3 => padded(minified(slices), level),
                _ => padded(slices, level),
            };
            let rows = u64::from(padded(minified(resource.height).div_ceil(block_height), level));
            let pitch = u64::from(padded(minified(resource.pitch).div_ceil(block_width), level));
            let (mode, pitch, rows) = match level {
                0 => (first_mode, pitch, first_mode.aligned_rows(rows)),
                _ => {
                    let mode = first_mode.of_level(pitch, rows, u64::from(count));
                    let (pitch, rows) = mode.aligned(pitch, rows, bytes);
                    (mode, pitch, rows)
                }
            };
            let slice = pitch * rows;
            offset = offset.next_multiple_of(mode.base_bytes());
            // Low bits of the address turn pipes and banks of macro tiles only.
            let start = match mode.has_macro_tiles() || mode == first_mode {
                true => resource.base,
                false => first_mode.plain_base(resource.base),
            };
            let base = start.wrapping_add(offset);
            levels.push(Level { base, mode, pitch, slice, bytes, samples });
            let count = mode.aligned_slices(u64::from(count));
            let size = slice * count * bytes * u64::from(samples);
            offset = offset.saturating_add(size);
        }
        Ok(Levels(levels))
    }

    /// The place of a level.
    pub(super) fn get(&self, level: u32) -> Option<&Level> {
        self.0.get(level as usize)
    }

    /// The place of the first level.
    pub(super) fn first(&self) -> Option<&Level> {
        self.0.first()
    }
}
