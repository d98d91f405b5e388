//! Framebuffers as PNG files.

use softgl::format::FormatClass;
use softgl::probe::Readback;

/// Maximum number of pixels of a kept image.
const MOST_PIXELS: usize = 1 << 22;

/// An image: lines from top to bottom, four bytes per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels per line.
    pub width: u32,
    /// Number of lines.
    pub height: u32,
    /// Red, green, blue, alpha.
    pub rgba: Vec<u8>,
}

impl Image {
    /// Converts a framebuffer readback; `None` if it is empty or too large. Alpha becomes opaque,
    /// integers their low byte.
    pub fn of(readback: &Readback) -> Option<Image> {
        Image::from_texels(readback, |index| color(readback, index))
    }

    fn from_texels(readback: &Readback, color: impl Fn(usize) -> [u8; 4]) -> Option<Image> {
        let rect = readback.rect;
        let width = u32::try_from(rect.x1.checked_sub(rect.x0)?).ok()?;
        let height = u32::try_from(rect.y1.checked_sub(rect.y0)?).ok()?;
        let pixels = width as usize * height as usize;
        if pixels == 0 || pixels > MOST_PIXELS {
            return None;
        }
        // GL counts lines from the bottom, an image from the top.
        let rows = (0..height as usize).rev();
        let rgba = rows
            .flat_map(|y| (0..width as usize).map(move |x| y * width as usize + x))
            .flat_map(color);
        Some(Image { width, height, rgba: rgba.collect() })
    }

    /// Encodes the image as PNG.
    ///
    /// # Errors
    /// Never fails in practice, since the output is in memory.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgba)?;
        writer.finish()?;
        Ok(bytes)
    }
}

fn color(readback: &Readback, index: usize) -> [u8; 4] {
    let texel = readback.texel(index);
    let [r, g, b, _] = match readback.format.class() {
        FormatClass::Int | FormatClass::Uint => readback.format.to_raw(texel).map(|v| v as u8),
        FormatClass::Normalized | FormatClass::Float => {
            // The cast maps NaN to 0.
            readback.format.to_f32(texel).map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8)
        }
    };
    [r, g, b, 255]
}

/// Visualizes the differences of two readbacks of one framebuffer in stored form: equal pixels are
/// dark, different ones red, brighter with the distance of their colors.
pub fn difference(a: &Readback, b: &Readback) -> Option<Image> {
    if a.rect != b.rect || a.format != b.format {
        return None;
    }
    Image::from_texels(a, |index| {
        let (x, y) = (color(a, index), color(b, index));
        if a.texel(index) == b.texel(index) {
            let gray = x[..3].iter().map(|&v| u32::from(v)).sum::<u32>() / 3;
            let dim = (gray / 8) as u8;
            return [dim, dim, dim, 255];
        }
        let most = x.iter().zip(y).map(|(x, y)| x.abs_diff(y)).max().unwrap_or(0);
        [most.saturating_add(96), 0, 0, 255]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use softgl::format::Format;
    use softgl::raster::Rect;
    use softgl::surface::Pixels;

    fn readback(pixels: Pixels) -> Readback {
        Readback {
            rect: Rect { x0: 0, y0: 0, x1: 2, y1: 2 },
            format: Format::Rgba8,
            pixels,
            undefined: Vec::new(),
        }
    }

    #[test]
    fn rows_go_from_the_top() {
        let bottom = [[255, 0, 0, 0]; 2];
        let top = [[0, 0, 255, 0]; 2];
        let image = Image::of(&readback(Pixels::Varying([bottom, top].concat()))).unwrap();
        assert_eq!(
            image.rgba,
            [[0, 0, 255, 255], [0, 0, 255, 255], [255, 0, 0, 255], [255, 0, 0, 255]].concat()
        );
        let bytes = image.png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        let mut read = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut read).unwrap();
        assert_eq!(read, image.rgba);
    }

    #[test]
    fn the_smallest_difference_shows() {
        let a = readback(Pixels::Constant([8; 4]));
        let b = readback(Pixels::Varying(vec![[8; 4], [8; 4], [8; 4], [8, 9, 8, 8]]));
        let image = difference(&a, &b).unwrap();
        assert_eq!(image.rgba[4..8], [97, 0, 0, 255], "the top right pixel");
        assert_eq!(image.rgba[..4], [1, 1, 1, 255]);
        let empty = Readback { rect: Rect::default(), ..a.clone() };
        assert!(Image::of(&empty).is_none() && difference(&a, &empty).is_none());
    }
}
