//! Instructions on images.

use rspirv::spirv::{Capability, Dim, ImageOperands as O, Op, StorageClass};

use super::view::Kind;
use crate::error::Error;
use crate::grammar::name_of;
use crate::module::{Instruction, Module, Operand};

/// The operand of an `OpTypeImage` that tells whether it has depths.
const DEPTH: usize = 2;

/// The operands of an `OpTypeImage`.
struct Image {
    texel: Kind,
    dim: Option<Dim>,
    arrayed: bool,
    multisampled: bool,
    sampled: u32,
}

fn image(module: &Module, ty: u32) -> Option<Image> {
    let ty = match module.kind(ty) {
        Kind::SampledImage { image } => image,
        _ => ty,
    };
    let definition = module.get(ty).filter(|i| i.op == Op::TypeImage)?;
    let word = |index| definition.literal_at(index).unwrap_or(0);
    Some(Image {
        texel: module.kind(definition.id_at(0)?),
        dim: Dim::from_u32(word(1)),
        arrayed: word(3) == 1,
        multisampled: word(4) == 1,
        sampled: word(5),
    })
}

/// Components of a coordinate without array layer.
fn coordinates(dim: Option<Dim>) -> u32 {
    match dim {
        Some(Dim::Dim1D | Dim::DimBuffer) => 1,
        Some(Dim::Dim3D | Dim::DimCube) => 3,
        _ => 2,
    }
}

/// The capability that storage images of a dimension need.
fn storage_capability(image: &Image) -> Option<Capability> {
    match image.dim {
        Some(Dim::Dim1D) => Some(Capability::Image1D),
        Some(Dim::DimRect) => Some(Capability::ImageRect),
        Some(Dim::DimBuffer) => Some(Capability::ImageBuffer),
        Some(Dim::DimCube) if image.arrayed => Some(Capability::ImageCubeArray),
        _ => None,
    }
}

/// Properties of an instruction.
#[derive(Clone, Copy)]
struct Access {
    takes_sampled: bool,
    is_compared: bool,
    is_projective: bool,
    has_integer_coordinate: bool,
    /// Index of the image operands.
    optional: usize,
}

fn access(op: Op) -> Option<Access> {
    let make = |takes_sampled, is_compared, is_projective, has_integer_coordinate, optional| {
        Some(Access { takes_sampled, is_compared, is_projective, has_integer_coordinate, optional })
    };
    match op {
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => {
            make(true, false, false, false, 2)
        }
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod => {
            make(true, true, false, false, 3)
        }
        Op::ImageSampleProjImplicitLod | Op::ImageSampleProjExplicitLod => {
            make(true, false, true, false, 2)
        }
        Op::ImageSampleProjDrefImplicitLod | Op::ImageSampleProjDrefExplicitLod => {
            make(true, true, true, false, 3)
        }
        Op::ImageGather => make(true, false, false, false, 3),
        Op::ImageDrefGather => make(true, true, false, false, 3),
        Op::ImageFetch => make(false, false, false, true, 2),
        Op::ImageRead => make(false, false, false, true, 2),
        Op::ImageWrite => make(false, false, false, true, 3),
        _ => None,
    }
}

pub(crate) fn check(module: &Module, i: &Instruction) -> Result<(), Error> {
    match i.op {
        Op::Image => {
            let fits = match module.kind(module.operand_type(i, 0)?) {
                Kind::SampledImage { image } => image == i.ty,
                _ => false,
            };
            return module.demand(i, fits, "the result is not the image of the operand");
        }
        Op::SampledImage => return joined(module, i),
        Op::ImageTexelPointer => return texel_pointer(module, i),
        Op::ImageQuerySize
        | Op::ImageQuerySizeLod
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples
        | Op::ImageQueryLod => return query(module, i),
        _ => {}
    }
    let Some(access) = access(i.op) else { return Ok(()) };
    let ty = module.operand_type(i, 0)?;
    let is_sampled = matches!(module.kind(ty), Kind::SampledImage { .. });
    let Some(image) = image(module, ty).filter(|_| is_sampled == access.takes_sampled) else {
        return Err(module.error(i, "operand 0 is no image of the kind"));
    };
    let needs = match i.op {
        Op::ImageFetch => image.sampled == 1,
        Op::ImageRead | Op::ImageWrite => image.sampled != 1,
        _ => !image.multisampled && image.dim != Some(Dim::DimBuffer),
    };
    module.demand(i, needs && has_dimension(i.op, &image), "the image cannot be used so")?;
    let is_layered = image.arrayed && image.multisampled && image.sampled == 2;
    let is_offered = !is_layered || module.capabilities.contains(&Capability::ImageMSArray);
    module.demand(i, is_offered, "layers of samples need the capability ImageMSArray")?;
    let needed = storage_capability(&image).filter(|_| image.sampled == 2);
    let is_offered = needed.is_none_or(|needed| module.capabilities.contains(&needed));
    module.demand(i, is_offered, "storage images of the dimension need a capability")?;
    result(module, i, access, &image)?;
    if i.op == Op::ImageGather {
        let component = module.operand_shape(i, 2)?;
        let is_number = component.is_int() && component.count == 1 && component.bits() == 32;
        module.demand(i, is_number, "the component is no integer of 32 bits")?;
    }
    coordinate(module, i, access, &image)?;
    if access.is_compared {
        let compare = module.operand_shape(i, 2)?;
        let is_float = compare.is_float() && compare.count == 1 && compare.bits() == 32;
        module.demand(i, is_float, "the compared value is no float of 32 bits")?;
    }
    optional(module, i, access, &image)
}

