//! Colors of a render target, for tests.

use gpu_service::Outcome;

use super::color::Colors;
use crate::tiling::ADDRESS_MASK;

impl Colors<'_> {
    /// Texels of the first sample of the first layer of the first target, row after row.
    pub(super) fn read(&self, (width, height): (u32, u32)) -> Outcome<Option<Vec<[u32; 4]>>> {
        let Some(target) = self.targets.first() else { return Ok(None) };
        let (memory, level, slice) = (self.draw.memory, &target.level, target.slice(0));
        let bytes = (level.bytes as usize).min(16);
        let mut texels = Vec::new();
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if let Some(metadata) = &target.metadata {
                metadata.expand(memory, level, (x, y), slice)?;
            }
            let mut texel = [0; 16];
            memory.read(level.address(x, y, slice, 0) & ADDRESS_MASK, &mut texel[..bytes])?;
            texels.push(target.format.decode(&texel));
        }
        Ok(Some(texels))
    }
}
