//! Image loads, stores and atomics (OpenGL 4.6 section 8.26).

use super::{Texture, TextureTarget};
use crate::format::Format;
use crate::shader_ops::{ImageOp, ShaderIoError};
use crate::surface::Surface;

/// Image of a texture, as bound to an image unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageView {
    /// Level.
    pub level: u32,
    /// One layer; `None` for all of them.
    pub layer: Option<u32>,
    /// Format of accesses.
    pub format: Format,
}

/// Performs one operation on an image of a texture. Accesses outside it load zero and store
/// nothing.
pub fn perform(
    texture: &mut Texture,
    view: &ImageView,
    coordinates: [i32; 3],
    op: &ImageOp,
) -> Result<[u32; 4], ShaderIoError> {
    match *op {
        ImageOp::Size => return Ok(size(texture, view)),
        ImageOp::Samples => return Ok([1, 0, 0, 0]),
        _ => {}
    }
    let [x, y, layer] = locate(texture.target, view, coordinates);
    let surface = usize::try_from(layer)
        .ok()
        .and_then(|layer| texture.image_mut(view.level as usize, layer))
        .filter(|s| x >= 0 && y >= 0 && (x as u32) < s.width() && (y as u32) < s.height());
    let Some(surface) = surface else { return Ok([0; 4]) };
    match *op {
        ImageOp::Store(value) => {
            write(surface, view.format, x, y, value);
            Ok([0; 4])
        }
        ImageOp::Atomic(op, data) => {
            let old = read(surface, view.format, x, y);
            write(surface, view.format, x, y, [op.apply32(old[0], data), 0, 0, 0]);
            Ok([old[0], 0, 0, 0])
        }
        _ => Ok(read(surface, view.format, x, y)),
    }
}

/// Returns the pixel and layer of image coordinates. A view of one layer is a one- or
/// two-dimensional image.
fn locate(target: TextureTarget, view: &ImageView, [x, y, z]: [i32; 3]) -> [i32; 3] {
    match (target, view.layer) {
        (TextureTarget::D1, layer) => [x, 0, layer.unwrap_or(0) as i32],
        (TextureTarget::D1Array, Some(layer)) => [x, 0, layer as i32],
        (TextureTarget::D1Array, None) => [x, 0, y],
        (TextureTarget::D2 | TextureTarget::Rect, _) => [x, y, 0],
        (_, Some(layer)) => [x, y, layer as i32],
        (_, None) => [x, y, z],
    }
}

fn size(texture: &Texture, view: &ImageView) -> [u32; 4] {
    let Some(level) = texture.levels.get(view.level as usize).and_then(Option::as_ref) else {
        return [0; 4];
    };
    let (w, h) = level.layers.first().map_or((0, 0), |s| (s.width(), s.height()));
    let layers = level.layers.len() as u32;
    match (texture.target, view.layer) {
        (TextureTarget::D1, _) | (TextureTarget::D1Array, Some(_)) => [w, 0, 0, 0],
        (TextureTarget::D1Array, None) => [w, layers, 0, 0],
        (TextureTarget::CubeArray, None) => [w, h, layers / 6, 0],
        (TextureTarget::D3 | TextureTarget::D2Array, None) => [w, h, layers, 0],
        _ => [w, h, 0, 0],
    }
}

/// Reads a texel through the view's format, which may interpret the bits in another way than the
/// texture's.
fn read(surface: &Surface, format: Format, x: i32, y: i32) -> [u32; 4] {
    let texel = surface.get(x, y);
    let own = surface.format();
    format.to_raw(if own == format { texel } else { format.unpack(own.pack(texel)) })
}

fn write(surface: &mut Surface, format: Format, x: i32, y: i32, raw: [u32; 4]) {
    let texel = format.quantize(raw);
    let own = surface.format();
    surface.set(x, y, if own == format { texel } else { own.unpack(format.pack(texel)) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader_ops::AtomicOp;

    fn view(format: Format, layer: Option<u32>) -> ImageView {
        ImageView { level: 0, layer, format }
    }

    fn texture(target: TextureTarget, format: Format) -> Texture {
        let mut t = Texture::new(target, format);
        t.define(0, 4, 3, 2);
        t
    }

    #[test]
    fn stores_convert_and_loads_read_back() {
        let mut t = texture(TextureTarget::D2, Format::Rgba8);
        let u = view(Format::Rgba8, Some(0));
        let value = [0.5f32, 2.0, -1.0, 1.0].map(f32::to_bits);
        perform(&mut t, &u, [1, 2, 0], &ImageOp::Store(value)).expect("supported");
        let loaded =
            perform(&mut t, &u, [1, 2, 0], &ImageOp::Load).expect("supported").map(f32::from_bits);
        assert_eq!(loaded, [128.0 / 255.0, 1.0, 0.0, 1.0]);
        for outside in [[4, 0, 0], [0, 3, 0], [-1, 0, 0], [i32::MIN, i32::MAX, 0]] {
            perform(&mut t, &u, outside, &ImageOp::Store(value)).expect("supported");
            assert_eq!(perform(&mut t, &u, outside, &ImageOp::Load), Ok([0; 4]));
        }
    }

    #[test]
    fn atomics_give_the_old_value() {
        let mut t = texture(TextureTarget::D2, Format::R32ui);
        let u = view(Format::R32ui, Some(0));
        for expected in [0, 5, 10] {
            let old = perform(&mut t, &u, [0, 0, 0], &ImageOp::Atomic(AtomicOp::Add, [5, 0]));
            assert_eq!(old, Ok([expected, 0, 0, 0]));
        }
    }

    #[test]
    fn layers_by_view_or_coordinate() {
        let mut t = texture(TextureTarget::D2Array, Format::R32i);
        let one = view(Format::R32i, Some(1));
        perform(&mut t, &one, [2, 1, 77], &ImageOp::Store([9, 0, 0, 0])).expect("supported");
        let all = view(Format::R32i, None);
        assert_eq!(perform(&mut t, &all, [2, 1, 1], &ImageOp::Load), Ok([9, 0, 0, 1]));
        assert_eq!(perform(&mut t, &all, [2, 1, 0], &ImageOp::Load), Ok([0, 0, 0, 1]));
        assert_eq!(perform(&mut t, &all, [2, 1, 2], &ImageOp::Load), Ok([0; 4]));
        assert_eq!(perform(&mut t, &all, [0; 3], &ImageOp::Size), Ok([4, 3, 2, 0]));
        assert_eq!(perform(&mut t, &one, [0; 3], &ImageOp::Size), Ok([4, 3, 0, 0]));
    }

    #[test]
    fn formats_of_one_size_reinterpret_bits() {
        let mut t = texture(TextureTarget::D2, Format::R32ui);
        let floats = view(Format::R32f, Some(0));
        perform(&mut t, &floats, [0; 3], &ImageOp::Store([1.5f32.to_bits(), 0, 0, 0]))
            .expect("supported");
        let integers = view(Format::R32ui, Some(0));
        assert_eq!(
            perform(&mut t, &integers, [0; 3], &ImageOp::Load),
            Ok([1.5f32.to_bits(), 0, 0, 1])
        );
        let bytes = view(Format::Rgba8i, Some(0));
        assert_eq!(
            perform(&mut t, &bytes, [0; 3], &ImageOp::Load),
            Ok([0, 0, (-64i32) as u32, 63])
        );
    }
}
