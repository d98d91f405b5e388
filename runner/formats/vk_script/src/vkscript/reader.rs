//! The state of the parser, shaders, and the pipelines that commands ask for.

use std::collections::HashMap;
use std::sync::Arc;

use vocabulary::Stage;

use super::sections::{Section, SectionKind};
use crate::blank;
use crate::budget::Budget;
use crate::check;
use crate::error::Span;
use crate::files;
use crate::formats::format_by_name;
use crate::model::{
    Binding, Buffer, BufferId, ClearValue, ColorAttachment, Command, CommandKind, DepthBias,
    DescriptorKind, Dialect, Format, LogicOp, MemoryLayout, Pipeline, PipelineId, PipelineKind,
    PipelineStage, Place, Resource, Script, Shader, ShaderId, ShaderLanguage, ShaderStage, State,
    SubgroupSettings, Tolerance, VertexBuffer,
};
use crate::passthrough::PASSTHROUGH;
use crate::rules::Rules;
use crate::text::{Fault, Lines, Step, saturate};

/// The state of the parser.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines,
    pub(super) rules: Rules,
    pub(super) script: Script,
    pub(super) budget: Budget,
    pub(super) framebuffer: [u32; 2],
    pub(super) color: BufferId,
    pub(super) depth_stencil: Option<BufferId>,
    pub(super) vertex_buffers: Vec<VertexBuffer>,
    pub(super) indices: Option<BufferId>,
    /// State and entry points for the next draw.
    pub(super) key: Key,
    /// Pipelines that exist, by the text of what distinguishes them.
    keys: HashMap<String, PipelineId>,
    /// Buffers by descriptor set and binding.
    pub(super) bound: HashMap<(u32, u32), Bound>,
    /// The order in which buffers were bound.
    pub(super) bound_order: Vec<(u32, u32)>,
    pub(super) push: Option<Sized>,
    pub(super) layouts: Layouts,
    /// Tolerances of the next probes; `None`: none were set.
    pub(super) tolerances: Option<Vec<Tolerance>>,
    pub(super) clear_color: [f32; 4],
    pub(super) clear_depth: f32,
    pub(super) clear_stencil: u32,
    /// Values that count only if enabled.
    pub(super) logic_op: LogicOp,
    pub(super) logic_op_enable: bool,
    pub(super) depth_bias: DepthBias,
    pub(super) depth_bias_enable: bool,
    pub(super) depth_bounds: [f32; 2],
    pub(super) depth_bounds_enable: bool,
}

/// State and entry points, which distinguish pipelines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) state: State,
    /// Entry points that are not `main`.
    pub(super) entry_points: Vec<(Stage, String)>,
}

/// VertexSource of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VertexSource {
    /// The vertex data.
    Buffers,
    /// A rectangle.
    Rectangle,
}

/// A buffer whose size commands determine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sized {
    pub(super) buffer: BufferId,
    /// End of the last byte that a command writes or reads.
    pub(super) end: u64,
    /// Size that a command sets, in bytes or in elements.
    pub(super) size: u64,
    /// Bytes of an element, by the last type.
    pub(super) element: u64,
}

/// A bound buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) kind: DescriptorKind,
    pub(super) sized: Sized,
}

/// A layout of values in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueLayout {
    pub(super) memory: MemoryLayout,
    pub(super) row_major: bool,
}

/// Layouts for the kinds of buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layouts {
    pub(super) push: ValueLayout,
    pub(super) uniform: ValueLayout,
    pub(super) storage: ValueLayout,
}

pub(super) const STD140: ValueLayout =
    ValueLayout { memory: MemoryLayout::Std140, row_major: false };
pub(super) const STD430: ValueLayout =
    ValueLayout { memory: MemoryLayout::Std430, row_major: false };

