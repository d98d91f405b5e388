//! Passes: one file each, with one public function of the same name, which returns whether it
//! changed the shader. They expect a shader that the validator accepts and leave one. The
//! [`PassManager`](crate::PassManager) runs them.

mod algebraic_rules;
mod double_division;
mod double_parts;
mod inexact_rules;
mod lower_bitfield;
mod lower_doubles;
mod lower_float_ops;
mod lower_half;
mod lower_int64;
mod lower_locals_to_scratch;
mod lower_locals_to_select_chain;
mod lower_pack;
mod lower_shadow_gradients;
mod lower_small_types;
mod lower_varyings;
mod lower_vectors_to_scalar;
mod opt_algebraic;
mod opt_algebraic_inexact;
mod opt_bitfield;
mod opt_combine_stores;
mod opt_constant_folding;
mod opt_constant_inputs;
mod opt_copied_inputs;
mod opt_copy_propagation;
mod opt_cse;
mod opt_dce;
mod opt_dead_cf;
mod opt_discard_if;
mod opt_fuse_ffma;
mod opt_known_conditions;
mod opt_loop_unroll;
mod opt_nested_ifs;
mod opt_nested_selects;
mod opt_peephole_select;
mod opt_promote_locals;
mod opt_reassociate;
mod opt_single_break;
mod opt_undef;
mod opt_unread_outputs;
mod rewrite;

pub use lower_bitfield::lower_bitfield;
pub use lower_doubles::lower_doubles;
pub use lower_float_ops::lower_float_ops;
pub use lower_half::lower_half;
pub use lower_int64::lower_int64;
pub use lower_locals_to_scratch::lower_locals_to_scratch;
pub use lower_locals_to_select_chain::lower_locals_to_select_chain;
pub use lower_pack::lower_pack;
pub use lower_shadow_gradients::lower_shadow_gradients;
pub use lower_small_types::lower_small_types;
pub use lower_varyings::lower_varyings;
pub use lower_vectors_to_scalar::lower_vectors_to_scalar;
pub use opt_algebraic::opt_algebraic;
pub use opt_algebraic_inexact::opt_algebraic_inexact;
pub use opt_bitfield::opt_bitfield;
pub use opt_combine_stores::opt_combine_stores;
pub use opt_constant_folding::opt_constant_folding;
pub use opt_constant_inputs::opt_constant_inputs;
pub use opt_copied_inputs::opt_copied_inputs;
pub use opt_copy_propagation::opt_copy_propagation;
pub use opt_cse::opt_cse;
pub use opt_dce::opt_dce;
pub use opt_dead_cf::opt_dead_cf;
pub use opt_discard_if::opt_discard_if;
pub use opt_fuse_ffma::opt_fuse_ffma;
pub use opt_known_conditions::opt_known_conditions;
pub use opt_loop_unroll::opt_loop_unroll;
pub use opt_nested_ifs::opt_nested_ifs;
pub use opt_nested_selects::opt_nested_selects;
pub use opt_peephole_select::opt_peephole_select;
pub use opt_promote_locals::opt_promote_locals;
pub use opt_reassociate::opt_reassociate;
pub use opt_single_break::opt_single_break;
pub use opt_undef::opt_undef;
pub use opt_unread_outputs::opt_unread_outputs;

use crate::pass::Pass;
use crate::shader::Shader;

/// A pass of the IR.
pub type IrPass = Pass<fn(&mut Shader) -> bool>;

/// Longest array that the `lower_locals_to_select_chain` of [`ALL`] takes apart.
const SELECT_CHAIN_LENGTH: u32 = 16;

/// Every pass that needs no facts about other shaders; passes with parameters at their usual ones.
pub const ALL: &[IrPass] = &crate::passes![
    lower_bitfield,
    lower_doubles,
    lower_float_ops,
    lower_half(false),
    lower_int64(false),
    lower_locals_to_scratch(0),
    lower_locals_to_select_chain(SELECT_CHAIN_LENGTH),
    lower_pack,
    lower_shadow_gradients,
    lower_small_types(true),
    lower_vectors_to_scalar,
    opt_algebraic,
    opt_algebraic_inexact,
    opt_bitfield,
    opt_combine_stores,
    opt_constant_folding,
    opt_copy_propagation,
    opt_cse,
    opt_dce,
    opt_dead_cf,
    opt_discard_if,
    opt_fuse_ffma,
    opt_known_conditions,
    opt_loop_unroll,
    opt_nested_ifs,
    opt_nested_selects,
    opt_peephole_select,
    opt_promote_locals,
    opt_reassociate,
    opt_single_break,
    opt_undef,
];

/// Returns the pass with this name.
pub fn by_name(name: &str) -> Option<IrPass> {
    ALL.iter().copied().find(|pass| pass.name == name)
}

#[cfg(test)]
mod algebraic_tests;
#[cfg(test)]
mod bitfield_tests;
#[cfg(test)]
mod lower_doubles_tests;
#[cfg(test)]
mod lowering_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod varyings_tests;
