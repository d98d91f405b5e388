//! Sections before the commands: shaders, assembly programs, includes, and linking.

use script::{Content, GeometryLayout, ProgramTarget, Stage};
use vocabulary::Phase;

use super::draw::primitive;
use super::sections::{Sections, stage_enum};
use super::session::{Linked, Run};
use crate::bindings::gl;
use crate::capabilities::clear_errors;
use crate::outcome::{Flow, fail, skip};

/// `[vertex shader passthrough]`: the position is the attribute that rectangles are drawn with.
const PASSTHROUGH: &str = "#if __VERSION__ >= 130\n\
    in vec4 piglit_vertex;\n\
    #else\n\
    attribute vec4 piglit_vertex;\n\
    #endif\n\
    void main() { gl_Position = piglit_vertex; }\n";

/// Attributes of rectangles with their locations.
const RECTANGLE: [(u32, &str); 2] = [(0, "piglit_vertex"), (1, "piglit_texcoord")];

impl<'a> Run<'a> {
    /// Compiles and links the sections.
    pub(super) fn sections(&mut self) -> Flow {
        let mut sections = Sections::default();
        for section in &self.script.sections {
            self.section(&section.content, &mut sections)?;
        }
        self.link(&sections)
    }

    fn section(&mut self, content: &'a Content<'a>, sections: &mut Sections<'a>) -> Flow {
        match content {
            Content::Shader(_) if self.spirv => Ok(()),
            Content::Shader(shader) => {
                let stage = shader.stage;
                let facts = self.capabilities.facts();
                script::stage_available(stage, &facts).map_err(skip)?;
                let version = self.script.version_line(shader).map(|line| line.to_string());
                let parts = [version.as_deref().map(str::as_bytes), Some(shader.source)];
                self.compile(stage, &parts.into_iter().flatten().collect::<Vec<_>>(), sections)
            }
            Content::Passthrough(_) if self.spirv => {
                self.spirv(Stage::Vertex, script::SPIRV_PASSTHROUGH, sections)
            }
            Content::Passthrough(version) => {
                let line = version.to_string();
                self.compile(Stage::Vertex, &[line.as_bytes(), PASSTHROUGH.as_bytes()], sections)
            }
            Content::Program { target, text } => {
                sections.assembly = true;
                self.assembly(*target, text)
            }
            Content::Include { path, text } => {
                self.needs_extension("GL_ARB_shading_language_include")?;
                self.api.named_string(path, text);
                if clear_errors(self.api) {
                    let reason = format!("`{path}` is not a valid path for a named string");
                    return Err(fail(Phase::Frontend, reason));
                }
                self.objects.named_strings.push((*path).to_owned());
                Ok(())
            }
            Content::IncludePaths(paths) => {
                self.needs_extension("GL_ARB_shading_language_include")?;
                sections.paths.extend(paths);
                Ok(())
            }
            Content::GeometryLayout(layout) => {
                sections.geometry = Some(*layout);
                Ok(())
            }
            Content::Spirv { stage, text } if self.spirv => self.spirv(*stage, text, sections),
            Content::Specializations { stage, constants } => {
                sections.constants.push((*stage, constants));
                Ok(())
            }
            Content::Spirv { .. } => Ok(()),
            Content::Require | Content::VertexData | Content::Elements | Content::Test => Ok(()),
        }
    }

    fn compile(&mut self, stage: Stage, parts: &[&[u8]], sections: &mut Sections<'_>) -> Flow {
        let shader = self.api.create_shader(stage_enum(stage));
        self.objects.shaders.push(shader);
        self.api.shader_source(shader, parts);
        if sections.paths.is_empty() {
            self.api.compile_shader(shader)
        } else {
            self.api.compile_shader_include(shader, &sections.paths)
        }
        if self.api.get_shader(shader, gl::COMPILE_STATUS) == 0 {
            let log = self.api.shader_log(shader);
            let reason = format!("Failed to compile {}: {}", stage.abbreviation(), log.trim_end());
            return Err(fail(Phase::Frontend, reason));
        }
        sections.shaders.push((stage, shader));
        Ok(())
    }

    fn assembly(&mut self, target: ProgramTarget, text: &[u8]) -> Flow {
        let (extension, number, name) = match target {
            ProgramTarget::Vertex => {
                ("GL_ARB_vertex_program", gl::VERTEX_PROGRAM_ARB, Stage::Vertex.name())
            }
            ProgramTarget::Fragment => {
                ("GL_ARB_fragment_program", gl::FRAGMENT_PROGRAM_ARB, Stage::Fragment.name())
            }
        };
        self.needs_extension(extension)?;
        let program = self.api.create_program_arb();
        self.objects.programs_arb.push(program);
        self.api.bind_program_arb(number, program);
        self.api.program_string(number, text);
        let error = clear_errors(self.api);
        if error || self.api.get_integer(gl::PROGRAM_ERROR_POSITION_ARB) != -1 {
            let log = self.api.get_string(gl::PROGRAM_ERROR_STRING_ARB);
            let reason = format!("Failed to load the {name} program: {}", log.trim_end());
            return Err(fail(Phase::Frontend, reason));
        }
        self.api.enable(number);
        Ok(())
    }

