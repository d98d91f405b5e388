//! Bit patterns: `packHalf2x16` and `unpackHalf2x16`, which all generations offer, and the
//! functions of the 16-bit extensions.

use crate::accept::Accept;
use crate::format::Format;
use crate::half::Half;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{halves, vectors};
use crate::value::wrapped;
use crate::value::{Component, Scalar, Type};

const GROUP: &str = "packing";

const PACKING: &str = "GL_ARB_shading_language_packing";
const INT16: &str = "GL_AMD_gpu_shader_int16";
const HALF_FLOAT: &str = "GL_AMD_gpu_shader_half_float";

const fn vector(scalar: Scalar, rows: usize) -> Type {
    Type::vector(scalar, rows)
}

const UINT: Type = vector(Scalar::Uint, 1);

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = vec![
        pack_half(),
        pack_half_swapped(),
        unpack_half(),
        unpack_half_low(),
        unpack_half_high(),
        half_round_trip(),
        unpack_half_sum(),
        pack_float(),
        unpack_float(),
        pack_half_agrees(),
    ];
    list.extend([2, 4].map(pack_half_pairs));
    list.extend([2, 4].map(unpack_half_pairs));
    for scalar in [Scalar::Int16, Scalar::Uint16] {
        list.extend(pack_integers(scalar));
        list.extend(vectors(scalar).map(to_float_bits));
        list.extend(vectors(scalar).map(from_float_bits));
    }
    list.push(sign_bit());
    list
}

/// The bits of the half nearest to a float. A float subnormal is far below the smallest half.
fn half_bits(x: Component) -> u32 {
    Half::from_double(x.float().into()).word().into()
}

/// The bits of a NaN are unspecified, so no single word can be expected.
fn defined(x: &[Component]) -> bool {
    x.iter().all(|x| !x.float().is_nan())
}

fn uint(bits: u32) -> Accept {
    Accept::exactly(Component::Uint(bits))
}

fn packed(low: Component, high: Component) -> Accept {
    uint(half_bits(low) | half_bits(high) << 16)
}

fn pack_half() -> Signature {
    let ty = vector(Scalar::Float, 2);
    Signature::whole(GROUP, "packHalf2x16", &[(ty, Pool::ToHalf)], UINT, "packHalf2x16(a)", |x| {
        defined(&x[0]).then(|| vec![packed(x[0][0], x[0][1])])
    })
    .require(PACKING)
}

fn pack_half_swapped() -> Signature {
    let ty = vector(Scalar::Float, 4);
    let expression = "uvec2(packHalf2x16(a.wx), packHalf2x16(-a.zy))";
    let result = vector(Scalar::Uint, 2);
    Signature::whole(
        GROUP,
        "packHalf2x16_swizzle",
        &[(ty, Pool::ToHalf)],
        result,
        expression,
        |x| {
            let negated = |x: Component| Component::Float(-x.float());
            defined(&x[0])
                .then(|| vec![packed(x[0][3], x[0][0]), packed(negated(x[0][2]), negated(x[0][1]))])
        },
    )
    .require(PACKING)
}

/// n words from the components of vectors of low and high halves.
fn pack_half_pairs(n: usize) -> Signature {
    let ty = vector(Scalar::Float, n);
    let parts: Vec<String> =
        "xyzw".chars().take(n).map(|c| format!("packHalf2x16(vec2(a.{c}, b.{c}))")).collect();
    let expression = format!("uvec{n}({})", parts.join(", "));
    let arguments = [(ty, Pool::ToHalf), (ty, Pool::ToHalf)];
    Signature::elementwise(
        GROUP,
        "packHalf2x16",
        &arguments,
        vector(Scalar::Uint, n),
        expression,
        |x| defined(x).then(|| packed(x[0], x[1])),
    )
    .require(PACKING)
}

fn halves_of(x: Component) -> [Half; 2] {
    let bits = x.integer();
    [Half::new(bits as u16), Half::new((bits >> 16) as u16)]
}

/// A half as the float of the same value, subnormal halves too.
fn float(x: Half) -> Accept {
    Accept::exactly(Component::Float(f32::representable(x.value())))
}

fn unpack_half() -> Signature {
    let result = vector(Scalar::Float, 2);
    Signature::whole(
        GROUP,
        "unpackHalf2x16",
        &[(UINT, Pool::Halves)],
        result,
        "unpackHalf2x16(a)",
        |x| Some(halves_of(x[0][0]).map(float).to_vec()),
    )
    .require(PACKING)
}

