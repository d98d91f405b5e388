//! Waves: registers at their start, memory, execution to their end.

use std::rc::Rc;

use amd_isa::Scalar;
use gcn_simulator::{
    Export, Host, ImageAccess, LANES, LaneValues, Message, Outcome, Reason, TexelAccess, Wave,
};
use gpu_service::{Clock, CommandError, Outcome as Done, not_modeled};
use packets::Memory;

use crate::hardware::Hardware;
use crate::images::Images;
use crate::kernels::Kernel;
use crate::registers::Registers;
use crate::state::HardwareStage;
use crate::tiling::ADDRESS_MASK;

/// Instructions between two looks at the process.
const SLICE: u64 = 1 << 16;
/// Nanoseconds of an instruction: four cycles.
const INSTRUCTION: u64 = 4;
/// Most instructions of a wave.
const BUDGET: u64 = 1 << 24;
/// Most registers behind those of a program that the address of an image access can reach.
const ADDRESS_REGISTERS: usize = 16;

/// A program with the values that the driver gives it.
#[derive(Clone, Debug)]
pub(crate) struct Shader {
    pub(crate) kernel: Rc<Kernel>,
    pub(crate) address: u64,
    /// MODE register.
    pub(crate) mode: u32,
    /// First scalar registers.
    pub(crate) user: Vec<u32>,
    /// Vector registers of a wave.
    vectors: usize,
    /// Address of the table of border colors.
    borders: u64,
}

impl Shader {
    /// Loads the program of a stage with its values.
    pub(crate) fn load(
        hardware: &Hardware,
        memory: &dyn Memory,
        registers: &Registers,
        stage: HardwareStage,
    ) -> Done<Shader> {
        let fields = hardware.fields.stages[stage as usize];
        let border = &hardware.fields.border;
        let (low, high) = match stage {
            HardwareStage::Cs => (border.compute_low, border.compute_high),
            _ => (border.low, border.high),
        };
        let [low, high] = [low, high].map(|field| u64::from(field.get(registers)));
        let address = fields.address(registers);
        let api_stage = hardware.fields.api_stage(registers, stage);
        let kernel = hardware.kernels.load(hardware.chip, memory, address, api_stage)?;
        Ok(Shader {
            vectors: (fields.vectors(registers).max(kernel.vectors) + ADDRESS_REGISTERS).min(256),
            kernel,
            address,
            mode: fields.mode(registers),
            user: fields.user(registers),
            borders: low << 8 | high << 40,
        })
    }

    /// A wave of these lanes; behind the driver's values `system` follows in scalar registers.
    pub(crate) fn wave(&self, lanes: u64, system: &[u32]) -> Wave {
        let mut wave = Wave::with_registers(self.vectors);
        wave.mode = self.mode;
        wave.program_address = self.address;
        let values = self.user.iter().chain(system);
        for (register, value) in wave.scalar[..104].iter_mut().zip(values) {
            *register = *value;
        }
        wave.set_pair(Scalar::EXEC, lanes);
        wave
    }

