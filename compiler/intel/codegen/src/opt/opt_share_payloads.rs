//! Split sends that share the parts of their payloads.
//!
//! ```text
//! before:
//!   mov(8) v0<1>:F, v4<1>:F
//!   mov(8) v0+32<1>:F, v5<1>:F
//!   send(8) v2<1>:UD, v0<1>:UD sfid=sampler control=0x40002 mlen=2 rlen=4 sample
//!   mov(8) v1<1>:F, v6<1>:F
//!   mov(8) v1+32<1>:F, v5<1>:F
//!   send(8) v3<1>:UD, v1<1>:UD sfid=sampler control=0x40002 mlen=2 rlen=4 sample
//! after:
//!   mov(8) v7<1>:F, v4<1>:F
//!   mov(8) v8<1>:F, v5<1>:F
//!   sends(8) v2<1>:UD, v7<1>:UD, v8<1>:UD sfid=sampler control=0x40002 mlen=1 ex_mlen=1 rlen=4 sample
//!   mov(8) v9<1>:F, v6<1>:F
//!   sends(8) v3<1>:UD, v9<1>:UD, v8<1>:UD sfid=sampler control=0x40002 mlen=1 ex_mlen=1 rlen=4 sample
//! ```
//!
//! `opt_coalesce` can then compute v4, v5 and v6 in place: no copy stays.

use super::facts::sites::Sites;
use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Message, MessageKind, Op, Operand, Program, REG_SIZE, Type, VReg};
use crate::model::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vocabulary::SourceLine;

/// Maximum number of registers of a split send's second part.
const MAX_SECOND: u32 = 15;
/// Maximum number of payloads of a block that are considered together.
const MAX_UNITS: usize = 64;
/// Maximum number of rounds in which single cuts are improved.
const MAX_ROUNDS: usize = 3;

/// Cuts the payloads of a block's messages in two, so that the number of copies is least that
/// remains after coalescing: equal parts are built once, and each value can be computed in the
/// place of one copy. Parts that exist as they are need no copy at all, except those of messages
/// that end the thread: both must be at the top of the register file.
pub(crate) fn opt_share_payloads(program: &mut Program, model: &Model) -> bool {
    if !model.devinfo().has_split_send || !program.insts.iter().any(is_splittable) {
        return false;
    }
    let cfg = program.analysis::<Cfg>();
    let sites = Sites::new(program);
    let mut numbers = Numbers::default();
    let mut blocks: Vec<Vec<Unit>> = vec![Vec::new(); cfg.blocks.len()];
    for at in 0..program.insts.len() {
        let inst = &program.insts[at];
        let Some(payload) = inst.src.first().and_then(Operand::vreg) else { continue };
        if is_splittable(inst)
            && sites.reads[payload].first() == Some(&at)
            && let Some(unit) = Unit::new(program, &cfg, &sites, &mut numbers, payload)
        {
            blocks[cfg.block_of[at]].push(unit);
        }
    }
    let mut changed = false;
    for units in blocks.iter().flat_map(|units| units.chunks(MAX_UNITS)) {
        let cuts = choose_cuts(units);
        let mut parts = FxHashMap::default();
        for (unit, cut) in units.iter().zip(cuts) {
            if let Some(cut) = cut {
                unit.apply(program, cut, &mut parts);
                changed = true;
            }
        }
    }
    if changed {
        program.compact();
    }
    changed
}

fn is_splittable(inst: &Inst) -> bool {
    let suits =
        |m: Message| m.mlen > 1 && !matches!(m.kind, MessageKind::ByteScatteredWrite { .. });
    matches!(inst.op, Op::Send | Op::Sendc) && inst.message.is_some_and(suits)
}

/// Contents of a piece of a payload. Equal contents are the same value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Contents {
    /// The copy of a value that does not change, without its destination.
    Copy(Inst),
    /// The instruction that computes it.
    Computed(usize),
}

/// The numbers of contents.
#[derive(Default)]
struct Numbers(FxHashMap<Contents, u32>);

impl Numbers {
    fn of(&mut self, contents: Contents) -> u32 {
        let next = UNDEFINED + 1 + self.0.len() as u32;
        *self.0.entry(contents).or_insert(next)
    }
}

