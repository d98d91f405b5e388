//! Calls of built-in functions from the front end's table: each overload that has a value, with
//! arguments for which it is defined. Values are exact, or far enough from where they are rounded
//! to that every permitted error vanishes; those of `float` and `double` keep to the digits of
//! variables.

use glsl::Overload;
use program::Stage;
use program::types::{Scalar, Type, TypeId, TypeTable};

use super::defects::Defect;
use super::generator::Generator;
use super::resources::{Lookup, Resource, Resources};
use super::wide::{self, HALF_FLOAT, readable};

/// Extensions that a program may need together, with their overloads.
const SETS: [&[&str]; 12] = [
    &[],
    &[],
    &[],
    &["GL_AMD_shader_trinary_minmax"],
    &["GL_ARB_gpu_shader_int64"],
    &["GL_INTEL_shader_integer_functions2", "GL_ARB_gpu_shader_int64"],
    &[
        HALF_FLOAT,
        "GL_AMD_gpu_shader_int16",
        "GL_ARB_gpu_shader_int64",
        "GL_AMD_shader_trinary_minmax",
    ],
    &[HALF_FLOAT, "GL_AMD_gpu_shader_int16", "GL_ARB_gpu_shader_int64"],
    &[HALF_FLOAT, "GL_AMD_gpu_shader_int16", "GL_ARB_gpu_shader_int64"],
    &["GL_ARB_shader_ballot", "GL_ARB_shader_group_vote", "GL_ARB_gpu_shader_int64"],
    &["GL_EXT_shader_integer_mix"],
    &["GL_ARB_shader_clock", "GL_ARB_gpu_shader_int64"],
];

/// Values of the invocation's subgroup: true on every machine.
const SUBGROUP: [&str; 7] = [
    "gl_SubGroupInvocationARB < gl_SubGroupSizeARB",
    "gl_SubGroupEqMaskARB == uint64_t(1) << gl_SubGroupInvocationARB",
    "gl_SubGroupGeMaskARB == (gl_SubGroupGtMaskARB | gl_SubGroupEqMaskARB)",
    "gl_SubGroupLeMaskARB == (gl_SubGroupLtMaskARB | gl_SubGroupEqMaskARB)",
    "(gl_SubGroupGtMaskARB & gl_SubGroupLeMaskARB) == uint64_t(0)",
    "(gl_SubGroupLtMaskARB & gl_SubGroupGeMaskARB) == uint64_t(0)",
    "readFirstInvocationARB(gl_SubGroupInvocationARB) <= gl_SubGroupInvocationARB",
];

/// Version of the programs.
const VERSION: u16 = 420;

