//! Execution of a script's commands on simulator and interpreter.

use std::sync::Arc;

use program::Program;
use shader_device::{Disagreement, ShaderDevice};
use vk_machine::{Machine, MachineError};
use vk_script::{Command, CommandKind, Expectation, Script};
use vocabulary::begin_step;

use super::agreement::{Closeness, difference};
use crate::device::DeviceKind;
use crate::machines::{CheckedState, device_verdict, judge_widths, of_second};
use crate::shared::{Recorded, ReferenceRecord};
use results::verdict::{Phase, UNDEFINED, Verdict};

/// A machine and the device that shades for it.
pub(super) struct Replica<'s> {
    pub(super) kind: DeviceKind,
    pub(super) machine: Machine<'s>,
    pub(super) device: Box<dyn ShaderDevice>,
    /// Memory or attachments may have undefined values.
    is_undefined: bool,
}

impl<'s> Replica<'s> {
    pub(super) fn new(
        kind: DeviceKind,
        machine: Machine<'s>,
        device: Box<dyn ShaderDevice>,
    ) -> Replica<'s> {
        Replica { kind, machine, device, is_undefined: false }
    }

    /// Collects undefined values since the last call.
    fn checked(&mut self) -> CheckedState {
        let undefined = self.device.take_undefined();
        self.is_undefined |=
            undefined.inputs || undefined.memory || self.machine.has_undefined_texels();
        CheckedState {
            lanes: undefined.batches,
            is_undefined: self.is_undefined,
            shaded: self.device.shaded(),
        }
    }

    /// Checks an expectation.
    fn answer(&mut self, script: &Script, expectation: &Expectation) -> Answer {
        self.machine.update(expectation.buffer);
        if let Some(other) = expectation.other() {
            self.machine.update(other);
        }
        let bytes = self.machine.bytes(expectation.buffer);
        let other = expectation.other().map(|id| self.machine.bytes(id));
        let result = expectation.check(script, bytes, other).map_err(|m| m.message);
        Answer { result, bytes: bytes.to_vec(), is_undefined: self.is_undefined }
    }
}

/// Answer of an executor to an expectation.
#[derive(Clone)]
struct Answer {
    result: Result<(), String>,
    /// Contents of the buffer.
    bytes: Vec<u8>,
    /// Memory or attachments may have undefined values.
    is_undefined: bool,
}

impl Recorded for Answer {
    fn bytes(&self) -> usize {
        let message = self.result.as_ref().err().map_or(0, String::len);
        size_of::<Answer>() + self.bytes.len() + message
    }
}

/// The execution of a script.
pub(super) struct Session<'s> {
    pub(super) script: &'s Script,
    pub(super) programs: &'s [Option<Arc<Program>>],
    /// The first one's results are the test's.
    pub(super) replicas: Vec<Replica<'s>>,
    /// Record of the second one's answers.
    pub(super) reference: ReferenceRecord,
    closeness: Closeness,
}

