//! The loop over instructions, and the use of operands.

use amd_isa::hazards::{HazardView, wait_states};
use amd_isa::{Access, Chip, Format, Instruction, Kind, Opcode, Operand, Register, Row, Scalar};
use amd_isa::{Lanes, Slot, Status};
use native::WaveState;

use crate::class::Class;
use crate::constant::constant;
use crate::decoded::Facts;
use crate::error::{ExecutionError, Reason};
use crate::host::Host;
use crate::native::Native;
use crate::parts::{merged, selected};
use crate::pending;
use crate::program::Program;
use crate::quirks::Quirks;
use crate::register::LANES;
use crate::state::Wave;

/// State after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The program ended.
    Done,
    /// The wave waits at a barrier; another run continues after it.
    Barrier,
}

/// Place of the next instruction.
pub(crate) enum Next {
    Following,
    /// Offset in dwords.
    Jump(i64),
    End,
    Barrier,
}

/// An instruction in execution.
pub(crate) struct Step<'a> {
    pub wave: &'a mut Wave,
    pub host: &'a mut dyn Host,
    pub chip: Chip,
    pub quirks: Quirks,
    pub row: &'static Row,
    pub instruction: &'a Instruction,
    pub facts: &'a Facts,
    /// Offset of the instruction in dwords.
    pub offset: usize,
    /// Offset after the instruction in dwords.
    pub end: usize,
}

impl Wave {
    /// Executes from where the wave is until its end or a barrier.
    ///
    /// # Errors
    /// The program does what the hardware forbids or the simulator does not model, or the step
    /// limit is used up.
    pub fn run(
        &mut self,
        program: &Program,
        host: &mut dyn Host,
        step_limit: u64,
    ) -> Result<Outcome, ExecutionError> {
        let before = self.steps;
        let outcome = self.execute(program, host, step_limit);
        program.heat().add(self.steps - before);
        outcome
    }

    fn execute(
        &mut self,
        program: &Program,
        host: &mut dyn Host,
        step_limit: u64,
    ) -> Result<Outcome, ExecutionError> {
        let usual = Quirks::of(program.chip());
        let quirks = self.quirks.unwrap_or(usual);
        let takes_native = Quirks { hazards: true, ..quirks } == usual;
        let native_after = if takes_native { program.heat().left() } else { u64::MAX };
        let mut native: Option<&Native> = None;
        let mut stop = native_after.min(step_limit);
        let mut steps = 0;
        let mut index = program.at(self.pc).unwrap_or(0);
        loop {
            if let Some(code) = native
                && let Some((executed, next)) = self.run_native(code, index, step_limit - steps)
            {
                steps += executed;
                self.steps += executed;
                index = next;
                self.pc = program.instructions()[index].offset;
            }
            let located = &program.instructions()[index];
            let failed = |reason| ExecutionError {
                offset: located.offset * 4,
                text: program.text(index),
                reason,
            };
            if steps == stop {
                if steps == step_limit {
                    return Err(failed(Reason::StepLimit(step_limit)));
                }
                stop = step_limit;
                native = program.native(steps);
                if native.is_some() {
                    continue;
                }
            }
            steps += 1;
            self.steps += 1;
            if quirks.hazards {
                self.check_hazards(program, index).map_err(failed)?;
            }
            let facts = program.facts(index);
            if let Some(plan) = &facts.plan
                && self.takes_plans()
            {
                for access in facts.accesses.iter().filter(|_| !self.pending.is_empty()) {
                    let Access { register, writes, .. } = *access;
                    self.pending.check(register, self.exec(), writes, None).map_err(failed)?;
                }
                self.rows(plan, &quirks);
                self.history.add(index);
                self.pc = located.offset + located.dwords;
                index = self.next_index(program).map_err(failed)?;
                continue;
            }
            let mut step = Step {
                wave: self,
                host,
                chip: program.chip(),
                quirks,
                row: facts.row,
                instruction: &located.instruction,
                facts,
                offset: located.offset,
                end: located.offset + located.dwords,
            };
            let next = step.execute().map_err(failed)?;
            self.history.add(index);
            self.pc = match next {
                Next::Following | Next::Barrier => located.offset + located.dwords,
                Next::Jump(offset) => usize::try_from(offset).map_err(|_| failed(Reason::Jump))?,
                Next::End => return Ok(Outcome::Done),
            };
            if matches!(next, Next::Barrier) {
                return Ok(Outcome::Barrier);
            }
            index = self.next_index(program).map_err(failed)?;
        }
    }

