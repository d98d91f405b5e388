//! Optimisations of back-end programs.

mod opt_algebraic;
mod opt_cmod_propagation;
mod opt_coalesce;
mod opt_common_subexpressions;
mod opt_control_flow;
mod opt_copy_propagation;
mod opt_dead_code;
mod opt_destination;
mod opt_flag_reuse;
mod opt_saturate_propagation;
mod structured_regions;
#[cfg(test)]
mod tests;
mod use_counts;

pub use opt_algebraic::opt_algebraic;
pub use opt_cmod_propagation::opt_cmod_propagation;
pub use opt_coalesce::opt_coalesce;
pub use opt_common_subexpressions::opt_common_subexpressions;
pub use opt_control_flow::opt_control_flow;
pub use opt_copy_propagation::opt_copy_propagation;
pub(crate) use opt_copy_propagation::wraps;
pub use opt_dead_code::opt_dead_code;
pub use opt_destination::opt_destination;
pub use opt_flag_reuse::opt_flag_reuse;
pub use opt_saturate_propagation::opt_saturate_propagation;
