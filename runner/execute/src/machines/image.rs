//! Framebuffers as PNG files.

use gl_machine::probe::Readback;
use raster::format::FormatClass;
use raster::rasterize::Rect;

use super::explanation::ProbedArea;

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

    /// Returns the areas that probes examine in a framebuffer, in the expected colors; the rest is
    /// transparent. `None` without areas.
    pub fn expected(framebuffer: Rect, areas: &[ProbedArea]) -> Option<Image> {
        let width = framebuffer.x1.checked_sub(framebuffer.x0)?;
        let height = framebuffer.y1.checked_sub(framebuffer.y0)?;
        let (columns, lines) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
        let pixels = columns * lines;
        if areas.is_empty() || pixels == 0 || pixels > MOST_PIXELS {
            return None;
        }
        let mut rgba = vec![0; pixels * 4];
        for ProbedArea { rect, color } in areas {
            let columns_of =
                |x: i32| (x.clamp(framebuffer.x0, framebuffer.x1) - framebuffer.x0) as usize;
            // GL counts lines from the bottom, an image from the top.
            let line_of =
                |y: i32| (framebuffer.y1 - y.clamp(framebuffer.y0, framebuffer.y1)) as usize;
            let (left, right) = (columns_of(rect.x0), columns_of(rect.x1));
            for line in line_of(rect.y1)..line_of(rect.y0) {
                let start = line * columns;
                let bytes = (start + left) * 4..(start + right.max(left)) * 4;
                rgba[bytes].chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(color));
            }
        }
        Some(Image { width: u32::try_from(width).ok()?, height: u32::try_from(height).ok()?, rgba })
    }

    /// Converts the pixels that a driver read; `None` if they are empty or too many. Alpha becomes
    /// opaque, integers their low byte.
    pub fn of_driver(pixels: &gl_driver::Pixels) -> Option<Image> {
        let width = u32::try_from(pixels.rect.width).ok()?;
        let height = u32::try_from(pixels.rect.height).ok()?;
        let colors: Vec<[u8; 4]> = match &pixels.values {
            gl_driver::PixelValues::Bytes(values) => values.clone(),
            gl_driver::PixelValues::Integers(values) => {
                values.iter().map(|value| value.map(|v| v as u8)).collect()
            }
            gl_driver::PixelValues::Floats(_) => return None,
        };
        let (columns, lines) = (width as usize, height as usize);
        if columns == 0 || columns * lines > MOST_PIXELS || colors.len() != columns * lines {
            return None;
        }
        // GL counts lines from the bottom, an image from the top.
        let rows = colors.chunks(columns).rev().flatten();
        let rgba = rows.flat_map(|&[r, g, b, _]| [r, g, b, 255]).collect();
        Some(Image { width, height, rgba })
    }

    /// Visualizes the differences from another image of the same size, as [`difference`] does.
    pub fn difference(&self, other: &Image) -> Option<Image> {
        if (self.width, self.height) != (other.width, other.height) {
            return None;
        }
        let (mine, others) = (self.rgba.as_chunks::<4>().0, other.rgba.as_chunks::<4>().0);
        let shown = mine.iter().zip(others).flat_map(|(&a, &b)| compared(a == b, a, b));
        Some(Image { rgba: shown.collect(), ..*self })
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
        compared(a.texel(index) == b.texel(index), color(a, index), color(b, index))
    })
}

/// Returns the color of a pixel of a comparison.
fn compared(equal: bool, a: [u8; 4], b: [u8; 4]) -> [u8; 4] {
    if equal {
        let gray = a[..3].iter().map(|&v| u32::from(v)).sum::<u32>() / 3;
        let dim = (gray / 8) as u8;
        return [dim, dim, dim, 255];
    }
    let most = a.iter().zip(b).map(|(x, y)| x.abs_diff(y)).max().unwrap_or(0);
    [most.saturating_add(96), 0, 0, 255]
}

#[cfg(test)]
mod tests {
    use super::*;
    use raster::format::Format;
    use raster::surface::Pixels;

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
    fn expected_colors_are_where_probes_look() {
        let frame = Rect { x0: 0, y0: 0, x1: 3, y1: 2 };
        let area = |x0, y0, x1, y1, red| ProbedArea {
            rect: Rect { x0, y0, x1, y1 },
            color: [red, 0, 0, 255],
        };
        // The lower left pixel, and an area that reaches beyond the upper right corner.
        let areas = [area(0, 0, 1, 1, 1), area(1, 1, 9, 9, 2), area(5, 5, 4, 4, 3)];
        let image = Image::expected(frame, &areas).unwrap();
        assert_eq!((image.width, image.height), (3, 2));
        let reds: Vec<u8> = image.rgba.chunks(4).map(|pixel| pixel[0]).collect();
        assert_eq!(reds, [0, 2, 2, 1, 0, 0]);
        let alphas: Vec<u8> = image.rgba.chunks(4).map(|pixel| pixel[3]).collect();
        assert_eq!(alphas, [0, 255, 255, 255, 0, 0]);
        assert_eq!(Image::expected(frame, &[]), None);
        assert_eq!(Image::expected(Rect::default(), &areas), None);
    }

    #[test]
    fn images_of_drivers() {
        let rect = probes::PixelRect { x: 0, y: 0, width: 1, height: 2 };
        let pixels = |values| gl_driver::Pixels { rect, values };
        let image = Image::of_driver(&pixels(gl_driver::PixelValues::Bytes(vec![[1; 4], [2; 4]])));
        let image = image.expect("an image");
        assert_eq!(image.rgba, [2, 2, 2, 255, 1, 1, 1, 255]);
        let integers = vec![[1, 1, 1, 0], [0x105, 2, 2, 0]];
        let other = Image::of_driver(&pixels(gl_driver::PixelValues::Integers(integers)));
        let different = image.difference(&other.expect("an image")).expect("an image");
        assert_eq!(different.rgba, [99, 0, 0, 255, 0, 0, 0, 255]);
        assert_eq!(Image::of_driver(&pixels(gl_driver::PixelValues::Bytes(vec![[1; 4]]))), None);
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
