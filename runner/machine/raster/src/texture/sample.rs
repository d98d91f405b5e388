//! Texture lookups: level selection, wrapping, filtering, comparison, swizzling (OpenGL 4.6
//! sections 8.14 to 8.23).

use super::cube::{cube_face, face_derivative, neighbor};
use super::texels::Texels;
use super::{DepthMode, Filter, SamplerParameters, SwizzleSource, Texture, TextureTarget, Wrap};
use crate::format::FormatClass;
use crate::shader_ops::{Lod, ShaderIoError, TextureOp};

/// A texel as a shader reads it, floats or integers.
type Raw = [u32; 4];

/// Performs one operation. The result for incomplete textures is (0, 0, 0, 1).
pub fn perform(texture: &Texture, op: &TextureOp) -> Result<[u32; 4], ShaderIoError> {
    perform_with(texture, &texture.parameters, op)
}

/// Performs one operation with other sampling parameters than the texture's.
pub fn perform_with(
    texture: &Texture,
    parameters: &SamplerParameters,
    op: &TextureOp,
) -> Result<[u32; 4], ShaderIoError> {
    Ok(match *op {
        TextureOp::Size { lod } => texture.size(lod),
        _ => look_up(texture, parameters, op),
    })
}

/// Performs one operation on texels that anything stores. Sizes are those of the base level.
pub fn look_up<T: Texels>(texture: &T, parameters: &SamplerParameters, op: &TextureOp) -> [u32; 4] {
    let lookup = Lookup::new(texture, parameters);
    match *op {
        TextureOp::Sample { coordinates, reference, lod, offset, min_lod } => {
            lookup.sample(coordinates, reference, lod, offset, min_lod)
        }
        TextureOp::Gather { coordinates, reference, component, offsets } => {
            lookup.gather(coordinates, reference, component, offsets)
        }
        TextureOp::Fetch { coordinates, lod, sample: _ } => lookup.fetch(coordinates, lod),
        TextureOp::Size { lod } => {
            let (w, h, d) = lookup.fetched_level(lod).unwrap_or_default();
            [w, h, d, 0]
        }
        TextureOp::Levels => {
            [lookup.levels().map_or(0, |(base, last)| last - base + 1) as u32, 0, 0, 0]
        }
        TextureOp::Samples => [1, 0, 0, 0],
        TextureOp::QueryLod { coordinates, dx, dy } => lookup.query_lod(coordinates, dx, dy),
    }
}

impl Texture {
    /// Returns the result of `textureSize`: width, height, depth or layers, as many as the target
    /// has.
    pub fn size(&self, lod: i32) -> [u32; 4] {
        let level = usize::try_from(i64::from(self.parameters.base_level) + i64::from(lod));
        let level = level.ok().and_then(|l| self.levels.get(l)?.as_ref());
        let Some(level) = level else { return [0; 4] };
        let layers = level.layers.len() as u32;
        let (w, h) = level.layers.first().map_or((0, 0), |s| (s.width(), s.height()));
        match self.target {
            TextureTarget::D1 => [w, 0, 0, 0],
            TextureTarget::D1Array => [w, layers, 0, 0],
            TextureTarget::D2 | TextureTarget::Rect | TextureTarget::Cube => [w, h, 0, 0],
            TextureTarget::D2Array | TextureTarget::D3 => [w, h, layers, 0],
            TextureTarget::CubeArray => [w, h, layers / 6, 0],
        }
    }
}

/// Coordinates split into filtered axes and a layer.
struct SamplePoint {
    /// Texture coordinates of the filtered axes, normalized except for rectangles.
    axes: [f64; 3],
    /// Array layer, cube face, or layer × 6 + face.
    layer: usize,
}

struct Lookup<'t, T> {
    texture: &'t T,
    parameters: &'t SamplerParameters,
    /// Number of filtered axes.
    axes: usize,
}

