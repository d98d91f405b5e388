//! Storage of texels: textures, and what others look up.

use super::{SamplerParameters, Texture, TextureTarget};
use crate::format::{Format, FormatClass};

/// Storage of a texture's texels, as lookups see it.
pub trait Texels {
    /// Kind.
    fn target(&self) -> TextureTarget;

    /// True if coordinates go from 0 to 1, false if they count texels.
    fn is_normalized(&self) -> bool {
        self.target() != TextureTarget::Rect
    }

    /// Width, height, and layers or depth of a level; `None` if it does not exist.
    fn level_size(&self, level: usize) -> Option<(u32, u32, u32)>;

    /// Layers of the levels: faces count one each.
    fn layers(&self) -> usize;

    /// Number of levels if it is fixed, so that missing ones are not a fault.
    fn fixed_levels(&self) -> Option<usize>;

    /// A texel as a shader reads it, before comparison and swizzling; `None` outside the image.
    fn texel(&self, level: usize, layer: usize, x: i32, y: i32) -> Option<[u32; 4]>;

    /// Class of the format.
    fn class(&self) -> FormatClass;

    /// True if texels are depths, in the first component.
    fn is_depth(&self) -> bool;

    /// True if depths are fixed-point numbers, so that reference values are clamped.
    fn is_fixed_depth(&self) -> bool;

    /// The border as a shader reads it.
    fn border(&self, parameters: &SamplerParameters) -> [u32; 4] {
        match self.class() {
            FormatClass::Int => parameters.border.map(|v| v as i32 as u32),
            FormatClass::Uint => parameters.border.map(|v| v as u32),
            _ => parameters.border.map(f32::to_bits),
        }
    }
}

/// The faces of a cube, or of an array of cubes, as an array of two-dimensional layers.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a, T>(pub &'a T);

impl<T: Texels> Texels for Faces<'_, T> {
    fn target(&self) -> TextureTarget {
        TextureTarget::D2Array
    }

    fn level_size(&self, level: usize) -> Option<(u32, u32, u32)> {
        self.0.level_size(level)
    }

    fn layers(&self) -> usize {
        self.0.layers()
    }

    fn fixed_levels(&self) -> Option<usize> {
        self.0.fixed_levels()
    }

    fn texel(&self, level: usize, layer: usize, x: i32, y: i32) -> Option<[u32; 4]> {
        self.0.texel(level, layer, x, y)
    }

    fn class(&self) -> FormatClass {
        self.0.class()
    }

    fn is_depth(&self) -> bool {
        self.0.is_depth()
    }

    fn is_fixed_depth(&self) -> bool {
        self.0.is_fixed_depth()
    }
}

impl Texels for Texture {
    fn target(&self) -> TextureTarget {
        self.target
    }

    fn level_size(&self, level: usize) -> Option<(u32, u32, u32)> {
        let layers = &self.levels.get(level)?.as_ref()?.layers;
        let first = layers.first()?;
        (first.width() > 0 && first.height() > 0).then_some((
            first.width(),
            first.height(),
            layers.len() as u32,
        ))
    }

    fn layers(&self) -> usize {
        self.levels.iter().flatten().next().map_or(1, |level| level.layers.len())
    }

    fn fixed_levels(&self) -> Option<usize> {
        self.immutable.then_some(self.levels.len())
    }

    fn texel(&self, level: usize, layer: usize, x: i32, y: i32) -> Option<[u32; 4]> {
        let surface = self.image(level, layer)?;
        let inside =
            x >= 0 && y >= 0 && (x as u32) < surface.width() && (y as u32) < surface.height();
        inside.then(|| surface.format().to_raw(surface.get(x, y)))
    }

    fn class(&self) -> FormatClass {
        self.format.class()
    }

    fn is_depth(&self) -> bool {
        self.format.is_depth()
    }

    fn is_fixed_depth(&self) -> bool {
        self.format != Format::Depth32f
    }
}