    /// Executes translated code from an instruction on, at most `left` instructions; returns the
    /// number of executed ones and the next one. `None` if nothing was executed.
    #[inline]
    fn run_native(&mut self, native: &Native, index: usize, left: u64) -> Option<(u64, usize)> {
        let block = native.block(index)?;
        if !self.takes_plans() {
            return None;
        }
        let mut state = WaveState::new(self.scc, self.vccz, left, self.pending.registers());
        let code = native.code(self.exec(), block)?;
        let next = code.run(block, &mut self.vector, &mut self.scalar, &mut state)?;
        if state.left == left {
            return None;
        }
        (self.scc, self.vccz) = (state.scc, state.conditions_zero);
        native.executed(&state).for_each(|index| self.history.add(index));
        Some((left - state.left, next as usize))
    }

    /// Number of the next instruction.
    fn next_index(&self, program: &Program) -> Result<usize, Reason> {
        let ran_off = || if self.pc == program.end() { Reason::RanOff } else { Reason::Jump };
        program.at(self.pc).ok_or_else(ran_off)
    }

    /// Compares the instruction with those executed before it.
    fn check_hazards(&self, program: &Program, index: usize) -> Result<(), Reason> {
        let hazards = &program.facts(index).hazards;
        if hazards.is_empty() {
            return Ok(());
        }
        let view = |index: usize| {
            let (facts, located) = (program.facts(index), &program.instructions()[index]);
            HazardView::of(facts.row, &located.instruction, &facts.accesses)
        };
        let second = view(index);
        for &(bit, hazard) in hazards {
            let mut states = 0;
            for (distance, before) in self.history.iter().enumerate() {
                if states >= u32::from(hazard.states) {
                    break;
                }
                let begins = program.facts(before).begins & bit != 0;
                // Writes between the two are rarely of interest.
                let overwritten = || -> Vec<Register> {
                    let between = self.history.iter().take(distance);
                    between.flat_map(|index| view(index).written().collect::<Vec<_>>()).collect()
                };
                if begins
                    && hazard.conflicts(&view(before), &second)
                    && hazard.conflicts_over(&view(before), &second, &overwritten())
                {
                    return Err(Reason::Hazard {
                        name: hazard.name,
                        states: hazard.states,
                        by: program.instructions()[before].offset * 4,
                    });
                }
                states += wait_states(&program.instructions()[before].instruction);
            }
        }
        Ok(())
    }
}

