//! Queries of images, derivatives, votes.

use program::expression::{ImageCall, TextureCall};
use program::{
    BuiltinFunction as F, ExprId, ExprKind, ImageOp, Scalar, Statement, TextureLod, TextureOp, Type,
};
use rspirv::spirv::Op;

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::state::ShaderBuilder;

/// The function of a derivative or vote.
fn function(op: Op) -> Option<F> {
    Some(match op {
        Op::DPdx => F::DFdx,
        Op::DPdy => F::DFdy,
        Op::Fwidth => F::Fwidth,
        Op::DPdxFine => F::DFdxFine,
        Op::DPdyFine => F::DFdyFine,
        Op::FwidthFine => F::FwidthFine,
        Op::DPdxCoarse => F::DFdxCoarse,
        Op::DPdyCoarse => F::DFdyCoarse,
        Op::FwidthCoarse => F::FwidthCoarse,
        Op::SubgroupAllKHR => F::AllInvocations,
        Op::SubgroupAnyKHR => F::AnyInvocation,
        Op::SubgroupAllEqualKHR => F::AllInvocationsEqual,
        Op::SubgroupFirstInvocationKHR => F::ReadFirstInvocation,
        Op::SubgroupReadInvocationKHR => F::ReadInvocation,
        Op::IsHelperInvocationEXT => F::HelperInvocation,
        _ => return None,
    })
}

impl ShaderBuilder<'_> {
    /// Appends a query or derivative; returns false for others.
    pub(crate) fn query_operation(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<bool, Error> {
        let value = match i.op {
            Op::ImageQuerySize | Op::ImageQuerySizeLod => self.image_query(i, TextureOp::Size)?,
            Op::ImageQueryLevels => self.image_query(i, TextureOp::QueryLevels)?,
            Op::ImageQuerySamples => self.image_query(i, TextureOp::QuerySamples)?,
            Op::ImageQueryLod => self.lod_query(i)?,
            Op::SubgroupBallotKHR => {
                let condition = self.operand(i, 0)?;
                self.ballot(condition)
            }
            Op::ReadClockKHR => {
                let ty = self.result_type(i)?;
                let is_one = self.types.components(ty) == 1;
                self.builtin(if is_one { F::Clock } else { F::Clock2x32 }, Vec::new(), ty)
            }
            op => match function(op) {
                None => match self.subgroup_operation(i, out)? {
                    Some(value) => value,
                    None => return Ok(false),
                },
                Some(function) => {
                    let arguments: Result<Vec<ExprId>, Error> =
                        (0..i.operands.len()).map(|k| self.operand(i, k)).collect();
                    let ty = self.result_type(i)?;
                    self.builtin(function, arguments?, ty)
                }
            },
        };
        let ty = self.result_type(i)?;
        let value = self.cast_to(value, ty);
        self.define(i, value, false, out);
        Ok(true)
    }

    /// The invocations for which a condition holds, in the first two of four words.
    pub(crate) fn ballot(&mut self, condition: ExprId) -> ExprId {
        let wide = self.types.scalar(Scalar::Uint64);
        let mask = self.builtin(F::Ballot, vec![condition], wide);
        self.four_words(mask)
    }

    /// A mask of 64 bits in four words.
    pub(crate) fn four_words(&mut self, mask: ExprId) -> ExprId {
        let [pair, all] = [2, 4].map(|size| self.types.vector(Scalar::Uint, size));
        let words = self.builtin(F::UnpackUint2x32, vec![mask], pair);
        let uint = self.types.scalar(Scalar::Uint);
        let parts = vec![words, self.number(uint, 0), self.number(uint, 0)];
        self.push(ExprKind::Compose(parts), all)
    }

    fn image_query(&mut self, i: &Instruction, op: TextureOp) -> Result<ExprId, Error> {
        let place = self.operand_place(i, 0)?;
        let image = self.place_expr(i, &place)?;
        let ty = self.result_type(i)?;
        let ty = self.with_scalar(ty, Scalar::Int);
        if matches!(self.types.get(self.ty(image)), Type::Image(_)) {
            let op = if op == TextureOp::QuerySamples { ImageOp::Samples } else { ImageOp::Size };
            let call = ImageCall { op, image, coordinate: None, sample: None, data: Vec::new() };
            return Ok(self.push(ExprKind::Image(Box::new(call)), ty));
        }
        let lod = match i.op {
            Op::ImageQuerySizeLod => {
                let lod = self.operand(i, 1)?;
                TextureLod::Explicit(self.cast(lod, Scalar::Int))
            }
            _ => TextureLod::Implicit,
        };
        Ok(self.texture_query(op, image, None, lod, ty))
    }

    fn lod_query(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let place = self.operand_place(i, 0)?;
        let (sampler, sampler_type) = self.sampler(i, &place, false)?;
        let coordinate = self.operand(i, 1)?;
        let parts: Vec<u8> = (0..sampler_type.dim.coordinates()).collect();
        let coordinate = self.swizzle(coordinate, &parts);
        let ty = self.result_type(i)?;
        Ok(self.texture_query(
            TextureOp::QueryLod,
            sampler,
            Some(coordinate),
            TextureLod::Implicit,
            ty,
        ))
    }

    fn texture_query(
        &mut self,
        op: TextureOp,
        sampler: ExprId,
        coordinate: Option<ExprId>,
        lod: TextureLod,
        ty: program::TypeId,
    ) -> ExprId {
        let call = TextureCall {
            op,
            sampler,
            coordinate,
            projective: false,
            compare: None,
            lod,
            offsets: Vec::new(),
            component: None,
            sample: None,
        };
        self.push(ExprKind::Texture(Box::new(call)), ty)
    }
}
