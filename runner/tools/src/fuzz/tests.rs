//! Tests of the generator alone; `runner/tests/it/fuzz.rs` executes its programs.

use super::*;

/// Every part of a test is reproducible; neighbors differ.
#[test]
fn tests_follow_from_seed_number_and_kind() {
    for kind in Kind::ALL {
        let texts: Vec<String> = (0..20).map(|number| generate(7, number, kind)).collect();
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(*text, generate(7, number as u64, kind));
            assert!(texts.iter().filter(|other| *other == text).count() == 1, "{number}");
        }
        assert_ne!(texts[0], generate(8, 0, kind));
    }
}

/// Together, the programs contain every announced construct.
#[test]
fn the_vocabulary_is_used() {
    let mut all = String::new();
    for kind in Kind::ALL {
        (0..120).for_each(|number| all += &generate(1, number, kind));
    }
    for word in [
        "dmat",
        "dvec",
        "uvec",
        "bvec",
        "struct S1",
        "for (int",
        "while (",
        "do {",
        "switch (",
        "continue;",
        "break;",
        "discard;",
        "return;",
        "inout ",
        "out ",
        "const in ",
        "shared ",
        "barrier();",
        "atomicMin(results",
        "readonly buffer",
        "std140",
        "row_major",
        "fma(",
        "frexp(",
        "modf(",
        "umulExtended(",
        "uaddCarry(",
        "bitfieldInsert(",
        "cross(",
        "outerProduct(",
        "transpose(",
        "sqrt(",
        "inversesqrt(",
        "pow(",
        "packHalf2x16(",
        "unpackDouble2x32(",
        "patch out",
        "EmitVertex();",
        "invocations = 3",
        "noperspective out",
        "dFdx(",
        "ldexp(",
        "mix(",
        "wrap(",
        "quotient(",
        "++",
    ] {
        assert!(all.contains(word), "no `{word}` in {} bytes", all.len());
    }
}

/// Nothing is drawn where implementations may choose: which pixel a point at an edge covers, and
/// where fractional spacing puts vertices.
#[test]
fn drawing_leaves_nothing_to_implementations() {
    // Fractions of pixels of the points' positions.
    for (x, y) in &super::script::POSITIONS[4..] {
        for coordinate in [x, y] {
            let pixels: f64 = (coordinate.parse::<f64>().unwrap() + 1.0) * 8.0;
            assert!(![0.0, 0.5].contains(&pixels.fract()), "{coordinate}");
        }
    }
    for kind in Kind::ALL {
        for number in 0..60 {
            let text = generate(3, number, kind);
            assert!(!text.contains("fractional_"), "{} {number}", kind.name());
            assert!(!text.contains("GL_POINTS 0") || kind == Kind::Geometry, "{number}");
        }
    }
}

/// Digits of sums and products.
#[test]
fn digits_are_counted() {
    use super::real::Bits;
    use program::types::Scalar;
    for scalar in [Scalar::Float, Scalar::Double] {
        let stored = Bits::stored(scalar);
        let product = stored.times(stored);
        assert!(product.sum(2).fit(scalar), "a scalar product of four components is exact");
        assert!(!product.times(product).fit(scalar));
        assert!(stored.within(stored) && !product.within(stored));
        assert_eq!(stored.or(product), product);
    }
}
