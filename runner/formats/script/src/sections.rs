//! Splits a file into sections and reads each.

use nom::FindSubstring;

use crate::checks::{self, CheckBlock, Checks};
use crate::commands::{Bounds, Reader, TestLine};
use crate::encoding;
use crate::error::{ErrorKind, Fault, Span, offset_in, saturate};
use crate::numbers::unsigned32;
use crate::require::Builder;
use crate::script::{Content, ProgramTarget, Script, Section, Shader};
use crate::text::{Lines, skip_space, split_line, trim_end, utf8_prefix};
use crate::version_line::VersionLine;
use crate::{geometry_layout, spirv, vertex_data};
use vocabulary::Stage;

/// Contents announced by a header.
#[derive(Clone, Copy)]
enum Header {
    Require,
    Shader(Stage),
    Passthrough,
    Program(ProgramTarget),
    Spirv(Stage),
    Specializations(Stage),
    GeometryLayout,
    Include,
    IncludePaths,
    VertexData,
    Elements,
    Test,
}

const HEADERS: &[(&str, Header)] = &[
    ("[require]", Header::Require),
    ("[vertex shader]", Header::Shader(Stage::Vertex)),
    ("[tessellation control shader]", Header::Shader(Stage::TessControl)),
    ("[tessellation evaluation shader]", Header::Shader(Stage::TessEval)),
    ("[geometry shader]", Header::Shader(Stage::Geometry)),
    ("[fragment shader]", Header::Shader(Stage::Fragment)),
    ("[compute shader]", Header::Shader(Stage::Compute)),
    ("[vertex shader passthrough]", Header::Passthrough),
    ("[vertex program]", Header::Program(ProgramTarget::Vertex)),
    ("[fragment program]", Header::Program(ProgramTarget::Fragment)),
    ("[vertex shader spirv]", Header::Spirv(Stage::Vertex)),
    ("[tessellation control shader spirv]", Header::Spirv(Stage::TessControl)),
    ("[tessellation evaluation shader spirv]", Header::Spirv(Stage::TessEval)),
    ("[geometry shader spirv]", Header::Spirv(Stage::Geometry)),
    ("[fragment shader spirv]", Header::Spirv(Stage::Fragment)),
    ("[compute shader spirv]", Header::Spirv(Stage::Compute)),
    ("[vertex shader specializations]", Header::Specializations(Stage::Vertex)),
    ("[tessellation control shader specializations]", Header::Specializations(Stage::TessControl)),
    ("[tessellation evaluation shader specializations]", Header::Specializations(Stage::TessEval)),
    ("[geometry shader specializations]", Header::Specializations(Stage::Geometry)),
    ("[fragment shader specializations]", Header::Specializations(Stage::Fragment)),
    ("[compute shader specializations]", Header::Specializations(Stage::Compute)),
    ("[geometry layout]", Header::GeometryLayout),
    ("[shader include]", Header::Include),
    ("[shader include paths]", Header::IncludePaths),
    ("[vertex data]", Header::VertexData),
    ("[elements]", Header::Elements),
    ("[test]", Header::Test),
];

/// Maximum shader objects of one stage in piglit.
const MAX_SHADERS: u32 = 256;

/// Reads a whole file, which is smaller than 4 GiB and has no NUL bytes.
pub(crate) fn parse(file: &[u8]) -> Result<Script<'_>, Fault<'_>> {
    let mut splitter = Splitter {
        file,
        is_utf8: std::str::from_utf8(file).is_ok(),
        require: Builder::default(),
        sections: Vec::new(),
        vertex_data: None,
        elements: Vec::new(),
        test: None,
        checks: Vec::new(),
        words: Vec::new(),
        shaders: [0; Stage::ALL.len()],
    };
    splitter.run()?;
    Ok(Script {
        text: file,
        require: splitter.require.finish(&file[file.len()..])?,
        sections: splitter.sections,
        vertex_data: splitter.vertex_data,
        elements: splitter.elements,
        test: splitter.test,
        checks: splitter.checks,
        words: splitter.words,
        last_version: last_version(file),
    })
}

