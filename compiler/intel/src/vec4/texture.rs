//! Texture accesses.

use super::select::Selector;
use crate::error::CompileError;
use ir::{Tex, Value};

impl Selector<'_> {
    pub(super) fn emit_texture(&mut self, tex: &Tex, _result: Value) -> Result<(), CompileError> {
        Err(CompileError::lower(format!("{} is not supported in vertex shaders", tex.op.name())))
    }
}
