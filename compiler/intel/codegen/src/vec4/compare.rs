//! Comparisons and boolean reductions, into registers or into flags alone.

use super::target::{Vec4Selection, first};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, PredMode, Type};
use ir::{Alu, AluOp, Class, InstKind, Step, Value};

/// Condition and operand class of a comparison.
pub(super) fn comparison(op: AluOp) -> Option<(CondMod, Class)> {
    Some(match op {
        AluOp::Feq => (CondMod::Z, Class::Float),
        AluOp::Fneu | AluOp::F2b => (CondMod::Nz, Class::Float),
        AluOp::Flt => (CondMod::L, Class::Float),
        AluOp::Fge => (CondMod::Ge, Class::Float),
        AluOp::Ieq => (CondMod::Z, Class::Int),
        AluOp::Ine | AluOp::I2b => (CondMod::Nz, Class::Int),
        AluOp::Ilt => (CondMod::L, Class::Int),
        AluOp::Ige => (CondMod::Ge, Class::Int),
        AluOp::Ult => (CondMod::L, Class::Uint),
        AluOp::Uge => (CondMod::Ge, Class::Uint),
        _ => return None,
    })
}

/// A comparison of vectors reduced to one boolean.
#[derive(Clone, Copy)]
pub(super) struct Reduction {
    cond: CondMod,
    class: Class,
    components: u8,
    mode: PredMode,
}

/// Returns the reduction that `op` computes.
pub(super) fn reduction(op: AluOp) -> Option<Reduction> {
    let (cond, mode) = match op {
        AluOp::BallFeq2
        | AluOp::BallFeq3
        | AluOp::BallFeq4
        | AluOp::BallIeq2
        | AluOp::BallIeq3
        | AluOp::BallIeq4 => (CondMod::Z, PredMode::All4h),
        AluOp::BanyFneu2
        | AluOp::BanyFneu3
        | AluOp::BanyFneu4
        | AluOp::BanyIne2
        | AluOp::BanyIne3
        | AluOp::BanyIne4 => (CondMod::Nz, PredMode::Any4h),
        _ => return None,
    };
    let input = op.info().inputs.first()?;
    Some(Reduction { cond, class: input.class, components: input.components, mode })
}

fn operand_type(class: Class, bits: u8) -> Type {
    match (class, bits) {
        (_, 64) => Type::DF,
        (Class::Float, _) => Type::F,
        (Class::Uint, _) => Type::UD,
        _ => Type::D,
    }
}

