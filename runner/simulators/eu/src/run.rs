//! The execution loop.

use crate::alu::operands::Live;
use crate::alu::{Modes, fast, generic};
use crate::control;
use crate::decoded::DecodedInstruction;
use crate::error::{Reason, SimError};
use crate::host::Host;
use crate::hot::{Form, Hot, HotBlock};
use crate::kernel::{Kernel, KernelInstruction};
use crate::message;
use crate::op::Unit;
use crate::thread::Thread;
use crate::trace::{Step, Trace};

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The thread ended itself.
    Done {
        /// Instructions executed since the thread was reset.
        steps: u64,
    },
    /// The thread waits at a barrier; run it again once all threads of its group do.
    Barrier {
        /// Instructions executed since the thread was reset.
        steps: u64,
    },
}

/// Effect of one instruction on the thread's progress.
enum Next {
    Go(u32),
    Done,
    Wait,
}

impl Kernel {
    /// Runs `thread` until it ends, waits at a barrier, fails, or has executed `budget`
    /// instructions since its reset.
    pub fn run(
        &self,
        thread: &mut Thread,
        host: &mut dyn Host,
        budget: u64,
    ) -> Result<Outcome, SimError> {
        if let Some(mut tracer) = thread.tracer.clone() {
            return self.run_traced(thread, host, budget, &mut tracer);
        }
        let mut ip = thread.ip.unwrap_or(0);
        // A thread that ran ahead can be past its budget.
        if thread.steps > budget {
            return Err(self.error(ip, Reason::StepLimit(budget)));
        }
        let mut hot = self.heat.hot(thread.math);
        if hot.is_none() {
            let before = thread.steps;
            let stop = before.saturating_add(self.heat.left()).min(budget);
            let end = self.run_cold(thread, host, (stop, budget), &mut ip);
            self.heat.add(thread.steps - before);
            if let Some(outcome) = end {
                return outcome;
            }
            hot = self.heat.warm(thread.math, || self.resolved(thread.math));
        }
        match hot {
            Some(hot) => {
                let before = thread.steps;
                let outcome = self.run_hot(thread, host, budget, (hot, ip));
                self.heat.add(thread.steps - before);
                outcome
            }
            // Resolved for another math mode.
            None => {
                let end = self.run_cold(thread, host, (budget, budget), &mut ip);
                end.unwrap_or_else(|| Err(self.error(ip, Reason::StepLimit(budget))))
            }
        }
    }

    /// Runs until the end of the run, or until the thread has executed `stop` instructions: `None`.
    fn run_cold(
        &self,
        thread: &mut Thread,
        host: &mut dyn Host,
        (stop, budget): (u64, u64),
        at: &mut u32,
    ) -> Option<Result<Outcome, SimError>> {
        let mut ip = *at;
        loop {
            let Some(instruction) = self.instruction(ip) else {
                return Some(Err(self.error(ip, Reason::RanOff)));
            };
            if thread.steps >= stop {
                if stop == budget {
                    return Some(Err(self.error(ip, Reason::StepLimit(budget))));
                }
                *at = ip;
                return None;
            }
            thread.begin(instruction.jump.join, ip);
            let op = instruction.op();
            // The common case stays in this loop: arithmetic never changes where the thread goes.
            if op.unit == Unit::Alu {
                self.arithmetic(thread, host, instruction.decoded, ip);
                ip += 1;
                continue;
            }
            match self.go_on(thread, host, &instruction, ip) {
                Ok(next) => ip = next,
                Err(end) => return Some(end),
            }
        }
    }

    /// Like [`Kernel::run`], of a hot kernel from an instruction on.
    fn run_hot(
        &self,
        thread: &mut Thread,
        host: &mut dyn Host,
        budget: u64,
        (hot, start): (&Hot, u32),
    ) -> Result<Outcome, SimError> {
        let native = self.native(hot, thread.regs.flushes());
        let mut ip = start;
        loop {
            let Some(step) = hot.step(ip) else {
                return Err(self.error(ip, Reason::RanOff));
            };
            if thread.steps >= budget {
                return Err(self.error(ip, Reason::StepLimit(budget)));
            }
            if let Some(next) = native.and_then(|native| native.run(thread, step, ip, budget)) {
                ip = next;
                continue;
            }
            thread.begin(step.join, ip);
            match &step.form {
                Form::Quick(quick) if quick.fits(&thread.regs) => {
                    let HotBlock { length, required, .. } = step.block;
                    let is_allowed = u64::from(length) <= budget - thread.steps;
                    if length > 1 && is_allowed && step.block.fits(&thread.regs) {
                        if thread.active & required == required {
                            hot.execute(ip, &step.block, &mut [&mut thread.regs]);
                        } else {
                            hot.execute_partly(ip, &step.block, &mut thread.regs, thread.active);
                        }
                        thread.steps += u64::from(length) - 1;
                        ip += length;
                    } else {
                        quick.execute(&mut thread.regs, thread.active);
                        ip += 1;
                    }
                    continue;
                }
                Form::Branch(branch) => {
                    ip = thread.take(branch, ip);
                    continue;
                }
                Form::Quick(_) | Form::Cold => {}
            }
            let Some(instruction) = self.instruction(ip) else {
                return Err(self.error(ip, Reason::RanOff));
            };
            match self.go_on(thread, host, &instruction, ip) {
                Ok(next) => ip = next,
                Err(end) => return end,
            }
        }
    }

