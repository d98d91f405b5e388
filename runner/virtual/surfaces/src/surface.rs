//! Surface states: the place of each texel of their levels and layers.

use packets::{Fault, Memory, Table};

use crate::format::SurfaceFormat;
use crate::tiling::Tiling;

packets::fields! {
    /// Fields of a surface state.
    struct Fields of "RENDER_SURFACE_STATE" {
        kind: "Surface Type",
        format: "Surface Format",
        is_tiled: "Tiled Surface",
        tile_walk: "Tile Walk",
        tile_mode: "Tile Mode",
        base: "Surface Base Address",
        width: "Width",
        height: "Height",
        depth: "Depth",
        pitch: "Surface Pitch",
        qpitch: "Surface QPitch",
        horizontal_alignment: "Surface Horizontal Alignment",
        vertical_alignment: "Surface Vertical Alignment",
        array_spacing: "Surface Array Spacing",
        min_array_element: "Minimum Array Element",
        view_extent: "Render Target View Extent",
        samples: "Number of Multisamples",
        storage: "Multisampled Surface Storage Format",
        is_array: "Surface Array",
        min_lod: "Surface Min LOD",
        resource_min_lod: "Resource Min LOD",
        tiled_resource: "Tiled Resource Mode",
        red: "Shader Channel Select Red",
        green: "Shader Channel Select Green",
        blue: "Shader Channel Select Blue",
        alpha: "Shader Channel Select Alpha",
        clear_red: "Red Clear Color",
        clear_green: "Green Clear Color",
        clear_blue: "Blue Clear Color",
        clear_alpha: "Alpha Clear Color",
        level: "MIP Count / LOD",
        x_offset: "X Offset",
        y_offset: "Y Offset",
    }
}

/// Kind of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceKind {
    /// One-dimensional.
    OneD,
    /// Two-dimensional.
    TwoD,
    /// Three-dimensional.
    ThreeD,
    /// Faces of cubes.
    Cube,
    /// Buffer.
    Buffer,
    /// Structured buffer.
    StructuredBuffer,
    /// Reads as 0, ignores writes.
    Null,
}

/// A surface state.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Kind.
    pub kind: SurfaceKind,
    /// Number of the format.
    pub format: u64,
    /// Order of bytes.
    pub tiling: Tiling,
    /// Address of the first byte.
    pub base: u64,
    /// Texels of a row of level 0.
    pub width: u32,
    /// Rows of level 0.
    pub height: u32,
    /// Layers, faces of cubes, or slices of level 0.
    pub depth: u32,
    /// Layers are selected by a coordinate.
    pub is_array: bool,
    /// Elements of a buffer.
    pub elements: u32,
    /// First level of a texture.
    pub first_level: u32,
    /// Lowest level of detail that can be accessed is above the first level.
    pub has_minimum: bool,
    /// Sources of the four components: 0 and 1 for constants, 4 to 7 for red to alpha.
    pub channels: [u32; 4],
    /// Samples lie interleaved in one layer, not in layers of their own.
    pub is_interleaved: bool,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Rows of elements from layer to layer; elements where all levels are in one row.
    pub layer_rows: u64,
    /// First layer of a render target.
    pub first_layer: u32,
    /// Layers of a render target.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Level of a render target; number of levels less one of a texture.
    pub level: u32,
    /// Elements and rows of elements before the surface's origin.
    pub origin: (u64, u64),
    /// Clear color: bits of the components, or flags of those that are 1.
    clear: [u32; 4],
    /// The clear color is flags.
    clears_by_flags: bool,
    /// Texels and rows of an element: a block of compressed formats, else a texel.
    block: (u32, u32),
    /// Alignment of levels in elements and rows of elements.
    alignment: (u64, u64),
    /// Order of levels and slices.
    order: LevelOrder,
}

/// Order of the levels of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelOrder {
    /// The second level below the first, the others in a column to the right of the second. Layers
    /// follow each other.
    Layers,
    /// Slices of a level side by side, twice as many in a row as on the level before.
    Slices,
    /// All levels of all layers in one row.
    Row,
}

/// Logarithm of the largest number of samples.
const MOST_LOG_SAMPLES: u64 = 4;

