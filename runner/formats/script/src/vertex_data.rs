//! `[vertex data]`: column headers, and rows packed as a vertex buffer.

use crate::error::{ErrorKind, Fault, Span, offset_in, saturate};
use crate::numbers::{float32, float64, half_bits, hex_pattern, strtod, strtol};
use crate::text::{Lines, Parsed, skip_space, trim_end, utf8_prefix, word_bytes};

/// A `[vertex data]` section.
#[derive(Clone, Debug, Default)]
pub struct VertexData<'a> {
    /// The columns in file order.
    pub columns: Vec<Column<'a>>,
    /// Bytes per row: the columns without padding.
    pub stride: u32,
    /// Number of rows.
    pub rows: u32,
    /// The rows back to back, little-endian: `rows * stride` bytes.
    pub data: Vec<u8>,
}

/// One column: an attribute, an element of an attribute array, or a column of a matrix attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// Position of the column's header.
    pub span: Span,
    /// The attribute.
    pub attribute: Attribute<'a>,
    /// Array element, 0 when the header has none.
    pub element: u32,
    /// Type of the values in the buffer.
    pub component: ComponentType,
    /// Values per row, 1 to 4.
    pub components: u8,
    /// Format in which the attribute receives the values.
    pub format: AttributeFormat,
    /// Columns of the attribute's matrix type, 1 for everything else.
    pub matrix_columns: u8,
    /// Number of the matrix column.
    pub matrix_column: u8,
    /// Offset of the first value in a row, in bytes.
    pub offset: u32,
}

impl Column<'_> {
    /// Attribute slots after the attribute's own location; a `dvec3` or `dvec4` counts as one.
    pub fn slot(&self) -> u32 {
        u32::from(self.matrix_column) + self.element * u32::from(self.matrix_columns)
    }
}

/// Destination of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute<'a> {
    /// A named attribute of the program.
    Name(&'a str),
    /// An attribute location.
    Location(u32),
}

/// Types of values in a vertex buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentType {
    /// `byte`
    Byte,
    /// `ubyte`
    UByte,
    /// `short`
    Short,
    /// `ushort`
    UShort,
    /// `int`
    Int,
    /// `uint`
    UInt,
    /// `half`
    Half,
    /// `float`
    Float,
    /// `double`
    Double,
}

impl ComponentType {
    /// Bytes per value.
    pub fn size(self) -> u32 {
        match self {
            ComponentType::Byte | ComponentType::UByte => 1,
            ComponentType::Short | ComponentType::UShort | ComponentType::Half => 2,
            ComponentType::Int | ComponentType::UInt | ComponentType::Float => 4,
            ComponentType::Double => 8,
        }
    }

    fn from_name(name: &[u8]) -> Option<ComponentType> {
        Some(match name {
            b"byte" => ComponentType::Byte,
            b"ubyte" => ComponentType::UByte,
            b"short" => ComponentType::Short,
            b"ushort" => ComponentType::UShort,
            b"int" => ComponentType::Int,
            b"uint" => ComponentType::UInt,
            b"half" => ComponentType::Half,
            b"float" => ComponentType::Float,
            b"double" => ComponentType::Double,
            _ => return None,
        })
    }

    /// The format of a column whose shape is a plain number of components.
    fn default_format(self) -> AttributeFormat {
        match self {
            ComponentType::Half | ComponentType::Float => AttributeFormat::Float,
            ComponentType::Double => AttributeFormat::Double,
            _ => AttributeFormat::Integer,
        }
    }
}

/// Format in which an attribute receives its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeFormat {
    /// Converted to float, not normalized.
    Float,
    /// Kept as integers.
    Integer,
    /// Kept as 64-bit floats.
    Double,
    /// Incompatible types; piglit prints a message and leaves the attribute unset.
    Unset,
}

/// Maximum columns; the corpus has at most 30.
const MAX_COLUMNS: usize = 1024;
/// Maximum size of a vertex buffer; the corpus stays below 100 KB. Short rows are filled with
/// zeros, so without a limit a small file could take any amount of memory.
const MAX_BYTES: usize = 1 << 26;

/// Reads a section; `file` is only used to compute spans.
pub(crate) fn parse<'a>(file: &'a [u8], body: &'a [u8]) -> Result<VertexData<'a>, Fault<'a>> {
    let mut data = VertexData::default();
    // Numbered like piglit's messages: from 1 at the section's first line.
    for (number, line) in Lines::new(body, 1) {
        let start = skip_space(line);
        if start.is_empty() || start[0] == b'#' {
            continue;
        }
        if data.columns.is_empty() {
            data.header(file, start)?;
        } else {
            data.row(number, start)?;
        }
    }
    Ok(data)
}

