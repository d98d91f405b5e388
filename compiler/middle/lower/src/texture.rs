//! Texture and image built-ins.

use ir::fold::FoldCtx;
use ir::{Dim, Fields, IntrinsicOp, Tex, TexOp, TexSrcKind, Value};
use program::expression::{ImageCall, ImageOp, TextureCall, TextureLod, TextureOp};
use program::types::Dim as ProgramDim;
use program::{ExprId, Scalar, Type, TypeId};

use crate::error::LowerError;
use crate::lowerer::Lowerer;
use crate::memory::ir_atomic;
use crate::place::Index;
use crate::value::Val;

/// Maximum number of operations between a constant texel offset and its literals.
const MAX_DEPTH: u32 = 32;

fn dim(d: ProgramDim) -> Dim {
    match d {
        ProgramDim::D1 => Dim::D1,
        ProgramDim::D2 | ProgramDim::External | ProgramDim::Subpass => Dim::D2,
        ProgramDim::D3 => Dim::D3,
        ProgramDim::Cube => Dim::Cube,
        ProgramDim::Rect => Dim::Rect,
        ProgramDim::Buffer => Dim::Buffer,
        ProgramDim::D2Ms => Dim::Ms,
    }
}

impl Lowerer<'_, '_> {
    fn leaf(&mut self, expr: ExprId) -> Result<Value, LowerError> {
        self.eval(expr)?.leaf()
    }

    /// Slot of an opaque variable.
    fn opaque_index(&mut self, expr: ExprId) -> Result<Index, LowerError> {
        let place = self.place_of(expr)?;
        let value = self.load(&place)?.leaf()?;
        Ok(match self.builder.shader.as_const_u64(value) {
            Some(constant) => Index { constant: constant as u32, dynamic: None },
            None => Index { constant: 0, dynamic: Some(value) },
        })
    }

    /// A texture built-in.
    pub(crate) fn texture(&mut self, call: &TextureCall, ty: TypeId) -> Result<Val, LowerError> {
        let Type::Sampler(sampler) = self.types.get(self.expr_type(call.sampler)).clone() else {
            return Err(LowerError::Malformed("texture lookup without a sampler"));
        };
        let index = self.opaque_index(call.sampler)?;
        let multisample = sampler.dim == ProgramDim::D2Ms;
        let op = match (call.op, call.lod) {
            (TextureOp::Sample, TextureLod::Implicit) => TexOp::Tex,
            (TextureOp::Sample, TextureLod::Bias(_)) => TexOp::Txb,
            (TextureOp::Sample, TextureLod::Explicit(_)) => TexOp::Txl,
            (TextureOp::Sample, TextureLod::Gradient(..)) => TexOp::Txd,
            (TextureOp::Fetch, _) if multisample => TexOp::TxfMs,
            (TextureOp::Fetch, _) => TexOp::Txf,
            (TextureOp::Gather, _) => TexOp::Tg4,
            (TextureOp::Size, _) => TexOp::Txs,
            (TextureOp::QueryLod, _) => TexOp::Lod,
            (TextureOp::QueryLevels, _) => TexOp::QueryLevels,
            (TextureOp::QuerySamples, _) => TexOp::TextureSamples,
        };
        let mut tex = Tex::new(op, dim(sampler.dim), index.constant, index.constant);
        // The level does not depend on the layer, which the coordinate lacks (GLSL 4.60 section
        // 8.9.1).
        tex.array = sampler.array && op != TexOp::Lod;
        tex.shadow = sampler.shadow && !matches!(call.op, TextureOp::Fetch | TextureOp::Size);
        if let Some(dynamic) = index.dynamic {
            tex.srcs.push((TexSrcKind::TextureOffset, dynamic));
            tex.srcs.push((TexSrcKind::SamplerOffset, dynamic));
        }
        self.coordinate_sources(call, &mut tex)?;
        match call.lod {
            TextureLod::Implicit => {}
            TextureLod::Bias(e) => tex.srcs.push((TexSrcKind::Bias, self.leaf(e)?)),
            TextureLod::Explicit(e) => tex.srcs.push((TexSrcKind::Lod, self.leaf(e)?)),
            TextureLod::Gradient(x, y) => {
                tex.srcs.push((TexSrcKind::Ddx, self.leaf(x)?));
                tex.srcs.push((TexSrcKind::Ddy, self.leaf(y)?));
            }
        }
        if let Some(component) = call.component {
            let component = self.eval_index(component)?;
            tex.gather = component.constant as u8;
        }
        if let Some(sample) = call.sample {
            tex.srcs.push((TexSrcKind::MsIndex, self.leaf(sample)?));
        }
        self.offset_sources(call, &mut tex)?;
        self.finish_texture(tex, call, ty)
    }

    fn coordinate_sources(&mut self, call: &TextureCall, tex: &mut Tex) -> Result<(), LowerError> {
        let compare = call.compare.map(|c| self.leaf(c)).transpose()?;
        let Some(coordinate) = call.coordinate else { return Ok(()) };
        let mut coordinate = self.leaf(coordinate)?;
        let mut compare = compare;
        if call.projective {
            let last = self.builder.shader.components(coordinate) - 1;
            let divisor = self.builder.channel(coordinate, last);
            let scale = self.builder.frcp(divisor);
            let rest = self.builder.swizzle(coordinate, &[0, 1, 2, 3][..usize::from(last)]);
            coordinate = self.builder.fmul(rest, scale);
            compare = compare.map(|c| self.builder.fmul(c, scale));
        }
        tex.srcs.push((TexSrcKind::Coord, coordinate));
        if let Some(compare) = compare {
            tex.srcs.push((TexSrcKind::Comparator, compare));
        }
        Ok(())
    }

