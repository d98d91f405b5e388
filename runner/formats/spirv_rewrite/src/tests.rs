//! Rewriting of a module that has a bit of everything.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

const MODULE: &str = include_str!("tests.spvasm");

/// Program that checks modules, too, if this variable names it.
const VALIDATOR: &str = "SPIRV_VAL";

fn module() -> Vec<u32> {
    spirv_front::assemble(MODULE.as_bytes()).expect("a module").words
}

fn validate(program: &str, words: &[u32]) -> bool {
    let mut child = Command::new(program)
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the validator");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let written = child.stdin.take().expect("its input").write_all(&bytes);
    child.wait().expect("its end").success() && written.is_ok()
}

#[test]
fn rewritten_modules_are_valid_and_every_transformation_occurs() {
    let words = module();
    let validator = std::env::var(VALIDATOR).ok();
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..100 {
        let made = rewrite(&words, &Rewriting::of_seed(seed)).expect("a rewritten module");
        made.steps.iter().for_each(|(_, name)| *applied.entry(name).or_default() += 1);
        made.refused.iter().for_each(|(_, name)| *refused.entry(name).or_default() += 1);
        assert!(made.steps.is_empty() || made.words != words, "seed {seed}");
        if let Some(program) = &validator {
            assert!(validate(program, &made.words), "seed {seed}: {:?}", made.steps);
        }
    }
    let all: BTreeSet<&str> = TRANSFORMATIONS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(applied.keys().copied().collect::<BTreeSet<_>>(), all);
    // A jump out of the middle of a loop may go around values that are used behind it.
    refused.remove("dead-jump");
    assert_eq!(refused, BTreeMap::new());
}

#[test]
fn a_rewriting_is_the_same_every_time_and_steps_can_be_left_out() {
    let words = module();
    let whole = rewrite(&words, &Rewriting::of_seed(3)).expect("a rewritten module");
    assert_eq!(rewrite(&words, &Rewriting::of_seed(3)).expect("the same"), whole);
    let (first, _) = whole.steps[0];
    let one: Rewriting = format!("3:{first}").parse().expect("a rewriting");
    let made = rewrite(&words, &one).expect("a rewritten module");
    assert_eq!(made.steps, whole.steps[..1]);
    let none: Rewriting = "3:1000".parse().expect("a rewriting");
    assert_eq!(rewrite(&words, &none).expect("the module").words, words);
}

#[test]
fn invalid_modules_are_refused() {
    let mut words = module();
    words.pop();
    let error = rewrite(&words, &Rewriting::of_seed(0)).expect_err("an error");
    assert!(matches!(error, RewriteError::Invalid(_)), "{error}");
}
