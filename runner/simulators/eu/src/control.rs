//! Branches: every channel has its own instruction pointer, the thread has one too.
//!
//! A channel is enabled when its pointer is the thread's. A branch moves the pointers of its
//! enabled channels; the thread goes on to the next instruction if any channel is there, else to
//! the branch's JIP. Channels elsewhere wait in [`Thread::waiting`] and resume when the thread
//! reaches them. Code that no channel runs is still walked through, so NoMask instructions in it
//! execute.

use intel_isa::Opcode;

use crate::alu::generic::predicate;
use crate::alu::operands::{self, Live};
use crate::error::Reason;
use crate::hot::Branch;
use crate::jump::{Jump, bit, is_structured};
use crate::kernel::{Kernel, KernelInstruction};
use crate::op::{Op, Place, low_bits};
use crate::thread::Thread;

impl Thread {
    /// Begins the instruction with this index, at which waiting channels may resume if it is a
    /// `join`.
    #[inline(always)]
    pub(crate) fn begin(&mut self, join: bool, index: u32) {
        self.steps += 1;
        if join {
            self.join(index);
        }
    }

    /// Activates the channels that wait at instruction `index`.
    pub(crate) fn join(&mut self, index: u32) {
        let resumed = self.waiting_at(index);
        self.active |= resumed;
        if resumed != 0 && self.active == self.dispatch {
            self.awaited = 0;
        }
    }

    /// Idle channels that wait at instruction `index`.
    #[inline]
    fn waiting_at(&self, index: u32) -> u32 {
        let mut channels = 0;
        if self.awaited & bit(index) == 0 {
            return channels;
        }
        let mut rest = self.dispatch & !self.active;
        while rest != 0 {
            let channel = rest.trailing_zeros();
            rest &= rest - 1;
            channels |= u32::from(self.waiting[channel as usize] == index) << channel;
        }
        channels
    }

    /// Sends `channels` to wait at instruction `index`.
    fn park(&mut self, channels: u32, index: u32) {
        self.active &= !channels;
        if channels != 0 {
            self.awaited |= bit(index);
        }
        let mut rest = channels;
        while rest != 0 {
            self.waiting[rest.trailing_zeros() as usize] = index;
            rest &= rest - 1;
        }
    }

    /// Returns whether some channel is or waits at instruction `index`, the active ones being
    /// there.
    fn anyone_at(&self, index: u32) -> bool {
        self.active != 0 || self.waiting_at(index) != 0
    }

    /// Executes a structured branch at `index`, of channels of which `active` are active; returns
    /// the next instruction.
    #[inline]
    pub(crate) fn branch(
        &mut self,
        opcode: Opcode,
        jump: &Jump,
        (active, predicate): (u32, u32),
        index: u32,
    ) -> u32 {
        let &Jump { jip, uip, .. } = jump;
        match opcode {
            // Channels whose predicate fails go past the ELSE, or to the ENDIF.
            Opcode::If => self.park(active & !predicate, jip),
            Opcode::Else => self.park(active, jip),
            Opcode::While => {
                let again = active & predicate;
                if again == 0 {
                    return index + 1;
                }
                self.park(self.active & !again, index + 1);
                return jip;
            }
            Opcode::Brd => self.park(active & predicate, jip),
            Opcode::Endif => {}
            _ => self.park(active & predicate, uip),
        }
        self.after_branch(index, jip)
    }

    /// Executes a resolved branch at `index`; returns the next instruction.
    #[inline]
    pub(crate) fn take(&mut self, branch: &Branch, index: u32) -> u32 {
        if let Some(next) = branch.pass(self.active, &self.regs.flags, index) {
            return next;
        }
        let predicate = branch.predicate(&self.regs.flags);
        let active = self.active & branch.channels;
        self.branch(branch.opcode, &branch.jump, (active, predicate), index)
    }

    /// The next instruction after a branch at `index`: the following one if some channel is there,
    /// else `elsewhere`.
    fn after_branch(&self, index: u32, elsewhere: u32) -> u32 {
        if self.anyone_at(index + 1) { index + 1 } else { elsewhere }
    }
}

/// Executes a branch at `index`; returns the next instruction.
pub(crate) fn branch(
    kernel: &Kernel,
    thread: &mut Thread,
    instruction: &KernelInstruction,
    index: u32,
) -> Result<u32, Reason> {
    let op = instruction.op();
    // Predicates and enables in positions of the execution mask.
    let channels = low_bits(op.shape.channels).checked_shl(op.group.into()).unwrap_or(0);
    let predicate = predicate(&thread.regs, op).checked_shl(op.group.into()).unwrap_or(0);
    let active = thread.active & channels;
    match op.opcode {
        opcode if is_structured(opcode) => {
            Ok(thread.branch(opcode, instruction.jump, (active, predicate), index))
        }
        Opcode::Jmpi => jump(kernel, thread, instruction, index),
        Opcode::Call => call(kernel, thread, instruction, index, active & predicate),
        Opcode::Ret => ret(kernel, thread, op, index, active & predicate),
        _ => Err(Reason::NotModeled(op.opcode.mnemonic().into())),
    }
}

/// JMPI moves the thread, and all its active channels with it, if any enabled channel's predicate
/// holds.
fn jump(
    kernel: &Kernel,
    thread: &mut Thread,
    instruction: &KernelInstruction,
    index: u32,
) -> Result<u32, Reason> {
    let op = instruction.op();
    if thread.enables(op) & predicate(&thread.regs, op) & low_bits(op.shape.channels) == 0 {
        return Ok(index + 1);
    }
    if matches!(op.src[0].place, Place::Imm(_)) {
        return Ok(instruction.jump.jip);
    }
    let live = Live::default();
    let distance = operands::fetch(&thread.regs, &live, &op.shape, &op.src[0], 0) as u32 as i32;
    let next = kernel.offset(index + 1);
    let target =
        i64::from(next) + i64::from(distance) * i64::from(kernel.devinfo.jump_unit(op.opcode));
    kernel.index_of(target).ok_or_else(|| {
        Reason::Message(format!("jump to byte {target:#x}, where no instruction is"))
    })
}

/// CALL keeps the return address and the calling channels in the destination's first two dwords.
fn call(
    kernel: &Kernel,
    thread: &mut Thread,
    instruction: &KernelInstruction,
    index: u32,
    callers: u32,
) -> Result<u32, Reason> {
    if callers == 0 {
        return Ok(index + 1);
    }
    let back = kernel.offset(index + 1);
    if let Place::Grf(lanes) = &instruction.op().dst.place {
        let base = usize::from(lanes.low(0));
        thread.regs.write(base, 4, back.into());
        thread.regs.write(base + 4, 4, callers.into());
    }
    thread.park(thread.active & !callers, index + 1);
    Ok(instruction.jump.jip)
}

/// RET sends its channels to the return address of the source; the thread follows when none stays.
fn ret(
    kernel: &Kernel,
    thread: &mut Thread,
    op: &Op,
    index: u32,
    returning: u32,
) -> Result<u32, Reason> {
    if returning == 0 {
        return Ok(index + 1);
    }
    let live = Live::default();
    let target = operands::fetch(&thread.regs, &live, &op.shape, &op.src[0], 0) as u32;
    let target = kernel.index_of(target.into()).ok_or_else(|| {
        Reason::Message(format!("return to byte {target:#x}, where no instruction is"))
    })?;
    thread.park(returning, target);
    Ok(thread.after_branch(index, target))
}
