//! From a script's sections to a linked program: compilation in file order, then linking.

pub(crate) mod check;
pub(crate) mod initial;
pub(crate) mod pipeline;
pub(crate) mod source_lines;
mod spirv;
mod translated;

pub(crate) use translated::for_driver;
pub use translated::translated_text;

use std::sync::Arc;

use glsl::CompileOptions;
use glsl::{Diagnostic, Diagnostics, Severity};
use glsl::{ExtensionNames, NamedStrings};
use program::link::GeometryParameters;
use program::shader::LayoutPrimitive;
use program::{Api, BuiltinVariable, Capabilities, LinkOptions, Program, Shader, Stage, TypeTable};
use script::{
    Command, Content, GeometryLayout, ProgramTarget, Script, Specialization, SpirvMode, TestLine,
};

use crate::capabilities::stage_available;
use pipeline::Pipeline;
use results::verdict::{Phase, Verdict};
use vocabulary::begin_step;

/// Maximum number of a shader's diagnostics in a reason.
const DIAGNOSTICS: usize = 5;

/// `[vertex shader passthrough]`: the position is the attribute that rectangles are drawn with.
pub const PASSTHROUGH: &str = "#if __VERSION__ >= 130\n\
    in vec4 piglit_vertex;\n\
    #else\n\
    attribute vec4 piglit_vertex;\n\
    #endif\n\
    void main() { gl_Position = piglit_vertex; }\n";

/// The result of linking.
#[derive(Clone, Debug)]
pub enum Linked {
    /// A linked program.
    Program(Arc<Program>),
    /// A pipeline of separate programs, as one program.
    Pipeline(Arc<Program>, Pipeline),
    /// The info log of a failure, which a script may expect.
    Failed(String),
    /// The script has no shaders to link.
    Nothing,
}

/// Compiles and links the shaders of a script for a context.
///
/// # Errors
/// Returns the verdict that ends the test: the first section that is not available, not supported
/// or does not compile.
pub fn build(script: &Script<'_>, capabilities: &Capabilities) -> Result<Linked, Verdict> {
    FrontEnd::compiled(script, capabilities)?.finish()
}

struct FrontEnd<'a> {
    script: &'a Script<'a>,
    capabilities: &'a Capabilities,
    extensions: Arc<ExtensionNames>,
    types: TypeTable,
    shaders: Vec<Shader>,
    strings: NamedStrings,
    geometry: GeometryParameters,
    /// True if the SPIR-V sections count, not those of GLSL.
    is_spirv: bool,
    /// Values of specialization constants by stage.
    constants: Vec<(Stage, Vec<Specialization>)>,
    /// GLSL that is translated to SPIR-V, by stage.
    texts: Vec<(Stage, String)>,
    /// Modules of the translated stages.
    modules: Vec<(Stage, Arc<[u32]>)>,
}

/// True if a script's stages are its SPIR-V sections in a context: in a file with both, these go
/// before those of GLSL, as in piglit.
pub(crate) fn is_spirv(script: &Script<'_>, capabilities: &Capabilities) -> bool {
    script.require.spirv.has_sections() && capabilities.has("GL_ARB_gl_spirv")
}

impl<'a> FrontEnd<'a> {
    /// Compiles the sections of a script.
    fn compiled(
        script: &'a Script<'a>,
        capabilities: &'a Capabilities,
    ) -> Result<FrontEnd<'a>, Verdict> {
        begin_step(Phase::Frontend, None, 0);
        let mut front = FrontEnd {
            script,
            capabilities,
            extensions: ExtensionNames::remembered(&capabilities.table().extensions),
            types: TypeTable::default(),
            shaders: Vec::new(),
            strings: NamedStrings::default(),
            geometry: GeometryParameters::default(),
            is_spirv: is_spirv(script, capabilities),
            constants: Vec::new(),
            texts: Vec::new(),
            modules: Vec::new(),
        };
        if front.is_translated() {
            front.may_translate(script)?;
        }
        for section in &script.sections {
            front.section(&section.content, section.line)?;
        }
        front.translate()?;
        Ok(front)
    }

    fn finish(self) -> Result<Linked, Verdict> {
        begin_step(Phase::Link, None, 0);
        self.link()
    }
}

