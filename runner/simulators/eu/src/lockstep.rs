//! Threads of a hot kernel in lockstep.
//!
//! Until its first message a thread changes nothing but its own registers: no other thread can tell
//! when it executes. So the arithmetic of many threads is executed instruction by instruction
//! instead of thread by thread: each instruction is looked at once for all. The threads that are
//! farthest behind go on, so that those that took other branches meet again.

use smallvec::SmallVec;

use crate::alu::fast::Quick;
use crate::host::NoHost;
use crate::hot::{Form, Hot, HotBlock};
use crate::kernel::Kernel;
use crate::native::Native;
use crate::op::Unit;
use crate::regs::Registers;
use crate::thread::Thread;

/// Instructions that a thread runs ahead at most: the first of threads that never end fails soon.
const FAR: u64 = 1 << 20;
/// Threads that usually run at once, at most.
pub const TOGETHER: usize = 8;
/// Place of a thread that goes on alone.
const ALONE: u32 = u32::MAX;

/// A thread that runs ahead.
struct Runner<'t> {
    thread: &'t mut Thread,
    /// The next instruction, or [`ALONE`].
    place: u32,
    /// Instructions that it has executed then at most.
    limit: u64,
}

impl Runner<'_> {
    /// Leaves the thread before an instruction, where [`Kernel::run`] goes on.
    fn leave(&mut self, ip: u32) {
        self.thread.ip = Some(ip);
        self.place = ALONE;
    }
}

/// Threads at one place, in which every instruction does the same to the channels: none of them
/// stops or resumes.
struct Convoy<'r> {
    ip: u32,
    /// Instructions that each thread may still execute.
    left: u64,
    /// Channels that are active in all threads.
    active: u32,
    /// True if no channel waits.
    whole: bool,
    /// True if the modes are those that all resolved arithmetic is made for.
    fits: bool,
    threads: SmallVec<[Member<'r>; TOGETHER]>,
    registers: SmallVec<[&'r mut Registers; TOGETHER]>,
}

/// A thread of a convoy.
struct Member<'r> {
    active: u32,
    steps: &'r mut u64,
    place: &'r mut u32,
}