fn texel_pointer(module: &Module, i: &Instruction) -> Result<(), Error> {
    let (_, image) = module.operand_pointer(i, 0)?;
    module.demand(i, module.kind(image) == Kind::Image, "operand 0 points to no image")?;
    let texel = module.get(image).and_then(|image| image.id_at(0)).unwrap_or(0);
    let wanted = Kind::Pointer { class: StorageClass::Image, pointee: texel };
    module.demand(i, module.kind(i.ty) == wanted, "the result is no pointer to a texel")?;
    texel_place(module, i, image)
}

/// Coordinate and sample of a pointer to a texel.
fn texel_place(module: &Module, i: &Instruction, ty: u32) -> Result<(), Error> {
    let Some(image) = image(module, ty) else { return Ok(()) };
    let fits = match image.dim {
        Some(Dim::DimSubpassData) => false,
        Some(Dim::Dim1D | Dim::Dim2D | Dim::DimCube) => true,
        _ => !image.arrayed,
    };
    module.demand(i, fits, "the image has no texels to point to")?;
    let is_layer = image.arrayed && image.dim != Some(Dim::DimCube);
    let count = coordinates(image.dim) + u32::from(is_layer);
    let coordinate = module.operand_shape(i, 1)?;
    let fits = coordinate.is_int() && coordinate.count == count;
    module.demand(i, fits, "the coordinate has another type")?;
    let sample = module.operand_shape(i, 2)?;
    module.demand(i, sample.is_int() && sample.count == 1, "the sample is no integer")?;
    let is_zero = i.id_at(2).and_then(|id| module.fixed_integer(id)) == Some(0);
    module.demand(i, image.multisampled || is_zero, "the sample of a single one is not 0")
}

/// True if an instruction is for the dimension of an image.
fn has_dimension(op: Op, image: &Image) -> bool {
    let dim = image.dim;
    let is_flat = matches!(dim, Some(Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimRect));
    match op {
        Op::ImageGather | Op::ImageDrefGather => {
            matches!(dim, Some(Dim::Dim2D | Dim::DimCube | Dim::DimRect))
        }
        Op::ImageFetch => dim != Some(Dim::DimCube),
        Op::ImageWrite => dim != Some(Dim::DimSubpassData),
        _ if name_of(op).contains("Proj") => is_flat && !image.arrayed,
        _ => true,
    }
}

/// True for images that have levels of detail.
fn has_levels(image: &Image) -> bool {
    !image.multisampled
        && matches!(image.dim, Some(Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimCube))
}

/// A texture with a sampler: its type is that of the texture, but for depth.
fn joined(module: &Module, i: &Instruction) -> Result<(), Error> {
    let operands = |ty: u32| module.get(ty).map(|ty| ty.operands.clone()).unwrap_or_default();
    let is_same = |own: u32, other: u32| {
        let (own, other) = (operands(own), operands(other));
        let mut pairs = own.iter().zip(&other).enumerate();
        own.len() == other.len() && pairs.all(|(n, (a, b))| n == DEPTH || a == b)
    };
    let texture = module.operand_type(i, 0)?;
    let fits = match module.kind(i.ty) {
        Kind::SampledImage { image } => {
            module.kind(texture) == Kind::Image && is_same(image, texture)
        }
        _ => false,
    };
    let is_sampler = module.kind(module.operand_type(i, 1)?) == Kind::Sampler;
    module.demand(i, fits && is_sampler, "the types do not fit")
}

