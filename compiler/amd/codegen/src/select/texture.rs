//! Textures: instructions of MIMG with a sampler, fetches of texels, sizes.
//!
//! The address of an access is a group of registers: texel offsets, bias, reference value,
//! derivatives, coordinates, layer or face, level.

use super::{Held, Selection, Step};
use crate::machine::{Arg, File, Part, ZERO, bits, constant, int};
use crate::output::Resource;
use amd_isa::{Chip, Format, Modifiers, Opcode};
use ir::{Dim, Tex, TexOp, TexSrcKind, Value};

/// An access to an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub opcode: Opcode,
    /// Registers of the address.
    pub address: Part,
    pub modifiers: Modifiers,
}

/// Parts of an address that come before the coordinates.
#[derive(Clone, Debug, Default)]
struct Prefix {
    parts: Vec<Arg>,
    offset: bool,
    reference: bool,
}

/// Level of detail of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// From the neighbors.
    Implicit,
    Bias(Arg),
    Given(Arg),
    Gradients(Value, Value),
}

impl Selection<'_> {
    /// An operation on a texture.
    pub(crate) fn texture(&mut self, tex: &Tex, result: Value) -> Step {
        if tex.src(TexSrcKind::MinLod).is_some() {
            return self.unsupported("a lower limit of the level");
        }
        let dynamic = tex.src(TexSrcKind::TextureOffset);
        let texture = self.image_resource(Resource::Texture, tex.texture, dynamic)?;
        if tex.dim == Dim::Buffer {
            return self.buffer_texture(tex, texture, result);
        }
        match tex.op {
            TexOp::Tex | TexOp::Txb | TexOp::Txl | TexOp::Txd | TexOp::Lod => {
                let access = self.sample(tex)?;
                self.look_up(tex, texture, access, result)
            }
            TexOp::Tg4 => self.gather_texels(tex, texture, result),
            TexOp::Txf | TexOp::TxfMs => {
                let access = self.fetch(tex)?;
                self.look_up(tex, texture, access, result)
            }
            TexOp::Txs | TexOp::QueryLevels => self.texture_size(tex, texture, result),
            TexOp::TextureSamples => {
                // The logarithm is where other textures have the last level.
                let (log, to) = (self.e.scalar(), self.result_in(result, File::Scalar));
                self.e.sop2(Opcode::SBfeU32, log, texture.at(3), int(16 | 4 << 16));
                self.e.sop2(Opcode::SLshlB32, to, int(1), log);
                Ok(())
            }
        }
    }

    /// The level of a sample; without neighbors it is the base level plus the bias.
    fn level(&self, tex: &Tex) -> Step<Level> {
        let source = |kind: TexSrcKind| tex.src(kind).map(|value| self.dword(value, 0)).transpose();
        let neighbors = self.has_neighbors();
        let gradients = (tex.src(TexSrcKind::Ddx), tex.src(TexSrcKind::Ddy));
        Ok(match (tex.op, gradients) {
            (TexOp::Txd, (Some(dx), Some(dy))) => Level::Gradients(dx, dy),
            (TexOp::Txb, _) => {
                let bias = source(TexSrcKind::Bias)?.unwrap_or(ZERO);
                if neighbors { Level::Bias(bias) } else { Level::Given(bias) }
            }
            (TexOp::Txl, _) => Level::Given(source(TexSrcKind::Lod)?.unwrap_or(ZERO)),
            _ if neighbors => Level::Implicit,
            _ => Level::Given(ZERO),
        })
    }

    fn prefix(&mut self, tex: &Tex, offset: Option<Arg>) -> Step<Prefix> {
        let mut prefix = Prefix::default();
        if let Some(offset) = offset.filter(|offset| *offset != ZERO) {
            prefix.offset = true;
            prefix.parts.push(offset);
        }
        if let (true, Some(reference)) = (tex.shadow, tex.src(TexSrcKind::Comparator)) {
            prefix.reference = true;
            let reference = self.dword(reference, 0)?;
            prefix.parts.push(reference);
        }
        Ok(prefix)
    }

    fn sample(&mut self, tex: &Tex) -> Step<Access> {
        let level = self.level(tex)?;
        let offset = self.packed_offset(tex)?;
        let mut prefix = self.prefix(tex, offset)?;
        let coordinates = self.coordinates(tex)?;
        if tex.op == TexOp::Lod {
            let modifiers =
                Modifiers { da: tex.dim == Dim::Cube, unorm: unnormalized(tex), ..at_most(2) };
            return Ok(self.access(Opcode::ImageGetLod, &coordinates, modifiers));
        }
        let mut tail = None;
        let kind = match level {
            Level::Implicit => Kind::Implicit,
            Level::Given(Arg::Fixed(operand)) if constant(operand) == 0 => Kind::Zero,
            Level::Given(level) => {
                tail = Some(level);
                Kind::Level
            }
            Level::Bias(bias) => {
                prefix.parts.insert(usize::from(prefix.offset), bias);
                Kind::Bias
            }
            Level::Gradients(dx, dy) => {
                let gradients = self.gradients(tex, [dx, dy])?;
                prefix.parts.extend(gradients);
                Kind::Gradients
            }
        };
        let opcode = sample_opcode(kind, prefix.reference, prefix.offset);
        let mut address = prefix.parts;
        address.extend(coordinates);
        address.extend(tail);
        let modifiers = Modifiers { da: is_layered(tex), unorm: unnormalized(tex), ..at_most(4) };
        Ok(self.access(opcode, &address, modifiers))
    }

    fn gather_texels(&mut self, tex: &Tex, texture: Part, result: Value) -> Step {
        let coordinates = self.coordinates(tex)?;
        let channel = if tex.shadow { 0 } else { tex.gather & 3 };
        let modifiers = Modifiers {
            da: is_layered(tex),
            unorm: unnormalized(tex),
            dmask: 1 << channel,
            ..Modifiers::default()
        };
        let gather = |s: &mut Self, offset: Option<Arg>| -> Step<Access> {
            let prefix = s.prefix(tex, offset)?;
            let opcode = match (prefix.reference, prefix.offset) {
                (false, false) => Opcode::ImageGather4Lz,
                (false, true) => Opcode::ImageGather4LzO,
                (true, false) => Opcode::ImageGather4CLz,
                (true, true) => Opcode::ImageGather4CLzO,
            };
            let mut address = prefix.parts;
            address.extend(&coordinates);
            Ok(s.access(opcode, &address, modifiers))
        };
        let Some(offsets) = tex.gather_offsets else {
            let offset = self.packed_offset(tex)?;
            let access = gather(self, offset)?;
            return self.look_up(tex, texture, access, result);
        };
        // One gather per offset: of its four texels the last one is the footprint's corner.
        let mut corners = Held::new();
        for pair in offsets {
            let packed = pair.iter().rev().fold(0, |bits, o| bits << 8 | u32::from(*o as u8 & 63));
            let access = gather(self, Some(bits(self.chip(), packed)))?;
            let texels = self.issue(tex, texture, access, 4)?;
            corners.push(texels.at(3).into());
        }
        self.set(result, corners);
        Ok(())
    }

    fn fetch(&mut self, tex: &Tex) -> Step<Access> {
        let mut address = Vec::new();
        if let Some(coordinate) = tex.src(TexSrcKind::Coord) {
            for component in 0..tex.coord_components() {
                address.push(self.dword(coordinate, component)?);
            }
        }
        if let Some(offset) = tex.src(TexSrcKind::Offset) {
            for component in 0..self.shader.components(offset) {
                let offset = self.dword(offset, component)?;
                if offset == ZERO {
                    continue;
                }
                let sum = self.e.vector();
                self.add(sum, address[usize::from(component)], offset);
                address[usize::from(component)] = sum.into();
            }
        }
        let mut opcode = Opcode::ImageLoad;
        if let Some(sample) = tex.src(TexSrcKind::MsIndex) {
            address.push(self.dword(sample, 0)?);
        } else if let Some(level) = tex.src(TexSrcKind::Lod) {
            let level = self.dword(level, 0)?;
            if level != ZERO {
                opcode = Opcode::ImageLoadMip;
                address.push(level);
            }
        }
        let modifiers = Modifiers { da: is_layered(tex), unorm: true, ..at_most(4) };
        Ok(self.access(opcode, &address, modifiers))
    }

    /// Width, height, depth or layers, and levels.
    fn texture_size(&mut self, tex: &Tex, texture: Part, result: Value) -> Step {
        let level = match tex.src(TexSrcKind::Lod) {
            Some(level) if tex.op == TexOp::Txs => self.dword(level, 0)?,
            _ => ZERO,
        };
        let levels = tex.op == TexOp::QueryLevels;
        let components = self.shader.components(result);
        let dmask = if levels { 8 } else { (1 << components) - 1 };
        self.size(texture, level, dmask, tex.dim == Dim::Cube && tex.array, result)
    }

    /// The size of an image; the result has the channels of the mask.
    pub(crate) fn size(
        &mut self,
        image: Part,
        level: Arg,
        dmask: u8,
        is_cube_array: bool,
        result: Value,
    ) -> Step {
        let modifiers = Modifiers { dmask, ..Modifiers::default() };
        let access = self.access(Opcode::ImageGetResinfo, &[level], modifiers);
        let count = dmask.count_ones() as u8;
        let size = self.e.reg(File::Vector, count);
        self.push_image(&access, size, image, None);
        if is_cube_array && count == 3 {
            // The hardware counts the faces: division by six, as the upper half of a product.
            let inverse = bits(self.chip(), 0xaaaa_aaab);
            let product = self.e.valu1(Opcode::VMulHiU32, &[inverse.into(), size.at(2).into()]);
            let layers = self.e.valu1(Opcode::VLshrrevB32, &[int(2).into(), product.into()]);
            let held = [size.into(), size.at(1).into(), layers.into()];
            self.set(result, Held::from_slice(&held));
            return Ok(());
        }
        self.set_parts(result, size);
        Ok(())
    }

    /// Issues an access and takes its texels as the result.
    fn look_up(&mut self, tex: &Tex, texture: Part, access: Access, result: Value) -> Step {
        let count = self.shader.components(result);
        let mut access = access;
        let gathers = tex.op == TexOp::Tg4;
        if !gathers {
            access.modifiers.dmask &= (1 << count) - 1;
        }
        let texels = self.issue(tex, texture, access, if gathers { 4 } else { count })?;
        self.set_parts(result, texels);
        Ok(())
    }

    fn issue(&mut self, tex: &Tex, texture: Part, access: Access, count: u8) -> Step<Part> {
        let to = self.e.reg(File::Vector, count);
        let fetches = matches!(tex.op, TexOp::Txf | TexOp::TxfMs);
        let sampler = if fetches {
            None
        } else {
            Some(self.sampler_descriptor(tex.sampler, tex.src(TexSrcKind::SamplerOffset))?)
        };
        self.push_image(&access, to, texture, sampler);
        Ok(to)
    }

    /// Returns an access with its address in consecutive registers.
    pub(crate) fn access(
        &mut self,
        opcode: Opcode,
        address: &[Arg],
        modifiers: Modifiers,
    ) -> Access {
        let dwords = address.len() as u8;
        let address = self.consecutive(address);
        let modifiers = Modifiers { address_dwords: dwords, ..modifiers };
        Access { opcode, address, modifiers }
    }

    /// The values in consecutive vector registers.
    pub(crate) fn consecutive(&mut self, values: &[Arg]) -> Part {
        if let Some(&Arg::Part(first)) = values.first()
            && self.e.is_vector(first.into())
            && values.iter().zip(0..).all(|(&value, at)| value == first.at(at).into())
        {
            return first;
        }
        let group = self.e.reg(File::Vector, values.len() as u8);
        for (&value, at) in values.iter().zip(0..) {
            self.e.copy(group.at(at), value);
        }
        group
    }

    /// Adds the instruction of an access.
    pub(crate) fn push_image(
        &mut self,
        access: &Access,
        data: Part,
        image: Part,
        sampler: Option<Part>,
    ) {
        let mut args: Vec<Arg> = vec![data.into(), access.address.into(), image.into()];
        args.extend(sampler.map(Arg::Part));
        self.e.push(Format::Mimg, access.opcode, &args, access.modifiers);
    }

    /// The texel offsets as one dword: six bits each.
    fn packed_offset(&mut self, tex: &Tex) -> Step<Option<Arg>> {
        let Some(offset) = tex.src(TexSrcKind::Offset) else { return Ok(None) };
        let mut known = 0;
        let mut packed: Option<Part> = None;
        for component in 0..self.shader.components(offset) {
            let shift = 8 * u32::from(component);
            let value = self.dword(offset, component)?;
            if let Arg::Fixed(operand) = value {
                known |= (constant(operand) & 63) << shift;
                continue;
            }
            let low = self.e.valu1(Opcode::VAndB32, &[int(63).into(), value.into()]);
            let shift = int(shift as i32);
            let placed = self.e.valu1(Opcode::VLshlrevB32, &[shift.into(), low.into()]);
            packed = Some(match packed {
                Some(rest) => self.e.valu1(Opcode::VOrB32, &[rest.into(), placed.into()]),
                None => placed,
            });
        }
        let known = bits(self.chip(), known);
        Ok(Some(match packed {
            None => known,
            Some(rest) if known == ZERO => rest.into(),
            Some(rest) => self.e.valu1(Opcode::VOrB32, &[known.into(), rest.into()]).into(),
        }))
    }

    /// Coordinates as the hardware wants them: layers are rounded, directions are places on faces.
    fn coordinates(&mut self, tex: &Tex) -> Step<Vec<Arg>> {
        let Some(coordinate) = tex.src(TexSrcKind::Coord) else { return Ok(Vec::new()) };
        let mut coordinates = Vec::new();
        for component in 0..tex.coord_components() {
            coordinates.push(self.dword(coordinate, component)?);
        }
        if tex.array
            && let Some(layer) = coordinates.pop()
        {
            coordinates.push(self.e.valu1(Opcode::VRndneF32, &[layer.into()]).into());
        }
        if tex.dim == Dim::Cube {
            return Ok(self.on_face(&coordinates));
        }
        Ok(coordinates)
    }

    /// Texels of a buffer.
    fn buffer_texture(&mut self, tex: &Tex, texture: Part, result: Value) -> Step {
        if tex.op == TexOp::Txs {
            let to = self.result_in(result, File::Scalar);
            if self.chip() == Chip::Vi {
                // Bytes: of records of four dwords.
                self.e.sop2(Opcode::SLshrB32, to, texture.at(2), int(4));
            } else {
                self.e.copy(to, texture.at(2));
            }
            return Ok(());
        }
        let Some(coordinate) = tex.src(TexSrcKind::Coord) else {
            return self.unsupported(tex.op.name());
        };
        let index = self.dword(coordinate, 0)?;
        let index = self.e.in_vector(index);
        let to = self.e.reg(File::Vector, 4);
        let modifiers = Modifiers { idxen: true, ..Modifiers::default() };
        let args = [to.into(), index.into(), texture.into(), ZERO];
        self.e.push(Format::Mubuf, Opcode::BufferLoadFormatXyzw, &args, modifiers);
        self.set_parts(result, to);
        Ok(())
    }
}

