//! The commands that supply a program's uniforms and textures, draw, and compare.

use program::Program;
use program::resource::Uniform;
use program::types::{Dim, SamplerType, Scalar, Type};

use super::error::WrapError;
use super::values::UniformValues;

/// Values of uniforms in turn, in sixteenths: exact, and none is 0.
const STEP: u32 = 5;

/// Writes the section `[test]`. Uniforms without a value in `values` have one that depends on their
/// place.
pub(super) fn commands(program: &Program, values: &UniformValues) -> Result<String, WrapError> {
    let mut text = crate::fuzz::begin_test();
    let mut unit = 0;
    for uniform in &program.uniforms {
        // Built-in state has initial values.
        if uniform.builtin.is_none() {
            supply(program, uniform, values, &mut unit, &mut text)?;
        }
    }
    for (index, block) in program.storage_blocks.iter().enumerate() {
        let size = block.size.max(STORAGE_BYTES);
        let binding = if block.explicit_binding { block.binding } else { index as u32 };
        text += &format!("ssbo {binding} {size}\n");
    }
    text += "clear color 0.25 0.5 0.75 1\nclear\ndraw rect -1 -1 2 2\nprobe all rgba 0 0 0 0\n";
    Ok(text)
}

/// Least size of a storage buffer, so that arrays without a size have elements.
const STORAGE_BYTES: u32 = 1024;

fn supply(
    program: &Program,
    uniform: &Uniform,
    values: &UniformValues,
    unit: &mut u32,
    text: &mut String,
) -> Result<(), WrapError> {
    let name = |index| match uniform.array {
        Some(_) => format!("{}[{index}]", uniform.name),
        None => uniform.name.clone(),
    };
    for index in 0..uniform.array.unwrap_or(1) {
        match program.types.get(uniform.ty) {
            Type::Sampler(sampler) => {
                if let Some(texture) = texture(*sampler, *unit) {
                    *text += &format!("{texture}\n");
                }
                *text += &format!("uniform int {} {unit}\n", name(index));
                *unit += 1;
            }
            Type::Image(_) => return missing("image", &uniform.name),
            Type::AtomicCounter => return missing("atomic counter", &uniform.name),
            _ => {
                let (ty, components) = value(program, uniform, index);
                let given = values.components(&uniform.name, index, components.len());
                let components = given.unwrap_or(components).join(" ");
                *text += &format!("uniform {ty} {} {components}\n", name(index));
            }
        }
    }
    Ok(())
}

fn missing(kind: &str, name: &str) -> Result<(), WrapError> {
    Err(WrapError::NotSupplied(format!("the {kind} `{name}`")))
}

/// Returns a texture for a sampler. Samplers of other kinds read an incomplete texture, which is
/// black.
fn texture(sampler: SamplerType, unit: u32) -> Option<String> {
    let SamplerType { result, dim, array, shadow } = sampler;
    Some(match (result, dim, array, shadow) {
        (Scalar::Float, Dim::D2, false, false) => format!("texture rgbw {unit} (16, 16)"),
        (Scalar::Float, Dim::D1, false, false) => format!("texture rgbw 1D {unit}"),
        (Scalar::Float, Dim::D3, false, false) => format!("texture rgbw 3D {unit}"),
        (Scalar::Float, Dim::D2, true, false) => format!("texture rgbw 2DArray {unit} (8, 8, 4)"),
        (Scalar::Float, Dim::D1, true, false) => format!("texture rgbw 1DArray {unit} (8, 4)"),
        (Scalar::Float, Dim::D2, false, true) => format!("texture shadow2D {unit} (16, 16)"),
        (Scalar::Float, Dim::Rect, false, true) => format!("texture shadowRect {unit} (16, 16)"),
        (Scalar::Float, Dim::D1, false, true) => format!("texture shadow1D {unit} (16)"),
        (Scalar::Float, Dim::D1, true, true) => format!("texture shadow1DArray {unit} (16, 4)"),
        (Scalar::Float, Dim::D2, true, true) => {
            format!("texture shadow2DArray {unit} (8, 8, 4)")
        }
        (Scalar::Int, Dim::D2, false, false) => {
            format!("texture integer {unit} (16, 16) (3, 5) GL_RGBA32I")
        }
        (Scalar::Uint, Dim::D2, false, false) => {
            format!("texture integer {unit} (16, 16) (3, 5) GL_RGBA32UI")
        }
        _ => return None,
    })
}

/// Returns the type and the components of a uniform's value. Matrices are identities, so that what
/// they transform stays in its range.
fn value(program: &Program, uniform: &Uniform, index: u32) -> (String, Vec<String>) {
    let types = &program.types;
    let first = uniform.offset / 4 + index;
    let number = |scalar: Scalar, component: u32| match scalar {
        Scalar::Bool => "1".to_owned(),
        Scalar::Float | Scalar::Double | Scalar::Float16 => {
            (f64::from((first + component) * STEP % 16 + 1) / 16.0).to_string()
        }
        _ => ((first + component) % 4 + 1).to_string(),
    };
    match *types.get(uniform.ty) {
        Type::Scalar(Scalar::Bool) => ("int".to_owned(), vec![number(Scalar::Bool, 0)]),
        Type::Scalar(scalar) => (types.name(uniform.ty), vec![number(scalar, 0)]),
        Type::Vector { scalar, size } => {
            let name = types.name(uniform.ty);
            let name = if scalar == Scalar::Bool { format!("ivec{size}") } else { name };
            (name, (0..u32::from(size)).map(|i| number(scalar, i)).collect())
        }
        Type::Matrix { columns, rows, .. } => {
            let cells = (0..columns).flat_map(|c| (0..rows).map(move |r| c == r));
            (types.name(uniform.ty), cells.map(|one| u8::from(one).to_string()).collect())
        }
        _ => (types.name(uniform.ty), Vec::new()),
    }
}
