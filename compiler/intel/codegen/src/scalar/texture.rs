//! Texture instructions to sampler messages.

use super::target::{Components, PayloadKey, ScalarSelection};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::sends::texel_offset_nibbles;
use crate::sends::{self, SamplerOp, SamplerWidth};
use ir::{Dim, Tex, TexOp, TexSrcKind, Value};

/// Maximum number of payload registers of a message; a longer one is split by eight channels.
const MAX_MLEN: u32 = 11;
/// Maximum number of units to choose from.
const MAX_CHOSEN: u32 = 64;

impl ScalarSelection<'_> {
    /// Emits a texture instruction.
    pub(super) fn emit_texture(&mut self, tex: &Tex, result: Value) -> Result<(), CompileError> {
        if let Some(index) =
            tex.src(TexSrcKind::TextureOffset).or(tex.src(TexSrcKind::SamplerOffset))
        {
            let count = self.shader.info.samplers.saturating_sub(tex.texture);
            if self.emit_chosen_message(tex, index, count, result)? {
                return Ok(());
            }
            return self.emit_select_chain(index, count, result, |isel, unit| {
                let mut one = tex.clone();
                one.srcs.retain(|(k, _)| {
                    !matches!(k, TexSrcKind::TextureOffset | TexSrcKind::SamplerOffset)
                });
                one.texture += unit;
                one.sampler += unit;
                isel.emit_one_texture(&one, result)
            });
        }
        let components = self.emit_one_texture(tex, result)?;
        self.set(result, components);
        Ok(())
    }

    /// Emits a message for each of `count` units that `index` may choose. Each channel takes part
    /// in that of its unit. Returns whether one message serves all channels of a unit.
    fn emit_chosen_message(
        &mut self,
        tex: &Tex,
        index: Value,
        count: u32,
        result: Value,
    ) -> Result<bool, CompileError> {
        let channels = u32::from(self.program.width);
        let offset = self.texel_offset(tex);
        let header = header_dword(tex, &offset)?;
        let is_plain = self.is_texel(tex)
            && tex.op != TexOp::TxfMs
            && header.is_none()
            && tex.src(TexSrcKind::MinLod).is_none()
            && (1..=MAX_CHOSEN).contains(&count);
        if !is_plain {
            return Ok(false);
        }
        let (op, arguments) = self.sampler_arguments(tex, &offset)?;
        let per = channels / 8;
        let mlen = arguments.len() as u32 * per;
        if channels > 8 && (mlen > MAX_MLEN || tex.op == TexOp::Txd) {
            return Ok(false);
        }
        let payload = self.sampler_payload(None, &arguments, (0, channels), mlen);
        let needed = self.texels_needed(tex, result);
        let data = Operand::vgrf(self.program.vreg(per * needed), Type::UD);
        let index = self.get(index, 0, Type::UD);
        let width = if per == 2 { SamplerWidth::Simd16 } else { SamplerWidth::Simd8 };
        for unit in 0..count {
            let (surface, sampler) =
                (self.bindings.texture + tex.texture + unit, tex.sampler + unit);
            let mut b = self.builder();
            if unit > 0 {
                b.cmp(Operand::null(Type::UD), index, Operand::ud(unit), CondMod::Z);
            }
            let send = b.emit(Op::Send, data, &[payload]);
            send.message =
                Some(sends::sampler(op, width, surface, sampler, false, mlen, per * needed));
            if unit > 0 {
                send.predicate(false);
            }
        }
        let components = self.texture_result(tex, (result, needed), &[data], false);
        self.set(result, components);
        Ok(true)
    }

    /// Emits a texture instruction on a known unit. Returns the components of `result`.
    fn emit_one_texture(&mut self, tex: &Tex, result: Value) -> Result<Components, CompileError> {
        if tex.src(TexSrcKind::MinLod).is_some() {
            return Err(CompileError::internal(format!(
                "this form of {} must be lowered",
                tex.op.name()
            )));
        }
        let Some(offsets) = tex.gather_offsets else {
            let offset = self.texel_offset(tex);
            return self.emit_message(tex, offset, result);
        };
        // One gather per offset: of its four texels the last one is the footprint's corner.
        let mut corners = Components::new();
        for pair in offsets {
            let offset = pair.map(|o| Operand::d(o.into())).into_iter().collect();
            corners.extend(self.emit_message(tex, offset, result)?.last().copied());
        }
        Ok(corners)
    }

    /// Texel offsets of an instruction, one per axis; none if it has none.
    fn texel_offset(&self, tex: &Tex) -> Components {
        let Some(value) = tex.src(TexSrcKind::Offset) else { return Components::new() };
        (0..self.shader.components(value)).map(|c| self.get(value, c, Type::D)).collect()
    }

    /// Emits one sampler message, or one per eight channels.
    fn emit_message(
        &mut self,
        tex: &Tex,
        offset: Components,
        result: Value,
    ) -> Result<Components, CompileError> {
        let header = header_dword(tex, &offset)?;
        let (op, arguments) = self.sampler_arguments(tex, &offset)?;
        let channels = u32::from(self.program.width);
        let mlen = |n: u32| u32::from(header.is_some()) + arguments.len() as u32 * (n / 8);
        // More than five arguments, or gradients, exist for eight channels only.
        let narrow = channels > 8 && (mlen(channels) > MAX_MLEN || tex.op == TexOp::Txd);
        let step = if narrow { 8 } else { channels };
        let per = step / 8;
        let mut parts: Vec<Operand> = Vec::new();
        for group in (0..channels).step_by(step as usize) {
            let regs = mlen(step);
            let payload = self.sampler_payload(header, &arguments, (group, step), regs);
            let rlen = per * self.texels_needed(tex, result);
            let data = Operand::vgrf(self.program.vreg(rlen), Type::UD);
            let (surface, sampler) = (self.bindings.texture + tex.texture, tex.sampler);
            let mut b = self.builder();
            let mut b = b.sub_group(step as u8, group as u8);
            let width = if per == 2 { SamplerWidth::Simd16 } else { SamplerWidth::Simd8 };
            let send = b.emit(Op::Send, data, &[payload]);
            send.message =
                Some(sends::sampler(op, width, surface, sampler, header.is_some(), regs, rlen));
            parts.push(data);
        }
        let needed = self.texels_needed(tex, result);
        Ok(self.texture_result(tex, (result, needed), &parts, narrow))
    }

    /// True if the response is a texel, component by component.
    fn is_texel(&self, tex: &Tex) -> bool {
        use TexOp::{Tex, Txb, Txd, Txf, TxfMs, Txl};
        matches!(tex.op, Tex | Txb | Txl | Txd | Txf | TxfMs) && tex.gather_offsets.is_none()
    }

    /// Returns the number of components of the response up to the last one that is read.
    fn texels_needed(&self, tex: &Tex, result: Value) -> u32 {
        if !self.is_texel(tex) || !self.model.devinfo().short_sampler_response {
            return 4;
        }
        let all = (1u32 << self.shader.components(result)) - 1;
        let read = u32::from(self.component_reads[result]) & all;
        (u32::BITS - read.leading_zeros()).max(1)
    }

    /// Returns the payload of a sampler message for the channels `(first, count)`. Messages of one
    /// block with the same arguments share it.
    fn sampler_payload(
        &mut self,
        header: Option<u32>,
        arguments: &[Operand],
        (group, step): (u32, u32),
        regs: u32,
    ) -> Operand {
        let key = PayloadKey { header, arguments: arguments.into(), group };
        if let Some(&payload) = self.target.payloads.get(&key) {
            return payload;
        }
        let payload = Operand::vgrf(self.program.vreg(regs), Type::UD);
        let mut b = self.builder();
        let mut at = 0;
        if let Some(dword) = header {
            let mut all = b.all_channels(8);
            all.mov(payload, Operand::grf(0, Type::UD));
            all.all_channels(1).mov(payload.byte_offset(8), Operand::ud(dword));
            at = REG_SIZE;
        }
        let mut b = b.sub_group(step as u8, group as u8);
        for argument in arguments {
            b.mov(payload.byte_offset(at).retype(argument.ty), argument.channel_offset(group));
            at += step / 8 * REG_SIZE;
        }
        self.target.payloads.insert(key, payload);
        payload
    }

    /// Names the registers of the response, for the components up to the last one that is needed;
    /// joins the parts of a split message.
    fn texture_result(
        &mut self,
        tex: &Tex,
        (result, needed): (Value, u32),
        parts: &[Operand],
        narrow: bool,
    ) -> Components {
        let stride = if narrow { 1 } else { u32::from(self.program.width / 8) };
        let ty = self.raw_type(result);
        let count = self.shader.components(result).min(needed as u8);
        let place = |part: &Operand, c: u32| part.byte_offset(c * stride * REG_SIZE);
        let component = |c: u8| match tex.op {
            // Resource info: width, height, depth or layers, levels.
            TexOp::QueryLevels => 3,
            TexOp::Txs if tex.array && tex.dim == Dim::D1 && c == 1 => 1,
            _ => u32::from(c),
        };
        let mut components: Components = if let [whole] = parts {
            (0..count).map(|c| place(whole, component(c)).retype(ty)).collect()
        } else {
            (0..count).map(|_| self.builder().temp(ty)).collect()
        };
        if parts.len() > 1 {
            for (c, &dst) in components.iter().enumerate() {
                for (half, part) in parts.iter().enumerate() {
                    let from = place(part, component(c as u8)).retype(ty);
                    let mut b = self.builder();
                    let group = (half * 8) as u8;
                    b.sub_group(8, group).mov(dst.channel_offset(u32::from(group)), from);
                }
            }
        }
        if tex.op == TexOp::Txs
            && tex.array
            && tex.dim == Dim::Cube
            && let Some(faces) = components.last_mut()
        {
            // The hardware counts faces of cube arrays as layers.
            let mut b = self.builder();
            let (layers, six) = (b.temp(Type::D), b.temp(Type::D));
            b.mov(six, Operand::d(6));
            b.emit(Op::MathIntDivQuotient, layers, &[faces.retype(Type::D), six]);
            *faces = layers.retype(ty);
        }
        components
    }

    /// Returns message type and arguments, in payload order.
    fn sampler_arguments(
        &mut self,
        tex: &Tex,
        offset: &[Operand],
    ) -> Result<(SamplerOp, Vec<Operand>), CompileError> {
        use TexSrcKind::*;
        let ty = if matches!(tex.op, TexOp::Txf | TexOp::TxfMs) { Type::D } else { Type::F };
        let coordinates: Vec<Operand> = match tex.src(Coord) {
            Some(value) => (0..self.shader.components(value).min(tex.coord_components()))
                .map(|c| self.get(value, c, ty))
                .collect(),
            None => Vec::new(),
        };
        let one =
            |isel: &Self, kind: TexSrcKind, ty: Type| tex.src(kind).map(|v| isel.get(v, 0, ty));
        let comparator = if tex.shadow { one(self, Comparator, Type::F) } else { None };
        let compare = comparator.is_some();
        let mut arguments: Vec<Operand> = comparator.into_iter().collect();
        let op = match tex.op {
            TexOp::Tex | TexOp::Txb if !self.has_neighbors() => {
                // Without neighbors the level is the base level plus the bias.
                arguments.push(one(self, Bias, Type::F).unwrap_or(Operand::f(0.0)));
                arguments.extend(coordinates);
                if compare { SamplerOp::SampleLodCompare } else { SamplerOp::SampleLod }
            }
            TexOp::Tex => {
                arguments.extend(coordinates);
                if compare { SamplerOp::SampleCompare } else { SamplerOp::Sample }
            }
            TexOp::Txb => {
                arguments.extend(one(self, Bias, Type::F));
                arguments.extend(coordinates);
                if compare { SamplerOp::SampleBiasCompare } else { SamplerOp::SampleBias }
            }
            TexOp::Txl => {
                arguments.extend(one(self, Lod, Type::F));
                arguments.extend(coordinates);
                if compare { SamplerOp::SampleLodCompare } else { SamplerOp::SampleLod }
            }
            TexOp::Txd => {
                if compare && !self.model.devinfo().has_shadow_gradients {
                    return Err(CompileError::internal("shadow gradients must be lowered"));
                }
                let gradients = [tex.src(Ddx), tex.src(Ddy)];
                for (c, coordinate) in coordinates.into_iter().enumerate() {
                    arguments.push(coordinate);
                    if c < usize::from(tex.dim.coord_components()) {
                        let parts =
                            gradients.iter().flatten().map(|&g| self.get(g, c as u8, Type::F));
                        arguments.extend(parts);
                    }
                }
                if compare {
                    SamplerOp::SampleDerivativesCompare
                } else {
                    SamplerOp::SampleDerivatives
                }
            }
            TexOp::Txf => {
                let lod = one(self, Lod, Type::D).unwrap_or(Operand::d(0));
                let moved = self.offset_coordinates(offset, coordinates);
                arguments.extend(self.fetch_arguments(moved, lod));
                SamplerOp::Load
            }
            TexOp::Txs | TexOp::QueryLevels => {
                arguments.push(one(self, Lod, Type::UD).unwrap_or(Operand::ud(0)));
                SamplerOp::ResInfo
            }
            TexOp::Lod => {
                arguments = coordinates;
                SamplerOp::Lod
            }
            TexOp::Tg4 if offset_nibbles(offset).is_none() => {
                let (axes, layer) = coordinates.split_at(coordinates.len().min(2));
                arguments.extend(axes);
                arguments.extend(offset);
                arguments.extend(layer);
                if compare { SamplerOp::Gather4OffsetCompare } else { SamplerOp::Gather4Offset }
            }
            TexOp::Tg4 => {
                arguments.extend(coordinates);
                if compare { SamplerOp::Gather4Compare } else { SamplerOp::Gather4 }
            }
            TexOp::TxfMs => {
                let op = SamplerOp::load_sample(self.model);
                arguments.push(one(self, MsIndex, Type::UD).unwrap_or(Operand::ud(0)));
                arguments.extend(self.multisample_control(tex, op, &coordinates));
                arguments.extend(coordinates);
                op
            }
            TexOp::TextureSamples => SamplerOp::SampleInfo,
        };
        Ok((op, arguments))
    }

    /// Reads the multisample control data of texels, for their fetch by `op`.
    fn multisample_control(
        &mut self,
        tex: &Tex,
        op: SamplerOp,
        coordinates: &[Operand],
    ) -> Components {
        let channels = u32::from(self.program.width);
        let per = channels / 8;
        let mlen = coordinates.len() as u32 * per;
        let payload = self.sampler_payload(None, coordinates, (0, channels), mlen);
        let is_short = self.model.devinfo().short_sampler_response;
        let rlen = per * if is_short { op.control_dwords() } else { 4 };
        let data = Operand::vgrf(self.program.vreg(rlen), Type::UD);
        let width = if per == 2 { SamplerWidth::Simd16 } else { SamplerWidth::Simd8 };
        let surface = self.bindings.texture + tex.texture;
        let message = sends::sampler(SamplerOp::LoadMcs, width, surface, 0, false, mlen, rlen);
        self.builder().emit(Op::Send, data, &[payload]).message = Some(message);
        (0..op.control_dwords()).map(|n| data.byte_offset(n * per * REG_SIZE)).collect()
    }

    /// Arguments of a fetch: u, lod, v, r, or u, v, lod, r.
    fn fetch_arguments(&self, mut coordinates: Vec<Operand>, lod: Operand) -> Vec<Operand> {
        let place = if self.model.devinfo().fetch_level_second { 1 } else { 2 };
        while coordinates.len() < place {
            coordinates.push(Operand::d(0));
        }
        coordinates.insert(place, lod);
        coordinates
    }

    /// Coordinates of a fetch with the texel offset added.
    fn offset_coordinates(
        &mut self,
        offset: &[Operand],
        mut coordinates: Vec<Operand>,
    ) -> Vec<Operand> {
        for (coordinate, &add) in coordinates.iter_mut().zip(offset) {
            let mut b = self.builder();
            let sum = b.temp(Type::D);
            b.emit(Op::Add, sum, &[*coordinate, add]);
            *coordinate = sum;
        }
        coordinates
    }
}

/// Dword 2 of the header, if the message needs one: texel offsets, gathered component. The query of
/// samples is nothing but a header.
fn header_dword(tex: &Tex, offset: &[Operand]) -> Result<Option<u32>, CompileError> {
    if tex.op == TexOp::TextureSamples {
        return Ok(Some(0));
    }
    if tex.op == TexOp::Tg4 {
        return Ok(Some(u32::from(tex.gather & 3) << 16 | offset_nibbles(offset).unwrap_or(0)));
    }
    if offset.is_empty() || tex.op == TexOp::Txf {
        return Ok(None);
    }
    let nibbles = offset_nibbles(offset)
        .ok_or_else(|| CompileError::lower("texel offsets must be constants between -8 and 7"))?;
    Ok((nibbles != 0).then_some(nibbles))
}

/// Constant texel offsets as nibbles of the header: u in bits 11:8, v in 7:4, r in 3:0. `None` if
/// they vary or are too large.
fn offset_nibbles(offset: &[Operand]) -> Option<u32> {
    let constants: Option<Vec<u64>> = offset.iter().map(Operand::imm_bits).collect();
    texel_offset_nibbles(&constants?)
}
