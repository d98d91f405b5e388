//! Jump distances.
//!
//! JIP is where channels may rejoin next: the end of the innermost construct. UIP is the ENDIF of
//! an IF, the WHILE of a BREAK or CONTINUE, the target of a HALT. Rules as in Mesa's
//! `brw_eu_emit.c`.

use crate::lir::{Op, Program};
use eu::DevInfo;

/// Fills in JIP and UIP of the branches, which come with their places among the machine
/// instructions; `origin` gives the back-end instruction of each of those.
pub(super) fn resolve(
    program: &Program,
    branches: &mut [(usize, eu::Inst)],
    origin: &[usize],
    devinfo: &DevInfo,
) {
    if branches.is_empty() {
        return;
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
    let marks = Marks::new(program);
    let halt_target = program.insts.iter().position(|i| i.op == Op::HaltTarget);
    for (machine, branch) in branches {
        let i = origin[*machine];
        let distance = |target: usize| (position[target] as i32 - *machine as i32) * unit;
        let (jip, uip) = match program.insts[i].op {
            Op::If => {
                let end = distance(marks.end[i]);
                let jip = marks.other[i].map_or(end, |other| distance(other) + unit);
                (jip, end)
            }
            Op::Else => {
                let end = distance(marks.end[i]);
                (end, if eu::Opcode::Else.has_uip(devinfo.version) { end } else { 0 })
            }
            Op::Endif => (marks.block_end[i].map_or(unit, distance), 0),
            // The instruction after the Do; nothing is encoded for the Do itself.
            Op::While => (distance(marks.end[i]), 0),
            Op::Break | Op::Continue => {
                let end = distance(marks.end[i]);
                (marks.block_end[i].map_or(end, distance), end)
            }
            Op::Halt => {
                let target = distance(halt_target.unwrap_or(i));
                (marks.block_end[i].map_or(target, distance), target)
            }
            Op::HaltTarget => (unit, unit),
            _ => continue,
        };
        (branch.jip, branch.uip) = (jip, uip);
    }
}

/// Structure of the control flow by instruction index.
struct Marks {
    /// If: its Else.
    other: Vec<Option<usize>>,
    /// If, Else: the Endif. Break, Continue: the While. While: the Do.
    end: Vec<usize>,
    /// End of the innermost construct after an instruction: Else, Endif or While.
    block_end: Vec<Option<usize>>,
}

impl Marks {
    fn new(program: &Program) -> Marks {
        let n = program.insts.len();
        let mut marks = Marks { other: vec![None; n], end: vec![n; n], block_end: vec![None; n] };
        // Open constructs, and instructions that wait for the end of the innermost one.
        let mut open: Vec<(Op, usize, Vec<usize>)> = Vec::new();
        let mut jumps: Vec<Vec<usize>> = Vec::new();
        for (i, inst) in program.insts.iter().enumerate() {
            match inst.op {
                Op::If => open.push((Op::If, i, Vec::new())),
                Op::Do => {
                    open.push((Op::Do, i, Vec::new()));
                    jumps.push(Vec::new());
                }
                Op::Else => {
                    if let Some((_, start, waiting)) = open.last_mut() {
                        marks.other[*start] = Some(i);
                        for w in waiting.drain(..) {
                            marks.block_end[w] = Some(i);
                        }
                    }
                }
                Op::Endif => {
                    if let Some((_, start, waiting)) = open.pop() {
                        marks.end[start] = i;
                        if let Some(other) = marks.other[start] {
                            marks.end[other] = i;
                        }
                        for w in waiting {
                            marks.block_end[w] = Some(i);
                        }
                    }
                    wait(&mut open, i);
                }
                Op::While => {
                    if let Some((_, start, waiting)) = open.pop() {
                        marks.end[i] = start;
                        for w in waiting {
                            marks.block_end[w] = Some(i);
                        }
                    }
                    for jump in jumps.pop().unwrap_or_default() {
                        marks.end[jump] = i;
                    }
                }
                Op::Break | Op::Continue => {
                    wait(&mut open, i);
                    if let Some(list) = jumps.last_mut() {
                        list.push(i);
                    }
                }
                Op::Halt => wait(&mut open, i),
                _ => {}
            }
        }
        marks
    }
}

/// Instruction `i` wants to know the end of the innermost open construct.
fn wait(open: &mut [(Op, usize, Vec<usize>)], i: usize) {
    if let Some((_, _, waiting)) = open.last_mut() {
        waiting.push(i);
    }
}
