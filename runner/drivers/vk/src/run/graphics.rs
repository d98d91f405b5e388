//! Creation of graphics pipelines.

use ash::vk;
use vk_script::{DrawVertices, Pipeline, State, StencilFace, Topology};
use vocabulary::Stage;

use super::attachments::Attachments;
use super::stages::ReadyStage;
use crate::format::of_script;
use crate::outcome::{Flow, simulate};

/// Vertex input of a pipeline.
#[derive(Default)]
pub(super) struct VertexInput {
    bindings: Vec<vk::VertexInputBindingDescription>,
    attributes: Vec<vk::VertexInputAttributeDescription>,
}

impl VertexInput {
    /// Returns the vertex input of a draw.
    pub(super) fn of(pipeline: &Pipeline, vertices: &DrawVertices) -> Flow<VertexInput> {
        let mut input = VertexInput::default();
        if let DrawVertices::Rectangle(_) = vertices {
            input.add(0, 0, vk::Format::R32G32_SFLOAT, 0, 8, vk::VertexInputRate::VERTEX);
            return Ok(input);
        }
        for (binding, vertex) in (0..).zip(&pipeline.vertex_buffers) {
            let format = vertex.format.vk.ok_or_else(|| {
                let name = &vertex.format.name;
                simulate(format!("vertex data of format `{name}` has no format of attributes"))
            })?;
            let rate = match vertex.rate {
                vk_script::VertexRate::Vertex => vk::VertexInputRate::VERTEX,
                vk_script::VertexRate::Instance => vk::VertexInputRate::INSTANCE,
            };
            let (location, offset) = (vertex.location, vertex.offset);
            input.add(binding, location, of_script(format), offset, vertex.stride, rate);
        }
        Ok(input)
    }

    fn add(
        &mut self,
        binding: u32,
        location: u32,
        format: vk::Format,
        offset: u32,
        stride: u32,
        rate: vk::VertexInputRate,
    ) {
        let described = vk::VertexInputBindingDescription { binding, stride, input_rate: rate };
        self.bindings.push(described);
        let attribute = vk::VertexInputAttributeDescription { location, binding, format, offset };
        self.attributes.push(attribute);
    }
}

/// Everything that a graphics pipeline is made of.
pub(super) struct Description<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) stages: &'a [ReadyStage],
    pub(super) target: &'a Attachments,
    pub(super) layout: vk::PipelineLayout,
    pub(super) input: VertexInput,
    pub(super) topology: Topology,
    pub(super) flags: vk::PipelineCreateFlags,
}

impl Description<'_> {
    /// Creates the pipeline.
    pub(super) fn create(&self, device: &ash::Device) -> Result<vk::Pipeline, vk::Result> {
        let state = &self.pipeline.state;
        let mut parts: Vec<_> = self.stages.iter().map(ReadyStage::parts).collect();
        let stages: Vec<_> =
            self.stages.iter().zip(&mut parts).map(|(stage, parts)| stage.info(parts)).collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&self.input.bindings)
            .vertex_attribute_descriptions(&self.input.attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::from_raw(self.topology.value()))
            .primitive_restart_enable(state.primitive_restart);
        let tessellation = vk::PipelineTessellationStateCreateInfo::default()
            .patch_control_points(state.patch_control_points);
        let viewports = [self.viewport()];
        let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent: self.target.size }];
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let rasterization = rasterization(state);
        let mask = [u32::MAX; 2];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(self.target.samples)
            .sample_mask(&mask);
        let depth = depth_stencil(state);
        let attachments = vec![blend_attachment(state); self.target.colors.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .logic_op_enable(state.logic_op.is_some())
            .logic_op(
                state.logic_op.map_or(vk::LogicOp::CLEAR, |op| vk::LogicOp::from_raw(op.value())),
            )
            .attachments(&attachments);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .flags(self.flags)
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&rasterization)
            .multisample_state(&multisample)
            .color_blend_state(&blend)
            .layout(self.layout)
            .render_pass(self.target.render_pass)
            .subpass(0);
        let tessellates = |stage: Stage| matches!(stage, Stage::TessControl | Stage::TessEval);
        if self.pipeline.stages.iter().any(|stage| tessellates(stage.stage)) {
            info = info.tessellation_state(&tessellation);
        }
        if self.target.depth.is_some() {
            info = info.depth_stencil_state(&depth);
        }
        // SAFETY: all pointers of `info` are valid for the call; layout, render pass and modules
        // live as long as the pipeline.
        let created =
            unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        created.map(|pipelines| pipelines[0]).map_err(|(_, error)| error)
    }

    fn viewport(&self) -> vk::Viewport {
        let size = self.target.size;
        match self.pipeline.viewport {
            Some(viewport) => vk::Viewport {
                x: viewport.x,
                y: viewport.y,
                width: viewport.width,
                height: viewport.height,
                min_depth: viewport.min_depth,
                max_depth: viewport.max_depth,
            },
            None => vk::Viewport {
                x: 0.0,
                y: 0.0,
                width: size.width as f32,
                height: size.height as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            },
        }
    }
}