impl FrontEnd<'_> {
    fn is_translated(&self) -> bool {
        self.script.require.spirv == SpirvMode::Translated
    }

    fn section(&mut self, content: &Content<'_>, line: u32) -> Result<(), Verdict> {
        match content {
            Content::Shader(_) if self.is_spirv => Ok(()),
            Content::Passthrough(_) if self.is_spirv => {
                self.spirv(Stage::Vertex, script::SPIRV_PASSTHROUGH, line)
            }
            Content::Spirv { stage, text } if self.is_spirv => self.spirv(*stage, text, line),
            Content::Specializations { stage, constants } => {
                self.constants.push((*stage, constants.clone()));
                Ok(())
            }
            Content::Spirv { .. } => Ok(()),
            Content::Shader(shader) => {
                let stage = shader.stage;
                stage_available(stage, self.capabilities).map_err(Verdict::skip)?;
                let version = self.script.version_line(shader).map(|line| line.to_string());
                if self.is_translated() {
                    return self.translated_section(shader, version.as_deref());
                }
                self.compile(stage, version.as_deref(), shader.source, shader.first_line)
            }
            Content::Passthrough(version) => self.passthrough(&version.to_string(), line),
            Content::Program { .. } if self.is_translated() => {
                Err(Verdict::skip("assembly programs have no translation to SPIR-V"))
            }
            Content::Program { target, text } => {
                let extension = match target {
                    ProgramTarget::Vertex => "GL_ARB_vertex_program",
                    ProgramTarget::Fragment => "GL_ARB_fragment_program",
                };
                if !self.capabilities.has(extension) {
                    return Err(Verdict::skip(format!("needs {extension}")));
                }
                self.assembly(*target, &String::from_utf8_lossy(text), line)
            }
            Content::Include { path, text } => {
                self.needs_includes()?;
                glsl::mentions(self.capabilities, text);
                if self.strings.insert(path, text) {
                    return Ok(());
                }
                let reason =
                    format!("line {line}: `{path}` is not a valid path for a named string");
                Err(Verdict::fail(Phase::Frontend, reason))
            }
            Content::IncludePaths(paths) => {
                self.needs_includes()?;
                for path in paths {
                    self.strings.add_search_path(path);
                }
                Ok(())
            }
            Content::GeometryLayout(layout) => {
                self.geometry = geometry_parameters(layout);
                Ok(())
            }
            Content::Require | Content::VertexData | Content::Elements | Content::Test => Ok(()),
        }
    }

    /// Compiles the vertex shader that passes the position on. Its lines mean nothing to a user.
    fn passthrough(&mut self, version: &str, line: u32) -> Result<(), Verdict> {
        self.compile(Stage::Vertex, Some(version), PASSTHROUGH.as_bytes(), line)?;
        if let Some(shader) = self.shaders.last_mut() {
            shader.forget_lines();
        }
        Ok(())
    }

    /// Compiles an assembly program whose section header is at `line`.
    fn assembly(&mut self, target: ProgramTarget, text: &str, line: u32) -> Result<(), Verdict> {
        let (target, stage) = match target {
            ProgramTarget::Vertex => (legacy::arb::ProgramTarget::Vertex, Stage::Vertex),
            ProgramTarget::Fragment => (legacy::arb::ProgramTarget::Fragment, Stage::Fragment),
        };
        let glsl = legacy::arb::translate(text, target).map_err(|error| {
            let line = line + error.line;
            let reason = format!(
                "Failed to load the {} program: line {line}, column {}: {}",
                stage.name(),
                error.column,
                error.message
            );
            Verdict::fail(Phase::Frontend, reason)
        })?;
        self.compile(stage, None, glsl.as_bytes(), line)?;
        // The parameters are context state, not the program's.
        let Some(shader) = self.shaders.last_mut() else { return Ok(()) };
        shader.forget_lines();
        for global in shader.globals.values_mut() {
            match &*global.name {
                name if name == target.environment() => {
                    global.builtin = Some(BuiltinVariable::ProgramEnv)
                }
                name if name == target.local() => {
                    global.builtin = Some(BuiltinVariable::ProgramLocal)
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn needs_includes(&self) -> Result<(), Verdict> {
        let extension = "GL_ARB_shading_language_include";
        let missing = || Verdict::skip(format!("needs {extension}"));
        if self.capabilities.has(extension) { Ok(()) } else { Err(missing()) }
    }

    /// Compiles one shader object; `first_line` is the line of the text's start in the file.
    fn compile(
        &mut self,
        stage: Stage,
        version: Option<&str>,
        text: &[u8],
        first_line: u32,
    ) -> Result<(), Verdict> {
        let mut options = self.options();
        options.includes = Some(Box::new(self.strings.clone()));
        if self.capabilities.api() == Api::Es {
            (options.default_version.number, options.default_version.es) = (100, true);
        }
        let sources: Vec<&[u8]> = version.map(str::as_bytes).into_iter().chain([text]).collect();
        let own = sources.len() as u32 - 1;
        match glsl::compile(&sources, stage, options, &mut self.types) {
            Ok(shader) => {
                self.shaders.push(shader);
                Ok(())
            }
            Err(diagnostics) => {
                let what = format!("Failed to compile {}: ", stage.abbreviation());
                let reason = what + &log(&diagnostics, own, first_line);
                Err(Verdict::fail(Phase::Frontend, reason))
            }
        }
    }

    fn link(self) -> Result<Linked, Verdict> {
        if self.shaders.is_empty() {
            return Ok(Linked::Nothing);
        }
        let options = LinkOptions {
            separable: self.script.require.separable_program,
            geometry: self.geometry,
            ..LinkOptions::new(self.capabilities)
        };
        if self.script.require.separate_shader_objects {
            // No script can expect these link errors.
            let linked = pipeline::link(&self.shaders, &self.types, &options);
            let (program, pipeline) = linked
                .map_err(|error| Verdict::fail(Phase::Link, format!("Failed to link: {error}")))?;
            return Ok(Linked::Pipeline(Arc::new(program), pipeline));
        }
        // The program with fixed-function stages; a program that does not fit them can still be
        // queried.
        let completed = self.with_fixed_stages();
        if let Some((shaders, types)) = completed
            && let Ok(program) = program::link(shaders, types, &options)
        {
            return Ok(Linked::Program(Arc::new(program)));
        }
        Ok(match program::link(self.shaders, self.types, &options) {
            Ok(program) => Linked::Program(Arc::new(program)),
            Err(error) => Linked::Failed(error.to_string()),
        })
    }
}

impl<'a> FrontEnd<'a> {
    /// Returns the compile options of every shader of the script.
    fn options(&self) -> CompileOptions<'a> {
        let extensions = Some(self.extensions.clone());
        CompileOptions { extensions, ..CompileOptions::new(self.capabilities) }
    }

    /// Returns the shaders with the fixed-function stages of a compatibility context; `None` if it
    /// adds none.
    fn with_fixed_stages(&self) -> Option<(Vec<Shader>, TypeTable)> {
        let has = |stage| self.shaders.iter().any(|s| s.stage == stage);
        let applies = self.capabilities.api() == Api::Compatibility
            && !self.script.require.separable_program
            && !has(Stage::Compute)
            && self.shaders.iter().all(|s| !s.es && !s.nameless);
        if !applies {
            return None;
        }
        let colors = |b| {
            matches!(b, program::BuiltinVariable::FrontColor | program::BuiltinVariable::BackColor)
        };
        let writes_color =
            self.shaders.iter().any(|s| s.globals.values().any(|g| g.builtin.is_some_and(colors)));
        let vertex = !has(Stage::Vertex);
        let fragment = !has(Stage::Fragment) && writes_color;
        let missing = [
            (Stage::Vertex, legacy::fixed::VERTEX, vertex),
            (Stage::Fragment, legacy::fixed::FRAGMENT, fragment),
        ];
        if !vertex && !fragment {
            return None;
        }
        let (mut shaders, mut types) = (self.shaders.clone(), self.types.clone());
        for (stage, text, _) in missing.iter().filter(|m| m.2) {
            let mut shader = glsl::compile(&[text], *stage, self.options(), &mut types).ok()?;
            shader.forget_lines();
            shaders.push(shader);
        }
        Some((shaders, types))
    }
}

/// Returns the first errors of a shader, a line each. `own` is the number of its source string, and
/// `first_line` the line of the string's start in the file.
fn log(diagnostics: &Diagnostics, own: u32, first_line: u32) -> String {
    let errors: Vec<&Diagnostic> =
        diagnostics.0.iter().filter(|d| d.severity == Severity::Error).collect();
    let line = |error: &&Diagnostic| place(error, own, first_line) + &message(error);
    let mut lines: Vec<String> = errors.iter().take(DIAGNOSTICS).map(line).collect();
    if errors.len() > DIAGNOSTICS {
        lines.push(format!("and {} more errors", errors.len() - DIAGNOSTICS));
    }
    lines.join("\n")
}

/// Returns `line 12, column 5: `, counted in the file; positions in included strings stay as the
/// compiler reports them.
fn place(error: &Diagnostic, own: u32, first_line: u32) -> String {
    let location = &error.location;
    if location.file == own {
        let line = first_line + location.physical_line.saturating_sub(1);
        format!("line {line}, column {}: ", location.column)
    } else {
        format!("{location}: ")
    }
}

fn message(error: &Diagnostic) -> String {
    match error.unquoted_text() {
        Some(text) if !text.is_empty() => format!("{}: `{text}`", error.message),
        _ => error.message.clone(),
    }
}

/// Returns the parameters that differ from their defaults; they are set before linking.
fn geometry_parameters(layout: &GeometryLayout) -> GeometryParameters {
    use script::Primitive as P;
    let primitive = |p: P| match p {
        P::Points => Some(LayoutPrimitive::Points),
        P::Lines => Some(LayoutPrimitive::Lines),
        P::LinesAdjacency => Some(LayoutPrimitive::LinesAdjacency),
        P::Triangles => Some(LayoutPrimitive::Triangles),
        P::TrianglesAdjacency => Some(LayoutPrimitive::TrianglesAdjacency),
        P::LineStrip => Some(LayoutPrimitive::LineStrip),
        P::TriangleStrip => Some(LayoutPrimitive::TriangleStrip),
        _ => None,
    };
    GeometryParameters {
        input: primitive(layout.input),
        output: primitive(layout.output),
        max_vertices: (layout.vertices_out > 0).then_some(layout.vertices_out),
    }
}

/// Returns the verdict of a test that needs an unimplemented feature of this project. It is never a
/// skip: the context offers what the test requires.
pub(super) fn unsupported(what: &str) -> Verdict {
    Verdict::fail(Phase::Simulate, format!("{what} not supported yet"))
}

/// Returns the script without commands, but for those that expect a link error.
pub(crate) fn without_commands<'a>(script: &Script<'a>) -> Script<'a> {
    let mut script = script.clone();
    let commands = script.test.take().into_iter().flatten();
    script.test = Some(commands.filter(is_link_error).collect());
    script
}

/// Returns the program of a script; `None` if it has no shaders, or expects that they do not link.
///
/// # Errors
/// Returns the verdict of shaders that do not compile or link.
pub(crate) fn linked_program(
    script: &Script<'_>,
    capabilities: &Capabilities,
) -> Result<Option<Arc<Program>>, Verdict> {
    let is_expected = script.test.iter().flatten().any(is_link_error);
    match build(script, capabilities)? {
        Linked::Program(program) | Linked::Pipeline(program, _) => Ok(Some(program)),
        Linked::Failed(_) if is_expected => Ok(None),
        Linked::Failed(log) => Err(Verdict::fail(Phase::Link, format!("Failed to link: {log}"))),
        Linked::Nothing => Ok(None),
    }
}

fn is_link_error(line: &TestLine<'_>) -> bool {
    matches!(line.command, Command::LinkError)
}
