//! Execution of buffers of packets.

use std::fmt;

use amd_isa::Chip;
use gpu_service::{Clock, CommandError, GpuError, Guard, Model, Processor, Start};
use packets::{Memory, PacketWalker, Table};
use rustc_hash::FxHashMap;
use submission::{KernelUse, Submission};
use vocabulary::{Generation, Stage};

use crate::command::Commands;
use crate::context::Context;
use crate::draw;
use crate::hardware::Hardware;
use crate::kernels::Kernels;
use crate::state::Fields;

/// The engine that draws, and the one that only dispatches.
const ENGINES: [u32; 2] = [0, 1];
/// Nanoseconds of a packet.
const PACKET: u64 = 100;

/// The GPU of a generation, for the service.
#[must_use]
pub fn model(generation: Generation) -> Model {
    let create = |start: Start| -> Box<dyn Processor> {
        let mut gpu = Gpu::new(start.generation, start.clock);
        gpu.hardware.guard = Guard::new(start.is_abandoned);
        Box::new(gpu)
    };
    let Facts { version, frequency, .. } = Facts::of(generation);
    Model { frequency, clock: Clock::of_work, version, create }
}

/// Starts a clock with the frequency of a generation.
#[must_use]
pub fn clock(generation: Generation) -> Clock {
    Clock::of_work(Facts::of(generation).frequency)
}

/// Facts of a generation that packets and registers do not name.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Version of the graphics engine.
    version: u32,
    /// Ticks of the time stamp in a second.
    frequency: u32,
    /// Instruction set.
    chip: Chip,
}

impl Facts {
    fn of(generation: Generation) -> Facts {
        match Chip::get(generation.name()) {
            Some(Chip::Si) => Facts { version: 6, frequency: 27_000_000, chip: Chip::Si },
            _ => Facts { version: 8, frequency: 25_000_000, chip: Chip::Vi },
        }
    }
}

/// The GPU as one process sees it.
pub struct Gpu {
    hardware: Hardware,
    commands: Commands,
    contexts: FxHashMap<u32, Context>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("contexts", &self.contexts.len()).finish_non_exhaustive()
    }
}

impl Gpu {
    /// Creates a GPU without contexts.
    #[must_use]
    pub fn new(generation: Generation, clock: Clock) -> Gpu {
        let table = Table::of(generation);
        Gpu {
            hardware: Hardware {
                chip: Facts::of(generation).chip,
                table,
                fields: Fields::resolve(table),
                kernels: Kernels::default(),
                clock,
                guard: Guard::default(),
            },
            commands: Commands::resolve(table),
            contexts: FxHashMap::default(),
        }
    }

    /// Executes a buffer of this length in bytes and returns the number of its packets.
    ///
    /// # Errors
    /// Names the first packet that cannot be executed.
    pub fn execute(
        &mut self,
        memory: &dyn Memory,
        context: u32,
        address: u64,
        length: u64,
    ) -> Result<usize, GpuError> {
        let mut walker = PacketWalker::new(self.hardware.table, memory, address, length / 4);
        let mut count = 0;
        let mut state = self.contexts.remove(&context).unwrap_or_default();
        let result = loop {
            let command = match walker.advance() {
                Ok(Some(command)) => command,
                Ok(None) => break Ok(count),
                Err(error) => break Err(error.into()),
            };
            count += 1;
            self.hardware.clock.pass(PACKET);
            let done = self.hardware.guard.check();
            let done = done
                .and_then(|()| self.commands.execute(&self.hardware, memory, &mut state, &command));
            match done {
                Ok(skipped) => walker.skip(skipped),
                Err(reason) => break Err(GpuError::of(&command, reason)),
            }
        };
        self.contexts.insert(context, state);
        result
    }
}

impl Gpu {
    /// Colors of the first render target of a context's last draw, for tests: rows of texels, bits
    /// of floats or integers; `None` without one. Cleared tiles of the target become expanded in
    /// memory.
    ///
    /// # Errors
    /// The target is not modeled, or not in memory.
    pub fn target_colors(
        &self,
        memory: &dyn Memory,
        context: u32,
        size: (u32, u32),
    ) -> Result<Option<Vec<[u32; 4]>>, CommandError> {
        match self.contexts.get(&context) {
            Some(context) => draw::target_colors(&self.hardware, memory, context, size),
            None => Ok(None),
        }
    }

    /// The programs that draws and dispatches used so far, in the order of their first use: the
    /// stage of the API, and a line for each instruction.
    #[must_use]
    pub fn listings(&self) -> Vec<(Stage, Vec<String>)> {
        self.hardware.kernels.listings()
    }
}

impl Processor for Gpu {
    fn execute(&mut self, memory: &dyn Memory, submission: &Submission) -> Result<usize, GpuError> {
        let Submission { context, engine, batch, length, .. } = *submission;
        if !ENGINES.contains(&engine) {
            return Err(GpuError::Engine(engine));
        }
        Gpu::execute(self, memory, context, batch, length)
    }

    fn destroy_context(&mut self, context: u32) {
        self.contexts.remove(&context);
    }

    fn take_used_kernels(&mut self) -> Vec<KernelUse> {
        self.hardware.kernels.take_used()
    }
}