fn unpack_half_low() -> Signature {
    let result = vector(Scalar::Float, 1);
    Signature::elementwise(
        GROUP,
        "unpackHalf2x16_low",
        &[(UINT, Pool::Halves)],
        result,
        "unpackHalf2x16(a).x",
        |x| Some(float(halves_of(x[0])[0])),
    )
    .require(PACKING)
}

fn unpack_half_high() -> Signature {
    let ty = vector(Scalar::Uint, 3);
    let expression = "vec3(unpackHalf2x16(a.x).y, unpackHalf2x16(a.y).y, unpackHalf2x16(a.z).y)";
    let result = vector(Scalar::Float, 3);
    Signature::elementwise(
        GROUP,
        "unpackHalf2x16_high",
        &[(ty, Pool::Halves)],
        result,
        expression,
        |x| Some(float(halves_of(x[0])[1])),
    )
    .require(PACKING)
}

/// The low halves in one vector, the high ones in another.
fn unpack_half_pairs(n: usize) -> Signature {
    let ty = vector(Scalar::Uint, n);
    let parts: Vec<String> =
        "xyzw".chars().take(n).map(|c| format!("unpackHalf2x16(a.{c})")).collect();
    let statements: Vec<String> =
        parts.iter().enumerate().map(|(i, part)| format!("vec2 p{i} = {part};")).collect();
    let pick = |c: char| (0..n).map(|i| format!("p{i}.{c}")).collect::<Vec<_>>().join(", ");
    let arguments = [(ty, Pool::Halves), (vector(Scalar::Bool, 1), Pool::Plain)];
    let expression = format!("b ? vec{n}({}) : vec{n}({})", pick('x'), pick('y'));
    Signature::elementwise(
        GROUP,
        "unpackHalf2x16",
        &arguments,
        vector(Scalar::Float, n),
        expression,
        |x| {
            let [low, high] = halves_of(x[0]);
            Some(float(if x[1].boolean() { low } else { high }))
        },
    )
    .statements(statements.join("\n"))
    .require(PACKING)
}

/// An unpacked value packs to the same bits, unless it is NaN.
fn half_round_trip() -> Signature {
    let ty = vector(Scalar::Uint, 2);
    let expression =
        "uvec2(packHalf2x16(unpackHalf2x16(a.x)), packHalf2x16(unpackHalf2x16(a.y).yx))";
    Signature::whole(
        GROUP,
        "packHalf2x16_of_unpacked",
        &[(ty, Pool::Halves)],
        ty,
        expression,
        |x| {
            let words = [halves_of(x[0][0]), halves_of(x[0][1])];
            let word =
                |low: Half, high: Half| uint(u32::from(low.word()) | u32::from(high.word()) << 16);
            let defined = words.iter().flatten().all(|h| !h.is_nan());
            defined.then(|| vec![word(words[0][0], words[0][1]), word(words[1][1], words[1][0])])
        },
    )
    .require(PACKING)
}

/// Arithmetic on unpacked values: differences of halves that are exact as floats.
fn unpack_half_sum() -> Signature {
    let result = vector(Scalar::Float, 1);
    let expression = "unpackHalf2x16(a).x - unpackHalf2x16(a).y";
    Signature::elementwise(
        GROUP,
        "unpackHalf2x16_difference",
        &[(UINT, Pool::Halves)],
        result,
        expression,
        |x| {
            let [low, high] = halves_of(x[0]).map(Half::value);
            let difference = low - high;
            let exact = f64::from(difference as f32) == difference && difference != 0.0;
            exact.then(|| Accept::exactly(Component::Float(difference as f32)))
        },
    )
    .require(PACKING)
}

fn pack_float() -> Signature {
    Signature::whole(
        GROUP,
        "packFloat2x16",
        &[(halves(2), Pool::Any)],
        UINT,
        "packFloat2x16(a)",
        |x| {
            let [low, high] = [x[0][0].half(), x[0][1].half()];
            let word = u32::from(low.word()) | u32::from(high.word()) << 16;
            (!low.is_nan() && !high.is_nan()).then(|| vec![uint(word)])
        },
    )
}

fn unpack_float() -> Signature {
    let result = halves(2);
    Signature::whole(
        GROUP,
        "unpackFloat2x16",
        &[(UINT, Pool::Halves)],
        result,
        "unpackFloat2x16(a)",
        |x| Some(halves_of(x[0][0]).map(Accept::of).to_vec()),
    )
}

