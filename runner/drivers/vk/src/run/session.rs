//! Execution of a script's commands.

use std::collections::BTreeMap;

use ash::vk;
use shader_tools::Tools;
use vk_script::{
    BufferId, ClearValue, Command, CommandKind, Draw, DrawVertices, PipelineId, PipelineKind,
    Rectangle, Script,
};

use super::attachments::{Attachments, LAYOUTS};
use super::descriptors::{Descriptors, Resources};
use super::graphics::{Description, VertexInput};
use super::images::{Image, Maker};
use super::recording::Recording;
use super::stages::{ReadyStage, ready};
use super::statistics;
use super::store::{ImageIndex, Store};
use crate::arena::{Arena, Object};
use crate::device::{Device, failed};
use crate::features::Facts;
use crate::loader::Instance;
use crate::memory::Mapped;
use crate::outcome::{AttachmentImage, Executable, Flow, fail, simulate, skip};
use vocabulary::{Phase, begin_step};

/// Script and parts of the driver that a session uses.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) instance: &'a Instance,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) facts: &'a Facts,
    pub(super) device: &'a Device,
    pub(super) tools: &'a Tools,
    pub(super) script: &'a Script,
}

/// The execution of a script.
pub(super) struct Session<'a> {
    context: Context<'a>,
    maker: Maker<'a>,
    recording: Recording<'a>,
    arena: &'a mut Arena,
    store: Store,
    images: Vec<Image>,
    pipelines: Vec<Prepared>,
    executables: Vec<Executable>,
    /// Line of the command in execution.
    pub(super) line: Option<u32>,
}

/// A pipeline of the script with its objects.
struct Prepared {
    stages: Vec<ReadyStage>,
    /// The objects that the first command creates.
    bound: Option<Bound>,
    color: [f32; 4],
    depth: f32,
    stencil: u32,
}

/// Objects that the commands of a pipeline use.
struct Bound {
    descriptors: Descriptors,
    target: Option<Attachments>,
    /// Pipelines by topology and kind of vertices; one for compute.
    created: BTreeMap<(i32, bool), vk::Pipeline>,
}

