//! `[test]` commands: the typed [`Command`] and the dispatch that finds a line's pattern and reads
//! its arguments.
//!
//! A line's pattern is the first of [`Pattern::ALL`] that matches. Only the patterns that begin
//! with the line's first letter are tried, which gives the same answer because every pattern begins
//! with a literal letter.

mod arguments;
mod buffer;
mod draw;
mod framebuffer;
mod interface_query;
mod probe;
mod query;
mod query_value;
mod state;
mod texture;
mod uniform;

pub use buffer::{BufferCommand, SsboValue};
pub(crate) use draw::Bounds;
pub use draw::{DrawArrays, DrawElements, DrawRect, Primitive};
pub use framebuffer::{BlitBuffer, Framebuffer, FramebufferCommand, FramebufferTarget};
pub use interface_query::{InterfaceQuery, InterfaceQuestion, ResourceKey};
pub use probe::{Area, AtomicPosition, Comparison, Expected, Probe};
pub use query::{ActiveUniformProperty, ProgramProperty, QueryCommand, QueryObject};
pub use query_value::QueryValue;
pub use state::{
    Capability, HintMode, HintTarget, LightParameter, LightValues, PatchParameter,
    ProgramParameter, StateCommand, Swizzle,
};
pub use texture::{
    Checkerboard, CompareFunc, DepthMode, IntegerFormat, Quads, TexFilter, TexParameter, TexWrap,
    TextureCommand, TextureImage, TextureSwizzle, TextureTarget,
};
pub use uniform::{Scalar, Uniform, UniformTarget, UniformType};

use crate::enums::GlEnum;
use crate::error::{ErrorKind, Fault, Span};
use crate::patterns::{MatchKind, Pattern};
use crate::scan::{Captures, scan};
use crate::text::{skip_space, trim_end};
use arguments::Arguments;
use vocabulary::Stage;

/// One executable line of `[test]`.
#[derive(Clone, Debug)]
pub struct TestLine<'a> {
    /// File line, from 1.
    pub number: u32,
    /// The line without its indentation and trailing blanks.
    pub span: Span,
    /// The pattern that matched.
    pub pattern: Pattern,
    /// The command with its arguments.
    pub command: Command<'a>,
}

/// A command of `[test]`, grouped by the object that it acts on.
#[derive(Clone, Debug, PartialEq)]
pub enum Command<'a> {
    /// `clear color`: sets the clear color and adds color to the clear mask.
    ClearColor([f32; 4]),
    /// `clear depth`: sets the clear depth and adds depth to the clear mask.
    ClearDepth(f32),
    /// `clear`: clears the buffers of the mask, which is empty before any `clear color` or `clear
    /// depth`.
    Clear,
    /// Context state other than clears.
    State(StateCommand),
    /// Any of the `draw … rect …` commands.
    DrawRect(DrawRect),
    /// `draw arrays`, `draw arrays instanced`, `draw arrays instanced base`, `xfb draw arrays`.
    DrawArrays(DrawArrays),
    /// `multidraw arrays`: at least one draw.
    MultiDrawArrays(Vec<DrawArrays>),
    /// `draw elements`.
    DrawElements(DrawElements),
    /// `compute`, and `compute group size` when `local_size` is given: the number of work groups,
    /// the variable size.
    Compute {
        /// Work groups in x, y, z.
        groups: [u32; 3],
        /// Invocations per group in x, y, z for a variable group size.
        local_size: Option<[u32; 3]>,
    },
    /// `uniform`.
    Uniform(Uniform<'a>),
    /// `subuniform`: selects a subroutine.
    Subuniform {
        /// The stage whose subroutine uniform is set.
        stage: Stage,
        /// The subroutine uniform.
        uniform: &'a str,
        /// The subroutine.
        function: &'a str,
    },
    /// `vertex attrib handle`: a generic attribute becomes a resident handle.
    VertexAttribHandle {
        /// The attribute.
        target: UniformTarget<'a>,
        /// The handle slot.
        slot: u32,
    },
    /// `active shader program`: the stage's separate program receives uniforms from now on.
    ActiveShaderProgram(Stage),
    /// `ubo array index`, `block array index`: element of the block array that uniforms go to.
    BlockArrayIndex(i32),
    /// `block binding`.
    BlockBinding(i32),
    /// `block offset`, in bytes.
    BlockOffset(i32),
    /// `block matrix stride`, in bytes.
    BlockMatrixStride(i32),
    /// `block row major`.
    BlockRowMajor(bool),
    /// Atomic counters, storage buffers and feedback buffers.
    Buffer(BufferCommand),
    /// A texture is filled, its parameters change, or it is bound to an image unit or made
    /// resident.
    Texture(TextureCommand),
    /// `fb`, `blit`.
    Framebuffer(FramebufferCommand),
    /// Any of the probes.
    Probe(Probe),
    /// `link success`.
    LinkSuccess,
    /// `link error`.
    LinkError,
    /// `program binary save restore`.
    ProgramBinarySaveRestore,
    /// Introspection: `active uniform`, `verify …`.
    Query(QueryCommand<'a>),
    /// `newlist`: starts compiling a display list in this mode.
    NewList(GlEnum),
    /// `endlist`.
    EndList,
    /// `calllist`.
    CallList,
    /// `deletelist`.
    DeleteList,
}

/// Reads one file's `[test]` lines.
pub(crate) struct Reader<'a> {
    captures: Captures<'a>,
    /// Uniform values read so far.
    pub(crate) words: Vec<u32>,
    /// Limits of draws.
    bounds: Bounds,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bounds: Bounds) -> Reader<'a> {
        Reader { captures: Captures::new(), words: Vec::new(), bounds }
    }

    /// The pattern and command of a line, or `None` for a blank line or a comment.
    pub(crate) fn line(
        &mut self,
        line: &'a [u8],
    ) -> Result<Option<(Pattern, Command<'a>)>, Fault<'a>> {
        let line = skip_space(line);
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(None);
        }
        let Some((pattern, rest)) = dispatch(line, &mut self.captures) else {
            return Err(Fault::new(ErrorKind::UnknownCommand, trim_end(line), "unknown command"));
        };
        let mut arguments = Arguments::new(line, rest, &self.captures);
        let command = match pattern {
            Pattern::Uniform => {
                Command::Uniform(uniform::uniform(&mut arguments, &mut self.words)?)
            }
            _ => build(pattern, &mut arguments, self.bounds)?,
        };
        Ok(Some((pattern, command)))
    }
}