/// Neighboring registers of a payload that the same instructions write.
#[derive(Clone, Debug)]
struct Piece {
    start: u32,
    regs: u32,
    writers: SmallVec<[usize; 2]>,
    /// Number of the contents.
    contents: u32,
    /// It is a copy: of these registers, if they are packed.
    is_copy: bool,
    source: Option<Operand>,
    /// End of the register, or of the thread's payload, that it is in, in bytes.
    source_end: u32,
    /// The copied value can be computed in this place.
    has_home: bool,
}

/// The contents of a part of a payload: registers and contents of its pieces.
type Part = SmallVec<[(u32, u32); 8]>;

/// Number of the contents that nothing writes.
const UNDEFINED: u32 = 0;

/// A payload, with the messages that read it: whole and in one block.
#[derive(Clone, Debug)]
struct Unit {
    sends: SmallVec<[usize; 2]>,
    pieces: Vec<Piece>,
    /// Its parts may be anywhere.
    is_free: bool,
}

impl Unit {
    fn new(
        program: &Program,
        cfg: &Cfg,
        sites: &Sites,
        numbers: &mut Numbers,
        payload: VReg,
    ) -> Option<Unit> {
        let count = u32::from(program.vregs[payload].regs);
        let sends: SmallVec<[usize; 2]> = sites.reads[payload].iter().copied().collect();
        let (&first, block) = (sends.first()?, cfg.block_of[*sends.first()?]);
        let suits = |&at: &usize| {
            let inst = &program.insts[at];
            is_splittable(inst)
                && inst.src[0].offset == 0
                && cfg.block_of[at] == block
                && inst.message.is_some_and(|m| u32::from(m.mlen) == count)
        };
        if !sends.iter().all(suits) {
            return None;
        }
        let mut pieces: Vec<Piece> = (0..count)
            .map(|start| Piece {
                start,
                regs: 1,
                writers: SmallVec::new(),
                contents: UNDEFINED,
                is_copy: false,
                source: None,
                source_end: 0,
                has_home: false,
            })
            .collect();
        for &at in &sites.writes[payload] {
            let inst = &program.insts[at];
            if at >= first || cfg.block_of[at] != block {
                return None;
            }
            if inst.op == Op::Undef {
                continue;
            }
            let bytes = inst.dst.offset..inst.dst.offset + inst.bytes_written();
            let (from, to) = (bytes.start / REG_SIZE, bytes.end.div_ceil(REG_SIZE));
            let begin = pieces.partition_point(|p| p.start + p.regs <= from);
            let end = pieces.partition_point(|p| p.start < to);
            if begin >= end {
                return None;
            }
            let merged: Vec<Piece> = pieces.drain(begin + 1..end).collect();
            let piece = &mut pieces[begin];
            for other in merged {
                piece.regs += other.regs;
                piece.writers.extend(other.writers);
            }
            piece.writers.push(at);
        }
        for piece in &mut pieces {
            piece.classify(program, sites, numbers);
        }
        let is_free = !sends.iter().any(|&at| program.insts[at].message.is_some_and(|m| m.eot));
        Some(Unit { sends, pieces, is_free })
    }

    /// The contents of the pieces before or after a cut; without a cut all of them.
    fn part(&self, cut: Option<usize>, is_second: bool) -> Part {
        self.range(cut, is_second).iter().map(|p| (p.regs, p.contents)).collect()
    }

    fn range(&self, cut: Option<usize>, is_second: bool) -> &[Piece] {
        match (cut, is_second) {
            (None, _) => &self.pieces,
            (Some(cut), false) => &self.pieces[..cut],
            (Some(cut), true) => &self.pieces[cut..],
        }
    }

