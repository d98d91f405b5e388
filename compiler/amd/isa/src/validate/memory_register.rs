//! M0 has a value on every path to an instruction that reads it implicitly.

use super::facts::Violation;
use super::program::Program;
use crate::access::{Register, accesses, reads_m0};
use crate::operand::Scalar;

pub(super) const RULES: &[&str] = &["m0-undefined"];

pub(super) fn check(program: &Program<'_>, violations: &mut Vec<Violation>) {
    let count = program.instructions.len();
    let m0 = Register::Scalar(Scalar::M0.0);
    let rows: Vec<_> = program
        .instructions
        .iter()
        .map(|located| program.chip.row(located.instruction.format, located.instruction.opcode))
        .collect();
    let writes: Vec<bool> = program
        .instructions
        .iter()
        .zip(&rows)
        .map(|(located, row)| {
            row.is_some_and(|row| {
                accesses(row, &located.instruction).iter().any(|a| a.writes && a.register == m0)
            })
        })
        .collect();
    // Instructions that a path without a write of M0 reaches.
    let mut undefined = vec![false; count];
    let mut open = if count == 0 { Vec::new() } else { vec![0] };
    while let Some(index) = open.pop() {
        if std::mem::replace(&mut undefined[index], true) || writes[index] {
            continue;
        }
        open.extend(&program.flow.successors[index]);
    }
    for (index, located) in program.instructions.iter().enumerate() {
        let reads = rows[index].is_some_and(|row| reads_m0(row, &located.instruction));
        if undefined[index] && reads {
            let name = located.instruction.opcode.mnemonic();
            let message = format!("{name} reads M0, which a path leaves undefined");
            violations.push(program.violation(index, "m0-undefined", message));
        }
    }
}
