//! Passes on random shaders: valid afterwards, and nothing observable changed.

use super::*;
use crate::testing::numbers::Rng;
use crate::testing::shaders::{Limits, observe, random_shader};
use crate::{PassManager, PassOptions, Shader, pass, validate};

/// Passes with tests of their own, on values where their results are exact or defined.
const TESTED_APART: [&str; 9] = [
    "lower_bitfield",
    "lower_float_ops",
    "lower_half",
    "lower_shadow_gradients",
    "lower_small_types",
    "opt_algebraic_inexact",
    "opt_bitfield",
    "opt_combine_stores",
    "opt_fuse_ffma",
];

/// Every other pass, and some with other parameters than the usual ones.
fn exact_passes() -> Vec<IrPass> {
    let others: [IrPass; 3] = [
        pass!(lower_int64(true)),
        pass!(lower_locals_to_select_chain(8)),
        pass!(lower_locals_to_scratch(8)),
    ];
    let exact = ALL.iter().copied().filter(|pass| !TESTED_APART.contains(&pass.name));
    exact.chain(others).collect()
}

fn check(shader: &Shader, original: &Shader, seed: u64, what: &str) {
    if let Err(error) = validate(shader) {
        panic!("seed {seed}, {what}: {error}\n{original}\n=====\n{shader}");
    }
    for inputs in 0..3 {
        let (want, got) = (observe(original, seed ^ inputs), observe(shader, seed ^ inputs));
        assert!(want == got, "seed {seed}, {what}: results differ\n{original}\n=====\n{shader}");
    }
}

/// Each pass alone on shaders as generated, and on shaders in SSA form.
#[test]
fn every_pass_preserves_results() {
    let passes = exact_passes();
    for seed in 0..150 {
        let original = random_shader(&mut Rng::new(seed), Limits::default());
        check(&original, &original, seed, "generator");
        for &Pass { name, run: pass } in &passes {
            let mut shader = original.clone();
            pass(&mut shader);
            check(&shader, &original, seed, name);
            let mut shader = original.clone();
            opt_promote_locals(&mut shader);
            opt_copy_propagation(&mut shader);
            pass(&mut shader);
            check(&shader, &original, seed, &format!("promoted, then {name}"));
        }
    }
}

/// Inexact rules round differently, which other tests bound: what they make is valid.
#[test]
fn inexact_rules_leave_valid_shaders() {
    let mut changed = 0;
    for seed in 0..150 {
        let mut shader = random_shader(&mut Rng::new(seed), Limits::default());
        opt_promote_locals(&mut shader);
        opt_copy_propagation(&mut shader);
        changed += u32::from(opt_algebraic_inexact(&mut shader));
        validate(&shader).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{shader}"));
    }
    assert!(changed > 0);
}

/// A shader that passes have left holes in loses the holes and nothing else: the passes go on as
/// they would have.
#[test]
fn compacting_changes_numbers_only() {
    let passes = exact_passes();
    let mut dropped = 0;
    for seed in 3000..3100 {
        let original = random_shader(&mut Rng::new(seed), Limits::default());
        let mut shader = original.clone();
        opt_promote_locals(&mut shader);
        opt_copy_propagation(&mut shader);
        opt_dce(&mut shader);
        let mut compacted = shader.clone();
        compacted.compact();
        check(&compacted, &original, seed, "compact");
        assert_eq!(compacted.instruction_count(), shader.instruction_count());
        dropped += shader.insts.len() - compacted.insts.len();
        let again = compacted.clone();
        compacted.compact();
        assert!(compacted == again, "seed {seed}: nothing is left to drop");
        for &Pass { name, run: pass } in &passes {
            pass(&mut shader);
            pass(&mut compacted);
            assert_eq!(
                compacted.instruction_count(),
                shader.instruction_count(),
                "seed {seed}, {name}"
            );
        }
        check(&compacted, &original, seed, "compact, then all passes");
    }
    assert!(dropped > 0);
}

/// Passes in random order.
#[test]
fn sequences_preserve_results() {
    let passes = exact_passes();
    for seed in 1000..1150 {
        let mut rng = Rng::new(seed);
        let original = random_shader(&mut rng, Limits { instructions: 120, ..Limits::default() });
        let mut shader = original.clone();
        let mut names = Vec::new();
        for _ in 0..12 {
            let Pass { name, run: pass } = rng.pick(&passes);
            pass(&mut shader);
            names.push(name);
            if let Err(error) = validate(&shader) {
                panic!("seed {seed}, {names:?}: {error}\n{shader}");
            }
        }
        check(&shader, &original, seed, &format!("{names:?}"));
    }
}

/// Optimization reaches a fixpoint and shrinks the code.
#[test]
fn optimization_reaches_a_fixpoint() {
    let passes: Vec<IrPass> =
        exact_passes().into_iter().filter(|pass| pass.name.starts_with("opt_")).collect();
    for seed in 2000..2050 {
        let mut shader = random_shader(&mut Rng::new(seed), Limits::default());
        let before = shader.instruction_count();
        let mut manager =
            PassManager::new(PassOptions { validate: true, ..PassOptions::default() });
        manager.run_to_fixpoint(&mut shader, &passes, 20, |pass, s| pass(s)).unwrap();
        let again = manager.run_to_fixpoint(&mut shader, &passes, 1, |pass, s| pass(s)).unwrap();
        assert!(!again, "seed {seed}: still changing after 20 rounds\n{shader}");
        assert!(shader.instruction_count() < before, "seed {seed}");
    }
}
