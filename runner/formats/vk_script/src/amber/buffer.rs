//! `BUFFER` and the contents of buffers.

use super::parser::Parser;
use crate::blank;
use crate::budget::Budget;
use crate::check;
use crate::files;
use crate::model::{Buffer, Contents, Format, MemoryLayout};
use crate::text::{Step, clean, saturate};
use crate::tokens::{Cursor, Kind, Number, Token, number};
use crate::values::{encode_cut, is_float, write};

impl<'a> Parser<'a> {
    pub(super) fn buffer(&mut self, start: &Token<'a>) -> Step<()> {
        let (name, name_token) = self.cursor.word("the name of the buffer")?;
        if matches!(name, "DATA_TYPE" | "FORMAT") {
            return Err(name_token.fault("expected the name of the buffer"));
        }
        let (kind, kind_token) = self.cursor.word("`DATA_TYPE` or `FORMAT`")?;
        let mut buffer = match kind {
            "DATA_TYPE" => self.typed_buffer(name)?,
            "FORMAT" => self.format_buffer(name)?,
            _ => return Err(kind_token.fault("expected `DATA_TYPE` or `FORMAT`")),
        };
        buffer.span = self.span_from(start);
        self.cursor.end_of_line("BUFFER")?;
        self.add_buffer(buffer, &name_token)?;
        Ok(())
    }

    fn typed_buffer(&mut self, name: &str) -> Step<Buffer> {
        let ty = self.cursor.next();
        let layout = if self.cursor.accept("STD140") {
            MemoryLayout::Std140
        } else {
            self.cursor.accept("STD430");
            MemoryLayout::Std430
        };
        let mut buffer = blank::buffer(name, self.format(&ty, layout)?);
        let (word, token) = self.cursor.word("`DATA`, `SIZE` or `WIDTH`")?;
        match word {
            "DATA" => self.data(&mut buffer, &token)?,
            "SIZE" => {
                buffer.elements = self.cursor.unsigned("a number of elements")?;
                let (word, token) = self.cursor.word("`FILL`, `SERIES_FROM` or `FILE`")?;
                self.initializer(&mut buffer, word, &token)?;
            }
            "WIDTH" => {
                buffer.width = self.positive("a width")?;
                self.cursor.keyword("HEIGHT")?;
                buffer.height = self.positive("a height")?;
                buffer.elements = check::product(&[buffer.width, buffer.height])
                    .ok_or_else(|| token.fault("too large image"))?;
                buffer.image = Some(blank::PLAIN_IMAGE);
                if !self.cursor.peek().ends_line() {
                    let (word, token) = self.cursor.word("`FILL` or `SERIES_FROM`")?;
                    self.initializer(&mut buffer, word, &token)?;
                }
            }
            _ => return Err(token.fault("expected `DATA`, `SIZE` or `WIDTH`")),
        }
        Ok(buffer)
    }

    fn format_buffer(&mut self, name: &str) -> Step<Buffer> {
        let format = self.cursor.next();
        let mut buffer = blank::buffer(name, self.format(&format, MemoryLayout::Std430)?);
        let mut image = blank::PLAIN_IMAGE;
        let mut is_image = false;
        loop {
            let token = self.cursor.peek();
            match token.kind {
                Kind::Word("MIP_LEVELS") => {
                    self.cursor.next();
                    image.mip_levels = self.mip_levels()?;
                }
                Kind::Word("SAMPLES") => {
                    self.cursor.next();
                    image.samples = self.samples()?;
                }
                Kind::Word("FILE") => {
                    self.cursor.next();
                    self.file(&mut buffer)?;
                    is_image = true;
                }
                _ => break,
            }
        }
        if is_image || image != blank::PLAIN_IMAGE || buffer.format.vk.is_some() {
            buffer.image = Some(image);
        }
        Ok(buffer)
    }

    pub(super) fn positive(&mut self, expected: &str) -> Step<u32> {
        let token = self.cursor.peek();
        match self.cursor.unsigned(expected)? {
            0 => Err(token.fault(format!("zero: expected {expected}"))),
            value => Ok(value),
        }
    }

    pub(super) fn mip_levels(&mut self) -> Step<u32> {
        let token = self.cursor.peek();
        let levels = self.positive("a number of levels of mipmaps")?;
        if levels > 32 { Err(token.fault("more than 32 levels of mipmaps")) } else { Ok(levels) }
    }

    pub(super) fn samples(&mut self) -> Step<u32> {
        let token = self.cursor.peek();
        let samples = self.cursor.unsigned("a number of samples")?;
        if samples.is_power_of_two() && samples <= 64 {
            Ok(samples)
        } else {
            Err(token.fault("number of samples is not 1, 2, 4, 8, 16, 32 or 64"))
        }
    }

    /// Reads the contents of a buffer of a known size.
    pub(super) fn initializer(
        &mut self,
        buffer: &mut Buffer,
        word: &str,
        token: &Token<'a>,
    ) -> Step<()> {
        match word {
            "DATA" => self.data(buffer, token),
            "FILL" => self.fill(buffer),
            "SERIES_FROM" => self.series(buffer, token),
            "FILE" => self.file(buffer),
            _ => Err(token.fault("unknown contents of a buffer")),
        }
    }

