//! Framebuffers with the values of their texels.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use raster::format::{Format, FormatClass, Texel};
use raster::surface::Pixels;
use serde::Serialize;

use execute::Readback;

/// Maximum number of pixels of a shown framebuffer.
const MOST_PIXELS: usize = 1 << 20;
/// Maximum number of texels that are marked as undefined.
const MOST_UNDEFINED: usize = 4096;

/// A framebuffer of one executor.
#[derive(Debug, Serialize)]
pub(crate) struct Picture {
    /// `simulator` or `reference`.
    executor: &'static str,
    width: u32,
    height: u32,
    /// OpenGL's name of the format.
    format: &'static str,
    /// Type of a component: `u8`, `f32`, `i32` or `u32`. A `u8` is a number from 0 to 1.
    component: &'static str,
    /// True if `data` has one texel, which all pixels have.
    constant: bool,
    /// Texels of four components, little-endian, row by row from the bottom: zlib in base64.
    data: String,
    /// Indices of texels that are known to be undefined, the first ones.
    undefined: Vec<u32>,
}

impl Picture {
    /// Returns the picture of a framebuffer; `None` if it is empty or too large.
    pub(crate) fn of(executor: &'static str, values: &Readback) -> Option<Picture> {
        let rect = values.rect;
        let width = u32::try_from(rect.x1.checked_sub(rect.x0)?).ok()?;
        let height = u32::try_from(rect.y1.checked_sub(rect.y0)?).ok()?;
        let pixels = width as usize * height as usize;
        if pixels == 0 || pixels > MOST_PIXELS {
            return None;
        }
        let component = component(values.format);
        let constant = matches!(values.pixels, Pixels::Constant(_));
        let count = if constant { 1 } else { pixels };
        let bytes = (0..count).flat_map(|index| bytes(values.format, values.texel(index)));
        Some(Picture {
            executor,
            width,
            height,
            format: values.format.gl_name(),
            component,
            constant,
            data: packed(&bytes.collect::<Vec<u8>>()),
            undefined: values
                .undefined
                .iter()
                .map(|(index, _)| *index)
                .take(MOST_UNDEFINED)
                .collect(),
        })
    }
}

/// Compresses bytes to text.
pub(crate) fn packed(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    STANDARD.encode(encoder.finish().unwrap_or_default())
}

fn component(format: Format) -> &'static str {
    match format.class() {
        FormatClass::Int => "i32",
        FormatClass::Uint => "u32",
        _ if format == Format::Rgba8 => "u8",
        FormatClass::Normalized | FormatClass::Float => "f32",
    }
}

fn bytes(format: Format, texel: Texel) -> Vec<u8> {
    match component(format) {
        "u8" => format.to_f32(texel).map(|value| (value * 255.0).round() as u8).to_vec(),
        "f32" => format.to_f32(texel).iter().flat_map(|value| value.to_le_bytes()).collect(),
        _ => format.to_raw(texel).iter().flat_map(|value| value.to_le_bytes()).collect(),
    }
}
