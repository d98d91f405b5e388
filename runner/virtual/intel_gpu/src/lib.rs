//! Virtual GPU: executes the batches of an unmodified Intel driver.
//!
//! The crate `gpu_service` serves processes; [`model`] is the GPU that it creates for each. A
//! submission brings an address space and the address of a batch, which a [`Gpu`] executes command
//! by command. State persists in hardware contexts. A command or state that is not
//! modeled stops the batch with an error that names opcode and address.
//!
//! ```
//! use packets::Recording;
//! use vocabulary::Generation;
//!
//! // A batch of a single command: MI_BATCH_BUFFER_END.
//! let mut file = b"batch 10000 len 4 ring 1 ver 70 n 1\nPAGE".to_vec();
//! file.extend(0x10000_u64.to_le_bytes());
//! file.extend(0x0500_0000_u32.to_le_bytes());
//! file.extend([0; 4092]);
//! file.extend(b"OBJ.");
//! [0x10000_u64, 4096, 1].iter().for_each(|n| file.extend(n.to_le_bytes()));
//! let memory = Recording::parse(&file).unwrap();
//!
//! let mut gpu = intel_gpu::Gpu::new(Generation::Ivb, intel_gpu::clock(Generation::Ivb));
//! assert_eq!(gpu.execute(&memory, 1, memory.address).unwrap(), 1);
//! ```

mod context;
mod draw;
mod effects;
mod facts;
mod gpu;
mod mi;
mod watch;

pub use facts::{Facts, GroupScratch};
pub use gpu::{Gpu, clock, model};
pub use watch::{Watch, WatchedKernel};
