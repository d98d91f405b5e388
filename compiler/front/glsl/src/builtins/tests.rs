//! Every built-in function has a signature, and calls of constant ones are evaluated.

use crate::builtins::signatures::{SIGNATURES, WIDE_AND_HALF};
use crate::{CompileOptions, compile};
use program::{BuiltinFunction, Stage, TypeTable};
use std::collections::BTreeSet;

/// Extensions with the types of the letters in the table.
const TYPE_EXTENSIONS: [&str; 4] = [
    "ARB_gpu_shader_fp64",
    "AMD_gpu_shader_half_float",
    "AMD_gpu_shader_int16",
    "ARB_gpu_shader_int64",
];

/// A signature: its function, identifier, types of result and parameters, and the words of its `@`
/// line.
struct Signature {
    function: BuiltinFunction,
    name: String,
    result: String,
    parameters: Vec<String>,
    availability: &'static str,
}

/// Returns the signatures of a part of the table; `letter` replaces the placeholder.
fn read(text: &'static str, letter: &str, signatures: &mut Vec<Signature>) {
    let mut availability = "0 0";
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(words) = line.strip_prefix("@ ") {
            availability = words;
            continue;
        }
        let line = line.replace('%', letter);
        let (line, canonical) = line.split_once(" = ").unwrap_or((line.as_str(), ""));
        let (result, rest) = line.split_once(' ').expect("a result and a name");
        let (name, parameters) = rest.split_once('(').expect("parameters");
        let canonical = if canonical.is_empty() { name } else { canonical };
        let function = BuiltinFunction::from_name(canonical);
        let parameters = parameters.trim_end_matches(')').split(',').filter(|p| !p.is_empty());
        signatures.push(Signature {
            function: function.unwrap_or_else(|| panic!("{canonical} has no row")),
            name: name.to_owned(),
            result: result.to_owned(),
            parameters: parameters.map(str::to_owned).collect(),
            availability,
        });
    }
}

fn signatures() -> Vec<Signature> {
    let mut signatures = Vec::new();
    read(SIGNATURES, "F", &mut signatures);
    read(WIDE_AND_HALF, "D", &mut signatures);
    read(WIDE_AND_HALF, "H", &mut signatures);
    signatures
}

/// Returns a constant of a type of the table, with vectors of two components and matrices of two
/// columns where the size is open; and the part of such a value that is a scalar.
fn constant(ty: &str) -> (String, &'static str) {
    let kind = &ty[..ty.len().min(3)];
    let letter = ty.trim_start_matches(|c: char| c.is_ascii_lowercase()).chars().next();
    let (scalar, vector) = match letter {
        Some('F') => ("float", "vec"),
        Some('D') => ("double", "dvec"),
        Some('H') => ("float16_t", "f16vec"),
        Some('I') => ("int", "ivec"),
        Some('U') => ("uint", "uvec"),
        Some('B') => ("bool", "bvec"),
        Some('L') => ("int64_t", "i64vec"),
        Some('M') => ("uint64_t", "u64vec"),
        Some('S') => ("int16_t", "i16vec"),
        Some('T') => ("uint16_t", "u16vec"),
        _ => panic!("unknown type {ty}"),
    };
    let matrix = vector.replace("vec", "mat");
    match (kind, ty.len()) {
        ("mat", _) => (format!("{matrix}2(1)"), "[0][0]"),
        ("gen" | "vec" | "col" | "row", _) => (format!("{vector}2(1)"), "[0]"),
        (_, 1) => (format!("{scalar}(1)"), ""),
        (_, 2) => (format!("{vector}{}(1)", &ty[1..]), "[0]"),
        _ => (format!("{matrix}{}(1)", &ty[1..]), "[0][0]"),
    }
}

