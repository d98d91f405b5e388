//! Vocabulary of the whole project: the types that compiler, executors and results share.
//!
//! Each type is defined here and nowhere else. Other crates may re-export them. The crate knows
//! no compiler, no simulator and no file format beyond the names of its own variants.
//!
//! ```
//! use vocabulary::{Generation, Stage, Width};
//!
//! let generations = Generation::parse_list("skl, ivb")?;
//! assert_eq!(generations, [Generation::Ivb, Generation::Skl]);
//! assert_eq!(Stage::TessControl.name(), "tessellation control");
//! assert_eq!(Width::Simd16.channels(), 16);
//! # Ok::<(), vocabulary::UnknownGeneration>(())
//! ```

#![forbid(unsafe_code)]

mod codegen_options;
mod generation;
pub mod half;
mod internal_error;
mod list;
mod pass_limit;
mod phase;
mod progress;
mod source_line;
mod spelling;
mod stage;
mod target;
mod width;

pub use codegen_options::{CodegenOptions, LivenessGranularity, PayloadInterference, QuirkSet};
pub use generation::{Generation, UnknownGeneration};
pub use internal_error::{InternalError, panic_text};
pub use pass_limit::{PassLimit, Scope, parse_stage, parse_width, stage_word};
pub use phase::Phase;
pub use progress::{Progress, Step, begin_step};
pub use source_line::{LineTable, SourceLine};
pub use spelling::nearest;
pub use stage::Stage;
pub use target::{Target, UnknownTarget};
pub use width::{Backend, Width};
