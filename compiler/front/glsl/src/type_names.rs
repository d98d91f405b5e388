//! Built-in type names: their types and their availability.

use program::types::{Dim, ImageType, SamplerType};
use program::{Scalar, Type};

use crate::language::Language;

/// Availability of a built-in type. A plain enum: types are looked up for every declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeAvailability {
    Always,
    /// In no version: types of SPIR-V.
    Never,
    /// Non-square matrices.
    NonSquare,
    Unsigned,
    Doubles,
    Int64,
    Int16,
    Half,
    Sampler(SamplerType),
    Image(ImageType),
    Counter,
}

/// A built-in type by name, with the condition for using it.
pub(crate) fn find(name: &str) -> Option<(Type, TypeAvailability)> {
    use TypeAvailability as A;
    let scalar = |scalar, availability| Some((Type::Scalar(scalar), availability));
    match name {
        "void" => return Some((Type::Void, A::Always)),
        "bool" => return scalar(Scalar::Bool, A::Always),
        "int" => return scalar(Scalar::Int, A::Always),
        "uint" => return scalar(Scalar::Uint, A::Unsigned),
        "float" => return scalar(Scalar::Float, A::Always),
        "double" => return scalar(Scalar::Double, A::Doubles),
        "int64_t" => return scalar(Scalar::Int64, A::Int64),
        "uint64_t" => return scalar(Scalar::Uint64, A::Int64),
        "int16_t" => return scalar(Scalar::Int16, A::Int16),
        "uint16_t" => return scalar(Scalar::Uint16, A::Int16),
        "float16_t" => return scalar(Scalar::Float16, A::Half),
        "atomic_uint" => return Some((Type::AtomicCounter, A::Counter)),
        _ => {}
    }
    opaque(name).or_else(|| vector_or_matrix(name))
}

/// Returns the condition for using a scalar type, and vectors and matrices of it.
pub(crate) fn of_scalar(scalar: Scalar) -> TypeAvailability {
    match scalar {
        Scalar::Bool | Scalar::Int | Scalar::Float => TypeAvailability::Always,
        Scalar::Uint => TypeAvailability::Unsigned,
        Scalar::Double => TypeAvailability::Doubles,
        Scalar::Int64 | Scalar::Uint64 => TypeAvailability::Int64,
        Scalar::Int8 | Scalar::Uint8 => TypeAvailability::Never,
        Scalar::Int16 | Scalar::Uint16 => TypeAvailability::Int16,
        Scalar::Float16 => TypeAvailability::Half,
    }
}

fn vector_or_matrix(name: &str) -> Option<(Type, TypeAvailability)> {
    let digit = |c: u8| (b'2'..=b'4').contains(&c).then(|| c - b'0');
    if let Some(at) = name.find("vec") {
        let scalar = match &name[..at] {
            "" => Scalar::Float,
            "b" => Scalar::Bool,
            "i" => Scalar::Int,
            "u" => Scalar::Uint,
            "d" => Scalar::Double,
            "i64" => Scalar::Int64,
            "u64" => Scalar::Uint64,
            "i16" => Scalar::Int16,
            "u16" => Scalar::Uint16,
            "f16" => Scalar::Float16,
            _ => return None,
        };
        let [size] = &name.as_bytes()[at + 3..] else { return None };
        return Some((Type::Vector { scalar, size: digit(*size)? }, of_scalar(scalar)));
    }
    let at = name.find("mat")?;
    let scalar = match &name[..at] {
        "" => Scalar::Float,
        "d" => Scalar::Double,
        "f16" => Scalar::Float16,
        _ => return None,
    };
    let (columns, rows, explicit) = match &name.as_bytes()[at + 3..] {
        [n] => (digit(*n)?, digit(*n)?, false),
        [c, b'x', r] => (digit(*c)?, digit(*r)?, true),
        _ => return None,
    };
    let availability = match of_scalar(scalar) {
        TypeAvailability::Always if explicit => TypeAvailability::NonSquare,
        other => other,
    };
    Some((Type::Matrix { scalar, columns, rows }, availability))
}

/// Dimension and flags of a name after `sampler` or `image`.
fn shape(rest: &str) -> Option<(Dim, bool, bool)> {
    Some(match rest {
        "1D" => (Dim::D1, false, false),
        "2D" => (Dim::D2, false, false),
        "3D" => (Dim::D3, false, false),
        "Cube" => (Dim::Cube, false, false),
        "2DRect" => (Dim::Rect, false, false),
        "Buffer" => (Dim::Buffer, false, false),
        "2DMS" => (Dim::D2Ms, false, false),
        "ExternalOES" => (Dim::External, false, false),
        "1DArray" => (Dim::D1, true, false),
        "2DArray" => (Dim::D2, true, false),
        "CubeArray" => (Dim::Cube, true, false),
        "2DMSArray" => (Dim::D2Ms, true, false),
        "1DShadow" => (Dim::D1, false, true),
        "2DShadow" => (Dim::D2, false, true),
        "CubeShadow" => (Dim::Cube, false, true),
        "2DRectShadow" => (Dim::Rect, false, true),
        "1DArrayShadow" => (Dim::D1, true, true),
        "2DArrayShadow" => (Dim::D2, true, true),
        "CubeArrayShadow" => (Dim::Cube, true, true),
        _ => return None,
    })
}

