//! The typed program that both executors share: types, expressions, linking, layouts, active
//! resources.
//!
//! A [`Shader`] is one checked shader object. [`Program`] is what linking makes of them: every
//! interface variable placed, every conversion and overload explicit. Values are computed nowhere
//! in this crate; arithmetic belongs to the executors.
//!
//! ```
//! use program::{Scalar, Type, TypeTable};
//!
//! let mut types = TypeTable::default();
//! let dmat3x2 = types.matrix(Scalar::Double, 3, 2);
//! assert_eq!(types.name(dmat3x2), "dmat3x2");
//! assert_eq!(types.intern(Type::Matrix { scalar: Scalar::Double, columns: 3, rows: 2 }), dmat3x2);
//! ```

#![forbid(unsafe_code)]

pub mod builtin_function;
pub mod builtin_variable;
pub mod call_graph;
pub mod capabilities;
pub mod conversion;
pub mod exactness;
pub mod explicit_layout;
pub mod expression;
pub mod ids;
pub mod layout;
pub mod link;
pub mod print;
#[allow(clippy::module_inception, reason = "the module holds the type `Program`")]
pub mod program;
pub mod qualifier;
pub mod resource;
pub mod shader;
pub mod span;
pub mod stage;
pub mod types;
pub mod variable;
pub mod visit;

pub use builtin_function::{AtomicOp, BuiltinFamily, BuiltinFunction};
pub use builtin_variable::BuiltinVariable;
pub use call_graph::CallGraph;
pub use capabilities::{Api, Capabilities, CapabilityTable, Consulted};
pub use conversion::Conversions;
pub use expression::{
    BinaryOp, Expr, ExprId, ExprKind, ImageCall, ImageOp, Literal, SwizzleMask, TextureCall,
    TextureLod, TextureOp, UnaryOp,
};
pub use link::{LinkError, LinkOptions, link};
pub use program::{LinkedStage, Program};
pub use resource::{FragmentOutput, Placement, Slot};
pub use shader::{Direction, Function, FunctionId, Shader, Statement};
pub use span::{SourceText, Span};
pub use stage::{Stage, StageKey, TargetKind};
pub use types::{ArrayLength, Scalar, Type, TypeId, TypeTable};
pub use variable::{Global, GlobalId, Interpolation, Local, LocalId, Storage};
