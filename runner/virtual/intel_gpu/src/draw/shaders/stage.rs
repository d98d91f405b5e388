//! Threads of the stages before rasterization: loading, execution, entries of the URB.

use std::rc::Rc;

use eu_simulator::host::{
    AtomicOp, Host, HostError, Reply, SamplerRequest, Surface, Texels, UrbWrite,
};
use eu_simulator::trace::Tracer;
use eu_simulator::{Outcome as ThreadOutcome, Thread};
use gpu_service::{CommandError, Outcome};
use vocabulary::{Stage, Width};

use crate::draw::command::Draw;
use crate::draw::kernels::Loaded;
use crate::draw::state::stages::Program;
use crate::draw::thread::BUDGET;
use crate::draw::thread::bindings::Resources;
use crate::draw::thread::messages::{Failure, memory_messages};
use crate::draw::thread::scratch::{self, Scratch};
use crate::draw::window::Slots;

/// Maximum number of double words of an entry: more than any patch or list of vertices has.
const LARGEST_ENTRY: usize = 1 << 16;

/// Commands with the resources of a stage.
pub(crate) struct Names {
    stage: Stage,
    constants: &'static str,
    table: &'static str,
    samplers: &'static str,
}

macro_rules! names {
    ($stage:literal, $name:ident) => {
        Names {
            stage: Stage::$name,
            constants: concat!("3DSTATE_CONSTANT_", $stage),
            table: concat!("3DSTATE_BINDING_TABLE_POINTERS_", $stage),
            samplers: concat!("3DSTATE_SAMPLER_STATE_POINTERS_", $stage),
        }
    };
}

pub(crate) const VERTEX: Names = names!("VS", Vertex);
pub(crate) const CONTROL: Names = names!("HS", TessControl);
pub(crate) const EVALUATION: Names = names!("DS", TessEval);
pub(crate) const GEOMETRY: Names = names!("GS", Geometry);

/// A stage of a draw.
pub(crate) struct UrbStage<'a> {
    draw: &'a Draw<'a>,
    kernel: Rc<Loaded>,
    address: u64,
    resources: Resources<'a>,
    constants: Vec<[u32; 8]>,
    /// First register of the constants.
    start: usize,
    /// Bytes of scratch space of a thread.
    scratch: usize,
    /// Observer of the threads.
    tracer: Option<Tracer>,
}

impl<'a> UrbStage<'a> {
    /// Loads a stage.
    pub(crate) fn load(
        draw: &'a Draw<'a>,
        names: &Names,
        program: &Program,
    ) -> Outcome<UrbStage<'a>> {
        let address = draw.context.instruction_base + program.kernel;
        let kernel = draw.kernel(address)?;
        let width = if draw.devinfo.has_simd8_urb { Width::Simd8 } else { Width::Vec4 };
        Ok(UrbStage {
            draw,
            tracer: draw.tracer(&kernel, (names.stage, width), address),
            kernel,
            address,
            resources: draw.resources(names.table, names.samplers),
            constants: draw.constants(names.constants)?,
            start: program.start as usize,
            scratch: scratch::bytes_of_stage(program.scratch),
        })
    }

    /// A stage of one kernel, whose caller writes the constants.
    pub(crate) fn of_kernel(
        draw: &'a Draw<'a>,
        (width, scratch): (Width, usize),
        address: u64,
        resources: Resources<'a>,
    ) -> Outcome<UrbStage<'a>> {
        let kernel = draw.kernel(address)?;
        let tracer = draw.tracer(&kernel, (Stage::Compute, width), address);
        let constants = Vec::new();
        Ok(UrbStage { draw, kernel, address, resources, constants, start: 1, scratch, tracer })
    }

    /// Creates a thread with its constants and returns the register after them.
    pub(crate) fn thread(&self) -> (Thread, usize) {
        let mut thread = Thread::new(self.draw.devinfo, 0);
        thread.reset(0);
        thread.tracer.clone_from(&self.tracer);
        for (i, constant) in self.constants.iter().enumerate() {
            thread.set_register(self.start + i, constant);
        }
        (thread, self.start + self.constants.len())
    }

    /// Writes the first register, with the pointer to the sampler states.
    pub(crate) fn set_header(&self, thread: &mut Thread, mut header: [u32; 8]) {
        header[3] = self.resources.sampler_offset();
        thread.set_register(0, &header);
    }

    /// Executes threads that share URB entries, from barrier to barrier, and returns the entries.
    pub(crate) fn run(&self, threads: Vec<Thread>, entries: Vec<Vec<u32>>) -> Outcome<Entries> {
        let mut host = UrbHost {
            resources: &self.resources,
            entries,
            counts: [0; 2],
            scratch: Scratch::new(self.scratch),
            failure: Failure::default(),
        };
        let mut running: Vec<(Thread, Scratch)> =
            threads.into_iter().map(|thread| (thread, Scratch::new(self.scratch))).collect();
        while !running.is_empty() {
            let mut waiting = Vec::new();
            for (mut thread, scratch) in running {
                self.draw.guard.check()?;
                let shared = std::mem::take(&mut host.scratch.shared);
                host.scratch = Scratch { shared, ..scratch };
                let result = self.kernel.kernel.run(&mut thread, &mut host, BUDGET);
                if let Some(error) = host.failure.0.take() {
                    return Err(error);
                }
                let error = |error| -> CommandError { CommandError::kernel(self.address, &error) };
                match result.map_err(error)? {
                    ThreadOutcome::Done { steps } => self.kernel.count(1, steps),
                    ThreadOutcome::Barrier { .. } => {
                        let bytes = std::mem::take(&mut host.scratch.bytes);
                        waiting.push((thread, Scratch { bytes, ..Scratch::new(self.scratch) }));
                    }
                }
            }
            running = waiting;
        }
        Ok(Entries { entries: host.entries, counts: host.counts })
    }
}