    fn link(&mut self, sections: &Sections<'_>) -> Flow {
        if sections.shaders.is_empty() {
            self.linked = if sections.assembly { Linked::Assembly } else { Linked::Nothing };
            return Ok(());
        }
        if self.script.require.separate_shader_objects {
            return self.link_pipeline(sections);
        }
        let program = self.api.create_program();
        self.objects.programs.push(program);
        sections.shaders.iter().for_each(|&(_, shader)| self.api.attach_shader(program, shader));
        if self.script.require.separable_program {
            self.api.program_parameteri(program, gl::PROGRAM_SEPARABLE, 1);
        }
        if let Some(layout) = &sections.geometry {
            self.geometry(program, layout);
        }
        for (location, name) in RECTANGLE {
            self.api.bind_attribute(program, location, name);
        }
        self.api.link_program(program);
        if self.api.get_program(program, gl::LINK_STATUS) == 0 {
            let log = self.api.program_log(program);
            self.linked = Linked::Failed(log.trim_end().to_owned());
            return Ok(());
        }
        self.api.use_program(program);
        self.linked = Linked::Program(program);
        Ok(())
    }

    /// Sets the parameters of a geometry shader that differ from their defaults.
    fn geometry(&self, program: u32, layout: &GeometryLayout) {
        let default = GeometryLayout::default();
        let set = |parameter, value: u32| {
            self.api.program_parameteri_arb(program, parameter, value as i32);
        };
        if layout.input != default.input {
            set(gl::GEOMETRY_INPUT_TYPE_ARB, primitive(layout.input));
        }
        if layout.output != default.output {
            set(gl::GEOMETRY_OUTPUT_TYPE_ARB, primitive(layout.output));
        }
        if layout.vertices_out != default.vertices_out {
            set(gl::GEOMETRY_VERTICES_OUT_ARB, layout.vertices_out);
        }
    }

    /// Links a separate program for each stage. No script can expect errors of that.
    fn link_pipeline(&mut self, sections: &Sections<'_>) -> Flow {
        const ORDER: [Stage; 6] = [
            Stage::Vertex,
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
            Stage::Fragment,
            Stage::Compute,
        ];
        let pipeline = self.api.create_pipeline();
        self.objects.pipelines.push(pipeline);
        let mut programs = Vec::new();
        for stage in ORDER {
            let shaders = || sections.shaders.iter().filter(|&&(s, _)| s == stage);
            if shaders().next().is_none() {
                continue;
            }
            let program = self.api.create_program();
            self.objects.programs.push(program);
            shaders().for_each(|&(_, shader)| self.api.attach_shader(program, shader));
            self.api.program_parameteri(program, gl::PROGRAM_SEPARABLE, 1);
            for (location, name) in RECTANGLE {
                self.api.bind_attribute(program, location, name);
            }
            self.api.link_program(program);
            if self.api.get_program(program, gl::LINK_STATUS) == 0 {
                let log = self.api.program_log(program);
                return Err(fail(Phase::Link, format!("Failed to link: {}", log.trim_end())));
            }
            self.api.use_program_stages(pipeline, stage_bit(stage), program);
            programs.push((stage, program));
        }
        self.api.bind_program_pipeline(pipeline);
        self.linked = Linked::Pipeline { programs, pipeline };
        Ok(())
    }

    /// Executes `program binary save restore`: uniforms return to their initial values.
    pub(super) fn save_restore(&mut self) -> Flow {
        if self.capabilities.limit("GL_NUM_PROGRAM_BINARY_FORMATS") == 0 {
            return Err(skip("needs a program binary format"));
        }
        if !self.needs_program() {
            return Ok(());
        }
        let Linked::Program(old) = self.linked else { return Ok(()) };
        let Some((format, bytes)) = self.api.program_binary(old) else {
            return Err(fail(Phase::Link, "the program has no binary"));
        };
        let program = self.api.create_program();
        self.objects.programs.push(program);
        self.api.set_program_binary(program, format, &bytes);
        if self.api.get_program(program, gl::LINK_STATUS) == 0 {
            return Err(fail(Phase::Link, "the program cannot be restored from its binary"));
        }
        self.api.use_program(program);
        self.linked = Linked::Program(program);
        Ok(())
    }
}

fn stage_bit(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => gl::VERTEX_SHADER_BIT,
        Stage::TessControl => gl::TESS_CONTROL_SHADER_BIT,
        Stage::TessEval => gl::TESS_EVALUATION_SHADER_BIT,
        Stage::Geometry => gl::GEOMETRY_SHADER_BIT,
        Stage::Fragment => gl::FRAGMENT_SHADER_BIT,
        Stage::Compute => gl::COMPUTE_SHADER_BIT,
    }
}