    fn fill(&mut self, buffer: &mut Buffer) -> Step<()> {
        let token = self.cursor.next();
        let value = number(&token).ok_or_else(|| token.fault("expected a number"))?;
        let size = buffer.format.size as usize;
        self.budget.contents(size).map_err(|message| token.fault(message))?;
        let mut element = vec![0; size];
        for part in &buffer.format.parts {
            // Amber cuts the fraction where an integer belongs.
            let bits = encode_cut(value, part.numeric, part.bits).unwrap_or_else(|| integer(value));
            write(bits, part, 0, &mut element);
        }
        buffer.contents = Contents::Fill(element);
        Ok(())
    }

    fn series(&mut self, buffer: &mut Buffer, token: &Token<'a>) -> Step<()> {
        let [part] = buffer.format.parts.as_slice() else {
            return Err(token.fault("`SERIES_FROM` is for elements of one value only"));
        };
        let float = is_float(part.numeric);
        let start = self.number()?;
        self.cursor.keyword("INC_BY")?;
        let step = self.number()?;
        buffer.contents = if float {
            Contents::FloatSeries { start: start.real(), step: step.real() }
        } else {
            Contents::IntegerSeries { start: integer(start), step: integer(step) }
        };
        Ok(())
    }

    fn number(&mut self) -> Step<Number> {
        let token = self.cursor.next();
        number(&token).ok_or_else(|| token.fault("expected a number"))
    }

    /// Reads numbers up to `END`.
    fn data(&mut self, buffer: &mut Buffer, start: &Token<'a>) -> Step<()> {
        let format = buffer.format.clone();
        let bytes = read_data(&mut self.cursor, &mut self.budget, &format, Some(start))?;
        set_data(buffer, bytes, start)
    }

    fn file(&mut self, buffer: &mut Buffer) -> Step<()> {
        let (mut kind, mut token) = self.cursor.word("`TEXT`, `BINARY` or `PNG`")?;
        if matches!(kind, "TEXT" | "BINARY" | "PNG") {
            token = self.cursor.next();
        } else {
            kind = "PNG";
        }
        let path = match token.kind {
            Kind::Word(path) | Kind::Quoted(path) => path,
            _ => return Err(token.fault("expected the path of a file")),
        };
        let bytes = (self.read_file)(path)
            .map_err(|reason| token.fault(format!("no access to the file: {reason}")))?;
        match kind {
            "TEXT" => {
                let text = clean(&bytes);
                let mut cursor = Cursor::new(&text);
                let data = read_data(&mut cursor, &mut self.budget, &buffer.format, None);
                let data =
                    data.map_err(|fault| token.fault(format!("in the file: {}", fault.message)))?;
                set_data(buffer, data, &token)
            }
            "BINARY" => set_data(buffer, bytes, &token),
            _ => {
                let picture = files::picture(&bytes)
                    .map_err(|reason| token.fault(format!("no PNG file: {reason}")))?;
                buffer.width = picture.width;
                buffer.height = picture.height;
                let format = &buffer.format;
                if format.parts.len() != 4 || format.size != 4 {
                    return Err(token.fault("a PNG file needs a format of four channels of 8 bits"));
                }
                set_data(buffer, picture.pixels, &token)
            }
        }
    }
}

/// A number as an integer: fractions are cut.
fn integer(value: Number) -> u64 {
    match value {
        Number::Integer { bits, .. } => bits,
        Number::Real(real) => real as i64 as u64,
    }
}

fn set_data(buffer: &mut Buffer, bytes: Vec<u8>, token: &Token<'_>) -> Step<()> {
    let size = buffer.format.size as usize;
    if size == 0 || !bytes.len().is_multiple_of(size) {
        return Err(token.fault("incomplete last element"));
    }
    let elements = saturate(bytes.len() / size);
    let is_image = buffer.image.is_some() && buffer.elements != 0;
    if is_image && elements != buffer.elements {
        let message = format!("{elements} elements for an image of {}", buffer.elements);
        return Err(token.fault(message));
    }
    // More elements than `SIZE` says are dropped by no one: the buffer grows.
    buffer.elements = elements.max(if is_image { buffer.elements } else { 0 });
    buffer.contents = Contents::Bytes(bytes);
    Ok(())
}

/// Reads numbers, part by part of a format, into bytes: up to `END`, or to the end of a file.
fn read_data(
    cursor: &mut Cursor<'_>,
    budget: &mut Budget,
    format: &Format,
    start: Option<&Token<'_>>,
) -> Step<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut begin = 0;
    let mut parts = format.parts.iter();
    loop {
        let token = cursor.next();
        match (token.kind, start) {
            (Kind::LineEnd, _) => continue,
            (Kind::Word("END"), _) | (Kind::End, None) => break,
            (Kind::End, Some(start)) => return Err(start.fault("`DATA` without `END`")),
            _ => {}
        }
        let value = number(&token).ok_or_else(|| token.fault("expected a number or `END`"))?;
        let part = match parts.next() {
            Some(part) if !bytes.is_empty() => part,
            _ => {
                // The next element.
                begin = bytes.len();
                let size = format.size as usize;
                budget.contents(size).map_err(|message| token.fault(message))?;
                bytes.resize(begin + size, 0);
                parts = format.parts.iter();
                parts.next().ok_or_else(|| token.fault("type without values"))?
            }
        };
        let bits = encode_cut(value, part.numeric, part.bits)
            .ok_or_else(|| token.fault("fraction where an integer belongs"))?;
        write(bits, part, begin, &mut bytes);
    }
    if parts.len() != 0 && !bytes.is_empty() && parts.len() != format.parts.len() {
        // Cut the incomplete element, so that the size tells.
        bytes.truncate(begin + 1);
    }
    Ok(bytes)
}
