//! Texture units, image units and texture slots of a script.

use raster::resources::{ImageUnit, TextureId};
use raster::texture::{CompareFunction, DepthMode, Filter, SwizzleSource, Wrap};

/// Number of texture slots of a script, and of texture units.
pub const TEXTURE_SLOTS: usize = 32;

/// A texture created by the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureSlot {
    /// The texture.
    pub texture: TextureId,
    /// Width of level 0 as the command gave it.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Layers, faces or slices.
    pub layers: u32,
}

/// A texture or image that shaders reach by its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resident {
    /// A texture with its own sampler state.
    Texture(TextureId),
    /// An image of a texture.
    Image(ImageUnit),
    /// A texture or image unit, for the object bound to it.
    Unit(usize),
}

/// Texture and image state.
#[derive(Clone, Debug)]
pub(super) struct TextureUnits {
    pub(super) slots: [Option<TextureSlot>; TEXTURE_SLOTS],
    /// Bound texture of each unit and target.
    pub(super) bound: [[Option<TextureId>; TEXTURE_TARGETS]; TEXTURE_SLOTS],
    pub(super) active: usize,
    pub(super) images: [Option<ImageUnit>; TEXTURE_SLOTS],
    /// Resident textures and images, by the numbers of their handles.
    pub(super) resident: Vec<Resident>,
    /// Handle of each slot of the script.
    pub(super) handles: [Option<u64>; TEXTURE_SLOTS],
}

const TEXTURE_TARGETS: usize = 8;

impl Default for TextureUnits {
    fn default() -> Self {
        TextureUnits {
            slots: [None; TEXTURE_SLOTS],
            bound: [[None; TEXTURE_TARGETS]; TEXTURE_SLOTS],
            active: 0,
            images: [None; TEXTURE_SLOTS],
            resident: Vec::new(),
            handles: [None; TEXTURE_SLOTS],
        }
    }
}

/// Parameter of `texparameter`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextureParameter {
    /// Comparison function.
    CompareFunction(CompareFunction),
    /// Depth texture mode.
    DepthMode(DepthMode),
    /// Minification filter: within a level, between levels.
    Min(Filter, Option<Filter>),
    /// Magnification filter.
    Mag(Filter),
    /// Wrap mode of axis s, t or r (0 to 2).
    Wrap(usize, Wrap),
    /// Level-of-detail bias.
    LodBias(f32),
    /// Highest level.
    MaxLevel(u32),
    /// Lowest level.
    BaseLevel(u32),
    /// Border color.
    Border([f32; 4]),
    /// Source of the red component.
    SwizzleRed(SwizzleSource),
}
