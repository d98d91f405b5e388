//! Commands of ray tracing: read, so that errors are found, and recorded as unsupported.

use super::parser::Parser;
use crate::text::Step;
use crate::tokens::{Kind, Token, number};

const REASON: &str = "ray tracing is not supported";

impl<'a> Parser<'a> {
    pub(super) fn acceleration_structure(&mut self, start: &Token<'a>) -> Step<()> {
        let levels = [("TOP_LEVEL", true), ("BOTTOM_LEVEL", false)];
        let top = self.choice("`TOP_LEVEL` or `BOTTOM_LEVEL`", &levels)?;
        let (name, name_token) = self.cursor.word("the name of the acceleration structure")?;
        self.cursor.end_of_line("ACCELERATION_STRUCTURE")?;
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => break,
                Kind::Word("GEOMETRY") if !top => self.geometry()?,
                Kind::Word("BLAS_INSTANCE") if top => {
                    self.cursor.keyword("USE")?;
                    self.bottom_level()?;
                }
                Kind::Word("BOTTOM_LEVEL_INSTANCE") if top => self.instance(&token)?,
                Kind::End => return Err(start.fault("`ACCELERATION_STRUCTURE` without `END`")),
                _ => return Err(token.fault("unknown part of an acceleration structure")),
            }
        }
        self.cursor.end_of_line("END")?;
        let known = self.names.acceleration_structures.insert(name.to_owned(), top);
        if known.is_some() {
            return Err(name_token.fault("an acceleration structure of this name exists"));
        }
        self.unsupported(start.span(), REASON);
        Ok(())
    }

    fn bottom_level(&mut self) -> Step<()> {
        let (name, token) = self.cursor.word("an acceleration structure of the bottom level")?;
        match self.names.acceleration_structures.get(name) {
            Some(false) => Ok(()),
            _ => Err(token.fault("unknown acceleration structure of the bottom level")),
        }
    }

    fn geometry(&mut self) -> Step<()> {
        let kinds = [("TRIANGLES", 9), ("AABBS", 6)];
        let group: usize = self.choice("a kind of geometry", &kinds)?;
        let mut values = 0;
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") if values % group == 0 => return Ok(()),
                Kind::Word("END") => return Err(token.fault("incomplete geometry")),
                Kind::Word("FLAGS") => {
                    while let Kind::Word("OPAQUE" | "NO_DUPLICATE_ANY_HIT") =
                        self.cursor.peek().kind
                    {
                        self.cursor.next();
                    }
                }
                _ if number(&token).is_some() => values += 1,
                _ => return Err(token.fault("expected a coordinate or `END`")),
            }
        }
    }

    fn instance(&mut self, start: &Token<'a>) -> Step<()> {
        self.bottom_level()?;
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => return Ok(()),
                Kind::Word("MASK" | "OFFSET" | "INDEX") => {
                    self.cursor.unsigned("a number")?;
                }
                Kind::Word("FLAGS") => self.flags()?,
                Kind::Word("TRANSFORM") => {
                    for _ in 0..12 {
                        while self.cursor.peek().kind == Kind::LineEnd {
                            self.cursor.next();
                        }
                        self.cursor.real("a number of the matrix")?;
                    }
                    while self.cursor.peek().kind == Kind::LineEnd {
                        self.cursor.next();
                    }
                    self.cursor.keyword("END")?;
                }
                Kind::End => return Err(start.fault("`BOTTOM_LEVEL_INSTANCE` without `END`")),
                _ => return Err(token.fault("unknown option of an instance")),
            }
        }
    }

    /// Reads flags on this line, or on lines of their own up to `END`.
    fn flags(&mut self) -> Step<()> {
        let own_lines = self.cursor.peek().ends_line();
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd if own_lines => {}
                Kind::LineEnd => return Ok(()),
                Kind::Word("END") => return Ok(()),
                Kind::Integer { .. } | Kind::Hex(_) => {}
                Kind::Word(word) if FLAGS.contains(&word) => {}
                _ => return Err(token.fault("unknown flag")),
            }
        }
    }

    /// Reads a command that only pipelines of ray tracing have.
    pub(super) fn ray_tracing_command(&mut self, word: &str, token: &Token<'a>) -> Step<()> {
        match word {
            "SHADER_GROUP" => {
                self.cursor.word("the name of the group")?;
                while !self.cursor.peek().ends_line() {
                    self.shader_name()?;
                }
                Ok(())
            }
            "SHADER_BINDING_TABLE" => {
                self.cursor.word("the name of the table")?;
                self.cursor.end_of_line("SHADER_BINDING_TABLE")?;
                self.words_to_end(token, "SHADER_BINDING_TABLE", |_, _| Ok(()))?;
                Ok(())
            }
            "MAX_RAY_PAYLOAD_SIZE" | "MAX_RAY_HIT_ATTRIBUTE_SIZE" | "MAX_RAY_RECURSION_DEPTH" => {
                self.cursor.unsigned("a number")?;
                Ok(())
            }
            "FLAGS" => self.flags(),
            "USE_LIBRARY" => {
                while !self.cursor.peek().ends_line() {
                    self.pipeline_name()?;
                }
                Ok(())
            }
            _ => Err(token.fault("unknown command of a pipeline")),
        }
    }

    /// Reads the rest of `RUN` of a pipeline of ray tracing.
    pub(super) fn run_rays(&mut self) -> Step<()> {
        while let Kind::Word("RAYGEN" | "MISS" | "HIT" | "CALL") = self.cursor.peek().kind {
            self.cursor.next();
            self.cursor.word("the name of a table")?;
        }
        for _ in 0..3 {
            self.cursor.unsigned("a size")?;
        }
        self.cursor.end_of_line("RUN")
    }
}

const FLAGS: &[&str] = &[
    "LIBRARY",
    "TRIANGLE_FACING_CULL_DISABLE",
    "TRIANGLE_FLIP_FACING",
    "FORCE_OPAQUE",
    "FORCE_NO_OPAQUE",
    "FORCE_OPACITY_MICROMAP_2_STATE",
    "DISABLE_OPACITY_MICROMAPS",
];