/// Entries of the URB after threads have ended.
pub(crate) struct Entries {
    /// Entries by handle.
    pub(crate) entries: Vec<Vec<u32>>,
    /// Numbers of vertices in the message that ended a thread.
    pub(crate) counts: [u32; 2],
}

/// Slots of an entry.
pub(crate) fn slots(entry: &[u32]) -> Slots {
    entry.chunks_exact(4).map(|dwords| [dwords[0], dwords[1], dwords[2], dwords[3]]).collect()
}

/// Double words of a vertex.
pub(crate) fn dwords(slots: &Slots) -> Vec<u32> {
    slots.iter().flatten().copied().collect()
}

/// Serves the messages of a thread before rasterization.
struct UrbHost<'a> {
    resources: &'a Resources<'a>,
    /// Entries by handle.
    entries: Vec<Vec<u32>>,
    counts: [u32; 2],
    scratch: Scratch,
    failure: Failure,
}

impl<'a> UrbHost<'a> {
    fn resources(&self) -> &Resources<'a> {
        self.resources
    }
}

impl Host for UrbHost<'_> {
    fn urb_write(&mut self, write: &UrbWrite<'_>) -> Reply<()> {
        // Handle and offset of a channel that is off mean nothing.
        if write.mask == 0 {
            return Ok(());
        }
        let Some(entry) = self.entries.get_mut(usize::from(write.handle)) else {
            return Err(HostError(format!("no URB entry {}", write.handle)));
        };
        let start = 4 * write.offset as usize;
        let end = start + write.data.len();
        if end > LARGEST_ENTRY {
            return Err(HostError(format!("URB write to double word {end} of an entry")));
        }
        if entry.len() < end {
            entry.resize(end, 0);
        }
        for (i, value) in write.data.iter().enumerate().filter(|(i, _)| write.mask >> i & 1 != 0) {
            entry[start + i] = *value;
        }
        Ok(())
    }

    fn urb_read(&mut self, handle: u16, offset: u32, data: &mut [u32]) -> Reply<()> {
        let Some(entry) = self.entries.get(usize::from(handle)) else {
            return Err(HostError(format!("no URB entry {handle}")));
        };
        for (i, place) in data.iter_mut().enumerate() {
            *place = entry.get(4 * offset as usize + i).copied().unwrap_or(0);
        }
        Ok(())
    }

    fn urb_end(&mut self, header: &[u32; 8]) {
        self.counts = [header[2] & 0xffff, header[2] >> 16];
    }

    memory_messages!();
}

impl Draw<'_> {
    /// Resources of a stage.
    pub(crate) fn resources(&self, table: &str, samplers: &str) -> Resources<'_> {
        // The commands of all stages have the same layout.
        let table = self.fields.binding_table.offset.get(self.context.packet(table));
        let samplers = self.fields.sampler_pointer.offset.get(self.context.packet(samplers));
        let table = self.context.surface_base + table;
        let samplers = self.context.dynamic_base + samplers;
        Resources::new(self, table, samplers)
    }

    /// Reads the push constants of a stage as registers: all slots one after the other.
    pub(crate) fn constants(&self, command: &str) -> Outcome<Vec<[u32; 8]>> {
        const ABSOLUTE: [(u32, u32); 2] = [(0x20c0, 1 << 6), (0x20d8, 1 << 4)];
        let body = self.context.packet(command).get(1..).unwrap_or(&[]);
        let fields = self.fields.constants;
        let slots = [
            (fields.length_0, fields.buffer_0),
            (fields.length_1, fields.buffer_1),
            (fields.length_2, fields.buffer_2),
            (fields.length_3, fields.buffer_3),
        ];
        // The first slot is relative to the dynamic base, unless a register says otherwise.
        let registers = &self.context.registers;
        let is_absolute = ABSOLUTE.iter().any(|(offset, bit)| registers.get(*offset) & bit != 0);
        let mut constants = Vec::new();
        for (i, (length, buffer)) in slots.into_iter().enumerate() {
            let mut address = buffer.get(body) & 0xffff_ffff_ffff;
            if i == 0 && !is_absolute {
                address += self.context.dynamic_base;
            }
            for register in 0..length.get(body) {
                let words = self.memory.read_words(address + 32 * register, 8)?;
                constants.push(std::array::from_fn(|i| words[i]));
            }
        }
        Ok(constants)
    }
}
