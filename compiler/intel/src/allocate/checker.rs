//! Re-proves an allocation by abstract interpretation.
//!
//! The abstract state says for every byte of the register file and of scratch memory which byte of which value
//! of the *original* program it holds. Executing the allocated program over this state, every read must find the
//! bytes that the original instruction means. The interpretation follows the thread's physical control flow (the
//! second arm of an IF runs after the first). What masks hide from it — channels that wait at a join while others
//! run — is checked construct by construct: nothing may be written to the place of a value that waits.

use crate::bir::cfg::Cfg;
use crate::bir::{File, Inst, MessageKind, Op, Operand, Program, REG_SIZE, VReg};
use crate::error::CompileError;
use crate::liveness::Liveness;
use crate::pattern::{regs_read, regs_written, src_read_pattern};
use cranelift_entity::EntityRef;

/// Bytes of the register file.
const FILE_BYTES: usize = 128 * REG_SIZE as usize;
/// Never written.
const UNDEFINED: u32 = 0;
/// Different values on different paths.
const CONFLICT: u32 = u32::MAX;
/// A value of the allocator's own (message headers).
const JUNK: u32 = u32::MAX - 1;
/// First id of virtual-register bytes; ids 1 … 4096 are the bytes of the fixed registers at thread start.
const FIRST_VREG: u32 = FILE_BYTES as u32 + 1;

/// Remark of fill messages.
pub const FILL: &str = "fill";
/// Remark of spill messages and the moves that feed them.
pub const SPILL: &str = "spill";

#[derive(Clone, PartialEq)]
struct State {
    file: Vec<u32>,
    scratch: Vec<u32>,
}

/// Checks that `allocated` (with its virtual-register form `program`, same instructions) computes what
/// `original` means. `scratch_base` is the first scratch byte that spilling may use.
///
/// # Errors
/// The first violation found, naming instruction and register.
pub fn check(
    original: &Program,
    program: &Program,
    allocated: &Program,
    starts: &[Option<u8>],
    scratch_base: u32,
) -> Result<(), CompileError> {
    let checker = Checker::new(original, program, allocated, scratch_base)?;
    checker.run()?;
    check_waiting_channels(program, starts)
}

/// States at the block boundaries.
struct Flow {
    preds: Vec<Vec<usize>>,
    start: State,
    entry: Vec<Option<State>>,
    exit: Vec<Option<State>>,
}

struct Checker<'a> {
    original: &'a Program,
    allocated: &'a Program,
    cfg: Cfg,
    /// For each allocated instruction the original one, if it is not the allocator's own.
    meaning: Vec<Option<usize>>,
    /// First GRF number of each original virtual register in a dense numbering.
    base: Vec<u32>,
    /// Original GRFs possibly written before the end of each block.
    written_out: Vec<Vec<bool>>,
    scratch_bytes: usize,
}

