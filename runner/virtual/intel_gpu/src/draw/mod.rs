//! Draws: from a `3DPRIMITIVE` and the state of its context to pixels in memory.

mod check;
mod command;
mod compute;
mod counts;
mod coverage;
mod fragment;
mod kernels;
mod primitive;
mod primitives;
mod shaders;
mod state;
mod thread;
mod used;
mod vertices;
mod window;

use std::cell::Cell;
use std::rc::Rc;

use gpu_service::{Guard, Outcome, not_modeled, vertex_count};
use intel_isa::DevInfo;
use packets::{Memory, Table};
use vocabulary::Generation;

use crate::context::HardwareContext;
use crate::facts::Facts;
use crate::mi::predicate_holds;
use crate::watch::Watch;
use command::{Draw, Parameters};
use counts::{Counts, StreamRegisters};
use fragment::shade::Fragments;
use kernels::Kernels;
use primitives::RECTANGLES;
use state::State;
use state::fields::Fields;
use submission::KernelUse;
use used::Used;

/// Registers with the parameters of an indirect draw.
const INDIRECT: [u32; 5] = [0x2434, 0x2430, 0x2438, 0x243c, 0x2440];

/// Executes draws of one generation.
pub(crate) struct Drawing {
    table: &'static Table,
    devinfo: Option<&'static DevInfo>,
    facts: Facts,
    fields: Fields,
    kernels: Kernels,
    used: Option<Used>,
    watch: Option<Rc<dyn Watch>>,
    pub(crate) guard: Guard,
    /// Time stamp of threads: the number of its reads, so that runs are equal.
    time: Cell<u64>,
}

impl Drawing {
    /// Resolves the tables of a generation.
    pub(crate) fn new(generation: Generation, table: &'static Table) -> Drawing {
        let devinfo = DevInfo::get(generation.name());
        let facts = Facts::of(generation);
        let (fields, kernels) = (Fields::resolve(table), Kernels::default());
        Drawing {
            table,
            devinfo,
            facts,
            fields,
            kernels,
            used: None,
            watch: None,
            guard: Guard::default(),
            time: Cell::default(),
        }
    }

    /// Reports all kernels to an observer.
    pub(crate) fn watch(&mut self, watch: Rc<dyn Watch>) {
        self.watch = Some(watch);
    }

    /// Returns the kernels that the program's draws and dispatches used since the last call.
    pub(crate) fn take_used(&self) -> Vec<KernelUse> {
        self.used.as_ref().map(Used::take).unwrap_or_default()
    }

    /// Notes the kernels that the program's draws and dispatches use.
    pub(crate) fn count_kernels(&mut self) {
        self.used = self.devinfo.map(Used::new);
    }

    /// Stores the states of the vertex buffers that a command names.
    pub(crate) fn set_vertex_buffers(&self, context: &mut HardwareContext, words: &[u32]) {
        let index = self.fields.vertex_buffer.index;
        for state in words[1..].chunks_exact(4) {
            context.vertex_buffers.insert(index.get(state), state.to_vec());
        }
    }

    /// Stores the instancing of the vertex element that a command names.
    pub(crate) fn set_instancing(&self, context: &mut HardwareContext, words: &[u32]) {
        let element = self.fields.instancing.element.get(words);
        context.instancing.insert(element, words.to_vec());
    }

    /// Executes a draw.
    pub(crate) fn draw(
        &self,
        memory: &dyn Memory,
        context: &mut HardwareContext,
        words: &[u32],
    ) -> Outcome<()> {
        let parameters = self.parameters(context, words)?;
        let is_predicated = self.fields.primitive.is_predicated.flag(words);
        if is_predicated && !predicate_holds(context) {
            return Ok(());
        }
        // Drivers draw nothing before any state exists, to work around a fault of ivb.
        if parameters.vertices == 0 || parameters.instances == 0 {
            return Ok(());
        }
        let is_internal = parameters.topology == RECTANGLES;
        let Some(draw) = self.begin(memory, context, is_internal) else {
            return not_modeled("draws without hardware");
        };
        vertex_count(parameters.vertices as usize)?;
        draw.check()?;
        let fragments = Fragments::load(&draw)?;
        for instance in 0..parameters.instances {
            self.guard.check()?;
            draw.instance(&fragments, &parameters, instance)?;
        }
        drop(fragments);
        let Draw { counts, streams, .. } = draw;
        let geometry = self.fields.vf_statistics.is_enabled;
        let geometry = geometry.flag(context.packet("3DSTATE_VF_STATISTICS"));
        let pixels = self.fields.wm.counts.flag(context.packet("3DSTATE_WM"));
        streams.get().store(&mut context.registers);
        counts.store(&mut context.registers, geometry, pixels);
        self.store_offsets(memory, context)
    }

