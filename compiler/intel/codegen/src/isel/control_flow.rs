//! The walk over the IR: blocks, branches, loops and jumps.

use super::{Selection, StageSelection, Target};
use crate::error::CompileError;
use crate::lir::Op;
use ir::{Block, InstKind, Jump, Step};
use vocabulary::SourceLine;

impl<T: Target> Selection<'_, T> {
    /// Emits the body of the shader.
    pub(super) fn emit_body(
        &mut self,
        stage: &mut dyn StageSelection<T>,
    ) -> Result<(), CompileError> {
        T::emit_body_prologue(self);
        self.program.set_lines(0, SourceLine::NONE);
        self.allocate_phis();
        T::allocate_locals(self)?;
        let mut ifs: Vec<SourceLine> = Vec::new();
        for step in self.shader.walk() {
            match step {
                Step::Block(block) => self.emit_block(block, stage)?,
                Step::If(node) => {
                    let cond = self
                        .shader
                        .condition(node)
                        .ok_or_else(|| CompileError::internal("if without a condition"))?;
                    let first = self.program.insts.len();
                    let (mode, inverse) = T::emit_condition(self, cond)?;
                    T::emit_control(self, Op::If).predicate_mode(mode, inverse);
                    let line = self.shader.line_of(cond);
                    self.program.set_lines(first, line);
                    ifs.push(line);
                }
                Step::Else(_) => self.emit_marker(Op::Else, ifs.last().copied()),
                Step::EndIf(_) => self.emit_marker(Op::Endif, ifs.pop()),
                Step::Loop(_) => self.emit_marker(Op::Do, None),
                Step::EndLoop(_) => self.emit_marker(Op::While, None),
            }
        }
        if self.halts {
            self.emit_marker(Op::HaltTarget, Some(SourceLine::NONE));
        }
        Ok(())
    }

    /// Emits the instructions of a block, the copies to the phis that follow, and its jump.
    fn emit_block(
        &mut self,
        block: Block,
        stage: &mut dyn StageSelection<T>,
    ) -> Result<(), CompileError> {
        self.invalidate();
        let shader = self.shader;
        for &inst in &shader.blocks[block].insts {
            self.current = Some(inst);
            let first = self.program.insts.len();
            self.emit_instruction(inst, stage).map_err(|error| self.located(error))?;
            self.program.set_lines(first, shader.insts[inst].line);
        }
        self.current = None;
        self.emit_phi_copies(block);
        match shader.blocks[block].jump {
            None => {}
            Some(Jump::Break) => self.emit_marker(Op::Break, None),
            Some(Jump::Continue) => self.emit_marker(Op::Continue, None),
            Some(Jump::Halt) => {
                self.halts = true;
                self.emit_marker(Op::Halt, None);
            }
        }
        Ok(())
    }

    /// Emits one instruction.
    fn emit_instruction(
        &mut self,
        inst: ir::Inst,
        stage: &mut dyn StageSelection<T>,
    ) -> Result<(), CompileError> {
        let data = &self.shader.insts[inst];
        match (&data.kind, data.result) {
            (InstKind::Alu(alu), Some(result)) if !self.skipped[result] => {
                T::emit_alu(self, alu, result)
            }
            (InstKind::Undef, Some(result)) => {
                T::define_undefined(self, result);
                Ok(())
            }
            (InstKind::Intrinsic(intrinsic), result) => {
                stage.emit_intrinsic(self, intrinsic, result)
            }
            (InstKind::Tex(tex), Some(result)) => T::emit_texture(self, tex, result),
            // Constants become operands of their users, phis are written by predecessors.
            _ => Ok(()),
        }
    }

    /// Appends a control-flow marker with its source line, or that of the instruction before.
    fn emit_marker(&mut self, op: Op, line: Option<SourceLine>) {
        let before = self.program.insts.last().map(|inst| inst.line);
        let first = self.program.insts.len();
        T::emit_control(self, op);
        self.program.set_lines(first, line.or(before).unwrap_or_default());
    }
}
