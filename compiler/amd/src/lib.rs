//! Back end for AMD's GCN chips: from the IR of one shader to machine code and the metadata that a
//! device needs.
//!
//! [`compile`] decides which values are the same in all lanes ([`uniformity`]) and in which
//! register file each lives ([`homes`]), selects instructions of [`machine`], allocates registers
//! ([`allocate()`](allocate::allocate)), and inserts waits and wait states. `gcn::validate` judges
//! every program.

pub mod allocate;
mod compile;
mod error;
pub mod homes;
pub mod liveness;
pub mod machine;
pub mod output;
pub mod physical;
mod select;
mod stage;
mod stage_key;
pub mod uniformity;
pub mod wait_states;
pub mod waits;

pub use compile::compile;
pub use error::CompileError;
pub use output::Output;
pub use stage_key::StageKey;
