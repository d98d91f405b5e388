//! Parameters of fixed-function lights. Scripts cannot change the modelview matrix from the
//! identity: positions and directions are eye coordinates.

use gl_machine::machine::state::Light;
use program::Api;
use script::{LightParameter as P, LightValues};

use super::session::{Flow, Session};
use results::verdict::{Phase, Verdict};

/// Executes `light`.
pub(super) fn execute(
    session: &mut Session<'_>,
    light: u32,
    parameter: P,
    values: &LightValues,
) -> Flow {
    match session.capabilities.api() {
        Api::Compatibility => {}
        Api::Core => {
            return Err(Verdict::fail(Phase::Script, "`light` needs a compatibility context"));
        }
        Api::Es => return Err(Verdict::skip("OpenGL ES has no fixed-function lights")),
    }
    let (values, scalar) = numbers(parameter, values);
    session.replicas.change(|machine| {
        if let Some(light) = machine.state.lights.get_mut(light as usize) {
            change(light, parameter, values, scalar);
        }
    });
    Ok(())
}

/// Returns the first four values as numbers, with zeros for missing ones, and true for a single
/// value. Integer colors are fractions of the largest integer (OpenGL 4.6 compatibility profile,
/// section 12.2.1.3).
fn numbers(parameter: P, values: &LightValues) -> ([f32; 4], bool) {
    let color = matches!(parameter, P::Ambient | P::Diffuse | P::Specular);
    let (numbers, count): (Vec<f32>, usize) = match values {
        LightValues::Float(list) => (list.clone(), list.len()),
        LightValues::Int(list) => {
            let fraction = |v: i32| ((2.0 * f64::from(v) + 1.0) / f64::from(u32::MAX)) as f32;
            (list.iter().map(|&v| if color { fraction(v) } else { v as f32 }).collect(), list.len())
        }
    };
    (std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0)), count == 1)
}

/// Sets a parameter. Values out of range, and single values for vector parameters, are GL errors
/// without effect; scripts do not query them.
fn change(light: &mut Light, parameter: P, values: [f32; 4], scalar: bool) {
    let first = values[0];
    match parameter {
        P::SpotExponent if (0.0..=128.0).contains(&first) => light.spot_exponent = first,
        P::SpotCutoff if (0.0..=90.0).contains(&first) || first == 180.0 => {
            light.spot_cutoff = first
        }
        P::ConstantAttenuation if first >= 0.0 => light.attenuation[0] = first,
        P::LinearAttenuation if first >= 0.0 => light.attenuation[1] = first,
        P::QuadraticAttenuation if first >= 0.0 => light.attenuation[2] = first,
        _ if scalar => {}
        P::Ambient => light.ambient = values,
        P::Diffuse => light.diffuse = values,
        P::Specular => light.specular = values,
        P::Position => light.position = values,
        P::SpotDirection => light.spot_direction = [values[0], values[1], values[2]],
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_fractions_for_colors_only() {
        let values = LightValues::Int(vec![i32::MAX, i32::MIN, 0]);
        assert_eq!(numbers(P::Diffuse, &values), ([1.0, -1.0, 1.0 / u32::MAX as f32, 0.0], false));
        assert_eq!(
            numbers(P::SpotCutoff, &LightValues::Int(vec![45])),
            ([45.0, 0.0, 0.0, 0.0], true)
        );
    }

    #[test]
    fn values_out_of_range_change_nothing() {
        let state = gl_machine::machine::state::State::new(1, 1);
        let mut light = state.lights[0];
        change(&mut light, P::SpotCutoff, [91.0, 0.0, 0.0, 0.0], true);
        change(&mut light, P::LinearAttenuation, [-1.0, 0.0, 0.0, 0.0], true);
        change(&mut light, P::Ambient, [0.5; 4], true);
        assert_eq!(light, state.lights[0]);
        change(&mut light, P::SpotCutoff, [90.0, 0.0, 0.0, 0.0], true);
        assert_eq!(light.spot_cutoff, 90.0);
    }
}
