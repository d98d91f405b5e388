//! The state of the parser, its top level, and the checks at the end.

use std::collections::HashMap;
use std::sync::Arc;

use crate::blank;
use crate::budget::Budget;
use crate::check;
use crate::error::Span;
use crate::files::ReadFile;
use crate::formats::{Structure, Type, amber_type, format_by_name, typed_format};
use crate::model::{
    Buffer, BufferId, ColorAttachment, Command, CommandKind, Dialect, Format, MemoryLayout,
    Pipeline, PipelineId, PipelineKind, SamplerId, Script, ShaderId, Unsupported,
};
use crate::rules::Rules;
use crate::text::{Lines, Step, saturate};
use crate::tokens::{Cursor, Kind, Token};

/// The state of the parser.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines,
    pub(super) read_file: ReadFile<'a>,
    pub(super) cursor: Cursor<'a>,
    pub(super) script: Script,
    pub(super) names: Names,
    pub(super) budget: Budget,
    /// Formats by name and layout, so that equal ones are shared.
    formats: HashMap<(String, MemoryLayout), Arc<Format>>,
}

/// Declared names.
#[derive(Default)]
pub(super) struct Names {
    pub(super) shaders: HashMap<String, ShaderId>,
    pub(super) buffers: HashMap<String, BufferId>,
    pub(super) samplers: HashMap<String, SamplerId>,
    pub(super) pipelines: HashMap<String, PipelineId>,
    pub(super) structures: HashMap<String, Arc<Structure>>,
    pub(super) files: HashMap<String, usize>,
    /// Acceleration structures, which are unsupported: top level ones are `true`.
    pub(super) acceleration_structures: HashMap<String, bool>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, lines: &'a Lines, read_file: ReadFile<'a>) -> Parser<'a> {
        Parser {
            text,
            lines,
            read_file,
            cursor: Cursor::new(text),
            script: Script::new(Dialect::AmberScript, Rules::Amber),
            names: Names::default(),
            budget: Budget::default(),
            formats: HashMap::new(),
        }
    }

    /// Reads all commands.
    pub(super) fn script(&mut self) -> Step<()> {
        loop {
            let token = self.cursor.next();
            let word = match token.kind {
                Kind::End => return Ok(()),
                Kind::LineEnd => continue,
                Kind::Word(word) => word,
                _ => return Err(token.fault("expected a command")),
            };
            self.command(word, &token)?;
        }
    }

    fn command(&mut self, word: &str, token: &Token<'a>) -> Step<()> {
        match word {
            "BUFFER" => self.buffer(token),
            "IMAGE" => self.image(token),
            "SAMPLER" => self.sampler(token),
            "SHADER" => self.shader(token),
            "VIRTUAL_FILE" => self.virtual_file(),
            "STRUCT" => self.structure(),
            "PIPELINE" => self.pipeline(token),
            "DERIVE_PIPELINE" => self.derive_pipeline(token),
            "ACCELERATION_STRUCTURE" => self.acceleration_structure(token),
            "DEVICE_FEATURE" => self.device_feature(),
            "DEVICE_PROPERTY" => self.device_property(),
            "DEVICE_EXTENSION" => self.device_extension(),
            "INSTANCE_EXTENSION" => self.instance_extension(),
            "SET" => self.engine_data(),
            "REPEAT" => {
                let command = self.repeat(token)?;
                self.script.commands.push(command);
                Ok(())
            }
            _ => {
                let command = self.repeatable(word, token)?;
                self.script.commands.extend(command);
                Ok(())
            }
        }
    }

    /// Reads a command that may be repeated. `None`: it is unsupported, and recorded as such.
    fn repeatable(&mut self, word: &str, token: &Token<'a>) -> Step<Option<Command>> {
        let kind = match word {
            "RUN" => match self.run()? {
                Some(kind) => kind,
                None => return Ok(None),
            },
            "EXPECT" => CommandKind::Expect(self.expect()?),
            "CLEAR" => self.clear()?,
            "CLEAR_COLOR" => self.clear_color()?,
            "CLEAR_DEPTH" => self.clear_depth()?,
            "CLEAR_STENCIL" => self.clear_stencil()?,
            "COPY" => self.copy()?,
            _ => return Err(token.fault("unknown command")),
        };
        Ok(Some(self.finished(token, kind)))
    }

    /// The command that began at a token and ends before the cursor.
    fn finished(&self, token: &Token<'a>, kind: CommandKind) -> Command {
        let span = self.span_from(token);
        Command { span, line: self.lines.number(span.start), kind }
    }

    fn repeat(&mut self, start: &Token<'a>) -> Step<Command> {
        let number = self.cursor.peek();
        let count = self.cursor.unsigned("a number of repetitions")?;
        if count == 0 || count > i32::MAX.unsigned_abs() {
            return Err(number.fault("number of repetitions outside of 1 to 2147483647"));
        }
        self.cursor.end_of_line("REPEAT")?;
        let mut commands = Vec::new();
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => break,
                Kind::Word(word) => commands.extend(self.repeatable(word, &token)?),
                Kind::End => return Err(start.fault("`REPEAT` without `END`")),
                _ => return Err(token.fault("expected a command")),
            }
        }
        self.cursor.end_of_line("END")?;
        Ok(self.finished(start, CommandKind::Repeat { count, commands }))
    }

    /// The text from a token to the cursor, without blanks at the end.
    pub(super) fn span_from(&self, token: &Token<'_>) -> Span {
        let read = self.text.get(token.start..self.cursor.at()).unwrap_or("");
        Span { start: saturate(token.start), end: saturate(token.start + read.trim_end().len()) }
    }

    /// Notes that something is not executed.
    pub(super) fn unsupported(&mut self, span: Span, reason: &str) {
        let line = self.lines.number(span.start);
        self.script.unsupported.push(Unsupported { span, line, reason: reason.to_owned() });
    }

    /// Returns the format of a type: Amber's, a structure's, or one of Vulkan's.
    pub(super) fn format(&mut self, token: &Token<'_>, layout: MemoryLayout) -> Step<Arc<Format>> {
        let Kind::Word(name) = token.kind else {
            return Err(token.fault("expected a type"));
        };
        let key = (name.to_owned(), layout);
        if let Some(format) = self.formats.get(&key) {
            return Ok(format.clone());
        }
        let format = self.new_format(token, name, layout)?;
        self.budget.parts(format.parts.len()).map_err(|message| token.fault(message))?;
        let format = Arc::new(format);
        self.formats.insert(key, format.clone());
        Ok(format)
    }

    fn new_format(&self, token: &Token<'_>, name: &str, layout: MemoryLayout) -> Step<Format> {
        if let Some(mut format) = format_by_name(name) {
            // Amber pads three channels to four, like vectors of three.
            if let [first, _, _] = format.parts.as_slice() {
                format.size += first.bits / 8;
            }
            return Ok(format);
        }
        let ty = self.type_named(name).ok_or_else(|| token.fault("unknown type"))?;
        typed_format(&ty, name, layout).map_err(|fault| token.fault(fault.message()))
    }

    /// Returns the type with a name: a structure, a number, a vector or a matrix.
    pub(super) fn type_named(&self, name: &str) -> Option<Type> {
        match self.names.structures.get(name) {
            Some(structure) => Some(Type::Structure(structure.clone())),
            None => amber_type(name).map(Type::Number),
        }
    }

    /// Reads the name of a declared buffer.
    pub(super) fn buffer_name(&mut self) -> Step<(BufferId, Token<'a>)> {
        let (name, token) = self.cursor.word("the name of a buffer")?;
        match self.names.buffers.get(name) {
            Some(id) => Ok((*id, token)),
            None => Err(token.fault("unknown buffer")),
        }
    }

    /// Reads the name of a declared shader.
    pub(super) fn shader_name(&mut self) -> Step<(ShaderId, Token<'a>)> {
        let (name, token) = self.cursor.word("the name of a shader")?;
        match self.names.shaders.get(name) {
            Some(id) => Ok((*id, token)),
            None => Err(token.fault("unknown shader")),
        }
    }

    /// Reads the name of a declared sampler.
    pub(super) fn sampler_name(&mut self) -> Step<SamplerId> {
        let (name, token) = self.cursor.word("the name of a sampler")?;
        match self.names.samplers.get(name) {
            Some(id) => Ok(*id),
            None => Err(token.fault("unknown sampler")),
        }
    }

    /// Reads the name of a declared pipeline.
    pub(super) fn pipeline_name(&mut self) -> Step<(PipelineId, Token<'a>)> {
        let (name, token) = self.cursor.word("the name of a pipeline")?;
        match self.names.pipelines.get(name) {
            Some(id) => Ok((*id, token)),
            None => Err(token.fault("unknown pipeline")),
        }
    }

    /// Adds a buffer whose name must be new.
    pub(super) fn add_buffer(&mut self, buffer: Buffer, name: &Token<'_>) -> Step<BufferId> {
        check::buffer_size(&buffer, name)?;
        if self.names.buffers.contains_key(&buffer.name) {
            return Err(name.fault("a buffer of this name exists"));
        }
        let id = BufferId(saturate(self.script.buffers.len()));
        self.names.buffers.insert(buffer.name.clone(), id);
        self.script.buffers.push(buffer);
        Ok(id)
    }

    /// Reads `on` or `off`.
    pub(super) fn switch(&mut self) -> Step<bool> {
        let (word, token) = self.cursor.word("`on` or `off`")?;
        match word {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(token.fault("expected `on` or `off`")),
        }
    }

    /// Attaches to graphics pipelines without color attachments the one of the name `framebuffer`.
    fn default_attachments(&mut self) -> Step<()> {
        let lacks = |p: &Pipeline| p.kind == PipelineKind::Graphics && p.colors.is_empty();
        for index in 0..self.script.pipelines.len() {
            let pipeline = &self.script.pipelines[index];
            if !lacks(pipeline) {
                continue;
            }
            let (start, end) = (pipeline.span.start as usize, pipeline.span.start as usize + 8);
            let at = Token { kind: Kind::End, start, end };
            let known = self.names.buffers.get(blank::DEFAULT_COLOR).copied();
            let buffer = match known {
                Some(id) => id,
                None => self.add_buffer(blank::default_color(), &at)?,
            };
            let color = ColorAttachment { buffer, location: 0, base_mip_level: 0 };
            self.script.pipelines[index].colors.push(color);
            let pipeline = &self.script.pipelines[index];
            check::attachment_sizes(pipeline, &mut self.script.buffers, &at)?;
        }
        Ok(())
    }

    /// Checks what needs the whole script.
    pub(super) fn finish(mut self) -> Step<Script> {
        self.default_attachments()?;
        self.script.requirements.deduplicate();
        check::script(&self.script)?;
        Ok(self.script)
    }
}
