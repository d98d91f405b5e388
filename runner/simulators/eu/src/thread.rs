//! One hardware thread: its registers, its channels and where each of them is.

use intel_isa::DevInfo;

use crate::alu::math::MathMode;
use crate::op::{Op, low_bits};
use crate::regs::Registers;
use crate::trace::Tracer;

/// A thread. Created once, [`Thread::reset`] for each dispatch.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The register files.
    pub regs: Registers,
    /// Contents of the register files of a new thread: generated once for many dispatches with one
    /// seed.
    fresh: Box<Registers>,
    /// Accuracy of the math unit.
    pub math: MathMode,
    /// Watches every instruction, if somebody does.
    pub tracer: Option<Tracer>,
    /// Channels the thread was dispatched with.
    pub(crate) dispatch: u32,
    /// Channels whose instruction pointer is the thread's.
    pub(crate) active: u32,
    /// Instruction index at which each inactive channel waits.
    pub(crate) waiting: [u32; 32],
    /// Bit n is set if a channel may wait at an instruction whose index ends in these six bits.
    pub(crate) awaited: u64,
    /// Next instruction, or none before the first run.
    pub(crate) ip: Option<u32>,
    /// A barrier message was sent and not yet waited for.
    pub(crate) barrier: bool,
    /// Instructions executed since the reset.
    pub(crate) steps: u64,
}

impl Thread {
    /// A thread of `devinfo` with every register full of garbage grown from `seed`, all 32 channels
    /// enabled.
    pub fn new(_devinfo: &'static DevInfo, seed: u64) -> Thread {
        let fresh = Box::new(Registers::new(seed));
        Thread {
            regs: (*fresh).clone(),
            fresh,
            math: MathMode::Exact,
            tracer: None,
            dispatch: u32::MAX,
            active: u32::MAX,
            waiting: [0; 32],
            awaited: 0,
            ip: None,
            barrier: false,
            steps: 0,
        }
    }

    /// Makes the thread as new, keeping its allocation, its math mode and its observer.
    pub fn reset(&mut self, seed: u64) {
        if self.fresh.garbage.0 != seed {
            *self.fresh = Registers::new(seed);
        }
        self.regs.copy_from(&self.fresh);
        self.dispatch = u32::MAX;
        self.active = u32::MAX;
        self.awaited = 0;
        self.ip = None;
        self.barrier = false;
        self.steps = 0;
    }

    /// Sets the channels the thread is dispatched with. Also visible in `sr0.2`, and in `sr0.3`,
    /// where pixels stand for their quads.
    pub fn set_dispatch_mask(&mut self, channels: u32) {
        self.dispatch = channels;
        self.active = channels;
        self.regs.state[2] = channels;
        self.regs.state[3] = channels;
    }

    /// The channels the thread was dispatched with.
    pub fn dispatch_mask(&self) -> u32 {
        self.dispatch
    }

    /// Sets payload register `nr` from eight dwords. Registers past r127 are ignored.
    pub fn set_register(&mut self, nr: usize, dwords: &[u32; 8]) {
        self.regs.set_register(nr, dwords);
    }

    /// Sets dword `dword` of payload register `nr`.
    pub fn set_dword(&mut self, nr: usize, dword: usize, value: u32) {
        self.regs.write(nr * crate::regs::REG_SIZE + dword * 4, 4, value.into());
    }

    /// Copies bytes into the register file from byte `offset` (register × 32) on; what does not fit
    /// is dropped.
    pub fn set_bytes(&mut self, offset: usize, bytes: &[u8]) {
        if let Some(to) = self.regs.grf.get_mut(offset..) {
            for (to, from) in to.iter_mut().zip(bytes) {
                *to = *from;
            }
        }
    }

    /// Register `nr` as eight dwords.
    pub fn register(&self, nr: usize) -> [u32; 8] {
        self.regs.register(nr)
    }

    /// Instructions executed since the last reset.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The channels of `op` that the execution mask enables.
    #[inline]
    pub(crate) fn enables(&self, op: &Op) -> u32 {
        if op.no_mask { low_bits(op.shape.channels) } else { op.gather(self.active >> op.group) }
    }
}