struct Splitter<'a> {
    file: &'a [u8],
    is_utf8: bool,
    require: Builder<'a>,
    sections: Vec<Section<'a>>,
    vertex_data: Option<vertex_data::VertexData<'a>>,
    elements: Vec<u16>,
    test: Option<Vec<TestLine<'a>>>,
    checks: Vec<CheckBlock<'a>>,
    words: Vec<u32>,
    /// Shader sections so far, by stage.
    shaders: [u32; Stage::ALL.len()],
}

/// A section before its body is read.
#[derive(Clone, Copy)]
struct Raw<'a> {
    /// The header line up to its bracket.
    header: &'a [u8],
    body: &'a [u8],
    /// File line of the body's first line.
    first_line: u32,
}

impl<'a> Splitter<'a> {
    fn run(&mut self) -> Result<(), Fault<'a>> {
        let mut line = 1u32;
        let (ignored, mut rest) = split_header(self.file);
        line = line.saturating_add(newlines(ignored));
        check_place(ignored)?;
        while !rest.is_empty() {
            let (header_line, after) = split_line(rest);
            let (name, header) = HEADERS
                .iter()
                .find(|(name, _)| header_line.starts_with(name.as_bytes()))
                .ok_or_else(|| {
                    Fault::new(ErrorKind::Section, trim_end(header_line), "unknown section")
                })?;
            let after = after.unwrap_or(&rest[rest.len()..]);
            let (body, next) = match header {
                Header::Test => (after, &after[after.len()..]),
                _ => split_header(after),
            };
            let raw = Raw { header: &rest[..name.len()], body, first_line: line.saturating_add(1) };
            if !self.is_utf8 {
                encoding::check_lines(header_line)?;
                check_encoding(*header, body)?;
            }
            if !matches!(header, Header::Test) {
                check_place(body)?;
            }
            let content = self.content(*header, raw)?;
            self.sections.push(Section {
                line,
                header: self.span(raw.header),
                body: self.span(body),
                content,
            });
            line = raw.first_line.saturating_add(newlines(body));
            rest = next;
        }
        Ok(())
    }

    fn content(&mut self, header: Header, raw: Raw<'a>) -> Result<Content<'a>, Fault<'a>> {
        let body = raw.body;
        Ok(match header {
            Header::Require => {
                self.require.section(self.file, body, raw.first_line)?;
                Content::Require
            }
            Header::Shader(stage) => Content::Shader(self.shader(stage, raw)?),
            Header::Passthrough => Content::Passthrough(self.glsl_requirement(raw)?),
            Header::Program(target) => Content::Program { target, text: body },
            Header::Spirv(stage) => Content::Spirv { stage, text: body },
            Header::Specializations(stage) => {
                Content::Specializations { stage, constants: spirv::specializations(body)? }
            }
            Header::GeometryLayout => Content::GeometryLayout(geometry_layout::parse(body)?),
            Header::Include => self.include(raw)?,
            Header::IncludePaths => Content::IncludePaths(self.include_paths(body)?),
            Header::VertexData => {
                self.vertex_data = Some(vertex_data::parse(self.file, body)?);
                Content::VertexData
            }
            Header::Elements => {
                elements(body, &mut self.elements)?;
                Content::Elements
            }
            Header::Test => {
                self.test(raw)?;
                Content::Test
            }
        })
    }

    fn shader(&mut self, stage: Stage, raw: Raw<'a>) -> Result<Shader<'a>, Fault<'a>> {
        let required = self.glsl_requirement(raw)?;
        if raw.body.is_empty() {
            return Err(Fault::new(ErrorKind::Section, raw.header, "the shader section is empty"));
        }
        let count = self.shaders.get_mut(stage as usize).map_or(0, |count| {
            *count += 1;
            *count
        });
        if count > MAX_SHADERS {
            let message = format!("more than {MAX_SHADERS} {} shaders", stage.name());
            return Err(Fault::new(ErrorKind::Section, raw.header, message));
        }
        Ok(Shader {
            stage,
            source: raw.body,
            body: self.span(raw.body),
            first_line: raw.first_line,
            required,
        })
    }

    fn glsl_requirement(&self, raw: Raw<'a>) -> Result<VersionLine, Fault<'a>> {
        self.require.glsl.ok_or_else(|| {
            Fault::new(
                ErrorKind::Section,
                raw.header,
                "GLSL version requirement missing before this section",
            )
        })
    }

    fn include(&self, raw: Raw<'a>) -> Result<Content<'a>, Fault<'a>> {
        let (path, _) = split_line(raw.body);
        if path.is_empty() {
            return Err(Fault::new(
                ErrorKind::Section,
                raw.header,
                "the include section has no path",
            ));
        }
        let text = &raw.body[path.len()..];
        let path = path.strip_suffix(b"\r").unwrap_or(path);
        Ok(Content::Include { path: utf8_prefix(path), text })
    }

    fn include_paths(&self, body: &'a [u8]) -> Result<Vec<&'a str>, Fault<'a>> {
        let mut paths = Vec::new();
        let mut blank = None;
        for (_, line) in Lines::new(body, 0) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                blank = Some(line);
                continue;
            }
            if let Some(blank) = blank {
                return Err(Fault::new(
                    ErrorKind::Section,
                    blank,
                    "blank line between include paths",
                ));
            }
            let mut path = utf8_prefix(line).chars();
            path.next_back();
            paths.push(path.as_str());
        }
        Ok(paths)
    }

    fn test(&mut self, raw: Raw<'a>) -> Result<(), Fault<'a>> {
        let mut reader = Reader::new(Bounds {
            rows: self.vertex_data.as_ref().map(|data| data.rows),
            elements: self.elements.len(),
        });
        let (mut lines, mut checks) = (Vec::new(), Checks::default());
        for (number, line) in Lines::new(raw.body, raw.first_line) {
            match reader.line(line)? {
                Some((pattern, command)) => {
                    let span = self.span(trim_end(skip_space(line)));
                    lines.push(TestLine { number, span, pattern, command });
                }
                None => checks.line(number, line, |part| self.span(part))?,
            }
        }
        self.checks = checks.blocks;
        self.words = reader.words;
        self.test = Some(lines);
        Ok(())
    }

    fn span(&self, part: &[u8]) -> Span {
        let start = offset_in(self.file, part);
        Span { start: saturate(start), end: saturate(start + part.len()) }
    }
}

