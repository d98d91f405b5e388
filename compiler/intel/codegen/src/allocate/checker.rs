//! Re-proves an allocation by abstract interpretation.
//!
//! The abstract state says for every byte of every *location* — a GRF of a virtual register of the
//! final program, a fixed register, a GRF of scratch memory — whether it was never written, holds a
//! byte of a value of the *original* program, or was lost because something else was written to the
//! same place. Executing the allocated program over this state, every read must find the bytes that
//! the original instruction means. The interpretation follows the thread's physical control flow
//! (the second arm of an IF runs after the first). Masks hide channels from it that wait at a join
//! while others run; these are checked construct by construct: nothing may be written to the place
//! of a value that waits.

use super::rewrite::place;
use super::spill::{FILL, SPILL};
use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, MessageKind, Op, Operand, Program, REG_SIZE, VReg};
use crate::liveness::LiveOut;
use crate::pattern::{dst_write_pattern, regs_read, regs_written, src_read_pattern};
use crate::sends::SCRATCH_BLOCK;
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;
use vocabulary::{InternalError, Phase};

/// General registers.
const GRFS: usize = 128;
/// Id of the values that the allocator's own instructions write besides copies.
const JUNK: u32 = u32::MAX;

/// Contents of one GRF-sized location: bytes of original GRF `id`. Bytes in neither mask were never
/// written.
#[derive(Clone, Copy, Default, PartialEq)]
struct Held {
    id: u32,
    holds: u32,
    lost: u32,
}

impl Held {
    fn never_written(&self) -> bool {
        self.holds | self.lost == 0
    }

    /// Joins the knowledge of two paths that meet.
    fn join(&self, other: &Held) -> Held {
        if self.never_written() {
            return *other;
        }
        if other.never_written() {
            return *self;
        }
        if self.id != other.id {
            return Held {
                id: self.id,
                holds: 0,
                lost: self.holds | self.lost | other.holds | other.lost,
            };
        }
        let lost = self.lost | other.lost;
        Held { id: self.id, holds: (self.holds | other.holds) & !lost, lost }
    }
}

#[derive(Clone, PartialEq)]
struct State {
    held: Vec<Held>,
    /// Original GRFs written on some path.
    written: FixedBitSet,
}

/// Returns an internal error of this check.
#[cold]
#[track_caller]
fn internal(message: impl Into<String>) -> InternalError {
    InternalError::new(Phase::Allocate, message).in_pass("check_allocation")
}

/// Checks that `allocated` (with its virtual-register form `program`, same instructions, registers
/// at `starts`) computes what `original` means. `scratch_base` is the first scratch byte that
/// spilling may use.
///
/// # Errors
/// The first violation found, naming instruction and register.
pub fn check(
    original: &Program,
    program: &Program,
    allocated: &Program,
    starts: &[Option<u8>],
    scratch_base: u32,
) -> Result<(), InternalError> {
    let checker = Checker::new(original, program, allocated, starts, scratch_base)?;
    checker.run()?;
    check_waiting_channels(program, starts)
}

struct Checker<'a> {
    original: &'a Program,
    program: &'a Program,
    cfg: Cfg,
    /// For each final instruction the original one, if it is not the allocator's own.
    meaning: Vec<Option<usize>>,
    /// First GRF number of each original virtual register. Ids 0 … 127 are the fixed registers.
    original_base: Vec<u32>,
    /// First location of each final virtual register. Locations 0 … 127 are the fixed registers.
    base: Vec<usize>,
    /// First location of scratch memory, and its first byte.
    scratch: (usize, u32),
    /// Locations in each general register.
    tenants: Vec<Vec<usize>>,
    /// General register of each location outside scratch memory.
    home: Vec<Option<usize>>,
    locations: usize,
    ids: usize,
}

fn number(program: &Program, first: u32) -> (Vec<u32>, u32) {
    let mut base = Vec::with_capacity(program.vregs.len());
    let mut next = first;
    for data in program.vregs.values() {
        base.push(next);
        next += u32::from(data.regs);
    }
    (base, next)
}

