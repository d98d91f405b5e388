//! Split sends: parts of a payload are read where they already are.
//!
//! ```text
//! before:
//!   mov(8) v0<1>:UD, g1<1>:UD nomask
//!   add(8) v0+32<1>:F, v1<1>:F, v2<1>:F
//!   send(8) null<1>:UD, v0<1>:UD sfid=urb control=0x7 mlen=2 rlen=0 header urb_write
//! after:
//!   add(8) v3<1>:F, v1<1>:F, v2<1>:F
//!   sends(8) null<1>:UD, g1<1>:UD, v3<1>:UD sfid=urb control=0x7 mlen=1 ex_mlen=1 rlen=0 header urb_write
//! ```

use super::facts::sites::Sites;
use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Message, MessageKind, Op, Operand, Program, REG_SIZE, VReg};
use crate::model::Model;
use std::ops::Range;

/// Maximum number of registers of a split send's second part.
const MAX_SECOND: usize = 15;

/// Replaces the copies at one end of a payload by a part of the message of their own, if they copy
/// neighboring registers, which do not change before the message. With copies of that kind at both
/// ends and nothing between them no payload remains. Messages that end the thread stay: both of
/// their parts must be at the top of the register file.
pub(crate) fn opt_split_sends(program: &mut Program, model: &Model) -> bool {
    if !program.insts.iter().any(is_splittable) {
        return false;
    }
    let can_split = model.devinfo().has_split_send;
    let cfg = program.analysis::<Cfg>();
    let sites = Sites::new(program);
    let mut changed = false;
    for at in 0..program.insts.len() {
        let inst = &program.insts[at];
        if !is_splittable(inst) {
            continue;
        }
        let Some(payload) = inst.src[0].vreg() else { continue };
        let payload_registers = Payload::new(program, &cfg, &sites, payload);
        let Some(split) = payload_registers.and_then(|p| p.split(can_split)) else { continue };
        apply(program, &sites, payload, &split);
        changed = true;
    }
    if changed {
        program.compact();
    }
    changed
}

fn is_splittable(inst: &Inst) -> bool {
    let suits = |m: Message| {
        !m.eot && m.mlen > 1 && !matches!(m.kind, MessageKind::ByteScatteredWrite { .. })
    };
    inst.op == Op::Send && inst.message.is_some_and(suits)
}

/// A register by file and byte offset; registers of the thread's payload count from g0.
type Place = (File, u32);

/// One register of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Register {
    /// The register that it is a copy of.
    source: Option<Place>,
    /// An instruction writes it and the register before it.
    continues: bool,
    /// Nothing writes it.
    is_undefined: bool,
}

/// The registers of a payload that only messages read.
struct Payload {
    registers: Vec<Register>,
}

/// A payload in two parts.
struct Split {
    /// Registers of the first part.
    first: usize,
    /// Sources of the parts; `None` is the payload's own register.
    parts: [Option<Place>; 2],
    /// The registers of the payload that stay.
    kept: Range<usize>,
}

impl Payload {
    /// Returns the registers of `payload` if messages that it suits read all of it in one block.
    fn new(program: &Program, cfg: &Cfg, sites: &Sites, payload: VReg) -> Option<Payload> {
        let count = usize::from(program.vregs[payload].regs);
        let reads = &sites.reads[payload];
        let (&first_read, &last_read) = (reads.first()?, reads.last()?);
        let block = cfg.block_of[last_read];
        let suits = |&at: &usize| {
            let inst = &program.insts[at];
            is_splittable(inst)
                && inst.src[0].offset == 0
                && cfg.block_of[at] == block
                && inst.message.is_some_and(|m| usize::from(m.mlen) == count)
        };
        if !reads.iter().all(suits) {
            return None;
        }
        let mut registers =
            vec![Register { source: None, continues: false, is_undefined: false }; count];
        let mut written = vec![0; count];
        for &at in &sites.writes[payload] {
            let inst = &program.insts[at];
            if at >= first_read || cfg.block_of[at] != block {
                return None;
            }
            if inst.op == Op::Undef {
                continue;
            }
            let bytes = inst.dst.offset..inst.dst.offset + inst.bytes_written();
            let copied = copied_registers(program, sites, inst, at..last_read);
            let regs = bytes.start / REG_SIZE..bytes.end.div_ceil(REG_SIZE);
            for (n, r) in regs.enumerate() {
                let place = registers.get_mut(r as usize)?;
                written[r as usize] += 1;
                place.continues |= n > 0;
                place.source = copied.map(|(file, at)| (file, at + n as u32 * REG_SIZE));
            }
        }
        for (register, &writes) in registers.iter_mut().zip(&written) {
            register.is_undefined = writes == 0;
            if writes > 1 {
                register.source = None;
            }
        }
        Some(Payload { registers })
    }

