//! Type names: Amber's (`vec3<int16>`), GLSL's (`u16vec3`), and pairs of vertex data
//! (`ubyte/vec4`).

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::one_of;
use nom::combinator::{all_consuming, map, opt, value};
use nom::sequence::{delimited, preceded};

use super::layout::NumberType;
use crate::model::{Format, Numeric};

type Parsed<'a, T> = nom::IResult<&'a str, T, nom::error::Error<&'a str>>;

/// Reads a type of AmberScript, such as `float`, `vec2<uint8>[]` or `mat3x4<double>`.
pub(crate) fn amber_type(text: &str) -> Option<NumberType> {
    let (_, (mut ty, array)) = all_consuming((amber_shape, opt(tag("[]")))).parse(text).ok()?;
    ty.array = array.is_some();
    Some(ty)
}

fn amber_shape(input: &str) -> Parsed<'_, NumberType> {
    let vector = (tag("vec"), count, delimited(tag("<"), amber_scalar, tag(">")))
        .map(|(_, rows, scalar)| NumberType { rows, ..scalar });
    let matrix =
        (tag("mat"), count, preceded(tag("x"), count), delimited(tag("<"), amber_scalar, tag(">")))
            .map(|(_, columns, rows, scalar)| NumberType { columns, rows, ..scalar });
    alt((vector, matrix, amber_scalar)).parse(input)
}

fn count(input: &str) -> Parsed<'_, u32> {
    map(one_of("234"), |digit| digit as u32 - '0' as u32).parse(input)
}

fn amber_scalar(input: &str) -> Parsed<'_, NumberType> {
    let scalar = NumberType::scalar;
    alt((
        value(scalar(Numeric::Sint, 8), tag("int8")),
        value(scalar(Numeric::Sint, 16), tag("int16")),
        value(scalar(Numeric::Sint, 32), tag("int32")),
        value(scalar(Numeric::Sint, 64), tag("int64")),
        value(scalar(Numeric::Uint, 8), tag("uint8")),
        value(scalar(Numeric::Uint, 16), tag("uint16")),
        value(scalar(Numeric::Uint, 32), tag("uint32")),
        value(scalar(Numeric::Uint, 64), tag("uint64")),
        value(scalar(Numeric::Float, 16), tag("float16")),
        value(scalar(Numeric::Float, 32), tag("float")),
        value(scalar(Numeric::Float, 64), tag("double")),
    ))
    .parse(input)
}

/// Reads a type of GLSL, such as `uint16_t`, `i64vec2` or `dmat3x2`. `vec` and `mat` alone have
/// four components.
pub(crate) fn glsl_type(text: &str) -> Option<NumberType> {
    all_consuming(alt((glsl_vector, glsl_matrix, glsl_scalar))).parse(text).ok().map(|(_, ty)| ty)
}

fn glsl_vector(input: &str) -> Parsed<'_, NumberType> {
    let (rest, scalar) = opt(alt((
        value(NumberType::scalar(Numeric::Sint, 8), tag("i8")),
        value(NumberType::scalar(Numeric::Sint, 16), tag("i16")),
        value(NumberType::scalar(Numeric::Sint, 64), tag("i64")),
        value(NumberType::scalar(Numeric::Uint, 8), tag("u8")),
        value(NumberType::scalar(Numeric::Uint, 16), tag("u16")),
        value(NumberType::scalar(Numeric::Uint, 64), tag("u64")),
        value(NumberType::scalar(Numeric::Float, 16), tag("f16")),
        value(NumberType::scalar(Numeric::Sint, 32), tag("i")),
        value(NumberType::scalar(Numeric::Uint, 32), tag("u")),
        value(NumberType::scalar(Numeric::Float, 64), tag("d")),
    )))
    .parse(input)?;
    let (rest, rows) = preceded(tag("vec"), opt(count)).parse(rest)?;
    let scalar = scalar.unwrap_or(NumberType::scalar(Numeric::Float, 32));
    Ok((rest, NumberType { rows: rows.unwrap_or(4), ..scalar }))
}

fn glsl_matrix(input: &str) -> Parsed<'_, NumberType> {
    let (rest, double) = opt(tag("d")).parse(input)?;
    let (rest, size) =
        preceded(tag("mat"), opt((count, opt(preceded(tag("x"), count))))).parse(rest)?;
    let (columns, rows) = size.unwrap_or((4, None));
    let bits = if double.is_some() { 64 } else { 32 };
    let scalar = NumberType::scalar(Numeric::Float, bits);
    Ok((rest, NumberType { columns, rows: rows.unwrap_or(columns), ..scalar }))
}

fn glsl_scalar(input: &str) -> Parsed<'_, NumberType> {
    let scalar = NumberType::scalar;
    alt((
        value(scalar(Numeric::Sint, 8), tag("int8_t")),
        value(scalar(Numeric::Sint, 16), tag("int16_t")),
        value(scalar(Numeric::Sint, 64), tag("int64_t")),
        value(scalar(Numeric::Uint, 8), tag("uint8_t")),
        value(scalar(Numeric::Uint, 16), tag("uint16_t")),
        value(scalar(Numeric::Uint, 64), tag("uint64_t")),
        value(scalar(Numeric::Float, 16), tag("float16_t")),
        value(scalar(Numeric::Sint, 32), tag("int")),
        value(scalar(Numeric::Uint, 32), tag("uint")),
        value(scalar(Numeric::Float, 32), tag("float")),
        value(scalar(Numeric::Float, 64), tag("double")),
    ))
    .parse(input)
}

/// Returns the format of a column of vertex data: a name of Vulkan's, or a GL type and a GLSL type
/// with a slash between them.
pub(crate) fn vertex_format(text: &str) -> Option<Format> {
    let Some((gl, glsl)) = text.split_once('/') else {
        return super::format_by_name(text);
    };
    let (bits, encoding) = match gl {
        "byte" => (8, "SINT"),
        "ubyte" => (8, "UINT"),
        "short" => (16, "SINT"),
        "ushort" => (16, "UINT"),
        "int" => (32, "SINT"),
        "uint" => (32, "UINT"),
        "half" => (16, "SFLOAT"),
        "float" => (32, "SFLOAT"),
        "double" => (64, "SFLOAT"),
        _ => return None,
    };
    let components = match glsl {
        "int" | "uint" | "float" | "double" => 1,
        _ => vector_components(glsl)?,
    };
    let letters: String = "RGBA".chars().take(components).map(|c| format!("{c}{bits}")).collect();
    super::format_by_name(&format!("{letters}_{encoding}"))
}

fn vector_components(glsl: &str) -> Option<usize> {
    let vector = glsl.strip_prefix(['i', 'u', 'd']).unwrap_or(glsl);
    match vector.strip_prefix("vec")? {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        _ => None,
    }
}