impl Step<'_> {
    fn execute(&mut self) -> Result<Next, Reason> {
        self.check_pending()?;
        match self.facts.class {
            Class::Control => return self.control(),
            Class::ScalarSpecial => return self.special_scalar(),
            Class::SaveExec => self.save_exec()?,
            Class::ScalarCompare(comparison) => self.scalar_compare(comparison)?,
            Class::BitCompare => self.bit_compare()?,
            Class::Scalar => self.scalar_alu()?,
            Class::ScalarMemory => self.scalar_memory()?,
            Class::Compare(_)
            | Class::Lanes
            | Class::Division
            | Class::Carry
            | Class::WideProduct
            | Class::Each => self.vector_alu()?,
            Class::Share => self.data_share()?,
            Class::Buffer(form) => self.buffer(form)?,
            Class::Export => self.export()?,
            Class::Image(shape) => self.image(shape)?,
            Class::Flat(form) => self.flat(form)?,
        }
        Ok(Next::Following)
    }

    pub(crate) fn not_modeled(&self) -> Reason {
        Reason::NotModeled(self.row.opcode.mnemonic().to_string())
    }

    /// Checks that no register of the instruction waits for memory.
    fn check_pending(&self) -> Result<(), Reason> {
        if self.wave.pending.is_empty() {
            return Ok(());
        }
        let kind = match self.row.format {
            Format::Mubuf | Format::Mtbuf | Format::Mimg => Some(pending::Kind::Vector),
            Format::Ds => Some(pending::Kind::Share),
            _ => None,
        };
        // These may use registers of lanes that are not active.
        let is_across = matches!(self.facts.class, Class::Lanes | Class::Share)
            || !matches!(self.instruction.modifiers.lanes, Lanes::Own | Lanes::Sdwa(_));
        let lanes = if is_across { u64::MAX } else { self.wave.exec() };
        for access in &self.facts.accesses {
            let in_order = kind.filter(|_| !access.reads);
            self.wave.pending.check(access.register, lanes, access.writes, in_order)?;
        }
        Ok(())
    }

    pub(crate) fn slot(&self, index: usize) -> &'static Slot {
        &self.row.slots[index]
    }

    pub(crate) fn operand(&self, index: usize) -> Operand {
        self.instruction.operands[index]
    }

    /// Number of the operand of a kind.
    pub(crate) fn position(&self, kind: Kind) -> Option<usize> {
        self.row.slots.iter().position(|slot| slot.kind == kind)
    }

    /// The value of an operand that is the same for all lanes; 0 if there is no such operand.
    pub(crate) fn scalar_value(&self, index: usize) -> u64 {
        let Some(kind) = self.row.slots.get(index).map(|slot| slot.kind) else { return 0 };
        match self.operand(index) {
            Operand::Scalar(register) if kind.dwords() == 2 => self.wave.pair(register),
            Operand::Scalar(Scalar(code)) => u64::from(self.wave.scalar[usize::from(code & 127)]),
            Operand::Status(Status::Vccz) => u64::from(self.wave.vccz),
            Operand::Status(Status::Execz) => u64::from(self.wave.exec() == 0),
            Operand::Status(Status::Scc) => u64::from(self.wave.scc),
            operand => constant(operand, kind).unwrap_or(0),
        }
    }

    /// The value of an operand in a lane, without signs.
    pub(crate) fn lane_value(&self, index: usize, lane: usize) -> u64 {
        let source = self.slot(index).source_index();
        match (self.instruction.modifiers.lanes, source) {
            (Lanes::Dpp(dpp), Some(0)) => match self.dpp_source(&dpp, lane) {
                Some(from) => self.own_value(index, from),
                None => 0,
            },
            (Lanes::Sdwa(sdwa), Some(source)) => {
                u64::from(selected(&sdwa, source, self.own_value(index, lane) as u32))
            }
            _ => self.own_value(index, lane),
        }
    }

    /// The value of an operand in a lane, whole.
    fn own_value(&self, index: usize, lane: usize) -> u64 {
        match self.operand(index) {
            Operand::Vector(first) => {
                let low = u64::from(self.wave.vector[usize::from(first)][lane]);
                if self.slot(index).kind.dwords() < 2 {
                    return low;
                }
                low | u64::from(self.wave.vector[usize::from(first) + 1][lane]) << 32
            }
            _ => self.scalar_value(index),
        }
    }

    /// Writes a scalar destination.
    pub(crate) fn write_scalar(&mut self, index: usize, value: u64) {
        if let Operand::Scalar(Scalar(code)) = self.operand(index) {
            self.wave.write_scalar(code, value as u32);
            if self.slot(index).kind.dwords() == 2 {
                self.wave.write_scalar((code + 1) & 127, (value >> 32) as u32);
            }
        }
    }

    /// Writes a lane of a vector destination.
    pub(crate) fn write_lane(&mut self, index: usize, lane: usize, value: u64) {
        if let Operand::Vector(first) = self.operand(index) {
            let target = &mut self.wave.vector[usize::from(first)][lane];
            *target = match self.instruction.modifiers.lanes {
                Lanes::Sdwa(sdwa) => merged(&sdwa, *target, value as u32),
                _ => value as u32,
            };
            if self.slot(index).kind.dwords() == 2 {
                self.wave.vector[usize::from(first) + 1][lane] = (value >> 32) as u32;
            }
        }
    }

    /// Adds an event that writes registers once it is waited for.
    pub(crate) fn pend(
        &mut self,
        kind: pending::Kind,
        writes: Vec<(Register, [u32; LANES])>,
        holds: Vec<Register>,
    ) {
        let lanes = self.wave.exec();
        let by = self.offset * 4;
        self.wave.pending.add(pending::Event { kind, by, writes, lanes, holds });
    }

    pub(crate) fn opcode(&self) -> Opcode {
        self.row.opcode
    }
}
