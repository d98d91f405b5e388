//! Types and component values of generated tests, and what a test accepts.

use crate::real::next_up;

/// Component types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// `double`.
    Double,
    /// `float`.
    Float,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `bool`.
    Bool,
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

    /// Whether this is a matrix.
    pub fn is_matrix(self) -> bool {
        self.columns > 1
    }

    /// The GLSL type.
    pub fn glsl(self) -> String {
        let (prefix, name) = match self.scalar {
            Scalar::Double => ("d", "double"),
            Scalar::Float => ("", "float"),
            Scalar::Int => ("i", "int"),
            Scalar::Uint => ("u", "uint"),
            Scalar::Bool => ("b", "bool"),
        };
        match (self.columns, self.rows) {
            (1, 1) => name.to_string(),
            (1, n) => format!("{prefix}vec{n}"),
            (c, r) if c == r => format!("{prefix}mat{c}"),
            (c, r) => format!("{prefix}mat{c}x{r}"),
        }
    }

    /// The type of the uniform that carries such a value: there are no boolean ones.
    pub fn carrier(self) -> Type {
        match self.scalar {
            Scalar::Bool => Type { scalar: Scalar::Int, ..self },
            _ => self,
        }
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
    /// `int`.
    Int(i32),
    /// `uint`.
    Uint(u32),
    /// `bool`.
    Bool(bool),
}

impl Component {
    /// The double in it.
    pub fn double(self) -> f64 {
        match self {
            Component::Double(x) => x,
            other => panic!("{other:?} is no double"),
        }
    }

    /// As a test file writes it: floating point by bit pattern.
    pub fn text(self) -> String {
        match self {
            Component::Double(x) => format!("{:#018x}", x.to_bits()),
            Component::Float(x) => format!("{:#010x}", x.to_bits()),
            Component::Int(x) => x.to_string(),
            Component::Uint(x) => x.to_string(),
            Component::Bool(x) => u32::from(x).to_string(),
        }
    }
}

/// What a test accepts of one result component: everything from `low` to `high`; one value, bit for bit, when they are the same; any NaN
/// when they are NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accept {
    /// Smallest value.
    pub low: Component,
    /// Largest value.
    pub high: Component,
}

impl Accept {
    /// Exactly one value.
    pub fn exactly(value: Component) -> Accept {
        Accept { low: value, high: value }
    }

    /// Both zeros.
    pub fn any_zero() -> Accept {
        Accept { low: Component::Double(-0.0), high: Component::Double(0.0) }
    }

    /// The smallest move that no longer accepts what this accepts: just above the interval; 1.0 for NaN; the other boolean.
    pub fn perturbed(self) -> Accept {
        Accept::exactly(match self.high {
            Component::Double(x) if x.is_nan() => Component::Double(1.0),
            Component::Double(f64::INFINITY) => Component::Double(f64::MAX),
            // Zeros of both signs are next to each other only for intervals; a single zero moves to the other sign's neighbour.
            Component::Double(x) => Component::Double(next_up(x)),
            Component::Float(x) if x.is_nan() => Component::Float(1.0),
            Component::Float(f32::INFINITY) => Component::Float(f32::MAX),
            Component::Float(x) => Component::Float(x.next_up()),
            Component::Int(x) => Component::Int(x.wrapping_add(1)),
            Component::Uint(x) => Component::Uint(x.wrapping_add(1)),
            Component::Bool(x) => Component::Bool(!x),
        })
    }
}