impl<'a> Checker<'a> {
    fn new(
        original: &'a Program,
        program: &'a Program,
        allocated: &'a Program,
        starts: &[Option<u8>],
        scratch_base: u32,
    ) -> Result<Checker<'a>, InternalError> {
        let (original_base, ids) = number(original, GRFS as u32);
        let (base, scratch_first) = number(program, GRFS as u32);
        let meaning = match_instructions(original, program)?;
        for (i, (placed, inst)) in allocated.insts.iter().zip(&program.insts).enumerate() {
            let mut expected = inst.clone();
            place(&mut expected.dst, starts);
            expected.src.iter_mut().for_each(|s| place(s, starts));
            if *placed != expected {
                let error = internal(format!("instruction {i} is not where it should be"));
                return Err(error.at(inst));
            }
        }
        let mut tenants: Vec<Vec<usize>> = (0..GRFS).map(|g| vec![g]).collect();
        let mut home: Vec<Option<usize>> = (0..GRFS).map(Some).collect();
        for (v, data) in program.vregs.iter() {
            for r in 0..usize::from(data.regs) {
                let grf = starts.get(v.index()).copied().flatten().map(|s| usize::from(s) + r);
                let location = base[v.index()] as usize + r;
                if let Some(grf) = grf {
                    let list = tenants.get_mut(grf).ok_or_else(|| {
                        internal(format!("{v} is in g{grf}, past the register file"))
                    })?;
                    list.push(location);
                }
                home.push(grf);
            }
        }
        let fills = program.insts.iter().filter(|i| i.remark == FILL).filter_map(block_slot);
        let own_mov = |i: &&Inst| (i.remark == SPILL || i.remark == FILL) && i.op == Op::Mov;
        let headers = program.insts.iter().filter(own_mov).filter_map(|i| {
            let owords = i.src[0].imm_bits()?;
            Some(owords as usize * 16)
        });
        let top =
            fills.chain(headers).max().unwrap_or(scratch_base as usize) / REG_SIZE as usize + 16;
        Ok(Checker {
            original,
            program,
            cfg: Cfg::new(program),
            meaning,
            original_base,
            base: base.into_iter().map(|b| b as usize).collect(),
            scratch: (scratch_first as usize, 0),
            tenants,
            home,
            locations: scratch_first as usize + top,
            ids: ids as usize,
        })
    }

    /// Some channel may go from block `from` to its physical successor `to`, or the state matters
    /// for channels that wait: the second arm of an IF runs after the first. After a jump of all
    /// channels the thread still walks to the next join, but what it finds there only concerns
    /// channels that came another way.
    fn carries_channels(&self, from: usize, to: usize, reachable: &[bool]) -> bool {
        let block = &self.cfg.blocks[from];
        let logical = reachable[from] && block.succs.contains(&to);
        let ends_arm =
            block.end.checked_sub(1).is_some_and(|i| self.program.insts[i].op == Op::Else);
        logical || !reachable[to] || (ends_arm && !block.succs.contains(&to))
    }

    fn run(&self) -> Result<(), InternalError> {
        let blocks = self.cfg.blocks.len();
        let mut start = State {
            held: vec![Held::default(); self.locations],
            written: FixedBitSet::with_capacity(self.ids),
        };
        for (g, held) in start.held.iter_mut().enumerate().take(GRFS) {
            *held = Held { id: g as u32, holds: u32::MAX, lost: 0 };
            start.written.insert(g);
        }
        let reachable = self.cfg.reachable();
        let mut entry: Vec<Option<State>> = vec![None; blocks];
        entry[0] = Some(start);
        let mut dirty = vec![false; blocks];
        dirty[0] = true;
        // Bytes only go from unwritten to held to lost, so this ends.
        while let Some(b) = dirty.iter().position(|d| *d) {
            dirty[b] = false;
            let Some(mut state) = entry[b].clone() else { continue };
            for i in self.cfg.blocks[b].start..self.cfg.blocks[b].end {
                self.step(&mut state, i, false)
                    .map_err(|error| error.at(&self.program.insts[i]))?;
            }
            for &s in &self.cfg.blocks[b].physical_succs {
                if self.carries_channels(b, s, &reachable) {
                    dirty[s] |= merge(&mut entry[s], &state);
                }
            }
        }
        for (b, entry) in entry.into_iter().enumerate() {
            let Some(mut state) = entry else { continue };
            for i in self.cfg.blocks[b].start..self.cfg.blocks[b].end {
                self.step(&mut state, i, true).map_err(|error| error.at(&self.program.insts[i]))?;
            }
        }
        Ok(())
    }

    /// Location of the GRF `reg` GRFs after an operand's first byte; `None` if the operand is in no
    /// general register.
    fn location(&self, operand: &Operand, reg: u32) -> Result<Option<usize>, InternalError> {
        let skip = (operand.offset / REG_SIZE + reg) as usize;
        let location = match operand.file {
            File::Vgrf(v) => self.base[v.index()] + skip,
            File::Grf(nr) if usize::from(nr) + skip < GRFS => usize::from(nr) + skip,
            File::Grf(_) => return Err(internal(format!("{operand} is past the register file"))),
            _ => return Ok(None),
        };
        Ok(Some(location))
    }

    /// Returns location and original id of the GRF `reg` GRFs after the first byte of an operand,
    /// which is `own` in the final program and `meant` in the original one. `None` if the operand
    /// is in no general register.
    fn place_and_id(
        &self,
        own: &Operand,
        meant: &Operand,
        reg: u32,
    ) -> Result<Option<(usize, u32)>, InternalError> {
        match (self.location(own, reg)?, self.id(meant, reg)) {
            (Some(location), Some(id)) => Ok(Some((location, id))),
            (None, None) => Ok(None),
            _ => Err(internal(format!("{own} cannot stand for {meant}"))),
        }
    }

    /// Id of the original GRF `reg` GRFs after an operand's first byte.
    fn id(&self, operand: &Operand, reg: u32) -> Option<u32> {
        let skip = operand.offset / REG_SIZE + reg;
        match operand.file {
            File::Vgrf(v) => Some(self.original_base[v.index()] + skip),
            File::Grf(nr) => Some(u32::from(nr) + skip),
            _ => None,
        }
    }

    /// `location` now holds the masked bytes of `id`; what else lived in its register is lost.
    fn write(
        &self,
        state: &mut State,
        location: usize,
        id: u32,
        mask: u32,
    ) -> Result<(), InternalError> {
        // Scratch memory has no general register.
        if let Some(grf) = self.home.get(location).copied().flatten() {
            for &tenant in &self.tenants[grf] {
                if tenant != location {
                    let held = &mut state.held[tenant];
                    held.lost |= held.holds & mask;
                    held.holds &= !mask;
                }
            }
        }
        let held = state.held.get_mut(location).ok_or_else(|| unknown_location(location))?;
        if held.id != id && !held.never_written() {
            held.lost |= held.holds;
            held.holds = 0;
        }
        held.id = id;
        held.holds |= mask;
        held.lost &= !mask;
        Ok(())
    }

    /// Executes instruction `i`; with `verify`, reads are checked.
    fn step(&self, state: &mut State, i: usize, verify: bool) -> Result<(), InternalError> {
        let inst = &self.program.insts[i];
        let Some(meaning) = self.meaning[i] else {
            return self.step_own(state, i);
        };
        let meant = &self.original.insts[meaning];
        if verify {
            for index in 0..meant.src.len() {
                self.check_read(state, i, inst, meant, index)?;
            }
        }
        for reg in 0..regs_written(meant) {
            let Some((location, id)) = self.place_and_id(&inst.dst, &meant.dst, reg)? else {
                continue;
            };
            self.write(state, location, id, touched(meant, reg))?;
            state.written.grow(id as usize + 1);
            state.written.insert(id as usize);
        }
        Ok(())
    }

    fn check_read(
        &self,
        state: &State,
        i: usize,
        inst: &Inst,
        meant: &Inst,
        index: usize,
    ) -> Result<(), InternalError> {
        for reg in 0..regs_read(meant, index) {
            let Some((location, id)) =
                self.place_and_id(&inst.src[index], &meant.src[index], reg)?
            else {
                continue;
            };
            let mask = src_read_pattern(meant, index, reg);
            let held = *state.held.get(location).ok_or_else(|| unknown_location(location))?;
            let right = if held.id == id { held.holds } else { 0 };
            // A byte that nothing has written is as undefined as it was, if the original had not
            // written it.
            let undefined = !(held.holds | held.lost);
            let excused = if state.written.contains(id as usize) && held.never_written() {
                0
            } else {
                undefined
            };
            if mask & !(right | excused) != 0 {
                return Err(internal(format!(
                    "instruction {i} reads source {index} ({}), register {reg}, but finds {}",
                    meant.src[index],
                    self.describe(&held)
                )));
            }
        }
        Ok(())
    }

    fn describe(&self, held: &Held) -> String {
        let what = match held.id {
            _ if held.never_written() => return "nothing".into(),
            JUNK => "a message header".into(),
            id if id < GRFS as u32 => format!("payload register {id}"),
            id => match self.original_base.iter().rposition(|&b| b <= id) {
                Some(v) => format!("{} register {}", VReg::new(v), id - self.original_base[v]),
                None => format!("the unknown value {id}"),
            },
        };
        format!("{what} (bytes {:#010x} intact, {:#010x} overwritten)", held.holds, held.lost)
    }

    /// Executes one of the allocator's own instructions.
    fn step_own(&self, state: &mut State, i: usize) -> Result<(), InternalError> {
        let inst = &self.program.insts[i];
        match (inst.op, inst.message.as_ref().map(|m| m.kind)) {
            (Op::Mov, _) => {
                for reg in 0..regs_written(inst) {
                    let to = self.destination(inst, reg)?;
                    let from = self.location(&inst.src[0], reg)?;
                    self.transfer(state, from, to, touched(inst, reg))?;
                }
                Ok(())
            }
            (_, Some(MessageKind::ScratchRead)) => {
                let slot = block_slot(inst).map_or_else(|| self.header_slot(i), Ok)?;
                for reg in 0..regs_written(inst) {
                    let from = self.scratch.0 + slot / REG_SIZE as usize + reg as usize;
                    let to = self.destination(inst, reg)?;
                    self.transfer(state, Some(from), to, u32::MAX)?;
                }
                Ok(())
            }
            (_, Some(MessageKind::ScratchWrite)) => {
                let slot = self.header_slot(i)? / REG_SIZE as usize;
                for reg in 1..regs_read(inst, 0) {
                    let from = self.location(&inst.src[0], reg)?;
                    let to = self.scratch.0 + slot + reg as usize - 1;
                    self.transfer(state, from, to, u32::MAX)?;
                }
                Ok(())
            }
            _ => Err(internal(format!("instruction {i} is unknown"))),
        }
    }

    /// Scratch byte of message `i`, whose header was completed just before.
    fn header_slot(&self, i: usize) -> Result<usize, InternalError> {
        let owords =
            self.program.insts.get(i.wrapping_sub(1)).and_then(|m| m.src.first()?.imm_bits());
        let owords =
            owords.ok_or_else(|| internal(format!("scratch message {i} without an offset")))?;
        Ok(owords as usize * 16)
    }

    /// Location of register `reg` of the destination of one of the allocator's own instructions.
    fn destination(&self, inst: &Inst, reg: u32) -> Result<usize, InternalError> {
        let location = self.location(&inst.dst, reg)?;
        location.ok_or_else(|| internal("the destination is not a general register"))
    }

    /// Copies what one location holds to another. Immediates, which have no location, are junk.
    fn transfer(
        &self,
        state: &mut State,
        from: Option<usize>,
        to: usize,
        mask: u32,
    ) -> Result<(), InternalError> {
        let held = match from {
            Some(from) => *state.held.get(from).ok_or_else(|| unknown_location(from))?,
            None => Held { id: JUNK, holds: u32::MAX, lost: 0 },
        };
        self.write(state, to, held.id, mask)?;
        let target = &mut state.held[to];
        target.holds = (target.holds & !mask) | (held.holds & mask);
        target.lost = (target.lost & !mask) | (held.lost & mask);
        Ok(())
    }
}

