//! Lookups of textures, loads and stores of images.

use program::expression::{ImageCall, TextureCall};
use program::types::{Dim, ImageType, SamplerType};
use program::{ExprId, ExprKind, ImageOp, Scalar, Statement, TextureLod, TextureOp, Type};
use rspirv::spirv::{ImageOperands as O, Op};

use crate::error::Error;
use crate::module::{Instruction, Operand};
use crate::translate::place::Place;
use crate::translate::state::{ShaderBuilder, Texel, Value};

/// Optional operands of image instructions.
#[derive(Default)]
struct Optional {
    bias: Option<u32>,
    lod: Option<u32>,
    gradient: Option<(u32, u32)>,
    offset: Option<u32>,
    offsets: Option<u32>,
    sample: Option<u32>,
}

/// A kind of lookup.
#[derive(Clone, Copy)]
struct Lookup {
    op: TextureOp,
    projective: bool,
    compares: bool,
    /// Index of the optional operands.
    optional: usize,
}

fn lookup(op: Op) -> Option<Lookup> {
    let make = |op, projective, compares| {
        let has_third = compares || op == TextureOp::Gather;
        Some(Lookup { op, projective, compares, optional: if has_third { 3 } else { 2 } })
    };
    match op {
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => {
            make(TextureOp::Sample, false, false)
        }
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod => {
            make(TextureOp::Sample, false, true)
        }
        Op::ImageSampleProjImplicitLod | Op::ImageSampleProjExplicitLod => {
            make(TextureOp::Sample, true, false)
        }
        Op::ImageSampleProjDrefImplicitLod | Op::ImageSampleProjDrefExplicitLod => {
            make(TextureOp::Sample, true, true)
        }
        Op::ImageFetch => make(TextureOp::Fetch, false, false),
        Op::ImageGather => make(TextureOp::Gather, false, false),
        Op::ImageDrefGather => make(TextureOp::Gather, false, true),
        _ => None,
    }
}

