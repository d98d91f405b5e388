//! Texture accesses: SIMD4x2 sampler messages, one register of coordinates for both vertices.
//!
//! Coordinates fill the first register; the level of a fetch and the reference of a gather with
//! offsets are its w. Further arguments follow in further registers (Mesa's
//! `brw_vec4_visitor.cpp`). The response is one register of four components.

use super::target::{Vec4Selection, first};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Swizzle, Type, WRITEMASK_XYZW};
use crate::sends::{self, SamplerOp, SamplerWidth, texel_offset_nibbles};
use ir::{Dim, Tex, TexOp, TexSrcKind, Value};

/// Writemasks of single components.
const X: u8 = 1;
const Y: u8 = 2;
const Z: u8 = 4;
const W: u8 = 8;

/// A register of a message: sources with the components that they fill.
type Row = Vec<(u8, Operand)>;

/// Encoding of a texel offset.
#[derive(Clone, Copy)]
enum TexelOffset {
    /// Into the header, as nibbles.
    Header(u32),
    /// Into the message, per vertex: gathers only.
    Vertex(Operand),
}

impl Vec4Selection<'_> {
    /// Emits a texture instruction.
    pub(super) fn emit_texture(&mut self, tex: &Tex, result: Value) -> Result<(), CompileError> {
        let index = tex.src(TexSrcKind::TextureOffset).or(tex.src(TexSrcKind::SamplerOffset));
        let dst = self.define(result);
        let Some(index) = index else {
            let texel = self.emit_one_texture(tex, tex.texture, tex.sampler)?;
            self.mov(dst, texel);
            return Ok(());
        };
        // A variable unit: one lookup per candidate, for the vertices that select it.
        let count = self.shader.info.samplers.saturating_sub(tex.texture);
        for unit in 0..count {
            let texel = self.emit_one_texture(tex, tex.texture + unit, tex.sampler + unit)?;
            let index = self.get(index, &[0], Type::UD);
            self.cmp(Operand::null(Type::UD), index, Operand::ud(unit), CondMod::Z);
            self.mov(dst, texel).predicate(false);
        }
        Ok(())
    }

    fn emit_one_texture(
        &mut self,
        tex: &Tex,
        texture: u32,
        sampler: u32,
    ) -> Result<Operand, CompileError> {
        let Some(offsets) = tex.gather_offsets else {
            let offset = self.texel_offset(tex)?;
            return self.emit_message(tex, offset, texture, sampler);
        };
        // One gather per offset: of its four texels the last one is the footprint's corner.
        let corners = self.temp(Type::UD);
        for (c, pair) in offsets.into_iter().enumerate() {
            let pair = pair.map(|o| i64::from(o) as u64);
            let offset = match texel_offset_nibbles(&pair) {
                Some(nibbles) => TexelOffset::Header(nibbles),
                None => TexelOffset::Vertex(self.vector_constant(
                    32,
                    [pair[0], pair[1], pair[1], pair[1]],
                    Type::D,
                )),
            };
            let texel = self.emit_message(tex, offset, texture, sampler)?;
            self.mov(corners.masked(1 << c), texel.swizzled(Swizzle::new([3; 4])));
        }
        Ok(corners)
    }

    /// Emits one sampler message. Returns its result.
    fn emit_message(
        &mut self,
        tex: &Tex,
        offset: TexelOffset,
        texture: u32,
        sampler: u32,
    ) -> Result<Operand, CompileError> {
        let op = self.sampler_op(tex, offset)?;
        let header = match offset {
            _ if tex.op == TexOp::TextureSamples => Some(0),
            TexelOffset::Header(nibbles) if tex.op == TexOp::Tg4 => {
                Some(nibbles | u32::from(tex.gather & 3) << 16)
            }
            _ if tex.op == TexOp::Tg4 => Some(u32::from(tex.gather & 3) << 16),
            TexelOffset::Header(nibbles) if nibbles != 0 => Some(nibbles),
            _ => None,
        };
        let rows = self.message_rows(tex, op, offset, self.bindings.texture + texture)?;
        let (payload, has_header) = self.sampler_payload(header, rows.len() as u32);
        let mut at = u32::from(has_header) * REG_SIZE;
        let mlen = rows.len() as u32 + u32::from(has_header);
        for row in rows {
            let target = payload.byte_offset(at);
            let written = row.iter().fold(0, |mask, part| mask | part.0);
            if written != WRITEMASK_XYZW {
                self.emit(Op::Undef, target, &[]);
            }
            for (mask, source) in row {
                self.mov(target.masked(mask).retype(source.ty), source);
            }
            at += REG_SIZE;
        }
        let texel = self.temp(Type::UD);
        let surface = self.bindings.texture + texture;
        let message =
            sends::sampler(op, SamplerWidth::Simd4x2, surface, sampler, has_header, mlen, 1);
        self.emit_align1(Op::Send, (8, 0), texel, &[payload]).message = Some(message);
        self.texel_components(tex, texel)
    }

    /// Allocates a SIMD4x2 sampler message of `rows` registers, after a header with these bits in
    /// dword 2, if there are any or the mode itself needs one. Returns true if there is a header.
    fn sampler_payload(&mut self, header: Option<u32>, rows: u32) -> (Operand, bool) {
        let header = match (header, self.model.devinfo().simd4x2_header) {
            (None, None) => None,
            (bits, mode) => Some(bits.unwrap_or(0) | mode.unwrap_or(0)),
        };
        let payload =
            Operand::vgrf(self.program.vreg(rows + u32::from(header.is_some())), Type::UD);
        if let Some(dword) = header {
            self.emit_align1(Op::Mov, (8, 0), payload, &[Operand::grf(0, Type::UD)]).no_mask = true;
            self.set_dword(payload.byte_offset(8), dword);
        }
        (payload, header.is_some())
    }

    /// Emits a sampler message with the one register `row`. Returns its four dwords.
    pub(super) fn sampler_row(&mut self, op: SamplerOp, surface: u32, row: Operand) -> Operand {
        let (payload, has_header) = self.sampler_payload(None, 1);
        self.mov(payload.byte_offset(u32::from(has_header) * REG_SIZE), row);
        let response = self.temp(Type::UD);
        let mlen = 1 + u32::from(has_header);
        let message = sends::sampler(op, SamplerWidth::Simd4x2, surface, 0, has_header, mlen, 1);
        self.emit_align1(Op::Send, (8, 0), response, &[payload]).message = Some(message);
        response
    }

    /// The registers of a message.
    fn message_rows(
        &mut self,
        tex: &Tex,
        op: SamplerOp,
        offset: TexelOffset,
        surface: u32,
    ) -> Result<Vec<Row>, CompileError> {
        use SamplerOp::*;
        let one = |isel: &mut Self, kind| match tex.src(kind) {
            Some(value) => isel.get(value, &[0], Type::UD),
            // Only sizes and fetches may lack a level.
            None if kind == TexSrcKind::Lod && tex.op != TexOp::Txl => Operand::ud(0),
            None => isel.internal_error("a source is missing").raise(),
        };
        if op == SampleInfo {
            return Ok(Vec::new());
        }
        if op == ResInfo {
            return Ok(vec![vec![(WRITEMASK_XYZW, one(self, TexSrcKind::Lod))]]);
        }
        let reference = if tex.shadow { Some(one(self, TexSrcKind::Comparator)) } else { None };
        let mut rows = vec![self.coordinate_row(tex)?];
        match op {
            Load => rows[0].push((W, one(self, TexSrcKind::Lod))),
            Load2dms | Load2dmsWide => {
                let place = self.temp(Type::UD);
                for (mask, source) in rows[0].clone() {
                    self.mov(place.masked(mask), source);
                }
                let control = self.sampler_row(LoadMcs, surface, place);
                let sample = one(self, TexSrcKind::MsIndex);
                let control = control.swizzled(Swizzle::new([0, 0, 1, 1]));
                rows.push(vec![(X, sample), (if op == Load2dms { Y } else { Y | Z }, control)]);
            }
            SampleLod | SampleLodCompare => {
                // Without neighbors the level is the base level plus the bias.
                let kind = if tex.op == TexOp::Txb { TexSrcKind::Bias } else { TexSrcKind::Lod };
                let level = if tex.op == TexOp::Tex { Operand::ud(0) } else { one(self, kind) };
                rows.push(match reference {
                    Some(reference) => vec![(X, reference), (Y, level)],
                    None => vec![(X, level)],
                });
            }
            SampleDerivatives | SampleDerivativesCompare => {
                self.gradient_rows(tex, reference, &mut rows)?
            }
            Gather4Compare => rows.extend(reference.map(|reference| vec![(X, reference)])),
            Gather4Offset | Gather4OffsetCompare => {
                rows[0].extend(reference.map(|reference| (W, reference)));
                if let TexelOffset::Vertex(offset) = offset {
                    rows.push(vec![(X | Y, offset)]);
                }
            }
            _ => {}
        }
        Ok(rows)
    }

    /// Coordinates; components without one are zero.
    fn coordinate_row(&mut self, tex: &Tex) -> Result<Row, CompileError> {
        let n = tex.coord_components();
        let coord = tex.src(TexSrcKind::Coord);
        let coord =
            coord.ok_or_else(|| CompileError::internal("a texture lookup without coordinates"))?;
        let identity = &ir::inst::IDENTITY[..usize::from(n.min(4))];
        let mut coord = self.get(coord, identity, Type::UD);
        if let Some(offset) = tex.src(TexSrcKind::Offset).filter(|_| tex.op == TexOp::Txf) {
            // Fetches have no offsets of their own.
            let moved = self.shader.components(offset).min(n);
            let offset = self.get(offset, &ir::inst::IDENTITY[..usize::from(moved)], Type::D);
            let sum = self.temp(Type::D);
            if moved < n {
                self.mov(sum.masked(first(n) & !first(moved)), coord.retype(Type::D));
            }
            self.emit(Op::Add, sum.masked(first(moved)), &[coord.retype(Type::D), offset]);
            coord = sum.retype(Type::UD);
        }
        let mut row: Row = vec![(first(n), coord)];
        let rest = WRITEMASK_XYZW & !first(n);
        if rest != 0 {
            row.push((rest, Operand::ud(0)));
        }
        Ok(row)
    }

    /// Derivatives along x and y in turn, for two axes per register, and the shadow reference after
    /// those of the third.
    fn gradient_rows(
        &mut self,
        tex: &Tex,
        reference: Option<Operand>,
        rows: &mut Vec<Row>,
    ) -> Result<(), CompileError> {
        let axes = tex.dim.coord_components();
        let (Some(ddx), Some(ddy)) = (tex.src(TexSrcKind::Ddx), tex.src(TexSrcKind::Ddy)) else {
            return Err(CompileError::internal("explicit gradients without gradients"));
        };
        let last = (axes - 1).min(1);
        let pick = [0, 0, last, last];
        let (x, y) = (self.get(ddx, &pick, Type::UD), self.get(ddy, &pick, Type::UD));
        rows.push(if axes == 1 { vec![(X, x), (Y, y)] } else { vec![(X | Z, x), (Y | W, y)] });
        if axes < 3 && reference.is_none() {
            return Ok(());
        }
        let mut row = Row::new();
        if axes == 3 {
            row.push((X, self.get(ddx, &[2], Type::UD)));
            row.push((Y, self.get(ddy, &[2], Type::UD)));
        }
        row.extend(reference.map(|reference| (Z, reference)));
        rows.push(row);
        Ok(())
    }

    /// Returns the components of a response: sizes are width, height, depth or layers, levels.
    fn texel_components(&mut self, tex: &Tex, texel: Operand) -> Result<Operand, CompileError> {
        match tex.op {
            TexOp::QueryLevels => Ok(texel.swizzled(Swizzle::new([3; 4]))),
            TexOp::Txs if tex.array && tex.dim == Dim::Cube => {
                // The hardware counts faces of cube arrays as layers.
                let (sizes, six) = (self.temp(Type::D), self.temp(Type::D));
                self.mov(six, Operand::d(6));
                self.mov(sizes.masked(0b1011), texel.retype(Type::D));
                self.emit(
                    Op::MathIntDivQuotient,
                    sizes.masked(0b0100),
                    &[texel.retype(Type::D), six],
                );
                Ok(sizes.retype(Type::UD))
            }
            _ => Ok(texel),
        }
    }

    /// The texel offset of a lookup.
    fn texel_offset(&mut self, tex: &Tex) -> Result<TexelOffset, CompileError> {
        let offset = tex.src(TexSrcKind::Offset).filter(|_| tex.op != TexOp::Txf);
        let Some(offset) = offset else { return Ok(TexelOffset::Header(0)) };
        let n = self.shader.components(offset).min(3);
        let constant = self.shader.as_const(offset);
        if let Some(nibbles) =
            constant.and_then(|values| texel_offset_nibbles(&values[..usize::from(n)]))
        {
            return Ok(TexelOffset::Header(nibbles));
        }
        if tex.op != TexOp::Tg4 {
            return Err(CompileError::lower("texel offsets must be constants between -8 and 7"));
        }
        Ok(TexelOffset::Vertex(self.get(offset, &[0, 1], Type::D)))
    }

    /// Returns the message of a lookup.
    fn sampler_op(&self, tex: &Tex, offset: TexelOffset) -> Result<SamplerOp, CompileError> {
        let own_offset = matches!(offset, TexelOffset::Vertex(_));
        Ok(match tex.op {
            _ if tex.src(TexSrcKind::MinLod).is_some() => {
                return Err(CompileError::internal("a lowest level is not lowered"));
            }
            TexOp::Tex | TexOp::Txb | TexOp::Txl if tex.shadow => SamplerOp::SampleLodCompare,
            TexOp::Tex | TexOp::Txb | TexOp::Txl => SamplerOp::SampleLod,
            TexOp::Txd if tex.shadow => SamplerOp::SampleDerivativesCompare,
            TexOp::Txd => SamplerOp::SampleDerivatives,
            TexOp::Txf => SamplerOp::Load,
            TexOp::TxfMs => SamplerOp::load_sample(self.model),
            TexOp::Txs | TexOp::QueryLevels => SamplerOp::ResInfo,
            TexOp::TextureSamples => SamplerOp::SampleInfo,
            TexOp::Tg4 if tex.shadow && own_offset => SamplerOp::Gather4OffsetCompare,
            TexOp::Tg4 if tex.shadow => SamplerOp::Gather4Compare,
            TexOp::Tg4 if own_offset => SamplerOp::Gather4Offset,
            TexOp::Tg4 => SamplerOp::Gather4,
            TexOp::Lod => {
                return Err(CompileError::lower("lod is not supported outside fragment shaders"));
            }
        })
    }
}
