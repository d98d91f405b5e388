//! Integration tests: a trial per file of `filetests`, round trips of random dwords, another
//! assembler, and recorded programs.

mod corpus;
mod filetests;
mod llvm;
mod round_trip;
mod samples;
mod shaders;

use libtest_mimic::{Arguments, Failed, Trial};

type Body = fn() -> Result<(), Failed>;

fn main() {
    let arguments = Arguments::from_args();
    let bodies: &[(&str, Body)] = &[
        ("round_trip::random_words", round_trip::random_words),
        ("round_trip::every_row", round_trip::every_row),
        ("llvm::every_row", llvm::every_row),
        ("llvm::random_instructions", llvm::random_instructions),
        ("corpus::instructions", corpus::instructions),
        ("shaders::valid", shaders::valid),
        ("filetests::every_rule_has_a_file", filetests::every_rule_has_a_file),
    ];
    let trial = |&(name, body): &(&'static str, Body)| Trial::test(name, body);
    let mut trials: Vec<Trial> = bodies.iter().map(trial).collect();
    trials.extend(filetests::trials());
    libtest_mimic::run(&arguments, trials).exit();
}