impl<'a> VertexData<'a> {
    fn header(&mut self, file: &'a [u8], line: &'a [u8]) -> Result<(), Fault<'a>> {
        let end = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
        let mut rest = &line[..end];
        while let Ok((next, text)) = word_bytes(rest) {
            if self.columns.len() == MAX_COLUMNS {
                return Err(Fault::new(
                    ErrorKind::Range,
                    text,
                    format!("more than {MAX_COLUMNS} columns"),
                ));
            }
            let start = offset_in(file, text);
            let span = Span { start: saturate(start), end: saturate(start + text.len()) };
            let column = Column { span, offset: self.stride, ..column(text)? };
            self.stride += u32::from(column.components) * column.component.size();
            self.columns.push(column);
            rest = next;
        }
        Ok(())
    }

    fn row(&mut self, number: u32, line: &'a [u8]) -> Result<(), Fault<'a>> {
        if self.data.len() + self.stride as usize > MAX_BYTES {
            return Err(Fault::new(ErrorKind::Range, trim_end(line), "[vertex data] is too large"));
        }
        let mut rest = line;
        for column in &self.columns {
            rest = values(column, rest, &mut self.data).map_err(|at| {
                let message = format!("value out of range at line {number} of [vertex data]");
                Fault::new(ErrorKind::VertexData, at, message)
            })?;
        }
        self.rows += 1;
        Ok(())
    }
}

/// Appends one row's values of a column; a missing value is 0. The error is the value that does not
/// fit.
fn values<'a>(
    column: &Column<'_>,
    mut rest: &'a [u8],
    data: &mut Vec<u8>,
) -> Result<&'a [u8], &'a [u8]> {
    for _ in 0..column.components {
        let parsed = match column.component {
            ComponentType::Double => float64(rest).map(|(next, real)| {
                data.extend_from_slice(&real.value.to_bits().to_le_bytes());
                (next, !real.out_of_range)
            }),
            ComponentType::Float => float32(rest).map(|(next, real)| {
                data.extend_from_slice(&real.value.to_bits().to_le_bytes());
                (next, !real.out_of_range)
            }),
            ComponentType::Half => half(rest).map(|(next, (bits, fits))| {
                data.extend_from_slice(&bits.to_le_bytes());
                (next, fits)
            }),
            ComponentType::Int => signed(rest).map(|(next, value)| {
                data.extend_from_slice(&(value as i32).to_le_bytes());
                (next, true)
            }),
            ComponentType::UInt => strtol(rest).map(|(next, integer)| {
                data.extend_from_slice(&(integer.modular() as u32).to_le_bytes());
                (next, true)
            }),
            ComponentType::Short => signed(rest).map(|(next, value)| {
                data.extend_from_slice(&(value as i16).to_le_bytes());
                (next, i16::try_from(value).is_ok())
            }),
            ComponentType::UShort => strtol(rest).map(|(next, integer)| {
                data.extend_from_slice(&(integer.modular() as u16).to_le_bytes());
                (next, u16::try_from(integer.modular()).is_ok())
            }),
            ComponentType::Byte => signed(rest).map(|(next, value)| {
                data.extend_from_slice(&(value as i8).to_le_bytes());
                (next, i8::try_from(value).is_ok())
            }),
            ComponentType::UByte => strtol(rest).map(|(next, integer)| {
                data.push(integer.modular() as u8);
                (next, u8::try_from(integer.modular()).is_ok())
            }),
        };
        match parsed {
            Ok((next, true)) => rest = next,
            Ok((next, false)) => {
                let value = skip_space(rest);
                return Err(&value[..value.len() - next.len()]);
            }
            Err(_) => data.resize(data.len() + column.component.size() as usize, 0),
        }
    }
    Ok(rest)
}

/// `0x…` is a 32-bit pattern read as signed, anything else a number base 0.
fn signed(input: &[u8]) -> Parsed<'_, i64> {
    if let Ok((rest, pattern)) = hex_pattern(input) {
        return Ok((rest, i64::from(pattern as u32 as i32)));
    }
    let (rest, integer) = strtol(input)?;
    Ok((rest, integer.clamped().0))
}

/// `0x…` is the bits themselves and must fit 16; anything else is a number.
fn half(input: &[u8]) -> Parsed<'_, (u16, bool)> {
    if let Ok((rest, pattern)) = hex_pattern(input) {
        return Ok((rest, (pattern as u16, u16::try_from(pattern).is_ok())));
    }
    let (rest, real) = strtod(input)?;
    Ok((rest, (half_bits(real.value), true)))
}