impl Surface {
    /// Reads the surface state at an address; `None` for a reserved kind or number of samples.
    ///
    /// # Errors
    /// Fails outside memory.
    pub fn load(
        table: &Table,
        memory: &dyn Memory,
        address: u64,
    ) -> Result<Option<Surface>, Fault> {
        let length = table.structure(Fields::LAYOUT).map_or(0, |layout| layout.words);
        let words = memory.read_words(address, length as usize)?;
        Ok(Surface::decode(&Fields::resolve(table), &words))
    }

    fn decode(fields: &Fields, words: &[u32]) -> Option<Surface> {
        let kind = match fields.kind.get(words) {
            0 => SurfaceKind::OneD,
            1 => SurfaceKind::TwoD,
            2 => SurfaceKind::ThreeD,
            3 => SurfaceKind::Cube,
            4 => SurfaceKind::Buffer,
            5 => SurfaceKind::StructuredBuffer,
            7 => SurfaceKind::Null,
            _ => return None,
        };
        let tiling = if fields.tile_mode.exists() {
            [Tiling::Linear, Tiling::W, Tiling::X, Tiling::Y][fields.tile_mode.get(words) as usize]
        } else {
            match (fields.is_tiled.flag(words), fields.tile_walk.flag(words)) {
                (false, _) => Tiling::Linear,
                (true, false) => Tiling::X,
                (true, true) => Tiling::Y,
            }
        };
        let log_samples = fields.samples.get(words);
        if log_samples > MOST_LOG_SAMPLES {
            return None;
        }
        let count = |field: packets::Field| field.get_u32(words) + 1;
        let height = count(fields.height);
        let format = fields.format.get(words);
        let block = SurfaceFormat::of(format).map_or((1, 1), SurfaceFormat::block_size);
        let is_newest = fields.tiled_resource.exists();
        let alignment = alignment(fields, words);
        // The newest generation counts elements, the others texels.
        let alignment = match is_newest {
            true => alignment,
            false => {
                let elements = |texels: u64, block: u32| (texels / u64::from(block)).max(1);
                (elements(alignment.0, block.0), elements(alignment.1, block.1))
            }
        };
        // Without an explicit distance it follows from the first two levels.
        let layer_rows = if fields.qpitch.exists() {
            let rows = 4 * fields.qpitch.get(words);
            if is_newest { rows } else { rows / u64::from(block.1) }
        } else {
            let rows =
                |height: u32| u64::from(height.div_ceil(block.1)).next_multiple_of(alignment.1);
            let (first, second) = (rows(height), rows((height / 2).max(1)));
            let only_first = fields.array_spacing.flag(words);
            if only_first { first } else { first + second + 12 * alignment.1 }
        };
        let order = match kind {
            SurfaceKind::OneD if is_newest && tiling == Tiling::Linear => LevelOrder::Row,
            SurfaceKind::ThreeD if !is_newest => LevelOrder::Slices,
            _ => LevelOrder::Layers,
        };
        let alignment = if order == LevelOrder::Row { (64, 1) } else { alignment };
        let depth = count(fields.depth);
        let size = [(fields.width, 0), (fields.height, 7), (fields.depth, 21)];
        let elements =
            size.iter().fold(0, |all, (field, shift)| all | field.get_u32(words) << shift);
        let selects = [fields.red, fields.green, fields.blue, fields.alpha];
        let channels = match fields.red.exists() {
            true => selects.map(|field| field.get_u32(words)),
            false => [4, 5, 6, 7],
        };
        Some(Surface {
            kind,
            is_array: fields.is_array.flag(words),
            elements: elements.saturating_add(1),
            first_level: fields.min_lod.get_u32(words),
            has_minimum: fields.resource_min_lod.flag(words),
            channels,
            is_interleaved: fields.storage.flag(words),
            order,
            format,
            tiling,
            base: fields.base.get(words) & 0xffff_ffff_ffff,
            width: count(fields.width),
            height,
            depth: if kind == SurfaceKind::Cube { 6 * depth } else { depth },
            pitch: u64::from(count(fields.pitch)),
            layer_rows,
            first_layer: fields.min_array_element.get_u32(words),
            layers: count(fields.view_extent),
            samples: 1 << log_samples,
            level: fields.level.get_u32(words),
            clear: [fields.clear_red, fields.clear_green, fields.clear_blue, fields.clear_alpha]
                .map(|field| field.get_u32(words)),
            clears_by_flags: fields.clear_red.start == fields.clear_red.end,
            origin: (4 * fields.x_offset.get(words), y_offset(fields, words)),
            block,
            alignment,
        })
    }

