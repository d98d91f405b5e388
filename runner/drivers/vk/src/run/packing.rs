//! Texels whose copies have another layout than the buffer of the script: three channels, which the
//! script pads to four, and depth with stencil.

use ash::vk;
use vk_script::Buffer;

use crate::arena::Arena;
use crate::device::Device;
use crate::memory::Mapped;
use crate::outcome::{Flow, simulate};

/// Bytes of a texel for the driver, and in the buffer of a script.
pub(super) type Steps = [usize; 2];

/// Returns the bytes of a color's texel if they differ between driver and script.
pub(super) fn steps(buffer: &Buffer) -> Flow<Option<Steps>> {
    let bits: u32 = buffer.format.channels.iter().map(|channel| channel.bits).sum();
    let padded = buffer.format.size;
    if bits == padded * 8 {
        return Ok(None);
    }
    if !bits.is_multiple_of(8) {
        let name = &buffer.format.name;
        return Err(simulate(format!("texels of format {name} have no whole bytes")));
    }
    Ok(Some([bits as usize / 8, padded as usize]))
}

/// Texels in the layout of the driver.
pub(super) struct Packed {
    pub(super) texels: Mapped,
    /// `None`: depth and stencil, which the buffer has in this order, or without the stencil.
    pub(super) steps: Option<Steps>,
}

impl Packed {
    /// Creates texels of some bytes together, which are zeros.
    pub(super) fn create(
        device: &Device,
        arena: &mut Arena,
        size: u64,
        usage: vk::BufferUsageFlags,
        steps: Option<Steps>,
    ) -> Flow<Packed> {
        let size = usize::try_from(size).map_err(|_| simulate("the image is too large"))?;
        let mut texels = Mapped::create(device, arena, size, usage)?;
        texels.bytes_mut().fill(0);
        Ok(Packed { texels, steps })
    }

    /// Takes the bytes of the script's buffer. The device must be idle.
    pub(super) fn fill(&mut self, from: &[u8]) {
        copy(self.texels.bytes_mut(), from, self.steps);
    }

    /// Writes to the bytes of the script's buffer. The device must be idle.
    pub(super) fn empty_to(&self, to: &mut [u8]) {
        copy(to, self.texels.bytes(), self.steps.map(|[packed, padded]| [padded, packed]));
    }
}

/// Copies texels of some bytes each, or all that both have.
fn copy(to: &mut [u8], from: &[u8], steps: Option<Steps>) {
    let [to_step, from_step] = steps.unwrap_or([to.len().max(1), from.len().max(1)]);
    for (to, from) in to.chunks_mut(to_step).zip(from.chunks(from_step)) {
        let length = to.len().min(from.len());
        to[..length].copy_from_slice(&from[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_packed_and_unpacked() {
        let padded = [1, 2, 3, 9, 4, 5, 6, 9];
        let mut packed = [0; 6];
        copy(&mut packed, &padded, Some([3, 4]));
        assert_eq!(packed, [1, 2, 3, 4, 5, 6]);
        let mut back = [7; 8];
        copy(&mut back, &packed, Some([4, 3]));
        assert_eq!(back, [1, 2, 3, 7, 4, 5, 6, 7]);
        let mut shorter = [0; 4];
        copy(&mut shorter, &padded, None);
        assert_eq!(shorter, [1, 2, 3, 9]);
    }
}
