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
        "EmitStreamVertex(",
        "xfb_offset",
        "gl_ClipDistance[",
        "gl_CullDistance[",
        "interpolateAtOffset(",
        "interpolateAtSample(",
        "invocations = 3",
        "noperspective out",
        "dFdx(",
        "ldexp(",
        "mix(",
        "wrap(",
        "quotient(",
        "precise ",
        "sample in",
        "gl_SampleID",
        "texelFetch(",
        "textureGather(",
        "textureGrad(",
        "sampler2DShadow",
        "sampler1DArray",
        "imageLoad(",
        "imageStore(",
        "imageAtomicXor(",
        "atomicExchange(",
        "atomicCounterDecrement(",
        "atomicAdd(triples[",
        "subroutine uniform",
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

/// Without the constructs of known defects, and the same as before in every other way.
#[test]
fn constructs_of_known_defects_are_left_out() {
    for &defect in Defect::ALL {
        let (mut before, mut equal) = (0, 0);
        for number in 0..250 {
            for kind in Kind::ALL {
                let (plain, avoiding) =
                    (generate(5, number, kind), generate_without(5, number, kind, &[defect]));
                before += usize::from(has_construct(defect, &plain));
                assert!(!has_construct(defect, &avoiding), "{}: {avoiding}", defect.name());
                let body = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
                equal += usize::from(body(&plain) == body(&avoiding));
            }
        }
        assert!(before > 2, "{before} programs have the construct of {}", defect.name());
        assert!(equal > 10, "{equal} programs do not change without {}", defect.name());
    }
}

/// Returns true if a call of `unpackHalf2x16` is followed by `.y`.
fn takes_upper_half(text: &str) -> bool {
    text.split("unpackHalf2x16(").skip(1).any(|rest| {
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        end.is_some_and(|end| rest[end..].starts_with(").y"))
    })
}

/// Returns true if a program has the construct in its plainest form.
fn has_construct(defect: Defect, text: &str) -> bool {
    let found = |pattern: &str| regex::Regex::new(pattern).unwrap().is_match(text);
    match defect {
        Defect::UniformStructDouble => uniform_structs_have_doubles(text),
        Defect::MatrixFromMatrix => found(r"\bd?mat[234x]+\(d?mat[234x]+\("),
        Defect::NestedSwitchContinue => nested_switch_continues(text),
        Defect::MatrixFromScalar => found(r"\bd?mat4x2\([-0-9.LF]+\)"),
        Defect::OutArgumentIndex => stages(text).any(computed_index_of_output),
        Defect::SharedLoadBarrier => {
            text.matches("barrier();").count() > text.matches("memoryBarrierShared(); ").count()
                && text.contains("[compute shader]")
        }
        Defect::BlockSwizzleIndex => found(r"\bb[0-9]m[0-9]+\.[xyzw][xyzw]"),
        Defect::LdexpDoubleZero => found(r"ldexp\([^(),]*LF, "),
        Defect::DivisionByMinusOne => found(r": a / b; \}\n") && text.contains("b == -1 ? a"),
        Defect::MulExtendedAllOnes => text
            .lines()
            .any(|line| line.contains("mulExtended(") && !line.contains("(0x7fffffff), ")),
        Defect::NegativeFactor => found(r"\*=? \(-[1-9][0-9]*\)[);]"),
        Defect::ControlVertices => found(r"layout\(vertices = [3-9]\) out"),
        Defect::ControlDuplicate => text.contains("neighbor[gl_InvocationID] = hash[0];"),
        Defect::SignOfDouble => found(r"\bsign\((?:double|dvec[234])\("),
        Defect::ComparedDifference => found(r"\([a-z]+ (?:[<>]=?) [0-9]+u?\)"),
        Defect::MulExtendedVector => {
            found(r"mulExtended\(.*\.[xyzw]{2,4}(?:, [a-z][a-z0-9.]*)?\);")
        }
        Defect::MulExtendedConstant => found(r"\b[iu]mulExtended\("),
        Defect::MultiplyConstants => found(r"\bmultiply32x16\("),
        Defect::CapturedPosition => text.contains("layout(xfb_buffer = 0) out gl_PerVertex"),
        Defect::SecondStageUniform => {
            ["texture0;", "texture1;"].iter().any(|name| text.matches(name).count() > 1)
        }
        Defect::FindMsbOfFloat => found(r"\bfindMSB\(i(?:nt|vec[234])\("),
        Defect::Int64Clamp => found(r"\bclamp\(u?(?:int64_t|[iu]?64vec[234])\("),
        Defect::UnpackUpperHalf => takes_upper_half(text),
        Defect::IndexComponent => {
            found(r"(?m)^in [a-z0-9]+ w[0-9]+\[\]\[") && text.contains("[tessellation control")
        }
        Defect::DoubleFloorSum => found(r"floor\(inversesqrt\(double\(1 << "),
        Defect::BooleanArray => stages(text).any(computed_index_of_booleans),
        Defect::SignOfUnsigned => found(r"[/%] 0x80000001u\)|[/%] 0xffffffffu\)"),
        Defect::ComputedVectorStore => {
            found(r"(?m)^ *[a-z][a-z0-9]*\[[a-z][^\]]*\]\.[xyzw]+ [-+*^|&]?= ")
        }
    }
}

