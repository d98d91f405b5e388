//! Texture instructions to sampler messages.

use super::translate::{Components, Translator};
use crate::bir::{Op, Operand, REG_SIZE, Type};
use crate::error::CompileError;
use crate::sends::{self, SamplerOp, SamplerWidth};
use ir::{Dim, Tex, TexOp, TexSrcKind, Value};

/// Payload registers of a message beyond which it takes eight channels at a time.
const MAX_MLEN: u32 = 11;

impl Translator<'_> {
    /// Emits a texture instruction.
    pub(super) fn emit_texture(&mut self, tex: &Tex, result: Value) -> Result<(), CompileError> {
        if let Some(index) = tex.src(TexSrcKind::TextureOffset).or(tex.src(TexSrcKind::SamplerOffset)) {
            let count = self.shader.info.samplers.saturating_sub(tex.texture);
            return self.emit_ladder(index, count, result, |t, unit| {
                let mut one = tex.clone();
                one.srcs.retain(|(k, _)| !matches!(k, TexSrcKind::TextureOffset | TexSrcKind::SamplerOffset));
                one.texture += unit;
                one.sampler += unit;
                t.emit_one_texture(&one, result)
            });
        }
        let components = self.emit_one_texture(tex, result)?;
        self.set(result, components);
        Ok(())
    }

    /// Emits a texture instruction on a known unit; gives what `result` shall be.
    fn emit_one_texture(&mut self, tex: &Tex, result: Value) -> Result<Components, CompileError> {
        if tex.gather_offsets.is_some() || tex.src(TexSrcKind::MinLod).is_some() {
            return Err(CompileError::lower(format!("this form of {} must be lowered", tex.op.name())));
        }
        let (op, arguments) = self.sampler_arguments(tex)?;
        let header = self.header_dword(tex)?;
        let channels = u32::from(self.program.width);
        let mlen = |n: u32| u32::from(header.is_some()) + arguments.len() as u32 * (n / 8);
        // More than five arguments, or gradients, exist for eight channels only.
        let narrow = channels > 8 && (mlen(channels) > MAX_MLEN || tex.op == TexOp::Txd);
        let step = if narrow { 8 } else { channels };
        let per = step / 8;
        let mut parts: Vec<Operand> = Vec::new();
        for group in (0..channels).step_by(step as usize) {
            let regs = mlen(step);
            let payload = Operand::vgrf(self.program.vreg(regs), Type::UD);
            let data = Operand::vgrf(self.program.vreg(4 * per), Type::UD);
            let (texture_base, unit, sampler) = (self.texture_base, tex.texture, tex.sampler);
            let mut b = self.builder();
            let mut at = 0;
            if let Some(dword) = header {
                let mut all = b.all_channels(8);
                all.mov(payload, Operand::grf(0, Type::UD));
                all.all_channels(1).mov(payload.byte_offset(8), Operand::ud(dword));
                at = REG_SIZE;
            }
            let mut b = b.sub_group(step as u8, group as u8);
            for argument in &arguments {
                if let Some(argument) = argument {
                    b.mov(payload.byte_offset(at).retype(argument.ty), argument.channel_offset(group));
                }
                at += per * REG_SIZE;
            }
            let width = if per == 2 { SamplerWidth::Simd16 } else { SamplerWidth::Simd8 };
            let send = b.emit(Op::Send, data, &[payload]);
            send.message = Some(sends::sampler(
                op,
                width,
                texture_base + unit,
                sampler,
                header.is_some(),
                regs,
                4 * per,
            ));
            parts.push(data);
        }
        Ok(self.texture_result(tex, result, &parts, narrow))
    }

    /// Names the registers of the response, joining halves where the message was split.
    fn texture_result(&mut self, tex: &Tex, result: Value, parts: &[Operand], narrow: bool) -> Components {
        let stride = if narrow { 1 } else { u32::from(self.program.width / 8) };
        let ty = self.raw_type(result);
        let count = self.shader.components(result);
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

    /// Dword 2 of the header, if the message needs one: texel offsets, gathered component.
    fn header_dword(&self, tex: &Tex) -> Result<Option<u32>, CompileError> {
        let mut dword = 0;
        if tex.op == TexOp::Tg4 {
            dword |= u32::from(tex.gather & 3) << 16;
        }
        if let Some(offset) = tex.src(TexSrcKind::Offset)
            && tex.op != TexOp::Txf
        {
            let Some(constant) = self.shader.as_const(offset) else {
                return Err(CompileError::lower("texture offsets must be constant"));
            };
            for (i, &value) in constant.iter().enumerate().take(usize::from(self.shader.components(offset))) {
                // Nibbles: u in bits 11:8, v in 7:4, r in 3:0.
                dword |= (value as u32 & 0xf) << (8 - 4 * i.min(2));
            }
        }
        Ok((dword != 0 || tex.op == TexOp::Tg4).then_some(dword))
    }

    /// Message type and arguments in payload order; `None` stands for a register whose value does not matter.
    fn sampler_arguments(&mut self, tex: &Tex) -> Result<(SamplerOp, Vec<Option<Operand>>), CompileError> {
        use TexSrcKind::*;
        let components = usize::from(tex.coord_components());
        let float = Type::F;
        let coordinate = |t: &Self, ty: Type| -> Vec<Option<Operand>> {
            let Some(value) = tex.src(Coord) else { return Vec::new() };
            (0..t.shader.components(value)).take(components).map(|c| Some(t.get(value, c, ty))).collect()
        };
        let one = |t: &Self, kind: TexSrcKind, ty: Type| tex.src(kind).map(|v| t.get(v, 0, ty));
        let mut arguments: Vec<Option<Operand>> = Vec::new();
        let comparator = if tex.shadow { one(self, Comparator, float) } else { None };
        let op = match tex.op {
            TexOp::Tex => {
                arguments.extend(comparator.map(Some));
                arguments.extend(coordinate(self, float));
                if comparator.is_some() { SamplerOp::SampleCompare } else { SamplerOp::Sample }
            }
            TexOp::Txb | TexOp::Txl => {
                arguments.extend(comparator.map(Some));
                let kind = if tex.op == TexOp::Txb { Bias } else { Lod };
                arguments.push(one(self, kind, float));
                arguments.extend(coordinate(self, float));
                match (tex.op, comparator.is_some()) {
                    (TexOp::Txb, false) => SamplerOp::SampleBias,
                    (TexOp::Txb, true) => SamplerOp::SampleBiasCompare,
                    (_, false) => SamplerOp::SampleLod,
                    (_, true) => SamplerOp::SampleLodCompare,
                }
            }
            TexOp::Txd => {
                if comparator.is_some() {
                    return Err(CompileError::lower("shadow gradients must be lowered"));
                }
                let (ddx, ddy) = (tex.src(Ddx), tex.src(Ddy));
                for (c, coordinate) in coordinate(self, float).into_iter().enumerate() {
                    arguments.push(coordinate);
                    for gradient in [ddx, ddy].into_iter().flatten() {
                        if c < usize::from(tex.dim.coord_components()) {
                            arguments.push(Some(self.get(gradient, c as u8, float)));
                        }
                    }
                }
                SamplerOp::SampleDerivatives
            }
            TexOp::Txf => {
                let coordinates = self.offset_coordinates(tex, coordinate(self, Type::D));
                let lod = one(self, Lod, Type::D).unwrap_or(Operand::d(0));
                let mut coordinates = coordinates.into_iter();
                // u, lod, v, r
                arguments.extend(coordinates.next());
                arguments.push(Some(lod));
                arguments.extend(coordinates);
                SamplerOp::Load
            }
            TexOp::Txs | TexOp::QueryLevels => {
                arguments.push(Some(one(self, Lod, Type::UD).unwrap_or(Operand::ud(0))));
                SamplerOp::ResInfo
            }
            TexOp::Lod => {
                arguments.extend(coordinate(self, float));
                SamplerOp::Lod
            }
            TexOp::Tg4 => {
                arguments.extend(comparator.map(Some));
                arguments.extend(coordinate(self, float));
                if comparator.is_some() { SamplerOp::Gather4Compare } else { SamplerOp::Gather4 }
            }
            TexOp::TxfMs | TexOp::TextureSamples => {
                return Err(CompileError::lower(format!("{} is not supported", tex.op.name())));
            }
        };
        Ok((op, arguments))
    }

    /// Coordinates of a fetch with the texel offset added.
    fn offset_coordinates(&mut self, tex: &Tex, coordinates: Vec<Option<Operand>>) -> Vec<Option<Operand>> {
        let Some(offset) = tex.src(TexSrcKind::Offset) else { return coordinates };
        let mut out = Vec::new();
        for (c, coordinate) in coordinates.into_iter().enumerate() {
            let Some(coordinate) = coordinate else {
                out.push(None);
                continue;
            };
            if c >= usize::from(self.shader.components(offset)) {
                out.push(Some(coordinate));
                continue;
            }
            let add = self.get(offset, c as u8, Type::D);
            let mut b = self.builder();
            let sum = b.temp(Type::D);
            b.emit(Op::Add, sum, &[coordinate, add]);
            out.push(Some(sum));
        }
        out
    }
}