/// The first matching pattern, and the text after the literal of a prefix pattern.
fn dispatch<'a>(line: &'a [u8], captures: &mut Captures<'a>) -> Option<(Pattern, &'a [u8])> {
    let &first = line.first()?;
    Pattern::starting_with(first)
        .find_map(|pattern| Some((pattern, matches(pattern, line, captures)?)))
}

/// Returns whether one pattern matches, regardless of the order of trial; `Some` holds the text
/// after a prefix pattern's literal.
fn matches<'a>(pattern: Pattern, line: &'a [u8], captures: &mut Captures<'a>) -> Option<&'a [u8]> {
    match pattern.kind() {
        MatchKind::Prefix => line.strip_prefix(pattern.text().as_bytes()),
        MatchKind::Scan => scan(pattern.text(), line, captures).then_some(&[]),
    }
}

/// Reads the arguments of every command but `uniform`.
fn build<'a>(
    pattern: Pattern,
    arguments: &mut Arguments<'a, '_>,
    bounds: Bounds,
) -> Result<Command<'a>, Fault<'a>> {
    use Pattern as P;
    let captures = arguments.captures;
    Ok(match pattern {
        P::ClearColor => Command::ClearColor(arguments.floats()),
        P::ClearDepth => Command::ClearDepth(arguments.floats::<1>()[0]),
        P::Clear => Command::Clear,
        P::Compute => {
            Command::Compute { groups: captures.signeds(0).map(|n| n as u32), local_size: None }
        }
        P::ComputeGroupSize => Command::Compute {
            groups: captures.signeds(0).map(|n| n as u32),
            local_size: Some(captures.signeds(3).map(|n| n as u32)),
        },
        P::DrawRectTex
        | P::DrawRectOrthoPatch
        | P::DrawRectOrtho
        | P::DrawRectPatch
        | P::DrawRect
        | P::DrawInstancedRectOrthoPatch
        | P::DrawInstancedRectOrtho
        | P::DrawInstancedRect => Command::DrawRect(draw::rect(pattern, arguments)),
        P::DrawArraysInstanced | P::DrawArraysInstancedBase | P::DrawArrays | P::XfbDrawArrays => {
            Command::DrawArrays(draw::arrays(pattern, arguments, bounds)?)
        }
        P::DrawElements => Command::DrawElements(draw::elements(arguments, bounds)?),
        P::MultidrawArrays => Command::MultiDrawArrays(draw::multiple(arguments, bounds)?),
        P::Uniform => return Err(arguments.malformed("uniform without a value reader")),
        P::Subuniform => {
            let stage_name = arguments.word("a shader stage")?;
            let stage = stage(arguments, stage_name)?;
            let uniform = arguments.word("a subroutine uniform")?;
            Command::Subuniform { stage, uniform, function: arguments.word("a subroutine")? }
        }
        P::VertexAttrib => {
            if arguments.word("`handle`")? != "handle" {
                return Err(arguments.malformed("`vertex attrib` takes only `handle`"));
            }
            let target = uniform::target(arguments.word("an attribute")?);
            Command::VertexAttribHandle { target, slot: arguments.slot_or_zero()? }
        }
        P::ActiveShaderProgram => Command::ActiveShaderProgram(stage(arguments, captures.word(0))?),
        P::UboArrayIndex | P::BlockArrayIndex => {
            Command::BlockArrayIndex(arguments.signed("an array index")?)
        }
        P::BlockBinding => Command::BlockBinding(arguments.signed("a binding")?),
        P::BlockOffset => Command::BlockOffset(arguments.signed("an offset")?),
        P::BlockMatrixStride => Command::BlockMatrixStride(arguments.signed("a stride")?),
        P::BlockRowMajor => Command::BlockRowMajor(arguments.signed("0 or 1")? != 0),
        P::AtomicCounterBuffer
        | P::AtomicCounters
        | P::AtomicCounter
        | P::Ssbo
        | P::SsboSubdataFloat
        | P::SsboSubdataDouble
        | P::SsboSubdataInt64
        | P::SsboSubdataUint64
        | P::SsboSubdataInt
        | P::XfbBufferObject => Command::Buffer(buffer::command(pattern, arguments)?),
        P::TextureRgbw
        | P::ResidentTexture
        | P::ResidentTexture1D
        | P::ResidentImageTexture
        | P::TextureInteger
        | P::TextureMiptree
        | P::TextureCheckerboard
        | P::TextureQuads
        | P::TextureJunk2DArray
        | P::TextureStorage
        | P::TextureRgbw1D
        | P::TextureRgbw3D
        | P::TextureRgbw2DArray
        | P::TextureRgbw1DArray
        | P::TextureShadow2D
        | P::TextureShadowRect
        | P::TextureShadow1D
        | P::TextureShadow1DArray
        | P::TextureShadow2DArray
        | P::Texparameter
        | P::ImageTexture => Command::Texture(texture::command(pattern, arguments)?),
        P::Fb => Command::Framebuffer(framebuffer::fb(arguments)?),
        P::Blit => Command::Framebuffer(framebuffer::blit(arguments)?),
        P::ProbeRgba
        | P::ProbeDepth
        | P::ProbeAtomicCounterBuffer
        | P::ProbeAtomicCounter
        | P::ProbeSsboUintHex
        | P::ProbeSsboUint
        | P::ProbeSsboUint64
        | P::ProbeSsboInt
        | P::ProbeSsboInt64
        | P::ProbeSsboDouble
        | P::ProbeSsboFloat
        | P::RelativeProbeRgba
        | P::ProbeRgb
        | P::RelativeProbeRgb
        | P::ProbeRectRgba
        | P::RelativeProbeRectRgb
        | P::RelativeProbeRectRgba
        | P::RelativeProbeRectRgbaInt
        | P::ProbeAllRgba
        | P::ProbeWarnAllRgba
        | P::ProbeAllRgb
        | P::ProbeXfbBufferFloat
        | P::ProbeXfbBufferDouble => Command::Probe(probe::probe(pattern, arguments)?),
        P::LinkError => Command::LinkError,
        P::LinkSuccess => Command::LinkSuccess,
        P::ProgramBinarySaveRestore => Command::ProgramBinarySaveRestore,
        P::ActiveUniform
        | P::VerifyProgramQuery
        | P::VerifyProgramInterfaceQuery
        | P::VerifyQueryObject => Command::Query(query::command(pattern, arguments)?),
        P::Newlist => Command::NewList(arguments.gl_enum("a display-list mode")?),
        P::Endlist => Command::EndList,
        P::Calllist => Command::CallList,
        P::Deletelist => Command::DeleteList,
        P::ClipPlane
        | P::Color
        | P::Disable
        | P::Enable
        | P::Depthfunc
        | P::FrontfaceCw
        | P::FrontfaceCcw
        | P::Frustum
        | P::Hint
        | P::MemoryBarrier
        | P::BlendBarrier
        | P::FbfetchBarrier
        | P::OrthoBounds
        | P::Ortho
        | P::ViewportIndexed
        | P::PolygonMode
        | P::Tolerance
        | P::ShadeModelSmooth
        | P::ShadeModelFlat
        | P::Texcoord
        | P::Parameter
        | P::PatchParameter
        | P::ProvokingVertex
        | P::ViewportSwizzle
        | P::Light => Command::State(state::command(pattern, arguments)?),
    })
}

/// Returns the stage of a `GL_…_SHADER` enum name.
fn stage<'a>(arguments: &Arguments<'a, '_>, name: &'a str) -> Result<Stage, Fault<'a>> {
    Ok(match name {
        "GL_VERTEX_SHADER" => Stage::Vertex,
        "GL_TESS_CONTROL_SHADER" => Stage::TessControl,
        "GL_TESS_EVALUATION_SHADER" => Stage::TessEval,
        "GL_GEOMETRY_SHADER" => Stage::Geometry,
        "GL_FRAGMENT_SHADER" => Stage::Fragment,
        "GL_COMPUTE_SHADER" => Stage::Compute,
        _ => {
            return Err(arguments.at(name, ErrorKind::UnknownEnum, "no shader stage of that name"));
        }
    })
}

#[cfg(test)]
mod tests;
