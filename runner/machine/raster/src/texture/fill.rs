//! Contents of the textures that script commands create by name.

use super::{CompareFunction, Filter, Texture, TextureTarget, Wrap};
use crate::format::Format;

const RED: [f64; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f64; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f64; 4] = [0.0, 0.0, 1.0, 1.0];
const WHITE: [f64; 4] = [1.0, 1.0, 1.0, 1.0];
const RGBW: [[f64; 4]; 4] = [RED, GREEN, BLUE, WHITE];

/// Texture created by a `texture …` command. Sizes are in texels.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureFill {
    /// `rgbw`: quarters red, green, blue, white from the lower left.
    Rgbw {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Internal format.
        format: Format,
    },
    /// `rgbw 1D`: four texels.
    Rgbw1D,
    /// `rgbw 3D`: 2×2×2, the second slice the first one's complement.
    Rgbw3D,
    /// `rgbw 2DArray`: a color per layer.
    Rgbw2DArray {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Layers.
        layers: u32,
    },
    /// `rgbw 1DArray`: a color per layer.
    Rgbw1DArray {
        /// Width.
        width: u32,
        /// Layers.
        layers: u32,
    },
    /// `miptree`: 8×8 red, 4×4 green, 2×2 blue, 1×1 white.
    Miptree,
    /// `checkerboard` and `quads`: tiles in four colors; only one level is defined.
    Tiles {
        /// The level.
        level: u32,
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Tile width and height.
        tile: [u32; 2],
        /// Lower left, lower right, upper left, upper right.
        colors: [[f32; 4]; 4],
    },
    /// `integer`: a signed integer gradient.
    Integer {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// The two constants.
        b_a: [i32; 2],
        /// A signed 32-bit format.
        format: Format,
    },
    /// `shadow…`: depth from 0 at the left to 1 at the right.
    Shadow {
        /// Kind.
        target: TextureTarget,
        /// Width.
        width: u32,
        /// Height; 1 for one-dimensional ones.
        height: u32,
        /// Layers; 1 when not an array.
        layers: u32,
    },
    /// `junk 2DArray`: contents undefined, here zero.
    Junk2DArray {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Layers.
        layers: u32,
    },
    /// `storage`: immutable, contents undefined, here zero.
    Storage {
        /// Kind.
        target: TextureTarget,
        /// Internal format.
        format: Format,
        /// Number of levels.
        levels: u32,
        /// Width, height, depth or layers.
        size: [u32; 3],
    },
}

impl TextureFill {
    /// Returns the width, height and layers that `fb` and `ortho` use.
    pub fn dimensions(&self) -> (u32, u32, u32) {
        match *self {
            TextureFill::Rgbw { width, height, .. }
            | TextureFill::Tiles { width, height, .. }
            | TextureFill::Integer { width, height, .. } => (width, height, 1),
            TextureFill::Rgbw1D => (4, 1, 1),
            TextureFill::Rgbw3D => (2, 2, 2),
            TextureFill::Rgbw2DArray { width, height, layers }
            | TextureFill::Junk2DArray { width, height, layers }
            | TextureFill::Shadow { width, height, layers, .. } => (width, height, layers),
            TextureFill::Rgbw1DArray { width, layers } => (width, 1, layers),
            TextureFill::Miptree => (8, 8, 1),
            TextureFill::Storage { target, size: [w, h, d], .. } => match target {
                TextureTarget::D1 => (w, 1, 1),
                TextureTarget::D1Array => (w, 1, h),
                _ => (w, h, d.max(1)),
            },
        }
    }

