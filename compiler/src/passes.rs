//! The IR pipeline: the IR passes in their order, from lowering to instruction selection.
//!
//! [`pipeline`] is the whole of it. Its three parts are separate functions, because caches store
//! the results of [`early`] and [`late`]. The back end's passes follow: [`intel_codegen::passes`]
//! and [`amd_codegen::passes`] list them. Nothing else decides which passes run;
//! [`ir::passes::ALL`] is the registry of names.

use std::collections::BTreeSet;
use std::sync::Arc;

use intel_isa::DevInfo;
use ir::passes::*;
use ir::varying_places::VaryingPlaces;
use ir::varyings::{InputReads, OutputFacts};
use ir::{IrPass, IrUnit, PassOptions, Shader, ValidationError, pass, passes};
use vocabulary::{Backend, CodegenOptions, Stage};

/// The pass manager of the IR.
pub type PassManager<'a> = ir::PassManager<'a, Shader>;
/// An error of an IR pass.
pub type PassError = ir::PassError<ValidationError>;

/// Most rounds of a repeated list; real shaders settle in a handful.
const MAX_ROUNDS: usize = 16;
/// Most loops unrolled in a shader: each run of the pass unrolls one.
const MAX_UNROLLED_LOOPS: usize = 64;
/// Most rounds of reassociation: each finds the common parts of the one before.
const MAX_REASSOCIATIONS: usize = 4;
/// Arrays with more data per invocation are in memory: each dword takes one of 128 registers at
/// SIMD8, two at SIMD16.
const MAX_REGISTER_ARRAY_DWORDS: u32 = 64;
/// The same on AMD's chips, where each register beyond 24 costs a wave.
const MAX_REGISTER_ARRAY_DWORDS_AMD: u32 = 32;
/// Arrays up to this length become select chains when indexed at run time.
const MAX_SELECT_CHAIN_LENGTH: u32 = 32;

/// Clean-up after any other pass: repeated until nothing changes.
const CLEAN_UP: &[IrPass] = &passes![
    opt_copy_propagation,
    opt_dce,
    opt_constant_folding,
    opt_algebraic,
    opt_undef,
    opt_single_break,
    opt_dead_cf,
    opt_known_conditions,
    opt_nested_ifs,
    opt_discard_if,
    opt_peephole_select,
    opt_nested_selects,
    opt_cse,
];

/// Recognition of open-coded bit-field operations.
const BITFIELDS: &[IrPass] = &passes![opt_bitfield, opt_copy_propagation];

/// Merging of what reassociation made equal or constant.
const SHARING: &[IrPass] = &passes![opt_constant_folding, opt_cse, opt_copy_propagation, opt_dce];

/// Takes a freshly lowered shader to what its back end accepts. `neighbors` finds out about the
/// neighboring stages after the early passes.
///
/// # Errors
/// The error of a pass.
pub fn pipeline(
    manager: &mut PassManager<'_>,
    shader: &mut Arc<Shader>,
    neighbors: impl FnOnce(&Shader) -> NeighborFacts,
    target: IrTarget,
) -> Result<(), PassError> {
    early(manager, Arc::make_mut(shader))?;
    let facts = neighbors(shader);
    link_varyings(manager, shader, &facts)?;
    late(manager, Arc::make_mut(shader), target)
}

/// The early passes: SSA form and optimizations that no machine and no other stage matters to.
///
/// # Errors
/// The error of a pass.
pub fn early(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), PassError> {
    shader_is_valid(shader)?;
    // Required: other passes see little of a shader whose variables are not SSA values.
    manager.run_required(shader, pass!(opt_promote_locals))?;
    optimize(manager, shader)?;
    unroll(manager, shader)?;
    // Longer arrays stay locals: the scalar back end has them in registers or, see `late`, in
    // scratch memory, the vec4 back end always in scratch memory.
    manager.run(shader, pass!(lower_locals_to_select_chain(MAX_SELECT_CHAIN_LENGTH)))?;
    // Promotes arrays that select chains access, and those whose last indices unrolling made
    // constant.
    if manager.run_required(shader, pass!(opt_promote_locals))? {
        optimize(manager, shader)?;
    }
    Ok(())
}

/// Facts about the neighboring stages.
#[derive(Default)]
pub struct NeighborFacts {
    /// Facts about the outputs of the previous stage, if any.
    pub outputs: Option<OutputFacts>,
    /// Inputs that the next stage reads, if unread outputs may be dropped.
    pub reads: Option<InputReads>,
    /// The previous stage moves its outputs to the places that suit this stage's inputs.
    pub moves_inputs: bool,
    /// The places that suit the next stage.
    pub output_places: Option<VaryingPlaces>,
}