    /// Returns the split that saves most copies, if one saves any.
    fn split(&self, can_split: bool) -> Option<Split> {
        let n = self.registers.len();
        let prefix = self.run(0..n, false);
        let suffix = self.run(0..n, true);
        if prefix == n {
            // The whole payload exists elsewhere.
            let parts = [self.registers[0].source, None];
            return Some(Split { first: n, parts, kept: 0..0 });
        }
        if !can_split {
            return None;
        }
        let rest = self.run(prefix..n, false);
        if prefix > 0 && prefix + rest == n && rest <= MAX_SECOND {
            let parts = [self.registers[0].source, self.registers[prefix].source];
            if self.may_cut(prefix) && !overlap(parts, [prefix, rest]) {
                return Some(Split { first: prefix, parts, kept: 0..0 });
            }
        }
        // An undefined part lives nowhere: it might meet the other one.
        let undefined = |range: Range<usize>| self.registers[range].iter().all(|r| r.is_undefined);
        let at_front = (1..=prefix)
            .rev()
            .find(|&k| self.may_cut(k) && n - k <= MAX_SECOND && !undefined(k..n));
        let at_end = (1..=suffix.min(MAX_SECOND))
            .rev()
            .find(|&k| self.may_cut(n - k) && !undefined(0..n - k));
        match (at_front, at_end) {
            (Some(k), end) if end.is_none_or(|end| end <= k) => {
                let parts = [self.registers[0].source, None];
                Some(Split { first: k, parts, kept: k..n })
            }
            (_, Some(k)) => {
                let first = n - k;
                let parts = [None, self.registers[first].source];
                Some(Split { first, parts, kept: 0..first })
            }
            _ => None,
        }
    }

    /// Length of the longest run of copies of neighbors at the start, or the end, of a range.
    fn run(&self, range: Range<usize>, at_end: bool) -> usize {
        let registers = &self.registers[range];
        let follows = |a: &Register, b: &Register| match (a.source, b.source) {
            (Some((f, x)), Some((g, y))) => f == g && y == x + REG_SIZE,
            _ => false,
        };
        let edge = if at_end { registers.last() } else { registers.first() };
        if edge.is_none_or(|r| r.source.is_none()) {
            return 0;
        }
        let mut pairs = registers.windows(2).map(|pair| follows(&pair[0], &pair[1]));
        if at_end {
            let pairs: Vec<bool> = pairs.collect();
            1 + pairs.iter().rev().take_while(|&&f| f).count()
        } else {
            1 + pairs.by_ref().take_while(|&f| f).count()
        }
    }

    /// No instruction writes registers on both sides of a cut before register `at`.
    fn may_cut(&self, at: usize) -> bool {
        !self.registers[at].continues
    }
}

/// The parts have a register in common.
fn overlap(parts: [Option<Place>; 2], lengths: [usize; 2]) -> bool {
    let [Some((f, a)), Some((g, b))] = parts else { return false };
    let [m, n] = lengths.map(|l| l as u32 * REG_SIZE);
    f == g && a < b + n && b < a + m
}

/// The first register that a copy of whole registers reads, if none of them changes in `span`.
fn copied_registers(
    program: &Program,
    sites: &Sites,
    inst: &Inst,
    span: Range<usize>,
) -> Option<Place> {
    let src = inst.src.first()?;
    let packed = inst.is_plain_copy()
        && !inst.align16
        && inst.dst.stride() == Some(1)
        && src.stride() == Some(1)
        && inst.bytes_written().is_multiple_of(REG_SIZE)
        && src.offset.is_multiple_of(REG_SIZE)
        && inst.dst.offset.is_multiple_of(REG_SIZE);
    let source = match src.file {
        File::Vgrf(v) if !sites.writes[v].iter().any(|w| span.contains(w)) => {
            (src.file, src.offset)
        }
        File::Grf(nr) if nr < program.payload_regs => {
            (File::Grf(0), u32::from(nr) * REG_SIZE + src.offset)
        }
        _ => return None,
    };
    packed.then_some(source)
}

/// Splits all messages that read `payload`.
fn apply(program: &mut Program, sites: &Sites, payload: VReg, split: &Split) {
    let rest = Operand::vgrf(program.vreg(split.kept.len() as u32), crate::lir::Type::UD);
    for &at in &sites.writes[payload] {
        let inst = &mut program.insts[at];
        let register = (inst.dst.offset / REG_SIZE) as usize;
        if split.kept.contains(&register) {
            inst.dst.file = rest.file;
            inst.dst.offset -= split.kept.start as u32 * REG_SIZE;
        } else {
            inst.op = Op::Nop;
        }
    }
    for &at in &sites.reads[payload] {
        let inst = &mut program.insts[at];
        let own = inst.src[0];
        let place = |part: &Option<Place>| match *part {
            Some((File::Grf(_), at)) => {
                Operand { file: File::Grf((at / REG_SIZE) as u8), offset: 0, ..own }
            }
            Some((file, offset)) => Operand { file, offset, ..own },
            None => Operand { file: rest.file, offset: 0, ..own },
        };
        let is_whole = inst.message.is_some_and(|m| usize::from(m.mlen) == split.first);
        if is_whole {
            inst.src[0] = place(&split.parts[0]);
            continue;
        }
        inst.op = Op::Sends;
        inst.src = split.parts.iter().map(place).collect();
        if let Some(message) = &mut inst.message {
            message.ex_mlen = message.mlen - split.first as u8;
            message.mlen = split.first as u8;
        }
    }
}
