//! Passes: one file each, one public function each, `fn(&mut Shader) -> bool` saying whether anything changed.
//! They assume a shader that the validator accepts and leave one. Run them through
//! [`PassManager`](crate::PassManager).

mod rewrite;

mod algebraic_rules;
mod double_division;
mod lower_doubles;
mod lower_vectors_to_scalar;
mod opt_algebraic;
mod opt_constant_fold;
mod opt_copy_propagate;
mod opt_cse;
mod opt_dce;
mod opt_dead_cf;
mod opt_promote_locals;

pub use lower_doubles::lower_doubles;
pub use lower_vectors_to_scalar::lower_vectors_to_scalar;
pub use opt_algebraic::opt_algebraic;
pub use opt_constant_fold::opt_constant_fold;
pub use opt_copy_propagate::opt_copy_propagate;
pub use opt_cse::opt_cse;
pub use opt_dce::opt_dce;
pub use opt_dead_cf::opt_dead_cf;
pub use opt_promote_locals::opt_promote_locals;

#[cfg(test)]
mod algebraic_tests;
#[cfg(test)]
mod lower_doubles_tests;
#[cfg(test)]
mod tests;
