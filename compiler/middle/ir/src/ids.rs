//! Typed ids of the dense tables of a [`Shader`](crate::Shader).
//!
//! Ids are plain numbers: they stay valid for the life of the shader, deleted entities merely
//! become unreachable.

use cranelift_entity::entity_impl;

/// An SSA value: one to four components of one bit size, defined by exactly one instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);
entity_impl!(Value, "v");

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// A basic block: phis first, then other instructions, then at most one jump.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "b");

/// A node of the structured control-flow tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);
entity_impl!(Node, "node");

/// A local variable or indexable temporary, before or beside SSA.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(u32);
entity_impl!(Local, "l");
