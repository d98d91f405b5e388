//! Start of a wave: registers that the driver sets, garbage in the others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use amd_isa::Chip;
use compiler::amd_codegen::output::UserValue;
use gcn_simulator::{ExecutionError, Host, Outcome, Reason, Wave};
use program::Stage;
use raster::device::{DeviceError, DrawState};

use crate::prepared::Prepared;
use crate::trace::WaveLog;

/// Address of the descriptor table.
pub(crate) const TABLE: u64 = 1 << 32;

/// Most registers behind those of a program that the address of an image access can reach, and
/// those with initial values that the program does not use.
const ADDRESS_REGISTERS: usize = 32;

/// Everything that all waves of a batch share.
#[derive(Clone, Copy)]
pub(crate) struct Launch<'a> {
    pub prepared: &'a Prepared,
    pub state: &'a DrawState<'a>,
    pub stage: Stage,
    pub seed: u64,
    /// Maximum number of instructions of the batch.
    pub limit: u64,
    /// Receiver of a trace.
    pub log: Option<&'a Mutex<WaveLog>>,
    /// Counter of waves.
    pub waves: &'a AtomicU64,
}

impl Launch<'_> {
    /// Returns a wave with garbage in its registers and these lanes.
    pub(crate) fn wave(&self, lanes: u64) -> Wave {
        self.waves.fetch_add(1, Ordering::Relaxed);
        let used = usize::from(self.prepared.output.vectors);
        let mut wave = Wave::with_registers((used + ADDRESS_REGISTERS).min(256));
        let mut state = self.seed;
        let mut garbage = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) as u32
        };
        wave.scalar[..104].fill_with(&mut garbage);
        let used = used.min(wave.vector.len());
        for register in &mut wave.vector[..used] {
            register.fill(garbage());
        }
        wave.set_pair(amd_isa::Scalar::EXEC, lanes);
        wave
    }

    /// Sets the driver's values except descriptors; `value` returns the dwords of one.
    pub(crate) fn set_user_data(&self, wave: &mut Wave, value: impl Fn(UserValue) -> [u32; 3]) {
        for data in &self.prepared.output.user_data {
            let dwords = match data.value {
                UserValue::Table => [TABLE as u32, (TABLE >> 32) as u32, 0],
                UserValue::Descriptor(_) => continue,
                other => value(other),
            };
            let first = usize::from(data.register);
            for (index, dword) in dwords.iter().enumerate().take(data.value.dwords().into()) {
                wave.scalar[first + index] = *dword;
            }
        }
    }

    /// Runs a wave to its end; returns the number of executed instructions.
    pub(crate) fn run(
        &self,
        wave: &mut Wave,
        host: &mut dyn Host,
        done: u64,
    ) -> Result<u64, DeviceError> {
        let mut steps = 0;
        self.trace_start(wave);
        loop {
            let (outcome, executed) = self.continue_wave(wave, host, done + steps)?;
            steps += executed;
            // The wave is alone in its group.
            if outcome == Outcome::Done {
                return Ok(steps);
            }
        }
    }

    /// Runs a wave to its end or its next barrier; returns the number of executed instructions,
    /// too.
    pub(crate) fn continue_wave(
        &self,
        wave: &mut Wave,
        host: &mut dyn Host,
        done: u64,
    ) -> Result<(Outcome, u64), DeviceError> {
        let limit = self.limit.saturating_sub(done);
        let before = wave.steps;
        let outcome = match self.follows() {
            true => self.traced(wave, host, limit),
            false => wave.run(&self.prepared.program, host, limit),
        };
        let outcome = outcome.map_err(|error| self.error(error))?;
        Ok((outcome, wave.steps - before))
    }

    fn log(&self) -> Option<MutexGuard<'_, WaveLog>> {
        self.log.map(|log| log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn follows(&self) -> bool {
        self.log().is_some_and(|log| log.follows(self.stage))
    }

    /// Tells the trace which pixels the lanes of the next wave shade.
    pub(crate) fn trace_pixels(&self, positions: impl Iterator<Item = (f64, f64)>, live: u64) {
        if let Some(mut log) = self.log() {
            log.place(positions, live);
        }
    }

    /// Traces the start of a wave.
    pub(crate) fn trace_start(&self, wave: &Wave) {
        if let Some(mut log) = self.log() {
            let output = &self.prepared.output;
            log.start(self.stage, wave, output.scalars.into(), output.vectors.into());
        }
    }

    /// Runs a wave instruction by instruction.
    fn traced(
        &self,
        wave: &mut Wave,
        host: &mut dyn Host,
        limit: u64,
    ) -> Result<Outcome, ExecutionError> {
        let program = &self.prepared.program;
        for _ in 0..limit {
            let (before, index) = (wave.clone(), wave.next_instruction(program));
            let outcome = wave.run(program, host, 1);
            if let (Some(index), Some(mut log)) = (index, self.log()) {
                log.step(program, index, &before, wave);
            }
            let stopped = matches!(&outcome, Err(e) if matches!(e.reason, Reason::StepLimit(_)));
            if !stopped {
                return outcome;
            }
        }
        wave.run(program, host, 0)
    }

    /// Returns the error of more instructions than the limit.
    pub(crate) fn step_limit(&self) -> DeviceError {
        DeviceError::StepLimit {
            stage: self.stage,
            limit: self.limit,
            unit: "instructions for a batch",
        }
    }

    fn error(&self, error: ExecutionError) -> DeviceError {
        match error.reason {
            Reason::StepLimit(_) => self.step_limit(),
            _ => DeviceError::Execution(format!("{} shader: {error}", self.stage)),
        }
    }
}

/// Returns the size in bytes of the local data share of a work group.
pub(crate) fn local_bytes(chip: Chip) -> usize {
    match chip {
        Chip::Si => 32 << 10,
        Chip::Vi => 64 << 10,
    }
}
