//! Textures, images and framebuffers.

use gl_machine::machine::framebuffers::{FramebufferError, FramebufferKind, FramebufferTarget};
use gl_machine::machine::textures::TextureParameter;
use program::Api;
use raster::format::Format;
use raster::texture::fill::TextureFill;
use raster::texture::{self as gl, Filter, SwizzleSource, Wrap};
use script::{
    BlitBuffer, CompareFunc, DepthMode, Framebuffer, FramebufferCommand, GlEnum, IntegerFormat,
    TexFilter, TexParameter, TexWrap, TextureCommand, TextureImage, TextureSwizzle, TextureTarget,
};

use super::session::{Flow, Session};
use crate::front::unsupported;
use results::verdict::{Phase, Verdict};

/// Executes `texture …`, `texparameter`, `image texture` and `resident …`.
pub(super) fn texture(session: &mut Session<'_>, command: &TextureCommand) -> Flow {
    match command {
        TextureCommand::Fill { unit, image } => {
            let desktop_only = matches!(
                image,
                TextureImage::Miptree
                    | TextureImage::Shadow2D { .. }
                    | TextureImage::ShadowRect { .. }
                    | TextureImage::Shadow1D { .. }
                    | TextureImage::Shadow1DArray { .. }
                    | TextureImage::Shadow2DArray { .. }
            );
            if desktop_only && session.capabilities.api() == Api::Es {
                return Err(Verdict::skip("this texture needs desktop OpenGL"));
            }
            let fill = fill(image)?;
            session.replicas.change(|machine| {
                machine.fill_texture(*unit, &fill);
            });
            if matches!(image, TextureImage::Storage { .. }) {
                session.check_gl_error()
            } else {
                Ok(())
            }
        }
        TextureCommand::Parameter { target, parameter } => {
            if matches!(parameter, TexParameter::LodBias(_))
                && session.capabilities.api() == Api::Es
            {
                return Err(Verdict::skip("lod_bias needs desktop OpenGL"));
            }
            let (target, parameter) = (target_of(*target), parameter_of(parameter));
            session.replicas.change(|machine| machine.set_texture_parameter(target, parameter));
            Ok(())
        }
        TextureCommand::Image { slot, format } => {
            let format = format_of(*format)?;
            let bound =
                session.replicas.each(|machine, _| Ok(machine.bind_image(*slot, format)))?;
            if bound.contains(&false) {
                return Err(Verdict::fail(Phase::Script, format!("No texture bound at {slot}")));
            }
            Ok(())
        }
        TextureCommand::Resident(slot) => make_resident(session, *slot, None),
        TextureCommand::ResidentImage { slot, format } => {
            let format = format_of(*format)?;
            make_resident(session, *slot, Some(format))
        }
    }
}

/// Makes the texture of a slot, or its image of a format, resident.
fn make_resident(session: &mut Session<'_>, slot: u32, image: Option<Format>) -> Flow {
    if !session.capabilities.has("GL_ARB_bindless_texture") {
        return Err(Verdict::skip("needs GL_ARB_bindless_texture"));
    }
    let made = session.replicas.each(|machine, _| {
        Ok(match image {
            Some(format) => machine.make_image_resident(slot, format),
            None => machine.make_texture_resident(slot),
        })
    })?;
    if made.contains(&false) {
        return Err(Verdict::fail(Phase::Script, format!("No texture bound at {slot}")));
    }
    Ok(())
}

fn format_of(name: GlEnum) -> Flow<Format> {
    let text = name.to_string();
    Format::from_gl(&text).ok_or_else(|| unsupported(&format!("the format {text} is")))
}

fn target_of(target: TextureTarget) -> gl::TextureTarget {
    match target {
        TextureTarget::OneD => gl::TextureTarget::D1,
        TextureTarget::TwoD => gl::TextureTarget::D2,
        TextureTarget::ThreeD => gl::TextureTarget::D3,
        TextureTarget::Rect => gl::TextureTarget::Rect,
        TextureTarget::Cube => gl::TextureTarget::Cube,
        TextureTarget::OneDArray => gl::TextureTarget::D1Array,
        TextureTarget::TwoDArray => gl::TextureTarget::D2Array,
        TextureTarget::CubeArray => gl::TextureTarget::CubeArray,
    }
}

