//! Framebuffer bindings and blits.
//!
//! Only draws to the window are deferred. Draws to textures are executed at once.

use std::sync::Arc;

use program::Api;

use super::framebuffers::{
    Attachment, Framebuffer, FramebufferError, FramebufferKind, FramebufferTarget,
};
use super::{GlError, MAX_WINDOW, Machine, MachineError};
use raster::deferred::RenderTarget;
use raster::device::Device;
use raster::format::Format;
use raster::rasterize::{Rect, samples};
use raster::surface::{Pixels, Surface};
use raster::texture::fill::TextureFill;
use raster::texture::{Filter, TextureTarget};

impl Machine {
    /// Executes an `fb` command.
    ///
    /// # Errors
    /// A texture that it names is missing, or it is incomplete.
    pub fn bind_framebuffer(
        &mut self,
        target: FramebufferTarget,
        kind: &FramebufferKind,
    ) -> Result<(), FramebufferError> {
        let framebuffer = match kind {
            FramebufferKind::Window => Framebuffer::Window,
            FramebufferKind::Textures(slots) => {
                let attachment =
                    |slot: &Option<u32>| slot.map(|s| self.attachment(s, 0, 0)).transpose();
                let colors = slots.iter().map(attachment).collect::<Result<_, _>>()?;
                self.images(colors, 1, 1)?
            }
            &FramebufferKind::Slice { slot, level, layer } => {
                let attachment = self.attachment(slot, level, layer)?;
                self.images(vec![Some(attachment)], 1, 1)?
            }
            &FramebufferKind::Layered(slot) => {
                let attachment = self.attachment(slot, 0, 0)?;
                let texture = self.objects.textures.get(attachment.texture.0 as usize);
                let level = texture.and_then(|t| t.levels.first()?.as_ref());
                let layers = level.map_or(0, |l| l.layers.len() as u32);
                self.images(vec![Some(attachment)], layers, 1)?
            }
            &FramebufferKind::Renderbuffer { format, width, height, samples } => {
                let samples = samples::supported(samples);
                if width > MAX_WINDOW || height > MAX_WINDOW || self.exceeds_samples(samples) {
                    return Err(FramebufferError::Incomplete);
                }
                let size = [width, height, samples];
                let fill = TextureFill::Storage {
                    target: TextureTarget::D2Array,
                    format,
                    levels: 1,
                    size,
                };
                let texture = self.add_texture(fill.create());
                self.images(vec![Some(Attachment { texture, level: 0, layer: 0 })], 1, samples)?
            }
        };
        if target != FramebufferTarget::Read {
            self.draw_framebuffer = framebuffer.clone();
        }
        if target != FramebufferTarget::Draw {
            self.read_framebuffer = framebuffer;
        }
        Ok(())
    }

    /// Returns true if a renderbuffer cannot have so many samples. The limit is the same for all
    /// formats: Mesa queries its drivers for the format's limit (ARB_internalformat_query), which
    /// is the same for integers; `GL_MAX_INTEGER_SAMPLES` applies to textures.
    fn exceeds_samples(&self, samples: u32) -> bool {
        let exceeds = || self.capabilities.limit_below("GL_MAX_SAMPLES", 4, samples).is_some();
        samples > samples::MAX_SAMPLES || samples > 1 && exceeds()
    }

    fn attachment(
        &self,
        slot: u32,
        level: u32,
        layer: u32,
    ) -> Result<Attachment, FramebufferError> {
        let entry = self.texture_slot(slot).ok_or(FramebufferError::NoTexture(slot))?;
        Ok(Attachment { texture: entry.texture, level, layer })
    }

    /// Returns a framebuffer of images that exist, have one size and a color format.
    fn images(
        &self,
        colors: Vec<Option<Attachment>>,
        layers: u32,
        samples: u32,
    ) -> Result<Framebuffer, FramebufferError> {
        let surfaces: Option<Vec<&Surface>> =
            colors.iter().flatten().map(|a| self.surface(a)).collect();
        let surfaces = surfaces.ok_or(FramebufferError::Incomplete)?;
        let first = surfaces.first().ok_or(FramebufferError::Incomplete)?;
        let (width, height) = (first.width(), first.height());
        if layers == 0 || surfaces.iter().any(|s| s.format().is_depth()) {
            return Err(FramebufferError::Incomplete);
        }
        if surfaces.iter().any(|s| (s.width(), s.height()) != (width, height)) {
            return Err(FramebufferError::Unsupported("attachments of different sizes"));
        }
        Ok(Framebuffer::Images { colors, layers, samples, width, height })
    }

    fn surface(&self, attachment: &Attachment) -> Option<&Surface> {
        let texture = self.objects.textures.get(attachment.texture.0 as usize)?;
        texture.image(attachment.level as usize, attachment.layer as usize)
    }

