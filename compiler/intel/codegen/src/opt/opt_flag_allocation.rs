//! Booleans that conditions read stay in flags of their own.
//!
//! ```text
//! before:
//!   cmp.l.f0.0(8) v0<1>:F, v1<1>:F, v2<1>:F
//!   cmp.z.f0.0(8) null<1>:F, v3<1>:F, v4<1>:F
//!   (+f0.0) sel(8) v5<1>:F, v1<1>:F, v3<1>:F
//!   mov.nz.f0.0(8) null<1>:D, v0<1>:D
//!   (+f0.0) sel(8) v6<1>:F, v2<1>:F, v4<1>:F
//! after:
//!   cmp.l.f0.1(8) v0<1>:F, v1<1>:F, v2<1>:F
//!   cmp.z.f0.0(8) null<1>:F, v3<1>:F, v4<1>:F
//!   (+f0.0) sel(8) v5<1>:F, v1<1>:F, v3<1>:F
//!   (+f0.1) sel(8) v6<1>:F, v2<1>:F, v4<1>:F
//! ```

use std::collections::BTreeMap;

use super::opt_dce::flags_live_out;
use crate::lir::cfg::Cfg;
use crate::lir::{Arf, CondMod, File, Inst, Op, Operand, PredMode, Program, VReg};
use crate::model::Model;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Number of flag subregisters.
const FLAGS: usize = 4;
/// The subregister that instruction selection uses: f0.0.
const COMMON: u8 = 0;
/// Widest programs: a subregister has a bit for each of 16 channels.
const MAX_WIDTH: u8 = 16;

/// Lets the only definition of a boolean set a flag that nothing else uses until the boolean was
/// tested for the last time. The tests go, and their readers take that flag.
pub(crate) fn opt_flag_allocation(program: &mut Program, _model: &Model) -> bool {
    if program.width > MAX_WIDTH || !program.insts.iter().any(|inst| is_test(inst, program.width)) {
        return false;
    }
    let cfg = program.analysis::<Cfg>();
    let mut free = FreeFlags::new(program);
    let mut changed = false;
    for boolean in booleans(program, &cfg) {
        let Some((flag, tests)) = free.take(&boolean, &cfg) else { continue };
        boolean.apply(program, flag, tests);
        changed = true;
    }
    if changed {
        program.compact();
    }
    changed
}

/// A boolean in a register, with its tests.
struct Boolean {
    def: usize,
    /// Readers of the flag that the definition sets already.
    readers: Readers,
    tests: SmallVec<[Test; 2]>,
}

/// Instructions that read a flag before the next one writes it.
type Readers = SmallVec<[usize; 2]>;

/// An instruction that does nothing but take a boolean to the flag.
struct Test {
    at: usize,
    readers: Readers,
}

impl Test {
    /// The last instruction that needs the flag.
    fn end(&self) -> usize {
        self.readers.last().map_or(self.at, |&last| last.max(self.at))
    }
}

impl Boolean {
    /// Interval in which a flag holds the boolean for the first `tests` tests.
    fn interval(&self, tests: usize, cfg: &Cfg) -> (usize, usize) {
        let own = self.readers.last().map_or(self.def, |&last| last);
        let end = self.tests[..tests].iter().map(Test::end).fold(own, usize::max);
        // Channels that left a loop wait while others repeat it, and what came from outside is read
        // again.
        let crossed = cfg.loops.iter().filter(|l| {
            let holds = |at: usize| l.start <= at && at <= l.end;
            holds(self.def) != holds(end)
                || self.tests[..tests].iter().any(|t| holds(t.at)) && !holds(self.def)
        });
        crossed.fold((self.def, end), |(start, end), l| {
            let overlaps = l.start <= end && start <= l.end;
            if overlaps { (start.min(l.start), end.max(l.end)) } else { (start, end) }
        })
    }

    /// Keeps the boolean in `flag` for its first `tests` tests.
    fn apply(&self, program: &mut Program, flag: u8, tests: usize) {
        let def = &mut program.insts[self.def];
        def.cond = def.cond.or(Some(CondMod::Nz));
        def.flag = flag;
        let tested = self.tests[..tests].iter().flat_map(|test| &test.readers);
        for &reader in self.readers.iter().chain(tested) {
            program.insts[reader].flag = flag;
        }
        for test in &self.tests[..tests] {
            let inst = &mut program.insts[test.at];
            inst.op = Op::Nop;
            inst.cond = None;
        }
    }
}

/// Flag subregisters other than the common one that the program does not mention, with the
/// intervals in which they are taken: start to end.
struct FreeFlags(SmallVec<[(u8, BTreeMap<usize, usize>); FLAGS]>);

impl FreeFlags {
    fn new(program: &Program) -> FreeFlags {
        let mut used = [false; FLAGS];
        used[usize::from(COMMON)] = true;
        for inst in &program.insts {
            if inst.predicate.is_some() || inst.writes_flag() {
                used[usize::from(inst.flag)] = true;
            }
            for operand in inst.src.iter().chain([&inst.dst]) {
                if let File::Arf(Arf::Flag(n)) = operand.file {
                    used[usize::from(2 * n)] = true;
                    used[usize::from(2 * n) + 1] = true;
                }
            }
        }
        FreeFlags(
            (0..FLAGS as u8)
                .filter(|&f| !used[usize::from(f)])
                .map(|f| (f, BTreeMap::new()))
                .collect(),
        )
    }

