//! Passes on random shaders: valid afterwards, and nothing observable changed.

use super::*;
use crate::random::Rng;
use crate::random_shader::{Limits, observe, random_shader};
use crate::{PassManager, PassOptions, Shader, validate};

const PASSES: &[(&str, Pass)] = &[
    ("opt_promote_locals", opt_promote_locals),
    ("opt_copy_propagate", opt_copy_propagate),
    ("opt_dce", opt_dce),
    ("opt_cse", opt_cse),
    ("opt_constant_fold", opt_constant_fold),
    ("opt_dead_cf", opt_dead_cf),
    ("opt_algebraic", opt_algebraic),
    ("opt_peephole_select", opt_peephole_select),
    ("opt_loop_unroll", opt_loop_unroll),
    ("opt_undef", opt_undef),
    ("lower_pack", lower_pack),
    ("lower_doubles", lower_doubles),
    ("lower_int64_native", |s| lower_int64(s, true)),
    ("lower_int64", |s| lower_int64(s, false)),
    ("lower_locals_to_ladder", |s| lower_locals_to_ladder(s, 8)),
    ("lower_locals_to_scratch", |s| lower_locals_to_scratch(s, 0)),
    ("lower_long_locals_to_scratch", |s| lower_locals_to_scratch(s, 8)),
    ("lower_vectors_to_scalar", lower_vectors_to_scalar),
];

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
    for seed in 0..150 {
        let original = random_shader(&mut Rng::new(seed), Limits::default());
        check(&original, &original, seed, "generator");
        for &(name, pass) in PASSES {
            let mut shader = original.clone();
            pass(&mut shader);
            check(&shader, &original, seed, name);
            let mut shader = original.clone();
            opt_promote_locals(&mut shader);
            opt_copy_propagate(&mut shader);
            pass(&mut shader);
            check(&shader, &original, seed, &format!("promoted, then {name}"));
        }
    }
}

/// A shader that passes have left holes in loses the holes and nothing else: the passes go on as they would have.
#[test]
fn compacting_changes_numbers_only() {
    let mut dropped = 0;
    for seed in 3000..3100 {
        let original = random_shader(&mut Rng::new(seed), Limits::default());
        let mut shader = original.clone();
        opt_promote_locals(&mut shader);
        opt_copy_propagate(&mut shader);
        opt_dce(&mut shader);
        let mut compacted = shader.clone();
        compacted.compact();
        check(&compacted, &original, seed, "compact");
        assert_eq!(compacted.instruction_count(), shader.instruction_count());
        dropped += shader.insts.len() - compacted.insts.len();
        let again = compacted.clone();
        compacted.compact();
        assert!(compacted == again, "seed {seed}: nothing is left to drop");
        for &(name, pass) in PASSES {
            pass(&mut shader);
            pass(&mut compacted);
            assert_eq!(compacted.instruction_count(), shader.instruction_count(), "seed {seed}, {name}");
        }
        check(&compacted, &original, seed, "compact, then all passes");
    }
    assert!(dropped > 0);
}

/// Passes in random order.
#[test]
fn sequences_preserve_results() {
    for seed in 1000..1150 {
        let mut rng = Rng::new(seed);
        let original = random_shader(&mut rng, Limits { instructions: 120, ..Limits::default() });
        let mut shader = original.clone();
        let mut names = Vec::new();
        for _ in 0..12 {
            let (name, pass) = rng.pick(PASSES);
            pass(&mut shader);
            names.push(name);
            if let Err(error) = validate(&shader) {
                panic!("seed {seed}, {names:?}: {error}\n{shader}");
            }
        }
        check(&shader, &original, seed, &format!("{names:?}"));
    }
}

/// Optimisation comes to an end and shrinks the code.
#[test]
fn optimisation_reaches_a_fixpoint() {
    let passes: Vec<(&str, Pass)> =
        PASSES.iter().copied().filter(|(name, _)| name.starts_with("opt_")).collect();
    for seed in 2000..2050 {
        let mut shader = random_shader(&mut Rng::new(seed), Limits::default());
        let before = shader.instruction_count();
        let mut manager = PassManager::new(PassOptions { validate: true, ..PassOptions::default() });
        manager.run_to_fixpoint(&mut shader, &passes, 20).unwrap();
        let again = manager.run_to_fixpoint(&mut shader, &passes, 1).unwrap();
        assert!(!again, "seed {seed}: still changing after 20 rounds\n{shader}");
        assert!(shader.instruction_count() < before, "seed {seed}");
    }
}
