//! Every built-in function has a signature, and calls of constant ones are evaluated, but for a
//! list of gaps.

use super::signatures::{SIGNATURES, WIDE_AND_HALF};
use super::{CompileOptions, compile};
use program::{BuiltinFunction, Stage, TypeTable};
use std::collections::BTreeSet;

/// Extensions with the types of the letters in the table.
const TYPE_EXTENSIONS: [&str; 4] = [
    "ARB_gpu_shader_fp64",
    "AMD_gpu_shader_half_float",
    "AMD_gpu_shader_int16",
    "ARB_gpu_shader_int64",
];

/// Constant functions without an evaluation: as the size of an array, their calls are refused.
const NOT_EVALUATED: [&str; 18] = [
    "packUnorm2x16",
    "packSnorm2x16",
    "packUnorm4x8",
    "packSnorm4x8",
    "unpackUnorm2x16",
    "unpackSnorm2x16",
    "unpackUnorm4x8",
    "unpackSnorm4x8",
    "packHalf2x16",
    "unpackHalf2x16",
    "countLeadingZeros",
    "countTrailingZeros",
    "absoluteDifference",
    "addSaturate",
    "subtractSaturate",
    "average",
    "averageRounded",
    "multiply32x16",
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

#[test]
fn every_function_has_a_signature() {
    let known: BTreeSet<BuiltinFunction> = signatures().iter().map(|s| s.function).collect();
    let missing: Vec<&str> = BuiltinFunction::ALL
        .iter()
        .filter(|function| !known.contains(function))
        .map(|function| function.name())
        .collect();
    assert!(missing.is_empty(), "no signature: {missing:?}");
}

#[test]
fn calls_of_constant_functions_are_evaluated() {
    let mut failed = BTreeSet::new();
    for signature in signatures().iter().filter(|signature| signature.function.is_const()) {
        if let Err(error) = evaluate(signature) {
            failed.insert(signature.function.name());
            assert!(error.contains("must be a constant expression"), "{error}");
        }
    }
    let gaps: BTreeSet<&str> = NOT_EVALUATED.into_iter().collect();
    assert_eq!(failed, gaps, "calls without a value, and the list of them");
}
