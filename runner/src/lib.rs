//! The `runner` command: compiles, executes and judges `.shader_test` files on simulated Intel
//! hardware.
//!
//! The command line ([`cli`]) selects tests ([`select`]) and generations. The scheduler
//! ([`schedule`]) has each test case executed in a worker process ([`supervise`]). One stream of
//! [`results::event`]s feeds the [`console`] and the results files.
//!
//! ```
//! use runner::select::Filter;
//!
//! let filter = Filter::new(&["fp64".to_owned()], &[], None)?;
//! assert!(filter.accepts("fp64/add") && !filter.accepts("half/add"));
//! # Ok::<(), runner::select::SelectError>(())
//! ```

pub mod bundles;
pub mod cli;
pub mod console;
pub mod device_library;
pub mod locate;
pub mod mock;
pub mod profiles;
pub mod schedule;
pub mod select;
pub mod serve;
pub mod temporary_folder;
pub mod virtual_gpu;
