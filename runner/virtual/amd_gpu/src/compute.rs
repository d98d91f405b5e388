//! Dispatches: work groups, whose waves take turns between barriers.

use amd_isa::Chip;
use gcn_simulator::{LANES, LaneValues, Wave};
use gpu_service::{Outcome as Done, not_modeled};
use packets::Memory;

use crate::context::Context;
use crate::hardware::Hardware;
use crate::registers::Registers;
use crate::state::{DispatchFields, HardwareStage};
use crate::statistics::Count;
use crate::wave::{Shader, WaveHost, WaveMemory, first_lanes};

/// Most threads of a work group.
const MOST_THREADS: u32 = 2048;
/// Bytes of a unit of scratch space.
const SCRATCH_UNIT: u32 = 1024;

/// A dispatch: numbers of the last group of each axis plus one, and bits of the packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dispatch {
    pub(crate) groups: [u32; 3],
    /// The last group of an axis has its own size.
    pub(crate) has_partial_groups: bool,
    /// Groups are counted from 0, not from the start in registers.
    pub(crate) starts_at_0: bool,
    /// Groups are numbers of threads.
    pub(crate) counts_threads: bool,
}

/// Registers of a dispatch.
struct Grid<'a> {
    hardware: &'a Hardware,
    registers: &'a Registers,
    memory: WaveMemory<'a>,
    shader: Shader,
    /// Threads of a group, and of the last group of each axis.
    sizes: [[u32; 3]; 2],
    has_scratch: bool,
    /// Places of the threads of each wave of a full group.
    places: Vec<[LaneValues; 3]>,
}

/// Executes a dispatch.
pub(crate) fn dispatch(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &mut Context,
    dispatch: Dispatch,
) -> Done<()> {
    let registers = &context.registers;
    let fields = &hardware.fields.dispatch;
    let stage = hardware.fields.stages[HardwareStage::Cs as usize];
    let get = |field: crate::registers::RegisterField| field.get(registers);
    let full = [fields.threads_x, fields.threads_y, fields.threads_z].map(get);
    let last = [fields.last_x, fields.last_y, fields.last_z].map(get);
    let start = [fields.start_x, fields.start_y, fields.start_z].map(get);
    let start = if dispatch.starts_at_0 { [0; 3] } else { start };
    if dispatch.counts_threads {
        return not_modeled("dispatches that count threads");
    }
    if dispatch.groups.contains(&0) {
        return Ok(());
    }
    let shader = Shader::load(hardware, memory, registers, HardwareStage::Cs)?;
    let grid = Grid {
        hardware,
        registers,
        memory: shader.memory(hardware, memory),
        shader,
        sizes: [full, if dispatch.has_partial_groups { last } else { full }],
        has_scratch: stage.scratch.flag(registers),
        places: (0..threads_of(full).min(MOST_THREADS.into()) as usize)
            .step_by(LANES)
            .map(|first| thread_places(full, first))
            .collect(),
    };
    for z in start[2]..dispatch.groups[2] {
        for y in start[1]..dispatch.groups[1] {
            for x in start[0]..dispatch.groups[0] {
                hardware.guard.check()?;
                let threads = grid.group([x, y, z], dispatch.groups)?;
                context.statistics.add(Count::Threads, threads);
            }
        }
    }
    Ok(())
}

/// Threads of a group of a size.
fn threads_of(size: [u32; 3]) -> u64 {
    size.into_iter().fold(1, |all: u64, size| all.saturating_mul(size.into()))
}

/// Bytes of a unit of the local data share.
pub(crate) fn local_unit(chip: Chip) -> usize {
    match chip {
        Chip::Si => 256,
        Chip::Vi => 512,
    }
}

impl Grid<'_> {
    fn fields(&self) -> &DispatchFields {
        &self.hardware.fields.dispatch
    }

    /// Runs a work group and returns the number of its threads.
    fn group(&self, id: [u32; 3], groups: [u32; 3]) -> Done<usize> {
        let size: [u32; 3] = std::array::from_fn(|axis| {
            let is_last = id[axis] + 1 == groups[axis];
            self.sizes[usize::from(is_last)][axis]
        });
        let threads = threads_of(size);
        if threads > u64::from(MOST_THREADS) {
            return not_modeled(format!("work groups of {threads} threads"));
        }
        let threads = threads as usize;
        let mut waves: Vec<Wave> =
            (0..threads).step_by(LANES).map(|first| self.wave(id, size, first, threads)).collect();
        let mut host = WaveHost::new(&self.memory);
        let mut local = vec![0; self.local_bytes()];
        self.shader.run_group(self.hardware, &mut waves, &mut local, &mut host)?;
        Ok(threads)
    }

    /// Bytes of the local data share of a group.
    fn local_bytes(&self) -> usize {
        local_unit(self.hardware.chip) * self.fields().local.get(self.registers) as usize
    }

    /// The wave of the threads from `first` on.
    fn wave(&self, id: [u32; 3], size: [u32; 3], first: usize, threads: usize) -> Wave {
        let fields = self.fields();
        let flag = |field: crate::registers::RegisterField| field.flag(self.registers);
        let mut system = Vec::new();
        for (field, id) in [fields.group_x, fields.group_y, fields.group_z].into_iter().zip(id) {
            if flag(field) {
                system.push(id);
            }
        }
        let number = (first / LANES) as u32;
        let waves = threads.div_ceil(LANES) as u32;
        if flag(fields.group_size) {
            // The first wave, ordered appends, waves of the group, this one.
            system.push(u32::from(number == 0) << 31 | number << 6 | waves);
        }
        if self.has_scratch {
            system.push(number * SCRATCH_UNIT * fields.scratch.get(self.registers));
        }
        let lanes = (threads - first).min(LANES);
        let mut wave = self.shader.wave(first_lanes(lanes), &system);
        let components = fields.components.get(self.registers) as usize + 1;
        let places = match self.places.get(number as usize).filter(|_| size == self.sizes[0]) {
            Some(places) => *places,
            None => thread_places(size, first),
        };
        for (register, place) in wave.vector.iter_mut().zip(places).take(components) {
            *register = place;
        }
        wave
    }
}

/// Places in their group of the threads of a wave, of which `first` is the number of the first one.
fn thread_places(size: [u32; 3], first: usize) -> [LaneValues; 3] {
    let [width, height, _] = size.map(|size| size.max(1) as usize);
    let mut places = [[0; LANES]; 3];
    for lane in 0..LANES {
        let thread = first + lane;
        let place = [thread % width, thread / width % height, thread / width / height];
        for (row, place) in places.iter_mut().zip(place) {
            row[lane] = place as u32;
        }
    }
    places
}