    fn offset_sources(&mut self, call: &TextureCall, tex: &mut Tex) -> Result<(), LowerError> {
        match call.offsets[..] {
            [] => {}
            [offset] => tex.srcs.push((TexSrcKind::Offset, self.leaf(offset)?)),
            _ => {
                let mut offsets = [[0i8; 2]; 4];
                for (slot, &offset) in offsets.iter_mut().zip(&call.offsets) {
                    let value = self.leaf(offset)?;
                    let constant = self
                        .constant_of(value, MAX_DEPTH)
                        .ok_or(LowerError::Unsupported("non-constant textureGatherOffsets"))?;
                    *slot = [constant[0] as i8, constant[1] as i8];
                }
                tex.gather_offsets = Some(offsets);
            }
        }
        Ok(())
    }

    /// The components of a value that is computed from constants, through at most `depth`
    /// operations.
    fn constant_of(&self, value: Value, depth: u32) -> Option<[u64; 4]> {
        let shader = &self.builder.shader;
        if let Some(constant) = shader.as_const(value) {
            return Some(*constant);
        }
        let alu = shader.as_alu(value).filter(|_| depth > 0)?;
        let mut sources = [[0; 4]; 4];
        for (out, source) in sources.iter_mut().zip(&alu.srcs) {
            let constant = self.constant_of(source.value, depth - 1)?;
            *out = source.swizzle.map(|c| constant[usize::from(c & 3)]);
        }
        let bits = alu.srcs.first().map_or(32, |s| shader.bits(s.value));
        let context = FoldCtx { bits, flush_f32: false };
        let count = alu.srcs.len().min(4);
        alu.op.evaluate(context, &sources[..count], shader.bits(value), shader.components(value))
    }

    fn finish_texture(
        &mut self,
        tex: Tex,
        call: &TextureCall,
        ty: TypeId,
    ) -> Result<Val, LowerError> {
        let wanted = self.types.components(ty);
        let produced = match call.op {
            TextureOp::Size => tex.coord_components().clamp(1, 4),
            TextureOp::QueryLod => 2,
            TextureOp::QueryLevels | TextureOp::QuerySamples => 1,
            TextureOp::Sample if tex.shadow && wanted == 1 => 1,
            _ => 4,
        };
        let produced = if call.op == TextureOp::Size { wanted.max(1) } else { produced };
        let value = self.builder.tex(tex, 32, produced);
        let value = self.builder.swizzle(value, &[0, 1, 2, 3][..usize::from(wanted.min(produced))]);
        let to = self.scalar_of(ty)?;
        if to == Scalar::Float16 {
            return Ok(self.builder.f2f16(value).into());
        }
        Ok(value.into())
    }

    /// An image built-in.
    pub(crate) fn image(&mut self, call: &ImageCall, ty: TypeId) -> Result<Val, LowerError> {
        let Type::Image(image) = self.types.get(self.expr_type(call.image)).clone() else {
            return Err(LowerError::Malformed("image access without an image"));
        };
        let index = self.opaque_index(call.image)?;
        let slot = self.index_value(index);
        let mut fields = Fields { dim: dim(image.dim), array: image.array, ..Fields::default() };
        let coordinate = match call.coordinate {
            Some(c) => {
                let value = self.leaf(c)?;
                let count = self.builder.shader.components(value);
                let padded: Vec<u8> = (0..4).map(|i| i.min(count - 1)).collect();
                self.builder.swizzle(value, &padded)
            }
            None => self.builder.zero(32, 4),
        };
        let sample = match call.sample {
            Some(s) => self.leaf(s)?,
            None => self.builder.imm(0),
        };
        let data = call.data.iter().map(|&d| self.leaf(d)).collect::<Result<Vec<_>, _>>()?;
        let components = self.types.components(ty).max(1);
        let access = [slot, coordinate, sample];
        let value = match call.op {
            ImageOp::Load => self.builder.load(IntrinsicOp::ImageLoad, &access, fields, 32, 4),
            ImageOp::Store => {
                let value =
                    *data.first().ok_or(LowerError::Malformed("image store without data"))?;
                self.builder.intrinsic(
                    IntrinsicOp::ImageStore,
                    &[access[0], access[1], access[2], value],
                    fields,
                    None,
                );
                return Ok(Val::List(Vec::new()));
            }
            ImageOp::Atomic(op) => {
                // The result says how integers compare, not the image.
                let scalar = self.scalar_of(ty)?;
                let op = ir_atomic(op, scalar).ok_or(LowerError::Unsupported("image atomic"))?;
                let mut srcs = access.to_vec();
                srcs.extend(data);
                let which = if op == ir::AtomicOp::CompareExchange {
                    IntrinsicOp::ImageAtomicSwap
                } else {
                    fields.atomic = op;
                    IntrinsicOp::ImageAtomic
                };
                self.builder.load(which, &srcs, fields, 32, 1)
            }
            ImageOp::Size => {
                self.builder.load(IntrinsicOp::ImageSize, &[slot], fields, 32, components)
            }
            ImageOp::Samples => {
                self.builder.load(IntrinsicOp::ImageSamples, &[slot], fields, 32, 1)
            }
        };
        Ok(value.into())
    }
}
