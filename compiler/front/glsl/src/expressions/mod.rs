//! Expressions and statements, except calls.

pub(crate) mod constant;
pub(crate) mod expression;
pub(crate) mod operator;
pub(crate) mod place;
pub(crate) mod statement;
