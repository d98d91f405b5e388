//! Declarations: variables, interfaces, blocks, functions, structures.

pub(crate) mod block;
pub(crate) mod declaration;
pub(crate) mod function;
pub(crate) mod interface_variable;
pub(crate) mod per_vertex_block;
pub(crate) mod redeclaration;
pub(crate) mod structure;
