//! `PIPELINE` and `DERIVE_PIPELINE`.

use std::collections::HashSet;

use vocabulary::Stage;

use super::parser::Parser;
use super::shader::stage_named;
use crate::blank;
use crate::check;
use crate::model::{
    Pipeline, PipelineId, PipelineKind, PipelineStage, RequiredSubgroupSize, ShaderId,
    ShaderLanguage, ShaderStage, Specialization, SubgroupSettings, VertexBuffer, VertexRate,
};
use crate::text::{Step, saturate};
use crate::tokens::{Kind, Token};

impl<'a> Parser<'a> {
    pub(super) fn pipeline(&mut self, start: &Token<'a>) -> Step<()> {
        let (kind, kind_token) = self.cursor.word("a kind of pipeline")?;
        let kind = match kind {
            "compute" => PipelineKind::Compute,
            "graphics" => PipelineKind::Graphics,
            "raytracing" | "ray_tracing" => {
                self.unsupported(kind_token.span(), "ray tracing is not supported");
                PipelineKind::RayTracing
            }
            _ => return Err(kind_token.fault("unknown kind of pipeline")),
        };
        let (name, name_token) = self.cursor.word("the name of the pipeline")?;
        self.cursor.end_of_line("PIPELINE")?;
        self.pipeline_body(start, &name_token, blank::pipeline(name, kind))
    }

    pub(super) fn derive_pipeline(&mut self, start: &Token<'a>) -> Step<()> {
        let (name, name_token) = self.cursor.word("the name of the pipeline")?;
        self.cursor.keyword("FROM")?;
        let (parent, _) = self.pipeline_name()?;
        self.cursor.end_of_line("DERIVE_PIPELINE")?;
        let parent = self.script.pipeline(parent);
        self.budget
            .pipeline(check::entries(parent))
            .map_err(|message| name_token.fault(message))?;
        let mut pipeline = Pipeline { name: name.to_owned(), ..parent.clone() };
        // Amber does not inherit these two.
        pipeline.push_constants = None;
        pipeline.resolves.clear();
        self.pipeline_body(start, &name_token, pipeline)
    }