impl<'a> Session<'a> {
    pub(super) fn new(context: Context<'a>, arena: &'a mut Arena) -> Session<'a> {
        let Context { instance, physical, device, script, .. } = context;
        Session {
            context,
            maker: Maker { instance, physical, device, script },
            recording: Recording::new(device, script.requirements.fence_timeout_ms),
            arena,
            store: Store::new(script),
            images: Vec::new(),
            pipelines: Vec::new(),
            executables: Vec::new(),
            line: None,
        }
    }

    /// Makes the modules of all pipelines, then executes the commands.
    pub(super) fn run(&mut self) -> Flow {
        let Context { device, facts, tools, script, .. } = self.context;
        begin_step(Phase::Frontend, Some("driver"), 0);
        for pipeline in &script.pipelines {
            if pipeline.kind == PipelineKind::RayTracing {
                return Err(skip("ray tracing is not supported"));
            }
            let stages = ready(device, facts, tools, self.arena, script, pipeline)?;
            let prepared =
                Prepared { stages, bound: None, color: [0.0; 4], depth: 1.0, stencil: 0 };
            self.pipelines.push(prepared);
        }
        for command in &script.commands {
            self.command(command)?;
        }
        self.recording.finish()
    }

    /// Returns the statistics of all pipelines that were created.
    pub(super) fn executables(&mut self) -> Vec<Executable> {
        std::mem::take(&mut self.executables)
    }

    /// Returns the contents of all color attachments with one sample.
    pub(super) fn attachments(&mut self) -> Vec<AttachmentImage> {
        let script = self.context.script;
        let mut ids: Vec<BufferId> = Vec::new();
        for pipeline in &script.pipelines {
            ids.extend(pipeline.colors.iter().map(|color| color.buffer));
            ids.extend(&pipeline.resolves);
        }
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|&id| script.buffer(id).image.is_none_or(|image| image.samples == 1));
        let read = |id: BufferId| {
            self.bring_to_bytes(id).ok()?;
            Some(AttachmentImage { buffer: id.index(), bytes: self.store.bytes(id).to_vec() })
        };
        ids.into_iter().filter_map(read).collect()
    }

    fn command(&mut self, command: &Command) -> Flow {
        self.line = Some(command.line);
        begin_step(Phase::Simulate, Some("driver"), command.line);
        match &command.kind {
            CommandKind::Dispatch { pipeline, groups } => self.dispatch(*pipeline, *groups),
            CommandKind::Draw { pipeline, draw } => self.draw(*pipeline, draw),
            CommandKind::SetClear { pipeline, value } => {
                let prepared = &mut self.pipelines[pipeline.index()];
                match *value {
                    ClearValue::Color(color) => prepared.color = color,
                    ClearValue::Depth(depth) => prepared.depth = depth,
                    ClearValue::Stencil(stencil) => prepared.stencil = stencil,
                }
                Ok(())
            }
            CommandKind::Clear { pipeline } => self.clear(*pipeline),
            CommandKind::Write { buffer, offset, bytes } => {
                self.bring_to_bytes(*buffer)?;
                let start = *offset as usize;
                let all = self.store.bytes_mut(*buffer);
                let place = all.get_mut(start..).and_then(|rest| rest.get_mut(..bytes.len()));
                place
                    .ok_or_else(|| simulate("the bytes are outside of the buffer"))?
                    .copy_from_slice(bytes);
                Ok(())
            }
            CommandKind::Copy { from, to } => {
                self.bring_to_bytes(*from)?;
                self.bring_to_bytes(*to)?;
                let bytes = self.store.bytes(*from).to_vec();
                let target = self.store.bytes_mut(*to);
                if target.len() != bytes.len() {
                    return Err(simulate("the buffers have different sizes"));
                }
                target.copy_from_slice(&bytes);
                Ok(())
            }
            CommandKind::Repeat { count, commands } => {
                for _ in 0..*count {
                    for command in commands {
                        self.command(command)?;
                    }
                }
                Ok(())
            }
            CommandKind::Expect(expectation) => {
                self.bring_to_bytes(expectation.buffer)?;
                if let Some(other) = expectation.other() {
                    self.bring_to_bytes(other)?;
                }
                let bytes = self.store.bytes(expectation.buffer);
                let other = expectation.other().map(|id| self.store.bytes(id));
                let checked = expectation.check(self.context.script, bytes, other);
                checked.map_err(|mismatch| fail(Phase::Probe, mismatch.message))
            }
        }
    }

    /// Makes the bytes of a buffer its newest contents, and the device idle.
    fn bring_to_bytes(&mut self, id: BufferId) -> Flow {
        match self.store.get(id).newest {
            Some(index) => self.images[index].download(
                &mut self.recording,
                self.context.device,
                self.arena,
                &mut self.store,
            ),
            None => self.recording.finish(),
        }
    }

    /// Creates the objects of a pipeline, unless they exist.
    fn bind(&mut self, id: PipelineId) -> Flow {
        if self.pipelines[id.index()].bound.is_some() {
            return Ok(());
        }
        let pipeline = self.context.script.pipeline(id);
        let target = match pipeline.kind {
            PipelineKind::Graphics => {
                Some(Attachments::make(&self.maker, self.arena, &mut self.images, pipeline)?)
            }
            PipelineKind::Compute | PipelineKind::RayTracing => None,
        };
        let resources = Resources {
            maker: &self.maker,
            arena: self.arena,
            store: &mut self.store,
            images: &mut self.images,
            pipeline,
        };
        let descriptors = resources.make()?;
        let created = BTreeMap::new();
        self.pipelines[id.index()].bound = Some(Bound { descriptors, target, created });
        Ok(())
    }

    fn bound(&self, id: PipelineId) -> Flow<&Bound> {
        let bound = self.pipelines[id.index()].bound.as_ref();
        bound.ok_or_else(|| simulate("the pipeline has no objects"))
    }

    /// Brings the newest contents of the resources of a pipeline to the device.
    fn upload(&mut self, id: PipelineId, with_descriptors: bool) -> Flow {
        let bound = self.bound(id)?;
        let attached: Vec<ImageIndex> =
            bound.target.iter().flat_map(|target| target.images().collect::<Vec<_>>()).collect();
        let (mut described, mut buffers) = (Vec::new(), Vec::new());
        if with_descriptors {
            described.clone_from(&bound.descriptors.images);
            buffers.clone_from(&bound.descriptors.buffers);
        }
        for id in buffers {
            if self.store.get(id).newest.is_some() {
                self.bring_to_bytes(id)?;
            }
        }
        for index in attached.iter().chain(&described).copied() {
            let buffer = self.images[index].buffer;
            let newest = self.store.get(buffer).newest;
            if newest.is_some_and(|newest| newest != index) {
                self.bring_to_bytes(buffer)?;
            }
            let (recording, device) = (&mut self.recording, self.context.device);
            self.images[index].upload(recording, device, self.arena, &mut self.store)?;
        }
        if with_descriptors {
            self.pack(id)?;
        }
        for index in described {
            self.images[index].transition(&mut self.recording, vk::ImageLayout::GENERAL)?;
        }
        for index in attached {
            let image = &mut self.images[index];
            let is_color = image.aspects == vk::ImageAspectFlags::COLOR;
            let layout = LAYOUTS[usize::from(!is_color)];
            image.transition(&mut self.recording, layout)?;
        }
        Ok(())
    }

    /// Brings the newest contents of packed texel buffers to the device.
    fn pack(&mut self, id: PipelineId) -> Flow {
        let ids: Vec<BufferId> =
            self.bound(id)?.descriptors.packed.iter().map(|(buffer, ..)| *buffer).collect();
        for buffer in ids {
            self.bring_to_bytes(buffer)?;
        }
        let Some(bound) = &mut self.pipelines[id.index()].bound else { return Ok(()) };
        for (buffer, packed, version) in &mut bound.descriptors.packed {
            let newest = self.store.get(*buffer).version;
            if std::mem::replace(version, newest) != newest {
                // `bring_to_bytes` has waited for commands that read the old ones.
                packed.fill(self.store.bytes(*buffer));
            }
        }
        Ok(())
    }

    /// Notes that a command changed the resources of a pipeline.
    fn note_changes(&mut self, id: PipelineId, with_descriptors: bool) -> Flow {
        let bound = self.bound(id)?;
        let mut changed: Vec<ImageIndex> =
            bound.target.iter().flat_map(|target| target.images().collect::<Vec<_>>()).collect();
        let mut buffers = Vec::new();
        if with_descriptors {
            changed.extend(&bound.descriptors.written_images);
            buffers.clone_from(&bound.descriptors.written_buffers);
        }
        for id in buffers {
            self.store.get_mut(id).version += 1;
        }
        for index in changed {
            let stored = self.store.get_mut(self.images[index].buffer);
            stored.version += 1;
            stored.newest = Some(index);
            self.images[index].version = stored.version;
        }
        Ok(())
    }

    fn dispatch(&mut self, id: PipelineId, groups: [u32; 3]) -> Flow {
        let most = self.context.device.limits.max_compute_work_group_count;
        if groups.iter().zip(most).any(|(&count, most)| count > most) {
            return Err(skip(format!("the driver has at most {most:?} work groups")));
        }
        self.bind(id)?;
        let pipeline = self.compute_pipeline(id)?;
        self.upload(id, true)?;
        let commands = self.recording.commands()?;
        self.bind_descriptors(id, commands, vk::PipelineBindPoint::COMPUTE)?;
        let raw = &self.context.device.raw;
        let [x, y, z] = groups;
        // SAFETY: the command buffer records outside of a render pass; everything that the pipeline
        // uses lives until the end of the script.
        unsafe {
            raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            raw.cmd_dispatch(commands, x, y, z);
        }
        self.note_changes(id, true)
    }

    fn compute_pipeline(&mut self, id: PipelineId) -> Flow<vk::Pipeline> {
        if let Some(&created) = self.bound(id)?.created.get(&(0, false)) {
            return Ok(created);
        }
        let layout = self.bound(id)?.descriptors.layout;
        let stage = self.pipelines[id.index()].stages.first();
        let stage = stage.ok_or_else(|| simulate("the pipeline has no shader"))?;
        let mut parts = stage.parts();
        let info = vk::ComputePipelineCreateInfo::default()
            .flags(statistics::flags(self.context.device))
            .stage(stage.info(&mut parts))
            .layout(layout);
        let raw = &self.context.device.raw;
        // SAFETY: all pointers of `info` are valid for the call; layout and module live as long as
        // the pipeline.
        let created =
            unsafe { raw.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        let created = created.map(|all| all[0]).map_err(|(_, error)| error);
        let created = created.map_err(|error| failed("vkCreateComputePipelines", error))?;
        self.keep(id, (0, false), created);
        Ok(created)
    }

    /// Keeps a pipeline for further commands, and its statistics.
    fn keep(&mut self, id: PipelineId, key: (i32, bool), created: vk::Pipeline) {
        self.arena.add(Object::Pipeline(created));
        self.executables.extend(statistics::of_pipeline(self.context.device, created));
        if let Some(bound) = &mut self.pipelines[id.index()].bound {
            bound.created.insert(key, created);
        }
    }

    /// Binds descriptor sets and sets push constants.
    fn bind_descriptors(
        &mut self,
        id: PipelineId,
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
    ) -> Flow {
        let bound = self.bound(id)?;
        let (raw, descriptors) = (&self.context.device.raw, &bound.descriptors);
        for (number, set, offsets) in &descriptors.sets {
            // SAFETY: sets and layout are of this device and compatible.
            unsafe {
                raw.cmd_bind_descriptor_sets(
                    commands,
                    point,
                    descriptors.layout,
                    *number,
                    &[*set],
                    offsets,
                );
            }
        }
        let Some(buffer) = self.context.script.pipeline(id).push_constants else { return Ok(()) };
        let mut bytes = descriptors.push_constants.clone();
        if bytes.is_empty() {
            return Ok(());
        }
        let source = self.store.bytes(buffer);
        let length = source.len().min(bytes.len());
        bytes[..length].copy_from_slice(&source[..length]);
        let stages = vk::ShaderStageFlags::ALL;
        // SAFETY: the range of the layout has exactly these bytes.
        unsafe { raw.cmd_push_constants(commands, descriptors.layout, stages, 0, &bytes) };
        Ok(())
    }

    fn clear(&mut self, id: PipelineId) -> Flow {
        self.bind(id)?;
        self.upload(id, false)?;
        let prepared = &self.pipelines[id.index()];
        let (color, depth, stencil) = (prepared.color, prepared.depth, prepared.stencil);
        let target = self.bound(id)?.target.as_ref();
        let target = target.ok_or_else(|| simulate("the pipeline has no attachments"))?;
        let mut clears: Vec<vk::ClearAttachment> = Vec::new();
        for location in 0..target.colors.len() {
            // Amber and VkRunner give integer attachments the bits of the floats.
            let value = vk::ClearValue { color: vk::ClearColorValue { float32: color } };
            clears.push(
                vk::ClearAttachment::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .color_attachment(u32::try_from(location).unwrap_or(0))
                    .clear_value(value),
            );
        }
        if let Some(index) = target.depth {
            let value = vk::ClearDepthStencilValue { depth, stencil };
            clears.push(
                vk::ClearAttachment::default()
                    .aspect_mask(self.images[index].aspects)
                    .clear_value(vk::ClearValue { depth_stencil: value }),
            );
        }
        let rect = vk::Rect2D { offset: vk::Offset2D::default(), extent: target.size };
        let rects = [vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 }];
        let (render_pass, framebuffer, size) =
            (target.render_pass, target.framebuffer, target.size);
        let commands = self.begin_pass(render_pass, framebuffer, size)?;
        let raw = &self.context.device.raw;
        // SAFETY: the attachments are those of the render pass that has begun.
        unsafe {
            if !clears.is_empty() {
                raw.cmd_clear_attachments(commands, &clears, &rects);
            }
            raw.cmd_end_render_pass(commands);
        }
        self.note_changes(id, false)
    }

    fn begin_pass(
        &mut self,
        render_pass: vk::RenderPass,
        framebuffer: vk::Framebuffer,
        size: vk::Extent2D,
    ) -> Flow<vk::CommandBuffer> {
        let commands = self.recording.commands()?;
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(render_pass)
            .framebuffer(framebuffer)
            .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent: size });
        let raw = &self.context.device.raw;
        // SAFETY: render pass and framebuffer live until the end of the script; the attachments
        // have the layouts of the pass.
        unsafe { raw.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE) };
        Ok(commands)
    }

    fn draw(&mut self, id: PipelineId, draw: &Draw) -> Flow {
        self.bind(id)?;
        // Formats are checked before a pipeline has them.
        let vertices = self.vertices(id, draw)?;
        let created = self.graphics_pipeline(id, draw)?;
        let indices = self.indices(id, draw)?;
        self.upload(id, true)?;
        let target = self.bound(id)?.target.as_ref();
        let target = target.ok_or_else(|| simulate("the pipeline has no attachments"))?;
        let (render_pass, framebuffer, size) =
            (target.render_pass, target.framebuffer, target.size);
        let commands = self.begin_pass(render_pass, framebuffer, size)?;
        self.bind_descriptors(id, commands, vk::PipelineBindPoint::GRAPHICS)?;
        let raw = &self.context.device.raw;
        let offsets = vec![0; vertices.len()];
        // SAFETY: the command buffer records in a render pass of the pipeline; everything that it
        // uses lives until the end of the script.
        unsafe {
            raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, created);
            if !vertices.is_empty() {
                raw.cmd_bind_vertex_buffers(commands, 0, &vertices, &offsets);
            }
            let Draw { count, instances, first_instance, .. } = *draw;
            match indices {
                Some((buffer, kind)) => {
                    raw.cmd_bind_index_buffer(commands, buffer, 0, kind);
                    let offset = draw.first_vertex.cast_signed();
                    let first = draw.first_index;
                    raw.cmd_draw_indexed(commands, count, instances, first, offset, first_instance);
                }
                None => raw.cmd_draw(commands, count, instances, draw.first_vertex, first_instance),
            }
            raw.cmd_end_render_pass(commands);
        }
        self.note_changes(id, true)
    }

    fn graphics_pipeline(&mut self, id: PipelineId, draw: &Draw) -> Flow<vk::Pipeline> {
        let is_rectangle = matches!(draw.vertices, DrawVertices::Rectangle(_));
        let key = (draw.topology.value(), is_rectangle);
        let bound = self.bound(id)?;
        if let Some(&created) = bound.created.get(&key) {
            return Ok(created);
        }
        let pipeline = self.context.script.pipeline(id);
        pipeline.check_topology(draw.topology).map_err(simulate)?;
        let target = bound.target.as_ref();
        let description = Description {
            pipeline,
            stages: &self.pipelines[id.index()].stages,
            target: target.ok_or_else(|| simulate("the pipeline has no attachments"))?,
            layout: bound.descriptors.layout,
            input: VertexInput::of(pipeline, &draw.vertices)?,
            topology: draw.topology,
            flags: statistics::flags(self.context.device),
        };
        let created = description.create(&self.context.device.raw);
        let created = created.map_err(|error| failed("vkCreateGraphicsPipelines", error))?;
        self.keep(id, key, created);
        Ok(created)
    }

    /// Returns the vertex buffers of a draw.
    fn vertices(&mut self, id: PipelineId, draw: &Draw) -> Flow<Vec<vk::Buffer>> {
        if let DrawVertices::Rectangle(rectangle) = &draw.vertices {
            return Ok(vec![self.rectangle(rectangle)?]);
        }
        let mut buffers = Vec::new();
        for vertex in &self.context.script.pipeline(id).vertex_buffers {
            self.check_vertex_format(&vertex.format)?;
            buffers.push(self.device_buffer(vertex.buffer)?);
        }
        Ok(buffers)
    }

    fn check_vertex_format(&self, format: &vk_script::Format) -> Flow {
        let Some(known) = format.vk.map(crate::format::of_script) else { return Ok(()) };
        let Context { instance, physical, .. } = self.context;
        // SAFETY: the handle is one of this instance.
        let found = unsafe { instance.raw.get_physical_device_format_properties(physical, known) };
        if found.buffer_features.contains(vk::FormatFeatureFlags::VERTEX_BUFFER) {
            return Ok(());
        }
        Err(skip(format!("the driver lacks vertex buffers of format {}", format.name)))
    }

    /// Returns a new buffer with the vertices of a rectangle.
    fn rectangle(&mut self, rectangle: &Rectangle) -> Flow<vk::Buffer> {
        let bytes: Vec<u8> =
            rectangle.positions().into_iter().flatten().flat_map(f32::to_le_bytes).collect();
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let mut buffer = Mapped::create(self.context.device, self.arena, bytes.len(), usage)?;
        buffer.bytes_mut().copy_from_slice(&bytes);
        Ok(buffer.handle)
    }

    /// Returns the index buffer of a draw, with the type of its indices.
    fn indices(
        &mut self,
        id: PipelineId,
        draw: &Draw,
    ) -> Flow<Option<(vk::Buffer, vk::IndexType)>> {
        if !draw.indexed {
            return Ok(None);
        }
        let indices = self.context.script.pipeline(id).indices;
        let buffer = indices.ok_or_else(|| simulate("the pipeline has no index buffer"))?;
        let declared = self.context.script.buffer(buffer);
        let kind = match declared.format.size {
            1 => vk::IndexType::UINT8_KHR,
            2 => vk::IndexType::UINT16,
            4 => vk::IndexType::UINT32,
            _ => {
                let name = &declared.format.name;
                return Err(simulate(format!("indices have format {name}")));
            }
        };
        Ok(Some((self.device_buffer(buffer)?, kind)))
    }

    /// Returns the driver's buffer with the newest contents.
    fn device_buffer(&mut self, id: BufferId) -> Flow<vk::Buffer> {
        if self.store.get(id).newest.is_some() {
            self.bring_to_bytes(id)?;
        }
        self.store.mapped(id, self.context.device, self.arena)
    }
}
