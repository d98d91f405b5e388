//! Metadata of images that the shader's accesses follow: cleared blocks of colors, cleared tiles of
//! depth and stencil.

use gcn_simulator::ImageResource;
use packets::{Fault, Memory};
use surfaces::SurfaceFormat;

use crate::metadata::{Cleared, HtileWord, color_key};
use crate::tiling::Level;

/// Metadata of an image.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compression {
    /// A key for each block of 256 bytes from the image's first byte on.
    Color { keys: u64, first: u64, alpha_is_last: bool },
    /// A word for each tile of the first level. Texels of one byte are stencils.
    Depth { words: u64, bytes: u64 },
}

/// A texel of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texel<'a> {
    pub(super) level: &'a Level,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) slice: u32,
    pub(super) address: u64,
}

impl Compression {
    /// Metadata of a resource whose first byte is at an address; `None` if it has none.
    pub(super) fn of(resource: &ImageResource, level: &Level, bytes: u64) -> Option<Compression> {
        let address = resource.metadata?;
        let first = level.first_byte();
        Some(match level.mode.is_depth() {
            true => Compression::Depth { words: address, bytes },
            false => Compression::Color {
                keys: level.mode.plain_base(address),
                first,
                alpha_is_last: resource.alpha_is_last,
            },
        })
    }

    /// The stored form of a texel that its metadata replaces.
    pub(super) fn replaced(
        self,
        memory: &dyn Memory,
        texel: Texel<'_>,
        positional: &SurfaceFormat,
    ) -> Result<Option<[u8; 16]>, String> {
        let fault = |fault: Fault| format!("metadata: {fault}");
        match self {
            Compression::Color { keys, first, alpha_is_last } => {
                let block = texel.address.wrapping_sub(first) / 256;
                let mut key = [0];
                memory.read(keys.wrapping_add(block), &mut key).map_err(fault)?;
                match color_key(key[0]) {
                    Cleared::No => Ok(None),
                    Cleared::To { color, alpha } => {
                        Ok(Some(Cleared::texel(positional, color, alpha, alpha_is_last)))
                    }
                    _ => Err(format!("not modeled: compressed colors of key {:#x}", key[0])),
                }
            }
            Compression::Depth { words, bytes } => {
                let Texel { level, x, y, slice, .. } = texel;
                let tile = u64::from(slice) * (level.slice / 64)
                    + u64::from(y / 8) * (level.pitch / 8)
                    + u64::from(x / 8);
                let word = memory.read_u32(words.wrapping_add(4 * tile)).map_err(fault)?;
                let word = HtileWord::with_stencil(word);
                let mut stored = [0; 16];
                if bytes == 1 {
                    return Ok(word.has_cleared_stencil().then_some(stored));
                }
                if !word.has_cleared_depth() {
                    return Ok(None);
                }
                stored[..4].copy_from_slice(&word.stored_depth(bytes).to_le_bytes());
                Ok(Some(stored))
            }
        }
    }
}
