//! `[require]`: requirement lines, and the context, window and depth buffer that they request.
//!
//! A line of another form is ignored; piglit's files use that for comments and prose.

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::combinator::{opt, value};
use nom::sequence::preceded;
use nom::{AsChar, Parser};

use crate::commands::Comparison;
use crate::enums::GlEnum;
use crate::error::{ErrorKind, Fault, Span, offset_in, saturate};
use crate::numbers::{signed32, strtol, unsigned64};
use crate::text::{Lines, Parsed, is_space, miss, skip_space, trim_end, word};
use crate::version_line::VersionLine;

/// Contents of the `[require]` sections of a file.
#[derive(Clone, Debug, Default)]
pub struct Require<'a> {
    /// The conditions in file order. A condition is in force for the sections after it.
    pub requirements: Vec<RequireLine<'a>>,
    /// The context to create.
    pub context: ContextRequest,
    /// `SIZE`: window width and height in pixels.
    pub window: Option<(u32, u32)>,
    /// `depthbuffer`.
    pub depth_buffer: bool,
    /// `SSO ENABLED`: one separable program per stage.
    pub separate_shader_objects: bool,
    /// `SEPARABLE PROGRAM ENABLED`: one program, linked as separable.
    pub separable_program: bool,
    /// `ignore_missing_uniforms`: setting a uniform that the program does not have is not a
    /// failure.
    pub ignore_missing_uniforms: bool,
    /// `SPIRV`.
    pub spirv: SpirvMode,
}

/// A requirement and its position.
#[derive(Clone, Debug)]
pub struct RequireLine<'a> {
    /// File line, from 1.
    pub line: u32,
    /// The line without surrounding blanks.
    pub span: Span,
    /// The requirement.
    pub requirement: Requirement<'a>,
}

/// A condition on the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement<'a> {
    /// `INT`: integer state.
    Integer {
        /// The state.
        state: GlEnum,
        /// Comparison operator.
        comparison: Comparison,
        /// Right operand.
        value: i32,
    },
    /// One of seven implementation limits.
    Limit {
        /// The limit.
        limit: Limit,
        /// Comparison operator.
        comparison: Comparison,
        /// Right operand.
        value: i32,
    },
    /// The extension must be exported.
    Extension(&'a str),
    /// The extension must not be exported.
    NoExtension(&'a str),
    /// `GLSL … >=`.
    Glsl(Version),
    /// `GL`.
    Gl {
        /// Comparison operator for the context's version.
        comparison: Comparison,
        /// Right operand.
        version: Version,
    },
    /// `rlimit`: address space in bytes. Never unmet.
    AddressSpace(u64),
    /// `SSO ENABLED`: needs GL 4.1, ES 3.1 or an extension.
    SeparateShaderObjects,
    /// `SEPARABLE PROGRAM ENABLED`: needs the same.
    SeparableProgram,
    /// `ignore_missing_uniforms`. Never unmet.
    IgnoreMissingUniforms,
    /// `SPIRV YES`, `SPIRV NO` or `SPIRV ONLY`.
    Spirv(SpirvMode),
}

/// A version requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Packed: 10·major + minor for GL, 100·major + minor for GLSL, the minor never padded.
    pub number: u32,
    /// `CORE` was given.
    pub core: bool,
    /// `COMPAT` was given.
    pub compat: bool,
    /// `ES` was given.
    pub es: bool,
}

/// Limits with a separate requirement form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// `GL_MAX_VERTEX_OUTPUT_COMPONENTS`
    VertexOutputComponents,
    /// `GL_MAX_FRAGMENT_UNIFORM_COMPONENTS`
    FragmentUniformComponents,
    /// `GL_MAX_VERTEX_UNIFORM_COMPONENTS`
    VertexUniformComponents,
    /// `GL_MAX_VERTEX_ATTRIBS`
    VertexAttribs,
    /// `GL_MAX_VARYING_COMPONENTS`
    VaryingComponents,
    /// `GL_NUM_PROGRAM_BINARY_FORMATS`
    ProgramBinaryFormats,
    /// `GL_SUBGROUP_SIZE_KHR`
    SubgroupSize,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Limit; 7] = [
        Limit::VertexOutputComponents,
        Limit::FragmentUniformComponents,
        Limit::VertexUniformComponents,
        Limit::VertexAttribs,
        Limit::VaryingComponents,
        Limit::ProgramBinaryFormats,
        Limit::SubgroupSize,
    ];

    /// The limit's enum name.
    pub fn name(self) -> &'static str {
        match self {
            Limit::VertexOutputComponents => "GL_MAX_VERTEX_OUTPUT_COMPONENTS",
            Limit::FragmentUniformComponents => "GL_MAX_FRAGMENT_UNIFORM_COMPONENTS",
            Limit::VertexUniformComponents => "GL_MAX_VERTEX_UNIFORM_COMPONENTS",
            Limit::VertexAttribs => "GL_MAX_VERTEX_ATTRIBS",
            Limit::VaryingComponents => "GL_MAX_VARYING_COMPONENTS",
            Limit::ProgramBinaryFormats => "GL_NUM_PROGRAM_BINARY_FORMATS",
            Limit::SubgroupSize => "GL_SUBGROUP_SIZE_KHR",
        }
    }
}