    pub(super) fn framebuffer_size(&self, framebuffer: &Framebuffer) -> (u32, u32) {
        match framebuffer {
            Framebuffer::Window => self.window_size(),
            Framebuffer::Images { width, height, .. } => (*width, *height),
        }
    }

    /// Returns the width and height of the read framebuffer.
    pub fn read_size(&self) -> (u32, u32) {
        self.framebuffer_size(&self.read_framebuffer)
    }

    /// Returns the width and height of the draw framebuffer.
    pub fn render_size(&self) -> (u32, u32) {
        self.framebuffer_size(&self.draw_framebuffer)
    }

    /// Returns the formats of the draw framebuffer's color attachments.
    pub(super) fn draw_formats(&self) -> Vec<Option<Format>> {
        match &self.draw_framebuffer {
            Framebuffer::Window => vec![self.window.color_format(0)],
            Framebuffer::Images { colors, .. } => {
                colors.iter().map(|a| Some(self.surface(a.as_ref()?)?.format())).collect()
            }
        }
    }

    /// Returns the render targets over the attached images, one per layer or sample. They share
    /// contents with the textures until drawn to.
    pub(super) fn layer_targets(&self, framebuffer: &Framebuffer) -> Vec<RenderTarget> {
        let Framebuffer::Images { colors, layers, samples, width, height } = framebuffer else {
            return Vec::new();
        };
        (0..*layers.max(samples))
            .map(|layer| {
                let at = |a: &Option<Attachment>| {
                    let a = a.as_ref()?;
                    self.surface(&Attachment { layer: a.layer + layer, ..*a }).cloned()
                };
                RenderTarget::new(*width, *height, colors.iter().map(at).collect(), None)
            })
            .collect()
    }

    /// Stores the drawn images in their textures.
    pub(super) fn store_targets(&mut self, framebuffer: &Framebuffer, targets: Vec<RenderTarget>) {
        let Framebuffer::Images { colors, .. } = framebuffer else { return };
        for (layer, target) in targets.into_iter().enumerate() {
            for (attachment, surface) in colors.iter().zip(target.into_surfaces().0) {
                let Some(attachment) = attachment else { continue };
                let texture = self.objects.textures.get_mut(attachment.texture.0 as usize);
                let image = texture.and_then(|t| {
                    Arc::make_mut(t)
                        .image_mut(attachment.level as usize, attachment.layer as usize + layer)
                });
                if let (Some(image), Some(surface)) = (image, surface) {
                    *image = surface;
                }
            }
        }
    }

    /// Reads color attachment 0 of the read framebuffer in stored form.
    pub(super) fn read_color(
        &mut self,
        rect: &Rect,
        device: &mut dyn Device,
    ) -> Result<(Format, Pixels), MachineError> {
        let nothing = MachineError::NothingToRead("there is no color attachment");
        if let Framebuffer::Images { colors, samples, .. } = &self.read_framebuffer {
            if *samples > 1 {
                return Err(MachineError::NothingToRead("the framebuffer is multisampled"));
            }
            let surface = colors.first().and_then(|a| self.surface(a.as_ref()?)).ok_or(nothing)?;
            return Ok((surface.format(), surface.read(rect)));
        }
        let (pixels, steps) = self.window.read(0, rect, device)?;
        self.steps += steps;
        self.window.color_format(0).zip(pixels).ok_or(nothing)
    }

    /// Returns color attachment 0 of the read framebuffer, sample by sample.
    fn read_planes(&mut self, device: &mut dyn Device) -> Result<Vec<Surface>, MachineError> {
        if let Framebuffer::Images { colors, samples, .. } = &self.read_framebuffer
            && *samples > 1
            && let Some(Some(first)) = colors.first()
        {
            let plane = |s| self.surface(&Attachment { layer: first.layer + s, ..*first }).cloned();
            return (0..*samples)
                .map(plane)
                .collect::<Option<_>>()
                .ok_or(MachineError::NothingToRead("there is no color attachment"));
        }
        let (width, height) = self.read_size();
        let rect = Rect::of_size(width, height);
        let (format, pixels) = self.read_color(&rect, device)?;
        self.undefined_texels |= !self.reads_texture() && self.window.has_undefined(&rect);
        let mut source = Surface::new(width, height, format);
        match pixels {
            Pixels::Constant(texel) => source.fill(texel),
            Pixels::Varying(texels) => {
                for (i, texel) in texels.into_iter().enumerate() {
                    source.set((i % width as usize) as i32, (i / width as usize) as i32, texel);
                }
            }
        }
        Ok(vec![source])
    }

