//! Translation of the script's terms into the GL machine's.

use gl_machine::machine::draw::RectangleDraw;
use gl_machine::machine::uniforms::UniformValue;
use raster::assemble::PrimitiveMode;
use raster::pipeline::draw_call::DrawCall;
use raster::pipeline::vertex_data::{ArrayType, AttributeClass};
use raster::texture::CompareFunction;
use script::Primitive;

/// Returns the primitive type.
pub(crate) fn primitive(primitive: Primitive) -> PrimitiveMode {
    match primitive {
        Primitive::Points => PrimitiveMode::Points,
        Primitive::Lines => PrimitiveMode::Lines,
        Primitive::LineLoop => PrimitiveMode::LineLoop,
        Primitive::LineStrip => PrimitiveMode::LineStrip,
        Primitive::Triangles => PrimitiveMode::Triangles,
        Primitive::TriangleStrip => PrimitiveMode::TriangleStrip,
        Primitive::TriangleFan => PrimitiveMode::TriangleFan,
        Primitive::Quads => PrimitiveMode::Quads,
        Primitive::QuadStrip => PrimitiveMode::QuadStrip,
        Primitive::Polygon => PrimitiveMode::Polygon,
        Primitive::LinesAdjacency => PrimitiveMode::LinesAdjacency,
        Primitive::LineStripAdjacency => PrimitiveMode::LineStripAdjacency,
        Primitive::TrianglesAdjacency => PrimitiveMode::TrianglesAdjacency,
        Primitive::TriangleStripAdjacency => PrimitiveMode::TriangleStripAdjacency,
        Primitive::Patches => PrimitiveMode::Patches,
    }
}

/// Returns a rectangle draw. The instanced form without `ortho` feeds only the fixed-function
/// position.
pub(crate) fn rectangle(draw: &script::DrawRect) -> RectangleDraw {
    RectangleDraw {
        rectangle: draw.rect,
        ortho: draw.ortho,
        patch: draw.patch,
        texture: draw.texture,
        instances: draw.instances.map_or(1, count),
        fixed_function: draw.instances.is_some() && !draw.ortho,
    }
}

/// Returns a draw of vertex arrays.
pub(crate) fn arrays(draw: &script::DrawArrays) -> DrawCall {
    DrawCall {
        mode: primitive(draw.primitive),
        first: draw.first,
        count: draw.count,
        instances: draw.instances.map_or(1, count),
    }
}

/// Returns a draw of elements from the first one.
pub(crate) fn elements(draw: &script::DrawElements) -> DrawCall {
    DrawCall { mode: primitive(draw.primitive), first: 0, count: draw.count, instances: 1 }
}

/// Clamps a count to zero.
fn count(value: i32) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

/// Returns a uniform's value from the script's words; `None` for handles, which are no numbers.
pub(crate) fn uniform_value(ty: script::UniformType, words: &[u32]) -> Option<UniformValue> {
    let scalar = match ty.scalar {
        script::Scalar::Float => program::Scalar::Float,
        script::Scalar::Double => program::Scalar::Double,
        script::Scalar::Int => program::Scalar::Int,
        script::Scalar::Uint => program::Scalar::Uint,
        script::Scalar::Int64 => program::Scalar::Int64,
        script::Scalar::Uint64 => program::Scalar::Uint64,
        script::Scalar::Handle => return None,
    };
    let component = |words: &[u32]| {
        let (low, high) = (words.first().copied().unwrap_or(0), words.get(1).copied().unwrap_or(0));
        u64::from(low) | u64::from(high) << 32
    };
    let components = words.chunks(ty.scalar.words()).map(component).collect();
    Some(UniformValue { scalar, columns: ty.columns, rows: ty.rows, components })
}

/// Returns the component type of a vertex array.
pub(crate) fn array_type(component: script::ComponentType) -> ArrayType {
    match component {
        script::ComponentType::Byte => ArrayType::Byte,
        script::ComponentType::UByte => ArrayType::UnsignedByte,
        script::ComponentType::Short => ArrayType::Short,
        script::ComponentType::UShort => ArrayType::UnsignedShort,
        script::ComponentType::Int => ArrayType::Int,
        script::ComponentType::UInt => ArrayType::UnsignedInt,
        script::ComponentType::Half => ArrayType::Half,
        script::ComponentType::Float => ArrayType::Float,
        script::ComponentType::Double => ArrayType::Double,
    }
}

/// Returns the class of an attribute's values; `None` for an invalid combination of types.
pub(crate) fn attribute_class(format: script::AttributeFormat) -> Option<AttributeClass> {
    match format {
        script::AttributeFormat::Float => Some(AttributeClass::Float),
        script::AttributeFormat::Integer => Some(AttributeClass::Integer),
        script::AttributeFormat::Double => Some(AttributeClass::Double),
        script::AttributeFormat::Unset => None,
    }
}

/// Returns a comparison function by its enum name without `GL_`.
pub(crate) fn compare_function(name: &str) -> Option<CompareFunction> {
    Some(match name {
        "NEVER" => CompareFunction::Never,
        "LESS" => CompareFunction::Less,
        "EQUAL" => CompareFunction::Equal,
        "LEQUAL" => CompareFunction::LessEqual,
        "GREATER" => CompareFunction::Greater,
        "NOTEQUAL" => CompareFunction::NotEqual,
        "GEQUAL" => CompareFunction::GreaterEqual,
        "ALWAYS" => CompareFunction::Always,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plain_instanced_rectangle_is_fixed_function() {
        let draw = |ortho, instances| script::DrawRect {
            rect: [0.0; 4],
            texture: None,
            ortho,
            patch: false,
            instances,
        };
        let fixed = |ortho, instances| rectangle(&draw(ortho, instances)).fixed_function;
        assert!(fixed(false, Some(3)));
        assert!(!fixed(true, Some(3)) && !fixed(false, None) && !fixed(true, None));
    }
}
