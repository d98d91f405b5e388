//! `fb` and `blit`.

use super::arguments::Arguments;
use super::texture::{MAX_SIZE, TextureTarget};
use crate::enums::GlEnum;
use crate::error::Fault;

/// A framebuffer command.
#[derive(Clone, Debug, PartialEq)]
pub enum FramebufferCommand {
    /// `fb`.
    Bind {
        /// The changed binding.
        target: FramebufferTarget,
        /// The bound framebuffer.
        framebuffer: Framebuffer,
    },
    /// `blit`: the read size of the read framebuffer onto the render size of the draw framebuffer.
    Blit {
        /// The copied buffer.
        buffer: BlitBuffer,
        /// Linear filtering, not nearest.
        linear: bool,
    },
}

/// Binding that `fb` changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FramebufferTarget {
    /// `draw`.
    Draw,
    /// `read`.
    Read,
    /// Neither word given: both.
    Both,
}

/// Framebuffers that `fb` binds. None of these changes the viewport or adds a depth attachment.
#[derive(Clone, Debug, PartialEq)]
pub enum Framebuffer {
    /// `tex 2d`: the slots' 2D textures at level 0 as color attachments 0, 1, …; -1 attaches none.
    Textures(Vec<Option<u32>>),
    /// `tex slice`: one image of a texture as color attachment 0.
    Slice {
        /// Texture target.
        target: TextureTarget,
        /// Texture slot.
        slot: u32,
        /// Mipmap level.
        level: u32,
        /// Layer, or face in the order +X −X +Y −Y +Z −Z; 0 for kinds without layers.
        layer: u32,
    },
    /// `tex layered`: a whole texture at level 0.
    Layered(u32),
    /// `ms`: a new multisample renderbuffer.
    Multisample {
        /// Internal format.
        format: GlEnum,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Samples per pixel.
        samples: u32,
    },
    /// `winsys`: the framebuffer of the window.
    Window,
}

/// Buffer that `blit` copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlitBuffer {
    /// `color`.
    Color,
    /// `depth`.
    Depth,
    /// `stencil`.
    Stencil,
}

/// Color attachments that a script may list.
const MAX_ATTACHMENTS: usize = 32;
/// Mipmap levels of the largest texture.
const MAX_LEVEL: u32 = 15;
/// Samples of a renderbuffer.
const MAX_SAMPLES: u32 = 64;

pub(super) fn fb<'a>(arguments: &mut Arguments<'a, '_>) -> Result<FramebufferCommand, Fault<'a>> {
    const WHAT: &str = "`tex 2d`, `tex slice`, `tex layered`, `ms` or `winsys`";
    let mut word = arguments.word(WHAT)?;
    let target = match word {
        "draw" => FramebufferTarget::Draw,
        "read" => FramebufferTarget::Read,
        _ => FramebufferTarget::Both,
    };
    if target != FramebufferTarget::Both {
        word = arguments.word(WHAT)?;
    }
    let framebuffer = match word {
        "tex" => match arguments.word("`2d`, `slice` or `layered`")? {
            "2d" => textures(arguments)?,
            "slice" => slice(arguments)?,
            "layered" => {
                let slot = arguments.signed("a texture slot")?;
                Framebuffer::Layered(arguments.slot(slot)?)
            }
            _ => return Err(arguments.malformed(format!("expected {WHAT}"))),
        },
        "ms" => {
            let format = arguments.gl_enum("a format")?;
            let [width, height, samples] = signeds(arguments, "width, height and samples")?;
            Framebuffer::Multisample {
                format,
                width: arguments.size(width, MAX_SIZE, "width")?,
                height: arguments.size(height, MAX_SIZE, "height")?,
                samples: arguments.size(samples, MAX_SAMPLES, "samples")?,
            }
        }
        "winsys" => Framebuffer::Window,
        _ => return Err(arguments.malformed(format!("expected {WHAT}"))),
    };
    Ok(FramebufferCommand::Bind { target, framebuffer })
}

fn textures<'a>(arguments: &mut Arguments<'a, '_>) -> Result<Framebuffer, Fault<'a>> {
    let first = arguments.signed("a texture slot")?;
    let mut slots = vec![attachment(arguments, first)?];
    while let Some(slot) = arguments.optional_signed() {
        if slots.len() == MAX_ATTACHMENTS {
            return Err(
                arguments.out_of_range(format!("more than {MAX_ATTACHMENTS} color attachments"))
            );
        }
        slots.push(attachment(arguments, slot)?);
    }
    Ok(Framebuffer::Textures(slots))
}

fn attachment<'a>(arguments: &Arguments<'a, '_>, slot: i32) -> Result<Option<u32>, Fault<'a>> {
    if slot == -1 { Ok(None) } else { arguments.slot(slot).map(Some) }
}

fn slice<'a>(arguments: &mut Arguments<'a, '_>) -> Result<Framebuffer, Fault<'a>> {
    let target = arguments.choice("a texture target", TextureTarget::from_word)?;
    let [slot, level, layer] = signeds(arguments, "slot, level and layer")?;
    let slot = arguments.slot(slot)?;
    let level = arguments.size(level, MAX_LEVEL, "level")?;
    let limit = match target {
        TextureTarget::OneD | TextureTarget::TwoD | TextureTarget::Rect => 0,
        TextureTarget::Cube => 5,
        _ => MAX_SIZE,
    };
    Ok(Framebuffer::Slice { target, slot, level, layer: arguments.size(layer, limit, "layer")? })
}

fn signeds<'a, const N: usize>(
    arguments: &mut Arguments<'a, '_>,
    what: &str,
) -> Result<[i32; N], Fault<'a>> {
    let mut values = [0; N];
    for value in &mut values {
        *value = arguments.signed(what)?;
    }
    Ok(values)
}

pub(super) fn blit<'a>(arguments: &mut Arguments<'a, '_>) -> Result<FramebufferCommand, Fault<'a>> {
    let buffer = arguments.choice("`color`, `depth` or `stencil`", |word| {
        Some(match word {
            "color" => BlitBuffer::Color,
            "depth" => BlitBuffer::Depth,
            "stencil" => BlitBuffer::Stencil,
            _ => return None,
        })
    })?;
    let linear = arguments.choice("`linear` or `nearest`", |word| match word {
        "linear" => Some(true),
        "nearest" => Some(false),
        _ => None,
    })?;
    Ok(FramebufferCommand::Blit { buffer, linear })
}