impl<'t, T: Texels> Lookup<'t, T> {
    fn new(texture: &'t T, parameters: &'t SamplerParameters) -> Lookup<'t, T> {
        let axes = match texture.target() {
            TextureTarget::D1 | TextureTarget::D1Array => 1,
            TextureTarget::D3 => 3,
            _ => 2,
        };
        Lookup { texture, parameters, axes }
    }

    /// Returns the base and last usable level; `None` when the texture is incomplete.
    fn levels(&self) -> Option<(usize, usize)> {
        let base = self.parameters.base_level as usize;
        let (w, h, d) = self.texture.level_size(base)?;
        if self.parameters.mip.is_none() {
            return Some((base, base));
        }
        let largest = w.max(h).max(if self.axes == 3 { d } else { 1 });
        let full = base + largest.ilog2() as usize;
        let last = full.min(self.parameters.max_level as usize).max(base);
        let last = match self.texture.fixed_levels() {
            Some(levels) => last.min(levels.max(1) - 1),
            None => last,
        };
        let shrink = |size: u32, level: usize| (size >> (level - base)).max(1);
        let complete = (base..=last).all(|level| {
            let expected_depth = if self.axes == 3 { shrink(d, level) } else { d };
            let expected_height = if self.axes == 1 { h } else { shrink(h, level) };
            self.texture.level_size(level)
                == Some((shrink(w, level), expected_height, expected_depth))
        });
        complete.then_some((base, last))
    }

    /// Returns the sizes of the filtered axes.
    fn extents(&self, level: usize) -> [u32; 3] {
        let (w, h, d) = self.texture.level_size(level).unwrap_or((1, 1, 1));
        [w, h, d]
    }

    fn place(&self, c: [f32; 4]) -> SamplePoint {
        let c = c.map(|v| if v.is_finite() { f64::from(v) } else { 0.0 });
        let layers = self.texture.layers();
        let layer = |value: f64, count: usize| {
            ((value + 0.5).floor().max(0.0) as usize).min(count.saturating_sub(1))
        };
        match self.texture.target() {
            TextureTarget::D1Array => {
                SamplePoint { axes: [c[0], 0.0, 0.0], layer: layer(c[1], layers) }
            }
            TextureTarget::D2Array => {
                SamplePoint { axes: [c[0], c[1], 0.0], layer: layer(c[2], layers) }
            }
            TextureTarget::D3 => SamplePoint { axes: [c[0], c[1], c[2]], layer: 0 },
            TextureTarget::Cube | TextureTarget::CubeArray => {
                let (face, s, t) = cube_face([c[0], c[1], c[2]]);
                let cube = if self.texture.target() == TextureTarget::CubeArray {
                    layer(c[3], layers / 6)
                } else {
                    0
                };
                SamplePoint { axes: [s, t, 0.0], layer: cube * 6 + face }
            }
            _ => SamplePoint { axes: [c[0], c[1], 0.0], layer: 0 },
        }
    }

    /// Returns log2 of the larger texel-space derivative (equation 8.7 to 8.10).
    fn computed_lod(&self, coordinates: [f32; 4], dx: [f32; 3], dy: [f32; 3]) -> f64 {
        let [x, y, z, _] = coordinates.map(f64::from);
        let is_cube =
            matches!(self.texture.target(), TextureTarget::Cube | TextureTarget::CubeArray);
        let [dx, dy] = [dx, dy].map(|d| {
            let d = d.map(f64::from);
            if is_cube { face_derivative([x, y, z], d) } else { d }
        });
        let sizes = self.extents(self.parameters.base_level as usize);
        let length = |d: [f64; 3]| {
            let scaled = (0..self.axes).map(|i| {
                let scale = if self.texture.is_normalized() { f64::from(sizes[i]) } else { 1.0 };
                d[i] * scale
            });
            scaled.map(|v| v * v).sum::<f64>().sqrt()
        };
        length(dx).max(length(dy)).log2()
    }

    fn clamped_lod(&self, lod: f64, min_lod: f32) -> f64 {
        let p = self.parameters;
        let low = f64::from(p.min_lod).max(f64::from(min_lod));
        let lod = if lod.is_nan() { low } else { lod };
        lod.min(f64::from(p.max_lod)).max(low)
    }

    fn sample(
        &self,
        coordinates: [f32; 4],
        reference: Option<f32>,
        lod: Lod,
        offset: [i32; 3],
        min_lod: f32,
    ) -> Raw {
        let Some((base, last)) = self.levels() else { return self.missing() };
        let bias = f64::from(self.parameters.lod_bias);
        let lambda = match lod {
            Lod::Gradients { dx, dy, bias: own } => {
                self.computed_lod(coordinates, dx, dy) + f64::from(own) + bias
            }
            Lod::Explicit(level) => f64::from(level) + bias,
        };
        let lambda = self.clamped_lod(lambda, min_lod);
        let place = self.place(coordinates);
        let at =
            |level: usize, filter: Filter| self.filtered(&place, level, filter, reference, offset);
        let result = if lambda <= 0.0 {
            at(base, self.parameters.mag)
        } else {
            match self.parameters.mip {
                None => at(base, self.parameters.min),
                Some(Filter::Nearest) => {
                    let level = base as f64 + (lambda + 0.5).ceil() - 1.0;
                    at((level.max(0.0) as usize).clamp(base, last), self.parameters.min)
                }
                Some(Filter::Linear) => {
                    let level = base as f64 + lambda;
                    let low = (level.floor() as usize).clamp(base, last);
                    let high = (low + 1).min(last);
                    let (a, b) = (at(low, self.parameters.min), at(high, self.parameters.min));
                    let t = level - level.floor();
                    if low == high || self.is_integer() { a } else { mix(a, b, t) }
                }
            }
        };
        self.swizzle(result)
    }

    /// Returns one level, before swizzling.
    fn filtered(
        &self,
        place: &SamplePoint,
        level: usize,
        filter: Filter,
        reference: Option<f32>,
        offset: [i32; 3],
    ) -> Raw {
        let sizes = self.extents(level);
        let texels = |i: usize| {
            if self.texture.is_normalized() {
                reduce(place.axes[i], self.wrap(i)) * f64::from(sizes[i])
            } else {
                place.axes[i]
            }
        };
        let fetch = |index: [i64; 3]| {
            self.compared(self.texel(level, place.layer, index, sizes), reference)
        };
        let filter = if self.is_integer() { Filter::Nearest } else { filter };
        let mut low = [0i64; 3];
        let mut weights = [0.0; 3];
        for i in 0..self.axes {
            let mut u = texels(i).clamp(-1e9, 1e9);
            let mut steps = i64::from(offset[i]);
            if let Some(below) = self.wrap(i).clamped_below() {
                // Offsets are added before coordinates are clamped.
                u += f64::from(offset[i]);
                u = u.clamp(-f64::from(sizes[i] * below), f64::from(sizes[i]));
                steps = 0;
            }
            u -= if filter == Filter::Linear { 0.5 } else { 0.0 };
            low[i] = u.floor() as i64 + steps;
            weights[i] = u - u.floor();
        }
        if filter == Filter::Nearest {
            for i in (0..self.axes).filter(|&i| self.wrap(i).clamped_below().is_some()) {
                low[i] = low[i].min(i64::from(sizes[i]) - 1);
            }
            return fetch(low);
        }
        let mut sum = [0.0f64; 4];
        for corner in 0..1usize << self.axes {
            let high = |i: usize| corner >> i & 1 == 1;
            let weight: f64 = (0..self.axes)
                .map(|i| if high(i) { weights[i] } else { 1.0 - weights[i] })
                .product();
            if weight != 0.0 {
                let index = std::array::from_fn(|i| low[i] + i64::from(i < self.axes && high(i)));
                let texel = fetch(index);
                (0..4).for_each(|c| sum[c] += weight * f64::from(f32::from_bits(texel[c])));
            }
        }
        sum.map(|v| (v as f32).to_bits())
    }

    fn wrap(&self, axis: usize) -> Wrap {
        match self.texture.target() {
            // Faces do not wrap.
            TextureTarget::Cube | TextureTarget::CubeArray => Wrap::ClampToEdge,
            _ => self.parameters.wrap[axis],
        }
    }

    /// Returns a texel by index, wrapped; depth textures are still plain depth in the first
    /// component.
    fn texel(&self, level: usize, layer: usize, index: [i64; 3], sizes: [u32; 3]) -> Raw {
        let is_cube =
            matches!(self.texture.target(), TextureTarget::Cube | TextureTarget::CubeArray);
        let (layer, index) = if self.parameters.is_seamless && is_cube {
            neighbor(layer, index, i64::from(sizes[0]))
        } else {
            (layer, index)
        };
        let mut wrapped = [0i64; 3];
        for i in 0..self.axes {
            match wrap_index(index[i], i64::from(sizes[i]), self.wrap(i)) {
                Some(value) => wrapped[i] = value,
                None => return self.border(),
            }
        }
        let layer = if self.axes == 3 { wrapped[2] as usize } else { layer };
        let texel = self.texture.texel(level, layer, wrapped[0] as i32, wrapped[1] as i32);
        texel.unwrap_or_else(|| self.border())
    }

    fn border(&self) -> Raw {
        self.texture.border(self.parameters)
    }

    fn is_integer(&self) -> bool {
        matches!(self.texture.class(), FormatClass::Int | FormatClass::Uint)
    }

    /// Applies depth comparison and depth texture mode; other textures pass through.
    fn compared(&self, texel: Raw, reference: Option<f32>) -> Raw {
        if !self.texture.is_depth() {
            return texel;
        }
        let depth = f32::from_bits(texel[0]);
        let value = match (reference, self.parameters.compare) {
            (Some(reference), Some(function)) => {
                // Fixed-point depth textures clamp the reference value.
                let fixed = self.texture.is_fixed_depth();
                let reference = if fixed { reference.clamp(0.0, 1.0) } else { reference };
                f32::from(u8::from(function.passes(reference, depth)))
            }
            _ => depth,
        };
        let (v, one) = (value.to_bits(), 1.0f32.to_bits());
        match self.parameters.depth_mode {
            DepthMode::Luminance => [v, v, v, one],
            DepthMode::Intensity => [v; 4],
            DepthMode::Alpha => [0, 0, 0, v],
            DepthMode::Red => [v, 0, 0, one],
        }
    }

    fn swizzle(&self, texel: Raw) -> Raw {
        let one = if self.is_integer() { 1 } else { 1.0f32.to_bits() };
        self.parameters.swizzle.map(|source| match source {
            SwizzleSource::Red => texel[0],
            SwizzleSource::Green => texel[1],
            SwizzleSource::Blue => texel[2],
            SwizzleSource::Alpha => texel[3],
            SwizzleSource::Zero => 0,
            SwizzleSource::One => one,
        })
    }

    /// Returns the texel of an incomplete texture.
    fn missing(&self) -> Raw {
        [0, 0, 0, if self.is_integer() { 1 } else { 1.0f32.to_bits() }]
    }

    /// Returns the four texels linear filtering would use, counter-clockwise from (0, 1).
    fn gather(
        &self,
        coordinates: [f32; 4],
        reference: Option<f32>,
        component: u32,
        offsets: [[i32; 2]; 4],
    ) -> Raw {
        let Some((base, _)) = self.levels() else { return self.missing() };
        let place = self.place(coordinates);
        let sizes = self.extents(base);
        let low: [i64; 2] = std::array::from_fn(|i| {
            let normalized = self.texture.is_normalized();
            let u = if normalized {
                reduce(place.axes[i], self.wrap(i)) * f64::from(sizes[i])
            } else {
                place.axes[i]
            };
            let u = match self.wrap(i).clamped_below() {
                Some(below) => u.clamp(-f64::from(sizes[i] * below), f64::from(sizes[i])),
                None => u.clamp(-1e9, 1e9),
            };
            (u - 0.5).floor() as i64
        });
        let corners = [[0, 1], [1, 1], [1, 0], [0, 0]];
        std::array::from_fn(|k| {
            let index = |i: usize| low[i] + corners[k][i] + i64::from(offsets[k][i]);
            let texel = self.texel(base, place.layer, [index(0), index(1), 0], sizes);
            self.swizzle(self.compared(texel, reference))[component.min(3) as usize]
        })
    }

    /// Performs `texelFetch`: no wrapping, zero outside.
    fn fetch(&self, c: [i32; 3], lod: i32) -> Raw {
        let level = usize::try_from(i64::from(self.parameters.base_level) + i64::from(lod));
        let (x, y, layer) = match self.texture.target() {
            TextureTarget::D1 => (c[0], 0, 0),
            TextureTarget::D1Array => (c[0], 0, c[1]),
            TextureTarget::D2 | TextureTarget::Rect => (c[0], c[1], 0),
            _ => (c[0], c[1], c[2]),
        };
        let (Ok(level), Ok(layer)) = (level, usize::try_from(layer)) else { return [0; 4] };
        let texel = self.texture.texel(level, layer, x, y);
        texel.map_or([0; 4], |texel| self.swizzle(self.compared(texel, None)))
    }

    /// Size of the level that a fetch reads.
    fn fetched_level(&self, lod: i32) -> Option<(u32, u32, u32)> {
        let level = i64::from(self.parameters.base_level) + i64::from(lod);
        self.texture.level_size(usize::try_from(level).ok()?)
    }

    fn query_lod(&self, [s, t, r]: [f32; 3], dx: [f32; 3], dy: [f32; 3]) -> Raw {
        let computed =
            self.computed_lod([s, t, r, 0.0], dx, dy) + f64::from(self.parameters.lod_bias);
        let clamped = self.clamped_lod(computed, f32::NEG_INFINITY);
        let accessed = self.levels().map_or(0.0, |(base, last)| {
            let highest = (last - base) as f64;
            let level = clamped.clamp(0.0, highest);
            match self.parameters.mip {
                None => 0.0,
                Some(Filter::Nearest) => ((level + 0.5).ceil() - 1.0).max(0.0).min(highest),
                Some(Filter::Linear) => level,
            }
        });
        [(accessed as f32).to_bits(), (computed.max(-1000.0) as f32).to_bits(), 0, 0]
    }
}