/// The id of the pipeline of clears until the end of the script.
const CLEAR_PIPELINE: PipelineId = PipelineId(u32::MAX);

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, lines: &'a Lines, rules: Rules) -> Reader<'a> {
        let mut script = Script::new(Dialect::VkScript, rules);
        script.buffers.push(blank::default_color());
        Reader {
            text,
            lines,
            rules,
            script,
            budget: Budget::default(),
            framebuffer: [250, 250],
            color: BufferId(0),
            depth_stencil: None,
            vertex_buffers: Vec::new(),
            indices: None,
            key: Key { state: State::default(), entry_points: Vec::new() },
            keys: HashMap::new(),
            bound: HashMap::new(),
            bound_order: Vec::new(),
            push: None,
            layouts: Layouts { push: STD430, uniform: STD140, storage: STD430 },
            tolerances: None,
            clear_color: [0.0; 4],
            clear_depth: 1.0,
            clear_stencil: 0,
            logic_op: LogicOp::Clear,
            logic_op_enable: false,
            depth_bias: DepthBias { constant: 0.0, clamp: 0.0, slope: 0.0 },
            depth_bias_enable: false,
            depth_bounds: [0.0, 0.0],
            depth_bounds_enable: false,
        }
    }

    pub(super) fn shaders(&mut self, sections: &[Section]) -> Step<()> {
        for section in sections {
            match section.kind {
                SectionKind::Shader { stage, language } => {
                    self.shader(section, stage, language)?;
                }
                SectionKind::Passthrough => self.passthrough(section)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn shader(&mut self, section: &Section, stage: Stage, language: ShaderLanguage) -> Step<()> {
        let text = self.text.get(section.body.range()).unwrap_or("");
        let words = if language == ShaderLanguage::SpirvHex {
            let code: String = text.lines().filter_map(|l| l.split('#').next()).fold(
                String::new(),
                |mut code, line| {
                    code.push_str(line);
                    code.push('\n');
                    code
                },
            );
            files::spirv_hex(&code).map_err(|message| Fault::at(section.header, message))?
        } else {
            Vec::new()
        };
        let same = |known: &&mut Shader| known.stage == ShaderStage::Stage(stage);
        if let Some(known) = self.script.shaders.iter_mut().find(same) {
            if known.language == ShaderLanguage::Glsl && language == ShaderLanguage::Glsl {
                known.more_sources.push(Arc::from(text));
                return Ok(());
            }
            return Err(Fault::at(
                section.header,
                "a second shader of a stage that is not all GLSL",
            ));
        }
        self.script.shaders.push(Shader {
            name: format!("{} shader", stage.name()),
            span: Span { start: section.header.start, end: section.body.end },
            source_span: section.body,
            first_line: self.lines.number(section.body.start),
            stage: ShaderStage::Stage(stage),
            language,
            source: Arc::from(text),
            more_sources: Vec::new(),
            words,
            target_env: self.target_env(),
            path: None,
        });
        Ok(())
    }

    /// The environment of the required version.
    fn target_env(&self) -> Option<String> {
        let [major, minor, _] = self.script.requirements.version?;
        Some(format!("vulkan{major}.{minor}"))
    }

    fn passthrough(&mut self, section: &Section) -> Step<()> {
        let vertex = ShaderStage::Stage(Stage::Vertex);
        if self.script.shaders.iter().any(|known| known.stage == vertex) {
            return Err(Fault::at(section.header, "a second vertex shader"));
        }
        self.script.shaders.push(Shader {
            name: "vertex shader".to_owned(),
            span: section.header,
            source_span: Span { start: section.header.end, end: section.header.end },
            first_line: self.lines.number(section.header.start),
            stage: vertex,
            language: ShaderLanguage::SpirvAssembly,
            source: Arc::from(PASSTHROUGH),
            more_sources: Vec::new(),
            words: Vec::new(),
            target_env: Some("spv1.0".to_owned()),
            path: None,
        });
        Ok(())
    }

    /// Adds a buffer.
    pub(super) fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        let id = BufferId(saturate(self.script.buffers.len()));
        self.script.buffers.push(buffer);
        id
    }

    /// Sets the format of the color attachment.
    pub(super) fn set_color_format(&mut self, format: Format) {
        let mut buffer = blank::buffer(blank::DEFAULT_COLOR, Arc::new(format));
        buffer.image = Some(blank::PLAIN_IMAGE);
        self.script.buffers[self.color.index()] = buffer;
    }

    /// Adds the attachment for depth and stencil.
    pub(super) fn set_depth_format(&mut self, format: Format) {
        let mut buffer = blank::buffer("depthstencil", Arc::new(format));
        buffer.image = Some(blank::PLAIN_IMAGE);
        self.depth_stencil = Some(self.add_buffer(buffer));
    }

    /// Returns the pipeline for the current state.
    pub(super) fn pipeline(
        &mut self,
        kind: PipelineKind,
        source: VertexSource,
        key: &Key,
        span: Span,
    ) -> Step<PipelineId> {
        let identity = format!("{kind:?} {source:?} {key:?}");
        if let Some(id) = self.keys.get(&identity) {
            return Ok(*id);
        }
        let id = PipelineId(saturate(self.script.pipelines.len()));
        let pipeline = self.new_pipeline(kind, source, key, span)?;
        self.keys.insert(identity, id);
        self.script.pipelines.push(pipeline);
        Ok(id)
    }

    fn new_pipeline(
        &mut self,
        kind: PipelineKind,
        source: VertexSource,
        key: &Key,
        span: Span,
    ) -> Step<Pipeline> {
        let number = self.script.pipelines.len() + 1;
        let word = if kind == PipelineKind::Compute { "compute" } else { "draw" };
        let mut pipeline = blank::pipeline(&format!("{word} {number}"), kind);
        pipeline.span = span;
        pipeline.stages = self.stages(kind, key);
        let first = if kind == PipelineKind::Compute { Stage::Compute } else { Stage::Vertex };
        if !pipeline.stages.iter().any(|stage| stage.stage == first) {
            return Err(Fault::at(span, format!("no {} shader", first.name())));
        }
        pipeline.framebuffer = self.framebuffer;
        if kind == PipelineKind::Graphics {
            self.attach(&mut pipeline);
            pipeline.state = key.state.clone();
            if source == VertexSource::Buffers {
                pipeline.vertex_buffers = self.vertex_buffers.clone();
                pipeline.indices = self.indices;
            }
        }
        self.budget
            .pipeline(check::entries(&pipeline))
            .map_err(|message| Fault::at(span, message))?;
        Ok(pipeline)
    }

    fn attach(&self, pipeline: &mut Pipeline) {
        pipeline.colors =
            vec![ColorAttachment { buffer: self.color, location: 0, base_mip_level: 0 }];
        pipeline.depth_stencil = self.depth_stencil;
    }

    fn stages(&self, kind: PipelineKind, key: &Key) -> Vec<PipelineStage> {
        let mut stages = Vec::new();
        for (index, shader) in self.script.shaders.iter().enumerate() {
            let ShaderStage::Stage(stage) = shader.stage else {
                continue;
            };
            if (stage == Stage::Compute) != (kind == PipelineKind::Compute) {
                continue;
            }
            let entry = key.entry_points.iter().find(|(known, _)| *known == stage);
            stages.push(PipelineStage {
                shader: ShaderId(saturate(index)),
                stage,
                entry_point: entry.map_or_else(|| "main".to_owned(), |(_, name)| name.clone()),
                specializations: Vec::new(),
                optimizations: Vec::new(),
                compile_options: Vec::new(),
                subgroup: SubgroupSettings::default(),
            });
        }
        stages
    }

    /// Adds a command.
    pub(super) fn push_command(&mut self, span: Span, kind: CommandKind) {
        self.script.commands.push(Command { span, line: self.lines.number(span.start), kind });
    }

    /// Adds a clear with the current values.
    pub(super) fn push_clear(&mut self, span: Span) {
        let values = [
            ClearValue::Color(self.clear_color),
            ClearValue::Depth(self.clear_depth),
            ClearValue::Stencil(self.clear_stencil),
        ];
        for value in values {
            self.push_command(span, CommandKind::SetClear { pipeline: CLEAR_PIPELINE, value });
        }
        self.push_command(span, CommandKind::Clear { pipeline: CLEAR_PIPELINE });
    }

    /// Completes buffers and pipelines.
    pub(super) fn finish(mut self) -> Step<Script> {
        self.script.requirements.deduplicate();
        self.size_buffers()?;
        self.bind_buffers()?;
        self.resolve_clears();
        check::buffers(&self.script)?;
        Ok(self.script)
    }

    fn size_buffers(&mut self) -> Step<()> {
        let bound = self.bound_order.iter().filter_map(|place| self.bound.get(place));
        let all: Vec<Sized> = bound.map(|b| b.sized).chain(self.push).collect();
        for sized in all {
            let element = if self.rules == Rules::Amber { sized.element.max(1) } else { 1 };
            // Push constants are written in words.
            let size = sized.end.max(sized.size * element).max(4).next_multiple_of(4);
            let buffer = &mut self.script.buffers[sized.buffer.index()];
            match u32::try_from(size) {
                Ok(bytes) if size <= Buffer::LIMIT => buffer.elements = bytes,
                _ => {
                    let message = format!("buffer of {size} bytes, more than {}", Buffer::LIMIT);
                    return Err(Fault::at(buffer.span, message));
                }
            }
        }
        let [width, height] = self.framebuffer;
        for id in [Some(self.color), self.depth_stencil].into_iter().flatten() {
            let buffer = &mut self.script.buffers[id.index()];
            (buffer.width, buffer.height) = (width, height);
            buffer.elements = width.saturating_mul(height);
        }
        Ok(())
    }

    fn bind_buffers(&mut self) -> Step<()> {
        let bindings: Vec<Binding> =
            self.bound_order.iter().map(|place| self.binding(*place)).collect();
        for pipeline in &mut self.script.pipelines {
            self.budget
                .pipeline(bindings.len())
                .map_err(|message| Fault::at(pipeline.span, message))?;
            pipeline.bindings = bindings.clone();
            pipeline.push_constants = self.push.map(|sized| sized.buffer);
        }
        Ok(())
    }

    fn binding(&self, (set, binding): (u32, u32)) -> Binding {
        let bound = self.bound[&(set, binding)];
        let buffer = bound.sized.buffer;
        let resource = Resource {
            buffer: Some(buffer),
            sampler: None,
            base_mip_level: 0,
            dynamic_offset: 0,
            offset: 0,
            range: None,
        };
        Binding {
            span: self.script.buffer(buffer).span,
            place: Place::Slot { set, binding },
            kind: bound.kind,
            resources: vec![resource],
        }
    }

    /// Resolves clears to the first graphics pipeline, or one of its own without stages.
    fn resolve_clears(&mut self) {
        let graphics = |p: &Pipeline| p.kind == PipelineKind::Graphics;
        let known = self.script.pipelines.iter().position(graphics);
        let is_clear = |c: &Command| matches!(c.kind, CommandKind::Clear { .. });
        let used = self.script.commands.iter().any(is_clear);
        let index = match known {
            Some(index) => index,
            None if used => {
                let mut pipeline = blank::pipeline("clear", PipelineKind::Graphics);
                pipeline.framebuffer = self.framebuffer;
                self.attach(&mut pipeline);
                self.script.pipelines.push(pipeline);
                self.script.pipelines.len() - 1
            }
            None => return,
        };
        for command in &mut self.script.commands {
            if let CommandKind::Clear { pipeline } | CommandKind::SetClear { pipeline, .. } =
                &mut command.kind
            {
                *pipeline = PipelineId(saturate(index));
            }
        }
    }

    /// A buffer of bytes.
    pub(super) fn byte_buffer(&self, name: &str, span: Span) -> Buffer {
        let format = format_by_name("R8_UINT").unwrap_or_else(|| unreachable!("a known format"));
        Buffer { span, ..blank::buffer(name, Arc::new(format)) }
    }
}
