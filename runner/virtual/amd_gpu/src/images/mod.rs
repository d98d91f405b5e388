//! Accesses of waves to images: texels in memory, filtered by raster's lookups.

mod compression;
mod levels;
mod rows;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use amd_isa::Chip;
use gcn_simulator::{
    ImageAccess, ImageKind, ImageOperation, ImageResource, LANES, LaneValues, SamplerResource,
    TexelAccess,
};
use packets::Memory;
use raster::format::FormatClass;
use raster::shader_io::{Lod, TextureOp};
use raster::texture::sample::look_up;
use raster::texture::texels::{Faces, Texels};
use raster::texture::{
    CompareFunction, Filter, SamplerParameters, SwizzleSource, TextureTarget, Wrap,
};
use surfaces::SurfaceFormat;

use self::compression::{Compression, Texel};
use self::levels::Levels;
use crate::texels::{Encoder, Numbers, format, mask_format};
use crate::tiling::{ADDRESS_MASK, Level, Tile};

/// Format of the descriptor of no image.
const NO_FORMAT: u8 = 0;

/// Most images that are kept decoded.
const MOST_VIEWS: usize = 16;

/// Images of a draw or dispatch: those that were accessed last are decoded already.
#[derive(Clone)]
pub(crate) struct Images<'a> {
    chip: Chip,
    memory: &'a dyn Memory,
    /// Address of the table of border colors.
    borders: u64,
    /// The last one comes first.
    known: Rc<RefCell<Vec<Rc<View<'a>>>>>,
}

/// A tile: level, column, row, slice and sample.
type TileKey = [u32; 5];

/// An image with its sampler as lookups see it.
struct View<'a> {
    memory: &'a dyn Memory,
    resource: ImageResource,
    sampler: Option<SamplerResource>,
    format: &'static SurfaceFormat,
    /// Bits of a sample's fragment in a texel that says which fragments samples have.
    fragment_bits: Option<u32>,
    levels: Levels,
    compression: Option<Compression>,
    border: [u32; 4],
    is_normalized: bool,
    parameters: SamplerParameters,
    /// The lookup compares texels with a reference.
    compares: Cell<bool>,
    encoder: Encoder,
    /// The texel that was decoded last, and its values.
    decoded: Cell<Option<([u8; 16], [u32; 4])>>,
    /// Tiles that were accessed last, by low bits of their column and row.
    tiles: RefCell<[Option<(TileKey, Tile)>; 4]>,
    /// Why a texel could not be read or written.
    failed: RefCell<Option<String>>,
}

impl<'a> Images<'a> {
    /// Images in this memory.
    pub(crate) fn new(chip: Chip, memory: &'a dyn Memory, borders: u64) -> Images<'a> {
        Images { chip, memory, borders, known: Rc::default() }
    }

    /// Executes an access of a lane.
    pub(crate) fn access(&self, access: &ImageAccess) -> Result<[u32; 4], String> {
        if let ImageOperation::Size { level } = access.operation {
            return Ok(size(&access.resource, level));
        }
        if access.resource.data_format == NO_FORMAT {
            return Ok(nothing(access));
        }
        self.view(&access.resource, access.sampler.as_ref(), access.unnormalized)?.access(access)
    }

    /// Loads texels of a wave.
    pub(crate) fn load(
        &self,
        access: &TexelAccess,
        texels: &mut [LaneValues; 4],
    ) -> Result<(), String> {
        if access.resource.data_format == NO_FORMAT {
            let values = no_texel(&access.resource);
            texels.iter_mut().zip(values).for_each(|(channel, value)| *channel = [value; LANES]);
            return Ok(());
        }
        self.view(&access.resource, None, false)?.load_wave(access, texels)
    }

    /// Stores texels of a wave.
    pub(crate) fn store(
        &self,
        access: &TexelAccess,
        texels: &[LaneValues; 4],
    ) -> Result<(), String> {
        if access.resource.data_format == NO_FORMAT {
            return Ok(());
        }
        self.view(&access.resource, None, false)?.store_wave(access, texels)
    }

    /// The image of descriptors.
    fn view(
        &self,
        resource: &ImageResource,
        sampler: Option<&SamplerResource>,
        unnormalized: bool,
    ) -> Result<Rc<View<'a>>, String> {
        let mut known = self.known.borrow_mut();
        let is_wanted = |view: &Rc<View<'a>>| view.is_of(resource, sampler, unnormalized);
        match known.iter().position(is_wanted) {
            Some(0) => {}
            Some(place) => known[..=place].rotate_right(1),
            None => {
                known.truncate(MOST_VIEWS - 1);
                known.insert(0, Rc::new(View::new(self, resource, sampler, unnormalized)?));
            }
        }
        Ok(known[0].clone())
    }
}