fn rasterization(state: &State) -> vk::PipelineRasterizationStateCreateInfo<'static> {
    let bias = state.depth.bias;
    vk::PipelineRasterizationStateCreateInfo::default()
        .depth_clamp_enable(state.depth.clamp)
        .rasterizer_discard_enable(state.rasterizer_discard)
        .polygon_mode(vk::PolygonMode::from_raw(state.polygon_mode.value()))
        .cull_mode(vk::CullModeFlags::from_raw(state.cull_mode.value().unsigned_abs()))
        .front_face(vk::FrontFace::from_raw(state.front_face.value()))
        .depth_bias_enable(bias.is_some())
        .depth_bias_constant_factor(bias.map_or(0.0, |bias| bias.constant))
        .depth_bias_clamp(bias.map_or(0.0, |bias| bias.clamp))
        .depth_bias_slope_factor(bias.map_or(0.0, |bias| bias.slope))
        .line_width(state.line_width)
}

fn depth_stencil(state: &State) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let [low, high] = state.depth.bounds.unwrap_or([0.0, 1.0]);
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(state.depth.test)
        .depth_write_enable(state.depth.write)
        .depth_compare_op(vk::CompareOp::from_raw(state.depth.compare.value()))
        .depth_bounds_test_enable(state.depth.bounds.is_some())
        .min_depth_bounds(low)
        .max_depth_bounds(high)
        .stencil_test_enable(state.stencil_test)
        .front(stencil_face(&state.front))
        .back(stencil_face(&state.back))
}

fn stencil_face(face: &StencilFace) -> vk::StencilOpState {
    vk::StencilOpState {
        fail_op: vk::StencilOp::from_raw(face.fail.value()),
        pass_op: vk::StencilOp::from_raw(face.pass.value()),
        depth_fail_op: vk::StencilOp::from_raw(face.depth_fail.value()),
        compare_op: vk::CompareOp::from_raw(face.compare.value()),
        compare_mask: face.compare_mask,
        write_mask: face.write_mask,
        reference: face.reference,
    }
}

fn blend_attachment(state: &State) -> vk::PipelineColorBlendAttachmentState {
    let blend = &state.blend;
    let factor = |factor: vk_script::BlendFactor| vk::BlendFactor::from_raw(factor.value());
    let op = |op: vk_script::BlendOp| vk::BlendOp::from_raw(op.value());
    vk::PipelineColorBlendAttachmentState::default()
        .blend_enable(blend.enable)
        .src_color_blend_factor(factor(blend.src_color))
        .dst_color_blend_factor(factor(blend.dst_color))
        .color_blend_op(op(blend.color_op))
        .src_alpha_blend_factor(factor(blend.src_alpha))
        .dst_alpha_blend_factor(factor(blend.dst_alpha))
        .alpha_blend_op(op(blend.alpha_op))
        .color_write_mask(vk::ColorComponentFlags::from_raw(u32::from(state.color_write_mask)))
}