/// Kind of a sample, by where its level comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Implicit,
    Zero,
    Level,
    Bias,
    Gradients,
}

fn sample_opcode(kind: Kind, reference: bool, offset: bool) -> Opcode {
    use Opcode::*;
    let [plain, with_offset, compared, both] = match kind {
        Kind::Implicit => [ImageSample, ImageSampleO, ImageSampleC, ImageSampleCO],
        Kind::Zero => [ImageSampleLz, ImageSampleLzO, ImageSampleCLz, ImageSampleCLzO],
        Kind::Level => [ImageSampleL, ImageSampleLO, ImageSampleCL, ImageSampleCLO],
        Kind::Bias => [ImageSampleB, ImageSampleBO, ImageSampleCB, ImageSampleCBO],
        Kind::Gradients => [ImageSampleD, ImageSampleDO, ImageSampleCD, ImageSampleCDO],
    };
    match (reference, offset) {
        (false, false) => plain,
        (false, true) => with_offset,
        (true, false) => compared,
        (true, true) => both,
    }
}

/// Modifiers with the first channels.
fn at_most(channels: u8) -> Modifiers {
    Modifiers { dmask: (1 << channels) - 1, ..Modifiers::default() }
}

/// True if the address has a layer or a face.
fn is_layered(tex: &Tex) -> bool {
    tex.array || tex.dim == Dim::Cube
}

/// True if coordinates are texels.
fn unnormalized(tex: &Tex) -> bool {
    tex.dim == Dim::Rect
}
