//! Textures: slots, contents, parameters, images, resident handles.

use script::{
    Checkerboard, CompareFunc, DepthMode, GlEnum, IntegerFormat, Quads, TexFilter, TexParameter,
    TexWrap, TextureCommand, TextureImage, TextureSwizzle, TextureTarget, UniformTarget,
};
use vocabulary::Phase;

use super::session::{Run, Slot};
use crate::api::Texels;
use crate::bindings::gl;
use crate::enums::value_of;
use crate::outcome::{Flow, fail, skip};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const WHITE: [f32; 4] = [1.0; 4];
const YELLOW: [f32; 4] = [1.0, 1.0, 0.0, 1.0];
const MAGENTA: [f32; 4] = [1.0, 0.0, 1.0, 1.0];
const CYAN: [f32; 4] = [0.0, 1.0, 1.0, 1.0];
const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// Colors of the layers and levels of `rgbw`.
const RGBW: [[f32; 4]; 4] = [RED, GREEN, BLUE, WHITE];

/// Kind and size of a new texture.
struct Shape {
    target: u32,
    /// Width, height and depth; the last size of an array is its number of layers.
    size: [u32; 3],
}

impl Shape {
    fn of(image: &TextureImage) -> Shape {
        use TextureImage as I;
        let (target, size) = match *image {
            I::Rgbw { width, height, .. }
            | I::Integer { width, height, .. }
            | I::Shadow2D { width, height } => (gl::TEXTURE_2D, [width, height, 1]),
            I::Miptree => (gl::TEXTURE_2D, [8, 8, 1]),
            I::Checkerboard(ref board) => (gl::TEXTURE_2D, [board.width, board.height, 1]),
            I::Quads(ref quads) => (gl::TEXTURE_2D, [quads.width, quads.height, 1]),
            I::ShadowRect { width, height } => (gl::TEXTURE_RECTANGLE, [width, height, 1]),
            I::Rgbw1D => (gl::TEXTURE_1D, [4, 1, 1]),
            I::Shadow1D { width } => (gl::TEXTURE_1D, [width, 1, 1]),
            I::Rgbw1DArray { width, layers } | I::Shadow1DArray { width, layers } => {
                (gl::TEXTURE_1D_ARRAY, [width, layers, 1])
            }
            I::Rgbw3D => (gl::TEXTURE_3D, [2, 2, 2]),
            I::Rgbw2DArray { width, height, layers }
            | I::Shadow2DArray { width, height, layers }
            | I::Junk2DArray { width, height, layers } => {
                (gl::TEXTURE_2D_ARRAY, [width, height, layers])
            }
            I::Storage { target, size, .. } => {
                (target_enum(target), size.map(|side| side.unwrap_or(1)))
            }
        };
        Shape { target, size }
    }

    fn height(&self) -> u32 {
        let is_line = matches!(self.target, gl::TEXTURE_1D | gl::TEXTURE_1D_ARRAY);
        if is_line { 1 } else { self.size[1] }
    }
}

impl<'a> Run<'a> {
    pub(super) fn texture(&mut self, command: &'a TextureCommand) -> Flow {
        match command {
            TextureCommand::Fill { unit, image } => self.fill(*unit, image),
            TextureCommand::Parameter { target, parameter } => {
                self.texture_parameter(target_enum(*target), parameter)
            }
            TextureCommand::Image { slot, format } => {
                let texture = self.slot(*slot)?.texture;
                let format = format_enum(*format)?;
                self.api.bind_image_texture(
                    *slot,
                    texture,
                    0,
                    gl::FALSE,
                    0,
                    gl::READ_WRITE,
                    format,
                );
                Ok(())
            }
            TextureCommand::Resident(slot) => {
                self.needs_extension("GL_ARB_bindless_texture")?;
                self.api.bind_texture(gl::TEXTURE_2D, 0);
                let handle = self.api.texture_handle(self.slot(*slot)?.texture);
                self.api.make_texture_handle_resident(handle);
                self.keep_handle(*slot, handle)
            }
            TextureCommand::ResidentImage { slot, format } => {
                self.needs_extension("GL_ARB_bindless_texture")?;
                let texture = self.slot(*slot)?.texture;
                let format = format_enum(*format)?;
                let handle = self.api.image_handle(texture, 0, gl::FALSE, 0, format);
                self.api.make_image_handle_resident(handle, gl::READ_WRITE);
                self.keep_handle(*slot, handle)
            }
        }
    }

