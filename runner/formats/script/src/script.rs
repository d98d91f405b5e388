//! The parsed file: [`Script`] and its sections.

use std::borrow::Cow;

use crate::checks::CheckBlock;
use crate::commands::{TestLine, Uniform};
use crate::error::Span;
use crate::geometry_layout::GeometryLayout;
use crate::require::Require;
use crate::spirv::Specialization;
use crate::version_line::VersionLine;
use crate::vertex_data::VertexData;
use vocabulary::Stage;

/// One parsed `.shader_test` file. Shader texts, names and words borrow from the file's bytes.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    /// The whole file; every [`Span`] indexes it. Comments and shaders may have bytes that are not
    /// UTF-8.
    pub text: &'a [u8],
    /// Contents of `[require]`.
    pub require: Require<'a>,
    /// All sections in file order, `[require]` and `[test]` included.
    pub sections: Vec<Section<'a>>,
    /// The last `[vertex data]` section, if there is one.
    pub vertex_data: Option<VertexData<'a>>,
    /// The indices of `[elements]`.
    pub elements: Vec<u16>,
    /// The commands of `[test]`, without blank lines and comments; `None` without a `[test]`
    /// section: the test then passes if its shaders compile.
    pub test: Option<Vec<TestLine<'a>>>,
    /// The CHECK lines of `[test]`.
    pub checks: Vec<CheckBlock<'a>>,
    /// Uniform values of all commands, back to back; see [`Script::uniform_words`].
    pub(crate) words: Vec<u32>,
    /// Offset of the last `#version ` in the file.
    pub(crate) last_version: Option<u32>,
}

impl<'a> Script<'a> {
    /// Returns the line to pass to the compiler before `shader`'s text, or `None` if the text is
    /// passed unchanged.
    ///
    /// A line is generated when `#version ` occurs nowhere *from the start of the section to the
    /// end of the file*. Searching past the section's end is an error of piglit that affects 25 of
    /// its files: their vertex shader gets no line because a later stage has one, and is compiled
    /// as GLSL 1.10.
    pub fn version_line(&self, shader: &Shader<'a>) -> Option<VersionLine> {
        let versioned = self.last_version.is_some_and(|last| last >= shader.body.start);
        (!versioned).then_some(shader.required)
    }

    /// The values of one `uniform` command, as many as its type has components, in the order
    /// written (columns first for matrices): 32-bit types one word per component, 64-bit types two,
    /// low half first.
    pub fn uniform_words(&self, uniform: &Uniform<'a>) -> &[u32] {
        let start = uniform.first_word as usize;
        self.words.get(start..start + uniform.ty.words()).unwrap_or_default()
    }

    /// The text of a span, with replacement characters for bytes that are not UTF-8.
    pub fn slice(&self, span: Span) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text.get(span.range()).unwrap_or_default())
    }

    /// All GLSL sections in file order.
    pub fn shaders(&self) -> impl Iterator<Item = &Shader<'a>> {
        self.sections.iter().filter_map(|section| match &section.content {
            Content::Shader(shader) => Some(shader),
            _ => None,
        })
    }
}

/// One section: its position and its contents.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// File line of the header, from 1.
    pub line: u32,
    /// The header, brackets included.
    pub header: Span,
    /// From the line after the header to the next header.
    pub body: Span,
    /// The contents.
    pub content: Content<'a>,
}

/// Contents of a section. A stage's section may be repeated; each is a separate shader object.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// `[require]`; the contents of all of them are in [`Script::require`].
    Require,
    /// GLSL of one stage.
    Shader(Shader<'a>),
    /// `[vertex shader passthrough]`: the built-in shader that copies `piglit_vertex` to
    /// `gl_Position`.
    Passthrough(VersionLine),
    /// `[vertex program]` or `[fragment program]`: ARB assembly.
    Program {
        /// The program target.
        target: ProgramTarget,
        /// The assembly text. Comments (`#`) may have bytes that are not UTF-8.
        text: &'a [u8],
    },
    /// SPIR-V assembly of one stage.
    Spirv {
        /// The stage.
        stage: Stage,
        /// The assembly text, in which lines that start with `#` are comments, or a module's words.
        text: &'a [u8],
    },
    /// Specialization constants for the following SPIR-V section of the stage.
    Specializations {
        /// The stage.
        stage: Stage,
        /// The constants in file order.
        constants: Vec<Specialization>,
    },
    /// `[geometry layout]`.
    GeometryLayout(GeometryLayout),
    /// `[shader include]`: a named string.
    Include {
        /// The virtual path: the section's first line, without a final carriage return.
        path: &'a str,
        /// The string, starting with the newline that ends the path line. Any bytes but NUL.
        text: &'a [u8],
    },
    /// `[shader include paths]`: search paths, the last character of each line already dropped.
    IncludePaths(Vec<&'a str>),
    /// `[vertex data]`; the contents of the last one are in [`Script::vertex_data`].
    VertexData,
    /// `[elements]`; the contents are in [`Script::elements`].
    Elements,
    /// `[test]`; the contents are in [`Script::test`].
    Test,
}

/// A GLSL section.
#[derive(Clone, Debug)]
pub struct Shader<'a> {
    /// The stage.
    pub stage: Stage,
    /// The text, verbatim. Any bytes but NUL.
    pub source: &'a [u8],
    /// Position of the text.
    pub body: Span,
    /// File line of the first line of `source`.
    pub first_line: u32,
    /// The GLSL requirement before this section; used by [`Script::version_line`].
    pub required: VersionLine,
}

/// Target of an ARB assembly program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramTarget {
    /// `GL_VERTEX_PROGRAM_ARB`.
    Vertex,
    /// `GL_FRAGMENT_PROGRAM_ARB`.
    Fragment,
}