impl<'a> Checker<'a> {
    fn new(
        original: &'a Program,
        program: &'a Program,
        allocated: &'a Program,
        scratch_base: u32,
    ) -> Result<Checker<'a>, CompileError> {
        let mut base = Vec::with_capacity(original.vregs.len());
        let mut grfs = 0;
        for data in original.vregs.values() {
            base.push(grfs);
            grfs += u32::from(data.regs);
        }
        let meaning = match_instructions(original, program)?;
        let cfg = Cfg::new(allocated);
        let written_out = written_before_end(original, &meaning, &cfg, &base, grfs as usize);
        let fills = allocated.insts.iter().filter(|i| i.remark == FILL).filter_map(fill_slot);
        let spills =
            allocated.insts.iter().filter(|i| i.remark == SPILL && i.op == Op::Mov).filter_map(|i| {
                let owords = i.src[0].imm_bits()?;
                Some(owords as usize * 16)
            });
        let scratch_bytes =
            fills.chain(spills).max().unwrap_or(scratch_base as usize) + 16 * REG_SIZE as usize;
        Ok(Checker { original, allocated, cfg, meaning, base, written_out, scratch_bytes })
    }

    fn run(&self) -> Result<(), CompileError> {
        let blocks = self.cfg.blocks.len();
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); blocks];
        for (b, block) in self.cfg.blocks.iter().enumerate() {
            for &s in &block.physical_succs {
                preds[s].push(b);
            }
        }
        let mut flow = Flow {
            preds,
            start: State {
                file: (1..=FILE_BYTES as u32).collect(),
                scratch: vec![UNDEFINED; self.scratch_bytes],
            },
            entry: vec![None; blocks],
            exit: vec![None; blocks],
        };
        self.solve(&mut flow, 0, blocks, None)?;
        for (b, entry) in flow.entry.into_iter().enumerate() {
            let Some(mut state) = entry else { continue };
            for i in self.cfg.blocks[b].start..self.cfg.blocks[b].end {
                self.step(&mut state, i, Some(b))?;
            }
        }
        Ok(())
    }

    /// Solves blocks `first..last` in program order; a loop is repeated until nothing changes at its header before
    /// anything after it is looked at, and forgets what an earlier round found inside. `inside` is the loop whose
    /// body this is.
    fn solve(
        &self,
        flow: &mut Flow,
        first: usize,
        last: usize,
        inside: Option<usize>,
    ) -> Result<(), CompileError> {
        let mut b = first;
        while b < last {
            let here = self.cfg.blocks[b].start;
            let found = self.cfg.loops.iter().position(|l| l.start == here && self.cfg.blocks[b].end > here);
            let Some(l) = found.filter(|l| inside != Some(*l)) else {
                self.visit(flow, b)?;
                b += 1;
                continue;
            };
            let end = self.cfg.block_of.get(self.cfg.loops[l].end).map_or(last, |e| e + 1).min(last);
            for round in 0.. {
                let old = flow.entry[b].take();
                let initial = (b == 0).then_some(&flow.start);
                let mut header = self.join(initial, &flow.preds[b], &flow.exit);
                if let (Some(new), Some(old), true) = (&mut header, &old, round > 8) {
                    // Every byte changes a few times at most; what still does has no one meaning.
                    widen(new, old);
                }
                if round > 0 && header == old {
                    flow.entry[b] = old;
                    break;
                }
                flow.entry[b] = header;
                flow.exit[b..end].fill(None);
                self.solve(flow, b, end, Some(l))?;
            }
            b = end;
        }
        Ok(())
    }

    fn visit(&self, flow: &mut Flow, b: usize) -> Result<(), CompileError> {
        let header = self.cfg.loops.iter().any(|l| l.start == self.cfg.blocks[b].start);
        if !header {
            let initial = (b == 0).then_some(&flow.start);
            flow.entry[b] = self.join(initial, &flow.preds[b], &flow.exit);
        }
        let Some(mut state) = flow.entry[b].clone() else { return Ok(()) };
        for i in self.cfg.blocks[b].start..self.cfg.blocks[b].end {
            self.step(&mut state, i, None)?;
        }
        flow.exit[b] = Some(state);
        Ok(())
    }

    /// What is known where the given blocks meet. A value that no path through a block has written is undefined
    /// there, so a value that all others agree on stands for all.
    fn join(&self, initial: Option<&State>, preds: &[usize], exit: &[Option<State>]) -> Option<State> {
        let arriving = preds.iter().filter_map(|&p| exit[p].as_ref().map(|state| (Some(p), state)));
        let known: Vec<(Option<usize>, &State)> =
            initial.map(|s| (None, s)).into_iter().chain(arriving).collect();
        let mut joined = known.first()?.1.clone();
        let meet = |byte: &mut u32, values: &dyn Fn(&State) -> u32| {
            let first = *byte;
            if known.iter().all(|(_, s)| values(s) == first) {
                return;
            }
            let agreed = known.iter().map(|(_, s)| values(s)).find(|&x| {
                x != UNDEFINED
                    && x != CONFLICT
                    && known
                        .iter()
                        .all(|&(p, s)| values(s) == x || values(s) == UNDEFINED || self.unwritten(x, p))
            });
            *byte = agreed.unwrap_or(CONFLICT);
        };
        for (k, byte) in joined.file.iter_mut().enumerate() {
            meet(byte, &|s| s.file[k]);
        }
        for (k, byte) in joined.scratch.iter_mut().enumerate() {
            meet(byte, &|s| s.scratch[k]);
        }
        Some(joined)
    }

    /// No path through `block` (`None`: the program's start) has written the value.
    fn unwritten(&self, id: u32, block: Option<usize>) -> bool {
        if !(FIRST_VREG..JUNK).contains(&id) {
            return id == JUNK;
        }
        let Some(block) = block else { return true };
        let grf = (id - FIRST_VREG) / REG_SIZE;
        !self.written_out[block].get(grf as usize).copied().unwrap_or(false)
    }

    /// Executes instruction `i`; with `verify` set (the block's number), reads are checked.
    fn step(&self, state: &mut State, i: usize, verify: Option<usize>) -> Result<(), CompileError> {
        let inst = &self.allocated.insts[i];
        let Some(meaning) = self.meaning[i] else {
            return self.step_own(state, i);
        };
        let meant = &self.original.insts[meaning];
        if verify.is_some() {
            for index in 0..meant.src.len() {
                self.check_read(state, i, inst, meant, index)?;
            }
        }
        if let (Some(place), Some(name)) = (address(&inst.dst), self.name(&meant.dst)) {
            let bytes = meant.bytes_written() as usize;
            for k in 0..bytes {
                // Strided destinations own the bytes between their elements too: those are undefined or their
                // own, never another value's, since registers are allocated whole.
                if let Some(slot) = state.file.get_mut(place + k) {
                    *slot = name + k as u32;
                }
            }
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
    ) -> Result<(), CompileError> {
        let (Some(place), Some(name)) = (address(&inst.src[index]), self.name(&meant.src[index])) else {
            return Ok(());
        };
        let within = meant.src[index].offset % REG_SIZE;
        for reg in 0..regs_read(meant, index) {
            let mask = src_read_pattern(meant, index, reg);
            for byte in 0..REG_SIZE {
                let position = reg * REG_SIZE + byte;
                if mask >> byte & 1 == 0 || position < within {
                    continue;
                }
                let k = position - within;
                let found = state.file.get(place + k as usize).copied().unwrap_or(CONFLICT);
                let want = name + k;
                if found == want {
                    continue;
                }
                // Never written anywhere: whatever is read is as undefined as it was.
                if want >= FIRST_VREG && self.never_written(want) {
                    continue;
                }
                return Err(CompileError::allocate(format!(
                    "checker: instruction {i} ({inst}) reads byte {k} of source {index} ({}), but its place holds {}",
                    meant.src[index],
                    self.describe(found)
                )));
            }
        }
        Ok(())
    }

    fn never_written(&self, id: u32) -> bool {
        let grf = ((id - FIRST_VREG) / REG_SIZE) as usize;
        !self.written_out.iter().any(|w| w.get(grf).copied().unwrap_or(false))
    }

    fn describe(&self, id: u32) -> String {
        match id {
            UNDEFINED => "nothing".into(),
            CONFLICT => "different values on different paths".into(),
            JUNK => "a message header".into(),
            id if id < FIRST_VREG => format!("payload byte {}", id - 1),
            id => {
                let grf = (id - FIRST_VREG) / REG_SIZE;
                let v = self.base.iter().rposition(|&b| b <= grf).unwrap_or(0);
                format!("{} byte {}", VReg::new(v), id - FIRST_VREG - self.base[v] * REG_SIZE)
            }
        }
    }

    /// Executes one of the allocator's own instructions.
    fn step_own(&self, state: &mut State, i: usize) -> Result<(), CompileError> {
        let inst = &self.allocated.insts[i];
        match (inst.op, inst.message.as_ref().map(|m| m.kind)) {
            (Op::Mov, _) => {
                let Some(to) = address(&inst.dst) else { return Ok(()) };
                let from = address(&inst.src[0]);
                for k in 0..inst.bytes_written() as usize {
                    let value = from.and_then(|f| state.file.get(f + k).copied()).unwrap_or(JUNK);
                    if let Some(slot) = state.file.get_mut(to + k) {
                        *slot = value;
                    }
                }
                Ok(())
            }
            (_, Some(MessageKind::ScratchRead)) => {
                let (Some(to), Some(slot)) = (address(&inst.dst), fill_slot(inst)) else { return Ok(()) };
                for k in 0..inst.bytes_written() as usize {
                    let value = state.scratch.get(slot + k).copied().unwrap_or(CONFLICT);
                    if let Some(byte) = state.file.get_mut(to + k) {
                        *byte = value;
                    }
                }
                Ok(())
            }
            (_, Some(MessageKind::ScratchWrite)) => {
                let owords =
                    self.allocated.insts.get(i.wrapping_sub(1)).and_then(|m| m.src.first()?.imm_bits());
                let (Some(from), Some(owords)) = (address(&inst.src[0]), owords) else {
                    return Err(CompileError::allocate(format!("checker: spill {i} without an offset")));
                };
                for k in 0..inst.bytes_read(0) as usize - REG_SIZE as usize {
                    let value = state.file.get(from + REG_SIZE as usize + k).copied().unwrap_or(CONFLICT);
                    if let Some(byte) = state.scratch.get_mut(owords as usize * 16 + k) {
                        *byte = value;
                    }
                }
                Ok(())
            }
            _ => Err(CompileError::allocate(format!("checker: instruction {i} is unknown"))),
        }
    }

    /// Id of the byte at an original operand's offset.
    fn name(&self, operand: &Operand) -> Option<u32> {
        match operand.file {
            File::Vgrf(v) => Some(FIRST_VREG + self.base[v.index()] * REG_SIZE + operand.offset),
            File::Grf(_) => operand.grf_byte().map(|b| b + 1),
            _ => None,
        }
    }
}