/// Functions whose values have no exact number of digits: name, first argument, distance of the
/// eight arguments, factor of the result, the function.
type Inexact = (&'static str, f64, f64, f64, fn(f64) -> f64);

const INEXACT: [Inexact; 20] = [
    ("radians", 0.0, 30.0, 8.0, f64::to_radians),
    ("degrees", 0.0, 0.25, 1.0, f64::to_degrees),
    ("sin", 0.0, 0.5, 8.0, f64::sin),
    ("cos", 0.0, 0.5, 8.0, f64::cos),
    ("tan", 0.0, 0.125, 8.0, f64::tan),
    ("asin", 0.0, 0.125, 8.0, f64::asin),
    ("acos", 0.0, 0.125, 8.0, f64::acos),
    ("atan", 0.0, 0.5, 8.0, f64::atan),
    ("sinh", 0.0, 0.25, 8.0, f64::sinh),
    ("cosh", 0.0, 0.25, 8.0, f64::cosh),
    ("tanh", 0.0, 0.5, 8.0, f64::tanh),
    ("asinh", 0.0, 0.5, 8.0, f64::asinh),
    ("acosh", 1.0, 0.5, 8.0, f64::acosh),
    ("atanh", 0.0, 0.125, 8.0, f64::atanh),
    ("exp", 0.0, 0.25, 8.0, f64::exp),
    ("log", 1.0, 0.5, 8.0, f64::ln),
    ("exp2", 0.0, 0.5, 8.0, f64::exp2),
    ("log2", 1.0, 0.5, 8.0, f64::log2),
    ("sqrt", 0.25, 0.5, 8.0, f64::sqrt),
    ("inversesqrt", 0.5, 0.5, 8.0, |x| x.sqrt().recip()),
];

/// Functions that need uniform control flow, or another profile.
const LEFT_OUT: [&str; 10] = [
    "dFdx",
    "dFdy",
    "fwidth",
    "dFdxFine",
    "dFdyFine",
    "fwidthFine",
    "dFdxCoarse",
    "dFdyCoarse",
    "fwidthCoarse",
    "ftransform",
];

/// Returns the number of sixteenths to add to the values of an inexact function before `floor`, so
/// that all of them are as far as possible from whole numbers.
fn best_offset(&(_, first, step, factor, function): &Inexact) -> f64 {
    let distance = |offset: f64| {
        let values = (0..8).map(|k| function(first + step * f64::from(k)) * factor + offset);
        values.map(|v| (v - v.round()).abs()).fold(f64::INFINITY, f64::min)
    };
    let all = (0..16).map(|k| f64::from(k) / 16.0);
    all.max_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(0.0)
}

impl Resources {
    /// Adds calls for one stage, and the extensions that they need.
    pub(super) fn calls(&mut self, generator: &mut Generator, stages: &[Stage]) {
        let set = SETS[generator.random.below(SETS.len())];
        let stage = generator.random.below(stages.len());
        let known = glsl::overloads(stages[stage], VERSION, set);
        let needed: Vec<&Overload> = match set {
            [] => known.iter().collect(),
            _ => known.iter().filter(|overload| overload.of_extension).collect(),
        };
        let (mut lookups, mut declaration) = (Vec::new(), "uniform int same;\n".to_owned());
        if set.contains(&HALF_FLOAT) && generator.random.chance(50) {
            let (function, lookup) = wide::parts(generator);
            declaration += &function;
            lookups.push(lookup);
        }
        for _ in 0..generator.random.between(2, 8) {
            if generator.random.chance(40)
                && let Some(lookup) = wide::operation(generator, set)
            {
                lookups.push(lookup);
                continue;
            }
            if set.contains(&"GL_ARB_shader_ballot") && generator.random.chance(30) {
                let template = format!("int({})", generator.random.pick(&SUBGROUP));
                lookups.push(Lookup::new(template, Scalar::Int, 1));
                continue;
            }
            let overload = needed[generator.random.below(needed.len())];
            lookups.extend(call(generator, overload));
        }
        if lookups.is_empty() {
            return;
        }
        self.extensions.extend(set);
        self.commands += "uniform int same 3\n";
        self.all.push(Resource {
            declaration,
            variables: Vec::new(),
            lookups,
            implicit: Vec::new(),
            biased: Vec::new(),
            extensions: set,
            stages: 1 << stage,
        });
    }
}

/// Returns a call with random arguments; `None` for functions that are left out.
fn call(generator: &mut Generator, overload: &Overload) -> Option<Lookup> {
    let name = overload.name;
    let (parameters, result) = overload.types(&mut generator.types);
    if is_left_out(generator, name, &parameters, result) {
        return None;
    }
    let types = &generator.types;
    let arguments: Vec<String> =
        (0..parameters.len()).map(|k| argument(types, name, &parameters, k)).collect();
    let call = format!("{name}({})", arguments.join(", "));
    let (call, rows) = match *types.get(result) {
        Type::Matrix { columns, rows, .. } => (format!("{call}[{{{columns}}}]"), rows),
        _ => (call, types.components(result)),
    };
    let own = types.scalar_of(result)?;
    let (call, scalar) = readable(name, call, own, rows);
    Some(Lookup::new(rounded(name, parameters.len(), call, own), scalar, rows))
}

/// True if an overload with these types of parameters and value is left out.
fn is_left_out(generator: &Generator, name: &str, parameters: &[TypeId], result: TypeId) -> bool {
    let takes = |scalar| parameters.iter().any(|&ty| generator.types.scalar_of(ty) == Some(scalar));
    let has = |scalar| takes(scalar) || generator.types.scalar_of(result) == Some(scalar);
    let is_double = has(Scalar::Double);
    let shows_defect = match name {
        "sign" => is_double && generator.avoids(Defect::SignOfDouble),
        "ldexp" => is_double && generator.avoids(Defect::LdexpDoubleZero),
        // glslangValidator keeps the sign of such constants.
        "abs" => generator.is_for_glslang && takes(Scalar::Int64),
        "clamp" => {
            (has(Scalar::Int64) || has(Scalar::Uint64)) && generator.avoids(Defect::Int64Clamp)
        }
        "multiply32x16" => generator.avoids(Defect::MultiplyConstants),
        "findMSB" => takes(Scalar::Int) && generator.avoids(Defect::FindMsbOfFloat),
        "unpackHalf2x16" => generator.avoids(Defect::UnpackUpperHalf),
        _ => false,
    };
    LEFT_OUT.contains(&name) || shows_defect || is_double && !generator.doubles
}

/// Rounds the value of an inexact function, which has components of the type `scalar`.
fn rounded(name: &str, count: usize, call: String, scalar: Scalar) -> String {
    let suffix = if scalar == Scalar::Double { "LF" } else { "" };
    let floor = |factor: f64, offset: f64| {
        format!("floor({call} * {factor:?}{suffix} + {offset:?}{suffix})")
    };
    if let Some(function) = INEXACT.iter().find(|f| f.0 == name && count == 1) {
        return floor(function.3, best_offset(function));
    }
    match name {
        "atan" => floor(8.0, 0.25),
        "pow" | "length" | "distance" | "determinant" | "inverse" => floor(1.0, 0.5),
        "normalize" => floor(10.0, 0.5),
        "refract" => floor(8.0, 0.5),
        // Whole in 32nds after the factor.
        "smoothstep" if scalar == Scalar::Float16 => floor(8.0, 0.125),
        // Cubes of eighths are whole in 64ths, but for quarters.
        "smoothstep" => floor(64.0, 0.3125),
        // Between minus one and one, and nothing more is known.
        _ if name.starts_with("noise") => format!("({call} * 0.0)"),
        "clock2x32ARB" => format!("({call} * 0u)"),
        _ => call,
    }
}

/// Returns argument `at` of a function with these types of parameters.
fn argument(types: &TypeTable, name: &str, parameters: &[TypeId], at: usize) -> String {
    let ty = parameters[at];
    let scalar = types.scalar_of(ty).unwrap_or(Scalar::Int);
    let n = usize::from(types.components(ty));
    if let Some(text) = whole_argument(types, name, at, ty) {
        return text;
    }
    let element = element(name, at, parameters.len(), scalar);
    match types.get(ty) {
        Type::Scalar(_) => element,
        Type::Matrix { columns, rows, .. } => {
            let count = usize::from(*columns) * usize::from(*rows);
            format!("{}({})", types.name(ty), vec![element; count].join(", "))
        }
        _ => format!("{}({})", types.name(ty), vec![element; n].join(", ")),
    }
}

/// Arguments that are no lists of equal elements.
fn whole_argument(types: &TypeTable, name: &str, at: usize, ty: TypeId) -> Option<String> {
    let type_name = types.name(ty);
    let n = usize::from(types.components(ty));
    let of = |values: [&str; 4]| format!("{type_name}({})", values[..n].join(", "));
    Some(match (name, at) {
        // Vectors whose lengths are whole.
        ("length" | "distance" | "normalize", 0) => {
            let values = match n {
                1 => ["3", "", "", ""],
                2 => ["3", "4", "", ""],
                3 => ["1", "2", "2", ""],
                _ => ["1"; 4],
            };
            format!("({} * {}(1 + int({{4}})))", of(values), types.scalar_of(ty)?.name())
        }
        ("distance", 1) => format!("{type_name}(0)"),
        ("refract", 0) if n == 1 => format!("{type_name}(-1)"),
        ("refract", 1) if n == 1 => format!("{type_name}(1)"),
        ("refract", 0) => of(["0.6", "-0.8", "0", "0"]),
        ("refract", 1) => of(["0", "1", "0", "0"]),
        ("packDouble2x32", _) => "uvec2(0u, 0x3ff00000u + uint({8}) * 65536u)".to_owned(),
        // Ones on the diagonal, zeros above: the determinant is one.
        ("inverse", _) => {
            let Type::Matrix { columns, rows, .. } = *types.get(ty) else { return None };
            let entry = |column, row| match row {
                _ if row == column => "1",
                _ if row > column => "int({4})",
                _ => "0",
            };
            let entries = (0..columns).flat_map(|c| (0..rows).map(move |r| entry(c, r)));
            format!("{type_name}({})", entries.collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    })
}

/// Returns an element of argument `at` of a function with `count` of them.
fn element(name: &str, at: usize, count: usize, scalar: Scalar) -> String {
    let ty = scalar.name();
    let typed = |text: &str| format!("{ty}({text})");
    if scalar.is_float() {
        if let Some((_, first, step, ..)) = INEXACT.iter().find(|f| f.0 == name && count == 1) {
            return typed(&format!("float({{8}}) * {step:?} + {first:?}"));
        }
        return typed(match (name, at) {
            ("atan", 0) => "float({8}) * 0.5 - 1.75",
            ("atan", _) => "1",
            ("pow", 0) => "1 + int({4})",
            ("pow", _) => "2",
            ("smoothstep", 0) => "0",
            ("smoothstep", 1) => "8",
            ("smoothstep", _) => "int({9})",
            // Quotients by powers of two are exact.
            ("mod", 1) => "1 << int({3})",
            ("clamp", 1) => "-1",
            ("clamp", 2) => "2.5",
            ("refract", _) => "float({3}) * 0.25 + 0.25",
            ("reflect", 1) => "float({5}) * 0.5 - 1.0",
            ("determinant", _) => "int({3}) - 1",
            // The direction in which halves are rounded is open.
            ("round", _) => "float({17}) * 0.5 - 3.75",
            ("packSnorm2x16" | "packSnorm4x8", _) => "int({3}) - 1",
            ("packUnorm2x16" | "packUnorm4x8", _) => "int({2})",
            ("readFirstInvocationARB" | "readInvocationARB", _) => "same",
            _ if scalar == Scalar::Float16 => "float({9}) * 0.5 - 2.0",
            _ => "float({17}) * 0.5 - 4.0",
        });
    }
    match (name, at) {
        // An active invocation.
        ("readInvocationARB", 1) => "readFirstInvocationARB(gl_SubGroupInvocationARB)",
        ("readInvocationARB", _) => return typed("same"),
        ("anyInvocationARB" | "allInvocationsARB" | "allInvocationsEqualARB", _) => "bool(same)",
        // The set of active lanes is open, an empty set of lanes is not.
        ("ballotARB", _) => "!bool(same)",
        ("readFirstInvocationARB", _) => return typed("same"),
        ("bitfieldExtract" | "bitfieldInsert", _) if at + 2 == count => "int({9})",
        ("bitfieldExtract" | "bitfieldInsert", _) if at + 1 == count => "int({17})",
        ("ldexp", 1) => return typed("int({5}) - 2"),
        ("clamp", 1) => return typed("3"),
        ("clamp", 2) => return typed("9"),
        ("intBitsToFloat", _) => "0x3f800000 + int({8}) * 0x100000",
        ("uintBitsToFloat", _) => "0x3f800000u + uint({8}) * 0x100000u",
        ("int64BitsToDouble", _) => "packInt2x32(ivec2(0, 0x3ff00000 + int({8}) * 65536))",
        ("uint64BitsToDouble", _) => "packUint2x32(uvec2(0u, 0x3ff00000u + uint({8}) * 65536u))",
        ("int16BitsToFloat16" | "uint16BitsToFloat16", _) => {
            return typed("0x3c00 + int({8}) * 0x80");
        }
        // Texels of zero, one and minus one.
        ("unpackSnorm2x16", _) => "0x7fff8001u * uint({2})",
        ("unpackSnorm4x8", _) => "0x7f817f81u * uint({2})",
        ("unpackUnorm2x16", _) => "0xffff0000u * uint({2})",
        ("unpackUnorm4x8", _) => "0xff00ff00u * uint({2})",
        ("unpackHalf2x16" | "unpackFloat2x16", _) => "0x3c00c000u * uint({2})",
        _ => {
            return match scalar {
                Scalar::Bool => "int({2}) == 1".to_owned(),
                Scalar::Uint | Scalar::Uint16 => typed("{33}"),
                Scalar::Int64 | Scalar::Uint64 => {
                    typed(&format!("{ty}(int({{33}}) - 16) * {ty}(123456789)"))
                }
                _ => typed("int({33}) - 16"),
            };
        }
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of a hundredth of the rounding step changes no value.
    #[test]
    fn inexact_values_are_far_from_where_they_are_rounded() {
        for function in &INEXACT {
            let &(name, first, step, factor, f) = function;
            let offset = best_offset(function);
            for k in 0..8 {
                let value = f(first + step * f64::from(k)) * factor + offset;
                assert!((value - value.round()).abs() > 0.01, "{name}: {value} of argument {k}");
                assert!(value.abs() < 128.0, "{name}: {value}");
            }
        }
    }
}
