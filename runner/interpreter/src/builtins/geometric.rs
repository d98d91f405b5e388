//! Geometric functions (GLSL 4.60 section 8.5): on all components of a lane together.

use program::Scalar;
use program::builtin_function::{GeometricFunction, NoiseFunction};

use super::arguments::Arguments;
use crate::environment::Error;
use crate::lanes::Value;
use crate::scalar;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Calls a geometric function.
pub(super) fn geometric(
    f: GeometricFunction,
    args: &Arguments,
    result: Option<Scalar>,
    components: usize,
) -> Result<Value, Error> {
    use GeometricFunction as F;
    let ty =
        result.ok_or(Error::Malformed("geometric function with a result that is not a number"))?;
    let function: fn(&[Vec<f64>], &mut [f64]) = match f {
        F::Length => |v, out| out[0] = length(&v[0]),
        F::Distance => |v, out| {
            let difference: Vec<f64> = v[0].iter().zip(&v[1]).map(|(a, b)| a - b).collect();
            out[0] = length(&difference);
        },
        F::Dot => |v, out| out[0] = dot(&v[0], &v[1]),
        F::Cross => |v, out| {
            let (a, b) = (&v[0], &v[1]);
            for (i, o) in out.iter_mut().enumerate() {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                *o = a[j] * b[k] - a[k] * b[j];
            }
        },
        F::Normalize => |v, out| {
            let scale = length(&v[0]);
            out.iter_mut().zip(&v[0]).for_each(|(o, x)| *o = x / scale);
        },
        F::Faceforward => |v, out| {
            let keep = dot(&v[2], &v[1]) < 0.0;
            out.iter_mut().zip(&v[0]).for_each(|(o, &n)| *o = if keep { n } else { -n });
        },
        F::Reflect => |v, out| {
            let d = 2.0 * dot(&v[1], &v[0]);
            out.iter_mut().zip(v[0].iter().zip(&v[1])).for_each(|(o, (i, n))| *o = i - d * n);
        },
        F::Refract => refract,
        // The front end replaces it by an expression where it is defined.
        F::Ftransform => return Err(Error::Unsupported("ftransform")),
    };
    let scalars: Result<Vec<Scalar>, Error> =
        (0..args.values.len()).map(|i| args.scalar(i)).collect();
    let scalars = scalars?;
    Ok(Value::reduce(&args.all(), components, |operands, out| {
        let real =
            |(v, &ty): (&&[u64], &Scalar)| v.iter().map(|&x| scalar::to_f64(ty, x)).collect();
        let operands: Vec<Vec<f64>> = operands.iter().zip(&scalars).map(real).collect();
        let mut result = vec![0.0; out.len()];
        function(&operands, &mut result);
        out.iter_mut().zip(result).for_each(|(o, x)| *o = scalar::from_f64(ty, x));
    }))
}

/// Calls a noise function: zero is a valid noise.
pub(super) fn noise(f: NoiseFunction, x: &Value) -> Result<Value, Error> {
    use NoiseFunction as F;
    let components = match f {
        F::Noise1 => 1,
        F::Noise2 => 2,
        F::Noise3 => 3,
        F::Noise4 => 4,
    };
    Ok(Value::reduce(&[x], components, |_, out| out.fill(0)))
}

fn length(v: &[f64]) -> f64 {
    // The length of a scalar is its magnitude, computed without its square.
    if let [x] = v { x.abs() } else { libm::sqrt(dot(v, v)) }
}

fn refract(v: &[Vec<f64>], out: &mut [f64]) {
    let (i, n, eta) = (&v[0], &v[1], v[2][0]);
    let d = dot(n, i);
    let k = 1.0 - eta * eta * (1.0 - d * d);
    if k < 0.0 {
        return out.fill(0.0);
    }
    let scale = eta * d + libm::sqrt(k);
    out.iter_mut().zip(i.iter().zip(n)).for_each(|(o, (i, n))| *o = eta * i - scale * n);
}
