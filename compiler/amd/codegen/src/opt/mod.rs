//! Optional passes on machine programs, a file each.

mod motion;
mod opt_copy_propagation;
mod opt_dce;
mod opt_join_blocks;
mod opt_schedule;
mod opt_sink;

pub(crate) use opt_copy_propagation::opt_copy_propagation;
pub(crate) use opt_dce::opt_dce;
pub(crate) use opt_join_blocks::opt_join_blocks;
pub(crate) use opt_schedule::opt_schedule;
pub(crate) use opt_sink::opt_sink;