fn fill(image: &TextureImage) -> Flow<TextureFill> {
    let shadow =
        |target, width, height, layers| TextureFill::Shadow { target, width, height, layers };
    Ok(match *image {
        TextureImage::Rgbw { width, height, format } => {
            let format = format.map_or(Ok(Format::Rgba8), format_of)?;
            TextureFill::Rgbw { width, height, format }
        }
        TextureImage::Rgbw1D => TextureFill::Rgbw1D,
        TextureImage::Rgbw3D => TextureFill::Rgbw3D,
        TextureImage::Rgbw2DArray { width, height, layers } => {
            TextureFill::Rgbw2DArray { width, height, layers }
        }
        TextureImage::Rgbw1DArray { width, layers } => TextureFill::Rgbw1DArray { width, layers },
        TextureImage::Miptree => TextureFill::Miptree,
        TextureImage::Checkerboard(ref board) => {
            let [a, b] = board.colors;
            TextureFill::Tiles {
                level: board.level,
                width: board.width,
                height: board.height,
                tile: [(board.width / 2).max(1), (board.height / 2).max(1)],
                colors: [a, b, b, a],
            }
        }
        TextureImage::Quads(ref quads) => TextureFill::Tiles {
            level: quads.level,
            width: quads.width,
            height: quads.height,
            tile: [quads.tile_width.max(1), quads.tile_height.max(1)],
            colors: quads.colors,
        },
        TextureImage::Integer { width, height, b, a, format } => {
            let format = match format {
                IntegerFormat::R32I => Format::R32i,
                IntegerFormat::Rg32I => Format::Rg32i,
                IntegerFormat::Rgb32I => Format::Rgb32i,
                IntegerFormat::Rgba32I => Format::Rgba32i,
            };
            TextureFill::Integer { width, height, b_a: [b, a], format }
        }
        TextureImage::Shadow2D { width, height } => shadow(gl::TextureTarget::D2, width, height, 1),
        TextureImage::ShadowRect { width, height } => {
            shadow(gl::TextureTarget::Rect, width, height, 1)
        }
        TextureImage::Shadow1D { width } => shadow(gl::TextureTarget::D1, width, 1, 1),
        TextureImage::Shadow1DArray { width, layers } => {
            shadow(gl::TextureTarget::D1Array, width, 1, layers)
        }
        TextureImage::Shadow2DArray { width, height, layers } => {
            shadow(gl::TextureTarget::D2Array, width, height, layers)
        }
        TextureImage::Junk2DArray { width, height, layers } => {
            TextureFill::Junk2DArray { width, height, layers }
        }
        TextureImage::Storage { target, format, levels, size } => TextureFill::Storage {
            target: target_of(target),
            format: format_of(format)?,
            levels,
            size: size.map(|executor| executor.unwrap_or(1)),
        },
    })
}