    /// Cuts that the hardware allows and that leave something defined on both sides.
    fn cuts(&self) -> impl Iterator<Item = usize> + '_ {
        let defined = |pieces: &[Piece]| pieces.iter().any(|p| p.contents != UNDEFINED);
        let total: u32 = self.pieces.iter().map(|p| p.regs).sum();
        (1..self.pieces.len()).filter(move |&cut| {
            let (first, second) = self.pieces.split_at(cut);
            total - self.pieces[cut].start <= MAX_SECOND
                && defined(first)
                && defined(second)
                && !overlap(self.direct(first), self.direct(second), first, second)
                && !may_meet(first, second)
        })
    }

    /// Returns the registers that hold a part already, if neighboring registers do.
    fn direct(&self, pieces: &[Piece]) -> Option<Operand> {
        let defined = pieces.iter().find(|p| p.contents != UNDEFINED)?;
        let before = (defined.start - pieces[0].start) * REG_SIZE;
        let base = defined.source?;
        let start = byte(&base)?.checked_sub(before)?;
        let follows = |piece: &Piece| {
            let source = piece.source.filter(|source| same_file(&base, source));
            let place = start + (piece.start - pieces[0].start) * REG_SIZE;
            source.is_some_and(|source| byte(&source) == Some(place)) || piece.contents == UNDEFINED
        };
        let regs: u32 = pieces.iter().map(|p| p.regs).sum();
        let fits = start + regs * REG_SIZE <= defined.source_end;
        let first = match base.file {
            File::Vgrf(_) => Operand { offset: start, ..base },
            _ => Operand::grf((start / REG_SIZE) as u8, base.ty),
        };
        (self.is_free && fits && pieces.iter().all(follows)).then_some(first)
    }

    /// Makes the messages read two parts. `parts` has those of the messages before.
    fn apply(&self, program: &mut Program, cut: usize, parts: &mut FxHashMap<Part, VReg>) {
        let mut sources: SmallVec<[Operand; 2]> = SmallVec::new();
        let mut lengths: SmallVec<[u8; 2]> = SmallVec::new();
        for is_second in [false, true] {
            let pieces = self.range(Some(cut), is_second);
            let regs: u32 = pieces.iter().map(|p| p.regs).sum();
            lengths.push(regs as u8);
            let writers = || pieces.iter().flat_map(|p| p.writers.iter().copied());
            if let Some(source) = self.direct(pieces) {
                writers().for_each(|at| program.insts[at].op = Op::Nop);
                sources.push(source);
                continue;
            }
            let part = self.part(Some(cut), is_second);
            let known = parts.get(&part).copied();
            let register = known.unwrap_or_else(|| program.vreg(regs));
            for at in writers() {
                let inst = &mut program.insts[at];
                if known.is_some() {
                    inst.op = Op::Nop;
                } else {
                    inst.dst.file = File::Vgrf(register);
                    inst.dst.offset -= pieces[0].start * REG_SIZE;
                }
            }
            parts.insert(part, register);
            sources.push(Operand::vgrf(register, Type::UD));
        }
        for &at in &self.sends {
            let inst = &mut program.insts[at];
            let ty = inst.src[0].ty;
            inst.op = if inst.op == Op::Sendc { Op::Sendsc } else { Op::Sends };
            inst.src = sources.iter().map(|source| source.retype(ty)).collect();
            if let Some(message) = &mut inst.message {
                (message.mlen, message.ex_mlen) = (lengths[0], lengths[1]);
            }
        }
    }
}

impl Piece {
    fn classify(&mut self, program: &Program, sites: &Sites, numbers: &mut Numbers) {
        let Some(&at) = self.writers.first() else { return };
        let inst = &program.insts[at];
        let is_whole = inst.dst.stride() == Some(1)
            && inst.dst.offset.is_multiple_of(REG_SIZE)
            && inst.bytes_written() == self.regs * REG_SIZE;
        let is_copy = self.writers.len() == 1 && inst.is_plain_copy() && !inst.align16 && is_whole;
        if !is_copy || !is_stable(program, sites, &inst.src[0], at) {
            self.contents = numbers.of(Contents::Computed(at));
            return;
        }
        let src = inst.src[0];
        let is_packed = src.stride() == Some(1) && src.offset.is_multiple_of(REG_SIZE);
        self.is_copy = true;
        self.source = (is_packed && !src.is_imm()).then_some(src);
        self.source_end = REG_SIZE
            * match src.file {
                File::Vgrf(v) => u32::from(program.vregs[v].regs),
                _ => u32::from(program.payload_regs),
            };
        if let Some(v) = src.vreg() {
            self.has_home =
                is_packed && src.offset == 0 && u32::from(program.vregs[v].regs) == self.regs;
        }
        let mut copy = inst.clone();
        copy.dst = Operand::none().retype(inst.dst.ty);
        copy.remark = "";
        copy.line = SourceLine::UNKNOWN;
        self.contents = numbers.of(Contents::Copy(copy));
    }
}