/// The link-time passes, after [`early`]: constants of the previous stage replace inputs, copies of
/// its outputs are read only once, outputs that the next stage does not read are dropped, and those
/// that it reads share slots. The last is no optional pass: both stages must agree on it.
///
/// # Errors
/// The error of a pass.
pub fn link_varyings(
    manager: &mut PassManager<'_>,
    shader: &mut Arc<Shader>,
    facts: &NeighborFacts,
) -> Result<(), PassError> {
    if let Some(OutputFacts { constants, copies }) = &facts.outputs {
        let shader = Arc::make_mut(shader);
        let has_copies = manager.run(shader, pass!(opt_copied_inputs(copies)))?;
        if manager.run(shader, pass!(opt_constant_inputs(constants)))? || has_copies {
            optimize(manager, shader)?;
            unroll(manager, shader)?;
        }
    }
    if let Some(reads) = &facts.reads {
        let shader = Arc::make_mut(shader);
        if manager.run(shader, pass!(opt_unread_outputs(reads)))? {
            optimize(manager, shader)?;
        }
    }
    let input_places = facts.moves_inputs.then(|| VaryingPlaces::of(shader)).flatten();
    for places in input_places.iter().chain(&facts.output_places) {
        let shader = Arc::make_mut(shader);
        manager.run_required(shader, pass!(lower_varyings(places)))?;
        optimize(manager, shader)?;
    }
    Ok(())
}

/// The late passes: lowers operations that the machine or the back end does not have.
///
/// # Errors
/// The error of a pass.
pub fn late(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    target: IrTarget,
) -> Result<(), PassError> {
    if shader.info.stage == Stage::TessControl {
        manager.run(shader, pass!(opt_combine_stores))?;
    }
    if !target.has_shadow_gradients {
        manager.run(shader, pass!(lower_shadow_gradients))?;
    }
    manager.run(shader, pass!(lower_pack))?;
    manager.run(shader, pass!(lower_bitfield))?;
    // Before the lowerings below, which make masks of their own, with immediate operands.
    manager.run_to_fixpoint(shader, BITFIELDS, MAX_ROUNDS, |pass, s| pass(s))?;
    if target.is_inexact {
        // Before `flrp` and `fdiv` become other operations.
        manager.run(shader, pass!(opt_algebraic_inexact))?;
    }
    manager.run(shader, pass!(lower_float_ops))?;
    manager.run(shader, pass!(lower_half(target.has_hf_math)))?;
    // Before `lower_doubles`: 64-bit division and some conversions go through doubles.
    manager.run(shader, pass!(lower_int64(target.has_q)))?;
    manager.run(shader, pass!(lower_doubles))?;
    if !target.vec4 {
        manager.run(shader, pass!(lower_locals_to_scratch(target.register_array_dwords)))?;
        manager.run(shader, pass!(lower_vectors_to_scalar))?;
        manager.run(shader, pass!(lower_small_types(target.has_words)))?;
    }
    // Lowering leaves its originals dead: often most of the shader.
    shader.compact();
    optimize(manager, shader)?;
    // Scalars show constants that vectors hide.
    if target.is_inexact && manager.run(shader, pass!(opt_algebraic_inexact))? {
        optimize(manager, shader)?;
    }
    if target.is_inexact && !target.vec4 {
        for _ in 0..MAX_REASSOCIATIONS {
            if !manager.run(shader, pass!(opt_reassociate))? {
                break;
            }
            manager.run_to_fixpoint(shader, SHARING, MAX_ROUNDS, |pass, s| pass(s))?;
        }
        optimize(manager, shader)?;
    }
    Ok(())
}

/// Repeats [`CLEAN_UP`].
fn optimize(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), PassError> {
    manager.run_to_fixpoint(shader, CLEAN_UP, MAX_ROUNDS, |pass, s| pass(s))?;
    shader.compact();
    Ok(())
}

/// Unrolls loops with known trip counts; arrays indexed by their counters become plain variables.
fn unroll(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), PassError> {
    for _ in 0..MAX_UNROLLED_LOOPS {
        if !manager.run(shader, pass!(opt_loop_unroll))? {
            break;
        }
        manager.run(shader, pass!(opt_promote_locals))?;
        optimize(manager, shader)?;
    }
    Ok(())
}

/// Refuses a lowered shader that breaks the rules of the IR.
fn shader_is_valid(shader: &Shader) -> Result<(), PassError> {
    ir::validate(shader).map_err(|failures| PassError::Invalid { pass: "lower", failures })
}

/// Properties of machine and back end that the late passes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IrTarget {
    /// The back end has vector operations; otherwise each operation has one component.
    pub vec4: bool,
    /// Machine and back end have 64-bit integers.
    pub has_q: bool,
    /// The machine computes on integers of 16 bits.
    pub has_words: bool,
    /// The extended-math unit accepts halves.
    pub has_hf_math: bool,
    /// Samples with depth comparison accept explicit gradients.
    pub has_shadow_gradients: bool,
    /// The language bounds the errors of the stage's results but does not determine the results.
    pub is_inexact: bool,
    /// Arrays with more dwords per invocation are in memory.
    pub register_array_dwords: u32,
}

impl IrTarget {
    /// The target of AMD's chips.
    pub const AMD: IrTarget = IrTarget {
        vec4: false,
        has_q: false,
        has_words: false,
        has_hf_math: false,
        has_shadow_gradients: true,
        is_inexact: false,
        register_array_dwords: MAX_REGISTER_ARRAY_DWORDS_AMD,
    };