fn opaque(name: &str) -> Option<(Type, TypeAvailability)> {
    let (result, rest) = match name.as_bytes().first()? {
        b'i' if !name.starts_with("image") => (Scalar::Int, &name[1..]),
        b'u' => (Scalar::Uint, &name[1..]),
        _ => (Scalar::Float, name),
    };
    if let Some(rest) = rest.strip_prefix("sampler") {
        let (dim, array, shadow) = shape(rest)?;
        if result != Scalar::Float && (shadow || dim == Dim::External) {
            return None;
        }
        let sampler = SamplerType { result, dim, array, shadow };
        return Some((Type::Sampler(sampler), TypeAvailability::Sampler(sampler)));
    }
    let (dim, array, shadow) = shape(rest.strip_prefix("image")?)?;
    if shadow || dim == Dim::External {
        return None;
    }
    let image = ImageType { result, dim, array };
    Some((Type::Image(image), TypeAvailability::Image(image)))
}

impl TypeAvailability {
    /// Returns whether the type may be used.
    pub(crate) fn holds(self, language: &Language<'_>) -> bool {
        match self {
            TypeAvailability::Always => true,
            TypeAvailability::Never => false,
            TypeAvailability::NonSquare => language.at_least(120, 300),
            TypeAvailability::Unsigned => language.has_integers(),
            TypeAvailability::Doubles => language.has_doubles(),
            TypeAvailability::Int64 => language.has_int64(),
            TypeAvailability::Int16 => language.has_int16(),
            TypeAvailability::Half => language.has_half_float(),
            TypeAvailability::Sampler(s) => sampler_holds(s, language),
            TypeAvailability::Image(i) => image_holds(i, language),
            TypeAvailability::Counter => {
                language.at_least(420, 310) || language.extension("ARB_shader_atomic_counters")
            }
        }
    }
}

impl TypeAvailability {
    /// Returns whether the name of a type that is not available cannot be declared either (GLSL
    /// 1.30, ES 1.00 and ES 3.00 to 3.20, sections on keywords).
    pub(crate) fn is_reserved(self, language: &Language<'_>) -> bool {
        match self {
            TypeAvailability::Sampler(s) if language.es => match (language.version, s.dim) {
                (_, Dim::External | Dim::Subpass) => false,
                (100, Dim::D1 | Dim::D3 | Dim::Rect) => s.result == Scalar::Float && !s.array,
                (100, Dim::D2) => s.shadow && !s.array,
                (100, _) => false,
                (300, Dim::Cube) => !s.array,
                _ => true,
            },
            TypeAvailability::Image(i) => match i.dim {
                Dim::Rect | Dim::D2Ms => language.at_least(420, 310),
                Dim::Cube if i.array => language.at_least(420, 310),
                _ => language.at_least(130, 300),
            },
            TypeAvailability::Sampler(s) => match s.dim {
                Dim::Rect => s.result == Scalar::Float,
                Dim::Buffer => s.result == Scalar::Float && language.at_least(130, 0),
                _ => false,
            },
            TypeAvailability::Counter | TypeAvailability::Doubles => language.at_least(0, 300),
            _ => false,
        }
    }
}

fn sampler_holds(s: SamplerType, language: &Language<'_>) -> bool {
    let ext = |names: &[&str]| language.any_extension(names);
    let v = |desktop, es| language.at_least(desktop, es);
    let integer = s.result != Scalar::Float;
    if integer && !language.has_integers() {
        return false;
    }
    match (s.dim, s.array, s.shadow) {
        (Dim::D1, false, _) => v(110, 0),
        (Dim::D2, false, false) => true,
        (Dim::D2, false, true) => v(110, 300) || ext(&["EXT_shadow_samplers"]),
        (Dim::D3, ..) => v(110, 300) || ext(&["OES_texture_3D"]),
        (Dim::Cube, false, false) => true,
        (Dim::Cube, false, true) => v(130, 300) || ext(&["EXT_gpu_shader4"]),
        (Dim::Cube, true, _) => {
            v(400, 320)
                || ext(&[
                    "ARB_texture_cube_map_array",
                    "EXT_texture_cube_map_array",
                    "OES_texture_cube_map_array",
                ])
        }
        (Dim::D1, true, _) => v(130, 0) || ext(&["EXT_texture_array", "EXT_gpu_shader4"]),
        (Dim::D2, true, _) => v(130, 300) || ext(&["EXT_texture_array", "EXT_gpu_shader4"]),
        (Dim::Rect, ..) => {
            let extension = if integer { "EXT_gpu_shader4" } else { "NV_texture_rectangle" };
            v(140, 0) || ext(&["ARB_texture_rectangle", extension])
        }
        (Dim::Buffer, ..) => {
            v(140, 320)
                || ext(&[
                    "EXT_gpu_shader4",
                    "ARB_texture_buffer_object",
                    "EXT_texture_buffer",
                    "OES_texture_buffer",
                ])
        }
        (Dim::D2Ms, false, _) => v(150, 310) || ext(&["ARB_texture_multisample"]),
        (Dim::D2Ms, true, _) => {
            v(150, 320)
                || ext(&["ARB_texture_multisample", "OES_texture_storage_multisample_2d_array"])
        }
        (Dim::External, ..) => ext(&["OES_EGL_image_external", "OES_EGL_image_external_essl3"]),
        (Dim::Subpass, ..) => false,
    }
}

fn image_holds(i: ImageType, language: &Language<'_>) -> bool {
    let desktop = language.at_least(420, 0)
        || language.any_extension(&["ARB_shader_image_load_store", "EXT_shader_image_load_store"]);
    if !language.es {
        return desktop;
    }
    if !language.at_least(0, 310) {
        return false;
    }
    match (i.dim, i.array) {
        (Dim::D2 | Dim::D3, _) | (Dim::Cube, false) => true,
        (Dim::Cube, true) => {
            language.at_least(0, 320)
                || language
                    .any_extension(&["EXT_texture_cube_map_array", "OES_texture_cube_map_array"])
        }
        (Dim::Buffer, _) => {
            language.at_least(0, 320)
                || language.any_extension(&["EXT_texture_buffer", "OES_texture_buffer"])
        }
        _ => false,
    }
}
