//! The program as a whole: where jumps lead, and that it ends.

use crate::devinfo::DevInfo;
use crate::encoding::Located;
use crate::inst::Inst;
use crate::instruction_offsets::InstructionOffsets;
use crate::opcode::Opcode;
use crate::program_end::jump_targets;

/// Names of the rules below.
pub(super) const NAMES: [&str; 6] =
    ["jump-target", "if-endif", "while-backwards", "thread-end", "break-while", "branch-forwards"];

/// The instructions that decide where execution goes on.
#[derive(Debug, Default)]
pub(super) struct ControlFlow {
    /// Byte offsets of all instructions.
    pub offsets: InstructionOffsets,
    /// The instructions that steer, in order.
    pub insts: Vec<Located>,
}

impl ControlFlow {
    fn is_instruction(&self, offset: i64) -> bool {
        self.offsets.index_of(offset).is_some()
    }

    /// Returns whether an instruction with this opcode, one that steers, offsets at byte `offset`;
    /// also if none offsets there, which is another rule's business.
    fn has_at(&self, offset: i64, opcode: Opcode) -> bool {
        let place = self.insts.binary_search_by_key(&offset, |located| located.offset as i64);
        match place {
            Ok(index) => self.insts[index].inst.opcode == opcode,
            Err(_) => !self.is_instruction(offset),
        }
    }
}

/// A broken rule: byte offset of the instruction, name and message.
pub(super) type BrokenRule = (usize, &'static str, String);

/// Checks jumps and the program's end; `len` is the program's length in bytes.
pub(super) fn check(devinfo: &DevInfo, program: &ControlFlow, len: usize) -> Vec<BrokenRule> {
    let mut violations = Vec::new();
    for located in &program.insts {
        let mut report = |rule, message: String| violations.push((located.offset, rule, message));
        for (name, target) in
            jump_targets(devinfo, &located.inst, located.offset).into_iter().flatten()
        {
            if !program.is_instruction(target) {
                report(
                    NAMES[0],
                    format!("{name} leads to byte {target}, where no instruction starts"),
                );
            }
        }
        if !branches_nest(devinfo, program, located) {
            report(NAMES[1], "IF and ELSE lead to ELSE or ENDIF".to_owned());
        }
        if located.inst.opcode == Opcode::While && located.inst.jip > 0 {
            report(NAMES[2], "WHILE leads backwards".to_owned());
        }
        if !loop_jump_nests(devinfo, program, located) {
            report(NAMES[4], "BREAK and CONT lead to WHILE".to_owned());
        }
        if leads_backwards(devinfo, &located.inst) {
            report(NAMES[5], "only WHILE leads backwards".to_owned());
        }
    }
    if !program.insts.iter().any(|located| ends_thread(&located.inst)) {
        let message = "no end-of-thread message".to_owned();
        violations.push((len, NAMES[3], message));
    }
    violations
}

fn ends_thread(inst: &Inst) -> bool {
    inst.send.is_some_and(|send| send.eot)
}

/// Byte offset that JIP or UIP lead to.
fn target(devinfo: &DevInfo, located: &Located, units: i32) -> i64 {
    located.offset as i64 + i64::from(units) * i64::from(devinfo.jump_unit(located.inst.opcode))
}

/// IF's UIP and ELSE's JIP lead to ENDIF; IF's JIP leads to ENDIF or just past ELSE.
fn branches_nest(devinfo: &DevInfo, program: &ControlFlow, located: &Located) -> bool {
    let inst = &located.inst;
    let end = match inst.opcode {
        Opcode::If => inst.uip,
        Opcode::Else => inst.jip,
        _ => return true,
    };
    program.has_at(target(devinfo, located, end), Opcode::Endif)
}

/// UIP of BREAK and CONT leads to the loop's WHILE.
fn loop_jump_nests(devinfo: &DevInfo, program: &ControlFlow, located: &Located) -> bool {
    let inst = &located.inst;
    if !matches!(inst.opcode, Opcode::Break | Opcode::Cont) {
        return true;
    }
    program.has_at(target(devinfo, located, inst.uip), Opcode::While)
}

/// Structured branches other than WHILE lead forwards.
fn leads_backwards(devinfo: &DevInfo, inst: &Inst) -> bool {
    let structured =
        [Opcode::If, Opcode::Else, Opcode::Endif, Opcode::Break, Opcode::Cont, Opcode::Halt]
            .contains(&inst.opcode);
    structured && (inst.jip < 0 || inst.opcode.has_uip(devinfo.version) && inst.uip < 0)
}