    /// Creates the texture.
    pub fn create(&self) -> Texture {
        match *self {
            TextureFill::Rgbw { width, height, format } => {
                let mut t = nearest(TextureTarget::D2, format);
                t.define(0, width, height, 1);
                paint(&mut t, 0, |x, y, _| {
                    RGBW[usize::from(x >= width / 2) + 2 * usize::from(y >= height / 2)]
                });
                t
            }
            TextureFill::Rgbw1D => {
                let mut t = nearest(TextureTarget::D1, Format::Rgba8);
                t.define(0, 4, 1, 1);
                paint(&mut t, 0, |x, _, _| RGBW[x as usize]);
                t
            }
            TextureFill::Rgbw3D => volume(),
            TextureFill::Rgbw2DArray { width, height, layers } => {
                by_layer(TextureTarget::D2Array, width, height, layers)
            }
            TextureFill::Rgbw1DArray { width, layers } => {
                by_layer(TextureTarget::D1Array, width, 1, layers)
            }
            TextureFill::Miptree => miptree(),
            TextureFill::Tiles { level, width, height, tile, colors } => {
                let mut t = nearest(TextureTarget::D2, Format::Rgba8);
                t.parameters.wrap = [Wrap::ClampToBorder, Wrap::ClampToBorder, Wrap::Repeat];
                t.parameters.border = [1.0, 0.0, 0.0, 1.0];
                t.define(level as usize, width, height, 1);
                let parity = |c: u32, size: u32| (c / size.max(1) % 2) as usize;
                paint(&mut t, level as usize, |x, y, _| {
                    colors[parity(x, tile[0]) + 2 * parity(y, tile[1])].map(f64::from)
                });
                t
            }
            TextureFill::Integer { width, height, b_a: [b, a], format } => {
                let mut t = nearest(TextureTarget::D2, format);
                t.define(0, width, height, 1);
                t.immutable = true;
                let channels = format.channels().iter().filter(|c| c.bits() > 0).count();
                paint(&mut t, 0, |x, y, _| integer_texel(channels, x as i32, y as i32, b, a));
                t
            }
            TextureFill::Shadow { target, width, height, layers } => {
                let mut t = nearest(target, Format::Depth24);
                t.parameters.compare_function = CompareFunction::Greater;
                t.parameters.compare = Some(CompareFunction::Greater);
                t.define(0, width, height, layers);
                let last = f64::from(width.saturating_sub(1).max(1));
                paint(&mut t, 0, |x, _, _| [f64::from(x) / last, 0.0, 0.0, 0.0]);
                t
            }
            TextureFill::Junk2DArray { width, height, layers } => {
                let mut t = Texture::new(TextureTarget::D2Array, Format::Rgba8);
                t.define(0, width, height, layers);
                t
            }
            TextureFill::Storage { target, format, levels, size } => {
                storage(target, format, levels, size)
            }
        }
    }
}

/// Returns a texture with the parameters fill commands set: edges clamped, nearest filters, no
/// mipmaps.
fn nearest(target: TextureTarget, format: Format) -> Texture {
    let mut t = Texture::new(target, format);
    t.parameters.wrap = [Wrap::ClampToEdge; 3];
    t.parameters.min = Filter::Nearest;
    t.parameters.mag = Filter::Nearest;
    t.parameters.mip = None;
    t
}

/// Sets every texel of a level from its column, row and layer.
fn paint(texture: &mut Texture, level: usize, color: impl Fn(u32, u32, u32) -> [f64; 4]) {
    let format = texture.format;
    let Some(Some(level)) = texture.levels.get_mut(level) else { return };
    for (layer, surface) in (0..).zip(&mut level.layers) {
        for y in 0..surface.height() {
            for x in 0..surface.width() {
                surface.set(x as i32, y as i32, format.quantize_numbers(color(x, y, layer)));
            }
        }
    }
}

fn by_layer(target: TextureTarget, width: u32, height: u32, layers: u32) -> Texture {
    let mut t = nearest(target, Format::Rgba8);
    t.define(0, width, height, layers);
    paint(&mut t, 0, |_, _, layer| RGBW[layer as usize % 4]);
    t
}

fn volume() -> Texture {
    let mut t = nearest(TextureTarget::D3, Format::Rgba8);
    t.define(0, 2, 2, 2);
    let back =
        [[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]];
    paint(&mut t, 0, |x, y, z| {
        let corner = (x + 2 * y) as usize % 4;
        if z == 0 { RGBW[corner] } else { back[corner] }
    });
    t
}

fn miptree() -> Texture {
    let mut t = nearest(TextureTarget::D2, Format::Rgba8);
    t.parameters.mip = Some(Filter::Nearest);
    for (level, color) in RGBW.into_iter().enumerate() {
        t.define(level, 8 >> level, 8 >> level, 1);
        paint(&mut t, level, |_, _, _| color);
    }
    t
}

fn integer_texel(channels: usize, x: i32, y: i32, b: i32, a: i32) -> [f64; 4] {
    let texel = match channels {
        1 => [x.wrapping_add(y.wrapping_mul(b)).wrapping_add(a), 0, 0, 0],
        2 => [x.wrapping_add(b), y.wrapping_add(a), 0, 0],
        3 => [x, y, b.wrapping_add(a), 0],
        _ => [x, y, b, a],
    };
    texel.map(f64::from)
}

