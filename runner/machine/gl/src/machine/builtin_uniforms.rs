//! Built-in uniforms: state that shaders read as `gl_*` variables, written into the default block
//! before a draw.

use program::BuiltinVariable;
use program::resource::Uniform;
use smallvec::SmallVec;
use std::sync::Arc;

use super::state::{IDENTITY, Light, Matrix, State, inverse, multiply, transpose};
use super::uniforms::{MemberPlace, UniformValue, write};
use program::{Program, Scalar, Stage};

/// Writes every active built-in uniform; `samples` are those of a pixel of the draw framebuffer.
pub(super) fn fill(program: &Program, state: &State, samples: u32, block: &mut Arc<Vec<u8>>) {
    for uniform in program.uniforms.iter() {
        let Some(builtin) = uniform.builtin else { continue };
        for element in 0..uniform.array.unwrap_or(1) {
            let value = match builtin {
                BuiltinVariable::NumSamples => Some(integer(samples)),
                _ => value(builtin, uniform, element, state),
            };
            if let Some(value) = value {
                let offset = uniform.offset + element * uniform.array_stride;
                write(block, MemberPlace::new(offset, uniform), &value);
            }
        }
    }
}

fn matrix(m: &Matrix) -> UniformValue {
    let components: SmallVec<[u64; 16]> =
        m.iter().map(|&v| u64::from((v as f32).to_bits())).collect();
    UniformValue { scalar: Scalar::Float, columns: 4, rows: 4, components }
}

fn matrix3(m: &Matrix) -> UniformValue {
    let components: SmallVec<[u64; 16]> =
        (0..9).map(|i| u64::from((m[i / 3 * 4 + i % 3] as f32).to_bits())).collect();
    UniformValue { scalar: Scalar::Float, columns: 3, rows: 3, components }
}

fn integer(value: u32) -> UniformValue {
    let components = SmallVec::from_slice(&[u64::from(value)]);
    UniformValue { scalar: Scalar::Int, columns: 1, rows: 1, components }
}

fn vector(values: &[f64]) -> UniformValue {
    UniformValue::floats(&values.iter().map(|&v| v as f32).collect::<SmallVec<[f32; 4]>>())
}

