//! Probe commands, reads of pixels, and the buffers to read.

use probes::Expectation;
use program::Api;

use super::framebuffers::Framebuffer;
use super::{Machine, MachineError};
use crate::probe::{self, ProbePath, ProbeResult, Readback};
use raster::deferred::OTHER_VALUES;
use raster::device::Device;
use raster::rasterize::Rect;
use raster::resources::BufferId;
use raster::surface::Pixels;

/// The most pixels one probe may read.
const MAX_READ: i64 = 1 << 28;

impl Machine {
    /// Probes one pixel of color attachment 0, always as floats.
    ///
    /// # Errors
    /// There is nothing to read, or the device failed.
    pub fn probe_pixel(
        &mut self,
        x: i32,
        y: i32,
        expectation: &Expectation,
        device: &mut dyn Device,
    ) -> Result<ProbeResult, MachineError> {
        let rect = Rect { x0: x, y0: y, x1: x.saturating_add(1), y1: y.saturating_add(1) };
        let readback = self.read_back(rect, device)?;
        Ok(probe::compare(ProbePath::Float, expectation, readback))
    }

    /// Probes a rectangle of color attachment 0: as bytes where the format and the context allow
    /// it, else as floats.
    ///
    /// # Errors
    /// There is nothing to read, or the device failed.
    pub fn probe_rect(
        &mut self,
        rect: Rect,
        expectation: &Expectation,
        device: &mut dyn Device,
    ) -> Result<ProbeResult, MachineError> {
        let readback = self.read_back(rect, device)?;
        let desktop = self.capabilities.api() != Api::Es
            && self.capabilities.has("GL_ARB_framebuffer_object");
        let path = if desktop && readback.format.is_at_most_8_bit() {
            ProbePath::Bytes
        } else {
            ProbePath::Float
        };
        Ok(probe::compare(path, expectation, readback))
    }

    /// Probes a rectangle of an integer attachment; `values` are the expected integers.
    ///
    /// # Errors
    /// There is nothing to read, or the device failed.
    pub fn probe_rect_integer(
        &mut self,
        rect: Rect,
        values: [i32; 4],
        device: &mut dyn Device,
    ) -> Result<ProbeResult, MachineError> {
        let readback = self.read_back(rect, device)?;
        let values = values.map(|v| f32::from_bits(v as u32));
        let expectation = Expectation { channels: 4, values, tolerance: [0.0; 4] };
        Ok(probe::compare(ProbePath::Integer, &expectation, readback))
    }

    /// Probes the whole read framebuffer.
    ///
    /// # Errors
    /// There is nothing to read, or the device failed.
    pub fn probe_all(
        &mut self,
        expectation: &Expectation,
        device: &mut dyn Device,
    ) -> Result<ProbeResult, MachineError> {
        let (width, height) = self.read_size();
        self.probe_rect(Rect::of_size(width, height), expectation, device)
    }

    /// Probes one depth value: it must be closer than 0.01.
    ///
    /// # Errors
    /// There is no depth buffer, or the device failed.
    pub fn probe_depth(
        &mut self,
        x: i32,
        y: i32,
        expected: f32,
        device: &mut dyn Device,
    ) -> Result<ProbeResult, MachineError> {
        let rect = Rect { x0: x, y0: y, x1: x.saturating_add(1), y1: y.saturating_add(1) };
        let (pixels, steps) = self.window.read_depth(&rect, device)?;
        self.steps += steps;
        let format = self.window.depth_format();
        let (Some(pixels), Some(format)) = (pixels, format) else {
            return Err(MachineError::NothingToRead("there is no depth buffer"));
        };
        let undefined = self.window.undefined_in(&rect).into_iter();
        let undefined = undefined.filter(|(_, mark)| mark & OTHER_VALUES != 0).collect();
        let readback = Readback { rect, format, pixels, undefined };
        // Strictly below 0.01, while the comparison accepts equality.
        let tolerance = [0.01f32.next_down(); 4];
        let expectation = Expectation { channels: 1, values: [expected; 4], tolerance };
        Ok(probe::compare(ProbePath::Float, &expectation, readback))
    }

    /// Reads a rectangle of color attachment 0, in stored form.
    ///
    /// # Errors
    /// There is nothing to read, the rectangle is too large, or the device failed.
    pub fn read_back(
        &mut self,
        rect: Rect,
        device: &mut dyn Device,
    ) -> Result<Readback, MachineError> {
        let pixels = rect.x1.checked_sub(rect.x0).zip(rect.y1.checked_sub(rect.y0));
        if pixels.is_none_or(|(w, h)| i64::from(w.max(0)) * i64::from(h.max(0)) > MAX_READ) {
            return Err(MachineError::NothingToRead("the rectangle is too large"));
        }
        let (format, pixels) = self.read_color(&rect, device)?;
        let mut undefined =
            if self.reads_texture() { Vec::new() } else { self.window.undefined_in(&rect) };
        undefined.retain(|(_, mark)| mark & !OTHER_VALUES != 0);
        Ok(Readback { rect, format, pixels, undefined })
    }

    /// Returns the buffers at shader storage binding points, in order.
    pub fn storage_buffers(&self) -> impl Iterator<Item = (u32, BufferId)> {
        self.storage_bindings.iter().map(|(&binding, &id)| (binding, id))
    }

    /// Returns the buffers at atomic counter binding points, in order.
    pub fn atomic_buffers(&self) -> impl Iterator<Item = (u32, BufferId)> {
        self.atomic_bindings.iter().map(|(&binding, &id)| (binding, id))
    }

    /// True if pixels are read from a framebuffer of textures.
    pub fn reads_texture(&self) -> bool {
        self.read_framebuffer != Framebuffer::Window
    }

    /// True if a texture may have undefined values, because they were rendered to it or copied.
    pub fn has_undefined_texels(&self) -> bool {
        self.undefined_texels
    }

    /// Returns one pixel of color attachment 0 as numbers.
    ///
    /// # Errors
    /// There is nothing to read, or the device failed.
    pub fn pixel(
        &mut self,
        x: i32,
        y: i32,
        device: &mut dyn Device,
    ) -> Result<[f32; 4], MachineError> {
        let rect = Rect { x0: x, y0: y, x1: x.saturating_add(1), y1: y.saturating_add(1) };
        let readback = self.read_back(rect, device)?;
        match readback.pixels {
            Pixels::Constant(texel) => Ok(readback.format.to_f32(texel)),
            Pixels::Varying(texels) => {
                Ok(readback.format.to_f32(texels.first().copied().unwrap_or([0; 4])))
            }
        }
    }
}
