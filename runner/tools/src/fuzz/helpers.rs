//! GLSL helper functions: operations whose operands GLSL restricts, extended to any operands.

use program::types::{Scalar, TypeId, TypeTable};

use super::defects::Defect;
use super::generator::{Generator, Helper};
use super::names::vector_of;
use super::real::{Bits, literal};

/// Returns the definitions of the helpers that the code calls; those of columns before those of
/// matrices.
pub(super) fn definitions(generator: &Generator) -> String {
    let types = &generator.types;
    let (mut vectors, mut matrices) = (String::new(), String::new());
    for helper in &generator.helpers {
        match *helper {
            Helper::Wrap(ty) if vector_of(types, ty).is_none() => {
                matrices += &wrap_matrix(types, ty)
            }
            Helper::Wrap(ty) => vectors += &wrap_vector(types, ty),
            Helper::Quotient(Scalar::Uint) => {
                vectors += "uint quotient(uint a, uint b) { return b == 0u ? a : a / b; }\n";
            }
            Helper::Quotient(_) if generator.avoids(Defect::DivisionByMinusOne) => {
                vectors +=
                    "int quotient(int a, int b) { return a / (b == 0 || b == -1 ? 1 : b); }\n";
            }
            Helper::Quotient(_) => {
                vectors += "int quotient(int a, int b) { return b == 0 || b == -1 ? a : a / b; }\n";
            }
            Helper::Remainder(Scalar::Uint) => {
                vectors += "uint remainder(uint a, uint b) { return b == 0u ? a : a % b; }\n";
            }
            Helper::Remainder(_) => {
                vectors +=
                    "int remainder(int a, int b) { return (a & 0x7fffffff) % ((b & 1023) + 1); }\n";
            }
        }
    }
    vectors + &matrices
}

/// Every step is exact for every finite value, so that fusing changes nothing.
fn wrap_vector(types: &TypeTable, ty: TypeId) -> String {
    let scalar = types.scalar_of(ty).unwrap_or(Scalar::Float);
    let Bits { whole, fraction } = Bits::stored(scalar);
    let power = |exponent: i32| literal(scalar, 2f64.powi(exponent));
    let (whole, fraction) = (whole as i32, fraction as i32);
    format!(
        "{name} wrap({name} x) {{\n  x = floor(x * {up}) * {down};\n  return x - {range} * floor(x * {part}) - {half};\n}}\n",
        name = types.name(ty),
        up = power(fraction),
        down = power(-fraction),
        range = power(whole + 1),
        part = power(-whole - 1),
        half = power(whole),
    )
}

fn wrap_matrix(types: &TypeTable, ty: TypeId) -> String {
    let name = types.name(ty);
    let columns = types.shape(ty).map_or(0, |(columns, _)| columns);
    let columns: Vec<String> = (0..columns).map(|column| format!("wrap(x[{column}])")).collect();
    format!("{name} wrap({name} x) {{ return {name}({}); }}\n", columns.join(", "))
}
