//! Text of a translated script: assembly in place of GLSL, numbers in place of names.

use std::fmt::Write;

use program::{Capabilities, Stage};
use script::{Attribute, Command, Content, Script, Section, TestLine, UniformTarget};
use shader_tools::disassemble;

use super::driver::for_driver;
use results::verdict::{Phase, Verdict};

/// Returns a script that does the same as a translated one without the compiler of GLSL, as drivers
/// get it; with a stage, the assembly of its module alone.
///
/// # Errors
/// The verdict of shaders that have no translation, and a skip without the disassembler.
pub fn translated_text(
    script: &Script<'_>,
    capabilities: &Capabilities,
    only: Option<Stage>,
) -> Result<String, Verdict> {
    let modules = for_driver(script, capabilities, |_| true)?
        .ok_or_else(|| Verdict::fail(Phase::Link, "there are no GLSL shaders"))?;
    let listing = Listing { original: script, translated: modules.script(script) };
    match only {
        Some(stage) => listing.assembly(|of| of == stage),
        None => listing.text(),
    }
}

struct Listing<'s> {
    original: &'s Script<'s>,
    translated: Script<'s>,
}

impl Listing<'_> {
    fn text(&self) -> Result<String, Verdict> {
        let sections = &self.original.sections;
        let requirements = sections.iter().filter(|s| matches!(s.content, Content::Require));
        let requirements: String = requirements.map(|section| self.requirements(section)).collect();
        let assembly = self.assembly(|_| true)?;
        let mut text = format!("[require]\n{requirements}SPIRV ONLY\n\n{assembly}");
        for section in sections {
            match &section.content {
                Content::Require | Content::Shader(_) => {}
                Content::Include { .. } | Content::IncludePaths(_) => {}
                Content::VertexData => text.push_str(&self.vertex_data(section)),
                Content::Test => text.push_str(&self.commands(section)),
                _ => text.push_str(&self.section(section, &self.original.slice(section.body))),
            }
        }
        Ok(text)
    }

    /// A section with a text.
    fn section(&self, section: &Section<'_>, body: &str) -> String {
        format!("{}\n{}\n\n", self.original.slice(section.header), body.trim_end())
    }

    fn requirements(&self, section: &Section<'_>) -> String {
        let body = self.original.slice(section.body);
        let kept = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("SPIRV");
        body.lines().filter(kept).flat_map(|line| [line, "\n"]).collect()
    }

    /// The sections of modules of some stages.
    fn assembly(&self, is_listed: impl Fn(Stage) -> bool) -> Result<String, Verdict> {
        let mut text = String::new();
        for section in &self.translated.sections {
            let Content::Spirv { stage, text: module } = section.content else { continue };
            if !is_listed(stage) {
                continue;
            }
            let assembly = match module == script::SPIRV_PASSTHROUGH {
                true => String::from_utf8_lossy(module).into_owned(),
                false => {
                    let words: Vec<u32> =
                        module.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
                    disassemble(&words).map_err(|error| Verdict::skip(error.to_string()))?
                }
            };
            let _ = write!(text, "[{stage} shader spirv]\n{}\n\n", assembly.trim_end());
        }
        Ok(text)
    }

    /// Vertex data whose first line has locations in place of names.
    fn vertex_data(&self, section: &Section<'_>) -> String {
        let body = self.original.slice(section.body);
        let columns = self.translated.vertex_data.iter().flat_map(|data| &data.columns);
        let attributes: Vec<Attribute<'_>> = columns.map(|column| column.attribute).collect();
        let is_header = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
        let mut lines: Vec<String> = body.lines().map(str::to_owned).collect();
        if let Some(header) = lines.iter_mut().find(|line| is_header(line)) {
            let words =
                header.split_whitespace().zip(&attributes).map(|(word, attribute)| {
                    match (attribute, word.split_once('/')) {
                        (Attribute::Location(number), Some((_, rest))) => {
                            format!("{number}/{rest}")
                        }
                        _ => word.to_owned(),
                    }
                });
            *header = words.collect::<Vec<_>>().join(" ");
        }
        self.section(section, &lines.join("\n"))
    }

    fn commands(&self, section: &Section<'_>) -> String {
        let mut text = String::new();
        for line in self.translated.test.iter().flatten() {
            let original = self.original.slice(line.span);
            let _ = writeln!(text, "{}", command(line, &original));
        }
        self.section(section, &text)
    }
}

/// The text of a command that replaces, or is, a line of the original.
fn command(line: &TestLine<'_>, original: &str) -> String {
    match &line.command {
        Command::BlockBinding(number) => format!("block binding {number}"),
        Command::BlockOffset(number) => format!("block offset {number}"),
        Command::BlockMatrixStride(number) => format!("block matrix stride {number}"),
        Command::BlockRowMajor(is_row_major) => {
            format!("block row major {}", i32::from(*is_row_major))
        }
        Command::Uniform(uniform) => match uniform.target {
            UniformTarget::Location(number) => with_location(original, number),
            UniformTarget::Name(_) => original.to_owned(),
        },
        _ => original.to_owned(),
    }
}

/// A `uniform` command with a number in place of its third word.
fn with_location(line: &str, number: i32) -> String {
    let words = line.split_whitespace().enumerate();
    let words = words.map(|(place, word)| match place {
        2 => number.to_string(),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}