    /// State and memory of a draw; `None` for generations without hardware. `is_internal` means
    /// that the driver draws for itself, to clear or copy.
    fn begin<'a>(
        &'a self,
        memory: &'a dyn Memory,
        context: &'a HardwareContext,
        is_internal: bool,
    ) -> Option<Draw<'a>> {
        Some(Draw {
            table: self.table,
            devinfo: self.devinfo?,
            fields: &self.fields,
            state: State::decode(&self.fields, self.facts, context),
            facts: self.facts,
            kernels: &self.kernels,
            used: self.used.as_ref().filter(|_| !is_internal),
            watch: self.watch.as_deref(),
            guard: &self.guard,
            time: &self.time,
            memory,
            context,
            counts: Counts::default(),
            streams: Cell::new(StreamRegisters::load(&context.registers)),
            primitive_id: Cell::new(0),
            stippled: Cell::new(0),
            last_viewport: Cell::new(None),
        })
    }

    /// Executes an operation on depth buffers that draws nothing.
    pub(crate) fn depth_operation(
        &self,
        memory: &dyn Memory,
        context: &HardwareContext,
        words: &[u32],
    ) -> Outcome<()> {
        match self.begin(memory, context, true) {
            Some(draw) => draw.depth_operation(words),
            None => not_modeled("depth buffers without hardware"),
        }
    }

    /// Stores the state of an output buffer, and its write offset where the state says so.
    pub(crate) fn set_output_buffer(
        &self,
        memory: &dyn Memory,
        context: &mut HardwareContext,
        words: &[u32],
    ) -> Outcome<()> {
        let fields = self.fields.output_buffer;
        let index = fields.index.get_u32(words) & 3;
        if fields.sets_offset.flag(words) {
            // All bits set: the offset is in memory.
            let value = match fields.offset.get_u32(words) {
                u32::MAX => memory.read_u32(fields.offset_address.get(words) & 0xffff_ffff_ffff)?,
                offset => offset,
            };
            context.registers.set(0x5280 + 4 * index, value);
        }
        context.output_buffers[index as usize] = words.to_vec();
        Ok(())
    }

    /// Stores the write offsets of output buffers in memory, where their states say so. Without
    /// stream output the states may name buffers that are gone.
    fn store_offsets(&self, memory: &dyn Memory, context: &HardwareContext) -> Outcome<()> {
        let stream_out = context.packet("3DSTATE_STREAMOUT");
        if !self.fields.stream_out.is_enabled.flag(stream_out) {
            return Ok(());
        }
        let fields = self.fields.output_buffer;
        for (offset, words) in (0x5280..).step_by(4).zip(&context.output_buffers) {
            if fields.has_offset_address.flag(words) {
                let address = fields.offset_address.get(words) & 0xffff_ffff_ffff;
                memory.write(address, &context.registers.get(offset).to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn parameters(&self, context: &HardwareContext, words: &[u32]) -> Outcome<Parameters> {
        let fields = &self.fields.primitive;
        let get = |field: packets::Field| field.get_u32(words);
        let topology = if self.fields.topology.kind.exists() {
            self.fields.topology.kind.get(context.packet("3DSTATE_VF_TOPOLOGY"))
        } else {
            fields.topology.get(words)
        };
        if fields.end_offset.flag(words) {
            return not_modeled("draws whose count is an end offset");
        }
        let mut parameters = Parameters {
            topology,
            is_indexed: fields.is_random.flag(words),
            vertices: get(fields.vertices),
            first_vertex: get(fields.first_vertex),
            instances: get(fields.instances),
            first_instance: get(fields.first_instance),
            base_vertex: get(fields.base_vertex),
        };
        if fields.is_indirect.flag(words) {
            let [vertices, first_vertex, instances, first_instance, base_vertex] =
                INDIRECT.map(|offset| context.registers.get(offset));
            parameters = Parameters {
                vertices,
                first_vertex,
                instances,
                first_instance,
                base_vertex,
                ..parameters
            };
        }
        Ok(parameters)
    }
}