/// Gives up on bytes that still change.
fn widen(state: &mut State, old: &State) {
    let bytes = state.file.iter_mut().zip(&old.file).chain(state.scratch.iter_mut().zip(&old.scratch));
    for (new, old) in bytes {
        if *new != *old {
            *new = CONFLICT;
        }
    }
}

/// Byte address of an allocated operand in the register file.
fn address(operand: &Operand) -> Option<usize> {
    operand.grf_byte().map(|b| b as usize)
}

/// Scratch byte that a fill reads.
fn fill_slot(inst: &Inst) -> Option<usize> {
    let message = inst.message.as_ref()?;
    (message.kind == MessageKind::ScratchRead)
        .then_some((message.control & 0xfff) as usize * REG_SIZE as usize)
}

/// Pairs the instructions of the final program with the original ones they stand for.
fn match_instructions(original: &Program, program: &Program) -> Result<Vec<Option<usize>>, CompileError> {
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
            return Err(CompileError::allocate("checker: the program changed during allocation"));
        }
        meaning.push(Some(next));
        next += 1;
    }
    Ok(meaning)
}

/// For each block the original GRFs that may have been written when it ends.
fn written_before_end(
    original: &Program,
    meaning: &[Option<usize>],
    cfg: &Cfg,
    base: &[u32],
    grfs: usize,
) -> Vec<Vec<bool>> {
    let mut out = vec![vec![false; grfs]; cfg.blocks.len()];
    for (b, block) in cfg.blocks.iter().enumerate() {
        for meant in meaning[block.start..block.end].iter().flatten() {
            let inst = &original.insts[*meant];
            if let File::Vgrf(v) = inst.dst.file {
                let first = base[v.index()] + inst.dst.offset / REG_SIZE;
                for reg in first..first + regs_written(inst) {
                    if let Some(w) = out[b].get_mut(reg as usize) {
                        *w = true;
                    }
                }
            }
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for b in 0..out.len() {
            for &s in &cfg.blocks[b].physical_succs {
                for g in 0..grfs {
                    if out[b][g] && !out[s][g] {
                        out[s][g] = true;
                        changed = true;
                    }
                }
            }
        }
    }
    out
}

/// Values that some channels hold while others run: nothing else may be written to their place.
fn check_waiting_channels(program: &Program, starts: &[Option<u8>]) -> Result<(), CompileError> {
    let cfg = Cfg::new(program);
    let liveness = Liveness::new(program, &cfg);
    for l in &cfg.loops {
        guard(program, starts, &liveness, (l.start, l.end), (l.start, l.end))?;
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
                    guard(program, starts, &liveness, (start, middle), (middle, i))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// What is written in `held` and used after the end of `running` must not be overwritten in `running`.
fn guard(
    program: &Program,
    starts: &[Option<u8>],
    liveness: &Liveness,
    held: (usize, usize),
    running: (usize, usize),
) -> Result<(), CompileError> {
    let mut owner: [Option<VReg>; 128] = [None; 128];
    for inst in &program.insts[held.0..held.1] {
        let Some(v) = inst.dst.vreg() else { continue };
        if liveness.interval(v).end <= running.1 {
            continue;
        }
        if let Some(start) = starts[v.index()] {
            let first = usize::from(start);
            for place in owner.iter_mut().skip(first).take(usize::from(program.vregs[v].regs)) {
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
                return Err(CompileError::allocate(format!(
                    "checker: instruction {i} ({inst}) overwrites {waiting}, which waiting channels still hold"
                )));
            }
        }
    }
    Ok(())
}