/// Returns the texts of the stages, in which names are unique.
fn stages(text: &str) -> impl Iterator<Item = &str> {
    text.split("shader]\n")
}

/// Returns true if the first argument of a function is an output with a computed index.
fn computed_index_of_output(text: &str) -> bool {
    let found = |pattern: &str| regex::Regex::new(pattern).unwrap().is_match(text);
    let functions = regex::Regex::new(r"\b(f[0-9]+)\((?:in)?out ").unwrap();
    functions
        .captures_iter(text)
        .any(|function| found(&format!(r"\b{}\([a-z0-9]+\[[^\]0-9]", &function[1])))
}

/// Returns true if a constructor of an array of booleans, or a variable that is one, has an index
/// that is not a number.
fn computed_index_of_booleans(text: &str) -> bool {
    let found = |pattern: &str| regex::Regex::new(pattern).unwrap().is_match(text);
    let variables =
        regex::Regex::new(r"(?m)^ *(?:bool|bvec[234])\[[0-9]+\] ([a-z][0-9]+)").unwrap();
    found(r"\b(?:bool|bvec[234])\[[0-9]+\]\([^\[\]()]*\)\[[^0-9]")
        || variables
            .captures_iter(text)
            .any(|variable| found(&format!(r"[^\w.]{}\[[^0-9\]]", &variable[1])))
}

/// Returns true if a `continue` is in two `switch` statements of one loop.
fn nested_switch_continues(text: &str) -> bool {
    // The blocks around a line: loops (`true`) and `switch` statements (`false`) by indentation.
    let mut blocks: Vec<(usize, bool)> = Vec::new();
    text.lines().any(|line| {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim_start();
        let is_label = line.starts_with("case ") || line.starts_with("default:");
        blocks.retain(|(outer, _)| *outer < indent || (*outer == indent && is_label));
        if line.starts_with("switch") {
            blocks.push((indent, false));
        } else if ["for", "while", "do"].iter().any(|word| line.starts_with(word)) {
            blocks.push((indent, true));
        }
        let switches = blocks.iter().rev().take_while(|(_, is_loop)| !is_loop).count();
        line.ends_with("continue;") && switches > 1
    })
}

/// Returns true if a uniform of the default block is a structure, possibly in an array, whose
/// declaration names a double type.
fn uniform_structs_have_doubles(text: &str) -> bool {
    let double = |name: &str| {
        let body = text.split_once(&format!("struct {name} {{")).map(|(_, rest)| rest);
        let body = body.and_then(|rest| rest.split_once("};")).map_or("", |(body, _)| body);
        ["double", "dvec", "dmat"].iter().any(|word| body.contains(word))
    };
    let mut uniforms = text.lines().filter_map(|line| line.strip_prefix("uniform S"));
    uniforms.any(|rest| double(&format!("S{}", &rest[..1])))
}
