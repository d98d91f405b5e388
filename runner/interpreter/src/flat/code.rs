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
    FloatMin,
    FloatMax,
    FloatMix,
    Add,
    Sub,
    Mul,
    Negate,
    BitNot,
    BitAnd,
    BitOr,
    BitXor,
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
    },
    /// Dot product of `count` components in `double`, rounded once.
    Dot {
        /// Result.
        to: Row,
        /// Components of the operands.
        a: Rows,
        /// Likewise.
        b: Rows,
    },
    /// Reads a component of a variable.
    Load {
        /// Result.
        to: Row,
        /// Variable.
        variable: Variable,
        /// Its component.
        component: u32,
    },
    /// Writes a component of a variable in the active lanes.
    Store {
        /// Variable.
        variable: Variable,
        /// Its component.
        component: u32,
        /// Value.
        from: Row,
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
    },
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
