//! Service of GL processes by a virtual GPU.
//!
//! [`Server`] serves processes whose kernel device is the library of the crate `preload`. Each
//! submission brings an address space ([`BatchMemory`]) and the address of a batch, which a
//! [`Processor`] executes; a [`Model`] creates one for each process. Reasons why a batch stops are
//! [`GpuError`]s. A [`Guard`] stops batches whose process has ended.
//!
//! ```
//! use gpu_service::{Guard, vertex_count};
//!
//! assert!(Guard::default().check().is_ok());
//! assert_eq!(vertex_count(3), Ok(3));
//! ```

mod clock;
mod error;
mod guard;
mod memory;
mod processor;
mod server;

pub use clock::Clock;
pub use error::{CommandError, GpuError, Outcome, not_modeled};
pub use guard::{Guard, vertex_count};
pub use memory::{BatchMemory, Files};
pub use processor::{Model, Processor, Start};
pub use server::{Event, Server, Settings, Summary};
pub use submission::KernelUse;
