//! Integration tests of the back end: one trial per file of `filetests`, and whole shaders from IR
//! to machine code.

mod filetests;
mod fragment;
mod geometry_stages;
mod random;

use libtest_mimic::{Arguments, Trial};

/// Name of a module and its trials.
type Group = (&'static str, &'static [(&'static str, fn())]);

fn main() {
    let mut trials = filetests::trials();
    let groups: [Group; 4] = [
        ("filetests", &[("passes_and_quirks_have_files", filetests::passes_and_quirks_have_files)]),
        ("fragment", fragment::TRIALS),
        ("geometry_stages", geometry_stages::TRIALS),
        ("random", random::TRIALS),
    ];
    for (group, functions) in groups {
        for &(name, body) in functions {
            trials.push(Trial::test(format!("{group}::{name}"), move || {
                body();
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
