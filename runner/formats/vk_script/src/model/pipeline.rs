//! Pipelines: stages, attachments, bindings, vertex input, state.

use std::sync::Arc;

use super::format::Format;
use super::ids::{BufferId, SamplerId, ShaderId};
use super::state::{State, Topology, Viewport};
use crate::error::Span;
use vocabulary::Stage;

/// Kind of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PipelineKind {
    /// One compute shader.
    Compute,
    /// A vertex shader and other stages of graphics.
    Graphics,
    /// Ray tracing: unsupported; all other fields but name and span are empty.
    RayTracing,
}

/// A pipeline with everything that a draw or a dispatch binds.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// The name in the script; VkScript: `draw 1`, `compute 2`, ….
    pub name: String,
    /// Position of the declaration.
    pub span: Span,
    /// The kind.
    pub kind: PipelineKind,
    /// The stages, each at most once. A pipeline of VkScript that only clears may have none.
    pub stages: Vec<PipelineStage>,
    /// Color attachments in order of declaration. A graphics pipeline has at least one.
    pub colors: Vec<ColorAttachment>,
    /// The depth and stencil attachment. `None`: none is attached, and tests of depth and stencil
    /// pass.
    pub depth_stencil: Option<BufferId>,
    /// Resolve targets of the color attachments that have more than one sample, in their order.
    pub resolves: Vec<BufferId>,
    /// Descriptors, at most one entry per set and binding.
    pub bindings: Vec<Binding>,
    /// The buffer whose bytes, from 0, are the push constants of all stages.
    pub push_constants: Option<BufferId>,
    /// Vertex attributes, each with a buffer of its own.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// The indices: unsigned integers of 16 or 32 bits, or of 8 bits with
    /// `VK_EXT_index_type_uint8`.
    pub indices: Option<BufferId>,
    /// Width and height of the framebuffer in pixels.
    pub framebuffer: [u32; 2],
    /// The viewport; `None`: the whole framebuffer, depth 0 to 1. The scissor is always the whole
    /// framebuffer.
    pub viewport: Option<Viewport>,
    /// Fixed-function state.
    pub state: State,
    /// Arguments of an OpenCL kernel; only in unsupported scripts.
    pub kernel_arguments: Vec<KernelArgument>,
}

impl Pipeline {
    /// Checks the topology of a draw: only pipelines that tessellate draw patches, and nothing else
    /// (Vulkan 1.3, VUID-VkGraphicsPipelineCreateInfo-pStages-00736 and -topology-00737).
    ///
    /// # Errors
    /// Returns the rule that the topology breaks.
    pub fn check_topology(&self, topology: Topology) -> Result<(), &'static str> {
        let tessellates = self.stages.iter().any(|stage| stage.stage == Stage::TessEval);
        match tessellates == (topology == Topology::PatchList) {
            true => Ok(()),
            false => Err("a pipeline draws patches if it tessellates, and only then"),
        }
    }
}

/// A shader in a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineStage {
    /// The module.
    pub shader: ShaderId,
    /// The stage.
    pub stage: Stage,
    /// The entry point.
    pub entry_point: String,
    /// Specialization constants, at most one per id.
    pub specializations: Vec<Specialization>,
    /// Passes of `spirv-opt`, in order, with their dashes.
    pub optimizations: Vec<String>,
    /// Options of the compiler of OpenCL C.
    pub compile_options: Vec<String>,
    /// Control of the size of subgroups.
    pub subgroup: SubgroupSettings,
}

/// The value of a specialization constant of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// The `SpecId`.
    pub id: u32,
    /// The bits of the value.
    pub bits: u32,
}

/// Control of the size of subgroups (`VK_EXT_subgroup_size_control`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubgroupSettings {
    /// `REQUIRE_FULL_SUBGROUPS`.
    pub full: bool,
    /// `ALLOW_VARYING_SUBGROUP_SIZE`.
    pub varying: bool,
    /// The required size.
    pub required: Option<RequiredSubgroupSize>,
}

/// A required size of subgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredSubgroupSize {
    /// The smallest of the device.
    Minimum,
    /// The largest of the device.
    Maximum,
    /// A power of two up to 128.
    Exactly(u32),
}

/// A color attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorAttachment {
    /// The image.
    pub buffer: BufferId,
    /// The output location, unique in the pipeline.
    pub location: u32,
    /// The level of mipmaps to draw to.
    pub base_mip_level: u32,
}

/// Place of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A descriptor set and a binding.
    Slot {
        /// The set.
        set: u32,
        /// The binding.
        binding: u32,
    },
    /// An argument of an OpenCL kernel; only in unsupported scripts.
    Kernel(KernelPlace),
}

/// Name or position of an argument of an OpenCL kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelPlace {
    /// By name.
    Name(String),
    /// By position, from 0.
    Number(u32),
}

/// Plain data for an argument of an OpenCL kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArgument {
    /// The argument.
    pub place: KernelPlace,
    /// The bytes of the value.
    pub bytes: Vec<u8>,
}

/// Kind of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescriptorKind {
    /// `VK_DESCRIPTOR_TYPE_SAMPLER`.
    Sampler,
    /// `VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER`.
    CombinedImageSampler,
    /// `VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE`.
    SampledImage,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_IMAGE`.
    StorageImage,
    /// `VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER`.
    UniformTexelBuffer,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER`.
    StorageTexelBuffer,
    /// `VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER`.
    Uniform,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_BUFFER`.
    Storage,
    /// `VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC`.
    UniformDynamic,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC`.
    StorageDynamic,
    /// The compiler of OpenCL C decides; only in unsupported scripts.
    Kernel,
}

/// A descriptor or an array of descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Position of the command.
    pub span: Span,
    /// Set and binding.
    pub place: Place,
    /// The kind.
    pub kind: DescriptorKind,
    /// One resource per array element; one for a descriptor that is no array.
    pub resources: Vec<Resource>,
}

/// The resource of one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The buffer or image; `None` for samplers alone.
    pub buffer: Option<BufferId>,
    /// The sampler, for samplers and combined image samplers.
    pub sampler: Option<SamplerId>,
    /// The base level of the image view. The view has all levels from there, a storage image one.
    pub base_mip_level: u32,
    /// The dynamic offset in bytes; 0 for descriptors that are not dynamic.
    pub dynamic_offset: u32,
    /// The offset of the descriptor in bytes.
    pub offset: u64,
    /// The range of the descriptor in bytes; `None`: the whole buffer.
    pub range: Option<u64>,
}

/// Rate at which a vertex attribute advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexRate {
    /// With each vertex.
    Vertex,
    /// With each instance.
    Instance,
}

/// A vertex attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexBuffer {
    /// The buffer.
    pub buffer: BufferId,
    /// The input location, unique in the pipeline.
    pub location: u32,
    /// The rate at which it advances.
    pub rate: VertexRate,
    /// The format of the attribute. `vk` is `None` for matrices and structures: an error of the
    /// script once it draws.
    pub format: Arc<Format>,
    /// Offset of the first value in bytes.
    pub offset: u32,
    /// Bytes from one value to the next.
    pub stride: u32,
}