/// `packHalf2x16` of floats and `packFloat2x16` of the halves that a conversion makes of them are
/// the same bits.
fn pack_half_agrees() -> Signature {
    let ty = vector(Scalar::Float, 2);
    let expression = "packHalf2x16(a) == packFloat2x16(f16vec2(a))";
    let bool_type = vector(Scalar::Bool, 1);
    Signature::whole(
        GROUP,
        "packHalf2x16_agrees",
        &[(ty, Pool::ToHalf)],
        bool_type,
        expression,
        |x| defined(&x[0]).then(|| vec![Accept::exactly(Component::Bool(true))]),
    )
    .require(PACKING)
    .require(HALF_FLOAT)
}

/// `packInt2x16` and its relatives.
fn pack_integers(scalar: Scalar) -> Vec<Signature> {
    let (name, words) = match scalar {
        Scalar::Int16 => ("Int", [Scalar::Int, Scalar::Int64]),
        _ => ("Uint", [Scalar::Uint, Scalar::Uint64]),
    };
    let mut list = Vec::new();
    for (word, n) in words.into_iter().zip([2, 4]) {
        let (ty, word_type) = (vector(scalar, n), vector(word, 1));
        let function = format!("pack{name}{n}x16");
        list.push(Signature::whole(
            GROUP,
            &function,
            &[(ty, Pool::Any)],
            word_type,
            format!("{function}(a)"),
            move |x| {
                let halves = x[0].iter().enumerate();
                let bits =
                    halves.fold(0, |word, (i, x)| word | u64::from(x.integer() as u16) << (16 * i));
                Some(vec![Accept::exactly(wrapped(word, bits))])
            },
        ));
        let function = format!("unpack{name}{n}x16");
        list.push(Signature::whole(
            GROUP,
            &function,
            &[(word_type, Pool::Narrow)],
            ty,
            format!("{function}(a)"),
            move |x| {
                let bits = match x[0][0] {
                    Component::Uint64(n) => n,
                    other => other.integer() as u64,
                };
                Some((0..n).map(|i| Accept::exactly(wrapped(scalar, bits >> (16 * i)))).collect())
            },
        ));
    }
    list
}

/// `float16BitsToInt16`, `float16BitsToUint16`.
fn to_float_bits(ty: Type) -> Signature {
    let scalar = ty.scalar;
    let function =
        if scalar == Scalar::Int16 { "float16BitsToInt16" } else { "float16BitsToUint16" };
    let arguments = [(ty.with_scalar(Scalar::Half), Pool::Any)];
    Signature::elementwise(GROUP, function, &arguments, ty, format!("{function}(a)"), move |x| {
        let half = x[0].half();
        (!half.is_nan()).then(|| Accept::exactly(wrapped(scalar, half.word().into())))
    })
}

/// `int16BitsToFloat16`, `uint16BitsToFloat16`.
fn from_float_bits(ty: Type) -> Signature {
    let function =
        if ty.scalar == Scalar::Int16 { "int16BitsToFloat16" } else { "uint16BitsToFloat16" };
    let result = ty.with_scalar(Scalar::Half);
    Signature::elementwise(
        GROUP,
        function,
        &[(ty, Pool::Halves)],
        result,
        format!("{function}(a)"),
        |x| {
            let half = Half::new(x[0].integer() as u16);
            // Conversions of NaN are unspecified.
            (!half.is_nan()).then(|| Accept::of(half))
        },
    )
}

/// Integer arithmetic on the bits of a half between two operations on halves.
fn sign_bit() -> Signature {
    let ty = halves(3);
    let expression = "uint16BitsToFloat16(float16BitsToUint16(a + a) ^ uint16_t(0x8000u))";
    Signature::elementwise(GROUP, "flip_sign", &[(ty, Pool::Any)], ty, expression, |x| {
        let sum = ieee::add(x[0].half(), x[0].half());
        (!sum.is_nan()).then(|| Accept::of(sum.negated()))
    })
    .require(INT16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: 1.0 is 0x3c00, −2.0 is 0xc000, 65504 is 0x7bff.
    #[test]
    fn known_words() {
        let accept = pack_half().accept(&[vec![Component::Float(1.0), Component::Float(-2.0)]]);
        assert_eq!(accept, Some(vec![uint(0xc000_3c00)]));
        let accept = unpack_half().accept(&[vec![Component::Uint(0x0001_7bff)]]);
        assert_eq!(
            accept,
            Some(
                [65504.0f32, 5.960_464_5e-8].map(|x| Accept::exactly(Component::Float(x))).to_vec()
            )
        );
    }
}
