//! Expressions. Types, conversions and overloads are all explicit: executors never infer anything.

use crate::builtin_function::{AtomicOp, BuiltinFunction};
pub use crate::ids::ExprId;
use crate::ids::{FunctionId, GlobalId, LocalId, TypeId};
use crate::span::Span;

/// A scalar literal, already converted to the type it has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    /// `bool`.
    Bool(bool),
    /// Any signed integer type.
    Int(i64),
    /// Any unsigned integer type.
    Uint(u64),
    /// `float16_t`, as its bit pattern.
    Float16(u16),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
}

/// Operators with one operand; component-wise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-x`.
    Negate,
    /// `!x` (bool scalar).
    LogicalNot,
    /// `~x`.
    BitNot,
}

/// Operators with two operands.
///
/// Operands of component-wise operators have the same shape and component type (a scalar beside a
/// vector is wrapped in [`ExprKind::Splat`]); shifts may differ in signedness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`, component by component (also for matrix with splatted scalar).
    Mul,
    /// `a / b`.
    Div,
    /// `a % b`.
    Mod,
    /// `a << b`.
    ShiftLeft,
    /// `a >> b`, arithmetic for signed `a`.
    ShiftRight,
    /// `a & b`.
    BitAnd,
    /// `a | b`.
    BitOr,
    /// `a ^ b`.
    BitXor,
    /// `a < b` (scalars).
    Less,
    /// `a <= b` (scalars).
    LessEqual,
    /// `a > b` (scalars).
    Greater,
    /// `a >= b` (scalars).
    GreaterEqual,
    /// `a == b` of any comparable type, structures and arrays included; result is `bool`.
    Equal,
    /// `a != b`, likewise.
    NotEqual,
    /// `a && b`; `b` is evaluated only when `a` is true.
    LogicalAnd,
    /// `a || b`; `b` is evaluated only when `a` is false.
    LogicalOr,
    /// `a ^^ b`.
    LogicalXor,
    /// Linear algebra: matrix × matrix.
    MatrixTimesMatrix,
    /// Linear algebra: matrix × column vector.
    MatrixTimesVector,
    /// Linear algebra: row vector × matrix.
    VectorTimesMatrix,
}

/// How a texture lookup chooses its level of detail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextureLod {
    /// From implicit derivatives (fragment stage) or the base level.
    Implicit,
    /// Implicit plus a bias.
    Bias(ExprId),
    /// Given: a float for sampling, an int for fetches and size queries.
    Explicit(ExprId),
    /// From given derivatives.
    Gradient(ExprId, ExprId),
}

/// Operation of a texture built-in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextureOp {
    /// Filtered lookup.
    Sample,
    /// `texelFetch`.
    Fetch,
    /// `textureGather*`.
    Gather,
    /// `textureSize`.
    Size,
    /// `textureQueryLod`.
    QueryLod,
    /// `textureQueryLevels`.
    QueryLevels,
    /// `textureSamples`.
    QuerySamples,
}

/// A texture built-in with its operands named.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TextureCall {
    /// Operation.
    pub op: TextureOp,
    /// The sampler: a place of sampler type.
    pub sampler: ExprId,
    /// Coordinate without comparison value: dimension's components, then the array layer, then (if
    /// `projective`) the divisor.
    pub coordinate: Option<ExprId>,
    /// True if the last component of `coordinate` divides the others (and the comparison value).
    pub projective: bool,
    /// Comparison value of shadow samplers.
    pub compare: Option<ExprId>,
    /// Level of detail.
    pub lod: TextureLod,
    /// Texel offset(s): one, or four for `textureGatherOffsets`.
    pub offsets: Vec<ExprId>,
    /// Gather component.
    pub component: Option<ExprId>,
    /// Sample index of multisample fetches.
    pub sample: Option<ExprId>,
}

/// Operation of an image built-in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageOp {
    /// `imageLoad`.
    Load,
    /// `imageStore`.
    Store,
    /// `imageAtomic*`.
    Atomic(AtomicOp),
    /// `imageSize`.
    Size,
    /// `imageSamples`.
    Samples,
}

/// An image built-in with its operands named.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ImageCall {
    /// Operation.
    pub op: ImageOp,
    /// The image: a place of image type.
    pub image: ExprId,
    /// Integer coordinate.
    pub coordinate: Option<ExprId>,
    /// Sample index of multisample images.
    pub sample: Option<ExprId>,
    /// Stored value or atomic operands (compare value before new value).
    pub data: Vec<ExprId>,
}