/// Returns the error of an access past the last location.
#[cold]
#[track_caller]
fn unknown_location(location: usize) -> InternalError {
    internal(format!("there is no location {location}"))
}

/// Merges `state` into a block's entry; true if the entry changed.
fn merge(entry: &mut Option<State>, state: &State) -> bool {
    let Some(old) = entry else {
        *entry = Some(state.clone());
        return true;
    };
    let mut changed = false;
    for (a, b) in old.held.iter_mut().zip(&state.held) {
        let new = a.join(b);
        changed |= new != *a;
        *a = new;
    }
    if !state.written.is_subset(&old.written) {
        old.written.union_with(&state.written);
        changed = true;
    }
    changed
}

/// Bytes of register `reg` of the destination that the instruction may write.
fn touched(inst: &Inst, reg: u32) -> u32 {
    let mut always = inst.clone();
    always.predicate = None;
    match dst_write_pattern(&always, reg) {
        // Not known exactly: all of it.
        0 => u32::MAX,
        mask => mask,
    }
}

/// Scratch byte that a scratch block read names.
fn block_slot(inst: &Inst) -> Option<usize> {
    let message = inst.message.as_ref()?;
    (message.kind == MessageKind::ScratchRead && message.control & SCRATCH_BLOCK != 0)
        .then_some((message.control & 0xfff) as usize * REG_SIZE as usize)
}

