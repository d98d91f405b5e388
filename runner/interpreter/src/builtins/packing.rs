//! Packing functions (GLSL 4.60 section 8.4).

use program::Scalar;
use program::builtin_function::{PackingFunction, RepackingFunction};

use super::arguments::Arguments;
use crate::environment::Error;
use crate::lanes::Value;
use crate::{half, scalar};

/// Calls a packing function that converts.
pub(super) fn packing(
    f: PackingFunction,
    args: &Arguments,
    components: usize,
) -> Result<Value, Error> {
    use PackingFunction as F;
    match f {
        F::PackUnorm2x16 => pack(args, 16, |x| to_normalized(x.clamp(0.0, 1.0), 65535.0)),
        F::PackSnorm2x16 => pack(args, 16, |x| to_normalized(x.clamp(-1.0, 1.0), 32767.0)),
        F::PackUnorm4x8 => pack(args, 8, |x| to_normalized(x.clamp(0.0, 1.0), 255.0)),
        F::PackSnorm4x8 => pack(args, 8, |x| to_normalized(x.clamp(-1.0, 1.0), 127.0)),
        F::PackHalf2x16 => pack(args, 16, |x| u64::from(half::from_f64(x))),
        F::UnpackUnorm2x16 => unpack(args, 16, components, |x| x as f64 / 65535.0),
        F::UnpackSnorm2x16 => {
            unpack(args, 16, components, |x| (f64::from(x as i16) / 32767.0).clamp(-1.0, 1.0))
        }
        F::UnpackUnorm4x8 => unpack(args, 8, components, |x| x as f64 / 255.0),
        F::UnpackSnorm4x8 => {
            unpack(args, 8, components, |x| (f64::from(x as i8) / 127.0).clamp(-1.0, 1.0))
        }
        F::UnpackHalf2x16 => unpack(args, 16, components, |x| half::to_f64(x as u16)),
    }
}

/// Calls a packing function that keeps the bits.
pub(super) fn repacking(
    f: RepackingFunction,
    args: &Arguments,
    result: Option<Scalar>,
    components: usize,
) -> Result<Value, Error> {
    use RepackingFunction as F;
    match f {
        F::PackDouble2x32 | F::PackInt2x32 | F::PackUint2x32 => join(args, 32, result),
        F::UnpackDouble2x32 | F::UnpackInt2x32 | F::UnpackUint2x32 => {
            split(args, 32, components, result)
        }
        F::PackFloat2x16 | F::PackInt2x16 | F::PackUint2x16 | F::PackInt4x16 | F::PackUint4x16 => {
            join(args, 16, result)
        }
        F::UnpackFloat2x16
        | F::UnpackInt2x16
        | F::UnpackUint2x16
        | F::UnpackInt4x16
        | F::UnpackUint4x16 => split(args, 16, components, result),
    }
}

/// Returns `round(x * scale)` of the specification: the product is a `float`.
fn to_normalized(x: f64, scale: f64) -> u64 {
    libm::rint(f64::from(x as f32 * scale as f32)) as i64 as u64
}

/// Packs float components of `width` bits into one `uint`, the first in the low bits.
fn pack(args: &Arguments, width: u32, f: impl Fn(f64) -> u64) -> Result<Value, Error> {
    let ty = args.scalar(0)?;
    let mask = (1u64 << width) - 1;
    Ok(Value::reduce(&[args.value(0)?], 1, |v, out| {
        let piece =
            |(i, &x): (usize, &u64)| (f(scalar::to_f64(ty, x)) & mask) << (i as u32 * width);
        out[0] = v[0].iter().enumerate().map(piece).fold(0, |a, b| a | b);
    }))
}

fn unpack(
    args: &Arguments,
    width: u32,
    components: usize,
    f: impl Fn(u64) -> f64,
) -> Result<Value, Error> {
    let mask = (1u64 << width) - 1;
    Ok(Value::reduce(&[args.value(0)?], components, |v, out| {
        for (i, o) in out.iter_mut().enumerate() {
            *o = u64::from((f(v[0][0] >> (i as u32 * width) & mask) as f32).to_bits());
        }
    }))
}

/// Concatenates components' bits, the first in the low bits.
fn join(args: &Arguments, width: u32, result: Option<Scalar>) -> Result<Value, Error> {
    let to = result.ok_or(Error::Malformed("result of packing is not numeric"))?;
    let mask = (1u64 << width) - 1;
    Ok(Value::reduce(&[args.value(0)?], 1, |v, out| {
        let bits =
            v[0].iter().enumerate().fold(0, |a, (i, &x)| a | (x & mask) << (i as u32 * width));
        out[0] = scalar::wrap(to, bits);
    }))
}

fn split(
    args: &Arguments,
    width: u32,
    components: usize,
    result: Option<Scalar>,
) -> Result<Value, Error> {
    let to = result.ok_or(Error::Malformed("result of unpacking is not numeric"))?;
    let mask = (1u64 << width) - 1;
    Ok(Value::reduce(&[args.value(0)?], components, |v, out| {
        for (i, o) in out.iter_mut().enumerate() {
            *o = scalar::wrap(to, v[0][0] >> (i as u32 * width) & mask);
        }
    }))
}