    fn keep_handle(&mut self, slot: u32, handle: u64) -> Flow {
        self.check_gl_error()?;
        if let Some(place) = self.textures.handles.get_mut(slot as usize) {
            *place = Some(handle);
        }
        Ok(())
    }

    /// Returns the texture of a slot.
    pub(super) fn slot(&self, slot: u32) -> Flow<Slot> {
        let found = self.textures.slots.get(slot as usize).copied().flatten();
        found.ok_or_else(|| fail(Phase::Script, format!("No texture bound at {slot}")))
    }

    /// Returns a resident handle.
    pub(super) fn handle(&self, slot: u32) -> Flow<u64> {
        let found = self.textures.handles.get(slot as usize).copied().flatten();
        found.ok_or_else(|| fail(Phase::Script, format!("No resident handle at {slot}")))
    }

    /// Executes `vertex attrib handle`.
    pub(super) fn attribute_handle(&mut self, target: &UniformTarget<'_>, slot: u32) -> Flow {
        self.needs_extension("GL_ARB_bindless_texture")?;
        let location = match *target {
            UniformTarget::Location(location) => location,
            UniformTarget::Name(name) => self.api.attribute_location(self.linked.program(), name),
        };
        let index = u32::try_from(location)
            .map_err(|_| fail(Phase::Script, "cannot get location of the attribute"))?;
        let handle = self.handle(slot)?;
        self.api.vertex_attrib_handle(index, handle);
        Ok(())
    }

    fn fill(&mut self, unit: u32, image: &TextureImage) -> Flow {
        let desktop_only = matches!(
            image,
            TextureImage::Miptree
                | TextureImage::Rgbw1D
                | TextureImage::Rgbw1DArray { .. }
                | TextureImage::Shadow2D { .. }
                | TextureImage::ShadowRect { .. }
                | TextureImage::Shadow1D { .. }
                | TextureImage::Shadow1DArray { .. }
                | TextureImage::Shadow2DArray { .. }
        );
        if desktop_only && self.is_es() {
            return Err(skip("this texture needs desktop OpenGL"));
        }
        self.api.active_texture(gl::TEXTURE0 + unit);
        let texture = self.api.create_texture();
        self.objects.textures.push(texture);
        let shape = Shape::of(image);
        self.api.bind_texture(shape.target, texture);
        self.define(&shape, image)?;
        if shape.target == gl::TEXTURE_2D && !self.is_es() && !self.is_core() && enables_unit(image)
        {
            self.api.enable(gl::TEXTURE_2D);
        }
        let (width, height) = (shape.size[0], shape.height());
        if let Some(slot) = self.textures.slots.get_mut(unit as usize)
            && let Some(old) = slot.replace(Slot { texture, width, height })
        {
            self.objects.textures.retain(|&name| name != old.texture);
            self.api.delete_texture(old.texture);
        }
        Ok(())
    }

