//! Lowers the typed program to the SSA intermediate representation.
//!
//! One stage becomes one function: calls are inlined, or become states of a loop where that would
//! make the stage too large ([`procedures`]); early returns become structured control flow,
//! structures and arrays are split into local variables of scalars and vectors (later passes
//! build SSA from them), interface variables become slot and memory accesses. Nothing is optimized
//! here.
//!
//! ```
//! use program::link::{LinkOptions, link};
//! use program::{Api, Capabilities, CapabilityTable, Stage, StageKey, TypeTable};
//!
//! let capabilities = Capabilities::from(CapabilityTable {
//!     generation: "skl".into(),
//!     api: Api::Compatibility,
//!     gl_version: 46,
//!     glsl_version: 460,
//!     extensions: Default::default(),
//!     limits: Default::default(),
//! });
//! let source = "#version 120\nvoid main() { gl_Position = 2.0 * gl_Vertex; }";
//! let mut types = TypeTable::default();
//! let shader = glsl::compile(&[source], Stage::Vertex, Default::default(), &mut types)
//!     .map_err(|errors| errors.to_string())?;
//! let program = link(vec![shader], types, &LinkOptions::new(&capabilities))
//!     .map_err(|error| error.to_string())?;
//!
//! let shader = lower::lower(&program, Stage::Vertex, &StageKey::default(), None)
//!     .map_err(|error| error.to_string())?;
//! assert!(shader.to_string().contains("fmul"));
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

mod access;
mod arithmetic;
mod builtins;
mod calls;
mod error;
mod expression;
mod info;
mod interface;
mod interpolate;
mod linear;
mod lowerer;
mod memory;
mod place;
mod procedures;
mod statement;
mod storage;
mod texture;
mod trigonometry;
mod value;

use program::{Program, Stage, StageKey};

pub use error::LowerError;
pub use info::slot;
use lowerer::Lowerer;
use procedures::Procedures;

/// Lowers one stage of a linked program, for draws with the given key.
///
/// Calls are inlined while that makes at most `inline_limit` expressions (`None`: a limit for real
/// programs; 0: no call is inlined).
///
/// # Errors
/// Names the part of the stage that cannot be lowered.
pub fn lower(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    inline_limit: Option<u32>,
) -> Result<ir::Shader, LowerError> {
    let linked = program.stage(stage).ok_or(LowerError::NoStage(stage))?;
    let mut shader = ir::Shader::new(stage);
    // About what an expression becomes.
    shader.reserve(2 * linked.shader.exprs.len());
    shader.info = info::shader_info(program, linked, key);
    let procedures = Procedures::new(&linked.shader, &program.types, inline_limit);
    let mut lowerer = Lowerer::new(program, linked, key, procedures, &mut shader);
    lowerer.run()?;
    if lowerer.procedures.is_empty() {
        lowerer.builder.finish();
        return Ok(shader);
    }
    let main = lowerer.builder.take_body();
    let bodies = lowerer.procedure_bodies()?;
    let calls = lowerer.procedures.take_calls();
    procedures::link(&mut shader, main, &bodies, &calls)?;
    Ok(shader)
}