impl<'r> Convoy<'r> {
    /// The threads at an instruction.
    fn of(runners: &'r mut [Runner], ip: u32) -> Convoy<'r> {
        let mut convoy = Convoy {
            ip,
            left: u64::MAX,
            active: u32::MAX,
            whole: true,
            fits: true,
            threads: SmallVec::new(),
            registers: SmallVec::new(),
        };
        for Runner { thread, place, limit } in runners.iter_mut().filter(|r| r.place == ip) {
            let active = thread.active;
            convoy.left = convoy.left.min(limit.saturating_sub(thread.steps));
            convoy.active &= active;
            convoy.whole &= thread.dispatch & !active == 0;
            convoy.fits &= Quick::fits_modes(&thread.regs);
            convoy.threads.push(Member { active, steps: &mut thread.steps, place });
            convoy.registers.push(&mut thread.regs);
        }
        convoy
    }

    /// Executes instructions until the threads have come to `end`, or one needs a look at each
    /// thread: returns that.
    /// Stops before translated blocks, but for the first.
    fn travel(mut self, hot: &Hot, native: Option<&Native>, end: u32) -> Option<u32> {
        let all = self.left;
        let mut is_left = false;
        while self.ip < end
            && !is_left
            && let Some(next) = self.next(hot)
        {
            self.ip = next;
            is_left = native.is_some_and(|native| native.begins(next));
        }
        for Member { steps, place, .. } in &mut self.threads {
            **steps += all - self.left;
            **place = self.ip;
        }
        (self.ip < end && !is_left).then_some(self.ip)
    }

    /// Executes the instruction, or the block that begins there; returns the next instruction.
    #[inline]
    fn next(&mut self, hot: &Hot) -> Option<u32> {
        let step = hot.step(self.ip).filter(|step| self.whole || !step.join)?;
        match &step.form {
            Form::Quick(_) => {
                let HotBlock { length, required, .. } = step.block;
                if length == 0 || !self.fits || u64::from(length) > self.left {
                    return None;
                }
                if self.active & required == required {
                    hot.execute(self.ip, &step.block, &mut self.registers);
                } else {
                    for (member, registers) in self.threads.iter().zip(&mut self.registers) {
                        hot.execute_partly(self.ip, &step.block, registers, member.active);
                    }
                }
                self.left -= u64::from(length);
                Some(self.ip + length)
            }
            Form::Branch(branch) if self.left > 0 => {
                let mut places =
                    self.threads.iter().zip(&self.registers).map(|(member, registers)| {
                        branch.pass(member.active, &registers.flags, self.ip)
                    });
                let first = places.next()??;
                if places.any(|place| place != Some(first)) {
                    return None;
                }
                self.left -= 1;
                Some(first)
            }
            Form::Branch(_) | Form::Cold => None,
        }
    }
}

/// Executes the translated form of what begins at `ip` in the threads that are there; false if no
/// thread could.
fn go_natively(native: &Native, hot: &Hot, runners: &mut [Runner], ip: u32) -> bool {
    let Some(step) = hot.step(ip) else { return false };
    let mut any = false;
    for runner in runners.iter_mut().filter(|runner| runner.place == ip) {
        if let Some(next) = native.run(runner.thread, step, ip, runner.limit) {
            runner.place = next;
            any = true;
        }
    }
    any
}

impl Kernel {
    /// Executes each thread to the first instruction that is more than arithmetic or a structured
    /// branch, but no more than `most`. [`Kernel::run`] goes on from there, with the result that it
    /// has without this: the threads are independent so far.
    ///
    /// Does nothing for kernels that are not hot, single threads, and threads that are observed.
    pub fn run_ahead<'t>(&self, threads: impl IntoIterator<Item = &'t mut Thread>, most: u64) {
        let runner = |thread: &'t mut Thread| Runner {
            place: thread.ip.unwrap_or(0),
            limit: thread.steps.saturating_add(most.min(FAR)),
            thread,
        };
        let mut runners: SmallVec<[Runner; TOGETHER]> = threads.into_iter().map(runner).collect();
        let Some(math) = runners.first().map(|runner| runner.thread.math) else { return };
        let Some(hot) = self.heat.hot(math) else { return };
        let alike = |r: &Runner| r.thread.math == math && r.thread.tracer.is_none();
        if runners.len() < 2 || !runners.iter().all(alike) {
            return;
        }
        let steps = |runners: &[Runner]| -> u64 { runners.iter().map(|r| r.thread.steps).sum() };
        let before = steps(&runners);
        let flushes = runners.first().is_some_and(|runner| runner.thread.regs.flushes());
        let native = self.native(hot, flushes);
        while let Some(ip) = runners.iter().map(|r| r.place).filter(|&place| place != ALONE).min() {
            let places = runners.iter().map(|runner| runner.place);
            let end = places.filter(|&place| place != ip).min().unwrap_or(ALONE);
            if native.is_some_and(|native| go_natively(native, hot, &mut runners, ip)) {
                continue;
            }
            if let Some(ip) = Convoy::of(&mut runners, ip).travel(hot, native, end) {
                self.advance(hot, &mut runners, ip);
            }
        }
        self.heat.add(steps(&runners) - before);
    }

    /// Executes the instruction at `ip`, or the block that begins there, in the threads that are
    /// there.
    fn advance(&self, hot: &Hot, runners: &mut [Runner], ip: u32) {
        let Some(step) = hot.step(ip) else {
            return runners.iter_mut().filter(|r| r.place == ip).for_each(|r| r.leave(ip));
        };
        let HotBlock { length, required, .. } = step.block;
        let mut together: SmallVec<[&mut Registers; TOGETHER]> = SmallVec::new();
        for runner in runners.iter_mut().filter(|runner| runner.place == ip) {
            let thread = &mut *runner.thread;
            let left = runner.limit.saturating_sub(thread.steps);
            if left == 0 {
                runner.leave(ip);
                continue;
            }
            let quick = match &step.form {
                Form::Quick(quick) if quick.fits(&thread.regs) => quick,
                Form::Branch(branch) => {
                    thread.begin(step.join, ip);
                    runner.place = thread.take(branch, ip);
                    continue;
                }
                Form::Quick(_) | Form::Cold => {
                    self.alone(runner, step.join, ip);
                    continue;
                }
            };
            thread.begin(step.join, ip);
            let fits = length > 0 && u64::from(length) <= left && step.block.fits(&thread.regs);
            if !fits {
                quick.execute(&mut thread.regs, thread.active);
                runner.place = ip + 1;
                continue;
            }
            thread.steps += u64::from(length) - 1;
            runner.place = ip + length;
            if thread.active & required == required {
                together.push(&mut runner.thread.regs);
            } else {
                hot.execute_partly(ip, &step.block, &mut thread.regs, thread.active);
            }
        }
        if !together.is_empty() {
            hot.execute(ip, &step.block, &mut together);
        }
    }

    /// Executes an instruction that is not resolved, if it is arithmetic.
    fn alone(&self, runner: &mut Runner, join: bool, ip: u32) {
        match self.instruction(ip) {
            Some(instruction)
                if instruction.op().unit == Unit::Alu && !instruction.op().reads_time =>
            {
                runner.thread.begin(join, ip);
                self.arithmetic(runner.thread, &mut NoHost, instruction.decoded, ip);
                runner.place = ip + 1;
            }
            _ => runner.leave(ip),
        }
    }
}
