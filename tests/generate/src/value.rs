//! Types and component values of generated tests.

use crate::half::Half;

/// Component types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// `double`.
    Double,
    /// `float`.
    Float,
    /// `float16_t`.
    Half,
    /// `int64_t`.
    Int64,
    /// `uint64_t`.
    Uint64,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `int16_t`.
    Int16,
    /// `uint16_t`.
    Uint16,
    /// `bool`.
    Bool,
}

impl Scalar {
    /// The extension that offers the type beyond GLSL 4.00.
    pub fn extension(self) -> Option<&'static str> {
        match self {
            Scalar::Half => Some("GL_AMD_gpu_shader_half_float"),
            Scalar::Int16 | Scalar::Uint16 => Some("GL_AMD_gpu_shader_int16"),
            Scalar::Int64 | Scalar::Uint64 => Some("GL_ARB_gpu_shader_int64"),
            _ => None,
        }
    }
}

/// A scalar, vector or matrix type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Type {
    /// Component type.
    pub scalar: Scalar,
    /// Columns; 1 for scalars and vectors.
    pub columns: usize,
    /// Components of a column.
    pub rows: usize,
}

/// `double`.
pub const DOUBLE: Type = Type::vector(Scalar::Double, 1);
/// `bool`.
pub const BOOL: Type = Type::vector(Scalar::Bool, 1);

/// `double`, `dvec2`, `dvec3`, `dvec4`.
pub const VECTORS: [Type; 4] = [DOUBLE, dvec(2), dvec(3), dvec(4)];

/// The nine matrices of doubles.
pub const MATRICES: [Type; 9] = [
    Type::matrix(2, 2),
    Type::matrix(2, 3),
    Type::matrix(2, 4),
    Type::matrix(3, 2),
    Type::matrix(3, 3),
    Type::matrix(3, 4),
    Type::matrix(4, 2),
    Type::matrix(4, 3),
    Type::matrix(4, 4),
];

/// A vector of doubles, or `double`.
pub const fn dvec(rows: usize) -> Type {
    Type::vector(Scalar::Double, rows)
}

impl Type {
    /// A scalar or vector.
    pub const fn vector(scalar: Scalar, rows: usize) -> Type {
        Type { scalar, columns: 1, rows }
    }

    /// A matrix of doubles.
    pub const fn matrix(columns: usize, rows: usize) -> Type {
        Type { scalar: Scalar::Double, columns, rows }
    }

    /// Number of components.
    pub fn components(self) -> usize {
        self.columns * self.rows
    }

    /// True for matrices.
    pub fn is_matrix(self) -> bool {
        self.columns > 1
    }

    /// The GLSL type.
    pub fn glsl(self) -> String {
        let (prefix, name) = match self.scalar {
            Scalar::Double => ("d", "double"),
            Scalar::Float => ("", "float"),
            Scalar::Half => ("f16", "float16_t"),
            Scalar::Int64 => ("i64", "int64_t"),
            Scalar::Uint64 => ("u64", "uint64_t"),
            Scalar::Int => ("i", "int"),
            Scalar::Uint => ("u", "uint"),
            Scalar::Int16 => ("i16", "int16_t"),
            Scalar::Uint16 => ("u16", "uint16_t"),
            Scalar::Bool => ("b", "bool"),
        };
        match (self.columns, self.rows) {
            (1, 1) => name.to_string(),
            (1, n) => format!("{prefix}vec{n}"),
            (c, r) if c == r => format!("{prefix}mat{c}"),
            (c, r) => format!("{prefix}mat{c}x{r}"),
        }
    }

    /// The same shape of another component type.
    pub const fn with_scalar(self, scalar: Scalar) -> Type {
        Type { scalar, ..self }
    }

    /// The type under which a script sets a uniform of this type: there are no commands for
    /// booleans and 16-bit types.
    pub fn script(self) -> Type {
        match self.scalar {
            Scalar::Bool | Scalar::Int16 => self.with_scalar(Scalar::Int),
            Scalar::Uint16 => self.with_scalar(Scalar::Uint),
            Scalar::Half => self.with_scalar(Scalar::Float),
            _ => self,
        }
    }

    /// The type of the uniforms that carry expected values of this type: integers for booleans and
    /// 16-bit integers, and bit patterns for floats and halves, lest a subnormal be flushed on its
    /// way.
    pub fn expected(self) -> Type {
        match self.scalar {
            Scalar::Bool | Scalar::Int16 => self.with_scalar(Scalar::Int),
            Scalar::Float | Scalar::Half | Scalar::Uint16 => self.with_scalar(Scalar::Uint),
            _ => self,
        }
    }

    /// True for floating-point components.
    pub fn is_floating(self) -> bool {
        matches!(self.scalar, Scalar::Double | Scalar::Float | Scalar::Half)
    }