/// Fails on a CHECK line outside `[test]`.
fn check_place(part: &[u8]) -> Result<(), Fault<'_>> {
    let place = "CHECK lines belong to comments `#` of the [test] section";
    match checks::misplaced(part) {
        Some(line) => Err(Fault::new(ErrorKind::Check, line, place)),
        None => Ok(()),
    }
}

/// Checks the encoding of a section's body. The compiler checks that of shaders.
fn check_encoding(header: Header, body: &[u8]) -> Result<(), Fault<'_>> {
    match header {
        Header::Shader(_) | Header::Spirv(_) => Ok(()),
        Header::Include => encoding::check(split_line(body).0),
        Header::IncludePaths => encoding::check(body),
        _ => encoding::check_lines(body),
    }
}

/// The indices of an `[elements]` section: numbers base 0 between blanks, `#` before a comment.
fn elements<'a>(body: &'a [u8], indices: &mut Vec<u16>) -> Result<(), Fault<'a>> {
    for (_, line) in Lines::new(body, 0) {
        let mut rest = skip_space(line);
        while !rest.is_empty() && !rest.starts_with(b"#") {
            let read = |(after, value)| Some((after, u16::try_from(value).ok()?));
            let Some((after, index)) = unsigned32(rest).ok().and_then(read) else {
                return Err(Fault::new(
                    ErrorKind::Section,
                    trim_end(rest),
                    "expected an index below 65536",
                ));
            };
            indices.push(index);
            rest = skip_space(after);
        }
    }
    Ok(())
}

/// Splits before the first line that starts with a bracket.
fn split_header(input: &[u8]) -> (&[u8], &[u8]) {
    if input.starts_with(b"[") {
        return input.split_at(0);
    }
    match input.find_substring(&b"\n["[..]) {
        Some(newline) => input.split_at(newline + 1),
        None => input.split_at(input.len()),
    }
}

fn newlines(text: &[u8]) -> u32 {
    saturate(memchr::memchr_iter(b'\n', text).count())
}

/// Offset of the last `#version ` of the file.
fn last_version(file: &[u8]) -> Option<u32> {
    let mut last = None;
    let mut start = 0;
    while let Some(found) =
        file.get(start..).and_then(|rest| rest.find_substring(&b"#version "[..]))
    {
        last = Some(saturate(start + found));
        start += found + 1;
    }
    last
}

#[cfg(test)]
mod tests;