    /// Takes a flag for the boolean, for as many of its tests as possible. Returns their number.
    fn take(&mut self, boolean: &Boolean, cfg: &Cfg) -> Option<(u8, usize)> {
        for tests in (1..=boolean.tests.len()).rev() {
            let (start, end) = boolean.interval(tests, cfg);
            let is_free = |taken: &BTreeMap<usize, usize>| {
                taken.range(..=end).next_back().is_none_or(|(_, &last)| last < start)
            };
            if let Some((flag, taken)) = self.0.iter_mut().find(|(_, taken)| is_free(taken)) {
                taken.insert(start, end);
                return Some((*flag, tests));
            }
        }
        None
    }
}

/// Booleans with tests, those with many tests over a short distance first.
fn booleans(program: &Program, cfg: &Cfg) -> Vec<Boolean> {
    let flags_out = flags_live_out(program, cfg);
    let mut writes: SecondaryMap<VReg, SmallVec<[usize; 1]>> = program.vreg_table();
    for (at, inst) in program.insts.iter().enumerate() {
        if let Some(v) = inst.dst.vreg().filter(|_| inst.op != Op::Undef) {
            writes[v].push(at);
        }
    }
    let readers = |at: usize| {
        let block = cfg.block_of[at];
        let rest = (at + 1)..cfg.blocks[block].end;
        readers(program, rest, flags_out[block] >> COMMON & 1 != 0)
    };
    let mut found: BTreeMap<usize, Boolean> = BTreeMap::new();
    for (at, inst) in program.insts.iter().enumerate() {
        let Some(src) = inst.src.first().filter(|_| is_test(inst, program.width)) else { continue };
        let Some(&[def]) = src.vreg().map(|v| &writes[v][..]) else { continue };
        if def > at || !is_definition(&program.insts[def], src, program.width) {
            continue;
        }
        let Some(tested) = readers(at) else { continue };
        let test = Test { at, readers: tested };
        if let Some(boolean) = found.get_mut(&def) {
            boolean.tests.push(test);
        } else if let Some(own) = own_readers(program, def, readers) {
            found.insert(def, Boolean { def, readers: own, tests: SmallVec::from_iter([test]) });
        }
    }
    let mut found: Vec<Boolean> = found.into_values().collect();
    found.sort_by_key(|boolean| {
        let (start, end) = boolean.interval(boolean.tests.len(), cfg);
        ((end - start) / boolean.tests.len(), start)
    });
    found
}

/// Readers of the flag that a definition sets; `None` if they must keep the common flag.
fn own_readers(
    program: &Program,
    def: usize,
    readers: impl Fn(usize) -> Option<Readers>,
) -> Option<Readers> {
    if program.insts[def].cond.is_some() { readers(def) } else { Some(Readers::new()) }
}

/// The instructions of a part of a block that read the common flag before one of them writes it.
/// `None` if one needs more than a channel's own bit, or changes only some channels' bits.
fn readers(
    program: &Program,
    part: std::ops::Range<usize>,
    is_live_after: bool,
) -> Option<Readers> {
    let mut readers = Readers::new();
    for at in part {
        let inst = &program.insts[at];
        let is_flag = |operand: &Operand| matches!(operand.file, File::Arf(Arf::Flag(_)));
        if inst.src.iter().chain([&inst.dst]).any(is_flag) {
            return None;
        }
        let reads =
            inst.flag == COMMON || inst.predicate.is_some_and(|p| p.mode != PredMode::Normal);
        if inst.predicate.is_some() && reads {
            if inst.writes_flag() || inst.predicate?.mode != PredMode::Normal {
                return None;
            }
            readers.push(at);
        }
        if inst.writes_flag() && inst.flag == COMMON {
            return is_whole(inst, program.width).then_some(readers);
        }
    }
    (!is_live_after).then_some(readers)
}

/// The instruction processes all channels that are enabled.
fn is_whole(inst: &Inst, width: u8) -> bool {
    inst.exec_size == width && inst.group == 0 && !inst.no_mask && !inst.align16
}

/// Sets the common flag where a boolean is true.
fn is_test(inst: &Inst, width: u8) -> bool {
    let src = inst.src.first();
    inst.op == Op::Mov
        && inst.cond == Some(CondMod::Nz)
        && inst.flag == COMMON
        && inst.dst.is_null()
        && inst.predicate.is_none()
        && is_whole(inst, width)
        && src.is_some_and(|s| s.vreg().is_some() && is_boolean(s) && !s.is_modified())
}

/// A packed register of dwords, from its first byte on.
fn is_boolean(operand: &Operand) -> bool {
    operand.offset == 0 && operand.stride() == Some(1) && operand.ty.size() == 4
}

/// The instruction defines the boolean in `src`, and its condition is the boolean or can be.
fn is_definition(inst: &Inst, src: &Operand, width: u8) -> bool {
    let fits = match inst.op {
        Op::Cmp => inst.cond.is_some() && inst.flag == COMMON,
        Op::And | Op::Or | Op::Xor | Op::Not => inst.cond.is_none() && src.ty.is_integer(),
        _ => false,
    };
    fits && inst.predicate.is_none()
        && is_whole(inst, width)
        && is_boolean(&inst.dst)
        && !inst.touches_accumulator()
}
