//! Texture accesses: SIMD4x2 sampler messages, one register of coordinates for both vertices.
//!
//! Coordinates fill the first register; the level of a fetch is its w. The shadow reference and the level of a lookup
//! follow in a second register (Mesa's `brw_vec4_visitor.cpp`). The response is one register of four components.

use super::select::{Selector, first};
use crate::bir::{CondMod, Op, Operand, REG_SIZE, Swizzle, Type};
use crate::error::CompileError;
use crate::sends::{self, SamplerOp, SamplerWidth};
use ir::{Dim, Tex, TexOp, TexSrcKind, Value};

impl Selector<'_> {
    /// Emits a texture instruction.
    pub(super) fn emit_texture(&mut self, tex: &Tex, result: Value) -> Result<(), CompileError> {
        let index = tex.src(TexSrcKind::TextureOffset).or(tex.src(TexSrcKind::SamplerOffset));
        let dst = self.define(result);
        let Some(index) = index else {
            let texel = self.emit_one_texture(tex, tex.texture, tex.sampler)?;
            self.mov(dst, texel);
            return Ok(());
        };
        // A variable unit: every candidate in turn, each for the vertices that want it.
        let count = self.shader.info.samplers.saturating_sub(tex.texture);
        for unit in 0..count {
            let texel = self.emit_one_texture(tex, tex.texture + unit, tex.sampler + unit)?;
            let index = self.get(index, &[0], Type::UD);
            self.cmp(Operand::null(Type::UD), index, Operand::ud(unit), CondMod::Z);
            self.mov(dst, texel).predicate(false);
        }
        Ok(())
    }

    fn emit_one_texture(&mut self, tex: &Tex, texture: u32, sampler: u32) -> Result<Operand, CompileError> {
        let unsupported = || CompileError::lower(format!("this form of {} is not lowered", tex.op.name()));
        if tex.src(TexSrcKind::MinLod).is_some() || tex.gather_offsets.is_some() {
            return Err(unsupported());
        }
        let op = match tex.op {
            // Vertices have no derivatives: the level is 0 unless given.
            TexOp::Tex | TexOp::Txl if tex.shadow => SamplerOp::SampleLodCompare,
            TexOp::Tex | TexOp::Txl => SamplerOp::SampleLod,
            TexOp::Txf => SamplerOp::Load,
            TexOp::Txs | TexOp::QueryLevels => SamplerOp::ResInfo,
            _ => return Err(unsupported()),
        };
        let offsets = self.texel_offsets(tex)?;
        let header = offsets != 0;
        let second = matches!(op, SamplerOp::SampleLod | SamplerOp::SampleLodCompare);
        let start = if header { REG_SIZE } else { 0 };
        let mlen = 1 + u32::from(header) + u32::from(second);
        let payload = Operand::vgrf(self.program.vreg(mlen), Type::UD);
        if header {
            self.emit_align1(Op::Mov, (8, 0), payload, &[Operand::grf(0, Type::UD)]).no_mask = true;
            self.set_dword(payload.byte_offset(8), offsets);
        }
        let row = payload.byte_offset(start);
        let zero = Operand::ud(0);
        let level = match tex.src(TexSrcKind::Lod) {
            Some(lod) if tex.op != TexOp::Tex => self.get(lod, &[0], Type::UD),
            _ => zero,
        };
        if op == SamplerOp::ResInfo {
            self.mov(row, level);
        } else {
            let n = tex.coord_components();
            let coord = tex.src(TexSrcKind::Coord).ok_or_else(unsupported)?;
            let identity = &ir::inst::IDENTITY[..usize::from(n.min(4))];
            let coord = self.get(coord, identity, Type::UD);
            self.mov(row.masked(first(n)), coord);
            if let Some(offset) = tex.src(TexSrcKind::Offset).filter(|_| tex.op == TexOp::Txf) {
                // Fetches have no offsets of their own.
                let moved = self.shader.components(offset).min(n);
                let identity = &ir::inst::IDENTITY[..usize::from(moved)];
                let offset = self.get(offset, identity, Type::D);
                let target = row.masked(first(moved)).retype(Type::D);
                self.emit(Op::Add, target, &[coord.retype(Type::D), offset]);
            }
            let rest = 0b1111 & !first(n);
            if rest != 0 {
                self.mov(row.masked(rest), zero);
            }
            if op == SamplerOp::Load {
                self.mov(row.masked(8), level);
            }
            if second {
                self.put_lookup_level(tex, row.byte_offset(REG_SIZE), level)?;
            }
        }
        let texel = self.temp(Type::UD);
        let surface = self.ubo_base + self.shader.info.ubos + texture;
        let message = sends::sampler(op, SamplerWidth::Simd4x2, surface, sampler, header, mlen, 1);
        self.emit_align1(Op::Send, (8, 0), texel, &[payload]).message = Some(message);
        self.texel_components(tex, texel)
    }

    /// The second register of a lookup: the shadow reference if there is one, then the level.
    fn put_lookup_level(&mut self, tex: &Tex, row: Operand, level: Operand) -> Result<(), CompileError> {
        self.mov(row, Operand::ud(0));
        if !tex.shadow {
            self.mov(row.masked(1), level);
            return Ok(());
        }
        let reference = tex.src(TexSrcKind::Comparator);
        let reference = reference.ok_or_else(|| CompileError::lower("shadow lookup without a reference"))?;
        let reference = self.get(reference, &[0], Type::UD);
        self.mov(row.masked(1), reference);
        self.mov(row.masked(2), level);
        Ok(())
    }

    /// What the response means: sizes come as width, height, depth or layers, levels.
    fn texel_components(&mut self, tex: &Tex, texel: Operand) -> Result<Operand, CompileError> {
        match tex.op {
            TexOp::QueryLevels => Ok(texel.swizzled(Swizzle::new([3; 4]))),
            TexOp::Txs if tex.array && tex.dim == Dim::Cube => {
                // The hardware counts faces of cube arrays as layers.
                let (sizes, six) = (self.temp(Type::D), self.temp(Type::D));
                self.mov(six, Operand::d(6));
                self.mov(sizes.masked(0b1011), texel.retype(Type::D));
                self.emit(Op::MathIntDivQuotient, sizes.masked(0b0100), &[texel.retype(Type::D), six]);
                Ok(sizes.retype(Type::UD))
            }
            _ => Ok(texel),
        }
    }

    /// Dword 2 of the header: constant texel offsets, four bits each, u highest.
    fn texel_offsets(&self, tex: &Tex) -> Result<u32, CompileError> {
        let offset = tex.src(TexSrcKind::Offset).filter(|_| tex.op != TexOp::Txf);
        let Some(offset) = offset else { return Ok(0) };
        let values = self.shader.as_const(offset).copied();
        let values = values.ok_or_else(|| CompileError::lower("texel offsets that vary are not lowered"))?;
        let n = self.shader.components(offset).min(3);
        Ok((0..n).fold(0, |bits, c| bits | (values[usize::from(c)] as u32 & 0xf) << (8 - 4 * c)))
    }
}
