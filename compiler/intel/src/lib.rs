//! IR to execution-unit code: models, payloads, sends, liveness, allocation, scalar and vec4 back ends.

pub mod allocate;
pub mod bir;
mod error;
pub mod liveness;
pub mod model;
mod options;
pub mod output;
pub mod pattern;
pub mod sends;

pub use error::{CompileError, Layer};
pub use model::{Model, Quirk, QuirkSet};
pub use options::{Backend, Options, StageKey};