    /// Returns the target of a stage on a device. `backend` overrides the device's default.
    pub fn of(
        devinfo: &'static DevInfo,
        stage: Stage,
        backend: Option<Backend>,
        is_inexact: bool,
    ) -> IrTarget {
        let vec4 = intel_codegen::backend_for(devinfo, stage, backend) == Backend::Vec4;
        IrTarget {
            vec4,
            // Vec4 code has no integers of 64 bits on any generation.
            has_q: devinfo.has_q && !vec4,
            has_words: true,
            has_hf_math: devinfo.has_hf_math,
            has_shadow_gradients: devinfo.has_shadow_gradients,
            is_inexact,
            register_array_dwords: MAX_REGISTER_ARRAY_DWORDS,
        }
    }
}

/// Returns a pass manager for the IR of a stage. `log` records the optional passes.
pub fn manager<'a>(options: &CodegenOptions, stage: Stage, log: bool) -> PassManager<'a> {
    PassManager::new(PassOptions {
        limit: options.limit(stage),
        disabled: options.disabled_passes.clone(),
        log,
        validate: options.paranoid || cfg!(debug_assertions),
    })
}

/// Optional passes outside of [`CLEAN_UP`].
const OTHERS: [&str; 9] = [
    "opt_algebraic_inexact",
    "opt_bitfield",
    "opt_combine_stores",
    "opt_constant_inputs",
    "opt_copied_inputs",
    "opt_loop_unroll",
    "opt_promote_locals",
    "opt_reassociate",
    "opt_unread_outputs",
];

/// Returns the names of all optional passes, of the IR and of the back ends.
pub fn optional() -> BTreeSet<&'static str> {
    let back_ends = intel_codegen::passes::optional().chain(amd_codegen::passes::optional());
    ir_optional().chain(back_ends).collect()
}

/// Returns the names of the optional passes of the IR, each once.
pub fn ir_optional() -> impl Iterator<Item = &'static str> {
    CLEAN_UP.iter().map(|pass| pass.name).chain(OTHERS)
}

/// Returns the names of all optional passes with their representation, `ir:opt_dce`,
/// `lir:opt_dce` and `gcn:opt_dce`, sorted.
pub fn qualified_optional() -> Vec<String> {
    let ir = ir_optional().map(|name| (Shader::KIND, name));
    let lir =
        intel_codegen::passes::optional().map(|name| (intel_codegen::lir::Program::KIND, name));
    let gcn =
        amd_codegen::passes::optional().map(|name| (amd_codegen::machine::Program::KIND, name));
    let names: BTreeSet<String> =
        ir.chain(lir).chain(gcn).map(|(kind, name)| format!("{kind}:{name}")).collect();
    names.into_iter().collect()
}

/// Former names of passes, still accepted, and the present ones.
const FORMER_NAMES: [(&str, &str); 8] = [
    ("lower_locals_to_ladder", "lower_locals_to_select_chain"),
    ("lower_locals_to_ssa", "opt_promote_locals"),
    ("opt_common_subexpressions", "lir:opt_cse"),
    ("opt_constant_fold", "opt_constant_folding"),
    ("opt_copy_propagate", "ir:opt_copy_propagation"),
    ("opt_dead_code", "lir:opt_dce"),
    ("opt_vec4_dead_code", "opt_vec4_dce"),
    ("schedule", "opt_schedule"),
];

/// Returns the present name of a pass for a former one, and other names unchanged. A name may be
/// qualified by the representation: `ir:opt_dce` or `lir:opt_dce`.
pub fn canonical(name: &str) -> &str {
    FORMER_NAMES.iter().find(|(former, _)| *former == name).map_or(name, |(_, present)| present)
}

/// Returns the name in the pass lists: the present one, without a representation.
///
/// ```
/// use compiler::passes::{listed, optional};
///
/// assert_eq!(listed("lir:opt_dce"), "opt_dce");
/// assert_eq!(listed("opt_constant_fold"), "opt_constant_folding");
/// assert!(optional().contains("opt_dce"));
/// ```
pub fn listed(name: &str) -> &str {
    let name = canonical(name);
    name.split_once(':').map_or(name, |(_, listed)| listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every optional pass that this file runs can be switched off by its name.
    #[test]
    fn all_optional_passes_are_listed() {
        let text = include_str!("passes.rs");
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let run = text.split("pass!(").skip(1).filter_map(|rest| rest.split(ends).next());
        let listed = optional();
        run.filter(|name| name.starts_with("opt_"))
            .for_each(|name| assert!(listed.contains(name), "{name}"));
    }

    #[test]
    fn former_names_lead_to_present_ones() {
        for (former, present) in FORMER_NAMES {
            assert_eq!(canonical(former), present);
            let known = optional().contains(listed(former)) || by_name(listed(former)).is_some();
            assert!(known, "{present}");
        }
    }
}
