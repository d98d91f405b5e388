//! Targets of jumps, and the end of a kernel. Padding, data or another kernel may follow it.

use crate::devinfo::DevInfo;
use crate::inst::Inst;
use crate::opcode::{Form, Opcode};

/// Where the jumps of the instruction at byte `offset` lead, by name, as byte offsets. Computed
/// distances and absolute calls are not known.
pub fn jump_targets(
    devinfo: &DevInfo,
    inst: &Inst,
    offset: usize,
) -> [Option<(&'static str, i64)>; 2] {
    let unit = i64::from(devinfo.jump_unit(inst.opcode));
    let target = |base: usize, units: i32| base as i64 + i64::from(units) * unit;
    match inst.opcode.form() {
        Form::Jmpi if inst.src[0].is_imm() => {
            let next = offset + inst.len_bytes();
            [Some(("JMPI", target(next, inst.src[0].imm_bits() as i32))), None]
        }
        Form::Branch | Form::Call if inst.opcode != Opcode::Calla => {
            let uip =
                inst.opcode.has_uip(devinfo.version).then(|| ("UIP", target(offset, inst.uip)));
            [Some(("JIP", target(offset, inst.jip))), uip]
        }
        _ => [None; 2],
    }
}

/// Follows a kernel's instructions, in order, to its end. Those that do not steer (see
/// [`Inst::steers`]) may be left out.
#[derive(Debug, Default)]
pub struct ProgramEnd {
    /// The furthest byte a jump leads to.
    furthest: i64,
    /// A computed jump may lead anywhere.
    open: bool,
}

impl ProgramEnd {
    /// Returns whether the kernel ends after the instruction at byte `offset`: it ends the thread,
    /// returns or jumps away, and no jump seen so far leads past it.
    pub fn ends_after(&mut self, devinfo: &DevInfo, inst: &Inst, offset: usize) -> bool {
        for (_, target) in jump_targets(devinfo, inst, offset).into_iter().flatten() {
            self.furthest = self.furthest.max(target);
        }
        self.open |= inst.opcode.form() == Form::Jmpi && !inst.src[0].is_imm();
        // The end of a thread does not depend on the channels that a message reaches.
        let leaves = inst.send.is_some_and(|send| send.eot)
            || (matches!(inst.opcode, Opcode::Ret | Opcode::Jmpi) && inst.predicate.is_none());
        leaves && !self.open && self.furthest < (offset + inst.len_bytes()) as i64
    }
}