impl<'s> Session<'s> {
    pub(super) fn new(
        script: &'s Script,
        programs: &'s [Option<Arc<Program>>],
        replicas: Vec<Replica<'s>>,
        reference: ReferenceRecord,
    ) -> Session<'s> {
        Session { script, programs, replicas, reference, closeness: Closeness::default() }
    }

    /// Executes all commands.
    ///
    /// # Errors
    /// Returns the verdict that ends the test.
    pub(super) fn run(&mut self) -> Result<(), Verdict> {
        self.script.commands.iter().try_for_each(|command| self.command(command))?;
        self.reference.end()
    }

    fn command(&mut self, command: &Command) -> Result<(), Verdict> {
        let at_line = |verdict| with_line(verdict, command.line);
        match &command.kind {
            CommandKind::Repeat { count, commands } => (0..*count)
                .try_for_each(|_| commands.iter().try_for_each(|command| self.command(command))),
            CommandKind::Expect(expectation) => {
                self.expect(expectation, command.line).map_err(at_line)
            }
            kind => self.execute(kind, command.line).map_err(at_line),
        }
    }

    fn execute(&mut self, command: &CommandKind, line: u32) -> Result<(), Verdict> {
        for (index, replica) in self.replicas.iter_mut().enumerate() {
            begin_step(Phase::Simulate, Some(replica.kind.name()), line);
            let done = replica.machine.execute(command, &mut *replica.device);
            done.map_err(|error| verdict_of(&error, (index > 0).then_some(replica.kind)))?;
        }
        let (CommandKind::Dispatch { pipeline, .. } | CommandKind::Draw { pipeline, .. }) = command
        else {
            return Ok(());
        };
        if let Some(Some(program)) = self.programs.get(pipeline.index()) {
            let is_exact = self.replicas.iter().all(|replica| replica.device.exact());
            self.closeness.add(program, is_exact);
        }
        self.check_widths(line)
    }

    /// Fails if widths of one stage disagree about a defined value.
    fn check_widths(&mut self, line: u32) -> Result<(), Verdict> {
        let mut states: Vec<CheckedState> =
            self.replicas.iter_mut().map(Replica::checked).collect();
        self.reference.complete(line, &mut states)?;
        let found: Vec<Disagreement> =
            self.replicas.iter_mut().flat_map(|r| r.device.take_disagreements()).collect();
        judge_widths(states, found)
    }

    fn expect(&mut self, expectation: &Expectation, line: u32) -> Result<(), Verdict> {
        let script = self.script;
        let answer = |replica: &mut Replica<'_>| replica.answer(script, expectation);
        let mut answers: Vec<Answer> = self.replicas.iter_mut().map(answer).collect();
        self.reference.complete(line, &mut answers)?;
        let is_undefined = answers.iter().any(|answer| answer.is_undefined);
        let results: Vec<_> = answers.iter().map(|answer| &answer.result).collect();
        let probe = |text: &str| {
            let note = if is_undefined { format!("\n  {UNDEFINED}") } else { String::new() };
            Err(Verdict::fail(Phase::Probe, format!("{text}{note}")))
        };
        let mismatch = |text: String| Err(Verdict::fail(Phase::Mismatch, text));
        match &results[..] {
            [Err(own)] | [Err(own), Err(_)] => probe(own),
            [Err(own), Ok(())] if is_undefined => probe(own),
            [Err(own), Ok(())] => mismatch(format!("{own}\n  The reference interpreter passes")),
            _ if is_undefined => Ok(()),
            [Ok(()), Err(second)] => mismatch(format!("reference interpreter: {second}")),
            [Ok(()), Ok(())] => match self.differences(expectation, &answers) {
                Some(text) => mismatch(text),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn differences(&self, expectation: &Expectation, answers: &[Answer]) -> Option<String> {
        let [first, second] = answers else { return None };
        if self.closeness.any_order {
            return None;
        }
        let bytes = [&first.bytes[..], &second.bytes];
        difference(expectation, self.script.buffer(expectation.buffer), self.closeness, bytes)
    }
}

fn with_line(mut verdict: Verdict, line: u32) -> Verdict {
    if let Some((_, reason)) = &mut verdict.cause {
        *reason = format!("line {line}: {reason}");
    }
    verdict
}

/// Converts a machine's error into a verdict. `second` is the replica that failed while the first
/// one succeeded, if any.
fn verdict_of(error: &MachineError, second: Option<DeviceKind>) -> Verdict {
    let verdict = match error {
        MachineError::Device(error) => device_verdict(error),
        MachineError::Invalid(reason) => Verdict::fail(Phase::Simulate, reason.clone()),
        MachineError::Lacks(reason) => Verdict::skip(reason.clone()),
    };
    match second {
        Some(kind) => of_second(verdict, kind),
        None => verdict,
    }
}