fn parameter_of(parameter: &TexParameter) -> TextureParameter {
    let level = |level: i32| u32::try_from(level).unwrap_or(0);
    match *parameter {
        TexParameter::CompareFunc(function) => TextureParameter::CompareFunction(match function {
            CompareFunc::Greater => gl::CompareFunction::Greater,
            CompareFunc::GreaterEqual => gl::CompareFunction::GreaterEqual,
            CompareFunc::Less => gl::CompareFunction::Less,
            CompareFunc::LessEqual => gl::CompareFunction::LessEqual,
            CompareFunc::Equal => gl::CompareFunction::Equal,
            CompareFunc::NotEqual => gl::CompareFunction::NotEqual,
            CompareFunc::Never => gl::CompareFunction::Never,
            CompareFunc::Always => gl::CompareFunction::Always,
        }),
        TexParameter::DepthMode(mode) => TextureParameter::DepthMode(match mode {
            DepthMode::Intensity => gl::DepthMode::Intensity,
            DepthMode::Luminance => gl::DepthMode::Luminance,
            DepthMode::Alpha => gl::DepthMode::Alpha,
            DepthMode::Red => gl::DepthMode::Red,
        }),
        TexParameter::Min(filter) => {
            let (within, between) = min_filter(filter);
            TextureParameter::Min(within, between)
        }
        TexParameter::Mag(filter) => TextureParameter::Mag(min_filter(filter).0),
        TexParameter::WrapS(mode) => TextureParameter::Wrap(0, wrap(mode)),
        TexParameter::WrapT(mode) => TextureParameter::Wrap(1, wrap(mode)),
        TexParameter::WrapR(mode) => TextureParameter::Wrap(2, wrap(mode)),
        TexParameter::LodBias(bias) => TextureParameter::LodBias(bias),
        TexParameter::MaxLevel(n) => TextureParameter::MaxLevel(level(n)),
        TexParameter::BaseLevel(n) => TextureParameter::BaseLevel(level(n)),
        TexParameter::BorderColor(color) => TextureParameter::Border(color),
        TexParameter::SwizzleR(source) => TextureParameter::SwizzleRed(match source {
            TextureSwizzle::Red => SwizzleSource::Red,
            TextureSwizzle::Green => SwizzleSource::Green,
            TextureSwizzle::Blue => SwizzleSource::Blue,
            TextureSwizzle::Alpha => SwizzleSource::Alpha,
        }),
    }
}

/// Returns the filters within a level and between levels.
fn min_filter(filter: TexFilter) -> (Filter, Option<Filter>) {
    match filter {
        TexFilter::Nearest => (Filter::Nearest, None),
        TexFilter::Linear => (Filter::Linear, None),
        TexFilter::NearestMipmapNearest => (Filter::Nearest, Some(Filter::Nearest)),
        TexFilter::LinearMipmapNearest => (Filter::Linear, Some(Filter::Nearest)),
        TexFilter::NearestMipmapLinear => (Filter::Nearest, Some(Filter::Linear)),
        TexFilter::LinearMipmapLinear => (Filter::Linear, Some(Filter::Linear)),
    }
}

fn wrap(mode: TexWrap) -> Wrap {
    match mode {
        TexWrap::Repeat => Wrap::Repeat,
        TexWrap::ClampToEdge => Wrap::ClampToEdge,
        TexWrap::ClampToBorder => Wrap::ClampToBorder,
    }
}

/// Executes `fb` and `blit` and checks the error flag.
pub(super) fn framebuffer(session: &mut Session<'_>, command: &FramebufferCommand) -> Flow {
    match command {
        FramebufferCommand::Bind { target, framebuffer } => {
            session.framebuffers_change();
            let target = match target {
                script::FramebufferTarget::Draw => FramebufferTarget::Draw,
                script::FramebufferTarget::Read => FramebufferTarget::Read,
                script::FramebufferTarget::Both => FramebufferTarget::Both,
            };
            let kind = match framebuffer {
                Framebuffer::Window => FramebufferKind::Window,
                Framebuffer::Textures(slots) => FramebufferKind::Textures(slots.clone()),
                Framebuffer::Slice { slot, level, layer, .. } => {
                    FramebufferKind::Slice { slot: *slot, level: *level, layer: *layer }
                }
                Framebuffer::Layered(slot) => FramebufferKind::Layered(*slot),
                Framebuffer::Multisample { format, width, height, samples } => {
                    FramebufferKind::Renderbuffer {
                        format: format_of(*format)?,
                        width: *width,
                        height: *height,
                        samples: *samples,
                    }
                }
            };
            for executor in &mut session.replicas.all {
                executor.machine.bind_framebuffer(target, &kind).map_err(|error| match error {
                    FramebufferError::Unsupported(what) => unsupported(&format!("{what}:")),
                    _ => Verdict::fail(Phase::Script, error.to_string()),
                })?;
            }
        }
        FramebufferCommand::Blit { buffer: BlitBuffer::Color, linear } => {
            let filter = if *linear { Filter::Linear } else { Filter::Nearest };
            session.replicas.each(|machine, device| machine.blit_color(filter, device))?;
        }
        FramebufferCommand::Blit { .. } => {
            return Err(unsupported("blits of depth and stencil are"));
        }
    }
    session.check_gl_error()
}
