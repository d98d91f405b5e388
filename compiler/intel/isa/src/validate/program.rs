//! Validation of a whole program.

use super::jumps::{self, ControlFlow};
use super::rule_sets::validate_inst;
use crate::devinfo::DevInfo;
use crate::encoding::{DecodeError, Located, decode};
use crate::inst::Inst;
use crate::program_end::ProgramEnd;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Byte offset of the instruction in the program.
    pub offset: usize,
    /// Name of the rule.
    pub rule: &'static str,
    /// Requirement of the rule, or the error of decoding.
    pub message: String,
}

/// Validates a program's instructions up to its end (see [`crate::ProgramEnd`]), and its jumps.
/// Bytes that do not decode end the validation with the violation `decode`.
pub fn validate_program(devinfo: &DevInfo, bytes: &[u8]) -> Vec<Violation> {
    let mut program = ProgramValidator::new(devinfo);
    while let Some(rest) = program.rest(bytes) {
        match decode(devinfo, rest) {
            Ok((inst, _)) => program.push(&inst, &validate_inst(devinfo, &inst)),
            Err(error) => return program.fail(&error),
        }
    }
    program.finish()
}

/// Collects the violations of a program, instruction by instruction.
///
/// The caller decodes and validates the instruction at the start of [`ProgramValidator::rest`] and
/// pushes it, until there is none. See [`validate_program`].
#[derive(Debug)]
pub struct ProgramValidator<'a> {
    devinfo: &'a DevInfo,
    /// Byte offset of the next instruction.
    offset: usize,
    end: ProgramEnd,
    ended: bool,
    control_flow: ControlFlow,
    violations: Vec<Violation>,
}

impl<'a> ProgramValidator<'a> {
    /// A validator at the start of a program.
    pub fn new(devinfo: &'a DevInfo) -> ProgramValidator<'a> {
        ProgramValidator {
            devinfo,
            offset: 0,
            end: ProgramEnd::default(),
            ended: false,
            control_flow: ControlFlow::default(),
            violations: Vec::new(),
        }
    }

    /// The bytes from the next instruction on; `None` after the last one.
    pub fn rest<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        bytes.get(self.offset..).filter(|rest| !rest.is_empty() && !self.ended)
    }

    /// Adds the next instruction with names and messages of the rules it breaks.
    pub fn push(&mut self, inst: &Inst, broken: &[(&'static str, &'static str)]) {
        let offset = self.offset;
        self.control_flow.offsets.push(offset);
        for &(rule, message) in broken {
            self.violations.push(Violation { offset, rule, message: message.to_owned() });
        }
        if inst.steers() {
            self.control_flow.insts.push(Located { offset, inst: *inst });
        }
        self.ended = self.end.ends_after(self.devinfo, inst, offset);
        self.offset += inst.len_bytes();
    }

    /// Adds the next instruction, which is native, breaks no rule and does not steer (see
    /// [`Inst::steers`]).
    #[inline]
    pub fn push_valid(&mut self) {
        self.control_flow.offsets.push(self.offset);
        self.offset += 16;
    }

    /// Ends the validation at an instruction that does not decode.
    pub fn fail(mut self, error: &DecodeError) -> Vec<Violation> {
        let message = error.to_string();
        self.violations.push(Violation { offset: self.offset, rule: "decode", message });
        self.violations
    }

    /// Checks the jumps and returns all violations.
    pub fn finish(mut self) -> Vec<Violation> {
        let broken = jumps::check(self.devinfo, &self.control_flow, self.offset);
        let violation = |(offset, rule, message)| Violation { offset, rule, message };
        self.violations.extend(broken.into_iter().map(violation));
        self.violations
    }
}
