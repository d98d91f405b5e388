//! `BIND`, and arguments of OpenCL kernels.

use super::parser::Parser;
use crate::blank;
use crate::check;
use crate::formats::Type;
use crate::model::{
    Binding, BufferId, ColorAttachment, DescriptorKind, KernelArgument, KernelPlace, Pipeline,
    Place, Resource, SamplerId, ShaderLanguage,
};
use crate::text::Step;
use crate::tokens::{Kind, Token, number};
use crate::values::encode_cut;

/// Kinds of descriptors by their names.
const KINDS: &[(&str, DescriptorKind)] = &[
    ("uniform", DescriptorKind::Uniform),
    ("uniform_dynamic", DescriptorKind::UniformDynamic),
    ("storage", DescriptorKind::Storage),
    ("storage_dynamic", DescriptorKind::StorageDynamic),
    ("storage_image", DescriptorKind::StorageImage),
    ("sampled_image", DescriptorKind::SampledImage),
    ("combined_image_sampler", DescriptorKind::CombinedImageSampler),
    ("uniform_texel_buffer", DescriptorKind::UniformTexelBuffer),
    ("storage_texel_buffer", DescriptorKind::StorageTexelBuffer),
];

fn is_image(kind: DescriptorKind) -> bool {
    matches!(
        kind,
        DescriptorKind::StorageImage
            | DescriptorKind::SampledImage
            | DescriptorKind::CombinedImageSampler
    )
}

fn is_dynamic(kind: DescriptorKind) -> bool {
    matches!(kind, DescriptorKind::UniformDynamic | DescriptorKind::StorageDynamic)
}

fn has_range(kind: DescriptorKind) -> bool {
    is_dynamic(kind) || matches!(kind, DescriptorKind::Uniform | DescriptorKind::Storage)
}

fn resource(buffer: Option<BufferId>, sampler: Option<SamplerId>) -> Resource {
    Resource { buffer, sampler, base_mip_level: 0, dynamic_offset: 0, offset: 0, range: None }
}

impl<'a> Parser<'a> {
    pub(super) fn bind(&mut self, pipeline: &mut Pipeline, start: &Token<'a>) -> Step<()> {
        let (object, token) = self.cursor.word("`BUFFER`, `SAMPLER` or an array of them")?;
        match object {
            "BUFFER" | "BUFFER_ARRAY" => {
                self.bind_buffers(pipeline, start, object == "BUFFER_ARRAY")?;
            }
            "SAMPLER" | "SAMPLER_ARRAY" => {
                self.bind_samplers(pipeline, start, object == "SAMPLER_ARRAY")?;
            }
            "ACCELERATION_STRUCTURE" => self.bind_acceleration_structure()?,
            _ => return Err(token.fault("expected `BUFFER`, `SAMPLER` or an array of them")),
        }
        self.cursor.end_of_line("BIND")
    }

    fn bind_buffers(
        &mut self,
        pipeline: &mut Pipeline,
        start: &Token<'a>,
        is_array: bool,
    ) -> Step<()> {
        let (first, name) = self.buffer_name()?;
        let mut buffers = vec![first];
        while is_array
            && !["AS", "KERNEL", "DESCRIPTOR_SET"].iter().any(|w| self.cursor.peek().is(w))
        {
            buffers.push(self.buffer_name()?.0);
        }
        if is_array && buffers.len() < 2 {
            return Err(name.fault("an array of one buffer"));
        }
        if !self.cursor.accept("AS") {
            return self.descriptor(pipeline, start, DescriptorKind::Kernel, &buffers, None);
        }
        let (word, token) = self.cursor.word("a kind of buffer")?;
        match word {
            "color" => self.bind_color(pipeline, first, &name),
            "depth_stencil" => {
                if pipeline.depth_stencil.is_some() {
                    return Err(name.fault("a second depth and stencil attachment"));
                }
                pipeline.depth_stencil = Some(first);
                self.make_image(first);
                Ok(())
            }
            "resolve" => {
                pipeline.resolves.push(first);
                self.make_image(first);
                Ok(())
            }
            "push_constant" => {
                if pipeline.push_constants.is_some() {
                    return Err(name.fault("a second buffer of push constants"));
                }
                pipeline.push_constants = Some(first);
                Ok(())
            }
            _ => {
                let known = KINDS.iter().find(|(name, _)| *name == word);
                let (_, kind) = known.ok_or_else(|| token.fault("unknown kind of buffer"))?;
                let mut sampler = None;
                if *kind == DescriptorKind::CombinedImageSampler {
                    self.cursor.keyword("SAMPLER")?;
                    sampler = Some(self.sampler_name()?);
                }
                self.descriptor(pipeline, start, *kind, &buffers, sampler)
            }
        }
    }