    /// Defines the contents of the texture that is bound.
    fn define(&self, shape: &Shape, image: &TextureImage) -> Flow {
        const WRAPS: [u32; 3] = [gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T, gl::TEXTURE_WRAP_R];
        let Shape { target, size } = *shape;
        let [width, height, layers] = size;
        match *image {
            TextureImage::Rgbw { format, .. } => {
                let format = format.map_or(Ok(gl::RGBA), format_enum)?;
                let quadrant =
                    |x, y| RGBW[usize::from(x >= width / 2) + 2 * usize::from(y >= height / 2)];
                self.colors_2d(0, format, [width, height], quadrant);
                self.nearest(target, &WRAPS[..2]);
            }
            TextureImage::Rgbw1D => {
                let texels = RGBW.concat();
                self.api.tex_image_1d(target, 0, gl::RGBA, 4, gl::RGBA, Texels::Floats(&texels));
                self.nearest(target, &WRAPS[..1]);
            }
            TextureImage::Rgbw3D => {
                let all = [RED, GREEN, BLUE, WHITE, YELLOW, MAGENTA, CYAN, BLACK].concat();
                self.image_3d(target, size, &all);
                self.nearest(target, &WRAPS);
            }
            TextureImage::Rgbw2DArray { .. } => {
                self.image_3d(target, size, &layered((width * height) as usize, layers));
                self.nearest(target, &WRAPS[..2]);
            }
            TextureImage::Rgbw1DArray { layers, .. } => {
                let all = layered(width as usize, layers);
                let size = [width as i32, layers as i32];
                self.api.tex_image_2d(target, 0, gl::RGBA, size, gl::RGBA, Texels::Floats(&all));
                self.nearest(target, &WRAPS[..2]);
            }
            TextureImage::Miptree => {
                for (level, color) in (0..).zip(RGBW) {
                    let side = 8 >> level;
                    self.colors_2d(level, gl::RGBA, [side, side], |_, _| color);
                }
                self.nearest(target, &WRAPS[..2]);
                let filter = gl::NEAREST_MIPMAP_NEAREST as i32;
                self.api.tex_parameteri(target, gl::TEXTURE_MIN_FILTER, filter);
            }
            TextureImage::Checkerboard(ref board) => {
                let Checkerboard { level, colors: [a, b], .. } = **board;
                let tile = [(width / 2).max(1), (height / 2).max(1)];
                self.tiles(level, [width, height], tile, [a, b, b, a]);
            }
            TextureImage::Quads(ref quads) => {
                let Quads { level, tile_width, tile_height, colors, .. } = **quads;
                let tile = [tile_width.max(1), tile_height.max(1)];
                self.tiles(level, [width, height], tile, colors);
            }
            TextureImage::Integer { b, a, format, .. } => {
                self.integers([width, height], b, a, format)?;
            }
            TextureImage::Shadow2D { .. }
            | TextureImage::ShadowRect { .. }
            | TextureImage::Shadow1D { .. }
            | TextureImage::Shadow1DArray { .. }
            | TextureImage::Shadow2DArray { .. } => self.shadow(shape),
            TextureImage::Junk2DArray { .. } => {
                let size = size.map(|side| side as i32);
                let (format, texels) = (gl::RGBA, Texels::Undefined);
                self.api.tex_image_3d(target, 0, format, size, format, texels);
            }
            TextureImage::Storage { format, levels, size, .. } => {
                self.storage(target, format_enum(format)?, levels, size)?;
            }
        }
        Ok(())
    }

    /// Defines a level of a 2D texture by the color of each texel.
    fn colors_2d(
        &self,
        level: u32,
        format: u32,
        [width, height]: [u32; 2],
        color: impl Fn(u32, u32) -> [f32; 4],
    ) {
        let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let texels: Vec<f32> = rows.flat_map(|(x, y)| color(x, y)).collect();
        let size = [width as i32, height as i32];
        let level = level as i32;
        let put = |texels| {
            self.api.tex_image_2d(gl::TEXTURE_2D, level, format, size, gl::RGBA, texels);
        };
        if self.is_es() {
            let bytes: Vec<u8> = texels.iter().map(|v| (v * 255.0).round() as u8).collect();
            put(Texels::Bytes(&bytes));
        } else {
            put(Texels::Floats(&texels));
        }
    }

    fn image_3d(&self, target: u32, size: [u32; 3], texels: &[f32]) {
        let size = size.map(|side| side as i32);
        let put = |texels| self.api.tex_image_3d(target, 0, gl::RGBA, size, gl::RGBA, texels);
        if self.is_es() {
            let bytes: Vec<u8> = texels.iter().map(|v| (v * 255.0).round() as u8).collect();
            put(Texels::Bytes(&bytes));
        } else {
            put(Texels::Floats(texels));
        }
    }

    /// Selects the nearest texel, clamped to the edge in some directions.
    fn nearest(&self, target: u32, wraps: &[u32]) {
        for filter in [gl::TEXTURE_MIN_FILTER, gl::TEXTURE_MAG_FILTER] {
            self.api.tex_parameteri(target, filter, gl::NEAREST as i32);
        }
        for &wrap in wraps {
            self.api.tex_parameteri(target, wrap, gl::CLAMP_TO_EDGE as i32);
        }
    }

    /// Defines one level of tiles: lower left, lower right, upper left, upper right, repeating.
    fn tiles(
        &self,
        level: u32,
        size: [u32; 2],
        [tile_width, tile_height]: [u32; 2],
        colors: [[f32; 4]; 4],
    ) {
        let tile =
            |x: u32, y: u32| colors[(x / tile_width % 2 + 2 * (y / tile_height % 2)) as usize];
        self.colors_2d(level, gl::RGBA, size, tile);
        let wraps = [gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T];
        self.nearest(gl::TEXTURE_2D, &wraps);
        if !self.is_es() {
            for wrap in wraps {
                self.api.tex_parameteri(gl::TEXTURE_2D, wrap, gl::CLAMP_TO_BORDER as i32);
            }
            self.api.tex_parameterfv(gl::TEXTURE_2D, gl::TEXTURE_BORDER_COLOR, RED);
        }
    }

