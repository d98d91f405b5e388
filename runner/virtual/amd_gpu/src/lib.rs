//! Virtual GPU: executes the command buffers of an unmodified AMD driver.
//!
//! The crate `gpu_service` serves processes; [`model`] is the GPU that it creates for each. A
//! submission brings an address space and a buffer of packets, which a [`Gpu`] executes one by one:
//! packets that set registers change the state of a context, draws and dispatches run waves of the
//! driver's shaders on `gcn_simulator`. A packet, a register or state that is not modeled stops the
//! buffer with an error that names it.
//!
//! ```
//! use packets::Recording;
//! use vocabulary::Generation;
//!
//! // A buffer of a single packet: a filler.
//! let mut file = b"batch 10000 len 4 ring 0 ver 80 n 1\nPAGE".to_vec();
//! file.extend(0x10000_u64.to_le_bytes());
//! file.extend(0x8000_0000_u32.to_le_bytes());
//! file.extend([0; 4092]);
//! file.extend(b"OBJ.");
//! [0x10000_u64, 4096, 1].iter().for_each(|n| file.extend(n.to_le_bytes()));
//! let memory = Recording::parse(&file).unwrap();
//!
//! let mut gpu = amd_gpu::Gpu::new(Generation::Vi, amd_gpu::clock(Generation::Vi));
//! assert_eq!(gpu.execute(&memory, 1, memory.address, 4).unwrap(), 1);
//! ```

mod command;
mod compute;
mod context;
mod draw;
mod gpu;
mod hardware;
mod images;
mod kernels;
mod metadata;
mod registers;
mod state;
mod statistics;
mod texels;
mod tiling;
mod wave;

pub use gpu::{Gpu, clock, model};
