//! Commands that read or write memory of the caller: buffers, texels, pixels, vectors of numbers.

use std::ffi::c_void;
use std::ptr;

use super::Api;
use crate::bindings::gl;

/// Texels of one image: format and type, and the values, unless they are undefined.
#[derive(Clone, Copy)]
pub(crate) enum Texels<'a> {
    /// Normalized bytes of a format's channels.
    Bytes(&'a [u8]),
    /// Floats.
    Floats(&'a [f32]),
    /// Signed integers.
    Integers(&'a [i32]),
    /// Undefined contents, of unsigned bytes.
    Undefined,
}

impl Texels<'_> {
    fn parts(&self) -> (u32, *const c_void, usize) {
        match *self {
            Texels::Bytes(values) => (gl::UNSIGNED_BYTE, values.as_ptr().cast(), values.len()),
            Texels::Floats(values) => (gl::FLOAT, values.as_ptr().cast(), values.len()),
            Texels::Integers(values) => (gl::INT, values.as_ptr().cast(), values.len()),
            Texels::Undefined => (gl::UNSIGNED_BYTE, ptr::null(), usize::MAX),
        }
    }
}

/// Returns the number of channels of a pixel format.
fn channels(format: u32) -> usize {
    match format {
        gl::RED | gl::RED_INTEGER | gl::DEPTH_COMPONENT => 1,
        gl::RG | gl::RG_INTEGER => 2,
        gl::RGB | gl::RGB_INTEGER => 3,
        _ => 4,
    }
}

/// Checks that the values of an image of `size` are all there, which makes the commands below safe.
///
/// # Panics
/// Panics if values are missing: an internal error.
fn check(found: usize, size: [i32; 3], format: u32) {
    let texels = size.iter().map(|&side| usize::try_from(side).unwrap_or(0)).product::<usize>();
    assert!(found >= texels * channels(format), "an image of {size:?} has {found} values");
}

impl Api {
    /// Fills the buffer bound to a target.
    pub(crate) fn buffer_data(&self, target: u32, bytes: &[u8], usage: u32) {
        let (size, data) = (bytes.len() as isize, bytes.as_ptr().cast());
        // SAFETY: the driver reads exactly the bytes of the slice.
        unsafe { self.raw.BufferData(target, size, data, usage) }
    }

    /// Changes a part of the buffer bound to a target.
    pub(crate) fn buffer_sub_data(&self, target: u32, offset: usize, bytes: &[u8]) {
        let (size, data) = (bytes.len() as isize, bytes.as_ptr().cast());
        // SAFETY: the driver reads exactly the bytes of the slice, and refuses offsets that are not
        // in the buffer.
        unsafe { self.raw.BufferSubData(target, offset as isize, size, data) }
    }

    /// Reads a part of the buffer bound to a target; `None` if it is not in the buffer.
    pub(crate) fn read_buffer_range(
        &self,
        target: u32,
        offset: usize,
        size: usize,
    ) -> Option<Vec<u8>> {
        let (start, length) = (offset as isize, size as isize);
        // SAFETY: the command has no pointer arguments.
        let mapped = unsafe { self.raw.MapBufferRange(target, start, length, gl::MAP_READ_BIT) };
        if mapped.is_null() {
            return None;
        }
        // SAFETY: a successful mapping has `size` readable bytes until it ends below.
        let bytes = unsafe { std::slice::from_raw_parts(mapped.cast::<u8>(), size) }.to_vec();
        // SAFETY: the buffer is mapped, and nothing refers to its memory any more.
        unsafe { self.raw.UnmapBuffer(target) };
        Some(bytes)
    }

    /// Returns the bytes of the buffer bound to a target, and its size.
    pub(crate) fn buffer_size(&self, target: u32) -> usize {
        let mut size = 0;
        // SAFETY: the command writes one number.
        unsafe { self.raw.GetBufferParameteriv(target, gl::BUFFER_SIZE, &raw mut size) };
        usize::try_from(size).unwrap_or(0)
    }

    /// Defines one level of a one-dimensional texture.
    pub(crate) fn tex_image_1d(
        &self,
        target: u32,
        level: i32,
        internal: u32,
        width: i32,
        format: u32,
        texels: Texels<'_>,
    ) {
        let (kind, data, count) = texels.parts();
        check(count, [width, 1, 1], format);
        let internal = internal as i32;
        // SAFETY: the values of the level are all there (`check`), and rows have no padding, since
        // the alignment of unpacking is 1.
        unsafe { self.raw.TexImage1D(target, level, internal, width, 0, format, kind, data) }
    }

    /// Defines one level of a two-dimensional texture, or of an array of one-dimensional ones.
    pub(crate) fn tex_image_2d(
        &self,
        target: u32,
        level: i32,
        internal: u32,
        [width, height]: [i32; 2],
        format: u32,
        texels: Texels<'_>,
    ) {
        let (kind, data, count) = texels.parts();
        check(count, [width, height, 1], format);
        let internal = internal as i32;
        // SAFETY: as for `tex_image_1d`.
        unsafe {
            self.raw.TexImage2D(target, level, internal, width, height, 0, format, kind, data);
        }
    }

    /// Defines one level of a three-dimensional texture, or of an array of two-dimensional ones.
    pub(crate) fn tex_image_3d(
        &self,
        target: u32,
        level: i32,
        internal: u32,
        [width, height, depth]: [i32; 3],
        format: u32,
        texels: Texels<'_>,
    ) {
        let (kind, data, count) = texels.parts();
        check(count, [width, height, depth], format);
        let internal = internal as i32;
        // SAFETY: as for `tex_image_1d`.
        unsafe {
            self.raw
                .TexImage3D(target, level, internal, width, height, depth, 0, format, kind, data);
        }
    }

    /// Changes a whole level of a two-dimensional texture.
    pub(crate) fn tex_sub_image_2d(
        &self,
        target: u32,
        level: i32,
        [width, height]: [i32; 2],
        format: u32,
        texels: Texels<'_>,
    ) {
        let (kind, data, count) = texels.parts();
        check(count, [width, height, 1], format);
        // SAFETY: as for `tex_image_1d`.
        unsafe {
            self.raw.TexSubImage2D(target, level, 0, 0, width, height, format, kind, data);
        }
    }

    /// Sets a parameter of four floats.
    pub(crate) fn tex_parameterfv(&self, target: u32, parameter: u32, values: [f32; 4]) {
        // SAFETY: no parameter of textures reads more than four values.
        unsafe { self.raw.TexParameterfv(target, parameter, values.as_ptr()) }
    }

    /// Reads pixels of the read framebuffer as bytes in RGBA order.
    pub(crate) fn read_bytes(&self, [x, y, width, height]: [i32; 4]) -> Vec<[u8; 4]> {
        let mut pixels = vec![[0; 4]; pixel_count(width, height)];
        let data = pixels.as_mut_ptr().cast();
        // SAFETY: the vector has four bytes for each pixel, and rows have no padding, since the
        // alignment of packing is 1.
        unsafe {
            self.raw.ReadPixels(x, y, width, height, gl::RGBA, gl::UNSIGNED_BYTE, data);
        }
        pixels
    }

    /// Reads pixels of the read framebuffer as floats in RGBA order.
    pub(crate) fn read_floats(&self, [x, y, width, height]: [i32; 4]) -> Vec<[f32; 4]> {
        let mut pixels = vec![[0.0; 4]; pixel_count(width, height)];
        let data = pixels.as_mut_ptr().cast();
        // SAFETY: the vector has four floats for each pixel.
        unsafe { self.raw.ReadPixels(x, y, width, height, gl::RGBA, gl::FLOAT, data) };
        pixels
    }

    /// Reads pixels of the read framebuffer as integers in RGBA order.
    pub(crate) fn read_integers(&self, [x, y, width, height]: [i32; 4]) -> Vec<[i32; 4]> {
        let mut pixels = vec![[0; 4]; pixel_count(width, height)];
        let data = pixels.as_mut_ptr().cast();
        // SAFETY: the vector has four integers for each pixel.
        unsafe { self.raw.ReadPixels(x, y, width, height, gl::RGBA_INTEGER, gl::INT, data) };
        pixels
    }

    /// Reads one depth value of the read framebuffer.
    pub(crate) fn read_depth(&self, x: i32, y: i32) -> f32 {
        let mut depth = 0f32;
        let data = (&raw mut depth).cast();
        // SAFETY: one pixel is one float.
        unsafe { self.raw.ReadPixels(x, y, 1, 1, gl::DEPTH_COMPONENT, gl::FLOAT, data) };
        depth
    }

    /// Sets the source of a fixed-function array: floats in the buffer bound to `GL_ARRAY_BUFFER`.
    pub(crate) fn fixed_pointer(&self, array: u32, components: i32, stride: i32, offset: usize) {
        assert_ne!(self.get_integer(gl::ARRAY_BUFFER_BINDING), 0, "no buffer for vertices");
        let pointer = ptr::without_provenance(offset);
        // SAFETY: a buffer is bound, so the pointer is an offset into it.
        unsafe {
            match array {
                gl::VERTEX_ARRAY => self.raw.VertexPointer(components, gl::FLOAT, stride, pointer),
                _ => self.raw.TexCoordPointer(components, gl::FLOAT, stride, pointer),
            }
        }
    }

    /// Sets the source of a generic attribute: values in the buffer bound to `GL_ARRAY_BUFFER`.
    pub(crate) fn attribute_pointer(&self, source: &AttributeSource) {
        assert_ne!(self.get_integer(gl::ARRAY_BUFFER_BINDING), 0, "no buffer for vertices");
        let &AttributeSource { index, components, kind, stride, offset, conversion } = source;
        let pointer = ptr::without_provenance(offset);
        // SAFETY: a buffer is bound, so the pointer is an offset into it.
        unsafe {
            match conversion {
                Conversion::Float => self.raw.VertexAttribPointer(
                    index,
                    components,
                    kind,
                    gl::FALSE,
                    stride,
                    pointer,
                ),
                Conversion::Integer => {
                    self.raw.VertexAttribIPointer(index, components, kind, stride, pointer);
                }
                Conversion::Double => {
                    self.raw.VertexAttribLPointer(index, components, kind, stride, pointer);
                }
            }
        }
    }

    /// Draws with 16-bit indices from the start of the bound element buffer.
    pub(crate) fn draw_elements(&self, mode: u32, count: i32, base_vertex: i32) {
        let binding = self.get_integer(gl::ELEMENT_ARRAY_BUFFER_BINDING);
        assert_ne!(binding, 0, "no buffer for indices");
        // SAFETY: a buffer is bound, so the pointer is an offset into it.
        unsafe {
            match base_vertex {
                0 => self.raw.DrawElements(mode, count, gl::UNSIGNED_SHORT, ptr::null()),
                _ => self.raw.DrawElementsBaseVertex(
                    mode,
                    count,
                    gl::UNSIGNED_SHORT,
                    ptr::null(),
                    base_vertex,
                ),
            }
        }
    }

    /// Draws several ranges of vertices with one command.
    pub(crate) fn multi_draw_arrays(&self, mode: u32, firsts: &[i32], counts: &[i32]) {
        let draws = firsts.len().min(counts.len()) as i32;
        // SAFETY: both slices have as many numbers as there are draws.
        unsafe { self.raw.MultiDrawArrays(mode, firsts.as_ptr(), counts.as_ptr(), draws) }
    }

    /// Selects the draw buffers.
    pub(crate) fn draw_buffers(&self, buffers: &[u32]) {
        // SAFETY: the driver reads as many numbers as the slice has.
        unsafe { self.raw.DrawBuffers(buffers.len() as i32, buffers.as_ptr()) }
    }

    /// Sets a clip plane.
    pub(crate) fn clip_plane(&self, plane: u32, equation: [f64; 4]) {
        // SAFETY: a plane has four numbers.
        unsafe { self.raw.ClipPlane(plane, equation.as_ptr()) }
    }

    /// Sets a light parameter of up to 16 floats.
    pub(crate) fn lightfv(&self, light: u32, parameter: u32, values: [f32; 16]) {
        // SAFETY: no parameter of a light has more than four values.
        unsafe { self.raw.Lightfv(light, parameter, values.as_ptr()) }
    }

    /// Sets a light parameter of up to 16 integers.
    pub(crate) fn lightiv(&self, light: u32, parameter: u32, values: [i32; 16]) {
        // SAFETY: no parameter of a light has more than four values.
        unsafe { self.raw.Lightiv(light, parameter, values.as_ptr()) }
    }

    /// Enables or disables debug messages of a source and type.
    pub(crate) fn select_debug_messages(&self, source: u32, kind: u32, enabled: bool) {
        let (severity, none) = (gl::DONT_CARE, ptr::null());
        // SAFETY: the driver reads none of the 0 message numbers.
        unsafe {
            self.raw.DebugMessageControl(source, kind, severity, 0, none, u8::from(enabled));
        }
    }

    /// Takes the oldest debug message from the log, cut to a few kilobytes.
    pub(crate) fn debug_message(&self) -> Option<String> {
        let mut text = [0u8; 4096];
        let (size, log) = (text.len() as i32, text.as_mut_ptr().cast());
        let null = ptr::null_mut;
        let mut length = 0;
        // SAFETY: the driver writes at most `size` bytes of one message and its length, and skips
        // the properties whose pointers are null (OpenGL 4.6, section 20.9).
        let count = unsafe {
            let length = &raw mut length;
            self.raw.GetDebugMessageLog(1, size, null(), null(), null(), null(), length, log)
        };
        // The length includes the zero byte at the end.
        let bytes = text.get(..usize::try_from(length).unwrap_or(0).saturating_sub(1))?;
        (count == 1).then(|| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Sets default tessellation levels.
    pub(crate) fn patch_parameterfv(&self, parameter: u32, values: [f32; 4]) {
        // SAFETY: no parameter of patches has more than four values.
        unsafe { self.raw.PatchParameterfv(parameter, values.as_ptr()) }
    }
}

/// Returns the number of pixels of an image; empty images have none.
fn pixel_count(width: i32, height: i32) -> usize {
    usize::try_from(width).unwrap_or(0) * usize::try_from(height).unwrap_or(0)
}

/// Source of a generic attribute.
#[derive(Clone, Copy)]
pub(crate) struct AttributeSource {
    /// Attribute index.
    pub(crate) index: u32,
    /// Number of components, 1 to 4.
    pub(crate) components: i32,
    /// GL type of the values.
    pub(crate) kind: u32,
    /// Bytes from vertex to vertex.
    pub(crate) stride: i32,
    /// Offset of the first value in the buffer in bytes.
    pub(crate) offset: usize,
    /// Conversion of the values.
    pub(crate) conversion: Conversion,
}

/// Conversion of attribute values.
#[derive(Clone, Copy)]
pub(crate) enum Conversion {
    /// To float.
    Float,
    /// None: integers.
    Integer,
    /// None: 64-bit floats.
    Double,
}
