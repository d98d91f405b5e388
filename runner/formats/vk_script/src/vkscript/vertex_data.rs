//! `[vertex data]` and `[indices]`.

use std::sync::Arc;

use super::reader::Reader;
use super::sections::{Section, SectionKind};
use crate::blank;
use crate::check;
use crate::formats::{format_by_name, vertex_format};
use crate::model::{Buffer, Contents, Format, Part, VertexBuffer, VertexRate};
use crate::text::{Fault, Step, saturate};
use crate::tokens::{Cursor, Kind, Token, number};
use crate::values::{encode, is_float, write};

/// A column while its values are read.
struct Column {
    location: u32,
    format: Format,
    bytes: Vec<u8>,
}

impl<'a> Reader<'a> {
    pub(super) fn tables(&mut self, sections: &[Section]) -> Step<()> {
        for section in sections {
            match section.kind {
                SectionKind::VertexData if !self.vertex_buffers.is_empty() => {
                    return Err(Fault::at(section.header, "a second `[vertex data]`"));
                }
                SectionKind::VertexData => self.vertex_data(section)?,
                SectionKind::Indices => self.indices(section)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn vertex_data(&mut self, section: &Section) -> Step<()> {
        let mut cursor = Cursor::part(self.text, section.body);
        while cursor.peek().kind == Kind::LineEnd {
            cursor.next();
        }
        let mut columns: Vec<Column> = Vec::new();
        loop {
            let token = cursor.peek();
            if token.ends_line() {
                break;
            }
            let column = column(&mut cursor)?;
            if columns.iter().any(|known| known.location == column.location) {
                return Err(token.fault("a second column of this location"));
            }
            if columns.len() >= check::ATTRIBUTE_LIMIT {
                return Err(token.fault("too many columns"));
            }
            columns.push(column);
        }
        loop {
            let token = cursor.peek();
            match token.kind {
                Kind::LineEnd => {
                    cursor.next();
                }
                Kind::End => break,
                _ => {
                    for column in &mut columns {
                        row(&mut cursor, column)?;
                    }
                    cursor.end_of_line("vertex data")?;
                }
            }
        }
        for (index, column) in columns.into_iter().enumerate() {
            self.add_column(section, index, column);
        }
        Ok(())
    }

    fn add_column(&mut self, section: &Section, index: usize, column: Column) {
        let format = Arc::new(column.format);
        let size = format.size;
        let buffer = Buffer {
            span: section.header,
            elements: saturate(column.bytes.len() / size.max(1) as usize),
            contents: Contents::Bytes(column.bytes),
            ..blank::buffer(&format!("vertex data {index}"), format.clone())
        };
        let buffer = self.add_buffer(buffer);
        self.vertex_buffers.push(VertexBuffer {
            buffer,
            location: column.location,
            rate: VertexRate::Vertex,
            format,
            offset: 0,
            stride: size,
        });
    }

    fn indices(&mut self, section: &Section) -> Step<()> {
        let mut cursor = Cursor::part(self.text, section.body);
        let mut bytes = Vec::new();
        loop {
            let token = cursor.peek();
            match token.kind {
                Kind::LineEnd => {
                    cursor.next();
                }
                Kind::End => break,
                _ => {
                    let index = cursor.unsigned("an index")?;
                    let index =
                        u16::try_from(index).map_err(|_| token.fault("index above 65535"))?;
                    bytes.extend(index.to_le_bytes());
                }
            }
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(known) = self.indices {
            // A further section adds indices.
            let buffer = &mut self.script.buffers[known.index()];
            buffer.elements += saturate(bytes.len() / 2);
            if let Contents::Bytes(all) = &mut buffer.contents {
                all.extend(bytes);
            }
            return Ok(());
        }
        let format = format_by_name("R16_UINT").unwrap_or_else(|| unreachable!("a known format"));
        let buffer = Buffer {
            span: section.header,
            elements: saturate(bytes.len() / 2),
            contents: Contents::Bytes(bytes),
            ..blank::buffer("indices", Arc::new(format))
        };
        self.indices = Some(self.add_buffer(buffer));
        Ok(())
    }
}

/// Reads a header: location, slash, format.
fn column(cursor: &mut Cursor<'_>) -> Step<Column> {
    let location = cursor.unsigned("a location and a format")?;
    let (word, token) = cursor.word("a slash and a format")?;
    let format = word.strip_prefix('/').and_then(vertex_format);
    let format = format.ok_or_else(|| token.fault("unknown format of vertex data"))?;
    Ok(Column { location, format, bytes: Vec::new() })
}

/// Reads the values of a column in a row.
fn row(cursor: &mut Cursor<'_>, column: &mut Column) -> Step<()> {
    let begin = column.bytes.len();
    column.bytes.resize(begin + column.format.size as usize, 0);
    // The first component written is the first of the name: in packed formats the whole word.
    for part in &column.format.parts {
        let token = cursor.next();
        let bits =
            bits(&token, part).ok_or_else(|| token.fault("expected a number of the column"))?;
        write(bits, part, begin, &mut column.bytes);
    }
    Ok(())
}

/// The bits of a value. A hexadecimal number is the bit pattern of a float.
fn bits(token: &Token<'_>, part: &Part) -> Option<u64> {
    match token.kind {
        Kind::Hex(bits) if is_float(part.numeric) => bits,
        _ => encode(number(token)?, part.numeric, part.bits),
    }
}