impl Vec4Selection<'_> {
    /// Skips the comparisons that only conditions use: each use sets the flag anew.
    pub(super) fn choose_flag_comparisons(&mut self) {
        let shader = self.shader;
        let mut flag_uses: cranelift_entity::SecondaryMap<Value, u32> =
            cranelift_entity::SecondaryMap::new();
        // A negation that only conditions use, or nothing, is skipped, too: its uses are uses of
        // its source. Walking backwards visits users before definitions.
        for step in shader.walk().into_iter().rev() {
            match step {
                Step::If(node) => {
                    if let Some(cond) = shader.condition(node) {
                        flag_uses[cond] += 1;
                    }
                }
                Step::Block(block) => {
                    for &inst in shader.blocks[block].insts.iter().rev() {
                        let (InstKind::Alu(alu), Some(result)) =
                            (&shader.insts[inst].kind, shader.insts[inst].result)
                        else {
                            continue;
                        };
                        match alu.op {
                            AluOp::Bcsel => flag_uses[alu.srcs[0].value] += 1,
                            AluOp::Inot
                                if shader.bits(result) == 1
                                    && flag_uses[result] == self.uses[result] =>
                            {
                                self.skipped[result] = true;
                                flag_uses[alu.srcs[0].value] += 1;
                            }
                            op if comparison(op).is_some() || reduction(op).is_some() => {
                                self.skipped[result] =
                                    self.uses[result] > 0 && flag_uses[result] == self.uses[result];
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Sets the flag from boolean components. Returns the predicate that tests them; a single
    /// component is tested through its replicated x bit.
    pub(super) fn emit_flags(
        &mut self,
        value: Value,
        components: &[u8],
    ) -> Result<(PredMode, bool), CompileError> {
        let mut components = components.to_vec();
        let (value, inverse) = self.strip_not(value, &mut components);
        let single = components.iter().all(|c| *c == components[0]);
        let components = if single { &components[..1] } else { &components[..] };
        let mask = first(components.len() as u8);
        let mode = if single { PredMode::ReplicateX } else { PredMode::Normal };
        if self.skipped[value]
            && let Some(alu) = self.shader.as_alu(value)
        {
            if let Some(reduction) = reduction(alu.op) {
                let mode = self.emit_reduction_flags(alu, reduction)?;
                return Ok((mode, inverse));
            }
            self.emit_compare_flags(alu, components, mask)?;
            return Ok((mode, inverse));
        }
        let operand = self.get(value, components, Type::D);
        self.mov(Operand::null(Type::D).masked(mask), operand).condition(CondMod::Nz);
        Ok((mode, inverse))
    }

    /// The operands of a comparison, `components` of its result.
    fn compare_operands(
        &mut self,
        alu: &Alu,
        class: Class,
        components: &[u8],
    ) -> Result<(Operand, Operand), CompileError> {
        let bits = self.shader.bits(alu.srcs[0].value);
        let known = matches!(bits, 1 | 32) || (bits == 64 && class == Class::Float);
        if !known {
            return Err(self.not_lowered(alu.op, bits));
        }
        let ty = operand_type(class, bits);
        let mut operands = [Operand::imm(0, ty); 2];
        for (slot, src) in operands.iter_mut().zip(&alu.srcs) {
            let picked: Vec<u8> =
                components.iter().map(|&c| src.swizzle[usize::from(c & 3)]).collect();
            *slot = self.get(src.value, &picked, ty);
        }
        if alu.srcs.len() == 1 && ty == Type::DF {
            operands[1] = self.fp64_zero();
        }
        Ok((operands[0], operands[1]))
    }

    /// Sets flags by a comparison: bit i of `mask` from component `components[i]`.
    pub(super) fn emit_compare_flags(
        &mut self,
        alu: &Alu,
        components: &[u8],
        mask: u8,
    ) -> Result<(), CompileError> {
        let (cond, class) = comparison(alu.op).ok_or_else(|| self.not_lowered(alu.op, 1))?;
        let (a, b) = self.compare_operands(alu, class, components)?;
        self.cmp(Operand::null(a.ty).masked(mask), a, b, cond);
        Ok(())
    }

    /// Sets flags by the comparison of a reduction. Returns the predicate mode that combines them.
    pub(super) fn emit_reduction_flags(
        &mut self,
        alu: &Alu,
        reduction: Reduction,
    ) -> Result<PredMode, CompileError> {
        let components = &ir::inst::IDENTITY[..usize::from(reduction.components)];
        // The last component repeats, so that all four bits of a vertex take part.
        let (a, b) = self.compare_operands(alu, reduction.class, components)?;
        self.cmp(Operand::null(a.ty), a, b, reduction.cond);
        Ok(reduction.mode)
    }

    /// Emits the boolean vector of a comparison: 0 or −1 per component.
    pub(super) fn emit_comparison(&mut self, alu: &Alu, result: Value) -> Result<(), CompileError> {
        let (cond, class) = comparison(alu.op).ok_or_else(|| self.not_lowered(alu.op, 1))?;
        let n = self.shader.components(result);
        let (a, b) = self.compare_operands(alu, class, &ir::inst::IDENTITY[..usize::from(n)])?;
        if a.ty != Type::DF {
            let dst = self.define(result);
            self.cmp(dst.retype(a.ty), a, b, cond);
            return Ok(());
        }
        // A comparison of doubles makes 64-bit booleans, of which the low dwords are kept.
        let wide = self.fp64_temp(n);
        self.cmp(wide.masked(first(n)), a, b, cond);
        let low = self.pick_dwords(wide, 0);
        self.set(result, low);
        Ok(())
    }

    /// Emits the boolean of a reduction.
    pub(super) fn emit_reduction(
        &mut self,
        alu: &Alu,
        reduction: Reduction,
        result: Value,
    ) -> Result<(), CompileError> {
        let mode = self.emit_reduction_flags(alu, reduction)?;
        let dst = self.define(result).retype(Type::D);
        self.mov(dst, Operand::d(0));
        self.mov(dst, Operand::d(-1)).predicate_mode(mode, false);
        Ok(())
    }

    /// `cond ? a : b`.
    pub(super) fn emit_select(&mut self, alu: &Alu, result: Value) -> Result<(), CompileError> {
        let n = self.shader.components(result);
        let ty = self.raw_type(result);
        let cond = alu.srcs[0];
        let (a, b) = (self.src(&alu.srcs[1], n, ty), self.src(&alu.srcs[2], n, ty));
        let (mode, inverse) = self.emit_flags(cond.value, &cond.swizzle[..usize::from(n)])?;
        let dst = self.define(result);
        self.emit(Op::Sel, dst, &[a, b]).predicate_mode(mode, inverse);
        Ok(())
    }
}