fn storage(target: TextureTarget, format: Format, levels: u32, [w, h, d]: [u32; 3]) -> Texture {
    let mut t = Texture::new(target, format);
    t.immutable = true;
    if target == TextureTarget::Rect {
        t.parameters.wrap = [Wrap::ClampToEdge; 3];
        t.parameters.min = Filter::Linear;
        t.parameters.mip = None;
    }
    for level in 0..levels.min(32) {
        let shrink = |size: u32| (size >> level).max(1);
        let (width, height, layers) = match target {
            TextureTarget::D1 => (shrink(w), 1, 1),
            TextureTarget::D1Array => (shrink(w), 1, h),
            TextureTarget::D3 => (shrink(w), shrink(h), shrink(d)),
            TextureTarget::Cube => (shrink(w), shrink(h), 6),
            TextureTarget::D2Array | TextureTarget::CubeArray => (shrink(w), shrink(h), d),
            _ => (shrink(w), shrink(h), 1),
        };
        t.define(level as usize, width, height, layers);
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(t: &Texture, level: usize, layer: usize, x: i32, y: i32) -> [f32; 4] {
        t.format.to_f32(t.image(level, layer).expect("exists").get(x, y))
    }

    #[test]
    fn quarters_of_an_odd_texture() {
        // Integer halves: column 1 of 3 is already right of the middle.
        let t = TextureFill::Rgbw { width: 3, height: 2, format: Format::Rgba8 }.create();
        assert_eq!(color(&t, 0, 0, 0, 0), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(color(&t, 0, 0, 1, 0), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(color(&t, 0, 0, 0, 1), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(color(&t, 0, 0, 2, 1), [1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn volume_slices() {
        let t = TextureFill::Rgbw3D.create();
        assert_eq!(color(&t, 0, 0, 1, 1), [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(color(&t, 0, 1, 0, 0), [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(color(&t, 0, 1, 1, 0), [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(color(&t, 0, 1, 0, 1), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(color(&t, 0, 1, 1, 1), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn checkerboards_have_equal_diagonals() {
        let (a, b) = ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]);
        let fill = TextureFill::Tiles {
            level: 1,
            width: 4,
            height: 4,
            tile: [2, 2],
            colors: [a, b, b, a],
        };
        let t = fill.create();
        assert!(t.image(0, 0).is_none());
        assert_eq!((color(&t, 1, 0, 0, 0), color(&t, 1, 0, 3, 3)), (a, a));
        assert_eq!((color(&t, 1, 0, 3, 0), color(&t, 1, 0, 0, 3)), (b, b));
    }

    #[test]
    fn integer_gradients() {
        for (format, expected) in [
            (Format::R32i, [2 + 3 * 10 + 5, 0, 0, 0]),
            (Format::Rg32i, [12, 8, 0, 0]),
            (Format::Rgb32i, [2, 3, 15, 0]),
            (Format::Rgba32i, [2, 3, 10, 5]),
        ] {
            let t = TextureFill::Integer { width: 4, height: 4, b_a: [10, 5], format }.create();
            assert_eq!(t.image(0, 0).expect("exists").get(2, 3), expected, "{format:?}");
        }
    }

    #[test]
    fn shadow_gradients_span_zero_to_one() {
        let fill =
            TextureFill::Shadow { target: TextureTarget::D1Array, width: 5, height: 1, layers: 2 };
        let t = fill.create();
        for (x, depth) in [(0, 0.0), (2, 0.5), (4, 1.0)] {
            assert!((color(&t, 0, 1, x, 0)[0] - depth).abs() < 1e-6);
        }
    }

    #[test]
    fn storage_has_all_levels() {
        let fill = TextureFill::Storage {
            target: TextureTarget::D3,
            format: Format::Rgba8,
            levels: 3,
            size: [8, 4, 6],
        };
        let t = fill.create();
        let sizes: Vec<_> = (0..3)
            .map(|l| {
                let layers = &t.levels[l].as_ref().expect("defined").layers;
                (layers[0].width(), layers[0].height(), layers.len())
            })
            .collect();
        assert_eq!(sizes, [(8, 4, 6), (4, 2, 3), (2, 1, 1)]);
        assert_eq!(fill.dimensions(), (8, 4, 6));
    }
}
