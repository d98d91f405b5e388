//! Rules that every LIR program obeys, between any two passes.

use super::{Inst, Op, Operand, Program, REG_SIZE};
use cranelift_entity::EntityRef;
use ir::IrUnit;
use thiserror::Error;
use vocabulary::Phase;

/// The broken rules of a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .0.join("; "))]
pub struct Failures(pub Vec<String>);

impl IrUnit for Program {
    const KIND: &'static str = "lir";
    const PHASE: Phase = Phase::Lower;
    type Failures = Failures;

    fn changed(&mut self) {
        self.forget_analyses();
        self.spread_lines();
    }

    fn validate(&self) -> Result<(), Failures> {
        let mut failures = Vec::new();
        for (i, inst) in self.insts.iter().enumerate() {
            if let Err(failure) = check_inst(self, inst) {
                failures.push(format!("instruction {i} (`{inst}`): {failure}"));
            }
        }
        failures.extend(check_control_flow(self).err());
        if failures.is_empty() { Ok(()) } else { Err(Failures(failures)) }
    }
}

fn check_inst(program: &Program, inst: &Inst) -> Result<(), String> {
    let info = inst.op.info();
    if inst.op != Op::Nop && inst.src.len() != usize::from(info.sources) {
        return Err(format!("{} sources instead of {}", inst.src.len(), info.sources));
    }
    if !matches!(inst.exec_size, 1 | 2 | 4 | 8 | 16 | 32) {
        return Err(format!("execution size {}", inst.exec_size));
    }
    if inst.op.is_send() != inst.message.is_some() {
        return Err("sends have messages, others none".to_owned());
    }
    if inst.flag > 3 {
        return Err(format!("flag subregister {}", inst.flag));
    }
    check_extent(program, &inst.dst, inst.bytes_written())?;
    for (index, src) in inst.src.iter().enumerate() {
        check_extent(program, src, inst.bytes_read(index))?;
    }
    Ok(())
}

/// Checks that an operand stays in its virtual register.
fn check_extent(program: &Program, operand: &Operand, bytes: u32) -> Result<(), String> {
    let Some(v) = operand.vreg() else { return Ok(()) };
    if v.index() >= program.vregs.len() {
        return Err(format!("{v} does not exist"));
    }
    let size = u32::from(program.vregs[v].regs) * REG_SIZE;
    if operand.offset + bytes > size {
        return Err(format!("{operand} ends at byte {} of {size}", operand.offset + bytes));
    }
    Ok(())
}

/// Checks the nesting of control flow.
fn check_control_flow(program: &Program) -> Result<(), String> {
    let mut open: Vec<Op> = Vec::new();
    for (i, inst) in program.insts.iter().enumerate() {
        let fits = match inst.op {
            Op::If | Op::Do => {
                open.push(inst.op);
                true
            }
            Op::Else => {
                open.last_mut().is_some_and(|top| std::mem::replace(top, Op::Else) == Op::If)
            }
            Op::Endif => matches!(open.pop(), Some(Op::If | Op::Else)),
            Op::While => open.pop() == Some(Op::Do),
            Op::Break | Op::Continue => open.contains(&Op::Do),
            _ => true,
        };
        if !fits {
            return Err(format!("instruction {i} (`{inst}`) is not nested in its construct"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{} constructs without an end", open.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir::parse;

    #[test]
    fn broken_rules_are_reported() {
        let cases = [
            ("add(8) v0<1>:F, g2<1>:F", "1 sources instead of 2"),
            ("mov(7) v0<1>:F, g2<1>:F", "execution size 7"),
            ("mov(8) v0+16<1>:F, g2<1>:F", "ends at byte 48 of 32"),
            ("send(8) null<1>:UD, g2<1>:UD", "sends have messages"),
            ("endif(8)", "not nested"),
            ("do(8)", "1 constructs without an end"),
        ];
        for (line, expected) in cases {
            let program =
                parse(&format!("program width=8 payload=1\nvgrf v0\n  {line}\n")).unwrap();
            let failures = program.validate().unwrap_err().to_string();
            assert!(failures.contains(expected), "{line}: {failures}");
        }
        let good = "program width=8 payload=1\nvgrf v0\n  do(8)\n  (+f0.0) break(8)\n  while(8)\n";
        assert_eq!(parse(good).unwrap().validate(), Ok(()));
    }
}