/// Pairs the instructions of the final program with the original ones they stand for.
fn match_instructions(
    original: &Program,
    program: &Program,
) -> Result<Vec<Option<usize>>, InternalError> {
    let mut next = 0;
    let mut meaning = Vec::with_capacity(program.insts.len());
    for inst in &program.insts {
        if inst.remark == FILL || inst.remark == SPILL {
            meaning.push(None);
            continue;
        }
        // Undefined definitions of spilled registers vanish.
        while original.insts.get(next).is_some_and(|o| o.op == Op::Undef && inst.op != Op::Undef) {
            next += 1;
        }
        if original.insts.get(next).is_none_or(|o| o.op != inst.op) {
            return Err(internal("the program changed during allocation").at(inst));
        }
        meaning.push(Some(next));
        next += 1;
    }
    Ok(meaning)
}

/// Values that some channels hold while others run: nothing else may be written to their place.
fn check_waiting_channels(program: &Program, starts: &[Option<u8>]) -> Result<(), InternalError> {
    let cfg = Cfg::new(program);
    let live_out = LiveOut::new(program, &cfg);
    for l in &cfg.loops {
        let live = live_before(program, &cfg, &live_out, l.end + 1);
        guard(program, starts, (&live_out, &live), (l.start, l.end), (l.start, l.end))?;
    }
    let mut stack: Vec<(usize, Option<usize>)> = Vec::new();
    for (i, inst) in program.insts.iter().enumerate() {
        match inst.op {
            Op::If => stack.push((i, None)),
            Op::Else => {
                if let Some(top) = stack.last_mut() {
                    top.1 = Some(i);
                }
            }
            Op::Endif => {
                if let Some((start, Some(middle))) = stack.pop() {
                    let live = live_before(program, &cfg, &live_out, i);
                    guard(program, starts, (&live_out, &live), (start, middle), (middle, i))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Masks of the bytes that are live before instruction `at`, by dense GRF number.
fn live_before(program: &Program, cfg: &Cfg, live_out: &LiveOut, at: usize) -> Vec<u32> {
    let mut live = live_out.nothing();
    if at < program.insts.len() {
        let block = cfg.block_of[at];
        live_out.load(block, &mut live);
        for ip in (at..cfg.blocks[block].end).rev() {
            live_out.accesses().step_back(ip, &mut live);
        }
    }
    live
}

/// Values written in `held` that are live after `running` must not be overwritten in `running`.
fn guard(
    program: &Program,
    starts: &[Option<u8>],
    (live_out, live): (&LiveOut, &[u32]),
    held: (usize, usize),
    running: (usize, usize),
) -> Result<(), InternalError> {
    let mut owner: [Option<VReg>; 128] = [None; 128];
    for ip in held.0..held.1 {
        let Some(v) = program.insts[ip].dst.vreg() else { continue };
        let Some(start) = starts[v.index()] else { continue };
        let first = live_out.accesses().first_grf(v.index());
        for access in live_out.accesses().writes(ip) {
            let place = owner.get_mut(usize::from(start) + access.grf - first);
            if let Some(place) = place.filter(|_| live[access.grf] != 0) {
                *place = Some(v);
            }
        }
    }
    for (i, inst) in program.insts.iter().enumerate().take(running.1).skip(running.0) {
        let Some(v) = inst.dst.vreg() else { continue };
        let Some(start) = starts[v.index()] else { continue };
        let first = usize::from(start) + (inst.dst.offset / REG_SIZE) as usize;
        for place in owner.iter().skip(first).take(regs_written(inst) as usize) {
            if let Some(waiting) = place.filter(|w| *w != v) {
                let message = format!(
                    "instruction {i} overwrites {waiting}, which waiting channels still hold"
                );
                return Err(internal(message).at(inst));
            }
        }
    }
    Ok(())
}