impl View<'_> {
    /// True if an access has the same descriptors.
    fn is_of(
        &self,
        resource: &ImageResource,
        sampler: Option<&SamplerResource>,
        unnormalized: bool,
    ) -> bool {
        self.resource == *resource
            && self.sampler.as_ref() == sampler
            && self.is_normalized != unnormalized
    }

    /// Why a texel could not be accessed since the last call.
    fn finished(&self) -> Result<(), String> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Executes an access of a lane.
    fn access(&self, access: &ImageAccess) -> Result<[u32; 4], String> {
        let view = self;
        let result = match access.operation {
            ImageOperation::Load { coordinates, layer, level, sample } => {
                view.load(coordinates, layer, level, sample)
            }
            ImageOperation::Store { coordinates, layer, level, sample, texel } => {
                view.store((coordinates, sample), layer, level, texel);
                [0; 4]
            }
            ImageOperation::Atomic { coordinates, layer, sample, operation, data } => {
                view.atomic((coordinates, sample), layer, operation, data)?
            }
            _ => view.look_up(access)?,
        };
        view.finished().map(|()| result)
    }
}

/// Result of an access to no image.
fn nothing(access: &ImageAccess) -> [u32; 4] {
    match access.operation {
        ImageOperation::Load { .. }
        | ImageOperation::Sample { .. }
        | ImageOperation::Gather { .. } => no_texel(&access.resource),
        _ => [0; 4],
    }
}

/// Texel of no image: zeros in the order of the descriptor's channels.
fn no_texel(resource: &ImageResource) -> [u32; 4] {
    let is_float = !matches!(resource.number_format, 4 | 5);
    let one = if is_float { 1.0_f32.to_bits() } else { 1 };
    resource.select.map(|select| if select == 1 { one } else { 0 })
}

/// Width, height, depth or layers of a level, and the number of levels.
fn size(resource: &ImageResource, level: u32) -> [u32; 4] {
    let first = u32::from(resource.base_level);
    let levels = u32::from(resource.last_level) + 1 - first.min(u32::from(resource.last_level));
    let level = level + first;
    let minified = |size: u32| (size >> level.min(31)).max(1);
    let layers = resource.last_array + 1 - resource.base_array.min(resource.last_array);
    let [width, height] = [resource.width, resource.height].map(minified);
    let (height, depth) = match resource.kind {
        ImageKind::D1 => (1, 1),
        ImageKind::D1_ARRAY => (layers, 1),
        ImageKind::D3 => (height, minified(resource.depth)),
        ImageKind::D2 | ImageKind::D2_SAMPLES => (height, 1),
        _ => (height, layers),
    };
    [width, height, depth, levels]
}

