//! `IMAGE`.

use super::parser::Parser;
use crate::blank;
use crate::check;
use crate::model::{Dimension, MemoryLayout};
use crate::text::Step;
use crate::tokens::{Kind, Token};

impl<'a> Parser<'a> {
    pub(super) fn image(&mut self, start: &Token<'a>) -> Step<()> {
        let (name, name_token) = self.cursor.word("the name of the image")?;
        if matches!(name, "DATA_TYPE" | "FORMAT") {
            return Err(name_token.fault("expected the name of the image"));
        }
        let mut image = blank::PLAIN_IMAGE;
        let mut dimension = None;
        let (mut format, mut width, mut height, mut depth) = (None, None, None, None);
        loop {
            let token = self.cursor.peek();
            match token.kind {
                Kind::Word("DATA" | "FILL" | "SERIES_FROM") | Kind::LineEnd | Kind::End => break,
                _ => self.cursor.next(),
            };
            match token.kind {
                Kind::Word("DATA_TYPE" | "FORMAT") => {
                    let ty = self.cursor.next();
                    format = Some(self.format(&ty, MemoryLayout::Std430)?);
                }
                Kind::Word("MIP_LEVELS") => image.mip_levels = self.mip_levels()?,
                Kind::Word("SAMPLES") => image.samples = self.samples()?,
                Kind::Word("DIM_1D") => dimension = Some(Dimension::One),
                Kind::Word("DIM_2D") => dimension = Some(Dimension::Two),
                Kind::Word("DIM_3D") => dimension = Some(Dimension::Three),
                Kind::Word("WIDTH") => width = Some(self.positive("a width")?),
                Kind::Word("HEIGHT") => height = Some(self.positive("a height")?),
                Kind::Word("DEPTH") => depth = Some(self.positive("a depth")?),
                _ => return Err(token.fault("unknown property of an image")),
            }
        }
        let missing = |what: &str| name_token.fault(format!("image without {what}"));
        image.dimension = dimension.ok_or_else(|| missing("`DIM_1D`, `DIM_2D` or `DIM_3D`"))?;
        let mut buffer =
            blank::buffer(name, format.ok_or_else(|| missing("`FORMAT` or `DATA_TYPE`"))?);
        buffer.width = width.ok_or_else(|| missing("`WIDTH`"))?;
        if image.dimension != Dimension::One && height.is_none() {
            return Err(missing("`HEIGHT`"));
        }
        if image.dimension == Dimension::Three && depth.is_none() {
            return Err(missing("`DEPTH`"));
        }
        buffer.height = height.unwrap_or(1);
        image.depth = depth.unwrap_or(1);
        buffer.elements = check::product(&[buffer.width, buffer.height, image.depth])
            .ok_or_else(|| name_token.fault("too large image"))?;
        buffer.image = Some(image);
        check::buffer_size(&buffer, &name_token)?;
        if !self.cursor.peek().ends_line() {
            let (word, token) = self.cursor.word("contents of the image")?;
            self.initializer(&mut buffer, word, &token)?;
        }
        buffer.span = self.span_from(start);
        self.cursor.end_of_line("IMAGE")?;
        self.add_buffer(buffer, &name_token)?;
        Ok(())
    }
}