fn result(module: &Module, i: &Instruction, access: Access, image: &Image) -> Result<(), Error> {
    if i.op == Op::ImageWrite {
        let texel = module.operand_shape(i, 2)?;
        return module.demand(i, texel.scalar == image.texel, "the texel has another type");
    }
    let shape = module.shape(i.ty).filter(|s| s.is_int() || s.is_float());
    let is_one = access.is_compared && i.op != Op::ImageDrefGather;
    let fits = shape.is_some_and(|shape| {
        let is_count = match i.op {
            Op::ImageRead => true,
            _ if is_one => shape.count == 1,
            _ => shape.count == 4,
        };
        is_count && shape.scalar == image.texel
    });
    module.demand(i, fits, "the result has not the type of texels")
}

fn coordinate(
    module: &Module,
    i: &Instruction,
    access: Access,
    image: &Image,
) -> Result<(), Error> {
    let coordinate = module.operand_shape(i, 1)?;
    let is_kind = match access.has_integer_coordinate {
        true => coordinate.is_int(),
        false => coordinate.is_float(),
    };
    module.demand(i, is_kind, "the coordinate has another type")?;
    let layers = u32::from(image.arrayed);
    let is_cube_layer =
        matches!(i.op, Op::ImageRead | Op::ImageWrite) && image.dim == Some(Dim::DimCube);
    let least = if is_cube_layer { 3 } else { coordinates(image.dim) + layers };
    let least = least + u32::from(access.is_projective);
    module.demand(i, coordinate.count >= least, "the coordinate has too few components")
}

fn optional(module: &Module, i: &Instruction, access: Access, image: &Image) -> Result<(), Error> {
    let name = name_of(i.op);
    let is_explicit = name.contains("ExplicitLod");
    let mask = match i.operands.get(access.optional) {
        Some(Operand::Enumerant(_, word)) => O::from_bits_truncate(*word),
        _ => O::empty(),
    };
    let has_level = mask.intersects(O::LOD | O::GRAD);
    module.demand(i, !is_explicit || has_level, "there is no level of detail")?;
    let is_implicit = name.contains("ImplicitLod");
    module.demand(
        i,
        !mask.contains(O::BIAS) || is_implicit,
        "a bias needs an implicit level of detail",
    )?;
    let takes_lod = is_explicit || i.op == Op::ImageFetch;
    module.demand(i, !mask.contains(O::LOD) || takes_lod, "a level of detail is not taken")?;
    module.demand(i, !mask.contains(O::GRAD) || is_explicit, "derivatives are not taken")?;
    module.demand(i, !mask.contains(O::LOD | O::GRAD), "there are two levels of detail")?;
    let offsets = [O::CONST_OFFSET, O::OFFSET, O::CONST_OFFSETS];
    let count = offsets.iter().filter(|bit| mask.contains(**bit)).count();
    module.demand(i, count <= 1, "there are several offsets")?;
    module.demand(
        i,
        mask.contains(O::SAMPLE) == image.multisampled,
        "a sample is for multisampled images",
    )?;
    let takes_level = mask.intersects(O::BIAS | O::LOD | O::MIN_LOD);
    module.demand(i, !takes_level || has_levels(image), "the image has no levels of detail")?;
    let has_least = !mask.contains(O::MIN_LOD) || is_implicit || mask.contains(O::GRAD);
    module.demand(i, has_least, "a least level of detail is not taken")?;
    let is_cube = image.dim == Some(Dim::DimCube);
    let has_offset = mask.intersects(O::CONST_OFFSET | O::OFFSET | O::CONST_OFFSETS);
    module.demand(i, !(is_cube && has_offset), "faces of cubes have no offsets")?;
    let is_gather = matches!(i.op, Op::ImageGather | Op::ImageDrefGather);
    let has_offsets = mask.contains(O::CONST_OFFSETS);
    module.demand(i, !has_offsets || is_gather, "several offsets are for gathering")?;
    ordered_texels(module, i, mask)?;
    let is_extended = mask.intersects(O::SIGN_EXTEND | O::ZERO_EXTEND) && i.op != Op::ImageWrite;
    let is_int = module.shape(i.ty).is_some_and(|shape| match mask.contains(O::ZERO_EXTEND) {
        true => shape.is_unsigned(),
        false => shape.is_int(),
    });
    module.demand(i, !is_extended || is_int, "the result is not extended so")?;
    let mut index = access.optional + 1;
    for bit in mask.iter() {
        match bit {
            O::BIAS => float(module, i, index, 1)?,
            O::LOD if i.op == Op::ImageFetch => int(module, i, index, 1)?,
            O::LOD => float(module, i, index, 1)?,
            O::GRAD => {
                float(module, i, index, coordinates(image.dim))?;
                index += 1;
                float(module, i, index, coordinates(image.dim))?;
            }
            O::CONST_OFFSET => {
                int(module, i, index, coordinates(image.dim))?;
                let id = i.id_at(index).unwrap_or(0);
                module.demand(i, module.is_constant_id(id), "the offset is no constant")?;
            }
            O::OFFSET => int(module, i, index, coordinates(image.dim))?,
            O::SAMPLE => int(module, i, index, 1)?,
            O::MIN_LOD => float(module, i, index, 1)?,
            O::CONST_OFFSETS => four_offsets(module, i, index)?,
            O::MAKE_TEXEL_AVAILABLE | O::MAKE_TEXEL_VISIBLE => {
                super::memory::scope(module, i, index)?;
            }
            _ => {}
        }
        let has_id = matches!(i.operands.get(index), Some(Operand::Id(_)));
        index += usize::from(has_id);
    }
    Ok(())
}

