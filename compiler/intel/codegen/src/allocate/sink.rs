//! Sinking: where too many registers are live, values are computed just before their first use, if
//! their sources are live there anyway.

use crate::lir::cfg::{BasicBlock, Cfg};
use crate::lir::{File, Inst, MessageKind, Op, Operand, Program, REG_SIZE, VReg};
use crate::liveness::Liveness;
use crate::pattern::regs_read;
use cranelift_entity::SecondaryMap;

/// Longest blocks: the search is quadratic.
const MAX_BLOCK: usize = 4000;

/// Moves instructions down within their blocks. Returns whether it moved any. Does not change the
/// meaning of the program.
pub(super) fn sink(program: &mut Program, cfg: &Cfg, liveness: &Liveness) -> bool {
    let mut changed = false;
    let mut first_mention: SecondaryMap<VReg, usize> = program.vreg_table();
    for block in &cfg.blocks {
        if block.end - block.start > MAX_BLOCK {
            continue;
        }
        for at in (block.start..block.end).rev() {
            let inst = &program.insts[at];
            for v in inst.src.iter().chain([&inst.dst]).filter_map(Operand::vreg) {
                first_mention[v] = at;
            }
        }
        // From the end on: the readers of a result have moved already.
        for at in (block.start..block.end).rev() {
            // Earlier instructions have not moved yet.
            if program.insts[at].dst.vreg().is_none_or(|v| first_mention[v] != at) {
                continue;
            }
            if let Some(place) = place(program, block, liveness, at) {
                program.insts[at..place].rotate_left(1);
                changed = true;
            }
        }
    }
    changed
}

/// Returns the index of the instruction before which instruction `at` belongs, the first of
/// the block that mentions its destination; `None` if moving it frees no registers.
fn place(program: &Program, block: &BasicBlock, liveness: &Liveness, at: usize) -> Option<usize> {
    let inst = &program.insts[at];
    let dst = inst.dst.vreg().filter(|_| is_movable(inst))?;
    if liveness.interval(dst).start < block.start {
        return None;
    }
    let rest = &program.insts[at + 1..block.end];
    let stops = |other: &Inst| {
        other.op.info().control_flow
            || mentions(other, inst.dst.file)
            || inst.src.iter().any(|src| src.is_reg() && overwrites(other, src))
            || inst.message.is_some() && other.has_side_effects()
    };
    let distance = rest.iter().position(stops).filter(|&distance| distance > 0)?;
    let gain = usize::from(program.vregs[dst].regs) * distance;
    let mut cost = 0;
    for (index, src) in inst.src.iter().enumerate() {
        let is_counted = inst.src[..index].iter().any(|earlier| earlier.file == src.file);
        if is_counted || !src.is_reg() || lives_on(program, block, liveness, src) {
            continue;
        }
        // Up to its last use among the instructions that this one would pass.
        let last = rest.iter().rposition(|other| reads(other, src));
        let gap = distance.saturating_sub(last.map_or(0, |last| last + 1));
        cost += size(program, inst, index) * gap;
    }
    (gain > cost).then_some(at + 1 + distance)
}

/// The instruction does nothing but write its destination, from nothing but its sources.
fn is_movable(inst: &Inst) -> bool {
    let is_pure = inst.message.is_none_or(|message| {
        message.rlen > 0
            && !message.eot
            && matches!(message.kind, MessageKind::ConstantLoad | MessageKind::Sample)
    });
    is_pure
        && !inst.op.info().control_flow
        && !inst.op.is_virtual()
        && !inst.reads_flag()
        && !inst.writes_flag()
        && !inst.touches_accumulator()
        && !inst.src.iter().any(|src| matches!(src.file, File::Arf(_)))
        && inst.op != Op::Nop
}

/// The register of a source is needed after the block.
fn lives_on(program: &Program, block: &BasicBlock, liveness: &Liveness, src: &Operand) -> bool {
    match src.file {
        File::Vgrf(v) => liveness.interval(v).end >= block.end,
        File::Grf(nr) if nr < program.payload_regs => {
            let last = liveness.payload_last_use.get(usize::from(nr));
            last.is_some_and(|&last| last >= block.end)
        }
        _ => true,
    }
}

/// Registers that live longer if source `index` does.
fn size(program: &Program, inst: &Inst, index: usize) -> usize {
    match inst.src[index].vreg() {
        Some(v) => usize::from(program.vregs[v].regs),
        None => regs_read(inst, index) as usize,
    }
}

fn mentions(inst: &Inst, file: File) -> bool {
    inst.dst.file == file || inst.src.iter().any(|src| src.file == file)
}

/// The instruction writes to the register of a source.
fn overwrites(inst: &Inst, src: &Operand) -> bool {
    match (src.grf_byte(), inst.dst.grf_byte()) {
        (Some(_), Some(_)) => true,
        _ => inst.dst.file == src.file,
    }
}

/// The instruction reads the register of a source.
fn reads(inst: &Inst, src: &Operand) -> bool {
    let touches = |(index, other): (usize, &Operand)| match (src.grf_byte(), other.grf_byte()) {
        (Some(a), Some(b)) => {
            let (a, b) = (a / REG_SIZE, b / REG_SIZE);
            b <= a && a < b + regs_read(inst, index)
        }
        _ => other.file == src.file,
    };
    inst.src.iter().enumerate().any(touches)
}
