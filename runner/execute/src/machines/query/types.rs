//! GL's names of types, without `GL_`.

use program::types::{Dim, ImageType, SamplerType};
use program::{Scalar, Type, TypeId, TypeTable};

/// Returns the name of a type that a resource can have, without arrays.
pub(super) fn gl_type(types: &TypeTable, ty: TypeId) -> Option<String> {
    match *types.get(ty) {
        Type::Sampler(sampler) => sampler_name(sampler),
        Type::Image(image) => image_name(image),
        Type::AtomicCounter => Some("UNSIGNED_INT_ATOMIC_COUNTER".to_owned()),
        _ => {
            let (columns, rows) = types.shape(ty)?;
            numeric_name(types.scalar_of(ty)?, columns, rows)
        }
    }
}

fn numeric_name(scalar: Scalar, columns: u8, rows: u8) -> Option<String> {
    use Scalar as S;
    let (name, suffix) = match scalar {
        S::Float => ("FLOAT", ""),
        S::Double => ("DOUBLE", ""),
        S::Int => ("INT", ""),
        S::Uint => ("UNSIGNED_INT", ""),
        S::Bool => ("BOOL", ""),
        S::Int64 => ("INT64", "_ARB"),
        S::Uint64 => ("UNSIGNED_INT64", "_ARB"),
        S::Int8 => ("INT8", "_NV"),
        S::Uint8 => ("UNSIGNED_INT8", "_NV"),
        S::Int16 => ("INT16", "_NV"),
        S::Uint16 => ("UNSIGNED_INT16", "_NV"),
        S::Float16 if columns > 1 => ("FLOAT16", "_AMD"),
        S::Float16 => ("FLOAT16", "_NV"),
    };
    Some(match (columns, rows) {
        (1, 1) => format!("{name}{suffix}"),
        (1, rows) => format!("{name}_VEC{rows}{suffix}"),
        (columns, rows) if columns == rows => format!("{name}_MAT{columns}{suffix}"),
        (columns, rows) => format!("{name}_MAT{columns}x{rows}{suffix}"),
    })
}

fn prefix(result: Scalar) -> &'static str {
    match result {
        Scalar::Int | Scalar::Int64 => "INT_",
        Scalar::Uint | Scalar::Uint64 => "UNSIGNED_INT_",
        _ => "",
    }
}

fn dimension(dim: Dim, array: bool) -> Option<&'static str> {
    Some(match (dim, array) {
        (Dim::D1, false) => "1D",
        (Dim::D1, true) => "1D_ARRAY",
        (Dim::D2, false) => "2D",
        (Dim::D2, true) => "2D_ARRAY",
        (Dim::D3, _) => "3D",
        (Dim::Cube, false) => "CUBE",
        (Dim::Cube, true) => "CUBE_MAP_ARRAY",
        (Dim::Rect, _) => "2D_RECT",
        (Dim::Buffer, _) => "BUFFER",
        (Dim::D2Ms, false) => "2D_MULTISAMPLE",
        (Dim::D2Ms, true) => "2D_MULTISAMPLE_ARRAY",
        (Dim::External | Dim::Subpass, _) => return None,
    })
}

fn sampler_name(sampler: SamplerType) -> Option<String> {
    if sampler.dim == Dim::External {
        return Some("SAMPLER_EXTERNAL_OES".to_owned());
    }
    let shadow = if sampler.shadow { "_SHADOW" } else { "" };
    Some(format!(
        "{}SAMPLER_{}{shadow}",
        prefix(sampler.result),
        dimension(sampler.dim, sampler.array)?
    ))
}

fn image_name(image: ImageType) -> Option<String> {
    Some(format!("{}IMAGE_{}", prefix(image.result), dimension(image.dim, image.array)?))
}