/// Texels that other invocations see are written or read, and not private.
fn ordered_texels(module: &Module, i: &Instruction, mask: O) -> Result<(), Error> {
    let (written, read) = (O::MAKE_TEXEL_AVAILABLE, O::MAKE_TEXEL_VISIBLE);
    let is_written = !mask.contains(written) || i.op == Op::ImageWrite;
    module.demand(i, is_written, "the instruction writes no texel")?;
    let is_read = !mask.contains(read) || i.op == Op::ImageRead;
    module.demand(i, is_read, "the instruction reads no texel")?;
    let is_shared = !mask.intersects(written | read) || mask.contains(O::NON_PRIVATE_TEXEL);
    module.demand(i, is_shared, "a private texel is not made available or visible")
}

/// Offsets of the four texels that are gathered.
fn four_offsets(module: &Module, i: &Instruction, index: usize) -> Result<(), Error> {
    let id = i.id_at(index).unwrap_or(0);
    let fits = match module.kind(module.operand_type(i, index)?) {
        Kind::Array { element, length } => {
            let is_pair = module.shape(element).is_some_and(|s| s.is_int() && s.count == 2);
            is_pair && module.fixed_integer(length) == Some(4)
        }
        _ => false,
    };
    module.demand(i, fits && module.is_constant_id(id), "there are not four constant offsets")
}

fn float(module: &Module, i: &Instruction, index: usize, count: u32) -> Result<(), Error> {
    let shape = module.operand_shape(i, index)?;
    module.demand(i, shape.is_float() && shape.count == count, "an image operand is no float")
}

fn int(module: &Module, i: &Instruction, index: usize, count: u32) -> Result<(), Error> {
    let shape = module.operand_shape(i, index)?;
    module.demand(i, shape.is_int() && shape.count == count, "an image operand is no integer")
}

fn query(module: &Module, i: &Instruction) -> Result<(), Error> {
    let ty = module.operand_type(i, 0)?;
    let is_sampled = matches!(module.kind(ty), Kind::SampledImage { .. });
    let Some(image) = image(module, ty).filter(|_| is_sampled == (i.op == Op::ImageQueryLod))
    else {
        return Err(module.error(i, "operand 0 is no image of the kind"));
    };
    let result = module.shape(i.ty);
    let layers = u32::from(image.arrayed);
    let faces = if image.dim == Some(Dim::DimCube) { 2 } else { coordinates(image.dim) };
    let is_int = |count| result.is_some_and(|r| r.is_int() && r.count == count);
    let (fits, allowed) = match i.op {
        Op::ImageQuerySize => (
            is_int(faces + layers) && image.dim != Some(Dim::DimSubpassData),
            image.multisampled
                || image.sampled != 1
                || matches!(image.dim, Some(Dim::DimRect | Dim::DimBuffer)),
        ),
        Op::ImageQuerySizeLod => {
            int(module, i, 1, 1)?;
            (is_int(faces + layers), has_levels(&image))
        }
        Op::ImageQueryLevels => (is_int(1), has_levels(&image)),
        Op::ImageQuerySamples => (is_int(1), image.multisampled && image.dim == Some(Dim::Dim2D)),
        _ => {
            let coordinate = module.operand_shape(i, 1)?;
            let is_coordinate = coordinate.is_float() && coordinate.count >= coordinates(image.dim);
            module.demand(i, is_coordinate, "the coordinate has another type")?;
            (result.is_some_and(|r| r.is_float() && r.count == 2), has_levels(&image))
        }
    };
    module.demand(i, fits, "the result has another type")?;
    module.demand(i, allowed, "the image has no such property")
}
