//! Splits ifs and loops that are too long for the distances of their branches.
//!
//! Branches before gen8 have 16 bits for a distance. An if that is longer becomes several, all
//! under the same condition, which a register keeps:
//!
//! ```text
//! before:
//!   (+f0.0) if(8)
//!   …
//!   endif(8)
//! after:
//!   mov(8) v1<1>:D, 0x0:D
//!   (+f0.0) mov(8) v1<1>:D, 0xffffffff:D
//!   mov.nz.f1.0(8) null<1>:D, v1<1>:D
//!   (+f1.0) if(8)
//!   … first part
//!   endif(8)
//!   mov.nz.f1.0(8) null<1>:D, v1<1>:D
//!   (+f1.0) if(8)
//!   … second part
//!   endif(8)
//! ```
//!
//! The body of a loop is split the same way, under the channels that stay in the loop and in the
//! iteration. A BREAK or CONTINUE removes its channels from them and leaves its part, which is a
//! loop of one iteration. All channels then repeat the loop or leave it together, so that a JMPI,
//! which has 32 bits, can end it. A HALT that is far from its target leads to an island
//! between two parts, where its channels halt again.
//!
//! Only f1 is written, which no other code uses.

use crate::lir::cfg::constructs;
use crate::lir::{Arf, CondMod, Inst, Op, Operand, Predicate, Program, Type};

/// The flag subregister f1.0.
const FLAG: u8 = 2;

/// Channels of a loop that was split, as registers of 0 or −1.
#[derive(Clone, Copy)]
struct Loop {
    /// Channels that have not left it.
    live: Operand,
    /// Channels that have not left the iteration.
    iteration: Operand,
    /// Number of open ifs around the loop.
    outside: usize,
}

/// The program while it is rebuilt.
struct Splitter<'a> {
    program: &'a mut Program,
    /// The old instructions.
    insts: Vec<Inst>,
    /// Of each `If` and `Do` the end of its construct, of others their own place.
    ends: Vec<usize>,
    /// Of each `If` its `Else`.
    elses: Vec<Option<usize>>,
    /// Longest part in instructions.
    limit: usize,
    align16: bool,
    /// Channels that halted, while the target of HALTs is to come.
    halted: Option<Operand>,
    /// Conditions of the ifs that are being split.
    conditions: Vec<Operand>,
    /// Loops that are being split.
    loops: Vec<Loop>,
}

/// Splits ifs and loops of more than `limit` instructions. Returns whether there are any.
pub(crate) fn split_long_branches(program: &mut Program, limit: usize) -> bool {
    let (ends, elses) = constructs(program);
    let is_long = |i: usize| ends[i] + 1 > i + limit;
    let mut starts = program.insts.iter().enumerate().filter(|(i, _)| is_long(*i));
    // Neither is ever selected: an if without a condition, a loop with one.
    let unknown = |(i, inst): (usize, &Inst)| match inst.op {
        Op::If => inst.predicate.is_none(),
        Op::Do => program.insts[ends[i]].predicate.is_some(),
        _ => false,
    };
    if starts.clone().any(unknown) {
        return false;
    }
    let position = |op: Op| program.insts.iter().position(|inst| inst.op == op);
    let far_halts = match (position(Op::Halt), position(Op::HaltTarget)) {
        (Some(first), Some(target)) => target > first + limit,
        _ => false,
    };
    if starts.next().is_none() && !far_halts {
        return false;
    }
    let align16 = program.insts.iter().any(|i| i.op.info().control_flow && i.align16);
    let insts = program.take_insts();
    let end = insts.len();
    let mut splitter = Splitter {
        program,
        insts,
        ends,
        elses,
        limit,
        align16,
        halted: None,
        conditions: Vec::new(),
        loops: Vec::new(),
    };
    if far_halts {
        splitter.halted = Some(splitter.mask(0));
    }
    splitter.range(0, end, None);
    true
}