    /// Storage of the texels, if the format is known.
    #[must_use]
    pub fn texel_format(&self) -> Option<&'static SurfaceFormat> {
        SurfaceFormat::of(self.format)
    }

    /// Color of fast clears: integers of integer formats, else bits of floats.
    #[must_use]
    pub fn clear_color(&self) -> [u32; 4] {
        let is_integer = self.texel_format().is_some_and(|format| format.is_integer);
        let one = if is_integer { 1 } else { 1.0_f32.to_bits() };
        self.clear.map(|value| if self.clears_by_flags { value * one } else { value })
    }

    /// Texels of a row and rows of a level.
    #[must_use]
    pub fn size(&self, level: u32) -> (u32, u32) {
        ((self.width >> level).max(1), (self.height >> level).max(1))
    }

    /// Slices of a level of a volume, layers of others.
    #[must_use]
    pub fn layers_of(&self, level: u32) -> u32 {
        match self.kind {
            SurfaceKind::ThreeD => (self.depth >> level).max(1),
            _ => self.depth,
        }
    }

    /// Answer to a query of a texture's size: width, height, depth or layers of a level, and the
    /// number of levels.
    #[must_use]
    pub fn information(&self, lod: u32) -> [u32; 4] {
        let levels = self.level + 1;
        match self.kind {
            SurfaceKind::Null => return [0; 4],
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => return [self.elements, 0, 0, 1],
            _ if lod >= levels => return [0, 0, 0, levels],
            _ => {}
        }
        let level = self.first_level + lod;
        let (width, height) = self.size(level);
        let layers = self.layers_of(level);
        match (self.kind, self.is_array) {
            (SurfaceKind::OneD, true) => [width, layers, 0, levels],
            (SurfaceKind::OneD, false) => [width, 0, 0, levels],
            // The number of cubes: drivers do not divide it by that of their faces.
            (SurfaceKind::Cube, true) => [width, height, layers / 6, levels],
            (SurfaceKind::ThreeD, _) | (_, true) => [width, height, layers, levels],
            _ => [width, height, 0, levels],
        }
    }

    /// Elements and rows of elements of a level with its alignment.
    fn aligned(&self, level: u32) -> (u64, u64) {
        let (width, height) = self.size(level);
        let (width, height) = (width.div_ceil(self.block.0), height.div_ceil(self.block.1));
        let (x, y) = self.alignment;
        (u64::from(width).next_multiple_of(x), u64::from(height).next_multiple_of(y))
    }

    /// Place of a level of a layer or slice, in elements and rows of elements.
    fn level_origin(&self, level: u32, layer: u32) -> (u64, u64) {
        let layers = u64::from(layer) * self.layer_rows;
        match (self.order, level) {
            (LevelOrder::Row, _) => {
                let before: u64 = (0..level).map(|level| self.aligned(level).0).sum();
                (before + layers, 0)
            }
            (LevelOrder::Slices, _) => {
                let rows = |level: u32| {
                    let rows = u64::from(self.layers_of(level)).div_ceil(1 << level);
                    rows * self.aligned(level).1
                };
                let above: u64 = (0..level).map(rows).sum();
                let (width, height) = self.aligned(level);
                let (column, row) = (u64::from(layer) % (1 << level), u64::from(layer) >> level);
                (column * width, above + row * height)
            }
            (LevelOrder::Layers, 0) => (0, layers),
            (LevelOrder::Layers, 1) => (0, layers + self.aligned(0).1),
            (LevelOrder::Layers, _) => {
                let above: u64 = (2..level).map(|level| self.aligned(level).1).sum();
                (self.aligned(1).0, layers + self.aligned(0).1 + above)
            }
        }
    }

    /// A level of a layer. `layer` counts from the first layer of the surface's memory.
    #[must_use]
    pub fn plane(&self, layer: u32, level: u32) -> Plane {
        let (left, top) = self.level_origin(level, layer);
        Plane {
            base: self.base,
            tiling: self.tiling,
            pitch: self.pitch,
            origin: (left + self.origin.0, top + self.origin.1),
        }
    }

    /// Address of a texel, or of an element of a compressed format by its column and row. `layer`
    /// counts from the first layer of the surface's memory.
    #[must_use]
    pub fn address(&self, x: u32, y: u32, layer: u32, level: u32, texel_bytes: u64) -> u64 {
        self.plane(layer, level).address(x, y, texel_bytes)
    }

    /// Address of a sample of a texel of the first level.
    #[must_use]
    pub fn sample_address(
        &self,
        (x, y): (u32, u32),
        layer: u32,
        sample: u32,
        texel_bytes: u64,
    ) -> u64 {
        if self.samples <= 1 {
            return self.address(x, y, layer, 0, texel_bytes);
        }
        if !self.is_interleaved {
            return self.address(x, y, layer * self.samples + sample, 0, texel_bytes);
        }
        let (x, y) = interleave(x, y, sample, self.samples);
        self.address(x, y, layer, 0, texel_bytes)
    }
}

