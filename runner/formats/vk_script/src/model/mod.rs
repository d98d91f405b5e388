//! The model: declarations and commands of a script.

mod buffer;
mod command;
mod expectation;
mod format;
mod ids;
mod pipeline;
mod requirement;
mod shader;
mod state;
mod touched;

pub use buffer::{AddressMode, BorderColor, Filter};
pub use buffer::{Buffer, Contents, Dimension, Image, Sampler};
pub use command::{ClearValue, Command, CommandKind, Draw, DrawVertices, Rectangle};
pub use expectation::{Area, Comparison, Expectation, Expected, Literal, Tolerance};
pub use format::{Channel, ChannelName, Format, MemoryLayout, Numeric, Part, VkFormat};
pub use ids::{BufferId, PipelineId, SamplerId, ShaderId};
pub use pipeline::{
    Binding, ColorAttachment, DescriptorKind, KernelArgument, KernelPlace, Pipeline, PipelineKind,
    PipelineStage, Place, RequiredSubgroupSize, Resource, Specialization, SubgroupSettings,
    VertexBuffer, VertexRate,
};
pub use requirement::{Feature, Property, Requirements};
pub use shader::{Shader, ShaderLanguage, ShaderStage, VirtualFile};
pub use state::{
    BlendFactor, BlendOp, BlendState, CompareOp, CullMode, DepthBias, DepthState, FrontFace,
    LogicOp, PolygonMode, State, StencilFace, StencilOp, Topology, Viewport,
};

use crate::error::Span;
use crate::rules::Rules;

/// The language in which a script was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// VkRunner's sections.
    VkScript,
    /// Amber's commands.
    AmberScript,
}

/// A whole script.
///
/// Buffers are the only state that commands share: images, attachments and push constants are
/// buffers, too. Each command reads the contents that the previous one left. The contents before
/// the first command are [`Buffer::contents`].
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The format of the text.
    pub dialect: Dialect,
    /// The program whose rules comparisons follow.
    pub rules: Rules,
    /// Requirements on device and instance.
    pub requirements: Requirements,
    /// Shader modules in order of declaration. A shader that no pipeline uses need not compile.
    pub shaders: Vec<Shader>,
    /// Buffers and images in order of declaration, then those that the script implies (default
    /// attachments, buffers of VkScript).
    pub buffers: Vec<Buffer>,
    /// Samplers in order of declaration.
    pub samplers: Vec<Sampler>,
    /// Pipelines in order of declaration. Derived pipelines are complete. VkScript has one for
    /// each state that one of its commands uses.
    pub pipelines: Vec<Pipeline>,
    /// Files in the script, for `#include` of HLSL.
    pub files: Vec<VirtualFile>,
    /// Commands in the order of execution.
    pub commands: Vec<Command>,
    /// Parts of the script that this project does not execute. A script with an entry here is
    /// skipped, with the first reason.
    pub unsupported: Vec<Unsupported>,
}

impl Script {
    /// A script that declares nothing.
    pub(crate) fn new(dialect: Dialect, rules: Rules) -> Script {
        Script {
            dialect,
            rules,
            requirements: Requirements::default(),
            shaders: Vec::new(),
            buffers: Vec::new(),
            samplers: Vec::new(),
            pipelines: Vec::new(),
            files: Vec::new(),
            commands: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    /// Returns the buffer of an id.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.index()]
    }

    /// Returns the shader of an id.
    pub fn shader(&self, id: ShaderId) -> &Shader {
        &self.shaders[id.index()]
    }

    /// Returns the sampler of an id.
    pub fn sampler(&self, id: SamplerId) -> &Sampler {
        &self.samplers[id.index()]
    }

    /// Returns the pipeline of an id.
    pub fn pipeline(&self, id: PipelineId) -> &Pipeline {
        &self.pipelines[id.index()]
    }
}

/// A part of a script that is correct, but not executed by this project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The part.
    pub span: Span,
    /// Line of the part, from 1.
    pub line: u32,
    /// The reason as a phrase: `ray tracing is not supported`.
    pub reason: String,
}