/// Returns the last component of a path (`gl_DepthRange.near` → `near`).
fn member(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the index inside a path (`gl_LightSource[2].diffuse` → 2), or the element when there is
/// none.
fn path_index(name: &str, element: u32) -> usize {
    let digits = name.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    digits.and_then(|(digits, _)| digits.parse().ok()).unwrap_or(element as usize)
}

/// Returns a member of `gl_LightSourceParameters`; the half vector is that of an infinite viewer.
fn light(light: &Light, member: &str) -> UniformValue {
    match member {
        "ambient" => UniformValue::floats(&light.ambient),
        "diffuse" => UniformValue::floats(&light.diffuse),
        "specular" => UniformValue::floats(&light.specular),
        "position" => UniformValue::floats(&light.position),
        "halfVector" => {
            let [x, y, z, _] = light.position.map(f64::from);
            let length = (x * x + y * y + z * z).sqrt();
            let unit = if length > 0.0 { [x / length, y / length, z / length] } else { [0.0; 3] };
            let half = [unit[0], unit[1], unit[2] + 1.0];
            let length = half.iter().map(|c| c * c).sum::<f64>().sqrt();
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            vector(&[half[0] * scale, half[1] * scale, half[2] * scale, 1.0])
        }
        "spotDirection" => UniformValue::floats(&light.spot_direction),
        "spotExponent" => UniformValue::floats(&[light.spot_exponent]),
        "spotCutoff" => UniformValue::floats(&[light.spot_cutoff]),
        "spotCosCutoff" => vector(&[f64::from(light.spot_cutoff).to_radians().cos()]),
        "constantAttenuation" => UniformValue::floats(&light.attenuation[..1]),
        "linearAttenuation" => UniformValue::floats(&light.attenuation[1..2]),
        "quadraticAttenuation" => UniformValue::floats(&light.attenuation[2..]),
        _ => vector(&[0.0]),
    }
}

/// Returns the value of one element; `None` for state that is not modeled, which stays zero.
fn value(
    builtin: BuiltinVariable,
    uniform: &Uniform,
    element: u32,
    state: &State,
) -> Option<UniformValue> {
    use BuiltinVariable::*;
    let (modelview, projection) = (&state.modelview, &state.projection);
    let product = multiply(projection, modelview);
    let inverted = |m: &Matrix| inverse(m).unwrap_or(IDENTITY);
    Some(match builtin {
        ModelViewMatrix => matrix(modelview),
        ProjectionMatrix => matrix(projection),
        ModelViewProjectionMatrix => matrix(&product),
        ModelViewMatrixInverse => matrix(&inverted(modelview)),
        ProjectionMatrixInverse => matrix(&inverted(projection)),
        ModelViewProjectionMatrixInverse => matrix(&inverted(&product)),
        ModelViewMatrixTranspose => matrix(&transpose(modelview)),
        ProjectionMatrixTranspose => matrix(&transpose(projection)),
        ModelViewProjectionMatrixTranspose => matrix(&transpose(&product)),
        ModelViewMatrixInverseTranspose => matrix(&transpose(&inverted(modelview))),
        ProjectionMatrixInverseTranspose => matrix(&transpose(&inverted(projection))),
        ModelViewProjectionMatrixInverseTranspose => matrix(&transpose(&inverted(&product))),
        TextureMatrix
        | TextureMatrixInverse
        | TextureMatrixTranspose
        | TextureMatrixInverseTranspose => matrix(&IDENTITY),
        NormalMatrix => matrix3(&transpose(&inverted(modelview))),
        NormalScale => vector(&[1.0]),
        DepthRange => {
            let viewport = &state.viewports[0];
            vector(&[match member(&uniform.name) {
                "near" => viewport.near,
                "far" => viewport.far,
                _ => viewport.far - viewport.near,
            }])
        }
        LightSource => {
            light(state.lights.get(path_index(&uniform.name, element))?, member(&uniform.name))
        }
        ProgramEnv | ProgramLocal => {
            let fragment = uniform.stages.contains(Stage::Fragment);
            let target =
                if fragment { &state.fragment_parameters } else { &state.vertex_parameters };
            let table = if builtin == ProgramEnv { &target.environment } else { &target.local };
            UniformValue::floats(&table.get(&element).copied().unwrap_or_default())
        }
        ClipPlane => vector(state.clip_planes.get(element as usize)?),
        Point => vector(&[match member(&uniform.name) {
            "sizeMax" => 255.0,
            "size" | "fadeThresholdSize" | "distanceConstantAttenuation" => 1.0,
            _ => 0.0,
        }]),
        FrontMaterial | BackMaterial => match member(&uniform.name) {
            "ambient" => vector(&[0.2, 0.2, 0.2, 1.0]),
            "diffuse" => vector(&[0.8, 0.8, 0.8, 1.0]),
            "emission" | "specular" => vector(&[0.0, 0.0, 0.0, 1.0]),
            _ => vector(&[0.0]),
        },
        LightModel => vector(&[0.2, 0.2, 0.2, 1.0]),
        // Emission and the product of the material's and the model's ambient colors; alpha is the
        // diffuse color's.
        FrontLightModelProduct | BackLightModelProduct => vector(&[0.04, 0.04, 0.04, 1.0]),
        FrontLightProduct | BackLightProduct => {
            let light = state.lights.get(path_index(&uniform.name, element))?;
            let (color, material) = match member(&uniform.name) {
                "ambient" => (light.ambient, [0.2, 0.2, 0.2, 1.0]),
                "diffuse" => (light.diffuse, [0.8, 0.8, 0.8, 1.0]),
                _ => (light.specular, [0.0, 0.0, 0.0, 1.0]),
            };
            UniformValue::floats(&std::array::from_fn::<f32, 4, _>(|i| color[i] * material[i]))
        }
        EyePlaneS | ObjectPlaneS => vector(&[1.0, 0.0, 0.0, 0.0]),
        EyePlaneT | ObjectPlaneT => vector(&[0.0, 1.0, 0.0, 0.0]),
        Fog => match member(&uniform.name) {
            "density" | "end" | "scale" => vector(&[1.0]),
            "color" => vector(&[0.0; 4]),
            _ => vector(&[0.0]),
        },
        _ => return None,
    })
}