/// True if what instruction `at` reads there has its only value by then.
fn is_stable(program: &Program, sites: &Sites, src: &Operand, at: usize) -> bool {
    match src.file {
        File::Imm(_) => true,
        File::Grf(nr) => nr < program.payload_regs,
        File::Vgrf(v) => matches!(sites.writes[v][..], [def] if def < at),
        _ => false,
    }
}

/// Byte offset of a register operand in its virtual register, or from g0.
fn byte(operand: &Operand) -> Option<u32> {
    match operand.file {
        File::Vgrf(_) => Some(operand.offset),
        _ => operand.grf_byte(),
    }
}

/// Both are in one virtual register, or in the general registers.
fn same_file(a: &Operand, b: &Operand) -> bool {
    match (a.file, b.file) {
        (File::Vgrf(a), File::Vgrf(b)) => a == b,
        (File::Grf(_), File::Grf(_)) => true,
        _ => false,
    }
}

/// The parts may become one register: they have the same contents, or copies of one register.
fn may_meet(first: &[Piece], second: &[Piece]) -> bool {
    let register = |piece: &Piece| piece.source.and_then(|source| source.vreg());
    let meets = |a: &Piece| {
        second.iter().any(|b| {
            let same_register = register(a).is_some() && register(a) == register(b);
            same_register || (a.contents == b.contents && a.contents != UNDEFINED)
        })
    };
    first.iter().any(meets)
}

/// The parts have a register in common.
fn overlap(a: Option<Operand>, b: Option<Operand>, first: &[Piece], second: &[Piece]) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    let bytes = |pieces: &[Piece]| pieces.iter().map(|p| p.regs).sum::<u32>() * REG_SIZE;
    let (Some(x), Some(y)) = (byte(&a), byte(&b)) else { return true };
    same_file(&a, &b) && x < y + bytes(second) && y < x + bytes(first)
}

/// Returns where to cut each payload, if anywhere: the number of pieces of its first part.
fn choose_cuts(units: &[Unit]) -> Vec<Option<usize>> {
    let mut cuts: Vec<Option<usize>> = vec![None; units.len()];
    let mut least = copies(units, &cuts);
    // Payloads of one shape together: one cut alone may not pay.
    let shape = |unit: &Unit| -> Vec<u32> { unit.pieces.iter().map(|p| p.regs).collect() };
    let mut shapes: Vec<Vec<u32>> = units.iter().map(shape).collect();
    shapes.sort_unstable();
    shapes.dedup();
    for same in shapes {
        for cut in 1..same.len() {
            let mut attempt = cuts.clone();
            for (unit, at) in units.iter().zip(&mut attempt) {
                if shape(unit) == same && unit.cuts().any(|c| c == cut) {
                    *at = Some(cut);
                }
            }
            let cost = copies(units, &attempt);
            if cost < least {
                (cuts, least) = (attempt, cost);
            }
        }
    }
    for _ in 0..MAX_ROUNDS {
        let before = least;
        for (i, unit) in units.iter().enumerate() {
            for cut in unit.cuts().map(Some).chain([None]) {
                let old = std::mem::replace(&mut cuts[i], cut);
                let cost = copies(units, &cuts);
                // Whole messages, where nothing is gained.
                if cost < least || (cost == least && cut.is_none()) {
                    least = cost;
                } else {
                    cuts[i] = old;
                }
            }
        }
        if least == before {
            break;
        }
    }
    cuts
}

/// Returns the number of copies that remain after coalescing. Whole payloads are not shared.
fn copies(units: &[Unit], cuts: &[Option<usize>]) -> usize {
    let mut parts: FxHashSet<Part> = FxHashSet::default();
    let mut homes: FxHashSet<u32> = FxHashSet::default();
    let mut count = 0;
    for (unit, &cut) in units.iter().zip(cuts) {
        let sides = if cut.is_some() { &[false, true][..] } else { &[false] };
        for &is_second in sides {
            let pieces = unit.range(cut, is_second);
            if unit.direct(pieces).is_some()
                || cut.is_some() && !parts.insert(unit.part(cut, is_second))
            {
                continue;
            }
            for piece in pieces {
                let is_free = piece.has_home && homes.insert(piece.contents);
                count += usize::from(piece.is_copy && !is_free);
            }
        }
    }
    count
}