    fn bind_color(
        &mut self,
        pipeline: &mut Pipeline,
        buffer: BufferId,
        name: &Token<'a>,
    ) -> Step<()> {
        self.cursor.keyword("LOCATION")?;
        let location = self.cursor.unsigned("a location")?;
        let base_mip_level = self.base_mip_level(&[buffer])?;
        if pipeline.colors.iter().any(|known| known.location == location) {
            return Err(name.fault("a second color attachment at this location"));
        }
        if pipeline.colors.iter().any(|known| known.buffer == buffer) {
            return Err(name.fault("a color attachment that is bound twice"));
        }
        if pipeline.colors.len() >= check::ATTRIBUTE_LIMIT {
            return Err(name.fault("too many color attachments"));
        }
        pipeline.colors.push(ColorAttachment { buffer, location, base_mip_level });
        self.make_image(buffer);
        Ok(())
    }

    /// Reads `BASE_MIP_LEVEL` and its number, which all buffers must have.
    fn base_mip_level(&mut self, buffers: &[BufferId]) -> Step<u32> {
        if !self.cursor.accept("BASE_MIP_LEVEL") {
            return Ok(0);
        }
        let token = self.cursor.peek();
        let level = self.cursor.unsigned("a level of mipmaps")?;
        let levels = |id: &BufferId| self.script.buffer(*id).image.map_or(1, |i| i.mip_levels);
        if buffers.iter().any(|id| level >= levels(id)) {
            return Err(token.fault("a level of mipmaps that the image does not have"));
        }
        Ok(level)
    }

    fn make_image(&mut self, id: BufferId) {
        let buffer = &mut self.script.buffers[id.index()];
        buffer.image.get_or_insert(blank::PLAIN_IMAGE);
    }

    fn descriptor(
        &mut self,
        pipeline: &mut Pipeline,
        start: &Token<'a>,
        kind: DescriptorKind,
        buffers: &[BufferId],
        sampler: Option<SamplerId>,
    ) -> Step<()> {
        let place = self.place()?;
        let mut resources: Vec<Resource> =
            buffers.iter().map(|buffer| resource(Some(*buffer), sampler)).collect();
        if is_image(kind) {
            let level = self.base_mip_level(buffers)?;
            for (resource, buffer) in resources.iter_mut().zip(buffers) {
                resource.base_mip_level = level;
                self.make_image(*buffer);
            }
        }
        if is_dynamic(kind) {
            self.cursor.keyword("OFFSET")?;
            for resource in &mut resources {
                resource.dynamic_offset = self.cursor.unsigned("an offset for each buffer")?;
            }
        }
        if has_range(kind) && self.cursor.accept("DESCRIPTOR_OFFSET") {
            for resource in &mut resources {
                resource.offset = self.cursor.unsigned64("an offset for each buffer")?;
            }
        }
        if has_range(kind) && self.cursor.accept("DESCRIPTOR_RANGE") {
            for resource in &mut resources {
                resource.range = self.range()?;
            }
        }
        set_binding(pipeline, Binding { span: self.span_from(start), place, kind, resources });
        Ok(())
    }

