//! Static cycle estimate and list scheduling.

use crate::bir::Program;
use crate::bir::cfg::Cfg;
use crate::model::Model;

/// Leaves the order of instructions as it is.
pub fn schedule(program: &mut Program, model: &dyn Model) -> bool {
    let _ = (program, model);
    false
}

/// Cycles of one pass over the program, blocks in loops weighted by ten per level.
#[must_use]
pub fn estimate(program: &Program, model: &dyn Model) -> u32 {
    let cfg = Cfg::new(program);
    let mut ready = [0u64; 128];
    let mut total = 0u64;
    for block in &cfg.blocks {
        let mut now = 0u64;
        ready.fill(0);
        for inst in &program.insts[block.start..block.end] {
            if inst.op.is_virtual() {
                continue;
            }
            for (index, src) in inst.src.iter().enumerate() {
                for reg in registers(src, crate::pattern::regs_read(inst, index)) {
                    now = now.max(ready[reg]);
                }
            }
            now += if inst.exec_size > 8 { 4 } else { 2 };
            for reg in registers(&inst.dst, crate::pattern::regs_written(inst)) {
                ready[reg] = now + u64::from(model.latency(inst));
            }
        }
        total += now * 10u64.pow(block.loop_depth.min(6));
    }
    u32::try_from(total).unwrap_or(u32::MAX)
}

fn registers(operand: &crate::bir::Operand, count: u32) -> std::ops::Range<usize> {
    match operand.grf_byte() {
        Some(byte) => {
            let first = (byte / 32) as usize;
            first.min(128)..(first + count as usize).min(128)
        }
        None => 0..0,
    }
}
