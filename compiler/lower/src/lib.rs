//! Lowers the typed program to the SSA intermediate representation.
//!
//! One stage becomes one function: every call is inlined, early returns become structured control
//! flow, structures and arrays are split into local variables of scalars and vectors (later passes
//! build SSA from them), interface variables become slot and memory accesses. Nothing is optimized
//! here.

#![forbid(unsafe_code)]

mod access;
mod arithmetic;
mod builtins;
mod error;
mod expression;
mod info;
mod interface;
mod linear;
mod lowerer;
mod memory;
mod place;
mod statement;
mod storage;
mod texture;
mod trigonometry;
mod value;

use program::{Program, Stage, StageKey};

pub use error::LowerError;
use lowerer::Lowerer;

/// Lowers one stage of a linked program, for draws with the given key.
pub fn lower(program: &Program, stage: Stage, key: &StageKey) -> Result<ir::Shader, LowerError> {
    let linked = program.stage(stage).ok_or(LowerError::NoStage(stage))?;
    let mut shader = ir::Shader::new(stage);
    // About what an expression becomes.
    shader.reserve(2 * linked.shader.exprs.len());
    shader.info = info::shader_info(program, linked, key);
    let mut lowerer = Lowerer::new(program, linked, key, &mut shader);
    lowerer.run()?;
    lowerer.builder.finish();
    Ok(shader)
}