impl ShaderBuilder<'_> {
    /// Appends an instruction on images; returns false for others.
    pub(crate) fn image_operation(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<bool, Error> {
        if let Some(lookup) = lookup(i.op) {
            let value = self.look_up(i, lookup)?;
            self.define(i, value, false, out);
            return Ok(true);
        }
        match i.op {
            Op::SampledImage => self.sampled_image(i)?,
            Op::Image => {
                let place = self.operand_place(i, 0)?;
                self.values.insert(i.id, Value::Opaque(place));
            }
            Op::ImageRead => {
                let value = self.image_read(i)?;
                self.define(i, value, false, out);
            }
            Op::ImageWrite => {
                let value = self.image_write(i)?;
                out.push(Statement::Expression(value));
            }
            Op::ImageTexelPointer => {
                let texel = Texel {
                    image: self.operand_place(i, 0)?,
                    coordinate: self.id(i, 1)?,
                    sample: self.id(i, 2)?,
                };
                self.values.insert(i.id, Value::Texel(texel));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The sampler that a place is.
    pub(crate) fn sampler(
        &mut self,
        i: &Instruction,
        place: &Place,
        compares: bool,
    ) -> Result<(ExprId, SamplerType), Error> {
        let place = self.paired(i, place, compares)?;
        let sampler = self.place_expr(i, &place)?;
        match *self.types.get(self.ty(sampler)) {
            Type::Sampler(ty) => Ok((sampler, ty)),
            _ => Err(self.module.error(i, "the image is none that is sampled")),
        }
    }

    fn optional(&self, i: &Instruction, first: usize) -> Result<Optional, Error> {
        let mut optional = Optional::default();
        let Some(Operand::Enumerant(_, word)) = i.operands.get(first) else { return Ok(optional) };
        let mask = O::from_bits_truncate(*word);
        let mut ids = i.ids_from(first + 1);
        let mut next =
            || ids.next().ok_or_else(|| self.module.error(i, "an image operand is missing"));
        for bit in mask.iter() {
            match bit {
                O::BIAS => optional.bias = Some(next()?),
                O::LOD => optional.lod = Some(next()?),
                O::GRAD => optional.gradient = Some((next()?, next()?)),
                O::CONST_OFFSET | O::OFFSET => optional.offset = Some(next()?),
                O::CONST_OFFSETS | O::OFFSETS => optional.offsets = Some(next()?),
                O::SAMPLE => optional.sample = Some(next()?),
                O::MAKE_TEXEL_AVAILABLE | O::MAKE_TEXEL_VISIBLE => _ = next()?,
                O::NON_PRIVATE_TEXEL
                | O::VOLATILE_TEXEL
                | O::SIGN_EXTEND
                | O::ZERO_EXTEND
                | O::NONTEMPORAL => {}
                _ => return Err(self.unsupported(i, "an image operand is")),
            }
        }
        Ok(optional)
    }

    fn look_up(&mut self, i: &Instruction, lookup: Lookup) -> Result<ExprId, Error> {
        let place = self.operand_place(i, 0)?;
        let (sampler, ty) = self.sampler(i, &place, lookup.compares)?;
        if lookup.compares != ty.shadow && lookup.op != TextureOp::Fetch {
            return Err(self.unsupported(i, "a comparison of other than depth images is"));
        }
        let optional = self.optional(i, lookup.optional)?;
        let is_fetch = lookup.op == TextureOp::Fetch;
        let mut size = ty.dim.coordinates() + u8::from(ty.array) + u8::from(lookup.projective);
        let coordinate = self.operand(i, 1)?;
        let (_, given) = self.shape(self.ty(coordinate));
        size = size.min(given);
        let parts: Vec<u8> = (0..size).collect();
        let coordinate = self.swizzle(coordinate, &parts);
        let scalar = if is_fetch { Scalar::Int } else { Scalar::Float };
        let coordinate = self.cast(coordinate, scalar);
        let mut call = TextureCall {
            op: lookup.op,
            sampler,
            coordinate: Some(coordinate),
            projective: lookup.projective,
            compare: None,
            lod: self.lod(i, &optional, is_fetch)?,
            offsets: Vec::new(),
            component: None,
            sample: None,
        };
        if lookup.compares {
            let compare = self.operand(i, 2)?;
            call.compare = Some(self.cast(compare, Scalar::Float));
        } else if lookup.op == TextureOp::Gather {
            let component = self.operand(i, 2)?;
            call.component = Some(self.cast(component, Scalar::Int));
        }
        if let Some(id) = optional.sample {
            call.sample = Some(self.int_value(i, id)?);
        }
        self.offsets(i, &optional, &mut call)?;
        let result = match lookup.compares && lookup.op == TextureOp::Sample {
            true => self.types.scalar(Scalar::Float),
            false => self.types.vector(ty.result, 4),
        };
        let value = self.push(ExprKind::Texture(Box::new(call)), result);
        let wanted = self.result_type(i)?;
        Ok(self.cast_to(value, wanted))
    }

    fn int_value(&mut self, i: &Instruction, id: u32) -> Result<ExprId, Error> {
        let value = self.operand_value(i, id)?;
        Ok(self.cast(value, Scalar::Int))
    }

    fn float_value(&mut self, i: &Instruction, id: u32) -> Result<ExprId, Error> {
        let value = self.operand_value(i, id)?;
        Ok(self.cast(value, Scalar::Float))
    }

    fn lod(
        &mut self,
        i: &Instruction,
        optional: &Optional,
        is_fetch: bool,
    ) -> Result<TextureLod, Error> {
        if let Some(bias) = optional.bias {
            return Ok(TextureLod::Bias(self.float_value(i, bias)?));
        }
        if let Some((x, y)) = optional.gradient {
            return Ok(TextureLod::Gradient(self.float_value(i, x)?, self.float_value(i, y)?));
        }
        match optional.lod {
            Some(lod) if is_fetch => Ok(TextureLod::Explicit(self.int_value(i, lod)?)),
            Some(lod) => Ok(TextureLod::Explicit(self.float_value(i, lod)?)),
            None => Ok(TextureLod::Implicit),
        }
    }

    fn offsets(
        &mut self,
        i: &Instruction,
        optional: &Optional,
        call: &mut TextureCall,
    ) -> Result<(), Error> {
        if let Some(offset) = optional.offset {
            call.offsets.push(self.int_value(i, offset)?);
        }
        if let Some(offsets) = optional.offsets {
            for index in 0..4 {
                let all = self.operand_value(i, offsets)?;
                let index = self.int(index);
                let offset = self.element(i, all, index)?;
                call.offsets.push(self.cast(offset, Scalar::Int));
            }
        }
        Ok(())
    }

    fn storage_image(&mut self, i: &Instruction) -> Result<(ExprId, ImageType), Error> {
        let place = self.operand_place(i, 0)?;
        let image = self.place_expr(i, &place)?;
        match *self.types.get(self.ty(image)) {
            Type::Image(ty) => Ok((image, ty)),
            _ => Err(self.unsupported(i, "an image that is no storage image is")),
        }
    }

    fn image_call(
        &mut self,
        i: &Instruction,
        op: ImageOp,
        optional: usize,
    ) -> Result<(ImageCall, ImageType), Error> {
        let (image, ty) = self.storage_image(i)?;
        let optional = self.optional(i, optional)?;
        let coordinate = self.operand(i, 1)?;
        let size = if ty.dim == Dim::Cube { 3 } else { ty.dim.coordinates() + u8::from(ty.array) };
        let (_, given) = self.shape(self.ty(coordinate));
        let parts: Vec<u8> = (0..size.min(given)).collect();
        let coordinate = self.swizzle(coordinate, &parts);
        let coordinate = Some(self.cast(coordinate, Scalar::Int));
        let sample = optional.sample.map(|id| self.int_value(i, id)).transpose()?;
        Ok((ImageCall { op, image, coordinate, sample, data: Vec::new() }, ty))
    }

    fn image_read(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (call, image) = self.image_call(i, ImageOp::Load, 2)?;
        let texel = self.types.vector(image.result, 4);
        let value = self.push(ExprKind::Image(Box::new(call)), texel);
        let ty = self.result_type(i)?;
        let (_, size) = self.shape(ty);
        let parts: Vec<u8> = (0..size.clamp(1, 4)).collect();
        let value = self.swizzle(value, &parts);
        Ok(self.cast_to(value, ty))
    }

    fn image_write(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (mut call, image) = self.image_call(i, ImageOp::Store, 3)?;
        let texel = self.operand(i, 2)?;
        let texel = self.cast(texel, image.result);
        call.data.push(self.whole_texel(texel));
        Ok(self.push(ExprKind::Image(Box::new(call)), program::TypeTable::VOID))
    }

    /// A texel's components, filled up to four.
    pub(crate) fn whole_texel(&mut self, value: ExprId) -> ExprId {
        let (scalar, size) = self.shape(self.ty(value));
        if size == 4 {
            return value;
        }
        let (ty, one) = (self.types.vector(scalar, 4), self.types.scalar(scalar));
        let mut parts = vec![value];
        for _ in size..4 {
            parts.push(self.number(one, 0));
        }
        self.push(ExprKind::Compose(parts), ty)
    }
}
