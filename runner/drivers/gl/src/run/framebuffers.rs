//! `fb` and `blit`.

use script::{
    BlitBuffer, Framebuffer, FramebufferCommand, FramebufferTarget, GlEnum, TextureTarget,
};
use vocabulary::Phase;

use super::session::Run;
use super::textures::{format_enum, target_enum};
use crate::bindings::gl;
use crate::outcome::{Flow, fail};

impl Run<'_> {
    pub(super) fn framebuffer(&mut self, command: &FramebufferCommand) -> Flow {
        match command {
            FramebufferCommand::Bind { target, framebuffer } => {
                self.bind_framebuffer(*target, framebuffer)
            }
            FramebufferCommand::Blit { buffer, linear } => {
                let mask = match buffer {
                    BlitBuffer::Color => gl::COLOR_BUFFER_BIT,
                    BlitBuffer::Depth => gl::DEPTH_BUFFER_BIT,
                    BlitBuffer::Stencil => gl::STENCIL_BUFFER_BIT,
                };
                let filter = if *linear { gl::LINEAR } else { gl::NEAREST };
                let signed = |(width, height): (u32, u32)| (width as i32, height as i32);
                let (width, height) = signed(self.framebuffers.read_size);
                let (to_width, to_height) = signed(self.framebuffers.draw_size);
                self.api
                    .blit_framebuffer(0, 0, width, height, 0, 0, to_width, to_height, mask, filter);
                self.check_gl_error()
            }
        }
    }

    fn bind_framebuffer(&mut self, target: FramebufferTarget, framebuffer: &Framebuffer) -> Flow {
        let point = match target {
            FramebufferTarget::Draw => gl::DRAW_FRAMEBUFFER,
            FramebufferTarget::Read => gl::READ_FRAMEBUFFER,
            FramebufferTarget::Both => gl::FRAMEBUFFER,
        };
        let size = match framebuffer {
            Framebuffer::Window => {
                self.api.bind_framebuffer(point, self.framebuffers.window);
                self.framebuffers.window_size
            }
            other => {
                let name = self.api.create_framebuffer();
                self.objects.framebuffers.push(name);
                self.api.bind_framebuffer(point, name);
                self.attach(point, target, other)?
            }
        };
        self.check_gl_error()?;
        let status = self.api.check_framebuffer_status(point);
        if status != gl::FRAMEBUFFER_COMPLETE {
            let reason = format!("the framebuffer is incomplete ({status:#06x})");
            return Err(fail(Phase::Script, reason));
        }
        if target != FramebufferTarget::Read {
            self.framebuffers.draw_size = size;
        }
        if target != FramebufferTarget::Draw {
            self.framebuffers.read_size = size;
        }
        Ok(())
    }

    /// Attaches images to the bound framebuffer and returns its size.
    fn attach(
        &mut self,
        point: u32,
        target: FramebufferTarget,
        framebuffer: &Framebuffer,
    ) -> Flow<(u32, u32)> {
        match *framebuffer {
            Framebuffer::Window => Ok(self.framebuffers.window_size),
            Framebuffer::Textures(ref slots) => self.attach_textures(point, target, slots),
            Framebuffer::Slice { target: kind, slot, level, layer } => {
                let found = self.slot(slot)?;
                self.attach_slice(point, kind, found.texture, level as i32, layer);
                let side = |size: u32| (size >> level).max(1);
                Ok((side(found.width), side(found.height)))
            }
            Framebuffer::Layered(slot) => {
                let found = self.slot(slot)?;
                self.api.framebuffer_texture(point, gl::COLOR_ATTACHMENT0, found.texture, 0);
                Ok((found.width, found.height))
            }
            Framebuffer::Multisample { format, width, height, samples } => {
                self.attach_samples(point, format, [width, height], samples)?;
                Ok((width, height))
            }
        }
    }

    fn attach_textures(
        &mut self,
        point: u32,
        target: FramebufferTarget,
        slots: &[Option<u32>],
    ) -> Flow<(u32, u32)> {
        let mut size = self.framebuffers.window_size;
        let mut buffers = Vec::new();
        for (attachment, slot) in (gl::COLOR_ATTACHMENT0..).zip(slots) {
            let Some(slot) = *slot else {
                buffers.push(gl::NONE);
                continue;
            };
            let found = self.slot(slot)?;
            self.api.framebuffer_texture_2d(point, attachment, gl::TEXTURE_2D, found.texture, 0);
            buffers.push(attachment);
            size = (found.width, found.height);
        }
        // An ES 2.0 context has no command for several draw buffers.
        if target != FramebufferTarget::Read && self.capabilities.has_version(20, 30, &[]) {
            self.api.draw_buffers(&buffers);
        }
        Ok(size)
    }

    fn attach_slice(&self, point: u32, kind: TextureTarget, texture: u32, level: i32, layer: u32) {
        let attachment = gl::COLOR_ATTACHMENT0;
        let target = target_enum(kind);
        match kind {
            TextureTarget::OneD => {
                self.api.framebuffer_texture_1d(point, attachment, target, texture, level);
            }
            TextureTarget::TwoD | TextureTarget::Rect => {
                self.api.framebuffer_texture_2d(point, attachment, target, texture, level);
            }
            TextureTarget::Cube => {
                let face = gl::TEXTURE_CUBE_MAP_POSITIVE_X + layer;
                self.api.framebuffer_texture_2d(point, attachment, face, texture, level);
            }
            TextureTarget::ThreeD
            | TextureTarget::OneDArray
            | TextureTarget::TwoDArray
            | TextureTarget::CubeArray => {
                let layer = layer as i32;
                self.api.framebuffer_texture_layer(point, attachment, texture, level, layer);
            }
        }
    }

    fn attach_samples(
        &mut self,
        point: u32,
        format: GlEnum,
        [width, height]: [u32; 2],
        samples: u32,
    ) -> Flow {
        let buffer = self.api.create_renderbuffer();
        self.objects.renderbuffers.push(buffer);
        self.api.bind_renderbuffer(gl::RENDERBUFFER, buffer);
        self.api.renderbuffer_storage_multisample(
            gl::RENDERBUFFER,
            samples as i32,
            format_enum(format)?,
            width as i32,
            height as i32,
        );
        let attachment = gl::COLOR_ATTACHMENT0;
        self.api.framebuffer_renderbuffer(point, attachment, gl::RENDERBUFFER, buffer);
        Ok(())
    }
}