/// Use of SPIR-V by a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpirvMode {
    /// No `SPIRV` line, or `NO`.
    #[default]
    No,
    /// `YES`: the file has both GLSL and SPIR-V.
    Yes,
    /// `ONLY`: no GLSL; skipped in runs of GLSL.
    Only,
    /// The GLSL of a file without SPIR-V is translated to it ([`Require::translate`]).
    Translated,
}

impl SpirvMode {
    /// True if a file has SPIR-V sections.
    #[must_use]
    pub fn has_sections(self) -> bool {
        matches!(self, SpirvMode::Yes | SpirvMode::Only)
    }
}

impl Require<'_> {
    /// Asks for SPIR-V in place of GLSL, in a file that has no SPIR-V of its own: in a core
    /// context, since GL_ARB_gl_spirv knows no other.
    pub fn translate(&mut self) {
        if self.spirv != SpirvMode::No {
            return;
        }
        self.spirv = SpirvMode::Translated;
        self.context = match self.context {
            ContextRequest::AnyCompatibility => ContextRequest::Core(33),
            ContextRequest::CoreThenCompatibility(version) | ContextRequest::Core(version) => {
                ContextRequest::Core(version.max(33))
            }
            other => other,
        };
    }
}

/// The context to create; versions are 10·major + minor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContextRequest {
    /// The highest available compatibility version.
    #[default]
    AnyCompatibility,
    /// A core context of at least this version, or else a compatibility context of it.
    CoreThenCompatibility(u32),
    /// Only a core context.
    Core(u32),
    /// Only a compatibility context.
    Compatibility(u32),
    /// An ES context.
    Es(u32),
}

/// Facts of the first `[require]` section that choose the context; the last line of a kind wins.
#[derive(Default)]
struct Wanted {
    gl: Option<Version>,
    glsl: Option<Version>,
}

/// Collects the `[require]` sections of a file.
#[derive(Default)]
pub(crate) struct Builder<'a> {
    require: Require<'a>,
    wanted: Wanted,
    /// A `[require]` section was read.
    pub(crate) seen: bool,
    /// The GLSL requirement in force.
    pub(crate) glsl: Option<VersionLine>,
}

impl<'a> Builder<'a> {
    /// Reads one section; only the first decides about context and window.
    pub(crate) fn section(
        &mut self,
        file: &'a [u8],
        body: &'a [u8],
        first: u32,
    ) -> Result<(), Fault<'a>> {
        for (number, full) in Lines::new(body, first) {
            let terminated = offset_in(body, full) + full.len() < body.len();
            let line = trim_end(skip_space(full));
            if !self.seen {
                self.window_line(line)?;
            }
            let Some(requirement) = requirement(line, terminated)? else { continue };
            self.record(requirement, line)?;
            let start = offset_in(file, line);
            let span = Span { start: saturate(start), end: saturate(start + line.len()) };
            self.require.requirements.push(RequireLine { line: number, span, requirement });
        }
        self.seen = true;
        Ok(())
    }

    /// `SIZE` and `depthbuffer`.
    fn window_line(&mut self, line: &'a [u8]) -> Result<(), Fault<'a>> {
        if line.starts_with(b"depthbuffer") {
            self.require.depth_buffer = true;
        } else if let Some(rest) = line.strip_prefix(b"SIZE") {
            let (width, height) = window(rest).ok_or_else(|| {
                Fault::new(ErrorKind::Require, line, "SIZE takes two numbers from 1 to 16384")
            })?;
            self.require.window = Some((width, height));
        }
        Ok(())
    }

    /// Records facts that affect more than this line.
    fn record(&mut self, requirement: Requirement<'a>, line: &'a [u8]) -> Result<(), Fault<'a>> {
        let require = &mut self.require;
        match requirement {
            Requirement::Glsl(version) => {
                self.glsl = Some(VersionLine { number: version.number, es: version.es });
                if !self.seen {
                    self.wanted.glsl = Some(version);
                }
            }
            Requirement::Gl { comparison, version } => {
                use Comparison as C;
                if !self.seen && matches!(comparison, C::GreaterEqual | C::Greater | C::Equal) {
                    self.wanted.gl = Some(version);
                }
            }
            Requirement::SeparateShaderObjects => require.separate_shader_objects = true,
            Requirement::SeparableProgram => require.separable_program = true,
            Requirement::IgnoreMissingUniforms => require.ignore_missing_uniforms = true,
            Requirement::Spirv(mode) => require.spirv = mode,
            _ => {}
        }
        if require.separate_shader_objects && require.separable_program {
            let message = "SSO ENABLED and SEPARABLE PROGRAM ENABLED exclude each other";
            return Err(Fault::new(ErrorKind::Require, line, message));
        }
        Ok(())
    }

    /// Returns the requirements; `end` is the position of errors about the whole.
    pub(crate) fn finish(mut self, end: &'a [u8]) -> Result<Require<'a>, Fault<'a>> {
        if !self.seen {
            return Err(Fault::new(ErrorKind::Section, end, "[require] section missing"));
        }
        self.require.context = self
            .wanted
            .context()
            .map_err(|message| Fault::new(ErrorKind::Require, end, message))?;
        Ok(self.require)
    }
}

