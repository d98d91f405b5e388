//! Compiles, executes and judges `.shader_test` files on simulated Intel hardware.
//!
//! The command line ([`cli`]) selects tests ([`select`], [`names`]) and generations ([`target`], [`capabilities`]), the
//! scheduler ([`schedule`]) has each (test, generation) row run through [`execute`] in a worker process ([`supervise`]),
//! and one stream of [`event`]s feeds the [`console`] and the [`results`].

pub mod bisect;
pub mod bundle;
pub mod capabilities;
pub mod cli;
pub mod console;
pub mod coverage;
pub mod devices;
pub mod diagnostics;
pub mod diff;
pub mod event;
pub mod execute;
pub mod expect;
pub mod external;
pub mod fuzz;
pub mod history;
pub mod mock;
pub mod names;
pub mod passes;
pub mod reduce;
pub mod report;
pub mod results;
pub mod schedule;
pub mod select;
pub mod shard;
pub mod supervise;
pub mod target;
mod threads;
pub mod verdict;
