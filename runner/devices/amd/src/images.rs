//! Accesses to textures and images in terms of the machine's operations.

use compiler::amd_codegen::output::Resource;
use gcn_simulator::{ImageAccess, ImageKind, ImageOperation, ImageResource, SamplerResource};
use program::Program;
use raster::shader_io::{AtomicOp, ImageOp, ImageRef, ShaderIo, TextureOp, TextureRef};

use crate::image_descriptors::{Shape, image, image_words, level, sampler, sampler_words, texture};

/// Distance of the addresses of textures and images: they have no memory.
const STEP: u64 = 256;

/// Descriptors of a table entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    resource: Resource,
    shape: Shape,
    image: ImageResource,
    sampler: Option<SamplerResource>,
}

/// The textures and images of a descriptor table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    entries: Vec<Entry>,
}

impl Images {
    /// Adds a texture or image; returns the dwords of its table entry.
    pub(crate) fn add(
        &mut self,
        io: &mut dyn ShaderIo,
        program: &Program,
        resource: Resource,
    ) -> Option<Vec<u32>> {
        let base = STEP * (self.entries.len() as u64 + 1);
        let (shape, image, sampler) = match resource {
            Resource::Texture(slot) => {
                let shape = Shape::of_sampler(program, slot)?;
                let image = texture(io, slot, base, shape.kind());
                (shape, image, Some(sampler(io, slot)))
            }
            Resource::Image(slot) => {
                let shape = Shape::of_image(program, slot)?;
                (shape, image(io, slot, base, shape.image_kind()), None)
            }
            _ => return None,
        };
        self.entries.push(Entry { resource, shape, image, sampler });
        let mut words = image_words(&image).to_vec();
        words.extend(sampler.iter().flat_map(sampler_words));
        Some(words)
    }

    /// Executes an access of one lane.
    pub(crate) fn access(
        &self,
        io: &mut dyn ShaderIo,
        access: &ImageAccess,
    ) -> Result<[u32; 4], String> {
        let number = (access.resource.base / STEP).checked_sub(1);
        let entry = number.and_then(|number| self.entries.get(usize::try_from(number).ok()?));
        let entry = entry.ok_or_else(|| format!("no image at {:#x}", access.resource.base))?;
        if access.resource != entry.image {
            return Err(format!("{:?} instead of {:?}", access.resource, entry.image));
        }
        if access.sampler.is_some() && access.sampler != entry.sampler {
            return Err(format!("{:?} instead of {:?}", access.sampler, entry.sampler));
        }
        match entry.resource {
            Resource::Texture(slot) => look_up(io, slot, entry.shape, access),
            Resource::Image(slot) => access_image(io, slot, entry.shape, &access.operation),
            _ => Err("a buffer is no image".to_string()),
        }
    }
}

fn look_up(
    io: &mut dyn ShaderIo,
    slot: u32,
    shape: Shape,
    access: &ImageAccess,
) -> Result<[u32; 4], String> {
    use program::types::Dim;
    let is_cube = access.resource.kind == ImageKind::CUBE;
    // Coordinates of cubes are those on a face.
    let reference_of = if is_cube { TextureRef::Faces(slot) } else { TextureRef::Slot(slot) };
    let mut perform = |texture: TextureRef, op: &TextureOp| {
        io.texture(texture, op).map_err(|error| error.to_string())
    };
    let samples = access.sampler.is_some();
    if samples && access.unnormalized != (shape.dim == Dim::Rect) {
        return Err(format!("coordinates in texels or not of a {:?}", shape.dim));
    }
    let place = |coordinates: [f32; 3], layer: u32| {
        let [x, y, z] = access.resource.kind.with_layer(coordinates, layer as f32);
        [x, y, z, 0.0]
    };
    let op = match access.operation {
        ImageOperation::Sample { coordinates, layer, reference, level: lod, offset, min_level } => {
            TextureOp::Sample {
                coordinates: place(coordinates, layer),
                reference,
                lod: level(lod),
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
        ImageOperation::Load { coordinates, layer, level, sample } => {
            let coordinates = access.resource.kind.with_layer(coordinates, layer);
            TextureOp::Fetch { coordinates, lod: level as i32, sample }
        }
        ImageOperation::Size { level } => {
            let slot = TextureRef::Slot(slot);
            let mut size = perform(slot, &TextureOp::Size { lod: level as i32 })?;
            if is_cube && shape.array {
                size[2] = size[2].wrapping_mul(6);
            }
            let [levels, ..] = perform(slot, &TextureOp::Levels)?;
            return Ok([size[0], size[1], size[2], levels]);
        }
        _ => return Err("textures are not written".to_string()),
    };
    perform(reference_of, &op)
}

fn access_image(
    io: &mut dyn ShaderIo,
    slot: u32,
    shape: Shape,
    operation: &ImageOperation,
) -> Result<[u32; 4], String> {
    let mut perform = |coordinates: [i32; 3], layer: i32, sample: u32, op: &ImageOp| {
        let coordinates = shape.image_kind().with_layer(coordinates, layer);
        let result = io.image(ImageRef::Slot(slot), coordinates, sample, op);
        result.map_err(|error| error.to_string())
    };
    match *operation {
        ImageOperation::Load { coordinates, layer, sample, .. } => {
            perform(coordinates, layer, sample, &ImageOp::Load)
        }
        ImageOperation::Store { coordinates, layer, texel, .. } => {
            perform(coordinates, layer, 0, &ImageOp::Store(texel))
        }
        ImageOperation::Atomic { coordinates, layer, operation, data, .. } => {
            let [new, compared] = data;
            let (op, data) = match operation {
                "cmpswap" => (AtomicOp::CompareExchange, [compared, new]),
                other => (atomic(other).ok_or("an unknown atomic operation")?, [new, 0]),
            };
            perform(coordinates, layer, 0, &ImageOp::Atomic(op, data))
        }
        ImageOperation::Size { .. } => {
            let mut size = perform([0; 3], 0, 0, &ImageOp::Size)?;
            if shape.dim == program::types::Dim::Cube && shape.array {
                size[2] = size[2].wrapping_mul(6);
            }
            Ok([size[0], size[1], size[2], 1])
        }
        _ => Err("images have no sampler".to_string()),
    }
}

fn atomic(name: &str) -> Option<AtomicOp> {
    Some(match name {
        "swap" => AtomicOp::Exchange,
        "add" => AtomicOp::Add,
        "sub" => AtomicOp::Sub,
        "smin" => AtomicOp::MinSigned,
        "umin" => AtomicOp::MinUnsigned,
        "smax" => AtomicOp::MaxSigned,
        "umax" => AtomicOp::MaxUnsigned,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        _ => return None,
    })
}