    fn integers(&self, [width, height]: [u32; 2], b: i32, a: i32, format: IntegerFormat) -> Flow {
        self.needs_storage()?;
        let (internal, pixel) = match format {
            IntegerFormat::R32I => (gl::R32I, gl::RED_INTEGER),
            IntegerFormat::Rg32I => (gl::RG32I, gl::RG_INTEGER),
            IntegerFormat::Rgb32I => (gl::RGB32I, gl::RGB_INTEGER),
            IntegerFormat::Rgba32I => (gl::RGBA32I, gl::RGBA_INTEGER),
        };
        let texel = |x: i32, y: i32| match format {
            IntegerFormat::R32I => vec![x.wrapping_add(y.wrapping_mul(b)).wrapping_add(a)],
            IntegerFormat::Rg32I => vec![x.wrapping_add(b), y.wrapping_add(a)],
            IntegerFormat::Rgb32I => vec![x, y, b.wrapping_add(a)],
            IntegerFormat::Rgba32I => vec![x, y, b, a],
        };
        let (width, height) = (width as i32, height as i32);
        let texels: Vec<i32> = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| texel(x, y))
            .collect();
        self.api.tex_storage_2d(gl::TEXTURE_2D, 1, internal, width, height);
        let size = [width, height];
        self.api.tex_sub_image_2d(gl::TEXTURE_2D, 0, size, pixel, Texels::Integers(&texels));
        self.nearest(gl::TEXTURE_2D, &[gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T]);
        Ok(())
    }

    /// Defines a depth texture whose values grow from 0 at the left to 1 at the right.
    fn shadow(&self, shape: &Shape) {
        let Shape { target, size: [width, height, depth] } = *shape;
        let last = width.saturating_sub(1).max(1) as f32;
        let row = (0..width).map(|x| x as f32 / last);
        let rows = (height * depth) as usize;
        let texels: Vec<f32> =
            std::iter::repeat_with(|| row.clone()).take(rows).flatten().collect();
        let (format, texels) = (gl::DEPTH_COMPONENT, Texels::Floats(&texels));
        let (width, height, depth) = (width as i32, height as i32, depth as i32);
        match target {
            gl::TEXTURE_1D => self.api.tex_image_1d(target, 0, format, width, format, texels),
            gl::TEXTURE_2D_ARRAY => {
                let size = [width, height, depth];
                self.api.tex_image_3d(target, 0, format, size, format, texels);
            }
            _ => self.api.tex_image_2d(target, 0, format, [width, height], format, texels),
        }
        self.nearest(target, &[gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T]);
        let mode = gl::COMPARE_REF_TO_TEXTURE as i32;
        self.api.tex_parameteri(target, gl::TEXTURE_COMPARE_MODE, mode);
        self.api.tex_parameteri(target, gl::TEXTURE_COMPARE_FUNC, gl::GREATER as i32);
    }

    fn needs_storage(&self) -> Flow {
        if self.capabilities.has_version(42, 30, &["GL_ARB_texture_storage"]) {
            Ok(())
        } else {
            Err(skip("needs GL 4.2 or GL_ARB_texture_storage"))
        }
    }

    fn storage(&self, target: u32, format: u32, levels: u32, size: [Option<u32>; 3]) -> Flow {
        self.needs_storage()?;
        let (levels, [width, height, depth]) =
            (levels as i32, size.map(|side| side.unwrap_or(1) as i32));
        match size {
            [_, None, _] => self.api.tex_storage_1d(target, levels, format, width),
            [_, _, None] => self.api.tex_storage_2d(target, levels, format, width, height),
            _ => self.api.tex_storage_3d(target, levels, format, width, height, depth),
        }
        self.check_gl_error()
    }

    fn texture_parameter(&mut self, target: u32, parameter: &TexParameter) -> Flow {
        let set = |name, value: u32| self.api.tex_parameteri(target, name, value as i32);
        match *parameter {
            TexParameter::CompareFunc(function) => {
                set(gl::TEXTURE_COMPARE_FUNC, compare_function(function));
            }
            TexParameter::DepthMode(mode) => set(gl::DEPTH_TEXTURE_MODE, depth_mode(mode)),
            TexParameter::Min(filter) => set(gl::TEXTURE_MIN_FILTER, min_filter(filter)),
            TexParameter::Mag(filter) => set(gl::TEXTURE_MAG_FILTER, min_filter(filter)),
            TexParameter::WrapS(wrap) => set(gl::TEXTURE_WRAP_S, wrap_mode(wrap)),
            TexParameter::WrapT(wrap) => set(gl::TEXTURE_WRAP_T, wrap_mode(wrap)),
            TexParameter::WrapR(wrap) => set(gl::TEXTURE_WRAP_R, wrap_mode(wrap)),
            TexParameter::LodBias(bias) => {
                self.needs_desktop("lod_bias")?;
                self.api.tex_parameterf(target, gl::TEXTURE_LOD_BIAS, bias);
            }
            TexParameter::MaxLevel(level) => {
                self.api.tex_parameteri(target, gl::TEXTURE_MAX_LEVEL, level);
            }
            TexParameter::BaseLevel(level) => {
                self.api.tex_parameteri(target, gl::TEXTURE_BASE_LEVEL, level);
            }
            TexParameter::BorderColor(color) => {
                self.api.tex_parameterfv(target, gl::TEXTURE_BORDER_COLOR, color);
            }
            TexParameter::SwizzleR(source) => {
                let source = match source {
                    TextureSwizzle::Red => gl::RED,
                    TextureSwizzle::Green => gl::GREEN,
                    TextureSwizzle::Blue => gl::BLUE,
                    TextureSwizzle::Alpha => gl::ALPHA,
                };
                set(gl::TEXTURE_SWIZZLE_R, source);
            }
        }
        Ok(())
    }
}