/// Compiles an array whose length needs the value of a call.
fn evaluate(signature: &Signature) -> Result<(), String> {
    let words = || signature.availability.split(' ');
    let stage = if words().any(|w| w == "cs") { Stage::Compute } else { Stage::Fragment };
    let extensions = words().filter(|word| word.contains('_')).chain(TYPE_EXTENSIONS);
    let mut source = "#version 460 compatibility\n".to_owned();
    extensions.for_each(|name| source += &format!("#extension GL_{name} : enable\n"));
    let arguments: Vec<String> = signature.parameters.iter().map(|ty| constant(ty).0).collect();
    let call = format!("{}({})", signature.name, arguments.join(", "));
    let scalar = constant(&signature.result).1;
    source += &format!("float a[int({call}{scalar}) * 0 + 1];\nvoid main() {{}}\n");
    let result =
        compile(&[source.as_str()], stage, CompileOptions::default(), &mut TypeTable::default());
    result.map(drop).map_err(|error| format!("{call}: {error}"))
}

/// Functions of SPIR-V alone.
const WITHOUT_SIGNATURE: [&str; 1] = ["subgroupQuadBroadcast"];

#[test]
fn every_other_function_has_a_signature() {
    let known: BTreeSet<BuiltinFunction> = signatures().iter().map(|s| s.function).collect();
    let missing: Vec<&str> = BuiltinFunction::ALL
        .iter()
        .filter(|function| !known.contains(function))
        .map(|function| function.name())
        .collect();
    assert_eq!(missing, WITHOUT_SIGNATURE);
}

#[test]
fn calls_of_constant_functions_are_evaluated() {
    let mut failed = BTreeSet::new();
    for signature in signatures().iter().filter(|signature| signature.function.is_const()) {
        if let Err(error) = evaluate(signature) {
            failed.insert(error);
        }
    }
    assert!(failed.is_empty(), "calls without a value: {failed:#?}");
}

/// Values by hand from GLSL 4.60 section 8.4 and INTEL_shader_integer_functions2.
#[test]
fn values_of_packing_and_integer_functions() {
    let cases = [
        ("packUnorm2x16(vec2(1.0, 0.0))", "0x0000ffffu"),
        ("packSnorm2x16(vec2(-1.0, 2.0))", "0x7fff8001u"),
        ("packUnorm4x8(vec4(0.0, 0.5, 1.0, -3.0))", "0x00ff8000u"),
        ("packSnorm4x8(vec4(-1.0, 1.0, 0.0, 0.0))", "0x00007f81u"),
        ("packHalf2x16(vec2(1.0, -2.0))", "0xc0003c00u"),
        ("unpackUnorm2x16(0xffff0000u)", "vec2(0.0, 1.0)"),
        ("unpackSnorm2x16(0x80007fffu)", "vec2(1.0, -1.0)"),
        ("unpackUnorm4x8(0xff0000ffu)", "vec4(1.0, 0.0, 0.0, 1.0)"),
        ("unpackSnorm4x8(0x00817f80u)", "vec4(-1.0, 1.0, -1.0, 0.0)"),
        ("unpackHalf2x16(0xc0003c00u)", "vec2(1.0, -2.0)"),
        ("countLeadingZeros(1u)", "31u"),
        ("countTrailingZeros(0u)", "32u"),
        ("absoluteDifference(int(0x80000000), 0x7fffffff)", "0xffffffffu"),
        ("addSaturate(0x7fffffff, 1)", "0x7fffffff"),
        ("addSaturate(0xffffffffu, 1u)", "0xffffffffu"),
        ("subtractSaturate(1u, 2u)", "0u"),
        ("subtractSaturate(int(0x80000000), 1)", "int(0x80000000)"),
        ("average(-1, -2)", "-2"),
        ("averageRounded(-1, -2)", "-1"),
        ("averageRounded(0xffffffffu, 0xffffffffu)", "0xffffffffu"),
        ("multiply32x16(-3, 0x1ffff)", "3"),
        ("multiply32x16(3u, 0x1ffffu)", "196605u"),
    ];
    for (call, value) in cases {
        let source = format!(
            "#version 460\n#extension GL_INTEL_shader_integer_functions2 : enable\n\
             float a[{call} == {value} ? 1 : -1];\nvoid main() {{}}\n"
        );
        let (options, mut types) = (CompileOptions::default(), TypeTable::default());
        let result = compile(&[source.as_str()], Stage::Fragment, options, &mut types);
        assert!(result.is_ok(), "{call} is not {value}: {:?}", result.err());
    }
}
