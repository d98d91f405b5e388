//! Optimizations of LIR programs; `opt_vec4_…` are those of Align16 programs.

mod modifiers;
mod opt_algebraic;
mod opt_cmod_propagation;
mod opt_coalesce;
mod opt_control_flow;
mod opt_copy_propagation;
mod opt_cse;
mod opt_dce;
mod opt_destination;
mod opt_flag_reuse;
mod opt_saturate_propagation;
mod opt_schedule;
mod opt_split_sends;
mod opt_vec4_coalesce;
mod opt_vec4_copy_propagation;
mod opt_vec4_dce;
mod structured_regions;
mod use_counts;

pub(crate) use opt_algebraic::opt_algebraic;
pub(crate) use opt_cmod_propagation::opt_cmod_propagation;
pub(crate) use opt_coalesce::opt_coalesce;
pub(crate) use opt_control_flow::opt_control_flow;
pub(crate) use opt_copy_propagation::opt_copy_propagation;
pub(crate) use opt_cse::opt_cse;
pub(crate) use opt_dce::opt_dce;
pub(crate) use opt_destination::opt_destination;
pub(crate) use opt_flag_reuse::opt_flag_reuse;
pub(crate) use opt_saturate_propagation::opt_saturate_propagation;
pub(crate) use opt_schedule::opt_schedule;
pub(crate) use opt_split_sends::opt_split_sends;
pub(crate) use opt_vec4_coalesce::opt_vec4_coalesce;
pub(crate) use opt_vec4_copy_propagation::opt_vec4_copy_propagation;
pub(crate) use opt_vec4_dce::opt_vec4_dce;