/// Returns true if a compatibility context textures with the image's unit from now on.
fn enables_unit(image: &TextureImage) -> bool {
    matches!(
        image,
        TextureImage::Rgbw { .. }
            | TextureImage::Miptree
            | TextureImage::Checkerboard(_)
            | TextureImage::Quads(_)
            | TextureImage::Shadow2D { .. }
    )
}

/// Returns layers of one color each.
fn layered(texels: usize, layers: u32) -> Vec<f32> {
    let colors = RGBW.iter().cycle().take(layers as usize);
    colors.flat_map(|color| std::iter::repeat_n(*color, texels).flatten()).collect()
}

pub(super) fn format_enum(format: GlEnum) -> Flow<u32> {
    value_of(format).ok_or_else(|| fail(Phase::Script, format!("{format} is not a format")))
}

pub(super) fn target_enum(target: TextureTarget) -> u32 {
    match target {
        TextureTarget::OneD => gl::TEXTURE_1D,
        TextureTarget::TwoD => gl::TEXTURE_2D,
        TextureTarget::ThreeD => gl::TEXTURE_3D,
        TextureTarget::Rect => gl::TEXTURE_RECTANGLE,
        TextureTarget::Cube => gl::TEXTURE_CUBE_MAP,
        TextureTarget::OneDArray => gl::TEXTURE_1D_ARRAY,
        TextureTarget::TwoDArray => gl::TEXTURE_2D_ARRAY,
        TextureTarget::CubeArray => gl::TEXTURE_CUBE_MAP_ARRAY,
    }
}

fn compare_function(function: CompareFunc) -> u32 {
    match function {
        CompareFunc::Greater => gl::GREATER,
        CompareFunc::GreaterEqual => gl::GEQUAL,
        CompareFunc::Less => gl::LESS,
        CompareFunc::LessEqual => gl::LEQUAL,
        CompareFunc::Equal => gl::EQUAL,
        CompareFunc::NotEqual => gl::NOTEQUAL,
        CompareFunc::Never => gl::NEVER,
        CompareFunc::Always => gl::ALWAYS,
    }
}

fn depth_mode(mode: DepthMode) -> u32 {
    match mode {
        DepthMode::Intensity => gl::INTENSITY,
        DepthMode::Luminance => gl::LUMINANCE,
        DepthMode::Alpha => gl::ALPHA,
        DepthMode::Red => gl::RED,
    }
}

fn min_filter(filter: TexFilter) -> u32 {
    match filter {
        TexFilter::Nearest => gl::NEAREST,
        TexFilter::Linear => gl::LINEAR,
        TexFilter::NearestMipmapNearest => gl::NEAREST_MIPMAP_NEAREST,
        TexFilter::LinearMipmapNearest => gl::LINEAR_MIPMAP_NEAREST,
        TexFilter::NearestMipmapLinear => gl::NEAREST_MIPMAP_LINEAR,
        TexFilter::LinearMipmapLinear => gl::LINEAR_MIPMAP_LINEAR,
    }
}

fn wrap_mode(wrap: TexWrap) -> u32 {
    match wrap {
        TexWrap::Repeat => gl::REPEAT,
        TexWrap::ClampToEdge => gl::CLAMP_TO_EDGE,
        TexWrap::ClampToBorder => gl::CLAMP_TO_BORDER,
    }
}
