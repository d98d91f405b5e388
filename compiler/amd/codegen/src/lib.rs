//! Back end for AMD's GCN chips: from the IR of one shader to machine code and the metadata that a
//! device needs.
//!
//! [`compile`] decides which values are the same in all lanes ([`uniformity`]) and in which
//! register file each lives ([`homes`]), selects instructions of [`machine`], allocates registers
//! ([`allocate()`](allocate::allocate)), and inserts waits and wait states ([`passes`] lists the
//! passes). `amd_isa::validate` judges every program.
//!
//! ```
//! let text = "shader vertex
//! input attribute0 mask=15 smooth pixel stream=0
//! output position mask=15 smooth pixel stream=0
//! block b0 {
//!   32x1 v0 = const 0x0
//!   32x4 v1 = load_input v0 slot=attribute0 component=0
//!   store_output v1, v0 slot=position component=0 mask=15 stream=0
//! }
//! ";
//! let shader = ir::parse(text)?;
//! let (key, options) = (amd_codegen::StageKey::default(), amd_codegen::CodegenOptions::default());
//! let output = amd_codegen::compile(&shader, &key, amd_isa::Chip::Si, &options)?;
//! let program = amd_isa::decode_program(output.chip, &output.words)?;
//! let text = amd_isa::print_program(output.chip, &program);
//! assert!(text.contains("exp pos0 v0, v1, v2, v3 done"), "{text}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod allocate;
mod compile;
pub mod homes;
pub mod interfaces;
pub mod liveness;
pub mod machine;
mod opt;
pub mod output;
pub mod passes;
pub mod physical;
mod select;
mod stage;
mod stage_key;
pub mod uniformity;

pub use compile::{compile, compile_recorded, compile_with};
pub use ir::CompileError;
pub use output::Output;
pub use stage_key::{NextStage, StageKey, TessDomain};
pub use vocabulary::CodegenOptions;