    /// Memory of the waves of a draw or dispatch.
    pub(crate) fn memory<'m>(
        &self,
        hardware: &'m Hardware,
        memory: &'m dyn Memory,
    ) -> WaveMemory<'m> {
        let images = Images::new(hardware.chip, memory, self.borders);
        WaveMemory { memory, images, clock: &hardware.clock }
    }

    /// Runs a wave to its end or its next barrier.
    pub(crate) fn run(
        &self,
        hardware: &Hardware,
        wave: &mut Wave,
        host: &mut dyn Host,
    ) -> Done<Outcome> {
        while wave.steps < BUDGET {
            hardware.guard.check()?;
            let before = wave.steps;
            let result = wave.run(&self.kernel.program, host, SLICE);
            hardware.clock.pass(INSTRUCTION * (wave.steps - before));
            match result {
                Ok(outcome) => {
                    if outcome == Outcome::Done {
                        self.kernel.count(wave, 1);
                    }
                    return Ok(outcome);
                }
                Err(error) if matches!(error.reason, Reason::StepLimit(_)) => {}
                Err(error) => return Err(CommandError::kernel(self.address, &error)),
            }
        }
        not_modeled("waves without an end")
    }

    /// Counts waves that would do the same as one that ended.
    pub(crate) fn repeat(&self, hardware: &Hardware, wave: &Wave, times: u64) {
        self.kernel.count(wave, times);
        hardware.clock.pass(INSTRUCTION * wave.steps * times);
    }

    /// Runs the waves of a group to their ends: they take turns between barriers.
    pub(crate) fn run_group(
        &self,
        hardware: &Hardware,
        waves: &mut [Wave],
        local: &mut Vec<u8>,
        host: &mut dyn Host,
    ) -> Done<()> {
        let mut open: Vec<usize> = (0..waves.len()).collect();
        while !open.is_empty() {
            let mut waiting = Vec::new();
            for number in open {
                let wave = &mut waves[number];
                std::mem::swap(&mut wave.local, local);
                let outcome = self.run(hardware, wave, host);
                std::mem::swap(&mut wave.local, local);
                if outcome? == Outcome::Barrier {
                    waiting.push(number);
                }
            }
            open = waiting;
        }
        Ok(())
    }

    /// Runs a wave that is alone to its end.
    pub(crate) fn finish(
        &self,
        hardware: &Hardware,
        wave: &mut Wave,
        host: &mut dyn Host,
    ) -> Done<()> {
        while self.run(hardware, wave, host)? == Outcome::Barrier {}
        Ok(())
    }
}

/// Mask of the first lanes.
pub(crate) fn first_lanes(count: usize) -> u64 {
    if count >= LANES { u64::MAX } else { (1 << count) - 1 }
}

/// Parameter of a lane's primitive by attribute, channel and lane: P0, P10, P20.
pub(crate) type Parameters<'a> = &'a dyn Fn(u8, u8, usize) -> Option<[u32; 3]>;

/// Surroundings of a wave.
pub(crate) struct WaveHost<'m, 'a> {
    memory: WaveMemory<'m>,
    /// Exports in their order.
    pub(crate) exports: Vec<Export>,
    /// Messages in their order.
    pub(crate) messages: Vec<Message>,
    parameters: Parameters<'a>,
}

impl<'m, 'a> WaveHost<'m, 'a> {
    /// Surroundings without parameters.
    pub(crate) fn new(memory: &WaveMemory<'m>) -> WaveHost<'m, 'a> {
        WaveHost::with_parameters(memory, &|_, _, _| None)
    }

    /// Surroundings of fragments.
    pub(crate) fn with_parameters(
        memory: &WaveMemory<'m>,
        parameters: Parameters<'a>,
    ) -> WaveHost<'m, 'a> {
        WaveHost { memory: memory.clone(), exports: Vec::new(), messages: Vec::new(), parameters }
    }
}

impl Host for WaveHost<'_, '_> {
    fn memory(&mut self) -> &mut dyn gcn_simulator::Memory {
        // The lifetime of the trait object is that of the borrow.
        &mut self.memory
    }

    fn export(&mut self, export: Export) {
        self.exports.push(export);
    }

    fn message(&mut self, message: Message) {
        self.messages.push(message);
    }

    fn parameter(&mut self, attribute: u8, channel: u8, lane: usize) -> Option<[u32; 3]> {
        (self.parameters)(attribute, channel, lane)
    }
}

/// Graphics memory as waves see it.
#[derive(Clone)]
pub(crate) struct WaveMemory<'a> {
    memory: &'a dyn Memory,
    images: Images<'a>,
    clock: &'a Clock,
}

impl gcn_simulator::Memory for WaveMemory<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory.read(address & ADDRESS_MASK, bytes).is_ok()
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.memory.write(address & ADDRESS_MASK, bytes).is_ok()
    }

    fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        self.images.access(access)
    }

    fn clock(&mut self) -> u64 {
        self.clock.nanoseconds()
    }

    fn load_texels(
        &mut self,
        access: &TexelAccess,
        texels: &mut [LaneValues; 4],
    ) -> Result<(), String> {
        self.images.load(access, texels)
    }

    fn store_texels(
        &mut self,
        access: &TexelAccess,
        texels: &[LaneValues; 4],
    ) -> Result<(), String> {
        self.images.store(access, texels)
    }
}
