//! Messages at the end of a thread that are built one after the other, after one header.
//!
//! ```text
//! before:
//!   mov(8) v0<1>:UD, g1<1>:UD nomask
//!   mul(8) v0+32<1>:F, v2<1>:F, v3<1>:F
//!   mov(8) v1<1>:UD, g1<1>:UD nomask
//!   add(8) v1+32<1>:F, v2<1>:F, v3<1>:F
//!   send(8) null<1>:UD, v0<1>:UD sfid=urb control=0x17 mlen=2 rlen=0 header urb_write
//!   send(8) null<1>:UD, v1<1>:UD sfid=urb control=0x27 mlen=2 rlen=0 header eot urb_write
//! after:
//!   mov(8) v4<1>:UD, g1<1>:UD nomask
//!   mul(8) v4+32<1>:F, v2<1>:F, v3<1>:F
//!   send(8) null<1>:UD, v4<1>:UD sfid=urb control=0x17 mlen=2 rlen=0 header urb_write
//!   add(8) v4+32<1>:F, v2<1>:F, v3<1>:F
//!   send(8) null<1>:UD, v4<1>:UD sfid=urb control=0x27 mlen=2 rlen=0 header eot urb_write
//! ```

use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, MessageKind, Op, Operand, Program, REG_SIZE, VReg};
use crate::model::Model;
use cranelift_entity::SecondaryMap;

/// Builds the URB writes of the block that ends the thread in one payload, where they have the same
/// header: what computes the data of the later ones moves after the message before. Devices with
/// split sends have the header in a part of its own.
pub(crate) fn opt_shared_headers(program: &mut Program, model: &Model) -> bool {
    if model.devinfo().has_split_send {
        return false;
    }
    let ends = |inst: &Inst| is_write(inst) && inst.message.is_some_and(|m| m.eot);
    let Some(end) = program.insts.iter().rposition(ends) else { return false };
    let cfg = program.analysis::<Cfg>();
    let block = &cfg.blocks[cfg.block_of[end]];
    let writes = Writes::new(program);
    let found: Vec<Write> = (block.start..=end)
        .filter_map(|at| Write::new(program, &writes, block.start, at))
        .collect();
    let Some(last) = found.last().filter(|write| write.send == end) else { return false };
    let same_header = |write: &Write| {
        program.insts[write.header].src == program.insts[last.header].src
            && program.insts[write.header].exec_size == program.insts[last.header].exec_size
    };
    let (movable, fixed): (Vec<&Write>, Vec<&Write>) = found
        .iter()
        .filter(|write| same_header(write))
        .partition(|write| write.can_move(program, &writes, &found, end));
    // Instructions that compute the first message's data stay in their places. The last message,
    // which ends the thread, is one of those that share the payload.
    let Some(&first) = fixed.last().or(movable.first()) else { return false };
    let mut order = vec![first];
    order.extend(movable.iter().filter(|write| write.send != first.send));
    let ends_thread = order.iter().any(|write| write.send == end);
    if order.len() < 2 || !ends_thread {
        return false;
    }
    share(program, &order, end);
    true
}

/// A URB write whose payload begins with a copied header.
struct Write {
    payload: VReg,
    send: usize,
    header: usize,
    /// Instructions that write data.
    data: Vec<usize>,
    /// Only the message reads the payload.
    is_unread: bool,
}

/// Instructions that write each virtual register.
struct Writes(SecondaryMap<VReg, Vec<usize>>);

impl Writes {
    fn new(program: &Program) -> Writes {
        let mut writes = Writes(program.vreg_table());
        for (at, inst) in program.insts.iter().enumerate() {
            if let Some(v) = inst.dst.vreg() {
                writes.0[v].push(at);
            }
        }
        writes
    }
}

fn is_write(inst: &Inst) -> bool {
    inst.op == Op::Send
        && inst.predicate.is_none()
        && inst.message.is_some_and(|m| m.kind == MessageKind::UrbWrite && m.rlen == 0)
}

impl Write {
    /// The URB write at `at`, if its payload is written from `start` on.
    fn new(program: &Program, writes: &Writes, start: usize, at: usize) -> Option<Write> {
        let inst = &program.insts[at];
        let payload = inst.src.first().filter(|src| is_write(inst) && src.offset == 0)?.vreg()?;
        let regs = program.vregs[payload].regs;
        if inst.message.is_none_or(|m| u32::from(m.mlen) != u32::from(regs)) {
            return None;
        }
        let (mut header, mut data) = (None, Vec::new());
        for &writer in &writes.0[payload] {
            let inst = &program.insts[writer];
            if inst.op == Op::Undef {
                continue;
            }
            if writer < start || writer > at {
                return None;
            }
            if inst.dst.offset >= REG_SIZE {
                data.push(writer);
            } else if inst.is_plain_copy()
                && inst.no_mask
                && inst.dst.offset == 0
                && inst.bytes_written() == REG_SIZE
                && matches!(inst.src[0].file, File::Grf(_))
                && header.replace(writer).is_none()
            {
            } else {
                return None;
            }
        }
        let reads = |inst: &Inst| inst.src.iter().any(|src| src.vreg() == Some(payload));
        let readers = program.insts.iter().filter(|inst| reads(inst)).count();
        Some(Write { payload, send: at, header: header?, data, is_unread: readers == 1 })
    }

    /// True if the instructions that compute the data can move before instruction `end`.
    fn can_move(&self, program: &Program, writes: &Writes, all: &[Write], end: usize) -> bool {
        let is_kept = |at: usize, src: &Operand| match src.file {
            File::Vgrf(v) => {
                all.iter().all(|write| write.payload != v)
                    && !writes.0[v].iter().any(|w| (at..end).contains(w))
            }
            File::Grf(_) => !program.insts.iter().any(|inst| inst.dst.file == src.file),
            File::Imm(_) | File::Null | File::None => true,
            File::Arf(_) => false,
        };
        let moves = |&at: &usize| {
            let inst = &program.insts[at];
            inst.predicate.is_none()
                && !inst.writes_flag()
                && !inst.reads_flag()
                && !inst.op.is_send()
                && !inst.touches_accumulator()
                && inst.src.iter().all(|src| is_kept(at, src))
        };
        self.is_unread && self.data.iter().all(moves)
    }
}

/// Builds the messages in this order in a common payload, at instruction `end`, which ends the
/// thread.
fn share(program: &mut Program, order: &[&Write], end: usize) {
    let regs = order.iter().map(|write| program.vregs[write.payload].regs).max().unwrap_or(1);
    let payload = program.vreg(u32::from(regs));
    let mut tail: Vec<Inst> = Vec::new();
    for (n, write) in order.iter().enumerate() {
        let moved = if n == 0 { &[][..] } else { &write.data[..] };
        for &at in moved.iter().chain([&write.send]) {
            let mut inst = program.insts[at].clone();
            if let Some(message) = &mut inst.message {
                message.eot = n + 1 == order.len();
            }
            tail.push(inst);
            program.insts[at].op = Op::Nop;
        }
        if n > 0 {
            program.insts[write.header].op = Op::Nop;
        }
    }
    let rest = program.insts.split_off(end + 1);
    program.insts.extend(tail);
    program.insts.extend(rest);
    let rename = |operand: &mut Operand| {
        if operand.vreg().is_some_and(|v| order.iter().any(|write| write.payload == v)) {
            operand.file = File::Vgrf(payload);
        }
    };
    for inst in &mut program.insts {
        rename(&mut inst.dst);
        inst.src.iter_mut().for_each(rename);
    }
    program.compact();
}
