//! Replacement of virtual registers by their places.

use crate::lir::{File, Operand, Program, REG_SIZE};
use cranelift_entity::EntityRef;
use vocabulary::{InternalError, Phase};

/// Replaces every virtual register by its place: `starts` has the first GRF of each.
pub(super) fn rewrite(program: &mut Program, starts: &[Option<u8>]) {
    for inst in &mut program.insts {
        place(&mut inst.dst, starts);
        for src in &mut inst.src {
            place(src, starts);
        }
    }
}

/// Replaces the virtual register of an operand. Every register that an instruction names has a
/// place.
pub(super) fn place(operand: &mut Operand, starts: &[Option<u8>]) {
    if let File::Vgrf(v) = operand.file {
        let Some(start) = starts.get(v.index()).copied().flatten() else {
            InternalError::new(Phase::Allocate, format!("{v} has no place")).at(*operand).raise();
        };
        let byte = u32::from(start) * REG_SIZE + operand.offset;
        operand.file = File::Grf((byte / REG_SIZE) as u8);
        operand.offset = byte % REG_SIZE;
    }
}
