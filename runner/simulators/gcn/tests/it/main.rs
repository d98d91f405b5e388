//! Execution of assembly text, compared with independent models.

mod arithmetic;
mod asynchronous;
mod bit_operations;
mod division;
mod document;
mod flow;
mod foreign;
mod images;
mod memory;
mod native;
mod quirks;
mod random;
mod rows;
mod vi;

use amd_isa::Chip;
use gcn_simulator::{ExecutionError, Outcome, Program, Recorder, Wave};

/// A program of the text with `s_endpgm` after it.
fn program(chip: Chip, text: &str) -> Program {
    let words = amd_isa::assemble(chip, &format!("{text}\ns_endpgm\n"));
    let words = words.unwrap_or_else(|error| panic!("{error}:\n{text}"));
    Program::new(chip, &words).expect("a program")
}

/// Executes the text on a wave.
fn run(
    chip: Chip,
    text: &str,
    wave: &mut Wave,
    host: &mut Recorder,
) -> Result<Outcome, ExecutionError> {
    wave.run(&program(chip, text), host, 100_000)
}

/// Executes the text on a wave without surroundings; it has to end.
fn done(chip: Chip, text: &str, wave: &mut Wave) {
    let outcome = run(chip, text, wave, &mut Recorder::default());
    assert_eq!(outcome, Ok(Outcome::Done), "{chip}: {text}");
}

/// Values whose bits matter at edges.
const VALUES: &[u32] = &[
    0,
    1,
    2,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0xffff_fffe,
    0x0000_ffff,
    0xffff_0000,
    0xdead_beef,
    0x1234_5678,
    0x5555_5555,
    0xaaaa_aaaa,
    0x0080_0000,
    0x00ff_ffff,
    0x0000_8000,
];
