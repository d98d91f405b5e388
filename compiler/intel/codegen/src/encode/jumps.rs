//! Jump distances.
//!
//! JIP is where channels may rejoin next: the end of the innermost construct. UIP is the ENDIF of
//! an IF, the WHILE of a BREAK or CONTINUE, the target of a HALT. Rules as in Mesa's
//! `brw_eu_emit.c`.

use crate::lir::{Inst, Op, Program};
use intel_isa::DevInfo;
use vocabulary::{InternalError, Phase};

/// Fills in JIP and UIP of the branches, which come with their places among the machine
/// instructions; `origin` gives the back-end instruction of each of those.
///
/// # Errors
/// A branch without the instruction that it leads to.
pub(super) fn resolve(
    program: &Program,
    branches: &mut [(usize, intel_isa::Inst)],
    origin: &[usize],
    devinfo: &DevInfo,
) -> Result<(), InternalError> {
    if branches.is_empty() {
        return Ok(());
    }
    let n = origin.len();
    // Position of the first machine instruction at or after each back-end instruction.
    let mut position = vec![n; program.insts.len() + 1];
    for (machine, &i) in origin.iter().enumerate().rev() {
        position[i] = machine;
    }
    for i in (0..program.insts.len()).rev() {
        position[i] = position[i].min(position[i + 1]);
    }
    let unit = 16 / i32::from(devinfo.jump_unit_bytes);
    let marks = Marks::new(program)?;
    let halt_targets: Vec<usize> =
        (0..program.insts.len()).filter(|&i| program.insts[i].op == Op::HaltTarget).collect();
    for (machine, branch) in branches {
        let i = origin[*machine];
        let inst = &program.insts[i];
        let distance = |target: usize| (position[target] as i32 - *machine as i32) * unit;
        let end = || {
            let end = marks.end[i].ok_or_else(|| missing(inst, "end of the construct"));
            end.map(distance)
        };
        let (jip, uip) = match inst.op {
            Op::If => {
                let end = end()?;
                let jip = marks.other[i].map_or(end, |other| distance(other) + unit);
                (jip, end)
            }
            Op::Else => {
                let end = end()?;
                (end, if intel_isa::Opcode::Else.has_uip(devinfo.version) { end } else { 0 })
            }
            Op::Endif => (marks.block_end[i].map_or(unit, distance), 0),
            // From the next instruction.
            Op::While if inst.is_jump_back() => {
                let start = marks.end[i].ok_or_else(|| missing(inst, "DO"))?;
                let back = position[start] as i32 - *machine as i32 - 1;
                let unit = 16 / i32::from(devinfo.jump_unit(branch.opcode));
                branch.src[0] = intel_isa::build::imm_d(back * unit);
                continue;
            }
            // The instruction after the Do; nothing is encoded for the Do itself.
            Op::While => (end()?, 0),
            Op::Break | Op::Continue => {
                let end = end()?;
                (marks.block_end[i].map_or(end, distance), end)
            }
            Op::Halt => {
                let next = halt_targets.partition_point(|&target| target < i);
                let target = halt_targets.get(next).ok_or_else(|| missing(inst, "HALT target"))?;
                let target = distance(*target);
                (marks.block_end[i].map_or(target, distance), target)
            }
            Op::HaltTarget => (unit, unit),
            _ => {
                let error = InternalError::new(Phase::Encode, "this is not a branch");
                return Err(error.in_pass("encode").at(inst));
            }
        };
        (branch.jip, branch.uip) = (jip, uip);
    }
    Ok(())
}

/// Returns the error of a branch without its counterpart.
#[cold]
#[track_caller]
fn missing(inst: &Inst, counterpart: &str) -> InternalError {
    InternalError::new(Phase::Encode, format!("{counterpart} is missing"))
        .in_pass("encode")
        .at(inst)
}

/// Structure of the control flow by instruction index.
struct Marks {
    /// If: its Else.
    other: Vec<Option<usize>>,
    /// If, Else: the Endif. Break, Continue: the While. While: the Do.
    end: Vec<Option<usize>>,
    /// End of the innermost construct after an instruction: Else, Endif or While.
    block_end: Vec<Option<usize>>,
}

/// An open construct: its first instruction, and instructions that wait for its end.
type Open = (Op, usize, Vec<usize>);

impl Marks {
    fn new(program: &Program) -> Result<Marks, InternalError> {
        let n = program.insts.len();
        let (other, block_end) = (vec![None; n], vec![None; n]);
        let mut marks = Marks { other, end: vec![None; n], block_end };
        let mut open: Vec<Open> = Vec::new();
        let mut jumps: Vec<Vec<usize>> = Vec::new();
        for (i, inst) in program.insts.iter().enumerate() {
            match inst.op {
                Op::If => open.push((Op::If, i, Vec::new())),
                Op::Do => {
                    open.push((Op::Do, i, Vec::new()));
                    jumps.push(Vec::new());
                }
                Op::Else => {
                    let Some((Op::If, start, waiting)) = open.last_mut() else {
                        return Err(missing(inst, "IF"));
                    };
                    marks.other[*start] = Some(i);
                    marks.end_block(waiting.drain(..), i);
                }
                Op::Endif => {
                    let Some((Op::If, start, waiting)) = open.pop() else {
                        return Err(missing(inst, "IF"));
                    };
                    marks.end[start] = Some(i);
                    if let Some(other) = marks.other[start] {
                        marks.end[other] = Some(i);
                    }
                    marks.end_block(waiting, i);
                    wait(&mut open, i);
                }
                Op::While => {
                    let (Some((Op::Do, start, waiting)), Some(jumps)) = (open.pop(), jumps.pop())
                    else {
                        return Err(missing(inst, "DO"));
                    };
                    marks.end[i] = Some(start);
                    // Channels that wait rejoin before a jump back, which may be far.
                    if !inst.is_jump_back() {
                        marks.end_block(waiting, i);
                    }
                    jumps.into_iter().for_each(|jump| marks.end[jump] = Some(i));
                }
                Op::Break | Op::Continue => {
                    wait(&mut open, i);
                    jumps.last_mut().ok_or_else(|| missing(inst, "loop"))?.push(i);
                }
                Op::Halt => wait(&mut open, i),
                _ => {}
            }
        }
        match open.pop() {
            Some((_, start, _)) => Err(missing(&program.insts[start], "end of the construct")),
            None => Ok(marks),
        }
    }

    /// Records that the innermost construct around `waiting` instructions ends at `i`.
    fn end_block(&mut self, waiting: impl IntoIterator<Item = usize>, i: usize) {
        waiting.into_iter().for_each(|w| self.block_end[w] = Some(i));
    }
}

/// Adds instruction `i` to those that wait for the end of the innermost open construct, if any.
fn wait(open: &mut [Open], i: usize) {
    if let Some((_, _, waiting)) = open.last_mut() {
        waiting.push(i);
    }
}
