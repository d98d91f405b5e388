//! Orders of bytes in a surface.

/// Order of the bytes of a surface. Addresses are not swizzled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// Row after row.
    Linear,
    /// Tiles of 512 bytes by 8 rows, each row by row.
    X,
    /// Tiles of 128 bytes by 32 rows, each in columns of 16 bytes.
    Y,
    /// Tiles of 64 by 64 texels of one byte, for stencil.
    W,
}

impl Tiling {
    /// Binary logarithms of the bytes of a row of a tile, and of its rows.
    const fn tile(self) -> (u32, u32) {
        match self {
            Tiling::Linear => (0, 0),
            Tiling::X => (9, 3),
            Tiling::Y => (7, 5),
            Tiling::W => (6, 6),
        }
    }

    /// Bytes of a row that follow each other in memory, from each multiple of this number on.
    pub(crate) const fn contiguous(self) -> u64 {
        match self {
            Tiling::Linear => 1 << 40,
            Tiling::X => 512,
            Tiling::Y => 16,
            Tiling::W => 1,
        }
    }

    /// Byte offset in the surface of the byte at `x` in row `y`.
    ///
    /// `pitch` is the distance of rows in bytes as in surface states; of W tiles it is that of two
    /// rows.
    #[must_use]
    pub fn offset(self, x: u64, y: u64, pitch: u64) -> u64 {
        let (width, height) = self.tile();
        let pitch = if self == Tiling::W { pitch / 2 } else { pitch };
        let tile = (y >> height << height) * pitch + (x >> width << (width + height));
        let (x, y) = (x & ((1 << width) - 1), y & ((1 << height) - 1));
        match self {
            Tiling::Linear => tile,
            Tiling::X => tile + y * 512 + x,
            Tiling::Y => tile + x / 16 * 512 + y * 16 + x % 16,
            Tiling::W => {
                let bit = |value: u64, i: u32| value >> i & 1;
                let (high, low) =
                    (bit(y, 2) << 5 | bit(x, 2) << 4, bit(y, 1) << 3 | bit(x, 1) << 2);
                tile + x / 8 * 512 + y / 8 * 64 + high + low + (bit(y, 0) << 1) + bit(x, 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tiling;

    #[test]
    fn every_byte_has_its_own_place() {
        for tiling in [Tiling::Linear, Tiling::X, Tiling::Y, Tiling::W] {
            // A surface of 1024 bytes by 64 rows: whole tiles of every kind.
            let pitch = if tiling == Tiling::W { 2048 } else { 1024 };
            let mut places: Vec<u64> =
                (0..64).flat_map(|y| (0..1024).map(move |x| tiling.offset(x, y, pitch))).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..64 * 1024), "{tiling:?}");
        }
    }

    #[test]
    fn known_places() {
        assert_eq!(Tiling::Linear.offset(5, 3, 100), 305);
        assert_eq!(Tiling::X.offset(512, 9, 1024), 4096 * 3 + 512);
        assert_eq!(Tiling::Y.offset(127, 31, 128), 4095);
        assert_eq!(Tiling::Y.offset(0, 32, 256), 8192);
        assert_eq!(Tiling::W.offset(1, 0, 128), 1);
        assert_eq!(Tiling::W.offset(0, 1, 128), 2);
        assert_eq!(Tiling::W.offset(63, 63, 128), 4095);
    }
}