/// A column header `name[index]/gltype/shape/column`.
fn column(text: &[u8]) -> Result<Column<'_>, Fault<'_>> {
    let malformed = |at, message: &str| Fault::new(ErrorKind::VertexData, at, message);
    let mut parts = text.split(|&b| b == b'/');
    let name = parts.next().unwrap_or_default();
    let (Some(component), Some(shape), matrix_column, None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(malformed(text, "expected a column header such as name/float/vec4"));
    };
    let (attribute, element) = attribute(name)?;
    let component_type = ComponentType::from_name(component)
        .ok_or_else(|| malformed(component, "unknown component type"))?;
    let Some(parsed) = Shape::parse(shape, component_type) else {
        return Err(malformed(shape, "unknown shape, or more than four components"));
    };
    let matrix_column = match matrix_column {
        None => 0,
        Some([digit @ b'0'..=b'3']) => digit - b'0',
        Some(other) => return Err(malformed(other, "expected a matrix column from 0 to 3")),
    };
    Ok(Column {
        span: Span::default(),
        attribute,
        element,
        component: component_type,
        components: parsed.components,
        format: parsed.format,
        matrix_columns: parsed.matrix_columns,
        matrix_column,
        offset: 0,
    })
}

/// The attribute and the array element of `name[index]`.
fn attribute(text: &[u8]) -> Result<(Attribute<'_>, u32), Fault<'_>> {
    let malformed = || Fault::new(ErrorKind::VertexData, text, "expected an attribute name");
    let (name, element) = match text.strip_suffix(b"]") {
        None => (text, 0),
        Some(inner) => {
            let open = inner.iter().rposition(|&b| b == b'[').ok_or_else(malformed)?;
            let index = match strtol(&inner[open + 1..]) {
                Ok((_, integer)) if !integer.negative && integer.magnitude <= 0xffff => {
                    integer.magnitude as u32
                }
                _ => {
                    return Err(Fault::new(
                        ErrorKind::VertexData,
                        text,
                        "array index out of range",
                    ));
                }
            };
            (&inner[..open], index)
        }
    };
    if name.is_empty() {
        return Err(malformed());
    }
    if !name.iter().all(u8::is_ascii_digit) {
        return Ok((Attribute::Name(utf8_prefix(name)), element));
    }
    match utf8_prefix(name).parse() {
        Ok(location) => Ok((Attribute::Location(location), element)),
        Err(_) => Err(Fault::new(ErrorKind::VertexData, name, "attribute location out of range")),
    }
}

struct Shape {
    components: u8,
    matrix_columns: u8,
    format: AttributeFormat,
}

impl Shape {
    fn parse(text: &[u8], component: ComponentType) -> Option<Shape> {
        use AttributeFormat as F;
        if let [b'1'..=b'4'] = text {
            let format = component.default_format();
            return Some(Shape { components: text[0] - b'0', matrix_columns: 1, format });
        }
        let (base, size): (F, &[u8]) = match text {
            b"float" => (F::Float, b"1"),
            b"int" | b"uint" => (F::Integer, b"1"),
            b"double" => (F::Double, b"1"),
            [b'i' | b'u', b'v', b'e', b'c', size @ ..] => (F::Integer, size),
            [b'd', b'v', b'e', b'c', size @ ..] => (F::Double, size),
            [b'v', b'e', b'c', size @ ..] => (F::Float, size),
            [b'd', b'm', b'a', b't', size @ ..] => {
                return Shape::matrix(size, F::Double, component);
            }
            [b'm', b'a', b't', size @ ..] => return Shape::matrix(size, F::Float, component),
            _ => return None,
        };
        let [components @ b'1'..=b'4'] = size else { return None };
        let format = agreed(base, component);
        Some(Shape { components: components - b'0', matrix_columns: 1, format })
    }

    /// `C` or `CxR`: the values of one column are R.
    fn matrix(size: &[u8], base: AttributeFormat, component: ComponentType) -> Option<Shape> {
        let (columns, rows) = match size {
            [columns] => (columns, columns),
            [columns, b'x', rows] => (columns, rows),
            _ => return None,
        };
        let digit = |byte: &u8| byte.checked_sub(b'0').filter(|n| (1..=4).contains(n));
        Some(Shape {
            components: digit(rows)?,
            matrix_columns: digit(columns)?,
            format: agreed(base, component),
        })
    }
}

/// The format of a GLSL shape, if the buffer's type can supply it.
fn agreed(base: AttributeFormat, component: ComponentType) -> AttributeFormat {
    use AttributeFormat as F;
    match base {
        F::Integer if component.default_format() != F::Integer => F::Unset,
        F::Double if component != ComponentType::Double => F::Unset,
        _ => base,
    }
}

#[cfg(test)]
mod tests;
