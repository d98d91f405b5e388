//! Pass lists of both back ends.
//!
//! [`generate_code`](crate::codegen::generate_code) runs them; nothing else lists passes of LIR.
//! Passes with the prefix `opt_` are optional: they count towards the limits of
//! [`CodegenOptions`](vocabulary::CodegenOptions) and can be disabled by name.

use crate::legalize::*;
use crate::lir::Program;
use crate::model::Model;
use crate::opt::*;
pub use ir::PassRecord;
use ir::{Pass, passes};
use vocabulary::Width;

/// The function of a pass: returns whether it changed the program.
pub type LirFunction = fn(&mut Program, &Model) -> bool;

/// A pass of LIR with its name.
pub type LirPass = Pass<LirFunction>;

/// The passes of a back end, in their order.
#[derive(Clone, Copy, Debug)]
pub struct PassList {
    /// Optional passes, repeated until nothing changes.
    pub simplify: &'static [LirPass],
    /// Optional passes that merge registers, and those above, repeated until nothing changes.
    pub optimize: &'static [LirPass],
    /// Required passes, once each: afterwards every instruction can be encoded.
    pub legalize: &'static [LirPass],
    /// Optional passes, repeated until nothing changes; they keep the program encodable.
    pub clean_up: &'static [LirPass],
    /// Optional passes just before allocation, once each.
    pub late: &'static [LirPass],
    /// Optional passes on the allocated program, once each.
    pub allocated: &'static [LirPass],
}

/// The scalar back end's passes.
pub static SCALAR: PassList = PassList {
    // Before registers merge: afterwards copies of what they held are not copies any more.
    simplify: &passes![
        opt_copy_propagation,
        opt_algebraic,
        opt_cse,
        opt_cmod_propagation,
        opt_flag_reuse,
        opt_saturate_propagation,
        opt_dce,
    ],
    optimize: &passes![
        opt_copy_propagation,
        opt_algebraic,
        opt_cse,
        opt_cmod_propagation,
        opt_flag_reuse,
        opt_saturate_propagation,
        opt_dce,
        opt_control_flow,
        opt_destination,
        opt_share_payloads,
        opt_coalesce,
    ],
    legalize: &passes![
        legalize_constants,
        legalize_math,
        legalize_three_source,
        legalize_64bit_regions,
        legalize_simd_width,
    ],
    clean_up: &passes![
        opt_predicated_comparisons,
        opt_dce,
        opt_coalesce,
        opt_default_branch,
        opt_dead_halts,
        opt_split_sends,
    ],
    late: &passes![opt_payload_in_place, opt_shared_headers, opt_flag_allocation, opt_dce],
    allocated: &passes![opt_schedule],
};

/// The vec4 back end's passes.
pub static VEC4: PassList = PassList {
    simplify: &[],
    optimize: &passes![opt_vec4_copy_propagation, opt_vec4_dce, opt_vec4_coalesce],
    legalize: &passes![
        legalize_vec4_operands,
        lower_df_swizzle,
        lower_df_writemask,
        lower_simd_width,
        legalize_64bit_regions,
    ],
    clean_up: &passes![opt_vec4_dce],
    late: &[],
    allocated: &[],
};

impl PassList {
    /// Returns the passes of kernels of this width.
    #[must_use]
    pub fn of(width: Width) -> &'static PassList {
        if width == Width::Vec4 { &VEC4 } else { &SCALAR }
    }

    /// Every pass, in order.
    fn all(&self) -> impl Iterator<Item = LirPass> {
        [self.simplify, self.optimize, self.legalize, self.clean_up, self.late, self.allocated]
            .into_iter()
            .flatten()
            .copied()
    }
}

/// Every pass of both back ends; those that both have occur twice.
pub fn all() -> impl Iterator<Item = LirPass> {
    SCALAR.all().chain(VEC4.all())
}

/// Returns the names of the optional passes of both back ends.
pub fn optional() -> impl Iterator<Item = &'static str> {
    all().map(|pass| pass.name).filter(|name| ir::pass::is_optional(name))
}

/// Returns the pass with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<LirPass> {
    all().find(|pass| pass.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir;

    #[test]
    fn names_are_unique() {
        for pass in all() {
            let found = by_name(pass.name).expect("a listed pass");
            assert!(std::ptr::fn_addr_eq(found.run, pass.run), "{}", pass.name);
        }
    }

    /// Passes leave an empty program as it is.
    #[test]
    fn empty_programs_do_not_change() {
        let devinfo = intel_isa::DevInfo::get("chv").expect("a device");
        let model = Model::new(devinfo, crate::QuirkSet::default());
        for pass in all() {
            let mut program = lir::Program::new(8);
            assert!(!(pass.run)(&mut program, &model), "{}", pass.name);
        }
    }
}
