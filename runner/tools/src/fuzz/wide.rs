//! Operators and conversions of the types that extensions add: integers of 16 and 64 bits, half
//! floats. Values have few digits, so that nothing rounds; the others wrap.

use program::types::Scalar;

use super::generator::Generator;
use super::resources::Lookup;

/// The extension that adds half floats.
pub(super) const HALF_FLOAT: &str = "GL_AMD_gpu_shader_half_float";

/// Scalar types of extensions, with one of those that add it.
const ADDED: [(Scalar, &str); 5] = [
    (Scalar::Int64, "GL_ARB_gpu_shader_int64"),
    (Scalar::Uint64, "GL_ARB_gpu_shader_int64"),
    (Scalar::Int16, "GL_AMD_gpu_shader_int16"),
    (Scalar::Uint16, "GL_AMD_gpu_shader_int16"),
    (Scalar::Float16, HALF_FLOAT),
];

/// Returns a random operation on types that these extensions add, if they add one.
pub(super) fn operation(generator: &mut Generator, extensions: &[&str]) -> Option<Lookup> {
    let added = ADDED.iter().filter(|(_, extension)| extensions.contains(extension));
    let added: Vec<Scalar> = added.map(|(scalar, _)| *scalar).collect();
    if added.is_empty() {
        return None;
    }
    let scalar = generator.random.pick(&added);
    let rows = generator.random.pick(&[1, 1, 1, 2, 3, 4]);
    let (text, result) = match generator.random.below(10) {
        0..=2 => conversion(generator, scalar, &added, rows),
        3 if rows == 1 => comparison(generator, scalar),
        _ => (arithmetic(generator, scalar, rows), scalar),
    };
    let text = match result {
        // The halves have their own instructions.
        Scalar::Int64 | Scalar::Uint64 => {
            format!("(({text}) >> {})", generator.random.pick(&[0, 20, 32]))
        }
        _ => text,
    };
    let (template, result) = readable("", text, result, rows);
    Some(Lookup { template, ty: (result, rows) })
}

/// Converts a value to a type that programs hash.
pub(super) fn readable(name: &str, call: String, scalar: Scalar, rows: u8) -> (String, Scalar) {
    let to = match scalar {
        Scalar::Bool | Scalar::Int64 | Scalar::Uint64 | Scalar::Int16 => Scalar::Int,
        Scalar::Uint16 => Scalar::Uint,
        Scalar::Float16 => Scalar::Float,
        _ => return (call, scalar),
    };
    // The low bits of a `double` in use are zeros.
    let call = match name {
        // Time and noise may have any value.
        "clockARB" => format!("{call} * {}(0)", scalar.name()),
        _ if name.starts_with("doubleBits") => format!("{call} >> 40"),
        _ => call,
    };
    let ty = match rows {
        1 => to.name().to_owned(),
        _ => format!("{}vec{rows}", to.vector_prefix()),
    };
    (format!("{ty}({call})"), to)
}

/// Returns a value of a few digits: a whole number, or a multiple of a half.
fn small(generator: &mut Generator, scalar: Scalar, rows: u8) -> String {
    let ty = generator.vector(scalar, rows);
    let name = generator.types.name(ty);
    match scalar {
        Scalar::Bool => format!("{name}(int({{2}}) == 1)"),
        Scalar::Float16 | Scalar::Float | Scalar::Double => {
            format!("{name}(float({{9}}) * 0.5 - 2.0)")
        }
        _ => format!("{name}(int({{33}}) - 16)"),
    }
}

/// Returns a number from one on.
fn positive(generator: &mut Generator, scalar: Scalar, rows: u8) -> String {
    let ty = generator.vector(scalar, rows);
    format!("{}(int({{9}}) + 1)", generator.types.name(ty))
}

