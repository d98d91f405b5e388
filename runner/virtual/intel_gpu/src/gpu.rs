//! Execution of batches: dispatch of commands, contexts.

use std::fmt;
use std::rc::Rc;

use gpu_service::{Clock, GpuError, Guard, Model, Outcome, Processor, Start, not_modeled};
use packets::{Command, Memory, Table, Walker};
use rustc_hash::FxHashMap;
use submission::{KernelUse, Submission};
use vocabulary::Generation;

use crate::context::HardwareContext;
use crate::draw::Drawing;
use crate::effects::commands::{Effect, effect};
use crate::facts::Facts;
use crate::mi;
use crate::watch::Watch;

packets::fields! {
    struct Bases of "STATE_BASE_ADDRESS" {
        surface: "Surface State Base Address",
        sets_surface: "Surface State Base Address Modify Enable",
        dynamic: "Dynamic State Base Address",
        sets_dynamic: "Dynamic State Base Address Modify Enable",
        instruction: "Instruction Base Address",
        sets_instruction: "Instruction Base Address Modify Enable",
    }
}

/// The GPU of a generation, for the service.
#[must_use]
pub fn model(generation: Generation) -> Model {
    let Facts { timestamp_frequency: frequency, version, .. } = Facts::of(generation);
    let create = |start: Start| -> Box<dyn Processor> {
        let mut gpu = Gpu::new(start.generation, start.clock);
        gpu.stop_if(start.is_abandoned);
        if start.counts_kernels {
            gpu.count_kernels();
        }
        Box::new(gpu)
    };
    Model { frequency, clock: Clock::start, version, create }
}

/// Starts a clock with the frequency of a generation.
#[must_use]
pub fn clock(generation: Generation) -> Clock {
    Clock::start(Facts::of(generation).timestamp_frequency)
}

impl Processor for Gpu {
    fn execute(&mut self, memory: &dyn Memory, submission: &Submission) -> Result<usize, GpuError> {
        Gpu::execute(self, memory, submission.context, submission.batch)
    }

    fn destroy_context(&mut self, context: u32) {
        Gpu::destroy_context(self, context);
    }

    fn take_used_kernels(&mut self) -> Vec<KernelUse> {
        Gpu::take_used_kernels(self)
    }
}

/// The GPU as one process sees it.
pub struct Gpu {
    table: &'static Table,
    clock: Clock,
    contexts: FxHashMap<u32, HardwareContext>,
    bases: Bases,
    mi: mi::Fields,
    drawing: Drawing,
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
            table,
            clock,
            contexts: FxHashMap::default(),
            bases: Bases::resolve(table),
            mi: mi::Fields::resolve(generation),
            drawing: Drawing::new(generation, table),
        }
    }

    /// Stops a batch when `is_abandoned`, which is called from time to time, returns true: its
    /// process has ended.
    pub fn stop_if(&mut self, is_abandoned: impl Fn() -> bool + 'static) {
        self.drawing.guard = Guard::new(Box::new(is_abandoned));
    }

    /// Reports all kernels to an observer.
    pub fn watch(&mut self, watch: Rc<dyn Watch>) {
        self.drawing.watch(watch);
    }

    /// Notes the kernels that draws and dispatches of the program use, from now on.
    pub fn count_kernels(&mut self) {
        self.drawing.count_kernels();
    }

    /// Returns the kernels that draws and dispatches of the program used since the last call, and
    /// their work. Draws with which the driver clears and copies do not count.
    pub fn take_used_kernels(&mut self) -> Vec<KernelUse> {
        self.drawing.take_used()
    }

    /// Forgets the state of a context.
    pub fn destroy_context(&mut self, context: u32) {
        self.contexts.remove(&context);
    }

    /// Executes the batch at an address and returns the number of its commands.
    ///
    /// # Errors
    /// Names the first command that cannot be executed.
    pub fn execute(
        &mut self,
        memory: &dyn Memory,
        context: u32,
        address: u64,
    ) -> Result<usize, GpuError> {
        let mut walker = Walker::new(self.table, memory, address);
        let mut count = 0;
        // A new context begins with all state zero.
        let mut state = self.contexts.remove(&context).unwrap_or_default();
        let result = loop {
            let command = match walker.advance() {
                Ok(Some(command)) => command,
                Ok(None) => break Ok(count),
                Err(error) => break Err(error.into()),
            };
            count += 1;
            let done = self.drawing.guard.check();
            let done = done.and_then(|()| self.command(memory, &mut state, &command));
            if let Err(reason) = done {
                break Err(GpuError::of(&command, reason));
            }
        };
        self.contexts.insert(context, state);
        result
    }

    fn command(
        &mut self,
        memory: &dyn Memory,
        context: &mut HardwareContext,
        command: &Command<'_>,
    ) -> Outcome<()> {
        if mi::execute(&self.mi, context, memory, &self.clock, command)? {
            return Ok(());
        }
        let words = &command.words;
        match command.layout.name {
            "STATE_BASE_ADDRESS" => self.set_bases(context, words),
            "3DSTATE_VERTEX_BUFFERS" => self.drawing.set_vertex_buffers(context, words),
            "3DSTATE_VF_INSTANCING" => self.drawing.set_instancing(context, words),
            "3DSTATE_SO_BUFFER" => {
                return self.drawing.set_output_buffer(memory, context, words);
            }
            "3DSTATE_WM_HZ_OP" => {
                self.drawing.depth_operation(memory, context, words)?;
                context.store(command.layout.name, words.clone());
            }
            "GPGPU_WALKER" => return self.drawing.compute(memory, context, words),
            "3DPRIMITIVE" => {
                return self.drawing.draw(memory, context, words);
            }
            name => match effect(name) {
                Some(Effect::Modeled) => context.store(name, words.clone()),
                Some(Effect::None) => {}
                Some(Effect::NoneIfZero) if words[1..].iter().all(|word| *word == 0) => {}
                Some(Effect::NoneIfZero) => return not_modeled("bits that are not 0"),
                None => return not_modeled("the command"),
            },
        }
        Ok(())
    }

    fn set_bases(&self, context: &mut HardwareContext, words: &[u32]) {
        let Bases { surface, sets_surface, .. } = self.bases;
        let Bases { dynamic, sets_dynamic, instruction, sets_instruction, .. } = self.bases;
        let set = |enable: packets::Field, base: packets::Field, to: &mut u64| {
            if enable.flag(words) {
                *to = base.get(words) & 0xffff_ffff_ffff;
            }
        };
        set(sets_surface, surface, &mut context.surface_base);
        set(sets_dynamic, dynamic, &mut context.dynamic_base);
        set(sets_instruction, instruction, &mut context.instruction_base);
    }
}