/// A level of a layer of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    base: u64,
    tiling: Tiling,
    pitch: u64,
    /// Texels and rows before the level.
    origin: (u64, u64),
}

impl Plane {
    /// Address of a texel.
    #[must_use]
    pub fn address(&self, x: u32, y: u32, texel_bytes: u64) -> u64 {
        let (x, y) = (u64::from(x) + self.origin.0, u64::from(y) + self.origin.1);
        self.base + self.tiling.offset(x * texel_bytes, y, self.pitch)
    }

    /// Number of texels from a column on that follow each other in memory.
    #[must_use]
    pub fn contiguous(&self, x: u32, texel_bytes: u64) -> u32 {
        let bytes = self.tiling.contiguous();
        let start = (u64::from(x) + self.origin.0) * texel_bytes;
        u32::try_from((bytes - start % bytes) / texel_bytes.max(1)).map_or(u32::MAX, |n| n.max(1))
    }
}

/// Layout of a depth or stencil buffer.
#[derive(Clone, Copy, Debug)]
pub struct DepthLayout {
    /// Address of the first byte.
    pub base: u64,
    /// Bytes from row to row; of stencil, from every second row to the next.
    pub pitch: u64,
    /// Pixels of a row of level 0.
    pub width: u32,
    /// Rows of level 0.
    pub height: u32,
    /// Layers, or slices of level 0.
    pub depth: u32,
    /// Slices lie side by side.
    pub is_volume: bool,
    /// Level.
    pub level: u32,
    /// First layer.
    pub first_layer: u32,
    /// Rows from layer to layer, if the state has them.
    pub layer_rows: Option<u64>,
    /// Alignment of levels in texels and rows.
    pub alignment: (u64, u64),
    /// Samples of a pixel, which are interleaved.
    pub samples: u32,
    /// The buffer holds stencil.
    pub is_stencil: bool,
}

impl Surface {
    /// The surface of a depth or stencil buffer. Its texels are samples.
    #[must_use]
    pub fn of_depth(layout: &DepthLayout) -> Surface {
        let DepthLayout { width, height, alignment, samples, .. } = *layout;
        let (width, height) = match samples {
            0 | 1 => (width, height),
            _ => {
                let (x, y) =
                    interleave(width.next_multiple_of(2), height.next_multiple_of(2), 0, samples);
                (x, if samples == 2 { height } else { y })
            }
        };
        let rows = |height: u32| u64::from(height).next_multiple_of(alignment.1);
        let implied = rows(height) + rows((height / 2).max(1)) + 12 * alignment.1;
        Surface {
            kind: if layout.is_volume { SurfaceKind::ThreeD } else { SurfaceKind::TwoD },
            format: 0,
            tiling: if layout.is_stencil { Tiling::W } else { Tiling::Y },
            base: layout.base,
            width,
            height,
            depth: layout.depth,
            is_array: true,
            elements: 0,
            first_level: 0,
            has_minimum: false,
            channels: [4, 5, 6, 7],
            is_interleaved: true,
            pitch: layout.pitch,
            layer_rows: layout.layer_rows.unwrap_or(implied),
            first_layer: layout.first_layer,
            layers: layout.depth,
            samples,
            level: layout.level,
            origin: (0, 0),
            clear: [0; 4],
            clears_by_flags: false,
            block: (1, 1),
            alignment,
            order: if layout.is_volume { LevelOrder::Slices } else { LevelOrder::Layers },
        }
    }
}

