//! Metadata of surfaces: keys of blocks of colors, words of tiles of depths.
//!
//! The GPU writes no compressed texels, which hardware may do, too: a cleared block or tile becomes
//! an expanded one when it is written.

use surfaces::SurfaceFormat;

use crate::texels::encoded;

/// Key of a block of colors that is not compressed.
pub(crate) const EXPANDED_KEY: u8 = 0xff;

/// Meaning of a key of a block of colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cleared {
    /// The block has its texels.
    No,
    /// Cleared to 0 or 1 in color and alpha.
    To { color: bool, alpha: bool },
    /// Cleared to the color in the target's registers.
    ToRegister,
    /// Compressed.
    Unknown,
}

/// Reads a key of a block of colors.
pub(crate) fn color_key(key: u8) -> Cleared {
    match key {
        EXPANDED_KEY => Cleared::No,
        0 => Cleared::To { color: false, alpha: false },
        0x40 => Cleared::To { color: false, alpha: true },
        0x80 => Cleared::To { color: true, alpha: false },
        0xc0 => Cleared::To { color: true, alpha: true },
        0x20 => Cleared::ToRegister,
        _ => Cleared::Unknown,
    }
}

impl Cleared {
    /// A cleared texel in a format whose components are its channels in order. Alpha is the last
    /// channel or the first.
    pub(crate) fn texel(
        positional: &SurfaceFormat,
        color: bool,
        alpha: bool,
        alpha_is_last: bool,
    ) -> [u8; 16] {
        let one = match positional.is_integer {
            true => i32::MAX.cast_unsigned(),
            false => 1.0_f32.to_bits(),
        };
        let count = positional.channel_count();
        let place = if alpha_is_last { count.saturating_sub(1) } else { 0 };
        let has_alpha = count != 3;
        let values = std::array::from_fn(|channel| {
            let is_one = if has_alpha && channel == place { alpha } else { color };
            if is_one { one } else { 0 }
        });
        encoded(positional, values)
    }
}

/// Word of a tile of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HtileWord {
    word: u32,
    has_stencil: bool,
}

impl HtileWord {
    /// Largest depth in a word.
    const MOST: u32 = 0x3fff;
    /// States of expanded depths and stencils.
    const EXPANDED_DEPTH: u32 = 0xf;
    const EXPANDED_STENCIL: u32 = 3;

    /// A word with the state of stencils.
    pub(crate) fn with_stencil(word: u32) -> HtileWord {
        HtileWord { word, has_stencil: true }
    }

    /// A word without the state of stencils.
    pub(crate) fn without_stencil(word: u32) -> HtileWord {
        HtileWord { word, has_stencil: false }
    }

    /// The tile's depths are one depth, and their memory does not count.
    pub(crate) fn has_cleared_depth(self) -> bool {
        self.word & 0xf == 0
    }

    /// The tile's stencils are the cleared one.
    pub(crate) fn has_cleared_stencil(self) -> bool {
        self.has_stencil && self.word >> 8 & 3 == 0
    }

    /// The tile's depths or stencils are in a compressed form.
    pub(crate) fn is_compressed(self) -> bool {
        let stencil = if self.has_stencil { self.word >> 8 & 3 } else { 0 };
        !matches!(self.word & 0xf, 0 | HtileWord::EXPANDED_DEPTH)
            || !matches!(stencil, 0 | HtileWord::EXPANDED_STENCIL | 2)
    }

    /// The depth of a cleared tile as its texels store it, a float or two bytes, as far as the word
    /// has its bits.
    pub(crate) fn stored_depth(self, bytes: u64) -> u32 {
        let depth = (self.word >> 18) as f32 / HtileWord::MOST as f32;
        match bytes {
            2 => (depth * f32::from(u16::MAX)).round() as u32,
            _ => depth.to_bits(),
        }
    }

    /// The word of a tile whose depths and stencils are in their memory.
    pub(crate) fn expanded(self) -> u32 {
        if self.has_stencil { 0xffff_f30f } else { 0xfffc_000f }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texels::{Numbers, format};

    #[test]
    fn cleared_texels_follow_the_place_of_alpha() {
        let rgba = format(10, Numbers::Unorm, 0).expect("a format");
        let [last, first] = [true, false].map(|is| Cleared::texel(rgba, false, true, is));
        assert_eq!((&last[..4], &first[..4]), (&[0, 0, 0, 255][..], &[255, 0, 0, 0][..]));
        let one = format(4, Numbers::Float, 0).expect("a format");
        let texel = Cleared::texel(one, true, true, true);
        assert_eq!(texel[..4], 1.0_f32.to_le_bytes());
        let signed = format(2, Numbers::Sint, 0).expect("a format");
        assert_eq!(Cleared::texel(signed, true, true, true)[..2], [0xff, 0x7f]);
    }

    #[test]
    fn words_of_tiles() {
        let cleared = HtileWord::with_stencil(0xffff_00f0);
        assert!(cleared.has_cleared_depth() && cleared.has_cleared_stencil());
        let word = HtileWord::with_stencil(0xfffc_0000 | 0x3f0);
        assert!(word.has_cleared_depth() && !word.has_cleared_stencil());
        assert_eq!((word.stored_depth(4), word.stored_depth(2)), (0x3f80_0000, 0xffff));
        let expanded = HtileWord::with_stencil(word.expanded());
        assert!(!expanded.has_cleared_depth() && !expanded.has_cleared_stencil());
        assert!(!expanded.is_compressed() && HtileWord::without_stencil(7).is_compressed());
    }
}