    /// Reads a range in bytes; -1 is the whole buffer.
    fn range(&mut self) -> Step<Option<u64>> {
        if let Kind::Integer { negative: true, magnitude: Some(1) } = self.cursor.peek().kind {
            self.cursor.next();
            return Ok(None);
        }
        let range = self.cursor.unsigned64("a range for each buffer")?;
        Ok(if range == u64::MAX { None } else { Some(range) })
    }

    fn bind_samplers(
        &mut self,
        pipeline: &mut Pipeline,
        start: &Token<'a>,
        is_array: bool,
    ) -> Step<()> {
        let mut samplers = vec![self.sampler_name()?];
        while is_array && !["KERNEL", "DESCRIPTOR_SET"].iter().any(|w| self.cursor.peek().is(w)) {
            samplers.push(self.sampler_name()?);
        }
        if is_array && samplers.len() < 2 {
            return Err(start.fault("an array of one sampler"));
        }
        let place = self.place()?;
        let resources = samplers.iter().map(|sampler| resource(None, Some(*sampler))).collect();
        let span = self.span_from(start);
        set_binding(pipeline, Binding { span, place, kind: DescriptorKind::Sampler, resources });
        Ok(())
    }

    fn bind_acceleration_structure(&mut self) -> Step<()> {
        let (name, token) = self.cursor.word("the name of an acceleration structure")?;
        if self.names.acceleration_structures.get(name) != Some(&true) {
            return Err(token.fault("unknown acceleration structure of the top level"));
        }
        self.place()?;
        Ok(())
    }

    /// Reads `DESCRIPTOR_SET … BINDING …` or `KERNEL …`.
    fn place(&mut self) -> Step<Place> {
        if self.cursor.accept("KERNEL") {
            return Ok(Place::Kernel(self.kernel_place()?));
        }
        self.cursor.keyword("DESCRIPTOR_SET")?;
        let set = self.cursor.unsigned("a descriptor set")?;
        self.cursor.keyword("BINDING")?;
        let binding = self.cursor.unsigned("a binding")?;
        Ok(Place::Slot { set, binding })
    }

    fn kernel_place(&mut self) -> Step<KernelPlace> {
        let (word, token) = self.cursor.word("`ARG_NAME` or `ARG_NUMBER`")?;
        match word {
            "ARG_NAME" => Ok(KernelPlace::Name(self.cursor.word("an argument")?.0.to_owned())),
            "ARG_NUMBER" => Ok(KernelPlace::Number(self.cursor.unsigned("an argument")?)),
            _ => Err(token.fault("expected `ARG_NAME` or `ARG_NUMBER`")),
        }
    }

    /// Reads `SET KERNEL … AS type value`.
    pub(super) fn kernel_argument(&mut self, pipeline: &mut Pipeline) -> Step<()> {
        let kernel = self.cursor.keyword("KERNEL")?;
        let first = pipeline.stages.first().map(|stage| self.script.shader(stage.shader).language);
        if first != Some(ShaderLanguage::OpenClC) {
            return Err(kernel.fault("arguments are for OpenCL C only"));
        }
        let place = self.kernel_place()?;
        self.cursor.keyword("AS")?;
        let (name, token) = self.cursor.word("a type")?;
        let Some(Type::Number(ty)) = self.type_named(name) else {
            return Err(token.fault("unknown type"));
        };
        if ty.columns * ty.rows != 1 || ty.array {
            return Err(token.fault("a type of one number is needed"));
        }
        let token = self.cursor.next();
        let bits = number(&token).and_then(|value| encode_cut(value, ty.numeric, ty.bits));
        let bits = bits.ok_or_else(|| token.fault("expected a number of the type"))?;
        let bytes = bits.to_le_bytes()[..(ty.bits / 8) as usize].to_vec();
        pipeline.kernel_arguments.push(KernelArgument { place, bytes });
        self.cursor.end_of_line("SET")
    }
}

/// Adds a binding in place of one at the same place.
fn set_binding(pipeline: &mut Pipeline, new: Binding) {
    pipeline.bindings.retain(|known| known.place != new.place);
    pipeline.bindings.push(new);
}
