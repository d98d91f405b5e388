//! Integration tests: round trips of random dwords, another assembler, and recorded instructions.

mod corpus;
mod llvm;
mod round_trip;
mod samples;

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
    ];
    let trial = |&(name, body): &(&'static str, Body)| Trial::test(name, body);
    libtest_mimic::run(&arguments, bodies.iter().map(trial).collect()).exit();
}