    fn pipeline_body(
        &mut self,
        start: &Token<'a>,
        name: &Token<'a>,
        mut pipeline: Pipeline,
    ) -> Step<()> {
        if self.names.pipelines.contains_key(&pipeline.name) {
            return Err(name.fault("a pipeline of this name exists"));
        }
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => break,
                Kind::Word(word) => self.pipeline_command(&mut pipeline, word, &token)?,
                Kind::End => return Err(start.fault("pipeline without `END`")),
                _ => return Err(token.fault("expected a command of a pipeline")),
            }
        }
        pipeline.span = self.span_from(start);
        self.cursor.end_of_line("END")?;
        check::attachment_sizes(&pipeline, &mut self.script.buffers, name)?;
        self.budget.pipeline(check::entries(&pipeline)).map_err(|message| name.fault(message))?;
        let id = PipelineId(saturate(self.script.pipelines.len()));
        self.names.pipelines.insert(pipeline.name.clone(), id);
        self.script.pipelines.push(pipeline);
        Ok(())
    }

    fn pipeline_command(
        &mut self,
        pipeline: &mut Pipeline,
        word: &str,
        token: &Token<'a>,
    ) -> Step<()> {
        match word {
            "ATTACH" => self.attach(pipeline),
            "BIND" => self.bind(pipeline, token),
            "VERTEX_DATA" => self.vertex_data(pipeline),
            "INDEX_DATA" => {
                let (buffer, token) = self.buffer_name()?;
                if pipeline.indices.is_some_and(|known| known != buffer) {
                    return Err(token.fault("a second buffer of indices"));
                }
                pipeline.indices = Some(buffer);
                self.cursor.end_of_line("INDEX_DATA")
            }
            "FRAMEBUFFER_SIZE" => {
                let width = self.cursor.unsigned("a width")?;
                let height = self.cursor.unsigned("a height")?;
                if width == 0 || height == 0 {
                    return Err(token.fault("empty framebuffer"));
                }
                pipeline.framebuffer = [width, height];
                self.cursor.end_of_line("FRAMEBUFFER_SIZE")
            }
            "VIEWPORT" => {
                pipeline.viewport = Some(self.viewport()?);
                Ok(())
            }
            "PATCH_CONTROL_POINTS" => {
                pipeline.state.patch_control_points = self.cursor.unsigned("a number of points")?;
                self.cursor.end_of_line("PATCH_CONTROL_POINTS")
            }
            "POLYGON_MODE" => self.polygon_mode(&mut pipeline.state),
            "DEPTH" => self.depth(&mut pipeline.state, token),
            "STENCIL" => self.stencil(&mut pipeline.state, token),
            "BLEND" => self.blend(&mut pipeline.state, token),
            "SUBGROUP" => self.subgroup(pipeline, token),
            "SHADER_OPTIMIZATION" => self.optimizations(pipeline, token),
            "COMPILE_OPTIONS" => self.compile_options(pipeline, token),
            "SET" => self.kernel_argument(pipeline),
            _ if pipeline.kind == PipelineKind::RayTracing => self.ray_tracing_command(word, token),
            _ => Err(token.fault("unknown command of a pipeline")),
        }
    }

    fn attach(&mut self, pipeline: &mut Pipeline) -> Step<()> {
        let (shader, shader_token) = self.shader_name()?;
        let declared = self.script.shader(shader).stage;
        let mut stage = declared;
        if self.cursor.accept("TYPE") {
            let (name, token) = self.cursor.word("a stage")?;
            stage = stage_named(name).ok_or_else(|| token.fault("unknown stage"))?;
            if !self.cursor.peek().is("ENTRY_POINT") {
                return Err(self.cursor.peek().fault("expected `ENTRY_POINT`"));
            }
        } else if declared == ShaderStage::Multi {
            return Err(shader_token.fault("a module of several stages needs `TYPE`"));
        }
        let mut entry_point = "main".to_owned();
        if self.cursor.accept("ENTRY_POINT") {
            entry_point = self.cursor.word("an entry point")?.0.to_owned();
        }
        let mut specializations: Vec<Specialization> = Vec::new();
        while self.cursor.accept("SPECIALIZE") {
            let new = self.specialization()?;
            specializations.retain(|known| known.id != new.id);
            specializations.push(new);
        }
        self.cursor.end_of_line("ATTACH")?;
        let stage = match (stage, pipeline.kind) {
            (_, PipelineKind::RayTracing) => return Ok(()),
            (ShaderStage::Stage(stage), _) => stage,
            (ShaderStage::Multi, _) => {
                return Err(shader_token.fault("a module of several stages needs `TYPE`"));
            }
            (ShaderStage::RayTracing, _) => {
                return Err(shader_token.fault("a shader of ray tracing in another pipeline"));
            }
        };
        let is_compute = pipeline.kind == PipelineKind::Compute;
        if is_compute != (stage == Stage::Compute) {
            let message = if is_compute {
                "a compute pipeline has compute shaders only"
            } else {
                "a graphics pipeline has no compute shaders"
            };
            return Err(shader_token.fault(message));
        }
        add_stage(pipeline, shader, stage, entry_point, specializations)
            .map_err(|message| shader_token.fault(message))
    }

    fn specialization(&mut self) -> Step<Specialization> {
        let id = self.cursor.unsigned("the id of a constant")?;
        self.cursor.keyword("AS")?;
        let (ty, token) = self.cursor.word("a type")?;
        let bits = match ty {
            "uint32" | "int32" => {
                let token = self.cursor.next();
                match crate::tokens::number(&token) {
                    // The low bits, so that -1 is all ones.
                    Some(crate::tokens::Number::Integer { bits, .. }) => bits as u32,
                    _ => return Err(token.fault("expected an integer")),
                }
            }
            "float" => (self.cursor.real("a number")? as f32).to_bits(),
            _ => return Err(token.fault("constants are `uint32`, `int32` or `float`")),
        };
        Ok(Specialization { id, bits })
    }

    fn vertex_data(&mut self, pipeline: &mut Pipeline) -> Step<()> {
        let (buffer, buffer_token) = self.buffer_name()?;
        self.cursor.keyword("LOCATION")?;
        let location = self.cursor.unsigned("a location")?;
        let mut attribute = VertexBuffer {
            buffer,
            location,
            rate: VertexRate::Vertex,
            format: self.script.buffer(buffer).format.clone(),
            offset: 0,
            stride: 0,
        };
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd | Kind::End => break,
                Kind::Word("RATE") => {
                    let rates =
                        [("vertex", VertexRate::Vertex), ("instance", VertexRate::Instance)];
                    attribute.rate = self.choice("a rate", &rates)?;
                }
                Kind::Word("OFFSET") => attribute.offset = self.cursor.unsigned("an offset")?,
                Kind::Word("STRIDE") => attribute.stride = self.positive("a stride")?,
                Kind::Word("FORMAT") => {
                    let ty = self.cursor.next();
                    attribute.format = self.format(&ty, crate::model::MemoryLayout::Std430)?;
                }
                _ => return Err(token.fault("unknown option of `VERTEX_DATA`")),
            }
        }
        if attribute.stride == 0 {
            attribute.stride = attribute.format.size;
        }
        if pipeline.vertex_buffers.iter().any(|known| known.location == location) {
            return Err(buffer_token.fault("a second vertex buffer at this location"));
        }
        if pipeline.vertex_buffers.len() >= check::ATTRIBUTE_LIMIT {
            return Err(buffer_token.fault("too many vertex buffers"));
        }
        pipeline.vertex_buffers.push(attribute);
        Ok(())
    }

    fn stage_of(&mut self, pipeline: &Pipeline) -> Step<(usize, ShaderId)> {
        let (shader, token) = self.shader_name()?;
        match pipeline.stages.iter().position(|stage| stage.shader == shader) {
            Some(index) => Ok((index, shader)),
            None => Err(token.fault("a shader that is not attached")),
        }
    }

    fn subgroup(&mut self, pipeline: &mut Pipeline, start: &Token<'a>) -> Step<()> {
        let (index, _) = self.stage_of(pipeline)?;
        let mut settings = pipeline.stages[index].subgroup;
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => break,
                Kind::Word(word) => self.subgroup_option(&mut settings, word, &token)?,
                Kind::End => return Err(start.fault("`SUBGROUP` without `END`")),
                _ => return Err(token.fault("unknown option of `SUBGROUP`")),
            }
        }
        pipeline.stages[index].subgroup = settings;
        self.cursor.end_of_line("SUBGROUP")
    }

    fn subgroup_option(
        &mut self,
        settings: &mut SubgroupSettings,
        word: &str,
        token: &Token<'a>,
    ) -> Step<()> {
        let member = match word {
            "FULLY_POPULATED" => "computeFullSubgroups",
            "VARYING_SIZE" | "REQUIRED_SIZE" => "subgroupSizeControl",
            _ => return Err(token.fault("unknown option of `SUBGROUP`")),
        };
        let features = &self.script.requirements.features;
        if !features.iter().any(|f| f.structure == "SubgroupSizeControl" && f.member == member) {
            let message = format!("option without `DEVICE_FEATURE SubgroupSizeControl.{member}`");
            return Err(token.fault(message));
        }
        match word {
            "FULLY_POPULATED" => settings.full = self.switch()?,
            "VARYING_SIZE" => settings.varying = self.switch()?,
            _ => settings.required = Some(self.subgroup_size()?),
        }
        Ok(())
    }

    fn subgroup_size(&mut self) -> Step<RequiredSubgroupSize> {
        let token = self.cursor.peek();
        if self.cursor.accept("MIN") {
            return Ok(RequiredSubgroupSize::Minimum);
        }
        if self.cursor.accept("MAX") {
            return Ok(RequiredSubgroupSize::Maximum);
        }
        let size = self.cursor.unsigned("a size, `MIN` or `MAX`")?;
        if size.is_power_of_two() && size <= 128 {
            Ok(RequiredSubgroupSize::Exactly(size))
        } else {
            Err(token.fault("size of a subgroup is no power of two up to 128"))
        }
    }

    fn optimizations(&mut self, pipeline: &mut Pipeline, start: &Token<'a>) -> Step<()> {
        let (index, _) = self.stage_of(pipeline)?;
        self.cursor.end_of_line("SHADER_OPTIMIZATION")?;
        let mut seen = HashSet::new();
        let words = self.words_to_end(start, "SHADER_OPTIMIZATION", |word, token| {
            if seen.insert(word) { Ok(()) } else { Err(token.fault("a pass that is listed twice")) }
        })?;
        pipeline.stages[index].optimizations = words;
        Ok(())
    }

    fn compile_options(&mut self, pipeline: &mut Pipeline, start: &Token<'a>) -> Step<()> {
        let (index, shader) = self.stage_of(pipeline)?;
        if self.script.shader(shader).language != ShaderLanguage::OpenClC {
            return Err(start.fault("`COMPILE_OPTIONS` is for OpenCL C only"));
        }
        self.cursor.end_of_line("COMPILE_OPTIONS")?;
        let words = self.words_to_end(start, "COMPILE_OPTIONS", |_, _| Ok(()))?;
        pipeline.stages[index].compile_options = words;
        Ok(())
    }

    /// Reads words up to `END`.
    pub(super) fn words_to_end(
        &mut self,
        start: &Token<'a>,
        command: &str,
        mut check: impl FnMut(&'a str, &Token<'a>) -> Step<()>,
    ) -> Step<Vec<String>> {
        let mut words = Vec::new();
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => break,
                Kind::Word(word) => {
                    check(word, &token)?;
                    words.push(word.to_owned());
                }
                Kind::End => return Err(start.fault(format!("`{command}` without `END`"))),
                _ => return Err(token.fault("expected a word")),
            }
        }
        self.cursor.end_of_line("END")?;
        Ok(words)
    }
}

/// Adds a stage; another shader of the same stage is replaced, as in a derived pipeline.
fn add_stage(
    pipeline: &mut Pipeline,
    shader: ShaderId,
    stage: Stage,
    entry_point: String,
    specializations: Vec<Specialization>,
) -> Result<(), &'static str> {
    let same = |known: &PipelineStage| known.shader == shader && known.stage == stage;
    if pipeline.stages.iter().any(same) {
        return Err("a shader that is attached already");
    }
    let new = PipelineStage {
        shader,
        stage,
        entry_point,
        specializations,
        optimizations: Vec::new(),
        compile_options: Vec::new(),
        subgroup: SubgroupSettings::default(),
    };
    match pipeline.stages.iter_mut().find(|known| known.stage == stage) {
        Some(known) => *known = new,
        None => pipeline.stages.push(new),
    }
    Ok(())
}
