//! Instructions on subgroups.

mod ballot;
mod subgroup;
mod subgroup_loop;