    /// Executes an instruction; returns the next one, or the end of the run.
    #[inline]
    fn go_on(
        &self,
        thread: &mut Thread,
        host: &mut dyn Host,
        instruction: &KernelInstruction,
        ip: u32,
    ) -> Result<u32, Result<Outcome, SimError>> {
        match self.step(thread, host, instruction, ip) {
            Ok(Next::Go(next)) => Ok(next),
            Ok(Next::Done) => Err(Ok(Outcome::Done { steps: thread.steps })),
            Ok(Next::Wait) => {
                thread.ip = Some(ip + 1);
                Err(Ok(Outcome::Barrier { steps: thread.steps }))
            }
            Err(reason) => Err(Err(self.error(ip, reason))),
        }
    }

    /// Like [`Kernel::run`], reporting every instruction to `trace`.
    pub fn run_traced(
        &self,
        thread: &mut Thread,
        host: &mut dyn Host,
        budget: u64,
        trace: &mut dyn Trace,
    ) -> Result<Outcome, SimError> {
        let mut ip = thread.ip.unwrap_or(0);
        loop {
            let Some(instruction) = self.instruction(ip) else {
                return Err(self.error(ip, Reason::RanOff));
            };
            if thread.steps >= budget {
                return Err(self.error(ip, Reason::StepLimit(budget)));
            }
            thread.begin(instruction.jump.join, ip);
            let before = thread.regs.clone();
            let enabled = thread.enables(instruction.op());
            let next = self
                .step(thread, host, &instruction, ip)
                .map_err(|reason| self.error(ip, reason))?;
            let offset = self.offset(ip) as usize;
            trace.step(&Step {
                executed: thread.steps - 1,
                index: ip as usize,
                offset,
                inst: instruction.inst(),
                enabled,
                before: &before,
                after: &thread.regs,
            });
            match next {
                Next::Go(next) => ip = next,
                Next::Done => return Ok(Outcome::Done { steps: thread.steps }),
                Next::Wait => {
                    thread.ip = Some(ip + 1);
                    return Ok(Outcome::Barrier { steps: thread.steps });
                }
            }
        }
    }

    fn step(
        &self,
        thread: &mut Thread,
        host: &mut dyn Host,
        instruction: &KernelInstruction,
        ip: u32,
    ) -> Result<Next, Reason> {
        let op = instruction.op();
        match op.unit {
            Unit::Alu => self.arithmetic(thread, host, instruction.decoded, ip),
            Unit::Nop => {}
            Unit::Control => return control::branch(self, thread, instruction, ip).map(Next::Go),
            Unit::Send => {
                if message::send(self, thread, host, instruction.decoded)? {
                    return Ok(Next::Done);
                }
            }
            Unit::Wait => {
                if std::mem::take(&mut thread.barrier) {
                    return Ok(Next::Wait);
                }
            }
            Unit::Illegal => return Err(Reason::Illegal),
            Unit::NotModeled => return Err(Reason::NotModeled(op.opcode.mnemonic().into())),
        }
        Ok(Next::Go(ip + 1))
    }

    #[inline]
    pub(crate) fn arithmetic(
        &self,
        thread: &mut Thread,
        host: &mut dyn Host,
        decoded: &DecodedInstruction,
        ip: u32,
    ) {
        let op = &decoded.op;
        let enabled = thread.enables(op);
        let predicate =
            if op.pred.is_some() { generic::predicate(&thread.regs, op) } else { u32::MAX };
        // SEL's predicate chooses between the sources, everyone else's masks the destination.
        let channels =
            if op.opcode == intel_isa::Opcode::Sel { enabled } else { enabled & predicate };
        let mut modes = Modes::of(&thread.regs, thread.math);
        if op.opcode == intel_isa::Opcode::Mov {
            // Conversions keep subnormal halves in all modes of cr0: Mesa's packHalf2x16 and
            // unpackHalf2x16 are such moves since gen8, and leave cr0 alone.
            modes.flush_hf = false;
        }
        if let Some(plan) = &decoded.plan
            && fast::execute(&mut thread.regs, plan, op, (channels, predicate), &modes)
        {
            return;
        }
        let live = Live {
            ip: self.offset(ip),
            channels: thread.active,
            time: if op.reads_time { host.time() } else { 0 },
        };
        generic::execute(&mut thread.regs, op, channels, predicate, &live, &modes);
    }

    #[cold]
    fn error(&self, ip: u32, reason: Reason) -> SimError {
        let index = ip as usize;
        let text = self
            .instruction(ip)
            .map(|p| intel_isa::print_inst(self.devinfo, p.inst()))
            .unwrap_or_default();
        SimError { index, offset: self.offset(ip) as usize, text, reason }
    }
}
