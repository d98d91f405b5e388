//! Tiles: their modes, and the places of texels in them.

mod level;
mod macro_tiles;
mod mode;

pub(crate) use level::{Level, Tile};
pub(crate) use mode::{DepthTiles, TileMode};

/// Bits of an address.
pub(crate) const ADDRESS_MASK: u64 = (1 << 48) - 1;
