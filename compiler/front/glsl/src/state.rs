//! Data that the checker keeps from declaration to declaration.

use glsl_syntax::ast::Precision;
use program::types::MatrixOrder;
use program::variable::{MemoryQualifiers, Packing, Precision as ParameterPrecision};
use program::{BuiltinVariable, Direction, GlobalId, LocalId, Storage, TypeId};

/// The variable of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    Global(GlobalId),
    Local(LocalId),
}

/// Fragment colors that a shader writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Colors {
    pub(crate) color: bool,
    pub(crate) data: bool,
    pub(crate) own: bool,
    /// `gl_FragDepth`, which is not a color.
    pub(crate) depth: bool,
}

/// A subroutine type: the signature of its functions.
#[derive(Clone, Debug)]
pub(crate) struct SubroutineType {
    pub(crate) parameters: Vec<(TypeId, Direction)>,
    pub(crate) result: TypeId,
}

/// Qualifiers of a parameter or of the result, beside its type and direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParameterQualifiers {
    pub(crate) constant: bool,
    pub(crate) precision: ParameterPrecision,
    pub(crate) memory: MemoryQualifiers,
}

/// Defaults set by `layout(…) uniform;`, its relatives and `precision` statements.
#[derive(Clone, Debug)]
pub(crate) struct DefaultQualifiers {
    pub(crate) uniform_packing: Packing,
    pub(crate) uniform_order: MatrixOrder,
    pub(crate) buffer_packing: Packing,
    /// True after a declaration of the packing of storage blocks.
    pub(crate) buffer_packing_declared: bool,
    pub(crate) buffer_order: MatrixOrder,
    pub(crate) stream: Option<u32>,
    pub(crate) xfb_buffer: Option<u32>,
    /// ES: default precision of `float`, if one was set.
    pub(crate) float_precision: Option<Precision>,
    /// ES: default precision of `int` and `uint`, if one was set.
    pub(crate) int_precision: Option<Precision>,
    /// ES: opaque types that have a default precision, scope by scope.
    pub(crate) opaque_precision: Vec<(TypeId, Precision)>,
    /// Start of the current scope's entries.
    pub(crate) opaque_scope: usize,
}

impl DefaultQualifiers {
    /// Sets the default precision of an opaque type in the current scope.
    pub(crate) fn set_opaque(&mut self, ty: TypeId, precision: Precision) {
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
            buffer_packing_declared: false,
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
pub(crate) struct BuiltinInstances {
    pub(crate) known: Vec<(BuiltinVariable, Storage, GlobalId)>,
    /// Members redeclared as invariant.
    pub(crate) invariant: Vec<BuiltinVariable>,
}