impl Wanted {
    fn context(&self) -> Result<ContextRequest, &'static str> {
        let gl = self.gl.unwrap_or(Version { number: 10, core: false, compat: false, es: false });
        if self.gl.is_none() && self.glsl.is_some_and(|glsl| glsl.es) {
            return Err("GLSL ES needs a GL ES requirement");
        }
        if gl.es {
            return Ok(ContextRequest::Es(gl.number));
        }
        let raised = self.glsl.and_then(|glsl| gl_of_glsl(glsl.number)).unwrap_or(0);
        let version = gl.number.max(raised);
        match (gl.core, gl.compat) {
            _ if version < 31 => Ok(ContextRequest::AnyCompatibility),
            (false, false) => Ok(ContextRequest::CoreThenCompatibility(version)),
            (true, false) => Ok(ContextRequest::Core(version)),
            (false, true) => Ok(ContextRequest::Compatibility(version)),
            (true, true) => Err("CORE and COMPAT exclude each other"),
        }
    }
}

/// The desktop GL version of a GLSL version.
fn gl_of_glsl(glsl: u32) -> Option<u32> {
    Some(match glsl {
        110 => 20,
        120 | 130 => 21,
        140 => 31,
        150 => 32,
        330 => 33,
        400 => 40,
        410 => 41,
        420 => 42,
        430 => 43,
        440 => 44,
        450 => 45,
        460 => 46,
        _ => return None,
    })
}

/// The requirement of one line, forms tried in piglit's order; `None` for a line without a
/// requirement.
fn requirement(line: &[u8], terminated: bool) -> Result<Option<Requirement<'_>>, Fault<'_>> {
    let malformed = |message| Fault::new(ErrorKind::Require, line, message);
    if let Some(rest) = line.strip_prefix(b"INT ") {
        return integer(line, rest).map(Some);
    }
    for limit in Limit::ALL {
        if let Some(rest) = line.strip_prefix(limit.name().as_bytes()) {
            let Ok((rest, comparison)) = comparison(rest) else {
                return Err(malformed("expected one of == != <= < >= >"));
            };
            return Ok(Some(Requirement::Limit { limit, comparison, value: decimal(rest) }));
        }
    }
    if line.starts_with(b"GL_") {
        return Ok(word(line).ok().map(|(_, name)| Requirement::Extension(name)));
    }
    if let Some(name) = line.strip_prefix(b"!")
        && name.starts_with(b"GL_")
    {
        return Ok(word(name).ok().map(|(_, name)| Requirement::NoExtension(name)));
    }
    if let Some(rest) = line.strip_prefix(b"GLSL") {
        let (comparison, version) = version(line, rest, 100, terminated)?;
        if comparison != Comparison::GreaterEqual {
            return Err(malformed("a GLSL version can only be required with >="));
        }
        return Ok(Some(Requirement::Glsl(version)));
    }
    if let Some(rest) = line.strip_prefix(b"GL") {
        let (comparison, version) = version(line, rest, 10, terminated)?;
        return Ok(Some(Requirement::Gl { comparison, version }));
    }
    if let Some(rest) = line.strip_prefix(b"rlimit") {
        let Ok((_, (bytes, _))) = unsigned64(rest) else {
            return Err(malformed("rlimit takes a number of bytes"));
        };
        return Ok(Some(Requirement::AddressSpace(bytes)));
    }
    if line.starts_with(b"SSO ENABLED") {
        return Ok(Some(Requirement::SeparateShaderObjects));
    }
    if line.starts_with(b"SEPARABLE PROGRAM ENABLED") {
        return Ok(Some(Requirement::SeparableProgram));
    }
    if line.starts_with(b"ignore_missing_uniforms") {
        return Ok(Some(Requirement::IgnoreMissingUniforms));
    }
    if let Some(rest) = line.strip_prefix(b"SPIRV") {
        return match word(rest) {
            Ok((_, "YES")) => Ok(Some(Requirement::Spirv(SpirvMode::Yes))),
            Ok((_, "NO")) => Ok(Some(Requirement::Spirv(SpirvMode::No))),
            Ok((_, "ONLY")) => Ok(Some(Requirement::Spirv(SpirvMode::Only))),
            _ => Err(malformed("SPIRV takes YES, NO or ONLY")),
        };
    }
    Ok(None)
}