/// Interpolates linearly between two float texels.
fn mix(a: Raw, b: Raw, t: f64) -> Raw {
    std::array::from_fn(|c| {
        let (x, y) = (f64::from(f32::from_bits(a[c])), f64::from(f32::from_bits(b[c])));
        ((x + (y - x) * t) as f32).to_bits()
    })
}

/// Brings a repeating coordinate into one period, where large values keep their precision.
fn reduce(coordinate: f64, wrap: Wrap) -> f64 {
    match wrap {
        Wrap::Repeat => coordinate - coordinate.floor(),
        Wrap::MirroredRepeat => coordinate - 2.0 * (coordinate / 2.0).floor(),
        // Offsets are added before texels are mirrored and clamped.
        Wrap::MirrorOnce | Wrap::MirrorHalfBorder | Wrap::MirrorBorder => coordinate,
        Wrap::HalfBorder | Wrap::ClampToEdge | Wrap::ClampToBorder => coordinate,
    }
}

/// Returns a texel index inside the image; `None` selects the border.
fn wrap_index(index: i64, size: i64, wrap: Wrap) -> Option<i64> {
    let mirrored = if index < 0 { -1 - index } else { index };
    let inside = |index: i64| (0..size).contains(&index).then_some(index);
    match wrap {
        Wrap::Repeat => Some(index.rem_euclid(size)),
        Wrap::MirroredRepeat => {
            let phase = index.rem_euclid(2 * size);
            Some(if phase < size { phase } else { 2 * size - 1 - phase })
        }
        Wrap::ClampToEdge => Some(index.clamp(0, size - 1)),
        Wrap::MirrorOnce => Some(mirrored.clamp(0, size - 1)),
        Wrap::ClampToBorder | Wrap::HalfBorder => inside(index),
        Wrap::MirrorBorder | Wrap::MirrorHalfBorder => inside(mirrored),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::texture::CompareFunction;

    const FLAT: Lod = Lod::Gradients { dx: [0.0; 3], dy: [0.0; 3], bias: 0.0 };

    /// Returns a 4×2 float texture whose texel (x, y) is (x, y, 10·y + x, 1).
    fn numbered(target: TextureTarget) -> Texture {
        let mut t = Texture::new(target, Format::Rgba32f);
        t.define(0, 4, 2, 1);
        let surface = t.image_mut(0, 0).expect("just defined");
        for y in 0..2 {
            for x in 0..4 {
                let values = [x as f32, y as f32, (10 * y + x) as f32, 1.0];
                surface.set(x, y, values.map(f32::to_bits));
            }
        }
        t.parameters.mip = None;
        t.parameters.mag = Filter::Nearest;
        t.parameters.min = Filter::Nearest;
        t
    }

    fn sample(t: &Texture, s: f32, v: f32) -> [f32; 4] {
        let op = TextureOp::Sample {
            coordinates: [s, v, 0.0, 0.0],
            reference: None,
            lod: FLAT,
            offset: [0; 3],
            min_lod: f32::NEG_INFINITY,
        };
        perform(t, &op).expect("supported").map(f32::from_bits)
    }

    #[test]
    fn nearest_takes_the_texel_that_contains_the_point() {
        let t = numbered(TextureTarget::D2);
        for (s, v, expected) in
            [(0.0, 0.0, 0.0), (0.24, 0.49, 0.0), (0.25, 0.5, 11.0), (0.999, 0.999, 13.0)]
        {
            assert_eq!(sample(&t, s, v)[2], expected, "{s} {v}");
        }
    }

    #[test]
    fn wrap_modes() {
        let mut t = numbered(TextureTarget::D2);
        for (wrap, s, expected) in [
            (Wrap::Repeat, 1.3, 1.0),
            (Wrap::Repeat, -0.1, 3.0),
            (Wrap::ClampToEdge, 1.3, 3.0),
            (Wrap::ClampToEdge, -5.0, 0.0),
            (Wrap::MirroredRepeat, 1.1, 3.0),
            (Wrap::MirroredRepeat, -0.1, 0.0),
            (Wrap::ClampToBorder, 1.01, 77.0),
            (Wrap::ClampToBorder, 0.99, 3.0),
        ] {
            t.parameters.wrap = [wrap; 3];
            t.parameters.border = [77.0; 4];
            assert_eq!(sample(&t, s, 0.25)[0], expected, "{wrap:?} {s}");
        }
        t.parameters.wrap = [Wrap::Repeat; 3];
        for odd in [f32::NAN, f32::INFINITY, 3e38] {
            assert!(sample(&t, odd, odd)[0].is_finite());
        }
    }

    #[test]
    fn offsets_are_added_before_coordinates_are_clamped() {
        let mut t = numbered(TextureTarget::D2);
        let mut at = |wrap, s, offset| {
            t.parameters.wrap = [wrap; 3];
            t.parameters.border = [77.0; 4];
            let op = TextureOp::Sample {
                coordinates: [s, 0.25, 0.0, 0.0],
                reference: None,
                lod: FLAT,
                offset: [offset, 0, 0],
                min_lod: f32::NEG_INFINITY,
            };
            f32::from_bits(perform(&t, &op).expect("supported")[0])
        };
        // Texel 6 of 4, five to the left, is texel 1; texel -6, three to the right, mirrors to 2.
        assert_eq!(at(Wrap::MirrorOnce, 1.6, -5), 1.0);
        assert_eq!(at(Wrap::MirrorOnce, -1.4, 3), 2.0);
        assert_eq!(at(Wrap::HalfBorder, 1.6, -5), 1.0);
        assert_eq!(at(Wrap::HalfBorder, 1.6, 0), 3.0);
    }

    /// `EXT_texture_mirror_clamp`: the border is beyond 1 and below -1; with `GL_MIRROR_CLAMP_EXT`
    /// filters reach halfway into it.
    #[test]
    fn mirrored_coordinates_end_at_the_border() {
        let mut t = numbered(TextureTarget::D2);
        t.parameters.border = [77.0; 4];
        let mut at = |wrap, filter, s| {
            t.parameters.wrap = [wrap, Wrap::ClampToEdge, Wrap::ClampToEdge];
            t.parameters.mag = filter;
            sample(&t, s, 0.25)[0]
        };
        let (border, half) = (Wrap::MirrorBorder, Wrap::MirrorHalfBorder);
        let nearest = [-1.1, -0.9, -0.1, 0.3, 0.9, 1.1];
        let mut values = |wrap| nearest.map(|s| at(wrap, Filter::Nearest, s));
        assert_eq!(values(border), [77.0, 3.0, 0.0, 1.0, 3.0, 77.0]);
        assert_eq!(values(half), [3.0, 3.0, 0.0, 1.0, 3.0, 3.0]);
        // Centers of texels are at eighths; the border's first one is at 9 eighths.
        let linear = [-2.0, -1.125, -1.0, -0.5, -0.0625, 0.0, 1.0, 2.0];
        let border = linear.map(|s| at(border, Filter::Linear, s));
        assert_eq!(border, [77.0, 77.0, 40.0, 1.5, 0.0, 0.0, 40.0, 77.0]);
        let half = linear.map(|s| at(half, Filter::Linear, s));
        assert_eq!(half, [40.0, 40.0, 40.0, 1.5, 0.0, 0.0, 40.0, 40.0]);
    }

    #[test]
    fn linear_filtering_weighs_texel_centers() {
        let mut t = numbered(TextureTarget::D2);
        t.parameters.mag = Filter::Linear;
        t.parameters.wrap = [Wrap::ClampToEdge; 3];
        // At the center of texel (1, 0), a quarter towards the next, and between rows.
        assert_eq!(sample(&t, 1.5 / 4.0, 0.25)[0], 1.0);
        assert_eq!(sample(&t, 1.75 / 4.0, 0.25)[0], 1.25);
        assert_eq!(sample(&t, 1.5 / 4.0, 0.5)[1], 0.5);
        assert_eq!(sample(&t, 0.0, 0.0)[2], 0.0);
        t.parameters.wrap = [Wrap::Repeat; 3];
        // Half of texel 3 and half of texel 0.
        assert_eq!(sample(&t, 0.0, 0.25)[0], 1.5);
    }

    #[test]
    fn rectangles_are_not_normalized() {
        let mut t = numbered(TextureTarget::Rect);
        t.parameters.wrap = [Wrap::ClampToEdge; 3];
        assert_eq!(sample(&t, 2.5, 1.5)[2], 12.0);
        assert_eq!(sample(&t, 99.0, 0.0)[2], 3.0);
    }

    fn mipmapped() -> Texture {
        let mut t = Texture::new(TextureTarget::D2, Format::Rgba32f);
        for level in 0..4 {
            t.define(level, 8 >> level, 8 >> level, 1);
            t.image_mut(level, 0).expect("just defined").fill([(level as f32).to_bits(); 4]);
        }
        t.parameters.mag = Filter::Nearest;
        t.parameters.min = Filter::Nearest;
        t
    }

    fn at_lod(t: &Texture, lod: Lod) -> f32 {
        let op = TextureOp::Sample {
            coordinates: [0.5, 0.5, 0.0, 0.0],
            reference: None,
            lod,
            offset: [0; 3],
            min_lod: f32::NEG_INFINITY,
        };
        f32::from_bits(perform(t, &op).expect("supported")[0])
    }

    #[test]
    fn levels_follow_lambda() {
        let mut t = mipmapped();
        t.parameters.mip = Some(Filter::Nearest);
        for (lod, level) in
            [(-3.0, 0.0), (0.5, 0.0), (0.51, 1.0), (1.5, 1.0), (1.6, 2.0), (9.0, 3.0)]
        {
            assert_eq!(at_lod(&t, Lod::Explicit(lod)), level, "{lod}");
        }
        t.parameters.mip = Some(Filter::Linear);
        assert_eq!(at_lod(&t, Lod::Explicit(1.25)), 1.25);
        assert_eq!(at_lod(&t, Lod::Explicit(50.0)), 3.0);
        // Two texels per pixel is level 1; the bias adds.
        let lod = |bias| Lod::Gradients { dx: [0.25, 0.0, 0.0], dy: [0.0, 0.25, 0.0], bias };
        assert_eq!(at_lod(&t, lod(0.0)), 1.0);
        assert_eq!(at_lod(&t, lod(0.5)), 1.5);
        t.parameters.lod_bias = 1.0;
        assert_eq!(at_lod(&t, lod(0.5)), 2.5);
        t.parameters.max_lod = 1.75;
        assert_eq!(at_lod(&t, lod(0.5)), 1.75);
    }

    #[test]
    fn base_and_max_level_limit_the_range() {
        let mut t = mipmapped();
        t.parameters.mip = Some(Filter::Nearest);
        t.parameters.base_level = 1;
        t.parameters.max_level = 2;
        assert_eq!(at_lod(&t, Lod::Explicit(0.0)), 1.0);
        assert_eq!(at_lod(&t, Lod::Explicit(9.0)), 2.0);
        assert_eq!(perform(&t, &TextureOp::Levels), Ok([2, 0, 0, 0]));
        assert_eq!(perform(&t, &TextureOp::Size { lod: 0 }), Ok([4, 4, 0, 0]));
    }

    #[test]
    fn incomplete_textures_are_black() {
        let mut t = mipmapped();
        t.levels[2] = None;
        assert_eq!(sample(&t, 0.5, 0.5), [0.0, 0.0, 0.0, 1.0]);
        t.parameters.mip = None;
        assert_eq!(at_lod(&t, Lod::Explicit(2.0)), 0.0);
        let empty = Texture::new(TextureTarget::D2, Format::Rgba8);
        assert_eq!(sample(&empty, 0.5, 0.5), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(perform(&empty, &TextureOp::Size { lod: 3 }), Ok([0; 4]));
    }

    fn shadow() -> Texture {
        let mut t = Texture::new(TextureTarget::D2, Format::Depth24);
        t.define(0, 2, 1, 1);
        let surface = t.image_mut(0, 0).expect("just defined");
        surface.set(1, 0, Format::Depth24.quantize_numbers([1.0, 0.0, 0.0, 0.0]));
        t.parameters.mip = None;
        t.parameters.mag = Filter::Nearest;
        t.parameters.wrap = [Wrap::ClampToEdge; 3];
        t.parameters.compare = Some(CompareFunction::Greater);
        t
    }

    fn compare(t: &Texture, s: f32, reference: f32) -> [f32; 4] {
        let op = TextureOp::Sample {
            coordinates: [s, 0.5, 0.0, 0.0],
            reference: Some(reference),
            lod: FLAT,
            offset: [0; 3],
            min_lod: f32::NEG_INFINITY,
        };
        perform(t, &op).expect("supported").map(f32::from_bits)
    }

    #[test]
    fn shadow_lookups_compare_before_filtering() {
        let mut t = shadow();
        assert_eq!(compare(&t, 0.25, 0.5), [1.0; 4]);
        assert_eq!(compare(&t, 0.75, 0.5), [0.0, 0.0, 0.0, 1.0]);
        t.parameters.mag = Filter::Linear;
        assert_eq!(compare(&t, 0.5, 0.5)[0], 0.5);
        for (mode, expected) in [
            (DepthMode::Intensity, [1.0; 4]),
            (DepthMode::Alpha, [0.0, 0.0, 0.0, 1.0]),
            (DepthMode::Red, [1.0, 0.0, 0.0, 1.0]),
        ] {
            t.parameters.depth_mode = mode;
            assert_eq!(compare(&t, 0.0, 0.5), expected);
        }
        // The reference is clamped: 7 becomes 1, which is not greater than 1.
        assert_eq!(compare(&t, 1.0, 7.0)[0], 0.0);
    }

    #[test]
    fn gather_returns_the_footprint_in_order() {
        let t = numbered(TextureTarget::D2);
        let op = TextureOp::Gather {
            coordinates: [0.5, 0.5, 0.0, 0.0],
            reference: None,
            component: 2,
            offsets: [[0; 2]; 4],
        };
        assert_eq!(perform(&t, &op).map(|r| r.map(f32::from_bits)), Ok([11.0, 12.0, 2.0, 1.0]));
        let op = TextureOp::Gather {
            coordinates: [0.5, 0.5, 0.0, 0.0],
            reference: None,
            component: 0,
            offsets: [[1, 0]; 4],
        };
        assert_eq!(perform(&t, &op).map(|r| r.map(f32::from_bits)), Ok([2.0, 3.0, 3.0, 2.0]));
    }

    #[test]
    fn fetches_do_not_wrap() {
        let t = numbered(TextureTarget::D2);
        let fetch = |x, y, lod| {
            let op = TextureOp::Fetch { coordinates: [x, y, 0], lod, sample: 0 };
            perform(&t, &op).expect("supported").map(f32::from_bits)
        };
        assert_eq!(fetch(3, 1, 0)[2], 13.0);
        for (x, y, lod) in [(4, 0, 0), (0, 2, 0), (-1, 0, 0), (0, 0, 1), (0, 0, i32::MIN)] {
            assert_eq!(fetch(x, y, lod), [0.0; 4]);
        }
    }

    #[test]
    fn arrays_round_their_layer() {
        let mut t = Texture::new(TextureTarget::D2Array, Format::Rgba32f);
        t.define(0, 1, 1, 3);
        for layer in 0..3 {
            t.image_mut(0, layer).expect("just defined").fill([(layer as f32).to_bits(); 4]);
        }
        t.parameters.mip = None;
        for (layer, expected) in [(-2.0, 0.0), (0.49, 0.0), (0.5, 1.0), (1.7, 2.0), (9.0, 2.0)] {
            let op = TextureOp::Sample {
                coordinates: [0.5, 0.5, layer, 0.0],
                reference: None,
                lod: FLAT,
                offset: [0; 3],
                min_lod: f32::NEG_INFINITY,
            };
            assert_eq!(perform(&t, &op).map(|r| f32::from_bits(r[0])), Ok(expected), "{layer}");
        }
        assert_eq!(perform(&t, &TextureOp::Size { lod: 0 }), Ok([1, 1, 3, 0]));
    }

    #[test]
    fn swizzles_apply_last() {
        let mut t = numbered(TextureTarget::D2);
        t.parameters.swizzle =
            [SwizzleSource::Blue, SwizzleSource::One, SwizzleSource::Zero, SwizzleSource::Red];
        assert_eq!(sample(&t, 0.3, 0.75), [11.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn integer_textures_return_integers() {
        let mut t = Texture::new(TextureTarget::D2, Format::Rg32i);
        t.define(0, 1, 1, 1);
        t.image_mut(0, 0).expect("just defined").set(0, 0, [-4i32 as u32, 9, 0, 0]);
        t.parameters.mip = None;
        let op = TextureOp::Fetch { coordinates: [0; 3], lod: 0, sample: 0 };
        assert_eq!(perform(&t, &op), Ok([-4i32 as u32, 9, 0, 1]));
    }

    #[test]
    fn volumes_filter_along_depth() {
        let mut t = Texture::new(TextureTarget::D3, Format::Rgba32f);
        t.define(0, 1, 1, 2);
        t.image_mut(0, 1).expect("just defined").fill([1.0f32.to_bits(); 4]);
        t.parameters.mip = None;
        t.parameters.wrap = [Wrap::ClampToEdge; 3];
        let op = TextureOp::Sample {
            coordinates: [0.5, 0.5, 0.375, 0.0],
            reference: None,
            lod: FLAT,
            offset: [0; 3],
            min_lod: f32::NEG_INFINITY,
        };
        assert_eq!(perform(&t, &op).map(|r| f32::from_bits(r[0])), Ok(0.25));
    }
}
