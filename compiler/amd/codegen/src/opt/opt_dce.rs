//! Removes instructions whose results nothing needs.
//!
//! ```text
//! before:
//!   v_mul_f32 r1, r0, r0
//!   v_add_f32 r2, r0, r0
//!   exp mrt0 r2, …
//! after:
//!   v_add_f32 r2, r0, r0
//!   exp mrt0 r2, …
//! ```

use crate::machine::{Arg, Inst, Program, Reg, Use};
use amd_isa::slot::Role;
use amd_isa::{Format, Opcode, Property};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Removes instructions whose results nothing needs and that have no other effect.
///
/// An instruction is needed if it has an effect, or if it writes a register or a condition code
/// that a needed instruction reads: elements of an array that only their own selections read go.
pub(crate) fn opt_dce(program: &mut Program) -> bool {
    let items = items(program);
    let mut writers: SecondaryMap<Reg, SmallVec<[u32; 2]>> = SecondaryMap::new();
    for (index, item) in items.iter().enumerate() {
        for used in item.uses.iter().filter(|used| used.role != Role::Read) {
            writers[used.part.reg].push(index as u32);
        }
    }
    let mut needed = vec![false; items.len()];
    let mut open: Vec<u32> = Vec::new();
    let mut need = |index: u32, open: &mut Vec<u32>| {
        if !std::mem::replace(&mut needed[index as usize], true) {
            open.push(index);
        }
    };
    for (index, item) in items.iter().enumerate() {
        if item.acts {
            need(index as u32, &mut open);
        }
    }
    // The writers of a register are needed together, once.
    let mut seen: SecondaryMap<Reg, bool> = SecondaryMap::new();
    let mut registers: SmallVec<[Reg; 8]> = program.kept.into_iter().collect();
    loop {
        for reg in registers.drain(..) {
            if !std::mem::replace(&mut seen[reg], true) {
                writers[reg].iter().for_each(|&index| need(index, &mut open));
            }
        }
        let Some(index) = open.pop() else { break };
        let item = &items[index as usize];
        item.codes.iter().flatten().for_each(|&index| need(index, &mut open));
        let reads = item.uses.iter().filter(|used| used.role != Role::Write);
        registers.extend(reads.map(|used| used.part.reg));
    }
    let changed = needed.contains(&false);
    let mut needed = needed.into_iter();
    for &label in &program.order {
        program.blocks[label].insts.retain(|_| needed.next().unwrap_or(true));
    }
    changed
}

/// An instruction in the search for those that nothing needs.
struct Item {
    uses: SmallVec<[Use; 6]>,
    /// It has an effect beside its results.
    acts: bool,
    /// Instructions that write the condition codes that it reads.
    codes: [Option<u32>; 2],
}

/// The instructions of all blocks in their order.
fn items(program: &Program) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for &label in &program.order {
        // Nothing reads the condition codes of another block.
        let (mut condition, mut carries) = (None, None);
        for inst in &program.blocks[label].insts {
            let index = items.len() as u32;
            let uses = program.uses(inst);
            let codes = [
                condition.filter(|_| inst.opcode.has(Property::ReadsScc)),
                carries.filter(|_| inst.reads_carries()),
            ];
            if inst.opcode.has(Property::SetsScc) {
                condition = Some(index);
            }
            if inst.writes_carries() {
                carries = Some(index);
            }
            items.push(Item { acts: !is_removable(inst, &uses), uses, codes });
        }
    }
    items
}

/// True for an instruction without an effect beside its results.
fn is_removable(inst: &Inst, uses: &[Use]) -> bool {
    if inst.format == Format::Sopc {
        return true;
    }
    let vector = inst.format.is_vector_alu();
    if !(vector || is_plain_scalar(inst) || is_load(inst)) {
        return false;
    }
    let results = inst.opcode.info().destinations.len().max(1);
    let carries = inst.writes_carries();
    let mut written = inst.args.iter().take(results).enumerate();
    let virtual_results =
        written.all(|(index, arg)| matches!(arg, Arg::Part(_)) || index == 1 && carries);
    virtual_results && (vector || uses.iter().all(|u| u.role != Role::Both))
}

/// True for an operation of the scalar ALU that always writes its results, and nothing else.
fn is_plain_scalar(inst: &Inst) -> bool {
    match inst.format {
        Format::Sop2 => true,
        Format::Sop1 => {
            let conditional = matches!(inst.opcode, Opcode::SCmovB32 | Opcode::SCmovB64);
            !conditional && !inst.opcode.has(Property::SavesExec)
        }
        _ => false,
    }
}

/// True for a load, and for an exchange of values between lanes.
fn is_load(inst: &Inst) -> bool {
    let loads = inst.opcode.has(Property::Loads) || inst.opcode == Opcode::DsSwizzleB32;
    loads && inst.format != Format::Flat
}
