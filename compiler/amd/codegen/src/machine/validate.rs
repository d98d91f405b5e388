//! Rules of machine programs, for the pass manager.

use super::{Arg, Program};
use cranelift_entity::EntitySet;
use ir::IrUnit;
use thiserror::Error;
use vocabulary::Phase;

/// The broken rules of a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .0.join("; "))]
pub struct Failures(pub Vec<String>);

impl IrUnit for Program {
    const KIND: &'static str = "gcn";
    const PHASE: Phase = Phase::Lower;
    type Failures = Failures;

    fn changed(&mut self) {
        self.spread_lines();
    }

    /// The chip has every instruction, and jumps and lanes lead to blocks of the program.
    fn validate(&self) -> Result<(), Failures> {
        let mut failures = Vec::new();
        let mut placed = EntitySet::new();
        for &label in &self.order {
            if !placed.insert(label) {
                failures.push(format!("{label} is there twice"));
            }
        }
        for &label in &self.order {
            for inst in &self.blocks[label].insts {
                let mut fail =
                    |failure: &str| failures.push(format!("{label}: `{inst}`: {failure}"));
                match self.chip.row(inst.format, inst.opcode) {
                    Some(row) if inst.args.len() > row.slots.len() => fail("too many arguments"),
                    Some(_) => {}
                    None => fail("the chip has no such instruction"),
                }
                for arg in &inst.args {
                    if let Arg::Label(target) = arg
                        && !placed.contains(*target)
                    {
                        fail("the target of the jump is not in the program");
                    }
                }
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(Failures(failures)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Emitter, ZERO};
    use amd_isa::{Chip, Format, Opcode};

    #[test]
    fn broken_rules_are_failures() {
        let mut e = Emitter::new(Chip::Si);
        let (label, part) = (e.new_label(), e.vector());
        e.valu(Opcode::VMovB32, &[part.into()], &[ZERO.into()]);
        assert_eq!(e.program.validate(), Ok(()));
        e.jump(Opcode::SBranch, label);
        let insts = &mut e.program.blocks[e.label].insts;
        insts[0].format = Format::Sop2;
        insts[1].args.push(ZERO);
        let order = &mut e.program.order;
        order.push(order[0]);
        let text = e.program.validate().unwrap_err().to_string();
        for rule in ["no such instruction", "too many arguments", "not in the program", "twice"] {
            assert!(text.contains(rule), "{text}");
        }
    }
}