impl<'a> View<'a> {
    fn new(
        images: &Images<'a>,
        resource: &ImageResource,
        sampler: Option<&SamplerResource>,
        unnormalized: bool,
    ) -> Result<View<'a>, String> {
        let Images { chip, memory, borders, .. } = *images;
        let (data, numbers) = (u32::from(resource.data_format), resource.number_format);
        let mask = mask_format(data);
        let format = match mask {
            Some((format, _)) => Some(format),
            None => Numbers::of_image(numbers).and_then(|numbers| format(data, numbers, 0)),
        };
        let format = format.ok_or_else(|| format!("format {data} with numbers {numbers}"))?;
        let levels = Levels::of(chip, resource, format)?;
        let first = levels.first().filter(|_| chip == Chip::Vi);
        let compression = first.and_then(|level| Compression::of(resource, level, format.bytes));
        let border = match sampler.map_or(0, |sampler| sampler.border) {
            0 => [0; 4],
            1 => [0, 0, 0, 1.0_f32.to_bits()],
            2 => [1.0_f32.to_bits(); 4],
            _ => {
                let entry = sampler.map_or(0, |sampler| sampler.border_entry);
                let words = memory.read_words(borders + 16 * u64::from(entry), 4);
                let words = words.map_err(|fault| format!("border color: {fault}"))?;
                [words[0], words[1], words[2], words[3]]
            }
        };
        Ok(View {
            memory,
            resource: *resource,
            sampler: sampler.copied(),
            format,
            fragment_bits: mask.map(|(_, bits)| bits),
            levels,
            compression,
            border,
            is_normalized: !unnormalized,
            parameters: match sampler {
                Some(sampler) => parameters(resource, sampler)?,
                None => SamplerParameters::default(),
            },
            compares: Cell::new(false),
            encoder: Encoder::new(format),
            decoded: Cell::default(),
            tiles: RefCell::default(),
            failed: RefCell::new(None),
        })
    }

    /// The place of a texel of an access; `None` outside of the image.
    fn place(&self, [x, y, z]: [i32; 3], layer: i32, level: u32, sample: u32) -> Option<Texel<'_>> {
        let resource = &self.resource;
        let level = level + u32::from(resource.base_level);
        let (width, height, depth) = self.level_size(level as usize)?;
        let slice = match resource.kind {
            ImageKind::D3 => u32::try_from(z).ok().filter(|z| *z < depth)?,
            ImageKind::D1 | ImageKind::D2 | ImageKind::D2_SAMPLES => resource.base_array,
            _ => {
                let layer = resource.base_array.checked_add_signed(layer)?;
                Some(layer).filter(|layer| *layer <= resource.last_array)?
            }
        };
        let is_flat = matches!(resource.kind, ImageKind::D1 | ImageKind::D1_ARRAY);
        let y = if is_flat { 0 } else { y };
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        let number = level;
        let level = self.levels.get(number)?;
        if x >= width || y >= height || sample >= level.samples {
            return None;
        }
        let (column, row) = match self.format.blocks {
            None => (x, y),
            Some(_) => {
                let (block_width, block_height) = self.format.block_size();
                (x / block_width, y / block_height)
            }
        };
        let address = match level.is_linear() {
            true => level.address(column, row, slice, sample),
            false => self.tiled_address(level, (number, slice, sample), column, row),
        };
        Some(Texel { level, x, y, slice, address: address & ADDRESS_MASK })
    }

    /// Address of a texel in tiles, which are often those of the texels before.
    fn tiled_address(
        &self,
        level: &Level,
        (number, slice, sample): (u32, u32, u32),
        column: u32,
        row: u32,
    ) -> u64 {
        let (x, y) = (column / 8, row / 8);
        let key = [number, x, y, slice, sample];
        let mut tiles = self.tiles.borrow_mut();
        let entry = &mut tiles[(x & 1 | (y & 1) << 1) as usize];
        match entry {
            Some((known, tile)) if *known == key => tile.address(column, row),
            _ => match level.tile(column, row, slice, sample) {
                Some(tile) => entry.insert((key, tile)).1.address(column, row),
                None => level.address(column, row, slice, sample),
            },
        }
    }

    /// Notes why a texel could not be accessed.
    fn fail(&self, reason: String) {
        self.failed.borrow_mut().get_or_insert(reason);
    }

    /// Bytes of a texel, or of its block.
    fn bytes(&self, texel: Texel<'_>) -> [u8; 16] {
        if let Some(compression) = self.compression {
            match compression.replaced(self.memory, texel, self.format) {
                Ok(Some(bytes)) => return bytes,
                Ok(None) => {}
                Err(reason) => self.fail(reason),
            }
        }
        let mut bytes = [0; 16];
        let count = (self.format.bytes as usize).min(16);
        if let Err(fault) = self.memory.read(texel.address, &mut bytes[..count]) {
            self.fail(fault.to_string());
        }
        bytes
    }

    /// Values of a texel.
    fn values(&self, texel: Texel<'_>) -> [u32; 4] {
        let bytes = self.bytes(texel);
        let [value, rest @ ..] = self.decode(&bytes, texel);
        let Some(bits) = self.fragment_bits else { return [value, rest[0], rest[1], rest[2]] };
        // Shaders see four bits for each sample.
        let fragment = |sample: u32| (value >> (bits * sample)) & ((1 << bits) - 1);
        let samples = self.format.bytes as u32 * 8 / bits;
        let all = (0..samples.min(8)).fold(0, |all, sample| all | fragment(sample) << (4 * sample));
        [all, 0, 0, 1]
    }

    /// Components of a texel, given its bytes. Neighbors often have the same ones.
    fn decode(&self, bytes: &[u8; 16], texel: Texel<'_>) -> [u32; 4] {
        if self.format.blocks.is_some() {
            let (width, height) = self.format.block_size();
            return self.format.decode_in_block(bytes, texel.x % width, texel.y % height);
        }
        match self.decoded.get() {
            Some((known, values)) if known == *bytes => values,
            _ => {
                let values = self.format.decode_in_block(bytes, 0, 0);
                self.decoded.set(Some((*bytes, values)));
                values
            }
        }
    }

    /// Loads a texel; one outside of the image is 0.
    fn load(&self, coordinates: [i32; 3], layer: i32, level: u32, sample: u32) -> [u32; 4] {
        match self.place(coordinates, layer, level, sample) {
            Some(texel) => self.selected(self.values(texel)),
            None => [0; 4],
        }
    }

    /// Channels in the order of the descriptor.
    fn selected(&self, texel: [u32; 4]) -> [u32; 4] {
        let one = if self.format.is_integer { 1 } else { 1.0_f32.to_bits() };
        self.resource.select.map(|select| match select {
            1 => one,
            4..=7 => texel[usize::from(select) - 4],
            _ => 0,
        })
    }

    /// Stores a texel at coordinates and a sample, unless it is outside of the image.
    fn store(
        &self,
        (coordinates, sample): ([i32; 3], u32),
        layer: i32,
        level: u32,
        texel: [u32; 4],
    ) {
        let Some(texel_place) = self.place(coordinates, layer, level, sample) else { return };
        if self.compression.is_some() || self.format.blocks.is_some() {
            return self.fail("not modeled: stores to compressed images".to_owned());
        }
        let values = self.stored_channels(texel);
        let bytes = (self.format.bytes as usize).min(16);
        if let Err(fault) =
            self.memory.write(texel_place.address, &self.encoder.encode(values)[..bytes])
        {
            self.fail(fault.to_string());
        }
    }

    /// Channels of a stored texel. The descriptor says from which channel each component comes:
    /// stores go the other way.
    fn stored_channels(&self, texel: [u32; 4]) -> [u32; 4] {
        let mut values = [0; 4];
        for (select, value) in self.resource.select.iter().zip(texel) {
            if let 4..=7 = select {
                values[usize::from(*select) - 4] = value;
            }
        }
        values
    }

    fn atomic(
        &self,
        (coordinates, sample): ([i32; 3], u32),
        layer: i32,
        operation: &str,
        data: [u32; 2],
    ) -> Result<[u32; 4], String> {
        let Some(texel) = self.place(coordinates, layer, 0, sample) else { return Ok([0; 4]) };
        if self.format.bytes != 4 || self.compression.is_some() {
            return Err(format!("an atomic operation on {} bytes", self.format.bytes));
        }
        let old = self.bytes(texel);
        let old = u32::from_le_bytes([old[0], old[1], old[2], old[3]]);
        let [new, compared] = data.map(u64::from);
        let new = gcn_simulator::atomic(operation, false, old.into(), new, compared)
            .ok_or_else(|| format!("unknown operation {operation}"))?;
        if let Err(fault) = self.memory.write(texel.address, &new.to_le_bytes()[..4]) {
            self.fail(fault.to_string());
        }
        Ok([old, 0, 0, 0])
    }

    /// A lookup with a sampler.
    fn look_up(&self, access: &ImageAccess) -> Result<[u32; 4], String> {
        let sampler = access.sampler.as_ref().ok_or("no sampler")?;
        let compares = matches!(
            access.operation,
            ImageOperation::Sample { reference: Some(_), .. }
                | ImageOperation::Gather { reference: Some(_), .. }
        );
        self.compares.set(compares);
        let compare = compares.then(|| compare(sampler.compare));
        let parameters = SamplerParameters { compare, ..self.parameters };
        let operation = operation(self.resource.kind, &access.operation).ok_or("no lookup")?;
        Ok(match self.resource.kind {
            // Coordinates are those on a face.
            ImageKind::CUBE => look_up(&Faces(self), &parameters.on_faces(), &operation),
            _ => look_up(self, &parameters, &operation),
        })
    }
}

