//! Data that the checker keeps from declaration to declaration.

use crate::ast::Precision;
use program::types::MatrixOrder;
use program::variable::{MemoryQualifiers, Packing, Precision as ParameterPrecision};
use program::{BuiltinVariable, Direction, GlobalId, LocalId, Storage, TypeId};

/// The variable of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    Global(GlobalId),
    Local(LocalId),
}

/// Fragment colors that a shader writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Colors {
    pub(super) color: bool,
    pub(super) data: bool,
    pub(super) own: bool,
    /// `gl_FragDepth`, which is not a color.
    pub(super) depth: bool,
}

/// A subroutine type: the signature of its functions.
#[derive(Clone, Debug)]
pub(super) struct SubroutineType {
    pub(super) parameters: Vec<(TypeId, Direction)>,
    pub(super) result: TypeId,
}

/// Qualifiers of a parameter or of the result, beside its type and direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ParameterQualifiers {
    pub(super) constant: bool,
    pub(super) precision: ParameterPrecision,
    pub(super) memory: MemoryQualifiers,
}

/// Defaults set by `layout(…) uniform;`, its relatives and `precision` statements.
#[derive(Clone, Debug)]
pub(super) struct DefaultQualifiers {
    pub(super) uniform_packing: Packing,
    pub(super) uniform_order: MatrixOrder,
    pub(super) buffer_packing: Packing,
    pub(super) buffer_order: MatrixOrder,
    pub(super) stream: Option<u32>,
    pub(super) xfb_buffer: Option<u32>,
    /// ES: default precision of `float`, if one was set.
    pub(super) float_precision: Option<Precision>,
    /// ES: default precision of `int` and `uint`, if one was set.
    pub(super) int_precision: Option<Precision>,
    /// ES: opaque types that have a default precision, scope by scope.
    pub(super) opaque_precision: Vec<(TypeId, Precision)>,
    /// Start of the current scope's entries.
    pub(super) opaque_scope: usize,
}

impl DefaultQualifiers {
    /// Sets the default precision of an opaque type in the current scope.
    pub(super) fn set_opaque(&mut self, ty: TypeId, precision: Precision) {
        let here = self
            .opaque_precision
            .iter_mut()
            .skip(self.opaque_scope)
            .find(|(known, _)| *known == ty);
        match here {
            Some((_, known)) => *known = precision,
            None => self.opaque_precision.push((ty, precision)),
        }
    }
}

impl Default for DefaultQualifiers {
    fn default() -> Self {
        DefaultQualifiers {
            uniform_packing: Packing::Shared,
            uniform_order: MatrixOrder::ColumnMajor,
            // The layout of `shared` storage blocks is the implementation's; drivers of this
            // hardware take std430.
            buffer_packing: Packing::Std430,
            buffer_order: MatrixOrder::ColumnMajor,
            stream: None,
            xfb_buffer: None,
            float_precision: None,
            int_precision: None,
            opaque_precision: Vec::new(),
            opaque_scope: 0,
        }
    }
}

/// Globals of built-in variables that the shader uses, and redeclarations of `gl_PerVertex`.
#[derive(Debug, Default)]
pub(super) struct BuiltinInstances {
    pub(super) known: Vec<(BuiltinVariable, Storage, GlobalId)>,
    /// Members redeclared as invariant.
    pub(super) invariant: Vec<BuiltinVariable>,
}
