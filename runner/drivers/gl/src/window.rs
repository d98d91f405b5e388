//! Windows: framebuffers that replace the window of a test.

use std::collections::BTreeMap;

use crate::api::Api;
use crate::api::Texels;
use crate::bindings::gl;
use crate::capabilities::Capabilities;

/// Size and buffers of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WindowShape {
    /// Width in pixels.
    pub(crate) width: u32,
    /// Height in pixels.
    pub(crate) height: u32,
    /// It has a depth buffer.
    pub(crate) depth: bool,
}

/// The windows of a context. They are never deleted: few sizes occur.
#[derive(Default)]
pub(crate) struct Windows(BTreeMap<WindowShape, u32>);

impl Windows {
    /// Binds the framebuffer of a window with cleared buffers, and returns its name; `None` if the
    /// driver does not take it.
    pub(crate) fn bind(
        &mut self,
        api: &Api,
        capabilities: &Capabilities,
        shape: WindowShape,
    ) -> Option<u32> {
        let framebuffer = match self.0.get(&shape) {
            Some(&framebuffer) => {
                api.bind_framebuffer(gl::FRAMEBUFFER, framebuffer);
                framebuffer
            }
            None => {
                let framebuffer = create(api, capabilities, shape)?;
                self.0.insert(shape, framebuffer);
                framebuffer
            }
        };
        api.viewport(0, 0, shape.width as i32, shape.height as i32);
        api.clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT);
        Some(framebuffer)
    }
}

/// Creates and binds a framebuffer with 8 bits for each channel.
fn create(api: &Api, capabilities: &Capabilities, shape: WindowShape) -> Option<u32> {
    let size = [shape.width as i32, shape.height as i32];
    let texture = api.create_texture();
    api.bind_texture(gl::TEXTURE_2D, texture);
    for filter in [gl::TEXTURE_MIN_FILTER, gl::TEXTURE_MAG_FILTER] {
        api.tex_parameteri(gl::TEXTURE_2D, filter, gl::NEAREST as i32);
    }
    api.tex_image_2d(gl::TEXTURE_2D, 0, gl::RGBA, size, gl::RGBA, Texels::Undefined);
    api.bind_texture(gl::TEXTURE_2D, 0);
    let framebuffer = api.create_framebuffer();
    api.bind_framebuffer(gl::FRAMEBUFFER, framebuffer);
    api.framebuffer_texture_2d(gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, texture, 0);
    if shape.depth {
        let buffer = api.create_renderbuffer();
        api.bind_renderbuffer(gl::RENDERBUFFER, buffer);
        api.renderbuffer_storage(gl::RENDERBUFFER, gl::DEPTH24_STENCIL8, size[0], size[1]);
        api.bind_renderbuffer(gl::RENDERBUFFER, 0);
        // Versions without a common attachment point of both take it at two.
        let points: &[u32] = if capabilities.has_version(30, 30, &[]) {
            &[gl::DEPTH_STENCIL_ATTACHMENT]
        } else {
            &[gl::DEPTH_ATTACHMENT, gl::STENCIL_ATTACHMENT]
        };
        for &point in points {
            api.framebuffer_renderbuffer(gl::FRAMEBUFFER, point, gl::RENDERBUFFER, buffer);
        }
    }
    let complete = api.check_framebuffer_status(gl::FRAMEBUFFER) == gl::FRAMEBUFFER_COMPLETE;
    complete.then_some(framebuffer)
}