/// Parameters of lookups.
fn parameters(
    resource: &ImageResource,
    sampler: &SamplerResource,
) -> Result<SamplerParameters, String> {
    let [s, t, r] = sampler.clamp.map(wrap);
    let filter = |number: u8| if number & 1 == 1 { Filter::Linear } else { Filter::Nearest };
    let first = f32::from(resource.base_level);
    let least = f32::from(resource.min_lod) / 256.0 - first;
    Ok(SamplerParameters {
        wrap: [s?, t?, r?],
        min: filter(sampler.min),
        mip: match sampler.mip {
            0 => None,
            1 => Some(Filter::Nearest),
            _ => Some(Filter::Linear),
        },
        mag: filter(sampler.mag),
        lod_bias: f32::from(sampler.lod_bias) / 256.0,
        min_lod: (f32::from(sampler.min_lod) / 256.0).max(least),
        max_lod: f32::from(sampler.max_lod) / 256.0,
        base_level: resource.base_level.into(),
        max_level: resource.last_level.into(),
        compare_function: compare(sampler.compare),
        swizzle: resource.select.map(|select| match select {
            1 => SwizzleSource::One,
            4 => SwizzleSource::Red,
            5 => SwizzleSource::Green,
            6 => SwizzleSource::Blue,
            7 => SwizzleSource::Alpha,
            _ => SwizzleSource::Zero,
        }),
        ..SamplerParameters::default()
    })
}

