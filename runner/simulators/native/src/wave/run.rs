//! Runs of vector instructions: one loop over groups of four lanes, in which a value of a vector
//! register stays in a register of the host from one instruction to the next.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Variable;

use super::group::{Group, Operand};
use super::region::{
    EXEC, LanePlace, LaneSource, ScalarOperation, ScalarSource, VectorStep, WaveStep, overlap,
};
use super::translation::{ROW, Wave};
use super::vector::RunStep;
use crate::CHUNK;

/// Vector instructions without scalar ones in between that they depend on.
#[derive(Default)]
pub(super) struct Run {
    pub(super) steps: Vec<RunStep>,
    /// Mask of active lanes.
    exec: Option<Value>,
}

/// A mask that a run leaves in scalar registers.
struct Outgoing {
    /// Index of the instruction.
    step: usize,
    register: u8,
    sets_exec: bool,
    bits: Variable,
}

impl Run {
    /// The instruction that writes a mask last.
    fn writer(&self, register: u8) -> Option<usize> {
        self.steps.iter().rposition(|own| own.step.mask == Some(register))
    }

    fn writes_scalar(&self, registers: (u8, u8)) -> bool {
        let mut masks = self.steps.iter().filter_map(|own| own.step.mask);
        masks.any(|first| overlap((first, 2), registers))
    }

    /// True if an instruction can only be executed after this run.
    pub(super) fn conflicts(&self, step: &WaveStep) -> bool {
        match step {
            // A mask is known for the lanes of a group as soon as it is computed.
            WaveStep::Vector(step) => step.sources.iter().any(|source| match source.place {
                LanePlace::Scalar(first) => self.writes_scalar((first, 1 + u8::from(source.wide))),
                LanePlace::Mask(first) => {
                    self.writes_scalar((first, 2)) && self.writer(first).is_none()
                }
                LanePlace::Register(_) | LanePlace::Constant(_) => false,
            }),
            WaveStep::Scalar(own) => {
                let writes = step.written().is_some_and(|written| self.writes_scalar(written));
                let is_lane = own.operation.reads_lane();
                let reads = own.sources.iter().enumerate().any(|(index, source)| match source {
                    ScalarSource::Register(number) if is_lane && index == 0 => {
                        self.steps.iter().any(|own| own.writes_vector(*number))
                    }
                    ScalarSource::Register(first) => {
                        self.writes_scalar((*first, 1 + u8::from(own.wide)))
                    }
                    ScalarSource::Dword(first) => self.writes_scalar((*first, 1)),
                    ScalarSource::Constant(_) => false,
                });
                // Those that change the mask of active lanes end a block.
                let writes_lane = matches!(own.operation, ScalarOperation::WriteLane(_));
                let writes_vector = writes_lane && !self.steps.is_empty();
                writes || reads || writes_vector || step.writes_exec()
            }
        }
    }
}

impl Wave<'_, '_> {
    /// Adds an instruction, with the scalars that it reads now.
    pub(super) fn add(&mut self, run: &mut Run, step: &VectorStep) {
        if !self.full && run.exec.is_none() {
            run.exec = Some(self.load_scalar(I64, EXEC));
        }
        let operands = step.sources.map(|source| self.operand(run, &source));
        run.steps.push(RunStep { step: *step, operands });
    }

    fn operand(&mut self, run: &Run, source: &LaneSource) -> Operand {
        match source.place {
            LanePlace::Register(number) => Operand::Register(number),
            LanePlace::Constant(value) => Operand::Constant(value),
            LanePlace::Scalar(register) => {
                let (ty, lanes) = if source.wide { (I64, I64X2) } else { (I32, I32X4) };
                let scalar = self.load_scalar(ty, register);
                Operand::Same(scalar, self.b.f.ins().splat(lanes, scalar))
            }
            LanePlace::Mask(register) => match run.writer(register) {
                Some(step) => Operand::Own(step),
                None => Operand::Bits(self.load_scalar(I64, register)),
            },
        }
    }

    /// Masks that are in scalar registers after a run.
    fn outgoing(&mut self, run: &Run) -> Vec<Outgoing> {
        let mut all = Vec::new();
        for (step, own) in run.steps.iter().enumerate() {
            let Some(register) = own.step.mask else { continue };
            if run.writer(register) == Some(step) {
                let bits = self.b.f.declare_var(I64);
                let none = self.b.f.ins().iconst(I64, 0);
                self.b.f.def_var(bits, none);
                all.push(Outgoing { step, register, sets_exec: own.step.sets_exec, bits });
            }
        }
        all
    }

    /// Translates a run.
    pub(super) fn finish(&mut self, run: Run) {
        if run.steps.is_empty() {
            return;
        }
        let outgoing = self.outgoing(&run);
        let [body, work, next, done] = [0; 4].map(|_| self.b.f.create_block());
        let offset = self.b.f.declare_var(I64);
        let zero = self.b.f.ins().iconst(I64, 0);
        self.b.f.def_var(offset, zero);
        match run.exec {
            Some(exec) => self.b.f.ins().brif(exec, body, &[], done, &[]),
            None => self.b.f.ins().jump(body, &[]),
        };
        self.b.f.switch_to_block(body);
        let place = self.b.f.use_var(offset);
        let lane = self.b.f.ins().ushr_imm(place, 2);
        for mask in &outgoing {
            // The bits of earlier groups make room for those of this one.
            let bits = self.b.f.use_var(mask.bits);
            let bits = self.b.f.ins().ushr_imm(bits, 4);
            self.b.f.def_var(mask.bits, bits);
        }
        let mut enabled = None;
        match run.exec {
            Some(exec) => {
                let bits = self.b.f.ins().ushr(exec, lane);
                let bits = self.b.f.ins().ireduce(I32, bits);
                let bits = self.b.f.ins().band_imm(bits, 15);
                self.b.f.ins().brif(bits, work, &[], next, &[]);
                enabled = Some(bits);
            }
            None => {
                self.b.f.ins().jump(work, &[]);
            }
        }
        self.b.f.switch_to_block(work);
        let base = self.b.f.ins().iadd(self.vectors, place);
        let mut group = Group::new(base, lane, enabled);
        for own in &run.steps {
            self.execute(&mut group, own);
        }
        self.store_group(&mut group);
        for mask in &outgoing {
            let lanes = group.mask(mask.step);
            let own = self.b.f.ins().vhigh_bits(I32, lanes);
            let own = match enabled {
                Some(enabled) => self.b.f.ins().band(own, enabled),
                None => own,
            };
            let own = self.b.f.ins().uextend(I64, own);
            let own = self.b.f.ins().ishl_imm(own, 60);
            let bits = self.b.f.use_var(mask.bits);
            let bits = self.b.f.ins().bor(bits, own);
            self.b.f.def_var(mask.bits, bits);
        }
        self.b.f.ins().jump(next, &[]);
        self.b.f.switch_to_block(next);
        let after = self.b.f.ins().iadd_imm(place, CHUNK as i64);
        self.b.f.def_var(offset, after);
        let more = self.b.f.ins().icmp_imm(IntCC::NotEqual, after, i64::from(ROW));
        self.b.f.ins().brif(more, body, &[], done, &[]);
        self.b.f.switch_to_block(done);
        for mask in &outgoing {
            let bits = self.b.f.use_var(mask.bits);
            self.store_scalar(mask.register, bits);
            if mask.sets_exec {
                self.store_scalar(EXEC, bits);
            }
        }
    }
}