impl Splitter<'_> {
    /// Copies old instructions `start … end` for the channels of `mask` (all if there is none), in
    /// parts of at most `limit`.
    fn range(&mut self, start: usize, end: usize, mask: Option<Operand>) {
        let (mut part, mut i) = (start, start);
        while i < end {
            let next = self.ends[i] + 1;
            if next - i > self.limit {
                self.part(part, i, mask);
                self.split(i, mask);
                part = next;
            } else if next - part > self.limit {
                self.part(part, i, mask);
                part = i;
            }
            i = next;
        }
        self.part(part, end, mask);
    }

    /// Copies one part.
    fn part(&mut self, start: usize, end: usize, mask: Option<Operand>) {
        if start == end {
            return;
        }
        let innermost = self.loops.last().copied();
        let jumps = innermost.is_some() && self.leaves(start, end);
        self.under(mask, |this| {
            if jumps {
                this.control(Op::Do);
            }
            this.copy(start, end, innermost);
            if jumps {
                this.control(Op::Break);
                this.control(Op::While);
            }
        });
        self.island();
    }

    /// True if a part has a BREAK or CONTINUE of the loop that is being split.
    fn leaves(&self, start: usize, end: usize) -> bool {
        let mut depth = 0;
        self.insts[start..end].iter().any(|inst| {
            match inst.op {
                Op::Do => depth += 1,
                Op::While => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(inst.op, Op::Break | Op::Continue)
        })
    }

    fn copy(&mut self, start: usize, end: usize, innermost: Option<Loop>) {
        let mut depth = 0;
        for i in start..end {
            let mut inst = self.insts[i].clone();
            match (inst.op, innermost, self.halted) {
                (Op::Do, ..) => depth += 1,
                (Op::While, ..) => depth -= 1,
                (Op::Break | Op::Continue, Some(inner), _) if depth == 0 => {
                    if inst.op == Op::Break {
                        self.set(inner.live, 0, Some((&inst, false)));
                    }
                    self.set(inner.iteration, 0, Some((&inst, false)));
                    for c in inner.outside..self.conditions.len() {
                        self.set(self.conditions[c], 0, Some((&inst, false)));
                    }
                    inst.op = Op::Break;
                }
                (Op::Halt, _, Some(halted)) => self.set(halted, -1, Some((&inst, false))),
                (Op::HaltTarget, ..) => self.halted = None,
                _ => {}
            }
            self.program.insts.push(inst);
        }
    }

    /// Splits the construct at `i`.
    fn split(&mut self, i: usize, mask: Option<Operand>) {
        if self.insts[i].op == Op::Do { self.split_loop(i, mask) } else { self.split_if(i, mask) }
    }

    fn split_if(&mut self, i: usize, mask: Option<Operand>) {
        let (end, other) = (self.ends[i], self.elses[i]);
        let test = self.insts[i].clone();
        let then = self.mask(0);
        let otherwise = other.map(|_| self.mask(0));
        self.under(mask, |this| {
            this.set(then, -1, Some((&test, false)));
            if let Some(otherwise) = otherwise {
                this.set(otherwise, -1, Some((&test, true)));
            }
        });
        self.conditions.push(then);
        self.range(i + 1, other.unwrap_or(end), Some(then));
        self.conditions.pop();
        if let (Some(other), Some(otherwise)) = (other, otherwise) {
            self.conditions.push(otherwise);
            self.range(other + 1, end, Some(otherwise));
            self.conditions.pop();
        }
    }

    fn split_loop(&mut self, i: usize, mask: Option<Operand>) {
        let live = self.mask(-1);
        if let Some(mask) = mask {
            self.mov(live, mask);
        }
        self.control(Op::Do);
        let iteration = self.program.vreg_for(Type::D, u32::from(self.program.width));
        self.mov(iteration, live);
        self.loops.push(Loop { live, iteration, outside: self.conditions.len() });
        self.range(i + 1, self.ends[i], Some(iteration));
        self.loops.pop();
        self.jump_back(live);
        self.island();
    }

    /// Jumps to the start of the loop if any enabled channel is live.
    fn jump_back(&mut self, live: Operand) {
        let flag = Operand::arf(Arf::Flag(1), Type::UW).scalar();
        self.all_channels(flag, Operand::imm(0, Type::UW));
        self.test(live);
        let any = Operand::vgrf(self.program.vreg(1), Type::UD);
        self.all_channels(any, flag);
        let test = self.all_channels(Operand::null(Type::UD), any.scalar());
        test.condition(CondMod::Nz).flag = FLAG;
        let mut jump = Inst::new(Op::While, 1, Operand::none(), &[]);
        jump.flag = FLAG;
        jump.without_mask().predicate(false);
        self.program.insts.push(jump);
    }

    /// A target of the HALTs before it, whose channels go on to the next target.
    fn island(&mut self) {
        let Some(halted) = self.halted else { return };
        self.control(Op::HaltTarget);
        self.test(halted);
        let halt = self.control(Op::Halt);
        halt.flag = FLAG;
        halt.predicate(false);
    }

    /// Emits code for the channels of `mask`.
    fn under(&mut self, mask: Option<Operand>, emit: impl FnOnce(&mut Self)) {
        let Some(mask) = mask else { return emit(self) };
        self.test(mask);
        let test = self.control(Op::If);
        test.flag = FLAG;
        test.predicate(false);
        emit(self);
        self.control(Op::Endif);
    }

    /// Sets the flag where `mask` is set.
    fn test(&mut self, mask: Operand) {
        self.mov(Operand::null(Type::D), mask).condition(CondMod::Nz).flag = FLAG;
    }

    /// A new register, `value` in all channels.
    fn mask(&mut self, value: i32) -> Operand {
        let mask = self.program.vreg_for(Type::D, u32::from(self.program.width));
        self.set(mask, value, None);
        mask
    }

    /// Sets `mask` to `value` in the channels that the predicate of `like` or its inverse selects.
    fn set(&mut self, mask: Operand, value: i32, like: Option<(&Inst, bool)>) {
        let inst = self.mov(mask, Operand::d(value));
        if let Some((like, inverse)) = like {
            inst.flag = like.flag;
            inst.predicate =
                like.predicate.map(|p| Predicate { inverse: p.inverse != inverse, ..p });
        }
    }

    fn mov(&mut self, dst: Operand, src: Operand) -> &mut Inst {
        let mut inst = Inst::new(Op::Mov, self.program.width, dst, &[src]);
        inst.align16 = self.align16;
        self.push(inst)
    }

    /// Moves a scalar under any execution mask.
    fn all_channels(&mut self, dst: Operand, src: Operand) -> &mut Inst {
        let mut inst = Inst::new(Op::Mov, 1, dst, &[src]);
        inst.no_mask = true;
        self.push(inst)
    }

    fn control(&mut self, op: Op) -> &mut Inst {
        let mut inst = Inst::new(op, self.program.width, Operand::none(), &[]);
        inst.align16 = self.align16;
        self.push(inst)
    }

    fn push(&mut self, mut inst: Inst) -> &mut Inst {
        inst.remark = "long branch";
        let index = self.program.insts.len();
        self.program.insts.push(inst);
        &mut self.program.insts[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir;
    use ir::IrUnit;

    fn program(body: &str) -> Program {
        let text = format!("program width=8 payload=4\nvgrf v0 v1\n{body}\n");
        lir::parse(&text).expect("a program")
    }

    fn moves(count: usize) -> String {
        "  mov(8) v0<1>:D, v1<1>:D\n".repeat(count)
    }

    /// A loop with an if and an else, jumps and a HALT, each arm longer than 10 instructions.
    fn long_loop() -> Program {
        program(&format!(
            "do(8)\n(+f0.0) if(8)\n{0}(+f0.0) break(8)\n{0}(-f0.1.any4h) halt(8)\n\
             else(8)\n{0}cont(8)\nendif(8)\n\
             do(8)\n(+f0.0) break(8)\nwhile(8)\n{0}while(8)\n{0}halt_target(8)\n{0}",
            moves(8)
        ))
    }

    #[test]
    fn parts_are_short() {
        let mut program = long_loop();
        assert!(split_long_branches(&mut program, 10));
        assert_eq!(program.validate(), Ok(()));
        let (ends, _) = constructs(&program);
        // An if and a loop around a part, and the registers that its jumps clear.
        for (i, &end) in
            ends.iter().enumerate().filter(|&(_, &end)| !program.insts[end].is_jump_back())
        {
            assert!(end - i <= 10 + 10, "{i} to {end} in {program}");
        }
        let jumps_back = program.insts.iter().filter(|i| i.is_jump_back()).count();
        assert_eq!(jumps_back, 1, "{program}");
        // Jumps belong to loops that a WHILE ends.
        let mut open = Vec::new();
        for (i, inst) in program.insts.iter().enumerate() {
            match inst.op {
                Op::Do => open.push(program.insts[ends[i]].is_jump_back()),
                Op::While => drop(open.pop()),
                Op::Break | Op::Continue => assert_eq!(open.last(), Some(&false), "{program}"),
                _ => {}
            }
        }
        // From each HALT it is not far to the next target.
        let near = |i: usize| program.insts[i..].iter().take(24).any(|i| i.op == Op::HaltTarget);
        let mut halts = (0..program.insts.len()).filter(|&i| program.insts[i].op == Op::Halt);
        assert!(halts.all(near), "{program}");
    }

    #[test]
    fn short_programs_do_not_change() {
        let mut program = long_loop();
        assert!(!split_long_branches(&mut program, 100));
        assert_eq!(program.insts, long_loop().insts);
    }
}
