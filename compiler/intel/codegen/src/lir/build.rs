//! Appending instructions to a program.

use super::{CondMod, Inst, Op, Operand, PredMode, Predicate, Program, REG_SIZE, Type};

/// Appends instructions of one execution size and channel group.
pub struct Builder<'a> {
    /// The program under construction.
    pub program: &'a mut Program,
    /// Channels of new instructions.
    pub exec_size: u8,
    /// First channel of new instructions.
    pub group: u8,
    /// New instructions ignore the execution mask.
    pub no_mask: bool,
    /// Remark of new instructions.
    pub remark: &'static str,
}

impl<'a> Builder<'a> {
    /// Full-width instructions at the end of `program`.
    pub fn new(program: &'a mut Program) -> Builder<'a> {
        let exec_size = program.width;
        Builder { program, exec_size, group: 0, no_mask: false, remark: "" }
    }

    /// The same program with `exec_size` channels that ignore the execution mask.
    pub fn all_channels(&mut self, exec_size: u8) -> Builder<'_> {
        Builder { program: self.program, exec_size, group: 0, no_mask: true, remark: self.remark }
    }

    /// The same program with `exec_size` channels starting at `group`.
    pub fn sub_group(&mut self, exec_size: u8, group: u8) -> Builder<'_> {
        Builder {
            program: self.program,
            exec_size,
            group,
            no_mask: self.no_mask,
            remark: self.remark,
        }
    }

    /// A new virtual register with one element of `ty` per channel.
    pub fn temp(&mut self, ty: Type) -> Operand {
        let channels = u32::from(self.exec_size);
        self.program.vreg_for(ty, channels)
    }

    /// A new virtual register with `n` elements of `ty` per channel, one channel-array after the
    /// other.
    pub fn temp_array(&mut self, ty: Type, n: u32) -> Operand {
        let bytes = (u32::from(self.exec_size) * ty.size()).next_multiple_of(REG_SIZE) * n;
        let reg = self.program.vreg(bytes / REG_SIZE);
        Operand::vgrf(reg, ty)
    }

    /// Appends an instruction.
    pub fn emit(&mut self, op: Op, dst: Operand, src: &[Operand]) -> &mut Inst {
        let mut inst = Inst::new(op, self.exec_size, dst, src);
        inst.group = self.group;
        inst.no_mask = self.no_mask;
        inst.remark = self.remark;
        self.push(inst)
    }

    /// Appends a finished instruction.
    pub fn push(&mut self, inst: Inst) -> &mut Inst {
        let index = self.program.insts.len();
        self.program.insts.push(inst);
        &mut self.program.insts[index]
    }

    /// `dst = src`, converting.
    pub fn mov(&mut self, dst: Operand, src: Operand) -> &mut Inst {
        self.emit(Op::Mov, dst, &[src])
    }

    /// Compare into `dst` (or null) and the flag.
    pub fn cmp(&mut self, dst: Operand, a: Operand, b: Operand, cond: CondMod) -> &mut Inst {
        let inst = self.emit(Op::Cmp, dst, &[a, b]);
        inst.cond = Some(cond);
        inst
    }

    /// Minimum or maximum.
    pub fn minmax(&mut self, dst: Operand, a: Operand, b: Operand, cond: CondMod) -> &mut Inst {
        let inst = self.emit(Op::Sel, dst, &[a, b]);
        inst.cond = Some(cond);
        inst
    }

    /// A control-flow marker.
    pub fn control(&mut self, op: Op) -> &mut Inst {
        let inst = Inst::new(op, self.exec_size, Operand::none(), &[]);
        self.push(inst)
    }
}

impl Inst {
    /// Predicates the instruction on its flag, channel by channel.
    pub fn predicate(&mut self, inverse: bool) -> &mut Inst {
        self.predicate_mode(PredMode::Normal, inverse)
    }

    /// Predicates the instruction with the given mode.
    pub fn predicate_mode(&mut self, mode: PredMode, inverse: bool) -> &mut Inst {
        self.predicate = Some(Predicate { mode, inverse });
        self
    }

    /// Sets the conditional modifier.
    pub fn condition(&mut self, cond: CondMod) -> &mut Inst {
        self.cond = Some(cond);
        self
    }

    /// Ignores the execution mask.
    pub fn without_mask(&mut self) -> &mut Inst {
        self.no_mask = true;
        self
    }
}
