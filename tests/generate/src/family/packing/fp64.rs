//! `packDouble2x32` and `unpackDouble2x32`, alone and around vectors.

use crate::accept::Accept;
use crate::format::Format;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Component, DOUBLE, Scalar, Type, dvec};

const GROUP: &str = "packing";

const fn uvec(n: usize) -> Type {
    Type::vector(Scalar::Uint, n)
}

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = vec![
        pack(),
        pack_words(),
        unpack(),
        unpack_vector(),
        high_word(),
        low_word(),
        swapped(),
        rebuilt(),
        sign_bit(),
    ];
    list.extend([2, 4].map(pack_pairs));
    list.extend([1, 2, 3, 4].map(round_trip));
    list
}

/// The double with these halves. Infinities and NaN are unspecified as results.
fn joined(low: Component, high: Component) -> Option<Accept> {
    let bits = (high.integer() as u64) << 32 | low.integer() as u64;
    let value = f64::from_bits(bits);
    value.is_finite().then(|| Accept::of(value))
}

fn words(x: f64) -> [Accept; 2] {
    [x.to_bits() as u32, (x.to_bits() >> 32) as u32]
        .map(|word| Accept::exactly(Component::Uint(word)))
}

fn pack() -> Signature {
    Signature::whole(GROUP, "pack", &[(uvec(2), Pool::Plain)], DOUBLE, "packDouble2x32(a)", |x| {
        Some(vec![joined(x[0][0], x[0][1])?])
    })
}

fn pack_words() -> Signature {
    let arguments = [(uvec(1), Pool::Plain), (uvec(1), Pool::Plain)];
    Signature::whole(GROUP, "pack", &arguments, DOUBLE, "packDouble2x32(uvec2(a, b))", |x| {
        Some(vec![joined(x[0][0], x[1][0])?])
    })
}

/// n doubles from the components of vectors of low and high halves.
fn pack_pairs(n: usize) -> Signature {
    let arguments = [(uvec(n), Pool::Plain), (uvec(n), Pool::Plain)];
    let parts: Vec<String> =
        "xyzw".chars().take(n).map(|c| format!("packDouble2x32(uvec2(a.{c}, b.{c}))")).collect();
    let expression = format!("dvec{n}({})", parts.join(", "));
    Signature::elementwise(GROUP, "pack", &arguments, dvec(n), expression, |x| joined(x[0], x[1]))
}

fn unpack() -> Signature {
    Signature::whole(GROUP, "unpack", &[(DOUBLE, Pool::Any)], uvec(2), "unpackDouble2x32(a)", |x| {
        // The bits of a uniform's NaN are unspecified.
        let value = x[0][0].double();
        (!value.is_nan()).then(|| words(value).to_vec())
    })
}

fn unpack_vector() -> Signature {
    let expression = "uvec4(unpackDouble2x32(a.x), unpackDouble2x32(a.y))";
    Signature::whole(GROUP, "unpack", &[(dvec(2), Pool::Any)], uvec(4), expression, |x| {
        let values = [x[0][0].double(), x[0][1].double()];
        values.iter().all(|x| !x.is_nan()).then(|| values.map(words).concat())
    })
}

fn high_word() -> Signature {
    Signature::whole(
        GROUP,
        "unpack_high",
        &[(DOUBLE, Pool::Any)],
        uvec(1),
        "unpackDouble2x32(a).y",
        |x| {
            let value = x[0][0].double();
            (!value.is_nan()).then(|| vec![words(value)[1]])
        },
    )
}

fn low_word() -> Signature {
    Signature::whole(
        GROUP,
        "unpack_low",
        &[(DOUBLE, Pool::Any)],
        uvec(1),
        "unpackDouble2x32(a).x",
        |x| {
            let value = x[0][0].double();
            (!value.is_nan()).then(|| vec![words(value)[0]])
        },
    )
}

/// The halves exchanged.
fn swapped() -> Signature {
    let expression = "packDouble2x32(unpackDouble2x32(a).yx)";
    Signature::whole(GROUP, "swap_words", &[(DOUBLE, Pool::Any)], DOUBLE, expression, |x| {
        let bits = x[0][0].double().to_bits().rotate_left(32);
        (!x[0][0].double().is_nan() && f64::from_bits(bits).is_finite())
            .then(|| vec![Accept::of(f64::from_bits(bits))])
    })
}

/// The high half of one double with the low half of another.
fn rebuilt() -> Signature {
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Any)];
    let expression = "packDouble2x32(uvec2(unpackDouble2x32(a).x, unpackDouble2x32(b).y))";
    Signature::whole(GROUP, "mix_words", &arguments, DOUBLE, expression, |x| {
        let (a, b) = (x[0][0].double(), x[1][0].double());
        let value = f64::from_bits((a.to_bits() & 0xffff_ffff) | (b.to_bits() >> 32 << 32));
        (!a.is_nan() && value.is_finite()).then(|| vec![Accept::of(value)])
    })
}

/// Integer arithmetic on the high half: the sign bit flipped.
fn sign_bit() -> Signature {
    let expression = "packDouble2x32(unpackDouble2x32(a) ^ uvec2(0u, 0x80000000u))";
    Signature::whole(GROUP, "flip_sign", &[(DOUBLE, Pool::Any)], DOUBLE, expression, |x| {
        let value = x[0][0].double();
        value.is_finite().then(|| vec![Accept::of(value.negated())])
    })
}

/// Each component unpacked and packed again, its halves through an integer operation that a
/// compiler has to keep.
fn round_trip(n: usize) -> Signature {
    let mask = ("0u - b", uvec(1));
    let part = |c: String| format!("packDouble2x32(unpackDouble2x32({c}) ^ uvec2({}))", mask.0);
    let parts: Vec<String> = match n {
        1 => vec![part("a".to_string())],
        _ => "xyzw".chars().take(n).map(|c| part(format!("a.{c}"))).collect(),
    };
    let ty = dvec(n).glsl();
    let arguments = [(dvec(n), Pool::Any), (mask.1, Pool::Below(2))];
    Signature::elementwise(
        GROUP,
        "invert_words",
        &arguments,
        dvec(n),
        format!("{ty}({})", parts.join(", ")),
        |x| {
            let flip = if x[1].integer() == 0 { 0 } else { u64::MAX };
            let (before, after) = (x[0].double(), f64::from_bits(x[0].double().to_bits() ^ flip));
            (!before.is_nan() && after.is_finite()).then(|| Accept::of(after))
        },
    )
}
