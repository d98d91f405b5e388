//! Shaders with a `[config]` block.

use std::ops::Range;

use script::{ContextFacts, ContextRequest, stage_available};
use vocabulary::Stage;

use crate::comments;
use crate::config::{self, Config};
use crate::error::{ParseError, line_of};
use crate::outcome::Outcome;
use crate::version::GlslVersion;

/// Named string that `dummy_shader_include` defines; it is empty.
pub(crate) const INCLUDED: &str = "/dummy/path_to/shader_include";
/// `GL_GEOMETRY_VERTICES_OUT` of programs with ARB_geometry_shader4; its default is 0.
const VERTICES_OUT: u32 = 3;

/// Expectation of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The shader compiles, and links if the test asks for it.
    Accept,
    /// The shader does not.
    Refuse,
}

impl Verdict {
    /// Returns true if an answer is the expected one.
    pub fn is_met_by(self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Accepted(_) => self == Verdict::Accept,
            Outcome::Refused(..) => self == Verdict::Refuse,
            Outcome::Broken(..) => false,
        }
    }
}

/// An extension that a context must have, or must not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// The name as it is written.
    pub name: &'a str,
    /// False after `!`.
    pub present: bool,
}

/// A shader that is linked together with the test's, so that there is a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// The stage.
    pub stage: Stage,
    /// The text.
    pub text: String,
}

/// A shader and what a compiler must say to it.
#[derive(Debug)]
pub struct ParserTest<'a> {
    /// Stage of the shader.
    pub stage: Stage,
    /// The whole file.
    pub source: &'a [u8],
    /// The expected answer.
    pub expected: Verdict,
    /// Version of the language that the context must offer.
    pub version: GlslVersion,
    /// Extensions in their order.
    pub extensions: Vec<Extension<'a>>,
    /// The program must link, too.
    pub check_link: bool,
    /// An empty named string exists ([`ParserTest::named_string`]).
    pub has_named_string: bool,
    /// Path in which named strings are searched for.
    pub include_path: Option<&'a str>,
    block: Range<usize>,
    version_line: u32,
    extensions_line: u32,
}

impl<'a> ParserTest<'a> {
    /// Returns true if a file has a `[config]` block, well-formed or not.
    pub fn is_one(file: &[u8]) -> bool {
        config::has_block(file)
    }

    /// Parses the file of a shader.
    ///
    /// # Errors
    /// Fails if the `[config]` block is missing, malformed or incomplete.
    pub fn parse(file: &'a [u8], stage: Stage) -> Result<ParserTest<'a>, ParseError> {
        let config = Config::parse(file)?;
        let line = |value: &[u8]| {
            line_of(file, (value.as_ptr() as usize).saturating_sub(file.as_ptr() as usize))
        };
        let expected = match config.required(file, "expect_result")? {
            b"pass" => Verdict::Accept,
            b"fail" => Verdict::Refuse,
            other => return Err(ParseError::new(file, other, "the result is `pass` or `fail`")),
        };
        let written = config.required(file, "glsl_version")?;
        let Some(version) = GlslVersion::parse(text(written)) else {
            return Err(ParseError::new(file, written, "there is no such version of GLSL"));
        };
        let names = config.value("require_extensions").unwrap_or_default();
        Ok(ParserTest {
            stage,
            source: file,
            expected,
            version,
            extensions: text(names).split_ascii_whitespace().map(extension).collect(),
            check_link: config.flag(file, "check_link")?,
            has_named_string: config.flag(file, "dummy_shader_include")?,
            include_path: config.value("shader_include_path").map(text),
            version_line: line(written),
            extensions_line: line(names),
            block: config.range,
        })
    }

    /// Returns the context to create.
    pub fn context(&self) -> ContextRequest {
        self.version.context()
    }

    /// Checks the requirements in piglit's order.
    ///
    /// # Errors
    /// Describes the first one that a context does not meet.
    pub fn check_requirements(&self, context: &ContextFacts<'_>) -> Result<(), String> {
        let (needed, has) = (self.version.number, context.glsl_version);
        if has < needed {
            let es = if self.version.es { " ES" } else { "" };
            let [needed, has] = [needed, has].map(GlslVersion::dotted);
            let line = self.version_line;
            return Err(format!("line {line}: needs GLSL{es} {needed}, has {has}"));
        }
        for extension in &self.extensions {
            if context.extensions.contains(extension.name) != extension.present {
                let verb = if extension.present { "needs" } else { "must not have" };
                let line = self.extensions_line;
                return Err(format!("line {line}: {verb} {}", extension.name));
            }
        }
        stage_available(self.stage, context)
    }

    /// Returns the path of the named string that exists, which is empty.
    pub fn named_string(&self) -> Option<&'static str> {
        self.has_named_string.then_some(INCLUDED)
    }

    /// Returns the stages that are linked together with the shader: programs of OpenGL ES need a
    /// vertex and a fragment shader, programs of OpenGL a vertex shader before later stages.
    pub fn companions(&self) -> Vec<Companion> {
        let stages: &[Stage] = match (self.stage, self.version.es) {
            (Stage::Vertex, true) => &[Stage::Fragment],
            (Stage::Fragment, true) => &[Stage::Vertex],
            (Stage::Geometry | Stage::TessEval, false) => &[Stage::Vertex],
            (Stage::TessControl, false) => &[Stage::Vertex, Stage::TessEval],
            _ => &[],
        };
        stages.iter().map(|&stage| self.companion(stage)).collect()
    }

    fn companion(&self, stage: Stage) -> Companion {
        let body = match stage {
            Stage::Fragment => "void main() {}\n",
            Stage::TessEval => {
                "#extension GL_ARB_tessellation_shader : require\n\
                 layout(quads) in;\nvoid main() { gl_Position = vec4(0.0); }\n"
            }
            _ => "void main() { gl_Position = vec4(0.0); }\n",
        };
        Companion { stage, text: self.version.directive() + body }
    }

    /// Returns the number of vertices that a geometry shader of ARB_geometry_shader4 may emit: a
    /// parameter of its program.
    pub fn vertices_out(&self) -> Option<u32> {
        let is_parameter = |extension: &Extension<'_>| {
            extension.present && extension.name.contains("geometry_shader4")
        };
        self.extensions.iter().any(is_parameter).then_some(VERTICES_OUT)
    }

    /// Returns the words of the comment that says what the test is about.
    pub fn rule(&self) -> Option<String> {
        comments::subject(self.source, &self.block)
    }
}

fn extension(word: &str) -> Extension<'_> {
    match word.strip_prefix('!') {
        Some(name) => Extension { name, present: false },
        None => Extension { name: word, present: true },
    }
}

/// Returns a value of the block, which has ASCII characters only.
fn text(value: &[u8]) -> &str {
    std::str::from_utf8(value).unwrap_or_default()
}