/// Returns a value of any digits.
fn long(generator: &mut Generator, scalar: Scalar, rows: u8) -> String {
    let text = small(generator, scalar, rows);
    let name = scalar.name();
    match scalar {
        Scalar::Int64 | Scalar::Uint64 => format!("({text} * {name}(123456789))"),
        Scalar::Int16 | Scalar::Uint16 => {
            format!("({text} * {name}({}))", generator.constant(scalar, 1999))
        }
        _ => text,
    }
}

/// Returns a function that takes half floats apart, in two values, and its call.
pub(super) fn parts(generator: &mut Generator) -> (String, Lookup) {
    let rows = generator.random.pick(&[1, 2, 3, 4]);
    let exponent = generator.random.pick(&[Scalar::Int, Scalar::Int16]);
    let scalars = [Scalar::Float16, Scalar::Float, exponent];
    let types = scalars.map(|scalar| generator.vector(scalar, rows));
    let [own, readable, exponent] = types.map(|ty| generator.types.name(ty));
    let (function, other) = match generator.random.chance(50) {
        true => ("frexp", &exponent),
        false => ("modf", &own),
    };
    let text = format!(
        "{own} parts_of({own} x) {{ {other} y; {own} z = {function}(x, y); \
         return z + {own}(y); }}\n"
    );
    let call = format!("{readable}(parts_of({}))", small(generator, Scalar::Float16, rows));
    (text, Lookup::new(call, Scalar::Float, rows))
}

fn arithmetic(generator: &mut Generator, scalar: Scalar, rows: u8) -> String {
    let (a, b) = (long(generator, scalar, rows), small(generator, scalar, rows));
    let random = &mut generator.random;
    let operators: &[&str] = match scalar {
        Scalar::Float16 => &["+", "-", "*", "-x", "/"],
        _ => &["+", "-", "*", "-x", "/", "%", "&", "|", "^", "~x", "<<", ">>"],
    };
    let operator = random.pick(operators);
    match operator {
        "-x" | "~x" => format!("{}{a}", &operator[..1]),
        "/" if scalar == Scalar::Float16 => format!("({a} / {}(1 << int({{3}})))", scalar.name()),
        "/" => format!("({a} / {})", positive(generator, scalar, rows)),
        // Remainders of negative numbers are undefined.
        "%" => {
            let (a, b) = (positive(generator, scalar, rows), positive(generator, scalar, rows));
            let factor = generator.constant(scalar, 999);
            format!("({a} * {}({factor}) % {b})", scalar.name())
        }
        "<<" | ">>" => {
            let most = if random.chance(50) { 8 * scalar.bytes() } else { 16 };
            format!("({a} {operator} {}(int({{{most}}})))", scalar.name())
        }
        _ => format!("({a} {operator} {b})"),
    }
}

fn comparison(generator: &mut Generator, scalar: Scalar) -> (String, Scalar) {
    let (a, b) = (long(generator, scalar, 1), small(generator, scalar, 1));
    let operator = generator.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
    (format!("({a} {operator} {b})"), Scalar::Bool)
}

/// Returns a conversion from or to a type; negative numbers become no unsigned ones.
fn conversion(
    generator: &mut Generator,
    scalar: Scalar,
    added: &[Scalar],
    rows: u8,
) -> (String, Scalar) {
    let mut others = vec![Scalar::Bool, Scalar::Int, Scalar::Uint, Scalar::Float];
    others.extend(generator.doubles.then_some(Scalar::Double));
    others.extend(added.iter().filter(|&&other| other != scalar));
    let other = generator.random.pick(&others);
    let (from, to) = if generator.random.chance(50) { (scalar, other) } else { (other, scalar) };
    let is_unsigned = |scalar| matches!(scalar, Scalar::Uint | Scalar::Uint16 | Scalar::Uint64);
    // A large number of a floating type would become an integer that is out of range.
    let value = if is_unsigned(from) && to.is_float() {
        positive(generator, from, rows)
    } else {
        small(generator, from, rows)
    };
    let ty = generator.vector(to, rows);
    let value = if from.is_float() && is_unsigned(to) { format!("abs({value})") } else { value };
    (format!("{}({value})", generator.types.name(ty)), to)
}