/// The way of coordinates outside of an image.
fn wrap(number: u8) -> Result<Wrap, String> {
    Ok(match number {
        0 => Wrap::Repeat,
        1 => Wrap::MirroredRepeat,
        2 => Wrap::ClampToEdge,
        3 => Wrap::MirrorOnce,
        4 => Wrap::HalfBorder,
        5 => Wrap::MirrorHalfBorder,
        6 => Wrap::ClampToBorder,
        7 => Wrap::MirrorBorder,
        other => return Err(format!("not modeled: coordinates of mode {other}")),
    })
}

/// Comparison of a reference with a texel.
fn compare(number: u8) -> CompareFunction {
    match number & 7 {
        0 => CompareFunction::Never,
        1 => CompareFunction::Less,
        2 => CompareFunction::Equal,
        3 => CompareFunction::LessEqual,
        4 => CompareFunction::Greater,
        5 => CompareFunction::NotEqual,
        6 => CompareFunction::GreaterEqual,
        _ => CompareFunction::Always,
    }
}

/// An operation in raster's terms.
fn operation(kind: ImageKind, operation: &ImageOperation) -> Option<TextureOp> {
    use gcn_simulator::Level as Source;
    let place = |coordinates: [f32; 3], layer: u32| {
        let [x, y, z] = kind.with_layer(coordinates, layer as f32);
        [x, y, z, 0.0]
    };
    Some(match *operation {
        ImageOperation::Sample { coordinates, layer, reference, level, offset, min_level } => {
            TextureOp::Sample {
                coordinates: place(coordinates, layer),
                reference,
                lod: match level {
                    Source::Gradients { dx, dy, bias } => Lod::Gradients { dx, dy, bias },
                    Source::Explicit(level) => Lod::Explicit(level),
                },
                offset,
                min_lod: min_level,
            }
        }
        ImageOperation::Gather { coordinates, layer, reference, channel, offset } => {
            TextureOp::Gather {
                coordinates: place(coordinates, layer),
                reference,
                component: channel,
                offsets: [[offset[0], offset[1]]; 4],
            }
        }
        ImageOperation::QueryLevel { coordinates, dx, dy } => {
            TextureOp::QueryLod { coordinates, dx, dy }
        }
        _ => return None,
    })
}

