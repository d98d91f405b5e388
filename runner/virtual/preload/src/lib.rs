//! A library that is preloaded into a GL process and plays the kernel's device.
//!
//! The driver finds a render node, creates buffer objects in one memory file, and submits batches.
//! The library answers everything that is bookkeeping itself and sends each batch with its address
//! space to the virtual GPU over a socket, waiting until it was executed. So a submission signals
//! its synchronization objects at once and no object is ever busy.
//!
//! | module | content |
//! |---|---|
//! | `interpose` | functions of the C library that are replaced |
//! | `files` | files that describe the device, and which descriptors are the device |
//! | `ioctl` | requests that all drivers make |
//! | `i915`, `amdgpu` | requests of Intel's and of AMD's drivers |
//! | `kernel` | buffer objects, contexts, submissions |
//! | `fences` | synchronization objects |
//! | `heap` | ranges of the memory file |
//! | `mappings` | address space that the driver arranges |
//! | `request` | common parts of the requests of all drivers |
//! | `device`, `chips` | facts of each generation, of AMD's in detail |
//!
//! Without the environment variables of [`submission`] every call goes to the system.
//!
//! ```
//! // The generation and the socket are given to the GL process in its environment.
//! assert_eq!(submission::GENERATION_VARIABLE, "RUNNER_GPU_GENERATION");
//! assert_eq!(submission::SOCKET_VARIABLE, "RUNNER_GPU_SOCKET");
//! ```

// The replaced functions, which use the rest, are left out of unit tests.
#![cfg_attr(test, allow(dead_code, reason = "used by the replaced functions"))]

mod amdgpu;
mod chips;
mod device;
mod errors;
mod exports;
mod fences;
mod files;
mod heap;
mod i915;
// In unit tests these would replace the functions of the test program.
#[cfg(not(test))]
mod interpose;
mod ioctl;
mod kernel;
mod mappings;
mod memory;
mod request;
#[cfg(test)]
mod testing;