/// The kind of an expression. A *place* is a `Local`, `Global`, or an `Index`, `Member` or
/// `Swizzle` of a place.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A scalar literal.
    Literal(Literal),
    /// Value (or place) of a local.
    Local(LocalId),
    /// Value (or place) of a global.
    Global(GlobalId),
    /// One-operand operator.
    Unary(UnaryOp, ExprId),
    /// Two-operand operator; operands evaluate left to right.
    Binary(BinaryOp, ExprId, ExprId),
    /// `place = value`; the result is the value assigned.
    Assign {
        /// Destination.
        place: ExprId,
        /// New value, of the place's type.
        value: ExprId,
    },
    /// `place op= value`; the place is evaluated once; the result is the new value.
    CompoundAssign {
        /// Component-wise or linear-algebra operator.
        op: BinaryOp,
        /// Destination.
        place: ExprId,
        /// Right operand, shaped as `op` wants it.
        value: ExprId,
    },
    /// `++place` or `--place`; the result is the new value.
    PreIncrement {
        /// Destination.
        place: ExprId,
        /// +1 or −1.
        decrement: bool,
    },
    /// `place++` or `place--`; the result is the old value.
    PostIncrement {
        /// Destination.
        place: ExprId,
        /// Subtract instead of add.
        decrement: bool,
    },
    /// `c ? a : b`; only the chosen operand is evaluated.
    Select {
        /// Bool scalar.
        condition: ExprId,
        /// Value when true.
        if_true: ExprId,
        /// Value when false.
        if_false: ExprId,
    },
    /// `a, b`.
    Sequence(ExprId, ExprId),
    /// Component-type conversion of a scalar, vector or matrix to this expression's type (same
    /// shape).
    Convert(ExprId),
    /// A scalar repeated in every component of this expression's vector or matrix type.
    Splat(ExprId),
    /// Vector or matrix from components in order; operands' component counts add up to at least the
    /// type's (surplus of the last is dropped). Component types already match.
    Compose(Vec<ExprId>),
    /// Matrix with the scalar on the diagonal and zeros elsewhere.
    DiagonalMatrix(ExprId),
    /// Matrix from another matrix: common part copied, the rest from the identity.
    ResizeMatrix(ExprId),
    /// Array or structure from one value per element or member.
    Aggregate(Vec<ExprId>),
    /// Components of a vector (or, as `.x`, of a scalar): up to four indices.
    Swizzle {
        /// Vector or scalar.
        base: ExprId,
        /// Component indices; distinct when used as a place.
        components: SwizzleMask,
    },
    /// Array element, matrix column or vector component.
    Index {
        /// Array, matrix or vector.
        base: ExprId,
        /// `int` or `uint` scalar.
        index: ExprId,
    },
    /// Structure or block member.
    Member {
        /// Structure or block.
        base: ExprId,
        /// Member index.
        member: u32,
    },
    /// `.length()` of a runtime-sized array (others are literals).
    RuntimeLength(ExprId),
    /// Call of a user function. `out` and `inout` arguments are places, copied in and out (GLSL
    /// 4.60 section 6.1.1); where the parameter's type differs from the place's, the executor
    /// converts component types both ways (as `Convert` does).
    Call {
        /// Callee.
        function: FunctionId,
        /// Arguments in order.
        arguments: Vec<ExprId>,
    },
    /// Call through a subroutine uniform.
    CallSubroutine {
        /// The subroutine uniform (an element of it when it is an array).
        place: ExprId,
        /// Arguments in order.
        arguments: Vec<ExprId>,
    },
    /// Call of a built-in function; arguments have the exact parameter types of the chosen
    /// overload.
    Builtin {
        /// Function.
        function: BuiltinFunction,
        /// Arguments in order; places for `out` parameters and interpolants.
        arguments: Vec<ExprId>,
    },
    /// Texture lookup or query.
    Texture(Box<TextureCall>),
    /// Image access or query.
    Image(Box<ImageCall>),
    /// `atomic*` on a buffer or shared variable; the result is the old value.
    Atomic {
        /// Operation.
        op: AtomicOp,
        /// Integer (or float, by extension) place.
        place: ExprId,
        /// Operands (compare value before new value).
        operands: Vec<ExprId>,
    },
}

/// Up to four component indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SwizzleMask {
    /// Component indices; entries from `len` on are 0.
    pub components: [u8; 4],
    /// Number of components, 1 to 4.
    pub len: u8,
}

impl SwizzleMask {
    /// A mask of up to four components.
    pub fn new(components: &[u8]) -> SwizzleMask {
        let mut mask = SwizzleMask { components: [0; 4], len: components.len().min(4) as u8 };
        mask.components.iter_mut().zip(components).for_each(|(m, &c)| *m = c);
        mask
    }

    /// The component indices.
    pub fn as_slice(&self) -> &[u8] {
        &self.components[..self.len as usize]
    }
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// Type of its value.
    pub ty: TypeId,
    /// True if it contributes to a `precise` value: no fusing, no reassociation.
    pub precise: bool,
    /// Source text.
    pub span: Span,
}