impl Texels for View<'_> {
    fn target(&self) -> TextureTarget {
        match self.resource.kind {
            ImageKind::D1 => TextureTarget::D1,
            ImageKind::D1_ARRAY => TextureTarget::D1Array,
            ImageKind::D3 => TextureTarget::D3,
            ImageKind::D2_ARRAY => TextureTarget::D2Array,
            ImageKind::CUBE => TextureTarget::CubeArray,
            _ => TextureTarget::D2,
        }
    }

    fn is_normalized(&self) -> bool {
        self.is_normalized
    }

    fn level_size(&self, level: usize) -> Option<(u32, u32, u32)> {
        let resource = &self.resource;
        let last = if resource.kind.has_samples() { 0 } else { resource.last_level };
        if level > usize::from(last) {
            return None;
        }
        let minified = |size: u32| (size >> level.min(31)).max(1);
        let is_flat = matches!(resource.kind, ImageKind::D1 | ImageKind::D1_ARRAY);
        let height = if is_flat { 1 } else { minified(resource.height) };
        let depth = match resource.kind {
            ImageKind::D3 => minified(resource.depth),
            _ => resource.last_array + 1 - resource.base_array.min(resource.last_array),
        };
        Some((minified(resource.width), height, depth))
    }

    fn layers(&self) -> usize {
        self.level_size(0).map_or(1, |(_, _, layers)| layers as usize)
    }

    fn fixed_levels(&self) -> Option<usize> {
        Some(usize::from(self.resource.last_level) + 1)
    }

    fn texel(&self, level: usize, layer: usize, x: i32, y: i32) -> Option<[u32; 4]> {
        let level = u32::try_from(level).ok()?.checked_sub(self.resource.base_level.into())?;
        let layer = i32::try_from(layer).ok()?;
        let texel = self.place([x, y, layer], layer, level, 0)?;
        Some(self.values(texel))
    }

    fn class(&self) -> FormatClass {
        if self.format.is_integer { FormatClass::Uint } else { FormatClass::Float }
    }

    fn is_depth(&self) -> bool {
        self.compares.get()
    }

    fn is_fixed_depth(&self) -> bool {
        self.format.normalized().is_some()
    }

    fn border(&self, _: &SamplerParameters) -> [u32; 4] {
        self.format.present(self.border)
    }
}
