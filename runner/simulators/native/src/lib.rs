//! Translates arithmetic and branches of simulated kernels to the host's code.
//!
//! A simulator describes a part of a kernel as a [`Region`]: blocks of [`Step`]s on a register file
//! of [`FILE`] bytes, and the branches between them. [`Code::translate`] makes a function of it,
//! with four channels in each vector register of the host. The function executes blocks as long as
//! all active channels go the same way, and leaves before the first thing that it cannot do: the
//! simulator goes on from there. So the region need not be complete, and its results are those of
//! the simulator, bit for bit.
//!
//! Programs of waves, 64 lanes with scalar registers beside them, are a [`WaveRegion`] and become
//! [`WaveCode`]: blocks whose vector instructions are loops over groups of four lanes.
//!
//! The file of a [`Region`] is 256 chunks of 16 bytes. Within a block each chunk has a value in a
//! register of the host: it is loaded at most once and stored at most once.
//!
//! ```
//! use native::{
//!     BranchTarget, Code, Effect, End, FILE, Operation, Place, Region, RegionBlock, State, Step,
//!     StepSource,
//! };
//!
//! let row = |offset| StepSource { place: Place::Row(offset), ..StepSource::NONE };
//! let step = Step {
//!     operation: Operation::AddDwords,
//!     sources: [row(0), row(32), StepSource::NONE],
//!     destination: Some(64),
//!     lanes: 8,
//!     enables: 0xff,
//!     group: Some(0),
//!     predicate: None,
//!     condition: None,
//!     saturate: false,
//! };
//! let end = End::Go(BranchTarget::Leave(1));
//! let effect = Effect { spoiled: 1 << 2, normal: 0 };
//! let block = RegionBlock { place: 0, join: None, steps: vec![step], effect, end };
//! let region = Region { blocks: vec![block], flushes: true };
//! let mut file = [1; FILE];
//! let mut state = State { active: 0xff, left: 100, ..State::default() };
//! // A host that the code generator does not know has no code.
//! if let Some(code) = Code::translate(&region, true) {
//!     assert_eq!(code.run(0, &mut file, &mut state), 1);
//!     assert_eq!((file[64], state.left), (2, 99));
//! }
//! ```

mod code;
mod control;
mod emit;
mod jumps;
mod lanes;
mod memory;
mod plan;
mod region;
mod state;
mod threshold;
mod variants;
mod wave;

pub use code::Code;
pub use region::{
    Branch, BranchTarget, Condition, Effect, End, Operation, Order, Place, Predicate, Region,
    RegionBlock, Step, StepSource, Test,
};
pub use state::State;
pub use threshold::threshold;
pub use variants::Variants;
pub use wave::{
    LaneOperation, LaneOrders, LanePlace, LaneSource, LaneType, RegisterSet, SCALARS,
    SaveOperation, ScalarOperation, ScalarSource, ScalarStep, VectorStep, WaveBlock, WaveCode,
    WaveEnd, WaveRegion, WaveState, WaveStep, WaveTest,
};

/// Bytes of the register file.
pub const FILE: usize = 4096;
/// Bytes of a chunk: a vector register of the host.
const CHUNK: usize = 16;

#[cfg(test)]
mod tests;