/// Place of a sample in a surface whose pixels are stored as small rectangles of samples.
#[must_use]
pub fn interleave(x: u32, y: u32, sample: u32, samples: u32) -> (u32, u32) {
    let bit = |i: u32| sample >> i & 1;
    let (wide, tall) = match samples {
        0 | 1 => return (x, y),
        2 => return ((x & !1) * 2 + 2 * bit(0) + (x & 1), y),
        4 => (2, 2),
        8 => (4, 2),
        _ => (4, 4),
    };
    let right = if wide == 4 { 4 * bit(2) } else { 0 };
    let down = if tall == 4 { 4 * bit(3) } else { 0 };
    ((x & !1) * wide + right + 2 * bit(0) + (x & 1), (y & !1) * tall + down + 2 * bit(1) + (y & 1))
}

/// Alignment of levels in texels and rows.
fn alignment(fields: &Fields, words: &[u32]) -> (u64, u64) {
    let (x, y) = (fields.horizontal_alignment.get(words), fields.vertical_alignment.get(words));
    if fields.qpitch.exists() {
        // 1: 4, 2: 8, 3: 16.
        (2 << x, 2 << y)
    } else {
        (4 << x, 2 << y)
    }
}

/// Rows before the origin: the unit is 2 rows, or 4 where the field is a bit shorter.
fn y_offset(fields: &Fields, words: &[u32]) -> u64 {
    let field = fields.y_offset;
    let unit = if field.end - field.start == 3 { 2 } else { 4 };
    unit * field.get(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use packets::Table;
    use vocabulary::Generation;

    #[test]
    fn names_exist() {
        let tables = Generation::INTEL.map(Table::of);
        for name in Fields::NAMES {
            let has = |table: &Table| {
                table.structure(Fields::LAYOUT).is_some_and(|layout| layout.field(name).exists())
            };
            assert!(tables.iter().any(|table| has(table)), "{name}");
        }
    }

    /// A Y-tiled R8G8B8A8_UNORM target of 250 by 250, as a driver of ivb wrote it.
    #[test]
    fn a_state_of_ivb() {
        let fields = Fields::resolve(Table::of(Generation::Ivb));
        let words = [0x331d_643f, 0x001c_0000, 0x00f9_00f9, 0x0000_03ff, 0, 0, 0, 0];
        let surface = Surface::decode(&fields, &words).expect("a surface");
        assert_eq!(surface.kind, SurfaceKind::TwoD);
        assert_eq!((surface.format, surface.tiling), (199, Tiling::Y));
        assert_eq!((surface.width, surface.height, surface.pitch), (250, 250, 1024));
        assert_eq!((surface.samples, surface.layers), (1, 1));
        assert_eq!(surface.layer_rows, 252);
        // One row down is 16 bytes further, four texels right the next column of 16 bytes.
        assert_eq!(surface.address(4, 1, 0, 0, 4), 0x1c_0000 + 512 + 16);
        assert_eq!(surface.level_origin(1, 0), (0, 252));
        assert_eq!(surface.level_origin(3, 0), (128, 252 + 64));
    }

    /// The surface of a state in which some fields are set.
    fn decoded(
        generation: Generation,
        set: impl FnOnce(&Fields) -> Vec<(packets::Field, u32)>,
    ) -> Option<Surface> {
        let fields = Fields::resolve(Table::of(generation));
        let mut words = [0; 16];
        for (field, value) in set(&fields) {
            words[field.start as usize / 32] |= value << (field.start % 32);
        }
        Surface::decode(&fields, &words)
    }

    #[test]
    fn sizes_for_shaders() {
        for generation in Generation::INTEL {
            let of = |kind: u32, is_array: u32| {
                let set = |fields: &Fields| {
                    vec![
                        (fields.kind, kind),
                        (fields.is_array, is_array),
                        (fields.format, 199),
                        (fields.width, 63),
                        (fields.height, 63),
                        (fields.depth, 6),
                        (fields.level, 6),
                    ]
                };
                decoded(generation, set).expect("a surface").information(1)
            };
            // One and two dimensions, cubes of seven, and three dimensions.
            assert_eq!(of(0, 1), [32, 7, 0, 7], "{generation}");
            assert_eq!(of(1, 0), [32, 32, 0, 7], "{generation}");
            assert_eq!(of(1, 1), [32, 32, 7, 7], "{generation}");
            assert_eq!(of(3, 0), [32, 32, 0, 7], "{generation}");
            assert_eq!(of(3, 1), [32, 32, 7, 7], "{generation}");
            assert_eq!(of(2, 0), [32, 32, 3, 7], "{generation}");
        }
    }

    /// On skl all levels of all layers of a one-dimensional surface are in one row.
    #[test]
    fn layers_of_a_row() {
        let set = |fields: &Fields| {
            let size = [(fields.width, 249), (fields.depth, 3), (fields.is_array, 1)];
            size.into_iter().chain([(fields.qpitch, 256 / 4), (fields.format, 199)]).collect()
        };
        let surface = decoded(Generation::Skl, set).expect("a surface");
        assert_eq!(
            (surface.kind, surface.width, surface.layers_of(0)),
            (SurfaceKind::OneD, 250, 4)
        );
        assert_eq!(surface.address(5, 0, 3, 0, 4), 4 * (3 * 256 + 5));
        assert_eq!(surface.address(5, 0, 3, 1, 4), 4 * (3 * 256 + 256 + 5));
    }

    #[test]
    fn numbers_of_samples() {
        let of = |log: u32| decoded(Generation::Skl, |fields| vec![(fields.samples, log)]);
        assert_eq!(
            [0, 1, 4].map(|log| of(log).map(|surface| surface.samples)),
            [Some(1), Some(2), Some(16)]
        );
        assert!(of(5).is_none());
    }

    /// Pixels are stored in pairs of columns and rows; each of the pair's samples is such a pair
    /// beside or below that of the sample before.
    #[test]
    fn interleaved_samples() {
        assert_eq!(interleave(3, 5, 0, 1), (3, 5));
        assert_eq!(interleave(3, 5, 0, 2), (5, 5));
        assert_eq!(interleave(3, 5, 1, 2), (7, 5));
        assert_eq!(interleave(3, 1, 3, 4), (7, 3));
        assert_eq!(interleave(2, 2, 0, 4), (4, 4));
        assert_eq!(interleave(3, 3, 5, 8), (15, 5));
        assert_eq!(interleave(2, 3, 8, 16), (8, 13));
    }

    #[test]
    fn clear_colors_are_flags_or_bits() {
        let set = |fields: &Fields| {
            vec![(fields.format, 199), (fields.clear_red, 1), (fields.clear_alpha, 1)]
        };
        let color = |generation| decoded(generation, set).expect("a surface").clear_color();
        let one = 1.0_f32.to_bits();
        assert_eq!(color(Generation::Ivb), [one, 0, 0, one]);
        assert_eq!(color(Generation::Skl), [1, 0, 0, 1]);
    }

    /// A linear surface whose origin is 4 texels to the right, and 2 or 4 rows down.
    #[test]
    fn origins_are_added_to_levels() {
        for (generation, rows) in [(Generation::Ivb, 2), (Generation::Skl, 4)] {
            let set = |fields: &Fields| {
                vec![
                    (fields.kind, 1),
                    (fields.format, 199),
                    (fields.width, 63),
                    (fields.height, 63),
                    (fields.pitch, 1023),
                    (fields.x_offset, 1),
                    (fields.y_offset, 1),
                ]
            };
            let surface = decoded(generation, set).expect("a surface");
            assert_eq!(surface.address(0, 0, 0, 0, 4), 4 * 4 + rows * 1024, "{generation}");
            // The second level is below the first, the third beside the second.
            assert_eq!(surface.address(1, 0, 0, 1, 4), 5 * 4 + (rows + 64) * 1024);
            assert_eq!(surface.address(0, 0, 0, 2, 4), (32 + 4) * 4 + (rows + 64) * 1024);
        }
    }

    #[test]
    fn texels_that_follow_each_other() {
        let plane = |tiling| Plane { base: 0, tiling, pitch: 1024, origin: (0, 0) };
        assert_eq!(plane(Tiling::X).contiguous(100, 4), (512 - 400) / 4);
        assert_eq!(plane(Tiling::X).contiguous(130, 4), (1024 - 520) / 4);
        assert_eq!(plane(Tiling::Y).contiguous(5, 4), (32 - 20) / 4);
        assert_eq!(plane(Tiling::W).contiguous(7, 1), 1);
        assert_eq!(plane(Tiling::Linear).contiguous(7, 4), u32::MAX);
        let moved = Plane { origin: (3, 0), ..plane(Tiling::Y) };
        assert_eq!(moved.contiguous(2, 4), (32 - 20) / 4);
    }
}