    /// GLSL for one component of a variable of this type.
    pub fn component(self, variable: &str, index: usize) -> String {
        match (self.columns, self.rows) {
            (1, 1) => variable.to_string(),
            (1, _) => format!("{variable}[{index}]"),
            (_, rows) => format!("{variable}[{}][{}]", index / rows, index % rows),
        }
    }
}

/// One component.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Component {
    /// `double`.
    Double(f64),
    /// `float`.
    Float(f32),
    /// `float16_t`.
    Half(Half),
    /// `int64_t`.
    Int64(i64),
    /// `uint64_t`.
    Uint64(u64),
    /// `int`.
    Int(i32),
    /// `uint`.
    Uint(u32),
    /// `int16_t`.
    Int16(i16),
    /// `uint16_t`.
    Uint16(u16),
    /// `bool`.
    Bool(bool),
}

impl Component {
    /// Its type.
    pub fn scalar(self) -> Scalar {
        match self {
            Component::Double(_) => Scalar::Double,
            Component::Float(_) => Scalar::Float,
            Component::Half(_) => Scalar::Half,
            Component::Int64(_) => Scalar::Int64,
            Component::Uint64(_) => Scalar::Uint64,
            Component::Int(_) => Scalar::Int,
            Component::Uint(_) => Scalar::Uint,
            Component::Int16(_) => Scalar::Int16,
            Component::Uint16(_) => Scalar::Uint16,
            Component::Bool(_) => Scalar::Bool,
        }
    }

    /// The double in it.
    pub fn double(self) -> f64 {
        match self {
            Component::Double(x) => x,
            other => panic!("{other:?} is no double"),
        }
    }

    /// The single-precision number in it.
    pub fn float(self) -> f32 {
        match self {
            Component::Float(x) => x,
            other => panic!("{other:?} is no float"),
        }
    }

    /// The half in it.
    pub fn half(self) -> Half {
        match self {
            Component::Half(x) => x,
            other => panic!("{other:?} is no half"),
        }
    }

    /// The signed or unsigned integer in it, of at most 32 bits or signed.
    pub fn integer(self) -> i64 {
        match self {
            Component::Int64(x) => x,
            Component::Int(x) => x.into(),
            Component::Uint(x) => x.into(),
            Component::Int16(x) => x.into(),
            Component::Uint16(x) => x.into(),
            other => panic!("{other:?} is no integer"),
        }
    }

    /// The boolean in it.
    pub fn boolean(self) -> bool {
        match self {
            Component::Bool(x) => x,
            other => panic!("{other:?} is no boolean"),
        }
    }

    /// An operand in a test file: floating point by bit pattern, halves by that of the float of the
    /// same value.
    pub fn text(self) -> String {
        match self {
            Component::Double(x) => format!("{:#018x}", x.to_bits()),
            Component::Float(x) => format!("{:#010x}", x.to_bits()),
            Component::Half(x) => format!("{:#010x}", (x.value() as f32).to_bits()),
            Component::Int64(x) => x.to_string(),
            Component::Uint64(x) => x.to_string(),
            Component::Int(x) => x.to_string(),
            Component::Uint(x) => x.to_string(),
            Component::Int16(x) => x.to_string(),
            Component::Uint16(x) => x.to_string(),
            Component::Bool(x) => u32::from(x).to_string(),
        }
    }

    /// An expected value in a test file: halves by their bit pattern.
    pub fn expected_text(self) -> String {
        match self {
            Component::Half(x) => format!("{:#06x}", x.word()),
            other => other.text(),
        }
    }
}

/// An integer as a component of a type; `None` if it does not fit.
pub fn integer(scalar: Scalar, n: i64) -> Option<Component> {
    Some(match scalar {
        Scalar::Int64 => Component::Int64(n),
        Scalar::Uint64 => Component::Uint64(n.try_into().ok()?),
        Scalar::Int => Component::Int(n.try_into().ok()?),
        Scalar::Uint => Component::Uint(n.try_into().ok()?),
        Scalar::Int16 => Component::Int16(n.try_into().ok()?),
        Scalar::Uint16 => Component::Uint16(n.try_into().ok()?),
        _ => return None,
    })
}

/// The low bits of a number as an integer component.
pub fn wrapped(scalar: Scalar, bits: u64) -> Component {
    match scalar {
        Scalar::Int64 => Component::Int64(bits as i64),
        Scalar::Uint64 => Component::Uint64(bits),
        Scalar::Int => Component::Int(bits as i32),
        Scalar::Uint => Component::Uint(bits as u32),
        Scalar::Int16 => Component::Int16(bits as i16),
        Scalar::Uint16 => Component::Uint16(bits as u16),
        other => panic!("{other:?} is no integer type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_glsl_names() {
        assert_eq!(Type::matrix(2, 3).glsl(), "dmat2x3");
        assert_eq!(Type::matrix(4, 4).glsl(), "dmat4");
        assert_eq!(Type::vector(Scalar::Uint, 3).glsl(), "uvec3");
        assert_eq!(Type::matrix(2, 3).component("m", 4), "m[1][1]");
    }
}
