//! Data flow of liveness, solved for one dword after the other: time and memory grow with the
//! number of blocks in which dwords are live, not with the product of blocks and dwords.

use super::units::{Unit, Units};
use crate::machine::{Program, predecessors};
use amd_isa::slot::Role;

/// Effect of a block on a dword.
struct Effect {
    unit: Unit,
    block: usize,
    /// It is read before it is written.
    exposed: bool,
    written: bool,
}

/// Returns the dwords that are live at the end of each block.
pub(super) fn live_out(program: &Program, units: &Units) -> Vec<Vec<Unit>> {
    let edges = [program.linear_successors(), program.logical_successors()];
    let edges = edges.map(|successors| predecessors(&successors));
    let count = program.order.len();
    let mut live_out: Vec<Vec<Unit>> = vec![Vec::new(); count];
    // The last dword that each block writes, and that is live at its start.
    let mut written: Vec<Option<Unit>> = vec![None; count];
    let mut live_in: Vec<Option<Unit>> = vec![None; count];
    // Blocks whose predecessors have yet to learn that the dword is live.
    let mut pending: Vec<usize> = Vec::new();
    for effects in exposed(effects(program, units), units).chunk_by(|a, b| a.unit == b.unit) {
        let unit = effects[0].unit;
        for effect in effects {
            if effect.written {
                written[effect.block] = Some(unit);
            }
            if effect.exposed {
                live_in[effect.block] = Some(unit);
                pending.push(effect.block);
            }
        }
        let before = &edges[program.regs[units.owners[unit as usize]].file as usize];
        while let Some(block) = pending.pop() {
            for &pred in &before[block] {
                if live_out[pred].last() == Some(&unit) {
                    continue;
                }
                live_out[pred].push(unit);
                if written[pred] != Some(unit) && live_in[pred] != Some(unit) {
                    live_in[pred] = Some(unit);
                    pending.push(pred);
                }
            }
        }
    }
    live_out
}

/// Returns the effects on dwords that some block reads before it writes them, dword by dword.
fn exposed(mut effects: Vec<Effect>, units: &Units) -> Vec<Effect> {
    let mut exposed = vec![false; units.owners.len()];
    for effect in &effects {
        exposed[effect.unit as usize] |= effect.exposed;
    }
    effects.retain(|effect| exposed[effect.unit as usize]);
    effects.sort_by_key(|effect| effect.unit);
    effects
}

/// Returns the effects of each block on the dwords that it accesses.
fn effects(program: &Program, units: &Units) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::new();
    // Index of the last effect on each dword.
    let mut last = vec![usize::MAX; units.owners.len()];
    for (block, &label) in program.order.iter().enumerate() {
        let first = effects.len();
        let mut on = |unit: Unit, read: bool| {
            let last = &mut last[unit as usize];
            if *last == usize::MAX || *last < first {
                *last = effects.len();
                effects.push(Effect { unit, block, exposed: false, written: false });
            }
            let effect = &mut effects[*last];
            if read {
                effect.exposed |= !effect.written;
            } else {
                effect.written = true;
            }
        };
        for inst in &program.blocks[label].insts {
            let uses = program.uses(inst);
            for used in uses.iter().filter(|used| used.role != Role::Write) {
                units.of(program, used).for_each(|unit| on(unit, true));
            }
            for used in uses.iter().filter(|used| used.role != Role::Read) {
                units.of(program, used).for_each(|unit| on(unit, false));
            }
        }
    }
    effects
}