/// `ENUM OP N` after `INT `.
fn integer<'a>(line: &'a [u8], rest: &'a [u8]) -> Result<Requirement<'a>, Fault<'a>> {
    let malformed = || {
        Fault::new(
            ErrorKind::Require,
            line,
            "expected INT, an enum name, a comparison and a number",
        )
    };
    let (rest, name) = word(rest).map_err(|_| malformed())?;
    let (rest, comparison) = comparison(rest).map_err(|_| malformed())?;
    let (_, value) = signed32(rest).map_err(|_| malformed())?;
    let state = GlEnum::lookup(name).ok_or_else(|| {
        Fault::new(ErrorKind::UnknownEnum, name.as_bytes(), "no GL enum of that name")
    })?;
    Ok(Requirement::Integer { state, comparison, value })
}

/// `[CORE] [COMPAT] [ES] OP M.m`, then nothing but blanks up to the newline.
fn version<'a>(
    line: &'a [u8],
    rest: &'a [u8],
    scale: u32,
    terminated: bool,
) -> Result<(Comparison, Version), Fault<'a>> {
    let malformed = |message| Fault::new(ErrorKind::Require, line, message);
    let (rest, (core, compat, es)) = (flag("CORE"), flag("COMPAT"), flag("ES"))
        .parse(rest)
        .unwrap_or((rest, (false, false, false)));
    let Ok((rest, comparison)) = comparison(rest) else {
        return Err(malformed("expected one of == != <= < >= >"));
    };
    let Ok((rest, (major, minor))) = major_minor(rest) else {
        return Err(malformed("expected a version such as 1.10"));
    };
    if !skip_space(rest).is_empty() || !terminated {
        return Err(malformed("unexpected characters following the version comparison"));
    }
    if major > 99 || minor > 99 {
        return Err(Fault::new(ErrorKind::Range, line, "version number out of range"));
    }
    let number = major as u32 * scale + minor as u32;
    Ok((comparison, Version { number, core, compat, es }))
}

/// An optional word with optional blanks before it.
fn flag<'a>(name: &'static str) -> impl Parser<&'a [u8], Output = bool, Error = crate::text::Miss> {
    opt(preceded(nom::bytes::complete::take_while(is_space), tag(name)))
        .map(|found: Option<&[u8]>| found.is_some())
}

/// Two unsigned integers, base 0, around a point.
fn major_minor(input: &[u8]) -> Parsed<'_, (u64, u64)> {
    let (input, major) = unsigned(skip_space(input))?;
    let (input, _) = tag(".").parse(input)?;
    let (input, minor) = unsigned(input)?;
    Ok((input, (major, minor)))
}

fn unsigned(input: &[u8]) -> Parsed<'_, u64> {
    if !input.first().is_some_and(|byte| byte.is_dec_digit()) {
        return miss();
    }
    let (rest, integer) = strtol(input)?;
    Ok((rest, integer.magnitude))
}

/// A comparison operator after optional blanks.
fn comparison(input: &[u8]) -> Parsed<'_, Comparison> {
    use Comparison as C;
    let operator = |comparison: Comparison| value(comparison, tag(comparison.text()));
    alt((
        operator(C::Equal),
        operator(C::NotEqual),
        operator(C::LessEqual),
        operator(C::Less),
        operator(C::GreaterEqual),
        operator(C::Greater),
    ))
    .parse(skip_space(input))
}

/// `atoi`: decimal, 0 when there is no number.
fn decimal(input: &[u8]) -> i32 {
    crate::numbers::scan_signed(input).map_or(0, |(_, value)| value as i32)
}

fn window(rest: &[u8]) -> Option<(u32, u32)> {
    let (rest, width) = unsigned64(rest).ok()?;
    let (_, height) = unsigned64(rest).ok()?;
    let side = |n: u64| u32::try_from(n).ok().filter(|n| (1..=16384).contains(n));
    Some((side(width.0)?, side(height.0)?))
}

#[cfg(test)]
mod tests;
