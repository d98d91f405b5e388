//! `[test]`: one command per line.

use super::reader::{Reader, STD140, STD430};
use super::sections::{Section, SectionKind, stage_named};
use crate::amber::tolerance_list;
use crate::error::Span;
use crate::model::{CommandKind, MemoryLayout, PipelineKind, Tolerance};
use crate::rules::Rules;
use crate::text::{Step, saturate};
use crate::tokens::{Cursor, Kind, Token};

impl<'a> Reader<'a> {
    pub(super) fn tests(&mut self, sections: &[Section]) -> Step<()> {
        for section in sections.iter().filter(|s| s.kind == SectionKind::Test) {
            let mut cursor = Cursor::part(self.text, section.body);
            loop {
                let token = cursor.next();
                match token.kind {
                    Kind::LineEnd => {}
                    Kind::End => break,
                    Kind::Word(word) => self.command(&mut cursor, word, &token)?,
                    _ => return Err(token.fault("expected a command")),
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, cursor: &mut Cursor<'a>, word: &'a str, start: &Token<'a>) -> Step<()> {
        match word {
            "clear" => self.clear(cursor, start),
            "draw" => self.draw(cursor, start),
            "compute" if !cursor.peek().is("entrypoint") => self.compute(cursor, start),
            "probe" => self.probe(cursor, start, false),
            "relative" => {
                cursor.keyword("probe")?;
                self.probe(cursor, start, true)
            }
            "tolerance" => self.tolerance(cursor, start),
            "patch" => {
                cursor.keyword("parameter")?;
                cursor.keyword("vertices")?;
                self.key.state.patch_control_points = cursor.unsigned("a number of points")?;
                cursor.end_of_line("patch parameter vertices")
            }
            "ssbo" | "ubo" | "push" if cursor.peek().is("layout") => self.layout(cursor, word),
            "ssbo" | "ubo" => self.buffer(cursor, start, word == "ubo"),
            "uniform" if cursor.accept("ubo") => self.uniform_buffer(cursor, start),
            "uniform" | "push" => self.push_constants(cursor, start),
            "vertex" | "fragment" | "geometry" | "tessellation" | "compute" => {
                self.entry_point(cursor, word, start)
            }
            _ => self.property(cursor, word, start),
        }
    }

    /// The text of a command up to the cursor.
    pub(super) fn span(&self, start: &Token<'a>, cursor: &Cursor<'a>) -> Span {
        let read = self.text.get(start.start..cursor.at()).unwrap_or("");
        Span { start: saturate(start.start), end: saturate(start.start + read.trim_end().len()) }
    }

    fn clear(&mut self, cursor: &mut Cursor<'a>, start: &Token<'a>) -> Step<()> {
        if cursor.accept("color") {
            for channel in 0..4 {
                self.clear_color[channel] = cursor.real("a channel of a color")? as f32;
            }
        } else if cursor.accept("depth") {
            self.clear_depth = cursor.real("a depth")? as f32;
        } else if cursor.accept("stencil") {
            self.clear_stencil = cursor.unsigned("a stencil value")?;
        } else {
            let span = self.span(start, cursor);
            cursor.end_of_line("clear")?;
            self.push_clear(span);
            return Ok(());
        }
        cursor.end_of_line("clear")
    }

    fn compute(&mut self, cursor: &mut Cursor<'a>, start: &Token<'a>) -> Step<()> {
        let mut groups = [0; 3];
        for count in &mut groups {
            *count = cursor.unsigned("a number of work groups")?;
        }
        let span = self.span(start, cursor);
        cursor.end_of_line("compute")?;
        let mut key = self.key.clone();
        // Fixed-function state does not distinguish compute pipelines.
        key.state = crate::model::State::default();
        let source = super::reader::VertexSource::Rectangle;
        let pipeline = self.pipeline(PipelineKind::Compute, source, &key, span)?;
        self.push_command(span, CommandKind::Dispatch { pipeline, groups });
        Ok(())
    }

    fn tolerance(&mut self, cursor: &mut Cursor<'a>, start: &Token<'a>) -> Step<()> {
        let list = tolerance_list(cursor)?;
        cursor.end_of_line("tolerance")?;
        if list.len() != 1 && list.len() != 4 {
            return Err(start.fault("one tolerance or four are needed"));
        }
        let percent = |t: &Tolerance| matches!(t, Tolerance::Percent(_));
        if self.rules == Rules::VkRunner && list.iter().any(|t| percent(t) != percent(&list[0])) {
            return Err(start.fault("all tolerances must be percentages, or none"));
        }
        self.tolerances = Some(list);
        Ok(())
    }

    fn layout(&mut self, cursor: &mut Cursor<'a>, word: &str) -> Step<()> {
        cursor.next();
        let mut layout = if word == "ubo" { STD140 } else { STD430 };
        if cursor.peek().ends_line() {
            return Err(cursor.peek().fault("expected a layout"));
        }
        while !cursor.peek().ends_line() {
            let token = cursor.next();
            match token.kind {
                Kind::Word("std140") => layout.memory = MemoryLayout::Std140,
                Kind::Word("std430") => layout.memory = MemoryLayout::Std430,
                Kind::Word("row_major") => layout.row_major = true,
                Kind::Word("column_major") => layout.row_major = false,
                _ => return Err(token.fault("unknown layout")),
            }
        }
        match word {
            "push" => self.layouts.push = layout,
            "ubo" => self.layouts.uniform = layout,
            _ => self.layouts.storage = layout,
        }
        Ok(())
    }

    fn entry_point(&mut self, cursor: &mut Cursor<'a>, word: &str, start: &Token<'a>) -> Step<()> {
        let mut name = word.to_owned();
        if word == "tessellation" {
            let (second, _) = cursor.word("`control` or `evaluation`")?;
            name = format!("{word} {second}");
        }
        let stage = stage_named(&name).ok_or_else(|| start.fault("unknown command"))?;
        cursor.keyword("entrypoint")?;
        let (entry, _) = cursor.word("the name of an entry point")?;
        cursor.end_of_line("entrypoint")?;
        self.key.entry_points.retain(|(known, _)| *known != stage);
        self.key.entry_points.push((stage, entry.to_owned()));
        self.key.entry_points.sort_by_key(|(stage, _)| stage.name());
        Ok(())
    }
}
