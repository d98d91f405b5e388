//! Steps of flat code.

use program::{BuiltinFunction, ExprId, GlobalId, LocalId, Scalar, TypeId};
use smallvec::SmallVec;

/// Number of a row in a tape's part of the row stack.
pub(crate) type Row = u16;
/// Rows of a value, one for each component.
pub(crate) type Rows = SmallVec<[Row; 4]>;

/// Variable that is held by value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Variable {
    /// Local of the current call.
    Local(LocalId),
    /// Global.
    Global(GlobalId),
}

/// Operation on rows alone. Floats are flushed as [`crate::scalar`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the variants are operators and functions of GLSL")]
pub(crate) enum RowOp {
    Constant(u32),
    FloatAdd,
    FloatSub,
    FloatMul,
    FloatDiv,
    FloatLess,
    FloatLessEqual,
    FloatEqual,
    FloatNegate,
    FloatAbs,
    FloatFloor,
    FloatCeil,
    FloatTrunc,
    FloatFract,
    /// To the nearest integer, to an even one between two.
    FloatRound,
    FloatSign,
    FloatSqrt,
    FloatInverseSqrt,
    FloatMin,
    FloatMax,
    FloatMix,
    FloatMod,
    FloatStep,
    FloatClamp,
    Add,
    Sub,
    Mul,
    Negate,
    SignedAbs,
    SignedSign,
    SignedMin,
    SignedMax,
    SignedClamp,
    UnsignedMin,
    UnsignedMax,
    UnsignedClamp,
    BitNot,
    BitAnd,
    BitOr,
    BitXor,
    SignedDiv,
    UnsignedDiv,
    SignedMod,
    UnsignedMod,
    ShiftLeft,
    ShiftRightSigned,
    ShiftRightUnsigned,
    SignedLess,
    SignedLessEqual,
    UnsignedLess,
    UnsignedLessEqual,
    Equal,
    /// Logical negation of a `bool`.
    Not,
    /// `a ? b : c`, undefined where `a` is or the chosen operand.
    Choose,
    /// `a && b` and `a || b`: the second operand's mark counts where it decides.
    LogicalAnd,
    LogicalOr,
    SignedToFloat,
    UnsignedToFloat,
    BoolToFloat,
    FloatToSigned,
    FloatToUnsigned,
    FloatToBool,
    IntegerToBool,
    /// Row `a`, undefined where `a` or `b` is.
    Mark,
}

/// Elements of equal size of a variable, and the row of an index.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Indexed {
    /// Variable.
    pub(crate) variable: Variable,
    /// Component where its first element starts.
    pub(crate) first: u32,
    /// Components of an element.
    pub(crate) count: u16,
    /// Number of elements.
    pub(crate) length: u32,
    /// Index.
    pub(crate) index: Row,
    /// The index is an `int`.
    pub(crate) signed: bool,
}

/// Step of a tape.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    /// `to = op(operands)`; unused operands repeat the first one. `to` is above all operands.
    Row {
        /// Operation.
        op: RowOp,
        /// Result.
        to: Row,
        /// Operands.
        operands: [Row; 3],
        /// NaN is undefined: GLSL need not generate it (GLSL 4.60 section 4.7.1).
        open: bool,
    },
    /// Dot product of `count` components in `double`, rounded once.
    Dot {
        /// Result.
        to: Row,
        /// Components of the operands.
        a: Rows,
        /// Likewise.
        b: Rows,
        /// As in [`Step::Row`].
        open: bool,
    },
    /// Reads consecutive components of a variable into consecutive rows.
    Load {
        /// First row.
        to: Row,
        /// Variable.
        variable: Variable,
        /// Its first component.
        component: u32,
        /// Number of components.
        count: u16,
    },
    /// Writes components of a variable in the active lanes.
    Store {
        /// Variable.
        variable: Variable,
        /// Its components, and the rows of their values.
        components: SmallVec<[(u32, Row); 4]>,
        /// `int`: cells are sign-extended.
        signed: bool,
        /// All components of the variable have the same type.
        uniform: bool,
    },
    /// Reads an element into consecutive rows. Outside of the bounds it is undefined.
    Gather {
        /// First row.
        to: Row,
        /// Element.
        from: Indexed,
    },
    /// Writes an element in the active lanes whose index is inside the bounds.
    Scatter {
        /// Element.
        to: Indexed,
        /// Rows of the value.
        rows: Rows,
        /// `int`: cells are sign-extended.
        signed: bool,
        /// All components of the variable have the same type.
        uniform: bool,
    },
    /// Sets a new local to its value in all lanes.
    Define {
        /// Local.
        local: LocalId,
        /// Rows of the value.
        rows: Rows,
        /// `int`: cells are sign-extended.
        signed: bool,
    },
    /// Evaluates by the tree walk; components go to consecutive rows.
    Evaluate {
        /// First row of the result.
        to: Row,
        /// Components.
        count: u16,
        /// Expression.
        expr: ExprId,
    },
    /// Calls a built-in function of values; components go to consecutive rows.
    Call {
        /// First row of the result.
        to: Row,
        /// Function.
        function: BuiltinFunction,
        /// Arguments: their types and rows.
        arguments: Vec<(TypeId, Scalar, Rows)>,
        /// Type of the result.
        ty: TypeId,
        /// The call contributes to a `precise` value.
        precise: bool,
    },
}

/// Flat code of consecutive statements.
#[derive(Clone, Debug)]
pub(crate) struct TapeBlock {
    /// Steps and rows; without a result.
    pub(crate) tape: Tape,
    /// Expressions of the statements.
    pub(crate) exprs: Vec<ExprId>,
}

/// Flat code of one expression.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    /// Steps in order.
    pub(crate) steps: Vec<Step>,
    /// Rows that the steps need.
    pub(crate) rows: usize,
    /// Rows of the result.
    pub(crate) result: Rows,
    /// Component type of the result.
    pub(crate) scalar: Scalar,
}
