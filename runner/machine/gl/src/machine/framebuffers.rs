//! Framebuffers and their attachments.

use raster::format::Format;
use raster::resources::TextureId;

/// One image of a texture as color attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The texture.
    pub texture: TextureId,
    /// Its level.
    pub level: u32,
    /// Its layer; the first of all for layered attachments.
    pub layer: u32,
}

/// A framebuffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Framebuffer {
    /// The window.
    Window,
    /// Textures.
    Images {
        /// Color attachments, all of one size; `None` where nothing is attached.
        colors: Vec<Option<Attachment>>,
        /// Number of layers that can be drawn to; 1 unless layered.
        layers: u32,
        /// Samples per pixel; more than one are kept in layers, and then there is only one layer to
        /// draw to.
        samples: u32,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}

/// Binding that an `fb` command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramebufferTarget {
    /// `fb draw`.
    Draw,
    /// `fb read`.
    Read,
    /// `fb`.
    Both,
}

/// Framebuffer described by an `fb` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FramebufferKind {
    /// `winsys`.
    Window,
    /// `tex 2d`: slots of two-dimensional textures; `None` attaches nothing.
    Textures(Vec<Option<u32>>),
    /// `tex slice`: one image.
    Slice {
        /// Slot.
        slot: u32,
        /// Level.
        level: u32,
        /// Layer, face or slice.
        layer: u32,
    },
    /// `tex layered`: all layers of level 0.
    Layered(u32),
    /// `ms`: a renderbuffer.
    Renderbuffer {
        /// Format.
        format: Format,
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Samples.
        samples: u32,
    },
}

/// Error of a framebuffer binding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FramebufferError {
    /// The slot has no texture.
    #[error("no texture bound at {0}")]
    NoTexture(u32),
    /// An attachment does not exist or cannot be rendered to.
    #[error("the framebuffer is incomplete")]
    Incomplete,
    /// The framebuffer is not supported.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
}

impl Framebuffer {
    /// Returns the samples per pixel.
    pub(super) fn samples(&self) -> u32 {
        match self {
            Framebuffer::Window => 1,
            Framebuffer::Images { samples, .. } => *samples,
        }
    }
}