    /// True if the framebuffers permit a blit (OpenGL 4.6 section 18.3.1): both hold integers or
    /// neither does; two multisampled ones have equal numbers of samples; if one is multisampled,
    /// the sizes are equal, and in ES it is the read framebuffer.
    fn may_blit(&self, format: Format) -> bool {
        let (read, draw) = (self.read_framebuffer.samples(), self.draw_framebuffer.samples());
        let classes =
            self.draw_formats().iter().flatten().all(|f| f.is_integer() == format.is_integer());
        let scaled = self.read_size() != self.render_size();
        classes
            && !(read > 1 && draw > 1 && read != draw)
            && !(scaled && read.max(draw) > 1)
            && !(draw > 1 && self.capabilities.api() == Api::Es)
    }

    /// Executes `blit color`: copies the whole read framebuffer onto the whole draw framebuffer.
    ///
    /// # Errors
    /// There is nothing to read, or the device failed.
    pub fn blit_color(
        &mut self,
        filter: Filter,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        let planes = self.read_planes(device)?;
        let Some(planes) = planes.split_first() else { return Ok(()) };
        if !self.may_blit(planes.0.format()) {
            self.raise(GlError::InvalidOperation);
            return Ok(());
        }
        let framebuffer = self.draw_framebuffer.clone();
        if framebuffer == Framebuffer::Window {
            self.finish(device)?;
            let source = resolve(planes);
            self.window.for_each_color(|surface| copy(&source, surface, filter));
            return Ok(());
        }
        let mut targets = self.layer_targets(&framebuffer);
        if framebuffer.samples() > 1 {
            let sources = std::iter::once(planes.0).chain(planes.1).cycle();
            for (target, source) in targets.iter_mut().zip(sources) {
                target.for_each_color(|surface| copy(source, surface, filter));
            }
        } else if let Some(target) = targets.first_mut() {
            let source = resolve(planes);
            target.for_each_color(|surface| copy(&source, surface, filter));
        }
        self.store_targets(&framebuffer, targets);
        Ok(())
    }
}

/// Resolves the samples of each pixel: their mean, or the first one of integers.
fn resolve((first, others): (&Surface, &[Surface])) -> Surface {
    let mut result = first.clone();
    let format = result.format();
    if others.is_empty() || format.is_integer() {
        return result;
    }
    let samples = (others.len() + 1) as f64;
    for tile in 0..result.tile_count() {
        // The mean of equal colors is that color.
        if format.is_unorm() && others.iter().all(|plane| plane.has_tile_of(first, tile)) {
            continue;
        }
        let rect = result.tile_rect(tile);
        for (x, y) in (rect.y0..rect.y1).flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y))) {
            let mut sum = [0.0; 4];
            for plane in std::iter::once(first).chain(others) {
                let color = format.to_f32(plane.get(x, y));
                sum.iter_mut().zip(color).for_each(|(sum, c)| *sum += f64::from(c));
            }
            result.set(x, y, format.quantize_numbers(sum.map(|c| c / samples)));
        }
    }
    result
}

/// Scales `source` onto all of `target`.
fn copy(source: &Surface, target: &mut Surface, filter: Filter) {
    let (sw, sh) = (f64::from(source.width()), f64::from(source.height()));
    let (tw, th) = (target.width(), target.height());
    let format = target.format();
    let same_size = (source.width(), source.height()) == (tw, th);
    // At the centers of texels the interpolated color is that of the texel.
    let exact = filter == Filter::Nearest || format.is_unorm();
    if same_size && exact && format == source.format() {
        *target = source.clone();
        (0..target.tile_count()).for_each(|tile| target.compact(tile));
        return;
    }
    for y in 0..th {
        for x in 0..tw {
            let u = (f64::from(x) + 0.5) * sw / f64::from(tw);
            let v = (f64::from(y) + 0.5) * sh / f64::from(th);
            let same = format == source.format();
            let texel = match filter {
                Filter::Nearest if same => source.get(u as i32, v as i32),
                Filter::Nearest => {
                    format.quantize(source.format().to_raw(source.get(u as i32, v as i32)))
                }
                Filter::Linear => format.quantize_numbers(linear(source, u, v)),
            };
            target.set(x as i32, y as i32, texel);
        }
    }
    (0..target.tile_count()).for_each(|tile| target.compact(tile));
}

/// Interpolates bilinearly with clamped edges, at a position in pixels.
fn linear(source: &Surface, u: f64, v: f64) -> [f64; 4] {
    let (u, v) = (u - 0.5, v - 0.5);
    let (x, y) = (u.floor(), v.floor());
    let (fx, fy) = (u - x, v - y);
    let at = |dx: f64, dy: f64| {
        let clamp = |c: f64, size: u32| (c.max(0.0) as u32).min(size.saturating_sub(1)) as i32;
        let (px, py) = (clamp(x + dx, source.width()), clamp(y + dy, source.height()));
        source.format().to_f32(source.get(px, py)).map(f64::from)
    };
    let (a, b, c, d) = (at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), at(1.0, 1.0));
    std::array::from_fn(|i| {
        let low = a[i] + (b[i] - a[i]) * fx;
        let high = c[i] + (d[i] - c[i]) * fx;
        low + (high - low) * fy
    })
}
