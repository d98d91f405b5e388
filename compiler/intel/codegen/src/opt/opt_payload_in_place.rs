//! Messages that consist of registers of the thread's payload as they are.
//!
//! ```text
//! before:
//!   mov(8) v0<1>:UD, g1<1>:UD nomask
//!   mov(8) v0+32<1>:UD, g4<1>:UD
//!   mov(8) v0+64<1>:UD, g5<1>:UD
//!   send(8) null<1>:UD, v0<1>:UD sfid=urb control=0x17 mlen=3 rlen=0 header urb_write
//! after:
//!   mov(8) g3<1>:UD, g1<1>:UD nomask
//!   send(8) null<1>:UD, g3<1>:UD sfid=urb control=0x17 mlen=3 rlen=0 header urb_write
//! ```

use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, MessageKind, Op, Operand, Program, REG_SIZE, VReg};
use crate::model::Model;

/// First register that a header may be written to: fixed functions look at g0, and g1 has the
/// handles.
const FIRST_PLACE: u32 = 2;

/// Lets URB writes whose data are copies of neighboring payload registers, in their order, read
/// these. The header goes to the register before them, if nothing reads that any more.
pub(crate) fn opt_payload_in_place(program: &mut Program, _model: &Model) -> bool {
    if !program.insts.iter().any(is_candidate) {
        return false;
    }
    let cfg = program.analysis::<Cfg>();
    let mut changed = false;
    for at in 0..program.insts.len() {
        let in_loop = cfg.blocks[cfg.block_of[at]].loop_depth > 0;
        if in_loop || !is_candidate(&program.insts[at]) {
            continue;
        }
        if let Some(found) = InPlace::new(program, at) {
            found.apply(program, at);
            changed = true;
        }
    }
    if changed {
        program.compact();
    }
    changed
}

fn is_candidate(inst: &Inst) -> bool {
    inst.op == Op::Send
        && inst.predicate.is_none()
        && inst.message.is_some_and(|m| m.kind == MessageKind::UrbWrite && !m.eot && m.rlen == 0)
        && inst.src.first().is_some_and(|src| src.offset == 0)
}

/// A payload that is in place but for its header.
struct InPlace {
    payload: VReg,
    /// Copy of the header.
    header: usize,
    /// Register of the header in the thread's payload.
    place: u32,
}

impl InPlace {
    fn new(program: &Program, at: usize) -> Option<InPlace> {
        let payload = program.insts[at].src[0].vreg()?;
        let regs = u32::from(program.vregs[payload].regs);
        if program.insts[at].message.is_none_or(|m| u32::from(m.mlen) != regs) {
            return None;
        }
        let (mut header, mut place) = (None, None);
        let mut written = 0u32;
        for (writer, inst) in program.insts.iter().enumerate() {
            if writer != at && inst.src.iter().any(|src| src.vreg() == Some(payload)) {
                return None;
            }
            if inst.dst.vreg() != Some(payload) || inst.op == Op::Undef {
                continue;
            }
            let from = copied_register(inst).filter(|_| writer < at)?;
            let reg = inst.dst.offset / REG_SIZE;
            if written >> reg & 1 != 0 {
                return None;
            }
            written |= 1 << reg;
            if reg == 0 {
                header = Some(writer).filter(|_| inst.no_mask);
                continue;
            }
            let base = from.checked_sub(reg)?;
            if *place.get_or_insert(base) != base {
                return None;
            }
        }
        let (header, place) = (header?, place?);
        let from = copied_register(&program.insts[header])?;
        let all = place * REG_SIZE..(place + regs) * REG_SIZE;
        let is_changed = |inst: &Inst| {
            let start = inst.dst.grf_byte();
            start.is_some_and(|s| s < all.end && all.start < s + inst.bytes_written())
        };
        let is_read = |inst: &Inst| {
            (0..inst.src.len()).any(|n| {
                let start = inst.src[n].grf_byte();
                start
                    .is_some_and(|s| s < all.start + REG_SIZE && all.start < s + inst.bytes_read(n))
            })
        };
        let fits = place + regs <= u32::from(program.payload_regs)
            && !program.insts.iter().any(is_changed)
            && (place == from
                || place >= FIRST_PLACE && !program.insts[at + 1..].iter().any(is_read));
        fits.then_some(InPlace { payload, header, place })
    }

    /// Drops the copies. The header's takes the place of the last of them.
    fn apply(&self, program: &mut Program, at: usize) {
        let mut header = program.insts[self.header].clone();
        let own = |inst: &Inst| inst.dst.vreg() == Some(self.payload);
        let last = program.insts[..at].iter().rposition(own).unwrap_or(self.header);
        for inst in program.insts[..at].iter_mut().filter(|inst| own(inst)) {
            inst.op = Op::Nop;
        }
        let place =
            |operand: Operand| Operand { file: File::Grf(self.place as u8), offset: 0, ..operand };
        header.dst = place(header.dst);
        if header.dst.file != header.src[0].file {
            program.insts[last] = header;
            // Nothing may read the register's old contents after it.
            program.insts[last..at].rotate_left(1);
        }
        program.insts[at].src[0] = place(program.insts[at].src[0]);
    }
}

/// The register of the thread's payload that the instruction copies, for all channels.
fn copied_register(inst: &Inst) -> Option<u32> {
    let src = inst.src.first()?;
    let is_whole = inst.is_plain_copy()
        && !inst.align16
        && inst.exec_size == 8
        && inst.dst.offset.is_multiple_of(REG_SIZE)
        && inst.bytes_written() == REG_SIZE
        && inst.dst.stride() == Some(1)
        && src.stride() == Some(1)
        && src.ty.size() == inst.dst.ty.size();
    match src.file {
        File::Grf(nr) if is_whole && src.offset == 0 => Some(u32::from(nr)),
        _ => None,
    }
}
